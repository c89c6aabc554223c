"""State of the benchmark pane: the current benchmark, review and dimension."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from desktop_app import present
from desktop_app.writing import Written, write_export
from engine.documents.records import StoredDocument
from engine.documents.store import DocumentStore
from engine.errors import EnvironmentProblem
from engine.exchange.encoding import read_text
from engine.exchange.review_benchmark import BenchmarkReport, benchmark_report, export_figures, export_tables
from engine.jobs import DuplicatePolicy, Lane, Report, Task, task
from engine.models.library import Added as AddedModel
from engine.models.library import ModelLibrary
from engine.project import Project
from engine.review_drafting.benchmark.filters import FilterSettings, filtered
from engine.review_drafting.benchmark.records import BenchmarkPaper, BenchmarkReview, Judgement, PaperRubric, ReviewSet
from engine.review_drafting.benchmark.store import Benchmark, BenchmarkStore, Rating
from engine.review_drafting.forms import form_of
from engine.review_drafting.records import MetaRubric, Review
from engine.review_drafting.rubrics import meta_rubrics
from engine.review_drafting.store import ReviewDraft, ReviewDraftStore
from engine.shown import counted

COMPARISON, REVIEWS = range(2)
"""The views of a benchmark."""
JUDGING = "review-judging"
"""The Models pane's key for the model that judges."""
DRAFTS = "drafts of this project"
DIMENSIONS = tuple(meta.id for meta in meta_rubrics())


def scores_of(meta: MetaRubric) -> tuple[int, ...]:
    """Returns the possible scores of a dimension, in the order of the keys from 0."""
    return (0, -1, -2) if meta.kind == "pitfall" else (0, 1, 2)


@dataclass(frozen=True, slots=True)
class ScoredReview:
    """A review and what is shown with it.

    Attributes:
        name: the review's name; in blind mode it doesn't reveal the source.
        rubrics: by dimension; ``ratings`` are the acting annotator's, ``judged`` those of the newest judge.
        dimension: the selected dimension.
        document: the PDF of the review's paper, "" for none; ``documents`` are names and ids of the project's PDFs.
    """

    review: BenchmarkReview | None
    name: str
    rubrics: Mapping[str, PaperRubric]
    ratings: Mapping[str, Rating]
    judged: Mapping[str, Judgement]
    dimension: str
    writable: bool
    document: str
    documents: Sequence[tuple[str, str]]


