"""The judgements on a page's text: what leaves no ink, what is not what it yields, and what other things cover."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher
from typing import Any

from engine.documents.colours import contrast
from engine.documents.glyph_shapes import Shape, Use, scratch_page
from engine.documents.hidden import Way, joined
from engine.documents.ink import LEAST_CONTRAST, Ink, Rectangle, resemblance
from engine.documents.traced import CLIPS, Span, TracedPage
from engine.shown import find_phrases

_TINY = 2.2
"""Points that the widest or highest glyph of a text takes; footnotes have 5, labels in dense plots 3."""
_SQUEEZED, _NARROW = 2.0, 0.35
"""Points: least thickness of a line of text, and least room along it for a character, that can be read."""
_DARK, _LIGHT = 90, 190
"""Levels (of 255) below which ink is dark in all channels, and above which a place is light on the whole."""
_ROOM = 0.5
"""Share of its width that a character gets before the next is drawn, below which nobody can read a text."""
_SCALE = 3.0
"""Pixels per point where the shape of letters is looked for."""
_RESEMBLES = 0.2
"""Correlation of a text's letters with the page below which they do not show; text on photographs has 0.4."""
_INKED = 0.4
"""Share of a text's strokes that have its colour, below which what resembles it is something else."""
_MIXED = (0.5, 0.3, 0.2)
"""Weights of the channels of a colour that no two colours of a page are likely to share."""
_MOST_DOUBTFUL = 1_500
_MOST_SHEETS = 12
_RUN, _OFF, _GOES_WITH = 24, 0.2, 0.9
"""Letters compared at a time, the share by which their ink differs from what is expected, and the least correlation of
the two. Nine tenths of real text differ by less than 0.07, text that other text hides by 0.25 to 1; where the ground is
tinted only the correlation tells."""
_SCAN = 0.8
"""Share of the page that the picture of a scan takes at least."""
_INK_OF_SCANS = 60
"""Levels of grey between paper and ink of a scan at least, in the place of a word."""
_MOST_CRAMMED = 8
"""Letters without width from which they are words, and not the rest of a ligature."""
_FILLS = ("fill-image", "fill-shade", "fill-path", "fill-imgmask")
_CAPTION = re.compile(r"(?:FIG|Fig|TAB|Tab)[\w.]*\s*\d")
_BAD = ("differs", "blank", "too long")


# --- by ink ----------------------------------------------------------------------------------------------------------
def judged(page: TracedPage) -> None:
    """Note what leaves no ink on a page, what it yields instead of what it draws, and which spans are in doubt; the
    pixels are let go of."""
    import numpy as np

    assert page.ink is not None
    ink = page.ink
    _replaced(page)
    flat = ink.flat(page.boxes)
    light = ink.light([s.box for s in page.spans]) if page.spans else np.zeros(0)
    page.dark = (1 - ink.light(page.boxes) / 255) * np.abs(np.diff(page.boxes.reshape(-1, 2, 2), axis=1)).prod(
        axis=(1, 2)
    )
    scanned = any(kind == "fill-image" and _fills(page, b, 0.5) for kind, b in page.log)
    letters, shows, heap = _by_span(page, flat, _piles(page))
    extent, room = _extents(page)
    ground = _over_grounds(page)
    for n, span in enumerate(page.spans):
        if not letters[n]:
            continue
        tiny = bool(extent[n] < _TINY)
        way = _way(page, ink, span, float(light[n]), tiny=tiny, scanned=scanned, shows=bool(shows[n] > 0.2))
        if way is None and (heap[n] > 0.6 or room[n] < _ROOM):
            way = "overlapping"
        if way is not None:
            page.note(way, page.words_of(span), span.box)
        elif span.kind != 3 and (span.kind == CLIPS or span.opacity < 0.9 or shows[n] < 0.85 or ground[n]):
            page.doubtful.append(span)
    _words(page, ink)
    _cropped(page, shows, letters)
    page.ink = None


