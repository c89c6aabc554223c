"""The registry of all commands, from which menus, palette, shortcuts, key overview and tooltips are made.

A command belongs to the scope ``window`` (available everywhere) or to a pane, named by the pane's id (available only
while that pane is shown). Two commands may share a key only if their scopes are different panes.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Generic, Literal, Protocol, TypeVar

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QWidget

from engine.shown import visible_line

WINDOW = "window"
Menu = Literal["File", "Edit", "View", "Go", "Help", ""]


P = TypeVar("P")
A = TypeVar("A")
R = TypeVar("R")


def _always(_place: Any) -> bool:
    return True


def _always_offered(_command: "Command") -> bool:
    return True


@dataclass(frozen=True, slots=True)
class Command:
    """A user action as data, so that it can be listed before its pane is built.

    ``id`` is ``scope.verb`` in lower case; ``title`` and the sentence ``help`` are imperatives; ``shortcut`` is the
    default key in Qt's portable text (alternatives separated by ``; ``), or empty. ``run``, ``when`` and ``title_now``
    are called with the object of the command's scope: its pane, or the window. ``title_now`` returns a more specific
    title for the current state ("Undo Link comment to edit"). ``menu`` names the window menu it appears in; ``words``
    are additional search words for the palette.
    """

    id: str
    title: str
    help: str
    run: Callable[[Any], object]
    shortcut: str = ""
    scope: str = WINDOW
    when: Callable[[Any], bool] = _always
    title_now: Callable[[Any], str] | None = None
    icon: str = ""
    menu: Menu = ""
    words: str = ""


@dataclass(frozen=True, slots=True)
class PaneCommands(Generic[P]):
    """Creates the commands of one pane; ``scope`` is the pane's id and the prefix of each command's id.

    Call it like a row of a table: verb, title, help, function, key, availability (by default the common ``when``),
    icon.
    """

    scope: str
    when: Callable[[P], bool] = _always

    def __call__(  # noqa: PLR0917 - a table of records reads best by position
        self,
        verb: str,
        title: str,
        help_: str,
        run: Callable[[P], object],
        shortcut: str = "",
        when: Callable[[P], bool] | None = None,
        icon: str = "",
        title_now: Callable[[P], str] | None = None,
        words: str = "",
    ) -> Command:
        return Command(
            f"{self.scope}.{verb}", title, help_, run, shortcut, scope=self.scope, when=when or self.when, icon=icon,
            title_now=title_now, words=words,
        )  # fmt: skip

    def steps(  # noqa: PLR0917 - as above
        self,
        thing: str,
        step: Callable[[P, int], object],
        next_key: str,
        previous_key: str,
        when: Callable[[P], bool] | None = None,
        verb: str = "",
    ) -> tuple[Command, Command]:
        """Returns the commands "next" and "previous": ``step`` is called with 1 or -1; the ids end in ``verb``."""
        end = f"_{verb}" if verb else ""
        return (
            self(f"next{end}", f"Next {thing}", f"Go to the next {thing}.", given(step, 1), next_key, when),
            self(f"previous{end}", f"Previous {thing}", f"Go to the previous {thing}.", given(step, -1), previous_key,
                 when),
        )  # fmt: skip


def given(run: Callable[[P, A], R], value: A) -> Callable[[P], R]:
    """Returns ``run`` with its second argument fixed, for commands that differ only in a value."""
    return lambda place: run(place, value)


class Places(Protocol):
    """The objects that commands run on: the window and its panes, which are built on demand."""

    def built(self, scope: str) -> object | None:
        """Returns the pane with this id, or the window; None if the pane hasn't been built yet."""

    def build(self, scope: str) -> object:
        """Returns the pane with this id, building it if necessary, or the window."""

    def could(self, scope: str) -> bool:
        """Returns whether commands of a pane that hasn't been built yet may be available."""


class Nowhere:
    """Stands in for ``Places`` in a registry without a window."""

    def built(self, _scope: str) -> object:
        return self

    build = built

    def could(self, _scope: str) -> bool:
        return True


class ShortcutConflict(ValueError):
    """The key is already in use; ``rival`` is the command that uses it."""

    def __init__(self, shortcut: str, rival: Command) -> None:
        self.rival = rival
        super().__init__(f"{native(shortcut)} is already assigned to “{rival.title}”.")


