"""The top of the pane: how comments are grouped, the views, and the venue's limit."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QTabBar, QWidget

from desktop_app.commands import CommandRegistry
from desktop_app.panes.rebuttal.choices import GROUPINGS, Grouping
from desktop_app.widgets.choice_box import ChoiceBox
from desktop_app.widgets.layouts import command_buttons, row
from engine.reviews.limits import presets

_VIEWS = (("write", "Write"), ("preview", "Preview"), ("send", "Send"))


class HeadBar(QWidget):
    """``grouping_chosen`` and ``limit_chosen`` bring a key, ``view_shown`` the number of a view."""

    grouping_chosen = Signal(str)
    limit_chosen = Signal(str)
    view_shown = Signal(int)

    def __init__(self, registry: CommandRegistry, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._registry = registry
        self.grouping = ChoiceBox("Group comments", GROUPINGS, letters=0, parent=self)
        self.limit = ChoiceBox("Venue limit", [(limit.title, limit.id) for limit in presets()], letters=0, parent=self)
        self.grouping.activated.connect(lambda _at: self.grouping_chosen.emit(self.grouping.currentData()))
        self.limit.activated.connect(lambda _at: self.limit_chosen.emit(self.limit.currentData()))
        buttons = command_buttons(registry, "rebuttal", {"suggest_labels": "Suggest labels", "limits": "Limits"}, self)
        self.tabs = QTabBar(self)
        self.tabs.setAccessibleName("Views of the rebuttal")
        self.tabs.setDrawBase(False)
        for _name, words in _VIEWS:
            self.tabs.addTab(words)
        self.tabs.currentChanged.connect(self.view_shown)
        row(
            self.grouping, buttons["suggest_labels"], None, self.tabs, None, self.limit, buttons["limits"],
            margins=(12, 4, 8, 4), of=self,
        )  # fmt: skip
        registry.changed.connect(self._name_views)
        self._name_views()

    @property
    def view(self) -> int:
        """The view that is shown."""
        return self.tabs.currentIndex()

    def show_choices(self, grouping: Grouping, preset: str, tip: str) -> None:
        """The current grouping and limit."""
        self.grouping.setCurrentIndex(self.grouping.findData(grouping))
        self.limit.setCurrentIndex(max(0, self.limit.findData(preset)))
        self.limit.setToolTip(f"Venue limit. {tip}")

    def _name_views(self) -> None:
        for at, (name, words) in enumerate(_VIEWS):
            key = self._registry.native_shortcut(f"rebuttal.{name}")
            self.tabs.setTabText(at, f"{words}   {key}" if key else words)
