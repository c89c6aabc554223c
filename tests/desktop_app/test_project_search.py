"""The field that finds things in the whole project."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from desktop_app.panes.linking.pane import LinkingPane
from desktop_app.panes.review.pane import ReviewPane
from desktop_app.window import MainWindow
from engine.documents.store import DocumentStore
from engine.papers.store import PaperStore
from engine.review_drafting.store import ReviewDraftStore
from engine.reviews.records import Span
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


def find(window: MainWindow, qtbot: QtBot, words: str) -> None:
    """Types into the search of the project and goes to the first result."""
    window.commands.run("edit.search_project")
    search = window.project_search
    qtbot.keyClicks(search.field, words)
    qtbot.waitUntil(lambda: bool(search.results.results) and not search.results._timer.isActive())
    qtbot.keyClick(search.field, Qt.Key.Key_Return)


def test_words_of_a_review_lead_to_that_review_and_to_its_comment(
    window: MainWindow, project_path: Path, qtbot: QtBot
) -> None:
    window.open_path(project_path)
    assert window.bridge.project is not None
    paper, store = PaperStore(window.bridge.project).add_paper("Feeding walruses"), ReviewStore(window.bridge.project)
    store.add_text("Reviewer 1", "How often were they fed?", paper_id=paper)
    text = "Who fed them? And how is “blubber” weighed?"
    second = store.add_text("Reviewer 2", text, paper_id=paper).texts[0].id
    for start, end in ((0, 13), (14, len(text))):
        last = store.add_comment(second, (Span(start, end),)).comments[0].id
    find(window, qtbot, "blubber")
    pane = window.pane
    assert isinstance(pane, LinkingPane) and pane.state.mode == "reviews"
    assert (pane.state.marking.text_id, pane.state.marking.comment_id) == (second, last)
    pane.state.marking.choose_text("")
    find(window, qtbot, "blubber")
    assert pane.state.mode == "reviews" and pane.state.marking.text_id == second, "also where reviews are shown already"


def test_words_of_an_own_review_lead_to_it(window: MainWindow, project_path: Path, qtbot: QtBot) -> None:
    window.open_path(project_path)
    assert window.bridge.project is not None
    documents, store = DocumentStore(window.bridge.project), ReviewDraftStore(window.bridge.project)
    key = documents.add_document(b"%PDF-1.4 1", "walrus.pdf")
    mine = store.begin_draft(key, "Mine", "iclr", fields={"summary": "Blubber is weighed."})
    other = documents.add_document(b"%PDF-1.4 2", "seal.pdf")
    store.begin_draft(other, "Other", "iclr", fields={"summary": "Seals are counted."})
    find(window, qtbot, "blubber")
    assert isinstance(window.pane, ReviewPane)
    assert window.pane.state.draft is not None and window.pane.state.draft.id == mine.id


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
