"""Compares all calibrators on one table, and two rankings with each other."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from engine.calibration.bayes import TOLERANCE
from engine.calibration.ranking import among_first, ranks
from engine.calibration.records import Calibration, Floats, Ints, Reviews
from engine.calibration.registry import CALIBRATORS, calibrate
from engine.errors import BadInput
from engine.measures.estimate import FEWEST


@dataclass(frozen=True, slots=True)
class ComparisonRow:
    """One method compared with the reference, among the items that both rank: Spearman's correlation of the ranks (from
    ``FEWEST`` items) and their mean absolute difference; and how many items cross the cut-off. No likelihood is given
    if a method fits other numbers than the scores. ``refusal`` says why there is no result."""

    method: str
    title: str
    average_log_likelihood: float | None
    correlation: float | None
    mean_rank_difference: float | None
    crossings: int | None
    refusal: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Moves:
    """Changes between two fits of the same items: ``before`` and ``after`` are ranks (I,), NaN if there is none;
    ``count`` is the number of ranks that changed by more than the fits' tolerance explains; ``rising`` and ``falling``
    are the items that moved above and below the cut-off."""

    before: Floats
    after: Floats
    count: int
    rising: Ints
    falling: Ints

    @property
    def change(self) -> Floats:
        """Places gained (above 0) or lost, (I,)."""
        return self.before - self.after


def moves(before: Floats, after: Floats, cutoff: int | None) -> Moves:
    """Compares the rankings by the scores ``before`` and ``after``, both (I,)."""
    first, second = ranks(before), ranks(after)
    above_before, above_after = among_first(before, cutoff), among_first(after, cutoff)
    both = ~np.isnan(first) & ~np.isnan(second)
    # The last sweep changed no score by more than the tolerance, but the remaining distance may be several times that.
    slack = 10.0 * TOLERANCE * float(after[both].std()) if both.any() else 0.0
    order = np.sort(-after[~np.isnan(second)])
    best = np.searchsorted(order, -after[both] - slack, "left")
    worst = np.searchsorted(order, -after[both] + slack, "right")
    place = first[both]
    return Moves(
        first,
        second,
        int(((place < best + 0.5) | (place > worst + 0.5)).sum()),
        np.flatnonzero(above_after & ~above_before),
        np.flatnonzero(above_before & ~above_after),
    )


def compare(
    reviews: Reviews,
    reference: Calibration,
    cutoff: int | None = None,
    methods: Sequence[str] | None = None,
    *,
    progress: Callable[[float, str], None] = lambda _fraction, _words: None,
    check: Callable[[], None] = lambda: None,
) -> tuple[ComparisonRow, ...]:
    """Compares every method (or those named) with ``reference``, a fit of the same reviews."""
    names = tuple(methods or CALIBRATORS)
    rows = []
    for done, name in enumerate(names):
        title = CALIBRATORS[name].title
        progress(done / len(names), title)
        try:
            found = reference if name == reference.method else calibrate(reviews, name, check=check)[0]
        except BadInput as refusal:
            rows.append(ComparisonRow(name, title, None, None, None, None, str(refusal)))
            continue
        moved = moves(reference.score, found.score, cutoff)
        both = ~np.isnan(moved.before) & ~np.isnan(moved.after)
        # Ranks among the items that both rank: a method may rank one connected group only.
        first, second = ranks(reference.score[both]), ranks(found.score[both])
        rows.append(
            ComparisonRow(
                name,
                title,
                None if name in _OTHER_UNITS else found.average_log_likelihood,
                _correlation(first, second),
                float(np.abs(first - second).mean()) if both.any() else None,
                len(moved.rising) if cutoff else None,
            )
        )
    return tuple(rows)


_OTHER_UNITS = {"zscore", "ordinal"}
"""They fit other numbers than the scores, so their likelihoods aren't comparable with the rest."""


def _correlation(one: Floats, other: Floats) -> float | None:
    if len(one) < FEWEST or np.ptp(one) == 0 or np.ptp(other) == 0:
        return None
    return float(np.corrcoef(one, other)[0, 1])
