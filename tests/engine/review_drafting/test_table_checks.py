"""Checks of a table's bold figures and totals, on tables made here."""

from __future__ import annotations

import pytest

from engine.documents.places import Places
from engine.documents.records import Box
from engine.documents.tables import Cell, Row, Table
from engine.review_drafting.records import PaperReading
from engine.review_drafting.stages.table_checks import bold_not_best, table_totals
from tests.engine.review_drafting.papers import reading

BEST = "Table 1: Error by coast; the best value of each column is in bold."


def paper(caption: str, *rows: str) -> PaperReading:
    """A paper with one table; the first row is the heading, and a star marks what is bold."""
    made, bold = [], []
    for n, row in enumerate(rows):
        cells = []
        for column, text in enumerate(row.split()):
            box, plain = Box(1, 50.0 + 60 * column, 20.0 * n, 90.0 + 60 * column, 20.0 * n + 10), text.strip("*")
            number = float(plain) if plain.replace(".", "").isdigit() else None
            cells.append(Cell(plain, box, column, "p", 0, 0, number))
            bold += [box] if plain != text else []
        made.append(Row(tuple(cells), header=not n))
    found = Table("1", caption, "c", ("p",), 1, tuple(made), bold=tuple(bold))
    given = reading(("results", "See Table 1."))
    given._places = Places(given.places.document, (found,))
    return given


HEAD = "Model North West South"
ROWS = ("Tide 8.9 8.1 8.2", "Near 7.3 7.0 7.4", "Deep 6.4 6.8 6.9", "Ours *5.2* *6.3* *6.7*")


def test_the_best_of_each_column_in_bold_is_left_alone() -> None:
    assert not list(bold_not_best(paper(BEST, HEAD, *ROWS)))


def test_a_bold_figure_that_is_not_the_best_is_named() -> None:
    wrong = (*ROWS[:2], "Deep 6.4 *6.8* 6.9", "Ours *5.2* 6.3 *6.7*")
    (found,) = bold_not_best(paper(BEST, HEAD, *wrong))
    assert "6.8" in found.text
    assert "Table 1 (p. 1)" in found.text


def test_the_best_may_be_bold_in_each_row() -> None:
    made = ("Tide 8.9 8.1 *8.0*", "Near 7.3 *7.0* 7.4", "Deep *6.4* 6.8 6.9", "Ours 5.2 *6.3* 6.7")
    (found,) = bold_not_best(paper("Table 1: Error, the best of each row in bold.", HEAD, *made))
    assert "6.3 (Ours, West) in bold, which isn't the best of its row" in found.text


@pytest.mark.parametrize("caption", ["Table 1: Error, winners in bold.", "Table 1: Bold marks the lowest error."])
def test_captions_may_say_otherwise_that_the_best_is_bold(caption: str) -> None:
    assert list(bold_not_best(paper(caption, HEAD, *ROWS[:2], "Deep 6.4 *6.8* 6.9", "Ours *5.2* 6.3 *6.7*")))


@pytest.mark.parametrize(
    ("caption", "rows"),
    [
        ("Table 1: Error by coast.", (*ROWS[:2], "Deep 6.4 *6.8* 6.9", "Ours *5.2* 6.3 *6.7*")),
        (
            "Table 1: Bold is significantly better than the best baseline.",
            (*ROWS[:2], "Deep 6.4 *6.8* 6.9", "Ours *5.2* 6.3 *6.7*"),
        ),
        (BEST, (*ROWS[:2], "Deep 6.4 *6.8* *6.9*", "Ours *5.2* 6.3 6.7")),
        (BEST, (*ROWS[:2], "Deep *6.4* *6.8* 6.9", "Ours *5.2* 6.3 *6.7*")),
    ],
    ids=["bold isn't explained", "bold isn't the best", "bold means something else", "several are bold"],
)
def test_bold_that_may_mean_something_else_is_left_alone(caption: str, rows: tuple[str, ...]) -> None:
    assert not list(bold_not_best(paper(caption, HEAD, *rows)))


def test_a_total_that_is_not_the_sum_is_named() -> None:
    (found,) = table_totals(paper("Table 1: Gauges.", "Coast Gauges Ports", "A 31 24", "B 22 20", "Total 53 54"))
    assert "54 sum to 44" in found.text
    (found,) = table_totals(paper("Table 1: Gauges.", "Coast North South All", "A 31 24 55", "B 22 20 44"))
    assert "beside 44 sum to 42" in found.text


@pytest.mark.parametrize("last", ["Total 53 44", "Total 60 54", "Mean 53 54", "Total 53.5 54"])
def test_right_totals_and_those_that_count_otherwise_are_left_alone(last: str) -> None:
    assert not list(table_totals(paper("Table 1: Gauges.", "Coast Gauges Ports", "A 31 24", "B 22 20", last)))
