"""Reference reviews, rubrics and scores by a language model (ReviewBench, sections 3.1 and 3.2), with our own prompts.

The form of the answers is the published one: a title, a description, key points; a score and a rationale per dimension.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, Field, create_model

from engine.jobs import QuietReport, Report
from engine.models.language import Completion, LanguageModel, Message, Prompt
from engine.models.objects import ask_objects, complete_as
from engine.models.prompts import fence_rule, fenced, shipped_prompt
from engine.models.questions import Answer, Asked
from engine.review_drafting.benchmark.instantiate import copied, instantiated
from engine.review_drafting.benchmark.records import HIGHEST, Judgement, KeyPoint, PaperRubric
from engine.review_drafting.benchmark.reference import mean_scores
from engine.review_drafting.records import MetaRubric, PaperReading, Part, Record, Review
from engine.review_drafting.stages.asking import Asking, evidence_anchor

Shape = TypeVar("Shape", bound=BaseModel)
RUBRICS_PROMPT = "review-rubrics"
JUDGE_PROMPT = "review-judge"
REFERENCE_PROMPT = "review-reference"
PROMPT_VERSION = "6"
ANSWER_TOKENS = 2400
READ_FIRST: tuple[Part, ...] = ("abstract", "introduction", "results", "method", "data", "discussion", "conclusion")
"""The parts of a paper shown to a judge first if the model's context doesn't fit all of it."""
GROUNDED = frozenset(("core-contribution-accuracy", "results-interpretation", "comparative-analysis"))
"""Dimensions about the paper's content: each of their key points needs evidence in the paper."""


class _Point(Record):
    text: str = Field(min_length=1, max_length=400)
    evidence: str = Field(max_length=400)


_Text = Annotated[str, Field(min_length=1, max_length=1500)]


class _Rubric(Record):
    description: str = Field(min_length=1, max_length=600)
    key_points: list[_Point] = Field(min_length=1, max_length=6)


class _Score(Record):
    score: int
    rationale: str = Field(max_length=1200)


class _Pitfall(_Score):
    score: int = Field(ge=-HIGHEST, le=0)


class _Merit(_Score):
    score: int = Field(ge=0, le=HIGHEST)


class _Reference(Record):
    summary: str = Field(min_length=1, max_length=3000)
    strengths: list[_Text] = Field(max_length=12)
    weaknesses: list[_Text] = Field(max_length=15)
    questions: list[_Text] = Field(max_length=15)


def model_reference(
    model: LanguageModel, reviews: Sequence[Review], *, seed: int = 0, report: Report = QuietReport()
) -> tuple[Review, tuple[Completion, ...]]:
    """Has a model consolidate the human reviews of a paper (section 3.1); also returns its output. Scores are means.

    Raises what ``complete_as`` raises.
    """
    parts = [
        fenced(f"review {number}", _review_text(review), said_by_reviewer=True)
        for number, review in enumerate(reviews, start=1)
    ]
    answer = _answer(model, REFERENCE_PROMPT, parts, _Reference, seed=seed, report=report)
    texts = answer.value.model_dump()
    return Review(**texts, scores=mean_scores([review.scores for review in reviews])), answer.completions


def model_rubrics(
    model: LanguageModel,
    paper: PaperReading,
    reference: Review,
    metas: Sequence[MetaRubric],
    *,
    origin: str,
    seed: int = 0,
    report: Report = QuietReport(),
) -> tuple[tuple[PaperRubric, ...], tuple[Completion, ...]]:
    """Returns rubrics of one paper, and the model's output. Raises what ``complete_as`` raises.

    Key points in the words of the reference review are removed, as are points about the paper's content without
    evidence in the paper; a dimension left without key points gets those made by rules.
    """
    dimensions = json.dumps(
        {_field(meta.id): {"kind": meta.kind, "what it asks": meta.description} for meta in metas}, indent=1
    )
    parts = (
        fenced("dimensions", dimensions),
        fenced("reference review", _review_text(reference), said_by_reviewer=True),
    )
    asking = Asking(model, seed)
    room, _ = asking.room(f"{shipped_prompt(RUBRICS_PROMPT)}{fence_rule()}", "".join(parts), ANSWER_TOKENS)
    text, _ = asking.paper(paper, room, READ_FIRST, report)
    shape = _by_dimension({meta.id: _Rubric for meta in metas})
    answer = _answer(model, RUBRICS_PROMPT, (fenced("paper", text), *parts), shape, seed=seed, report=report)
    given: dict[str, _Rubric] = {meta.id: getattr(answer.value, _field(meta.id)) for meta in metas}
    by_rules = instantiated(paper, reference, metas)
    return tuple(
        PaperRubric(dimension=meta.id, description=given[meta.id].description, origin=origin, key_points=points)
        if (points := tuple(_checkable(given[meta.id].key_points, meta.id, paper, reference)))
        else ruled
        for meta, ruled in zip(metas, by_rules, strict=True)
    ), answer.completions


