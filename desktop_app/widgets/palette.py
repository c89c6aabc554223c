"""The command palette: finds every command by a few letters of its name."""

from collections.abc import Mapping
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QObject, QRect, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QFontMetrics, QKeyEvent, QPainter
from PySide6.QtWidgets import QLineEdit, QWidget

from desktop_app.commands import WINDOW, Command, CommandRegistry
from desktop_app.theme import theme
from desktop_app.widgets.entry_list import ROW_HEIGHT, FoundList, paint_lines
from desktop_app.widgets.floating import FloatingSheet
from desktop_app.widgets.labels import named
from desktop_app.widgets.layouts import column
from desktop_app.widgets.record_list import ROW, draw_text
from engine.text_search import folded

FUZZY_ENOUGH = 70.0
REMOVING = frozenset({"Clear", "Delete", "Erase", "Remove", "Reset", "Revert"})
"""First words of commands that remove something: Enter must not run one that the user didn't ask for."""


def score(query: str, title: str, more: str = "", synonyms: str = "") -> float:
    """Scores how well a query matches a title, from 0 (not at all) to 200.

    In descending order: prefix of the title, prefix of a word, one of the ``synonyms``, initials, substring, all words
    of the query are prefixes of words in the title or ``synonyms``, letters in order, similar to the title (a typo),
    substring of ``more``.
    """
    query, lower = folded(query).strip(), folded(title)
    if not query:
        return 1.0
    if lower.startswith(query):
        return 200.0 - len(lower) / 100
    words = lower.replace("-", " ").split()
    if any(word.startswith(query) for word in words):
        return 180.0 - len(lower) / 100
    if query in synonyms.split():
        return 175.0
    if "".join(word[0] for word in words).startswith(query.replace(" ", "")) and len(query) > 1:
        return 170.0
    if query in lower:
        return 160.0 - len(lower) / 100
    known = (*words, *synonyms.split())
    if len(query) > 2 and all(any(word.startswith(part) for word in known) for part in query.split()):
        return 150.0
    if len(query) > 1 and _in_order(query.replace(" ", ""), lower):
        return 110.0 - len(lower) / 10
    from rapidfuzz import fuzz

    ratio = max((fuzz.ratio(query, word) for word in words), default=0.0)
    ratio = max(ratio, fuzz.ratio(query, lower))
    if ratio >= FUZZY_ENOUGH:
        return ratio
    return 20.0 if len(query) > 2 and query in folded(more) else 0.0


def _in_order(letters: str, text: str) -> bool:
    rest = iter(text)
    return all(letter in rest for letter in letters)


@dataclass(frozen=True, slots=True)
class Offered:
    """A command as it is listed."""

    id: str
    title: str
    detail: str
    key: str
    enabled: bool


def _paint(painter: QPainter, rect: QRect, one: Offered, _selected: bool) -> None:
    """Paints the title above the detail, with the key on the right."""
    t, box = theme(), rect.adjusted(12, 6, -12, -6)
    small = t.font("small", tabular=True)
    draw_text(painter, box, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignTop, one.key, small, t.tokens.muted)
    room = QFontMetrics(small).horizontalAdvance(one.key) + 16 if one.key else 0
    ink = "ink" if one.enabled else "muted"
    paint_lines(painter, box, (one.title, one.detail), Qt.TextElideMode.ElideRight, ink=ink, room=room)


class Palette(FloatingSheet):
    """A floating list over the window. Typing filters, Enter runs, Escape closes."""

    chosen = Signal(str)
    """A command's id."""

    def __init__(self, registry: CommandRegistry, panes: Mapping[str, str], parent: QWidget) -> None:
        """``panes`` maps scopes of commands to the titles of their panes."""
        super().__init__("Command palette", parent)
        self._registry, self._panes, self._scope = registry, panes, ""
        self.setAutoFillBackground(True)
        self.field = named(QLineEdit(self), "Search commands", hint="What do you want to do?")
        self.field.textChanged.connect(self._narrow)
        self.field.installEventFilter(self)
        self.list = FoundList(
            "Commands",
            _paint,
            lambda _one: theme().px(ROW_HEIGHT),
            lambda one: f"{one.title}. {one.detail}",
            parent=self,
        )
        self.list.setUniformItemSizes(True)
        self.list.set_message("No results")
        self.list.clicked.connect(lambda index: self._run(index.data(ROW)))
        column(self.field, (self.list, 1), margins=(8, 8, 8, 8), spacing=8, of=self)

    def open(self, scope: str = "") -> None:
        """Shows the empty palette over its parent. ``scope`` is that of the current pane, whose commands come first
        among equal matches."""
        self._scope = scope
        with QSignalBlocker(self.field):
            self.field.clear()
        self._narrow("")
        self.enter()
        self.field.setFocus()

    def place(self) -> None:
        parent = self._over
        width = min(theme().px(620), parent.width() - 48)
        height = min(theme().px(440), parent.height() - 96)
        self.setGeometry((parent.width() - width) // 2, 56, width, height)

    def titles(self) -> list[str]:
        return [one.title for one in self.list.records]

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self.field and isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            if self.list.take_key(event):
                return True
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                if self.list.current is not None:
                    self._run(self.list.current)
                return True
        elif watched is self.field and event.type() == QEvent.Type.FocusOut and not self.list.underMouse():
            self.leave()
        return super().eventFilter(watched, event)

    def _narrow(self, text: str) -> None:
        found: list[tuple[int, bool, int, float, int, Command, str, bool]] = []
        for number, command in enumerate(self._registry):
            title, enabled = self._registry.text(command.id), self._registry.enabled(command.id)
            fit = score(text, title, f"{command.help} {command.words}", command.words)
            if fit > 0:
                # Available commands come first; among equal matches those that remove nothing, then the pane's own,
                # then the window's.
                far = 0 if command.scope == self._scope else 1 if command.scope == WINDOW else 2
                away = -fit if enabled else 1000 - fit
                removing = title.partition(" ")[0] in REMOVING
                found.append((round(away), removing, far, away, number, command, title, enabled))
        shown = []
        for _, _, far, _, _, command, title, enabled in sorted(found, key=lambda entry: entry[:5]):
            said = f"{self._panes.get(command.scope, '')} · {command.help}" if far == 2 else command.help
            said = said if enabled else f"Unavailable now. {said}"
            shown.append(Offered(command.id, title, said, self._registry.native_shortcut(command.id), enabled))
        self.list.show_records(shown, 0)

    def _run(self, one: Offered) -> None:
        if one.enabled:
            self.leave()
            self.chosen.emit(one.id)
