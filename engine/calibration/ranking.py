"""Ranks, their intervals, probabilities of being above the cut-off, and the distance between rankings."""

from dataclasses import dataclass

import numpy as np

from engine.calibration.records import Bools, Calibration, Floats

DRAWS = 1000
LEVEL = 0.9


def ranks(score: Floats) -> Floats:
    """Returns ranks, 1 for the highest score; ties (to nine digits) share their mean rank; NaN for NaN scores."""
    # Not scipy's function, because the window ranks too, and scipy.stats takes half a second to load.
    known = ~np.isnan(score)
    whole = np.abs(score[known]).max(initial=0.0) or 1.0
    _, tie, size = np.unique(-np.round(score[known] / whole, 9), return_inverse=True, return_counts=True)
    found = np.full(len(score), np.nan)
    found[known] = (np.cumsum(size) - (size - 1) / 2)[tie]
    return found


def among_first(score: Floats, count: int | None) -> Bools:
    """Returns which items, (I,), are the first ``count`` in order of rank, equal ranks in table order; none without a
    count. Items without a rank are never among them."""
    found, places = np.zeros(len(score), dtype=np.bool_), ranks(score)
    found[np.argsort(places, kind="stable")[: count or 0]] = True
    return found & ~np.isnan(places)


@dataclass(frozen=True, slots=True)
class RankDifference:
    """Absolute differences of ranks between an estimate and the truth, over items."""

    mean: float
    rms: float
    maximum: float


def rank_difference(score: Floats, truth: Floats) -> RankDifference:
    """Returns how far the ranking by ``score`` is from the ranking by ``truth``, both (I,)."""
    off = np.abs(ranks(score) - ranks(truth))
    return RankDifference(float(off.mean()), float(np.sqrt((off**2).mean())), float(off.max()))


@dataclass(frozen=True, slots=True, eq=False)
class RankDoubt:
    """``low`` and ``high`` (I,) bound the rank with the given level, and contain it; ``above`` (I,) is the chance to be
    among the first ``cutoff`` items (NaN without a cut-off); ``swap`` (I,) is the chance that an item is truly below
    the one that follows it in the ranking (NaN for the last). NaN throughout for methods without a posterior; no chance
    is known either if the intervals rest on the prior."""

    low: Floats
    high: Floats
    above: Floats
    swap: Floats


def draws_of(calibration: Calibration, rng: np.random.Generator, count: int = DRAWS) -> Floats:
    """Returns draws (count, I) from the posterior of the scores, independent between items if no joint one is known."""
    if calibration.joint is not None:
        return calibration.joint.draw(count, rng)
    spread = rng.standard_normal((count, len(calibration.score)))
    return calibration.score + calibration.score_sd * spread


def rank_doubt(
    calibration: Calibration,
    rng: np.random.Generator,
    cutoff: int | None = None,
    *,
    count: int = DRAWS,
    level: float = LEVEL,
) -> RankDoubt:
    """Returns rank intervals and probabilities from ``count`` joint draws; the error of a probability is at most
    0.5/sqrt(count)."""
    score = calibration.score
    low, high, above, swap = np.full((4, len(score)), np.nan)
    known = np.flatnonzero(~np.isnan(score) & ~np.isnan(calibration.score_sd))
    if not len(known):
        return RankDoubt(low, high, above, swap)
    drawn = (draws_of(calibration, rng, count)[:, known] - score[known].mean()).astype(np.float32)
    order = np.argsort(-drawn, axis=1)
    place = np.empty(order.shape, dtype=np.int32)
    np.put_along_axis(place, order, np.arange(1, len(known) + 1, dtype=np.int32)[None, :], axis=1)
    if not calibration.rests_on_prior:
        if cutoff is not None:
            above[known] = (place <= cutoff).mean(axis=0)
        ranked = np.argsort(-score[known], kind="stable")
        # Of two normal scores the higher one is likelier to be truly higher; more than one half is an error of drawing.
        swap[known[ranked[:-1]]] = np.minimum((place[:, ranked[:-1]] > place[:, ranked[1:]]).mean(axis=0), 0.5)
    place.sort(axis=0)
    tail, shown = (1.0 - level) / 2.0, ranks(score[known])
    low[known] = np.minimum(place[int(np.floor(tail * (count - 1)))], shown)
    high[known] = np.maximum(place[int(np.ceil((1.0 - tail) * (count - 1)))], shown)
    return RankDoubt(low, high, above, swap)
