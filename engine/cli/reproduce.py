"""``rejoinder reproduce``: computes published tables again."""

from __future__ import annotations

import sys
from typing import Any

import click

from engine.cli.output import emit, fields, json_option, remark
from engine.cli.reproduce_alignment import alignment
from engine.cli.reproduce_rebuttal import rebuttal
from engine.cli.reproduce_similarity import similarity


@click.group()
def reproduce() -> None:
    """Compute published tables again, beside the published figures."""


reproduce.add_command(alignment)
reproduce.add_command(rebuttal)
reproduce.add_command(similarity)


@reproduce.command("calibration-table-1")
@click.option("--seeds", default=20, show_default=True, type=click.IntRange(1, 1000), help="Draws; seeds 0, 1, 2...")
@json_option
def calibration_table_1(seeds: int, as_json: bool) -> None:
    """Score calibration on synthetic reviews: table 1 of IDSIA-25-98, and the improved model as e).

    1,500 items, 500 referees, 4,500 reviews a draw. Exit 1 where the published order d < c < a < b does not hold.
    """
    from engine.research.calibration import table_one

    rows = table_one(range(seeds), progress=lambda done: remark(f"{round(done * seeds)} of {seeds} draws"))
    by_name = {row.configuration: row.difference.mean for row in rows}
    ordered = by_name["d"] < by_name["c"] < by_name["a"] < by_name["b"]
    if as_json:
        shown = [
            fields(
                row, "title average_log_likelihood", strategy=row.configuration, published=_difference(row.published)
            )
            | (_difference(row.difference) or {})
            for row in rows
        ]
        emit({"seeds": seeds, "published_order_holds": ordered, "rows": shown})
    else:
        click.echo(f"{'':36} log lik.   absolute rank difference      published\n{'':36} a review    mean    RMS   max")
        for row in rows:
            d, p = row.difference, row.published
            printed = "" if p is None else f"{p.mean:12.1f} {p.rms:6.1f} {p.maximum:5.0f}"
            click.echo(
                f"{row.configuration}) {row.title:33} {row.average_log_likelihood:8.3f}"
                f" {d.mean:7.1f} {d.rms:6.1f} {d.maximum:5.0f}{printed}"
            )
        click.echo("The published order d < c < a < b " + ("holds." if ordered else "does NOT hold."))
    sys.exit(0 if ordered else 1)


def _difference(found: Any) -> dict[str, Any] | None:
    return None if found is None else fields(found, "mean rms", max=found.maximum)
