"""Decides a statement that gives the values of single cells, whatever its wording: by the labels that it names
anywhere, in the order of its numbers, and how these are rounded or written ("to the nearest ten", "as a fraction")."""

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

from engine.statements.grids import Entry, Layout
from engine.statements.quantities import quantities_in
from engine.statements.table_cells import Clause, Finding, named
from engine.statements.table_conditions import restricted
from engine.statements.table_counting import instead
from engine.statements.table_forms import Rounding, in_percent, rounding_in, unit_of_share
from engine.statements.table_frames import without_title
from engine.statements.table_mentions import Mention
from engine.statements.table_phrases import (
    AMOUNT,
    CHANGES,
    EMPTY,
    LITTLE,
    MOSTLY,
    NOT,
    RATIO,
    TOKEN,
    VALUES_FROM_TO,
    comparison_in,
    extreme_in,
    fits,
    fold,
    has_word,
    label_words,
    statistics_in,
)
from engine.statements.table_words import Reading, read

TENS = re.compile(r"\bgive or take\b|\bround (?:numbers|figures)\b", re.IGNORECASE)
"""How round a number is, which leaves open what is still right."""
_IDLE = re.compile(
    r"\b(?:(?:nothing|neither|no) (?:more|less) (?:and|or|nor) (?:nothing |no )?(?:less|more)(?: than)?|more or less"
    r"|no (?:less|more) than|(?:none|nothing) (?:other|else|but)(?: than)?|not surprisingly|no exception|no doubt"
    r"|if (?:[a-z]+ )?(?:not|anything)\b|most (?:\w+ly\b|notabl[ey])|above all|not only"
    r"|(?:put|said|stated|expressed|phrased|worded) (?:differently|another way|otherwise)"
    r"|no \w+ (?:is|was|seems) (?:needed|required|necessary|called for)"
    r"|is\sno (?:typo|misprint|coincidence|accident|exception|secret)"
    r"|(?:should|must|could|may|might|can) (?:also )?be (?:mentioned|noted|stressed|added|said|stated"
    r"|pointed out|written|kept|quoted|cited|reported|repeated|taken|given|discussed|trusted)"
    r"|without (?:any )?(?:ambiguity|doubt|question|exception|reservation|hesitation)|all things considered"
    r"|[Rr](?:eviewer|eferee) \d|comment \d|^Should (?:the |any |an? )?\w+ \w+(?: about| for| in)?"
    r"|further(?:more)?)\b",
    re.IGNORECASE,
)
"""Phrases with a word of comparison that compare nothing."""
_SCANT = (
    r"(?:only )?(?:just|an? (?:little|bit|touch|shade|fraction|hair|tad|trifle|whisker|hint)|slightly|marginally"
    r"|narrowly|barely|somewhat)"
)
_UNDER = re.compile(
    rf"\b(?:{_SCANT} (?:under|below|less than|lower than|smaller than|short of|shy of|beneath)|shy of"
    r"|not quite) N(\d+)\b"
)
_OVER = re.compile(
    rf"\b(?:{_SCANT} (?:over|above|more than|higher than|larger than|greater than|beyond|past|in excess of"
    r"|upwards? of)) N(\d+)\b"
)
_BETWEEN = re.compile(
    r"\b(?:between|in (?:the )?range (?:of|from|between)|(?:any|some)where (?:from|in the range)(?: of)?)"
    r" N(\d+) (?:and|to) N(\d+)\b"
)
_PART = re.compile(r"\b(?:un|non|pre|post|anti|ex|sub|semi|half) (?:- )?$|\bnot (?:[a-z]+ )?$")
"""Before a label, turns it into another one."""
_DIFFERENCE = re.compile(
    rf"\b(?:{AMOUNT}|relative|ahead|behind|than|each|every|all(?! that)|differ\w*|separat\w*|apart|distan\w+|points?"
    r"|buys?|costs? us|adds?|adding|subtract\w*|divid\w+|multipl\w+|exchang\w+|compared|relates?|bridg\w+"
    r"|trails?|leads?|wins?|los[es]s?)\b"
)
_MOVES = re.compile(r"\b(?:changes|moves|goes)\b")
_BACK = re.compile(r"\b(?:to|over|against)(?: the)? M\d+ [^MN]*from(?: the)? M\d|\bN\d+ from")
_FEW_CELLS = 4
"""A number that is in none of so many cells that a statement may mean contradicts it."""
_WITHIN = 0.1
"""How far from a number, as a share of it, a value can be that is called a little more or less."""
_QUALIFIED = re.compile(
    r"\b(?:without|before|after(?! (?:[MN]?\d|rounding))|prior|fold|few|fewe(?:r|st)|half (?:of|the|as|that|an?)\b"
    r"|twice|double|times|factor"
    r"|second|next(?! to)|zero|at (?:best|worst|least|most)|should|ought|expect\w*|ranks?|ranked|sum|total|together"
    r"|combined|averag\w+|mean|median|on average|overall|in all|altogether"
    r"|out of|per N\d|respectable|(?:re|pre-?|fine-?)(?:train|tun)(?:ed|ing)|opposite|inverse|square|logarithm)\b"
)
"""Words for something else than the named cell, if no label contains them."""


