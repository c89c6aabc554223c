"""Reads statements about two cells by what they name and by their words of comparing, whatever the order of words."""

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace

from engine.statements.grids import Entry
from engine.statements.table_cells import Clause, Finding
from engine.statements.table_comparing import DOING, Pairs, amount, multiple, one_by_one
from engine.statements.table_mentions import Mention
from engine.statements.table_parts import OPPOSED
from engine.statements.table_phrases import ABOUT, ALL, AMOUNT, COMPARES, COUNT, VALUES_FROM_TO, Direction, label_words
from engine.statements.table_verbs import OVER, VERBS

_KINDS: tuple[tuple[Direction, str], ...] = (("more", "gain"), ("less", "lose"), ("worse", "hurt"), ("better", "help"))
_RARE: tuple[tuple[Direction, str], ...] = tuple((way, "|".join(VERBS[kind].split())) for way, kind in _KINDS)
"""Verbs that compare only if nothing else does."""
_MORE: tuple[tuple[Direction, str], ...] = (
    ("less", r"(?:does|do|did) not (?:quite )?(?:reach|attain)|fails? to (?:reach|attain)|undercut\w*"
             r"|(?:fall|fell|stay|come|stop|remain)(?:s|ing)? short of"),
    ("better", r"favou?rably|has the edge over|(?:win|won|prevail)s? (?:out )?(?:against|over)"),
    ("worse", r"unfavou?rably|(?:lose|lost)s? (?:out )?(?:against|to)|degrad\w+|deteriorat\w+"),
)  # fmt: skip
"""Further ways to compare, as they are used of two only."""
_WAYS = (*_MORE, *COMPARES)
OPPOSITE: dict[Direction, Direction] = {"more": "less", "less": "more", "better": "worse", "worse": "better"}
_STEP = "|".join(words for _, words in _WAYS)

_PASSIVE = re.compile(
    rf"\b(?:is|are|was|were|be|being)(?: [a-z]+ly)? (?:{OVER}|outdone|exceeded|topped|undercut|overtaken|beaten)\b"
    r"[^AB]*\bby\b"
)
_AS_AGAINST = (
    r"(?:compared (?:to|with)|compare[ds]? (?:to|with)|relative to|set against|(?:as )?opposed to|contrasted with"
    r"|in contrast (?:to|with)|in comparison (?:to|with)|unlike|against|than|next to|vis-à-vis|measured against)"
)
_TO_MEET = r"\b(?:match|reach|equal|arrive at|get to|obtain)\b"
_TURNED = tuple(
    re.compile(words)
    for words in (
        r"\bfrom\b[^AB]*A\b[^AB]*\bto\b[^AB]*B\b",
        r"\b(?:replac|exchang|swap|trade)\w*[^AB]*A\b[^AB]*\b(?:by|with|for|against)\b[^AB]*B\b",
        r"A\b[^AB]*\b(?:replaced|exchanged|swapped|superseded|traded)\b[^AB]*\b(?:by|with|for)\b[^AB]*B\b",
        rf"\bbetween\b[^AB]*A and\b[^AB]*B\b.*\b(?:{'|'.join(w for d, w in COMPARES[2:])})",
        rf"^[^AB]*\b{_AS_AGAINST}\b[^AB]*A\b",
        r"\bsubtract\w*\b[^AB]*A\b[^AB]*\bfrom\b[^AB]*B\b",
        r"\bdivided by\b[^AB]*A\b[^AB]*,[^AB]*B\b",
        rf"A\b[^AB]*\b(?:multiplied|rise|increase|grow|fall|decrease|drop|shrink)\b.*{_TO_MEET}[^AB]*B\b",
        rf"\b(?:takes?|needs?|requires?)\b[^AB]*\bA\b.*{_TO_MEET}[^AB]*B\b",
    )
)
"""What the second of two is compared with the first in."""
_STRAIGHT = re.compile(
    r"\b(?:than|over|against|compared|contrasted|opposed|relative|versus|vs|rather|instead|not|reach|attain|of|as|from|to|by"
    r"|with|and)\b"
)
_APART = re.compile(r"\b(?:differ\w*|gaps?|margins?|separat\w+|subtract\w*|distance|apart|minus|leaves|divides)\b")
_HANDLED = re.compile(
    rf"\b(?:(?:is|are|was|were)(?: [a-z]+ly)? (?=(?:{OVER}|outdone|exceeded) by (?:(?:the|that of|those of) )?M)|"
    r"former|latter|rather than|instead of|not the other way (?:a?round)|(?:and )?not (?=(?:the )?M\d)"
    r"|(?:does|do|did) not (?=(?:quite )?(?:reach|attain))|fails to (?=reach|attain)"
    r"|would (?=(?:have|need|mean|be|result|lead)\b)|(?:it )?should (?=be [a-z]+ed that\b)"
    r"|if (?=(?:[a-z]+ |M\d+ ){1,5}(?:go|goes|moves?|switch\w*|pass\w*|turns?|(?:replac|exchang|swapp|compar)\w+)\b)"
    r"|in (?:a )?different|two different|differences?|different from|(?:would )?(?:have|has|had) to be)\b"
)
"""Words that would leave a statement open, if they weren't read here."""
_REFERS = re.compile(
    r"\b(?P<first>former|(?:the )?first(?: one)?(?= (?:being|is|has|having|of the two)))\b"
    r"|\b(?P<second>latter|(?:the )?second(?: one)?(?= (?:being|is|has|having|of the two)))\b"
)


