"""ReviewBench: reviews of the same papers by any number of sources, scored by rubrics made for each paper."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtWidgets import QInputDialog, QWidget

from desktop_app.context import AppContext
from desktop_app.panes.base import Pane
from desktop_app.panes.benchmark.comparison import ComparisonView
from desktop_app.panes.benchmark.rating_view import RatingView
from desktop_app.panes.benchmark.state import (
    REVIEWS,
    Added,
    Adding,
    BenchmarkState,
    Reporting,
    add_task,
    export_task,
    report_task,
    scores_of,
)
from desktop_app.theme import theme
from desktop_app.widgets.choice_box import ChoiceBox
from desktop_app.widgets.command_menu import CommandMenuButton
from desktop_app.widgets.entry_list import EntryList
from desktop_app.widgets.labels import hairline
from desktop_app.widgets.layouts import column, command_buttons, row, splitter, stacked, tabs
from desktop_app.writing import free_folder
from engine.documents.store import DocumentStore
from engine.models.library import Added as AddedModel
from engine.shown import counted

if TYPE_CHECKING:
    from desktop_app.engine_bridge import BridgedJob
    from engine.exchange.review_benchmark import BenchmarkReport
    from engine.jobs import Task

_WORK = "work"
_FILES = "Reviews (*.json *.jsonl *.md *.markdown *.txt)"
_MENU = (
    "add", "add_human", "add_drafts", "", "filter", "judge_model", "", "export_tables", "export_figures", "", "remove",
)  # fmt: skip


class BenchmarkPane(Pane):
    """Two views of one benchmark: sources side by side, and the reviews one by one with their scores."""

    pane_id = "benchmark"
    title = "Benchmark"
    icon = "chart-bar-horizontal"
    shows_paper = False
    purpose = (
        "Compare reviews of the same papers, written by people, by systems, or your own drafts, using rubrics made "
        "for each paper. Start by adding files of reviews."
    )
    tables = frozenset(
        {
            "benchmark", "benchmark_paper", "benchmark_review", "benchmark_rubric", "rubric_rating", "judge_run",
            "annotator",
        }
    )  # fmt: skip
    first_step = "benchmark.add"

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self.state = BenchmarkState()
        self._reporting: BridgedJob | None = None
        self._build()
        self._connect()

    def _build(self) -> None:
        registry = self.context.commands
        self.tabs = tabs("Views of the benchmark", ("Comparison", "Reviews and scores"), self.body)
        self.benchmark = ChoiceBox("Benchmark", letters=20, parent=self.body)
        titles = {"rubrics": "Make rubrics", "judge": "Score", "blind": "Blind"}
        self._buttons = command_buttons(registry, "benchmark", titles, self.body)
        self._buttons["blind"].setCheckable(True)
        menu = [f"benchmark.{name}" if name else "" for name in _MENU]
        more = CommandMenuButton(registry, menu, "More", self.body)
        head = row(self.tabs, None, self.benchmark, *self._buttons.values(), more, margins=(12, 4, 8, 4))
        self.comparison = ComparisonView(self.body)
        self.list = EntryList("Reviews", self.body)
        self.list.set_message("No reviews yet.")
        self.rating = RatingView(self.body)
        reviews = splitter((self.list, 250, 0), (self.rating, 950, 1), parent=self.body)
        self.views = stacked(self.body, self.comparison, reviews)
        column(head, hairline(parent=self.body), (self.views, 1), of=self.body)

    def _connect(self) -> None:
        self.tabs.currentChanged.connect(self._view_changed)
        self.benchmark.picked.connect(self._benchmark_chosen)
        self.comparison.chosen.connect(self._report_chosen)
        self.list.picked.connect(self._review_chosen)
        self.rating.scored.connect(self.score)
        self.rating.chosen.connect(self._dimension_chosen)
        self.rating.noted.connect(lambda text: self.change(lambda: self.state.set_note(text)))
        self.rating.note.left.connect(self.take_focus)
        self.rating.rubric_edited.connect(lambda rubric: self.change(lambda: self.state.edit_rubric(rubric)))
        theme().changed.connect(self._show)

    # --- the pane's duties ----------------------------------------------------------------------------------------

    def project_set(self) -> None:
        self.state.open(self.project)
        if self._reporting is not None:
            self._reporting.cancel()
        self._show()

    def is_empty(self) -> bool:
        return self.state.store is None or not self.state.store.benchmarks()

    def refresh(self) -> None:
        state = self.state
        state.read()
        self.benchmark.show_entries([(one.title, one.id) for one in state.benchmarks], state.key)
        self._show()
        self._compare()

    def take_focus(self) -> None:
        (self.list if self.state.view == REVIEWS else self.views).setFocus()

    # --- reviews and papers ---------------------------------------------------------------------------------------

    def change(self, verb: Callable[[], object]) -> None:
        """Changes the benchmark."""
        if self.state.can_change:
            self.act(verb)

    def add_files(self, *, human: bool = False) -> None:
        """Asks for files and adds their reviews; ``human``: people wrote them."""
        paths = self.context.files.open_files(self, "Add reviews", _FILES)
        if paths:
            self.add_paths(paths, human=human)

    def add_paths(self, paths: Sequence[Path], *, human: bool = False) -> None:
        """Adds the reviews of these files to the current benchmark, or to a new one."""
        state = self.state
        if state.key or self.act(lambda: state.create(paths[0].stem)):
            task = add_task(state.verbs, Adding(state.key, tuple(map(str, paths)), human))
            self._work("Reading reviews", task, self._added)

    def _added(self, found: Added) -> None:
        what = f"Added {counted(found.reviews, 'review')} of {counted(found.papers, 'new paper')}."
        if not found.reviews:
            what = "The benchmark already contains these reviews. Nothing was added."
        self.note(what, " ".join(found.warnings), _WORK)

    def add_drafts(self) -> None:
        """Adds this project's drafts as a source."""
        found: list[bool] = []
        if self.act(lambda: found.append(self.state.add_drafts())) and not found[0]:
            self.note("This project has no drafts yet.", "Draft a review in the Review pane first.")

    def filter_reviews(self) -> None:
        """Excludes human reviews that are unsuitable for a comparison."""
        found: list[str] = []
        if self.act(lambda: found.append(self.state.filter_reviews())):
            self.note(found[0], "Each excluded review says why.", _WORK)

    def choose_document(self) -> None:
        """Asks which PDF of the project the selected review is about."""
        known = self.state.documents()
        if not known:
            self.note("This project has no PDF.", "Add one in the Linking or the Review pane.")
            return
        names = [one.filename for one in known]
        name, sure = QInputDialog.getItem(self, "The paper's PDF", "PDF of this project:", names, 0, editable=False)
        if sure:
            self.change(lambda: self.state.set_document(known[names.index(name)].id))

    # --- rubrics and scores ---------------------------------------------------------------------------------------

    def make_rubrics(self) -> None:
        """Makes rubrics: with the model chosen for judging, else by rules."""
        from engine.review_drafting.benchmark.tasks import rubrics_task

        def made(papers: int) -> None:
            what = f"Made rubrics for {counted(papers, 'paper')}." if papers else "Every paper has rubrics."
            self.note(what, key=_WORK)

        self._work("Making rubrics", self._scoring(rubrics_task, self.state.model), made)

    def judge(self, model: AddedModel | None) -> None:
        """Scores all reviews: with a language model, else by rules."""
        from engine.review_drafting.benchmark.tasks import judge_task

        self._work("Scoring reviews", self._scoring(judge_task, model), self._judged)

    def _scoring(self, make: Callable[..., Task[Any, Any]], model: AddedModel | None) -> Task[Any, Any]:
        from engine.review_drafting.benchmark.tasks import Scoring

        state = self.state
        assert state.project is not None
        documents = DocumentStore(state.project), self.context.bridge.documents
        return make(*documents, state.verbs, Scoring(state.key, model))

    def _judged(self, made: tuple[str, tuple[str, ...]]) -> None:
        self.state.judged_by, problems = made
        self.refresh_now()
        if problems:
            self.note(f"{counted(len(problems), 'answer')} couldn't be used: {'; '.join(problems[:3])}", key=_WORK)

    def score_by_key(self, number: int) -> None:
        """Gives the selected dimension the score of a key."""
        dimension = self.state.dimension
        self.score(dimension, scores_of(self.rating.rows[dimension].meta)[number])

    def score(self, dimension: str, score: int) -> None:
        """Scores a dimension and goes on to the next one without a score."""
        state = self.state
        if state.can_rate:
            state.dimension = dimension
            if self.act(lambda: state.rate(score)):
                self.refresh_now()
                state.next_dimension()
        self.rating.show_review(state.scored_review())

    def clear(self) -> None:
        """Removes the score of the selected dimension."""
        if self.act(lambda: self.state.rate(None)):
            self.refresh_now()

    # --- going around ---------------------------------------------------------------------------------------------

    def show_view(self, number: int) -> None:
        self.tabs.setCurrentIndex(number)

    def step(self, by: int) -> None:
        """Goes to the next or previous review."""
        self.show_view(REVIEWS)
        self.list.step(by)

    def step_dimension(self, by: int) -> None:
        """Goes to the next or previous dimension."""
        self.state.step_dimension(by)
        self.rating.show_review(self.state.scored_review())

    def next_open(self) -> None:
        """Goes to the next missing score."""
        if not self.state.next_open():
            self.note("Every review has all eight scores.")
        self.list.select(self.state.review_id)
        self.rating.show_review(self.state.scored_review())

    def toggle_blind(self) -> None:
        """Hides sources and the judge's scores, or shows them."""
        self.state.blind = not self.state.blind
        self._show()

    def _benchmark_chosen(self, key: str) -> None:
        self.state.choose(key)
        self.refresh_now()

    def _report_chosen(self, judged_by: str, baseline: str) -> None:
        self.state.judged_by, self.state.baseline = judged_by, baseline
        self._compare()

    def _view_changed(self, number: int) -> None:
        self.state.view = number
        self.views.setCurrentIndex(number)
        self._buttons["blind"].setVisible(number == REVIEWS)
        self.take_focus()
        self.context.commands.state_changed.emit()

    def _dimension_chosen(self, name: str) -> None:
        self.state.dimension = name
        self.rating.show_review(self.state.scored_review())

    def _review_chosen(self, key: str) -> None:
        self.state.review_id = key
        self.rating.show_review(self.state.scored_review())
        self.context.commands.state_changed.emit()

    # --- jobs and files -------------------------------------------------------------------------------------------

    def _work(self, doing: str, task: Task[Any, Any], done: Callable[[Any], None]) -> None:
        """Runs a job that changes the benchmark; one at a time."""

        def finished(result: object) -> None:
            self.refresh_now()
            done(result)

        self.submit(task, finished, _WORK, ended=lambda: self._show_working(""))
        self._show_working(doing)

    def _compare(self) -> None:
        state = self.state
        if self._reporting is not None:
            self._reporting.cancel()
        if state.project is not None and state.key:
            params = Reporting(state.key, state.judged_by, state.baseline)
            self._reporting = self.submit(report_task(state.project, params), self._compared)

    def _compared(self, report: BenchmarkReport) -> None:
        self.state.report, self.state.judged_by = report, report.judged_by
        self.comparison.show_report(report)
        self.context.commands.state_changed.emit()

    def export(self, what: str) -> None:
        """Asks for a folder and writes tables or figures into it."""
        folder = self.context.files.choose_folder(self, f"Export {what}")
        if folder is not None:
            self.export_to(what, folder)

    def export_to(self, what: str, parent: Path) -> None:
        """Writes tables or figures into a new folder in ``parent``."""
        assert self.state.report is not None
        folder = free_folder(parent, f"reviewbench-{what}")
        self.write_files(export_task(self.state.report, what, folder))

    # --- showing --------------------------------------------------------------------------------------------------

    def _show(self) -> None:
        self.list.show_entries(self.state.entries(), self.state.review_id)
        self.rating.show_review(self.state.scored_review())
        self._buttons["blind"].setVisible(self.state.view == REVIEWS)
        self._buttons["blind"].setChecked(self.state.blind)
        self._show_working(self.state.working)

    def _show_working(self, doing: str) -> None:
        self.state.working = doing
        self.set_status(self.state.status())
        self.context.commands.state_changed.emit()
