"""What an assignment of reviewers is made from: scores, loads, conflicts of interest and bids, as tables."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from engine.errors import BadInput
from engine.exchange.io import read_table
from engine.exchange.tables import Field, number, plan_columns
from engine.shown import counted

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

_NOTHING = "Nothing was assigned."
_MOST = 10_000_000
"""Papers times reviewers: each takes some 40 bytes."""
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
    reviewers without a score, and repeated ones, are counted in ``warnings``. Raises BadInput for unreadable rows.
    """
    import numpy as np

    given = [(pair, _number(score, where)) for where, (*pair, score) in _rows(scores, _SCORE)]
    found = {(paper, reviewer): score for (paper, reviewer), score in given}
    if not found:
        raise BadInput(f"{scores.name} has no scores.", _NOTHING, "Write it with rejoinder similarity score.")
    papers, reviewers = (tuple(dict.fromkeys(pair[at] for pair in found)) for at in (0, 1))
    rows, columns = ({name: at for at, name in enumerate(names)} for names in (papers, reviewers))
    if len(papers) * len(reviewers) > _MOST:
        raise BadInput(
            f"{scores.name} has {len(papers):,} papers and {len(reviewers):,} reviewers, more than fit into memory.",
            _NOTHING, "Assign the reviewers of one track after the other.",
        )  # fmt: skip
    matrix = np.full((len(papers), len(reviewers)), np.nan)
    for (paper, reviewer), score in found.items():
        matrix[rows[paper], columns[reviewer]] = score
    warnings = []
    if again := len(given) - len(found):
        said = counted(again, "row repeats a pair", "rows repeat a pair")
        warnings.append(f"{scores.name}: {said}; its last score counts.")

    def known(path: Path, field: Field) -> Iterator[tuple[str, int, int, str]]:
        unknown = 0
        for where, (paper, reviewer, value) in _rows(path, field, rows):
            if (paper, reviewer) in found:
                yield where, rows[paper], columns[reviewer], value
            else:
                unknown += 1
        if unknown:
            said = counted(unknown, "row about a pair without a score was", "rows about pairs without a score were")
            warnings.append(f"{path.name}: {said} left out.")

    if bids:
        low = np.nanmin(matrix)
        for where, row, column, bid in known(bids, _BID):
            power = BIDS.get(bid.casefold())
            power = _number(bid, where) if power is None else power
            if not -1 <= power <= 1:
                raise BadInput(f"{where}: the bid {bid} isn't between -1 and 1.", _NOTHING, "Scale the bids.")
            matrix[row, column] = low + (found[papers[row], reviewers[column]] - low) * 2**power
    if conflicts:
        for _, row, column, _ in known(conflicts, Field("", (), needed=False)):
            matrix[row, column] = np.nan
    most = np.full(len(reviewers), -1)
    unknown = 0
    for where, (_, reviewer, load) in _rows(loads, _LOAD, papers=False):
        if reviewer not in columns:
            unknown += 1
            continue
        most_papers = _number(load, where)
        if most_papers < 0 or not most_papers.is_integer():
            raise BadInput(f"{where}: the load {load} isn't a whole number.", _NOTHING, "Correct it, then try again.")
        most[columns[reviewer]] = min(most_papers, len(papers))
    if unknown:
        left = counted(unknown, "reviewer without a score was", "reviewers without a score were")
        warnings.append(f"{loads.name}: {left} left out.")
    if missing := int((most < 0).sum()):
        warnings.append(f"{counted(missing, 'reviewer')} without a load in {loads.name} got no papers.")
    return Problem(papers, reviewers, matrix, most.clip(0), tuple(warnings))


def _rows(
    path: Path, value: Field, known: Collection[str] = (), *, papers: bool = True
) -> Iterator[tuple[str, tuple[str, str, str]]]:
    """Where each row is, for messages, and its paper ("" without ``papers``), reviewer and value ("" of conflicts). A
    line with a number, or with a paper that is ``known``, has no column names."""
    table = read_table(path)
    fields = [*([_PAPER] if papers else []), _REVIEWER, *([value] if value.name else [])]
    plan = plan_columns(table, fields)
    rows = list(zip(table.numbers, table.rows, strict=True))
    data = any(name in known or number(name) is not None for name in table.columns)
    if "name" in plan.reasons.values() and not data:
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
        raise BadInput(f"{where}: “{cell}” isn't a number.", _NOTHING, "Correct it, with a point as the decimal mark.")
    return found
