"""Proposed edits in the linking pane: by a key, as tracked changes, apart from what people did."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pytest
from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from desktop_app.panes.linking.pane import LinkingPane
from desktop_app.panes.linking.work import USE
from engine.jobs import Report
from engine.models.language import Completion, LanguageModelInfo, OnText, Prompt
from engine.models.library import ModelLibrary
from engine.models.server_language import Server
from engine.revision.generation import tasks
from engine.revision.generation.records import Change
from tests.desktop_app.pane_cases import assert_named

Key = Qt.Key


class Lengths:
    """Stands in for the encoder: a text's meaning is its length and its first letter."""

    fingerprint = "lengths"

    def encode(self, texts: Sequence[str], _report: Report | None = None) -> np.ndarray:
        found = np.array([[len(text), ord(text[:1] or " ")] for text in texts], dtype=np.float32)
        return found / np.linalg.norm(found, axis=1, keepdims=True)


@dataclass
class Scripted:
    """Writes one answer in pieces; asks whether it is to stop before each."""

    answer: str = "Response: We say how.\nLocation: [2]\nEdit: The split was made by paper."
    endless: bool = False

    @property
    def info(self) -> LanguageModelInfo:
        return LanguageModelInfo("scripted", "Scripted", "server", "1", 4096)

    def complete(self, prompt: Prompt, *, on_text: OnText | None = None, report: Report | None = None) -> Completion:
        assert on_text is not None
        assert report is not None
        for piece in self.answer.split(" "):
            on_text(piece + " ")
        while self.endless:
            report.check()
        return Completion(self.answer, "stop", None, None, 0.0)


@pytest.fixture(autouse=True)
def no_encoder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(tasks.propose_edits.__wrapped__.__kwdefaults__, "encoder", Lengths)


def with_model(monkeypatch: pytest.MonkeyPatch, model: Scripted) -> None:
    added = ModelLibrary().add_server(Server("http://127.0.0.1:9/v1"), "scripted")
    ModelLibrary().choose(USE, added.id)
    monkeypatch.setitem(tasks.propose_edits.__wrapped__.__kwdefaults__, "load", lambda _added: model)


def press(pane: LinkingPane, *keys: Qt.Key) -> None:
    for key in keys:
        QTest.keyClick(pane.window().focusWidget() or pane, key)


def test_asking_again_shows_what_was_proposed_before(pane: LinkingPane, qtbot: QtBot) -> None:
    press(pane, Key.Key_D)
    qtbot.waitUntil(lambda: bool(pane.proposal.proposals))
    before = pane.proposal.proposals
    press(pane, Key.Key_D)
    assert not pane.proposal.isVisible()
    pane.step_comment(1)
    pane.step_comment(-1)
    pane.proposal.show_proposals("", (), {})
    QTest.keyClick(pane.window().focusWidget() or pane, Key.Key_P, Qt.KeyboardModifier.ShiftModifier)
    assert pane.proposal.isVisible()
    assert pane.proposal.proposals == before
    qtbot.waitUntil(lambda: not pane.proposing.busy)


def test_a_key_proposes_and_shows_a_tracked_change(pane: LinkingPane, qtbot: QtBot) -> None:
    assert not pane.proposal.isVisible()
    press(pane, Key.Key_D)
    qtbot.waitUntil(lambda: bool(pane.proposal.proposals))
    found = pane.proposal.proposal
    assert found is not None and found.comment_id == pane.state.comment_id
    page = pane.proposal.page
    assert "sentence frames, not by a person" in page.toPlainText() and "Response to the reviewer" in page.toPlainText()
    assert "text-decoration:" in page.toHtml() and "underline" in page.toHtml()
    assert "dashed" in page.styleSheet()
    assert_named(pane)
    assert not pane.study.linked_edits.get(found.comment_id), "a proposal is nobody's link"
    pane.proposal.setFocus()
    page.setFocus()
    for copied in (found.text, None, found.response):
        QTest.keyClick(page, Qt.Key.Key_Tab)
        if copied is not None:  # the second link is the place
            QTest.keyClick(page, Qt.Key.Key_Return)
            assert QGuiApplication.clipboard().text() == copied
            assert pane.proposal._progress.text() == ("Response" if copied == found.response else "Edit") + " copied"
    assert pane.proposal._again.isVisible() and not pane.proposal._stop.isVisible()
    pane.proposal.show_work("Proposing", "")
    pane.proposal.copy(response=True)
    assert pane.proposal._progress.text() == "Proposing"
    pane.proposal.show_work("", "")
    pane.proposal.show_proposals(found.comment_id, [replace(found, response="")], pane.pages.source_paragraphs())
    pane.proposal.copy(response=True)
    assert QGuiApplication.clipboard().text() == found.response, "an empty response doesn't empty the clipboard"
    pane.proposal.show_proposals(found.comment_id, [found], pane.pages.source_paragraphs())
    shown = page.toPlainText()
    assert shown.index("Edit") < shown.index("Response to the reviewer"), "the edit is in sight first"
    pane.side.source.verticalScrollBar().setValue(pane.side.source.verticalScrollBar().maximum())
    before = pane.side.source.top
    page.anchorClicked.emit(QUrl("place:0"))
    paragraph = pane.pages.source_paragraphs()[found.paragraph_id]
    assert pane.side.source.top != before or paragraph.page == pane.side.source.pages
    second = replace(found, more=(Change(found.paragraph_id, "after", "A second edit."),))
    pane.proposal.show_proposals(found.comment_id, [second], pane.pages.source_paragraphs())
    assert "Edit 2" in page.toPlainText() and "A second edit." in page.toPlainText()
    pane.context.commands.run("linking.copy_edit")
    assert QGuiApplication.clipboard().text() == f"{found.text}\n\nA second edit."
    press(pane, Key.Key_J)
    assert pane.proposal.proposal is None and "Nothing has been proposed" in page.toPlainText()
    press(pane, Key.Key_D)
    qtbot.waitUntil(lambda: bool(pane.proposal.proposals))
    assert pane.proposal.isVisible(), "the same key proposes for the next comment"
    press(pane, Key.Key_D)
    assert not pane.proposal.isVisible()


