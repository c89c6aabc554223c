"""Rules for comparing statements: with another, with all others, along the rows.

A rule takes a clause and returns what its cells say, or None if it doesn't apply to the clause.
"""

import re
import statistics
from collections import defaultdict
from collections.abc import Collection, Sequence

from engine.statements.grids import Entry
from engine.statements.table_cells import Clause, Finding, Kind, named
from engine.statements.table_mentions import Mention
from engine.statements.table_phrases import (
    ALL,
    AMOUNT,
    BESIDE,
    BOUNDS,
    COUNTED,
    DEGREE,
    MEASURED,
    NTH,
    OTHERS,
    RIVALS,
    ROWS,
    STATES,
    VAGUE,
    VALUES_FROM_TO,
    Direction,
    comparison_in,
    extreme_in,
    has_word,
    label_words,
    stated,
)

FAR, NEAR = 0.3, 0.02
""""Slightly better" isn't supported by cells that differ by more than the first share of the larger one, "much better"
not by cells that differ by less than the second."""
_MAIN = tuple(
    re.compile(words, re.IGNORECASE)
    for words in (
        r"\b(?:overall|average|avg|combined|all)\b",
        r"\bf-?1\b|\bf(?:[- ]score|[- ]measure)?\b",
        r"\bacc",
        r"\bau(?:ro)?c\b",
    )
)
"""Columns that represent the others when a statement mentions performance without a measure, most representative
first."""
Pairs = Sequence[tuple[Entry, Entry]]
Results = Sequence[bool | None]


def of_pairs(kind: Kind, pairs: Pairs, results: Results, holds: bool | None, used: Sequence[int] = ()) -> Finding:
    """Returns the finding of a comparison; pairs that contradict it are shown first."""
    cells = [e for pair in pairs for e in pair]
    measures = {(e.unit, e.quantity.percent, e.quantity.decimals > 0) for e in cells}
    one_line = len({e.column for e in cells}) == 1 or len({e.row for e in cells}) == 1
    if holds is False and used and len(measures) > 1 and not one_line and not any(results):
        holds = None  # which of several measures is meant is unknown
    shown = [p for p, r in zip(pairs, results, strict=True) if holds is not False or r is not True] or list(pairs)
    entries = tuple(dict.fromkeys(e for pair in shown[:6] for e in pair))
    why = "The table doesn't have the two cells that this compares."
    if shown:
        why = f"The table has {named(shown[0][0])} and {named(shown[0][1])}."
    return Finding(kind, holds, entries, why, frozenset(used))


DOING = re.compile(r"\b(?:more|fewer) M\d+ [a-z]+ed\b")
"""What counts only those who do something: "more patients dropped out of A than of B"."""


_EQUAL = re.compile(r"\b(?:at|with|for|under) (?:[a-z]+ )?(?:the |an? )?(?:same|comparable|similar|fixed|equal)\b")


# --- one against another ----------------------------------------------------------------------------------------------


def comparison(clause: Clause) -> Finding | None:
    """ "A is better than B on M"."""
    compared, sides = comparison_in(clause.text), clause.sides()
    if compared is None or sides is None:
        return None
    direction, match = compared
    if re.search(rf"\b{AMOUNT}\b", clause.text) or clause.text.count(" than ") > 1 or DOING.search(clause.text):
        return Finding("comparison", None)
    others = [m for m in clause.reading.mentions if m.dimension != sides[0][0].dimension]
    if _EQUAL.search(clause.text) and others and not {m.dimension for m in clause.mentions} - {sides[0][0].dimension}:
        return Finding("comparison", None)  # "faster at the same accuracy" isn't about accuracy
    if direction in ("more", "less") and (ends := VALUES_FROM_TO.search(clause.text)):
        first, second = (clause.numbers[int(n)].value for n in ends.groups())
        if (first < second) != (direction == "more"):
            return Finding("comparison", None)  # "falls from 3 to 5"
    pairs = clause.pairs(*sides)
    pairs = [(a, b) for a, b in pairs if a.value != b.value] or pairs
    return one_by_one(clause, pairs, direction, match)


def _main(entries: Sequence[Entry]) -> set[int]:
    """Returns the columns that represent the others, if there are some and they aren't all."""
    columns = {e.column: " ".join(e.labels) for e in entries}
    for words in _MAIN:
        found = {column for column, label in columns.items() if words.search(label)}
        if found:
            return found if len(found) < len(columns) else set()
    return set()


