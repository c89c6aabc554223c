"""A table that was read, what was assumed about it, and which of its columns holds what.

What a file does not say (header line, decimal mark, meaning of the columns) is guessed, and every guess is reported:
``Table.assumed``, ``Table.decimal_mark``, ``TablePlan``. Reading files is the business of ``engine.exchange.io``.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, zip_longest
from typing import Literal

from engine.errors import BadInput, not_imported
from engine.papers.names import PersonName, folded, parse_name, same_person

_LOOKED_AT = 100
"""How many rows the layout of a table is guessed from."""
_NUMBER = re.compile(
    r"\s*([-+]?)(\d{1,3}(?:[.,]\d{3})+(?:[.,]\d+)?|\d+(?:[.,]\d+)?|[.,]\d+)([eE][-+]?\d+)?(?=\.?(?:$|[\s:;(/%\-–—]))",
    re.ASCII,
)
"""The number that a cell begins with: sign, digits with marks, exponent. "4. Accept" begins with 4."""
_MOMENT = re.compile(
    r"\s*(?:(?:\d{1,4}([-/.])\d{1,2}\1\d{1,4}|\d{1,2}:\d\d)(?!\d)"
    r"|\d{1,2}[-/. ]+(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)(?:[-/. ]+\d{2,4})?\s*$)",
    re.ASCII | re.IGNORECASE,
)
"""A date or a time, which begins with digits but is no number. A spreadsheet makes 7-Aug of the range 7-8."""
_RANGE = re.compile(r"\s*(?:[-–—~]|\b(?:to|or|bis|oder)\b)\s*\d")
"""What goes on after a number that is the lower one of two."""
_SPACED = re.compile(r"\s*[-+]?\d{1,3}(?:[ \u00a0\u202f'’]\d{3})+(?:[.,]\d+)?\s*", re.ASCII)
_THOUSANDS = re.compile(r"[1-9]\d{0,2}[.,]\d{3}", re.ASCII)
"""1,234: one thousand, or one and a bit."""


# --- numbers ----------------------------------------------------------------------------------------------------------


@lru_cache(4096)  # columns of scores repeat few cells
def number(text: str, decimal: str = "") -> float | None:
    """The number that a cell begins with: 8 from "8: Top 50% of accepted papers"; None without one.

    ``decimal`` is the decimal mark ("." or ","). Without it the number's own form decides: "3,5" is 3.5, and "1,234",
    which may be 1.234 or 1234, is None.
    """
    found = _leading(text)
    if found is None:
        return None
    sign, digits, exponent = found.groups()
    mark = _mark(digits)
    if mark == "?":
        mark = decimal or ("." if "." in digits else "?")
    elif mark and decimal and mark != decimal:
        return None
    if mark == "?":
        return None
    whole, point, rest = digits.rpartition(mark) if mark and mark in digits else (digits, "", "")
    value = float(f"{sign}{re.sub('[.,]', '', whole)}{'.' if point else ''}{rest}{exponent or ''}")
    return value if abs(value) < 1e100 else None  # sums of squares stay finite


@lru_cache(4096)
def _leading(text: str) -> re.Match[str] | None:
    text = re.sub("^[\u2212\u2013](?=[.,]?\\d)", "-", text.strip())
    if _MOMENT.match(text):
        return None
    found = _NUMBER.match(re.sub(r"[ \u00a0\u202f'’]", "", text) if _SPACED.fullmatch(text) else text)
    return None if found and _RANGE.match(text, found.end()) else found


@lru_cache(4096)
def _mark(digits: str) -> str:
    """The decimal mark by the form of a number alone; "?" where its mark may also divide thousands."""
    if _THOUSANDS.fullmatch(digits):
        return "?"
    marks = re.sub(r"\d", "", digits)
    if marks.count(marks[-1:]) < 2:
        return marks[-1:]
    return "," if marks[-1] == "." else "."


# --- tables -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Table:
    """A table as text cells, and what was assumed to read it.

    ``rows`` are as wide as ``columns``; ``numbers`` has the row of the file that each is, from 1. ``assumed`` says how
    the file was read, ``warnings`` what a person should check. ``typed``: numbers come from typed cells (XLSX, Parquet)
    and have a decimal point. ``unread`` describes the lines that could not be read.
    """

    name: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numbers: tuple[int, ...]
    assumed: str = ""
    warnings: tuple[str, ...] = ()
    typed: bool = False
    unread: tuple[str, ...] = ()

    def column(self, name: str) -> list[str]:
        place = self.columns.index(name)
        return [row[place] for row in self.rows]

    def records(self, needed: Sequence[str] = (), *, fold: bool = False) -> Iterator[tuple[int, dict[str, str]]]:
        """Rows as mappings by column, with their numbers. ``fold``: names in small letters, spaces as underscores.

        Raises BadInput, when it is called, where a ``needed`` column is missing.
        """
        names = [name.lower().replace(" ", "_") if fold else name for name in self.columns]
        missing = [column for column in needed if column not in names]
        if missing:
            raise not_imported(
                f"{self.name} has no column “{missing[0]}”.", f"Its first line must contain {', '.join(needed)}."
            )
        return ((at, dict(zip(names, row, strict=True))) for at, row in zip(self.numbers, self.rows, strict=True))

    def decimal_mark(self, columns: Iterable[str]) -> tuple[str, str]:
        """The decimal mark of the numbers in these columns, and a question where it cannot be known: "1,234" may mean
        two numbers, and no other number in the columns decides. "" as the mark where both are used.
        """
        found: set[str] = set()
        example = ""
        for cell in chain.from_iterable(map(self.column, columns)):
            if match := _leading(cell):
                mark = _mark(match[2])
                if mark == "?" and "," in match[2]:
                    example = example or match[0].strip()
                elif mark and mark != "?" and not (self.typed and mark == "."):
                    found.add(mark)
        if len(found) == 1:
            return found.pop(), ""
        if example:
            return "", (
                f"Is “{example}” in {self.name} the number {example.replace(',', '.')} or {example.replace(',', '')}?"
            )
        return ("" if found else "."), ""

    def number(self, cell: str, decimal: str = "") -> float | None:
        """``number`` of a cell of this table."""
        return number(cell, "." if self.typed and "," not in cell else decimal)

    def decided(self, columns: Iterable[str], decimal: str = "") -> str:
        """``decimal``, or the mark that the columns show. Raises BadInput with the question where they don't."""
        mark, question = self.decimal_mark(columns)
        if question and not decimal:
            raise BadInput(
                question, "Nothing was read, because the decimal mark isn't clear from the file.",
                "Choose whether the decimal mark is a point or a comma, then read the file again.",
            )  # fmt: skip
        return decimal or mark


