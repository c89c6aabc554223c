"""Who speaks where in a letter: learned from the marks that this very letter uses.

A *reading* says which marks (quote marks, colours, environments, labels, indents …) are the reviewers' words, which are
the authors', and what the unmarked rest is. All readings that a letter's own marks allow are tried; the one under which
comments sound most like reviewers and responses most like authors, and comments are answered in turn, is proposed.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Literal

from engine.reviews.cues import voice
from engine.reviews.layout import Unit, read_units, reviewer_name
from engine.reviews.marks import MarkedText

Role = Literal["comment", "response"]
Rest = Literal["comment", "response", "same", "wording"]
_OTHER: dict[Role, Role] = {"comment": "response", "response": "comment"}


@dataclass(frozen=True, slots=True)
class Reading:
    """Which marks a letter's comments and responses carry; ``rest`` is whose the unmarked paragraphs are ("same": of the
    one who spoke before, "wording": as they sound). ``swapped`` exchanges the two roles in the end.
    """

    comment: frozenset[str] = frozenset()
    response: frozenset[str] = frozenset()
    rest: Rest = "same"
    swapped: bool = False

    def sentence(self) -> str:
        """The reading in words: "Blue text is the response, the rest is comments."."""
        ours, theirs = (self.comment, self.response) if self.swapped else (self.response, self.comment)
        parts = [f"{_words(theirs)} is a comment"] if theirs else []
        parts += [f"{_words(ours)} is a response"] if ours else []
        rest = _OTHER[self.rest] if self.swapped and self.rest in _OTHER else self.rest  # type: ignore[index]
        parts += {
            "comment": ["the rest is comments"],
            "response": ["the rest is responses"],
            "wording": ["the wording tells the rest apart"],
            "same": [] if parts else ["labels tell comments and responses apart"],
        }[rest]
        said = ", ".join(parts)
        return f"{said[:1].upper()}{said[1:]}."


_COLOURS = {
    "black": (0, 0, 0), "grey": (128, 128, 128), "blue": (0, 0, 255), "blue ": (46, 116, 181), "red": (255, 0, 0),
    "green": (0, 128, 0), "green ": (0, 200, 0), "purple": (128, 0, 128), "orange": (255, 128, 0), "brown": (150, 75, 0),
    "cyan": (0, 180, 200), "magenta": (255, 0, 255), "dark blue": (0, 0, 139), "dark red": (139, 0, 0),
}  # fmt: skip


def _words(marks: frozenset[str]) -> str:
    return " and ".join(sorted(map(describe, marks)))


def describe(mark: str) -> str:
    """A mark in words that follow "text": "blue text", "text in the environment “reply”"."""
    kind, _, name = mark.partition(" ")
    if kind == "colour":
        if match := re.fullmatch(r"#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})", name):
            rgb = [int(part, 16) for part in match.groups()]
            name = min(_COLOURS, key=lambda one: sum((a - b) ** 2 for a, b in zip(rgb, _COLOURS[one], strict=True)))
        return f"{name.strip()} text"
    named = {"in": "text in “{}”", "by": "text of “{}”", "font": "text in the font {}", "begins": "what begins with “{}”",
             "column": "column {} of the tables", "heading": "each heading of level {}", "bullet": "each item with “{}”",
             "style": "text in the style “{}”"}  # fmt: skip
    if kind in named and name:
        return named[kind].format(name)
    plain = {"quoted": "text after “>”", "quoted twice": "text after “>>”", "numbered": "each numbered paragraph"}
    return plain.get(mark, mark if mark.startswith("in ") else f"{mark} text")


@dataclass(frozen=True, slots=True)
class Placed:
    """A paragraph with its role (None: a title, a greeting, a further section) and the reviewer in whose part it is.
    ``opens``: a comment of its own starts here. ``bridges``: a title between a comment and its response.
    """

    unit: Unit
    role: Role | None
    reviewer: str
    opens: bool = False
    bridges: bool = False


@dataclass(frozen=True, slots=True)
class Block:
    """A stretch of comment paragraphs and the response paragraphs that answer it; ``shared``: the response answers
    further blocks as well.
    """

    reviewer: str
    comment: tuple[Unit, ...]
    response: tuple[Unit, ...] = ()
    shared: bool = False


@dataclass(frozen=True, slots=True)
class Proposal:
    """How a letter may be read: the best reading first. ``answers``: it is a letter of responses, else a review."""

    readings: tuple[Reading, ...]
    answers: bool


_LONG = 600
"""Paragraphs from which on a letter is judged by its beginning."""
_MOST = 24
"""Marks of a letter that are tried."""


class Letter:
    """A letter's paragraphs with what is known of each before any reading."""

    def __init__(self, marked: MarkedText, *, lazy: bool = True) -> None:
        text = marked.text
        self.text = text
        self.units = _decode(read_units(marked, lazy=lazy))
        self.places = tuple(_Place(text, unit) for unit in self.units)
        self.named = any(place.name for place in self.places)

    def placed(self, reading: Reading, most: int | None = None) -> tuple[Placed, ...]:
        """Every paragraph in its role under a reading."""
        state = _State(closed=self.named)
        begun = False
        placed = []
        for place in self.places[:most]:
            unit = place.unit
            opens = bridges = False
            told: Role | None = None
            if unit.marks & reading.comment:
                told = "comment"
            elif unit.marks & reading.response:
                told = "response"
            if unit.kind == "rule":
                state.role = None if state.role == "response" else state.role
                placed.append(Placed(unit, None, state.reviewer))
                continue
            if place.title and (told is None or place.name or place.turns):
                _enter(place, state)
                bridges = state.role == "response"
                placed.append(Placed(unit, None, state.reviewer, bridges=bridges))
                begun = begun or state.role is not None
                continue
            label = unit.label
            if label and label.kind == "response":
                state.role = "response"
            elif label and not (told == "response" and label.kind == "comment" and not label.reviewer):
                state.role, state.closed = "comment", False
                state.reviewer = label.reviewer or state.reviewer
                opens = True
            elif place.closing:
                state.role = None
            elif told is not None:
                if told == "response" or not state.closed or unit.depth or not self.named:
                    opens = told == "comment" and state.role != "comment"
                    state.role = told
            elif reading.rest == "wording":
                state.role = _by_wording(place, state)
            elif reading.rest != "same":
                front = not begun and not self.named and (place.voice > 0 or place.greeting)
                if not state.closed and not front and not (reading.rest == "response" and state.role is None):
                    state.role = reading.rest
                elif reading.rest == "response" and state.role is not None:
                    state.role = "response"
            begun = begun or state.role is not None
            placed.append(Placed(unit, state.role, state.reviewer, opens))
        if reading.swapped:
            return tuple(replace(p, role=_OTHER[p.role] if p.role else None) for p in placed)
        return tuple(placed)


