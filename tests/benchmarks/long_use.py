"""Six hours of annotation in one window, without the breaks: does it still respond as fast, and what has grown?

The project is the sample with 50 further papers (``many_papers``). A round is an annotator's work on a paper: decide
comments in Linking with suggestions, links, states, undo and redo; write a response that is saved while typing; label
sentences; look at other panes; open and close overlays and dialogs; search, which indexes in a job. ``ROUNDS`` rounds
contain about 2,400 actions and 15,000 keys: one action every nine seconds for six hours.

Figures compare the last tenth of the rounds with the fifth, by which time all panes are built and every paper was
shown.

``python -m tests.benchmarks.long_use [ROUNDS]`` prints a line for each tenth.
"""

from __future__ import annotations

import gc
import os
import statistics
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import psutil
from PySide6.QtCore import QCoreApplication, QEvent, QObject, Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog

from desktop_app.headless import settle
from desktop_app.window import MainWindow
from tests.benchmarks.pane_keys import _press, _wait, window_of_many

ROUNDS = 150
VISIT_MS = 1500
"""How long an annotator waits for a pane's background work before continuing."""
DECISIONS = 2 * (
    "L",
    "J",
    "A",
    "J",
    "1",
    "J",
    "R",
    "J",
    "2",
    "J",
    "L",
    "U",
    "J",
    "3",
    "Space",
    "4",
    "J",
    "L",
    "Down",
    "L",
)
LABELS = ("J", "Y", "J", "N", "Space", "Y")
TYPED = "We now say how many readers there were, and why. "
GLANCES = ("home", "history", "agreement", "preferences", "review", "calibration", "analysis", "settings", "models")
FLOATING = ("view.palette", "help.keys", "help.guide", "view.jobs", "edit.search_project")
DIALOGS = ("rebuttal.limits", "rebuttal.libraries", "paper.rename", "paper.remove", "models.add_server")


@dataclass(frozen=True, slots=True)
class State:
    """The state after a tenth: memory in MB, files in kB, ``acts`` so far, others as counts; ``keys`` in CPU
    milliseconds."""

    acts: int
    memory: float
    objects: int
    python: int
    threads: int
    timers: int
    files: int
    project: float
    log: float
    keys: tuple[float, ...]

    def line(self) -> str:
        """Returns the state as a line for people."""
        slow = statistics.quantiles(self.keys, n=100)[-1]
        return (
            f"{self.acts} acts, {self.memory:.0f} MB, {self.objects} Qt objects, {self.python} Python objects,"
            f" {self.threads} threads,"
            f" {self.timers} timers, {self.files} files; project {self.project:.0f} kB, log {self.log:.0f} kB;"
            f" {len(self.keys)} keys: median {statistics.median(self.keys):.1f} ms, 99 % {slow:.1f}"
        )


class Annotator:
    """Someone working in the window; ``keys`` are the CPU milliseconds of keys since they were last cleared."""

    def __init__(self, window: MainWindow) -> None:
        self.window, self.keys = window, [0.0]

    def round(self, number: int) -> None:
        """Works on a paper: linking, a response, labels, a look at other panes."""
        window = self.window
        window.activateWindow()
        self._show("linking")
        for name in DECISIONS:
            self._key(getattr(Qt.Key, f"Key_{name}"))
        for command in ("edit.undo", "edit.undo", "edit.redo"):
            self._run(command)
        self._show("rebuttal")
        self._key(Qt.Key.Key_J)
        self._run("rebuttal.edit")
        for letter in f"{number}: {TYPED}":
            self._key(letter)
        self._run("edit.undo")
        self._show("labels")
        for name in LABELS:
            self._key(getattr(Qt.Key, f"Key_{name}"))
        self._show(GLANCES[number % len(GLANCES)])
        for command in (FLOATING[number % len(FLOATING)], DIALOGS[number % len(DIALOGS)]):
            QTimer.singleShot(20, window, self._leave)  # before the command, since some dialogs run an event loop
            self._run(command)
            _wait(40)
        self._run("paper.next")

    def _show(self, pane: str) -> None:
        self.window.show_pane(pane)
        self.window.grab()
        settle(self.window, pause_ms=5, limit_ms=VISIT_MS)

    def _key(self, key: Qt.Key | str) -> None:
        self.keys.append(_press(self.window, key).cpu)
        QCoreApplication.sendPostedEvents()

    def _run(self, command: str) -> None:
        self.window.run_command(command)
        QCoreApplication.sendPostedEvents()

    def _leave(self) -> None:
        """Closes what is open with Escape."""
        while isinstance(dialog := QApplication.activeModalWidget(), QDialog):
            QTest.keyClick(dialog, Qt.Key.Key_Escape)
            QCoreApplication.sendPostedEvents()
        QTest.keyClick(QApplication.focusWidget() or self.window, Qt.Key.Key_Escape)
        for sheet in (self.window.palette_view, self.window.keys, self.window.help):
            if sheet is not None and sheet.isVisible():
                sheet.leave()


