"""Rubrics and scores by a language model (ReviewBench, sections 3.2 and 3.3), with prompts of our own.

The form of the answers is the published one: a title, a description, key points; a score and a rationale a dimension.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import Field, create_model

from engine.jobs import Report
from engine.models.language import LanguageModel, Message, Prompt, complete_as
from engine.models.prompts import fence_rule, fenced, shipped_prompt
from engine.review_drafting.benchmark.records import HIGHEST, Judgement, KeyPoint, PaperRubric
from engine.review_drafting.records import MetaRubric, Record, Review

RUBRICS_PROMPT = "review-rubrics"
JUDGE_PROMPT = "review-judge"
PROMPT_VERSION = "3"
ANSWER_TOKENS = 2400
PAPER_CHARACTERS = 60_000
"""Of the paper's visible text, so that it fits a context of some 32,000 tokens beside the rest."""


class _Rubric(Record):
    description: str = Field(min_length=1, max_length=600)
    key_points: list[str] = Field(min_length=1, max_length=6)


class _Score(Record):
    score: int
    rationale: str = Field(max_length=1200)


class _Pitfall(_Score):
    score: int = Field(ge=-HIGHEST, le=0)


class _Merit(_Score):
    score: int = Field(ge=0, le=HIGHEST)


def model_rubrics(
    model: LanguageModel,
    paper_text: str,
    reference: Review,
    metas: Sequence[MetaRubric],
    *,
    origin: str,
    seed: int = 0,
    report: Report | None = None,
) -> tuple[tuple[PaperRubric, ...], tuple[str, ...]]:
    """Rubrics of one paper, and what the model wrote. Raises what ``complete_as`` raises."""
    dimensions = json.dumps(
        {_field(meta.id): {"kind": meta.kind, "what it asks": meta.description} for meta in metas}, indent=1
    )
    parts = (fenced("dimensions", dimensions), _paper(paper_text), fenced("reference review", _review_text(reference)))
    shapes = {meta.id: _Rubric for meta in metas}
    given, written = _asked(model, RUBRICS_PROMPT, parts, shapes, seed, report)
    return tuple(
        PaperRubric(
            dimension=meta.id, description=given[meta.id].description, origin=origin,
            key_points=tuple(KeyPoint(text=text) for text in given[meta.id].key_points if text.strip()),
        )
        for meta in metas
    ), written  # fmt: skip


def model_judgements(
    model: LanguageModel,
    paper_text: str,
    review: Review,
    rubrics: Sequence[PaperRubric],
    metas: Sequence[MetaRubric],
    *,
    seed: int = 0,
    report: Report | None = None,
) -> tuple[tuple[Judgement, ...], tuple[str, ...]]:
    """A review's scores, and what the model wrote. Raises what ``complete_as`` raises."""
    by_id = {meta.id: meta for meta in metas}
    asked = json.dumps(
        {
            _field(rubric.dimension): {
                "pitfall": by_id[rubric.dimension].kind == "pitfall",
                "description": rubric.description,
                "key points": [point.text for point in rubric.key_points],
            }
            for rubric in rubrics
        },
        ensure_ascii=False,
        indent=1,
    )
    parts = (fenced("rubrics", asked), _paper(paper_text), fenced("review", _review_text(review)))
    shapes = {r.dimension: _Pitfall if by_id[r.dimension].kind == "pitfall" else _Merit for r in rubrics}
    given, written = _asked(model, JUDGE_PROMPT, parts, shapes, seed, report)
    found = ((key, given[key]) for key in shapes)
    return tuple(Judgement(dimension=key, score=one.score, rationale=one.rationale) for key, one in found), written


def _asked(  # noqa: PLR0917 - shared by the two questions
    model: LanguageModel,
    prompt: str,
    parts: Sequence[str],
    shapes: Mapping[str, type[Record]],
    seed: int,
    report: Report | None,
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """An answer by dimension, each of its shape, and every text that the model wrote on the way."""
    fields: dict[str, Any] = {_field(key): (shape, ...) for key, shape in shapes.items()}
    messages = (Message("system", f"{shipped_prompt(prompt)}\n\n{fence_rule()}"), Message("user", "\n\n".join(parts)))
    asked = Prompt(messages, max_tokens=ANSWER_TOKENS, seed=seed)
    answer = complete_as(model, asked, create_model("Answer", __base__=Record, **fields), report=report)
    written = tuple(completion.text for completion in answer.completions)
    return {key: getattr(answer.value, _field(key)) for key in shapes}, written


def _field(dimension: str) -> str:
    return dimension.replace("-", "_")


def _paper(text: str) -> str:
    return fenced("paper", text[:PAPER_CHARACTERS])


def _review_text(review: Review) -> str:
    parts = [f"Summary: {review.summary}"] if review.summary else []
    for name in ("strengths", "weaknesses", "questions"):
        parts += [f"{name.capitalize()}:", *(f"- {point}" for point in getattr(review, name))]
    return "\n".join(parts)
