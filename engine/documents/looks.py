"""Reads the lines of a PDF with fonts and colours, to tell apart two authors in a letter. Runs in the worker."""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from statistics import median
from typing import Any

from engine.documents.bitmap_fonts import encodings


@dataclass(frozen=True, slots=True)
class Span:
    """Characters of a line in the same style; ``colour`` is "#rrggbb", ``size`` in points."""

    text: str
    font: str
    size: float
    bold: bool
    italic: bool
    colour: str


@dataclass(frozen=True, slots=True)
class LookLine:
    """A line of a page (from 1); ``x0`` to ``y1`` are in points from the page's top left corner. ``cell`` is its
    position in a table: the top of the row, and the column from 1; (0, 0) outside of tables."""

    page: int
    x0: float
    y0: float
    x1: float
    y1: float
    spans: tuple[Span, ...]
    cell: tuple[float, int] = (0, 0)

    @property
    def text(self) -> str:
        return "".join(span.text for span in self.spans)


def line_fields(document: Any, progress: Callable[[float, str], None]) -> list[list[Any]]:
    """Returns the lines of all pages in reading order, in the form that ``lines_of`` takes."""
    import pymupdf

    flags = pymupdf.TEXT_PRESERVE_WHITESPACE | pymupdf.TEXT_MEDIABOX_CLIP
    found: list[list[Any]] = []
    for page in document:
        progress(page.number / document.page_count, f"Reading page {page.number + 1}")
        blocks = page.get_text("dict", flags=flags)["blocks"]
        spans = [span for block in blocks for line in block.get("lines", ()) for span in line["spans"]]
        tables = encodings((span["font"], span["text"]) for span in spans)
        for span in spans:
            span["text"] = span["text"].translate(tables.get(span["font"], {}))
        lines = [
            (*line["bbox"], [[s["text"], s["font"], s["size"], s["flags"], s["color"]] for s in line["spans"]])
            for block in blocks
            for line in block.get("lines", ())
            if line["dir"][0] > 0.99 and any(span["text"].strip() for span in line["spans"])
        ]
        lines = _without_numbers(lines)
        cells = _cells(page, lines)
        places, shift = ([], 0.0) if any(column for _, column in cells) else _columns(lines)
        if places and not shift:
            cells = places
        # Pieces of a line are split at wide gaps; a sign above or below the line is a piece as well.
        rows: list[list[Any]] = []
        for place, middle, x0, cell, (_, y0, end, y1, spans) in sorted(
            (place if place[1] else (middle, 0), middle, line[0] - (shift if place[1] == 2 else 0), cell, line)
            for line, cell, place in zip(lines, cells, places or cells, strict=True)
            for middle in [(line[1] + line[3]) / 2]
        ):
            x1 = end - (shift if place[1] == 2 else 0)
            row = rows[-1] if rows else None
            if (
                row is not None
                and row[5] == cell
                and row[6] == place[1]
                and row[1] < middle < row[3]
                and min(row[3], y1) - max(row[1], y0) > 0.5 * min(row[3] - row[1], y1 - y0)
            ):
                row[4].append((x0, x1, spans))
                row[0], row[1], row[2], row[3] = min(row[0], x0), min(row[1], y0), max(row[2], x1), max(row[3], y1)
            else:
                rows.append([x0, y0, x1, y1, [(x0, x1, spans)], cell, place[1]])
        for x0, y0, x1, y1, pieces, cell, _ in rows:
            said: list[Any] = []
            right = x0
            for left, end, spans in sorted(pieces, key=lambda piece: piece[0]):
                if said and left - right > 1 and not said[-1][0].endswith(" "):
                    said.append([" ", *said[-1][1:]])
                said += spans
                right = end
            found.append([page.number + 1, x0, y0, x1, y1, said, cell])
    return found


def _without_numbers(lines: list[Any]) -> list[Any]:
    """Returns the lines without line numbers: evenly spaced, in a margin that hardly any text crosses. The numbers of a
    table's rows, which are as far apart as the rows are high, stay."""
    strips: dict[int, list[Any]] = {}
    for line in lines:
        if re.fullmatch(r"\d{1,4}", _says(line)):
            strips.setdefault(round(line[2] / 3), []).append(line)
    texts = [line for line in lines if len(_says(line)) >= 20]
    gone: set[int] = set()
    for strip in strips.values():
        strip.sort(key=lambda line: line[1])
        steps = Counter(int(_says(below)) - int(_says(line)) for line, below in pairwise(strip))
        gaps = [below[1] - line[1] for line, below in pairwise(strip)]
        even = sum(abs(gap - median(gaps)) < 0.2 * median(gaps) for gap in gaps)
        left, right = min(line[0] for line in strip), max(line[2] for line in strip)
        crossing = sum(line[0] < right - 2 and line[2] > left + 2 for line in texts)
        counts = min(even, max(steps[step] for step in (1, 5, 10))) >= 0.8 * len(gaps)
        if len(strip) >= 8 and counts and crossing <= 0.15 * len(texts):
            gone |= set(map(id, strip))
    return [line for line in lines if id(line) not in gone]


