"""Lists of entries of two lines with an icon, and lists under a field in which something is looked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, QRect, QSize, Qt, Signal
from PySide6.QtGui import QIcon, QKeyEvent, QPainter, QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QFrame, QListWidget, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from desktop_app.theme import theme
from desktop_app.widgets.record_list import RecordList
from desktop_app.widgets.row_list import RowList

Entry = tuple[str, str, str, str]
"""Key, title, detail, name of the icon."""
_KEY = int(Qt.ItemDataRole.UserRole)
DETAIL, KEY = Qt.ItemDataRole.UserRole + 1, Qt.ItemDataRole.UserRole + 2
ROW_HEIGHT = 48
_STEPS = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1, Qt.Key.Key_PageDown: 8, Qt.Key.Key_PageUp: -8}


class TwoLineDelegate(QStyledItemDelegate):
    """Icon, name, and the item's ``DETAIL`` in small type, with its ``KEY`` at the right. Long texts lose their middle
    (file names), or with ``ElideRight`` their end (sentences)."""

    def __init__(self, parent: QObject | None = None, elide: Qt.TextElideMode = Qt.TextElideMode.ElideMiddle) -> None:
        super().__init__(parent)
        self._elide = elide

    def sizeHint(self, _option: QStyleOptionViewItem, _index: QModelIndex | QPersistentModelIndex) -> QSize:
        return QSize(160, theme().px(ROW_HEIGHT))

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        t = theme()
        painter.save()
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(option.rect, t.colour("accent_wash"))
        elif option.state & QStyle.StateFlag.State_MouseOver:
            painter.fillRect(option.rect, t.colour("ground"))
        box = option.rect.adjusted(12, 6, -12, -6)
        icon: QIcon | None = index.data(Qt.ItemDataRole.DecorationRole)
        if icon is not None:
            icon.paint(painter, box.left(), box.top() + (box.height() - 16) // 2, 16, 16)
            box.setLeft(box.left() + 28)
        small, key = t.font("small", tabular=True), str(index.data(KEY) or "")
        painter.setFont(small)
        painter.setPen(t.colour("muted"))
        painter.drawText(box, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignTop, key)
        room = box.width() - (painter.fontMetrics().horizontalAdvance(key) + 16 if key else 0)
        ink = "ink" if index.flags() & Qt.ItemFlag.ItemIsEnabled else "muted"
        for font, tint, text, width, side in (
            (t.font("body"), ink, index.data(), room, Qt.AlignmentFlag.AlignTop),
            (small, "muted", index.data(DETAIL), box.width(), Qt.AlignmentFlag.AlignBottom),
        ):
            painter.setFont(font)
            painter.setPen(t.colour(tint))
            words = painter.fontMetrics().elidedText(str(text), self._elide, width)
            painter.drawText(box, Qt.AlignmentFlag.AlignLeft | side, words)
        painter.restore()


class FoundList(QListWidget):
    """What was found for a field that keeps the keyboard: its Up, Down and Page keys select here."""

    def __init__(self, name: str, delegate: QStyledItemDelegate, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self.setFrameShape(QFrame.Shape.NoFrame)
        delegate.setParent(self)
        self.setItemDelegate(delegate)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)

    def take_key(self, event: QKeyEvent) -> bool:
        """Whether a key of the field was for the list."""
        by = _STEPS.get(Qt.Key(event.key()), 0)
        if by:
            self.step(by)
        return bool(by)

    def step(self, by: int) -> None:
        """Selects another item: the next or previous one around the end, or one further away."""
        rows = [row for row in range(self.count()) if self.item(row).flags() & Qt.ItemFlag.ItemIsSelectable]
        if not rows:
            return
        at = rows.index(self.currentRow()) if self.currentRow() in rows else -1
        at = (at + by) % len(rows) if abs(by) == 1 else min(max(at + by, 0), len(rows) - 1)
        self.setCurrentRow(rows[at])
        if at == 0:
            self.scrollToTop()


def _paint_lines(painter: QPainter, rect: QRect, icon: QIcon, lines: tuple[str, str], elide: Qt.TextElideMode) -> None:
    t, box = theme(), rect.adjusted(12, 6, -12, -6)
    icon.paint(painter, box.left(), box.top() + (box.height() - 16) // 2, 16, 16)
    box.setLeft(box.left() + 28)
    for font, tint, text, side in (
        (t.font("body"), "ink", lines[0], Qt.AlignmentFlag.AlignTop),
        (t.font("small", tabular=True), "muted", lines[1], Qt.AlignmentFlag.AlignBottom),
    ):
        painter.setFont(font)
        painter.setPen(t.colour(tint))
        words = painter.fontMetrics().elidedText(text, elide, box.width())
        painter.drawText(box, Qt.AlignmentFlag.AlignLeft | side, words)


@dataclass(frozen=True, slots=True)
class TwoLines:
    """A row: icon, text, the small line below; ``spoken`` and ``tip`` where they differ from the text."""

    icon: str
    text: str
    detail: str
    spoken: str = ""
    tip: str = ""


class TwoLineList(RecordList):
    """A list of ``TwoLines``, which are known by their numbers."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(
            name, self._paint_row, lambda _row: theme().px(ROW_HEIGHT),
            lambda row: row.spoken or f"{row.text}, {row.detail}", tip=lambda row: row.tip or row.text, parent=parent,
        )  # fmt: skip

    @property
    def row(self) -> int:
        """The current row, -1 for none."""
        return self.currentIndex().row()

    def show_rows(self, rows: Sequence[TwoLines], current: int | None = None) -> None:
        """Shows rows; ``current`` is selected, by default the same number as before."""
        self.show_records(rows, min(max(self.row if current is None else current, 0), len(rows) - 1))

    @staticmethod
    def _paint_row(painter: QPainter, rect: QRect, row: TwoLines, _selected: bool) -> None:
        icon = theme().icon(row.icon, "ink")
        _paint_lines(painter, rect, icon, (row.text, row.detail), Qt.TextElideMode.ElideRight)


