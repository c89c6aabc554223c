"""Figures whose calculation is cancelled in the list of jobs aren't shown as if they were current; a click on the
banner calculates them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from threading import Event

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from desktop_app import present
from desktop_app.panes.agreement import everybody
from desktop_app.panes.agreement import state as agreement_state
from desktop_app.panes.agreement.everybody import NOT_YET
from desktop_app.panes.agreement.pane import AgreementPane
from desktop_app.panes.base import Pane
from desktop_app.panes.benchmark import state as benchmark
from desktop_app.panes.benchmark.pane import BenchmarkPane
from desktop_app.panes.survey.pane import RESULTS, SurveyPane
from desktop_app.window import MainWindow
from engine.exchange import expertise_report
from engine.expertise.records import SurveyParticipant
from engine.expertise.store import SurveyStore
from engine.jobs.records import DuplicatePolicy, Task
from engine.project import Project
from engine.review_drafting.benchmark.records import BenchmarkPaper, BenchmarkReview, ReviewSet
from engine.review_drafting.benchmark.store import BenchmarkStore
from engine.review_drafting.records import Review
from tests.desktop_app.panes.agreement.test_agreement_pane import annotate
from tests.desktop_app.panes.linking.studies import FlatService, make_study
from tests.desktop_app.panes.survey.surveys import papers, study

MOST_MS = 20_000


class Held:
    """Holds a function back until ``go_on``; cancels what runs it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, of: object, name: str, qtbot: QtBot) -> None:
        self._reached, self._go_on, whole, self._qtbot = Event(), Event(), getattr(of, name), qtbot

        def held(*given: object, **named: object) -> object:
            self._reached.set()
            assert self._go_on.wait(20)
            return whole(*given, **named)

        monkeypatch.setattr(of, name, held)

    def cancel(self, pane: Pane) -> None:
        self._qtbot.waitUntil(self._reached.is_set, timeout=MOST_MS)
        bridge = pane.context.bridge
        bridge.cancel_job(max(bridge._handles))
        self._qtbot.waitUntil(lambda: _cancelled(pane), timeout=MOST_MS)
        self._go_on.set()
        self._qtbot.waitUntil(lambda: not bridge.engine.busy(), timeout=MOST_MS)

    def again(self, pane: Pane) -> None:
        buttons = pane.banner.findChildren(QPushButton)
        again = next(one for one in buttons if one.text() == "Calculate again" and one.isVisible())
        self._qtbot.mouseClick(again, Qt.MouseButton.LeftButton)
        self._qtbot.waitUntil(lambda: not _cancelled(pane), timeout=MOST_MS)


def _cancelled(pane: Pane) -> bool:
    return any("was cancelled" in notice.what for notice in pane.banner.notices)


@pytest.fixture
def open_pane(make_window: Callable[[], MainWindow], qtbot: QtBot) -> Callable[[Path, str], Pane]:
    def opened(path: Path, pane: str) -> Pane:
        window = make_window()
        window.bridge._documents = FlatService()  # type: ignore[assignment]
        window.settings.set("annotator.name", "Dea")
        assert window.open_path(str(path))
        window.show_pane(pane)
        with qtbot.waitActive(window):
            window.activateWindow()
        return window.pane

    return opened


