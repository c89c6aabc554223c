"""A clause of a statement about a table: determines which cells its mentions refer to."""

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from engine.documents.numbers import find_quantities
from engine.statements.grids import Entry, Layout
from engine.statements.measures import better_values
from engine.statements.quantities import conversion, other_unit, same_number, unit_of
from engine.statements.table_mentions import Mention
from engine.statements.table_phrases import (
    ABOUT,
    AGENT,
    ALIKE,
    ALL,
    AMOUNT,
    LIST,
    MEASURED,
    MOSTLY,
    NEGATED,
    NOT,
    NTH,
    PLACE,
    ROLES,
    ROWS,
    SECOND,
    VAGUE,
    Direction,
    Role,
    comparison_in,
    extreme_in,
    forms_of,
    has_word,
    label_words,
    ways_in,
)
from engine.statements.table_words import Reading

Kind = Literal["superlative", "comparison", "difference", "count", "range", "trend", "bound", "value"]
MOST, LEAST = 0.8, 0.2
"""For a statement that doesn't quantify: the share of compared cells from which it holds, and up to which it
doesn't."""


@dataclass(frozen=True, slots=True)
class Finding:
    """The result from the cells: ``holds`` is None if undecided, ``used`` are the numbers accounted for."""

    kind: Kind
    holds: bool | None
    entries: tuple[Entry, ...] = ()
    why: str = ""
    used: frozenset[int] = frozenset()


_DOWN = re.compile(
    r"\b(?:decreas|drop|declin|los[ets]|reduc|fall|fell|lower|worse|negativ|minus|below|less|shrink|shrank|down|degrad"
    r"|difference|gap|chang)",
    re.IGNORECASE,
)
"""With such words a cell of -2 may be stated as 2."""


_TIME = r"\b(?:run)?times?\b|latency|duration|length|speed|throughput|\bfps\b"
_LASTS = re.compile("fast|slow|long|short|quick")
_EFFORT = re.compile(rf"{_TIME}|memory|\bparam|\bflops|\bcosts?\b", re.IGNORECASE)
"""Measures of effort rather than of quality."""


def _meant(layout: Layout, reading: Reading) -> Layout:
    """Returns the table without its measures of effort if a clause says what is better and names none of them, and with
    only those of time if it says what is faster."""
    said = [w for w in (comparison_in(reading.text), extreme_in(reading.text)) if w]
    fast = any(_LASTS.match(w[1][0]) for w in said) or bool(
        re.search(r"\bas (?:long|fast|slow|quick) as\b", reading.text)
    )
    if not (fast or any(w[0] in ("better", "worse") for w in said)) or any(
        _EFFORT.search(x) for m in reading.mentions for x in m.labels
    ):
        return layout
    words = re.compile(_TIME, re.IGNORECASE) if fast else _EFFORT
    labels = {x for d in layout.dimensions for x in layout.labels(d)}
    those = {
        x for x in labels if words.search(" ".join((x, *(w for form in forms_of(x, layout.caption) for w in form))))
    }
    kept = tuple(e for e in layout.entries if fast != those.isdisjoint(e.labels))
    return replace(layout, entries=kept, _labels={}) if 0 < len(kept) < len(layout.entries) else layout


def _in_percent(layout: Layout, reading: Reading) -> Layout:
    """Returns the table with the percentages in brackets ("120 (4.2%)") as its numbers if a clause is about shares."""
    if not (_SHARE.search(reading.text) or (reading.numbers and all(q.percent for q in reading.numbers))):
        return layout
    shares = []
    for e in layout.entries:
        beside = find_quantities(e.quantity.text)[1:]
        if len(beside) == 1 and beside[0].percent and not e.quantity.percent:
            own = replace(e.quantity, value=beside[0].value, decimals=beside[0].decimals, percent=True)
            shares.append(replace(e, quantity=own, unit=""))
    entries = (*shares, *(e for e in layout.entries if e.quantity.percent))
    return replace(layout, entries=entries, _labels={}) if shares else layout


