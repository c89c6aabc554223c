"""A menu at the pointer with commands that apply to what lies under it."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QAbstractItemView, QMenu

from desktop_app.commands import CommandRegistry


def offer_commands(view: QAbstractItemView, registry: CommandRegistry, commands: Sequence[str]) -> None:
    """Gives a list a context menu of commands (an empty id is a separator); the row under the pointer comes to hand
    first. Keys stand beside the words."""

    def show(at: QPoint) -> None:
        index = view.indexAt(at)
        if not index.isValid():
            return
        view.setCurrentIndex(index)
        menu = command_menu(view, registry, commands)
        menu.popup(view.viewport().mapToGlobal(at))

    view.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
    view.customContextMenuRequested.connect(show)


def command_menu(view: QAbstractItemView, registry: CommandRegistry, commands: Sequence[str]) -> QMenu:
    """The menu itself; it goes when it is closed."""
    menu = QMenu(view)
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    for name in commands:
        if not name:
            menu.addSeparator()
            continue
        key = registry.native_shortcut(name).split(" or ")[0]
        action = menu.addAction(f"{registry[name].text}\t{key}" if key else registry[name].text)
        action.setEnabled(registry[name].enabled())
        action.triggered.connect(lambda _checked=False, run=name: registry.run(run))
    return menu
