"""Rows, columns and splitters of widgets, and buttons of commands, each in one expression."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeVar

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QBoxLayout, QComboBox, QGridLayout, QLayout, QSplitter, QWidget

from desktop_app.commands import CommandRegistry
from desktop_app.widgets.buttons import CommandButton
from desktop_app.widgets.keys import KeepsKeys

W = TypeVar("W", bound=QWidget)
Item = QWidget | QLayout | int | tuple[QWidget | QLayout, int]
Margins = tuple[int, int, int, int]
_NONE = (0, 0, 0, 0)


def row(*items: Item, margins: Margins = _NONE, spacing: int = 8, of: QWidget | None = None) -> QBoxLayout:
    """A horizontal layout, of a widget or to put into another one. A number is a stretch, and an item in a pair with a
    number takes so much of the free space."""
    return _laid(QBoxLayout.Direction.LeftToRight, items, margins, spacing, of)


def column(*items: Item, margins: Margins = _NONE, spacing: int = 0, of: QWidget | None = None) -> QBoxLayout:
    """As ``row``, vertical."""
    return _laid(QBoxLayout.Direction.TopToBottom, items, margins, spacing, of)


def _laid(
    direction: QBoxLayout.Direction, items: tuple[Item, ...], margins: Margins, spacing: int, of: QWidget | None
) -> QBoxLayout:
    layout = QBoxLayout(direction) if of is None else QBoxLayout(direction, of)
    layout.setContentsMargins(*margins)
    layout.setSpacing(spacing)
    for item in items:
        part, stretch = item if isinstance(item, tuple) else (item, 0)
        if isinstance(part, QWidget):
            layout.addWidget(part, stretch)
        elif isinstance(part, QLayout):
            layout.addLayout(part, stretch)
        else:
            layout.addStretch(part)
    return layout


def split(*widgets: QWidget, sizes: tuple[int, ...], vertical: bool = True, parent: QWidget) -> QSplitter:
    """Widgets with movable borders; none can be collapsed."""
    made = QSplitter(Qt.Orientation.Vertical if vertical else Qt.Orientation.Horizontal, parent)
    made.setChildrenCollapsible(False)
    made.setHandleWidth(1)
    for widget in widgets:
        made.addWidget(widget)
    made.setSizes(list(sizes))
    return made


def choice(name: str, items: Sequence[tuple[str, str]], parent: QWidget) -> QComboBox:
    """A combo box of words and their keys, which leaves the keyboard where it is when it is clicked."""
    box = QComboBox(parent)
    box.setAccessibleName(name)
    box.setToolTip(name)
    box.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    for words, key in items:
        box.addItem(words, key)
    KeepsKeys(box)
    return box


def command_buttons(
    registry: CommandRegistry, scope: str, words: Mapping[str, str], parent: QWidget, primary: str = ""
) -> dict[str, CommandButton]:
    """A button for each command of a scope, by its name; "" as its words shows the command's own title."""
    buttons = {
        name: CommandButton(registry, f"{scope}.{name}", text=text, primary=name == primary, parent=parent)
        for name, text in words.items()
    }
    for button in buttons.values():
        KeepsKeys(button)
    return buttons


def surface(widget: W, name: str) -> W:
    """Gives a part its name for screen readers and the ground of a surface."""
    widget.setAccessibleName(name)
    widget.setProperty("role", "surface")
    widget.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
    return widget


def splitter(
    *parts: tuple[QWidget, int, int], orientation: Qt.Orientation = Qt.Orientation.Horizontal, parent: QWidget
) -> QSplitter:
    """Parts with movable borders; each with its size at first and its stretch. None can be collapsed."""
    found = QSplitter(orientation, parent)
    found.setChildrenCollapsible(False)
    for at, (part, _, stretch) in enumerate(parts):
        found.addWidget(part)
        found.setStretchFactor(at, stretch)
    found.setSizes([size for _, size, _ in parts])
    return found


def command_button(registry: CommandRegistry, command: str, text: str, parent: QWidget, **how: bool) -> CommandButton:
    """A command's button that a click gives no focus to, and that keeps Space; ``how`` as in ``CommandButton``."""
    button = CommandButton(registry, command, text=text, parent=parent, **how)
    button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    KeepsKeys(button)
    return button


def command_grid(
    registry: CommandRegistry, scope: str, commands: Sequence[tuple[str, str]], parent: QWidget, **how: bool
) -> QGridLayout:
    """Command buttons in two columns, from pairs of a command without its scope and its words ("": the title). With
    ``primary`` the first is the primary one."""
    grid = QGridLayout()
    grid.setSpacing(8)
    primary = how.pop("primary", False)
    for at, (name, words) in enumerate(commands):
        button = command_button(registry, f"{scope}.{name}", words, parent, primary=primary and not at, **how)
        grid.addWidget(button, at // 2, at % 2)
    return grid
