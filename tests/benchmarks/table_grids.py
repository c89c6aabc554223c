"""Reads tables of the papers in ``styles`` at hand-drawn positions, not with the product's table reader.

``table_places.toml`` gives each table's page, the separators of its rows and columns (PDF points) and how a person
names a row or a column. Cell texts are the page's words, and ``checksum`` fixes what was compared with the rendered
page by eye: a table that now reads differently is an error. The file contains no text of the papers.
"""

from __future__ import annotations

import hashlib
import re
import tomllib
import unicodedata
from bisect import bisect
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

PLACES = Path(__file__).with_name("table_places.toml")
UNITS = {
    "s": "s", "sec": "s", "seconds": "s", "ms": "ms", "G": "GB", "GB": "GB", "hr": "h", "mas": "mas", "mm": "mm",
    "°C": "°C", "%": "%", "kcal/mol": "kcal/mol", "bases": "bases", "′′": "arcsec", "°": "°",
}  # fmt: skip
_VALUE = re.compile(
    r"(?P<number>-?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?)\s*(?P<unit>%|[mkM])?(?:\s*±.*|\s*\(.*\)|\s+p˘.*)?"
)

Word = tuple[float, float, float, float, str]
"""Left, top, right, bottom in points, and the text."""


@dataclass(frozen=True, slots=True)
class Value:
    """A cell: its number, the digits as printed, and the unit in the cell ("%", "m", "k" or none)."""

    number: Decimal
    digits: str
    unit: str = ""

    @property
    def places(self) -> int:
        """Number of decimals."""
        return len(self.digits.partition(".")[2])


@dataclass(frozen=True, slots=True)
class Grid:
    """A table's rows, columns and values (``None``: no number), with what statements need to name them.

    ``measure`` is what every cell measures if neither rows nor columns say it: "the ``measure`` ``of`` row ``on``
    column". ``setting``: rows are conditions, not things with a value. ``ordinal``: ranks, for which "higher" is
    ambiguous. ``fraction``: values are shares of one. ``better`` is "high", "low" or unknown (""). ``transposed``: rows
    here are columns of the table.
    """

    paper: str
    pdf: Path
    number: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    values: tuple[tuple[Value | None, ...], ...]
    units: tuple[str, ...]
    measure: str = ""
    of: str = "of"
    on: str = "on"
    setting: bool = False
    ordinal: bool = False
    fraction: bool = False
    better: str = ""
    transposed: bool = False

    def column(self, column: int) -> list[Value | None]:
        return [row[column] for row in self.values]

    def unit(self, row: int, column: int) -> str:
        """Returns the unit of a cell, from the cell or from the heading."""
        value = self.values[row][column]
        return (value.unit if value else "") or self.units[column]

    def checksum(self) -> str:
        digits = [[v.digits + v.unit if v else "" for v in row] for row in self.values]
        return hashlib.sha256(repr((self.rows, self.columns, digits)).encode()).hexdigest()[:12]


def grids(styles_folder: Path, places: Path = PLACES, checked: bool = True) -> Iterator[Grid]:
    """Yields the tables in ``places`` of the papers under ``styles_folder``; missing papers are skipped.

    Raises ValueError if a table reads differently from when it was checked.
    """
    import pymupdf

    folders = {path.parent.name: path for path in sorted(Path(styles_folder).rglob("paper.pdf"))}
    opened: dict[str, Any] = {}
    for place in tomllib.loads(places.read_text(encoding="utf-8"))["table"]:
        pdf = folders.get(place["paper"])
        if pdf is None:
            continue
        if place["paper"] not in opened:
            opened[place["paper"]] = pymupdf.open(pdf)
        page = opened[place["paper"]][place["page"] - 1]
        words = page_words(page, place["box"], bool(place.get("notes")))
        grid = read_grid(place, words, pdf)
        if checked and grid.checksum() != place["checksum"]:
            raise ValueError(f"{place['paper']}, Table {place['number']}: reads differently from when it was checked")
        yield grid


def page_words(page: Any, box: Sequence[float], without_notes: bool) -> list[Word]:
    """Returns the words of a page with their middle in ``box``; ``without_notes`` omits raised letters."""
    if not without_notes:
        words: list[Word] = [tuple(word[:5]) for word in page.get_text("words")]
    else:
        words = []
        for block in page.get_text("rawdict")["blocks"]:
            for line in block.get("lines", ()):
                words += _line_words(line)
    return [w for w in words if box[0] < (w[0] + w[2]) / 2 < box[2] and box[1] < (w[1] + w[3]) / 2 < box[3]]


def _line_words(line: dict[str, Any]) -> list[Word]:
    found: list[list[Any]] = []
    open_word = False
    for span in line["spans"]:
        for char in span["chars"]:
            left, top, right, bottom = char["bbox"]
            if span["flags"] & 1 or span["size"] < 4 or not char["c"].strip():
                open_word = False
            elif open_word and left - found[-1][2] < 0.15 * span["size"]:
                last = found[-1]
                found[-1] = [last[0], min(last[1], top), right, max(last[3], bottom), last[4] + char["c"]]
            else:
                found.append([left, top, right, bottom, char["c"]])
                open_word = True
    return [(w[0], w[1], w[2], w[3], w[4]) for w in found]