_SHARE = re.compile(r"\b(?:shares?|proportions?|percentages?|fractions?)\b")
_STORED = re.compile(r"\b(?:RAM|memory|disk|storage|file|size|bytes?|[kMGT]i?B?|footprint)\b", re.IGNORECASE)
_PERCENT = re.compile(r"(?<!\d(?:st|nd|rd|th) )(?<!\d(?:st|nd|rd|th))%|\bper ?cent(?:age)?s?\b", re.IGNORECASE)
_NARROWED = re.compile(
    r"\b(?:(?:all|every|each|none|no|any|both)\b(?: \w+){0,3} (?:with|without|that|which|whose|having)|among)\b"
    r"(?P<by>(?: \w+){1,5})"
)
"""Restricts a statement to some rows by a word that the table may lack: "all stores with compaction"."""
_FOR_WHOM = re.compile(r" (?:for|in|at|on|with|under|when using)(?: [a-z]+){0,3}? (?=M\d)")
_IS = re.compile(rf"\b(?:is|are|was|were)(?: \w+ly)?(?: the)?(?P<nth> (?:{'|'.join(NTH[2:])}))? $")


class Clause:
    """A clause read in terms of a table, with the cells that it refers to."""

    def __init__(self, layout: Layout, reading: Reading) -> None:
        self.layout, self.reading = _in_percent(_meant(layout, reading), reading), reading
        self.text, self.numbers = reading.text, reading.numbers
        self.mentions = [
            m
            for n, m in enumerate(reading.mentions)
            if (found := re.search(rf"\bM{n}\b", self.text)) and not ALIKE.search(self.text[: found.start()])
        ]

    # --- words ---

    def place(self, mention: Mention) -> int:
        return self._at(f"M{self.reading.mentions.index(mention)}")

    def at(self, number: int) -> int:
        return self._at(f"N{number}")

    def _at(self, word: str) -> int:
        found = re.search(rf"\b{word}\b", self.text)
        return found.start() if found else 0

    def listed(self, start: int) -> list[Mention]:
        """Returns the mentions of the list that begins at a position, as far as they belong to one dimension."""
        match = re.compile(LIST).match(self.text, start)
        found = [self.reading.mentions[int(n)] for n in re.findall(r"M(\d+)", match[0])] if match else []
        return [m for m in found if m.dimension == found[0].dimension]

    def negated(self, before: int | None = None) -> bool:
        """Returns whether the words before a position contain "not"; without a position, whether the clause does."""
        if before is None:
            return bool(NOT.search(self.text))
        return bool(NEGATED.search(self.text[:before]))

    def unknown_after(self, match: re.Match[str]) -> bool:
        """Returns whether the word for the compared measure is in no label."""
        said = re.match(r" ([a-z]+)\b", self.text[match.end() :])
        measure = re.search(r"\b(?:in|in terms of|with respect to|regarding) ([a-z]+) ?[.,;]?$", self.text)
        return bool({found[1] for found in (said, measure) if found} & {word.lower() for word in self.reading.unknown})

    def vague(self) -> bool:
        narrowed = _NARROWED.search(self.text)
        unknown = {word.lower() for word in self.reading.unknown}
        return bool(VAGUE.search(self.text) or (narrowed and unknown.intersection(narrowed["by"].split())))

    def role(self, number: int) -> Role:
        if self.numbers[number].text[:1] in "+-−–" and comparison_in(self.text):
            return "difference"
        said = self.numbers[number]
        named, whole = rf"\bN{number}\b", said.decimals <= 0 and not said.percent
        roles = (role for role, words in ROLES if re.search(words.replace("NUM", named), self.text))
        return next((role for role in roles if role != "count" or whole), "value")

    def about(self, number: int) -> bool:
        """Returns whether a number is stated as rounded."""
        return bool(
            re.search(rf"(?:{ABOUT}) (?:\w+ )?N{number}\b|^\W*rounded ,|\bN{number}\b[^N]{{0,25}}\bround", self.text)
        )

    def says(self, number: int, entry: Entry) -> bool | None:
        """Returns whether a number, exact or "about", is that of a cell. None if the cell is too coarse to tell, or
        negative without a word for that in the clause: a minus is easily lost, and "a loss of 2" has none."""
        said = self.numbers[number]
        share = abs(entry.value) > 100 and not entry.quantity.percent and re.search(rf"\bN{number} of\b", self.text)
        if (said.percent and share) or self.elsewhere_in_percent(number, entry):
            return None
        same = same_number(
            said, self.reading.units[number], entry.quantity, entry.unit, shares=entry.shares, near=self.about(number)
        )
        if (
            same is False and (said.decimals <= -6 or said.decimals == -3) and not entry.unit
        ):  # "70 billion" for 70 in a column of billions
            scale = -said.decimals // 3 * 3
            alone = replace(said, value=said.value / 10**scale, decimals=said.decimals + scale)
            words = " ".join((self.layout.caption, *entry.labels))
            scaled = re.search(r"\b(?:in |\()?(?:thousands?|millions?|billions?|[kKMB])\b", words)
            if same_number(alone, "", entry.quantity, "", shares=False, near=self.about(number)):
                return True if scaled else None
        if same is False and said.percent and any(re.search(r"(?<!th )%\W*$", x) for x in entry.labels):
            plain = replace(said, percent=False)  # "0.76 percent" for 0.76 below "Top-10%" may be meant
            return None if same_number(plain, "", entry.quantity, "", shares=False, near=self.about(number)) else False
        beside = {q.value for q in find_quantities(entry.quantity.text)} - {entry.quantity.value}
        if same is False and said.value in beside:
            return None  # the spread or the count next to the number
        if same and not entry.unit and other_unit(self.reading.units[number], (self.layout.caption, *entry.labels)):
            return None  # "3.8 months" if the caption says years
        bare = said.percent and not entry.quantity.percent and abs(entry.value) <= 1 and not entry.shares
        if same and bare and not _PERCENT.search(" ".join((self.layout.caption, *entry.labels))):
            return None  # "0.7 %" for 0.7
        stored = self.reading.units[number] in ("kB", "MB", "GB", "TB") or re.search(
            rf"\bN{number} [kmg]bp?\b", self.text
        )
        named = not stored or entry.unit or _STORED.search(" ".join((self.layout.caption, *entry.labels)))
        if same is not None and not named:
            return None  # "4.55 Mb" may be megabases
        unsigned = entry.quantity.value < 0 < said.value and not _DOWN.search(self.text)
        spread = {q.value for q in find_quantities(said.text)[1:]}
        return None if same and (unsigned or spread - beside) else same

    def elsewhere_in_percent(self, number: int, entry: Entry) -> bool:
        """Returns whether a percentage is compared with a count next to a column (or row) of percentages."""
        labels = {x for d in self.layout.dimensions for x in self.layout.labels(d) if _PERCENT.search(x)}
        percent = entry.quantity.percent or not labels.isdisjoint(entry.labels)
        return self.numbers[number].percent and bool(labels) and not percent and abs(entry.value) > 1

    def converted(self, number: int, entry: Entry) -> float | None:
        """Returns a number in the unit of a cell; None if they measure different things."""
        unit = self.reading.units[number]
        other = not entry.unit and other_unit(unit, (self.layout.caption, *entry.labels))
        if other or self.elsewhere_in_percent(number, entry):
            return None
        factor = conversion(unit, entry.unit)
        return None if factor is None else factor * self.numbers[number].value

    # --- cells ---

    def elsewhere(self, number: int, entry: Entry) -> bool:
        """Returns whether a number is a time, and nothing says that the cell is one: "0.8 s" isn't an accuracy."""
        unit, texts = self.reading.units[number], (self.layout.caption, *entry.labels)
        if entry.unit or not unit or "/" in unit or conversion(unit, "s") is None:
            return False
        words = {word for text in texts for word in re.findall(r"[^\W\d_]+", text)}
        times = any(unit_of(w) or unit_of(w.lower()) for w in words)
        return not times and not any(
            has_word(label_words(x), w) for x in texts for w in MEASURED.get(unit, "time").split()
        )

    def measured(self, number: int, cells: Sequence[Entry]) -> tuple[Entry, ...]:
        """Returns those of several cells in the number's unit, if it has one, otherwise those of what it measures:
        "with A it took 5 s"."""
        unit = self.reading.units[number]
        own = tuple(e for e in cells if unit and e.unit and conversion(unit, e.unit) is not None)
        own = own or tuple(e for e in cells if self.numbers[number].percent and e.quantity.percent)
        words = MEASURED.get(unit, "").split()
        own = own or tuple(e for e in cells if any(has_word(label_words(x), w) for x in e.labels for w in words))
        return own if own and len(cells) > 1 else tuple(cells)

    def where(self, *chosen: Mention) -> tuple[Entry, ...]:
        """Returns the numbers that some mentions select: those of one dimension are alternatives unless they
        overlap."""
        wanted: dict[int, list[frozenset[str]]] = defaultdict(list)
        for mention in chosen:
            groups = wanted[mention.dimension]
            for n, group in enumerate(groups):
                if group & mention.labels:
                    groups[n] = group & mention.labels
                    break
            else:
                groups.append(mention.labels)
        sets = {d: frozenset[str]().union(*groups) for d, groups in wanted.items()}
        return tuple(e for e in self.layout.entries if all(e.labels[d] in labels for d, labels in sets.items()))

    def context(self, entry: Entry, dimension: int, loose: bool = False) -> tuple[object, ...]:
        """Returns what two numbers that differ in one dimension must share; ``loose`` ignores the other label columns,
        and labels unique to each row ignore the columns after them."""
        rows = self.layout.rows
        if dimension < rows - 2 and self.layout.one_each(dimension):
            rows, entry = dimension + 1, replace(entry, labels=entry.labels[: dimension + 1])
        other, own = (entry.column, range(rows)) if dimension < rows else (entry.row, range(rows, len(entry.labels)))
        return (other, *(() if loose else (entry.labels[d] for d in own if d != dimension)))

    def sign(self, entry: Entry, direction: Direction) -> int | None:
        """Returns 1 if larger values are further in a direction, -1 if smaller ones are, None if unknown."""
        if direction in ("more", "less"):
            return 1 if direction == "more" else -1
        forms = (" ".join(form) for label in entry.labels for form in forms_of(label, self.layout.caption))
        said = re.findall(r"\bM\d+ ([a-z]+)", self.text)
        if _SPREAD.search(self.text):
            return None  # "the coefficient of variation for precision"
        better = self.layout.better_in(entry) or better_values(*forms, *said)
        if better is None:
            return None
        return 1 if (better == "higher") == (direction == "better") else -1

    def further(self, a: Entry, b: Entry, direction: Direction) -> bool | None:
        """Returns whether one cell is further in a direction than another."""
        sign = self.sign(a, direction)
        return None if sign is None else sign * (a.value - b.value) > 0

    def sides(self) -> tuple[list[Mention], list[Mention]] | None:
        """Returns what is compared, and what it is compared with."""
        if ratio := re.search(r"\bratio\b.*?\bM(\d+)\b.*? and (?:that|those) of(?: the)? M(\d+)", self.text):
            two = [self.reading.mentions[int(ratio[n])] for n in (1, 2)]
            if two[0].dimension != two[1].dimension:
                same = [m for m in self.mentions if m.dimension == two[1].dimension and m is not two[1]]
                two[:1] = same[:1]
            return (two[:1], two[1:]) if len(two) == 2 else None
        marker = SECOND.search(self.text)
        if marker is None:
            return None
        second = self.listed(marker.end())
        if owned := re.compile(r"M\d+ (?:(?:of|for|by|with)(?: the)? )?(?=M\d)").match(self.text, marker.end()):
            # "the F1 of A is higher than the F1 of B", "the mean depth exceeds the mean height"
            owners = self.listed(owned.end())
            other = [m for m in self.mentions if m.dimension == owners[0].dimension and self.place(m) < marker.start()]
            second = owners if other and not any(m.labels & owners[0].labels for m in other) else second
        if marker[0].startswith("between"):
            if len(second) == 2 and re.search(rf"{AMOUNT}|ratio", self.text):
                return second[:1], second[1:]
            return None
        first = [m for m in self.mentions if m.dimension == second[0].dimension and m not in second]
        first = [m for m in first if m.exact or not any(m.labels > other.labels for other in self.mentions)]
        behind = marker[0].startswith(("fold", "times")) or not re.search(r"\bM\d", self.text[: marker.start()])
        first = [m for m in first if self.place(m) < marker.start()] or (first if behind else [])
        if not first or any(a.labels & b.labels for a in first for b in second):
            return None
        return first, second

    def pairs(self, first: Sequence[Mention], second: Sequence[Mention]) -> list[tuple[Entry, Entry]]:
        """Returns pairs of cells of two sides that differ in nothing else, within the selection of the other
        mentions."""
        dimension = first[0].dimension
        rest = [m for m in self.mentions if m.dimension != dimension]
        # "A trained on X ... than B trained on Y": attributes of each side.
        middle = max(self.place(m) for m in first) if self.place(first[0]) < self.place(second[0]) else 0
        edge = self.place(second[0])
        led = {m.start: side for m in rest for side in (first, second) if self._of(m, side)}  # "X of A ... Y of B"
        after = [m for m in rest if (self.place(m) > edge and m.start not in led) or led.get(m.start) is second]
        before = [m for m in rest if m not in after and (middle < self.place(m) < edge or m.start in led)]
        twice = {m.dimension for m in before} & {m.dimension for m in after}
        own_axis = dimension < self.layout.rows
        loose_ = {m.dimension for m in (*before, *after) if m.start not in led}
        twice = {d for d in twice if (d < self.layout.rows) == own_axis or d not in loose_}
        own = [m for m in before if m.dimension in twice], [m for m in after if m.dimension in twice]
        rest = [m for m in rest if m.dimension not in twice]
        crossed = {d < self.layout.rows for d in twice} - {own_axis}
        for loose in (False, True) if not twice else (True,):
            right = defaultdict(list)
            for entry in self.where(*second, *own[1], *rest):
                right[() if crossed else self.context(entry, dimension, loose)].append(entry)
            left = self.where(*first, *own[0], *rest)
            found = [
                (a, b) for a in left for b in right[() if crossed else self.context(a, dimension, loose)] if a != b
            ]
            if found:
                return found
        return []

    def _of(self, mention: Mention, side: Sequence[Mention]) -> bool:
        """Returns whether a mention is directly before or after one of a side: "the F1 of A", "A on the test set"."""
        at, own = self.place(mention), "|".join(f"M{self.reading.mentions.index(m)}" for m in side)
        behind = re.search(rf"\b(?:{own}) (?:on|in|at|under|with)(?: the)? $", self.text[:at])
        return bool(behind or re.match(rf"M\d+ (?:of|for|by) (?:{own})\b", self.text[at:]))

    def apart(self, mention: Mention) -> bool:
        """Returns whether a preposition marks a mention as a location."""
        same = [m for m in self.reading.mentions if m.dimension == mention.dimension and m.labels == mention.labels]
        before = [re.sub(r"M\d+ [(/] $", "", self.text[: self.place(m)]) for m in same]  # "in M0 ( M1 )"
        return any(map(PLACE.search, before))

    def whom(self, match: re.Match[str]) -> list[Mention]:
        """Returns what follows a superlative in a predicate: "the error is lowest for A"."""
        found, is_ = _FOR_WHOM.match(self.text, match.end()), _IS.search(self.text[: match.start()])
        sure = found and is_ and (not is_["nth"] or found[0].startswith(" for"))
        return self.listed(found.end()) if found and sure else []

    def subject(self, match: re.Match[str]) -> list[Mention] | None:
        """Returns what is called the best: what follows "by" or "that of"; otherwise the mentions without a
        preposition, except the measure after the superlative."""
        before = self.text[: match.start()]
        owner = re.search(
            r"\bM\d+(?: [a-z]+){0,2} (?:of|for)(?: (?!of|for)[a-z]+){0,4} M(\d+) (?:is|was|are|were)\b", before
        )
        measure = re.compile(r"(?: [a-z%-]+){0,2}((?: M\d+)+)").match(self.text, match.end())
        verb = r"\b(?:is|are|was|were|by|has|have|of|for|in|on|among)\b"
        skipped = (
            {int(n) for n in re.findall(r"M(\d+)", measure[1])} if measure and not re.search(verb, measure[0]) else {}
        )
        if ROWS.search(self.text):
            own = [m for m in self.mentions if (m.dimension < self.layout.rows) == ("column" not in self.text)]
            own = [m for m in own if self.reading.mentions.index(m) not in skipped]
            own = [m for m in own if m.dimension != self.layout.rows - 2] or own  # the section is where, not what
            return [m for m in own if m.dimension == own[0].dimension] if own else None
        if owner is not None:
            return [self.reading.mentions[int(owner[1])]]
        if before.endswith(
            (" its ", " their ", " its own ", " their own ", " ' s ", " s ' ")
        ):  # the best of its own values, not of all rows
            across = [m for m in self.mentions if self.place(m) > match.start() and self.apart(m)]
            return across[:1] or None
        measures = [m for m in self.mentions if self.place(m) < match.start() and not self.apart(m)]
        rows, extreme = self.layout.rows, extreme_in(match[0])
        whom = self.whom(match) if extreme is None or extreme[0] in ("more", "less") else []
        row_named = any(m.dimension < rows for m in self.mentions)  # "for A, the M is highest under B"
        if (
            whom
            and measures
            and all(
                (m.dimension < rows) != (whom[0].dimension < rows)
                or (row_named and rows <= whom[0].dimension != m.dimension)
                for m in measures
            )
        ):
            return whom
        agent = AGENT.search(self.text, match.end())
        if agent is not None:
            return self.listed(agent.end())
        narrow = [m for m in self.mentions if not any(m.labels > other.labels for other in self.mentions)]
        narrow = [m for m in narrow if self.reading.mentions.index(m) not in skipped]
        chosen = [m for m in narrow if not self.apart(m)]
        if where := re.match(r"\W*(?:with|using|under|after|in)(?: only)? M(\d+) ,", self.text):
            chosen = [m for m in chosen if m is not self.reading.mentions[int(where[1])]] or chosen
        if not chosen and len(narrow) < len(self.mentions):  # "the M of A is the highest"
            chosen = [m for m in narrow if self.place(m) < match.start()]
        chosen.sort(key=self.place)  # mentions are numbered as before the statement was put in other words
        return [m for m in chosen if m.dimension == chosen[0].dimension] or None

    def verdict(self, results: Sequence[bool | None], negated: bool) -> bool | None:
        """Returns whether the clause holds, given whether each case does (None: unknown)."""
        if not results or None in results or self.vague() or (not negated and NOT.search(self.text)):
            return None
        if self.reading.names or len(ways_in(self.text)) > 1:
            return None
        most, least = MOST, LEAST
        if MOSTLY.search(self.text):
            most, least = 0.6, 0.4
        elif ALL.search(self.text) and not negated:
            most, least = 1.0, 0.999
        share = sum(bool(r) for r in results) / len(results)
        return not negated if share >= most else negated if share <= least else None


_SPREAD = re.compile(r"\b(?:variation|deviation|variance)\b")


def named(entry: Entry) -> str:
    labels = " / ".join(dict.fromkeys(label for label in entry.labels if label))
    return f"{entry.quantity.text.strip()} for {labels}"
