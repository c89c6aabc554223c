"""What the engine thread runs for review drafting, and the reading of a paper that goes before."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from engine.documents.records import ParsedDocument
from engine.documents.service import DocumentService
from engine.documents.tables import find_tables
from engine.papers.records import LibraryPaper
from engine.review_drafting.reading import read_paper
from engine.review_drafting.records import LibraryEntry, PaperReading


def read_for_drafting(path: Path) -> tuple[PaperReading, tuple[str, ...]]:
    """A PDF outside of any project, as the stages read it, and what the reader of PDFs remarks.

    Raises BadInput or EnvironmentProblem as ``DocumentService.parse``.
    """
    with DocumentService() as service:
        parsed = service.parse(path)
        return reading_of(parsed, path, service), parsed.warnings


def reading_of(
    parsed: ParsedDocument, pdf: Path | bytes, service: DocumentService, cancelled: Callable[[], bool] | None = None
) -> PaperReading:
    """A parsed PDF with its tables (bold type included)."""
    pages = [table.page for table in find_tables(parsed)]
    bold = service.bold_words(pdf, pages, cancelled)
    return read_paper(parsed, find_tables(parsed, bold))


def library_entries(papers: Iterable[LibraryPaper]) -> tuple[LibraryEntry, ...]:
    """Papers of the library as the Literature Searcher reads them; the place stands for a key where there is none."""
    return tuple(
        LibraryEntry(
            id=paper.id or str(number),
            title=paper.title,
            abstract=paper.abstract,
            year=paper.year,
            authors=paper.authors,
            venue=paper.venue,
        )
        for number, paper in enumerate(papers)
        if paper.title
    )
