"""Reviews with a known truth (section 5 of IDSIA-25-98, eq. (12)), from a seeded generator.

Known from the report: 1,500 items, 500 referees, 4,500 reviews, and its table of results. The printed constants of
eq. (12) were missing: the spreads below were chosen, once, so that configurations a) to d) run by us come near the
published column (seeds 0 to 3, see docs/methods-calibration.md), and have been left alone since.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.calibration.records import Floats, Ints, Reviews

_REPAIRS = 100


@dataclass(frozen=True, slots=True)
class Design:
    """How reviews are drawn. Spreads are standard deviations; confidence and trust are log-normal precisions.

    ``score_spread`` and ``bias_spread`` are in score units, the rest in nats of log precision.
    """

    items: int = 1500
    referees: int = 500
    per_item: int = 3
    score_spread: float = 1.0
    bias_spread: float = 0.35
    trust_mean: float = 2.75
    trust_spread: float = 1.2
    confidence_mean: float = 3.25
    confidence_spread: float = 1.25

    @property
    def prior_precision(self) -> float:
        """lambda as it is in the truth."""
        return self.bias_spread**-2


@dataclass(frozen=True, slots=True, eq=False)
class Drawn:
    """Reviews and the truth behind them: ``score`` (I,), ``bias`` and ``trust`` (gamma), both (R,)."""

    reviews: Reviews
    score: Floats
    bias: Floats
    trust: Floats


def draw(design: Design, rng: np.random.Generator) -> Drawn:
    """Eq. (12): true scores, biases, trusts and confidences, then scores with the variance of eq. (7)."""
    count = design.items * design.per_item
    score = rng.normal(0.0, design.score_spread, design.items)
    bias = rng.normal(0.0, design.bias_spread, design.referees)
    trust = rng.normal(design.trust_mean, design.trust_spread, design.referees)
    item = np.repeat(np.arange(design.items), design.per_item)
    referee = assign(design, rng)
    confidence = np.exp(rng.normal(design.confidence_mean, design.confidence_spread, count))
    spread = np.sqrt(np.exp(-trust[referee]) + 1.0 / confidence)
    observed = score[item] + bias[referee] + spread * rng.standard_normal(count)
    items = tuple(f"item {number}" for number in range(1, design.items + 1))
    referees = tuple(f"referee {number}" for number in range(1, design.referees + 1))
    return Drawn(Reviews(item, referee, observed, confidence, items, referees), score, bias, trust)


def assign(design: Design, rng: np.random.Generator) -> Ints:
    """A referee for each of I x per_item reviews: loads as equal as can be, nobody twice on one item; shape (N,).

    Raises:
        ValueError: fewer referees than reviews per item.
    """
    if design.referees < design.per_item:
        raise ValueError("an item cannot have more reviews than there are referees")
    dealt = np.resize(rng.permutation(design.referees), design.items * design.per_item)
    table = rng.permutation(dealt).reshape(design.items, design.per_item)
    for _ in range(_REPAIRS):
        # A place whose referee has the item twice changes hands with a random place elsewhere.
        order = np.argsort(table, axis=1, kind="stable")
        ordered = np.take_along_axis(table, order, axis=1)
        row, column = np.nonzero(np.diff(ordered, axis=1) == 0)
        if not len(row):
            return table.ravel()
        for i, j in zip(row, order[row, column + 1], strict=True):
            k, m = rng.integers(design.items), rng.integers(design.per_item)
            table[i, j], table[k, m] = table[k, m], table[i, j]
    # So dense that repairs do not end: deal in turn, which never gives an item the same referee twice.
    return dealt
