"""Finds tables that may have been read wrongly, by what a table can't be: their reading decides nothing."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import pairwise

from engine.documents.search import union
from engine.documents.tables import Cell, Table
from engine.statements.grids import grid_of, lay_out

_DECIMAL = re.compile(r"[<>~≈±−–+-]{0,2}\d*\.\d+%?")
_CUT = re.compile(r".*\d\s*(?:±|\+/-)|(?:±|\+/-)\s*\d.*")
"""A number without its error, or an error without its number."""
_ADJACENT = re.compile(r"[−–+<>~-]?\d[\d.,]*%?(?: [−–+<>~-]?\d[\d.,]*%?)+")
_SEVERAL = re.compile(r"(?:^|(?<=\s))[−–+-]?\d[\d,]*\.\d+(?: (?:m?s|secs?|mins?|h))? [−–+-]?\d[\d,]*\.\d+(?:$|(?=\s))")
"""Two numbers with decimals in one cell, as of two columns."""
_NEAR = 1.0
"""Greatest overlap of two columns in points."""


def doubt_of(table: Table, columns: Iterable[int] = ()) -> str:
    """Returns why a table may have been read wrongly, as a sentence; "" if nothing suggests it or it has no rows, or if
    only the headings of less than half of its columns are doubtful and none of ``columns`` is among these."""
    why, unsure = _reason(table) if table.rows else ("", frozenset())
    if unsure and (own := frozenset(columns)) and unsure.isdisjoint(own):
        return ""
    return f"Table {table.number} may not have been read completely: {why}." if why else ""


def trusted(tables: Iterable[Table]) -> list[Table]:
    return [table for table in tables if not doubt_of(table)]


@lru_cache(maxsize=256)
def _reason(table: Table) -> tuple[str, frozenset[int]]:
    """Returns why a table may have been read wrongly, and the columns that this is about if it isn't all of them."""
    layout = lay_out(grid_of(table)[0])
    body = [cell for row in table.rows if not row.header for cell in row.cells]
    heads = [[c.number or 0.0 for c in row.cells if _DECIMAL.fullmatch(c.text)] for row in table.rows if row.header]
    columns: defaultdict[int, list[Cell]] = defaultdict(list)
    for cell in body:
        if cell.number is not None:
            columns[cell.column].append(cell)
    boxes = [union([cell.box for cell in cells]) for _, cells in sorted(columns.items())]
    if any(len(row) > 1 and not _in_steps(row) for row in heads):
        return "a row of numbers was read as headings", frozenset()
    if any(
        _CUT.fullmatch(c.text) or (c.number is None and (_ADJACENT.fullmatch(c.text) or _SEVERAL.search(c.text)))
        for c in body
    ):
        return "its numbers weren't separated correctly", frozenset()
    if any(left.x1 > right.x0 + _NEAR for left, right in pairwise(boxes)):
        return "its columns overlap", frozenset()
    paths = {e.column: e.labels[layout.rows :] for e in layout.entries}
    times = Counter(paths.values())
    unsure = frozenset(column for column, path in paths.items() if not any(path) or times[path] > 1)
    sure = [e for e in layout.entries if e.column not in unsure]
    unnamed = not all(any(e.labels[: layout.rows]) for e in layout.entries)
    part = unsure if 2 * len(unsure) < len(paths) and not unnamed else frozenset[int]()
    if unnamed or not all(map(any, paths.values())):
        why = "some of its numbers have no row name or no heading"
    elif len({e.labels for e in layout.entries}) < len(layout.entries):
        why = "some of its numbers have the same row name and heading"
    else:
        return "", frozenset()
    return why, part if len({e.labels for e in sure}) == len(sure) else frozenset()


def _in_steps(numbers: Sequence[float]) -> bool:
    """Returns whether numbers are at equal distances, as thresholds above columns are."""
    steps = {round(after - before, 6) for before, after in pairwise(numbers)}
    return len(numbers) > 3 and len(steps) == 1 and 0 not in steps