_PARTS = r"(?:part|half|panel|block|section|wave|round|edition|portion|column|columns|rows|group|sub-?table)"


def _with_years(statement: str, layout: Layout) -> str:
    """Returns a statement with "the 2020 part" as the only label with this year."""
    labels = {x for d in layout.dimensions for x in layout.labels(d) if not x.isdigit()}
    for year in {w for x in labels for w in label_words(x) if re.fullmatch(r"(?:19|20)\d\d", w)}:
        own = [x for x in labels if year in label_words(x)]
        statement = re.sub(rf"\b{year} {_PARTS}\b", own[0], statement) if len(own) == 1 else statement
    return statement


def stated_values(statement: str, layout: Layout) -> tuple[Finding, Reading] | None:
    """Returns whether the cells that a statement names have the numbers that it gives for them; None if it says
    anything else, or the cells aren't certain."""
    statement, rounding = rounding_in(statement)
    statement, factor = unit_of_share(statement)
    statement = without_title(_IDLE.sub("", statement))
    statement = _with_years(statement, layout)
    reading = read(statement, layout)
    if not reading.mentions or not reading.numbers:
        return None
    reading = replace(reading, numbers=tuple(in_percent(q, factor) for q in reading.numbers))
    clause = Clause(layout, reading)
    if TENS.search(clause.text) and any(n.value % 10 == 0 for n in clause.numbers):
        return None  # how close is open
    plain = _BETWEEN.sub(r"N\1", _OVER.sub(r"N\1", _UNDER.sub(r"N\1", clause.text)))
    between = _BETWEEN.search(clause.text)
    numbers = [n for n in _numbers(clause) if not (between and n == int(between[2]))]
    if numbers and not _twins(clause, len(numbers)):
        return Finding("value", None), reading
    if len(numbers) == 2 and not _BACK.search(plain):
        plain = _MOVES.sub("", VALUES_FROM_TO.sub("", plain))  # "from A to B, M changes from 3 to 5"
    if not numbers or restricted(reading) or _says_more(clause, plain):
        return None
    words = {fold(t) for t in TOKEN.findall(statement) if t[0].isalnum()}
    chosen = _chosen(clause, numbers, words)
    if chosen is None:
        return None
    results: list[bool | None] = []
    cells: list[Entry] = []
    for n, own in zip(numbers, chosen, strict=True):
        found = clause.measured(n, clause.where(*own))
        if not found or len(found) > (1 if _MEAN.search(clause.text) else _FEW_CELLS):
            return None
        cells.append(found[0])
        cases = [_holds(clause, n, cell, rounding, between) for cell in found]
        if set(cases) == {False} and not (len(cases) > 1 and reading.unknown):
            results.append(False if all(_is_sure(clause, n, cell, own, words) for cell in found) else None)
        else:
            results.append(cases[0] if len(found) == 1 else None)
    part = any(_PART.search(clause.text[: _at(clause, m)]) or _is_prefix(clause, m) for m in clause.mentions)
    results = [None] if part else results  # "un-normalized"
    used = frozenset(range(len(clause.numbers)))
    if False in results:
        at = results.index(False)
        why = instead(clause, numbers[at], cells[at])
        return Finding("value", False, (cells[at],), why, used), reading
    holds = None if None in results else True
    if holds is None and not part:
        return None
    return Finding("value", holds, tuple(cells), f"The table has {named(cells[0])}.", used), reading


