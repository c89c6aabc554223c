"""How far each person is, how fast, and how far they agree with the others who had the same items. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from math import nan
from typing import Any

import numpy as np

from engine.measures import bootstrap
from engine.measures.coefficients import nominal_kappa
from engine.measures.estimate import NOTHING, Estimate
from engine.packages.answers import Answer
from engine.packages.merging import canonical
from engine.packages.records import Role

FEWEST = 10
"""Decisions without a pause between them from which on they are a pace."""
PAUSE = 300.0
"""Seconds between two decisions from which on it was a pause, which is no work."""


@dataclass(frozen=True, slots=True)
class Pace:
    """Time at work (pauses of five minutes and more left out), and decisions an hour of it; NaN where there are too few
    decisions without a pause between them.
    """

    seconds: float
    per_hour: float


@dataclass(frozen=True, slots=True)
class Progress:
    """One person's part of a round.

    ``units`` are what is decided one by one (comments, sentences, pairs, papers), without the training set, of which
    ``right`` of ``trained`` answers are as they should be. ``agreed`` is the share of units on which this person and
    another one decided alike, over all others who decided on them; ``kappa`` Cohen's, chance taken off. ``came`` is
    when results came back last.
    """

    person: str
    role: Role
    items: int
    units: int
    decided: int
    right: int
    trained: int
    training: int
    pace: Pace
    agreed: Estimate = NOTHING
    kappa: Estimate = NOTHING
    came: str = ""


def pace(times: Sequence[str]) -> Pace:
    """From the times of decisions (ISO 8601)."""
    moments = sorted(datetime.fromisoformat(one) for one in times)
    gaps = [(later - earlier).total_seconds() for earlier, later in pairwise(moments)]
    worked = [gap for gap in gaps if gap < PAUSE]
    seconds = sum(worked)
    return Pace(seconds, 3600 * len(worked) / seconds if len(worked) >= FEWEST and seconds > 0 else nan)


def agreement(own: Mapping[str, Answer], others: Sequence[Mapping[str, Answer]]) -> tuple[Estimate, Estimate]:
    """The share of decisions alike, and Cohen's kappa, with intervals; a unit counts once for each other person."""
    pairs = [
        (canonical(own[unit].value), canonical(theirs[unit].value))
        for theirs in others
        for unit in sorted(own.keys() & theirs.keys())
    ]
    alike = np.array([one == two for one, two in pairs], dtype=np.float64)
    return bootstrap.mean(alike), nominal_kappa(pairs)


def right(own: Mapping[str, Answer], known: Mapping[str, Any]) -> tuple[int, int]:
    decided = own.keys() & known.keys()
    return sum(own[unit].value == known[unit] for unit in decided), len(decided)
