"""Reviews exported from the drawer: what is confirmed first, the words that leave, and what was assisted."""

from __future__ import annotations

import json
import threading
from functools import partial
from pathlib import Path

import pymupdf
import pytest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from desktop_app.panes.review.pane import ReviewPane
from desktop_app.theme import theme
from desktop_app.widgets.file_dialogs import FileDialogs
from tests.desktop_app.panes.review.steps import CONTROL, PATIENCE, Key, checked, opened, press


@pytest.fixture
def pane(pane_with_run: ReviewPane) -> ReviewPane:
    return pane_with_run


def test_what_is_not_found_leaves_only_confirmed_and_it_is_settled_by_key(
    pane: ReviewPane, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawer = opened(pane, Key.Key_E)
    view = drawer.export
    checked(pane, qtbot)
    finding = view.finding
    assert finding is not None and finding.subject == "claim" and "Table 7" in finding.words
    assert view.title.text().startswith("1 not found") and view.can_export
    file = tmp_path / "review.md"
    proposed: list[str] = []

    def save(_files: object, _parent: object, _title: str, stem: str, _ending: str) -> Path:
        proposed.append(stem)
        return file

    monkeypatch.setattr(FileDialogs, "save_file", save)
    press(pane, Key.Key_E, CONTROL)
    assert view.question is not None and "Table 7" in view.question.informativeText()
    view.question.defaultButton().click()
    assert not file.exists(), "the default is not to export"
    qtbot.waitUntil(lambda: QApplication.activeModalWidget() is None)
    pane.window().activateWindow()  # offscreen, closing a dialog activates nothing
    qtbot.waitUntil(pane.window().isActiveWindow)
    view.list.setFocus()
    press(pane, Key.Key_Return)
    edit = pane.form_view.editor
    assert edit is not None and edit.text[edit.selected.start : edit.selected.end].startswith("Table 7")
    view.list.setFocus()
    press(pane, Key.Key_D)
    assert pane.state.fields["weaknesses"] == "- Table 1 reports 91.4 for the careful reader."
    assert pane.project is not None
    pane.project.undo()
    checked(pane, qtbot)
    view.list.select_row(0)
    press(pane, Key.Key_Q)
    assert pane.state.fields["weaknesses"].startswith("- Could the authors clarify whether Table 7 shows")
    checked(pane, qtbot)
    qtbot.waitUntil(lambda: not view.unfounded and view.can_export, timeout=PATIENCE)
    press(pane, Key.Key_E, CONTROL)
    qtbot.waitUntil(lambda: any(n.key == "export" for n in pane.banner.notices), timeout=PATIENCE)
    assert proposed == ["Review"], "the project has no paper whose title the file could have"
    words = file.read_text(encoding="utf-8")
    assert "## Weaknesses\n\n- Could the authors clarify" in words and "assisted" not in words
    draft = pane.state.draft
    assert draft is not None and pane.state.store.versions(draft.id)[0].reason == "exported as Markdown"


def test_an_empty_choice_is_shown_and_has_the_keyboard(pane: ReviewPane, qtbot: QtBot) -> None:
    pane.act(lambda: pane.state.set_field("rating", ""))
    view = opened(pane, Key.Key_E).export
    checked(pane, qtbot)
    at = next(n for n, one in enumerate(view.findings or ()) if one.field == "rating")
    view.list.setFocus()
    view.list.select_row(at)
    press(pane, Key.Key_G)
    box = pane.form_view.boxes["rating"]
    assert box.has_focus()
    qtbot.waitUntil(lambda: not box.visibleRegion().isEmpty())


def test_the_words_that_leave_and_what_was_assisted(pane: ReviewPane, qtbot: QtBot, tmp_path: Path) -> None:
    pane.state.set_field("weaknesses", "Table 1 reports 91.4 for the careful reader.")
    drawer = opened(pane, Key.Key_E)
    view = drawer.export
    checked(pane, qtbot)
    assert "What was assisted" not in view.words.toPlainText()
    view.with_statement.click()
    said = view.words.toPlainText()
    assert "## What was assisted" in said and "- Drafter: by rules, without a language model (version " in said
    assert "2 were written manually" in said
    view.format.setCurrentIndex(view.format.findData("note"))
    assert json.loads(view.words.toPlainText())["content"]["rating"]["value"] == 6
    view.format.setCurrentIndex(view.format.findData("disclosure"))
    assert view.words.toPlainText() == view.statement
    pane.context.commands.run("review.copy_review")
    assert QApplication.clipboard().text() == view.statement
    file = tmp_path / "annotated.pdf"
    view.format.setCurrentIndex(view.format.findData("pdf"))
    view.write_to("pdf", file)
    qtbot.waitUntil(lambda: any("annotated.pdf" in n.what for n in pane.banner.notices), timeout=PATIENCE)
    with pymupdf.open(file) as document:
        notes = [a.info["content"] for page in document for a in page.annots()]
        last = document[document.page_count - 1].get_text()
    assert any("Table 1 reports 91.4" in note for note in notes)
    assert "by rules, without a language model" in last


def test_what_was_checked_while_another_pane_was_shown_is_asked_about(
    pane: ReviewPane, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    view = opened(pane, Key.Key_E).export
    checked(pane, qtbot)
    assert view.unfounded == 1
    pane.act(lambda: pane.state.set_field("summary", "Section 93 proves it. Table 94 shows it."))
    pane.context.show_pane("home")
    checked(pane, qtbot)
    pane.context.show_pane("review")
    assert view.title.text().startswith("3 not found")
    monkeypatch.setattr(FileDialogs, "save_file", lambda *_: pytest.fail("it leaves without a question"))
    view.ask_where()
    assert view.question is not None and "Table 94" in view.question.informativeText()
    view.question.reject()


def test_the_engine_refuses_what_the_page_would_not_offer(pane: ReviewPane, qtbot: QtBot, tmp_path: Path) -> None:
    drawer = opened(pane, Key.Key_E)
    checked(pane, qtbot)
    drawer.export.write_to("note", tmp_path / "note.json")
    qtbot.waitUntil(lambda: any(n.key == "export" for n in pane.banner.notices), timeout=PATIENCE)
    assert "not found" in pane.banner.notices[0].what
    assert not (tmp_path / "note.json").exists()


def test_what_is_not_found_leaves_when_it_is_confirmed(
    pane: ReviewPane, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawer = opened(pane, Key.Key_E)
    checked(pane, qtbot)
    file = tmp_path / "review.md"
    monkeypatch.setattr(FileDialogs, "save_file", lambda *_: file)
    press(pane, Key.Key_E, CONTROL)
    assert drawer.export.question is not None
    next(b for b in drawer.export.question.buttons() if b.text() == "Export anyway").click()
    qtbot.waitUntil(file.exists, timeout=PATIENCE)
    assert "Table 7" in file.read_text(encoding="utf-8")


def test_nothing_is_ready_without_a_review(pane: ReviewPane, qtbot: QtBot) -> None:
    view = opened(pane, Key.Key_E).export
    pane.act(pane.state.remove_draft)
    qtbot.waitUntil(lambda: view.title.text() == "No review yet")


def test_ctrl_e_first_shows_what_will_be_written(pane: ReviewPane) -> None:
    assert not pane.drawer.isVisible()
    press(pane, Key.Key_E, CONTROL)
    assert pane.drawer.shows("export")


def within(part: QWidget) -> bool:
    """Whether the widgets of a part are inside it and none is over another."""
    shown = [one.geometry() for one in part.children() if isinstance(one, QWidget) and one.isVisible()]
    apart = all(not one.intersects(other) for at, one in enumerate(shown) for other in shown[:at])
    return apart and all(part.rect().contains(one) for one in shown)


@pytest.mark.parametrize("zoom", [1.5, 2.0])
def test_large_text_overlaps_nothing_on_the_page_and_above_it(pane: ReviewPane, qtbot: QtBot, zoom: float) -> None:
    window = pane.window()
    window.resize(1280, 780)
    theme().configure(zoom=zoom)
    view = opened(pane, Key.Key_E).export
    checked(pane, qtbot)
    parts = (view.words.parentWidget(), view.list.parentWidget(), pane.paper_view.strip)
    for part in parts:
        assert part is not None
        qtbot.waitUntil(partial(within, part))


def test_a_statement_is_never_that_of_another_review(pane: ReviewPane, qtbot: QtBot) -> None:
    view = opened(pane, Key.Key_E).export
    checked(pane, qtbot)
    first, go = view.statement, threading.Event()
    assert "- Drafter: by rules" in first and pane.state.draft is not None
    draft = pane.state.store.begin_draft(pane.state.draft.document_id, "Another", "iclr", fields={"summary": "New."})
    view._fetcher.fetch("other work", lambda: go.wait(30))  # what is measured waits for it
    pane.session.choose_draft(draft.id)
    view.show_review()
    assert view.statement == ""
    go.set()
    checked(pane, qtbot)
    assert "- Drafter: by rules" not in view.statement
