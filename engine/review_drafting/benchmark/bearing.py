"""Decides whether a review is really one of this paper: in its own words, on the paper's topic, with specifics that it
contains.

Four kinds of text look like a review but aren't: sentences copied from the paper, invented specifics, a review of
another paper, and remarks that fit any paper. The limits were chosen on twelve papers with human reviews, leaving
papers out (docs/methods-review-bench.md).
"""

import re
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from math import log10

from engine.documents.numbers import find_quantities
from engine.documents.references import find_references
from engine.review_drafting.anchoring import resolve
from engine.review_drafting.records import PaperReading
from engine.reviews.labels.heads import shipped

COPIED = 0.85
"""A point is copied if this share of its words outside quotation marks is in runs of ``_RUN`` words of the paper."""
GROWTH = 0.3
"""The increase of that share by chance per tenfold of the paper's vocabulary."""
_RARE = 8.5
"""Minimum inverse document frequency of a distinctive word: 5 or fewer of 11,000 review sentences contain it."""
_RUN = 5
_LEAST_SPECIFICS = 3
_QUOTED_WORDS = 4
_PRIOR = 1
"""Distinctive words counted as not found, so that one chance match isn't a topic."""
_VOCABULARY = 1000

_WORD = re.compile(r"[^\W\d_]+")
_TOKEN = re.compile(r"\w+")
_QUOTED = re.compile(r"“[^”]{3,}”|\"[^\"]{3,}\"|‘[^’]{12,}’|``.{3,}?''", re.DOTALL)
_NAME = re.compile(
    r"(?<!\w)(?:[A-Za-z]+[a-z][A-Z][\w+-]*|[A-Z]{2,}[\w+-]*|[A-Za-z]{2,}-?\d[\w-]*|(?<=[a-z,;] )[A-Z][a-z]{2,}[\w-]*)"
)
"""A name: capitals inside a word, an acronym, letters with a digit, a capital within a sentence."""
_PLACE_NAME = re.compile(r"(?:fig|tab|sec|eq|page|pp|algo|appendix|line|reviewer|referee)", re.IGNORECASE)
_SAYS = re.compile(
    r"\b(?:paper|authors?|abstract|manuscript|introduction|conclusion|they|caption)\b.{0,30}"
    r"\b(?:says?|states?|writes?|claims?|reports?|argues?|concludes?|mentions?)\b|: $|\bthe (?:aim|finding)",
    re.IGNORECASE,
)
_YEARS = range(1900, 2101)


@dataclass(frozen=True, slots=True)
class ReadPoint:
    """A point of a review compared with its paper: whether it is copied, the numbers of its distinctive words and of
    those in the paper, the specifics that are in the paper and those that aren't, and whether it misquotes the
    paper."""

    text: str
    pasted: bool
    telling: int
    known: int
    held: int
    absent: tuple[str, ...]
    misquotes: bool

    @property
    def invented(self) -> bool:
        """Whether it misquotes the paper, or most of its specifics aren't in the paper."""
        return self.misquotes or len(self.absent) > self.held

    @property
    def counts(self) -> bool:
        """Whether it can be judged at all."""
        return not self.pasted and not self.invented


@dataclass(frozen=True, slots=True)
class Limits:
    """``on_topic``: minimum share of a review's distinctive words that are in the paper, corrected for the paper's
    size; ``invented``: maximum share of its specifics that aren't in the paper."""

    on_topic: float = 0.4
    invented: float = 0.5


