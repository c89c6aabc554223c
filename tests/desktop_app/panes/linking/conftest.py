"""The linking pane in a real window, on a small study, with flat pages in place of a PDF reader."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot
from tqdm import tqdm

from desktop_app.panes.linking.pane import LinkingPane
from desktop_app.window import MainWindow
from tests.desktop_app.panes.linking.studies import FlatService, make_study

# bm25s draws no progress bar, yet tqdm would start a watching thread for it, which the leak net takes for ours.
tqdm.monitor_interval = 0

OpenPane = Callable[[Path], LinkingPane]


@pytest.fixture
def study_path(tmp_path: Path) -> Path:
    path = tmp_path / "study.rejoinder"
    make_study(path)
    return path


@pytest.fixture
def open_pane(make_window: Callable[[], MainWindow], qtbot: QtBot) -> OpenPane:
    """Opens a project and brings the linking pane to the front."""

    def opened(path: Path) -> LinkingPane:
        window = make_window()
        window.bridge._documents = FlatService()  # type: ignore[assignment]
        assert window.open_path(str(path))
        window.show_pane("linking")
        pane = window.panes["linking"]
        assert isinstance(pane, LinkingPane)
        pane.work.strategy = "bm25"  # words alone: no encoder is loaded
        with qtbot.waitActive(window):
            window.activateWindow()
        return pane

    return opened


@pytest.fixture
def pane(open_pane: OpenPane, study_path: Path, qtbot: QtBot) -> LinkingPane:
    """The pane on the small study, both documents open."""
    found = open_pane(study_path)
    views = (found.side.source, found.side.target)
    qtbot.waitUntil(lambda: all(view.pages > 0 and view.text.paragraphs for view in views))
    return found
