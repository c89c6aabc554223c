"""Rules for statements about several cells of one measure: that they are equal, or in an order."""

import re
from itertools import pairwise

from engine.statements.table_cells import Clause, Finding
from engine.statements.table_comparing import of_pairs
from engine.statements.table_phrases import LIST, Direction, comparison_in

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
    start, compared = found.groupdict().get("from"), comparison_in(clause.text)
    names = re.findall(r"\bM(\d+)", f"{found.groupdict().get('first') or ''} {found['list']}")
    mentions = [clause.reading.mentions[int(n)] for n in names]
    chain = [mention for mention in mentions if mention.dimension == mentions[0].dimension]
    chain = chain[::-1] if found[0].startswith("from") else chain  # what falls from A to C is lower for C
    way = _STARTS.get(start, "less") if start else compared[0] if compared else "better"
    cells = [clause.pairs([a], [b]) for a, b in pairwise(chain)]
    if len(chain) < 3 or any(len(one) != 1 for one in cells):
        return Finding("trend", None)
    pairs = [one[0] for one in cells]
    results = [clause.further(a, b, way) for a, b in pairs]
    equal = any(a.value == b.value for a, b in pairs)
    holds: bool | None = all(results)
    if None in results:  # in neither direction, or unknown
        holds = False if len({a.value > b.value for a, b in pairs}) > 1 and not equal else None
    elif equal and (start or not compared):
        holds = None
    holds = None if clause.vague() or clause.reading.names or clause.negated() else holds
    return of_pairs("trend", pairs, [r is True for r in results], holds)


_STARTS: dict[str, Direction] = {"high": "more", "larg": "more", "top": "more", "best": "better", "worst": "worse"}

_TIE = re.compile(rf"(?P<list>{LIST})(?: (?:do|does|did) not)? tie\b")


def tied(clause: Clause) -> Finding | None:
    """ "A and B have the same M", "there is no difference between A and B in M", each rewritten as "A and B tie in M":
    equal as printed."""
    found = _TIE.search(clause.text)
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
