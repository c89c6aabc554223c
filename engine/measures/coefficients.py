"""Coefficients of agreement on counts.

Each takes an array of shape (..., k, k) whose last two axes count units (rows: first annotator, columns: second) and
gives one value for each leading index; NaN where it is not defined. So a bootstrap is one call.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from engine.measures import bootstrap
from engine.measures.estimate import Estimate, supported

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
    return beyond(percent(counts), expected)


def ac1(counts: Floats) -> Floats:
    """Gwet's AC1 (Gwet, 2008, section 3): as kappa, but chance is sum of pi (1 - pi) / (k - 1) with the mean shares pi,
    so that rare labels do not drive it to zero.
    """
    total = counts.sum((-2, -1))
    k = counts.shape[-1]
    with np.errstate(invalid="ignore", divide="ignore"):
        share = (counts.sum(-1) + counts.sum(-2)) / 2 / total[..., None]
    return beyond(percent(counts), (share * (1 - share)).sum(-1) / (k - 1))


def alpha(coincidences: Floats) -> Floats:
    """Krippendorff's alpha for nominal labels (Krippendorff, 2011, section C) from a matrix of coincidences."""
    margins = coincidences.sum(-1)
    total = margins.sum(-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        observed = 1 - np.trace(coincidences, axis1=-2, axis2=-1) / total
        expected = (total**2 - (margins**2).sum(-1)) / (total * (total - 1))
        return np.asarray(np.where(expected > 0, 1 - observed / expected, np.nan), dtype=np.float64)


def nominal_kappa(pairs: Sequence[tuple[str, str]]) -> Estimate:
    """Cohen's kappa of pairs of labels, one pair a unit, with its interval (neither under ``FEWEST`` units)."""
    names = sorted({name for pair in pairs for name in pair})
    at = {name: index for index, name in enumerate(names)}
    counts = np.zeros((len(pairs), len(names), len(names)))
    for row, (one, two) in enumerate(pairs):
        counts[row, at[one], at[two]] = 1
    return supported(bootstrap.estimate(counts, kappa), len(pairs))


def beyond(observed: Floats, expected: Floats) -> Floats:
    """(observed - expected) / (1 - expected); NaN where chance alone explains all."""
    with np.errstate(invalid="ignore", divide="ignore"):
        room = 1 - expected
        value = np.where(room > 1e-12, (observed - expected) / room, np.nan)
    return np.asarray(value, dtype=np.float64)
