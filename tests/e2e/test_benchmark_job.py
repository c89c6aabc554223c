"""Reviews of two systems compared: files in, rubrics and scores by rules, own scores by key, blind, to the tables."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, Qt
from pytestqt.qtbot import QtBot

from desktop_app.panes.benchmark.pane import BenchmarkPane
from desktop_app.window import MainWindow
from engine.project import Project
from engine.review_drafting.benchmark import tasks
from tests.desktop_app.panes.benchmark.test_benchmark_pane import WordEncoder
from tests.e2e.at_the_window import answer_dialogs, first_palette, open_window, watched, without
from tests.engine.exchange.review_texts import write_review
from tests.engine.review_drafting.benchmark.test_checks_of_reviews import BAD, GOOD, PAPER

Key = Qt.Key
CONTROL, ALT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.AltModifier


@pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
def test_from_reviews_to_the_tables(
    make_window: Callable[[], MainWindow], qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("rubrics_task", "judge_task"):
        made = getattr(tasks, name)
        monkeypatch.setattr(tasks, name, lambda *given, task=made: task(*given, encoder=WordEncoder))
    files = []
    for name, review in (("good", GOOD), ("bad", BAD)):
        files.append(tmp_path / f"{name}.json")
        entry = {"paper_id": "x", "title": "Nested sampling", "content": PAPER, "review_markdown": write_review(review)}
        files[-1].write_text(json.dumps([entry]))
    path, out = tmp_path / "study.rejoinder", tmp_path / "out"
    Project.create(path, title="Two systems", annotator="Ann").close()
    answer_dialogs(monkeypatch, out, files)
    with watched(), without(QEvent.Type.MouseButtonPress):
        judge = open_window(path, make_window, qtbot, "Ann")
        window = judge.window
        first_palette(judge)
        judge.palette("go to benchmark")
        pane = window.pane
        assert isinstance(pane, BenchmarkPane)
        judge.key(Key.Key_A)
        judge.until(lambda: len(pane.state.whole.reviews) == 2 and not pane.state.working)
        judge.front()
        pane.take_focus()
        judge.key(Key.Key_R)
        judge.until(lambda: bool(pane.state.whole.rubrics) and not pane.state.working)
        judge.key(Key.Key_S)
        judge.until(lambda: pane.state.report is not None and len(pane.state.report.rows) == 2)
        judge.idle()
        assert pane.state.report is not None and [row.source for row in pane.state.report.rows] == ["good", "bad"]
        judge.look()

        # own scores, blind: no source and no score of the rules is in sight; the key goes on, undo takes one back
        judge.key(Key.Key_2, modifiers=ALT)
        pane.take_focus()
        judge.key(Key.Key_B)
        assert not any("good" in title or "bad" in title for _, title, _, _ in pane.list.records)
        judge.look()
        assert pane.project is not None

        def own() -> int:
            assert pane.project is not None
            store = pane.state.store
            return sum(one.score is not None for one in store.ratings(pane.state.key, pane.project.annotator_id))

        with judge.still(pane.list, pane.rating):
            judge.key(Key.Key_2, Key.Key_1, Key.Key_2)
        assert own() == 3
        judge.key(Key.Key_Z, modifiers=CONTROL)
        assert own() == 2
        judge.key(Key.Key_M)
        judge.type("112")
        judge.key(Key.Key_Return)
        assert own() == 2, "what is typed into the note scores nothing"
        assert not pane.rating.note.hasFocus(), "the keys of the pane work again"
        judge.key(Key.Key_B)
        assert {title for _, title, _, _ in pane.list.records} != set()

        judge.palette("export tables")
        judge.until(lambda: any(one.what.startswith(("Saved", "Exported")) for one in pane.banner.notices))
        judge.idle()
        (sources,) = out.rglob("sources.csv")
        with sources.open(encoding="utf-8", newline="") as file:
            assert [row["source"] for row in csv.DictReader(file)] == ["good", "bad"]
    window.stop_work()
    window.close()

    again = open_window(path, make_window, qtbot, "Ann")
    again.palette("go to home")
    assert again.window.bridge.project is not None
    again.palette("go to benchmark")
    kept = again.window.pane
    assert isinstance(kept, BenchmarkPane)
    again.until(lambda: kept.state.report is not None and len(kept.state.report.rows) == 2)
