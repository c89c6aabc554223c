"""The venue's limits, changed one by one, and how comments are quoted before their responses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtWidgets import QComboBox, QDialog, QFormLayout, QLineEdit, QWidget

from desktop_app.widgets.choice_box import ChoiceBox
from desktop_app.widgets.dialog_buttons import DialogButtons
from desktop_app.widgets.labels import text_label
from desktop_app.widgets.layouts import column
from engine.rebuttal.records import Plan, Quoting
from engine.reviews.limits import UNITS, Limit, preset, presets, with_own

_BOUNDS = (("per_reply", "One post"), ("per_reviewer", "One reviewer, all posts"), ("total", "The whole rebuttal"))
_QUOTINGS: tuple[tuple[str, Quoting], ...] = (
    ("the whole comment", "full"), ("its beginning", "short"), ("its number", "number"), ("nothing", "none"),
)  # fmt: skip
_UNIT_TITLES = {
    "code points": "characters (code points)",
    "utf-16": "characters as browsers count (UTF-16 units)",
    "words": "words",
}


class LimitsDialog(QDialog):
    """``plan()`` is the plan as chosen; it raises BadInput for a value that is not a number."""

    def __init__(self, plan: Plan, limit: Limit, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Venue limits")
        self.setAccessibleName("Venue limits")
        self._plan = plan
        self.preset = self._box("Preset", [(one.title, one.id) for one in presets()], plan.preset)
        self.unit = self._box("Counted in", [(_UNIT_TITLES[unit], unit) for unit in UNITS], limit.unit)
        self.bounds = {name: self._line(title) for name, title in _BOUNDS}
        self.quoting = self._box("Before each response", _QUOTINGS, plan.quoting)
        self._note = text_label(limit.note, "small", wrap=True, parent=self)
        form = QFormLayout()
        form.setSpacing(8)
        form.addRow("Preset", self.preset)
        form.addRow("", self._note)
        form.addRow("Counted in", self.unit)
        for name, title in _BOUNDS:
            form.addRow(title, self.bounds[name])
        form.addRow("Before each response", self.quoting)
        buttons = DialogButtons(self, "Use these limits")
        column((form, 1), buttons, margins=(16, 16, 16, 16), spacing=12, of=self)
        self.preset.activated.connect(lambda _at: self._show(preset(self.preset.currentData())))
        self._show(limit)

    def _box(self, name: str, items: Sequence[tuple[str, str]], chosen: str) -> QComboBox:
        box = ChoiceBox(name, items, letters=0, parent=self)
        box.setCurrentIndex(max(0, box.findData(chosen)))
        return box

    def _line(self, name: str) -> QLineEdit:
        field = QLineEdit(self)
        field.setAccessibleName(name)
        field.setPlaceholderText("no limit")
        return field

    def _show(self, limit: Limit) -> None:
        self._note.setText(limit.note)
        self.unit.setCurrentIndex(self.unit.findData(limit.unit))
        for name, field in self.bounds.items():
            bound = getattr(limit, name)
            field.setText("" if bound is None else str(bound))

    def plan(self) -> Plan:
        """The plan with the values that differ from the preset."""
        chosen = preset(self.preset.currentData())
        said = {name: field.text().replace(",", "").strip() for name, field in self.bounds.items()}
        said["unit"] = self.unit.currentData()
        shipped = {name: "" if (v := getattr(chosen, name)) is None else str(v) for name in said}
        own = tuple(sorted((name, value) for name, value in said.items() if value != shipped[name]))
        with_own(chosen, own)
        return replace(self._plan, preset=chosen.id, own_limits=own, quoting=self.quoting.currentData())
