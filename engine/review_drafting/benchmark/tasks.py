"""Tasks of a project's benchmark: rubrics, scores, and reading papers for both."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import partial

from engine.documents.service import DocumentService
from engine.documents.store import DocumentStore
from engine.errors import BadInput
from engine.jobs import DuplicatePolicy, Lane, Report, task
from engine.models import Embedder, shared_encoder
from engine.models.language import LanguageModel, UnusableAnswer
from engine.models.library import Added, closed_after, load_language_model
from engine.review_drafting.benchmark.checks import VERSION
from engine.review_drafting.benchmark.judge import PROMPT_VERSION
from engine.review_drafting.benchmark.records import BenchmarkPaper
from engine.review_drafting.benchmark.running import judge_reviews, make_rubrics
from engine.review_drafting.benchmark.store import BenchmarkStore, JudgeKind
from engine.review_drafting.benchmark.text_paper import read_text_paper
from engine.review_drafting.records import PaperReading
from engine.review_drafting.tasks import read_project_paper

CHECKS = f"model:{VERSION}"
Read = Callable[[Report, BenchmarkPaper], PaperReading]
"""Reads a paper of a benchmark: ``read_benchmark_paper`` with the documents of a project."""


def read_benchmark_paper(
    documents: DocumentStore, service: DocumentService, report: Report, paper: BenchmarkPaper
) -> PaperReading:
    """Returns a paper of a benchmark as the stages read it: its PDF in the project, otherwise its text.

    Raises BadInput if there is neither.
    """
    if paper.document_id:
        return read_project_paper(documents, service, paper.document_id, report)
    if paper.text.strip():
        return read_text_paper(paper.title, paper.text)
    raise BadInput(
        f"The text of the paper “{paper.title}” is missing.",
        "Its reviews can't be checked against it.",
        "Choose its PDF from this project's documents, or exclude its reviews.",
    )


@task("benchmark.rubrics", "Make rubrics", DuplicatePolicy.DISCARD, "{benchmark_id}", Lane.LONG)
def rubrics_task(
    report: Report,
    read: Read,
    store: BenchmarkStore,
    benchmark_id: str,
    model: Added | None = None,
    *,
    encoder: Callable[[], Embedder] = shared_encoder,
) -> tuple[int, tuple[str, ...]]:
    """Makes rubrics for the papers that have none, and stores those of each paper immediately; returns the number of
    papers, and the problems with unusable answers."""
    whole = store.read(benchmark_id)
    papers = [paper.id for paper in whole.papers if not whole.rubrics.get(paper.id)]
    readings, problems = partial(read, report), []
    with _loaded(model) as asked:
        for number, paper in enumerate(papers):
            try:
                made = make_rubrics(
                    whole, paper, readings, encode=encoder().encode, model=asked, origin=_origin(asked),
                    report=report.part(number / len(papers), (number + 1) / len(papers)),
                )  # fmt: skip
                store.put_rubrics({paper: made})
            except UnusableAnswer as problem:
                problems.append(problem.reason)
    return len(papers) - len(problems), tuple(problems)


@task("benchmark.judge", "Score reviews", DuplicatePolicy.DISCARD, "{benchmark_id}", Lane.LONG)
def judge_task(
    report: Report,
    read: Read,
    store: BenchmarkStore,
    benchmark_id: str,
    model: Added | None = None,
    *,
    encoder: Callable[[], Embedder] = shared_encoder,
) -> tuple[str, tuple[str, ...]]:
    """Scores all kept reviews and stores each score as it arrives; returns the run's key, and what couldn't be
    judged."""
    whole = store.read(benchmark_id)
    readings = partial(read, report)
    with _loaded(model) as asked:
        kind: JudgeKind
        kind, prompt = ("checks", "") if asked is None else ("language model", PROMPT_VERSION)
        run = store.begin_run(benchmark_id, kind, _origin(asked), prompt)
        judged = judge_reviews(
            whole, readings, encode=encoder().encode, model=asked, report=report,
            on_scores=lambda *scored: store.add_scores(run, *scored, origin=_origin(asked)),
        )  # fmt: skip
    store.end_run(run, judged.seconds)
    return run, judged.problems


def _loaded(entry: Added | None) -> AbstractContextManager[LanguageModel | None]:
    return closed_after(load_language_model(entry, beside_window=True) if entry else None)


def _origin(model: LanguageModel | None) -> str:
    return CHECKS if model is None else model.info.provenance
