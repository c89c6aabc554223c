"""Symbols with their names, shares with counts, units that differ, and numbers that belong to no cell."""

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
SHARES = TableGrid(
    (("Reader",), ("Easy part",), ("Hard part",)),
    (
        ("Plain", "44/50 (88%) [68, 100]", "48/49 (98%) [94, 100]"),
        ("Marked", "20/49 (41%) [18, 65]", "41/50 (82%) [60, 97]"),
    ),
    "Table 2: Falls (rate) by reader, run by A/B teams.",
    "2",
)
TIMES = TableGrid(
    (("Size",), ("CPU time",)), (("3x3", "70s"), ("3x4", "6h"), ("4x4", "9,000h")), "Table 3: Times.", "3"
)
STAGES = TableGrid(
    (("Feature",), ("Un-scaled data",), ("Scaled data",)),
    (("slope", "0.53 (0.05)", "0.55 (0.07)"), ("offset", "0.61 (0.04)", "0.52 (0.06)")),
    "Table 4: AUC of each feature.",
    "4",
)
HOSTS = TableGrid(
    (("Guest",), ("Energy",)),
    (("acid", "-5.400"), ("base", "-4.730"), ("acid", "-5.476"), ("base", "-5.260")),
    "Table 5",
    "5",
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
        (DEPTHS, "For k = 4, the error is 0.31.", "supported"),
        (SHARES, "The rate of Marked in the hard part is 82%.", "supported"),
        (SHARES, "The rate of Plain in the easy part is 98%.", "contradicted"),
        (SHARES, "Plain is 47 percentage points higher than Marked in the easy part.", "supported"),
        (SHARES, "Plain is 115 percentage points higher than Marked in the easy part.", "contradicted"),
        (SHARES, "Marked has errors in 82% of runs in the hard part.", "supported"),
        (TIMES, "The CPU time of 3x4 is higher than that of 3x3.", "supported"),
        (TIMES, "The CPU time of 3x4 is lower than that of 3x3.", "contradicted"),
        (TIMES, "The CPU time of 3x4 is 6 hours.", "supported"),
        (HOSTS, "The energy of acid is -5.476.", "supported"),
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
    assert judge(statement, wide).verdict in ("not checked", "place found")
    assert judge(statement.replace("2020", "2021"), wide).verdict == "contradicted"


@pytest.mark.parametrize(
    ("grid", "statement"),
    [
        (STAGES, "The AUC of the slope before scaling is 0.55."),
        (HOSTS, "The energy of acid rounds to -5.5."),
        (SHARES, "In the easy part, Plain has 44."),
    ],
)
def test_a_number_that_may_belong_to_another_cell_is_not_decided(grid: TableGrid, statement: str) -> None:
    assert judge(statement, grid).verdict == "place found"
