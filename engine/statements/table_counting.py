"""Rules for statements with numbers: values, bounds, ranges, counts."""

import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise
from statistics import median

from engine.statements.grids import Entry
from engine.statements.quantities import quantities_in
from engine.statements.table_cells import Clause, Finding, named
from engine.statements.table_comparing import is_beside, ranks
from engine.statements.table_mentions import Mention
from engine.statements.table_parts import only
from engine.statements.table_phrases import (
    ABOUT,
    ALL,
    AMOUNT,
    BOUNDS,
    CHANGES,
    COUNT,
    COUNTED,
    LIST,
    MOSTLY,
    ROWS,
    VALUES_FROM_TO,
    comparison_in,
    extreme_in,
    label_words,
)

_Test = Callable[[Entry], bool | None]
"""Returns whether a cell passes; None if its unit can't be compared."""

# --- numbers ----------------------------------------------------------------------------------------------------------


def value(clause: Clause) -> Finding | None:
    """ "A has 71.2 on M": each number belongs to one cell."""
    used = frozenset(range(len(clause.numbers)))
    averaged, count_ = _AVERAGED.search(clause.text), _OVER.search(clause.text)
    rows = _counted(clause, count_["count"]) if averaged and count_ else None
    if rows is not None and count_:
        text = f"{clause.text[: count_.start()]} {clause.text[count_.end() :]}"
        clause = Clause(clause.layout, only(clause.reading, text))
    if (of := _OF_TOTAL.search(clause.text)) and len(clause.numbers) == 2 and _is_whole(clause, 1):
        clause = Clause(clause.layout, only(clause.reading, f"{clause.text[: of.start()]}{clause.text[of.end() :]}"))
    numbers = clause.numbers
    roles = {clause.role(n) for n in range(len(numbers))}
    if not numbers or not roles <= {"value", "count"} or ("count" in roles and count(clause) is not None):
        return None
    groups: dict[int, list[Mention]] = defaultdict(list)
    for mention in clause.mentions:
        groups[mention.dimension].append(mention)
    if len(numbers) == 1:
        whole = re.search(r"\bN0 of(?: the| all)? M(\d+)", clause.text) if numbers[0].percent else None
        groups = {
            d: [
                m
                for m in _without_parts(g)
                if not (whole and len(g) > 1 and m is clause.reading.mentions[int(whole[1])])
            ]
            for d, g in groups.items()
        }
    cells = [clause.where(*_belonging(clause, n, groups)) for n in range(len(numbers))]
    clear = all(
        len(g) in (1, len(numbers)) or all(a.labels & b.labels for a, b in pairwise(g)) for g in groups.values()
    ) and (len(numbers) == 1 or any(len(g) == len(numbers) for g in groups.values()))
    if not all(cells):
        return None
    cells = [clause.measured(n, found) for n, found in enumerate(cells)]
    meant = clause.measured(0, clause.where(*clause.mentions))
    single = len(meant) == 1 and re.search(r"\bon average\b", clause.text)
    if averaged and not single and (len(meant) > 1 or not _AVERAGED.search(_words_of(clause, meant))):
        found = (
            _averaged(clause, meant, rows, total=averaged["total"] is not None) if len(cells) == 1 and meant else None
        )
        return found and replace(found, used=used)
    same = [[e for e in found if clause.says(n, e)] for n, found in enumerate(cells)]
    end = _ENDING.search(clause.text) if len(numbers) == 1 else None
    changes = VALUES_FROM_TO.search(clause.text) is None and not end and _APART.search(clause.text)
    way = None if end else comparison_in(clause.text)
    moved = bool(way and VALUES_FROM_TO.search(clause.text))  # whether the direction fits is for ``changed``
    if changes or MOSTLY.search(clause.text) or extreme_in(clause.text) or (way and (all(same) or not moved)):
        return Finding("value", None, tuple(e for found in same for e in found[:1]))
    if other := next((e for e in _each(clause, groups) if not clause.says(0, e)), None):
        holds = False if _BOTH.search(clause.text) and clause.says(0, other) is False else None
        return Finding("value", holds, (other,), instead(clause, 0, other), used)
    alone = _alone(clause)
    if all(same):
        right = tuple(found[0] for found in same)
        # A whole or rounded number may be in one of many cells by chance.
        several = any(len(found) > 1 for found in cells) and alone is None
        each = all(len(found) == len(numbers) for found in cells) and len({*right}) == len(numbers) > 1
        several = several and not each  # "from 12 to 30" for a row with these two
        chance = several and (
            bool(clause.reading.unknown)
            or any(n.decimals <= 0 and abs(n.value) < _ROUND for n in numbers)
            or any(n.decimals < e.quantity.decimals for n, e in zip(numbers, right, strict=True))
        )
        negated = clause.negated(clause.at(0))
        chance = chance or (
            bool(clause.reading.beside) and len({m.dimension < clause.layout.rows for m in clause.mentions}) < 2
        )
        holds = None if chance or clause.vague() or clause.negated() != negated else not negated
        if end and (to := comparison_in(clause.text)):  # among the others, it is on the side that it goes to
            line = [e for e in clause.layout.entries if e.column == right[0].column]
            other = replace(right[0], quantity=replace(right[0].quantity, value=median(e.quantity.value for e in line)))
            holds = holds if clause.further(right[0], other, to[0]) else None
        return Finding("value", holds, right, f"The table has {named(right[0])}.", used)
    n = next(n for n, found in enumerate(same) if not found)
    one = all(len(found) == 1 for found in cells)
    row = all(len(f) == 1 or (numbers[k].decimals > 0 and len({e.row for e in f}) == 1) for k, f in enumerate(cells))
    axes = {m.dimension < clause.layout.rows for m in clause.mentions}
    complete = all(m.exact for m in clause.mentions)
    if moved:  # one of the two numbers must be there, otherwise another line may be meant
        clear, one, row = (clear or row) and complete and any(same), one and complete, row and complete
        lines = {e.column for found in same for e in found}
        clear = clear and not any(clause.says(n, e) for e in clause.layout.entries if e.column in lines)
    exact = complete and len(axes) == 2 and len(numbers) == 1
    certain = (one and exact and not clause.reading.names) or ((one or row) and not clause.reading.unknown)
    if any(same) and len({e for found in cells for e in found}) == 1:
        certain = False  # two numbers, but only one of their cells is named
    if one and len(cells) == 2 and clause.says(0, cells[1][0]) and clause.says(1, cells[0][0]):
        certain = True  # each is the number of the other
    certain = certain and all(clause.says(n, e) is False and not clause.elsewhere(n, e) for e in cells[n])
    if not complete and len(numbers) == 1:  # part of a name may mean the cell beside it that has the number
        lines = {e.row for e in cells[n]} if len(axes) == 2 else set()
        certain = certain and not any(clause.says(n, e) for e in clause.layout.entries if e.row in lines)
    if alone is not None and not certain:  # the number of another row or column
        wrong = [m for m in clause.mentions if alone.labels[m.dimension] not in m.labels]
        certain = complete and len(wrong) == 1 < len(clause.mentions) and len(groups[wrong[0].dimension]) == 1
    denied = clause.negated(clause.at(n))
    certain = certain and clear and denied == clause.negated()  # "whether or not it is said" doesn't deny the number
    holds = denied if certain and not clause.vague() else None
    return Finding("value", holds, cells[n][:4], instead(clause, n, cells[n][0]), used)