class _Place:
    """A paragraph with its voice and what it is as a title."""

    __slots__ = ("closing", "greeting", "level", "name", "part", "title", "turns", "unit", "voice", "weight")

    def __init__(self, text: str, unit: Unit) -> None:
        self.unit = unit
        content = text[unit.label.end if unit.label else unit.start : min(unit.end, unit.start + 1500)]
        bare = text[unit.start : unit.end].strip().strip("*_ #:")
        self.voice = voice(content) if unit.kind in ("text", "heading") else 0.0
        self.weight = min(1.0, (unit.end - unit.start) / 200)
        self.closing = unit.kind == "text" and bool(_CLOSING.fullmatch(bare[:100])) and len(bare) < 100
        self.greeting = bool(_GREETING.match(bare))
        self.title = _is_title(text, unit, bare)
        self.name = reviewer_name(bare) if self.title else None
        self.part = self.title and bool(_PART_OF_REVIEW.fullmatch(bare))
        self.level = unit.level or 9
        self.turns: Role | None = None
        if self.title:
            if (self.name and _ANSWERING.match(bare)) or (self.name is None and _REPLY_TITLE.fullmatch(bare)):
                self.turns = "response"
            elif self.name is None and (
                _COMMENT_TITLE.fullmatch(bare) or (unit.label and unit.label.kind == "comment")
            ):
                self.turns = "comment"


