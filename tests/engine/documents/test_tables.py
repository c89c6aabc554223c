"""The table reader: each caption gets the rows of its table, and nothing that is beside them."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.documents.records import Box, PageSize, Paragraph, ParagraphKind, ParsedDocument, Word
from engine.documents.service import DocumentService
from engine.documents.tables import find_tables
from tests.engine.documents.laid_tables import grid, paragraph, read
from tests.engine.documents.typeset import Look, Paper, prose

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
    assert [row.cells[1].text for row in first.rows[1:]] == ["71.2", "78.5", "78.1"]
    assert first.heading(2) == "Errors"
    assert first.rows[1].label == "Plain baseline"
    assert [row.cells[1].number for row in second.rows[1:]] == [120, 30]


def test_a_cell_says_where_it_stands(parsed: ParsedDocument) -> None:
    texts = {p.id: p.text for p in parsed.paragraphs}
    for table in find_tables(parsed):
        assert table.cells
        for cell in table.cells:
            assert texts[cell.paragraph_id][cell.start : cell.end] == cell.text
            assert cell.box.page == table.page


def test_an_empty_document_has_no_tables() -> None:
    assert find_tables(ParsedDocument("", (), (), "", 0)) == ()


def test_two_columns_of_text_keep_the_table_whole(service: DocumentService) -> None:
    narrow = [["Name", "F1", "N"], ["left", "0.51", "10"], ["right", "0.62", "20"]]
    table = find_tables(service.parse(made_paper(narrow, columns=2)))[0]
    assert [[cell.text for cell in row.cells] for row in table.rows] == narrow


def test_a_caption_beside_its_table_gets_its_rows() -> None:
    texts = [
        (0, ["Table 1: Costs of", "Kind", "Lower", "Upper"]),
        (11, ["three kinds of plants", "Wind", "800", "1190"]),
        (22, ["from the agency", "Solar", "420", "620"]),
        (33, ["", "Battery", "316", "1306"]),
        (44, ["", "Hydrogen", "668", "2002"]),
    ]
    words: list[Word] = []
    text = ""
    for y, cells in texts:
        for x, cell in zip((0, 160, 240, 320), cells, strict=True):
            for n, part in enumerate(cell.split()):
                start = len(text)
                text += f"{part} "
                words.append(Word(start, start + len(part), Box(1, x + 24 * n, 100 + y, x + 24 * n + 21, 109 + y)))
    box = Box(1, 0, 100, 360, 160)
    only = Paragraph("p", 0, "", "table", text, text, tuple(range(len(text) + 1)), 1, (box,), tuple(words))
    (table,) = find_tables(ParsedDocument("", (PageSize(1, 600, 800, 0),), (only,), "", 0))
    assert [[cell.text for cell in row.cells] for row in table.rows] == [cells[1:] for _, cells in texts]


def test_rows_around_drawings_are_one_table(service: DocumentService) -> None:
    rows = [["name", "code", "energy"]]
    rows += [[f"compound {n}", f"{70 + n}", f"-{n}.25"] for n in range(1, 6)]
    cells = grid([0, 100, 260], rows, leading=34)
    cells_of_drawings = [(200.0, 34.0 * n + 18, "NH2") for n in range(2, 6)]
    paper = Paper()
    paper.heading("1 Results")
    paper.paragraph(prose(random.Random(2), 5), first=True)
    paper.caption("Table 1: Compounds.")
    paper.placed(cells_of_drawings, 0, size=4.5)
    paper.placed(cells, 34.0 * 6 + 20)
    paper.paragraph(prose(random.Random(3), 5))
    (table,) = find_tables(service.parse(paper.finish()))
    assert [[cell.text for cell in row.cells] for row in table.rows] == rows


def test_captions_below_get_what_is_above_them(service: DocumentService) -> None:
    first = [["Part", "Pages"], ["training", "120"], ["test", "30"]]
    second = [["Reader", "Score"], ["ours", "0.91"], ["theirs", "0.87"]]
    found = read(
        service,
        ("", grid([0, 80], first), 44), "Table 1: Sizes of two parts.",
        ("", grid([0, 80], second), 44), "Table 2: Scores of two readers.",
    )  # fmt: skip
    assert found == [first, second]


def test_text_beside_a_table_is_not_in_it(service: DocumentService) -> None:
    rows = [["Part", "Pages", "Words"], ["training", "120", "7,000"], ["test", "30", "1,900"]]
    paper = Paper(columns=2)
    paper.title("A Paper With a Table", ["Ada Example"])
    paper.heading("1 Results")
    rng = random.Random(4)
    paper.paragraph(prose(rng, 5), first=True)
    paper.caption("Table 1: Sizes.")
    paper.placed(grid([0, 70, 140], rows), 60)
    for _ in range(9):
        paper.paragraph(prose(rng, 6))
    (table,) = find_tables(service.parse(paper.finish()))
    assert [[cell.text for cell in row.cells] for row in table.rows] == rows


def test_a_figure_beside_a_table_is_not_in_it(service: DocumentService) -> None:
    rows = [["Part", "Pages"], ["training", "120"], ["test", "30"], ["other", "12"]]
    axis = [(250.0, 12.0 * n, f"{n}0") for n in range(1, 5)]
    paper = Paper()
    paper.heading("1 Results")
    paper.paragraph(prose(random.Random(2), 5), first=True)
    paper.placed([*grid([0, 90], rows), *axis], 66)
    for x, text in ((0.0, "Table 1: Sizes of all the"), (240.0, "Figure 1: Sizes as bars.")):
        paper.placed([(x, 0.0, text)], 0)
    paper.placed([(0.0, 11.0, "parts that we measured.")], 30)
    paper.paragraph(prose(random.Random(3), 5))
    (table,) = find_tables(service.parse(paper.finish()))
    assert [[cell.text for cell in row.cells] for row in table.rows] == rows


def test_tables_side_by_side_have_their_own_rows(service: DocumentService) -> None:
    left = [["Part", "Pages"], ["training", "120"], ["test", "30"], ["other", "12"]]
    right = [["Reader", "F1", "Time"], *([f"reader {n}", f"0.9{n}", f"1{n}"] for n in "ABCDEF")]
    paper = Paper()
    paper.heading("1 Results")
    paper.paragraph(prose(random.Random(2), 5), first=True)
    beside = [(x + 240, y, text) for x, y, text in grid([0, 90, 150], right)]
    captions = [(0.0, 66.0, "Table 1: Sizes of the parts."), (240.0, 102.0, "Table 2: Scores of the readers.")]
    paper.placed([*grid([0, 90], left), *beside, *captions], 110)
    paper.paragraph(prose(random.Random(3), 5))
    found = find_tables(service.parse(paper.finish()))
    assert [[[cell.text for cell in row.cells] for row in table.rows] for table in found] == [left, right]


def test_one_line_of_text_ends_a_table(service: DocumentService) -> None:
    rows = [["Part", "Pages"], ["test", "30"]]
    paper = Paper()
    paper.heading("1 Results")
    paper.paragraph(prose(random.Random(2), 5), first=True)
    paper.caption("Table 1: Sizes of all the parts.")
    paper.placed(grid([0, 90], rows), 26)
    paper.paragraph("These are the sizes of all parts, without the words that we left out because")
    paper.placed(grid([0, 90], [["x", "17"], ["y", "18"]]), 40)
    paper.paragraph(prose(random.Random(3), 5))
    (table,) = find_tables(service.parse(paper.finish()))
    assert [[cell.text for cell in row.cells] for row in table.rows] == rows


def test_a_wide_table_above_two_captions_side_by_side_is_whole() -> None:
    def table(index: int, x: float, y: float) -> Paragraph:
        columns = (x, x + 60, x + 120)
        rows = [["Model", "F1", "Time"], *([f"{n}{index}", f"0.{n}", f"1{n}"] for n in "123")]
        return paragraph(
            index, "table", [(y + 11 * n, list(zip(columns, row, strict=True))) for n, row in enumerate(rows)]
        )

    parts = [
        paragraph(0, "caption", [(0.0, [(230.0, "TABLE I")])]),
        paragraph(1, "other", [(10.0, [(100.0, "RESULTS OF SEVERAL READERS ON PAGES FROM MANY JOURNALS IN ALL")])]),
        table(2, 150.0, 30.0),
        paragraph(3, "caption", [(100.0, [(110.0, "TABLE II")])]),
        table(4, 0.0, 120.0),
        paragraph(5, "caption", [(100.0, [(270.0, "TABLE III")])]),
        table(6, 320.0, 120.0),
    ]
    found = find_tables(ParsedDocument("", (PageSize(1, 600, 800, 0),), tuple(parts), "", 0))
    assert [(t.number, t.columns, len(t.rows)) for t in found] == [("I", 3, 4), ("II", 3, 4), ("III", 3, 4)]


@pytest.mark.parametrize("label", ["first", "share of all the pages read"])
@pytest.mark.parametrize("title", ["Received", "Gross amount received in the last year"])
def test_titles_over_the_columns_and_long_labels_end_no_table(label: str, title: str) -> None:
    rows = [["Model", "(1)", "(2)"], ["second", "0.11", "0.12"], [label, "0.21", "0.22"], ["third", "0.31", "0.32"]]
    lines = [(40.0 + 11 * n, list(zip((0.0, 200.0, 280.0), row, strict=True))) for n, row in enumerate(rows)]
    parts = [
        paragraph(0, "caption", [(0.0, [(0.0, "Table 1: Amounts by model, in the last year.")])]),
        paragraph(1, "other", [(25.0, [(120.0, title)])]),
        paragraph(2, "other", lines),
    ]
    (table,) = find_tables(ParsedDocument("", (PageSize(1, 600, 800, 0),), tuple(parts), "", 0))
    assert [[cell.text for cell in row.cells] for row in table.rows][-4:] == rows


def test_numbers_above_the_caption_of_a_figure_belong_to_no_table(service: DocumentService) -> None:
    rows = [["0.2", "0.4"], ["0.6", "0.8"]]
    drawn, figure, table = ("", grid([0, 80], rows), 30), "Figure 1: A curve that rises.", "Table 1: Masses."
    assert read(service, drawn, figure, table) == [[]]
    assert read(service, drawn, table, figure) == [rows]
    masses = [["Name", "Mass"], ["first", "300"], ["second", "256"]]
    assert read(service, ("", grid([0, 80], masses), 42), table, drawn, figure) == [masses], "the words of the drawing"


def test_a_caption_without_a_table_takes_none_of_another(service: DocumentService) -> None:
    rows = [["Part", "Pages"], ["training", "120"], ["test", "30"]]
    found = read(service, "Table 1: Sizes of two parts.", ("", grid([0, 80], rows), 44), "Table 2: A drawing.")
    assert found == [rows, []]


@pytest.mark.parametrize(
    ("label", "look", "rest"),
    [
        ("Table 1: Scores of the readers.", ("tiro", 10.5), "All scores are means of five runs that we made."),
        ("Table 1", ("tibo", 10), "Scores of the Readers of Pages"),
    ],
)
def test_lines_between_a_caption_and_its_rows_are_of_the_caption(
    service: DocumentService, label: str, look: tuple[str, float], rest: str
) -> None:
    rows = [["Part", "Pages"], ["training", "120"], ["test", "30"]]
    paper = Paper()
    paper.heading("1 Results")
    paper.paragraph(prose(random.Random(2), 5), first=True)
    paper.caption(label)
    paper._put(paper.left, paper._y + 9, rest, Look(*look, 12))
    paper.placed([], 14)
    paper.placed(grid([0, 90], rows), 60)
    paper.paragraph(prose(random.Random(3), 5))
    (table,) = find_tables(service.parse(paper.finish()))
    assert [[cell.text for cell in row.cells] for row in table.rows] == rows
    assert label.endswith(".") or table.caption == f"{label} {rest}"


def test_a_wide_gap_ends_a_table(service: DocumentService) -> None:
    rows = [["Part", "Pages"], ["training", "120"], ["test", "30"]]
    axis = ("", [(40.0 * n, 60.0, f"{n}0") for n in range(4)], 70)
    assert read(service, "Table 1: Sizes.", ("", grid([0, 80], rows), 38), axis, "Figure 1: A plot.") == [rows]


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 90), st.integers(0, 40), st.integers(0, 3)), max_size=60))
def test_no_placing_of_words_breaks_the_reader(words: list[tuple[int, int, int, int]]) -> None:
    texts = ("7", "0.5", "name", "Table 2: words beside it")
    paragraphs = []
    kinds: tuple[ParagraphKind, ...] = ("table", "caption", "body", "equation")
    for n, kind in enumerate(("caption", *kinds)):
        text, made = ("Table 1: All.", [Word(0, 5, Box(1, 100, 100, 130, 110))]) if not n else ("", [])
        for which, x, y, owner in words:
            if n and kinds[owner] == kind:
                start, text = len(text), f"{text}{texts[which]} "
                left, top = 5.0 * x, 60 + 4.0 * y
                made.append(Word(start, len(text) - 1, Box(1, left, top, left + 5 * len(texts[which]), top + 9)))
        paragraphs.append(Paragraph(f"p{n}", n, "", kind, text, text, (), 1, (), tuple(made)))
    document = ParsedDocument("", (PageSize(1, 600, 800, 0),), tuple(paragraphs), "", 0)
    for table in find_tables(document):
        assert all(cell.number is None or cell.number in (7, 0.5) for cell in table.cells)


def test_captions_above_keep_their_tables_between_rows_that_continue_across_pages(service: DocumentService) -> None:
    orphan, *tables = [[[f"Part {n}", "Pages"], ["training", f"{n}20"], ["test", f"{n}30"]] for n in range(4)]
    below = [
        item for n, rows in enumerate(tables) for item in (f"Table {n + 1}: Sizes.", ("", grid([0, 80], rows), 60))
    ]
    found = read(service, ("", grid([0, 80], orphan), 60), *below, "Table 4: Scores, on the next page.")
    assert found == [*tables, []]


def test_a_row_of_years_is_one_of_headings(service: DocumentService) -> None:
    rows = [["Basin", "2016", "2017", "2018"], ["Cedar", "465", "53.0", "426"], ["Tansy", "925", "93.9", "434"]]
    parsed = service.parse(made_paper(rows))
    assert [row.header for row in find_tables(parsed)[0].rows] == [True, False, False]
