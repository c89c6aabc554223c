"""The window: from process start to a responsive window, an action until it is painted, a change of scheme.

Baseline of the start: the same interpreter importing QtWidgets and showing a bare QMainWindow until it responds.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
RUNS = 7

# Usable: painted, and the event loop has handled a timer queued after that.
BARE = """
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QMainWindow
app = QApplication([])
window = QMainWindow()
window.show()
window.grab()
QTimer.singleShot(0, app.quit)
app.exec()
"""
WINDOW = """
import sys
from PySide6.QtCore import QTimer
from desktop_app.window import MainWindow, application
app = application()
window = MainWindow()
if sys.argv[1:]:
    assert window.open_path(sys.argv[1])
window.show()
window.grab()
QTimer.singleShot(0, app.quit)
app.exec()
sys.stdout.flush()
import os
os._exit(0)
"""
ACTS = """
import json, sys, time
from desktop_app.window import MainWindow, application
from engine.project import Project
app = application()
window = MainWindow()
window.resize(1280, 800)
window.show()
window.open_path(sys.argv[1])
times = {}
started = time.process_time()
window.run_command("view.palette")
window.palette_view.grab()
times["first_palette"] = (time.process_time() - started) * 1000
window.palette_view.leave()
def measure(name, act, count):
    found = []
    for _ in range(count):
        started = time.perf_counter()
        act()
        window.grab()
        found.append((time.perf_counter() - started) * 1000)
    times[name] = sorted(found)[count // 2]
project = window.bridge.project
for pane in ("home", "history"):
    window.show_pane(pane)
    window.grab()
    state = [False]
    def turn():
        state[0] = not state[0]
        project.undo() if state[0] else project.redo()
    measure("undo_painted_" + pane, turn, 30)
measure("scheme", lambda: window.run_command("view.scheme"), 6)
measure("palette", lambda: (window.open_palette(), window.palette_view.leave()), 10)
print(json.dumps(times))
sys.stdout.flush()
import os
os._exit(0)
"""


def _run(script: str, *arguments: str) -> tuple[float, str]:
    started = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", script, *arguments],
        cwd=ROOT,
        env=os.environ | {"QT_QPA_PLATFORM": "offscreen"},
        capture_output=True,
        text=True,
        check=True,
    )
    return time.perf_counter() - started, done.stdout


def _warm(script: str, *arguments: str) -> float:
    """Returns the median in seconds of RUNS starts after one warm-up."""
    _run(script, *arguments)
    return statistics.median(_run(script, *arguments)[0] for _ in range(RUNS))


def figures(_data: Path | None) -> dict[str, dict[str, Any]]:
    """Returns starts in seconds, from the interpreter's start to the exit after the first turn of the event loop."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["REJOINDER_HOME"] = folder
        from desktop_app.project_control import private_sample

        sample = str(private_sample())
        bare, empty, full = _warm(BARE), _warm(WINDOW), _warm(WINDOW, sample)
        times = json.loads(_run(ACTS, sample)[1].splitlines()[-1])

    def lower(value: float, unit: str, target: float | None) -> dict[str, Any]:
        return {"value": round(value, 4), "unit": unit, "better": "lower", "target": target}

    return {
        "startup.bare_qt_window": lower(bare, "s", None),
        "startup.window": lower(empty, "s", 1.0),
        "startup.window_with_sample": lower(full, "s", 1.0),
        "startup.undo_painted_on_home": lower(times["undo_painted_home"], "ms", 50.0),
        "startup.undo_painted_on_history": lower(times["undo_painted_history"], "ms", 50.0),
        "startup.scheme_painted": lower(times["scheme"], "ms", 300.0),
        "startup.first_palette": lower(times["first_palette"], "ms", 100.0),
        "startup.palette_opened": lower(times["palette"], "ms", 50.0),
    }
