"""The rebuttal pane: points by keys, templates with slots as tab stops, a counter that follows each key."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QFontMetrics
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMenu, QScrollArea, QSplitter, QWidget
from pytestqt.qtbot import QtBot

from desktop_app import present
from desktop_app.panes.rebuttal import matrix_view
from desktop_app.panes.rebuttal.lists import ReviewerLine, key_of, spent_words
from desktop_app.panes.rebuttal.pane import RebuttalPane
from desktop_app.theme import theme
from desktop_app.widgets.banner import Notice
from desktop_app.window import MainWindow
from engine.rebuttal.budget import Spent
from engine.rebuttal.slots import find_slots
from engine.reviews import preview, tone
from engine.reviews.labels.store import LabelStore
from engine.reviews.records import Span
from engine.reviews.store import ReviewStore
from tests.desktop_app.pane_cases import PaneCases, assert_named, assert_words_whole
from tests.desktop_app.panes.linking.studies import make_study
from tests.desktop_app.panes.rebuttal.steps import press, write
from tests.desktop_app.shell_helpers import on_screen, open_pane

Key, Alt = Qt.Key, Qt.KeyboardModifier.AltModifier


class TestCases(PaneCases):
    pane_id = "rebuttal"
    huge = 300


def comments(pane: RebuttalPane) -> list[str]:
    return [line.row.comment.id for line in pane.state.matrix.rows]


def test_a_reply_is_typed_counted_and_kept(pane: RebuttalPane) -> None:
    first, second, *_ = comments(pane)
    assert pane.state.current == first
    assert_named(pane)
    press(pane, Key.Key_E)
    write(pane, "We did that.")
    assert pane.response.length.text().startswith("12 of ")
    line = pane.state.matrix.of(first)
    assert line is not None and line.spent == 12 and line.answered == "good"
    assert pane.state.reader is not None and pane.state.reader.store.replies() == {}
    press(pane, Key.Key_Return, modifiers=Alt)
    assert pane.state.current == second
    assert pane.state.reader.store.replies()[first].text == "We did that."
    assert pane.response.editor.text == ""
    press(pane, Key.Key_Up, modifiers=Alt)
    assert pane.state.current == first and pane.response.editor.text == "We did that."


@pytest.mark.qt_log_ignore("This plugin does not support")  # of a menu that pops up, on the offscreen platform
def test_the_menu_of_a_row_acts_on_its_comment(pane: RebuttalPane) -> None:
    first, second, *_ = comments(pane)
    for rows in (pane.matrix.list, pane.list):
        pane.take(second)
        index = rows.currentIndex()
        pane.take(first)
        rows.scrollTo(index)
        rows.customContextMenuRequested.emit(rows.visualRect(index).center())
        (menu,) = rows.findChildren(QMenu)
        assert pane.state.current == second
        entries = {entry.text().split("\t")[0]: entry for entry in menu.actions()}
        assert {"Write response", "Same response as…"} <= entries.keys()
        menu.close()


def test_the_keys_drawn_in_rows_are_buttons(pane: RebuttalPane, qtbot: QtBot) -> None:
    rows = pane.templates.list
    QTest.mouseClick(rows.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(100, 14))
    assert not pane.response.editor.text
    QTest.mouseClick(rows.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(16, 14))
    QTest.mouseDClick(rows.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(16, 14))  # of a double click
    text = pane.response.editor.text
    assert text and text.count(text[:20]) == 1
    (first, *_) = slots = find_slots(text)
    assert slots
    pane.response.editor.select(Span(0, 0))
    notes = pane.response.notes
    qtbot.waitUntil(lambda: bool(notes.records) and notes.isVisible())
    at = next(at for at, note in enumerate(notes.records) if note.command == "next_slot")
    place = notes.visualRect(notes.model().index(at, 0))
    QTest.mouseClick(notes.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(place.right() - 12, place.center().y()))
    assert pane.response.editor.hasFocus() and pane.response.editor.selected == first.span


def test_a_template_is_put_in_by_key_and_its_slots_are_tab_stops(pane: RebuttalPane) -> None:
    press(pane, Key.Key_1, modifiers=Alt)
    text = pane.response.editor.text
    assert text and pane.state.point.generated and pane.state.point.action is not None
    slots = find_slots(text)
    if slots:
        assert pane.response.editor.selected == slots[0].span
        write(pane, "Section 7")
        assert "Section 7" in pane.response.editor.text
        press(pane, Key.Key_Tab)
        assert pane.response.editor.hasFocus() or len(slots) == 1
    pane.response.editor.finish()
    press(pane, Key.Key_A, modifiers=Alt)
    assert pane.state.point.generated == ()


def test_an_outline_is_put_in_where_no_template_fits(pane: RebuttalPane, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.rebuttal.fitting.FITS_FROM", 2.0)
    pane.take(next(key for key in comments(pane)[1:] if not pane.state.rebuttal.edits.get(key)))
    assert pane.templates._title.text() == "No template fits"
    press(pane, Key.Key_E)
    write(pane, "Thanks.")
    press(pane, Key.Key_1, modifiers=Alt)
    assert pane.response.editor.text.startswith("Thanks. We ") and "{change}" in pane.response.editor.text
    assert pane.state.point.action is None and pane.state.point.generated, "nothing was done yet"


def test_what_reads_a_response_is_loaded_before_one_is_written(
    make_window: Callable[[], MainWindow], qtbot: QtBot, tmp_path: Path
) -> None:
    for loaded in (tone._rules, preview._reader):
        loaded.cache_clear()
    make_study(tmp_path / "study.rejoinder")
    pane = open_pane(make_window(), tmp_path / "study.rejoinder", "rebuttal", qtbot)
    assert isinstance(pane, RebuttalPane) and not pane.response.editor.text
    qtbot.waitUntil(lambda: preview._reader.cache_info().currsize == 1)
    assert tone._rules.cache_info().currsize == 1


def test_another_limit_is_not_a_reason_to_read_the_comments_again(
    pane: RebuttalPane, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []
    monkeypatch.setattr(pane.state, "read", lambda paper: bool(read.append(paper)))
    pane.choose_preset("openreview-2500")
    assert pane.state.rebuttal.plan.preset == "openreview-2500" and read == []
    assert "of" in pane.response.length.text()


def test_undo_takes_a_template_out_again(pane: RebuttalPane) -> None:
    press(pane, Key.Key_2, modifiers=Alt)
    assert pane.response.editor.text
    press(pane, Key.Key_Z, modifiers=Qt.KeyboardModifier.ControlModifier)
    assert pane.response.editor.text == "" and pane.state.point.text == ""


def test_the_reviewer_is_quoted_by_key(pane: RebuttalPane) -> None:
    press(pane, Key.Key_E)
    press(pane, Key.Key_Q, modifiers=Alt)
    first = pane.state.matrix.rows[0].row.comment
    assert pane.response.editor.text.startswith("> ")
    assert "".join(first.comment.split())[:20] in "".join(pane.response.editor.text.replace(">", "").split())


def test_escape_gives_the_keyboard_back_to_the_list(pane: RebuttalPane) -> None:
    press(pane, Key.Key_E)
    assert pane.response.editor.hasFocus()
    press(pane, Key.Key_Escape)
    assert pane.list.hasFocus()
    before = pane.state.current
    press(pane, Key.Key_J)
    assert pane.state.current != before


def test_labels_group_the_comments_and_are_chips(pane: RebuttalPane) -> None:
    assert pane.project is not None
    reviews = ReviewStore(pane.project)
    (text,) = reviews.add_text("Review", "The notation is hard to read.", reviewer="Reviewer 9").texts
    (comment,) = reviews.add_comment(text.id, [Span(0, len(text.text))], reviewer="Reviewer 9").comments
    pane.context.commands.run("rebuttal.group_root")
    (notice,) = (one for one in pane.banner.notices if "No comment has an aspect" in one.what)
    key = pane.context.commands.native_shortcut("rebuttal.label_aspect")
    assert "don't suggest aspects" in notice.means and key and f"with {key}," in notice.do
    pane.context.commands.run("rebuttal.group_reviewer")
    LabelStore(pane.project).set_label(text.id, Span(0, len(text.text)), "aspect", ["clarity"])
    entry = next(e for e in pane.state.entries if e.comment.id == comment.id)
    assert entry.aspect == "clarity" and entry.chips[0].text == "Clarity" and not entry.chips[0].suggested
    pane.context.commands.run("rebuttal.group_root")
    assert next(getattr(row, "title", None) for row in pane.list.records) == "Clarity"
    assert not any("No comment has an aspect" in notice.what for notice in pane.banner.notices)
    pane.context.commands.run("rebuttal.group_reviewer")


def test_another_limit_changes_what_is_left(pane: RebuttalPane) -> None:
    at = pane.head.limit.findData("openreview-2500")
    pane.head.limit.setCurrentIndex(at)
    pane.head.limit.activated.emit(at)
    assert pane.state.rebuttal.limit.per_reply == 2500
    before = pane.state.matrix.rows[0].allotted
    pane.head.limit.setCurrentIndex(pane.head.limit.findData("free"))
    pane.head.limit.activated.emit(0)
    assert pane.state.matrix.rows[0].allotted is None and before is not None


@pytest.mark.parametrize(
    ("used", "words"),
    [
        (Spent(5200, 5000, 1, 200, each=True), "5,200 of 5,000 characters"),
        (Spent(8672, 5000, 2, each=True), "8,672 characters in 2 posts"),
        (Spent(8672, 9000, 2), "8,672 of 9,000 characters in 2 posts"),
        (Spent(9001, 9000, 2, 1), "1 character too many in 2 posts"),
        (Spent(5200, 9000, 1, 200), "200 characters too many in 1 post"),
        (Spent(42, None, 1), "42 characters"),
    ],
)
def test_a_reviewers_limit_is_shown_for_all_posts_together(used: Spent, words: str) -> None:
    assert spent_words(used, "code points") == words


def test_own_limits_are_named_as_such_and_given_up_for_the_preset(pane: RebuttalPane) -> None:
    plan, box = pane.state.rebuttal.plan, pane.head.limit
    pane.state.store.set_plan(pane.state.rebuttal.paper_id, replace(plan, own_limits=(("per_reply", "300"),)))
    assert box.currentText() == "Own limits"
    box.setCurrentIndex(box.findData(plan.preset))
    assert not pane.state.rebuttal.plan.own_limits and box.currentText() == "OpenReview, 5,000 per response"
    assert "Own" not in " ".join(box.itemText(n) for n in range(box.count()))


def test_the_list_does_not_repeat_what_the_bar_says(pane: RebuttalPane, monkeypatch: pytest.MonkeyPatch) -> None:
    painted: list[str] = []
    monkeypatch.setattr(matrix_view, "draw_text", lambda _p, _box, _at, words, *_style: painted.append(words))
    bar = pane.matrix.bar.head
    heads = [line for line in pane.state.lines if isinstance(line, ReviewerLine)]
    assert bar is not None and bar in heads and len(heads) > 1
    pane.matrix.list.setFixedHeight(2000)
    pane.matrix.grab()
    assert [painted.count(head.reviewer) for head in heads] == [2 if head == bar else 1 for head in heads]
    assert painted.count(bar.used) == sum(head.used == bar.used for head in heads), "the bar's, and those of others"


def test_a_post_that_is_too_long_is_named_though_the_others_have_room(
    pane: RebuttalPane, monkeypatch: pytest.MonkeyPatch
) -> None:
    pane.choose_preset("openreview-5000")
    press(pane, Key.Key_E)
    write(pane, "They agree. ")
    pane.response.editor.replace(Span(0, 0), "They agree. " * 449)
    press(pane, Key.Key_Down, modifiers=Alt)
    write(pane, "We did that.")
    pane.response.editor.finish()
    head = pane.matrix.bar.head
    assert head is not None and head.spent.posts > 1 and head.spent.beyond > 400
    assert head.used == f"{head.spent.beyond:,} characters too many in {head.spent.posts} posts"
    inks: dict[str, str] = {}
    monkeypatch.setattr(matrix_view, "draw_text", lambda _p, _box, _at, words, _font, ink: inks.update({words: ink}))
    pane.matrix.bar.grab()
    assert inks[head.used] == theme().data("unsupported").ink


def test_a_limit_of_pages_is_laid_out_while_one_writes(pane: RebuttalPane, qtbot: QtBot) -> None:
    pane.choose_preset("neurips-page")
    head = pane.matrix.bar.head
    assert head is not None and head.reviewer == "Whole rebuttal"

    def laid(name: str, _found: object) -> bool:
        return name == "layout"

    with qtbot.waitSignal(pane.fetcher.fetched, check_params_cb=laid, timeout=20_000):
        press(pane, Key.Key_E)
        write(pane, "We did that.")
    with qtbot.waitSignal(pane.fetcher.fetched, check_params_cb=laid, timeout=20_000):
        pane.response.editor.replace(Span(0, 0), "A long reply with many words in it. " * 200)
        head = pane.matrix.bar.head
        assert head is not None and head.pages.startswith("about ")
    head = pane.matrix.bar.head
    assert head is not None and head.pages.endswith(" of 1 page") and not head.pages.startswith("about")
    assert float(head.pages.split()[0]) > 1
    press(pane, Key.Key_O, modifiers=Alt)
    assert any("1 page is allowed" in one.words for one in pane.outgoing.sending.findings())


def test_sentences_and_selected_words_are_quoted_by_key(pane: RebuttalPane) -> None:
    assert pane.project is not None
    reviews, said = ReviewStore(pane.project), "The notation is hard to read. Why is there no table?"
    (text,) = reviews.add_text("Review", said, reviewer="Reviewer 9").texts
    (comment,) = reviews.add_comment(text.id, [Span(0, len(said))], reviewer="Reviewer 9").comments
    reviews.set_actionable([comment.id], True)
    pane.take(comment.id)
    press(pane, Key.Key_E)
    press(pane, Key.Key_Q, modifiers=Alt | Qt.KeyboardModifier.ShiftModifier)
    write(pane, "We rewrote it.")
    press(pane, Key.Key_Q, modifiers=Alt | Qt.KeyboardModifier.ShiftModifier)
    assert (
        pane.response.editor.text == "> The notation is hard to read.\n\nWe rewrote it.\n\n> Why is there no table?\n\n"
    )
    assert pane.comment.find("hard to read")
    press(pane, Key.Key_Q, modifiers=Alt)
    assert pane.response.editor.text.endswith("\n\n> hard to read\n\n")


def test_the_next_comment_that_lacks_something_and_what_must_be_answered(pane: RebuttalPane) -> None:
    keys = comments(pane)
    assert pane.state.reader is not None
    pane.state.reader.store.import_replies(
        pane.state.rebuttal.paper_id, [(line.row.point, "Because of this.") for line in pane.state.matrix.rows], "x"
    )
    for line in pane.state.matrix.rows:
        pane.state.reader.store.choose_action(pane.state.rebuttal.paper_id, line.row.point, "answer")
    pane.state.reader.store.write(pane.state.rebuttal.paper_id, pane.state.matrix.rows[2].row.point, "See {table}.")
    assert pane.state.current == keys[0]
    pane.list.setFocus()
    press(pane, Key.Key_Space, modifiers=Qt.KeyboardModifier.ShiftModifier)
    assert pane.state.current == keys[2]
    pane.state.reader.store.write(pane.state.rebuttal.paper_id, pane.state.point, "")
    press(pane, Key.Key_U)
    assert keys[2] not in comments(pane)
    press(pane, Key.Key_U)
    assert comments(pane) == keys


def test_the_outcome_has_a_button_that_says_it(pane: RebuttalPane) -> None:
    assert pane.response.buttons["outcome"].isVisible() and pane.response.buttons["outcome"].text().startswith(
        "Outcome"
    )
    press(pane, Key.Key_E)
    write(pane, "We did.")
    pane.response.editor.finish()
    pane.context.commands.run("rebuttal.outcome_partly")
    assert pane.response.buttons["outcome"].text().startswith("Partly")


def test_rows_make_room_for_labels_that_come(pane: RebuttalPane) -> None:
    assert pane.project is not None
    reviews, said = ReviewStore(pane.project), "The notation is hard to read."
    (text,) = reviews.add_text("Review", said, reviewer="Reviewer 9").texts
    (comment,) = reviews.add_comment(text.id, [Span(0, len(said))], reviewer="Reviewer 9").comments
    row = pane.list.row_of(comment.id)
    before = pane.list.visualRect(pane.list.model().index(row, 0)).height()
    LabelStore(pane.project).set_label(text.id, Span(0, len(said)), "aspect", ["clarity"])
    assert pane.list.visualRect(pane.list.model().index(row, 0)).height() > before


def test_a_note_to_co_authors_is_begun_by_key_and_takes_no_room(pane: RebuttalPane) -> None:
    press(pane, Key.Key_E)
    write(pane, "We did.")
    press(pane, Key.Key_N, modifiers=Alt | Qt.KeyboardModifier.ShiftModifier)
    write(pane, "which runs?")
    assert pane.response.editor.text == "We did.\n%% which runs?"
    assert pane.response.length.text().startswith("7 of ")
    line = pane.state.line
    assert line is not None and line.spent == 7 and any("note" in flag.sentence for flag in line.flags)


def test_remarks_that_may_criticise_are_told_until_they_are_answered(pane: RebuttalPane) -> None:
    assert pane.project is not None and pane.state.reader is not None
    reviews, said = ReviewStore(pane.project), "The novelty is small."
    (text,) = reviews.add_text("Review", said, reviewer="Reviewer 9").texts
    (comment,) = reviews.add_comment(text.id, [Span(0, len(said))], reviewer="Reviewer 9").comments
    reviews.set_actionable([comment.id], False)

    def heard() -> list[str]:
        return [one.detail for one in pane.outgoing.sending.findings() if "may be criticism" in one.words]

    labels = LabelStore(pane.project)
    assert heard() == []
    labels.set_label(text.id, Span(0, len(said)), "aspect", ["originality"])
    assert heard() == [f"“{said}”"]
    labels.set_label(text.id, Span(0, len(said)), "polarity", ["positive"])
    assert heard() == []
    labels.set_label(text.id, Span(0, len(said)), "polarity", ["negative"])
    assert heard() == [f"“{said}”"]
    pane.take(comment.id)
    pane.list.setFocus()
    press(pane, Key.Key_U)
    assert heard() == [] and comment.id in comments(pane)


def test_the_reply_is_written_in_the_reading_face_from_the_start(pane: RebuttalPane) -> None:
    assert pane.response.editor.font().pixelSize() == theme().reading_font(15).pixelSize()
    press(pane, Key.Key_E)
    write(pane, "We did.")
    assert pane.response.editor.currentCharFormat().font().pixelSize() in (-1, theme().reading_font(15).pixelSize())


def test_a_notice_leaves_the_point_at_hand_in_sight(pane: RebuttalPane, qtbot: QtBot) -> None:
    last = comments(pane)[-1]
    pane.take(last)

    def in_sight() -> bool:
        view = pane.matrix.list
        return view.viewport().rect().contains(view.visualRect(view.model().index(pane.matrix.list.row_of(last), 0)))

    qtbot.waitUntil(in_sight)
    for number in range(4):
        pane.banner.show_notice(Notice(f"n{number}", "Something is to be known. " * 12, kind="note"))
    qtbot.waitUntil(in_sight)


@pytest.mark.parametrize("by", ["key", "mouse"])
def test_a_suggested_edit_is_shown_and_linked(pane: RebuttalPane, by: str, monkeypatch: pytest.MonkeyPatch) -> None:
    key = next(key for key in comments(pane) if pane.state.offered(key) and not pane.state.edits)
    read: list[object] = []
    reader = pane.state.reader
    assert reader is not None
    of_comment = reader.revisions.all_suggestions

    def recorded(revision_id: str, *given: Any, **how: Any) -> Any:
        read.append(how["comment_ids"])
        return of_comment(revision_id, *given, **how)

    monkeypatch.setattr(reader.revisions, "all_suggestions", recorded)
    pane.mark_dirty()
    pane.take(key)
    assert read and all(keys in ([pane.state.current], [comments(pane)[0]]) for keys in read), "not those of all"
    (edit, *_) = pane.state.suggested
    assert "Suggested" in pane.comment.toPlainText() and edit.label in pane.comment.toPlainText()
    if by == "key":
        press(pane, Key.Key_G, modifiers=Alt)
    else:
        words = pane.comment.cursorRect(pane.comment.document().find("Link the first"))
        pane.comment.verticalScrollBar().setValue(words.top())
        words = pane.comment.cursorRect(pane.comment.document().find("Link the first"))
        place = words.center() - QPoint(8, 0)  # the rectangle is after the words
        QTest.mouseClick(pane.comment.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert pane.state.edits == (edit,) and not pane.state.suggested
    assert "Suggested" not in pane.comment.toPlainText()
    press(pane, Key.Key_Z, modifiers=Qt.KeyboardModifier.ControlModifier)
    assert edit in pane.state.suggested


def test_large_text_cuts_no_button(pane: RebuttalPane, qtbot: QtBot) -> None:
    assert_words_whole(pane, qtbot)
    theme().configure(zoom=1.0)
    qtbot.waitUntil(lambda: pane.head.tabs.tabText(0).endswith("Alt+W"))  # one row again


def test_a_key_paints_what_painting_the_matrix_again_would(pane: RebuttalPane) -> None:
    """The bar follows the reviewer, and the list doesn't repeat it: after a key only these lines are painted."""
    view, heads = pane.matrix.list.viewport(), [pane.matrix.bar.head]
    for _ in pane.state.points()[1:]:
        press(pane, Qt.Key.Key_J)
        heads.append(pane.matrix.bar.head)
        shown = on_screen(view)
        view.update()
        assert shown == on_screen(view)
    assert len({head.reviewer for head in heads if head is not None}) > 1


