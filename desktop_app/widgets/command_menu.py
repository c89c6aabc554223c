"""Menus of commands: context menus, menu buttons and the window's menu."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QAbstractItemView, QMenu, QPushButton, QWidget

from desktop_app.commands import WINDOW, Command, CommandRegistry, Menu, keys
from desktop_app.theme import theme
from desktop_app.widgets.plain import literal

MENUS: tuple[Menu, ...] = ("File", "Edit", "View", "Go", "Help")


def offer_commands(view: QAbstractItemView, registry: CommandRegistry, commands: Sequence[str]) -> None:
    """Gives a list a context menu of commands (an empty id is a separator), for the row under the pointer."""

    def show(at: QPoint) -> None:
        index = view.indexAt(at)
        if not index.isValid():
            return
        view.setCurrentIndex(index)
        menu = command_menu(view, registry, commands)
        menu.popup(view.viewport().mapToGlobal(at))

    view.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
    view.customContextMenuRequested.connect(show)


def command_menu(view: QWidget, registry: CommandRegistry, commands: Sequence[str]) -> QMenu:
    """A menu of commands with their keys; it deletes itself when closed."""
    menu = QMenu(view)
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    add_commands(menu, registry, commands)
    return menu


def pop_up(menu: QMenu, under: QWidget, at: QPoint | None = None) -> None:
    """Opens a menu under a widget, or at a place in it. The checked entry or the first one is current, so that Enter
    takes it; the menu deletes itself when closed."""
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    menu.popup(under.mapToGlobal(QPoint(0, under.height()) if at is None else at))
    entries = [entry for entry in menu.actions() if entry.isEnabled() and not entry.isSeparator()]
    current = next((entry for entry in entries if entry.isChecked()), entries[0] if entries else None)
    if current is not None:
        menu.setActiveAction(current)


def add_commands(menu: QMenu, registry: CommandRegistry, commands: Sequence[str]) -> None:
    """Adds commands with their keys to a menu."""
    for name in commands:
        if not name:
            menu.addSeparator()
            continue
        key = registry.native_shortcut(name).split(" or ")[0]
        action = menu.addAction(literal(registry.text(name)) + (f"\t{key}" if key else ""))
        action.setEnabled(registry.enabled(name))
        action.triggered.connect(lambda _checked=False, run=name: registry.run(run))


class CommandMenuButton(QPushButton):
    """A button with a menu of commands; unavailable ones are grey."""

    def __init__(
        self, registry: CommandRegistry, commands: Sequence[str], text: str, parent: QWidget | None = None
    ) -> None:
        super().__init__(text, parent)
        self.setAccessibleName(text)
        self.setToolTip(text)
        self._registry, self._commands = registry, tuple(commands)
        self.clicked.connect(self._offer)

    def _offer(self) -> None:
        pop_up(command_menu(self, self._registry, self._commands), self)


def window_menu(parent: QWidget, registry: CommandRegistry, pane: tuple[str, str] | None) -> QMenu:
    """All commands of the window by menu, and those of the shown pane (id and title) under its own name."""
    menu = QMenu(parent)
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    everywhere = registry.in_scope(WINDOW)
    groups: list[tuple[str, list[Command]]] = [
        (title, [command for command in everywhere if command.menu == title]) for title in MENUS
    ]
    if pane is not None:
        groups.insert(2, (pane[1], registry.in_scope(pane[0])))
    for name, commands in groups:
        if commands:
            sub = menu.addMenu(name)
            for command in commands:
                action = sub.addAction(literal(registry.text(command.id)))
                if command.icon:
                    action.setIcon(theme().icon(command.icon))
                action.setShortcuts(keys(registry.shortcut(command.id)))
                # Only displays the key: the window's or pane's own action handles it.
                action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
                action.setEnabled(registry.enabled(command.id))
                action.triggered.connect(lambda _checked=False, name=command.id: registry.run(name))
    return menu
