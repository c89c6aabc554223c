"""Setting up for work: a project is made, a model added, the text enlarged, a key changed; help, keys, palette and tray
come and go with Escape. The next start has all of it."""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QFileDialog, QLabel, QLineEdit
from pytestqt.qtbot import QtBot

from desktop_app.panes.home.pane import HomePane
from desktop_app.panes.models.pane import ModelsPane
from desktop_app.panes.settings.pane import SettingsPane
from desktop_app.theme import theme
from desktop_app.window import MainWindow
from engine.models.library import ModelLibrary
from tests.e2e.at_the_window import Visitor, answer_dialogs, watched
from tests.engine.models.tiny_encoder import make_tiny_encoder

Key = Qt.Key
CONTROL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


@pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
def test_the_frame_from_the_first_start_to_the_second(
    make_window: Callable[[], MainWindow], qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    encoder = make_tiny_encoder(tmp_path / "tiny-encoder")
    answer_dialogs(monkeypatch, encoder)
    with watched():
        window = make_window()
        visitor = Visitor(window, qtbot)
        visitor.front()
        home = window.pane
        assert isinstance(home, HomePane)

        # a project is called what one types; the dialog proposes no file name of its own
        visitor.key(Key.Key_N, modifiers=CONTROL)
        dialog = visitor.dialog(QFileDialog)
        name = dialog.findChild(QLineEdit, "fileNameEdit")
        assert isinstance(name, QLineEdit) and name.text() == ""
        name.setFocus()
        visitor.type(str(tmp_path / "Counting streets"))
        visitor.key(Key.Key_Return)
        visitor.front()
        assert window.bridge.project is not None and window.bridge.project.title == "Counting streets"
        assert "Counting streets" in window.windowTitle() and (tmp_path / "Counting streets.rejoinder").exists()
        visitor.look()

        # the whole project as plain files
        visitor.palette("export project")
        visitor.dialog(QFileDialog)
        visitor.key(Key.Key_Return)
        visitor.until((tmp_path / "Counting streets.zip").exists)
        visitor.front()
        visitor.idle()

        # what floats comes and goes, and the page below stays where it is
        with visitor.still(window.stack, home.jobs):
            visitor.key(Key.Key_Question)
            assert window.keys.isVisible()
            visitor.look()
            visitor.key(Key.Key_Escape)
            visitor.key(Key.Key_F1)
            assert window.help is not None
            said = [label.text() for label in window.help.findChildren(QLabel)]
            assert f"Rejoinder {version('rejoinder')}" in said
            visitor.type("safe accept")
            visitor.key(Key.Key_Return)
            assert window.help.page == "guide/calibration.md", "the first page that says so"
            visitor.look()
            visitor.key(Key.Key_Escape)
            assert not window.help.isVisible()
            visitor.key(Key.Key_J, modifiers=CONTROL)
            assert window.tray.isVisible()
            visitor.key(Key.Key_Escape)
            visitor.key(Key.Key_K, modifiers=CONTROL)
            visitor.key(Key.Key_Escape)
        assert not any(one.isVisible() for one in (window.keys, window.tray, window.palette_view))

        # words that people know find what they mean
        for words, title in (
            ("options", "Go to Settings"), ("dark mode", "Switch between light and dark"), ("exit", "Quit"),
            ("font", "Larger text"), ("offline", "Go to Settings"),
            ("hotkeys", "Keyboard shortcuts"), ("anonymize", "Share a copy…"),
        ):  # fmt: skip
            visitor.run("view.palette")
            visitor.type(words)
            titles = window.palette_view.titles()
            assert title in titles[:2], (words, titles)
            visitor.key(Key.Key_Escape)

        # a model from a folder
        visitor.palette("go to models")
        models = window.pane
        assert isinstance(models, ModelsPane)
        rows = models.list.model().rowCount()
        visitor.key(Key.Key_I, modifiers=CONTROL)
        visitor.until(lambda: models.list.model().rowCount() == rows + 1)
        assert models.details.title.text() == "tiny-encoder"
        visitor.idle()
        visitor.look()

        # larger text by keys, a shortcut that is taken is refused, a free one works at once
        visitor.front()
        visitor.key(Key.Key_Comma, modifiers=CONTROL)
        settings = window.pane
        assert isinstance(settings, SettingsPane)
        size = settings.controls["appearance.zoom"]
        size.setFocus()
        visitor.type("150")
        assert theme().zoom == 1.5
        visitor.key(Key.Key_D, modifiers=CONTROL | SHIFT)
        dark = theme().tokens
        settings.tabs.setCurrentWidget(settings.shortcuts)
        tree = settings.shortcuts.tree
        visitor.run("edit.search")
        visitor.type("full screen")
        item = settings.shortcuts._rows["view.full_screen"]
        visitor.settle()
        assert not item.isHidden()
        visitor.click(tree.viewport(), tree.visualItemRect(item).center())
        settings.shortcuts.edit.setFocus()
        visitor.key(Key.Key_K, modifiers=CONTROL)
        visitor.press("Set key")
        assert "is already assigned to “Command palette”" in settings.shortcuts.message.text()
        settings.shortcuts.edit.setFocus()
        visitor.key(Key.Key_F9)
        visitor.press("Set key")
        assert window.commands.native_shortcut("view.full_screen") == "F9"
        visitor.look()
        assert QApplication.activeWindow() is window
    window.stop_work()
    window.close()

    again = make_window()
    assert theme().zoom == 1.5 and theme().tokens == dark
    assert again.commands.native_shortcut("view.full_screen") == "F9"
    assert [one.id for one in ModelLibrary().added()] == ["tiny-encoder"]
    assert [path.stem for path in again.state.recent] == ["Counting streets"]
