"""Fewer judgements: ask only what tells who would win if every pair were judged.

The goal is the paper's own: the winner of the exhaustive schedule. From the answers so far a Bradley-Terry model with
ties is fitted; strengths are drawn from it and the table of all pairs is completed many times. Each completed table has
a winner: the lowest PageRank, as the paper ranks, or the most points (a win counts 1, a tie 1/2: the sufficient
statistic of the model, so the strongest item of a complete table; Ford 1957, Davidson 1970). The next pair is the one
whose answer tells most about that winner (mutual information between answer and winner over the completions); the
judging ends when one item is a winner of ``enough`` of them. Where several win a table alike, each of them
is a winner: any of them would be canonical, and which one is nothing that a further judgement could tell. How often
that winner is an exhaustive one, and what it costs, is measured by ``simulation.py``; docs/methods-preferences.md has
the curve.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from engine.rebuttal.preferences.bradley_terry import Ints, draw_strengths, fit_coded, probabilities
from engine.rebuttal.preferences.pagerank import DAMPING
from engine.rebuttal.preferences.records import Floats

_UNSURE = 0.8
"""When the judging ends: see ``enough``."""
COMPLETIONS = 512
Goal = Literal["pagerank", "points"]
PRIOR_SD = 1.5
_CELLS, _FEWEST = 400_000, 128
"""Completions times pairs: what one step may take, so that it stays within a key's time."""
_STEPS, _EQUAL = 60, 1e-5
"""The most steps of the power iteration (0.85^60 is 6e-5), and which ranks count as equal."""


@dataclass(frozen=True, slots=True)
class Next:
    """What to ask next: positions of the two items (None: all is asked or known), each item's chance to be a winner of
    the complete table (n,), alone or with others, and the position of the likeliest winner.
    """

    pair: tuple[int, int] | None
    chances: Floats
    winner: int

    @property
    def confidence(self) -> float:
        """The chance of the likeliest winner."""
        return float(self.chances[self.winner]) if len(self.chances) else 1.0


def enough(n: int) -> float:
    """The chance, 0 to 1, at which the winner of ``n`` items is known well enough.

    Steps end beyond it, the further the fewer items there are: so set, about 95 % of the winners are exhaustive ones
    from 8 to 20 items, as ``simulation.py`` measures it.
    """
    return 1 - _UNSURE / max(n, 4)


@lru_cache(maxsize=8)
def _pairs(n: int) -> tuple[Ints, Ints]:
    one, two = np.triu_indices(n, 1)
    return one.astype(np.int64), two.astype(np.int64)


def choose(
    n: int,
    answers: Mapping[tuple[int, int], int],
    generator: np.random.Generator,
    *,
    open_pairs: Iterable[tuple[int, int]] | None = None,
    goal: Goal = "pagerank",
    completions: int = COMPLETIONS,
) -> Next:
    """The next pair of ``n`` items. ``answers`` by pair (i < j): 0 where i won, 1 where j won, 2 for a tie.

    ``open_pairs`` are those that may still be asked (without it all that have no answer); pairs that have neither an
    answer nor may be asked count as unknown.
    """
    if n < 2:
        return Next(None, np.ones(n), 0)
    one, two = _pairs(n)
    answered = np.array([answers.get((int(i), int(j)), -1) for i, j in zip(one, two, strict=True)], dtype=np.int64)
    known = answered >= 0
    outcome = _completed(n, one, two, answered, generator, completions)
    merit = _merit(n, one, two, outcome, goal)
    top = merit >= merit.max(1, keepdims=True) - _EQUAL
    chances = np.asarray(top.mean(0), dtype=np.float64)
    # For what an answer tells each table needs one winner: one of the equal ones is drawn.
    winner = np.argmax(top * (1 + generator.random(top.shape)), axis=1)
    best = int(chances.argmax())
    left = np.flatnonzero(~known)
    if open_pairs is not None:
        allowed = set(open_pairs)
        left = np.array([k for k in left if (int(one[k]), int(two[k])) in allowed], dtype=np.int64)
    if not len(left) or chances[best] >= enough(n):
        return Next(None, chances, best)
    told_most = _information(outcome[:, left], winner, n)
    chosen = left[int(told_most.argmax())]
    return Next((int(one[chosen]), int(two[chosen])), chances, best)


