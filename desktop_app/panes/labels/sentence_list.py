"""The sentences of a review with their labels as chips."""

from __future__ import annotations

from PySide6.QtCore import QRect
from PySide6.QtGui import QFontMetricsF, QPainter
from PySide6.QtWidgets import QWidget

from desktop_app.panes.labels.state import Sentence
from desktop_app.theme import Meaning, theme
from desktop_app.widgets.label_chips import draw_chips
from desktop_app.widgets.record_list import RIGHT, RecordList, draw_text, split_line

_MOST = 8
"""Lines of a sentence that the list shows at most."""
_MEASURE = 760
"""Pixels of a line at most: about 80 letters."""


def _spoken(row: Sentence) -> str:
    chips = ", ".join(chip.spoken for chip in row.chips)
    return f"{row.number}. {row.text} {chips or 'no label'}"


class SentenceList(RecordList):
    """A number, the words over as many lines as they need, and the chips."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(
            "Sentences of the review", self._draw, self._height, _spoken, key=lambda row: (row.labels.span, row.text),
            shape=lambda row: bool(row.chips), parent=parent,
        )  # fmt: skip
        self._lines: dict[tuple[str, int], list[str]] = {}
        theme().changed.connect(self._lines.clear)

    def _height(self, row: Sentence) -> int:
        return len(self._split(row.text)) * _step() + (theme().px(20) if row.chips else 0) + theme().px(16)

    def _room(self) -> QRect:
        """Where the words go in a row."""
        left = theme().px(44)
        return QRect(left, 0, min(self.viewport().width() - left - theme().px(96), theme().px(_MEASURE)), 0)

    def _split(self, text: str) -> list[str]:
        width = max(80, self._room().width())
        known = self._lines.get((text, width))
        if known is None:
            advance = QFontMetricsF(theme().reading_font(14)).horizontalAdvance
            known, rest = [], text
            while rest and len(known) < _MOST:
                line, rest = split_line(rest, width, advance)
                known.append(line)
            if rest:
                known[-1] = f"{known[-1].rstrip()} …"
            if len(self._lines) > 20_000:
                self._lines.clear()
            self._lines[text, width] = known
        return known

    def _draw(self, painter: QPainter, rect: QRect, row: Sentence, _selected: bool) -> None:
        t, room, step, lines = theme(), self._room(), _step(), self._split(row.text)
        top, small = rect.top() + t.px(7), t.font("small", tabular=True)
        draw_text(painter, QRect(rect.left(), top, t.px(34), step), RIGHT, str(row.number), small, t.tokens.muted)
        words, meaning = _state(row)
        draw_text(
            painter, QRect(rect.right() - t.px(96), top, t.px(84), step), RIGHT, words, small, t.data(meaning).ink
        )
        painter.setFont(t.reading_font(14))
        painter.setPen(t.colour("ink"))
        ascent = painter.fontMetrics().ascent()
        for number, line in enumerate(lines):
            painter.drawText(rect.left() + room.left(), top + number * step + ascent, line)
        chips_top = top + len(lines) * step + t.px(2)
        draw_chips(painter, row.chips, rect.left() + room.left(), chips_top, rect.width() - room.left() - t.px(12))


def _step() -> int:
    return round(QFontMetricsF(theme().reading_font(14)).lineSpacing() * 1.15)


def _state(row: Sentence) -> tuple[str, Meaning]:
    if row.offered:
        return f"○ {row.offered} open", "attention"
    return "✓ decided" if row.decided else "", "verified"
