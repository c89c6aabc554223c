"""The top of the pane: how comments are grouped, the views, and the venue's limit."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from desktop_app.commands import CommandRegistry
from desktop_app.panes.rebuttal.choices import GROUPINGS, Grouping
from desktop_app.widgets.choice_box import ChoiceBox
from desktop_app.widgets.layouts import command_buttons, row, tabs
from engine.reviews.limits import presets

_VIEWS = (("write", "Write"), ("preview", "Preview"), ("send", "Send"))


class HeadBar(QWidget):
    """``grouping`` and ``limit`` choose by key, ``tabs`` are the views by number."""

    def __init__(self, registry: CommandRegistry, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._registry = registry
        self.grouping = ChoiceBox("Group comments", GROUPINGS, letters=0, parent=self)
        self.limit = ChoiceBox("Venue limit", [(limit.title, limit.id) for limit in presets()], letters=0, parent=self)
        buttons = command_buttons(registry, "rebuttal", {"suggest_labels": "Suggest labels", "limits": "Limits"}, self)
        self.tabs = tabs("Views of the rebuttal", [words for _name, words in _VIEWS], self)
        row(
            self.grouping, buttons["suggest_labels"], None, self.tabs, None, self.limit, buttons["limits"],
            margins=(12, 4, 8, 4), of=self,
        )  # fmt: skip
        registry.changed.connect(self._name_views)
        self._name_views()

    @property
    def view(self) -> int:
        return self.tabs.currentIndex()

    def show_choices(self, grouping: Grouping, preset: str, tip: str) -> None:
        self.grouping.show_value(grouping)
        self.limit.show_value(preset)
        self.limit.setToolTip(f"Venue limit. {tip}")

    def _name_views(self) -> None:
        for at, (name, words) in enumerate(_VIEWS):
            key = self._registry.native_shortcut(f"rebuttal.{name}")
            self.tabs.setTabText(at, f"{words}   {key}" if key else words)