def _way(
    page: TracedPage, ink: Ink, span: Span, lightness: float, *, tiny: bool, scanned: bool, shows: bool
) -> Way | None:
    x0, y0, x1, y1 = span.box
    if x1 <= 0 or y1 <= 0 or x0 >= page.width or y0 >= page.height:
        return "off the page"
    if span.kind == 3:
        # Over a scanned page the recognised text is laid without ink: there is ink below it, and none for what was
        # put in.
        return None if scanned and not ink.flat([span.box])[0] else "invisible"
    if tiny:
        return "tiny"
    # Dark ink on a place that is light on the whole cannot have its colour: what most pages are made of.
    plain = span.opacity >= 0.9 and max(span.colour) < _DARK and lightness > _LIGHT
    if not plain and (blended := ink.blends(span.colour, span.opacity, span.box)):
        return "transparent" if blended == "transparent" else "background colour"
    return None if shows else "not drawn"


def _words(page: TracedPage, ink: Ink) -> None:
    """Words that the page yields where nothing is drawn, or too thin to be read, beside what is known."""
    import numpy as np

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


def _bare(text: str) -> str:
    return "".join(c for c in text if c.isalnum())


def _piles(page: TracedPage) -> Any:
    """For each character whether at least three different others are drawn at its place."""
    import numpy as np

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


def _cropped(page: TracedPage, shows: Any, letters: Any) -> None:
    """Set aside what honest pages lose: floats that are too large for the page and run off its edge, and what the
    frame of an included figure cuts off. Other things cross that edge then, and lines are cut in the middle. Words to
    the reviewer are never set aside."""
    cut = int(((shows > 0.15) & (shows < 0.85) & (letters >= 6)).sum())
    page.cropped = cut >= 2
    dropped: list[Way] = ["not drawn"] if page.cropped else []
    off = joined(text for text, _ in page.found.get("off the page", ()))
    if _CAPTION.match(off) or any(_crosses_edge(page, box) for _, box in page.log):
        dropped.append("off the page")
    for way in dropped:
        text = joined(text for text, _ in page.found.get(way, ()))
        if not find_phrases(text):
            page.found.pop(way, None)


def _crosses_edge(page: TracedPage, box: Rectangle) -> bool:
    x0, y0, x1, y1 = box
    if x1 <= 0 or y1 <= 0 or x0 >= page.width or y0 >= page.height:
        return False
    # Grounds of the whole page reach over its edges; a little is bleed.
    whole = x1 - x0 > 0.95 * page.width and y1 - y0 > 0.95 * page.height
    return not whole and (x0 < -9 or y0 < -9 or x1 > page.width + 9 or y1 > page.height + 9)


def _by_span(page: TracedPage, flat: Any, piled: Any) -> tuple[Any, Any, Any]:
    """For each span the number of its letters, and the shares of them that show and are piled up."""
    import numpy as np

    starts = [s.first for s in page.spans]
    if not starts:
        return np.zeros(0), np.zeros(0), np.zeros(0)
    counts = np.add.reduceat(page.letters.astype(int), starts)
    shares = [
        np.add.reduceat((page.letters & which).astype(int), starts) / np.maximum(1, counts) for which in (~flat, piled)
    ]
    return counts, shares[0], shares[1]


def _extents(page: TracedPage) -> tuple[Any, Any]:
    """For each span the width or height, in points, of its widest or highest glyph, and the room that its characters
    get along the line as a share of what they take (1 for spans of less than six)."""
    import numpy as np

    if not page.spans:
        return np.zeros(0), np.zeros(0)
    starts = [s.first for s in page.spans]
    wide, high = page.boxes[:, 2] - page.boxes[:, 0], page.boxes[:, 3] - page.boxes[:, 1]
    steps = np.zeros(len(wide))
    steps[:-1] = np.abs(np.diff(page.origins, axis=0)).max(axis=1)
    steps[[s.last - 1 for s in page.spans]] = 0
    # Sideways text takes its room upwards; the smaller side is at least as far as a character reaches along the line.
    taken = np.maximum(0.01, np.add.reduceat(np.minimum(wide, high), starts))
    # Slanted lines have boxes that say nothing of the width of their letters.
    long = np.array([s.last - s.first >= 6 and min(map(abs, s.direction)) < 0.02 for s in page.spans])
    room = np.where(long, np.add.reduceat(steps, starts) / taken, 1.0)
    return np.maximum.reduceat(np.maximum(wide, high), starts), room


