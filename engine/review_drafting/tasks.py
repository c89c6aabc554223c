"""Tasks of review drafting, and reading a paper for it."""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from engine.documents.hidden import Inspection, unexamined_words, visible_document
from engine.documents.records import ParsedDocument
from engine.documents.service import DocumentService
from engine.documents.store import DocumentStore
from engine.documents.tables import find_tables
from engine.documents.tasks import is_cancelled
from engine.errors import Cancelled, EnvironmentProblem, about
from engine.jobs import DuplicatePolicy, Lane, Report, task
from engine.models import Embedder, shared_encoder
from engine.models.language import LanguageModel, Manner, public_name
from engine.models.library import Added, ModelLibrary, answers_as, closed_after, load_language_model
from engine.models.questions import Forecast
from engine.papers.records import LibraryPaper
from engine.papers.store import LibraryStore
from engine.review_drafting.crews import deterministic_crew, language_crew
from engine.review_drafting.forms import form_of
from engine.review_drafting.pipeline import Crew, Run, RunSettings, RunState, StageRun, begun, run_stages
from engine.review_drafting.prompts import prompts_of
from engine.review_drafting.reading import read_paper
from engine.review_drafting.records import (
    POINT_FIELDS,
    STAGES,
    Draft,
    LibraryEntry,
    PaperReading,
    Point,
    Scores,
    StageId,
)
from engine.review_drafting.store import ReviewDraftStore
from engine.reviews.stretches import LIST_MARK, stretches
from engine.shown import counted

USE = "review-drafting"
"""The task in the model library; its stages are "review-drafting/insight" and the like."""


def read_for_drafting(path: Path) -> tuple[PaperReading, tuple[str, ...]]:
    """Reads a PDF outside of any project for the stages; also returns remarks of the PDF parser.

    Raises BadInput or EnvironmentProblem as ``DocumentService.parse`` does.
    """
    with DocumentService() as service:
        parsed = service.parse(path)
        seen = service.inspect(path)
        paper = reading_of(parsed, path, service, seen=seen)
    said = [*parsed.remarks]
    if paper.doubtful:
        said.append("Checks leave such pages out, and call nothing missing.")
    if not seen.complete:
        said.append(f"{unexamined_words(seen)} Unexamined pages are left out.")
    if paper.hidden:
        said.append(
            f"{counted(paper.hidden, 'character')} left out: not visible, or on a page that couldn't be examined."
        )
    return paper, tuple(said)


def reading_of(
    parsed: ParsedDocument,
    pdf: Path | bytes,
    service: DocumentService,
    cancelled: Callable[[], bool] | None = None,
    seen: Inspection | None = None,
) -> PaperReading:
    """Returns a parsed PDF as the stages and all models see it: visible text only, with its tables.

    Pages that couldn't be examined for hidden text (``seen``, inspected if not given) are left out as well.
    """
    visible = visible_document(parsed, seen or service.inspect(pdf, cancelled=cancelled))
    hidden = sum(len(p.text) for p in parsed.paragraphs) - sum(len(p.text) for p in visible.paragraphs)
    return read_paper(visible, find_tables(visible), hidden=hidden)


def library_entries(papers: Iterable[LibraryPaper]) -> tuple[LibraryEntry, ...]:
    """Returns papers of the library for the Literature Searcher; the position replaces a missing key."""
    named = [replace(paper, id=paper.id or str(number)) for number, paper in enumerate(papers) if paper.title]
    return tuple(LibraryEntry.model_validate(paper, from_attributes=True) for paper in named)


def own_draft(fields: dict[str, str]) -> Draft:
    """Converts a form's fields to points: the summary as a whole, the lists item by item. Other fields are ignored, as
    are numbers outside the common schema's ranges."""
    points: dict[str, tuple[Point, ...]] = {}
    for name in POINT_FIELDS:
        text = fields.get(name, "").strip()
        items = (text[span.start : span.end] for span in stretches(text))
        pieces = [text] if name == "summary" else [LIST_MARK.sub("", item, count=1).strip() for item in items]
        points[name] = tuple(
            Point(id=f"own-{name}-{number}", text=piece, origin="reviewer")
            for number, piece in enumerate((piece for piece in pieces if piece), start=1)
        )
    return Draft(scores=_scores(fields)).model_copy(update=points)


