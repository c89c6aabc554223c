"""The stages: which are on, their progress, output and prompts."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QShowEvent, QTextCursor
from PySide6.QtWidgets import QProgressBar, QTableWidgetItem, QWidget

from desktop_app.panes.review.layout import buttons, reader
from desktop_app.panes.review.outputs import OutputRow, kinds, rows_of, where
from desktop_app.panes.review.runs import ReviewRuns
from desktop_app.panes.review.session import ReviewSession
from desktop_app.theme import theme
from desktop_app.widgets.entry_list import TwoLineList, TwoLines
from desktop_app.widgets.fact_table import FactTable
from desktop_app.widgets.fields import ChoiceBox, number_box
from desktop_app.widgets.keys import KeepsKeys
from desktop_app.widgets.labels import ElidedLabel, named, plain_text, text_label
from desktop_app.widgets.layouts import Flow, column, command_buttons, fix_width, row, splitter, stacked, surface, tabs
from engine.models.library import Added
from engine.models.prompts import shipped_prompt
from engine.review_drafting.prompts import PROMPTS, prompt_in_force
from engine.review_drafting.records import STAGE_TITLES, STAGES, StageId
from engine.review_drafting.store import Decision
from engine.shown import local_time

_OUTPUT, _PROMPT, _RAW = range(3)
_WRITTEN = 90
"""Number of characters shown of a model's partial output."""
_ICONS: dict[Decision, str] = {"accepted": "check-circle", "rejected": "x-circle"}


class StageTable(QWidget):
    """One row per stage: whether it is on, its state and time; below, the settings of the next run."""

    chosen = Signal(str)
    """Another stage was selected."""

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
        tip = "The same seed, prompts and texts give the same output"
        name = "Seed of the language model"
        self.seed = number_box(name, 0, 999_999, tip=tip, parent=self, prefix="seed ", keyboardTracking=True)
        self.seed.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.seed.valueChanged.connect(runs.set_seed)
        self.progress = named(QProgressBar(self, textVisible=False), "Progress of the run")
        self.status = ElidedLabel("small", self)
        self.ahead = text_label("", "small", wrap=True, parent=self)
        acts = command_buttons(registry, "review", {"run_stages": "Run", "cancel_run": "Cancel"}, self, "run_stages")
        self.run, self.stop = acts.values()
        way, foot = row((self.way, 1), self.seed), row(self.run, self.stop, (self.status, 1))
        column((self.table, 1), self.progress, way, self.ahead, foot, spacing=6, of=self)
        fix_width(self, 316)

    def _row_chosen(self, row: int, *_: int) -> None:
        if row >= 0 and not self._filling:
            self.chosen.emit(STAGES[row])

    def _item_changed(self, item: QTableWidgetItem) -> None:
        if not self._filling and item.column() == 0:
            self._runs.switch(STAGES[item.row()], on=item.checkState() == Qt.CheckState.Checked)

    def show_runs(self, current: StageId) -> None:
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
        runs = self._runs
        if runs.under_way is None:
            self._model = runs.chosen_model()
        model = self._model
        listed = [("Rules, no language model", True), *([(model.title, False)] if model is not None else [])]
        self.way.show_entries(listed, runs.by_rules or model is None)
        self.seed.setVisible(self.way.currentIndex() == 1)
        working = runs.under_way is not None
        runs.foresee()
        newest = f"…{' '.join(runs.written.split())[-_WRITTEN:]}"
        self.ahead.setText(newest if working else runs.ahead)
        self.ahead.setVisible(bool(runs.written if working else runs.ahead))
        for control in (self.way, self.seed):
            control.setEnabled(not working)
        self.progress.setVisible(working)
        self.progress.setRange(0, 0 if runs.fraction is None else 100)
        self.progress.setValue(round(100 * (runs.fraction or 0)))
        hidden, shown = (self.run, self.stop) if working else (self.stop, self.run)
        shown.show()
        if hidden.hasFocus():
            shown.setFocus()
        hidden.hide()
        self.status.setText(runs.words if working else self._last())

    def _state(self, stage: StageId) -> tuple[str, str]:
        runs = self._runs
        made = runs.stage(stage)
        if made is not None:
            return ("x-circle", "failed") if made.problem else ("check-circle", f"done   {made.seconds:.1f} s")
        if runs.under_way is not None:
            if stage not in runs.under_way:
                return "minus-circle", "skipped"
            return ("play-circle", "working…") if runs.working == stage else ("circle-dashed", "waiting")
        skipped = runs.run is not None and stage not in runs.run.settings.on
        return ("minus-circle", "skipped") if skipped else ("circle", "not run")

    def _last(self) -> str:
        run = self._runs.run
        if run is None:
            return ""
        said = {"done": f"{run.seconds:.1f} s in total", "cancelled": "cancelled", "failed": "failed"}
        return said.get(run.state, "ended early")


