"""A measure with its uncertainty."""

from __future__ import annotations

from dataclasses import dataclass
from math import isnan


@dataclass(frozen=True, slots=True)
class Estimate:
    """A measure with its 95 % interval; ``n`` is the number of units that count. NaN where it is not defined."""

    value: float
    low: float
    high: float
    n: int

    @property
    def known(self) -> bool:
        """Whether there is a value at all."""
        return not isnan(self.value)


NOTHING = Estimate(float("nan"), float("nan"), float("nan"), 0)
