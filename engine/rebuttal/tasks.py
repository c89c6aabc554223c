"""Tasks of rebuttals: drafting a reply with a language model."""

import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from engine.documents.references import section_name
from engine.jobs import DuplicatePolicy, Report, task
from engine.models.language import LanguageModel, Message, OnText, Prompt, context_of
from engine.models.library import Added, closed_after, load_language_model
from engine.models.prompts import FENCE_TOKENS, cut, fence_rule, fenced, shipped_prompt, tokens_in
from engine.models.questions import Question, ask_all, usable
from engine.rebuttal.records import ACTION_TITLES, STANCES, Action, Draft
from engine.rebuttal.slots import added_words
from engine.rebuttal.store import RebuttalStore
from engine.reviews.labels.taxonomy import layer
from engine.revision.records import Edit

# Draft replies: builds the prompt, and extracts text for the reply from the answer.

PROMPT = "draft-reply"
PROMPT_VERSION = "2"
ANSWER_TOKENS = 400
_EDIT = 700
"""Maximum characters of one edit in the prompt."""
_ANSWER = re.compile(
    r"^\s*(?:[*_#>\s]*)(?:reply|response|answer|rebuttal)(?: to (?:the )?reviewer)?[*_\s]*:[*_\s]*", re.IGNORECASE
)
_FENCE = re.compile(r"^\s*```[\w-]*[ \t]*\n(.*?)\n?\s*```\s*$", re.DOTALL)
_DOES = {
    "concur": "go along with the reviewer",
    "dispute": "disagree with the reviewer, with a reason",
    "neither": "open or order the rebuttal",
}


@dataclass(frozen=True, slots=True)
class Brief:
    """The input of a draft. ``root`` and ``themes`` are ids of the taxonomy, empty if unknown; ``description`` says in
    a sentence what comments of this kind ask for; ``room`` is the maximum length of the reply in characters, None
    without a limit."""

    comment_id: str
    comment: str
    context: str = ""
    root: str = ""
    themes: tuple[str, ...] = ()
    action: Action | None = None
    description: str = ""
    edits: tuple[Edit, ...] = ()
    written: str = ""
    room: int | None = None


def describe(root: str, themes: tuple[str, ...]) -> str:
    """Returns the taxonomy's descriptions of a root and themes."""
    parts = []
    if root:
        parts.append(layer("aspect").option(root).description)
    parts += [layer("theme").option(theme).description for theme in themes]
    return " ".join(parts)


def prompt_for(brief: Brief, *, context: int, seed: int = 0) -> Prompt:
    """Builds the prompt, cut to the model's context (by ``tokens_in``): the comment's surroundings are shortened, and
    edits that don't fit are left out, the last first."""
    system = f"{shipped_prompt(PROMPT)}\n\n{fence_rule()}"
    parts = [fenced("Reviewer's comment", brief.comment.strip(), said_by_reviewer=True)]
    if brief.root:
        parts.append(f"Kind of criticism: {layer('aspect').option(brief.root).title}")
    if brief.themes:
        parts.append("Part of the paper: " + ", ".join(layer("theme").option(t).title for t in brief.themes))
    if brief.description:
        parts.append(f"What such comments are about: {brief.description}")
    if brief.action is not None:
        parts.append(f"What the reply shall do: {ACTION_TITLES[brief.action].lower()}; {_DOES[STANCES[brief.action]]}")
    if brief.room is not None:
        parts.append(f"Length: at most {brief.room} characters")
    if brief.written.strip():
        parts.append(fenced("What the authors have written so far", brief.written.strip()))
    room = context - ANSWER_TOKENS - tokens_in(system) - sum(map(tokens_in, parts)) - 2 * FENCE_TOKENS
    if brief.context and brief.context.strip() != brief.comment.strip():
        parts.insert(0, fenced("Around the comment", cut(brief.context.strip(), room // 2), said_by_reviewer=True))
        room -= tokens_in(parts[0])
    changes = []
    for number, edit in enumerate(brief.edits, start=1):
        line = _line_of(number, edit)
        if tokens_in(line) > room:
            changes.append(f"({len(brief.edits) - number + 1} more changes are left out for lack of room)")
            break
        changes.append(line)
        room -= tokens_in(line)
    parts.append(fenced("Changes in the paper", "\n".join(changes)) if changes else "Changes in the paper: none yet")
    return Prompt((Message("system", system), Message("user", "\n\n".join(parts))), ANSWER_TOKENS, seed)


def read_answer(text: str) -> str:
    """Returns the reply in an answer, without label, fence, or quotation marks around it. Raises ValueError if it is
    empty."""
    fenced = _FENCE.match(text)
    words = _ANSWER.sub("", (fenced[1] if fenced else text).strip()).strip()
    if len(words) > 1 and words[0] in '"“' and words[-1] in '"”' and not re.search(r'["“”]', words[1:-1]):
        words = words[1:-1].strip()
    if not words:
        raise ValueError("it is empty")
    return words


def write(model: LanguageModel, brief: Brief, *, seed: int = 0, on_text: OnText | None = None, report: Report) -> Draft:
    """Has a model write a draft; an answer that is empty or was cut off is requested again.

    Raises UnusableAnswer, which keeps the raw text, and what ``LanguageModel.complete`` raises.
    """
    started = time.perf_counter()
    prompt = prompt_for(brief, context=context_of(model), seed=seed)

    heard = None if on_text is None else lambda _place, piece: on_text(piece)
    (asked,) = ask_all(
        model, [Question(prompt, read_answer, prose=True)], report=report, on_text=heard, words="asking the model"
    )
    answer = usable(asked)
    raw, seconds = answer.completions[-1].text, time.perf_counter() - started
    return Draft(brief.comment_id, model.info.provenance, answer.value, raw, PROMPT_VERSION, seconds)


def _line_of(number: int, edit: Edit) -> str:
    where = section_name(edit.section) or "no section"
    if not edit.target_text:
        return f"{number}. {where}: deleted “{_cut(edit.source_text)}”"
    verb = "the paper says" if edit.passage else "new paragraph" if not edit.source_text else "new words"
    return f"{number}. {where}: {verb} “{_cut(added_words(edit) or edit.target_text)}”"


def _cut(text: str) -> str:
    words = " ".join(text.split())
    return words if len(words) <= _EDIT else f"{words[:_EDIT]} …"


@dataclass(frozen=True, slots=True)
class Drafting:
    """A partial result: the next piece of the model's text; an empty one starts over."""

    comment_id: str
    text: str


@task("rebuttal.draft", "Draft a response", DuplicatePolicy.REPLACE, "reply:{brief.comment_id}")
def draft_reply(
    report: Report,
    store: RebuttalStore,
    brief: Brief,
    model: Added,
    *,
    seed: int = 0,
    load: Callable[[Added], LanguageModel] = partial(load_language_model, beside_window=True),
) -> Draft:
    """Drafts a reply with a model and stores it; the text is reported piece by piece as ``Drafting``.

    Raises what the model raises; nothing is stored then.
    """
    report.progress(0.0, "Loading the language model")
    with closed_after(load(model)) as writer:
        report.progress(0.2, "Writing")
        comment = brief.comment_id
        report.partial(Drafting(comment, ""))
        made = write(
            writer,
            brief,
            seed=seed,
            on_text=lambda piece: report.partial(Drafting(comment, piece)),
            report=report.part(0.2, 1.0),
        )
    return store.save_draft(made)
