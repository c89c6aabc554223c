"""The Survey pane: an organiser creates a study, sends it out, merges the answers, and sees the results."""

import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path

from PySide6.QtWidgets import QWidget

from desktop_app import if_any, present
from desktop_app.panes.base import ACT, AppContext, Pane
from desktop_app.panes.survey.choices import EXPORTS
from desktop_app.panes.survey.merging import AnswersMerge, MergeReport
from desktop_app.panes.survey.people_view import PeopleView, ResultsView
from desktop_app.panes.survey.state import OrganiserState
from desktop_app.panes.survey.study_form import StudyForm
from desktop_app.panes.survey.work import export_study, import_data_set, summarise_study
from desktop_app.project_control import ANSWERS_SUFFIX, STUDY_SUFFIX
from desktop_app.widgets.banner import Kind, Notice, show_folder
from desktop_app.widgets.command_menu import CommandMenuButton, offer_commands
from desktop_app.widgets.dialogs import MessagesDialog
from desktop_app.widgets.fields import ChoiceBox
from desktop_app.widgets.keys import FileDrop
from desktop_app.widgets.labels import hairline
from desktop_app.widgets.layouts import Flow, column, command_buttons, row, stacked, tabs
from desktop_app.writing import free_folder, write_export
from engine import user_files
from engine.errors import EnvironmentProblem
from engine.expertise.records import Question
from engine.expertise.store import TABLES, SurveyStore
from engine.operations.removing import remove
from engine.operations.targets import Target

MERGE = "merge"
_MESSAGES = "Messages about the merged answers"
SHOWN = 2
"""Number of messages about a merge shown in the banner; all are listed in a dialog."""
STUDY, PEOPLE, RESULTS = range(3)


