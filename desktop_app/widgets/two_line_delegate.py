"""List rows of two lines: a name and a detail."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, QSize, Qt
from PySide6.QtGui import QIcon, QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from desktop_app.theme import theme

DETAIL = Qt.ItemDataRole.UserRole + 1
ROW_HEIGHT = 48


class TwoLineDelegate(QStyledItemDelegate):
    """Icon, name, and the item's ``DETAIL`` in small type. Long texts lose their middle (file names), or with
    ``ElideRight`` their end (sentences)."""

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
        icon: QIcon = index.data(Qt.ItemDataRole.DecorationRole)
        icon.paint(painter, box.left(), box.top() + (box.height() - 16) // 2, 16, 16)
        box.setLeft(box.left() + 28)
        for font, tint, text, side in (
            (t.font("body"), "ink", index.data(), Qt.AlignmentFlag.AlignTop),
            (t.font("small", tabular=True), "muted", index.data(DETAIL), Qt.AlignmentFlag.AlignBottom),
        ):
            painter.setFont(font)
            painter.setPen(t.colour(tint))
            words = painter.fontMetrics().elidedText(str(text), self._elide, box.width())
            painter.drawText(box, Qt.AlignmentFlag.AlignLeft | side, words)
        painter.restore()
