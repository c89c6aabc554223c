"""``rejoinder second-round``: what became of each request of the reviews in the revised paper."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import click

from engine.cli.output import FILE, PATH, Remarks, emit, fields, json_option, paper_option, remark
from engine.cli.studies import check_reviewer, compared_study, write_export
from engine.errors import BadInput
from engine.exchange.change_summary import BASES, Summary, evidence, said, state_counts, write_letter, write_table
from engine.revision.coverage import Coverage, Request, coverage, of_reviewer, second_round
from engine.revision.records import Query, Suggestion
from engine.shown import shortened

_SUGGESTIONS = 5
"""So many of each comment are read of a project, too."""


@click.command("second-round")
@click.argument("paths", metavar="PROJECT | OLD.pdf NEW.pdf LETTER", nargs=-1, type=PATH)
@paper_option
@click.option("--reviewer", default="", help="Only requests by this reviewer.")
@click.option(
    "--annotator", default="", help='Annotator whose decisions count, or "adjudicated". Defaults to the last one used.'
)
@click.option("--table", type=FILE, help="Write a row for each request: .csv, .xlsx or .md.")
@click.option("--letter", type=FILE, help="Write a letter to the reviewers in Markdown.")
@json_option
def command(
    *,
    paths: tuple[Path, ...],
    paper: str,
    reviewer: str,
    annotator: str,
    table: Path | None,
    letter: Path | None,
    as_json: bool,
) -> None:
    """Show the outcome of each request (addressed, answered only, not found or not checked) and who decided it.

    For a project, human decisions come first, and the rest is based on the suggested edits. For two versions and a
    response letter, everything is suggested. Exit code 1: a request is not found or not checked, or there are no
    requests.
    """
    if table is not None and table.suffix.lower() not in (".csv", ".xlsx", ".md"):
        raise BadInput(
            f"{table.name} isn't a supported table format.", "Nothing was written.", "Use .csv, .xlsx or .md."
        )
    if len(paths) == 1:
        requests, summary = _of_project(paths[0], paper, annotator)
    elif len(paths) == 3:
        requests, summary = _of_files(*paths)
    else:
        raise BadInput("Some input files are missing.", do="Give a project, or OLD.pdf NEW.pdf LETTER.")
    check_reviewer(reviewer, dict.fromkeys(one.row.comment.reviewer for one in requests))
    for path, make in ((table, write_table), (letter, write_letter)):
        if path is not None:
            write_export(path, make(requests, summary, path.name, reviewer))
    own = of_reviewer(requests, reviewer)
    if as_json:
        emit({"paper": summary.title, "requests": [_fields(one, summary) for one in own]})
    elif table is None and letter is None:
        for one in own:
            name = f"{one.row.comment.reviewer or 'Reviewer'} {one.row.number:>3}"
            click.echo(f"{name}  {one.state:13} {BASES[one.basis]}")
            click.echo(f"      {shortened(one.row.comment.comment, 90)}")
            click.echo(f"      {said(one)}")
            for found in evidence(one, summary):
                click.echo(f"      {found.place}{': ' if found.place else ''}{shortened(found.words, 110)}")
    if not as_json:
        click.echo(state_counts(own))
    if any(one.basis == "not checked" for one in own):
        remark("No edits were suggested for some requests: `rejoinder paper compare` suggests some.")
    sys.exit(0 if own and all(one.state not in ("not found", "not checked") for one in own) else 1)


def _of_project(path: Path, paper: str, annotator: str) -> tuple[tuple[Request, ...], Summary]:
    from engine.exchange.studies import Studies
    from engine.project import Project

    with Project.open(path, read_only=True) as project:
        studies = Studies(project)
        study = compared_study(project, studies, paper, annotator)
        linking = studies.linking(study)
    found = coverage(study.comments, study.targets, study.links, study.states, study.suggestions)
    summary = Summary(found, linking.source.paragraphs, linking.target.paragraphs, study.paper.title)
    return second_round(found.rows, study.edits, study.suggestions), summary


def _of_files(old: Path, new: Path, letter: Path) -> tuple[tuple[Request, ...], Summary]:
    from engine.cli.align import compared
    from engine.documents.service import DocumentService
    from engine.exchange.response_reading import read_letter_file
    from engine.reviews.letter import read_letter
    from engine.revision.aligners import make_aligner
    from engine.revision.candidates import candidates
    from engine.revision.groups import may_answer

    with DocumentService() as service:
        read = read_letter_file(letter, service)
    bundle = read_letter(read, title=letter.stem)
    remark(*read.warnings, *bundle.warnings)
    asked = [one for one in bundle.comments if one.actionable]
    queries, diff, source, target = compared(
        old, new, tuple(Query(one.id, one.comment, one.context, one.response) for one in asked)
    )
    for path, document in ((old, source), (new, target)):
        if not document.paragraphs:
            do = "Choose a PDF whose text can be selected."
            raise BadInput(f"{path.name} contains no text to compare.", "No requests were checked.", do)
    aligner = make_aligner(use_responses=True)
    rankings = aligner.score(queries, candidates(diff, may_answer), report=Remarks()) if queries else {}
    suggestions: Mapping[str, Sequence[Suggestion]] = {
        key: [
            Suggestion("", key, one.edit_id, at, one.score, one.linked, aligner.origin, one.reasons)
            for at, one in enumerate(ranking[:_SUGGESTIONS], start=1)
        ]
        for key, ranking in rankings.items()
    }
    rows = coverage(asked, diff.edits, (), {}, {}).rows
    summary = Summary(Coverage(rows, ()), source.paragraphs, target.paragraphs, target.title)
    return second_round(rows, diff.edits, suggestions), summary


def _fields(one: Request, summary: Summary) -> dict[str, object]:
    comment = one.row.comment
    return fields(comment, "external_id reviewer comment response", comment_id=comment.id) | {
        "number": one.row.number,
        "state": one.state,
        "basis": one.basis,
        "decision": one.row.state,
        "why": one.why,
        "edits": [edit.id for edit in one.edits],
        "evidence": [fields(found, "place words") for found in evidence(one, summary)],
        "note": one.row.note,
    }
