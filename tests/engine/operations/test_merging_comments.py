"""Comments that become one: whose decisions stay, and what the one has of the texts of both."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import get_args

import pytest

from engine.errors import BadInput
from engine.operations.comments import join_points, merge_comments, merging
from engine.papers.store import PaperStore
from engine.project import Project
from engine.project.invariants import violations
from engine.reviews.records import Comment, ReviewBundle, SourceText, Span
from engine.reviews.store import ReviewStore
from engine.revision.records import CommentState
from tests.engine.operations.random_acts import PLACES, TEXT, Acts

STATES: tuple[CommentState, ...] = get_args(CommentState)
AGREE = {"linked", "no_edit_found"}


@pytest.fixture
def acts(tmp_path: Path) -> Iterator[Acts]:
    """One paper, its comparison, and a review of three comments, of which nothing was decided."""
    with Project.create(tmp_path / "p.rejoinder", "P", "Ada") as project:
        made = Acts(project)
        for verb, a, b in (("add paper", 0, 0), ("add version", 0, 0), ("add version", 0, 1), ("compare", 0, 0)):
            made.do(verb, a, b)
        made.do("import review", 0, 0)
        yield made
        assert violations(project) == ()


def decide(acts: Acts, revision: str, comment: str, state: CommentState) -> None:
    """Also what needs a link otherwise."""
    where = {"revision_id": revision, "comment_id": comment, "annotator_id": acts.project.annotator_id}
    with acts.project.action("Decide") as act:
        act.keep("comment_state", where, {"state": state})


def test_what_two_decisions_of_one_person_become(acts: Acts) -> None:
    first, second, _ = (comment.id for comment in acts.reviews.comments())
    revision = acts.revision(first)
    for kept, merged in product(STATES, STATES):
        acts.project.set_annotator("Bo")
        for key, state in ((first, kept), (second, merged)):
            decide(acts, revision, key, state)
        acts.project.set_annotator("Ada")
        contradict = "undecided" not in {kept, merged} and kept != merged and {kept, merged} != AGREE
        assert bool(merging(acts.project, [first, second]).others) is contradict, (kept, merged)
        if contradict:
            with pytest.raises(BadInput, match="1 decision on a comment by Bo"):
                merge_comments(acts.project, [first, second])
        merge_comments(acts.project, [second, first], others=contradict)
        acts.project.set_annotator("Bo")
        rows = acts.project.query("SELECT comment_id, state FROM comment_state")
        assert [tuple(row) for row in rows] == [(first, merged if kept == "undecided" else kept)], (kept, merged)
        acts.project.undo()


def test_a_follow_up_of_a_merged_comment_follows_the_one_that_stays(acts: Acts) -> None:
    first, second, _ = (comment.id for comment in acts.reviews.comments())
    (made,) = acts.reviews.add_follow_up(second, "Why only two?").comments
    merge_comments(acts.project, [first, second])
    assert acts.reviews.comment(made.id).follows == first
    acts.project.undo()
    assert acts.reviews.comment(made.id).follows == second


def test_a_link_makes_linked_of_what_was_open_only(acts: Acts) -> None:
    first, second, _ = (comment.id for comment in acts.reviews.comments())
    revision = acts.revision(first)
    for state in STATES:
        decide(acts, revision, first, state)
        acts.revisions.link_comment(second, acts.edit(0, 0))
        merge_comments(acts.project, [first, second])
        found = acts.revisions.comment_states(revision)[first].state
        assert found == ("linked" if state in {"undecided", "no_edit_found", "linked"} else state)
        assert [link.comment_id for link in acts.revisions.links(revision)] == [first]
        for _ in range(3):
            acts.project.undo()


def test_the_one_has_the_places_of_both(acts: Acts) -> None:
    store = acts.reviews
    first, second, third = (comment.id for comment in store.comments())
    before = {key: store.comment(key) for key in (first, second)}
    store.set_context(second, [Span(*PLACES[3])])
    store.set_response_spans(first, [Span(*PLACES[4])])
    store.set_actionable([first], False)
    kept = merge_comments(acts.project, [first, second])
    (one,), (other,) = before[first].spans, before[second].spans
    assert kept.spans == (Span(one.start, other.end),), "only a space is between them"
    assert kept.actionable
    assert [TEXT[span.start : span.end] for span in kept.context_spans] == ["Plots are too small."]
    assert [TEXT[span.start : span.end] for span in kept.response_spans] == ["Typos remain"]
    assert [comment.id for comment in store.comments()] == [first, third]
    store.set_actionable([first, third], False)
    assert not merge_comments(acts.project, [first, third]).actionable


def test_comments_without_places_are_joined_by_their_words(acts: Acts) -> None:
    parts = tuple(Comment(f"w{n}", "w", "R9", words) for n, words in enumerate(("Why?", "And how?")))
    bundle = ReviewBundle((SourceText("w", "Words", "", reviewer="R9"),), parts)
    added = ReviewStore(acts.project).import_bundle(bundle, "w.txt", paper_id=acts.papers.papers()[0].id).comments
    assert merge_comments(acts.project, [comment.id for comment in added]).comment == "Why? And how?"
    with pytest.raises(BadInput, match="needs two or more"):
        merge_comments(acts.project, [added[0].id, added[0].id])
    with pytest.raises(BadInput, match="different reviews"):
        merge_comments(acts.project, [added[0].id, acts.reviews.comments()[0].id])


def test_two_responses_become_one(acts: Acts) -> None:
    first, second, _ = (comment.id for comment in acts.reviews.comments())
    paper = PaperStore(acts.project).papers()[0].id
    for budgets, wanted in (((5, 7), 12), ((5, None), 5), ((None, None), None)):
        for number, key in enumerate((first, second)):
            acts.do("reply", number, number)
            reply = acts.rebuttal.replies()[key]
            with acts.project.action("Fill") as act:
                confirmed = ["both", key]
                values = {
                    "budget": budgets[number],
                    "confirmed": confirmed,
                    "action": None if key == first else "answer",
                }
                act.update("rebuttal_point", reply.id, values)
        rows = {row["comment_id"]: dict(row) for row in acts.project.query("SELECT * FROM rebuttal_point")}
        with acts.project.action("Join") as act:
            join_points(act, rows[first], rows[second])
        (row,) = acts.project.query("SELECT * FROM rebuttal_point")
        assert (row["comment_id"], row["paper_id"], row["budget"], row["action"]) == (first, paper, wanted, "answer")
        assert row["text"] == "We did 0.\n\nWe did 1." and row["confirmed"].count("both") == 1
        assert all(key in row["confirmed"] for key in (first, second))
        acts.project.undo()
