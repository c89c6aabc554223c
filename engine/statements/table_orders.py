"""Rules for statements about several cells of one measure: that they are equal, or in an order."""

import re
from itertools import pairwise

from engine.statements.grids import Entry
from engine.statements.table_cells import Clause, Finding
from engine.statements.table_comparing import of_pairs
from engine.statements.table_phrases import LIST, Direction, comparison_in
from engine.statements.table_words import Mention

_CHAINS = tuple(
    re.compile(words)
    for words in (
        r"\b(?:order|sort|rank)(?:ed|ing)\b.*?\bfrom (?P<from>high|low|larg|small|best|worst|top|bottom)\w* to \w+"
        rf"(?: by .*?)? ,? ?(?:(?:we|you|one) gets?|(?:this|it) gives|the order is)? ?:? ?(?P<list>{LIST})\W*$",
        r"\b(?P<first>M\d+) (?:comes|ranks|is) (?:first|top)(?P<list>(?:(?: ?,)? (?:and )?then M\d+)+)",
        r"\b(?P<first>M\d+) (?:has|shows|obtains|reaches|achieves|gets) (?P<list>an? .*?\bthan M\d+ ,? which also\b"
        r".*?\b(?:than|over|outperforms|exceeds)(?: that of)? M\d+)",
        r"\bfrom (?P<list>M\d+ (?:over|via|through|to) M\d+(?: (?:over|via|through|to) M\d+)+)",
    )
)
"""Several rows or columns in an order, the first of which is before the list in some."""


def ordered(clause: Clause) -> Finding | None:
    """ "M decreases from A over B to C", "A has a higher M than B, which in turn has a higher one than C", "ordered
    from high to low by M: A, B and C": compares each with the next one."""
    found = next((m for words in _CHAINS if (m := words.search(clause.text))), None)
    if found is None:
        return None
    names = re.findall(r"\bM(\d+)", f"{found.groupdict().get('first') or ''} {found['list']}")
    chain = [clause.reading.mentions[int(n)] for n in names]
    chain = [m for m in chain if m.dimension == chain[0].dimension]
    way, strict = _direction(clause, found)
    if way is None or len(chain) < 3:
        return Finding("trend", None)
    return _stepwise(clause, chain, way, strict=strict)


_FROM: dict[str, Direction] = {"high": "more", "larg": "more", "top": "more", "best": "better", "worst": "worse"}
_OPPOSITE: dict[Direction, Direction] = {"more": "less", "less": "more", "better": "worse", "worse": "better"}


def _direction(clause: Clause, found: re.Match[str]) -> tuple[Direction | None, bool]:
    """Returns in which direction each mention is further than the next, and whether an equal one counts as wrong."""
    compared = comparison_in(clause.text)
    if start := found.groupdict().get("from"):
        return _FROM.get(start, "less"), False
    if found[0].startswith("from"):
        return (_OPPOSITE[compared[0]] if compared else None), True
    return (compared[0] if compared else "better"), bool(compared)


def _stepwise(clause: Clause, chain: list[Mention], way: Direction, *, strict: bool) -> Finding:
    pairs: list[tuple[Entry, Entry]] = []
    results: list[bool | None] = []
    for a, b in pairwise(chain):
        cells = clause.pairs([a], [b])
        if len(cells) != 1:
            return Finding("trend", None)
        pairs += cells
        first, second = cells[0]
        further = clause.further(first, second, way)
        results.append(further if further is None or first.value != second.value else False if strict else None)
    values = [a.value for a, _ in pairs] + [pairs[-1][1].value]
    if None not in results:
        holds = all(results)
    elif any(a < b for a, b in pairwise(values)) and any(a > b for a, b in pairwise(values)):
        holds = False  # in no direction
    else:
        holds = None
    holds = None if clause.vague() or clause.reading.names or clause.negated() else holds
    return of_pairs("trend", pairs, [r is True for r in results], holds)


TIE = re.compile(rf"(?P<list>{LIST})(?: (?:do|does|did) not)? tie\b")


def tied(clause: Clause) -> Finding | None:
    """ "A and B have the same M", "there is no difference between A and B in M", each rewritten as "A and B tie in M":
    equal as printed."""
    found = TIE.search(clause.text)
    if found is None:
        return None
    equal = [clause.reading.mentions[int(n)] for n in re.findall(r"\bM(\d+)", found["list"])]
    equal = [m for m in equal if m.dimension == equal[-1].dimension]
    rest = [m for m in clause.mentions if m.dimension != equal[0].dimension]
    if len(equal) < 2 or not rest:
        return None
    pairs = [p for a, b in pairwise(equal) for p in clause.pairs([a], [b])]
    numbers = range(len(clause.numbers))
    cells = [e for p in pairs for e in p]
    results = [a.value == b.value and (a.unit, a.quantity.percent) == (b.unit, b.quantity.percent) for a, b in pairs]
    holds = results[0] if len({*results}) == 1 and len(pairs) >= len(equal) - 1 else None
    if holds and any(clause.says(n, e) is not True for n in numbers for e in cells):
        holds = False if all(clause.says(n, e) is False for n in numbers for e in cells) else None
    if clause.vague() or clause.reading.names:
        holds = None
    holds = holds if holds is None or not clause.negated() else not holds
    return of_pairs("comparison", pairs, results, holds, numbers)
