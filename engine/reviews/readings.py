"""The ways in which a response letter may tell its two voices apart, and which of them fits a given letter.

A *reading* gives every paragraph a role. Labels ("Response:", "Comment 3:") hold in all of them; what else marks a
comment (quote marks, emphasis, typographic quotes, indentation, numbers, the wording) is what they differ in.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from itertools import chain
from typing import Literal

from engine.reviews.cues import voice
from engine.reviews.layout import Unit, read_units, reviewer_name

Role = Literal["comment", "response"]
Test = Callable[[Unit], bool]


@dataclass(frozen=True, slots=True)
class Placed:
    """A paragraph with its role (None: a title, a greeting, a further section) and the reviewer in whose part it
    is.
    """

    unit: Unit
    role: Role | None
    reviewer: str
    opens: bool = False
    """It carries a label or starts a new run of quote marks: a comment block of its own starts here."""
    bridges: bool = False
    """A title between a comment and its response ("Response"), which parts nothing."""


@dataclass(frozen=True, slots=True)
class Block:
    """A stretch of comment paragraphs and the response paragraphs that answer it."""

    reviewer: str
    comment: tuple[Unit, ...]
    response: tuple[Unit, ...] = ()
    shared: bool = False
    """The response answers further blocks as well."""


def read_blocks(text: str) -> tuple[Block, ...]:
    """The comment blocks of a letter with their responses, in document order, under the reading that fits best.

    A reading scores by how much its responses sound like authors and its comments like reviewers, by the share of
    blocks that have a response, and by what tells against it. Readings that follow the wording itself would always win
    on that measure; they are taken only where they are far better than all that follow an outward mark.
    """
    try:
        if len(text) > _LONG:
            # The beginning of a very long letter says how it is written; the rest is read that way only.
            cut = text.rfind("\n\n", _LONG // 4, _LONG // 2)
            name, blocks = _best(text[: cut if cut > 0 else _LONG // 2])
            if blocks:
                for other, placed in chain(_by_mark(text), _by_wording(text)):
                    if other == name:
                        return tuple(_blocks(placed()))
        return _best(text)[1]
    finally:
        _voice.cache_clear()  # the words of a letter are kept no longer than it is read
        _is_title.cache_clear()


def _best(text: str) -> tuple[str, tuple[Block, ...]]:
    """The reading that fits best by its name, and its blocks; none where no reading fits."""

    def best(readings: Iterator[Reading]) -> tuple[float, str, tuple[Block, ...]]:
        scored = ((name, *_scored(text, placed())) for name, placed in readings)
        return max(((s, name, blocks) for name, s, blocks in scored), key=lambda found: found[0], default=(0.0, "", ()))

    by_mark, by_wording = best(_by_mark(text)), best(_by_wording(text))
    if by_mark[2] and by_mark[0] > 0 and by_mark[0] >= 0.6 * by_wording[0]:
        return by_mark[1:]
    return by_wording[1:] if by_wording[0] > 0 else by_mark[1:] if by_mark[0] > 0 else ("", ())


_LONG = 400_000
"""Characters from which on a letter is judged by its beginning."""
_voice = lru_cache(maxsize=1 << 16)(voice)
"""The readings put the same paragraphs into other roles."""


def looks_like_letter(text: str) -> bool:
    """Whether ``text`` is a letter of responses rather than a review: more than half of its blocks are answered, in the
    authors' voice.
    """
    blocks = read_blocks(text)
    answers = [text[u.start : u.end] for b in blocks for u in b.response]
    answered = sum(bool(b.response) for b in blocks)
    if not answers or answered <= 0.5 * len(blocks):
        return False
    return sum(voice(a) * min(len(a), 400) for a in answers) / sum(min(len(a), 400) for a in answers) > 0


def _scored(text: str, placed: tuple[Placed, ...]) -> tuple[float, tuple[Block, ...]]:
    """A reading's score and blocks. The score is at most about 1.5: how far the voices lie apart, the share of blocks
    that are answered, less what tells against the reading.
    """
    blocks = tuple(_blocks(placed))
    if not any(b.response for b in blocks):
        return 0.0, ()
    apart = total = unplaced = 0.0
    started = False
    for p in placed:
        started = started or p.role is not None
        if p.unit.kind != "text" or not started or _is_title(text, p.unit):
            continue
        content = text[p.unit.start : p.unit.end]
        weight = min(1.0, len(content) / 200)
        total += weight
        if p.role is None:
            unplaced += weight
        else:
            apart += weight * _voice(content) * (1 if p.role == "response" else -1)
    answered = sum(bool(b.response) for b in blocks) / len(blocks)
    return (apart - 0.1 * unplaced) / (total or 1.0) + 0.5 * answered - _against(placed, blocks), blocks


def _against(placed: tuple[Placed, ...], blocks: tuple[Block, ...]) -> float:
    """What tells against a reading: runs of quote marks in two voices, comments some of which are quoted or labelled
    and some not. 0 where nothing does; each of the three adds up to 1. Where all comments are quoted, labels are the
    reviewers' own, and one reviewer may have numbered what another did not.
    """
    voices: dict[int, set[Role | None]] = {}
    for p in placed:
        if p.unit.quote and p.unit.label is None and p.role is not None:
            voices.setdefault(p.unit.quote, set()).add(p.role)
    mixed = sum(len(v) > 1 for v in voices.values()) / max(1, len(voices))
    quoted = sum(b.comment[0].quote > 0 for b in blocks) / len(blocks)
    labelled = sum(b.comment[0].label is not None for b in blocks) / len(blocks) if quoted < 1 else 0.0
    return mixed + 2 * min(quoted, 1 - quoted) + 2 * min(labelled, 1 - labelled)


def _blocks(placed: tuple[Placed, ...]) -> Iterator[Block]:
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


# --- the readings -----------------------------------------------------------------------------------------------------


Reading = tuple[str, Callable[[], tuple[Placed, ...]]]
"""A reading's name, and what gives every paragraph its role under it."""


