"""Every command once. Menus, palette, shortcuts, the key overview and tooltips are views of this registry.

A command belongs to the scope ``window`` (everywhere) or to a pane, by the pane's id (only while that pane is shown).
Two commands may share a key only if they can never be meant at the same time: that is, in different panes.
"""

from __future__ import annotations

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


def _always_offered(_command: Command) -> bool:
    return True


@dataclass(frozen=True, slots=True)
class Command:
    """One thing that a person can do, as data: no pane is built to list it.

    ``id`` is ``scope.verb`` in lower case; ``title`` and the sentence ``help`` are imperatives; ``shortcut`` is the
    default key in Qt's portable text (several separated by ``; ``), or empty. ``run``, ``when`` and ``title_now`` are
    called with the place that the command belongs to: its pane, or the window. ``title_now`` may say more while the
    program runs ("Undo Link comment to edit"). ``menu`` places it in the window's menu; ``words`` are further words by
    which the palette finds it.
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
    """Makes the commands of one pane: ``scope`` is its id, which begins each command's id, too.

    Called like a row of a table: verb, title, help, what it runs, key, when it can be done (``when`` of all where the
    row does not say), icon.
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
        """Going to the next and to the previous thing: ``step`` gets 1 or -1, ``verb`` is what the ids end in."""
        end = f"_{verb}" if verb else ""
        return (
            self(f"next{end}", f"Next {thing}", f"Go to the next {thing}.", given(step, 1), next_key, when),
            self(f"previous{end}", f"Previous {thing}", f"Go to the previous {thing}.", given(step, -1), previous_key,
                 when),
        )  # fmt: skip


def given(run: Callable[[P, A], R], value: A) -> Callable[[P], R]:
    """What a command runs for one value of several."""
    return lambda place: run(place, value)


class Places(Protocol):
    """Where commands run: the window, and its panes, which are built when they are needed."""

    def built(self, scope: str) -> object | None:
        """The pane of this id, or the window; None while the pane has not been built."""

    def build(self, scope: str) -> object:
        """The pane of this id, built if it has to be, or the window."""

    def could(self, scope: str) -> bool:
        """Whether a pane that has not been built may have something to do."""


class Nowhere:
    """The places of a registry without a window."""

    def built(self, _scope: str) -> object:
        return self

    build = built

    def could(self, _scope: str) -> bool:
        return True


class ShortcutConflict(ValueError):
    """A key is taken already; ``rival`` is the command that has it."""

    def __init__(self, shortcut: str, rival: Command) -> None:
        self.rival = rival
        super().__init__(f"{native(shortcut)} is already assigned to “{rival.title}”.")


_CHORDS = frozenset({"Ctrl", "Alt", "Meta"})
"""Keys that are pressed with one of these type nothing."""


@cache
def keys(shortcut: str) -> tuple[QKeySequence, ...]:
    return tuple(sequence for sequence in QKeySequence.listFromString(shortcut) if not sequence.isEmpty())


@cache
def native(shortcut: str) -> str:
    """A shortcut as the person's system writes it, alternatives separated by `` or ``."""
    return " or ".join(s.toString(QKeySequence.SequenceFormat.NativeText) for s in keys(shortcut))


@cache
def _first(shortcut: str) -> frozenset[str]:
    return frozenset(sequence.toString().partition(", ")[0] for sequence in keys(shortcut))


def _clash(one: str, other: str) -> bool:
    if _first(one).isdisjoint(_first(other)):  # most do, and this is quick
        return False
    return any(a.matches(b) != QKeySequence.SequenceMatch.NoMatch for a in keys(one) for b in keys(other))


class CommandRegistry(QObject):
    """All commands of a running window, and the keys in force."""

    changed = Signal()
    """Commands came or went, or a key was remapped."""
    state_changed = Signal()
    """Titles or availability may have changed; views read them again."""
    ran = Signal(str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.places: Places = Nowhere()
        self._commands: dict[str, Command] = {}
        self._overrides: dict[str, str] = {}
        self._offered: Callable[[Command], bool] = _always_offered

    def restrict(self, offered: Callable[[Command], bool] | None) -> None:
        """Offers only some commands from now on (None: all): the others neither run nor are listed anywhere."""
        self._offered = offered or _always_offered
        self.changed.emit()
        self.state_changed.emit()

    def register(self, commands: Iterable[Command]) -> None:
        """Adds commands. Raises ValueError for an id that is taken or a record without title or help, and
        ShortcutConflict for a default key that another command has in the same place."""
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
        """Adds a command to those that begin with the same keys; no others can clash."""
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
        """Whether a command can run now. Of a pane that has not been built only what every pane needs is known."""
        command = self._commands[name]
        place = self.places.built(command.scope)
        return self.places.could(command.scope) if place is None else bool(command.when(place))

    def text(self, name: str) -> str:
        command = self._commands[name]
        place = self.places.built(command.scope) if command.title_now else None
        return command.title if command.title_now is None or place is None else command.title_now(place)

    def run(self, name: str) -> bool:
        """Runs a command if it is enabled, building its pane first; says whether it ran."""
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
        """The key in force, in portable text; empty where there is none."""
        default = self._commands[name].shortcut if name in self._commands else ""
        return self._overrides.get(name, default)

    def native_shortcut(self, name: str) -> str:
        return native(self.shortcut(name))

    def tooltip(self, name: str) -> str:
        command, key = self._commands[name], self.native_shortcut(name)
        return f"{visible_line(self.text(name))}{f' ({key})' if key else ''}\n{command.help}"

    def rival(self, name: str, shortcut: str) -> Command | None:
        """The command that has this key where ``name`` would use it, or None."""
        return self._rival(name, shortcut, self._commands[name].scope, self._commands.values())

    def _rival(self, name: str, shortcut: str, scope: str, others: Iterable[Command]) -> Command | None:
        for other in others if shortcut else ():
            if (scope == other.scope or WINDOW in {scope, other.scope}) and other.id != name:
                taken = self._overrides.get(other.id, other.shortcut)
                if taken and _clash(shortcut, taken):
                    return other
        return None

    def remap(self, name: str, shortcut: str | None) -> None:
        """Gives a command another key (empty: none; None: its default). Raises ShortcutConflict if it is taken."""
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
        """Takes remapped keys from the settings; those of commands that are not known (yet) are kept."""
        self._overrides = dict(overrides)
        self.changed.emit()


class ActionBinder(QObject):
    """Makes QActions of a scope's commands on a widget, so that their keys work there. Nothing shows them, so they have
    no texts, and availability is asked when a command runs."""

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
            # Letters work where the pane has the keyboard; Ctrl+E and Alt+W do while one searches in the header, too.
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
        """Runs a command, unless it would act in a pane below the sheet that has the keyboard."""
        at = None if self._scope == WINDOW else self._widget.window().focusWidget()
        while at is not None and at.property("role") != "floating":
            at = at.parentWidget()
        if at is None:
            self._registry.run(name)
