"""Numbers without a sign, and cells below zero."""

from __future__ import annotations

import pytest

from engine.statements.grids import TableGrid
from engine.statements.tables import judge

LOSSES = TableGrid(
    (("Term",), ("Slope",), ("Error",)), (("beta", "-2.1", "0.3"), ("gamma", "3.4", "0.2")), "Table 1", "1"
)


@pytest.mark.parametrize(
    ("statement", "verdict"),
    [
        ("In Table 1, the slope of beta is -2.1.", "supported"),
        ("In Table 1, the slope of beta is 2.1.", "place found"),
        ("In Table 1, the slope of beta is a loss of 2.1.", "supported"),
        ("In Table 1, the slope of gamma is 3.4.", "supported"),
    ],
)
def test_a_number_without_a_sign_is_not_that_of_a_cell_below_zero(statement: str, verdict: str) -> None:
    assert judge(statement, LOSSES).verdict == verdict


COUNTERS = TableGrid(
    (("counters",), ("pooled",), ("blended",)),
    (("1", "14.3", "14.1"), ("8", "11.7", "7.6"), ("12", "11.4", "7.1")),
    "Table 3: Error by number of counters.",
    "3",
)


@pytest.mark.parametrize(
    ("said", "verdict"),
    [
        ("Table 3 reports 7.1 for blended with twelve counters.", "supported"),
        ("Table 3 reports 7.1 for blended with eight counters.", "contradicted"),
        ("Table 3 reports 7.1 for blended with one counter.", "contradicted"),
        ("Table 3 reports 7.1 for blended with five counters.", "place found"),
        ("Table 3 reports 7.1 for blended without counters.", "place found"),
        ("Table 3 reports 7.1 for blended with half as many counters.", "not checked"),
        ("In Table 3, one of the factors has 7.1 with twelve counters.", "supported"),
    ],
)
def test_words_that_name_or_choose_a_row_are_not_passed_over(said: str, verdict: str) -> None:
    assert judge(said, COUNTERS).verdict == verdict
