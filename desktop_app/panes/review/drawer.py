"""The drawer below paper and form: stages, literature, runs, history, and leaving."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, get_args

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QTabBar, QVBoxLayout, QWidget

from desktop_app.lookup import lookup_settings
from desktop_app.panes.review.desk import ReviewDesk
from desktop_app.panes.review.history_view import HistoryView
from desktop_app.panes.review.leaving import Letting
from desktop_app.panes.review.leaving_view import LeavingView
from desktop_app.panes.review.library import FILES, AddedPapers, AddPapers, add_papers, told
from desktop_app.panes.review.literature_view import LiteratureView
from desktop_app.panes.review.runs import ReviewRuns
from desktop_app.panes.review.runs_view import RunsView
from desktop_app.panes.review.stages_view import StagesView
from desktop_app.theme import theme
from desktop_app.widgets.banner import Notice
from desktop_app.widgets.buttons import IconButton
from desktop_app.widgets.keys import KeepsKeys
from desktop_app.widgets.labels import hairline
from engine.exchange.review_leaving import INFO
from engine.papers.online import FoundOnline, SearchOnline, search_online
from engine.papers.store import LibraryStore

if TYPE_CHECKING:
    from engine.jobs import Failure

LIBRARY = "library"
Page = Literal["stages", "literature", "runs", "history", "leaving"]
PAGES: tuple[Page, ...] = get_args(Page)
_TITLES: dict[Page, str] = {
    "stages": "Stages", "literature": "Literature", "runs": "Runs", "history": "History", "leaving": "Leaving",
}  # fmt: skip


class Drawer(QWidget):
    """Pages under tabs; hidden until it is wanted. It acts on the desk, and asks the pane only to show a field."""

    acting = Signal()
    """Fields are about to be read or written: what is being typed belongs into the project first."""
    field_wanted = Signal(str, int, int)
    """A field of the form, and what of it is to be shown; (0, 0) for the field as a whole."""
    notice = Signal(object)
    """A Notice for the banner."""
    closed = Signal()

    def __init__(self, desk: ReviewDesk, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.desk = desk
        self.setProperty("role", "surface")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setAccessibleName("Drawer")
        self.runs = ReviewRuns(desk, self)
        self.stages = StagesView(self.runs, self)
        self.literature = LiteratureView(self.runs, self)
        self.kept = RunsView(self.runs, self)
        self.history = HistoryView(self.runs, self)
        self.leaving = LeavingView(desk, self)
        self.letting = Letting(self.runs, self.leaving, self)
        self.tabs = QTabBar(self)
        self.tabs.setAccessibleName("Pages of the drawer")
        self.tabs.setDrawBase(False)
        self.stack = QStackedWidget(self)
        registry = desk.context.commands
        for page, widget in zip(
            PAGES, (self.stages, self.literature, self.kept, self.history, self.leaving), strict=True
        ):
            self.tabs.addTab(_TITLES[page])
            self.stack.addWidget(widget)
        self.tabs.currentChanged.connect(self._page_changed)
        close = IconButton("x", "Close the drawer", parent=self)
        close.clicked.connect(self.close_drawer)
        KeepsKeys(close)
        head = QHBoxLayout()
        head.setContentsMargins(12, 2, 8, 2)
        head.addWidget(self.tabs)
        head.addStretch(1)
        head.addWidget(close)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(hairline(parent=self))
        layout.addLayout(head)
        layout.addWidget(hairline(parent=self))
        layout.addWidget(self.stack, 1)
        self.setMinimumHeight(theme().px(272))
        self.runs.acting.connect(self.acting)
        self.runs.inserted.connect(lambda field: self.field_wanted.emit(field, 0, 0))
        self.leaving.place_wanted.connect(self.field_wanted)
        self.letting.notice.connect(self.notice)
        registry.changed.connect(self._name_tabs)
        self.hide()

    def _name_tabs(self) -> None:
        registry = self.desk.context.commands
        for at, page in enumerate(PAGES):
            key = registry.native_shortcut(f"review.show_{page}").split(" or ")[0]
            self.tabs.setTabText(at, f"{_TITLES[page]}   {key}" if key else _TITLES[page])

    # --- pages ----------------------------------------------------------------------------------------------------

    @property
    def page(self) -> Page:
        """The page that is shown."""
        return PAGES[self.tabs.currentIndex()]

    def shows(self, page: Page) -> bool:
        """Whether a page can be seen."""
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
        self.desk.context.commands.state_changed.emit()

    def open_page(self, page: Page) -> None:
        """Shows a page, with the keyboard in it; of the page that has the keyboard it closes the drawer."""
        shown = self.stack.currentWidget()
        if self.shows(page) and shown is not None and shown.isAncestorOf(self.focusWidget() or self):
            self.close_drawer()
            return
        self.show()
        self.tabs.setCurrentIndex(PAGES.index(page))
        self._page_changed()
        self.take_focus()

    def take_focus(self) -> None:
        """The keyboard goes to the list of the page."""
        lists: dict[Page, QWidget] = {
            "stages": self.stages.table.table if not self.stages.rows else self.stages.list,
            "literature": self.literature.list, "runs": self.kept.list, "history": self.history.list,
            "leaving": self.leaving.list,
        }  # fmt: skip
        lists[self.page].setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _page_changed(self) -> None:
        self.stack.setCurrentIndex(self.tabs.currentIndex())
        if self.page == "leaving":
            self.acting.emit()
        self.letting.show()
        self.desk.context.commands.state_changed.emit()

    @property
    def can_go(self) -> bool:
        """Whether the row at hand has a place that can be shown."""
        if self.shows("stages"):
            return self.stages.can_go
        return self.shows("leaving") and self.leaving.finding is not None

    def go(self) -> None:
        """Shows the place of the row at hand."""
        if self.page == "stages":
            self.stages.go()
        else:
            self.leaving.go()

    # --- acts that ask ---------------------------------------------------------------------------------------------

    def ask_where_to_write(self) -> None:
        """Asks where the chosen form is to be written, and has it written."""
        form = self.leaving.form_at_hand
        path = self.desk.context.files.save_file(self, "Export the review", "review", INFO[form].ending)
        if path is not None:
            self.letting.write_to(form, path)

    def ask_for_papers(self, *, folder: bool) -> None:
        """Asks for files, or a folder, whose papers the library is to hold."""
        files = self.desk.context.files
        if folder:
            found = files.choose_folder(self, "Add a folder of papers")
            paths = [found] if found is not None else []
        else:
            paths = files.open_files(self, "Add papers to the library", FILES)
        if paths:
            self.add_papers(AddPapers(tuple(str(path) for path in paths), folder))

    def add_papers(self, params: AddPapers) -> None:
        """Has papers read and added to the library."""
        project, bridge = self.desk.project, self.desk.context.bridge
        assert project is not None
        task = add_papers(LibraryStore(project), bridge.documents, params)
        bridge.submit(task, self, on_done=self._papers_added, on_error=self._failed)

    def _papers_added(self, found: AddedPapers) -> None:
        more = "Run the stages again to search them. " if found.added else ""
        self.notice.emit(Notice(LIBRARY, told(found), more + " ".join(found.warnings), kind="note"))

    def can_search(self) -> bool:
        """Whether a catalogue may be asked, and there are words to ask it for."""
        on = lookup_settings(self.desk.context.settings).on
        return bool(on and self.literature.words_to_search) and self.desk.can_write

    def search_catalogues(self) -> None:
        """Asks the catalogues that are switched on for the words in the line; what they know goes into the library."""
        project, context = self.desk.project, self.desk.context
        assert project is not None
        settings = lookup_settings(context.settings)
        task = search_online(LibraryStore(project), settings, SearchOnline(self.literature.words_to_search))
        context.bridge.submit(task, self, on_done=self._found_online, on_error=self._failed)

    def _found_online(self, found: FoundOnline) -> None:
        again = " Run the stages again to search them." if found.added else ""
        words = f"{len(found.paper_ids)} papers were found, {found.added} of them new in the library."
        self.notice.emit(Notice(LIBRARY, words, again.strip(), kind="note"))

    def _failed(self, failure: Failure) -> None:
        if failure.problem is None:
            self.desk.fault.emit(failure)
        else:
            self.desk.failed.emit(failure.problem, LIBRARY)
