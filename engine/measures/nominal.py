"""Agreement of two annotators on labels without an order."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engine.measures import bootstrap, coefficients
from engine.measures.estimate import Estimate


def nominal_kappa(states: Sequence[tuple[str, str]]) -> Estimate:
    """Cohen's kappa of pairs of labels, one pair a unit, with its interval (none under ``FEWEST`` units)."""
    names = sorted({name for pair in states for name in pair})
    at = {name: index for index, name in enumerate(names)}
    counts = np.zeros((len(states), len(names), len(names)))
    for row, (one, two) in enumerate(states):
        counts[row, at[one], at[two]] = 1
    return bootstrap.estimate(counts, coefficients.kappa)
