"""The drawer below paper and form: stages, literature, runs, history, export. Pages are created when first shown."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QWidget

from desktop_app.lookup import lookup_settings
from desktop_app.panes.review.choices import PAGES, Page
from desktop_app.panes.review.layout import buttons, halves, reader
from desktop_app.panes.review.runs import ReviewRuns
from desktop_app.panes.review.session import ReviewSession
from desktop_app.theme import theme
from desktop_app.widgets.buttons import IconButton
from desktop_app.widgets.entry_list import TwoLineList, TwoLines
from desktop_app.widgets.fields import UndoLineEdit
from desktop_app.widgets.labels import hairline, named, text_label
from desktop_app.widgets.layouts import column, command_button, row, stacked, surface, tabs
from engine.documents.service import DocumentService
from engine.jobs import DuplicatePolicy, Lane, Report, task
from engine.papers.store import LibraryStore
from engine.review_drafting.records import LiteratureReport, RelatedWork
from engine.review_drafting.related import mention
from engine.review_drafting.related import named as cited_as
from engine.shown import counted

if TYPE_CHECKING:
    from desktop_app.panes.review.export_view import ExportView
    from desktop_app.panes.review.runs_view import HistoryView, RunsView
    from desktop_app.panes.review.stages_view import StagesView
    from engine.papers.online import FoundOnline


class LiteratureView(QWidget):
    """Papers by rank on the left, the selected one on the right."""

    def __init__(self, runs: ReviewRuns, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._runs = runs
        self._registry = registry = runs.session.context.commands
        self._shown: LiteratureReport | None = None
        self.note = text_label("", "muted", wrap=True, parent=self)
        self.list = TwoLineList("Papers found, closest first", _row, self)
        self.list.chosen.connect(self._show_work)
        self.list.activated_row.connect(lambda _index: self.insert())
        self.words = reader("This paper: summary, methods, findings, relation", self)
        tip = "Only these words leave this computer when you search catalogues"
        hint = "Search words, such as: review letters; neural parsers"
        self.phrases = named(UndoLineEdit(self), "Search words for catalogues", tip, hint)
        self.phrases.textChanged.connect(lambda _text: registry.state_changed.emit())
        search = command_button(registry, "review.search_catalogues", "Search catalogues", self)
        surface(self, "Literature")
        add = buttons(registry, self, add_papers="Add papers…", add_paper_folder="Add folder…")
        ask = buttons(registry, self, insert_work="Ask about it")
        left, right = (self.note, (self.list, 1), add), ((self.words, 1), ask, row(self.phrases, search))
        halves(self, left, right, (500, 500))
        runs.changed.connect(self.show_runs)
        runs.progressed.connect(self.show_runs)
        self.show_runs()

    @property
    def work(self) -> RelatedWork | None:
        found: RelatedWork | None = self.list.current
        return found

    @property
    def words_to_search(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(words.strip() for words in self.phrases.text().split(";") if words.strip()))

    def insert(self) -> None:
        if self.work is not None and self._runs.state.can_write:
            self._runs.insert("questions", mention(self.work))

    def show_runs(self) -> None:
        made = self._runs.stage("literature")
        report = made.output if made is not None and isinstance(made.output, LiteratureReport) else None
        if report == self._shown and report is not None:
            return
        if report is not None and not self.phrases.isModified():
            self.phrases.setText("; ".join(report.keyphrases))
            self.phrases.setCursorPosition(0)
        self._shown = report
        self.list.show_rows(report.found if report is not None else ())
        working = "literature" in (self._runs.under_way or ()) and report is None
        self.list.set_skeleton(4 if working else 0)
        self.note.setVisible(report is not None)
        message = "The Literature Searcher hasn't run on this paper yet."
        if report is not None:
            papers = counted(report.searched, "paper")
            self.note.setText(f"Searched {papers} in the library for {', '.join(report.keyphrases) or 'nothing'}.")
            message = "No close papers found." if report.searched else "The library is empty. Add papers and run again."
        self.list.set_message(message)
        self._show_work()

    def _show_work(self) -> None:
        work = self.work
        if work is None:
            self.words.clear()
        else:
            facts = [", ".join(work.authors), str(work.year or ""), f"score {work.score:.3f}"]
            parts = (
                ("Summary", work.summary), ("Main methods", work.main_methods), ("Key findings", work.key_findings),
                ("Relation", work.relation), ("Suggested question", mention(work)),
            )  # fmt: skip
            body = "\n\n".join(f"{title}: {text}" for title, text in parts if text)
            self.words.setPlainText(f"{work.title}\n{' · '.join(f for f in facts if f)}\n\n{body}")
        self._registry.state_changed.emit()


def _row(work: RelatedWork) -> TwoLines:
    icon, cited = ("check", "cited") if work.cited else ("plus-circle", "not cited")
    return TwoLines(icon, cited_as(work), f"{cited} · {work.relation}", tip=work.title)


V = TypeVar("V", bound=QWidget)
LIBRARY = "library"
_FILES = "Papers and lists (*.pdf *.bib *.bibtex *.ris *.json *.csv *.tsv)"
_PAGES: tuple[Page, ...] = tuple(PAGES)


@dataclass(frozen=True, slots=True)
class AddedPapers:
    """Number of papers read, number of those new in the library, and warnings about what couldn't be read."""

    read: int
    added: int
    warnings: tuple[str, ...]


