"""What documents are made of. Text offsets are code points; pages count from 1; geometry is in PDF points.

The origin of a page is its top left corner after rotation, so that a box can be drawn on the rendered page as it is.
"""

from dataclasses import dataclass, field
from typing import Literal, NamedTuple

ParagraphKind = Literal["body", "caption", "heading", "reference", "footnote", "table", "equation", "code", "other"]


class Box(NamedTuple):
    """A rectangle on a page: page number from 1, then left, top, right, bottom in points."""

    page: int
    x0: float
    y0: float
    x1: float
    y1: float


class Word(NamedTuple):
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


Doubt = Literal["scan", "sideways", "unmapped font", "absurd words", "order", "left out", "no text"]
DOUBTS: dict[str, str] = {
    "scan": "is covered by a picture and may be a scan; any text on it may be recognised text with errors",
    "sideways": "is set sideways and was not read",
    "unmapped font": "has characters without a known meaning; parts of its text may be wrong or missing",
    "absurd words": "has much text that doesn't look like words; its text layer may differ from what the page shows",
    "left out": "couldn't be examined, or has text that isn't what it shows; that text was left out",
    "no text": "shows something, but has no text that can be read; what it says isn't known",
    "order": "has sentences that break off; it may have been read in the wrong order",
}


@dataclass(frozen=True, slots=True)
class DoubtfulPage:
    """A page, from 1, whose text may not be what the page shows; ``share`` of it (0 to 1) shows the reason."""

    page: int
    reason: Doubt
    share: float

    @property
    def sentence(self) -> str:
        return f"Page {self.page} {DOUBTS[self.reason]}. Check the page."


@dataclass(frozen=True, slots=True)
class ParsedDocument:
    """A PDF read into paragraphs. ``sha256`` is that of the file's bytes; ``warnings`` are sentences for people.

    ``lines`` are those with a number in the margin, from the first page to the last; the numbers are in no paragraph.
    ``doubtful`` are the pages whose text may not be what they show. ``rules`` are the lines drawn on the pages that
    have the caption of a table, ``bold`` the places of bold numbers on them.
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
    rules: tuple[Box, ...] = ()
    bold: tuple[Box, ...] = ()


@dataclass(frozen=True, slots=True)
class StoredDocument:
    """A PDF in a project; ``pages`` is None where nobody counted them yet, ``parser`` whose reading counts, if any."""

    id: str
    sha256: str
    filename: str
    title: str
    pages: int | None
    parser: str = ""


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
