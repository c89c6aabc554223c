"""The tables of a parsed document: rows, columns and numbers, from where the words stand. The one table reader.

A table is what lies beside a caption "Table N". Words of one line that stand closer than a wide blank are one cell; the
columns are where the cells of the full rows stand. What a cell says is never guessed: its text is that of the page.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from engine.documents.records import Box, Paragraph, ParsedDocument, Word

CAPTION = re.compile(
    r"^(?P<kind>Table|Tab\.|Figure|Fig\.?|Algorithm|Scheme|Listing)\s*"
    r"(?P<number>(?:[A-Z]\.?)?\d+(?:\.\d+)*|[IVXL]+\b|[A-Z]\d*\b)\s*[.:|–—-]?",
    re.IGNORECASE,
)
_NUMBER = re.compile(
    r"[<>≤≥~≈]?\s*(?P<number>[-–−+]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?|[-–−+]?\.\d+)\s*(?P<percent>%)?"
    r"\s*(?:[x×kKmMB]|ms|s)?(?:\s*(?:±|\+/-)\s*\d*\.?\d+\s*%?|\s*\(\s*±?[\d.,%\s;–-]+\)|\s*[†‡*§¶]+)*\s*"
)
_SPREAD = re.compile(r"±|\+/-")
_BLANK = 0.75
"""From this share of the line's height on, a gap parts two cells; a word space is about a quarter."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell: its text, place, column from 0, the paragraph that it comes from and the stretch there.

    ``number`` is its value where it is one, ``percent`` whether it says so, ``spread`` whether an uncertainty is
    beside it, ``bold`` whether it is set bold (False where nobody looked).
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
    bold: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """Cells from left to right; ``header`` for those above the first row that holds numbers."""

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
    """A table: its number as the caption gives it ("2", "S1", "IV"), the caption, and its cells.

    ``page`` is that of its first row, or of the caption where no rows were found.
    """

    number: str
    caption: str
    caption_id: str
    paragraph_ids: tuple[str, ...]
    page: int
    rows: tuple[Row, ...] = ()

    @property
    def cells(self) -> tuple[Cell, ...]:
        return tuple(cell for row in self.rows for cell in row.cells)

    @property
    def columns(self) -> int:
        return max((cell.column for cell in self.cells), default=-1) + 1

    def column(self, number: int) -> tuple[Cell, ...]:
        """The cells of a column below the header, from the top."""
        return tuple(c for row in self.rows if not row.header for c in row.cells if c.column == number)

    def heading(self, number: int) -> str:
        """The words above a column."""
        return " ".join(c.text for row in self.rows if row.header for c in row.cells if c.column == number)


def number_in(text: str) -> tuple[float, bool, bool] | None:
    """The one number that a cell is: value, whether in percent, whether with its uncertainty; None for other texts."""
    found = _NUMBER.fullmatch(text.strip())
    if found is None:
        return None
    digits = found["number"].replace(",", "")
    value = float(re.sub(r"^[–−-]", "-", digits))
    return value, bool(found["percent"]), bool(_SPREAD.search(text))


def find_tables(document: ParsedDocument, bold: Sequence[Box] = ()) -> tuple[Table, ...]:
    """The tables in the order of their captions; one without rows that could be read has none.

    ``bold`` are the boxes of the words that are set bold (``DocumentService.bold_words``).
    """
    paragraphs = document.paragraphs
    captions = {
        place: found
        for place, p in enumerate(paragraphs)
        if p.kind == "caption" and (found := CAPTION.match(p.text)) and found["kind"].lower().startswith("tab")
    }
    owners = _owners(paragraphs, tuple(captions))
    tables = []
    for place, found in captions.items():
        parts = [paragraphs[at] for at, owner in owners.items() if owner == place]
        rows = _rows(parts, bold)
        page = parts[0].page if parts else paragraphs[place].page
        ids = tuple(p.id for p in parts)
        text = paragraphs[place].text
        if found.end() == len(text.rstrip()) and place + 1 < len(paragraphs) and paragraphs[place + 1].kind == "body":
            text = f"{text} {paragraphs[place + 1].text}"  # the label alone was set apart from its caption
        tables.append(Table(found["number"].rstrip("."), text, paragraphs[place].id, ids, page, rows))
    return tuple(tables)


def _owners(paragraphs: Sequence[Paragraph], captions: Sequence[int]) -> dict[int, int]:
    """Which caption each table paragraph belongs to: one it touches, above it or below, whichever has no table yet."""
    owners: dict[int, int] = {}
    runs: list[list[int]] = []
    for place, paragraph in enumerate(paragraphs):
        if paragraph.kind != "table":
            continue
        if runs and all(paragraphs[at].kind in ("table", "footnote", "other") for at in range(runs[-1][-1], place)):
            runs[-1].append(place)
        else:
            runs.append([place])
    taken: set[int] = set()
    for one in (False, True):
        for run in runs:
            if run[0] in owners:
                continue
            above = [c for c in captions if c < run[0] and _between(paragraphs, c, run[0], one)]
            below = [c for c in captions if c > run[-1] and _between(paragraphs, run[-1], c, one)]
            free = [c for c in (*reversed(above), *below) if c not in taken]
            if free:
                taken.add(free[0])
                owners.update(dict.fromkeys(run, free[0]))
    return owners


