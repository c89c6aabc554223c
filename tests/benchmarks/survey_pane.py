"""The survey's panes at their intended size: ten papers and two hundred publications for a participant, sixty returned
files for an organiser. Times are what a person waits: from the key until all its effects are painted."""

from __future__ import annotations

import os
import random
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtTest import QTest

from desktop_app.headless import settle
from desktop_app.panes.survey.pane import PEOPLE, RESULTS, SurveyPane
from desktop_app.panes.survey.participant import ParticipantPane
from desktop_app.panes.survey.state import RATINGS
from desktop_app.settings import Settings, WindowState
from desktop_app.window import MainWindow, application
from engine.exchange.study_file import preview_release, study_file
from engine.expertise.records import ProfileRow, Study, SurveyParticipant, SurveyRow
from engine.expertise.store import SurveyStore
from engine.expertise.survey import new_study
from engine.papers.records import LibraryPaper
from engine.project import Project

RATED, OWN, RETURNED = 10, 200, 60
STUDY = new_study("How long does it take?", key="benchmark")


def _paper(chance: random.Random, key: str) -> LibraryPaper:
    words = " ".join("".join(chance.choices("abcdefghijklmnop", k=chance.randint(3, 9))) for _ in range(9))
    return LibraryPaper(
        key, words, "Some words. " * 90, 2024, authors=(f"A. {words[:6]}",), link=f"https://x.org/{key}"
    )


def _returned(folder: Path, study: Study, number: int) -> Path:
    chance = random.Random(number)
    rows = [SurveyRow(f"r{n}", "", _paper(chance, f"p{number}-{n}"), chance.randrange(4, 21) / 4) for n in range(RATED)]
    own = [ProfileRow(f"o{n}", "", _paper(chance, f"o{number}-{n}")) for n in range(20)]
    name = "".join(chance.choices("abcdefghijklmnop", k=9)).capitalize()
    person = SurveyParticipant("", "", f"k{number}", name, "2026-03-01T09:00:00+00:00")
    path = folder / f"{number}.rejoinder-answers"
    content = preview_release(study, person, rows, own, written_at="2026-03-01T10:00:00+00:00").file.content
    path.write_bytes(content)
    return path


def _participant(window: MainWindow, folder: Path) -> tuple[float, list[float]]:
    """Returns seconds until a study file is open, and milliseconds of each rating by key until it is painted."""
    file = folder / "study.rejoinder-study"
    file.write_bytes(study_file(STUDY).content)
    started = time.perf_counter()
    window.open_path(file)
    window.grab()
    opened = time.perf_counter() - started
    pane, chance = window.panes["participant"], random.Random(7)
    assert isinstance(pane, ParticipantPane) and pane.state.store is not None and pane.state.survey is not None
    key = pane.state.survey.participant.id
    pane.state.store.set_consent(key, True)
    pane.state.store.add_publications(key, [_paper(chance, "") for _ in range(OWN)])
    for _ in range(RATED):
        pane.state.store.add_row(key, _paper(chance, ""))
    pane.go_to(RATINGS)
    times = []
    for digit in "31425":
        for row in pane.ratings._rows.values():
            started = time.perf_counter()
            QTest.keyClick(row.scale, digit)
            window.grab()
            times.append(1000 * (time.perf_counter() - started))
    window.control.leave_survey()
    return opened, times


def _organiser(window: MainWindow, folder: Path) -> tuple[float, list[float], float]:
    """Returns seconds to merge the returned files, and milliseconds to reload and repaint the answers table, and to
    show the results."""
    path = folder / "study.rejoinder"
    with Project.create(path, "Study", "Olga") as project:
        study = SurveyStore(project).add_study(STUDY)
        kept = SurveyStore(project).study(study)
    window.open_path(path)
    window.show_pane("survey")
    pane = window.panes["survey"]
    assert isinstance(pane, SurveyPane)
    files = [_returned(folder, kept, number) for number in range(RETURNED)]
    started = time.perf_counter()
    pane.add_files(files)
    settle(window, pause_ms=5, limit_ms=120_000)
    merged = time.perf_counter() - started
    assert len(pane.people._people) == RETURNED
    pane.tabs.setCurrentIndex(PEOPLE)
    settle(window, pause_ms=5)
    tables = []
    for _ in range(15):
        started = time.perf_counter()
        pane.refresh()
        window.grab()
        tables.append(1000 * (time.perf_counter() - started))
    started = time.perf_counter()
    pane.tabs.setCurrentIndex(RESULTS)
    settle(window, pause_ms=5)
    window.grab()
    return merged, tables, 1000 * (time.perf_counter() - started)


def let_go(window: MainWindow) -> None:
    """Closes a window and stops its background work."""
    window.stop_work()
    window.close()
    window.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


def figure(value: float, unit: str, target: float) -> dict[str, Any]:
    """Returns a figure that should be low, in the format of bench.json."""
    return {"value": round(value, 2), "unit": unit, "better": "lower", "target": target}


def figures(_data_folder: Path | None) -> dict[str, dict[str, Any]]:
    """Returns all figures; no measuring data are needed."""
    with tempfile.TemporaryDirectory(prefix="rejoinder-") as own:
        os.environ["REJOINDER_HOME"] = own
        application()
        window = MainWindow(Settings(), WindowState())
        window.resize(1280, 800)
        window.show()
        settle(window)
        opened, times = _participant(window, Path(own))
        merged, tables, shown = _organiser(window, Path(own))
        let_go(window)

    return {
        "open_study_file": figure(opened, "s", 1.0),
        "rating_by_key_median": figure(statistics.median(times), "ms", 50),
        "rating_by_key_p95": figure(sorted(times)[int(0.95 * len(times))], "ms", 100),
        "merge_60_files": figure(merged, "s", 20.0),
        "answers_table_median": figure(statistics.median(tables), "ms", 50),
        "show_results": figure(shown, "ms", 500),
    }