def table_of(
    name: str,
    lines: Sequence[tuple[int, Sequence[str]]],
    assumed: str,
    warnings: Sequence[str] = (),
    *,
    guess: bool = True,
    typed: bool = False,
) -> Table:
    """A table of numbered lines: finds the header and makes all rows as wide as it. ``guess``: titles above the header
    and comments are skipped, and named in ``assumed``; else the first line is the header.
    """
    lines = [(number, cells) for number, cells in lines if any(cell.strip() for cell in cells)]
    start = _header(lines) if guess else 0
    head = lines[start][1] if lines else ()
    if guess and _is_group(lines[start : start + _LOOKED_AT]):
        start += 1
        head = [
            below if re.search(r"[^\W\d_]", below) else f"{above} {below}"
            for above, below in zip_longest(head, lines[start][1], fillvalue="")
        ]
    if guess and _is_data(head, [cells for _, cells in lines[start + 1 : start + _LOOKED_AT]]):
        head, start = ("",) * len(head), start - 1
        assumed += "; it has no header line"
    columns: list[str] = []
    for place, cell in enumerate(head, 1):
        column = cell.strip() or f"column {place}"
        columns.append(column if column not in columns else f"{column} ({place})")
    width = len(columns)
    skipped = [number for number, _ in lines[: max(start, 0)]]
    rows: list[tuple[str, ...]] = []
    numbers, long = [], []
    for number, cells in lines[start + 1 :]:
        if guess and _is_comment(cells, width):
            skipped.append(number)
            continue
        if any(cell.strip() for cell in cells[width:]):
            long.append(number)
        rows.append((*cells[:width], *("",) * (width - len(cells))))
        numbers.append(number)
    if skipped:
        shown = ", ".join(map(str, skipped[:5])) + (", …" if len(skipped) > 5 else "")
        assumed += f"; {'row' if len(skipped) == 1 else 'rows'} {shown} skipped: not part of the table"
    if long:
        what = "1 row has" if len(long) == 1 else f"{len(long):,} rows have"
        said = f"{what} more cells than the header (row {long[0]}). The extra cells were left out."
        warnings = [*warnings, said]
    return Table(name, tuple(columns), tuple(rows), tuple(numbers), f"{name}: {assumed}.", tuple(warnings), typed)


