"""The Calibration pane: a ranking with intervals from the scores of many referees, and what-if scenarios."""

from collections.abc import Callable, Sequence
from functools import partial
from math import isnan
from pathlib import Path
from typing import Any, cast

from PySide6.QtCore import QObject, QPoint, Qt, Signal
from PySide6.QtWidgets import QInputDialog, QWidget

from desktop_app import if_any, present
from desktop_app.engine_bridge import BridgedJob, EngineBridge
from desktop_app.panes.base import ACT, AppContext, Pane
from desktop_app.panes.calibration.board import Bank, Board, make_board
from desktop_app.panes.calibration.choices import VIEWS
from desktop_app.panes.calibration.decisions_view import DecisionsView
from desktop_app.panes.calibration.matrix_canvas import MatrixView
from desktop_app.panes.calibration.matrix_field import Selection, elision
from desktop_app.panes.calibration.plots import PLOTS, PlotView
from desktop_app.panes.calibration.ranking import RankingView
from desktop_app.panes.calibration.state import CalibrationState, moved_sentence
from desktop_app.panes.calibration.tables_view import ChoosingTable, show_attention, show_comparison, show_scenarios
from desktop_app.panes.calibration.whatif import LETTERS, WhatIfBar
from desktop_app.widgets.banner import Notice
from desktop_app.widgets.command_menu import TabMenu, command_menu, pop_up
from desktop_app.widgets.file_dialogs import LONGEST_NAME
from desktop_app.widgets.keys import FileDrop
from desktop_app.widgets.labels import hairline
from desktop_app.widgets.layouts import column, row, sized, splitter, stacked, tabs
from desktop_app.writing import write_export
from engine.calibration.comparison import ComparisonRow
from engine.calibration.scenarios import Scenario, StoredReview
from engine.calibration.store import TABLES
from engine.calibration.tasks import Refit, refit, run_comparison
from engine.exchange.calibration import CalibrationExport, change_sentences, export_files
from engine.exchange.records import Export
from engine.exchange.tables import Table
from engine.jobs import Failure, Report, Task
from engine.project import Changes, Project
from engine.shown import counted, shortened, today


def make_files(export: CalibrationExport, kind: str, stem: str, bridge: EngineBridge, report: Report) -> Export:
    """Returns the files of an export; starts the document process only if the format needs it."""
    from engine.documents.tasks import stopping

    return Export(export_files(export, kind, stem, lambda: stopping(bridge.documents, report)))


