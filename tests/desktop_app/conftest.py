"""What every test of the window shares: fresh settings, and a net that lets nothing leak out of a test."""

from __future__ import annotations

import gc
import logging
import os
import shutil
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import pytest
import shiboken6
from PySide6.QtCore import QCoreApplication, QEvent, QThread, QTimer
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop_app.theme import theme
from desktop_app.window import MainWindow
from engine.project import Project
from tests.hostile import SAMPLE
from tests.readers import Readers

# The encoder's process is shared by the whole application and ends with it.
SHARED = {"rejoinder-encoder-reader"}


for wait in (QtBot.waitUntil, QtBot.waitSignal, QtBot.waitActive, QtBot.waitExposed):
    wait.__kwdefaults__["timeout"] = 60_000  # five seconds pass quickly on a busy machine

# What was there before a test is frozen: looking through all libraries at the end of each took most of the time.
FREEZE = gc.freeze


def _leaks(before: set[int], threads: set[threading.Thread]) -> list[str]:
    for thread in threading.enumerate():
        if thread not in threads and thread.name.startswith("fetch "):
            thread.join(30)  # it ends by itself, and holds nothing of a window
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    gc.collect()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    living = shiboken6.getAllValidWrappers()
    found = [f"top-level widget {w!r}" for w in QApplication.topLevelWidgets() if id(w) not in before]
    found += [f"timer {t!r} of {t.parent()!r}" for t in living if type(t) is QTimer and t.isActive()]
    found += [f"Qt thread {t!r}" for t in living if type(t) is QThread and t.isRunning() and not t.isFinished()]
    found += [f"thread {t.name}" for t in threading.enumerate() if t not in threads and t.name not in SHARED]
    return found


@pytest.fixture
def expected_log() -> list[str]:
    """A test that provokes warnings in the log puts the words here by which they are known."""
    return []


@pytest.fixture(autouse=True)
def leak_net(
    qapp: QApplication,
    readers: Readers,
    caplog: pytest.LogCaptureFixture,
    expected_log: list[str],
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[None]:
    """Fails a test that leaves a widget, a running timer or a thread behind, or that logs a warning nobody expected."""
    theme().configure("light", 1.0)
    readers.ready()
    before = {id(widget) for widget in QApplication.topLevelWidgets()}
    threads = set(threading.enumerate())
    gc.collect()  # what the last test held until its very end: frozen, it would never go
    FREEZE()
    monkeypatch.setattr(gc, "freeze", lambda: None)  # panes are kept out of the collector's way, not out of this net
    with readers.shared():
        yield
    found = _leaks(before, threads)
    found += [
        f"log: {record.getMessage()}"
        for when in ("setup", "call")
        for record in caplog.get_records(when)  # type: ignore[arg-type]
        if record.levelno >= logging.WARNING and not any(word in record.getMessage() for word in expected_log)
    ]
    assert not found, "left behind: " + "; ".join(found)


@pytest.fixture
def make_window(qtbot: QtBot) -> Callable[[], MainWindow]:
    """Makes shown windows with the settings of the test's own home; closed and deleted after the test."""

    def stop(window: MainWindow) -> None:
        window.stop_work()

    def make() -> MainWindow:
        window = MainWindow()
        qtbot.addWidget(window, before_close_func=stop)
        window.resize(1280, 800)
        window.show()
        qtbot.waitExposed(window)
        return window

    return make


@pytest.fixture
def window(make_window: Callable[[], MainWindow]) -> MainWindow:
    return make_window()


@pytest.fixture
def sample_path(tmp_path: Path) -> Path:
    """A copy of the sample project."""
    return Path(shutil.copyfile(SAMPLE, tmp_path / "sample.rejoinder"))


@pytest.fixture
def sample_window(make_window: Callable[[], MainWindow], sample_path: Path) -> Iterator[MainWindow]:
    """A window with a copy of the sample project."""
    window = make_window()
    window.open_path(sample_path)
    yield window
    window.control.close()


@pytest.fixture
def project_path(tmp_path: Path) -> Path:
    """A new project's file, closed."""
    path = tmp_path / "deep-review.rejoinder"
    Project.create(path, "deep-review", "Ada").close()
    return path
