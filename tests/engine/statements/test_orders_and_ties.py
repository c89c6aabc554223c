"""Statements about several cells of one measure: orders, ties, and differences in proportion."""

from __future__ import annotations

import pytest

from engine.statements.grids import TableGrid
from engine.statements.tables import judge

BOATS = TableGrid(
    (("Boat",), ("Hull",), ("Speed",), ("Sail area",), ("Leaks",)),
    (
        ("Gull", "Oak", "12.4", "80", "3"),
        ("Gull", "Steel", "14.9", "80", "1"),
        ("Tern", "Oak", "11.0", "64", "3"),
        ("Tern", "Steel", "14.1", "72", "2"),
    ),
    "Table 2: Four boats.",
    "2",
)
FERRIES = TableGrid(
    (("Ferry",), ("Load",), ("Draught",), ("Berths",)),
    (
        ("Alba", "40", "3.10", "12"),
        ("Brea", "25", "3.10", "20"),
        ("Cora", "10", "2.75", "12"),
        ("Dana", "16", "2.20", "9"),
    ),
    "Table 3: Ferries.",
    "3",
)


@pytest.mark.parametrize(
    ("statement", "verdict"),
    [
        ("Load decreases from Alba over Brea to Cora.", "supported"),
        ("Load decreases from Alba over Cora to Dana.", "contradicted"),
        ("The draught decreases from Alba over Dana to Cora.", "contradicted"),
        ("Load increases from Cora over Dana to Brea.", "supported"),
        ("Alba has a higher Load than Brea, which in turn has a higher one than Dana.", "supported"),
        ("Alba has a higher Load than Cora, which in turn has a higher one than Dana.", "contradicted"),
        ("Alba has a higher draught than Brea, which in turn has a higher one than Dana.", "contradicted"),
        ("Ordered from high to low by Load, we get Alba, Brea and Dana.", "supported"),
        ("Ordered from high to low by Load, we get Alba, Cora and Dana.", "contradicted"),
        ("Ordered from low to high by Load, we get Cora, Dana and Alba (see table 3).", "supported"),
        # Which values of cars are better isn't known: only an order in neither direction is wrong.
        ("In Load, Alba comes first, then Brea, then Cora among these three.", "place found"),
        ("In Load, Alba comes first, then Cora, then Brea among these three.", "contradicted"),
        ("In Load score, Alba comes first, then Brea, then Cora among these three.", "supported"),
    ],
)
def test_an_order_needs_each_step(statement: str, verdict: str) -> None:
    assert judge(statement, FERRIES).verdict == verdict


@pytest.mark.parametrize(
    ("statement", "verdict"),
    [
        ("Alba and Brea have the same draught.", "supported"),
        ("Alba and Cora have the same draught.", "contradicted"),
        ("Alba and Cora do not have the same draught.", "supported"),
        ("There is no difference between Alba and Cora in berths.", "supported"),
        ("There is no difference between Alba and Brea in berths.", "contradicted"),
        ("Alba ties with Brea in draught.", "supported"),
        ("Alba ties with Dana in draught.", "contradicted"),
        ("In draught, Alba and Brea are identical (3.10).", "supported"),
        ("In draught, Alba and Brea are identical (3.40).", "contradicted"),
        ("Brea and Cora are 15 apart in Load.", "supported"),
        ("Brea and Cora are 11 apart in Load.", "contradicted"),
    ],
)
def test_a_tie_is_equal_as_printed(statement: str, verdict: str) -> None:
    assert judge(statement, FERRIES).verdict == verdict


@pytest.mark.parametrize(
    ("statement", "verdict"),
    [
        ("The Load of Alba is roughly 1.6x that of Brea.", "supported"),
        ("The Load of Alba is roughly 2.6x that of Brea.", "contradicted"),
        ("Relative to Brea, Alba increases Load by 60%.", "supported"),
        ("Relative to Brea, Alba increases Load by 85%.", "contradicted"),
        ("Brea has a Load that is 38% below that of Alba, relatively speaking.", "supported"),
    ],
)
def test_ratios_and_shares_of_the_other_cell(statement: str, verdict: str) -> None:
    assert judge(statement, FERRIES).verdict == verdict


def test_relative_to_isnt_percentage_points() -> None:
    rows = (("Alba", "61.21%"), ("Brea", "63.38%"))
    table = TableGrid((("Ferry",), ("Load",)), rows, "Table 4: Load.", "4")
    assert judge("Relative to Alba, Brea increases the load by 2.17%.", table).verdict == "place found"
    assert judge("Relative to Alba, Brea increases the load by 3.55%.", table).verdict == "supported"


@pytest.mark.parametrize(
    ("statement", "verdict"),
    [
        ("Gull (Oak) has a higher speed than Tern / Oak.", "supported"),
        ("Steel (Gull) has a higher speed than Tern / Steel.", "supported"),
        ("Steel (Gull) has a lower speed than Tern / Steel.", "contradicted"),
        ("Gull / Oak and Oak (Tern) have the same leaks.", "supported"),
        ("Speed decreases from Gull / Steel over Steel (Tern) to Gull (Oak).", "supported"),
        ("Speed decreases from Gull / Steel over Oak (Tern) to Gull (Oak).", "contradicted"),
    ],
)
def test_both_labels_of_a_row_in_either_order(statement: str, verdict: str) -> None:
    assert judge(statement, BOATS).verdict == verdict
