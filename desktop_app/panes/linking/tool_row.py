"""The line at the top of the pane: what makes the suggestions, files in and out, and what is shown."""

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

_ROOM_FOR_WORDS = 1000
"""From this width on the buttons have their words beside their icons."""
_BUTTONS = (
    ("import", "file-plus", "Add files", False), ("export", "export", "Export", False),
    ("reviews", "chats", "Reviews", True), ("coverage", "checks", "Coverage", True),
    ("guidelines", "book-open", "Guidelines", True), ("couple", "link-simple", "Together", True),
    ("look", "moon", "Look", False),
)  # fmt: skip


class _Title(ElidedLabel):
    """Shows nothing where only a few letters would fit."""

    def paintEvent(self, event: QPaintEvent) -> None:
        if self.width() >= theme().px(56):
            super().paintEvent(event)


class ToolRow(QWidget):
    """Buttons that run the pane's commands, with their keys in the tooltips; Export opens a menu.

    ``whose`` gives the people whose links can be exported as (key, name), the acting annotator first.
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
        self.setSizePolicy(
            QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed
        )  # it loses its words where it is narrow
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
            button.setChecked(not button.isChecked())  # the command itself says what is checked afterwards
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
    """The ways to make suggestions; one that lacks something is disabled and says what. They are read each time the box
    gets the focus or opens, which loads all aligners the first time; it opens when they have come."""

    wanted = Signal(object)
    """A Choice was taken."""
    outdated = Signal()
    """The choices shall be read: ``show_choices`` follows."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Strategy for suggestions", [(DEFAULT_STRATEGY[1], None)], letters=12, parent=parent)
        self._choices: tuple[Choice, ...] = ()
        self._chosen, self._opening = (DEFAULT_STRATEGY[0], ""), False
        self.activated.connect(self._taken)

    def show_choices(self, found: tuple[Choice, ...]) -> None:
        """Shows the entries as they are now; the chosen one stays."""
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
        self.setModel(model)  # the old one is a child of the box, which deletes it
        self.setCurrentIndex(max(0, next((n for n, one in enumerate(found) if _key(one) == self._chosen), -1)))

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self._opening = False  # what could not be read when it should have opened doesn't open it later
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
