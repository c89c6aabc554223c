"""Estimates of the true labels where annotators differ, and of each annotator's competence, without known answers.

MACE (Hovy, Berg-Kirkpatrick, Vaswani and Hovy, 2013, "Learning Whom to Trust with MACE"): an annotator either knows the
true label (with probability equal to their competence), or answers by a personal habit. Variational Bayes as in the
paper: Beta(1/2, 1/2) on competence, Dirichlet(10) on habits, random restarts, of which the likeliest is kept. Dawid and
Skene (1979): each annotator has a confusion matrix, estimated by EM starting from the majority. Both assume that the
truth is one of the labels, that annotators err independently, and that items are alike.
"""

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from engine.measures.annotators import MISSING, Floats, Ints, kappa
from engine.measures.bootstrap import LEVEL, SEED, with_interval
from engine.measures.estimate import FEWEST

FEWEST_ANNOTATORS, FEWEST_ITEMS = 3, 20
"""With fewer annotators who agree beyond chance, an item's true label and their competence can't be separated; with
fewer items that three of them labelled, competence reflects only the priors and chance."""
RESTARTS, ITERATIONS, RESAMPLES = 10, 60, 100
_BETA, _DIRICHLET = 0.5, 10.0
_SMOOTH, _SETTLED = 0.01, 1e-9
_STILL = 1e-5
"""A fit ends when no competence changes by more than this; most of the iterations would change nothing."""


@dataclass(frozen=True, slots=True)
class Competence:
    """``competence`` (a,) is the probability in 0..1 that an annotator answers from knowledge, ``low`` to ``high`` its
    95 % interval: all NaN for annotators who can't be measured, only the interval if all resamples agree. ``posterior``
    (i, k) is the probability of each label of each item. ``best`` is the position of the most competent annotator, None
    if that isn't clear from the resamples."""

    competence: Floats
    low: Floats
    high: Floats
    posterior: Floats
    best: int | None = None


def mace(labels: Ints, k: int, generator: np.random.Generator) -> Competence:
    """Fits ``labels`` (i, a), in 0..k-1 or ``MISSING``. Intervals by bootstrap over items (percentiles), each resample
    fitted starting from the solution for all items. Competence is only estimated for ``measurable`` annotators."""
    competence, low, high = np.full((3, labels.shape[1]), np.nan)
    counted = measurable(labels)
    if not counted.any():
        return Competence(competence, low, high, np.zeros((len(labels), k)))
    found, at = _estimated(labels[:, counted], k, generator), np.flatnonzero(counted)
    competence[at], low[at], high[at] = found.competence, found.low, found.high
    return Competence(competence, low, high, found.posterior, None if found.best is None else int(at[found.best]))


def _estimated(labels: Ints, k: int, generator: np.random.Generator) -> Competence:
    """Runs ``mace`` for annotators who can all be measured."""
    items, annotators = labels.shape
    kinds, of_item, counts = np.unique(labels, axis=0, return_inverse=True, return_counts=True)  # equal items at once
    given, whole = _Answers.of(kinds, k), counts.astype(np.float64)
    begun = (
        (np.asarray(generator.uniform(0.2, 0.95, annotators)), generator.dirichlet(np.full(k, 1.0), annotators))
        for _ in range(RESTARTS)
    )
    fits = (_fit(given, whole, *start) for start in begun)
    _, competence, habit, posterior = max(fits, key=lambda found: found[0])
    drawn = generator.multinomial(items, counts / items, size=RESAMPLES).astype(np.float64)
    boots = np.array([_fit(given, weight, competence, habit)[1] for weight in drawn])
    edge = 50 * (1 - LEVEL)
    low, high = np.percentile(boots, [edge, 100 - edge], axis=0)
    low, high = np.minimum(low, competence), np.maximum(high, competence)
    first = int(competence.argmax())
    ahead = (boots[:, first] > np.delete(boots, first, 1).max(1) + _STILL).mean() >= LEVEL
    low, high = (np.where(high - low > _STILL, end, np.nan) for end in (low, high))
    return Competence(competence, low, high, posterior[of_item.reshape(-1)], first if ahead else None)


