"""The review pane with real widgets: papers, forms, evidence from the pages, anchored sentences."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QTextDocument, QWheelEvent
from PySide6.QtWidgets import QApplication, QComboBox, QLabel
from pytestqt.qtbot import QtBot

from desktop_app import present
from desktop_app.panes.review.field_editor import EVIDENCE, FieldEditor
from desktop_app.panes.review.pane import ReviewPane
from desktop_app.theme import theme
from desktop_app.widgets.file_dialogs import FileDialogs
from desktop_app.window import MainWindow
from engine.documents.store import DocumentStore
from engine.papers.store import PaperStore
from engine.project import Project
from tests.desktop_app.pane_cases import PaneCases
from tests.desktop_app.panes.review.steps import (
    ALT,
    CONTROL,
    PATIENCE,
    PDF,
    PLAIN,
    QUOTE,
    begin_reviews,
    editor,
    make_card,
    press,
    wait_checked,
    write,
)
from tests.engine.renaming import rename_paper


class TestReviewPane(PaneCases):
    pane_id = "review"
    huge = 300

    def fill(self, project: Project, count: int) -> None:
        begin_reviews(project, 2, cards=count)


# --- paper and form --------------------------------------------------------------------------------------------------


def test_a_paper_is_added_here_and_a_review_begun_by_keyboard(
    window: MainWindow, project_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    window.open_path(project_path)
    window.show_pane("review")
    with qtbot.waitActive(window):
        window.activateWindow()
    pane = window.panes["review"]
    assert isinstance(pane, ReviewPane) and pane.is_empty()
    monkeypatch.setattr(FileDialogs, "open_file", lambda *_: PDF)
    press(pane, Qt.Key.Key_I, CONTROL)
    assert pane.state.paper is not None and pane.state.paper.title == PDF.name
    qtbot.waitUntil(lambda: QApplication.focusWidget() is pane.begin_page.buttons[0])
    press(pane, Qt.Key.Key_Space)
    assert pane.state.draft is not None and pane.state.draft.form == "iclr"
    qtbot.waitUntil(lambda: QApplication.focusWidget() is editor(pane, "summary"))
    qtbot.waitUntil(lambda: pane.state.places is not None, timeout=PATIENCE)  # it is read by itself
    qtbot.waitUntil(lambda: pane.paper_view.pages.pages == 5, timeout=PATIENCE)


def test_a_pdf_is_dropped_on_the_pane(pane: ReviewPane, tmp_path: Path, qtbot: QtBot) -> None:
    other = tmp_path / "other.pdf"
    other.write_bytes((PDF.parent / "revised.pdf").read_bytes())
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(other))])
    buttons = Qt.MouseButton.LeftButton
    entered = QDragEnterEvent(QPoint(200, 20), Qt.DropAction.CopyAction, data, buttons, PLAIN)
    QApplication.sendEvent(pane, entered)
    assert entered.isAccepted()
    QApplication.sendEvent(pane, QDropEvent(QPointF(200, 20), Qt.DropAction.CopyAction, data, buttons, PLAIN))
    assert pane.state.paper is not None and pane.state.paper.title == "other.pdf"
    assert pane.state.draft is None and pane.form_stack.currentWidget() is pane.begin_page
    qtbot.waitUntil(lambda: pane.paper_box.currentText().startswith("How Few Counters"), timeout=PATIENCE)
    qtbot.waitUntil(lambda: not pane.context.bridge.engine.busy() and not pane.session.fetcher.busy, timeout=PATIENCE)
    title = pane.state.paper.title
    pane.paper_box.setCurrentIndex(0)
    pane.paper_box.activated.emit(0)
    assert title in [one.title for one in pane.state.papers]
    assert pane.state.draft is not None  # the review of the first paper is there again


def test_a_file_that_is_no_pdf_is_told(pane: ReviewPane, tmp_path: Path) -> None:
    path = tmp_path / "letter.pdf"
    path.write_text("Dear editor")
    pane.add_paper(path)
    assert "is not a PDF" in pane.banner.notices[-1].what
    pane.add_paper(tmp_path / "none.pdf")
    assert "couldn't be read" in pane.banner.notices[-1].what


def test_every_field_of_the_form_has_its_control_and_writes_it(pane: ReviewPane, qtbot: QtBot) -> None:
    store, draft = pane.state.store, pane.state.draft
    assert draft is not None and pane.state.form is not None
    assert list(pane.form_view.boxes) == [field.key for field in pane.state.form.fields]
    rating = pane.form_view.boxes["soundness"].control
    assert isinstance(rating, QComboBox) and pane.form_view.boxes["soundness"].budget.text() == "required"
    rating.setFocus()
    qtbot.keyClick(rating, Qt.Key.Key_Down)
    rating.activated.emit(rating.currentIndex())
    assert store.fields(draft.id)["soundness"] == "4"
    assert pane.form_view.boxes["soundness"].budget.text() == ""
    summary = editor(pane, "summary")
    summary.setFocus()
    qtbot.keyClicks(summary, "It counts.")
    assert pane.form_view.boxes["summary"].budget.text() == "2 words"
    qtbot.waitUntil(lambda: store.fields(draft.id).get("summary") == "It counts.")  # after a pause, unasked
    press(pane, Qt.Key.Key_Down, ALT)
    assert pane.form_view.boxes["soundness"].has_focus()
    press(pane, Qt.Key.Key_Up, ALT)
    assert summary.hasFocus()


def test_an_empty_field_shows_all_of_its_help_whatever_the_text_size(pane: ReviewPane, qtbot: QtBot) -> None:
    field = editor(pane, "summary")
    field.setPlaceholderText("What the paper does and claims, in your own words. " * 6)

    def whole() -> bool:
        words = QTextDocument(field.placeholderText())
        words.setDefaultFont(field.font())
        words.setTextWidth(field.viewport().width())
        return field.viewport().height() >= words.size().height() - 2 * words.documentMargin()

    for zoom in (1.25, 1.5):
        theme().configure(zoom=zoom)
        qtbot.waitUntil(whole)


def test_the_wheel_scrolls_the_form_and_changes_no_score(pane: ReviewPane) -> None:
    rating = pane.form_view.boxes["soundness"].control
    rating.setFocus()
    wheel = QWheelEvent(
        QPointF(9, 9), QPointF(9, 9), QPoint(), QPoint(0, -120), Qt.MouseButton.NoButton, PLAIN,
        Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    QApplication.sendEvent(rating, wheel)
    assert isinstance(rating, QComboBox) and rating.currentIndex() == 0
    assert "soundness" not in pane.state.fields and not wheel.isAccepted()


def test_one_visit_to_a_field_is_one_undo_step(pane: ReviewPane, qtbot: QtBot) -> None:
    project, draft = pane.project, pane.state.draft
    assert project is not None and draft is not None
    steps = len(project.history())
    summary = editor(pane, "summary")
    summary.setFocus()
    for words in ("One. ", "Two."):
        qtbot.keyClicks(summary, words)
        qtbot.waitUntil(lambda: pane.state.fields.get("summary") == summary.text)
    assert len(project.history()) == steps + 1
    editor(pane, "strengths").setFocus()
    project.undo()
    assert summary.text == "" and pane.state.fields.get("summary", "") == ""
    project.redo()
    assert summary.text == "One. Two."


FORM = {
    "id": "A/Venue/-/Review",
    "content": {
        "summary": {"order": 1, "value": {"param": {"type": "string", "maxLength": 20, "input": "textarea"}}},
        "topics": {
            "order": 2,
            "value": {"param": {"type": "string[]", "enum": ["theory", "practice"], "input": "checkbox"}},
        },
        "title": {"order": 3, "value": {"param": {"type": "string", "maxLength": 50}}},
    },
}


def test_a_form_is_imported_and_what_was_written_goes_along(pane: ReviewPane, tmp_path: Path, qtbot: QtBot) -> None:
    write(pane, qtbot, "summary", "More than twenty characters.")
    path = tmp_path / "form.json"
    path.write_text(json.dumps(FORM))
    pane.import_form(path)
    assert list(pane.form_view.boxes) == ["summary", "topics", "title"]
    box = pane.form_view.boxes["summary"]
    assert editor(pane, "summary").text == "More than twenty characters."
    assert box.budget.text() == "28 of 20 characters · 8 over" and box.budget.property("role") == "danger"
    topics = pane.form_view.boxes["topics"]
    for _, check in topics._checks:
        check.click()
    assert pane.state.fields["topics"] == "theory\npractice"
    pane.change_form("iclr")
    assert editor(pane, "summary").text == "More than twenty characters."
    path.write_text("{}")
    pane.import_form(path)
    assert pane.banner.notices and pane.state.draft is not None and pane.state.draft.form == "iclr"


def test_the_keyboard_stays_in_the_form_when_it_changes(pane: ReviewPane) -> None:
    for form in ("neurips", "iclr", "neurips"):
        pane.form_view.take_focus()
        pane.context.commands.run(f"review.form_{form}")
        focus = QApplication.focusWidget()
        assert focus is not None and focus.isVisible() and present(pane.form_view.widget()).isAncestorOf(focus)


def test_no_text_is_out_of_sight_in_another_form(pane: ReviewPane, qtbot: QtBot) -> None:
    pane.change_form("journal")
    write(pane, qtbot, "comments_to_editor", "The second author is my cousin.")
    write(pane, qtbot, "minor_comments", "Name the seeds.")
    pane.change_form("iclr")
    view, commands = pane.form_view, pane.context.commands
    assert commands.enabled("review.form_journal") and not commands.enabled("review.form_iclr")
    window = pane.window()
    assert isinstance(window, MainWindow)
    window.open_palette()
    window.palette_view.field.setText("arr")
    assert "ACL Rolling Review" in window.palette_view.titles()[0], "by its short name"
    window.palette_view.leave()
    assert list(view.boxes)[-1] == "comments_to_editor" and "minor_comments" not in view.boxes
    kept = view.boxes["comments_to_editor"]
    assert any("not exported" in label.text() for label in kept.findChildren(QLabel))
    assert editor(pane, "questions").text == "Name the seeds."
    pane.drawer.open_page("export")
    assert "“Comments to editor” isn't in this form." in {one.words for one in pane.drawer.export.findings or ()}
    assert "cousin" not in pane.drawer.export.words.toPlainText()
    wait_checked(pane, qtbot, "comments_to_editor")
    assert pane.status_text.count("not checked") == 1, "the question alone: what isn't exported isn't counted"
    edit = editor(pane, "comments_to_editor")
    edit.selectAll()
    edit.cut()
    edit.finish()
    assert "comments_to_editor" in view.boxes, "it stays while its words are moved"
    pane.change_form("journal")
    assert editor(pane, "comments_to_editor").text == ""
    assert editor(pane, "minor_comments").text == "Name the seeds." and "questions" not in view.boxes
    present(pane.project).undo()
    assert editor(pane, "questions").text == "Name the seeds."
    assert set(pane.session.checker.checks) <= set(view.boxes)


def test_budgets_count_as_the_venue_counts(pane: ReviewPane, qtbot: QtBot, tmp_path: Path) -> None:
    form = json.loads(json.dumps(FORM))
    path = tmp_path / "form.json"
    path.write_text(json.dumps(form))
    pane.import_form(path)
    edit = editor(pane, "summary")
    edit.setFocus()
    qtbot.keyClicks(edit, "seven 77")
    assert pane.form_view.boxes["summary"].budget.text() == "8 of 20 characters · 12 left"  # at each key


def test_drafts_are_listed_renamed_removed_and_come_back(pane: ReviewPane, monkeypatch: pytest.MonkeyPatch) -> None:
    first = pane.state.draft
    pane.begin("neurips")
    assert pane.draft_box.count() == 2 and pane.draft_box.currentText() == "Review 2: NeurIPS"
    pane.state.rename("For the chairs")
    assert pane.draft_box.currentText() == "For the chairs"
    assert first is not None and pane.project is not None
    pane.session.choose_draft(first.id)
    assert pane.state.draft == first and "limitations" not in pane.form_view.boxes
    pane.state.remove_draft()
    assert pane.draft_box.count() == 1 and pane.draft_box.currentText() == "For the chairs"
    pane.project.undo()
    assert pane.draft_box.count() == 2


def test_the_pane_shows_the_paper_of_the_window_and_changes_it(pane: ReviewPane, qtbot: QtBot) -> None:
    assert pane.project is not None and pane.state.paper is not None
    alone, papers, documents = pane.state.paper.id, PaperStore(pane.project), DocumentStore(pane.project)
    shown = []
    for title in ("Streets", "Letters"):
        document = documents.add_document((PDF.parent / "revised.pdf").read_bytes() + title.encode(), f"{title}.pdf")
        shown.append(papers.add_paper(title))
        papers.add_version(shown[-1], document, "submitted")
    current = pane.context.papers
    current.choose(shown[1])
    assert pane.state.paper is not None and pane.state.paper.title == "Letters"
    pane.paper_box.setCurrentIndex(pane.paper_box.findText("Streets"))
    pane.paper_box.activated.emit(pane.paper_box.currentIndex())
    assert current.id == shown[0], "the whole window shows the paper that was chosen here"
    pane.paper_box.setCurrentIndex(pane.paper_box.findData(alone))
    pane.paper_box.activated.emit(pane.paper_box.currentIndex())
    rename_paper(pane.project, shown[0], "Roads")
    assert pane.state.paper.id == alone and current.id == shown[0], "it belongs to no paper"
    qtbot.waitUntil(lambda: not pane.context.bridge.engine.busy() and not pane.session.fetcher.busy, timeout=PATIENCE)


# --- evidence --------------------------------------------------------------------------------------------------------


def test_a_selection_becomes_a_card_by_one_key(pane: ReviewPane) -> None:
    card = make_card(pane, QUOTE[:-3])  # cut within a word
    assert card.quote == QUOTE and card.page == 1 and card.boxes
    assert pane.evidence.card == card
    assert pane.paper_view.pages.selection is None
    marked = {mark.key for mark, _ in pane.paper_view.pages.marks_of("cards")}
    assert marked == {f"card:{card.id}"}
    index = pane.evidence.list.model().index(0, 0)
    assert index.data(Qt.ItemDataRole.AccessibleTextRole) == f"Note, page 1: {QUOTE}"
    press(pane, Qt.Key.Key_2)  # a weakness
    assert pane.state.cards[0].stance == "weakness"


def test_without_a_selection_the_sentence_at_the_caret_is_taken(pane: ReviewPane) -> None:
    assert not pane.context.commands.enabled("review.card")
    press(pane, Qt.Key.Key_P, ALT)
    assert pane.paper_view.pages.hasFocus() and pane.paper_view.pages.caret is not None
    assert pane.context.commands.enabled("review.card")
    press(pane, Qt.Key.Key_C)
    assert len(pane.state.cards) == 1
    press(pane, Qt.Key.Key_Escape)  # back to the form
    assert isinstance(QApplication.focusWidget(), FieldEditor)


def test_a_card_goes_into_a_field_by_key_as_an_anchored_sentence(pane: ReviewPane, qtbot: QtBot) -> None:
    card = make_card(pane)
    project = pane.project
    assert project is not None
    edit = editor(pane, "weaknesses")
    edit.setFocus()
    qtbot.keyClicks(edit, "First.")
    press(pane, Qt.Key.Key_1, ALT)
    assert edit.text == f"First. The paper states “{QUOTE}” (page 1)." and edit.place == len(edit.text)
    kept = pane.state.cards[0]
    assert (kept.field, kept.stance) == ("weaknesses", "weakness")
    assert pane.state.fields["weaknesses"] == edit.text
    wait_checked(pane, qtbot, "weaknesses")
    found = [claim.verdict for claim in pane.session.checker.of("weaknesses").claims]
    assert found == ["not checked", "supported"]
    press(pane, Qt.Key.Key_Z, CONTROL)  # one step for words and card
    assert pane.state.fields["weaknesses"] == "First." and pane.state.cards[0] == card


def test_a_note_leads_the_sentence(pane: ReviewPane, qtbot: QtBot) -> None:
    make_card(pane)
    pane.evidence.note.setFocus()
    qtbot.keyClicks(pane.evidence.note, "The weights are not motivated")
    qtbot.keyClick(pane.evidence.note, Qt.Key.Key_Return)
    assert pane.state.cards[0].note == "The weights are not motivated"
    editor(pane, "weaknesses").setFocus()
    press(pane, Qt.Key.Key_I, ALT)
    assert editor(pane, "weaknesses").text == f"The weights are not motivated (“{QUOTE}”, page 1)."


def test_a_card_is_dragged_into_a_field(pane: ReviewPane) -> None:
    card = make_card(pane)
    edit = editor(pane, "strengths")
    pane.form_view.ensureWidgetVisible(edit)
    data = pane.evidence.list.model().mimeData([pane.evidence.list.model().index(0, 0)])
    assert data.text().startswith("The paper states") and bytes(data.data(EVIDENCE).data()).decode() == card.id
    buttons, action = Qt.MouseButton.LeftButton, Qt.DropAction.CopyAction
    entered = QDragEnterEvent(QPoint(5, 5), action, data, buttons, PLAIN)
    QApplication.sendEvent(edit.viewport(), entered)
    assert entered.isAccepted()
    QApplication.sendEvent(edit.viewport(), QDropEvent(QPointF(5, 5), action, data, buttons, PLAIN))
    assert edit.text.startswith("The paper states") and pane.state.cards[0].field == "strengths"


def test_cards_are_walked_moved_and_removed_by_key(pane: ReviewPane) -> None:
    one = make_card(pane)
    two = make_card(pane, "Most streets are counted for one week")
    pane.evidence.list.setFocus()
    press(pane, Qt.Key.Key_K)
    assert pane.evidence.card == one
    press(pane, Qt.Key.Key_Down, CONTROL)
    assert [card.id for card in pane.state.cards] == [two.id, one.id] and pane.evidence.card == one
    press(pane, Qt.Key.Key_Space)
    assert pane.paper_view.pages.marks_of("place")
    press(pane, Qt.Key.Key_Delete)
    assert [card.id for card in pane.state.cards] == [two.id] and pane.evidence.card == two
    assert pane.project is not None
    pane.project.undo()
    assert len(pane.state.cards) == 2
