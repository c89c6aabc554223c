"""Plots of a fit: each point is an item, a referee or a review; clicking selects it in all views."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from PySide6.QtCore import QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QMouseEvent, QPainter, QPen, QPolygonF
from PySide6.QtWidgets import QWidget

from desktop_app.panes.calibration.board import Board
from desktop_app.panes.calibration.choices import VIEWS
from desktop_app.panes.calibration.matrix_field import Selection
from desktop_app.theme import theme
from desktop_app.widgets.bars import Axes
from desktop_app.widgets.painted import Painted
from engine.calibration.records import Calibration, Floats, Ints
from engine.shown import counted

Kind = Literal["item", "referee", "review", "none"]
LEFT, RIGHT, BOTTOM = 72, 16, 44
MOST_WHISKERS = 600
"""With more points, whiskers would hide them."""


@dataclass(frozen=True, slots=True, eq=False)
class Points:
    """Content of a plot: ``x`` and ``y`` (n,), the kind of points, whiskers of half-length ``half`` (n,) if known.

    ``diagonal`` draws the line of equality; ``joined`` draws a curve instead of points; ``levels`` are dashed lines.
    """

    kind: Kind
    x: Floats
    y: Floats
    x_label: str
    y_label: str
    note: str
    half: Floats | None = None
    diagonal: bool = False
    joined: bool = False
    levels: tuple[float, ...] = ()


def _whiskers(fit: Calibration, spread: Floats) -> str:
    shown = len(spread) <= MOST_WHISKERS and not np.isnan(spread).all()
    return f" Whiskers: {fit.interval}." if shown else ""


def bias_points(board: Board) -> Points:
    """Plain mean deviation against fitted bias, which shows the shrinkage of each referee."""
    fit = board.current.calibration
    return Points(
        "referee", board.raw_biases(), fit.bias, "plain mean deviation", "bias",
        f"Each point is a referee. Points on the line aren't shrunk at all.{_whiskers(fit, fit.bias_sd)}",
        1.645 * fit.bias_sd, diagonal=True,
    )  # fmt: skip


def trust_points(board: Board) -> Points:
    """Root mean square of a referee's residuals against the fitted noise."""
    fit, reviews = board.current.calibration, board.current.prepared.reviews
    counts = np.maximum(reviews.reviews_per_referee, 1)
    raw = np.sqrt(reviews.per_referee(np.nan_to_num(fit.residual) ** 2) / counts)
    return Points(
        "referee", raw, np.sqrt(fit.noise), "root mean square residual", "noise, exp(−trust/2)",
        "Each point is a referee. The lower the point, the more the referee is trusted.", diagonal=True,
    )  # fmt: skip


def residual_points(board: Board) -> Points:
    score = board.current.calibration.score[board.current.prepared.reviews.item]
    return Points(
        "review", score, board.tone, "item score", "standardised residual",
        "Each point is a review. Values beyond ±2 are unusually large.", levels=(0.0, 2.0, -2.0),
    )  # fmt: skip


def raw_points(board: Board) -> Points:
    fit = board.current.calibration
    return Points(
        "item", board.raw_means(), fit.score, "plain mean of reviews", "calibrated score",
        f"Each point is an item.{_whiskers(fit, fit.score_sd)}", 1.645 * fit.score_sd, diagonal=True,
    )  # fmt: skip


def trace_points(board: Board) -> Points:
    """The log-likelihood after each iteration of the fit."""
    trace = np.array(board.current.calibration.trace)
    state = "converged" if board.current.calibration.converged else "not converged"
    return Points(
        "none", np.arange(1, len(trace) + 1, dtype=np.float64), trace, "round", "log-likelihood (or log evidence)",
        f"{counted(len(trace), 'round')}, {state}." if len(trace) else "This method isn't iterative.", joined=True,
    )  # fmt: skip


PLOTS: dict[str, Callable[[Board], Points]] = {
    "bias": bias_points,
    "trust": trust_points,
    "residuals": residual_points,
    "raw": raw_points,
    "trace": trace_points,
}


