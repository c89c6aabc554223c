"""MACE: how competent each annotator is, and what most likely holds, without knowing the truth.

Hovy, Berg-Kirkpatrick, Vaswani and Hovy (2013), "Learning Whom to Trust with MACE": an annotator either knows (with
their competence) and gives the true label, or does not and answers by a habit of their own. Variational Bayes as in the
paper: Beta(1/2, 1/2) on competence, Dirichlet(10) on habits, restarts from random beginnings, the likeliest kept.
Assumes that truth is one of the labels, that annotators err independently, and that items are alike.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from engine.measures.bootstrap import LEVEL, estimate
from engine.measures.coefficients import kappa
from engine.rebuttal.preferences.records import Floats

Ints = NDArray[np.int64]
MISSING = -1
FEWEST_ANNOTATORS, FEWEST_ITEMS = 3, 20
"""With fewer annotators an item's truth and their competence cannot be separated; with fewer items that three of them
labelled, competence follows from the priors and from luck."""
RESTARTS, ITERATIONS, RESAMPLES = 10, 60, 100
_BETA, _DIRICHLET = 0.5, 10.0


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
    given = np.zeros((items, annotators, k))
    rows, columns = np.nonzero(labels != MISSING)
    given[rows, columns, labels[rows, columns]] = 1.0
    whole = np.ones(items)
    begun = (
        (np.asarray(generator.uniform(0.2, 0.95, annotators)), generator.dirichlet(np.full(k, 1.0), annotators))
        for _ in range(RESTARTS)
    )
    fits = (_fit(given, whole, *start) for start in begun)
    likelihood, competence, habit, posterior = max(fits, key=lambda found: found[0])
    drawn = generator.multinomial(items, np.full(items, 1 / items), size=RESAMPLES).astype(np.float64)
    boots = np.array([_fit(given, weight, competence, habit)[1] for weight in drawn])
    edge = 50 * (1 - LEVEL)
    low, high = np.percentile(boots, [edge, 100 - edge], axis=0)
    first = int(competence.argmax())
    best = first if (boots.argmax(1) == first).mean() >= LEVEL and agrees(labels, first, k) else None
    return Competence(competence, np.asarray(low), np.asarray(high), posterior, likelihood, best)


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
        knows = np.exp(digamma(by_knowing + _BETA) - digamma(total_answers + 2 * _BETA))
        guesses = np.exp(digamma(by_habit + _BETA) - digamma(total_answers + 2 * _BETA))
        styles = np.exp(digamma(habits + _DIRICHLET) - digamma(habits.sum(1, keepdims=True) + k * _DIRICHLET))
    mean = (by_knowing + _BETA) / (total_answers + 2 * _BETA)
    return likelihood, np.asarray(mean, dtype=np.float64), np.asarray(styles, dtype=np.float64), posterior