_IN_ALL = re.compile(r"\b(?:for|on|in|across|under) (?:all|every|each)\b(?! (?:of )?(?:the )?[a-z ]*M\d)")
"""Several cases, which one cell can't stand for."""


def one_by_one(clause: Clause, pairs: Pairs, direction: Direction, match: re.Match[str]) -> Finding:
    results = [clause.further(a, b, direction) for a, b in pairs]
    negated = clause.negated(match.start())
    holds = clause.verdict(results, negated)
    if clause.unknown_after(match) or (len(pairs) == 1 and _IN_ALL.search(clause.text)):
        return of_pairs("comparison", pairs, results, None)
    if holds is None and direction in ("better", "worse") and (main := _main([a for a, _ in pairs])):
        kept = [n for n, (a, _) in enumerate(pairs) if a.column in main]
        holds = clause.verdict([results[n] for n in kept], negated)
    if holds is True and not negated and (degree := DEGREE.search(clause.text[: match.start()])):
        apart = [abs(a.value - b.value) / (max(abs(a.value), abs(b.value)) or 1.0) for a, b in pairs]
        fits = [x <= FAR if degree["little"] else x >= NEAR for x in apart]
        holds = True if 2 * sum(fits) > len(fits) else None
    return of_pairs("comparison", pairs, results, holds)


def difference(clause: Clause) -> Finding | None:
    """ "A is 2.3 points higher than B": checks the amount and the direction."""
    numbers = [n for n in range(len(clause.numbers)) if clause.role(n) in ("difference", "ratio")]
    sides = clause.sides()
    if len(numbers) != 1 or sides is None:
        return None
    n = numbers[0]
    # "By less than 3" says how much, not which way.
    text = re.sub(rf"\b(?:by|is|was) (?:more|less|fewer|greater) than (?=(?:\w+ )?N{n}\b)", "by ", clause.text)
    compared = comparison_in(text)
    if compared is None and text != clause.text and (change := re.search(r"\b(improv)\w*|\b(increas|rais)\w*", text)):
        compared = "better" if change[1] else "more", change
    pairs = clause.pairs(*sides)
    return multiple(clause, n, pairs) if clause.role(n) == "ratio" else amount(clause, n, pairs, compared)


def amount(clause: Clause, n: int, pairs: Pairs, compared: tuple[Direction, re.Match[str]] | None) -> Finding:
    measured = clause.measured(n, [a for a, _ in pairs])
    pairs = [(a, b) for a, b in pairs if a in measured]
    neutral = re.search(r"\b(?:difference|gap|margin|differ\w*)\b", clause.text)
    if compared is None or (neutral and not re.search(r"\b(?:higher|lower|better|worse)\b", clause.text)):
        way: list[bool | None] = [True] * len(pairs)
    else:
        way = [clause.further(a, b, compared[0]) for a, b in pairs]
    if None in way and compared is not None:  # what is better is unknown; usually higher values are
        ahead = [(a.value > b.value) == (compared[0] == "better") and differs(clause, n, a, b) for a, b in pairs]
        way = [
            True if one else None if differs(clause, n, a, b) else False
            for one, (a, b) in zip(ahead, pairs, strict=True)
        ]
    both = [None if w is None else w and differs(clause, n, a, b) for w, (a, b) in zip(way, pairs, strict=True)]
    negated = bool(re.search(r"\b(?:not|never)\b", clause.text))
    holds = None
    if (
        pairs
        and None not in both
        and not clause.vague()
        and not re.search(rf"\bN{n} (?:%|points?)? ?[∼~–-] ?N", clause.text)
    ):
        one = len(pairs) == 1
        if any(both) and (one or not ALL.search(clause.text)):
            holds = not negated
        elif not any(both) and (one or not clause.reading.unknown):
            # Rounding of the two cells may affect the last digit of their difference, except for counts.
            rounded = [p.quantity.decimals > 0 or p.quantity.percent for a, b in pairs for p in (a, b)]
            close = any(rounded) and any(
                w and differs(clause, n, a, b, slack=1.0) for w, (a, b) in zip(way, pairs, strict=True)
            )
            holds = None if close else negated
    return of_pairs("difference", pairs, both, holds, [n])


