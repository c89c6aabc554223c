"""How a person names the rows, columns and values of a table, and writes its numbers: in other units, rounded."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Decimal

from tests.benchmarks.table_grids import Grid, Value

SPELLED = {
    "precision": "prec.", "recall": "rec.", "F-measure": "F1", "mean": "average", "min": "minimum", "max": "maximum",
    "min.": "minimum", "max.": "maximum", "std": "standard deviation", "number of": "no. of",
    "RI": "Rand index", "Rand index": "RI", "mean squared error": "MSE", "negative log-likelihood": "NLL",
    "test log-likelihood": "test LL", "temp": "temperature", "percentage of": "share of", "parameters": "params",
    "FP rate": "false positive rate", "R2": "R^2", "score": "result", "VOI": "variation of information",
    "number of reverts": "revert count", "num.": "number of", "time": "runtime", "total": "tot.",
    "percent error": "error rate",
}  # fmt: skip
"""Header words, with their abbreviations or full forms in reviews."""
WORDS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
LONG = {
    "s": "seconds",
    "ms": "milliseconds",
    "GB": "gigabytes",
    "h": "hours",
    "mas": "milliarcseconds",
    "mm": "millimetres",
}


class Naming:
    """How a person names the rows, columns and values of one table."""

    def __init__(self, grid: Grid, rng: random.Random, own: Sequence[Grid]) -> None:
        self.grid, self.rng = grid, rng
        self.others = [g for g in own if g is not grid]
        self.named = [r for r, name in enumerate(grid.rows) if plain(name) and grid.rows.count(name) == 1]
        self.columns = [c for c, name in enumerate(grid.columns) if plain(name) and grid.columns.count(name) == 1]
        self.cells = [(r, c) for r in self.named for c in self.columns if grid.values[r][c] is not None]
        self.rows = "columns" if grid.transposed else "rows"
        self.respelled = False
        """Whether this statement abbreviates header words or spells them out."""

    def sentence(self, clause: str, cells: Sequence[tuple[int, int]]) -> str:
        """Returns the clause as a sentence, mostly with the table's number; ``cells`` are those it is about."""
        table = f"{self.rng.choice(('Table', 'Table', 'Table', 'Tab.'))} {self.grid.number}"
        if cells and self.rng.random() < 0.25 and all(self.only_here(r) for r, _ in cells):
            opening = self.rng.choice(("{}", "the authors report that {}", "we note that {}", "{}"))
            return self.capital(opening.format(clause)) + "."
        forms = (
            "{t} shows that {c}", "according to {t}, {c}", "in {t}, {c}", "{c} ({t})", "as reported in {t}, {c}",
            "{t} reports that {c}", "the results in {t} indicate that {c}", "from {t} we see that {c}", "{c}, see {t}",
            "I note that {c} in {t}", "judging by {t}, {c}",
        )  # fmt: skip
        return self.capital(self.rng.choice(forms).format(t=table, c=clause)) + "."

    def capital(self, sentence: str) -> str:
        """Capitalises the sentence, unless it starts with the name of a row or column."""
        names = [n for n in (*self.grid.rows, *self.grid.columns) if not n.startswith(("the ", "a "))]
        named = any(re.match(re.escape(n) + r"(?!\w)", sentence) for n in names)
        return sentence if named else sentence[0].upper() + sentence[1:]

    def only_here(self, row: int) -> bool:
        """Returns whether no other table of the paper has this row."""
        return not any(self.grid.rows[row] in (*g.rows, *g.columns) for g in self.others)

    def value(self, row: int, column: int) -> Value:
        value = self.grid.values[row][column]
        assert value is not None
        return value

    def row(self, row: int) -> str:
        return self.grid.rows[row]

    def quantity(self, column: int) -> str:
        """Returns what a column (or the whole table) measures: "precision", "mean squared error"."""
        name = self.grid.measure or self.grid.columns[column]
        if not self.grid.measure and self.rng.random() < 0.6:
            name = re.sub(r"\b[A-Z](?=[a-z]+\b)", lambda found: found[0].lower(), name)
        if not self.grid.measure and re.search(r"[^s\W]s\b(?: (?:missing|trimmed|[aA]llocated|at\b.*))?$", name):
            percent = any(self.grid.unit(r, column) == "%" for r in range(len(self.grid.rows)))
            if not re.match(r"number|total number|percentage", name, re.IGNORECASE):
                name = f"{'percentage' if percent else 'number'} of {name}"
        if self.respelled:
            for word, other in SPELLED.items():
                found = re.sub(rf"(?<![\w-]){re.escape(word)}(?![\w-])", other, name, count=1, flags=re.IGNORECASE)
                if found != name and found not in self.grid.columns:
                    return found
        return name

    def where(self, column: int) -> str:
        """Returns " on <column>" if columns say what was measured on, otherwise ""."""
        return f" {self.grid.on} {self.grid.columns[column]}" if self.grid.measure else ""

    def noun(self, row: int, column: int) -> str:
        """Returns the value as a noun phrase: "the precision of X", "the error of X on Y"."""
        of = self.grid.of if self.grid.measure else "for" if self.grid.setting else self.rng.choice(("of", "for"))
        return f"the {self.quantity(column)} {of} {self.row(row)}{self.where(column)}"

    def said(self, row: int, column: int, number: str) -> str:
        """Returns a clause that gives the cell this number."""
        subject, quantity, on = self.row(row), self.quantity(column), self.where(column)
        of = self.grid.of if self.grid.measure else "for"
        forms = [
            f"{self.noun(row, column)} is {number}",
            f"{self.noun(row, column)} amounts to {number}",
            f"{self.noun(row, column)} equals {number}",
            f"{an(quantity)} of {number} is reported {'for' if of == 'of' else of} {subject}{on}",
            f"the authors report {an(quantity)} of {number} {'for' if of == 'of' else of} {subject}{on}",
            f"{number} is given as {self.noun(row, column)}",
            f"{of if of != 'of' else 'for'} {subject}, the {quantity}{on} is {number}",
            f"{number} is the {quantity} {'for' if of == 'of' else of} {subject}{on}",
            f"{self.noun(row, column)} was found to be {number}",
            f"{'for' if of == 'of' else of} {subject}, {an(quantity)} of {number} was obtained{on}",
        ]
        if not self.grid.setting and of in ("of", "for"):
            forms += [
                f"{subject} has {an(quantity)} of {number}{on}",
                f"{subject} shows {an(quantity)} of {number}{on}",
                f"with {an(quantity)} of {number}{on}, {subject} is listed",
            ]
            if self.grid.better:
                forms += [
                    f"{subject} achieves {an(quantity)} of {number}{on}",
                    f"{subject} reaches {number} {quantity}{on}",
                ]
        return self.rng.choice(forms)

    def shown(self, value: Value, row: int, column: int) -> str:
        """Returns the value as a reviewer writes it: the digits of the table, mostly with its unit."""
        return self.with_unit(value.digits, self.grid.unit(row, column))

    def with_unit(self, digits: str, unit: str) -> str:
        if unit == "%":
            return digits + self.rng.choice(("%", "%", " %", " percent", "%"))
        if unit in ("m", "M", "k"):
            return digits + self.rng.choice((unit, " million" if unit != "k" else " thousand"))
        if not unit or self.rng.random() < 0.4:
            return digits
        return f"{digits} {self.rng.choice((unit, LONG.get(unit, unit)))}"

    def pick(self) -> tuple[int, int]:
        return self.rng.choice(self.cells)

    def two_rows(self) -> tuple[int, int, int] | None:
        """Returns two rows with different values in one column, in the same unit, or None."""
        row, column = self.pick()
        rows = [r for r in self.named if r != row and self.comparable((row, column), (r, column))]
        return (row, self.rng.choice(rows), column) if rows else None

    def two_columns(self) -> tuple[int, int, int] | None:
        """Returns a row and two columns with different values in the same unit, or None."""
        row, column = self.pick()
        columns = [c for c in self.columns if c != column and self.comparable((row, column), (row, c))]
        return (row, column, self.rng.choice(columns)) if columns else None

    def comparable(self, one: tuple[int, int], other: tuple[int, int]) -> bool:
        a, b = self.grid.values[one[0]][one[1]], self.grid.values[other[0]][other[1]]
        same = a is not None and b is not None and self.grid.unit(*one) == self.grid.unit(*other)
        return same and a is not None and b is not None and not agree(a, b)

    def free(self, number: Decimal, row: int, column: int) -> bool:
        """Returns whether no cell of this row and column has this number."""
        near = [*self.grid.values[row], *self.grid.column(column)]
        return all(v is None or v.number != number for v in near)


