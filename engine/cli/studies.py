"""``rejoinder coverage``, ``search`` and ``statistics``: a project's content, read-only."""

import sys
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path

import click

from engine.agreement.records import ADJUDICATED
from engine.cli.output import (
    FILE,
    Command,
    emit,
    fields,
    group_option,
    paper_option,
    project_argument,
    remark,
    say,
    write,
)
from engine.documents.service import DocumentService
from engine.errors import BadInput
from engine.exchange.change_summary import STATES, Summary, write_markdown, write_pdf
from engine.exchange.edit_research import Research, research, research_fields, tables_of
from engine.exchange.records import Export
from engine.exchange.studies import PaperStudy, Studies
from engine.operations import identity
from engine.operations import search_store as index
from engine.operations.papers import chosen_paper
from engine.project import Project
from engine.revision.coverage import Coverage
from engine.revision.coverage import coverage as covered
from engine.revision.groups import doubts
from engine.revision.records import Edit
from engine.shown import counted


@click.command(cls=Command)
@project_argument
@paper_option
@click.option("--reviewer", default="", help="Only comments by this reviewer.")
@click.option("--annotator", default="", help='Annotator, or "adjudicated". Defaults to the last one used.')
@group_option("Among edits that answer no comment, list only those in this group. Repeatable.")
@click.option("--markdown", type=FILE, help="Write a summary of what was done about each comment as Markdown.")
@click.option("--pdf", type=FILE, help="Write a summary of what was done about each comment as PDF.")
def coverage(
    *,
    path: Path,
    paper: str,
    reviewer: str,
    annotator: str,
    groups: tuple[str, ...],
    markdown: Path | None,
    pdf: Path | None,
) -> None:
    """Show which comments are answered, and by which edits. Exit code 1: some comments aren't answered."""
    with Project.open(path, read_only=True) as project:
        studies = Studies(project)
        study = compared_study(project, studies, paper, annotator)
        found = covered(study.comments, study.targets, study.links, study.states, study.suggestions, groups=groups)
        check_reviewer(reviewer, found.reviewers)
        linking = studies.linking(study)
        source, target = linking.source, linking.target
        doubted = doubts(linking.edits, source, target)
        summary = Summary(found, source.paragraphs, target.paragraphs, study.paper.title, doubts=doubted)
        if markdown is not None:
            write_export(markdown, write_markdown(summary, markdown.name, reviewer))
        if pdf is not None:
            with DocumentService() as service:
                write_export(pdf, write_pdf(summary, service, pdf.name, reviewer))
    rows = found.of(reviewer)
    emit(_document(study, found, reviewer))
    if markdown is None and pdf is None:
        for row in rows:
            edits = ", ".join(edit.label or edit.id for edit in row.edits)
            words = " ".join(row.comment.comment.split())[:70]
            say(f"{row.comment.reviewer or 'Reviewer'} {row.number:>3}  {STATES[row.state]:28} {edits or '-'}")
            say(f"      {words}")
        say(
            f"{found.count('answered')} of {len(found.rows)} comments answered, {found.count('open')} open;"
            f" {counted(len(found.unanswering), 'edit answers', 'edits answer')} no comment."
        )
    sys.exit(0 if all(row.standing == "answered" for row in rows) else 1)


def compared_study(project: Project, studies: Studies, title: str, annotator: str) -> PaperStudy:
    """Returns the paper with that key or title, or the only one, with an annotator's work. Raises BadInput if there is
    none."""
    compared = [entry[0] for entry in studies.compared()]
    chosen = chosen_paper(compared, title, "compared paper")
    if chosen is None:
        what = "No versions have been compared yet."
        raise BadInput(what, "There is nothing to show.", "Compare two versions with `rejoinder paper compare` first.")
    identity.act_as(project, "" if annotator == ADJUDICATED else annotator)
    return studies.study(chosen.id, ADJUDICATED if annotator == ADJUDICATED else project.annotator_id)


