"""Reads which row or column is the first, last or n-th in a measure by what a clause names, not by word order."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from engine.statements.grids import Entry
from engine.statements.table_cells import Clause, Finding, named
from engine.statements.table_comparing import is_beside, measure_of
from engine.statements.table_pairs import OPPOSITE, Name, as_mention, may_be_other, names_of
from engine.statements.table_parts import only
from engine.statements.table_phrases import COMPARES, COUNTED, EXTREMES, NTH, ROWS, Direction

_CMP = "|".join(f"(?P<{d}>{words})" for d, words in COMPARES)
_ONES = "|".join(COUNTED[1:6])
_REST = r"(?:\bother|\bremaining|\brest|\belse|\balternatives?|\bcompetitors?|\brivals?)\b"
_NONE = re.compile(
    r"\b(?:no|none|nowhere|nothing|nobody|not one|neither)\b(?! (?:more|less|longer)\b)(?P<mid>.*?)"
    rf"(?:\bas (?P<as>\w+)\b.*?\bas\b|(?:{_CMP})\b.*?\bthan\b)(?P<who>.*)$"
)
""" "No other one has a higher M than A", "nowhere is M lower than for A"."""
_EVERY = re.compile(
    rf"\b(?:every|each|all|any|everything|everyone)\b[^MN]{{0,30}}{_REST}(?P<mid>.*?)(?:{_CMP})\b.*?\bthan\b"
    r"(?P<who>.*)$"
)
""" "Every other one has a lower M than A"."""
_ONLY = re.compile(rf"\bonly (?:N\d+|{_ONES})\b(?P<mid>.*?)(?:{_CMP})\b.*?\bthan\b(?P<who>.*)$")
_SORTED = re.compile(
    r"\b(?:sort|rank|order|list|arrang)\w*\b(?:.*?)\bfrom (?:the )?(?P<from>\w+) to (?:the )?(?P<to>\w+)"
)
_FIRST = re.compile(r"\b(?:heads|leads|tops|opens|begins|starts|first|top|ahead)\b")
_LAST = re.compile(r"\b(?:closes|ends|last|bottom|end|trails)\b")
_FURTHER: tuple[tuple[Direction, str], ...] = (
    ("more", r"high(?:est)? (?:point|mark)|peak(?:s|ed)?|record high|maximum|maximal"),
    ("less", r"low (?:point|mark)|record low|minimum|minimal|rock bottom"),
)
_SIZES: tuple[tuple[Direction, str], ...] = (
    ("less", r"(?:low|small|short)(?:est)?|few(?:est)?|little|least"),
    ("more", r"(?:high|large?|great|long)(?:e?st)?|many|much|most"),
    ("worse", r"bad|poor|worst|weak(?:est)?"),
    ("better", r"good|best|strong(?:est)?"),
)
_OPEN = re.compile(
    r"\b(?:except\w*|apart from|besides|ignoring|leaving|excluding|not|never|cannot|hardly|but (?:for|not)|might|could"
    r"|may|almost|nearly|together|combined|respectively|sums?|differ\w*|gaps?|gains?|improv\w*|increas\w*|decreas\w*"
    r"|drops?|chang\w*|reduc\w*|margins?|ratios?|divid\w*|subtract\w*|times|fold|trend|than)\b"
    r"|\bM\d+ (?:lost|missing|removed|discarded|failed|left)\b"
)
"""Words with which the best or last of a group isn't read here."""
_MEASURE = re.compile(
    r"(?: (?!(?:is|are|was|were|among|that|by|for|with|in|on|at|under|goes|ha[sd]|have|shows?|when|using|if|as|over"
    r"|across|from)\b)[a-z'-]+| [-/(%])*((?: M\d+)+)"
)
_BY = re.compile(
    r"\b(?:by|in terms of|with (?:respect|regard) to|as (?:regards|for|to)|regarding|if)(?: [a-z]+){0,4}((?: M\d+)+)"
)
_WHERE = re.compile(r"\b(?:on|in|under|within|at|during|after)(?: the)?(?: [a-z]+){0,2} $")
_RANK = re.compile(rf"\b(?:({'|'.join(NTH[2:])})|(?:2|3|4|5)(?:nd|rd|th))(?: |-| - )*$")
_VALUE = r"\b(?:with|of|is|was|namely|being)\b(?: [a-z]+){0,2} NUM\b|[,(:] (?:at )?NUM\b|^NUM\b"