# --- numbers ---------------------------------------------------------------------------------------------------------


def agree(a: Value, b: Value) -> bool:
    """Returns whether one of two values equals the other, possibly rounded."""
    if a.unit != b.unit and a.number and b.number:
        return False
    places = min(a.places, b.places)
    step = Decimal(1).scaleb(-places)
    return abs(a.number - b.number) < step


def like(number: Decimal, like: Value) -> Value:
    return Value(number, f"{number:,}" if "," in like.digits else str(number), like.unit)


def conversions(value: Value, unit: str, fraction: bool, truth: bool) -> list[str]:
    """Returns the value in another unit: correctly, or with the unit confused."""
    number, digits = value.number, value.digits
    if number == 0:
        return []
    if fraction and not unit and 0 < number < 1:
        if truth:
            return [f"{trimmed(number * 100)}%", f"{trimmed(number * 100)} percent", f"{trimmed(number * 100)} %"]
        return [f"{digits}%", f"{trimmed(number * 10)}%", f"{trimmed(number)} percent"]
    if unit == "%":
        if truth:
            return [
                f"{trimmed(number / 100)} as a fraction",
                f"{digits} percent",
                f"{trimmed(number / 100)} (as a fraction of one)",
            ]
        shares = [f"{trimmed(number / 10)} as a fraction", f"{trimmed(number / 1000)} as a fraction"]
        return [shares[0], f"{trimmed(number / 100)}%", f"{trimmed(number / 100)} percent", shares[1]]
    if unit in ("m", "M", "k"):
        right, wrong = (
            (("thousand",), ("million", "billion")) if unit == "k" else (("million",), ("thousand", "billion"))
        )
        return [f"{digits} {word}" for word in (right if truth else wrong)]
    if not unit and value.places == 0 and number >= 10_000 and not fraction:
        word, factor = ("million", 1_000_000) if number >= 1_000_000 else ("thousand", 1000)
        short = rounded_to(number / factor, Decimal("0.1"))
        if short is None:
            return []
        other = "thousand" if word == "million" else "million"
        return [f"about {short} {word}", f"roughly {short} {word}"] if truth else [
            f"about {short} {other}", f"roughly {short} {other}", f"about {short * 10} {word}"]  # fmt: skip
    thousandth = trimmed(number / 1000)
    table: dict[str, tuple[list[str], list[str]]] = {
        "s": ([f"{digits} seconds", f"{trimmed(number * 1000)} ms"], ["ms", "minutes", "hours"]),
        "ms": ([f"{thousandth} s", f"{digits} milliseconds"], ["s", "seconds", "minutes"]),
        "GB": ([f"{digits} gigabytes"], ["MB", "KB", "TB"]),
        "kcal/mol": ([f"{digits} kcal per mole"], ["kJ/mol", "cal/mol", "kJ per mole"]),
        "EUR/kW": ([f"{digits} euros per kilowatt"], ["EUR/MW", "EUR/W", "euros per megawatt"]),
        "mas": ([f"{thousandth} arcsec", f"{digits} milliarcseconds"], ["arcsec", "arcseconds"]),
        "mm": ([f"{trimmed(number / 10)} cm", f"{digits} millimetres"], ["cm", "m"]),
    }
    if unit not in table:
        return []
    converted, confused = table[unit]
    return converted if truth else [f"{digits} {name}" for name in confused]


