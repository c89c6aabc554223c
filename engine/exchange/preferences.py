"""Preferences between items as tables: CSV of our own, and the tables that crowd-kit reads.

Our CSV has a row a judgement: ``item_a,item_b,winner,annotator`` (item_a stood left) and, where known, ``repeat``,
``milliseconds`` and ``note``. ``winner`` is one of the two items, ``tie``, ``unsuitable`` or ``skip``. crowd-kit's
pairwise aggregators know no ties: its table ``worker,left,right,label`` has the decided pairs, a second file the ties.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from engine.errors import BadInput
from engine.exchange.io import csv_file, parse_table
from engine.exchange.records import Export, ExportFile, LossReport
from engine.exchange.tables import Field, plan_columns
from engine.rebuttal.preferences.records import Answer, Comparison
from engine.shown import counted

COLUMNS = ("item_a", "item_b", "winner", "annotator", "repeat", "milliseconds", "note")
FIELDS = (
    Field("item_a", ("item a", "left", "first", "a")),
    Field("item_b", ("item b", "right", "second", "b")),
    Field("winner", ("winner", "label", "preferred")),
    Field("annotator", ("annotator", "worker", "judge"), needed=False),
    *(Field(name, (name,), needed=False) for name in COLUMNS[4:]),
)
Layout = Literal["csv", "crowd-kit"]
_LISTED = 10
"""From how many rows on one side's winning every time means that the columns tell no sides."""
_SIDES: dict[str, Answer] = {
    "a": "left", "item_a": "left", "left": "left", "b": "right", "item_b": "right", "right": "right",
    "tie": "tie", "both": "tie", "draw": "tie", "equal": "tie",
    "unsuitable": "unsuitable", "neither": "unsuitable", "skip": "skip",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class PreferenceRow:
    """One judgement of two items by their names; ``item_a`` stood left."""

    item_a: str
    item_b: str
    answer: Answer
    annotator: str = ""
    repeat: bool = False
    milliseconds: int | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class Preferences:
    """What a table held: items in the order in which they appear, rows, and sentences on rows that were left out."""

    items: tuple[str, ...]
    rows: tuple[PreferenceRow, ...]
    warnings: tuple[str, ...] = ()

    @property
    def sides_known(self) -> bool:
        """Whether item_a can have stood left: not where one column won every time, as in lists of (winner, loser)."""
        decided = {row.answer for row in self.rows} & {"left", "right"}
        return len(decided) != 1 or len(self.rows) < _LISTED

    def comparisons(self) -> tuple[Comparison, ...]:
        """The rows that compare (preferences and ties), with positions in ``items``."""
        place = {item: at for at, item in enumerate(self.items)}
        winners: dict[Answer, Literal[0, 1] | None] = {"left": 0, "right": 1, "tie": None}
        return tuple(
            Comparison(place[row.item_a], place[row.item_b], winners[row.answer])
            for row in self.rows
            if row.answer in winners
        )


def read_preferences(text: str, name: str) -> Preferences:
    """Reads either table. Rows without two different items or with an unknown winner are left out and named in the
    warnings.

    Raises:
        BadInput: the columns are not there, or the file is no CSV.
    """
    table = parse_table(text, name)
    plan = plan_columns(table, FIELDS)
    ties = plan.missing == ("winner",) and "worker" in table.columns  # which crowd-kit's own table cannot hold
    if plan.missing and not ties:
        raise BadInput(
            f"{name} has no column named {' or '.join(plan.missing)}.",
            "Nothing was read.",
            "The first line should read item_a,item_b,winner,annotator.",
        )
    places = {field: table.columns.index(column) for field, column in plan.columns.items() if column}
    warnings = list(table.warnings)
    found = []
    for number, cells in zip(table.numbers, table.rows, strict=True):
        values = {field: cells[place].strip() for field, place in places.items()}
        found.append(_row({**values, **({"winner": "tie"} if ties else {})}, number, warnings))
    rows = tuple(row for row in found if row is not None)
    items = dict.fromkeys(item for row in rows for item in (row.item_a, row.item_b))
    return Preferences(tuple(items), rows, tuple(warnings))


def _row(values: dict[str, str], number: int, warnings: list[str]) -> PreferenceRow | None:
    first, second, winner = (values[column] for column in COLUMNS[:3])
    if not first or not second or first == second:
        warnings.append(f"Row {number} doesn't name two different items and was left out.")
        return None
    named: dict[str, Answer] = {first: "left", second: "right"}
    answer = named.get(winner) or _SIDES.get(winner.lower())
    if answer is None:
        warnings.append(f"Row {number} has the winner “{winner}”, which isn't one of its items, and was left out.")
        return None
    spent = values.get("milliseconds", "")
    return PreferenceRow(
        first,
        second,
        answer,
        values.get("annotator", ""),
        values.get("repeat", "").lower() in ("1", "yes", "true"),
        int(spent) if spent.isascii() and spent.isdigit() and len(spent) < 10 else None,
        values.get("note", ""),
    )


def write_preferences(rows: Sequence[PreferenceRow], layout: Layout = "csv", stem: str = "preferences") -> Export:
    """The files of a layout, named after ``stem``."""
    if layout == "csv":
        return Export((csv_file(f"{stem}.csv", COLUMNS, [_cells(row) for row in rows]),), LossReport())
    decided = [row for row in rows if row.answer in ("left", "right")]
    ties = [row for row in rows if row.answer == "tie"]
    others = len(rows) - len(decided) - len(ties)
    files: tuple[ExportFile, ...] = (
        csv_file(
            f"{stem}-crowd-kit.csv",
            ("worker", "left", "right", "label"),
            [(row.annotator, row.item_a, row.item_b, _winner(row)) for row in decided],
        ),
        csv_file(
            f"{stem}-crowd-kit-ties.csv",
            ("worker", "left", "right"),
            [(row.annotator, row.item_a, row.item_b) for row in ties],
        ),
    )
    lost = ["Times, notes and repetition marks are left out."]
    if others:
        lost.append(f"{counted(others, 'skipped or unsuitable pair is', 'skipped or unsuitable pairs are')} left out.")
    return Export(files, LossReport(tuple(lost)))


def _cells(row: PreferenceRow) -> tuple[str, ...]:
    return (
        row.item_a, row.item_b, _winner(row), row.annotator, "1" if row.repeat else "",
        "" if row.milliseconds is None else str(row.milliseconds), row.note,
    )  # fmt: skip


def _winner(row: PreferenceRow) -> str:
    return {"left": row.item_a, "right": row.item_b}.get(row.answer, row.answer)


def merged(parts: Iterable[Preferences]) -> Preferences:
    """Several tables as one."""
    found = tuple(parts)
    items = dict.fromkeys(item for part in found for item in part.items)
    return Preferences(
        tuple(items),
        tuple(row for part in found for row in part.rows),
        tuple(warning for part in found for warning in part.warnings),
    )
