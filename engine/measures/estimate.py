"""A measure with its uncertainty."""

from dataclasses import dataclass, replace
from math import isfinite, isnan
from typing import Literal

FEWEST = 6
"""With fewer units there is no interval: means of resamples lie between the lowest and the highest unit, and that range
misses the population median with probability 2^(1 - n), more than 5 %. Correlations and coefficients of agreement
beyond chance have no value either: over two units, any correlation is 1 or -1."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A measure with its 95 % interval; ``n`` is the number of units that count. NaN where undefined."""

    value: float
    low: float
    high: float
    n: int

    @property
    def known(self) -> bool:
        return not isnan(self.value)

    def shown(self, form: str = "{:.2f}") -> str:
        """Formats the value, or says why there is none."""
        if self.known:
            return form.format(self.value)
        return f"fewer than {FEWEST} units" if self.n < FEWEST else "not defined"

    def span(self, form: str = "{:.2f} to {:.2f}") -> str:
        """Formats the interval; "" if there is none."""
        return spanned(self.low, self.high, form)


def spanned(low: float, high: float, form: str) -> str:
    """Formats an interval; "" if there is none."""
    return "" if isnan(low) else form.format(low, high)


def defined(value: float | None, digits: int | None = None) -> float | None:
    """Returns ``value`` as a plain number, rounded to ``digits`` if given; None if it isn't finite."""
    if value is None or not isfinite(value):
        return None
    return float(value) if digits is None else round(float(value), digits)


NOTHING = Estimate(float("nan"), float("nan"), float("nan"), 0)


def supported(found: Estimate, units: int | None = None) -> Estimate:
    """Returns a coefficient of agreement, without its value if there are fewer than ``FEWEST`` independent ``units``
    (its ``n``)."""
    units = found.n if units is None else units
    return found if units >= FEWEST else replace(NOTHING, n=units)


Scale = Literal["nominal", "ordinal", "interval"]
Coefficient = Literal["observed", "cohen", "fleiss", "ac1", "alpha", "ordinal", "interval"]
COEFFICIENTS: dict[Coefficient, str] = {
    "observed": "Observed agreement",
    "cohen": "Cohen's kappa, mean over pairs",
    "fleiss": "Fleiss' kappa",
    "ac1": "Gwet's AC1",
    "alpha": "Krippendorff's alpha, nominal",
    "ordinal": "Krippendorff's alpha, ordinal",
    "interval": "Krippendorff's alpha, interval",
}
"""The coefficients with their names, in display order."""
