"""The paper that all panes show."""

from __future__ import annotations

from pathlib import Path

from desktop_app.window import MainWindow
from engine.papers.store import PaperStore


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
