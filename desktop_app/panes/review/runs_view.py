"""The kept runs: what each was, two of them compared stage by stage, and one made again as it was."""

from __future__ import annotations

from datetime import datetime

from PySide6.QtCore import Qt
from PySide6.QtGui import QShowEvent, QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QVBoxLayout, QWidget

from desktop_app.panes.review.runs import ReviewRuns
from desktop_app.theme import theme
from desktop_app.widgets.buttons import CommandButton
from desktop_app.widgets.fact_table import FactTable
from desktop_app.widgets.halves import Halves
from desktop_app.widgets.keys import KeepsKeys
from desktop_app.widgets.labels import text_label
from desktop_app.widgets.plain import HtmlPage
from desktop_app.widgets.row_list import RowList
from desktop_app.widgets.two_line_delegate import DETAIL, TwoLineDelegate
from engine.review_drafting.pipeline import Run, StageDifference, compare_runs
from engine.review_drafting.records import STAGE_TITLES, STAGES

_ICONS = {"done": "check-circle", "cancelled": "minus-circle", "failed": "x-circle", "running": "minus-circle"}
_STATES = {"done": "done", "cancelled": "cancelled", "failed": "failed", "running": "ended early"}


def moment_of(stamp: str) -> str:
    """A moment as people read it, in their own time zone: "21 Nov 14:05"."""
    return f"{datetime.fromisoformat(stamp).astimezone():%d %b %H:%M}" if stamp else ""


def run_title(run: Run) -> str:
    """A run in a line: when, and by what."""
    return f"{moment_of(run.created_at)} · {run.model or 'by rules'}"