def _document(study: PaperStudy, found: Coverage, reviewer: str) -> dict[str, object]:
    def edits(listed: Iterable[Edit]) -> list[dict[str, object]]:
        return [fields(edit, "label kind group section", edit_id=edit.id) for edit in listed]

    return {
        "paper": study.paper.title,
        "comments": [
            fields(row.comment, "external_id reviewer comment", comment_id=row.comment.id)
            | fields(row, "number state standing", edits=edits(row.edits))
            | {"candidates": [fields(candidate, "edit_id score reasons") for candidate in row.candidates]}
            for row in found.of(reviewer)
        ],
        "edits_without_comment": edits(found.unanswering),
        **{standing: found.count(standing) for standing in ("answered", "attention", "open")},
    }


def check_reviewer(reviewer: str, names: Iterable[str]) -> None:
    """Raises BadInput for a reviewer who isn't among the names; "" means everyone."""
    if reviewer and reviewer not in (named := [name for name in names if name]):
        do = f"Choose one of {', '.join(named)}." if named else "No comment names its reviewer. Leave out --reviewer."
        raise BadInput(f"There is no reviewer named “{reviewer}”.", do=do)


def write_export(path: Path, export: Export) -> None:
    """Writes the file of an export, and reports what it doesn't contain."""
    write(path, export.files[0].content)
    remark(*export.loss)


@click.command(cls=Command)
@project_argument
@click.argument("words", nargs=-1, required=True)
@click.option("--most", default=10, type=click.IntRange(1, 200), help="Maximum number of results of each kind.")
def search(path: Path, words: tuple[str, ...], most: int) -> None:
    """Find papers, reviews, comments, templates and paragraphs that contain all WORDS or words starting with them."""
    with Project.open(path, read_only=True) as project:
        index.refresh(project)
        found = index.search(project, " ".join(words), most=most)
    emit([asdict(one) for one in found])
    for kind, heading in index.KINDS.items():
        of_kind = [one for one in found if one.kind == kind]
        for one in of_kind:
            place = f", page {one.page}" if one.page else ""
            say(f"{heading if one is of_kind[0] else '':12}{one.title}{place}\n{'':14}{one.snippet}")
    if not found:
        say("No results.")


@click.command(cls=Command)
@project_argument
@click.option("--paper", default="", help="Title of one paper. Default: all compared papers.")
@click.option(
    "--annotator", default="", help="Annotator whose links and analyses count. Default: the first who linked."
)
def statistics(path: Path, paper: str, annotator: str) -> None:
    """Count a project's actions, edits, tokens and overlap, and compare real and generated edits."""
    found = research_of(path, paper, annotator)
    emit(research_fields(found))
    for name, header, rows in tables_of(found):
        if name == "overlap":  # one line per pair, which is only useful in files
            continue
        say(f"\n{name}")
        say("  ".join(f"{words:>16}" for words in header))
        for row in rows:
            say("  ".join(f"{_words(cell):>16}" for cell in row))
    tables = found.tables
    say(f"\nanalysed: {tables.complete} complete, {tables.begun} started")


def research_of(path: Path, paper: str = "", annotator: str = "") -> Research:
    """Returns a project's data on revisions as seen by an annotator, by default the last one. Raises BadInput if no
    paper was compared, or there is no such paper or annotator."""
    with Project.open(path, read_only=True) as project:
        studies = Studies(project)
        names = dict(project.annotators())
        worked = [key for standing in studies.standings() for key in standing.worked]
        wanted = [key for key, name in names.items() if name == annotator] if annotator else worked
        if annotator and not wanted:
            raise BadInput(f"There is no annotator “{annotator}”.", f"The annotators are {', '.join(names.values())}.")
        if wanted:
            project.annotator_id = wanted[0]
        papers = {entry[0].title: entry[0].id for entry in studies.compared()}
        if not papers:
            raise BadInput(
                "No paper in this project has two compared versions.",
                "There is nothing to count.",
                "Compare two versions first.",
            )
        if paper and paper not in papers:
            raise BadInput(f"There is no compared paper “{paper}”.", f"Papers: {', '.join(papers)}.")
        return research(studies, papers[paper] if paper else "")


def _words(cell: object) -> str:
    return "-" if cell is None else f"{cell:.3f}" if isinstance(cell, float) else str(cell)
