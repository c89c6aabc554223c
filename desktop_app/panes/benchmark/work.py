"""The jobs of the benchmark pane that are not the engine's own. No Qt here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from desktop_app.writing import IntoFolder, Written, write_export
from engine.exchange.encoding import read_text
from engine.exchange.review_benchmark import BenchmarkReport, benchmark_report, export_figures, export_tables
from engine.exchange.review_form import review_in
from engine.exchange.review_sets import read_review_set
from engine.jobs import DuplicatePolicy, Lane, Report, Task
from engine.project import Project
from engine.review_drafting.benchmark.records import BenchmarkPaper, BenchmarkReview, ReviewSet
from engine.review_drafting.benchmark.store import BenchmarkStore
from engine.review_drafting.forms import shipped
from engine.review_drafting.records import Review
from engine.review_drafting.store import ReviewDraftStore

DRAFTS = "drafts of this project"


@dataclass(frozen=True, slots=True)
class Adding:
    """Files to be added to a benchmark; ``human`` where people wrote what is in them."""

    benchmark_id: str
    paths: tuple[str, ...]
    human: bool = False


@dataclass(frozen=True, slots=True)
class Added:
    """What was added, and sentences on what could not be."""

    papers: int
    reviews: int
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Reporting:
    """Which benchmark, by whose scores, against which source."""

    benchmark_id: str
    judged_by: str
    baseline: str


def add_task(store: BenchmarkStore, params: Adding) -> Task[Adding, Added]:
    """The job that reads files and adds what they hold."""

    def run(params: Adding, report: Report) -> Added:
        papers = reviews = 0
        warnings: list[str] = []
        for number, name in enumerate(params.paths):
            path = Path(name)
            report.progress(number / len(params.paths), path.name)
            found = read_review_set(read_text(path).text, path.name, role="human" if params.human else None)
            if params.human:
                people = tuple(review.model_copy(update={"source": "human"}) for review in found.reviews)
                found = found.model_copy(update={"reviews": people})
            more = store.add(params.benchmark_id, found, f"import:{path.name}")
            papers, reviews = papers + more[0], reviews + more[1]
            warnings += found.warnings
        return Added(papers, reviews, tuple(warnings))

    return Task("benchmark.add", "Add reviews", run, params, DuplicatePolicy.AFTER, params.benchmark_id, Lane.LONG)


def report_task(project: Project, params: Reporting) -> Task[Reporting, BenchmarkReport]:
    """The job that computes all figures."""

    def run(params: Reporting, report: Report) -> BenchmarkReport:
        report.progress(0.2, "Comparing sources")
        return benchmark_report(project, params.benchmark_id, params.judged_by, params.baseline)

    return Task("benchmark.report", "Compare sources", run, params, DuplicatePolicy.REPLACE, "benchmark")


def export_task(report: BenchmarkReport, what: str, folder: Path) -> Task[IntoFolder, Written]:
    """The job that writes tables or figures into a folder of their own."""
    make = export_tables if what == "tables" else export_figures
    return write_export("benchmark.export", folder, lambda _report: make(report))


def drafts(project: Project, titles: dict[str, str]) -> ReviewSet:
    """The drafts of this project as a source; ``titles`` names the documents' papers. Empty drafts are left out.

    A draft on an imported form is read by the names of its fields.
    """
    store = ReviewDraftStore(project)
    papers: dict[str, BenchmarkPaper] = {}
    reviews: list[BenchmarkReview] = []
    for draft in store.drafts():
        review = _review(draft.form, store.fields(draft.id))
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


def _review(form: str, fields: dict[str, str]) -> Review:
    from engine.exchange.review_markdown import review_of

    try:
        return review_in(shipped(form), fields)
    except KeyError:
        return review_of({key.replace("_", " "): value for key, value in fields.items()})


def blind_names(reviews: Sequence[BenchmarkReview]) -> dict[str, str]:
    """A name for each review that does not tell its source: by paper, in the order of the keys, which is by chance."""
    names: dict[str, str] = {}
    by_paper: dict[str, list[str]] = {}
    for review in reviews:
        by_paper.setdefault(review.paper_id, []).append(review.id)
    for keys in by_paper.values():
        for number, key in enumerate(sorted(keys, key=lambda one: one[::-1])):
            names[key] = f"Review {chr(ord('A') + number % 26)}{number // 26 or ''}"
    return names
