"""Tables as read from files, what was assumed in reading them, and the assignment of columns to fields.

What a file doesn't state (header line, decimal mark, meaning of columns) is guessed, and every guess is reported in
``Table.assumed``, ``Table.decimal_mark`` or ``TablePlan``. ``engine.exchange.io`` reads the files.
"""

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, combinations, zip_longest
from typing import Literal

from engine.errors import BadInput, not_imported
from engine.papers.names import PersonName, parse_name, same_person
from engine.text_search import folded

_LOOKED_AT = 100
"""How many rows are used to guess the layout of a table."""
_NUMBER = re.compile(
    r"\s*([-+]?)(\d{1,3}(?:[.,]\d{3})+(?:[.,]\d+)?|\d+(?:[.,]\d+)?|[.,]\d+)([eE][-+]?\d+)?(?=\.?(?:$|[\s:;(/%\-–—]))",
    re.ASCII,
)
"""The number at the start of a cell: sign, digits with marks, exponent. "4. Accept" starts with 4."""
_MOMENT = re.compile(
    r"\s*(?:(?:\d{1,4}([-/.])\d{1,2}\1\d{1,4}|\d{1,2}:\d\d)(?!\d)"
    r"|\d{1,2}[-/. ]+(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)(?:[-/. ]+\d{2,4})?\s*$)",
    re.ASCII | re.IGNORECASE,
)
"""A date or time, which starts with digits but isn't a number. Spreadsheets turn the range 7-8 into 7-Aug."""
_RANGE = re.compile(r"\s*(?:[-–—~]|\b(?:to|or|bis|oder)\b)\s*\d")
"""What follows a number that is the lower bound of a range."""
_SPACED = re.compile(r"\s*[-+]?\d{1,3}(?:[ \u00a0\u202f'’]\d{3})+(?:[.,]\d+)?\s*", re.ASCII)
_WIDE = str.maketrans("．，٫－＋", ".,.-+", "٬")
_THOUSANDS = re.compile(r"[1-9]\d{0,2}[.,]\d{3}", re.ASCII)
"""Ambiguous, as 1,234: a thousands separator or a decimal mark."""


@lru_cache(4096)  # columns of scores have few distinct cells
def number(text: str, decimal: str = "") -> float | None:
    """Returns the number at the start of a cell, as 8 from "8: Top 50% of accepted papers"; None if there is none.

    ``decimal`` is the decimal mark ("." or ","). Without it the number's format decides: "3,5" is 3.5, and "1,234",
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
    return value if abs(value) < 1e100 else None  # keeps sums of squares finite


@lru_cache(4096)
def _leading(text: str) -> re.Match[str] | None:
    if not text.isascii():  # full-width, Arabic and other digits
        text = "".join(str(unicodedata.decimal(letter, letter)) for letter in text.translate(_WIDE))
    text = re.sub("^[\u2212\u2013](?=[.,]?\\d)", "-", text.strip())
    if _MOMENT.match(text):
        return None
    found = _NUMBER.match(re.sub(r"[ \u00a0\u202f'’]", "", text) if _SPACED.fullmatch(text) else text)
    return None if found and _RANGE.match(text, found.end()) else found


@lru_cache(4096)
def _mark(digits: str) -> str:
    """Returns the decimal mark from a number's format alone; "?" if the mark may also separate thousands."""
    if _THOUSANDS.fullmatch(digits):
        return "?"
    marks = re.sub(r"\d", "", digits)
    if marks.count(marks[-1:]) < 2:
        return marks[-1:]
    return "," if marks[-1] == "." else "."


