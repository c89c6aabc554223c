"""All participants under the selected algorithm and another one: losses, and papers in the algorithm's order."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import (
    QModelIndex,
    QPersistentModelIndex,
    QRect,
    QRectF,
    QSignalBlocker,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QShowEvent, QStandardItem, QStandardItemModel
from PySide6.QtWidgets import (
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from desktop_app.panes.expertise.state import HINT
from desktop_app.theme import theme
from desktop_app.widgets.choice_box import ChoiceBox
from desktop_app.widgets.labels import text_label
from desktop_app.widgets.layouts import column, row
from desktop_app.widgets.row_list import RowList, paint_row_ground
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

Index = QModelIndex | QPersistentModelIndex
ROW, HEAD = 44, 24
_NAME, _LOSS, _BAR, _MOST = 118, 44, 11, 10
STANDING = int(Qt.ItemDataRole.UserRole)
SORTS = {
    "loss": "Highest loss first",
    "gain": "Largest gain over the other first",
    "name": "By name",
}


def misplaced(order: Sequence[RankedPaper]) -> tuple[bool, ...]:
    """Which papers come after one that was rated lower."""
    return tuple(any(above.rating < paper.rating for above in order[:at]) for at, paper in enumerate(order))


def _figure(loss: float | None) -> str:
    return "–" if loss is None else f"{loss:.2f}"


def _ratings(order: Sequence[RankedPaper]) -> str:
    return ", ".join(f"{paper.rating:g}" for paper in order)


def columns(width: int) -> tuple[int, int]:
    """Left end of the algorithms' halves, and the width of one, in pixels."""
    left = theme().px(_NAME)
    return left, max((width - left - 12) // 2, 1)


class PeopleDelegate(QStyledItemDelegate):
    """Name, then for each algorithm the loss and the ratings as bars in the algorithm's order: bars that only get
    shorter are a right order; what comes too late is amber and has a dot."""

    def sizeHint(self, _option: QStyleOptionViewItem, _index: Index) -> QSize:
        return QSize(100, theme().px(ROW))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        standing: Standing = index.data(STANDING)
        tokens, rect = theme().tokens, QRect(option.rect)
        painter.save()
        paint_row_ground(painter, option, selected=bool(option.state & QStyle.StateFlag.State_Selected))
        painter.setFont(theme().font("body"))
        painter.setPen(QColor(tokens.ink))
        name = rect.adjusted(12, 0, theme().px(_NAME) - rect.width() - 6, 0)
        words = painter.fontMetrics().elidedText(standing.name, Qt.TextElideMode.ElideRight, name.width())
        painter.drawText(name, Qt.AlignmentFlag.AlignVCenter, words)
        left, half = columns(rect.width())
        place = QRectF(rect.left() + left, rect.top(), half, rect.height())
        self._paint_half(painter, place, standing.loss, standing.order)
        if standing.other_order:
            self._paint_half(painter, place.translated(half, 0), standing.other_loss, standing.other_order)
        painter.restore()

    @staticmethod
    def _paint_half(painter: QPainter, place: QRectF, loss: float | None, order: Sequence[RankedPaper]) -> None:
        tokens, px = theme().tokens, theme().px
        painter.setFont(theme().font("small", tabular=True))
        painter.setPen(QColor(tokens.ink))
        figure = QRectF(place.left(), place.top(), px(_LOSS) - 10, place.height())
        painter.drawText(figure, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, _figure(loss))
        step = min(px(_BAR), (place.width() - px(_LOSS) - 12) / max(len(order), _MOST))
        floor, tallest = place.bottom() - 8, place.height() - 18
        painter.setPen(Qt.PenStyle.NoPen)
        for number, (paper, wrong) in enumerate(zip(order, misplaced(order), strict=True)):
            x, height = place.left() + px(_LOSS) + number * step, 3 + (paper.rating - 1) / 4 * (tallest - 3)
            painter.setBrush(QColor(tokens.data["attention"].mark if wrong else tokens.control_border))
            painter.drawRect(QRectF(x, floor - height, step - 2, height))
            if wrong:
                painter.drawEllipse(QRectF(x + step / 2 - 2.5, floor - height - 5, 3, 3))


class _Head(QWidget):
    """The names of the two algorithms above their halves."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAccessibleName("Columns")
        self.names = ("", "")
        theme().changed.connect(self._resize)
        self._resize()

    def show_names(self, one: str, other: str) -> None:
        self.names = (one, other)
        self.setAccessibleDescription(f"{one} beside {other}" if other else one)
        self.update()

    def _resize(self) -> None:
        self.setFixedHeight(theme().px(HEAD))

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setFont(theme().font("small"))
        painter.setPen(QColor(theme().tokens.muted))
        left, half = columns(self.width())
        painter.drawText(QRectF(12, 0, left - 12, self.height()), Qt.AlignmentFlag.AlignVCenter, "participant")
        for number, name in enumerate(self.names):
            place = QRectF(left + number * half + theme().px(12), 0, half - theme().px(16), self.height())
            words = painter.fontMetrics().elidedText(name, Qt.TextElideMode.ElideRight, round(place.width()))
            painter.drawText(place, Qt.AlignmentFlag.AlignVCenter, words)
        painter.end()


class PeoplePage(QWidget):
    """Two algorithms over all participants, compared while the page is visible."""

    person_chosen = Signal(str)
    other_chosen = Signal(str)
    """The run that the selected one is compared with."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Participants")
        self._shown: tuple[Data, Outcome, Outcome | None] | None = None
        self._stale = False
        self._drilled: dict[str, Drilled] = {}
        self.rows: tuple[Standing, ...] = ()
        self.comparison: Comparison | None = None
        self.other = ChoiceBox("Other algorithm", letters=14, parent=self)
        self.other.picked.connect(self.other_chosen.emit)
        self.sorting = ChoiceBox("Order of participants", letters=14, parent=self)
        self.sorting.show_entries([(title, key) for key, title in SORTS.items()], "loss")
        self.sorting.picked.connect(lambda _key: self._compute())
        self.text = text_label("", "body", wrap=True, parent=self)
        self.text.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.text.setContentsMargins(12, 0, 12, 4)
        self._head = _Head(self)
        self._items = QStandardItemModel(self)
        self.list = RowList("Participants and their papers in the algorithm's order", self)
        self.list.setModel(self._items)
        self.list.setItemDelegate(PeopleDelegate(self.list))
        self.list.set_message(HINT)
        self.list.selectionModel().currentChanged.connect(self._current_changed)
        name = text_label("Compare with", "muted", parent=self)
        legend = text_label(
            "Bars are ratings, from left to right in the algorithm's order. An amber bar with a dot comes after a"
            " paper that was rated lower.", "small", wrap=True, parent=self,
        )  # fmt: skip
        head = row(name, (self.other, 1), (self.sorting, 1), margins=(12, 8, 12, 4))
        column(head, self.text, self._head, (self.list, 1), row(legend, margins=(12, 4, 12, 8)), of=self)

    def show_outcome(self, data: Data | None, one: Outcome | None, others: Sequence[Outcome], against: str) -> None:
        """Shows a result beside another one, ``against`` (a run id), or beside the first of ``others``."""
        if self._shown is None or data is not self._shown[0]:
            self._drilled.clear()
        self.other.show_entries([(f"{o.run.label}, {o.run.representation}", o.run.id) for o in others], against)
        other = next((o for o in others if o.run.id == self.other.value), None)
        self._shown = (data, one, other) if data is not None and one is not None else None
        self._stale = True
        if self.isVisible():
            self._compute()

    def show_person(self, participant: str) -> None:
        """Selects a participant without emitting ``person_chosen``."""
        at = next((at for at, standing in enumerate(self.rows) if standing.participant == participant), -1)
        with QSignalBlocker(self.list.selectionModel()):
            self.list.select_row(at)
        self.list.viewport().update()

    @property
    def participant(self) -> str:
        """The selected participant; "" for none."""
        at = self.list.currentIndex().row()
        return self.rows[at].participant if 0 <= at < len(self.rows) else ""

    def step(self, by: int) -> None:
        """Goes to the next or previous participant."""
        if self.rows:
            self.list.select_row(min(max(self.list.currentIndex().row() + by, 0), len(self.rows) - 1))

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._stale:
            self._compute()

    def _of(self, data: Data, outcome: Outcome) -> Drilled:
        if outcome.run.id not in self._drilled:
            self._drilled[outcome.run.id] = drilled(data, outcome)
        return self._drilled[outcome.run.id]

    def _compute(self) -> None:
        kept, self._stale, self.comparison, self.rows = self.participant, False, None, ()
        names, words = ("", ""), ""
        if self._shown is not None:
            data, outcome, other = self._shown
            one, beside = self._of(data, outcome), self._of(data, other) if other is not None else None
            self.rows = in_order(standings(data, one, beside), self.sorting.value)
            names = (outcome.run.label, other.run.label if other is not None else "")
            words = "Run a second algorithm to compare with."
            if beside is not None:
                self.comparison = compare(one, beside)
                words = comparison_words(self.comparison, *names)
        self._fill()
        self._head.show_names(*names)
        self.text.setText(words)
        self.show_person(kept)

    def _fill(self) -> None:
        with QSignalBlocker(self.list.selectionModel()):
            self._items.clear()
            for standing in self.rows:
                item = QStandardItem(standing.name)
                item.setData(standing, STANDING)
                words = described(standing)
                item.setToolTip(words)
                item.setData(words, Qt.ItemDataRole.AccessibleTextRole)
                self._items.appendRow(item)

    def _current_changed(self, *_indices: object) -> None:
        if self.participant:
            self.person_chosen.emit(self.participant)


