"""``rejoinder coverage``: which comments of a project are answered, and by what."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from engine.cli.output import emit, group_option, remark
from engine.errors import BadInput
from engine.exchange.change_summary import STATES, Summary, write_markdown, write_pdf
from engine.exchange.records import Export
from engine.exchange.studies import ADJUDICATED, PaperStudy, Studies
from engine.files import write_whole
from engine.operations.papers import chosen_paper
from engine.project import Project
from engine.revision.coverage import Coverage
from engine.revision.coverage import coverage as covered
from engine.revision.records import Edit

_out = click.Path(path_type=Path, dir_okay=False)


@click.command()
@click.argument("path", metavar="PROJECT", type=click.Path(path_type=Path))
@click.option("--paper", default="", help="The paper's key or title; needed where the project has several.")
@click.option("--reviewer", default="", help="Only the comments of this reviewer.")
@click.option("--annotator", default="", help='Whose work: a name, or "adjudicated". Default: the last one.')
@group_option("Among edits that answer no comment, list those of this group; may be given several times.")
@click.option("--markdown", type=_out, help="Write what was done about each comment as Markdown.")
@click.option("--pdf", type=_out, help="Write what was done about each comment as PDF.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def coverage(  # noqa: PLR0917 (click passes options by name)
    path: Path,
    paper: str,
    reviewer: str,
    annotator: str,
    groups: tuple[str, ...],
    markdown: Path | None,
    pdf: Path | None,
    as_json: bool,
) -> None:
    """Say which comments are answered, by which edits, and which are not; exit 1 where some are not."""
    with Project.open(path, read_only=True) as project:
        studies = Studies(project)
        study = _study(project, studies, paper, annotator)
        found = covered(study.comments, study.edits, study.links, study.states, study.suggestions, groups=groups)
        if reviewer and reviewer not in found.reviewers:
            raise BadInput(
                f"There is no reviewer named “{reviewer}”.", do=f"Choose one of {', '.join(found.reviewers)}."
            )
        linking = studies.linking(study)
        summary = Summary(found, linking.source.paragraphs, linking.target.paragraphs, study.paper.title)
        if markdown is not None:
            _write(markdown, write_markdown(summary, markdown.name, reviewer))
        if pdf is not None:
            from engine.documents.service import DocumentService

            with DocumentService() as service:
                _write(pdf, write_pdf(summary, service, pdf.name, reviewer))
    rows = found.of(reviewer)
    if as_json:
        emit(_document(study, found, reviewer))
    elif markdown is None and pdf is None:
        for row in rows:
            edits = ", ".join(edit.label or edit.id for edit in row.edits)
            words = " ".join(row.comment.comment.split())[:70]
            click.echo(f"{row.comment.reviewer or 'Reviewer'} {row.number:>3}  {STATES[row.state]:28} {edits or '-'}")
            click.echo(f"      {words}")
        click.echo(
            f"{found.count('answered')} of {len(found.rows)} comments answered, {found.count('open')} open;"
            f" {len(found.unanswering)} edits answer no comment."
        )
    sys.exit(0 if all(row.standing == "answered" for row in rows) else 1)


def _study(project: Project, studies: Studies, title: str, annotator: str) -> PaperStudy:
    compared = [entry[0] for entry in studies.compared()]
    chosen = chosen_paper(compared, title, "compared paper")
    if chosen is None:
        what = "No two versions were compared yet."
        raise BadInput(what, "There is nothing to show.", "Compare two versions in the Linking pane first.")
    people = {name: key for key, name in project.annotators()}
    if annotator and annotator != ADJUDICATED and annotator not in people:
        raise BadInput(f"Nobody named “{annotator}” worked on it.", do=f"Choose one of {', '.join(people)}.")
    last = next((people[act.annotator] for act in project.history(1) if act.annotator in people), project.annotator_id)
    project.annotator_id = people.get(annotator, last)
    return studies.study(chosen.id, ADJUDICATED if annotator == ADJUDICATED else project.annotator_id)


def _document(study: PaperStudy, found: Coverage, reviewer: str) -> dict[str, object]:
    return {
        "paper": study.paper.title,
        "comments": [
            {
                "comment_id": row.comment.id,
                "external_id": row.comment.external_id,
                "reviewer": row.comment.reviewer,
                "number": row.number,
                "comment": row.comment.comment,
                "state": row.state,
                "standing": row.standing,
                "edits": [_edit(edit) for edit in row.edits],
                "candidates": [
                    {"edit_id": s.edit_id, "score": s.score, "reasons": list(s.reasons)} for s in row.candidates
                ],
            }
            for row in found.of(reviewer)
        ],
        "edits_without_comment": [_edit(edit) for edit in found.unanswering],
        "answered": found.count("answered"),
        "attention": found.count("attention"),
        "open": found.count("open"),
    }


def _edit(edit: Edit) -> dict[str, str]:
    return {"edit_id": edit.id, "label": edit.label, "kind": edit.kind, "group": edit.group, "section": edit.section}


def _write(path: Path, export: Export) -> None:
    write_whole(path, export.files[0].content)
    remark(f"Wrote {path}.")
    for sentence in export.loss.sentences:
        remark(sentence)
