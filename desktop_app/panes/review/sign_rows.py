"""List rows with a sign, a heading and up to two lines of text."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from desktop_app.theme import Meaning, theme
from desktop_app.widgets.row_list import paint_row_ground

SIGN_ROW = int(Qt.ItemDataRole.UserRole)
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_LINES = 2
Index = QModelIndex | QPersistentModelIndex


@dataclass(frozen=True, slots=True)
class SignRow:
    """``sign`` is drawn in the ink of ``meaning``; ``key`` is a keycap at the right, "" for none."""

    meaning: Meaning
    sign: str
    head: str
    text: str
    key: str = ""


class SignDelegate(QStyledItemDelegate):
    """Paints the ``SignRow`` of each row; with ``reading`` the text is in the reading font."""

    def __init__(self, height: int, parent: QWidget, *, reading: bool = False) -> None:
        super().__init__(parent)
        self._height, self._reading = height, reading

    def sizeHint(self, _option: QStyleOptionViewItem, _index: Index) -> QSize:
        return QSize(100, theme().px(self._height))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        row: SignRow = index.data(SIGN_ROW)
        t = theme()
        painter.save()
        paint_row_ground(painter, option, selected=bool(option.state & QStyle.StateFlag.State_Selected))
        box = QRect(option.rect).adjusted(12, 6, -10, -5)
        head = QRect(box.left(), box.top(), box.width(), t.px(16))
        painter.setFont(t.font("body", bold=True))
        painter.setPen(QColor(t.data(row.meaning).ink))
        painter.drawText(head, _LEFT, row.sign)
        painter.setFont(t.font("small", bold=not self._reading, tabular=True))
        head.setLeft(head.left() + t.px(16))
        if row.key:
            head.setRight(_paint_key(painter, head, row.key) - 6)
        painter.setPen(t.colour("muted" if self._reading else "ink"))
        elide = Qt.TextElideMode.ElideRight
        painter.drawText(head, _LEFT, painter.fontMetrics().elidedText(row.head, elide, head.width()))
        painter.setFont(t.reading_font(13) if self._reading else t.font("small"))
        painter.setPen(t.colour("ink" if self._reading else "muted"))
        box.setTop(head.bottom() + 3)
        if not self._reading:
            box.setLeft(head.left())
        _paint_text(painter, box, row.text)
        painter.restore()


def _paint_key(painter: QPainter, head: QRect, key: str) -> int:
    """Draws a keycap at the right; returns where it begins."""
    cap = QRect(head)
    cap.setLeft(head.right() - painter.fontMetrics().horizontalAdvance(key) - 8)
    painter.setBrush(theme().colour("ground"))
    painter.setPen(theme().colour("control_border"))
    painter.drawRoundedRect(cap, 4, 4)
    painter.setPen(theme().colour("ink"))
    painter.drawText(cap, Qt.AlignmentFlag.AlignCenter, key)
    return cap.left()


def _paint_text(painter: QPainter, box: QRect, text: str) -> None:
    """Draws text on two lines; the second ends in an ellipsis where it doesn't fit."""
    metrics, words = painter.fontMetrics(), text.split()
    line = QRect(box.left(), box.top(), box.width(), metrics.lineSpacing())
    for _ in range(_LINES - 1):
        count = 1
        while count < len(words) and metrics.horizontalAdvance(" ".join(words[: count + 1])) <= box.width():
            count += 1
        painter.drawText(line, _LEFT, " ".join(words[:count]))
        words = words[count:]
        line.translate(0, line.height())
    painter.drawText(line, _LEFT, metrics.elidedText(" ".join(words), Qt.TextElideMode.ElideRight, box.width()))