def _is_whole(clause: Clause, n: int) -> bool:
    """Returns whether a number is the sum or the total of the column or row that a clause names, or in the caption."""
    cells, said = clause.where(*clause.mentions), clause.numbers[n].value
    lines = [
        [e for e in clause.layout.entries if getattr(e, axis) == getattr(cell, axis)]
        for cell in cells[:1]
        for axis in ("row", "column")
    ]
    total = (e for line in lines for e in line if is_total(clause, e, 0) or is_total(clause, e, clause.layout.rows))
    given = any(q.value == said for q, _ in quantities_in(clause.layout.caption))
    return given or any(sum(e.value for e in line) == said for line in lines) or any(clause.says(n, e) for e in total)


def _alone(clause: Clause) -> Entry | None:
    """Returns the only cell of the table with the number that a clause states, if it is no round number."""
    said = clause.numbers[0]
    if len(clause.numbers) > 1 or said.decimals < 1 or sum(map(str.isdigit, said.text.lstrip("0."))) < 3:
        return None
    found = [e for e in clause.layout.entries if clause.says(0, e) is not False]
    return found[0] if len(found) == 1 else None


_ENDING = re.compile(rf"{CHANGES.pattern} (?:[a-z]+ ){{0,2}}to (?:(?:only|just|{ABOUT}) )?N0\b")
_OF_TOTAL = re.compile(r"(?<=\bN0) (?:out )?of (?:the |all |its |their )*N1\b")
_BOTH = re.compile(r"\b(?:both|tied?|equal(?:ly)?|identical|alike|the same|each)\b")


