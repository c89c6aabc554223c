"""Settings: one row per setting of the spec, and the keys of all commands."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDoubleSpinBox,
    QFrame,
    QHBoxLayout,
    QLineEdit,
    QScrollArea,
    QSpinBox,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from desktop_app.context import AppContext
from desktop_app.panes.base import Pane
from desktop_app.panes.settings.shortcuts import ShortcutEditor
from desktop_app.settings import SPEC, Setting
from desktop_app.theme import theme
from desktop_app.widgets.labels import text_label

CONTROL_WIDTH, PANEL_WIDTH = 220, 760
Control = QCheckBox | QComboBox | QDoubleSpinBox | QSpinBox | QLineEdit


class SettingsPane(Pane):
    """Made from the spec; every change holds at once and is remembered."""

    pane_id = "settings"
    title = "Settings"
    icon = "gear-six"
    purpose = "Your name, colours, text size and keys."
    needs_project = False
    tables = frozenset({"no table"})
    search_hint = "Find a key or command"

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self.controls: dict[str, Control] = {}
        self._panels: list[QFrame] = []
        self._boxes: list[QWidget] = []
        self.tabs = QTabWidget(self.body)
        self.tabs.setAccessibleName("Settings")
        self.tabs.setDocumentMode(True)
        self.tabs.tabBar().setDrawBase(False)
        self.tabs.tabBar().setAccessibleName("Kinds of settings")
        self.tabs.addTab(self._build_general(), "General")
        self.shortcuts = ShortcutEditor(context.commands, self.tabs)
        self.tabs.addTab(self.shortcuts, "Keys")
        layout = QVBoxLayout(self.body)
        layout.setContentsMargins(16, 12, 16, 12)
        layout.addWidget(self.tabs)
        context.settings.changed.connect(self._setting_changed)
        theme().changed.connect(self._resize)
        self._resize()

    def _build_general(self) -> QWidget:
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(16, 16, 16, 16)
        column.setSpacing(12)
        sections: dict[str, list[Setting]] = {}
        for setting in SPEC:
            sections.setdefault(setting.section, []).append(setting)
        for title, settings in sections.items():
            column.addWidget(text_label(title, "section", parent=page))
            panel = QFrame(page)
            panel.setProperty("role", "panel")
            self._panels.append(panel)
            rows = QVBoxLayout(panel)
            rows.setContentsMargins(16, 12, 16, 12)
            rows.setSpacing(16)
            for setting in settings:
                rows.addLayout(self._row(setting, panel))
            column.addWidget(panel)
        where = f"Settings are kept in {self.context.settings.path}"
        column.addWidget(text_label(where, "small", wrap=True, parent=page))
        column.addStretch(1)
        scroll = QScrollArea()
        scroll.setAccessibleName("General settings")
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setWidget(page)
        return scroll

    def _row(self, setting: Setting, panel: QWidget) -> QHBoxLayout:
        control = self._control(setting, panel)
        self.controls[setting.name] = control
        name = text_label(setting.title, parent=panel)
        name.setBuddy(control)
        words = QVBoxLayout()
        words.setSpacing(2)
        words.addWidget(name)
        words.addWidget(text_label(setting.description, "small", wrap=True, parent=panel))
        # All controls begin at the same place, however wide they are.
        place = QHBoxLayout()
        place.addWidget(control, 0 if isinstance(control, QCheckBox) else 1)
        place.addStretch(1 if isinstance(control, QCheckBox) else 0)
        box = QWidget(panel)
        box.setLayout(place)
        place.setContentsMargins(0, 0, 0, 0)
        self._boxes.append(box)
        row = QHBoxLayout()
        row.setSpacing(24)
        row.addLayout(words, 1)
        row.addWidget(box, 0, Qt.AlignmentFlag.AlignVCenter)
        return row

    def _control(self, setting: Setting, parent: QWidget) -> Control:
        settings, name = self.context.settings, setting.name
        control: Control
        if setting.choices:
            control = QComboBox(parent)
            for value, words in setting.choices:
                control.addItem(words, value)
            control.currentIndexChanged.connect(lambda _row, box=control: settings.set(name, box.currentData()))
        elif isinstance(setting.default, bool):
            control = QCheckBox(parent)
            control.toggled.connect(lambda on: settings.set(name, on))
        elif isinstance(setting.default, float):
            control = QDoubleSpinBox(parent)
            control.setRange(setting.low or 0.0, setting.high or 1e9)
            control.setSingleStep(0.1)
            control.setDecimals(2)
            control.setSuffix(setting.unit)
            control.valueChanged.connect(lambda value: settings.set(name, round(value, 2)))
        elif isinstance(setting.default, int):
            control = QSpinBox(parent)
            control.setSuffix(setting.unit)
            control.setRange(int(setting.low or 0), int(setting.high or 1_000_000))
            control.valueChanged.connect(lambda value: settings.set(name, value))
        else:
            control = QLineEdit(parent)
            control.editingFinished.connect(lambda field=control: settings.set(name, field.text().strip()))
        control.setAccessibleName(setting.title)
        control.setAccessibleDescription(setting.description)
        control.setToolTip(setting.description)
        if isinstance(control, QDoubleSpinBox | QSpinBox):
            control.lineEdit().setTextMargins(5, 0, 0, 0)
        self._show(control, settings[name])
        return control

    def _resize(self) -> None:
        for panel in self._panels:
            panel.setMaximumWidth(theme().px(PANEL_WIDTH))
        for box in self._boxes:
            box.setFixedWidth(theme().px(CONTROL_WIDTH))
        # The rows' heights follow from texts that wrap, and Qt keeps the old ones when only the font changed.
        for widget in self.body.findChildren(QWidget):
            widget.updateGeometry()

    def _setting_changed(self, name: str) -> None:
        if name in self.controls:
            self._show(self.controls[name], self.context.settings[name])

    @staticmethod
    def _show(control: Control, value: object) -> None:
        with QSignalBlocker(control):
            if isinstance(control, QComboBox):
                control.setCurrentIndex(control.findData(value))
            elif isinstance(control, QCheckBox):
                control.setChecked(bool(value))
            elif isinstance(control, QLineEdit):
                if control.text() != value:
                    control.setText(str(value))
            else:
                control.setValue(value)  # type: ignore[arg-type]

    def take_focus(self) -> None:
        self.tabs.tabBar().setFocus()

    def search(self, text: str) -> None:
        if text:
            self.tabs.setCurrentWidget(self.shortcuts)
        self.shortcuts.narrow(text)

    def refresh(self) -> None:
        self.set_status("Every change holds at once")
