"""Parses a paper again with the current parser, if an earlier version parsed the text in use.

Both results are kept, and one undoable step sets which one is used. Comparisons are then updated as after any change of
parser: edits that are found again keep their links, other links need attention.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from engine.documents.codec import decode
from engine.documents.records import PackedDocument, Paragraph, ParsedDocument
from engine.documents.service import DocumentService
from engine.documents.store import DocumentStore
from engine.documents.tasks import is_cancelled
from engine.errors import about, not_changed
from engine.jobs import DuplicatePolicy, Report, task
from engine.operations.papers import read_earlier
from engine.operations.removing import Affected
from engine.project import Project
from engine.revision.comparison_store import match_edits
from engine.revision.edits import compare
from engine.revision.store import RevisionStore
from engine.shown import counted


@dataclass(frozen=True, slots=True)
class Reread:
    """New parser results by document, not used yet, and the effects of using them."""

    readings: Mapping[str, PackedDocument]
    affected: Affected


@task("documents.reread", "Read paper again", DuplicatePolicy.REPLACE, "paper:{paper_id}")
def rereading(report: Report, project: Project, service: DocumentService, paper_id: str) -> Reread:
    """Parses documents that an earlier version of the parser parsed, and determines the effects of using the results;
    changes nothing. Raises BadInput if there are no such documents."""
    documents, keys = DocumentStore(project), read_earlier(project, paper_id)
    if not keys:
        raise not_changed("This version of Rejoinder has read all PDFs of the paper.", "There's nothing to read again.")
    readings, now = dict[str, PackedDocument](), dict[str, ParsedDocument]()
    for n, key in enumerate(keys):
        part = report.part(0.9 * n / len(keys), 0.9 * (n + 1) / len(keys))
        with about(documents.document(key).filename):
            readings[key] = service.read(documents.pdf_bytes(key), part.progress, partial(is_cancelled, report))
        now[key] = decode(readings[key].content)
    report.progress(0.9, "Comparing the versions")
    notes = [_paragraphs(documents, key, now[key]) for key in keys]
    revisions = RevisionStore(project)
    for revision in revisions.revisions():
        sides = revision.source_document_id, revision.target_document_id
        source, target = (now.get(key) or documents.parsed(key) for key in sides)
        if now.keys() & {*sides} and source is not None and target is not None:
            notes += _edits(revisions, revision.id, source.paragraphs, target.paragraphs)
    return Reread(readings, Affected("Read paper again", notes=(*notes, "You can undo this.")))


def read_again(project: Project, reread: Reread) -> Affected:
    """Uses the new parser results for their documents; returns what that affects."""
    documents = DocumentStore(project)
    for key, packed in reread.readings.items():
        documents.save_packed(key, packed)
    documents.use_reading(reread.readings)
    return reread.affected


def _paragraphs(documents: DocumentStore, key: str, now: ParsedDocument) -> str:
    parsed = documents.parsed(key)
    assert parsed is not None
    before, after = ({p.text for p in one.paragraphs} for one in (parsed, now))
    name = documents.document(key).filename
    if before == after:
        return f"The text of {name} stays the same."
    of = counted(len(before), "paragraph")
    return f"In {name}, {len(before - after)} of {of} will change or disappear, and {len(after - before)} will be new."


def _edits(
    revisions: RevisionStore, revision_id: str, source: Sequence[Paragraph], target: Sequence[Paragraph]
) -> Iterator[str]:
    before = revisions.edits(revision_id, dismissed_by=())
    matches = match_edits(before, compare(source, target).edits)
    gone = {edit.id for edit in before} - {before[match].id for match in matches if match is not None}
    new = matches.count(None)
    kept = len(before) - len(gone)
    yield f"{kept} of {counted(len(before), 'edit')} will be found again, and {new or 'none'} will be new."
    gone |= {key for key, found, _ in revisions.passages_in(revision_id, target) if found is None}
    workers = revisions.workers().get(revision_id, ())
    links = [link for who in workers for link in revisions.links(revision_id, annotator_id=who)]
    if lost := sum(link.edit_id in gone for link in links):
        yield f"{counted(lost, 'link')} to edits that won't be found will be kept and need attention."