class EntryList(RowList):
    """``picked`` is emitted with the key of the entry that was selected, by the user or by ``step`` and ``select``."""

    picked = Signal(str)

    def __init__(
        self, name: str, parent: QWidget | None = None, elide: Qt.TextElideMode = Qt.TextElideMode.ElideMiddle
    ) -> None:
        super().__init__(name, parent)
        self._entries: tuple[Entry, ...] = ()
        self._filling = False
        self._items = QStandardItemModel(self)
        self.setModel(self._items)
        self.setItemDelegate(TwoLineDelegate(self, elide))
        self.selectionModel().currentChanged.connect(self._current_changed)
        theme().changed.connect(self._restyle)

    @property
    def key(self) -> str:
        """The key of the selected entry; "" for none."""
        return str(self.currentIndex().data(_KEY) or "")

    def show_entries(self, entries: Sequence[Entry], selected: str | None, tips: Sequence[str] = ()) -> None:
        """Shows entries and selects one of them, without emitting ``picked``. None keeps the selected one; if it is
        gone, the entry in its place is selected. ``tips`` are tooltips, one for each entry."""
        self._filling = True
        place, wanted = self.currentIndex().row(), self.key if selected is None else selected
        if [entry[0] for entry in entries] != [entry[0] for entry in self._entries]:
            self._items.clear()
            for _ in entries:
                self._items.appendRow(QStandardItem())
        self._entries = tuple(entries)
        for row, (key, title, detail, icon) in enumerate(entries):
            item = self._items.item(row)
            for role, value in (
                (_KEY, key),
                (int(Qt.ItemDataRole.DisplayRole), title),
                (int(DETAIL), detail),
                (int(Qt.ItemDataRole.AccessibleTextRole), f"{title}. {detail}"),
                (int(Qt.ItemDataRole.ToolTipRole), tips[row] if tips else f"{title}\n{detail}"),
                (int(Qt.ItemDataRole.DecorationRole), theme().icon(icon, "muted")),
            ):
                item.setData(value, role)
        gone = selected is None and self._row(wanted) < 0
        self.select_row(min(max(place, 0), len(entries) - 1) if gone else self._row(wanted))
        self._filling = False

    def set_detail(self, key: str, detail: str) -> None:
        """Changes the second line of an entry."""
        if (row := self._row(key)) >= 0:
            self._items.item(row).setData(detail, int(DETAIL))

    def select(self, key: str) -> None:
        """Selects an entry."""
        self.select_row(self._row(key))

    def step(self, by: int) -> None:
        """Selects the next or previous entry."""
        if self._entries:
            self.select_row(min(max(self.currentIndex().row() + by, 0), len(self._entries) - 1))

    def _restyle(self) -> None:
        for row, entry in enumerate(self._entries):
            self._items.item(row).setData(theme().icon(entry[3], "muted"), int(Qt.ItemDataRole.DecorationRole))

    def _row(self, key: str) -> int:
        return next((row for row, entry in enumerate(self._entries) if entry[0] == key), -1)

    def _current_changed(self, *_indices: object) -> None:
        if not self._filling:
            self.picked.emit(self.key)
