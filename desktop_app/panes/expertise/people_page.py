"""All participants under the algorithm at hand and beside it under another: what was lost, and each one's papers in the
algorithm's order."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QPersistentModelIndex,
    QRect,
    QRectF,
    QSignalBlocker,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QShowEvent
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from desktop_app.theme import theme
from desktop_app.widgets.keys import KeepsKeys
from desktop_app.widgets.labels import text_label
from desktop_app.widgets.row_list import RowList, paint_row_ground
from engine.expertise.comparison import Comparison, Drilled, Standing, compare, drilled, standings
from engine.expertise.laboratory import Data, Outcome, RankedPaper

Index = QModelIndex | QPersistentModelIndex
ROW, HEAD = 44, 24
_NAME, _LOSS, _BAR, _MOST = 118, 44, 11, 10
STANDING = int(Qt.ItemDataRole.UserRole)
SORTS = {
    "loss": "most lost first",
    "gain": "most gained over the other first",
    "name": "by name",
}


def misplaced(order: Sequence[RankedPaper]) -> tuple[bool, ...]:
    """Which papers stand below one that was rated lower."""
    return tuple(any(above.rating < paper.rating for above in order[:at]) for at, paper in enumerate(order))


class PeopleModel(QAbstractListModel):
    """One row a participant."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.rows: tuple[Standing, ...] = ()

    def show_rows(self, rows: Sequence[Standing]) -> None:
        self.beginResetModel()
        self.rows = tuple(rows)
        self.endResetModel()

    def row_of(self, participant: str) -> int:
        """The row of a participant, -1 for none."""
        return next((at for at, standing in enumerate(self.rows) if standing.participant == participant), -1)

    def rowCount(self, parent: Index = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(self.rows)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        standing = self.rows[index.row()]
        if role == STANDING:
            return standing
        if role == Qt.ItemDataRole.DisplayRole:
            return standing.name
        if role in (Qt.ItemDataRole.AccessibleTextRole, Qt.ItemDataRole.ToolTipRole):
            words = f"{standing.name}: loss {_figure(standing.loss)}, rated in this order: {_ratings(standing.order)}"
            if standing.other_order:
                words += f"; the other {_figure(standing.other_loss)}: {_ratings(standing.other_order)}"
            return words
        return None


def _figure(loss: float | None) -> str:
    return "–" if loss is None else f"{loss:.2f}"


def _ratings(order: Sequence[RankedPaper]) -> str:
    return ", ".join(f"{paper.rating:g}" for paper in order)


def columns(width: int) -> tuple[int, int]:
    """Where the two algorithms' halves begin, and how wide one is, in pixels."""
    left = theme().px(_NAME)
    return left, max((width - left - 12) // 2, 1)


class PeopleDelegate(QStyledItemDelegate):
    """Name, then for each algorithm the loss and the ratings as bars in the algorithm's order: stairs that only go down
    are a right order; what stands too far down is amber and has a dot."""

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
    """The names of the two algorithms over their halves."""

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
    """Two algorithms over all participants. What it shows is computed when it is looked at."""

    person_chosen = Signal(str)
    other_chosen = Signal(str)
    """The run that the one at hand is compared with."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Participants")
        self._data: Data | None = None
        self._one: Outcome | None = None
        self._others: tuple[Outcome, ...] = ()
        self._stale = False
        self._drilled: dict[str, Drilled] = {}
        self.comparison: Comparison | None = None
        self.other = QComboBox(self)
        self.other.setAccessibleName("The other algorithm")
        self.other.activated.connect(lambda _at: self.other_chosen.emit(self.other.currentData() or ""))
        self.sorting = QComboBox(self)
        self.sorting.setAccessibleName("Order of the participants")
        for key, words in SORTS.items():
            self.sorting.addItem(words, key)
        self.sorting.activated.connect(lambda _at: self._compute())
        for box in (self.other, self.sorting):
            KeepsKeys(box)
            box.setMinimumContentsLength(14)
            box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.words = text_label("", "body", wrap=True, parent=self)
        self.words.setAlignment(Qt.AlignmentFlag.AlignTop)
        self._head = _Head(self)
        self.model = PeopleModel(self)
        self.list = RowList("Participants and their papers in the algorithm's order", self)
        self.list.setModel(self.model)
        self.list.setItemDelegate(PeopleDelegate(self.list))
        self.list.set_message("Tick algorithms at the left and press Run.")
        self.list.selectionModel().currentChanged.connect(self._came_to_hand)
        row = QHBoxLayout()
        row.setContentsMargins(12, 8, 12, 4)
        row.setSpacing(8)
        row.addWidget(text_label("against", "muted", parent=self))
        row.addWidget(self.other, 1)
        row.addWidget(self.sorting, 1)
        told = QHBoxLayout()
        told.setContentsMargins(12, 0, 12, 4)
        told.addWidget(self.words)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(row)
        layout.addLayout(told)
        layout.addWidget(self._head)
        layout.addWidget(self.list, 1)
        legend = text_label(
            "Bars are the ratings, from left to right in the algorithm's order. An amber bar with a dot stands below a"
            " paper that was rated lower.", "small", wrap=True, parent=self,
        )  # fmt: skip
        foot = QHBoxLayout()
        foot.setContentsMargins(12, 4, 12, 8)
        foot.addWidget(legend)
        layout.addLayout(foot)

    def show_outcome(self, data: Data | None, one: Outcome | None, others: Sequence[Outcome], against: str) -> None:
        """``against`` is the id of the run to compare with, where it is among the others."""
        if data is not self._data:
            self._drilled.clear()
        self._data, self._one = data, one
        self._others = tuple(o for o in others if one is not None and o.run.id != one.run.id)
        with QSignalBlocker(self.other):
            self.other.clear()
            for o in self._others:
                self.other.addItem(f"{o.run.label}, {o.run.representation}", o.run.id)
            self.other.setCurrentIndex(max(self.other.findData(against), 0 if self._others else -1))
        self._stale = True
        if self.isVisible():
            self._compute()

    def show_person(self, participant: str) -> None:
        """Brings a participant to hand without telling of it."""
        with QSignalBlocker(self.list.selectionModel()):
            self.list.select_row(self.model.row_of(participant))
        self.list.viewport().update()

    @property
    def participant(self) -> str:
        """The participant at hand, "" for none."""
        row = self.list.currentIndex().row()
        return self.model.rows[row].participant if 0 <= row < len(self.model.rows) else ""

    def step(self, by: int) -> None:
        """Brings the next or previous participant to hand."""
        if self.model.rows:
            self.list.select_row(min(max(self.list.currentIndex().row() + by, 0), len(self.model.rows) - 1))

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._stale:
            self._compute()

    def _of(self, outcome: Outcome) -> Drilled:
        assert self._data is not None
        key = outcome.run.id
        if key not in self._drilled:
            self._drilled[key] = drilled(self._data, outcome)
        return self._drilled[key]

    def _compute(self) -> None:
        self._stale = False
        kept, self.comparison = self.participant, None
        if self._data is None or self._one is None:
            self.model.show_rows(())
            self.words.setText("")
            self._head.show_names("", "")
            return
        other = next((o for o in self._others if o.run.id == self.other.currentData()), None)
        one, beside = self._of(self._one), self._of(other) if other is not None else None
        rows = standings(self._data, one, beside)
        by = {
            "loss": lambda s: -(s.loss if s.loss is not None else -1.0),
            "gain": lambda s: (s.loss or 0.0) - (s.other_loss or 0.0),
            "name": lambda s: s.name.casefold(),
        }[self.sorting.currentData()]
        self.model.show_rows(sorted(rows, key=by))
        self._head.show_names(self._one.run.label, other.run.label if other is not None else "")
        if other is not None and beside is not None:
            self.comparison = compare(one, beside)
            self.words.setText(comparison_words(self.comparison, self._one.run.label, other.run.label))
        else:
            self.words.setText("Run a second algorithm to compare with.")
        self.show_person(kept)

    def _came_to_hand(self) -> None:
        if self.participant:
            self.person_chosen.emit(self.participant)


def comparison_words(found: Comparison, one: str, other: str) -> str:
    """The difference with its interval, and who is right where, in two sentences."""
    apart, tally = found.difference, found.tally
    way = "lower" if apart.value < 0 else "higher"
    sure = "" if apart.low > 0 or apart.high < 0 else ", which may be chance"
    span = f"95 % of the difference {apart.low:+.3f} to {apart.high:+.3f}{sure}"
    return (
        f"The loss of {one} is {abs(apart.value):.3f} {way} ({span}). Both order {tally.both} pairs rightly,"
        f" {one} alone {tally.only_one} (worth {tally.worth[0]:g}),"
        f" {other} alone {tally.only_other} (worth {tally.worth[1]:g}), neither {tally.neither}."
    )
