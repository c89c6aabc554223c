"""Stages switched off, streaming, cancelling, stored runs that replay to the same, and comparing runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.errors import Cancelled
from engine.jobs import QuietReport
from engine.project import Project
from engine.review_drafting.crews import deterministic_crew
from engine.review_drafting.pipeline import RunSettings, StageRun, begun, compare_runs, run_stages
from engine.review_drafting.records import STAGES, Draft, Search, StageId
from engine.review_drafting.store import ReviewDraftStore
from tests.engine.review_drafting.conftest import Read
from tests.engine.review_drafting.test_literature_stage import FAR, NEAR

LIBRARY = (NEAR, *FAR)


@pytest.mark.parametrize("off", STAGES)
def test_each_stage_can_be_left_out(faulty: Read, off: StageId) -> None:
    settings = RunSettings(frozenset(STAGES) - {off})
    heard: list[StageRun] = []
    run = run_stages(deterministic_crew(), faulty.paper, library=LIBRARY, settings=settings, on_stage=heard.append)
    assert [stage.stage for stage in run.stages] == [stage for stage in STAGES if stage != off]
    assert run.stages == tuple(heard), "each stage is heard as soon as it is done"
    assert run.output(off) is None
    origins = {point.origin for _, point in run.draft.points()}
    assert any(origin.startswith("check:") for origin in origins) == (off not in ("results", "aggregator"))
    assert ("literature" in origins) == (off not in ("literature", "aggregator"))


class CancelAfter(QuietReport):
    """Cancels when a stage begins."""

    def __init__(self, words: str) -> None:
        self.words = words

    def progress(self, fraction: float, words: str = "") -> None:
        if words == self.words:
            raise Cancelled

    def part(self, start: float, end: float) -> CancelAfter:
        return self


def test_cancel_stops_before_the_next_stage(faulty: Read) -> None:
    heard: list[StageRun] = []
    with pytest.raises(Cancelled):
        run_stages(deterministic_crew(), faulty.paper, report=CancelAfter("Insight Miner"), on_stage=heard.append)
    assert [run.stage for run in heard] == ["drafter", "literature"]


def test_a_stored_run_replays_to_the_same(faulty: Read, tmp_path: Path) -> None:
    crew = deterministic_crew()
    run = run_stages(crew, faulty.paper, library=LIBRARY, settings=RunSettings(search=Search(since=2000, top=3)))
    with Project.create(tmp_path / "p.rejoinder") as project:
        store = ReviewDraftStore(project)
        kept = store.begin_run(begun(crew, faulty.paper, LIBRARY, Draft(), run.settings))
        for stage in run.stages:
            store.save_stage(kept.id, stage)
        store.end_run(kept.id, "done", run.seconds)
    with Project.open(tmp_path / "p.rejoinder", read_only=True) as project:
        (stored,) = ReviewDraftStore(project).runs()
    again = run_stages(crew, faulty.paper, library=LIBRARY, settings=stored.settings)
    assert stored.inputs == again.inputs and stored.settings == run.settings
    for difference in compare_runs(stored, again):
        assert difference.same_input and difference.same_output
        assert difference.only_first == difference.only_second == ()
    assert stored.draft == again.draft == run.draft


def test_what_changed_between_two_runs_is_told(faulty: Read, clean: Read) -> None:
    first = run_stages(deterministic_crew(), faulty.paper)
    second = run_stages(deterministic_crew(), clean.paper, settings=RunSettings(frozenset(("drafter", "results"))))
    shown = {difference.stage: difference for difference in compare_runs(first, second)}
    assert set(shown) == set(STAGES)
    assert not shown["results"].same_input and not shown["results"].same_output
    assert any("45 of 60" in text for text in shown["results"].only_first)
    assert not shown["insight"].same_output and shown["insight"].only_second == ()
    assert dict(first.inputs)["text"] != dict(second.inputs)["text"]
    assert dict(first.inputs)["rubrics"] == dict(second.inputs)["rubrics"]
