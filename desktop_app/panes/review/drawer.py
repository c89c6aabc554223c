"""The drawer below paper and form: stages, literature, runs, history, and export."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QStackedWidget, QTabBar, QWidget

from desktop_app.lookup import lookup_settings
from desktop_app.panes.review.adding import FILES, AddedPapers, AddPapers, add_papers, added_words
from desktop_app.panes.review.choices import PAGES, Page
from desktop_app.panes.review.export_view import ExportView
from desktop_app.panes.review.history_view import HistoryView
from desktop_app.panes.review.layout import column, line, surface
from desktop_app.panes.review.literature_view import LiteratureView
from desktop_app.panes.review.runs import ReviewRuns
from desktop_app.panes.review.runs_view import RunsView
from desktop_app.panes.review.session import ReviewSession
from desktop_app.panes.review.stages_view import StagesView
from desktop_app.theme import theme
from desktop_app.widgets.banner import Notice
from desktop_app.widgets.buttons import IconButton
from desktop_app.widgets.keys import KeepsKeys
from desktop_app.widgets.labels import hairline
from engine.papers.online import FoundOnline, SearchOnline, search_online

if TYPE_CHECKING:
    from engine.jobs import Task

LIBRARY = "library"
_PAGES: tuple[Page, ...] = tuple(PAGES)


class Drawer(QWidget):
    """Pages under tabs, hidden until opened."""

    field_wanted = Signal(str, int, int)
    """Go to these words of a field of the form."""
    field_grew = Signal(str)
    """Text was added to a field: show it, and leave the focus here."""
    notice = Signal(object)
    """A Notice for the banner."""
    closed = Signal()

    def __init__(self, session: ReviewSession, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._registry = registry = session.context.commands
        surface(self)
        self.setAccessibleName("Drawer")
        self.runs = ReviewRuns(session, self)
        self.stages = StagesView(self.runs, self)
        self.literature = LiteratureView(self.runs, self)
        self.kept = RunsView(self.runs, self)
        self.history = HistoryView(session, self)
        self.export = ExportView(self.runs, self)
        self.tabs = QTabBar(self)
        self.tabs.setAccessibleName("Pages of the drawer")
        self.tabs.setDrawBase(False)
        self.stack = QStackedWidget(self)
        for page, view in zip(
            _PAGES, (self.stages, self.literature, self.kept, self.history, self.export), strict=True
        ):
            self.tabs.addTab(PAGES[page][0])
            self.stack.addWidget(view)
        self.tabs.currentChanged.connect(self._page_changed)
        close = IconButton("x", "Close drawer", parent=self)
        close.clicked.connect(self.close_drawer)
        KeepsKeys(close)
        head = line(self.tabs, None, close, margins=(12, 2, 8, 2), spacing=0)
        column(hairline(parent=self), head, hairline(parent=self), self.stack, on=self).setStretch(3, 1)
        self.setMinimumHeight(theme().px(272))
        self.runs.inserted.connect(self.field_grew)
        self.export.place_wanted.connect(self.field_wanted)
        self.export.notice.connect(self.notice)
        registry.changed.connect(self._name_tabs)
        self.hide()

    def _name_tabs(self) -> None:
        for at, page in enumerate(_PAGES):
            key = self._registry.native_shortcut(f"review.show_{page}").split(" or ")[0]
            self.tabs.setTabText(at, f"{PAGES[page][0]}   {key}" if key else PAGES[page][0])

    @property
    def page(self) -> Page:
        """The current page."""
        return _PAGES[self.tabs.currentIndex()]

    def shows(self, page: Page) -> bool:
        """Whether a page is visible."""
        return self.isVisible() and self.page == page

    def toggle(self) -> None:
        """Opens or closes the drawer."""
        if self.isVisible():
            self.close_drawer()
        else:
            self.open_page(self.page)

    def close_drawer(self) -> None:
        self.hide()
        self.closed.emit()
        self._registry.state_changed.emit()

    def open_page(self, page: Page) -> None:
        """Shows and focuses a page; closes the drawer if that page has the focus."""
        shown = self.stack.currentWidget()
        if self.shows(page) and shown is not None and shown.isAncestorOf(self.focusWidget() or self):
            self.close_drawer()
            return
        self.show()
        self.tabs.setCurrentIndex(_PAGES.index(page))
        self._page_changed()
        lists: dict[Page, QWidget] = {
            "stages": self.stages.list if self.stages.rows else self.stages.table.table,
            "literature": self.literature.list, "runs": self.kept.list, "history": self.history.list,
            "export": self.export.list,
        }  # fmt: skip
        lists[page].setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _page_changed(self) -> None:
        self.stack.setCurrentIndex(self.tabs.currentIndex())
        if self.page == "export":
            self._session.about_to_act.emit()
        self.export.show_review()
        self._registry.state_changed.emit()

    @property
    def can_go(self) -> bool:
        """Whether the selected row has a place to show."""
        if self.shows("stages"):
            return self.stages.can_go
        return self.shows("export") and self.export.finding is not None

    def go(self) -> None:
        """Shows the place of the selected row."""
        if self.page == "stages":
            self.stages.go()
        else:
            self.export.go()

    def ask_for_papers(self, *, folder: bool) -> None:
        """Opens a dialog for files, or a folder, and adds their papers to the library."""
        files, state, bridge = self._session.context.files, self._session.state, self._session.context.bridge
        if folder:
            found = files.choose_folder(self, "Add folder of papers")
            paths = [found] if found is not None else []
        else:
            paths = files.open_files(self, "Add papers to library", FILES)
        if paths:
            params = AddPapers(tuple(str(path) for path in paths), folder)
            self._submit(add_papers(state.library, bridge.documents, params))

    def can_search(self) -> bool:
        """Whether a catalogue is enabled, and there are words to search for."""
        on = lookup_settings(self._session.context.settings).on
        return bool(on and self.literature.words_to_search) and self._session.state.can_write

    def search_catalogues(self) -> None:
        """Searches the enabled catalogues and adds what they find to the library."""
        settings = lookup_settings(self._session.context.settings)
        words = SearchOnline(self.literature.words_to_search)
        self._submit(search_online(self._session.state.library, settings, words))

    def _submit(self, task: Task[AddPapers, AddedPapers] | Task[SearchOnline, FoundOnline]) -> None:
        failed = partial(self._session.job_failed, key=LIBRARY)
        self._session.context.bridge.submit(task, self, on_done=self._added, on_error=failed)

    def _added(self, found: AddedPapers | FoundOnline) -> None:
        if isinstance(found, AddedPapers):
            words, warnings = added_words(found), found.warnings
        else:
            words, warnings = f"Found {len(found.paper_ids)} papers; {found.added} new in the library.", ()
        again = ("Run the stages again to search them.",) if found.added else ()
        self.notice.emit(Notice(LIBRARY, words, " ".join((*again, *warnings)), kind="note"))
