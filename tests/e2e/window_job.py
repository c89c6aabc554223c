"""The application itself through a whole job; test_network.py runs it under strace with a folder and two PDFs.

Opens the sample, every pane, then a new project in the folder with the PDFs and the sample's response letter, waits for
suggestions, and closes the window. Prints what the status bar said of the network meanwhile, as JSON.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication

from desktop_app.main import main as start
from desktop_app.panes import PANES
from desktop_app.panes.linking.pane import LinkingPane
from desktop_app.window import MainWindow, application
from engine.project import Project
from tests.e2e.test_linking_job import drop

SAMPLE = Path(__file__).resolve().parents[2] / "resources" / "sample"
MOST_MS = 300_000
"""On two slow cores, with the encoder loaded for the first time."""
Step = Iterator[Callable[[], bool]]


def _steps(folder: Path, papers: list[Path], heard: set[str]) -> Step:
    """Does the job, and yields what it waits for."""
    windows: list[MainWindow] = []

    def there() -> bool:
        windows[:] = [widget for widget in QApplication.topLevelWidgets() if isinstance(widget, MainWindow)]
        return bool(windows) and windows[0].bridge.project is not None

    yield there
    window = windows[0]

    def idle() -> bool:
        heard.add(window.status.network.text())
        return not window.bridge.engine.busy()

    for spec in PANES:
        window.stack.load(spec.id)
    for pane_id in tuple(window.panes):
        window.show_pane(pane_id)
        yield idle
    path = folder / "job.rejoinder"
    Project.create(path, "A job", "Ada").close()
    assert window.open_path(str(path))
    window.show_pane("linking")
    pane = window.panes["linking"]
    assert isinstance(pane, LinkingPane)
    yield idle
    drop(pane, [*papers, SAMPLE / "response-letter.md"])
    yield lambda: bool(pane.study.edits and pane.study.suggestions)
    yield idle
    found = {"network": sorted(heard), "panes": len(window.panes), "suggestions": len(pane.study.suggestions)}
    sys.stdout.write(json.dumps(found) + "\n")
    sys.stdout.flush()
    window.close()


def main() -> int:
    """Runs the window with a timer that takes the next step as soon as what it waits for is there."""
    folder, *papers = map(Path, sys.argv[1:])
    app = application()
    steps = _steps(folder, papers, set())
    waiting: list[Callable[[], bool]] = [lambda: True]

    def look() -> None:
        if waiting[0]():
            following = next(steps, None)
            if following is None:
                timer.stop()
            else:
                waiting[0] = following

    timer = QTimer(app)
    timer.timeout.connect(look)
    timer.start(50)

    def give_up() -> None:
        sys.stderr.write(f"the job still waits for {waiting[0]}\n")
        os._exit(3)

    QTimer.singleShot(MOST_MS, app, give_up)
    return start(["--sample"])


if __name__ == "__main__":
    sys.exit(main())