@dataclass(frozen=True, slots=True)
class DraftReview:
    """A run over a document: with ``model`` unless it is None; ``draft_id`` is the draft that it is for, "" if none.

    ``own`` are the initial fields, and ``prompts`` (id, version, text) those to use; None: the current ones when the
    job starts.
    """

    document_id: str
    draft_id: str = ""
    model: Added | None = None
    settings: RunSettings = field(default_factory=RunSettings)
    own: tuple[tuple[str, str], ...] | None = None
    prompts: tuple[tuple[str, int, str], ...] | None = None
    others: tuple[tuple[StageId, Added], ...] = ()
    """Models of single stages, if they differ from ``model``."""


def settings_of(
    models: ModelLibrary, model: Added | None, settings: RunSettings
) -> tuple[RunSettings, tuple[tuple[StageId, Added], ...]]:
    """Returns the settings with the user's choices for the stages in the Models pane, and the models of single
    stages."""
    if model is None:
        return settings, ()
    others = tuple(
        (stage, chosen)
        for stage in STAGES
        if (chosen := models.chosen(f"{USE}/{stage}")) is not None
        and chosen.id != model.id
        and models.chosen(USE) != chosen
    )
    manners = tuple((stage, models.manner(f"{USE}/{stage}")) for stage in STAGES)
    manners = tuple((stage, manner) for stage, manner in manners if manner != Manner())
    return replace(settings, manners=manners, models=tuple((stage, one.id) for stage, one in others)), others


def replay(run: Run, document_id: str, models: ModelLibrary) -> DraftReview:
    """Returns what repeats a stored run: its stages, seed, prompts, model, and the fields at that time.

    Raises EnvironmentProblem if its language model is no longer in the list of models.
    """
    model = None
    if run.model:
        name = public_name(run.model)
        model = next((one for one in models.added("language model") if answers_as(one) == name), None)
        if model is None:
            raise EnvironmentProblem(
                f"This run's language model is no longer in the list of models: {name}.",
                "The run can't be repeated exactly.",
                "Add the model again in the Models pane, or run the stages again with another one.",
            )
    others = tuple((stage, models.find(key)) for stage, key in run.settings.models)
    return DraftReview(document_id, run.draft_id, model, run.settings, run.own, prompts_of(run), others)


@dataclass(frozen=True, slots=True)
class StageDone:
    """A partial result: a stage is done, and is stored under ``run_id``."""

    run_id: str
    stage: StageRun


@dataclass(frozen=True, slots=True)
class _Sources:
    """The stores that a run reads from, and how it loads models."""

    documents: DocumentStore
    service: DocumentService
    library: LibraryStore
    reviews: ReviewDraftStore
    encoder: Callable[[], Embedder] | None
    load: Callable[[Added], LanguageModel]


@dataclass(frozen=True, slots=True)
class _Prepared:
    """A run that is ready to start. ``fields`` are those of the draft, ``own`` their content as points."""

    crew: Crew
    paper: PaperReading
    entries: tuple[LibraryEntry, ...]
    fields: dict[str, str]
    own: Draft
    settings: RunSettings


@contextmanager
def _prepared(sources: _Sources, params: DraftReview, report: Report) -> Iterator[_Prepared]:
    report.progress(0.0, "Reading the paper")
    reviews, settings = sources.reviews, params.settings
    paper = read_project_paper(sources.documents, sources.service, params.document_id, report)
    entries = library_entries(sources.library.papers())
    fields = reviews.fields(params.draft_id) if params.own is None else dict(params.own)
    if params.model is not None:
        report.progress(0.1, "Loading the language model")
    if params.draft_id:
        draft = reviews.draft(params.draft_id)
        settings = replace(settings, asks=form_of(draft.form, draft.form_content).asks)
    with ExitStack() as stack:
        model = stack.enter_context(closed_after(sources.load(params.model) if params.model else None))
        loaded = {entry.id: stack.enter_context(closed_after(sources.load(entry))) for _, entry in params.others}
        others = {stage: loaded[entry.id] for stage, entry in params.others}
        crew = _crew(model, reviews, sources.encoder if entries else None, params.prompts, others)
        yield _Prepared(crew, paper, entries, fields, own_draft(fields), settings)


def _scope(params: DraftReview, **_: object) -> str:
    return f"review:{params.draft_id or params.document_id}"


