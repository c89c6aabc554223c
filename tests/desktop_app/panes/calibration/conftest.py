"""The calibration pane with a fitted table."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from desktop_app.panes.calibration.pane import CalibrationPane
from desktop_app.window import MainWindow
from engine.calibration.store import CalibrationStore
from engine.project import Project
from tests.desktop_app.panes.calibration.steps import PROBLEM, rows, settled


@pytest.fixture
def pane(window: MainWindow, project_path: Path, qtbot: QtBot) -> CalibrationPane:
    with Project.open(project_path) as project:
        store = CalibrationStore(project)
        table = store.add_table(
            "Scores", rows(24, 8), origin="import:s.csv", columns={"score": "rating"}, problems=[PROBLEM]
        )
        store.set_cutoff(table, 6)
    assert window.open_path(str(project_path))
    window.show_pane("calibration")
    found = window.panes["calibration"]
    assert isinstance(found, CalibrationPane)
    settled(qtbot, found)
    return found
