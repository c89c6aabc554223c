"""Shared by the strategies on canonical rebuttals: their record, encoding of known and new texts, and kernel ridge
regression with a Gaussian kernel (Hastie et al. 2009, section 5.8) over summed distances.

There are at most a few thousand known texts, so all are compared with each other at once.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.jobs import Report
from engine.models import Embedder

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Strategy:
    """A strategy. ``run`` takes known examples, questions, an embedder and a report (preceded by a seed if candidates
    are scored), and returns one answer per question."""

    id: str
    title: str
    run: Callable[..., Any]


def encoded(known: Sequence[str], asked: Sequence[str], embedder: Embedder, report: Report) -> tuple[Floats, Floats]:
    vectors = np.asarray(embedder.encode([*known, *asked], report), dtype=np.float64)
    return vectors[: len(known)], vectors[len(known) :]


class Distances:
    """Squared distances between known items, ``within`` (n, n), and from others to them, ``across`` (k, n)."""

    def __init__(self, known: int, asked: int) -> None:
        self.within: Floats = np.zeros((known, known))
        self.across: Floats = np.zeros((asked, known))

    def add(self, known: Floats, asked: Floats, weight: float) -> None:
        """Adds the distances of rows (n, d) and (k, d), times ``weight``."""
        self.within += weight * _apart(known, known)
        self.across += weight * _apart(asked, known)

    def add_words(self, known: Sequence[str], asked: Sequence[str], weight: float, counter: Any) -> None:
        """Adds the distances of texts under a counter of words or letters with rows of length 1."""
        learnt = counter.fit_transform(known)
        self.within += weight * (2 - 2 * (learnt @ learnt.T).toarray())
        self.across += weight * (2 - 2 * (counter.transform(asked) @ learnt.T).toarray())

    def regress(self, truth: Floats, ridge: float) -> Floats:
        """Returns predictions for the others (k, ...) from ``truth`` (n, ...) of the known; far from all of them, its
        mean."""
        from scipy.linalg import solve

        usual = truth.mean(0)
        kernel = np.exp(-self.within)
        kernel[np.diag_indices_from(kernel)] += ridge
        weights = solve(kernel, truth - usual, assume_a="pos", overwrite_a=True)
        return np.asarray(usual + np.exp(-self.across) @ weights, dtype=np.float64)


def _apart(one: Floats, other: Floats) -> Floats:
    return np.asarray((one * one).sum(1)[:, None] + (other * other).sum(1)[None, :] - 2 * one @ other.T)
