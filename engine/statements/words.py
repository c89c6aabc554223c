"""The content words of a statement: stems, negation, opposites (``statement_words.toml``)."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache, lru_cache

from engine.documents.numbers import find_quantities
from engine.resource_files import resource_table

CITED = re.compile(r"\[[\d,;\s–-]+\]|\((?:[^()]*\b)?(?:19|20)\d\d[a-z]?\)")
"""A citation, by number or by year."""
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?|\d+(?:[^\W\d_]+\d*)+")


@dataclass(frozen=True, slots=True)
class Term:
    """A content word: its stem (the same for synonyms), whether it is negated, [start, end) of the text; ``apart``: a
    contrast or full stop precedes it."""

    stem: str
    word: str
    negated: bool
    start: int
    end: int
    apart: bool = False


def blanked(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """Replaces some [start, end) of a text by blanks, so that other positions don't change."""
    for start, end in spans:
        text = f"{text[:start]}{' ' * (end - start)}{text[end:]}"
    return text


@cache
def _resource() -> dict[str, str]:
    tables: dict[str, str] = resource_table("statement_words.toml")
    return tables


@cache
def word_list(name: str) -> tuple[str, ...]:
    """Returns a list of ``resources/statement_words.toml``."""
    return tuple(_resource()[name].split())


@cache
def word_set(name: str) -> frozenset[str]:
    """Returns the list as a set."""
    return frozenset(word_list(name))


@cache
def _same() -> dict[str, str]:
    """Maps each stem with synonyms to the one that represents them."""
    found: dict[str, str] = {}
    for line in _resource()["same"].strip().splitlines():
        group = [stem(word) for word in line.split()]
        found |= {one: found.get(one, group[0]) for one in group}
    return found


@cache
def _opposites() -> frozenset[frozenset[str]]:
    same = _same()
    pairs = ([stem(word) for word in line.split()] for line in _resource()["opposite"].strip().splitlines())
    return frozenset(frozenset(same.get(one, one) for one in pair) for pair in pairs)


@cache
def _number_stems() -> frozenset[str]:
    return frozenset(map(stem, word_list("numbers")[1:]))


_AMERICAN = re.compile(r"(?<=\w\w\w)([iy])z(?=(?:e|ed|es|er|ers|ing|ations?)$)")
_OUR = re.compile(r"(?<=\w\w\w)our")


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    from Stemmer import Stemmer

    found: str = Stemmer("english").stemWord(_OUR.sub("or", _AMERICAN.sub(r"\1s", word.casefold())))
    return found


@lru_cache(maxsize=20_000)
def terms(text: str) -> tuple[Term, ...]:
    """Returns the content words of a text, in order; numbers are left to ``find_quantities``."""
    empty, negations, contrasts = word_set("empty"), word_set("negations"), word_set("contrasts")
    reporting = word_set("reporting")
    same = _same()
    numbers = [(q.start, q.end) for q in find_quantities(text)]
    found: list[Term] = []
    negated, ending, apart, last = False, False, False, 0
    for match in _WORD.finditer(text):
        word, start, end = match[0], match.start(), match.end()
        if any(a <= start and end <= b for a, b in numbers):
            continue
        plain = word.casefold().replace("’", "'").removesuffix("'s")
        between = text[last:start]
        if plain in contrasts or re.search(r"[.;:!?(]", between):
            _close(found, negated and ending)
            negated, apart = False, plain in contrasts or "(" not in between
        elif ")" in between:
            negated = False
        last = end
        if plain in negations or plain.endswith("n't"):
            negated = not negated and not re.match(r"\s+(?:only|later)\b", text[end:])
            ending = plain != "without"
            continue
        if plain in empty or (plain in reporting and _reports(text, start, end)):
            continue
        one = stem(plain)
        found.append(Term(same.get(one, one), word, negated, start, end, apart))
        negated, apart = False, False
    _close(found, negated and ending)
    return tuple(found)


_REPORTER = re.compile(
    r"(?:(?:^|[.,;:!?()])|\b(?:we|they|who|it|one|i|authors?|paper|manuscript|study|work|article|sections?|abstract|introduction"
    r"|conclusions?|discussion|figures?|tables?|experiments?|results?|findings|analys[ei]s|as|is|are|was|were|be|been|has|have|to"
    r"|\d))(?:\s+(?:also|further|then|only|first|finally|clearly|not|can|will|do|does|did|briefly|again|explicitly))*\s*$",
    re.IGNORECASE,
)
_REPORTED = re.compile(r"\s+(?:that|how|whether|why|what)\b|\s*[“”\"«]")


def _reports(text: str, start: int, end: int) -> bool:
    """Returns whether a word that can report does so, rather than being the topic ("trades writes for reads")."""
    return bool(_REPORTED.match(text, end) or _REPORTER.search(text[max(0, start - 60) : start]))


def _close(found: list[Term], negated: bool) -> None:
    """Applies a negation without a following word ("is not shown") to the preceding word."""
    if negated and found:
        found[-1] = replace(found[-1], negated=True)


def opposite(first: str, second: str) -> bool:
    """Returns whether two stems are opposites, by the list or by a prefix ("stabl", "unstabl")."""
    if frozenset((first, second)) in _opposites():
        return True
    if {first, second} <= _number_stems():
        return True
    long, short = sorted((first, second), key=len, reverse=True)
    return len(short) > 3 and any(long == prefix + short for prefix in ("un", "in", "im", "ir", "non", "dis", "mis"))