@task("review.add_papers", "Add papers to library", DuplicatePolicy.AFTER, lane=Lane.LONG)
def _add_papers(
    report: Report, library: LibraryStore, service: DocumentService, paths: tuple[Path, ...], folder: bool
) -> AddedPapers:
    """Reads papers and adds them to the library in one undo step."""
    from engine.exchange.paper_folder import read_paper_files, read_paper_folder

    part = report.part(0.0, 0.9)
    if folder:
        found = read_paper_folder(paths[0], lambda: service, report=part)
    else:
        found = read_paper_files(paths, lambda: service, report=part)
    before = len(library.papers())
    library.add_all(found.papers, origin=f"import:{paths[0].name}", texts=dict(found.texts))
    return AddedPapers(len(found.papers), len(library.papers()) - before, found.warnings)


class Drawer(QWidget):
    """Pages under tabs; hidden until opened."""

    field_wanted = Signal(str, int, int)
    """Field of the form, and start and end of the words to show."""
    closed = Signal()

    def __init__(self, session: ReviewSession, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._registry = registry = session.context.commands
        surface(self, "Tools")
        self._shown: Page | None = None
        self.runs = ReviewRuns(session, self)
        self.tabs = tabs("Tools", [PAGES[page][0] for page in _PAGES], self)
        self.stack = stacked(self)
        self.tabs.currentChanged.connect(self._page_changed)
        close = IconButton("x", "Hide tools", parent=self)
        close.clicked.connect(self.close_drawer)
        head = row(self.tabs, None, close, margins=(12, 2, 8, 2), spacing=0)
        column(hairline(parent=self), head, hairline(parent=self), (self.stack, 1), of=self)
        self.setMinimumHeight(theme().px(224))
        registry.changed.connect(self._name_tabs)
        self._name_tabs()
        self.hide()

    def _made(self, view: V) -> V:
        self.stack.addWidget(view)
        return view

    @cached_property
    def stages(self) -> StagesView:
        from desktop_app.panes.review.stages_view import StagesView

        return self._made(StagesView(self.runs, self))

    @cached_property
    def literature(self) -> LiteratureView:
        return self._made(LiteratureView(self.runs, self))

    @cached_property
    def kept(self) -> RunsView:
        from desktop_app.panes.review.runs_view import RunsView

        return self._made(RunsView(self.runs, self))

    @cached_property
    def history(self) -> HistoryView:
        from desktop_app.panes.review.runs_view import HistoryView

        return self._made(HistoryView(self._session, self))

    @cached_property
    def export(self) -> ExportView:
        from desktop_app.panes.review.export_view import ExportView

        view = self._made(ExportView(self.runs, self))
        view.place_wanted.connect(self.field_wanted)
        return view

    def _name_tabs(self) -> None:
        for at, page in enumerate(_PAGES):
            key = self._registry.native_shortcut(f"review.show_{page}").split(" or ")[0]
            self.tabs.setTabText(at, f"{PAGES[page][0]}   {key}" if key else PAGES[page][0])

    @property
    def page(self) -> Page:
        return _PAGES[self.tabs.currentIndex()]

    def shows(self, page: Page) -> bool:
        return self.isVisible() and self._shown == page

    def toggle(self) -> None:
        if self.isVisible():
            self.close_drawer()
        else:
            self.open_page(self.page)

    def close_drawer(self) -> None:
        self.hide()
        self.closed.emit()
        self._registry.state_changed.emit()

    def draft(self) -> None:
        if not self.shows("stages"):
            self.open_page("stages")
        self.runs.start()

    def open_page(self, page: Page) -> None:
        """Shows and focuses a page; closes the drawer if that page has the focus."""
        shown = self.stack.currentWidget()
        if self.shows(page) and shown is not None and shown.isAncestorOf(self.focusWidget() or self):
            self.close_drawer()
            return
        self.show()
        self.tabs.setCurrentIndex(_PAGES.index(page))
        self._page_changed()
        empty = page == "stages" and not self.stages.rows
        (self.stages.table.table if empty else self._view.list).setFocus(Qt.FocusReason.ShortcutFocusReason)

    @property
    def _view(self) -> StagesView | LiteratureView | RunsView | HistoryView | ExportView:
        match self.page:
            case "stages":
                return self.stages
            case "literature":
                return self.literature
            case "runs":
                return self.kept
            case "history":
                return self.history
            case "export":
                return self.export

    def _page_changed(self) -> None:
        self.stack.setCurrentWidget(self._view)
        self._shown = self.page  # from now on, commands of this page are available
        if self.page == "export":
            self._session.tools.finish()
            self.export.show_review()
        self._registry.state_changed.emit()

    @property
    def can_go(self) -> bool:
        if self.shows("stages"):
            return self.stages.can_go
        return self.shows("export") and self.export.finding is not None

    def go(self) -> None:
        if self.page == "stages":
            self.stages.go()
        else:
            self.export.go()

    def ask_for_papers(self, *, folder: bool) -> None:
        files, state, bridge = self._session.context.files, self._session.state, self._session.context.bridge
        if folder:
            found = files.choose_folder(self, "Add folder of papers")
            paths = [found] if found is not None else []
        else:
            paths = files.open_files(self, "Add papers to library", _FILES)
        if paths:
            self._session.tools.submit(
                _add_papers(state.library, bridge.documents, tuple(paths), folder), self._added, LIBRARY
            )

    def can_search(self) -> bool:
        """Whether a catalogue is enabled, and there are words to search for."""
        words = self.literature.words_to_search if "literature" in self.__dict__ else ()
        on = lookup_settings(self._session.context.settings).on
        return bool(on and words) and self._session.state.can_write

    def search_catalogues(self) -> None:
        from engine.papers.online import search_online

        settings = lookup_settings(self._session.context.settings)
        words = self.literature.words_to_search
        self._session.tools.submit(search_online(self._session.state.library, settings, words), self._added, LIBRARY)

    def _added(self, found: AddedPapers | FoundOnline) -> None:
        if isinstance(found, AddedPapers):
            words, warnings = f"Read {counted(found.read, 'paper')}", found.warnings
        else:
            words = f"Found {counted(len(found.paper_ids), 'paper')}"
            again = counted(len(found.known), "search was", "searches were")
            warnings = (f"{again} made before and not sent again.",) * bool(found.known)
        words += f"; added {found.added:,} to the library."
        more = ("They'll be searched the next time you draft a review.",) if found.added else ()
        self._session.tools.notify(LIBRARY, words, " ".join((*more, *warnings)))