class RunsView(QWidget):
    """Runs at the left, the newest first; at the right the one at hand beside another one."""

    def __init__(self, runs: ReviewRuns, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._runs = runs
        self._other = ""
        self._shown: tuple[Run, ...] = ()
        self._filling = False
        registry = runs.desk.context.commands
        self.setProperty("role", "surface")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.model = QStandardItemModel(self)
        self.list = RowList("Runs, the newest first", self)
        self.list.setModel(self.model)
        self.list.setItemDelegate(TwoLineDelegate(self.list, Qt.TextElideMode.ElideRight))
        self.list.set_message("No run was made for this review yet.")
        self.list.selectionModel().currentChanged.connect(lambda *_: self._chosen())
        self.facts = text_label("", "muted", wrap=True, parent=self)
        self.facts.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.other = QComboBox(self)
        self.other.setAccessibleName("Run to compare with")
        self.other.setToolTip("The run at hand is compared with this one")
        self.other.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.other.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.other.setMinimumContentsLength(18)
        self.other.activated.connect(lambda _at: self._other_chosen())
        KeepsKeys(self.other)
        self.table = FactTable(
            "The two runs stage by stage: given, made, statements of one run only, seconds",
            ("Stage", "Given", "Made", "Here / there", "Seconds"),
            self,
        )
        self.table.currentCellChanged.connect(lambda *_: self._show_stage())
        self.words = HtmlPage("What only one of the runs says", self, padding="4px 8px")
        self.words.setTabChangesFocus(True)
        acts, line = QHBoxLayout(), QHBoxLayout()
        for row in (acts, line):
            row.setSpacing(8)
        for name, text in (("replay", "Make again"), ("forget_run", "Remove")):
            button = CommandButton(registry, f"review.{name}", text=text, parent=self)
            KeepsKeys(button)
            acts.addWidget(button)
        acts.addStretch(1)
        line.addWidget(text_label("Compared with", "muted", parent=self))
        line.addWidget(self.other, 1)
        left, right = QWidget(self), QWidget(self)
        column, beside = QVBoxLayout(left), QVBoxLayout(right)
        column.setContentsMargins(0, 0, 8, 0)
        column.setSpacing(8)
        column.addWidget(self.list, 1)
        column.addLayout(acts)
        beside.setContentsMargins(8, 0, 0, 0)
        beside.setSpacing(6)
        beside.addWidget(self.facts)
        beside.addLayout(line)
        both = Halves(self.table, self.words, [460, 300], self)
        beside.addWidget(both, 1)
        halves = Halves(left, right, [270, 790], self)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(12, 8, 12, 8)
        layout.addWidget(halves)
        self.differences: tuple[StageDifference, ...] = ()
        runs.changed.connect(self.show_runs)
        theme().changed.connect(self._theme_changed)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.show_runs()

    def show_runs(self) -> None:
        """The runs as they are now, while somebody looks."""
        if not self.isVisible():
            return
        if self._runs.runs != self._shown:
            self._shown = self._runs.runs
            self._fill()
        run = self._runs.run
        row = next((n for n, one in enumerate(self._shown) if run is not None and one.id == run.id), -1)
        if row != self.list.currentIndex().row():
            self._filling = True
            self.list.select_row(row)
            self._filling = False
        self._compare()

    def _fill(self) -> None:
        self._filling = True
        self.model.clear()
        for run in self._shown:
            item = QStandardItem(theme().icon(_ICONS[run.state], "ink"), run_title(run))
            stages = "all stages" if run.settings.on == frozenset(STAGES) else ", ".join(
                STAGE_TITLES[stage] for stage in STAGES if stage in run.settings.on
            )  # fmt: skip
            detail = f"{_STATES[run.state]} · {run.seconds:.1f} s · {stages}"
            item.setData(detail, int(DETAIL))
            item.setData(f"{run_title(run)}, {detail}", int(Qt.ItemDataRole.AccessibleTextRole))
            item.setToolTip(f"{run_title(run)}\n{detail}")
            self.model.appendRow(item)
        self._filling = False

    def _theme_changed(self) -> None:
        self._shown = ()
        self.show_runs()

    def _chosen(self) -> None:
        at = self.list.currentIndex().row()
        if not self._filling and 0 <= at < len(self._shown):
            self._runs.choose(self._shown[at].id)

    def _other_chosen(self) -> None:
        self._other = self.other.currentData() or ""
        self._compare()

    @property
    def compared_with(self) -> Run | None:
        """The other run: the chosen one, else the one made before the run at hand."""
        run = self._runs.run
        rest = [one for one in self._shown if run is not None and one.id != run.id]
        chosen = next((one for one in rest if one.id == self._other), None)
        if chosen is not None or run is None:
            return chosen
        earlier = [one for one in rest if one.created_at < run.created_at]
        return earlier[0] if earlier else rest[0] if rest else None

    @property
    def can_forget(self) -> bool:
        return self._runs.run is not None and self._runs.under_way is None and self._runs.desk.can_write

    def forget(self) -> None:
        """Removes the run at hand."""
        run = self._runs.run
        if run is not None:
            self._runs.forget(run)

    def _compare(self) -> None:
        run, other = self._runs.run, self.compared_with
        rest = [one for one in self._shown if run is not None and one.id != run.id]
        listed = [(run_title(one), one.id) for one in rest]
        if [(self.other.itemText(n), self.other.itemData(n)) for n in range(self.other.count())] != listed:
            self.other.clear()
            for title, key in listed:
                self.other.addItem(title, key)
        self.other.setCurrentIndex(self.other.findData(other.id) if other is not None else -1)
        self.other.setEnabled(bool(rest))
        self.facts.setText(_facts(run) if run is not None else "")
        found = compare_runs(run, other) if run is not None and other is not None else ()
        if found != self.differences or not found:
            self.differences = found
            self.table.show_rows([_row(one) for one in found])
            if found:
                self.table.setCurrentCell(0, 0)
            self._show_stage()

    def _show_stage(self) -> None:
        at = self.table.currentRow()
        if not 0 <= at < len(self.differences):
            run = self._runs.run
            alone = "There is no second run to compare with." if run is not None else ""
            self.words.setPlainText(alone)
            return
        one = self.differences[at]
        parts = []
        for title, texts in (("Only in the run at hand", one.only_first), ("Only in the other run", one.only_second)):
            if texts:
                parts.append("\n".join([f"{title}:", *(f"– {text}" for text in texts)]))
        said = "\n\n".join(parts)
        self.words.setPlainText(said or f"The {STAGE_TITLES[one.stage]} says the same in both.")


def _facts(run: Run) -> str:
    """What a run was made with: hashes of what it read, seed, prompts."""
    inputs = " · ".join(f"{name} {value[:8]}" for name, value in run.inputs if value)
    prompts = ", ".join(dict.fromkeys(s.info.prompt_version for s in run.stages if s.info.prompt_version))
    parts = [run.origin, f"seed {run.settings.seed}" if run.model else "", f"prompts {prompts}" if prompts else "",
             inputs, *run.problems]  # fmt: skip
    return " · ".join(part for part in parts if part)


def _row(one: StageDifference) -> tuple[str, ...]:
    return (
        STAGE_TITLES[one.stage],
        "same" if one.same_input else "other",
        "same" if one.same_output else "other",
        f"+{len(one.only_first)} / +{len(one.only_second)}",
        f"{one.seconds[0]:.1f} / {one.seconds[1]:.1f}",
    )
