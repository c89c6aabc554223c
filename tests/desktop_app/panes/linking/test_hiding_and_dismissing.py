"""What a study hides, what is dismissed, and passages, by real keys and clicks."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu
from pytestqt.qtbot import QtBot

from desktop_app import present
from desktop_app.panes.linking.pane import LinkingPane
from desktop_app.panes.linking.terms import COMMENT_MENU
from desktop_app.theme import theme
from desktop_app.widgets.command_menu import command_menu
from desktop_app.widgets.pdf_marks import Mark
from tests.desktop_app.panes.linking.test_linking_pane import Key, labels, press, state, undo, window_of

CONTROL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
NONE = Qt.KeyboardModifier.NoModifier


def from_palette(pane: LinkingPane, words: str) -> list[str]:
    """Types words into the palette and runs what comes first; returns what could be run."""
    press(pane, Key.Key_K, modifiers=CONTROL)
    palette = window_of(pane).palette_view
    QTest.keyClicks(QApplication.focusWidget(), words)
    found = [one.title for one in palette.list.records if one.enabled]
    press(pane, Key.Key_Return)
    return found


def marks_of(pane: LinkingPane, group: str, key: str) -> set[Mark]:
    return {mark for mark, _ in pane.side.target.marks_of(group) if mark.key == key}


def test_suggestions_are_hidden_and_shown_from_the_palette(pane: LinkingPane, qtbot: QtBot) -> None:
    press(pane, Key.Key_D)
    assert pane.proposal.isVisible()
    assert "Hide suggestions" in from_palette(pane, "Hide suggestions")
    qtbot.waitUntil(lambda: pane.study.hides_suggestions)
    assert not pane.proposal.isVisible() and not pane.strategy.isVisible()
    assert pane.edits.phase.isVisible() and pane.edits.phase.text() == "Suggestions are hidden in this project."
    assert not {"accept, reject", "propose"} & {words for _, words in pane.key_bar.items()}
    assert pane.side._standing.suggested == frozenset()
    press(pane, Key.Key_A, Key.Key_R, Key.Key_D)
    assert not pane.study.links and not pane.proposal.isVisible() and pane.work.phase == ""
    commands = window_of(pane).commands
    for name in ("accept", "reject", "suggest", "propose", "propose_again", "propose_all", "mistake_other"):
        assert not commands.enabled(f"linking.{name}"), name
    from_palette(pane, "Show suggestions")
    qtbot.waitUntil(lambda: not pane.study.hides_suggestions)
    assert pane.strategy.isVisible() and not pane.edits.phase.isVisible()
    assert {"accept, reject", "propose"} <= {words for _, words in pane.key_bar.items()}
    press(pane, Key.Key_A)
    assert len(pane.study.links) == 1


def test_a_passage_is_selected_by_keyboard_linked_undone_and_exported(
    pane: LinkingPane, tmp_path: Path, qtbot: QtBot
) -> None:
    commands = window_of(pane).commands
    assert not commands.enabled("linking.link_passage"), "nothing is selected"
    press(pane, Key.Key_C)
    press(pane, Key.Key_Home, modifiers=CONTROL)
    press(pane, Key.Key_Down, modifiers=CONTROL | SHIFT)
    words = pane.side.target.selected_text
    assert words and commands.enabled("linking.link_passage")
    press(pane, Key.Key_L, modifiers=SHIFT)
    (passage,) = pane.study.passages
    assert passage.target_text == words and labels(pane)[1] == "p1" and pane.side.current == passage.id
    (bar,) = marks_of(pane, "edits", passage.id)
    (words_of,) = marks_of(pane, "words", passage.id)
    assert bar.sign == "¶" and (words_of.shape, words_of.meaning) == ("underline", "linked")
    path = tmp_path / "links.csv"
    pane.files.export_to("csv", path)
    qtbot.waitUntil(path.exists)
    assert ",p1,passage," in path.read_text("utf-8-sig")
    press(pane, Key.Key_Escape)
    undo(pane)
    assert pane.study.passages == () and not pane.study.links


@pytest.mark.qt_log_ignore("This plugin does not support")  # of a menu that pops up, on the offscreen platform
def test_a_passage_is_linked_by_mouse_from_the_menu_of_the_page(pane: LinkingPane) -> None:
    view = pane.side.target
    paragraph = view.text.paragraphs[0]
    at = view.page_layout.rect(paragraph.boxes[0]).center()
    place = QPoint(round(at.x()) - view.horizontalScrollBar().value(), round(at.y() - view.top))
    QTest.mouseDClick(view.viewport(), Qt.MouseButton.LeftButton, NONE, place)
    assert view.selected_text
    offered: list[QMenu] = []
    view.menu_opening.connect(offered.append)
    event = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, place, view.viewport().mapToGlobal(place))
    QApplication.sendEvent(view.viewport(), event)
    action = offered[0].actions()[0]
    assert action.text().startswith("Link the selected passage") and action.isEnabled()
    action.trigger()
    offered[0].close()
    assert [edit.target_ids for edit in pane.study.passages] == [(paragraph.id,)]


def test_an_edit_is_dismissed_and_restored_by_keys(pane: LinkingPane) -> None:
    commands = window_of(pane).commands
    edit = pane.state.edit_id
    press(pane, Key.Key_L)
    press(pane, Key.Key_R, modifiers=SHIFT)
    assert pane.status_text.startswith("e001 was dismissed with 1 link")
    assert len(pane.study.edits) == 3 and not pane.study.links and labels(pane)[1] == "e002"
    assert not marks_of(pane, "edits", edit)
    assert not any(row.edit and row.edit.id == edit for row in pane.edits.list.records)
    pane.edits.kind.setCurrentIndex(pane.edits.kind.findData("dismissed"))
    press(pane, Key.Key_Down)
    assert pane.state.edit_id == edit and pane.side.current == edit, "it can be looked at"
    assert commands.text("linking.dismiss_edit") == "Restore edit" and not commands.enabled("linking.link")
    press(pane, Key.Key_R, modifiers=SHIFT)
    assert len(pane.study.edits) == 4 and marks_of(pane, "edits", edit)
    undo(pane)
    undo(pane)
    assert len(pane.study.links) == 1 and not pane.study.dismissed


@pytest.mark.parametrize(("zoom", "room"), [(1.0, 700), (1.5, 560)])
def test_guidelines_leave_both_pages_readable(pane: LinkingPane, qtbot: QtBot, zoom: float, room: int) -> None:
    window_of(pane).resize(1280, 800)
    theme().configure(zoom=zoom)
    try:
        for _ in range(2):
            press(pane, Key.Key_G)
            qtbot.waitUntil(lambda: pane.side.width() < room)  # it is laid out
            qtbot.waitUntil(lambda: all(view.page_layout.scale > 0.72 for view in (pane.side.source, pane.side.target)))
    finally:
        theme().configure(zoom=1.0)


def test_a_state_that_contradicts_links_asks_which_to_keep(pane: LinkingPane) -> None:
    press(pane, Key.Key_L, Key.Key_2)
    (asked,) = pane.banner.notices
    assert "1 link" in asked.what and "Answered without an edit" in asked.what
    assert state(pane) == "linked" and len(pane.study.links) == 1, "nothing was changed yet"
    assert list(dict(asked.actions)) == ["Remove the link", "Keep the link"]
    dict(asked.actions)["Keep the link"]()
    assert not pane.banner.notices and state(pane) == "linked"
    first = pane.state.comment_id
    press(pane, Key.Key_2, Key.Key_2)
    assert pane.study.state(first) == "answered" and not pane.study.links and pane.state.comment_id != first
    undo(pane)
    assert pane.study.state(first) == "linked" and len(pane.study.links) == 1 and not pane.banner.notices
    press(pane, Key.Key_4, Key.Key_J, Key.Key_4)
    assert pane.study.state(first) == "linked", "another comment was meant"
    press(pane, Key.Key_6)
    assert not pane.banner.notices


def test_a_link_that_contradicts_the_state_asks_which_to_keep(pane: LinkingPane) -> None:
    first = pane.state.comment_id
    press(pane, Key.Key_2)
    press(pane, Key.Key_K)
    for key in (Key.Key_L, Key.Key_A):
        press(pane, key)
        (asked,) = pane.banner.notices
        assert "“Answered without an edit”" in asked.what and not pane.study.links and state(pane) == "answered"
        dict(asked.actions)["Keep “Answered without an edit”"]()
        assert not pane.banner.notices
    press(pane, Key.Key_L, Key.Key_J, Key.Key_K)
    assert not pane.banner.notices, "another step withdraws the question"
    press(pane, Key.Key_L, Key.Key_L)
    assert len(pane.study.links) == 1 and pane.study.state(first) == "linked" and not pane.banner.notices
    undo(pane)
    assert not pane.study.links and pane.study.state(first) == "answered"
    press(pane, Key.Key_L)
    press(pane, Key.Key_F6)
    press(pane, Key.Key_Return)
    assert len(pane.study.links) == 1 and pane.study.state(first) == "linked", "Enter presses the button"


def test_what_is_open_when_done_is_kept_up_to_date(pane: LinkingPane) -> None:
    wide = pane.annotator.sizeHint().width(), pane.annotator.minimumWidth()
    press(pane, Key.Key_D, modifiers=SHIFT)
    assert wide[0] < wide[1] == pane.annotator.sizeHint().width(), "nothing beside it moves"
    (said,) = pane.banner.notices
    left = len(pane.study.comments)
    assert f"{left} comments are still undecided" in said.what
    press(pane, Key.Key_2)
    (said,) = pane.banner.notices
    assert f"{left - 1} comment" in said.what
    undo(pane)
    undo(pane)
    assert not pane.annotator.is_done() and not pane.banner.notices


@pytest.mark.qt_log_ignore("This plugin does not support (raise|grabbing)")
def test_done_from_the_menu_lists_what_is_open_too(pane: LinkingPane) -> None:
    pane.annotator.open_menu()
    menu = present(pane.annotator.findChild(QMenu))
    next(action for action in menu.actions() if action.text() == "Done with this paper").trigger()
    menu.close()
    assert pane.annotator.is_done() and "still undecided" in pane.banner.notices[0].what


def test_it_is_kept_whether_suggestions_were_on_screen(pane: LinkingPane, qtbot: QtBot) -> None:
    def kept() -> list[tuple[str, int]]:
        assert pane.project is not None
        rows = pane.project.query("SELECT state, suggested FROM comment_state ORDER BY updated_at, id")
        return [(row[0], row[1]) for row in rows]

    assert pane.study.suggestions[pane.state.comment_id]
    press(pane, Key.Key_2)
    assert kept() == [("answered", 1)]
    from_palette(pane, "Hide suggestions")
    qtbot.waitUntil(lambda: pane.study.hides_suggestions)
    press(pane, Key.Key_3)
    assert kept() == [("answered", 1), ("visual_only", 0)]
    undo(pane)
    assert kept() == [("answered", 1)]


def test_a_doubtful_request_is_dismissed_by_its_key_and_comes_back_by_undo(pane: LinkingPane, qtbot: QtBot) -> None:
    reader, first = pane.state.reader, pane.state.comment_id
    assert reader is not None
    reader.reviews.set_comment_text(first, "The tables are in the appendix.")
    qtbot.waitUntil(lambda: pane.comments.list.current.doubt == "maybe")
    assert pane.comments.card._dismiss.isVisible()
    assert pane.comments.card._dismiss.text().startswith("Not a request")
    press(pane, Key.Key_T)
    assert first not in pane.study.comment_by_id and pane.state.comment_id
    assert not pane.comments.card._dismiss.isVisible()
    undo(pane)
    assert first in pane.study.comment_by_id
    press(pane, Key.Key_T)
    current = pane.state.comment_id
    assert current in pane.study.comment_by_id
    reader.reviews.set_comment_text(current, "The experiments are weak.")
    qtbot.waitUntil(lambda: pane.comments.list.current.doubt == "criticism")
    card = pane.comments.card
    assert card._propose.isVisible() and card._propose.text() == "D"
    assert card._propose.accessibleName() == "Propose an edit"
    menu = command_menu(pane, window_of(pane).commands, COMMENT_MENU)
    assert next(entry for entry in menu.actions() if entry.text().startswith("Not a request")).isEnabled()
    qtbot.mouseClick(card._dismiss, Qt.MouseButton.LeftButton)
    assert current not in pane.study.comment_by_id
    assert not card._dismiss.isVisible() and card._propose.text().startswith("Propose an edit")
