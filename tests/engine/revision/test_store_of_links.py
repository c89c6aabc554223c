"""The linking verbs: one act is one undo step, states follow links, suggestions stay suggestions, nothing is
lost.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.errors import BadInput
from engine.operations.comments import merge_comments
from engine.operations.removing import remove_comments
from engine.project import Changes, Project, new_id, now
from engine.revision.comparison_store import KEPT_SUGGESTIONS
from engine.revision.records import Edit, NewLink, RevisionDiff, Scored, Suggestion
from engine.revision.store import RevisionStore
from tests.engine.revision.papers import latest_run

TEXTS = (
    "The split was made at random over all papers of the corpus, so that no paper stands on both sides of it.",
    "We thank the reviewers for their patience, and we release the code together with the trained weights.",
    "Table 4 lists the hyperparameters that were searched, with the ranges and the final value of each of them.",
    "A limitation of this study is its language: all manuscripts were written in English by native speakers.",
)


def make_edit(number: int, text: str, before: str = "") -> Edit:
    return Edit(
        id=f"e{number:03d}",
        kind="major" if before else "added",
        operation="edit" if before else "add",
        moved=False,
        source_ids=(f"S{number}",) if before else (),
        target_ids=(f"T{number}",),
        source_text=before,
        target_text=text,
        section="Methods",
        tokens_removed=len(before.split()),
        tokens_added=len(text.split()),
    )


def add_comments(project: Project, number: int) -> list[str]:
    source, keys = new_id(), [new_id() for _ in range(number)]
    stamp = (project.annotator_id, now(), now())
    with project.action("Import review") as act:
        act.execute(
            "INSERT INTO source_text(id, title, kind, media_type, text, position, origin, annotator_id, created_at,"
            " updated_at) VALUES (?, 'Review 1', 'review', 'text/plain', '...', 0, 'person', ?, ?, ?)",
            (source, *stamp),
        )
        for position, key in enumerate(keys):
            act.execute(
                "INSERT INTO comment(id, source_id, comment, position, origin, annotator_id, created_at, updated_at)"
                " VALUES (?, ?, ?, ?, 'person', ?, ?, ?)",
                (key, source, f"Comment {position}", position, *stamp),
            )
    return keys


class Desk:
    """A project with a comparison of four edits and three comments."""

    def __init__(self, path: Path) -> None:
        self.project = Project.create(path, title="Desk", annotator="Ann")
        self.store = RevisionStore(self.project)
        self.comments = add_comments(self.project, 3)
        self.diff = RevisionDiff(tuple(make_edit(n, text) for n, text in enumerate(TEXTS)), ((("S9",), ("T9",)),), 0.5)
        self.saved = self.store.save_diff("d1", "d2", self.diff, {"threshold": "0.2"})
        self.revision = self.saved.revision_id
        self.edits = [edit.id for edit in self.store.edits(self.revision)]

    def state(self, comment: int) -> str:
        judgement = self.store.comment_states(self.revision).get(self.comments[comment])
        return "undecided" if judgement is None else judgement.state

    def pairs(self) -> set[tuple[int, int]]:
        return {
            (self.comments.index(link.comment_id), self.edits.index(link.edit_id))
            for link in self.store.links(self.revision)
        }

    def suggest(self, strategy: str = "fused") -> tuple[Suggestion, ...]:
        rankings = {
            comment: tuple(
                Scored(edit, 0.9 - 0.2 * rank, rank == 0, (f"shared words: {rank}",))
                for rank, edit in enumerate(self.edits)
            )
            for comment in self.comments
        }
        self.store.save_suggestions(
            self.revision, strategy, f"model:{strategy}@1", rankings, use_responses=False, parameters={"a": "1"}
        )
        return self.store.suggestions(self.revision, self.comments[0])


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    desk = Desk(tmp_path / "desk.rejoinder")
    yield desk
    desk.project.close()


def test_a_comparison_comes_back_as_it_was_saved(desk: Desk) -> None:
    revision = desk.store.revision(desk.revision)
    assert (revision.source_document_id, revision.target_document_id) == ("d1", "d2")
    assert revision.unchanged == ((("S9",), ("T9",)),)
    assert dict(revision.parameters) == {"threshold": "0.2"}
    assert desk.store.revision_of("d1", "d2") == revision
    assert desk.store.revision_of("d2", "d1") is None
    assert desk.store.revisions() == (revision,)
    read = desk.store.edits(desk.revision)
    assert [replace(edit, id=edit.label, label="") for edit in read] == list(desk.diff.edits)
    assert desk.store.edit(read[2].id) == read[2]
    assert desk.store.edits(desk.revision) is read, "read once"
    with pytest.raises(KeyError):
        desk.store.edits("nothing")


def test_results_are_no_undo_steps(desk: Desk) -> None:
    desk.suggest()
    assert desk.project.undo_title == "Import review"


def test_linking_makes_an_undecided_comment_linked_in_one_step(desk: Desk) -> None:
    change = desk.store.link_comment(desk.comments[0], desk.edits[1], note="see the reply", confidence=0.7)
    assert [(link.origin, link.note, link.confidence) for link in change.links] == [("person", "see the reply", 0.7)]
    assert [judgement.state for judgement in change.states] == ["linked"]
    assert (desk.pairs(), desk.state(0)) == ({(0, 1)}, "linked")
    assert desk.project.undo_title == f"Link comment to edit {desk.store.edit(desk.edits[1]).label}"
    desk.project.undo()
    assert (desk.pairs(), desk.state(0)) == (set(), "undecided")
    desk.project.redo()
    assert (desk.pairs(), desk.state(0)) == ({(0, 1)}, "linked")
    assert desk.store.links(desk.revision) == change.links


def test_linking_twice_changes_nothing_and_leaves_no_step(desk: Desk) -> None:
    desk.store.link_comment(desk.comments[0], desk.edits[1])
    steps = len(desk.project.history())
    assert desk.store.link_comment(desk.comments[0], desk.edits[1]) == desk.store.link_from([], "person")
    assert len(desk.project.history()) == steps


def test_unlinking_the_last_link_makes_the_comment_undecided_again(desk: Desk) -> None:
    desk.store.link_from([NewLink(desk.comments[0], desk.edits[0]), NewLink(desk.comments[0], desk.edits[1])], "person")
    assert desk.project.undo_title == "Link 2 pairs"
    assert desk.store.unlink_comment(desk.comments[0], desk.edits[0]).states == ()
    assert desk.state(0) == "linked"
    assert [j.state for j in desk.store.unlink_comment(desk.comments[0], desk.edits[1]).states] == ["undecided"]
    assert desk.state(0) == "undecided"
    desk.project.undo()
    assert (desk.state(0), desk.pairs()) == ("linked", {(0, 1)})
    desk.store.unlink_comment(desk.comments[0], desk.edits[1])
    assert (desk.state(0), desk.pairs()) == ("undecided", set())


@pytest.mark.parametrize("state", ["answered", "visual_only", "not_addressed"])
def test_a_decision_of_a_person_is_not_overwritten_by_links(desk: Desk, state: str) -> None:
    desk.store.set_comment_state(desk.revision, desk.comments[0], state)  # type: ignore[arg-type]
    desk.store.link_comment(desk.comments[0], desk.edits[0])
    assert desk.state(0) == state
    desk.store.unlink_comment(desk.comments[0], desk.edits[0])
    assert desk.state(0) == state


def test_no_edit_found_gives_way_to_a_link(desk: Desk) -> None:
    desk.store.set_comment_state(desk.revision, desk.comments[0], "no_edit_found")
    desk.store.link_comment(desk.comments[0], desk.edits[0])
    assert desk.state(0) == "linked"


def test_linked_without_a_link_is_refused_with_a_word_and_nothing_stays(desk: Desk) -> None:
    desk.store.link_comment(desk.comments[0], desk.edits[0])
    desk.store.set_comment_state(desk.revision, desk.comments[0], "undecided")
    steps = len(desk.project.history())
    with pytest.raises(BadInput, match="not linked to any edit"):
        desk.store.set_comment_state(desk.revision, [desk.comments[0], desk.comments[1]], "linked")
    assert (desk.state(0), len(desk.project.history())) == ("undecided", steps)


def test_states_of_many_comments_are_one_step_and_keep_their_notes(desk: Desk) -> None:
    desk.store.set_comment_state(desk.revision, desk.comments[0], "answered", note="in the letter")
    change = desk.store.set_comment_state(desk.revision, desk.comments, "not_addressed")
    assert [judgement.note for judgement in change.states] == ["in the letter", "", ""]
    assert desk.project.undo_title == "Mark 3 comments as not addressed"
    desk.project.undo()
    assert [desk.state(n) for n in range(3)] == ["answered", "undecided", "undecided"]


def test_import_keeps_provenance_and_is_one_step(desk: Desk) -> None:
    desk.store.link_comment(desk.comments[0], desk.edits[0])
    pairs = [NewLink(comment, edit) for comment in desk.comments for edit in desk.edits[:2]]
    change = desk.store.import_links(pairs, "edit_labels.jsonl")
    assert len(change.links) == 5, "the pair that was there keeps its own origin"
    assert desk.project.undo_title == "Import 6 links from edit_labels.jsonl"
    origins = [link.origin for link in desk.store.links(desk.revision)]
    assert origins.count("import:edit_labels.jsonl") == 5 and origins.count("person") == 1
    desk.project.undo()
    assert desk.pairs() == {(0, 0)}


def test_a_link_to_nothing_is_a_bug_and_leaves_nothing(desk: Desk) -> None:
    with pytest.raises(KeyError):
        desk.store.link_from(
            [NewLink(desk.comments[0], desk.edits[0]), NewLink(desk.comments[0], "no such edit")], "person"
        )
    with pytest.raises(sqlite3.IntegrityError):
        desk.store.link_comment("no such comment", desk.edits[0])
    assert desk.pairs() == set()


def test_suggestions_are_ranked_and_carry_reasons_and_decision(desk: Desk) -> None:
    offered = desk.suggest()
    assert [s.edit_id for s in offered] == desk.edits
    assert (offered[0].rank, offered[0].linked, offered[0].reasons, offered[0].decision) == (
        1,
        True,
        ("shared words: 0",),
        None,
    )
    assert desk.pairs() == set(), "a suggestion is no link"
    run = latest_run(desk.store, desk.revision)
    assert run is not None and (run.strategy, run.origin, dict(run.parameters)) == (
        "fused",
        "model:fused@1",
        {"a": "1"},
    )
    assert set(desk.store.all_suggestions(desk.revision)) == set(desk.comments)


def test_accept_makes_the_link_and_keeps_the_decision(desk: Desk) -> None:
    offered = desk.suggest()
    change = desk.store.accept_suggestion(offered[1])
    assert [(link.origin, link.confidence) for link in change.links] == [("model:fused@1", pytest.approx(0.7))]
    assert desk.state(0) == "linked"
    assert [s.decision for s in desk.store.suggestions(desk.revision, desk.comments[0])] == [
        None,
        "accepted",
        None,
        None,
    ]
    assert [row[2] for row in desk.store.decisions(desk.revision)] == ["accepted"]
    desk.project.undo()
    assert (desk.pairs(), desk.state(0), desk.store.decisions(desk.revision)) == (set(), "undecided", ())


def test_what_is_wrong_with_a_suggestion_is_kept_with_its_rejection(desk: Desk) -> None:
    first, second = desk.suggest()[:2]
    desk.store.accept_suggestion(first)

    def again() -> Suggestion:
        found = desk.store.suggestions(desk.revision, desk.comments[0])
        return next(one for one in found if one.edit_id == first.edit_id)

    change = desk.store.toggle_mistake(again(), "diff-ignorance")
    assert [link.edit_id for link in change.removed] == [first.edit_id] and again().decision == "rejected"
    desk.store.toggle_mistake(again(), "too-topical")
    assert again().mistakes == ("too-topical", "diff-ignorance"), "in the order of the paper"
    desk.store.reject_suggestion(second)
    assert [row[2:] for row in desk.store.decisions(desk.revision)] == [
        ("rejected", first.origin, ("too-topical", "diff-ignorance")), ("rejected", second.origin, ()),
    ]  # fmt: skip
    desk.store.toggle_mistake(again(), "diff-ignorance")
    assert again().mistakes == ("too-topical",) and again().decision == "rejected"
    desk.project.undo()
    assert again().mistakes == ("too-topical", "diff-ignorance")
    desk.store.accept_suggestion(again())
    assert again().mistakes == () and again().decision == "accepted"


def test_reject_after_accept_takes_the_models_link_away_but_never_a_persons(desk: Desk) -> None:
    offered = desk.suggest()
    desk.store.accept_suggestion(offered[0])
    change = desk.store.reject_suggestion(offered[0])
    assert len(change.removed) == 1 and desk.state(0) == "undecided"
    assert [row[2] for row in desk.store.decisions(desk.revision)] == ["rejected"]
    desk.store.link_comment(desk.comments[0], desk.edits[1])
    desk.store.reject_suggestion(offered[1])
    assert desk.pairs() == {(0, 1)}


def test_only_the_first_suggestions_and_those_over_the_threshold_can_be_read(desk: Desk) -> None:
    offered = desk.suggest()
    wanted = tuple(s for s in offered if s.rank <= 1 or s.linked)
    assert len(wanted) < len(offered)
    assert desk.store.all_suggestions(desk.revision, top=1)[desk.comments[0]] == wanted


def test_unlinking_an_accepted_suggestion_opens_it_again(desk: Desk) -> None:
    offered = desk.suggest()
    desk.store.accept_suggestion(offered[0])
    desk.store.unlink_comment(desk.comments[0], desk.edits[0])
    assert desk.store.suggestions(desk.revision, desk.comments[0])[0].decision is None


def test_the_newest_complete_run_is_shown_and_decisions_outlive_it(desk: Desk) -> None:
    desk.store.reject_suggestion(desk.suggest()[0])
    desk.suggest("bm25")
    assert desk.store.suggestions(desk.revision, desk.comments[0])[0].origin == "model:bm25@1"
    assert desk.store.suggestions(desk.revision, desk.comments[0])[0].decision == "rejected"
    assert desk.store.suggestions(desk.revision, desk.comments[0], "fused")[0].origin == "model:fused@1"


def test_a_run_that_broke_off_is_never_shown(desk: Desk) -> None:
    desk.suggest()

    def broken() -> Iterator[Scored]:
        yield Scored(desk.edits[0], 1.0, True)
        raise OSError("the disk is gone")

    class Ranking(dict[str, object]):
        def items(self) -> Iterator[tuple[str, Iterator[Scored]]]:  # type: ignore[override]
            yield desk.comments[0], broken()

    with pytest.raises(OSError, match="disk is gone"):
        desk.store.save_suggestions(
            desk.revision,
            "bm25",
            "model:bm25@1",
            Ranking(),
            use_responses=False,  # type: ignore[arg-type]
        )
    run = latest_run(desk.store, desk.revision)
    assert run is not None and run.strategy == "fused"


def test_only_the_best_are_kept_and_all_that_pass_the_threshold(desk: Desk) -> None:
    diff = RevisionDiff(tuple(make_edit(n, f"{text} Number {n}.") for n, text in enumerate(TEXTS * 20)), ())
    desk.store.save_diff("d1", "d2", diff)
    edits = [edit.id for edit in desk.store.edits(desk.revision)]
    ranking = tuple(Scored(edit, -rank, rank in (3, 60)) for rank, edit in enumerate(edits, start=1))
    desk.store.save_suggestions(desk.revision, "bm25", "model:bm25@1", {desk.comments[0]: ranking}, use_responses=True)
    ranks = [s.rank for s in desk.store.suggestions(desk.revision, desk.comments[0])]
    assert ranks == [*range(1, KEPT_SUGGESTIONS + 1), 60]


def test_progress_counts(desk: Desk) -> None:
    desk.store.link_from([NewLink(desk.comments[0], desk.edits[0]), NewLink(desk.comments[1], desk.edits[0])], "person")
    desk.store.set_comment_state(desk.revision, desk.comments[2], "answered")
    progress = desk.store.progress(desk.revision, desk.comments[1:])
    assert (progress.decided, progress.undecided, progress.edits, progress.edits_without_comment, progress.links) == (
        2,
        0,
        4,
        3,
        2,
    )


def test_the_change_signal_names_the_tables_and_the_initiator(desk: Desk) -> None:
    seen: list[Changes] = []
    desk.project.subscribe(seen.append)
    pane = object()
    with desk.project.action("Link", initiator=pane):
        change = desk.store.link_comment(desk.comments[0], desk.edits[0])
    assert seen[0].initiator is pane
    assert seen[0].rows["edit_link"] == {change.links[0].id}
    assert "comment_state" in seen[0].tables


def test_another_annotator_sees_only_their_own_links(desk: Desk) -> None:
    desk.store.link_comment(desk.comments[0], desk.edits[0])
    ann = desk.project.annotator_id
    desk.project.set_annotator("Ben")
    assert desk.pairs() == set() and desk.state(0) == "undecided"
    desk.store.link_comment(desk.comments[0], desk.edits[0])
    assert len(desk.store.links(desk.revision)) == len(desk.store.links(desk.revision, annotator_id=ann)) == 1


def test_comments_can_be_deleted_with_their_links_and_come_back(desk: Desk) -> None:
    desk.store.link_comment(desk.comments[0], desk.edits[0])
    desk.store.reject_suggestion(desk.suggest()[1])
    remove_comments(desk.project, [desk.comments[0]])
    assert desk.pairs() == set()
    desk.project.undo()
    assert (desk.pairs(), desk.state(0)) == ({(0, 0)}, "linked")


def test_links_of_merged_comments_move_to_the_one_that_is_kept(desk: Desk) -> None:
    kept, *merged = desk.comments
    desk.store.import_links([NewLink(comment, desk.edits[1]) for comment in merged], "labels.jsonl")
    desk.store.link_comment(merged[0], desk.edits[2], note="why")
    before = desk.store.links(desk.revision)
    merge_comments(desk.project, [kept, *merged])
    assert desk.pairs() == {(0, 1), (0, 2)} and desk.state(0) == "linked"
    links = desk.store.links(desk.revision)
    assert {(link.origin, link.note) for link in links} == {("import:labels.jsonl", ""), ("person", "why")}
    desk.project.undo()
    assert desk.store.links(desk.revision) == before


# --- a new comparison -----------------------------------------------------------------------------


def test_links_survive_a_new_comparison_by_their_text(desk: Desk) -> None:
    desk.store.link_from([NewLink(desk.comments[0], edit) for edit in desk.edits], "person")
    changed = (
        make_edit(50, TEXTS[2] + " The search took two days."),  # grew, and stands first now
        make_edit(51, TEXTS[0].upper()),
        make_edit(52, "A wholly new paragraph about matters that nobody had written on before this version came."),
        make_edit(53, TEXTS[3]),
    )
    saved = desk.store.save_diff("d1", "d2", RevisionDiff(changed, ()))
    assert (saved.revision_id, saved.kept, saved.new, saved.retired, saved.needs_attention) == (
        desk.revision,
        3,
        1,
        1,
        1,
    )
    edits = desk.store.edits(desk.revision)
    assert [edit.label for edit in edits] == ["e050", "e051", "e052", "e053"]
    assert [edits[0].id, edits[1].id, edits[3].id] == [desk.edits[2], desk.edits[0], desk.edits[3]]
    (lost,) = desk.store.needs_attention(desk.revision)
    assert lost.edit_id == desk.edits[1] and not lost.attached
    assert desk.store.edit(lost.edit_id).target_text == TEXTS[1], "what it was can still be shown"
    assert len(desk.store.links(desk.revision)) == 4


def test_an_edit_that_comes_back_takes_its_links_back(desk: Desk) -> None:
    desk.store.link_comment(desk.comments[0], desk.edits[1])
    desk.store.save_diff("d1", "d2", RevisionDiff(desk.diff.edits[2:], ()))
    assert len(desk.store.needs_attention(desk.revision)) == 1
    desk.store.save_diff("d1", "d2", desk.diff)
    assert desk.store.needs_attention(desk.revision) == ()
    assert [edit.id for edit in desk.store.edits(desk.revision)] == desk.edits


def test_undo_reaches_back_over_a_new_comparison(desk: Desk) -> None:
    desk.store.link_comment(desk.comments[0], desk.edits[1])
    desk.store.unlink_comment(desk.comments[0], desk.edits[1])
    desk.store.save_diff("d1", "d2", RevisionDiff((), ()))
    desk.project.undo()
    assert [link.edit_id for link in desk.store.needs_attention(desk.revision)] == [desk.edits[1]]
    desk.project.undo()
    assert desk.store.links(desk.revision) == ()


def test_reattaching_keeps_note_and_origin_and_is_undoable(desk: Desk) -> None:
    desk.store.import_links([NewLink(desk.comments[0], desk.edits[1], note="kept")], "labels.jsonl")
    desk.store.save_diff("d1", "d2", RevisionDiff(desk.diff.edits[:1], ()))
    (lost,) = desk.store.needs_attention(desk.revision)
    (link,) = desk.store.reattach_link(lost.id, desk.edits[0]).links
    assert (link.edit_id, link.note, link.origin, link.attached) == (
        desk.edits[0],
        "kept",
        "import:labels.jsonl",
        True,
    )
    desk.project.undo()
    assert desk.store.needs_attention(desk.revision) == (lost,)
    desk.store.link_comment(desk.comments[0], desk.edits[0])
    assert len(desk.store.reattach_link(lost.id, desk.edits[0]).removed) == 1, "the pair was linked already"
    assert desk.pairs() == {(0, 0)}


def test_suggestions_for_edits_that_are_gone_are_not_offered(desk: Desk) -> None:
    desk.suggest()
    desk.store.save_diff("d1", "d2", RevisionDiff(desk.diff.edits[1:], ()))
    assert [s.edit_id for s in desk.store.suggestions(desk.revision, desk.comments[0])] == desk.edits[1:]


# --- any sequence ---------------------------------------------------------------------------------

Verb = Callable[[Desk, int, int], object]
VERBS: tuple[Verb, ...] = (
    lambda desk, c, e: desk.store.link_comment(desk.comments[c], desk.edits[e]),
    lambda desk, c, e: desk.store.unlink_comment(desk.comments[c], desk.edits[e]),
    lambda desk, c, e: desk.store.set_comment_state(
        desk.revision, desk.comments[c], ("answered", "visual_only", "not_addressed", "undecided")[e]
    ),
    lambda desk, c, e: desk.store.accept_suggestion(desk.store.suggestions(desk.revision, desk.comments[c])[e]),
    lambda desk, c, e: desk.store.reject_suggestion(desk.store.suggestions(desk.revision, desk.comments[c])[e]),
)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(st.sampled_from(range(len(VERBS))), st.integers(0, 2), st.integers(0, 3)), max_size=12))
def test_any_sequence_can_be_taken_back_and_the_states_always_fit_the_links(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[int, int, int]]
) -> None:
    desk = Desk(tmp_path_factory.mktemp("sequence") / "p.rejoinder")
    desk.suggest()

    def picture() -> object:
        return (
            desk.store.links(desk.revision),
            desk.store.comment_states(desk.revision),
            desk.store.decisions(desk.revision),
        )

    seen = {desk.project.history(1)[0].id: picture()}
    for verb, comment, edit in steps:
        VERBS[verb](desk, comment, edit)
        seen[desk.project.history(1)[0].id] = picture()
        linked = {link.comment_id for link in desk.store.links(desk.revision)}
        for comment_id, judgement in desk.store.comment_states(desk.revision).items():
            assert judgement.state != "linked" or comment_id in linked
    for step, expected in sorted(seen.items(), reverse=True):
        desk.project.go_to(step)
        assert picture() == expected
    for step, expected in sorted(seen.items()):
        desk.project.go_to(step)
        assert picture() == expected
    desk.project.close()
