"""Agreement of links with gold links: the measures of ARIES (D'Arcy et al. 2024, section 5.2), and further ones.

All arrays are (comments, edits) of one paper. ``known`` is False for pairs excluded from scoring, both as positives and
negatives (annotators disagreed, or nobody checked).
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
"""(comments, 3): pairs linked correctly, linked wrongly, missed."""

Over = Literal["papers", "comments"]
Empty = Literal["full", "left-out"]
"""How comments with an empty count are treated (precision without predicted links, recall without true ones, F1 without
either): as 1 ("full", as in ARIES), or excluded from that mean."""


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
    """Returns F1 from counts; 0 if all are 0."""
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
    """Averages over comments. (ARIES says "by paper", but its footnote, appendix F and published code average over
    comments.) With "full", a comment without links and without predictions scores 1, so an aligner that never links
    anything looks good if many comments have no edit; "left-out" shows the difference."""
    right, wrong, missed = tallies.T
    said, true = right + wrong, right + missed

    def mean(part: NDArray[np.int64], whole: NDArray[np.int64]) -> float:
        values = _shares(part, whole)
        chosen = values if empty == "full" else values[whole > 0]
        return float(chosen.mean()) if chosen.size else 0.0

    return Scores(mean(right, said), mean(right, true), mean(2 * right, said + true))


def f1_of_each(tallies: Tally) -> NDArray[np.float64]:
    """Returns each comment's F1, whose mean is that of ``macro``."""
    return _shares(2 * tallies[:, 0], 2 * tallies[:, 0] + tallies[:, 1] + tallies[:, 2])


def _shares(part: NDArray[np.int64], whole: NDArray[np.int64]) -> NDArray[np.float64]:
    there = whole > 0
    values = np.ones(len(part))
    values[there] = part[there] / whole[there]
    return values


def exact(tallies: Tally) -> float:
    """Returns the share of comments whose links are exactly right."""
    return float((tallies[:, 1:].sum(axis=1) == 0).mean()) if len(tallies) else 0.0


def recall_at(scores: Matrix, gold: Mask, known: Mask, k: int) -> NDArray[np.float64]:
    """Returns the share of a comment's edits among its first ``k``, for each comment with links. Comments with more
    than ``k`` edits can't reach 1; see ``recall_ceiling``."""
    order = np.argsort(-np.where(known, scores, -np.inf), axis=1, kind="stable")[:, :k]
    true = gold & known
    found = np.take_along_axis(true, order, axis=1).sum(axis=1)
    linked = true.any(axis=1)
    shares: NDArray[np.float64] = found[linked] / true[linked].sum(axis=1)
    return shares


def recall_ceiling(gold: Mask, known: Mask, k: int) -> NDArray[np.float64]:
    """Returns the highest possible recall at ``k``, for each comment with links."""
    count = (gold & known).sum(axis=1)
    count = count[count > 0]
    highest: NDArray[np.float64] = np.minimum(count, k) / count
    return highest


def average_precision(scores: Matrix, gold: Mask, known: Mask) -> float:
    """Returns the mean precision at each true pair, with all pairs of the paper in one ranking; 0
    without true pairs."""
    return text_metrics.average_precision(text_metrics.ranked(scores[known], gold[known]))


def best_threshold(papers: Sequence[tuple[Matrix, Mask, Mask]]) -> float:
    """Returns the threshold with the highest micro-F1 over the pairs of all papers, each (scores, gold, known). It lies
    halfway between the lowest linked score and the next lower one (ARIES, appendix E.1). Raises ValueError without
    papers."""
    pool = np.concatenate([scores[known] for scores, _, known in papers])
    true = np.concatenate([gold[known] for _, gold, known in papers])
    order = np.argsort(-pool, kind="stable")
    pool, right = pool[order], np.cumsum(true[order])
    last = np.append(pool[1:] < pool[:-1], values=True)  # equal scores are linked together
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
    """Returns the 95 % interval of the bootstrap distribution of a measure over stacked rows.

    ``groups`` has the rows of each paper. Either papers are drawn, or comments from all papers together. With few
    papers, the interval over papers is unreliable; the one over comments treats the papers as fixed.
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
