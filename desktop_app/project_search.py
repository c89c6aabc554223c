"""One field that finds papers, paragraphs, reviews, comments and templates of the whole project."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLineEdit, QWidget

from desktop_app.current_paper import CurrentPaper
from desktop_app.engine_bridge import EngineBridge
from desktop_app.pane_stack import PaneStack
from desktop_app.theme import theme
from desktop_app.widgets.labels import named
from desktop_app.widgets.search_results import SearchResults
from engine.operations.search_store import Found, search

REFRESH_MS = 2000
"""The index follows changes so long after the last one."""
PANE_OF = {"template": "rebuttal"}
"""Where results are shown; in Linking unless another pane is named."""


class ProjectSearch(QObject):
    """A field over the window with its results below; what is chosen is shown in its pane."""

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
        self._timer = QTimer(self, singleShot=True, interval=REFRESH_MS)
        self._timer.timeout.connect(self._index)
        bridge.changes.connect(lambda _changes: self._timer.start() if self.field.isVisible() else None)

    def open(self) -> None:
        """Shows the field, and brings the index up to date."""
        width = min(theme().px(560), self._over.width() - 48)
        self.field.setGeometry((self._over.width() - width) // 2, 56, width, theme().px(36))
        self._before = self._over.window().focusWidget()
        self.field.show()
        self.field.raise_()
        self.field.setFocus()
        self.field.selectAll()
        self._index()

    def leave(self) -> None:
        """Hides the field and its results; the keyboard goes back to where it was."""
        self.results.hide()
        self.field.hide()
        if self._before is not None and self._before.isVisible():
            self._before.setFocus()

    def _index(self) -> None:
        project = self._bridge.project
        if project is not None:
            from engine.operations.search_store import index_task

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
        pane_id = PANE_OF.get(found.kind, "linking")
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
