"""The organiser's day: sixty answers come back, their results are read, algorithms are compared on them; by mouse and
keys, from the first click to the exported tables."""

from __future__ import annotations

import csv
from collections.abc import Callable
from math import isnan
from pathlib import Path
from threading import Event
from typing import NoReturn

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop_app.panes.expertise import pane as expertise_module
from desktop_app.panes.expertise.board import HEAD, ROW
from desktop_app.panes.expertise.pane import ExpertisePane
from desktop_app.panes.survey.merging import MergeDialog
from desktop_app.panes.survey.pane import PEOPLE, RESULTS, SurveyPane
from desktop_app.widgets.dialogs import MessagesDialog
from desktop_app.window import MainWindow
from engine.expertise.laboratory import Choice, Data, Laboratory, Outcome, Setup
from engine.expertise.store import SurveyStore
from engine.jobs import Report
from engine.project import Project
from tests.desktop_app.panes.survey.surveys import answers_file, study
from tests.e2e.at_the_window import Visitor, answer_dialogs, first_palette, open_window, watched

Key = Qt.Key
CONTROL = Qt.KeyboardModifier.ControlModifier
PEOPLE_ASKED = 60
ABSTRACT = "We count magnets, cameras and leaflets at busy crossings, and compress what the sensors read."


def returned(folder: Path) -> list[Path]:
    """Sixty answers, one of them twice and one in a newer version, and three files that are none."""
    folder.mkdir()
    drawn = np.random.default_rng(7).permuted(np.tile(np.arange(1.0, 5.25, 0.25), (PEOPLE_ASKED, 1)), axis=1)
    files = [
        answers_file(folder, f"Person {number:02}", [float(value) for value in drawn[number, :6]], abstract=ABSTRACT)
        for number in range(PEOPLE_ASKED)
    ]
    newer = answers_file(folder, "Person 07", [5.0, 4.0, 3.0, 2.0, 1.0, 1.5], written_at="2026-03-09T10:00:00+00:00")
    broken = []
    for number in range(3):
        broken.append(folder / f"half-{number}.rejoinder-answers")
        broken[-1].write_bytes(files[number].read_bytes()[:-40])
    return [*files, files[3], newer, *broken]


def held_back(monkeypatch: pytest.MonkeyPatch, algorithm: str) -> Event:
    """A laboratory in which one algorithm waits until it is let go on; it can be cancelled meanwhile."""
    go_on, run = Event(), Laboratory.run

    def waiting(self: Laboratory, choice: Choice, setup: Setup, report: Report) -> Outcome:
        while choice.algorithm == algorithm and not go_on.wait(0.02):
            report.check()
        return run(self, choice, setup, report)

    def no_encoder() -> NoReturn:
        raise AssertionError("no ticked algorithm needs the encoder")

    def make(data: Data) -> Laboratory:
        return Laboratory(data, no_encoder)

    monkeypatch.setattr(Laboratory, "run", waiting)
    monkeypatch.setattr(expertise_module, "make_laboratory", make)
    return go_on


def merge(organiser: Visitor, pane: SurveyPane) -> None:
    """All files at once; the one that differs is asked about."""
    with organiser.still(pane.tabs, pane.views):
        organiser.key(Key.Key_I, modifiers=CONTROL)
        organiser.dialog(MergeDialog)
        organiser.key(Key.Key_Return)
        organiser.until(lambda: any(notice.key == "merge" for notice in pane.banner.notices))
    organiser.front()


@pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
def test_sixty_answers_from_the_files_to_the_leaderboard(
    make_window: Callable[[], MainWindow], qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, out = tmp_path / "study.rejoinder", tmp_path / "out"
    with Project.create(path, "Our study", "Olga") as project:
        SurveyStore(project).add_study(study())
    files = returned(tmp_path / "post")
    answer_dialogs(monkeypatch, out, files)
    go_on = held_back(monkeypatch, "trivial")
    with watched():
        organiser = open_window(path, make_window, qtbot, "Olga")
        window = organiser.window
        first_palette(organiser)
        organiser.key(Key.Key_2, modifiers=CONTROL)
        survey = window.pane
        assert isinstance(survey, SurveyPane)

        # the answers come in, and everything that was wrong is listed
        merge(organiser, survey)
        (notice,) = [one for one in survey.banner.notices if one.key == "merge"]
        assert notice.what == f"65 files: {PEOPLE_ASKED} added, 1 already merged, 1 replaced, 3 left out."
        assert survey.tabs.currentIndex() == PEOPLE and survey.people.table.rowCount() == PEOPLE_ASKED
        organiser.press("Show messages")
        messages = organiser.dialog(MessagesDialog)
        assert isinstance(messages, MessagesDialog)
        texts = [messages.list.item(row, 0).text() for row in range(messages.list.rowCount())]
        assert sum("half-" in text for text in texts) == 3
        organiser.key(Key.Key_Escape)
        organiser.front()
        organiser.run("edit.search")
        organiser.type("person 41")
        assert survey.people.current is not None and survey.people.current.participant.name == "Person 41"
        assert len(survey.people.ruler.accessibleDescription()) > 20
        organiser.look()

        # the results, and their files
        organiser.tab(survey.tabs, "Results")
        organiser.until(lambda: survey.results.table_1.rowCount() > 0)
        shown = [survey.results.table_1.item(row, 1).text() for row in range(survey.results.table_1.rowCount())]
        assert str(PEOPLE_ASKED) in shown
        organiser.look()
        organiser.run("survey.export")
        organiser.menu("Export tables and figures")
        organiser.until(lambda: any(one.key == "export" for one in survey.banner.notices))
        written = "".join(file.read_text(encoding="utf-8") for file in out.rglob("*table*.csv"))
        assert f",{PEOPLE_ASKED}," in written or f",{PEOPLE_ASKED}\n" in written

        compare(organiser, go_on, survey, out)
    window.stop_work()
    window.close()

    again = open_window(path, make_window, qtbot, "Olga").window
    again.show_pane("expertise")
    kept = again.panes["expertise"]
    assert isinstance(kept, ExpertisePane)
    qtbot.waitUntil(lambda: len(kept.board.outcomes) == 3, timeout=60_000)


def compare(organiser: Visitor, go_on: Event, survey: SurveyPane, out: Path) -> None:
    """Algorithms on the answers: partial results, cancelled in the tray, run again, sorted by a click, exported."""
    window = organiser.window
    organiser.key(Key.Key_3, modifiers=CONTROL)
    pane = window.pane
    assert isinstance(pane, ExpertisePane)
    organiser.until(lambda: pane.state.loaded is not None)
    assert f"{PEOPLE_ASKED} participants, {6 * PEOPLE_ASKED} ratings" in pane.state.facts()
    for name in ("Meaning and words together", "Trivial"):
        organiser.tick(pane.set_up.algorithms, name)
    ticked = [choice.algorithm for choice in pane.set_up.choices()]
    assert set(ticked) == {"tpms", "bm25", "trivial"}

    # what is finished is shown while another one runs; a short job of another pane is not kept waiting
    organiser.press("Run", pane.set_up)
    organiser.until(lambda: bool(pane.state.awaited) and len(pane.board.outcomes) == ticked.index("trivial"))
    assert pane.state.running and pane.status_text == f"{len(pane.board.outcomes)} of 3 algorithms finished"
    organiser.look()
    survey._summarised = None
    organiser.key(Key.Key_2, modifiers=CONTROL)
    assert survey.tabs.currentIndex() == RESULTS
    organiser.until(lambda: [job.title for job in window.tray.jobs if job.state.name == "RUNNING"] != [])
    organiser.until(lambda: all(job.state.ended for job in window.tray.jobs if job.title == "Tables and figures"))
    assert pane.state.running, "it didn't wait"

    # cancelled elsewhere: the tray closes with Escape, what was finished is there, and it can go on
    organiser.key(Key.Key_3, modifiers=CONTROL)
    finished = pane.board.outcomes
    organiser.click(window.status.jobs)
    cancel = next(
        one for one in window.tray.findChildren(type(window.tray._rows[max(window.tray._rows)]._cancel))
        if one.isVisible() and one.accessibleName() == "Cancel: Run similarity algorithms"
    )  # fmt: skip
    organiser.click(cancel)
    organiser.until(lambda: not pane.state.running)
    organiser.key(Key.Key_Escape)
    assert not window.tray.isVisible() and pane.board.outcomes == finished
    go_on.set()
    pane.board.setFocus()
    organiser.run("expertise.run")
    organiser.until(lambda: not pane.state.running and len(pane.board.outcomes) == 3)
    organiser.idle()

    # a column that is marked as sorted is sorted
    losses = [one.evaluation.loss for one in pane.board.outcomes]
    assert not any(map(isnan, losses)) and losses == sorted(losses)
    for column, figures in (("easy", "easy"), ("hard", "hard")):
        at = pane.board._rights()[{"easy": 2, "hard": 3}[column]]
        organiser.click(pane.board, QPoint(round(at) - 4, 10))
        values = [getattr(one.evaluation, figures) for one in pane.board.outcomes]
        assert pane.state.sorted_by == column and values == sorted(values, reverse=True)
    organiser.click(pane.board, QPoint(20, 10))
    names = [one.run.label for one in pane.board.outcomes]
    assert pane.state.sorted_by == "algorithm" and names == sorted(names)
    organiser.click(pane.board, QPoint(20, HEAD + ROW // 2))
    assert pane.board.selected == pane.board.outcomes[0].run.id
    organiser.run("expertise.next")
    assert pane.board.selected == pane.board.outcomes[1].run.id
    organiser.run("expertise.next_person")
    organiser.look()

    # the files say what is shown
    organiser.run("expertise.export")
    organiser.until(lambda: any("folder" in one.what for one in pane.banner.notices))
    with (out / "similarity-results" / "leaderboard.csv").open(encoding="utf-8", newline="") as file:
        rows = {row["algorithm"]: float(row["loss"]) for row in csv.DictReader(file)}
    assert rows == {one.run.algorithm: pytest.approx(one.evaluation.loss, abs=1e-3) for one in pane.board.outcomes}
    assert QApplication.activeWindow() is window