def test_a_correction_is_in_sight_in_its_paragraph(pane: LinkingPane, qtbot: QtBot) -> None:
    """A few words changed in a long paragraph are shown with the words around them; all of it is copied."""
    press(pane, Key.Key_D)
    qtbot.waitUntil(lambda: bool(pane.proposal.proposals))
    (first, *_rest) = pane.pages.source_paragraphs().values()
    long = replace(first, text=" ".join(f"word{at}" for at in range(400)))
    changed = long.text.replace("word200 ", "another ")
    found = replace(pane.proposal.proposals[0], paragraph_id=first.id, text=changed, placement="change", more=())
    pane.proposal.show_proposals(found.comment_id, [found], {first.id: long})
    shown = pane.proposal.page.toPlainText()
    assert "word200" in shown and "another" in shown and "word199" in shown and "word201" in shown
    assert "word100 " not in shown and "word300 " not in shown
    pane.context.commands.run("linking.copy_edit")
    assert QGuiApplication.clipboard().text() == changed


def test_asking_again_keeps_no_second_copy_of_the_frames(pane: LinkingPane, qtbot: QtBot) -> None:
    for _ in range(2):
        pane.propose((pane.state.comment_id,))
        qtbot.waitUntil(lambda: not pane.proposing.busy)
    qtbot.waitUntil(lambda: bool(pane.study.proposals))
    assert pane.state.reader is not None and pane.study.revision is not None
    (kept,) = pane.state.reader.generation.proposals(pane.study.revision.id).values()
    assert len(kept) == 1


def test_all_open_comments_are_proposed_for(pane: LinkingPane, qtbot: QtBot) -> None:
    press(pane, Key.Key_2)
    open_ = pane.state.open_comments
    assert len(open_) == 5
    pane.context.commands.run("linking.propose_all")
    qtbot.waitUntil(lambda: not pane.proposing.busy)
    qtbot.waitUntil(lambda: set(pane.study.proposals) == set(open_))


def test_what_a_model_writes_is_shown_and_kept_above_the_frames(
    pane: LinkingPane, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_model(monkeypatch, Scripted())
    press(pane, Key.Key_D)
    qtbot.waitUntil(lambda: len(pane.study.proposals.get(pane.state.comment_id, ())) == 2)
    qtbot.waitUntil(lambda: not pane.proposing.busy)
    found = pane.proposal.proposal
    assert found is not None and found.origin == "model:scripted@1" and found.text == "The split was made by paper."
    assert pane.proposal.which.count() == 2
    pane.proposal.which.setCurrentIndex(1)
    assert "sentence frames" in pane.proposal.page.toPlainText()


def test_stop_stops_and_what_was_written_is_seen_until_then(
    pane: LinkingPane, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_model(monkeypatch, Scripted(endless=True))
    press(pane, Key.Key_D)
    qtbot.waitUntil(lambda: "by paper." in pane.proposal.page.toPlainText())
    assert "The model writes" in pane.proposal.page.toPlainText() and "scripted" in pane.proposal._progress.text()
    pane.context.commands.run("linking.stop_proposing")
    assert not pane.proposing.busy and "The model writes" not in pane.proposal.page.toPlainText()
    qtbot.waitUntil(lambda: not pane.context.bridge.engine.busy())
    qtbot.waitUntil(lambda: bool(pane.study.proposals))
    assert len(pane.study.proposals[pane.state.comment_id]) == 1, "what the frames proposed stays"


def test_answers_that_cannot_be_used_are_told(pane: LinkingPane, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    with_model(monkeypatch, Scripted("I would rather not."))
    pane.propose(pane.state.open_comments)
    qtbot.waitUntil(lambda: any("no usable edit" in n.what for n in pane.banner.notices))
    pane.propose((pane.state.comment_id,))
    qtbot.waitUntil(lambda: any("can't be used" in n.what and "answer" in n.what for n in pane.banner.notices))
