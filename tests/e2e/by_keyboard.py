"""Somebody who has no mouse: presses the keys of commands and of controls, where the keyboard is."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from desktop_app.window import MainWindow


class Mouse(QObject):
    """Counts what a mouse would do."""

    used = 0

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        self.used += event.type() == QEvent.Type.MouseButtonPress
        return False


class Person:
    """Presses keys where the keyboard is."""

    def __init__(self, window: MainWindow, qtbot: QtBot) -> None:
        self.window, self.qtbot = window, qtbot

    def at(self) -> QWidget:
        return QApplication.activePopupWidget() or QApplication.focusWidget() or self.window

    def key(self, *keys: Qt.Key, modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
        for key in keys:
            QTest.keyClick(self.at(), key, modifiers)

    def type(self, words: str) -> None:
        QTest.keyClicks(self.at(), words)

    def run(self, command: str) -> None:
        """The key of a command, the one that works while one writes where there are two."""
        keys = self.window.commands.native_shortcut(command).split(" or ")
        pressed = QKeySequence.fromString(keys[-1], QKeySequence.SequenceFormat.NativeText)[0]
        QTest.keyClick(self.at(), pressed.key(), pressed.keyboardModifiers())
