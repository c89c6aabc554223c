"""The top of the pane: how comments are grouped, the views, and the venue's limit."""

from __future__ import annotations

from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QSizePolicy, QWidget

from desktop_app.commands import CommandRegistry
from desktop_app.panes.rebuttal.choices import GROUPINGS, Grouping
from desktop_app.theme import theme
from desktop_app.widgets.choice_box import ChoiceBox
from desktop_app.widgets.layouts import command_buttons, row, tabs
from engine.reviews.limits import presets

_VIEWS = (("write", "Write"), ("preview", "Preview"), ("send", "Send"))


class HeadBar(QWidget):
    """``grouping`` and ``limit`` choose by key, ``tabs`` are the views by number. Two rows where one has no room."""

    def __init__(self, registry: CommandRegistry, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._registry = registry
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.grouping = ChoiceBox("Group comments", GROUPINGS, letters=0, parent=self)
        self.limit = ChoiceBox("Venue limit", [(limit.title, limit.id) for limit in presets()], letters=0, parent=self)
        buttons = command_buttons(registry, "rebuttal", {"suggest_labels": "Suggest labels", "limits": "Limits"}, self)
        self.tabs = tabs("Views of the rebuttal", [words for _name, words in _VIEWS], self)
        self._left = row(self.grouping, buttons["suggest_labels"], None, self.tabs)
        self._rows = row(self._left, None, row(None, self.limit, buttons["limits"]), margins=(12, 4, 8, 4), of=self)
        registry.changed.connect(self._fold)
        theme().changed.connect(self._fold)
        self._fold()

    @property
    def view(self) -> int:
        return self.tabs.currentIndex()

    def show_choices(self, grouping: Grouping, preset: str, tip: str) -> None:
        self.grouping.show_value(grouping)
        self.limit.show_value(preset)
        self.limit.setToolTip(f"Venue limit. {tip}")

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._fold()

    def _fold(self) -> None:
        self._name_views(keys=True)
        self._rows.setDirection(QBoxLayout.Direction.LeftToRight)
        if self._rows.sizeHint().width() > self.width():
            self._rows.setDirection(QBoxLayout.Direction.TopToBottom)
            self._name_views(keys=False)

    def _name_views(self, *, keys: bool) -> None:
        for at, (name, words) in enumerate(_VIEWS):
            key = self._registry.native_shortcut(f"rebuttal.{name}")
            self.tabs.setTabText(at, f"{words}   {key}" if key and keys else words)
            self.tabs.setTabToolTip(at, self._registry.tooltip(f"rebuttal.{name}"))
        self._left.invalidate()  # its width is asked at once
