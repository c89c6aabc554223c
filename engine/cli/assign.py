"""``rejoinder assign``: reviewers for every paper, from similarity scores and loads."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from engine.cli.output import FILE, PATH, emit, json_option, refuse_input, remark
from engine.shown import counted

if TYPE_CHECKING:
    from engine.expertise.assignment import Method


@click.command()
@click.option("--scores", type=PATH, required=True, help="paper,reviewer,score, as “similarity score” writes it.")
@click.option("--loads", type=PATH, required=True, help="reviewer,load: the most papers each reviewer takes.")
@click.option("--conflicts", type=PATH, help="paper,reviewer: pairs that must not be assigned.")
@click.option("--bids", type=PATH, help="paper,reviewer,bid: yes, maybe, no and the like, or -1 to 1.")
@click.option("--method", type=click.Choice(["total", "fair"]), default="total", show_default=True,
              help="Highest total score, or the best for the worst-off paper (PeerReview4All).")  # fmt: skip
@click.option("--reviewers", type=click.IntRange(min=1), default=3, show_default=True, help="Reviewers per paper.")
@click.option("--out", type=FILE, help="Write paper,reviewer,score there: .csv (without header) or .parquet.")
@json_option
def assign(
    *,
    scores: Path,
    loads: Path,
    conflicts: Path | None,
    bids: Path | None,
    method: Method,
    reviewers: int,
    out: Path | None,
    as_json: bool,
) -> None:
    """Assign reviewers to papers.

    Only pairs with a score are assigned. Exit code 1: a paper got fewer reviewers than it needs.
    """
    import numpy as np

    from engine.exchange.assignment_files import read_problem
    from engine.exchange.venue import check_out, write_scores
    from engine.expertise.assignment import assign as solve
    from engine.expertise.scale import Block

    if out:
        check_out(out)
        refuse_input(out)
    started = time.perf_counter()
    problem = read_problem(scores, loads, conflicts, bids)
    found = solve(problem.scores, np.full(len(problem.papers), reviewers), problem.loads, method)
    rows, columns = np.nonzero(found.chosen)
    pairs = [
        {
            "paper": problem.papers[row],
            "reviewer": problem.reviewers[column],
            "score": float(problem.scores[row, column]),
        }
        for row, column in zip(rows, columns, strict=True)
    ]
    sums = np.where(found.chosen, problem.scores, 0.0).sum(1)
    means = [total / count if count else -np.inf for total, count in zip(sums, found.chosen.sum(1), strict=True)]
    worst = int(np.argmin(means))
    warnings = list(problem.warnings)
    if short := int((found.short > 0).sum()):
        warnings.append(f"{counted(short, 'paper')} got fewer than {counted(reviewers, 'reviewer')}.")
    document = {
        "method": method,
        "pairs": pairs,
        "total_score": float(sums.sum()),
        "worst_paper": {"paper": problem.papers[worst], "score": float(sums[worst])},
        "loads": dict(zip(problem.reviewers, found.chosen.sum(0).tolist(), strict=True)),
        "short": {problem.papers[at]: int(found.short[at]) for at in np.nonzero(found.short)[0]},
        "seconds": round(time.perf_counter() - started, 3),
        "warnings": warnings,
    }
    remark(*warnings)
    if out:
        block = Block(rows.astype(np.int32), columns.astype(np.int32), problem.scores[found.chosen].astype(np.float32))
        write_scores(out, problem.papers, problem.reviewers, [block])
    if as_json:
        emit(document)
    else:
        click.echo(
            f"{counted(len(pairs), 'pair')}, total score {sums.sum():.3f}; worst paper: {problem.papers[worst]}, "
            f"{sums[worst]:.3f}."
        )
        if not out:
            for pair in pairs:
                click.echo(f"{pair['paper']}\t{pair['reviewer']}\t{pair['score']:.3f}")
    sys.exit(1 if short else 0)
