"""``rejoinder reproduce similarity``: Tables 1 to 5 and Figures 1 and 2 of Stelmakh et al. (2023) on a data set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from engine.cli.output import emit, remark
from engine.errors import BadInput

if TYPE_CHECKING:
    from engine.expertise.algorithms.base import SimilarityAlgorithm
    from engine.research.similarity import Figures

_folder = click.Path(path_type=Path, file_okay=False)


@click.command("similarity")
@click.option("--data", type=_folder, required=True, help="Folder of a gold standard; see docs/formats.md.")
@click.option(
    "--algorithms",
    default="",
    help="Some, divided by commas; fusion and all that need no model otherwise, and those of --model.",
)
@click.option("--model", "models", multiple=True, metavar="NAME=FOLDER", help="The folder of an algorithm's model.")
@click.option("--lengths", is_flag=True, help="Also profiles of 1 to 20 papers (Figure 2).")
@click.option("--samples", default=1000, show_default=True, type=click.IntRange(1), help="Bootstrap samples.")
@click.option("--seed", default=0, show_default=True, help="Of the bootstrap and of profiles that are drawn.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def similarity(  # noqa: PLR0917 (click passes options by name)
    data: Path, algorithms: str, models: tuple[str, ...], lengths: bool, samples: int, seed: int, as_json: bool
) -> None:
    """Similarity algorithms on a gold standard of expertise, beside what was published on the same people.

    Loss with 95 % intervals (bootstrap over participants), easy and hard triples, difference to TPMS on title and
    abstract. The data's own profile draws are used where it has them.
    """
    from engine.exchange.expertise_data import paper_records, read_gold_standard, read_predictions
    from engine.research.similarity import Figures, described

    gold = read_gold_standard(data)
    chosen = _chosen(algorithms, models)
    found = Figures(gold, read_predictions(data), samples, seed)
    remark(_who(found))
    for key, algorithm in chosen.items():
        found.add(key, algorithm, lengths=lengths, say=remark)
    document = described(gold, paper_records(data)) | found.document(
        [name.strip() for name in algorithms.split(",") if name.strip()]
    )
    if as_json:
        emit(document)
    else:
        _print(document)


def _chosen(algorithms: str, models: Sequence[str]) -> Mapping[str, SimilarityAlgorithm | None]:
    """Algorithms by name; None for one whose model is not here, of which only the published scores are shown."""
    from engine.expertise.algorithms.registry import ALGORITHMS, DEFAULT, make_algorithm
    from engine.models import load_encoder

    folders: dict[str, Path] = {}
    for pair in models:
        name, found, folder = pair.partition("=")
        if not found or name not in ALGORITHMS:
            raise BadInput(f"“{pair}” names no algorithm's folder.", "Nothing was computed.", "Write NAME=FOLDER.")
        folders[name] = Path(folder)
    wanted = [name.strip() for name in algorithms.split(",") if name.strip()]
    # Another encoder pass over full texts takes minutes: only when asked for.
    wanted = wanted or [
        key for key, entry in ALGORITHMS.items() if key == DEFAULT or entry.needs == "nothing" or key in folders
    ]
    chosen: dict[str, SimilarityAlgorithm | None] = {}
    for name in wanted:
        entry = ALGORITHMS.get(name)
        if entry is not None and entry.needs == "folder" and name not in folders:
            remark(f"{entry.title} needs a model folder (--model {name}=FOLDER): only what was published is shown.")
            chosen[name] = None
            continue
        embedder = load_encoder(leave_free=0) if entry is not None and entry.needs == "encoder" else None
        chosen[name] = make_algorithm(name, embedder=embedder, folder=folders.get(name))
    return chosen


def _who(found: Figures) -> str:
    people = {rating.participant for rating in found.gold.ratings}
    return (
        f"{len(people)} participants, {len(found.gold.ratings)} ratings, {len(found.draws)} draws of profiles"
        + ("" if found.gold.draws else " (drawn here: the data has none)")
        + ("." if found.with_texts else "; no full texts.")
    )


def _print(document: Mapping[str, Any]) -> None:
    click.echo(
        f"{document['participants']} participants, {document['ratings']} ratings"
        f" ({document['ratings_left_out']} of papers without a title left out), {document['draws']} draws\n"
    )
    for number, about in (("1", "participants"), ("2", "papers and ratings")):
        click.echo(f"Table {number}: {about}, and what the paper prints of all 58 participants")
        for row in document[f"table_{number}"]:
            value = "not in the data" if row["value"] is None else f"{row['value']:g}"
            click.echo(f"  {row['name']:28} {value:>16} {row['printed']:8g}")
        click.echo()
    click.echo("Figure 1: ratings by value; pairs of one participant by their distance")
    click.echo("  " + ", ".join(f"{one['rating']:g}: {one['ratings']}" for one in document["figure_1a"]))
    click.echo("  " + ", ".join(f"{one['distance']:g}: {one['pairs']}" for one in document["figure_1b"]))
    note = "; the published scores on the same people; what the paper prints (58 participants)"
    click.echo(f"\nTable 3: loss (95 %), difference to TPMS on title and abstract{note}")
    _losses(document["rows"])
    if document["table_4"]:
        click.echo(f"\nTable 4: profiles of papers with full text only, difference to title and abstract{note}")
        _losses(document["table_4"])
    click.echo("\nTable 5: triples resolved, easy and hard; by the published scores; printed")
    for row in document["rows"]:
        names = ("easy", "hard", "published_easy", "published_hard", "printed_easy", "printed_hard")
        click.echo(f"  {_name(row)} {'  '.join(_text(row[name]) for name in names)}")
    if "lengths" in document:
        click.echo("\nFigure 2: loss by length of the profile")
        for row in document["lengths"]:
            click.echo(f"  {_name(row)} {row['length']:3}  {_interval(row)}")


def _losses(rows: Sequence[Mapping[str, Any]]) -> None:
    for row in rows:
        ours, theirs, printed = (
            f"{_interval(row, f'{prefix}loss'):24} {_interval(row, f'{prefix}difference', '+'):27}"
            for prefix in ("", "published_", "printed_")
        )
        click.echo(f"  {_name(row)} {ours} {theirs} {printed}".rstrip())


def _name(row: Mapping[str, Any]) -> str:
    return f"{row['algorithm']:14} {row['representation']:16}"


def _interval(row: Mapping[str, Any], name: str = "loss", sign: str = "-") -> str:
    """A figure with its interval, where there is one."""
    value, low, high = (row.get(key) for key in (name, f"{name}_low", f"{name}_high"))
    if value is None:
        return "not run" if name == "loss" else "–"
    return f"{value:{sign}.3f}" + ("" if low is None else f" ({low:{sign}.3f} to {high:{sign}.3f})")


def _text(value: float | None) -> str:
    return "  –  " if value is None else f"{value:.3f}"
