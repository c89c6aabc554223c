"""Statements made from the tables of real papers, judged in their PDFs: from the parser to the verdict.

``python -m tests.benchmarks.table_verdicts STYLES --seed 1`` prints the shares by truth, kind and worst paper, for all
statements and for those about tables of which the reader found at least 95 % of the numbers.
"""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path

from engine.documents.service import DocumentService
from engine.documents.tables import Table, find_tables
from engine.statements.grids import grid_of, lay_out
from engine.statements.tables import judge_in_document
from tests.benchmarks.judge_rates import Rates, rates
from tests.benchmarks.table_grids import Grid, grids
from tests.benchmarks.table_statements import Statement, table_statements

READ = 0.95


def was_read(grid: Grid, tables: tuple[Table, ...]) -> bool:
    """Whether the reader found the numbers of a table that a person marked."""
    wanted = [round(abs(float(v.number)), 6) for row in grid.values for v in row if v]
    for table in tables:
        if table.number.upper() == grid.number.upper():
            found = Counter(round(abs(e.value), 6) for e in lay_out(grid_of(table)[0]).entries)
            if (found & Counter(wanted)).total() >= READ * len(wanted):
                return True
    return False


def measure(styles: Path, seed: int) -> tuple[Rates, Rates]:
    """The shares of all statements, and of those about tables that were read."""
    marked = tuple(grids(styles))
    with DocumentService() as service:
        tables = {pdf: find_tables(service.parse(pdf)) for pdf in sorted({grid.pdf for grid in marked})}
    read = {(grid.paper, grid.number) for grid in marked if was_read(grid, tables[grid.pdf])}

    def verdict(statement: Statement) -> str:
        found = judge_in_document(statement.text, tables[statement.pdf])
        return found.judgement.verdict if found else "not checked"

    made = list(table_statements(marked, seed))
    print(f"{len(read)} of {len(marked)} tables were read.")
    return rates(verdict, made), rates(verdict, (s for s in made if (s.paper, s.table_number) in read))


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("styles", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    for title, found in zip(("All tables", "Tables that were read"), measure(given.styles, given.seed), strict=True):
        print(f"\n{title}")
        print("\n".join(found.lines()))


if __name__ == "__main__":
    main()
