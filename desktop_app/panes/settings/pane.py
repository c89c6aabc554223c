"""The Settings pane: one row per setting, and the shortcuts of all commands."""

from PySide6.QtCore import QModelIndex, QSignalBlocker, Qt
from PySide6.QtGui import QKeySequence, QShowEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QCheckBox,
    QFrame,
    QHeaderView,
    QKeySequenceEdit,
    QLineEdit,
    QPushButton,
    QTreeWidget,
    QTreeWidgetItem,
    QWidget,
)

from desktop_app.commands import WINDOW, Command, CommandRegistry, ShortcutConflict
from desktop_app.panes.base import AppContext, Pane
from desktop_app.settings import SPEC, Setting
from desktop_app.theme import ZOOM_STEPS, theme
from desktop_app.widgets.fields import ChoiceBox
from desktop_app.widgets.labels import named, say, scrolled, text_label
from desktop_app.widgets.layouts import Parts, column, fix_width, row, tabbed
from engine.project.lock import user
from engine.shown import percent
from engine.text_search import folded

_ID = Qt.ItemDataRole.UserRole


class ShortcutEditor(QWidget):
    """A tree of commands by pane and, below, the field for a new shortcut."""

    def __init__(self, registry: CommandRegistry, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._registry = registry
        self._text = ""
        self._rows: dict[str, QTreeWidgetItem] = {}
        self._words: dict[str, str] = {}
        self._groups: dict[str, QTreeWidgetItem] = {}
        self.tree = named(QTreeWidget(self), "Commands and their shortcuts")
        self.tree.setHeaderLabels(["Command", "Key", "What it does"])
        self.tree.setRootIsDecorated(False)
        self.tree.setUniformRowHeights(True)
        header = self.tree.header()
        header.setSectionResizeMode(2, QHeaderView.ResizeMode.Stretch)
        self.tree.currentItemChanged.connect(self._chosen)
        self.edit = named(QKeySequenceEdit(self), "New key", "Press the new key here")
        self.edit.setMaximumSequenceLength(1)
        self.edit.setFixedWidth(180)
        inner = self.edit.findChild(QLineEdit)
        if inner is not None:
            inner.setAccessibleName("New key")
            inner.setPlaceholderText("Press the new key")
        self.apply = self._button("Set key", "Use the key in the field for the selected command", self._apply)
        self.remove = self._button("No key", "Remove the shortcut of the selected command", lambda: self._remap(""))
        self.reset = self._button(
            "Default key", "Restore the default shortcut of the selected command", lambda: self._remap(None)
        )
        self.message = text_label("", "muted", wrap=True, parent=self)
        below = row(self.edit, self.apply, self.remove, self.reset, (self.message, 1), spacing=8)
        column((self.tree, 1), below, margins=(0, 16, 0, 0), spacing=12, of=self)
        registry.changed.connect(self.fill)
        theme().follow(self._fit, now=False)
        self.fill()

    def _button(self, title: str, help_: str, act: object) -> QPushButton:
        button = named(QPushButton(title, self), title, help_)
        button.clicked.connect(act)
        return button

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Sets the widths of the name and key columns to their widest text. The header's automatic mode would measure
        all rows each time a row is hidden, which is too slow while typing."""
        header, metrics = self.tree.header(), self.tree.fontMetrics()
        for at, indent in ((0, self.tree.indentation()), (1, 0)):
            widths = {metrics.horizontalAdvance(item.text(at)): item for item in self._rows.values()}
            if widths:
                widest = self.tree.indexFromItem(widths[max(widths)], at)
                width = self.tree.sizeHintForIndex(widest).width() + indent
                width = min(width, self.tree.width() * 2 // 5)  # with large text, leave room for the description
                header.resizeSection(at, max(width, header.sectionSizeHint(at)))

    def narrow(self, text: str) -> None:
        self._text = folded(text).strip()
        self._filter()

    def go_to_first(self) -> None:
        found = (item for item in self._rows.values() if not item.isHidden())
        if first := next(found, None):
            self.tree.setCurrentItem(first)
            self.tree.setFocus()

    def choose(self, command_id: str) -> bool:
        """Selects a command's row. Returns False if it isn't shown."""
        item = self._rows.get(command_id)
        if item is None or item.isHidden():
            return False
        self.tree.setCurrentItem(item)
        return True

    def chosen(self) -> Command | None:
        item = self.tree.currentItem()
        name = item.data(0, _ID) if item is not None else None
        return self._registry.get(name)

    def fill(self) -> None:
        kept, place = self.chosen(), self.tree.verticalScrollBar().value()
        self._rows.clear()
        self._groups.clear()
        self.tree.clear()
        groups = self._groups
        for command in sorted(self._registry, key=lambda c: c.scope != WINDOW):
            key = self._registry.native_shortcut(command.id)
            if command.scope not in groups:
                name = "Everywhere" if command.scope == WINDOW else command.scope.capitalize()
                group = QTreeWidgetItem(self.tree, [name])
                group.setFlags(Qt.ItemFlag.ItemIsEnabled)
                font = group.font(0)
                font.setBold(True)
                group.setFont(0, font)
                groups[command.scope] = group
            item = QTreeWidgetItem(groups[command.scope], [command.title, key, command.help])
            item.setData(0, _ID, command.id)
            self._rows[command.id] = item
            self._words[command.id] = folded(f"{command.title} {key} {command.help}")
            if command.id in self._registry.overrides:
                bold = item.font(1)
                bold.setBold(True)
                item.setFont(1, bold)
                item.setToolTip(1, "Changed by you")
        self.tree.expandAll()
        self._fit()
        self._filter()
        if kept is None or not self.choose(kept.id):
            self._chosen()
        self.tree.verticalScrollBar().setValue(place)

    def _filter(self) -> None:
        """Hides rows that don't contain the search text, and deselects a hidden row."""
        seen = set()
        for name, item in self._rows.items():
            hidden = self._text not in self._words[name]
            if hidden != item.isHidden():
                item.setHidden(hidden)
            if not hidden:
                seen.add(self._registry[name].scope)
        for scope, group in self._groups.items():
            group.setHidden(scope not in seen)
        current = self.tree.currentItem()
        if current is not None and current.isHidden():
            self.tree.setCurrentIndex(QModelIndex())

    def _chosen(self) -> None:
        command = self.chosen()
        self.edit.setKeySequence(QKeySequence(self._registry.shortcut(command.id).split("; ")[0] if command else ""))
        for widget in (self.edit, self.apply, self.remove):
            widget.setEnabled(command is not None)
        self.reset.setEnabled(command is not None and command.id in self._registry.overrides)
        say(self.message, "" if command else "Select a command to change its shortcut.")

    def _apply(self) -> None:
        self._remap(self.edit.keySequence().toString(QKeySequence.SequenceFormat.PortableText))

    def _remap(self, shortcut: str | None) -> None:
        command = self.chosen()
        if command is None:
            return
        try:
            self._registry.remap(command.id, shortcut)
        except ShortcutConflict as conflict:
            say(self.message, f"{conflict} Remove it there first, or choose another key.", bad=True)
            return
        key, title = self._registry.native_shortcut(command.id), f"“{command.title}”"
        say(self.message, f"The shortcut of {title} is now {key}." if key else f"{title} has no shortcut.")


CONTROL_WIDTH, PANEL_WIDTH = 220, 760
Control = QCheckBox | ChoiceBox | QLineEdit
_SHOWN: dict[type, str] = {QCheckBox: "checked", QLineEdit: "text"}


class SettingsPane(Pane):
    """Built from the spec of settings; changes take effect immediately."""

    pane_id = "settings"
    shows_paper = False
    purpose = "Your name, colours, text size and shortcuts."
    tables = frozenset({"no table"})
    search_hint = "Find a shortcut"

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self.controls: dict[str, Control] = {}
        general = self._build_general()
        self.shortcuts = ShortcutEditor(context.commands)
        self.tabs = tabbed("Groups of settings", {"General": general, "Keys": self.shortcuts}, self.body)
        self.main = self.tabs.tabBar()
        column(self.tabs, margins=(16, 12, 16, 12), of=self.body)
        context.settings.changed.connect(self._setting_changed)
        theme().follow(self._resize)

    def _build_general(self) -> QWidget:
        sections: dict[str, list[Setting]] = {}
        for setting in SPEC:
            sections.setdefault(setting.section, []).append(setting)
        parts: list[Parts] = []
        for title, settings in sections.items():
            panel = QFrame()
            panel.setProperty("role", "panel")
            column(*map(self._row, settings), margins=(16, 12, 16, 12), spacing=16, of=panel)
            parts += [text_label(title, "section"), panel]
        where = text_label(f"Settings are stored in {self.context.settings.path}", "small", wrap=True)
        self._page = QWidget()
        column(*parts, where, None, margins=(16, 16, 16, 16), spacing=12, of=self._page)
        return scrolled(self._page, "General settings", self.body)

    def _row(self, setting: Setting) -> QBoxLayout:
        control = self._control(setting)
        self.controls[setting.name] = control
        name = text_label(setting.title)
        name.setBuddy(control)
        words = column(name, text_label(setting.description, "small", wrap=True), spacing=2)
        box = QWidget()  # aligns the left edges of all controls
        row(*((control, None) if isinstance(control, QCheckBox) else ((control, 1),)), of=box, spacing=0)
        fix_width(box, CONTROL_WIDTH)
        return row((words, 1), (box, Qt.AlignmentFlag.AlignVCenter), spacing=24)

    def _control(self, setting: Setting) -> Control:
        settings, name = self.context.settings, setting.name
        control: Control
        if setting.choices or isinstance(setting.default, float):  # buttons for steps would move under the mouse
            control = ChoiceBox(setting.title, [(words, value) for value, words in setting.choices], letters=0)
            control.picked.connect(lambda value: settings.set(name, value))
        elif isinstance(setting.default, bool):
            control = QCheckBox()
            control.toggled.connect(lambda on: settings.set(name, on))
        else:
            control = QLineEdit()
            control.editingFinished.connect(lambda field=control: settings.set(name, field.text().strip()))
        named(control, setting.title, setting.description, user() if name == "annotator.name" else "")
        control.setAccessibleDescription(setting.description)
        self._show(control, settings[name])
        return control

    def _resize(self) -> None:
        self._page.setMaximumWidth(theme().px(PANEL_WIDTH) + 32)
        # Row heights depend on wrapped text; Qt keeps the old heights if only the font changed.
        for widget in self.body.findChildren(QWidget):
            widget.updateGeometry()

    def _setting_changed(self, name: str) -> None:
        if name in self.controls:
            self._show(self.controls[name], self.context.settings[name])

    @staticmethod
    def _show(control: Control, value: object) -> None:
        if isinstance(value, float) and isinstance(control, ChoiceBox):
            control.show_entries([(percent(size), size) for size in sorted({*ZOOM_STEPS, value})], value)
            return
        if isinstance(control, ChoiceBox):
            control.show_value(value)
            return
        with QSignalBlocker(control):
            control.setProperty(_SHOWN[type(control)], value)

    def search(self, text: str) -> None:
        if text:
            self.tabs.setCurrentWidget(self.shortcuts)
        self.shortcuts.narrow(text)

    def find_searched(self, by: int) -> bool:
        if by > 0:
            self.shortcuts.go_to_first()
        return True

    def refresh(self) -> None:
        self.set_status("Changes apply immediately")
