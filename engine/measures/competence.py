"""What most likely holds where annotators differ, and how far each can be trusted, without knowing the truth.

MACE (Hovy, Berg-Kirkpatrick, Vaswani and Hovy, 2013, "Learning Whom to Trust with MACE"): an annotator either knows
(with their competence) and gives the true label, or does not and answers by a habit of their own. Variational Bayes as
in the paper: Beta(1/2, 1/2) on competence, Dirichlet(10) on habits, restarts from random beginnings, the likeliest
kept. Dawid and Skene (1979): each annotator has a table of what they say for each true label, by EM from the majority.
Both assume that truth is one of the labels, that annotators err independently, and that items are alike.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from engine.measures.bootstrap import LEVEL, estimate
from engine.measures.coefficients import MISSING, Floats, Ints, kappa

FEWEST_ANNOTATORS, FEWEST_ITEMS = 3, 20
"""With fewer annotators an item's truth and their competence cannot be separated; with fewer items that three of them
labelled, competence follows from the priors and from luck."""
RESTARTS, ITERATIONS, RESAMPLES = 10, 60, 100
_BETA, _DIRICHLET = 0.5, 10.0
_SMOOTH, _SETTLED = 0.01, 1e-9
_STILL = 1e-5
"""A fit ends when no competence moves by more; most of the iterations would change nothing."""


@dataclass(frozen=True, slots=True)
class Competence:
    """``competence`` (a,) is the chance in 0..1 that an annotator answers from knowledge, ``low`` to ``high`` its 95 %
    interval, all NaN for those of whom nothing can be said; ``posterior`` (i, k) the chance of each label of each item.
    ``best`` is the position of the most competent one, None where they differ by less than the resamples do.
    """

    competence: Floats
    low: Floats
    high: Floats
    posterior: Floats
    log_likelihood: float
    best: int | None = None


def mace(labels: Ints, k: int, generator: np.random.Generator) -> Competence:
    """Fits ``labels`` (i, a) in 0..k-1 or ``MISSING``. Intervals by bootstrap over items (percentiles), each resample
    fitted from the solution for all items. Only items that three annotators labelled count, and only annotators with
    ``FEWEST_ITEMS`` of them.
    """
    annotators = labels.shape[1]
    nothing = np.full(annotators, np.nan)
    counted = measurable(labels)
    if not counted.any():
        return Competence(nothing, nothing, nothing, np.zeros((len(labels), k)), float("nan"))
    if not counted.all():
        part, at = mace(labels[:, counted], k, generator), np.flatnonzero(counted)
        competence, low, high = nothing.copy(), nothing.copy(), nothing.copy()
        competence[at], low[at], high[at] = part.competence, part.low, part.high
        best = None if part.best is None else int(at[part.best])
        return replace(part, competence=competence, low=low, high=high, best=best)
    return _estimated(labels, k, generator)


def _estimated(labels: Ints, k: int, generator: np.random.Generator) -> Competence:
    """``mace`` of annotators who all can be measured."""
    annotators = labels.shape[1]
    items = len(labels)
    kinds, of_item, counts = np.unique(labels, axis=0, return_inverse=True, return_counts=True)  # equal items at once
    given, whole = _given(kinds, k), counts.astype(np.float64)
    begun = (
        (np.asarray(generator.uniform(0.2, 0.95, annotators)), generator.dirichlet(np.full(k, 1.0), annotators))
        for _ in range(RESTARTS)
    )
    fits = (_fit(given, whole, *start) for start in begun)
    likelihood, competence, habit, posterior = max(fits, key=lambda found: found[0])
    drawn = generator.multinomial(items, counts / items, size=RESAMPLES).astype(np.float64)
    boots = np.array([_fit(given, weight, competence, habit)[1] for weight in drawn])
    edge = 50 * (1 - LEVEL)
    low, high = np.percentile(boots, [edge, 100 - edge], axis=0)
    first = int(competence.argmax())
    best = first if (boots.argmax(1) == first).mean() >= LEVEL and agrees(labels, first, k) else None
    low, high = np.asarray(low), np.asarray(high)
    return Competence(competence, low, high, posterior[of_item.reshape(-1)], likelihood, best)


def _given(labels: Ints, k: int) -> Floats:
    """Labels as indicators (i, a, k)."""
    found = np.zeros((*labels.shape, k))
    rows, columns = np.nonzero(labels != MISSING)
    found[rows, columns, labels[rows, columns]] = 1.0
    return found


def measurable(labels: Ints) -> NDArray[np.bool_]:
    """Of which annotators (a,) a competence can be estimated from ``labels`` (i, a)."""
    counted = np.ones(labels.shape[1], dtype=np.bool_)
    while True:  # who is left out no longer counts for the others
        given = (labels != MISSING) & counted
        shared = given[given.sum(1) >= FEWEST_ANNOTATORS].sum(0) >= FEWEST_ITEMS
        if (shared == counted).all():
            return counted
        counted = shared


def agrees(labels: Ints, one: int, k: int) -> bool:
    """Whether two others agree with an annotator beyond chance: nobody is best among people who guess."""
    others = [other for other in range(labels.shape[1]) if other != one]
    found = 0
    for other in others:
        both = labels[(labels[:, [one, other]] != MISSING).all(1)][:, [one, other]]
        counts = np.zeros((len(both), k, k))
        counts[np.arange(len(both)), both[:, 0], both[:, 1]] = 1.0
        found += estimate(counts, kappa).low > 0
    return found >= 2


def _fit(given: Floats, weight: Floats, competence: Floats, habit: Floats) -> tuple[float, Floats, Floats, Floats]:
    """Variational EM from a beginning: (log likelihood, competence (a,), habit (a, k), posterior (i, k))."""
    from scipy.special import digamma

    _, _, k = given.shape
    present = given.sum(2)
    knows, guesses, styles = competence, 1 - competence, habit
    posterior = np.zeros((len(given), k))
    likelihood = 0.0
    for _ in range(ITERATIONS):
        guessed = guesses[None] * (given * styles[None]).sum(2)  # (i, a): the label came from habit
        known = knows[None, :, None] * given  # (i, a, k): the label is the truth
        chance = np.where(present[:, :, None] > 0, known + guessed[:, :, None], 1.0)
        logs = np.log(np.maximum(chance, 1e-300)).sum(1) - np.log(k)
        top = logs.max(1, keepdims=True)
        total = np.exp(logs - top).sum(1, keepdims=True)
        posterior = np.exp(logs - top) / total
        likelihood = float(weight @ (top + np.log(total))[:, 0])
        # How much of each answer came from knowing, given each truth; the rest is habit.
        share = (posterior[:, None, :] * known / np.maximum(chance, 1e-300)).sum(2) * present
        by_knowing = weight @ share
        by_habit = weight @ (present - share)
        habits = np.einsum("i,ia,iak->ak", weight, present - share, given)
        total_answers = by_knowing + by_habit
        before, knows = knows, np.exp(digamma(by_knowing + _BETA) - digamma(total_answers + 2 * _BETA))
        guesses = np.exp(digamma(by_habit + _BETA) - digamma(total_answers + 2 * _BETA))
        styles = np.exp(digamma(habits + _DIRICHLET) - digamma(habits.sum(1, keepdims=True) + k * _DIRICHLET))
        if np.abs(knows - before).max() < _STILL:
            break
    mean = (by_knowing + _BETA) / (total_answers + 2 * _BETA)
    return likelihood, np.asarray(mean, dtype=np.float64), np.asarray(styles, dtype=np.float64), posterior


def majority(labels: Ints, k: int) -> Floats:
    """The share of each label of each item (i, k); zeros where fewer than two annotators decided."""
    counts = _given(labels, k).sum(1)
    total = counts.sum(1, keepdims=True)
    return np.asarray(np.divide(counts, total, out=np.zeros_like(counts), where=total > 1), dtype=np.float64)


def dawid_skene(labels: Ints, k: int) -> tuple[Floats, Floats]:
    """The chance of each label of each item (i, k), and of each annotator to give the true label (a,); zeros and NaN
    where ``measurable`` says that competence cannot be estimated.
    """
    counted = measurable(labels)
    accuracy, posterior = np.full(labels.shape[1], np.nan), np.zeros((len(labels), k))
    if not counted.any():
        return posterior, accuracy
    kinds, of_item, counts = np.unique(labels[:, counted], axis=0, return_inverse=True, return_counts=True)
    given, weight = _given(kinds, k), counts.astype(np.float64)
    known = np.asarray(given.any((1, 2)), dtype=np.float64)
    chance = given.sum(1) / np.maximum(given.sum((1, 2)), 1)[:, None]
    for _ in range(ITERATIONS):
        share = weight @ chance + _SMOOTH
        says = np.einsum("i,ij,iak->ajk", weight, chance, given) + _SMOOTH  # annotator, truth, answer
        says /= says.sum(2, keepdims=True)
        logs = np.log(share / share.sum()) + np.einsum("iak,ajk->ij", given, np.log(says))
        new = np.exp(logs - logs.max(1, keepdims=True))
        new /= new.sum(1, keepdims=True)
        done, chance = np.abs(new - chance).max() < _SETTLED, new
        if done:
            break
    accuracy[counted] = np.einsum("j,ajj->a", share / share.sum(), says)
    return np.asarray((chance * known[:, None])[of_item.reshape(-1)], dtype=np.float64), accuracy