def _over_grounds(page: TracedPage) -> Any:
    """For each span whether a picture lies under it, or anything was drawn over all of it later."""
    import numpy as np

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
    """Whether a box takes more than this share of the page."""
    return (box[2] - box[0]) * (box[3] - box[1]) > share * page.width * page.height


def _has_room(box: Rectangle) -> bool:
    """Whether a word fits into a box: marks of plots and rules of tables are many and cover none."""
    return box[2] - box[0] > 4 and box[3] - box[1] > 4


# --- by what the page yields instead --------------------------------------------------------------------------------
def _replaced(page: TracedPage) -> None:
    """Text that programs get in the place of what is drawn (ActualText): words of it, not hyphens or ligatures."""
    for text, box in page.crammed:
        if (len(_bare(text)) >= _MOST_CRAMMED and not _is_formula(text)) or find_phrases(text):
            page.note("replaced", text, box)
    given, drawn = [w[4] for w in page.words], [w[4] for w in page.plain_words]
    if given == drawn:
        return
    readings = []
    for kind, a, b, c, d in SequenceMatcher(None, given, drawn, autojunk=False).get_opcodes():
        if kind == "equal" or a == b:
            continue
        before, after = _bare("".join(given[a:b])).casefold(), _bare("".join(drawn[c:d])).casefold()
        new = [w for w in page.words[a:b] if len(_bare(w[4])) > 1 and _bare(w[4]).casefold() not in after]
        if before == after or _is_formula(" ".join(given[a:b])) or sum(len(w[4]) for w in new) < 4:
            continue
        for word in page.words[a:b]:
            page.note("replaced", word[4], word[:4])
        readings.append(" ".join(drawn[c:d]))
    if readings:
        page.remarks["replaced"] = f"the page shows “{joined(readings)[:120]}”"


def _is_formula(text: str) -> bool:
    """Whether a text is a formula in the notation of TeX or MathML, as accessible files give it."""
    return any(mark in text for mark in ("\\", "^", "_{", "<m")) and not find_phrases(text)


# --- by shape --------------------------------------------------------------------------------------------------------
def misread(page: TracedPage, shapes: Mapping[Use, Shape]) -> str:
    """Note words whose glyphs are not the characters that they yield. Gives why some could not be judged, or ""."""
    import numpy as np

    if not page.uses:
        return ""
    bad = np.array([u in shapes and shapes[u].verdict in _BAD for u in page.uses])
    lost = np.array([u not in shapes and any(c.isalnum() for c in u[2]) for u in page.uses])
    here = page.letters & bad[page.use]
    missing = int((page.letters & lost[page.use]).sum())
    long = np.array([u in shapes and shapes[u].verdict == "too long" for u in page.uses])
    for n in (long[page.use] & (np.diff(page.use, prepend=-1) != 0)).nonzero()[0]:
        boxes = page.boxes[n : n + len(page.uses[page.use[n]][2])]
        page.note("other glyphs", page.uses[page.use[n]][2], (*boxes[:, :2].min(axis=0), *boxes[:, 2:].max(axis=0)))
        page.sure.add("other glyphs")
    here &= ~long[page.use]
    if here.sum() >= 2:
        _misread_words(page, shapes, here)
    return f"the glyphs of {missing} characters could not be drawn by themselves" if missing >= 40 else ""


def _misread_words(page: TracedPage, shapes: Mapping[Use, Shape], bad: Any) -> None:
    middle = (page.boxes[:, :2] + page.boxes[:, 2:]) / 2
    flagged: list[tuple[str, Rectangle, str, bool]] = []
    for x0, y0, x1, y1, word in page.words:
        inside = (middle[:, 0] >= x0) & (middle[:, 0] <= x1) & (middle[:, 1] >= y0) & (middle[:, 1] <= y1)
        mine = (inside & page.letters).nonzero()[0]
        wrong = mine[bad[mine]]
        if not len(wrong):
            continue
        verdicts = [shapes[page.uses[page.use[n]]] for n in mine if page.uses[page.use[n]] in shapes]
        if len(wrong) >= 2 and len(wrong) >= 0.5 * len(mine):
            drawn = "".join(v.drawn or "?" for v in verdicts if v.verdict != "blank")
            sure = sum(v.verdict == "differs" for v in verdicts) >= max(4, 0.8 * len(mine))
            flagged.append((word, (x0, y0, x1, y1), drawn, sure))
    if len(flagged) < 3 and not any(sure for *_, sure in flagged):
        return
    for word, box, _, sure in flagged:
        page.note("other glyphs", word, box)
        if sure:
            page.sure.add("other glyphs")
    if reading := joined(drawn for *_, drawn, _ in flagged):
        page.remarks["other glyphs"] = f"it looks like “{reading[:120]}”"


