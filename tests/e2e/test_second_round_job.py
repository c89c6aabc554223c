"""Linking and an editor's second round by keys alone: two versions and the letter in, a comment linked, the outcome of
requests looked at and decided, then the table of links, the table of requests and the letter to the reviewers."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, Qt
from pytestqt.qtbot import QtBot

from desktop_app.window import MainWindow
from engine.project import Project
from tests.e2e.at_the_window import answer_dialogs, open_window, watched, without
from tests.e2e.by_keyboard import PATIENCE_MS

SAMPLE = Path(__file__).resolve().parents[2] / "resources" / "sample"
FILES = [SAMPLE / name for name in ("submitted.pdf", "revised.pdf", "response-letter.md")]
Key = Qt.Key
CONTROL = Qt.KeyboardModifier.ControlModifier


@pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
def test_from_two_versions_to_tables_and_a_letter(
    make_window: Callable[[], MainWindow], qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, out = tmp_path / "round.rejoinder", tmp_path / "out"
    Project.create(path, "A second round", "Ada").close()
    answer_dialogs(monkeypatch, out)
    with watched(), without(QEvent.Type.MouseButtonPress):
        editor = open_window(path, make_window, qtbot)
        pane = editor.import_files(FILES, monkeypatch)
        ready = lambda: bool(pane.study.suggestions) and not editor.window.bridge.engine.busy()  # noqa: E731
        qtbot.waitUntil(ready, timeout=PATIENCE_MS)
        editor.front()
        pane.take_focus()

        # the first comment is linked in Linking, for the second no edit was found in Coverage
        editor.key(Key.Key_L)
        first = pane.state.comment_id
        editor.key(Key.Key_O)
        assert pane.coverage.isVisible() and pane.coverage.list.hasFocus()
        editor.look()
        editor.key(Key.Key_J)
        second = pane.state.comment_id
        assert second != first
        with editor.still(pane.coverage.list):
            editor.key(Key.Key_5)
        assert pane.study.state(second) == "no_edit_found"
        editor.key(Key.Key_Z, modifiers=CONTROL)
        assert pane.study.state(second) == "undecided" and pane.state.comment_id == second, (
            "undo goes back to the place"
        )
        editor.key(Key.Key_Y, modifiers=CONTROL)
        assert pane.study.state(second) == "no_edit_found"
        editor.key(Key.Key_J)
        third = pane.state.comment_id
        assert third not in (first, second)
        editor.key(Key.Key_2)
        assert pane.study.state(third) == "answered"

        # the tables and the letter, from the menu that Ctrl+E opens
        entries = ("Export table of links (CSV)", "Export table of requests (CSV)", "Export letter to the reviewers")
        for entry in entries:
            editor.key(Key.Key_E, modifiers=CONTROL)
            editor.menu(entry)
            editor.until(lambda: any(one.what.startswith("Saved") for one in pane.banner.notices))
            editor.idle()
            pane.banner.clear()
        (links,), (table,), (letter,) = out.glob("*links*.csv"), out.glob("*requests*.csv"), out.glob("*.md")
        with links.open(encoding="utf-8-sig", newline="") as file:
            by_comment = {row["comment_id"]: row for row in csv.DictReader(file)}
        assert by_comment[first]["edit_id"] and by_comment[second]["state"] == "no_edit_found"
        with table.open(encoding="utf-8-sig", newline="") as file:
            rows = list(csv.DictReader(file))
        decided = [row for row in rows if row["basis"] == "decided by a person"]
        assert [row["state"].lower() for row in decided] == ["addressed", "not found", "answered only"]
        for row, key in zip(decided, (first, second, third), strict=True):
            assert row["request"][:60] == pane.study.comment_by_id[key].comment[:60]
            assert row["comment_id"] == key, "the key that the table of links has, so that both can be joined"
        assert decided[0]["place"] and "Linked edit" in decided[0]["evidence"]
        assert len(rows) > len(decided), "what is only suggested is in the table, too, and says so"
        words = letter.read_text(encoding="utf-8")
        assert "Reviewer" in words and all(row["reviewer"] in words for row in rows)
    editor.window.stop_work()
    editor.window.close()
