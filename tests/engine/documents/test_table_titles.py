"""What is around the rows of a table: titles, headings set close, drawings beside it, labels over several lines."""

from __future__ import annotations

import random
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pymupdf
import pytest

from engine.documents.captions import has_caption_label
from engine.documents.places import Places
from engine.documents.records import Paragraph
from engine.documents.references import Reference
from engine.documents.service import DocumentService
from engine.documents.tables import find_tables, number_in
from tests.engine.documents.laid_tables import cells, grid, paragraph, rows, table
from tests.engine.documents.typeset import Paper, prose

BODY = [["Kind", "Train", "Test"], ["Normal", "56", "37"], ["Other", "11", "45"]]


def test_a_short_title_below_the_label_of_a_caption_is_no_row() -> None:
    caption = paragraph(0, "caption", [(10, [(180, "TABLE I")])])
    title = paragraph(1, "other", [(19, [(171, "SIZES OF PARTS")])])
    found = table(caption, title, paragraph(2, "table", rows(40, *BODY)))
    assert cells(found) == BODY
    assert found.caption.split() == ["TABLE", "I", "SIZES", "OF", "PARTS"]
    elsewhere = paragraph(1, "other", [(19, [(100, "Sizes"), (170, "of"), (240, "parts")])])
    assert cells(table(caption, elsewhere, paragraph(2, "table", rows(40, *BODY)))) == [["Sizes", "of", "parts"], *BODY]


def test_headings_set_close_to_one_another_are_headings_where_each_is_above_a_cell() -> None:
    caption = paragraph(0, "caption", [(10, [(100, "Table 3: Patients.")])])
    people = [["1", "Male", "29", "65.5", "0"], ["2", "Female", "22", "130.9", "1"]]
    body = paragraph(
        2, "table", [(42 + 12 * n, list(zip(range(100, 225, 25), r, strict=False))) for n, r in enumerate(people)]
    )
    close = paragraph(1, "other", [(30, [(100, "SSN Gender Age Cholesterol Diabetes")])], width=20, gap=5)
    found = table(caption, close, body)
    assert cells(found)[0] == ["SSN", "Gender", "Age", "Cholesterol", "Diabetes"]
    longer = paragraph(1, "other", [(30, [(60, "One two three four five six seven eight")])], width=20, gap=5)
    assert len(cells(table(caption, longer, body))) == 2, "a line of text is none"


def test_the_axis_of_a_figure_in_the_other_column_is_not_in_the_table() -> None:
    text = [(200 + 12.0 * n, [(300.0, "words that fill the column of text here")]) for n in range(4)]
    parts = [
        paragraph(0, "caption", [(10, [(300, "Table 1: Sizes of the parts of the data")])]),
        paragraph(1, "other", [(y, [(66.0, "140")]) for y in (40.0, 53.0, 66.0, 79.0)]),
        paragraph(2, "table", rows(40, *BODY, ["Third", "12", "13"], left=310)),
        paragraph(3, "caption", [(110, [(60, "Figure 1: Sizes as bars in a row of")])]),
        paragraph(4, "body", text),
    ]
    assert cells(table(*parts)) == [*BODY, ["Third", "12", "13"]]
    body = paragraph(3, "body", [(110, [(60, "Words of the text in the other one")])])
    assert cells(table(*parts[:3], body, parts[4])) != [*BODY, ["Third", "12", "13"]], "a table may be wide"


def test_labels_and_cells_that_go_on_in_a_second_line_are_joined() -> None:
    caption = paragraph(0, "caption", [(10, [(100, "Table 1: Samples.")])])
    lines = [
        ["State", "Note", "Sites", "Samples"], ["Bavaria", "all", "13", "218"], ["Rhineland-", "grab", "7", "341"],
        ["Palatinate"], ["Hesse", "from run-", "65", "24"], ["", "ning waters", "", ""], ["Saxony", "all", "8", "9"],
    ]  # fmt: skip
    found = cells(table(caption, paragraph(1, "table", rows(30, *lines))))
    assert [row[0] for row in found] == ["State", "Bavaria", "Rhineland-Palatinate", "Hesse", "Saxony"]
    assert found[3] == ["Hesse", "from running waters", "65", "24"]


def test_a_count_beside_a_number_is_no_part_of_it() -> None:
    assert number_in("19.1 (38/39)") == (19.1, False, False)


