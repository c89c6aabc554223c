"""Drafts by a language model in the window: a real model with random weights, in a process of its own."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop_app.panes.rebuttal.lists import Note
from desktop_app.panes.rebuttal.pane import RebuttalPane
from desktop_app.window import MainWindow
from engine.models.library import ModelLibrary
from engine.models.server_language import Server
from tests.desktop_app.panes.linking.studies import make_study
from tests.engine.models.faulty_server import Exchange, faulty_server
from tests.engine.models.tiny_language_model import make_tiny_language_model

PATIENCE_MS = 120_000
Key, Alt = Qt.Key, Qt.KeyboardModifier.AltModifier


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tiny model with room for the whole prompt: its positions are computed, not learnt."""
    folder = make_tiny_language_model(tmp_path_factory.mktemp("models") / "tiny-author")
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, "max_position_embeddings": 8192}))
    return folder


@pytest.fixture
def pane(make_window: Callable[[], MainWindow], qtbot: QtBot, tmp_path: Path) -> RebuttalPane:
    make_study(tmp_path / "study.rejoinder")
    window = make_window()
    assert window.open_path(str(tmp_path / "study.rejoinder"))
    with qtbot.waitActive(window):
        window.activateWindow()
    window.show_pane("rebuttal")
    found = window.panes["rebuttal"]
    assert isinstance(found, RebuttalPane)
    return found


def press(pane: RebuttalPane, key: Qt.Key) -> None:
    QTest.keyClick(QApplication.focusWidget() or pane, key, Alt)


def test_without_a_model_the_best_template_is_put_in(
    pane: RebuttalPane, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as early:
        early.setattr(pane.templates, "template", lambda _number: None)
        press(pane, Key.Key_D)
    assert not pane.response.editor.text
    assert any("no template to insert yet" in notice.what for notice in pane.banner.notices), (
        "nothing was, and it says so"
    )
    qtbot.waitUntil(lambda: pane.templates.template(0) is not None, timeout=PATIENCE_MS)
    press(pane, Key.Key_D)
    assert pane.response.editor.text and pane.state.point.generated[0].origin.startswith("template:")
    assert any("template was inserted" in notice.what for notice in pane.banner.notices)


def test_a_draft_is_streamed_put_in_and_marked_until_it_is_edited_or_accepted(
    pane: RebuttalPane, model: Path, qtbot: QtBot
) -> None:
    ModelLibrary().add_folder(model)
    heard: list[str] = []
    before = pane.response.strip.hear

    def hear(piece: str) -> None:
        heard.append(piece)
        before(piece)

    pane.response.strip.hear = hear  # type: ignore[method-assign]
    press(pane, Key.Key_D)
    assert pane.response.strip.isVisible() and not pane.writing.can_draft()
    qtbot.waitUntil(lambda: pane.response.strip.draft is not None, timeout=PATIENCE_MS)
    draft = pane.response.strip.draft
    assert draft is not None and pane.state.reader is not None
    assert len([piece for piece in heard if piece]) > 3, "it came piece by piece"
    assert pane.response.strip.words.toPlainText() == draft.text and draft.origin.startswith("model:")
    assert pane.state.reader.store.drafts(pane.state.current) == (draft,)
    assert pane.response.editor.text == "", "nothing is in the reply before the person takes it"

    press(pane, Key.Key_I)
    assert pane.state.point.generated and all(mark.origin == draft.origin for mark in pane.state.point.generated)
    assert not pane.response.strip.isVisible()
    line = pane.state.matrix.of(pane.state.current)
    assert line is not None and line.answered == "attention"
    many = len(pane.state.point.generated)
    sentence = pane.state.point.generated[0].sentence
    start = pane.response.editor.text.index(sentence)
    cursor = pane.response.editor.textCursor()
    cursor.setPosition(start + 1)
    pane.response.editor.setTextCursor(cursor)
    QTest.keyClicks(pane.response.editor, "x")
    pane.response.editor.finish()
    assert len(pane.state.point.generated) == many - 1, "the sentence that was edited is the person's"
    pane.on_point(pane.state.store.accept)
    assert pane.state.point.generated == ()
    (counted,) = pane.state.reader.store.counts().values()
    assert counted.taken == 1


def test_a_draft_is_refused_or_stopped(pane: RebuttalPane, model: Path, qtbot: QtBot) -> None:
    ModelLibrary().add_folder(model)
    press(pane, Key.Key_D)
    assert pane.response.strip.busy
    assert pane.context.commands.run("rebuttal.stop_drafting")
    assert not pane.response.strip.busy and not pane.response.strip.isVisible() and pane.response.editor.text == ""
    press(pane, Key.Key_D)
    qtbot.waitUntil(lambda: pane.response.strip.draft is not None, timeout=PATIENCE_MS)
    press(pane, Key.Key_X)
    assert pane.response.strip.draft is None and pane.response.editor.text == ""
    assert pane.state.reader is not None
    assert [use.verdict for use in pane.state.reader.store.uses()] == ["refused"]


@pytest.mark.loopback
def test_a_model_is_asked_about_undecided_claims_and_their_states_stay(
    make_window: Callable[[], MainWindow], qtbot: QtBot, sample_path: Path
) -> None:
    window = make_window()
    assert window.open_path(sample_path)
    with qtbot.waitActive(window):
        window.activateWindow()
    window.show_pane("rebuttal")
    pane = window.panes["rebuttal"]
    assert isinstance(pane, RebuttalPane)
    qtbot.waitUntil(lambda: pane.opinions.can_ask, timeout=PATIENCE_MS)
    pane.edit()
    QTest.keyClicks(pane.response.editor, "Section 2 now explains how the counters are chosen. ")
    pane.response.editor.finish()

    def notes(kind: str) -> list[Note]:
        return [note for note in pane.response.notes.records if note.kind == kind]

    qtbot.waitUntil(lambda: [note.verdict for note in notes("claim")] == ["place found"], timeout=PATIENCE_MS)
    before = notes("claim")
    assert not notes("opinion")
    both = Alt | Qt.KeyboardModifier.ShiftModifier
    QTest.keyClick(QApplication.focusWidget(), Key.Key_J, both)
    assert "No language model is set" in pane.banner.notices[0].what

    def answer(exchange: Exchange) -> None:
        exchange.begin()
        exchange.piece(json.dumps({"judgement": "does not say", "reason": "It speaks of “streets”."}), "stop")
        exchange.event("[DONE]")

    with faulty_server(answer) as (url, _):
        ModelLibrary().add_server(Server(url), "scripted", "Scripted model", 32_000)
        QTest.keyClick(QApplication.focusWidget(), Key.Key_J, both)
        qtbot.waitUntil(lambda: bool(notes("opinion")) and pane.opinions.can_ask, timeout=PATIENCE_MS)
    words = "Judgement by Scripted model: The passages leave this open. It speaks of “streets”."
    assert [note.words for note in notes("opinion")] == [words]
    assert notes("claim") == before, "the state is the rules'"
    assert pane.response.note("claim") == before[0], "what is confirmed is the claim"
    kinds = [note.kind for note in pane.response.notes.records]
    assert kinds.index("opinion") == kinds.index("claim") + 1
    window.control.close()
    assert window.open_path(sample_path), "the server is gone by now"
    pane.step(-1)  # it opens at the first one without a response
    qtbot.waitUntil(lambda: [note.words for note in notes("opinion")] == [words], timeout=PATIENCE_MS)
    window.control.close()
