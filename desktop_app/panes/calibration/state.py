"""State of the calibration pane: the current table of scores, scenario and selected review.

Every action is one undo step. The original scenario stays as imported: the first change to it creates another one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from desktop_app import present
from engine.calibration.comparison import ComparisonRow
from engine.calibration.scenarios import Change, ChangeKind, Scenario, StoredReview
from engine.calibration.store import CalibrationStore, ScoreTable
from engine.exchange.calibration import CalibrationExport
from engine.project import Project
from engine.shown import counted
from engine.text_search import next_match

if TYPE_CHECKING:
    from desktop_app.panes.calibration.board import Board
    from desktop_app.panes.calibration.matrix_field import Selection

PINS: dict[str, ChangeKind] = {"score": "pin_score", "bias": "pin_bias", "trust": "pin_trust"}


class CalibrationState:
    """Reads a project's score tables and writes the changes of the current scenario.

    Attributes:
        board: the calculated scenario and the original; None until both are calculated.
    """

    def __init__(self, selected: Selection) -> None:
        self._selected = selected
        self.open(None)

    def open(self, project: Project | None, table_id: str = "", scenario_id: str = "") -> None:
        """Opens a project; the ids are those of the table and scenario shown there last."""
        self._project = project
        self.store = CalibrationStore(project) if project is not None else None
        self.tables: tuple[ScoreTable, ...] = ()
        self.scenarios: tuple[Scenario, ...] = ()
        self.reviews: tuple[StoredReview, ...] = ()
        self.item_count = 0
        self.table: ScoreTable | None = None
        self.scenario: Scenario | None = None
        self.board: Board | None = None
        self._wanted_table, self._wanted_scenario = table_id, scenario_id

    def read(self) -> bool:
        """Reads the current table and scenario. Returns whether the table is another one than before."""
        before = self.table
        self.tables = self.verbs.tables()
        if not self.tables:
            self.open(self._project)
            return before is not None
        self.table = next((t for t in self.tables if t.id == self._wanted_table), self.tables[-1])
        self._wanted_table = self.table.id
        reviews = self.verbs.reviews(self.table.id)
        if reviews is not self.reviews:
            self.reviews, self.item_count = reviews, len({review.item for review in reviews})
        self.scenarios = self.verbs.scenarios(self.table.id)
        self.scenario = next((s for s in self.scenarios if s.id == self._wanted_scenario), self.scenarios[0])
        self._wanted_scenario = self.scenario.id
        if before is None or before.id != self.table.id:
            self.board = None
            return True
        return False

    @property
    def verbs(self) -> CalibrationStore:
        return present(self.store)

    @property
    def current(self) -> Scenario:
        return present(self.scenario)

    @property
    def can_import(self) -> bool:
        return self._project is not None and not self._project.read_only

    @property
    def can_change(self) -> bool:
        return self.can_import and self.scenario is not None

    @property
    def item(self) -> str:
        board, at = self.board, self._selected.item
        return board.items[at] if board is not None and 0 <= at < len(board.items) else ""

    @property
    def referee(self) -> str:
        board, at = self.board, self._selected.referee
        return board.referees[at] if board is not None and 0 <= at < len(board.referees) else ""

    @property
    def review(self) -> StoredReview | None:
        item, referee = self.item, self.referee
        return next((r for r in self.reviews if (r.item, r.referee) == (item, referee)), None)

    def score_of(self, review: StoredReview) -> float:
        """Returns a review's score in the current scenario; 0 if it has none of this name."""
        changed = self._made("set_score", review_id=review.id)
        if changed is not None and changed.value is not None:
            return changed.value
        name = self.current.score_name
        return dict(review.further).get(name, 0.0) if name else review.score

    @property
    def is_original(self) -> bool:
        return self.scenario is not None and self.scenario.id == self.scenarios[0].id

    def change(self, kind: ChangeKind, value: float | None = None, **where: str) -> None:
        """Adds a change to the scenario; ``where`` gives its ``review_id``, ``item`` or ``referee``."""
        if not self.is_original:
            self.verbs.change(self.current.id, kind, value=value, confidence=None, **where)
            return
        with present(self._project).action(self.verbs.titled(kind, **where)):
            self.new_scenario(self.free_name())
            self.verbs.change(self._wanted_scenario, kind, value=value, confidence=None, **where)

    def take_back(self, change: Change) -> None:
        self.verbs.take_back(self.current.id, change)

    def _toggle(self, kind: ChangeKind, value: float | None = None, **where: str) -> None:
        made = self._made(kind, **where)
        if made is not None:
            self.take_back(made)
        else:
            self.change(kind, value, **where)

    def _made(self, kind: ChangeKind, **where: str) -> Change | None:
        changes = self.scenario.in_force if self.scenario is not None else ()
        return next(
            (c for c in changes if c.kind == kind and all(getattr(c, name) == value for name, value in where.items())),
            None,
        )

    def exclude_review(self) -> None:
        self._toggle("exclude_review", review_id=present(self.review).id)

    def exclude_referee(self) -> None:
        self._toggle("exclude_referee", referee=self.referee)

    def _value(self, bank: str) -> float:
        return float(present(self.board).values("bias" if bank == "bias" else "trust")[self._selected.referee])

    def can_pin(self, bank: str) -> bool:
        """Returns whether the selected referee's "bias" or "trust" is known, or pinned and can be released."""
        if not self.can_change or not self.referee:
            return False
        return not np.isnan(self._value(bank)) or self._made(PINS[bank], referee=self.referee) is not None

    def pin_parameter(self, bank: str) -> None:
        """Pins the selected referee's "bias" or "trust" to its current value, or releases it."""
        self._toggle(PINS[bank], self._value(bank), referee=self.referee)

    def pin(self, bank: str, index: int, value: float) -> None:
        self.change(PINS[bank], value, **self._owner(bank, index))

    def release(self, bank: str, index: int) -> None:
        """Releases a pinned score, bias or trust, so that the model chooses it."""
        made = self._made(PINS[bank], **self._owner(bank, index))
        if made is not None:
            self.take_back(made)

    def _owner(self, bank: str, index: int) -> dict[str, str]:
        assert self.board is not None
        return {"item": self.board.items[index]} if bank == "score" else {"referee": self.board.referees[index]}

    def set_score(self, value: float) -> None:
        self.change("set_score", value, review_id=present(self.review).id)

    def add_review(self, value: float) -> None:
        self.change("add_review", value, item=self.item)

    def configure(self, method: str, prior_precision: float | None, score_name: str) -> None:
        now = self.current
        if (method, prior_precision, score_name) != (now.method, now.prior_precision, now.score_name):
            self.verbs.configure(now.id, method=method, prior_precision=prior_precision, score_name=score_name)

    def set_cutoff(self, cutoff: int | None) -> None:
        """Sets how many items are above the line; None for no line."""
        self.verbs.set_cutoff(present(self.table).id, cutoff)

    def rename(self, name: str) -> None:
        self.verbs.rename_scenario(self.current.id, name)

    def free_name(self) -> str:
        taken = {scenario.name for scenario in self.scenarios}
        return next(name for n in range(1, len(taken) + 2) if (name := f"What if {n}") not in taken)

    def show_table(self, table_id: str) -> None:
        """Selects the table for the next ``read``, with its original scenario."""
        self._wanted_table, self._wanted_scenario = table_id, ""

    def export(self, comparison: tuple[ComparisonRow, ...], made: str) -> CalibrationExport:
        """Returns the content of an export of the scenario; ``made`` is the date in its report."""
        reviews = tuple((review.id, review.item, review.referee) for review in self.reviews)
        table, board = present(self.table), present(self.board)
        return CalibrationExport(
            table.title, board.current, board.original, board.cutoff, table.problems, comparison, made, reviews,
            table.columns.get("score", ""),
        )  # fmt: skip

    def show_scenario(self, scenario_id: str) -> None:
        """Selects the scenario for the next ``read``."""
        self._wanted_scenario = scenario_id

    def show_next_scenario(self) -> None:
        keys = [scenario.id for scenario in self.scenarios]
        self.show_scenario(keys[(keys.index(self._wanted_scenario) + 1) % len(keys)])

    def new_scenario(self, name: str) -> None:
        self.show_scenario(self.verbs.add_scenario(self.current.id, name))

    def find(self, text: str, by: int) -> bool:
        """Selects an item, else a referee, by name and in the order shown, as ``next_match``; returns whether there is
        one."""
        board, selected = self.board, self._selected
        if board is None:
            return False
        for kind, names, order, now in (
            ("item", board.items, board.item_at.tolist(), selected.item),
            ("referee", board.referees, board.referee_at.tolist(), selected.referee),
        ):
            start = order.index(now) if now in order else -max(by, 0)
            listed = [names[place] for place in order]
            at = next_match(text, len(order), start, by, listed.__getitem__)
            if at is not None:
                selected.choose(**{kind: order[at]})
                return True
        return False


def moved_sentence(board: Board) -> str:
    """Describes how the ranking differs from the original one, and whether it is preliminary."""
    preliminary = "Preliminary. " if board.current.doubt is None else ""
    if not board.current.scenario.in_force and board.current.calibration is board.original.calibration:
        return f"{preliminary}As imported: no changes."
    verb = "changes" if board.moved.count == 1 else "change"
    words = f"{preliminary}{board.moved.count:,} of {counted(len(board.items), 'item')} {verb} rank"
    if board.cutoff is not None:
        rising, falling = ([board.items[i] for i in items] for items in (board.moved.rising, board.moved.falling))
        for items, where in ((rising, "now above the line"), (falling, "now below it")):
            words += f" · {len(items)} {where}" + (f" ({', '.join(items[:5])})" if items else "")
    return words
