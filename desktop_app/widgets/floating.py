"""A sheet that floats over the window, takes the keyboard and returns it."""

from __future__ import annotations

import shiboken6
from PySide6.QtCore import QEvent, QObject, QSize, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QWidget

from desktop_app.theme import theme


class FloatingSheet(QFrame):
    """Hidden until ``enter``, over ``parent``, whose size it follows; Escape closes it."""

    def __init__(self, name: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._over = parent
        self.before: QWidget | None = None  # what had the keyboard when the sheet was shown
        self.setProperty("role", "floating")
        self.setAccessibleName(name)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.hide()
        parent.installEventFilter(self)
        theme().changed.connect(self._fit)

    def place(self) -> None:
        """Centres the sheet in its own size, as far as there is room."""
        size = self.sizeHint().boundedTo(self._over.size() - QSize(48, 56))
        self.setGeometry((self._over.width() - size.width()) // 2, 28, size.width(), size.height())

    def _fit(self) -> None:
        if self.isVisible():
            self.place()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self._over and event.type() == QEvent.Type.Resize:
            self._fit()
        return super().eventFilter(watched, event)

    def enter(self) -> None:
        """Shows the sheet and takes the keyboard."""
        self.place()
        self.before = self.window().focusWidget()
        self.show()
        self.raise_()
        self.setFocus()

    def leave(self) -> None:
        """Closes the sheet and returns the keyboard, unless it was used elsewhere since."""
        held = self.window().focusWidget()
        inside = held is None or held is self or self.isAncestorOf(held)
        before, self.before = self.before, None
        self.hide()
        if inside and before is not None and shiboken6.isValid(before):
            before.setFocus()

    def focusNextPrevChild(self, onward: bool) -> bool:
        """Tab goes round within the sheet: what comes next in the window is below it."""
        inside = [
            one
            for one in self.findChildren(QWidget)
            if one.isVisible() and one.isEnabled() and one.focusPolicy() & Qt.FocusPolicy.TabFocus
        ]
        if inside:
            now = self.window().focusWidget()
            at = inside.index(now) if now in inside else -onward
            inside[(at + (1 if onward else -1)) % len(inside)].setFocus(Qt.FocusReason.TabFocusReason)
        return bool(inside)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.leave()
        else:
            super().keyPressEvent(event)
