"""From a key to its painted result in every pane, and how long the event loop is blocked meanwhile.

The project is the sample with 50 further papers of made-up words, 3,000 comments and 10,000 edits. Each pane is shown,
and a person steps through its list (J and K, arrows), moves the focus (Tab) and types if a text field has the focus. A
time is from the key until the resulting layout and painting are done, as the event loop does next. Background work is
waited for between keys, and how long it blocks the loop counts as well, from the first display on.

Times are measured twice, as elapsed time and as CPU time of the main thread. The first is what a person waits, and
grows when other programs run; the second excludes what the window waits for. Both have the same limits.

``python -m tests.benchmarks.pane_keys [PANE…]`` prints a line for each pane with its slowest keys.
"""

from __future__ import annotations

import os
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QCoreApplication, QEvent, QEventLoop, Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QPlainTextEdit

from desktop_app.headless import settle
from desktop_app.panes import PANES
from desktop_app.project_control import shipped_sample
from desktop_app.window import MainWindow, application
from engine.project import Project
from tests.benchmarks.many_papers import COMMENTS, EDITS, PAPERS, fill

STEPS = (Qt.Key.Key_J, Qt.Key.Key_K, Qt.Key.Key_Down, Qt.Key.Key_Down, Qt.Key.Key_Up, Qt.Key.Key_Tab)
ROUNDS = 12
TICK_MS = 2
TYPED = "ten words"


@dataclass(frozen=True, slots=True)
class Time:
    """Milliseconds of elapsed time, and of CPU time of the main thread."""

    wall: float
    cpu: float


@dataclass(frozen=True, slots=True)
class Times:
    """A pane's times: ``shown`` its first display, ``keys`` with their names, ``turns`` of the event loop otherwise."""

    shown: Time
    keys: list[tuple[str, Time]]
    turns: list[Time]

    def summary(self, of: Callable[[Time], float]) -> tuple[float, float, float, float]:
        """Returns the first display, median and 99th percentile of the keys, and the longest turn of the loop."""
        keys = [of(time_) for _, time_ in self.keys]
        longest = max([*(of(turn) for turn in self.turns), *keys])
        return of(self.shown), statistics.median(keys), statistics.quantiles(keys, n=100)[-1], longest


def _now() -> Time:
    return Time(time.perf_counter() * 1000, time.thread_time() * 1000)


def _since(begun: Time) -> Time:
    now = _now()
    return Time(now.wall - begun.wall, now.cpu - begun.cpu)


def _watched(work: Callable[[], object]) -> list[Time]:
    """Runs ``work``, which runs the event loop; returns how long the loop was blocked between ticks of a probe."""
    probe, ticks = QTimer(), [_now()]
    probe.setTimerType(Qt.TimerType.PreciseTimer)
    probe.timeout.connect(lambda: ticks.append(_now()))
    probe.start(TICK_MS)
    work()
    probe.stop()
    ticks.append(_now())
    return [
        Time(max(0.0, after.wall - before.wall - TICK_MS), after.cpu - before.cpu) for before, after in pairwise(ticks)
    ]


def _wait(milliseconds: int) -> None:
    loop = QEventLoop()
    QTimer.singleShot(milliseconds, loop.quit)
    loop.exec()


def _press(window: MainWindow, key: Qt.Key | str) -> Time:
    """Returns the time from a key to its painted result."""
    target = QApplication.focusWidget() or window
    begun = _now()
    if isinstance(key, str):
        QTest.keyClicks(target, key)
    else:
        QTest.keyClick(target, key)
    QCoreApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest)
    QCoreApplication.sendPostedEvents(window, QEvent.Type.UpdateRequest)
    return _since(begun)


def _pane(window: MainWindow, pane: str) -> Times:
    """Shows a pane for the first time and works in it."""
    begun = _now()
    window.show_pane(pane)
    window.grab()
    shown = _since(begun)
    turns = _watched(lambda: settle(window))
    keys: list[tuple[str, Time]] = []
    for _ in range(ROUNDS):
        for key in STEPS:
            focus = QApplication.focusWidget()
            if key is not Qt.Key.Key_Tab and focus is not None and window.side.isAncestorOf(focus):
                continue  # would show another pane, whose first display is measured there
            keys.append((key.name.removeprefix("Key_"), _press(window, key)))
            turns += _watched(lambda: _wait(60))
        if isinstance(QApplication.focusWidget(), QLineEdit | QPlainTextEdit):
            for letter in TYPED:
                keys.append((f"letter {letter}", _press(window, letter)))
                turns += _watched(lambda: _wait(20))
    turns += _watched(lambda: settle(window))
    return Times(shown, keys, turns)


@contextmanager
def window_of_many(width: int, height: int) -> Iterator[MainWindow]:
    """Opens a window with the sample and many papers, in a temporary folder."""
    app = application()
    assert isinstance(app, QApplication)
    with tempfile.TemporaryDirectory() as folder:
        os.environ["REJOINDER_HOME"] = folder
        path = Path(folder) / "many.rejoinder"
        shutil.copy(shipped_sample(), path)
        with Project.open(path, annotator="Ada") as project:
            fill(project, PAPERS, COMMENTS, EDITS)
        window = MainWindow()
        window.resize(width, height)
        window.show()
        assert window.open_path(str(path))
        window.activateWindow()
        yield window
        window.stop_work()
        window.close()
        app.closeAllWindows()


def measured(panes: Sequence[str] = ()) -> Iterator[tuple[str, Times]]:
    """Yields the times of these panes, or of all."""
    with window_of_many(1920, 1200) as window:
        settle(window)
        for spec in PANES:
            if not panes or spec.id in panes:
                yield spec.id, _pane(window, spec.id)


def figures(_data_folder: Path | None) -> dict[str, dict[str, Any]]:
    """Returns milliseconds by pane: first display, key to painted result, longest turn of the event loop."""
    result = {}
    for pane, times in measured():
        for clock, of in CLOCKS.items():
            for (name, target), value in zip(LIMITS.items(), times.summary(of), strict=True):
                key = f"{pane}_{name}{clock}"
                result[key] = {"value": round(value, 2), "unit": "ms", "better": "lower", "target": target}
    return result


CLOCKS: dict[str, Callable[[Time], float]] = {"": lambda time_: time_.wall, "_cpu": lambda time_: time_.cpu}
LIMITS = {"first_display": 400.0, "key_median": 16.0, "key_p99": 33.0, "loop_held_longest": 50.0}


def main() -> None:
    """Prints the panes: elapsed / CPU time."""
    for pane, times in measured(sys.argv[1:]):
        pairs = zip(*(times.summary(of) for of in CLOCKS.values()), strict=True)
        shown, median, p99, longest = (f"{wall:6.1f} / {cpu:6.1f}" for wall, cpu in pairs)
        slow = sorted(times.keys, key=lambda key: key[1].cpu, reverse=True)[:4]
        print(
            f"{pane:>12}: shown {shown} ms; key median {median}, 99 % {p99}; loop blocked for at most {longest} ms;"
            f" slowest {', '.join(f'{name} {time_.cpu:.0f}' for name, time_ in slow)}",
            flush=True,
        )


if __name__ == "__main__":
    sys.exit(main())
