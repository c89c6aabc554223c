"""The words of tables, in lines and cells."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from engine.documents.records import Box, Paragraph, Word
from engine.documents.search import union

BLANK = 0.75
"""Least gap between two cells, as a share of the line's height; a word space is about a quarter."""


@dataclass(frozen=True, slots=True)
class Piece:
    word: Word
    paragraph: Paragraph

    @property
    def text(self) -> str:
        return self.paragraph.text[self.word.start : self.word.end]

    @property
    def box(self) -> Box:
        return self.word.box

    @property
    def middle(self) -> float:
        return (self.word.box.y0 + self.word.box.y1) / 2

    @property
    def height(self) -> float:
        return self.word.box.y1 - self.word.box.y0


Line = list[Piece]
"""Words of one line from left to right."""
Sides = tuple[list[Line], list[Line]]
"""The lines above and below a caption that may be its table."""


def lines_of(pieces: Iterable[Piece]) -> list[Line]:
    """Groups words into lines, from the top."""
    lines: list[Line] = []
    for piece in sorted(pieces, key=lambda p: (p.middle, p.box.x0)):
        # The longest word determines the line's height; raised marks are separate lines.
        if lines and abs(piece.middle - lines[-1][0].middle) < 0.25 * max(piece.height, lines[-1][0].height):
            longer = piece.box.x1 - piece.box.x0 > lines[-1][0].box.x1 - lines[-1][0].box.x0
            lines[-1].insert(0 if longer else len(lines[-1]), piece)
        else:
            lines.append([piece])
    return [sorted(line, key=lambda p: p.box.x0) for line in lines]


def parted(line: Line) -> list[Line]:
    """Splits a line at gaps wider than between words."""
    parts: list[Line] = []
    for piece in line:
        if parts and piece.box.x0 - parts[-1][-1].box.x1 < BLANK * piece.height:
            parts[-1].append(piece)
        else:
            parts.append([piece])
    return parts


def around(pieces: Sequence[Piece]) -> Box:
    """Returns the box of some words on one page."""
    return union([p.box for p in pieces])
