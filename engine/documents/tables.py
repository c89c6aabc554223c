"""Reads the tables of a parsed document from word positions: rows, columns and numbers. The only table reader.

A table is what is next to a caption "Table N". Words of a line without a wide gap form a cell; columns are where the
cells of full rows are. Texts of cells are those of the page, never guessed.
"""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, groupby, pairwise
from statistics import median

from engine.documents.records import Box, ParsedDocument
from engine.documents.search import union
from engine.documents.table_lines import BLANK, Line, Piece, around, parted
from engine.documents.table_places import regions
from engine.documents.turned import upright

_NUMBER = re.compile(
    r"[<>≤≥~∼≈]?\s*[$€£]?(?P<number>[-–−+]?(?:\d{1,3}(?:,\d{3})+|[1-9]\d{0,2}(?:, \d{3})+|\d+)"
    r"(?:(?:\.|·(?!10\d{0,2}(?!\d)))\d+)?|[-–−+]?\.\d+)"
    r"(?:\s?[x×]\s?10\^?(?P<power>[-–−]\d{1,2}|[1-9]\d?)(?!\d)|[eE](?P<exponent>[-–−+]?\d{1,2})(?!\d))?"
    r"\s*(?P<percent>%)?\s*(?:[x×kKmMB]|[kKmMgGtT][bB]|ms|s(?:ecs?)?|h|mins?)?"
    r"(?:\s*(?:±|\+/-)\s*[\d,]*[.·]?\d+\s*%?(?:\s?(?:ms|s(?:ecs?)?|h|mins?)\b)?"
    r"|(?<=\d)\s?\+\s?(?:\d*\.\d+(?:\s?[–−-]\s?\d*\.\d+)?|\d+\s?[–−-]\s?\d+)"
    r"|\s*[(\[]\s*(?:[±+−↑↓]|[pnN]\s*[=<])?[\d.,%\s;/·x×^–−-]+[)\]]"
    r"|\s*\((?:\d[\d.]*\s?%\s)?[a-z][a-z -]{3,}\)|\s*[↑↓▲▼]\s*(?:\d[\d.]*%?)?"
    r"|\s*(?:[†‡*∗⋆★§¶]+|\([†‡*∗⋆★§¶]+\))|(?<=\.\d)[a-d]|(?<=\.\d\d)[a-d]|(?<=\.\d{3})[a-d])*\s*"
)
_LETTER = re.compile(r"[^\W\d_]")
_APART_FROM = re.compile(r"\[\d{1,3}(?:,\d{1,3})*\]|[×xX]")
"""A citation, or a mark for what is missing: in a column of its own beside numbers."""
_FLUSH = 1.5
"""Greatest distance in points of the end of a heading from that of its column."""
_APART = 0.2
"""Greatest gap between a number and its error, as a share of the line's height."""
_EVEN = 0.05
"""Greatest difference between the spaces within a title, in the same share."""
_MISSING = ("-", "–", "—", "−")
_DECIMAL = re.compile(r"[–−-]?\d+\.\d")
_YEAR = re.compile(r"(?:1[89]|20)\d\d")
_SPREAD = re.compile(r"±|\+/-")
_RELATION = re.compile(r"[≤≥=<>→∈≈](?![\d.])|[≤≥=<>→∈≈].*[^\W\d_]{2}")
"""A relation, as in a heading such as "d ≤ 3pp", which has wider spaces than words."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell: text, position, column from 0, its paragraph and the range there.

    ``number`` is its value if it is a number, ``percent`` whether it is in percent, ``spread`` whether it has an
    uncertainty.
    """

    text: str
    box: Box
    column: int
    paragraph_id: str
    start: int
    end: int
    number: float | None = None
    percent: bool = False
    spread: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """Cells from left to right; ``header`` for rows above the first one with numbers."""

    cells: tuple[Cell, ...]
    header: bool = False

    @property
    def label(self) -> str:
        """The words that name the row: its cells before the first number."""
        words = []
        for cell in self.cells:
            if cell.number is not None:
                break
            words.append(cell.text)
        return " ".join(words)


