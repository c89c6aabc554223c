"""A reviewer's whole way without the mouse and without a language model: from a PDF to an exported review in which
every criticism is anchored. What points at nothing does not leave; the project is opened again and has it all."""

from __future__ import annotations

import socket
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QComboBox
from pytestqt.qtbot import QtBot

from desktop_app.panes.review.field_editor import FieldEditor
from desktop_app.panes.review.pane import ReviewPane
from desktop_app.widgets.file_dialogs import FileDialogs
from desktop_app.window import MainWindow
from engine.documents.places import Places
from engine.documents.store import DocumentStore
from engine.project import Project
from engine.review_drafting.grounding import ground
from tests.e2e.by_keyboard import Mouse, Person

PAPER = Path(__file__).resolve().parents[2] / "resources" / "sample" / "submitted.pdf"
PATIENCE_MS = 120_000
Key = Qt.Key
CONTROL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier


class Reviewer(Person):
    """Reads, selects, notes and writes by keys alone."""

    pane: ReviewPane

    def open(self, path: Path) -> ReviewPane:
        assert self.window.open_path(str(path))
        self.window.show_pane("review")
        with self.qtbot.waitActive(self.window):
            self.window.activateWindow()
        pane = self.window.panes["review"]
        assert isinstance(pane, ReviewPane)
        self.pane = pane
        return pane

    def card(self, down: int, words: int, note: str) -> None:
        """Goes down some lines of the paper, selects some words, makes a card of them and notes what they show."""
        self.run("review.read")
        for _ in range(down):
            self.key(Key.Key_Down)
        for _ in range(words):
            self.key(Key.Key_Right, modifiers=CONTROL | SHIFT)
        self.run("review.card")
        self.run("review.note")
        self.type(note)
        self.key(Key.Key_Return)

    def field(self, name: str) -> None:
        """Walks to a field of the form."""
        self.run("review.write")
        names = list(self.pane.form_view.boxes)
        here = next(n for n, box in enumerate(self.pane.form_view.boxes.values()) if box.has_focus())
        by = names.index(name) - here
        for _ in range(abs(by)):
            self.run("review.next_field" if by > 0 else "review.previous_field")
        assert self.pane.form_view.boxes[name].has_focus()

    def checked(self) -> None:
        """Waits until all that is written is checked."""
        checker, boxes = self.pane.session.checker, self.pane.form_view.boxes

        def settled() -> bool:
            texts = {name: box.editor.text for name, box in boxes.items() if box.editor is not None}
            return not checker.busy and all(checker.of(name).text == text for name, text in texts.items())

        self.qtbot.waitUntil(settled, timeout=PATIENCE_MS)


