"""The two papers of these tests, read once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from engine.documents.records import ParsedDocument
from engine.documents.service import DocumentService
from engine.review_drafting.records import PaperReading
from engine.review_drafting.tasks import reading_of
from tests.engine.review_drafting.papers import letter_paper


@dataclass(frozen=True)
class Read:
    """A paper: its bytes, as parsed, as the stages read it."""

    pdf: bytes
    parsed: ParsedDocument
    paper: PaperReading


@pytest.fixture(scope="session")
def drafting_service() -> Iterator[DocumentService]:
    with DocumentService() as running:
        yield running


def _read(service: DocumentService, *, faulty: bool) -> Read:
    pdf = letter_paper(faulty=faulty)
    parsed = service.parse(pdf)
    return Read(pdf, parsed, reading_of(parsed, pdf, service))


@pytest.fixture(scope="session")
def faulty(drafting_service: DocumentService) -> Read:
    """The paper with planted faults."""
    return _read(drafting_service, faulty=True)


@pytest.fixture(scope="session")
def clean(drafting_service: DocumentService) -> Read:
    """The same paper without them."""
    return _read(drafting_service, faulty=False)
