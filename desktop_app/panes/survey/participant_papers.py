"""Papers of a participant: entered, found in files, looked up, corrected, kept, removed; on either of their pages."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices, QDragEnterEvent, QDropEvent

from desktop_app.lookup import lookup_settings
from desktop_app.panes.base import Pane
from desktop_app.panes.survey.paper_dialog import PaperDialog
from desktop_app.panes.survey.reading import AddList, ListAdded, add_list, read_paper
from desktop_app.panes.survey.state import SurveyState, address, heading
from desktop_app.project_control import STUDY_SUFFIX, SUFFIX
from desktop_app.widgets.banner import Notice
from engine.errors import EnvironmentProblem

if TYPE_CHECKING:
    from desktop_app.panes.survey.profile_page import ProfilePage
    from desktop_app.panes.survey.ratings_page import RatingsPage
    from engine.expertise.records import ProfileRow
    from engine.expertise.store import SurveyStore
    from engine.jobs import Failure
    from engine.papers.library import Library
    from engine.papers.records import LibraryPaper

ACT, FILE = "act", "file"
CATALOGUES = ("arxiv", "crossref")
"""Who is asked where a participant wishes for it."""
CONSENT, PROFILE, RATINGS, RELEASE = range(4)
PAPER_FILES = "Papers (*.pdf *.bib *.ris *.json *.csv *.txt);;All files (*)"


class ParticipantPapers(Pane):
    """The part of the pane that deals with papers: those to rate on their page, the own ones on theirs."""

    store: SurveyStore | None
    state: SurveyState | None
    step: int
    profile: ProfilePage
    ratings: RatingsPage
    _index: Library | None
    _reading: int
    go_to: Callable[[int], None]
    _show_step: Callable[[], None]

    def can_write(self) -> bool:
        return self.state is not None and self.project is not None and not self.project.read_only

    def can_add(self) -> bool:
        return self.can_write() and self.step in (PROFILE, RATINGS)

    def has_publication(self) -> bool:
        return self.can_write() and self.step == PROFILE and self.profile.list.at_hand is not None

    def has_paper(self) -> bool:
        return self.paper_at_hand() is not None and self.can_write()

    def has_link(self) -> bool:
        paper = self.paper_at_hand()
        return paper is not None and bool(address(paper))

    def paper_at_hand(self) -> LibraryPaper | None:
        """The paper that commands mean on this page; None where there is none."""
        if self.state is None:
            return None
        if self.step == RATINGS:
            return next((row.paper for row in self.state.rows if row.id == self.ratings.at_hand), None)
        at_hand = self.profile.list.at_hand
        return at_hand.paper if self.step == PROFILE and at_hand is not None else None

    def _write(self, verb: Callable[[SurveyStore, str], object]) -> bool:
        """Does an act; trouble goes to the banner, and the page shows again what is in the file."""
        store, state = self.store, self.state
        if store is None or state is None:
            return False
        try:
            verb(store, state.participant.id)
        except EnvironmentProblem as problem:
            self.show_problem(problem, ACT)
            self.mark_dirty()
            return False
        self.banner.dismiss(ACT)
        return True

    def _library(self) -> Library:
        assert self.store is not None
        if self._index is None:
            self._index = self.store.library.index()
        return self._index

    def start_entry(self) -> None:
        """The cursor into the field for papers of this page."""
        if self.step not in (PROFILE, RATINGS):
            self.go_to(RATINGS)
        (self.profile.entry if self.step == PROFILE else self.ratings.entry).setFocus()

    def enter(self, text: str) -> None:
        """A paper as it was typed or pasted: a link, an identifier, a title, or BibTeX with one paper or many."""
        from engine.exchange.publications import recognise_paper

        try:
            entry = recognise_paper(text)
        except EnvironmentProblem as problem:
            self.show_problem(problem, ACT)
            return
        papers = [paper for paper in (entry.paper, *entry.further) if heading(paper) != "Paper"]
        found = [match.paper if (match := self._library().find(paper)) is not None else paper for paper in papers]
        self.add_papers(found)

    def add_papers(self, papers: Sequence[LibraryPaper], origin: str = "person") -> None:
        """Adds papers to the list of this page: publications, or papers to rate, of which the last comes to hand."""
        if not papers:
            return
        if self.step == PROFILE:
            rows: list[ProfileRow] = []
            self._write(lambda s, participant: rows.extend(s.add_publications(participant, papers, origin=origin)))
            self._look_up([row.paper for row in rows])
            return
        made: list[str] = []
        project = self.project
        assert project is not None

        def write(store: SurveyStore, participant: str) -> None:
            title = "Add paper to rate" if len(papers) == 1 else f"Add {len(papers)} papers to rate"
            with project.action(title):
                made.extend(store.add_row(participant, paper, origin=origin) for paper in papers)

        if self._write(write):
            self.ratings.want(made[0])
            assert self.store is not None
            self._look_up([self.store.row(key).paper for key in made])

    def _allow_look_up(self, allowed: bool) -> None:
        for catalogue in CATALOGUES:
            self.context.settings.set(f"network.{catalogue}", allowed)

    def _show_look_up(self) -> None:
        self.ratings.online.setChecked(bool(lookup_settings(self.context.settings).on))

    def _look_up(self, papers: Sequence[LibraryPaper]) -> None:
        """Asks the connectors that the person switched on for what is missing; with none on, nothing is asked."""
        settings = lookup_settings(self.context.settings)
        if not settings.on:
            return
        from engine.papers.connectors import look_up

        for paper in papers:
            if not (paper.title and paper.abstract):
                task = look_up(paper, settings)
                self.context.bridge.submit(task, self, on_done=self._looked_up, on_error=self._look_up_failed)

    def _looked_up(self, found: LibraryPaper | None) -> None:
        if found is not None:
            self._write(lambda store, _participant: store.library.complete(found))

    def _look_up_failed(self, failure: Failure) -> None:
        if failure.problem is None:
            self.context.bridge.job_failed.emit(failure)
        else:
            self.show_problem(failure.problem, FILE)

    def _title(self, row_id: str, title: str) -> None:
        state = self.state
        row = next((row for row in state.rows if row.id == row_id), None) if state is not None else None
        if row is not None and title.strip():
            named = replace(row.paper, title=" ".join(title.split()))
            self._write(lambda store, _participant: store.library.update(named))

    def edit_paper(self) -> None:
        paper = self.paper_at_hand()
        if paper is not None:
            dialog = PaperDialog(paper, self)
            dialog.accepted.connect(
                lambda: self._write(lambda store, _participant: store.library.update(dialog.paper()))
            )
            dialog.open()

    def open_link(self) -> None:
        paper = self.paper_at_hand()
        if paper is not None and address(paper):
            QDesktopServices.openUrl(QUrl(address(paper), QUrl.ParsingMode.TolerantMode))

    def remove(self) -> None:
        if self.step == PROFILE:
            at_hand = self.profile.list.at_hand
            assert at_hand is not None
            self._write(lambda store, _participant: store.remove_publications([at_hand.id]))
            return
        state, gone = self.state, self.ratings.at_hand
        assert state is not None
        keys = [row.id for row in state.rows]
        place = keys.index(gone)
        near = (keys[place + 1 : place + 2] or keys[max(place - 1, 0) : place] or [""])[0]
        if self._write(lambda store, _participant: store.remove_row(gone)):
            self.ratings.want(near)
            if not near:
                self.ratings.entry.setFocus()

    def toggle_kept(self) -> None:
        at_hand = self.profile.list.at_hand
        assert at_hand is not None
        if self._write(lambda store, _participant: store.keep([at_hand.id], not at_hand.kept)):
            self.profile.list.step()

    def keep_all(self) -> None:
        assert self.state is not None
        keys = [row.id for row in self.state.profile]
        self._write(lambda store, _participant: store.keep(keys, True))

    def ask_for_files(self) -> None:
        self.add_files(self.context.files.open_files(self, "Add papers from files", PAPER_FILES))

    def add_files(self, paths: Sequence[Path]) -> None:
        """Papers from files; the engine reads them, and adds what lists hold."""
        state, bridge = self.state, self.context.bridge
        if state is None or self.project is None:
            return
        for path in paths:
            self._reading += 1
            if path.suffix.lower() == ".pdf":
                task = read_paper(path, lambda: bridge.documents)
                bridge.submit(task, self, on_done=self._paper_read, on_error=self._reading_failed)
            else:
                params = AddList(str(path), state.participant.id, self.step == PROFILE)
                bridge.submit(
                    add_list(self.project, params), self, on_done=self._list_added, on_error=self._reading_failed
                )
        self._show_step()

    def _list_added(self, added: ListAdded) -> None:
        self._reading -= 1
        self.banner.dismiss(FILE)
        if added.warnings:
            self.banner.show_notice(Notice(FILE, " ".join(added.warnings), kind="attention"))
        self._show_step()
        if added.rows:
            self.ratings.want(added.rows[0])
            assert self.store is not None
            self._look_up([self.store.row(key).paper for key in added.rows])

    def _paper_read(self, paper: LibraryPaper) -> None:
        self._reading -= 1
        found = self._library().find(paper)
        self.add_papers([found.paper if found is not None else paper])
        self._show_step()

    def _reading_failed(self, failure: Failure) -> None:
        self._reading -= 1
        self._show_step()
        if failure.problem is None:
            self.context.bridge.job_failed.emit(failure)
        else:
            self.show_problem(failure.problem, FILE)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if self.can_add() and _dropped(event):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        self.add_files(_dropped(event))
        event.acceptProposedAction()


def _dropped(event: QDropEvent) -> list[Path]:
    paths = [Path(url.toLocalFile()) for url in event.mimeData().urls() if url.isLocalFile()]
    return [path for path in paths if path.suffix not in (SUFFIX, STUDY_SUFFIX)]
