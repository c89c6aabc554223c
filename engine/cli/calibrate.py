"""``rejoinder calibrate``: turns a table of review scores into a ranking with intervals."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
import numpy as np

from engine.calibration.comparison import compare
from engine.calibration.decisions import SHOWN, decision_limits
from engine.calibration.ranking import RankDoubt, rank_doubt
from engine.calibration.records import Calibration, Reviews
from engine.calibration.registry import calibrate as fit
from engine.calibration.synthetic import Design, draw
from engine.cli.output import FILE, PATH, SEEDS, FiniteRange, Group, emit, fields, pairs, remark, say
from engine.errors import BadInput, not_computed
from engine.exchange.calibration import item_records, referee_records
from engine.exchange.io import csv_text
from engine.exchange.scores import plan_scores, read_score_table, read_scores, said_of
from engine.files import write_whole
from engine.measures.estimate import defined
from engine.shown import counted, estimated

SEED = 0
"""The seed of rank intervals, so that the same file gives the same figures."""
_GAINING = 10
"""Another review is proposed for at most this many items."""


class _FileOrCommand(Group):
    """Everything but the name of a command is a call with a file."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Inserts the hidden command before a file's arguments."""
        if args and args[0] not in {*self.commands, "-h", "--help"}:
            args = ["file", *args]
        return super().parse_args(ctx, args)


@click.group(cls=_FileOrCommand, subcommand_metavar="FILE | synthetic [OPTIONS]")
def calibrate() -> None:
    """Turn noisy review scores into a calibrated ranking with intervals.

    FILE is a CSV or XLSX table, or OpenReview notes as JSON; `rejoinder calibrate FILE --help` lists its options.
    """


@calibrate.command("file", hidden=True)
@click.argument("path", metavar="REVIEWS.csv", type=PATH)
@click.option("--method", default="bayes", help="bayes, gam, bias, normalised, weighted, mean, zscore, mixed, ordinal.")
@click.option("--prior-precision", type=FiniteRange(min=0), help="Lambda of the bias prior. Estimated by default.")
@click.option("--cutoff", type=click.IntRange(min=1), help="Number of items above the cut-off.")
@click.option("--item", help="Item column. Columns that you don't name are guessed.")
@click.option("--referee", help="Referee column.")
@click.option("--score", help="Score column.")
@click.option("--confidence", help="Confidence column; “” for none.")
@click.option("--decimal", type=click.Choice([".", ","]), help="Decimal mark, if the table doesn't show it.")
@click.option(
    "--on", "answers", multiple=True, metavar="KIND=ANSWER", help="What to do with doubtful rows, e.g. duplicate=last."
)
@click.option("--compare", "with_comparison", is_flag=True, help="Compare the chosen method with all others.")
def calibrate_file(
    *,
    path: Path,
    method: str,
    prior_precision: float | None,
    cutoff: int | None,
    decimal: str | None,
    answers: tuple[str, ...],
    with_comparison: bool,
    **columns: str | None,
) -> None:
    """Calibrate the scores in a table.

    Standard error shows how the table was read and what was done about doubtful rows. Exit code 1: a row was left out,
    or nothing can be estimated.
    """
    named = [column for column in columns.values() if column]
    if twice := next((column for column in named if named.count(column) > 1), ""):
        raise not_computed(f"The column “{twice}” is named for two things.", "Name a different column for each.")
    plan = plan_scores(read_score_table(path), {name: column for name, column in columns.items() if column is not None})
    if plan.missing:
        raise BadInput(
            f"Some columns of {path.name} couldn't be recognised.",
            "Nothing was calculated.",
            f"Name them with --{', --'.join(plan.missing)}. The columns are {', '.join(plan.table.columns)}.",
        )
    if plan.question and not decimal:
        raise BadInput(plan.question, "Nothing was calculated.", "Use --decimal . or --decimal ,")
    read = read_scores(plan, pairs(answers, "duplicate=last", "Nothing was calculated."), decimal or "")  # type: ignore[arg-type]
    remark(*said_of(plan))
    reviews = Reviews.of((row.item, row.referee, row.score, row.confidence) for row in read.rows)
    found, _ = fit(reviews, method, prior_precision=prior_precision)
    doubt = rank_doubt(found, np.random.default_rng(SEED), cutoff)
    decided = [f"{p.sentence} Answer: {p.decision}." for p in read.problems]
    warnings = [*plan.table.warnings, *decided, *found.warnings, *decision_limits(found, cutoff)]
    remark(*warnings)
    document = _document(reviews, found, doubt, cutoff)
    document |= {"warnings": warnings, "columns": dict(plan.columns), "unused": list(plan.unused)}
    if with_comparison:
        rows = compare(reviews, found, cutoff, progress=lambda _done, words: remark(f"Comparing: {words}"))
        document["comparison"] = [
            fields(
                row,
                "method title crossings refusal",
                average_log_likelihood=defined(row.average_log_likelihood),
                rank_correlation=defined(row.correlation),
                mean_rank_difference=defined(row.mean_rank_difference),
            )
            for row in rows
        ]
    emit(document)
    _print(document)
    estimated = any(item["score"] is not None for item in document["items"])
    sys.exit(1 if any(p.skipped for p in read.problems) or not estimated else 0)


