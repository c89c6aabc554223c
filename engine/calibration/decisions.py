"""Finds weak referees, items whose reviews disagree, and uncertain decisions at a cut-off."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from engine.calibration.ranking import RankDoubt, among_first, ranks
from engine.calibration.records import Bools, Calibration, Floats, Ints, Reviews
from engine.shown import counted

WEAK_REVIEWS = 2
"""With fewer reviews, a referee is never flagged as weak."""
LEAST_EXCESS = 3.0
FALSE_DISCOVERIES = 0.1
"""The largest expected share of chance findings among items reported as having disagreeing reviews."""
_TYPICAL = 4.0
"""The weight, in reviews, of the median referee's noise relative to what a referee's other reviews show."""


def item_log_likelihood(reviews: Reviews, calibration: Calibration) -> Floats:
    """Returns the average over each item's reviews, (I,), in nats; where it is low, another review helps most
    (IDSIA-25-98, section 5). NaN without a review."""
    return _average(reviews.per_item(calibration.log_likelihood), reviews.reviews_per_item)


def referee_log_likelihood(reviews: Reviews, calibration: Calibration) -> Floats:
    """Returns the average over each referee's reviews, (R,), in nats. NaN without a review."""
    return _average(reviews.per_referee(calibration.log_likelihood), reviews.reviews_per_referee)


def _average(total: Floats, count: Ints) -> Floats:
    average = np.full(len(total), np.nan)
    np.divide(total, count, out=average, where=count > 0)
    return average


def knows_disagreement(calibration: Calibration) -> bool:
    """Returns whether the method estimates noise, and enough reviews repeat an item."""
    return not calibration.rests_on_prior and not bool(np.isnan(calibration.noise).all())


def knows_noise(calibration: Calibration) -> bool:
    """Returns whether referees' noise can be compared: not if a method gives all the same, or only the most likely
    trusts, which vary that much even for equal referees."""
    noise = calibration.noise[~np.isnan(calibration.noise)]
    return knows_disagreement(calibration) and not calibration.likeliest and bool(np.ptp(noise) > 0)


def weak_referees(reviews: Reviews, calibration: Calibration) -> Bools:
    """Returns the referees, (R,), whose own noise exceeds three times the median variance of a review, and who wrote at
    least two. Nobody is flagged unless ``knows_noise``."""
    if not knows_noise(calibration):
        return np.zeros(len(reviews.referees), dtype=np.bool_)
    typical = float(np.nanmedian(calibration.noise[reviews.referee] + _stated(reviews, calibration)))
    return (reviews.reviews_per_referee >= WEAK_REVIEWS) & (np.nan_to_num(calibration.noise) > LEAST_EXCESS * typical)


def _stated(reviews: Reviews, calibration: Calibration) -> Floats:
    """Returns the part of each review's variance, (N,), that the referee's confidence states."""
    return calibration.parameters.get("confidence_scale", 1.0) / reviews.confidence


def disagreement(reviews: Reviews, calibration: Calibration) -> Floats:
    """Returns, for each item, (I,), half the mean squared standardised residual of its reviews (nats per review); 0 for
    items without a review."""
    squared = np.nan_to_num(calibration.residual**2 * calibration.weight)
    return np.asarray(0.5 * reviews.per_item(squared) / np.maximum(reviews.reviews_per_item, 1))


def disagreeing(reviews: Reviews, calibration: Calibration) -> Bools:
    """Returns the items, (I,), with a review that differs from the item's other reviews by more than chance.

    Each review is compared with the item's other reviews, given the strictness and noise that its referee's other
    reviews show. The p-values (Student's t) are corrected for the number of reviews of an item (Bonferroni) and of
    items (Benjamini and Hochberg 1995). Empty unless ``knows_disagreement``.
    """
    from scipy.special import stdtr

    found = np.zeros(len(reviews.items), dtype=np.bool_)
    if not knows_disagreement(calibration):
        return found
    referee, own, tied = reviews.referee, _stated(reviews, calibration), ~np.isnan(calibration.bias)

    def others(values: Floats, *, of_item: bool = False) -> Floats:
        """Sums over the other reviews of each review's referee (or item), (N,)."""
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
    order = np.argsort(least, kind="stable")  # unknown values come last
    enough = least[order] <= FALSE_DISCOVERIES * np.arange(1, len(order) + 1) / max(1, np.isfinite(least).sum())
    found[order[: int(np.flatnonzero(enough)[-1]) + 1 if enough.any() else 0]] = True
    return found


Standing = Literal["safe accept", "borderline", "safe reject"]
SAFE = 0.05
"""A decision is safe if the probability that the true scores would change it is at most this."""
SHOWN = 0.01
"""Smaller gains aren't shown."""
_NODES = 40


@dataclass(frozen=True, slots=True, eq=False)
class Decisions:
    """By item, (I,): the decision, the probability that the true scores lead to a different one, how safe it is, and
    by how much another review is expected to lower that probability. NaN and None if the probability is unknown."""

    accepted: Bools
    change: Floats
    standing: tuple[Standing | None, ...]
    gain: Floats
    limits: tuple[str, ...] = ()
    """Sentences on what the decisions don't cover."""


def decide(reviews: Reviews, fit: Calibration, doubt: RankDoubt, cutoff: int) -> Decisions:
    """Accepts the first ``cutoff`` items, in table order if scores are equal. The probability of a change comes from
    the draws behind ``doubt.above``, with an error of up to 0.5/sqrt(draws). For the gain, the next review
    is assumed to be as precise as the median review."""
    accepted = among_first(fit.score, cutoff)
    change = np.where(accepted, 1.0 - doubt.above, doubt.above)
    standing: list[Standing | None] = []
    for yes, chance in zip(accepted, change, strict=True):
        safe: Standing = "safe accept" if yes else "safe reject"
        standing.append(None if np.isnan(chance) else safe if chance <= SAFE else "borderline")
    return Decisions(accepted, change, tuple(standing), _gain(reviews, fit, doubt.above), decision_limits(fit, cutoff))


def decision_limits(fit: Calibration, cutoff: int | None) -> tuple[str, ...]:
    """Returns sentences on the items that the decisions at a cut-off don't cover, and on a tie at the cut-off."""
    places, accepted, said = ranks(fit.score), among_first(fit.score, cutoff), []
    ranked, unranked = int((~np.isnan(places)).sum()), int(np.isnan(places).sum())
    if not cutoff or not ranked:
        return ()
    if unranked:
        said.append(
            f"{counted(unranked, 'item has', 'items have')} no rank and no decision. The cut-off and all chances refer "
            f"to the {counted(ranked, 'other', 'others')} only."
        )
    tied = places == places[accepted].max()
    if (tied & ~accepted).any():
        said.append(
            f"{counted(int(tied.sum()), 'item ties', 'items tie')} at the cut-off. Those that come first in the table "
            "are accepted."
        )
    return tuple(said)


def _gain(reviews: Reviews, fit: Calibration, above: Floats) -> Floats:
    """Returns how much the probability of a wrong decision is expected to fall with one more review: with normal
    beliefs, the mean moves by a known spread, and the rest of the variance remains (pre-posterior analysis, Raiffa and
    Schlaifer 1961)."""
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
