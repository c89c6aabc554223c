"""Theorems and the pieces of displayed formulas: neither is a heading, and neither parts a sentence from its rest."""

from __future__ import annotations

import random

import pymupdf
import pytest

from engine.documents.records import ParsedDocument
from engine.documents.service import DocumentService
from tests.engine.documents.typeset import Look, Paper, prose

ITALIC = Look("tiit", 10, 12)
LEADS = "It holds for every one of the streets that were counted"


def texts(parsed: ParsedDocument, kind: str) -> list[str]:
    return [p.text for p in parsed.paragraphs if p.kind == kind]


def started() -> Paper:
    rng = random.Random(6)
    paper = Paper()
    paper.title("A Paper That Was Made to Be Read Back", ["Ada Example"])
    paper.heading("1 Method")
    paper.paragraph(prose(rng, 5), first=True)
    return paper


def filled(paper: Paper, text: str) -> str:
    """The text with words added until its last line is full, and a full stop."""
    words = text.split()
    while True:
        words.append("so")
        line = paper._break(" ".join(words), paper.body, paper.column_width, 0, 0)[-1]
        if pymupdf.get_text_length(" ".join(line), fontname="tiro", fontsize=10) > paper.column_width - 12:
            return " ".join(words) + "."


@pytest.mark.parametrize(("begins", "paragraphs"), [("Theorem 2 It", 2), ("Proof It", 2), ("Therefore it", 1)])
def test_a_theorem_on_the_next_page_begins_there(service: DocumentService, begins: str, paragraphs: int) -> None:
    paper = started()
    before = filled(paper, prose(random.Random(7), 3))
    paper.paragraph(before, first=True)
    paper._next_column()
    after = f"{begins} holds for all of the streets and mills that were counted in the town in those years, and on."
    paper.paragraph(after, first=True)
    body = texts(service.parse(paper.finish()), "body")[1:]
    assert body == ([before, after] if paragraphs == 2 else [f"{before} {after}"])


@pytest.mark.parametrize("below", ["formula", "text", "the rest of a line"])
def test_a_theorem_in_italics_is_no_heading(service: DocumentService, below: str) -> None:
    paper = started()
    paper._y += 8
    theorem = f"Theorem 4 {LEADS} {LEADS[3:]} {LEADS[3:]}"
    said = {"formula": LEADS, "text": theorem, "the rest of a line": theorem[:96]}[below]
    paper._set(said, ITALIC, justified=False)
    if below == "formula":
        paper.equation("y = a + b x + e")
    paper._y += 6
    paper.paragraph(prose(random.Random(8), 3), first=True)
    parsed = service.parse(paper.finish())
    assert texts(parsed, "heading")[-1] == "1 Method"


@pytest.mark.parametrize("piece", [(0, 18, "(3)"), (240, 31, "1")], ids=["left number", "limit"])
def test_the_pieces_of_a_formula_part_no_sentence(service: DocumentService, piece: tuple[float, float, str]) -> None:
    paper = started()
    paper._set(LEADS, paper.body, first_indent=12)
    paper.placed([(190, 18, "y = a + b + c = e"), piece], 40, size=10)
    paper._set("where a is the number of the streets, and b that of the mills in the town.", paper.body)
    parsed = service.parse(paper.finish())
    assert texts(parsed, "body")[-1].startswith(LEADS)
    assert texts(parsed, "body")[-1].endswith("in the town.")


def test_the_condition_of_a_formula_joins_no_paragraphs(service: DocumentService) -> None:
    paper = started()
    paper._set(f"{LEADS} that we look for this one:", paper.body)
    paper.placed([(195, 18, "y = a + b + c = e"), (188, 31, "such that a + b > 0")], 44, size=10)
    paper._set(prose(random.Random(9), 3), paper.body)
    parsed = service.parse(paper.finish())
    assert texts(parsed, "body")[-2:] == [f"{LEADS} that we look for this one:", prose(random.Random(9), 3)]
