"""A list of records that a function paints, and a chooser of named values. Both tell only what the person chose."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from PySide6.QtCore import QModelIndex, QObject, QRect, QSize, Qt, Signal
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QComboBox, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from desktop_app.theme import theme
from desktop_app.widgets.keys import KeepsKeys
from desktop_app.widgets.record_list import ROW, Index, RecordModel
from desktop_app.widgets.row_list import RowList, paint_row_ground

Paint = Callable[[QPainter, QRect, Any, bool], None]
"""Paints a record into a rectangle; the last argument says whether it is selected."""


class _Delegate(QStyledItemDelegate):
    def __init__(self, paint: Paint, height: Callable[[Any], int], parent: QObject) -> None:
        super().__init__(parent)
        self._paint, self._height = paint, height

    def sizeHint(self, _option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(100, theme().px(self._height(index.data(ROW))))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        selected = bool(option.state & QStyle.StateFlag.State_Selected)
        painter.save()
        paint_row_ground(painter, option, selected=selected)
        self._paint(painter, QRect(option.rect), index.data(ROW), selected)
        painter.restore()


class PaintedList(RowList):
    """``height`` is in pixels before the text zoom; the other functions are those of ``RecordModel``."""

    chosen = Signal(object)
    """The person made another record current."""

    def __init__(
        self,
        name: str,
        paint: Paint,
        height: Callable[[Any], int],
        spoken: Callable[[Any], str],
        *,
        key: Callable[[Any], object],
        tip: Callable[[Any], str] = lambda _record: "",
        heading: Callable[[Any], bool] = lambda _record: False,
        parent: QWidget,
    ) -> None:
        super().__init__(name, parent)
        self._records = RecordModel(spoken, key=key, shape=height, tip=tip, heading=heading)
        self._key, self._showing = key, False
        self.setModel(self._records)
        self.setItemDelegate(_Delegate(paint, height, self))
        self.selectionModel().currentChanged.connect(self._moved)

    @property
    def records(self) -> tuple[Any, ...]:
        """The records that are shown, headings included."""
        return self._records.rows

    def show_records(self, records: Sequence[Any], current: int) -> None:
        """Shows records and makes one current (-1: none). The scroll position stays where the current one does."""
        self._showing = True
        place, before = self.verticalScrollBar().value(), self._records.at(self.currentIndex())
        if self._records.rows is not records:
            self._records.show_rows(records)
        if self.currentIndex().row() != current:
            same = (
                before is not None and 0 <= current < len(records) and self._key(records[current]) == self._key(before)
            )
            if not same and not self.currentIndex().isValid():  # other records than before
                self.scrollToTop()
            self.select_row(current)
            if same:
                self.verticalScrollBar().setValue(place)
        self._showing = False

    def step(self, by: int) -> None:
        """Goes to the next or previous record; not past the ends."""
        if self.records:
            self.select_row(min(max(self.currentIndex().row() + by, 0), len(self.records) - 1))

    def find_record(self, text: str, by: int, words: Callable[[Any], str]) -> None:
        """Goes to the next record (``by`` 1), the previous one (-1) or the first one from here on (0) whose words
        contain a text, around the end."""
        count, start = len(self.records), max(0, self.currentIndex().row())
        steps = range(count) if by == 0 else range(1, count + 1)
        places = ((start + step * (by or 1)) % count for step in steps)
        at = next((at for at in places if text and text.casefold() in words(self.records[at]).casefold()), -1)
        if at >= 0:
            self.select_row(at)

    def _moved(self, current: QModelIndex, before: QModelIndex) -> None:
        record = self._records.at(current)
        if self._showing:
            return
        if record is None:  # headings cannot be current
            self._showing = True
            self.select_row(before.row())
            self._showing = False
        else:
            self.chosen.emit(record)


class ChoiceBox(QComboBox):
    """A chooser of values with their words. It keeps its value when the entries change, if that is still among them."""

    picked = Signal(object)
    """The person picked this value."""

    def __init__(
        self, name: str, entries: Sequence[tuple[str, Any]] = (), *, letters: int = 6, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self.setToolTip(name)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(letters)
        KeepsKeys(self)
        self.show_entries(entries)
        self.currentIndexChanged.connect(lambda _at: self.picked.emit(self.currentData()))

    def show_entries(self, entries: Sequence[tuple[str, Any]], value: object = None) -> None:
        """Offers ``entries`` and shows ``value`` (None: the one shown before, else the first). Emits nothing."""
        wanted = self.currentData() if value is None else value
        self.blockSignals(True)
        if [(self.itemText(n), self.itemData(n)) for n in range(self.count())] != list(entries):
            self.clear()
            for words, data in entries:
                self.addItem(words, data)
        known = [data for _, data in entries]
        self.setCurrentIndex(known.index(wanted) if wanted in known else min(0, len(known) - 1))
        self.blockSignals(False)

    def show_value(self, value: object) -> None:
        """Shows a value without emitting it."""
        self.blockSignals(True)
        self.setCurrentIndex(max(0, self.findData(value)))
        self.blockSignals(False)
