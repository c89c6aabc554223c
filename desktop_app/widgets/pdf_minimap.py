"""The whole document as a narrow strip: where edits, links and search hits are, and the visible part."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QAccessible, QBrush, QColor, QMouseEvent, QPainter, QPaintEvent, QPen, QPixmap, QResizeEvent
from PySide6.QtWidgets import QWidget

from desktop_app.theme import Meaning, theme
from engine.shown import counted, percent

WIDTH = 18


@dataclass(frozen=True, slots=True)
class Tick:
    """A mark from ``top`` to ``bottom``, as shares of the document (0 to 1). ``lane``: 0 for edits, 1 for links and
    search hits, -1 for whole pages, behind both; ``note`` is its tooltip."""

    top: float
    bottom: float
    meaning: Meaning
    lane: int = 0
    key: str = ""
    note: str = ""


class Minimap(QWidget):
    """Draws ticks and the visible part; a click or drag scrolls there."""

    accessible_role = QAccessible.Role.Indicator

    asked = Signal(float)
    """The share (0 to 1) of the document to show in the middle of the view."""

    def __init__(self, ask: Callable[[], tuple[Sequence[Tick], str]], parent: QWidget | None = None) -> None:
        """``ask`` returns the ticks and the key of the current edit, whose ticks take the whole width."""
        super().__init__(parent)
        self._ask = ask
        self._ticks: tuple[Tick, ...] = ()
        self._current = ""
        self._window = (0.0, 1.0)
        self._drawn: QPixmap | None = None
        self.setFixedWidth(WIDTH)
        self.setMouseTracking(True)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAccessibleName("Overview of the document")
        theme().changed.connect(self.invalidate)

    def sizeHint(self) -> QSize:
        return QSize(WIDTH, 200)

    def accessible_value(self) -> str:
        """The visible part of the document, and the marks."""
        top, bottom = self._window
        return f"{percent(top)} to {percent(bottom)} visible, {counted(len(self._ticks), 'mark')}"

    def invalidate(self) -> None:
        """The ticks have changed: reads them before the next painting."""
        self._drawn = None
        self.update()

    def set_window(self, top: float, bottom: float) -> None:
        """Sets the visible part, as shares of the document."""
        if (top, bottom) != self._window:
            self._window = (top, bottom)
            self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._drawn = None
        super().resizeEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._point(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if event.buttons() & Qt.MouseButton.LeftButton:
            self._point(event)
            return
        share = event.position().y() / max(1, self.height())
        near = [t for t in self._ticks if t.note and t.top - 0.006 <= share <= t.bottom + 0.006]
        self.setToolTip("\n".join(dict.fromkeys(t.note for t in near[:6])))

    def paintEvent(self, _event: QPaintEvent) -> None:
        if self._drawn is None or self._drawn.devicePixelRatio() != self.devicePixelRatioF():
            ticks, self._current = self._ask()
            self._ticks = tuple(ticks)
            self._drawn = self._draw()
        painter = QPainter(self)
        painter.drawPixmap(0, 0, self._drawn)
        top, bottom = (share * self.height() for share in self._window)
        shade = QColor(theme().tokens.ink)
        shade.setAlpha(28)
        window = QRectF(0.5, top, self.width() - 1, max(8.0, bottom - top))
        painter.fillRect(window, shade)
        shade.setAlpha(150)
        painter.setPen(shade)
        painter.drawRect(window.adjusted(0, 0.5, 0, -0.5))
        painter.end()

    def _point(self, event: QMouseEvent) -> None:
        self.asked.emit(min(max(event.position().y() / max(1, self.height()), 0.0), 1.0))

    def _draw(self) -> QPixmap:
        tokens, ratio = theme().tokens, self.devicePixelRatioF()
        pixmap = QPixmap(round(self.width() * ratio), round(self.height() * ratio))
        pixmap.setDevicePixelRatio(ratio)
        pixmap.fill(QColor(tokens.ground))
        painter = QPainter(pixmap)
        painter.fillRect(QRectF(0, 0, 1, self.height()), QColor(tokens.hairline))
        lane = (self.width() - 5) / 2
        for tick in sorted(self._ticks, key=lambda t: (t.lane >= 0, t.key == self._current)):
            top, height = tick.top * self.height(), max(2.0, (tick.bottom - tick.top) * self.height())
            rect = QRectF(3 + tick.lane * lane, top, lane - 1, height)
            if tick.lane < 0:
                _hatch(painter, QRectF(1, top, self.width() - 1, height), QColor(tokens.data[tick.meaning].mark))
                continue
            if tick.key and tick.key == self._current:
                rect = QRectF(1, top - 1, self.width() - 1, max(4.0, height))
            painter.fillRect(rect, QColor(tokens.data[tick.meaning].mark))
        painter.end()
        return pixmap


def _hatch(painter: QPainter, rect: QRectF, colour: QColor) -> None:
    painter.setPen(QPen(colour, 1.5))
    painter.setBrush(QBrush(colour, Qt.BrushStyle.BDiagPattern))
    painter.drawRect(rect.adjusted(0.5, 0.5, -1, -0.5))
    painter.setBrush(Qt.BrushStyle.NoBrush)