@dataclass(frozen=True, slots=True)
class _Claim:
    """What is said of one: how far ahead it is, and where in the text it is named, if that is certain."""

    way: Direction
    rank: int
    alone: bool
    at: int | None
    match: tuple[int, int]


def _which_end(word: str) -> Direction | None:
    return next((way for way, words in _SIZES if re.fullmatch(words, word)), None)


def _claim(text: str) -> _Claim | None:
    for words, turned in ((_NONE, False), (_ONLY, False), (_EVERY, True)):
        if found := words.search(text):
            if turned is False and words is _NONE and found["as"]:
                way = _which_end(found["as"])
            else:
                way = next((d for d, _ in COMPARES if found[d]), None)
            if way is None or re.search(r"\bthan\b", found["mid"]):
                return None
            way = OPPOSITE[way] if turned else way
            if re.search(r"[,;:(]", found["who"].rstrip(" .,)")):
                return None
            return _Claim(
                way,
                2 if words is _ONLY else 1,
                turned or bool(words is _NONE and found["as"]),
                found.start("who"),
                found.span(),
            )
    if found := _SORTED.search(text):
        rest = text[found.end() :] + text[: found.start()]
        first, last = _FIRST.search(rest), _LAST.search(rest)
        end = _which_end(found["from" if first else "to"])
        return _Claim(end, 1, False, None, found.span()) if end and bool(first) != bool(last) else None
    extremes = [(d, m) for d, words in (*EXTREMES, *_FURTHER) for m in re.finditer(rf"\b(?:{words})\b", text)]
    extremes = [
        x
        for x in extremes
        if not any(
            y[1].start() <= x[1].start() < x[1].end() <= y[1].end() and y is not x and len(y[1][0]) > len(x[1][0])
            for y in extremes
        )
    ]
    ways = {d for d, _ in extremes}
    if len(ways) != 1:
        return None
    way, match = extremes[0]
    nth = _RANK.search(text[: match.start()])
    rank = (NTH.index(nth[1]) if nth[1] else int(nth[0][0])) if nth else 1
    return _Claim(way, rank, False, None, match.span())


_LIST_OF = r"(?:tables?|lists?|summary|overview|statistics|ranking|comparison (?:of|between))"
_FRAME = (
    re.compile(rf"^[^,]*\b{_LIST_OF}\b[^,]*, (?=.*M\d)"),
    re.compile(
        r" (?:\( |, |anywhere )?(?:in|for|of|by|per|within|going by|according to|from) (?:the|our|their|its)"
        rf" (?:[a-z-]+ ){{0,6}}{_LIST_OF}\b[^,;]*$"
    ),
    re.compile(
        r"^[^,]*?\b(?:is|are|was|say|state|note|stress|point out|confirm|find|fact|see|show|conclude|maintain|agree)\w*"
        r" (?:[a-z]+ )?that (?=.*M\d)"
    ),
)
"""Which table is meant, and who says it, as far as the statement still has them."""


def bared(clause: Clause) -> Clause:
    """Returns a clause without what names the table that it is about."""
    text = clause.text
    for words in _FRAME:
        found = words.search(text)
        rest = text[: found.start()] + text[found.end() :] if found else ""
        compares = found is not None and re.search(rf"\b(?:{_ANY})\b|\bN\d", found[0])
        if found and not compares and re.search(r"\bM\d", rest) and re.search(rf"\b(?:{_ANY})\b", rest):
            text = rest
    return clause if text == clause.text else Clause(clause.layout, only(clause.reading, text))


_ANY = "|".join(words for _, words in (*COMPARES, *EXTREMES))


def compared_with_all(clause: Clause) -> Finding | None:
    """ "None has a lower M than A", "only one has a higher M than A", "every other one has a lower M than A"."""
    claim = _claim(clause.text)
    return singled_out(clause) if claim and claim.at is not None else None