class SurveyPane(Pane):
    """The studies of a project, one at a time. Every operation is one undo step."""

    pane_id = "survey"
    shows_paper = False
    purpose = (
        "Ask researchers how well they could review papers they have read, and find out from their answers which"
        " similarity algorithm to trust. Create a study, send its file out, and merge the files that come back."
    )
    tables = TABLES - {"survey_sitting", "participant_contact"}
    first_step, other_steps = "survey.new", ("survey.import",)
    search_hint = "Find a participant"

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self.state = state = OrganiserState()
        self._summarised: object = None
        """The participants whose results are shown or being calculated."""
        self._shown_study = ""
        self.chooser = ChoiceBox("Study", letters=24, parent=self.body)
        self.chooser.setToolTip("The studies of this project")
        self.chooser.picked.connect(self.choose_study)
        self.form = StudyForm(self.body)
        self.form.edited.connect(self._edit)
        self.form.rules_changed.connect(lambda least, most: self.write(lambda s, key: s.set_rules(key, least, most)))
        self.form.questions.changed.connect(self._change_questions)
        self.people = PeopleView(self.body)
        self.people.current_changed.connect(context.commands.state_changed)
        offer_commands(self.people.table, context.commands, ["survey.remove_participant"])
        self.results = ResultsView(self.body)
        self.merging = AnswersMerge(context.bridge, self)
        self.merging.merged.connect(self._merged)
        self.merging.failed.connect(partial(self.show_failure, key=ACT))
        FileDrop(self, lambda path: path.suffix == ANSWERS_SUFFIX, state.can_write, self.add_files)
        self.tabs = tabs("Views", ("Study", "Answers", "Results"), self.body)
        self.views = stacked(self.body, self.form, self.people, self.results)
        self.tabs.currentChanged.connect(self._show_view)
        self.tabs.currentChanged.connect(self.focus_view)
        make, *others = command_buttons(
            context.commands, "survey", {"new": "", "try": "", "export_study": "", "merge": ""}, show_key=False
        ).values()
        formats = [f"survey.export_{name}" for name in EXPORTS]
        self.export_button = CommandMenuButton(context.commands, formats, "Export…", self.body)
        head = row((Flow(self.chooser, make, None, *others, self.export_button), 1), margins=(12, 6, 12, 6))
        column(head, hairline(), self.tabs, hairline(), (self.views, 1), of=self.body)

    def project_set(self) -> None:
        self.state.open(self.project)
        self._no_results()

    def is_empty(self) -> bool:
        return self.project is not None and not self.state.read()

    def refresh(self) -> None:
        """Shows the state, which ``is_empty`` has just read."""
        study, people = self.state.study, self.state.people
        if study is None:
            return
        self.chooser.show_entries([(one.title, one.id) for one in self.state.studies], study.id)
        self.form.show_study(study)
        self.people.show_people(people)
        self.tabs.setTabText(PEOPLE, f"Answers ({len(people)})" if people else "Answers")
        self.set_status(self.state.status)
        self._show_view()

    def find_searched(self, by: int) -> bool:
        if self.searched.strip():
            self.tabs.setCurrentIndex(PEOPLE)
        return self.people.find_person(self.searched, by)

    def take_focus(self) -> None:
        people = self.tabs.currentIndex() == PEOPLE and self.people.current is not None
        (self.people.table if people else self.tabs).setFocus()

    def _show_view(self) -> None:
        self.views.setCurrentIndex(self.tabs.currentIndex())
        study, people = self.state.study, self.state.people
        if self.tabs.currentIndex() == RESULTS and study is not None and self._summarised is not people:
            if study.id != self._shown_study:
                self._no_results()
            self._summarised, self._shown_study = people, study.id
            task = summarise_study(present(self.project), study.id)
            self.calculate(task, self.results.show_summary, self._no_results, "results")
        self.context.commands.state_changed.emit()

    def _no_results(self) -> None:
        self._summarised, self._shown_study = None, ""
        self.results.show_summary(None)

    def has_people(self) -> bool:
        return self.state.has_study() and self.people.current is not None

    def has_person(self) -> bool:
        return self.state.can_change() and self.tabs.currentIndex() == PEOPLE and self.people.current is not None

    def _edit(self, name: str, text: str, study_id: str) -> None:
        self.write(lambda store, _shown: store.edit_study(study_id, **{name: text}))

    def _change_questions(self, change: Callable[[Sequence[Question]], Sequence[Question]], study_id: str) -> None:
        def verb(store: SurveyStore, _shown: str) -> None:
            before = store.study(study_id).questions
            if (asked := tuple(change(before))) != before:
                store.set_questions(study_id, asked)

        self.write(verb)

    def write(self, verb: Callable[[SurveyStore, str], object]) -> bool:
        """Changes the current study. If that fails, shows the problem and stored values. Returns whether it worked."""
        store, study = self.state.store, self.state.study
        if store is None or study is None:
            return False
        done = self.act(lambda: verb(store, study.id))
        if not done:
            self.mark_dirty()
        return done

    def new_study(self) -> None:
        if self.act(lambda: self.state.add_study(self.context.settings.text("annotator.name"))):
            self.mark_dirty()
            self.tabs.setCurrentIndex(STUDY)
            self.form.take_focus()

    def choose_study(self, study_id: str) -> None:
        self.state.choose(study_id)
        self.mark_dirty()

    def next_study(self) -> None:
        self.state.choose_next()
        self.mark_dirty()

    def next_view(self) -> None:
        self.tabs.setCurrentIndex((self.tabs.currentIndex() + 1) % self.tabs.count())
        self.take_focus()

    def remove_study(self) -> None:
        project, study = self.project, self.state.study
        assert study is not None
        self.write(lambda _store, key: remove(present(project), Target("study", key, study.title), others=True))

    def remove_participant(self) -> None:
        person = present(self.people.current)
        self.write(lambda store, _study: store.remove_participant(person.participant.id))

    def ask_where_to_write_study(self) -> None:
        title = present(self.state.study).title
        if_any(self.context.files.save_file(self, "Export study file", title, STUDY_SUFFIX), self.write_study)

    def write_study(self, path: Path) -> bool:
        written = self.result(lambda: self.state.write_study(path))
        if written is None:
            return False
        preview = ("Preview as a participant", lambda: self.context.open_path(written))
        show = ("Show folder", lambda: show_folder(path.parent))
        text = "Send it to your participants. They open it with Rejoinder and each send back one answers file."
        self.banner.show_notice(
            Notice("export", f"Exported {written.name}.", text, kind="note", actions=(preview, show))
        )
        return True

    def try_study(self) -> None:
        if_any(self.result(lambda: self.state.write_trial(user_files.data_folder() / "tried")), self.context.open_path)

    def ask_for_answers(self) -> None:
        filters = f"Answers (*{ANSWERS_SUFFIX});;All files (*)"
        self.add_files(self.context.files.open_files(self, "Merge answers", filters))

    def add_files(self, paths: Sequence[Path]) -> bool:
        """Merges answers files into the study they belong to, and reports in the banner. Returns False if no writable
        project with a study is open."""
        project = self.project
        if project is None or project.read_only or not self.state.read():
            text = "No answers were merged: they belong to the project that holds their study."
            self.banner.show_notice(Notice(MERGE, text, "", "Open that project first, or import a data set."))
            return False
        if paths:
            with suppress(EnvironmentProblem):  # reported when the file is merged
                self.state.choose_study_of(paths[0])
            self.refresh_now()
            self.banner.dismiss(MERGE)
            self.merging.merge(project, present(self.state.study).id, paths)
        return True

    def _merged(self, report: MergeReport) -> None:
        self._show_people()
        many = len(report.messages) > SHOWN
        shown = report.problems if many else report.messages
        words = " ".join(map(str, shown)) if len(shown) <= SHOWN else ""
        show = (("Show messages", lambda: MessagesDialog(_MESSAGES, report.messages, self).open()),) if many else ()
        what, again = report.sentence(), ""
        if report.cancelled:
            what, words = "Merging was cancelled.", f"Until then: {what} {words}".strip()
            again = "To continue, merge the same files again: files already merged are recognized."
        kind: Kind = "attention" if report.problems or report.cancelled else "note"
        self.banner.show_notice(Notice(MERGE, what, words, again, kind, show))

    def import_data_set(self, folder: Path) -> None:
        self.note(f"Importing {folder.name}…", "Its participants appear when everything is read.")
        self.submit(import_data_set(present(self.project), folder), self._imported, ACT)

    def _imported(self, study_id: str) -> None:
        self.banner.dismiss(ACT)
        self.choose_study(study_id)
        self._show_people()

    def _show_people(self) -> None:
        self.tabs.setCurrentIndex(PEOPLE)
        if self.isVisible():
            self.take_focus()

    def ask_where_to_export(self, kind: str) -> None:
        title = "Choose where to create the export folder"
        if_any(self.context.files.choose_folder(self, title), partial(self.export_to, kind))

    def export_to(self, kind: str, parent: Path) -> None:
        study = present(self.state.study)
        stem = "-".join(re.findall(r"\w+", study.title.lower()))[:60] or "survey"
        folder = free_folder(parent, f"{stem}-{EXPORTS[kind][2]}")
        make = partial(export_study, kind, present(self.project), study.id, stem)
        self.write_files(write_export("survey.export", folder, make))
