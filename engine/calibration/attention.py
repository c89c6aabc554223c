"""Who and what needs a look: weak referees, and items whose reviews disagree."""

import numpy as np

from engine.calibration.records import Bools, Calibration, Floats, Ints, Reviews

WEAK_REVIEWS = 2
"""Fewer reviews than this cannot show that a referee is weak."""
LEAST_EXCESS = 3.0
FALSE_DISCOVERIES = 0.1
"""Of the items that are said to have disagreeing reviews at most this share is expected to differ by chance alone."""
_TYPICAL = 4.0
"""How many reviews' worth the median referee's noise counts beside what a referee's other reviews show."""


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
    typical = float(np.nanmedian(calibration.noise[reviews.referee] + _stated(reviews, calibration)))
    return (reviews.reviews_per_referee >= WEAK_REVIEWS) & (np.nan_to_num(calibration.noise) > LEAST_EXCESS * typical)


def _stated(reviews: Reviews, calibration: Calibration) -> Floats:
    """The part of each review's variance, (N,), that the referee's confidence states."""
    return calibration.parameters.get("confidence_scale", 1.0) / reviews.confidence


def disagreement(reviews: Reviews, calibration: Calibration) -> Floats:
    """For each item, (I,): half the mean squared residual of its reviews, each in units of its own variance (nats a
    review); 0 for items without a review."""
    squared = np.nan_to_num(calibration.residual**2 * calibration.weight)
    return np.asarray(0.5 * reviews.per_item(squared) / np.maximum(reviews.reviews_per_item, 1))


def disagreeing(reviews: Reviews, calibration: Calibration) -> Bools:
    """Items, (I,), one of whose reviews differs from the item's others by more than chance.

    Each review is compared with what its referee's other reviews say of strictness and noise, and with the item's other
    reviews; the chances (Student's t) are corrected for the number of reviews of an item (Bonferroni) and of items
    (Benjamini and Hochberg 1995). None where the method knows no noise, or where the intervals rest on the prior.
    """
    from scipy.special import stdtr

    found = np.zeros(len(reviews.items), dtype=np.bool_)
    if calibration.rests_on_prior or np.isnan(calibration.noise).all():
        return found
    referee, own, tied = reviews.referee, _stated(reviews, calibration), ~np.isnan(calibration.bias)

    def others(values: Floats, *, of_item: bool = False) -> Floats:
        """What the other reviews of each review's referee (or item) have in sum, (N,)."""
        return (reviews.per_item(values)[reviews.item] if of_item else reviews.per_referee(values)[referee]) - values

    weight = 1.0 / (calibration.noise[referee] + own)
    error = calibration.residual + calibration.bias[referee]  # in the method's own unit
    spread = float(np.var(calibration.bias[tied]) + np.mean(calibration.bias_sd[tied] ** 2))
    precision = 1.0 / max(spread, 1e-9) + others(weight)
    debiased = error - others(weight * error) / precision
    excess = np.maximum(calibration.residual**2 - own, 0.0)
    freedom = _TYPICAL + others(np.ones(len(reviews)))
    noise = (_TYPICAL * float(np.nanmedian(calibration.noise[referee])) + others(excess)) / freedom
    variance = noise + own + 1.0 / precision
    rest = others(1.0 / variance, of_item=True)
    several = reviews.reviews_per_item[reviews.item] > 1
    with np.errstate(divide="ignore", invalid="ignore"):
        apart = debiased - others(debiased / variance, of_item=True) / rest
        chance = np.where(several, 2.0 * stdtr(freedom, -np.abs(apart) / np.sqrt(variance + 1.0 / rest)), np.nan)
    least = np.full(len(found), np.nan)
    np.fmin.at(least, reviews.item, chance)
    least *= reviews.reviews_per_item
    order = np.argsort(least, kind="stable")  # what is not known comes last
    enough = least[order] <= FALSE_DISCOVERIES * np.arange(1, len(order) + 1) / max(1, np.isfinite(least).sum())
    found[order[: int(np.flatnonzero(enough)[-1]) + 1 if enough.any() else 0]] = True
    return found
