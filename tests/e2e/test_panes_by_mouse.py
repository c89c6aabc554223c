"""One job in each further pane without a single key: Home, Calibration, Survey, Expertise, Preferences, Agreement,
Benchmark, History, Settings and Help, from the first click to the exported file."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtWidgets import QTabBar
from pytestqt.qtbot import QtBot

from desktop_app.panes import expertise
from desktop_app.panes.agreement.pane import AgreementPane
from desktop_app.panes.base import Pane
from desktop_app.panes.benchmark.pane import BenchmarkPane
from desktop_app.panes.calibration.importing import ImportDialog
from desktop_app.panes.calibration.pane import CalibrationPane
from desktop_app.panes.expertise.pane import ExpertisePane
from desktop_app.panes.history.pane import HistoryPane
from desktop_app.panes.preferences.pane import PreferencesPane
from desktop_app.panes.settings.pane import SettingsPane
from desktop_app.panes.survey.pane import SurveyPane
from desktop_app.theme import theme
from desktop_app.widgets.fields import ChoiceBox
from desktop_app.window import MainWindow
from tests.e2e.at_the_window import Visitor, answer_dialogs, open_window, watched, without
from tests.e2e.test_adjudication_job import two_annotators
from tests.e2e.test_calibration_job import scores, settled
from tests.e2e.test_expertise_job import without_encoder

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
Make = Callable[[], MainWindow]


@pytest.fixture
def out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where everything is exported to."""
    answer_dialogs(monkeypatch, tmp_path / "out", [scores(tmp_path / "spring.csv")])
    return tmp_path / "out"


def go(me: Visitor, pane: str) -> Pane:
    me.click(me.window.side.buttons[pane])
    me.settle()
    return me.window.panes[pane]


def rows(me: Visitor, out: Path, name: str) -> list[dict[str, str]]:
    """The table that was exported, once it is there."""
    me.until(lambda: bool(list(out.rglob(name))) and not me.window.bridge.engine.busy())
    (found,) = out.rglob(name)
    with found.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def test_a_table_is_added_ranked_and_exported(make_window: Make, qtbot: QtBot, sample_path: Path, out: Path) -> None:
    with watched(), without(QEvent.Type.KeyPress):
        me = open_window(sample_path, make_window, qtbot)
        pane = go(me, "calibration")
        assert isinstance(pane, CalibrationPane)
        settled(me, pane, 0, None)
        me.press("Import scores…", pane.bar)
        me.press("Import", me.dialog(ImportDialog))
        me.front()
        me.until(lambda: pane.state.table is not None and pane.state.table.title == "spring")
        settled(me, pane, 0, None)
        cutoff = pane.bar.cutoff
        me.click(cutoff, QPoint(cutoff.width() - 12, 8))
        settled(me, pane, 0, 1)
        me.tab(pane.tabs, "Decisions")
        me.row(pane.decisions.table, 2)
        assert pane.state.item == pane.decisions.model.words(2)[0]
        me.look()
        me.press("Export…", pane.bar)
        me.pick("Export tables (CSV)")
        table = rows(me, out, "spring-calibrated-items.csv")
        assert [row["item"] for row in sorted(table, key=lambda row: float(row["rank"]))] == pane.ranking.order
        decisions = dict(pane.decisions.model.words(row)[:2] for row in range(pane.decisions.model.rowCount()))
        assert all(decisions[row["item"]].startswith(row["decision"]) for row in table) and len(table) == len(decisions)
        me.choose(pane.bar.table, 1 - pane.bar.table.currentIndex())
        me.until(lambda: pane.state.table is not None and pane.state.table.title != "spring")
        settled(me, pane, 0, None)


def test_a_survey_is_read_and_exported(make_window: Make, qtbot: QtBot, sample_path: Path, out: Path) -> None:
    with watched(), without(QEvent.Type.KeyPress):
        me = open_window(sample_path, make_window, qtbot)
        pane = go(me, "survey")
        assert isinstance(pane, SurveyPane)
        me.tab(pane.tabs, "Answers")
        me.row(pane.people.table, 3)
        assert pane.people.current is not None and len(pane.people.ruler.accessibleDescription()) > 20
        me.tab(pane.tabs, "Results")
        me.until(lambda: pane.results.table_1.rowCount() > 0)
        me.look()
        me.press("Export…", pane)
        me.pick("Export tables and figures")
        table = rows(me, out, "*table-1.csv")
        shown = [pane.results.table_1.item(row, 1) for row in range(pane.results.table_1.rowCount())]
        people = next(row["value"] for row in table if (row["group"], row["name"]) == ("participants", "all"))
        assert people in {cell.text() for cell in shown if cell is not None} and people == str(len(pane.people._people))


