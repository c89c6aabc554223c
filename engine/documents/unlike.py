"""The judgements on a page's text: what leaves no ink, what is not what it yields, and what other things cover."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher
from typing import Any

from engine.documents.colours import contrast
from engine.documents.glyph_shapes import Shape, Use, scratch_page
from engine.documents.hidden import Way, find_phrases, joined
from engine.documents.ink import LEAST_CONTRAST, Ink, Rectangle, resemblance
from engine.documents.traced import Span, TracedPage

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
_SCAN = 0.8
"""Share of the page that the picture of a scan takes at least."""
_INK_OF_SCANS = 60
"""Levels of grey between paper and ink of a scan at least, in the place of a word."""
_MOST_CRAMMED = 8
"""Letters without width from which they are words, and not the rest of a ligature."""
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
    piled, crowded = _piles(page)
    scanned = any(
        kind == "fill-image" and (b[2] - b[0]) * (b[3] - b[1]) > 0.5 * page.width * page.height for kind, b in page.log
    )
    letters, shows, heap, crowd = _by_span(page, flat, piled, crowded)
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
        elif span.kind != 3 and (span.opacity < 0.9 or crowd[n] > 0.25 or shows[n] < 0.85 or ground[n]):
            page.doubtful.append(span)
    _words(page, ink)
    _cropped(page, shows, letters)
    if len(page.doubtful) > _MOST_DOUBTFUL:
        page.cut = page.cut or f"more than {_MOST_DOUBTFUL:,} of its texts lie over pictures or each other"
        del page.doubtful[_MOST_DOUBTFUL:]
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
    _untraced(page, words, boxes, flat)


def _untraced(page: TracedPage, words: Sequence[Any], boxes: Any, flat: Any) -> None:
    """Words that no drawing of text belongs to (they only clip) and that lie on other text."""
    yielded = sum(c.isalnum() for w in words for c in w[4])
    if "replaced" in page.found or yielded - len(page.boxes) + int((~page.letters).sum()) < 12:
        return
    text = "".join(s.text for s in page.spans)
    x, y = (page.boxes[:, 0] + page.boxes[:, 2]) / 2, (page.boxes[:, 1] + page.boxes[:, 3]) / 2
    for word, box, empty in zip(words, boxes, flat, strict=True):
        if empty or len(word[4]) < 3:
            continue
        inside = ((x > box[0]) & (x < box[2]) & (y > box[1]) & (y < box[3])).nonzero()[0]
        other = Counter(text[n] for n in inside)
        # Where the same letters are drawn, or as many that yield nothing known, the word is drawn.
        if len(inside) and (Counter(word[4]) & other).total() + other["\ufffd"] < 0.6 * len(word[4]):
            page.note("not drawn", word[4], tuple(box))


def _bare(text: str) -> str:
    return "".join(c for c in text if c.isalnum())


def _piles(page: TracedPage) -> tuple[Any, Any]:
    """For each character: whether at least three different others are drawn at its place, and whether letters of
    another span are drawn over it."""
    import numpy as np

    count = len(page.boxes)
    piled, crowded = np.zeros(count, bool), np.zeros(count, bool)
    some = np.flatnonzero(page.letters)
    if len(some) < 2:
        return piled, crowded
    middle = (page.boxes[some, :2] + page.boxes[some, 2:]) / 2
    owner = np.concatenate([np.full(s.last - s.first, n) for n, s in enumerate(page.spans)])[some]
    high = np.abs(page.boxes[some, 3] - page.boxes[some, 1])
    order = np.argsort(middle[:, 0], kind="stable")
    x, y, owner, high = middle[order, 0], middle[order, 1], owner[order], high[order]
    use = page.use[some][order]
    others = np.zeros(len(order), int)
    over = np.zeros(len(order), bool)
    for shift in range(1, 200):
        near = x[shift:] - x[:-shift] < 1.0
        if not near.any():
            break
        same = near & (np.abs(y[shift:] - y[:-shift]) < 0.7 * np.minimum(high[shift:], high[:-shift]))
        stacked = same & (use[shift:] != use[:-shift]) & (x[shift:] - x[:-shift] < 0.12 * high[:-shift])
        others[shift:] += stacked
        others[:-shift] += stacked
        apart = same & (owner[shift:] != owner[:-shift])
        over[shift:] |= apart
        over[:-shift] |= apart
    piled[some[order]] = others >= 3
    crowded[some[order]] = over
    return piled, crowded


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
        if not find_phrases(joined(text for text, _ in page.found.get(way, ()))):
            page.found.pop(way, None)


def _crosses_edge(page: TracedPage, box: Rectangle) -> bool:
    x0, y0, x1, y1 = box
    if x1 <= 0 or y1 <= 0 or x0 >= page.width or y0 >= page.height:
        return False
    # Grounds of the whole page reach over its edges; a little is bleed.
    whole = x1 - x0 > 0.95 * page.width and y1 - y0 > 0.95 * page.height
    return not whole and (x0 < -9 or y0 < -9 or x1 > page.width + 9 or y1 > page.height + 9)


def _by_span(page: TracedPage, flat: Any, piled: Any, crowded: Any) -> tuple[Any, Any, Any, Any]:
    """For each span the number of its letters, and the shares of them that show, are piled up and are crossed."""
    import numpy as np

    starts = [s.first for s in page.spans]
    if not starts:
        return np.zeros(0), np.zeros(0), np.zeros(0), np.zeros(0)
    counts = np.add.reduceat(page.letters.astype(int), starts)
    shares = [
        np.add.reduceat((page.letters & which).astype(int), starts) / np.maximum(1, counts)
        for which in (~flat, piled, crowded)
    ]
    return counts, shares[0], shares[1], shares[2]


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

    kinds = ("fill-image", "fill-shade", "fill-path")
    grounds = [(n, kind != "fill-path", b) for n, (kind, b) in enumerate(page.log) if kind in kinds and _has_room(b)]
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


def covered(document: Any, page: TracedPage, shapes: Mapping[Use, Shape]) -> None:
    """Note texts in doubt whose letters do not show where they are drawn: they are drawn by themselves, with their own
    fonts, and looked for in the page."""
    import numpy as np
    import pymupdf

    texts = [s for s in page.doubtful if _drawing(page, s, shapes)]
    if not texts:
        return
    loaded = document.load_page(page.number - 1)
    if loaded.rotation:
        loaded.set_rotation(0)
    scale = min(_SCALE, (9_000_000 / max(1.0, page.width * page.height)) ** 0.5)
    matrix = pymupdf.Matrix(scale, scale)
    actual = _pixels(loaded.get_pixmap(matrix=matrix, colorspace=pymupdf.csRGB, alpha=False))
    fonts = {f"F{n}": f"{n} 0 R" for s in texts for n in (shapes[page.uses[u]].font for u in _used(page, s, shapes))}
    content = " ".join(_drawing(page, s, shapes) for s in texts)
    with scratch_page(document, (page.width, page.height), fonts, content) as scratch:
        letters = 255 - _pixels(scratch.get_pixmap(matrix=matrix, colorspace=pymupdf.csGRAY, alpha=False))[..., 0]
    rows, columns = min(actual.shape[0], letters.shape[0]), min(actual.shape[1], letters.shape[1])
    for span in texts:
        x0, y0, x1, y1 = (max(0, int(v * scale)) for v in span.box)
        place = slice(y0, min(rows, y1 + 1)), slice(x0, min(columns, x1 + 1))
        shape = letters[place]
        if shape.size == 0 or int(np.ptp(shape)) < 60:
            continue
        alike = resemblance(shape, actual[place] @ _MIXED)
        if page.cropped and not find_phrases(page.words_of(span)):
            continue
        if int(np.ptp(actual[place] @ _MIXED)) > _INK_OF_SCANS and _under_scan(page, span):
            continue
        if alike >= _RESEMBLES and _faint(actual[place], shape):
            page.note("background colour", page.words_of(span), span.box)
            continue
        if alike > 2 * _RESEMBLES:
            continue
        strokes = actual[place][shape > 200].astype(int)
        inked = np.abs(strokes - np.array(span.colour)).max(axis=1) < 100
        if alike < _RESEMBLES or (len(inked) and float(inked.mean()) < _INKED):
            later = any(
                n > span.number and kind.startswith("fill") and kind != "fill-text" and b[0] <= span.box[2]
                and b[2] >= span.box[0] and b[1] <= span.box[3] and b[3] >= span.box[1]
                for n, (kind, b) in enumerate(page.log)
            )  # fmt: skip
            page.note("covered" if later else "not drawn", page.words_of(span), span.box)


def _under_scan(page: TracedPage, span: Span) -> bool:
    """Whether a picture of the whole page was drawn over a text, as over the recognised text of a scan."""
    return any(
        n > span.number and kind == "fill-image" and (b[2] - b[0]) * (b[3] - b[1]) > _SCAN * page.width * page.height
        for n, (kind, b) in enumerate(page.log)
    )


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
