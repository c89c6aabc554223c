"""Judges a page's text: what leaves no ink, what differs from the extracted text, and what is covered."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pymupdf

from engine.documents.glyph_shapes import Shape, Use, scratch_page
from engine.documents.hidden import Way, joined
from engine.documents.ink import LEAST_CONTRAST, Ink, Rectangle, contrast, resemblance
from engine.documents.misread import replaced
from engine.documents.traced import CLIPS, Span, TracedPage
from engine.shown import find_phrases

_TINY = 2.2
"""Points of a text's widest or highest glyph below which it is tiny; footnotes have 5, labels in dense plots 3."""
_SQUEEZED, _NARROW = 2.0, 0.35
"""Points: least thickness of a readable line of text, and least space along it per character."""
_DARK, _LIGHT = 90, 190
"""Levels (of 255) below which ink is dark in all channels, and above which an area is light overall."""
_ROOM = 0.5
"""Share of its width that a character gets before the next, below which a text is unreadable."""
_SCALE = 3.0
"""Pixels per point for comparing the shapes of letters."""
_RESEMBLES = 0.2
"""Correlation of a text's letters with the page below which they aren't visible; text on photographs has 0.4."""
_INKED = 0.4
"""Share of a text's strokes in its colour, below which what resembles it is something else."""
_MIXED = (0.5, 0.3, 0.2)
"""Weights of the colour channels, chosen so that two colours of a page hardly ever coincide."""
_MOST_DOUBTFUL = 1_500
_MOST_SHEETS = 12
_RUN, _OFF, _GOES_WITH = 24, 0.2, 0.9
"""Letters compared at a time, least share by which hidden ink differs from what is expected, and least correlation of
the two for visible text. Nine tenths of real text differ by less than 0.07, text hidden by other text by 0.25 to 1; on
a tinted background only the correlation is conclusive."""
_SCAN = 0.8
"""Least share of the page that the picture of a scan covers."""
_INK_OF_SCANS = 60
"""Least difference in grey levels between paper and ink of a scan in the area of a word."""
_GRAIN, _PALE = 20, 0.4
"""Grey level variation of a scan's paper, and share of its words' usual variation, below which an area is empty; above
``_INK_OF_SCANS`` it never is."""
_FOREIGN = 0.3
"""Share of a text's words on empty paper from which all its words are hidden."""
_STEP = 3
"""Greatest distance in em from the last letter on the page to the first one off it of a text crossing the edge."""
_FILLS = ("fill-image", "fill-shade", "fill-path", "fill-imgmask")
_PICTURES = ("fill-image", "fill-imgmask")
"""The operations that draw a scan; a black-and-white one may be an image mask."""
_CAPTION = re.compile(r"(?:FIG|Fig|TAB|Tab)[\w.]*\s*\d")


# --- by ink ----------------------------------------------------------------------------------------------------------
def judged(page: TracedPage) -> None:
    """Notes text that leaves no ink, text that replaces what is drawn, and which spans are doubtful; then releases the
    pixels."""
    assert page.ink is not None
    ink = page.ink
    replaced(page)
    flat = ink.flat(page.boxes)
    light = ink.light([s.box for s in page.spans]) if page.spans else np.zeros(0)
    page.dark = (1 - ink.light(page.boxes) / 255) * np.abs(np.diff(page.boxes.reshape(-1, 2, 2), axis=1)).prod(
        axis=(1, 2)
    )
    # A scan may consist of strips.
    pictures = sum((b[2] - b[0]) * (b[3] - b[1]) for kind, b in page.log if kind in _PICTURES)
    scanned = pictures > 0.5 * page.width * page.height
    letters, shows, heap = _by_span(page, flat, _piles(page))
    extent, room = _extents(page)
    ground = _over_grounds(page)
    recognised: list[Span] = []
    for n, span in enumerate(page.spans):
        if not letters[n]:
            continue
        tiny = bool(extent[n] < _TINY)
        way = _way(page, ink, span, float(light[n]), tiny=tiny, scanned=scanned, shows=bool(shows[n] > 0.2))
        if way is None and (heap[n] > 0.6 or room[n] < _ROOM):
            way = "overlapping"
        if way is not None:
            page.note(way, page.words_of(span), span.box)
        elif span.kind == 3 and scanned:
            recognised.append(span)
        elif span.kind == 3 or (span.kind == CLIPS or span.opacity < 0.9 or shows[n] < 0.85 or ground[n]):
            page.doubtful.append(span)
    _on_paper(page, ink, recognised)
    _words(page, ink)
    runs_off = _partly_off(page)
    _cropped(page, shows, letters, runs_off=runs_off)
    page.ink = None


