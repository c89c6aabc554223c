"""The stages: which are on, how far they are, the output of each, and its prompts."""

from __future__ import annotations

from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QStackedWidget, QTabBar, QWidget

from desktop_app.panes.review.layout import TwoLineList, TwoLines, buttons, column, line, plain, reader, surface
from desktop_app.panes.review.outputs import OutputRow, counted, rows_of, where
from desktop_app.panes.review.prompts import PromptView
from desktop_app.panes.review.runs import ReviewRuns
from desktop_app.panes.review.stage_table import StageTable
from desktop_app.theme import theme
from desktop_app.widgets.labels import ElidedLabel
from desktop_app.widgets.layouts import splitter
from engine.review_drafting.records import STAGE_TITLES, StageId
from engine.review_drafting.store import Decision

_OUTPUT, _PROMPT, _RAW = range(3)
_ICONS: dict[Decision, str] = {"accepted": "check-circle", "rejected": "x-circle"}


class StagesView(QWidget):
    """The stages at the left; at the right the output of the selected one, its prompt, and what the model wrote."""

    def __init__(self, runs: ReviewRuns, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._runs = runs
        self._registry = registry = runs.session.context.commands
        self.stage: StageId = "aggregator"
        self.rows: tuple[OutputRow, ...] = ()
        self._shown: object = None
        surface(self)
        self.table = StageTable(runs, self)
        self.table.chosen.connect(self.choose)
        self.views = QTabBar(self)
        self.views.setAccessibleName("View of the stage")
        self.views.setDrawBase(False)
        for words in ("Output", "Prompt", "Model output"):
            self.views.addTab(words)
        self.title = ElidedLabel("section", self)
        self.list = TwoLineList("Output of the stage", self)
        self.list.chosen.connect(self._show_row)
        self.list.activated_row.connect(lambda _index: self.go())
        self.words = reader("Selected row in full", self)
        self.prompt = PromptView(runs.session, self)
        self.raw = plain("Output of the language model", self)
        self.raw.setPlaceholderText("Only runs with a language model have this.")
        self.beside = QWidget(self)
        acts = buttons(registry, self, take_point="Accept", refuse_point="Reject", show_place="Show place")
        column(self.words, acts, margins=(8, 0, 0, 0), spacing=8, on=self.beside)
        self.stack = QStackedWidget(self)
        for page in (splitter((self.list, 420, 0), (self.beside, 380, 0), parent=self), self.prompt, self.raw):
            self.stack.addWidget(page)
        self.views.currentChanged.connect(self._view_changed)
        registry.changed.connect(self._name_views)
        head = line(self.title, self.views)
        head.setStretch(0, 1)
        right = QWidget(self)
        column(head, self.stack, margins=(12, 0, 0, 0), spacing=4, on=right).setStretch(1, 1)
        whole = line(self.table, right, margins=(12, 8, 12, 8), spacing=0)
        whole.setStretch(1, 1)
        self.setLayout(whole)
        runs.changed.connect(self.show_runs)
        runs.progressed.connect(self.show_runs)
        theme().changed.connect(self.show_runs)

    def _view_changed(self, at: int) -> None:
        self.stack.setCurrentIndex(at)
        self._registry.state_changed.emit()

    def _name_views(self) -> None:
        key = self._registry.native_shortcut("review.edit_prompt").split(" or ")[0]
        self.views.setTabText(_PROMPT, f"Prompt   {key}" if key else "Prompt")

    def choose(self, stage: StageId) -> None:
        """Selects a stage."""
        if stage != self.stage:
            self.stage = stage
            self.show_runs()

    def edit_prompt(self) -> None:
        """Shows the prompt of the stage and puts the cursor in it."""
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
        """Shows the stages while the page is visible; the selected row stays selected."""
        if not self.isVisible():
            return
        self.table.show_runs(self.stage)
        made = self._runs.stage(self.stage)
        self.rows = rows_of(made.output if made is not None else None)
        shown = (self.stage, made, tuple(sorted(self._runs.decisions.items())))
        if shown != self._shown:
            self._shown = shown
            self._fill()
        said = counted(self.rows) if made is not None and not made.problem else made.problem if made else ""
        self.title.setText(f"{STAGE_TITLES[self.stage]} · {said}" if said else STAGE_TITLES[self.stage])
        self.title.setToolTip(self.title.text())
        self.list.set_skeleton(3 if self._runs.under_way and made is None and self._is_on() else 0)
        self.list.set_message(self._empty_words())
        self.raw.setPlainText("\n\n".join(made.raw) if made is not None else "")
        self.prompt.show_stage(self.stage)
        self._registry.state_changed.emit()

    def _is_on(self) -> bool:
        return self.stage in (self._runs.under_way or self._runs.on)

    def _empty_words(self) -> str:
        run = self._runs.run
        if self._runs.under_way is not None:
            return "This stage isn't finished yet." if self._is_on() else "This stage is skipped in this run."
        if run is None:
            return "No runs yet. Run reads the paper on this computer and adds nothing to your review by itself."
        made = self._runs.stage(self.stage)
        return "This stage was skipped in this run." if made is None else made.problem or "The stage found nothing."

    def _fill(self) -> None:
        self.list.show_rows([self._line(row) for row in self.rows])
        self._show_row()

    def _line(self, row: OutputRow) -> TwoLines:
        decided = self._runs.decisions.get(row.point.id) if row.point is not None else None
        icon = _ICONS[decided] if decided else "circle-dashed" if row.offered else "dots-three"
        places, state = where(row.anchors), decided or ""
        detail = " · ".join(one for one in (state, row.kind, places or row.detail) if one)
        return TwoLines(icon, row.words, detail, f"{row.kind}: {row.words}. {row.detail}. {places}. {state}")

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
        """The selected row."""
        at = self.list.row
        return self.rows[at] if 0 <= at < len(self.rows) else None

    @property
    def can_decide(self) -> bool:
        """Whether the selected row is a point of a finished run that can be accepted or rejected."""
        row = self.row
        runs = self._runs
        return row is not None and row.offered and runs.under_way is None and runs.state.can_write and self.on_output

    def take(self) -> None:
        """Adds the selected point to the review, and goes to the next."""
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
        """Shows the places of the selected row in the paper."""
        row = self.row
        found = [box for anchor in (row.anchors if row is not None else ()) for box in self._runs.boxes(anchor)]
        self._runs.session.show(found)
