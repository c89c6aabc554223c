"""The rebuttal pane on a small study."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from desktop_app.panes.rebuttal.pane import RebuttalPane
from desktop_app.window import MainWindow
from engine.documents.hidden import Inspection
from engine.documents.service import DocumentService
from engine.reviews.preview import preview
from engine.reviews.wording import check_wording
from tests.desktop_app.panes.linking.studies import make_study
from tests.desktop_app.shell_helpers import open_pane


@pytest.fixture(autouse=True, scope="session")
def texts_are_read() -> None:
    """What looks over a response is loaded before the first test: its thread would outlive a short one."""
    check_wording("word", "author")
    preview("word")


@pytest.fixture
def pane(
    make_window: Callable[[], MainWindow], qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> RebuttalPane:
    # The study has texts without pages: nothing on them is hidden.
    monkeypatch.setattr(DocumentService, "inspect", lambda *_: Inspection(4, False))
    path = tmp_path / "study.rejoinder"
    make_study(path)
    found = open_pane(make_window(), path, "rebuttal", qtbot)
    assert isinstance(found, RebuttalPane)
    qtbot.waitUntil(lambda: found.templates.template(0) is not None)
    return found
