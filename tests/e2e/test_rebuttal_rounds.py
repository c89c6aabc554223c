"""The second half of an author's work, with mouse and keys: reviews and a co-author's letter in, a response that serves
two comments, what is open before export, the export, and a reviewer's follow-up afterwards."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from desktop_app.panes.rebuttal.limits_dialog import FollowUpDialog
from desktop_app.panes.rebuttal.pane import RebuttalPane
from desktop_app.widgets.file_dialogs import FileDialogs
from desktop_app.window import MainWindow
from tests.e2e.by_keyboard import author_with

SAMPLE = Path(__file__).resolve().parents[2] / "resources" / "sample"
SHARED = "We say so now. Both comments are about the same sentence."
Key, Left = Qt.Key, Qt.MouseButton.LeftButton


def click(widget: QWidget, at: QPoint | None = None) -> None:
    target = getattr(widget, "viewport", lambda: widget)()
    QTest.mouseClick(target, Left, pos=at or target.rect().center())


def click_comment(pane: RebuttalPane, key: str) -> None:
    """A click on a comment's line of the matrix, scrolled to as with the wheel."""
    lines = pane.matrix.list
    row = next(
        n
        for n, line in enumerate(lines.records)
        if getattr(getattr(line, "row", None), "comment", None) and line.row.comment.id == key
    )
    index = lines.model().index(row, 0)
    lines.scrollTo(index)
    click(lines, lines.visualRect(index).center())
    assert pane.state.current == key


@pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
def test_a_letter_comes_in_is_finished_exported_and_followed_up(
    make_window: Callable[[], MainWindow], qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    author = author_with(tmp_path / "rebuttal.rejoinder", make_window, qtbot)
    window, until = author.window, author.until
    linking = author.import_files([SAMPLE / f"review-{n}.md" for n in (1, 2, 3)], monkeypatch)
    until(lambda: len(linking.study.texts) == 3 and not window.bridge.engine.busy())
    author.run("go.rebuttal")
    pane = window.panes["rebuttal"]
    assert isinstance(pane, RebuttalPane)
    until(lambda: bool(pane.state.matrix.rows))

    # a co-author's letter fills what it answers
    letter = tmp_path / "letter.md"
    rows = [line.row for line in pane.state.matrix.rows]
    first, second, third, *_ = [row.comment.id for row in rows]
    letter.write_text(f"# Response\n\n> **{rows[0].label}** {rows[0].comment.comment}\n\nWe thank you. {{section}}\n")
    monkeypatch.setattr(FileDialogs, "open_file", lambda *_: letter)
    author.key(Key.Key_K, modifiers=Qt.KeyboardModifier.ControlModifier)
    author.type("Import responses from a letter")
    author.key(Key.Key_Return)
    until(lambda: pane.state.matrix.rows[0].row.point.text.startswith("We thank you."))
    progress = f"0 of {len(rows)} answered · 1 started"
    assert any(label.text() == progress for label in pane.matrix.findChildren(QLabel)), "a slot is open"

    # the slot is filled by keys; the comment is beside the response, and as large
    click_comment(pane, first)
    beside, editor = pane.comment, pane.response.editor
    top, other = beside.mapTo(window, QPoint(0, 0)).y(), editor.mapTo(window, QPoint(0, 0)).y()
    assert top < other < top + beside.height() and beside.height() >= editor.height()
    click(editor)
    author.key(Key.Key_A, modifiers=Qt.KeyboardModifier.ControlModifier)
    author.type(SHARED)

    # the same response for the second comment: chosen in the menu, and changed for both
    click_comment(pane, second)
    author.run("rebuttal.share")
    until(lambda: QApplication.activePopupWidget() is not None)
    author.key(Key.Key_Down, Key.Key_Return)
    until(lambda: pane.state.point.text == SHARED)
    click(editor)
    author.key(Key.Key_End, modifiers=Qt.KeyboardModifier.ControlModifier)
    author.type(" We added Table 9.")
    click_comment(pane, first)
    assert editor.text == f"{SHARED} We added Table 9."
    click_comment(pane, third)
    click(editor)
    author.type("The reviewer fails to understand this. The set $\\{a\\}$ is closed.")
    editor.finish()

    # the export page repeats what the editor warned of, and the export goes out with a click
    author.run("rebuttal.send")
    until(lambda: not window.bridge.engine.busy())
    words = [one.words for one in pane.outgoing.sending.findings()]
    label = next(row.label for row in rows if row.comment.id == third)
    assert any(one.startswith(f"{label}: ") and "backslash" in one for one in words), words
    assert any(one.startswith(f"{label}: “") for one in words), "the tone"
    out = tmp_path / "out"
    out.mkdir()
    monkeypatch.setattr(FileDialogs, "choose_folder", lambda *_: out)
    button = next(b for b in pane.send_view.findChildren(QPushButton) if b.text().startswith("Export"))
    click(button)
    until(lambda: bool(list(out.rglob("*.md"))) and not window.bridge.engine.busy())
    text = "".join(file.read_text(encoding="utf-8") for file in out.rglob("*.md"))
    assert text.count(f"{SHARED} We added Table 9.") == 1

    # a follow-up opens a comment under the first, and no label changes
    before = {row.comment.id: row.label for row in pane.state.rebuttal.outline.rows}
    with qtbot.waitActive(window):
        window.activateWindow()  # as the desktop does when a click is on a window
    author.run("rebuttal.write")
    click_comment(pane, first)
    author.run("rebuttal.follow_up")
    until(lambda: isinstance(QApplication.activeModalWidget(), FollowUpDialog))
    dialog = QApplication.activeModalWidget()
    assert isinstance(dialog, FollowUpDialog)
    until(lambda: QApplication.activeWindow() is dialog)
    dialog.words.setFocus()
    author.type("Which sentence do you mean?")
    click(next(b for b in dialog.findChildren(QPushButton) if b.text() == "Add"))
    until(lambda: len(pane.state.rebuttal.outline.rows) == len(before) + 1)
    after = {row.comment.id: row.label for row in pane.state.rebuttal.outline.rows}
    assert before.items() <= after.items()
    assert pane.state.row is not None and pane.state.row.label == f"{before[first]}.1"
    assert pane.state.row.comment.comment == "Which sentence do you mean?"
    assert "Which sentence do you mean?" in pane.comment.toPlainText()
