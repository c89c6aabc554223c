"""The tables beside the plots: what to check, comparison of methods, comparison of scenarios."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

import numpy as np
from PySide6.QtWidgets import QWidget

from desktop_app.panes.calibration.board import Board
from desktop_app.panes.calibration.matrix_field import Selection
from desktop_app.widgets.fact_table import FactTable
from engine.calibration.comparison import ComparisonRow
from engine.calibration.decisions import disagreeing, disagreement, knows_disagreement
from engine.calibration.ranking import among_first, ranks
from engine.calibration.records import ScoreProblem
from engine.calibration.tasks import Refit

if TYPE_CHECKING:
    from engine.exchange.scores import Decision


LISTED = 200


class ChoosingTable(FactTable):
    """A table whose rows can refer to an item or a referee, which is selected with the row."""

    def __init__(
        self,
        name: str,
        columns: Sequence[str],
        selection: Selection | None = None,
        parent: QWidget | None = None,
        *,
        wraps: bool = False,
    ) -> None:
        super().__init__(name, columns, parent, wraps=wraps)
        self._selection = selection
        self._keys: list[tuple[int | None, int | None]] = []
        self.cellClicked.connect(lambda row, _column: self._choose(row))
        self.currentCellChanged.connect(lambda row, *_others: self._choose(row) if self.hasFocus() else None)

    def show_rows(self, rows: Sequence[Sequence[str]], keys: Sequence[tuple[int | None, int | None]] = ()) -> None:
        """Shows rows; ``keys`` are the item and referee of each row, None if it refers to none."""
        self._keys = []  # ignore rows that Qt makes current while filling the table
        super().show_rows(rows)
        self._keys = list(keys)

    def _choose(self, row: int) -> None:
        if self._selection is not None and 0 <= row < len(self._keys):
            item, referee = self._keys[row]
            self._selection.choose(item=item, referee=referee)


def show_attention(table: ChoosingTable, board: Board, problems: Sequence[ScoreProblem]) -> None:
    """Lists noisy referees, then items whose reviews disagree by more than chance, then doubtful rows of the imported
    file."""
    fit, reviews = board.current.calibration, board.current.prepared.reviews
    rows: list[tuple[str, str, str]] = []
    keys: list[tuple[int | None, int | None]] = []
    weak = np.flatnonzero(board.weak)
    for referee in weak[np.argsort(fit.trust[weak], kind="stable")]:
        trust = f"trust {fit.trust[referee]:.2f}".replace("-", "−")
        rows.append((f"! {board.referees[referee]}", "noisy referee", trust))
        keys.append((None, int(referee)))
    apart = disagreement(reviews, fit)
    differ = np.flatnonzero(disagreeing(reviews, fit))
    for item in differ[np.argsort(-apart[differ], kind="stable")]:
        rows.append((board.items[item], "reviews disagree", f"{apart[item]:.2f}"))
        keys.append((int(item), None))
    if problems:
        from engine.exchange.scores import DECISIONS

        decided = ((problem, cast("Decision", problem.decision)) for problem in problems)
        rows.extend((problem.sentence, problem.kind, DECISIONS[decision]) for problem, decision in decided)
    if not knows_disagreement(fit):
        rows.append(("Noisy referees and disagreeing reviews", "not checked", "unknown with this method or table"))
    table.show_rows(rows or [("Nothing to check", "", "")], keys)


def show_comparison(table: ChoosingTable, rows: Sequence[ComparisonRow]) -> None:
    def number(value: float | None, form: str) -> str:
        return "–" if value is None else format(value, form).replace("-", "−")

    table.show_rows(
        [
            (
                row.title + (f": {row.refusal}" if row.refusal else ""),
                number(row.average_log_likelihood, ".3f"),
                number(row.correlation, ".3f"),
                number(row.mean_rank_difference, ".1f"),
                "–" if row.crossings is None else str(row.crossings),
            )
            for row in rows
        ]
    )


def show_scenarios(table: ChoosingTable, refits: Sequence[Refit], items: Sequence[str], cutoff: int | None) -> None:
    """Shows ranks, one row per item and one column per calculated scenario, most moved items first."""
    scores = [refit.calibration.score for refit in refits]
    places, above = [ranks(score) for score in scores], [among_first(score, cutoff) for score in scores]
    table.setColumnCount(1 + len(refits))
    table.setHorizontalHeaderLabels(["Item", *(refit.scenario.name for refit in refits)])
    if not places:
        table.show_rows([])
        return
    filled = np.nan_to_num(np.stack(places), nan=len(items) + 1)
    order = np.argsort(-np.ptp(filled, axis=0), kind="stable")[:LISTED]

    def shown(column: int, item: int) -> str:
        rank = places[column][item]
        return "–" if np.isnan(rank) else f"{rank:g}" + " ✓" * bool(above[column][item])

    table.show_rows(
        [(items[i], *(shown(column, i) for column in range(len(places)))) for i in order],
        [(int(i), None) for i in order],
    )