@calibrate.command()
@click.option("--seed", default=0, type=SEEDS, help="The same seed gives the same reviews.")
@click.option("--items", default=1500, type=click.IntRange(min=1))
@click.option("--referees", default=500, type=click.IntRange(min=1))
@click.option("--per-item", default=3, type=click.IntRange(min=1), help="Reviews per item.")
@click.option("--out", type=FILE, help="Write the reviews to this CSV file.")
def synthetic(*, seed: int, items: int, referees: int, per_item: int, out: Path | None) -> None:
    """Generate reviews with known true scores (IDSIA-25-98, equation 12)."""
    if per_item > referees:
        raise BadInput(
            f"{referees} referees can't give each item {per_item} reviews.", "Nothing was generated.", "Ask for fewer."
        )
    drawn = draw(Design(items=items, referees=referees, per_item=per_item), np.random.default_rng(seed))
    reviews = drawn.reviews
    rows = [
        (reviews.items[i], reviews.referees[r], float(s), float(c))
        for i, r, s, c in zip(reviews.item, reviews.referee, reviews.score, reviews.confidence, strict=True)
    ]
    if out is not None:
        write_whole(out, _csv(rows).encode())
    truth = zip(reviews.referees, drawn.bias, drawn.trust, strict=True)
    emit(
        {
            "seed": seed,
            "items": [
                {"item": name, "true_score": float(value)}
                for name, value in zip(reviews.items, drawn.score, strict=True)
            ],
            "referees": [
                {"referee": name, "true_bias": float(bias), "true_trust": float(trust)} for name, bias, trust in truth
            ],
            "reviews": [dict(zip(("item", "referee", "score", "confidence"), row, strict=True)) for row in rows],
        }
    )
    if out is None:
        say(_csv(rows).removesuffix("\n"))
    else:
        say(f"Wrote {counted(len(rows), 'review')} to {out}")


def _csv(rows: list[tuple[str, str, float, float]]) -> str:
    shown = ((item, referee, f"{score:.6g}", f"{confidence:.6g}") for item, referee, score, confidence in rows)
    return csv_text(shown, ("item", "referee", "score", "confidence"))


def _document(reviews: Reviews, found: Calibration, doubt: RankDoubt, cutoff: int | None) -> dict[str, Any]:
    return {
        "method": found.method,
        "items": [record for _, record in item_records(reviews, found, doubt, cutoff)],
        "referees": referee_records(reviews, found),
        "log_likelihood": defined(float(found.log_likelihood.sum())),
        "intervals_rest_on_prior": found.rests_on_prior,
        "interval": found.interval or None,
        "parameters": {name: defined(value) for name, value in found.parameters.items()},
        "cutoff": cutoff,
    }


def _print_decisions(items: Sequence[dict[str, Any]]) -> None:
    known = [entry for entry in items if entry["decision"]]
    for standing in dict.fromkeys(entry["decision"] for entry in known):
        there = [entry["item"] for entry in known if entry["decision"] == standing]
        say(f"{standing.capitalize()} ({len(there):,}): {', '.join(there)}")
    if gaining := sorted((e for e in known if e["review_gain"] >= SHOWN), key=lambda e: -e["review_gain"])[:_GAINING]:
        say("Another review would help most for:")
    for entry in gaining:
        change, gain = entry["decision_change"], entry["review_gain"]
        after = min(change, 1 - change) - gain  # a change that is more likely than not would be the decision
        say(
            f"  {entry['item']}: {estimated(change)} chance of a different decision, about {estimated(after)} after one"
        )


def _print(document: dict[str, Any]) -> None:
    def shown(value: float | None, form: str = ".2f") -> str:
        return "–" if value is None else format(value, form)

    span = document["interval"] or ""
    say(f"{'rank':>6}  {span:>11}  {'score':>7}  {'sd':>5}  item")
    for entry in document["items"]:
        known = entry["rank_low"] is not None
        span = f"{entry['rank_low']:.0f}–{entry['rank_high']:.0f}" if known else "–"
        say(
            f"{shown(entry['rank'], 'g'):>6}  {span:>11}  {shown(entry['score']):>7}  {shown(entry['sd']):>5}"
            f"  {entry['item']}"
        )
    _print_decisions(document["items"])
    apart = [entry["item"] for entry in document["items"] if entry["reviews_disagree"]]
    if apart:
        say("Reviews disagree more than chance: " + ", ".join(apart))
    flagged = [entry["referee"] for entry in document["referees"] if entry["flagged"]]
    if flagged:
        say("Referees to check: " + ", ".join(flagged))
    for row in document.get("comparison", ()):
        say(
            f"{row['method']:9} log likelihood {shown(row['average_log_likelihood'], '.3f')}, rank correlation"
            f" {shown(row['rank_correlation'], '.3f')}{' – ' + row['refusal'] if row['refusal'] else ''}"
        )