@dataclass(slots=True)
class _State:
    role: Role | None = None
    reviewer: str = ""
    closed: bool = False
    """Before the reviews, or past them: in a section that is no reviewer's."""
    level: int = 9


def _enter(place: _Place, state: _State) -> None:
    """A title: whose part begins, or whose turn it is."""
    if place.name and place.turns and state.role == "comment" and place.name == state.reviewer:
        state.role = "response"
    elif place.name is not None:
        state.reviewer, state.role, state.closed, state.level = place.name, None, False, place.level
    elif place.turns == "response":
        state.role = "response"
    elif place.turns == "comment":
        label = place.unit.label
        state.role, state.closed = "comment", False
        state.reviewer = (label.reviewer if label else "") or state.reviewer
    elif place.part:
        state.role = None
    elif place.unit.kind == "heading":
        state.role = None
        state.closed = state.closed or (bool(state.reviewer) and place.level <= state.level)
    else:
        state.role = None if state.role == "comment" else state.role


def _by_wording(place: _Place, state: _State) -> Role | None:
    unit = place.unit
    if state.role is None:
        return None if state.closed or (place.voice > 0 and not state.reviewer) else "comment"
    if state.role == "comment":
        return "response" if place.voice > 0.2 else "comment"
    if place.voice < -0.2 or (unit.list_mark[:1].isdigit() and place.voice <= 0):
        return "comment"
    return "response"


# --- titles -----------------------------------------------------------------------------------------------------------

_PART_OF_REVIEW = re.compile(
    r"(?:(?:major|minor|general|specific|other|detailed|additional|further|technical|main|overall|summary|"
    r"strengths?|weakness(?:es)?|comments?|questions?|points?|concerns?|issues?|remarks?|typos?|limitations?|public|"
    r"evaluation|suggestions?|recommendations?|essential|revisions?|requests?|and|of|the|for|to|on|from|authors?|"
    r"editorial)\b|[\W\d])+",
    re.IGNORECASE,
)
_REPLY_TITLE = re.compile(
    r"\W*(?:our |the |authors?['’]?s?['’]? )?(?:response|reply|replies|answer|rebuttal)s?\W*", re.IGNORECASE
)
_ANSWERING = re.compile(r"\W*(?:our |the |authors?\W{0,2}s? )?(?:response|reply|answer)", re.IGNORECASE)
_COMMENT_TITLE = re.compile(
    r"\W*(?:(?:reviewer|referee)?['’]?s? ?)?(?:comment|point|question|concern|issue|remark|weakness)s?[ #]*"
    r"[A-Z]?\d+(?:[.\-]\d+)*[a-z]?(?:\W.{0,80})?",
    re.IGNORECASE,
)
_CLOSING = re.compile(
    r"\W*(?:sincerely|yours (?:sincerely|truly|faithfully)|(?:best|kind|warm) regards|respectfully)\b.{0,60}",
    re.I | re.S,
)
_GREETING = re.compile(r"\W*(?:dear|to (?:the )?(?:editor|reviewers?|whom))\b", re.IGNORECASE)


def _is_title(text: str, unit: Unit, bare: str) -> bool:
    """A heading, or a short paragraph of one line that titles what follows."""
    if unit.kind == "heading":
        return True
    content = text[unit.start : unit.end].strip()
    if unit.kind != "text" or not 0 < len(bare) <= 110 or len(content.splitlines()) > 1:
        return False
    if reviewer_name(content) is not None:
        return True
    if unit.label or unit.list_mark or unit.depth:
        return False
    if len(bare) <= 60 and _PART_OF_REVIEW.fullmatch(bare) and not bare.endswith((".", "?")):
        return True
    return "bold" in unit.marks and len(bare) <= 60 and not bare.endswith((".", "?", "!"))


