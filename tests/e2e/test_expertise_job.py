"""A released data set from its folder to a leaderboard, one participant, a curve and the exported files, by keys."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

import pytest
from PySide6.QtCore import QEvent, Qt
from pytestqt.qtbot import QtBot

from desktop_app.panes.expertise import pane as expertise_module
from desktop_app.panes.expertise.pane import ExpertisePane
from desktop_app.widgets.file_dialogs import FileDialogs
from desktop_app.window import MainWindow
from engine.expertise.laboratory import LENGTHS, Data, Laboratory
from engine.project import Project
from tests.e2e.at_the_window import Visitor, answer_dialogs, open_window, watched, without
from tests.e2e.test_set_up_job import tab_to
from tests.engine.expertise.gold import write_gold_folder

Key = Qt.Key


def without_encoder(data: Data) -> Laboratory:
    def encoder() -> NoReturn:
        raise AssertionError("no ticked algorithm needs the encoder")

    return Laboratory(data, encoder)


def tick(chair: Visitor, pane: ExpertisePane, wanted: set[str]) -> None:
    """Goes down the list of algorithms and ticks these with Space, and no others."""
    box = pane.set_up.algorithms
    tab_to(chair, box)
    chair.key(Key.Key_Home)
    for row in range(box.count()):
        on = box.item(row).checkState() is Qt.CheckState.Checked
        if on != (box.item(row).text() in wanted):
            chair.key(Key.Key_Space)
        chair.key(Key.Key_Down)
    assert {choice.label for choice in pane.set_up.choices()} == wanted


def losses(pane: ExpertisePane) -> dict[str, float]:
    return {one.run.label: one.evaluation.loss for one in pane.board.outcomes}


@pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
def test_from_a_data_set_to_the_files(
    make_window: Callable[[], MainWindow], qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gold, path, out = write_gold_folder(tmp_path / "made-up"), tmp_path / "lab.rejoinder", tmp_path / "out"
    Project.create(path, "Which algorithm", "Ann").close()
    answer_dialogs(monkeypatch, out)
    monkeypatch.setattr(expertise_module, "make_laboratory", without_encoder)
    with watched(), without(QEvent.Type.MouseButtonPress):
        chair = open_window(path, make_window, qtbot, "Ann")
        chair.palette("go to expertise")
        pane = chair.window.pane
        assert isinstance(pane, ExpertisePane)
        with monkeypatch.context() as dialogs:
            dialogs.setattr(FileDialogs, "choose_folder", lambda *_: gold)
            chair.run("expertise.add_data")
        chair.until(lambda: pane.state.loaded is not None)
        assert "4 participants" in pane.state.facts()
        chair.look()

        tick(chair, pane, {"BM25", "Trivial"})
        chair.run("expertise.run")
        chair.until(lambda: not pane.state.running and len(pane.board.outcomes) == 2)
        chair.look()
        found = losses(pane)
        assert list(found.values()) == sorted(found.values()) and found["Trivial"] == 0.5

        # the worst pair of one participant, in the run below the first one
        pane.take_focus()
        chair.key(Key.Key_K, Key.Key_K, Key.Key_J)
        assert pane.board.selected == pane.board.outcomes[1].run.id
        person = pane.details.participant
        chair.key(Key.Key_BracketRight)
        assert pane.details.participant != person
        assert pane.details.pairs.toPlainText()

        # a curve of one algorithm
        tick(chair, pane, {"BM25"})
        tab_to(chair, pane.set_up.draws)
        chair.key(Key.Key_A, modifiers=Qt.KeyboardModifier.ControlModifier)
        chair.type("1")
        pane.take_focus()
        chair.run("expertise.curve")
        chair.until(lambda: not pane.state.curving)
        (curve,) = pane.state.curves()[0].values()
        assert len(curve) == len(LENGTHS)
        chair.idle()
        chair.look()

        # the files say what is shown
        chair.run("expertise.export")
        chair.until(lambda: any("folder" in one.what for one in pane.banner.notices))
        chair.idle()
        with (out / "similarity-results" / "leaderboard.csv").open(encoding="utf-8", newline="") as file:
            rows = {row["algorithm"]: float(row["loss"]) for row in csv.DictReader(file)}
        assert sorted(rows.values()) == pytest.approx(sorted(found.values()), abs=1e-3)
    chair.window.stop_work()
    chair.window.close()

    again = open_window(path, make_window, qtbot, "Ann")
    again.palette("go to expertise")
    kept = again.window.pane
    assert isinstance(kept, ExpertisePane)
    again.until(lambda: len(kept.board.outcomes) == 2)
    assert losses(kept) == pytest.approx(found)
