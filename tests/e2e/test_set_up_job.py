"""Somebody makes the program theirs: name, text size and a key in Settings, then a model that is tried and used."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QCheckBox, QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from desktop_app.panes.models.language_part import ServerDialog
from desktop_app.panes.models.pane import ModelsPane
from desktop_app.panes.settings.pane import SettingsPane
from desktop_app.theme import theme
from desktop_app.widgets.fields import ChoiceBox
from desktop_app.window import MainWindow
from engine.models.library import ModelLibrary
from engine.project import Project
from tests.e2e.at_the_window import Visitor, open_window, watched
from tests.engine.models.scripted_server import Script, even, scripted_server

Key, Modifier = Qt.Key, Qt.KeyboardModifier


def settings(person: Visitor) -> SettingsPane:
    person.run("go.settings")
    pane = person.window.pane
    assert isinstance(pane, SettingsPane)
    return pane


def set_up(person: Visitor) -> None:
    """A name by typing, a text size by the keys of its field, words of the side bar by a click, a key of its own."""
    pane = settings(person)
    name, size = pane.controls["annotator.name"], pane.controls["appearance.zoom"]
    words = pane.controls["appearance.side_bar_words"]
    assert isinstance(name, QLineEdit) and isinstance(size, ChoiceBox) and isinstance(words, QCheckBox)
    person.click(name)
    person.key(Key.Key_A, modifiers=Modifier.ControlModifier)
    person.type("Grace")
    person.key(Key.Key_Tab)
    assert person.window.settings.text("annotator.name") == "Grace"
    before, shown = theme().px(100), person.window.side.words
    size.setFocus()
    person.key(Key.Key_Down, Key.Key_Down)
    assert theme().px(100) == round(before * 1.25)
    person.settle()
    person.click(words)
    assert person.window.side.words is not shown
    person.look()

    person.tab(pane.tabs.tabBar(), "Keys")
    person.run("edit.search")
    person.type("go to models")
    person.row(pane.shortcuts.tree, 0)
    pane.shortcuts.choose("go.models")
    person.click(pane.shortcuts.edit)
    person.key(Key.Key_M, modifiers=Modifier.ControlModifier | Modifier.AltModifier)
    person.press("Set key", pane)
    person.look()


def used(pane: ModelsPane) -> set[str]:
    """The tasks that use the selected model."""
    return {use for use, box in pane.details.boxes.items() if box.isChecked()}


def tab_to(person: Visitor, control: QWidget) -> None:
    """Presses Tab until the keyboard is there; the page scrolls along."""
    person.settle()
    for _ in range(60):
        if control.hasFocus():
            break
        person.key(Key.Key_Tab)
    person.settle()
    assert control.hasFocus() and not control.visibleRegion().isEmpty()


def add_server(person: Visitor, url: str) -> None:
    """The dialog by keys: address, the server's models, Add."""
    person.run("models.add_server")
    dialog = person.dialog(ServerDialog)
    assert isinstance(dialog, ServerDialog)
    dialog.url.setFocus()
    person.key(Key.Key_A, modifiers=Modifier.ControlModifier)
    person.type(url)
    person.press("List models", dialog)
    person.until(lambda: dialog.context.value() == 16_384)
    person.press("Add", dialog)
    person.front()


@pytest.mark.loopback
@pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
def test_settings_and_models_last(make_window: Callable[[], MainWindow], qtbot: QtBot, tmp_path: Path) -> None:
    path = tmp_path / "study.rejoinder"
    Project.create(path, "A study", "Ada").close()
    with watched(), scripted_server(Script(even, "llama.cpp", context=16_384, model="writer")) as server:
        person = open_window(path, make_window, qtbot)
        set_up(person)
        person.key(Key.Key_M, modifiers=Modifier.ControlModifier | Modifier.AltModifier)
        pane = person.window.pane
        assert isinstance(pane, ModelsPane), "the new key"

        # a model of a server on this computer is added, used for a task, and asked something
        add_server(person, server.url)
        assert pane.details.title.text() == "writer" and pane.status_text.startswith("1 added")
        wanted = used(pane)
        first, box = next(iter(pane.details.boxes.items()))
        tab_to(person, box)
        person.key(Key.Key_Space)
        wanted ^= {first}
        tab_to(person, pane.details.first)
        person.type("Is this even: 12")
        person.key(Key.Key_Return)
        person.until(lambda: "tokens in" in pane.details.note.text())
        assert pane.details.answer.toPlainText() == '{"answer": "yes"}'
        person.look()

        # another one is taken off the list
        server.script.model = "reader"
        add_server(person, server.url)
        assert [entry.title for entry in ModelLibrary().added()] == ["writer", "reader"]
        pane.take_focus()
        person.key(Key.Key_Delete)
        person.look()
        person.idle()
    person.window.stop_work()
    person.window.close()

    (entry,) = ModelLibrary().added()
    again = open_window(path, make_window, qtbot, "Grace", zoom=1.2)
    again.key(Key.Key_M, modifiers=Modifier.ControlModifier | Modifier.AltModifier)
    kept = again.window.pane
    assert isinstance(kept, ModelsPane) and entry.title == "writer"
    kept.list.pick(entry.id)
    assert used(kept) == wanted
