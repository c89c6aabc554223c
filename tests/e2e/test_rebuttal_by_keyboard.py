"""An author's whole way without the mouse: two versions and three reviews in, labels suggested and accepted, an edit
linked, every comment answered within one page, checked, exported; the project is opened again and has it all."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop_app.panes.rebuttal.limits_dialog import LimitsDialog
from desktop_app.panes.rebuttal.pane import RebuttalPane
from desktop_app.widgets.file_dialogs import FileDialogs
from desktop_app.window import MainWindow
from engine.rebuttal.letter import excesses
from engine.rebuttal.slots import find_slots
from engine.reviews.limits import count
from tests.e2e.by_keyboard import Mouse, Person, author_with

SAMPLE = Path(__file__).resolve().parents[2] / "resources" / "sample"
Key = Qt.Key
PLACES = {
    "section": "Section 2",
    "table": "Table 1",
    "figure": "Figure 1",
    "equation": "Equation 1",
    "wording": "evaluated",
}
"""What this author writes into slots for places and new words; all of them are in the revised paper."""


def pane(window: MainWindow) -> RebuttalPane:
    found = window.panes["rebuttal"]
    assert isinstance(found, RebuttalPane)
    return found


def fill_slots(author: Person, rebuttal: RebuttalPane) -> None:
    """Types into each open slot; Tab goes to the next."""
    for _ in range(12):
        slots = find_slots(rebuttal.response.editor.text)
        if not slots:
            return
        here = next((slot for slot in slots if slot.span == rebuttal.response.editor.selected), None)
        if here is None:
            author.key(Key.Key_Tab)
            continue
        author.type(PLACES.get(here.name, "the second step"))
    raise AssertionError(f"slots are left in {rebuttal.response.editor.text!r}")


@pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
def test_from_reviews_to_an_exported_rebuttal(
    make_window: Callable[[], MainWindow], qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "rebuttal.rejoinder"
    author = author_with(path, make_window, qtbot)
    window, mouse = author.window, Mouse()
    QApplication.instance().installEventFilter(mouse)  # type: ignore[union-attr]

    # reviews and papers come in; the empty pane leads to where they are added
    author.run("go.rebuttal")
    rebuttal = pane(window)
    assert rebuttal.is_empty()
    files = [SAMPLE / name for name in ("submitted.pdf", "revised.pdf", *(f"review-{n}.md" for n in (1, 2, 3)))]
    linking = author.import_files(files, monkeypatch)
    author.until(lambda: bool(linking.study.edits and linking.study.suggestions) and not window.bridge.engine.busy())

    # labels are suggested, and accepted by key
    author.run("go.rebuttal")
    author.until(lambda: bool(rebuttal.state.entries))
    comments = [line.row.comment.id for line in rebuttal.state.matrix.rows]
    assert len(comments) >= 20 and len(rebuttal.state.matrix.unanswered) == len(comments)
    assert len(rebuttal.state.rebuttal.outline.sections) == 3
    rebuttal.take_focus()
    author.key(Key.Key_L)
    author.until(lambda: any(entry.chips for entry in rebuttal.state.entries) and not window.bridge.engine.busy())
    for _ in comments:
        if rebuttal.sentences.has_suggestion():
            break
        author.key(Key.Key_J)
    labelled = rebuttal.state.current
    author.key(Key.Key_Y)
    decided = rebuttal.sentences.all()[0]
    assert decided.origins and not decided.offered, "what was suggested is decided"
    assert not rebuttal.sentences.has_suggestion()

    # G leads to Linking, where the best suggestion is linked, and the pane shows the edit
    author.key(Key.Key_G)
    author.until(lambda: linking.state.comment_id == labelled and bool(linking.state.edit_id))
    author.key(Key.Key_L)
    author.until(lambda: bool(linking.study.links))
    author.run("go.rebuttal")
    author.until(lambda: bool(rebuttal.state.rebuttal.edits.get(labelled)))
    assert rebuttal.state.rebuttal.edits[labelled][0].label in rebuttal.comment.toPlainText()

    # one page in all, comments recalled by their number
    author.run("rebuttal.limits")
    dialog = window.findChild(LimitsDialog)
    assert dialog is not None
    author.until(lambda: QApplication.activeWindow() is dialog)
    dialog.preset.setFocus()
    author.type("Neur")
    dialog.quoting.setFocus()
    author.key(Key.Key_Down)
    author.key(Key.Key_Return)
    author.until(
        lambda: rebuttal.state.rebuttal.limit.id == "neurips-page" and rebuttal.state.rebuttal.plan.quoting == "number"
    )
    assert rebuttal.state.rebuttal.limit.total == 5000
    rebuttal.take(labelled)
    author.until(lambda: rebuttal.templates.template(0) is not None)
    with qtbot.waitActive(window):
        window.activateWindow()  # as the desktop does when a dialog is gone

    # the linked comment: a template with the place filled in from its edit
    rebuttal.take_focus()
    author.run("rebuttal.template_1")
    assert rebuttal.response.editor.hasFocus() and rebuttal.state.point.generated
    assert rebuttal.state.point.action == "task_done", "an edit is linked, so something was done"
    fill_slots(author, rebuttal)
    author.run("rebuttal.accept")
    assert not rebuttal.state.point.generated
    author.run("rebuttal.preview")
    assert rebuttal.response.editor.text[:20] in rebuttal.preview.page.toPlainText()
    author.run("rebuttal.write")

    # all others, from open point to open point; one says "task done" without an edit, and one is far too long
    author.run("rebuttal.next_open")
    first = rebuttal.state.current
    author.run("rebuttal.edit")
    author.type("We did so.")
    author.run("rebuttal.action")
    for _ in range(2):
        author.key(Key.Key_Down)
    author.key(Key.Key_Return)
    assert rebuttal.state.point.action == "task_done"
    flagged = rebuttal.state.matrix.of(first)
    assert flagged is not None and flagged.linked == "wrong"
    author.run("rebuttal.action")
    author.key(Key.Key_Up, Key.Key_Return)
    assert rebuttal.state.point.action == "answer"
    for _ in comments:
        if not rebuttal.state.matrix.unanswered:
            break
        author.run("rebuttal.next_open")
        author.run("rebuttal.edit")
        author.type("Yes; we say so now, and why we think that it holds here.")
    rebuttal.response.editor.finish()
    assert not rebuttal.state.matrix.unanswered
    author.key(Key.Key_End, modifiers=Qt.KeyboardModifier.ControlModifier)
    QGuiApplication.clipboard().setText(" It is much longer than it may be." * 200)
    author.key(Key.Key_V, modifiers=Qt.KeyboardModifier.ControlModifier)
    over = rebuttal.state.line
    assert over is not None and over.allotted is not None and over.spent > over.allotted
    assert "over" in rebuttal.response.length.text()
    author.run("rebuttal.send")
    author.until(lambda: any("too long" in one.words for one in rebuttal.outgoing.sending.findings()))
    with qtbot.waitActive(window):
        window.activateWindow()
    author.run("rebuttal.write")
    author.key(Key.Key_A, modifiers=Qt.KeyboardModifier.ControlModifier)
    author.type("We cut this.")

    # checked, written, and opened again
    author.run("rebuttal.send")
    author.until(lambda: not window.bridge.engine.busy())
    author.until(lambda: not any(one.weight == "fix" for one in rebuttal.outgoing.sending.findings()))
    assert not excesses(
        rebuttal.state.rebuttal.outline, rebuttal.state.rebuttal.limit, rebuttal.state.rebuttal.plan.quoting
    )
    out = tmp_path / "out"
    out.mkdir()
    assert rebuttal.send_view.chosen == "page", "what is limited by a page leaves as one"
    monkeypatch.setattr(FileDialogs, "save_file", lambda *_: out / "page.pdf")
    author.run("rebuttal.write_file")
    author.until(lambda: (out / "page.pdf").exists() and not window.bridge.engine.busy())
    with qtbot.waitActive(window):
        window.activateWindow()
    rebuttal.send_view.form.setFocus()
    author.key(Key.Key_Home)
    assert rebuttal.send_view.chosen == "posts"
    monkeypatch.setattr(FileDialogs, "choose_folder", lambda *_: out)
    author.run("rebuttal.write_file")
    author.until(lambda: len(list(out.rglob("*.md"))) >= 3 and not window.bridge.engine.busy())
    texts = [file.read_text(encoding="utf-8") for file in sorted(out.rglob("reviewer*.md"))]
    assert len(texts) == 3
    assert sum(count(text.rstrip("\n"), "code points") for text in texts) <= 5000
    replies = {row.label: row.point.text.strip() for row in rebuttal.state.rebuttal.outline.rows}
    assert len(replies) == len(comments) and all(replies.values())
    for label, reply in replies.items():
        assert any(f"**{label}** {reply}" in text for text in texts), label
    assert mouse.used == 0
    QApplication.instance().removeEventFilter(mouse)  # type: ignore[union-attr]
    window.stop_work()
    window.close()

    again = make_window()
    again.settings.set("annotator.name", "Ada")
    assert again.open_path(str(path))
    again.show_pane("rebuttal")
    rebuttal = pane(again)
    assert {row.label: row.point.text.strip() for row in rebuttal.state.rebuttal.outline.rows} == replies
    assert rebuttal.state.rebuttal.edits[labelled]