class BenchmarkState:
    """Reads a project's benchmarks and writes scores.

    Attributes:
        view: ``COMPARISON`` or ``REVIEWS``.
        key: the current benchmark; "" for none.
        whole: its papers, reviews and rubrics.
        report: the comparison of its sources, once calculated.
        judged_by: whose scores are compared; ``baseline`` is the source the others are compared with.
        working: what a running job is doing; "" if none is running.
    """

    def __init__(self) -> None:
        self.view = COMPARISON
        self.blind = False
        self.dimension = DIMENSIONS[0]
        self.open(None)

    def open(self, project: Project | None) -> None:
        self.project = project
        self.store = BenchmarkStore(project) if project is not None else None
        self.benchmarks: tuple[Benchmark, ...] = ()
        self.whole = ReviewSet()
        self.report: BenchmarkReport | None = None
        self.judged: Mapping[str, Mapping[str, Judgement]] = {}
        self.working = ""
        self._ratings: dict[str, dict[str, Rating]] = {}
        self._blind_names: dict[str, str] = {}
        self.choose("")

    def choose(self, key: str) -> None:
        """Makes another benchmark current; call ``read`` next."""
        self.key, self.review_id, self.judged_by, self.baseline = key, "", "", ""

    def read(self) -> None:
        """Reads the current benchmark, or the newest one if it no longer exists."""
        store = self.verbs
        self.benchmarks = store.benchmarks()
        if self.key not in {one.id for one in self.benchmarks}:
            self.key = self.benchmarks[-1].id if self.benchmarks else ""
        self.whole = store.read(self.key)
        self._blind_names = blind_names(self.whole.reviews)
        self._ratings = {}
        for rating in store.ratings(self.key, present(self.project).annotator_id):
            self._ratings.setdefault(rating.review_id, {})[rating.dimension] = rating
        runs = store.runs(self.key)
        self.judged = store.judgements(runs[0].id) if runs else {}
        if self.review is None:
            self.review_id = self.whole.reviews[0].id if self.whole.reviews else ""

    @property
    def verbs(self) -> BenchmarkStore:
        return present(self.store)

    @property
    def review(self) -> BenchmarkReview | None:
        return next((one for one in self.whole.reviews if one.id == self.review_id), None)

    @property
    def can_add(self) -> bool:
        return self.project is not None and not self.project.read_only

    @property
    def can_change(self) -> bool:
        return self.can_add and bool(self.key)

    @property
    def can_rate(self) -> bool:
        return self.can_change and self.view == REVIEWS and self.review is not None

    @property
    def can_work(self) -> bool:
        return self.can_change and bool(self.whole.reviews) and not self.working

    @property
    def can_judge(self) -> bool:
        return self.can_work and bool(self.whole.rubrics)

    @property
    def can_export(self) -> bool:
        return self.report is not None and bool(self.report.rows)

    @property
    def model(self) -> AddedModel | None:
        """The language model chosen for judging, or None."""
        try:
            return ModelLibrary().chosen(JUDGING)
        except EnvironmentProblem:
            return None

    def name(self, review: BenchmarkReview) -> str:
        """Returns source and reviewer; in blind mode a name with a letter."""
        if self.blind:
            return self._blind_names.get(review.id, "Review")
        return f"{review.source} · {review.reviewer}" if review.reviewer else review.source

    def score(self, review_id: str, dimension: str) -> int | None:
        rating = self._ratings.get(review_id, {}).get(dimension)
        return rating.score if rating else None

    def entries(self) -> list[tuple[str, str, str, str]]:
        """Returns key, name, progress with paper title (which may be cut off), and icon of each review."""
        titles = {paper.id: paper.title for paper in self.whole.papers}
        found = []
        for review in self.whole.reviews:
            scored = sum(self.score(review.id, name) is not None for name in DIMENSIONS)
            if not review.kept:
                state, icon = "excluded", "minus-circle"
            elif scored == len(DIMENSIONS):
                state, icon = "all scored", "check"
            else:
                state, icon = f"{scored} of {len(DIMENSIONS)} scored", "circle-dashed"
            found.append((review.id, self.name(review), f"{state} · {titles.get(review.paper_id, '')}", icon))
        return found

    def scored_review(self) -> ScoredReview:
        review = self.review
        rubrics = self.whole.rubrics.get(review.paper_id, ()) if review else ()
        return ScoredReview(
            review, self.name(review) if review else "", {rubric.dimension: rubric for rubric in rubrics},
            self._ratings.get(self.review_id, {}), {} if self.blind else self.judged.get(self.review_id, {}),
            self.dimension, self.can_change, self._document(), self._pdfs(),
        )  # fmt: skip

    def status(self) -> str:
        reviews = self.whole.reviews
        parts = [f"{self.working}…"] if self.working else []
        if self.key:
            excluded = sum(not review.kept for review in reviews)
            parts += [
                counted(len({review.source for review in reviews}), "source"),
                f"{counted(len(self.whole.papers), 'paper')}, {len(self.whole.rubrics)} with rubrics",
                f"{counted(len(reviews), 'review')}, {excluded} excluded",
            ]
        return " · ".join(parts)

    def create(self, title: str) -> None:
        self.choose(self.verbs.create(title))

    def documents(self) -> Sequence[StoredDocument]:
        return DocumentStore(present(self.project)).documents()

    def add_drafts(self) -> bool:
        """Adds this project's drafts as a source, in one undo step. Returns False if there are none."""
        assert self.project is not None
        found = drafts(self.project, {one.id: one.title or Path(one.filename).stem for one in self.documents()})
        if found.reviews:
            with self.project.action("Add drafts"):
                if not self.key:
                    self.create("My drafts")
                self.verbs.add(self.key, found, "person")
        return bool(found.reviews)

    def filter_reviews(self) -> str:
        """Excludes unsuitable human reviews and includes the suitable ones. Returns a message about the result."""
        judged = filtered(self.whole.reviews, FilterSettings())
        changed = self.verbs.set_kept(judged)
        excluded = sum(not review.kept for review in judged)
        return f"{'' if changed else 'Nothing changed: '}{excluded} of {counted(len(judged), 'review')} excluded."

    def toggle_kept(self) -> None:
        review = present(self.review)
        why = "You excluded it." if review.kept else ""
        self.verbs.set_kept([review.model_copy(update={"kept": not review.kept, "why_left_out": why})])

    def _document(self) -> str:
        papers = {paper.id: paper.document_id for paper in self.whole.papers}
        return papers.get(self.review.paper_id, "") if self.review is not None else ""

    def _pdfs(self) -> Sequence[tuple[str, str]]:
        known = self.documents() if self.project is not None else ()
        names = Counter(one.filename for one in known)
        return [(f"{one.filename} · {one.title}" if names[one.filename] > 1 else one.filename, one.id) for one in known]

    def set_document(self, document_id: str) -> None:
        """Sets which PDF of the project the selected review is about; "" for none."""
        self.verbs.set_document(present(self.review).paper_id, document_id or None)

    def rate(self, score: int | None) -> None:
        """Scores the selected review on the selected dimension; None removes the score and keeps the note."""
        rating = self._ratings.get(self.review_id, {}).get(self.dimension)
        self.verbs.rate(self.review_id, self.dimension, score, rating.note if rating else "")

    def set_note(self, text: str, review_id: str, dimension: str) -> None:
        rating = self._ratings.get(review_id, {}).get(dimension)
        if text != (rating.note if rating else ""):
            self.verbs.rate(review_id, dimension, rating.score if rating else None, text)

    def step_dimension(self, by: int) -> None:
        self.dimension = DIMENSIONS[min(max(DIMENSIONS.index(self.dimension) + by, 0), len(DIMENSIONS) - 1)]

    def next_dimension(self) -> None:
        """Selects the review's next dimension without a score; does nothing if all have one."""
        start = DIMENSIONS.index(self.dimension)
        order = DIMENSIONS[start + 1 :] + DIMENSIONS[:start]
        self.dimension = next((name for name in order if self.score(self.review_id, name) is None), self.dimension)

    def next_open(self) -> bool:
        """Selects the next missing score, from this review on, wrapping around. Returns False if there is none."""
        kept = [one.id for one in self.whole.reviews if one.kept]
        start = kept.index(self.review_id) if self.review_id in kept else 0
        for review_id in kept[start:] + kept[:start]:
            for name in DIMENSIONS:
                if self.score(review_id, name) is None:
                    self.review_id, self.dimension = review_id, name
                    return True
        return False