def _two_ends(clause: Clause) -> Finding | None:
    """ "The highest and the lowest M are those of A and B"."""
    found = _ENDS_OF.search(clause.text)
    if found is None:
        return None
    results = []
    for way, own in ((found["a"], "A"), (found["b"], "B")):
        text = f"{clause.text[: found.start()]}{way}{found['what']}{found[own]} {clause.text[found.end() :]}"
        result = singled_out(Clause(clause.layout, only(clause.reading, text)))
        if result is None:
            return None
        results.append(result)
    entries = tuple(e for r in results for e in r.entries)
    holds = None if any(r.holds is None for r in results) else all(r.holds for r in results)
    wrong = next((r for r in results if r.holds is False), results[0])
    return replace(wrong, holds=holds, entries=entries)


_ENDS_OF = re.compile(
    rf"\b(?P<a>{'|'.join(w for _, w in EXTREMES)}) and (?:the )?(?P<b>{'|'.join(w for _, w in EXTREMES)})\b"
    r"(?P<what>.*?\b(?:of|for|by|with|in|to|are) (?:the )?(?:[a-z]+ )*)"
    r"(?P<A>M\d+)(?: [a-z]+)* and (?:[a-z]+ )*(?P<B>M\d+)"
)


def singled_out(clause: Clause) -> Finding | None:
    """Reads "A has the highest M", "of all, it is A that M is lowest for", "none has a lower M than A", "by M, A heads
    the list": one name of a row (or a column), and the column (or row) in which it is the first or n-th."""
    if re.search(r"\b(?:should|like to|whether)\b|\b(?:after|before|since|until|during) M\d", clause.text):
        return None
    clause = bared(clause)
    if ROWS.search(clause.text):
        return None
    if (ends := _two_ends(clause)) is not None:
        return ends
    text, claim = clause.text, _claim(clause.text)
    if claim is None or clause.reading.names:
        return None
    rest = text if claim.at is None else text[: claim.match[0]]
    said = re.match(r" ([a-z]+)(?! (?:of )?M\d)", text[claim.match[1] :])
    if claim.at is None and said and said[1] in {word.lower() for word in clause.reading.unknown}:
        return None  # "the least bias in M"
    if _OPEN.search(rest.replace("no less", "")) or re.search(r"\bM\d+ (?:,|and|or) M\d+\b", text):
        return None
    names = names_of(clause)
    parts = clause.layout.rows - 2
    if claim.rank > 1 and any(n.dimension == parts for n in names) and len(clause.layout.labels(parts)) > 1:
        return Finding("superlative", None)  # which rows count?
    first = _first_named(clause, claim, names)
    names = [n for n in names if n is not first]
    found = [_place(clause, claim, names, subject) for subject in _subjects(clause, claim, names)]
    holds = {f.holds for f in found if f is not None}
    if not found or None in found or len(holds) > 1:
        return None
    if first is not None and found[0] is not None and found[0].holds:
        ahead = {e.labels[first.dimension] for e in found[0].entries[1:]}
        return replace(found[0], holds=ahead <= first.labels if first.exact else None)
    return found[0]


def _first_named(clause: Clause, claim: _Claim, names: Sequence[Name]) -> Name | None:
    """Returns what is named as ahead: "only one, B, has a higher M than A"."""
    if claim.at is None or claim.rank == 1:
        return None
    who = next((n for n in names if max(clause.place(m) for m in n.mentions) >= claim.at), None)
    return next((n for n in names if who and n is not who and n.dimension == who.dimension), None)


