"""Calibration: scores of referees turned into a ranking with doubt, and what would change it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QSplitter, QStackedWidget, QTabBar, QVBoxLayout, QWidget

from desktop_app.context import AppContext
from desktop_app.panes.calibration.board import Board, make_board
from desktop_app.panes.calibration.files import FIT, ScoreFilesPane
from desktop_app.panes.calibration.matrix import MatrixView
from desktop_app.panes.calibration.plots import PLOTS, PlotView
from desktop_app.panes.calibration.ranking import RankingView
from desktop_app.panes.calibration.tables_view import ChoosingTable, show_attention, show_comparison, show_scenarios
from desktop_app.panes.calibration.work import CalibrationWork
from desktop_app.widgets.banner import Notice
from desktop_app.widgets.labels import hairline
from engine.calibration.store import TABLES, CalibrationStore
from engine.exchange.calibration import change_sentences

if TYPE_CHECKING:
    from engine.calibration.comparison import ComparisonRow
    from engine.calibration.tasks import Refit

_THIN = "thin"
VIEWS = ("ranking", *PLOTS, "attention", "methods", "scenarios")
_TITLES = {"ranking": "Ranking", "attention": "To look at", "methods": "Methods", "scenarios": "Scenarios"}


class CalibrationPane(ScoreFilesPane):
    """The matrix with its sliders, the ranking beside it, and the what-if bar above. Every act is one undo step."""

    pane_id = "calibration"
    title = "Calibration"
    icon = "scales"
    purpose = (
        "Turn the scores of many referees into one ranking that knows its doubt, see who is strict, lenient or noisy, "
        "and try changes before making them. Start with a table of items, referees and scores."
    )
    tables = TABLES
    first_step = "calibration.import"
    search_hint = "Find an item or a referee"

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self.matrix = MatrixView(self.selection, self.body)
        self.ranking = RankingView(self.selection, self.body)
        self.plots = {name: PlotView(name, self.selection, self.body) for name in PLOTS}
        self.attention = ChoosingTable("To look at", ("who", "why", "how much"), self.selection, self.body)
        self.methods = ChoosingTable("Methods", ("method", "log lik.", "corr.", "moved", "cross"), parent=self.body)
        self.side_by_side = ChoosingTable("Scenarios side by side", ("item",), self.selection, self.body)
        self.work = CalibrationWork(context.bridge, self)
        self._build()
        self.matrix.pinned.connect(self._pin)
        self.matrix.freed.connect(self._free)
        self.bar.table_chosen.connect(self._choose_table)
        self.bar.scenario_chosen.connect(self.choose_scenario)
        self.bar.configured.connect(self.configure)
        self.bar.cutoff_chosen.connect(self.set_cutoff)
        self.bar.taken_back.connect(self.take_back)
        self.work.fitted.connect(self._fitted)
        self.work.compared.connect(self._compared)
        self.work.failed.connect(self._job_failed)
        self.selection.changed.connect(self._selection_changed)

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
        self.tabs.currentChanged.connect(self._show_view)
        right = QWidget(self.body)
        column = QVBoxLayout(right)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.tabs)
        column.addWidget(self.views, 1)
        right.setMinimumWidth(300)
        self.splitter = QSplitter(Qt.Orientation.Horizontal, self.body)
        self.splitter.setChildrenCollapsible(False)
        self.splitter.addWidget(self.matrix)
        self.splitter.addWidget(right)
        self.splitter.setStretchFactor(0, 3)
        self.splitter.setStretchFactor(1, 2)
        self.splitter.setSizes([660, 470])
        layout = QVBoxLayout(self.body)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.bar)
        layout.addWidget(hairline(parent=self.body))
        layout.addWidget(self.splitter, 1)

    # --- the pane's duties ----------------------------------------------------------------------------------------

    def project_set(self) -> None:
        self.store = CalibrationStore(self.project) if self.project is not None else None
        self.table = self.scenario = None
        self.reviews, self.comparison = (), ()
        self._wanted_table = self._wanted_scenario = ""
        self.work.forget()
        self._show_board(None)

    def is_empty(self) -> bool:
        return self.store is not None and not self.store.tables()

    def refresh(self) -> None:
        assert self.store is not None
        tables = self.store.tables()
        if not tables:
            self._show_board(None)
            return
        table = next((t for t in tables if t.id == self._wanted_table), tables[-1])
        if self.table is None or self.table.id != table.id:
            self.work.forget()
            self._show_board(None)
            self.selection.choose(item=-1, referee=-1)
        self.table, self._wanted_table = table, table.id
        self.reviews = self.store.reviews(table.id)
        scenarios = self.store.scenarios(table.id)
        self.scenario = next((s for s in scenarios if s.id == self._wanted_scenario), scenarios[0])
        self._wanted_scenario = self.scenario.id
        further = dict.fromkeys(name for review in self.reviews[:200] for name, _ in review.further)
        items = len({review.item for review in self.reviews})
        self.bar.show_tables(tables, table.id)
        self.bar.show_scenarios(scenarios, self.scenario, tuple(further), table, items)
        self.work.ensure(self.reviews, self.scenario, scenarios[0], table.cutoff)
        self._show_changes()
        self.context.commands.state_changed.emit()

    def search(self, text: str) -> None:
        self._find(text, 0)

    def search_next(self, forward: bool = True) -> None:
        self._find(self._searched, 1 if forward else -1)

    _searched = ""

    def _find(self, text: str, step: int) -> None:
        self._searched = text
        board = self.board
        if board is None or not text.strip():
            return
        wanted = text.strip().casefold()
        items = [int(i) for i in board.item_at if wanted in board.items[i].casefold()]
        if items:
            now = items.index(self.selection.item) if self.selection.item in items else -step if step > 0 else 0
            self.selection.choose(item=items[(now + step) % len(items)])
            return
        referees = [int(r) for r in board.referee_at if wanted in board.referees[r].casefold()]
        if referees:
            now = referees.index(self.selection.referee) if self.selection.referee in referees else 0
            self.selection.choose(referee=referees[(now + step) % len(referees)])

    def take_focus(self) -> None:
        self.matrix.setFocus()

    # --- fits -----------------------------------------------------------------------------------------------------

    def _fitted(self, current: Refit, original: Refit) -> None:
        self.banner.dismiss(FIT)
        self._show_board(make_board(current, original, self.table.cutoff if self.table else None))
        said = current.calibration.warnings
        if current.prepared.missing:
            said = (*said, f"{current.prepared.missing} reviews have no such score and do not count.")
        if said:
            self.banner.show_notice(
                Notice(
                    _THIN,
                    said[0],
                    " ".join(said[1:]),
                    kind="attention" if current.comparability.circles > 1 else "note",
                )
            )
        else:
            self.banner.dismiss(_THIN)

    def _show_board(self, board: Board | None) -> None:
        self.board = board
        self.matrix.show_board(board)
        self.ranking.show_board(board)
        self._show_view()
        if board is None:
            self.bar.show_moved("")
            return
        moved = np.nan_to_num(board.moved.change)
        words = f"{int((np.abs(moved) >= 1).sum()):,} of {len(board.items):,} items at another rank"
        if board.cutoff is not None:
            rising = ", ".join(board.items[i] for i in board.moved.rising[:5])
            falling = ", ".join(board.items[i] for i in board.moved.falling[:5])
            words += f" · {len(board.moved.rising)} now above the line" + (f" ({rising})" if rising else "")
            words += f", {len(board.moved.falling)} now below" + (f" ({falling})" if falling else "")
        self.bar.show_moved(words if board.is_changed else "As imported: nothing is changed.")
        weak = int(board.weak.sum())
        self.set_status(
            f"{len(board.current.prepared.reviews):,} reviews · {len(board.items):,} items · {len(board.referees):,}"
            f" referees" + (f" · {weak} referees to look at" if weak else "")
        )
        self.context.commands.state_changed.emit()

    def _show_view(self) -> None:
        name, board = VIEWS[self.tabs.currentIndex()], self.board
        self.views.setCurrentIndex(self.tabs.currentIndex())
        if name in self.plots:
            self.plots[name].show_board(board)
        elif board is None:
            return
        elif name == "attention":
            show_attention(self.attention, board, self.table.problems if self.table else ())
        elif name == "methods":
            show_comparison(self.methods, self.comparison)
            if not self.comparison:
                self.compare()
        elif name == "scenarios":
            show_scenarios(self.side_by_side, self.work.known(), board.original.prepared.reviews.items, board.cutoff)

    def _compared(self, rows: tuple[ComparisonRow, ...]) -> None:
        self.comparison = rows
        show_comparison(self.methods, rows)

    def _show_changes(self) -> None:
        assert self.scenario is not None
        names = {review.id: (review.item, review.referee) for review in self.reviews}
        self.bar.show_changes(list(zip(self.scenario.changes, change_sentences(self.scenario, names), strict=True)))

    def _selection_changed(self) -> None:
        self.context.commands.state_changed.emit()

    # --- views ---------------------------------------------------------------------------------------------------

    def compare(self) -> None:
        """Has all methods calculated; their table fills when they are there."""
        if self.board is not None:
            self.tabs.setCurrentIndex(VIEWS.index("methods"))
            self.work.compare(self.board.current, self.board.cutoff)

    def next_view(self) -> None:
        self.tabs.setCurrentIndex((self.tabs.currentIndex() + 1) % self.tabs.count())

    def _choose_table(self, table_id: str) -> None:
        self._wanted_table, self._wanted_scenario = table_id, ""
        self.mark_dirty()