def _checkable(points: Sequence[_Point], dimension: str, paper: PaperReading, reference: Review) -> Iterator[KeyPoint]:
    for point in points:
        anchor = evidence_anchor(paper, point.evidence)
        held = anchor is not None and anchor.found
        if point.text.strip() and (held or dimension not in GROUNDED) and not copied(point.text, reference, paper):
            yield KeyPoint(text=point.text, evidence=point.evidence if held else "")


OnJudged = Callable[[int, tuple[Judgement, ...], tuple[Completion, ...], str], None]
"""Called with each answer: the question's position, its scores, the model's output, and why there are no scores."""


def model_judgements(
    model: LanguageModel,
    paper: PaperReading,
    questions: Sequence[tuple[Review, Sequence[PaperRubric]]],
    metas: Sequence[MetaRubric],
    on_judged: OnJudged,
    *,
    seed: int = 0,
    report: Report = QuietReport(),
) -> None:
    """Scores reviews of one paper, each on the dimensions of its rubrics with one question; many are asked at once.

    The published judge is asked dimension by dimension (equation 2). An answer that can't be used yields no scores,
    without affecting the others. Raises what ``ask_objects`` raises.
    """
    by_id = {meta.id: meta for meta in metas}
    # Paper and review come first: questions about one paper then share a prefix that the server can cache.
    parts = [
        (fenced("review", _review_text(review), said_by_reviewer=True), _rubrics_text(rubrics, by_id))
        for review, rubrics in questions
    ]
    asking, system = Asking(model, seed), f"{shipped_prompt(JUDGE_PROMPT)}\n\n{fence_rule()}"
    room, _ = asking.room(system, max(("".join(part) for part in parts), key=len, default=""), ANSWER_TOKENS)
    text, _ = asking.paper(paper, room, READ_FIRST, report.part(0.0, 0.2))
    kinds = [
        {one.dimension: _Pitfall if by_id[one.dimension].kind == "pitfall" else _Merit for one in rubrics}
        for _, rubrics in questions
    ]
    asked = [
        (Prompt((Message("system", system), Message("user", "\n\n".join((fenced("paper", text), *part)))),
                ANSWER_TOKENS, seed), _by_dimension(shapes))
        for part, shapes in zip(parts, kinds, strict=True)
    ]  # fmt: skip

    def hear(place: int, one: Asked[Record]) -> None:
        found: tuple[Judgement, ...] = ()
        if one.value is not None:
            given = {key: getattr(one.value, _field(key)) for key in kinds[place]}
            found = tuple(
                Judgement(dimension=key, score=score.score, rationale=score.rationale) for key, score in given.items()
            )
        on_judged(place, found, one.completions, one.problem)

    ask_objects(model, asked, report=report.part(0.2, 1.0), on_answer=hear, words="scores")


def _rubrics_text(rubrics: Sequence[PaperRubric], by_id: Mapping[str, MetaRubric]) -> str:
    asked = {
        _field(rubric.dimension): {
            "pitfall": by_id[rubric.dimension].kind == "pitfall",
            "description": rubric.description,
            "key points": [point.text for point in rubric.key_points],
        }
        for rubric in rubrics
    }
    return fenced("rubrics", json.dumps(asked, ensure_ascii=False, indent=1), said_by_reviewer=True)


def _by_dimension(shapes: Mapping[str, type[Record]]) -> type[Record]:
    fields: dict[str, Any] = {_field(key): (shape, ...) for key, shape in shapes.items()}
    return create_model("Answer", __base__=Record, **fields)


def _answer(
    model: LanguageModel, prompt: str, parts: Sequence[str], shape: type[Shape], *, seed: int, report: Report
) -> Answer[Shape]:
    messages = (Message("system", f"{shipped_prompt(prompt)}\n\n{fence_rule()}"), Message("user", "\n\n".join(parts)))
    asked = Prompt(messages, max_tokens=ANSWER_TOKENS, seed=seed)
    return complete_as(model, asked, shape, report=report)


def _field(dimension: str) -> str:
    return dimension.replace("-", "_")


def _review_text(review: Review) -> str:
    parts = [f"Summary: {review.summary}"] if review.summary else []
    for name in ("strengths", "weaknesses", "questions"):
        parts += [f"{name.capitalize()}:", *(f"- {point}" for point in getattr(review, name))]
    return "\n".join(parts)