def _numbers(clause: Clause) -> list[int]:
    """Returns the numbers of a clause without those that only its caption explains ("after 10M frames")."""
    given = {q.value for q, _ in quantities_in(clause.layout.caption)}
    all_ = [n for n in range(len(clause.numbers)) if re.search(rf"\bN{n}\b", clause.text)]
    left = [n for n in all_ if clause.numbers[n].value not in given]
    return left or all_


_MEAN = re.compile(r"averag\w+|mean")


def _says_more(clause: Clause, plain: str) -> bool:
    """Returns whether a clause says anything else than values."""
    labels = (x for m in clause.mentions for x in m.labels)
    own = " ".join((clause.layout.caption, clause.layout.about, *labels)).lower()
    statistics = {w for e in clause.layout.entries for x in e.labels for w in statistics_in(x)}
    words = [m[0] for m in _QUALIFIED.finditer(plain) if statistics or not _MEAN.fullmatch(m[0])]
    if any(not has_word(label_words(own), fold(w.split()[-1])) for w in words):
        return True
    extreme = extreme_in(plain)
    if extreme and has_word(label_words(own), fold(extreme[1][0].split()[-1])):
        extreme = None  # "the list of top invaders"
    if comparison_in(plain) or extreme or NOT.search(plain) or MOSTLY.search(plain):
        return True
    if _DIFFERENCE.search(plain) or CHANGES.search(plain) or VALUES_FROM_TO.search(plain):
        return True
    if {clause.role(n) for n in range(len(clause.numbers))} & {"difference", "ratio"}:
        return True
    return any(re.search(RATIO.replace("NUM", rf"N{n}"), plain) for n in range(len(clause.numbers)))


def _chosen(clause: Clause, numbers: Sequence[int], words: set[str]) -> list[list[Mention]] | None:
    """Returns, for each number, the mentions that it belongs to; None if that is open."""
    chosen: list[list[Mention]] = [[] for _ in numbers]
    spread = len(numbers) == 1
    mentions = _twins(clause, len(numbers))
    for dimension in clause.layout.dimensions:
        group = _distinct(clause, [m for m in mentions if m.dimension == dimension])
        single = len(numbers) == 1
        group = _whole(clause.layout, dimension, group, words) if single else group
        if not group:
            continue
        if len(group) == 1:
            for own in chosen:
                own.extend(group)
        elif len(group) == len(numbers):
            spread = True
            for own, mention in zip(chosen, sorted(group, key=lambda m: _at(clause, m)), strict=True):
                own.append(mention)
        else:
            return None
    return chosen if spread else None


_ALIKE = re.compile(
    r"\b(?:both|itself|own|same|(?:train|learn|fit)\w* and (?:then )?(?:\w+ )?(?:test|evaluat|appl)\w*)\b"
)


