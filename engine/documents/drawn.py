"""What a page draws compared with the text that it yields. Touches MuPDF; runs in the worker.

Two witnesses: MuPDF's trace of every text (how it is to be drawn) and the page as it is drawn, as pixels. Text is
hidden when it is set to leave no ink, when its ink is that of its ground, when nothing shows where it stands, or when
what shows there was drawn after it.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from operator import sub
from typing import TYPE_CHECKING, Any

from engine.documents.beside_pages import beside_the_pages
from engine.documents.colours import commonest, contrast, rgb
from engine.documents.hidden import (
    WHY,
    Finding,
    Inspection,
    Way,
    find_phrases,
    joined,
    tag_text,
    tells,
    without_invisible,
    zero_width,
)  # fmt: skip
from engine.documents.records import Box

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Pixels = NDArray[np.uint8]

_CONTRAST = 1.25
"""Below this contrast (WCAG 2, 1 to 21) nobody sees a text; readable text has 4.5, a faint watermark 1.5."""
_TINY = 2.2
"""Points that the widest or highest glyph of a text takes; footnotes have 5, labels in dense plots 3."""
_FLAT = 6
"""Levels (of 255) of the mixed channels within which an area is of one colour."""
_DARK, _LIGHT = 90, 190
"""Levels (of 255) below which ink is dark in all channels, and above which a place is light on the whole."""
_MOST_SPANS = 20_000
_MOST_GLYPHS = 5_000
_MOST_PIXELS = 4_000_000
_WORD = re.compile(r"[^\W\d_]{2,}")


@dataclass(slots=True)
class _Span:
    """A run of text as it is drawn, in the geometry of the unrotated page; ``number`` orders the drawing."""

    text: str
    box: tuple[float, float, float, float]
    colour: tuple[int, int, int]
    opacity: float
    kind: int
    number: int
    extent: float
    layer: str
    glyphs: list[tuple[float, float, float, float]]


@dataclass(slots=True)
class _Page:
    number: int
    width: float
    height: float
    matrix: Any
    scale: float
    pixels: Pixels
    mixed: Pixels
    spans: list[_Span]
    log: list[tuple[str, tuple[float, float, float, float]]]
    words: list[tuple[float, float, float, float, str]]
    found: dict[Way, list[tuple[str, tuple[float, float, float, float]]]] = field(default_factory=dict)


def inspect_document(document: Any, progress: Callable[[float, str], None]) -> Inspection:
    """Look for hidden text in an open ``pymupdf.Document`` that needs no password. Pages that cannot be drawn are
    skipped: the parser says which they are."""
    import pymupdf

    started = time.perf_counter()
    hidden: list[Finding] = []
    injection: list[Finding] = []
    count = int(document.page_count)
    for index in range(count):
        try:
            page = _read(document, index)
            hidden += _hidden(document, page)
            injection += _spoken(page)
        except (RuntimeError, ValueError, pymupdf.mupdf.FzErrorBase):
            continue
        if index % 10 == 9:
            progress((index + 1) / count, f"page {index + 1} of {count}")
    hidden += _switched_off(document)
    notes, spoken = beside_the_pages(document)
    hidden += notes
    injection += spoken
    injection += [
        Finding("phrase", f.page, f.text[a:b], f"{why}; it is hidden: {f.why}", f.boxes)
        for f in hidden
        for a, b, why in find_phrases(f.text)
        if not any(i.page == f.page and f.text[a:b] in i.text for i in injection)
    ]
    encrypted = bool((document.metadata or {}).get("encryption"))
    return Inspection(count, encrypted, tuple(hidden), tuple(injection), round(time.perf_counter() - started, 3))


# --- reading a page --------------------------------------------------------------------------------------------------
def _read(document: Any, index: int) -> _Page:
    import numpy as np
    import pymupdf

    page = document.load_page(index)
    matrix = page.rotation_matrix if page.rotation else None
    if page.rotation:
        page.set_rotation(0)
    area = page.rect
    scale = min(1.0, (_MOST_PIXELS / max(1.0, area.width * area.height)) ** 0.5)
    drawn = page.get_pixmap(matrix=pymupdf.Matrix(scale, scale), colorspace=pymupdf.csRGB, alpha=False, annots=True)
    rows = np.frombuffer(drawn.samples, dtype=np.uint8).reshape(drawn.height, drawn.stride)
    pixels = rows[:, : drawn.width * 3].reshape(drawn.height, drawn.width, 3)
    # One channel of three, with weights that no two colours of a page are likely to share.
    mixed = np.dot(pixels, np.array([0.5, 0.3, 0.2])).astype(np.uint8)
    log = [(str(entry[0]), tuple(map(float, entry[1]))) for entry in page.get_bboxlog()]
    words = [(*map(float, w[:4]), str(w[4])) for w in page.get_text("words")]
    spans = [_span(s) for s in page.get_texttrace()[:_MOST_SPANS]]
    return _Page(index + 1, area.width, area.height, matrix, scale, pixels, mixed, spans, log, words)  # type: ignore[arg-type]


def _span(traced: dict[str, Any]) -> _Span:
    chars = traced["chars"]
    text = "".join(chr(c[0]) if 0 < c[0] < 0x110000 and not 0xD800 <= c[0] < 0xE000 else "\ufffd" for c in chars)
    boxes = [c[3] for c in chars]
    lefts, tops, rights, bottoms = zip(*(boxes or [traced["bbox"]]), strict=True)
    box = (min(lefts), min(tops), max(rights), max(bottoms))
    extent = max((*map(sub, rights, lefts), *map(sub, bottoms, tops))) if boxes else 0.0
    return _Span(
        text,
        tuple(map(float, box)),  # type: ignore[arg-type]
        rgb(traced.get("color")),
        float(traced["opacity"]),
        int(traced["type"]),
        int(traced["seqno"]),
        float(extent),
        str(traced.get("layer") or ""),
        [b for b, character in zip(boxes, text, strict=True) if character.isalnum()]
        if len(chars) < _MOST_GLYPHS
        else [],
    )


# --- what is hidden --------------------------------------------------------------------------------------------------
def _hidden(document: Any, page: _Page) -> list[Finding]:
    scanned = any(
        kind == "fill-image" and (b[2] - b[0]) * (b[3] - b[1]) > 0.5 * page.width * page.height for kind, b in page.log
    )
    covers = [(n, b) for n, (kind, b) in enumerate(page.log) if kind in ("fill-image", "fill-path", "fill-shade")]
    for span in page.spans:
        if not any(c.isalnum() for c in span.text):
            continue
        way = _way(page, span, scanned=scanned)
        if way is None and _is_covered(document, page, span, covers):
            way = "covered"
        if way is not None:
            page.found.setdefault(way, []).append((span.text, span.box))
    known = [box for entries in page.found.values() for _, box in entries]
    for x0, y0, x1, y1, word in page.words:
        if not any(c.isalnum() for c in word) or not _is_flat(page, (x0, y0, x1, y1)):
            continue
        x, y = (x0 + x1) / 2, (y0 + y1) / 2
        if not any(b[0] <= x <= b[2] and b[1] - 2 <= y <= b[3] + 2 for b in known):
            page.found.setdefault("not drawn", []).append((word, (x0, y0, x1, y1)))
    findings = []
    for way, entries in page.found.items():
        text = joined(t for t, _ in entries)
        if tells(text, way):
            boxes = tuple(_shown(page, box) for _, box in entries)
            findings.append(Finding(way, page.number, text, WHY[way], boxes))
    return findings + _characters(page)


def _way(page: _Page, span: _Span, *, scanned: bool) -> Way | None:
    x0, y0, x1, y1 = span.box
    if x1 <= 0 or y1 <= 0 or x0 >= page.width or y0 >= page.height:
        return "off the page"
    if span.kind == 3:
        # Over a scanned page the recognised text is laid without ink: there is ink below it, and none for what was
        # put in.
        return None if scanned and not _is_flat(page, span.box) else "invisible"
    if span.extent < _TINY:
        return "tiny"
    area = _area(page, span.box)
    if area.size == 0:
        return None
    # Dark ink on a place that is light on the whole cannot have its colour: what most pages are made of.
    if span.opacity >= 0.9 and max(span.colour) < _DARK and _area(page, span.box, pixels=page.mixed).mean() > _LIGHT:
        return None if _shows(page, span.glyphs) else "not drawn"
    inside = commonest([area.reshape(-1, 3)])
    ink = tuple(span.opacity * c + (1 - span.opacity) * g for c, g in zip(span.colour, inside, strict=True))
    if span.opacity < 0.9 and contrast(ink, inside) < _CONTRAST <= contrast(span.colour, inside):
        return "transparent"
    if contrast(span.colour, inside) < _CONTRAST and contrast(span.colour, _border(page, span.box)) < _CONTRAST:
        return "background colour"
    if span.opacity < 0.02:
        return "transparent"
    return None if _shows(page, span.glyphs) else "not drawn"


def _shows(page: _Page, glyphs: Sequence[tuple[float, float, float, float]]) -> bool:
    """Whether more than a fifth of the glyphs leave a trace; other things may cross a text that is not drawn."""
    if not glyphs:
        return True
    few = glyphs[:: max(1, len(glyphs) // 3)][:3]
    if not any(_is_flat(page, glyph) for glyph in few):
        return True
    some = glyphs[:: max(1, len(glyphs) // 30)]
    return sum(not _is_flat(page, glyph) for glyph in some) > 0.2 * len(some)


def _is_covered(
    document: Any,
    page: _Page,
    span: _Span,
    covers: Sequence[tuple[int, tuple[float, float, float, float]]],
) -> bool:
    """Whether something drawn later takes the whole place of a text, and the text's colour shows nowhere in it."""
    import numpy as np
    import pymupdf

    x0, y0, x1, y1 = span.box
    later = any(
        number > span.number and b[0] <= x0 + 1 and b[1] <= y0 + 1 and b[2] >= x1 - 1 and b[3] >= y1 - 1
        for number, b in covers
    )
    if not later or not _WORD.search(span.text):
        return False
    loaded = document.load_page(page.number - 1)
    clip = pymupdf.Rect(span.box) & loaded.rect
    if clip.is_empty or clip.width * clip.height > 60_000:
        return False
    drawn = loaded.get_pixmap(matrix=pymupdf.Matrix(3, 3), clip=clip, colorspace=pymupdf.csRGB, alpha=False)
    colours = np.frombuffer(drawn.samples, dtype=np.uint8).reshape(drawn.height, drawn.stride)[:, : drawn.width * 3]
    distance = np.abs(colours.reshape(-1, 3).astype(int) - np.array(span.colour)).max(axis=1)
    return float((distance < 90).mean()) < 0.01


