"""The participant's survey pane: from the study file to the answers file, in four pages."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QLineEdit, QPlainTextEdit, QWidget

from desktop_app import if_any, present
from desktop_app.lookup import lookup_settings
from desktop_app.panes.base import AppContext, Pane
from desktop_app.panes.survey.consent_page import ConsentPage, ReleasePage
from desktop_app.panes.survey.participant_frame import Foot, Head, SurveyClock
from desktop_app.panes.survey.profile_page import ProfilePage
from desktop_app.panes.survey.ratings_page import RatingsPage
from desktop_app.panes.survey.state import CONSENT, PROFILE, RATINGS, RELEASE, ParticipantState, address
from desktop_app.panes.survey.work import ListAdded, add_list, read_paper
from desktop_app.project_control import STUDY_SUFFIX, SUFFIX
from desktop_app.widgets.banner import Notice, show_folder
from desktop_app.widgets.dialogs import DialogButtons, TypingDialog, ask
from desktop_app.widgets.keys import FileDrop
from desktop_app.widgets.labels import hairline, named
from desktop_app.widgets.layouts import column, form_rows, stacked
from engine.exchange.study_file import ANSWERS_ENDING
from engine.expertise.store import TABLES, SurveyStore
from engine.jobs import Failure, Task
from engine.papers.records import LibraryPaper
from engine.project import Changes
from engine.shown import counted


class PaperDialog(TypingDialog):
    """Edits a paper's details; ``paper()`` is the edited paper."""

    def __init__(self, paper: LibraryPaper, parent: QWidget | None = None) -> None:
        super().__init__("Paper details", parent)
        self.resize(620, 420)
        self._paper = paper
        self.title = self._line("Title", paper.title)
        self.authors = self._line("Authors", "; ".join(paper.authors))
        self.authors.setPlaceholderText("Ada Example; Ben Example")
        self.year = self._line("Year", str(paper.year or ""))
        self.link = self._line("Link", paper.link)
        self.abstract = named(QPlainTextEdit(paper.abstract, self, tabChangesFocus=True), "Abstract")
        fields = (self.title, self.authors, self.year, self.link, self.abstract)
        form = form_rows(*((field.accessibleName(), field) for field in fields))
        column((form, 1), DialogButtons(self, "Save"), margins=(16, 16, 16, 16), spacing=12, of=self)

    def _line(self, name: str, text: str) -> QLineEdit:
        field = named(QLineEdit(text, self), name)
        field.setCursorPosition(0)
        return field

    def paper(self) -> LibraryPaper:
        """Returns the paper with the entered values; the year is 0 (unknown) without four digits."""
        year = re.search(r"\d{4}", self.year.text())
        authors = tuple(name.strip() for name in self.authors.text().split(";") if name.strip())
        return replace(
            self._paper, title=" ".join(self.title.text().split()), authors=authors, year=int(year[0]) if year else 0,
            link=self.link.text().strip(), abstract=self.abstract.toPlainText().strip(),
        )  # fmt: skip


FILE = "file"
CATALOGUES = ("arxiv", "crossref")
"""The catalogues that a participant can allow to be searched."""
PAPER_FILES = "Papers (*.pdf *.bib *.ris *.json *.csv *.txt);;All files (*)"


