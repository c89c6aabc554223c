"""Rules for statements about changes: along rows and columns, between two of them, between two values."""

import re
from itertools import combinations, pairwise, permutations

from engine.statements.grids import Entry
from engine.statements.table_cells import Clause, Finding
from engine.statements.table_comparing import differs, is_beside, multiple, of_pairs
from engine.statements.table_phrases import CHANGES, FROM_TO, VALUES_FROM_TO, Direction, comparison_in
from engine.statements.table_verbs import FALL, RISE

_UP = rf"{RISE}|go(?:es)? up|more|larger|bigger|higher|longer|older"
_FALLING = rf"{FALL}|go(?:es)? down|less|fewer|smaller|shorter|younger"
_ALONG = re.compile(
    rf"\b(?:(?P<each>(?:with|in|at) (?:each|every)|from (?:one|each|M\d+) .*?to the next|from (?P<one>\w+) to (?P=one))"
    rf"|with (?:(?P<up>{_UP})|(?P<down>{_FALLING}))|as (?:the )?.*?\b(?:(?P<rise>{_UP})|(?P<fall>{_FALLING}))"
    r"|(?P<steady>steadily|monotonically|continuously|gradually)|with(?: [a-z]+){1,3} ?[.,]|with(?: the)? M\d)\b"
)
_BY = re.compile(r"\bwith(?: the)? M(\d+)")


def along(clause: Clause) -> Finding | None:
    """ "M grows with each row", "M of A falls steadily as the label grows": checks the values of a column in the order
    of its rows, or of a row in the order of the numbers above it."""
    compared = comparison_in(clause.text)
    if compared is None or clause.numbers or compared[0] not in ("more", "less"):
        return None
    ways = (m for m in _ALONG.finditer(clause.text) if m["steady"] or m.start() > compared[1].start())
    if (found := next(ways, None)) is None:
        return None
    by = _BY.search(clause.text, compared[1].end())
    order = (
        clause.reading.mentions[int(by[1])]
        if by and not re.match(r" (?!time\b)[a-z]", clause.text[by.end() :])
        else None
    )
    way = (1 if compared[0] == "more" else -1) * (-1 if found["down"] or found["fall"] else 1)
    rows = clause.layout.rows
    for label, own in (
        (0, [m for m in clause.mentions if m.dimension >= rows and m is not order]),
        (-1, [m for m in clause.mentions if m.dimension < rows and m is not order]),
    ):
        cells = tuple(e for e in clause.where(*own) if not is_beside(clause, e, 0))
        first = cells[0].labels[label] if label and cells else ""  # "in every year since 2010"
        named = [m for m in clause.mentions if m not in own and m is not order and m.labels != {first}]
        if named or len(cells) < 3 or len({e.column if label == 0 else e.row for e in cells}) > 1:
            continue
        at = [_position(e.labels[label]) for e in cells]
        if order and order.dimension >= rows and label == 0:
            values = {e.row: e.value for e in clause.where(order)}
            at = [values.get(e.row) for e in cells]
        line = [e for _, e in sorted(zip(at, cells, strict=True), key=lambda one: one[0] or 0.0)]
        ordered = None not in at and len({*at}) == len(at)
        if not ordered and (label or not (found["each"] or (order and len(order.labels) > 1))):
            continue
        steps = [way * (b.value - a.value) for a, b in pairwise(line if ordered else cells)]
        every = found["each"] or found["steady"]
        wrong = min(steps) < 0 if every and ordered else 4 * sum(x > 0 for x in steps) <= len(steps)
        holds = True if min(steps) >= 0 < max(steps) else False if wrong else None
        holds = None if clause.vague() or clause.negated() else holds
        return of_pairs("trend", [*pairwise(line)], [x > 0 for x in steps], holds)
    return None


def _position(label: str) -> float | None:
    """Returns the number at the start or end of a label, with its scale: 1.4e9 for "1.4B"."""
    found = re.search(r"(?<![\d.])(\d[\d,]*(?:\.\d+)?)([kKMB])?(?![\w.])", label)
    return (
        float(found[1].replace(",", "")) * {"M": 1e6, "B": 1e9}.get(found[2], 1e3 if found[2] else 1.0)
        if found
        else None
    )


