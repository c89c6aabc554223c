"""How a stage queries a language model: the paper fitted to its context, fenced as data, the answer constrained to a
form."""

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Literal, TypeVar

from pydantic import BaseModel, Field

from engine.errors import not_written
from engine.jobs import Report
from engine.models.language import LanguageModel, Manner, Message, Prompt, context_of
from engine.models.objects import ask_objects, closed, complete_as
from engine.models.prompts import FENCE_TOKENS, beginning, cut, fence_rule, fenced, shipped_prompt, tokens_in
from engine.models.questions import mannered
from engine.review_drafting.anchoring import find_quote, resolve
from engine.review_drafting.prompts import PromptText
from engine.review_drafting.reading import where
from engine.review_drafting.records import NOT_FOUND, Anchor, Draft, PaperReading, Part, Passage, TableReading
from engine.shown import counted

Shape = TypeVar("Shape", bound=BaseModel)
NOTES_TOKENS = 700
"""The token budget of the notes on one part of a long paper."""
_IN_FULL = 0.6
"""The share of the space for full sections if not all fit; notes on the others get the rest."""
_MOST_LEVELS = 3
_TELL_EVERY = 0.3  # seconds between two partial results
FEWEST = 130
"""With fewer tokens of the paper, asking makes no sense."""
_MARGIN = 130
"""Tokens for headings, notes on omissions, and what a retry adds."""


@dataclass(frozen=True, slots=True)
class Writing:
    """A partial result: what a model has written so far of one answer."""

    text: str


