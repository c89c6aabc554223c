"""Simulated annotators: the cost of a schedule and whether it finds the winner, with a known truth.

Two kinds of noise that give the same kappa. *Close calls*: answers follow Bradley-Terry with ties (Davidson, 1970), so
annotators differ where candidates are nearly equal. *Carelessness*: annotators know the true order, but answer a share
of pairs at random, however clear. Real annotators are in between.
"""

from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass
from typing import Literal

import numpy as np

from engine.rebuttal.preferences.bradley_terry import probabilities
from engine.rebuttal.preferences.pagerank import pagerank
from engine.rebuttal.preferences.records import Comparison, Floats
from engine.rebuttal.preferences.scheduler import Goal, choose

Noise = Literal["close calls", "careless"]
Table = Mapping[tuple[int, int], int]
TIE = -1.0
_DRAWS = 40_000


def most_points(n: int, answers: Mapping[tuple[int, int], int]) -> Sequence[int]:
    """Returns the items with the most points (1 for a win, 1/2 for a tie), several if they are equal."""
    found = np.zeros(n)
    for (i, j), answer in answers.items():
        gained = (1.0, 0.0, 0.5)[answer]
        found[i] += gained
        found[j] += 1 - gained
    return [int(i) for i in np.flatnonzero(found >= found.max() - 1e-9)]


@dataclass(frozen=True, slots=True)
class Annotators:
    """``level`` is the spread of strengths (close calls) or the share of careless answers; ``tie`` Davidson's e."""

    noise: Noise
    level: float
    tie: float = TIE


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome for one simulated cluster, judged pair by pair until the schedule ended.

    ``share`` is the number of judgements over n(n-1)/2; ``same`` whether the winner is one of the exhaustive schedule's
    (the same annotator, every pair), ``same_pagerank`` whether it has the lowest PageRank there, ``true`` whether it is
    the best candidate; ``exhaustive_true`` the same for the exhaustive schedule, shared by equal winners.
    """

    share: float
    same: bool
    same_pagerank: bool
    true: bool
    exhaustive_true: float


@dataclass(frozen=True, slots=True)
class Curve:
    """Means over simulated clusters of ``n`` candidates."""

    n: int
    runs: int
    share: float
    same: float
    same_pagerank: float
    true: float
    exhaustive_true: float


def answer_chances(annotators: Annotators, strength: Floats) -> tuple[list[tuple[int, int]], Floats]:
    """Returns all pairs (i < j), and the probabilities (m, 3) of the first, the second and a tie."""
    one, two = np.triu_indices(len(strength), 1)
    if annotators.noise == "close calls":
        chances = probabilities(strength * annotators.level, one, two, annotators.tie)
    else:
        clear = np.zeros((len(one), 3))
        clear[np.arange(len(one)), np.where(strength[one] > strength[two], 0, 1)] = 1.0
        chances = (1 - annotators.level) * clear + annotators.level * np.array([0.45, 0.45, 0.1])
    return [(int(i), int(j)) for i, j in zip(one, two, strict=True)], chances


def expected_kappa(annotators: Annotators) -> float:
    """Returns Cohen's kappa of two such annotators on pairs of candidates with normally distributed strength."""
    strengths = np.random.default_rng(0).standard_normal((_DRAWS, 2))
    first, second = np.array([0]), np.array([1])
    if annotators.noise == "close calls":
        chances = probabilities(strengths * annotators.level, first, second, annotators.tie)[:, 0]
    else:
        found = [answer_chances(annotators, pair)[1][0] for pair in (np.array([1.0, 0.0]), np.array([0.0, 1.0]))]
        chances = np.stack(found)
    observed = float((chances**2).sum(1).mean())
    by_chance = float((chances.mean(0) ** 2).sum())
    return (observed - by_chance) / (1 - by_chance)


def annotators_of(kappa: float, noise: Noise = "close calls", tie: float = TIE) -> Annotators:
    """Returns annotators with this kappa (0 to 1), found by bisection."""
    low, high = (0.01, 30.0) if noise == "close calls" else (0.0, 1.0)
    for _ in range(40):
        middle = (low + high) / 2
        too_little = expected_kappa(Annotators(noise, middle, tie)) < kappa
        if too_little == (noise == "close calls"):
            low = middle
        else:
            high = middle
    return Annotators(noise, (low + high) / 2, tie)


def draw_table(annotators: Annotators, strength: Floats, generator: np.random.Generator) -> Table:
    """Draws one annotator's answers to all pairs (i < j): 0 the first, 1 the second, 2 a tie."""
    pairs, chances = answer_chances(annotators, strength)
    drawn = generator.random(len(pairs))
    answers = (drawn > chances[:, 0]).astype(int) + (drawn > chances[:, 0] + chances[:, 1])
    return {pair: int(answer) for pair, answer in zip(pairs, answers, strict=True)}


def simulate(annotators: Annotators, n: int, generator: np.random.Generator, goal: Goal = "pagerank") -> Outcome:
    """Simulates one cluster of ``n`` normally distributed candidates, judged by one annotator adaptively."""
    strength = generator.standard_normal(n)
    table = draw_table(annotators, strength, generator)
    answered: dict[tuple[int, int], int] = {}
    while (step := choose(n, answered, generator, goal=goal)).pair is not None:
        answered[step.pair] = table[step.pair]
    winners = most_points(n, table)
    ranks = pagerank(n, as_comparisons(table))
    best = int(strength.argmax())
    return Outcome(
        len(answered) / len(table),
        step.winner in winners,
        bool(ranks[step.winner] <= ranks.min() + 1e-9),
        step.winner == best,
        (best in winners) / len(winners),
    )


def curve(annotators: Annotators, sizes: Sequence[int], runs: int, *, goal: Goal = "pagerank") -> tuple[Curve, ...]:
    """Returns the adaptive schedule's cost and accuracy by number of candidates; reproducible."""
    rows = []
    for n in sizes:
        generators = (np.random.default_rng((0, n, run)) for run in range(runs))
        found = [astuple(simulate(annotators, n, generator, goal)) for generator in generators]
        rows.append(Curve(n, runs, *np.mean(found, axis=0).tolist()))
    return tuple(rows)


def as_comparisons(table: Table) -> list[Comparison]:
    """Converts a table's answers to comparisons, with the first of each pair on the left."""
    return [Comparison(i, j, None if answer == 2 else (1 if answer else 0)) for (i, j), answer in table.items()]
