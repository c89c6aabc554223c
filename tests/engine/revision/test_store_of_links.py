"""The linking verbs: one act is one undo step, states follow links, nothing is lost."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.errors import BadInput
from engine.operations.comments import merge_comments
from engine.operations.removing import remove_comments
from engine.project import Changes
from engine.revision.records import CommentState, NewLink, RevisionDiff
from engine.shown import shortened
from tests.engine.revision.studies import TEXTS, Study, detached, make_edit


def test_a_comparison_comes_back_as_it_was_saved(study: Study) -> None:
    revision = study.store.revision(study.revision)
    assert (revision.source_document_id, revision.target_document_id) == ("d1", "d2")
    assert revision.unchanged == ((("S9",), ("T9",)),)
    assert dict(revision.parameters) == {"threshold": "0.2"}
    assert study.store.revision_of("d1", "d2") == revision
    assert study.store.revision_of("d2", "d1") is None
    assert study.store.revisions() == (revision,)
    read = study.store.edits(study.revision)
    assert [replace(edit, id=edit.label, label="") for edit in read] == list(study.diff.edits)
    assert study.store.edit(read[2].id) == read[2]
    assert study.store.edits(study.revision) is read, "read once"
    with pytest.raises(KeyError):
        study.store.edits("nothing")


def test_results_are_no_undo_steps(study: Study) -> None:
    study.suggest()
    assert study.project.undo_title == "Import review"


def test_linking_makes_an_undecided_comment_linked_in_one_step(study: Study) -> None:
    change = study.store.link_comment(study.comments[0], study.edits[1])
    assert [(link.origin, link.note, link.confidence) for link in change.links] == [("person", "", None)]
    assert [judgement.state for judgement in change.states] == ["linked"]
    assert (study.pairs(), study.state(0)) == ({(0, 1)}, "linked")
    row = study.project.query_one("SELECT comment FROM comment WHERE id = ?", (study.comments[0],))
    assert row is not None
    named = f"“{shortened(row[0], 40)}”"
    assert study.project.undo_title == f"Link {named} to edit {study.store.edit(study.edits[1]).label}"
    study.project.undo()
    assert (study.pairs(), study.state(0)) == (set(), "undecided")
    study.project.redo()
    assert (study.pairs(), study.state(0)) == ({(0, 1)}, "linked")
    assert study.store.links(study.revision) == change.links


def test_linking_twice_changes_nothing_and_leaves_no_step(study: Study) -> None:
    study.store.link_comment(study.comments[0], study.edits[1])
    steps = len(study.project.history())
    assert study.store.link_comment(study.comments[0], study.edits[1]) == study.store.link_from([], "person")
    assert len(study.project.history()) == steps


def test_unlinking_the_last_link_makes_the_comment_undecided_again(study: Study) -> None:
    study.store.link_from(
        [NewLink(study.comments[0], study.edits[0]), NewLink(study.comments[0], study.edits[1])], "person"
    )
    assert study.project.undo_title == "Link 2 pairs"
    assert study.store.unlink_comment(study.comments[0], study.edits[0]).states == ()
    assert study.state(0) == "linked"
    assert [j.state for j in study.store.unlink_comment(study.comments[0], study.edits[1]).states] == ["undecided"]
    assert study.state(0) == "undecided"
    study.project.undo()
    assert (study.state(0), study.pairs()) == ("linked", {(0, 1)})
    study.store.unlink_comment(study.comments[0], study.edits[1])
    assert (study.state(0), study.pairs()) == ("undecided", set())


@pytest.mark.parametrize("state", ["answered", "visual_only", "not_addressed"])
def test_a_decision_of_a_person_is_not_overwritten_by_links(study: Study, state: CommentState) -> None:
    study.store.set_comment_state(study.revision, study.comments[0], state)
    study.store.link_comment(study.comments[0], study.edits[0])
    assert study.state(0) == state
    study.store.unlink_comment(study.comments[0], study.edits[0])
    assert study.state(0) == state
    study.store.link_comment(study.comments[0], study.edits[0], overrule=True)
    assert study.state(0) == "linked"
    study.project.undo()
    assert (study.state(0), study.pairs()) == (state, set())


def test_no_edit_found_gives_way_to_a_link(study: Study) -> None:
    study.store.set_comment_state(study.revision, study.comments[0], "no_edit_found")
    study.store.link_comment(study.comments[0], study.edits[0])
    assert study.state(0) == "linked"


def test_linked_without_a_link_is_refused_with_a_word_and_nothing_stays(study: Study) -> None:
    study.store.link_comment(study.comments[0], study.edits[0])
    study.store.set_comment_state(study.revision, study.comments[0], "undecided")
    steps = len(study.project.history())
    with pytest.raises(BadInput, match="This comment isn't linked to any edit"):
        study.store.set_comment_state(study.revision, [study.comments[0], study.comments[1]], "linked")
    assert (study.state(0), len(study.project.history())) == ("undecided", steps)


def test_states_of_many_comments_are_one_step_and_keep_their_notes(study: Study) -> None:
    study.store.set_comment_state(study.revision, study.comments[0], "answered", note="in the letter")
    change = study.store.set_comment_state(study.revision, study.comments, "not_addressed")
    assert [judgement.note for judgement in change.states] == ["in the letter", "", ""]
    assert study.project.undo_title == "Mark 3 comments as not addressed"
    study.project.undo()
    assert [study.state(n) for n in range(3)] == ["answered", "undecided", "undecided"]


def test_import_keeps_provenance_and_is_one_step(study: Study) -> None:
    study.store.link_comment(study.comments[0], study.edits[0])
    pairs = [NewLink(comment, edit) for comment in study.comments for edit in study.edits[:2]]
    change = study.store.import_links(pairs, "edit_labels.jsonl")
    assert len(change.links) == 5, "the pair that was there keeps its own origin"
    assert study.project.undo_title == "Import 6 links from edit_labels.jsonl"
    origins = [link.origin for link in study.store.links(study.revision)]
    assert origins.count("import:edit_labels.jsonl") == 5 and origins.count("person") == 1
    study.project.undo()
    assert study.pairs() == {(0, 0)}


def test_a_link_to_nothing_is_a_bug_and_leaves_nothing(study: Study) -> None:
    with pytest.raises(KeyError):
        study.store.link_from(
            [NewLink(study.comments[0], study.edits[0]), NewLink(study.comments[0], "no such edit")], "person"
        )
    with pytest.raises(sqlite3.IntegrityError):
        study.store.link_comment("no such comment", study.edits[0])
    assert study.pairs() == set()


def test_progress_counts(study: Study) -> None:
    study.store.link_from(
        [NewLink(study.comments[0], study.edits[0]), NewLink(study.comments[1], study.edits[0])], "person"
    )
    study.store.set_comment_state(study.revision, study.comments[2], "answered")
    progress = study.store.progress(study.revision, study.comments[1:])
    assert (progress.decided, progress.undecided, progress.needs_attention) == (2, 0, 0)


def test_the_change_signal_names_the_tables_and_the_initiator(study: Study) -> None:
    seen: list[Changes] = []
    study.project.subscribe(seen.append)
    pane = object()
    with study.project.action("Link", initiator=pane):
        change = study.store.link_comment(study.comments[0], study.edits[0])
    assert seen[0].initiator is pane
    assert seen[0].rows["edit_link"] == {change.links[0].id}
    assert "comment_state" in seen[0].tables


def test_another_annotator_sees_only_their_own_links(study: Study) -> None:
    study.store.link_comment(study.comments[0], study.edits[0])
    ann = study.project.annotator_id
    study.project.set_annotator("Ben")
    assert study.pairs() == set() and study.state(0) == "undecided"
    study.store.link_comment(study.comments[0], study.edits[0])
    assert len(study.store.links(study.revision)) == len(study.store.links(study.revision, annotator_id=ann)) == 1


def test_comments_can_be_deleted_with_their_links_and_come_back(study: Study) -> None:
    study.store.link_comment(study.comments[0], study.edits[0])
    study.store.reject_suggestion(study.suggest()[1])
    remove_comments(study.project, [study.comments[0]])
    assert study.pairs() == set()
    study.project.undo()
    assert (study.pairs(), study.state(0)) == ({(0, 0)}, "linked")


def test_links_of_merged_comments_move_to_the_one_that_is_kept(study: Study) -> None:
    kept, *merged = study.comments
    study.store.import_links([NewLink(comment, study.edits[1]) for comment in merged], "labels.jsonl")
    study.store.link_from([NewLink(merged[0], study.edits[2], note="why")], "person")
    before = study.store.links(study.revision)
    merge_comments(study.project, [kept, *merged])
    assert study.pairs() == {(0, 1), (0, 2)} and study.state(0) == "linked"
    links = study.store.links(study.revision)
    assert {(link.origin, link.note) for link in links} == {("import:labels.jsonl", ""), ("person", "why")}
    study.project.undo()
    assert study.store.links(study.revision) == before


# --- a new comparison -----------------------------------------------------------------------------


def test_links_survive_a_new_comparison_by_their_text(study: Study) -> None:
    study.store.link_from([NewLink(study.comments[0], edit) for edit in study.edits], "person")
    changed = (
        make_edit(50, TEXTS[2] + " The search took two days."),  # grew, and stands first now
        make_edit(51, TEXTS[0].upper()),
        make_edit(52, "A wholly new paragraph about matters that nobody had written on before this version came."),
        make_edit(53, TEXTS[3]),
    )
    saved = study.store.save_diff("d1", "d2", RevisionDiff(changed, ()))
    assert (saved.revision_id, saved.kept, saved.new, saved.retired, saved.needs_attention) == (
        study.revision,
        3,
        1,
        1,
        1,
    )
    edits = study.store.edits(study.revision)
    assert [edit.label for edit in edits] == ["e050", "e051", "e052", "e053"]
    assert [edits[0].id, edits[1].id, edits[3].id] == [study.edits[2], study.edits[0], study.edits[3]]
    (lost,) = detached(study.store, study.revision)
    assert lost.edit_id == study.edits[1] and not lost.attached
    assert study.store.edit(lost.edit_id).target_text == TEXTS[1], "what it was can still be shown"
    assert len(study.store.links(study.revision)) == 4


def test_an_edit_that_comes_back_takes_its_links_back(study: Study) -> None:
    study.store.link_comment(study.comments[0], study.edits[1])
    study.store.save_diff("d1", "d2", RevisionDiff(study.diff.edits[2:], ()))
    assert len(detached(study.store, study.revision)) == 1
    study.store.save_diff("d1", "d2", study.diff)
    assert detached(study.store, study.revision) == ()
    assert [edit.id for edit in study.store.edits(study.revision)] == study.edits


def test_undo_reaches_back_over_a_new_comparison(study: Study) -> None:
    study.store.link_comment(study.comments[0], study.edits[1])
    study.store.unlink_comment(study.comments[0], study.edits[1])
    study.store.save_diff("d1", "d2", RevisionDiff((), ()))
    study.project.undo()
    assert [link.edit_id for link in detached(study.store, study.revision)] == [study.edits[1]]
    study.project.undo()
    assert study.store.links(study.revision) == ()


def test_reattaching_keeps_note_and_origin_and_is_undoable(study: Study) -> None:
    study.store.import_links([NewLink(study.comments[0], study.edits[1], note="kept")], "labels.jsonl")
    study.store.save_diff("d1", "d2", RevisionDiff(study.diff.edits[:1], ()))
    (lost,) = detached(study.store, study.revision)
    (link,) = study.store.reattach_link(lost.id, study.edits[0]).links
    assert "Move link of “" in str(study.project.undo_title) and "to edit" in str(study.project.undo_title)
    assert (link.edit_id, link.note, link.origin, link.attached) == (
        study.edits[0],
        "kept",
        "import:labels.jsonl",
        True,
    )
    study.project.undo()
    assert detached(study.store, study.revision) == (lost,)
    study.store.link_comment(study.comments[0], study.edits[0])
    assert len(study.store.reattach_link(lost.id, study.edits[0]).removed) == 1, "the pair was linked already"
    assert study.pairs() == {(0, 0)}


def test_suggestions_for_edits_that_are_gone_are_not_offered(study: Study) -> None:
    study.suggest()
    study.store.save_diff("d1", "d2", RevisionDiff(study.diff.edits[1:], ()))
    assert [s.edit_id for s in study.store.suggestions(study.revision, study.comments[0])] == study.edits[1:]


# --- any sequence ---------------------------------------------------------------------------------

Verb = Callable[[Study, int, int], object]
VERBS: tuple[Verb, ...] = (
    lambda study, c, e: study.store.link_comment(study.comments[c], study.edits[e]),
    lambda study, c, e: study.store.unlink_comment(study.comments[c], study.edits[e]),
    lambda study, c, e: study.store.set_comment_state(
        study.revision, study.comments[c], ("answered", "visual_only", "not_addressed", "undecided")[e]
    ),
    lambda study, c, e: study.store.accept_suggestion(study.store.suggestions(study.revision, study.comments[c])[e]),
    lambda study, c, e: study.store.reject_suggestion(study.store.suggestions(study.revision, study.comments[c])[e]),
)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(st.sampled_from(range(len(VERBS))), st.integers(0, 2), st.integers(0, 3)), max_size=12))
def test_any_sequence_can_be_taken_back_and_the_states_always_fit_the_links(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[int, int, int]]
) -> None:
    study = Study(tmp_path_factory.mktemp("sequence") / "p.rejoinder")
    study.suggest()

    def picture() -> object:
        return (
            study.store.links(study.revision),
            study.store.comment_states(study.revision),
            study.store.decisions(study.revision),
        )

    seen = {study.project.history(1)[0].id: picture()}
    for verb, comment, edit in steps:
        VERBS[verb](study, comment, edit)
        seen[study.project.history(1)[0].id] = picture()
        linked = {link.comment_id for link in study.store.links(study.revision)}
        for comment_id, judgement in study.store.comment_states(study.revision).items():
            assert judgement.state != "linked" or comment_id in linked
    for step, expected in sorted(seen.items(), reverse=True):
        study.project.go_to(step)
        assert picture() == expected
    for step, expected in sorted(seen.items()):
        study.project.go_to(step)
        assert picture() == expected
    study.project.close()