class CalibrationWork(QObject):
    """Runs fits in jobs and keeps the latest fit of each scenario."""

    fitted = Signal(object, object)
    """The Refit of the current scenario and that of the original."""
    failed = Signal(object)
    stopped = Signal()
    """A fit was cancelled in the job tray; ``ensure`` submits it again."""

    def __init__(self, bridge: EngineBridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._fits: dict[str, Refit] = {}
        self._keys: dict[str, object] = {}
        self._jobs: dict[str, BridgedJob] = {}
        self._reviews: tuple[StoredReview, ...] = ()
        self._shown = ""
        self._original = ""

    def forget(self) -> None:
        """Cancels all jobs and drops all fits, for another table or project."""
        for job in self._jobs.values():
            job.cancel()
        self._jobs.clear()
        self._fits.clear()
        self._keys.clear()
        self._shown = self._original = ""

    def known(self) -> tuple[Refit, ...]:
        rest = [fit for key, fit in self._fits.items() if key != self._original]
        return (self._fits[self._original], *rest) if self._original in self._fits else tuple(rest)

    @property
    def waiting(self) -> bool:
        """Whether the fit of the current scenario is up to date or being calculated."""
        return self._shown in self._keys

    def ensure(
        self, reviews: tuple[StoredReview, ...], scenario: Scenario, original: Scenario, cutoff: int | None
    ) -> None:
        """Fits the scenario and the original if they changed; if both are up to date, emits ``fitted``."""
        if reviews is not self._reviews:
            self.forget()
            self._reviews = reviews
        before = self._fits.get(self._shown)
        self._original, self._shown = original.id, scenario.id
        current = True
        for wanted in dict.fromkeys((original, scenario)):
            key = (wanted, cutoff)
            if self._keys.get(wanted.id) == key:
                continue
            self._keys[wanted.id] = key
            current = False
            # Start from the original's fit, so that a scenario gives the same figures whatever was tried before.
            start = self._fits.get(original.id) if wanted.id != original.id else None
            latest = self._fits.get(wanted.id, before) if start is not None else None
            if latest is not None and latest.scenario.method != wanted.method:
                latest = None
            known = self._fits.get(wanted.id)
            fitted = known if known is not None and known.doubt is not None and known.scenario == wanted else None
            task = refit(wanted, reviews, cutoff, start, latest, fitted)
            self._submit(wanted.id, task, self._take, partial(self._stopped, wanted.id))
        if current:
            self._tell()

    def _stopped(self, scenario_id: str) -> None:
        self._keys.pop(scenario_id, None)
        self.stopped.emit()

    def _submit(
        self, name: str, task: Task[Any], take: Callable[[Any], None], cancelled: Callable[[], None] | None = None
    ) -> None:
        """Runs a job that replaces the one with this name; ``take`` also receives partial results."""
        if name in self._jobs:
            self._jobs.pop(name).cancel()
        self._jobs[name] = self._bridge.submit(
            task, self, on_partial=take, on_done=take, on_error=self.failed.emit, on_cancelled=cancelled
        )

    def _take(self, refit: Refit) -> None:
        self._fits[refit.scenario.id] = refit
        if refit.scenario.id in (self._shown, self._original):
            self._tell()

    def _tell(self) -> None:
        if self._shown in self._fits and self._original in self._fits:
            self.fitted.emit(self._fits[self._shown], self._fits[self._original])


_THIN = "thin"
FIT = "fit"
"""Key of notices about a failed calculation."""
TABLE_ENDINGS = (".csv", ".tsv", ".txt", ".xlsx", ".xls", ".parquet", ".json", ".jsonl")


_MENU = (
    "exclude_review", "set_score", "add_review", "", "exclude_referee", "pin_bias", "pin_trust", "", "zoom_in",
    "zoom_out", "zoom_fit",
)  # fmt: skip


class CalibrationPane(Pane):
    """The matrix with its sliders, the ranking and other views beside it, and the scenario bar above."""

    pane_id = "calibration"
    shows_paper = False
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
        self._compares: object = None
        """The scenario whose methods are compared."""
        self._changing = False
        self._warned: Notice | None = None
        self.bar = WhatIfBar(context.commands, self.body)
        self.main = self.matrix = MatrixView(self.selection, self.body)
        self.ranking = RankingView(self.selection, self.body)
        self.decisions = DecisionsView(self.selection, self.body)
        self.plots = {name: PlotView(name, self.selection, self.body) for name in PLOTS}
        self.attention = ChoosingTable("To check", ("Who", "Why", "How much"), self.selection, self.body)
        self.methods = ChoosingTable(
            "Methods", ("Method", "Log lik.", "Corr.", "Moved", "Cross"), parent=self.body, wraps=True
        )
        self.side_by_side = ChoosingTable("Scenarios side by side", ("Item",), self.selection, self.body)
        self.work = CalibrationWork(context.bridge, self)
        self.tabs = tabs("Views", [title for title, _help, _words in VIEWS.values()], self.body)
        self.tabs.setUsesScrollButtons(True)
        self.views = stacked(
            self.body, self.ranking, self.decisions, *self.plots.values(), self.attention, self.methods,
            self.side_by_side,
        )  # fmt: skip
        right = QWidget(self.body)
        column(row((self.tabs, 1), TabMenu(self.tabs, right), spacing=0), (self.views, 1), of=right)
        sized(right, 395, lambda width: right.setMinimumWidth(min(width, 600)))
        sides = splitter((self.matrix, 660, 3), (right, 470, 2), parent=self.body)
        column(self.bar, hairline(), (sides, 1), of=self.body)
        self._connect()

    def _open_menu(self, at: QPoint) -> None:
        """Opens the menu of the review or referee under the pointer, which the press has selected."""
        names = [name and f"{self.pane_id}.{name}" for name in _MENU]
        pop_up(command_menu(self.matrix, self.context.commands, names), self.matrix.viewport(), at)

    def _connect(self) -> None:
        state = self.state
        FileDrop(
            self, lambda path: path.suffix.lower() in TABLE_ENDINGS, lambda: state.can_import,
            lambda paths: self.import_table(*paths),
        )  # fmt: skip
        self.tabs.currentChanged.connect(self._show_view)
        self.matrix.pinned.connect(lambda bank, at, value: self.change(lambda: state.pin(bank, at, value)))
        self.matrix.freed.connect(lambda bank, at: self.change(lambda: state.release(bank, at)))
        self.matrix.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.matrix.customContextMenuRequested.connect(self._open_menu)
        self.bar.table.picked.connect(lambda key: self.show_other(lambda: state.show_table(key)))
        self.bar.scenario.picked.connect(lambda key: self.show_other(lambda: state.show_scenario(key)))
        self.bar.configured.connect(lambda *chosen: self.change(lambda: state.configure(*chosen)))
        self.bar.cutoff_chosen.connect(lambda cutoff: self.change(lambda: state.set_cutoff(cutoff)))
        self.bar.taken_back.connect(lambda change: self.change(lambda: state.take_back(change)))
        self.work.fitted.connect(self._fitted)
        self.work.failed.connect(partial(self.show_failure, key=FIT))
        self.work.stopped.connect(self._stopped)
        self.selection.changed.connect(self.context.commands.state_changed)

    def project_set(self) -> None:
        last = self.context.state.text(f"calibration.{self.project.id}") if self.project is not None else ""
        self.state.open(self.project, *last.split()[:2])
        self.work.forget()
        self._show_board(None)

    def is_empty(self) -> bool:
        return self.state.store is not None and not self.state.store.tables()

    def on_changes(self, changes: Changes) -> None:
        if not self._changing:  # ``change`` refreshes once, when the scenario to show is known
            super().on_changes(changes)

    def refresh(self) -> None:
        state = self.state
        if state.read():
            self.work.forget()
            self._show_board(None)
            self.selection.choose(item=-1, referee=-1)
        if state.table is None or state.scenario is None:
            return
        self.context.state.set_text(f"calibration.{present(self.project).id}", f"{state.table.id} {state.scenario.id}")
        self.bar.show_tables(state.tables, state.table.id)
        scores = tuple(dict.fromkeys(name for review in state.reviews for name, _ in review.further))
        self.bar.show_scenarios(state.scenarios, state.scenario, scores, state.table, state.item_count)
        self.work.ensure(state.reviews, state.scenario, state.scenarios[0], state.table.cutoff)
        changed = {change.review_id for change in state.scenario.changes} - {""}
        named = (review for review in state.reviews if review.id in changed) if changed else ()
        names = {review.id: (review.item, review.referee) for review in named}
        said = (change_sentences(state.scenario, names, most) for most in (LETTERS, None))
        self.bar.show_changes(list(zip(state.scenario.changes, *said, strict=True)))
        self.context.commands.state_changed.emit()

    def find_searched(self, by: int) -> bool:
        return self.state.find(self.searched, by)

    def _fitted(self, current: Refit, original: Refit) -> None:
        if current.doubt is not None and current.scenario == self.state.scenario:
            self.banner.dismiss(FIT)
        self._show_board(make_board(current, original, self.state.table.cutoff if self.state.table else None))
        warnings = current.calibration.warnings
        if missing := current.prepared.missing:
            warnings = (*warnings, f"{counted(missing, 'review has', 'reviews have')} no such score.")
        if not warnings:
            self._forget_warning()
            return
        apart = current.comparability.circles > 1
        notice = Notice(_THIN, warnings[0], " ".join(warnings[1:]), kind="attention" if apart else "note")
        if notice != self._warned:  # once it was dismissed, it stays away until there is something else to say
            self.banner.show_notice(notice)
        self._warned = notice

    def _forget_warning(self) -> None:
        self._warned = None
        self.banner.dismiss(_THIN)

    def _stopped(self) -> None:
        again = ("Calculate again", self.mark_dirty)
        means = "The figures shown are preliminary or predate the last change."
        if self.state.board is None:
            means = "There are no figures yet."
            self.bar.moved.setText("")
        self._show_view()
        self.banner.show_notice(Notice(FIT, "Calibration was cancelled.", means, kind="attention", actions=(again,)))

    def _show_board(self, board: Board | None) -> None:
        self.state.board = board
        compares = (board.current.scenario, board.cutoff) if board is not None else None
        if compares != self._compares:
            self._compares, self.comparison = compares, ()
            self.stop_calculating("methods")
        self.matrix.show_board(board)
        self.ranking.show_board(board)
        if board is not None:
            for table in (self.attention, self.side_by_side):
                table.setTextElideMode(elision(board))
        self._show_view()
        moved = moved_sentence(board) if board is not None else "Calculating…" if self.state.table else ""
        self.bar.moved.setText(moved)
        if board is not None:
            reviews, weak = len(board.current.prepared.reviews), int(board.weak.sum())
            said = [counted(reviews, "review"), counted(len(board.items), "item")]
            said += [counted(len(board.referees), "referee"), *([f"{weak} to check"] if weak else [])]
            self.set_status(" · ".join(said))
        else:
            self.set_status("")
            self._forget_warning()
        self.context.commands.state_changed.emit()

    def show_view(self, name: str) -> None:
        self.tabs.setCurrentIndex(list(VIEWS).index(name))

    def _show_view(self) -> None:
        name, board = list(VIEWS)[self.tabs.currentIndex()], self.state.board
        self.views.setCurrentIndex(self.tabs.currentIndex())
        if name in self.plots:
            self.plots[name].show_board(board)
        elif name == "decisions":
            self.decisions.show_board(board, waiting=self.work.waiting)
        elif board is None:
            for table in (self.attention, self.methods, self.side_by_side):
                table.show_rows([])
        elif name == "attention":
            show_attention(self.attention, board, self.state.table.problems if self.state.table else ())
        elif name == "methods":
            if not self.comparison:
                self.compare()
            show_comparison(self.methods, self.comparison)
        elif name == "scenarios":
            fits = tuple(fit for fit in self.work.known() if fit.scenario in self.state.scenarios)
            show_scenarios(self.side_by_side, fits, board.original.prepared.reviews.items, board.cutoff)

    def _compared(self, rows: tuple[ComparisonRow, ...]) -> None:
        self.comparison = rows
        show_comparison(self.methods, rows)

    def compare(self) -> None:
        board = self.state.board
        if board is not None:
            self.show_view("methods")
            self.calculate(run_comparison(board.current, board.cutoff), self._compared, lambda: None, "methods")

    def change(self, verb: Callable[[], object]) -> None:
        if self.state.can_change:
            self._changing = True
            try:
                self.act(verb)
            finally:
                self._changing = False
            self.mark_dirty()

    def show_other(self, choose: Callable[[], object]) -> None:
        choose()
        self.mark_dirty()

    def ask_for_table(self) -> None:
        """Asks for a file of scores, then for the meaning of its columns."""
        endings = " ".join("*" + ending for ending in TABLE_ENDINGS)
        filters = f"Tables and notes ({endings});;All files (*)"
        if_any(self.context.files.open_file(self, "Import scores", filters), self.import_table)

    def import_table(self, path: Path, *more: Path) -> None:
        """Reads a table and asks for its columns, then the same for ``more``."""
        from desktop_app.panes.calibration.importing import read_table

        key = f"{ACT} {path.name}" if more else ACT

        def failed(failure: Failure) -> None:
            self.show_failure(failure, key)
            if more:
                self.import_table(*more)

        self.banner.dismiss(key)
        asked = partial(self._ask_for_columns, self.project, path, more)
        self.context.bridge.submit(read_table(path), self, on_done=asked, on_error=failed)

    def _ask_for_columns(self, project: Project | None, path: Path, more: Sequence[Path], table: Table) -> None:
        from desktop_app.panes.calibration.importing import ImportDialog, import_scores

        if project is not self.project:
            return  # another project was opened in the meantime
        store = self.state.verbs
        dialog = ImportDialog(table, self.context.state, self, store)
        dialog.accepted.connect(lambda: self.submit(import_scores(store, dialog.new_table(path)), self._imported, ACT))
        if more:
            dialog.finished.connect(lambda _result: self.import_table(*more))
        dialog.open()

    def _imported(self, table_id: str) -> None:
        self.show_other(lambda: self.state.show_table(table_id))
        if self.isVisible():
            self.take_focus()

    def ask(
        self,
        title: str,
        label: str,
        value: float | str,
        verb: Callable[..., object],
        limits: tuple[float, float] = (-1e6, 1e6),
    ) -> None:
        dialog = QInputDialog(self)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setWindowTitle(title)
        dialog.setLabelText(label)
        if isinstance(value, str):
            dialog.setTextValue(value)
            dialog.accepted.connect(lambda: self.change(lambda: verb(dialog.textValue().strip())))
        else:
            dialog.setInputMode(QInputDialog.InputMode.DoubleInput)
            dialog.setDoubleDecimals(2)
            dialog.setDoubleRange(*limits)
            dialog.setDoubleValue(value)
            dialog.accepted.connect(lambda: self.change(lambda: verb(dialog.doubleValue())))
        dialog.open()

    def ask_for_score(self) -> None:
        review = present(self.state.review)
        now = self.state.score_of(review)
        self.ask("Change score", f"{review.referee} gave {review.item}:", now, self.state.set_score)

    def ask_for_pin(self, which: str) -> None:
        """Asks for a value to pin, as an alternative to dragging the slider."""
        board, state, bank = present(self.state.board), self.state, cast("Bank", which)
        index = self.selection.item if bank == "score" else self.selection.referee
        value, of = float(board.values(bank)[index]), state.item if bank == "score" else state.referee
        limits = board.trust_range if bank == "trust" else (-1e6, 1e6)
        verb = partial(state.pin, bank, index)
        self.ask(f"Pin {bank}", f"{bank.capitalize()} of {of}:", 0.0 if isnan(value) else value, verb, limits)

    def ask_for_review(self) -> None:
        assert self.state.board is not None
        known = (self.state.board.current.calibration.score, self.state.board.raw_means())
        value = next((v for values in known if not isnan(v := float(values[self.selection.item]))), 0.0)
        label = f"Score from another referee for {self.state.item}:"
        self.ask("Add hypothetical review", label, value, self.state.add_review)

    def ask_where(self, kind: str) -> None:
        ending = {"csv": ".csv", "figures": ".svg"}.get(kind, f".{kind}")
        # Not the table's own name, which is that of the imported file.
        what = ("" if self.state.is_original else f"-{shortened(self.state.current.name, 40)}") + "-calibrated"
        title = shortened(present(self.state.table).title, LONGEST_NAME - len(what))
        path = self.context.files.save_file(self, "Export calibration", f"{title}{what}", ending)
        if path is not None:
            self.export(self.state.export(self.comparison, today()), kind, path)

    def export(self, export: CalibrationExport, kind: str, path: Path) -> None:
        make = partial(make_files, export, kind, path.stem, self.context.bridge)
        self.write_files(write_export("calibration.export", path.parent, make, path.name))
