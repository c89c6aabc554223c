"""Statements generated from the tables of real papers, judged in their PDFs, from the parser to the verdict.

``python -m tests.benchmarks.table_verdicts STYLES --seed 1`` prints by paper the share of numbers that the reader put
into the right cell, then the shares of verdicts by truth, kind and worst paper: for all statements, for the papers that
the reader was developed on, for the held-back ones, and for tables with at least 95 % of the numbers right; also of
tables that the program doubts. With ``--latex``, the tables are those of papers with their LaTeX sources.
"""

from __future__ import annotations

import argparse
import hashlib
from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path

import numpy as np
from scipy.optimize import linear_sum_assignment

from engine.documents.service import DocumentService
from engine.documents.tables import Table, find_tables
from engine.statements.grids import grid_of, lay_out
from engine.statements.table_doubts import doubt_of
from engine.statements.tables import judge_in_document
from tests.benchmarks.judge_rates import rates
from tests.benchmarks.latex_grids import latex_grids
from tests.benchmarks.table_grids import Grid, grids
from tests.benchmarks.table_statements import Statement, table_statements

READ = 0.95

Cells = dict[tuple[int, int], float]
"""The numbers of a table without signs, by row and column."""


def held(paper: str) -> bool:
    """Returns whether the table reader was developed without this paper."""
    return int(hashlib.sha256(paper.encode()).hexdigest(), 16) % 2 == 1


def share_right(grid: Grid, tables: tuple[Table, ...]) -> float:
    """Returns the share of the hand-marked numbers in the right row and column of the parsed table.

    Rows and columns are matched by the numbers that they have in common.
    """
    wanted = {
        (c, r) if grid.transposed else (r, c): round(abs(float(value.number)), 6)
        for r, row in enumerate(grid.values)
        for c, value in enumerate(row)
        if value
    }
    own = (table for table in tables if table.number.upper() == grid.number.upper())
    return max((_in_place(wanted, _numbers(table)) for table in own), default=0.0)


def _numbers(table: Table) -> Cells:
    return {(e.row, e.column): round(abs(e.quantity.value), 6) for e in lay_out(grid_of(table)[0]).entries}


def _in_place(wanted: Cells, found: Cells) -> float:
    pairs = [_corresponding(_lines(wanted, axis), _lines(found, axis)) for axis in (0, 1)]
    right = sum(found.get((pairs[0].get(r, -1), pairs[1].get(c, -1))) == value for (r, c), value in wanted.items())
    return right / len(wanted)


def _lines(cells: Cells, axis: int) -> dict[int, Counter[float]]:
    lines: dict[int, Counter[float]] = defaultdict(Counter)
    for place, value in cells.items():
        lines[place[axis]][value] += 1
    return dict(sorted(lines.items()))


def _corresponding(wanted: dict[int, Counter[float]], found: dict[int, Counter[float]]) -> dict[int, int]:
    # Of lines with equally much in common, those at the same relative position match.
    common = [
        [(a & b).total() - 1e-6 * abs(n / len(wanted) - k / len(found)) for k, b in enumerate(found.values())]
        for n, a in enumerate(wanted.values())
    ]
    rows, columns = linear_sum_assignment(-np.array(common)) if found else ((), ())
    return {list(wanted)[r]: list(found)[c] for r, c in zip(rows, columns, strict=True)}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("styles", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--latex", action="store_true", help="folder/<paper>/ has paper.pdf, paper.aux and main.tex")
    given = parser.parse_args()
    marked = tuple(latex_grids(given.styles) if given.latex else grids(given.styles))
    with DocumentService() as service:
        tables = {pdf: find_tables(service.parse(pdf)) for pdf in sorted({grid.pdf for grid in marked})}
    shares = [(grid, share_right(grid, tables[grid.pdf])) for grid in marked]
    read_well = {(grid.paper, grid.number) for grid, share in shares if share >= READ}
    papers = sorted({grid.paper for grid in marked})
    for name, part in [
        *((f"{paper} ({'held' if held(paper) else 'development'})", {paper}) for paper in papers),
        ("Development", {p for p in papers if not held(p)}),
        ("Held", {p for p in papers if held(p)}),
        ("All", set(papers)),
    ]:
        own = [(sum(v is not None for row in grid.values for v in row), s) for grid, s in shares if grid.paper in part]
        right = sum(count * share for count, share in own) / max(1, sum(count for count, _ in own))
        read = sum(share >= READ for _, share in own)
        print(f"{name:<50} {read:2} of {len(own):2} tables read, {100 * right:5.1f} % of the numbers in the right cell")

    doubted = {(pdf, table.number.upper()) for pdf, own in tables.items() for table in own if doubt_of(table)}
    for name, chosen in (("Doubted", True), ("Not doubted", False)):
        shares_of = [share for grid, share in shares if ((grid.pdf, grid.number.upper()) in doubted) is chosen]
        print(f"{name:<50} {sum(s >= READ for s in shares_of):2} of {len(shares_of):2} tables read")

    def verdict(statement: Statement) -> str:
        found = judge_in_document(statement.text, tables[statement.pdf])
        return found.judgement.verdict if found else "not checked"

    made = list(table_statements(marked, given.seed))
    kinds: tuple[tuple[str, Callable[[Statement], bool]], ...] = (
        ("All tables", lambda s: True),
        ("Papers of the development half", lambda s: not held(s.paper)),
        ("Papers held back", lambda s: held(s.paper)),
        ("Tables that were read", lambda s: (s.paper, s.table_number) in read_well),
    )
    for title, chosen in kinds:
        print(f"\n{title}")
        print("\n".join(rates(verdict, filter(chosen, made)).lines()))


if __name__ == "__main__":
    main()
