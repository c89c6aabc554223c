"""What is selected in all views of the calibration pane."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal


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
