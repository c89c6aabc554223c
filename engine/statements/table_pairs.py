"""Reads statements about two cells by what they name, whatever their wording."""

import re
from collections import defaultdict
from dataclasses import replace

from engine.statements.table_cells import Clause, Finding
from engine.statements.table_comparing import amount, multiple, one_by_one
from engine.statements.table_phrases import AMOUNT, COMPARES, COUNT, Direction, comparison_in, first_of, ways_in
from engine.statements.table_verbs import VERBS
from engine.statements.table_words import Mention

_TURNED = (
    re.compile(r"\b(?:from|between|replac\w+|substitut\w+|exchang\w+|swap\w*)(?: [a-z]+){0,4} $"),
    re.compile(r"^(?: [a-z]+){0,2} (?:to|and|by|with|for|into)(?: [a-z]+){0,5} $"),
)
"""The words around the first of two cells if the second is compared with it."""
_FIRST = re.compile(r"\b(?:compared (?:to|with)|relative to|against|unlike|than)(?: [a-z]+){0,3} $")
_SECOND = re.compile(r"\b(?:than|over|against|compared|relative|versus|behind|of|as|from|to)(?: [a-z]+){0,5} $")
_KINDS: tuple[tuple[Direction, str], ...] = (("more", "gain"), ("less", "lose"), ("worse", "hurt"), ("better", "help"))
_FURTHER = tuple((way, "|".join(VERBS[kind].split())) for way, kind in _KINDS)


def two_cells(clause: Clause) -> Finding | None:
    """Reads a clause by what it names, whatever its wording: two labels of one kind that select one cell each, which of
    them is compared with the other, and a direction or an amount."""
    groups: dict[int, list[Mention]] = defaultdict(list)
    for m in clause.mentions:
        if m.labels not in [own.labels for own in groups[m.dimension]]:
            groups[m.dimension].append(m)
    two = [g for g in groups.values() if len(g) == 2]
    if len(two) != 1 or any(len(g) > 2 for g in groups.values()) or len(clause.numbers) > 1:
        return None
    (a, b), text = two[0], clause.text
    before, between = text[: clause.place(a)], re.sub(r"^M\d+", "", text[clause.place(a) : clause.place(b)])
    turned = bool(_FIRST.search(before) or (_TURNED[0].search(before) and _TURNED[1].search(between)))
    if any(words.search(text) for words in COUNT):
        return None
    if clause.vague() or clause.negated() or clause.reading.names or not (turned or _SECOND.search(between)):
        return None
    compared = comparison_in(text)
    ways = ways_in(text)
    if not ways and (further := first_of(_FURTHER, text)):
        compared = next(way for way, words in _FURTHER if re.fullmatch(words, further[0])), further
    sides = ([b], [a]) if turned else ([a], [b])
    if len(clause.pairs(*sides)) != 1 or len(ways) > 1:
        return None
    if not clause.numbers:
        known = not clause.reading.unknown
        return one_by_one(clause, clause.pairs(*sides), *compared) if compared and known else None
    if clause.role(0) == "ratio":
        return multiple(clause, 0, sides)
    of = rf"(?:\bby|{'|'.join(words for _, words in (*COMPARES, *_FURTHER))}|{AMOUNT} of) (?:\w+ ){{0,2}}N0\b"
    if clause.role(0) != "difference" and not re.search(of, text):
        return None
    found = amount(clause, 0, sides, compared)
    return found if all(m.exact for m in clause.mentions) else replace(found, holds=found.holds or None)
