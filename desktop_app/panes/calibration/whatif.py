"""The bar above the matrix: the current scenario, its method, lambda and cut-off, its changes, and what they moved."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from desktop_app.commands import CommandRegistry
from desktop_app.widgets.buttons import CommandButton
from desktop_app.widgets.labels import ElidedLabel, text_label
from desktop_app.widgets.plain import literal
from engine.calibration.registry import CALIBRATORS

if TYPE_CHECKING:
    from engine.calibration.scenarios import Change, Scenario
    from engine.calibration.store import ScoreTable

SHOWN_CHANGES = 4


class WhatIfBar(QWidget):
    """Shows a scenario and says what the person chose; the pane writes it."""

    table_chosen = Signal(str)
    scenario_chosen = Signal(str)
    configured = Signal(str, object, str)
    """Method, prior precision or None, name of the score."""
    cutoff_chosen = Signal(object)
    taken_back = Signal(object)
    """A Change."""

    def __init__(self, registry: CommandRegistry, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("What if")
        self._showing = False
        self._precision = ""
        self.table = self._combo("Table of scores")
        self.table.activated.connect(lambda _n: self.table_chosen.emit(self.table.currentData()))
        self.scenario = self._combo("Scenario")
        self.scenario.activated.connect(lambda _n: self.scenario_chosen.emit(self.scenario.currentData()))
        self.method = self._combo("Method")
        self.method.setMinimumContentsLength(20)
        for entry in CALIBRATORS.values():
            self.method.addItem(entry.title, entry.id)
            self.method.setItemData(
                self.method.count() - 1, f"{entry.assumes}\n{entry.citation}", Qt.ItemDataRole.ToolTipRole
            )
        self.method.activated.connect(lambda _n: self._configure())
        self.score = self._combo("Score that is calibrated")
        self.score.activated.connect(lambda _n: self._configure())
        self.precision = QLineEdit(self)
        self.precision.setAccessibleName("Prior precision of the biases, lambda")
        self.precision.setToolTip(
            "λ, the precision of the bias prior: large pulls all biases to 0.\nEmpty: the method's own choice."
        )
        self.precision.setPlaceholderText("λ auto")
        self.precision.setFixedWidth(84)
        self.precision.editingFinished.connect(self._configure)
        self.cutoff = QSpinBox(self)
        self.cutoff.setAccessibleName("Cut-off: how many items lie above the line")
        self.cutoff.setSpecialValueText("no cut-off")
        self.cutoff.setPrefix("top ")
        self.cutoff.setKeyboardTracking(False)
        self.cutoff.valueChanged.connect(self._cut)
        first = QHBoxLayout()
        first.setSpacing(8)
        for widget in (self.table, self.scenario):
            first.addWidget(widget)
        for command in ("calibration.new_scenario", "calibration.reset"):
            first.addWidget(CommandButton(registry, command, show_key=False, parent=self))
        first.addStretch(1)
        for field in (self.score, self.method, self.precision, self.cutoff):
            first.addWidget(field)
        first.addWidget(CommandButton(registry, "calibration.export", show_key=False, text="Export…", parent=self))
        self._chips = QHBoxLayout()
        self._chips.setSpacing(4)
        self.moved = ElidedLabel("muted", self)
        second = QHBoxLayout()
        second.setSpacing(8)
        second.addLayout(self._chips)
        second.addWidget(self.moved, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(12, 6, 12, 6)
        layout.setSpacing(4)
        layout.addLayout(first)
        layout.addLayout(second)

    def _combo(self, name: str) -> QComboBox:
        combo = QComboBox(self)
        combo.setAccessibleName(name)
        combo.setToolTip(name)
        combo.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        combo.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        combo.setMinimumContentsLength(12)
        return combo

    def show_tables(self, tables: Sequence[ScoreTable], chosen: str) -> None:
        _fill(self.table, [(table.title, table.id) for table in tables], chosen)
        self.table.setVisible(len(tables) > 1)

    def show_scenarios(
        self, scenarios: Sequence[Scenario], chosen: Scenario, scores: Sequence[str], table: ScoreTable, items: int
    ) -> None:
        """Shows a scenario's settings; ``scores`` are the further columns that could be calibrated."""
        self._showing = True
        _fill(
            self.scenario,
            [(s.name + (f" ({len(s.changes)})" if s.changes else ""), s.id) for s in scenarios],
            chosen.id,
        )
        _fill(
            self.score,
            [(table.columns.get("score", "score"), ""), *((name, name) for name in scores)],
            chosen.score_name,
        )
        self.score.setVisible(bool(scores))
        self.method.setCurrentIndex(self.method.findData(chosen.method))
        entry = CALIBRATORS[chosen.method]
        self.method.setToolTip(f"{entry.title}\n{entry.assumes}")
        self.precision.setEnabled(entry.takes_prior)
        self._precision = "" if chosen.prior_precision is None else f"{chosen.prior_precision:g}"
        self.precision.setText(self._precision)
        self.cutoff.setRange(0, max(items, 1))
        self.cutoff.setValue(table.cutoff or 0)
        self._showing = False

    def show_changes(self, changes: Sequence[tuple[Change, str]]) -> None:
        """A button for each of the latest changes takes it back."""
        while self._chips.count():
            old = self._chips.takeAt(0)
            widget = old.widget() if old is not None else None
            if widget is not None:
                widget.hide()
                widget.deleteLater()
        if len(changes) > SHOWN_CHANGES:
            self._chips.addWidget(text_label(f"{len(changes) - SHOWN_CHANGES} more, then", "small", parent=self))
        for change, words in changes[-SHOWN_CHANGES:]:
            chip = QPushButton(literal(f"{words}  ✕"), self)
            chip.setProperty("role", "link")
            chip.setAccessibleName(f"Take back: {words}")
            chip.setToolTip(f"Take back: {words}")
            chip.clicked.connect(lambda _checked=False, what=change: self.taken_back.emit(what))
            self._chips.addWidget(chip)

    def show_moved(self, words: str) -> None:
        self.moved.setText(words)
        self.moved.setToolTip(words)

    def _configure(self) -> None:
        if self._showing:
            return
        text = self.precision.text().strip().replace(",", ".")
        try:
            precision = float(text) if text else None
        except ValueError:
            self.precision.setText(self._precision)  # not a number: what stood there before
            return
        self.configured.emit(self.method.currentData(), precision, self.score.currentData() or "")

    def _cut(self, value: int) -> None:
        if not self._showing:
            self.cutoff_chosen.emit(value or None)


def _fill(combo: QComboBox, entries: Sequence[tuple[str, str]], chosen: str) -> None:
    combo.blockSignals(True)
    combo.clear()
    for words, key in entries:
        combo.addItem(words, key)
    combo.setCurrentIndex(max(combo.findData(chosen), 0))
    combo.blockSignals(False)