def _each(clause: Clause, groups: dict[int, list[Mention]]) -> list[Entry]:
    """Returns the cells of all that one number is stated for ("A and B are tied at 71.2"), if each has one."""
    listed = [g for g in groups.values() if len(g) > 1 and len(clause.listed(clause.place(g[0]))) == len(g)]
    if len(clause.numbers) > 1 or len(listed) != 1 or not all(m.exact for m in listed[0]):
        return []
    rest = [m for m in clause.mentions if m.dimension != listed[0][0].dimension]
    cells = [clause.where(m, *rest) for m in listed[0]]
    return [found[0] for found in cells] if all(len(found) == 1 for found in cells) else []


_APART = re.compile(rf"{CHANGES.pattern}|\b{AMOUNT}\b|\b(?:(?<!M\d )ratio(?! M\d)|relative|ahead|behind)\b")
"""Words that relate a number to two cells, not one."""
_ROUND = 1000
"""A smaller whole number may be in a table by chance."""


def _without_parts(group: list[Mention]) -> list[Mention]:
    """Removes mentions whose label is part of another's: "with wikilists, precision on Szeged NER"."""
    words = [{*label_words(*m.labels)} for m in group if len(m.labels) == 1]
    return [m for m in group if len(m.labels) > 1 or not any({*label_words(*m.labels)} < other for other in words)]


_AVERAGED = re.compile(
    r"\b(?:averag(?:e[ds]?|ing)|avg|mean(?! (?:squared?|absolute|average|reciprocal|iou))|median"
    r"|(?P<total>total|sum|together|combined|altogether|all in all|in all|add(?:s|ed)? up))\b"
)
"""Words about several cells at once, if no label contains them."""


def _words_of(clause: Clause, cells: Sequence[Entry]) -> str:
    return " ".join((clause.layout.caption, *(x for e in cells for x in e.labels))).lower()


_OVER = re.compile(
    rf"\b(?:over|across|of) (?:the |all )*(?P<count>N\d+|{'|'.join(COUNTED[2:])}) (?:[a-z]+ )?[a-z]{{3,}}s\b(?: ,)?"
)
"""How many cells are averaged."""


def _averaged(clause: Clause, cells: Sequence[Entry], rows: int | None, *, total: bool) -> Finding:
    """Checks a number for several cells as their average or sum; it is wrong only if these are as many as it says, or
    all of a named group."""
    one_line = len({e.column for e in cells}) == 1 or len({e.row for e in cells}) == 1
    found = sum(e.quantity.value for e in cells) / (1 if total else len(cells))
    said = clause.numbers[0]
    same = clause.converted(0, cells[0]) == said.value and len({(e.unit, e.quantity.percent) for e in cells}) == 1
    off = abs(found - said.value)
    all_ = one_line and len(cells) > 1 and same and not clause.reading.names and rows in (None, len(cells))
    holds = True if all_ and off <= 0.5 * 10.0**-said.decimals + 1e-9 else None
    column = [e for e in clause.layout.entries if e.column == cells[0].column]
    whole = len(column) == len(cells) and clause.layout.one_each(0) and not any(is_beside(clause, e, 0) for e in column)
    group = re.match(r"\W*(?:within|among) M\d+ ,", clause.text) or rows == len(cells)
    if holds is None and all_ and (group or (whole and total)) and not clause.negated():
        sections = {e.labels[clause.layout.rows - 2] for e in cells}
        known = len(sections) > 1 or any(
            clause.says(0, e) for e in clause.layout.entries if e.column == cells[0].column
        )
        holds = None if known or off <= (0.03 if clause.about(0) else 0.01) * abs(found) else False
    return Finding("value", holds, tuple(cells), f"The table has {named(cells[0])} and others.", frozenset({0}))


def _belonging(clause: Clause, n: int, groups: dict[int, list[Mention]]) -> list[Mention]:
    """Returns the mentions that a number belongs to: for each dimension all if they overlap, the one in the same
    position, or the last one before it."""
    chosen: list[Mention] = []
    for group in groups.values():
        if len(group) == 1 or all(a.labels & b.labels for a, b in pairwise(group)):
            chosen += group
        elif len(group) == len(clause.numbers):
            chosen.append(group[n])
        else:
            chosen.append(([m for m in group if clause.place(m) < clause.at(n)] or group[:1])[-1])
    return chosen


