"""A sheet that floats over the window, takes the keyboard and returns it."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QWidget


class FloatingSheet(QFrame):
    """Hidden until ``enter``; Escape closes it. ``place`` sets its geometry over ``parent``."""

    def __init__(self, name: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._over = parent
        self._before: QWidget | None = None
        self.setProperty("role", "floating")
        self.setAccessibleName(name)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.hide()

    def place(self) -> None:
        raise NotImplementedError

    def enter(self) -> None:
        """Shows the sheet and takes the keyboard."""
        self.place()
        self._before = self.window().focusWidget()
        self.show()
        self.raise_()
        self.setFocus()

    def leave(self) -> None:
        """Closes the sheet and returns the keyboard."""
        self.hide()
        if self._before is not None:
            self._before.setFocus()
            self._before = None

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.leave()
        else:
            super().keyPressEvent(event)