def _between(paragraphs: Sequence[Paragraph], start: int, end: int, one: bool) -> bool:
    """Whether nothing but small matter is between two places, on the same or the next page; with ``one``, on the same
    page, also one paragraph: a caption's second, or text of the other column. Never the caption of something else."""
    inner = paragraphs[start + 1 : end]
    if any(p.kind == "caption" and CAPTION.match(p.text) for p in inner):
        return False
    pages = abs(paragraphs[end].page - paragraphs[start].page)
    large = sum(p.kind not in ("other", "footnote", "table") and len(p.text) >= 80 for p in inner)
    return (pages <= 2 and not large) or (one and not pages and large <= 1)


# --- rows and columns -------------------------------------------------------------------------------------------------


def _rows(parts: Sequence[Paragraph], bold: Sequence[Box]) -> tuple[Row, ...]:
    lines = [line for part in parts for line in _lines(part)]
    rows = [_cells(part, words) for part, words in lines]
    if not rows:
        return ()
    columns = _columns(rows)
    placed = [tuple(replace(cell, column=_column(cell, columns)) for cell in row) for row in rows]
    if bold:
        placed = [tuple(replace(cell, bold=_is_bold(cell, bold)) for cell in row) for row in placed]
    first = next((n for n, row in enumerate(placed) if any(c.number is not None for c in row)), 1)
    return tuple(Row(row, header=n < first) for n, row in enumerate(placed))


def _lines(paragraph: Paragraph) -> list[tuple[Paragraph, list[Word]]]:
    """The words line by line, each from left to right."""
    lines: list[list[Word]] = []
    for word in sorted(paragraph.words, key=lambda w: (w.box.page, (w.box.y0 + w.box.y1) / 2, w.box.x0)):
        middle = (word.box.y0 + word.box.y1) / 2
        last = lines[-1][0].box if lines else None
        if last is not None and last.page == word.box.page and last.y0 <= middle <= last.y1:
            lines[-1].append(word)
        else:
            lines.append([word])
    return [(paragraph, sorted(line, key=lambda w: w.box.x0)) for line in lines]


def _cells(paragraph: Paragraph, words: Sequence[Word]) -> tuple[Cell, ...]:
    groups: list[list[Word]] = []
    for word in words:
        height = word.box.y1 - word.box.y0
        if groups and word.box.x0 - groups[-1][-1].box.x1 < _BLANK * height:
            groups[-1].append(word)
        else:
            groups.append([word])
    return tuple(_cell(paragraph, group) for group in groups)


def _cell(paragraph: Paragraph, words: Sequence[Word]) -> Cell:
    text = " ".join(paragraph.text[w.start : w.end] for w in words)
    box = Box(
        words[0].box.page,
        min(w.box.x0 for w in words),
        min(w.box.y0 for w in words),
        max(w.box.x1 for w in words),
        max(w.box.y1 for w in words),
    )
    start, end = min(w.start for w in words), max(w.end for w in words)
    value = number_in(text)
    if value is None:
        return Cell(text, box, 0, paragraph.id, start, end)
    return Cell(text, box, 0, paragraph.id, start, end, *value)


def _columns(rows: Sequence[tuple[Cell, ...]]) -> list[tuple[float, float]]:
    """Where the columns stand: the stretches that the cells of the full rows cover together, from left to right."""
    # Headings are set wider than what is below them and would join columns.
    body = [row for row in rows if any(cell.number is not None for cell in row)] or list(rows)
    most = max(len(row) for row in body)
    full = [row for row in body if len(row) >= max(2, most - 1)] or body
    stretches: list[tuple[float, float]] = []
    for left, right in sorted((cell.box.x0, cell.box.x1) for row in full for cell in row):
        if stretches and left < stretches[-1][1]:
            stretches[-1] = (stretches[-1][0], max(stretches[-1][1], right))
        else:
            stretches.append((left, right))
    return stretches


def _column(cell: Cell, columns: Sequence[tuple[float, float]]) -> int:
    def shared(column: tuple[float, float]) -> float:
        return min(cell.box.x1, column[1]) - max(cell.box.x0, column[0])

    return max(range(len(columns)), key=lambda n: shared(columns[n]))


def _is_bold(cell: Cell, bold: Sequence[Box]) -> bool:
    """Whether a bold word is in the middle of the cell."""
    x, y = (cell.box.x0 + cell.box.x1) / 2, (cell.box.y0 + cell.box.y1) / 2
    return any(b.page == cell.box.page and b.x0 <= x <= b.x1 and b.y0 <= y <= b.y1 for b in bold)
