"""A list with painted rows, and skeleton rows while loading."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractItemView, QFrame, QListView, QStyle, QStyleOptionViewItem, QWidget

from desktop_app.theme import theme

Index = QModelIndex | QPersistentModelIndex


class RowList(QListView):
    """A frameless list that scrolls by pixels and signals Enter."""

    activated_row = Signal(QModelIndex)
    """Enter or a double click."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setStyleSheet("QListView { border: none; border-radius: 0; }")
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setResizeMode(QListView.ResizeMode.Adjust)
        self.setMouseTracking(True)
        self.verticalScrollBar().setSingleStep(24)
        self._skeleton = 0
        self._message = ""
        self.doubleClicked.connect(self.activated_row)
        theme().changed.connect(self.scheduleDelayedItemsLayout)

    def set_skeleton(self, rows: int) -> None:
        """Draws this many grey rows while the list is empty."""
        if rows != self._skeleton:
            self._skeleton = rows
            self.viewport().update()

    def set_message(self, text: str) -> None:
        """Sets the text of the empty list."""
        if text != self._message:
            self._message = text
            self.viewport().update()

    def select_row(self, row: int) -> None:
        """Selects a row and scrolls to it; -1 for none."""
        index = self.model().index(row, 0) if row >= 0 else QModelIndex()
        self.setCurrentIndex(index)
        if index.isValid():
            self.scrollTo(index, QAbstractItemView.ScrollHint.EnsureVisible)

    def find_row(self, texts: Sequence[str], words: str, by: int) -> None:
        """Selects the next row (``by`` 1), the previous one (-1) or the first one from here on (0) whose text has all
        the words, around the end; ``texts`` are those of the rows."""
        count, start, wanted = len(texts), max(0, self.currentIndex().row()), words.casefold().split()
        for step in range(count) if by == 0 else range(1, count + 1):
            at = (start + step * (by or 1)) % count
            if wanted and all(word in texts[at].casefold() for word in wanted):
                self.select_row(at)
                return

    def dataChanged(self, top: Index, bottom: Index, roles: Sequence[int] = ()) -> None:
        """If only the decoration role changed, repaints these rows; QListView would lay out the whole list."""
        if list(roles) != [int(Qt.ItemDataRole.DecorationRole)]:
            super().dataChanged(top, bottom, roles)
            return
        for row in range(top.row(), bottom.row() + 1):
            self.update(self.model().index(row, 0))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.currentIndex().isValid():
            self.activated_row.emit(self.currentIndex())
            return
        super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self.model() is None or self.model().rowCount():
            return
        painter = QPainter(self.viewport())
        if self._skeleton:
            self._paint_skeleton(painter)
        elif self._message:
            painter.setPen(QColor(theme().tokens.muted))
            painter.setFont(theme().font())
            area = self.viewport().rect().adjusted(16, 24, -16, -16)
            flags = Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop | Qt.TextFlag.TextWordWrap
            painter.drawText(area, flags, self._message)
        painter.end()

    def _paint_skeleton(self, painter: QPainter) -> None:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(theme().tokens.sunken))
        width = self.viewport().width() - 24
        for row in range(self._skeleton):
            top = row * theme().px(60) + 10
            for line, share in enumerate((0.35, 0.95, 0.6 + 0.3 * (row % 2))):
                painter.drawRoundedRect(QRect(12, top + line * 16, round(width * share), 9), 4, 4)


def paint_row_ground(painter: QPainter, option: QStyleOptionViewItem, *, selected: bool) -> None:
    """Paints a row's background and hairline; the selected row has a bar on the left and a tint."""
    tokens, rect = theme().tokens, QRect(option.rect)
    if selected:
        painter.fillRect(rect, QColor(tokens.accent_wash))
        painter.fillRect(QRect(rect.left(), rect.top(), 3, rect.height()), QColor(tokens.accent))
    elif option.state & QStyle.StateFlag.State_MouseOver:
        painter.fillRect(rect, QColor(tokens.ground))
    painter.fillRect(QRect(rect.left() + 12, rect.bottom(), rect.width() - 24, 1), QColor(tokens.hairline))