def read_grid(place: dict[str, Any], words: Sequence[Word], pdf: Path) -> Grid:
    """Reads the grid that ``place`` defines from the words of its page."""
    drop = place.get("drop", (0.0, 0.0))
    kept = [w for w in words if not drop[0] < (w[0] + w[2]) / 2 < drop[1]]
    columns, lines, header = place["columns"], place["rows"], place["header"]
    title = _title if place.get("title") else str

    placed = [(bisect(lines, _middle(w)), bisect(columns, (w[0] + w[2]) / 2), w) for w in kept]

    def text(rows: range, across: range, upwards: bool = False) -> str:
        return _joined([w for row, column, w in placed if row in rows and column in across], upwards)

    def cell(row: int, column: int) -> str:
        return text(range(row, row + 1), range(column, column + 1))

    labels = place.get("labels", [0])
    values = place.get("values") or [n for n in range(len(columns) + 1) if n > max(labels)]
    body = range(header, len(lines) + 1)
    spans = {
        (row, column): (first, last) for row, first, last in place.get("heads", ()) for column in range(first, last + 1)
    }

    def heading(column: int) -> str:
        parts = []
        for row in place.get("use", range(header)):
            first, last = spans.get((row, column), (column, column))
            parts.append(title(text(range(row, row + 1), range(first, last + 1))))
        form = place.get("each", {}).get(str(column)) or place.get("column", "{}")
        name = form.format(*(_clean(p) for p in parts)) if "{1}" in form else form.format(_clean(" ".join(parts)))
        return f"number of {name}" if column in place.get("count", ()) else name

    def label(row: int) -> str:
        parts = [cell(row, column) for column in labels]
        if "groups" in place:
            parts[0] = _group(place, row, text)
        parts = [title(_clean(p, name=True)) for p in parts]
        parts = [p.lower() for p in parts] if place.get("lower") else parts
        return str(place.get("name", " ".join(["{}"] * len(parts)))).format(*parts)

    rows = tuple(label(row) for row in body)
    heads = tuple(heading(column) for column in values)
    bare = tuple(re.sub(r"\s*\(([^()]*)\)$", lambda m: "" if m[1] in UNITS else m[0], head) for head in heads)
    units = tuple(_unit(place, head, column) for head, column in zip(heads, values, strict=True))
    cells = tuple(tuple(value_of(cell(row, column)) for column in values) for row in body)
    if place.get("transposed"):
        bare, rows = rows, bare
        cells = tuple(zip(*cells, strict=True))
        units = tuple("" for _ in bare)
    flags = {
        k: place[k]
        for k in ("measure", "of", "on", "setting", "ordinal", "fraction", "better", "transposed")
        if k in place
    }
    return Grid(place["paper"], pdf, place["number"], rows, bare, cells, units, **flags)


def value_of(text: str) -> Value | None:
    """Returns the leading number of a cell, before an uncertainty or a note in brackets; None without a number."""
    found = _VALUE.fullmatch(re.sub(r"^[−–-]\s*(?=\d)", "-", text.strip()))
    if found is None:
        return None
    digits = found["number"]
    number = Decimal(digits.replace(",", ""))
    if number == 0:
        digits = digits.lstrip("-")
    return Value(abs(number) if number == 0 else number, digits, found["unit"] or "")


def _group(place: dict[str, Any], row: int, text: Callable[..., str]) -> str:
    """Returns the label in the first column that covers this row and its neighbours."""
    first = int(place["header"])
    for size in place["groups"]:
        if row < first + size:
            return text(range(first, first + size), range(1), upwards=bool(place.get("rotated")))
        first += size
    raise ValueError(f"{place['paper']}, Table {place['number']}: fewer group rows than rows")


def _unit(place: dict[str, Any], head: str, column: int) -> str:
    given = place.get("units", {}).get(str(column)) or place.get("unit")
    found = re.search(r"\(([^()]*)\)$", head)
    if given:
        return str(given)
    if found and found[1] in UNITS:
        return UNITS[found[1]]
    return "%" if place.get("percent") or head.startswith("percentage of ") or head.endswith("%") else ""


def _middle(word: Word) -> float:
    return (word[1] + word[3]) / 2


def _joined(words: Sequence[Word], upwards: bool) -> str:
    """Joins words in reading order: by lines from the top (of sideways text, from the bottom), then from the left."""
    if upwards:
        return " ".join(w[4] for w in sorted(words, key=lambda w: -w[3]))
    lines: list[list[Word]] = []
    for word in sorted(words, key=_middle):
        if lines and _middle(word) - _middle(lines[-1][0]) < 0.45 * (word[3] - word[1]):
            lines[-1].append(word)
        else:
            lines.append([word])
    return re.sub(r"(?<=[a-z])- (?=[a-z])", "", " ".join(w[4] for line in lines for w in sorted(line)))


def _clean(text: str, name: bool = False) -> str:
    """Returns text as a person types it: plain minus signs, no enumeration, quotation marks or trailing symbol."""
    text = unicodedata.normalize("NFKC", text.replace("∆", "Δ")).replace("−", "-").replace("∗", "*")
    text = re.sub(r"[“”\"]", "", text).replace("’", "'").strip()
    text = re.sub(r"^(\d+(?:st|nd|rd|th)) %$", r"\1 percentile", text)
    text = re.sub(r"^([^\d].*\w) %$", r"percentage of \1", re.sub(r"\s+", " ", text))
    text = re.sub(r"^%\s+(?:of\s+)?", "percentage of ", re.sub(r"^#\s+|^N (?=[a-z])", "number of ", text))
    text = re.sub(r"\s*±.*", "", re.sub(r":\s*[A-Z]$", "", text))
    if name:
        text = re.sub(r"^\(\d+\)\s*", "", re.sub(r"\s*\((?:A|Nm)\)", "", text))
    return re.sub(r"(?<=\w)\((?=[a-z]+\)$)", " (", text).strip()


def _title(text: str) -> str:
    return re.sub(r"[A-Z]{2,}", lambda m: m[0].capitalize(), text)
