"""Determines the reading order: assigns lines to columns, and orders the columns and what spans them."""

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from statistics import median

from engine.documents.grouping import CAPTION, PART
from engine.documents.margin_notes import NOTES, take_notes
from engine.documents.page_text import Line, PageText, Token, commonest

_WORD = re.compile(r"[^\W\d_]{4}")
_SECTION = re.compile(r"(?:[\dIVX]{1,3}\.?\s*)?(?:abstract|summary|introduction|background|key\s?words)\b", re.I)
_LABEL = re.compile(
    r"(?:[\u2022\u00b7\u25aa\u25cf\u25e6\u2023\u2043*\u2013\u2014-]|\(?[0-9a-zA-Z]{1,3}[.)\]]|\[\d{1,3}\]|[A-Z]?\d{0,2}(?:\.\d{1,2}){0,3}\.?|[IVX]+\.?)"
)


def order_pages(pages: list[PageText]) -> list[list[Line]]:
    """Returns each page's lines in reading order, with pieces on one baseline merged and column and band set.

    If a page's columns can't be determined, for example under a tall table or figure, those of the document are used.
    Whether a band of the page has them is decided band by band.
    """
    merged = [_merge_pieces(page.lines) for page in pages]
    notes = take_notes(merged)
    if merged:
        notes[0] += _narrow_column(merged[0])
    found = [find_gutter(lines) for lines in merged]
    known = [x for x in found if x is not None]
    least = max(2, 0.25 * len(pages))
    ordered = []
    for index, (page, lines, own) in enumerate(zip(pages, merged, found, strict=True)):
        best = own
        rare = own is None or sum(abs(x - own) <= 8 for x in known) < least
        if rare and abs(page.width - pages[0].width) < 1:
            # In two-sided layouts, columns on every other page are at a different position.
            usual = [x for x in (_usual(found[index % 2 :: 2], least), _usual(found, least)) if x is not None]
            across = (sum(a.x0 < x - 3 and a.x1 > x + 3 for a in lines) for x in usual)
            best = next((x for x, n in zip(usual, across, strict=True) if own is None or n < 0.3 * len(lines)), own)
        ordered.append(_rows(lines) if best is None or not lines else _in_bands(lines, _with_inner(lines, best)))
    return [[*lines, *beside] for lines, beside in zip(ordered, notes, strict=True)]


def _narrow_column(lines: list[Line]) -> list[Line]:
    """Removes the narrow column beside the abstract on the first page, such as addresses or dates, and returns it."""
    narrow = _left_of_abstract(lines)
    gutter = None if narrow else find_gutter(lines, 0.2)
    if gutter is not None:
        left, right = min(x.x0 for x in lines), max(x.x1 for x in lines)
        share = (gutter - left) / (right - left)
        body = commonest((x.size, x.letters) for x in lines)
        narrow = [
            x
            for x in lines
            if x.size <= body and ((share < 0.3 and x.x1 <= gutter) or (share > 0.7 and x.x0 >= gutter))
        ]
    for line in narrow:
        line.column = NOTES
        lines.remove(line)
    return narrow


def _left_of_abstract(lines: list[Line]) -> list[Line]:
    """Returns the lines left of an abstract whose heading has another beside it, such as "Article info"."""
    for heading in lines:
        if re.sub(r"\W", "", heading.text).casefold() == "abstract":
            top, start = heading.base - 0.5 * heading.size, heading.x0
            within = start + 0.25 * (max(x.x1 for x in lines) - start)
            below = [x for x in lines if x.base > top]
            end = min((x.base for x in below if x.x0 < start - 3 and x.x1 > start + 3), default=heading.base + 400)
            last = max(x.base for x in below if start - 3 <= x.x0 < within and x.base < end)
            left = [x for x in below if x.x1 < start and x.base < last + 3]
            above = any(x.x1 < start and top - heading.size < x.base <= top for x in lines)
            if not above and any(x.base < heading.base + 0.5 * heading.size for x in left):
                return left
    return []


def _usual(found: Sequence[float | None], least: float) -> float | None:
    """Returns the gutter shared by at least ``least`` pages, or None."""
    near = Counter(round(x / 4) + k for x in found if x is not None for k in (0, 1)).most_common(1)
    usual = [x for x in found if x is not None and round(x / 4) + 1 >= near[0][0] >= round(x / 4)]
    return median(usual) if len(usual) >= least else None


