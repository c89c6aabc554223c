"""Title, abstract, authors and identifiers as a PDF's pages show them."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.documents.records import Box, PageSize, Paragraph, ParagraphKind, ParsedDocument, Word
from engine.documents.service import DocumentService
from engine.papers.library import title_key
from engine.papers.pdf_metadata import author_block, pdf_paper

TITLE = "How Readers Find Their Way Through a Very Long Report"
SAYS = "We watched readers of long reports and counted how often they turned back. " * 4
BODY = "The report has many pages, and the pages have many lines, which all must be read by somebody. " * 5


def _document(
    *parts: tuple[str, float, ParagraphKind, int] | tuple[str, float, ParagraphKind], title: str = ""
) -> ParsedDocument:
    paragraphs = []
    section = ""
    for index, (text, size, kind, *page) in enumerate(parts):
        number = int(page[0]) if page else 1
        box = Box(number, 50.0, 20.0 * index, 300.0, 20.0 * index + size)
        section = text if kind == "heading" else section
        paragraphs.append(
            Paragraph(f"p{index}", index, section, kind, text, text, (), number, (box,), (Word(0, len(text), box),))
        )
    return ParsedDocument("0" * 64, (PageSize(1, 612, 792, 0),), tuple(paragraphs), "test", 0.0, title=title)


def test_an_ordinary_paper() -> None:
    paper = pdf_paper(
        _document(
            ("arXiv:2001.01234v2 [cs.CL] 3 Jan 2020", 20.0, "other"),
            (TITLE, 17.0, "heading"),
            ("Ada B. Example1,∗, Jean-Luc d’Autre2 and Wei Li1,2", 12.0, "other"),
            ("1University of Somewhere, New York 2Some Institute", 10.0, "other"),
            ("Abstract", 12.0, "heading"),
            (SAYS.strip(), 9.0, "body"),
            ("1 Introduction", 12.0, "heading"),
            (BODY, 10.0, "body"),
            ("See https://doi.org/10.1000/other", 10.0, "body"),
        )
    )
    assert (paper.title, paper.abstract) == (TITLE, SAYS.strip())
    assert paper.authors == ("Ada B. Example", "Jean-Luc d’Autre", "Wei Li")
    assert (paper.arxiv_id, paper.doi) == ("2001.01234", "")


def test_the_only_paragraph_before_the_first_section_is_the_abstract() -> None:
    document = _document(
        (TITLE, 17.0, "other"),
        ("Ada B. Example1 and Wei Li1", 12.0, "other"),
        (SAYS.strip(), 9.0, "body"),
        ("1 Introduction", 12.0, "heading"),
        (BODY, 10.0, "body"),
    )
    paper = pdf_paper(document)
    assert (paper.abstract, paper.authors) == (SAYS.strip(), ("Ada B. Example", "Wei Li"))
    assert list(author_block(document)) == [1], "what a package without authors redacts"


def test_the_imprint_tells_the_doi_and_the_text_does_not() -> None:
    parts: tuple[tuple[str, float, ParagraphKind], ...] = (
        (TITLE, 17.0, "heading"), ("Abstract", 12.0, "heading"), (SAYS.strip(), 9.0, "body"),
        ("1 Introduction", 12.0, "heading"), (f"{BODY} See https://doi.org/10.1000/other.", 10.0, "body"),
    )  # fmt: skip
    imprint: tuple[str, float, ParagraphKind] = ("© 2020 ACM. https://doi.org/10.1145/12.34", 7.0, "footnote")
    assert pdf_paper(_document(*parts)).doi == ""
    assert pdf_paper(_document(*parts, imprint)).doi == "10.1145/12.34"


def test_a_title_over_two_paragraphs_below_a_journal_name() -> None:
    paper = pdf_paper(
        _document(
            ("Journal of Reading 12 (2020) 1-20", 9.0, "other"),
            ("https://doi.org/10.1000/Own.1", 8.0, "other"),
            ("How Readers Find Their Way", 18.0, "heading"),
            ("Through a Very Long Report", 18.0, "heading"),
            ("Ada Example", 11.0, "other"),
            ("Abstract—" + SAYS.strip(), 9.0, "body"),
            ("Keywords: reading, reports", 9.0, "body"),
            (BODY, 10.0, "body"),
        )
    )
    assert title_key(paper.title) == title_key(TITLE)
    assert paper.abstract == SAYS.strip()
    assert (paper.doi, paper.authors) == ("10.1000/own.1", ("Ada Example",))


def test_the_authors_begin_after_the_last_line_of_a_stated_title() -> None:
    document = _document(
        ("How Readers Find Their Way", 18.0, "heading"),
        ("Through a Very Long Report", 18.0, "other"),
        ("Ada Example", 11.0, "other"),
        ("Abstract—" + SAYS.strip(), 9.0, "body"),
        title="How Readers Find Their Way Through a Very Long Report",
    )
    assert author_block(document) == range(2, 3)
    assert pdf_paper(document).title == document.title


def test_what_the_file_says_counts_where_the_page_says_it_too() -> None:
    parts: tuple[tuple[str, float, ParagraphKind], ...] = (
        ("A BANNER IN BIG LETTERS", 30.0, "heading"), (TITLE.upper(), 14.0, "body"), (BODY, 10.0, "body"),
    )  # fmt: skip
    assert pdf_paper(_document(*parts, title=TITLE)).title == TITLE
    assert pdf_paper(_document(*parts, title="Microsoft Word - final.docx")).title == "A BANNER IN BIG LETTERS"


def test_a_structured_abstract_is_one_abstract() -> None:
    paper = pdf_paper(
        _document(
            (TITLE, 17.0, "heading"), ("Abstract", 12.0, "heading"), ("Background", 10.0, "heading"),
            (SAYS.strip(), 9.0, "body"), ("Conclusions", 10.0, "heading"), ("So it is.", 9.0, "body"),
            ("Introduction", 12.0, "heading"), (BODY, 10.0, "body"),
        )
    )  # fmt: skip
    assert paper.abstract == f"Background {SAYS.strip()} Conclusions So it is."


def test_nothing_is_made_up() -> None:
    plain = pdf_paper(_document((BODY, 10.0, "body"), ("Abstract", 10.0, "body"), ("Short.", 10.0, "body")))
    assert (plain.title, plain.abstract, plain.authors, plain.doi, plain.arxiv_id) == ("", "", (), "", "")
    empty = pdf_paper(_document())
    assert not empty.title and not empty.abstract


def test_the_sample_paper() -> None:
    folder = Path(__file__).resolve().parents[3] / "resources" / "sample"
    with DocumentService() as service:
        paper = pdf_paper(service.parse(folder / "submitted.pdf"))
    assert paper.title.startswith("How Few Counters Suffice?")
    assert paper.authors == ("Ilse Marrowby", "Teodor Quill", "Anouk Vantresca")
    assert paper.abstract.startswith("Cities want to know") and paper.abstract.endswith("of this size.")


@pytest.mark.data
def test_real_papers(data_folder: Path) -> None:
    """Every manuscript gives its title, which its metadata confirm, and an abstract of a sensible length."""
    files = sorted((data_folder / "revisions").rglob("*.pdf"))
    assert files
    with DocumentService() as service:
        for file in files:
            parsed = service.parse(file)
            paper = pdf_paper(parsed)
            assert title_key(paper.title) == title_key(parsed.title), file
            assert 600 < len(paper.abstract) < 2500 and len(paper.authors) >= 5, file
        guidelines = pdf_paper(service.parse(data_folder / "disapere" / "annotation_guidelines.pdf"))
    assert guidelines.title.endswith("Guidelines") and not guidelines.abstract and not guidelines.authors
