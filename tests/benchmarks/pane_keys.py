"""From a key to its painted result in every pane, and how long the event loop is held meanwhile.

The project is the sample with 50 further papers of made-up words, 3,000 comments and 10,000 edits. Each pane is shown,
and a person steps through what it lists (J and K, arrows), moves the focus (Tab) and, where a text field has the
keyboard, types. A time is from the key until the layouts and pictures that it made due are done, as the event loop does
next; what works on in the background is waited for between keys, and how long it holds the loop at once counts as well.

``python -m tests.benchmarks.pane_keys`` prints a line for each pane with its slowest keys.
"""

from __future__ import annotations

import os
import shutil
import statistics
import sys
import tempfile
import time
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
from desktop_app.window import MainWindow
from engine.project import Project
from tests.benchmarks.many_papers import COMMENTS, EDITS, PAPERS, fill

STEPS = (Qt.Key.Key_J, Qt.Key.Key_K, Qt.Key.Key_Down, Qt.Key.Key_Down, Qt.Key.Key_Up, Qt.Key.Key_Tab)
ROUNDS = 12
TICK_MS = 2
TYPED = "ten words"
MEDIAN_MS, P99_MS, HELD_MS = 16.0, 33.0, 50.0


def _held(milliseconds: int) -> list[float]:
    """Runs the event loop for some time; how long it was held between two ticks of a probe, in ms."""
    loop, probe, ticks = QEventLoop(), QTimer(), [time.perf_counter()]
    probe.setTimerType(Qt.TimerType.PreciseTimer)
    probe.timeout.connect(lambda: ticks.append(time.perf_counter()))
    probe.start(TICK_MS)
    QTimer.singleShot(milliseconds, loop.quit)
    loop.exec()
    return [max(0.0, (after - before) * 1000 - TICK_MS) for before, after in pairwise([*ticks, time.perf_counter()])]


def _press(window: MainWindow, key: Qt.Key | str) -> float:
    """Milliseconds from a key to its painted result."""
    target = QApplication.focusWidget() or window
    begun = time.perf_counter()
    if isinstance(key, str):
        QTest.keyClicks(target, key)
    else:
        QTest.keyClick(target, key)
    QCoreApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest)
    QCoreApplication.sendPostedEvents(window, QEvent.Type.UpdateRequest)
    return (time.perf_counter() - begun) * 1000


def _pane(window: MainWindow, pane: str) -> tuple[float, list[tuple[float, str]], list[float]]:
    """Milliseconds to the first display, the time of each key with its name, and the turns of the loop between them."""
    begun = time.perf_counter()
    window.show_pane(pane)
    window.grab()
    shown = (time.perf_counter() - begun) * 1000
    settle(window)
    keys: list[tuple[float, str]] = []
    turns: list[float] = []
    for _ in range(ROUNDS):
        for key in STEPS:
            keys.append((_press(window, key), key.name.removeprefix("Key_")))
            turns += _held(60)
        if isinstance(QApplication.focusWidget(), QLineEdit | QPlainTextEdit):
            for letter in TYPED:
                keys.append((_press(window, letter), f"letter {letter}"))
                turns += _held(20)
    settle(window)
    return shown, keys, turns


def measured() -> dict[str, tuple[float, list[tuple[float, str]], list[float]]]:
    """By pane, as ``_pane``."""
    app = QApplication.instance() or QApplication([])
    assert isinstance(app, QApplication)
    with tempfile.TemporaryDirectory() as folder:
        os.environ["REJOINDER_HOME"] = folder
        path = Path(folder) / "many.rejoinder"
        shutil.copy(shipped_sample(), path)
        with Project.open(path, annotator="Ada") as project:
            fill(project, PAPERS, COMMENTS, EDITS)
        window = MainWindow()
        window.resize(1920, 1200)
        window.show()
        assert window.open_path(str(path))
        window.activateWindow()
        settle(window)
        found = {spec.id: _pane(window, spec.id) for spec in PANES}
        window.stop_work()
        window.close()
        app.closeAllWindows()
    return found


def figures(_data_folder: Path | None) -> dict[str, dict[str, Any]]:
    """Milliseconds by pane: first display, key to painted result, longest turn of the event loop."""
    result = {}
    for pane, (shown, keys, turns) in measured().items():
        times = [ms for ms, _ in keys]
        values = {
            "first_display": (shown, 400.0),
            "key_median": (statistics.median(times), MEDIAN_MS),
            "key_p99": (statistics.quantiles(times, n=100)[-1], P99_MS),
            "loop_held_longest": (max([*turns, *times]), HELD_MS),
        }
        for name, (value, target) in values.items():
            result[f"{pane}_{name}"] = {"value": round(value, 2), "unit": "ms", "better": "lower", "target": target}
    return result


def main() -> None:
    """Prints the panes."""
    for pane, (shown, keys, turns) in measured().items():
        times = [ms for ms, _ in keys]
        slow = ", ".join(f"{name} {ms:.0f}" for ms, name in sorted(keys, reverse=True)[:4])
        late = sum(ms > HELD_MS for ms in turns)
        print(
            f"{pane:>12}: shown {shown:5.0f} ms; key median {statistics.median(times):5.1f}, 99 %"
            f" {statistics.quantiles(times, n=100)[-1]:5.1f}; loop held at most {max(turns, default=0):5.0f} ms"
            f" ({late} over {HELD_MS:.0f}); slowest {slow}",
            flush=True,
        )


if __name__ == "__main__":
    sys.exit(main())
