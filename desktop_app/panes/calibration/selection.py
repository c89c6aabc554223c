"""What is selected in all views of the calibration pane, and scroll bars over their rows and columns."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QScrollBar


class Selection(QObject):
    """The selected item and referee as indices (-1: none), shared by all views."""

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.item = -1
        self.referee = -1

    def choose(self, *, item: int | None = None, referee: int | None = None) -> None:
        """None keeps what is chosen."""
        wanted = (self.item if item is None else item, self.referee if referee is None else referee)
        if wanted != (self.item, self.referee):
            self.item, self.referee = wanted
            self.changed.emit()


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
