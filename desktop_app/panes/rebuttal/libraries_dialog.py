"""All templates at hand: who wrote them, how often they were put in, what became of their words and of the replies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QHBoxLayout,
    QPlainTextEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from desktop_app.theme import theme
from desktop_app.widgets.fact_table import FactTable
from desktop_app.widgets.fields import UndoLineEdit
from desktop_app.widgets.labels import text_label
from engine.rebuttal.fitting import TemplateRanker
from engine.rebuttal.records import ACTION_TITLES, PERSONAL, STARTER, Counted, Template

COLUMNS = (
    "Template", "Library", "Action", "Taken", "Kept", "Changed", "Dropped", "Satisfied", "Partly", "Unmoved",
)  # fmt: skip
ORDERS = COLUMNS[3:]
"""Columns by which the table is sorted, most first; without one, in the order of the libraries."""
_HELP = {
    "Taken": "How often you put it into a reply of this project.",
    "Kept": "Its words still stand as they were put in, but for filled slots.",
    "Changed": "Its words were edited.",
    "Dropped": "Its words are gone from the reply.",
    "Satisfied": "Replies with it after which the reviewer was satisfied.",
    "Partly": "Replies with it after which the reviewer was satisfied in part.",
    "Unmoved": "Replies with it that did not move the reviewer.",
}
TITLES = {STARTER: "Rejoinder", PERSONAL: "my own"}


class LibrariesDialog(QDialog):
    """Shows, and asks for changes; who holds the libraries makes them."""

    copied = Signal(Template, str)
    removed = Signal(Template)
    reworded = Signal(Template, str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Libraries of templates")
        self.setAccessibleName("Libraries of templates")
        self.resize(theme().px(1180), theme().px(640))
        self._templates: tuple[Template, ...] = ()
        self._shown: tuple[Template, ...] = ()
        self._counts: Mapping[str, Counted] = {}
        self.field = UndoLineEdit(self)
        self.field.setAccessibleName("Search the libraries")
        self.field.setPlaceholderText("Search words, actions, roots, themes")
        self.field.textChanged.connect(self._fill)
        self.library = QComboBox(self)
        self.library.setAccessibleName("Library")
        self.library.currentIndexChanged.connect(self._fill)
        self.used = QCheckBox("used only", self)
        self.used.setAccessibleName("Show used templates only")
        self.used.toggled.connect(self._fill)
        self.order = QComboBox(self)
        self.order.setAccessibleName("Order")
        self.order.addItem("As in the libraries", "")
        for column in ORDERS:
            self.order.addItem(f"Most often {column.lower()}", column)
        self.order.setCurrentIndex(1)
        self.order.currentIndexChanged.connect(self._fill)
        self.table = FactTable("Templates", COLUMNS, self)
        for column, words in _HELP.items():
            self.table.horizontalHeaderItem(COLUMNS.index(column)).setToolTip(words)
        self.table.horizontalHeader().setSectionsClickable(True)
        self.table.horizontalHeader().sectionClicked.connect(self._order_by)
        self.table.itemSelectionChanged.connect(self._show_chosen)
        self.words = QPlainTextEdit(self)
        self.words.setAccessibleName("Words of the template")
        self.words.setTabChangesFocus(True)
        self.words.setFixedHeight(theme().px(84))
        self.words.textChanged.connect(self._show_buttons)
        self._told = text_label("", "small", parent=self)
        head, acts = QHBoxLayout(), QHBoxLayout()
        head.addWidget(self.field, 1)
        head.addWidget(self.library)
        head.addWidget(self.order)
        head.addWidget(self.used)
        self.reword = self._button("Keep these words", self._reword)
        self.to_own = self._button("Copy to my own", lambda: self._copy(PERSONAL))
        self.to_team = self._button("Copy to this project", lambda: self._copy(""))
        self.remove = self._button("Remove", self._remove)
        for button in (self.reword, self.to_own, self.to_team, self.remove):
            acts.addWidget(button)
        acts.addStretch(1)
        close = QDialogButtonBox(QDialogButtonBox.StandardButton.Close, self)
        for button in close.buttons():
            button.setAccessibleName("Close")
        close.rejected.connect(self.reject)
        acts.addWidget(close)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 16, 16, 16)
        layout.setSpacing(8)
        layout.addLayout(head)
        layout.addWidget(self.table, 1)
        layout.addWidget(self._told)
        layout.addWidget(self.words)
        layout.addLayout(acts)

    def _button(self, words: str, act: object) -> QPushButton:
        button = QPushButton(words, self)
        button.setAccessibleName(words)
        button.setAutoDefault(False)
        button.clicked.connect(act)
        return button

    @property
    def chosen(self) -> Template | None:
        """The template at hand."""
        row = self.table.currentRow()
        return self._shown[row] if 0 <= row < len(self._shown) else None

    def show_templates(self, templates: Sequence[Template], counts: Mapping[str, Counted]) -> None:
        """All templates, and how each fared by its ``source``; the choice stays where it can."""
        at = self.chosen
        self._templates, self._counts = tuple(templates), counts
        blocker, library = QSignalBlocker(self.library), self.library.currentData()
        self.library.clear()
        self.library.addItem("All libraries", "")
        for name in dict.fromkeys(t.library for t in templates):
            many = sum(t.library == name for t in templates)
            self.library.addItem(f"{TITLES.get(name, name)} ({many})", name)
        self.library.setCurrentIndex(max(0, self.library.findData(library)))
        blocker.unblock()
        self._fill()
        if at is not None:
            row = next((n for n, t in enumerate(self._shown) if t.source == at.source), 0)
            self.table.setCurrentCell(row, 0)

    def tell(self, words: str) -> None:
        """Says what came of an act, until another template is at hand."""
        self._told.setText(words)

    def _fill(self) -> None:
        found = TemplateRanker(self._templates).search(self.field.text())
        library = self.library.currentData() or ""
        shown = [t for t in found if library in ("", t.library)]
        if self.used.isChecked():
            shown = [t for t in shown if self._counts.get(t.source, Counted()).taken]
        order = str(self.order.currentData()).lower()
        if order:
            shown.sort(key=lambda t: -getattr(self._counts.get(t.source, Counted()), order))
        self._shown = tuple(shown)
        self.table.show_rows([self._cells(template) for template in shown])
        self.table.setCurrentCell(0 if shown else -1, 0)
        self._show_chosen()

    def _order_by(self, section: int) -> None:
        """A click on the head of a column orders by it."""
        self.order.setCurrentIndex(max(0, self.order.findData(COLUMNS[section])))

    def _cells(self, template: Template) -> tuple[str, ...]:
        counted = self._counts.get(template.source)
        figures = tuple("" if counted is None else str(getattr(counted, column.lower())) for column in ORDERS)
        library = TITLES.get(template.library, template.library)
        return (template.text, library, ACTION_TITLES[template.action], *figures)

    def _show_chosen(self) -> None:
        template = self.chosen
        self.words.setPlainText(template.text if template else "")
        self.words.setReadOnly(template is None or template.library == STARTER)
        told = ""
        if template is not None:
            where = [*template.roots, *(theme_.replace("-", " ") for theme_ in template.themes)]
            by = f"written by {template.provenance}" if template.provenance else ""
            parts = (", ".join(where) or "any root and theme", template.register, by, f"version {template.version}")
            told = " · ".join(filter(None, (*parts, template.note)))
        self._told.setText(told)
        self._show_buttons()

    def _show_buttons(self) -> None:
        template = self.chosen
        own = template is not None and template.library != STARTER
        self.reword.setEnabled(own and template is not None and self.words.toPlainText() != template.text)
        self.remove.setEnabled(own)
        self.to_own.setEnabled(template is not None and template.library != PERSONAL)
        self.to_team.setEnabled(template is not None and template.library in (STARTER, PERSONAL))

    def _reword(self) -> None:
        if self.chosen is not None:
            self.reworded.emit(self.chosen, self.words.toPlainText())

    def _copy(self, to: str) -> None:
        if self.chosen is not None:
            self.copied.emit(self.chosen, to)

    def _remove(self) -> None:
        if self.chosen is not None:
            self.removed.emit(self.chosen)
