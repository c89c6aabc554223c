"""Work on threads of its own, whose window may be gone before it is done."""

from __future__ import annotations

import gc
import threading
import weakref

import shiboken6
from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from desktop_app.widgets.fetcher import Fetcher


def test_a_thread_holds_nothing_of_a_window_that_is_gone(qtbot: QtBot) -> None:
    window = QWidget()
    fetcher = Fetcher(window)
    begun, go, taken = threading.Event(), threading.Event(), []

    def call() -> str:
        begun.set()
        assert go.wait(30)
        return "found"

    fetcher.fetch("words", call, taken.append)
    qtbot.waitUntil(begun.is_set)
    gone = weakref.ref(fetcher)
    shiboken6.delete(window)
    del window, fetcher
    gc.collect()
    assert gone() is None, "else the thread emits a signal of an object that is going"
    go.set()
    qtbot.waitUntil(lambda: not any(thread.name == "fetch words" for thread in threading.enumerate()))
    QCoreApplication.sendPostedEvents()
    assert taken == []


def test_the_newest_request_of_a_name_is_delivered(qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    fetcher = Fetcher(window)
    first, taken = threading.Event(), []
    fetcher.fetch("words", lambda: first.wait(30), lambda _: taken.append("first"))
    qtbot.waitUntil(lambda: any(thread.name == "fetch words" for thread in threading.enumerate()))
    fetcher.fetch("words", lambda: "second", taken.append)
    qtbot.waitUntil(lambda: taken == ["second"])
    first.set()
    qtbot.waitUntil(lambda: not fetcher.busy)
    QCoreApplication.sendPostedEvents()
    assert taken == ["second"]
