"""A sheet that floats over the window, takes the keyboard and returns it."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QWidget


class FloatingSheet(QFrame):
    """Hidden until ``enter``, over ``parent``; Escape closes it."""

    def __init__(self, name: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._over = parent
        self._before: QWidget | None = None
        self.setProperty("role", "floating")
        self.setAccessibleName(name)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.hide()

    def place(self) -> None:
        """Centres the sheet in its own size, as far as there is room."""
        size = self.sizeHint().boundedTo(self._over.size() - QSize(48, 56))
        self.setGeometry((self._over.width() - size.width()) // 2, 28, size.width(), size.height())

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
