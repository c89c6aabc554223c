"""Finds extracted text that differs from what a page shows: glyphs of other characters, and replacements."""

from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher
from typing import Any

import numpy as np

from engine.documents.glyph_shapes import Shape, Use
from engine.documents.hidden import joined, without_shown
from engine.documents.ink import Rectangle
from engine.documents.traced import NOWHERE, TracedPage
from engine.shown import find_phrases

_BAD = ("differs", "blank", "too long")
_APART, _LEAST = 12, 3
"""Distance (letters) of wrong characters that ends a stretch, and one less than a stretch's least number of them."""
_MOST_CRAMMED = 8
"""Number of zero-width letters from which they are words, not the rest of a ligature."""


def replaced(page: TracedPage) -> None:
    """Notes text that programs get instead of what is drawn (ActualText), if it is more than hyphens or ligatures."""
    pieces = [
        (text, box)
        for text, box in page.crammed
        if (len(_bare(text)) >= _MOST_CRAMMED and not _is_formula(text)) or find_phrases(text)
    ]
    given, drawn = [w[4] for w in page.words], [w[4] for w in page.plain_words]
    readings = []
    for kind, a, b, c, d in SequenceMatcher(None, given, drawn, autojunk=False).get_opcodes() if given != drawn else ():
        if kind == "equal" or a == b:
            continue
        before, after = _bare("".join(given[a:b])).casefold(), _bare("".join(drawn[c:d])).casefold()
        new = [w for w in page.words[a:b] if len(_bare(w[4])) > 1 and _bare(w[4]).casefold() not in after]
        if before == after or _is_formula(" ".join(given[a:b])) or sum(len(w[4]) for w in new) < 4:
            continue
        pieces += [(word[4], word[:4]) for word in page.words[a:b]]
        readings.append(" ".join(drawn[c:d]))
    # MuPDF places such a text in pieces over what it replaces, and omits some that other programs read.
    for text in page.replacements:
        if not _is_formula(text) and without_shown(text, [" ".join(drawn)]):
            mine = {n for n, (piece, _) in enumerate(pieces) if _bare(piece) in _bare(text)}
            page.note("replaced", text, next((pieces[n][1] for n in sorted(mine)), NOWHERE))
            pieces = [("" if n in mine else piece, box) for n, (piece, box) in enumerate(pieces)]
    for text, box in pieces:
        page.note("replaced", text, box)
    if readings:
        page.remarks["replaced"] = f"the page shows “{joined(readings)[:120]}”"


def _is_formula(text: str) -> bool:
    """Returns whether a text is a formula in TeX or MathML, as in accessible files."""
    return any(mark in text for mark in ("\\", "^", "_{", "<m")) and not find_phrases(text)


def _bare(text: str) -> str:
    return "".join(c for c in text if c.isalnum())


def misread(page: TracedPage, shapes: Mapping[Use, Shape]) -> str:
    """Notes words whose glyphs aren't the characters they yield. Returns why some couldn't be judged, or ""."""
    if not page.uses:
        return ""
    bad = np.array([u in shapes and shapes[u].verdict in _BAD for u in page.uses])
    lost = np.array([u not in shapes and any(c.isalnum() for c in u[2]) for u in page.uses])
    here = page.letters & bad[page.use]
    missing = int((page.letters & lost[page.use]).sum())
    several = np.array([sum(c.isalnum() for c in u[2]) > 1 for u in page.uses])
    long = np.array([u in shapes and shapes[u].verdict == "too long" for u in page.uses])[page.use]
    for first, last in _stretches(page, here & several[page.use], 0.7) if long.any() else ():
        if long[first:last].any():
            page.note_stretch("other glyphs", first, last)
            page.sure.add("other glyphs")
            here[first:last] = False
    if here.sum() >= 2:
        _misread_words(page, shapes, here, _stretches(page, here, 0.3), sure=bool(long.any()))
    return f"the glyphs of {missing} characters could not be drawn by themselves" if missing >= 40 else ""


def _stretches(page: TracedPage, bad: Any, share: float) -> list[tuple[int, int]]:
    """Returns ranges [first, last) of characters between ``bad`` ones that are at most ten letters apart, if these are
    more than a ``share`` of the letters: a false character map is partly right by chance."""
    letters = np.flatnonzero(page.letters)
    among = np.flatnonzero(bad[letters])
    ends = np.flatnonzero(np.diff(among, append=len(letters) + _APART) >= _APART)
    result = []
    for first, last in zip(np.append(0, ends[:-1] + 1), ends, strict=True):
        a, b = among[first], among[last]
        if last - first >= _LEAST and last - first + 1 > share * (b - a + 1):
            result.append((int(letters[a]), int(letters[b]) + 1))
    return result


def _misread_words(
    page: TracedPage, shapes: Mapping[Use, Shape], bad: Any, stretches: Sequence[tuple[int, int]], *, sure: bool
) -> None:
    middle = (page.boxes[:, :2] + page.boxes[:, 2:]) / 2
    within = np.zeros(len(bad), bool)
    for first, last in stretches:
        within[first:last] = True
    flagged: list[tuple[str, Rectangle, str, int]] = []
    for x0, y0, x1, y1, word in page.words:
        inside = (middle[:, 0] >= x0) & (middle[:, 0] <= x1) & (middle[:, 1] >= y0) & (middle[:, 1] <= y1)
        mine = (inside & page.letters).nonzero()[0]
        wrong = mine[bad[mine]]
        if not len(wrong) and not within[mine].any():
            continue
        verdicts = [shapes[page.uses[page.use[n]]] for n in mine if page.uses[page.use[n]] in shapes]
        drawn = "".join(v.drawn or "?" for v in verdicts if v.verdict != "blank")
        # 2: all of it is different, 1: half of it, 0: it only adjoins such words.
        many = len(wrong) >= 2 and len(wrong) >= 0.5 * len(mine)
        all_of = many and sum(v.verdict == "differs" for v in verdicts) >= max(4, 0.8 * len(mine))
        if many or within[mine].mean() > 0.5:
            flagged.append((word, (x0, y0, x1, y1), drawn, many + all_of))
    degrees = [degree for *_, degree in flagged]
    if not sure and sum(map(bool, degrees)) < 3 and 2 not in degrees:
        return
    for word, box, _, degree in flagged:
        page.note("other glyphs", word, box)
        if degree == 2:
            page.sure.add("other glyphs")
    if reading := joined(drawn for *_, drawn, _ in flagged):
        page.remarks["other glyphs"] = f"it looks like “{reading[:120]}”"