def multiple(clause: Clause, n: int, pairs: Pairs) -> Finding:
    """ "A is 1.7 times that of B", "the ratio between A and B is 1.7", "A is 3 times faster than B"."""
    said, pairs = clause.numbers[n], [(a, b) for a, b in pairs if a.value and b.value]
    compared, fast = comparison_in(clause.text), re.search(r"\bas (?:fast|quick) as\b", clause.text)
    ratios = [a.value / b.value for a, b in pairs]
    if (compared is not None and said.value > 1) or fast:
        signs = [
            -1 if fast and a.unit in MEASURED else clause.sign(a, compared[0] if compared and not fast else "better")
            for a, _ in pairs
        ]
        ratios = [1 / r if sign == -1 else r if sign else 0.0 for sign, r in zip(signs, ratios, strict=True)]
    exact = said.decimals > 0 and "fold" not in clause.text and not clause.about(n)
    near = 0.5 * 10.0**-said.decimals * (1 + 1e-9) if exact else 0.1 * said.value
    more = re.search(rf"\b(more than|over|at least|less than|under|nearly|almost) N{n}\b", clause.text)
    results: list[bool | None] = []
    for ratio in ratios:
        off = ratio - said.value
        if ratio and re.search(r"\bratio\b|\bdiffer", clause.text):
            off = min(off, 1 / ratio - said.value, key=abs)
        if more and more[1] not in ("nearly", "almost"):
            results.append((off > 0) == (more[1] in ("more than", "over", "at least")))
        elif more and -1.5 * near < off <= near:
            results.append(True)
        else:
            results.append(abs(off) <= near or (False if abs(off) > 2 * near else None))
    measure = re.search(r"\bfold (?:of )?the (?!M\d)([a-z]+) (?!M\d)", clause.text)  # the measure has no column
    vague = measure or VAGUE.search(clause.text.replace(more[0], "") if more else clause.text)
    holds = results[0] if len(results) == 1 and not vague and not clause.negated() else None
    holds = holds or None if fast and not all(m.exact for m in clause.mentions) else holds
    return of_pairs("difference", pairs, results, holds, [n])


_SHARE = 9
"""The decimals of a difference relative to one of two cells."""


def differs(clause: Clause, n: int, a: Entry, b: Entry, slack: float = 0.0) -> bool | None:
    """Returns whether two cells differ by a number: absolute, in percentage points, or relative if it is a percentage;
    None if the number is in another unit."""
    said = clause.numbers[n]
    if clause.converted(n, a) != said.value:
        return None
    decimals = max(a.quantity.decimals, b.quantity.decimals)
    found = abs(a.quantity.value - b.quantity.value)
    options = [(found, decimals)] if a.unit == b.unit or not {a.unit, b.unit} & {"k", "M"} else []
    if a.unit in ("k", "M"):
        options.append((abs(a.value - b.value), decimals - (3 if a.unit == "k" else 6)))
    if said.percent and b.value and "point" not in said.text:
        options.append((100 * found / abs(b.value), _SHARE))
    points = said.percent or re.search(rf"\bN{n}\b (?:\w+ )?points?", clause.text)
    if points and not a.quantity.percent:
        options.append((100 * found, max(0, decimals - 2)))
    limit = re.search(rf"\b(?:(more than|over|at least)|less than|under|at most) (?:\w+ )?N{n}\b", clause.text)
    if limit is not None:
        beyond = [round(value - abs(said.value), 9) for value, _ in options]
        if "at " in limit[0]:
            cases = {x >= 0 if limit[1] else x <= 0 for x in beyond}
        else:
            cases = {x > 0 if limit[1] else x < 0 for x in beyond}
        return cases.pop() if len(cases) == 1 else None
    in_proportion = said.percent and re.search(r"\brelatively\b", clause.text) is not None
    if said.percent and re.search(
        rf"\brelative (?!to)(?:[a-z]+ |M\d+ ){{0,3}}{AMOUNT}|\brelative terms\b|\brelatively speaking\b", clause.text
    ):
        options = [(value, exact) for value, exact in options if exact == _SHARE]
    for value, exact in options:
        off = abs(abs(said.value) - value)
        half = 0.5 * 10.0**-said.decimals
        if off <= max(half if said.decimals < exact else 0, slack * 10.0**-decimals) + 1e-6 or (
            clause.about(n) and off <= max(half, 0.05 * value)
        ):
            return None if in_proportion and exact != _SHARE else True
    return False


