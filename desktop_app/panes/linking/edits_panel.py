"""The right side: suggested edits first, then all edits, with filters and a search of their own."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtWidgets import QCheckBox, QComboBox, QGridLayout, QLineEdit, QVBoxLayout, QWidget

from desktop_app.commands import CommandRegistry
from desktop_app.panes.linking.edit_list import ROW_DATA, EditDelegate, EditFilter, EditModel, Row
from desktop_app.panes.linking.study import Study
from desktop_app.widgets.buttons import CommandButton
from desktop_app.widgets.keys import KeepsKeys
from desktop_app.widgets.labels import hairline, text_label
from desktop_app.widgets.row_list import RowList

KINDS = (
    ("All kinds", ""),
    ("Added", "added"),
    ("Deleted", "deleted"),
    ("Changed", "major"),
    ("Small changes", "minor"),
    ("Moved", "moved"),
)
PHASES = {
    "reading": "Reading the PDFs…",
    "comparing": "Comparing the versions…",
    "suggesting": "Looking for edits that answer the comments…",
}


class EditsPanel(QWidget):
    """Shows the edits for the comment at hand. Which edit is at hand is the selection of its list."""

    chosen = Signal(str)
    """Another edit is at hand: its id, or empty."""
    filter_changed = Signal()

    def __init__(self, registry: CommandRegistry, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Edits")
        self.setProperty("role", "surface")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.model = EditModel(self)
        self.list = RowList("Edits", self)
        self.list.setModel(self.model)
        self.list.setItemDelegate(EditDelegate(self.list))
        self.list.selectionModel().currentChanged.connect(self._row_chosen)
        self._study, self._comment, self._at_hand = Study(), "", ""
        self._filling = False
        self._build(registry)

    def _build(self, registry: CommandRegistry) -> None:
        self.search = QLineEdit(self)
        self.search.setPlaceholderText("Filter edits")
        self.search.setAccessibleName("Filter edits by a word")
        self.search.setClearButtonEnabled(True)
        self.kind = QComboBox(self)
        self.kind.setAccessibleName("Only edits of this kind")
        for words, value in KINDS:
            self.kind.addItem(words, value)
        self.section = QComboBox(self)
        self.section.setAccessibleName("Only edits in this section")
        self.section.addItem("All sections", "")
        self.unlinked = QCheckBox("Unlinked", self)
        self.unlinked.setAccessibleName("Only edits without a comment")
        for box in (self.kind, self.section):
            box.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
            box.setMinimumContentsLength(6)
            KeepsKeys(box)
            box.currentIndexChanged.connect(self._filter)
        self.unlinked.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        KeepsKeys(self.unlinked)
        self.unlinked.toggled.connect(self._filter)
        self.search.textChanged.connect(self._filter)
        filters = QGridLayout()
        filters.setContentsMargins(12, 8, 12, 8)
        filters.setSpacing(8)
        filters.addWidget(self.search, 0, 0, 1, 2)
        filters.addWidget(self.unlinked, 0, 2)
        filters.addWidget(self.kind, 1, 0)
        filters.addWidget(self.section, 1, 1, 1, 2)
        filters.setColumnStretch(0, 1)
        filters.setColumnStretch(1, 1)
        acts = QGridLayout()
        acts.setContentsMargins(12, 8, 12, 8)
        acts.setSpacing(8)
        for at, name in enumerate(("link", "unlink", "accept", "reject")):
            command, words = f"linking.{name}", name.capitalize()
            button = CommandButton(registry, command, text=words, primary=name == "link", parent=self)
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            KeepsKeys(button)
            acts.addWidget(button, at // 2, at % 2)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        self._waiting = text_label("", "small", parent=self)
        self._waiting.setContentsMargins(12, 0, 12, 8)
        self._waiting.setVisible(False)
        layout.addLayout(filters)
        layout.addWidget(self._waiting)
        layout.addWidget(self.list, 1)
        layout.addWidget(hairline(parent=self))
        layout.addLayout(acts)

    # what it shows ---------------------------------------------------------------------------------------------

    def show_study(self, study: Study) -> None:
        """Another state of the study; the edit at hand, the place in the list and the filters stay."""
        if [e.section for e in study.edits] != [e.section for e in self._study.edits]:
            self._fill_sections(study)
        self._study = study
        if self._at_hand not in study.edit_by_id and self._at_hand not in {edit.id for _, edit in study.lost}:
            self._at_hand = ""
        self._show(keep_place=True)

    def show_comment(self, comment_id: str) -> None:
        """The edits for another comment: its suggestions come first, the list starts at its top."""
        self._comment = comment_id
        self._show(keep_place=False)

    @property
    def at_hand(self) -> str:
        """The id of the edit at hand, or empty."""
        return self._at_hand

    @property
    def row(self) -> Row | None:
        """The row at hand, with its suggestion if it stands among those."""
        index = self.list.currentIndex()
        row: Row | None = index.data(ROW_DATA) if index.isValid() else None
        return row if row is not None and row.edit is not None else None

    def choose(self, edit_id: str) -> None:
        """Brings an edit to hand; filters that hide it are taken off."""
        if self.model.row_of(edit_id) < 0 and edit_id in self._study.edit_by_id:
            self._filling = True
            self.search.clear()
            self.kind.setCurrentIndex(0)
            self.section.setCurrentIndex(0)
            self.unlinked.setChecked(False)
            self._filling = False
            self._show(keep_place=True)
        self.list.select_row(self.model.row_of(edit_id, prefer=self.list.currentIndex().row()))

    def choose_suggestion(self, edit_id: str) -> None:
        """Brings an edit to hand where it stands among the suggestions."""
        rows = self.model.rows
        row = next((n for n, r in enumerate(rows) if r.edit and r.suggestion and r.edit.id == edit_id), -1)
        self.list.select_row(row if row >= 0 else self.model.row_of(edit_id))

    def set_phase(self, phase: str) -> None:
        """What the engine is doing for this list: ``reading``, ``comparing``, ``suggesting`` or nothing."""
        self._waiting.setText(PHASES.get(phase, ""))
        self._waiting.setVisible(bool(phase))

    def step(self, by: int) -> None:
        """The next or previous edit of the list."""
        self.list.select_row(self.model.step(self.list.currentIndex().row(), by))

    def choose_first(self) -> None:
        """Brings the best suggestion to hand, or the first edit linked to the comment."""
        first = next((n for n, row in enumerate(self.model.rows) if row.suggestion is not None), -1)
        if first < 0:
            first = next((n for n, row in enumerate(self.model.rows) if row.linked_here), -1)
        self.list.select_row(first)
        self.list.scrollToTop()

    def filter(self) -> EditFilter:
        return EditFilter(
            self.kind.currentData() or "",
            self.section.currentData() or "",
            self.unlinked.isChecked(),
            self.search.text().strip(),
        )

    def shown_edits(self) -> list[str]:
        """Ids of the edits that pass the filter, in order."""
        chosen = self.filter()
        return [edit.id for edit in self._study.edits if chosen.passes(edit, self._study)]

    def _fill_sections(self, study: Study) -> None:
        kept = self.section.currentData()
        self._filling = True
        self.section.clear()
        self.section.addItem("All sections", "")
        for name in dict.fromkeys(edit.section for edit in study.edits if edit.section):
            self.section.addItem(name, name)
        self.section.setCurrentIndex(max(0, self.section.findData(kept)))
        self._filling = False

    def _filter(self) -> None:
        if not self._filling:
            self._show(keep_place=True)
            self.filter_changed.emit()

    def _show(self, *, keep_place: bool) -> None:
        place, row = self.list.verticalScrollBar().value(), self.list.currentIndex().row()
        self._filling = True
        self.model.show_rows(self._study, self._comment, self.filter())
        if keep_place:
            wanted = self.model.row_of(self._at_hand, prefer=row)
            if wanted != self.list.currentIndex().row():
                self.list.select_row(wanted)
                self.list.verticalScrollBar().setValue(place)
        self._filling = False
        compared = self._study.revision is not None
        nothing = "These two versions say the same: there is no edit." if compared else ""
        self.list.set_message("No edit passes the filters." if self._study.edits else nothing)
        if not keep_place:
            self.choose_first()
        elif self._at_hand and self.row is None:
            self._take("")

    def _row_chosen(self, current: QModelIndex, _before: QModelIndex) -> None:
        if self._filling:
            return
        row: Row | None = current.data(ROW_DATA) if current.isValid() else None
        self._take(row.edit.id if row is not None and row.edit is not None else "")

    def _take(self, edit_id: str) -> None:
        if edit_id != self._at_hand:
            self._at_hand = edit_id
            self.chosen.emit(edit_id)
