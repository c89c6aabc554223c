"""Tables that may have been read wrongly decide nothing, and say why."""

from __future__ import annotations

import dataclasses

import pytest

from engine.documents.places import Places
from engine.documents.records import Box, Doubt, DoubtfulPage
from engine.documents.tables import Cell, Row, Table, number_in
from engine.review_drafting.reading import read_paper
from engine.review_drafting.stages.asking import sections_of
from engine.review_drafting.stages.table_checks import table_totals
from engine.statements.judge import judge
from engine.statements.table_doubts import doubt_of
from engine.statements.tables import judge_in_document
from tests.engine.documents.pages import document

LINES = [
    ["Method", "Precision", "Recall"],
    ["Plain", "71.2", "68.4"],
    ["Wide", "75.1", "70.3"],
    ["Deep", "79.9", "73.6"],
]


def table(lines: list[list[str]], heads: int = 1, shift: float = 0.0) -> Table:
    """A table with a cell of 40 points in every column, but for empty ones; ``shift`` moves the last row."""
    rows = []
    for n, line in enumerate(lines):
        cells = []
        for column, text in enumerate(line):
            x = 100.0 * column + (shift if column and n == len(lines) - 1 else 0)
            if text:
                box = Box(1, x, 12.0 * n, x + 40, 12.0 * n + 8)
                cells.append(Cell(text, box, column, "p", 0, len(text), *(number_in(text) or ())))
        rows.append(Row(tuple(cells), header=n < heads))
    return Table("1", "Table 1: Scores of three methods.", "c", ("p",), 1, tuple(rows))


@pytest.mark.parametrize(
    ("lines", "heads", "shift", "why"),
    [
        (LINES, 2, 0, "a row of numbers was read as headings"),
        ([*LINES[:3], ["Deep", "79.9 73.6", "73.6"]], 1, 0, "its numbers weren't separated correctly"),
        ([*LINES[:3], ["Deep", "all 79.9 sec 73.6", "73.6"]], 1, 0, "its numbers weren't separated correctly"),
        ([*LINES[:3], ["Deep", "79.9 ±", "0.3"]], 1, 0, "its numbers weren't separated correctly"),
        (LINES, 1, 65, "its columns overlap"),
        ([*LINES[:1], ["", "71.2", "68.4"], *LINES[2:]], 1, 0, "some of its numbers have no row name or no heading"),
        ([["Method", "Precision"], *LINES[1:]], 1, 0, "some of its numbers have no row name or no heading"),
        ([*LINES, LINES[1]], 1, 0, "some of its numbers have the same row name and heading"),
        ([["Method", "F1", "F1"], *LINES[1:]], 1, 0, "some of its numbers have the same row name and heading"),
    ],
)
def test_what_no_table_can_be_is_a_reason_for_doubt(lines: list[list[str]], heads: int, shift: float, why: str) -> None:
    assert doubt_of(table(lines, heads, shift)) == f"Table 1 may not have been read completely: {why}."


@pytest.mark.parametrize(
    "lines",
    [
        LINES,
        [*LINES[:3], ["Deep", "79.9 ± 0.3", "73.6 (1.2)"]],
        [*LINES[:3], ["Deep", "79.9", ""]],
        [["Method", "10", "50"], *LINES[1:]],
        [["Set", "0.60", "0.65", "0.70", "0.75"], ["One", "40", "42", "42", "45"], ["Two", "23", "24", "25", "26"]],
        [],
    ],
)
def test_whole_tables_and_tables_without_rows_are_not_doubted(lines: list[list[str]]) -> None:
    assert doubt_of(table(lines)) == ""


def places_of(one: Table) -> Places:
    made = document(one.caption, "Method Precision Recall Plain Wide Deep", "The methods are compared in the village.")
    kinds = ("caption", "table", "body")
    paragraphs = tuple(dataclasses.replace(p, kind=k) for p, k in zip(made.paragraphs, kinds, strict=True))
    rows = tuple(
        dataclasses.replace(row, cells=tuple(dataclasses.replace(c, paragraph_id=paragraphs[1].id) for c in row.cells))
        for row in one.rows
    )
    placed = dataclasses.replace(one, caption_id=paragraphs[0].id, paragraph_ids=(paragraphs[1].id,), rows=rows)
    return Places(dataclasses.replace(made, paragraphs=paragraphs), [placed])


