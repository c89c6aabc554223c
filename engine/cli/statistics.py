"""``rejoinder statistics``: what a project's comments and edits look like, and how proposed edits compare."""

from __future__ import annotations

from pathlib import Path

import click

from engine.cli.output import emit, json_option
from engine.errors import BadInput


@click.command()
@click.argument("path", metavar="PROJECT", type=click.Path(path_type=Path))
@click.option("--paper", default="", help="The title of one paper; all compared papers without it.")
@click.option("--annotator", default="", help="Whose links and analyses count; the first who linked without it.")
@json_option
def statistics(path: Path, paper: str, annotator: str, as_json: bool) -> None:
    """Count actions, edits, tokens and overlap of a project, and compare real with generated edits."""
    from engine.exchange.edit_research import research, research_fields, tables_of
    from engine.exchange.studies import Studies
    from engine.project import Project

    with Project.open(path, read_only=True) as project:
        studies = Studies(project)
        names = dict(project.annotators())
        worked = [key for standing in studies.standings() for key in standing.worked]
        wanted = [key for key, name in names.items() if name == annotator] if annotator else worked
        if annotator and not wanted:
            raise BadInput(f"There is no annotator “{annotator}”.", f"The project knows {', '.join(names.values())}.")
        if wanted:
            project.annotator_id = wanted[0]
        papers = {entry[0].title: entry[0].id for entry in studies.compared()}
        if not papers:
            raise BadInput(
                "No paper of this project was compared.", "There is nothing to count.", "Compare two versions first."
            )
        if paper and paper not in papers:
            raise BadInput(f"There is no compared paper “{paper}”.", f"Papers: {', '.join(papers)}.")
        found = research(studies, papers[paper] if paper else "")
    if as_json:
        emit(research_fields(found))
        return
    for name, header, rows in tables_of(found):
        if name == "overlap":  # one line for each pair: for files, not for people
            continue
        click.echo(f"\n{name}")
        click.echo("  ".join(f"{words:>16}" for words in header))
        for row in rows:
            click.echo("  ".join(f"{_words(cell):>16}" for cell in row))
    tables = found.tables
    click.echo(f"\nanalysed: {tables.complete} complete, {tables.begun} begun")


def _words(cell: object) -> str:
    return "-" if cell is None else f"{cell:.3f}" if isinstance(cell, float) else str(cell)