def _partly_off(page: TracedPage) -> bool:
    """Notes letters off the page of spans that are partly on it, letter by letter, whatever their size and gaps.
    Returns whether a text runs over the edge."""
    b, origins = page.boxes, page.origins
    off = (b[:, 2] <= 0) | (b[:, 3] <= 0) | (b[:, 0] >= page.width) | (b[:, 1] >= page.height)
    letters = np.flatnonzero(page.letters)
    turns = np.flatnonzero(np.diff(off[letters].astype(int)))
    if not len(turns):
        return False
    for span in (s for s in page.spans if off[s.first : s.last].any() and not _outside(page, s.box)):
        mine = np.arange(span.first, span.last)[page.letters[span.first : span.last]]
        for part in np.split(mine, np.flatnonzero(np.diff(off[mine].astype(int))) + 1):
            if len(part) and off[part[0]]:
                page.note_stretch("off the page", int(part[0]), int(part[-1]) + 1)
    sizes = np.repeat([s.size for s in page.spans], [s.last - s.first for s in page.spans])
    before, after = letters[turns], letters[turns + 1]
    out = np.where(off[before], before, after)
    # Which edge is crossed: left or right, or top or bottom.
    across = np.maximum(-origins[out], origins[out] - (page.width, page.height)).argmax(axis=1)
    steps = np.abs(origins[after] - origins[before])[np.arange(len(turns)), across]
    return bool((steps < _STEP * np.minimum(sizes[before], sizes[after])).any())


def _outside(page: TracedPage, box: Rectangle) -> bool:
    x0, y0, x1, y1 = box
    return x1 <= 0 or y1 <= 0 or x0 >= page.width or y0 >= page.height


def _way(
    page: TracedPage, ink: Ink, span: Span, lightness: float, *, tiny: bool, scanned: bool, shows: bool
) -> Way | None:
    if _outside(page, span.box):
        return "off the page"
    if span.kind == 3:
        # Recognised text is laid over a scanned page without ink: there is ink below it, unlike below inserted text.
        # MuPDF reports a letter of a Type 3 font separately, without ink, after drawing its glyph.
        there = scanned or len(span.text) == 1
        return None if there and not ink.flat([span.box])[0] else "invisible"
    if tiny:
        return "tiny"
    # The common case: dark ink in an area that is light overall can't blend in.
    plain = span.opacity >= 0.9 and max(span.colour) < _DARK and lightness > _LIGHT
    if not plain and (blended := ink.blends(span.colour, span.opacity, span.box)):
        return "transparent" if blended == "transparent" else "background colour"
    return None if shows else "not drawn"


