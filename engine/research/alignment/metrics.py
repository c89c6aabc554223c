"""How well links agree with gold links: the measures of ARIES (D'Arcy et al. 2024, section 5.2), and what people feel.

All arrays are (comments, edits) of one paper. ``known`` is False for pairs that are left out of scoring, as positives
and as negatives (readers did not agree, or nobody looked).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from engine.research.rebuttal import text_metrics

Matrix = NDArray[np.float64]
Mask = NDArray[np.bool_]
Tally = NDArray[np.int64]
"""(comments, 3): pairs rightly said, wrongly said, missed."""

Over = Literal["papers", "comments"]
Empty = Literal["full", "left-out"]
"""A comment with nothing to count: precision without a said link, recall without a true one, F1 without either count
as 1 ("full", as ARIES has it), or the comment is left out of that mean."""


@dataclass(frozen=True, slots=True)
class Scores:
    """Precision, recall and F1, 0 to 1."""

    precision: float
    recall: float
    f1: float


def tally(said: Mask, gold: Mask, known: Mask) -> Tally:
    said, gold = said & known, gold & known
    return np.stack([(said & gold).sum(1), (said & ~gold).sum(1), (gold & ~said).sum(1)], axis=1)


def f1(right: float, wrong: float, missed: float) -> float:
    """F1 of counts; 0 where there is nothing to count."""
    whole = 2 * right + wrong + missed
    return 2 * right / whole if whole else 0.0


def micro(tallies: Tally) -> Scores:
    right, wrong, missed = (int(count) for count in tallies.sum(axis=0))
    return Scores(
        right / (right + wrong) if right + wrong else 0.0,
        right / (right + missed) if right + missed else 0.0,
        f1(right, wrong, missed),
    )


def macro(tallies: Tally, empty: Empty = "full") -> Scores:
    """Mean over comments. (ARIES says "by paper"; its footnote, appendix F and published code average over comments.)

    With "full" a comment without links that gets none scores 1, so that an aligner that never links anything looks
    good where many comments have no edit; "left-out" shows the difference.
    """
    right, wrong, missed = tallies.T
    said, true = right + wrong, right + missed

    def mean(part: NDArray[np.int64], whole: NDArray[np.int64]) -> float:
        there = whole > 0
        values = np.ones(len(part))
        values[there] = part[there] / whole[there]
        chosen = values if empty == "full" else values[there]
        return float(chosen.mean()) if chosen.size else 0.0

    return Scores(mean(right, said), mean(right, true), mean(2 * right, said + true))


def exact(tallies: Tally) -> float:
    """Share of comments whose links are all right and complete."""
    return float((tallies[:, 1:].sum(axis=1) == 0).mean()) if len(tallies) else 0.0


def recall_at(scores: Matrix, gold: Mask, known: Mask, k: int) -> NDArray[np.float64]:
    """Share of a comment's edits among its first ``k``, for every comment that has links.

    A comment with more than ``k`` edits cannot reach 1; ``recall_ceiling`` says what is possible.
    """
    order = np.argsort(-np.where(known, scores, -np.inf), axis=1, kind="stable")[:, :k]
    true = gold & known
    found = np.take_along_axis(true, order, axis=1).sum(axis=1)
    linked = true.any(axis=1)
    shares: NDArray[np.float64] = found[linked] / true[linked].sum(axis=1)
    return shares


def recall_ceiling(gold: Mask, known: Mask, k: int) -> NDArray[np.float64]:
    """The highest recall at ``k`` that any ranking can reach, for every comment that has links."""
    count = (gold & known).sum(axis=1)
    count = count[count > 0]
    highest: NDArray[np.float64] = np.minimum(count, k) / count
    return highest


def average_precision(scores: Matrix, gold: Mask, known: Mask) -> float:
    """Mean precision at every true pair, all pairs of the paper in one ranking; 0 without a true pair."""
    return text_metrics.average_precision(text_metrics.ranked(scores[known], gold[known]))


def best_threshold(papers: Sequence[tuple[Matrix, Mask, Mask]]) -> float:
    """The threshold with the highest micro-F1 over the pairs of all papers, each (scores, gold, known); "said" is at or
    above it, half way to the next lower score (ARIES, appendix E.1). Raises ValueError without papers.
    """
    pool = np.concatenate([scores[known] for scores, _, known in papers])
    true = np.concatenate([gold[known] for _, gold, known in papers])
    order = np.argsort(-pool, kind="stable")
    pool, right = pool[order], np.cumsum(true[order])
    last = np.append(pool[1:] < pool[:-1], values=True)  # equal scores are said together
    merit = np.where(last, 2 * right / (np.arange(1, len(pool) + 1) + true.sum()), -1.0)
    best = int(np.argmax(merit))
    below = pool[best + 1 :][:1]
    return float((pool[best] + below[0]) / 2 if np.isfinite(below).any() else pool[best])


def interval(
    groups: Sequence[NDArray[np.float64]] | Sequence[Tally],
    measure: Callable[[NDArray[np.float64]], float],
    *,
    over: Over,
    rng: np.random.Generator,
    samples: int = 1000,
) -> tuple[float, float]:
    """95 % of the bootstrap distribution of a measure over stacked rows.

    ``groups`` holds the rows of each paper. Drawn are papers, or comments within the pool of all; with few papers the
    interval over papers says little, and the one over comments takes the papers for given.
    """
    if not sum(len(group) for group in groups):
        return 0.0, 0.0
    pool = np.concatenate(list(groups))
    found = []
    for _ in range(samples):
        if over == "papers":
            drawn = np.concatenate([groups[at] for at in rng.integers(0, len(groups), len(groups))])
        else:
            drawn = pool[rng.integers(0, len(pool), len(pool))]
        found.append(measure(drawn) if len(drawn) else 0.0)
    low, high = np.quantile(found, [0.025, 0.975])
    return float(low), float(high)
