"""One job in each further pane without the mouse: Calibration, Agreement, History, Settings and Help, from the first
key to the exported file. Survey, Expertise, Preferences, Benchmark and Rebuttal have longer ones of their own."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, Qt
from pytestqt.qtbot import QtBot

from desktop_app.panes.agreement.pane import AgreementPane
from desktop_app.panes.calibration.importing import ImportDialog
from desktop_app.panes.calibration.pane import CalibrationPane
from desktop_app.panes.history.pane import HistoryPane
from desktop_app.panes.settings.pane import SettingsPane
from desktop_app.theme import theme
from desktop_app.window import MainWindow
from tests.e2e.at_the_window import answer_dialogs, open_window, watched, without
from tests.e2e.test_adjudication_job import two_annotators
from tests.e2e.test_calibration_job import scores, settled
from tests.e2e.test_set_up_job import tab_to

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
Make = Callable[[], MainWindow]
Key = Qt.Key
CONTROL, ALT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.AltModifier


def test_a_table_is_added_ranked_and_exported(
    make_window: Make, qtbot: QtBot, sample_path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out"
    answer_dialogs(monkeypatch, out, [scores(tmp_path / "spring.csv")])
    with watched(), without(QEvent.Type.MouseButtonPress):
        me = open_window(sample_path, make_window, qtbot)
        me.key(Key.Key_4, modifiers=CONTROL)
        pane = me.window.pane
        assert isinstance(pane, CalibrationPane)
        settled(me, pane, 0, None)
        me.key(Key.Key_I, modifiers=CONTROL)
        me.dialog(ImportDialog)
        me.key(Key.Key_Return)
        me.front()
        me.until(lambda: pane.state.table is not None and pane.state.table.title == "spring")
        settled(me, pane, 0, None)
        tab_to(me, pane.bar.cutoff)
        me.type("9")
        me.key(Key.Key_Return)
        settled(me, pane, 0, 9)
        me.key(Key.Key_Escape, Key.Key_V)
        assert pane.tabs.tabText(pane.tabs.currentIndex()) == "Decisions"
        me.key(Key.Key_F, modifiers=CONTROL)
        me.type("item 7")
        assert pane.state.item == "item 7"
        me.key(Key.Key_Escape)
        me.key(Key.Key_S, modifiers=Qt.KeyboardModifier.ShiftModifier)
        me.until(lambda: me.at().window() is not me.window)
        me.key(Key.Key_Return)
        me.front()
        settled(me, pane, 1, 9)
        me.key(Key.Key_Z, modifiers=CONTROL)
        settled(me, pane, 0, 9)
        me.key(Key.Key_E, modifiers=CONTROL)
        me.menu("Export tables (CSV)")
        me.until((out / "spring-calibrated-items.csv").exists)
        me.idle()
        with (out / "spring-calibrated-items.csv").open(encoding="utf-8", newline="") as file:
            table = sorted(csv.DictReader(file), key=lambda row: float(row["rank"]))
        assert [row["item"] for row in table] == pane.ranking.order
        decisions = dict(pane.decisions.model.words(row)[:2] for row in range(pane.decisions.model.rowCount()))
        assert all(decisions[row["item"]].startswith(row["decision"]) for row in table) and len(table) == len(decisions)


def test_two_annotators_are_compared_and_adjudicated(
    make_window: Make, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, out, flat_window = two_annotators(make_window, tmp_path, monkeypatch)
    with watched(), without(QEvent.Type.MouseButtonPress):
        me = open_window(path, flat_window, qtbot, "Dea")
        me.palette("go to agreement")
        pane = me.window.pane
        assert isinstance(pane, AgreementPane)
        me.key(Key.Key_I)
        me.until(lambda: len(pane.state.rows) == 2)
        me.front()
        me.key(Key.Key_Escape, Key.Key_2)
        me.key(Key.Key_E, modifiers=CONTROL)
        me.menu("Export disagreements")
        me.until(lambda: any(out.glob("*.csv")))
        me.idle()
        (written,) = out.glob("*.csv")
        with written.open(encoding="utf-8", newline="") as file:
            assert [row["verdict"] for row in csv.DictReader(file)] == ["second", ""]

        # back before the merge, and forward again
        me.palette("go to history")
        history = me.window.pane
        assert isinstance(history, HistoryPane)
        me.key(Key.Key_F, modifiers=CONTROL)
        me.type("merge")
        me.key(Key.Key_Return, Key.Key_Escape)
        me.key(Key.Key_Home, modifiers=CONTROL)
        me.key(Key.Key_Down)
        me.key(Key.Key_Return, modifiers=CONTROL)
        assert history.status_text.endswith("1 undone")
        me.key(Key.Key_Z, modifiers=CONTROL | Qt.KeyboardModifier.ShiftModifier)
        assert "undone" not in history.status_text


def test_text_is_enlarged_and_help_is_searched(make_window: Make, qtbot: QtBot, sample_path: Path) -> None:
    with watched(), without(QEvent.Type.MouseButtonPress):
        me = open_window(sample_path, make_window, qtbot)
        me.palette("go to settings")
        pane = me.window.pane
        assert isinstance(pane, SettingsPane)
        zoom = pane.controls["appearance.zoom"]
        tab_to(me, zoom)
        before = theme().zoom
        me.key(Key.Key_Down)
        me.until(lambda: theme().zoom > before)
        me.look()
        me.key(Key.Key_F1)
        sheet = me.window.help
        assert sheet is not None and sheet.isVisible()
        me.type("cut-off")
        me.key(Key.Key_Return)
        assert "cut-off" in sheet.text.toPlainText().casefold()
        me.key(Key.Key_Escape)
        assert not sheet.isVisible()
