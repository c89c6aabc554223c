"""Suggestions stay suggestions: ranked, accepted or rejected as one step, and never shown from a run that broke off."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from engine.revision.comparison_store import KEPT_SUGGESTIONS
from engine.revision.records import RevisionDiff, Scored, Suggestion
from tests.engine.revision.papers import latest_run
from tests.engine.revision.studies import TEXTS, Study, make_edit


def test_suggestions_are_ranked_and_carry_reasons_and_decision(study: Study) -> None:
    offered = study.suggest()
    assert [s.edit_id for s in offered] == study.edits
    assert (offered[0].rank, offered[0].linked, offered[0].reasons, offered[0].decision) == (
        1,
        True,
        ("shared words: 0",),
        None,
    )
    assert study.pairs() == set(), "a suggestion is no link"
    run = latest_run(study.store, study.revision)
    assert run is not None and (run.strategy, run.origin, dict(run.parameters)) == (
        "fused",
        "model:fused@1",
        {"a": "1"},
    )
    assert set(study.store.all_suggestions(study.revision)) == set(study.comments)


def test_accept_makes_the_link_and_keeps_the_decision(study: Study) -> None:
    offered = study.suggest()
    change = study.store.accept_suggestion(offered[1])
    assert [(link.origin, link.confidence) for link in change.links] == [("model:fused@1", pytest.approx(0.7))]
    assert study.state(0) == "linked"
    assert [s.decision for s in study.store.suggestions(study.revision, study.comments[0])] == [
        None,
        "accepted",
        None,
        None,
    ]
    assert [row[2] for row in study.store.decisions(study.revision)] == ["accepted"]
    study.project.undo()
    assert (study.pairs(), study.state(0), study.store.decisions(study.revision)) == (set(), "undecided", ())


def test_what_is_wrong_with_a_suggestion_is_kept_with_its_rejection(study: Study) -> None:
    first, second = study.suggest()[:2]
    study.store.accept_suggestion(first)

    def again() -> Suggestion:
        found = study.store.suggestions(study.revision, study.comments[0])
        return next(one for one in found if one.edit_id == first.edit_id)

    change = study.store.toggle_mistake(again(), "diff-ignorance")
    assert [link.edit_id for link in change.removed] == [first.edit_id] and again().decision == "rejected"
    study.store.toggle_mistake(again(), "too-topical")
    assert again().mistakes == ("too-topical", "diff-ignorance"), "in the order of the paper"
    study.store.reject_suggestion(second)
    assert [row[2:] for row in study.store.decisions(study.revision)] == [
        ("rejected", first.origin, ("too-topical", "diff-ignorance")), ("rejected", second.origin, ()),
    ]  # fmt: skip
    study.store.toggle_mistake(again(), "diff-ignorance")
    assert again().mistakes == ("too-topical",) and again().decision == "rejected"
    study.project.undo()
    assert again().mistakes == ("too-topical", "diff-ignorance")
    study.store.accept_suggestion(again())
    assert again().mistakes == () and again().decision == "accepted"


def test_reject_after_accept_takes_the_models_link_away_but_never_a_persons(study: Study) -> None:
    offered = study.suggest()
    study.store.accept_suggestion(offered[0])
    change = study.store.reject_suggestion(offered[0])
    assert len(change.removed) == 1 and study.state(0) == "undecided"
    assert [row[2] for row in study.store.decisions(study.revision)] == ["rejected"]
    study.store.link_comment(study.comments[0], study.edits[1])
    study.store.reject_suggestion(offered[1])
    assert study.pairs() == {(0, 1)}


def test_only_the_first_suggestions_and_those_over_the_threshold_can_be_read(study: Study) -> None:
    offered = study.suggest()
    wanted = tuple(s for s in offered if s.rank <= 1 or s.linked)
    assert len(wanted) < len(offered)
    assert study.store.all_suggestions(study.revision, top=1)[study.comments[0]] == wanted


def test_unlinking_an_accepted_suggestion_opens_it_again(study: Study) -> None:
    offered = study.suggest()
    study.store.accept_suggestion(offered[0])
    study.store.unlink_comment(study.comments[0], study.edits[0])
    assert study.store.suggestions(study.revision, study.comments[0])[0].decision is None


def test_the_newest_complete_run_is_shown_and_decisions_outlive_it(study: Study) -> None:
    study.store.reject_suggestion(study.suggest()[0])
    study.suggest("bm25")
    assert study.store.suggestions(study.revision, study.comments[0])[0].origin == "model:bm25@1"
    assert study.store.suggestions(study.revision, study.comments[0])[0].decision == "rejected"
    assert study.store.suggestions(study.revision, study.comments[0], "fused")[0].origin == "model:fused@1"


def test_a_run_that_broke_off_is_never_shown(study: Study) -> None:
    study.suggest()

    class Broken(list[Scored]):
        def __iter__(self) -> Iterator[Scored]:
            yield Scored(study.edits[0], 1.0, True)
            raise OSError("the disk is gone")

    rankings = {study.comments[0]: Broken()}
    with pytest.raises(OSError, match="disk is gone"):
        study.store.save_suggestions(study.revision, "bm25", "model:bm25@1", rankings, use_responses=False)
    run = latest_run(study.store, study.revision)
    assert run is not None and run.strategy == "fused"


def test_only_the_best_are_kept_and_all_that_pass_the_threshold(study: Study) -> None:
    diff = RevisionDiff(tuple(make_edit(n, f"{text} Number {n}.") for n, text in enumerate(TEXTS * 20)), ())
    study.store.save_diff("d1", "d2", diff)
    edits = [edit.id for edit in study.store.edits(study.revision)]
    ranking = tuple(Scored(edit, -rank, rank in (3, 60)) for rank, edit in enumerate(edits, start=1))
    study.store.save_suggestions(
        study.revision, "bm25", "model:bm25@1", {study.comments[0]: ranking}, use_responses=True
    )
    ranks = [s.rank for s in study.store.suggestions(study.revision, study.comments[0])]
    assert ranks == [*range(1, KEPT_SUGGESTIONS + 1), 60]