@pytest.mark.parametrize(("bold", "title"), [("hebo", "helv"), ("hebo", "hebo"), ("helv", "helv")])
def test_a_caption_with_a_bold_label_close_below_a_table_is_no_cell(
    service: DocumentService, bold: str, title: str
) -> None:
    document = pymupdf.open()
    page = document.new_page(width=420, height=560)
    words = prose(random.Random(3), 12).split()
    for n in range(0, len(words), 9):
        page.insert_text((60, 60 + 1.4 * n), " ".join(words[n : n + 9]), fontsize=10)
    for n, (name, value) in enumerate([("Property", "Value"), ("Layers", "6"), ("Heads", "12"), ("Words", "128")]):
        page.insert_text((130, 400 + 12 * n), name, fontsize=9)
        page.insert_text((250, 400 + 12 * n), value, fontsize=9)
    for y in (390, 403, 439):
        page.draw_line((128, y), (280, y), width=0.5)
    page.insert_text((130, 449), "Table 3", fontsize=9, fontname=bold)
    page.insert_text(
        (168 if bold == "hebo" else 163, 449), "Sizes of the one that we used.", fontsize=9, fontname=title
    )
    found = find_tables(service.parse(document.tobytes()))
    expected = [("3", "Table 3 Sizes of the one that we used.", 4)] if bold == "hebo" else []
    assert [(table.number, table.caption, len(table.rows)) for table in found] == expected


def on(page: int, made: Paragraph) -> Paragraph:
    words = tuple(word._replace(box=word.box._replace(page=page)) for word in made.words)
    return replace(made, page=page, words=words, boxes=tuple(box._replace(page=page) for box in made.boxes))


HEADS, PART, REST = (
    ["Kind", "Train", "Test"],
    [["Oak", "56", "37"], ["Elm", "11", "45"]],
    [["Ash", "12", "46"], ["Fir", "9", "8"]],
)


@pytest.mark.parametrize(
    ("first", "between", "second", "expected"),
    [
        ([HEADS, *PART], "", [HEADS, *REST], [HEADS, *PART, *REST]),
        ([HEADS, *PART], "", REST, [HEADS, *PART, *REST]),
        ([], "", [HEADS, *REST], [HEADS, *REST]),
        ([HEADS, *PART], "A sentence of running text parts the two tables here.", REST, [HEADS, *PART]),
        ([HEADS, *PART], "", [[*row, "0.5"] for row in REST], [HEADS, *PART]),
        ([HEADS, *PART], "", [["", *row[1:]] for row in REST], [HEADS, *PART, *(row[1:] for row in REST)]),
    ],
)
def test_a_table_goes_on_at_the_top_of_the_next_page(
    first: list[list[str]], between: str, second: list[list[str]], expected: list[list[str]]
) -> None:
    parts = [paragraph(0, "caption", [(20, [(100, "Table 3: Sizes.")])])]
    parts += [paragraph(1, "table", rows(42, *first))] if first else []
    parts += [on(2, paragraph(2, "body", [(20, [(100, between)])]))] if between else []
    assert cells(table(*parts, on(2, paragraph(3, "table", rows(42, *second))))) == expected


@pytest.mark.parametrize("below", ["(a) Before training", "Figure 2: Axes of a plot"])
def test_a_drawing_at_the_top_of_the_next_page_is_no_part_of_a_table(below: str) -> None:
    parts = [paragraph(0, "caption", [(20, [(100, "Table 3: Sizes.")])]), paragraph(1, "table", rows(42, HEADS, *PART))]
    drawn = [paragraph(3, "table", rows(42, *REST)), paragraph(4, "caption", [(72, [(150, below)])])]
    assert cells(table(*parts, *(on(2, one) for one in drawn))) == [HEADS, *PART]


@pytest.mark.parametrize(("title", "within"), [("Younger trees", True), ("4.2 Younger trees", False)])
def test_a_title_between_rows_that_looks_like_a_heading_is_a_row(title: str, within: bool) -> None:
    caption = paragraph(0, "caption", [(20, [(100, "Table 3: Sizes.")])])
    upper, heading = paragraph(1, "table", rows(42, HEADS, *PART)), paragraph(2, "heading", [(78, [(100, title)])])
    found = table(caption, upper, heading, paragraph(3, "table", rows(90, *REST)))
    assert cells(found) == [HEADS, *PART, *([[title], *REST] if within else [])]


@pytest.mark.parametrize("word", ["Tabela", "Tabelle", "Tableau", "Tabla", "Table"])
def test_tables_are_named_in_other_languages(service: DocumentService, word: str) -> None:
    paper = Paper()
    paper.paragraph(prose(random.Random(2), 5), first=True)
    paper.caption(f"{word} 1. Sizes")
    paper.placed(grid([0, 80], [["Kind", "Value"], ["Layers", "6"], ["Heads", "12"], ["Words", "128"]]), 60)
    paper.paragraph(prose(random.Random(3), 5))
    places = Places(service.parse(paper.finish()))
    assert [(t.number, len(t.rows)) for t in places.tables] == [("1", 4)]
    assert places.resolve(Reference("table", "1", 0, 0)) is not None


@pytest.mark.parametrize(("text", "labelled"), [("Algorithm entropy σ", False), ("Algorithm 2 Sort", True)])
def test_bold_headings_above_columns_are_no_caption(text: str, labelled: bool) -> None:
    tokens = [SimpleNamespace(text=word, bold=n < 2, font="f") for n, word in enumerate(text.split())]
    block: Any = SimpleNamespace(text=text, first=SimpleNamespace(tokens=tokens))
    assert has_caption_label(block) is labelled
