"""Records of documents. Text offsets are code points; pages count from 1; geometry is in PDF points.

The origin of a page is its top left corner after rotation, so boxes can be drawn directly on the rendered page.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

PARSER = "geometry 14"
"""Name and version of the parser of PDFs, stored with its results. Changes when papers are read differently."""

ParagraphKind = Literal["body", "caption", "heading", "reference", "footnote", "table", "equation", "code", "other"]


class Box(NamedTuple):
    """A rectangle on a page: page number from 1, then left, top, right, bottom in points."""

    page: int
    x0: float
    y0: float
    x1: float
    y1: float


class Word(NamedTuple):
    """A word on a page: [start, end) in the paragraph's normalised text, and its box."""

    start: int
    end: int
    box: Box


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph in reading order.

    ``text`` is normalised (ligatures split, line-end hyphenation removed, single spaces); ``raw`` is the glyph text.
    ``offsets[i]`` is the position in ``raw`` of the normalised character ``i``, with one more entry for the end, so
    ``raw[offsets[a]:offsets[b]]`` is the glyph text of ``text[a:b]``.
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
    """A line with a number in the margin, as in manuscripts for review: the number, and the line's rectangle."""

    number: int
    box: Box


Doubt = Literal["scan", "sideways", "unmapped font", "absurd words", "order", "left out", "no text"]
DOUBTS: dict[str, str] = {
    "scan": "is covered by a picture and may be a scan; any text on it may be recognised text with errors",
    "sideways": "is set sideways and was not read",
    "unmapped font": "has characters without a known meaning; parts of its text may be wrong or missing",
    "absurd words": "has much text that doesn't look like words; its text layer may differ from what the page shows",
    "left out": "couldn't be examined, or has text that isn't what it shows; that text was left out",
    "no text": "is damaged or shows something, but has no text that can be read; what it says isn't known",
    "order": "has sentences that break off; it may have been read in the wrong order",
}


@dataclass(frozen=True, slots=True)
class DoubtfulPage:
    """A page, from 1, whose text may differ from what it shows; ``share`` (0 to 1) of it supports the reason."""

    page: int
    reason: Doubt
    share: float

    @property
    def sentence(self) -> str:
        return f"Page {self.page} {DOUBTS[self.reason]}. Check the page."


@dataclass(frozen=True, slots=True)
class ParsedDocument:
    """A PDF read into paragraphs. ``sha256`` is that of the file; ``warnings`` are sentences for the user.

    ``lines`` are those with a number in the margin, in page order; the numbers are in no paragraph. ``doubtful`` are
    the pages whose text may differ from what they show. ``rules`` are the lines drawn on pages with a caption of a
    table or algorithm, ``bold`` the boxes of bold numbers there.
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

    @property
    def remarks(self) -> tuple[str, ...]:
        """Sentences for a person who adds the PDF: its warnings, and which pages are doubtful."""
        pages = [doubt.page for doubt in self.doubtful]
        if len(pages) < 2:
            return (*self.warnings, *(doubt.sentence for doubt in self.doubtful))
        return (*self.warnings, f"{pages_named(pages)} are marked: their text may not be what they show.")


def pages_named(numbers: Sequence[int]) -> str:
    """Returns "Page 3" or "Pages 3, 5, 6"; after eight pages only how many more."""
    if len(numbers) == 1:
        return f"Page {numbers[0]}"
    shown = ", ".join(str(n) for n in numbers[:8])
    return f"Pages {shown}" + (f" and {len(numbers) - 8} more" if len(numbers) > 8 else "")


@dataclass(frozen=True, slots=True)
class StoredDocument:
    """A PDF in a project; ``pages`` is None if not counted yet, ``parser`` the preferred parser's name, or ""."""

    id: str
    sha256: str
    filename: str
    title: str
    pages: int | None
    parser: str = ""


@dataclass(frozen=True, slots=True)
class PackedDocument:
    """A parsed document encoded by ``engine.documents.codec``, with the values that the store keeps separately."""

    sha256: str
    parser: str
    pages: int
    paragraphs: int
    seconds: float
    warnings: tuple[str, ...]
    content: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class Mark:
    """One mark on a page of a PDF, of a kind in ``marking.COLOURS``, in points from the top left of the page as shown.

    ``lines`` are underlined or, in a review, highlighted; ``bar`` is where a bar in the margin is drawn; ``caret`` is
    where text is missing.
    """

    kind: str
    page: int
    label: str
    note: str
    lines: tuple[Box, ...] = ()
    bar: Box | None = None
    caret: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class Marking:
    """A PDF with marks; ``left_out`` counts marks that couldn't be added."""

    content: bytes
    marks: int
    left_out: int


@dataclass(frozen=True, slots=True)
class Laid:
    """A typeset PDF, its number of pages, and how much of the last one is filled (0 to 1)."""

    content: bytes
    pages: int
    filled: float
