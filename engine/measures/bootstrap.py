"""Intervals by resampling: percentile bootstrap over clusters (Efron and Tibshirani, 1993, section 13.3)."""

from collections.abc import Callable
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from engine.measures.estimate import FEWEST, NOTHING, Estimate

Floats = NDArray[np.float64]
_SAME = 1e-12
RESAMPLES = 2000
LEVEL = 0.95
SEED = 20240501


def estimate(
    clusters: Floats,
    statistic: Callable[[Floats], Floats],
    *,
    n: int | None = None,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> Estimate:
    """Returns a statistic of the sum of the clusters' contributions, with its 95 % interval.

    ``clusters`` (c, ...) holds each cluster's contribution; pairs of one comment form a cluster, since they aren't
    independent. ``statistic`` maps sums of shape (r, ...) to (r,). Resamples in which it is undefined are left out.
    ``n`` is the number of units to report, by default the number of clusters. With fewer than ``FEWEST`` clusters, or
    if all resamples give the same value, the interval is NaN.
    """
    if not len(clusters):
        return NOTHING
    value, counted = float(statistic(clusters.sum(0)[None])[0]), len(clusters) if n is None else n
    if len(clusters) < FEWEST:
        return Estimate(value, float("nan"), float("nan"), counted)
    # Clusters with equal contributions are one kind: drawing c clusters is one multinomial draw over the kinds.
    flat = clusters.reshape(len(clusters), -1)
    kinds, counts = np.unique(flat, axis=0, return_counts=True)
    generator = np.random.default_rng(seed)
    drawn = generator.multinomial(len(clusters), counts / counts.sum(), size=resamples).astype(np.float64)
    sums = (drawn @ kinds).reshape(resamples, *clusters.shape[1:])
    return with_interval(value, statistic(sums), counted)


def draws(clusters: int, *, resamples: int = RESAMPLES, seed: int = SEED) -> Floats:
    """Returns how often each resample contains each cluster, (resamples, clusters); no resamples for fewer than
    ``FEWEST``."""
    shares = np.full(clusters, 1 / max(clusters, 1))
    found = np.random.default_rng(seed).multinomial(clusters, shares, resamples if clusters >= FEWEST else 0)
    return found.astype(np.float64)


def with_interval(value: float, values: Floats, n: int) -> Estimate:
    """Returns a value with the 95 % interval of its resamples; NaN ends if these are undefined or all equal."""
    values = values[~np.isnan(values)]
    if not len(values) or np.isnan(value) or np.ptp(values) < _SAME:
        return Estimate(value, float("nan"), float("nan"), n)
    edge = 100 * (1 - LEVEL) / 2
    low, high = np.percentile(values, [edge, 100 - edge])
    return Estimate(value, float(low), float(high), n)


def wider(units: int) -> float:
    """Returns the factor by which an interval over few units must be wider than its resamples, as for a sample mean."""
    from scipy.special import ndtri, stdtrit

    return float(stdtrit(units - 1, 0.975) / ndtri(0.975)) * sqrt(units / (units - 1)) if units > 1 else 1.0


def mean(values: Floats, *, seed: int = SEED) -> Estimate:
    clusters = np.column_stack([values, np.ones(len(values))]) if len(values) else np.zeros((0, 2))
    return estimate(clusters, lambda sums: np.asarray(sums[:, 0] / sums[:, 1], dtype=np.float64), seed=seed)