@dataclass(frozen=True, slots=True)
class Table:
    """A table: number as in the caption ("2", "S1", "IV"), caption, and cells.

    ``page`` is that of its first row, or of the caption without rows; a long table has rows on the next pages, too.
    ``rules`` are the lines drawn in it, ``bold`` the boxes of its bold numbers.
    """

    number: str
    caption: str
    caption_id: str
    paragraph_ids: tuple[str, ...]
    page: int
    rows: tuple[Row, ...] = ()
    rules: tuple[Box, ...] = ()
    bold: tuple[Box, ...] = ()

    @property
    def cells(self) -> tuple[Cell, ...]:
        return tuple(cell for row in self.rows for cell in row.cells)

    @property
    def columns(self) -> int:
        return max((cell.column for cell in self.cells), default=-1) + 1

    def heading(self, number: int) -> str:
        """Returns the header words of a column."""
        return " ".join(c.text for row in self.rows if row.header for c in row.cells if c.column == number)


def number_in(text: str) -> tuple[float, bool, bool] | None:
    """Returns a cell's value, whether it is in percent, and whether it has an uncertainty; None if it is no number."""
    found = _NUMBER.fullmatch(text.strip())
    if found is None:
        return None
    digits = re.sub(r", ?", "", found["number"]).replace("·", ".")
    power = re.sub("[–−]", "-", found["power"] or found["exponent"] or "0")
    value = float(f"{re.sub('^[–−]', '-', digits)}e{power}")
    return value, bool(found["percent"]), bool(_SPREAD.search(text))


def find_tables(document: ParsedDocument) -> tuple[Table, ...]:
    """Returns the tables in the order of their captions, without rows if none could be read. On pages set sideways,
    positions of cells are those on the turned page."""
    tables = []
    document = upright(document, [p for p in document.paragraphs if p.kind in ("caption", "table")])
    for caption, parts in regions(document):
        pieces = [piece for lines in parts for line in lines for piece in line]
        counts = Counter(p.paragraph.id for p in pieces)
        ids = tuple(p.id for p in document.paragraphs if 2 * counts[p.id] > len(p.words))
        if not ids:
            beside = (p for p in document.paragraphs if abs(p.index - caption.paragraph.index) == 1)
            ids = tuple(p.id for p in beside if p.kind == "table")
        boxes = [around([piece for line in lines for piece in line]) for lines in parts if lines] or [caption.box]
        drawn, bold = (
            tuple(p for p in places if any(p.page == box.page and _meet(p, box) for box in boxes))
            for places in (document.rules, document.bold)
        )
        rows: tuple[Row, ...] = ()
        separators: list[tuple[float, float]] = []
        for lines, box in zip(parts, boxes, strict=True):
            rules = [rule for rule in drawn if rule.page == box.page]
            separators = separators or (_separators(lines, rules) if lines else [])
            further = _rows(lines, rules, separators)
            if rows and not _alike(rows, further):
                break
            heads = {tuple(c.text for c in row.cells) for row in rows if row.header}  # come again on each page
            own = (row for row in further if tuple(c.text for c in row.cells) not in heads)
            rows += tuple(replace(row, header=row.header and not rows) for row in own)
        tables.append(Table(caption.number, caption.text, caption.paragraph.id, ids, boxes[0].page, rows, drawn, bold))
    return tuple(tables)


def _alike(rows: Sequence[Row], further: Sequence[Row]) -> bool:
    """Returns whether rows on the next page have no other columns."""
    columns: list[dict[int, Box]] = []
    for part in (rows, further):
        cells = sorted((c for row in part for c in row.cells if not row.header), key=lambda c: c.column)
        columns.append({n: union([c.box for c in own]) for n, own in groupby(cells, key=lambda c: c.column)})
    first, second = columns
    return all(n in first and b.x0 < first[n].x1 and first[n].x0 < b.x1 for n, b in second.items())


def _meet(a: Box, b: Box) -> bool:
    return a.x0 < b.x1 and b.x0 < a.x1 and a.y0 < b.y1 and b.y0 < a.y1


# --- rows and columns -------------------------------------------------------------------------------------------------