def test_the_current_point_is_the_one_that_is_shown(pane: RebuttalPane) -> None:
    for section, point in pane.state.points():
        pane.take(key_of(point))
        assert pane.state.found == (section, point)


@pytest.mark.parametrize("zoom", [1.0, 1.5, 2.0])
def test_large_text_leaves_the_editor_lines_and_the_buttons_one(pane: RebuttalPane, zoom: float, qtbot: QtBot) -> None:
    pane.window().resize(1280, 800)
    theme().configure(zoom=zoom)
    editor, buttons = pane.response.editor, pane.response.buttons
    line = QFontMetrics(editor.document().defaultFont()).lineSpacing()
    qtbot.waitUntil(lambda: editor.height() > 3 * line)
    on_it = [buttons[name] for name in ("action", "quote", "draft")]
    qtbot.waitUntil(lambda: len({button.y() for button in on_it}) == 1)
    assert buttons["quote"].toolTip().startswith("Quote comment (Alt+Q)"), "the key can be found where it is not shown"


def test_tab_goes_through_the_response_as_one_reads_it(pane: RebuttalPane) -> None:
    part = pane.response
    buttons = [part.buttons[name] for name in ("action", "quote", "draft")]
    wanted: list[QWidget] = [part.buttons["outcome"], part.budget, *buttons, part.editor]
    part.buttons["outcome"].setFocus()
    chain: list[QWidget] = [part.buttons["outcome"]]
    while chain[-1] is not part.editor:
        QTest.keyClick(chain[-1], Qt.Key.Key_Tab)
        chain.append(present(pane.window().focusWidget()))
    assert chain == wanted


def test_a_long_response_with_notes_leaves_the_matrix_where_it_is(pane: RebuttalPane, qtbot: QtBot) -> None:
    """At 1280 pixels and text size 1.5, also if the page then needs a scroll bar."""
    pane.window().resize(1280, 760)
    theme().configure("light", 1.5)
    beside = present(pane.matrix.parentWidget())
    assert isinstance(beside, QSplitter)
    qtbot.waitUntil(lambda: beside.orientation() == Qt.Orientation.Horizontal)
    press(pane, Key.Key_E)
    pane.response.editor.insertPlainText("Of course we added Table 9, as anyone can see. " * 60)
    pane.response.editor.finish()
    qtbot.waitUntil(lambda: bool(pane.response.notes.records))
    area = present(present(beside.parentWidget()).parentWidget())
    assert isinstance(area, QScrollArea)
    qtbot.waitUntil(area.verticalScrollBar().isVisible)
    assert beside.orientation() == Qt.Orientation.Horizontal
    theme().configure("light", 1.0)
