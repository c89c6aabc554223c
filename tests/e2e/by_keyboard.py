"""Somebody who has no mouse: presses the keys of commands and of controls, where the keyboard is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from desktop_app.panes.linking.pane import LinkingPane
from desktop_app.widgets.file_dialogs import FileDialogs
from desktop_app.window import MainWindow
from engine.project import Project

PATIENCE_MS = 180_000
"""Reading, comparing, suggesting and labelling on two slow cores, with the encoder loaded for the first time."""


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

    def until(self, ready: Callable[[], bool]) -> None:
        self.qtbot.waitUntil(ready, timeout=PATIENCE_MS)

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

    def import_files(self, files: Sequence[Path], monkeypatch: pytest.MonkeyPatch) -> LinkingPane:
        """Adds files in Linking; returns the pane, which is still reading them."""
        self.run("go.linking")
        linking = self.window.panes["linking"]
        assert isinstance(linking, LinkingPane)
        monkeypatch.setattr(FileDialogs, "open_files", lambda *_: files)
        self.run("linking.import")
        return linking


def author_with(path: Path, make_window: Callable[[], MainWindow], qtbot: QtBot) -> Person:
    """Ada with a new project in the active window."""
    Project.create(path, "A rebuttal", "Ada").close()
    window = make_window()
    window.settings.set("annotator.name", "Ada")
    assert window.open_path(str(path))
    with qtbot.waitActive(window):
        window.activateWindow()
    return Person(window, qtbot)