def _twins(clause: Clause, count: int) -> list[Mention]:
    """Returns the mentions of a clause, two labels that may be of two label columns ("trained on A, tested on B") as
    one of each, in their order; none if that is open."""
    mentions = [*clause.mentions]
    for a, b in combinations(range(clause.layout.rows - 2), 2):
        shared = {*clause.layout.labels(a)} & {*clause.layout.labels(b)}
        own = [m for m in mentions if m.dimension == a and m.labels & shared]
        there = [m for m in mentions if m.dimension == b]
        if count > 1 and len(_distinct(clause, own)) > 1 and not len(own) == len(there) == count:
            return []
        if not own or there:
            continue
        own = _distinct(clause, own)
        if len(own) > 2:
            return []
        if count == 1 and len(own) == 2 and own[1].labels <= {*clause.layout.labels(b)}:
            mentions = [replace(m, dimension=b) if m.labels == own[1].labels else m for m in mentions]
        elif count == len(own) == 1 and _ALIKE.search(clause.text) and own[0].labels <= {*clause.layout.labels(b)}:
            mentions.append(replace(own[0], dimension=b))
    return mentions


def _distinct(clause: Clause, group: Sequence[Mention]) -> list[Mention]:
    """Removes mentions that only repeat another one, or leave open what another one says, and nouns ("the Soundex
    blocking" next to a column "# blocks")."""
    kept: list[Mention] = []
    nouns = [m for m in group if not m.exact and re.search(r"\bM\d+ $", clause.text[: _at(clause, m)])]
    for m in group:
        if m in nouns and len(nouns) < len(group):
            continue
        if any(m is not other and _is_within(m, other) for other in group) or any(
            m.labels == other.labels for other in kept
        ):
            continue
        kept.append(m)
    return kept


_LINKS = frozenset(["a", "an", "the", "of", "in", "on", "at", "by", "for", "with", "using", "from", "to", "and"])


def _is_within(mention: Mention, other: Mention) -> bool:
    """Returns whether a part of a label is a part of another one that a statement names too."""
    if mention.labels > other.labels:
        return True
    names = [label_words(x) for x in other.labels]
    return (
        not mention.exact
        and bool(mention.words)
        and mention.share < other.share
        and all(word in EMPTY or all(has_word(own, word) for own in names) for word in mention.words)
    )


def _whole(layout: Layout, dimension: int, group: list[Mention], words: set[str]) -> list[Mention]:
    """Returns the one label all of whose words a statement contains, instead of parts of it that are apart."""
    if not group:
        return group
    covered = {}
    for label in layout.labels(dimension):
        own = [w for w in label_words(label) if w not in _LINKS]
        if own and all(any(fits(form, w) for w in words) for form in own):
            covered[label] = {*own}
    among = frozenset[str]().union(*(m.labels for m in group))
    most = [x for x, own in covered.items() if x in among and not any(own < other for other in covered.values())]
    parts = [m for m in group if not m.exact or len(group) > 1]
    if len(most) == 1 and parts and all(_shares(most[0], m) for m in group):
        return [replace(group[0], labels=frozenset(most), exact=True)]
    return group


def _shares(label: str, mention: Mention) -> bool:
    own = label_words(label)
    return label in mention.labels or any({*label_words(x)} <= {*own} for x in mention.labels)


def _holds(
    clause: Clause, n: int, cell: Entry, rounding: Rounding | None, between: re.Match[str] | None
) -> bool | None:
    said, there = clause.numbers[n], cell.quantity.value
    if between is not None:
        high = int(between[2])
        ends = sorted(clause.converted(k, cell) or 0.0 for k in (n, high))
        return None if said.percent and not cell.quantity.percent else ends[0] <= there <= ends[1]
    for words, way in ((_UNDER, -1), (_OVER, 1)):
        if any(int(m[1]) == n for m in words.finditer(clause.text)):
            wanted = clause.converted(n, cell)
            if wanted is None or clause.elsewhere(n, cell) or said.percent > cell.quantity.percent:
                return None
            off = way * (there - wanted)
            return True if 0 < off <= _WITHIN * abs(wanted) else False if off <= 0 else None
    if rounding is None:
        same = clause.says(n, cell)
        if same is False and said.percent and not cell.quantity.percent and 0 < there <= 1 and said.decimals >= 0:
            return abs(said.value - 100 * there) < 1e-6
        return None if same is False and f"close to N{n}" in clause.text and "round" not in clause.text else same
    places = rounding.places(said.value)
    scale = (
        -said.decimals // 3 * 3 + 3 * (said.decimals % 3 != 0) if said.decimals < -2 or clause.reading.units[n] else 0
    )
    scale = scale if places > -3 else 0  # "to one decimal place in millions"
    found: bool | None = None
    for decimals in {places, places - scale}:
        rounded = tuple(replace(q, decimals=decimals) if k == n else q for k, q in enumerate(clause.numbers))
        one = Clause(clause.layout, replace(clause.reading, numbers=rounded)).says(n, cell)
        found = one if one or found is None else found
    if found is False and abs(said.value) < 10 and places == 0 and said.percent <= cell.quantity.percent:
        wanted = clause.converted(n, cell)
        return wanted is not None and abs(wanted - there) <= 0.5 * (1 + 1e-9)
    return found


