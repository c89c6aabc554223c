"""How well similarity scores order the papers that people rated (Stelmakh et al. 2023, section 5.1).

The loss is the share of rating differences that the scores order wrongly: over all pairs of papers rated by the same
participant, the difference of the ratings counts fully if the scores disagree, and half if they tie. 0 is perfect, 0.5
is chance.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from engine.expertise.records import GoldStandard
from engine.measures.bootstrap import wider
from engine.measures.estimate import FEWEST, spanned

Array = NDArray[np.float64]

SAMPLES = 1000
HIGH, LOW = 4.0, 2.0
"""Ratings from which, and up to which, papers count as known and unknown in the triples of section 5.1."""

Predictions = Mapping[str, Mapping[str, float]]
"""Participant to paper to score; missing participants or papers and NaN scores are ignored."""


@dataclass(frozen=True, slots=True)
class Pair:
    """Two papers of one participant with different ratings; ``cost`` is the loss on them (0..difference)."""

    better: str
    worse: str
    difference: float
    cost: float


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Results of one algorithm over the draws. Intervals are 95 %, by bootstrap over participants; NaN for fewer than
    ``FEWEST`` participants, or if all samples are equal. ``losses`` are each participant's, averaged over the draws;
    ``easy`` and ``hard`` are shares of triples resolved, NaN if there are none."""

    loss: float
    loss_low: float
    loss_high: float
    easy: float
    hard: float
    participants: int
    pairs: int
    losses: Mapping[str, float]
    parts: tuple[Array, Array]
    """Lost and possible loss, each (draws, participants), for ``difference``."""

    def span(self, form: str = "{:.3f} to {:.3f}") -> str:
        """Formats the interval of the loss; "" if there is none."""
        return spanned(self.loss_low, self.loss_high, form)


@dataclass(frozen=True, slots=True)
class Difference:
    """Loss of one algorithm minus that of a baseline, on the same bootstrap samples; no interval (NaN) for fewer than
    ``FEWEST`` participants."""

    value: float
    low: float
    high: float

    @property
    def certain(self) -> bool:
        return self.low > 0 or self.high < 0

    def span(self, form: str = "{:+z.3f} to {:+z.3f}") -> str:
        """Formats the interval; "" if there is none."""
        return spanned(self.low, self.high, form)


def pairs(ratings: Mapping[str, float], scores: Mapping[str, float]) -> tuple[Pair, ...]:
    """Returns all pairs of papers with different ratings, in the order of the ratings, with their costs."""
    found = []
    for one, other in combinations((key for key in ratings if not math.isnan(scores.get(key, math.nan))), 2):
        if difference := abs(ratings[one] - ratings[other]):
            better, worse = (one, other) if ratings[one] > ratings[other] else (other, one)
            lead = scores[better] - scores[worse]
            share = 0.0 if lead > 0 else 0.5 if lead == 0 else 1.0
            found.append(Pair(better, worse, difference, share * difference))
    return tuple(found)


def ratings_by_participant(gold: GoldStandard) -> dict[str, dict[str, float]]:
    """Returns participant to paper to rating, in the order of the data."""
    found: dict[str, dict[str, float]] = {}
    for rating in gold.ratings:
        found.setdefault(rating.participant, {})[rating.paper] = rating.value
    return found


