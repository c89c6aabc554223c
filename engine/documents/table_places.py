"""Locates the tables of a document: captions, and the words around them that aren't running text."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise, zip_longest
from math import inf
from statistics import median

from engine.documents.grouping import PART
from engine.documents.records import Box, Paragraph, ParsedDocument
from engine.documents.search import union
from engine.documents.table_captions import CAPTION, INSIDE, STOPPED, Caption, label_of_table, number_in_label
from engine.documents.table_lines import Line, Piece, Sides, around, lines_of, parted

_NUMBERED = re.compile(r"(?:\d+(?:\.\d+)*|[A-Z]|[IVX]+)\.?\s")
_SENTENCE = 5
"""Least number of words without a wide gap in a line of running text."""
_LABEL = 9
"""The same beside two or more numbers, since labels of rows are longer than those in drawings."""
_SMALL = 0.68
"""Words lower than this share of the others' height are labels within drawings or raised marks."""
_FAR, _NEXT = 4.5, 1.8
"""Least gaps, in line heights, that end a table: at its first three rows and further on."""
_CLOSER = 1.3
"""From this ratio of the gaps above and below it, a caption is considered close to one side."""
_TALL = 40.0
"""Greatest height of a line of running text, in points."""
_LONG = 6
"""Greatest number of pages on which a table is searched for."""
_NOTE = 1
"""Most lines below a table that goes on on the next page."""
_MARGIN = 30.0
"""Greatest difference, in points, of the margins of a table on two pages."""
_MOST = 40
"""Greatest number of captions per page whose tables are searched for."""


def regions(document: ParsedDocument) -> list[tuple[Caption, list[list[Line]]]]:
    """Returns the captions of tables in document order, each with the lines of its table from the top, by page."""
    captioned = {
        paragraph.page
        for paragraph in document.paragraphs
        if (paragraph.kind == "caption" and label_of_table(paragraph.text))
        or (paragraph.kind == "table" and INSIDE.search(paragraph.text))
    }
    further = {p.page for p in document.paragraphs if p.kind == "table"} & {
        n + m for n in captioned for m in range(_LONG)
    }
    pages = {number: _Page() for number in sorted(captioned | further)}
    for rule in document.rules:
        if rule.page in pages and rule.x1 - rule.x0 > rule.y1 - rule.y0:
            pages[rule.page].rules.append(rule)
    for paragraph, following in zip_longest(titled := _with_titles(document.paragraphs), titled[1:]):
        for number in {word.box.page for word in paragraph.words} & pages.keys():
            pages[number].take(paragraph, number, following)
    found: list[tuple[Caption, Sides]] = []
    for page in pages.values():
        page.prose.sort(key=lambda b: b.y0)
        page.frames = page.framed() if page.captions else []
        rows = lines_of(page.open) if page.captions else []
        claims = [page.sides(rows if n < _MOST else [], caption) for n, caption in enumerate(page.captions)]
        for n, (caption, claim) in enumerate(zip(page.captions, claims, strict=True)):
            left, right = _column(page, n, claims)
            within = [[p for p in row if left < (p.box.x0 + p.box.x1) / 2 < right] for row in rows]
            whole = left == 0 and right == inf
            above, below = claim if whole else page.sides([row for row in within if row], caption)
            below = [] if above and page.of_figure(below) else below
            found.append((caption, (page.within(caption, above, -1), page.within(caption, below, 1))))
    found.sort(key=lambda f: f[0].paragraph.index)
    votes = sum(_nearer(caption.box, *sides) for caption, sides in found)
    chosen: dict[int, list[Line]] = {}
    taken: set[int] = set()

    def choose(n: int, lines: list[Line]) -> None:
        words = {id(piece) for line in lines for piece in line}
        if not chosen.get(n) and not words & taken:
            chosen[n] = lines
            taken.update(words)

    def choose_on_next(n: int, caption: Caption) -> None:
        if not any(p.box.y0 > caption.box.y1 for p in pages[caption.box.page].open):
            choose(n, _on_next(pages, caption.box))

    for n, (caption, sides) in enumerate(found):
        if not any(sides):
            choose_on_next(n, caption)
    for side in (1, 0) if votes >= 0 else (0, 1):  # first on the side where most captions of the document have theirs
        for n, (_, sides) in enumerate(found):
            choose(n, sides[side])
    for n, (caption, _) in enumerate(found):
        choose_on_next(n, caption)
    return [(caption, _with_further(pages, chosen.get(n, []), taken)) for n, (caption, _) in enumerate(found)]


