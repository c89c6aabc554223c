"""What stands beside or inside running text: drop capitals, notes in margins, listings, algorithms, authors."""

from __future__ import annotations

import random

import pytest

from engine.documents.records import ParsedDocument
from engine.documents.service import DocumentService
from tests.engine.documents.typeset import Look, Paper, prose

BODY = Look("tiro", 10, 12)


def texts(parsed: ParsedDocument, kind: str) -> list[str]:
    return [p.text for p in parsed.paragraphs if p.kind == kind]


def words(paper: Paper, x: float, y: float, text: str, look: Look) -> None:
    for word in text.split():
        x = paper._put(x, y, word, look) + 0.5 * look.size


def pages_of(paper: Paper, seed: int, paragraphs: int) -> list[str]:
    rng = random.Random(seed)
    known = [prose(rng, rng.randint(3, 5)) for _ in range(paragraphs)]
    for text in known:
        paper.paragraph(text)
    return known


@pytest.mark.parametrize(("initial", "rows"), [("P", 2), ("P", 3), ("A", 2)])
def test_a_drop_capital_begins_the_first_word_of_its_paragraph(
    service: DocumentService, initial: str, rows: int
) -> None:
    rng = random.Random(1)
    first, second = prose(rng, 6), prose(rng, 4)
    rest = f"pears are {first}" if initial == "A" else f"ears are {first}"
    paper = Paper(columns=2)
    paper.heading("1 Introduction")
    width, size = 10 * rows, 12 * rows
    paper._put(paper.left, paper._y + 12 * rows + 0.8, initial, Look("tiro", size + 3, 12))
    lines = paper._break(rest, BODY, paper.column_width - width, 0, 0)
    for line in lines[:rows]:
        paper._y += 12
        words(paper, paper.left + width, paper._y, " ".join(line), Look("tiro", 10, 12))
    beside = sum(len(line) for line in lines[:rows])
    paper._set(" ".join(rest.split()[beside:]), BODY, justified=False)
    paper.paragraph(second)
    paper.paragraph("Some pears, a pear and all others.")
    body = texts(service.parse(paper.finish()), "body")
    assert body[0].split()[:3] == ("A pears are" if initial == "A" else "Pears are " + first.split()[0]).split()
    assert body[0].endswith(first[-40:])
    assert body[1] == second


@pytest.mark.parametrize("columns", [1, 2])
def test_notes_in_the_margins_part_no_paragraph(service: DocumentService, columns: int) -> None:
    paper = Paper(columns=columns, margin=130, width=700, justified=False)
    known = pages_of(paper, 2, 24)
    for page in paper.document:
        for row, x in ((0, 20), (3, 20), (6, 590), (9, 590)):
            for line in range(2):
                page.insert_text((x, 200 + 30 * row + 9 * line), "a note that two lines hold"[13 * line :], fontsize=7)
    parsed = service.parse(paper.finish())
    assert texts(parsed, "body") == known
    assert len(texts(parsed, "footnote")) >= 4 * len(parsed.pages)


def test_a_wide_table_is_no_note(service: DocumentService) -> None:
    paper = Paper(margin=130)
    known = pages_of(paper, 3, 12)
    paper.placed([(x, 14 * y, f"cell {x} {y}") for x in range(0, 440, 60) for y in range(5)], 80)
    assert any("cell 420 4" in text for text in texts(service.parse(paper.finish()), "table"))
    assert known


LISTING = [
    "def answer(question):",
    "    count = 0",
    "    for word in question:",
    "        count += weight(word)",
    "    return count",
]
SPACED = [["value", "of", "pears"], ["class", "Pear(Fruit):"], ["return", "pear.mass"]]


def test_a_listing_whose_letters_stand_in_cells_is_code(service: DocumentService) -> None:
    """As LaTeX sets them: each letter in the middle of a cell, keywords bold, so that no word is evenly wide."""
    rng = random.Random(4)
    paper = Paper()
    before, after = prose(rng, 4), prose(rng, 4)
    paper.paragraph(before)
    paper._y += 6
    for line in SPACED * 2:
        paper._y += 12
        x = paper.left
        for place, word in enumerate(line):
            font = "cobo" if place == 0 else "cour"
            for letter in word:
                paper._put(x + rng.random(), paper._y, letter, Look(font, 9, 11))
                x += 5.9
            x += 9
    paper._y += 8
    paper.paragraph(after)
    parsed = service.parse(paper.finish())
    assert texts(parsed, "code") == [" ".join(" ".join(line) for line in SPACED * 2)]
    assert texts(parsed, "body") == [before, after]
    assert texts(parsed, "heading") == []