def _on_paper(page: TracedPage, ink: Ink, recognised: Sequence[Span]) -> None:
    """Notes words laid over a scan where it has no ink, only the grain of the paper."""
    words: list[tuple[int, str, Rectangle]] = []
    for span in recognised:
        boxes, origins = page.boxes[span.first : span.last], page.origins[span.first : span.last]
        steps, high = np.abs(np.diff(origins, axis=0)), (boxes[:, 3] - boxes[:, 1])[1:]
        apart = (steps.min(axis=1) > 0.3 * high) | (np.diff(origins[:, 0]) < -0.3 * high) | (steps[:, 0] > 2 * high)
        blank = np.array([c.isspace() for c in span.text])
        for part in np.split(np.arange(len(boxes)), np.flatnonzero(apart | (np.diff(blank.astype(int)) != 0)) + 1):
            if any(span.text[n].isalnum() for n in part):
                box = (*boxes[part, :2].min(axis=0).tolist(), *boxes[part, 2:].max(axis=0).tolist())
                words.append((span.first, "".join(span.text[n] for n in part), box))
    if not words:
        return
    middles = [(x0, 0.78 * y0 + 0.22 * y1, x1, 0.22 * y0 + 0.78 * y1) for *_, (x0, y0, x1, y1) in words]
    levels = [np.ptp(area @ _MIXED) if (area := ink.area(box)).size else np.inf for box in middles]
    least = min(_INK_OF_SCANS, max(_GRAIN, _PALE * float(np.median(levels))))
    count = Counter(first for first, *_ in words)
    empty = Counter(first for (first, *_), level in zip(words, levels, strict=True) if level < least)
    for (first, word, box), level in zip(words, levels, strict=True):
        # Some words of a text that doesn't belong to the scan lie over ink of other things.
        if level < least or empty[first] >= max(3, _FOREIGN * count[first]):
            page.note("invisible", word, box)


def _words(page: TracedPage, ink: Ink) -> None:
    """Notes extracted words where nothing is drawn, or too thin to be read, unless they are already noted."""
    words = [w for w in page.words if any(c.isalnum() for c in w[4])]
    if not words:
        return
    boxes = np.array([w[:4] for w in words])
    flat = ink.flat(boxes)
    wide, high = boxes[:, 2] - boxes[:, 0], boxes[:, 3] - boxes[:, 1]
    length = np.array([len(w[4]) for w in words])
    thin = (length > 2) & (np.minimum(wide, high) < np.where(length > 4, _SQUEEZED, _SQUEEZED / 2))
    thin |= (length > 2) & (np.maximum(wide, high) / length < _NARROW)
    known = [box for entries in page.found.values() for _, box in entries]
    for word, box, empty, squeezed in zip(words, boxes, flat, thin, strict=True):
        if empty or squeezed:
            x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
            if not any(b[0] <= x <= b[2] and b[1] - 2 <= y <= b[3] + 2 for b in known):
                page.note("tiny" if squeezed else "not drawn", word[4], word[:4])


def _piles(page: TracedPage) -> Any:
    """Returns for each character whether at least three different others are drawn in the same place."""
    count = len(page.boxes)
    piled = np.zeros(count, bool)
    some = np.flatnonzero(page.letters)
    if len(some) < 2:
        return piled
    middle = (page.boxes[some, :2] + page.boxes[some, 2:]) / 2
    high = np.abs(page.boxes[some, 3] - page.boxes[some, 1])
    order = np.argsort(middle[:, 0], kind="stable")
    x, y, high = middle[order, 0], middle[order, 1], high[order]
    use = page.use[some][order]
    others = np.zeros(len(order), int)
    for shift in range(1, 200):
        near = x[shift:] - x[:-shift] < 1.0
        if not near.any():
            break
        same = near & (np.abs(y[shift:] - y[:-shift]) < 0.7 * np.minimum(high[shift:], high[:-shift]))
        stacked = same & (use[shift:] != use[:-shift]) & (x[shift:] - x[:-shift] < 0.12 * high[:-shift])
        others[shift:] += stacked
        others[:-shift] += stacked
    piled[some[order]] = others >= 3
    return piled


def _cropped(page: TracedPage, shows: Any, letters: Any, *, runs_off: bool) -> None:
    """Drops findings that honest pages have: floats too large for the page running off its edge, and what the frame of
    an included figure crops. Then other drawings cross the edge, and lines are cut. Phrases addressed to the reviewer
    are kept."""
    cut = int(((shows > 0.15) & (shows < 0.85) & (letters >= 6)).sum())
    page.cropped = cut >= 2
    dropped: list[Way] = ["not drawn"] if page.cropped else []
    off = joined(text for text, _ in page.found.get("off the page", ()))
    if runs_off or _CAPTION.match(off) or any(_crosses_edge(page, b) for k, b in page.log if "text" not in k):
        dropped.append("off the page")
    for way in dropped:
        text = joined(text for text, _ in page.found.get(way, ()))
        if not find_phrases(text):
            page.found.pop(way, None)


