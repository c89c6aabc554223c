"""A chair's whole way with a table of scores: imported, ranked, decided at a cut-off, looked into, changed, taken back,
exported; the calculation is cancelled once on the way. By mouse and keys."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path
from threading import Event
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication, QDialog
from pytestqt.qtbot import QtBot

from desktop_app.panes.calibration import pane as calibration_pane
from desktop_app.panes.calibration.importing import ImportDialog
from desktop_app.panes.calibration.pane import FIT, CalibrationPane
from desktop_app.window import MainWindow
from engine.calibration.scenarios import Scenario
from engine.calibration.synthetic import Design, draw
from engine.calibration.tasks import Refit, refit
from engine.jobs import DuplicatePolicy, Report, task
from engine.project import Project
from tests.e2e.at_the_window import Visitor, answer_dialogs, first_palette, open_window, watched

Key = Qt.Key
CONTROL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
ITEMS, REFEREES, CUT = 40, 12, 10


def scores(path: Path) -> Path:
    """A conference's table as it is exported, with one row that has no score."""
    reviews = draw(Design(items=ITEMS, referees=REFEREES), np.random.default_rng(3)).reviews
    lines = ["Submission No.;Assigned Reviewer;Overall Recommendation (1-10);Reviewer confidence"]
    lines += [
        f"{reviews.items[i]};{reviews.referees[r]};{score:.3f};{confidence:.2f}"
        for i, r, score, confidence in zip(
            reviews.item, reviews.referee, reviews.score, reviews.confidence, strict=True
        )
    ]
    path.write_text("\n".join([*lines, f"{reviews.items[0]};referee X;none;3"]) + "\n", encoding="utf-8")
    return path


def settled(chair: Visitor, pane: CalibrationPane, changes: int, cutoff: int | None = CUT) -> None:
    """Waits until what is shown is the scenario as it is now, with its intervals."""

    def there() -> bool:
        board, state = pane.state.board, pane.state
        return (
            board is not None
            and board.current.doubt is not None
            and board.current.scenario == state.scenario
            and len(state.current.changes) == changes
            and board.cutoff == cutoff
            and not chair.window.bridge.engine.busy()
        )

    chair.until(there)


def cells(pane: CalibrationPane) -> list[list[str]]:
    model = pane.decisions.model
    return [list(model.words(row)) for row in range(model.rowCount())]


@pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
def test_from_a_table_of_scores_to_the_decisions(
    make_window: Callable[[], MainWindow], qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, out = tmp_path / "venue.rejoinder", tmp_path / "out"
    Project.create(path, "A venue", "Carla").close()
    answer_dialogs(monkeypatch, out, [scores(tmp_path / "spring.csv")])
    go_on, started = Event(), Event()

    @task("calibration.refit", "Calibrate", DuplicatePolicy.REPLACE, "{scenario.id}")
    def waiting(report: Report, scenario: Scenario, *given: Any) -> Refit:
        started.set()
        while not go_on.wait(0.02):
            report.check()
        return refit(scenario, *given).run(report)

    monkeypatch.setattr(calibration_pane, "refit", waiting)
    with watched():
        chair = open_window(path, make_window, qtbot, "Carla")
        window = chair.window
        first_palette(chair)
        chair.key(Key.Key_4, modifiers=CONTROL)
        pane = window.pane
        assert isinstance(pane, CalibrationPane)

        # every column is found, the doubtful row is listed, Return imports
        chair.key(Key.Key_I, modifiers=CONTROL)
        dialog = chair.dialog(ImportDialog)
        assert isinstance(dialog, ImportDialog)
        assert set(dialog.mapping()) == {"item", "referee", "score", "confidence"}
        assert "1 doubtful row, 1 left out" in dialog.summary.text() and dialog.problems.count() == 1
        chair.key(Key.Key_Return)
        chair.front()

        # cancelled in the tray: the pane says so, and its button goes on
        chair.until(started.is_set)
        chair.until(lambda: pane.bar.moved.text() == "Calculating…")
        chair.key(Key.Key_J, modifiers=CONTROL)
        chair.until(lambda: sum(not job.state.ended for job in window.tray.jobs) == 1)  # the import has ended
        for job in window.tray.jobs:
            if not job.state.ended:
                chair.click(window.tray._rows[job.id]._cancel)
        chair.until(lambda: any(one.key == FIT for one in pane.banner.notices))
        assert not pane.bar.moved.text()
        chair.key(Key.Key_Escape)
        assert not window.tray.isVisible()
        go_on.set()
        with chair.still(pane.bar, pane.matrix, pane.tabs):
            chair.press("Calculate again")
            settled(chair, pane, 0, None)
        assert not [one for one in pane.banner.notices if one.key == FIT]
        chair.look()

        # a cut-off is typed, and every item is safe or borderline, the most doubtful first
        pane.bar.cutoff.setFocus()
        chair.key(Key.Key_A, modifiers=CONTROL)
        chair.type(str(CUT))
        chair.key(Key.Key_Return)
        settled(chair, pane, 0)
        chair.tab(pane.tabs, "Decisions")
        listed = cells(pane)
        assert len(listed) == ITEMS and {row[1].split()[0] for row in listed} == {"safe", "borderline"}
        assert sum(row[1].endswith("accept") for row in listed) == CUT
        kinds = [row[1].startswith("borderline") for row in listed]
        assert kinds == sorted(kinds, reverse=True), "borderline items come first"
        gains = [float(row[3].strip("−p ") or 0) for row in listed]
        assert gains == sorted(gains, reverse=True), "those that would gain most from another review"
        chair.row(pane.decisions.table, 3)
        assert pane.state.item == listed[3][0]
        chair.look()
        chair.tab(pane.tabs, "To check")
        assert pane.attention.rowCount() < ITEMS / 2, "not everything disagrees"
        chair.look()

        # what if: a referee is left out by key, and that is taken back by the chip and by Ctrl+Z
        before = pane.ranking.order
        chair.tab(pane.tabs, "Ranking")
        board = pane.state.board
        assert board is not None
        field = pane.matrix._field()
        row = int(board.row_of[int(board.referee_at[0])])
        chair.click(pane.matrix.viewport(), QPoint(field.left() + 6, round(pane.matrix.row_y(row))))
        assert pane.state.referee == board.referees[int(board.referee_at[0])]
        with chair.still(pane.bar, pane.matrix, pane.tabs):
            chair.key(Key.Key_X, modifiers=SHIFT)
            settled(chair, pane, 1)
        assert pane.ranking.order != before and pane.bar.moved.text()
        chair.look()
        chip = next(one for one in pane.bar.findChildren(type(pane.bar.export).__mro__[1]) if "✕" in one.text())
        chair.click(chip)
        settled(chair, pane, 0)
        assert pane.ranking.order == before
        chair.key(Key.Key_Z, modifiers=CONTROL)
        settled(chair, pane, 1)
        chair.key(Key.Key_Z, modifiers=CONTROL)
        settled(chair, pane, 0)

        # the questions open over the window and close with Escape; the file says what is shown
        chair.key(Key.Key_A)
        chair.dialog(QDialog)
        chair.key(Key.Key_Escape)
        chair.front()
        assert not pane.state.current.changes
        pane.matrix.setFocus()
        chair.key(Key.Key_E, modifiers=CONTROL)
        chair.menu("Export tables (CSV)")
        chair.until((out / "spring-calibrated-items.csv").exists)
        chair.idle()
        with (out / "spring-calibrated-items.csv").open(encoding="utf-8", newline="") as file:
            ranked = [row["item"] for row in sorted(csv.DictReader(file), key=lambda row: float(row["rank"]))]
        assert ranked == pane.ranking.order
        assert QApplication.activeWindow() is window
    window.stop_work()
    window.close()

    again = open_window(path, make_window, qtbot, "Carla")
    again.key(Key.Key_4, modifiers=CONTROL)
    kept = again.window.pane
    assert isinstance(kept, CalibrationPane)
    settled(again, kept, 0)
    assert kept.ranking.order == ranked and kept.bar.cutoff.value() == CUT