DOUBTED = table([*LINES, ["Plain", "50.5", "41.8"]])


@pytest.mark.parametrize(
    ("sentence", "verdict"),
    [
        ("In Table 1, the precision of Wide is 75.1.", "supported"),
        ("In Table 1, the precision of Wide is 76.2.", "contradicted"),
    ],
)
def test_a_doubtful_table_decides_nothing_and_says_why(sentence: str, verdict: str) -> None:
    sound, doubted = places_of(table(LINES)), places_of(DOUBTED)
    assert judge(sentence, sound).verdict == verdict
    judged = judge(sentence, doubted)
    assert judged.verdict == "place found"
    assert judged.why == f"{doubt_of(DOUBTED)} It wasn't decided whether the paper says this there."
    assert judged.place is not None


def test_a_statement_without_the_number_of_a_doubtful_table_is_not_decided_by_it() -> None:
    sentence = "The precision of Wide is 76.2."
    found = judge_in_document(sentence, places_of(table(LINES)).tables)
    assert found is not None and found.judgement.verdict == "contradicted"
    assert judge_in_document(sentence, places_of(DOUBTED).tables) is None


def test_columns_with_the_same_heading_decide_nothing_but_others_do() -> None:
    heads = ["Method", "Precision", "F1", "F1", "Recall", "Support"]
    lines = [heads, *([name, f"7{n}.1", f"6{n}.2", f"6{n}.3", f"5{n}.4", f"4{n}.5"] for n, name in enumerate("xyz"))]
    lines = [[f"Way {line[0]}" if n else line[0], *line[1:]] for n, line in enumerate(lines)]
    places = places_of(table(lines))
    assert doubt_of(places.tables[0])
    said = ("precision of Way x is 70.1", "precision of Way x is 73.1", "F1 of Way x is 60.2", "F1 of Way x is 69.9")
    verdicts = [judge(f"In Table 1, the {one}.", places).verdict for one in said]
    assert verdicts == ["supported", "contradicted", "place found", "place found"]


@pytest.mark.parametrize(("reason", "verdict"), [("order", "supported"), ("scan", "place found")])
def test_the_order_of_sentences_on_its_page_matters_to_no_table(reason: Doubt, verdict: str) -> None:
    places = places_of(table(LINES))
    doubtful = dataclasses.replace(places.document, doubtful=(DoubtfulPage(1, reason, 0.5),))
    sentence = "In Table 1, the precision of Wide is 75.1."
    assert judge(sentence, Places(doubtful, places.tables)).verdict == verdict


def test_a_number_is_not_missing_from_a_doubtful_table() -> None:
    sentence = "In Table 1, patience has a value of 96.59."
    assert judge(sentence, places_of(table(LINES))).verdict == "not found"
    judged = judge(sentence, places_of(DOUBTED))
    assert judged.verdict == "not checked"
    assert judged.why == f"96.59 isn't in Table 1. {doubt_of(DOUBTED)}"


def test_models_and_records_are_told_and_totals_are_not_checked() -> None:
    whole = [["Part", "Pages", "Books"], ["north", "12", "30"], ["south", "14", "25"], ["total", "99", "55"]]
    for lines, doubtful in ((whole, False), ([["Part", "Pages", "Pages"], *whole[1:]], True)):
        places = places_of(table(lines))
        paper = read_paper(places.document, places.tables)
        (reading,) = paper.tables
        assert bool(reading.doubt) is doubtful
        text = "\n".join(section.text for section in sections_of(paper))
        assert ("Table 1 may not have been read completely" in text) is doubtful
        assert bool(list(table_totals(paper))) is not doubtful
