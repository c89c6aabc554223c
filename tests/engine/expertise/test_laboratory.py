"""The laboratory without a window: drill-down by hand, differences, reasons, and runs that are kept whole."""

from __future__ import annotations

from dataclasses import replace
from math import isnan
from pathlib import Path

import pytest

from engine.errors import Cancelled
from engine.exchange.expertise_data import read_gold_standard
from engine.exchange.expertise_report import comparison_files, curve_files, leaderboard_files, scores_file
from engine.expertise.laboratory import (
    LENGTHS,
    Choice,
    Data,
    Explain,
    Laboratory,
    Outcome,
    Setup,
    curves,
    differences,
    drill,
    mean_scores,
    ranks,
)
from engine.expertise.laboratory_store import LaboratoryStore
from engine.expertise.tasks import curve, load_data
from engine.jobs import QuietReport
from engine.models import Embedder
from engine.project import Project
from tests.engine.expertise.gold import write_gold_folder

SETUP = Setup(draws=2)


def no_encoder() -> Embedder:
    raise AssertionError("lexical algorithms need no encoder")


@pytest.fixture(scope="module")
def laboratory(tmp_path_factory: pytest.TempPathFactory) -> Laboratory:
    folder = write_gold_folder(tmp_path_factory.mktemp("lab") / "gold")
    return Laboratory(Data("d", "Made up", read_gold_standard(folder)), no_encoder)


def test_ranks_share_places_and_scores_are_means_over_draws() -> None:
    assert ranks([0.2, 0.9, 0.2, 0.5]) == [3.5, 1.0, 3.5, 2.0]
    assert mean_scores([{"a": {"p": 1.0}}, {"a": {"p": 3.0, "q": 2.0}}, {}], "a", "pqr") == {"p": 2.0, "q": 2.0}


def test_a_run_says_what_it_was_and_a_drill_adds_up_to_the_loss(laboratory: Laboratory) -> None:
    outcome = laboratory.run(Choice("tpms"), SETUP, QuietReport())
    assert (outcome.run.algorithm, outcome.run.draws, outcome.published) == ("tpms", 2, None)
    assert outcome.run.origin.startswith("model:tpms@") and outcome.evaluation.participants == 4
    for person, loss in outcome.evaluation.losses.items():
        found = drill(laboratory.data, outcome, person)
        assert [p.rating for p in found.papers] == sorted((p.rating for p in found.papers), reverse=True)
        # Both draws hold the same profiles here, so that the mean of the scores orders like each of them.
        possible = sum(pair.difference for pair in found.pairs)
        assert sum(pair.cost for pair in found.pairs) / possible == pytest.approx(loss)
        assert [pair.cost for pair in found.pairs] == sorted((pair.cost for pair in found.pairs), reverse=True)


def test_reasons_name_profile_papers_whose_shares_sum_to_one(laboratory: Laboratory) -> None:
    evidence = laboratory.explain(Explain(Choice("tpms"), SETUP, "1", "read-bees-0"), QuietReport())
    assert sum(found.share for found in evidence) == pytest.approx(1.0)
    assert evidence[0].paper.startswith("own-bees") and evidence[0].words
    assert laboratory.explain(Explain(Choice("tpms"), SETUP, "nobody", "read-bees-0"), QuietReport()) == ()


