"""Coefficients of agreement on counts.

Each takes an array of shape (..., k, k) whose last two axes count units (rows: first annotator, columns: second) and
gives one value for each leading index; NaN where it is not defined. So a bootstrap is one call.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
MISSING = -1


def percent(counts: Floats) -> Floats:
    """The share of units on which both say the same, 0..1."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.trace(counts, axis1=-2, axis2=-1) / counts.sum((-2, -1)), dtype=np.float64)


def kappa(counts: Floats) -> Floats:
    """Cohen's kappa (Cohen, 1960, equation 1): (observed - expected) / (1 - expected), the expectation from both
    annotators' own shares. NaN where both say one and the same thing always.
    """
    total = counts.sum((-2, -1))
    with np.errstate(invalid="ignore", divide="ignore"):
        expected = (counts.sum(-1) * counts.sum(-2)).sum(-1) / total**2
    return _beyond(percent(counts), expected)


def ac1(counts: Floats) -> Floats:
    """Gwet's AC1 (Gwet, 2008, section 3): as kappa, but chance is sum of pi (1 - pi) / (k - 1) with the mean shares pi,
    so that rare labels do not drive it to zero.
    """
    total = counts.sum((-2, -1))
    k = counts.shape[-1]
    with np.errstate(invalid="ignore", divide="ignore"):
        share = (counts.sum(-1) + counts.sum(-2)) / 2 / total[..., None]
    return _beyond(percent(counts), (share * (1 - share)).sum(-1) / (k - 1))


def alpha(coincidences: Floats) -> Floats:
    """Krippendorff's alpha for nominal labels (Krippendorff, 2011, section C) from a matrix of coincidences."""
    margins = coincidences.sum(-1)
    total = margins.sum(-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        observed = 1 - np.trace(coincidences, axis1=-2, axis2=-1) / total
        expected = (total**2 - (margins**2).sum(-1)) / (total * (total - 1))
        return np.asarray(np.where(expected > 0, 1 - observed / expected, np.nan), dtype=np.float64)


def coincidences(labels: Ints, k: int) -> Floats:
    """Coincidence matrices (n, k, k) of n units labelled by m annotators, ``labels`` (n, m) in 0..k-1 or ``MISSING``.

    A unit with v labels adds each of its ordered pairs 1 / (v - 1) times; one with a single label adds nothing.
    """
    counts = (labels[:, :, None] == np.arange(k)).sum(1).astype(np.float64)
    present = counts.sum(1)
    pairs = counts[:, :, None] * counts[:, None, :]
    index = np.arange(k)
    pairs[:, index, index] -= counts
    weight = np.divide(1.0, present - 1, out=np.zeros_like(present), where=present > 1)
    return np.asarray(pairs * weight[:, None, None], dtype=np.float64)


def _beyond(observed: Floats, expected: Floats) -> Floats:
    with np.errstate(invalid="ignore", divide="ignore"):
        room = 1 - expected
        value = np.where(room > 1e-12, (observed - expected) / room, np.nan)
    return np.asarray(value, dtype=np.float64)
