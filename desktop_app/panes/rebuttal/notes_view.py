"""The notes on the current response, each with the key that fixes it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QSizePolicy, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from desktop_app.commands import CommandRegistry
from desktop_app.panes.rebuttal.notes import Note
from desktop_app.theme import theme
from desktop_app.widgets.row_list import RowList, paint_row_ground
from desktop_app.widgets.row_model import ROW, RowModel

_SHOWN = 4
_ROW = 24
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter


class _Delegate(QStyledItemDelegate):
    """A sign in the colour of its meaning, one line of text, and a keycap."""

    def __init__(self, key: Callable[[str], str], parent: QWidget) -> None:
        super().__init__(parent)
        self._key = key

    def sizeHint(self, _option: QStyleOptionViewItem, _index: QModelIndex | QPersistentModelIndex) -> QSize:
        return QSize(100, theme().px(_ROW))

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        note: Note = index.data(ROW)
        t = theme()
        painter.save()
        paint_row_ground(painter, option, selected=bool(option.state & QStyle.StateFlag.State_Selected))
        data = t.data(note.meaning)
        box = QRect(option.rect).adjusted(8, 0, -8, -1)
        painter.setFont(t.font("body", bold=True))
        painter.setPen(QColor(data.ink))
        painter.drawText(box, _LEFT, data.sign)
        painter.setFont(t.font("small"))
        words = box.adjusted(18, 0, 0, 0)
        key = self._key(note.command) if note.command else ""
        if key:
            cap = QRect(words)
            cap.setLeft(words.right() - painter.fontMetrics().horizontalAdvance(key) - 9)
            cap.adjust(0, 3, 0, -2)
            painter.setBrush(t.colour("ground"))
            painter.setPen(t.colour("control_border"))
            painter.drawRoundedRect(cap, 4, 4)
            painter.setPen(t.colour("ink"))
            painter.drawText(cap, Qt.AlignmentFlag.AlignCenter, key)
            words.setRight(cap.left() - 8)
        painter.setPen(t.colour("ink"))
        line = painter.fontMetrics().elidedText(note.words, Qt.TextElideMode.ElideRight, words.width())
        painter.drawText(words, _LEFT, line)
        painter.restore()


class NotesView(RowList):
    """As high as its notes, up to four; hidden without any."""

    def __init__(self, registry: CommandRegistry, parent: QWidget | None = None) -> None:
        super().__init__("Notes on the response", parent)
        self._registry = registry
        self.notes: RowModel[Note] = RowModel(self, lambda note: note.words, tip=lambda note: note.words)
        self.setModel(self.notes)
        self.setItemDelegate(_Delegate(self._key, self))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme().changed.connect(self._fit)
        self._fit()

    def show_notes(self, notes: Sequence[Note]) -> None:
        """Other notes."""
        self.notes.show_rows(notes)
        self._fit()

    def _key(self, command: str) -> str:
        # Where there are two, the last also works while writing.
        return self._registry.native_shortcut(f"rebuttal.{command}").split(" or ")[-1]

    def _fit(self) -> None:
        rows = min(len(self.notes.rows), _SHOWN)
        self.setFixedHeight(max(1, rows * theme().px(_ROW)))
        self.setVisible(rows > 0)
