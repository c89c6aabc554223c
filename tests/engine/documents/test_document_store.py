"""Documents in a project: brought in once, read by a job, kept, and undone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pymupdf
import pytest

from engine.documents.records import PARSER, ParsedDocument
from engine.documents.service import DocumentService
from engine.documents.store import DocumentStore
from engine.documents.tasks import parse_document, read_visible
from engine.errors import BadInput, about
from engine.exchange.pdf_text import pdf_text
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


def test_a_document_that_is_undone_while_it_is_read_is_none(
    project: Project, service: DocumentService, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = DocumentStore(project)
    monkeypatch.setattr(store, "parsed", lambda _key: ParsedDocument("", (), (), "", 0.0))
    assert read_visible(store, service, "gone") is None


def test_what_is_no_pdf_does_not_come_in(project: Project) -> None:
    with pytest.raises(BadInput, match=r"notes\.txt is not a PDF"):
        DocumentStore(project).add_document(b"some notes", "notes.txt")
    assert DocumentStore(project).documents() == ()


def test_what_cannot_be_read_is_named(project: Project, service: DocumentService, tmp_path: Path) -> None:
    """Of forty files that were dropped at once, people know which one is meant."""
    damaged = b"%PDF-1.7 and nothing else"
    key = DocumentStore(project).add_document(damaged, "paper.pdf")
    task = parse_document(DocumentStore(project), service, key)
    with pytest.raises(BadInput, match=r"^paper\.pdf is damaged"):
        task.run(QuietReport())
    path = tmp_path / "notes.pdf"
    path.write_bytes(b"some notes")
    for ask in (service.open, service.parse, service.inspect, service.metadata, service.looks):
        with pytest.raises(BadInput, match=r"^notes\.pdf is not a PDF"):
            ask(path)
    path.write_bytes(b"")
    with pytest.raises(BadInput, match=r"^notes\.pdf is empty"):
        service.parse(path)
    with pytest.raises(BadInput, match=r"^letter\.pdf is damaged"):
        pdf_text(damaged, "letter.pdf", service)


def test_problems_without_a_file_stay_as_they_are() -> None:
    with pytest.raises(BadInput, match=r"^The PDF reader stopped while reading a\.pdf"), about("a.pdf"):
        raise BadInput("The PDF reader stopped while reading this file.", "Nothing.", "Try again.")
    with pytest.raises(BadInput, match=r"^Page 3 has no text"), about("a.pdf"):
        raise BadInput("Page 3 has no text.")


def test_the_job_reads_a_document_and_keeps_it(project: Project, pdf: bytes, service: DocumentService) -> None:
    store = DocumentStore(project)
    key = store.add_document(pdf, "paper.pdf")
    seen: list[Changes] = []
    project.subscribe(seen.append)
    task = parse_document(store, service, key)
    result = task.run(QuietReport())
    kept = store.parsed(key)
    assert kept is not None
    assert (kept.parser, len(kept.pages), len(kept.paragraphs)) == (PARSER, result.pages, result.paragraphs)
    assert result.seconds > 0
    assert [(c.kind, c.tables) for c in seen] == [("results", frozenset({"parsed_document"}))]
    assert store.parsed(key) is kept, "kept at hand"
    assert DocumentStore(project).parsed(key) == kept, "and in the file"
    assert task.run(QuietReport()).seconds == 0, "not read twice"


def test_what_was_read_elsewhere_is_refused(project: Project, pdf: bytes, service: DocumentService) -> None:
    store = DocumentStore(project)
    key = store.add_document(pdf + b"\n%", "paper.pdf")
    with pytest.raises(ValueError, match="another file"):
        store.save_parsed(key, service.parse(pdf))


def test_what_two_pages_repeat_at_their_edges_is_in_no_paragraph(service: DocumentService) -> None:
    document = pymupdf.open()
    for number in range(2):
        page = document.new_page()
        for line in range(20):
            page.insert_text(
                (72, 90 + 30 * line), f"Line {line} of page {number} of a letter about lakes in the north."
            )
        page.insert_text((72, 800), "Confidential letter of the lake group")
        page.insert_text((72, 40), f"Our responses, page {number + 1} of 2")
    text = pdf_text(document.tobytes(), "letter.pdf", service).text
    document.close()
    assert "Confidential" not in text and "Our responses" not in text and "Line 19 of page 1" in text
