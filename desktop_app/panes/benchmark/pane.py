"""ReviewBench: reviews of the same papers by any number of sources, scored by rubrics made for each paper."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QStandardItem, QStandardItemModel
from PySide6.QtWidgets import (
    QHBoxLayout,
    QInputDialog,
    QStackedWidget,
    QTabBar,
    QVBoxLayout,
    QWidget,
)

from desktop_app.context import AppContext
from desktop_app.panes.base import ACT, Pane
from desktop_app.panes.benchmark.comparison import ChoiceBox, ComparisonView
from desktop_app.panes.benchmark.rating_view import RatingView, scores_of
from desktop_app.panes.benchmark.work import (
    Added,
    Adding,
    Reporting,
    add_task,
    blind_names,
    drafts,
    export_task,
    report_task,
)
from desktop_app.theme import theme
from desktop_app.widgets.banner import Notice, written_notice
from desktop_app.widgets.buttons import CommandButton
from desktop_app.widgets.command_menu import CommandMenuButton
from desktop_app.widgets.halves import Halves
from desktop_app.widgets.keys import KeepsKeys
from desktop_app.widgets.labels import hairline
from desktop_app.widgets.row_list import RowList
from desktop_app.widgets.two_line_delegate import DETAIL, TwoLineDelegate
from desktop_app.writing import Written, free_folder
from engine.documents.store import DocumentStore
from engine.errors import EnvironmentProblem
from engine.exchange.review_benchmark import BenchmarkReport
from engine.models.library import Added as AddedModel
from engine.models.library import ModelLibrary
from engine.review_drafting.benchmark.filters import FilterSettings, filtered
from engine.review_drafting.benchmark.records import (
    BenchmarkReview,
    Judgement,
    PaperRubric,
    ReviewSet,
)
from engine.review_drafting.benchmark.store import BenchmarkStore, Rating
from engine.review_drafting.benchmark.tasks import Scoring, judge_task, rubrics_task
from engine.review_drafting.rubrics import meta_rubrics

if TYPE_CHECKING:
    from engine.jobs import Failure

_WORK, _EXPORT = "work", "export"
_REVIEWS = 1
_FILES = "Reviews (*.json *.jsonl *.md *.markdown *.txt)"
JUDGING = "review-judging"


class BenchmarkPane(Pane):
    """Two views of one benchmark: sources side by side, and the reviews one by one with their scores."""

    pane_id = "benchmark"
    title = "Benchmark"
    icon = "chart-bar-horizontal"
    purpose = (
        "Compare reviews of the same papers, by people, by systems, or your own drafts, against rubrics that are made "
        "for each paper. Start by adding files of reviews."
    )
    tables = frozenset(
        {
            "benchmark",
            "benchmark_paper",
            "benchmark_review",
            "benchmark_rubric",
            "rubric_rating",
            "judge_run",
            "annotator",
        }
    )
    first_step = "benchmark.add"

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self.store: BenchmarkStore | None = None
        self.benchmark_id = ""
        self.whole = ReviewSet()
        self.report: BenchmarkReport | None = None
        self.judged: Mapping[str, Mapping[str, Judgement]] = {}
        self.blind = False
        self.working = ""
        self.dimension = meta_rubrics()[0].id
        self._ratings: dict[str, dict[str, Rating]] = {}
        self._review_id = ""
        self._names: dict[str, str] = {}
        self._judged_by, self._baseline = "", ""
        self._asked: Reporting | None = None
        self._filling = False
        self._build()
        theme().changed.connect(self._show)

    def _build(self) -> None:
        registry = self.context.commands
        self.tabs = QTabBar(self.body)
        self.tabs.setAccessibleName("Views of the benchmark")
        self.tabs.setDrawBase(False)
        for words in ("Comparison", "Reviews and scores"):
            self.tabs.addTab(words)
        self.tabs.currentChanged.connect(self._view_changed)
        self.benchmark = ChoiceBox("Benchmark", self.body)
        self.benchmark.activated.connect(self._benchmark_chosen)
        head = QHBoxLayout()
        head.setContentsMargins(12, 4, 8, 4)
        head.setSpacing(8)
        head.addWidget(self.tabs)
        head.addStretch(1)
        head.addWidget(self.benchmark)
        self._buttons = {
            name: CommandButton(registry, f"benchmark.{name}", text=words, parent=self.body)
            for name, words in (("rubrics", "Make rubrics"), ("judge", "Score"), ("blind", "Blind"))
        }
        self._buttons["blind"].setCheckable(True)
        for button in self._buttons.values():
            KeepsKeys(button)
            head.addWidget(button)
        self.more = CommandMenuButton(
            registry,
            (
                "benchmark.add", "benchmark.add_human", "benchmark.add_drafts", "", "benchmark.filter",
                "benchmark.judge_model", "", "benchmark.export_tables", "benchmark.export_figures", "",
                "benchmark.remove",
            ),
            "More", self.body,
        )  # fmt: skip
        head.addWidget(self.more)
        self.views = QStackedWidget(self.body)
        self.comparison = ComparisonView(self.body)
        self.comparison.chosen.connect(self._figures_chosen)
        self.views.addWidget(self.comparison)
        self.views.addWidget(self._reviews())
        layout = QVBoxLayout(self.body)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(head)
        layout.addWidget(hairline(parent=self.body))
        layout.addWidget(self.views, 1)

    def _reviews(self) -> QWidget:
        self.model = QStandardItemModel(self)
        self.list = RowList("Reviews", self.body)
        self.list.setModel(self.model)
        self.list.setItemDelegate(TwoLineDelegate(self.list))
        self.list.selectionModel().currentChanged.connect(self._row_chosen)
        self.rating = RatingView(self.body)
        self.rating.scored.connect(self._scored)
        self.rating.chosen.connect(self._dimension_chosen)
        self.rating.noted.connect(self._noted)
        self.rating.rubric_edited.connect(self._rubric_edited)
        splitter = Halves(self.list, self.rating, [250, 950], self.body)
        splitter.setStretchFactor(1, 1)
        return splitter

    # --- the pane's duties ----------------------------------------------------------------------------------------

    def project_set(self) -> None:
        self.store = BenchmarkStore(self.project) if self.project is not None else None
        self.benchmark_id, self._review_id, self.working = "", "", ""
        self._judged_by, self._baseline = "", ""
        self.whole, self.report, self.judged = ReviewSet(), None, {}
        self._show()

    def is_empty(self) -> bool:
        return self.store is None or not self.store.benchmarks()

    def refresh(self) -> None:
        assert self.store is not None
        assert self.project is not None
        known = self.store.benchmarks()
        if self.benchmark_id not in {one.id for one in known}:
            self.benchmark_id = known[-1].id if known else ""
        self.benchmark.offer([(one.title, one.id) for one in known], self.benchmark_id)
        self.whole = self.store.read(self.benchmark_id)
        self._names = blind_names(self.whole.reviews)
        self._ratings = {}
        for rating in self.store.ratings(self.benchmark_id, self.project.annotator_id):
            self._ratings.setdefault(rating.review_id, {})[rating.dimension] = rating
        runs = self.store.runs(self.benchmark_id)
        self.judged = self.store.judgements(runs[0].id) if runs else {}
        self._show()
        self._compute()

    def take_focus(self) -> None:
        (self.list if self.tabs.currentIndex() == _REVIEWS else self.views).setFocus()

    # --- what can be done -----------------------------------------------------------------------------------------

    @property
    def review(self) -> BenchmarkReview | None:
        """The review at hand."""
        return next((one for one in self.whole.reviews if one.id == self._review_id), None)

    def is_writable(self) -> bool:
        return self.project is not None and not self.project.read_only and self.isVisible()

    def has_reviews(self) -> bool:
        return bool(self.whole.reviews) and self.isVisible()

    def can_write(self) -> bool:
        return self.is_writable() and bool(self.benchmark_id)

    def can_rate(self) -> bool:
        return self.can_write() and self.tabs.currentIndex() == _REVIEWS and self.review is not None

    def can_work(self) -> bool:
        return self.can_write() and self.has_reviews() and not self.working

    def can_judge(self) -> bool:
        return self.can_work() and bool(self.whole.rubrics)

    def can_judge_with_model(self) -> bool:
        return self.can_judge() and self._chosen_model() is not None

    def has_report(self) -> bool:
        return self.report is not None and bool(self.report.rows) and self.isVisible()

    def _chosen_model(self) -> AddedModel | None:
        try:
            return ModelLibrary().chosen(JUDGING)
        except EnvironmentProblem:
            return None

    # --- reviews in -----------------------------------------------------------------------------------------------

    def add_files(self) -> None:
        """Asks for files and adds their reviews."""
        self._ask(human=False)

    def add_human_files(self) -> None:
        """Asks for files of reviews by people."""
        self._ask(human=True)

    def _ask(self, *, human: bool) -> None:
        paths = self.context.files.open_files(self, "Add reviews", _FILES)
        if paths:
            self.add_paths(paths, human=human)

    def add_paths(self, paths: Sequence[Path], *, human: bool = False) -> None:
        """Has the reviews of these files added to the benchmark at hand, or to a new one."""
        store = self.store
        assert store is not None
        if not self.benchmark_id and not self._begin(paths[0].stem):
            return
        params = Adding(self.benchmark_id, tuple(map(str, paths)), human)
        self._work("Reading reviews", add_task(store, params), self._added)

    def _begin(self, title: str) -> bool:
        store = self.store
        assert store is not None
        made: list[str] = []
        if not self.act(lambda: made.append(store.create(title, initiator=self))):
            return False
        self.benchmark_id = made[0]
        return True

    def _added(self, found: Added) -> None:
        what = f"{found.reviews} reviews of {found.papers} new papers were added."
        if not found.reviews:
            what = "These reviews are there already; nothing was added."
        self.banner.show_notice(Notice(_WORK, what, " ".join(found.warnings), kind="note"))

    def add_drafts(self) -> None:
        """Adds the drafts of this project as a source."""
        project, store = self.project, self.store
        assert project is not None
        assert store is not None
        titles = {one.id: one.title or Path(one.filename).stem for one in DocumentStore(project).documents()}
        found = drafts(project, titles)
        if not found.reviews:
            self.banner.show_notice(
                Notice(
                    ACT,
                    "No review was drafted in this project yet.",
                    "The Review pane is where they are.",
                    kind="note",
                )
            )
            return
        if self.benchmark_id or self._begin("My drafts"):
            self.act(lambda: store.add(self.benchmark_id, found, "person", initiator=self))

    def filter_reviews(self) -> None:
        """Leaves out human reviews that are not fit to compare with, and takes in again those that are."""
        store = self.store
        assert store is not None
        judged = filtered(self.whole.reviews, FilterSettings())
        changed: list[int] = []
        if self.act(lambda: changed.append(store.set_kept(judged, initiator=self))):
            out = sum(not review.kept for review in judged)
            what = f"{out} of {len(judged)} reviews are left out; each says why."
            self.banner.show_notice(Notice(_WORK, what if changed[0] else f"Nothing changed: {what}", kind="note"))

    def toggle_kept(self) -> None:
        """Leaves the review at hand out of all figures, or takes it in again."""
        store, review = self.store, self.review
        assert store is not None
        assert review is not None
        why = "You left it out." if review.kept else ""
        new = review.model_copy(update={"kept": not review.kept, "why_left_out": why})
        self.act(lambda: store.set_kept([new], initiator=self))

    def choose_document(self) -> None:
        """Asks which PDF of the project the review at hand is about."""
        project, review = self.project, self.review
        assert project is not None
        assert review is not None
        known = DocumentStore(project).documents()
        if not known:
            self.banner.show_notice(
                Notice(
                    ACT, "There is no PDF in this project.", "Add it in the Linking or the Review pane.", kind="note"
                )
            )
            return
        labels = [one.filename for one in known]
        name, sure = QInputDialog.getItem(self, "The paper's PDF", "PDF of this project", labels, 0, editable=False)
        if sure:
            self.set_document(known[labels.index(name)].id)

    def set_document(self, document_id: str) -> None:
        """The paper of the review at hand is this PDF."""
        store, review = self.store, self.review
        assert store is not None
        assert review is not None
        self.act(lambda: store.set_document(review.paper_id, document_id, initiator=self))

    def remove(self) -> None:
        """Takes the benchmark out."""
        store = self.store
        assert store is not None
        self.act(lambda: store.remove(self.benchmark_id, initiator=self))

    # --- rubrics and scores ---------------------------------------------------------------------------------------

    def make_rubrics(self) -> None:
        """Has rubrics made: by the model chosen for it, else by rule."""
        store, project = self.store, self.project
        assert store is not None
        assert project is not None
        params = Scoring(self.benchmark_id, self._chosen_model())
        task = rubrics_task(DocumentStore(project), self.context.bridge.documents, store, params)
        self._work("Making rubrics", task, self._rubrics_made)

    def _rubrics_made(self, papers: int) -> None:
        what = f"Rubrics were made for {papers} papers." if papers else "Every paper has its rubrics already."
        self.banner.show_notice(Notice(_WORK, what, kind="note"))

    def judge(self, model: AddedModel | None) -> None:
        """Has all reviews scored."""
        store, project = self.store, self.project
        assert store is not None
        assert project is not None
        params = Scoring(self.benchmark_id, model)
        task = judge_task(DocumentStore(project), self.context.bridge.documents, store, params)
        self._work("Scoring reviews", task, self._judged)

    def judge_with_model(self) -> None:
        """Has all reviews scored by the model chosen for it."""
        self.judge(self._chosen_model())

    def _judged(self, run_id: str) -> None:
        self._judged_by = run_id
        self.refresh_now()

    def score_by_key(self, number: int) -> None:
        """Gives the dimension at hand the score of a key, and goes on."""
        meta = next(one for one in meta_rubrics() if one.id == self.dimension)
        self._scored(self.dimension, scores_of(meta)[number])

    def _scored(self, dimension: str, score: int) -> None:
        store, review = self.store, self.review
        if store is None or review is None or not self.can_rate():
            self._show_review()
            return
        self.dimension = dimension
        note = self._note_of(review.id, dimension)
        if self.act(lambda: store.rate(review.id, dimension, score, note, initiator=self)):
            self.refresh_now()
            self._on_to_open()

    def _note_of(self, review_id: str, dimension: str) -> str:
        rating = self._ratings.get(review_id, {}).get(dimension)
        return rating.note if rating else ""

    def _on_to_open(self) -> None:
        """The next open dimension of this review; it stays where none is open, so that the last score can be seen."""
        names = [meta.id for meta in meta_rubrics()]
        start = names.index(self.dimension)
        for step in range(1, len(names)):
            name = names[(start + step) % len(names)]
            if self._score_of(self._review_id, name) is None:
                self.dimension = name
                break
        self._show_review()

    def _score_of(self, review_id: str, dimension: str) -> int | None:
        rating = self._ratings.get(review_id, {}).get(dimension)
        return rating.score if rating else None

    def clear(self) -> None:
        """Takes the score of the dimension at hand back."""
        store, review = self.store, self.review
        assert store is not None
        assert review is not None
        note = self._note_of(review.id, self.dimension)
        if self.act(lambda: store.rate(review.id, self.dimension, None, note, initiator=self)):
            self.refresh_now()

    def write_note(self) -> None:
        """Puts the cursor into the note."""
        self.rating.note.setFocus()

    def _noted(self, text: str) -> None:
        store, review = self.store, self.review
        if store is not None and review is not None and text != self._note_of(review.id, self.dimension):
            score = self._score_of(review.id, self.dimension)
            self.act(lambda: store.rate(review.id, self.dimension, score, text, initiator=self))

    def _rubric_edited(self, rubric: PaperRubric) -> None:
        store, review = self.store, self.review
        if store is not None and review is not None:
            self.act(lambda: store.edit_rubric(review.paper_id, rubric, initiator=self))

    # --- going about ----------------------------------------------------------------------------------------------

    def step(self, by: int) -> None:
        """The next or previous review."""
        if self.whole.reviews:
            self.show_view(_REVIEWS)
            row = self.list.currentIndex().row()
            self.list.select_row(min(max(row + by, 0), len(self.whole.reviews) - 1))

    def step_dimension(self, by: int) -> None:
        """The next or previous dimension."""
        names = [meta.id for meta in meta_rubrics()]
        self._dimension_chosen(names[min(max(names.index(self.dimension) + by, 0), len(names) - 1)])

    def next_open(self) -> None:
        """The next score that is not given, in this review first, then in the ones after it."""
        names = [meta.id for meta in meta_rubrics()]
        reviews = [one for one in self.whole.reviews if one.kept]
        ids = [one.id for one in reviews]
        start = ids.index(self._review_id) if self._review_id in ids else 0
        for review in reviews[start:] + reviews[:start]:
            name = next((one for one in names if self._score_of(review.id, one) is None), None)
            if name is not None:
                self.dimension = name
                self.list.select_row([one.id for one in self.whole.reviews].index(review.id))
                self._show_review()
                return
        self.banner.show_notice(Notice(ACT, "Every review has all eight scores.", kind="note"))

    def toggle_blind(self) -> None:
        """Hides whose review it is, and the judge's scores, or shows them."""
        self.blind = not self.blind
        self._show()

    def show_view(self, number: int) -> None:
        """Brings a view to the front."""
        self.tabs.setCurrentIndex(number)

    # --- files ----------------------------------------------------------------------------------------------------

    def export(self, what: str) -> None:
        """Asks where to write, and has it written."""
        folder = self.context.files.choose_folder(self, f"Export {what}")
        if folder is not None:
            self.export_to(what, folder)

    def export_to(self, what: str, parent: Path) -> None:
        """Has tables or figures written into a new folder there."""
        assert self.report is not None
        folder = free_folder(parent, f"reviewbench-{what}")
        self.context.bridge.submit(
            export_task(self.report, what, folder),
            self,
            on_done=self._exported,
            on_error=lambda failure: self.show_failure(failure, _EXPORT),
        )

    def _exported(self, done: Written) -> None:
        paths = [str(Path(done.folder) / name) for name in done.names]
        self.banner.show_notice(written_notice(_EXPORT, paths, done.loss))

    # --- acts and jobs --------------------------------------------------------------------------------------------

    def _work(self, words: str, task: object, done: Callable[..., None]) -> None:
        self.working = words

        def finished(result: object) -> None:
            self.working = ""
            self.refresh_now()
            done(result)

        def failed(failure: Failure) -> None:
            self.working = ""
            self.show_failure(failure, _WORK)
            self._show_told()

        self.context.bridge.submit(task, self, on_done=finished, on_error=failed)  # type: ignore[arg-type]
        self._show_told()

    def _compute(self) -> None:
        if self.project is not None and self.benchmark_id:
            asked = self._asked = Reporting(self.benchmark_id, self._judged_by, self._baseline)
            self.context.bridge.submit(
                report_task(self.project, asked),
                self,
                on_done=lambda report: self._computed(report, asked),
                on_error=lambda failure: self.show_failure(failure, _WORK),
            )

    def _computed(self, report: BenchmarkReport, asked: Reporting) -> None:
        if asked != self._asked:
            return  # another question was asked meanwhile
        self.report = report
        self._judged_by = report.judged_by
        self.comparison.show_report(report)
        self.context.commands.state_changed.emit()

    # --- showing --------------------------------------------------------------------------------------------------

    def _benchmark_chosen(self, _at: int) -> None:
        self.benchmark_id = self.benchmark.currentData() or ""
        self._judged_by, self._baseline, self._review_id = "", "", ""
        self.refresh_now()

    def _figures_chosen(self, judged_by: str, baseline: str) -> None:
        self._judged_by, self._baseline = judged_by, baseline
        self._compute()

    def _view_changed(self, number: int) -> None:
        self.views.setCurrentIndex(number)
        self._show_head()
        self.take_focus()
        self.context.commands.state_changed.emit()

    def _dimension_chosen(self, name: str) -> None:
        self.dimension = name
        self._show_review()

    def _row_chosen(self, *_indices: object) -> None:
        if not self._filling:
            row = self.list.currentIndex().row()
            reviews = self.whole.reviews
            self._review_id = reviews[row].id if 0 <= row < len(reviews) else ""
            self._show_review()
            self.context.commands.state_changed.emit()

    def _show(self) -> None:
        reviews = self.whole.reviews
        titles = {paper.id: paper.title for paper in self.whole.papers}
        self._filling = True
        if [review.id for review in reviews] != [self._key(at) for at in range(self.model.rowCount())]:
            self.model.clear()
            for _ in reviews:
                self.model.appendRow(QStandardItem())
        if self.review is None and reviews:
            self._review_id = reviews[0].id
        for at, review in enumerate(reviews):
            scored = sum(self._score_of(review.id, meta.id) is not None for meta in meta_rubrics())
            done = scored == len(meta_rubrics())
            state = "left out" if not review.kept else "all scored" if done else f"{scored} of {len(meta_rubrics())}"
            icon = "minus-circle" if not review.kept else "check" if done else "circle-dashed"
            entry = self.model.item(at)
            for role, value in (
                (int(Qt.ItemDataRole.UserRole), review.id),
                (int(Qt.ItemDataRole.DisplayRole), self._name(review)),
                (int(DETAIL), f"{titles.get(review.paper_id, '')} · {state}"),
                (int(Qt.ItemDataRole.AccessibleTextRole), f"{self._name(review)}, {state}"),
                (int(Qt.ItemDataRole.DecorationRole), theme().icon(icon, "muted")),
            ):
                entry.setData(value, role)
        self.list.select_row(next((at for at, one in enumerate(reviews) if one.id == self._review_id), -1))
        self._filling = False
        self.list.set_message("" if reviews else "No review was added yet.")
        self._show_review()
        self._show_told()
        self._show_head()
        self.context.commands.state_changed.emit()

    def _name(self, review: BenchmarkReview) -> str:
        if self.blind:
            return self._names.get(review.id, "Review")
        return f"{review.source} · {review.reviewer}" if review.reviewer else review.source

    def _key(self, row: int) -> str:
        return str(self.model.item(row).data(int(Qt.ItemDataRole.UserRole)))

    def _show_review(self) -> None:
        review = self.review
        rubrics = {one.dimension: one for one in self.whole.rubrics.get(review.paper_id, ())} if review else {}
        self.rating.show_review(
            review,
            self._name(review) if review else "",
            rubrics,
            self._ratings.get(self._review_id, {}),
            {} if self.blind else self.judged.get(self._review_id, {}),
            self.dimension,
            writable=self.can_write(),
            empty="Add reviews to score them.",
        )

    def _show_head(self) -> None:
        self._buttons["blind"].setVisible(self.tabs.currentIndex() == _REVIEWS)
        self._buttons["blind"].setChecked(self.blind)

    def _show_told(self) -> None:
        papers, reviews = len(self.whole.papers), self.whole.reviews
        parts = [
            f"{len({review.source for review in reviews})} sources",
            f"{papers} papers, {len(self.whole.rubrics)} with rubrics",
            f"{len(reviews)} reviews, {sum(not review.kept for review in reviews)} left out",
        ]
        if self.working:
            parts.insert(0, f"{self.working} …")
        words = " · ".join(parts) if self.benchmark_id else self.working
        self.set_status(words)
        self.context.commands.state_changed.emit()
