"""``rejoinder search``: finds words in everything that a project holds."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from engine.cli.output import emit, json_option


@click.command()
@click.argument("path", metavar="PROJECT", type=click.Path(path_type=Path))
@click.argument("words", nargs=-1, required=True)
@click.option("--most", default=10, show_default=True, type=click.IntRange(1, 200), help="Results of each kind.")
@json_option
def search(path: Path, words: tuple[str, ...], most: int, as_json: bool) -> None:
    """Find papers, reviews, comments, templates and paragraphs that have all WORDS, or words that begin with them."""
    from engine.operations import search_store as index
    from engine.project import Project

    with Project.open(path, read_only=True) as project:
        index.refresh(project)
        found = index.search(project, " ".join(words), most=most)
    if as_json:
        emit([asdict(one) for one in found])
        return
    for kind, heading in index.KINDS.items():
        of_kind = [one for one in found if one.kind == kind]
        for one in of_kind:
            place = f", page {one.page}" if one.page else ""
            click.echo(f"{heading if one is of_kind[0] else '':12}{one.title}{place}\n{'':14}{one.snippet}")
    if not found:
        click.echo("No results.")