def test_a_listing_in_letters_of_any_width_is_code(service: DocumentService) -> None:
    rng = random.Random(5)
    paper = Paper(columns=2, gutter=24)
    known = [prose(rng, 4) for _ in range(30)]
    before = 0
    while paper._column == 0 or before < 4:
        paper.paragraph(known[before])
        before += 1
    paper._y += 6
    for line in LISTING:
        paper._y += 11
        words(paper, paper.left + 5 * (len(line) - len(line.lstrip())), paper._y, line, Look("helv", 8, 11))
    paper._y += 8
    for text in known[before:]:
        paper.paragraph(text)
    parsed = service.parse(paper.finish())
    assert texts(parsed, "code") == [" ".join(" ".join(LISTING).split())]
    assert texts(parsed, "body") == known
    assert texts(parsed, "heading") == []


@pytest.mark.parametrize("ruled", [True, False])
def test_the_steps_beneath_the_title_of_an_algorithm_are_code(service: DocumentService, ruled: bool) -> None:
    rng = random.Random(6)
    paper = Paper()
    before, after = prose(rng, 4), prose(rng, 4)
    steps = [
        "Input: pears",
        "for each pear do",
        "weigh it",
        "if it is heavy then",
        "put it left",
        "else",
        "put it right",
    ]
    paper.paragraph(before)
    paper._y += 20
    top = paper._y - 10
    words(paper, paper.left, paper._y, "Algorithm 1", Look("tibo", 10, 12))
    words(paper, paper.left + 61, paper._y, "Sorting pears", BODY)
    title = paper._y
    for step in steps:
        paper._y += 12
        keyword = step.split()[0] in ("Input:", "for", "if", "else")
        words(paper, paper.left + 12 * (not keyword), paper._y, step, Look("tibo" if keyword else "tiro", 10, 12))
    if ruled:
        paper._commit()
        for y in (top, title + 4, paper._y + 4):
            paper._page.draw_line((paper.left, y), (paper.left + paper.column_width, y))
    paper._y += 24
    paper.paragraph(after)
    parsed = service.parse(paper.finish())
    assert texts(parsed, "code") == [" ".join(steps)]
    assert texts(parsed, "body") == [before, after]
    assert texts(parsed, "heading") == []


def test_the_title_of_an_algorithm_can_be_the_last_line_of_a_paper(service: DocumentService) -> None:
    paper = Paper()
    said = prose(random.Random(6), 4)
    paper.paragraph(said)
    paper._y += 20
    words(paper, paper.left, paper._y, "Algorithm 1", Look("tibo", 10, 12))
    words(paper, paper.left + 61, paper._y, "Sorting pears", BODY)
    parsed = service.parse(paper.finish())
    assert texts(parsed, "body") == [said]
    assert texts(parsed, "code") == []


def test_a_sentence_that_begins_with_the_name_of_an_algorithm_is_text(service: DocumentService) -> None:
    paper = Paper()
    said = "Algorithm 1 sorts pears. For each pear do what it says; if it is heavy then put it left."
    paper.paragraph(said, first=True)
    paper.paragraph(prose(random.Random(7), 4))
    parsed = service.parse(paper.finish())
    assert texts(parsed, "code") == []
    assert texts(parsed, "body")[0] == said


@pytest.mark.parametrize("authors", [2, 3])
def test_authors_beside_each_other_stand_before_the_columns(service: DocumentService, authors: int) -> None:
    rng = random.Random(8)
    paper = Paper(columns=2)
    paper.title("A Paper That Was Made to Be Read Back", [])
    for row in ("Ann Author", "Institute of Pears", "Some City"):
        paper._y += 12
        for place in range(authors):
            paper._put(paper.margin + 60 + place * 360 / authors, paper._y, row, BODY)
    paper._y += 20
    paper._top = paper._y
    paper.heading("1 Introduction")
    known = [prose(rng, 5) for _ in range(14)]
    for text in known:
        paper.paragraph(text)
    parsed = service.parse(paper.finish())
    assert texts(parsed, "body") == known
    assert parsed.paragraphs[1].kind == "other"


