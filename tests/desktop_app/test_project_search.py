"""The field that finds things in the whole project."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from desktop_app.window import MainWindow
from engine.papers.store import PaperStore
from engine.reviews.store import ReviewStore


def test_a_word_leads_to_its_paper_and_pane(window: MainWindow, project_path: Path, qtbot: QtBot) -> None:
    window.open_path(project_path)
    assert window.bridge.project is not None
    papers = PaperStore(window.bridge.project)
    one, two = papers.add_paper("Counting bicycles"), papers.add_paper("Feeding walruses")
    ReviewStore(window.bridge.project).add_text("Reviewer 1", "How many walruses were fed?", paper_id=two)
    assert window.papers.id == one
    window.commands.run("edit.search_project")
    search = window.project_search
    assert search.field.isVisible() and search.field.hasFocus()
    qtbot.keyClicks(search.field, "walrus")
    qtbot.waitUntil(lambda: {found.kind for found in search.results.results} >= {"paper", "review"})
    qtbot.keyClick(search.field, Qt.Key.Key_Return)
    assert window.papers.id == two and window.pane is not None and window.pane.pane_id == "linking"
    assert not search.field.isVisible() and not search.results.isVisible()


def test_escape_closes_the_results_then_the_field(window: MainWindow, project_path: Path, qtbot: QtBot) -> None:
    window.open_path(project_path)
    window.commands.run("edit.search_project")
    search = window.project_search
    qtbot.keyClicks(search.field, "nothing")
    qtbot.waitUntil(search.results.isVisible)
    qtbot.keyClick(search.field, Qt.Key.Key_Escape)
    assert not search.results.isVisible() and search.field.isVisible()
    qtbot.keyClick(search.field, Qt.Key.Key_Escape)
    assert not search.field.isVisible()
