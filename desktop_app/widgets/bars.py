"""Labelled rows of bars, pairs of marks or intervals on a common axis; and the axes of painted plots."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan
from typing import Literal

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from desktop_app.theme import Meaning, theme
from desktop_app.widgets.painted import Painted
from desktop_app.widgets.record_list import draw_text

_CENTRE = Qt.AlignmentFlag.AlignHCenter
LINE = 16
"""Height of a line of labels, in pixels at the normal text size."""


@dataclass(frozen=True, slots=True)
class Axes:
    """A plot area in pixels, with the values at its left and right ends (``x``) and at its bottom and top (``y``)."""

    area: QRectF
    x: tuple[float, float]
    y: tuple[float, float]

    def at(self, x: float, y: float) -> QPointF:
        (left, right), (low, high) = self.x, self.y
        return QPointF(
            self.area.left() + (x - left) / (right - left) * self.area.width(),
            self.area.bottom() - (y - low) / (high - low) * self.area.height(),
        )

    def paint(
        self,
        painter: QPainter,
        labels: tuple[str, str],
        x_ticks: Sequence[tuple[float, str]] = (),
        y_ticks: Sequence[tuple[float, str]] = (),
    ) -> None:
        """Draws the x ticks below the area, the y ticks on its left with lines across, and a label along each axis."""
        t, area, line = theme().tokens, self.area, theme().px(LINE)
        painter.setPen(QColor(t.muted))
        for value, words in x_ticks:
            box = QRectF(self.at(value, self.y[0]).x() - 2 * line, area.bottom() + 3, 4 * line, line)
            painter.drawText(box, _CENTRE | _MIDDLE, words)
        for value, words in y_ticks:
            y = self.at(self.x[0], value).y()
            painter.setPen(QPen(QColor(t.hairline), 1))
            painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y))
            painter.setPen(QColor(t.muted))
            box = QRectF(0, y - line / 2, area.left() - 6, line)
            painter.drawText(box, Qt.AlignmentFlag.AlignRight | _MIDDLE, words)
        painter.setPen(QColor(t.ink))
        box = QRectF(area.left(), area.bottom() + line + 3, area.width(), line)
        painter.drawText(box, _CENTRE | _MIDDLE, labels[0])
        painter.save()
        painter.translate(line * 0.7, area.center().y())
        painter.rotate(-90)
        upright = painter.fontMetrics().elidedText(labels[1], Qt.TextElideMode.ElideRight, int(area.height()))
        painter.drawText(QRectF(-area.height() / 2, -line / 2, area.height(), line), _CENTRE | _MIDDLE, upright)
        painter.restore()


ROW, HEAD = 28, 26
_COLOURS: tuple[Meaning, ...] = ("added", "deleted", "verified", "moved", "attention", "unsupported")
_MARKS = "●■▲◆▼★"
_NAN = float("nan")
_MIDDLE = Qt.AlignmentFlag.AlignVCenter


def series_colour(number: int) -> QColor:
    return QColor(theme().data(_COLOURS[number % len(_COLOURS)]).mark)


@dataclass(frozen=True, slots=True)
class Bar:
    """A row: one or two values on an axis, or one with its interval, and a text at the end. NaN draws nothing.

    Attributes:
        rest: a grey continuation of the bar.
        series: index of the series, for colour and mark; none below 0.
        reference: another value on the same axis, drawn as a tick.
    """

    title: str
    value: float
    text: str
    second: float = _NAN
    rest: float = 0.0
    low: float = _NAN
    high: float = _NAN
    series: int = -1
    reference: float = _NAN


class Bars(Painted):
    """Bars from 0, pairs (a circle and a square, joined by a line), or points with their intervals."""

    def __init__(
        self, name: str, kind: Literal["bars", "pairs", "intervals"] = "bars", parent: QWidget | None = None
    ) -> None:
        super().__init__(name, parent)
        self._kind = kind
        self.empty = "No data yet"
        self._bars: tuple[Bar, ...] = ()
        self._ticks: tuple[float, ...] = ()
        self._least, self._most = 0.0, 1.0
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_bars(self, bars: Sequence[Bar], most: float = 1.0, ticks: Sequence[float] = ()) -> None:
        """Shows bars on an axis from 0 to ``most`` or, with labels, from the first to the last of ``ticks``."""
        self._bars, self._ticks = tuple(bars), tuple(ticks)
        self._least, self._most = (ticks[0], ticks[-1]) if ticks else (0.0, max(most, 1e-9))
        self.setAccessibleDescription("; ".join(f"{bar.title}: {bar.text}" for bar in bars) or self.empty)
        self.updateGeometry()
        self.update()

    def _head(self) -> int:
        return theme().px(HEAD) if self._ticks else 0

    def sizeHint(self) -> QSize:
        return QSize(360, self._head() + theme().px(ROW) * max(len(self._bars), 1) + 4)

    def _span(self) -> tuple[int, int]:
        """Returns the left and right ends of the axis, in pixels."""
        names, figures = QFontMetrics(theme().font("body")), QFontMetrics(theme().font("small", tabular=True))
        name = max((names.horizontalAdvance(bar.title) for bar in self._bars), default=0) + 32
        name += 20 * any(bar.series >= 0 for bar in self._bars)
        text = max((figures.horizontalAdvance(bar.text) for bar in self._bars), default=0) + 28
        right = self.width() - (max(theme().px(150), text) if self.width() > theme().px(480) else text)
        if name > right - self.width() // 3:
            right = self.width() - text
        # Names aren't elided if that leaves the axis a quarter of the width, and never take all of it.
        least = min(theme().px(176), right - self.width() // 6)
        return max(least, min(name, right - self.width() // 4)), right

    def paint(self, painter: QPainter) -> None:
        tokens, row, head = theme().tokens, theme().px(ROW), self._head()
        body, small = theme().font("body"), theme().font("small", tabular=True)
        painter.fillRect(self.rect(), QColor(tokens.surface))
        if not self._bars:
            draw_text(painter, self.rect().adjusted(12, 0, 0, 0), _MIDDLE, self.empty, body, tokens.muted)
            return
        left, right = self._span()
        painter.setFont(small)
        for tick in self._ticks:
            across = round(self._x(tick, left, right))
            painter.setPen(QPen(QColor(tokens.hairline), 1))
            painter.drawLine(across, head - 4, across, self.height())
            painter.setPen(QColor(tokens.muted))
            label = QRectF(across - 20, 0, 40, head - 6)
            painter.drawText(label, _MIDDLE | Qt.AlignmentFlag.AlignHCenter, f"{tick:g}".replace("-", "−"))
        for number, bar in enumerate(self._bars):
            top = head + number * row
            indent = 12
            painter.setFont(body)
            if bar.series >= 0:
                painter.setPen(series_colour(bar.series))
                painter.drawText(QRectF(12, top, 20, row), _MIDDLE, _MARKS[bar.series % len(_MARKS)])
                indent = 32
            draw_text(painter, QRectF(indent, top, left - indent - 8, row), _MIDDLE, bar.title, body, tokens.ink)
            if not self._ticks:
                painter.setPen(QPen(QColor(tokens.hairline), 1))
                painter.drawLine(left, round(top + row / 2), right, round(top + row / 2))
            self._paint_values(painter, bar, (left, right), top + row / 2)
            box = QRectF(right + 12, top, self.width() - right - 16, row)
            draw_text(painter, box, _MIDDLE, bar.text, small, tokens.ink)

    def _x(self, value: float, left: float, right: float) -> float:
        return left + (right - left) * (value - self._least) / (self._most - self._least)

    def _paint_values(self, painter: QPainter, bar: Bar, span: tuple[int, int], y: float) -> None:
        tokens = theme().tokens
        blue = series_colour(max(bar.series, 0))
        if not isnan(bar.reference):
            across = self._x(bar.reference, *span)
            painter.setPen(QPen(QColor(tokens.muted), 2))
            painter.drawLine(QPointF(across, y - 9), QPointF(across, y + 9))
        first, second = self._x(bar.value, *span), self._x(bar.second, *span)
        if isnan(bar.value) or (self._kind == "pairs" and isnan(bar.second)):
            return
        if self._kind == "bars":
            painter.fillRect(QRectF(span[0], y - 7, first - span[0], 14), blue)
            painter.fillRect(QRectF(first, y - 7, self._x(bar.rest, *span) - span[0], 14), QColor(tokens.hairline))
            return
        if self._kind == "pairs":
            painter.setPen(QPen(QColor(tokens.muted), 2))
            painter.drawLine(QPointF(first, y), QPointF(second, y))
        elif not isnan(bar.low):
            painter.setPen(QPen(blue, 3))
            painter.drawLine(QPointF(self._x(bar.low, *span), y), QPointF(self._x(bar.high, *span), y))
        painter.setPen(Qt.PenStyle.NoPen)
        if self._kind == "pairs":
            painter.setBrush(series_colour(1))
            painter.drawRect(QRectF(second - 5, y - 5, 10, 10))
        painter.setBrush(blue)
        painter.drawEllipse(QRectF(first - 5, y - 5, 10, 10))
