"""Statements about several cells of one measure: orders, ties, and differences in proportion."""

from __future__ import annotations

import pytest

from engine.statements.grids import TableGrid
from engine.statements.named import said_numbers
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


GROUPS = TableGrid(
    (("Region",), ("Mill",), ("Grain",), ("Straw",), ("AB",), ("QX",)),
    (
        ("North", "Ash", "31", "12.5", "0.9", "0.2"),
        ("North", "Box", "28", "14.0", "0.7", "0.3"),
        ("South", "Fir", "45", "13.1", "0.8", "0.1"),
        ("South", "Oak", "20", "10.1", "0.6", "0.5"),
    ),
    "Table 6: Tonnes at four mills.",
    "6",
)


@pytest.mark.parametrize(
    ("statement", "verdict"),
    [
        ("Of the North rows, North / Ash shows the highest grain.", "supported"),
        ("Of the North rows, Box (North) shows the highest grain.", "contradicted"),
        ("Within South, Fir has the highest grain.", "supported"),
        ("Within South, Oak has the highest grain.", "contradicted"),
        ("Within North, the average grain is about 29.5.", "supported"),
        ("Within North, the average grain is about 35.", "contradicted"),
        ("The mean grain over all 4 rows is roughly 31.", "supported"),
        ("The mean straw over all 4 mills is roughly 12.4.", "supported"),
        ("The mean straw over all 4 mills is roughly 13.4.", "contradicted"),
        ("Averaged over the four mills, straw is about 12.4.", "supported"),
        ("The mean straw over all 5 mills is roughly 13.4.", "place found"),
        ("All 4 rows have a straw above 10.", "supported"),
        ("All 4 rows have a straw above 12.", "contradicted"),
        ("Exactly two out of four mills have a grain below 30.", "supported"),
        ("The straw for Ash is close to 12 once rounded.", "supported"),
        ("The straw for Fir is close to 15 once rounded.", "contradicted"),
        ("The grain of Box does not reach that of Ash.", "supported"),
        ("The grain of Fir does not reach that of Ash.", "contradicted"),
        # Two letters may be written small.
        ("The ab of Ash is higher than the qx of Ash.", "supported"),
        ("For Oak, ab is lower than qx.", "contradicted"),
    ],
)
def test_groups_and_means_of_rows(statement: str, verdict: str) -> None:
    assert judge(statement, GROUPS).verdict == verdict


SCORES = TableGrid(
    (("p",), ("Score",), ("Reach",)),
    (("0.1", "60.5", "4.0"), ("0.2", "64.0", "3.1"), ("0.3", "71.5", "2.2")),
    "Table 7: Score by p.",
    "7",
)


@pytest.mark.parametrize(
    ("statement", "verdict"),
    [
        ("The larger p, the lower the reach.", "supported"),
        ("The larger p, the higher the reach.", "contradicted"),
        ("As p grows, the score decreases.", "contradicted"),
        ("As p grows, the score increases.", "supported"),
    ],
)
def test_the_larger_the_lower(statement: str, verdict: str) -> None:
    assert judge(statement, SCORES).verdict == verdict


def test_ranks_in_a_known_measure() -> None:
    rows = (("Ash", "71.0"), ("Box", "64.5"), ("Fir", "68.2"))
    table = TableGrid((("Mill",), ("Accuracy",)), rows, "Table 8: Mills.", "8")
    assert judge("Among the mills listed, Ash ranks first in accuracy.", table).verdict == "supported"
    assert judge("Among the mills listed, Fir ranks last in accuracy.", table).verdict == "contradicted"
    assert judge("Fir is the runner-up in accuracy.", table).verdict == "supported"
    assert judge("Box is the runner-up in accuracy.", table).verdict == "contradicted"
    assert (
        judge("Box has an accuracy that is 6.5% below that of Ash, relatively speaking.", table).verdict
        == "contradicted"
    )


def test_a_number_inside_a_name_isnt_stated() -> None:
    assert [n.value for n in said_numbers("The count (kl3m-004-128k-cased) for Ash is 3.5.", ())] == [3.5]


LEVELS = TableGrid(
    (("Depth (m)",), ("Rain", "Flow"), ("Rain", "Salt"), ("Snow", "Flow"), ("Snow", "Salt")),
    (
        ("[0, 5)", "7.1", "0.3", "6.0", "0.5"),
        ("[5, 10)", "5.5", "0.3", "5.9", "0.6"),
        ("[10, 20)", "4.1", "0.2", "4.0", "0.4"),
    ),
    "Table 9: A river.",
    "9",
)


@pytest.mark.parametrize(
    ("statement", "verdict"),
    [
        ("For [5, 10), flow is highest under Snow.", "supported"),
        ("For [5, 10), flow is highest under Rain.", "contradicted"),
        ("[10, 20) falls below [5, 10) with respect to Rain Flow.", "supported"),
        ("[5, 10) has a lower Rain Flow than [10, 20).", "contradicted"),
        ("[0, 5) and [5, 10) have the same Rain Salt.", "supported"),
        ("[0, 5) and [5, 10) have the same Snow Salt.", "contradicted"),
    ],
)
def test_intervals_and_headings_above_headings(statement: str, verdict: str) -> None:
    assert judge(statement, LEVELS).verdict == verdict


def test_a_row_may_need_only_one_of_its_labels() -> None:
    rows = (("Gull", "Oak", "12.4"), ("Gull", "Steel", "14.9"), ("Tern", "Pine", "11.0"))
    boats = TableGrid((("Boat",), ("Hull",), ("Speed",)), rows, "Table 2: Boats.", "2")
    assert judge("Pine has a lower speed than Gull / Oak.", boats).verdict == "supported"
    assert judge("Gull (Oak) has a lower speed than Pine.", boats).verdict == "contradicted"
    assert judge("Speed decreases from Gull / Steel over Oak (Gull) to Pine.", boats).verdict == "supported"
