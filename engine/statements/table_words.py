"""What the words of a statement are in a table: its labels, numbers, and the rest."""

from __future__ import annotations

import re
import tomllib
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import resources

from engine.documents.numbers import Quantity, find_quantities
from engine.documents.references import find_references
from engine.statements.grids import Layout
from engine.statements.measures import better_values

_TOKEN = re.compile(r"[^\W\d_]+(?:\d+(?![.\d]*\d*%)[^\W_]*)?|\d+(?:[.,]\d+)*(?:[^\W\d_]+)?|[^\w\s]")
_F1 = re.compile(r"\bF[-–\s]?(?:[1₁][-–\s]?)?(?:scores?|measures?)\b|\bF-?1\b|\bFscore\b", re.IGNORECASE)
_CITATION = re.compile(
    r"\[[\d,;\s–-]+\]|\(\s*(?:19|20)\d\d[a-z]?\s*\)|\b(?:19|20)\d\d[a-z]?(?=\))|\[continue\]", re.IGNORECASE
)
_WORDS = tomllib.loads((resources.files("resources") / "table_words.toml").read_text(encoding="utf-8"))
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


@dataclass(frozen=True, slots=True)
class Reading:
    """A statement in terms of a table.

    ``text`` has M0, M1... for the mentions and N0, N1... for the numbers, its other words in lower case; ``unknown``
    are words of content that neither the table nor its caption has, ``known`` how many it has.
    """

    text: str
    mentions: tuple[Mention, ...]
    numbers: tuple[Quantity, ...]
    unknown: tuple[str, ...]
    known: int

    @property
    def names(self) -> tuple[str, ...]:
        """The unknown words that look like names or measures: with capitals inside, digits, or known as a measure."""
        return tuple(w for w in self.unknown if re.search(r".[A-Z]|\d", w) or better_values(w) is not None)


def fold(word: str) -> str:
    """A word in the form in which words are compared."""
    word = word.casefold()
    word = _SAME.get(word, word)
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    return _SAME.get(word, word)


_EMPTY = GLUE | {fold(word) for word in GLUE}


def label_words(label: str) -> tuple[str, ...]:
    """The words of a label in the form in which words are compared."""
    return tuple(fold(t) for t in _TOKEN.findall(_F1.sub("f1", label)) if t[0].isalnum())


def read(statement: str, layout: Layout) -> Reading:
    """Find the labels and numbers of a table in a statement."""
    blank = _F1.sub(lambda m: "f1".ljust(len(m[0])), _CITATION.sub(lambda m: " " * len(m[0]), statement))
    for reference in find_references(statement):
        if reference.kind != "quote":
            blank = blank[: reference.start] + " " * (reference.end - reference.start) + blank[reference.end :]
    tokens = [(m.start(), m.end(), m[0]) for m in _TOKEN.finditer(blank)]
    mentions = tuple(_numbered(m, tokens) for m in _mentions(tokens, layout))
    named = [(tokens[m.start][0], tokens[m.end - 1][1]) for m in mentions]
    numbers = [
        q
        for q in find_quantities(blank)
        if not any(a < q.end and q.start < b for a, b in named) and not re.search(r"[^\W\d]-$", blank[: q.start])
    ]
    caption = {fold(t) for t in _TOKEN.findall(layout.caption)} | {
        w for name in layout.names for w in label_words(name)
    }
    parts: list[str] = []
    unknown: list[str] = []
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
            if word[0].isalnum() and word.lower() not in GLUE:
                if fold(word) in caption:
                    known += 1
                else:
                    unknown.append(word)
    return Reading(" ".join(parts), mentions, tuple(numbers), tuple(unknown), known)


def _numbered(mention: Mention, tokens: Sequence[tuple[int, int, str]]) -> Mention:
    """A mention of "iteration" with the number that says which ("iteration is set to 3")."""
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
        dimension = min(chosen, key=lambda o: (-o.share, o.dimension)).dimension
        labels = frozenset(o.label for o in chosen if o.dimension == dimension)
        found.append(Mention(dimension, labels, start, end, best == 1))
    return tuple(sorted(found, key=lambda m: m.start))


def _options(
    tokens: Sequence[tuple[int, int, str]], words: Sequence[str], dimension: int, label: str, layout: Layout
) -> Iterator[_Option]:
    """The runs of words that a label has, whole or in part."""
    if layout.names[dimension : dimension + 1] and dimension == layout.rows - 1:
        return  # the row that others belong to is named by its own label
    wanted = label_words(label)
    if not wanted:
        return
    for forms in {wanted, *_long_forms(label, layout.caption)}:
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
            share = 1 - len(left) / len(forms)
            run = words[start:matched]
            said = "".join(tokens[n][2] for n in range(start, matched))
            near = words[max(0, start - 3) : matched + 2]
            if share == 1 and forms == wanted and not _whole(label, said, near, layout.names[dimension]):
                continue
            if share < 1 and all(w in _EMPTY or w.isdigit() or not w[0].isalnum() or len(w) < 2 for w in run):
                continue
            if forms != wanted and share < 1:
                continue
            yield _Option(dimension, label, start, matched, share, _fits(forms[0], words[start]))


def _fits(form: str, word: str) -> bool:
    """Whether a word is that of a label, or one that the label cuts short ("disc." for "discriminative")."""
    return form == word or (3 <= len(form) <= 6 and max(7, len(form) + 3) <= len(word) <= 15 and word.startswith(form))


def _whole(label: str, said: str, near: Sequence[str], name: str) -> bool:
    """Whether words that are all of a label mean it: numbers only beside the name of their column, letters by case."""
    words = label_words(label)
    if all(re.fullmatch(r"[\d.,]+", word) for word in words):
        return bool({*label_words(name)} & {*near}) or "=" in near
    if sum(map(len, words)) <= 2 or (len(words) == 1 and len(words[0]) <= 4 and words[0] in GLUE):
        return said == "".join(t for t in _TOKEN.findall(_F1.sub("f1", label)) if t[0].isalnum()) and said not in "aAI"
    return True


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