def test_from_a_pdf_to_a_review_in_which_every_criticism_is_anchored(
    make_window: Callable[[], MainWindow], qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "reviewing.rejoinder"
    Project.create(path, "A confidential paper", "Ada Okafor").close()

    def refused(*_arguments: object) -> None:
        raise AssertionError("the network was asked")

    monkeypatch.setattr(socket.socket, "connect", refused)
    monkeypatch.setattr(FileDialogs, "open_file", lambda *_: PAPER)
    window = make_window()
    mouse = Mouse()
    QApplication.instance().installEventFilter(mouse)  # type: ignore[union-attr]
    me = Reviewer(window, qtbot)
    pane = me.open(path)
    session, state = pane.session, pane.state

    # The paper comes in, the form is chosen, the text is read meanwhile.
    me.run("review.import")
    qtbot.waitUntil(lambda: QApplication.focusWidget() is pane.begin_page.buttons[0])
    me.key(Key.Key_Space)
    assert state.draft is not None and state.draft.form == "iclr"
    qtbot.waitUntil(lambda: state.places is not None and state.opened is not None, timeout=PATIENCE_MS)
    assert state.places is not None

    # Evidence from the pages.
    me.card(12, 12, "The number of streets is small")
    me.card(9, 14, "What this means for other cities stays open")
    me.card(6, 10, "The cost of a counter is said plainly")
    assert [card.note[:8] for card in state.cards] == ["The numb", "What thi", "The cost"]

    # The review, with a claim that does not hold and one that names no place.
    me.field("summary")
    me.type("The paper asks how few permanent counters suffice (Section 1).")
    me.field("soundness")
    me.key(Key.Key_Down)
    me.field("strengths")
    me.run("review.insert_3")
    me.field("weaknesses")
    me.run("review.insert_1")
    me.type(" ")
    me.run("review.insert_2")
    me.type(" Table 9 shows that weekends are ignored. The authors do not report the cost of the software.")
    me.checked()
    weaknesses = session.checker.of("weaknesses")
    assert [claim.verdict for claim in weaknesses.claims] == ["place found", "place found", "not found", "not checked"]

    # What points at nothing leaves only when that is confirmed.
    written = tmp_path / "review.md"
    monkeypatch.setattr(FileDialogs, "save_file", lambda *_: written)
    me.run("review.show_export")
    me.run("review.write_review")
    question = pane.drawer.export.question
    assert question is not None and not written.exists()
    qtbot.waitUntil(lambda: QApplication.activeWindow() is question)
    me.key(Key.Key_Escape)
    pane.window().activateWindow()  # offscreen, closing a dialog activates nothing
    qtbot.waitUntil(lambda: pane.drawer.isAncestorOf(QApplication.focusWidget() or pane))
    me.run("review.show_export")

    # By key to the sentence, and out with it; the other one becomes a question.
    me.field("summary")
    me.run("review.next_open")
    assert pane.form_view.claim is not None and pane.form_view.claim.verdict == "not found"
    me.run("review.drop")
    me.checked()
    me.run("review.next_open")
    claim = pane.form_view.claim
    assert (
        claim is not None and claim.verdict == "not checked" and claim.passages
    )  # the nearest passages were looked at
    me.run("review.go")
    assert pane.paper_view.pages.marks_of("place")
    me.run("review.ask")
    me.checked()
    assert isinstance(QApplication.focusWidget(), FieldEditor)
    me.field("questions")
    me.type("Could the code be shared?")
    for name, box in pane.form_view.boxes.items():
        if isinstance(box.control, QComboBox) and not state.fields.get(name):
            me.field(name)
            me.key(Key.Key_Down)
    me.checked()
    assert not [claim for claim in session.checker.of("weaknesses").claims if claim.open]

    # Out: as Markdown, read back and checked against the PDF.
    me.run("review.show_export")
    me.run("review.write_review")
    qtbot.waitUntil(written.exists, timeout=PATIENCE_MS)
    draft = state.draft.id
    qtbot.waitUntil(lambda: bool(state.store.versions(draft)))  # as it left
    review = written.read_text(encoding="utf-8")
    assert "Table 9" not in review and "The number of streets is small" in review
    with_places = ground(review, state.places)
    assert not with_places.unfounded
    criticisms = [c for c in with_places.claims if c.text.startswith(("The number of streets", "What this means"))]
    assert [claim.verdict for claim in criticisms] == ["place found", "place found"]
    assert all(any(p.kind == "quote" and p.place for p in claim.parts) for claim in criticisms)
    assert mouse.used == 0
    QApplication.instance().removeEventFilter(mouse)  # type: ignore[union-attr]
    fields, cards = dict(state.fields), state.cards
    window.stop_work()
    window.close()

    # It is all there again.
    again = Reviewer(make_window(), qtbot)
    state = again.open(path).state
    assert state.fields == fields and state.cards == cards
    assert again.pane.project is not None
    documents = DocumentStore(again.pane.project)
    parsed = documents.parsed(documents.documents()[0].id)
    assert parsed is not None
    assert all(claim.verdict == "place found" for claim in ground(fields["strengths"], Places(parsed)).claims)
    assert fields["soundness"] == "4"