def _completed(  # noqa: PLR0917 - one step of the loop above
    n: int, one: Ints, two: Ints, answered: Ints, generator: np.random.Generator, completions: int
) -> NDArray[np.int8]:
    """Answers (c, m) to all pairs: those that are known, and draws for the others."""
    known = answered >= 0
    unknown = np.flatnonzero(~known)
    count = max(_FEWEST, min(completions, _CELLS // max(len(one), 1)))
    found = fit_coded(n, one[known], two[known], answered[known], prior_sd=PRIOR_SD, with_side=False)
    strengths = draw_strengths(found, generator, count)
    tie = found.tie if np.isfinite(found.tie) else -np.inf
    chances = probabilities(strengths, one[unknown], two[unknown], tie)
    drawn = generator.random((count, len(unknown)))
    outcome = np.tile(answered.astype(np.int8), (count, 1))
    outcome[:, unknown] = (drawn > chances[..., 0]).astype(np.int8) + (drawn > chances[..., 0] + chances[..., 1])
    return outcome


def _merit(n: int, one: Ints, two: Ints, outcome: NDArray[np.int8], goal: Goal) -> Floats:
    """How good each item is in each table, (c, n), higher being better."""
    if goal == "points":
        gained = _POINTS[outcome]
        return np.asarray(gained @ np.eye(n)[one] + (1 - gained) @ np.eye(n)[two], dtype=np.float64)
    # The lowest PageRank, for all tables at once: they are small and full, so dense steps are the quick ones.
    links = np.zeros((len(outcome), n, n))
    table, pair = np.nonzero(outcome == 0)
    links[table, two[pair], one[pair]] = 1.0
    table, pair = np.nonzero(outcome == 1)
    links[table, one[pair], two[pair]] = 1.0
    out = links.sum(1)
    dangling = out == 0
    links /= np.where(dangling, 1.0, out)[:, None, :]
    ranks = np.full((len(outcome), n), 1 / n)
    for _ in range(_STEPS):
        lost = (ranks * dangling).sum(1, keepdims=True)
        before = ranks
        ranks = DAMPING * np.matvec(links, ranks) + (1 - DAMPING + DAMPING * lost) / n
        if np.abs(ranks - before).max() < _EQUAL / 10:
            break
    return -ranks


_POINTS: Floats = np.array([1.0, 0.0, 0.5])


def _information(outcome: NDArray[np.int8], winner: Ints, n: int) -> Floats:
    """Mutual information (u,) in nats between each pair's answer and the winner, over completions (c,)."""
    c = len(winner)
    wins = np.eye(n)[winner]
    wins = wins[:, wins.any(0)]
    total = np.zeros(outcome.shape[1])
    base = wins.sum(0) / c
    for answer in range(3):
        given = (outcome == answer).astype(np.float64)
        joint = given.T @ wins / c
        share = given.mean(0)
        with np.errstate(divide="ignore", invalid="ignore"):
            term = joint * np.log(joint / (share[:, None] * base[None]))
        total += np.where(joint > 0, term, 0.0).sum(1)
    return total


def points(n: int, answers: Mapping[tuple[int, int], int]) -> Floats:
    """Points (n,) of a table: 1 for a win, 1/2 for a tie."""
    found = np.zeros(n)
    for (i, j), answer in answers.items():
        found[i] += _POINTS[answer]
        found[j] += 1 - _POINTS[answer]
    return found


def most_points(n: int, answers: Mapping[tuple[int, int], int]) -> Sequence[int]:
    """The items with the most points, more than one where they are equal."""
    found = points(n, answers)
    return [int(i) for i in np.flatnonzero(found >= found.max() - 1e-9)]
