"""What several parts of the review pane are laid out with, and list rows with a sign, a heading and lines of text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QRect
from PySide6.QtGui import QFontMetrics, QPainter
from PySide6.QtWidgets import QBoxLayout, QWidget

from desktop_app.commands import CommandRegistry
from desktop_app.theme import Meaning, theme
from desktop_app.widgets.labels import HtmlPage
from desktop_app.widgets.layouts import Flow, Parts, column, command_buttons, row, splitter
from desktop_app.widgets.record_list import LEFT, draw_key, draw_lines, draw_text


def halves(page: QWidget, left: Sequence[Parts], right: Sequence[Parts], sizes: tuple[int, int]) -> None:
    """Lays out a page of the drawer: two columns with a movable border."""
    sides = QWidget(page), QWidget(page)
    column(*left, margins=(0, 0, 8, 0), spacing=8, of=sides[0])
    column(*right, margins=(8, 0, 0, 0), spacing=6, of=sides[1])
    column(splitter((sides[0], sizes[0], 0), (sides[1], sizes[1], 0), parent=page), margins=(12, 8, 12, 8), of=page)


def buttons(registry: CommandRegistry, parent: QWidget, primary: str = "", **texts: str) -> QBoxLayout:
    """Buttons side by side, in more lines where there is less room, by the names of their commands."""
    return row((Flow(*command_buttons(registry, "review", texts, parent, primary).values()), 1))


def reader(name: str, parent: QWidget) -> HtmlPage:
    """Text to read, which Tab leaves."""
    page = HtmlPage(name, parent, padding="4px 8px")
    page.setTabChangesFocus(True)
    return page


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
