"""The stages as rows: which are on, how far they are, and what the next run does."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QProgressBar, QSpinBox, QTableWidgetItem, QVBoxLayout, QWidget

from desktop_app.panes.review.runs import ReviewRuns
from desktop_app.theme import theme
from desktop_app.widgets.buttons import CommandButton
from desktop_app.widgets.fact_table import FactTable
from desktop_app.widgets.keys import KeepsKeys
from desktop_app.widgets.labels import ElidedLabel
from engine.models.library import Added
from engine.review_drafting.records import STAGE_TITLES, STAGES, StageId


class StageTable(QWidget):
    """A row a stage: whether it is on, its state and time; below them what the next run does."""

    chosen = Signal(str)
    """The stage that is at hand now."""

    def __init__(self, runs: ReviewRuns, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._runs = runs
        self._model: Added | None = None
        self._filling = False
        registry = runs.desk.context.commands
        self.table = FactTable("Stages: Space switches one on or off", ("Stage", "State"), self)
        self.table.setToolTip("A stage without its check is left out of the next run; Space switches it")
        self.table.show_rows([(STAGE_TITLES[stage], "") for stage in STAGES])
        self.table.horizontalHeader().hide()
        self.table.currentCellChanged.connect(self._row_chosen)
        self.table.itemChanged.connect(self._item_changed)
        KeepsKeys(self.table)
        self.way = QComboBox(self)
        self.way.setAccessibleName("How the stages work")
        self.way.setToolTip("By rules, or with the language model that the Models pane chooses for reviews")
        self.way.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.way.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.way.setMinimumContentsLength(14)
        self.way.activated.connect(lambda at: runs.set_by_rules(at == 0))
        KeepsKeys(self.way)
        self.seed = QSpinBox(self)
        self.seed.setAccessibleName("Seed of the language model")
        self.seed.setToolTip("The same seed, prompts and texts give the same answers again")
        self.seed.setRange(0, 999_999)
        self.seed.setPrefix("seed ")
        self.seed.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.seed.valueChanged.connect(runs.set_seed)
        self.progress = QProgressBar(self)
        self.progress.setAccessibleName("Progress of the run")
        self.progress.setTextVisible(False)
        self.told = ElidedLabel("small", self)
        self.run = CommandButton(registry, "review.run_stages", text="Run", primary=True, parent=self)
        self.stop = CommandButton(registry, "review.cancel_run", text="Cancel", parent=self)
        for button in (self.run, self.stop):
            KeepsKeys(button)
        line, acts = QHBoxLayout(), QHBoxLayout()
        for row in (line, acts):
            row.setSpacing(8)
        line.addWidget(self.way, 1)
        line.addWidget(self.seed)
        acts.addWidget(self.run)
        acts.addWidget(self.stop)
        acts.addWidget(self.told, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(6)
        layout.addWidget(self.table, 1)
        layout.addWidget(self.progress)
        layout.addLayout(line)
        layout.addLayout(acts)
        self._resize()
        theme().changed.connect(self._resize)

    def _resize(self) -> None:
        self.setFixedWidth(theme().px(316))

    def _row_chosen(self, row: int, *_: int) -> None:
        if row >= 0 and not self._filling:
            self.chosen.emit(STAGES[row])

    def _item_changed(self, item: QTableWidgetItem) -> None:
        if not self._filling and item.column() == 0:
            self._runs.switch(STAGES[item.row()], on=item.checkState() == Qt.CheckState.Checked)

    def show_runs(self, at_hand: StageId) -> None:
        """How each stage stands."""
        runs = self._runs
        may_switch = runs.under_way is None and runs.desk.can_write
        self._filling = True
        for row, stage in enumerate(STAGES):
            icon, state = self._state(stage)
            name, second = self.table.item(row, 0), self.table.item(row, 1)
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
        self.table.setCurrentCell(STAGES.index(at_hand), 0)
        self._filling = False
        self._show_next()

    def _show_next(self) -> None:
        """What the next run does, or how far the one under way is."""
        runs = self._runs
        if runs.under_way is None:
            self._model = runs.chosen_model()
        model = self._model
        listed = ["By rules, no language model", *([model.title] if model is not None else [])]
        if [self.way.itemText(n) for n in range(self.way.count())] != listed:
            self.way.clear()
            self.way.addItems(listed)
        self.way.setCurrentIndex(0 if runs.by_rules or model is None else 1)
        self.seed.setVisible(self.way.currentIndex() == 1)
        working = runs.under_way is not None
        for control in (self.way, self.seed):
            control.setEnabled(not working)
        self.progress.setVisible(working)
        self.progress.setRange(0, 0 if runs.fraction is None else 100)
        self.progress.setValue(round(100 * (runs.fraction or 0)))
        self.run.setVisible(not working)
        self.stop.setVisible(working)
        self.told.setText(self._told() if working else self._last())
        self.told.setToolTip(self.told.text())

    def _state(self, stage: StageId) -> tuple[str, str]:
        """Icon and words of how a stage stands."""
        runs = self._runs
        made = runs.stage(stage)
        if made is not None:
            return ("x-circle", "failed") if made.problem else ("check-circle", f"done   {made.seconds:.1f} s")
        if runs.under_way is not None:
            if stage not in runs.under_way:
                return "minus-circle", "left out"
            return ("play-circle", "working…") if runs.working == stage else ("circle-dashed", "waiting")
        return ("minus-circle", "left out") if runs.run is not None else ("circle", "not run")

    def _told(self) -> str:
        """How far the run under way is, in words."""
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
        said = {"done": f"{run.seconds:.1f} s in all", "cancelled": "cancelled", "failed": "failed"}
        return said.get(run.state, "ended early")
