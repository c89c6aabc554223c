"""Background jobs for documents."""

from dataclasses import dataclass
from functools import partial

from engine.documents.hidden import Inspection, not_examined, visible_document
from engine.documents.records import ParsedDocument
from engine.documents.service import DocumentService
from engine.documents.store import DocumentStore
from engine.errors import Cancelled, EnvironmentProblem, about
from engine.jobs import DuplicatePolicy, Report, task


@dataclass(frozen=True, slots=True)
class DocumentRead:
    """The job's result: counts, the parser's time in seconds (0 if it had been read before), sentences for the user."""

    document_id: str
    pages: int
    paragraphs: int
    seconds: float
    warnings: tuple[str, ...]


@task(
    "documents.parse",
    lambda store, document_id, **_: f"Read {store.document(document_id).filename}",
    DuplicatePolicy.DISCARD,
    "doc:{document_id}",
)
def parse_document(report: Report, store: DocumentStore, service: DocumentService, document_id: str) -> DocumentRead:
    """Parses a document and stores the result; a second job for the same document is discarded."""
    if not store.is_read(document_id):
        with about(store.document(document_id).filename):
            packed = service.read(
                store.pdf_bytes(document_id), progress=report.progress, cancelled=partial(is_cancelled, report)
            )
        store.save_packed(document_id, packed)
        return DocumentRead(document_id, packed.pages, packed.paragraphs, packed.seconds, packed.warnings)
    kept = store.parsed(document_id)
    assert kept is not None
    return DocumentRead(document_id, len(kept.pages), len(kept.paragraphs), 0.0, kept.warnings)


def read_visible(
    store: DocumentStore, service: DocumentService, document_id: str
) -> tuple[ParsedDocument, Inspection] | None:
    """Returns the visible content of a parsed document, and what it hides; None if it hasn't been parsed or is gone.

    If a file can't be examined, nothing counts as visible.
    """
    parsed = store.parsed(document_id)
    if parsed is None:
        return None
    try:
        name, content = store.document(document_id).filename, store.pdf_bytes(document_id)
    except KeyError:  # its import was undone in the meantime
        return None
    try:
        with about(name):
            seen = service.inspect(content)
    except EnvironmentProblem as problem:
        seen = not_examined(len(parsed.pages), problem.what.rstrip("."))
    return visible_document(parsed, seen), seen


def stopping(service: DocumentService, report: Report) -> DocumentService:
    """Returns the service for a job: cancelling the job stops the worker."""
    return service.until(partial(is_cancelled, report))


def is_cancelled(report: Report) -> bool:
    """Returns whether the job was cancelled, for code that polls instead of catching ``Cancelled``."""
    try:
        report.check()
    except Cancelled:
        return True
    return False
