"""The paper with a review over it: what is marked, with which words, and what the last pages say."""

from __future__ import annotations

import pymupdf

from engine.documents.service import DocumentService
from engine.review_drafting.forms import shipped
from engine.review_drafting.marked import marked_paper, numbered
from engine.review_drafting.readiness import checked
from tests.engine.review_drafting.conftest import Read

FORM = shipped("iclr")
VALUES = {
    "summary": "The paper reads letters. It proposes “the careful reader, a novel parser for review letters”.",
    "weaknesses": (
        "- Table 1 reports 91.4 for the careful reader.\n- The writing is dense.\n- “We assume that every reply follows"
        " its comment” is not tested."
    ),
    "rating": "6",
}


def test_every_verified_place_is_marked_and_nobody_is_named(clean: Read, drafting_service: DocumentService) -> None:
    grounded = checked(FORM, VALUES, clean.paper.places)
    sentences = numbered(FORM, grounded)
    assert [one.number for one in sentences] == [0, 1, 2, 0, 3]
    made = marked_paper(
        clean.pdf, FORM, VALUES, grounded, drafting_service, title="Review of a paper", statement="Written by hand."
    )
    assert made.left_out == 0
    with pymupdf.open(stream=made.content, filetype="pdf") as document:
        shown = [(page, a) for page in document for a in page.annots()]
        lit = [(page, a) for page, a in shown if a.type[1] == "Highlight"]
        assert made.marks == len(lit) >= 4, "the table and its number are two places"
        assert {a.info["title"] for _, a in shown} == {""}
        notes = {a.info["content"] for _, a in lit}
        assert any(note.startswith("1: Summary (supported): It proposes") for note in notes)
        page, mark = next((p, a) for p, a in lit if "is not tested" in a.info["content"])
        around = pymupdf.Rect(mark.rect.x0 - 2, mark.rect.y0 - 2, mark.rect.x1 + 2, mark.rect.y1 + 2)
        assert "every reply follows" in " ".join(page.get_text("text", clip=around).split())
        assert {a.info["content"] for _, a in shown if a.type[1] == "FreeText"} == {"1", "2", "3"}
        last = "".join(document[n].get_text() for n in range(clean.paper.pages, document.page_count))
        for words in ("Review of a paper", "[2]", "The writing is dense.", "marginally above", "Written by hand."):
            assert words in last
        assert document.get_toc()[-1][1] == "Review"
        assert document.metadata["author"] == ""


def test_each_note_has_the_state_and_what_is_contradicted_another_colour(
    clean: Read, drafting_service: DocumentService
) -> None:
    values = {"summary": "Table 1 reports 91.4 for the careful reader.\n\nTable 1 reports 17.3 for the careful reader."}
    grounded = checked(FORM, values, clean.paper.places)
    verdicts = [claim.verdict for claim in grounded["summary"].claims]
    assert verdicts == ["supported", "contradicted"]
    made = marked_paper(clean.pdf, FORM, values, grounded, drafting_service, title="Review")
    with pymupdf.open(stream=made.content, filetype="pdf") as document:
        lit = [
            a for page in document for a in page.annots() if a.type[1] == "Highlight" and a.info["content"][1] == ":"
        ]
        washes = {a.info["content"][:28].partition(")")[0]: tuple(a.colors["stroke"]) for a in lit}
    assert list(washes) == ["1: Summary (supported", "2: Summary (contradicted"]
    assert len(set(washes.values())) == 2


def test_a_review_without_places_is_an_appendix_alone(clean: Read, drafting_service: DocumentService) -> None:
    values = {"weaknesses": "The writing is dense."}
    made = marked_paper(
        clean.pdf, FORM, values, checked(FORM, values, clean.paper.places), drafting_service, title="Review"
    )
    assert (made.marks, made.left_out) == (0, 0)
    with pymupdf.open(stream=made.content, filetype="pdf") as document:
        assert document.page_count > clean.paper.pages