def bound(clause: Clause) -> Finding | None:
    """ "All rows are above 80", "none reaches 90", "A exceeds 70 on M"."""
    tests, used = _bounds(clause)
    if not tests:
        return None
    rest = clause.text
    for words, _ in BOUNDS:
        rest = words.sub("", rest)
    if _APART.search(rest) or comparison_in(rest):
        return Finding("bound", None)
    entries = clause.where(*clause.mentions)
    if re.search(r"\b(?:other|others|rest)\b", rest):  # "617 at A but below 110 in every other row"
        columns = clause.where(*(m for m in clause.mentions if m.dimension >= clause.layout.rows))
        entries = tuple(e for e in columns if e not in entries)
    cases = [_passes(tests, e) for e in entries]
    none = bool(re.search(r"\b(?:none|no|neither|never)\b", clause.text))
    holds: bool | None = None
    if (
        cases
        and None not in cases
        and not clause.vague()
        and not re.search(r"\b(?:only|(?<!at )most|some|several|few)\b", clause.text)
        and not clause.reading.names
    ):
        negated = bool(re.search(r"\bnot\b", clause.text))
        every = re.search(rf"{ALL.pattern}|\b(?:all|every|each|both) M\d", clause.text) is not None or len(cases) == 1
        if none:
            holds = not any(cases)
        elif every or len(set(cases)) == 1:
            holds = all(cases) != negated
    all_ = _ALL_OF.search(clause.text)
    sizes = {len({getattr(e, x) for e in own}) for own in (entries, clause.layout.entries) for x in ("row", "column")}
    if all_ and _counted(clause, all_[1]) not in sizes:
        holds = None  # the table has others
    shown = [e for e, case in zip(entries, cases, strict=True) if holds is not False or case == none][:4]
    why = f"The table has {named(shown[0])}." if shown else "The table has no such cell."
    return Finding("bound", holds, tuple(shown), why, used)


_ALL_OF = re.compile(rf"\ball(?: of)?(?: the| these)? (N\d+|{'|'.join(COUNTED[2:])})\b")


def _passes(tests: Sequence[_Test], entry: Entry) -> bool | None:
    results = [test(entry) for test in tests]
    return None if None in results else all(results)


def reaches(clause: Clause, holds: Callable[[float, float], bool], n: int) -> _Test:
    """Returns the test that compares cells with a number of the clause."""
    said, scale = clause.numbers[n], {"m": 1e6, "M": 1e6, "k": 1e3}.get(clause.reading.units[n], 1.0)

    def test(entry: Entry) -> bool | None:
        if entry.unit in ("k", "M"):
            whole = holds(entry.value, scale * said.value)
            sure = scale > 1 or said.decimals < 0 or whole == holds(entry.quantity.value, said.value)
            return whole if sure else None
        share = said.percent and not entry.quantity.percent and abs(entry.value) <= 1
        wanted = None if clause.elsewhere(n, entry) else clause.converted(n, entry)
        return None if wanted is None else holds(entry.quantity.value * (100 if share else 1), wanted)

    return test


def _bounds(clause: Clause) -> tuple[list[_Test], frozenset[int]]:
    """Returns the tests for cells from phrases such as "above 80", and the numbers in them."""
    found = [(test, int(m[1])) for words, test in BOUNDS for m in words.finditer(clause.text)]
    return [reaches(clause, test, n) for test, n in found], frozenset(n for _, n in found)


_AMONG = re.compile(
    r"^\W*(?P<how>among|of|for|within|after|since|before|until)(?: the| all)*(?P<what> [^,]*),"
    r"|,? among(?P<end> [^,]*?)(?= ?\.?$)"
)
_LEAVING = re.compile(
    r"^\W*(?:leaving(?: out)?|excluding|ignoring|disregarding|apart from|aside from)"
    rf"(?: the)? (?P<list>{LIST})(?: (?!and\b|or\b)[a-z]+)? ,"
)