def rounding_step(value: Value, rng: random.Random) -> Decimal | None:
    """Returns a step for rounding the value that leaves at least two significant digits, or None."""
    magnitude = value.number.adjusted()
    steps = [
        Decimal(1).scaleb(n) for n in range(-value.places + 1, magnitude) if n < 0 or value.places or n >= 2 or n == 0
    ]
    return rng.choice(steps) if steps and value.number else None


def rounded_to(number: Decimal, step: Decimal) -> Decimal | None:
    """Rounds to a multiple of ``step``; None if both neighbours are about equally near or nothing changes."""
    rest = (abs(number) / step) % 1
    if abs(rest - Decimal("0.5")) < Decimal("0.06") or rest == 0:
        return None
    rounded = (number / step).quantize(Decimal(1), ROUND_HALF_UP) * step
    return Decimal(int(rounded)) if step >= 1 else rounded.quantize(step)


def trimmed(number: Decimal) -> str:
    return f"{number.normalize():f}"


# --- words -----------------------------------------------------------------------------------------------------------


def plain(name: str) -> bool:
    """Returns whether a row's or column's name is usable as it is: words, no stray digits or pieces of formulas."""
    return (
        len(name) > 1
        and re.search(r"[^\W\d_]", name) is not None
        and not re.search(r"∞|\d \d \d|\(Branch\)|[?�]| -$", name)
    )


def spelled(number: int) -> str:
    return WORDS[number] if number < len(WORDS) else str(number)


def an(phrase: str) -> str:
    """Returns the phrase with its indefinite article."""
    vowel = re.match(r"[aeio]|up|un[^i]|[FLMNRSX](?=\d|\b|[A-Z])|[AEIO]|MAE|MSE|NLL|RI\b|R2|R\^2", phrase)
    return f"{'an' if vowel else 'a'} {phrase}"
