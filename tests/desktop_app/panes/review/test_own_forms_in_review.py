"""Forms of a person's own in the review pane: on its first page, in its menus and in the palette."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu, QPushButton
from pytestqt.qtbot import QtBot

from desktop_app.panes.review import pane as pane_module
from desktop_app.panes.review.pane import ReviewPane
from desktop_app.window import MainWindow
from engine.documents.store import DocumentStore
from engine.project import Project
from engine.review_drafting.form_files import folder
from tests.desktop_app.panes.review.steps import PDF, press

FORM = """title = "Workshop 2026"
note = "Of the workshop."
[[field]]
key = "verdict"
title = "Verdict"
kind = "choice"
options = [[2, "yes"], [1, "no"]]
"""


def offered(button: QPushButton, qtbot: QtBot) -> dict[str, bool]:
    """What the menu of a button offers, and whether it can be chosen."""
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: isinstance(QApplication.activePopupWidget(), QMenu))
    menu = QApplication.activePopupWidget()
    found = {action.text(): action.isEnabled() for action in menu.actions()}
    menu.close()
    return found


@pytest.mark.qt_log_ignore("This plugin does not support")
def test_own_forms_are_offered_and_a_broken_file_is_named(
    make_window: Callable[[], MainWindow], project_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder().mkdir(parents=True)
    (folder() / "workshop.toml").write_text(FORM)
    (folder() / "broken.toml").write_text(FORM.replace("Workshop 2026", "Broken").replace("choice", "slider"))
    (folder() / "worse.toml").write_text("title =")
    with Project.open(project_path) as project:
        DocumentStore(project).add_document(PDF.read_bytes(), "paper.pdf")
    window = make_window()
    window.open_path(project_path)
    window.stack.list_commands()
    assert "New review: Workshop 2026" in {command.title for command in window.commands}, (
        "also before the pane is built"
    )
    window.show_pane("review")
    with qtbot.waitActive(window):
        window.activateWindow()
    pane = window.panes["review"]
    assert isinstance(pane, ReviewPane)
    [notice] = pane.banner.notices
    assert "2 review forms" in notice.what and "broken.toml: " in notice.what and "worse.toml: " in notice.what
    menu = offered(pane.new_button, qtbot)
    assert menu["New review: Workshop 2026"] and menu["New review: ICLR"]
    assert not any("Broken" in title for title in menu) and not window.commands.enabled("review.begin_broken")
    opened: list[object] = []
    monkeypatch.setattr(pane_module, "show_folder", opened.append)
    notice.actions[0][1]()
    assert opened == [folder()]

    own = next(button for button in pane.begin_page.buttons if button.text().startswith("Workshop 2026"))
    own.setFocus()
    press(pane, Qt.Key.Key_Space)
    assert pane.state.draft is not None and pane.state.draft.title == "Review: Workshop 2026"
    assert list(pane.form_view.boxes) == ["verdict"]
    assert offered(pane.draft_button, qtbot)["Change to Workshop 2026 form"]
    window.commands.run("review.form_neurips")
    assert "limitations" in pane.form_view.boxes
    (folder() / "workshop.toml").unlink()
    window.commands.run("review.form_workshop")
    assert list(pane.form_view.boxes) == ["verdict"], "what was read is used, and the review keeps it"


def test_the_forms_folder_is_made_and_opened(window: MainWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[object] = []
    monkeypatch.setattr(pane_module, "show_folder", opened.append)
    window.stack.list_commands()
    window.commands.run("review.forms_folder")
    assert opened == [folder()] and folder().is_dir()
