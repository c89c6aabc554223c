"""Finds margin notes: narrow texts beside the page's text, which aren't part of its lines."""

from collections import Counter

from engine.documents.listings import MONOSPACED
from engine.documents.page_text import Line

NOTES = 9
"""The column assigned to notes; the text has at most columns 0 to 3."""


def take_notes(pages: list[list[Line]]) -> list[list[Line]]:
    """Removes the notes from the lines of each page and returns them, from top to bottom.

    Notes lie outside the edges of the text, measured on all even or all odd pages. If they would make up much of a
    page, that page has another layout.
    """
    notes: list[list[Line]] = [[] for _ in pages]
    for side in (0, 1):
        lines = [line for page in pages[side::2] for line in page if line.letters >= 20]
        left, right = _edge(lines, right=False), _edge(lines, right=True)
        if left is not None and right is not None:
            for number in range(side, len(pages), 2):
                notes[number] = _notes(pages[number], left, right)
    for page, found in zip(pages, notes, strict=True):
        for line in found:
            line.column = NOTES
            page.remove(line)
    return notes


def _notes(lines: list[Line], left: float, right: float) -> list[Line]:
    outside = [x for x in lines if x.x0 > right + 0.4 * x.size or x.x1 < left - 0.4 * x.size]
    outside = [x for x in outside if not MONOSPACED.search(x.font)]  # the end of a line of code
    if not outside or sum(x.letters for x in outside) > 0.3 * sum(x.letters for x in lines):
        return []
    beside, text = (sorted(x.width for x in lines if (x in outside) == out) for out in (True, False))
    if beside[3 * len(beside) // 4] > 0.8 * text[3 * len(text) // 4]:
        return []  # a column that few pages have
    # A table wider than the text has several separate cells on the same lines.
    cells = Counter((round(x.base), x.size) for x in lines if left - x.size < x.x0 < right and x.letters < 20)
    celled = sum(cells[(round(x.base), x.size)] > 1 for x in outside)
    words = sum(any(c.isalpha() for c in x.text) for x in outside)
    if celled > 0.3 * len(outside) or words < 0.7 * len(outside):
        return []
    return sorted(outside, key=lambda x: (x.base, x.x0))


def _edge(lines: list[Line], *, right: bool) -> float | None:
    """Returns where many lines start or end, outermost if there are columns; None with too little text."""
    letters: Counter[int] = Counter()
    for line in lines:
        for k in (0, 1):
            letters[round((line.x1 if right else line.x0) / 3) + k] += line.letters
    usual = [3.0 * edge for edge, n in letters.items() if n >= 0.25 * max(letters.values()) and n >= 400]
    return (max(usual) if right else min(usual) - 3) if usual else None
