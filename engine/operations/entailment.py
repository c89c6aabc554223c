"""A language model's opinion of sentences that the rules left open; it changes no state.

The question for each sentence of a review or response: do these passages say this, say otherwise, or leave it open?
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Annotated, Literal

from pydantic import BaseModel, Field

from engine.documents.places import Places
from engine.jobs import DuplicatePolicy, Lane, Report, task
from engine.models.language import LanguageModel, Message, Prompt, public_name
from engine.models.library import Added, closed_after, load_language_model
from engine.models.objects import ask_objects
from engine.models.prompts import cut, fence_rule, fenced, shipped_prompt
from engine.models.questions import Asked
from engine.operations.opinions import Opinion, keeping_opinions
from engine.rebuttal.claims import Checked
from engine.rebuttal.points import Outline
from engine.review_drafting.grounding import Claim
from engine.review_drafting.stages.asking import Asking
from engine.statements.judge import nearest_paragraphs

_TOKENS = 250
_MOST_PASSAGES = 4
_MOST_TOKENS = 2000
"""Limit for a sentence's passages together."""


class Answer(BaseModel):
    judgement: Literal["says this", "says otherwise", "does not say"]
    reason: Annotated[str, Field(max_length=400)]


def undecided(claims: Iterable[Claim]) -> tuple[str, ...]:
    """Returns sentences of a review that make a statement about the paper and are neither supported
    nor contradicted."""
    return tuple(
        dict.fromkeys(
            claim.text
            for claim in claims
            if claim.verdict not in ("supported", "contradicted")
            and claim.kind not in ("question", "suggestion", "meta")
        )
    )


def undecided_responses(outline: Outline, checked: Mapping[str, Sequence[Checked]]) -> tuple[str, ...]:
    """Returns sentences of responses that refer to a place and are neither supported nor contradicted; ``checked`` is
    by comment. Generated sentences that nobody has accepted yet are excluded."""
    return tuple(
        dict.fromkeys(
            one.claim.sentence
            for row in outline.rows
            for one in checked.get(row.comment.id, ())
            if one.verdict not in ("supported", "contradicted")
            and not any(one.claim.sentence in made.sentence for made in row.point.generated)
        )
    )


def with_passages(sentences: Iterable[str], visible: Places) -> tuple[tuple[str, str], ...]:
    """Returns sentences with the passages most relevant to them; sentences without any are omitted. ``visible`` must
    contain only text that the PDF visibly shows."""
    found = []
    for sentence in sentences:
        near = nearest_paragraphs(sentence, visible, _MOST_PASSAGES)
        passages = [f"[page {p.boxes[0].page}] {p.text}" if p.boxes else p.text for p in near]
        if passages:
            found.append((sentence, "\n\n".join(passages)))
    return tuple(found)


def opinions(
    model: LanguageModel,
    asked: Sequence[tuple[str, str]],
    report: Report,
    on_opinion: Callable[[Opinion], None] = lambda _one: None,
) -> tuple[tuple[Opinion, ...], tuple[str, ...]]:
    """Returns the model's opinions, also passed to ``on_opinion`` as they arrive, and the problems of missing ones.
    Raises like ``Asking.room`` and ``ask_objects``."""
    system = f"{shipped_prompt('entailment')}\n\n{fence_rule()}"
    prompts = []
    for sentence, passages in asked:
        said = fenced("Sentence", sentence, said_by_reviewer=True)
        room, _ = Asking(model).room(system, said, _TOKENS)
        read = fenced("Passages of the paper", cut(passages, min(room, _MOST_TOKENS)))
        prompts.append(Prompt((Message("system", system), Message("user", f"{read}\n\n{said}")), _TOKENS))
    found: dict[int, Opinion] = {}

    def hear(place: int, one: Asked[Answer]) -> None:
        if one.value is not None:
            name = public_name(model.info.title)
            found[place] = Opinion(asked[place][0], one.value.judgement, one.value.reason, name)
            on_opinion(found[place])

    answers = ask_objects(model, [(p, Answer) for p in prompts], report=report, on_answer=hear, words="sentences read")
    problems = dict.fromkeys(one.problem for one in answers if one.problem)
    return tuple(found[place] for place in sorted(found)), tuple(problems)


@task("entailment", "Ask the model about undecided sentences", DuplicatePolicy.REPLACE, lane=Lane.LONG)
def ask_entailment(
    report: Report, model: Added, sentences: tuple[str, ...], places: Places, document_id: str
) -> tuple[int, tuple[str, ...]]:
    """Asks about sentences of a paper. Partial results are opinions, which are also kept for the document; returns
    the number of sentences asked about, and the problems of missing opinions."""
    asked = with_passages(sentences, places)
    if not asked:
        return 0, ()
    report.progress(0.0, "Loading the language model")
    loading = closed_after(load_language_model(model, beside_window=True))
    with loading as loaded, keeping_opinions(document_id) as keep:

        def hear(one: Opinion) -> None:
            keep(one)
            report.partial(one)

        return len(asked), opinions(loaded, asked, report, hear)[1]