def _rows(lines: Sequence[Line], rules: Sequence[Box], separators: Sequence[tuple[float, float]]) -> tuple[Row, ...]:
    if not lines:
        return ()
    rows = []
    for line in lines:
        cells: dict[int, Line] = {}
        last = 0
        y = (line[0].box.y0 + line[0].box.y1) / 2
        upright = {(r.x0 + r.x1) / 2 for r in rules if r.y0 < y < r.y1}
        for part in _cut(line, [s for s in separators if s[0] < s[1] or s[0] in upright]):
            x0, x1 = part[0].box.x0, part[-1].box.x1
            flush = len(separators) > 1 and abs(x1 - separators[1][0]) < _FLUSH  # a heading wider than its column
            last = max(last, 1 if flush else _column(x0, x1, separators))
            cells.setdefault(last, []).extend(part)
        rows.append([_cell(words, column) for column, words in cells.items()])
    valued = ([c.number is not None or (n and c.text in _MISSING) for c in row] for n, row in enumerate(rows))
    first = next((n for n, row in enumerate(valued) if any(row)), 1)
    first += _heads(rows[first:])
    first = _above_rule(rows, rules, first)
    while first > 1 and len(rows[first - 1]) == 1 and _titles(rows[first - 1][0], rows[first:]):
        first -= 1  # a title of the rows below, beneath the headings
    rows = [*rows[:first], *_continued(_groups_drawn(_two_lines(_framed_rows(rows[first:], rules)), rules))]
    return tuple(Row(tuple(row), header=n < first) for n, row in enumerate(rows))


def _titles(cell: Cell, below: Sequence[Sequence[Cell]]) -> bool:
    """Returns whether a cell alone in its row is a title of the rows below: in the first column, or in the middle above
    another title."""
    alone = (row[0] for row in below if len(row) == 1 and row[0].number is None)
    return cell.column == 0 or any(abs(c.box.x0 + c.box.x1 - cell.box.x0 - cell.box.x1) < 2 * _FLUSH for c in alone)


def _y(cell: Cell) -> float:
    return (cell.box.y0 + cell.box.y1) / 2


def _level(cells: Sequence[Cell]) -> float:
    return median(map(_y, cells))


def _above_rule(rows: Sequence[Sequence[Cell]], rules: Sequence[Box], first: int) -> int:
    """Returns how many rows are headings: those above the first full-width rule, unless most rows are separated by
    rules, or those crossed by fewer vertical rules than the rows below; otherwise ``first``."""
    ends = _ends(rows, rules)
    part = 0 < first < len(rows) and len(rows[first]) < len(rows[first - 1]) and rows[first][0].number is None
    if first in ends or (ends and (2 * max(ends[0], len(ends)) > len(rows) or (part and first < ends[0]))):
        ends = []  # also where a row of data, as of totals, is above the rule
    tall = [r for r in rules if r.y1 - r.y0 > r.x1 - r.x0]
    crossing = [sum(r.y0 < _level(row) < r.y1 for r in tall) for row in rows]
    over = next((n for n, crossed in enumerate(crossing) if crossed == max(crossing)), 0)
    while 0 < over < len(rows) and len(rows[over]) > 1 and not any(c.number is not None for c in rows[over]):
        over += 1  # the headings directly above the columns
    return ends[0] if ends else max(first, over if 2 * over <= len(rows) else 0)


def _ends(rows: Sequence[Sequence[Cell]], rules: Sequence[Box]) -> list[int]:
    """Returns the number of rows above each rule that is drawn across the table between rows."""
    cells = [cell for row in rows for cell in row]
    left, right = min((c.box.x1 for c in cells), default=0), max((c.box.x0 for c in cells), default=0)
    across = (rule.y0 for rule in rules if rule.x0 < left and rule.x1 > right)
    return sorted({sum(_level(row) < y for row in rows) for y in across} - {0, len(rows)})


def _joined(cells: Sequence[Cell]) -> Cell:
    """Joins cells of several lines."""
    text, box = unbroken(" ".join(c.text for c in cells)), union([c.box for c in cells])
    number, percent, spread = number_in(text) or (None, False, False)
    return replace(cells[0], text=text, box=box, number=number, percent=percent, spread=spread)


_BROKEN = re.compile(r"(?<=[^\W\d_])- (?=[^\W\d_])")


def unbroken(text: str) -> str:
    """Joins words that were hyphenated at the end of a line; the hyphen stays before a capital."""
    return _BROKEN.sub(lambda m: "" if text[m.end()].islower() else "-", text)


