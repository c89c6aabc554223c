"""Generates reviews with known true scores from a seeded generator: eq. (12) of IDSIA-25-98, and three departures from
it."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from engine.calibration.records import Floats, Ints, Reviews

Break = Literal["none", "careless", "confidence", "steps"]


@dataclass(frozen=True, slots=True)
class Design:
    """How reviews are drawn; defaults are the report's constants. Spreads are standard deviations in score units
    (trust: nats).

    ``breaks`` departs from the error model: "careless", one review in ten ignores the item; "confidence", stated
    confidences are unrelated to the errors; "steps", scores are rounded and clipped to a scale of nine steps, two units
    each.
    """

    items: int = 1500
    referees: int = 500
    per_item: int = 3
    score_spread: float = 3.0
    bias_spread: float = 1.0
    trust_mean: float = 0.0
    trust_spread: float = 1.0
    stated_spread: float = 0.5
    floor: float = 0.1
    breaks: Break = "none"


@dataclass(frozen=True, slots=True, eq=False)
class Drawn:
    """Reviews and their true values: ``score`` (I,), ``bias`` and ``trust`` (gamma), both (R,)."""

    reviews: Reviews
    score: Floats
    bias: Floats
    trust: Floats


def draw(design: Design, rng: np.random.Generator) -> Drawn:
    """Eq. (12): s_ir = s_i + beta_r + mu_ir + nu_ir and c_ir = 1 / (nu_ir^2 + 0.1), where mu_ir ~ N(0, exp(-gamma_r/2))
    is unknown and nu_ir ~ N(0, 0.5) is known to the referee."""
    count = design.items * design.per_item
    score = rng.normal(0.0, design.score_spread, design.items)
    bias = rng.normal(0.0, design.bias_spread, design.referees)
    trust = rng.normal(design.trust_mean, design.trust_spread, design.referees)
    item = np.repeat(np.arange(design.items), design.per_item)
    referee = assign(design, rng)
    hidden = np.exp(-0.5 * trust[referee]) * rng.standard_normal(count)
    stated = rng.normal(0.0, design.stated_spread, count)
    observed = score[item] + bias[referee] + hidden + stated
    confidence = 1.0 / (stated**2 + design.floor)
    if design.breaks == "careless":
        observed = np.where(rng.random(count) < 0.1, rng.normal(0.0, design.score_spread, count), observed)
    elif design.breaks == "confidence":
        confidence = rng.permutation(confidence)
    elif design.breaks == "steps":
        observed = 2.0 * np.clip(np.round(observed / 2.0), -4, 4)
    items = tuple(f"item {number}" for number in range(1, design.items + 1))
    referees = tuple(f"referee {number}" for number in range(1, design.referees + 1))
    return Drawn(Reviews(item, referee, observed, confidence, items, referees), score, bias, trust)


def assign(design: Design, rng: np.random.Generator) -> Ints:
    """Draws a random referee for each of I x per_item reviews, never twice for one item; shape (N,). Raises ValueError
    if there are fewer referees than reviews per item."""
    if design.referees < design.per_item:
        raise ValueError("an item cannot have more reviews than there are referees")
    return np.concatenate([rng.choice(design.referees, design.per_item, replace=False) for _ in range(design.items)])
