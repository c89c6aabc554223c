"""Determines who speaks where in a letter, from the marks that this letter uses. A *reading* says which marks (quote
marks, colours, environments, labels, indents …) are the reviewers' text, which are the authors', and what the unmarked
rest is. ``engine.reviews.proposing`` tries all readings that a letter's marks allow, and proposes the one under which
comments sound most like reviewers and responses most like authors, and comments are answered in turn."""

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice, pairwise, takewhile

from engine.reviews import titles
from engine.reviews.cues import ASKING, asks_much, asks_nothing, sentence_role, voice
from engine.reviews.forms import field_key, form_lines, lines_of
from engine.reviews.layout import Unit, decoded, read_units
from engine.reviews.marks import OTHER, MarkedText, Reading, Role, column_of, table_titles
from engine.reviews.naming import FIELD, reviewer_name
from engine.reviews.stating import stated


@dataclass(slots=True)
class Placed:
    """A paragraph with its role (None: a title, a greeting, another section) and the reviewer of its part. ``opens``:
    starts a new comment. ``bridges``: a title between a comment and its response."""

    unit: Unit
    role: Role | None
    reviewer: str
    opens: bool = False
    bridges: bool = False
    silent: bool = False


@dataclass(frozen=True, slots=True)
class Proposal:
    """The possible readings, best first. ``answers``: it is a response letter, otherwise a review."""

    readings: tuple[Reading, ...]
    answers: bool


LONG = 300
"""Longer letters are judged by this many paragraphs at their beginning."""


