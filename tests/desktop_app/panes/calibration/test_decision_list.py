"""The list of decisions stays short for a large venue."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from desktop_app.panes.calibration.pane import VIEWS, CalibrationPane
from desktop_app.window import MainWindow
from engine.calibration.store import CalibrationStore
from engine.project import Project
from tests.desktop_app.panes.calibration.steps import rows


def test_what_is_not_listed_is_counted(
    window: MainWindow, project_path: Path, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    monkeypatch.setattr("desktop_app.panes.calibration.tables_view.LISTED", 5)
    with Project.open(project_path) as project:
        store = CalibrationStore(project)
        store.set_cutoff(store.add_table("Scores", rows(24, 8), origin="import:s.csv"), 6)
    window.open_path(project_path)
    pane = window.show_pane("calibration")
    assert isinstance(pane, CalibrationPane)
    pane.tabs.setCurrentIndex(VIEWS.index("decisions"))
    qtbot.waitUntil(lambda: pane.decisions.rowCount() == 6, timeout=20_000)
    last = pane.decisions.item(5, 0)
    assert last is not None and last.text() == "19 more in the export"
