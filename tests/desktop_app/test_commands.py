"""Every command once: the registry, its views, and the keys."""

from __future__ import annotations

import ast
import re
from collections import Counter
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from pytestqt.qtbot import QtBot

from desktop_app.commands import Command, CommandRegistry, ShortcutConflict, keys, native
from desktop_app.panes import PANES
from desktop_app.widgets.buttons import CommandButton
from desktop_app.window import MainWindow


def command(name: str, shortcut: str = "", scope: str = "window", **more: object) -> Command:
    return Command(name, name.title(), "Does it.", lambda _: None, shortcut, scope=scope, **more)  # type: ignore[arg-type]


def test_registering_an_id_twice_is_refused() -> None:
    registry = CommandRegistry()
    registry.register([command("a.one")])
    with pytest.raises(ValueError, match=r"a\.one"):
        registry.register([command("a.one")])


@pytest.mark.parametrize("missing", ["title", "help"])
def test_a_command_without_words_is_refused(missing: str) -> None:
    words = {"title": "One", "help": "Does it."} | {missing: ""}
    with pytest.raises(ValueError, match="needs a title and a help"):
        CommandRegistry().register([Command("a.one", words["title"], words["help"], lambda _: None)])


def test_two_default_keys_in_the_same_place_are_refused() -> None:
    registry = CommandRegistry()
    registry.register([command("a.one", "Ctrl+L")])
    with pytest.raises(ShortcutConflict, match=r"A\.One"):
        registry.register([command("a.two", "Ctrl+L")])


def test_a_pane_may_not_take_a_key_of_the_window_but_panes_may_share() -> None:
    registry = CommandRegistry()
    registry.register([command("w.one", "Ctrl+K"), command("p.link", "L", "linking"), command("q.left", "L", "prefs")])
    assert registry.rival("p.link", "L") is None
    with pytest.raises(ShortcutConflict):
        registry.register([command("p.two", "Ctrl+K", "linking")])


def test_an_alternative_key_clashes_too() -> None:
    registry = CommandRegistry()
    registry.register([command("a.redo", "Ctrl+Shift+Z; Ctrl+Y"), command("a.other", "Ctrl+U")])
    with pytest.raises(ShortcutConflict) as caught:
        registry.remap("a.other", "Ctrl+Y")
    assert caught.value.rival.id == "a.redo"
    assert registry.shortcut("a.other") == "Ctrl+U"


def test_remapping_gives_the_key_free_for_others() -> None:
    registry = CommandRegistry()
    registry.register([command("a.one", "Ctrl+L"), command("a.two", "Ctrl+M")])
    registry.remap("a.one", "")
    registry.remap("a.two", "Ctrl+L")
    assert registry.overrides == {"a.one": "", "a.two": "Ctrl+L"}
    with pytest.raises(ShortcutConflict):
        registry.remap("a.one", None)  # its default is taken now
    registry.remap("a.two", None)
    registry.remap("a.one", None)
    assert registry.overrides == {}


def test_titles_are_asked_for_only_where_they_are_shown(window: MainWindow, qtbot: QtBot) -> None:
    """Undo's title is read from the project; that would take longer than most keys do."""
    asked: list[object] = []

    def title(place: object) -> str:
        asked.append(place)
        return "Undo something"

    window.commands.register([command("w.undo", "Ctrl+F12", title_now=title)])
    window.commands.state_changed.emit()
    assert not asked
    button = CommandButton(window.commands, "w.undo")
    qtbot.addWidget(button)
    button.show()
    assert asked and button.text().startswith("Undo something")


def test_overrides_of_unknown_commands_are_kept() -> None:
    registry = CommandRegistry()
    registry.load_overrides({"later.pane": "Ctrl+9", "a.one": "Ctrl+P"})
    registry.register([command("a.one", "Ctrl+L")])
    assert registry.shortcut("a.one") == "Ctrl+P"
    assert registry.overrides["later.pane"] == "Ctrl+9"


