"""Dialogs for longer texts: what was typed isn't lost by Escape, nor when it can't be saved."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QMessageBox, QPlainTextEdit, QWidget
from pytestqt.qtbot import QtBot

from desktop_app.widgets.dialogs import DialogButtons, TypingDialog
from desktop_app.widgets.layouts import column
from engine.errors import BadInput


class Letter(TypingDialog):
    def __init__(self, parent: QWidget) -> None:
        super().__init__("A letter", parent)
        self.line, self.text = QLineEdit("Ada", self), QPlainTextEdit("Dear editor", self)
        self.buttons = DialogButtons(self, "Send")
        column(self.line, self.text, self.buttons, of=self)


@pytest.fixture
def letter(qtbot: QtBot) -> Iterator[Letter]:
    window = QWidget()
    qtbot.addWidget(window)
    window.show()
    dialog = Letter(window)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, on=False)  # so that it can be looked at
    dialog.open()
    yield dialog


def question(dialog: Letter) -> QMessageBox:
    (found,) = [one for one in dialog.findChildren(QMessageBox) if one.isVisible()]
    return found


def test_a_dialog_closes_at_once_if_nothing_was_typed(letter: Letter) -> None:
    QTest.keyClick(letter, Qt.Key.Key_Escape)
    assert not letter.isVisible()


@pytest.mark.parametrize("field", ["line", "text"])
@pytest.mark.parametrize("way", ["escape", "close"])
def test_closing_a_dialog_asks_before_typed_text_is_lost(letter: Letter, field: str, way: str, qtbot: QtBot) -> None:
    QTest.keyClicks(getattr(letter, field), "and Ben")

    def leave() -> None:
        QTest.keyClick(letter, Qt.Key.Key_Escape) if way == "escape" else letter.close()

    leave()
    assert letter.isVisible()
    QTest.keyClick(question(letter), Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: not letter.findChildren(QMessageBox))
    assert letter.isVisible() and "and Ben" in letter.line.text() + letter.text.toPlainText()
    leave()
    next(button for button in question(letter).buttons() if button.text() == "Discard").click()
    assert not letter.isVisible()


def test_a_dialog_stays_open_until_its_text_is_saved(letter: Letter) -> None:
    def refuse() -> None:
        raise BadInput("The letter has no date.", "It wasn't sent.", "Enter one.")

    for save in (refuse, lambda: False):
        letter.save = save
        letter.buttons.ok.click()
        assert letter.isVisible() and letter._problem.isVisible()
    assert "no date" in letter._problem.text()
    letter.save = lambda: None
    letter.buttons.ok.click()
    assert not letter.isVisible()
