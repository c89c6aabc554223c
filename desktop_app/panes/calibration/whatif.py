"""The bar above the matrix: current scenario, method, lambda, cut-off, changes and their effect on the ranking."""

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QBoxLayout, QLineEdit, QPushButton, QSizePolicy, QWidget

from desktop_app import present
from desktop_app.commands import CommandRegistry
from desktop_app.theme import ROW, theme
from desktop_app.widgets.command_menu import CommandMenuButton
from desktop_app.widgets.fields import ChoiceBox, number_box
from desktop_app.widgets.labels import ElidedLabel, literal, named, text_label
from desktop_app.widgets.layouts import column, command_button, fix_width, row
from engine.calibration.registry import CALIBRATORS
from engine.calibration.scenarios import Change, Scenario
from engine.calibration.store import ScoreTable

SHOWN_CHANGES = 4
LETTERS = 16
"""Longer names are shortened in the text of a change."""
_MARGIN = 12


class WhatIfBar(QWidget):
    """Shows a scenario and emits what the user chose; the pane stores it."""

    configured = Signal(str, object, str)
    """Method, prior precision or None, name of the score."""
    cutoff_chosen = Signal(object)
    taken_back = Signal(object)
    """A Change."""

    def __init__(self, registry: CommandRegistry, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("What if")
        self._precision = ""
        self.table, self.scenario, self.score = (
            ChoiceBox(name, letters=8, parent=self) for name in ("Table of scores", "Scenario", "Score to calibrate")
        )
        methods = [(entry.title, entry.id) for entry in CALIBRATORS.values()]
        self.method = ChoiceBox("Method", methods, letters=14, parent=self)
        for at, entry in enumerate(CALIBRATORS.values()):
            self.method.setItemData(at, f"{entry.assumes}\n{entry.citation}", Qt.ItemDataRole.ToolTipRole)
        self.method.picked.connect(lambda _key: self._configure())
        self.score.picked.connect(lambda _key: self._configure())
        self.precision = named(QLineEdit(self), "Prior precision of the biases, lambda")
        self.precision.setToolTip(
            "λ, the precision of the bias prior. Large values pull all biases to 0.\nLeave empty to let the method "
            "choose."
        )
        self.precision.setPlaceholderText("λ auto")
        fix_width(self.precision, 84)
        self.precision.editingFinished.connect(self._configure)
        name = "Cut-off: how many items lie above the line"
        self.cutoff = number_box(name, 0, 99, zero="no cut-off", pause=True, parent=self, prefix="top ")
        self.cutoff.valueChanged.connect(lambda value: self.cutoff_chosen.emit(value or None))
        buttons = (
            command_button(registry, f"calibration.{name}", "", self, show_key=False)
            for name in ("new_scenario", "reset")
        )
        another = command_button(registry, "calibration.import", "", self, quiet=True, show_key=False)
        self.export = CommandMenuButton(
            registry,
            [c.id for c in registry.in_scope("calibration") if c.id.startswith("calibration.export_")],
            "Export…",
            self,
        )
        self._chips = row(spacing=4)
        self._earlier, self._changes = text_label("", "small", parent=self), 0
        self.moved = ElidedLabel("muted", self)
        settings = (self.score, self.method, self.precision, self.cutoff, self.export)
        self._groups = row(self.table, self.scenario, *buttons, None), row(None, *settings)
        self._controls = row(*self._groups)
        changes = row(self._earlier, self._chips, (self.moved, 1), another)
        column(self._controls, changes, margins=(_MARGIN, 6, _MARGIN, 6), spacing=4, of=self)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        theme().follow(self._fold)

    def event(self, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.LayoutRequest, QEvent.Type.Resize):
            self._fold()
        return super().event(event)

    def _fold(self) -> None:
        """Places the settings below the scenario if they don't fit beside it."""
        needed = sum(group.sizeHint().width() for group in self._groups) + self._controls.spacing() + 2 * _MARGIN
        beside, under = QBoxLayout.Direction.LeftToRight, QBoxLayout.Direction.TopToBottom
        self._controls.setDirection(beside if needed <= self.width() else under)
        self.moved.setMinimumHeight(theme().px(ROW))  # the height of a change's button, so that the matrix doesn't move
        room, hidden = self.width() // 2, self._changes  # the other half says what the changes did
        for chip in reversed(self._buttons()):
            room -= chip.sizeHint().width() + self._chips.spacing()
            chip.setVisible(room >= 0 or hidden == self._changes)
            hidden -= not chip.isHidden()
        self._earlier.setText(f"{hidden} earlier, then")
        self._earlier.setVisible(hidden > 0)

    def _buttons(self) -> list[QWidget]:
        found = (present(self._chips.itemAt(n)) for n in range(self._chips.count()))
        return [present(item.widget()) for item in found]

    def show_tables(self, tables: Sequence[ScoreTable], chosen: str) -> None:
        self.table.show_entries([(table.title, table.id) for table in tables], chosen)
        self.table.setVisible(len(tables) > 1)

    def show_scenarios(
        self, scenarios: Sequence[Scenario], chosen: Scenario, scores: Sequence[str], table: ScoreTable, items: int
    ) -> None:
        """Shows a scenario's settings; ``scores`` are the other columns that can be calibrated."""
        named = [(s.name + (f" ({len(s.changes)})" if s.changes else ""), s.id) for s in scenarios]
        self.scenario.show_entries(named, chosen.id)
        main = (table.columns.get("score", "score"), "")
        self.score.show_entries([main, *((name, name) for name in scores)], chosen.score_name)
        self.score.setVisible(bool(scores))
        self.method.show_value(chosen.method)
        entry = CALIBRATORS[chosen.method]
        self.method.setToolTip(f"{entry.title}\n{entry.assumes}")
        self.precision.setEnabled(entry.takes_prior)
        self._precision = "" if chosen.prior_precision is None else f"{chosen.prior_precision:g}"
        self.precision.setText(self._precision)
        with QSignalBlocker(self.cutoff):
            self.cutoff.setRange(0, max(items, 1))
            self.cutoff.setValue(table.cutoff or 0)

    def show_changes(self, changes: Sequence[tuple[Change, str, str]]) -> None:
        """Shows a button for each of the latest changes that fit, which removes the change. Each change has a short
        and a full description."""
        while (old := self._chips.takeAt(0)) is not None:
            if (widget := old.widget()) is not None:
                widget.hide()
                widget.deleteLater()
        self._changes = len(changes)
        for change, brief, words in changes[-SHOWN_CHANGES:]:
            chip = QPushButton(literal(f"{brief}  ✕"), self)
            chip.setProperty("role", "link")
            # It disappears when clicked; the matrix keeps the focus.
            chip.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            named(chip, f"Remove change: {words}", f"Remove change: {words}")
            chip.clicked.connect(lambda _checked=False, what=change: self.taken_back.emit(what))
            self._chips.addWidget(chip)
        self._fold()

    def _configure(self) -> None:
        text = self.precision.text().strip().replace(",", ".")
        try:
            precision = float(text) if text else None
        except ValueError:
            self.precision.setText(self._precision)  # not a number: restore the previous value
            return
        self.configured.emit(self.method.value, precision, self.score.value)
