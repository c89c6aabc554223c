"""Loss by profile length, a line for each algorithm, with the interval of the selected one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import isnan

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QAccessible, QColor, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QWidget

from desktop_app.theme import theme
from desktop_app.widgets.axes import LINE, Axes
from engine.expertise.evaluation import Evaluation
from engine.shown import counted

Points = Sequence[tuple[int, Evaluation]]
_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")


def _colour(number: int) -> QColor:
    """A line's colour, lighter on a dark background."""
    colour = QColor(_COLOURS[number % len(_COLOURS)])
    return colour.lighter(140) if theme().tokens.scheme == "dark" else colour


class CurveView(QWidget):
    """Figure 2 of Stelmakh et al. (2023) for any data set."""

    accessible_role = QAccessible.Role.Chart

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Loss by profile length")
        self._curves: Mapping[str, Points] = {}
        self._selected = ""
        theme().changed.connect(self.update)

    def show_curves(self, curves: Mapping[str, Points], selected: str = "") -> None:
        self._curves, self._selected = dict(curves), selected
        lines = [
            f"{name}: " + ", ".join(f"{counted(length, 'paper')} {found.loss:.3f}" for length, found in points)
            for name, points in curves.items()
        ]
        self.setAccessibleDescription("; ".join(lines))
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(theme().px(460), theme().px(320))

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        tokens = theme().tokens
        painter.fillRect(self.rect(), QColor(tokens.surface))
        painter.setFont(theme().font("small", tabular=True))
        if not self._curves:
            painter.setPen(QColor(tokens.muted))
            words = "Choose “Profile lengths” on the leaderboard to see how much a longer profile helps."
            painter.drawText(self.rect().adjusted(32, 32, -32, -32), Qt.TextFlag.TextWordWrap, words)
            painter.end()
            return
        measure, line = painter.fontMetrics().horizontalAdvance, theme().px(LINE)
        names = min(max(measure(name) for name in self._curves) + 24, round(0.4 * self.width()))
        losses = [v for points in self._curves.values() for _, e in points for v in (e.loss, e.loss_low, e.loss_high)]
        losses = [value for value in losses if not isnan(value)] or [0.5]
        longest = max(length for points in self._curves.values() for length, _ in points)
        area = QRectF(self.rect()).adjusted(64, 16, -names, -(2 * line + 12))
        axes = Axes(area, (1, max(longest, 2)), (min(losses) - 0.01, max(losses) + 0.01))
        levels = [n / 20 for n in range(int(20 * axes.y[0]) + 1, int(20 * axes.y[1]) + 1)]
        lengths = [(length, str(length)) for length in (1, 5, 10, 15, 20) if length <= longest]
        axes.paint(painter, ("papers in the profile", "loss"), lengths, [(level, f"{level:.2f}") for level in levels])
        at = axes.at
        for number, (name, points) in enumerate(self._curves.items()):
            colour = _colour(number)
            if name == self._selected and not any(isnan(e.loss_low) for _, e in points):
                lower = [at(length, e.loss_low) for length, e in points]
                band = QPolygonF(lower + [at(length, e.loss_high) for length, e in reversed(points)])
                wash = QColor(colour)
                wash.setAlphaF(0.14)
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(wash)
                painter.drawPolygon(band)
            painter.setPen(QPen(colour, 2.5 if name == self._selected else 1.5))
            painter.drawPolyline(QPolygonF([at(length, e.loss) for length, e in points]))
            painter.setBrush(colour)
            for length, e in points:
                painter.drawEllipse(at(length, e.loss), 3, 3)
        self._paint_names(painter, at, area.right() + 10, line)
        painter.end()

    def _paint_names(self, painter: QPainter, at: Callable[[int, float], QPointF], left: float, line: int) -> None:
        """Names at the ends of the lines, pushed apart where lines end close together."""
        ends = sorted(
            (at(points[-1][0], points[-1][1].loss).y(), number, name)
            for number, (name, points) in enumerate(self._curves.items())
        )
        lowest = -1e9
        for y, number, name in ends:
            lowest = max(y, lowest + line)
            painter.setPen(_colour(number))
            place = QRectF(left, lowest - line / 2, self.width() - left - 4, line)
            words = painter.fontMetrics().elidedText(name, Qt.TextElideMode.ElideMiddle, round(place.width()))
            painter.drawText(place, 0, words)
