"""Rubrics and scores by a language model (ReviewBench, sections 3.2 and 3.3), with prompts of our own.

The form of the answers is the published one: a title, a description, key points; a score and a rationale a dimension.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from pydantic import Field, create_model

from engine.jobs import Report
from engine.models.language import LanguageModel, Message, Prompt, complete_as
from engine.models.prompts import fence_rule, fenced, shipped_prompt
from engine.review_drafting.benchmark.records import HIGHEST, Judgement, KeyPoint, PaperRubric
from engine.review_drafting.records import MetaRubric, Record, Review

RUBRICS_PROMPT = "review-rubrics"
JUDGE_PROMPT = "review-judge"
PROMPT_VERSION = "2"
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
    shape = create_model(
        "Rubrics",
        __base__=Record,
        **{_field(meta): (_Rubric, ...) for meta in metas},  # type: ignore[call-overload]
    )
    dimensions = json.dumps(
        {_field(meta): {"kind": meta.kind, "what it asks": meta.description} for meta in metas}, indent=1
    )
    body = "\n\n".join(
        (fenced("dimensions", dimensions), _paper(paper_text), fenced("reference review", _review_text(reference)))
    )
    answer = complete_as(model, _prompt(RUBRICS_PROMPT, body, seed), shape, report=report)
    made: list[PaperRubric] = []
    for meta in metas:
        given: _Rubric = getattr(answer.value, _field(meta))
        made.append(
            PaperRubric(
                dimension=meta.id,
                description=given.description,
                key_points=tuple(KeyPoint(text=text) for text in given.key_points if text.strip()),
                origin=origin,
            )
        )
    return tuple(made), tuple(completion.text for completion in answer.completions)


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
    known = [by_id[rubric.dimension] for rubric in rubrics]
    shape: Any = create_model(
        "Scores",
        __base__=Record,
        **{_field(meta): (_Pitfall if meta.kind == "pitfall" else _Merit, ...) for meta in known},  # type: ignore[call-overload]
    )
    asked = json.dumps(
        {
            _field(by_id[rubric.dimension]): {
                "pitfall": by_id[rubric.dimension].kind == "pitfall",
                "description": rubric.description,
                "key points": [point.text for point in rubric.key_points],
            }
            for rubric in rubrics
        },
        ensure_ascii=False,
        indent=1,
    )
    body = "\n\n".join((fenced("rubrics", asked), _paper(paper_text), fenced("review", _review_text(review))))
    answer = complete_as(model, _prompt(JUDGE_PROMPT, body, seed), shape, report=report)
    found = tuple(
        Judgement(
            dimension=meta.id,
            score=getattr(answer.value, _field(meta)).score,
            rationale=getattr(answer.value, _field(meta)).rationale,
        )
        for meta in known
    )
    return found, tuple(completion.text for completion in answer.completions)


def _prompt(name: str, body: str, seed: int) -> Prompt:
    system = f"{shipped_prompt(name)}\n\n{fence_rule()}"
    return Prompt((Message("system", system), Message("user", body)), max_tokens=ANSWER_TOKENS, seed=seed)


def _field(meta: MetaRubric) -> str:
    return meta.id.replace("-", "_")


def _paper(text: str) -> str:
    return fenced("paper", text[:PAPER_CHARACTERS])


def _review_text(review: Review) -> str:
    parts = [f"Summary: {review.summary}"] if review.summary else []
    for name in ("strengths", "weaknesses", "questions"):
        parts += [f"{name.capitalize()}:", *(f"- {point}" for point in getattr(review, name))]
    return "\n".join(parts)
