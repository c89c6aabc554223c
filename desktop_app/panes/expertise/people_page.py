"""All participants with the selected and another algorithm: losses, and papers in the algorithm's order."""

from collections.abc import Sequence
from math import isnan

from PySide6.QtCore import QRect, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QShowEvent
from PySide6.QtWidgets import QWidget

from desktop_app.panes.expertise.state import HINT
from desktop_app.theme import theme
from desktop_app.widgets.fields import ChoiceBox
from desktop_app.widgets.labels import ElidedLabel, text_label
from desktop_app.widgets.layouts import TOP, column, fix_width, row, tall_enough
from desktop_app.widgets.record_list import LEFT, RIGHT, RecordList, draw_text
from engine.expertise.laboratory import (
    Comparison,
    Data,
    Drilled,
    Outcome,
    RankedPaper,
    Standing,
    compare,
    drilled,
    standings,
)
from engine.measures.estimate import FEWEST

ROW = 44
_NAME, _LOSS, _BAR, _MOST = 118, 44, 11, 10
SORTS = (("Highest loss first", "loss"), ("Largest gain over the other first", "gain"), ("By name", "name"))


def misplaced(order: Sequence[RankedPaper]) -> tuple[bool, ...]:
    return tuple(any(above.rating < paper.rating for above in order[:at]) for at, paper in enumerate(order))


def _figure(loss: float | None) -> str:
    return "–" if loss is None else f"{loss:.2f}"


def _ratings(order: Sequence[RankedPaper]) -> str:
    return ", ".join(f"{paper.rating:g}" for paper in order)


