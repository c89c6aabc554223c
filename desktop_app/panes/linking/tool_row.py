"""The row at the top of the pane: strategy for suggestions, import and export, and view options."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent, QPaintEvent, QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QSizePolicy, QToolButton, QWidget

from desktop_app.commands import CommandRegistry
from desktop_app.panes.linking.terms import DEFAULT_STRATEGY, KINDS
from desktop_app.theme import theme
from desktop_app.widgets.buttons import IconButton
from desktop_app.widgets.command_menu import add_choices, command_menu, pop_up
from desktop_app.widgets.fields import ChoiceBox
from desktop_app.widgets.labels import ElidedLabel
from desktop_app.widgets.layouts import follow_width, row

if TYPE_CHECKING:
    from engine.revision.means import Choice

_ROOM_FOR_WORDS = 1200
"""Width from which buttons have text beside their icons and leave room for the title."""
_BUTTONS = (
    ("import", "file-plus", "Add files", False), ("export", "export", "Export", False),
    ("reviews", "chats", "Reviews", True), ("coverage", "checks", "Coverage", True),
    ("guidelines", "book-open", "Guidelines", True), ("couple", "link-simple", "Together", True),
    ("look", "moon", "Look", False),
)  # fmt: skip


class _Title(ElidedLabel):
    """A title that is hidden if only a few letters would fit."""

    def paintEvent(self, event: QPaintEvent) -> None:
        if self.width() >= theme().px(56):
            super().paintEvent(event)


class ToolRow(QWidget):
    """Buttons for the pane's commands, with their keys in the tooltips; Export opens a menu.

    ``whose`` returns the people whose links can be exported as (key, name), the acting annotator first.
    """

    def __init__(
        self,
        registry: CommandRegistry,
        strategy: QWidget,
        annotator: QWidget,
        whose: Callable[[], list[tuple[str, str]]],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._registry, self._whose, self._whom = registry, whose, ""
        self.setAccessibleName("Tools")
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)  # texts are hidden if it is narrow
        self._title = _Title("muted", self)
        self._buttons: dict[str, QToolButton] = {}
        for name, icon, words, checkable in _BUTTONS:
            button = IconButton(icon, words, text=words, parent=self)
            button.setCheckable(checkable)
            button.clicked.connect(lambda _checked=False, run=name: self._run(run))
            self._buttons[name] = button
        self._buttons["couple"].setChecked(True)
        row((self._title, 1), strategy, *self._buttons.values(), annotator, margins=(12, 2, 8, 2), spacing=2, of=self)
        registry.changed.connect(self._refresh)
        registry.state_changed.connect(self._refresh)
        follow_width(self, self._fit)
        self._refresh()

    def sizeHint(self) -> QSize:
        return QSize(400, theme().px(34))

    def show_title(self, title: str) -> None:
        self._title.setText(title)
        self._title.setToolTip(title)

    def show_state(self, **states: bool) -> None:
        """Checks or unchecks buttons, by command."""
        for name, on in states.items():
            self._buttons[name].setChecked(on)

    def _fit(self) -> None:
        beside = Qt.ToolButtonStyle.ToolButtonTextBesideIcon
        style = beside if self.width() >= theme().px(_ROOM_FOR_WORDS) else Qt.ToolButtonStyle.ToolButtonIconOnly
        for button in self._buttons.values():
            button.setToolButtonStyle(style)

    @property
    def whose(self) -> str:
        """Whose links are exported; empty for the acting annotator's."""
        return self._whom if self._whom in dict(self._whose()) else ""

    def _run(self, name: str) -> None:
        button = self._buttons[name]
        if name == "export":
            self.open_exports()
            return
        if button.isCheckable():
            button.setChecked(not button.isChecked())  # undo the toggle: the command sets the new state
        self._registry.run(f"linking.{name}")

    def _refresh(self) -> None:
        for name, button in self._buttons.items():
            command = f"linking.{name}"
            if command in self._registry:
                button.setToolTip(self._registry.tooltip(command))
                button.setEnabled(self._registry.enabled(command))

    def open_exports(self) -> None:
        menu = command_menu(self, self._registry, [f"linking.export_{name}" for name in KINDS])
        people = self._whose()
        if len(people) > 1:
            menu.addSection("Export links of")
            whose = self.whose or people[0][0]
            add_choices(menu, ((person, key == whose, partial(self._choose, key)) for key, person in people))
        pop_up(menu, self._buttons["export"])

    def _choose(self, key: str) -> None:
        self._whom = key
        self.open_exports()


class StrategyBox(ChoiceBox):
    """Choice of the strategy for suggestions; unavailable ones are disabled and say what is missing. The choices are
    read whenever the box gets the focus or opens (loading all aligners the first time); it opens once they arrive."""

    wanted = Signal(object)
    """The Choice that was selected."""
    outdated = Signal()
    """Requests that the choices be read and passed to ``show_choices``."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Strategy for suggestions", [(DEFAULT_STRATEGY[1], None)], letters=12, parent=parent)
        self._choices: tuple[Choice, ...] = ()
        self._chosen, self._opening = (DEFAULT_STRATEGY[0], ""), False
        self.activated.connect(self._taken)

    def show_choices(self, found: tuple[Choice, ...]) -> None:
        """Shows the current entries, keeping the selected one."""
        if found != self._choices:
            self._choices = found
            self._fill(found)
        if self._opening:
            self._opening = False
            wide = max(self.fontMetrics().horizontalAdvance(self.itemText(n)) for n in range(self.count()))
            self.view().setMinimumWidth(wide + 48)
            super().showPopup()

    def _fill(self, found: tuple[Choice, ...]) -> None:
        model = QStandardItemModel(self)
        for choice in found:
            item = QStandardItem(f"{choice.title} ({choice.lacks})" if choice.lacks else choice.title)
            item.setEnabled(not choice.lacks)
            item.setToolTip(item.text())
            model.appendRow(item)
        self.setModel(model)  # the old model is a child of the box, which deletes it
        self.setCurrentIndex(max(0, next((n for n, one in enumerate(found) if _key(one) == self._chosen), -1)))

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self._opening = False  # a pending opening is dropped if the choices couldn't be read
        self.outdated.emit()

    def showPopup(self) -> None:
        self._opening = True
        self.outdated.emit()

    def _taken(self, at: int) -> None:
        if not self._choices:
            return
        choice = self._choices[at]
        if not choice.lacks:
            self._chosen = _key(choice)
            self.wanted.emit(choice)


def _key(choice: Choice) -> tuple[str, str]:
    return choice.strategy, choice.model.id if choice.model else ""