def _framed_rows(rows: list[list[Cell]], rules: Sequence[Box]) -> list[list[Cell]]:
    """Joins the lines of text between two full-width rules to one row, if there are at least two such rules and no
    column has two numbers between them."""
    ends = [0, *_ends(rows, rules), len(rows)]
    bands = [[cell for row in rows[a:b] for cell in row] for a, b in pairwise(ends)]
    if len(bands) < 3 or any(n > 1 for band in bands for n in Counter(c.column for c in band if c.number).values()):
        return rows
    return [
        [_joined([c for c in band if c.column == column]) for column in sorted({c.column for c in band})]
        for band in bands
    ]


_UPPER = re.compile(r"\d\s?\+\s?\d*\.?\d+$")
_LOWER = re.compile(r"[–−-]\s?\d*\.?\d+")


def _two_lines(rows: list[list[Cell]]) -> list[list[Cell]]:
    """Joins the two lines of a label above and below the middle of a row of numbers, and adds it to that row; joins the
    lower errors of numbers that are on a line of their own ("1.36+0.22", "−0.48")."""
    found: list[list[Cell]] = []
    for row in rows:
        upper_errors = {c.column for c in found[-1] if _UPPER.search(c.text)} if found else set()
        if row and all(c.column in upper_errors and _LOWER.fullmatch(c.text) for c in row):
            found[-1] = [_joined([c, *(below for below in row if below.column == c.column)]) for c in found[-1]]
            continue
        if len(found) > 1 and len(row) == len(found[-2]) == 1 and row[0].column == found[-2][0].column:
            upper, beside, lower = found[-2][0], found[-1], row[0]
            apart, height = _y(lower) - _y(upper), lower.box.y1 - lower.box.y0
            middle = abs(_y(upper) + _y(lower) - 2 * _level(beside)) < 0.3 * height
            free = beside[-1].column > lower.column not in [c.column for c in beside] and lower.number is None
            if free and any(c.number is not None for c in beside) and middle and apart < 2 * height:
                found[-2:] = [sorted([_joined([upper, lower]), *beside], key=lambda c: c.column)]
                continue
        found.append(row)
    return found


def _groups_drawn(rows: list[list[Cell]], rules: Sequence[Box]) -> list[list[Cell]]:
    """Moves labels beside several rows between two rules to the first of these rows."""
    data = [row for row in rows if any(c.column and c.number is not None for c in row)]
    first = min((c.column for row in data for c in row if c.column and c.number is not None), default=0)
    for column in range(first):
        own = [c for row in rows for c in row if c.column == column]
        if not own:
            continue
        at = median((c.box.x0 + c.box.x1) / 2 for c in own)
        ends = sorted(r.y0 for r in rules if r.x0 < at < r.x1 and r.x1 - r.x0 > r.y1 - r.y0)
        groups: dict[int, list[list[Cell]]] = {}
        for row in filter(None, rows):
            groups.setdefault(bisect_right(ends, _level(row)), []).append(row)
        for group in groups.values():
            labels = [c for row in group for c in row if c.column == column]
            inside = [row for row in group if any(row is one for one in data)]
            beside = sum(any(c.column == column for c in row) for row in inside)
            pitch = (_level(inside[-1]) - _level(inside[0])) / max(1, len(inside) - 1) if inside else 0.0
            each = len(labels) == len(inside) and not beside  # as many as rows, slightly above or below them
            near = all(b - a < 1.5 * pitch for a, b in pairwise(map(_y, labels)))
            if near and beside and ends and all(c.column != column for c in inside[0]):
                middle = _y(inside[0][0]) + _y(inside[-1][0]) - _y(labels[0]) - _y(labels[-1])
                beside = 0 if abs(middle) < 0.6 * pitch else beside  # one label of several lines
            one = len(labels) == 1 or (near and not beside)
            if len(inside) > 1 and labels and (each or one) and (labels[0].number is None or len(labels) == 1):
                for row in group:
                    row[:] = [c for c in row if c.column != column]
                for row, label in zip(inside, labels if each else [_joined(labels)], strict=False):
                    row.append(label)
                    row.sort(key=lambda c: c.column)
    return [row for row in rows if row]


