"""The benchmark in a project: one undo step a verb, ratings beside judges, nothing added twice."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.project import Project
from engine.review_drafting.benchmark import records
from engine.review_drafting.benchmark.store import BenchmarkStore
from engine.review_drafting.records import Review, Scores

FOUND = records.ReviewSet(
    papers=(records.BenchmarkPaper(id="x", external_id="x", title="The Paper", text="Words."),),
    reviews=(
        records.BenchmarkReview(
            id="1", paper_id="x", source="human", reviewer="R1", role="human", review=Review(summary="Good.")
        ),
        records.BenchmarkReview(
            id="2", paper_id="x", source="ours", review=Review(weaknesses=("W",), scores=Scores(rating=3))
        ),
    ),
    rubrics={
        "x": (
            records.PaperRubric(
                dimension="critique-clarity", description="D", key_points=(records.KeyPoint(text="K"),)
            ),
        )
    },
)


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with Project.create(tmp_path / "p.rejoinder", title="P", annotator="Ann") as made:
        yield made


def test_what_is_added_is_read_and_undone_at_once(project: Project) -> None:
    store = BenchmarkStore(project)
    key = store.create("Ours against people")
    assert store.add(key, FOUND, "import:f.json") == (1, 2)
    whole = store.read(key)
    assert [review.review for review in whole.reviews] == [review.review for review in FOUND.reviews]
    assert whole.papers[0].text == "Words."
    assert whole.rubrics == {whole.papers[0].id: FOUND.rubrics["x"]}
    assert store.add(key, FOUND, "import:f.json") == (0, 0), "the same file again adds nothing"
    other = FOUND.model_copy(
        update={"papers": (FOUND.papers[0].model_copy(update={"external_id": "", "title": "the  paper"}),)}
    )
    assert store.add(key, other, "import:g.json") == (0, 0), "the same title is the same paper"
    [bench] = store.benchmarks()
    assert (bench.papers, bench.reviews) == (1, 2)
    project.undo()
    assert store.read(key) == records.ReviewSet()
    project.redo()
    assert store.read(key) == whole


def test_removing_takes_all_and_one_undo_brings_it_back(project: Project) -> None:
    store = BenchmarkStore(project)
    key = store.create("B")
    store.add(key, FOUND, "import:f.json")
    whole = store.read(key)
    store.rate(whole.reviews[1].id, "critique-clarity", 1)
    store.remove(key)
    assert store.benchmarks() == () and store.ratings(key) == ()
    project.undo()
    assert store.read(key) == whole
    assert [rating.score for rating in store.ratings(key)] == [1]


def test_ratings_belong_to_the_person_who_gave_them(project: Project) -> None:
    store = BenchmarkStore(project)
    key = store.create("B")
    store.add(key, FOUND, "import:f.json")
    review = store.read(key).reviews[0].id
    store.rate(review, "critique-clarity", 2, "Names every table.")
    store.rate(review, "critique-clarity", 1, "Names every table.")
    [rating] = store.ratings(key, project.annotator_id)
    assert (rating.score, rating.note) == (1, "Names every table.")
    assert store.ratings(key, "somebody else") == ()
    store.rate(review, "critique-clarity", None)
    assert store.ratings(key)[0].score is None


def test_what_a_filter_leaves_out_is_one_step(project: Project) -> None:
    store = BenchmarkStore(project)
    key = store.create("B")
    store.add(key, FOUND, "import:f.json")
    reviews = store.read(key).reviews
    out = [reviews[0].model_copy(update={"kept": False, "why_left_out": "Too short."}), reviews[1]]
    assert store.set_kept(out) == 1
    assert not store.read(key).reviews[0].kept
    assert store.set_kept(out) == 0
    project.undo()
    assert store.read(key).reviews == reviews


def test_a_judges_run_keeps_the_rubrics_that_it_used(project: Project) -> None:
    store = BenchmarkStore(project)
    key = store.create("B")
    store.add(key, FOUND, "import:f.json")
    whole = store.read(key)
    review, rubrics = whole.reviews[1].id, whole.rubrics[whole.papers[0].id]
    given = {review: (records.Judgement(dimension="critique-clarity", score=2, rationale="All met."),)}
    run = store.begin_run(key, "checks", "model:checks@1")
    assert store.runs(key) == (), "nothing to show yet"
    store.add_scores(run, whole.reviews[1], given[review], rubrics, "", origin="model:tiny@1 (CPU, float32)")
    assert store.runs(key)[0].origin == "model:tiny@1 (CPU, float32)", "known once the model is loaded"
    [begun] = store.runs(key)
    assert not begun.complete, "what arrived is kept and shown, as unfinished"
    store.end_run(run, 0.5)
    store.edit_rubric(whole.papers[0].id, rubrics[0].model_copy(update={"description": "Changed"}))
    assert store.read(key).rubrics[whole.papers[0].id][0].origin == "person"
    assert store.judgements(run) == {review: {"critique-clarity": given[review][0]}}
    kept = project.query_one("SELECT rubric FROM judge_score WHERE run_id = ?", (run,))
    assert kept is not None and records.PaperRubric.model_validate_json(kept["rubric"]).description == "D"
    [heard] = store.runs(key)
    assert (heard.id, heard.judge, heard.seconds, heard.complete) == (run, "checks", 0.5, True)
    cancelled = store.begin_run(key, "checks", "model:checks@1")
    store.add_scores(cancelled, whole.reviews[1], given[review], rubrics, "", origin="model:checks@1")
    assert [one.id for one in store.runs(key)] == [run, cancelled], "sources are compared by a whole run"
    with project.action("Remove the review") as act:
        act.delete("benchmark_review", id=review)
    assert store.judgements(run), "a result outlives what it was computed from"
