"""Text broken into lines and drawn by a delegate."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QFont, QPainter


def split_line(text: str, width: int, measure: Callable[[str], float]) -> tuple[str, str]:
    """The words that fit into ``width`` pixels, at least one, and the rest."""
    words, line = text[:200].split(" "), ""
    for at, word in enumerate(words):
        longer = f"{line} {word}" if line else word
        if measure(longer) > width and line:
            break
        line = longer
        if at == len(words) - 1:
            break
    return line, text[len(line) :].strip()


def draw_lines(painter: QPainter, rect: QRect, text: str, font: QFont, most: int) -> int:
    """Draws the beginning of a text on up to ``most`` lines, the last elided; returns their height in pixels."""
    painter.setFont(font)
    metrics = painter.fontMetrics()
    step, top = metrics.lineSpacing(), rect.top()
    for number in range(most):
        if not text:
            return number * step
        if number == most - 1:
            line, text = metrics.elidedText(text, Qt.TextElideMode.ElideRight, rect.width()), ""
        else:
            line, text = split_line(text, rect.width(), metrics.horizontalAdvance)
        painter.drawText(rect.left(), top + number * step + metrics.ascent(), line)
    return most * step
