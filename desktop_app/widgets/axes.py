"""The axes of a painted plot: where values are, and ticks and labels around the area."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from desktop_app.theme import theme

_MIDDLE = Qt.AlignmentFlag.AlignVCenter
_CENTRE = Qt.AlignmentFlag.AlignHCenter
LINE = 16
"""Height of a line of labels, in pixels at the normal text size."""


@dataclass(frozen=True, slots=True)
class Axes:
    """An area in pixels, with the values at its left and right ends (``x``) and at its bottom and top (``y``)."""

    area: QRectF
    x: tuple[float, float]
    y: tuple[float, float]

    def at(self, x: float, y: float) -> QPointF:
        """Where a pair of values is, in pixels."""
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
        """Draws the ticks of x below the area, those of y left of it with lines across, and a label along each axis."""
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
        painter.drawText(QRectF(-area.height() / 2, -line / 2, area.height(), line), _CENTRE | _MIDDLE, labels[1])
        painter.restore()
