"""Linking by keyboard: every decision is one key, one undo step, and the pane stays where one was."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop_app.panes.linking import pages
from desktop_app.panes.linking.lists import CALIBRATED, EditRow, snippet
from desktop_app.panes.linking.pane import LinkingPane
from desktop_app.panes.linking.terms import EDIT_MENU
from desktop_app.widgets.command_menu import command_menu
from desktop_app.window import MainWindow
from engine.errors import EnvironmentProblem
from engine.papers.store import PaperStore
from engine.revision.aligners import head
from engine.revision.records import RevisionDiff, Suggestion
from engine.revision.store import RevisionStore
from tests.desktop_app.pane_cases import assert_words_whole
from tests.desktop_app.panes.linking.conftest import OpenPane
from tests.desktop_app.panes.linking.studies import add_comments

Key = Qt.Key


def window_of(pane: LinkingPane) -> MainWindow:
    found = pane.window()
    assert isinstance(found, MainWindow)
    return found


def press(pane: LinkingPane, *keys: Qt.Key, modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    for key in keys:
        QTest.keyClick(QApplication.focusWidget() or pane, key, modifiers)


def undo(pane: LinkingPane) -> None:
    press(pane, Key.Key_Z, modifiers=Qt.KeyboardModifier.ControlModifier)


def labels(pane: LinkingPane) -> tuple[str, str]:
    """The comment and the edit at hand, as people read them."""
    comment = pane.study.comment_by_id[pane.state.comment_id]
    edit = pane.study.edit_by_id.get(pane.state.edit_id)
    return comment.comment, edit.label if edit else ""


def listed(pane: LinkingPane) -> int:
    """How many edits pass the filter."""
    return sum(row.edit is not None and row.suggestion is None for row in pane.edits.list.records)


def state(pane: LinkingPane) -> str:
    return pane.study.state(pane.state.comment_id)


def test_it_opens_on_the_first_comment_with_its_best_suggestion(pane: LinkingPane) -> None:
    assert labels(pane) == ("It is unclear how the split was made.", "e001")
    assert pane.side.current == pane.state.edit_id
    assert pane.status_text == "0 of 6 comments decided · 4 edits without a comment"
    assert [row.heading for row in pane.state.selection.edit_rows if row.heading] == ["Suggested · 2", "All edits · 4"]


def test_comments_and_edits_are_walked_by_their_keys(pane: LinkingPane) -> None:
    press(pane, Key.Key_J, Key.Key_J)
    assert labels(pane) == ("Figure 2 is too small.", "e003")
    press(pane, Key.Key_Down)
    assert labels(pane)[1] == "e004"
    press(pane, Key.Key_Down)
    assert labels(pane)[1] == "e001"
    press(pane, Key.Key_Up, Key.Key_K)
    assert labels(pane) == ("The second sentence is hard to read.", "e002")


def test_linking_accepts_what_was_suggested_and_undo_comes_back_to_it(pane: LinkingPane) -> None:
    press(pane, Key.Key_L)
    assert state(pane) == "linked"
    assert pane.study.links[0].origin == "model:fused@1"
    assert pane.status_text == "1 of 6 comments decided · 3 edits without a comment"
    press(pane, Key.Key_J, Key.Key_J, Key.Key_Down)
    undo(pane)
    assert labels(pane) == ("It is unclear how the split was made.", "e001")
    assert state(pane) == "undecided"
    assert pane.study.links == ()
    press(pane, Key.Key_Z, modifiers=Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier)
    assert state(pane) == "linked"


def test_a_link_by_hand_carries_the_person_and_can_be_taken_away(pane: LinkingPane) -> None:
    press(pane, Key.Key_Down, Key.Key_Down, Key.Key_Down, Key.Key_Down, Key.Key_Down)
    assert labels(pane)[1] == "e004"
    press(pane, Key.Key_L)
    assert [link.origin for link in pane.study.links] == ["person"]
    assert pane.state.selection.edit_rows[pane.edits.list.currentIndex().row()].linked_here
    press(pane, Key.Key_U)
    assert pane.study.links == ()
    assert state(pane) == "undecided"
    assert labels(pane)[1] == "e004"


def test_one_comment_takes_many_edits_and_one_edit_many_comments(pane: LinkingPane) -> None:
    press(pane, Key.Key_L, Key.Key_Down, Key.Key_L, Key.Key_J)
    assert labels(pane)[1] == "e002"
    press(pane, Key.Key_L)
    pairs = {
        (pane.study.numbers[link.comment_id][0], pane.study.edit_by_id[link.edit_id].label) for link in pane.study.links
    }
    assert pairs == {(1, "e001"), (1, "e002"), (2, "e002")}


def test_a_problem_of_a_decision_goes_with_the_next_one_that_works(
    pane: LinkingPane, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_args: object, **_options: object) -> None:
        raise EnvironmentProblem("The disk is full.", "", "")

    shown = len(pane.banner.notices)
    with monkeypatch.context() as broken:
        broken.setattr(RevisionStore, "reject_suggestion", fail)
        at = pane.state.edit_id
        pane.do(pane.state.reject)
        assert pane.state.edit_id == at, "it stays where it was"
    assert "The disk is full." in [notice.what for notice in pane.banner.notices]
    pane.do(pane.state.reject)
    assert len(pane.banner.notices) == shown
    assert pane.state.edit_id != at, "and goes on to the next suggestion"


def test_accept_and_reject_go_on_to_the_next_suggestion(pane: LinkingPane) -> None:
    press(pane, Key.Key_A)
    assert labels(pane)[1] == "e002"
    press(pane, Key.Key_R)
    offered = pane.study.suggestions[pane.state.comment_id]
    assert [suggestion.decision for suggestion in offered] == ["accepted", "rejected"]
    assert [row.edit.label for row in pane.state.selection.edit_rows if row.edit and row.suggestion] == ["e001"]
    undo(pane)
    assert labels(pane)[1] == "e002"
    assert [s.decision for s in pane.study.suggestions[pane.state.comment_id]] == ["accepted", None]


def test_saying_what_is_wrong_rejects_the_suggestion_and_is_ticked(pane: LinkingPane) -> None:
    commands = pane.context.commands
    assert commands.text("linking.mistake_too_topical") == "Reject: too topical"
    commands.run("linking.mistake_too_topical")
    commands.run("linking.mistake_bad_parsing")
    offered = pane.study.suggestions[pane.state.comment_id][0]
    assert (offered.decision, offered.mistakes) == ("rejected", ("too-topical", "bad-parsing"))
    assert labels(pane)[1] == "e001", "one can give further reasons"
    assert commands.text("linking.mistake_too_topical") == "✓ Reject: too topical"
    commands.run("linking.mistake_too_topical")
    assert pane.study.suggestions[pane.state.comment_id][0].mistakes == ("bad-parsing",)
    undo(pane)
    assert pane.study.suggestions[pane.state.comment_id][0].mistakes == ("too-topical", "bad-parsing")
    press(pane, Key.Key_L)
    assert not commands.enabled("linking.mistake_too_topical"), "what is linked is no mistake"


def test_a_state_is_one_key_and_moves_on_to_the_next_undecided_comment(pane: LinkingPane) -> None:
    press(pane, Key.Key_2, Key.Key_3, Key.Key_4, Key.Key_5)
    states = [pane.study.state(comment.id) for comment in pane.study.comments]
    assert states == ["answered", "visual_only", "not_addressed", "no_edit_found", "undecided", "undecided"]
    assert labels(pane)[0] == "Compare with a stronger baseline."
    press(pane, Key.Key_Space)
    assert labels(pane)[0] == "Remove the paragraph on topic six."
    press(pane, Key.Key_Space)
    assert labels(pane)[0] == "Compare with a stronger baseline."
    for _ in range(4):
        undo(pane)
    assert all(pane.study.state(comment.id) == "undecided" for comment in pane.study.comments)


def test_saying_linked_without_a_link_explains_itself_and_changes_nothing(pane: LinkingPane) -> None:
    press(pane, Key.Key_1)
    assert state(pane) == "undecided"
    (notice,) = pane.banner.notices
    assert notice.what == "This comment isn't linked to any edit yet."
    press(pane, Key.Key_L)
    assert not pane.banner.notices


def test_decisions_are_there_after_reopening(open_pane: OpenPane, pane: LinkingPane, study_path: Path) -> None:
    press(pane, Key.Key_L, Key.Key_J, Key.Key_4)
    window_of(pane).bridge.set_project(None)
    again = open_pane(study_path)
    assert again.study.decided == 2
    assert len(again.study.links) == 1


def test_the_pane_shows_the_paper_of_the_window(pane: LinkingPane, qtbot: QtBot) -> None:
    assert pane.project is not None
    first = pane.paper_id
    press(pane, Key.Key_L)
    other = PaperStore(pane.project).add_paper("Another paper")
    add_comments(pane.project, other)
    assert pane.study.paper is not None and pane.study.paper.id == first, "a new paper takes nobody away"
    pane.context.papers.choose(other)
    assert pane.study.paper is not None and pane.study.paper.id == other
    assert len(pane.comments.list.records) == 6 and pane.edits.list.records == () and not pane.state.can_link()
    qtbot.waitUntil(lambda: pane.side.source.pages == 0 and pane.side.target.pages == 0)
    pane.context.papers.choose(first)
    assert len(pane.study.links) == 1 and labels(pane)[0] == "It is unclear how the split was made."
    qtbot.waitUntil(lambda: pane.side.source.pages > 0 and pane.side.target.pages > 0)


def test_the_title_of_the_paper_can_be_read_at_the_usual_width(pane: LinkingPane, qtbot: QtBot) -> None:
    pane.window().resize(1280, 800)
    qtbot.waitUntil(lambda: pane.window().width() == 1280 and pane.tools._title.width() >= 250)


def test_a_click_on_a_heading_of_a_list_selects_nothing(pane: LinkingPane) -> None:
    edits = pane.edits.list
    before, place = edits.currentIndex(), edits.visualRect(edits.model().index(0, 0)).center()
    QTest.mouseClick(edits.viewport(), Qt.MouseButton.LeftButton, pos=place)
    QTest.mouseDClick(edits.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert edits.currentIndex() == before and before.row() == 1


def test_linked_edits_are_framed_on_pages_that_are_opened_late(pane: LinkingPane, qtbot: QtBot) -> None:
    press(pane, Key.Key_L)
    pane.pages._files["source"] = ""
    with qtbot.waitSignal(pane.pages.fetcher.fetched, check_params_cb=lambda name, _: name == "open source"):
        pane.pages.show_versions(pane.study, {"paper_version"})
    assert pane.side._standing.linked == {pane.study.links[0].edit_id}


def test_what_is_read_ahead_leaves_pythons_lock_to_painting(
    open_pane: OpenPane, study_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On one thread, and with a pause after each edit: else a long paper keeps the window from painting."""
    pauses: list[int] = []
    monkeypatch.setattr(pages, "QThread", type("Recorded", (), {"msleep": staticmethod(pauses.append)}))
    threads: list[str] = []
    start = threading.Thread.start
    monkeypatch.setattr(threading.Thread, "start", lambda self: (threads.append(self.name), start(self))[1])
    pane = open_pane(study_path)
    qtbot.waitUntil(lambda: not pane.pages.fetcher.busy and bool(pane.side.target.text.paragraphs))
    (reading,) = (name for name in threads if name.startswith("fetch "))
    assert reading.count("text ") == 2 and "words" in reading
    assert len(pauses) == len(pane.study.edits) > 0


