"""Rows, columns and grids of widgets in one expression each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QBoxLayout, QGridLayout, QLayout, QSplitter, QWidget

from desktop_app.commands import CommandRegistry
from desktop_app.widgets.buttons import CommandButton
from desktop_app.widgets.keys import KeepsKeys

W = TypeVar("W", bound=QWidget)
Item = QWidget | QLayout | tuple[QWidget | QLayout, int] | int
"""A widget or layout, with its stretch if it has one; a number alone is a space that stretches."""
Margins = tuple[int, int, int, int]


def row(*items: Item, margins: Margins = (0, 0, 0, 0), spacing: int = 8, parent: QWidget | None = None) -> QBoxLayout:
    """Items beside each other; becomes the layout of ``parent`` if that is given."""
    return _box(QBoxLayout.Direction.LeftToRight, items, margins, spacing, parent)


def column(
    *items: Item, margins: Margins = (0, 0, 0, 0), spacing: int = 0, parent: QWidget | None = None
) -> QBoxLayout:
    """Items below each other; becomes the layout of ``parent`` if that is given."""
    return _box(QBoxLayout.Direction.TopToBottom, items, margins, spacing, parent)


def _box(
    direction: QBoxLayout.Direction, items: Sequence[Item], margins: Margins, spacing: int, parent: QWidget | None
) -> QBoxLayout:
    box = QBoxLayout(direction, parent)
    box.setContentsMargins(*margins)
    box.setSpacing(spacing)
    for item in items:
        if isinstance(item, int):
            box.addStretch(item)
            continue
        part, stretch = item if isinstance(item, tuple) else (item, 0)
        if isinstance(part, QWidget):
            box.addWidget(part, stretch)
        else:
            box.addLayout(part, stretch)
    return box


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
