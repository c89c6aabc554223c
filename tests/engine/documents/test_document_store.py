"""Documents in a project: brought in once, read by a job, kept, and undone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.documents.parsing import PARSER
from engine.documents.service import DocumentService
from engine.documents.store import DocumentStore
from engine.documents.tasks import parse_document
from engine.errors import BadInput
from engine.jobs import QuietReport
from engine.project import Changes, Project
from tests.engine.documents.typeset import conference_paper


@pytest.fixture(scope="module")
def pdf() -> bytes:
    return conference_paper(seed=4, pages=1.5).finish()


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with Project.create(tmp_path / "study.rejoinder", title="Study") as opened:
        yield opened


def test_a_document_comes_in_once_and_is_undone(project: Project, pdf: bytes) -> None:
    store = DocumentStore(project)
    key = store.add_document(pdf, "paper.pdf", title="A Paper", pages=3)
    assert store.add_document(pdf, "copy of paper.pdf") == key
    assert [(d.id, d.filename, d.title, d.pages) for d in store.documents()] == [(key, "paper.pdf", "A Paper", 3)]
    assert store.pdf_bytes(key) == pdf
    assert store.parsed(key) is None
    project.undo()
    assert store.documents() == ()
    with pytest.raises(KeyError):
        store.document(key)
    project.redo()
    assert store.pdf_bytes(key) == pdf


def test_what_is_no_pdf_does_not_come_in(project: Project) -> None:
    with pytest.raises(BadInput, match=r"notes\.txt is not a PDF"):
        DocumentStore(project).add_document(b"some notes", "notes.txt")
    assert DocumentStore(project).documents() == ()


def test_the_job_reads_a_document_and_keeps_it(project: Project, pdf: bytes, service: DocumentService) -> None:
    store = DocumentStore(project)
    key = store.add_document(pdf, "paper.pdf")
    seen: list[Changes] = []
    project.subscribe(seen.append)
    task = parse_document(store, service, key)
    result = task.run(task.params, QuietReport())
    kept = store.parsed(key)
    assert kept is not None
    assert (kept.parser, len(kept.pages), len(kept.paragraphs)) == (PARSER, result.pages, result.paragraphs)
    assert result.seconds > 0
    assert [(c.kind, c.tables) for c in seen] == [("results", frozenset({"parsed_document"}))]
    assert store.parsed(key) is kept, "kept at hand"
    assert DocumentStore(project).parsed(key) == kept, "and in the file"
    assert task.run(task.params, QuietReport()).seconds == 0, "not read twice"


def test_what_was_read_elsewhere_is_refused(project: Project, pdf: bytes, service: DocumentService) -> None:
    store = DocumentStore(project)
    key = store.add_document(pdf + b"\n%", "paper.pdf")
    with pytest.raises(ValueError, match="another file"):
        store.save_parsed(key, service.parse(pdf))
