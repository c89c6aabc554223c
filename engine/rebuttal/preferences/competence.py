"""MACE: how competent each annotator is, and what most likely holds, without knowing the truth.

Hovy, Berg-Kirkpatrick, Vaswani and Hovy (2013), "Learning Whom to Trust with MACE": an annotator either knows (with
their competence) and gives the true label, or does not and answers by a habit of their own. Variational Bayes as in the
paper: Beta(1/2, 1/2) on competence, Dirichlet(10) on habits, restarts from random beginnings, the likeliest kept.
Assumes that truth is one of the labels, that annotators err independently, and that items are alike.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.measures.bootstrap import LEVEL
from engine.rebuttal.preferences.records import Floats

Ints = NDArray[np.int64]
MISSING = -1
RESTARTS, ITERATIONS, RESAMPLES = 10, 60, 100
_BETA, _DIRICHLET = 0.5, 10.0


@dataclass(frozen=True, slots=True)
class Competence:
    """``competence`` (a,) is the chance in 0..1 that an annotator answers from knowledge, ``low`` to ``high`` its 95 %
    interval; ``posterior`` (i, k) the chance of each label of each item.
    """

    competence: Floats
    low: Floats
    high: Floats
    posterior: Floats
    log_likelihood: float

    def better(self) -> int:
        """The position of the most competent annotator."""
        return int(self.competence.argmax())


def mace(labels: Ints, k: int, generator: np.random.Generator) -> Competence:
    """Fits ``labels`` (i, a) in 0..k-1 or ``MISSING``. Intervals by bootstrap over items (percentiles), each resample
    fitted from the solution for all items. With fewer than three annotators the competences rest on the priors more
    than on the answers: say so where they are shown.
    """
    items, annotators = labels.shape
    if not items or not annotators:
        nothing = np.full(annotators, np.nan)
        return Competence(nothing, nothing, nothing, np.zeros((items, k)), float("nan"))
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
    return Competence(competence, np.asarray(low), np.asarray(high), posterior, likelihood)


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
