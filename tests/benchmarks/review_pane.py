"""The review pane with a review of 1,000 words: the cost of a key, how soon each sentence is marked, and whether the
window responds meanwhile. The paper is the sample's."""

from __future__ import annotations

import os
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QCoreApplication, QEvent, QEventLoop, Qt, QTimer
from PySide6.QtTest import QTest

from desktop_app.panes.review.pane import ReviewPane
from desktop_app.window import MainWindow, application
from engine.documents.service import DocumentService
from engine.documents.store import DocumentStore
from engine.project import Project
from engine.review_drafting.store import ReviewDraftStore

PAPER = Path(__file__).resolve().parents[2] / "resources" / "sample" / "submitted.pdf"
PASSAGE = (
    "The recommendation of Section 5 rests on a single simulated city. Table 2 gives no interval, and 10.2 percent is "
    "a mean over draws. The authors do not report the variance between the classes of streets. Is the bandwidth of "
    "Equation 3 chosen by hand? The discussion says that counters are cheap. "
)
WORDS = 1000
KEYS = 60


def _until(ready: Callable[[], bool], seconds: float = 60.0) -> None:
    """Runs the event loop until ``ready``. Raises TimeoutError after ``seconds``."""
    loop, timer = QEventLoop(), QTimer()
    end = time.perf_counter() + seconds
    timer.timeout.connect(lambda: loop.quit() if ready() or time.perf_counter() > end else None)
    timer.start(1)
    if not ready():
        loop.exec()
    timer.stop()
    if not ready():
        raise TimeoutError("the pane did not get ready")


def _gaps(until: Callable[[], bool]) -> list[float]:
    """Returns how long the event loop was blocked each time, in ms, until ``until`` returns true."""
    last, gaps = time.perf_counter(), []
    loop, timer = QEventLoop(), QTimer()

    def tick() -> None:
        nonlocal last
        now = time.perf_counter()
        gaps.append((now - last) * 1000)
        last = now
        if until():
            loop.quit()

    timer.timeout.connect(tick)
    timer.start(1)
    loop.exec()
    timer.stop()
    return gaps


def figures(_data_folder: Path | None) -> dict[str, dict[str, Any]]:
    """Returns figures for bench.json, in ms unless noted otherwise."""
    app = application()  # a reference is needed to keep it alive
    with tempfile.TemporaryDirectory() as folder:
        os.environ["REJOINDER_HOME"] = folder
        path = Path(folder) / "review.rejoinder"
        with Project.create(path, "review", "Ada") as project, DocumentService() as service:
            documents, store = DocumentStore(project), ReviewDraftStore(project)
            document = documents.add_document(PAPER.read_bytes(), PAPER.name)
            documents.save_packed(document, service.read(PAPER))
            store.begin_draft(document, "Review", "iclr")
        window = MainWindow()
        window.resize(1920, 1200)
        window.show()
        assert window.open_path(str(path))
        window.show_pane("review")
        pane = window.panes["review"]
        assert isinstance(pane, ReviewPane)
        session, state = pane.session, pane.state
        _until(lambda: state.places is not None and state.opened is not None and state.inspection is not None)
        edit = pane.form_view.boxes["weaknesses"].editor
        assert edit is not None

        def checked() -> bool:
            found = session.checker.of("weaknesses")
            return not session.checker.busy and found.grounded is not None and found.text == edit.text

        edit.setFocus()
        edit.insertPlainText(PASSAGE)
        _until(checked)
        text = (PASSAGE * (1 + WORDS // len(PASSAGE.split()))).strip()
        edit.selectAll()
        begun = time.perf_counter()
        edit.insertPlainText(text)
        gaps = _gaps(checked)
        whole = time.perf_counter() - begun
        begun = time.perf_counter()
        QTest.keyClick(edit, Qt.Key.Key_X)
        _until(checked)
        again = time.perf_counter() - begun
        keys = []
        for _ in range(KEYS):
            started = time.perf_counter()
            QTest.keyClick(edit, Qt.Key.Key_A)
            QCoreApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest)
            QCoreApplication.sendPostedEvents(window, QEvent.Type.UpdateRequest)
            keys.append((time.perf_counter() - started) * 1000)
        window.stop_work()
        window.close()
        window.deleteLater()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)

    assert app is not None

    def figure(value: float, unit: str, target: float) -> dict[str, Any]:
        return {"value": round(value, 3), "unit": unit, "better": "lower", "target": target}

    return {
        "mark_1000_words": figure(whole, "s", 1.0),
        "mark_again_after_a_key": figure(again, "s", 1.0),
        "event_loop_away_p99": figure(statistics.quantiles(gaps, n=100)[-1], "ms", 50),
        "key_in_1000_words_median": figure(statistics.median(keys), "ms", 33),
        "key_in_1000_words_p95": figure(statistics.quantiles(keys, n=20)[-1], "ms", 50),
    }