@dataclass(frozen=True, slots=True)
class Asking:
    """The model, seed and temperature of a run, and the user's settings for the stage."""

    model: LanguageModel
    seed: int = 0
    temperature: float = 0.0
    manner: Manner = field(default_factory=Manner)

    def room(self, system: str, other: str, tokens: int) -> tuple[int, int]:
        """Returns the tokens left for the paper besides the instructions and other (fenced) text, and those for the
        answer. Raises BadInput if the model's context fits hardly anything of the paper, and UnknownContext."""
        context = context_of(self.model)
        answer = min(self.manner.answer_tokens or tokens, context // 3)
        reasons = getattr(self.model, "reasons", False) and self.manner.reasoning != "off"
        kept = answer + (min(self.manner.reasoning_tokens, context // 4) if reasons else 0)
        left = context - kept - tokens_in(system) - tokens_in(other) - FENCE_TOKENS - _MARGIN
        if left < FEWEST:
            raise not_written(
                "This language model's context is too short for a paper and the question about it.",
                "Choose a model with a longer context.",
            )
        return left, answer

    def prompt(self, system: str, user: str, tokens: int) -> Prompt:
        """Returns a prompt with this stage's settings."""
        asked = Prompt((Message("system", system), Message("user", user)), tokens, self.seed, self.temperature)
        return mannered(asked, replace(self.manner, answer_tokens=tokens))

    def ask(
        self, prompt: PromptText, user: str, shape: type[Shape], *, tokens: int, report: Report
    ) -> tuple[Shape, tuple[str, ...]]:
        """Returns the answer as an object of ``shape``, and all of the model's outputs."""
        written, said_at = "", time.monotonic()

        def on_text(piece: str) -> None:
            nonlocal written, said_at
            written = written + piece if piece else ""
            if time.monotonic() - said_at > _TELL_EVERY:
                said_at = time.monotonic()
                report.partial(Writing(written))

        question = self.prompt(instructions(prompt), user, tokens)
        answer = complete_as(self.model, question, shape, report=report, on_text=on_text)
        return answer.value, tuple(completion.text for completion in answer.completions)

    def paper(
        self, paper: PaperReading, room: int, first: Sequence[Part], report: Report
    ) -> tuple[str, tuple[str, ...]]:
        """Returns the paper in at most ``room`` tokens, and the model's outputs for that.

        All of it if it fits. Otherwise the parts ``first`` word for word, and for the others notes that the model
        writes; if even those are too long, notes of the notes. What isn't in full is marked as such.
        """
        sections = sections_of(paper)
        whole = _joined(paper, [section.shown for section in sections], references_text(paper, room))
        if tokens_in(whole) <= room:
            return whole, ()
        full, units, length, tokens = self._divided(sections, room, first)
        raw: tuple[str, ...] = ()
        notes: dict[int, list[str]] = {}
        texts = [part.shown for _, part in units]
        read: list[str] = []
        for level in range(_MOST_LEVELS):
            if level:
                # Notes of several sections are combined into shorter notes.
                units, texts = _merged(units, read, length)
            share = report.part(level / _MOST_LEVELS, (level + 1) / _MOST_LEVELS)
            read, wrote = self._notes(texts, tokens, share)
            raw += wrote
            notes = {}
            for (place, _), text in zip(units, read, strict=True):
                notes.setdefault(place, []).append(text)
            used = sum(tokens_in(sections[place].shown) for place in full) + sum(map(tokens_in, read))
            if used + len(units) * 30 + _MARGIN <= room:
                break
        return _with_notes(paper, sections, full, notes, units, room=room), raw

    def planned(
        self, prompt: PromptText, paper: PaperReading, other: int, *, tokens: int, first: Sequence[Part]
    ) -> list[Prompt]:
        """Returns the prompts for reading the paper next to ``other`` tokens, before any answer is known: the notes on
        parts, and the question itself at its maximum length."""
        room, tokens = self.room(instructions(prompt), filler(other), tokens)
        sections = sections_of(paper)
        size = tokens_in(_joined(paper, [section.shown for section in sections], references_text(paper, room)))
        notes: list[Prompt] = []
        if size > room:
            _, units, _, most = self._divided(sections, room, first)
            schema = closed(Notes.model_json_schema())
            notes = [replace(self._note(part.shown, most), schema=schema) for _, part in units]
        return [*notes, self.prompt(instructions(prompt), filler(min(size, room) + other), tokens)]

    def _divided(
        self, sections: "Sequence[Section]", room: int, first: Sequence[Part]
    ) -> "tuple[set[int], list[tuple[int, Section]], int, int]":
        """Returns the indices of the sections given in full, the pieces of the others to take notes of, and the maximum
        tokens of a piece and of a note."""
        full = _chosen(sections, int(room * _IN_FULL), first)
        length, tokens = self.room(notes_instructions(), "", NOTES_TOKENS)
        return full, _units([(at, part) for at, part in enumerate(sections) if at not in full], length), length, tokens

    def _note(self, text: str, tokens: int) -> Prompt:
        return self.prompt(notes_instructions(), fenced("Part of the paper", text), tokens)

    def _notes(self, texts: Sequence[str], tokens: int, report: Report) -> tuple[list[str], tuple[str, ...]]:
        asked = [(self._note(text, tokens), Notes) for text in texts]
        answers = ask_objects(self.model, asked, report=report, words="parts of the paper read")
        raw = tuple(one.text for answer in answers for one in answer.completions)
        failed = "(could not be read: {})"
        return [
            " ".join(answer.value.notes) if answer.value is not None else failed.format(answer.problem)
            for answer in answers
        ], raw


def instructions(prompt: PromptText) -> str:
    """Returns a prompt followed by the rule about fenced text, which editing the prompt can't remove."""
    return f"{prompt.text}\n\n{fence_rule()}"


def notes_instructions() -> str:
    """Returns the prompt for notes on a part of a long paper."""
    return f"{shipped_prompt('review-notes')}\n\n{fence_rule()}"


# --- the paper as text ------------------------------------------------------------------------------------------------
@dataclass(frozen=True, slots=True)
class Section:
    """A section of the paper with its tables; ``shown`` is its text with its heading."""

    name: str
    part: Part
    page: int
    text: str

    @property
    def shown(self) -> str:
        return f"## {self.name} (p. {self.page})\n{self.text}"


def sections_of(paper: PaperReading) -> list[Section]:
    """Returns the paper by section: running text, formulas, captions, and tables as Markdown in place of their
    captions; back matter (acknowledgements and the like) comes last."""
    tables = {table.caption_id: table for table in paper.tables}
    passages = paper.passages or tuple(
        Passage(text=s.text, section=s.section, part=s.part, page=s.page, paragraph_id=s.paragraph_id)
        for s in paper.sentences
    )
    runs: list[tuple[str, Part, int, list[str]]] = []
    for passage in sorted(passages, key=lambda one: one.part == "back"):
        table = tables.pop(passage.paragraph_id, None)
        text = passage.text if table is None else table_text(table)
        if not runs or runs[-1][0] != passage.section or (runs[-1][1] == "back") != (passage.part == "back"):
            runs.append((passage.section, passage.part, passage.page, []))
        runs[-1][3].append(text)
    runs += [(table.section, table.part, table.page, [table_text(table)]) for table in tables.values()]
    return [
        Section(section.rsplit(" > ", 1)[-1] or "Front", part, page, "\n\n".join(texts))
        for section, part, page, texts in runs
    ]


def table_text(table: TableReading) -> str:
    width = max((len(row.cells) for row in table.rows), default=0)

    def line(cells: Sequence[str]) -> str:
        return "| " + " | ".join([*cells, *[""] * (width - len(cells))]) + " |"

    rows = [line([cell.text.replace("|", "\\|") for cell in row.cells]) for row in table.rows]
    heads = max((n for n, row in enumerate(table.rows, start=1) if row.header), default=1 if rows else 0)
    rows.insert(heads, line(["---"] * width))
    about = [f"{table.caption} (p. {table.page})", *([table.doubt] if table.doubt else [])]
    return "\n".join([*about, *(rows if width else [])])


def references_text(paper: PaperReading, room: int) -> str:
    """Returns the reference list, or a note that it is left out."""
    if not paper.references:
        return ""
    whole = "## References\n" + "\n".join(paper.references)
    return (
        whole
        if tokens_in(whole) <= room // 4
        else f"[The reference list ({len(paper.references)} entries) is left out]"
    )


def _joined(paper: PaperReading, shown: Sequence[str], references: str) -> str:
    return "\n\n".join(filter(None, [f"Title: {paper.title}", *shown, references]))


def _chosen(sections: Sequence[Section], tokens: int, first: Sequence[Part]) -> set[int]:
    """Chooses the sections given in full, those in ``first`` first, as long as they fit."""
    order = {part: n for n, part in enumerate(first)}
    taken = set()
    for place in sorted(range(len(sections)), key=lambda at: (order.get(sections[at].part, len(order)), at)):
        cost = tokens_in(sections[place].shown)
        if cost <= tokens:
            taken.add(place)
            tokens -= cost
    return taken


def _units(sections: Sequence[tuple[int, Section]], length: int) -> list[tuple[int, Section]]:
    """Splits sections into pieces of at most ``length`` tokens, between paragraphs if possible."""
    units = []
    for place, section in sections:
        piece: list[str] = []
        size = 0
        room = max(FEWEST, length - tokens_in(section.name) - 20)
        for part in (part for paragraph in section.text.split("\n\n") for part in _parts(paragraph, room)):
            if piece and size + tokens_in(part) > room:
                units.append((place, replace(section, text="\n\n".join(piece))))
                piece, size = [], 0
            piece.append(part)
            size += tokens_in(part)
        units.append((place, replace(section, text="\n\n".join(piece))))
    return units


def _parts(text: str, tokens: int) -> Iterator[str]:
    """Splits a text into pieces of at most ``tokens`` tokens."""
    while text:
        yield (piece := beginning(text, tokens))
        text = text[len(piece) :]


def _merged(
    units: Sequence[tuple[int, Section]], notes: Sequence[str], length: int
) -> tuple[list[tuple[int, Section]], list[str]]:
    """Combines notes into groups of at most ``length`` tokens, each under its first section."""
    merged: list[tuple[int, Section]] = []
    texts: list[str] = []
    for (place, section), note in zip(units, notes, strict=True):
        text = f"{section.name}: {note}"
        if texts and tokens_in(texts[-1]) + tokens_in(text) <= length:
            names = dict.fromkeys(f"{merged[-1][1].name}; {section.name}".split("; "))
            merged[-1] = (merged[-1][0], replace(merged[-1][1], name="; ".join(names)))
            texts[-1] = f"{texts[-1]}\n{text}"
        else:
            merged.append((place, section))
            texts.append(cut(text, length))
    return merged, texts


def _with_notes(
    paper: PaperReading,
    sections: Sequence[Section],
    full: set[int],
    notes: Mapping[int, Sequence[str]],
    units: Sequence[tuple[int, Section]],
    *,
    room: int,
) -> str:
    names = {place: section.name for place, section in [*enumerate(sections), *reversed(units)]}
    shown: list[tuple[int, str]] = [(place, sections[place].shown) for place in full]
    shown += [
        (place, f"## {names[place]} (p. {sections[place].page}; notes instead of the text)\n"
         + "\n".join(read))
        for place, read in notes.items()
    ]  # fmt: skip
    left = [sections[place].name for place in range(len(sections)) if place not in full and place not in notes]
    covered = {name for place in notes for name in names[place].split("; ")}
    missing = [name for name in left if name not in covered]
    room -= tokens_in(paper.title) + _MARGIN
    kept = []
    for place, text in sorted(shown):
        if (size := tokens_in(text)) <= room:
            kept.append(text)
            room -= size
        else:
            missing += names[place].split("; ")
    references = references_text(paper, max(0, room))
    if missing:
        unique = list(dict.fromkeys(missing))
        fit = next(n for n in range(len(unique), -1, -1) if tokens_in("; ".join(unique[:n])) <= max(room, _MARGIN // 2))
        rest = [f"and {counted(len(unique) - fit, 'more section')}"] if fit < len(unique) else []
        named = "; ".join([*unique[:fit], *rest])
        kept.append(f"[Left out for lack of room, so say nothing about whether it is there: {named}]")
    return _joined(paper, kept, references)


def draft_text(draft: Draft, *, evidence: bool = False) -> str:
    """Returns a draft for a prompt: each point with its id, and optionally with its ``evidence``."""
    lines = []
    for name, point in draft.points():
        fix = f" Suggestion: {point.suggestion}" if point.suggestion else ""
        lines.append(f"[{point.id}] {name}: {point.text}{fix}")
        if evidence:
            lines += [f"  evidence {where(a)}: {a.quote or a.ref}" for a in point.anchors[:3] if a.found]
    scores = {key: value for key, value in draft.scores.model_dump().items() if value is not None}
    if scores:
        lines.append("scores: " + ", ".join(f"{key} {value}" for key, value in scores.items()))
    return "\n".join(lines) or "(empty)"


def filler(tokens: int) -> str:
    """Returns a placeholder text of so many tokens for one that isn't known yet."""
    return "7" * int(tokens / 1.2)


def evidence_anchor(paper: PaperReading, evidence: str) -> Anchor | None:
    """Looks up the place that a model names as evidence; None if it says that it found none."""
    evidence = evidence.strip()
    if not evidence or NOT_FOUND in evidence:
        return None
    named = resolve(paper, evidence)
    held = next((anchor for anchor in named if anchor.found), None)
    if held is not None:
        return held
    bare = find_quote(paper, evidence.strip("“”\"' "))
    return bare if bare.found else (named[0] if named else Anchor(kind="quote", quote=evidence))


# --- answer schemas ---------------------------------------------------------------------------------------------------
# Names of fields are those of ReviewGrounder's published prompts (its appendix E.2); lengths are limited, so that
# answers end.
Short = Annotated[str, Field(max_length=300)]
Long = Annotated[str, Field(max_length=1500)]
Evidence = Annotated[str, Field(max_length=400)]
Place = Literal["summary", "strengths", "weaknesses", "questions"]


class Keywords(BaseModel):
    keywords: list[Annotated[str, Field(min_length=3, max_length=60)]] = Field(min_length=3, max_length=5)


class Notes(BaseModel):
    notes: list[Long] = Field(min_length=1, max_length=12)


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
    """``id`` is the point's in the draft, "" for a new one; ``suggestion`` is only for weaknesses."""

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
