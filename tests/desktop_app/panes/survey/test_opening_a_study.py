"""A study file is opened: dropped on the window, again at the next start, read-only, or without a display."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop_app import headless
from desktop_app.panes.survey.state import CONSENT
from desktop_app.project_control import surveys_folder
from desktop_app.window import MainWindow
from engine.exchange.study_file import study_file
from tests.desktop_app.panes.survey.surveys import study

Key = Qt.Key
CONTROL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
ROOT = Path(__file__).resolve().parents[4]
PATIENCE_MS = 20_000


def study_on_disk(folder: Path) -> Path:
    path = folder / "s.rejoinder-study"
    path.write_bytes(study_file(study()).content)
    return path


def test_a_study_file_opens_by_a_drop_on_the_window(window: MainWindow, tmp_path: Path) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(study_on_disk(tmp_path)))])
    buttons, modifiers = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    entered = QDragEnterEvent(QPoint(200, 200), Qt.DropAction.CopyAction, data, buttons, modifiers)
    QApplication.sendEvent(window, entered)
    assert entered.isAccepted()
    QApplication.sendEvent(window, QDropEvent(QPointF(200, 200), Qt.DropAction.CopyAction, data, buttons, modifiers))
    assert window.in_survey and window.pane is window.panes["participant"]
    assert window.open_path(tmp_path / "s.rejoinder-study"), "opened twice it is the same survey"
    assert len(list(surveys_folder().glob("*.rejoinder"))) == 1


def test_a_survey_comes_back_at_the_next_start(
    make_window: Callable[[], MainWindow], tmp_path: Path, qtbot: QtBot
) -> None:
    first = make_window()
    assert first.open_path(study_on_disk(tmp_path))
    first.close()
    again = make_window()
    again.resume()
    assert again.in_survey and again.panes["participant"].isVisible()


def test_a_survey_that_is_open_elsewhere_can_be_read(make_window: Callable[[], MainWindow], tmp_path: Path) -> None:
    first, second = make_window(), make_window()
    assert first.open_path(study_on_disk(tmp_path)) and second.open_path(tmp_path / "s.rejoinder-study")
    second.commands.run("participant.next")
    assert second.in_survey and second.panes["participant"].state.step == CONSENT  # type: ignore[attr-defined]
    assert [notice.key for notice in second.banner.notices] == ["read-only"]


def test_what_is_no_study_is_told_and_nothing_is_begun(window: MainWindow, tmp_path: Path) -> None:
    path = study_on_disk(tmp_path)
    path.write_bytes(path.read_bytes()[:-50])
    assert not window.open_path(path)
    assert not window.in_survey and "can't be used" in window.banner.notices[0].what
    assert not surveys_folder().exists()


def test_without_a_display_a_study_is_looked_at_and_nothing_of_ones_own_is_touched(tmp_path: Path) -> None:
    assert headless.run(str(study_on_disk(tmp_path)), folder=tmp_path / "report") == 0
    report = json.loads((tmp_path / "report" / "report.json").read_text(encoding="utf-8"))
    assert [entry["file"] for entry in report["pictures"]] == ["participant-light.png", "participant-dark.png"]
    assert not surveys_folder().exists()
