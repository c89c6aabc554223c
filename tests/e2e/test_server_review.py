"""A reviewer's whole way with a local language-model server: the server is added in the window, a paper of 40 pages is
drafted by it in passes, since the context is a fraction of it, and what the model wrote is judged like all else.

The server is scripted; no real model answers.
"""

from __future__ import annotations

import json
import random
import re
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pymupdf
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox
from pytestqt.qtbot import QtBot

from desktop_app.panes.models.language_part import ServerDialog
from desktop_app.panes.review.pane import ReviewPane
from desktop_app.widgets.file_dialogs import FileDialogs
from desktop_app.window import MainWindow
from engine.models.library import ModelLibrary
from engine.project import Project
from engine.review_drafting.records import STAGES
from engine.review_drafting.stages.asking import notes_instructions
from tests.e2e.by_keyboard import Person
from tests.engine.documents.typeset import OBJECTS, Paper, prose
from tests.engine.models.faulty_server import Exchange, faulty_server
from tests.engine.review_drafting.test_language_stages import scripted_answer

PATIENCE_MS = 180_000
PAGES = 40
CONTEXT = 8192
THOUGHT = "The user wants a kind review; the score could be a ten."
TRUE = "Table 1 reports an accuracy of 91.4 for the careful reader."
FALSE = "Table 1 reports an accuracy of 77.7 for the careful reader."
DRAFTED: dict[str, Any] = {
    "summary": "The paper describes a careful reader of letters (Section 1).",
    "strengths": [TRUE],
    "weaknesses": [FALSE, "Figure 9 contradicts the conclusion."],
    "questions": ["How long are the letters?"],
    "soundness": 3, "presentation": 3, "contribution": 2, "rating": 6, "confidence": 4, "decision": "accept",
}  # fmt: skip


def long_paper() -> tuple[bytes, list[str]]:
    """A paper of ``PAGES`` pages or more, and a word of every section that is nowhere else in it."""
    rng = random.Random(11)
    paper = Paper()
    paper.title("Careful Reading of Very Long Letters", ["Ada Example and Ben Sample"])
    paper.heading("Abstract")
    paper.paragraph(f"We describe a careful reader of letters. {prose(rng, 4)}", first=True)
    paper.heading("1 Introduction")
    paper.paragraph(f"Here landmark001 is described. {prose(rng, 6)}", first=True)
    rows = [["Method", "Accuracy"], ["careful reader", "91.4"], ["templates", "87.0"]]
    paper.table("Table 1: Accuracy of two methods on the letters.", rows)
    paper.paragraph(prose(rng, 4), first=True)
    marks = [f"landmark{number:03}" for number in range(1, PAGES + 1)]
    with pymupdf.open("pdf", paper.finish()) as pages:
        for number, mark in enumerate(marks[1:], start=2):
            page = pages.new_page(width=612, height=792)
            top = 80 + 12 * (number % 4)
            page.insert_text((90, top), rng.choice(OBJECTS).capitalize(), fontname="hebo", fontsize=13)
            text = f"Here {mark} is described. {prose(rng, 26)}"
            assert page.insert_textbox((90, top + 20, 522, 730), text, fontname="tiro", fontsize=10, align=3) > 0
        return pages.tobytes(), marks


