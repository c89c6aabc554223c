"""What the benchmark pane shows and changes, without a window."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from desktop_app.panes.benchmark.state import DIMENSIONS, REVIEWS, BenchmarkState, scores_of
from engine.documents.store import DocumentStore
from engine.project import Project
from engine.review_drafting.benchmark.records import BenchmarkPaper, BenchmarkReview, Judgement, PaperRubric, ReviewSet
from engine.review_drafting.benchmark.store import BenchmarkStore
from engine.review_drafting.records import Review
from engine.review_drafting.rubrics import meta_rubrics
from engine.review_drafting.store import ReviewDraftStore

FOUND = ReviewSet(
    papers=(BenchmarkPaper(id="p", title="A paper"),),
    reviews=tuple(
        BenchmarkReview(id=name, paper_id="p", source=name, reviewer="R1", review=Review(summary=f"By {name}."))
        for name in ("system", "human")
    ),
)


@pytest.fixture
def state(tmp_path: Path) -> Iterator[BenchmarkState]:
    with Project.create(tmp_path / "a.rejoinder", annotator="Ann") as project:
        made = BenchmarkState()
        made.open(project)
        made.read()
        assert made.can_add and not made.can_change
        made.create("First")
        made.verbs.add(made.key, FOUND, "import:f")
        made.read()
        made.view = REVIEWS
        yield made


def rate(state: BenchmarkState, score: int | None) -> None:
    state.rate(score)
    state.read()


def test_scores_are_given_and_the_next_missing_one_is_found(state: BenchmarkState) -> None:
    first = state.review_id
    assert state.can_rate and [entry[1] for entry in state.entries()] == ["system · R1", "human · R1"]
    assert state.entries()[0][2].startswith("0 of 8 scored · "), "a long title takes nothing of it away"
    for _ in DIMENSIONS:
        before = state.dimension
        rate(state, 0)
        assert state.score(first, before) == 0
        state.next_dimension()
    assert state.dimension == DIMENSIONS[-1], "it stays where nothing is missing"
    assert [entry[3] for entry in state.entries()] == ["check", "circle-dashed"]
    assert state.next_open() and state.review_id != first and state.dimension == DIMENSIONS[0]
    state.toggle_kept()
    state.read()
    assert not state.next_open(), "excluded reviews need no scores"
    assert "2 reviews, 1 excluded" in state.status() and state.entries()[1][2].startswith("excluded")


def test_a_note_survives_its_score(state: BenchmarkState) -> None:
    rate(state, 1)
    state.set_note("hesitating", state.review_id, state.dimension)
    state.read()
    rate(state, None)
    shown = state.scored_review()
    assert shown.ratings[state.dimension].note == "hesitating" and shown.ratings[state.dimension].score is None


def test_blind_mode_hides_sources_and_the_judge(state: BenchmarkState) -> None:
    judged = {review.id: [Judgement(dimension=DIMENSIONS[0], score=1)] for review in state.whole.reviews}
    run = state.verbs.begin_run(state.key, "checks", "model:checks@1")
    for review in state.whole.reviews:
        state.verbs.add_scores(run, review, judged[review.id], (), "", origin="model:checks@1")
    state.read()
    assert state.scored_review().judged and state.scored_review().name == "system · R1"
    state.blind = True
    assert sorted(entry[1] for entry in state.entries()) == ["Review A", "Review B"]
    assert not state.scored_review().judged and state.scored_review().name.startswith("Review ")


def test_what_is_possible_follows_from_rubrics_jobs_and_the_view(state: BenchmarkState) -> None:
    assert state.can_work and not state.can_judge and not state.can_export
    rubric = PaperRubric(dimension=DIMENSIONS[0], description="D", origin="person")
    state.verbs.put_rubrics({state.whole.papers[0].id: [rubric]})
    state.read()
    assert state.can_judge and state.scored_review().rubrics[DIMENSIONS[0]].description == "D"
    state.working = "Scoring reviews"
    assert not state.can_work and state.status().startswith("Scoring reviews… · 2 sources · 1 paper, 1 with rubrics")
    state.view = 0
    assert not state.can_rate


def test_drafts_begin_a_benchmark_in_one_step(tmp_path: Path) -> None:
    with Project.create(tmp_path / "b.rejoinder", annotator="Ann") as project:
        state = BenchmarkState()
        state.open(project)
        assert not state.add_drafts() and not BenchmarkStore(project).benchmarks()
        document = DocumentStore(project).add_document(b"%PDF-1.7", "paper.pdf", title="A paper")
        ReviewDraftStore(project).begin_draft(document, "Mine", "iclr", fields={"summary": "S"})
        assert state.add_drafts()
        state.read()
        assert [review.review.summary for review in state.whole.reviews] == ["S"]
        project.undo()
        assert not BenchmarkStore(project).benchmarks()


def test_a_benchmark_that_is_gone_gives_way_to_another(state: BenchmarkState) -> None:
    first = state.key
    state.create("Second")
    state.read()
    assert state.key != first and not state.whole.reviews and state.review is None
    state.verbs.remove(state.key)
    state.read()
    assert state.key == first and state.review is not None


def test_a_pitfall_loses_points() -> None:
    kinds = {meta.kind: scores_of(meta) for meta in meta_rubrics()}
    assert kinds["pitfall"] == (0, -1, -2) and len(set(kinds.values())) == 2