def _by_mark(text: str) -> Iterator[Reading]:
    lazy = _decode(read_units(text, lazy=True))
    yield from _by_quotes("lazy", text, lazy)
    strict = _decode(read_units(text, lazy=False))
    if strict != lazy:
        yield from _by_quotes("strict", text, strict)
    place = partial(partial, _place, text, strict)
    if any(u.label for u in strict):
        yield "labels alone", place(_Rule())
        yield "labelled", place(_Rule(lambda u: u.label is not None))
        yield "sticky", place(_Rule(lambda _: True, sticky=True))
    for wrap in ("italic", "bold", "quoted", "coloured"):
        if any(u.wrap == wrap for u in strict):
            yield wrap, place(_Rule(partial(_wrapped, wrap, True)))
            yield f"not {wrap}", place(_Rule(partial(_wrapped, wrap, False)))
    if len({u.indent >= 2 for u in strict if u.kind == "text"}) > 1:
        yield "indented", place(_Rule(lambda u: u.indent >= 2))
        yield "not indented", place(_Rule(lambda u: u.indent < 2))
    if any(u.list_mark for u in strict):
        yield "listed", place(_Rule(lambda u: bool(u.list_mark)))


def _by_quotes(name: str, text: str, units: tuple[Unit, ...]) -> Iterator[Reading]:
    if any(u.quote for u in units):
        cited = _quoted_by_authors(text, units)
        yield f"{name} quotes but cited", partial(_place, text, units, _Rule(partial(_quoted_except, cited)))
        yield f"{name} unquoted", partial(_place, text, units, _Rule(lambda u: not u.quote))


def _by_wording(text: str) -> Iterator[Reading]:
    place = partial(partial, _place, text, _decode(read_units(text, lazy=True)))
    answers = partial(_answers, text)
    yield "labelled until answered", place(_Rule(lambda u: u.label is not None, answers))
    yield "listed until answered", place(_Rule(lambda u: bool(u.list_mark) and not answers(u), answers))
    yield "asking until answered", place(_Rule(partial(_asks, text), answers))


def _quoted_except(cited: frozenset[Unit], unit: Unit) -> bool:
    return unit.quote > 0 and unit not in cited