def _area(
    page: _Page, box: tuple[float, float, float, float], grow: float = 0.0, pixels: Pixels | None = None
) -> Pixels:
    pixels = page.pixels if pixels is None else pixels
    height, width = pixels.shape[:2]
    s = page.scale
    left, top = max(0, int((box[0] - grow) * s)), max(0, int((box[1] - grow) * s))
    right, bottom = min(width, int((box[2] + grow) * s) + 1), min(height, int((box[3] + grow) * s) + 1)
    return pixels[top:bottom, left:right]


def _is_flat(page: _Page, box: tuple[float, float, float, float]) -> bool:
    """Whether a place is of one colour: no glyph shows there. The neighbours' descenders and rules are left out."""
    inset = 0.22 * (box[3] - box[1])
    area = _area(page, (box[0], box[1] + inset, box[2], box[3] - inset), pixels=page.mixed)
    return area.size > 0 and int(area.max()) - int(area.min()) < _FLAT


def _border(page: _Page, box: tuple[float, float, float, float]) -> tuple[int, ...]:
    """The most frequent colour around a place: heavy letters fill their own box, and not what is around it."""
    wide = _area(page, box, 2.0)
    return commonest([wide[0], wide[-1], wide[:, 0], wide[:, -1]])


def _shown(page: _Page, box: tuple[float, float, float, float]) -> Box:
    """A box in the geometry of the page as it is shown."""
    import pymupdf

    rect = pymupdf.Rect(box)
    if page.matrix is not None:
        rect = rect * page.matrix
    return Box(page.number, round(rect.x0, 2), round(rect.y0, 2), round(rect.x1, 2), round(rect.y1, 2))