def columns(width: int) -> tuple[int, int]:
    """Returns the left edge of the algorithms' columns and the width of each, in pixels."""
    left = theme().px(_NAME)
    return left, max((width - left - 12) // 2, 1)


def _paint(painter: QPainter, rect: QRect, standing: Standing, _selected: bool) -> None:
    """Paints the name and, for each algorithm, the loss and the ratings as bars in the algorithm's order. Descending
    bars are a correct order; bars placed too late are amber with a dot."""
    name = rect.adjusted(12, 0, theme().px(_NAME) - rect.width() - 6, 0)
    draw_text(painter, name, LEFT, standing.name, theme().font("body"), theme().tokens.ink)
    left, half = columns(rect.width())
    place = QRect(rect.left() + left, rect.top(), half, rect.height())
    _paint_half(painter, place, standing.loss, standing.order)
    if standing.other_order:
        _paint_half(painter, place.translated(half, 0), standing.other_loss, standing.other_order)


def _paint_half(painter: QPainter, place: QRect, loss: float | None, order: Sequence[RankedPaper]) -> None:
    tokens, px = theme().tokens, theme().px
    figure = QRect(place.left(), place.top(), px(_LOSS) - 10, place.height())
    draw_text(painter, figure, RIGHT, _figure(loss), theme().font("small", tabular=True), tokens.ink)
    step = min(px(_BAR), (place.width() - px(_LOSS) - 12) / max(len(order), _MOST))
    floor, tallest = place.bottom() - 7, place.height() - 18
    painter.setPen(Qt.PenStyle.NoPen)
    for number, (paper, wrong) in enumerate(zip(order, misplaced(order), strict=True)):
        x, height = place.left() + px(_LOSS) + number * step, 3 + (paper.rating - 1) / 4 * (tallest - 3)
        painter.setBrush(QColor(tokens.data["attention"].mark if wrong else tokens.control_border))
        painter.drawRect(QRectF(x, floor - height, step - 2, height))
        if wrong:
            painter.drawEllipse(QRectF(x + step / 2 - 2.5, floor - height - 5, 3, 3))


class PeoplePage(QWidget):
    """Two algorithms compared for all participants; calculated only while the page is visible."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Participants")
        self._shown: tuple[Data, Outcome, Outcome | None] | None = None
        self._stale = False
        self._drilled: dict[str, Drilled] = {}
        self.comparison: Comparison | None = None
        self.other = ChoiceBox("Other algorithm", letters=14, parent=self)
        self.sorting = ChoiceBox("Order of participants", SORTS, letters=14, parent=self)
        self.sorting.picked.connect(self._compute)
        self.text = text_label("", "body", wrap=True, parent=self)
        self.text.setAlignment(TOP)
        self.text.setContentsMargins(12, 0, 12, 4)
        participant = text_label("participant", "small", parent=self)
        fix_width(participant, _NAME)
        self._names = (ElidedLabel("small", self), ElidedLabel("small", self))
        self.list = RecordList(
            "Participants and their papers in the algorithm's order", _paint, lambda _standing: theme().px(ROW),
            described, key=lambda standing: standing.participant, tip=described, parent=self,
        )  # fmt: skip
        self.list.set_message(HINT)
        name = text_label("Compare with", "muted", parent=self)
        legend = text_label(
            "Bars are ratings, from left to right in the algorithm's order. An amber bar with a dot comes after a"
            " paper that was rated lower.", "small", wrap=True, parent=self,
        )  # fmt: skip
        head = row(name, (self.other, 1), (self.sorting, 1), margins=(12, 8, 12, 4))
        names = row(participant, *((name, 1) for name in self._names), margins=(12, 4, 12, 4), spacing=0)
        column(head, self.text, names, (self.list, 1), row(legend, margins=(12, 4, 12, 8)), of=self)
        tall_enough(self)

    def show_outcome(self, data: Data | None, one: Outcome | None, others: Sequence[Outcome], against: str) -> None:
        """Shows a result beside ``against`` (a run id) or, by default, beside the first of ``others``."""
        if self._shown is None or data is not self._shown[0]:
            self._drilled.clear()
        self.other.show_entries([(f"{o.run.label}, {o.run.representation}", o.run.id) for o in others], against)
        other = next((o for o in others if o.run.id == self.other.value), None)
        self._shown = (data, one, other) if data is not None and one is not None else None
        self._stale = True
        if self.isVisible():
            self._compute()

    @property
    def rows(self) -> tuple[Standing, ...]:
        return self.list.records

    @property
    def participant(self) -> str:
        """The id of the selected participant; "" for none."""
        return self.list.current.participant if self.list.current is not None else ""

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._stale:
            self._compute()

    def _of(self, data: Data, outcome: Outcome) -> Drilled:
        if outcome.run.id not in self._drilled:
            self._drilled[outcome.run.id] = drilled(data, outcome)
        return self._drilled[outcome.run.id]

    def _compute(self) -> None:
        kept, self._stale, self.comparison = self.participant, False, None
        rows: tuple[Standing, ...] = ()
        names, words = ("", ""), ""
        if self._shown is not None:
            data, outcome, other = self._shown
            one, beside = self._of(data, outcome), self._of(data, other) if other is not None else None
            rows = in_order(standings(data, one, beside), self.sorting.value)
            names = (outcome.run.label, other.run.label if other is not None else "")
            words = "Run a second algorithm to compare with."
            if beside is not None:
                self.comparison = compare(one, beside)
                words = comparison_words(self.comparison, *names)
        self.list.show_records(rows)
        for label, name in zip(self._names, names, strict=True):
            label.setText(name)
        self.text.setText(words)
        self.list.select(kept)


def in_order(rows: Sequence[Standing], by: str) -> tuple[Standing, ...]:
    if by == "name":
        return tuple(sorted(rows, key=lambda row: row.name.casefold()))
    if by == "gain":
        return tuple(sorted(rows, key=lambda row: (row.loss or 0.0) - (row.other_loss or 0.0)))
    return tuple(sorted(rows, key=lambda row: -(row.loss if row.loss is not None else -1.0)))


def described(standing: Standing) -> str:
    words = f"{standing.name}: loss {_figure(standing.loss)}, ratings in this order: {_ratings(standing.order)}"
    if standing.other_order:
        words += f"; the other algorithm {_figure(standing.other_loss)}: {_ratings(standing.other_order)}"
    return words


def comparison_words(found: Comparison, one: str, other: str) -> str:
    """Describes the difference with its interval and the pairs that each orders correctly, in two sentences."""
    apart, tally = found.difference, found.tally
    if isnan(apart.value):
        return f"{one} and {other} can't be compared: one of them has no scores of two papers with different ratings."
    way = f"is {abs(apart.value):.3f} {'lower' if apart.value < 0 else 'higher'}"
    if abs(apart.value) < 0.0005:
        way = f"is the same as that of {other} to three digits"
    sure = f"; these data {'can' if apart.certain else 'can’t'} tell the two apart"
    known = apart.span("95 % interval {:+z.3f} to {:+z.3f}").replace("-", "−") + sure
    span = known if apart.span() else f"no interval with fewer than {FEWEST} participants"
    return (
        f"The loss of {one} {way} ({span}). Both order {tally.both} pairs correctly,"
        f" {one} alone {tally.only_one} (rating differences: {tally.worth[0]:g} in total),"
        f" {other} alone {tally.only_other} ({tally.worth[1]:g}), neither {tally.neither}."
    )
