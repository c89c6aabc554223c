"""Converts boxes between a page as shown and as read, if its text is set sideways, as wide tables are."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

from engine.documents.records import Box, Paragraph, ParsedDocument, Word

UP, DOWN = 1, -1
"""Direction of the lines on a page whose text is set sideways; 0 if it is upright."""
_SIDE = 10_000.0
"""Larger than any page, in points."""


def to_read(box: Box, turn: int, side: float = _SIDE) -> Box:
    """Converts a box on a page as shown to the page turned so that lines run to the right. ``side`` is the page's
    height if lines run up, its width if they run down; without it, boxes are correct relative to each other only."""
    page, x0, y0, x1, y1 = box
    if turn == UP:
        return Box(page, side - y1, x0, side - y0, x1)
    return Box(page, y0, side - x1, y1, side - x0) if turn == DOWN else box


def to_show(box: Box, turn: int, side: float) -> Box:
    """The inverse of ``to_read``."""
    return to_read(box, -turn, side)


def turns(words: Iterable[Word]) -> dict[int, int]:
    """Returns the pages on which most words are higher than wide, and the direction of their lines."""
    votes: dict[int, Counter[int]] = {}
    last: Box | None = None
    for word in words:
        box = word.box
        if word.end - word.start > 2:
            sideways = box.y1 - box.y0 > box.x1 - box.x0
            along = sideways and last and last.page == box.page and abs(last.x0 - box.x0) < 1
            vote = (UP if last.y0 > box.y0 else DOWN) if along and last else 2 * sideways
            votes.setdefault(box.page, Counter())[vote] += 1
        last = box
    return {
        page: UP if found[UP] >= found[DOWN] else DOWN
        for page, found in votes.items()
        if 2 * found[0] < found.total() and found[UP] + found[DOWN]
    }


def upright(document: ParsedDocument, paragraphs: Sequence[Paragraph]) -> ParsedDocument:
    """Returns the document with boxes as read on the pages where ``paragraphs`` are set sideways."""
    found = turns(word for paragraph in paragraphs for word in paragraph.words)
    if not found:
        return document

    def read(box: Box) -> Box:
        return to_read(box, found.get(box.page, 0))

    return replace(
        document,
        paragraphs=tuple(
            replace(p, words=tuple(w._replace(box=read(w.box)) for w in p.words)) for p in document.paragraphs
        ),
        rules=tuple(map(read, document.rules)),
        bold=tuple(map(read, document.bold)),
    )