def _wrapped(wrap: str, expected: bool, unit: Unit) -> bool:
    return (unit.wrap == wrap) is expected


def _asks(text: str, unit: Unit) -> bool:
    return _voice(text[unit.start : unit.end]) < -0.2


def _answers(text: str, unit: Unit) -> bool:
    return _voice(text[unit.start : unit.end]) > 0.2


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


_MARKER = re.compile(r"[ \t]*(`\[?[\w .#-]{1,20}\]?`|\[[A-Za-z][\w .#-]{0,19}\](?!\())")
_CALLS = re.compile(
    r"\b(?:reviewers?|referees?|editors?|comments?|points?|below|remarks?|questions?)\b[^.]{0,40}\W*$", re.IGNORECASE
)
_ANNOUNCES = re.compile(
    r"[:,]$|\b(?:reads?|follows|sentence|paragraph|text|states?|stating|wrote|says|added|as)$", re.IGNORECASE
)


def _quoted_by_authors(text: str, units: tuple[Unit, ...]) -> frozenset[Unit]:
    """Quotes inside of responses, where the authors cite their manuscript or others.

    Where most quotes open with the same marker (``[review]``), those without are the authors'. Else a quote is theirs
    if the answering paragraph above announces it (a colon, "now reads") and it does not itself sound like a reviewer.
    """
    firsts: dict[int, tuple[Unit, Unit | None]] = {}
    previous: Unit | None = None
    for unit in units:
        if unit.quote:
            firsts.setdefault(unit.quote, (unit, previous))
        previous = unit
    marked = {q: m[1] for q, (u, _) in firsts.items() if (m := _MARKER.match(text, u.start, u.end))}
    common = Counter(re.sub(r"\d+", "#", m) for m in marked.values()).most_common(1)
    if common and common[0][1] >= 2 and common[0][1] >= 0.5 * len(firsts):
        theirs = {q for q in firsts if q not in marked}
    else:
        theirs = set()
        for q, (unit, lead) in firsts.items():
            if q == 1 or lead is None or lead.kind != "text" or (unit.label and unit.label.kind != "response"):
                continue
            ending = text[lead.start : lead.end].rstrip(' *_`"”)')
            announced = _ANNOUNCES.search(ending) and not _CALLS.search(ending)
            if announced and voice(text[unit.start : unit.end]) > -0.45:
                theirs.add(q)
    return frozenset(u for u in units if u.quote in theirs)


# --- roles ------------------------------------------------------------------------------------------------------------

_PART_OF_REVIEW = re.compile(
    r"(?:(?:major|minor|general|specific|other|detailed|additional|further|technical|main|overall|summary|"
    r"strengths?|"
    r"weakness(?:es)?|comments?|questions?|points?|concerns?|issues?|remarks?|typos?|limitations?|public|"
    r"evaluation|"
    r"suggestions?|recommendations?|essential|revisions?|requests?|and|of|the|for|to|on|from|authors?|"
    r"editorial)\b|[\W\d])+",
    re.IGNORECASE,
)
_REPLY_TITLE = re.compile(
    r"\W*(?:our |the |authors?['’]?s?['’]? )?(?:response|reply|replies|answer|rebuttal)s?\W*", re.IGNORECASE
)
_COMMENT_TITLE = re.compile(
    r"\W*(?:(?:reviewer|referee)?['’]?s? ?)?(?:comment|point|question|concern|issue|remark|weakness)s?[ #]*"
    r"[A-Z]?\d+(?:[.\-]\d+)*[a-z]?(?:\W.{0,80})?",
    re.IGNORECASE,
)
_CLOSING = re.compile(
    r"\W*(?:sincerely|yours (?:sincerely|truly|faithfully)|(?:best|kind|warm) regards|respectfully)\b.{0,60}",
    re.I | re.S,
)