def test_a_disabled_command_does_not_run() -> None:
    ran: list[str] = []
    registry = CommandRegistry()
    registry.register([Command("a.no", "No", "Never.", lambda _: ran.append("no"), when=lambda _: False)])
    assert not registry.run("a.no")
    assert ran == []


def test_return_presses_the_focused_button_of_a_window_as_space_does(window: MainWindow, qtbot: QtBot) -> None:
    ran: list[str] = []
    window.activateWindow()
    window.commands.register([Command("a.one", "One", "Does it.", lambda _: ran.append("one"))])
    button = CommandButton(window.commands, "a.one", parent=window.centralWidget())
    button.show()
    button.setFocus()
    for pressed in (Qt.Key.Key_Space, Qt.Key.Key_Return, Qt.Key.Key_Enter):
        qtbot.keyClick(button, pressed)
    assert ran == ["one"] * 3


def test_every_command_of_the_application_has_words_a_unique_id_and_a_readable_key(window: MainWindow) -> None:
    window.stack.list_commands()
    commands = list(window.commands)
    assert len(commands) > 20
    assert len({c.id for c in commands}) == len(commands)
    for spec in PANES:
        titles = Counter(c.title for c in commands if c.scope in {"window", spec.id})
        assert max(titles.values()) == 1, [title for title, many in titles.items() if many > 1]
    for c in commands:
        assert c.title[0].isupper(), c.id
        assert c.help.endswith(".") and len(c.help) > 10, c.id
        imperative = not re.match(r"[A-Z][a-z]*[a-rt-z]s\b|(The|A|An|It|They|Both|Neither)\b", c.help)
        assert imperative or c.id.startswith("go."), c.help
        assert c.id == c.id.lower() and "." in c.id
        if c.shortcut:
            assert keys(c.shortcut) and native(c.shortcut), c.id
        assert c.scope == "window" or c.scope in {spec.id for spec in PANES}, c.id


def test_no_two_keys_clash_anywhere(window: MainWindow) -> None:
    window.stack.list_commands()
    for c in window.commands:
        assert window.commands.rival(c.id, window.commands.shortcut(c.id)) is None, c.id


