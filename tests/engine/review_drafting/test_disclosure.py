"""What was assisted, measured: sentences kept, rewritten and written by hand, and the stages that ran."""

from __future__ import annotations

from dataclasses import replace

from engine.review_drafting.crews import deterministic_crew, language_crew
from engine.review_drafting.disclosure import disclosure, statement
from engine.review_drafting.forms import shipped
from engine.review_drafting.grounding import ground
from engine.review_drafting.pipeline import Run, RunSettings, StageRun, run_stages
from engine.review_drafting.records import Draft, LiteratureReport, Point, RelatedWork, StageInfo
from engine.review_drafting.related import mention
from tests.engine.review_drafting.conftest import Read
from tests.engine.review_drafting.test_language_stages import ScriptedModel

FORM = shipped("iclr")
OFFERED = "The margin over the baselines is not tested for significance."
OWN = "The letters come from few journals."


def _run(key: str = "1", *, own: str = "", created: str = "2026-01-01", points: tuple[Point, ...] = ()) -> Run:
    draft = Draft(weaknesses=points or (Point(id="a", text=OFFERED, suggestion="Report a test.", origin="check:x"),))
    stage = StageRun(StageInfo("aggregator", "deterministic", "1"), "0" * 64, draft)
    return Run("0" * 64, "model:stages@1", "", RunSettings(), (), (stage,), id=key, created_at=created,
               own=(("weaknesses", own),) if own else ())  # fmt: skip


def _hands(text: str, *runs: Run) -> list[tuple[str, str | None]]:
    return [(one.hand, one.stage) for one in disclosure(FORM, {"weaknesses": text}, runs).sentences]


def test_kept_rewritten_and_written() -> None:
    text = (
        f"- {OFFERED}\n- The margin over both baselines is not tested for any significance at all.\n- {OWN} Report a"
        " test."
    )
    assert _hands(text, _run()) == [
        ("kept", "aggregator"), ("rewritten", "aggregator"), ("written", None), ("kept", "aggregator"),
    ]  # fmt: skip
    assert _hands(text) == [("written", None)] * 4, "nothing ran"


def test_what_stood_there_before_a_run_is_nobodys_offer() -> None:
    again = (Point(id="b", text=OWN, origin="model"), Point(id="c", text=OFFERED, origin="reviewer"))
    assert _hands(f"{OWN} {OFFERED}", _run(own=OWN, points=again)) == [("written", None)] * 2
    assert _hands(OWN, _run(points=again), _run("2", own=OWN, created="2026-01-02")) == [("kept", "aggregator")]


def test_what_a_run_of_an_earlier_version_listed_is_its_offer() -> None:
    listed = {"id": "tone-1", "dimension": "tone", "question": "Which baselines were tuned?", "places": []}
    stored = Draft.model_validate({"checklist": [listed]}).model_dump_json()
    stage = StageRun(StageInfo("drafter", "deterministic", "1"), "0" * 64, Draft.model_validate_json(stored))
    assert _hands("Which baselines were tuned?", replace(_run(), stages=(stage,))) == [("kept", "drafter")]


def test_the_statement_says_what_was_measured(faulty: Read) -> None:
    runs = [run_stages(deterministic_crew(), faulty.paper, settings=RunSettings(frozenset(("drafter", "results"))))]
    runs.append(run_stages(language_crew(ScriptedModel()), faulty.paper, settings=RunSettings(frozenset({"drafter"}))))
    first = runs[0].draft.points()[0][1].text
    found = disclosure(FORM, {"summary": first, "weaknesses": OWN}, runs, ["accepted", "rejected", "accepted"])
    words = statement(found)
    assert f"- Drafter: by rules, without a language model (version {runs[0].stages[0].info.version})" in words
    assert "- Drafter: language model scripted, prompt review-drafter (bundled " in words
    settings = replace(runs[1].settings, models=(("drafter", "another"),))
    other = statement(disclosure(FORM, {}, [replace(runs[1], settings=settings)]))
    assert "- Drafter: language model another, prompt" in other, "a stage may have a model of its own"
    assert "Result Analyzer: by rules" in words and "Insight" not in words
    assert found.count("kept") >= 1 and found.count("written") == 1
    assert "1 was written manually" in words and "2 were taken and 1 refused" in words


def test_without_runs_it_says_so() -> None:
    words = statement(disclosure(FORM, {"weaknesses": OWN}, []))
    assert words == "No stage of Rejoinder drafted or checked this review; its one sentence was written manually.\n"


def test_a_mentioned_work_is_an_offer_and_no_claim(clean: Read) -> None:
    works = [
        RelatedWork(paper_id="1", title="Reading of quoted letters", year=2020, authors=("Ada Example", "Ben Sample"),
                    score=1.0, cited=False, relation="Both speak of “letters” and “parsers”. Its title was not found."),
        RelatedWork(paper_id="2", title="Other parsers of long letters", score=0.5, cited=True),
    ]  # fmt: skip
    stage = StageRun(
        StageInfo("literature", "deterministic", "1"), "0", LiteratureReport(searched=2, found=tuple(works))
    )
    run = Run("0" * 64, "model:stages@1", "", RunSettings(), (), (stage,), id="1")
    assert "also speaks of letters and parsers" in mention(works[0])
    assert "“Reading of quoted letters” (Example and Sample, 2020)" in mention(works[0])
    for work in works:
        assert _hands(mention(work), run) == [("kept", "literature")]
        checked = ground(mention(work), clean.paper.places)
        assert not checked.unfounded, "a title is no quotation of the paper"