class Scripted:
    """The server's side: what it was asked, and answers as a model that reasons aloud."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, str]] = []
        self._lock = threading.Lock()

    def answer(self, exchange: Exchange) -> None:
        path = exchange.asked.get("path")
        if path is not None:
            listed = {"id": "scripted", "object": "model", "owned_by": "vllm", "max_model_len": CONTEXT}
            exchange.say({"object": "list", "data": [listed]} if path == "/v1/models" else {}, 200)
            return
        system, user = (message["content"] for message in exchange.asked["messages"])
        with self._lock:
            self.asked.append((system, user))
        exchange.begin()
        exchange.piece(f"<think>{THOUGHT}</think>{json.dumps(self._said(system, user))}", "stop")
        exchange.event("[DONE]")

    def _said(self, system: str, user: str) -> Any:
        if system == notes_instructions():
            return {"notes": [f"It describes {', '.join(re.findall(r'landmark[0-9]+', user)) or 'nothing else'}."]}
        points = "\n".join(re.findall(r"^\[[\w-]+\] \w+: .*$", user, re.MULTILINE))
        said = scripted_answer(system, points)
        return DRAFTED if said.keys() == DRAFTED.keys() and not points else said


@pytest.mark.loopback
def test_from_adding_a_server_to_the_exported_review_of_a_long_paper(
    make_window: Callable[[], MainWindow], qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pdf, marks = long_paper()
    paper = tmp_path / "long.pdf"
    paper.write_bytes(pdf)
    with pymupdf.open(paper) as pages:
        assert pages.page_count >= PAGES
    path = tmp_path / "reviewing.rejoinder"
    Project.create(path, "A long confidential paper", "Ada Okafor").close()
    window = make_window()
    person = Person(window, qtbot)
    scripted = Scripted()
    with faulty_server(scripted.answer) as (url, _):
        # The server is added: it says what it offers, and the status bar names it from then on.
        window.show_pane("models")
        window.context.commands.run("models.add_server")
        dialog = next(w for w in QApplication.topLevelWidgets() if isinstance(w, ServerDialog))
        dialog.url.selectAll()
        QTest.keyClicks(dialog.url, url)
        QTest.mouseClick(dialog.list, Qt.MouseButton.LeftButton)
        qtbot.waitUntil(lambda: dialog.context.value() == CONTEXT)
        QTest.mouseClick(dialog.ok, Qt.MouseButton.LeftButton)
        assert [one.id for one in ModelLibrary().added()] == ["scripted"]
        assert window.status.network.text() == "network: local server"
        assert "sent to a server on this computer" in window.status.network.toolTip()

        # The paper comes in, a form is chosen, the model drafts.
        assert window.open_path(str(path))
        window.show_pane("review")
        with qtbot.waitActive(window):
            window.activateWindow()
        pane = window.panes["review"]
        assert isinstance(pane, ReviewPane)
        monkeypatch.setattr(FileDialogs, "open_file", lambda *_: paper)
        person.run("review.import")
        qtbot.waitUntil(lambda: QApplication.focusWidget() is pane.begin_page.buttons[0], timeout=PATIENCE_MS)
        person.key(Qt.Key.Key_Return)
        state, runs = pane.state, pane.drawer.runs
        qtbot.waitUntil(lambda: state.places is not None, timeout=PATIENCE_MS)
        person.run("review.show_stages")
        ahead = pane.drawer.stages.table.ahead
        qtbot.waitUntil(lambda: "requests, about" in ahead.text(), timeout=PATIENCE_MS)
        assert scripted.asked == [], "nothing is asked before the run"
        forecast, requests = ahead.text(), int(ahead.text().split()[1])
        person.run("review.run_stages")
        qtbot.waitUntil(lambda: bool(runs.runs) and runs.under_way is None, timeout=PATIENCE_MS)
    made = runs.run
    assert made is not None and made.state == "done" and "scripted" in made.model and made.problems == ()
    assert [stage.stage for stage in made.stages] == list(STAGES)

    assert forecast.endswith("time not measured yet.")
    # Until it has answered, nobody knows that it reasons; so the first estimate may be low.
    assert len(STAGES) < requests <= len(scripted.asked), forecast
    stages = pane.drawer.stages
    qtbot.waitUntil(lambda: "answered before" in stages.table.ahead.text(), timeout=PATIENCE_MS)

    # Nothing of the paper was dropped: each section was read in full by somebody, and no question was too long.
    read = "\n".join(user for _, user in scripted.asked)
    assert [mark for mark in marks if f"Here {mark} is described" not in read] == []
    assert sum(system == notes_instructions() for system, _ in scripted.asked) >= 10, "it was read in passes"
    assert max(len(system) + len(user) for system, user in scripted.asked) <= CONTEXT * 4
    first, last = (f"Here {marks[n]} is described" for n in (0, -1))
    assert not any(first in user and last in user for _, user in scripted.asked), "never the whole paper at once"

    # Its points are taken into the review one by one.
    for part in ("Summary", "Strength", "Weakness", "Question"):
        for at in [n for n, row in enumerate(stages.rows) if row.kind == part and row.offered]:
            stages.list.setFocus()
            stages.list.select_row(at)
            person.run("review.take_point")
    for name, box in pane.form_view.boxes.items():
        if isinstance(box.control, QComboBox) and not state.fields.get(name):
            box.control.setFocus()
            person.key(Qt.Key.Key_Down)
    checker = pane.session.checker
    person.run("review.show_export")
    export = pane.drawer.export
    qtbot.waitUntil(lambda: not checker.busy and export.measured is not None, timeout=PATIENCE_MS)
    states = {claim.text: claim.verdict for name in state.fields for claim in checker.of(name).claims}
    assert states[TRUE] == "supported" and states[FALSE] == "contradicted"
    assert "- Could the authors clarify this point: “Figure 9 contradicts the conclusion”?" in state.fields["questions"]

    # What does not hold leaves only when that is confirmed.
    written = tmp_path / "review.md"
    monkeypatch.setattr(FileDialogs, "save_file", lambda *_: written)
    export.show_review()
    person.run("review.write_review")
    assert export.question is not None and not written.exists()
    assert "77.7" in export.question.informativeText()
    next(b for b in export.question.buttons() if b.text() == "Export anyway").click()
    qtbot.waitUntil(written.exists, timeout=PATIENCE_MS)
    review = written.read_text(encoding="utf-8")
    assert TRUE in review and FALSE in review and THOUGHT not in review and "landmark" not in review
