"""Lays out a table as its numbers, each with the labels above and beside it."""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import accumulate, pairwise, takewhile
from unicodedata import normalize

from engine.documents.numbers import Quantity, find_quantities
from engine.documents.tables import Cell, Table, number_in
from engine.statements.headings import NOTHING, SEVERAL, heading_paths
from engine.statements.measures import Better, better_of, better_values
from engine.statements.quantities import conversion, unit_behind, unit_in, unit_of

_MARKS = re.compile(r"\[(?:BOLD|ITALIC|EMPTY|CONTINUE)\]|[*∗†‡§¶]+$", re.IGNORECASE)
_TAGS = re.compile(r"</?(?:bold|italic|sub|sup)>", re.IGNORECASE)
_BOLD = re.compile(r"\[BOLD\]|<bold>", re.IGNORECASE)
_NO_LABEL = re.compile(
    rf"{NOTHING.pattern}|[(\[]\s*[<±+−-]?[\d.·,;\s–−-]+%?\s*[)\]]\**"
    r"|[−–-]?\d*[.·]\d+\s*(?:[–−-]|,|to)\s*[−–-]?\d*[.·]\d+",
    re.IGNORECASE,
)
"""Text that doesn't name a row: nothing, or the spread or level of the adjacent number."""
_MEASURED = re.compile(r"[(\[]?\s*[<±+−-]?\s*\d*\.\d")
"""A number with decimals, as in "(0.12)" and "1.2e-33", which doesn't name a column."""
_SPREAD = re.compile(r"p\s?˘\s?([\d.]+)\s?q")
"""A spread in parentheses as extracted from some maths fonts: "p˘0.11q"."""
_SHARE = re.compile(r"\d+\s?/\s?\d+\s*\((?=[\d.]+\s?%\))")
_THOUSANDS = re.compile(r"(?<=\d,) (?=\d{3}\b)")
_IN_PERCENT = re.compile(r"(?<!\d)(?<!\d )(?<!\d(?:st|nd|rd|th) )(?<!\d(?:st|nd|rd|th))%")  # not "95% CI", "5th %"
_BESIDE = re.compile(r"(?<=\d)\s?\([^()]*%\)")  # a percentage in brackets behind a number
_YEAR = r"(?:19|20)\d\d$"
_SHARED = re.compile(r"[(\[,]\s?%[)\]]?$")
_LETTERS = {code: normalize("NFKC", chr(code)) for code in range(0x1D400, 0x1D800)}
_TITLE = re.compile(r"(?<!\bTable)(?<!\d)[.;]\s")
"""The end of a caption's first sentence, which says what the numbers are."""
_DEPENDENT = re.compile(r"\s*(?:[+&]|[-–−]\s*[A-Za-z]|w/|with(?:out)?\b)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class TableGrid:
    """A table as texts: ``columns`` is the heading path of each column from the top, ``rows`` the rows below.
    ``[BOLD]`` and ``<bold>`` in the text of a cell mark it as bold. ``about`` is what the text says about it."""

    columns: tuple[tuple[str, ...], ...]
    rows: tuple[tuple[str, ...], ...]
    caption: str = ""
    number: str = ""
    about: str = ""


@dataclass(frozen=True, slots=True)
class Entry:
    """A number of a table: its position, value, and label in each dimension (see ``Layout``)."""

    row: int
    column: int
    quantity: Quantity
    bold: bool
    labels: tuple[str, ...]
    unit: str = ""
    shares: bool = False
    """Whether all numbers of its column are shares between 0 and 1."""

    @property
    def value(self) -> float:
        """The number, with thousands and millions expanded."""
        return self.quantity.value * {"k": 1e3, "M": 1e6}.get(self.unit, 1.0)


@dataclass(frozen=True, slots=True)
class Layout:
    """The numbers of a table in as many dimensions as it has levels of headings and columns of labels.

    ``rows`` dimensions come first (label columns, the subheading above a group of rows, the row that a "+ part" row
    belongs to), then the levels of the headings. ``names`` are the table's names of the dimensions.
    """

    entries: tuple[Entry, ...]
    rows: int
    names: tuple[str, ...]
    caption: str
    about: str = ""
    better: dict[tuple[str, int], tuple[int, Better]] = field(default_factory=dict, hash=False)
    """Which values are better in ("column", n) and ("row", n), with the certainty: 3 from an arrow, 2 from bold cells,
    1 from words."""
    beside: dict[int, tuple[str, ...]] = field(default_factory=dict, hash=False)
    """For each row the texts of its label columns and of the size columns ("7B") after them."""
    origin: dict[int, int] = field(default_factory=dict, hash=False)
    """The table column of each additional column that was split from cells with several numbers ("71.1/79.5")."""
    _labels: dict[int, tuple[str, ...]] = field(default_factory=dict, hash=False)

    def labels(self, dimension: int) -> tuple[str, ...]:
        """Returns the labels of a dimension in table order."""
        if dimension not in self._labels:
            found = dict.fromkeys(e.labels[dimension] for e in self.entries if e.labels[dimension])
            self._labels[dimension] = tuple(found)
        return self._labels[dimension]

    def better_in(self, entry: Entry) -> Better | None:
        """Returns which values are better for a cell: by its column or its row, otherwise by the caption,
        unless other columns are named after measures."""
        column, row = self.better.get(("column", entry.column)), self.better.get(("row", entry.row))
        if column is not None and not (row is not None and row[0] == 3):
            return column[1]
        if row is not None:
            return row[1]
        measures = any(axis == "column" and certainty != 2 for (axis, _), (certainty, _) in self.better.items())
        return None if measures else better_values(_TITLE.split(self.caption, maxsplit=1)[0])

    def better_by_name(self, entry: Entry) -> Better | None:
        """Returns which values are better by the heading of a cell's column, not by its bold numbers."""
        certainty, better = self.better.get(("column", entry.column), (2, None))
        return better if certainty != 2 else None

    def one_each(self, dimension: int) -> bool:
        """Returns whether each label of a row dimension belongs to one row."""
        return len(self.labels(dimension)) == len({e.row for e in self.entries})

    @property
    def dimensions(self) -> range:
        return range(len(self.names))


@lru_cache(maxsize=256)
def grid_of(table: Table, about: str = "") -> tuple[TableGrid, dict[tuple[int, int], Cell]]:
    """Returns a parsed table as a grid, and the cell at each (row, column) of the grid."""
    body = [row for row in table.rows if not row.header]
    cells = {(n, cell.column): cell for n, row in enumerate(body) for cell in row.cells}
    texts: list[list[str]] = [[""] * table.columns for _ in body]
    for n, row in enumerate(body):
        for cell in row.cells:
            x, y = (cell.box.x0 + cell.box.x1) / 2, (cell.box.y0 + cell.box.y1) / 2
            own = (b for b in table.bold if b.page == cell.box.page)
            bold = cell.number is not None and any(b.x0 <= x <= b.x1 and b.y0 <= y <= b.y1 for b in own)
            texts[n][cell.column] = f"{texts[n][cell.column]} {'[BOLD] ' * bold}{cell.text}".strip()
    paths = heading_paths(table)
    if parts := _side_by_side(paths, texts):
        size, places = len(texts), {c: (k, n) for k, part in enumerate(parts) for n, c in enumerate(part)}
        cells = {(places[c][0] * size + n, places[c][1]): cell for (n, c), cell in cells.items() if c in places}
        texts = [[row[c] for c in part] for part in parts for row in texts]
        paths = tuple(paths[c] for c in parts[0])
    return TableGrid(paths, tuple(map(tuple, texts)), table.caption, table.number, about), cells


def _side_by_side(paths: Sequence[tuple[str, ...]], rows: Sequence[Sequence[str]]) -> list[list[int]]:
    """Returns the columns of each part of a table that was broken into parts side by side: the same headings come
    again, the first of them each time above words."""
    used = [n for n, path in enumerate(paths) if any(path) or any(row[n] for row in rows)]
    for size in range(2, len(used) // 2 + 1):
        parts = [used[n : n + size] for n in range(0, len(used), size)]
        same = len({tuple(paths[c] for c in part) for part in parts}) == 1 and all(
            map(any, map(paths.__getitem__, used))
        )
        if same and all(not any(number_in(row[part[0]]) for row in rows) for part in parts):
            return parts
    return []


@lru_cache(maxsize=256)
def lay_out(grid: TableGrid) -> Layout:
    """Returns the numbers of a grid with their labels."""
    grid, origin = _parted(grid)
    width = max([len(grid.columns), *(len(row) for row in grid.rows)], default=0)
    paths = [tuple(plain(t) for t in path) for path in grid.columns] + [()] * (width - len(grid.columns))
    levels = max((len(path) for path in paths), default=0) or 1
    paths = [(*[""] * (levels - len(path)), *path) for path in paths]
    if not width:
        return Layout((), 0, (), grid.caption)
    rows = [tuple(plain(t) for t in (*row, *[""] * (width - len(row)))) for row in grid.rows]
    marked = [_TAGS.sub("", row[0]).strip() if row else "" for row in grid.rows]  # "B" and "B†" are two rows
    firsts = Counter(row[0] for row in rows)
    if len({*marked}) == len(marked):
        rows = [(mark if firsts[row[0]] > 1 else row[0], *row[1:]) for mark, row in zip(marked, rows, strict=True)]
    values = [tuple(_quantity(x, (*paths[n], *_SHARED.findall(row[0]))) for n, x in enumerate(row)) for row in rows]
    beside = _label_columns(rows, values)
    years = [c for c, p in enumerate(paths) if unit_in(" ".join(p)) == "year" and _mostly([r[c] for r in rows], _YEAR)]
    if any(v[c] for v in values for c in {*range(width)} - {*beside, *years}):
        beside = sorted({*beside, *years})
    filled = _filled(rows, beside)
    others = [c for c in range(width) if c not in beside]
    data = [n for n, found in enumerate(values) if any(found[c] for c in others)]
    sections = dict(zip(data, _in_the_middle(rows, data, beside, filled), strict=False))
    # The first row may be second-level headings below shared ones.
    shared = bool(rows) and len({paths[c] for c in others}) < len(others)
    nested = shared and 0 not in data and sum(bool(rows[0][c]) for c in others) > len(others) / 2
    if nested:
        paths, levels = [(*path, rows[0][c] if c in others else "") for c, path in enumerate(paths)], levels + 1
    firsts_of = _repeated_below([filled[n][0] if beside else "" for n in data])
    entries: list[Entry] = []
    section, base, headings = "", "", paths
    for n, (row, found) in list(enumerate(zip(rows, values, strict=True)))[nested:]:
        texts = {text for text in row if text and not NOTHING.fullmatch(text)}
        if n not in data:
            if len(texts) == 1 and any(map(str.isalnum, *texts)):
                mark = len(*texts) == 1 and not row[beside[0]]  # the raised letter of a note
                section = section if mark else texts.pop()
            elif (
                sum(bool(row[c]) for c in others) >= 2
                and len({row[c] for c in others}) > 1
                and (not row[beside[0]] or (n + 1 in data and (n - 1 in (-1, *data) or not all(rows[n - 1]))))
                and not any(SEVERAL.fullmatch(row[c]) for c in others)
                and not any(_MEASURED.match(row[c]) or (row[c] and NOTHING.fullmatch(row[c])) for c in others)
                and any(len(text) > 1 for text in texts)  # not the raised letters of notes
            ):
                if not section and row[beside[0]] and (first := " ".join(paths[beside[0]])):
                    at = len(beside)  # "VOI | a | b" at the top is the section above "RI | a | b"
                    entries = [replace(e, labels=(*e.labels[:at], first, *e.labels[at + 1 :])) for e in entries]
                section = row[beside[0]] or section
                headings = [(*paths[c][:-1], row[c] or paths[c][-1]) if c in others else paths[c] for c in range(width)]
            continue
        section = sections.get(n, section)
        first = filled[n][0] if beside else ""
        base = firsts_of.get(data.index(n)) or (base if _DEPENDENT.match(first) else first)
        for column in others:
            quantity = found[column]
            if quantity is not None:
                bold = bool(_BOLD.search(grid.rows[n][column]))
                labels = (*(filled[n][c] for c in beside), section, base if base != first else "", *headings[column])
                unit = unit_behind(row[column]) or next(filter(None, map(unit_in, reversed(headings[column]))), "")
                if not unit and beside and not quantity.percent:
                    units = (unit_in(filled[n][beside[0]]), *(unit_of(filled[n][c]) for c in beside[1:]))
                    unit = next(filter(None, units), "")
                entries.append(Entry(n, column, quantity, bold, labels, unit))
    entries = [e for column in range(width) for e in _measured([e for e in entries if e.column == column])]
    entries.sort(key=lambda e: (e.row, e.column))
    names = (*(" ".join(paths[c]).strip() for c in beside), "", "", *[""] * levels)
    layout = Layout(tuple(entries), len(beside) + 2, names, grid.caption, grid.about, origin=origin)
    # Sizes can name a row as well as measure it.
    sizes = [[row[c] for row in rows if row[c] and not NOTHING.fullmatch(row[c])] for c in range(width)]
    front = list(takewhile(lambda c: c in beside or _mostly(sizes[c], r"[≤<>~]?\s?\d[\d.]*\s?[BM]$"), range(width)))
    layout.beside.update({n: tuple(filled[n].get(c, rows[n][c]) for c in front) for n in {e.row for e in entries}})
    for axis, part in (("column", slice(layout.rows, None)), ("row", slice(layout.rows))):
        for at in {getattr(e, axis) for e in entries}:
            line = [e for e in entries if getattr(e, axis) == at]
            better = better_of(
                [e.value for e in line], [e.value for e in line if e.bold], " ".join(line[0].labels[part])
            )
            if better:
                layout.better[axis, at] = better
    return layout


def _parted(grid: TableGrid) -> tuple[TableGrid, dict[int, int]]:
    """Splits cells with several numbers ("71.1/79.5") into additional columns at the end, if the heading or the caption
    names them ("EM/F1"); also returns the original columns."""
    columns, rows, origin = [*grid.columns], [[*row] for row in grid.rows], dict[int, int]()
    for column, path in enumerate(grid.columns):
        own_texts = [plain(row[column]) if column < len(row) else "" for row in rows]
        texts = [[] if _SHARE.match(text) else text.split("/") for text in own_texts]
        parts = [text if all(number_in(x) or NOTHING.fullmatch(x.strip()) for x in text) else [] for text in texts]
        sizes = {len(part) for part in parts if any(map(number_in, part))}
        size = max(sizes, default=1)
        others = r"\s?/\s?([\w-]+)" * (size - 1)
        within = (re.search(r"(?<=\w )([\w-]+)" + others, level) for level in reversed(path))  # "Memory pre/post"
        whole = (re.search(r"((?:[\w-]+ )?[\w-]+)" + others, text) for text in (*reversed(path), grid.caption))
        found = next(filter(None, (*within, *whole)), None)
        if found is None or size == 1 or len(sizes) > 1 or not all(any(map(str.isalpha, x)) for x in found.groups()):
            continue
        own = [level.replace(found[0], "").strip(" ()") for level in path]
        for n in range(size):
            origin[len(columns)] = column
            columns.append((*filter(None, own), found[n + 1]))
            for row, part in zip(rows, parts, strict=True):
                row.extend([""] * (len(columns) - 1 - len(row)) + [part[n] if len(part) == size else ""])
        for row in rows:
            row[column : column + 1] = [""]
    return replace(grid, columns=tuple(columns), rows=tuple(map(tuple, rows))) if origin else grid, origin


def _repeated_below(labels: Sequence[str]) -> dict[int, str]:
    """Returns for rows with labels that come again below each of several others, "A, bs=4, bs=8, B, bs=4, bs=8", the
    label above them."""
    times = Counter(labels)
    starts = [n for n, label in enumerate(labels) if times[label] == 1]
    parts = [labels[a + 1 : b] for a, b in pairwise([*starts, len(labels)])]
    if len(parts) < 2 or starts[0] or not parts[0] or not all(labels) or any(part != parts[0] for part in parts):
        return {}
    return {n: labels[a] for a, b in pairwise([*starts, len(labels)]) for n in range(a + 1, b)}


def _in_the_middle(
    rows: Sequence[tuple[str, ...]], data: Sequence[int], beside: Sequence[int], filled: Sequence[dict[int, str]]
) -> list[str]:
    """Assigns labels in the middle of a group of rows to all of these; returns labels between rows as sections."""
    single = [n for n, row in enumerate(rows) if n not in data and sum(map(bool, row)) == 1]

    def by_row(places: Sequence[int], column: int) -> list[str]:
        marks: list[tuple[float, str, bool]] = []
        for n in places:
            at, text = bisect_left(data, n) - (0 if n in data else 0.5), rows[n][column]
            if marks and n in single and marks[-1][2] and at - marks[-1][0] <= 1:  # a label over two lines
                marks[-1] = ((marks[-1][0] + at) / 2, f"{marks[-1][1]} {text}", True)
            else:
                marks.append((at, text, n in single))
        found: list[str] = []
        for at, text, _ in marks:
            found += [text] * round(2 * (at - len(found)) + 1)
        return found if marks and marks[0][0] > 0 and len(found) == len(data) else []

    titled = any(not rows[n][c] for n in single for c in beside[:1])  # one over the columns begins a part
    sections = [] if titled else by_row(single, beside[0])
    for column in beside[:-1]:
        labelled = [n for n in range(len(rows)) if rows[n][column] and (n in data or n in single)]
        for n, label in zip(data, by_row(labelled, column), strict=False):
            filled[n][column] = label
            sections = [""] * len(data)
    return sections


def _measured(column: list[Entry]) -> list[Entry]:
    units = [e.unit for e in column]
    mixed = len({*units}) > 1 and not {"", "k", "M"} & {*units}
    if mixed and all(conversion(unit, units[0]) for unit in units):  # "70 s" above "6 h"
        sizes = (e.quantity.value * (conversion(e.unit, units[0]) or 1.0) for e in column)
        column = [
            replace(e, quantity=replace(e.quantity, value=size), unit=units[0])
            for e, size in zip(column, sizes, strict=True)
        ]
    shares = all(abs(e.value) <= 1 and not e.quantity.percent for e in column) and any(
        e.quantity.decimals >= 2 for e in column
    )
    return [replace(e, shares=shares) for e in column]


def plain(text: str) -> str:
    """Returns the text of a cell without markup, and with plain letters instead of mathematical ones."""
    text = _SPREAD.sub(r"(±\1)", _TAGS.sub("", text))
    return " ".join(_MARKS.sub(" ", text).split()).rstrip("*∗†‡§¶ ").translate(_LETTERS)


def _quantity(text: str, path: tuple[str, ...]) -> Quantity | None:
    share = _SHARE.match(text)
    number = text[share.end() :].replace(")", "", 1) if share else _THOUSANDS.sub("", text)
    if number_in(number) is None or not (found := find_quantities(number)):
        return None
    first = found[0]
    percent = first.percent or "%" in _BESIDE.sub("", number) or bool(_IN_PERCENT.search(" ".join(path)))
    return Quantity(first.value, first.decimals, percent, first.start, first.end, text)


def _label_columns(rows: Sequence[tuple[str, ...]], values: Sequence[tuple[Quantity | None, ...]]) -> list[int]:
    """Returns the label columns: the first one, and those with more words than numbers, or without numbers after one
    with numbers."""
    found = [0]
    numbers = [sum(v[column] is not None for v in values) for column in range(len(rows[0]) if rows else 0)]
    for column in range(1, len(numbers)):
        words = sum(
            bool(r[column])
            and not _NO_LABEL.fullmatch(r[column])
            and v[column] is None
            and not (numbers[column] and SEVERAL.fullmatch(r[column]))
            for r, v in zip(rows, values, strict=True)
        )
        behind = any(numbers[c] for c in range(1, column) if c not in found)
        if words > numbers[column] * (len(rows) if behind else 1):
            found.append(column)
    data = sum(any(v[c] for c in range(found[-1] + 1, len(numbers))) for v in values)
    for column in range(1, found[-1]):  # of groups of rows: few whole numbers before the names of rows
        own = [r[column] for r in rows if r[column]]
        if column not in found and 1 < 2 * len(own) <= data and all(map(str.isdigit, own)):
            found = sorted([*found, column])
    valued = [column for column in found[1:] if numbers[column]]
    others = [[row[c] for row in rows if row[c] and number_in(row[c]) is None] for c in valued]
    if len(found) == len(numbers) and (len(valued) == 1 or not any(_mostly(texts, r"\d") for texts in others)):
        found = [column for column in found if column not in valued]  # values of several kinds, such as settings
    return _with_settings(found, rows, values)


def _with_settings(
    found: list[int], rows: Sequence[tuple[str, ...]], values: Sequence[tuple[Quantity | None, ...]]
) -> list[int]:
    """Returns the label columns with the columns of whole numbers, or of values of several kinds, behind them that are
    needed to tell rows apart."""
    data = [n for n, row in enumerate(values) if any(row)]
    # Titles, and headings that come again, begin a part of the table, in which labels of other parts come again.
    parts = [*accumulate(any(row) and not any(own) for row, own in zip(rows, values, strict=True))]
    chosen, at = [*found], len(found)
    while found == [*range(len(found))] and len(data) > 2:
        filled = _filled(rows, chosen)
        if len({(parts[n], *filled[n].values()) for n in data}) == len(data):
            return chosen
        if at > len(rows[0]) - 2 or any(NOTHING.fullmatch(rows[n][at]) for n in data):
            break
        kinds = {own.percent if (own := values[n][at]) else None for n in data}  # "3", "5%" and "1 month"
        if len(kinds) == 1 and not all(rows[n][at].replace(",", "").isdigit() for n in data):
            break
        chosen, at = [*chosen, at], at + 1
    return found


def _mostly(texts: Sequence[str], pattern: str) -> bool:
    """Returns whether more than half of the texts begin with a pattern."""
    return 2 * sum(bool(re.match(pattern, text)) for text in texts) > len(texts)


def _filled(rows: Sequence[tuple[str, ...]], beside: Sequence[int]) -> list[dict[int, str]]:
    """Returns the labels of each row; an empty one next to another is copied from the row above."""
    last = dict.fromkeys(beside, "")
    filled = []
    for row in rows:
        for n, column in enumerate(beside):
            if row[column] or not any(row[c] for c in beside[n + 1 :]):
                last[column] = row[column]
        filled.append(dict(last))
    return filled
