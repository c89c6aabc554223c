"""The ribbon that connects aligned paragraphs of two documents, and the mapping of positions between them."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QSize, Qt, Signal
from PySide6.QtGui import QAccessible, QColor, QMouseEvent, QPainter, QPainterPath, QPen
from PySide6.QtWidgets import QWidget

from desktop_app.theme import Meaning, theme
from desktop_app.widgets.painted import Painted
from engine.shown import counted


@dataclass(frozen=True, slots=True)
class Pair:
    """Aligned paragraphs, by position in their documents. ``key`` is the edit's id, ``meaning`` its colour ("" and None
    if unchanged)."""

    source: tuple[int, ...]
    target: tuple[int, ...]
    key: str = ""
    meaning: Meaning | None = None


class ScrollMap:
    """A strictly increasing, piecewise linear map between vertical positions in two documents.

    Built from points (left, right). Pairs that cross others (moved text, the second column of a page) are left out by
    the longest increasing subsequence (Schensted 1961), so that scrolling never runs backwards.
    """

    def __init__(self, points: Iterable[tuple[float, float]], ends: tuple[float, float]) -> None:
        rising = _longest_rising(sorted(set(points)))
        self._left = [0.0]
        self._right = [0.0]
        for left, right in [*rising, ends]:
            if left > self._left[-1] and right > self._right[-1]:
                self._left.append(left)
                self._right.append(right)

    def to_right(self, y: float) -> float:
        """Maps a vertical position on the left to the right."""
        return _interpolated(y, self._left, self._right)

    def to_left(self, y: float) -> float:
        """Maps a vertical position on the right to the left."""
        return _interpolated(y, self._right, self._left)


def _interpolated(y: float, xs: Sequence[float], ys: Sequence[float]) -> float:
    if len(xs) < 2:
        return y
    at = min(max(bisect_right(xs, y), 1), len(xs) - 1)
    x0, x1, y0, y1 = xs[at - 1], xs[at], ys[at - 1], ys[at]
    return y0 + (y - x0) * (y1 - y0) / (x1 - x0)


def _longest_rising(points: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Returns the longest subsequence in which both coordinates increase strictly; points are sorted by the first."""
    tails: list[float] = []
    ends: list[int] = []
    before: list[int] = []
    for index, (_, y) in enumerate(points):
        at = bisect_left(tails, y)
        before.append(ends[at - 1] if at else -1)
        if at == len(tails):
            tails.append(y)
            ends.append(index)
        else:
            tails[at], ends[at] = y, index
    chain: list[tuple[float, float]] = []
    index = ends[-1] if ends else -1
    while index >= 0:
        if not chain or points[index][0] < chain[-1][0]:
            chain.append(points[index])
        index = before[index]
    return chain[::-1]


WIDTH = 36


@dataclass(frozen=True, slots=True)
class Band:
    """Top and bottom on the left and right, in pixels; an end with zero height tapers to a point (added, deleted)."""

    left: tuple[float, float]
    right: tuple[float, float]
    key: str = ""
    meaning: Meaning | None = None


class Ribbon(Painted):
    """Draws the visible bands; clicking a coloured one selects its edit."""

    accessible_role = QAccessible.Role.Graphic

    chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Aligned paragraphs", parent)
        self.bands: tuple[Band, ...] = ()
        self._current = ""
        self._over = ""
        self.setFixedWidth(WIDTH)
        self.setMouseTracking(True)

    def sizeHint(self) -> QSize:
        return QSize(WIDTH, 200)

    def accessible_value(self) -> str:
        return f"{counted(len({band.key for band in self.bands if band.key}), 'edit')} in view"

    def set_bands(self, bands: Sequence[Band], current: str) -> None:
        """Sets the bands; that of the current edit is emphasised and drawn last."""
        self.bands, self._current = tuple(bands), current
        self.update()

    def paint(self, painter: QPainter) -> None:
        tokens = theme().tokens
        painter.fillRect(self.rect(), QColor(tokens.ground))
        for band in sorted(self.bands, key=lambda b: (b.key == self._current and bool(b.key), bool(b.key))):
            current = bool(band.key) and band.key in (self._current, self._over)
            if band.meaning is None:
                fill, line = QColor(tokens.muted), QColor(tokens.hairline)
                fill.setAlpha(18)
            else:
                fill = QColor(tokens.data[band.meaning].mark)
                line = QColor(fill)
                fill.setAlpha(150 if current else 60)
            painter.setBrush(fill)
            painter.setPen(QPen(line, 1.5 if current else 0.8) if band.key else Qt.PenStyle.NoPen)
            painter.drawPath(self._path(band))

    def _path(self, band: Band) -> QPainterPath:
        width, middle = float(self.width()), self.width() / 2
        (lt, lb), (rt, rb) = band.left, band.right
        path = QPainterPath(QPointF(0, lt))
        path.cubicTo(QPointF(middle, lt), QPointF(middle, rt), QPointF(width, rt))
        path.lineTo(QPointF(width, rb))
        path.cubicTo(QPointF(middle, rb), QPointF(middle, lb), QPointF(0, lb))
        path.closeSubpath()
        return path

    def _at(self, point: QPointF) -> str:
        return next((b.key for b in reversed(self.bands) if b.key and self._path(b).contains(point)), "")

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        over = self._at(event.position())
        if over != self._over:
            self._over = over
            self.setCursor(Qt.CursorShape.PointingHandCursor if over else Qt.CursorShape.ArrowCursor)
            self.update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        key = self._at(event.position())
        if key and event.button() == Qt.MouseButton.LeftButton:
            self.chosen.emit(key)