def _with_inner(lines: list[Line], gutter: float) -> list[float]:
    """Returns a page's gutters: the given one, and another if one of its sides consists of two columns."""
    left, right = min(x.x0 for x in lines), max(x.x1 for x in lines)
    share = (gutter - left) / (right - left)
    if 0.25 < share < 0.42:
        start, end = gutter, right
    elif 0.58 < share < 0.75:
        start, end = left, gutter
    else:
        return [gutter]
    inner = find_gutter([x for x in lines if x.x0 >= start - 1 and x.x1 <= end + 1])
    if inner is not None:
        widths = sorted((inner - start, end - inner, right - left - (end - start)))
        if widths[2] < 1.25 * widths[0]:
            return sorted((gutter, inner))
    return [gutter]


def _in_bands(lines: list[Line], gutters: list[float]) -> list[Line]:
    """Orders a page's lines in bands: columns separated at ``gutters``, and lines that span them."""
    for gutter in gutters:
        start = _start(lines, gutter)
        lines = [piece for line in lines for piece in _split_at(line, gutter, start)]
    edges = min(x.x0 for x in lines), max(x.x1 for x in lines)
    bands: list[tuple[bool, list[Line]]] = []
    starts = [_start(lines, gutter) for gutter in gutters]
    for line in sorted(lines, key=lambda x: (x.base, x.x0)):
        spans = any(
            line.x0 < gutter - 3
            and line.x1 > gutter + 3
            # An overfull line of the left column has a line of the right column beside it.
            and not any(abs(x.x0 - start) < 2 and x.x0 > line.x1 - 1 and x.y0 < line.base < x.y1 for x in lines)
            for gutter, start in zip(gutters, starts, strict=True)
        )
        if not bands or bands[-1][0] != spans:
            bands.append((spans, []))
        bands[-1][1].append(line)
    ordered: list[Line] = []
    band = 0
    full = 0.85 * min(gutters[0] - edges[0], edges[1] - gutters[-1])
    text = next(
        (i for i, (spans, members) in enumerate(bands) if not spans and any(x.width > full for x in members)), 0
    )
    if text and bands[0][0] and lines[0].page == 1:
        authors = _side_by_side(bands[text][1], gutters, full)
        front = [x for _, members in bands[:text] for x in members] + authors
        bands[: text + 1] = [(True, front), (False, [x for x in bands[text][1] if x not in authors])]
    for spans, members in bands:
        sides: list[list[Line]] = [[] for _ in range(len(gutters) + 1)]
        for line in members:
            sides[sum(line.x0 > gutter - 3 for gutter in gutters)].append(line)
        right = [x for side in sides[1:] for x in side]
        columned = not spans and _is_columned(sides[0], right, gutters, edges)
        for column, side in enumerate(sides, start=1) if columned else [(0, members)]:
            for line in side:
                line.column, line.band = column, band
            ordered += _rows(side)
        band += columned
    for number, line in enumerate(ordered):  # consecutive spanning lines form one band
        if number and line.column == 0 and ordered[number - 1].column == 0:
            line.band = ordered[number - 1].band
    _reclaim_last_lines(ordered)
    return ordered


def _side_by_side(lines: list[Line], gutters: list[float], full: float) -> list[Line]:
    """Returns the lines at the top, between the title and the columns, that are set side by side, such as authors."""
    found: list[list[Line]] = []
    for row in _rows_of_side(lines):
        if any(x.width > full or _SECTION.match(x.text) for x in row):
            while found and not any(x.x0 > gutters[0] for x in found[-1]):
                found.pop()
            return sorted((x for row in found for x in row), key=lambda x: sum(x.x0 > gutter for gutter in gutters))
        found.append(row)
    return []


def _start(lines: list[Line], gutter: float) -> float:
    starts = Counter(round(x.x0) for x in lines if x.x0 > gutter - 3)
    return starts.most_common(1)[0][0] if starts else gutter


def _is_columned(left: list[Line], right: list[Line], gutters: list[float], edges: tuple[float, float]) -> bool:
    """Returns whether lines beside gutters are columns of text rather than cells of a table across them."""
    full = sum(x.width > 0.85 * (gutters[0] - edges[0]) for x in left)
    full += sum(x.width > 0.85 * (edges[1] - gutters[-1]) for x in right)
    rows = max(len(_rows_of_side(left)), len(_rows_of_side(right)))
    if not left or not right:
        return full >= 1 or rows == 1
    # MuPDF puts the cells of a row into one block, but never lines of different columns.
    return full >= max(2, 0.2 * rows) or not {x.block for x in left} & {x.block for x in right}