def _state(window: MainWindow, keys: list[float]) -> State:
    settle(window)
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    gc.collect()
    process, path = psutil.Process(), window.bridge.opened.path
    objects = [one for top in QApplication.topLevelWidgets() for one in (top, *top.findChildren(QObject))]
    log = path.with_name(path.name + "-wal")
    acts = window.bridge.opened.history(1)[0].id
    return State(
        acts, process.memory_info().rss / 1e6, len(objects), len(gc.get_objects()), threading.active_count(),
        sum(isinstance(one, QTimer) and one.isActive() for one in objects), process.num_fds() if os.name != "nt" else 0,
        path.stat().st_size / 1e3, log.stat().st_size / 1e3 if log.exists() else 0.0, tuple(keys),
    )  # fmt: skip


def measured(rounds: int = ROUNDS) -> Iterator[State]:
    """Yields the state after each tenth."""
    with window_of_many(1280, 800) as window:
        annotator = Annotator(window)
        for tenth in range(10):
            annotator.keys.clear()
            for number in range(rounds // 10):
                annotator.round(tenth * (rounds // 10) + number)
            yield _state(window, annotator.keys)


def figures(_data_folder: Path | None) -> dict[str, dict[str, Any]]:
    """Returns what grew from the fifth tenth to the last, and how much slower keys became."""
    states = tuple(measured())
    early, late = states[4], states[-1]

    def entry(value: float, unit: str, target: float | None) -> dict[str, Any]:
        return {"value": round(value, 2), "unit": unit, "better": "lower", "target": target}

    slower = statistics.median(late.keys) / statistics.median(early.keys)
    return {
        "memory_growth": entry(late.memory - early.memory, "MB", 50.0),
        "qt_objects_growth": entry(late.objects - early.objects, "objects", 500),
        "threads_growth": entry(late.threads - early.threads, "threads", 0),
        "timers_growth": entry(late.timers - early.timers, "timers", 0),
        "files_growth": entry(late.files - early.files, "files", 0),
        "log_of_the_project": entry(late.log, "kB", 10_000.0),
        "project_growth": entry(late.project - early.project, "kB", None),
        "keys_slower": entry(slower, "times", 1.3),
        "key_p99_at_the_end": entry(statistics.quantiles(late.keys, n=100)[-1], "ms", 33.0),
    }


def main() -> None:
    """Prints the tenths, and the classes of Python objects that grew."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else ROUNDS
    before: Counter[str] = Counter()
    for number, state in enumerate(measured(rounds), start=1):
        print(f"{number}/10: {state.line()}", flush=True)
        now = Counter(type(one).__name__ for one in gc.get_objects())
        grown = now - before if before else Counter[str]()
        print("      ", ", ".join(f"{name} +{count}" for name, count in grown.most_common(8)), flush=True)
        before = now


if __name__ == "__main__":
    main()
