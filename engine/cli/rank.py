"""``rejoinder rank``: turns pairwise preferences into a ranking with confidence intervals."""

import sys
from itertools import chain
from pathlib import Path
from typing import Any

import click

from engine.cli.output import PATH, SEEDS, Command, emit, fields, remark, say
from engine.errors import BadInput
from engine.exchange.encoding import read_text
from engine.exchange.preferences import merged, read_preferences
from engine.measures.estimate import defined
from engine.rebuttal.preferences.ranking import Ranking
from engine.rebuttal.preferences.ranking import rank as ranked
from engine.shown import counted, estimated


@click.command(cls=Command)
@click.argument("files", metavar="PREFERENCES.csv [MORE.csv ...]", nargs=-1, required=True, type=PATH)
@click.option("--method", default="pagerank", help="pagerank (lowest is best) or bradley-terry (with ties).")
@click.option("--annotator", default="", help="Use only this annotator's judgements.")
@click.option("--seed", default=20240501, type=SEEDS, help="The same seed gives the same intervals.")
def rank(*, files: tuple[Path, ...], method: str, annotator: str, seed: int) -> None:
    """Rank items by pairwise preferences (columns item_a, item_b, winner, annotator; item_a was shown on the left).

    winner is one of the two items, or tie. Every rank comes with its 95 % interval, and warnings are listed. Exit code
    1: some rows could not be read, or there is nothing to rank.
    """
    decoded = [(path, read_text(path)) for path in files]
    found = merged(read_preferences(one.text, path.name) for path, one in decoded)
    if annotator:
        kept = tuple(row for row in found.rows if row.annotator == annotator)
        if not kept:
            known = ", ".join(sorted({row.annotator for row in found.rows if row.annotator})) or "none named"
            raise BadInput(f"There are no judgements by “{annotator}”.", "Nothing was ranked.", f"Annotators: {known}.")
        found = type(found)(found.items, kept, found.warnings)
    ranking = ranked(found.items, found.comparisons(), method, seed=seed, sides=found.sides_known)  # type: ignore[arg-type]
    passed = len(found.rows) - ranking.comparisons
    warnings = [*chain.from_iterable(one.warnings for _, one in decoded), *found.warnings, *ranking.warnings]
    if not found.sides_known:
        warnings.append("One column won every time, so the columns don't show sides. Side bias wasn't checked.")
    if passed:
        warnings.append(
            f"{counted(passed, 'judgement')} not counted: skipped or unsuitable pairs, and pairs that the same "
            "annotator had already judged."
        )
    document = _document(found.items, ranking)
    document["warnings"] = warnings
    emit(document)
    _print(document)
    remark(*warnings)
    sys.exit(1 if found.warnings or not ranking.comparisons else 0)


def _document(items: tuple[str, ...], ranking: Ranking) -> dict[str, Any]:
    side = ranking.side
    return fields(
        ranking,
        "method comparisons pairs",
        items=[
            fields(row, "rank rank_low rank_high wins losses ties", item=items[row.item], first=defined(row.best))
            | {name: defined(getattr(row, name)) for name in ("score", "low", "high", "canonicity")}
            for row in ranking.rows
        ],
        side=fields(side, "left decided")
        | {name: defined(getattr(side, name)) for name in ("p", "effect", "low", "high")},
        groups=[[items[item] for item in group] for group in ranking.groups],
    )


def _print(document: dict[str, Any]) -> None:
    say(f"{'rank':>5}  {'95 %':>9}  {'score':>8}  {'95 %':>18}  {'first':>5}  item")
    for row in document["items"]:
        known, sure = row["rank"] is not None, row["rank_low"] is not None
        span = f"{row['rank_low']}–{row['rank_high']}" if sure else "–"
        scores = f"{row['low']:.4g} to {row['high']:.4g}" if sure else "–"
        place, score = (row["rank"], f"{round(row['score'], 12) + 0.0:.4g}") if known else ("–", "–")
        first = estimated(row["first"]) if sure else "–"
        item = " ".join(row["item"].split())
        say(f"{place:>5}  {span:>9}  {score:>8}  {scores:>18}  {first:>5}  {item}")