def chosen_rows(clause: Clause) -> Clause | None:
    """Returns a clause about some rows or columns only ("among those with at most 3 layers", "leaving A aside")
    restricted to these, without the restricting words; None for other clauses."""
    entries, text, reading = clause.layout.entries, clause.text, clause.reading
    if not (extreme_in(text) or re.search(r"\bthe [a-z]+er\b", text)):
        return None
    if re.search(r"\bamong the [a-z]+(?: [a-z]+)? (?:is|are|was|were|goes|belongs|ha[sd]|have)\b", text):
        return None  # among all: "the highest M among the boats is that of A"
    if found := _LEAVING.search(text):
        out = clause.listed(found.start("list"))
        entries = tuple(e for e in entries if not any(e.labels[m.dimension] in m.labels for m in out))
    elif found := _AMONG.search(text):
        what = found["what"] or found["end"]
        part = Clause(clause.layout, only(reading, what))
        tests, _ = _bounds(part)
        own = part.mentions
        if tests and len(own) == 1 and own[0].dimension >= clause.layout.rows:
            rows = {e.row for e in part.where(own[0]) if _passes(tests, e)}
            entries = tuple(e for e in entries if e.row in rows)
        elif len(own) == 1 and not part.numbers and found["how"] in ("among", "of", "within", None) and _is_group(part):
            entries = part.where(own[0])
            for n, again in enumerate(reading.mentions):  # "of the A rows, A / B"
                same = (
                    again.dimension == own[0].dimension
                    and again.labels <= own[0].labels
                    and not re.search(rf"\bM{n}\b", what)
                )
                text = re.sub(rf"\bM{n} / (?=M)| \( M{n} \)", "", text) if same else text
            found = _AMONG.search(text) or found
        elif len(own) == 1 and found["how"] in ("after", "since", "before", "until") and not part.numbers:
            labels = clause.layout.labels(own[0].dimension)
            at = labels.index(next(iter(own[0].labels)))
            later = found["how"] in ("after", "since")
            kept = labels[at + (found["how"] == "after") :] if later else labels[: at + (found["how"] == "until")]
            entries = tuple(e for e in entries if e.labels[own[0].dimension] in kept)
        elif re.fullmatch(r" (?:the )?(?:\w+ )?(?:baselines|competitors|alternatives) ?", what):
            entries = tuple(e for e in entries if not any(re.search(r"(?i)\bours?\b|proposed", x) for x in e.labels))
        elif (of := re.match(rf" (?:the )?({'|'.join(COUNTED[2:])}) ", what)) and not own:
            rows = {e.row for e in entries if not is_beside(clause, e, 0)}
            if COUNTED.index(of[1]) in (len(rows), len({e.column for e in entries})):
                return None
            entries = ()  # which of them is unknown
        else:
            return None
    if found is None or len(entries) == len(clause.layout.entries):
        return None
    text = f"{text[: found.start()]} {text[found.end() :]}"
    if len({e.row for e in entries}) == 2:
        text = re.sub(r"\bthe (high|low|larg|small|long|short|great)er\b", r"the \1est", text)
    return Clause(replace(clause.layout, entries=entries, _labels={}), only(reading, text))


def _is_group(part: Clause) -> bool:
    """Returns whether the only mention of a part of a clause names several rows or columns."""
    cells = part.where(part.mentions[0])
    axis = "row" if part.mentions[0].dimension < part.layout.rows else "column"
    return len(part.mentions[0].labels) > 1 or len({getattr(e, axis) for e in cells}) > 1


def range_(clause: Clause) -> Finding | None:
    """ "M ranges from 1.2 to 3.4", "all are between 1 and 4"."""
    found = re.search(r"\b(?:from|between|spans?|range of) N(?P<low>\d+) (?:to|and|up to) N(?P<high>\d+)", clause.text)
    entries = _compared(clause)
    if found is None or CHANGES.search(clause.text) or comparison_in(clause.text) or len(entries) < 3:
        return None
    low, high = int(found["low"]), int(found["high"])
    least, most = min(entries, key=lambda e: e.value), max(entries, key=lambda e: e.value)
    ends = clause.numbers[low].value, clause.numbers[high].value
    within = "between" in found[0] and not re.search(r"\b(?:rang|var[iy]|span|goe?s?\b)", clause.text)
    inside = within and ends[0] <= least.quantity.value and most.quantity.value <= ends[1]
    holds: bool | None = inside or (clause.says(low, least) and clause.says(high, most))
    one_line = len({e.column for e in entries}) == 1 or len({e.row for e in entries}) == 1
    two = not re.search(r"\b(?:rang|var[iy]|span|lie|values of|runs?\b)", clause.text) and all(
        any(clause.says(n, e) for e in entries) for n in (low, high)
    )  # "from 1.48 to 1.44" may be the values of two of them
    if not holds and (two or clause.reading.unknown or clause.vague() or not one_line or len(clause.numbers) > 2):
        holds = None
    why = f"The table has values from {named(least)} to {named(most)}."
    return Finding("range", holds, (least, most), why, frozenset({low, high}))


