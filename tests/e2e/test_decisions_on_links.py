"""Two annotators' links looked at afterwards: real and generated edits judged (Analysis), disagreements decided
(Agreement), every step found again and gone back to (History); by mouse and keys, to the exported tables."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop_app.panes.agreement.pane import AgreementPane
from desktop_app.panes.analysis.pane import AnalysisPane
from desktop_app.panes.history.pane import HistoryPane
from desktop_app.window import MainWindow
from tests.desktop_app.panes.agreement.test_agreement_pane import annotate
from tests.desktop_app.panes.analysis.test_analysis_pane import furnish
from tests.desktop_app.panes.linking.studies import FlatService, make_study
from tests.e2e.at_the_window import Visitor, answer_dialogs, first_palette, open_window, watched

Key = Qt.Key
CONTROL, ALT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.AltModifier


def opened(path: Path, make_window: Callable[[], MainWindow], qtbot: QtBot) -> Visitor:
    visitor = open_window(path, make_window, qtbot)
    visitor.window.bridge._documents = FlatService()  # type: ignore[assignment]
    return visitor


def rows(folder: Path, name: str) -> list[dict[str, str]]:
    (file,) = folder.rglob(name)
    with file.open(encoding="utf-8", newline="") as opened_file:
        return list(csv.DictReader(opened_file))


@pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
def test_real_and_generated_edits_are_judged_to_the_tables(
    make_window: Callable[[], MainWindow], qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, out = tmp_path / "study.rejoinder", tmp_path / "out"
    make_study(path, furnish)
    answer_dialogs(monkeypatch, out)
    with watched():
        judge = opened(path, make_window, qtbot)
        window = judge.window
        first_palette(judge)
        judge.palette("go to analysis")
        pane = window.pane
        assert isinstance(pane, AnalysisPane)
        judge.until(lambda: bool(pane.state.paragraphs))
        judge.look()

        # blind: eleven questions by key on the first comment, one answer by mouse; a note doesn't swallow keys later
        pane.take_focus()
        judge.key(Key.Key_B)
        assert pane.judging.sides() == ("A", "B")
        with judge.still(pane.judging, pane.tabs):
            judge.key(Key.Key_3, Key.Key_2, Key.Key_2, *[Key.Key_1] * 8)
        item = pane.state.item
        assert item is not None and item.analysis.complete
        before = pane.state.question
        judge.click(pane.judging.rows[-1].buttons[1])
        assert pane.state.item is not None and pane.state.item.analysis != item.analysis
        judge.key(Key.Key_Z, modifiers=CONTROL)
        assert pane.state.item is not None and pane.state.item.analysis == item.analysis
        judge.key(Key.Key_M)
        judge.type("2 and 3 are close")
        judge.key(Key.Key_Z, modifiers=CONTROL)
        pane.take_focus()
        judge.key(Key.Key_Space)
        assert pane.state.item is not None and pane.state.item.comment.id != item.comment.id
        assert pane.status_text.startswith("1 of 2 comparisons judged"), (pane.status_text, before)
        judge.look()

        # labels that responses suggest: one is right, one wrong, and both go on
        judge.key(Key.Key_2, modifiers=ALT)
        pane.take_focus()
        judge.key(Key.Key_Y, Key.Key_N)
        assert pane.status_text.endswith("2 of 2 links decided")
        judge.look()

        judge.key(Key.Key_3, modifiers=ALT)
        judge.until(lambda: pane.state.found is not None)
        judge.look()
        judge.palette("export tables")
        judge.until(lambda: any(one.what.startswith(("Saved", "Exported")) for one in pane.banner.notices))
        judge.idle()
        assert list(out.rglob("*.csv")), "tables were written"
        assert QApplication.activeWindow() is window
    window.stop_work()


@pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
def test_disagreements_are_decided_and_exported_and_history_goes_back(
    make_window: Callable[[], MainWindow], qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, out = tmp_path / "study.rejoinder", tmp_path / "out"
    make_study(path, annotate)
    answer_dialogs(monkeypatch, out)
    with watched():
        lead = opened(path, make_window, qtbot)
        window = lead.window
        window.control.act_as("Dea")  # who is no party
        lead.palette("go to agreement")
        pane = window.pane
        assert isinstance(pane, AgreementPane)
        lead.until(lambda: pane.state.found is not None)
        lead.look()
        first, second = (row.key for row in pane.state.rows)
        pane.list.setFocus()
        with lead.still(pane.list, pane.detail):
            lead.key(Key.Key_2)
        assert pane.state.comment_id == second and pane.state.decided[first].verdict == "second"
        lead.key(Key.Key_1)
        assert {pane.state.decided[one].verdict for one in (first, second)} == {"first", "second"}
        assert pane.status_text == "2 disagreements · 0 open"
        lead.look()
        lead.palette("export disagreements")
        lead.until(lambda: any(one.what.startswith(("Saved", "Exported")) for one in pane.banner.notices))
        lead.idle()
        (file,) = out.rglob("*.csv")
        written = rows(out, file.name)
        assert len(written) == 2 and all("open" not in "".join(row.values()) for row in written)

        # History says what was decided on which comment; going back undoes it, going on redoes it, and it lasts
        lead.palette("go to history")
        history = window.pane
        assert isinstance(history, HistoryPane)
        assert history.shown.index(0, 0).data() == "Decide on “The second sentence is hard to read.”"
        lead.run("edit.search")
        lead.type("decide")
        lead.key(Key.Key_Escape)
        lead.row(history.table, 1)
        lead.key(Key.Key_Return, modifiers=CONTROL)
        assert window.bridge.project is not None
        assert history.shown.index(0, 3).data() == "undone"
        lead.look()
        lead.row(history.table, 0)
        lead.key(Key.Key_Return, modifiers=CONTROL)
        assert history.shown.index(0, 3).data() == ""
        lead.row(history.table, 1)
        lead.key(Key.Key_Return, modifiers=CONTROL)
    window.stop_work()
    window.close()

    again = opened(path, make_window, qtbot)
    again.palette("go to agreement")
    kept = again.window.pane
    assert isinstance(kept, AgreementPane)
    again.until(lambda: kept.state.found is not None)
    assert set(kept.state.decided) == {first}
    again.window.stop_work()