def _cells(page: Any, lines: list[Any]) -> list[tuple[float, int]]:
    """Returns each line's cell in ruled tables: the top of its row and its column from 1; (0, 0) outside."""
    uprights: list[tuple[float, float, float]] = []
    levels: list[tuple[float, float, float]] = []
    for item in (item for drawing in page.get_cdrawings() for item in drawing.get("items", ())):
        corners = item[1:3] if item[0] == "l" else (item[1][:2], item[1][2:]) if item[0] == "re" else ()
        for one, other in [corners] if corners else []:
            (left, right), (top, bottom) = (sorted((one[axis], other[axis])) for axis in (0, 1))
            if right - left < 3 or bottom - top > 3:
                uprights += [(left, top, bottom), (right, top, bottom)]
            if bottom - top < 3 or right - left > 3:
                levels += [(top, left, right), (bottom, left, right)]
    found: list[tuple[float, float]] = []
    for x0, y0, x1, y1, _ in lines:
        beside = [x for x, top, bottom in uprights if top - 1 <= (y0 + y1) / 2 <= bottom + 1]
        above = [y for y, left, right in levels if left - 1 <= (x0 + x1) / 2 <= right + 1]
        lefts, tops = [x for x in beside if x <= x0 + 2], [y for y in above if y <= (y0 + y1) / 2]
        enclosed = lefts and tops and max(beside) >= x1 - 2 and max(above) > max(tops)
        found.append((round(max(tops), 1), round(max(lefts))) if enclosed else (0, 0))
    columns = sorted({left for _, left in found if left})
    table = 1 < len(columns) < 8  # rules of a plot enclose more
    return [(top, columns.index(left) + 1) if left and table else (0, 0) for top, left in found]


def _columns(lines: list[Any]) -> tuple[list[tuple[float, int]], float]:
    """Returns each line's position on a page of two columns, and the horizontal offset of the second column.

    A position is the top of a band between lines across both columns, and the column from 1; (0, 0) for those lines. In
    a table without rules it is the top of the row, and the offset 0. ([], 0) for one column.
    """
    left = min((line[0] for line in lines), default=0.0)
    wide = max((line[2] for line in lines), default=0.0) - left
    starts = Counter(round(line[0]) for line in lines if line[0] > left + 0.35 * wide)
    edge = starts.most_common(1)[0][0] - 2 if starts else 0.0
    sides = [1 if line[2] <= edge else 2 if line[0] >= edge else 0 for line in lines]
    few = min(sides.count(1), starts[round(edge + 2)]) < 4
    if few or sides.count(0) > 0.3 * len(lines) or len(lines) > _MOST_LINES:
        return [], 0.0
    order = sorted(range(len(lines)), key=lambda at: (lines[at][1] + lines[at][3]) / 2)
    places, top, rows = [(0.0, 0)] * len(lines), 0.0, 0
    for at in order:
        top = top if sides[at] else lines[at][3]
        places[at] = (top, sides[at]) if sides[at] else (0.0, 0)
    columns = [[at for at in order if sides[at] == side] for side in (1, 2)]
    height = median(line[3] - line[1] for line in lines)
    tops: list[float] = []
    apart: set[int] = set()
    missed = 0
    for own, other in (columns, columns[::-1]):
        for before, at in pairwise(own):
            near = [n for n, one in enumerate(other) if abs(lines[one][1] - lines[at][1]) < height]
            beside = [n for n in near if abs(lines[other[n]][1] - lines[at][1]) < 0.3 * height]
            above = other[beside[0] - 1] if beside and beside[0] else None
            gap = lines[at][1] - lines[before][3] > 0.6 * height
            starts_too = bool(beside) and (
                above is None or _ends(lines[above]) or lines[other[beside[0]]][1] - lines[above][3] > 0.6 * height
            )
            titled = above is not None and max(len(_says(lines[n])) for n in (before, above)) < 25
            if (starts_too and (gap or _ends(lines[before]))) or (beside and titled and lines[before][1] in tops):
                tops.append(lines[at][1])
                rows += gap
            missed += gap and bool(near) and not starts_too
            if gap and not near:
                apart.add(at)  # a title between two tables, a page number
    if rows < 2 or missed > 0.5 * rows:
        return places, edge + 2 - left
    tops = sorted({min(one for one in tops if abs(one - top) < 0.5 * height) for top in tops})
    rows_of = [max((top for top in tops if top <= line[1] + 0.3 * height), default=0.0) for line in lines]
    return [
        (row, side) if side and row and at not in apart else (0.0, 0)
        for at, (row, (_, side)) in enumerate(zip(rows_of, places, strict=True))
    ], 0.0


_MOST_LINES = 500
"""Pages with more lines don't belong to a letter, and aren't examined for columns."""


def _says(line: Any) -> str:
    return "".join(span[0] for span in line[4]).strip()


def _ends(line: Any) -> bool:
    return _says(line).rstrip("”\"')")[-1:] in (".", "?", "!", ":")


def lines_of(fields: list[list[Any]]) -> Iterator[LookLine]:
    for page, x0, y0, x1, y1, spans, cell in fields:
        yield LookLine(int(page), x0, y0, x1, y1, tuple(_span(*span) for span in spans), tuple(cell))


def _span(text: str, font: str, size: float, flags: int, colour: int) -> Span:
    name = font.rsplit("+", maxsplit=1)[-1]
    low = name.lower()
    bold = bool(flags & 16) or any(
        part in low for part in ("bold", "black", "heavy", "demi", "cmbx", "-bd", "medi", "sfbx")
    )
    italic = bool(flags & 2) or any(part in low for part in ("ital", "obli", "slant", "cmti", "sfti"))
    return Span(text.replace("\xa0", " "), name, float(size), bold, italic, f"#{colour & 0xFFFFFF:06x}")