class Letter:
    """A letter's paragraphs with what is known about each independent of any reading."""

    def __init__(self, marked: MarkedText, *, split: bool = False, known: tuple[Unit, ...] = ()) -> None:
        text = marked.text
        self.text = text
        self.read = units = known or read_units(marked)
        """The paragraphs as read; given by ``known`` if another reading of the text already has them."""
        form = form_lines(text) if split else frozenset()
        self.units = decoded(
            text, tuple(part for unit in units for part in lines_of(text, unit, form)) if split else units
        )
        one = bool(titles.ONE_AUTHOR.search(text))
        self.places = tuple(_Place(text, unit, alone=one) for unit in self.units)
        columns = {one.start for one in table_titles(marked)}
        who = 0  # the column of reviewers' numbers
        for place in self.places if columns else ():
            if place.unit.start in columns:
                place.entitle()
                who = place.column if titles.WHO.fullmatch(place.words) else who
            elif who and place.column == who and re.fullmatch(r"\d{1,2}", place.words):
                place.title, place.name = True, f"Reviewer {place.words}"
        asked = False
        for place, after in zip(self.places, (*self.places[1:], None), strict=True) if form else ():
            line = text[place.unit.start : place.unit.end].strip()
            value = asked and len(line) <= 80 and (len(line.split()) <= 3 or any(map(str.isdigit, line[-4:])))
            asked = field_key(line) in form
            follows = after is None or after.name or field_key(text[after.unit.start : after.unit.end]) in form
            if asked or (value and follows):
                place.title = place.part = True
        outer = inner = 0  # numbers of the comments, and of a list within a response
        numbers = [place.unit.number for place in self.places]
        for at, (before, place) in enumerate(pairwise(self.places), start=1):
            ending = text[before.unit.start : before.unit.end].rstrip(' *_`"”')[-12:]
            announced = titles.ANNOUNCES.search(ending) and place.voice > -0.45
            bare = before.unit.label is not None and before.unit.label.end >= before.unit.end
            place.cited = bool(announced) and not (before.title or before.locator or place.unit.label or bare)
            number = numbers[at]
            begins = number == 1 and outer and titles.ANNOUNCES.search(ending) and not before.title
            later = takewhile(lambda n: n != 1, filter(None, islice(numbers, at + 1, None)))
            place.nested = bool(begins or (inner and number == inner + 1 and (number != outer + 1 or number in later)))
            inner = number if place.nested else 0
            outer = number if number and not place.nested else outer
            place.after_label = before.bare
            if before.locator and before.unit.list_mark and place.unit.indent > before.unit.indent:
                before.title = before.part = True  # "- Section 2" above the points about it
            if before.title and titles.REFERENCES.fullmatch(before.words):
                before.ends = bool(titles.YEAR.search(place.words, 0, 400))
        for before, place in pairwise(place for place in self.places if place.unit.kind != "rule"):
            if before.name and place.unit.kind == "heading" and not (place.name or place.turns):
                before.level = min(before.level, place.level - 1)  # a title directly below a name doesn't end its part
        _close(self.places)
        _ask(self.places)
        _collect(self.places)
        for place in () if split else _recurring(self.places):
            if len(place.heads) > 100:
                place.connects = True  # a question of a form, which responses may repeat
            else:
                place.title = place.part = True
        self.marks = Counter(mark for unit in self.units for mark in unit.marks)
        self.stated, end = stated(text, self.marks)
        heads_at = (place.unit.start for place in self.places if place.name is not None or place.unit.label)
        self._begin = min(end, next(heads_at, end))
        self.named = any(place.name for place in self.places)
        self.parts = self.named or sum(bool(u.label and u.label.kind == "reviewer") for u in self.units) > 1
        """Titles, or names before the text, show where reviews begin."""
        heads = [turn for place in self.places if (turn := place.turn)]
        pairs = sum(one == "comment" and other == "response" for one, other in pairwise(heads))
        answers = heads.count("response")
        self.turned = pairs > max(2, answers // 3)
        """Titles or labels say whose turn it is: "Reviewer 1", "Response", "Reviewer 1" …"""
        self.labels_responses = any(
            p.unit.label and p.unit.label.kind == "response" and not p.field for p in self.places
        )
        first = next((at for at, place in enumerate(self.places) if place.name and place.unit.kind == "heading"), 0)
        self.labelled = tuple(
            unit.marks
            for place in self.places[first:LONG]
            if not place.title
            and (unit := place.unit).label
            and unit.label.kind in ("comment", "reviewer")
            and unit.label.end < unit.end
        )
        """The marks of each paragraph labelled as a comment, ignoring labels before the reviewers' titles, which are
        references."""

    def placed(self, reading: Reading, most: int | None = None) -> tuple[Placed, ...]:
        """Assigns a role to every paragraph under a reading."""
        state = _State(closed=self.parts if reading.rest == "review" else self.named)
        begun = greeted = False
        column = min(filter(None, map(column_of, (reading.comment, reading.response))), default=0)
        placed: list[Placed] = []
        for place in self.places[:most]:
            unit = place.unit
            opens = False
            greeted |= place.greeting
            state.collected = place.collects or (state.collected and place.name is None and not place.turns)
            if reading == self.stated and unit.start < self._begin:
                placed.append(Placed(unit, None, ""))
                continue
            listed = unit.list_mark and "struck" in reading.comment  # other items aren't done yet
            marked: Role | None = "comment" if listed or unit.marks & reading.comment else None
            if said_too := unit.marks & reading.response:
                # Of nested marks the inner one counts, which fewer paragraphs have.
                asked, answer = (
                    min(map(self.marks.__getitem__, one), default=0) for one in (unit.marks & reading.comment, said_too)
                )
                marked = "response" if marked is None or answer < asked else marked
            if unit.kind == "rule" or place.field:
                goes_on = (
                    self.text.startswith(":", unit.start) if state.role == "response" else place.field
                )  # a division
                state.role = None if place.field or (not goes_on and state.role == "response") else state.role
                placed.append(Placed(unit, None, state.reviewer, bridges=goes_on))
                continue
            if place.title and (marked is None or place.name or place.turns or place.part):
                _enter(place, state)
                if self.turned and reading.rest == "same" and place.name is not None and not place.turns:
                    state.role = "comment"
                placed.append(Placed(unit, None, state.reviewer, bridges=state.role == "response"))
                begun = begun or state.role is not None
                continue
            after_title = state.role == "comment" and bool(placed) and placed[-1].role is None
            label = unit.label
            if label and label.kind == "response" and unit.depth and (marked == "comment" or after_title):
                unit, label = replace(unit, label=None), None  # a quoted comment that begins "Response:"
            if place.column and place.column < column and not label:
                state.role = None  # the number of a row, or a place in the paper
                placed.append(Placed(unit, None, state.reviewer))
                continue
            state.labelled = bool(label) or (state.labelled and marked is None)
            if state.collected and not place.ends:
                state.role = "response"
            elif place.asks:
                state.role, state.closed, opens = "comment", False, True
            elif label and label.kind == "response":
                if state.role == "response" and most is None and not reading.swapped:
                    _ask_again(self.places, placed)
                state.role = "response"
            elif label and not (
                place.ends or (marked == "response" and label.kind == "comment" and not label.reviewer)
            ):
                state.role, state.closed = "comment", False
                state.reviewer = label.reviewer or state.reviewer
                opens = True
            elif place.closing or (place.ends and (state.role != "comment" or reading.rest == "review")):
                state.role = None
                state.closed = state.closed or (self.named and reading.rest == "review")
            elif marked == "comment" and state.role == "response" and (place.cited or place.nested):
                pass  # the authors' own quotation
            elif marked is not None:
                front = state.closed and self.named and not (begun or unit.depth or place.voice <= -0.2)
                if marked == "response" or not front:
                    state.closed = state.closed and marked == "response"
                    opens = marked == "comment" and (
                        state.role != "comment"
                        or any(mark[:3] in ("in ", "by ") for mark in unit.begins & reading.comment)
                    )
                    state.role = marked
            elif reading.rest == "wording":
                state.role = _by_wording(place, state)
            elif reading.rest == "review":
                if place.connects:
                    state.role, state.silent = None, place.silent
                elif (not state.closed or (not begun and unit.list_mark and not greeted)) and not (
                    place.greeting and not begun and not self.named
                ):
                    before = placed[-1].unit if placed and state.role == "comment" else None
                    # Quotations from the paper precede the comment on them.
                    goes_on = before is not None and (unit.indent >= 2 or "in quotation marks" in before.marks)
                    opens = bool(unit.list_mark) or not goes_on
                    state.role = "comment"
            elif reading.comment and reading.response and unit.list_mark and not state.closed:
                state.role, opens = "comment", True  # list items outside of responses are comments
            elif reading.rest != "same":
                front = not begun and not self.named and (place.voice > 0 or place.greeting)
                if (
                    state.role == "response"
                    and state.labelled
                    and (place.goes_on or (state.listed and not unit.list_mark and place.voice > -0.02))
                ):
                    pass  # another paragraph of a response of which only the first is labelled
                elif state.role == "response" and (place.matter or (place.cited and place.quotation)):
                    pass  # the authors' own table or quotation
                elif not state.closed and not front and not (reading.rest == "response" and state.role is None):
                    state.role = reading.rest
                elif reading.rest == "response" and state.role is not None:
                    state.role = "response"
            begun = begun or state.role is not None
            if state.role == "comment":
                state.listed = "numbered" in unit.marks
            placed.append(Placed(unit, state.role, state.reviewer, opens, silent=state.silent))
        if most is None and reading.rest != "review":
            _complete(self.places, placed, begin=reading.rest == "response")
        if reading.swapped:
            return tuple(replace(p, role=OTHER[p.role] if p.role else None) for p in placed)
        return tuple(placed)


def _ask_again(places: "Sequence[_Place]", placed: Sequence[Placed]) -> None:
    """Makes a point of a list, in a reviewer's voice between two labelled responses, a comment: the second one answers
    it."""
    for at in range(len(placed) - 1, -1, -1):
        label = placed[at].unit.label
        if placed[at].role != "response" or (label and label.kind == "response"):
            return
        if placed[at].unit.list_mark and places[at].voice < 0:
            for one in placed[at:]:
                one.role = "comment"
            placed[at].opens = True
            return


def _complete(places: "Sequence[_Place]", placed: Sequence[Placed], *, begin: bool) -> None:
    """Gives roles to what a reading leaves out: titles and text within responses that have marks which only responses
    have, and text in a command or environment that only comments have; with ``begin``, also to unmarked text between a
    reviewer's name and the first marked comment."""
    ours = Counter(mark for p in placed if p.role == "response" for mark in p.unit.marks)
    theirs = Counter(mark for p in placed if p.role == "comment" for mark in p.unit.marks)
    own = {mark for mark, count in ours.items() if count > 2 and mark not in theirs}
    asked = {mark for mark, count in theirs.items() if count > 2 and mark not in ours and mark[:3] in ("in ", "by ")}
    role: Role | None = None
    begins = False
    for place, p in zip(places, placed, strict=True):
        if place.name or p.role:
            role, begins = p.role, begin and bool(place.name and not place.turns)
        elif place.unit.kind == "rule" or place.field or place.ends or place.turns:
            role = role if begins else None
        elif begins and not (place.title or place.connects):
            asks = place.voice < -0.2
            p.opens = asks and role != "comment"
            p.role = role = "comment" if asks else role and "response"
        elif place.unit.marks & asked and not place.title:
            p.opens, p.role, role = role != "comment", "comment", "comment"
        elif role and not begins:
            p.role = "response" if place.unit.marks & own else None
            role = p.role or (role if p.bridges else None)


def _recurring(places: "Sequence[_Place]") -> "Iterator[_Place]":
    """Yields short lines that occur once in the parts of several reviewers: titles of their form ("Basic
    reporting")."""
    found: dict[str, list[tuple[int, _Place]]] = {}
    part = 0
    for place in places:
        part += place.name is not None
        if place.heads:
            found.setdefault(place.heads, []).append((part, place))
    for same in found.values():
        if len(same) > 1 and len({part for part, _ in same}) == len(same):
            yield from (place for _, place in same)


def _ask(places: "Sequence[_Place]") -> None:
    """Marks labelled headings ("Q1: The choice of the lakes") as comments if authors' text follows them."""
    found = [
        (place, after)
        for place, after in pairwise(places)
        if place.unit.kind == "heading" and place.name is None and not after.title and not after.unit.label
        if place.unit.label and place.unit.label.kind == "comment" and place.unit.label.end < place.unit.end
    ]
    if len(found) > 2 and sum(after.voice for _, after in found) > 0.1 * len(found):
        for place, _ in found:
            place.title, place.asks, place.turns = False, True, None


def _collect(places: "Sequence[_Place]") -> None:
    """Marks titles of responses ("Our answers") below which every point of the list above is answered by its number."""
    heads = [*(at for at, place in enumerate(places) if place.name is not None or place.turns), len(places)]
    numbered = [at for at, place in enumerate(places) if place.unit.number]
    above = 0
    for at, place in enumerate(places):
        if above > 2 and (place.turns == "response" or place.bare):
            first, last = bisect_right(numbered, at), bisect_left(numbered, heads[bisect_right(heads, at)])
            below = numbered[first:last] if last - first == above else []
            place.collects = [places[n].unit.number for n in below] == [*range(1, above + 1)]
        above = 0 if place.name is not None or place.turns else above + bool(place.unit.list_mark)


def _close(places: "Sequence[_Place]") -> None:
    """Marks the end of the letter or of a reviewer's part: thanks, closing phrases and the names below them."""
    ends = [at for at, place in enumerate(places) if place.name is not None]
    for begin, end in pairwise((0, *ends, len(places))):
        at = end
        while at > begin and not places[at - 1].parting and places[at - 1].signs:
            at -= 1
        while at > begin and places[at - 1].parting:
            at -= 1
            for place in places[at:end]:
                place.ends = place.unit.kind == "text"


class _Place:
    """A paragraph with its voice and its function as a title."""

    def __init__(self, text: str, unit: Unit, *, alone: bool = False) -> None:
        self.unit = unit
        self._alone = alone
        self._content = text[unit.label.end if unit.label else unit.start : min(unit.end, unit.start + 1500)]
        bare = text[unit.start : unit.end].strip().strip("*_ #:")
        self.weight = min(1.0, (unit.end - unit.start) / 200)
        self.closing = unit.kind == "text" and bool(titles.CLOSING.fullmatch(bare))
        self.parting = self.closing or (unit.kind == "text" and bool(titles.PARTING.fullmatch(bare)))
        """It is a closing phrase, if only a name follows."""
        self.signs = unit.kind == "rule" or bool(titles.NAME.fullmatch(bare))
        self.greeting = bool(titles.GREETING.match(bare))
        self.field = unit.alone and bool(FIELD.match(bare))
        self.cited = self.after_label = self.nested = self.asks = self.collects = False
        self.ends = False
        self.silent = len(bare) <= 60 and asks_nothing(bare)
        self.locator = unit.kind != "rule" and not unit.label and bool(titles.WHERE.fullmatch(bare[:160]))
        self.words = bare
        self.quotation = bare[:1] in ('"', "“") and unit.kind == "text"
        self.column = column_of(unit.marks)
        self.matter = unit.kind == "code" or bare.startswith(("|", "$$"))
        """It is code, a table or a formula."""
        self.colours = tuple(mark for mark in unit.marks if mark.startswith("colour"))
        self.title = titles.is_title(text, unit, bare)
        self.name = reviewer_name(bare) if self.title else None
        self.part = self.title and bool(titles.PART_OF_REVIEW.fullmatch(bare))
        self.critical = self.part and asks_much(bare)
        self.level = unit.level or 9
        self.turns: Role | None = None
        label = unit.label
        said = unit.kind == "text" and not (unit.label or unit.list_mark or unit.depth or self.title)
        head = titles.HEADS.fullmatch(bare) and not self.locator and not self.voice
        self.heads = bare if said and (head or len(bare) > 100) else ""
        """Its text, if it may be a title of a form."""
        if self.title:
            kind = unit.label.kind if unit.label else ""
            if (
                titles.ANSWERING.match(bare)
                if self.name
                else (titles.REPLY_TITLE.fullmatch(bare) or kind == "response")
            ):
                self.turns = "response"
            elif self.name is None and (titles.COMMENT_TITLE.fullmatch(bare) or kind == "comment"):
                self.turns = "comment"
        self.bare = bool(label and label.kind == "response" and label.end >= unit.end)
        """It consists of the label of a response only."""
        self.answers = bool(
            label and label.kind == "response" and titles.SAYS_RESPONSE.search(text[unit.start : label.end])
        )
        """Its label announces a response, not only a change."""
        said_by = label.kind if label and label.kind in ("comment", "response") else ""
        self.turn = self.turns or said_by or ("comment" if self.name is not None else "")
        """Whose turn it is according to its title, label or name."""

    def entitle(self) -> None:
        """Marks it as the title of a column, which says nothing about the following paragraphs."""
        self.title = self.part = True
        self.bare = self.answers = False
        self.name = self.turns = None
        self.turn = ""

    @cached_property
    def voice(self) -> float:
        """Whose text it sounds like: see ``voice``."""
        return voice(self._content, alone=self._alone) if self.unit.kind != "rule" else 0.0

    @property
    def goes_on(self) -> bool:
        """Whether it can continue a response of which only the first paragraph, or a line, is labelled."""
        return (self.after_label or self.voice > 0.2) and not self.unit.list_mark

    @cached_property
    def connects(self) -> bool:
        """Whether it only leads over to what follows."""
        words = self._content.strip(" *-•\n")
        if len(words) > 160:
            return False
        corrects = bool(re.search("->|→|=>|–>", words))
        role, count = sentence_role(words), len(words.split())
        asks = count == 2 and not words[-1:].isalnum() and role in ASKING  # "Which seed?", "Unclear notation."
        short = count <= (4 if words[-1:].isalnum() else 2) and not (corrects or asks)
        return short or words.endswith(":") or role == "connective"


@dataclass(slots=True)
class _State:
    role: Role | None = None
    reviewer: str = ""
    closed: bool = False
    """Before the reviews or after them: in a section that belongs to no reviewer."""
    level: int = 9
    under: int = 9
    """The level of the heading above the last comment."""
    silent: bool = False
    labelled: bool = False
    """The paragraphs since the last label have no marks."""
    listed: bool = False
    """The last comment is a numbered point."""
    collected: bool = False
    """In the answers to all points above."""


def _enter(place: _Place, state: _State) -> None:
    """Updates the state at a title: whose part begins, or whose turn it is."""
    state.silent = place.silent
    if place.name and place.turns and state.role == "comment" and place.name == state.reviewer:
        state.role = "response"
    elif place.name is not None:
        # "Reviewer's comment" below "Reviewer 1" names nobody else.
        same = place.name in ("Reviewer", "Referee") and state.reviewer.startswith(("Reviewer ", "Referee "))
        state.reviewer, state.role, state.closed = state.reviewer if same else place.name, None, False
        state.level = state.under = place.level
    elif place.turns == "response":
        state.role = "response"
    elif place.turns == "comment":
        label = place.unit.label
        state.role, state.closed = "comment", False
        state.reviewer = (label.reviewer if label else "") or state.reviewer
    elif place.part:
        state.role, state.closed = None, state.closed and not place.critical
    elif place.ends:
        state.role, state.closed = None, True
    elif place.unit.kind == "heading":
        # Below a name in plain text, underlined titles belong to the reviewer's text.
        limit = state.level if state.level < 9 else int(place.unit.outer < place.unit.start)
        if state.role != "response" or place.level <= state.under:
            state.role, state.under = None, place.level  # deeper headings divide the response
        state.closed = state.closed or (bool(state.reviewer) and place.level <= limit)
    else:
        state.role = None if state.role == "comment" else state.role


def _by_wording(place: _Place, state: _State) -> Role | None:
    unit = place.unit
    if state.role is None:
        return None if state.closed or place.voice > (0.6 if state.reviewer not in ("", "Editor") else 0) else "comment"
    if state.role == "comment":
        return "response" if place.voice > 0.2 else "comment"
    if place.voice < -0.2 or (not place.nested and unit.list_mark.strip("(")[:1].isdigit() and place.voice <= 0):
        return "comment"
    return "response"
