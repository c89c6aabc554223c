"""Checks of a paper's tables: pointed at, with their spread, the best in bold, totals that add up.

Each yields what a reader can look up, see ``pointers.py``.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from engine.documents.references import find_references
from engine.review_drafting.reading import in_quotes, quote, table_anchor, where
from engine.review_drafting.records import CellReading, Check, PaperReading, RowReading, TableReading
from engine.review_drafting.stages.pointers import MEASURE, finding
from engine.shown import listed
from engine.statements.measures import better_values
from engine.statements.tables import judge_in_document

_SPREAD = re.compile(
    r"±|˘ ?\d|\bstandard (?:deviations?|errors?)\b|\bstd\b|\bs\.?d\.|\bs\.?e\.m?\b|\bconfidence intervals?\b|\bcredible"
    r" intervals?\b"
    r"|\berror bars?\b|\bseeds?\b|\b(?:repeated|independent|multiple|several|five|ten|\d+) (?:runs|trials"
    r"|repetitions)\b"
    r"|\b(?:carried out|repeat\w*|run|ran|performed|trained|averaged)\b[^.]{0,40} times\b"
    r"|\baverag\w+ (?:over|across|of) (?:[\w-]+ ){0,3}(?:runs|seeds|trials|folds|splits|repetitions|samples)\b"
    r"|\bbox[- ]?plots?\b|\bpercentiles?\b|\bmcnemar\b|\bposterior\b"
    r"|\bbootstrap\w*|\bp[- ]?values?\b|\bp ?[<=] ?\d?\.?\d|\bstatistical(?:ly)? significan|\bsignificantly different\b"
    r"|\b[tz][- ]tests?\b|\bwilcoxon\b|\banova\b|\binter-?quartile\b",
    re.IGNORECASE,
)


_NO_COMPETITOR = re.compile(
    r"\b(?:references?|humans?|oracle|gold|ground[- ]truth|upper[- ]bound|true|exact|target|actual|observed)\b",
    re.IGNORECASE,
)


def variance(paper: PaperReading) -> Iterator[Check]:
    """Tables of measured performance in a paper without a word or a number on spread anywhere, as one question."""
    tables = [t for t in paper.tables if t.part not in ("data", "introduction") and _performance(t)]
    paragraphs = [p.text for p in paper.places.document.paragraphs if p.kind != "reference"]
    texts = [*(s.text for s in paper.sentences), *paragraphs]
    if not tables or any(map(_has_spread, tables)) or any(map(_SPREAD.search, texts)):
        return
    shown = tables[:3]
    give = "give" if len(shown) > 1 else "gives"
    words = (
        f"{listed([_named(table) for table in shown])} {give} no spread of the figures, and no standard deviation,"
        " interval, repeated runs or test of significance was found in the text."
    )
    anchors = map(table_anchor, shown)
    yield finding("no-variance", words, "Report how far these figures vary over runs, folds or samples.", *anchors)


def text_and_tables(paper: PaperReading) -> Iterator[Check]:
    """Sentences that give a figure of a table of the paper, where the table has another. Tables with gaps are not
    asked, as a figure may have been lost; nor are tables that share their number."""
    count = Counter(table.number for table in paper.tables)
    by_number = {table.number: table for table in paper.tables if count[table.number] == 1}
    tables = [table for table in paper.places.tables if table.number in by_number]
    whole = [t for t in tables if len({len(row.cells) for row in t.rows if not row.header}) == 1]
    for sentence in paper.sentences:
        if sentence.caption or not any(r.kind == "table" for r in find_references(sentence.text)):
            continue
        found = judge_in_document(sentence.text, whole)
        # A single figure of one cell; what compares or counts says more than the judge of statements reads.
        if found is not None and (found.judgement.verdict, found.judgement.kind) == ("contradicted", "value"):
            anchors = (quote(sentence), table_anchor(by_number[found.table.number]))
            words = (
                f"The text says {in_quotes(sentence.text)} {where(anchors[0])}. Does {anchors[1].ref}"
                f" (p. {anchors[1].page}) agree? {found.judgement.why}"
            )
            fix = "Correct the sentence or the table, or say what else is meant."
            yield finding("text-table", words, fix, *anchors)


def bold_not_best(paper: PaperReading) -> Iterator[Check]:
    """The one bold figure of a column that isn't the best, in a table where bold marks the best of other columns.

    Which is better, the column's heading says. Tables that set several figures of a column bold mean something else,
    and rows of reference values don't compete.
    """
    for table in paper.tables:
        right, wrong = 0, []
        for column in range(1 + max((c.column for row in table.rows for c in row.cells), default=-1)):
            cells = [
                (row, cell)
                for row, cell in table.cells(column)
                if cell.number is not None and not _NO_COMPETITOR.search(row.label)
            ]
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
    """Figures in a row called total or sum at the foot of a table that are not the sum of those above, where those in
    another column are: a total may count once what several rows count."""
    for table in paper.tables:
        rows = [row for row in table.rows if not row.header]
        if len(rows) < 3 or not re.match(r"\s*(?:total\b|sum\b|all\W*$)", rows[-1].label, re.IGNORECASE):
            continue
        sums: list[tuple[CellReading, float]] = []
        for total in rows[-1].cells:
            above = [c.number for row in rows[:-1] for c in row.cells if c.column == total.column]
            values = [v for v in above if v is not None and v.is_integer()]
            if total.number is not None and total.number.is_integer() and not total.percent:
                sums += [(total, sum(values))] if len(values) == len(rows) - 1 else []
        wrong = [(total, found) for total, found in sums if found != total.number]
        if len(wrong) == 1 and len(sums) > 1:
            total, found = wrong[0]
            above_it = f"{_named(table)}: the figures above {total.text}{_of(rows[-1])}"
            fix = f"Check the total in Table {table.number}, or say what it counts."
            yield finding("table-total", f"{above_it} sum to {found:,.0f}.", fix, table_anchor(table, total))


def _named(table: TableReading) -> str:
    return f"Table {table.number} (p. {table.page})"


def _of(row: RowReading) -> str:
    return f" (row “{row.label}”)" if row.label else ""


def _performance(table: TableReading) -> bool:
    """Whether a table compares figures of performance, not of cost: decimals in two rows and in most of the cells that
    its title, or the heading above them, calls a measure."""
    title = re.split(r"(?<=[a-z)][.])\s", table.caption, maxsplit=1)[0]
    titled = _MEASURED.search(title)
    if _COST.search(title):
        return False
    rows = [
        [c.text for c in row.cells if c.number is not None and (titled or _MEASURED.search(table.heading(c.column)))]
        for row in table.rows
        if not row.header
    ]
    decimals = ["." in text for row in rows for text in row]
    return sum(map(bool, rows)) >= 2 and sum(decimals) >= max(2, len(decimals) / 2)


_COST = re.compile(r"\brun-? ?times?\b|\bmemory\b|\btimings?\b", re.IGNORECASE)
_MEASURED = re.compile(MEASURE.replace("|correlation", r"|(?:pearson|spearman|matthews)\S* (?:\w+ )?correlation"), re.I)


def _has_spread(table: TableReading) -> bool:
    words = " ".join([table.caption, *(c.text for row in table.rows if row.header for c in row.cells)])
    in_cells = any(
        c.spread or re.search(r"\(\s*[-–−]?[\d.]+\s*[,;–-]\s*[-–−]?[\d.]+\s*\)|\d\s*\(\s*±?\.?\d[\d.]*\s*\)", c.text)
        for row in table.rows
        for c in row.cells
    )
    return bool(_SPREAD.search(words)) or bool(re.search(r"\binterval\b|\bp ?\(|\(p\)|p-val", words, re.I)) or in_cells
