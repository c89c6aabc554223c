"""All ratings on a vertical ruler: dots at their values with short titles; ties are side by side."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFontMetrics, QMouseEvent, QPainter, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from desktop_app.theme import theme
from desktop_app.widgets.painted import Painted
from engine.shown import visible_line

HIGH, LOW = 5.0, 1.0
_TOP, _BOTTOM, _AXIS, _DOT, _LINE = 40, 20, 34, 5, 17


@dataclass(frozen=True, slots=True)
class Mark:
    """A rating on the ruler: row key, title and value."""

    key: str
    title: str
    value: float


def spread(wanted: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Positions as close as possible to the wanted ones (ascending), ``gap`` apart and between ``low`` and ``high``.

    Least squares under the order (pool adjacent violators, Ayer et al. 1955), then clipped at both ends. If
    they don't fit, they are spaced equally from ``low`` to ``high``.
    """
    count = len(wanted)
    if count and gap * (count - 1) > high - low:
        step = (high - low) / max(count - 1, 1)
        return [low + step * number for number in range(count)]
    pools: list[tuple[float, int]] = []  # mean and size of each pool
    for number, place in enumerate(wanted):
        mean, size = place - gap * number, 1
        while pools and pools[-1][0] > mean:
            other, many = pools.pop()
            mean = (mean * size + other * many) / (size + many)
            size += many
        pools.append((mean, size))
    free = [mean for mean, size in pools for _ in range(size)]
    lowest, highest = low, high - gap * (count - 1)
    return [min(max(mean, lowest), highest) + gap * number for number, mean in enumerate(free)]