def against_rivals(clause: Clause) -> Finding | None:
    """ "A outperforms the baselines": compared with everything beside it, if it clearly leads or trails."""
    compared = comparison_in(clause.text)
    if compared is None or clause.sides() is not None or not RIVALS.search(clause.text, compared[1].start()):
        return None
    direction, match = compared
    subject = clause.subject(match)
    if subject is None or re.search(rf"\b{AMOUNT}\b", clause.text):
        return None
    dimension = subject[0].dimension
    rest = [m for m in clause.mentions if m.dimension != dimension]
    pairs = [
        (a, b)
        for a in clause.where(*subject, *rest)
        for b in clause.where(*rest)
        if clause.context(a, dimension) == clause.context(b, dimension)
        and b.labels[dimension] != a.labels[dimension]
        and not is_beside(clause, b, dimension)
    ]
    return one_by_one(clause, pairs, direction, match)


def alone(clause: Clause) -> Finding | None:
    """ "A performs better on M" without a "than": compared with everything beside it, each by its mean."""
    compared = comparison_in(clause.text)
    if compared is None or clause.numbers or clause.sides() is not None or extreme_in(clause.text):
        return None
    direction, match = compared
    if not STATES.fullmatch(match[0]) or re.search(rf"\bthan\b|\b{AMOUNT}\b", clause.text):
        return None
    if RIVALS.search(clause.text, match.start()) or clause.unknown_after(match):
        return None
    before = [m for m in clause.mentions if clause.place(m) < match.start() and not clause.apart(m)]
    if not before:
        return None
    dimension = before[-1].dimension
    subject = [m for m in before if m.dimension == dimension]
    own = frozenset[str]().union(*(m.labels for m in subject))
    lines: dict[int, dict[str, list[Entry]]] = defaultdict(lambda: defaultdict(list))
    for entry in clause.where(*(m for m in clause.mentions if m.dimension != dimension)):
        if not is_beside(clause, entry, dimension):
            line = entry.column if dimension < clause.layout.rows else entry.row
            label = "" if entry.labels[dimension] in own else entry.labels[dimension]
            lines[line][label].append(entry)
    results: list[bool | None] = []
    pairs: list[tuple[Entry, Entry]] = []
    for by_label in lines.values():
        for label in [x for x in by_label if x] if "" in by_label else ():
            sign = clause.sign(by_label[""][0], direction)
            mine, other = (statistics.fmean(e.value for e in by_label[x]) for x in ("", label))
            pairs.append((by_label[""][0], by_label[label][0]))
            results.append(None if sign is None else sign * (mine - other) > 0)
    negated = clause.negated(match.start())
    holds = clause.verdict(results, negated) if len(set(results)) == 1 else None
    return of_pairs("comparison", pairs, results, holds)


_HAVING = re.compile(r"\b(?:includes?|contains?|combines?|consists?|lacks?)\b")
"""Describes what the best consists of, not which one it is."""

# --- comparison with all ----------------------------------------------------------------------------------------------