@dataclass(frozen=True, slots=True)
class Table:
    """A table as text cells, and what was assumed in reading it.

    ``rows`` are as wide as ``columns``; ``numbers`` has each row's number in the file, from 1. ``assumed`` says how the
    file was read, ``warnings`` what the user should check. ``typed`` means that numbers come from typed cells (XLSX,
    Parquet) with a decimal point. ``unread`` describes the lines that couldn't be read.
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
        """Returns an iterator of row numbers and rows as mappings by column. ``fold`` lowercases names and replaces
        spaces with underscores. Raises BadInput immediately, not on iteration, if a ``needed`` column is missing."""
        names = [name.lower().replace(" ", "_") if fold else name for name in self.columns]
        missing = [column for column in needed if column not in names]
        if missing:
            raise not_imported(
                f"{self.name} has no column “{missing[0]}”.", f"Its first line must contain {', '.join(needed)}."
            )
        return ((at, dict(zip(names, row, strict=True))) for at, row in zip(self.numbers, self.rows, strict=True))

    def decimal_mark(self, columns: Iterable[str]) -> tuple[str, str]:
        """Returns the decimal mark of the numbers in these columns, "" if both are used, and a question if it is
        ambiguous: "1,234" may mean two numbers, and no other number in the columns decides."""
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
        """Like the function ``number``, for a cell of this table."""
        return number(cell, "." if self.typed and "," not in cell else decimal)

    def decided(self, columns: Iterable[str], decimal: str = "") -> str:
        """Returns ``decimal``, or the columns' decimal mark. Raises BadInput with the question if that is ambiguous."""
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
    """Builds a table from numbered lines: finds the header and makes all rows as wide as it. ``guess`` skips titles
    above the header and comments, and reports them in ``assumed``; otherwise the first line is the header."""
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
    """Returns whether the first row is data: one of its numbers is within the range of a numeric column. Numbers
    counting up from 1 may be column names."""
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
    """Returns whether the first row names groups of columns and the second one the columns: the first one has gaps
    above names, and every row below has numbers."""
    head, names, *rows = [cells for _, cells in lines[:_LOOKED_AT]] if len(lines) > 2 else [(), ()]
    gaps = sum(bool(below.strip()) and not above.strip() for above, below in zip_longest(head, names, fillvalue=""))
    return gaps > 1 and not any(map(_leading, names)) and all(any(map(_leading, row)) for row in rows)


def _is_comment(cells: Sequence[str], width: int) -> bool:
    """Returns whether a row is a comment; "#12,Ann,5" isn't one, since it is as wide as the table."""
    return _hash(cells) and width > 1 and (len(cells) != width or not any(cells[1:]))


def _hash(cells: Sequence[str]) -> bool:
    return cells[0].lstrip().startswith("#")


def _header(lines: Sequence[tuple[int, Sequence[str]]]) -> int:
    """Returns the first line that has at most one cell fewer than usual; titles and comments above it have fewer."""
    cells = [cells for _, cells in lines[:_LOOKED_AT]]
    widths = [max(at for at, cell in enumerate(line, 1) if cell.strip()) for line in cells]
    numbers = [any(map(_leading, line)) for line in cells]
    wide = [width for width in widths if width > 1]
    usual = max(Counter(wide).items(), key=lambda entry: (entry[1], entry[0]))[0] if len(wide) > 1 else 1
    for at, line in enumerate(cells):
        # "# exported 2024, by Ann, v2" may be as wide as the table; the header follows it, and then the numbers.
        follow = [
            numbered for numbered, rest in zip(numbers[at + 1 :], cells[at + 1 :], strict=True) if not _hash(rest)
        ]
        comment = _hash(line) and (_is_comment(line, usual) or (not any(follow[:1]) and any(follow)))
        if widths[at] >= max(usual - 1, min(usual, 2)) and not comment:
            return at
    return 0


Kind = Literal["name", "number", "text"]


@dataclass(frozen=True, slots=True)
class Field:
    """A field that a column may hold. ``words`` are its usual names, most common first; a word after "=" must be the
    whole name. A ``name`` recurs in the column (people, papers), a ``number`` starts most cells, ``text`` is anything.
    Columns with a word of ``unless`` in their name are excluded."""

    name: str
    words: tuple[str, ...]
    kind: Kind = "text"
    needed: bool = True
    unless: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TablePlan:
    """The assignment of columns to fields. ``columns`` has a column for each field, or ""; ``reasons`` says how it was
    found: "given", "name" (of the column) or "content"."""

    table: Table
    columns: Mapping[str, str]
    reasons: Mapping[str, str]
    missing: tuple[str, ...]
    """Required fields without a column."""
    unused: tuple[str, ...]
    """Non-empty columns that no field uses."""
    question: str = ""
    """What must be answered before the numbers can be read (``Table.decimal_mark``); "" if nothing."""


