"""Reads a page for the search for hidden text: its glyphs as they are drawn, its pixels and its words."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import groupby
from typing import Any

import numpy as np
import pymupdf

from engine.documents.glyph_shapes import UNKNOWN_GLYPH, Use
from engine.documents.hidden import WHY, Finding, Way, joined, lookalikes, tag_text, tells, zero_width
from engine.documents.ink import Ink, Rectangle, ink_of, rgb
from engine.documents.objects import decoded
from engine.documents.records import Box
from engine.shown import find_phrases, without_invisible

_MOST_CHARACTERS = 200_000
_MOST_PIXELS = 4_000_000
_ACTUAL = re.compile(rb"/ActualText\s*(\((?:\\.|[^\\()])*\)|<[0-9A-Fa-f\s]+>)", re.DOTALL)
CLIPS = 7
"""Kind of text runs that only clip, in addition to those of MuPDF's trace; kind 3 is text without ink."""
NOWHERE: Rectangle = (0.0, 0.0, 0.0, 0.0)
"""Box of a text without a position on the page."""
_LEAST_UNTRACED = 12
_NO_WIDTH = 0.02
"""Points; MuPDF gives no width to the characters of a replacement that exceed what it replaces."""
_PARTED = 0.35
"""Least gap between words, as a share of the usual width of a character."""


def failures() -> tuple[type[BaseException], ...]:
    """Returns the exceptions that MuPDF and PyMuPDF raise for files they can't read."""
    return (RuntimeError, ValueError, KeyError, TypeError, IndexError, AttributeError, pymupdf.mupdf.FzErrorBase)


@dataclass(slots=True)
class Span:
    """A run of text as drawn, in the coordinates of the unrotated page; ``number`` is its place in the drawing order,
    [``first``, ``last``) its range in the page's characters."""

    text: str
    box: Rectangle
    colour: tuple[int, int, int]
    opacity: float
    kind: int
    number: int
    size: float
    direction: tuple[float, float]
    first: int
    last: int


@dataclass(slots=True)
class TracedPage:
    """The data of a page, and the findings on it.

    Arrays have one row per character of the spans: ``boxes`` (n, 4), ``origins`` (n, 2), ``letters`` (n; whether it is
    a letter or digit), ``use`` (n; index in ``uses``), ``dark`` (n; points² of black in its box). ``words`` are the
    extracted words, ``plain_words`` those without replacements (ActualText), ``crammed`` the runs of zero-width
    characters by which a replacement is longer than what it replaces, ``replacements`` the texts of all. ``cut`` says
    why not everything was read, ``cropped`` that frames on the page cut through lines of text.
    """

    number: int
    width: float
    height: float
    matrix: Any
    ink: Ink | None
    spans: list[Span]
    boxes: Any
    origins: Any
    letters: Any
    use: Any
    uses: list[Use]
    log: list[tuple[str, Rectangle]]
    words: list[tuple[float, float, float, float, str]]
    plain_words: list[tuple[float, float, float, float, str]]
    crammed: list[tuple[str, Rectangle]] = field(default_factory=list)
    replacements: Sequence[str] = ()
    cut: str = ""
    cropped: bool = False
    dark: Any = None
    doubtful: list[Span] = field(default_factory=list)
    found: dict[Way, list[tuple[str, Rectangle]]] = field(default_factory=dict)
    remarks: dict[Way, str] = field(default_factory=dict)
    sure: set[Way] = field(default_factory=set)

    @property
    def text(self) -> str:
        """The extracted words, separated by single spaces."""
        return " ".join(w[4] for w in self.words)

    def note(self, way: Way, text: str, box: Rectangle) -> None:
        self.found.setdefault(way, []).append((text, box))

    def note_stretch(self, way: Way, first: int, last: int) -> None:
        """Notes the characters from ``first`` to before ``last``."""
        parts = [
            replace(s, text=s.text[max(0, first - s.first) : last - s.first], first=max(first, s.first),
                    last=min(last, s.last))
            for s in self.spans if s.first < last and s.last > first
        ]  # fmt: skip
        text, boxes = "".join(s.text for s in parts), self.boxes[first:last]
        box = (*boxes[:, :2].min(axis=0).tolist(), *boxes[:, 2:].max(axis=0).tolist())
        self.note(way, text if " " in text else "".join(map(self.words_of, parts)), box)

    def words_of(self, span: Span) -> str:
        """Returns the span's text with spaces at gaps between characters, as PDF readers insert them."""
        boxes = self.boxes[span.first : span.last]
        across = abs(span.direction[0]) >= abs(span.direction[1])
        starts, ends = (boxes[:, 0], boxes[:, 2]) if across else (boxes[:, 1], boxes[:, 3])
        if span.direction[0 if across else 1] < 0:
            starts, ends = -ends, -starts
        widths = ends - starts
        usual = float(np.median(widths[widths > 0])) if (widths > 0).any() else 0.0
        gaps = starts[1:] - ends[:-1]
        parted = np.append((gaps > _PARTED * usual) | (gaps < -3 * usual), False)
        if parted.mean() > 0.5:  # letters spaced out or scattered over the page still form words
            return span.text
        return "".join([c + " " if part else c for c, part in zip(span.text, parted, strict=True)])

    def findings(self) -> list[Finding]:
        """Returns what is hidden on the page, one finding per way, without stray glyphs that aren't a message."""
        found = []
        for way, entries in self.found.items():
            text = _in_words(entries)
            if way in self.sure or tells(text, way):
                why = WHY[way] + (f": {self.remarks[way]}" if way in self.remarks else "")
                boxes = tuple(self.shown(box) for _, box in entries if box != NOWHERE)
                found.append(Finding(way, self.number, text, why, boxes))
        return found + _characters(self)

    def spoken(self) -> list[Finding]:
        """Returns phrases addressed to reviewers in the extracted text, hidden or not."""
        starts, at = [], 0
        for *_, word in self.words:
            starts.append(at)
            at += len(word) + 1
        text = self.text
        return [
            Finding(
                "phrase",
                self.number,
                text[start:end],
                why,
                tuple(
                    self.shown(w[:4])
                    for w, s in zip(self.words, starts, strict=True)
                    if s < end and s + len(w[4]) > start
                ),
            )
            for start, end, why in find_phrases(text)
        ]

    def shown(self, box: Rectangle) -> Box:
        """Returns a box in the coordinates of the page as shown."""
        rect = pymupdf.Rect(box)
        if self.matrix is not None:
            rect = rect * self.matrix
        return Box(self.number, round(rect.x0, 2), round(rect.y0, 2), round(rect.x1, 2), round(rect.y1, 2))


