"""``rejoinder agreement``: what two annotators of a project agree on."""

from __future__ import annotations

from pathlib import Path

import click

from engine.cli.output import emit, group_option
from engine.errors import BadInput

_MIN_PEOPLE = 2


@click.command()
@click.argument("path", metavar="PROJECT", type=click.Path(path_type=Path))
@click.option("--annotators", default="", help="Two names with a comma between; the first two who are done without it.")
@group_option(
    "Count pairs with edits of this group, and with all edits that either linked; may be given several times."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def agreement(path: Path, annotators: str, groups: tuple[str, ...], as_json: bool) -> None:
    """Say how far two annotators agree on the papers with which both are done, with 95 % intervals."""
    from engine.agreement.linking import agreement as compared
    from engine.agreement.records import MEASURES, PUBLISHED
    from engine.exchange.agreement import figures_fields
    from engine.exchange.studies import Studies
    from engine.project import Project

    with Project.open(path, read_only=True) as project:
        studies = Studies(project)
        names = dict(project.annotators())
        done = [key for key in names if any(key in s.worked and key in s.done for s in studies.standings())]
        if annotators:
            wanted = [name.strip() for name in annotators.split(",")]
            unknown = [name for name in wanted if name not in names.values()]
            if unknown or len(wanted) != _MIN_PEOPLE:
                raise BadInput(f"Two names are needed, of {', '.join(names.values())}.", "Nothing was compared.")
            done = [key for name in wanted for key in done if names[key] == name]
        if len(done) < _MIN_PEOPLE:
            raise BadInput(
                "There are no two annotators who are done with a paper.",
                "What they did stays hidden until then.",
                "Let each of them say in the Linking pane that they are done.",
            )
        project.annotator_id = done[0]
        found = compared(studies.paper_works(done[0], done[1], groups))
    if as_json:
        emit(
            {
                "annotators": [found.first, found.second],
                "overall": figures_fields(found.overall),
                "papers": [figures_fields(figures) for figures in found.papers],
                "disagreements": len(found.disagreements),
                "published": dict(PUBLISHED),
            }
        )
        return
    for measure, words in MEASURES.items():
        estimate = found.overall.estimates[measure]
        said = f"{estimate.value:.2f}  [{estimate.low:.2f}, {estimate.high:.2f}]" if estimate.known else "not defined"
        published = f"  (published {PUBLISHED[measure]:.2f})" if measure in PUBLISHED else ""
        click.echo(f"{words:24} {said:24} n = {estimate.n:,}{published}")
    click.echo(f"{len(found.disagreements)} comments on which {found.first} and {found.second} differ.")
