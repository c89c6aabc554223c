"""The Expertise pane: runs similarity algorithms on people's own ratings and compares them with intervals."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtWidgets import QWidget

from desktop_app import present
from desktop_app.engine_bridge import BridgedJob
from desktop_app.panes.base import AppContext, Pane
from desktop_app.panes.expertise.board import BoardPage
from desktop_app.panes.expertise.drill_down import CurveView, DrillDown
from desktop_app.panes.expertise.people_page import PeoplePage
from desktop_app.panes.expertise.set_up import SetUp
from desktop_app.panes.expertise.state import RATINGS, ExpertiseState, results_export
from desktop_app.undoing import Removal
from desktop_app.widgets.banner import Notice
from desktop_app.widgets.keys import FileDrop
from desktop_app.widgets.labels import ScrolledColumn
from desktop_app.widgets.layouts import at_least, column, splitter, tabbed
from desktop_app.writing import free_folder, write_export
from engine.errors import EnvironmentProblem
from engine.expertise.algorithms.registry import label
from engine.expertise.laboratory import Data, Laboratory, Outcome
from engine.expertise.tasks import Loaded, curve, explain, load_data, run_algorithms
from engine.jobs import Failure
from engine.models import shared_encoder

_RUN = "expertise.run"


def make_laboratory(data: Data) -> Laboratory:
    """Returns a laboratory that uses the encoder shared by the whole program."""
    return Laboratory(data, shared_encoder)


class ExpertisePane(Pane):
    """Set-up on the left, leaderboard and curves in the middle, one participant on the right."""

    pane_id = "expertise"
    shows_paper = False
    purpose = (
        "Run similarity algorithms on people's own ratings of their expertise, and see which ones order papers as "
        "people do. Start with survey answers, or with the folder of a released data set."
    )
    tables = frozenset({"study", "participant", "rating", "profile_paper", "library_paper"})
    first_step, other_steps = "expertise.add_data", ("go.survey",)

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        FileDrop(
            self, lambda path: (path / RATINGS).is_file(), lambda: self.project is not None,
            lambda folders: [*map(self.add_data, folders)],
        )  # fmt: skip
        self.state = ExpertiseState(context.state)
        self._jobs: dict[str, BridgedJob] = {}
        self._build()
        self._connect()
        self._set_up_changed()

    def _build(self) -> None:
        self.set_up = SetUp(self.context.commands, self.body)
        self.board_page = BoardPage(self.context.commands, self.body)
        self.board, self.baseline = self.board_page.board, self.board_page.baseline
        self.people = PeoplePage(self.body)
        self.curve_view = CurveView(self.body)
        self.details = DrillDown(self.body)
        pages = {"Leaderboard": self.board_page, "Participants": self.people, "Profile length": self.curve_view}
        self.tabs = tabbed("Results", pages, self.body)
        for widget, width, height in ((self.set_up, 336, 0), (self.tabs, 460, 300), (self.details, 330, 0)):
            at_least(widget, width, height)
        results = ScrolledColumn("Results and details", self.body)
        results.setWidget(splitter((self.tabs, 460, 3), (self.details, 330, 2), folding=True, parent=results))
        column(splitter((self.set_up, 336, 0), (results, 800, 1), folding=True, parent=self.body), of=self.body)

    def _connect(self) -> None:
        self.set_up.data.picked.connect(self._choose_source)
        self.set_up.changed.connect(self._set_up_changed)
        self.set_up.folder_wanted.connect(self.ask_for_model)
        self.tabs.currentChanged.connect(self.focus_view)
        self.board.chosen.connect(self._select)
        self.board.sort_chosen.connect(self.sort)
        self.baseline.picked.connect(self._choose_baseline)
        self.people.list.chosen.connect(lambda standing: self.details.choose_person(standing.participant))
        self.details.person_shown.connect(self.people.list.select)
        for page in (self.people, self.details):
            page.other.picked.connect(partial(self._select, other=True))
        self.details.paper_chosen.connect(self._explain)

    def project_set(self) -> None:
        self._cancel()
        self.state.open(self.project)
        self._show_board()

    def is_empty(self) -> bool:
        return self.state.is_empty

    def refresh(self) -> None:
        wanted = self.state.read()
        if wanted:
            self.set_up.show_sources(self.state.sources, wanted)
            self._load(wanted)

    def take_focus(self) -> None:
        main = {self.board_page: self.board, self.people: self.people.list}
        main.get(self.tabs.currentWidget(), self.tabs.tabBar()).setFocus()

    def _choose_source(self, key: str) -> None:
        if key and key != self.state.source:
            self._load(key)

    def _load(self, key: str) -> None:
        state = self.state
        if key != state.source:
            self._cancel()
            state.choose(key)
            self._show_board()
        source = next(source for source in state.sources if source.key == key)
        task = load_data(source.load, state.store, make_laboratory)
        self.set_up.facts.setText(state.facts())
        self.calculate(task, self._loaded, self._not_loaded, "load")

    def _loaded(self, loaded: Loaded) -> None:
        self.state.take(loaded)
        self.set_up.facts.setText(self.state.facts())
        self._show_board()

    def _not_loaded(self) -> None:
        self.state.choose(self.state.source)
        self.set_up.facts.setText("This data set wasn't read.")
        self._show_board()

    def add_data(self, folder: Path) -> None:
        key = self.result(lambda: self.state.add_data(folder), _RUN)
        if key is not None:
            self.mark_dirty()
            self._choose_source(key)
            self.set_up.show_sources(self.state.sources, key)

    def _set_up_changed(self) -> None:
        self.state.setup, self.state.choices = self.set_up.setup(), self.set_up.choices()
        self._show_board()

    def run(self) -> None:
        self.banner.dismiss(_RUN)
        self.removal = None  # restoring it would replace the new result
        self._jobs["run"] = self.context.bridge.submit(
            run_algorithms(present(self.state.loaded).laboratory, self.state.store, *self.state.begin()),
            self,
            on_partial=self._arrived,
            on_done=lambda _count: self._ended(),
            on_error=partial(self._failed, self._ended),
            on_cancelled=self._ended,
        )
        self._show_board()

    def run_curves(self) -> None:
        loaded = present(self.state.loaded)
        self.banner.dismiss(_RUN)
        self.removal = None
        self.tabs.setCurrentWidget(self.curve_view)
        for choice in self.state.begin_curves():
            name = choice.label
            self._jobs[f"curve {name}"] = self.context.bridge.submit(
                curve(loaded.laboratory, self.state.store, choice, self.state.setup),
                self,
                on_partial=self._arrived,
                on_done=partial(self._curve_ended, name),
                on_error=partial(self._failed, partial(self._curve_ended, name)),
                on_cancelled=partial(self._curve_ended, name),
            )
        self.context.commands.state_changed.emit()

    def stop(self) -> None:
        self._cancel("run")
        self._cancel("curve ")
        self.state.curving.clear()
        self._ended()

    def _cancel(self, kind: str = "") -> None:
        """Cancels the jobs whose names start with ``kind``."""
        for name in [name for name in self._jobs if name.startswith(kind)]:
            self._jobs.pop(name).cancel()

    def _arrived(self, outcome: Outcome) -> None:
        if self.state.add(outcome):
            self._show_board()
        else:
            self.curve_view.show_curves(*self.state.curves())

    def _ended(self) -> None:
        self.state.ended()
        self._show_board()

    def _curve_ended(self, name: str, _lengths: int = 0) -> None:
        self.state.curving.discard(name)
        self.context.commands.state_changed.emit()

    def _failed(self, ended: Callable[[], object], failure: Failure) -> None:
        ended()
        self.show_failure(failure, _RUN)

    def _show_board(self) -> None:
        state = self.state
        shown, apart = state.board()
        state.select_in(shown)
        labels = [outcome.run.label for outcome in shown]
        base = next((outcome.run.label for outcome in shown if outcome.run.id not in apart), "")
        self.baseline.show_entries([(name, name) for name in labels], base)
        self.board.show_outcomes(shown, apart, state.awaited, state.sorted_by)
        self.set_status(state.status(shown))
        self._show_selected()

    def _show_selected(self) -> None:
        state = self.state
        data, one, (others, other) = state.loaded.data if state.loaded else None, state.selected, state.others()
        self.board.select(one.run.id if one is not None else "")
        self.people.show_outcome(data, one, others, other)
        self.details.show_outcome(data, one, others, other)
        self.curve_view.show_curves(*state.curves())
        self.context.commands.state_changed.emit()

    def _select(self, run_id: str, *, other: bool = False) -> None:
        (self.state.compare_with if other else self.state.select)(run_id)
        self._show_selected()

    def _choose_baseline(self, name: str) -> None:
        self.state.baseline = name
        self._show_board()

    def sort(self, column: str = "") -> None:
        if column:
            self.state.sorted_by = column
        else:
            self.state.sort_next()
        self._show_board()

    def step_person(self, by: int) -> None:
        (self.people.list if self.people.isVisible() else self.details).step(by)

    def next_view(self) -> None:
        self.tabs.setCurrentIndex((self.tabs.currentIndex() + 1) % self.tabs.count())
        self.take_focus()

    def _explain(self, paper: str) -> None:
        loaded, one = self.state.loaded, self.state.selected
        if not self.details.wants_reasons or loaded is None or one is None:
            return
        self._cancel("explain")
        folder = self.set_up.folder_of(one.run.algorithm)
        try:
            params = self.state.explanation(self.details.participant, paper, folder)
        except EnvironmentProblem as problem:
            self.details.why.setPlainText(str(problem))
            return
        self.details.why.setPlainText("Looking for passages…")
        self._jobs["explain"] = self.context.bridge.submit(
            explain(loaded.laboratory, params),
            self,
            on_done=partial(self.details.show_reasons, paper),
            on_error=self._not_explained,
            on_cancelled=partial(self.details.why.setPlainText, "Cancelled. Select the paper again to see why."),
        )

    def _not_explained(self, failure: Failure) -> None:
        if failure.problem is None:
            self.context.bridge.job_failed.emit(failure)
        self.details.why.setPlainText(str(failure.problem) if failure.problem is not None else failure.summary)

    def ask_for_model(self, algorithm: str) -> None:
        folder = self.context.files.choose_folder(self, f"Choose the model folder for {label(algorithm)}")
        self.set_up.set_folder(algorithm, folder)

    def forget(self) -> None:
        outcome = present(self.state.selected)
        if self.act(lambda: self.state.forget(outcome), _RUN):
            self.removal = Removal(outcome.run.label, partial(self._restore, outcome))
            undo = (("Undo", self.removal.run),)
            self.banner.show_notice(Notice(_RUN, f"Deleted {outcome.run.label}.", kind="note", actions=undo))
        self._show_board()

    def _restore(self, outcome: Outcome) -> None:
        if self.act(lambda: self.state.restore(outcome), _RUN):
            self.removal = None
        self._show_board()

    def export_to(self, parent: Path) -> None:
        """Writes the results into a new folder in ``parent``."""
        folder = free_folder(parent, "similarity-results")
        self.write_files(write_export("expertise.export", folder, partial(results_export, self.state.results())))