def _heads(rows: Sequence[Sequence[Cell]]) -> bool:
    """Returns whether the first row contains headings although some are numbers: years, words, or numbers with a letter
    ("10M"), above columns of plain numbers."""
    if len(rows) < 3:
        return False
    first, second = ([_YEAR.fullmatch(cell.text) is not None for cell in row if cell.column > 0] for row in rows[:2])
    if len(first) > 1 and all(first) and not any(second):
        return True
    words = {cell.column for cell in rows[0] if cell.column > 0 and _LETTER.search(cell.text)}
    below = [cell for row in rows[1:] for cell in row if cell.column in words]
    others = {cell.column for cell in below if cell.number is None or _LETTER.search(cell.text)}
    return bool({cell.column for cell in below} - others)


def _continued(rows: list[list[Cell]]) -> list[list[Cell]]:
    """Joins labels continued on the line below their row: the first part ends with a hyphen, a comma or a sign, or the
    second, alone in its line, starts with a lower-case letter or bracket while most labels start with capitals. Cells
    of words continued in a line without a label and numbers are joined as well."""
    labels = [row[0].text for row in rows if len(row) > 1 and row[0].column == 0 and row[0].number is None]
    capitals = 2 * sum(text[:1].isupper() for text in labels) > len(labels)
    found: list[list[Cell]] = []
    for row in rows:
        above = {cell.column: n for n, cell in enumerate(found[-1])} if found else {}
        if (
            not row
            or len(above) < 2
            or not all(cell.number is None and _LETTER.search(cell.text) and cell.column in above for cell in row)
            or any((one := found[-1][above[cell.column]]).number is not None or one.text in _MISSING for cell in row)
        ):
            found.append(row)
            continue
        whole, part = found[-1][0], row[0]
        cut = re.search(r"(?:[^\W\d_]-|[×+&/,])$", whole.text)
        lower = re.match(r"[^\W\d_A-Z]", part.text) if capitals else None
        goes_on = len(row) == 1 and (lower or re.match(r"\((?!\w{1,3}\))", part.text))
        if part.column == 0 and not (cut or goes_on):
            found.append(row)
            continue
        for cell in row:
            whole = found[-1][above[cell.column]]
            text = unbroken(f"{whole.text} {cell.text}")
            found[-1][above[cell.column]] = replace(whole, text=text, box=union([whole.box, cell.box]))
    return found


def _separators(lines: Sequence[Line], rules: Sequence[Box]) -> list[tuple[float, float]]:
    """Returns the ranges between columns, from left to right, which contain no word of a full row."""
    rows = [parted(line) for line in lines]
    # Headings are wider than the cells below and would join columns.
    body = [
        row
        for row in rows
        if any(
            all(number_in(p.text) for p in part)
            or (_DECIMAL.match(part[0].text) and number_in(" ".join(p.text for p in part)))
            for part in row
        )
    ]
    body = body or [row for row in rows if any(number_in(" ".join(p.text for p in part)) for part in row)] or rows
    counts = Counter(len(row) for row in body)
    # One row among many can have more parts by the wide spaces of a justified label.
    most = max((n for n, times in counts.items() if times > 1 or len(body) < 4), default=max(counts))
    full = [[p for part in row for p in part] for row in body if len(row) >= max(2, most - 1)] or lines
    found = []
    right = min(p.box.x0 for row in full for p in row)
    for piece in sorted((p for row in full for p in row), key=lambda p: p.box.x0):
        if piece.box.x0 > right and _parts((right, piece.box.x0), full):
            found.append((right, piece.box.x0))
        right = max(right, piece.box.x1)
    left, right = min(p.box.x0 for row in full for p in row), max(p.box.x1 for row in full for p in row)
    # Labels of several rows, beside their middle: one or more columns.
    labels = [(line[0].box.x0, line[-1].box.x1) for line in lines if len(parted(line)) == 1 and line[-1].box.x1 < left]
    labels.sort()
    ends = accumulate((x1 for _, x1 in labels), max)
    found += [(end, x0) for end, (x0, _) in zip(ends, [*labels[1:], (left, left)], strict=False) if end < x0]
    height = max(line[0].box.y1 for line in lines) - min(line[0].box.y0 for line in lines)
    for rule in rules:
        x, tall = (rule.x0 + rule.x1) / 2, rule.y1 - rule.y0 > 0.5 * height
        crossed = any(p.box.x0 + 1 < x < p.box.x1 - 1 for row in full for p in row)
        if tall and left < x < right and not crossed:
            found = [(a, b) for a, b in found if not a - 1 < x < b + 1] + [(x, x)]
    return sorted(found)