def read_page(document: Any, index: int) -> TracedPage:
    """Reads a page (from 0) of an open ``pymupdf.Document``. Raises one of ``failures`` if it can't be drawn."""
    page = document.load_page(index)
    matrix = page.rotation_matrix if page.rotation else None
    if page.rotation:
        page.set_rotation(0)
    area = page.rect
    scale = min(1.0, (_MOST_PIXELS / max(1.0, area.width * area.height)) ** 0.5)
    drawn = page.get_pixmap(matrix=pymupdf.Matrix(scale, scale), colorspace=pymupdf.csRGB, alpha=False, annots=True)
    rows = np.frombuffer(drawn.samples, dtype=np.uint8).reshape(drawn.height, drawn.stride)
    pixels = rows[:, : drawn.width * 3].reshape(drawn.height, drawn.width, 3)
    log: list[Any] = [(str(entry[0]), tuple(map(float, entry[1]))) for entry in page.get_bboxlog()]
    given, drawn_text = (
        page.get_textpage(flags=pymupdf.TEXTFLAGS_WORDS | more) for more in (0, pymupdf.TEXT_IGNORE_ACTUALTEXT)
    )
    words, plain = _words(page, given), _words(page, drawn_text)
    crammed = _crammed(page) if given.extractText() != drawn_text.extractText() else []
    traced, spans, cut = page.get_texttrace(), [], ""
    traced += _untraced(page, plain, traced)
    characters: list[Any] = []
    for run in traced:
        if len(characters) > _MOST_CHARACTERS:
            cut = f"it has more than {_MOST_CHARACTERS:,} characters"
            break
        if run["chars"]:
            spans.append(_span(run, len(characters)))
            characters += run["chars"]
    boxes = np.array([c[3] for c in characters], np.float64).reshape(-1, 4)
    origins = np.array([c[2] for c in characters], np.float64).reshape(-1, 2)
    letters = np.array([c.isalnum() for span in spans for c in span.text], bool)
    uses, use = _uses(traced, spans, characters)
    return TracedPage(
        index + 1, area.width, area.height, matrix, ink_of(pixels, scale), spans, boxes, origins, letters, use, uses,
        log, words, plain, crammed, _replacements(page), cut,
    )  # fmt: skip


def _replacements(page: Any) -> list[str]:
    contents = page.read_contents()
    if b"/ActualText" not in contents:
        return []
    return [" ".join(decoded(value.decode("latin-1")).split()) for value in _ACTUAL.findall(contents)]


def _words(page: Any, text: Any) -> list[tuple[float, float, float, float, str]]:
    return [(x0, y0, x1, y1, word) for x0, y0, x1, y1, word, *_ in page.get_text("words", textpage=text)]


