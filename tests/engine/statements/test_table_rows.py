"""Statements about tables: which row or column a number, a setting or a broken name belongs to."""

from __future__ import annotations

import pytest

from engine.documents.tables import Table
from engine.statements.grids import TableGrid, grid_of, lay_out
from engine.statements.table_words import read
from engine.statements.tables import judge
from tests.engine.statements.test_table_headings import row

ENGINES = TableGrid(
    (("Engine",), ("Fuel",), ("Idle",), ("Load",), ("Noise",)),
    (
        ("Orion", "Diesel", "61.25", "48.75", "0.9"),
        ("", "Petrol", "82.65", "62.73", "0.7"),
        ("Vega", "Diesel", "58.17", "57.40", "1.9"),
        ("", "Petrol", "60.69", "62.73", "1.8"),
    ),
    "Table 1: Two engines.",
    "1",
)


@pytest.mark.parametrize(
    ("statement", "verdict"),
    [
        ("Petrol is a surprise for Orion, at only 82.65 units.", "supported"),
        ("Petrol is a surprise for Vega, at only 82.65 units.", "contradicted"),
        ("Petrol is a surprise for Vega, at only 82.66 units.", "place found"),
        ("Orion and Vega with Petrol are tied at a Load of 62.73.", "supported"),
        ("Orion and Vega with Diesel are tied at a Load of 48.75.", "contradicted"),
        ("Orion and Vega with Diesel have a Load of 48.75.", "place found"),
        ("Orion with Petrol collapses from 82.65 to 62.73.", "supported"),
        ("Orion with Petrol collapses from 82.65 to 57.40.", "contradicted"),
        ("Orion with Petrol collapses from 99.65 to 57.40.", "place found"),
        ("Orion with Petrol soars from 82.65 to 62.73.", "contradicted"),
    ],
)
def test_a_number_belongs_to_its_row_and_column(statement: str, verdict: str) -> None:
    assert judge(statement, ENGINES).verdict == verdict


@pytest.mark.parametrize(
    ("statement", "verdict"),
    [
        ("For K = 13 and dilation = 2 the error is 0.226.", "supported"),
        ("For K = 13 and dilation = 2 the error is 0.237.", "contradicted"),
        ("For K = 17 and dilation = 1 the error is 0.225.", "supported"),
    ],
)
def test_whole_numbers_that_tell_rows_apart_are_labels(statement: str, verdict: str) -> None:
    heads = (("K",), ("dilation",), ("error",))
    rows = (("13", "1", "0.237"), ("17", "1", "0.225"), ("13", "2", "0.226"), ("17", "2", "0.218"))
    grid = TableGrid(heads, rows, "Table 2: Filters.", "2")
    assert judge(statement, grid).verdict == verdict
    once = tuple((f"{n}", *cells[1:]) for n, cells in enumerate(rows))
    assert {e.column for e in lay_out(TableGrid(heads, once)).entries} == {1, 2}, "the first column tells them apart"


def test_a_number_above_a_column_is_named_with_the_heading_above_it() -> None:
    heads = ((), ("weight", "0"), ("weight", "1"), ("weight", "10"))
    grid = TableGrid(
        heads, (("Small", "0.067", "0.070", "0.748"), ("Large", "0.028", "0.027", "0.598")), "Table 3: Errors.", "3"
    )
    assert judge("The error of Large at weight = 1 is 0.027.", grid).verdict == "supported"
    assert judge("The error of Large at weight = 1 is 0.070.", grid).verdict == "contradicted"


def test_words_before_a_symbol_describe_it_only_as_its_name() -> None:
    rows = (("α", "18.07", "17.81"), ("β", "1.48", "1.44"))
    grid = TableGrid(((), ("Dust",), ("Clear",)), rows, "Table 4: Fits.", "4")
    assert read("Removing Dust barely changes β.", lay_out(grid)).text.startswith("removing M0 barely changes M1")
    assert judge("With Dust, the slope β is 1.48.", grid).verdict == "supported"


def test_two_numbers_in_each_others_place_contradict() -> None:
    grid = TableGrid(
        (("Engine",), ("Idle hours",), ("Load hours",)), (("Orion", "82.6", "62.7"), ("Vega", "58.1", "57.4"))
    )
    assert judge("Orion swings from 82.6 on Idle to 62.7 on Load.", grid).verdict == "supported"
    assert judge("Orion swings from 62.7 on Idle to 82.6 on Load.", grid).verdict == "contradicted"
    assert judge("Orion swings from 62.7 on Idle to 82.5 on Load.", grid).verdict == "contradicted"


def test_two_of_several_values_are_no_range() -> None:
    grid = TableGrid(((), ("A",), ("B",), ("C",)), (("Spring", "1.2", "3.4", "2.2"), ("Fall", "5.1", "7.7", "6.2")))
    assert judge("Spring, from 1.2 to 2.2.", grid).verdict != "contradicted"
    assert judge("Spring ranges from 1.2 to 2.2.", grid).verdict == "contradicted"


def test_words_broken_at_the_end_of_a_line_are_whole() -> None:
    heads = [
        row(0, (50, 1, "GPU La-"), (150, 2, "Through-"), header=True),
        row(9, (50, 1, "tency (ms)"), (150, 2, "put (1/s)"), header=True),
    ]
    body = [
        row(24 + 12 * n, (0, 0, name), (50, 1, f"{n}.90"), (150, 2, f"70{n}.2"))
        for n, name in enumerate(("Vega", "Conformerlite"))
    ]
    grid = grid_of(Table("5", "Table 5: Speed.", "c", ("p",), 1, (*heads, *body)))[0]
    assert grid.columns[1:] == (("GPU Latency (ms)",), ("Throughput (1/s)",))
    assert judge("The GPU latency of Conformer-lite is 1.90 ms.", grid).verdict == "supported"


def test_no_preposition_is_part_of_an_abbreviation() -> None:
    grid = TableGrid(
        (("Model",), ("MH",), ("MSF",)), (("I", "0.393", "0.022"), ("II", "0.018", "0.957")), "Table 6", "6"
    )
    assert judge("The mass shrinks from 0.393 in model I to 0.018 in model II.", grid).verdict != "contradicted"