def test_filters_narrow_the_lists_and_say_so(pane: LinkingPane) -> None:
    pane.edits.kind.setCurrentIndex(pane.edits.kind.findData("added"))
    assert [row.heading for row in pane.state.selection.edit_rows if row.heading][-1] == "All edits · 1 of 4"
    pane.edits.kind.setCurrentIndex(0)
    pane.edits.section.setCurrentIndex(1)
    assert 0 < listed(pane) < 4
    pane.edits.section.setCurrentIndex(0)
    pane.edits.search.setText("wholly NEW")
    assert listed(pane) == 1
    pane.edits.search.clear()
    press(pane, Key.Key_L)
    pane.edits.unlinked.setChecked(True)
    assert listed(pane) == 3
    pane.comments.reviewer.setCurrentIndex(2)
    assert len(pane.state.selection.comment_rows) == 3
    pane.comments.state.setCurrentIndex(pane.comments.state.findData("unlinked"))
    assert len(pane.state.selection.comment_rows) == 3


def test_groups_other_than_text_are_folded_until_they_are_chosen(pane: LinkingPane) -> None:
    assert pane.state.reader is not None
    revision = pane.study.revision
    assert revision is not None
    entry = replace(pane.study.edits[0], id="", label="e101", group="references")
    table = replace(
        entry, label="e102", group="tables", source_text="Mill\tDays\nOld\t12", target_text="Mill\tDays\nOld\t14"
    )
    pane.state.reader.revisions.save_diff(
        revision.source_document_id,
        revision.target_document_id,
        RevisionDiff((*pane.study.edits, entry, table), revision.unchanged),
        dict(revision.parameters),
    )
    pane.refresh_now()
    box = pane.edits.group
    assert [box.itemText(at) for at in range(box.count())] == [
        "Text · 4", "Tables · 1", "References · 1", "All groups · 6",
    ]  # fmt: skip
    assert pane.state.selection.edit_rows[-5].heading == "All edits · 4 of 6"
    box.setCurrentIndex(box.findData("tables"))
    (row,) = (row for row in pane.edits.list.records if row.edit is not None and row.suggestion is None)
    assert row.runs == (("equal", "Old, Days: "), ("delete", "12 "), ("insert", "14 "))
    assert "Old, Days: 12 14" in row.spoken
    box.setCurrentIndex(box.findData(""))
    assert listed(pane) == 6
    box.setCurrentIndex(box.findData("text"))
    pane.go_to("", next(edit.id for edit in pane.study.edits if edit.group == "references"))
    assert (box.currentData(), listed(pane)) == ("references", 1)