@task("review.forecast", "Estimate the requests of a draft", DuplicatePolicy.REPLACE, _scope)
def forecast_review(  # noqa: PLR0917 (a report, then stores and parameters)
    report: Report,
    documents: DocumentStore,
    service: DocumentService,
    library: LibraryStore,
    reviews: ReviewDraftStore,
    params: DraftReview,
) -> Forecast:
    """Estimates the run's requests to its language model, without asking it or loading weights.

    Raises UnknownContext, BadInput (the context is too short for the paper), and as ``load_language_model`` does.
    """
    sources = _Sources(documents, service, library, reviews, None, load_language_model)
    with _prepared(sources, params, report) as run:
        assert run.crew.forecast is not None
        return run.crew.forecast(run.paper, run.own, run.settings, len(run.entries))


@task(
    "review.draft",
    lambda documents, params, **_: f"Draft a review of {documents.document(params.document_id).filename}",
    DuplicatePolicy.DISCARD,
    _scope,
    Lane.LONG,
)
def draft_review(  # noqa: PLR0917 (a report, then stores and parameters)
    report: Report,
    documents: DocumentStore,
    service: DocumentService,
    library: LibraryStore,
    reviews: ReviewDraftStore,
    params: DraftReview,
    *,
    encoder: Callable[[], Embedder] = shared_encoder,
    load: Callable[[Added], LanguageModel] = partial(load_language_model, beside_window=True),
) -> Run:
    """Runs the stages and stores each as soon as it is done; what was stored is kept on cancellation.

    The draft's fields when the job starts are the reviewer's own, and aren't changed.
    """
    sources = _Sources(documents, service, library, reviews, encoder, load)
    with _prepared(sources, params, report) as run:
        report = report.part(0.15, 1.0)
        before = begun(run.crew, run.paper, run.entries, run.own, run.settings)
        kept = reviews.begin_run(replace(before, own=tuple(sorted(run.fields.items()))), params.draft_id)
        started = time.perf_counter()

        def end(state: RunState, problem: str = "") -> None:
            reviews.end_run(kept.id, state, round(time.perf_counter() - started, 3), problem)

        def on_stage(stage: StageRun) -> None:
            reviews.save_stage(kept.id, stage)
            report.partial(StageDone(kept.id, stage))

        try:
            made = run_stages(
                run.crew,
                run.paper,
                library=run.entries,
                own=run.own,
                settings=run.settings,
                report=report,
                on_stage=on_stage,
            )
        except Cancelled:
            end("cancelled")
            raise
        except EnvironmentProblem as problem:
            end("failed", str(problem))
            raise
        end("done")
    return replace(made, id=kept.id, draft_id=params.draft_id, created_at=kept.created_at, own=kept.own)


def read_project_paper(
    documents: DocumentStore, service: DocumentService, document_id: str, report: Report
) -> PaperReading:
    """Reads a PDF of the project for the stages, after parsing it if necessary."""
    pdf = documents.pdf_bytes(document_id)
    cancelled = partial(is_cancelled, report)
    if not documents.is_read(document_id):
        with about(documents.document(document_id).filename):
            packed = service.read(pdf, cancelled=cancelled)
        documents.save_packed(document_id, packed)
    parsed = documents.parsed(document_id)
    assert parsed is not None
    return reading_of(parsed, pdf, service, cancelled)


def _crew(
    model: LanguageModel | None,
    reviews: ReviewDraftStore,
    encoder: Callable[[], Embedder] | None,
    prompts: tuple[tuple[str, int, str], ...] | None,
    others: Mapping[StageId, LanguageModel],
) -> Crew:
    fingerprint = encoder().fingerprint if encoder is not None else ""
    if model is None:
        return deterministic_crew(encoder, fingerprint)
    if prompts is None:
        prompts = tuple((key, one.version, one.text) for key, one in reviews.edited_prompts().items())
    edited = {key: (version, text) for key, version, text in prompts}
    return language_crew(model, edited=edited, encoder=encoder, fingerprint=fingerprint, models=others)


def _scores(fields: dict[str, str]) -> Scores:
    values: dict[str, object] = {}
    for name, form in Scores.model_fields.items():
        text = fields.get(name, "").strip().casefold()
        if name == "decision":
            values[name] = text if text in ("accept", "reject") else None
            continue
        first = text.split(":")[0].split("/")[0].strip()
        number = float(first) if first.replace(".", "", 1).isdigit() else None
        bounds = [getattr(rule, side) for rule in form.metadata for side in ("ge", "le") if hasattr(rule, side)]
        values[name] = number if number is not None and min(bounds) <= number <= max(bounds) else None
    return Scores(**values)  # type: ignore[arg-type]
