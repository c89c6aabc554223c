"""Numbered headings that stand on the first line of their paragraph."""

from __future__ import annotations

import random
from dataclasses import replace

import pymupdf
import pytest

from engine.documents.glyphs import Reading
from engine.documents.grouping import learn_style
from engine.documents.kinds import classify
from engine.documents.parsing import parse_document
from engine.documents.records import ParagraphKind
from engine.documents.run_in import mark_by_number, set_levels, set_sections
from engine.documents.service import DocumentService
from tests.engine.documents.test_reference_lists import blocks
from tests.engine.documents.typeset import Look, Paper, prose

REST = "We count the streets of the town and the mills at the river, as they were in those years, and say why."


@pytest.mark.parametrize(
    ("number", "bold_number", "name", "heading"),
    [
        ("2.1.", False, "Streets and mills.", True),
        ("2.1", True, "Streets and mills.", True),
        ("2.", True, "Streets and mills.", True),
        ("2.", False, "Streets and mills.", False),  # an item of a list
        ("2.1.", False, "Streets and mills", False),
        ("2.1.", False, "streets and mills.", False),
    ],
)
def test_a_numbered_heading_on_its_paragraphs_first_line(
    service: DocumentService, number: str, bold_number: bool, name: str, heading: bool
) -> None:
    rng = random.Random(11)
    paper = Paper()
    paper.title("A Paper That Was Made to Be Read Back", ["Ada Example"])
    paper.heading("1 Method")
    paper.paragraph(prose(rng, 5), first=True)
    bold = Look("tibo", 10, 12)
    paper._y += 20
    at = paper._put(paper.left, paper._y, number, bold if bold_number else paper.body) + 4
    for word in name.split():
        at = paper._put(at, paper._y, word, bold) + 4
    words = REST.split()
    while at + pymupdf.get_text_length(words[0], fontname="tiro", fontsize=10) < paper.left + paper.column_width:
        at = paper._put(at, paper._y, words.pop(0), paper.body) + 3
    paper._set(" ".join(words), paper.body)
    paper.paragraph(prose(rng, 3))
    found = [p for p in service.parse(paper.finish()).paragraphs if REST in p.text]
    if heading:
        assert [p.text for p in found] == [REST]
        assert found[0].section.split(" > ")[-1] == f"{number} {name}"
    else:
        assert [p.text for p in found] == [f"{number} {name} {REST}"]


def test_a_title_on_two_centred_lines_is_whole(service: DocumentService) -> None:
    pdf = pymupdf.open()
    page = pdf.new_page()
    lines = ("Counting the Bicycles of a Town Without", "Streets or Mills")
    for at, line in enumerate(lines):
        width = pymupdf.get_text_length(line, fontname="tibo", fontsize=20)
        page.insert_text((306 - width / 2, 100 + 26 * at), line, fontname="tibo", fontsize=20)
    page.insert_text((270, 160), "Ada Example", fontname="tiro", fontsize=11)
    page.insert_textbox((72, 200, 540, 700), prose(random.Random(11), 12), fontname="tiro", fontsize=10)
    assert service.parse(pdf.tobytes()).title == " ".join(lines)


def test_a_heading_goes_on_in_small_letters_on_the_next_line() -> None:
    """Its second line hangs as far as paragraphs are indented, so it was read as one."""
    heading: tuple[ParagraphKind, int, list[str]] = ("heading", 2, ["7 Counting the Mills of"])
    text: tuple[ParagraphKind, int, list[str]] = ("body", 1, [REST] * 4)
    parts = blocks(text, text, heading, ("heading", 2, ["towns"]), ("body", 2, [REST] * 4))
    first, second = parts[2].lines[0], parts[3].lines[0]
    second.tokens = [replace(token, x0=token.x0 + 20, base=first.base + 12) for token in second.tokens]
    for part in parts:
        part.kind, part.level = "body", 0
    style = learn_style([line for part in parts for line in part.lines], [line for p in parts for line in p.lines])
    found, _ = classify(parts, style, Reading({}, {}, hyphenates=False), {1: 792.0, 2: 792.0})
    assert [b.text for b in found if b.kind == "heading"] == ["7 Counting the Mills of towns"]


