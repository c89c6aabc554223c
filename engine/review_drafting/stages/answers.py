"""The forms that a language model's answers are held to.

Names of fields are those of ReviewGrounder's published prompts (its appendix E.2); lengths are bounded, so
that an answer ends.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, Field

Short = Annotated[str, Field(max_length=300)]
Long = Annotated[str, Field(max_length=1500)]
Evidence = Annotated[str, Field(max_length=400)]
Place = Literal["summary", "strengths", "weaknesses", "questions"]


class Keywords(BaseModel):
    keywords: list[Annotated[str, Field(min_length=3, max_length=60)]] = Field(min_length=3, max_length=5)


class Summary(BaseModel):
    summary: Long
    main_methods: Long
    key_findings: Long
    relation: Long


class DraftAnswer(BaseModel):
    summary: Annotated[str, Field(max_length=3000)]
    strengths: list[Long] = Field(max_length=8)
    weaknesses: list[Long] = Field(max_length=8)
    questions: list[Long] = Field(max_length=8)
    soundness: float = Field(ge=1, le=4)
    presentation: float = Field(ge=1, le=4)
    contribution: float = Field(ge=1, le=4)
    rating: float = Field(ge=1, le=10)
    confidence: float = Field(ge=1, le=5)
    decision: Literal["accept", "reject"]


class Claim(BaseModel):
    claim: Long
    evidence: Evidence


class MethodPoint(BaseModel):
    point: Long
    evidence: Evidence


class ScopeItem(BaseModel):
    item: Long
    evidence: Evidence


class Incorrect(BaseModel):
    review_claim: Long
    why_wrong: Long
    evidence: Evidence


class Missing(BaseModel):
    what_missing: Long
    why_important: Long
    evidence: Evidence


class Vague(BaseModel):
    review_text: Long
    how_to_fix: Long
    evidence: Evidence


class Issues(BaseModel):
    incorrect_or_hallucinated: list[Incorrect] = Field(max_length=5)
    missing_key_points: list[Missing] = Field(max_length=5)
    needs_specificity: list[Vague] = Field(max_length=5)


class Suggested(BaseModel):
    apply_to: Place
    target: Short
    suggested_text: Long
    evidence: Evidence


class InsightFacts(BaseModel):
    core_contributions: list[Claim] = Field(max_length=5)
    method_summary: list[MethodPoint] = Field(max_length=5)
    assumptions_and_scope: list[ScopeItem] = Field(max_length=5)
    novelty_claims_in_paper: list[Claim] = Field(max_length=5)


class InsightAnswer(BaseModel):
    facts: InsightFacts
    review_issues: Issues
    rewrite_suggestions: list[Suggested] = Field(max_length=5)


class ResultFacts(BaseModel):
    datasets: list[Short] = Field(max_length=8)
    metrics: list[Short] = Field(max_length=8)
    baselines: list[Short] = Field(max_length=8)
    key_results: list[Claim] = Field(max_length=5)


class ResultsAnswer(BaseModel):
    facts: ResultFacts
    review_issues: Issues
    rewrite_suggestions: list[Suggested] = Field(max_length=5)


class FinishedPoint(BaseModel):
    """``id`` is the point's in the draft, "" for a new one; ``suggestion`` is for weaknesses, else ""."""

    id: Short
    text: Long
    suggestion: Long


class FinishedAnswer(BaseModel):
    summary: list[FinishedPoint] = Field(max_length=12)
    strengths: list[FinishedPoint] = Field(max_length=12)
    weaknesses: list[FinishedPoint] = Field(max_length=15)
    questions: list[FinishedPoint] = Field(max_length=20)
    soundness: float | None = Field(ge=1, le=4)
    presentation: float | None = Field(ge=1, le=4)
    contribution: float | None = Field(ge=1, le=4)
    rating: float | None = Field(ge=1, le=10)
    confidence: float | None = Field(ge=1, le=5)
    decision: Literal["accept", "reject"] | None
