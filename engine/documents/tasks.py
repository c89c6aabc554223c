"""What the job engine runs for documents."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from engine.documents.service import DocumentService
from engine.documents.store import DocumentStore
from engine.errors import Cancelled
from engine.jobs import DuplicatePolicy, Report, Task


@dataclass(frozen=True, slots=True)
class ParseDocument:
    """Read one document of the project; ``again`` reads it even if this version's parser has done so."""

    document_id: str
    again: bool = False


@dataclass(frozen=True, slots=True)
class DocumentRead:
    """What came of it: counts, the parser's seconds (0 when it had been read before), sentences for people."""

    document_id: str
    pages: int
    paragraphs: int
    seconds: float
    warnings: tuple[str, ...]


def parse_document(
    store: DocumentStore, service: DocumentService, document_id: str, *, again: bool = False
) -> Task[ParseDocument, DocumentRead]:
    """The job that reads a document and keeps what was read; a second one for the same document is not taken."""
    return Task(
        kind="documents.parse",
        title=f"Read {store.document(document_id).filename}",
        run=partial(_parse_document, store, service),
        params=ParseDocument(document_id, again),
        duplicate=DuplicatePolicy.DISCARD,
        scope=f"doc:{document_id}",
    )


def _parse_document(
    store: DocumentStore, service: DocumentService, params: ParseDocument, report: Report
) -> DocumentRead:
    if params.again or not store.read_by_this_parser(params.document_id):
        packed = service.read(
            store.pdf_bytes(params.document_id),
            progress=report.progress,
            cancelled=lambda: _is_cancelled(report),
        )
        store.save_packed(params.document_id, packed)
        return DocumentRead(params.document_id, packed.pages, packed.paragraphs, packed.seconds, packed.warnings)
    kept = store.parsed(params.document_id)
    assert kept is not None
    return DocumentRead(params.document_id, len(kept.pages), len(kept.paragraphs), 0.0, kept.warnings)


def _is_cancelled(report: Report) -> bool:
    try:
        report.check()
    except Cancelled:
        return True
    return False
