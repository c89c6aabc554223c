"""Reviews in full: marking, spans, context, responses, splitting, merging, each one undo step."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from desktop_app.panes.linking.pane import LinkingPane
from desktop_app.widgets.span_editor import CodePoints
from engine.reviews.records import Span
from tests.desktop_app.panes.linking.test_linking_pane import Key, press, undo

REVIEW = (
    "The paper is nice. 𝔘 It lacks a baseline. Please add one. It also lacks error bars.\r\n\r\nThanks for the work."
)


def reviews(pane: LinkingPane) -> LinkingPane:
    """Adds a review, and shows it in full."""
    assert pane.state.reader is not None
    assert pane.study.paper is not None
    pane.state.reader.reviews.add_text("Review 3", REVIEW, reviewer="Reviewer 3", paper_id=pane.study.paper.id)
    press(pane, Key.Key_V)
    pane.reviews.list.select_row(1)
    pane.reviews.editor.setFocus()
    return pane


def put(pane: LinkingPane, words: str) -> None:
    """Selects words of the review."""
    start = REVIEW.index(words)
    pane.reviews.editor.select(Span(start, start + len(words)))


def marked(pane: LinkingPane) -> list[str]:
    return [comment.comment for comment in pane.state.marking.comments]


def test_code_points_and_units_are_each_others_inverse() -> None:
    points = CodePoints("a𝔘b𝔫𝔦c")
    assert [points.to_units(at) for at in range(7)] == [0, 1, 3, 4, 6, 8, 9]
    assert [points.from_units(points.to_units(at)) for at in range(7)] == list(range(7))


def test_marking_snaps_to_sentences_and_words(pane: LinkingPane) -> None:
    reviews(pane)
    put(pane, "baseline. Please")
    press(pane, Key.Key_M)
    assert marked(pane) == ["It lacks a baseline. Please add one."] or marked(pane)[0].endswith("Please add one.")
    put(pane, "rror bar")
    press(pane, Key.Key_M, modifiers=Qt.KeyboardModifier.ShiftModifier)
    assert marked(pane)[1] == "error bars"
    assert {comment.reviewer for comment in pane.state.marking.comments} == {"Reviewer 3"}
    undo(pane)
    undo(pane)
    assert marked(pane) == []


def test_enter_marks_the_sentence_at_the_caret_beyond_the_basic_plane(pane: LinkingPane) -> None:
    reviews(pane)
    pane.reviews.editor.go_to(REVIEW.index("also lacks"))
    press(pane, Key.Key_Return)
    (comment,) = pane.state.marking.comments
    assert comment.comment == "It also lacks error bars."
    assert REVIEW[comment.spans[0].start : comment.spans[0].end] == "It also lacks error bars."


def test_sentences_are_walked_and_selected_by_keyboard(pane: LinkingPane) -> None:
    reviews(pane)
    editor = pane.reviews.editor
    editor.go_to(0)
    alt, shift = Qt.KeyboardModifier.AltModifier, Qt.KeyboardModifier.ShiftModifier
    press(pane, Key.Key_Right, modifiers=alt)
    assert editor.place == REVIEW.index("𝔘 It")
    press(pane, Key.Key_Right, Key.Key_Right, modifiers=alt | shift)
    assert REVIEW[editor.selected.start : editor.selected.end].endswith("Please add one.")
    press(pane, Key.Key_Left, modifiers=alt)
    assert editor.selected.start == editor.selected.end


def test_several_spans_and_a_context_make_one_comment(pane: LinkingPane) -> None:
    reviews(pane)
    put(pane, "It lacks a baseline.")
    press(pane, Key.Key_M)
    put(pane, "error")
    press(pane, Key.Key_N)
    put(pane, "Thanks")
    press(pane, Key.Key_X)
    (comment,) = pane.state.marking.comments
    assert len(comment.spans) == 2
    assert comment.context == "Thanks for the work."
    roles = {one.role for one in pane.reviews.editor._highlights}
    assert roles == {"comment", "context", "unassigned"}


def test_pairs_of_a_letter_can_be_put_right(pane: LinkingPane) -> None:
    reviews(pane)
    put(pane, "It lacks a baseline.")
    press(pane, Key.Key_M)
    put(pane, "Please add one.")
    press(pane, Key.Key_Y)
    assert pane.state.marking.comments[0].response == "Please add one."
    pane.reviews.form.response.setFocus()
    pane.reviews.form.response.setPlainText("We added one.")
    pane.reviews.editor.setFocus()
    assert pane.state.marking.comments[0].response == "We added one."
    undo(pane)
    assert pane.state.marking.comments[0].response == "Please add one."


def test_splitting_and_merging(pane: LinkingPane) -> None:
    reviews(pane)
    put(pane, "Please add one. It also lacks error bars.")
    press(pane, Key.Key_M)
    pane.reviews.editor.go_to(REVIEW.index("It also"))
    press(pane, Key.Key_B)
    assert marked(pane) == ["Please add one.", "It also lacks error bars."]
    first, second = pane.state.marking.comments
    assert pane.state.marking.comment_id == second.id and pane.reviews.editor.place == REVIEW.index("It also")
    press(pane, Key.Key_B, modifiers=Qt.KeyboardModifier.ShiftModifier)
    assert marked(pane) == ["Please add one. It also lacks error bars."], "merging undoes a split"
    assert pane.state.marking.comment_id == first.id
    undo(pane)
    assert len(marked(pane)) == 2


def test_a_remark_asks_for_nothing_and_leaves_the_list_of_comments(pane: LinkingPane) -> None:
    reviews(pane)
    put(pane, "Thanks")
    press(pane, Key.Key_M)
    before = len(pane.study.comments)
    press(pane, Key.Key_T)
    assert len(pane.study.comments) == before - 1
    assert [comment.comment for comment in pane.study.remarks] == ["Thanks for the work."]


def test_action_classes_have_keys_and_the_same_again_clears(pane: LinkingPane) -> None:
    reviews(pane)
    put(pane, "baseline")
    press(pane, Key.Key_M)
    press(pane, Key.Key_1, modifiers=Qt.KeyboardModifier.AltModifier)
    assert pane.state.marking.comments[0].action == "compare"
    assert pane.reviews.form.action.currentData() == "compare"
    press(pane, Key.Key_1, modifiers=Qt.KeyboardModifier.AltModifier)
    assert pane.state.marking.comments[0].action is None


def test_deleting_a_linked_comment_and_undo_brings_its_links_back(pane: LinkingPane) -> None:
    press(pane, Key.Key_L, Key.Key_V)
    assert pane.state.marking.comment_id == pane.state.comment_id
    press(pane, Key.Key_Delete)
    assert len(pane.study.comments) == 5
    assert pane.study.links == ()
    undo(pane)
    assert len(pane.study.comments) == 6
    assert len(pane.study.links) == 1


def test_undo_goes_back_to_the_comment_that_was_deleted(pane: LinkingPane) -> None:
    press(pane, Key.Key_V)
    deleted = pane.state.marking.comment_id
    press(pane, Key.Key_Delete)
    assert pane.state.marking.comment_id != deleted
    undo(pane)
    assert pane.state.marking.comment_id == deleted


def test_the_next_unassigned_part_has_a_button_and_the_reviewer_a_name(pane: LinkingPane, qtbot: QtBot) -> None:
    reviews(pane)
    button = next(one for one in pane.findChildren(QPushButton) if one.text().startswith("Unassigned"))
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    selected = pane.reviews.editor.selected
    assert selected in pane.reviews.left and selected.start < selected.end
    assert pane.reviews.form.reviewer.placeholderText() == "Reviewer"


def test_keys_of_linking_do_nothing_here(pane: LinkingPane) -> None:
    reviews(pane)
    press(pane, Key.Key_L, Key.Key_A, Key.Key_2)
    assert pane.study.links == ()
    assert pane.study.decided == 0


def test_the_comment_at_hand_goes_along_with_the_mode(pane: LinkingPane) -> None:
    press(pane, Key.Key_J, Key.Key_J, Key.Key_V)
    assert pane.state.marking.comment_id == pane.state.comment_id
    press(pane, Key.Key_J, Key.Key_V)
    assert pane.state.comment_id == pane.study.comments[3].id
    assert pane.comments.list.hasFocus()


def test_search_goes_through_the_review(pane: LinkingPane) -> None:
    reviews(pane)
    pane.search("error bars")
    assert REVIEW[pane.reviews.editor.selected.start : pane.reviews.editor.selected.end] == "error bars"
    QTest.keyClick(pane.reviews.editor, Key.Key_Home)
    pane.search_next(False)
    assert pane.reviews.editor.selected.end > pane.reviews.editor.selected.start


def test_a_marked_comment_gets_suggestions_when_one_goes_back_to_linking(pane: LinkingPane, qtbot: QtBot) -> None:
    reviews(pane)
    put(pane, "It lacks a baseline.")
    press(pane, Key.Key_M)
    assert pane.work.phase == ""
    press(pane, Key.Key_V)
    new = pane.state.marking.comment_id
    assert pane.state.comment_id == new
    qtbot.waitUntil(lambda: new in pane.study.suggestions)
    qtbot.waitUntil(lambda: pane.work.phase == "")


def test_text_in_no_comment_is_listed_and_can_be_placed(pane: LinkingPane) -> None:
    reviews(pane)
    assert pane.reviews.list.records[1][2] == "2 not assigned · Review · 0 comments"
    put(pane, "Please add one.")
    press(pane, Key.Key_M)
    assert pane.reviews.list.records[1][2] == "3 not assigned · Review · 1 comment"
    pane.reviews.editor.go_to(len(REVIEW))
    pane.context.commands.run("linking.next_unassigned")
    assert pane.reviews.editor.selected.start == 0
    pane.context.commands.run("linking.next_unassigned")
    pane.context.commands.run("linking.next_unassigned")
    press(pane, Key.Key_M)
    assert marked(pane)[-1] == "Thanks for the work."
    assert pane.reviews.list.records[1][2] == "2 not assigned · Review · 2 comments"


def test_a_reviewer_is_renamed_for_one_comment_and_then_for_all(pane: LinkingPane, qtbot: QtBot) -> None:
    press(pane, Key.Key_V)
    field = pane.reviews.form.reviewer
    before = [comment.reviewer for comment in pane.study.comments]
    at = [comment.id for comment in pane.study.comments].index(pane.state.comment_id)
    number = before.count(before[at])
    assert number > 1
    field.setFocus()
    field.selectAll()
    QTest.keyClicks(field, "Reviewer Ada")
    press(pane, Key.Key_Return)
    assert [comment.reviewer for comment in pane.study.comments].count("Reviewer Ada") == 1
    button = next(one for one in pane.banner.findChildren(QPushButton) if one.isVisible() and one.text())
    assert button.text() == f"Rename “{before[at]}” everywhere"
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    after = ["Reviewer Ada" if name == before[at] else name for name in before]
    assert [comment.reviewer for comment in pane.study.comments] == after


def test_a_comment_stays_underlined_in_the_context_of_another(pane: LinkingPane) -> None:
    """As after a split: both parts have the whole as their context."""
    reviews(pane)
    put(pane, "It lacks a baseline. Please add one.")
    press(pane, Key.Key_M)
    put(pane, "It also lacks error bars.")
    press(pane, Key.Key_M)
    put(pane, "It lacks a baseline. Please add one. It also lacks error bars.")
    press(pane, Key.Key_X)
    drawn, at = pane.reviews.editor.extraSelections(), REVIEW.index("baseline")
    over = [one for one in drawn if one.cursor.selectionStart() <= at < one.cursor.selectionEnd()]
    assert [one.format.underlineStyle().name for one in over] == ["DotLine", "SingleUnderline"]
