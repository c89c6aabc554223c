"""Answering a survey: from the study file to the answers file, in four pages and nothing else."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from desktop_app.context import AppContext
from desktop_app.panes.survey.clock import SurveyClock
from desktop_app.panes.survey.consent_page import ConsentPage
from desktop_app.panes.survey.participant_frame import STEPS, Foot, Head
from desktop_app.panes.survey.participant_papers import (
    CONSENT,
    FILE,
    PROFILE,
    RATINGS,
    RELEASE,
    ParticipantPapers,
)
from desktop_app.panes.survey.profile_page import ProfilePage
from desktop_app.panes.survey.ratings_page import RatingsPage
from desktop_app.panes.survey.release_page import ReleasePage
from desktop_app.panes.survey.state import SurveyState, counted, read_state
from desktop_app.widgets.labels import hairline
from engine.errors import EnvironmentProblem
from engine.expertise.store import TABLES, SurveyStore
from engine.files import write_whole
from engine.project import now

if TYPE_CHECKING:
    from engine.exchange.study_file import AnswersPreview
    from engine.papers.library import Library
    from engine.project import Changes


class ParticipantPane(ParticipantPapers):
    """The pages of one participant. Every act is in the file at once; opening the study again goes on where it was."""

    pane_id = "participant"
    title = "Survey"
    icon = "clipboard-text"
    purpose = "A study file (its name ends in .rejoinder-study) opens here to be answered."
    tables = TABLES - {"survey_sitting"}

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self.store: SurveyStore | None = None
        self.state: SurveyState | None = None
        self.step = CONSENT
        self._index: Library | None = None
        self._placed = False
        self._saved_to: Path | None = None
        self._preview: AnswersPreview | None = None
        self._previewed: object = None
        self._profile_changed = True
        self._reading = 0
        self.setAcceptDrops(True)
        self.clock = SurveyClock(self)
        registry = context.commands
        self.head = Head(registry, self.body)
        self.consent = ConsentPage(registry, self.body)
        self.profile = ProfilePage(registry, self.body)
        self.ratings = RatingsPage(registry, self.body)
        self.release = ReleasePage(registry, self.body)
        self.pages = QStackedWidget(self.body)
        for page in (self.consent, self.profile, self.ratings, self.release):
            self.pages.addWidget(page)
        self.foot = Foot(registry, self.body)
        layout = QVBoxLayout(self.body)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.head)
        layout.addWidget(hairline(parent=self.body))
        layout.addWidget(self.pages, 1)
        layout.addWidget(hairline(parent=self.body))
        layout.addWidget(self.foot)
        self._connect()

    def _connect(self) -> None:
        self.head.chosen.connect(self.go_to)
        self.clock.ticked.connect(self._show_foot)
        self.profile.named.connect(lambda text: self._write(lambda s, p: s.set_name(p, text)))
        self.profile.mailed.connect(lambda text: self._write(lambda s, p: s.set_email(p, text)))
        self.profile.answered.connect(lambda key, text: self._write(lambda s, p: s.set_answer(p, key, text)))
        self.profile.kept.connect(lambda key, kept: self._write(lambda s, _p: s.keep([key], kept)))
        self.profile.entered.connect(self.enter)
        self.profile.came_to_hand.connect(self.context.commands.state_changed)
        self.ratings.rated.connect(lambda key, value: self._write(lambda s, _p: s.rate(key, value)))
        self.ratings.titled.connect(self._title)
        self.ratings.entered.connect(self.enter)
        self.ratings.picked.connect(lambda paper: self.add_papers([paper]))
        self.ratings.came_to_hand.connect(self.context.commands.state_changed)
        self.ratings.online_chosen.connect(self._allow_look_up)
        self.context.settings.changed.connect(lambda _name: self._show_look_up())
        self._show_look_up()
        self.ratings.set_search(lambda text: self._library().search(text))

    # --- the pane's duties ----------------------------------------------------------------------------------------

    def project_set(self) -> None:
        self.clock.end()
        self.store = SurveyStore(self.project) if self.project is not None else None
        self.state, self._index, self._saved_to, self._reading = None, None, None, 0
        self._preview, self._profile_changed = None, True
        self._placed = False

    def is_empty(self) -> bool:
        empty = self.store is not None and not self.store.studies("participant")
        if empty:
            self.state = None  # undo took it; no refresh follows
        return empty

    def refresh(self) -> None:
        assert self.store is not None
        known = None if self._profile_changed else self.state
        self.state, self._index, self._profile_changed = read_state(self.store, known), None, False
        state = self.state
        if state is None:
            return
        if not self._placed:
            self._placed = True
            self.step = self._step_to_go_on_with(state)
        elif not state.agreed:
            self.step = CONSENT
        if self.project is not None and not self.project.read_only:
            self.clock.begin(self.store, state.participant.id)
        self.consent.show_state(state)
        self.profile.show_state(state)
        self.ratings.show_state(state)
        self._show_step()
        self.context.commands.state_changed.emit()

    def on_changes(self, changes: Changes) -> None:
        self._profile_changed = self._profile_changed or bool(changes.tables & {"profile_paper", "library_paper"})
        super().on_changes(changes)

    def take_focus(self) -> None:
        page = self.pages.currentWidget()
        if self.state is not None and isinstance(page, ConsentPage | ProfilePage | RatingsPage | ReleasePage):
            page.take_focus()

    @staticmethod
    def _step_to_go_on_with(state: SurveyState) -> int:
        if not state.agreed:
            return CONSENT
        return RATINGS if state.rows or state.profile else PROFILE

    def _show_step(self) -> None:
        state = self.state
        assert state is not None
        self.pages.setCurrentIndex(self.step)
        self.head.show_place(state, self.step)
        self.ratings.say(self._said())
        self.profile.say(self._said())
        if self.step == RELEASE:
            self._show_release(state)
        self._show_foot()

    def _said(self) -> str:
        return f"Reading {counted(self._reading, 'file', 'files')}…" if self._reading else ""

    def _show_foot(self) -> None:
        if self.state is not None:
            self.foot.show_state(self.state, self.clock.seconds)

    def _show_release(self, state: SurveyState) -> None:
        from engine.exchange.study_file import preview_release

        self.release.show_state(state, self.clock.seconds)
        # The moment on the file is that at which its content was first shown: what did not change is the same file.
        said = (state.study, replace(state.participant, finished_at="", answers_hash=""), state.rows, state.profile)
        if state.blocks:
            self._preview = None
        elif self._preview is None or self._previewed != said:
            self._preview, self._previewed = preview_release(*said, written_at=now()), said
            self._saved_to = None
        self.release.show_preview(self._preview)
        self.release.show_saved(self._saved_words(state))

    def _saved_words(self, state: SurveyState) -> str:
        contact = state.study.contact or state.study.organiser or "whoever sent you the study"
        if self._saved_to is not None:
            return f"{self._saved_to.name} is written. Send it to {contact}: that is all."
        if state.participant.finished_at:
            return f"You saved an answers file before. If you change something, save it again and send it to {contact}."
        return ""

    # --- pages ----------------------------------------------------------------------------------------------------

    def go_to(self, step: int) -> None:
        """Turns to a page; without consent only the first one can be seen."""
        if self.state is None:
            return
        self.step = step if self.state.agreed else CONSENT
        focus = self.window().focusWidget()
        if focus is not None and self.isAncestorOf(focus):
            focus.clearFocus()  # what is being typed is written first
        self._show_step()
        self.take_focus()
        self.context.commands.state_changed.emit()

    def next_step(self) -> None:
        if self.state is None:
            return
        if self.step == CONSENT and not self.state.agreed:
            self._write(lambda store, participant: store.set_consent(participant, True))
        if self.step == RELEASE:
            self.ask_where_to_save()
        else:
            self.go_to(self.step + 1)

    def previous_step(self) -> None:
        self.go_to(self.step - 1)

    def next_title(self) -> str:
        if self.state is None:
            return "Continue"
        if self.step == CONSENT and not self.state.agreed:
            return "I agree, begin"
        if self.step == RELEASE:
            return "Save the answers file…"
        return f"On to “{STEPS[self.step + 1]}”"

    def can_go_on(self) -> bool:
        return self.state is not None and (self.step != RELEASE or self.can_save())

    def can_go_back(self) -> bool:
        return self.state is not None and self.step > CONSENT

    def can_save(self) -> bool:
        return self.can_write() and self.state is not None and not self.state.blocks

    def has_agreed(self) -> bool:
        return self.can_write() and self.state is not None and bool(self.state.participant.consented_at)

    def has_saved(self) -> bool:
        return self._saved_to is not None

    # --- acts -----------------------------------------------------------------------------------------------------

    def take_consent_back(self) -> None:
        self._write(lambda store, participant: store.set_consent(participant, False))
        self.go_to(CONSENT)

    def forget_time(self) -> None:
        self.clock.forget()
        self.mark_dirty()

    # --- files ----------------------------------------------------------------------------------------------------

    def ask_where_to_save(self) -> None:
        """The last page comes first, so that nothing is written that was not seen."""
        from engine.exchange.study_file import ANSWERS_ENDING

        if self.step != RELEASE:
            self.go_to(RELEASE)
            return
        if self._preview is None:
            return
        suggested = self._preview.file.name.removesuffix(ANSWERS_ENDING)
        path = self.context.files.save_file(self, "Save the answers file", suggested, ANSWERS_ENDING)
        if path is not None:
            self.save_to(path)

    def save_to(self, path: Path) -> bool:
        """Writes the answers file, the very bytes that are shown; says whether it was written."""
        from engine.exchange.study_file import ANSWERS_ENDING

        shown = self._preview
        assert shown is not None
        if path.suffix != ANSWERS_ENDING:
            path = path.with_name(path.name + ANSWERS_ENDING)
        try:
            write_whole(path, shown.file.content)
        except EnvironmentProblem as problem:
            self.show_problem(problem, FILE)
            return False
        self.banner.dismiss(FILE)
        self._saved_to = path
        self.clock.save()
        return self._write(lambda store, participant: store.finish(participant, shown.content_hash))

    def show_folder(self) -> None:
        assert self._saved_to is not None
        QDesktopServices.openUrl(QUrl.fromLocalFile(str(self._saved_to.parent)))
