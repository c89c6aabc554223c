"""Known papers in the layouts of the usual classes come back paragraph by paragraph."""

from __future__ import annotations

import re
from typing import Any

import pytest

from engine.documents.records import ParsedDocument
from engine.documents.service import DocumentService
from tests.benchmarks.paragraph_quality import evaluate, measure
from tests.engine.documents.typeset import Look, Paper, conference_paper

LAYOUTS: dict[str, dict[str, Any]] = {
    "two columns, indented": {"columns": 2, "running_head": "A Reader of Pages"},
    "two columns, numbered lines": {"columns": 2, "line_numbers": True, "body": Look("tiro", 11, 13.2)},
    "two narrow columns, tight": {"columns": 2, "margin": 50, "gutter": 14, "body": Look("tiro", 10, 11.5)},
    "two columns, ragged": {"columns": 2, "justified": False, "hyphenate": False, "indent": 12},
    "one column, spaced paragraphs": {"indent": 0, "skip": 5.5, "body": Look("tiro", 10, 11)},
    "one column, numbered lines": {"indent": 15, "line_numbers": True},
    "one column, double spaced": {"indent": 30, "body": Look("tiro", 12, 24)},
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_body_paragraphs_of_a_layout_are_found_whole(service: DocumentService, layout: str) -> None:
    paper = conference_paper(seed=3, pages=4, **LAYOUTS[layout])
    known = paper.known
    quality = evaluate(service.parse(paper.finish()), known)
    assert (quality.found, quality.missed) == (quality.known, ())
    assert quality.spurious == ()
    assert quality.sections_right == quality.found


@pytest.fixture(scope="module")
def two_columns(service: DocumentService) -> ParsedDocument:
    """A two-column paper with everything in it."""
    return service.parse(conference_paper(seed=5, pages=4, columns=2, running_head="Running Head of Tests").finish())


def kinds(document: ParsedDocument, kind: str) -> list[str]:
    return [p.text for p in document.paragraphs if p.kind == kind]


def test_captions_references_footnotes_equations_and_tables_are_told_apart(two_columns: ParsedDocument) -> None:
    assert len([t for t in kinds(two_columns, "caption") if re.match(r"Figure [1-4]: ", t)]) == 4
    assert len(kinds(two_columns, "reference")) == 12
    assert any("y = a + b x + e" in t and "(1)" in t for t in kinds(two_columns, "equation"))
    assert any("row 3 30 0.31" in t for t in kinds(two_columns, "table"))
    assert all(t.startswith(("1", "2", "3")) for t in kinds(two_columns, "footnote"))
    assert kinds(two_columns, "footnote")


def test_running_heads_and_page_numbers_are_nowhere(two_columns: ParsedDocument) -> None:
    assert not [p for p in two_columns.paragraphs if "Running Head" in p.text]
    assert not [p for p in two_columns.paragraphs if p.text.isdigit()]


def test_headings_make_the_section_path_and_the_title_is_known(two_columns: ParsedDocument) -> None:
    assert two_columns.title == "A Reader of Pages That Was Tested on Itself"
    assert "2 Method > 2.1 A Closer Look" in {p.section for p in two_columns.paragraphs}
    authors = [p for p in two_columns.paragraphs if "Ada Example and Ben" in p.text and p.page == 1]
    assert {p.kind for p in authors} == {"other"}


def test_line_end_hyphens_go_and_real_hyphens_stay(two_columns: ParsedDocument) -> None:
    body = " ".join(kinds(two_columns, "body"))
    assert "well-known" in body
    assert not re.search(r"wellknown|\w- \w", body)
    broken = [p for p in two_columns.paragraphs if re.search(r"\w-\n", p.raw)]
    assert broken, "the paper has hyphens at line ends"
    assert "measurements" in body
    assert not re.search(r"mea-?su-|interpre-", body)


def test_offsets_lead_back_to_the_glyphs(two_columns: ParsedDocument) -> None:
    for paragraph in two_columns.paragraphs:
        assert len(paragraph.offsets) == len(paragraph.text) + 1
        assert list(paragraph.offsets) == sorted(paragraph.offsets)
        for word in paragraph.words:
            glyphs = paragraph.raw[paragraph.offsets[word.start] : paragraph.offsets[word.end]].strip()
            text = paragraph.text[word.start : word.end]
            assert glyphs.rstrip("-\n ") == text.rstrip("-")


def test_words_lie_in_the_boxes_of_their_paragraph(two_columns: ParsedDocument) -> None:
    for paragraph in two_columns.paragraphs:
        for word in paragraph.words:
            w = word.box
            assert any(
                b.page == w.page and b.x0 <= w.x0 and w.x1 <= b.x1 and b.y0 <= w.y0 and w.y1 <= b.y1
                for b in paragraph.boxes
            )


def test_a_paragraph_goes_on_in_the_next_column(service: DocumentService) -> None:
    paper = Paper(columns=2, height=300, margin=40)
    paper.heading("1 Introduction")
    text = "This sentence goes on and on over the end of its column, " * 24 + "and then it ends."
    paper.paragraph(text, first=True)
    paper.paragraph("A second paragraph follows, with an indent and with enough words to fill a line or two.")
    parsed = service.parse(paper.finish())
    body = [p for p in parsed.paragraphs if p.kind == "body"]
    assert body[0].text == text
    assert len(body) == 2
    assert len(body[0].boxes) >= 2


def test_a_large_piece_of_a_formula_is_no_heading(service: DocumentService) -> None:
    paper = Paper(margin=40)
    words = "A paragraph with enough words to be the running text of this page, over some lines of it. " * 4
    paper.heading("A Reader of Formulas")
    paper.paragraph(words)
    for title in ("1 Introduction", "2 On A = B"):
        paper.heading(title)
        paper.paragraph(words, first=True)
    paper.heading("yk F = 1")
    paper.paragraph(words)
    paper.heading("3 The Sum = The Parts")
    paper.paragraph(words, first=True)
    sections = [p.section for p in service.parse(paper.finish()).paragraphs if p.kind == "body" and len(p.text) > 99]
    assert sections == ["1 Introduction", *["2 On A = B"] * 2, "3 The Sum = The Parts"]


def test_an_abstract_ends_where_the_text_goes_on_without_a_heading(service: DocumentService) -> None:
    """As in letters to a journal, and in manuscripts whose headings aren't recognised."""
    paper = Paper(margin=40)
    words = "A paragraph with enough words to be the running text of this page, over some lines of it. " * 5
    paper.heading("How Long an Abstract Is")
    paper.heading("Abstract")
    for _ in range(16):
        paper.paragraph(words)
    paper.heading("Acknowledgements")
    paper.paragraph(words)
    body = [p for p in service.parse(paper.finish()).paragraphs if p.kind == "body" and len(p.text) > 99]
    assert body[0].section == "Abstract" and body[-1].section == "Acknowledgements"
    assert {p.section for p in body if p.boxes[0].page > 1} == {"", "Acknowledgements"}
    assert sum(len(p.text.split()) for p in body if p.section == "Abstract") < 750


def test_rotated_pages_read_like_upright_ones(service: DocumentService) -> None:
    import pymupdf

    paper = conference_paper(seed=2, pages=1.5)
    known = paper.known
    with pymupdf.open(stream=paper.finish(), filetype="pdf") as document, pymupdf.open() as turned:
        for page in document:
            # The content is turned one way and the page the other: shown upright, as scanners and LaTeX's lscape do.
            new = turned.new_page(width=page.rect.height, height=page.rect.width)
            new.show_pdf_page(new.rect, document, page.number, rotate=90)
            new.set_rotation(90)
        data = turned.tobytes()
    parsed = service.parse(data)
    assert {(p.width, p.height, p.rotation) for p in parsed.pages} == {(612.0, 792.0, 90)}
    quality = evaluate(parsed, known)
    assert quality.missed == ()


@pytest.mark.data
def test_real_papers_are_read_whole(service: DocumentService, data_folder: Any) -> None:
    results = measure(data_folder, service, ("iscb-diversity",)).values()
    assert sum(q.found for q in results) >= 0.95 * sum(q.known for q in results)
    assert sum(len(q.spurious) for q in results) <= 0.03 * sum(q.parsed for q in results)