def _characters(page: _Page) -> list[Finding]:
    findings = []
    text = "".join(span.text for span in page.spans)
    spelled = tag_text(text)
    if spelled:
        boxes = tuple(_shown(page, s.box) for s in page.spans if tag_text(s.text))
        findings.append(Finding("tag characters", page.number, spelled, WHY["tag characters"], boxes))
    count = zero_width(text)
    if count:
        having = [s for s in page.spans if without_invisible(s.text) != s.text and not tag_text(s.text)]
        shown = joined(without_invisible(s.text) for s in having)
        why = f"{count} {WHY['zero-width']}"
        boxes = tuple(_shown(page, s.box) for s in having)
        findings.append(Finding("zero-width", page.number, shown[:200], why, boxes))
    return findings


# --- what speaks to the reviewer -------------------------------------------------------------------------------------
def _spoken(page: _Page) -> list[Finding]:
    """Phrases in the text that the page yields, hidden or not."""
    starts, parts, at = [], [], 0
    for *_, word in page.words:
        starts.append(at)
        parts.append(word)
        at += len(word) + 1
    text = " ".join(parts)
    findings = []
    for start, end, why in find_phrases(text):
        boxes = tuple(
            _shown(page, w[:4]) for w, s in zip(page.words, starts, strict=True) if s < end and s + len(w[4]) > start
        )
        findings.append(Finding("phrase", page.number, text[start:end], why, boxes))
    return findings


def _switched_off(document: Any) -> list[Finding]:
    """The text of layers that are off: the file is read once more with all of them on."""
    import pymupdf

    failures = (RuntimeError, ValueError, KeyError, TypeError, pymupdf.mupdf.FzErrorBase)
    try:
        names = {entry["name"] for entry in document.get_ocgs().values() if not entry["on"]}
        if not names:
            return []
        shown = pymupdf.open(stream=document.tobytes(), filetype="pdf")
    except failures:
        return []
    findings = []
    with shown:
        try:
            _switch_on(shown)
        except failures:
            return []
        for index in range(shown.page_count):
            try:
                page = _read(shown, index)
            except failures:
                continue
            spans = [s for s in page.spans if s.layer in names]
            text = joined(s.text for s in spans)
            if tells(text, "layer off"):
                boxes = tuple(_shown(page, s.box) for s in spans)
                findings.append(Finding("layer off", page.number, text, WHY["layer off"], boxes))
    return findings


def _switch_on(document: Any) -> None:
    """Switch all layers on: those that the reader's list offers by that list, the rest by their own entry."""
    for entry in document.layer_ui_configs():
        if not entry["on"] and not entry["locked"]:
            document.set_layer_ui_config(entry["number"], 0)
    off = [number for number, entry in document.get_ocgs().items() if not entry["on"]]
    if off:
        document.set_layer(-1, on=off, basestate="ON")
