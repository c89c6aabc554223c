"""What a language model makes of sentences that the rules left open: its own judgement, which changes no state.

One question for a sentence: do these passages of the paper say this, say otherwise, or leave it open?
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import BaseModel, Field

from engine.documents.hidden import Inspection, visible_document
from engine.documents.places import Places
from engine.documents.records import ParsedDocument
from engine.jobs import DuplicatePolicy, Lane, Report, Task
from engine.models.language import LanguageModel, Message, Prompt, public_name
from engine.models.library import Added, closed_after, load_language_model
from engine.models.objects import ask_objects
from engine.models.prompts import fence_rule, shipped_prompt
from engine.models.questions import Asked
from engine.review_drafting.grounding import Claim
from engine.review_drafting.stages.asking import user_message
from engine.statements.judge import nearest_paragraphs

_TOKENS = 250
_MOST_PASSAGES = 4
_MOST_CHARACTERS = 6000
"""Of a sentence's passages together: what any context holds."""


class Answer(BaseModel):
    judgement: Literal["says this", "says otherwise", "does not say"]
    reason: Annotated[str, Field(max_length=400)]


@dataclass(frozen=True, slots=True)
class Opinion:
    """A model's ``judgement`` of a sentence and its passages, with the ``reason`` that it gives."""

    sentence: str
    judgement: Literal["says this", "says otherwise", "does not say"]
    reason: str
    model: str

    @property
    def words(self) -> str:
        """For people."""
        said = {"says this": "The paper says this", "says otherwise": "The paper says otherwise"}
        return f"{said.get(self.judgement, 'The passages leave it open')}. {self.reason}"


@dataclass(frozen=True, slots=True)
class AskEntailment:
    """Sentences of a review for a language model; what ``hidden`` tells that the PDF doesn't show is left out."""

    model: Added
    claims: tuple[Claim, ...]
    document: ParsedDocument
    hidden: Inspection


def undecided(claims: Iterable[Claim], visible: Places) -> tuple[tuple[str, str], ...]:
    """The sentences that say something of the paper and are neither supported nor contradicted, each with its passages.

    ``visible`` has the text that the PDF shows, and no other.
    """
    found = []
    for claim in claims:
        if claim.verdict in ("supported", "contradicted") or claim.kind in ("question", "suggestion", "meta"):
            continue
        near = nearest_paragraphs(claim.text, visible, _MOST_PASSAGES)
        passages = [f"[page {p.boxes[0].page}] {p.text}" if p.boxes else p.text for p in near]
        if passages:
            found.append((claim.text, "\n\n".join(passages)[:_MOST_CHARACTERS]))
    return tuple(dict.fromkeys(found))


def opinions(
    model: LanguageModel,
    asked: Sequence[tuple[str, str]],
    report: Report,
    on_opinion: Callable[[Opinion], None] = lambda _one: None,
) -> tuple[tuple[Opinion, ...], tuple[str, ...]]:
    """The model's judgements, each heard as it comes, and why others have none. Raises as ``ask_objects``."""
    system = f"{shipped_prompt('review-entailment')}\n\n{fence_rule()}"
    prompts = [
        Prompt(
            (
                Message("system", system),
                Message(
                    "user", user_message(("Passages of the paper", passages), ("Sentence of the review", sentence))
                ),
            ),
            _TOKENS,
        )
        for sentence, passages in asked
    ]
    found: dict[int, Opinion] = {}

    def hear(place: int, one: Asked[Answer]) -> None:
        if one.value is not None:
            name = public_name(model.info.title)
            found[place] = Opinion(asked[place][0], one.value.judgement, one.value.reason, name)
            on_opinion(found[place])

    answers = ask_objects(model, [(p, Answer) for p in prompts], report=report, on_answer=hear, words="sentences read")
    problems = dict.fromkeys(one.problem for one in answers if one.problem)
    return tuple(found[place] for place in sorted(found)), tuple(problems)


def ask_entailment(params: AskEntailment) -> Task[AskEntailment, tuple[int, tuple[str, ...]]]:
    """The job: partial results are opinions, its result how many sentences were asked about, and why opinions are
    missing."""
    return Task(
        "review.entailment", "Ask the model about undecided sentences", _ask, params, DuplicatePolicy.REPLACE,
        lane=Lane.LONG,
    )  # fmt: skip


def _ask(params: AskEntailment, report: Report) -> tuple[int, tuple[str, ...]]:
    asked = undecided(params.claims, Places(visible_document(params.document, params.hidden)))
    if not asked:
        return 0, ()
    report.progress(0.0, "Loading the language model")
    with closed_after(load_language_model(params.model, beside_window=True)) as model:
        return len(asked), opinions(model, asked, report, report.partial)[1]