class Ruler(Painted):
    """The ratings so far. Clicking a dot or its title selects the row."""

    chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Your ratings on a ruler", parent)
        self._marks: tuple[Mark, ...] = ()
        self._current = ""
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Expanding)
        self.setMouseTracking(True)
        self.show_marks(())

    def sizeHint(self) -> QSize:
        return QSize(theme().px(270), theme().px(420))

    def minimumSizeHint(self) -> QSize:
        return QSize(theme().px(200), theme().px(220))

    def show_marks(self, marks: Sequence[Mark], current: str = "") -> None:
        """Shows ratings, the highest on top; ``current`` is the key of the current row."""
        self._marks = tuple(sorted(marks, key=lambda mark: -mark.value))
        self._current = current
        words = ", ".join(f"{mark.value:g} {mark.title}" for mark in self._marks)
        self.setAccessibleDescription(words or "No ratings yet.")
        self.update()

    def y_of(self, value: float) -> float:
        """The position of a value, in pixels from the top."""
        top, bottom = theme().px(_TOP), self.height() - theme().px(_BOTTOM)
        return top + (HIGH - value) / (HIGH - LOW) * (bottom - top)

    def dots(self) -> list[QPointF]:
        found, beside = [], 0
        for number, mark in enumerate(self._marks):
            beside = beside + 1 if number and self._marks[number - 1].value == mark.value else 0
            found.append(QPointF(theme().px(_AXIS) + theme().px(2 * _DOT) * beside, self.y_of(mark.value)))
        return found

    def labels(self) -> list[tuple[QRectF, str, tuple[int, ...]]]:
        """Areas and texts of the titles, and the marks each belongs to. They never overlap: if the height is too small
        for a line per mark, marks of one value share a line."""
        groups: list[tuple[int, ...]] = [(number,) for number in range(len(self._marks))]
        line, top, bottom = theme().px(_LINE), theme().px(_TOP) / 2, self.height() - theme().px(_BOTTOM) / 2
        if line * len(groups) > bottom - top:
            values = sorted({mark.value for mark in self._marks}, reverse=True)
            groups = [tuple(n for n, mark in enumerate(self._marks) if mark.value == value) for value in values]
        dots = self.dots()
        left = max((dot.x() for dot in dots), default=0.0) + theme().px(_DOT + 14)
        left = min(left, self.width() * 0.6)
        places = spread([self.y_of(self._marks[group[0]].value) for group in groups], line, top + 8, bottom - 8)
        plain, bold = (QFontMetrics(theme().font("small", bold=heavy)) for heavy in (False, True))
        width = max(10.0, self.width() - left - 8)
        found = []
        for group, y in zip(groups, places, strict=True):
            more = f" and {len(group) - 1} more" if len(group) > 1 else ""
            metrics = bold if any(self._marks[number].key == self._current for number in group) else plain
            room = int(width) - metrics.horizontalAdvance(more)
            title = metrics.elidedText(visible_line(self._marks[group[0]].title), Qt.TextElideMode.ElideRight, room)
            found.append((QRectF(left, y - line / 2, width, line), title + more, group))
        return found

    def _mark_at(self, place: QPointF) -> Mark | None:
        for number, dot in enumerate(self.dots()):
            if (dot - place).manhattanLength() <= theme().px(_DOT + 4):
                return self._marks[number]
        for area, _words, group in self.labels():
            if area.contains(place):
                return self._marks[group[0]]
        return None

    def mousePressEvent(self, event: QMouseEvent) -> None:
        mark = self._mark_at(event.position())
        if mark is not None and event.button() == Qt.MouseButton.LeftButton:
            self.chosen.emit(mark.key)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        mark = self._mark_at(event.position())
        self.setToolTip(f"{mark.value:.2f}  {mark.title}" if mark is not None else "")
        self.setCursor(Qt.CursorShape.PointingHandCursor if mark is not None else Qt.CursorShape.ArrowCursor)

    def paint(self, painter: QPainter) -> None:
        t, px = theme().tokens, theme().px
        axis = px(_AXIS)
        painter.setFont(theme().font("small", tabular=True))
        painter.setPen(QPen(QColor(t.control_border), 1))
        painter.drawLine(QPointF(axis, self.y_of(HIGH)), QPointF(axis, self.y_of(LOW)))
        for number in range(17):
            value, whole = LOW + number / 4, number % 4 == 0
            y = self.y_of(value)
            painter.setPen(QPen(QColor(t.control_border), 1))
            painter.drawLine(QPointF(axis - px(5 if whole else 2), y), QPointF(axis, y))
            if whole:
                painter.setPen(QColor(t.muted))
                area = QRectF(0, y - 8, axis - px(9), 16)
                side = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextDontClip
                painter.drawText(area, side, f"{value:g}")
        if not self._marks:
            painter.setPen(QColor(t.muted))
            area = QRectF(axis + px(16), self.y_of(HIGH), self.width() - axis - px(28), 200)
            flags = int(Qt.TextFlag.TextWordWrap | Qt.AlignmentFlag.AlignTop)
            painter.drawText(area, flags, "Your ratings appear here, with spread, ties and gaps.")
            return
        self._paint_marks(painter)

    def _paint_marks(self, painter: QPainter) -> None:
        t, px = theme().tokens, theme().px
        dots = self.dots()
        at = {mark.value: sum(other.value == mark.value for other in self._marks) for mark in self._marks}
        for area, words, group in self.labels():
            dot = dots[group[-1]]
            current = any(self._marks[number].key == self._current for number in group)
            painter.setPen(QPen(QColor(t.hairline), 1))
            elbow = QPointF(area.left() - px(8), dot.y())
            painter.drawLine(QPointF(dot.x() + px(_DOT) + 2, dot.y()), elbow)
            painter.drawLine(elbow, QPointF(area.left() - 3, area.center().y()))
            painter.setFont(theme().font("small", bold=current))
            painter.setPen(QColor(t.ink if current else t.muted))
            painter.drawText(area, int(Qt.AlignmentFlag.AlignVCenter), words)
        for mark, dot in zip(self._marks, dots, strict=True):
            tied, current = at[mark.value] > 1, mark.key == self._current
            painter.setPen(QPen(QColor(t.ink if current else t.surface), 2 if current else 1))
            painter.setBrush(QColor(theme().data("attention").mark if tied else t.accent))
            painter.drawEllipse(dot, px(_DOT), px(_DOT))