def test_differences_are_to_the_baseline_on_the_same_samples(
    laboratory: Laboratory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.expertise.evaluation.FEWEST", 2)
    tpms, trivial = (laboratory.run(Choice(name), SETUP, QuietReport()) for name in ("tpms", "trivial"))
    outcomes = [LaboratoryKeys.keyed(tpms, "t"), LaboratoryKeys.keyed(trivial, "c")]
    apart = differences(outcomes, outcomes[1])
    assert set(apart) == {"t"} and apart["t"].value == pytest.approx(tpms.evaluation.loss - 0.5)
    assert apart["t"].low <= apart["t"].value <= apart["t"].high < 0


class LaboratoryKeys:
    """Outcomes as the store would name them."""

    @staticmethod
    def keyed(outcome, key: str):  # type: ignore[no-untyped-def]
        from dataclasses import replace

        return replace(outcome, run=replace(outcome.run, id=key))


def test_runs_are_kept_whole_and_the_newest_of_a_kind_replaces_the_one_before(
    laboratory: Laboratory, tmp_path: Path
) -> None:
    outcome = laboratory.run(Choice("bm25"), SETUP, QuietReport())
    with Project.create(tmp_path / "p.rejoinder") as project:
        store = LaboratoryStore(project)
        first = store.save(outcome.run, outcome.predictions)
        assert store.predictions(first.id) == outcome.predictions
        again = laboratory.outcome(first, store.predictions(first.id))
        assert again.evaluation.loss == outcome.evaluation.loss
        second = store.save(outcome.run, outcome.predictions)
        assert [run.id for run in store.runs("d")] == [second.id] and store.predictions(first.id) == ()
        assert project.undo_title is None, "what is computed is no step of the person's"
        store.forget([second.id])
        assert store.runs("d") == () and store.predictions(second.id) == ()


def test_cancel_is_heard(laboratory: Laboratory) -> None:
    class Stopped(QuietReport):
        def progress(self, fraction: float, words: str = "") -> None:
            raise Cancelled

        def part(self, start: float, end: float) -> Stopped:
            return self

    with pytest.raises(Cancelled):
        laboratory.run(Choice("tpms"), Setup("title", 7, 1), Stopped())


def test_tables_and_figures_are_written(laboratory: Laboratory) -> None:
    outcome = laboratory.run(Choice("tpms"), SETUP, QuietReport())
    files = {file.name: file.content for file in leaderboard_files([outcome], {})}
    assert set(files) == {"leaderboard.csv", "leaderboard.tex", "leaderboard.pdf", "leaderboard.svg", "leaderboard.png"}
    assert f"{outcome.evaluation.loss}".encode() in files["leaderboard.csv"] and b"TPMS" in files["leaderboard.tex"]
    changed = laboratory.run(Choice("bm25", options=(("k1", "0.9"),)), SETUP, QuietReport())
    assert scores_file(changed).name == "scores-bm25-k1-0.9.csv"
    (points,) = curves(tuple(laboratory.curve(Choice("tpms"), SETUP, QuietReport()))).values()
    assert {file.name for file in curve_files({"TPMS": points})} >= {"profile-length.csv", "profile-length.svg"}


def test_a_loss_that_is_not_known_is_left_empty_in_every_table(laboratory: Laboratory) -> None:
    """Nobody rated two papers differently."""
    gold = laboratory.data.gold
    flat = replace(gold, ratings=tuple(replace(rating, value=3.0) for rating in gold.ratings))
    outcomes = [
        Laboratory(Data("d", "Flat", flat), no_encoder).run(Choice(one), SETUP, QuietReport())
        for one in ("tpms", "bm25")
    ]
    assert isnan(outcomes[0].evaluation.loss)
    apart = differences(outcomes, outcomes[0])
    files = [
        *leaderboard_files(outcomes, apart),
        *comparison_files(outcomes),
        *curve_files({"TPMS": [(1, outcomes[0].evaluation)] * 2}),
    ]
    for file in files:
        if file.name.endswith((".csv", ".tex")):
            assert b"nan" not in file.content, file.name


def test_a_changed_parameter_makes_another_kind_of_run(laboratory: Laboratory, tmp_path: Path) -> None:
    plain, changed = (
        laboratory.run(Choice("bm25", options=options), SETUP, QuietReport()) for options in ((), (("pooling", "max"),))
    )
    assert (plain.run.label, changed.run.label) == ("BM25", "BM25 (pooling max)")
    assert plain.predictions != changed.predictions
    with Project.create(tmp_path / "p.rejoinder") as project:
        store = LaboratoryStore(project)
        for outcome in (plain, changed, changed):
            store.save(outcome.run, outcome.predictions)
        assert [run.label for run in store.runs("d")] == ["BM25", "BM25 (pooling max)"]
        assert store.runs("d")[1].options == (("pooling", "max"),)


def test_profile_lengths_are_kept_as_runs_and_whole_runs_stay(laboratory: Laboratory, tmp_path: Path) -> None:
    whole = laboratory.run(Choice("tpms"), SETUP, QuietReport())
    with Project.create(tmp_path / "p.rejoinder") as project:
        store = LaboratoryStore(project)
        kept = store.save(whole.run, whole.predictions)
        task = curve(laboratory, store, Choice("tpms"), SETUP)
        collected = Partials()
        assert task.run(collected) == len(LENGTHS) == 20
        assert len(collected.outcomes) == 19, "the run of all scores has those of the rated pairs"
        runs = store.runs("d")
        assert sorted(run.profile_length for run in runs) == list(LENGTHS) and kept.id in {run.id for run in runs}
        again = Partials()
        task.run(again)
        assert again.outcomes == [], "nothing changed, so nothing is written again"
        ((name, points),) = curves([laboratory.outcome(run, store.predictions(run.id)) for run in runs]).items()
        assert name == ("TPMS", "title+abstract") and [length for length, _ in points] == list(LENGTHS)
        assert points[-1][1].loss == pytest.approx(whole.evaluation.loss)


def test_published_scores_stand_beside_as_runs_of_their_own(laboratory: Laboratory, tmp_path: Path) -> None:
    bm25, tpms = (laboratory.run(Choice(name), SETUP, QuietReport()) for name in ("bm25", "tpms"))
    released = {f"specter_mfr_d_20_{n + 1}_ta": scores for n, scores in enumerate(bm25.predictions)}
    data = replace(laboratory.data, published={**released, "tpms_d_full_20_1_f": tpms.predictions[0]})
    found = {outcome.run.label: outcome for outcome in Laboratory(data, no_encoder).published_outcomes()}
    assert set(found) == {"SPECTER+MFR (published)", "TPMS (published)"}
    mfr = found["SPECTER+MFR (published)"]
    assert mfr.evaluation.loss == bm25.evaluation.loss and mfr.run.draws == 2
    assert found["TPMS (published)"].run.representation == "full text"
    assert scores_file(mfr).name == "scores-specter+mfr-published.csv"
    with Project.create(tmp_path / "p.rejoinder") as project:
        task = load_data(lambda _report: data, LaboratoryStore(project), lambda d: Laboratory(d, no_encoder))
        loaded = task.run(QuietReport())
        assert {outcome.run.id for outcome in loaded.outcomes} == {outcome.run.id for outcome in found.values()}
        assert LaboratoryStore(project).runs("d") == (), "they come with the data and are not kept twice"


class Partials(QuietReport):
    def __init__(self) -> None:
        super().__init__()
        self.outcomes: list[Outcome] = []

    def partial(self, value: object) -> None:
        assert isinstance(value, Outcome)
        self.outcomes.append(value)