class ParticipantPane(Pane):
    """The pages of one participant. Changes are saved immediately; reopening the study continues where it was left."""

    pane_id = "participant"
    purpose = "Open a study file (.rejoinder-study) to answer it here."
    tables = TABLES - {"survey_sitting"}

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self.state = state = ParticipantState()
        self._reading = 0
        FileDrop(self, lambda path: path.suffix not in (SUFFIX, STUDY_SUFFIX), state.can_add, self.add_files)
        self.clock = SurveyClock(self)
        registry = context.commands
        self.head = Head(registry)
        self.consent = ConsentPage(registry)
        self.profile = ProfilePage(registry)
        self.ratings = RatingsPage(registry)
        self.release = ReleasePage(registry)
        self.pages = stacked(self.body, self.consent, self.profile, self.ratings, self.release)
        self.foot = Foot(registry)
        self.foot_line = (self.foot, self.foot.progress)
        column(self.head, hairline(), (self.pages, 1), hairline(), self.foot, of=self.body)
        self._connect()

    def _connect(self) -> None:
        changed = self.context.commands.state_changed
        self.head.chosen.connect(self.go_to)
        self.clock.ticked.connect(self._show_foot)
        self.profile.name.committed.connect(lambda text: self.write(lambda s, p: s.set_name(p, text)))
        self.profile.email.committed.connect(lambda text: self.write(lambda s, p: s.set_email(p, text)))
        self.profile.answered.connect(lambda key, text: self.write(lambda s, p: s.set_answer(p, key, text)))
        self.profile.list.tick_clicked.connect(lambda key, kept: self.write(lambda s, _p: s.keep([key], kept)))
        self.profile.list.selectionModel().currentChanged.connect(lambda *_rows: changed.emit())
        self.ratings.rated.connect(lambda key, value: self.write(lambda s, _p: s.rate(key, value)))
        self.ratings.titled.connect(self._set_title)
        for page in (self.profile, self.ratings):
            page.entry.entered.connect(self.add_entry)
        self.ratings.entry.picked.connect(lambda paper: self.add_papers([paper]))
        self.ratings.current_changed.connect(changed)
        self.ratings.online.clicked.connect(self._allow_look_up)
        self.context.settings.changed.connect(self._show_look_up)
        self._show_look_up()
        self.ratings.entry.search = lambda text: self.state.library.search(text)  # noqa: PLW0108 - the library changes

    def project_set(self) -> None:
        self.clock.end()
        self.state.open(self.project)
        self._reading = 0
        for page in (self.profile, self.ratings):
            page.entry.clear()

    def is_empty(self) -> bool:
        store = self.state.store
        empty = store is not None and not store.studies("participant")
        if empty:
            self.state.survey = None  # undo removed it, and no refresh follows
        return empty

    def refresh(self) -> None:
        survey, store = self.state.read(), self.state.store
        if survey is None or store is None:
            return
        if self.state.can_write():
            self.clock.begin(store, survey.participant.id)
        self.consent.show_survey(survey)
        self.profile.show_survey(survey)
        self.ratings.show_survey(survey)
        self._show_step()
        self.context.commands.state_changed.emit()

    def on_changes(self, changes: Changes) -> None:
        self.state.profile_changed |= bool(changes.tables & {"profile_paper", "library_paper"})
        super().on_changes(changes)

    def take_focus(self) -> None:
        page = self.pages.currentWidget()
        if self.state.survey is not None and isinstance(page, ConsentPage | ProfilePage | RatingsPage | ReleasePage):
            page.take_focus()

    def _show_step(self) -> None:
        survey = present(self.state.survey)
        self.pages.setCurrentIndex(self.state.step)
        made = self.state.preview() if survey.participant.finished_at or self.state.step == RELEASE else None
        self.head.show_step(survey, self.state.step, saved=made is not None and self.state.is_saved())
        reading = f"Reading {counted(self._reading, 'file')}…" if self._reading else ""
        self.ratings.say(reading)
        self.profile.say(reading)
        if self.state.step == RELEASE:
            self.release.show_survey(survey, self.clock.seconds)
            self.release.show_preview(made)
            self.release.show_saved(self.state.saved_text())
        self._show_foot()

    def _show_foot(self) -> None:
        if self.state.survey is not None:
            self.foot.show_survey(self.state.survey, self.clock.seconds)

    def go_to(self, step: int) -> None:
        if self.state.survey is None:
            return
        if self.state.can_add():  # what was typed there counts without Return, too
            (self.profile if self.state.step == PROFILE else self.ratings).entry.enter()
        self.state.go_to(step)
        focus = self.window().focusWidget()
        if focus is not None and self.isAncestorOf(focus):
            focus.clearFocus()  # saves what is being typed
        self._show_step()
        self.take_focus()
        self.context.commands.state_changed.emit()

    def next_step(self) -> None:
        survey, step = self.state.survey, self.state.step
        if survey is None:
            return
        if step == CONSENT and not survey.agreed:
            self.write(lambda store, participant: store.set_consent(participant, True))
        if step == RELEASE:
            self.ask_where_to_save()
        else:
            self.go_to(step + 1)

    def take_consent_back(self) -> None:
        self.go_to(CONSENT)  # first, since it enters what was typed
        self.write(lambda store, participant: store.set_consent(participant, False))

    def forget_time(self) -> None:
        def forget() -> None:
            self.clock.forget()
            self.mark_dirty()

        words = "The time you worked can't be restored. Your answers stay."
        ask(self, "Delete the time", "Delete the measured time?", words, {"Delete": forget, "Cancel": None})

    def write(self, verb: Callable[[SurveyStore, str], object]) -> bool:
        """Changes the answers. If that fails, shows the problem and the stored values. Returns whether it worked."""
        store, survey = self.state.store, self.state.survey
        if store is None or survey is None:
            return False
        done = self.act(lambda: verb(store, survey.participant.id))
        if not done:
            self.mark_dirty()
        return done

    def current_paper(self) -> LibraryPaper | None:
        if self.state.step == RATINGS:
            row = self.state.row(self.ratings.current)
            return row.paper if row is not None else None
        return self.profile.list.current.paper if self.has_publication() and self.profile.list.current else None

    def has_publication(self) -> bool:
        return self.state.can_write() and self.state.step == PROFILE and self.profile.list.current is not None

    def has_paper(self) -> bool:
        return self.current_paper() is not None and self.state.can_write()

    def has_link(self) -> bool:
        paper = self.current_paper()
        return paper is not None and bool(address(paper))

    def start_entry(self) -> None:
        if self.state.step not in (PROFILE, RATINGS):
            self.go_to(RATINGS)
        (self.profile.entry if self.state.step == PROFILE else self.ratings.entry).setFocus()

    def add_entry(self, text: str) -> None:
        if_any(self.result(lambda: self.state.recognise(text)), self.add_papers)

    def add_papers(self, papers: Sequence[LibraryPaper]) -> None:
        """Adds papers to the list of the current page, and looks up missing details if allowed."""

        def add(_store: SurveyStore, _participant: str) -> None:
            row, stored = self.state.add_papers(papers)
            if row:
                self.ratings.select(row)
            self._look_up(stored)

        if papers:
            self.write(add)

    def _allow_look_up(self, allowed: bool) -> None:
        for catalogue in CATALOGUES:
            self.context.settings.set(f"network.{catalogue}", allowed)

    def _show_look_up(self, _setting: str = "") -> None:
        self.ratings.online.setChecked(bool(lookup_settings(self.context.settings).on))

    def _look_up(self, papers: Sequence[LibraryPaper]) -> None:
        """Looks up missing titles and abstracts in the allowed catalogues; if none is allowed, nothing is sent."""
        settings = lookup_settings(self.context.settings)
        if not settings.on:
            return
        from engine.papers.connectors import PaperLookup, look_up

        for paper in papers:
            if not (paper.title and paper.abstract):
                self.submit(look_up(paper, PaperLookup(settings)), self._looked_up, FILE)

    def _looked_up(self, found: LibraryPaper | None) -> None:
        if found is not None:
            self.write(lambda store, _participant: store.library.complete(found))

    def _set_title(self, row_id: str, title: str) -> None:
        row = self.state.row(row_id)
        if row is not None and title.strip():
            named = replace(row.paper, title=" ".join(title.split()))
            self.write(lambda store, _participant: store.library.update(named))

    def edit_paper(self) -> None:
        dialog = PaperDialog(present(self.current_paper()), self)
        dialog.save = lambda: present(self.state.store).library.update(dialog.paper())
        dialog.open()

    def open_link(self) -> None:
        QDesktopServices.openUrl(QUrl(address(present(self.current_paper()))))

    def remove(self) -> None:
        publication, row = self.profile.list.current, self.ratings.current
        if self.state.step == PROFILE and publication is not None:
            self.write(lambda store, _participant: store.remove_publications([publication.id]))
        elif self.state.row(row) is not None:
            near = self.state.neighbour(row)
            if self.write(lambda store, _participant: store.remove_row(row)):
                self.ratings.select(near)

    def toggle_kept(self) -> None:
        publication = self.profile.list.current
        if publication is not None and self.write(lambda s, _p: s.keep([publication.id], not publication.kept)):
            self.profile.list.step(1)

    def keep_all(self) -> None:
        keys = [row.id for row in present(self.state.survey).profile]
        self.write(lambda store, _participant: store.keep(keys, True))

    def ask_for_files(self) -> None:
        self.add_files(self.context.files.open_files(self, "Add papers from files", PAPER_FILES))

    def add_files(self, paths: Sequence[Path]) -> None:
        survey, bridge = self.state.survey, self.context.bridge
        if survey is None or self.project is None:
            return
        for path in paths:
            self._reading += 1
            task: Task[Any] = (
                read_paper(path, lambda: bridge.documents)
                if (pdf := path.suffix.lower() == ".pdf")
                else add_list(self.project, path, survey.participant.id, self.state.step == PROFILE)
            )
            done = self._paper_read if pdf else self._list_added
            cancelled = partial(self._reading_cancelled, task.title)
            bridge.submit(task, self, on_done=done, on_error=self._reading_failed, on_cancelled=cancelled)
        self._show_step()

    def _reading_cancelled(self, title: str) -> None:
        self._reading -= 1
        self._show_step()
        self.note(f"“{title}” was cancelled.", key=FILE)

    def _list_added(self, added: ListAdded) -> None:
        self._reading -= 1
        self.banner.dismiss(FILE)
        if added.warnings:
            self.banner.show_notice(Notice(FILE, " ".join(added.warnings), kind="attention"))
        self._show_step()
        if added.rows:
            self.ratings.select(added.rows[0])
            self._look_up([present(self.state.store).row(key).paper for key in added.rows])

    def _paper_read(self, paper: LibraryPaper) -> None:
        self._reading -= 1
        self.add_papers([self.state.known(paper)])
        self._show_step()

    def _reading_failed(self, failure: Failure) -> None:
        self._reading -= 1
        self._show_step()
        self.show_failure(failure, FILE)

    def ask_where_to_save(self) -> None:
        """Asks where to save the answers file, after showing it on the last page."""
        if self.state.step != RELEASE:
            self.go_to(RELEASE)
            return
        preview = self.state.preview()
        if preview is None:
            return
        suggested = preview.file.name.removesuffix(ANSWERS_ENDING)
        path = self.context.files.save_file(self, "Save the answers file", suggested, ANSWERS_ENDING)
        if path is not None:
            self.save_to(path)

    def save_to(self, path: Path) -> None:
        if self.act(lambda: self.state.save(path), FILE):
            self.clock.save()
            self.mark_dirty()

    def show_folder(self) -> None:
        show_folder(present(self.state.saved_to).parent)
