"""Statements about small tables on many subjects, in the words of reviewers and authors, true and false in pairs.

``python -m tests.benchmarks.plain_tables`` prints the table judge's verdicts on those of each file in
``plain_statements``. A table consists of caption, headings and rows, with " & " between cells; a pair of its kind, the
statement with ``[[true||false]]`` where the two differ, and after ``::`` an expression over the cells with the same
alternatives, which evaluates to the truth of each: a statement that disagrees with the cells ends the run.
"""

from __future__ import annotations

import re
import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

from engine.statements.grids import TableGrid
from engine.statements.tables import judge
from tests.benchmarks.judge_rates import rates

FOLDER = Path(__file__).parent / "plain_statements"
_NUMBER = re.compile(r"[-−]?\d[\d,]*\.?\d*|[-−]?\.\d+")
_CELLS = re.compile(r"(?<!\S)&(?!\S)")
_PLACE = re.compile(r"\[\[(.*?)\|\|(.*?)\]\]")


@dataclass(slots=True)
class PlainTable:
    """A table as texts; ``pairs`` are kind, statement and expression."""

    name: str
    caption: str = ""
    heads: list[list[str]] = field(default_factory=list)
    rows: list[list[str]] = field(default_factory=list)
    pairs: list[tuple[str, str, str]] = field(default_factory=list)

    @property
    def grid(self) -> TableGrid:
        width = range(len(self.heads[-1]))
        return TableGrid(
            tuple(tuple(h[n] for h in self.heads) for n in width), tuple(map(tuple, self.rows)), self.caption
        )

    @property
    def columns(self) -> list[str]:
        return [" / ".join(dict.fromkeys(filter(None, path))) for path in self.grid.columns]


@dataclass(frozen=True, slots=True)
class PlainStatement:
    """A statement about a table, and whether it is true."""

    paper: str
    kind: str
    true: bool
    text: str
    grid: TableGrid


def read(path: Path) -> list[PlainTable]:
    """Returns the tables of a file."""
    tables: list[PlainTable] = []
    for line in filter(None, path.read_text(encoding="utf-8").splitlines()):
        if line.startswith("# "):
            tables.append(PlainTable(line[2:]))
        elif line.startswith("caption: "):
            tables[-1].caption = line.removeprefix("caption: ")
        elif line.startswith("head: "):
            tables[-1].heads.append([cell.strip() for cell in _CELLS.split(line.removeprefix("head: "))])
        elif line.startswith("> "):
            kind, rest = line[2:].split(": ", 1)
            text, expression = rest.rsplit(" :: ", 1)
            tables[-1].pairs.append((kind, text, expression))
        else:
            tables[-1].rows.append([cell.strip() for cell in _CELLS.split(line)])
    return tables


def statements(table: PlainTable) -> Iterator[PlainStatement]:
    """Yields the statements about a table. Raises ValueError for one whose truth disagrees with the cells."""
    names = _names(table)
    for kind, text, expression in table.pairs:
        for truth in (True, False):
            said, holds = (_PLACE.sub(r"\1" if truth else r"\2", one).strip() for one in (text, expression))
            if bool(eval(holds, names)) is not truth:
                raise ValueError(f"{table.name}: {said}")
            yield PlainStatement(table.name, kind, truth, said.replace("{T}", "Table 1"), table.grid)


def _names(table: PlainTable) -> dict[str, Any]:
    """Returns the functions for expressions: cells by parts of their labels, the largest, in order, nearly the same."""
    columns, rows = table.columns, [row[0] for row in table.rows]

    def find(labels: Sequence[str], wanted: str) -> int:
        hits = [n for n, x in enumerate(labels) if all(part.lower() in x.lower() for part in wanted.split("/"))]
        first = [n for n in hits if labels[n] == wanted] or [n for n in hits if labels[n].startswith(wanted)]
        (found,) = hits if len(hits) == 1 else first
        return found

    def cell(row: int, column: int) -> float:
        found = _NUMBER.search(table.rows[row][column])
        return float(found[0].replace(",", "").replace("−", "-")) if found else float("nan")

    def v(row: str, column: str) -> float:
        return cell(find(rows, row), find(columns, column))

    def col(column: str) -> list[float]:
        return [x for n in range(len(rows)) if (x := cell(n, find(columns, column))) == x]

    def row(name: str, of: Sequence[str] = ()) -> list[float]:
        chosen = [find(columns, c) for c in of] or range(1, len(columns))
        return [x for n in chosen if (x := cell(find(rows, name), n)) == x]

    def top(column: str, of: Sequence[str] = (), sign: int = 1) -> str:
        chosen = [find(rows, r) for r in of] or range(len(rows))
        return rows[max(chosen, key=lambda n: sign * cell(n, find(columns, column)))]

    def topcol(name: str, of: Sequence[str] = (), sign: int = 1) -> str:
        chosen = [find(columns, c) for c in of] or range(1, len(columns))
        return columns[max(chosen, key=lambda n: sign * cell(find(rows, name), n))]

    return {
        "v": v, "col": col, "row": row, "top": top, "topcol": topcol, "names": rows, "mean": statistics.mean,
        "low": lambda column, of=(): top(column, of, -1), "lowcol": lambda name, of=(): topcol(name, of, -1),
        "rises": lambda xs: all(a < b for a, b in pairwise(xs)),
        "falls": lambda xs: all(a > b for a, b in pairwise(xs)),
        "near": lambda x, y, share=0.08: abs(x - y) <= share * abs(y),
        "eq": lambda x, y, decimals=None: abs(x - y) <= 0.5 * 10.0 ** -_decimals(y, decimals) + 1e-9,
    }  # fmt: skip


def _decimals(value: float, decimals: int | None) -> int:
    return decimals if decimals is not None else len(str(value).partition(".")[2])


def main() -> None:
    for path in sorted(FOLDER.glob("*.txt")):
        made = [one for table in read(path) for one in statements(table)]
        print(path.stem)
        print("\n".join(rates(lambda s: judge(s.text, s.grid).verdict, made).lines()))


if __name__ == "__main__":
    main()
