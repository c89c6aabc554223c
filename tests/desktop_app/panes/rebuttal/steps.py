"""Keys of the tests of the rebuttal pane."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from desktop_app.panes.rebuttal.pane import RebuttalPane


def press(pane: RebuttalPane, *keys: Qt.Key, modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    for key in keys:
        QTest.keyClick(QApplication.focusWidget() or pane, key, modifiers)


def write(pane: RebuttalPane, text: str) -> None:
    QTest.keyClicks(QApplication.focusWidget() or pane, text)