def test_a_narrow_column_of_addresses_stands_beside_the_abstract(service: DocumentService) -> None:
    rng = random.Random(4)
    abstract, known = prose(rng, 6), [prose(rng, 4) for _ in range(12)]
    addresses = "Institute of Pears, Department of Many Apples, 28 Orchard Street, Some City, and others further away."
    paper = Paper(margin=72, width=612)
    paper.title("A Paper That Was Made to Be Read Back", [])
    top = paper._y
    paper._set(addresses, Look("tiro", 7, 9), width=100, justified=False)
    paper._y = top + 4
    paper._set("Abstract", Look("tibo", 12, 14), x=190)
    paper._set(abstract, BODY, x=190, width=612 - 72 - 190)
    paper._set("1 Introduction", Look("tibo", 12, 24), x=190)
    paper._set(known[0], BODY, x=190, width=612 - 72 - 190)
    paper._next_column()
    for text in known[1:]:
        paper.paragraph(text)
    parsed = service.parse(paper.finish())
    assert texts(parsed, "body") == [abstract, *known]
    assert texts(parsed, "footnote") == [addresses]


def test_a_bold_beginning_further_from_its_text_stays_with_it(service: DocumentService) -> None:
    rng = random.Random(9)
    paper = Paper()
    known = [prose(rng, 4) for _ in range(4)]
    for text in known:
        paper._y += 12
        start = paper._put(paper.left, paper._y, "Weights.", Look("tibo", 10, 12)) + 12
        paper._y -= 12
        paper._set(text, BODY, first_indent=start - paper.left)
        paper._y += 6
    assert texts(service.parse(paper.finish()), "body") == [f"Weights. {text}" for text in known]


def test_two_lists_of_references_may_begin_pages(service: DocumentService) -> None:
    rng = random.Random(10)
    paper = Paper(page_numbers=False)
    entries = [f"Author, {c}. ({2001 + n}). A study of pears in {n} orchards." for n, c in enumerate("ABCDEF")]
    for name in ("References", "Further references"):
        for _ in range(14):
            paper.paragraph(prose(rng, 5))
        paper._next_column()
        paper.heading(name if name == "References" else "References")
        for entry in entries:
            paper.reference(entry.replace("pears", "plums" if name != "References" else "pears"))
        paper.heading("More")
    paper.paragraph(prose(rng, 5))
    parsed = service.parse(paper.finish())
    assert texts(parsed, "heading").count("References") == 2
    assert len(texts(parsed, "reference")) == 12


def test_further_references_are_references(service: DocumentService) -> None:
    rng = random.Random(11)
    paper = Paper()
    for name in ("References", "Further references", "References for the supplement"):
        paper.heading("Text")
        paper.paragraph(prose(rng, 5), first=True)
        paper.heading(name)
        for n in range(5):
            paper.reference(f"{'ABCDE'[n]}uthor, {name[:1]}. ({2001 + n}). A study of {name.lower()} in {n} orchards.")
    assert len(texts(service.parse(paper.finish()), "reference")) == 15


def test_sentences_in_the_cells_of_a_table_are_read_cell_by_cell(service: DocumentService) -> None:
    rng = random.Random(12)
    paper = Paper()
    paper.paragraph(prose(rng, 6))
    cells = [["Weight", prose(rng, 1), prose(rng, 1)], ["Colour", prose(rng, 2), prose(rng, 1)]]
    paper.caption("Table 1: What the growers said.")
    for row in cells:
        top, lowest = paper._y, 0.0
        for place, cell in enumerate(row):
            paper._y = top
            paper._set(cell, Look("tiro", 9, 11), x=paper.left + 160 * place, width=140)
            lowest = max(lowest, paper._y)
        paper._y = lowest + 2
    paper._y += 10
    paper.paragraph(prose(rng, 4))
    assert texts(service.parse(paper.finish()), "table") == [" ".join(cell for row in cells for cell in row)]


def test_a_table_of_means_and_their_spread_is_no_formula(service: DocumentService) -> None:
    paper = Paper()
    paper.paragraph(prose(random.Random(13), 6))
    rows = [["scale", "pears", "plums", "apples"]]
    rows += [[str(n), *(f"{n}.{k} ±0.{k}" for k in (3, 5, 7))] for n in range(2, 8)]
    paper.table("Table 1: Weights by scale.", rows)
    paper.paragraph(prose(random.Random(14), 4))
    parsed = service.parse(paper.finish())
    assert texts(parsed, "table") == [" ".join(cell for row in rows for cell in row)]
    assert texts(parsed, "equation") == []
