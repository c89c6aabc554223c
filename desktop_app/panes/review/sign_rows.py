"""List rows with a sign, a heading and up to two lines of text."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QRect
from PySide6.QtGui import QFontMetrics, QPainter

from desktop_app.theme import Meaning, theme
from desktop_app.widgets.record_list import LEFT, draw_key, draw_lines, draw_text


@dataclass(frozen=True, slots=True)
class SignRow:
    """``sign`` is drawn in the ink of ``meaning``; ``key`` is a keycap at the right, "" for none."""

    meaning: Meaning
    sign: str
    head: str
    text: str
    key: str = ""


def paint_sign_row(painter: QPainter, rect: QRect, row: SignRow, *, reading: bool = False) -> None:
    """Paints a row; with ``reading`` the text is in the reading font."""
    t, box = theme(), rect.adjusted(12, 6, -10, -5)
    ink, muted = t.tokens.ink, t.tokens.muted
    head = QRect(box.left(), box.top(), box.width(), t.px(16))
    draw_text(painter, head, LEFT, row.sign, t.font("body", bold=True), t.data(row.meaning).ink)
    head.setLeft(head.left() + t.px(16))
    if row.key:
        cap = QRect(head)
        cap.setLeft(head.right() - QFontMetrics(t.font("small", tabular=True)).horizontalAdvance(row.key) - 8)
        draw_key(painter, cap, row.key)
        head.setRight(cap.left() - 6)
    draw_text(painter, head, LEFT, row.head, t.font("small", bold=not reading, tabular=True), muted if reading else ink)
    box.setTop(head.bottom() + 3)
    if not reading:
        box.setLeft(head.left())
    painter.setPen(t.colour("ink" if reading else "muted"))
    draw_lines(painter, box, " ".join(row.text.split()), t.reading_font(13) if reading else t.font("small"), 2)