@dataclass(frozen=True, slots=True)
class _Answers:
    """The answers as a flat list, because most annotators decided on few of many items. ``item`` is each answer's item;
    ``said`` is annotator * k + label, ``place`` item * k + label."""

    item: Ints
    said: Ints
    place: Ints
    items: int
    annotators: int
    k: int

    @classmethod
    def of(cls, labels: Ints, k: int) -> "_Answers":
        """Collects the answers in ``labels`` (i, a)."""
        item, annotator = np.nonzero(labels != MISSING)
        label = labels[item, annotator]
        return cls(item, annotator * k + label, item * k + label, len(labels), labels.shape[1], k)

    def by_item(self, of_answers: Floats | None = None) -> Floats:
        """Returns sums of the answers' values (default 1) by item and label, (i, k)."""
        return np.bincount(self.place, of_answers, self.items * self.k).reshape(self.items, self.k).astype(np.float64)

    def by_annotator(self, of_answers: Floats) -> Floats:
        size = self.annotators * self.k
        return np.bincount(self.said, of_answers, size).reshape(self.annotators, self.k).astype(np.float64)


def measurable(labels: Ints) -> NDArray[np.bool_]:
    """Returns a mask (a,) of the annotators whose competence can be estimated from ``labels`` (i, a): those who share
    ``FEWEST_ITEMS`` items with two others who belong to a trio that agrees with each other beyond chance. Two alone
    don't show which of them is right, and an annotator who guesses or always gives the same answer adds nothing."""
    people, k = range(labels.shape[1]), int(labels.max(initial=0)) + 1
    agree = cache(lambda pair: _agreeing(labels[:, sorted(pair)], k))  # a bootstrap each: asked only of few pairs
    relied = np.zeros(len(people), dtype=np.bool_)
    for one in people:
        friends: list[int] = []
        for other in people if not relied[one] else ():
            if other != one and agree(frozenset((one, other))):
                if trio := [(one, other, third) for third in friends if agree(frozenset((other, third)))][:1]:
                    relied[[*trio[0]]] = True
                    break
                friends.append(other)
    given = labels != MISSING
    counted = np.ones(len(people), dtype=np.bool_)
    while True:  # who is left out no longer counts for the others
        known = given & counted
        others = (known & relied).sum(1, keepdims=True) - (known & relied)
        shared = (known & (others >= FEWEST_ANNOTATORS - 1)).sum(0) >= FEWEST_ITEMS
        if (shared == counted).all():
            return counted
        counted = shared


def _agreeing(labels: Ints, k: int) -> bool:
    """Returns whether two annotators, the columns of ``labels`` (i, 2) in 0..k-1 or ``MISSING``, agree beyond
    chance."""
    both = labels[(labels != MISSING).all(1)]
    if (n := len(both)) < FEWEST:
        return False
    counts = np.bincount(both[:, 0] * k + both[:, 1], minlength=k * k)
    drawn = np.random.default_rng(SEED).multinomial(n, counts / n, 10 * RESAMPLES)
    value, *resampled = kappa(np.stack([counts, *drawn]).reshape(-1, k, k).astype(np.float64))
    known = with_interval(float(value), np.array(resampled), n)
    return known.low > 0 or (known.value == 1 and n >= FEWEST_ITEMS)


