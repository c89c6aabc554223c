"""Calibration: the scores of many referees become one ranking with intervals, and one sees what would change it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QInputDialog, QMenu, QSplitter, QStackedWidget, QTabBar, QVBoxLayout, QWidget

from desktop_app.context import AppContext
from desktop_app.panes.base import ACT, Pane
from desktop_app.panes.calibration.board import Board, make_board
from desktop_app.panes.calibration.commands import FORMATS
from desktop_app.panes.calibration.files import ScoreFiles, dropped_table, today
from desktop_app.panes.calibration.matrix import MatrixView
from desktop_app.panes.calibration.plots import PLOTS, PlotView
from desktop_app.panes.calibration.ranking import RankingView
from desktop_app.panes.calibration.selection import Selection
from desktop_app.panes.calibration.state import CalibrationState
from desktop_app.panes.calibration.tables_view import ChoosingTable, show_attention, show_comparison, show_scenarios
from desktop_app.panes.calibration.whatif import WhatIfBar
from desktop_app.panes.calibration.work import CalibrationWork
from desktop_app.widgets.banner import Notice, written_notice
from desktop_app.widgets.labels import hairline
from engine.calibration.store import TABLES
from engine.exchange.calibration import change_sentences

if TYPE_CHECKING:
    from engine.calibration.comparison import ComparisonRow
    from engine.calibration.tasks import Refit
    from engine.exchange.scores import ScoreImport
    from engine.jobs import Failure

_THIN = "thin"
FIT = "fit"
"""The key of the notice about a calculation or an export that failed."""
VIEWS = ("ranking", *PLOTS, "attention", "methods", "scenarios")
_TITLES = {"ranking": "Ranking", "attention": "To look at", "methods": "Methods", "scenarios": "Scenarios"}


class CalibrationPane(Pane):
    """The matrix with its sliders, the ranking beside it, and the bar of the scenario above."""

    pane_id = "calibration"
    title = "Calibration"
    icon = "scales"
    purpose = (
        "Turn the scores of many referees into one ranking with confidence intervals, see who is strict, lenient or "
        "noisy, and try out changes. Start with a table of items, referees and scores."
    )
    tables = TABLES
    first_step = "calibration.import"
    search_hint = "Find an item or a referee"

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self.selection = Selection(self)
        self.state = CalibrationState(self.selection)
        self.comparison: tuple[ComparisonRow, ...] = ()
        self._searched = ""
        self.bar = WhatIfBar(context.commands, self.body)
        self.matrix = MatrixView(self.selection, self.body)
        self.ranking = RankingView(self.selection, self.body)
        self.plots = {name: PlotView(name, self.selection, self.body) for name in PLOTS}
        self.attention = ChoosingTable("To look at", ("who", "why", "how much"), self.selection, self.body)
        self.methods = ChoosingTable("Methods", ("method", "log lik.", "corr.", "moved", "cross"), parent=self.body)
        self.side_by_side = ChoosingTable("Scenarios side by side", ("item",), self.selection, self.body)
        self.work = CalibrationWork(context.bridge, self)
        self.files = ScoreFiles(context, self)
        self.setAcceptDrops(True)
        self._build()
        self._connect()

    def _build(self) -> None:
        self.tabs = QTabBar(self.body)
        self.tabs.setAccessibleName("Views")
        self.tabs.setExpanding(False)
        self.tabs.setUsesScrollButtons(True)
        self.views = QStackedWidget(self.body)
        shown: dict[str, QWidget] = {
            "ranking": self.ranking,
            **self.plots,
            "attention": self.attention,
            "methods": self.methods,
            "scenarios": self.side_by_side,
        }
        for name in VIEWS:
            self.tabs.addTab(_TITLES[name] if name in _TITLES else PLOTS[name][0])
            self.views.addWidget(shown[name])
        right = QWidget(self.body)
        column = QVBoxLayout(right)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.tabs)
        column.addWidget(self.views, 1)
        right.setMinimumWidth(300)
        splitter = QSplitter(Qt.Orientation.Horizontal, self.body)
        splitter.setChildrenCollapsible(False)
        splitter.addWidget(self.matrix)
        splitter.addWidget(right)
        splitter.setStretchFactor(0, 3)
        splitter.setStretchFactor(1, 2)
        splitter.setSizes([660, 470])
        layout = QVBoxLayout(self.body)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.bar)
        layout.addWidget(hairline(parent=self.body))
        layout.addWidget(splitter, 1)

    def _connect(self) -> None:
        state = self.state
        self.tabs.currentChanged.connect(self._show_view)
        self.matrix.pinned.connect(lambda bank, at, value: self.change(lambda: state.pin(bank, at, value)))
        self.matrix.freed.connect(lambda bank, at: self.change(lambda: state.release(bank, at)))
        self.bar.table_chosen.connect(lambda key: self.show_other(lambda: state.show_table(key)))
        self.bar.scenario_chosen.connect(lambda key: self.show_other(lambda: state.show_scenario(key)))
        self.bar.configured.connect(lambda *chosen: self.change(lambda: state.configure(*chosen)))
        self.bar.cutoff_chosen.connect(lambda cutoff: self.change(lambda: state.set_cutoff(cutoff)))
        self.bar.taken_back.connect(lambda change: self.change(lambda: state.take_back(change)))
        self.work.fitted.connect(self._fitted)
        self.work.compared.connect(self._compared)
        self.work.failed.connect(self._failed)
        self.files.imported.connect(self._imported)
        self.files.unreadable.connect(lambda problem: self.show_problem(problem, ACT))
        self.files.written.connect(lambda paths: self.banner.show_notice(written_notice("export", paths)))
        self.files.failed.connect(self._failed)
        self.selection.changed.connect(self.context.commands.state_changed)

    # --- the pane's duties ----------------------------------------------------------------------------------------

    def project_set(self) -> None:
        self.state.open(self.project)
        self.comparison = ()
        self.work.forget()
        self._show_board(None)

    def is_empty(self) -> bool:
        return self.state.store is not None and not self.state.store.tables()

    def refresh(self) -> None:
        state = self.state
        if state.read():
            self.work.forget()
            self._show_board(None)
            self.selection.choose(item=-1, referee=-1)
        if state.table is None or state.scenario is None:
            return
        items = len({review.item for review in state.reviews})
        self.bar.show_tables(state.tables, state.table.id)
        self.bar.show_scenarios(state.scenarios, state.scenario, state.score_names, state.table, items)
        self.work.ensure(state.reviews, state.scenario, state.scenarios[0], state.table.cutoff)
        names = {review.id: (review.item, review.referee) for review in state.reviews}
        sentences = change_sentences(state.scenario, names)
        self.bar.show_changes(list(zip(state.scenario.changes, sentences, strict=True)))
        self.context.commands.state_changed.emit()

    def search(self, text: str) -> None:
        self._searched = text
        self.state.find(text, 0)

    def search_next(self, forward: bool = True) -> None:
        self.state.find(self._searched, 1 if forward else -1)

    def take_focus(self) -> None:
        self.matrix.setFocus()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if self.state.can_import and dropped_table(event) is not None:
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        path = dropped_table(event)
        if path is not None:
            event.acceptProposedAction()
            self.files.import_table(path)

    # --- what is calculated ---------------------------------------------------------------------------------------

    def _fitted(self, current: Refit, original: Refit) -> None:
        self.banner.dismiss(FIT)
        self._show_board(make_board(current, original, self.state.table.cutoff if self.state.table else None))
        warnings = current.calibration.warnings
        if missing := current.prepared.missing:
            warnings = (*warnings, f"{missing} {'review has' if missing == 1 else 'reviews have'} no such score.")
        if not warnings:
            self.banner.dismiss(_THIN)
            return
        apart = current.comparability.circles > 1
        self.banner.show_notice(
            Notice(_THIN, warnings[0], " ".join(warnings[1:]), kind="attention" if apart else "note")
        )

    def _failed(self, failure: Failure) -> None:
        self.show_failure(failure, FIT)

    def _show_board(self, board: Board | None) -> None:
        self.state.board = board
        self.matrix.show_board(board)
        self.ranking.show_board(board)
        self._show_view()
        self.bar.show_moved("" if board is None else moved_sentence(board))
        if board is not None:
            counts = [
                (len(board.current.prepared.reviews), "review"),
                (len(board.items), "item"),
                (len(board.referees), "referee"),
            ]
            weak = int(board.weak.sum())
            said = [f"{count:,} {name}{'' if count == 1 else 's'}" for count, name in counts]
            self.set_status(" · ".join([*said, f"{weak} to look at"] if weak else said))
        self.context.commands.state_changed.emit()

    def _show_view(self) -> None:
        name, board, table = VIEWS[self.tabs.currentIndex()], self.state.board, self.state.table
        self.views.setCurrentIndex(self.tabs.currentIndex())
        if name in self.plots:
            self.plots[name].show_board(board)
        elif board is None:
            return
        elif name == "attention":
            show_attention(self.attention, board, table.problems if table else ())
        elif name == "methods":
            show_comparison(self.methods, self.comparison)
            if not self.comparison:
                self.compare()
        elif name == "scenarios":
            show_scenarios(self.side_by_side, self.work.known(), board.original.prepared.reviews.items, board.cutoff)

    def _compared(self, rows: tuple[ComparisonRow, ...]) -> None:
        self.comparison = rows
        show_comparison(self.methods, rows)

    def compare(self) -> None:
        """Has all methods calculated; their table fills when they are there."""
        board = self.state.board
        if board is not None:
            self.tabs.setCurrentIndex(VIEWS.index("methods"))
            self.work.compare(board.current, board.cutoff)

    def next_view(self) -> None:
        self.tabs.setCurrentIndex((self.tabs.currentIndex() + 1) % self.tabs.count())

    # --- acts -----------------------------------------------------------------------------------------------------

    def change(self, verb: Callable[[], object]) -> None:
        """Changes the scenario, and shows the one that is current afterwards."""
        if self.state.can_change:
            self.act(verb)
            self.mark_dirty()

    def show_other(self, choose: Callable[[], object]) -> None:
        """Shows what ``choose`` makes current."""
        choose()
        self.mark_dirty()

    def reset(self) -> None:
        store, scenario = self.state.store, self.state.scenario
        assert store is not None
        assert scenario is not None
        self.change(lambda: store.reset(scenario.id))

    def remove_scenario(self) -> None:
        store, scenario = self.state.store, self.state.scenario
        assert store is not None
        assert scenario is not None
        self.change(lambda: store.remove_scenario(scenario.id))

    def remove_table(self) -> None:
        store, table = self.state.store, self.state.table
        assert store is not None
        assert table is not None
        self.change(lambda: store.remove_table(table.id))

    def _imported(self, found: ScoreImport, path: Path, columns: dict[str, str]) -> None:
        if self.act(lambda: self.state.add_table(path.stem, found, f"import:{path.name}", columns)):
            self.mark_dirty()
            self.take_focus()

    # --- questions ------------------------------------------------------------------------------------------------

    def _ask(self, title: str, label: str, answered: Callable[[QInputDialog], object]) -> QInputDialog:
        dialog = QInputDialog(self)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setWindowTitle(title)
        dialog.setLabelText(label)
        dialog.accepted.connect(lambda: answered(dialog))
        return dialog

    def _ask_number(self, title: str, label: str, value: float, verb: Callable[[float], object]) -> None:
        dialog = self._ask(title, label, lambda d: self.change(lambda: verb(d.doubleValue())))
        dialog.setInputMode(QInputDialog.InputMode.DoubleInput)
        dialog.setDoubleDecimals(2)
        dialog.setDoubleRange(-1e6, 1e6)
        dialog.setDoubleValue(value)
        dialog.open()

    def _ask_name(self, title: str, value: str, verb: Callable[[str], object]) -> None:
        dialog = self._ask(title, "Name:", lambda d: self.change(lambda: verb(d.textValue().strip())))
        dialog.setTextValue(value)
        dialog.open()

    def ask_for_score(self) -> None:
        review = self.state.review
        assert review is not None
        label = f"{review.referee} gave {review.item}:"
        self._ask_number("Change score", label, review.score, self.state.set_score)

    def ask_for_review(self) -> None:
        assert self.state.board is not None
        value = float(self.state.board.current.calibration.score[self.selection.item])
        label = f"Another referee gives {self.state.item}:"
        self._ask_number("Add hypothetical review", label, value, self.state.add_review)

    def ask_for_scenario(self) -> None:
        self._ask_name("New scenario", self.state.free_name(), self.state.new_scenario)

    def ask_for_name(self) -> None:
        store, scenario = self.state.store, self.state.scenario
        assert store is not None
        assert scenario is not None
        self._ask_name("Rename scenario", scenario.name, lambda name: store.rename_scenario(scenario.id, name))

    def open_exports(self) -> None:
        """A menu of the formats."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for name, title in FORMATS:
            menu.addAction(title).triggered.connect(lambda _checked=False, kind=name: self.ask_where(kind))
        menu.popup(self.bar.mapToGlobal(QPoint(self.bar.width() - 220, self.bar.height())))

    def ask_where(self, kind: str) -> None:
        assert self.state.table is not None
        path = self.files.ask_where(kind, self.state.table.title)
        if path is not None:
            self.files.export(self.state.export(self.comparison, today()), kind, path)


def moved_sentence(board: Board) -> str:
    """How the ranking differs from the original one."""
    if not board.is_changed:
        return "As imported: no changes."
    moved = int((np.abs(np.nan_to_num(board.moved.change)) >= 1).sum())
    words = f"{moved:,} of {len(board.items):,} items have another rank"
    if board.cutoff is not None:
        rising, falling = ([board.items[i] for i in items] for items in (board.moved.rising, board.moved.falling))
        for items, where in ((rising, "now above the line"), (falling, "now below it")):
            words += f" · {len(items)} {where}" + (f" ({', '.join(items[:5])})" if items else "")
    return words
