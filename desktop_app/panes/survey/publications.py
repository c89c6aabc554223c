"""The list of own publications; a tick shows which ones are in the profile."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, QRect, QSize, Qt, Signal
from PySide6.QtGui import QColor, QMouseEvent, QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from desktop_app.panes.survey.words import details, heading
from desktop_app.theme import theme
from desktop_app.widgets.row_list import RowList, paint_row_ground
from engine.expertise.records import ProfileRow

Index = QModelIndex | QPersistentModelIndex
ROLE = Qt.ItemDataRole.UserRole
TICK_WIDTH, ROW = 40, 44


class PublicationsModel(QAbstractListModel):
    """Rows of the profile, in their order."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.rows: tuple[ProfileRow, ...] = ()

    def show_rows(self, rows: Sequence[ProfileRow]) -> None:
        """Shows rows; if the list holds the same ones as before, they are only repainted."""
        if [row.id for row in rows] == [row.id for row in self.rows]:
            self.rows = tuple(rows)
            if rows:
                self.dataChanged.emit(self.index(0), self.index(len(rows) - 1))
            return
        self.beginResetModel()
        self.rows = tuple(rows)
        self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(self.rows)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        row = self.rows[index.row()]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return heading(row.paper)
            case Qt.ItemDataRole.AccessibleTextRole:
                return f"{heading(row.paper)}, {'included' if row.kept else 'left out'}"
            case Qt.ItemDataRole.ToolTipRole:
                return f"{heading(row.paper)}\n{details(row.paper)}".strip()
            case _ if role == ROLE:
                return row
        return None


class PublicationsDelegate(QStyledItemDelegate):
    """Tick, title, and authors with year below; a title that is left out is struck through and pale."""

    def sizeHint(self, option: QStyleOptionViewItem, _index: Index) -> QSize:
        return QSize(option.rect.width(), theme().px(ROW))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        row = index.data(ROLE)
        if row is None:
            return
        t, px, rect = theme().tokens, theme().px, QRect(option.rect)
        painter.save()
        paint_row_ground(painter, option, selected=bool(option.state & QStyle.StateFlag.State_Selected))
        box = QRect(rect.left() + 14, rect.top() + px(8), px(14), px(14))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QColor(t.accent if row.kept else t.control_border))
        painter.setBrush(QColor(t.accent if row.kept else t.surface))
        painter.drawRoundedRect(box, 4, 4)
        if row.kept:
            theme().icon("check", "on_accent").paint(painter, box.adjusted(1, 1, -1, -1))
        font = theme().font()
        font.setStrikeOut(not row.kept)
        painter.setFont(font)
        painter.setPen(QColor(t.ink if row.kept else t.muted))
        left = rect.left() + px(TICK_WIDTH)
        room = rect.right() - left - 12
        words = painter.fontMetrics().elidedText(heading(row.paper), Qt.TextElideMode.ElideRight, room)
        painter.drawText(QRect(left, rect.top() + px(5), room, px(18)), int(Qt.AlignmentFlag.AlignVCenter), words)
        painter.setFont(theme().font("small"))
        painter.setPen(QColor(t.muted))
        below = details(row.paper) or "Authors and year unknown"
        words = painter.fontMetrics().elidedText(below, Qt.TextElideMode.ElideRight, room)
        painter.drawText(QRect(left, rect.top() + px(23), room, px(16)), int(Qt.AlignmentFlag.AlignVCenter), words)
        painter.restore()


class PublicationsList(RowList):
    """The list with its model; a click on the tick toggles it."""

    tick_clicked = Signal(str, bool)
    """Row key, and whether it is to be included."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Your publications", parent)
        self.rows = PublicationsModel(self)
        self.setModel(self.rows)
        self.setItemDelegate(PublicationsDelegate(self))
        self.setUniformItemSizes(True)

    def show_rows(self, rows: Sequence[ProfileRow]) -> None:
        """Shows rows and keeps the current one, or the next if that one is gone."""
        place = self.currentIndex().row()
        self.rows.show_rows(rows)
        if rows and self.currentIndex().row() < 0:
            self.select_row(min(max(place, 0), len(rows) - 1))

    @property
    def current(self) -> ProfileRow | None:
        index = self.currentIndex()
        return self.rows.rows[index.row()] if index.isValid() else None

    def step(self) -> None:
        """Goes to the next row, if there is one."""
        self.select_row(min(self.currentIndex().row() + 1, len(self.rows.rows) - 1))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        super().mousePressEvent(event)
        index = self.indexAt(event.position().toPoint())
        if index.isValid() and event.position().x() < theme().px(TICK_WIDTH):
            row = self.rows.rows[index.row()]
            self.tick_clicked.emit(row.id, not row.kept)