def _with_titles(paragraphs: Sequence[Paragraph]) -> list[Paragraph]:
    """Returns the paragraphs with headings between the rows of tables as parts of these."""
    found = [*paragraphs]
    for n, (above, one, below) in enumerate(zip(paragraphs, paragraphs[1:], paragraphs[2:], strict=False), 1):
        title = one.kind == "heading" and one.page == below.page and not _NUMBERED.match(one.text)
        if title and above.kind == below.kind == "table":
            found[n] = replace(one, kind="table")
    return found


def _with_further(pages: Mapping[int, _Page], lines: list[Line], taken: set[int]) -> list[list[Line]]:
    """Returns the lines of a table, and those on the next pages between the same margins."""
    parts = [lines]
    while parts[-1]:
        box = around([piece for line in parts[-1] for piece in line])
        more = _on_next(pages, box, _NOTE)
        pieces = [piece for line in more for piece in line]
        if not more or taken & {id(piece) for piece in pieces}:
            break
        own = around(pieces)
        if own.x0 < box.x0 - _MARGIN or abs(own.x1 - box.x1) > _MARGIN:
            break
        taken |= {id(piece) for piece in pieces}
        parts.append(more)
    return parts


def _on_next(pages: Mapping[int, _Page], box: Box, note: int = 0) -> list[Line]:
    """Returns the lines at the top of the next page that may be a table's, without running text above them or below
    ``box`` except for a ``note``."""
    page, after = pages[box.page], pages.get(box.page + 1)
    rows = lines_of(after.open) if after and len([b for b in page.prose if b.y0 > box.y1]) <= note else []
    if after is None or not rows or any(b.y0 < rows[0][0].box.y0 and b not in after.rest for b in after.prose):
        return []
    start = around(rows[0])._replace(x0=box.x0, x1=box.x1)
    start = start._replace(y1=start.y0)
    found = after.grown(rows, start, 1, start)
    return [] if after.of_figure(found, (*after.figures, *after.parts)) else found


def _nearer(caption: Box, above: Sequence[Line], below: Sequence[Line]) -> int:
    """Returns a positive number if a caption's table is likely to be below it, a negative one if above: 2 with lines on
    one side only, 1 if those on one side are clearly closer, 0 otherwise."""
    if not above or not below:
        return 2 * (bool(below) - bool(above))
    over, under = (abs(gap) for gap in (caption.y0 - around(above[-1]).y1, around(below[0]).y0 - caption.y1))
    return 0 if max(over, under) < _CLOSER * min(over, under) else 1 if under < over else -1


def _column(page: _Page, number: int, claims: Sequence[Sides]) -> tuple[float, float]:
    """Returns the left and right limit of the words left to a caption if captions in other text columns claim the same
    ones: the middle between the captions."""
    left, right = page.text_column(page.captions[number].box)
    # A label alone says little about the width of its caption.
    boxes = [page.whole(c.box) if CAPTION.fullmatch(c.text.strip()) else c.box for c in page.captions]
    words = {id(piece) for side in claims[number] for line in side for piece in line}
    for box, claimed in zip(boxes, claims, strict=True):
        if words & {id(piece) for side in claimed for line in side for piece in line}:
            if box.x0 > boxes[number].x1:
                right = min(right, (boxes[number].x1 + box.x0) / 2)
            elif box.x1 < boxes[number].x0:
                left = max(left, (box.x1 + boxes[number].x0) / 2)
    return left, right


