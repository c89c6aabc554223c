"""Proposed edits by a language model (D'Arcy et al. 2024, section 6): the prompt, and what came back taken apart."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from dataclasses import dataclass

from engine.errors import BadInput
from engine.jobs import Report
from engine.models.language import LanguageModel, Message, OnText, Prompt, context_of
from engine.models.prompts import CHARACTERS_PER_TOKEN, fenced
from engine.models.questions import Question, ask_all, usable
from engine.reviews.records import ActionClass
from engine.revision.aligners.llm import FENCES, instructions
from engine.revision.generation.frames import guess_action
from engine.revision.generation.records import Change, Placement, Proposal
from engine.revision.source_alignment import SourceParagraph

PROMPT = "propose-edit"
PROMPT_VERSION = "3"
ANSWER_TOKENS = 900
_LABELS = re.compile(
    r"^[\s>*_#-]*(?P<label>response(?: to (?:the )?reviewer)?|location|edit|revised (?:text|paragraph))"
    r"(?:s|\(s\))?(?:[ \t]*[#(]?\d+\)?)?[\s*_]*:[\s*_]*",
    re.IGNORECASE | re.MULTILINE,
)
_NUMBER = re.compile(r"\d+")
_FENCE = re.compile(r"^\s*```[\w-]*[ \t]*\n(.*?)\s*```\s*$", re.DOTALL)
_MARKED = re.compile(r"\[-.*?-\]\s?|\[\+\s?|\s?\+\]", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Part:
    """An edit of an answer; ``number`` is the paragraph that it names, None where it names none."""

    number: int | None
    placement: Placement
    text: str


@dataclass(frozen=True, slots=True)
class Answer:
    """The response to the reviewer, and one edit or several."""

    response: str
    edits: tuple[Part, ...]


def read_answer(text: str) -> Answer:
    """Takes "Response: / Location: / Edit:" apart, in any order; Markdown, fences and diff marks are left out.

    An edit has the location before it (or after it, where the first edit comes before any location); several edits may
    share one. Of several responses the first counts. Raises BadInput where there is no edit.
    """
    found: list[tuple[str, str]] = []
    labels = list(_LABELS.finditer(text))
    for at, match in enumerate(labels):
        end = labels[at + 1].start() if at + 1 < len(labels) else len(text)
        name = match["label"].casefold().split()[0]
        found.append(("edit" if name == "revised" else name, text[match.end() : end].strip()))
    names = [name for name, _ in found]
    backwards = "location" in names and "edit" in names[: names.index("location")]
    location, edits = "", []
    for name, words in reversed(found) if backwards else found:
        if name == "location":
            location = words
        elif name == "edit" and (edit := _bare(words)):
            edits.append(_part(location, edit))
    if not edits:
        raise BadInput("The answer has no part “Edit:”.")
    response = next((words for name, words in found if name == "response"), "")
    return Answer(response, tuple(reversed(edits) if backwards else edits))


def _bare(edit: str) -> str:
    block = _FENCE.match(edit)
    return _MARKED.sub("", block[1] if block else edit).strip().strip('"“”').strip()


def _part(location: str, edit: str) -> Part:
    number = _NUMBER.search(location)
    after = re.search(r"\b(?:after|following|below)\b", location, re.IGNORECASE)
    return Part(int(number[0]) if number else None, "after" if after else "change", edit)


def fit_paragraphs(
    paragraphs: Sequence[SourceParagraph], likely: Sequence[str], budget: int
) -> tuple[tuple[int, SourceParagraph], ...]:
    """The paragraphs that fit ``budget`` characters, with their numbers in the whole paper, in its order.

    All where there is room; else the likeliest first and their neighbours, so that the model reads them in context.
    """
    if sum(len(paragraph.text) for paragraph in paragraphs) <= budget:
        return tuple(enumerate(paragraphs, start=1))
    place = {paragraph.id: at for at, paragraph in enumerate(paragraphs)}
    taken: dict[int, int] = {}
    for key in likely:
        for at in (place[key], place[key] - 1, place[key] + 1) if key in place else ():
            if 0 <= at < len(paragraphs) and at not in taken:
                length = len(paragraphs[at].text)
                if sum(taken.values()) + length <= budget:
                    taken[at] = length
    return tuple((at + 1, paragraphs[at]) for at in sorted(taken))


def prompt_for(
    comment: str, paragraphs: Sequence[SourceParagraph], likely: Sequence[str], *, context: int, seed: int = 0
) -> Prompt:
    """The question, cut to the model's context (tokens are estimated by characters).

    Paragraphs that do not fit are left out, the unlikely ones first. Raises BadInput where not even one fits.
    """
    system = instructions(PROMPT)
    room = int((context - ANSWER_TOKENS) * CHARACTERS_PER_TOKEN)
    room -= len(system) + len(comment) + FENCES + 200
    shown = fit_paragraphs(paragraphs, likely, room)
    if not shown:
        raise BadInput(
            "This language model's context is too short for even one paragraph of the paper.",
            "Nothing was written.",
            "Choose a model with a longer context.",
        )
    text = "\n\n".join(f"[{number}] ({p.section or 'no section'}) {p.text}" for number, p in shown)
    if len(shown) < len(paragraphs):
        left = (
            f"{len(paragraphs) - len(shown)} of the paper's {len(paragraphs)} paragraphs are left out for lack of room"
        )
        text = f"({left}; the numbers show where.)\n\n{text}"
    asked = f"{fenced('Comment of the reviewer', comment.strip())}\n\n{fenced('Paragraphs of the paper', text)}"
    return Prompt((Message("system", system), Message("user", asked)), ANSWER_TOKENS, seed)


def write(
    model: LanguageModel,
    comment_id: str,
    comment: str,
    paragraphs: Sequence[SourceParagraph],
    likely: Sequence[str],
    *,
    action: ActionClass | None = None,
    seed: int = 0,
    on_text: OnText | None = None,
    report: Report,
) -> tuple[Proposal, Prompt]:
    """A proposal by a model, with the prompt that it answers; one that was cut off or has no edit is asked for again.

    Raises UnusableAnswer, which keeps the raw text, and what ``LanguageModel.complete`` raises.
    """
    started = time.perf_counter()
    prompt = prompt_for(comment, paragraphs, likely, context=context_of(model), seed=seed)

    def read(text: str) -> Answer:
        try:
            return read_answer(text)
        except BadInput as error:
            raise ValueError("it has no part that says what to write") from error

    heard = None if on_text is None else lambda _place, piece: on_text(piece)
    question = Question(prompt, read, "Answer again in the form that was described.", prose=True)
    (asked,) = ask_all(model, [question], report=report, on_text=heard, words="asking the model")
    answer = usable(asked)
    first, *more = (_change(part, paragraphs) for part in answer.value.edits)
    prompt = asked.prompt or prompt
    proposal = Proposal(
        comment_id,
        model.info.origin,
        answer.value.response,
        first.paragraph_id,
        first.placement,
        first.text,
        action or guess_action(comment),
        (),
        answer.completions[-1].text,
        PROMPT_VERSION,
        time.perf_counter() - started,
        more=tuple(more),
        seed=prompt.seed,
    )
    return proposal, prompt


def _change(part: Part, paragraphs: Sequence[SourceParagraph]) -> Change:
    known = part.number is not None and 1 <= part.number <= len(paragraphs)
    return Change(paragraphs[part.number - 1].id if known and part.number else "", part.placement, part.text)