class Bearing:
    """A paper's words, for comparison with the points of reviews."""

    def __init__(self, paper: PaperReading, limits: Limits = Limits()) -> None:
        self._paper = paper
        self.limits = limits
        cells = (cell.text for table in paper.tables for row in table.rows for cell in row.cells)
        said = [paper.title, paper.abstract, *paper.sections, *(s.text for s in paper.sentences), *cells]
        said += [caption.text for caption in paper.captions]
        self._stems = frozenset(stem for text in said for stem in _stems(text))
        self._tokens = frozenset(
            token for text in (*said, *paper.references) for token in _TOKEN.findall(text.casefold())
        )
        self._said = said

    @cached_property
    def _held_runs(self) -> frozenset[tuple[str, ...]]:
        return frozenset(run for text in self._said for run in _runs(_TOKEN.findall(text.casefold())))

    def read(self, text: str) -> ReadPoint:
        unquoted = _QUOTED.sub(" ", text)
        words = _TOKEN.findall(unquoted.casefold())
        copied = {at + n for at, run in enumerate(_runs(words)) if run in self._held_runs for n in range(_RUN)}
        long = (word for word in _WORD.findall(text) if len(word) > 2)
        telling = _stems(" ".join(word for word in long if _rarity(word.casefold()) >= _RARE))
        anchors = [anchor for anchor in resolve(self._paper, text) if anchor.kind != "line"]
        quotes = [a for a in anchors if a.kind == "quote" and len(a.quote.split()) >= _QUOTED_WORDS]
        misquotes = bool(_SAYS.search(unquoted)) and any(not quote.found for quote in quotes)
        if 2 * len(words) < len(_TOKEN.findall(text)) and not misquotes:
            quotes = [quote for quote in quotes if quote.found]  # a letter quotes the reviewer's own words
        # An existing place is easily guessed, so it is no evidence for either side.
        specifics = [(False, a.ref) for a in anchors if a.kind != "quote" and not a.found]
        specifics += [(quote.found, f"“{quote.quote}”") for quote in quotes]
        specifics += self._names_and_numbers(text)
        return ReadPoint(
            text,
            pasted=len(words) >= _RUN and len(copied) / len(words) >= COPIED,
            telling=len(telling),
            known=len(telling & self._stems),
            held=sum(there for there, _ in specifics),
            absent=tuple(name for there, name in specifics if not there),
            misquotes=misquotes,
        )

    def _names_and_numbers(self, text: str) -> Iterator[tuple[bool, str]]:
        taken = [(reference.start, reference.end) for reference in find_references(text)]
        places = self._paper.places
        held = [p for p in places.document.paragraphs if p.kind != "reference"]

        def free(start: int, end: int) -> bool:
            return not any(start < last and first < end for first, last in taken)

        for said in find_quantities(text):
            particular = said.decimals or said.percent or abs(said.value) >= 100
            if particular and said.value not in _YEARS and free(said.start, said.end):
                yield bool(places.number_in(said, held)), said.text.strip()
        for match in _NAME.finditer(text):
            if free(*match.span()) and not _PLACE_NAME.match(match[0]):
                yield all(token in self._tokens for token in _TOKEN.findall(match[0].casefold())), match[0]

    def topic(self, points: Sequence[ReadPoint]) -> float:
        """Returns the share of the points' distinctive words that the paper contains, minus the share expected by
        chance."""
        telling, known = sum(point.telling for point in points), sum(point.known for point in points)
        return known / (telling + _PRIOR) - GROWTH * log10(max(1, len(self._stems)) / _VOCABULARY)


def unfit(bearing: Bearing, points: Sequence[ReadPoint]) -> str:
    """Returns why these points can't be judged as a review of this paper; "" if they can."""
    if not points:
        return "It says nothing."
    pasted, misquoted = sum(point.pasted for point in points), sum(point.misquotes for point in points)
    if 2 * pasted > len(points):
        return f"{pasted} of {len(points)} statements are sentences of the paper."
    if 2 * misquoted > len(points):
        return f"{misquoted} of {len(points)} statements quote words that aren't in the paper."
    held, absent = sum(point.held for point in points), [name for point in points for name in point.absent]
    if len(absent) >= _LEAST_SPECIFICS and len(absent) / (held + len(absent)) > bearing.limits.invented:
        shown = ", ".join(dict.fromkeys(absent[:4]))
        words = f"{len(absent)} of {held + len(absent)} names, numbers, places and quotations aren't in the paper"
        return f"{words} ({shown})."
    if bearing.topic(points) < bearing.limits.on_topic:
        known, telling = sum(point.known for point in points), sum(point.telling for point in points)
        return f"It shares too few of its distinctive words with the paper ({known} of {telling})."
    return ""


def _runs(words: Sequence[str]) -> Iterator[tuple[str, ...]]:
    return (tuple(words[at : at + _RUN]) for at in range(len(words) - _RUN + 1))


@lru_cache(maxsize=4096)
def _stems(text: str) -> frozenset[str]:
    from Stemmer import Stemmer

    return frozenset(Stemmer("english").stemWords([word.casefold() for word in _WORD.findall(text)]))


@lru_cache(maxsize=20_000)
def _rarity(word: str) -> float:
    return _frequencies().get(zlib.crc32(word.encode()), float("inf"))


@cache
def _frequencies() -> dict[int, float]:
    """Returns inverse document frequencies of words in the review sentences that the bundled heads were trained on."""
    words = shipped().words
    return dict(zip(words.hashes.tolist(), words.idf.tolist(), strict=True))