def _is_data(head: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    """Whether a first row is one of the table's rows: a number in it lies among those of a column of numbers. Numbers
    from 1 on may be names of columns.
    """
    numbers = [(at, value) for at, cell in enumerate(head) if (value := number(cell)) is not None]
    if [value for _, value in numbers] == list(range(1, len(numbers) + 1)):
        numbers = numbers if len(numbers) == 1 < len(head) else []
    for at, value in numbers:
        column = [row[at] for row in rows if len(row) > at]
        below = [found for cell in column if (found := number(cell)) is not None]
        if is_numeric(column) and min(below, default=value + 1) <= value <= max(below, default=value):
            return True
    return False


def _is_group(lines: Sequence[tuple[int, Sequence[str]]]) -> bool:
    """Whether a first row names groups of columns and the second one the columns: it has gaps where that one has words,
    and numbers begin below them.
    """
    head, names, *rows = [cells for _, cells in lines[:_LOOKED_AT]] if len(lines) > 2 else [(), ()]
    gaps = sum(bool(below.strip()) and not above.strip() for above, below in zip_longest(head, names, fillvalue=""))
    return gaps > 1 and not any(map(_leading, names)) and all(any(map(_leading, row)) for row in rows)


def _is_comment(cells: Sequence[str], width: int) -> bool:
    """Whether a row is a comment: "#12,Ann,5" is none, since it is as wide as the table."""
    return _hash(cells) and width > 1 and (len(cells) != width or not any(cells[1:]))


def _hash(cells: Sequence[str]) -> bool:
    return cells[0].lstrip().startswith("#")


def _header(lines: Sequence[tuple[int, Sequence[str]]]) -> int:
    """The first line with as many cells as most, but one; titles and comments above it have fewer."""
    cells = [cells for _, cells in lines[:_LOOKED_AT]]
    widths = [max(at for at, cell in enumerate(line, 1) if cell.strip()) for line in cells]
    numbers = [any(map(_leading, line)) for line in cells]
    wide = [width for width in widths if width > 1]
    usual = max(Counter(wide).items(), key=lambda entry: (entry[1], entry[0]))[0] if len(wide) > 1 else 1
    for at, line in enumerate(cells):
        # "# exported 2024, by Ann, v2" is as wide as the table: the header follows, and the numbers after that.
        follow = [
            numbered for numbered, rest in zip(numbers[at + 1 :], cells[at + 1 :], strict=True) if not _hash(rest)
        ]
        comment = _hash(line) and (_is_comment(line, usual) or (not any(follow[:1]) and any(follow)))
        if widths[at] >= max(usual - 1, min(usual, 2)) and not comment:
            return at
    return 0


# --- columns ----------------------------------------------------------------------------------------------------------

Kind = Literal["name", "number", "text"]


@dataclass(frozen=True, slots=True)
class Field:
    """What a column may hold: ``words`` are the names that it goes by, most usual first; after "=" as the whole name
    only. A ``name`` recurs in the column (people, papers), a ``number`` begins most cells, ``text`` is anything.
    ``unless``: words that no name of it has.
    """

    name: str
    words: tuple[str, ...]
    kind: Kind = "text"
    needed: bool = True
    unless: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TablePlan:
    """Which column holds what. ``columns`` has a column for each field, "" where there is none; ``reasons`` how it was
    found: "given", "name" (of the column) or "content".
    """

    table: Table
    columns: Mapping[str, str]
    reasons: Mapping[str, str]
    missing: tuple[str, ...]
    """Fields that are needed and have no column."""
    unused: tuple[str, ...]
    """Columns with something in them that no field uses."""
    question: str = ""
    """What must be answered before the numbers can be read (``Table.decimal_mark``); "" where it is clear."""


def plan_columns(table: Table, fields: Sequence[Field], given: Mapping[str, str] | None = None) -> TablePlan:
    """Guesses each field's column by its name and content, best fit first; what is ``given`` is not guessed ("": the
    field has no column) and doesn't change what is guessed for the others. Raises BadInput for a column that is not in
    the table.
    """
    given = given or {}
    for column in filter(None, given.values()):
        if column not in table.columns:
            raise not_imported(
                f"{table.name} has no column “{column}”.", "Its columns are " + ", ".join(table.columns) + "."
            )
    filled = {column: [cell for cell in table.column(column) if cell.strip()] for column in table.columns}
    numeric = {column for column, cells in filled.items() if is_numeric(cells)}
    found = dict(given)
    reasons = dict.fromkeys(given, "given")
    numbers = [field.words for field in fields if field.kind == "number"]
    fits = [
        (field.kind == "number" and column not in numeric, -like, -order, place, field, column)
        for place, field in enumerate(fields)
        for column in table.columns
        for like, order in [likeness(column, field.words)]
        if like
        and not (field.unless and likeness(column, field.unless)[0])
        # By its name a column of numbers is also taken where few cells are.
        and not (field.kind == "number" and filled[column] and not any(map(_leading, filled[column])))
        and not (field.kind == "name" and column in numeric and any(likeness(column, w)[0] for w in numbers))
    ]
    for *_, field, column in sorted(fits, key=lambda fit: fit[:4]):
        if field.name not in found and column not in found.values():
            found[field.name], reasons[field.name] = column, "name"
    for field in fields:
        free = [column for column in table.columns if column not in found.values() and filled[column]]
        fitting = [
            column
            for column in free
            if not (field.unless and likeness(column, field.unless)[0])
            and (
                (field.kind == "number" and column in numeric)
                or (
                    field.kind == "name"
                    and column not in numeric
                    and 1 < len(set(filled[column])) < len(filled[column])
                )
            )
        ]
        if field.needed and field.name not in found and len(fitting) == 1:
            found[field.name], reasons[field.name] = fitting[0], "content"
    columns = {field.name: found.get(field.name, "") for field in fields}
    said = [columns[field.name] for field in fields if field.kind == "number" and columns[field.name]]
    return TablePlan(
        table,
        columns,
        reasons,
        tuple(field.name for field in fields if field.needed and not columns[field.name]),
        tuple(column for column in table.columns if column not in columns.values() and filled[column]),
        table.decimal_mark(said)[1],
    )


def is_numeric(cells: Sequence[str]) -> bool:
    """Whether at least four cells of five that are filled begin with a number."""
    filled = Counter(cell for cell in cells if cell.strip())
    return bool(filled) and sum(n for cell, n in filled.items() if _leading(cell)) >= 0.8 * filled.total()


def likeness(column: str, words: Sequence[str]) -> tuple[int, int]:
    """How well a column's name fits (3: a word of the field, 2: ends with one, 1: has one in it, 0: not), and the place
    of the word. The last word tells what a name means: "reviewer confidence" is a confidence.
    """
    name, tight = f" {_plain(column)} ", _plain(column).replace(" ", "")
    best = (0, 0)
    for place, given in enumerate(words):
        word = _plain(given)
        exact, whole = tight == word.replace(" ", ""), given.startswith("=")
        like = 3 if exact else 0 if whole else 2 if name.endswith(f" {word} ") else 1 if f" {word} " in name else 0
        best = max(best, (like, -place))
    return best


def _plain(column: str) -> str:
    """A column's name as words: small letters, without scales such as "(1-10)" and the s of a plural. Of "Q1 (Overall
    rating - Value)", as Microsoft CMT names them, the question; of "Rate the paper [Novelty]", as Google Forms names
    the rows of a grid, the row, unless it is called "Score" whatever was asked.
    """
    grid = r".*\[(?!(?i:score|rating|value|points?|answer)\])([^\]\d]+)\]"
    if asked := re.fullmatch(rf"Q\d+ \((.+?)(?: - Value)?\)|{grid}", column.strip(), re.DOTALL):
        column = asked[1] or asked[2]
    apart = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", re.sub(r"\([^)]*\)|\[[^\]]*\]", " ", column))
    words = re.findall(r"[^\W_]+", folded(apart))
    return " ".join(word[:-1] if len(word) > 3 and word.endswith("s") else word for word in words) or column.lower()


