"""The paper that all panes show."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtWidgets import QInputDialog, QMessageBox, QPushButton
from pytestqt.qtbot import QtBot

from desktop_app.window import MainWindow
from engine.papers.store import PaperStore
from engine.reviews.store import ReviewStore


def add(window: MainWindow, *titles: str) -> list[str]:
    assert window.bridge.project is not None
    return [PaperStore(window.bridge.project).add_paper(title) for title in titles]


def test_a_project_with_one_paper_shows_no_choice(window: MainWindow, project_path: Path) -> None:
    window.open_path(project_path)
    assert window.papers.id == "" and not window.header.papers.isVisible()
    (one,) = add(window, "One")
    assert window.papers.id == one and not window.header.papers.isVisible()
    assert not window.commands.enabled("paper.next")


def test_the_second_paper_can_be_chosen_and_is_kept_for_the_next_time(window: MainWindow, project_path: Path) -> None:
    window.open_path(project_path)
    one, two = add(window, "One", "Two")
    assert window.header.papers.isVisible() and window.papers.id == one
    window.header.papers.setCurrentIndex(1)
    window.header.papers.activated.emit(1)
    assert window.papers.id == two and window.panes["home"].paper_id == two
    window.control.close()
    assert window.papers.id == "" and not window.header.papers.isVisible()
    window.open_path(project_path)
    assert window.papers.id == two and window.header.papers.currentText() == "Two"
    window.commands.run("paper.next")
    assert window.papers.id == one


def test_a_paper_that_is_gone_is_left(window: MainWindow, project_path: Path) -> None:
    window.open_path(project_path)
    one, two = add(window, "One", "Two")
    window.papers.choose(two)
    window.commands.run("edit.undo")
    assert window.papers.id == one and not window.header.papers.isVisible()


def press(window: MainWindow, words: str) -> None:
    (box,) = window.findChildren(QMessageBox)
    next(button for button in box.findChildren(QPushButton) if button.text() == words).click()


def test_a_paper_is_removed_after_a_question_and_comes_back(
    window: MainWindow, project_path: Path, qtbot: QtBot
) -> None:
    window.open_path(project_path)
    one, two = add(window, "One", "Two")
    window.papers.choose(two)
    window.commands.run("paper.remove")
    (box,) = window.findChildren(QMessageBox)
    assert "Two" in box.text() and "Undo brings everything back" in box.informativeText()
    press(window, "Cancel")
    qtbot.waitUntil(lambda: not window.findChildren(QMessageBox))
    assert window.papers.id == two
    window.commands.run("paper.remove")
    press(window, "Remove")
    assert [paper.id for paper in window.papers.papers] == [one]
    window.commands.run("edit.undo")
    assert [paper.id for paper in window.papers.papers] == [one, two]


def test_a_review_is_removed(window: MainWindow, project_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    window.open_path(project_path)
    (one,) = add(window, "One")
    assert window.bridge.project is not None and not window.commands.enabled("paper.remove_review")
    reviews = ReviewStore(window.bridge.project)
    reviews.add_text("Reviewer 1", "Please say why.", paper_id=one)
    monkeypatch.setattr(QInputDialog, "getItem", lambda _parent, _title, _label, names, *_: (names[0], True))
    window.commands.run("paper.remove_review")
    press(window, "Remove")
    assert reviews.texts() == ()


def test_a_paper_is_renamed(window: MainWindow, project_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    window.open_path(project_path)
    add(window, "One")
    monkeypatch.setattr(QInputDialog, "getText", lambda *_a, **_k: ("Another title", True))
    window.commands.run("paper.rename")
    assert [paper.title for paper in window.papers.papers] == ["Another title"]
