"""The import: which column holds what, what is doubtful, and what shall happen to it. Mappings are remembered."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, cast

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QFormLayout,
    QListWidget,
    QListWidgetItem,
    QVBoxLayout,
    QWidget,
)

from desktop_app.widgets.dialog_buttons import DialogButtons
from desktop_app.widgets.labels import text_label
from engine.calibration.comparability import counted
from engine.errors import EnvironmentProblem
from engine.exchange.scores import (
    CHOICES,
    DECISIONS,
    FIELDS,
    TITLES,
    Decision,
    ProblemKind,
    ScoreImport,
    plan_scores,
    read_scores,
    said_of,
)
from engine.exchange.tables import Table, TablePlan
from engine.shown import visible_line

if TYPE_CHECKING:
    from desktop_app.state import WindowState

_NONE = "(none)"
_REMEMBERED = "calibration.columns"
SHOWN_PROBLEMS = 400


class ImportDialog(QDialog):
    """Shows what would be imported while one chooses. ``result_import`` is the import as accepted."""

    def __init__(self, table: Table, state: WindowState, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(visible_line(f"Import scores from {table.name}"))
        self.setAccessibleName("Import scores")
        self.resize(680, 620)
        self.table, self._state = table, state
        self.result_import: ScoreImport | None = None
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 16, 16, 16)
        layout.setSpacing(12)
        for warning in table.warnings:
            layout.addWidget(text_label(warning, "muted", wrap=True, parent=self))
        form = QFormLayout()
        form.setSpacing(8)
        self.columns: dict[str, QComboBox] = {}
        chosen = remembered(table, state) or plan_scores(table).columns
        for field in FIELDS:
            title = field.name.capitalize()
            combo = self._combo(title)
            if not field.needed:
                combo.addItem(_NONE, "")
            for column in table.columns:
                combo.addItem(column, column)
            combo.setCurrentIndex(combo.findData(chosen[field.name]))
            self.columns[field.name] = combo
            form.addRow(title, combo)
        self.decimal = self._combo("Decimal mark")
        for title, mark in (("As in the table", ""), ("Point: 1.5", "."), ("Comma: 1,5", ",")):
            self.decimal.addItem(title, mark)
        form.addRow("Decimal mark", self.decimal)
        self.answers: dict[ProblemKind, QComboBox] = {}
        for kind, choices in CHOICES.items():
            if len(choices) > 1:
                combo = self._combo(TITLES[kind])
                for choice in choices:
                    combo.addItem(DECISIONS[choice], choice)
                self.answers[kind] = combo
                form.addRow(TITLES[kind], combo)
        layout.addLayout(form)
        self.read_as = text_label("", "muted", wrap=True, parent=self)
        layout.addWidget(self.read_as)
        self.summary = text_label("", "body", wrap=True, parent=self)
        layout.addWidget(self.summary)
        self.problems = QListWidget(self)
        self.problems.setAccessibleName("Doubtful rows")
        self.problems.setWordWrap(True)
        self.problems.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        layout.addWidget(self.problems, 1)
        buttons = DialogButtons(self, "Import")
        self.ok = buttons.ok
        layout.addWidget(buttons)
        for combo in (*self.columns.values(), self.decimal, *self.answers.values()):
            combo.currentIndexChanged.connect(lambda _n: self._read())
        self._read()

    def _combo(self, name: str) -> QComboBox:
        combo = QComboBox(self)
        combo.setAccessibleName(name)
        return combo

    def chosen(self) -> TablePlan:
        """The table with the chosen columns; every other column of numbers is kept as a further score."""
        return plan_scores(self.table, {name: combo.currentData() or "" for name, combo in self.columns.items()})

    def mapping(self) -> dict[str, str]:
        """The chosen column of each field that has one."""
        return {name: column for name, column in self.chosen().columns.items() if column}

    def _read(self) -> None:
        plan = self.chosen()
        self.problems.clear()
        self.result_import = None
        if plan.missing:
            self.summary.setText("Choose the columns of item, referee and score.")
        elif plan.question and not self.decimal.currentData():
            self.summary.setText(f"{plan.question} Choose the decimal mark.")
        else:
            decisions = {kind: cast("Decision", combo.currentData()) for kind, combo in self.answers.items()}
            try:
                self.result_import = read_scores(plan, decisions, self.decimal.currentData())
            except EnvironmentProblem as problem:
                self.summary.setText(str(problem))
            else:
                self._show(self.result_import, plan)
        self.ok.setEnabled(self.result_import is not None)

    def _show(self, found: ScoreImport, plan: TablePlan) -> None:
        left_out = sum(problem.skipped for problem in found.problems)
        items, referees = len({r.item for r in found.rows}), len({r.referee for r in found.rows})
        self.summary.setText(
            f"{len(found.rows):,} reviews of {items:,} items by {referees:,} referees."
            + (
                f" {counted(len(found.problems), 'doubtful row', 'doubtful rows')}, {left_out} left out:"
                if found.problems
                else " No row is doubtful."
            )
        )
        self.read_as.setText(" ".join(said_of(plan)))
        for problem in found.problems[:SHOWN_PROBLEMS]:
            words = f"{problem.sentence} → {DECISIONS[cast('Decision', problem.decision)]}"
            QListWidgetItem(words, self.problems).setToolTip(words)
        more = len(found.problems) - SHOWN_PROBLEMS
        if more > 0:
            QListWidgetItem(f"… and {more:,} more; the report lists all.", self.problems)

    def accept(self) -> None:
        if self.result_import is not None:
            remember(self.table, self.chosen().columns, self._state)
            super().accept()


def _known(state: WindowState) -> dict[str, list[str]]:
    try:
        found = json.loads(state.text(_REMEMBERED, "{}"))
    except json.JSONDecodeError:
        return {}
    return found if isinstance(found, dict) else {}


def remembered(table: Table, state: WindowState) -> dict[str, str] | None:
    """The mapping that was used last for a table with these columns."""
    found = _known(state).get("|".join(table.columns))
    if not isinstance(found, list) or len(found) != len(FIELDS) or not all(c in {"", *table.columns} for c in found):
        return None
    return {field.name: column for field, column in zip(FIELDS, found, strict=True)}


def remember(table: Table, columns: Mapping[str, str], state: WindowState) -> None:
    """Keeps a mapping for the next table with the same columns."""
    known = _known(state)
    known["|".join(table.columns)] = [columns[field.name] for field in FIELDS]
    state.set_text(_REMEMBERED, json.dumps(known))
