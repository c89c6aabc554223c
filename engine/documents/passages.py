"""Represents a document's text as one sequence of letters and digits, in which quotations are searched for.

Differences that quoting introduces (ligatures, hyphens, line ends, kinds of quotation marks and dashes, accents, case,
citation marks) are ignored; a different letter or digit is not.
"""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from engine.documents.records import Paragraph

_DASHES = str.maketrans(dict.fromkeys("‐‑‒–—―−", "-"))
# Kept: letters, digits, a point inside a number, the signs < > = ± %, and a minus before a number.
_DROPPED = re.compile(r"(?!(?<=\d)\.(?=\d)|(?<![^\W_])-(?=\.?\d))[^\w<>=±%]|_")
_CITATION = re.compile(
    r"\[\s*\d{1,4}(?:\s*[,;–-]\s*\d{1,4})*\s*\]"
    r"|\((?:[^()]{0,160}\b(?:19|20)\d\d[a-z]?\b[^()]{0,160})\)"
    r"|(?<=[^\W\d_]{3})\d{1,3}(?:[,–-]\d{1,3})*(?=[\s.,;)]|$)"
    r"|(?<=[^\W\d_][.,])\d{1,3}(?:[,–-]\d{1,3})*(?=\s|$)"
)
_GAP = re.compile(r"\[?\s*(?:…|\.\s?\.\s?\.+)\s*\]?|\[(?!\d)[^\[\]]{2,80}\]")
_LETTER = re.compile(r"\[(\w)\]")
_REACH = 1500
"""Most letters that an ellipsis may stand for."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """A range [start, end) of a paragraph's text."""

    paragraph: int
    start: int
    end: int


def key(text: str) -> str:
    """Returns a text's letters and digits in lower case, without accents and ligatures; numbers keep point and sign."""
    return _DROPPED.sub("", _opened(text))


def words_of(text: str) -> int:
    """Returns the number of words of a quotation."""
    return len(re.findall(r"[^\W_]+", text))


class Passages:
    """Paragraphs as one sequence of letters, in which quotations are found."""

    def __init__(self, paragraphs: Sequence[Paragraph]) -> None:
        self._texts = tuple(p.text for p in paragraphs)
        self._plain = _Run(self._texts)
        self._cited: _Run | None = None

    def find(self, quote: str) -> tuple[Stretch, ...]:
        """Returns where a quotation occurs, one stretch per part and paragraph; empty if it doesn't.

        The parts around an ellipsis ("...", "[...]", an editor's words in brackets) must follow each other within 1,500
        letters. All parts must consist of whole words.
        """
        parts = [part for part in _GAP.split(_LETTER.sub(r"\1", quote)) if part and key(part)]
        if not parts:
            return ()
        found = self._plain.find([key(part) for part in parts])
        if not found:
            if self._cited is None:
                self._cited = _Run(tuple(_CITATION.sub(lambda m: " " * len(m.group()), text) for text in self._texts))
            # The quotation itself is not stripped: it may omit citations, but not change what is in brackets.
            found = self._cited.find([key(part) for part in parts])
        return found


class _Run:
    def __init__(self, texts: Sequence[str]) -> None:
        self._texts = texts
        keys = [key(text) for text in texts]
        self._starts = [0]
        for one in keys:
            self._starts.append(self._starts[-1] + len(one))
        self._run = "".join(keys)

    def find(self, parts: Sequence[str]) -> tuple[Stretch, ...]:
        parts = [part for part in parts if part]
        if not parts:
            return ()
        at = self._run.find(parts[0])
        while at >= 0:
            spans = self._follow(parts, at)
            if spans is not None:
                return tuple(stretch for span in spans for stretch in self._stretches(*span))
            at = self._run.find(parts[0], at + 1)
        return ()

    def _follow(self, parts: Sequence[str], at: int) -> list[tuple[int, int]] | None:
        spans: list[tuple[int, int]] = []
        for number, part in enumerate(parts):
            place = at
            limit = at + len(part) if number == 0 else spans[-1][1] + _REACH
            while place >= 0 and not self._whole(place, place + len(part)):
                place = -1 if number == 0 else self._run.find(part, place + 1, limit)
            if place < 0:
                return None
            spans.append((place, place + len(part)))
            if number + 1 < len(parts):
                at = self._run.find(parts[number + 1], spans[-1][1], spans[-1][1] + _REACH)
        return spans

    def _whole(self, start: int, end: int) -> bool:
        """Returns whether a range starts and ends at the boundary of a word and of a number."""
        first, last = self._stretches(start, end)[0], self._stretches(start, end)[-1]
        before, after = self._texts[first.paragraph], self._texts[last.paragraph]
        cut_before = first.start > 0 and before[first.start - 1].isalnum() and before[first.start].isalnum()
        cut_after = last.end < len(after) and after[last.end].isalnum() and after[last.end - 1].isalnum()
        in_number = last.end + 1 < len(after) and re.match(r"\d\.\d", after[last.end - 1 : last.end + 2])
        from_number = first.start > 1 and re.match(r"\d\.\d", before[first.start - 2 : first.start + 1])
        return not (cut_before or cut_after or in_number or from_number)

    def _stretches(self, start: int, end: int) -> list[Stretch]:
        found = []
        number = bisect_right(self._starts, start) - 1
        while number < len(self._texts) and self._starts[number] < end:
            places = _places(self._texts[number])
            low, high = max(start, self._starts[number]), min(end, self._starts[number + 1])
            if low < high:
                offset = self._starts[number]
                found.append(Stretch(number, places[low - offset], places[high - 1 - offset] + 1))
            number += 1
        return found


def _opened(text: str) -> str:
    decomposed = unicodedata.normalize("NFKD", text.translate(_DASHES)).casefold()
    return "".join(c for c in decomposed if not unicodedata.combining(c)) if not text.isascii() else decomposed


@lru_cache(maxsize=256)
def _places(text: str) -> tuple[int, ...]:
    """Returns for each character of ``key(text)`` its position in the text."""
    letters: list[str] = []
    origins: list[int] = []
    for place, character in enumerate(text):
        opened = _opened(character)
        letters.append(opened)
        origins.extend([place] * len(opened))
    dropped = {m.start() for m in _DROPPED.finditer("".join(letters))}
    return tuple(origin for n, origin in enumerate(origins) if n not in dropped)
