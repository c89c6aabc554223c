"""Tasks on revisions: comparing two versions, suggesting links, and finding silver labels."""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

from engine.documents.service import DocumentService
from engine.documents.store import DocumentStore
from engine.documents.tasks import parse_document
from engine.errors import Cancelled, EnvironmentProblem, not_changed
from engine.jobs import DuplicatePolicy, Report, task
from engine.models import Embedder, shared_encoder
from engine.models.language import LanguageModel
from engine.models.library import Added, load_language_model
from engine.reviews.store import ReviewStore
from engine.revision.aligners import DEFAULT, STRATEGIES, Rankings, make_aligner
from engine.revision.candidates import candidate, whole_revision
from engine.revision.edits import compare
from engine.revision.generation.store import GenerationStore
from engine.revision.groups import may_answer
from engine.revision.means import generated_edits, project_means
from engine.revision.named_places import NamedEdits
from engine.revision.records import Candidate, Query, SavedDiff, Scored
from engine.revision.silver import silver_labels
from engine.revision.store import RevisionStore, SilverStore
from engine.shown import counted


@dataclass(frozen=True, slots=True)
class SuggestionsMade:
    comments: int
    edits: int
    remarks: tuple[str, ...] = ()
    """Problems in the run."""


@task(
    "revision.edits",
    lambda documents, source_document_id, target_document_id, **_: (
        f"Compare {documents.document(source_document_id).filename} with"
        f" {documents.document(target_document_id).filename}"
    ),
    DuplicatePolicy.DISCARD,
    "documents:{source_document_id}:{target_document_id}",
)
def compute_edits(  # noqa: PLR0917 (a report, then stores and parameters)
    report: Report,
    documents: DocumentStore,
    service: DocumentService,
    revisions: RevisionStore,
    source_document_id: str,
    target_document_id: str,
) -> SavedDiff:
    """Finds the edits between two documents and stores them; documents not read yet are read first. Links are kept, see
    ``RevisionStore``."""
    versions = []
    for document_id, start, end in ((source_document_id, 0.0, 0.4), (target_document_id, 0.4, 0.8)):
        parse_document(documents, service, document_id).run(report.part(start, end))
        parsed = documents.parsed(document_id)
        assert parsed is not None
        if not parsed.paragraphs:
            raise EnvironmentProblem(
                f"{documents.document(document_id).filename} has no text to compare.",
                "No edits were computed.",
                "Choose a version with text instead of a scan.",
            )
        versions.append(parsed)
    report.progress(0.8, "Comparing the versions")
    source, target = versions
    diff = compare(source.paragraphs, target.paragraphs)
    report.progress(0.95, f"Saving {counted(len(diff.edits), 'edit')}")
    saved = revisions.save_diff(
        source_document_id, target_document_id, diff, {"source_parser": source.parser, "target_parser": target.parser}
    )
    revisions.place_passages(saved.revision_id, target.paragraphs)
    return saved


@task("revision.suggest", "Suggest edits for comments", DuplicatePolicy.REPLACE, "revision:{revision_id}")
def suggest_links(
    report: Report,
    reviews: ReviewStore,
    revisions: RevisionStore,
    revision_id: str,
    strategy: str = DEFAULT,
    *,
    model: Added | None = None,
    documents: DocumentStore | None = None,
    generation: GenerationStore | None = None,
    encoder: Callable[[], Embedder] = shared_encoder,
    load: Callable[[Added], LanguageModel] = partial(load_language_model, beside_window=True),
) -> SuggestionsMade:
    """Ranks the edits of a revision for its actionable comments and stores the ranking as suggestions; ``model`` is the
    one that the strategy needs, if any.

    With ``documents`` the places that comments and responses name are looked up in both PDFs; ``generation`` supplies
    proposed edits as queries. Raises BadInput if there is nothing to rank, no such strategy, or an input is missing.
    """
    started = time.perf_counter()
    report.progress(0.0, "Collecting comments and edits")
    queries = _queries(reviews, revisions, revision_id)
    candidates = _candidates(revisions, revision_id, report)
    if not queries or not candidates:
        raise not_changed(
            "There's nothing to suggest, because the revision has no edits or there are no requests.",
            "Import reviews and compare two versions first.",
        )
    if documents is not None:
        queries = _with_places(queries, documents, revisions, revision_id, report.part(0.05, 0.1))
    with project_means(
        strategy,
        model,
        use_responses=True,
        encoder=encoder,
        load=load,
        generated=partial(_generated, generation, documents, revisions, revision_id),
    ) as means:
        whole = _whole(documents, revisions, revision_id, strategy)
        arrived: dict[str, tuple[Scored, ...]] = {}
        aligner = make_aligner(strategy, means=replace(means, whole=whole, on_ranking=arrived.__setitem__))

        def save(rankings: Rankings, stopped: str = "") -> SuggestionsMade:
            remarks = (*((stopped,) if stopped else ()), *getattr(aligner, "remarks", ()))
            revisions.save_suggestions(
                revision_id,
                strategy,
                aligner.origin,
                rankings,
                use_responses=True,
                parameters={**aligner.parameters} | ({"remarks": " ".join(remarks)} if remarks else {}),
                seconds=time.perf_counter() - started,
                partial=bool(stopped),
            )
            return SuggestionsMade(len(queries), len(candidates), remarks)

        try:
            rankings = aligner.score(queries, candidates, report=report.part(0.1, 0.95))
        except (Cancelled, EnvironmentProblem):
            if arrived:  # finished comments are stored; the others are asked when the job is restarted
                save(arrived, f"Stopped after {len(arrived)} of {len(queries)} comments.")
            raise
    report.progress(0.95, "Saving suggestions")
    return save(rankings)


