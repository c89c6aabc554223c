"""``rejoinder project erase`` and ``rejoinder project share``."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from engine.cli.output import PATH, emit, json_option, path_argument, remark
from engine.errors import BadInput
from engine.project import Project


@click.command()
@path_argument
@click.option("--paper", help="Key or title of the paper to erase.")
@click.option("--review", help="Key of the review or letter to erase.")
@click.option("--annotator", help="Key or name of the annotator whose work to erase.")
@click.option("--yes", is_flag=True, help="Erase now. Otherwise only list what would be deleted.")
@click.option("--keep-copies", is_flag=True, help="Keep the earlier copies that Rejoinder left next to the project.")
@json_option
def erase(
    path: Path,
    *,
    paper: str | None,
    review: str | None,
    annotator: str | None,
    yes: bool,
    keep_copies: bool,
    as_json: bool,
) -> None:
    """Permanently erase a paper, a review or an annotator's work, including from history and backups.

    Without --yes, nothing is changed: the command lists what would be deleted and exits with code 1.
    """
    from engine.operations.erase import REMAINS, affected, erase_target
    from engine.operations.targets import Kind, find

    given: dict[Kind, str | None] = {"paper": paper, "review": review, "annotator": annotator}
    wanted = [(kind, words) for kind, words in given.items() if words]
    if len(wanted) != 1:
        raise BadInput("Name one thing to erase.", "Nothing was changed.", "Use --paper, --review or --annotator.")
    with Project.open(path, read_only=not yes) as opened:
        target = find(opened, *wanted[0])
        found = erase_target(opened, target, copies=not keep_copies) if yes else affected(opened, target)
    if as_json:
        emit(
            {
                "path": str(path.absolute()),
                "kind": target.kind,
                "id": target.id,
                "erased": yes,
                "rows": dict(found.rows),
                "backups": found.backups,
                "copies": [str(file) for file in found.copies],
                "sentences": list(found.sentences),
            }
        )
    elif yes:
        click.echo(f"Erased from {path.name}. {REMAINS}")
    else:
        click.echo("\n".join(found.sentences))
        if found.copies:
            names = ", ".join(file.name for file in found.copies)
            click.echo(f"Earlier copies will also be deleted unless you use --keep-copies: {names}.")
        remark("Nothing was changed. Add --yes to erase.")
    if not yes:
        sys.exit(1)
    if keep_copies and found.copies:
        remark("Earlier copies still contain it: " + ", ".join(str(file) for file in found.copies))


@click.command()
@path_argument
@click.option("--to", "target", required=True, type=PATH, help="The file to write.")
@click.option("--paper", "papers", multiple=True, help="Key or title of a paper to share. Default: all papers.")
@click.option("--without", multiple=True, metavar="PART", help="Leave out a part; see the list below.")
@click.option("--with", "including", multiple=True, metavar="PART", help="Include a part that is left out by default.")
@click.option("--names/--no-names", "names", default=None, help="Keep annotators' names or number them.")
@click.option("--annotator", default="", help="Your annotator name, for leaving out others' work.")
@json_option
def share(
    path: Path,
    *,
    target: Path,
    papers: tuple[str, ...],
    without: tuple[str, ...],
    including: tuple[str, ...],
    names: bool | None,
    annotator: str,
    as_json: bool,
) -> None:
    """Save a copy with the content you choose, without history, private notes or anything that identifies this
    computer.

    Parts: pdfs, reviews, others (other annotators' work), rebuttal, templates. Left out by default: review-drafts,
    notes, suggestions, preferences, survey, packages, library, emails, scores, benchmark.
    """
    from dataclasses import replace

    from engine.operations.share import default_choice, described
    from engine.operations.share import share as write_copy
    from engine.operations.targets import find

    if target.suffix != ".rejoinder":
        target = target.with_name(target.name + ".rejoinder")
    with Project.open(path, read_only=True) as opened:
        if annotator:
            opened.annotator_id = find(opened, "annotator", annotator).id
        choice = default_choice(opened)
        choice = replace(choice, parts=(choice.parts | set(including)) - set(without))
        if papers:
            choice = replace(choice, papers=tuple(find(opened, "paper", words).id for words in papers))
        if names is not None:
            choice = replace(choice, anonymous=not names)
        written = write_copy(opened, target, choice)
    if as_json:
        emit(
            {
                "path": str(target.absolute()),
                "rows": written,
                "parts": sorted(choice.parts),
                "names": not choice.anonymous,
                "bytes": target.stat().st_size,
            }
        )
    else:
        click.echo(f"Wrote {target}. " + " ".join(described(written, choice)))
