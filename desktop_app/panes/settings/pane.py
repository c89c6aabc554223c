"""Settings: one row per setting, and the shortcuts of all commands."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtWidgets import QBoxLayout, QCheckBox, QDoubleSpinBox, QFrame, QLineEdit, QWidget

from desktop_app.context import AppContext
from desktop_app.panes.base import Pane
from desktop_app.panes.settings.shortcuts import ShortcutEditor
from desktop_app.settings import SPEC, Setting
from desktop_app.theme import theme
from desktop_app.widgets.choice_box import ChoiceBox
from desktop_app.widgets.labels import named, scrolled, text_label
from desktop_app.widgets.layouts import Parts, column, fix_width, row, tabbed

CONTROL_WIDTH, PANEL_WIDTH = 220, 760
Control = QCheckBox | ChoiceBox | QDoubleSpinBox | QLineEdit
_SHOWN: dict[type, str] = {QCheckBox: "checked", QDoubleSpinBox: "value", QLineEdit: "text"}


class SettingsPane(Pane):
    """Built from the list of settings; changes apply at once."""

    pane_id = "settings"
    title = "Settings"
    icon = "gear-six"
    shows_paper = False
    purpose = "Your name, colours, text size and shortcuts."
    needs_project = False
    tables = frozenset({"no table"})
    search_hint = "Find a shortcut"

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self.controls: dict[str, Control] = {}
        general = self._build_general()
        self.shortcuts = ShortcutEditor(context.commands)
        self.tabs = tabbed("Groups of settings", {"General": general, "Keys": self.shortcuts}, self.body)
        column(self.tabs, margins=(16, 12, 16, 12), of=self.body)
        context.settings.changed.connect(self._setting_changed)
        theme().changed.connect(self._resize)
        self._resize()

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
        if setting.choices:
            control = ChoiceBox(setting.title, [(words, value) for value, words in setting.choices], letters=0)
            control.picked.connect(lambda value: settings.set(name, value))
        elif isinstance(setting.default, bool):
            control = QCheckBox()
            control.toggled.connect(lambda on: settings.set(name, on))
        elif isinstance(setting.default, float):
            control = QDoubleSpinBox()
            control.setRange(setting.low or 0.0, setting.high or 1e9)
            control.setSingleStep(0.1)
            control.setDecimals(2)
            control.setSuffix(setting.unit)
            control.lineEdit().setTextMargins(5, 0, 0, 0)
            control.valueChanged.connect(lambda value: settings.set(name, round(value, 2)))
        else:
            control = QLineEdit()
            control.editingFinished.connect(lambda field=control: settings.set(name, field.text().strip()))
        named(control, setting.title, setting.description)
        control.setAccessibleDescription(setting.description)
        self._show(control, settings[name])
        return control

    def _resize(self) -> None:
        self._page.setMaximumWidth(theme().px(PANEL_WIDTH) + 32)
        # Row heights depend on wrapped texts; Qt keeps the old ones when only the font changed.
        for widget in self.body.findChildren(QWidget):
            widget.updateGeometry()

    def _setting_changed(self, name: str) -> None:
        if name in self.controls:
            self._show(self.controls[name], self.context.settings[name])

    @staticmethod
    def _show(control: Control, value: object) -> None:
        if isinstance(control, ChoiceBox):
            control.show_value(value)
            return
        with QSignalBlocker(control):
            control.setProperty(_SHOWN[type(control)], value)

    def take_focus(self) -> None:
        self.tabs.tabBar().setFocus()

    def search(self, text: str) -> None:
        if text:
            self.tabs.setCurrentWidget(self.shortcuts)
        self.shortcuts.narrow(text)

    def refresh(self) -> None:
        self.set_status("Changes apply immediately")