def find_gutter(lines: list[Line], least: float = 0.3) -> float | None:
    """Returns the x between two columns of text, or None on a page of one column.

    Tries every 3 points except the outer ``least`` shares of the text's width and takes the x that the fewest
    characters cross. Both sides must hold a share of the characters, and a side's lines must fill it (cells of a table
    don't).
    """
    if len(lines) < 8:
        return None
    left_edge = min(x.x0 for x in lines)
    right_edge = max(x.x1 for x in lines)
    width = right_edge - left_edge
    total = sum(x.letters for x in lines)
    best: tuple[float, float] | None = None
    shapes: dict[tuple[bool, int], tuple[int, float, int]] = {}
    x = left_edge + least * width
    while x < right_edge - least * width:
        left = [a for a in lines if a.x1 <= x + 1]
        right = [a for a in lines if a.x0 >= x - 1]
        in_left, in_right = sum(a.letters for a in left), sum(a.letters for a in right)
        fair = in_left + in_right >= 0.3 * total and min(in_left, in_right) >= 0.04 * total
        if fair and min(len(left), len(right)) >= 4:
            for side, room in ((left, x - left_edge), (right, right_edge - x)):
                # As x grows, the left only gains lines and the right only loses them: the count is a valid key.
                key = side is left, len(side)
                rows, filled, gapped = shapes[key] if key in shapes else shapes.setdefault(key, _shape(side))
                # Rows of a text column hardly ever have a gap as wide as those between table cells.
                if rows < 4 or filled < 0.7 * room or gapped > 0.4 * rows:
                    break
            else:
                gap = min(a.x0 for a in right) - max(a.x1 for a in left)
                score = (total - in_left - in_right) / total - 0.0005 * gap
                if best is None or score < best[0]:
                    best = (score, (max(a.x1 for a in left) + min(a.x0 for a in right)) / 2)
        x += 3
    return best[1] if best else None


