"""Finds text in a parsed document, and where part of a paragraph is on the pages."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice

from engine.documents.records import Box, Paragraph, ParsedDocument, Word
from engine.text_search import occurrences

LIMIT = 10_000
"""Greatest number of hits of a search."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A match: [start, end) in the text of the paragraph."""

    paragraph_id: str
    start: int
    end: int


def find(document: ParsedDocument, query: str) -> tuple[Hit, ...]:
    """Returns where ``query`` occurs in the document, in reading order, at most ``LIMIT`` hits.

    Line ends and hyphenation don't matter, since the normalised text is searched.
    """
    hits = (Hit(one.id, *span) for one in document.paragraphs for span in occurrences(one.text, query))
    return tuple(islice(hits, LIMIT))


def small(text: str) -> str:
    """Returns the text in lower case, of the same length: letters that would become two (İ) are unchanged."""
    lower = text.lower()
    return lower if len(lower) == len(text) else "".join(low if len(low := c.lower()) == 1 else c for c in text)


def boxes_for(paragraph: Paragraph, start: int, end: int) -> tuple[Box, ...]:
    """Returns rectangles, one per line, that cover the characters [start, end) of a paragraph's text.

    A partly covered word contributes a part of its box in proportion to its characters. An empty range has no boxes.
    """
    if start >= end:
        return ()
    words = (word for word in paragraph.words if start < word.end and word.start < end)
    return by_line(_part(word, max(start, word.start), min(end, word.end)) for word in words)


def by_line(boxes: Iterable[Box]) -> tuple[Box, ...]:
    """Merges boxes of words in reading order to one box per line."""
    lines: list[list[Box]] = []
    for box in boxes:
        if lines and _same_line(lines[-1][-1], box):
            lines[-1].append(box)
        else:
            lines.append([box])
    return tuple(union(line) for line in lines)


def _part(word: Word, start: int, end: int) -> Box:
    box, length = word.box, word.end - word.start
    if start == word.start and end == word.end:
        return box
    width = box.x1 - box.x0
    left = box.x0 + width * (start - word.start) / length
    right = box.x0 + width * (end - word.start) / length
    return Box(box.page, round(left, 2), box.y0, round(right, 2), box.y1)


def _same_line(a: Box, b: Box) -> bool:
    height = min(a.y1 - a.y0, b.y1 - b.y0)
    shared = min(a.y1, b.y1) - max(a.y0, b.y0)
    return a.page == b.page and b.x0 >= a.x0 and shared > 0.4 * height


def union(boxes: Sequence[Box]) -> Box:
    return Box(
        boxes[0].page,
        min(b.x0 for b in boxes),
        min(b.y0 for b in boxes),
        max(b.x1 for b in boxes),
        max(b.y1 for b in boxes),
    )
