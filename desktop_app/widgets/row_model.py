"""The model of a list whose rows are records that a delegate paints."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt

R = TypeVar("R")
ROW = int(Qt.ItemDataRole.UserRole)
"""The role of the record itself."""
Index = QModelIndex | QPersistentModelIndex
_SPOKEN = (int(Qt.ItemDataRole.DisplayRole), int(Qt.ItemDataRole.AccessibleTextRole))


def _nothing(_row: object) -> str:
    return ""


class RowModel(QAbstractListModel, Generic[R]):
    """Shows other rows by repainting where it can, so that place and selection stay.

    ``key`` identifies a row; ``height`` is anything that its height depends on; ``spoken`` is its text for screen
    readers, ``tip`` its tooltip. Rows for which ``heading`` holds cannot be selected.
    """

    def __init__(
        self,
        parent: QObject,
        spoken: Callable[[R], str],
        *,
        key: Callable[[R], object] = lambda row: row,
        height: Callable[[R], object] = _nothing,
        tip: Callable[[R], str] = _nothing,
        heading: Callable[[R], bool] = lambda _row: False,
    ) -> None:
        super().__init__(parent)
        self.rows: tuple[R, ...] = ()
        self._spoken, self._key, self._height, self._tip, self._heading = spoken, key, height, tip, heading

    def show_rows(self, rows: Sequence[R]) -> None:
        """Other rows; where they have the same keys, only those that differ are painted again."""
        before, rows = self.rows, tuple(rows)
        if [self._key(row) for row in before] != [self._key(row) for row in rows]:
            self.beginResetModel()
            self.rows = rows
            self.endResetModel()
            return
        self.rows = rows
        if [self._height(row) for row in before] != [self._height(row) for row in rows]:
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
        return None if row is None or self._heading(row) else row

    def rowCount(self, parent: Index = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(self.rows)

    def flags(self, index: Index) -> Qt.ItemFlag:
        enabled = Qt.ItemFlag.ItemIsEnabled
        return enabled if self._heading(self.rows[index.row()]) else enabled | Qt.ItemFlag.ItemIsSelectable

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        row = self.rows[index.row()]
        if role == ROW:
            return row
        if role in _SPOKEN:
            return self._spoken(row)
        return (self._tip(row) or None) if role == Qt.ItemDataRole.ToolTipRole else None
