"""What many drawn or resampled scores say of ranks."""

from __future__ import annotations

import numpy as np

from engine.rebuttal.preferences.records import Floats, RankDoubt

LEVEL = 0.95
EDGES = (50 * (1 - LEVEL), 50 * (1 + LEVEL))
"""Percentiles between which 95 % lie."""
_EQUAL = 1e-9


def doubt_of(scores: Floats) -> RankDoubt:
    """Ranks of n items by each of d scores (d, n), lower being better; equal scores share ranks and first place."""
    draws, n = scores.shape
    order = np.sort(scores, axis=1)
    below = np.empty(scores.shape)
    among = np.empty(scores.shape)
    for row in range(draws):  # a row at a time: (d, n, n) would not fit for a thousand items
        below[row] = np.searchsorted(order[row], scores[row] - _EQUAL, side="right")
        among[row] = np.searchsorted(order[row], scores[row] + _EQUAL, side="right")
    low = np.percentile(below + 1, EDGES[0], axis=0, method="nearest")
    high = np.percentile(among, EDGES[1], axis=0, method="nearest")
    first = below == 0
    best = (first / np.maximum(first.sum(1, keepdims=True), 1)).mean(0) if n else np.zeros(0)
    return RankDoubt(
        np.asarray(low, dtype=np.float64), np.asarray(high, dtype=np.float64), np.asarray(best, dtype=np.float64)
    )