_CHORDS = frozenset({"Ctrl", "Alt", "Meta"})
"""Modifiers with which a key types no text."""


@cache
def keys(shortcut: str) -> tuple[QKeySequence, ...]:
    return tuple(sequence for sequence in QKeySequence.listFromString(shortcut) if not sequence.isEmpty())


@cache
def native(shortcut: str) -> str:
    """Returns a shortcut in the notation of the operating system, alternatives separated by `` or ``."""
    return " or ".join(s.toString(QKeySequence.SequenceFormat.NativeText) for s in keys(shortcut))


@cache
def _first(shortcut: str) -> frozenset[str]:
    return frozenset(sequence.toString().partition(", ")[0] for sequence in keys(shortcut))


def _clash(one: str, other: str) -> bool:
    if _first(one).isdisjoint(_first(other)):  # fast path for most pairs
        return False
    return any(a.matches(b) != QKeySequence.SequenceMatch.NoMatch for a in keys(one) for b in keys(other))


class CommandRegistry(QObject):
    """All commands of a window and their current keys."""

    changed = Signal()
    """Commands were added or a key was remapped, or the set of offered commands changed."""
    state_changed = Signal()
    """Titles or availability may have changed."""
    ran = Signal(str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.places: Places = Nowhere()
        self._commands: dict[str, Command] = {}
        self._overrides: dict[str, str] = {}
        self._offered: Callable[[Command], bool] = _always_offered

    def restrict(self, offered: Callable[[Command], bool] | None) -> None:
        """Offers only the commands that satisfy ``offered`` (None: all); others can't be run or listed."""
        self._offered = offered or _always_offered
        self.changed.emit()
        self.state_changed.emit()

    def register(self, commands: Iterable[Command]) -> None:
        """Adds commands. Raises ValueError for a duplicate id or a missing title or help, and ShortcutConflict if
        another command already uses the default key in an overlapping scope."""
        by_key: dict[str, list[Command]] = {}
        for command in self._commands.values():
            self._file(command, by_key)
        for command in commands:
            if command.id in self._commands:
                raise ValueError(f"The command id {command.id!r} is registered twice.")
            if not (command.title and command.help):
                raise ValueError(f"The command {command.id!r} needs a title and a help sentence.")
            if command.id not in self._overrides:
                near = (one for key in _first(command.shortcut) for one in by_key.get(key, ()))
                rival = self._rival(command.id, command.shortcut, command.scope, near)
                if rival is not None:
                    raise ShortcutConflict(command.shortcut, rival)
            self._commands[command.id] = command
            self._file(command, by_key)
        self.changed.emit()

    def _file(self, command: Command, by_key: dict[str, list[Command]]) -> None:
        """Indexes a command by the first key of its shortcuts; only commands with the same first key can clash."""
        for key in _first(self.shortcut(command.id)):
            by_key.setdefault(key, []).append(command)

    def __iter__(self) -> Iterator[Command]:
        return iter(tuple(command for command in self._commands.values() if self._offered(command)))

    def __len__(self) -> int:
        return len(self._commands)

    def __contains__(self, name: object) -> bool:
        return name in self._commands

    def __getitem__(self, name: str) -> Command:
        return self._commands[name]

    def in_scope(self, *scopes: str) -> list[Command]:
        return [c for c in self._commands.values() if c.scope in scopes and self._offered(c)]

    def get(self, name: str | None) -> Command | None:
        return self._commands.get(name) if name is not None else None

    def enabled(self, name: str) -> bool:
        """Returns whether a command can run now; an approximation (``Places.could``) if its pane hasn't been built."""
        command = self._commands[name]
        place = self.places.built(command.scope)
        return self.places.could(command.scope) if place is None else bool(command.when(place))

    def text(self, name: str) -> str:
        command = self._commands[name]
        place = self.places.built(command.scope) if command.title_now else None
        return command.title if command.title_now is None or place is None else command.title_now(place)

    def run(self, name: str) -> bool:
        """Runs a command if it is enabled, building its pane first. Returns whether it ran."""
        command = self._commands[name]
        if not self._offered(command):
            return False
        place = self.places.build(command.scope)
        if not command.when(place):
            return False
        command.run(place)
        self.ran.emit(name)
        self.state_changed.emit()
        return True

    def shortcut(self, name: str) -> str:
        """Returns the current key in portable text; empty if there is none."""
        default = self._commands[name].shortcut if name in self._commands else ""
        return self._overrides.get(name, default)

    def native_shortcut(self, name: str) -> str:
        return native(self.shortcut(name))

    def tooltip(self, name: str) -> str:
        command, key = self._commands[name], self.native_shortcut(name)
        return f"{visible_line(self.text(name))}{f' ({key})' if key else ''}\n{command.help}"

    def rival(self, name: str, shortcut: str) -> Command | None:
        """Returns the command that already uses this key in a scope overlapping that of ``name``, or None."""
        return self._rival(name, shortcut, self._commands[name].scope, self._commands.values())

    def _rival(self, name: str, shortcut: str, scope: str, others: Iterable[Command]) -> Command | None:
        for other in others if shortcut else ():
            if (scope == other.scope or WINDOW in {scope, other.scope}) and other.id != name:
                taken = self._overrides.get(other.id, other.shortcut)
                if taken and _clash(shortcut, taken):
                    return other
        return None

    def remap(self, name: str, shortcut: str | None) -> None:
        """Assigns another key to a command (empty: none; None: its default). Raises ShortcutConflict if it's used."""
        wanted = self._commands[name].shortcut if shortcut is None else shortcut
        rival = self.rival(name, wanted)
        if rival is not None:
            raise ShortcutConflict(wanted, rival)
        if shortcut is None or shortcut == self._commands[name].shortcut:
            self._overrides.pop(name, None)
        else:
            self._overrides[name] = shortcut
        self.changed.emit()

    @property
    def overrides(self) -> Mapping[str, str]:
        return dict(self._overrides)

    def load_overrides(self, overrides: Mapping[str, str]) -> None:
        """Loads remapped keys from the settings; entries for unknown commands are kept."""
        self._overrides = dict(overrides)
        self.changed.emit()


class ActionBinder(QObject):
    """Creates QActions for a scope's commands on a widget so that their keys work there. The actions are never shown,
    so they have no text, and availability is checked only when a command runs."""

    def __init__(self, registry: CommandRegistry, widget: QWidget, scope: str) -> None:
        super().__init__(widget)
        self._registry, self._widget, self._scope = registry, widget, scope
        self.actions: dict[tuple[str, Qt.ShortcutContext], QAction] = {}
        registry.changed.connect(self.rebuild)
        self.rebuild()

    def rebuild(self) -> None:
        wanted = {c.id for c in self._registry.in_scope(self._scope)}
        for one in [one for one in self.actions if one[0] not in wanted]:
            action = self.actions.pop(one)
            self._widget.removeAction(action)
            action.deleteLater()
        for name in wanted:
            # Plain letters work only while the pane has the focus; Ctrl+E and Alt+W also while the header's search
            # field has.
            chords: list[QKeySequence] = []
            letters: list[QKeySequence] = []
            for pressed in keys(self._registry.shortcut(name)):
                chord = self._scope == WINDOW or not _CHORDS.isdisjoint(pressed.toString().split("+"))
                (chords if chord else letters).append(pressed)
            self._bind(name, Qt.ShortcutContext.WindowShortcut, chords)
            self._bind(name, Qt.ShortcutContext.WidgetWithChildrenShortcut, letters)

    def _bind(self, name: str, where: Qt.ShortcutContext, pressed: Sequence[QKeySequence]) -> None:
        action = self.actions.get((name, where))
        if action is None:
            if not pressed:
                return
            action = self.actions[name, where] = QAction(self)
            action.setShortcutContext(where)
            action.triggered.connect(lambda _checked=False: self._pressed(name))
            self._widget.addAction(action)
        action.setShortcuts(pressed)

    def _pressed(self, name: str) -> None:
        """Runs a command, unless it belongs to a pane and the focus is in a sheet floating above it."""
        at = None if self._scope == WINDOW else self._widget.window().focusWidget()
        while at is not None and at.property("role") != "floating":
            at = at.parentWidget()
        if at is None:
            self._registry.run(name)
