"""What the words of a statement are in a table: its labels, numbers, and the rest."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from engine.documents.numbers import Quantity
from engine.documents.references import find_references
from engine.resource_files import resource_table
from engine.statements.grids import Layout
from engine.statements.measures import better_values
from engine.statements.quantities import quantities_in, unit_of
from engine.statements.words import blanked

_TOKEN = re.compile(r"[^\W\d_]+(?:\d+(?![.\d]*\d*%)[^\W_]*)?|\d+(?:[.,]\d+)*(?:[^\W\d_]+)?|[^\w\s]")
_F1 = re.compile(r"\bF[-–\s]?(?:[1₁][-–\s]?)?(?:scores?|measures?)\b|\bF-?1\b|\bFscore\b", re.IGNORECASE)
_NUMBER_OF = re.compile(r"\b[Nn](?:o|um|r)\.\s(?=of\b)|#\s?(?=\w)|\b[Nn]umber of\b")
_SQUARE = re.compile(r"\b([A-Z])\s?(?:\^\s?2|²)")
_CITATION = re.compile(
    r"\[[\d,;\s–-]+\]|\(\s*(?:19|20)\d\d[a-z]?\s*\)|\b(?:19|20)\d\d[a-z]?(?=\))|\[continue\]", re.IGNORECASE
)
_WORDS = resource_table("table_words.toml")
_SAME: dict[str, str] = _WORDS["same"]
_SHORT: dict[str, str] = _WORDS["short"]
GLUE = frozenset(_WORDS["glue"].split())
"""Words that say nothing of what a table is about."""


@dataclass(frozen=True, slots=True)
class Mention:
    """A part of a statement that names labels of one dimension; ``exact`` when it is a whole label."""

    dimension: int
    labels: frozenset[str]
    start: int
    end: int
    exact: bool
    share: float = 1.0


@dataclass(frozen=True, slots=True)
class Reading:
    """A statement in terms of a table.

    ``text`` has M0, M1... for the mentions and N0, N1... for the numbers, its other words in lower case; ``unknown``
    are words of content that neither the table nor its caption has, ``known`` how many it has, ``names`` the unknown
    ones that look like names or measures: with capitals (but for the first word), digits, or known as a measure.
    """

    text: str
    mentions: tuple[Mention, ...]
    numbers: tuple[Quantity, ...]
    units: tuple[str, ...]
    unknown: tuple[str, ...]
    known: int
    names: tuple[str, ...]


def fold(word: str) -> str:
    """A word in the form in which words are compared."""
    word = word.casefold()
    word = _SAME.get(word, word)
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    return _SAME.get(word, word)


_EMPTY = GLUE | {fold(word) for word in GLUE}


@lru_cache(maxsize=20_000)
def label_words(label: str) -> tuple[str, ...]:
    """The words of a label in the form in which words are compared."""
    label = _NUMBER_OF.sub("number ", unicodedata.normalize("NFKC", label))
    return tuple(fold(t) for t in _TOKEN.findall(_F1.sub("f1", label)) if t[0].isalnum())


def read(statement: str, layout: Layout) -> Reading:
    """Find the labels and numbers of a table in a statement."""
    statement = _put(_NUMBER_OF, "number ", _put(_SQUARE, r"\g<1>2", statement))
    blank = _put(_F1, "f1", _put(_CITATION, "", statement))
    blank = blanked(blank, ((r.start, r.end) for r in find_references(statement) if r.kind != "quote"))
    blank = _shortened(blank, layout)
    tokens = [(m.start(), m.end(), m[0]) for m in _TOKEN.finditer(blank)]
    mentions = tuple(_numbered(m, tokens, layout) for m in _mentions(tokens, layout))
    named = [(tokens[m.start][0], tokens[m.end - 1][1]) for m in mentions]
    stated = [
        (_whole_share(q, blank), unit)
        for q, unit in quantities_in(blank)
        if not any(a < q.end and q.start < b for a, b in named) and not re.search(r"[^\W\d]-$", blank[: q.start])
    ]
    numbers = [q for q, _ in stated]
    caption = {fold(t) for t in _TOKEN.findall(layout.caption)} | {
        w for name in layout.names for w in label_words(name)
    }
    parts: list[str] = []
    unknown: list[str] = []
    names: list[str] = []
    known = at = 0
    for n, (start, end, word) in enumerate(tokens):
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
            if word[0].isalnum() and word.lower() not in GLUE and not (unit_of(word) and len(word) > 1):
                if fold(word) in caption:
                    known += 1
                else:
                    unknown.append(word)
                    if better_values(word) or re.search(
                        r".[A-Z]|\d|[^\x00-\x7f]" if not n else r"[A-Z]|\d|[^\x00-\x7f]", word
                    ):
                        names.append(word)
    return Reading(
        _plainly(" ".join(parts)),
        mentions,
        tuple(numbers),
        tuple(u for _, u in stated),
        tuple(unknown),
        known,
        tuple(names),
    )


def _numbered(mention: Mention, tokens: Sequence[tuple[int, int, str]], layout: Layout) -> Mention:
    """A mention of "iteration" with the number that says which ("iteration is set to 3"), a number with the word before
    it that says of what ("example 3")."""
    if mention.exact and mention.end == mention.start + 1 and tokens[mention.start][2][0].isdigit():
        names = {*label_words(layout.names[mention.dimension]), *label_words(layout.caption)} - _LITTLE
        start = at = mention.start
        while at and (fold(tokens[at - 1][2]) in names or tokens[at - 1][2] in ("of", "=", "is")):
            at -= 1
            start = at if fold(tokens[at][2]) in names else start
        return replace(mention, start=start)
    if mention.exact or len(mention.labels) < 2:
        return mention
    for n in range(mention.end, min(mention.end + 5, len(tokens))):
        word = tokens[n][2]
        same = frozenset(x for x in mention.labels if word[0].isdigit() and re.findall(r"[\d.]+", x) == [word])
        if same:
            return Mention(mention.dimension, same, mention.start, n + 1, exact=True)
        if not re.fullmatch(r"is|are|set|to|of|=|was|equals", word.lower()):
            break
    return mention


def _shortened(statement: str, layout: Layout) -> str:
    """A statement with what a table abbreviates abbreviated: "false positive rate" where a label is "FP rate"."""
    labels = " ".join(label for d in layout.dimensions for label in layout.labels(d))
    for short in sorted(set(re.findall(r"\b[A-Z]{2,5}\b", f"{labels} {layout.caption}"))):
        long = re.compile(r"\b" + r"[\s-]+".join(rf"{c}[a-z]{{3,}}" for c in short) + r"\b", re.IGNORECASE)
        if short not in statement:
            statement = _put(long, short, statement)
    return statement


def _put(words: re.Pattern[str], other: str, text: str) -> str:
    """A text with some words replaced; a shorter replacement is filled up, so that what follows stays where it is."""
    return words.sub(lambda m: m.expand(other).ljust(len(m[0])), text)


_PLAINLY = tuple(
    (re.compile(words), plain)
    for words, plain in (
        (r"\b(?:the|an?) (M\d)", r"\1"),
        (r"(M\d+) (?:setting|model|method|mechanism|system|approach|baseline|variant)s?\b", r"\1"),
        (r"\breplacing (M\d+) (?:by|with) (M\d+) ,? ?(.*?) becomes (\w+)", r"\3 is \4 for \2 than for \1"),
        (
            r"\b(?:we |one )?compar\w+ (M\d+) (?:with|to|and) (M\d+) ,? ?(.*?) of the former is (\w+)",
            r"\3 is \4 for \1 than for \2",
        ),
        (
            r"\bbetween (M\d+) and (M\d+) ,? ?(.*?) ((?:in|de)creases|rises|falls|drops|grows) by (N\d+)",
            r"\3 \4 from \1 to \2 by \5",
        ),
        (r"\bno other \w+ has as (?:low|small) an? (.*?) as (M\d+)", r"\2 has the lowest \1"),
        (r"\bno other \w+ has as (?:high|large|great) an? (.*?) as (M\d+)", r"\2 has the highest \1"),
        (r"(M\d+) and (M\d+) differs? by (N\d+)", r"difference between \1 and \2 is \3"),
        (r"\bat the (?:bottom|end) when\b.*\bsorted\b", "the lowest"),
        (r"\bat the top when\b.*\bsorted\b", "the highest"),
        (
            r"\bnumber (?:of )?(rows|columns|models|methods) with (.*) (?:is|was|equals|amounts to) (N\d+|[a-z]+)\b",
            r"exactly \3 of the \1 have \2",
        ),
    )
)
"""Turns of phrase, each as the plain one that the rules know."""


def _plainly(text: str) -> str:
    for words, plain in _PLAINLY:
        text = words.sub(plain, text)
    return text


@dataclass(frozen=True, slots=True)
class _Option:
    dimension: int
    label: str
    start: int
    end: int
    share: float
    head: bool


def _mentions(tokens: Sequence[tuple[int, int, str]], layout: Layout) -> tuple[Mention, ...]:
    words = [fold(t) for _, _, t in tokens]
    options = [
        o for d in layout.dimensions for label in layout.labels(d) for o in _options(tokens, words, d, label, layout)
    ]
    by_span: dict[tuple[int, int], list[_Option]] = defaultdict(list)
    for option in options:
        by_span[option.start, option.end].append(option)
    found: list[Mention] = []
    for start, end in sorted(by_span, key=lambda s: (-(s[1] - s[0]), -max(o.share for o in by_span[s]), s[0])):
        if any(m.start < end and start < m.end for m in found):
            continue
        here = by_span[start, end]
        best = max(o.share for o in here)
        chosen = [o for o in here if o.share == best] if best == 1 else [o for o in here if o.head] or here
        before = {w[:4] for w in words[max(0, start - 3) : start]}
        dimension = min(
            chosen,
            key=lambda o: (
                -o.share,
                not before & {w[:4] for w in label_words(layout.names[o.dimension])},
                o.dimension,
            ),
        ).dimension
        labels = frozenset(o.label for o in chosen if o.dimension == dimension)
        found.append(Mention(dimension, labels, start, end, best == 1, best))
    sure = {m.dimension for m in found if m.exact}
    kept = [m for m in found if m.share >= 0.5 or m.dimension not in sure]
    return tuple(sorted(kept, key=lambda m: m.start))


def _options(
    tokens: Sequence[tuple[int, int, str]], words: Sequence[str], dimension: int, label: str, layout: Layout
) -> Iterator[_Option]:
    """The runs of words that a label has, whole or in part."""
    if layout.names[dimension : dimension + 1] and dimension == layout.rows - 1:
        return  # the row that others belong to is named by its own label
    wanted = label_words(label)
    if not wanted:
        return
    for forms in _forms(label, layout.caption):
        if not any(_fits(form, word) for form in forms for word in {*words}):
            continue
        for start in range(len(words)):
            left, end, matched = list(forms), start, start
            while end < len(words):
                form = next((w for w in left if _fits(w, words[end])), None)
                if form is not None:
                    left.remove(form)
                    matched = end = end + 1
                elif words[end] in "-/()+:=&" and end > start and not (words[end] in "+/&" and not left):
                    end += 1
                else:
                    break
            if matched == start:
                continue
            if matched < len(words) and words[matched] == ")" and "(" in words[start:matched]:
                matched += 1
            share = 1 - len(left) / len(forms)
            run = words[start:matched]
            said = "".join(tokens[n][2] for n in range(start, matched))
            near = words[max(0, start - 2) : matched + 1]
            if share == 1 and forms == wanted and not _whole(label, said, near, layout):
                continue
            if share < 1 and all(w in _EMPTY or w.isdigit() or not w[0].isalnum() or len(w) < 2 for w in run):
                continue
            head = _fits(forms[0], words[start])
            if share < 1 and (forms != wanted or not (head or share >= 0.5 or re.search(r"[A-Z\d]", said))):
                continue
            yield _Option(dimension, label, start, matched, share, head)


def _fits(form: str, word: str) -> bool:
    """Whether a word is that of a label, or one that the label cuts short ("disc." for "discriminative")."""
    if form == word or (len(word) > 3 and form[-1] in "abcdefg" and fold(form[:-1]) == word):
        return True  # the letter of a note stays on its word
    return 3 <= len(form) <= 6 and max(7, len(form) + 3) <= len(word) <= 15 and word.startswith(form)


def _whole(label: str, said: str, near: Sequence[str], layout: Layout) -> bool:
    """Whether words that are all of a label mean it: numbers only beside the name of their column, letters by case."""
    words = label_words(label)
    if all(re.fullmatch(r"[\d.,]+", word) for word in words):
        names = {w for name in layout.names for w in label_words(name)}
        before = near[: near.index(words[0])][-1:] if words[0] in near else []
        return bool(names & {*near}) or "=" in near or bool({*before} & ({*label_words(layout.caption)} - _LITTLE))
    if len(words) == 1 and words[0] in _EMPTY and len(words[0]) <= 4:
        return fold(said) == words[0] and said.casefold() not in _LITTLE
    if sum(c.isalnum() for c in label) <= 2:
        return said == "".join(t for t in _TOKEN.findall(_F1.sub("f1", label)) if t[0].isalnum()) and said not in "aAI"
    return True


def _whole_share(quantity: Quantity, text: str) -> Quantity:
    """0.85 as 85 % where the statement says that it is a fraction."""
    if abs(quantity.value) <= 1 and re.search(
        r"\bas a (?:fraction|share|proportion)\b|\bfraction of (?:one|1)\b", text
    ):
        return replace(quantity, value=100 * quantity.value, decimals=max(0, quantity.decimals - 2), percent=True)
    return quantity


_LITTLE = frozenset(_WORDS["little"].split())


@lru_cache(maxsize=20_000)
def _forms(label: str, caption: str) -> frozenset[tuple[str, ...]]:
    """The words of a label, and of what it is short for."""
    return frozenset({label_words(label), *_long_forms(label, caption)})


def _long_forms(label: str, caption: str) -> Iterator[tuple[str, ...]]:
    """What a short label is short for, by custom or by the caption."""
    if label in _SHORT:
        yield (_SHORT[label],)
    if not 1 <= len(label) <= 12 or not caption or not re.search(r"[^\W\d]", label):
        return
    escaped = re.escape(label)
    said = re.search(
        rf"(?<!\w){escaped}[”\"'’]?\s*(?::|=|refers to|stands for|denotes|means|indicates)\s*(?:the\s+)?"
        r"([^,;.:()]{3,60})",
        caption,
    )
    if said:
        yield label_words(said[1])
    before = re.search(rf"((?:[\w-]+\s+){{1,8}})[(“\"']+{escaped}[)”\"']", caption)
    if before:
        words = re.findall(r"[^\W_]+", before[1])
        letters = [c for c in label.casefold() if c.isalpha()]
        for count in range(1, len(words) + 1):
            if letters and words[-count][0].casefold() == letters[0] and count <= max(2, len(letters)):
                yield label_words(" ".join(words[-count:]))
                return