@lru_cache(maxsize=1 << 16)
def _is_title(text: str, unit: Unit) -> bool:
    """A heading, or a short paragraph of one line that titles what follows."""
    if unit.kind == "heading":
        return True
    content = text[unit.start : unit.end].strip()
    bare = content.strip("*_ #:")
    if unit.kind != "text" or len(content.splitlines()) > 1 or not 0 < len(bare) <= 110:
        return False
    if reviewer_name(content) is not None:
        return True
    if unit.label or unit.list_mark or unit.quote:
        return False
    if len(bare) <= 60 and _PART_OF_REVIEW.fullmatch(bare) and not bare.endswith((".", "?")):
        return True
    return unit.wrap == "bold" and len(bare) <= 60 and not bare.endswith((".", "?", "!"))


@dataclass(slots=True)
class _State:
    role: Role | None = None
    reviewer: str = ""
    closed: bool = False
    """Past the reviews: in a section that is no reviewer's."""


@dataclass(frozen=True, slots=True)
class _Rule:
    """How one reading tells comments from responses.

    ``marked`` says which paragraphs are comments by their form; without it, labels alone decide. With ``until``, a
    comment goes on over unmarked paragraphs till one answers. With ``sticky``, a labelled response goes on till the
    next title, label or numbered paragraph, whatever ``marked`` says.
    """

    marked: Test | None = None
    until: Test | None = None
    sticky: bool = False


def _place(text: str, units: tuple[Unit, ...], rule: _Rule) -> tuple[Placed, ...]:
    """Give every paragraph its role."""
    named = any(_is_title(text, u) and reviewer_name(text[u.start : u.end]) for u in units)
    state = _State(closed=named)
    placed = []
    for unit in units:
        if unit.kind == "rule":
            state.role = None if state.role == "response" else state.role
            placed.append(Placed(unit, None, state.reviewer))
        elif _is_title(text, unit):
            _enter(text, unit, state)
            placed.append(Placed(unit, None, state.reviewer, bridges=state.role == "response"))
        else:
            opens = _turn(text, unit, state, rule)
            placed.append(Placed(unit, state.role, state.reviewer, opens))
    return tuple(placed)


def _enter(text: str, unit: Unit, state: _State) -> None:
    """A title: whose part begins, or whose turn it is."""
    content = text[unit.start : unit.end].strip().strip("#").strip()
    bare = content.strip("*_ :")
    name = reviewer_name(content)
    if (
        name
        and re.match(r"\W*(?:our |the |authors?\W{0,2}s? )?(?:response|reply|answer)", content, re.I)
        and state.role == "comment"
        and name == state.reviewer
    ):
        state.role = "response"
    elif name is not None:
        state.reviewer, state.role, state.closed = name, None, False
    elif _REPLY_TITLE.fullmatch(bare):
        state.role = "response"
    elif _COMMENT_TITLE.fullmatch(bare) or (unit.label and unit.label.kind == "comment"):
        state.role, state.closed = "comment", False
        state.reviewer = (unit.label.reviewer if unit.label else "") or state.reviewer
    elif _PART_OF_REVIEW.fullmatch(bare):
        state.role = None
    elif unit.kind == "heading":
        state.role, state.closed = None, state.closed or bool(state.reviewer)
    else:
        state.role = None if state.role == "comment" else state.role


def _turn(text: str, unit: Unit, state: _State, rule: _Rule) -> bool:
    """A paragraph of text: set whose turn it is; True where a comment opens by a label of its own."""
    label = unit.label
    if label and label.kind == "response":
        state.role = "response"
        return False
    if label:
        state.role, state.closed = "comment", False
        state.reviewer = label.reviewer or state.reviewer
        return True
    if _CLOSING.fullmatch(text, unit.start, unit.end):
        state.role = None
    elif rule.marked is None or (rule.sticky and state.role == "response" and not unit.list_mark[:1].isdigit()):
        pass
    elif rule.marked(unit) and (unit.quote or not state.closed):
        state.role = "comment"
    elif rule.until is not None and not rule.until(unit) and (state.role == "comment" or state.role is None):
        # The first words under a reviewer's title are the reviewer's.
        state.role = "comment" if state.role or (state.reviewer and not state.closed) else None
    elif state.role is not None:
        state.role = "response"
    return False
