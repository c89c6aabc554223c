"""What documents are made of. Text offsets are code points; pages count from 1; geometry is in PDF points.

The origin of a page is its top left corner after rotation, so that a box can be drawn on the rendered page as it is.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

ParagraphKind = Literal["body", "caption", "heading", "reference", "footnote", "table", "equation", "code", "other"]


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle on a page: page number from 1, then left, top, right, bottom in points."""

    page: int
    x0: float
    y0: float
    x1: float
    y1: float


@dataclass(frozen=True, slots=True)
class Word:
    """A word as it is on the page: [start, end) in the paragraph's normalised text, and its box."""

    start: int
    end: int
    box: Box


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph in reading order.

    ``text`` is normalised (ligatures opened, line-end hyphenation joined, white space single); ``raw`` is what the
    glyphs said. ``offsets[i]`` is the position in ``raw`` that the normalised character ``i`` came from, and one more
    entry closes the last character, so ``raw[offsets[a]:offsets[b]]`` is the glyph text of ``text[a:b]``.
    """

    id: str
    index: int
    section: str
    kind: ParagraphKind
    text: str
    raw: str
    offsets: tuple[int, ...]
    page: int
    boxes: tuple[Box, ...]
    words: tuple[Word, ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True)
class PageSize:
    """A page as it is shown: number from 1, width and height in points after rotation, rotation in degrees."""

    number: int
    width: float
    height: float
    rotation: int


@dataclass(frozen=True, slots=True)
class MarginLine:
    """A line that bears a number in the margin, as manuscripts for review do: the number, and the line's rectangle."""

    number: int
    box: Box


Doubt = Literal["scan", "unmapped font", "absurd words", "order"]
DOUBTS: dict[str, str] = {
    "scan": "is a picture; any text on it was recognised by a program and may be wrong",
    "unmapped font": "has a font whose characters have no meaning; its text is partly unreadable",
    "absurd words": "holds hardly any real words; its text layer says something else than the page shows",
    "order": "may have been read in the wrong order; sentences break off",
}


@dataclass(frozen=True, slots=True)
class DoubtfulPage:
    """A page, from 1, whose text should not be taken for true; ``share`` of it (0 to 1) shows the reason."""

    page: int
    reason: Doubt
    share: float

    @property
    def sentence(self) -> str:
        return f"Page {self.page} {DOUBTS[self.reason]}."


@dataclass(frozen=True, slots=True)
class ParsedDocument:
    """A PDF read into paragraphs. ``sha256`` is that of the file's bytes; ``warnings`` are sentences for people.

    ``lines`` are those with a number in the margin, from the first page to the last; the numbers are in no paragraph.
    ``doubtful`` are the pages whose text cannot be trusted.
    """

    sha256: str
    pages: tuple[PageSize, ...]
    paragraphs: tuple[Paragraph, ...]
    parser: str
    seconds: float
    warnings: tuple[str, ...] = ()
    title: str = ""
    lines: tuple[MarginLine, ...] = ()
    doubtful: tuple[DoubtfulPage, ...] = ()

    def doubt(self, paragraph: Paragraph) -> DoubtfulPage | None:
        """The first doubtful page that a paragraph is on."""
        pages = {paragraph.page, *(box.page for box in paragraph.boxes)}
        return next((d for d in self.doubtful if d.page in pages), None)


@dataclass(frozen=True, slots=True)
class StoredDocument:
    """A PDF in a project; ``pages`` is None where nobody counted them yet."""

    id: str
    sha256: str
    filename: str
    title: str
    pages: int | None


@dataclass(frozen=True, slots=True)
class PackedDocument:
    """A parsed document as ``engine.documents.codec`` packs it, with the facts that the store keeps beside it."""

    sha256: str
    parser: str
    pages: int
    paragraphs: int
    seconds: float
    warnings: tuple[str, ...]
    content: bytes = field(repr=False)
