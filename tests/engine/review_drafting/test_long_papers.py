"""Papers longer than a model's context: read in passes, nothing dropped silently, and the requests counted before."""

from __future__ import annotations

import re
from typing import Any

import pytest

from engine.errors import BadInput
from engine.jobs import QuietReport
from engine.models.language import UnknownContext
from engine.models.prompts import tokens_in
from engine.review_drafting.crews import language_crew
from engine.review_drafting.pipeline import RunSettings, run_stages
from engine.review_drafting.records import STAGES, Draft, PaperReading, Passage
from engine.review_drafting.stages.asking import Asking
from engine.review_drafting.stages.language import FINAL_TOKENS
from tests.engine.review_drafting.papers import point, reading
from tests.engine.review_drafting.test_language_stages import ScriptedModel, scripted_answer
from tests.engine.review_drafting.test_literature_stage import NEAR

NAMES = ("Abstract", "Introduction", *(f"Study {n}" for n in range(1, 20)), "Results")


def assert_accounted(text: str) -> None:
    """Each section of the long paper is there, has notes under its name, is named as left out, or is counted."""
    missing = [name for n, name in enumerate(NAMES) if f"Mark{n} " not in text and not re.search(rf"{name}\b", text)]
    counted = re.search(r"and (\d+) more section", text)
    assert len(missing) == (int(counted[1]) if counted else 0)


def long_paper(words: int = 6000) -> PaperReading:
    """A paper of many sections, each with a word of its own."""
    passages = tuple(
        Passage(text=f"Mark{n} begins {name}. " + "Words follow each other here. " * (words // len(NAMES) // 5),
                section=name, part="abstract" if n == 0 else "results" if name == "Results" else "other", page=n + 1,
                paragraph_id=f"p{n}")
        for n, name in enumerate(NAMES)
    )  # fmt: skip
    return reading(title="Long").model_copy(update={"passages": passages, "references": ("R. " * 40,) * 60})


@pytest.mark.parametrize("context", [3_000, 6_000, 12_000])
def test_a_paper_that_does_not_fit_is_read_in_passes_and_nothing_is_dropped_silently(context: int) -> None:
    paper, model = long_paper(), ScriptedModel(notes_answer, context=context)
    asking = Asking(model)
    room, _ = asking.room("", "", 1000)
    text, raw = asking.paper(paper, room, ("abstract", "results"), QuietReport())
    assert tokens_in(text) <= room and raw
    assert "Mark0 begins" in text and "Mark21 begins" in text, "what matters first is there word for word"
    assert_accounted(text)
    assert "notes instead of the text" in text and "The reference list (60 entries) is left out" in text
    for prompt in model.prompts:
        assert prompt.tokens <= context - prompt.max_tokens
    with pytest.raises(BadInput, match="too short"):
        Asking(ScriptedModel(context=300)).room("x" * 400, "", 200)


@pytest.mark.parametrize(("words", "context", "longer"), [(3_000, 1_200, 0), (20_000, 1_100, 0), (6_000, 1_100, 9)])
def test_sections_that_have_no_room_are_named_or_counted(words: int, context: int, longer: int) -> None:
    paper = long_paper(words)
    named = tuple(p.model_copy(update={"section": p.section + " revisited" * longer}) for p in paper.passages)
    asking = Asking(ScriptedModel(notes_answer, context=context))
    room, _ = asking.room("", "", 900)
    text, _ = asking.paper(paper.model_copy(update={"passages": named}), room, ("abstract",), QuietReport())
    assert "Left out for lack of room" in text
    assert ("more section" in text) == bool(longer)
    assert_accounted(text)


def notes_answer(_system: str, user: str) -> Any:
    """Notes that keep the marks of the sections that they are about."""
    return {"notes": [f"{mark} was told." for mark in re.findall(r"Mark\d+", user)][:12] or ["Nothing."]}


def answered(system: str, user: str) -> Any:
    return notes_answer(system, user) if "Part of the paper" in user else scripted_answer(system, "")


@pytest.mark.parametrize("context", [12_000, 60_000])
@pytest.mark.parametrize("on", [frozenset(STAGES), frozenset(STAGES) - {"drafter", "literature"}])
def test_the_requests_of_a_run_are_counted_before(context: int, on: frozenset[Any]) -> None:
    paper, model = long_paper(), ScriptedModel(answered, context=context)
    settings, crew = RunSettings(on), language_crew(model)
    assert crew.forecast is not None
    before = crew.forecast(paper, Draft(), settings, 1)
    assert model.prompts == [], "nobody was asked"
    run_stages(crew, paper, library=(NEAR,), settings=settings)
    asked_for = len(model.prompts)
    assert asked_for <= before.requests <= (asked_for if context == 60_000 else 1.3 * asked_for)
    assert (before.cached, before.seconds) == (0, None)
    asked = sum(prompt.tokens for prompt in model.prompts)
    assert asked * 0.9 < before.prompt_tokens < asked * 2, "what the stages will write counts in full"
    again = crew.forecast(paper, Draft(), settings, 1)
    notes = sum("Part of the paper" in prompt.messages[-1].content for prompt in model.prompts)
    assert 0 <= again.cached <= notes and (again.cached > 0) == (context < 60_000), "notes are not taken twice"


def test_what_is_written_already_and_how_a_stage_asks_count() -> None:
    paper, crew = long_paper(), language_crew(ScriptedModel(context=60_000))
    assert crew.forecast is not None
    drafter = RunSettings(frozenset({"aggregator"}))
    written = Draft(weaknesses=tuple(point(str(n), "The study is too small. " * 20) for n in range(9)))
    plain, own = (crew.forecast(paper, draft, drafter, 0) for draft in (Draft(), written))
    assert own.prompt_tokens > plain.prompt_tokens + 1000 and plain.answer_tokens == FINAL_TOKENS
    unknown = language_crew(ScriptedModel(context=None))
    assert unknown.forecast is not None
    with pytest.raises(UnknownContext):
        unknown.forecast(paper, Draft(), drafter, 0)