def _crosses_edge(page: TracedPage, box: Rectangle) -> bool:
    x0, y0, x1, y1 = box
    if _outside(page, box):
        return False
    # Backgrounds of the whole page extend over its edges; a little is bleed.
    whole = x1 - x0 > 0.95 * page.width and y1 - y0 > 0.95 * page.height
    return not whole and (x0 < -9 or y0 < -9 or x1 > page.width + 9 or y1 > page.height + 9)


def _by_span(page: TracedPage, flat: Any, piled: Any) -> tuple[Any, Any, Any]:
    """Returns for each span the number of letters, and the shares of them that are visible and that are piled up."""
    starts = [s.first for s in page.spans]
    if not starts:
        return np.zeros(0), np.zeros(0), np.zeros(0)
    counts = np.add.reduceat(page.letters.astype(int), starts)
    shares = [
        np.add.reduceat((page.letters & which).astype(int), starts) / np.maximum(1, counts) for which in (~flat, piled)
    ]
    return counts, shares[0], shares[1]


def _extents(page: TracedPage) -> tuple[Any, Any]:
    """Returns for each span the width or height in points of its widest or highest glyph, and the space of its
    characters along the line as a share of their size (1 for slanted spans and those of less than six)."""
    if not page.spans:
        return np.zeros(0), np.zeros(0)
    starts = [s.first for s in page.spans]
    wide, high = page.boxes[:, 2] - page.boxes[:, 0], page.boxes[:, 3] - page.boxes[:, 1]
    steps = np.zeros(len(wide))
    steps[:-1] = np.abs(np.diff(page.origins, axis=0)).max(axis=1)
    steps[[s.last - 1 for s in page.spans]] = 0
    # Sideways text extends upwards; the smaller side never exceeds a character's extent along the line.
    taken = np.maximum(0.01, np.add.reduceat(np.minimum(wide, high), starts))
    # Boxes in slanted lines don't show the width of their letters.
    long = np.array([s.last - s.first >= 6 and min(map(abs, s.direction)) < 0.02 for s in page.spans])
    room = np.where(long, np.add.reduceat(steps, starts) / taken, 1.0)
    return np.maximum.reduceat(np.maximum(wide, high), starts), room


def _over_grounds(page: TracedPage) -> Any:
    """Returns for each span whether a picture is under it, or something was drawn over all of it later."""
    grounds = [(n, kind != "fill-path", b) for n, (kind, b) in enumerate(page.log) if kind in _FILLS and _has_room(b)]
    result = np.zeros(len(page.spans), bool)
    if not grounds or not page.spans:
        return result
    spans = np.array([s.box for s in page.spans])
    numbers = np.array([s.number for s in page.spans])
    middle = (spans[:, :2] + spans[:, 2:]) / 2
    for number, picture, (x0, y0, x1, y1) in grounds:
        holds = (spans[:, 0] >= x0 - 1) & (spans[:, 1] >= y0 - 1) & (spans[:, 2] <= x1 + 1) & (spans[:, 3] <= y1 + 1)
        result |= holds & (numbers < number)
        if picture:
            under = (middle[:, 0] >= x0) & (middle[:, 0] <= x1) & (middle[:, 1] >= y0) & (middle[:, 1] <= y1)
            result |= under & (numbers > number)
    return result


def _fills(page: TracedPage, box: Rectangle, share: float) -> bool:
    """Returns whether a box covers more than this share of the page."""
    return (box[2] - box[0]) * (box[3] - box[1]) > share * page.width * page.height


def _has_room(box: Rectangle) -> bool:
    """Returns whether a word fits into a box, unlike marks of plots and rules of tables, which cover nothing."""
    return box[2] - box[0] > 4 and box[3] - box[1] > 4


