"""The pane with two clusters."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from desktop_app.panes.preferences.pane import PreferencesPane
from desktop_app.window import MainWindow
from engine.project import Project
from engine.rebuttal.preferences.store import PreferenceStore
from tests.desktop_app.panes.preferences.judged import new_cluster


@pytest.fixture
def pane(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> PreferencesPane:
    path = tmp_path / "pairs.rejoinder"
    with Project.create(path, "Pairs", "Ada") as project:
        PreferenceStore(project).add_clusters([new_cluster(5), new_cluster(3, "results")])
    window.settings.set("annotator.name", "Ada")
    assert window.open_path(str(path))
    window.show_pane("preferences")
    found = window.panes["preferences"]
    assert isinstance(found, PreferencesPane)
    with qtbot.waitActive(window):
        window.activateWindow()
    found.take_focus()
    return found
