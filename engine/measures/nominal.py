"""Agreement of two annotators on labels without an order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from engine.measures import bootstrap, coefficients
from engine.measures.estimate import NOTHING, Estimate

FEWEST = 5
"""With fewer units their resamples are too much alike to say anything: no interval."""


def nominal_kappa(states: Sequence[tuple[str, str]], seed: int = bootstrap.SEED) -> Estimate:
    """Cohen's kappa of pairs of labels, one pair a unit, with its interval (NaN under ``FEWEST`` units); ``NOTHING``
    without any."""
    names = sorted({name for pair in states for name in pair})
    if not names:
        return NOTHING
    at = {name: index for index, name in enumerate(names)}
    counts = np.zeros((len(states), len(names), len(names)))
    for row, (one, two) in enumerate(states):
        counts[row, at[one], at[two]] = 1
    found = bootstrap.estimate(counts, coefficients.kappa, seed=seed)
    return replace(found, low=float("nan"), high=float("nan")) if len(states) < FEWEST else found
