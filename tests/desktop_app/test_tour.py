"""The tour of the sample project: every step in its pane, by mouse and by key, within two minutes of reading."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from desktop_app import tour
from desktop_app.headless import settle
from desktop_app.window import MainWindow


def button(window: MainWindow, title: str) -> QPushButton:
    (found,) = [one for one in window.banner.findChildren(QPushButton) if one.text() == title and one.isVisible()]
    return found


def test_every_step_has_a_pane_and_all_are_read_in_two_minutes() -> None:
    steps = tour.steps()
    assert len(steps) > 8 and len({pane for pane, _, _ in steps}) == len(steps)
    assert all(text and "`" not in text for _, _, text in steps)
    assert sum(len(text.split()) for _, _, text in steps) <= 400  # a slow reader's two minutes


def test_the_tour_goes_through_the_sample_and_back(window: MainWindow, qtbot: QtBot) -> None:
    assert not window.commands.enabled("help.tour_next")
    window.show_pane("home")
    (start,) = [one for one in window.pane.findChildren(QPushButton) if one.text() == "Take the tour"]
    qtbot.mouseClick(start, Qt.MouseButton.LeftButton)
    assert window.bridge.project is not None and "(sample)" in window.bridge.project.title
    seen = []
    for at, (pane, title, text) in enumerate(tour.steps(), start=1):
        settle(window)
        notice = tour.shown(window)
        assert notice is not None and (window.pane.pane_id, notice.means) == (pane, text)
        assert notice.what == f"Tour, {at} of {len(tour.steps())}: {title}"
        seen.append(pane)
        if at == 2:
            qtbot.mouseClick(button(window, "Back"), Qt.MouseButton.LeftButton)
            assert window.pane.pane_id == seen[0]
            settle(window)
            qtbot.mouseClick(button(window, "Next"), Qt.MouseButton.LeftButton)
            assert window.pane.pane_id == pane
        window.commands.run("help.tour_next")
    assert tour.shown(window) is None and not window.commands.enabled("help.tour_next")


def test_without_the_sample_there_is_no_tour(window: MainWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(window.control, "open_sample", lambda: False)
    window.commands.run("project.tour")
    assert tour.shown(window) is None
