"""What an assignment of reviewers is made from: scores, loads, conflicts of interest and bids, as tables."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from engine.errors import BadInput
from engine.exchange.io import read_table
from engine.exchange.limits import check_size
from engine.exchange.tables import Field, plan_columns
from engine.shown import counted

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

_NOTHING = "Nothing was assigned."
_PAPER = Field("paper", ("paper", "submission", "paper id", "submission id", "forum", "head"))
_REVIEWER = Field("reviewer", ("reviewer", "reviewer id", "user", "profile", "tail", "email"))
_SCORE = Field("score", ("score", "weight", "similarity", "affinity"), "number")
_LOAD = Field("load", ("load", "max papers", "quota", "max", "papers", "weight"), "number")
_BID = Field("bid", ("bid", "preference", "label", "weight"))
BIDS: Mapping[str, float] = {
    "very high": 1, "high": 0.5, "neutral": 0, "low": -0.5, "very low": -1,
    "eager": 1, "yes": 1, "willing": 0.5, "maybe": 0.5, "in a pinch": -0.5, "not willing": -1, "no": -1, "": 0,
}  # fmt: skip
"""Bids in the words of OpenReview, CMT and EasyChair as numbers from -1 to 1."""


@dataclass(frozen=True, slots=True)
class Problem:
    """``scores``: papers × reviewers, NaN where a pair must not be assigned or has no score; ``loads``: the most papers
    of each reviewer."""

    papers: tuple[str, ...]
    reviewers: tuple[str, ...]
    scores: npt.NDArray[np.float64]
    loads: npt.NDArray[np.int64]
    warnings: tuple[str, ...]


def read_problem(scores: Path, loads: Path, conflicts: Path | None = None, bids: Path | None = None) -> Problem:
    """Reads the tables. Without column names they hold paper, reviewer, number; that of loads reviewer, number.

    A bid of b multiplies how far a score lies above the lowest one by 2 to the power of b. Rows about papers and
    reviewers without a score are counted in ``warnings``. Raises BadInput for rows that cannot be read.
    """
    import numpy as np

    found = {(paper, reviewer): _number(score, where) for where, (paper, reviewer, score) in _rows(scores, _SCORE)}
    if not found:
        raise BadInput(f"{scores.name} has no scores.", _NOTHING, "Write it with rejoinder similarity score.")
    papers, reviewers = (tuple(dict.fromkeys(pair[at] for pair in found)) for at in (0, 1))
    rows, columns = ({name: at for at, name in enumerate(names)} for names in (papers, reviewers))
    check_size(len(papers) * len(reviewers), 50_000_000, scores.name, "pairs of a paper and a reviewer")
    matrix = np.full((len(papers), len(reviewers)), np.nan)
    for (paper, reviewer), score in found.items():
        matrix[rows[paper], columns[reviewer]] = score
    warnings = []

    def known(path: Path, field: Field) -> Iterator[tuple[str, int, int, str]]:
        unknown = 0
        for where, (paper, reviewer, value) in _rows(path, field):
            if paper in rows and reviewer in columns:
                yield where, rows[paper], columns[reviewer], value
            else:
                unknown += 1
        if unknown:
            one, many = (f"{row} about a paper or reviewer without a score" for row in ("row", "rows"))
            warnings.append(f"{path.name}: {counted(unknown, f'{one} was', f'{many} were')} left out.")

    if bids:
        low = np.nanmin(matrix)
        for where, row, column, bid in known(bids, _BID):
            power = BIDS.get(bid.casefold())
            power = _number(bid, where) if power is None else power
            if not -1 <= power <= 1:
                raise BadInput(f"{where}: the bid {bid} is not between -1 and 1.", _NOTHING, "Scale the bids.")
            matrix[row, column] = low + (matrix[row, column] - low) * 2**power
    if conflicts:
        for _, row, column, _ in known(conflicts, Field("", (), needed=False)):
            matrix[row, column] = np.nan
    most = np.full(len(reviewers), -1)
    unknown = 0
    for where, (_, reviewer, load) in _rows(loads, _LOAD, papers=False):
        if reviewer not in columns:
            unknown += 1
            continue
        number = _number(load, where)
        if number < 0 or number != int(number):
            raise BadInput(f"{where}: the load {load} is not a whole number.", _NOTHING, "Correct it, then try again.")
        most[columns[reviewer]] = int(number)
    if unknown:
        left = counted(unknown, "reviewer without a score was", "reviewers without a score were")
        warnings.append(f"{loads.name}: {left} left out.")
    if missing := int((most < 0).sum()):
        warnings.append(f"{counted(missing, 'reviewer')} without a load in {loads.name} got no papers.")
    return Problem(papers, reviewers, matrix, most.clip(0), tuple(warnings))


def _rows(path: Path, value: Field, *, papers: bool = True) -> Iterator[tuple[str, tuple[str, str, str]]]:
    """Where each row is, for messages, and its paper ("" without ``papers``), reviewer and value ("" of conflicts)."""
    table = read_table(path)
    fields = [*([_PAPER] if papers else []), _REVIEWER, *([value] if value.name else [])]
    plan = plan_columns(table, fields)
    rows = list(zip(table.numbers, table.rows, strict=True))
    if any(how == "name" for how in plan.reasons.values()):
        places = [table.columns.index(column) if (column := plan.columns[field.name]) else -1 for field in fields]
    else:  # no line of column names
        places = [at if at < len(table.columns) else -1 for at in range(len(fields))]
        if table.columns[:1] != ("column 1",):
            rows.insert(0, (1, table.columns))
    if -1 in places:
        raise BadInput(
            f"{path.name} has no column for the {fields[places.index(-1)].name}.", _NOTHING,
            f"Its columns must be {', '.join(field.name for field in fields)}.",
        )  # fmt: skip
    for at, row in rows:
        cells = [row[place].strip() for place in places]
        if not all(cells[: len(cells) - bool(value.name)]):
            raise BadInput(f"{path.name}, row {at}, has an empty name.", _NOTHING, "Fill it in, or remove the row.")
        cells = ([] if papers else [""]) + cells + ([] if value.name else [""])
        yield f"{path.name}, row {at}", (cells[0], cells[1], cells[2])


def _number(cell: str, where: str) -> float:
    try:
        found = float(cell)
    except ValueError:
        found = float("nan")
    if not math.isfinite(found):
        raise BadInput(f"{where}: “{cell}” is not a number.", _NOTHING, "Correct it, then try again.")
    return found
