"""The stages as rows: which are on, how far they are, and how the next run works."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QProgressBar, QSpinBox, QTableWidgetItem, QWidget

from desktop_app.panes.review.runs import ReviewRuns
from desktop_app.theme import theme
from desktop_app.widgets.choice_box import ChoiceBox
from desktop_app.widgets.fact_table import FactTable
from desktop_app.widgets.keys import KeepsKeys
from desktop_app.widgets.labels import ElidedLabel
from desktop_app.widgets.layouts import column, command_buttons, fix_width, row
from engine.models.library import Added
from engine.review_drafting.records import STAGE_TITLES, STAGES, StageId


class StageTable(QWidget):
    """One row per stage: whether it is on, its state and time; below them the settings of the next run."""

    chosen = Signal(str)
    """Another stage is selected."""

    def __init__(self, runs: ReviewRuns, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._runs = runs
        self._model: Added | None = None
        self._filling = False
        registry = runs.session.context.commands
        self.table = FactTable("Stages: Space switches one on or off", ("Stage", "State"), self)
        self.table.setToolTip("Clear a check to skip the stage in the next run (Space)")
        self.table.show_rows([(STAGE_TITLES[stage], "") for stage in STAGES])
        self.table.horizontalHeader().hide()
        self.table.currentCellChanged.connect(self._row_chosen)
        self.table.itemChanged.connect(self._item_changed)
        KeepsKeys(self.table)
        self.way = ChoiceBox("Method of the stages", letters=14, parent=self)
        self.way.setToolTip("Use rules, or the language model chosen for reviews in the Models pane")
        self.way.picked.connect(runs.set_by_rules)
        self.seed = QSpinBox(self)
        self.seed.setAccessibleName("Seed of the language model")
        self.seed.setToolTip("The same seed, prompts and texts give the same output")
        self.seed.setRange(0, 999_999)
        self.seed.setPrefix("seed ")
        self.seed.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.seed.valueChanged.connect(runs.set_seed)
        self.progress = QProgressBar(self)
        self.progress.setAccessibleName("Progress of the run")
        self.progress.setTextVisible(False)
        self.status = ElidedLabel("small", self)
        acts = command_buttons(registry, "review", {"run_stages": "Run", "cancel_run": "Cancel"}, self, "run_stages")
        self.run, self.stop = acts.values()
        way, foot = row((self.way, 1), self.seed), row(self.run, self.stop, (self.status, 1))
        column((self.table, 1), self.progress, way, foot, spacing=6, of=self)
        fix_width(self, 316)

    def _row_chosen(self, row: int, *_: int) -> None:
        if row >= 0 and not self._filling:
            self.chosen.emit(STAGES[row])

    def _item_changed(self, item: QTableWidgetItem) -> None:
        if not self._filling and item.column() == 0:
            self._runs.switch(STAGES[item.row()], on=item.checkState() == Qt.CheckState.Checked)

    def show_runs(self, current: StageId) -> None:
        """Shows the state of each stage."""
        runs = self._runs
        may_switch = runs.under_way is None and runs.state.can_write
        self._filling = True
        for at, stage in enumerate(STAGES):
            icon, state = self._state(stage)
            name, second = self.table.item(at, 0), self.table.item(at, 1)
            assert name is not None and second is not None
            on = stage in (runs.on if runs.under_way is None else runs.under_way)
            name.setFlags(
                Qt.ItemFlag.ItemIsSelectable
                | Qt.ItemFlag.ItemIsEnabled
                | (Qt.ItemFlag.ItemIsUserCheckable if may_switch else Qt.ItemFlag.NoItemFlags)
            )
            name.setCheckState(Qt.CheckState.Checked if on else Qt.CheckState.Unchecked)
            name.setData(Qt.ItemDataRole.AccessibleTextRole, f"{STAGE_TITLES[stage]}, {'on' if on else 'off'}, {state}")
            second.setText(state)
            second.setIcon(theme().icon(icon, "ink"))
        self.table.setCurrentCell(STAGES.index(current), 0)
        self._filling = False
        self._show_next()

    def _show_next(self) -> None:
        """Shows the settings of the next run, or the progress of the one in progress."""
        runs = self._runs
        if runs.under_way is None:
            self._model = runs.chosen_model()
        model = self._model
        listed = [("Rules, no language model", True), *([(model.title, False)] if model is not None else [])]
        self.way.show_entries(listed, runs.by_rules or model is None)
        self.seed.setVisible(self.way.currentIndex() == 1)
        working = runs.under_way is not None
        for control in (self.way, self.seed):
            control.setEnabled(not working)
        self.progress.setVisible(working)
        self.progress.setRange(0, 0 if runs.fraction is None else 100)
        self.progress.setValue(round(100 * (runs.fraction or 0)))
        self.run.setVisible(not working)
        self.stop.setVisible(working)
        self.status.setText(self._progress() if working else self._last())
        self.status.setToolTip(self.status.text())

    def _state(self, stage: StageId) -> tuple[str, str]:
        """Icon and words for the state of a stage."""
        runs = self._runs
        made = runs.stage(stage)
        if made is not None:
            return ("x-circle", "failed") if made.problem else ("check-circle", f"done   {made.seconds:.1f} s")
        if runs.under_way is not None:
            if stage not in runs.under_way:
                return "minus-circle", "skipped"
            return ("play-circle", "working…") if runs.working == stage else ("circle-dashed", "waiting")
        return ("minus-circle", "skipped") if runs.run is not None else ("circle", "not run")

    def _progress(self) -> str:
        """The progress of the run, in words."""
        runs = self._runs
        stage = runs.working
        if stage is None or runs.words in ("Waiting", "Reading the paper", "Loading the language model"):
            return runs.words
        title = STAGE_TITLES[stage]
        return title if runs.words in STAGE_TITLES.values() else f"{title}: {runs.words}"

    def _last(self) -> str:
        run = self._runs.run
        if run is None:
            return ""
        said = {"done": f"{run.seconds:.1f} s in total", "cancelled": "cancelled", "failed": "failed"}
        return said.get(run.state, "ended early")
