"""The panes of a window, built on demand, and the search of the whole project that leads to them."""

from collections.abc import Iterable, Sequence
from functools import partial

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLineEdit, QSplitter, QStackedWidget, QWidget

from desktop_app.commands import WINDOW, ActionBinder
from desktop_app.current_paper import CurrentPaper
from desktop_app.engine_bridge import EngineBridge
from desktop_app.panes import PANES, PARTICIPANT, PaneSpec
from desktop_app.panes.base import AppContext, Pane
from desktop_app.theme import theme
from desktop_app.timers import delayed
from desktop_app.widgets.keys import CommandKeys, DecimalKey, InSight, KeyBar
from desktop_app.widgets.labels import named
from desktop_app.widgets.search_results import SearchResults
from engine.lasting import lasting
from engine.operations.search_store import Found, index_task, search

STEP = 40
"""Pixels at normal text size by which a command moves a border."""


class PaneStack(QStackedWidget):
    """Shows one pane at a time and implements ``desktop_app.commands.Places``.

    Attributes:
        made: the panes built so far, by id.
        shown: the current pane; None before the first one is shown.
    """

    status_changed = Signal(str)
    """The id of a pane whose status text changed."""
    arranged = Signal()  # the user moved a border between parts of a pane

    def __init__(self, context: AppContext, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAccessibleName("Pane")
        self._context, self._window = context, parent
        CommandKeys(self)
        DecimalKey(self)
        InSight(self)
        self._listed: set[str] = set()
        self.made: dict[str, Pane] = {}
        self.shown: Pane | None = None

    def load(self, pane_id: str) -> Pane:
        """Returns the pane with this id, importing and building it at the first call."""
        if pane_id not in self.made:
            spec = next(spec for spec in (*PANES, PARTICIPANT) if spec.id == pane_id)
            with lasting():
                self._list((spec,))
                pane = spec.load()(self._context, self)
                self.made[pane_id] = pane
                self.addWidget(pane)
                ActionBinder(self._context.commands, pane, pane_id)
                self._keep_sizes(pane)
                pane.banner.show_if(False)
                pane.status_changed.connect(lambda _text: self.status_changed.emit(pane_id))
            pane.set_project(self._context.bridge.project)
        return self.made[pane_id]

    def _keep_sizes(self, pane: Pane) -> None:
        """Restores the sizes of a pane's parts from the last session and keeps track of changes."""
        for number, parts in enumerate(pane.findChildren(QSplitter)):
            name = f"{pane.pane_id}.sizes.{number}.{parts.count()}.{parts.orientation().name}"
            parts.restoreState(self._context.state.bytes(name))
            parts.setObjectName(name)
            parts.splitterMoved.connect(partial(self._moved, parts))

    def _moved(self, parts: QSplitter, _position: int = 0, _border: int = 0) -> None:
        self._context.state.set_bytes(parts.objectName(), parts.saveState())
        self.arranged.emit()

    def part_of(self, widget: QWidget | None) -> tuple[QSplitter, int, int] | None:
        """Returns the splitter, the index of the part that contains a widget, and the index of the neighbouring part:
        the next visible one, or the previous one for the last part. Returns None if there is no border."""
        while widget is not None and not isinstance(parts := widget.parentWidget(), QSplitter):
            widget = parts
        if widget is None or not isinstance(parts, QSplitter):
            return None
        shown = [at for at in range(parts.count()) if (one := parts.widget(at)) and one.isVisible()]
        if len(shown) < 2 or (own := parts.indexOf(widget)) not in shown:  # the focus widget may be hidden by now
            return None
        at = shown.index(own)
        return parts, own, shown[at + 1 if at + 1 < len(shown) else at - 1]

    def resize_part(self, widget: QWidget | None, by: int) -> None:
        """Enlarges (1) or shrinks (-1) the part that contains a widget, as an alternative to dragging its border."""
        if (found := self.part_of(widget)) is not None:
            parts, at, other = found
            sizes = parts.sizes()
            sizes[at] += by * theme().px(STEP)
            sizes[other] -= by * theme().px(STEP)
            parts.setSizes(sizes)
            self._moved(parts)

    def show_pane(self, pane_id: str) -> Pane:
        before, self.shown = self.shown, self.load(pane_id)
        theme().finish(self.shown)
        self.setCurrentWidget(self.shown)
        if before is not None and before is not self.shown:
            theme().rest(before)
        for pane in self.made.values():
            pane.banner.show_if(pane is self.shown)
        self._context.messages.cover_keys(keys=self.shown.findChild(KeyBar) is not None, foot=self.shown.foot_line)
        return self.shown

    def list_commands(self) -> None:
        self._list(PANES)

    def _list(self, specs: Iterable[PaneSpec]) -> None:
        new = [spec for spec in specs if spec.id not in self._listed]
        if new:
            self._listed.update(spec.id for spec in new)
            self._context.commands.register(command for spec in new for command in spec.commands())

    def built(self, scope: str) -> object | None:
        """Returns the pane with this id if it has been built, or the window."""
        return self._window if scope == WINDOW else self.made.get(scope)

    def build(self, scope: str) -> object:
        return self._window if scope == WINDOW else self.load(scope)

    def could(self, scope: str) -> bool:
        """Returns whether commands of an unbuilt pane may be available: most panes need an open project."""
        spec = next(spec for spec in (*PANES, PARTICIPANT) if spec.id == scope)
        return self._context.bridge.project is not None or not spec.needs_project


REFRESH_MS = 2000
"""Delay after the last change until the index is updated."""
PANE_OF = {"rebuttal_template": "rebuttal", "review_draft": "review"}
"""The pane that shows the results of a table; Linking for all others."""


class ProjectSearch(QObject):
    """A search field over the window with a list of results; choosing one shows it in its pane."""

    pane_wanted = Signal(str)

    def __init__(self, bridge: EngineBridge, papers: CurrentPaper, panes: PaneStack, over: QWidget) -> None:
        super().__init__(over)
        self._bridge, self._papers, self._panes, self._over = bridge, papers, panes, over
        self._before: QWidget | None = None
        self.field = named(QLineEdit(over), "Search the project")
        self.field.setProperty("role", "floating")
        self.field.setClearButtonEnabled(True)
        self.field.hide()
        self.results = SearchResults(self.field, self._search, over)
        self.results.chosen.connect(self._show)
        self.field.installEventFilter(self)
        self._timer = delayed(self, REFRESH_MS, self._index)
        bridge.changes.connect(lambda _changes: self._timer.start() if self.field.isVisible() else None)

    def open(self) -> None:
        """Shows the field and updates the index."""
        width = min(theme().px(560), self._over.width() - 48)
        self.field.setGeometry((self._over.width() - width) // 2, 56, width, theme().px(36))
        self._before = self._over.window().focusWidget()
        self.field.show()
        self.field.raise_()
        self.field.setFocus()
        self.field.selectAll()
        self._index()

    def leave(self) -> None:
        self.results.hide()
        self.field.hide()
        if self._before is not None and self._before.isVisible():
            self._before.setFocus()

    def _index(self) -> None:
        project = self._bridge.project
        if project is not None:
            self.field.setPlaceholderText("Indexing…")
            self._bridge.submit(index_task(project), self, on_done=self._indexed, on_cancelled=self._ready)

    def _indexed(self, _rows: int) -> None:
        self._ready()
        if self.field.isVisible() and self.field.text().strip():
            self.results.search()

    def _ready(self) -> None:
        self.field.setPlaceholderText("Search papers, reviews, comments and templates")

    def _search(self, query: str) -> Sequence[Found]:
        return search(self._bridge.project, query) if self._bridge.project is not None else ()

    def _show(self, found: Found) -> None:
        self.leave()
        if found.paper_id:
            self._papers.choose(found.paper_id)
        pane_id = PANE_OF.get(found.table, "linking")
        self.pane_wanted.emit(pane_id)
        self._panes.load(pane_id).show_found(found)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self.field:
            leaving = event.type() == QEvent.Type.FocusOut and not self.results.underMouse()
            pressed = event.key() if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress else 0
            if leaving and self.field.isVisible():
                self.results.hide()
                self.field.hide()
            elif pressed == Qt.Key.Key_Escape and not self.results.isVisible():
                self.leave()
                return True
        return super().eventFilter(watched, event)
