"""Proposed edits by sentence frames and by a language model (D'Arcy et al. 2024, section 6): prompts and parsing."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import get_args

from engine.documents.references import section_name
from engine.errors import not_written
from engine.jobs import Report
from engine.models.language import LanguageModel, Message, OnPiece, Prompt, context_of
from engine.models.prompts import FENCE_TOKENS, fenced, tokens_in
from engine.models.questions import Asked, Question, ask_all
from engine.resource_files import resource_table
from engine.reviews.records import ActionClass
from engine.revision.aligners.llm import instructions
from engine.revision.generation.corrections import correction
from engine.revision.generation.records import FRAMES, Change, Placement, Proposal
from engine.revision.source_alignment import SourceParagraph, SourceRank

# The always available method: a sentence frame for the comment's action, at the likeliest place. It invents nothing:
# what the author must supply is in square brackets.

SUBJECT_WORDS = 12
_PLACE = re.compile(
    r"^(?:\W*(?:(?:p(?:ages?|[pg]|gh)?|ll?|lines?|col(?:umn)?|sec(?:tion)?|paragraph)\b[\s.]*|[pl](?=\d))?"
    r"\(?\d[\d.\u2013-]*[\s.,:;)]+)+(?=\w)",
    re.IGNORECASE,
)
"""A number or place at the start of a comment: “17.”, “p. 4, l. 56:”."""
_OPENING = re.compile(
    r"^(?:(?:please|also|finally|first(?:ly)?|second(?:ly)?|moreover|in addition|minor|"
    r"i (?:would|think|suggest|wonder)|the authors? (?:should|could|may want to|might want to|need to)|"
    r"it (?:is|was) (?:unclear|not clear)|it would be (?:good|nice|helpful|useful|interesting) to|"
    r"could you|can you|why|how|what|whether|that|to|if)\b[\s,:]*)+",
    re.IGNORECASE,
)


ACTIONS: tuple[ActionClass, ...] = get_args(ActionClass)


@dataclass(frozen=True, slots=True)
class Frame:
    """How an action is usually answered; ``cue`` is a pattern, "" for none."""

    action: ActionClass
    cue: str
    response: str
    edit: str


@cache
def frames() -> dict[ActionClass, Frame]:
    """Returns the bundled frames (``resources/edit_frames.toml``)."""
    content = resource_table("edit_frames.toml")
    return {action: Frame(action, **content[action]) for action in ACTIONS}


def guess_action(comment: str) -> ActionClass:
    """Guesses the class of a comment (ARIES, appendix B) from its words: the class with the most and earliest cues.

    A rule, not a model; "other" if there is no cue.
    """
    best: tuple[float, ActionClass] = (0.0, "other")
    for action, frame in frames().items():
        if not frame.cue:
            continue
        found = list(re.finditer(frame.cue, comment, re.IGNORECASE))
        if found:
            # Early words name the request, later ones its circumstances.
            weight = sum(1 / (1 + match.start() / 80) for match in found)
            best = max(best, (weight, action), key=lambda item: item[0])
    return best[1]


def subject_of(comment: str) -> str:
    """Returns a few words on what a comment is about, for use inside a sentence."""
    text = " ".join(comment.split())
    sentence = re.split(r"(?<=[.?!])\s", _PLACE.sub("", text) or text, maxsplit=1)[0]
    words = _OPENING.sub("", sentence).rstrip(".?!:; ").split() or sentence.split()
    short = " ".join(words[:SUBJECT_WORDS]) + ("…" if len(words) > SUBJECT_WORDS else "")
    return f"“{short}”" if short else "this point"


def propose(
    comment_id: str,
    comment: str,
    ranks: Sequence[SourceRank],
    paragraphs: Sequence[SourceParagraph],
    action: ActionClass | None = None,
) -> Proposal:
    """Proposes a response, a place and a text for a comment; ``action`` is the user's choice, None uses the guess.

    ``ranks`` are the comment's places, the likeliest first; without any the place stays open.
    """
    chosen = action or guess_action(comment)
    frame = frames()[chosen]
    by_id = {paragraph.id: paragraph for paragraph in paragraphs}
    placed = [rank for rank in ranks if rank.paragraph_id in by_id]
    corrected = correction(comment, [by_id[rank.paragraph_id] for rank in placed])
    rank = next((rank for rank in placed if corrected is None or rank.paragraph_id == corrected.paragraph_id), None)
    paragraph = by_id[rank.paragraph_id] if rank is not None else None
    section = section_name(paragraph.section if paragraph is not None else "") or "the paper"
    words = {"subject": subject_of(comment), "section": section}
    response, addition = frame.response.format_map(words), frame.edit.format_map(words)
    text = addition if chosen == "remove" or paragraph is None else f"{paragraph.text.rstrip()} {addition}"
    if corrected is not None:
        response, text = f"We have replaced “{corrected.old}” with “{corrected.new}” in {section}.", corrected.text
    return Proposal(
        comment_id,
        FRAMES,
        response,
        paragraph.id if paragraph is not None else "",
        "change",
        text,
        chosen,
        rank.reasons if rank is not None else (),
        prompt_version="1",
    )


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
    """An edit of an answer; ``number`` is the paragraph that it names, if any."""

    number: int | None
    placement: Placement
    text: str


@dataclass(frozen=True, slots=True)
class Answer:
    """The response to the reviewer, and one or more edits."""

    response: str
    edits: tuple[Part, ...]


def read_answer(text: str) -> Answer:
    """Parses "Response: / Location: / Edit:" in any order; Markdown, fences and diff marks are removed.

    An edit has the location before it (or after it, if the first edit precedes any location); several edits may share
    one. Of several responses the first counts. Raises ValueError if there is no edit.
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
        raise ValueError("it has no part that says what to write")
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
    """Returns the paragraphs that fit ``budget`` tokens, with their numbers in the whole paper, in its order.

    All if there is room; otherwise the likeliest first with their neighbours, so that the model reads them in context.
    """
    sizes = [tokens_in(f"[{n}] ({p.section or 'no section'}) {p.text}") for n, p in enumerate(paragraphs, start=1)]
    if sum(sizes) <= budget:
        return tuple(enumerate(paragraphs, start=1))
    place = {paragraph.id: at for at, paragraph in enumerate(paragraphs)}
    taken: dict[int, int] = {}
    for key in likely:
        for at in (place[key], place[key] - 1, place[key] + 1) if key in place else ():
            if 0 <= at < len(paragraphs) and at not in taken and sum(taken.values()) + sizes[at] <= budget:
                taken[at] = sizes[at]
    return tuple((at + 1, paragraphs[at]) for at in sorted(taken))


