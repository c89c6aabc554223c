"""The measures as bars with intervals, and the pairs as a two by two table."""

from __future__ import annotations

from math import isnan, nan

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from desktop_app.theme import theme
from desktop_app.widgets.bars import Bar
from engine.agreement.records import MEASURES, PUBLISHED, Figures


def interval_bars(figures: Figures) -> list[Bar]:
    """Each measure with its 95 % interval, and the published figure for comparison."""
    bars = []
    for measure, words in MEASURES.items():
        found = figures.estimates[measure]
        span = "" if isnan(found.low) else f" {found.low:.2f}–{found.high:.2f}"
        text = f"{found.value:.2f}{span}".replace("0.", ".") if found.known else "not defined"
        value = found.value if found.known else nan
        bars.append(Bar(words, value, text, low=found.low, high=found.high, reference=PUBLISHED.get(measure, nan)))
    return bars


class PairTable(QWidget):
    """Pairs of comment and edit by what each annotator said; the shade is a cell's share of its row."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Pairs by what both said")
        self._figures: Figures | None = None
        self._names = ("first", "second")
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        theme().changed.connect(self.updateGeometry)

    def show_figures(self, figures: Figures | None, first: str, second: str) -> None:
        self._figures, self._names = figures, (first, second)
        if figures is not None:
            (both, one), (two, none) = figures.confusion
            self.setAccessibleDescription(f"linked by both {both}, by {first} {one}, by {second} {two}, by none {none}")
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(360, theme().px(118))

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        tokens = theme().tokens
        painter.fillRect(self.rect(), QColor(tokens.surface))
        if self._figures is None:
            painter.end()
            return
        painter.setFont(theme().font("small"))
        line, left = theme().px(18), theme().px(176)
        cell_width, cell_height = (self.width() - left - 16) / 2, theme().px(34)
        painter.setPen(QColor(tokens.muted))
        flags = Qt.AlignmentFlag.AlignCenter
        first, second = self._names
        for j, words in enumerate((f"{second}: linked", "not linked")):
            fits = painter.fontMetrics().elidedText(words, Qt.TextElideMode.ElideLeft, round(cell_width) - 4)
            painter.drawText(QRectF(left + j * cell_width, 4, cell_width, line), flags, fits)
        for i, words in enumerate((f"{first}: linked", "not linked")):
            place = QRectF(12, 4 + line + i * (cell_height + 3), left - 20, cell_height)
            painter.setPen(QColor(tokens.muted))
            painter.setFont(theme().font("small"))
            fits = painter.fontMetrics().elidedText(words, Qt.TextElideMode.ElideLeft, round(place.width()))
            painter.drawText(place, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, fits)
            row = self._figures.confusion[i]
            for j, count in enumerate(row):
                cell = QRectF(left + j * cell_width + 1, place.top(), cell_width - 3, cell_height)
                shade = QColor(tokens.data["linked" if i == j else "attention"].mark)
                shade.setAlphaF(0.12 + 0.35 * count / (sum(row) or 1))
                painter.fillRect(cell, shade)
                painter.setPen(QColor(tokens.ink))
                painter.setFont(theme().font("section", bold=i != j, tabular=True))
                painter.drawText(cell, flags, f"{count:,}")
        painter.end()
