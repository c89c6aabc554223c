"""What the views that paint every item themselves share: they scroll, and repaint when they do."""

from __future__ import annotations

from PySide6.QtGui import QFocusEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractScrollArea, QScrollBar


class PaintedView(QAbstractScrollArea):
    """Painted as a whole whenever it is scrolled, resized, or gets or loses the focus."""

    def fit_bars(self) -> None:
        """Fits the scroll bars to what is shown and to the room for it."""
        raise NotImplementedError

    def relayout(self) -> None:
        """What is shown, or the room for it, has changed."""
        self.fit_bars()
        self.viewport().update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.relayout()

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.viewport().update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.viewport().update()

    def scrollContentsBy(self, _dx: int, _dy: int) -> None:
        self.viewport().update()


def fit_bar(bar: QScrollBar, length: float, page: int, step: float) -> None:
    """Lets a bar scroll over ``length`` pixels of which ``page`` are seen."""
    bar.setRange(0, max(round(length - page), 0))
    bar.setPageStep(max(page, 1))
    bar.setSingleStep(round(step))


def reveal(bar: QScrollBar, start: float, size: float, page: int) -> None:
    """Scrolls as little as brings ``size`` pixels from ``start`` into view."""
    if start < bar.value():
        bar.setValue(int(start))
    elif start + size > bar.value() + page:
        bar.setValue(int(start + size - page) + 1)