def prompt_for(
    comment: str, paragraphs: Sequence[SourceParagraph], likely: Sequence[str], *, context: int, seed: int = 0
) -> Prompt:
    """Builds the prompt, cut to the model's context (by ``tokens_in``).

    Paragraphs that don't fit are left out, the unlikely ones first. Raises BadInput if not even one fits.
    """
    system = instructions(PROMPT)
    room = context - ANSWER_TOKENS - tokens_in(system) - tokens_in(comment) - 3 * FENCE_TOKENS
    shown = fit_paragraphs(paragraphs, likely, room)
    if not shown:
        raise not_written(
            "This language model's context is too short for even one paragraph of the paper.",
            "Choose a model with a longer context.",
        )
    text = "\n\n".join(f"[{number}] ({p.section or 'no section'}) {p.text}" for number, p in shown)
    if len(shown) < len(paragraphs):
        left = (
            f"{len(paragraphs) - len(shown)} of the paper's {len(paragraphs)} paragraphs are left out for lack of room"
        )
        text = f"({left}; the numbers show where.)\n\n{text}"
    said = fenced("Comment of the reviewer", comment.strip(), said_by_reviewer=True)
    asked = f"{said}\n\n{fenced('Paragraphs of the paper', text)}"
    return Prompt((Message("system", system), Message("user", asked)), ANSWER_TOKENS, seed)


@dataclass(frozen=True, slots=True)
class Wanted:
    """A comment to propose edits for: its text, the ids of paragraphs that they likely belong to, and its action."""

    comment_id: str
    comment: str
    likely: Sequence[str]
    action: ActionClass


def write(
    model: LanguageModel,
    wanted: Sequence[Wanted],
    paragraphs: Sequence[SourceParagraph],
    on_proposal: Callable[[Proposal, Prompt], None],
    *,
    seed: int = 0,
    on_text: OnPiece | None = None,
    report: Report,
) -> tuple[Asked[Answer], ...]:
    """Asks a model about all comments at once and returns its answers in their order; one that was cut off or has no
    edit is requested again. ``on_proposal`` is called with each proposal and its prompt as soon as it is there.

    Raises what ``prompt_for`` and ``ask_all`` raise.
    """

    def hear(place: int, asked: Asked[Answer]) -> None:
        if asked.value is None:
            return
        first, *more = (_change(part, paragraphs) for part in asked.value.edits)
        one, prompt = wanted[place], asked.prompt or questions[place].prompt
        proposal = Proposal(
            one.comment_id,
            model.info.provenance,
            asked.value.response,
            first.paragraph_id,
            first.placement,
            first.text,
            one.action,
            (),
            asked.completions[-1].text,
            PROMPT_VERSION,
            sum(completion.seconds for completion in asked.completions),
            more=tuple(more),
            seed=prompt.seed,
        )
        on_proposal(proposal, prompt)

    context, again = context_of(model), "Answer again in the form that was described."
    prompts = [prompt_for(one.comment, paragraphs, one.likely, context=context, seed=seed) for one in wanted]
    questions = [Question(prompt, read_answer, again, prose=True) for prompt in prompts]
    return ask_all(model, questions, report=report, on_answer=hear, on_text=on_text, words="comments")


def _change(part: Part, paragraphs: Sequence[SourceParagraph]) -> Change:
    known = part.number is not None and 1 <= part.number <= len(paragraphs)
    return Change(paragraphs[part.number - 1].id if known and part.number else "", part.placement, part.text)