@pytest.mark.parametrize(
    ("before", "after", "runs"),
    [
        ("It takes a minute. Fine.", "It takes eleven seconds. Fine.", "It takes |a minute |eleven seconds|. Fine. "),
        ("It takes (fine) work.", "It takes (very fine) work.", "It takes (|very |fine) work. "),
        ("It takes a minute now. Fine.", "It takes a minute. Fine.", "It takes a minute |now|. Fine. "),
    ],
)
def test_a_listed_change_has_spaces_where_the_text_has_them(before: str, after: str, runs: str) -> None:
    assert "|".join(text for _, text in snippet(before, after)) == runs


def test_the_comment_at_hand_stays_in_a_filtered_list_when_it_is_decided(pane: LinkingPane) -> None:
    pane.comments.state.setCurrentIndex(pane.comments.state.findData("undecided"))
    press(pane, Key.Key_L)
    assert pane.state.selection.comment_at == 0
    assert len(pane.state.selection.comment_rows) == 6


def test_a_change_from_elsewhere_keeps_place_and_selection(pane: LinkingPane) -> None:
    assert pane.state.reader is not None
    press(pane, Key.Key_J, Key.Key_J, Key.Key_Down)
    before = labels(pane), pane.side.target.top
    other = pane.study.comments[5]
    pane.state.reader.revisions.link_comment(other.id, pane.study.edits[3].id)
    assert (labels(pane), pane.side.target.top) == before
    assert pane.study.decided == 1