def _parts(gap: tuple[float, float], rows: Sequence[Line]) -> bool:
    """Returns whether an empty range separates two columns, rather than being a word space common to all rows."""
    near: list[tuple[Piece, Piece]] = []
    wide: list[tuple[Piece, Piece]] = []
    for row in rows:
        at = bisect_right(row, gap[0], key=lambda p: p.box.x0)
        if 0 < at < len(row):
            before, after = row[at - 1], row[at]
            signed = after.text[0] in "+−–-" and _space(before, after) > _APART  # not the error of the number before it
            if number_in(f"{before.text} {after.text}") and not signed and not _APART_FROM.fullmatch(after.text):
                return False
            (near if _space(before, after) < BLANK else wide).append((before, after))
    if not near:
        return True
    right = max(after.box.x1 for _, after in near)
    if 2 * sum(after.box.x0 < right for _, after in wide) < len(wide):
        return False  # only some rows have a word there, which belongs to the words before it
    share = (gap[1] - gap[0]) / median(p.height for pair in near for p in pair)
    # A small gap is enough beside numbers, or if only the longest of many labels come close to them.
    if all(number_in(b.text) and (number_in(a.text) or len(wide) >= len(near)) for a, b in near):
        return share > 0.1
    return share > 0.4 and (len(wide) >= len(near) or all(number_in(b.text) for _, b in near))


def _space(before: Piece, after: Piece) -> float:
    """Returns the gap between two words as a share of the line's height."""
    return (after.box.x0 - before.box.x1) / after.height


def _cut(line: Line, separators: Sequence[tuple[float, float]]) -> list[Line]:
    """Splits a line into cells: at wide gaps, and at smaller ones between two columns."""
    parts: list[Line] = []
    for part in parted(line):
        close = len(separators) <= len(line) <= len(separators) + 1 and not any(_RELATION.match(p.text) for p in part)
        if close and 1 < len(part) == len({_column(p.box.x0, p.box.x1, separators) for p in part}):
            parts += [[piece] for piece in part]  # headings set close together, each above its column
            continue
        ends = [a for a, _ in separators if part[0].box.x0 < a < part[-1].box.x1 - 1]
        cuts = [n for n, p in enumerate(part[:-1], 1) if any(abs(p.box.x1 - a) < _FLUSH for a in ends)]
        if len(cuts) == len(ends) > 1:  # headings of several words set close together, each ending with its column
            parts += [part[a:b] for a, b in pairwise([0, *cuts, len(part)])]
            continue
        if len(part) == len(line) and _evenly_spaced(part):
            return [part]
        parts.append([part[0]])
        for before, after in pairwise(part):
            columns = {_column(p.box.x0, p.box.x1, separators) for p in (before, after)}
            clear = any(before.box.x1 <= a + 0.5 and after.box.x0 >= b - 0.5 for a, b in separators)
            related = _RELATION.match(after.text) or _RELATION.match(before.text[-1])
            apart = not related and _space(before, after) > 0.4
            if clear or (len(columns) > 1 and (apart or number_in(after.text))):
                parts.append([after])
            else:
                parts[-1].append(after)
    return parts


def _evenly_spaced(part: Line) -> bool:
    """Returns whether words are a title over several columns, "Precision after 10 documents", not cells set close
    together, whose gaps would differ."""
    spaces = [_space(before, after) for before, after in pairwise(part)]
    words = [not number_in(p.text) and _LETTER.search(p.text) for p in part]
    even = len(spaces) > 2 and max(spaces) < min(spaces) + _EVEN < 2 * _APART
    return even and sum(map(bool, words)) > 2 and bool(words[-1])


def _column(x0: float, x1: float, separators: Sequence[tuple[float, float]]) -> int:
    """Returns the column that overlaps a cell most."""
    edges = [float("-inf"), *((a + b) / 2 for a, b in separators), float("inf")]
    return max(range(len(edges) - 1), key=lambda n: min(x1, edges[n + 1]) - max(x0, edges[n]))


def _cell(words: Line, column: int) -> Cell:
    text = " ".join(p.text for p in words)
    box = around(words)
    own = [p.word for p in words if p.paragraph is words[0].paragraph]
    number, percent, spread = number_in(text) or (None, False, False)
    start, end = min(w.start for w in own), max(w.end for w in own)
    return Cell(text, box, column, words[0].paragraph.id, start, end, number, percent, spread)
