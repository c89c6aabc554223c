"""How a stage asks a language model: the paper cut to its context, fenced as data, the answer held to a form."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal, TypeVar

from pydantic import BaseModel, Field

from engine.errors import BadInput
from engine.jobs import Report
from engine.models.language import LanguageModel, Message, Prompt, complete_as
from engine.models.prompts import ASSUMED_CONTEXT, CHARACTERS_PER_TOKEN, fence_rule, fenced
from engine.review_drafting.anchoring import find_quote, resolve
from engine.review_drafting.prompts import PromptText
from engine.review_drafting.records import NOT_FOUND, Anchor, Draft, PaperReading, Part, Sentence, TableReading

Shape = TypeVar("Shape", bound=BaseModel)
FEWEST = 400
"""Characters of the paper without which asking makes no sense."""


@dataclass(frozen=True, slots=True)
class Asking:
    """Who is asked, and how: the model, seed and temperature of a run."""

    model: LanguageModel
    seed: int = 0
    temperature: float = 0.0

    def room(self, system: str, other: str, tokens: int) -> tuple[int, int]:
        """Characters left for the paper beside the instructions and other text, and tokens for the answer.

        Raises BadInput where the model's context holds hardly anything of the paper.
        """
        context = self.model.info.context or ASSUMED_CONTEXT
        answer = min(tokens, context // 3)
        left = int((context - answer) * CHARACTERS_PER_TOKEN) - len(system) - len(other) - 400
        if left < FEWEST:
            raise BadInput(
                "This language model's context is too short for a paper and the question about it.",
                "Nothing was written.",
                "Choose a model with a longer context.",
            )
        return left, answer

    def ask(
        self, prompt: PromptText, user: str, shape: type[Shape], *, tokens: int, report: Report
    ) -> tuple[Shape, tuple[str, ...]]:
        """The answer as an object of ``shape``, and every text that the model wrote on the way."""
        messages = (Message("system", instructions(prompt)), Message("user", user))
        question = Prompt(messages, tokens, self.seed, self.temperature)
        answer = complete_as(self.model, question, shape, report=report)
        return answer.value, tuple(completion.text for completion in answer.completions)


def instructions(prompt: PromptText) -> str:
    """A prompt with the rule about fenced text under it; an edited prompt cannot lose that rule."""
    return f"{prompt.text}\n\n{fence_rule()}"


def paper_text(paper: PaperReading, characters: int, first: Sequence[Part]) -> str:
    """The visible text of a paper, section by section, with its tables; the parts ``first`` where not all fits."""
    tables = [table_text(table) for table in paper.tables]
    whole = sum(len(s.text) + 1 for s in paper.sentences) + sum(map(len, tables)) + len(paper.title) + 200
    if whole <= characters:
        kept = list(paper.sentences)
    else:
        tables = _fitting(tables, characters // 4)
        kept = _fit(paper, characters - sum(map(len, tables)) - len(paper.title) - 200, first)
    lines = [f"Title: {paper.title}"]
    section: str | None = None
    last: Sentence | None = None
    for sentence in kept:
        if sentence.section != section:
            section = sentence.section
            lines.append(f"\n## {section.rsplit(' > ', 1)[-1] or 'Front'} (p. {sentence.page})")
        elif last is not None and last.paragraph_id != sentence.paragraph_id:
            lines.append("")
        lines.append(sentence.text)
        last = sentence
    return "\n".join([*lines, *(f"\n{table}" for table in tables)])


def table_text(table: TableReading) -> str:
    """A table as lines of text, cells parted by bars."""
    rows = [" | ".join(cell.text for cell in row.cells) for row in table.rows]
    return "\n".join([f"{table.caption} (p. {table.page})", *rows])


def _fitting(texts: Sequence[str], characters: int) -> list[str]:
    kept = []
    for text in texts:
        if len(text) <= characters:
            kept.append(text)
            characters -= len(text)
    return kept


def _fit(paper: PaperReading, characters: int, first: Sequence[Part]) -> list[Sentence]:
    order = {part: n for n, part in enumerate(first)}
    taken = set()
    for place, sentence in sorted(
        enumerate(paper.sentences), key=lambda item: (order.get(item[1].part, len(order)), item[0])
    ):
        cost = len(sentence.text) + 1
        if cost <= characters:
            taken.add(place)
            characters -= cost
    return [sentence for place, sentence in enumerate(paper.sentences) if place in taken]


def draft_text(draft: Draft) -> str:
    """A draft as a language model reads it: each point with its id."""
    lines = []
    for name, point in draft.points():
        fix = f" Suggestion: {point.suggestion}" if point.suggestion else ""
        lines.append(f"[{point.id}] {name}: {point.text}{fix}")
    scores = {key: value for key, value in draft.scores.model_dump().items() if value is not None}
    if scores:
        lines.append("scores: " + ", ".join(f"{key} {value}" for key, value in scores.items()))
    return "\n".join(lines) or "(empty)"


def user_message(*parts: tuple[str, str]) -> str:
    """Titled texts, each fenced."""
    return "\n\n".join(fenced(title, text) for title, text in parts)


def evidence_anchor(paper: PaperReading, evidence: str) -> Anchor | None:
    """The place that a model names as evidence, looked for; None where it says that it found none."""
    evidence = evidence.strip()
    if not evidence or NOT_FOUND in evidence:
        return None
    named = resolve(paper, evidence)
    held = next((anchor for anchor in named if anchor.verified), None)
    if held is not None:
        return held
    bare = find_quote(paper, evidence.strip("“”\"' "))
    return bare if bare.verified else (named[0] if named else Anchor(kind="quote", quote=evidence))


# --- the forms that answers are held to -------------------------------------------------------------------------------
# Names of fields are those of ReviewGrounder's published prompts (its appendix E.2); lengths are bounded, so
# that an answer ends.
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


class MethodSuggested(Suggested):
    target: Literal["Core Contribution Accuracy", "Evidence-Based Critique", "Critique Clarity"]


class ResultSuggested(Suggested):
    target: Literal["Results Interpretation", "Evidence-Based Critique"]


class InsightFacts(BaseModel):
    core_contributions: list[Claim] = Field(max_length=5)
    method_summary: list[MethodPoint] = Field(max_length=5)
    assumptions_and_scope: list[ScopeItem] = Field(max_length=5)
    novelty_claims_in_paper: list[Claim] = Field(max_length=5)


class InsightAnswer(BaseModel):
    facts: InsightFacts
    review_issues: Issues
    rewrite_suggestions: list[MethodSuggested] = Field(max_length=5)


class ResultFacts(BaseModel):
    datasets: list[Short] = Field(max_length=8)
    metrics: list[Short] = Field(max_length=8)
    baselines: list[Short] = Field(max_length=8)
    key_results: list[Claim] = Field(max_length=5)


class ResultsAnswer(BaseModel):
    facts: ResultFacts
    review_issues: Issues
    rewrite_suggestions: list[ResultSuggested] = Field(max_length=5)


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