def count(clause: Clause) -> Finding | None:
    """ "A is better than B on 3 of 5 columns", "four rows are above 80", "the table has 6 rows"."""
    found = next((m for words in COUNT if (m := words.search(clause.text))), None)
    if found is None:
        return None
    used = frozenset(int(n) for n in re.findall(r"N(\d+)", found[0]))
    if any(clause.numbers[n].percent for n in used):
        within = re.search(
            r"\b(?:in|for|on) (?:(?!M\d)\w+ )?$", clause.text[: found.start()]
        )  # "the best in 70 % of the cases"
        compares = comparison_in(clause.text) or extreme_in(clause.text)
        return Finding("count", None, (), "", used) if within and compares else None
    if any(clause.numbers[n].decimals > 0 or clause.reading.units[n] for n in used):
        return None  # "13.0 GB of memory"
    said, total = _counted(clause, found["count"]), _counted(clause, found["of"])
    bounds, in_bounds = _bounds(clause)
    cases, entries = judged_cases(clause, bounds)
    if not cases:
        return None
    true = sum(bool(c) for c in cases)
    least = (found["least"] or "").strip()
    holds: bool | None = None
    one_line = len({e.column for e in entries}) == 1 or len({e.row for e in entries}) == 1
    others = re.match(r"\W*(?:other|remaining|rest)\b", clause.text[found.end() :])  # than what, another sentence says
    if said is not None and None not in cases and not clause.vague() and not others and (one_line or not bounds):
        holds = true >= said if least == "at least" else true <= said if least == "at most" else true == said
        if total is not None and total != len(cases) and (holds or bounds or clause.reading.unknown):
            holds = None
        elif len(cases) == 1 < said:
            holds = None  # what is counted isn't in the table
        elif clause.negated(found.start()):
            holds = not holds
        elif re.search(r"\b(?:not|never|cannot)\b", clause.text):
            holds = False if holds else None
    why = f"In the table this holds for {true} of {len(cases)}."
    return Finding("count", holds, tuple(entries), why, used | in_bounds)


def _compared(clause: Clause) -> list[Entry]:
    """Returns the cells that a clause selects, without those of totals that it doesn't name and of unnamed rows."""
    own = clause.where(*clause.mentions)
    rows = clause.layout.rows
    named_ = {m.dimension < rows for m in clause.mentions}
    return [
        e
        for e in own
        if any(e.labels[:rows]) and not any(is_total(clause, e, d) for d in (0, rows) if (d < rows) not in named_)
    ] or [*own]


def is_total(clause: Clause, entry: Entry, dimension: int) -> bool:
    """Returns whether the row of a number (or its column, if columns are compared) is a total of the others."""
    rows = clause.layout.rows
    labels = entry.labels[:rows] if dimension < rows else entry.labels[rows:]
    total = r"\b(?:total|overall|sum)\b|^(?:macro |micro )?(?:average|avg\.?|mean)$"
    return bool(re.search(total, " ".join(labels).strip(), re.IGNORECASE) and not ROWS.search(clause.text))


def judged_cases(clause: Clause, bounds: Sequence[_Test]) -> tuple[list[bool | None], list[Entry]]:
    """Returns each counted case: whether it holds, and the cell that shows it."""
    sides, compared, extreme = clause.sides(), comparison_in(clause.text), extreme_in(clause.text)
    if sides is not None and compared is not None:
        across = 0 if sides[0][0].dimension >= clause.layout.rows else clause.layout.rows
        pairs = clause.pairs(*sides)
        pairs = [p for p in pairs if not is_total(clause, p[0], across)] or pairs
        return [clause.further(a, b, compared[0]) for a, b in pairs], [a for a, _ in pairs]
    if bounds:
        entries = _compared(clause)
        shares = [e for e in entries if e.quantity.percent] if any(q.percent for q in clause.numbers) else []
        entries = shares or entries  # "above 7.2 %" next to a column of counts
        return [_passes(bounds, e) for e in entries], entries
    if extreme is not None and (subject := clause.subject(extreme[1])):
        return ranks(clause, subject, extreme[0])
    return [], []


def _counted(clause: Clause, word: str | None) -> int | None:
    """Returns the integer of a number word or number of the clause."""
    if word is None or word in COUNTED:
        return None if word is None else COUNTED.index(word)
    said = clause.numbers[int(word[1:])].value
    return int(said) if said.is_integer() else None


def instead(clause: Clause, number: int, entry: Entry) -> str:
    """Returns a sentence with the table's number that differs from the clause's."""
    return f"The table has {named(entry)}, not {clause.numbers[number].text.strip()}."