def _fit(answers: _Answers, weight: Floats, competence: Floats, habit: Floats) -> tuple[float, Floats, Floats, Floats]:
    """Runs variational EM from initial values; returns (log likelihood, competence (a,), habit (a, k), posterior (i,
    k))."""
    from scipy.special import digamma

    k, of_answer = answers.k, weight[answers.item]
    given = answers.by_annotator(of_answer)
    total_answers = given.sum(1)
    knows, guesses, styles = competence, 1 - competence, habit
    posterior = np.zeros((answers.items, k))
    likelihood = 0.0
    for _ in range(ITERATIONS):
        guessed = np.maximum(guesses[:, None] * styles, 1e-300)  # (a, k): probability of the label by habit
        chance = guessed + knows[:, None]  # the same, or by knowing that the label is true
        gain = (np.log(chance) - np.log(guessed)).ravel()[answers.said]
        common = np.bincount(answers.item, np.log(guessed).ravel()[answers.said], answers.items)
        logs = answers.by_item(gain) + (common - np.log(k))[:, None]
        top = logs.max(1, keepdims=True)
        posterior = np.exp(logs - top)
        total = posterior.sum(1, keepdims=True)
        posterior /= total
        likelihood = float(weight @ (top + np.log(total))[:, 0])
        # The share of each answer that came from knowing; the rest is habit.
        known = answers.by_annotator(of_answer * posterior.ravel()[answers.place]) * (knows[:, None] / chance)
        by_knowing = known.sum(1)
        by_habit, habits = total_answers - by_knowing, given - known
        before, knows = knows, np.exp(digamma(by_knowing + _BETA) - digamma(total_answers + 2 * _BETA))
        guesses = np.exp(digamma(by_habit + _BETA) - digamma(total_answers + 2 * _BETA))
        styles = np.exp(digamma(habits + _DIRICHLET) - digamma(habits.sum(1, keepdims=True) + k * _DIRICHLET))
        if np.abs(knows - before).max() < _STILL:
            break
    mean = (by_knowing + _BETA) / (total_answers + 2 * _BETA)
    return likelihood, np.asarray(mean, dtype=np.float64), np.asarray(styles, dtype=np.float64), posterior


def majority(labels: Ints, k: int) -> Floats:
    """Returns the share of each label of each item, (i, k); zeros for items that fewer than two
    annotators decided on."""
    counts = _Answers.of(labels, k).by_item()
    total = counts.sum(1, keepdims=True)
    return np.asarray(np.divide(counts, total, out=np.zeros_like(counts), where=total > 1), dtype=np.float64)


def dawid_skene(labels: Ints, k: int) -> tuple[Floats, Floats]:
    """Returns the probability of each label of each item, (i, k), and of each annotator giving the true label, (a,);
    zeros and NaN where ``measurable`` says that competence can't be estimated."""
    counted = measurable(labels)
    accuracy, posterior = np.full(labels.shape[1], np.nan), np.zeros((len(labels), k))
    if not counted.any():
        return posterior, accuracy
    kinds, of_item, counts = np.unique(labels[:, counted], axis=0, return_inverse=True, return_counts=True)
    answers, weight = _Answers.of(kinds, k), counts.astype(np.float64)
    votes = answers.by_item()
    known = np.asarray(votes.any(1), dtype=np.float64)
    chance = votes / np.maximum(votes.sum(1), 1)[:, None]
    for _ in range(ITERATIONS):
        share = weight @ chance + _SMOOTH
        held = weight[:, None] * chance  # by true label, how often each annotator gave each answer
        says = np.stack([answers.by_annotator(held[answers.item, truth]) for truth in range(k)], axis=1) + _SMOOTH
        says /= says.sum(2, keepdims=True)
        logs = np.log(share / share.sum()) + np.stack(
            [
                np.bincount(answers.item, np.log(says[:, truth]).ravel()[answers.said], answers.items)
                for truth in range(k)
            ],
            axis=1,
        )
        new = np.exp(logs - logs.max(1, keepdims=True))
        new /= new.sum(1, keepdims=True)
        done, chance = np.abs(new - chance).max() < _SETTLED, new
        if done:
            break
    accuracy[counted] = np.einsum("j,ajj->a", share / share.sum(), says)
    return np.asarray((chance * known[:, None])[of_item.reshape(-1)], dtype=np.float64), accuracy
