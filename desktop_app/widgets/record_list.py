"""A list whose rows are records, painted by a function."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, QRect, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from desktop_app.theme import theme
from desktop_app.widgets.row_list import RowList, paint_row_ground

R = TypeVar("R")
Draw = Callable[[QPainter, QRect, R, int], None]
"""Paints a record, given the rectangle and number of its row."""
LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
ROW = int(Qt.ItemDataRole.UserRole)
"""The role of the record itself."""
Index = QModelIndex | QPersistentModelIndex
_SPOKEN = (int(Qt.ItemDataRole.DisplayRole), int(Qt.ItemDataRole.AccessibleTextRole))


def _nothing(_row: object) -> str:
    return ""


class RecordModel(QAbstractListModel, Generic[R]):
    """Shows other rows by repainting where it can, so that place and selection stay.

    ``key`` identifies a row; ``shape`` is anything else that its height depends on; ``spoken`` is its text for screen
    readers, ``tip`` its tooltip. Rows for which ``heading`` holds cannot be selected.
    """

    def __init__(
        self,
        spoken: Callable[[R], str],
        *,
        key: Callable[[R], object] = lambda row: row,
        shape: Callable[[R], object] = _nothing,
        tip: Callable[[R], str] = _nothing,
        heading: Callable[[R], bool] = lambda _row: False,
    ) -> None:
        super().__init__()
        self.rows: tuple[R, ...] = ()
        self._spoken, self._key, self._shape, self._tip, self.heading = spoken, key, shape, tip, heading

    def show_rows(self, rows: Sequence[R]) -> None:
        """Other rows; where they have the same keys, only those that differ are painted again."""
        before, rows = self.rows, tuple(rows)
        if [self._key(row) for row in before] != [self._key(row) for row in rows]:
            self.beginResetModel()
            self.rows = rows
            self.endResetModel()
            return
        self.rows = rows
        if [self._shape(row) for row in before] != [self._shape(row) for row in rows]:
            self.layoutChanged.emit()
        for at, (old, new) in enumerate(zip(before, rows, strict=True)):
            if old != new:
                self.dataChanged.emit(self.index(at), self.index(at), [int(Qt.ItemDataRole.DecorationRole)])

    def row_of(self, key: object) -> int:
        """The row with a key; -1 where it is not shown."""
        return next((at for at, row in enumerate(self.rows) if self._key(row) == key), -1)

    def at(self, index: Index) -> R | None:
        """The record of an index; None for an invalid one and for headings."""
        row = self.rows[index.row()] if 0 <= index.row() < len(self.rows) else None
        return None if row is None or self.heading(row) else row

    def rowCount(self, parent: Index = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(self.rows)

    def flags(self, index: Index) -> Qt.ItemFlag:
        enabled = Qt.ItemFlag.ItemIsEnabled
        return enabled if self.heading(self.rows[index.row()]) else enabled | Qt.ItemFlag.ItemIsSelectable

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        row = self.rows[index.row()]
        if role == ROW:
            return row
        if role in _SPOKEN:
            return self._spoken(row)
        return (self._tip(row) or None) if role == Qt.ItemDataRole.ToolTipRole else None


class _Delegate(QStyledItemDelegate):
    def __init__(self, view: RecordList, height: Callable[[Any], int], draw: Draw[Any]) -> None:
        super().__init__(view)
        self._heading, self._height, self._draw = view.records.heading, height, draw

    def sizeHint(self, _option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(100, self._height(index.data(ROW)))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        record = index.data(ROW)
        painter.save()
        if not self._heading(record):
            paint_row_ground(painter, option, selected=bool(option.state & QStyle.StateFlag.State_Selected))
        self._draw(painter, QRect(option.rect), record, index.row())
        painter.restore()


class RecordList(RowList):
    """Shows the rows of a model, ``height`` pixels high. ``chosen`` brings the record that a person selects, not one
    that the program selects."""

    chosen = Signal(object)

    def __init__(
        self,
        name: str,
        records: RecordModel[R],
        height: Callable[[R], int],
        draw: Draw[R],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(name, parent)
        self.records: RecordModel[Any] = records
        records.setParent(self)
        self.setModel(records)
        self.setItemDelegate(_Delegate(self, height, draw))
        self._showing = False
        self.selectionModel().currentChanged.connect(self._choose)

    @property
    def current(self) -> Any:
        """The selected record; None for none."""
        return self.records.at(self.currentIndex())

    def show_rows(self, rows: Sequence[Any], message: str = "") -> None:
        """Other rows; ``message`` is shown where there are none."""
        self._showing = True
        self.records.show_rows(rows)
        self._showing = False
        self.set_message(message)

    def select(self, key: object) -> None:
        """Selects the row with a key; none where it is not shown."""
        self._showing = True
        self.select_row(self.records.row_of(key))
        self._showing = False

    def _choose(self, index: Index) -> None:
        record = self.records.at(index)
        if record is not None and not self._showing:
            self.chosen.emit(record)


def draw_text(  # noqa: PLR0917 - like QPainter.drawText
    painter: QPainter, box: QRect, align: Qt.AlignmentFlag, words: str, font: QFont, ink: str
) -> None:
    """Draws a line of text, elided where it doesn't fit."""
    painter.setFont(font)
    painter.setPen(QColor(ink))
    painter.drawText(box, align, painter.fontMetrics().elidedText(words, Qt.TextElideMode.ElideRight, box.width()))


def draw_key(painter: QPainter, cap: QRect, key: str) -> None:
    """Draws a key as a keycap."""
    t = theme()
    painter.setFont(t.font("small", tabular=True))
    painter.setBrush(t.colour("ground"))
    painter.setPen(t.colour("control_border"))
    painter.drawRoundedRect(cap, 4, 4)
    painter.setPen(t.colour("ink"))
    painter.drawText(cap, Qt.AlignmentFlag.AlignCenter, key)