class PlotView(Painted):
    """A plot, painted so that clicks can be mapped to points."""

    def __init__(self, name: str, selection: Selection, parent: QWidget | None = None) -> None:
        super().__init__(f"{VIEWS[name][0]} plot", parent)
        self.title, self._make = VIEWS[name][0], PLOTS[name]
        self.selection = selection
        self.board: Board | None = None
        self.points: Points | None = None
        self.setMinimumSize(200, 160)
        selection.changed.connect(self.update)

    def show_board(self, board: Board | None) -> None:
        self.board = board
        self.points = self._make(board) if board is not None else None
        if self.points is not None:
            self.setAccessibleDescription(self.points.note)
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(380, 320)

    def place(self, index: int) -> QPointF:
        assert self.points is not None
        return self._axes(self.points).at(float(self.points.x[index]), float(self.points.y[index]))

    def _axes(self, points: Points) -> Axes:
        left, foot, top = theme().px(LEFT), theme().px(BOTTOM), self._note(points.note).bottom() + 10
        area = QRectF(left, top, self.width() - left - RIGHT, self.height() - top - foot)
        return Axes(area, _range(points.x), _range(points.y))

    def _note(self, words: str) -> QRect:
        """Returns the rectangle of the text above the axes, with as many lines as it needs."""
        room = QRect(12, 4, self.width() - 24, self.height())
        return QFontMetrics(theme().font("small")).boundingRect(room, Qt.TextFlag.TextWordWrap, words)

    def _screen(self, points: Points) -> tuple[Floats, Floats]:
        axes = self._axes(points)
        start, step = axes.at(0, 0), axes.at(1, 1) - axes.at(0, 0)
        return start.x() + points.x * step.x(), start.y() + points.y * step.y()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        points, board = self.points, self.board
        if points is None or board is None or points.kind == "none" or not len(points.x):
            return
        xs, ys = self._screen(points)
        away = np.nan_to_num(np.hypot(xs - event.position().x(), ys - event.position().y()), nan=np.inf)
        nearest = int(away.argmin())
        if away[nearest] > 12:
            return
        reviews = board.current.prepared.reviews
        match points.kind:
            case "item":
                self.selection.choose(item=nearest)
            case "referee":
                self.selection.choose(referee=nearest)
            case "review":
                self.selection.choose(item=int(reviews.item[nearest]), referee=int(reviews.referee[nearest]))

    def _chosen(self) -> Ints:
        points, board = self.points, self.board
        if points is None or board is None or points.kind == "none":
            return np.zeros(0, dtype=np.int64)
        if points.kind == "review":
            reviews = board.current.prepared.reviews
            return np.flatnonzero((reviews.item == self.selection.item) | (reviews.referee == self.selection.referee))
        wanted = self.selection.item if points.kind == "item" else self.selection.referee
        return np.array([wanted] if 0 <= wanted < len(points.x) else [], dtype=np.int64)

    def paint(self, painter: QPainter) -> None:
        t, points = theme().tokens, self.points
        painter.fillRect(self.rect(), QColor(t.surface))
        if points is None:
            return
        painter.setFont(theme().font("small"))
        painter.setPen(QColor(t.muted))
        painter.drawText(self._note(points.note), Qt.TextFlag.TextWordWrap, points.note)
        if not np.isfinite(points.x * points.y).any():
            painter.drawText(self.rect(), int(Qt.AlignmentFlag.AlignCenter), "This method has nothing to show here.")
            return
        axes = self._axes(points)
        across, up = (labelled(ticks(*span)) for span in (axes.x, axes.y))
        axes.paint(painter, (points.x_label, points.y_label), across, up)
        painter.setClipRect(axes.area.adjusted(-4, -4, 4, 4))
        painter.setPen(QPen(QColor(t.muted), 1, Qt.PenStyle.DashLine))
        for level in points.levels:
            painter.drawLine(axes.at(axes.x[0], level), axes.at(axes.x[1], level))
        if points.diagonal:
            painter.drawLine(axes.at(axes.x[0], axes.x[0]), axes.at(axes.x[1], axes.x[1]))
        if points.half is not None and len(points.x) <= MOST_WHISKERS:
            shade = QColor(t.data["suggested"].mark)
            shade.setAlphaF(0.5)
            painter.setPen(QPen(shade, 1))
            for x, y, half in zip(points.x, points.y, points.half, strict=True):
                if np.isfinite(x + y + half):
                    painter.drawLine(axes.at(x, y - half), axes.at(x, y + half))
        xs, ys = self._screen(points)
        known = np.flatnonzero(np.isfinite(xs) & np.isfinite(ys))
        polygon = QPolygonF([QPointF(x, y) for x, y in zip(xs[known].tolist(), ys[known].tolist(), strict=True)])
        shade = QColor(t.accent)
        if points.joined:
            painter.setPen(QPen(shade, 2))
            painter.drawPolyline(polygon)
            return
        shade.setAlphaF(0.75 if len(known) < 800 else 0.4)
        painter.setPen(QPen(shade, 5 if len(known) < 800 else 3, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
        painter.drawPoints(polygon)
        painter.setPen(QPen(QColor(t.ink), 2))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for index in self._chosen():
            if np.isfinite(xs[index] + ys[index]):
                painter.drawEllipse(QPointF(xs[index], ys[index]), 5, 5)


def _range(values: Floats) -> tuple[float, float]:
    known = values[np.isfinite(values)]
    low, high = (float(known.min()), float(known.max())) if len(known) else (0.5, 0.5)
    room = 0.06 * (high - low) or 0.5
    return low - room, high + room


def ticks(low: float, high: float, wanted: int = 5) -> list[float]:
    """Returns about ``wanted`` round values between ``low`` and ``high``."""
    raw = (high - low) / wanted
    scale = 10.0 ** np.floor(np.log10(raw))
    step = float(next(s for s in (1, 2, 5, 10) if s * scale >= raw) * scale)
    first = int(np.ceil(low / step))
    return [round(n * step, 10) for n in range(first, int(np.floor(high / step)) + 1)]


def labelled(values: Sequence[float]) -> list[tuple[float, str]]:
    """Returns values with their labels on an axis."""
    return [(value, f"{value:g}".replace("-", "−")) for value in values]