# --- spellings --------------------------------------------------------------------------------------------------------


def spellings(names: Iterable[str], *, near: bool = False) -> dict[str, str]:
    """Names that are probably another spelling of an earlier one, with that one: case, spaces, punctuation and Unicode
    forms differ, or the order of the words ("Lovelace, Ada"). ``near``: also those that differ by a letter or two, by
    a title ("Dr.") or by initials.
    """
    first: dict[str, str] = {}
    found: dict[str, str] = {}
    for name in dict.fromkeys(names):
        words = re.findall(r"[^\W_]+", folded(unicodedata.normalize("NFKC", name)))
        key = " ".join(sorted(words) if all(map(str.isalpha, words)) else words) or name
        if first.setdefault(key, name) != name:
            found[name] = first[key]
    keys = [key for key, name in first.items() if len(key) >= _SHORTEST_NEAR and not re.search(r"[\d@]", key + name)]
    if near and 1 < len(keys) <= _MOST_COMPARED:
        import numpy as np
        from rapidfuzz.distance import Levenshtein
        from rapidfuzz.process import cdist

        letters = [sorted(word for word in key.split() if len(word) == 1) for key in keys]  # "Referee A", "Referee B"
        distances = cdist(keys, keys, scorer=Levenshtein.distance, score_cutoff=2, dtype=np.uint8)
        for at, other in np.argwhere(np.triu(distances <= 2, 1)).tolist():
            long = min(len(keys[at]), len(keys[other])) >= 2 * _SHORTEST_NEAR
            if letters[at] == letters[other] and (distances[at, other] == 1 or long):
                found.setdefault(first[keys[other]], first[keys[at]])
    people: dict[str, list[tuple[PersonName, str]]] = {}
    for name in first.values() if near else ():
        person = parse_name(_TITLED.sub("", name))
        if person.given and not re.search(r"[\d@]", name):
            same = people.setdefault(person.family, [])
            known = next((written for one, written in same if same_person(one, person)), "")
            if known and name not in found:
                found[name] = known
            same.append((person, name))
    return found


_TITLED = re.compile(r"^(?:(?:dr|prof|professor|mr|mrs|ms)\.?\s+)+", re.IGNORECASE)


_MOST_COMPARED = 3_000
"""Beyond that many names, pairs are not compared letter by letter."""
_SHORTEST_NEAR = 6
"""Shorter names that differ by a letter are different people, as are e-mail addresses."""
