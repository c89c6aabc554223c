"""What needs a look: weak referees, items whose reviews disagree, and decisions at a cut-off that are not safe."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from engine.calibration.ranking import RankDoubt
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
    whole review variance, over two reviews or more. Nobody is flagged by methods that know no trust, by the likeliest
    trusts alone, which lie that far apart for equal referees, or where too few reviews repeat an item."""
    if calibration.likeliest or calibration.rests_on_prior or np.isnan(calibration.noise).all():
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


Standing = Literal["safe accept", "borderline", "safe reject"]
SAFE = 0.05
"""A decision is safe whose chance to be another one, were the true scores known, is at most this."""
SHOWN = 0.01
"""People are not shown smaller gains."""
_NODES = 40


@dataclass(frozen=True, slots=True, eq=False)
class Decisions:
    """By item, (I,): the chance that the true scores decide otherwise, what is said of it, and by how much another
    review is expected to lower that chance. NaN and None where the chance is not known."""

    change: Floats
    standing: tuple[Standing | None, ...]
    gain: Floats


def decide(reviews: Reviews, fit: Calibration, doubt: RankDoubt, cutoff: int) -> Decisions:
    """The first ``cutoff`` items are accepted, of equal ones those that the table names first. The chance to change
    comes from the draws behind ``doubt.above``, whose error is up to 0.5/sqrt(draws); the gain takes the next review to
    be as precise as the median of those there are."""
    accepted = np.zeros(len(fit.score), dtype=np.bool_)
    accepted[np.argsort(-fit.score, kind="stable")[:cutoff]] = True
    above = doubt.above
    change = np.where(accepted, 1.0 - above, above)
    standing: list[Standing | None] = []
    for yes, chance in zip(accepted, change, strict=True):
        safe: Standing = "safe accept" if yes else "safe reject"
        standing.append(None if np.isnan(chance) else safe if chance <= SAFE else "borderline")
    return Decisions(change, tuple(standing), _gain(reviews, fit, above))


def _gain(reviews: Reviews, fit: Calibration, above: Floats) -> Floats:
    """How much the chance of a wrong decision is expected to fall with one more review: with normal beliefs the mean
    moves by a known spread, and the rest of the variance stays (pre-posterior analysis, Raiffa and Schlaifer 1961)."""
    from scipy.special import ndtr, ndtri

    next_review = float(np.median(1.0 / fit.weight + np.nan_to_num(fit.bias_sd[reviews.referee]) ** 2))
    variance = fit.score_sd**2
    moved = np.sqrt(variance / (variance + next_review))
    distance = ndtri(np.clip(above, 1e-4, 1.0 - 1e-4))
    nodes, weights = np.polynomial.hermite_e.hermegauss(_NODES)
    after = distance[:, None] + moved[:, None] * nodes
    wrong = ndtr(-np.abs(after) / np.sqrt(1.0 - moved[:, None] ** 2)) @ (weights / weights.sum())
    gain: Floats = np.clip(ndtr(-np.abs(distance)) - wrong, 0.0, np.minimum(above, 1.0 - above))
    return gain
