"""What a person can do to a scenario: every act is one undo step, and the original stays as it came."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QInputDialog, QWidget

from desktop_app.context import AppContext
from desktop_app.panes.base import Pane
from desktop_app.panes.calibration.board import Board, Selection
from desktop_app.panes.calibration.whatif import WhatIfBar
from engine.calibration.scenarios import Change, ChangeKind, Scenario
from engine.calibration.store import CalibrationStore, ScoreTable

if TYPE_CHECKING:
    from engine.calibration.scenarios import StoredReview

"""The key of the notice about an act that failed."""


class ScenarioPane(Pane):
    """Holds the table, the scenario that is shown and what is chosen in it, and changes them; what shows them is
    ``CalibrationPane``."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self.store: CalibrationStore | None = None
        self.table: ScoreTable | None = None
        self.scenario: Scenario | None = None
        self.reviews: tuple[StoredReview, ...] = ()
        self.board: Board | None = None
        self._wanted_table = self._wanted_scenario = ""
        self.selection = Selection(self)
        self.bar = WhatIfBar(context.commands, self.body)

    def can_import(self) -> bool:
        return self.project is not None and not self.project.read_only

    def can_change(self) -> bool:
        return self.can_import() and self.scenario is not None and self.body.isVisibleTo(self)

    def has_board(self) -> bool:
        return self.board is not None

    def has_item(self) -> bool:
        return self.can_change() and self.board is not None and 0 <= self.selection.item < len(self.board.items)

    def has_referee(self) -> bool:
        board = self.board
        return self.can_change() and board is not None and 0 <= self.selection.referee < len(board.referees)

    def has_review(self) -> bool:
        return self.has_item() and self.has_referee() and self.stored_review() is not None

    def has_changes(self) -> bool:
        return self.can_change() and self.scenario is not None and bool(self.scenario.changes)

    def can_remove_scenario(self) -> bool:
        return self.can_change() and self.bar.scenario.count() > 1 and not self._is_original()

    def _is_original(self) -> bool:
        return self.scenario is not None and self.bar.scenario.itemData(0) == self.scenario.id

    def stored_review(self) -> StoredReview | None:
        """The review at hand as the table has it."""
        board = self.board
        if board is None or self.selection.item < 0 or self.selection.referee < 0:
            return None
        item, referee = board.items[self.selection.item], board.referees[self.selection.referee]
        return next((r for r in self.reviews if (r.item, r.referee) == (item, referee)), None)

    # --- acts -----------------------------------------------------------------------------------------------------

    def change(
        self,
        kind: ChangeKind,
        *,
        review_id: str = "",
        item: str = "",
        referee: str = "",
        value: float | None = None,
        confidence: float | None = None,
    ) -> None:
        """Makes a change of the scenario. The original stays as it came: the first change begins a scenario."""
        store, scenario, project = self.store, self.scenario, self.project
        assert store is not None
        assert scenario is not None
        assert project is not None

        def write() -> None:
            target = scenario.id
            if self._is_original():
                with project.action("Begin a what-if"):
                    target = store.add_scenario(scenario.id, self._free_name())
                    self._wanted_scenario = target
                    store.change(
                        target,
                        kind,
                        review_id=review_id,
                        item=item,
                        referee=referee,
                        value=value,
                        confidence=confidence,
                    )
            else:
                store.change(
                    target, kind, review_id=review_id, item=item, referee=referee, value=value, confidence=confidence
                )

        self.act(write)

    def _free_name(self) -> str:
        assert self.store is not None
        assert self.table is not None
        taken = {s.name for s in self.store.scenarios(self.table.id)}
        return next(name for n in range(1, len(taken) + 2) if (name := f"What if {n}") not in taken)

    def _made(self, kind: ChangeKind, **where: str) -> Change | None:
        assert self.scenario is not None
        for made in self.scenario.changes:
            if made.kind == kind and all(getattr(made, name) == value for name, value in where.items()):
                return made
        return None

    def _toggle(self, kind: ChangeKind, value: float | None = None, **where: str) -> None:
        made = self._made(kind, **where)
        if made is not None:
            self.take_back(made)
        else:
            self.change(kind, value=value, **where)

    def _names(self) -> tuple[str, str]:
        assert self.board is not None
        item = self.board.items[self.selection.item] if self.selection.item >= 0 else ""
        return item, self.board.referees[self.selection.referee] if self.selection.referee >= 0 else ""

    def exclude_review(self) -> None:
        review = self.stored_review()
        assert review is not None
        self._toggle("exclude_review", review_id=review.id)

    def exclude_referee(self) -> None:
        self._toggle("exclude_referee", referee=self._names()[1])

    def pin_bias(self) -> None:
        assert self.board is not None
        value = float(self.board.current.calibration.bias[self.selection.referee])
        self._toggle("pin_bias", value, referee=self._names()[1])

    def pin_trust(self) -> None:
        assert self.board is not None
        value = float(self.board.values("trust")[self.selection.referee])
        if not np.isnan(value):
            self._toggle("pin_trust", value, referee=self._names()[1])

    def set_score(self, value: float) -> None:
        """Another score for the review at hand."""
        review = self.stored_review()
        assert review is not None
        self.change("set_score", review_id=review.id, value=value)

    def add_review(self, value: float) -> None:
        """A further review of the item at hand, by a referee whom nobody knows, with the usual confidence."""
        self.change("add_review", item=self._names()[0], value=value)

    def take_back(self, change: Change) -> None:
        store, scenario = self.store, self.scenario
        assert store is not None
        assert scenario is not None
        self.act(lambda: store.take_back(scenario.id, change))

    def _pin(self, bank: str, index: int, value: float) -> None:
        if not self.can_change():
            return
        assert self.board is not None
        if bank == "score":
            self.change("pin_score", item=self.board.items[index], value=value)
        else:
            kind: ChangeKind = "pin_bias" if bank == "bias" else "pin_trust"
            self.change(kind, referee=self.board.referees[index], value=value)

    def _free(self, bank: str, index: int) -> None:
        assert self.board is not None
        kinds: dict[str, ChangeKind] = {"score": "pin_score", "bias": "pin_bias", "trust": "pin_trust"}
        name = self.board.items[index] if bank == "score" else self.board.referees[index]
        made = self._made(kinds[bank], **{"item" if bank == "score" else "referee": name})
        if made is not None and self.can_change():
            self.take_back(made)

    def configure(self, method: str, prior_precision: float | None, score_name: str) -> None:
        """Method, lambda and calibrated score of the scenario that is shown."""
        store, scenario = self.store, self.scenario
        assert store is not None
        assert scenario is not None
        if (method, prior_precision, score_name) != (scenario.method, scenario.prior_precision, scenario.score_name):
            self.act(
                lambda: store.configure(
                    scenario.id, method=method, prior_precision=prior_precision, score_name=score_name
                )
            )

    def set_cutoff(self, cutoff: int | None) -> None:
        store, table = self.store, self.table
        assert store is not None
        assert table is not None
        self.act(lambda: store.set_cutoff(table.id, cutoff))

    def choose_scenario(self, scenario_id: str) -> None:
        """Shows another scenario."""
        self._wanted_scenario = scenario_id
        self.mark_dirty()

    def next_scenario(self) -> None:
        combo = self.bar.scenario
        self.choose_scenario(combo.itemData((combo.currentIndex() + 1) % combo.count()))

    def new_scenario(self, name: str) -> None:
        """Begins another scenario as a copy of the one that is shown, and shows it."""
        store, scenario = self.store, self.scenario
        assert store is not None
        assert scenario is not None

        def write() -> None:
            self._wanted_scenario = store.add_scenario(scenario.id, name)

        self.act(write)
        self.mark_dirty()

    def rename_scenario(self, name: str) -> None:
        store, scenario = self.store, self.scenario
        assert store is not None
        assert scenario is not None
        self.act(lambda: store.rename_scenario(scenario.id, name))

    def reset(self) -> None:
        store, scenario = self.store, self.scenario
        assert store is not None
        assert scenario is not None
        self.act(lambda: store.reset(scenario.id))

    def remove_scenario(self) -> None:
        store, scenario = self.store, self.scenario
        assert store is not None
        assert scenario is not None
        self.act(lambda: store.remove_scenario(scenario.id))

    def remove_table(self) -> None:
        store, table = self.store, self.table
        assert store is not None
        assert table is not None
        self.act(lambda: store.remove_table(table.id))

    # --- questions ------------------------------------------------------------------------------------------------

    def _ask(self, title: str, label: str, answered: Callable[[QInputDialog], object]) -> QInputDialog:
        dialog = QInputDialog(self)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setWindowTitle(title)
        dialog.setLabelText(label)
        dialog.accepted.connect(lambda: answered(dialog))
        return dialog

    def _ask_number(self, title: str, label: str, value: float, answered: Callable[[float], object]) -> None:
        dialog = self._ask(title, label, lambda d: answered(d.doubleValue()))
        dialog.setInputMode(QInputDialog.InputMode.DoubleInput)
        dialog.setDoubleDecimals(2)
        dialog.setDoubleRange(-1e6, 1e6)
        dialog.setDoubleValue(value)
        dialog.open()

    def ask_for_score(self) -> None:
        review = self.stored_review()
        assert review is not None
        self._ask_number("Change this score", f"{review.referee} gave {review.item}:", review.score, self.set_score)

    def ask_for_review(self) -> None:
        assert self.board is not None
        item, value = self._names()[0], float(self.board.current.calibration.score[self.selection.item])
        self._ask_number("Add a hypothetical review", f"A further referee gives {item}:", value, self.add_review)

    def ask_for_scenario(self) -> None:
        dialog = self._ask("New scenario", "Its name:", lambda d: self.new_scenario(d.textValue().strip()))
        dialog.setTextValue(self._free_name())
        dialog.open()

    def ask_for_name(self) -> None:
        assert self.scenario is not None
        dialog = self._ask("Rename scenario", "Its name:", lambda d: self.rename_scenario(d.textValue().strip()))
        dialog.setTextValue(self.scenario.name)
        dialog.open()