def _decode(units: tuple[Unit, ...]) -> tuple[Unit, ...]:
    """Bare letters ("R1:", "Q2:", "A:") as this letter uses them: R is a response beside C or Q, else a reviewer."""
    letters = {u.label.word[0] for u in units if u.label and u.label.kind == "code"}
    kinds = {u.label.kind for u in units if u.label}
    asking = {"Q", "C", "P"} & letters
    answering = {"A", "R"} & letters if asking or "comment" in kinds else {"A"} & letters
    if "R" in letters and "response" in kinds:
        answering -= {"R"}
    decoded = []
    for unit in units:
        label = unit.label
        if label and label.kind == "code":
            letter, count = label.word[0], label.reviewer
            if letter in answering:
                label = replace(label, kind="response", reviewer="")
            elif letter == "R":
                label = replace(label, kind="comment", reviewer=f"Reviewer {count.split('.')[0]}" if count else "")
            elif letter in asking:
                label = replace(label, kind="comment", reviewer="")
            else:
                label = None
        decoded.append(unit if label is unit.label else replace(unit, label=label))
    return tuple(decoded)


# --- blocks and scores ------------------------------------------------------------------------------------------------


def blocks_of(placed: Sequence[Placed]) -> Iterator[Block]:
    """The comments with their responses, in order."""
    waiting: list[tuple[str, list[Unit]]] = []  # comment blocks that no response has followed yet
    response: list[Unit] = []

    def flush() -> Iterator[Block]:
        for reviewer, units in waiting:
            yield Block(reviewer, tuple(units), tuple(response), bool(response) and len(waiting) > 1)
        waiting.clear()
        response.clear()

    for p in placed:
        if p.role == "comment":
            if response or (waiting and waiting[-1][0] != p.reviewer):
                yield from flush()
            quote_changed = bool(waiting) and waiting[-1][1][-1].quote != p.unit.quote
            if not waiting or p.opens or quote_changed:
                waiting.append((p.reviewer, []))
            waiting[-1][1].append(p.unit)
        elif p.role == "response":
            if waiting:
                response.append(p.unit)
        elif not p.bridges and (p.unit.kind != "rule" or response):
            yield from flush()
    yield from flush()


_ASKS = re.compile(
    r"comment|point|concern|question|remark|critique|query|review|referee|^rc|^rev|^ref|quote|issue|said", re.IGNORECASE
)
_ANSWERS = re.compile(r"reply|respon|answer|rebut|author|^ar\b|^au\b|^resp|^ans|^our|^we\b", re.IGNORECASE)


def _prior(reading: Reading) -> float:
    """What the names of marks say for a reading or against it."""
    score = -0.02 * len(reading.comment | reading.response)
    for marks, right, wrong in ((reading.comment, _ASKS, _ANSWERS), (reading.response, _ANSWERS, _ASKS)):
        for mark in marks:
            kind, _, name = mark.partition(" ")
            if kind in ("in", "by", "style", "begins") and name:
                score += 0.15 if right.search(name) else -0.4 if wrong.search(name) else 0.0
    return score


def _scored(letter: Letter, reading: Reading) -> tuple[float, tuple[Role | None, ...]]:
    """A reading's score, at most about 1.5: how far the voices lie apart, and the share of comments that are answered,
    less what is left over. Also every paragraph's role.
    """
    placed = letter.placed(reading, _LONG)
    apart = total = unplaced = 0.0
    started = False
    heard: Counter[Role] = Counter()
    blocks = answered = 0
    before: Role | None = None
    for place, p in zip(letter.places, placed, strict=False):
        role = p.role
        started = started or role is not None
        if not started or place.unit.kind == "rule" or (place.title and role is None):
            continue
        total += place.weight
        if role is None:
            unplaced += place.weight
            continue
        heard[role] += 1
        apart += place.weight * place.voice * (1 if role == "response" else -1)
        if role == "comment" and (before != "comment" or p.opens):
            blocks += 1
        elif role == "response" and before == "comment":
            answered += 1
        before = role
    roles = tuple(p.role for p in placed)
    if not heard["response"] or not heard["comment"]:
        return 0.0, roles
    quotes: dict[int, set[Role | None]] = {}
    for p in placed:
        if p.unit.quote and p.unit.label is None and p.role is not None:
            quotes.setdefault(p.unit.quote, set()).add(p.role)
    mixed = sum(len(found) > 1 for found in quotes.values()) / max(1, len(quotes))
    score = (apart - 0.1 * unplaced) / (total or 1.0) + 0.5 * answered / max(1, blocks) - mixed + _prior(reading)
    return score * (0.7 if reading.rest == "wording" else 1.0), roles


