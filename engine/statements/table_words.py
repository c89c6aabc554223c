"""Maps the words of a statement to a table: its labels, numbers, and the rest."""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from engine.documents.numbers import Quantity
from engine.documents.references import find_references
from engine.resource_files import resource_table
from engine.statements.grids import Layout
from engine.statements.measures import better_values
from engine.statements.quantities import quantities_in, unit_of, whole_share
from engine.statements.table_mentions import Mention, mentions_in
from engine.statements.table_phrases import (
    COUNTED,
    F1,
    LITTLE,
    MEASURED,
    NUMBER_OF,
    TOKEN,
    fold,
    has_word,
    label_words,
    same_letters,
    says_little,
)
from engine.statements.table_wording import in_letters, plainly, worded
from engine.statements.words import blanked, stem

_MINUS = "-−–"
_BRACKETED = re.compile(r"[(\[]([^()\[\]]{1,12})[)\]]")
_SQUARE = re.compile(r"\b([A-Z])\s?(?:\^\s?2|²)")
_IS = frozenset({"is", "are", "was", "were", "equals"})
_SCALE = re.compile(r"\b(thousand|million|billion)s?\b")
_MOST = frozenset({"maximum", "maximal", "minimum", "minimal"})
"""Words that are part of a measure's name if the caption has them."""
_IDLE = frozenset(map(stem, resource_table("table_words.toml")["idle"].split()))
"""Words that only say how something is reported or measured."""
_CITATION = re.compile(
    r"\[[\d,;\s–-]+\]|\(\s*(?:19|20)\d\d[a-z]?\s*\)|(?<![\d.])\b(?:19|20)\d\d[a-z]?(?=\))|\[continue\]", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Reading:
    """A statement in terms of a table. ``text`` has M0, M1... for the mentions and N0, N1... for the numbers, its other
    words in lower case; ``unknown`` are content words that are neither in the table nor in its caption, ``known`` is
    the number of those that are, ``beside`` those that only the text about the table has, ``names`` the unknown ones
    that look like names or measures: with capitals (except the first word), digits, or known as a measure."""

    text: str
    mentions: tuple[Mention, ...]
    numbers: tuple[Quantity, ...]
    units: tuple[str, ...]
    unknown: tuple[str, ...]
    known: int
    names: tuple[str, ...]
    beside: tuple[str, ...] = ()


def read(statement: str, layout: Layout) -> Reading:
    """Finds the labels and numbers of a table in a statement."""
    statement = re.sub(r"\b(\w+)-free\b", r"without \1", statement)
    statement = _put(NUMBER_OF, "number ", _put(_SQUARE, r"\g<1>2", same_letters(statement)))
    named_words = {word for d in layout.dimensions for label in layout.labels(d) for word in label_words(label)}
    heads = named_words.union(*map(label_words, layout.names))
    statement = in_letters(statement, heads)
    statement = re.sub(r"\w+_\w+", lambda m: x if fold(x := m[0].replace("_", "")) in heads else m[0], statement)
    for scale in {*_SCALE.findall(layout.caption)} if all(e.unit not in ("k", "M") for e in layout.entries) else ():
        statement = _put(re.compile(rf"(?<=\d) {scale}\b"), "", statement)  # "2.2 million tonnes" in such a column
    blank = _put(F1, "f1", _put(_CITATION, "", statement.replace("_", " ")))
    blank = blanked(blank, ((r.start, r.end) for r in find_references(statement) if r.kind != "quote"))
    for given in re.findall(r"\b[A-Za-z]+ ?= ?\d[\d.]*\b", layout.caption):  # "the top invaders for N = 3"
        blank = blank.replace(given, " " * len(given))
    blank = worded(blank, layout, named_words)
    tokens = _joined([(m.start(), m.end(), m[0]) for m in TOKEN.finditer(blank)], named_words)
    alone = {label_words(x) for d in layout.dimensions for x in layout.labels(d)}
    quantities = [_without(q, unit, blank, alone) for q, unit in quantities_in(blank)]
    # A unit after a number doesn't name a label with the same unit.
    behind = [(q.start + len(re.sub(r"[a-z ]+$", "", q.text)), q.end) for q, _ in quantities]
    units = {n for n, (start, end, _) in enumerate(tokens) if any(a <= start and end <= b for a, b in behind)}
    found = mentions_in(blank, tokens, units, layout)
    kinds = list(_KIND.finditer(blank))
    many = {str(n) for n in range(len({e.row for e in layout.entries}) + 1)}
    found = tuple(
        m
        for m in found
        for start, end in [(tokens[m.start][0], tokens[m.end - 1][1])]
        # "4 models" is no "Model 4".
        if not (tokens[m.start][2] in many and all(label[0].isalpha() for label in m.labels))
        and not any(
            (start < k.end() and k.start("words") < end and not m.exact)
            or k.start() <= start < end <= k.start("words")  # "3 of the 4 strategies" names no row 4
            for k in kinds
        )
    )
    mentions = tuple(
        _numbered(m, tokens, layout, max((x.end for x in found if x.end <= m.start), default=0)) for m in found
    )
    mentions = tuple(m for m in mentions if not _is_value(m, tokens, mentions, layout))
    named = [(tokens[m.start][0], tokens[m.end - 1][1]) for m in mentions]
    stated = [
        (whole_share(q, blank), unit)
        for q, unit in quantities
        if not any(a < q.end and q.start < b for a, b in named) and not re.search(r"[^\W\d]-$", blank[: q.start])
    ]
    numbers = [q for q, _ in stated]
    said = {fold(t) for t in TOKEN.findall(layout.caption)} | {w for name in layout.names for w in label_words(name)}
    said |= {w for unit in {e.unit for e in layout.entries} for w in MEASURED.get(unit, "").split()}
    caption = tuple(sorted(said))
    about = {fold(t) for t in TOKEN.findall(layout.about)}
    measures = " ".join(label for d in layout.dimensions for label in layout.labels(d))
    labels = (label for d in layout.dimensions for label in layout.labels(d))
    in_brackets = {word for label in labels for part in _BRACKETED.findall(label) for word in label_words(part)}
    in_brackets |= {w for x in alone for w in x if len(x) == 1}  # the noun for rows may also be the label of a column
    inner = {n for m in mentions for n in range(m.start, m.end)}
    described = {n for m in mentions for n in _described(m, tokens)} - inner
    parts: list[str] = []
    unknown: list[str] = []
    names: list[str] = []
    beside: list[str] = []
    known = at = 0
    for n, (start, end, word) in enumerate(tokens):
        part = word.lower() in _MOST and fold(word) in said and any(m.start == n + 1 for m in mentions)
        if n in described or part:
            continue
        inside = next((k for k, m in enumerate(mentions) if m.start <= n < m.end), None)
        number = next((k for k, q in enumerate(numbers) if q.start < end and start < q.end), None)
        if inside is not None:
            if mentions[inside].start == n:
                parts.append(f"M{inside}")
            known += 1
        elif number is not None:
            if at <= number:
                parts.append(f"N{number}")
                at = number + 1
        else:
            parts.append(word.lower())
            little = (
                says_little(word)
                or (word.lower() not in named_words and stem(word.lower()) in _IDLE)
                or any(k.start("noun") == start for k in kinds)
                or fold(word) in in_brackets
                or (unit_of(word) and len(word) > 1)
            )
            if word[0].isalnum() and not little:
                if has_word(caption, fold(word)):
                    known += 1
                elif fold(word) in about and not (
                    better_values(word) and (better_values(measures) or word.lower() in measures.lower())
                ):
                    beside.append(word)
                else:
                    unknown.append(word)
                    if better_values(word) or re.search(
                        r".[A-Z]|\d|[^\x00-\x7f]" if not n else r"[A-Z]|\d|[^\x00-\x7f]", word
                    ):
                        names.append(word)
    return Reading(
        plainly(" ".join(parts)),
        mentions,
        tuple(numbers),
        tuple(u for _, u in stated),
        tuple(unknown),
        known,
        tuple(names),
        tuple(beside),
    )


_KIND = re.compile(
    rf"(?:\b(?:[oO]f|[oO]ver|[aA]mong|[aA]cross|[fF]or) (?:(?:the|all|other|these|\d{{1,2}}|{'|'.join(COUNTED[2:])}) )+"
    rf"|\b(?:[aA]ll|(?:[eE]xactly|[aA]re) (?:\d{{1,2}}|{'|'.join(COUNTED[2:])})) (?:the )?)"
    r"(?P<words>(?:(?:[a-z]+|[A-Z]{2,})(?: |-|–|/)){0,2}?(?P<noun>[a-z]{3,}s|data sets))"
    r"(?= ?(?:[.,;)]|$|(?:is|are|ha[sd]|have|shows?|exceed|reach|with|in|on|when|according)\b))"
)
"""What the rows are: "3 of the 4 blocking strategies"."""


def _without(quantity: Quantity, unit: str, text: str, alone: Collection[tuple[str, ...]]) -> tuple[Quantity, str]:
    """Returns a number and its unit, without the unit if that is a whole label: "402 hours" for a column "Hours"."""
    end = quantity.start + len(quantity.text)
    named = label_words(text[end : quantity.end]) in alone
    return (replace(quantity, end=end), "") if unit and named else (quantity, unit)


def _described(mention: Mention, tokens: Sequence[tuple[int, int, str]]) -> Iterator[int]:
    """Yields the words directly before a mention in parentheses or a symbol, which describe it: "the model with cyclic
    loss (M2)", "the eccentricity e"."""
    before, after = ([t[2] for t in tokens[n : n + 1]] for n in (max(0, mention.start - 1), mention.end))
    symbol = {tokens[mention.start][2]} == mention.labels and len(tokens[mention.start][2]) < 3 and before[:1] != ["."]
    if mention.start > 1 and ((before, after) == (["("], [")"]) or symbol):
        first = start = mention.start - (before == ["("])
        while first and re.match(r"[^\W\d]|-", tokens[first - 1][2]) and not says_little(tokens[first - 1][2]):
            first -= 1
        if first or before == ["("]:  # "Removing A changes e" doesn't describe e
            yield from range(first, start)


def _joined(tokens: Sequence[tuple[int, int, str]], known: Collection[str]) -> list[tuple[int, int, str]]:
    """Joins a letter or word with its index, and the parts of a hyphenated word, if a label contains them as one: "T
    eff", "log 10", "e-mail"."""
    found: list[tuple[int, int, str]] = []
    for start, end, text in tokens:
        letter = found[-1][2] if found else ""
        index = letter.isalpha() and (text.isdigit() or (len(letter) == 1 and text.isalnum()))
        if index and fold(letter + text) in known:
            found[-1] = (found[-1][0], end, letter + text)
        elif letter == "-" and len(found) > 1 and text.isalpha() and fold(found[-2][2] + text) in known:
            found[-2:] = [(found[-2][0], end, found[-2][2] + text)]
        else:
            found.append((start, end, text))
    return found


def _numbered(mention: Mention, tokens: Sequence[tuple[int, int, str]], layout: Layout, last: int) -> Mention:
    """Extends a mention of "iteration" by the number that identifies it ("iteration is set to 3"), and a number by the
    word before it that it belongs to ("example 3"), from ``last`` on."""
    before = tokens[mention.start - 1][2] if mention.start > last else ""
    signs = _MINUS if before in _MINUS else before
    if before and not before.isalnum() and all(label[0] in signs for label in mention.labels):
        mention = replace(mention, start=mention.start - 1)
    if mention.exact and tokens[mention.end - 1][2][0].isdigit() and mention.end - mention.start < 3:
        name = layout.names[mention.dimension]
        names = {*label_words(name), *label_words(layout.caption)} - LITTLE - {"from", "than", "between"}
        between = {"of", "=", "is", *(c for c in name if not c.isalnum())}
        start = at = mention.start
        while at > last and (fold(tokens[at - 1][2]) in names or tokens[at - 1][2] in between):
            at -= 1
            start = at if fold(tokens[at][2]) in names else start
        return replace(mention, start=start)
    if mention.exact:
        return mention
    for n in range(mention.end, min(mention.end + 5, len(tokens))):
        word = tokens[n][2]
        same = frozenset(x for x in mention.labels if word[0].isdigit() and re.findall(r"[\d.]+", x) == [word])
        if same:
            return Mention(mention.dimension, same, mention.start, n + 1, exact=True)
        if not re.fullmatch(r"is|are|set|to|of|=|was|equals", word.lower()):
            break
    return mention


def _is_value(
    mention: Mention, tokens: Sequence[tuple[int, int, str]], among: Sequence[Mention], layout: Layout
) -> bool:
    """Returns whether a number that is also a label is the value of another one: "J = 1", "J of example 1 is 1"; not if
    the other one is the heading above it."""
    before = tokens[mention.start - 1][2] if tokens[mention.start][2].isdigit() else ""
    named = any(m.dimension == mention.dimension and m.end < mention.start for m in among)
    last = next((m for m in among if before == "=" and m.end == mention.start - 1), mention)
    above = any(
        e.labels[last.dimension] in last.labels and e.labels[mention.dimension] in mention.labels
        for e in layout.entries
        if layout.rows <= last.dimension < mention.dimension
    )
    return (before in _IS and named) or (last is not mention and not above)


def _put(words: re.Pattern[str], other: str, text: str) -> str:
    """Replaces words in a text; shorter replacements are padded, so that later positions don't change."""
    return words.sub(lambda m: m.expand(other).ljust(len(m[0])), text)
