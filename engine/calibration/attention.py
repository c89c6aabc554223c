"""Who and what needs a look: weak referees, and items where another review would help most."""

from __future__ import annotations

import numpy as np

from engine.calibration.records import Bools, Calibration, Floats, Ints, Reviews

WEAK_REVIEWS = 2
"""Fewer reviews than this cannot show that a referee is weak."""
LEAST_EXCESS = 3.0


def item_log_likelihood(reviews: Reviews, calibration: Calibration) -> Floats:
    """The average over each item's reviews, (I,), in nats: where it is low, another review helps most (IDSIA-25-98,
    section 5). NaN without a review."""
    return _average(reviews.per_item(calibration.log_likelihood), reviews.reviews_per_item)


def referee_log_likelihood(reviews: Reviews, calibration: Calibration) -> Floats:
    """The average over each referee's reviews, (R,), in nats. NaN without a review."""
    return _average(reviews.per_referee(calibration.log_likelihood), reviews.reviews_per_referee)


def _average(total: Floats, count: Ints) -> Floats:
    average = np.full(len(total), np.nan)
    np.divide(total, count, out=average, where=count > 0)
    return average


def weak_referees(reviews: Reviews, calibration: Calibration) -> Bools:
    """Referees, (R,), whose own noise explains more of their scores' variance than three times the median referee's
    whole review variance, over two reviews or more. Nobody is flagged by methods that know no trust, or where too few
    reviews repeat an item."""
    if calibration.rests_on_prior or np.isnan(calibration.noise).all():
        return np.zeros(len(reviews.referees), dtype=np.bool_)
    typical = float(np.nanmedian(calibration.noise[reviews.referee] + 1.0 / reviews.confidence))
    return (reviews.reviews_per_referee >= WEAK_REVIEWS) & (np.nan_to_num(calibration.noise) > LEAST_EXCESS * typical)


def disagreement(reviews: Reviews, calibration: Calibration) -> Floats:
    """For each item, (I,): half the mean squared residual of its reviews, each in units of its own variance (nats a
    review); 0 for items without a review. High values say where another review would settle most.
    """
    squared = np.nan_to_num(calibration.residual**2 * calibration.weight)
    return np.asarray(0.5 * reviews.per_item(squared) / np.maximum(reviews.reviews_per_item, 1))