def plan_columns(table: Table, fields: Sequence[Field], given: Mapping[str, str] | None = None) -> TablePlan:
    """Guesses each field's column by name and content, best fit first. ``given`` columns aren't guessed ("" means that
    the field has none) or used for other fields. Raises BadInput if a given column isn't in the table."""
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
        # A column named like a number field may have few numbers.
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
    """Returns whether at least 80 % of the non-empty cells start with a number."""
    filled = Counter(cell for cell in cells if cell.strip())
    return bool(filled) and sum(n for cell, n in filled.items() if _leading(cell)) >= 0.8 * filled.total()


def likeness(column: str, words: Sequence[str]) -> tuple[int, int]:
    """Returns how well a column's name fits (3: equals a word, 2: ends with one, 1: contains one, 0: no match), and
    minus the word's index. The last word determines the meaning: "reviewer confidence" is a confidence."""
    name, tight = f" {_plain(column)} ", _plain(column).replace(" ", "")
    best = (0, 0)
    for place, given in enumerate(words):
        word = _plain(given)
        exact, whole = tight == word.replace(" ", ""), given.startswith("=")
        like = 3 if exact else 0 if whole else 2 if name.endswith(f" {word} ") else 1 if f" {word} " in name else 0
        best = max(best, (like, -place))
    return best


_LONGEST_NAME = 1_000
"""Characters; the rest of a longer column name is ignored."""


@lru_cache(4096)
def _plain(column: str) -> str:
    """Normalises a column's name: lower-case words without scales such as "(1-10)" and plural s. From "Q1 (Overall
    rating - Value)" (Microsoft CMT) it takes the question, from "Rate the paper [Novelty]" (rows of a grid in Google
    Forms) the row, unless that is called "Score" or the like."""
    column = column.strip()[:_LONGEST_NAME]
    grid = r".*\[(?!(?i:score|rating|value|points?|answer)\])([^\]\d]+)\]"
    if asked := re.fullmatch(rf"Q\d+ \((.+?)(?: - Value)?\)|{grid}", column, re.DOTALL):
        column = asked[1] or asked[2]
    apart = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", re.sub(r"\([^)]*\)|\[[^\]]*\]", " ", column))
    words = re.findall(r"[^\W_]+", folded(apart))
    return " ".join(word[:-1] if len(word) > 3 and word.endswith("s") else word for word in words) or column.lower()


def spellings(names: Iterable[str], *, near: bool = False) -> dict[str, str]:
    """Maps names that are probably another spelling of an earlier name to it: names that differ in case, spaces,
    punctuation, Unicode form, or the order of words ("Lovelace, Ada"). ``near`` includes names that differ by one or
    two letters, a title ("Dr.") or initials."""
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

        distances = cdist(keys, keys, scorer=Levenshtein.distance, score_cutoff=2, dtype=np.uint8)
        for at, other in np.argwhere(np.triu(distances <= 2, 1)).tolist():
            if _misspelt(keys[at].split(), keys[other].split(), int(distances[at, other])):
                found.setdefault(first[keys[other]], first[keys[at]])
    families: dict[str, list[tuple[PersonName, str]]] = defaultdict(list)
    for name in first.values() if near else ():
        person = parse_name(name)
        if person.given and person.family and not re.search(r"[\d@]", name):
            families[person.family].append((person, name))
    for person, name in chain(*families.values()):
        alike = [(one, written) for one, written in families[person.family] if same_person(one, person)]
        # "J. Doe" beside "John Doe" and "Jane Doe" may be either of them.
        if alike[0][1] != name and all(same_person(a, b) for (a, _), (b, _) in combinations(alike, 2)):
            found.setdefault(name, alike[0][1])
    return found


def _misspelt(words: Sequence[str], others: Sequence[str], distance: int) -> bool:
    """Returns whether two names at a distance of one or two letters are probably one name. A letter is enough to make
    another name of a short word ("Mia" and "Pia"), of a longer one only if it is left out."""
    if len(words) != len(others):
        return distance == 1 and all(len(word) > 1 for word in (*words, *others))
    changed = [(a, b) for a, b in zip(words, others, strict=True) if a != b]
    least = 3 * distance if all(len(a) != len(b) for a, b in changed) else 5 * distance
    return len(changed) == 1 and min(map(len, changed[0])) >= least


_MOST_COMPARED = 3_000
"""With more names than this, pairs aren't compared letter by letter."""
_SHORTEST_NEAR = 6
"""Shorter names that differ by a letter are considered different people, as are e-mail addresses."""
