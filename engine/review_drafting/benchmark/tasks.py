"""What the job engine runs for the benchmark of a project: rubrics, scores, and the reading of papers for both."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from engine.documents.service import DocumentService
from engine.documents.store import DocumentStore
from engine.errors import BadInput
from engine.jobs import DuplicatePolicy, Lane, Report, Task
from engine.models import Embedder, shared_encoder
from engine.models.language import LanguageModel
from engine.models.library import Added, closed_after, load_language_model
from engine.review_drafting.benchmark.judge import PROMPT_VERSION
from engine.review_drafting.benchmark.records import BenchmarkPaper
from engine.review_drafting.benchmark.running import judge_reviews, make_rubrics
from engine.review_drafting.benchmark.store import BenchmarkStore
from engine.review_drafting.benchmark.text_paper import read_text_paper
from engine.review_drafting.records import PaperReading
from engine.review_drafting.tasks import read_project_paper

CHECKS = "model:checks@1"
Load = Callable[[Added], LanguageModel]
_load: Load = partial(load_language_model, beside_window=True)


@dataclass(frozen=True, slots=True)
class Scoring:
    """A benchmark, and the language model that works on it; None for the checks."""

    benchmark_id: str
    model: Added | None = None
    seed: int = 0


class ProjectPapers:
    """Papers of a benchmark as the stages read them: their PDF in the project, else their text. Each is read once."""

    def __init__(self, documents: DocumentStore, service: DocumentService, report: Report) -> None:
        self._documents, self._service, self._report = documents, service, report
        self._read: dict[str, PaperReading] = {}

    def __call__(self, paper: BenchmarkPaper) -> PaperReading:
        """Raises BadInput where neither PDF nor text is there."""
        if paper.id not in self._read:
            if paper.document_id:
                found = read_project_paper(self._documents, self._service, paper.document_id, self._report)
            elif paper.text.strip():
                found = read_text_paper(paper.title, paper.text)
            else:
                raise BadInput(
                    f"Nothing is known of the paper “{paper.title}” but its reviews.",
                    "They cannot be held against it.",
                    "Choose its PDF among the documents of this project, or leave its reviews out.",
                )
            self._read[paper.id] = found
        return self._read[paper.id]


def rubrics_task(
    documents: DocumentStore,
    service: DocumentService,
    store: BenchmarkStore,
    params: Scoring,
    *,
    encoder: Callable[[], Embedder] = shared_encoder,
    load: Load = _load,
) -> Task[Scoring, int]:
    """The job that makes rubrics for the papers that have none, as one act; returns for how many papers."""
    return Task(
        "benchmark.rubrics",
        "Make rubrics",
        partial(_rubrics_task, documents, service, store, encoder, load),
        params,
        DuplicatePolicy.DISCARD,
        params.benchmark_id,
        Lane.LONG,
    )


def _rubrics_task(  # noqa: PLR0917 (stores and loaders, then params and report)
    documents: DocumentStore,
    service: DocumentService,
    store: BenchmarkStore,
    encoder: Callable[[], Embedder],
    load: Load,
    params: Scoring,
    report: Report,
) -> int:
    whole = store.read(params.benchmark_id)
    papers = [paper.id for paper in whole.papers if not whole.rubrics.get(paper.id)]
    with closed_after(load(params.model) if params.model else None) as model:
        made = make_rubrics(
            whole, papers, ProjectPapers(documents, service, report), encode=encoder().encode, model=model,
            origin=_origin(model), seed=params.seed, report=report,
        )  # fmt: skip
    if made:
        store.put_rubrics(made)
    return len(made)


def judge_task(
    documents: DocumentStore,
    service: DocumentService,
    store: BenchmarkStore,
    params: Scoring,
    *,
    encoder: Callable[[], Embedder] = shared_encoder,
    load: Load = _load,
) -> Task[Scoring, str]:
    """The job that scores all kept reviews and keeps the run whole; returns the run's key."""
    return Task(
        "benchmark.judge",
        "Score reviews",
        partial(_judge_task, documents, service, store, encoder, load),
        params,
        DuplicatePolicy.DISCARD,
        params.benchmark_id,
        Lane.LONG,
    )


def _judge_task(  # noqa: PLR0917 (stores and loaders, then params and report)
    documents: DocumentStore,
    service: DocumentService,
    store: BenchmarkStore,
    encoder: Callable[[], Embedder],
    load: Load,
    params: Scoring,
    report: Report,
) -> str:
    whole = store.read(params.benchmark_id)
    with closed_after(load(params.model) if params.model else None) as model:
        judged = judge_reviews(
            whole, ProjectPapers(documents, service, report), encode=encoder().encode, model=model,
            seed=params.seed, report=report,
        )  # fmt: skip
        origin = _origin(model)
    return store.save_run(
        params.benchmark_id,
        "checks" if model is None else "language model",
        origin,
        judged.judgements,
        judged.rubrics,
        raw=judged.raw,
        prompt_version="" if model is None else PROMPT_VERSION,
        seconds=judged.seconds,
    )


def _origin(model: LanguageModel | None) -> str:
    return CHECKS if model is None else f"model:{model.info.id}@{model.info.version}"