def _subjects(clause: Clause, claim: _Claim, names: Sequence[Name]) -> list[Name]:
    """Returns what may be called the first of several."""
    rows, text = clause.layout.rows, clause.text

    def at(name: Name) -> list[int]:
        return [clause.place(m) for m in name.mentions]

    if claim.at is not None:
        return [n for n in names if max(at(n)) >= claim.at][:1]
    by = next((m for m in (_MEASURE.match(text, claim.match[1]), _BY.search(text)) if m), None)
    before = re.search(
        r"((?:\bM\d+ )+)(?:[a-z]+ ){0,3}?(?:is|are|was|were|reaches|takes|attains|hits) (?:its |the |at its )*$",
        text[: claim.match[0]],
    )
    whom = re.compile(r" (?:[a-z]+ ){0,2}?(?:for|in|at|with|on|under|when using) (?:the )?(?:[a-z]+ ){0,3}M\d").match(
        text, claim.match[1]
    )
    axis: bool | None = None
    both = False  # "A is highest for B" may be about either
    measured = by[1] if by and re.search(r"M\d", by[1]) else before[1] if before and whom else ""
    if measured:
        those = [clause.reading.mentions[int(n)].dimension for n in re.findall(r"\d+", measured)]
        axes = {d < rows for d in those if d != rows - 2}  # a section may be called a measure
        axis = axes.pop() if len(axes) == 1 and by else None
        both = not by
        rest = [n for n in names if both or n.dimension not in those]
        axis = None if any((n.dimension < rows) == axis and n.dimension != rows - 2 for n in rest) else axis
        names = rest
    among = [n for n in names if axis is None or (n.dimension < rows) != axis]
    if axis is not None and not among:
        return []
    beside = re.search(r",(?: which)?(?: (?:is|are|was|were))? (?:the )?$", text[: claim.match[0]])
    both = both or bool(beside)
    free = among if both else [n for n in among if not all(_WHERE.search(text[:p]) for p in at(n))]
    own = [n for n in free or among if all(o is n or o.dimension != n.dimension or _is_scope(o, n) for o in names)]
    return [n for n in own if n.dimension != rows - 2] or (own if len(free) == len(own) == 1 else [])


def _is_scope(name: Name, subject: Name) -> bool:
    """Returns whether a name is the kind of a subject: "of all sizes, size 3 has the lowest M"."""
    return not name.exact and len(name.labels) > 1 and subject.labels < name.labels


def _place(clause: Clause, claim: _Claim, names: Sequence[Name], subject: Name) -> Finding | None:
    """Checks whether the only cell of a subject has a rank among the cells beside it."""
    if may_be_other(clause, subject):
        return None
    rows, dimension = clause.layout.rows, subject.dimension
    others = [as_mention(n) for n in names if n is not subject]
    own = clause.where(as_mention(subject), *others)
    if len(own) != 1:
        return None
    cell = own[0]
    beside = [e for e in clause.where(*others) if e is not cell and not is_beside(clause, e, dimension)]
    line = [e for e in beside if (e.column == cell.column if dimension < rows else e.row == cell.row)]
    if len(line) != len(beside) and len(beside) - len(line) > 0 and not others:
        return None  # in what it's the first isn't said
    line = [e for e in line if measure_of(clause, e) == measure_of(clause, cell)] if dimension >= rows else line
    sign = clause.sign(cell, claim.way)
    if not line or sign is None:
        return None
    ahead = [e for e in line if sign * e.value > sign * cell.value]
    equal = [e for e in line if e.value == cell.value]
    holds: bool | None = len({e.value for e in ahead}) == claim.rank - 1
    if holds and equal and claim.alone:
        holds = None
    if not holds and (ahead or claim.rank > 1) and not _all_are_meant(clause, cell, ahead, line, dimension):
        holds = None
    for n in range(len(clause.numbers)):
        counted = re.search(rf"\b(?:of|all|among|the|only) (?:the |all )*N{n} [a-z]", clause.text)
        if not counted and clause.says(n, cell) is not True:
            stated = re.search(_VALUE.replace("NUM", f"N{n}"), clause.text)
            holds = False if holds is not None and stated and clause.says(n, cell) is False else None
    if not subject.exact:
        holds = holds or None
    entries = (cell, *sorted(ahead, key=lambda e: -sign * e.value)[:1])
    better = f", and {named(entries[1])}" if holds is False and len(entries) > 1 else ""
    return Finding("superlative", holds, entries, f"The table has {named(cell)}{better}.")


def _all_are_meant(clause: Clause, cell: Entry, ahead: Sequence[Entry], line: Sequence[Entry], dimension: int) -> bool:
    """Returns whether it is sure that those ahead are among those compared: not below another subheading, and no fewer
    rows than said."""
    section = clause.layout.rows - 2
    if dimension < clause.layout.rows and all(e.labels[section] != cell.labels[section] for e in ahead) and ahead:
        return False
    found = re.search(
        rf"\b(?:of|among|over|all)(?: the| all| these| other)* (N\d+|{'|'.join(COUNTED[2:])})\b", clause.text
    )
    if found is None:
        return True
    count = clause.numbers[int(found[1][1:])].value if found[1][0] == "N" else COUNTED.index(found[1])
    return count == len(line) + 1
