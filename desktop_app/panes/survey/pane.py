"""Survey: an organiser makes a study, sends it out, merges what comes back, and sees what it says."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QStackedWidget, QTabBar, QVBoxLayout, QWidget

from desktop_app.context import AppContext
from desktop_app.panes.survey.data_sets import summarise_study
from desktop_app.panes.survey.organiser_files import ACT, PEOPLE, RESULTS, STUDY, OrganiserFiles
from desktop_app.panes.survey.people_view import PeopleView, Person
from desktop_app.panes.survey.results_view import ResultsView
from desktop_app.panes.survey.state import counted
from desktop_app.panes.survey.study_form import StudyForm
from desktop_app.widgets.buttons import CommandButton
from desktop_app.widgets.labels import hairline
from engine.errors import EnvironmentProblem
from engine.expertise.store import TABLES, SurveyStore
from engine.expertise.study_texts import new_study
from engine.operations.removing import remove
from engine.operations.targets import Target

if TYPE_CHECKING:
    from engine.expertise.records import Study
    from engine.expertise.summary import SurveySummary


class SurveyPane(OrganiserFiles):
    """The studies of a project, one at a time. Every act is one undo step."""

    pane_id = "survey"
    title = "Survey"
    icon = "clipboard-text"
    purpose = (
        "Ask researchers how well they could review papers that they read, and find out from their answers which"
        " similarity algorithm to trust. Make a study, send its file out, and merge the files that come back."
    )
    tables = TABLES - {"survey_sitting", "participant_contact"}
    first_step = "survey.new"
    search_hint = "Find a participant"

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self.store: SurveyStore | None = None
        self.study: Study | None = None
        self._answers: list[Person] = []
        self._summarised: list[Person] | None = None
        """The answers that the results show, or will show in a moment."""
        self._wanted = ""
        self._searched = ""
        self.setAcceptDrops(True)
        self.chooser = QComboBox(self.body)
        self.chooser.setAccessibleName("Study")
        self.chooser.setToolTip("The studies of this project")
        self.chooser.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.chooser.setMinimumContentsLength(24)
        self.chooser.activated.connect(lambda _n: self.choose_study(self.chooser.currentData()))
        self.form = StudyForm(self.body)
        self.form.edited.connect(lambda name, text: self._write(lambda s, key: s.edit_study(key, **{name: text})))
        self.form.ruled.connect(lambda least, most: self._write(lambda s, key: s.set_rules(key, least, most)))
        self.form.asked.connect(lambda asked: self._write(lambda s, key: s.set_questions(key, asked)))
        self.people = PeopleView(self.body)
        self.people.came_to_hand.connect(context.commands.state_changed)
        self.results = ResultsView(self.body)
        self._build()

    def _build(self) -> None:
        registry = self.context.commands
        top = QHBoxLayout()
        top.setContentsMargins(12, 6, 12, 6)
        top.setSpacing(8)
        top.addWidget(self.chooser)
        top.addWidget(CommandButton(registry, "survey.new", show_key=False, parent=self.body))
        top.addStretch(1)
        for command in ("survey.try", "survey.export_study", "survey.merge"):
            top.addWidget(CommandButton(registry, command, show_key=False, parent=self.body))
        self.export_button = CommandButton(registry, "survey.export", show_key=False, parent=self.body)
        top.addWidget(self.export_button)
        self.tabs = QTabBar(self.body)
        self.tabs.setAccessibleName("Views")
        self.tabs.setExpanding(False)
        self.tabs.setDrawBase(False)
        self.views = QStackedWidget(self.body)
        for title, view in (("Study", self.form), ("Answers", self.people), ("Results", self.results)):
            self.tabs.addTab(title)
            self.views.addWidget(view)
        self.tabs.currentChanged.connect(self._show_view)
        layout = QVBoxLayout(self.body)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(top)
        layout.addWidget(hairline(parent=self.body))
        layout.addWidget(self.tabs)
        layout.addWidget(hairline(parent=self.body))
        layout.addWidget(self.views, 1)

    # --- the pane's duties ----------------------------------------------------------------------------------------

    def project_set(self) -> None:
        self.store = SurveyStore(self.project) if self.project is not None else None
        self.study, self._wanted = None, ""
        self._answers, self._summarised = [], None

    def is_empty(self) -> bool:
        empty = self.store is not None and not self.store.studies("organiser")
        if empty:
            self.study = None  # undo took it; no refresh follows
        return empty

    def refresh(self) -> None:
        assert self.store is not None
        studies = self.store.studies("organiser")
        self.study = next((study for study in studies if study.id == self._wanted), studies[-1] if studies else None)
        if self.study is None:
            return
        self._wanted = self.study.id
        self.chooser.clear()
        for study in studies:
            self.chooser.addItem(study.title, study.id)
        self.chooser.setCurrentIndex(self.chooser.findData(self.study.id))
        self.form.show_study(self.study)
        people = self._people(self.study.id)
        self.people.show_people(people)
        self._answers = people
        self.tabs.setTabText(PEOPLE, f"Answers ({len(people)})" if people else "Answers")
        ratings = sum(row.value is not None for person in people for row in person.rows)
        words = f"{counted(len(people), 'participant', 'participants')} · {counted(ratings, 'rating', 'ratings')}"
        self.set_status(words if people else "Nobody answered yet")
        self._show_view()
        self.context.commands.state_changed.emit()

    def _people(self, study_id: str) -> list[Person]:
        assert self.store is not None
        files = self.store.returned_files(study_id)
        rows, publications = self.store.rows_of_study(study_id), self.store.publications_of_study(study_id)
        return [
            Person(
                one,
                rows.get(one.id, ()),
                publications.get(one.id, 0),
                tuple(file for file in files if file.participant_id == one.id),
            )
            for one in self.store.participants(study_id)
        ]

    def search(self, text: str) -> None:
        self._searched = text
        if text.strip():
            self.tabs.setCurrentIndex(PEOPLE)
            self.people.find_person(text, 0)

    def search_next(self, forward: bool = True) -> None:
        self.people.find_person(self._searched, 1 if forward else -1)

    def take_focus(self) -> None:
        self.tabs.setFocus()

    def _show_view(self) -> None:
        self.views.setCurrentIndex(self.tabs.currentIndex())
        if self.tabs.currentIndex() == RESULTS and self.study is not None and self._summarised is not self._answers:
            answers = self._summarised = self._answers

            def show(summary: SurveySummary) -> None:
                if self._summarised is answers:  # else others are on their way
                    self.results.show_summary(summary)

            assert self.project is not None
            task = summarise_study(self.project, self.study.id)
            self.context.bridge.submit(task, self, on_done=show, on_error=self._job_failed)
        self.context.commands.state_changed.emit()

    # --- what can be done -----------------------------------------------------------------------------------------

    def can_write(self) -> bool:
        return self.project is not None and not self.project.read_only

    def has_study(self) -> bool:
        return self.study is not None

    def can_change(self) -> bool:
        return self.can_write() and self.study is not None

    def has_people(self) -> bool:
        return self.study is not None and self.people.at_hand is not None

    def has_person(self) -> bool:
        return self.can_change() and self.tabs.currentIndex() == PEOPLE and self.people.at_hand is not None

    # --- acts -----------------------------------------------------------------------------------------------------

    def _write(self, verb: Callable[[SurveyStore, str], object]) -> bool:
        """Does an act on the study at hand; trouble goes to the banner, and what is in the file is shown again."""
        store, study = self.store, self.study
        if store is None or study is None:
            return False
        try:
            verb(store, study.id)
        except EnvironmentProblem as problem:
            self.show_problem(problem, ACT)
            self.mark_dirty()
            return False
        self.banner.dismiss(ACT)
        return True

    def new_study(self) -> None:
        """Begins a study with the standing texts, and gives the keyboard to its title."""
        assert self.store is not None
        try:
            self._wanted = self.store.add_study(new_study(organiser=self.context.settings.text("annotator.name")))
        except EnvironmentProblem as problem:
            self.show_problem(problem, ACT)
            return
        self.mark_dirty()
        self.tabs.setCurrentIndex(STUDY)
        self.form.take_focus()

    def choose_study(self, study_id: str) -> None:
        """Shows another study."""
        self._wanted = study_id
        self.mark_dirty()

    def next_study(self) -> None:
        count = self.chooser.count()
        self.choose_study(self.chooser.itemData((self.chooser.currentIndex() + 1) % count))

    def next_view(self) -> None:
        self.tabs.setCurrentIndex((self.tabs.currentIndex() + 1) % self.tabs.count())

    def remove_study(self) -> None:
        project, study = self.project, self.study
        assert project is not None and study is not None
        self._write(lambda _store, key: remove(project, Target("study", key, study.title), others=True))

    def remove_participant(self) -> None:
        person = self.people.at_hand
        assert person is not None
        self._write(lambda store, _study: store.remove_participant(person.participant.id))
