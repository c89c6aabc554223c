"""What the Linking pane shows and changes, without a window."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from desktop_app.panes.linking.lists import CommentFilter, EditFilter, edit_rows
from desktop_app.panes.linking.state import LinkingState
from engine.documents.records import DoubtfulPage
from engine.errors import BadInput
from engine.papers.store import PaperStore
from engine.reviews.records import Span
from engine.reviews.store import ReviewStore
from engine.revision.groups import doubts
from engine.revision.records import NewPassage
from tests.desktop_app.panes.linking.studies import add_comments, versions
from tests.states.linking_states import opened


@pytest.fixture
def state(tmp_path: Path) -> Iterator[LinkingState]:
    with opened(tmp_path) as made:
        yield made


def headings(state: LinkingState) -> list[str]:
    return [row.heading for row in state.selection.edit_rows if row.heading]


def label(state: LinkingState) -> str:
    return state.study.edit_by_id[state.edit_id].label if state.edit_id else ""


def test_it_starts_at_the_first_comment_and_its_best_suggestion(state: LinkingState) -> None:
    assert state.comment_id == state.study.comments[0].id and label(state) == "e001"
    assert headings(state) == ["Suggested · 2", "All edits · 4"]
    assert state.selection.edit_rows[state.selection.edit_at].suggestion is not None
    assert state.study.progress() == "0 of 6 comments decided · 4 edits without a comment"


def test_work_can_be_marked_as_done_before_the_pane_is_shown(state: LinkingState) -> None:
    assert LinkingState(state.project).can_write()


def test_accepting_and_rejecting_go_on_and_undo_comes_back(state: LinkingState) -> None:
    assert state.has_suggestion()
    state.accept()
    assert state.is_linked is False and label(state) == "e002"
    state.reject()
    assert label(state) == "e002" and not state.has_suggestion(), "no other is open: it stays, among all edits"
    state.selection.step_edit(-1)
    assert label(state) == "e001" and state.can_unlink()
    assert state.project is not None
    state.project.undo()
    assert label(state) == "e002" and state.has_suggestion()


def test_a_link_that_is_there_already_is_said_and_not_made_twice(state: LinkingState) -> None:
    assert state.link() == ""
    assert state.link() == "e001 is already linked to this comment."
    assert len(state.study.links) == 1
    state.unlink()
    assert state.study.links == ()


def test_a_state_goes_on_to_the_next_undecided_comment(state: LinkingState) -> None:
    first, second, third = (comment.id for comment in state.study.comments[:3])
    state.selection.choose_comment(second)
    state.set_state("answered")
    assert state.comment_id == third
    state.selection.choose_comment(first)
    state.set_state("undecided")
    assert state.comment_id == first
    assert state.selection.next_undecided() and state.comment_id == third, "the second one is decided"
    with pytest.raises(BadInput):
        state.set_state("linked")
    assert state.comment_id == third


def test_filters_apply_to_suggestions_too_and_keep_a_current_edit(state: LinkingState) -> None:
    kinds = {edit.kind for edit in state.study.edits}
    suggested = [row.edit for row in state.selection.edit_rows if row.suggestion and row.edit]
    for kind in kinds:
        state.selection.filter_edits(EditFilter(kind=kind))
        shown = [row.edit for row in state.selection.edit_rows if row.suggestion and row.edit]
        assert shown == [edit for edit in suggested if edit.kind == kind or (kind == "moved" and edit.moved)]
        assert headings(state)[0] == f"Suggested · {len(shown)} of 2"
    state.selection.filter_edits(EditFilter(text="no such words"))
    assert state.edit_id == "" and not state.can_link()
    state.selection.filter_edits(EditFilter())
    assert label(state) == "e001"


def test_the_comment_that_one_works_on_stays_in_a_filtered_list(state: LinkingState) -> None:
    state.selection.filter_comments(CommentFilter(state="undecided"))
    state.link()
    assert state.selection.comment_at == 0 and len(state.selection.comment_rows) == 6
    state.selection.filter_comments(CommentFilter(state="undecided"))
    assert len(state.selection.comment_rows) == 5 and state.comment_id == state.study.comments[1].id
    state.selection.choose_comment(state.study.comments[0].id)
    assert state.selection.comment_filter == CommentFilter(), "a filter that hides what is chosen is cleared"


def test_steps_stay_within_the_lists(state: LinkingState) -> None:
    state.selection.step_comment(-1)
    assert state.comment_id == state.study.comments[0].id
    for _ in range(9):
        state.selection.step_comment(1)
    assert state.comment_id == state.study.comments[-1].id
    for _ in range(9):
        state.selection.step_edit(1)
    assert state.selection.edit_at == len(state.selection.edit_rows) - 1
    for _ in range(9):
        state.selection.step_edit(-1)
    assert state.selection.edit_at == 1, "the heading is no edit"


def test_nothing_can_be_decided_where_it_is_not_seen(state: LinkingState) -> None:
    assert state.can_link() and not state.can_mark()
    state.mode = "coverage"
    assert state.can_decide() and not state.can_link() and not state.has_suggestion()
    state.mode = "reviews"
    assert not state.can_decide() and state.can_mark() and state.can_relabel()
    state.marking.choose("")
    assert state.can_mark() and not state.can_relabel()


def test_marking_follows_the_text_and_the_comment(state: LinkingState) -> None:
    marking = state.marking
    assert state.project is not None
    words, paper = "A first point. A word. A second point.", state.study.paper
    assert paper is not None
    text = ReviewStore(state.project).add_text("Review 3", words, reviewer="R3", paper_id=paper.id)
    marking.choose_text(text.texts[0].id)
    marking.mark(Span(0, 14))
    assert marking.comment is not None and marking.comment.comment == "A first point."
    assert marking.take_caret() is None, "one is there"
    marking.mark(Span(23, 38))
    marking.step(-1)
    assert marking.comment.comment == "A first point." and marking.take_caret() == 0 and marking.take_caret() is None
    marking.step(1)
    marking.merge()
    assert [comment.comment for comment in marking.comments] == ["A first point. [...] A second point."]
    marking.toggle_action("compare")
    assert marking.comment.action == "compare"
    marking.toggle_action("compare")
    assert marking.comment.action is None
    marking.edit("response", "We agree.", marking.comment_id)
    assert marking.comment.response == "We agree."
    marking.toggle_request()
    assert marking.comments[0] in state.study.remarks
    marking.delete()
    assert marking.comments == [] and marking.comment is None


def test_another_paper_is_another_study(state: LinkingState) -> None:
    assert state.project is not None
    papers = PaperStore(state.project)
    other = papers.add_paper("another")
    add_comments(state.project, other)
    state.refresh(other)
    assert state.study.paper is not None and state.study.paper.title == "another"
    assert state.study.edits == () and len(state.study.comments) == 6 and not state.can_decide()
    first = state.study.comments[0].id
    state.refresh(papers.papers()[0].id)
    assert len(state.study.edits) == 4 and first not in state.study.comment_by_id
    assert state.comment_id == state.study.comments[0].id


def test_lost_links_come_first(state: LinkingState) -> None:
    state.link()
    link, edit = state.study.links[0], state.study.edits[0]
    lost = replace(state.study, edits=state.study.edits[1:], lost=((link, edit),))
    rows = edit_rows(lost, state.comment_id, EditFilter())
    assert rows[0].heading == "! Needs attention · 1 no longer found"
    assert rows[1].key == (edit.id, True) and "no longer found" in rows[1].spoken


def test_an_edit_on_a_page_that_cannot_be_trusted_says_so(state: LinkingState) -> None:
    study, reader = state.study, state.reader
    assert reader is not None and study.source is not None and study.target is not None
    texts = {v.document_id: reader.documents.parsed(v.document_id) for v in (study.source, study.target)}
    old, new = texts[study.source.document_id], texts[study.target.document_id]
    assert old is not None and new is not None
    reader.texts = dict(texts)
    state.text_read()
    assert state.study.doubts == {}
    changed = next(edit for edit in study.edits if edit.target_ids)
    page = next(p.page for p in new.paragraphs if p.id == changed.target_ids[0])
    reader.texts[study.target.document_id] = replace(new, doubtful=(DoubtfulPage(page, "absurd words", 0.9),))
    state.text_read()
    (said,) = state.study.doubts[changed.id]
    assert said.startswith(f"Revised version: Page {page} ") and "words" in said
    row = next(row for row in state.selection.edit_rows if row.edit is not None and row.edit.id == changed.id)
    assert said in row.tip and said in row.spoken
    elsewhere = replace(new, doubtful=(DoubtfulPage(page + 50, "scan", 1.0),))
    assert doubts([changed], old, elsewhere) == {}


def test_a_doubtful_request_is_dismissed_in_one_step_and_the_next_one_is_current(state: LinkingState) -> None:
    first, second = (comment.id for comment in state.study.comments[:2])
    assert not state.can_dismiss()
    state.show_doubtful({first: "maybe", second: "criticism"})
    assert state.can_dismiss() and [row.doubt for row in state.selection.comment_rows[:2]] == ["maybe", "criticism"]
    assert "may not be a request" in state.selection.comment_rows[0].spoken
    state.selection.filter_comments(CommentFilter(state="criticism"))
    assert [row.id for row in state.selection.comment_rows if row.id != first] == [second], "the current one stays"
    assert "criticism without a request" in state.selection.comment_rows[-1].spoken
    state.selection.filter_comments(CommentFilter(state="maybe"))
    state.selection.choose_comment(first)
    assert first in [row.id for row in state.selection.comment_rows]
    state.selection.filter_comments(CommentFilter())
    state.toggle_request()
    assert state.comment_id == second and first in {comment.id for comment in state.study.remarks}
    assert state.project is not None
    state.project.undo()
    assert first in state.study.comment_by_id
    state.selection.choose_comment(first)
    state.set_state("answered")
    assert not state.study.doubt(first), "somebody decided on it"


def test_the_last_comment_of_the_list_leaves_to_the_one_before_it(state: LinkingState) -> None:
    *_, before, last = (comment.id for comment in state.study.comments)
    state.show_doubtful({last: "criticism"})
    state.selection.choose_comment(last)
    state.toggle_request()
    assert state.comment_id == before and not state.can_dismiss()


def test_an_edit_that_is_none_is_dismissed_and_restored_from_its_list(state: LinkingState) -> None:
    state.link()
    edit = state.edit_id
    assert state.can_dismiss_edit() and not state.can_restore_edit()
    assert state.toggle_dismissed() == "e001 was dismissed with 1 link"
    assert label(state) == "e002" and headings(state) == ["Suggested · 1", "All edits · 3"]
    assert state.study.progress() == "0 of 6 comments decided · 3 edits without a comment"
    assert not any(s.edit_id == edit for found in state.study.suggestions.values() for s in found)
    state.selection.filter_edits(EditFilter(kind="dismissed"))
    assert headings(state)[-1] == "Dismissed · 1 of 1" and state.edit_id != edit
    state.selection.choose_edit(edit)
    assert state.can_restore_edit() and not state.can_link() and not state.has_suggestion()
    assert state.toggle_dismissed() == "e001 was restored"
    assert len(state.study.edits) == 4 and state.study.links == ()
    assert state.project is not None
    state.project.undo()
    assert state.edit_id == edit and state.can_restore_edit(), "it goes to where it is listed"
    state.project.undo()
    assert label(state) == "e001" and len(state.study.links) == 1 and not state.study.dismissed


def test_selected_words_become_a_link_where_no_edit_was_found(state: LinkingState) -> None:
    edited, free = versions()[1][2], versions()[1][4]
    words = "second and much clearer sentence"
    assert state.link_passage(NewPassage(words, (edited.id,), edited.section, 2)).startswith("These words are in e001")
    assert label(state) == "e001" and state.study.links == () and state.study.passages == ()
    passage = NewPassage(free.text[:40], (free.id,), free.section, 4)
    assert state.link_passage(passage) == ""
    assert label(state) == "p1" and "Passages · 1" in headings(state) and state.is_linked
    row = state.selection.edit_rows[state.selection.edit_at]
    assert row.runs == (("equal", free.text[:40]),) and row.spoken.startswith("p1, passage, ")
    assert not state.can_dismiss_edit() and len(state.study.edits) == 4
    assert state.study.progress() == "1 of 6 comments decided · 4 edits without a comment"
    assert state.link_passage(passage) == "This passage is already linked to this comment."
    key = state.edit_id
    state.selection.step_comment(1)
    assert "Passages · 1" not in headings(state)
    state.selection.choose_edit(key)
    assert state.comment_id == state.study.comments[0].id and state.edit_id == key
    state.unlink()
    assert state.study.passages == () and state.edit_id != key
    assert state.project is not None
    state.project.undo()
    assert state.edit_id == key
