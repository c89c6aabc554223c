"""``rejoinder reproduce``: computes published tables again."""

from __future__ import annotations

import sys

import click

from engine.cli.output import emit, remark
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
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def calibration_table_1(seeds: int, as_json: bool) -> None:
    """Score calibration on synthetic reviews: table 1 of IDSIA-25-98, and the improved model as e).

    1,500 items, 500 referees, 4,500 reviews a draw, by eq. (12), and by three generators that break its assumptions.
    Exit 1 where the published order d < c < a < b of the mean rank differences does not hold.
    """
    from typing import get_args

    from engine.calibration.synthetic import Break, Design
    from engine.research.calibration import MEASURES, PRINTED_LESS, table_one

    kinds = get_args(Break)
    rows = {}
    for kind in kinds:
        remark(f"Generator: {kind}" if kind != "none" else "Generator: as printed")
        rows[kind] = table_one(
            range(seeds), Design(breaks=kind), lambda done: remark(f"{round(done * seeds)} of {seeds} draws")
        )
    by_name = {row.configuration: row.mean[1] for row in rows["none"]}
    ordered = by_name["d"] < by_name["c"] < by_name["a"] < by_name["b"]
    if as_json:
        emit(
            {
                "seeds": seeds,
                "published_order_holds": ordered,
                "printed_log_likelihoods_are_lower_by": PRINTED_LESS,
                "rows": [
                    {
                        "generator": kind,
                        "strategy": row.configuration,
                        "title": row.title,
                        **dict(zip(MEASURES, row.mean, strict=True)),
                        "spread": dict(zip(MEASURES, row.spread, strict=True)),
                        "published": row.published and dict(zip(MEASURES, row.published, strict=True)),
                    }
                    for kind, table in rows.items()
                    for row in table
                ],
            }
        )
    else:
        for kind, table in rows.items():
            click.echo(f"\nGenerator: {'eq. (12)' if kind == 'none' else kind}; ± is the spread over {seeds} draws")
            click.echo(f"{'':36} log-likelihood        absolute rank difference of the items\n{'':36} of a review"
                       f"{'mean':>17}{'RMS':>15}{'maximum':>13}")  # fmt: skip
            for row in table:
                cells = [f"{row.mean[0]:8.3f} ± {row.spread[0]:.3f}"]
                cells += [
                    f"{mean:7.1f} ± {spread:.1f}" for mean, spread in zip(row.mean[1:], row.spread[1:], strict=True)
                ]
                click.echo(f"{row.configuration}) {row.title:33}" + "  ".join(cells))
                if row.published:
                    printed = (
                        f"{row.published[0]:8.3f}        ",
                        *(f"{value:7.1f}      " for value in row.published[1:]),
                    )
                    click.echo(f"{'   printed':36}" + "  ".join(printed))
        click.echo(f"\nThe printed log-likelihoods are lower by a constant, about {PRINTED_LESS:.2f} (half ln 2 pi).")
        click.echo("The published order d < c < a < b " + ("holds." if ordered else "does NOT hold."))
    sys.exit(0 if ordered else 1)