def _generated(
    generation: GenerationStore | None, documents: DocumentStore | None, revisions: RevisionStore, revision_id: str
) -> dict[str, str]:
    if documents is None or generation is None:
        return {}
    return generated_edits(generation, documents, revisions, revision_id)


@task("revision.silver", "Find links in responses", DuplicatePolicy.REPLACE, "revision:{revision_id}")
def find_silver_labels(
    report: Report, reviews: ReviewStore, revisions: RevisionStore, silver: SilverStore, revision_id: str
) -> int:
    """Fills the review queue of silver labels; earlier decisions are kept. Returns the number of links."""
    report.progress(0.0, "Reading responses")
    queries = _queries(reviews, revisions, revision_id)
    candidates = _candidates(revisions, revision_id, report)
    own = reviews.texts(revisions.texts_of(revision_id))
    texts = {kind: "\n\n".join(text.text for text in own if text.kind == kind) for kind in _QUOTING}
    report.progress(0.2, "Reading responses")
    labels = silver_labels(
        queries,
        candidates,
        review=texts["review"],
        letter=texts["letter"] or texts["reply"],
        report=report.part(0.2, 1.0),
    )
    silver.save(revision_id, labels)
    return len(silver.pairs(revision_id))


_QUOTING = ("review", "letter", "reply")


def _queries(reviews: ReviewStore, revisions: RevisionStore, revision_id: str) -> tuple[Query, ...]:
    """Returns the comments of the revision's paper that ask for something."""
    return tuple(
        Query(comment.id, comment.comment, comment.context, comment.response)
        for comment in reviews.comments(paper_id=revisions.texts_of(revision_id), actionable=True)
    )


def _with_places(
    queries: tuple[Query, ...], documents: DocumentStore, revisions: RevisionStore, revision_id: str, report: Report
) -> tuple[Query, ...]:
    """Returns the comments with the places that they and their responses name, found in both versions."""
    revision = revisions.revision(revision_id)
    source, target = (documents.parsed(key) for key in (revision.source_document_id, revision.target_document_id))
    if source is None or target is None:
        return queries
    named = NamedEdits(source, target, revisions.edits(revision_id), revision.unchanged)
    found = []
    for at, query in enumerate(queries):
        report.progress(at / len(queries), "Looking up places mentioned")
        found.append(replace(query, named=named.of_comment(query.comment), reply_named=named.of_reply(query.response)))
    return tuple(found)


def _whole(
    documents: DocumentStore | None, revisions: RevisionStore, revision_id: str, strategy: str
) -> tuple[Candidate, ...]:
    """Returns every paragraph of the revised version including edits, for a strategy that reads it, if it has been
    parsed."""
    if documents is None or strategy not in STRATEGIES or not STRATEGIES[strategy].whole_paper:
        return ()
    revision = revisions.revision(revision_id)
    target = documents.parsed(revision.target_document_id)
    return whole_revision(revisions.edits(revision.id), revision.unchanged, target) if target is not None else ()


def _candidates(revisions: RevisionStore, revision_id: str, report: Report) -> tuple[Candidate, ...]:
    found = []
    edits = [edit for edit in revisions.edits(revision_id) if may_answer(edit)]
    for at, edit in enumerate(edits):
        if at % 10 == 0:
            report.progress(0.05 * at / len(edits), "Collecting comments and edits")
        found.append(candidate(edit))
    return tuple(found)