@dataclass(frozen=True, slots=True)
class Name:
    """A label, or a choice of labels, that a clause names in some places."""

    dimension: int
    labels: frozenset[str]
    exact: bool
    mentions: tuple[Mention, ...]


def names_of(clause: Clause) -> list[Name]:
    """Returns the different things that a clause names."""
    found: list[Name] = []
    for m in sorted(clause.mentions, key=clause.place):
        at = next((n for n, x in enumerate(found) if (x.dimension, x.labels) == (m.dimension, m.labels)), None)
        if at is None:
            found.append(Name(m.dimension, m.labels, m.exact, (m,)))
        else:
            found[at] = replace(found[at], mentions=(*found[at].mentions, m))
    return found


def as_mention(name: Name) -> Mention:
    return replace(name.mentions[0], labels=name.labels, exact=name.exact)


def _sides(clause: Clause) -> tuple[list[Name], list[Name], list[Name]] | None:
    """Returns the names of the first cell, of the second one, and those of both."""
    groups: dict[int, list[Name]] = defaultdict(list)
    for name in names_of(clause):
        groups[name.dimension].append(name)
    two = [g for g in groups.values() if len(g) == 2]
    shared = [g[0] for g in groups.values() if len(g) == 1]
    if not two or len(two) > 2 or any(len(g) > 2 for g in groups.values()):
        return None
    if len(two) == 1:
        return two[0][:1], two[0][1:], shared
    order = sorted((n for g in two for n in g), key=lambda n: clause.place(n.mentions[0]))
    if order[0].dimension == order[1].dimension or order[2].dimension == order[3].dimension:
        return None
    if len({n.dimension < clause.layout.rows for n in order}) > 1:
        return None  # "A has a larger M than B and a higher K"
    return order[:2], order[2:], shared


def _lettered(clause: Clause, first: Sequence[Name], second: Sequence[Name]) -> str:
    """Returns the text with A and B for the two sides."""
    text = clause.text
    index = {id(m): n for n, m in enumerate(clause.reading.mentions)}
    for letter, side in (("A", first), ("B", second)):
        for n, name in enumerate(side):
            for m in name.mentions:
                text = re.sub(rf"\bM{index[id(m)]}\b", letter if not n else "m", text)
    return re.sub(r"\bM\d+\b", "m", text)