# --- by shape --------------------------------------------------------------------------------------------------------
def doubted(page: TracedPage, shapes: Mapping[Use, Shape]) -> None:
    """Adds texts to the doubtful ones if their letters' areas aren't as dark as expected: wide and dark letters leave
    more ink than narrow and pale ones, so visible ink must agree with what is expected, letter by letter."""
    if not page.uses:
        return
    ink = np.array([shapes[u].ink if u in shapes else 0 for u in page.uses])
    darkness = [s.size**2 * (1 - np.dot(s.colour, _MIXED) / 255) * (s.kind not in (3, CLIPS)) for s in page.spans]
    owner = np.repeat(np.arange(len(page.spans)), [s.last - s.first for s in page.spans])
    expected = ink[page.use] * np.array(darkness)[owner]
    # Further letters of a ligature are at the position of the first.
    own = np.append(True, (np.diff(page.origins, axis=0) != 0).any(axis=1))
    some = np.flatnonzero(page.letters & own & (expected > 0))
    if len(some) < _RUN:
        return
    starts = np.append(np.arange(0, len(some) - _RUN, _RUN // 2), len(some) - _RUN)
    runs = some[starts[:, None] + np.arange(_RUN)]
    a, b = expected[runs], page.dark[runs]
    unlike = np.abs(a - b).sum(axis=1) > _OFF * a.sum(axis=1)
    a, b = a - a.mean(axis=1, keepdims=True), b - b.mean(axis=1, keepdims=True)
    unlike &= np.abs((a * b).sum(axis=1)) < _GOES_WITH * np.sqrt((a**2).sum(axis=1) * (b**2).sum(axis=1))
    known = {s.first for s in page.doubtful}
    page.doubtful += [page.spans[n] for n in np.unique(owner[runs[unlike]]) if page.spans[n].first not in known]


def covered(document: Any, page: TracedPage, shapes: Mapping[Use, Shape]) -> None:
    """Notes doubtful texts whose letters aren't visible where they are drawn: draws them separately in their own fonts,
    and compares the result with the page."""
    if len(page.doubtful) > _MOST_DOUBTFUL:
        page.cut = page.cut or f"more than {_MOST_DOUBTFUL:,} of its texts lie over pictures or each other"
        del page.doubtful[_MOST_DOUBTFUL:]
    sheets = _apart([s for s in page.doubtful if _drawing(page, s, shapes)])
    if not sheets:
        return
    if len(sheets) > _MOST_SHEETS:
        page.cut = page.cut or f"more than {_MOST_SHEETS} of its texts lie on one another"
        del sheets[_MOST_SHEETS:]
    loaded = document.load_page(page.number - 1)
    if loaded.rotation:
        loaded.set_rotation(0)
    scale = min(_SCALE, (9_000_000 / max(1.0, page.width * page.height)) ** 0.5)
    area = pymupdf.Rect(sheets[0][0].box)
    for text in (text for sheet in sheets for text in sheet):
        area |= pymupdf.Rect(text.box)
    area = pymupdf.IRect((area & loaded.rect) * scale) / scale
    look = {"matrix": pymupdf.Matrix(scale, scale), "clip": area, "alpha": False}
    actual = _pixels(loaded.get_pixmap(colorspace=pymupdf.csRGB, **look))
    for texts in sheets:
        used = {shapes[page.uses[u]].font for s in texts for u in _used(page, s, shapes)}
        content = " ".join(_drawing(page, s, shapes) for s in texts)
        fonts = {f"F{n}": f"{n} 0 R" for n in used}
        with scratch_page(document, (page.width, page.height), fonts, content) as scratch:
            letters = 255 - _pixels(scratch.get_pixmap(colorspace=pymupdf.csGRAY, **look))[..., 0]
        _compared(page, texts, actual, letters, scale=scale, corner=(area.x0, area.y0))


def _apart(texts: Sequence[Span]) -> list[list[Span]]:
    """Distributes the texts to few sheets on which no two overlap: drawn together, one could be mistaken for the
    other."""
    sheets: list[list[Span]] = []
    for text in texts:
        x0, y0, x1, y1 = text.box
        inset = 0.2 * min(x1 - x0, y1 - y0)
        x0, y0, x1, y1 = x0 + inset, y0 + inset, x1 - inset, y1 - inset
        for sheet in sheets:
            boxes = np.array([other.box for other in sheet])
            if not ((boxes[:, 0] < x1) & (boxes[:, 2] > x0) & (boxes[:, 1] < y1) & (boxes[:, 3] > y0)).any():
                sheet.append(text)
                break
        else:
            sheets.append([text])
    return sheets


def _compared(
    page: TracedPage, texts: Sequence[Span], actual: Any, letters: Any, *, scale: float, corner: tuple[float, float]
) -> None:
    """Notes the texts that aren't visible: ``letters`` (levels) has their shapes, ``actual`` (RGB) the page, both from
    ``corner`` (points) on."""
    rows, columns = min(actual.shape[0], letters.shape[0]), min(actual.shape[1], letters.shape[1])
    numbers = np.array([n for n, (kind, _) in enumerate(page.log) if kind in _FILLS])
    fills = np.array([b for kind, b in page.log if kind in _FILLS]).reshape(-1, 4)
    # Recognised text of a scan may lie under the picture of the page.
    scan = max((n for n, (kind, b) in enumerate(page.log) if kind in _PICTURES and _fills(page, b, _SCAN)), default=-1)
    for span in texts:
        x0, y0, x1, y1 = (max(0, int((v - corner[n % 2]) * scale)) for n, v in enumerate(span.box))
        place = slice(y0, min(rows, y1 + 1)), slice(x0, min(columns, x1 + 1))
        shape = letters[place]
        if shape.size == 0 or int(np.ptp(shape)) < 60:
            continue
        alike = resemblance(shape, actual[place] @ _MIXED)
        words = page.words_of(span)
        if page.cropped and not find_phrases(words):
            continue
        if int(np.ptp(actual[place] @ _MIXED)) > _INK_OF_SCANS and span.number < scan:
            continue
        if alike >= _RESEMBLES and _faint(actual[place], shape):
            page.note("background colour", words, span.box)
            continue
        if alike > 2 * _RESEMBLES:
            continue
        strokes = actual[place][shape > 200].astype(int)
        if span.kind == 3:  # its colour is unknown
            strokes = strokes[:0]
        inked = np.abs(strokes - np.array(span.colour)).max(axis=1) < 100
        # What shows through clipping letters may have any colour.
        if alike < _RESEMBLES or span.kind == CLIPS or (len(inked) and float(inked.mean()) < _INKED):
            later = (numbers > span.number) & (fills[:, :2] <= span.box[2:]).all(axis=1)
            later &= (fills[:, 2:] >= span.box[:2]).all(axis=1)
            page.note("covered" if later.any() else "not drawn", words, span.box)


def _faint(actual: Any, shape: Any) -> bool:
    """Returns whether the strokes of letters have about the colour of their background, on average."""
    strokes, ground = actual[shape > 200], actual[shape < 20]
    if not len(strokes) or not len(ground):
        return False
    return contrast(strokes.mean(axis=0).tolist(), ground.mean(axis=0).tolist()) < LEAST_CONTRAST


def _pixels(drawn: Any) -> Any:
    rows = np.frombuffer(drawn.samples, dtype=np.uint8).reshape(drawn.height, drawn.stride)
    return rows[:, : drawn.width * drawn.n].reshape(drawn.height, drawn.width, drawn.n)


def _used(page: TracedPage, span: Span, shapes: Mapping[Use, Shape]) -> list[int]:
    return [
        int(u) for u, letter in zip(page.use[span.first : span.last], page.letters[span.first : span.last], strict=True)
        if letter and page.uses[u] in shapes
    ]  # fmt: skip


def _drawing(page: TracedPage, span: Span, shapes: Mapping[Use, Shape]) -> str:
    """Returns the letters of a text as page content, without those of unknown glyphs; "" if none is left."""
    parts = []
    along, across = span.direction[0] * span.size, span.direction[1] * span.size
    for n in range(span.first, span.last):
        shape = shapes.get(page.uses[page.use[n]])
        if shape is not None and page.letters[n]:
            x, y = page.origins[n]
            parts.append(
                f"BT /F{shape.font} 1 Tf {along:.4f} {-across:.4f} {across:.4f} {along:.4f} {x:.3f} "
                f"{page.height - y:.3f} Tm <{shape.code}> Tj ET"
            )
    return " ".join(parts)
