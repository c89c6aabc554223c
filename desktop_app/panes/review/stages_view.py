"""The stages: which are on, how far they are, what each made, and the prompt that it asks with."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QShowEvent, QStandardItem, QStandardItemModel
from PySide6.QtWidgets import (
    QHBoxLayout,
    QPlainTextEdit,
    QSplitter,
    QStackedWidget,
    QTabBar,
    QVBoxLayout,
    QWidget,
)

from desktop_app.panes.review.outputs import OutputRow, counted, rows_of, where
from desktop_app.panes.review.prompts import PromptView
from desktop_app.panes.review.runs import ReviewRuns
from desktop_app.panes.review.stage_table import StageTable
from desktop_app.theme import theme
from desktop_app.widgets.buttons import CommandButton
from desktop_app.widgets.keys import KeepsKeys
from desktop_app.widgets.labels import ElidedLabel
from desktop_app.widgets.plain import HtmlPage
from desktop_app.widgets.row_list import RowList
from desktop_app.widgets.two_line_delegate import DETAIL, TwoLineDelegate
from engine.review_drafting.records import STAGE_TITLES, StageId

_OUTPUT, _PROMPT, _RAW = range(3)
_DECIDED = {"accepted": "check-circle", "rejected": "x-circle"}


class StagesView(QWidget):
    """A row a stage at the left; at the right what the stage at hand made, its prompt, and what the model wrote."""

    def __init__(self, runs: ReviewRuns, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._runs = runs
        self.stage: StageId = "aggregator"
        self.rows: tuple[OutputRow, ...] = ()
        self._shown: object = None
        registry = runs.desk.context.commands
        self.setProperty("role", "surface")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.table = StageTable(runs, self)
        self.table.chosen.connect(self.choose)
        self.views = QTabBar(self)
        self.views.setAccessibleName("What is shown of the stage")
        self.views.setDrawBase(False)
        for words in ("Output", "Prompt", "As the model wrote it"):
            self.views.addTab(words)
        self.title = ElidedLabel("section", self)
        self.model = QStandardItemModel(self)
        self.list = RowList("What the stage made", self)
        self.list.setModel(self.model)
        self.list.setItemDelegate(TwoLineDelegate(self.list, Qt.TextElideMode.ElideRight))
        self.list.selectionModel().currentChanged.connect(lambda *_: self._show_row())
        self.list.activated_row.connect(lambda _index: self.go())
        self.words = HtmlPage("The row in full", self, padding="4px 8px")
        self.words.setTabChangesFocus(True)
        self.prompt = PromptView(runs.desk, self)
        self.raw = QPlainTextEdit(self)
        self.raw.setAccessibleName("What the language model wrote")
        self.raw.setReadOnly(True)
        self.raw.setTabChangesFocus(True)
        acts = QHBoxLayout()
        acts.setSpacing(8)
        acts.setContentsMargins(0, 0, 0, 0)
        for name, text in (("take_point", "Take"), ("refuse_point", "Refuse"), ("show_place", "Show the place")):
            button = CommandButton(registry, f"review.{name}", text=text, parent=self)
            KeepsKeys(button)
            acts.addWidget(button)
        acts.addStretch(1)
        self.beside = QWidget(self)
        column = QVBoxLayout(self.beside)
        column.setContentsMargins(8, 0, 0, 0)
        column.setSpacing(8)
        column.addWidget(self.words, 1)
        column.addLayout(acts)
        output = QSplitter(Qt.Orientation.Horizontal, self)
        output.setChildrenCollapsible(False)
        output.setHandleWidth(1)
        output.addWidget(self.list)
        output.addWidget(self.beside)
        output.setSizes([420, 380])
        self.stack = QStackedWidget(self)
        for page in (output, self.prompt, self.raw):
            self.stack.addWidget(page)
        self.views.currentChanged.connect(self._view_changed)
        registry.changed.connect(self._name_views)
        head = QHBoxLayout()
        head.addWidget(self.title, 1)
        head.addWidget(self.views)
        right = QWidget(self)
        inside = QVBoxLayout(right)
        inside.setContentsMargins(12, 0, 0, 0)
        inside.setSpacing(4)
        inside.addLayout(head)
        inside.addWidget(self.stack, 1)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(12, 8, 12, 8)
        layout.setSpacing(0)
        layout.addWidget(self.table)
        layout.addWidget(right, 1)
        runs.changed.connect(self.show_runs)
        runs.moved.connect(self.show_runs)
        theme().changed.connect(self._theme_changed)

    def _view_changed(self, at: int) -> None:
        self.stack.setCurrentIndex(at)
        self._runs.desk.context.commands.state_changed.emit()

    def _name_views(self) -> None:
        key = self._runs.desk.context.commands.native_shortcut("review.edit_prompt").split(" or ")[0]
        self.views.setTabText(_PROMPT, f"Prompt   {key}" if key else "Prompt")

    # --- showing --------------------------------------------------------------------------------------------------

    def choose(self, stage: StageId) -> None:
        """Shows another stage."""
        if stage != self.stage:
            self.stage = stage
            self.show_runs()

    def edit_prompt(self) -> None:
        """Shows the prompt of the stage at hand, with the cursor in it."""
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
        """Runs as they are now, while somebody looks; the row at hand stays."""
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
        self.raw.setPlaceholderText("Without a language model there is nothing here.")
        self.prompt.show_stage(self.stage)
        self._runs.desk.context.commands.state_changed.emit()

    def _is_on(self) -> bool:
        return self.stage in (self._runs.under_way or self._runs.on)

    def _empty_words(self) -> str:
        run = self._runs.run
        if self._runs.under_way is not None:
            return "This stage has not answered yet." if self._is_on() else "This stage is left out of the run."
        if run is None:
            return "No run yet: Run lets the stages read the paper. Nothing is filed, and nothing leaves this machine."
        made = self._runs.stage(self.stage)
        return "This stage was left out of the run." if made is None else made.problem or "The stage found nothing."

    def _fill(self) -> None:
        before = self.list.currentIndex().row()
        self.model.clear()
        for row in self.rows:
            decided = self._runs.decisions.get(row.point.id) if row.point is not None else None
            icon = _DECIDED[decided] if decided else "circle-dashed" if row.offered else "dots-three"
            item = QStandardItem(theme().icon(icon, "ink"), row.words)
            places = where(row.anchors)
            state = {"accepted": "taken", "rejected": "refused"}.get(decided or "", "")
            item.setData(" · ".join(one for one in (state, row.kind, places or row.detail) if one), int(DETAIL))
            item.setData(
                f"{row.kind}: {row.words}. {row.detail}. {places}. {state}", int(Qt.ItemDataRole.AccessibleTextRole)
            )
            item.setToolTip(row.words)
            self.model.appendRow(item)
        if self.rows:
            self.list.select_row(min(max(before, 0), len(self.rows) - 1))
        self._show_row()

    def _show_row(self) -> None:
        row = self.row
        parts = [] if row is None else [row.kind, row.words, row.detail, where(row.anchors)]
        text = "\n\n".join(part for part in parts if part)
        if text != self.words.toPlainText():
            self.words.setPlainText(text)
        self.beside.setVisible(row is not None)
        self._runs.desk.context.commands.state_changed.emit()

    def _theme_changed(self) -> None:
        self._shown = None
        self.show_runs()

    # --- acting ---------------------------------------------------------------------------------------------------

    @property
    def row(self) -> OutputRow | None:
        """The row at hand."""
        at = self.list.currentIndex().row()
        return self.rows[at] if 0 <= at < len(self.rows) else None

    @property
    def can_decide(self) -> bool:
        """Whether the row at hand is a point of a kept run that can be taken or refused."""
        row = self.row
        runs = self._runs
        return row is not None and row.offered and runs.under_way is None and runs.desk.can_write and self.on_output

    def take(self) -> None:
        """Puts the point at hand into the review, and goes on."""
        row = self.row
        if row is not None and row.point is not None and row.part is not None:
            self._runs.take(row.part, row.point)
            self._next()

    def refuse(self) -> None:
        """Keeps that the point at hand was refused, and goes on; once more opens it again."""
        row = self.row
        if row is not None and row.point is not None:
            refused = self._runs.decisions.get(row.point.id) == "rejected"
            self._runs.decide(row.point, None if refused else "rejected")
            if not refused:
                self._next()

    def _next(self) -> None:
        at = self.list.currentIndex().row()
        if at + 1 < len(self.rows):
            self.list.select_row(at + 1)

    @property
    def can_go(self) -> bool:
        row = self.row
        return row is not None and self.on_output and any(self._runs.boxes(anchor) for anchor in row.anchors)

    def go(self) -> None:
        """Shows where the row at hand stands in the paper."""
        row = self.row
        found = [box for anchor in (row.anchors if row is not None else ()) for box in self._runs.boxes(anchor)]
        self._runs.desk.show(found)
