"""Import of scores: choice of columns, doubtful rows, and how to treat them. Column choices are remembered."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QListWidget, QListWidgetItem, QWidget

from desktop_app import present
from desktop_app.settings import WindowState
from desktop_app.theme import ROW
from desktop_app.widgets.dialogs import DialogButtons, lay_out_scrolling
from desktop_app.widgets.fields import ChoiceBox
from desktop_app.widgets.labels import named, text_label
from desktop_app.widgets.layouts import Parts, at_least, form_rows
from engine.calibration.records import ScoreRow
from engine.calibration.store import CalibrationStore
from engine.errors import EnvironmentProblem
from engine.exchange.score_layouts import FIELDS
from engine.exchange.scores import (
    CHOICES,
    DECISIONS,
    TITLES,
    Decision,
    ProblemKind,
    ScoreImport,
    plan_scores,
    read_score_table,
    read_scores,
    said_of,
)
from engine.exchange.tables import Table, TablePlan
from engine.jobs import DuplicatePolicy, Report, task
from engine.shown import counted, visible_line

_REMEMBERED = "calibration.columns"
_MARKS = (("As detected", ""), ("Point: 1.5", "."), ("Comma: 1,5", ","))
_OTHERWISE = "If it has no such columns, change the table to one header line and one review per row, then import again."
SHOWN_PROBLEMS = 400
_TOGETHER, _APART = "Rank together with", "(a table of its own)"


@dataclass(frozen=True, slots=True)
class NewTable:
    """A table of scores read from ``path``; ``columns`` maps each field to its column."""

    path: Path
    title: str
    found: ScoreImport
    columns: tuple[tuple[str, str], ...]


@task("calibration.read", "Read {path.name}", DuplicatePolicy.REPLACE)
def read_table(report: Report, path: Path) -> Table:
    report.check()
    return read_score_table(path)


@task("calibration.import", "Import {table.path.name}", DuplicatePolicy.AFTER)
def import_scores(report: Report, store: CalibrationStore, table: NewTable) -> str:
    """Stores a table and returns its key."""
    report.progress(0.1, "Storing")
    path, found = table.path, table.found
    origin, columns = f"import:{path.name}", dict(table.columns)
    return store.add_table(table.title, found.rows, origin=origin, columns=columns, problems=found.problems)


class ImportDialog(QDialog):
    """Shows what would be imported for the current choices. ``result_import`` is set when the dialog is accepted."""

    def __init__(
        self, table: Table, state: WindowState, parent: QWidget | None = None, store: CalibrationStore | None = None
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(visible_line(f"Import scores from {table.name}"))
        self.table, self._state, self._store = table, state, store
        self.result_import: ScoreImport | None = None
        form = self._form = form_rows()

        def choice(title: str, entries: list[tuple[str, str]], chosen: str) -> ChoiceBox:
            box = ChoiceBox(title, entries, letters=14, parent=self)
            box.setCurrentIndex(box.findData(chosen))  # without a suggestion, no column is selected
            box.picked.connect(lambda _value: self._read())
            form.addRow(title, box)
            return box

        columns = [(column, column) for column in table.columns]
        chosen = remembered(table, state) or plan_scores(table).columns
        self.columns = {
            field.name: choice(
                field.name.capitalize(), columns if field.needed else [("(none)", ""), *columns], chosen[field.name]
            )
            for field in FIELDS
        }
        self.decimal = choice("Decimal mark", list(_MARKS), "")
        tables = store.tables() if store is not None else ()
        self.together = choice(_TOGETHER, [(_APART, ""), *((one.title, one.id) for one in tables)], "")
        self.answers: dict[ProblemKind, ChoiceBox] = {
            kind: choice(TITLES[kind], [(DECISIONS[key], key) for key in choices], choices[0])
            for kind, choices in CHOICES.items()
            if len(choices) > 1
        }
        self.read_as = text_label("", "muted", wrap=True)
        self.summary = text_label("", "body", wrap=True)
        self.problems = named(QListWidget(self), "Doubtful rows")
        self.problems.setWordWrap(True)
        self.problems.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        buttons = DialogButtons(self, "Import")
        self.ok = buttons.ok
        warnings = (text_label(warning, "muted", wrap=True) for warning in table.warnings)
        parts: list[Parts] = [*warnings, form, self.read_as, self.summary, (self.problems, 50), None]
        at_least(self.problems, 0, 4 * ROW)
        lay_out_scrolling(self, parts, [buttons], 100, 42, spacing=12)
        form.setRowVisible(self.together, bool(tables))  # only now has its label a parent
        self._read()
        boxes = (*self.columns.values(), self.decimal)
        open_box = next((box for box in boxes if box.currentIndex() < 0), self.decimal)
        (self.ok if self.result_import else open_box).setFocus()  # else Enter would cancel

    def chosen(self) -> TablePlan:
        """Returns the plan for the chosen columns; other numeric columns are kept as further scores."""
        return plan_scores(self.table, {name: box.value or "" for name, box in self.columns.items()})

    def new_table(self, path: Path) -> NewTable:
        with_ = f"{self.together.currentText()} + " if self.together.value else ""
        return NewTable(path, with_ + path.stem, present(self.result_import), tuple(self.mapping().items()))

    def mapping(self) -> dict[str, str]:
        return {name: column for name, column in self.chosen().columns.items() if column}

    def _read(self) -> None:
        plan = self.chosen()
        self.problems.clear()
        self.problems.hide()
        self.read_as.setText(self.table.assumed)
        self.result_import = None
        if plan.missing:
            self.summary.setText(f"Choose the columns for item, referee and score. {_OTHERWISE}")
        elif plan.question and not self.decimal.value:
            self.summary.setText(f"{plan.question} Choose the decimal mark.")
        else:
            decisions = {kind: cast("Decision", box.value) for kind, box in self.answers.items()}
            try:
                self.result_import = read_scores(plan, decisions, self.decimal.value, self._others())
            except EnvironmentProblem as problem:
                self.summary.setText(str(problem))
            else:
                self._show(self.result_import, plan)
        kinds = {problem.kind for problem in self.result_import.problems} if self.result_import else set()
        for kind, box in self.answers.items():
            self._form.setRowVisible(box, kind in kinds)  # only what this table has
        self.ok.setEnabled(self.result_import is not None)

    def _others(self) -> Sequence[ScoreRow]:
        """Returns the reviews of the table to rank together with this one."""
        return self._store.reviews(self.together.value) if self._store is not None and self.together.value else ()

    def _show(self, found: ScoreImport, plan: TablePlan) -> None:
        doubtful, left_out = len(found.problems), sum(problem.skipped for problem in found.problems)
        items, referees = len({r.item for r in found.rows}), len({r.referee for r in found.rows})
        alone = read_scores(plan, decimal=self.decimal.value).rows if self.together.value else ()
        self.summary.setText(
            f"{counted(len(found.rows), 'review')} of {counted(items, 'item')} by {counted(referees, 'referee')}."
            f"{in_common(self._others(), alone)} "
            + (f"{counted(doubtful, 'doubtful row')}, {left_out} left out:" if doubtful else "No doubtful rows.")
        )
        self.read_as.setText(" ".join(said_of(plan)))
        self.problems.setVisible(bool(found.problems))
        for problem in found.problems[:SHOWN_PROBLEMS]:
            words = f"{visible_line(problem.sentence)} → {DECISIONS[cast('Decision', problem.decision)]}"
            QListWidgetItem(words, self.problems).setToolTip(words)
        if doubtful > SHOWN_PROBLEMS:
            QListWidgetItem(f"… and {doubtful - SHOWN_PROBLEMS:,} more; the report lists them all.", self.problems)

    def accept(self) -> None:
        if self.result_import is not None:
            remember(self.table, self.chosen().columns, self._state)
            super().accept()


def in_common(others: Sequence[ScoreRow], own: Sequence[ScoreRow]) -> str:
    """Returns a sentence about what connects two tables that are ranked together; "" without another one."""
    if not others or not own:
        return ""
    referees = len({r.referee for r in others} & {r.referee for r in own})
    items = len({r.item for r in others} & {r.item for r in own})
    low, high, own_low, own_high = (pick(r.score for r in rows) for rows in (others, own) for pick in (min, max))
    ranges = f" Scores there: {low:g} to {high:g}. Here: {own_low:g} to {own_high:g}."
    if own_low > 2 * high or low > 2 * own_high:
        ranges += " They seem to use different scales: convert one table first."
    if not referees and not items:
        return f" The tables have no referee and no item in common, so they can't be compared.{ranges}"
    return f" In both tables: {counted(referees, 'referee')}, {counted(items, 'item')}.{ranges}"


def _known(state: WindowState) -> dict[str, list[str]]:
    try:
        found = json.loads(state.text(_REMEMBERED, "{}"))
    except json.JSONDecodeError:
        return {}
    return found if isinstance(found, dict) else {}


def remembered(table: Table, state: WindowState) -> dict[str, str] | None:
    found = _known(state).get("|".join(table.columns))
    if not isinstance(found, list) or len(found) != len(FIELDS) or not all(c in {"", *table.columns} for c in found):
        return None
    return {field.name: column for field, column in zip(FIELDS, found, strict=True)}


def remember(table: Table, columns: Mapping[str, str], state: WindowState) -> None:
    known = _known(state)
    known["|".join(table.columns)] = [columns[field.name] for field in FIELDS]
    state.set_text(_REMEMBERED, json.dumps(known))
