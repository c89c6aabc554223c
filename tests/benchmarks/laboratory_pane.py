"""The laboratory at the size of the published data: 58 invented participants with eight ratings and twenty papers each,
three lexical algorithms, each with every profile length. Times are what a person waits: from an action until all its
effects are painted. The longest delay of the event loop is measured while runs arrive, and while a data set is loaded
with its runs."""

from __future__ import annotations

import json
import os
import random
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QCoreApplication, QEvent, QEventLoop, Qt, QTimer

from desktop_app.headless import settle
from desktop_app.panes.expertise.pane import ExpertisePane
from desktop_app.settings import Settings, WindowState
from desktop_app.window import MainWindow, application
from engine.expertise.laboratory import LENGTHS
from engine.project import Project
from tests.benchmarks.survey_pane import figure, let_go

PEOPLE, RATED, OWN, FIELDS, WORDS = 58, 8, 20, 12, 120
ALGORITHMS, LONG = ("tpms", "bm25", "trivial"), 600.0


def write_data(folder: Path) -> Path:
    """Writes a data set in the released layout: each person knows one field of words well, and rates accordingly."""
    chance = random.Random(11)
    letters = "abcdefghijklmnoprstuv"
    fields = [["".join(chance.choices(letters, k=chance.randint(4, 9))) for _ in range(WORDS)] for _ in range(FIELDS)]
    common = ["".join(chance.choices(letters, k=chance.randint(3, 8))) for _ in range(600)]
    (folder / "participants").mkdir(parents=True)
    (folder / "papers").mkdir()

    def paper(key: str, field: int, year: int) -> str:
        words = chance.choices(fields[field], k=45) + chance.choices(common, k=105)
        chance.shuffle(words)
        record = {"ssId": key, "title": " ".join(words[:9]), "abstract": " ".join(words), "year": year}
        (folder / "papers" / f"{key}.json").write_text(json.dumps(record), encoding="utf-8")
        return key

    header = ["ParticipantID", *(f"Paper{n}" for n in range(1, 11)), *(f"Expertise{n}" for n in range(1, 11))]
    lines = ["\t".join(header)]
    for number in range(PEOPLE):
        field = number % FIELDS
        near = [field, field, field, (field + 1) % FIELDS, (field + 1) % FIELDS, *chance.sample(range(FIELDS), 3)]
        papers = [paper(f"r{number}-{n}", about, 2024) for n, about in enumerate(near)]
        values = [f"{max(1.0, 4.75 - 0.5 * n + chance.choice((-0.25, 0, 0.25))):g}" for n in range(RATED)]
        blank = [""] * (10 - RATED)
        lines.append("\t".join([str(number), *papers, *blank, *values, *blank]))
        own = [paper(f"o{number}-{n}", field if n % 4 else (field + 1) % FIELDS, 2005 + n) for n in range(OWN)]
        name = " ".join("".join(chance.choices(letters, k=7)).capitalize() for _ in range(2))
        person = {"authorId": str(number), "name": name, "papers": [{"paperId": key} for key in own]}
        (folder / "participants" / f"{number}.json").write_text(json.dumps(person), encoding="utf-8")
    (folder / "evaluations.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder


def _longest_wait(ready: Callable[[], bool]) -> float:
    """Runs the event loop until ``ready``; returns the longest delay of an event meanwhile, in ms."""
    loop, timer = QEventLoop(), QTimer()
    timer.setTimerType(Qt.TimerType.PreciseTimer)
    before, longest, end = time.perf_counter(), 0.0, time.perf_counter() + LONG

    def tick() -> None:
        nonlocal before, longest
        now = time.perf_counter()
        before, longest = now, max(longest, 1000 * (now - before))
        if ready() or now > end:
            loop.quit()

    timer.timeout.connect(tick)
    timer.start(1)
    loop.exec()
    if not ready():
        raise TimeoutError("the laboratory did not get ready")
    return longest


def _painted(window: MainWindow, act: Callable[[], object]) -> float:
    """Returns the milliseconds of an action and of painting its effects."""
    started = time.perf_counter()
    act()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest)
    QCoreApplication.sendPostedEvents(window, QEvent.Type.UpdateRequest)
    return 1000 * (time.perf_counter() - started)


def _acts(window: MainWindow, pane: ExpertisePane) -> dict[str, list[float]]:
    """Measures what a person does with results, each action many times."""
    run = window.run_command
    found: dict[str, list[float]] = {}
    for view, name in ((pane.board_page, "board"), (pane.people, "participants")):
        pane.tabs.setCurrentWidget(view)
        settle(window, pause_ms=5)
        pane.board.step(-9)
        steps = ["expertise.next", "expertise.previous"] * 20
        found[f"next_algorithm_{name}"] = [_painted(window, lambda s=step: run(s)) for step in steps]
        found[f"next_participant_{name}"] = [
            _painted(window, lambda: run("expertise.next_person")) for _ in range(PEOPLE - 1)
        ]
    found["next_view"] = [_painted(window, lambda: run("expertise.next_view")) for _ in range(18)]
    pane.tabs.setCurrentWidget(pane.people)
    others = [at % pane.people.other.count() for at in range(12)]

    def compare(at: int) -> None:
        pane.people.other.setCurrentIndex(at)
        pane.people.other.activated.emit(at)

    found["compare_with"] = [_painted(window, lambda at=at: compare(at)) for at in others]
    return found


def figures(_data_folder: Path | None) -> dict[str, dict[str, Any]]:
    """Returns all figures; no measuring data are needed."""
    with tempfile.TemporaryDirectory(prefix="rejoinder-") as own:
        os.environ["REJOINDER_HOME"] = own
        folder, path = write_data(Path(own) / "data"), Path(own) / "l.rejoinder"
        application()
        window = MainWindow(Settings(), WindowState())
        window.resize(1920, 1200)
        window.show()
        Project.create(path).close()
        window.open_path(path)
        window.show_pane("expertise")
        pane = window.panes["expertise"]
        assert isinstance(pane, ExpertisePane)
        pane.add_data(folder)
        _longest_wait(lambda: pane.state.loaded is not None)
        pane.set_up.tick(ALGORITHMS)
        pane.run()
        waits = [_longest_wait(lambda: not pane.state.can_stop)]
        pane.run_curves()
        runs = len(ALGORITHMS) * len(LENGTHS)
        waits.append(_longest_wait(lambda: len(pane.state.outcomes) == runs))
        settle(window, pause_ms=5)
        acts = _acts(window, pane)
        window.control.close()
        window.open_path(path)
        window.show_pane("expertise")
        started = time.perf_counter()
        waits.append(_longest_wait(lambda: len(pane.state.outcomes) == runs))
        loaded = time.perf_counter() - started
        size = path.stat().st_size / 2**20
        let_go(window)

    found = {}
    for name, times in acts.items():
        found[f"{name}_median"] = figure(statistics.median(times), "ms", 50)
        found[f"{name}_longest"] = figure(max(times), "ms", 100)
    return {
        **found,
        "event_wait_while_running": figure(waits[0], "ms", 100),
        "event_wait_while_curves_arrive": figure(waits[1], "ms", 100),
        "event_wait_while_loading": figure(waits[2], "ms", 100),
        "load_60_runs": figure(loaded, "s", 10),
        "project_with_60_runs": figure(size, "MiB", 40),
    }