def _turned(text: str) -> bool | None:
    """Returns whether the second of A and B is compared with the first; None if it's open."""
    if refers := {m.lastgroup for m in _REFERS.finditer(text)}:
        return None if len(refers) > 1 else "second" in refers
    if any(words.search(text) for words in _TURNED):
        return True
    order = "".join(re.findall(r"\b([AB])\b(?!(?: an?| the)? \1\b)", text))  # "sites behind a CDN" may be two parts
    if order in ("ABA", "ABB"):
        return order == "ABB"
    between = re.search(r"\bA\b(?! (?:[a-z]+ )?(?:and|or)(?: the)? B\b)(.*?)\bB\b", text)
    return (
        False if order == "AB" and between and re.search(rf"{_STRAIGHT.pattern}|\b(?:{_STEP})\b", between[1]) else None
    )


def _way(text: str) -> tuple[Direction, re.Match[str]] | None:
    """Returns the only direction in which a text compares A and B, or that of the first of two opposite ones ("lower
    with A and higher with B")."""
    found = [
        (d, m) for phrases in (_WAYS,) for d, words in phrases for m in re.finditer(rf"(?<!at )\b(?:{words})\b", text)
    ]
    found = [
        f for n, f in enumerate(found) if not any(_inside(f[1], g[1], n > k) for k, g in enumerate(found) if k != n)
    ]
    found = found or _rare(text)
    ways = {d for d, _ in found}
    if len(ways) == 1:
        return found[0]
    at, other = text.find("A "), re.search(r"\bB\b", text)
    before = [f for f in found if f[1].start() < at]
    between = [f for f in found if at < f[1].start() < (other.start() if other else 0)]
    if before and between and OPPOSED.search(text):
        last, next_ = (max(x, key=lambda f: f[1].start()) for x in (before, between))
        if next_[0] == OPPOSITE[last[0]] and text.find("A ", other.start() if other else 0) < 0:
            return last
    return None


def _rare(text: str) -> list[tuple[Direction, re.Match[str]]]:
    beside = r"(?= (?:[a-z]+ ){0,3}[ABmN])"
    return [(d, m) for d, words in _RARE for m in re.finditer(rf"\b(?:{words})\b{beside}", text)]


def _inside(one: re.Match[str], other: re.Match[str], later: bool) -> bool:
    """Returns whether a match is within another, or the same and that of a later pattern."""
    return other.start() <= one.start() and one.end() <= other.end() and (later or one.span() != other.span())


_UNDER = re.compile(r"^\W*(?:for|with|under|when|at|without)\b[^,MN]* ,")
"""A condition at the beginning that the table doesn't have."""


_EVERY = re.compile(r"\b(?:any|each|every|no) other\b")


def two_cells(clause: Clause) -> Finding | None:
    """Reads a clause by what it names, whatever its wording: two labels of one kind that select one cell each, which of
    them is compared with the other, and a direction or an amount."""
    named = _sides(clause)
    if named is None or any(words.search(clause.text) for words in (*COUNT, _EVERY)) or clause.reading.names:
        return None
    first, second, shared = named
    text = re.sub(r"^[^ABmN]* \. ", "", _lettered(clause, first, second))
    way, turned = _way(text), _turned(text)
    if _PASSIVE.search(text) and way:
        way = OPPOSITE[way[0]], way[1]
    cells = [clause.where(*map(as_mention, (*side, *shared))) for side in (first, second)]
    pairs: Pairs = [
        (a, b)
        for a in cells[0]
        for b in cells[1]
        if len(first) > 1 or clause.context(a, first[0].dimension) == clause.context(b, first[0].dimension)
    ]
    if re.search(r"\b(?:both|each|all)\b[^ABN]*A\b[^ABN]* and\b[^ABN]*B\b", text) and turned is None:
        return None
    if len(pairs) != 1 and (clause.numbers or not ALL.search(text)):
        return None
    if turned:
        pairs = [(b, a) for a, b in pairs]
    if DOING.search(clause.text) or VALUES_FROM_TO.search(clause.text):
        return None
    plain = Clause(clause.layout, replace(clause.reading, text=_plain(clause.text, way)))
    if plain.vague() or plain.negated():
        return None
    exact = all(name.exact for name in (*first, *second, *shared)) and not _UNDER.search(clause.text)
    if any(may_be_other(clause, name) for name in (*first, *second)):
        return None
    found = _found(plain, text, pairs, way, turned)
    return found if found is None or exact else replace(found, holds=found.holds or None)