def _untraced(page: Any, words: Sequence[Any], traced: Sequence[Any]) -> list[dict[str, Any]]:
    """Returns extracted text runs that the trace lacks, in its format: they only clip what is drawn later."""
    width, height = page.rect.width, page.rect.height
    # A letter drawn twice in one place (bold) is extracted once, letters off the page never.
    there = {
        (c[0], round(c[2][0]), round(c[2][1])) for run in traced for c in run["chars"]
        if _character(c[0]).isalnum() and 0 <= c[2][0] <= width and 0 <= c[2][1] <= height
    }  # fmt: skip
    if sum(c.isalnum() for w in words for c in w[4]) - len(there) < _LEAST_UNTRACED:
        return []
    known = {
        (_character(c[0]), round(c[2][0] + dx), round(c[2][1] + dy))
        for run in traced for c in run["chars"] for dx in (-0.25, 0.25) for dy in (-0.25, 0.25)
    }  # fmt: skip
    flags = pymupdf.TEXTFLAGS_RAWDICT & ~pymupdf.TEXT_PRESERVE_IMAGES | pymupdf.TEXT_IGNORE_ACTUALTEXT
    runs = []
    for block in page.get_text("rawdict", flags=flags)["blocks"]:
        for line in block.get("lines", ()):
            for span in line["spans"]:
                chars = [
                    (ord(c["c"]), UNKNOWN_GLYPH, c["origin"], c["bbox"]) for c in span["chars"]
                    if not {(c["c"], *map(round, c["origin"])), ("\ufffd", *map(round, c["origin"]))} & known
                ]  # fmt: skip
                # The second letter of a ligature has no position in the trace.
                if sum(chr(c[0]).isalnum() for c in chars) > 0.4 * sum(c["c"].isalnum() for c in span["chars"]):
                    runs.append({
                        "font": span["font"], "size": span["size"], "dir": line["dir"], "chars": chars,
                        "color": (0.0,), "opacity": 1.0, "type": CLIPS, "seqno": 0,
                    })  # fmt: skip
    return runs


def _in_words(entries: Sequence[tuple[str, Rectangle]]) -> str:
    """Joins hidden texts; single letters drawn side by side, as in some fonts, form words."""
    text, end, line = "", 0.0, (0.0, 0.0)
    for part, (x0, y0, x1, y1) in entries:
        beside = abs(x0 - end) < 0.1 * (y1 - y0) and abs(y0 - line[0]) + abs(y1 - line[1]) < 0.2 * (y1 - y0)
        text += part if beside and len(part) == 1 else f" {part}"
        end, line = x1, (y0, y1)
    return joined([text])


def _crammed(page: Any) -> list[tuple[str, Rectangle]]:
    found = []
    blocks = page.get_text("rawdict", flags=pymupdf.TEXTFLAGS_RAWDICT & ~pymupdf.TEXT_PRESERVE_IMAGES)["blocks"]
    for line in (line for block in blocks for line in block.get("lines", ())):
        for without_width, chars in groupby((c for span in line["spans"] for c in span["chars"]), key=_has_no_width):
            if without_width:
                run = [(char["c"], char["bbox"]) for char in chars]
                found.append(("".join(c for c, _ in run), run[0][1]))
    return found


def _has_no_width(char: dict[str, Any]) -> bool:
    x0, y0, x1, y1 = char["bbox"]
    return bool(x1 - x0 < _NO_WIDTH or y1 - y0 < _NO_WIDTH)


@lru_cache(1 << 16)  # pages repeat few characters often
def _character(code: int) -> str:
    return chr(code) if 0 < code < 0x110000 and not 0xD800 <= code < 0xE000 else "\ufffd"


def _span(traced: dict[str, Any], first: int) -> Span:
    chars = traced["chars"]
    lefts, tops, rights, bottoms = zip(*(c[3] for c in chars), strict=True)
    return Span(
        "".join([_character(c[0]) for c in chars]),
        (min(lefts), min(tops), max(rights), max(bottoms)),
        rgb(traced.get("color")),
        float(traced["opacity"]),
        int(traced["type"]),
        int(traced["seqno"]),
        float(traced["size"]),
        tuple(traced["dir"]),
        first,
        first + len(chars),
    )


def _uses(traced: Iterable[Any], spans: list[Span], characters: list[Any]) -> tuple[list[Use], Any]:
    """Returns the glyphs in use, and the index of each character's. Glyphs with several characters count as one use."""
    known: dict[Use, int] = {}
    use = np.empty(len(characters), np.int32)
    fonts = [str(run["font"]) for run in traced if run["chars"]]
    for span, font in zip(spans, fonts, strict=False):
        at = span.first
        while at < span.last:
            end = at + 1
            while end < span.last and characters[end][1] < 0:
                end += 1
            text = span.text[at - span.first : end - span.first]
            use[at:end] = known.setdefault((font, characters[at][1], text), len(known))
            at = end
    return list(known), use


def _characters(page: TracedPage) -> list[Finding]:
    findings = []
    text = "".join(span.text for span in page.spans)
    if text.isascii():
        return []
    spelled = tag_text(text)
    if spelled:
        boxes = tuple(page.shown(s.box) for s in page.spans if tag_text(s.text))
        findings.append(Finding("tag characters", page.number, spelled, WHY["tag characters"], boxes))
    count = zero_width(text)
    if count:
        having = [s for s in page.spans if without_invisible(s.text) != s.text and not tag_text(s.text)]
        shown = joined(without_invisible(s.text) for s in having)
        boxes = tuple(page.shown(s.box) for s in having)
        findings.append(Finding("zero-width", page.number, shown[:200], f"{count} {WHY['zero-width']}", boxes))
    mixed = [w for w in page.words if lookalikes(w[4])]
    if len(mixed) >= 3:
        boxes = tuple(page.shown(w[:4]) for w in mixed)
        findings.append(Finding("lookalikes", page.number, joined(w[4] for w in mixed), WHY["lookalikes"], boxes))
    return findings