def evaluate(
    gold: GoldStandard, predictions: Sequence[Predictions], *, samples: int = SAMPLES, seed: int = 0
) -> Evaluation:
    """Evaluates one algorithm; ``predictions`` are its scores, one set per draw. The loss is averaged over the draws;
    each bootstrap sample uses the same participants for all draws."""
    ratings = ratings_by_participant(gold)
    people = list(ratings)
    lost = np.zeros((len(predictions), len(people)))
    whole = np.zeros_like(lost)
    easy, hard = np.zeros(2), np.zeros(2)
    count = 0
    for column, person in enumerate(people):
        own = [scores.get(person, {}) for scores in predictions]
        values = np.array([[scores.get(key, math.nan) for key in ratings[person]] for scores in own])
        better, worse = _different(np.array(list(ratings[person].values())))
        if not len(better) or not len(predictions):
            continue
        top, bottom = (np.array(list(ratings[person].values()))[at] for at in (better, worse))
        lead = values[:, better] - values[:, worse]
        there = ~np.isnan(lead)
        share = np.where(lead > 0, 0.0, np.where(lead == 0, 0.5, 1.0)) * there
        lost[:, column] = share @ (top - bottom)
        whole[:, column] = there @ (top - bottom)
        is_hard = bottom >= HIGH
        is_easy = (top >= HIGH) & (bottom <= LOW) & ~is_hard
        for tally, chosen in ((easy, is_easy), (hard, is_hard)):
            tally += [(there & (share == 0))[:, chosen].sum(), there[:, chosen].sum()]
        count += int(there.sum())
    parts = (lost, whole)
    low, high = _interval(_losses(*parts, bootstrap(len(people), samples, seed)), parts)
    with np.errstate(invalid="ignore"):
        losses = lost.sum(0) / whole.sum(0)
    return Evaluation(
        float(_losses(lost, whole, np.ones((1, len(people))))[0]),
        low,
        high,
        _share(easy),
        _share(hard),
        int((whole.sum(0) > 0).sum()),
        round(count / max(len(predictions), 1)),
        {person: float(value) for person, value in zip(people, losses, strict=True) if not np.isnan(value)},
        parts,
    )


def difference(one: Evaluation, baseline: Evaluation, *, samples: int = SAMPLES, seed: int = 0) -> Difference:
    """Returns how much lower (negative) or higher the loss of ``one`` is; both must have the same participants. The
    interval is widened as for the mean of a small sample, because otherwise equal algorithms would be told apart too
    often."""
    people = one.parts[0].shape[1]
    if baseline.parts[0].shape[1] != people:
        raise ValueError("the two were evaluated on different participants")
    weights = bootstrap(people, samples, seed)
    low, high = _interval(_losses(*one.parts, weights) - _losses(*baseline.parts, weights), one.parts, baseline.parts)
    value, factor = one.loss - baseline.loss, wider(min(one.participants, baseline.participants))
    return Difference(value, value + factor * (low - value), value + factor * (high - value))


@lru_cache(maxsize=8)
def bootstrap(people: int, samples: int, seed: int) -> Array:
    """Returns how often each participant is in each sample, (samples, people); read-only."""
    drawn = np.random.default_rng(seed).multinomial(people, np.full(people, 1 / people), size=samples).astype(float)
    drawn.setflags(write=False)
    return drawn


def _different(ratings: Array) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Returns the indexes of the better and the worse of all pairs of papers with different ratings."""
    one, other = np.triu_indices(len(ratings), 1)
    apart = ratings[one] != ratings[other]
    one, other = one[apart], other[apart]
    above = ratings[one] > ratings[other]
    return np.where(above, one, other), np.where(above, other, one)


def _losses(lost: Array, whole: Array, weights: Array) -> Array:
    """Returns the loss of each sample (samples), averaged over the draws; NaN for samples without any possible loss."""
    with np.errstate(invalid="ignore"):
        each = (weights @ lost.T) / (weights @ whole.T)
        there = ~np.isnan(each)
        result: Array = np.where(there, each, 0.0).sum(axis=1) / there.sum(axis=1)
    return result


def _interval(values: Array, *parts: tuple[Array, Array]) -> tuple[float, float]:
    there = values[~np.isnan(values)]
    if not len(there) or min(int((whole.sum(0) > 0).sum()) for _, whole in parts) < FEWEST:
        return float("nan"), float("nan")
    low, high = np.percentile(there, [2.5, 97.5])
    return (float("nan"), float("nan")) if len(parts) == 1 and low == high else (float(low), float(high))


def _share(counted: Array) -> float:
    return float(counted[0] / counted[1]) if counted[1] else float("nan")
