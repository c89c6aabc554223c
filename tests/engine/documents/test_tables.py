"""The table reader: rows, columns, numbers and bold cells of tables that were set for the test."""

from __future__ import annotations

import dataclasses
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.documents.records import ParagraphKind, ParsedDocument
from engine.documents.service import DocumentService
from engine.documents.tables import find_tables, number_in
from tests.engine.documents.pages import document
from tests.engine.documents.typeset import Paper, prose

ROWS = [
    ["Method", "Accuracy", "Errors", "Time"],
    ["Plain baseline", "71.2", "1,204", "12 s"],
    ["With words", "**78.5**", "980", "14 s"],
    ["Our reader", "78.1", "**-3.5**", "9 s"],
]


def made_paper(rows: list[list[str]] = ROWS, *, columns: int = 1) -> bytes:
    rng = random.Random(3)
    paper = Paper(columns=columns)
    paper.title("A Paper With a Table", ["Ada Example"])
    paper.heading("1 Results")
    paper.paragraph(prose(rng, 5), first=True)
    paper.table("Table 1: What three methods reach on the test part.", rows)
    paper.paragraph(prose(rng, 5))
    paper.float("Figure 1: A figure beside the tables of this paper.")
    paper.paragraph(prose(rng, 4))
    paper.table("Table 2: Sizes of the two parts.", [["Part", "Pages"], ["training", "120"], ["test", "30"]])
    paper.paragraph(prose(rng, 6))
    return paper.finish()


def test_numbers_above_the_caption_of_a_figure_belong_to_no_table() -> None:
    kinds: dict[str, ParagraphKind] = {"Fig": "caption", "Tab": "caption", "0.2": "table", "The": "body"}

    def tables(*texts: str) -> list[bool]:
        plain = document(*texts)
        paragraphs = tuple(dataclasses.replace(p, kind=kinds[p.text[:3]]) for p in plain.paragraphs)
        return [bool(t.rows) for t in find_tables(dataclasses.replace(plain, paragraphs=paragraphs))]

    figure, rows, table = f"Figure 1. {'The curve rises. ' * 6}", "0.2 0.4 0.6 0.8", "Table 1. Masses."
    assert tables(rows, figure, table) == tables(rows, "Figure 1. A curve.", table) == [False]
    assert tables(rows, "The text of the other column, which is longer than a line. " * 2, table) == [True]
    assert tables(rows, table, figure) == [True]


@pytest.fixture(scope="module")
def pdf() -> bytes:
    return made_paper()


@pytest.fixture(scope="module")
def parsed(service: DocumentService, pdf: bytes) -> ParsedDocument:
    return service.parse(pdf)


def test_each_caption_gets_its_own_rows_and_columns(parsed: ParsedDocument) -> None:
    first, second = find_tables(parsed)
    assert (first.number, second.number) == ("1", "2")
    assert [[cell.text for cell in row.cells] for row in first.rows] == [[c.strip("*") for c in row] for row in ROWS]
    assert [row.header for row in first.rows] == [True, False, False, False]
    assert [cell.text for cell in first.column(1)] == ["71.2", "78.5", "78.1"]
    assert first.heading(2) == "Errors"
    assert first.rows[1].label == "Plain baseline"
    assert [cell.number for cell in second.column(1)] == [120, 30]


def test_a_cell_says_where_it_stands(parsed: ParsedDocument) -> None:
    texts = {p.id: p.text for p in parsed.paragraphs}
    for table in find_tables(parsed):
        assert table.cells
        for cell in table.cells:
            assert texts[cell.paragraph_id][cell.start : cell.end] == cell.text
            assert cell.box.page == table.page


def test_bold_is_read_from_the_type(service: DocumentService, pdf: bytes, parsed: ParsedDocument) -> None:
    pages = [table.page for table in find_tables(parsed)]
    tables = find_tables(parsed, service.bold_words(pdf, pages))
    assert [cell.text for cell in tables[0].cells if cell.bold] == ["78.5", "-3.5"]
    assert not any(cell.bold for table in find_tables(parsed) for cell in table.cells)
    assert service.bold_words(pdf, ()) == ()


def test_two_columns_of_text_keep_the_table_whole(service: DocumentService) -> None:
    narrow = [["Name", "F1", "N"], ["left", "0.51", "10"], ["right", "0.62", "20"]]
    table = find_tables(service.parse(made_paper(narrow, columns=2)))[0]
    assert [[cell.text for cell in row.cells] for row in table.rows] == narrow


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("12", (12.0, False, False)),
        ("1,391", (1391.0, False, False)),
        ("−0.5", (-0.5, False, False)),
        ("14.5%", (14.5, True, False)),
        (".78", (0.78, False, False)),
        ("82.1 ± 0.3", (82.1, False, True)),
        ("82.1 (0.3)", (82.1, False, False)),
        ("91.2*", (91.2, False, False)),
        ("< 0.01", (0.01, False, False)),
    ],
)
def test_numbers_as_papers_write_them(text: str, expected: tuple[float, bool, bool]) -> None:
    assert number_in(text) == expected


@pytest.mark.parametrize("text", ["", "n/a", "BERT-2", "(0.5, 0.8)", "10-fold", "1.2.3", "–", "12 34"])
def test_what_is_no_number(text: str) -> None:
    assert number_in(text) is None


@given(st.floats(min_value=-1e6, max_value=1e6, allow_nan=False), st.integers(0, 4))
def test_a_printed_number_is_read_back(value: float, digits: int) -> None:
    printed = f"{value:,.{digits}f}"
    read = number_in(printed)
    assert read is not None
    assert read[0] == float(printed.replace(",", ""))