class PromptView(QWidget):
    """Editor for one prompt at a time. An edited text is used only after ``use``."""

    def __init__(self, session: ReviewSession, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._stage: StageId | None = None
        self._used = ""
        self._shown = ""
        """The prompt whose text is shown."""
        self._unused: dict[str, str] = {}
        """Edited texts that aren't in use, by prompt."""
        registry = session.context.commands
        self.which = ChoiceBox("Prompt of the stage", letters=16, parent=self)
        self.versions = ChoiceBox("Versions of the prompt", letters=16, parent=self)
        self.versions.setToolTip("Earlier versions. Choose Use to go back to one")
        self.status = ElidedLabel("muted", self)
        self.text = plain_text("Text of the prompt", self, read_only=False)
        self.which.picked.connect(lambda _key: self._read(replace=True))
        self.versions.picked.connect(self._replace)
        self.text.textChanged.connect(self._typed)
        acts = buttons(registry, self, use_prompt="Use", ship_prompt="Restore default")
        column(row(self.which, self.versions, (self.status, 1)), (self.text, 1), acts, spacing=8, of=self)
        session.runs_changed.connect(lambda: self._read(replace=False))

    @property
    def prompt(self) -> str:
        """The key of the current prompt; "" if the stage has none."""
        return self.which.value or ""

    @property
    def changed(self) -> bool:
        text = self.text.toPlainText().strip()
        return bool(self.prompt and text) and text != self._used

    @property
    def edited(self) -> bool:
        """Whether a text other than the default is in use."""
        return bool(self.prompt) and self._used != shipped_prompt(self.prompt)

    def show_stage(self, stage: StageId) -> None:
        if stage != self._stage:
            self._stage = stage
            self.which.show_entries([(title, key) for key, (owner, title) in PROMPTS.items() if owner == stage])
            self._read(replace=True)

    def use(self) -> None:
        text = self.text.toPlainText().strip()
        if text == shipped_prompt(self.prompt):
            self.restore_default()
        else:
            self._session.act(lambda: self._session.state.store.edit_prompt(self.prompt, text))

    def restore_default(self) -> None:
        if self._session.act(lambda: self._session.state.store.edit_prompt(self.prompt, "")):
            self._replace(shipped_prompt(self.prompt))

    def _replace(self, text: str) -> None:
        """Shows another text; undo in the field brings back the one before."""
        cursor = self.text.textCursor()
        cursor.select(QTextCursor.SelectionType.Document)
        cursor.insertText(text)

    def _read(self, *, replace: bool) -> None:
        """Reads the versions; replaces the text if ``replace`` or if it isn't being edited."""
        state, key = self._session.state, self.prompt
        if not key:
            return
        kept = state.store.prompt_versions(key) if state.project is not None else ()
        edited = {key: (kept[0].version, kept[0].text)} if kept and kept[0].text else {}
        if (other := key != self._shown) and self.text.toPlainText().strip() not in ("", self._used):
            self._unused[self._shown] = self.text.toPlainText()
        replace = replace or not self.changed
        self._used = prompt_in_force(key, edited).text
        edits = [(f"Edited {one.version}, {local_time(one.created_at)}", one.text) for one in kept if one.text]
        self.versions.show_entries([*edits, ("Default", shipped_prompt(key))], self._used)
        if replace:
            self.text.setPlainText(self._unused.pop(key, self._used) if other else self._used)
        self._shown = key
        self._typed()

    def _typed(self) -> None:
        used = "In use: your text" if self.edited else "In use: default"
        self.status.setText("Not in use yet" if self.changed else used)
        self.text.setReadOnly(not self._session.state.can_write)
        self._session.context.commands.state_changed.emit()


class StagesView(QWidget):
    """The stages on the left; on the right the output of the selected one, its prompt, and the model's raw output."""

    def __init__(self, runs: ReviewRuns, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._runs = runs
        self._registry = registry = runs.session.context.commands
        self.stage: StageId = "aggregator"
        self.rows: tuple[OutputRow, ...] = ()
        self._shown: tuple[object, ...] = ()
        surface(self, "Stages")
        self.table = StageTable(runs, self)
        self.table.chosen.connect(self.choose)
        self.views = tabs("View of the stage", ("Output", "Prompt", "Model output"), self)
        self.title = ElidedLabel("section", self)
        self.list = TwoLineList("Output of the stage", _line, self)
        self.list.chosen.connect(self._show_row)
        self.list.activated_row.connect(lambda _index: self.go())
        self.words = reader("Selected row in full", self)
        self.prompt = PromptView(runs.session, self)
        self.raw = plain_text("Output of the language model", self)
        self.raw.setPlaceholderText("Only runs with a language model have this.")
        self.beside = QWidget(self)
        acts = {"take_point": "Accept", "refuse_point": "Reject", "show_place": "Show place"}
        flow = Flow(*command_buttons(registry, "review", acts, self).values())
        column((self.words, 1), row((flow, 1)), margins=(8, 0, 0, 0), spacing=8, of=self.beside)
        output = splitter((self.list, 420, 1), (self.beside, 380, 1), folding=True, parent=self)
        self.stack = stacked(self, output, self.prompt, self.raw)
        self.views.currentChanged.connect(self._view_changed)
        registry.changed.connect(self._name_views)
        right = column(row((self.title, 1), self.views), (self.stack, 1), margins=(12, 0, 0, 0), spacing=4)
        row(self.table, (right, 1), margins=(12, 8, 12, 8), spacing=0, of=self)
        runs.changed.connect(self.show_runs)
        runs.progressed.connect(self.show_runs)
        theme().follow(self.show_runs, now=False)

    def _view_changed(self, at: int) -> None:
        self.stack.setCurrentIndex(at)
        self._registry.state_changed.emit()

    def _name_views(self) -> None:
        key = self._registry.native_shortcut("review.edit_prompt").split(" or ")[0]
        self.views.setTabText(_PROMPT, f"Prompt   {key}" if key else "Prompt")

    def choose(self, stage: StageId) -> None:
        if stage != self.stage:
            self.stage = stage
            self.show_runs()

    def edit_prompt(self) -> None:
        self.views.setCurrentIndex(_PROMPT)
        self.prompt.text.setFocus()

    @property
    def on_output(self) -> bool:
        return self.views.currentIndex() == _OUTPUT

    @property
    def on_prompt(self) -> bool:
        return self.views.currentIndex() == _PROMPT

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.show_runs()

    def show_runs(self) -> None:
        """Updates the view if it is visible, keeping the selected row."""
        if not self.isVisible():
            return
        self.table.show_runs(self.stage)
        made = self._runs.stage(self.stage)
        self.rows = rows_of(made.output if made is not None else None)
        shown = (self.stage, made, tuple(sorted(self._runs.decisions.items())))
        if shown != self._shown:
            another = shown[:2] != self._shown[:2]
            self._shown = shown
            self._fill(another=another)
        said = kinds(self.rows) if made is not None and not made.problem else made.problem if made else ""
        self.title.setText(f"{STAGE_TITLES[self.stage]} · {said}" if said else STAGE_TITLES[self.stage])
        self.list.set_skeleton(3 if self._runs.under_way and made is None and self._is_on() else 0)
        self.list.set_message(self._empty_words())
        self._show_raw("\n\n".join(made.raw) if made is not None else None)
        self.prompt.show_stage(self.stage)
        self._registry.state_changed.emit()

    def _show_raw(self, text: str | None) -> None:
        """Shows the model's output or, while the stage is running, its partial output, scrolled to the end."""
        writing = text is None and self._runs.working == self.stage
        text = self._runs.written if writing else text or ""
        if text != self.raw.toPlainText():
            self.raw.setPlainText(text)
            if writing:
                self.raw.verticalScrollBar().setValue(self.raw.verticalScrollBar().maximum())

    def _is_on(self) -> bool:
        return self.stage in (self._runs.under_way or self._runs.on)

    def _empty_words(self) -> str:
        run = self._runs.run
        if self._runs.under_way is not None:
            return "This stage isn't finished yet." if self._is_on() else "This stage is skipped in this run."
        if run is None:
            return (
                "No runs yet. A run reads the paper on this computer. Nothing is added to your review until you "
                "accept it."
            )
        made = self._runs.stage(self.stage)
        if made is None:
            skipped = self.stage not in run.settings.on
            return "This stage was skipped in this run." if skipped else "The run ended before this stage was finished."
        return made.problem or "The stage found nothing."

    def _fill(self, *, another: bool) -> None:
        """Fills the list; for ``another`` output, selects the first row that can be accepted or rejected."""
        first = next((at for at, row in enumerate(self.rows) if row.offered), 0)
        decided = self._runs.decisions
        rows = [(row, decided.get(row.point.id) if row.point else None) for row in self.rows]
        self.list.show_rows(rows, first if another else None)
        self._show_row()

    def _show_row(self) -> None:
        row = self.row
        parts = [] if row is None else [row.kind, row.words, row.detail, where(row.anchors)]
        text = "\n\n".join(part for part in parts if part)
        if text != self.words.toPlainText():
            self.words.setPlainText(text)
        self.beside.setVisible(row is not None)
        self._registry.state_changed.emit()

    @property
    def row(self) -> OutputRow | None:
        return self.list.current[0] if self.list.current is not None else None

    @property
    def can_decide(self) -> bool:
        row = self.row
        runs = self._runs
        return row is not None and row.offered and runs.under_way is None and runs.state.can_write and self.on_output

    def take(self) -> None:
        row = self.row
        if row is not None and row.point is not None and row.part is not None:
            self._runs.accept(row.part, row.point)
            self._next()

    def refuse(self) -> None:
        """Rejects the selected point and goes to the next; a second time removes the decision."""
        row = self.row
        if row is not None and row.point is not None:
            rejected = self._runs.decisions.get(row.point.id) == "rejected"
            self._runs.decide(row.point, None if rejected else "rejected")
            if not rejected:
                self._next()

    def _next(self) -> None:
        if self.list.row + 1 < len(self.rows):
            self.list.select_row(self.list.row + 1)

    @property
    def can_go(self) -> bool:
        row = self.row
        return row is not None and self.on_output and any(self._runs.boxes(anchor) for anchor in row.anchors)

    def go(self) -> None:
        row = self.row
        found = [box for anchor in (row.anchors if row is not None else ()) for box in self._runs.boxes(anchor)]
        self._runs.session.show(found)


def _line(shown: tuple[OutputRow, Decision | None]) -> TwoLines:
    row, decided = shown
    icon = _ICONS[decided] if decided else "circle-dashed" if row.offered else "dots-three"
    places, state = where(row.anchors), decided or ""
    detail = " · ".join(one for one in (state, row.kind, places or row.detail) if one)
    return TwoLines(icon, row.words, detail, f"{row.kind}: {row.words}. {row.detail}. {places}. {state}")