def test_clicking_an_edit_on_the_page_chooses_it_in_the_list(pane: LinkingPane, qtbot: QtBot) -> None:
    wanted = pane.study.edits[2].id
    pane.side.edit_chosen.emit(wanted)
    assert pane.state.edit_id == wanted
    assert pane.side.current == wanted


def test_search_finds_in_both_versions_and_goes_on_with_enter(pane: LinkingPane) -> None:
    press(pane, Key.Key_F)
    field = QApplication.focusWidget()
    QTest.keyClicks(field, "much clearer")
    assert pane.side.target.has_hits
    assert not pane.side.source.has_hits
    pane.search_next()


def test_the_mouse_can_do_it_too(pane: LinkingPane) -> None:
    rows = pane.edits.list
    at = next(n for n, row in enumerate(rows.records) if row.edit and row.edit.id == pane.study.edits[3].id)
    index = rows.model().index(at, 0)
    rows.scrollTo(index)
    place = rows.visualRect(index).center()
    QTest.mouseClick(rows.viewport(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, place)
    QTest.mouseDClick(rows.viewport(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, place)
    assert [link.edit_id for link in pane.study.links] == [pane.study.edits[3].id]
    menu = command_menu(rows, window_of(pane).commands, EDIT_MENU)
    enabled = {action.text().split("\t")[0]: action.isEnabled() for action in menu.actions() if action.text()}
    assert enabled["Unlink edit from comment"]
    menu.actions()[0].trigger()
    assert pane.status_text.startswith(f"{pane.study.edits[3].label} is already linked to this comment")
    assert len(pane.study.links) == 1
    menu.actions()[1].trigger()
    assert pane.study.links == ()
    menu.close()


def test_pages_turn_together(pane: LinkingPane) -> None:
    press(pane, Key.Key_BracketRight)
    assert pane.side.target.page == 2
    press(pane, Key.Key_BracketRight, Key.Key_BracketLeft)
    assert pane.side.target.page == 2
    press(pane, Key.Key_S)
    assert not pane.side.coupled


def test_letters_typed_into_a_filter_are_no_commands(pane: LinkingPane) -> None:
    pane.edits.search.setFocus()
    QTest.keyClicks(pane.edits.search, "lua")
    assert pane.study.links == ()
    assert pane.edits.search.text() == "lua"


def test_every_key_of_the_pane_is_named_in_its_overview(pane: LinkingPane) -> None:
    keys = dict(pane.key_bar.items())
    assert keys["J/K"] == "comment"
    assert keys["↑/↓"] == "edit"
    assert keys["1–6"] == "state"
    registry = window_of(pane).commands
    registry.remap("linking.link", "Q")
    assert dict(pane.key_bar.items())["Q"] == "link"
    press(pane, Key.Key_Q)
    assert state(pane) == "linked"


def test_caret_keys_stay_with_the_page_while_a_caret_stands_in_it(pane: LinkingPane) -> None:
    press(pane, Key.Key_C)
    assert pane.side.target.caret is not None
    edit = pane.state.edit_id
    press(pane, Key.Key_Down)
    assert pane.state.edit_id == edit
    press(pane, Key.Key_Escape)
    assert pane.side.target.caret is None
    assert pane.comments.list.hasFocus()


def test_a_read_only_project_can_be_looked_at_but_not_changed(
    pane: LinkingPane, open_pane: OpenPane, study_path: Path, qtbot: QtBot
) -> None:
    other = open_pane(study_path)
    assert other.project is not None
    assert other.project.read_only
    press(other, Key.Key_L, Key.Key_2)
    assert other.study.decided == 0
    assert labels(other)[1] == "e001"


def test_each_row_is_spoken_in_full(pane: LinkingPane) -> None:
    row = pane.edits.list.model().index(1, 0).data(int(Qt.ItemDataRole.AccessibleTextRole))
    assert "suggested as likely, score 0.83" in row
    assert "named in the response" in row
    comment = pane.comments.list.model().index(0, 0).data(int(Qt.ItemDataRole.AccessibleTextRole))
    assert comment.startswith("Reviewer 1 · 1 of 3, Undecided.")


@pytest.mark.parametrize(
    ("linked", "origin", "score", "said"),
    [
        (True, "model:fused@4+words", 0.62, "Likely (probability 62 %)"),
        (True, "model:fused@7", 0.9996, "Likely (probability >99 %)"),
        (True, "model:fused@7", 1.0, "Likely (probability >99 %)"),
        (False, "model:fused@5+words", 0.62, "Possible (probability 62 %)"),
        (True, "model:fused@3+words", 0.62, "Likely (score 0.62)"),
        (False, "model:bm25@1", 0.62, "Possible (score 0.62)"),
        (False, "model:fused@5", 0.03, "Unlikely (probability 3 %)"),
        (False, "model:bm25@1", 0.03, "Possible (score 0.03)"),
    ],
)
def test_a_suggestion_is_likely_or_possible_with_the_number_in_its_tip(
    linked: bool, origin: str, score: float, said: str
) -> None:
    row = EditRow("", suggestion=Suggestion("r", "c", "e", 1, score, linked, origin, ("shared words: fish",)))
    assert row.likelihood == said.partition(" ")[0].lower() and row.tip == f"{said}\nshared words: fish"


def test_scores_of_the_default_strategy_are_shown_as_probabilities() -> None:
    assert f"model:fused@{head.VERSION}" == CALIBRATED[-1]


def test_space_on_a_button_presses_the_button(pane: LinkingPane) -> None:
    pane.edits.unlinked.setFocus()
    event = QKeyEvent(QEvent.Type.ShortcutOverride, Key.Key_Space, Qt.KeyboardModifier.NoModifier, " ")
    event.ignore()
    QApplication.sendEvent(pane.edits.unlinked, event)
    assert event.isAccepted()
    press(pane, Key.Key_Space)
    assert pane.edits.unlinked.isChecked()


def test_a_link_whose_edit_is_gone_needs_attention_and_can_be_moved(pane: LinkingPane) -> None:
    press(pane, Key.Key_L)
    assert pane.state.reader is not None
    revision = pane.study.revision
    assert revision is not None
    rest = RevisionDiff(pane.study.edits[1:], revision.unchanged)
    pane.state.reader.revisions.save_diff(
        revision.source_document_id, revision.target_document_id, rest, dict(revision.parameters)
    )
    pane.refresh_now()
    assert pane.status_text.endswith("1 link needs attention")
    assert pane.state.selection.edit_rows[0].heading == "! Needs attention · 1 no longer found"
    assert "no longer found" in pane.edits.list.model().index(1, 0).data(int(Qt.ItemDataRole.AccessibleTextRole))
    pane.go_to("", pane.study.edits[2].id)
    press(pane, Key.Key_H)
    assert pane.study.lost == ()
    assert [link.edit_id for link in pane.study.links] == [pane.study.edits[2].id]
    undo(pane)
    assert len(pane.study.lost) == 1


def test_large_text_cuts_no_button(pane: LinkingPane, qtbot: QtBot) -> None:
    assert_words_whole(pane, qtbot)