class _Page:
    """The words of a page, separated into lines of running text and words that may belong to a table."""

    def __init__(self) -> None:
        self.captions: list[Caption] = []
        self.prose: list[Box] = []
        self.figures: list[Box] = []
        self.parts: list[Box] = []
        """The captions of parts of figures or tables: "(a) Before training"."""
        self.titles: set[Box] = set()
        self.labels: set[Box] = set()
        self.open: list[Piece] = []
        self.rules: list[Box] = []
        self.frames: list[tuple[Box, int]] = []
        self.words: list[Piece] = []
        self.subtitle = ""
        self.rest: set[Box] = set()
        """The lines of captions that begin on the page before."""

    def take(self, paragraph: Paragraph, number: int, following: Paragraph | None) -> None:
        """Adds the words that a paragraph has on this page."""
        pieces = [Piece(word, paragraph) for word in paragraph.words if word.box.page == number]
        lines = lines_of(pieces)
        if paragraph.kind in ("caption", "heading") or paragraph.id == self.subtitle:
            under = [Piece(w, following) for w in following.words if w.box.page == number] if following else []
            beside = [around(line) for line in lines_of(under)] if under and under[0].paragraph.kind == "table" else []
            of_table = paragraph.kind == "caption" and label_of_table(paragraph.text)
            end = self._ends(lines, beside) if of_table else len(lines)
            below = [piece for line in lines[end:] for piece in line]
            if below:  # the table's first rows, parsed as the end of the caption
                lines, pieces = lines[:end], [piece for line in lines[:end] for piece in line]
                self.open += below
                self.words += below
            self.prose += map(around, lines)
            found = of_table if paragraph.page == number else None
            if paragraph.page < number:
                self.rest.update(map(around, lines))
            label = CAPTION.match(paragraph.text) if paragraph.kind == "caption" and lines else None
            if label and label["kind"].lower().startswith("fig"):
                self.figures.append(around(pieces))
            elif paragraph.kind == "caption" and lines and PART.match(paragraph.text):
                self.parts.append(around(pieces))
            if found:
                text = paragraph.text[: min((piece.word.start for piece in below), default=None)].rstrip()
                alone = found.end() == len(text.rstrip()) and following and len(following.words) > 2
                under = [Piece(word, following) for word in following.words] if following else []
                title = following and following.kind == "other" and self._titled(pieces, under)
                if alone and following and (title or following.kind in ("body", "heading")):
                    self.subtitle = following.id
                    text = f"{text} {following.text}"  # the label was separated from its caption
                    pieces += [piece for piece in under if piece.box.page == number]
                self.captions.append(Caption(number_in_label(found), text, paragraph, around(pieces)))
            if paragraph.kind == "heading":
                self.words += pieces
            else:
                self.labels.update(map(around, lines))
            return
        self.words += pieces
        parts = [part for line in lines for part in parted(line)]
        if paragraph.kind == "table":
            self.open += [piece for part in self._without_captions(parts) for piece in part]
            return
        prose = [_is_prose(part, line) for line in map(parted, lines) for part in line]
        first = next((n for n, is_prose in enumerate(prose) if is_prose), len(parts))
        if first == 0 and paragraph.kind == "other" and following and following.kind == "table":
            rows = lines_of(Piece(word, following) for word in following.words if word.box.page == number)
            if len(lines) == 1 and rows and len(parted(rows[0])) == len(pieces):
                first = 1  # headings of one word above each cell, set close together
        self.open += [piece for part in parts[:first] for piece in part]
        self.prose += map(around, parts[first:])
        if paragraph.kind == "other" and len(parts) == 1:
            self.titles.update(map(around, parts[first:]))  # as over several columns of a table

    def _parted(self, upper: Box, lower: Box) -> bool:
        """Returns whether a line is drawn between two lines of words."""
        y0, y1 = (upper.y0 + upper.y1) / 2, (lower.y0 + lower.y1) / 2
        return any(y0 < r.y0 < y1 and r.x0 < lower.x1 and lower.x0 < r.x1 for r in self.rules)

    def _ends(self, lines: list[Line], beside: list[Box]) -> int:
        """Returns how many lines belong to a caption: not those below a drawn line, or level with cells."""
        whole = around([piece for line in lines for piece in line])
        for n, (upper, lower) in enumerate(pairwise(map(around, lines)), 1):
            level = (b for b in beside if b.y0 < (lower.y0 + lower.y1) / 2 < b.y1 and lower.x1 < b.x0)
            if self._parted(upper, lower) or any(b.x1 < whole.x1 for b in level):
                return n
        return len(lines)

    def _titled(self, label: Line, under: Line) -> bool:
        """Returns whether words are the title below a caption's label, centred like it."""
        first, second = around(label), around(under)
        middles = first.x0 + first.x1 - second.x0 - second.x1
        near = 0 < second.y1 - first.y1 < 1.8 * (first.y1 - first.y0)
        return near and abs(middles) < 8 and len(lines_of(under)) == len(parted(under)) == 1

    def _without_captions(self, parts: list[Line]) -> list[Line]:
        """Returns the cells of a table without captions set beside its rows, which are added to the page's captions."""
        rest: list[Line] = []
        captions: list[list[Line]] = []
        for part in parts:
            text = " ".join(p.text for p in part)
            if len(part) > 2 and STOPPED.match(text):
                captions.append([part])
                continue
            first, height = part[0], part[0].height
            for lines in captions:
                beneath = 0 < first.middle - lines[-1][0].middle < 1.8 * height
                alone = not self._parted(around(lines[-1]), around(part))
                if beneath and alone and abs(first.box.x0 - lines[0][0].box.x0) < height:
                    lines.append(part)
                    break
            else:
                rest.append(part)
        for lines in captions:
            self.prose += map(around, lines)
            self.labels.update(map(around, lines))
            pieces = [piece for line in lines for piece in line]
            text = " ".join(p.text for p in pieces)
            if found := label_of_table(text):
                self.captions.append(Caption(number_in_label(found), text, pieces[0].paragraph, around(pieces), True))
        return rest

    def sides(self, rows: Sequence[Line], caption: Caption) -> Sides:
        """Returns the lines above and below a caption that may be its table."""
        below = self.grown_beside(rows, caption.box) if caption.inside else []
        return self.grown(rows[::-1], caption.box, -1), below or self.grown(rows, caption.box, 1)

    def framed(self) -> list[tuple[Box, int]]:
        """Returns drawn lines grouped by table (box, count): equally wide, without running text in between."""
        frames: list[list[Box]] = []
        for rule in sorted(self.rules, key=lambda r: r.y0):
            width = rule.x1 - rule.x0
            for frame in frames:
                last = frame[-1]
                if abs(last.x0 - rule.x0) < 3 and abs(last.x1 - rule.x1) < 3:
                    text = [b for b in self._between(last.y1, rule.y0) if min(rule.x1, b.x1) - max(rule.x0, b.x0) > 0]
                    text = [b for b in text if last.y1 < (b.y0 + b.y1) / 2 < rule.y0]
                    wide = [(b.x1 - b.x0) / width for b in text]
                    prose = sum(w > 0.8 for w in wide) > 1 or sum(w > 0.4 for w in wide) > 7  # of two columns
                    if not prose and not any(b in self.labels for b in text):
                        frame.append(rule)
                        break
            else:
                frames.append([rule])
        found: list[tuple[Box, int]] = []
        for frame in sorted((f for f in frames if len(f) > 1), key=lambda f: f[0].x0 - f[0].x1):
            box = union(frame)
            for n, (wider, count) in enumerate(found):
                if wider.x0 - 3 < box.x0 and box.x1 < wider.x1 + 3 and box.y0 < wider.y1 and wider.y0 < box.y1:
                    whole = union([wider, box])
                    if not any(_meets(whole, b) for b in self.labels):  # short lines of two tables
                        found[n] = whole, count  # below the first columns, or without them
                    break
            else:
                found.append((box, len(frame)))
        return found

    def within(self, caption: Caption, lines: list[Line], way: int) -> list[Line]:
        """Returns the lines within the drawn lines next to a caption, on its ``way`` side, otherwise ``lines``."""
        box = self.whole(caption.box)
        edge = box.y1 if way > 0 else box.y0
        best: tuple[float, list[Line]] | None = None
        for frame, count in self.frames:
            gap = frame.y0 - edge if way > 0 else edge - frame.y1
            wide = min(frame.x1, box.x1) - max(frame.x0, box.x0)
            if not -3 < gap < _TALL or 2 * wide < min(frame.x1 - frame.x0, box.x1 - box.x0) or (best and best[0] < gap):
                continue
            left, right = min(frame.x0, box.x0) - 3, max(frame.x1, box.x1) + 3  # not of the other column of text
            near = [part for line in lines if (part := [p for p in line if left < p.box.x1 and p.box.x0 < right])]
            inside = [p for line in near for p in line if frame.y0 < p.middle < frame.y1]
            own = {id(p): p for p in (*inside, *(p for p in self.words if _over(p, frame)))}.values()
            rows = _sized(own)
            outside = [line for line in near if not frame.y0 < line[0].middle < frame.y1]
            if count > 2:  # headings above, rows below; notes are left out
                outside = [
                    x for x in outside if sum(x[0].middle < frame.y0 or _numbers(part) for part in parted(x)) > 1
                ]
            rows = sorted([*rows, *outside], key=lambda row: row[0].middle)
            if sum(any(p.text[:1].isdigit() for p in row[1:]) for row in rows) > 1:
                best = gap, rows
        return best[1] if best else lines

    def of_figure(self, lines: Sequence[Line], captions: Sequence[Box] = ()) -> bool:
        """Returns whether a figure's caption, or one of ``captions``, is directly below some lines, so that they are
        words of a drawing."""
        if not lines:
            return False
        box, far = around([piece for line in lines for piece in line]), _FAR * median(line[0].height for line in lines)
        return any(0 < f.y0 - box.y1 < far and f.x0 < box.x1 and box.x0 < f.x1 for f in captions or self.figures)

    def grown(self, rows: Iterable[Line], caption: Box, way: int, whole: Box | None = None) -> list[Line]:
        """Returns the lines after a caption downwards (``way`` 1) or upwards (-1), up to running text or a wide gap.

        ``whole`` is the caption if ``caption`` is only its top edge.
        """
        caption = caption if whole else caption._replace(y1=self.whole(caption).y1)
        start = edge = caption.y1 if way > 0 else caption.y0
        left, right = self._beside(caption, caption)
        caption = whole or caption
        found: list[Line] = []
        extent = (caption.x0, caption.x1)
        widest = size = 0.0
        for row in rows:
            if way * (row[0].middle - start) < 0:
                continue
            begin, end = self._beside(around(row), caption)
            line = [p for p in row if max(left, begin) <= p.box.x0 and p.box.x1 <= min(right, end)]
            if not line or max(p.height for p in line) < size:
                continue
            box = around(line)
            near, far = (box.y0, box.y1) if way > 0 else (box.y1, box.y0)
            gap = max(0.0, way * (near - edge))
            most = (_FAR if len(found) < 3 else _NEXT) * median(p.height for p in line)
            if gap > max(most, 2.2 * widest) or self._stops(edge, far, extent, caption):
                break
            if found:
                widest = max(widest, gap)
                extent = (min(extent[0], box.x0), max(extent[1], box.x1))
            else:
                extent = (box.x0, box.x1)
                size = _SMALL * median(p.height for p in line)
            found.append(line)
            edge = max(edge, far, key=lambda y: way * y)
        lines = _sized([p for line in found for p in line])
        return lines if sum(len(parted(line)) > 1 for line in lines) > 1 else []

    def grown_beside(self, rows: Iterable[Line], caption: Box) -> list[Line]:
        """Returns the lines from a caption's first line downwards, without what is directly above or below it, if at
        least two are beside it; otherwise none."""
        apart = [[p for p in row if p.box.x0 > caption.x1 or p.box.x1 < caption.x0] for row in rows]
        level = caption._replace(y1=caption.y0)
        lines = self.grown([row for row in apart if row], level, 1, caption)
        return lines if sum(around(line).y0 < caption.y1 for line in lines) > 1 else []

    def _between(self, top: float, bottom: float) -> list[Box]:
        """Returns lines of running text that start within a vertical range or less than ``_TALL`` above it."""
        ends = (bisect_left(self.prose, y, key=lambda b: b.y0) for y in (top - _TALL, bottom))
        return self.prose[slice(*ends)]

    def text_column(self, caption: Box) -> tuple[float, float]:
        """Returns the left and right end of the caption's text column on the sides where a figure is beside it."""
        ends = [x for b in self.prose for x in (b.x0, b.x1)]
        half = 0.55 * (max(ends) - min(ends))
        narrow = [b for b in self.prose if b.x1 - b.x0 < half]
        own = [b for b in narrow if b.x0 < caption.x1 and caption.x0 < b.x1]
        left, right = min((b.x0 for b in own), default=0.0), max((b.x1 for b in own), default=inf)
        if right - left > half:
            return 0.0, inf
        before = [b for b in narrow if b.x1 <= left and b.y0 > caption.y1]
        after = [b for b in narrow if b.x0 >= right and b.y0 > caption.y1]
        first = [min(beside, key=lambda b: b.y0, default=None) for beside in (before, after)]
        drawn = [any(b and _within(b, figure) for figure in self.figures) for b in first]
        return left - 1 if drawn[0] else 0.0, right + 1 if drawn[1] else inf

    def whole(self, caption: Box) -> Box:
        """Returns a caption's box extended by up to three lines directly below that were parsed separately."""
        for _ in range(3):
            for b in self._between(caption.y1, caption.y1 + _TALL):
                near = -1 < b.y0 - caption.y1 < 0.6 * (b.y1 - b.y0)
                if near and min(b.x1, caption.x1) > max(b.x0, caption.x0) and not self._parted(caption, b):
                    caption = union([caption, b])
                    break
        return caption

    def _stops(self, edge: float, far: float, extent: tuple[float, float], caption: Box) -> bool:
        """Returns whether running text lies between two lines."""
        top, bottom = min(edge, far), max(edge, far)
        return any(
            top < (b.y0 + b.y1) / 2 < bottom
            and min(extent[1], b.x1) - max(extent[0], b.x0) > 3
            and not _within(b, caption)
            and b not in self.titles
            for b in self._between(top, bottom)
        )

    def _beside(self, line: Box, caption: Box) -> tuple[float, float]:
        """Returns the right end of running text to the left of a line, and the left end of that to its right."""
        middle = (caption.x0 + caption.x1) / 2
        beside = [b for b in self._between(line.y0, line.y1) if b.y1 - line.y0 > 1 and not _within(b, caption)]
        left = max((b.x1 for b in beside if b.x1 < middle), default=0.0)
        return left - 1, min((b.x0 for b in beside if b.x0 > middle), default=1e6) + 1