def in_order(rows: Sequence[Standing], by: str) -> tuple[Standing, ...]:
    """Participants in one of the ``SORTS``."""
    if by == "name":
        return tuple(sorted(rows, key=lambda row: row.name.casefold()))
    if by == "gain":
        return tuple(sorted(rows, key=lambda row: (row.loss or 0.0) - (row.other_loss or 0.0)))
    return tuple(sorted(rows, key=lambda row: -(row.loss if row.loss is not None else -1.0)))


def described(standing: Standing) -> str:
    """A row in words."""
    words = f"{standing.name}: loss {_figure(standing.loss)}, ratings in this order: {_ratings(standing.order)}"
    if standing.other_order:
        words += f"; the other algorithm {_figure(standing.other_loss)}: {_ratings(standing.other_order)}"
    return words


def comparison_words(found: Comparison, one: str, other: str) -> str:
    """The difference with its interval, and which pairs each orders correctly, in two sentences."""
    apart, tally = found.difference, found.tally
    way = "lower" if apart.value < 0 else "higher"
    sure = "" if apart.low > 0 or apart.high < 0 else ", which may be chance"
    span = f"95 % of the difference {apart.low:+.3f} to {apart.high:+.3f}{sure}"
    return (
        f"The loss of {one} is {abs(apart.value):.3f} {way} ({span}). Both order {tally.both} pairs correctly,"
        f" {one} alone {tally.only_one} (worth {tally.worth[0]:g}),"
        f" {other} alone {tally.only_other} (worth {tally.worth[1]:g}), neither {tally.neither}."
    )
