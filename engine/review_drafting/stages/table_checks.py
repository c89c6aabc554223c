"""Checks of a paper's tables: pointed at, with their spread, the best in bold, totals that add up.

Each yields what a reader can look up, see ``pointers.py``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from engine.review_drafting.reading import quote, short, table_anchor, where
from engine.review_drafting.records import Check, PaperReading, RowReading, TableReading
from engine.review_drafting.stages.pointers import MEASURE, finding, listed
from engine.statements.measures import better_values

_SPREAD = re.compile(
    r"±|\bstandard (?:deviations?|errors?)\b|\bstd\b|\bs\.?d\.|\bs\.?e\.m?\b|\bconfidence intervals?\b|\bcredible"
    r" intervals?\b"
    r"|\berror bars?\b|\b(?:random )?seeds\b|\b(?:repeated|independent|multiple|several|five|ten|\d+) (?:runs|trials"
    r"|repetitions)\b"
    r"|\bvariance\b|\bbootstrap\w*|\bp[- ]?values?\b|\bp ?[<=] ?\d?\.?\d|\bsignifican(?:t|ce)\b|\binter-?quartile\b",
    re.IGNORECASE,
)


def variance(paper: PaperReading) -> Iterator[Check]:
    """Tables of measured performance without a word or a number on its spread, in the table or anywhere near."""
    tables = [
        t for t in paper.tables if t.part not in ("data", "introduction") and _performance(t) and not _has_spread(t)
    ]
    if not tables:
        return
    spoken = [s for s in paper.sentences if _SPREAD.search(s.text)]
    # One question for all tables: what one of them lacks the others mostly lack, too.
    shown = tables[:3]
    anchors = [table_anchor(table) for table in shown]
    give = "give" if len(shown) > 1 else "gives"
    nearest = min(spoken, key=lambda s: abs(s.page - shown[0].page), default=None)
    if nearest is not None:
        rest = f". The nearest word on it is {short(nearest)} {where(quote(nearest))}."
        anchors.append(quote(nearest))
    else:
        rest = ", and no standard deviation, interval, repeated runs or test of significance was found in the text."
    words = f"{listed([_named(table) for table in shown])} {give} no spread of the figures{rest}"
    yield finding("no-variance", words, "Report how far these figures vary over runs, folds or samples.", *anchors)


def bold_not_best(paper: PaperReading) -> Iterator[Check]:
    """The one bold figure of a column that isn't the best, in a table where bold marks the best of other columns.

    Which is better, the column's heading says. Tables that set several figures of a column bold mean something else.
    """
    for table in paper.tables:
        right, wrong = 0, []
        for column in range(1 + max((c.column for row in table.rows for c in row.cells), default=-1)):
            cells = [(row, cell) for row, cell in table.cells(column) if cell.number is not None]
            bold = [(row, cell) for row, cell in cells if cell.bold]
            best = better_values(table.heading(column), table.caption)
            if len(bold) > 1:
                right = -99
            if len(cells) < 3 or len(bold) != 1 or best is None:
                continue
            sign = -1.0 if best == "lower" else 1.0
            better_row, better = max(cells, key=lambda pair: sign * (pair[1].number or 0.0))
            row, cell = bold[0]
            if cell.number == better.number:
                right += 1
            elif not (len(row.cells) > 1 and all(other.bold for other in row.cells)):
                wrong.append((row, cell, better_row, better, best, column))
        if right < max(2, len(wrong) + 1):
            continue
        for row, cell, better_row, better, best, column in wrong:
            anchors = (table_anchor(table, cell), table_anchor(table, better))
            words = (
                f"{_named(table)} sets {cell.text} bold{_of(row)} in the column “{table.heading(column)}”, but"
                f" {better.text}{_of(better_row)} is {best}."
            )
            fix = f"Set the best figure of Table {table.number} bold, or say what bold means there."
            yield finding("bold-not-best", words, fix, *anchors, certain=True)


def table_totals(paper: PaperReading) -> Iterator[Check]:
    """Rows called total or sum at the foot of a table whose figures are not the sum of those above."""
    for table in paper.tables:
        rows = [row for row in table.rows if not row.header]
        if len(rows) < 3 or not re.match(r"\s*(?:total|sum|all)\b", rows[-1].label, re.IGNORECASE):
            continue
        for total in rows[-1].cells:
            above = [c for row in rows[:-1] for c in row.cells if c.column == total.column]
            values = [c.number for c in above if c.number is not None]
            counted = total.number is not None and not total.percent and float(total.number).is_integer()
            if not counted or len(values) != len(rows) - 1 or any(not v.is_integer() for v in values):
                continue
            assert total.number is not None
            if sum(values) != total.number and max(values) <= total.number:
                above_it = f"{_named(table)}: the figures above {total.text}{_of(rows[-1])}"
                fix = f"Check the total in Table {table.number}, or say what it counts."
                words = f"{above_it} sum to {sum(values):,.0f}."
                yield finding("table-total", words, fix, table_anchor(table, total))


def _named(table: TableReading) -> str:
    return f"Table {table.number} (p. {table.page})"


def _performance(table: TableReading) -> bool:
    """Whether a table compares figures of performance: a measure in its title or headings, and rows to compare."""
    title = re.split(r"(?<=[a-z)][.])\s", table.caption, maxsplit=1)[0]
    words = " ".join([title, *(c.text for row in table.rows if row.header for c in row.cells)])
    rows = [row for row in table.rows if not row.header and sum(c.number is not None for c in row.cells) >= 1]
    decimals = sum(1 for row in rows for c in row.cells if c.number is not None and "." in c.text)
    return bool(re.search(MEASURE, words, re.IGNORECASE)) and len(rows) >= 2 and decimals >= 2


def _has_spread(table: TableReading) -> bool:
    words = " ".join([table.caption, *(c.text for row in table.rows if row.header for c in row.cells)])
    in_cells = any(
        c.spread or re.search(r"\(\s*[-–−]?[\d.]+\s*[,;–-]\s*[-–−]?[\d.]+\s*\)|\d\s*\(\s*±?\.?\d[\d.]*\s*\)", c.text)
        for row in table.rows
        for c in row.cells
    )
    return bool(_SPREAD.search(words)) or bool(re.search(r"\binterval\b|\bp ?\(|\(p\)|p-val", words, re.I)) or in_cells


def _of(row: RowReading) -> str:
    return f" (row “{row.label}”)" if row.label else ""
