"""Small things that several tests of the window need."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QPoint, QRect
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QMessageBox, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from desktop_app.panes.base import Pane
from desktop_app.window import MainWindow
from engine.errors import Cancelled
from engine.jobs import QuietReport, Task
from engine.project import Project, new_id, now


def on_screen(widget: QWidget) -> QImage:
    """What has been painted of a widget so far, part by part; ``grab`` would paint everything again."""
    window = widget.window()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest)
    QCoreApplication.sendPostedEvents(window, QEvent.Type.UpdateRequest)
    place = QRect(widget.mapTo(window, QPoint()), widget.size())
    return window.screen().grabWindow(window.winId()).toImage().copy(place)


def answer(window: QWidget, words: str) -> None:
    """Answers the question that the window asks, which is gone afterwards."""
    (box,) = window.findChildren(QMessageBox)
    next(button for button in box.findChildren(QPushButton) if button.text() == words).click()
    QCoreApplication.sendPostedEvents(box, QEvent.Type.DeferredDelete)


def do_acts(project: Project, count: int, title: str = "Add paper {}") -> list[str]:
    """Does small undoable acts in the project; returns the keys of the rows."""
    made = []
    for number in range(count):
        key = new_id()
        with project.action(title.format(number)) as act:
            act.execute(
                "INSERT INTO paper(id, title, position, annotator_id, created_at, updated_at)"
                " VALUES (?, ?, ?, ?, ?, ?)",
                (key, f"Paper {number}", number, project.annotator_id, now(), now()),
            )
        made.append(key)
    return made


def open_pane(window: MainWindow, path: Path, name: str, qtbot: QtBot) -> Pane:
    """The pane of a window that has opened a project and is active."""
    assert window.open_path(str(path))
    window.show_pane(name)
    qtbot.waitActive(window)
    return window.panes[name]


def papers(project: Project) -> int:
    """How many papers the project has."""
    row = project.query_one("SELECT count(*) FROM paper")
    assert row is not None
    return int(row[0])


class Stopped(QuietReport):
    """The report of a job that was cancelled; only what asks hears of it."""

    def check(self) -> None:
        raise Cancelled


def assert_cancelling_ends_it(pane: Pane, export: Callable[[], object], monkeypatch: pytest.MonkeyPatch) -> None:
    """An export's job is cancelled while the PDF is made."""
    tasks: list[Task[Any]] = []
    monkeypatch.setattr(pane.context.bridge, "submit", lambda task, *_, **__: tasks.append(task))
    export()
    (task,) = tasks
    with pytest.raises(Cancelled):
        task.run(Stopped())
