"""Expertise: similarity algorithms run on people's own ratings, compared with intervals, and looked into."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QDesktopServices, QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QSplitter,
    QTabWidget,
    QWidget,
)

from desktop_app.context import AppContext
from desktop_app.panes.base import Pane
from desktop_app.panes.expertise.board import SORTS, LeaderBoard
from desktop_app.panes.expertise.board_page import BoardPage
from desktop_app.panes.expertise.curve_view import CurveView
from desktop_app.panes.expertise.drill_down import DrillDown
from desktop_app.panes.expertise.people_page import PeoplePage
from desktop_app.panes.expertise.set_up import SetUp
from desktop_app.panes.expertise.sources import Source, add_folder, sources
from desktop_app.widgets.banner import Notice
from desktop_app.writing import Written, free_folder, write_export
from engine.exchange.records import Export
from engine.exchange.similarity_report import comparison_files, curve_files, leaderboard_files, scores_file
from engine.expertise.algorithms.registry import FOLDER, label
from engine.expertise.laboratory import Choice, Data, Laboratory, Outcome, Setup, curves, differences, texts_missing
from engine.expertise.laboratory_store import PUBLISHED, LaboratoryStore
from engine.expertise.tasks import (
    Curve,
    Explain,
    Loaded,
    RunAlgorithms,
    curve,
    explain,
    load_data,
    run_algorithms,
)
from engine.models import shared_encoder

if TYPE_CHECKING:
    from desktop_app.engine_bridge import BridgedJob
    from engine.expertise.algorithms.base import Evidence
    from engine.expertise.evaluation import Evaluation
    from engine.jobs import Failure, Report

_RUN, _EXPORT = "expertise.run", "expertise.export"
_SIDES = "expertise.sides"
_BASELINE = label("tpms")
"""What differences are to until a person chooses: the algorithm that most venues used."""


class ExpertisePane(Pane):
    """Set-up at the left, leaderboard and curves in the middle, one participant at the right."""

    pane_id = "expertise"
    title = "Expertise"
    icon = "flask"
    purpose = (
        "Run similarity algorithms on people's own ratings of their expertise, and see which orders papers as they do. "
        "Start with the answers to a survey, or with the folder of a released data set."
    )
    tables = frozenset({"study", "participant", "rating", "profile_paper", "library_paper"})
    first_step = "expertise.add_data"

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self.setAcceptDrops(True)
        self.loaded: Loaded | None = None
        self.outcomes: dict[str, Outcome] = {}
        self._sources: tuple[Source, ...] = ()
        self._source = ""
        self._loading: BridgedJob | None = None
        self._running: BridgedJob | None = None
        self._explaining: BridgedJob | None = None
        self._curving: dict[str, BridgedJob] = {}
        self._awaited: list[str] = []
        self._baseline = _BASELINE
        self._other = ""
        self._build()

    def _build(self) -> None:
        self.set_up = SetUp(self.context.commands, self.body)
        self.set_up.setProperty("role", "surface")
        self.set_up.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.set_up.source_chosen.connect(self._choose_source)
        self.set_up.changed.connect(self._setup_changed)
        self.set_up.folder_wanted.connect(self._ask_for_model)
        self.board = LeaderBoard(self.body)
        self.board.chosen.connect(lambda _run: self._came_to_hand())
        self.curve_view = CurveView(self.body)
        self.people = PeoplePage(self.body)
        self.board_page = BoardPage(self.board, self.body)
        self.baseline = self.board_page.baseline
        self.baseline.activated.connect(self._choose_baseline)
        self.tabs = QTabWidget(self.body)
        self.tabs.setAccessibleName("Results")
        self.tabs.tabBar().setAccessibleName("Results")
        self.tabs.setDocumentMode(True)
        self.tabs.tabBar().setDrawBase(False)
        for page, title in (
            (self.board_page, "Leaderboard"), (self.people, "Participants"), (self.curve_view, "Profile length"),
        ):  # fmt: skip
            self.tabs.addTab(page, title)
        self.details = DrillDown(self.body)
        self.details.paper_chosen.connect(self._explain)
        self.details.person_shown.connect(self.people.show_person)
        self.details.other_chosen.connect(self._choose_other)
        self.people.person_chosen.connect(self.details.choose_person)
        self.people.other_chosen.connect(self._choose_other)
        self.splitter = QSplitter(Qt.Orientation.Horizontal, self.body)
        self.splitter.setChildrenCollapsible(False)
        for widget, least, stretch in ((self.set_up, 288, 0), (self.tabs, 470, 3), (self.details, 330, 2)):
            widget.setMinimumWidth(least)
            self.splitter.addWidget(widget)
            self.splitter.setStretchFactor(self.splitter.indexOf(widget), stretch)
        self.splitter.setSizes([226, 560, 340])
        kept = self.context.state.bytes(_SIDES)
        if kept:
            self.splitter.restoreState(kept)
        self.splitter.splitterMoved.connect(
            lambda _pos, _at: self.context.state.set_bytes(_SIDES, self.splitter.saveState())
        )
        layout = QHBoxLayout(self.body)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.splitter)

    # --- data -----------------------------------------------------------------------------------------------------
    def project_set(self) -> None:
        self.loaded = None  # first: nothing is asked of data that go
        self.stop()
        for job in (self._loading, self._explaining):
            if job is not None:
                job.cancel()
        self._loading = self._explaining = None
        self._source = ""
        self.outcomes = {}

    def is_empty(self) -> bool:
        return not sources(self.project, self.context.state)

    def refresh(self) -> None:
        self.set_up.add_buttons()
        self.board_page.add_buttons(self.context.commands)
        self._sources = sources(self.project, self.context.state)
        if not self._sources:
            return
        keys = [source.key for source in self._sources]
        wanted = self._source if self._source in keys else keys[0]
        self.set_up.show_sources(self._sources, wanted)
        self._load(wanted)

    def _choose_source(self, key: str) -> None:
        if key and key != self._source:
            self._load(key)

    def _load(self, key: str) -> None:
        assert self.project is not None
        if key != self._source:
            self.stop()
            self.outcomes, self.loaded = {}, None
            self._show_board()
        self._source = key
        source = next(source for source in self._sources if source.key == key)
        if self._loading is not None:
            self._loading.cancel()
        task = load_data(key, source.load, LaboratoryStore(self.project), self._laboratory)
        self.set_up.show_facts("Reading…" if self.loaded is None else self._facts(self.loaded.data))
        self._loading = self.context.bridge.submit(
            task, self, on_done=self._took, on_error=self._failed, on_cancelled=self._loading_cancelled
        )

    def _loading_cancelled(self) -> None:
        self._loading, self._source = None, ""
        self.set_up.show_facts("Reading was cancelled. Select the data set again.")

    @staticmethod
    def _laboratory(data: Data) -> Laboratory:
        return Laboratory(data, shared_encoder)

    def _took(self, loaded: Loaded) -> None:
        self._loading = None
        self.loaded = loaded
        self.outcomes = {outcome.run.id: outcome for outcome in loaded.outcomes}
        self.set_up.show_facts(self._facts(loaded.data))
        self._show_board()
        self.context.commands.state_changed.emit()

    @staticmethod
    def _facts(data: Data) -> str:
        gold = data.gold
        no_abstract, no_text = texts_missing(gold)
        rated = len({rating.paper for rating in gold.ratings})
        words = f"{len(gold.participants)} participants, {len(gold.ratings)} ratings of {rated} papers."
        if no_abstract:
            words += f" {no_abstract} without abstract or year."
        return words + (f" {no_text} without full text." if no_text else " All with full text.")

    def ask_for_data(self) -> None:
        """Asks for a data folder."""
        folder = self.context.files.choose_folder(self, "Open an expertise data set")
        if folder is not None:
            self.add_data(folder)

    def add_data(self, folder: Path) -> None:
        """Adds a data folder and brings it to hand."""
        if not (folder / "evaluations.csv").is_file():
            words = "Choose the folder that holds evaluations.csv, participants and papers."
            self.banner.show_notice(Notice(_RUN, f"There is no evaluations.csv in {folder.name}.", "", words))
            return
        self.banner.dismiss(_RUN)
        key = add_folder(self.context.state, folder)
        self.mark_dirty()
        self._choose_source(key)
        self.set_up.show_sources(self._sources, key)

    # --- running --------------------------------------------------------------------------------------------------
    def _setup_changed(self) -> None:
        self._show_board()
        self.context.commands.state_changed.emit()

    def can_run(self) -> bool:
        """Whether there are data, something ticked, and nothing that runs."""
        return self.loaded is not None and self._running is None and bool(self.set_up.choices())

    def can_stop(self) -> bool:
        """Whether anything runs."""
        return self._running is not None or bool(self._curving)

    def has_outcomes(self) -> bool:
        """Whether there are results."""
        return bool(self.outcomes)

    def run(self) -> None:
        """Runs the ticked algorithms."""
        if not self.can_run():
            return
        assert self.project is not None and self.loaded is not None
        choices, setup = self.set_up.choices(), self.set_up.setup()
        self._awaited = [choice.label for choice in choices]
        self.banner.dismiss(_RUN)
        task = run_algorithms(self.loaded.laboratory, LaboratoryStore(self.project), RunAlgorithms(choices, setup))
        self._running = self.context.bridge.submit(
            task,
            self,
            on_partial=self._arrived,
            on_done=lambda _n: self._ended(),
            on_error=self._run_failed,
            on_cancelled=self._ended,
        )
        self._show_board()
        self.context.commands.state_changed.emit()

    def run_curves(self) -> None:
        """Loss by profile length for the ticked algorithms, one job each."""
        if self.loaded is None:
            return
        self.tabs.setCurrentWidget(self.curve_view)
        assert self.project is not None
        setup, store = self.set_up.setup(), LaboratoryStore(self.project)
        for choice in self.set_up.choices():
            self._curving[choice.label] = self.context.bridge.submit(
                curve(self.loaded.laboratory, store, Curve(choice, setup)),
                self,
                on_partial=self._arrived,
                on_done=partial(self._curve_ended, choice.label),
                on_error=partial(self._curve_failed, choice.label),
                on_cancelled=partial(self._curve_ended, choice.label),
            )
        self.context.commands.state_changed.emit()

    def _curve_ended(self, name: str, _lengths: int = 0) -> None:
        self._curving.pop(name, None)
        self.context.commands.state_changed.emit()

    def _curve_failed(self, name: str, failure: Failure) -> None:
        self._curve_ended(name)
        self._failed(failure)

    def stop(self) -> None:
        """Stops what runs; what has arrived stays."""
        for job in self._curving.values():
            job.cancel()
        self._curving.clear()
        if self._running is not None:
            self._running.cancel()
            self._ended()
        self.context.commands.state_changed.emit()

    def _arrived(self, outcome: Outcome) -> None:
        for key in [key for key, known in self.outcomes.items() if known.run.kind == outcome.run.kind]:
            del self.outcomes[key]
        self.outcomes[outcome.run.id] = outcome
        setup = self.set_up.setup()
        if (outcome.run.representation, outcome.run.profile_length) != (setup.representation, setup.length):
            self._show_curves()
            return
        if outcome.run.label in self._awaited:
            self._awaited.remove(outcome.run.label)
        self._show_board()

    def _ended(self) -> None:
        self._running = None
        self._awaited = []
        self._show_board()
        self.context.commands.state_changed.emit()

    def _run_failed(self, failure: Failure) -> None:
        self._ended()
        self._failed(failure)

    def _failed(self, failure: Failure) -> None:
        if failure.problem is not None:
            self.show_problem(failure.problem, _RUN)
        else:
            self.context.bridge.job_failed.emit(failure)

    # --- showing --------------------------------------------------------------------------------------------------
    def shown(self) -> tuple[Outcome, ...]:
        """The outcomes of the representation and profile length that are set."""
        setup = self.set_up.setup()
        return tuple(
            outcome
            for outcome in self.outcomes.values()
            if outcome.run.representation == setup.representation and outcome.run.profile_length == setup.length
        )

    def _show_board(self) -> None:
        found = self.shown()
        self.baseline.blockSignals(True)
        self.baseline.clear()
        for outcome in found:
            self.baseline.addItem(outcome.run.label, outcome.run.label)
        at = self.baseline.findData(self._baseline)
        self.baseline.setCurrentIndex(at if at >= 0 else (0 if found else -1))
        self.baseline.blockSignals(False)
        base = next((o for o in found if o.run.label == self.baseline.currentData()), None)
        apart = differences(found, base) if base is not None else {}
        self.board.show_outcomes(found, apart, self._awaited)
        self._show_drill()
        self._show_curves()
        count = len(found)
        self.set_status(
            f"{count} of {count + len(self._awaited)} algorithms done"
            if self._awaited
            else f"{count} algorithms compared"
        )

    def _curves(self) -> dict[str, Sequence[tuple[int, Evaluation]]]:
        """What is known of profile lengths, by the names that stand at the lines."""
        found = curves(tuple(self.outcomes.values()))
        alone = len({read for _, read in found}) == 1
        return {name if alone else f"{name} · {read}": points for (name, read), points in found.items()}

    def _show_curves(self) -> None:
        at = self.outcomes.get(self.board.at_hand)
        names = (at.run.label, f"{at.run.label} · {at.run.representation}") if at is not None else ()
        drawn = self._curves()
        self.curve_view.show_curves(drawn, next((name for name in names if name in drawn), ""))

    def sort_next(self) -> None:
        """Sorts the leaderboard by the next column."""
        self.board.sort(SORTS[(SORTS.index(self.board.sorted_by) + 1) % len(SORTS)])

    def _choose_baseline(self, _at: int) -> None:
        self._baseline = self.baseline.currentData()
        self._show_board()

    def _came_to_hand(self) -> None:
        self._show_drill()
        self._show_curves()
        self.context.commands.state_changed.emit()

    def _show_drill(self) -> None:
        data = self.loaded.data if self.loaded is not None else None
        one = self.outcomes.get(self.board.at_hand)
        others = [
            outcome
            for outcome in self.outcomes.values()
            if one is not None and outcome.run.profile_length == one.run.profile_length
        ]
        # Those that read the same first: they stand on the board, too.
        others.sort(key=lambda outcome: one is not None and outcome.run.representation != one.run.representation)
        against = self._other or next((o.run.id for o in others if o.run.label == self.baseline.currentData()), "")
        self.people.show_outcome(data, one, others, against)
        self.details.show_outcome(data, one, others, against)

    def _choose_other(self, run_id: str) -> None:
        self._other = run_id
        self._show_drill()

    def step_person(self, by: int) -> None:
        """Brings the next or previous participant to hand, in the order of the page that is shown."""
        (self.people if self.people.isVisible() else self.details).step(by)

    def next_view(self) -> None:
        """Turns to the next page of results."""
        self.tabs.setCurrentIndex((self.tabs.currentIndex() + 1) % self.tabs.count())

    def _explain(self, paper: str) -> None:
        outcome = self.outcomes.get(self.board.at_hand)
        if not self.details.wants_reasons or self.loaded is None or outcome is None:
            return
        if self._explaining is not None:
            self._explaining.cancel()
        if outcome.run.origin == PUBLISHED:
            self.details.show_no_reasons("Published scores come without reasons. Run the algorithm to see why.")
            return
        self.details.show_reasons_awaited()
        run = outcome.run
        setup = Setup(run.representation, run.profile_length, run.draws, run.seed)
        own = tuple(option for option in run.options if option[0] != FOLDER)
        choice = Choice(run.algorithm, self.set_up.folder_of(run.algorithm) if own != run.options else None, own)
        if choice.label != run.label:
            self.details.show_no_reasons(
                f"It was made with the folder “{dict(run.options)[FOLDER]}”. Choose it at the left to see why."
            )
            return
        params = Explain(choice, setup, self.details.participant, paper)
        self._explaining = self.context.bridge.submit(
            explain(self.loaded.laboratory, params),
            self,
            on_done=partial(self._explained, paper),
            on_error=self._not_explained,
            on_cancelled=lambda: self._not_explained(None),
        )

    def _explained(self, paper: str, evidence: tuple[Evidence, ...]) -> None:
        self._explaining = None
        self.details.show_reasons(paper, evidence)

    def _not_explained(self, failure: Failure | None) -> None:
        self._explaining = None
        if failure is None:
            self.details.show_no_reasons("Cancelled. Select the paper again to see why.")
            return
        if failure.problem is None:
            self.context.bridge.job_failed.emit(failure)
        self.details.show_no_reasons(str(failure.problem) if failure.problem is not None else failure.summary)

    # --- models, exports ------------------------------------------------------------------------------------------
    def ask_for_model(self) -> None:
        """Asks for the model folder of the algorithm at hand in the list."""
        self._ask_for_model(self.set_up.at_hand.id)

    def _ask_for_model(self, algorithm: str) -> None:
        folder = self.context.files.choose_folder(self, f"Choose the model folder for {label(algorithm)}")
        self.set_up.set_folder(algorithm, folder)

    def can_forget(self) -> bool:
        """Whether a run is at hand that the project keeps."""
        at = self.outcomes.get(self.board.at_hand)
        own = at is not None and at.run.origin != PUBLISHED
        return own and self.project is not None and not self.project.read_only

    def forget(self) -> None:
        """Drops the run at hand."""
        run = self.board.at_hand
        if run and self.project is not None:
            LaboratoryStore(self.project).forget([run])
            self.outcomes.pop(run, None)
            self._show_board()

    def ask_for_export(self) -> None:
        """Asks where the results shall go."""
        folder = self.context.files.choose_folder(self, "Export the results")
        if folder is not None:
            self.export_to(free_folder(folder, "similarity-results"))

    def export_to(self, folder: Path) -> None:
        """Writes everything that is shown into a folder of its own."""
        shown = self.board.outcomes
        base = next((o for o in shown if o.run.label == self.baseline.currentData()), None)
        apart = differences(shown, base) if base is not None else {}
        lengths = self._curves()

        def make(_report: Report) -> Export:
            files = (*leaderboard_files(shown, apart), *comparison_files(shown), *map(scores_file, shown))
            return Export((*files, *(curve_files(lengths) if lengths else ())))

        self.context.bridge.submit(
            write_export(_EXPORT, folder, make), self, on_done=self._written, on_error=self._failed
        )

    def _written(self, written: Written) -> None:
        show = ("Show the folder", lambda: QDesktopServices.openUrl(QUrl.fromLocalFile(written.folder)))
        words = f"{len(written.names)} files written into {Path(written.folder).name}."
        self.banner.show_notice(Notice(_EXPORT, words, kind="note", actions=(show,)))

    # --- the rest -------------------------------------------------------------------------------------------------
    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if any((Path(url.toLocalFile()) / "evaluations.csv").is_file() for url in event.mimeData().urls()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        for url in event.mimeData().urls():
            if (Path(url.toLocalFile()) / "evaluations.csv").is_file():
                self.add_data(Path(url.toLocalFile()))

    def take_focus(self) -> None:
        self.board.setFocus()