def superlative(clause: Clause) -> Finding | None:
    """ "A has the highest M", "A outperforms all others", "the highest M is 84.0"."""
    extreme, compared = extreme_in(clause.text), comparison_in(clause.text)
    at = compared[1].start() if compared else len(clause.text)
    others = bool(OTHERS.search(clause.text, at)) and not any(words.match(clause.text, at) for words, _ in BOUNDS)
    chosen = compared if compared and others else extreme
    if chosen is None:
        return None
    direction, match = chosen
    subject = clause.subject(match)
    twice = not others and extreme_in(clause.text[match.end() :])
    if subject is None:
        return Finding("superlative", None) if twice else _extreme_value(clause, direction)
    sides, before = clause.sides() is not None, compared is not None and compared[1].start() < match.start()
    if not others and sides and before:
        return None
    if (
        twice
        or (not others and (sides or (before and extreme is not None)))
        or re.search(rf"\b{AMOUNT}\b", clause.text)
    ):
        return Finding("superlative", None)
    said = re.match(r" ([a-z]+)\b", clause.text[match.end() :])
    own_words = {word for m in clause.mentions for x in m.labels for word in label_words(x)}
    other = said and any(
        has_word(label_words(x), said[1]) and not has_word(tuple(own_words), said[1])
        for d in clause.layout.dimensions
        for x in clause.layout.labels(d)
    )
    if other or clause.unknown_after(match) or _HAVING.search(clause.text, match.end()):
        return Finding("superlative", None)
    rows = clause.layout.rows
    crossed = [m for m in clause.mentions if (m.dimension < rows) != (subject[0].dimension < rows)]
    several = len({measure_of(clause, e) for e in clause.where(*subject)}) > 1
    if several and not crossed and direction in ("more", "less"):
        return Finding("superlative", None)  # the highest of something unspecified
    nth = _RANKED.search(clause.text[: match.start()])
    rank = NTH.index(nth[1]) if nth and nth[1] else 2 if nth else 1
    ranked = [ranks(clause, subject, direction, rank=rank, loose=loose) for loose in (False, True)]
    negated = clause.negated(match.start())
    strict, loose = (clause.verdict(results, negated) for results, _ in ranked)
    whom = clause.whom(match) if direction in ("more", "less") else []
    its = re.search(r"\b(?:its|their)(?: own)? $", clause.text[: match.start()])
    sure = not ranked[1][0] or its or [m.dimension for m in whom[:1]] == [subject[0].dimension]
    holds = strict if strict == loose or sure else loose if not ranked[0][0] else None
    entries = tuple(ranked[0][1] or ranked[1][1])
    if whom and whom[0].dimension != subject[0].dimension:  # among the rows of that column, or among the columns
        across = clause.verdict(ranks(clause, whom, direction, rank=rank)[0], negated)
        holds = holds if across is holds or (holds and across is None) else None
    where = [m for m in clause.mentions if m.dimension < rows and clause.place(m) > match.start()]
    if holds and where and subject[0].dimension >= rows and direction in ("better", "worse"):
        # "A does best on B" may mean that B is the one on which A is best.
        holds = clause.verdict(ranks(clause, where, direction, rank=rank)[0], negated) or None
    if holds is None and direction in ("better", "worse") and subject[0].dimension < rows:
        main = _main(clause.where(*clause.mentions))
        found = (ranks(clause, subject, direction, rank=rank, loose=x, columns=main)[0] for x in (False, True))
        both = [clause.verdict(results, negated) for results in found]
        holds = both[0] if main and both[0] == both[1] else None
    if holds is True and subject[0].dimension < rows:
        # The best below a subheading that the statement doesn't name may not be the best overall.
        rest = clause.where(*(m for m in clause.mentions if m.dimension >= rows))
        named_ = any(m.dimension == rows - 2 for m in clause.mentions)
        apart = set() if named_ else {e.labels[rows - 2] for e in rest}
        holds = None if named_ and rank > 1 and len(clause.layout.labels(rows - 2)) > 1 else True  # which rows count?
        signs = {clause.sign(e, direction) for e in rest}
        if len(apart) > 1 and len(signs) == 1 and None not in signs:
            sign = signs.pop() or 1
            own = {e.column: e for e in entries[::-1]}
            ahead = [e for e in rest if e.column in own and sign * e.value > sign * own[e.column].value]
            holds = None if any(not is_beside(clause, e, 0) for e in ahead) and rank == 1 else holds
    if holds is False and (some := _SOME.search(clause.text)):
        same = clause.reading.mentions[int(some[1])].dimension == subject[0].dimension
        holds = None if same else False  # "among A and B, B is the best"
    if holds is False and (among := _AMONG.search(clause.text, match.end())):
        all_ = {e.labels[subject[0].dimension] for e in clause.layout.entries}
        holds = False if COUNTED.index(among[1]) == len(all_) else None  # "of the three classifiers" among other rows
    beside = holds is False and clause.numbers and crossed  # "NE density in A is 16.8 %, the highest of all corpora"
    if beside and clause.verdict(ranks(clause, crossed, direction, rank=rank)[0], negated):
        holds = None
    if (
        len(subject) == 1
        and not subject[0].exact
        and len(subject[0].labels) > 1
        and not (ALL.search(clause.text) or its)
    ):
        holds = None  # which of them is open
    why = "The table has nothing to compare this with."
    if entries:
        better = f", and {named(entries[1])}" if holds is False and len(entries) > 1 else ""
        why = f"The table has {named(entries[0])}{better}."
    return Finding("superlative", holds, entries, why)


