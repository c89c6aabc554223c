"""Two annotators' work is merged and adjudicated, written to a file, and taken back and done again in History."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from desktop_app.panes.agreement.pane import AgreementPane
from desktop_app.panes.history.pane import HistoryPane
from desktop_app.window import MainWindow
from engine.project import Project
from tests.desktop_app.panes.agreement.test_agreement_pane import annotate
from tests.desktop_app.panes.linking.studies import FlatService, make_study
from tests.e2e.at_the_window import Visitor, answer_dialogs, open_window, watched

Key = Qt.Key
CONTROL = Qt.KeyboardModifier.ControlModifier


def verdicts(pane: AgreementPane) -> list[str | None]:
    """What was decided of the disagreements, in their order; None for an open one."""
    rulings = [pane.state.decided.get(row.key) for row in pane.state.rows]
    return [ruling.verdict if ruling else None for ruling in rulings]


def adjudicate(judge: Visitor, pane: AgreementPane, out: Path) -> None:
    """The first disagreement by keys with a note, the second by a click; then the table."""
    judge.key(Key.Key_2)
    assert verdicts(pane) == ["second", None] and pane.state.comment_id == pane.state.rows[1].key
    judge.key(Key.Key_K, Key.Key_N)
    judge.type("the reply names it, 1")
    judge.key(Key.Key_Return)
    assert verdicts(pane) == ["second", None], "what is typed into the note decides nothing"
    judge.key(Key.Key_J)
    with judge.still(pane.list, pane.detail):
        judge.press("Ada is right", pane.detail)
    assert verdicts(pane) == ["second", "first"]
    assert any("Every disagreement listed here is decided" in one.what for one in pane.banner.notices)
    assert pane.status_text == "2 disagreements · 0 open"
    judge.look()
    judge.run("edit.undo")
    assert pane.status_text == "2 disagreements · 1 open"
    assert not any("Every disagreement listed here is decided" in one.what for one in pane.banner.notices), (
        "it isn't any more"
    )
    judge.run("edit.redo")
    assert verdicts(pane) == ["second", "first"]
    judge.run("agreement.export")
    judge.menu("Export disagreements")
    judge.until(lambda: any(out.glob("*.csv")))
    judge.idle()
    (written,) = out.glob("*.csv")
    with written.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["verdict"] for row in rows] == ["second", "first"]
    assert rows[0]["note"] == "the reply names it, 1"


def go_back_and_forth(judge: Visitor, pane: AgreementPane) -> None:
    """A double click undoes everything after a step; a key does it again."""
    judge.palette("go to history")
    history = judge.window.pane
    assert isinstance(history, HistoryPane)
    titles = [history.shown.index(row, 0).data() for row in range(history.shown.rowCount())]
    merged = next(row for row, title in enumerate(titles) if title.startswith("Merge"))
    assert merged == 3, f"two decisions and a note on top of the merge: {titles}"
    judge.row(history.table, merged)
    place = history.table.visualRect(history.shown.index(merged, 0)).center()
    QTest.mouseDClick(history.table.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert history.status_text.endswith("3 undone")
    judge.look()
    judge.palette("go to agreement")
    assert verdicts(pane) == [None, None]
    judge.palette("go to history")
    judge.key(Key.Key_F, modifiers=CONTROL)
    judge.type("merge")
    assert history.shown.index(0, 0).data() == titles[merged]
    judge.key(Key.Key_Escape, Key.Key_Escape)
    history.table.setFocus()
    judge.key(Key.Key_Home, modifiers=CONTROL)
    judge.key(Key.Key_Return, modifiers=CONTROL)
    assert "undone" not in history.status_text
    judge.palette("go to agreement")
    assert verdicts(pane) == ["second", "first"]


def two_annotators(
    make_window: Callable[[], MainWindow], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> tuple[Path, Path, Callable[[], MainWindow]]:
    """Returns Dea's project, the folder that file dialogs save to (they open Ada's copy), and what makes the window."""
    path, theirs, out = tmp_path / "study.rejoinder", tmp_path / "theirs.rejoinder", tmp_path / "out"
    make_study(path)
    with Project.open(path, annotator="Dea") as project:
        project.save_copy(theirs)
    with Project.open(theirs, annotator="Ada") as project:
        annotate(project)
    answer_dialogs(monkeypatch, out, [theirs])

    def flat_window() -> MainWindow:
        window = make_window()
        window.bridge._documents = FlatService()  # type: ignore[assignment]
        return window

    return path, out, flat_window


@pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
def test_from_another_file_to_decisions_and_back(
    make_window: Callable[[], MainWindow], qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, out, flat_window = two_annotators(make_window, tmp_path, monkeypatch)

    with watched():
        judge = open_window(path, flat_window, qtbot, "Dea")
        judge.palette("go to agreement")
        pane = judge.window.pane
        assert isinstance(pane, AgreementPane) and not pane.state.rows
        judge.run("agreement.merge")
        judge.until(lambda: len(pane.state.rows) == 2)
        judge.front()
        pane.take_focus()
        adjudicate(judge, pane, out)
        go_back_and_forth(judge, pane)
    judge.window.stop_work()
    judge.window.close()

    again = open_window(path, flat_window, qtbot, "Dea")
    again.palette("go to agreement")
    kept = again.window.pane
    assert isinstance(kept, AgreementPane)
    again.until(lambda: verdicts(kept) == ["second", "first"])
    again.idle()
