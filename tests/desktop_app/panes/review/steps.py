"""What the tests of the review pane share: a paper, a review of it, and steps that a person takes in the pane."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop_app.panes.review.drawer import Drawer
from desktop_app.panes.review.field_editor import FieldEditor
from desktop_app.panes.review.outputs import OutputRow
from desktop_app.panes.review.pane import ReviewPane
from desktop_app.panes.review.state import FieldCheck
from desktop_app.widgets.pdf_text import Place
from engine.documents.records import Box
from engine.documents.store import DocumentStore
from engine.project import Project
from engine.review_drafting.records import LibraryEntry
from engine.review_drafting.store import EvidenceCard, ReviewDraftStore

PDF = Path(__file__).resolve().parents[4] / "resources" / "sample" / "submitted.pdf"
PATIENCE = 30_000
Key = Qt.Key
ALT, CONTROL, PLAIN = (
    Qt.KeyboardModifier.AltModifier,
    Qt.KeyboardModifier.ControlModifier,
    Qt.KeyboardModifier.NoModifier,
)


def begin_reviews(project: Project, drafts: int = 1, cards: int = 0) -> list[str]:
    """The sample's paper in a project, with reviews of it; their keys."""
    document = DocumentStore(project).add_document(PDF.read_bytes(), "paper.pdf")
    store = ReviewDraftStore(project)
    keys = [store.begin_draft(document, f"Review {n}", "iclr").id for n in range(1, drafts + 1)]
    for number in range(cards):
        quote = EvidenceCard("quote", "Section 1", f"words {number}", page=1, boxes=(Box(1, 50, 50, 90, 60),))
        store.add_card(keys[-1], quote)
    return keys


FIELDS = {
    "summary": "The paper parses letters with a small parser (Section 2).",
    "weaknesses": "- Table 7 shows that the method fails.\n- Table 1 reports 91.4 for the careful reader.",
    "rating": "6",
}
LIBRARY = (
    LibraryEntry(id="a", title="Parsing review letters with templates", abstract="We propose templates for review"
                 " letters, and small parsers that read them.", year=2021, authors=("Ada Example", "Ben Sample")),
    LibraryEntry(id="b", title="Reading single reviews with rules", abstract="Rules read single reviews.", year=2019),
)  # fmt: skip


QUOTE = "a new blended factor that weights each permanent counter"


def press(pane: ReviewPane, key: Qt.Key, modifiers: Qt.KeyboardModifier = PLAIN) -> None:
    QTest.keyClick(QApplication.focusWidget() or pane, key, modifiers)


def editor(pane: ReviewPane, field: str) -> FieldEditor:
    found = pane.form_view.boxes[field].editor
    assert found is not None
    return found


def write(pane: ReviewPane, qtbot: QtBot, field: str, text: str) -> FieldCheck:
    """Types a text into a field and waits until it is checked."""
    edit = editor(pane, field)
    edit.setFocus()
    edit.insertPlainText(text)
    wait_checked(pane, qtbot, field)
    return pane.session.checker.of(field)


def wait_checked(pane: ReviewPane, qtbot: QtBot, field: str) -> None:
    checker, edit = pane.session.checker, editor(pane, field)
    qtbot.waitUntil(
        lambda: not checker.busy and not (found := checker.of(field)).waiting and found.text == edit.text,
        timeout=PATIENCE,
    )


def select(pane: ReviewPane, words: str) -> None:
    """Selects words on the pages."""
    assert pane.state.parsed is not None
    number, text = next((n, p.text) for n, p in enumerate(pane.state.parsed.paragraphs) if words in p.text)
    start = text.index(words)
    pane.paper_view.pages.setFocus()
    pane.paper_view.pages.select(Place(number, start), Place(number, start + len(words)))


def make_card(pane: ReviewPane, words: str = QUOTE) -> EvidenceCard:
    select(pane, words)
    press(pane, Qt.Key.Key_C)
    return pane.state.cards[-1]


def opened(pane: ReviewPane, key: Qt.Key) -> Drawer:
    press(pane, key, ALT)
    assert pane.drawer.isVisible()
    return pane.drawer


def run(pane: ReviewPane, qtbot: QtBot) -> None:
    """Runs the stages and waits until the run is kept and read."""
    runs = pane.drawer.runs
    before = {one.id for one in runs.runs}
    press(pane, Key.Key_R, CONTROL)
    assert runs.under_way is not None
    qtbot.waitUntil(lambda: runs.under_way is None and bool({one.id for one in runs.runs} - before), timeout=PATIENCE)


def choose(drawer: Drawer, kind: str) -> OutputRow:
    """Brings the first row of a kind in the stage's output to hand, one's own words apart."""
    at = next(n for n, row in enumerate(drawer.stages.rows) if row.kind == kind and row.offered)
    drawer.stages.list.setFocus()
    drawer.stages.list.select_row(at)
    row = drawer.stages.row
    assert row is not None
    return row


def checked(pane: ReviewPane, qtbot: QtBot) -> None:
    checker, export = pane.session.checker, pane.drawer.export
    qtbot.waitUntil(lambda: not checker.busy and export.measured is not None, timeout=PATIENCE)
    export.show_review()
