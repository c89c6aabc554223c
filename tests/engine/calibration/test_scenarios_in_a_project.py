"""Scores and scenarios in a project: verbs are undo steps; refits start warm and end where cold ones do."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from engine.calibration.comparison import moves
from engine.calibration.records import ScoreProblem, ScoreRow
from engine.calibration.scenarios import HYPOTHETICAL, Change, Prepared, Scenario, prepare
from engine.calibration.store import ORIGINAL, CalibrationStore
from engine.calibration.synthetic import Design, draw
from engine.calibration.tasks import refit, run_comparison
from engine.errors import BadInput
from engine.exchange.calibration import change_sentences
from engine.jobs import JobEngine, QuietReport
from engine.project import Project
from tests.engine.undoing import assert_one_step_each


def _rows(items: int = 20, referees: int = 8) -> list[ScoreRow]:
    reviews = draw(Design(items=items, referees=referees), np.random.default_rng(1)).reviews
    return [
        ScoreRow(reviews.items[i], reviews.referees[r], float(s), float(c), (("soundness", float(round(s))),), n)
        for n, (i, r, s, c) in enumerate(
            zip(reviews.item, reviews.referee, reviews.score, reviews.confidence, strict=True), 2
        )
    ]


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with Project.create(tmp_path / "p.rejoinder") as made:
        yield made


@pytest.fixture
def store(project: Project) -> CalibrationStore:
    return CalibrationStore(project)


@pytest.fixture
def table(store: CalibrationStore) -> str:
    problem = ScoreProblem(7, "duplicate", "Row 7: again.", "mean")
    return store.add_table("Scores", _rows(), origin="import:s.csv", columns={"item": "paper"}, problems=[problem])


def _state(project: Project) -> list[list[tuple[object, ...]]]:
    return [
        [tuple(row) for row in project.query(f"SELECT * FROM {name} ORDER BY id")]
        for name in ("score_table", "score_review", "calibration_scenario", "calibration_change")
    ]


def test_a_table_comes_back_as_it_went_in(store: CalibrationStore, table: str) -> None:
    (found,) = store.tables()
    assert (found.title, found.origin, dict(found.columns)) == ("Scores", "import:s.csv", {"item": "paper"})
    assert found.problems == (ScoreProblem(7, "duplicate", "Row 7: again.", "mean"),)
    assert [(r.item, r.referee, r.score, r.confidence, r.further, r.row) for r in store.reviews(table)] == [
        (r.item, r.referee, r.score, r.confidence, r.further, r.row) for r in _rows()
    ]
    assert [s.name for s in store.scenarios(table)] == [ORIGINAL]


def test_the_reviews_of_a_new_table_are_kept_before_anybody_hears_of_it(
    project: Project, store: CalibrationStore
) -> None:
    """Otherwise the thread that imports and the window would read them at once, each for itself."""
    kept: list[object] = []
    end = project.subscribe(lambda _changes: kept.extend(reviews for _, reviews in store._reviews.values()))
    table = store.add_table("Scores", _rows(), origin="import:s.csv")
    end()
    assert [reviews is store.reviews(table) for reviews in kept] == [True]


def test_every_verb_is_one_step_back(project: Project, store: CalibrationStore, table: str) -> None:
    original = store.scenarios(table)[0].id
    review = store.reviews(table)[0]
    made: list[str] = []
    verbs = [
        lambda: store.change(original, "exclude_referee", referee="referee 2"),
        lambda: store.change(original, "exclude_review", review_id=review.id),
        lambda: store.change(original, "pin_bias", referee="referee 3", value=0.5),
        lambda: store.change(original, "add_review", item="item 4", value=1.0),
        lambda: made.append(store.add_scenario(original, "Harsher")),
        lambda: store.rename_scenario(made[0], "Strict"),
        lambda: store.configure(made[0], method="gam", prior_precision=4.0, score_name="soundness"),
        lambda: store.set_cutoff(table, 5),
        lambda: store.take_back(made[0], store.scenario(made[0]).changes[0]),
        lambda: store.reset(made[0]),
        lambda: store.remove_scenario(made[0]),
        lambda: store.remove_table(table),
    ]
    assert_one_step_each(project, verbs, _state)


def test_a_new_scenario_copies_its_source(store: CalibrationStore, table: str) -> None:
    original = store.scenarios(table)[0].id
    store.change(original, "pin_trust", referee="referee 1", value=3.0)
    store.configure(original, method="gam", prior_precision=2.0, score_name="")
    copy = store.scenario(store.add_scenario(original, "Copy"))
    assert (copy.method, copy.prior_precision) == ("gam", 2.0)
    assert [(c.kind, c.referee, c.value) for c in copy.changes] == [("pin_trust", "referee 1", 3.0)]
    with pytest.raises(BadInput, match="already"):
        store.add_scenario(original, "Copy")
    with pytest.raises(BadInput, match="needs a name"):
        store.rename_scenario(original, " ")


def test_the_last_scenario_stays(store: CalibrationStore, table: str) -> None:
    with pytest.raises(BadInput, match="only scenario"):
        store.remove_scenario(store.scenarios(table)[0].id)


def test_dragging_on_is_one_change_and_one_step(project: Project, store: CalibrationStore, table: str) -> None:
    original = store.scenarios(table)[0].id
    for value in (0.1, 0.2, 0.3):
        store.change(original, "pin_bias", referee="referee 1", value=value)
    assert [c.value for c in store.scenario(original).changes] == [0.3]
    project.undo()
    assert store.scenario(original).changes == ()


def test_a_changed_value_belongs_to_the_score_it_was_made_in(store: CalibrationStore, table: str) -> None:
    key, review = store.scenarios(table)[0].id, store.reviews(table)[0]

    def counted(score_name: str) -> tuple[list[str], Prepared]:
        store.configure(key, method="bayes", prior_precision=None, score_name=score_name)
        scenario = store.scenario(key)
        return [change.kind for change in scenario.in_force], prepare(store.reviews(table), scenario)

    for score_name, value in (("", 9.0), ("soundness", 1.0)):
        counted(score_name)
        store.change(key, "set_score", review_id=review.id, value=value)
    store.change(key, "pin_bias", referee="referee 3", value=0.5)
    store.change(key, "add_review", item="item 4", value=2.0)
    store.change(key, "exclude_referee", referee="referee 2")
    kinds, main = counted("")
    assert kinds == ["set_score", "exclude_referee"] and main.reviews.score[0] == 9.0
    assert np.isnan(main.pins.bias).all() and -1 not in main.source
    kinds, other = counted("soundness")
    assert kinds == ["set_score", "pin_bias", "add_review", "exclude_referee"] and other.reviews.score[0] == 1.0
    assert other.source[-1] == -1 and not np.isnan(other.pins.bias).all()
    said = change_sentences(store.scenario(key), {review.id: (review.item, review.referee)})
    assert [words.endswith(" (only for the main score)") for words in said] == [True, False, False, False, False]
    for change in store.scenario(key).in_force[:1]:
        store.take_back(key, change)
    assert prepare(store.reviews(table), store.scenario(key)).reviews.score[0] == dict(review.further)["soundness"]
    assert counted("")[1].reviews.score[0] == 9.0, "the other score keeps its own"


def test_a_table_without_rows_is_refused(store: CalibrationStore) -> None:
    with pytest.raises(BadInput, match="no reviews"):
        store.add_table("Empty", [], origin="import:e.csv")


# --- what a scenario does to the reviews --------------------------------------------------------------------------


def _scenario(*changes: Change, **more: object) -> Scenario:
    return replace(Scenario("s", "t", "Scenario", "bayes", changes=changes), **more)  # type: ignore[arg-type]


def test_changes_do_what_they_say(store: CalibrationStore, table: str) -> None:
    stored = store.reviews(table)
    found = prepare(
        stored,
        _scenario(
            Change("1", "exclude_review", review_id=stored[0].id),
            Change("2", "exclude_referee", referee=stored[1].referee),
            Change("3", "set_score", review_id=stored[2].id, value=9.0),
            Change("4", "add_review", item="item 5", value=2.0, confidence=7.0),
            Change("5", "add_review", item="item 5", referee=stored[2].referee, value=3.0),
            Change("6", "pin_score", item="item 6", value=1.5),
            Change("7", "pin_trust", referee=stored[2].referee, value=0.0),
        ),
    )
    gone = {0} | {n for n, r in enumerate(stored) if r.referee == stored[1].referee}
    assert found.excluded == gone and not gone & set(found.source.tolist())
    assert len(found.reviews) == len(stored) - len(gone) + 2
    assert found.reviews.score[found.source == 2] == [9.0] and found.changed == {2}
    assert found.reviews.referees[-1] == f"{HYPOTHETICAL} 1"
    assert found.reviews.confidence[-2:].tolist() == [7.0, float(np.median([r.confidence for r in stored]))]
    assert found.pins.score[found.reviews.items.index("item 6")] == 1.5
    assert found.pins.noise[found.reviews.referees.index(stored[2].referee)] == 1.0
    assert len(found.reviews.items) == 20


def test_another_score_can_be_calibrated(store: CalibrationStore, table: str) -> None:
    stored = store.reviews(table)
    without = (*stored[:3], replace(stored[3], further=()), *stored[4:])
    found = prepare(without, _scenario(score_name="soundness"))
    assert found.missing == 1 and found.reviews.score[0] == round(stored[0].score)


@pytest.mark.parametrize("method", ["bayes", "gam", "mean"])
def test_a_warm_refit_ends_where_a_cold_one_does(store: CalibrationStore, table: str, method: str) -> None:
    stored = store.reviews(table)
    first = refit(_scenario(method=method), stored, 5).run(QuietReport())
    changed = _scenario(
        Change("1", "exclude_review", review_id=stored[4].id),
        Change("2", "add_review", item="item 5", value=2.0),
        method=method,
    )
    warm = refit(changed, stored, 5, first).run(QuietReport())
    cold = refit(changed, stored, 5).run(QuietReport())
    if method == "bayes":
        assert warm.calibration.score == pytest.approx(cold.calibration.score, abs=0.05)
    assert len(warm.calibration.score) == len(cold.calibration.score) == 20
    assert np.isfinite(warm.calibration.score).all()


def test_the_task_hands_scores_over_before_the_intervals(store: CalibrationStore, table: str) -> None:
    engine = JobEngine()
    partial: list[object] = []
    try:
        job = engine.submit(refit(_scenario(), store.reviews(table), 5), on_partial=partial.append)
        result = job.result(timeout=30)
        rows = engine.submit(run_comparison(result, 5)).result(timeout=60)
    finally:
        engine.shutdown()
    assert len(partial) == 1 and result.doubt is not None
    assert result.doubt.above.sum() == pytest.approx(5)
    assert {row.method for row in rows} >= {"bayes", "gam", "mean"}


def test_excluding_everything_is_a_clear_word(store: CalibrationStore, table: str) -> None:
    stored = store.reviews(table)
    everybody = [Change(r, "exclude_referee", referee=r) for r in {review.referee for review in stored}]
    with pytest.raises(BadInput, match="no review"):
        refit(_scenario(*everybody), stored, 5).run(QuietReport())


def test_moves_name_who_crosses_the_line() -> None:
    found = moves(np.array([4.0, 3, 2, 1]), np.array([1.0, 3, 2, 4]), 2)
    assert found.rising.tolist() == [3] and found.falling.tolist() == [0]
    assert found.change.tolist() == [-3.0, 0.0, 0.0, 3.0]
    gone = moves(np.array([4.0, 3, 2]), np.array([np.nan, 3, 2]), 1)
    assert gone.rising.tolist() == [1] and gone.falling.tolist() == [0]
    assert found.count == 2


def test_moves_within_the_tolerance_of_a_fit_are_not_counted() -> None:
    before = np.linspace(0.0, 1.0, 3000)
    noise = np.random.default_rng(1).uniform(-3e-4, 3e-4, len(before))
    found = moves(before, before + noise, None)
    assert (np.abs(found.change) >= 1).any() and found.count == 0
    before[[0, -1]] = before[[-1, 0]]
    assert moves(before, np.linspace(0.0, 1.0, 3000), None).count == 2
