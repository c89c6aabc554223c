"""The paper that all panes show."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest
from PySide6.QtWidgets import QInputDialog, QMessageBox, QPushButton
from pytestqt.qtbot import QtBot

from desktop_app.panes.linking.pane import LinkingPane
from desktop_app.widgets.file_dialogs import file_name
from desktop_app.window import MainWindow
from engine.documents.service import DocumentService
from engine.papers.store import PaperStore
from engine.project import Project
from engine.reviews.records import Span
from engine.reviews.store import ReviewStore
from engine.revision.store import RevisionStore
from tests.desktop_app.panes.linking.studies import make_study
from tests.engine.operations.test_rereading import Study


def add(window: MainWindow, *titles: str) -> list[str]:
    assert window.bridge.project is not None
    return [PaperStore(window.bridge.project).add_paper(title) for title in titles]


def test_a_project_with_one_paper_shows_no_choice(window: MainWindow, project_path: Path) -> None:
    window.open_path(project_path)
    assert window.papers.id == "" and not window.header.papers.isVisible()
    assert window.papers.file_name("review") == "Review"
    (one,) = add(window, "One")
    assert window.papers.file_name("review") == "One, review"
    assert window.papers.id == one and not window.header.papers.isVisible()
    assert not window.commands.enabled("paper.next")


def test_a_long_title_leaves_room_in_file_names_for_what_the_file_is(window: MainWindow, project_path: Path) -> None:
    window.open_path(project_path)
    add(window, "Sensors in rivers " * 9)
    name = window.papers.file_name("letter to the reviewers")
    assert name.startswith("Sensors in rivers") and file_name(name) == name


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


def edits_on_pages(window: MainWindow) -> set[str]:
    """The edits that Linking lays over the pages."""
    pane = window.pane
    assert isinstance(pane, LinkingPane)
    return set(pane.pages._side._edits)


def test_a_paper_that_an_earlier_version_read_is_read_again_after_a_question(
    window: MainWindow, project_path: Path, qtbot: QtBot
) -> None:
    with Project.open(project_path) as project, DocumentService() as service:
        before = Study(project, service)
        old, edits = before.texts(), before.edits()
    window.open_path(project_path)
    window.show_pane("linking")
    (notice,) = [one for one in window.banner.notices if "read by an earlier version" in one.what]
    ((words, ask),) = notice.actions
    assert words == "Read again…"
    ask()
    qtbot.waitUntil(lambda: bool(window.findChildren(QMessageBox)), timeout=30_000)
    (box,) = window.findChildren(QMessageBox)
    assert box.text() == "Read paper again?" and "will be found again" in box.informativeText()
    study = Study.of(window.bridge.opened, before)
    shown = partial(edits_on_pages, window)
    qtbot.waitUntil(lambda: shown() == edits, timeout=30_000)
    assert study.texts() == old
    press(window, "Read again")
    assert study.texts() != old and not window.commands.enabled("paper.read_again")
    assert notice not in window.banner.notices
    qtbot.waitUntil(lambda: len(shown() - edits) > 0, timeout=30_000)
    window.commands.run("edit.undo")
    assert study.texts() == old and window.commands.enabled("paper.read_again")
    qtbot.waitUntil(lambda: shown() == edits, timeout=30_000)


def test_a_paper_is_removed_after_a_question_and_comes_back(
    window: MainWindow, project_path: Path, qtbot: QtBot
) -> None:
    window.open_path(project_path)
    one, two = add(window, "One", "Two")
    window.papers.choose(two)
    window.commands.run("paper.remove")
    (box,) = window.findChildren(QMessageBox)
    assert "Two" in box.text() and "You can undo this" in box.informativeText()
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


def choose(monkeypatch: pytest.MonkeyPatch, *answers: str) -> list[list[str]]:
    """Answers the questions for an item in their order; returns what each of them offered."""
    offered: list[list[str]] = []

    def answer(_parent: object, _title: str, _label: str, names: list[str], *_rest: object) -> tuple[str, bool]:
        offered.append(names)
        return next(name for name in names if name.startswith(answers[len(offered) - 1])), True

    monkeypatch.setattr(QInputDialog, "getItem", answer)
    return offered


def asked(window: MainWindow) -> str:
    (box,) = window.findChildren(QMessageBox)
    return f"{box.text()} {box.informativeText()}"


def test_a_version_is_removed_after_a_question_that_names_the_links(
    window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    path = tmp_path / "study.rejoinder"
    make_study(path)
    window.open_path(path)
    project = window.bridge.project
    assert project is not None
    revisions, papers = RevisionStore(project), PaperStore(project)
    (comment, *_), (revision,) = ReviewStore(project).comments(), revisions.revisions()
    revisions.link_comment(comment.id, revisions.edits(revision.id)[0].id)
    offered = choose(monkeypatch, "study: revised", "study: revised")
    window.commands.run("paper.remove_version")
    assert offered == [["study: submitted", "study: revised"]]
    assert "1 link" in asked(window) and "You can undo this" in asked(window)
    press(window, "Cancel")
    qtbot.waitUntil(lambda: not window.findChildren(QMessageBox))
    assert len(papers.versions(window.papers.id)) == 2
    window.commands.run("paper.remove_version")
    press(window, "Remove")
    assert [version.label for version in papers.versions(window.papers.id)] == ["submitted"]
    assert revisions.links(revision.id) == ()
    window.commands.run("edit.undo")
    assert len(papers.versions(window.papers.id)) == 2 and len(revisions.links(revision.id)) == 1


def test_a_review_is_moved_to_another_paper(
    window: MainWindow, project_path: Path, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    window.open_path(project_path)
    (one,) = add(window, "One")
    assert window.bridge.project is not None
    reviews = ReviewStore(window.bridge.project)
    review = reviews.add_text("Review 1", "Please say why.", reviewer="R1", paper_id=one).texts[0].id
    reviews.add_comment(review, [Span(0, 15)])
    assert not window.commands.enabled("paper.move_review"), "there is no other paper"
    two, three = add(window, "Two", "Two")
    offered = choose(monkeypatch, "Review 1", "Two (")
    window.commands.run("paper.move_review")
    assert offered[1] == ["Two", "Two (2)"], "not to the paper that it belongs to"
    assert not window.findChildren(QMessageBox), "nothing is lost, so there is nothing to ask"
    assert "“Review 1” now belongs to “Two”." in [notice.what for notice in window.banner.notices]
    assert [text.id for text in reviews.texts(three)] == [review] and reviews.texts(two) == ()
    assert len(reviews.comments(paper_id=three)) == 1
    window.commands.run("edit.undo")
    assert [text.id for text in reviews.texts(one)] == [review]


def test_a_paper_is_renamed(window: MainWindow, project_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    window.open_path(project_path)
    add(window, "One")
    monkeypatch.setattr(QInputDialog, "getText", lambda *_a, **_k: ("Another title", True))
    window.commands.run("paper.rename")
    assert [paper.title for paper in window.papers.papers] == ["Another title"]