def _shape(side: list[Line]) -> tuple[int, float, int]:
    """Returns a possible column's number of rows, median width of the wider half, and number of rows with wide gaps."""
    rows = _rows_of_side(side)
    # The wider half, since headings, last lines and labels in figures are short.
    widths = sorted((row[-1].x1 - row[0].x0 for row in rows), reverse=True)
    gapped = sum(any(b.x0 - a.x1 > 2.5 * a.size for a, b in pairwise(row)) for row in rows)
    return len(rows), median(widths[: max(3, len(widths) // 2)]), gapped


def _rows_of_side(lines: list[Line]) -> list[list[Line]]:
    """Groups lines of nearly the same baseline into rows, top to bottom and left to right."""
    rows: list[list[Line]] = []
    for line in sorted(lines, key=lambda x: x.base):
        if rows and abs(line.base - rows[-1][0].base) < 0.25 * line.size:
            rows[-1].append(line)
        else:
            rows.append([line])
    return [sorted(row, key=lambda x: x.x0) for row in rows]


def _split_at(line: Line, gutter: float, start: float) -> list[Line]:
    """Splits a line that MuPDF formed across both columns; otherwise returns it alone. Lines of the right column start
    at ``start``."""
    if not (line.x0 < gutter - 3 and line.x1 > gutter + 3):
        return [line]
    for index, (a, b) in enumerate(pairwise(line.tokens), start=1):
        least = 0.5 if abs(b.x0 - start) < 1 else 0.9
        if a.x1 <= gutter + 3 and b.x0 >= gutter - 3 and b.x0 - a.x1 > least * min(a.size, b.size):
            return [
                Line(line.page, line.tokens[:index], block=line.block),
                Line(line.page, line.tokens[index:], block=line.block),
            ]
    return [line]


def _reclaim_last_lines(ordered: list[Line]) -> None:
    """Moves a spanning paragraph's short last line, which looks like part of the left column, back to it."""
    for above, line in pairwise(ordered):
        if (
            above.column == 0
            and line.column == 1
            and line.size == above.size
            and line.font == above.font
            and 0 < line.base - above.base < 1.35 * line.size
            and abs(line.x0 - above.x0) < 2
            and not any(x is not line and x.band == line.band and abs(x.base - line.base) < 3 for x in ordered)
        ):
            line.column = 0
            line.band = above.band


def _merge_pieces(lines: list[Line]) -> list[Line]:
    """Joins pieces on one baseline separated by a word gap, or by the gap after a section number or list label."""
    merged: list[Line] = []
    for line in sorted(_attach_fragments(lines), key=lambda x: (round(x.base), x.x0)):
        for at in range(len(merged) - 1, max(-1, len(merged) - 9), -1):
            other = merged[at]
            gap = line.x0 - other.x1
            size = max(line.size, other.size)
            if gap < 0.0:  # MuPDF may begin a line with what is below the end of the line before: a denominator
                below = [t for t in line.tokens if t.x0 < other.x1 and abs(t.base - line.base) > 0.2 * size]
                if len(below) < len(line.tokens):
                    gap = line.tokens[len(below)].x0 - max(t.x1 for t in (*below, other.tokens[-1]))
            if stacked := gap < 0.0 and _stacked(other, line):
                gap = 0.0
            unlike = min(line.size, other.size) < 0.4 * size or _are_parts([other, line])  # a tick of a plot
            if unlike or abs(line.base - other.base) > 0.2 * size or gap < -1.2 * size:
                continue
            near = 0.75
            if line.block == other.block and min(len(other.tokens), len(line.tokens)) > 2:
                # Justified lines have even gaps, however wide; table cells are further apart than words.
                near = max(near, 1.4 * max(_widest_gap(other), _widest_gap(line)) / max(size, 0.1))
            if (len(other.tokens) == 1 and _LABEL.fullmatch(other.text)) or CAPTION.fullmatch(other.text):
                near = 3.0
            if gap < near * size:
                merged[at] = Line(line.page, [*other.tokens, *line.tokens], block=other.block)
                if not stacked:
                    merged[at].tokens.sort(key=lambda t: t.x0)
                break
        else:
            merged.append(line)
    return merged


def _stacked(before: Line, line: Line) -> bool:
    """Returns whether a line begins with what is below the end of another: a subscript, or a denominator."""
    above, below = before.tokens[-1], line.tokens[0]
    return above.x0 - line.size < below.x0 < above.x1 and above.y0 < below.y0 and above.y1 < below.y1


def _attach_fragments(lines: list[Line]) -> list[Line]:
    """Attaches raised, lowered and stacked pieces of formulas to the line of text whose words they touch.

    Lines of text are more than 0.9 of their size apart, so a nearer piece beside a word is part of its line.
    """
    ordered = sorted(lines, key=lambda x: x.base)
    bases = [x.base for x in ordered]
    gone: set[int] = set()
    attached: dict[int, tuple[Line, list[Token]]] = {}
    for line in ordered:
        if len(line.tokens) > 4 or line.letters > 14 or any(_WORD.search(t.text) for t in line.tokens):
            continue
        best: tuple[float, Line] | None = None
        hangs = line.letters <= 2 and line.y0 > line.base - 0.2 * line.size
        reach = 1.3 * max(line.size, 12.0)
        for other in ordered[bisect_left(bases, line.base - reach) : bisect_right(bases, line.base + reach)]:
            size, drop = other.size, line.base - other.base
            if other is line or id(other) in gone or abs(drop) > 1.3 * size:
                continue
            small = line.size <= 0.85 * size
            if other.letters <= line.letters and not small:
                continue
            # Roots, brackets and large operators hang from their origin, which lies above the line. Such a glyph, if it
            # has no Unicode value, may be read as any letter, but its box shows that it hangs.
            hanging = -1.3 * size <= drop < 0 and line.letters <= 2 and (hangs or not re.search(r"[^\W_]", line.text))
            beside = (small and abs(drop) <= 0.8 * size) or 0.2 * size < abs(drop) <= 0.9 * size
            if not (hanging or (beside and not hangs)):
                continue
            gap = min(max(line.x0 - t.x1, t.x0 - line.x1) for t in other.tokens)
            if gap < (0.35 if small else 0.5) * size and (best is None or abs(drop) + max(gap, 0) < best[0]):
                best = (abs(drop) + max(gap, 0), other)
        if best is not None:
            gone.add(id(line))
            attached.setdefault(id(best[1]), (best[1], []))[1].extend(line.tokens)
            if id(line) in attached:  # pieces already attached to this one move with it
                attached[id(best[1])][1].extend(attached.pop(id(line))[1])
    for host, tokens in attached.values():
        host.tokens = sorted([*host.tokens, *tokens], key=lambda t: t.x0)
        host.forget()
    return [x for x in lines if id(x) not in gone]


def _are_parts(row: list[Line]) -> bool:
    """Returns whether pieces are captions of parts of a figure: "(a) Before" and "(b) After"."""
    return all(PART.match(piece.text) for piece in row)


def _widest_gap(line: Line) -> float:
    return max((b.x0 - a.x1 for a, b in pairwise(line.tokens)), default=0.0)


def _rows(lines: list[Line]) -> list[Line]:
    return [line for row in _rows_of_side(lines) for line in row]


def rejoin(lines: list[Line]) -> list[Line]:
    """Joins the pieces of justified lines: pieces on one baseline that together fill the column.

    The margins must be set. Table cells are recognised by gaps far wider than those within a cell, by rows that don't
    end at the margin, and by the lack of a whole line of the same style directly above or below.
    """
    rows: list[list[Line]] = []
    for line in lines:
        if rows and _beside(rows[-1][-1], line):
            rows[-1].append(line)
        else:
            rows.append([line])
    result: list[Line] = []
    for index, row in enumerate(rows):
        near = [other[0] for other in rows[max(0, index - 1) : index + 2] if len(other) == 1]
        if len(row) > 1 and _is_justified(row, near):
            first = row[0]
            joined = Line(first.page, [t for piece in row for t in piece.tokens], block=first.block)
            joined.column, joined.band, joined.left, joined.right = first.column, first.band, first.left, first.right
            result.append(joined)
        else:
            result.extend(row)
    return result


def _beside(a: Line, b: Line) -> bool:
    place = (a.page, a.column, a.band) == (b.page, b.column, b.band)
    return place and abs(a.base - b.base) < 0.2 * a.size and a.x1 < b.x0


def _is_justified(row: list[Line], near: list[Line]) -> bool:
    first, last = row[0], row[-1]
    if _are_parts(row):
        return False
    beside = [
        x for x in near if x.size == last.size and abs(x.base - last.base) < 1.5 * last.size and len(x.tokens) > 2
    ]
    # An abstract or quotation is narrower than its column: the lines above and below show where it ends.
    framed = any(abs(x.x1 - last.x1) < 2 and abs(x.x0 - first.x0) < 4 * first.size for x in beside)
    if not framed and (abs(last.x1 - last.right) > 2 or not -2 < first.x0 - first.left < 4 * first.size):
        return False
    tokens = [t for piece in row for t in piece.tokens]
    gaps = [b.x0 - a.x1 for a, b in pairwise(tokens)]
    widest, usual = max(gaps), median(gaps)
    if widest < min(4 * first.size, 1.5 * usual) or widest < min(2.5 * first.size, 2 * usual):
        return True
    if len(row) == 2 and first.text.endswith((".", ":")) and (first.bold, first.italic) != (last.bold, last.italic):
        return widest < 2.5 * first.size  # a run-in heading
    return framed and widest < min(5 * first.size, 3 * usual)


def set_margins(pages: list[list[Line]]) -> None:
    """Sets each line's ``left`` and ``right``: where the text of its column starts and ends on its page.

    Measured on lines that fill the column; a page with fewer than four gets the median, or its own extent.
    """
    for column in sorted({line.column for page in pages for line in page}):
        own = {page[0].page: [x for x in page if x.column == column] for page in pages if page}
        widths = sorted(line.width for lines in own.values() for line in lines)
        if not widths:
            continue
        wide = 0.6 * widths[min(len(widths) - 1, round(0.95 * len(widths)))]
        margins: dict[int, tuple[float, float]] = {}
        for number, lines in own.items():
            filling = [x for x in lines if x.width >= wide]
            if len(filling) >= 4:
                margins[number] = _extent(filling)
        usual = (median(m[0] for m in margins.values()), median(m[1] for m in margins.values())) if margins else None
        for number, lines in own.items():
            if lines:
                left, right = margins.get(number) or usual or _extent(lines)
                for line in lines:
                    line.left = left
                    line.right = right


def _extent(lines: list[Line]) -> tuple[float, float]:
    """Returns where most lines begin and end; formulas that reach into the next column don't widen the column."""
    starts, ends = Counter[int](), Counter[int]()
    for line in lines:
        starts[round(line.x0)] += line.letters
        ends[round(line.x1)] += line.letters
    left = float(min(x for x, letters in starts.items() if letters >= 0.3 * max(starts.values())))
    usual = sorted((x.x1 for x in lines if ends[round(x.x1)] >= 0.3 * max(ends.values())), reverse=True)
    # In ragged text, a single line sticking out, such as an unbreakable URL, must not widen the column.
    return left, usual[len(usual) // 20]