def test_results_of_a_survey(
    open_pane: Callable[[Path, str], Pane], tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "surveys.rejoinder"
    with Project.create(path, "Surveys", "Dea") as project:
        store = SurveyStore(project)
        for key, count in (("small", 2), ("large", 5)):
            made = store.add_study(study(key, key.title()))
            for number in range(count):
                one = store.add_participant(made, SurveyParticipant("", made, f"{key} {number}", f"Person {number}"))
                store.add_row(one, store.library.add(papers(1)[0]), 3.0)
    pane = open_pane(path, "survey")
    assert isinstance(pane, SurveyPane)
    results = pane.results
    pane.tabs.setCurrentIndex(RESULTS)
    qtbot.waitUntil(results.table_1.isVisible, timeout=MOST_MS)
    assert results.table_1.item(1, 1).text() == "5"
    held = Held(monkeypatch, expertise_report, "summary_of", qtbot)
    pane.next_study()
    assert not results.table_1.isVisible(), "these are of the other study"
    held.cancel(pane)
    assert not results.table_1.isVisible() and not results.ratings.isVisible()
    held.again(pane)
    assert results.table_1.isVisible() and results.table_1.item(1, 1).text() == "2"


@pytest.fixture
def agreed(open_pane: Callable[[Path, str], Pane], tmp_path: Path, qtbot: QtBot) -> AgreementPane:
    """The pane with the figures of two annotators."""
    path = tmp_path / "study.rejoinder"
    make_study(path)
    with Project.open(path, annotator="Ada") as project:
        annotate(project)
    pane = open_pane(path, "agreement")
    assert isinstance(pane, AgreementPane)
    qtbot.waitUntil(lambda: pane.state.found is not None, timeout=MOST_MS)
    return pane


def test_agreement_of_two_and_of_everybody(
    agreed: AgreementPane, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    pane = agreed
    before = pane.bars.accessibleDescription()
    held = Held(monkeypatch, agreement_state, "agreement", qtbot)
    pane.group.setCurrentIndex(pane.group.findData(""))
    assert pane.state.figures is None and not pane.list.records, "these are of another group"
    held.cancel(pane)
    assert pane.state.figures is None and pane.bars.accessibleDescription() != before
    assert not pane.has_figures(), "and can't be exported"
    held.again(pane)
    qtbot.waitUntil(lambda: pane.state.figures is not None, timeout=MOST_MS)
    assert "all groups" in pane._counts.text()

    held = Held(monkeypatch, everybody, "compared", qtbot)
    pane.subject.setCurrentIndex(pane.subject.findData("links"))
    held.cancel(pane)
    assert pane.everybody.found is None and pane.all.list._message == NOT_YET
    held.again(pane)
    qtbot.waitUntil(lambda: pane.everybody.found is not None, timeout=MOST_MS)


def test_a_refresh_does_not_stop_the_comparison(
    agreed: AgreementPane, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    pane = agreed
    held = Held(monkeypatch, agreement_state, "agreement", qtbot)
    pane.group.setCurrentIndex(pane.group.findData(""))
    pane.refresh_now()
    held._go_on.set()
    qtbot.waitUntil(lambda: pane.state.found is not None, timeout=MOST_MS)


def test_comparison_of_sources(
    open_pane: Callable[[Path, str], Pane], tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "benchmarks.rejoinder"
    with Project.create(path, "Benchmarks", "Dea") as project:
        store = BenchmarkStore(project)
        for title in ("First", "Second"):
            review = Review(summary=f"About {title}.")
            made = BenchmarkReview(id=title, paper_id=title, source=f"Source of {title}", reviewer="", review=review)
            one = store.create(title)
            store.add(one, ReviewSet(papers=(BenchmarkPaper(id=title, title=title),), reviews=(made,)), "person")
    pane = open_pane(path, "benchmark")
    assert isinstance(pane, BenchmarkPane)
    qtbot.waitUntil(lambda: pane.state.report is not None, timeout=MOST_MS)
    assert present(pane.state.report).title == "Second" and pane.comparison.board.isVisible()
    held = Held(monkeypatch, benchmark, "benchmark_report", qtbot)
    pane.benchmark.setCurrentIndex(0)
    assert pane.state.report is None and not pane.comparison.board.isVisible(), "it is of the other benchmark"
    held.cancel(pane)
    assert pane.state.report is None and not pane.state.can_export
    held.again(pane)
    qtbot.waitUntil(lambda: pane.state.report is not None, timeout=MOST_MS)
    assert present(pane.state.report).title == "First" and pane.comparison.board.isVisible()


def test_cancelling_any_other_job_is_a_note_not_a_problem(agreed: AgreementPane, qtbot: QtBot) -> None:
    go_on = Event()
    task: Task[object] = Task("test.held", "Read 3 files", lambda _report: go_on.wait(20), DuplicatePolicy.AFTER)
    agreed.context.bridge.cancel_job(agreed.submit(task).id)
    qtbot.waitUntil(lambda: _cancelled(agreed), timeout=MOST_MS)
    go_on.set()
    notice = agreed.banner.notices[-1]
    assert (notice.what, notice.kind) == ("“Read 3 files” was cancelled.", "note")