def test_every_command_is_in_the_palette_and_runs_from_it(
    window: MainWindow, project_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window.open_path(project_path)
    window.stack.list_commands()
    ran: list[str] = []
    for c in list(window.commands):
        # The record is frozen: the registry gets a copy whose handler only notes that it was reached.
        copy = Command(
            c.id, c.title, c.help, lambda _, name=c.id: ran.append(name), c.shortcut, c.scope, icon=c.icon, menu=c.menu
        )
        monkeypatch.setitem(window.commands._commands, c.id, copy)
    for c in list(window.commands):
        window.open_palette()
        window.palette_view.field.setText(c.title)
        listed = window.palette_view.list
        row = next(row for row, one in enumerate(listed.records) if one.id == c.id)
        listed.select_row(row)
        listed.clicked.emit(listed.model().index(row, 0))
        assert ran[-1:] == [c.id]
        assert not window.palette_view.isVisible()


@pytest.mark.parametrize(
    ("words", "command"),
    [("borderline", "calibration.show_decisions"), ("reviews disagree", "calibration.show_attention"),
     ("outliers", "calibration.show_residuals")],
)  # fmt: skip
def test_the_palette_finds_a_view_by_what_it_shows(window: MainWindow, words: str, command: str) -> None:
    window.open_palette()
    window.palette_view.field.setText(words)
    assert command in [one.id for one in window.palette_view.list.records[:3]]


def test_a_pane_says_that_its_command_cannot_be_run(window: MainWindow, project_path: Path) -> None:
    window.open_path(project_path)
    window.open_palette()
    assert window.commands.enabled("preferences.done"), "the pane hasn't been built"
    assert not window.run_command("preferences.done"), "there is no cluster"
    (notice,) = window.stack.made["preferences"].banner.notices
    assert notice.what == "“Done with this cluster” isn't available now."


def test_the_palette_lists_the_commands_of_every_pane_and_builds_none(window: MainWindow, project_path: Path) -> None:
    window.open_palette()
    assert set(window.panes) == {"home"}
    assert {c.scope for c in window.commands} >= {spec.id for spec in PANES if spec.commands_in}
    assert not window.commands.enabled("linking.import") and window.commands.enabled("models.add_folder")
    window.palette_view.leave()
    window.open_path(project_path)
    assert window.commands.enabled("linking.import") and set(window.panes) == {"home"}
    assert not window.run_command("linking.link"), "there is nothing to link"
    assert set(window.panes) == {"home", "linking"}


def test_every_menu_command_is_in_the_menu(window: MainWindow) -> None:
    menu = window.menu()
    shown = {a.text() for sub in menu.actions() if sub.menu() for a in sub.menu().actions()}  # type: ignore[union-attr]
    assert shown == {window.commands.text(c.id) for c in window.commands if c.menu}
    menu.close()
    window.show_pane("history")
    menu = window.menu()
    assert [a.text() for a in menu.actions()] == ["File", "Edit", "History", "View", "Go", "Help"]
    menu.close()


def test_a_key_runs_its_command_and_a_remapped_key_moves_it(window: MainWindow, qtbot: QtBot) -> None:
    ran: list[str] = []
    window.commands.ran.connect(ran.append)
    qtbot.keyClick(window, Qt.Key.Key_B, Qt.KeyboardModifier.ControlModifier)
    assert ran == ["view.side_bar"]
    window.commands.remap("view.side_bar", "Ctrl+Shift+B")
    qtbot.keyClick(window, Qt.Key.Key_B, Qt.KeyboardModifier.ControlModifier)
    assert ran == ["view.side_bar"]
    qtbot.keyClick(window, Qt.Key.Key_B, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier)
    assert ran == ["view.side_bar", "view.side_bar"]
    assert window.settings.shortcuts == {"view.side_bar": "Ctrl+Shift+B"}


def test_tooltips_and_buttons_show_the_key_in_force(window: MainWindow) -> None:
    assert "Ctrl+K" in window.header.palette_button.text()
    window.commands.remap("view.palette", "Ctrl+P")
    assert window.header.palette_button.text() == QKeySequence("Ctrl+P").toString(
        QKeySequence.SequenceFormat.NativeText
    )
    assert "Ctrl+P" in window.header.palette_button.toolTip()


def test_no_text_names_a_key_itself() -> None:
    """Keys can be changed, and macOS writes them in other signs: a text takes them from the registry."""
    found = []
    for file in (Path(__file__).resolve().parents[2] / "desktop_app").rglob("*.py"):
        tree = ast.parse(file.read_text(encoding="utf-8"))
        docs = {node.value for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        texts = {
            node.value
            for node in ast.walk(tree)
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in docs
        }
        keys = re.compile(r"\b(Ctrl|Alt|Shift|Cmd)\+\w|⌘")
        found += [text for text in texts if keys.search(text) and re.search(r"[a-z]{3} |^[A-Z][a-z]+ [a-z]", text)]
    assert not found


def test_keys_are_written_as_the_system_writes_them(window: MainWindow) -> None:
    """As on macOS, whose signs Qt only knows there."""

    def written(_keys: QKeySequence, form: object = None) -> str:
        return "⌘K" if form == QKeySequence.SequenceFormat.NativeText else "x"

    native.cache_clear()
    try:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(QKeySequence, "toString", written)
            window.commands.changed.emit()
            assert window.header.palette_button.text() == "⌘K" and "⌘K" in window.header.palette_button.toolTip()
            assert "Ctrl" not in window.side.buttons["survey"].toolTip()
    finally:
        native.cache_clear()  # what was written with those signs isn't for other tests
