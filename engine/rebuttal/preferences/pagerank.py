"""PageRank on the preference graph, as JitsuPeer ranks its candidates, with bootstrap intervals.

Purkayastha, Lauscher and Gurevych (2023), "Exploring Jiu-Jitsu Argumentation for Writing Peer Review Rebuttals": an
edge of weight 0.5 leads from the preferred candidate to the other one, and the candidate with the lowest score is the
canonical one. The walk follows edges from preferred to less preferred, so a candidate that is never the less preferred
one collects the least. Brin and Page (1998): damping 0.85; from a candidate without outgoing edges the walk jumps to
any candidate.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from engine.rebuttal.preferences.records import EDGES, Comparison, Floats, RankDoubt

DAMPING, WEIGHT = 0.85, 0.5
RESAMPLES = 400
_TOLERANCE, _MOST_STEPS = 1e-12, 500


def pagerank(n: int, comparisons: Sequence[Comparison]) -> Floats:
    """Returns scores (n,) that sum to 1; lower is more canonical. Ties add no edge, and a repeated preference is still
    one edge, as in the paper's graph."""
    winners, losers = _edges(comparisons)
    counts = np.ones((1, len(winners)))
    return np.asarray(ranks(n, winners, losers, counts)[0], dtype=np.float64)


def pagerank_interval(
    n: int, comparisons: Sequence[Comparison], generator: np.random.Generator
) -> tuple[Floats, Floats, RankDoubt]:
    """Returns the lower and upper bounds of the scores' 95 % intervals (n,), and the intervals of the ranks.

    Percentile bootstrap over judgements (Efron and Tibshirani, 1993, section 13.3). Without judgements the score
    interval is 0..1, and every item may have every rank.
    """
    if not comparisons or not n:
        return np.zeros(n), np.ones(n), RankDoubt(np.ones(n), np.full(n, float(n)), np.full(n, 1 / max(n, 1)))
    winners, losers = _edges(comparisons)
    m = len(comparisons)
    drawn = generator.multinomial(m, np.full(m, 1 / m), size=RESAMPLES).astype(np.float64)
    found = ranks(n, winners, losers, drawn[:, [c.winner is not None for c in comparisons]])
    low, high = np.percentile(found, EDGES, axis=0)
    return low, high, RankDoubt.of(found)


def _edges(comparisons: Sequence[Comparison]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    decided = [c for c in comparisons if c.winner is not None]
    winners = [c.left if c.winner == 0 else c.right for c in decided]
    losers = [c.right if c.winner == 0 else c.left for c in decided]
    return np.array(winners, dtype=np.int64), np.array(losers, dtype=np.int64)


def ranks(n: int, winners: NDArray[np.int64], losers: NDArray[np.int64], counts: Floats) -> Floats:
    """Returns the scores (b, n) of b graphs at once; ``counts`` (b, m) says how often each preference occurs in each.

    All graphs form one block-diagonal matrix, so a bootstrap is one power iteration.
    """
    from scipy.sparse import csr_array

    b = len(counts)
    if not n:
        return np.zeros((b, 0))
    graph, preference = np.nonzero(counts > 0)
    source = graph * n + winners[preference]
    target = graph * n + losers[preference]
    links = csr_array((np.full(len(source), WEIGHT), (target, source)), shape=(b * n, b * n))
    links.sum_duplicates()
    links.data[:] = WEIGHT
    out = np.asarray(links.sum(axis=0)).ravel()
    dangling = out == 0
    scale = np.where(dangling, 0.0, 1 / np.where(dangling, 1.0, out))
    found = np.full(b * n, 1 / n)
    for _ in range(_MOST_STEPS):
        lost = np.where(dangling, found, 0.0).reshape(b, n).sum(1)
        following = DAMPING * (links @ (found * scale))
        following += np.repeat((1 - DAMPING + DAMPING * lost) / n, n)
        change = np.abs(following - found).reshape(b, n).sum(1).max()
        found = following
        if change < _TOLERANCE:
            break
    return np.asarray(found.reshape(b, n), dtype=np.float64)
