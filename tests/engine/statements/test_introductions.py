"""Statements behind an introduction, and names that a sentence builds in another way than the table."""

from __future__ import annotations

import pytest

from engine.statements.grids import TableGrid
from engine.statements.tables import judge

FILTERS = TableGrid(
    (("Filter",), ("Clarity (%)",), ("Flow",), ("Wear",)),
    (
        ("Sieve (coarse)", "71.2", "0.2035", "4"),
        ("Sieve (fine)", "83.4", "0.1810", "6"),
        ("Membrane (coarse)", "88.9", "0.1404", "3"),
        ("Membrane (fine)", "94.6", "0.0921", "7"),
        ("Drum_Drum w/ rinse", "79.5", "0.1977", "5"),
        ("Drum_Drum w/o rinse", "77.1", "0.1652", "8"),
    ),
    "Table 4: What the filters let through.",
    "4",
)
TREES = TableGrid(
    (("τ2",), ("Height (m)",), ("Leaves",)),
    (("1", "12.5", "310"), ("2", "14.0", "260"), ("3", "11.0", "270"), ("4", "16.5", "180")),
    "Table 5: Trees for each value of τ2.",
    "5",
)


@pytest.mark.parametrize(
    ("statement", "verdict"),
    [
        ("It can be read from Table 4 that a clarity of 94.6% is obtained by the membrane on fine.", "supported"),
        ("It can be read from Table 4 that a clarity of 88.9% is obtained by the membrane on fine.", "contradicted"),
        ("As the reviewer rightly notes, the sieve with coarse has a flow of 0.2035.", "supported"),
        ("We would like to point the reviewer to Table 4: the wear is lowest for Membrane (coarse).", "supported"),
        ("We would like to point the reviewer to Table 4: the wear is lowest for Sieve (coarse).", "contradicted"),
        ("I was surprised to see that Sieve (fine) has a lower flow than Sieve (coarse) (0.1810 vs. 0.2035).",
         "supported"),
        ("The numbers in Table 4 indicate that Sieve (fine) trails Membrane (fine) by 11.2 points in clarity.",
         "supported"),
        ("Indeed, Drum to Drum without rinse has the highest wear of the six filters, as Table 4 shows.", "supported"),
        ("Indeed, Drum to Drum with rinse has the highest wear of the six filters, as Table 4 shows.", "contradicted"),
        ("No other filter had a higher clarity than Membrane (fine).", "supported"),
        ("No other filter had a higher clarity than Membrane (coarse).", "contradicted"),
        ("Compared with Sieve (coarse) filters, Membrane (coarse) filters had a higher clarity.", "supported"),
        ("Sieve (fine) improves the clarity by more than 15 points over Sieve (coarse).", "contradicted"),
        ("Sieve (fine) improves the clarity by less than 15 points over Sieve (coarse).", "supported"),
        ("The clarity varies between 71.2 (Sieve (coarse)) and 94.6 (Membrane (fine)) across filters.", "supported"),
    ],
)  # fmt: skip
def test_what_introduces_a_statement_is_no_part_of_it(statement: str, verdict: str) -> None:
    assert judge(statement, FILTERS).verdict == verdict


@pytest.mark.parametrize(
    "statement",
    [
        "It is not true that the clarity of Membrane (fine) is 94.6%.",
        "We doubt that the clarity of Membrane (fine) is 94.6%.",
        "Nobody can see that the clarity of Membrane (fine) is 94.6%.",
    ],
)
def test_an_introduction_that_denies_stays_a_part(statement: str) -> None:
    assert judge(statement, FILTERS).verdict != "supported"


@pytest.mark.parametrize(
    "statement",
    [
        "Table 4 should show that Sieve (fine) has the highest clarity.",
        "The authors should have reported that the clarity of Sieve (fine) is 94.6%.",
        "We would like to see that Sieve (fine) has the highest clarity.",
        "It may be true that Sieve (fine) has the highest clarity.",
        "I disagree that Sieve (fine) has the highest clarity.",
        "The claim that Sieve (fine) has a higher clarity than Membrane (fine) is wrong.",
    ],
)
def test_what_a_table_should_show_or_a_reviewer_denies_is_not_held_against_it(statement: str) -> None:
    assert judge(statement, FILTERS).verdict != "contradicted"


@pytest.mark.parametrize(
    ("statement", "verdict"),
    [
        ("In Table 5, the height is highest for τ² = 4.", "supported"),
        ("In Table 5, the height is highest for τ² = 2.", "contradicted"),
        ("No other value of τ² has a larger height than τ² = 4.", "supported"),
        ("No other value of τ² has a larger height than τ² = 2.", "contradicted"),
        ("It is reported that 2 of the 4 values have a height above 13 m.", "supported"),
        ("It is reported that 3 of the 4 values have a height above 13 m.", "contradicted"),
    ],
)
def test_raised_digits_and_how_many_rows_there_are(statement: str, verdict: str) -> None:
    assert judge(statement, TREES).verdict == verdict