def _within(inner: Box, outer: Box) -> bool:
    return outer.x0 <= inner.x0 and inner.x1 <= outer.x1 and outer.y0 <= inner.y0 and inner.y1 <= outer.y1


def _meets(frame: Box, line: Box) -> bool:
    return frame.x0 < line.x1 and line.x0 < frame.x1 and frame.y0 < (line.y0 + line.y1) / 2 < frame.y1


def _is_prose(part: Line, line: Sequence[Line]) -> bool:
    words = sum(len(re.findall(r"[^\W\d_]", p.text)) > 1 for p in part)
    numbers = sum(map(_numbers, line))
    return words >= (_SENTENCE if numbers < 2 else _LABEL) and words > 0.6 * len(part)


def _sized(pieces: Collection[Piece]) -> list[Line]:
    """Returns words in lines, without those of low ones off the middle of a line of others, as raised marks are; "σ" is
    in the middle."""
    size = _SMALL * median([p.height for p in pieces] or [0.0])
    lines = lines_of(p for p in pieces if p.height > size)
    middles = [median(p.middle for p in line) for line in lines]
    low = [p for p in pieces if p.height <= size and any(abs(p.middle - y) < 0.05 * size for y in middles)]
    return lines_of([*(p for line in lines for p in line), *low]) if low else lines


def _numbers(part: Line) -> bool:
    return len(part) == 1 and part[0].text[:1].isdigit()


def _over(piece: Piece, frame: Box) -> bool:
    return frame.x0 < (piece.box.x0 + piece.box.x1) / 2 < frame.x1 and frame.y0 < piece.middle < frame.y1