_SOME = re.compile(r"\b(?:of|among)(?: [a-z]+){0,3} M(\d+)(?: , M\d+)*(?: ,)? (?:and|or) M\d+\b")
_AMONG = re.compile(rf"\b(?:of|among)(?: the| all| these)* ({'|'.join(COUNTED[2:])})\b")
_RANKED = re.compile(rf"\b({'|'.join(NTH[2:])})\b[ -]*$|\b2nd[ -]*$|\brunner")


def _extreme_value(clause: Clause, direction: Direction) -> Finding | None:
    entries = clause.where(*clause.mentions)
    if len(clause.numbers) != 1 or len(entries) < 2:
        return None
    sign = clause.sign(entries[0], direction)
    if sign is None or (len({e.column for e in entries}) > 1 and len({e.row for e in entries}) > 1):
        return None
    top = max(entries, key=lambda e: sign * e.value)
    certain = not clause.reading.unknown and not clause.vague() and not clause.negated()
    certain = certain and stated(0, clause.text) and " second " not in clause.text
    holds = clause.says(0, top)
    holds = None if holds is False and not certain else holds
    return Finding("superlative", holds, (top,), f"The table has {named(top)}.", frozenset({0}))


def _group(clause: Clause, entry: Entry, dimension: int, loose: bool) -> tuple[object, ...]:
    """Returns what numbers ranked together share; different subheadings are always separate."""
    rows = clause.layout.rows
    if ROWS.search(clause.text):
        return (entry.column if dimension < rows else entry.row,)
    section = entry.labels[rows - 2] if dimension < rows - 2 else ""
    return (section, *clause.context(entry, dimension, loose))


def is_beside(clause: Clause, entry: Entry, dimension: int) -> bool:
    """Returns whether the row of a number (or its column, if columns are compared) isn't among those compared."""
    rows = clause.layout.rows
    said = frozenset[str]().union(*(m.labels for m in clause.mentions)) if dimension >= rows else frozenset()
    labels = entry.labels[:rows] if dimension < rows else entry.labels[rows:]
    beside = BESIDE.search(" ".join(label for label in labels if label not in said))
    return bool(beside) and not ROWS.search(clause.text)


def measure_of(clause: Clause, entry: Entry) -> tuple[object, ...]:
    return entry.unit, entry.quantity.percent, entry.quantity.decimals > 0, clause.layout.better_by_name(entry)


def ranks(
    clause: Clause,
    subject: Sequence[Mention],
    direction: Direction,
    *,
    rank: int = 1,
    loose: bool = False,
    columns: Collection[int] = (),
) -> tuple[list[bool | None], list[Entry]]:
    """Returns whether the subject has a rank in each column (or row) of the comparison, with its cell and a better
    one."""
    dimension = subject[0].dimension
    rest = [m for m in clause.mentions if m.dimension != dimension]
    own = [e for e in clause.where(*subject, *rest) if not columns or e.column in columns]
    groups = defaultdict(list)
    # Attributes of the subject ("A with B") don't restrict what it is ranked among.
    among = [m for m in rest if not loose or (m.dimension < clause.layout.rows) != (dimension < clause.layout.rows)]
    if loose:
        section = clause.layout.rows - 2
        among += [m for m in rest if m not in among and (clause.apart(m) or m.dimension == section)]
    for entry in clause.where(*among):
        if any(entry.labels[: clause.layout.rows]) and not is_beside(clause, entry, dimension):
            groups[_group(clause, entry, dimension, loose)].append(entry)
    results: list[bool | None] = []
    shown: list[Entry] = []
    for key in dict.fromkeys(_group(clause, e, dimension, loose) for e in own):
        mine = [e for e in own if _group(clause, e, dimension, loose) == key]
        others = [e for e in groups[key] if e not in mine]
        sign = clause.sign(mine[0], direction)
        below = any(mine[0].labels[d] for d in range(clause.layout.rows, len(mine[0].labels)) if d != dimension)
        if dimension >= clause.layout.rows and not below:  # columns with other measures aren't compared
            alike = {measure_of(clause, e) for e in mine}
            same = [e for e in others if measure_of(clause, e) in alike]
            others, sign = same, sign if len(same) == len(others) or len(same) > 1 else None
        if sign is None:
            results.append(None)
        elif others:
            top = max(mine, key=lambda e: sign * e.value)
            ahead = sorted((e for e in others if sign * (e.value - top.value) > 0), key=lambda e: -sign * e.value)
            results.append(len({e.value for e in ahead}) == rank - 1)
            shown += [top, *ahead[:1]]
    return results, shown
