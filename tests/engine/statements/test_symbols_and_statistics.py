"""Symbols with their names, statistics repeated in cells, rows with two names, and numbers that belong to no cell."""

from __future__ import annotations

import pytest

from engine.statements.grids import TableGrid
from engine.statements.tables import judge

ORBIT = TableGrid(
    (("Parameter",), ("Unit",), ("Slow fit",), ("Fast fit",)),
    (("K", "m/s", "41.52+1.30", "39.17+1.10"), ("e", "", "0.12+0.02", "0.21+0.03")),
    "Table 1. Orbit of the companion.",
    "1",
)
SUMMARY = TableGrid(
    (("_id",), ("snowDepth",), ("airTemp",)),
    (
        ("Min. : 1", "Min. : 2.00", "Min. :-9.00"),
        ("Median : 410", "Median :14.00", "Median : 3.50"),
        ("Mean : 422", "Mean :15.25", "Mean : 2.75"),
        ("Max. : 911", "Max. :61.00", "Max. :12.00"),
    ),
    "Table 1: Summary of the cleaned data.",
    "1",
)
RUNS = TableGrid(
    (("Run",), ("Description",), ("Accuracy",), ("Memory (GB)",)),
    (
        ("R-1", "Plain trainer", "90.4%", "17.0"),
        ("R-2", "Quantised trainer", "90.1%", "12.0"),
        ("R-3", "Pruned trainer", "87.7%", "14.5"),
    ),
    "Table 1: Results of three runs.",
    "1",
)
STEPS = TableGrid(
    ((), ("N",), ("J",), ("direct (ms)",)),
    (("1", "300", "1", "2.85"), ("2", "150", "2", "0.67"), ("3", "7200", "2", "811.5")),
    "Table 1. The cost of each example.",
    "1",
)
DEPTHS = TableGrid(((), ("Error",)), (("2", "0.38"), ("4", "0.31"), ("8", "0.35")), "Table 1: Errors by depth.", "1")
AGES = TableGrid(
    ((), (), ("n",), ("%",)),
    (("Age group", "18-44", "577", "34"), ("", "45-54", "337", "20"), ("", "55-64", "312", "19"),
     ("Gender", "Female", "814", "49"), ("", "Male", "845", "51")),
    "Table 1. Participants in the survey.",
    "1",
)  # fmt: skip


@pytest.mark.parametrize(
    ("grid", "statement", "verdict"),
    [
        (ORBIT, "In the slow fit, the semi-amplitude K is 41.52 m/s.", "supported"),
        (ORBIT, "The eccentricity e of the fast fit is 0.12.", "contradicted"),
        (SUMMARY, "The mean snow depth is 15.25.", "supported"),
        (SUMMARY, "The maximum snow depth in Table 1 is 71.", "contradicted"),
        (SUMMARY, "The median air temp was 14.", "contradicted"),
        (SUMMARY, "The mean snow depth exceeds the mean air temp by 12.5.", "supported"),
        (SUMMARY, "The mean snow depth exceeds the mean air temp by 10.5.", "contradicted"),
        (DEPTHS, "For k = 4, the error is 0.31.", "supported"),
        (RUNS, "R-2 needs less memory than the pruned trainer.", "supported"),
        (RUNS, "The plain trainer is 2.7 points more accurate than R-3.", "supported"),
        (RUNS, "The accuracy of R-3 is higher than that of the plain trainer.", "contradicted"),
        (STEPS, "J of example 1 is 1.", "supported"),
        (STEPS, "The direct time of the third example is 811.5 ms.", "supported"),
    ],
)
def test_what_is_named_otherwise_than_in_a_label_is_decided(grid: TableGrid, statement: str, verdict: str) -> None:
    assert judge(statement, grid).verdict == verdict


@pytest.mark.parametrize(
    ("grid", "statement"),
    [
        (RUNS, "R-2 needs 12.0 GB of memory, the least of all runs."),
        (STEPS, "Example 1 uses a single term (J = 1) and 300 data points."),
        (AGES, "In this survey there were 337 participants between 45 and 54 years of age."),
    ],
)
def test_a_true_statement_with_numbers_of_something_else_is_not_contradicted(grid: TableGrid, statement: str) -> None:
    assert judge(statement, grid).verdict != "contradicted"


@pytest.mark.parametrize("statement", ["Women were 49% of the 2020 series.", "The 2020 series has 49% women."])
def test_a_label_with_another_number_is_not_named(statement: str) -> None:
    years = (("2021 series", "55"), ("2022 series", "51"))
    wide = TableGrid(((), ("Women (%)",)), years, "Table 1: Participants.", "1")
    assert judge(statement, wide).verdict == "not checked"
    assert judge(statement.replace("2020", "2021"), wide).verdict == "contradicted"
