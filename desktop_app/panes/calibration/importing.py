"""The import: which column holds what, what is doubtful, and what shall happen to it. Mappings are remembered."""

from __future__ import annotations

import json
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
    TITLES,
    Columns,
    Decision,
    ProblemKind,
    ScoreImport,
    Sheet,
    guess_columns,
    numeric_columns,
    read_scores,
)
from engine.shown import visible_line

if TYPE_CHECKING:
    from desktop_app.state import WindowState

_NONE = "(none)"
_REMEMBERED = "calibration.columns"
SHOWN_PROBLEMS = 400


class ImportDialog(QDialog):
    """Shows what would be imported while one chooses. ``result_import`` is the import as accepted."""

    def __init__(self, sheet: Sheet, state: WindowState, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(visible_line(f"Import scores from {sheet.name}"))
        self.setAccessibleName("Import scores")
        self.resize(680, 620)
        self.sheet, self._state = sheet, state
        self.result_import: ScoreImport | None = None
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 16, 16, 16)
        layout.setSpacing(12)
        for warning in sheet.warnings:
            layout.addWidget(text_label(warning, "muted", wrap=True, parent=self))
        form = QFormLayout()
        form.setSpacing(8)
        self.columns: dict[str, QComboBox] = {}
        chosen = remembered(sheet, state) or guess_columns(sheet) or Columns("", "", "")
        for name, title in (("item", "Item"), ("referee", "Referee"), ("score", "Score"), ("confidence", "Confidence")):
            combo = self._combo(title)
            if name == "confidence":
                combo.addItem(_NONE, "")
            for column in sheet.columns:
                combo.addItem(column, column)
            combo.setCurrentIndex(combo.findData(getattr(chosen, name)))
            self.columns[name] = combo
            form.addRow(title, combo)
        self.answers: dict[ProblemKind, QComboBox] = {}
        for kind, choices in CHOICES.items():
            if len(choices) > 1:
                combo = self._combo(TITLES[kind])
                for choice in choices:
                    combo.addItem(DECISIONS[choice], choice)
                self.answers[kind] = combo
                form.addRow(TITLES[kind], combo)
        layout.addLayout(form)
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
        for combo in (*self.columns.values(), *self.answers.values()):
            combo.currentIndexChanged.connect(lambda _n: self._read())
        self._read()

    def _combo(self, name: str) -> QComboBox:
        combo = QComboBox(self)
        combo.setAccessibleName(name)
        return combo

    def chosen(self) -> Columns:
        """The mapping as it stands; every other column of numbers comes along as a further score."""
        picked = {name: combo.currentData() or "" for name, combo in self.columns.items()}
        further = tuple(c for c in numeric_columns(self.sheet) if c not in picked.values())
        return Columns(picked["item"], picked["referee"], picked["score"], picked["confidence"], further)

    def mapping(self) -> dict[str, str]:
        """The chosen column of each field that has one."""
        columns = self.chosen()
        fields = {name: str(getattr(columns, name)) for name in ("item", "referee", "score", "confidence")}
        return {name: column for name, column in fields.items() if column}

    def _read(self) -> None:
        columns = self.chosen()
        self.problems.clear()
        self.result_import = None
        if not (columns.item and columns.referee and columns.score):
            self.summary.setText("Choose the columns of item, referee and score.")
        else:
            decisions = {kind: cast("Decision", combo.currentData()) for kind, combo in self.answers.items()}
            try:
                self.result_import = read_scores(self.sheet, columns, decisions)
            except EnvironmentProblem as problem:
                self.summary.setText(str(problem))
            else:
                self._show(self.result_import)
        self.ok.setEnabled(self.result_import is not None)

    def _show(self, found: ScoreImport) -> None:
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
        for problem in found.problems[:SHOWN_PROBLEMS]:
            words = f"{problem.sentence} → {DECISIONS[cast('Decision', problem.decision)]}"
            QListWidgetItem(words, self.problems).setToolTip(words)
        more = len(found.problems) - SHOWN_PROBLEMS
        if more > 0:
            QListWidgetItem(f"… and {more:,} more; the report lists all.", self.problems)

    def accept(self) -> None:
        if self.result_import is not None:
            remember(self.sheet, self.chosen(), self._state)
            super().accept()


def _known(state: WindowState) -> dict[str, list[str]]:
    try:
        found = json.loads(state.text(_REMEMBERED, "{}"))
    except json.JSONDecodeError:
        return {}
    return found if isinstance(found, dict) else {}


def remembered(sheet: Sheet, state: WindowState) -> Columns | None:
    """The mapping that was used last for a table with these columns."""
    found = _known(state).get("|".join(sheet.columns))
    if not isinstance(found, list) or len(found) != 4 or not all(c in {"", *sheet.columns} for c in found):
        return None
    return Columns(found[0], found[1], found[2], found[3])


def remember(sheet: Sheet, columns: Columns, state: WindowState) -> None:
    """Keeps a mapping for the next table with the same columns."""
    known = _known(state)
    known["|".join(sheet.columns)] = [columns.item, columns.referee, columns.score, columns.confidence]
    state.set_text(_REMEMBERED, json.dumps(known))