def may_be_other(clause: Clause, name: Name) -> bool:
    """Returns whether a word that no label has is directly before a label that others contain: "the recurrent Skip"
    next to "Deep-Skip"."""
    own = {w for x in name.labels for w in label_words(x)}
    others = {x for x in clause.layout.labels(name.dimension) if x not in name.labels and own <= {*label_words(x)}}
    strange = {w.lower() for w in (*clause.reading.unknown, *clause.reading.beside)}
    before = [re.search(r"([a-z]+) $", clause.text[: clause.place(m)]) for m in name.mentions]
    return bool(others) and any(found is not None and found[1] in strange and found[1][:2] != "un" for found in before)


def _plain(text: str, way: tuple[Direction, re.Match[str]] | None) -> str:
    """Returns a text without the words that are read here."""
    plain = _HANDLED.sub("", text)
    if way and OPPOSED.search(text):  # "lower with A and higher with B"
        other = next(words for d, words in COMPARES if d == OPPOSITE[way[0]])
        plain = re.sub(rf"\b(?:{other})\b", "", plain)
    return re.sub(r" +", " ", plain)


def _found(
    clause: Clause, text: str, pairs: Pairs, way: tuple[Direction, re.Match[str]] | None, turned: bool | None
) -> Finding | None:
    numbers = range(len(clause.numbers))
    ratios = [n for n in numbers if clause.role(n) == "ratio" or _is_ratio(n, text)]
    apart = [n for n in numbers if n not in ratios and (clause.role(n) == "difference" or _is_difference(n, text))]
    values = [n for n in numbers if n not in (*ratios, *apart)]
    if len(ratios) + len(apart) > 1 or len(values) > 2:
        return None
    if ratios:
        if turned is None and "differ" not in text:
            return None
        found = multiple(clause, ratios[0], pairs)
    elif apart:
        both = turned is None or way is None
        found = amount(clause, apart[0], pairs, None if both else way)
    elif way is None or turned is None or (values and not re.search(rf"\b(?:{_STEP})\b", text)):
        return None
    else:
        at = re.search(rf"\b{re.escape(way[1][0])}\b", clause.text)
        found = one_by_one(clause, pairs, way[0], at or way[1])
    return _with_values(clause, found, values, pairs[0])


def _is_ratio(n: int, text: str) -> bool:
    return bool(
        re.search(rf"\bN{n} (?:- )?(?:fold|times)\b|\bfactor of (?:[a-z]+ )*N{n}\b", text)
        or re.search(rf"\b(?:divid\w+|ratio|quotient|multipl\w+)\b.*\bN{n}\b", text)
    )


def _is_difference(n: int, text: str) -> bool:
    near = rf"\bN{n} (?:(?:%|percent|points?|[a-z]+) ){{0,3}}?(?:{_STEP}|{AMOUNT})\b"
    verbs = "|".join(words for _, words in (*_RARE, *COMPARES))
    verb = rf"\b(?:{verbs}) (?:(?:{ABOUT}|only|just|a|mere|the|further) ){{0,3}}N{n}\b"
    by = rf"\b(?:by|{AMOUNT} of) (?:[a-z]+ ){{0,3}}?N{n}\b"
    return bool(_APART.search(text) or re.search(near, text) or re.search(by, text) or re.search(verb, text))


def _with_values(clause: Clause, found: Finding, values: Sequence[int], cells: tuple[Entry, Entry]) -> Finding:
    """Requires that each further number is that of one of the two cells, the first that of the cell it's with."""
    for n in values:
        said = [clause.says(n, e) for e in cells]
        if not any(said):
            with_ = re.search(rf"\b(?:with|at)\b[^,]* of N{n}\b", clause.text)
            holds = False if found.holds is not None and with_ and said[0] is False else None
            found = replace(found, holds=holds)
        elif not said[0] and len(values) == 1 and found.holds:
            found = replace(found, holds=None)
    return found