def doubted(page: TracedPage, shapes: Mapping[Use, Shape]) -> None:
    """Add to the texts in doubt those whose place is not dark where their letters are: wide letters leave more ink than
    narrow ones, and dark ones more than pale ones, so what shows goes with what is expected, letter by letter."""
    import numpy as np

    if not page.uses:
        return
    ink = np.array([shapes[u].ink if u in shapes else 0 for u in page.uses])
    darkness = [s.size**2 * (1 - np.dot(s.colour, _MIXED) / 255) * (s.kind not in (3, CLIPS)) for s in page.spans]
    owner = np.repeat(np.arange(len(page.spans)), [s.last - s.first for s in page.spans])
    expected = ink[page.use] * np.array(darkness)[owner]
    # The other letters of a ligature are where its first one is.
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
    """Note texts in doubt whose letters do not show where they are drawn: they are drawn by themselves, with their own
    fonts, and looked for in the page."""
    import pymupdf

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
    """The texts dealt to as few sheets as have no two that share a place: drawn together, what shows of one would be
    taken for the other."""
    import numpy as np

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
    """Note those of the texts that do not show: ``letters`` (levels) has their shapes, ``actual`` (RGB) the page, both
    from ``corner`` (points) on."""
    import numpy as np

    rows, columns = min(actual.shape[0], letters.shape[0]), min(actual.shape[1], letters.shape[1])
    numbers = np.array([n for n, (kind, _) in enumerate(page.log) if kind in _FILLS])
    fills = np.array([b for kind, b in page.log if kind in _FILLS]).reshape(-1, 4)
    # The recognised text of a scan may lie under the picture of the page.
    scan = max(
        (n for n, (kind, b) in enumerate(page.log) if kind == "fill-image" and _fills(page, b, _SCAN)), default=-1
    )
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
        inked = np.abs(strokes - np.array(span.colour)).max(axis=1) < 100
        # What shines through letters that clip may have any colour.
        if alike < _RESEMBLES or span.kind == CLIPS or (len(inked) and float(inked.mean()) < _INKED):
            later = (numbers > span.number) & (fills[:, :2] <= span.box[2:]).all(axis=1)
            later &= (fills[:, 2:] >= span.box[:2]).all(axis=1)
            page.note("covered" if later.any() else "not drawn", words, span.box)


def _faint(actual: Any, shape: Any) -> bool:
    """Whether the strokes of letters have about the colour of what is between them, on a ground of any colours."""
    strokes, ground = actual[shape > 200], actual[shape < 20]
    if not len(strokes) or not len(ground):
        return False
    return contrast(strokes.mean(axis=0).tolist(), ground.mean(axis=0).tolist()) < LEAST_CONTRAST


def _pixels(drawn: Any) -> Any:
    import numpy as np

    rows = np.frombuffer(drawn.samples, dtype=np.uint8).reshape(drawn.height, drawn.stride)
    return rows[:, : drawn.width * drawn.n].reshape(drawn.height, drawn.width, drawn.n)


def _used(page: TracedPage, span: Span, shapes: Mapping[Use, Shape]) -> list[int]:
    return [
        int(u) for u, letter in zip(page.use[span.first : span.last], page.letters[span.first : span.last], strict=True)
        if letter and page.uses[u] in shapes
    ]  # fmt: skip


def _drawing(page: TracedPage, span: Span, shapes: Mapping[Use, Shape]) -> str:
    """The letters of a text as page content, "" where they are few or their glyphs are not known."""
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