@pytest.mark.parametrize(
    ("line", "heading"),
    [
        ("3.1 Streets and Mills", True),
        ("3.1.1 Mills", False),  # no 3.1 is before it
        ("3.2 Streets and Mills", False),
        ("3.1 Streets and mills were counted.", False),
        ("3.1 Streets and Mills 12", False),  # a row of contents
        ("3.1 streets", False),
        ("3 Streets", False),  # may be an item of a list
    ],
)
def test_a_line_set_like_text_is_a_heading_if_its_number_continues_those_before(line: str, heading: bool) -> None:
    text: tuple[ParagraphKind, int, list[str]] = (
        "body",
        1,
        ["We count the streets of the town and the mills", "at the river and say why."],
    )
    parts = blocks(("heading", 1, ["3 Method"]), text, ("footnote", 1, [line]), ("body", 1, [line]), text)
    mark_by_number(parts)
    kind = ("heading", "heading") if heading else ("footnote", "body")
    assert tuple(block.kind for block in parts) == ("heading", "body", *kind, "body")


@pytest.mark.parametrize(
    ("headings", "sections"),
    [
        (  # kinds of numbers inside others, and letters of appendices
            [
                "I. Mills",
                "A. Streets",
                "1. Corners",
                "2. Ends",
                "B. Towns",
                "II. Rivers",
                "C. Banks",
                "Appendix",
                "A. Maps",
            ],
            ["I", "I > A", "I > A > 1", "I > A > 2", "I > B", "II", "II > C", "Appendix", "A"],
        ),
        (["1 Mills", "2 Rivers", "A Maps", "A.1 Old Maps", "B Lists"], ["1", "2", "A", "A > A.1", "B"]),
        (["3. Mills", "A. Streets", "4. Rivers", "A. Banks"], ["3", "3 > A", "4", "4 > A"]),
        (  # what isn't a heading in between takes nothing from its section
            ["1 Mills", "2 Rivers", "2.1 Banks", "Counts of boats", "2.2 Ferries"],
            ["1", "2", "2 > 2.1", "Counts", "2 > 2.2"],
        ),
    ],
)
def test_sections_follow_the_kinds_of_numbers(headings: list[str], sections: list[str]) -> None:
    parts = blocks(*(("heading", 1, [heading]) for heading in headings))
    reading = Reading({}, {}, hyphenates=False)
    parts[3].lines[0].tokens = [replace(token, size=14.0) for token in parts[3].lines[0].tokens]
    set_levels(parts, reading)
    set_sections(parts, reading)
    found = [" > ".join(name.split()[0].rstrip(".") for name in block.section.split(" > ")) for block in parts]
    assert found == sections


def test_numbered_references_set_like_headings_give_no_levels() -> None:
    rng = random.Random(11)
    paper = Paper()
    paper.title("A Paper That Was Made to Be Read Back", ["Ada Example"])
    for section in ("Introduction", "Methods"):
        paper.heading(section)
        paper.paragraph(prose(rng, 5), first=True)
    paper.heading("Streets and Mills", level=2)
    paper.paragraph(prose(rng, 5), first=True)
    paper.heading("References")
    for number in range(1, 12):
        paper._set(f"{number}. Streets and Mills of a Town and Its River", Look("tibo", 9, 11), justified=False)
        paper._set(f"A. Author, B. Maker, Journal of Towns, {2000 + number}.", Look("tiro", 9, 11), justified=False)
        paper._y += 14
    found = parse_document(paper.document, "x", lambda *_: None).paragraphs
    assert {p.section for p in found if p.kind == "body" and "Mills" in p.section} == {"Methods > Streets and Mills"}
