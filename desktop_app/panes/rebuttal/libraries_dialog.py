"""Templates: matching ones below the editor; and a dialog with all libraries and how their templates were used."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QRect, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QTextCharFormat, QTextLayout
from PySide6.QtWidgets import QCheckBox, QPlainTextEdit, QPushButton, QWidget

from desktop_app import if_any
from desktop_app.commands import CommandRegistry
from desktop_app.panes.base import PaneTools
from desktop_app.panes.rebuttal.choices import TEMPLATE_KEYS
from desktop_app.panes.rebuttal.state import RebuttalState
from desktop_app.panes.rebuttal.templates import Templates
from desktop_app.panes.rebuttal.transfer import WORK
from desktop_app.theme import theme
from desktop_app.widgets.dialogs import TypingDialog, close_button, fit
from desktop_app.widgets.fact_table import FactTable
from desktop_app.widgets.fields import ChoiceBox, UndoLineEdit
from desktop_app.widgets.labels import named, text_label
from desktop_app.widgets.layouts import column, row, surface
from desktop_app.widgets.record_list import RecordList, draw_key, draw_text, laid_text
from engine.errors import EnvironmentProblem
from engine.rebuttal.fitting import Ranked, TemplateRanker
from engine.rebuttal.records import ACTION_TITLES, PERSONAL, STARTER, Counted, Template
from engine.rebuttal.slots import OUTLINE, find_slots

if TYPE_CHECKING:
    from engine.exchange.template_files import TemplateFormat


_SHOWN = 60


def _cap(rect: QRect, _ranked: Ranked | None = None) -> QRect:
    return QRect(rect.left() + 12, rect.top() + 8, theme().px(18), theme().px(18))


def _draw(painter: QPainter, rect: QRect, ranked: Ranked, at: int) -> None:
    t, inner = theme(), rect.adjusted(12, 6, -12, -6)
    if at < TEMPLATE_KEYS:
        draw_key(painter, _cap(rect), str(at + 1))
    body = inner.adjusted(t.px(28), 0, 0, 0)
    layout = _laid(ranked.template.text, body.width())
    painter.setPen(t.colour("ink"))
    layout.draw(painter, body.topLeft().toPointF())
    foot = body.adjusted(0, round(layout.boundingRect().height()) + 2, 0, 0)
    draw_text(painter, foot, Qt.AlignmentFlag.AlignLeft, _foot(ranked), t.font("small"), t.tokens.muted)


def _foot(ranked: Ranked) -> str:
    template = ranked.template
    where = "" if template.library in (STARTER, OUTLINE) else f"{template.library} · "
    title = "Outline" if template.library == OUTLINE else ACTION_TITLES[template.action]
    return where + " · ".join((title, *ranked.reasons))


def _laid(text: str, width: int) -> QTextLayout:
    t, look = theme(), QTextCharFormat()
    look.setForeground(QColor(t.tokens.accent))
    look.setBackground(QColor(t.tokens.accent_wash))
    marks = [(slot.span.start, slot.span.end - slot.span.start, look) for slot in find_slots(text)]
    return laid_text(text.replace("\n\n", " \u2028"), t.font("body"), width, marks)


class TemplatesView(QWidget):
    """A search field and the ranked templates; Enter, a double click, its number or a key emits ``chosen``."""

    chosen = Signal(Template)

    def __init__(self, registry: CommandRegistry, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._registry = registry
        surface(self, "Templates")
        self.list = RecordList(
            "Matching templates", self._draw, self._height,
            lambda ranked: f"{ACTION_TITLES[ranked.template.action]}. {ranked.template.text}",
            tip=lambda ranked: ranked.template.note, cap=_cap, parent=self,
        )  # fmt: skip
        self.list.set_message("No matching templates. Search, or choose another action.")
        self.list.activated_row.connect(lambda index: self.choose(index.row()))
        self.list.setWordWrap(True)
        self.field = named(UndoLineEdit(self), "Search the templates")
        registry.changed.connect(self._name_field)
        self._name_field()
        self.field.setClearButtonEnabled(True)
        self.field.returnPressed.connect(lambda: self.choose(0))
        for child in self.field.children():
            if isinstance(child, QWidget):
                child.setProperty("accessibleName", "Clear the search")
                child.setToolTip("Clear the search")
        self._title = text_label("Templates", "section", parent=self)
        self._title.setToolTip("Press Alt and its number to insert a template")
        head = row((self._title, 1), (self.field, 1), margins=(12, 6, 12, 6))
        column(head, (self.list, 1), of=self)

    def search(self) -> None:
        self.field.setFocus()
        self.field.selectAll()

    def _name_field(self) -> None:
        key = self._registry.native_shortcut("rebuttal.search_templates")
        self.field.setPlaceholderText(f"Search all templates   {key}".rstrip())

    def show_ranked(self, ranked: Sequence[Ranked], heading: str) -> None:
        self.list.show_records(ranked[:_SHOWN])
        self._title.setText(heading)

    def _draw(self, painter: QPainter, rect: QRect, ranked: Ranked, _selected: bool) -> None:
        _draw(painter, rect, ranked, self.list.row_of(ranked))

    def _height(self, ranked: Ranked) -> int:
        wide = self.list.viewport().width() - theme().px(28) - 30
        return round(_laid(ranked.template.text, max(120, wide)).boundingRect().height()) + theme().px(18) + 16

    def template(self, number: int) -> Template | None:
        return self.list.records[number].template if 0 <= number < len(self.list.records) else None

    def choose(self, number: int) -> None:
        template = self.template(number)
        if template is not None:
            self.chosen.emit(template)


COLUMNS = ("Template", "Library", "Action", "Taken", "Kept", "Changed", "Dropped", "Satisfied", "Partly", "Unmoved")
ORDERS = COLUMNS[3:]
"""Columns that the table can be sorted by, largest first; otherwise it is in library order."""
_HELP = {
    "Taken": "How often it was used in a response of this project.",
    "Kept": "Uses left unchanged except for filled slots.",
    "Changed": "Uses that were edited.",
    "Dropped": "Uses that were removed from the response.",
    "Satisfied": "Responses with it that satisfied the reviewer.",
    "Partly": "Responses with it that partly satisfied the reviewer.",
    "Unmoved": "Responses with it that didn't change the reviewer's mind.",
}
TITLES = {STARTER: "Rejoinder", PERSONAL: "My library"}


class LibrariesDialog(TypingDialog):
    """Shows the libraries and emits the changes that the user makes. Edited texts are kept until they're saved, or the
    dialog is closed and the user discards them."""

    copied = Signal(Template, str)
    removed = Signal(Template)
    reworded = Signal(Template, str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Template libraries", parent)
        fit(self, theme().px(1180), theme().px(640))
        self._templates: tuple[Template, ...] = ()
        self._shown: tuple[Template, ...] = ()
        self._counts: Mapping[str, Counted] = {}
        self._edited: dict[str, str] = {}
        """Texts that aren't saved, by the template's ``source``."""
        self._restore: Callable[[], object] = lambda: None
        self.field = named(UndoLineEdit(self), "Search the libraries", hint="Search words, actions, aspects, themes")
        self.field.textChanged.connect(self._fill)
        self.used = named(QCheckBox("Used only", self), "Show used templates only")
        self.used.toggled.connect(self._fill)
        self.library = ChoiceBox("Library", letters=18, parent=self)
        orders = [("Library order", ""), *((f"Most often {title.lower()}", title) for title in ORDERS)]
        self.order = ChoiceBox("Order", orders, letters=18, parent=self)
        self.order.show_value(ORDERS[0])
        for box in (self.library, self.order):
            box.picked.connect(self._fill)
        self.table = FactTable("Templates", COLUMNS, self, _HELP)
        self.table.horizontalHeader().setSectionsClickable(True)
        self.table.horizontalHeader().sectionClicked.connect(
            lambda column: self.order.setCurrentIndex(max(0, self.order.findData(COLUMNS[column])))
        )
        self.table.itemSelectionChanged.connect(self._show_chosen)
        self.words = named(QPlainTextEdit(self, tabChangesFocus=True), "Text of the template")
        self.words.setFixedHeight(theme().px(84))
        self.words.textChanged.connect(self._typed)
        self._details = text_label("", "small", wrap=True, parent=self)
        self.reword = self._button("Save changes", lambda t: self.reworded.emit(t, self.words.toPlainText()))
        self.to_own = self._button("Copy to my library", lambda t: self.copied.emit(t, PERSONAL))
        self.to_team = self._button("Copy to this project", lambda t: self.copied.emit(t, ""))
        self.remove = self._button("Remove", self.removed.emit)
        self.undo = named(QPushButton("Undo", self, autoDefault=False), "Undo", "Restore the removed template")
        self.undo.clicked.connect(lambda _checked=False: self._restore())
        self.undo.hide()
        head = row((self.field, 1), self.library, self.order, self.used)
        acts = row(self.reword, self.to_own, self.to_team, self.remove, None, close_button(self))
        parts = (head, (self.table, 1), row((self._details, 1), self.undo), self.words, acts)
        column(*parts, margins=(16, 16, 16, 16), spacing=8, of=self)

    def _button(self, words: str, act: Callable[[Template], object]) -> QPushButton:
        """Returns a button that calls ``act`` with the selected template."""
        button = named(QPushButton(words, self, autoDefault=False), words)
        button.clicked.connect(lambda: self.chosen is not None and act(self.chosen))
        return button

    @property
    def chosen(self) -> Template | None:
        row = self.table.currentRow()
        return self._shown[row] if 0 <= row < len(self._shown) else None

    def show_templates(self, templates: Sequence[Template], counts: Mapping[str, Counted]) -> None:
        """Shows all templates with their counts by ``source``, keeping the selection if possible."""
        at = self.chosen
        self._templates, self._counts = tuple(templates), counts
        stored = {template.source: template.text for template in templates}
        self._edited = {key: text for key, text in self._edited.items() if stored.get(key) != " ".join(text.split())}
        self.undo.hide()
        used = any(template.source in counts for template in templates)
        for number in range(len(COLUMNS) - len(ORDERS), len(COLUMNS)):
            self.table.setColumnHidden(number, not used)
        for control in (self.order, self.used):
            control.setVisible(used)
        libraries = Counter(t.library for t in templates)
        entries = [(f"{TITLES.get(name, name)} ({many})", name) for name, many in libraries.items()]
        self.library.show_entries([("All libraries", ""), *entries])
        self._fill()
        if at is not None:
            row = next((n for n, t in enumerate(self._shown) if t.source == at.source), 0)
            self.table.setCurrentCell(row, 0)

    def report(self, words: str, restore: Callable[[], object] | None = None) -> None:
        """Shows the result of a change until another template is selected; until the next change, a button calls
        ``restore``."""
        self._details.setText(words)
        self._restore = restore or self._restore
        self.undo.setVisible(restore is not None)

    @property
    def unsaved(self) -> bool:
        return any(template.source in self._edited for template in self._templates)

    def _fill(self) -> None:
        found = TemplateRanker(self._templates).search(self.field.text())
        shown = [t for t in found if (self.library.value or t.library) == t.library]
        if self.used.isChecked():
            shown = [t for t in shown if self._counts.get(t.source, Counted()).taken]
        if order := self.order.value.lower():
            shown.sort(key=lambda t: -getattr(self._counts.get(t.source, Counted()), order))
        self._shown = tuple(shown)
        self.table.show_rows([self._cells(template) for template in shown])
        self.table.setCurrentCell(0 if shown else -1, 0)
        self._show_chosen()

    def _cells(self, template: Template) -> tuple[str, ...]:
        counted = self._counts.get(template.source)
        figures = tuple("" if counted is None else str(getattr(counted, column.lower())) for column in ORDERS)
        library = TITLES.get(template.library, template.library)
        text = self._edited.get(template.source)
        return (_row_words(template, text), library, ACTION_TITLES[template.action], *figures)

    def _show_chosen(self) -> None:
        template = self.chosen
        with QSignalBlocker(self.words):
            self.words.setPlainText(self._edited.get(template.source, template.text) if template else "")
        self.words.setReadOnly(template is None or template.library == STARTER)
        words = ""
        if template is not None:
            where = [*template.roots, *(theme_.replace("-", " ") for theme_ in template.themes)]
            by = f"written by {template.provenance}" if template.provenance else ""
            parts = (", ".join(where) or "any aspect and theme", template.register, by, f"version {template.version}")
            words = " · ".join(filter(None, (*parts, template.note)))
        self._details.setText(words)
        self._show_buttons()

    def _typed(self) -> None:
        template, text = self.chosen, self.words.toPlainText()
        if template is not None:
            self._edited.pop(template.source, None)
            if text != template.text:
                self._edited[template.source] = text
            if (item := self.table.item(self.table.currentRow(), 0)) is not None:
                item.setText(_row_words(template, self._edited.get(template.source)))
        self._show_buttons()

    def _show_buttons(self) -> None:
        template = self.chosen
        own = template is not None and template.library != STARTER
        self.reword.setEnabled(own and template is not None and self.words.toPlainText() != template.text)
        self.remove.setEnabled(own)
        self.to_own.setEnabled(template is not None and template.library != PERSONAL)
        self.to_team.setEnabled(template is not None and template.library in (STARTER, PERSONAL))


def _row_words(template: Template, edited: str | None) -> str:
    return template.text if edited is None else f"(not saved) {edited}"


class LibraryActions(QObject):
    """Operations on template libraries; each change emits ``changed``."""

    changed = Signal()

    def __init__(self, state: RebuttalState, templates: Templates, tools: PaneTools) -> None:
        super().__init__(tools.owner)
        self._state, self.templates, self._tools = state, templates, tools
        self._dialog: LibrariesDialog | None = None

    def read(self) -> None:
        """Reads all libraries; if the personal one can't be read, shows a problem and uses the others."""
        self._tools.act(self.templates.read, PERSONAL)

    def keep(self, text: str) -> None:
        if self._change(lambda: self.templates.keep(text)):
            means = "Replace words that only fit this case with slots, such as {section}."
            self._tools.notify(WORK, "Saved in your own library.", means)

    def ask_for_import(self, *, folder: bool) -> None:
        files, owner = self._tools.context.files, self._tools.owner
        if folder:
            path = files.choose_folder(owner, "Import templates from a folder")
        else:
            path = files.open_file(owner, "Import templates", "Templates (*.jsonl *.csv *.toml)")
        if_any(path, self.import_from)

    def import_from(self, path: Path) -> None:
        words: list[str] = []
        if self._change(lambda: words.extend(self.templates.import_files(path))):
            self._tools.notify(WORK, words[0], " ".join(words[1:]))

    def ask_for_export(self, format_: "TemplateFormat") -> None:
        folder = self._tools.context.files.choose_folder(self._tools.owner, "Export templates")
        if_any(folder, partial(self.export_to, format_))

    def export_to(self, format_: "TemplateFormat", path: Path) -> None:
        """Exports into a new folder below ``path``, in a job."""
        self._tools.write_files(self.templates.export_task(format_, path))

    def open(self) -> None:
        dialog = self._dialog = LibrariesDialog(self._tools.owner)
        dialog.copied.connect(self.copy)
        dialog.removed.connect(self.remove)
        dialog.reworded.connect(self.reword)
        dialog.finished.connect(self._closed)
        self._show()
        dialog.open()

    def _closed(self) -> None:
        self._dialog = None

    def _show(self) -> None:
        if self._dialog is not None:
            self._dialog.show_templates(self.templates.all(), self._state.store.counts())

    def copy(self, template: Template, to: str) -> None:
        """Copies a template into the personal library (``to`` is PERSONAL) or the project's."""
        words: list[str] = []
        if self._change(lambda: words.append(self.templates.copy(template, to))) and self._dialog is not None:
            self._dialog.report(words[0])

    def remove(self, template: Template) -> None:
        restored: list[Callable[[], object]] = []
        if self._change(lambda: restored.append(self.templates.remove(template))) and self._dialog is not None:
            restore = partial(self._change, restored[0])
            self._dialog.report(f"Removed from “{TITLES.get(template.library, template.library)}”.", restore)
            if template.library == PERSONAL:  # which the project's undo doesn't reach
                self._tools.notify(WORK, "A template was removed from your own library.", "", ("Undo", restore))

    def reword(self, template: Template, text: str) -> None:
        self._change(lambda: self.templates.reword(template, text))

    def _change(self, verb: Callable[[], object]) -> bool:
        def reported() -> None:
            try:
                verb()
            except EnvironmentProblem as problem:
                if self._dialog is not None:  # it may cover the banner
                    self._dialog.report(str(problem))
                raise

        done = self._tools.act(reported, WORK)
        if done:
            self.read()
            self.changed.emit()
            self._show()
        return done
