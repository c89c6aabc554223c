"""English statements about the tables of the papers in ``styles``, as reviewers write them, true and false, by seed.

``statements(folder, seed)`` yields them; ``rates(judge, statements)`` counts a judge's verdicts. The tables come from
``table_grids``, not from the product's table reader. There are ten kinds, each with true and false statements:

cell (another value), digits (two digits transposed), row (the value of another row), column (of another column),
superlative, direction (higher or lower), unit (percent, fraction, thousands, seconds, ...), rounding (wrong, or digits
that the table doesn't have), difference (or ratio), count (of rows, "all rows", "no row").

A false statement is false by calculation: its number differs from every reading of the right cell, a superlative has
one winner in a column without gaps, and thresholds differ from all values. Rank tables ("higher" is ambiguous) yield
only the first four kinds. A statement without a table number names a row that only one table of the paper has.
"""

from __future__ import annotations

import argparse
import random
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from itertools import pairwise
from pathlib import Path

from tests.benchmarks.judge_rates import rates
from tests.benchmarks.table_grids import Grid, Value, grids
from tests.benchmarks.table_naming import Naming, an, conversions, like, rounded_to, rounding_step, spelled

__all__ = ["KINDS", "Statement", "rates", "statements", "table_statements"]

KINDS = (
    "cell", "digits", "row", "column", "superlative", "direction", "unit", "rounding", "difference", "count",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement about a table of a paper, and whether it is true. ``table_number`` is as in the caption."""

    paper: str
    pdf: Path
    table_number: str
    text: str
    true: bool
    kind: str


def statements(styles_folder: Path, seed: int) -> Iterator[Statement]:
    """Yields true and false statements about the tables under ``styles_folder``, reproducible by seed."""
    yield from table_statements(tuple(grids(styles_folder)), seed)


def table_statements(tables: Sequence[Grid], seed: int) -> Iterator[Statement]:
    """Yields statements about ``tables``: one per table, kind and truth, more for papers with few tables."""
    papers: dict[str, list[Grid]] = defaultdict(list)
    for grid in tables:
        papers[grid.paper].append(grid)
    for paper, own in papers.items():
        times = 1 if len(own) >= 6 else 2 if len(own) >= 3 else 3
        seen: set[str] = set()
        for index, grid in enumerate(own):
            writer = _Writer(grid, random.Random(f"{seed} {paper} {index}"), own)
            for kind in KINDS:
                for truth in (True, False):
                    for _ in range(times):
                        text = writer.write(kind, truth, seen)
                        if text:
                            seen.add(text)
                            yield Statement(paper, grid.pdf, grid.number, text, truth, kind)


# --- naming rows, columns and values ----------------------------------------------------------------------------------


class _Writer(Naming):
    """Writes statements about one table."""

    def write(self, kind: str, truth: bool, seen: set[str], attempts: int = 60) -> str | None:
        """Returns a statement of this kind, or None if the table yields none that is not in ``seen``."""
        if not self.cells or (self.grid.ordinal and kind not in KINDS[:4]):
            return None
        for _ in range(attempts):
            self.respelled = self.rng.random() < (0.5 if kind == "digits" else 0.15)
            clause = getattr(self, f"_{kind}")(truth)
            if clause is not None:
                text = self.sentence(*clause)
                if text not in seen:
                    return text
        return None

    # --- the kinds: each gives a clause and the cells it is about, or None --------------------------------------------

    def _cell(self, truth: bool) -> tuple[str, list[tuple[int, int]]] | None:
        row, column = self.pick()
        value = self.value(row, column)
        if not truth:
            changed = self._changed(value)
            if changed is None or not self.free(changed.number, row, column):
                return None
            value = changed
        return self.said(row, column, self.shown(value, row, column)), [(row, column)]

    def _changed(self, value: Value) -> Value | None:
        """Returns a plausible other value with the same decimals, at least 4 % and three last digits away, or None."""
        factor = Decimal(str(round(self.rng.uniform(0.04, 0.4), 3))) * self.rng.choice((1, -1))
        step = Decimal(1).scaleb(-value.places)
        number = (value.number * (1 + factor)).quantize(step, ROUND_HALF_UP)
        if value.places == 0 and abs(value.number) < 30:
            number = value.number + self.rng.choice((-3, -2, 2, 3))
            if number < 0 <= value.number:
                return None
        elif abs(number - value.number) < 3 * step:
            return None
        if value.number <= 100 < number or value.number <= 1 < number:
            return None
        return like(number, value)

    def _digits(self, truth: bool) -> tuple[str, list[tuple[int, int]]] | None:
        row, column = self.pick()
        value = self.value(row, column)
        if sum(char.isdigit() for char in value.digits) < 3:
            return None
        if not truth:
            plain = [n for n, char in enumerate(value.digits) if char.isdigit()]
            pairs = [(a, b) for a, b in pairwise(plain) if value.digits[a] != value.digits[b]]
            if not pairs:
                return None
            a, b = self.rng.choice(pairs)
            digits = list(value.digits)
            digits[a], digits[b] = digits[b], digits[a]
            swapped = "".join(digits)
            if re.match(r"-?0\d", swapped) or (value.digits.startswith("0.") and not swapped.startswith("0.")):
                return None
            number = Decimal(swapped.replace(",", ""))
            if not self.free(number, row, column) or (self.grid.unit(row, column) == "%" and number > 100):
                return None
            value = Value(number, swapped, value.unit)
        return self.said(row, column, self.shown(value, row, column)), [(row, column)]

    def _row(self, truth: bool) -> tuple[str, list[tuple[int, int]]] | None:
        found = self.two_rows()
        if found is None:
            return None
        row, other, column = found
        if self.rng.random() < 0.5:
            taken = row if truth else other
            return self.said(row, column, self.shown(self.value(taken, column), taken, column)), [(row, column)]
        first, second = (row, other) if truth else (other, row)
        a, b = (
            self.shown(self.value(first, column), first, column),
            self.shown(self.value(second, column), second, column),
        )
        name, rival, quantity, on = self.row(row), self.row(other), self.quantity(column), self.where(column)
        form = self.rng.choice((
            f"{self.noun(row, column)} is {a}, compared with {b} for {rival}",
            f"the {quantity}{on} is {a} for {name} and {b} for {rival}",
            f"{name} and {rival} have {an(quantity)} of {a} and {b}{on}, respectively",
            f"while {self.noun(row, column)} is {a}, that of {rival} is {b}",
            f"{an(quantity)} of {a} is reported for {name} but {b} for {rival}{on}",
            f"the {quantity}{on} goes from {a} for {name} to {b} for {rival}",
            f"for {name} the {quantity}{on} is {a}, whereas for {rival} it is {b}",
            f"at {a}, {self.noun(row, column)} differs from the {b} of {rival}",
        ))  # fmt: skip
        return form, [(row, column), (other, column)]

    def _column(self, truth: bool) -> tuple[str, list[tuple[int, int]]] | None:
        found = self.two_columns()
        if found is None:
            return None
        row, column, other = found
        if self.rng.random() < 0.5:
            taken = column if truth else other
            return self.said(row, column, self.shown(self.value(row, taken), row, taken)), [(row, column)]
        first, second = (column, other) if truth else (other, column)
        a, b = self.shown(self.value(row, first), row, first), self.shown(self.value(row, second), row, second)
        name = self.row(row)
        if self.grid.measure:
            quantity, on = self.quantity(column), self.grid.on
            one, two = self.grid.columns[column], self.grid.columns[other]
            of = f"{self.grid.of} {name}"
            form = self.rng.choice((
                f"the {quantity} {of} is {a} {on} {one} and {b} {on} {two}",
                f"the {quantity} {of} goes from {a} {on} {one} to {b} {on} {two}",
                f"{on} {one}, the {quantity} {of} is {a}, but {on} {two} it is {b}",
                f"{a} and {b} are the values of the {quantity} {of} {on} {one} and {two}, respectively",
                f"the {quantity} {of} changes between {one} ({a}) and {two} ({b})",
                f"the authors report {an(quantity)} of {a} {on} {one} and of {b} {on} {two} for {name}",
                f"while the {quantity} {of} {on} {one} is {a}, it is {b} {on} {two}",
                f"the {quantity} {of} is reported as {a} {on} {one} compared with {b} {on} {two}",
            ))  # fmt: skip
        else:
            one, two = self.quantity(column), self.quantity(other)
            form = self.rng.choice((
                f"the {one} for {name} is {a} and the {two} is {b}",
                f"for {name}, the {one} is {a} while the {two} is {b}",
                f"for {name}, {an(one)} of {a} and {an(two)} of {b} are reported",
                f"{name} is listed with {an(one)} of {a} and {an(two)} of {b}",
                f"{a} and {b} are the {one} and the {two} for {name}, respectively",
                f"for {name} the authors give {a} ({one}) and {b} ({two})",
                f"the {one} and the {two} for {name} are {a} and {b}",
                f"the {two} for {name} is {b}, against {an(one)} of {a}",
            ))  # fmt: skip
        return form, [(row, column), (row, other)]

    def _superlative(self, truth: bool) -> tuple[str, list[tuple[int, int]]] | None:
        _, column = self.pick()
        values = self.grid.column(column)
        full = [v for v in values if v is not None]
        if len(full) < len(values) or len(full) < 3 or len({self.grid.unit(r, column) for r in range(len(values))}) > 1:
            return None
        high = self.rng.random() < 0.5
        order = sorted(range(len(values)), key=lambda r: self._scaled(r, column), reverse=high)
        best, second = self._scaled(order[0], column), self._scaled(order[1], column)
        others = [r for r in self.named if self._scaled(r, column) != best]
        if best == second or (truth and order[0] not in self.named) or not others:
            return None
        row = order[0] if truth else self.rng.choice(others)
        if not truth and order[1] in others and self.rng.random() < 0.4:
            row = order[1]
        words = ["highest", "highest", "largest", "greatest"] if high else ["lowest", "lowest", "smallest"]
        if any(v.number < 0 for v in full):
            words = words[:1]
        if self.grid.better == ("high" if high else "low"):
            words.append("best")
        word, quantity, on, name = self.rng.choice(words), self.quantity(column), self.where(column), self.row(row)
        top = "at the top" if high else "at the bottom"
        forms = [
            f"the {word} {quantity}{on} is obtained for {name}",
            f"the {word} {quantity}{on} belongs to {name}",
            f"{self.noun(row, column)} is the {word} of all {self.rows}",
            f"among all {self.rows}, {name} has the {word} {quantity}{on}",
            f"the {word} {quantity}{on} is that of {name}",
            f"the {word} value of the {quantity}{on} is reported for {name}",
            f"{name} is {top} when the {self.rows} are sorted by the numerical value of {quantity}{on}",
            f"no other {self.rows[:-1]} has {'as high' if high else 'as low'} {an(quantity)}{on} as {name}",
        ]
        if not self.grid.setting and self.grid.of == "of":
            forms += [f"{name} has the {word} {quantity}{on}", f"{name} shows the {word} {quantity}{on}"]
            if word == "best":
                forms += [f"{name} performs best in terms of {quantity}{on}"] * 2
        return self.rng.choice(forms), []

    def _scaled(self, row: int, column: int) -> Decimal:
        value = self.value(row, column)
        return value.number * {"k": 1000, "m": 1_000_000, "M": 1_000_000}.get(value.unit, 1)

    def _direction(self, truth: bool) -> tuple[str, list[tuple[int, int]]] | None:
        if self.grid.measure and self.rng.random() < 0.4:
            columns = self.two_columns()
            if columns is None:
                return None
            row, column, other = columns
            higher = (self.value(row, column).number > self.value(row, other).number) is truth
            name, quantity, on = f"{self.grid.of} {self.row(row)}", self.quantity(column), self.grid.on
            one, two = self.grid.columns[column], self.grid.columns[other]
            cells = [(row, column), (row, other)]
            adjective, verb = ("higher", "rises") if higher else ("lower", "falls")
            return self.rng.choice((
                f"the {quantity} {name} is {adjective} {on} {one} than {on} {two}",
                f"{adjective} {quantity} {name} is reported {on} {one} than {on} {two}",
                f"the {quantity} {name} {verb} from {two} to {one}",
                f"compared with {two}, the {quantity} {name} is {adjective} {on} {one}",
            )), cells  # fmt: skip
        found = self.two_rows()
        if found is None:
            return None
        row, other, column = found
        higher = (self._scaled(row, column) > self._scaled(other, column)) is truth
        name, rival, quantity, on = self.row(row), self.row(other), self.quantity(column), self.where(column)
        negative = min(self.value(row, column).number, self.value(other, column).number) < 0
        adjective = "higher" if higher else "lower"
        if not negative:
            adjective = self.rng.choice((adjective, adjective, "larger" if higher else "smaller"))
        rises, above = ("rises", "exceeds") if higher else ("drops", "is below")
        if negative:
            above = "is numerically above" if higher else "is numerically below"
        forms = [
            f"{self.noun(row, column)} is {adjective} than that of {rival}",
            f"the {quantity}{on} is {adjective} for {name} than for {rival}",
            f"compared with {rival}, the {quantity}{on} is {adjective} for {name}",
            f"the {quantity}{on} {rises} from {rival} to {name}",
            f"{an(adjective)} {quantity}{on} is reported for {name} than for {rival}",
            f"{self.noun(row, column)} {above} that of {rival}",
            f"replacing {rival} by {name}, the {quantity}{on} becomes {adjective}",
            f"when we compare {name} with {rival}, the {quantity}{on} of the former is {adjective}",
        ]
        if not self.grid.setting and self.grid.of == "of":
            forms.append(f"{name} has {an(adjective)} {quantity}{on} than {rival}")
            if self.grid.better:
                good = higher is (self.grid.better == "high")
                forms += [f"{name} {'outperforms' if good else 'is worse than'} {rival} in terms of {quantity}{on}"] * 2
        return self.rng.choice(forms), [(row, column), (other, column)]

    def _unit(self, truth: bool) -> tuple[str, list[tuple[int, int]]] | None:
        row, column = self.pick()
        value, unit = self.value(row, column), self.grid.unit(row, column)
        wordings = conversions(value, unit, self.grid.fraction, truth)
        if not wordings:
            return None
        return self.said(row, column, self.rng.choice(wordings)), [(row, column)]

    def _rounding(self, truth: bool) -> tuple[str, list[tuple[int, int]]] | None:
        row, column = self.pick()
        value, unit = self.value(row, column), self.grid.unit(row, column)
        if not truth and value.places and self.rng.random() < 0.25:
            step = Decimal(1).scaleb(-value.places)
            tail = Decimal(self.rng.randint(61, 139)).scaleb(-2 - value.places) * self.rng.choice((1, -1))
            finer = value.number + tail
            if abs(tail) < step * Decimal("0.6") or finer % (step / 10) == 0 or finer * value.number <= 0:
                return None
            return self.said(row, column, self.with_unit(str(finer), unit)), [(row, column)]
        to = rounding_step(value, self.rng)
        right = to and rounded_to(value.number, to)
        if to is None or right is None:
            return None
        step = to
        number = right
        if not truth:
            number = right - step if right >= value.number else right + step
            away = abs(number - value.number) / step
            if not Decimal("0.8") <= away <= Decimal("1.5") or number == 0 or (str(number).endswith("0") and step < 1):
                return None
        digits = f"{number:,}" if "," in value.digits else f"{number}"
        if step >= 1:
            digits = f"{int(number):,}" if "," in value.digits else f"{int(number)}"
        shown = self.with_unit(digits, unit)
        forms = ["{} (rounded)", "{} after rounding", "{} when rounded", "rounded {}"]
        if truth or abs(number - value.number) > abs(value.number) * Decimal("0.08"):
            forms += ["about {}", "roughly {}", "approximately {}", "around {}", "some {}", "ca. {}"]
        if step < 1:
            forms += ["{}", "{}", "{}"]
        return self.said(row, column, self.rng.choice(forms).format(shown)), [(row, column)]

    def _difference(self, truth: bool) -> tuple[str, list[tuple[int, int]]] | None:
        found = self.two_rows()
        if found is None:
            return None
        row, other, column = found
        a, b = self.value(row, column), self.value(other, column)
        if a.number < b.number:
            row, other, a, b = other, row, b, a
        if a.unit != b.unit:
            return None
        if b.number > 0 and Decimal("1.3") <= a.number / b.number <= 30 and self.rng.random() < 0.5:
            clause = self._ratio(truth, row, other, column)
        else:
            clause = self._gap(truth, row, other, column)
        return (clause, [(row, column), (other, column)]) if clause else None

    def _gap(self, truth: bool, row: int, other: int, column: int) -> str | None:
        a, b = self.value(row, column), self.value(other, column)
        gap, unit = a.number - b.number, self.grid.unit(row, column)
        step = Decimal(1).scaleb(-max(a.places, b.places))
        if not truth:
            wrong = (gap * Decimal(str(self.rng.choice((0.4, 0.6, 0.75, 1.3, 1.5, 1.8, 2.5))))).quantize(
                step, ROUND_HALF_UP
            )
            if abs(wrong - gap) < max(3 * step, gap * Decimal("0.15")) and not (
                step == 1 and gap < 10 and wrong != gap
            ):
                return None
            if wrong <= 0 or wrong in (a.number, b.number):
                return None
            gap = wrong
        digits = f"{gap:,}" if "," in a.digits else str(gap)
        if unit == "%":
            shown = digits + self.rng.choice((" percentage points", " points", " percentage points"))
        else:
            shown = self.with_unit(digits, unit)
        name, rival, quantity, on = self.row(row), self.row(other), self.quantity(column), self.where(column)
        of = self.grid.of if self.grid.measure else "for" if self.grid.setting else "of"
        return self.rng.choice((
            f"{self.noun(row, column)} exceeds that of {rival} by {shown}",
            f"the {quantity}{on} is {shown} higher for {name} than for {rival}",
            f"the {quantity} {of} {name} and {rival} differs{on} by {shown}",
            f"between {rival} and {name}, the {quantity}{on} increases by {shown}",
            f"there is a difference of {shown} in {quantity}{on} between {name} and {rival}",
            f"{rival} is {shown} below {name} in {quantity}{on}",
            f"going from {name} to {rival} lowers the {quantity}{on} by {shown}",
            f"the gap in {quantity}{on} between {name} and {rival} is {shown}",
        ))  # fmt: skip

    def _ratio(self, truth: bool, row: int, other: int, column: int) -> str | None:
        ratio = self.value(row, column).number / self.value(other, column).number
        if not truth:
            ratio *= Decimal(str(self.rng.choice((0.55, 0.7, 1.4, 1.6, 2))))
        stated = ratio.quantize(Decimal("0.1"), ROUND_HALF_UP)
        if stated <= 1 or abs(abs(ratio * 10) % 1 - Decimal("0.5")) < Decimal("0.05"):
            return None
        shown = f"{self.rng.choice(('', 'about ', 'roughly ', 'approximately '))}{stated}"
        name, rival, quantity, on = self.row(row), self.row(other), self.quantity(column), self.where(column)
        return self.rng.choice((
            f"{self.noun(row, column)} is {shown} times that of {rival}",
            f"the {quantity}{on} is {shown} times as high for {name} as for {rival}",
            f"the ratio between {self.noun(row, column)} and that of {rival} is {shown}",
            f"compared with {rival}, the {quantity}{on} for {name} is {shown} times as large",
            f"from {rival} to {name}, the {quantity}{on} grows by a factor of {shown}",
            f"{self.noun(other, column)} is smaller than that of {name} by a factor of {shown}",
        ))  # fmt: skip

    def _count(self, truth: bool) -> tuple[str, list[tuple[int, int]]] | None:
        _, column = self.pick()
        rows = range(len(self.grid.rows))
        values = self.grid.column(column)
        unit = self.grid.unit(0, column)
        if any(v is None or v.unit != (values[0].unit if values[0] else "") for v in values) or len(values) < 3:
            return None
        numbers = sorted({self.value(r, column).number for r in rows})
        above = self.rng.random() < 0.5
        shape = self.rng.choice(("some", "some", "all", "none"))
        threshold = self._threshold(numbers, shape if truth else "some", above)
        if threshold is None:
            return None
        count = sum((self.value(r, column).number > threshold) is above for r in rows)
        shown, n = self.with_unit(f"{threshold:,}" if threshold >= 10_000 else str(threshold), unit), len(rows)
        word, quantity, on = "above" if above else "below", self.quantity(column), self.where(column)
        one, many, written = self.rows[:-1], self.rows, spelled(n)
        has, level = f"{an(quantity)}{on} {word} {shown}", f"{word} {shown}"
        forms: tuple[str, ...]
        if shape == "all" and (count == n) is truth:
            forms = (
                f"the {quantity}{on} is {level} in all {written} {many}",
                f"all {many} have {has}",
                f"in every {one}, the {quantity}{on} is {level}",
                f"every {one} shows {has}",
            )
        elif shape == "none" and (count == 0) is truth:
            forms = (
                f"no {one} has {has}",
                f"the {quantity}{on} is never {level}",
                f"none of the {written} {many} has {has}",
                f"in none of the {many} is the {quantity}{on} {level}",
            )
        elif shape == "some" and 0 < count < n:
            stated = count if truth else count + self.rng.choice((-2, -1, 1, 2))
            if not 0 < stated < n:
                return None
            verb, is_, noun = ("has", "is", one) if stated == 1 else ("have", "are", many)
            forms = (
                f"exactly {spelled(stated)} of the {written} {many} {verb} {has}",
                f"the {quantity}{on} is {level} in exactly {stated} of {n} {many}",
                f"the number of {many} with {has} is {stated}",
                f"there {is_} exactly {spelled(stated)} {noun} with {has}",
            )
        else:
            return None
        return self.rng.choice(forms), []

    def _threshold(self, numbers: Sequence[Decimal], shape: str, above: bool) -> Decimal | None:
        """Returns a short number that no row has: between two values, or beyond all of them for "all" and "none"."""
        if len(numbers) < 2:
            return None
        spread = numbers[-1] - numbers[0]
        if shape == "some":
            place = self.rng.randrange(len(numbers) - 1)
            low, high = numbers[place], numbers[place + 1]
        elif (shape == "all") is above:
            low, high = numbers[0] - spread / 2, numbers[0]
        else:
            low, high = numbers[-1], numbers[-1] + spread / 2
        for places in range(-6, 6):
            step = Decimal(1).scaleb(-places)
            number = ((low + high) / 2 / step).quantize(Decimal(1), ROUND_HALF_UP) * step
            if low < number < high:
                number = number.quantize(step) if places >= 0 else Decimal(int(number))
                return None if number < 0 <= numbers[0] else number
        return None


def main() -> None:
    """Prints the statements of one seed for visual inspection."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("styles", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    made = list(statements(given.styles, given.seed))
    for s in made:
        print(s.paper, s.table_number, s.kind, s.true, s.text, sep="\t")


if __name__ == "__main__":
    main()
