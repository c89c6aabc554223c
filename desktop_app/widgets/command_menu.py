"""Menus of commands (context menus, menu buttons, the window's menu), and a menu of all tabs of a bar."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial

from PySide6.QtCore import QCoreApplication, QEvent, QObject, QPoint, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractItemView, QMenu, QPushButton, QTabBar, QWidget

from desktop_app.commands import WINDOW, Command, CommandRegistry, Menu, keys
from desktop_app.theme import theme
from desktop_app.timers import delayed
from desktop_app.widgets.buttons import IconButton
from desktop_app.widgets.labels import literal

MENUS: tuple[Menu, ...] = ("File", "Edit", "View", "Go", "Help")


def offer_commands(view: QAbstractItemView, registry: CommandRegistry, commands: Sequence[str]) -> None:
    """Gives a list a context menu of commands (an empty id is a separator) for the row under the pointer."""

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
    """Returns a menu of commands with their keys, which is deleted when closed."""
    menu = QMenu(view)
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    add_commands(menu, registry, commands)
    return menu


def pop_up(menu: QMenu, under: QWidget, at: QPoint | None = None) -> None:
    """Opens a menu under a widget, or at a point in it, and deletes it when closed. The checked entry, or else the
    first, is current, so that Enter chooses it."""
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    menu.popup(under.mapToGlobal(QPoint(0, under.height()) if at is None else at))
    entries = [entry for entry in menu.actions() if entry.isEnabled() and not entry.isSeparator()]
    current = next((entry for entry in entries if entry.isChecked()), entries[0] if entries else None)
    if current is not None and current.menu() is not None:
        # ``setActiveAction`` would open the submenu, which then closes when the mouse moves into it.
        QCoreApplication.sendEvent(
            menu, QKeyEvent(QEvent.Type.KeyPress, Qt.Key.Key_Down, Qt.KeyboardModifier.NoModifier)
        )
    elif current is not None:
        menu.setActiveAction(current)


def add_choices(menu: QMenu, entries: Iterable[tuple[str, bool, Callable[[], object]]]) -> None:
    """Adds checkable entries, each given by its text, whether it is checked, and its action."""
    for words, checked, act in entries:
        entry = menu.addAction(literal(words))
        entry.setCheckable(True)
        entry.setChecked(checked)
        entry.triggered.connect(lambda _checked=False, run=act: run())


def add_commands(menu: QMenu, registry: CommandRegistry, commands: Sequence[str]) -> None:
    for name in commands:
        if not name:
            menu.addSeparator()
            continue
        key = registry.native_shortcut(name).split(" or ")[0]
        action = menu.addAction(literal(registry.text(name)) + (f"\t{key}" if key else ""))
        action.setEnabled(registry.enabled(name))
        action.triggered.connect(lambda _checked=False, run=name: registry.run(run))


class CommandMenuButton(QPushButton):
    """A button with a menu of commands; unavailable ones are disabled."""

    def __init__(
        self, registry: CommandRegistry, commands: Sequence[str], text: str, parent: QWidget | None = None
    ) -> None:
        super().__init__(text, parent)
        self.setAccessibleName(text)
        self.setToolTip(text)
        self._registry, self._commands = registry, tuple(commands)
        self.clicked.connect(lambda: pop_up(command_menu(self, self._registry, self._commands), self))


def window_menu(parent: QWidget, registry: CommandRegistry, pane: tuple[str, str] | None) -> QMenu:
    """Returns a menu of all window commands, and those of the current pane (id and title) in a submenu."""
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
                # Only for display: the window's or pane's own action handles the key.
                action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
                action.setEnabled(registry.enabled(command.id))
                action.triggered.connect(lambda _checked=False, name=command.id: registry.run(name))
            if sub.sizeHint().width() > parent.screen().availableGeometry().width():
                sub.setStyleSheet("QMenu { menu-scrollable: 1; }")  # its columns would be cut off: scroll a single one
    return menu


class TabMenu(IconButton):
    """A button beside a tab bar that lists all tabs; shown only if the tabs don't fit."""

    def __init__(self, bar: QTabBar, parent: QWidget | None = None) -> None:
        super().__init__("caret-down", f"All tabs: {bar.accessibleName()}", "Show all tabs", parent=parent)
        self._bar = bar
        self.setVisible(False)
        self.clicked.connect(self._open)
        # Deferred: during the layout of the bar, changing the visibility would not be noticed.
        self._laid_out = delayed(self, 0, self._refresh)
        bar.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self._bar and event.type() in (QEvent.Type.Resize, QEvent.Type.LayoutRequest, QEvent.Type.Show):
            self._laid_out.start()
        return super().eventFilter(watched, event)

    def _refresh(self) -> None:
        bar = self._bar
        needed = sum(bar.tabRect(at).width() for at in range(bar.count()))
        room = bar.width() + (self.sizeHint().width() if self.isVisible() else 0)
        self.setVisible(needed > room)

    def _open(self) -> None:
        menu, bar = QMenu(self), self._bar
        current = bar.currentIndex()
        add_choices(
            menu, ((bar.tabText(at), at == current, partial(bar.setCurrentIndex, at)) for at in range(bar.count()))
        )
        pop_up(menu, self)