def test_algorithms_are_run_and_exported(
    make_window: Make, qtbot: QtBot, sample_path: Path, out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(expertise.pane, "make_laboratory", without_encoder)
    with watched(), without(QEvent.Type.KeyPress):
        me = open_window(sample_path, make_window, qtbot)
        pane = go(me, "expertise")
        assert isinstance(pane, ExpertisePane)
        me.until(lambda: pane.state.loaded is not None and not me.window.bridge.engine.busy())
        box = pane.set_up.algorithms
        for row in range(box.count()):
            item = box.item(row)
            if (item.checkState() is Qt.CheckState.Checked) != (item.text() in {"BM25", "Trivial"}):
                box.scrollToItem(item)
                me.settle()
                place = box.visualItemRect(item)
                me.click(box.viewport(), QPoint(place.left() + theme().px(18), place.center().y()))
        assert {choice.label for choice in pane.set_up.choices()} == {"BM25", "Trivial"}
        me.press("Run", pane.set_up)
        me.until(lambda: not pane.state.running and "Trivial" in {one.run.label for one in pane.board.outcomes})
        me.look()
        me.press("Export…", pane)
        found = {row["algorithm"]: float(row["loss"]) for row in rows(me, out, "leaderboard.csv")}
        assert found == {o.run.algorithm: pytest.approx(o.evaluation.loss, abs=1e-3) for o in pane.board.outcomes}


def test_pairs_are_judged_and_exported(make_window: Make, qtbot: QtBot, sample_path: Path, out: Path) -> None:
    with watched(), without(QEvent.Type.KeyPress):
        me = open_window(sample_path, make_window, qtbot)
        pane = go(me, "preferences")
        assert isinstance(pane, PreferencesPane)
        me.row(pane.list.rows, 1)
        assert pane.state.opened is not None and pane.state.store is not None and pane.state.opened.pair is not None
        key = pane.state.opened.cluster.id
        me.press("Prefer left", pane.judging)
        assert key in pane.state.store.choices(key), "first of the two descriptions"
        with me.still(pane.judging.left, pane.judging.right):
            for words in ("Prefer left", "Tie", "Prefer right"):
                me.press(words, pane.judging)
        assert [one.answer for one in pane.state.store.judgements(key)] == ["left", "tie", "right"]
        me.press("Undo", pane.judging)
        assert [one.answer for one in pane.state.store.judgements(key)] == ["left", "tie"]
        me.tab(pane.tabs, "Ranking")
        me.until(lambda: pane.state.study is not None)
        me.look()
        me.press("Tables…", pane.ranking)
        study = pane.state.study
        assert study is not None
        best = next(row for row in rows(me, out, "*ranking.csv") if float(row["rank"]) == 1)
        assert best["candidate"] == study.texts[study.canonical]


def test_two_annotators_are_compared_and_adjudicated(
    make_window: Make, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, out, flat_window = two_annotators(make_window, tmp_path, monkeypatch)
    with watched(), without(QEvent.Type.KeyPress):
        me = open_window(path, flat_window, qtbot, "Dea")
        pane = go(me, "agreement")
        assert isinstance(pane, AgreementPane)
        me.press("Merge another annotator's file…", pane)
        me.until(lambda: len(pane.state.rows) == 2)
        me.front()
        states = pane.state.figures.states if pane.state.figures else {}
        same = sum(number for (one, other), number in states.items() if one == other)
        assert f"{same} of them in the same state" in pane._counts.text()
        me.row(pane.list, 1)
        me.press("Ada is right", pane.detail)
        me.press("Export…", pane)
        me.pick("Export disagreements")
        assert [row["verdict"] for row in rows(me, out, "*.csv")] == ["", "first"]
        me.idle()


def test_reviews_are_scored_and_exported(make_window: Make, qtbot: QtBot, sample_path: Path, out: Path) -> None:
    with watched(), without(QEvent.Type.KeyPress):
        me = open_window(sample_path, make_window, qtbot)
        pane = go(me, "benchmark")
        assert isinstance(pane, BenchmarkPane)
        assert pane.state.report is not None or pane.comparison.waiting.text() == "Calculating…"
        me.until(lambda: pane.state.report is not None)
        assert not pane.comparison.waiting.isVisible()
        me.tab(pane.tabs, "Reviews")
        me.row(pane.list, 1)
        dimension = next(iter(pane.rating.rows.values()))
        button = next(one for one in dimension.buttons if not one.isChecked())
        assert pane.project is not None
        shown, before = pane.list.current, pane.state.store.ratings(pane.state.key, pane.project.annotator_id)
        me.click(button)
        (made,) = set(pane.state.store.ratings(pane.state.key, pane.project.annotator_id)) - set(before)
        assert shown is not None and (made.dimension, button.isChecked()) == (dimension.meta.id, True)
        assert f"{made.score}".replace("-", "−") == button.text()
        me.idle()
        me.press("More", pane)
        me.pick("Export tables")
        report = pane.state.report
        assert report is not None
        assert [row["source"] for row in rows(me, out, "sources.csv")] == [row.source for row in report.rows]


def test_steps_are_undone_in_history_and_home_leads_on(make_window: Make, qtbot: QtBot, sample_path: Path) -> None:
    with watched(), without(QEvent.Type.KeyPress):
        me = open_window(sample_path, make_window, qtbot)
        pane = go(me, "history")
        assert isinstance(pane, HistoryPane)
        me.row(pane.table, 2)
        me.press("Go to this step", pane)
        assert pane.status_text.endswith("2 undone")
        me.click(me.window.side.menu_button)
        me.pick("Edit", "Redo")
        assert pane.status_text.endswith("1 undone")
        me.look()


def test_text_is_enlarged_and_help_is_read(make_window: Make, qtbot: QtBot, sample_path: Path) -> None:
    with watched(), without(QEvent.Type.KeyPress):
        me = open_window(sample_path, make_window, qtbot)
        pane = go(me, "settings")
        assert isinstance(pane, SettingsPane)
        zoom, before = pane.controls["appearance.zoom"], theme().zoom
        assert isinstance(zoom, ChoiceBox)
        me.choose(zoom, zoom.findText("125 %"))
        me.until(lambda: theme().zoom > before)
        tabs = pane.findChild(QTabBar)
        assert isinstance(tabs, QTabBar)
        me.tab(tabs, "Keys")
        me.look()
        me.click(me.window.side.menu_button)
        me.pick("Help", "Help")
        sheet = me.window.help
        assert sheet is not None and sheet.isVisible()
        me.row(sheet.list, 3)
        assert len(sheet.text.toPlainText()) > 200 and sheet.text.horizontalScrollBar().maximum() == 0