def changed(clause: Clause) -> Finding | None:
    """ "M of A rises from 1.2 to 3.4": two cells of one line in this order, the second being that of the stated
    cause."""
    values = VALUES_FROM_TO.search(clause.text)
    if values is None or CHANGES.search(clause.text) is None or FROM_TO.search(clause.text):
        return None
    first, second = int(values[1]), int(values[2])
    for dimension in (None, *dict.fromkeys(m.dimension for m in clause.mentions)):
        cells = clause.where(*(m for m in clause.mentions if m.dimension != dimension))
        if len({e.row for e in cells}) > 1 and len({e.column for e in cells}) > 1:
            continue
        own = [m for m in clause.mentions if m.dimension == dimension]
        before = [m for m in own if clause.at(first) < clause.place(m) < clause.at(second)]
        after = [
            m
            for m in own
            if m not in before
            and re.search(r"\b(?:with|under|using|after|by|when)(?: the)? $", clause.text[: clause.place(m)])
        ]
        stated = [
            (a, b)
            for a, b in (permutations if before else combinations)(cells, 2)
            if clause.says(first, a) and clause.says(second, b)
        ]
        ends = {e.labels[dimension or 0] for pair in stated for e in pair}
        if stated and after and not before and all(m.exact and not ends & m.labels for m in after):
            return of_pairs("trend", stated, [False] * len(stated), None if clause.vague() else clause.negated())
        pairs = [
            (a, b)
            for a, b in stated
            if all(a.labels[dimension or 0] in m.labels for m in before)
            and all(b.labels[dimension or 0] in m.labels for m in after)
            and all(b.labels[dimension or 0] in m.labels for m in own if before and m not in before)
            and all({a.labels[dimension or 0], b.labels[dimension or 0]} & m.labels for m in own)
        ]
        if len(pairs) == 1:
            way = comparison_in(clause.text)
            said = (
                way is None
                or way[0] in ("better", "worse")
                or (way[0] == "more") == (pairs[0][0].value < pairs[0][1].value)
            )
            holds = None if clause.vague() or clause.negated() else said
            return of_pairs("trend", pairs, [said], holds, [first, second])
    return None


_STEADY = re.compile(r"\b(?:steadily|monoton\w+|continuously|gradually|consistently|constantly|with (?:each|every))\b")


def _steady(clause: Clause, first: Entry, last: Entry, direction: Direction) -> bool | None:
    """Returns whether the cells between two of a column (or a row), in the table's order, go in one direction."""
    ends = sorted(((first.row, first.column), (last.row, last.column)))
    own = [
        e for e in clause.layout.entries if e.column == first.column == last.column or e.row == first.row == last.row
    ]
    line = [e for e in own if ends[0] <= (e.row, e.column) <= ends[1]]
    line = line if line[0] == first else line[::-1]
    steps = [clause.further(b, a, direction) for a, b in pairwise(line) if a.value != b.value]
    return None if None in steps else all(steps)


def trend(clause: Clause) -> Finding | None:
    """ "M falls from A to B"."""
    compared = comparison_in(clause.text)
    if compared is None:
        return None
    direction, match = compared
    negated = clause.negated(match.start())
    ends = [(clause.reading.mentions[int(a)], clause.reading.mentions[int(b)]) for a, b in FROM_TO.findall(clause.text)]
    ends = [(a, b) for a, b in ends if a.dimension == b.dimension]
    if not ends:
        return None
    pairs = clause.pairs([ends[0][1]], [ends[0][0]])
    results = [clause.further(a, b, direction) for a, b in pairs]
    if _STEADY.search(clause.text):
        results = [
            r if r is not True else _steady(clause, b, a, direction) for r, (a, b) in zip(results, pairs, strict=True)
        ]
    used: list[int] = []
    by = [n for n in range(len(clause.numbers)) if clause.role(n) == "difference"]
    if len(by) == 1:
        used = by
        results = [
            None if r is None else r and differs(clause, by[0], a, b) for r, (a, b) in zip(results, pairs, strict=True)
        ]
    elif len(times := [n for n in range(len(clause.numbers)) if clause.role(n) == "ratio"]) == 1:
        return multiple(clause, times[0], pairs)
    elif values := VALUES_FROM_TO.search(clause.text):
        used = [int(values[1]), int(values[2])]
        said = [clause.says(used[1], a) and clause.says(used[0], b) for a, b in pairs]
        results = [None if r is None else r and s for r, s in zip(results, said, strict=True)]
    return of_pairs("trend", pairs, results, clause.verdict(results, negated), used)