def _candidates(letter: Letter) -> Iterator[Reading]:
    """All readings that the letter's own marks allow."""
    counts = Counter(mark for unit in letter.units[:_LONG] if unit.kind != "rule" for mark in unit.marks)
    texts = sum(unit.kind == "text" for unit in letter.units[:_LONG])
    marks = [mark for mark, count in counts.most_common(_MOST) if count < texts]
    yield Reading()
    yield Reading(rest="wording")
    for mark in marks:
        one = frozenset({mark})
        for rest in ("response", "same", "wording"):
            yield Reading(comment=one, rest=rest)  # type: ignore[arg-type]
        for rest in ("comment", "same", "wording"):
            yield Reading(response=one, rest=rest)  # type: ignore[arg-type]
    for ours, theirs in product(marks, marks):
        if ours != theirs:
            for rest in ("same", "comment", "response"):
                yield Reading(frozenset({theirs}), frozenset({ours}), rest)  # type: ignore[arg-type]


def propose(marked: MarkedText) -> tuple[Letter, Proposal]:
    """The letter's paragraphs and the readings that fit it, best first; each stands for all that give the same roles."""
    best: tuple[float, Letter, list[tuple[float, Reading]]] | None = None
    for lazy in (True, False):
        letter = Letter(marked, lazy=lazy)
        if best is not None and letter.units == best[1].units:
            continue
        seen: dict[tuple[Role | None, ...], tuple[float, Reading]] = {}
        for reading in _candidates(letter):
            score, roles = _scored(letter, reading)
            if score > seen.get(roles, (0.0, reading))[0]:
                seen[roles] = (score, reading)
        found = sorted(seen.values(), key=lambda one: -one[0])
        top = found[0][0] if found else 0.0
        if best is None or top > best[0]:
            best = (top, letter, found)
    assert best is not None
    _, letter, found = best
    if not found:
        return letter, Proposal((), answers=False)
    return letter, Proposal(tuple(reading for _, reading in found[:6]), _is_answered(letter, found[0][1]))


def _is_answered(letter: Letter, reading: Reading) -> bool:
    """Whether what a reading takes for responses is in the authors' voice."""
    placed = letter.placed(reading, _LONG)
    blocks = list(blocks_of(placed))
    voices = {id(place.unit): place for place in letter.places}
    answers = [voices[id(unit)] for block in blocks for unit in block.response]
    said = sum(place.voice * place.weight for place in answers)
    return bool(answers) and said > 0


def looks_like_letter(marked: MarkedText) -> bool:
    """Whether a text is a letter of responses rather than a review: most of its comments are answered, in the authors'
    voice.
    """
    letter, proposal = propose(marked)
    if not proposal.readings or not proposal.answers:
        return False
    blocks = list(blocks_of(letter.placed(proposal.readings[0])))
    return sum(bool(block.response) for block in blocks) > 0.5 * len(blocks)


def blocks_in(text: str) -> tuple[Block, ...]:
    """The comments of a text with their responses, under the reading that fits best; () where there is none."""
    letter, proposal = propose(MarkedText(text))
    return tuple(blocks_of(letter.placed(proposal.readings[0]))) if proposal.readings else ()
