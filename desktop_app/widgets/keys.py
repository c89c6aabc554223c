"""Keys that a focused control keeps, although its pane uses them for commands."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QComboBox, QWidget


class KeepsKeys(QObject):
    """Keeps Space on buttons; arrows, letters and Space on combo boxes."""

    def __init__(self, control: QWidget) -> None:
        super().__init__(control)
        self._chooser = isinstance(control, QComboBox)
        control.installEventFilter(self)

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        if event.type() != QEvent.Type.ShortcutOverride or not isinstance(event, QKeyEvent):
            return False
        plain = event.modifiers() in (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ShiftModifier)
        wanted = event.key() == Qt.Key.Key_Space
        if self._chooser:
            wanted = wanted or event.key() in (Qt.Key.Key_Up, Qt.Key.Key_Down) or bool(event.text().strip())
        if plain and wanted:
            event.accept()
            return True
        return False