@dataclass(frozen=True, slots=True)
class Added:
    papers: int
    reviews: int
    warnings: tuple[str, ...] = ()


@task("benchmark.add", "Add reviews", DuplicatePolicy.AFTER, "{benchmark_id}", Lane.LONG)
def add_task(
    report: Report, store: BenchmarkStore, benchmark_id: str, paths: tuple[Path, ...], human: bool = False
) -> Added:
    """Adds files to a benchmark; ``human`` means that people wrote the reviews."""
    from engine.exchange.review_sets import read_review_set

    papers = reviews = 0
    warnings: list[str] = []
    for number, path in enumerate(paths):
        report.progress(number / len(paths), path.name)
        found = read_review_set(read_text(path).text, path.name, role="human" if human else None)
        if human:
            people = tuple(review.model_copy(update={"source": "human"}) for review in found.reviews)
            found = found.model_copy(update={"reviews": people})
        more = store.add(benchmark_id, found, f"import:{path.name}")
        papers, reviews = papers + more[0], reviews + more[1]
        warnings += found.warnings
    return Added(papers, reviews, tuple(warnings))


@task("benchmark.report", "Compare sources", DuplicatePolicy.REPLACE, "benchmark")
def report_task(report: Report, project: Project, benchmark_id: str, judged_by: str, baseline: str) -> BenchmarkReport:
    report.progress(0.2, "Comparing sources")
    return benchmark_report(project, benchmark_id, judged_by, baseline)


def export_task(report: BenchmarkReport, what: str, folder: Path) -> Task[Written]:
    make = export_tables if what == "tables" else export_figures
    return write_export("benchmark.export", folder, lambda _report: make(report))


def drafts(project: Project, titles: dict[str, str]) -> ReviewSet:
    """Returns the non-empty drafts of this project as a source; ``titles`` are the papers' titles by document."""
    store = ReviewDraftStore(project)
    papers: dict[str, BenchmarkPaper] = {}
    reviews: list[BenchmarkReview] = []
    for draft in store.drafts():
        review = _review(draft, store.fields(draft.id))
        if review == Review():
            continue
        title = titles.get(draft.document_id, draft.title)
        papers.setdefault(
            draft.document_id, BenchmarkPaper(id=draft.document_id, title=title, document_id=draft.document_id)
        )
        reviews.append(
            BenchmarkReview(id=draft.id, paper_id=draft.document_id, source=DRAFTS, reviewer=draft.title, review=review)
        )
    return ReviewSet(papers=tuple(papers.values()), reviews=tuple(reviews))


def _review(draft: ReviewDraft, fields: dict[str, str]) -> Review:
    from engine.exchange.review_form import review_in
    from engine.exchange.review_markdown import review_of

    try:
        return review_in(form_of(draft.form, draft.form_content), fields)
    except KeyError:
        return review_of({key.replace("_", " "): value for key, value in fields.items()})


def blind_names(reviews: Sequence[BenchmarkReview]) -> dict[str, str]:
    """Returns names that don't reveal the source, by review: lettered per paper in the order of the random keys."""
    names: dict[str, str] = {}
    by_paper: dict[str, list[str]] = {}
    for review in reviews:
        by_paper.setdefault(review.paper_id, []).append(review.id)
    for keys in by_paper.values():
        for number, key in enumerate(sorted(keys, key=lambda one: one[::-1])):
            names[key] = f"Review {chr(ord('A') + number % 26)}{number // 26 or ''}"
    return names
