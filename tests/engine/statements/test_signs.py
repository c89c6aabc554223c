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
