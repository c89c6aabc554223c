"""The linking pane in a real window, on a small study, with flat pages in place of a PDF reader."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot
from tqdm import tqdm

from desktop_app.panes.linking.pane import LinkingPane
from desktop_app.window import MainWindow
from engine.project import Project
from tests.desktop_app.panes.linking.studies import SOURCE_PDF, TARGET_PDF, FlatService, make_study

# bm25s draws no progress bar, yet tqdm would start a watching thread for it, which the leak net takes for ours.
tqdm.monitor_interval = 0

OpenPane = Callable[[Path], LinkingPane]
PATIENCE_MS = 20_000
LETTER = """# Response

## Reviewer 1

> The split is unclear.

We explain it now.

> Please compare with a baseline.

We did.
"""


def add(pane: LinkingPane, qtbot: QtBot, paths: Sequence[Path]) -> None:
    """Adds files that need no question, and waits until they are imported."""
    with qtbot.waitSignal(pane.files.added, timeout=PATIENCE_MS):
        pane.files.add_files(paths)


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


@pytest.fixture
def bare(tmp_path: Path) -> Path:
    path = tmp_path / "bare.rejoinder"
    Project.create(path, "bare", "Ada").close()
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    home = tmp_path / "graph-study"
    home.mkdir()
    (home / "revised.pdf").write_bytes(TARGET_PDF)
    (home / "submitted.pdf").write_bytes(SOURCE_PDF)
    (home / "response_letter.md").write_text(LETTER, encoding="utf-8")
    return home
