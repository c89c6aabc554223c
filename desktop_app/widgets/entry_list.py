"""A list of entries of two lines with an icon."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QWidget

from desktop_app.theme import theme
from desktop_app.widgets.row_list import RowList
from desktop_app.widgets.two_line_delegate import DETAIL, TwoLineDelegate

Entry = tuple[str, str, str, str]
"""Key, title, detail, name of the icon."""
_KEY = int(Qt.ItemDataRole.UserRole)


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
                (int(Qt.ItemDataRole.ToolTipRole), tips[row] if tips else None),
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
