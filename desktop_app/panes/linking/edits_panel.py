"""The right side: suggested edits first, then all edits, with filters and a search of their own."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QCheckBox, QGridLayout, QLineEdit, QWidget

from desktop_app.commands import CommandRegistry
from desktop_app.panes.linking.edit_list import edit_list
from desktop_app.panes.linking.rows import EditFilter
from desktop_app.panes.linking.selection import Selection
from desktop_app.widgets.keys import KeepsKeys
from desktop_app.widgets.labels import hairline, text_label
from desktop_app.widgets.layouts import column, command_grid, row, surface
from desktop_app.widgets.record_list import ChoiceBox

_KINDS = (
    ("All kinds", ""),
    ("Added", "added"),
    ("Deleted", "deleted"),
    ("Changed", "major"),
    ("Small changes", "minor"),
    ("Moved", "moved"),
)
_PHASES: Mapping[str, str] = {
    "reading": "Reading the PDFs…",
    "comparing": "Comparing the versions…",
    "suggesting": "Looking for edits that answer the comments…",
}
_SKELETON_ROWS = 8


class EditsPanel(QWidget):
    """Shows the edits of a selection."""

    chosen = Signal(object)
    """The person chose the row with this key."""
    filtered = Signal(object)
    """An EditFilter was chosen."""

    def __init__(self, registry: CommandRegistry, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        surface(self, "Edits")
        self.search = QLineEdit(self)
        self.search.setPlaceholderText("Filter edits")
        self.search.setAccessibleName("Filter edits by a word")
        self.search.setClearButtonEnabled(True)
        self.search.textChanged.connect(self._filter)
        self.unlinked = QCheckBox("Unlinked", self)
        self.unlinked.setAccessibleName("Show only edits without a comment")
        self.unlinked.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        KeepsKeys(self.unlinked)
        self.unlinked.toggled.connect(self._filter)
        self.kind = ChoiceBox("Show only edits of this kind", _KINDS, parent=self)
        self.section = ChoiceBox("Show only edits in this section", parent=self)
        self.kind.picked.connect(self._filter)
        self.section.picked.connect(self._filter)
        self._filling = False
        self.list = edit_list("Edits", self)
        self.list.chosen.connect(lambda found: self.chosen.emit(found.key))
        self._phase = text_label("", "small", parent=self)
        self._phase.setContentsMargins(12, 0, 12, 8)
        self._phase.setVisible(False)
        filters = QGridLayout()
        filters.setContentsMargins(12, 8, 12, 8)
        filters.setSpacing(8)
        filters.addWidget(self.search, 0, 0, 1, 2)
        filters.addWidget(self.unlinked, 0, 2)
        filters.addWidget(self.kind, 1, 0)
        filters.addWidget(self.section, 1, 1, 1, 2)
        filters.setColumnStretch(0, 1)
        filters.setColumnStretch(1, 1)
        verbs = [(name, name.capitalize()) for name in ("link", "unlink", "accept", "reject")]
        acts = row((command_grid(registry, "linking", verbs, self, primary=True), 1), margins=(12, 8, 12, 8))
        column(filters, self._phase, (self.list, 1), hairline(parent=self), acts, parent=self)

    def show_selection(self, shown: Selection, phase: str) -> None:
        """Shows the edits that pass the filters, and what is being computed for them."""
        study, chosen = shown.study, shown.edit_filter
        sections = dict.fromkeys(edit.section for edit in study.edits if edit.section)
        self._filling = True
        self.section.show_entries([("All sections", ""), *((name, name) for name in sections)], chosen.section)
        self.kind.show_value(chosen.kind)
        self.unlinked.setChecked(chosen.unlinked)
        if self.search.text().strip() != chosen.text:
            self.search.setText(chosen.text)
        self._filling = False
        self._phase.setText(_PHASES.get(phase, ""))
        self._phase.setVisible(bool(phase))
        self.list.set_skeleton(_SKELETON_ROWS if phase in ("reading", "comparing") else 0)
        nothing = "The two versions have the same text: there is no edit." if study.revision is not None else ""
        self.list.set_message("No edits match the filters." if study.edits else nothing)
        self.list.show_records(shown.edit_rows, shown.edit_at)

    def _filter(self, *_value: object) -> None:
        if not self._filling:
            text = self.search.text().strip()
            chosen = EditFilter(self.kind.currentData(), self.section.currentData(), self.unlinked.isChecked(), text)
            self.filtered.emit(chosen)
