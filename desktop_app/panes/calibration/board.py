"""The calibration pane's data: a scenario's fit and the original fit, in a layout that stays the same for both."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from engine.calibration.comparison import Moves, moves
from engine.calibration.decisions import weak_referees
from engine.calibration.records import Bools, Floats, Ints
from engine.calibration.tasks import Refit

Bank = Literal["score", "bias", "trust"]
_EARLY = 8
"""Number of characters of a name that fit into the narrowest lists."""
LEAST_TRUST, MOST_TRUST = -12.0, 12.0
"""Limits of the trust sliders (gamma, in nats)."""


@dataclass(frozen=True, slots=True, eq=False)
class Board:
    """Columns are items by their original rank, rows are referees by their original bias, the strictest last.

    ``column`` (N,) and ``row`` (N,) place the reviews that count, ``size`` (N,) in 0..1 is the square root of a
    review's weight over the 98th percentile, ``tone`` (N,) its standardised residual, NaN if unknown. ``crossed``
    are (column, row) of excluded reviews.
    """

    current: Refit
    original: Refit
    cutoff: int | None
    item_at: Ints
    referee_at: Ints
    column_of: Ints
    row_of: Ints
    column: Ints
    row: Ints
    size: Floats
    tone: Floats
    crossed: tuple[tuple[int, int], ...]
    score_range: tuple[float, float]
    bias_range: float
    trust_range: tuple[float, float]
    moved: Moves
    weak: Bools

    @property
    def items(self) -> tuple[str, ...]:
        return self.current.prepared.reviews.items

    @property
    def differ_early(self) -> bool:
        """Whether items' names differ in their first characters, so that they may be cut off at the end."""
        return len({name[:_EARLY] for name in self.items}) == len(self.items)

    @property
    def referees(self) -> tuple[str, ...]:
        return self.current.prepared.reviews.referees

    def ranked(self) -> Ints:
        """Returns the items in order of the current rank, those without one last."""
        return np.argsort(np.nan_to_num(self.moved.after, nan=np.inf), kind="stable")

    def values(self, bank: Bank, *, original: bool = False) -> Floats:
        """Returns a bank's slider values for all items (I,) or referees (R,): scores, biases or trusts (gamma; infinite
        trust is clipped to the upper limit). NaN where there is none."""
        fit = (self.original if original else self.current).calibration
        if bank == "score":
            return fit.score
        known = fit.bias if bank == "bias" else np.clip(fit.trust, *self.trust_range)
        return np.append(known, np.full(max(len(self.referees) - len(known), 0), np.nan))

    def reviews_at(self, item: int, referee: int) -> Ints:
        """Returns the reviews (indices into the fit) of this referee for this item."""
        reviews = self.current.prepared.reviews
        return np.flatnonzero((reviews.item == item) & (reviews.referee == referee))

    def raw_means(self) -> Floats:
        """Returns each item's plain mean of the reviews that count; NaN without one."""
        reviews = self.current.prepared.reviews
        counts = reviews.reviews_per_item
        means: Floats = np.divide(
            reviews.per_item(reviews.score), counts, out=np.full(len(counts), np.nan), where=counts > 0
        )
        return means

    def raw_biases(self) -> Floats:
        """Returns each referee's plain mean deviation from the fitted scores: the bias before shrinkage."""
        reviews = self.current.prepared.reviews
        counts = reviews.reviews_per_referee
        around = reviews.score - self.current.calibration.score[reviews.item]
        total = reviews.per_referee(around)  # NaN if no score is known for any of their items
        means: Floats = np.divide(total, counts, out=np.full(len(counts), np.nan), where=counts > 0)
        return means


def make_board(current: Refit, original: Refit, cutoff: int | None) -> Board:
    """Creates a board from ``current`` and ``original``, fits of the same table."""
    fit, reviews = current.calibration, current.prepared.reviews
    item_at = np.argsort(-np.nan_to_num(original.calibration.score, nan=-np.inf), kind="stable")
    known_bias = np.nan_to_num(original.calibration.bias, nan=-np.inf)
    bias = np.append(known_bias, np.full(len(reviews.referees), -np.inf))[: len(reviews.referees)]
    referee_at = np.argsort(-bias, kind="stable")
    column_of, row_of = np.empty_like(item_at), np.empty_like(referee_at)
    column_of[item_at] = np.arange(len(item_at))
    row_of[referee_at] = np.arange(len(referee_at))
    weight = np.nan_to_num(fit.weight)
    # Scaled to the 98th percentile, or a few reviews by the most trusted referees would dwarf all others.
    top = float(np.quantile(weight, 0.98)) if len(weight) else 1.0
    crossed = []
    if current.prepared.excluded:
        whole = original.prepared
        here = np.isin(whole.source, np.fromiter(current.prepared.excluded, dtype=np.int64))
        crossed = [
            (int(column_of[i]), int(row_of[r]))
            for i, r in zip(whole.reviews.item[here], whole.reviews.referee[here], strict=True)
        ]
    scores = np.concatenate((reviews.score, original.prepared.reviews.score, fit.score[~np.isnan(fit.score)]))
    biases = np.concatenate((np.abs(fit.bias), np.abs(original.calibration.bias)))
    return Board(
        current=current, original=original, cutoff=cutoff, item_at=item_at, referee_at=referee_at,
        column_of=column_of, row_of=row_of, column=column_of[reviews.item], row=row_of[reviews.referee],
        size=np.sqrt(np.clip(weight / (top or 1.0), 0.02, 1.0)), tone=fit.residual * np.sqrt(weight),
        crossed=tuple(crossed), score_range=_range(scores),
        bias_range=max(float(np.nan_to_num(biases).max(initial=0.0)) * 1.3, 0.1 * np.ptp(_range(scores))),
        trust_range=_trust_range(np.concatenate((fit.trust, original.calibration.trust))),
        moved=moves(original.calibration.score, fit.score, cutoff), weak=weak_referees(reviews, fit),
    )  # fmt: skip


def _trust_range(values: Floats) -> tuple[float, float]:
    known = values[np.isfinite(values)]
    low, high = (float(known.min()), float(known.max())) if len(known) else (-2.0, 2.0)
    return max(low - 2.0, LEAST_TRUST), min(high + 2.0, MOST_TRUST)


def _range(values: Floats) -> tuple[float, float]:
    low, high = (float(values.min()), float(values.max())) if len(values) else (0.0, 1.0)
    room = 0.05 * (high - low) or 0.5
    return low - room, high + room