def _is_sure(clause: Clause, n: int, cell: Entry, own: Sequence[Mention], words: set[str]) -> bool:
    """Returns whether a cell that doesn't have a number must be the one that is meant."""
    layout = clause.layout
    if clause.elsewhere(n, cell) or clause.reading.names or not _both_axes(layout, own):
        return False
    if not all(m.exact or _is_singled(layout, m) for m in own) or any(_beside(clause, m) for m in own if not m.exact):
        return False
    # The cell that has the number may be the one that is meant, if the statement has as many words of its name.
    mine = _covered(cell, words)
    for other in layout.entries:
        if clause.says(n, other) and (other.row == cell.row) != (other.column == cell.column):
            theirs = _covered(other, words)
            if theirs - mine and not mine - theirs:
                return False
            if clause.reading.unknown and any(
                {*label_words(a)} < {*label_words(b)} for a, b in zip(cell.labels, other.labels, strict=True) if a
            ):
                return False
    return True


def _both_axes(layout: Layout, own: Sequence[Mention]) -> bool:
    """Returns whether rows and columns are named, or there is just one column to name."""
    axes = {m.dimension < layout.rows for m in own}
    return len(axes) == 2 or (axes == {True} and len({e.column for e in layout.entries}) == 1)


def _at(clause: Clause, mention: Mention) -> int:
    """Returns where a mention is in the text of a clause, whatever it has since been taken to mean."""
    return clause.place(next(m for m in clause.reading.mentions if m.start == mention.start))


def _is_prefix(clause: Clause, mention: Mention) -> bool:
    """Returns whether a mention is only the first part of a word: "pre-processing" next to a column "pre"."""
    short = all(len(label) <= 4 and label.islower() for label in mention.labels) or not mention.exact
    return short and bool(re.match(r"M\d+ - (?!based|trained|tested)[a-z]", clause.text[_at(clause, mention) :]))


def _beside(clause: Clause, mention: Mention) -> bool:
    """Returns whether an unknown word, or part of one, is directly beside a mention."""
    at = _at(clause, mention)
    before, after = re.search(r"(\w+) $", clause.text[:at]), re.match(r"M\d+ (- )?(\w+)", clause.text[at:])
    unknown = {w.lower() for w in clause.reading.unknown}
    return bool((before and before[1] in unknown) or (after and after[1]))


def _covered(cell: Entry, words: set[str]) -> set[str]:
    own = {w for x in cell.labels for w in label_words(x)} - LITTLE
    return {form for form in own if any(fits(form, w) for w in words)}


def _is_singled(layout: Layout, mention: Mention) -> bool:
    """Returns whether a part of a label is its name: no other has these words, and others have those that it lacks."""
    if len(mention.labels) != 1:
        return False
    label = next(iter(mention.labels))
    rest = [label_words(x) for x in layout.labels(mention.dimension) if x != label]
    lacking = [form for form in label_words(label) if not has_word(mention.words, form)]
    alone = not any(all(has_word(other, w) for w in mention.words) for other in rest)
    return (
        alone
        and mention.share >= 0.5
        and all(len(form) < 2 or form in EMPTY or any(form in other for other in rest) for form in lacking)
    )
