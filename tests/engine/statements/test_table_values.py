"""Values of single cells in whatever words; each true statement with false counterparts."""

from __future__ import annotations

import pytest

from engine.statements.grids import TableGrid
from engine.statements.tables import judge

KILNS = TableGrid(
    (("Kiln",), ("Batch", "Fuel (kg)"), ("Batch", "Peak (°C)"), ("Broken, %",), ("Clay (kg)",)),
    (
        ("Anagama", "412", "1281.4", "12.53", "23418"),
        ("Noborigama", "368", "1243.7", "7.26", "30762"),
        ("Noborigama with vents", "351", "1266.2", "5.81", "31257"),
        ("Raku", "47", "987.6", "21.08", "4129"),
    ),
    "Table 3: Firings of the kilns in the village.",
    "3",
)
ROADS = TableGrid(
    (("From",), ("To",), ("Length",), ("Tolls",)),
    (
        ("Arden", "Arden", "41.25", "3.18"),
        ("Arden", "Belmont", "63.72", "4.05"),
        ("Belmont", "Arden", "66.91", "4.77"),
        ("Belmont", "Belmont", "38.46", "2.93"),
    ),
    "Table 4: Roads.",
    "4",
)

MOTORS = TableGrid(
    (("Quantity",), ("2019 trial", "Error"), ("2021 trial", "Error"), ("2021 trial", "Slope")),
    (
        ("τ_m (Nm)", "3.417", "2.905", "0.61"),
        ("ψ_d (Wb)", "0.238", "0.195", "0.74"),
        ("Filtered speed", "8.812", "7.364", "0.93"),
        ("No filtered speed", "9.427", "8.051", "0.88"),
    ),
    "Table 5: Motors.",
    "5",
)
FACTORS = TableGrid(
    (("n",), ("k (widening ratio)",)),
    (("6", "2.571"), ("11", "2.228"), ("21", "2.086")),
    "Table 6: Widening ratio of small samples.",
    "6",
)

CASES = [
    # What only names the table, with labels of other cells; another subject may follow it.
    (KILNS, "The fuel of Raku is 47 in the comparison of kilns that gives the peak and clay of Anagama.", True),
    (KILNS, "The fuel of Raku is 74 in the comparison of kilns that gives the peak and clay of Anagama.", False),
    (KILNS, "In our experiments the lowest fuel, 47, belongs to Raku.", True),
    # Greek letters by name, years of a part, what a row lacks.
    (MOTORS, "The error of the motor torque tau_m is 2.905 in the 2021 part.", True),
    (MOTORS, "The error of the motor torque tau_m is 3.417 in the 2021 part.", False),
    (MOTORS, "For the flux psi_d, the 2019 part puts the error at 0.238.", True),
    (MOTORS, "For the flux psi_d, the 2019 part puts the error at 0.283.", False),
    (MOTORS, "Skipping the filtered speed yields an error of 8.051 in the 2021 part.", True),
    (MOTORS, "Skipping the filtered speed yields an error of 7.364 in the 2021 part.", False),
    # What is in brackets behind a symbol.
    (FACTORS, "The widening ratio for n = 11 comes out at 2.228.", True),
    (FACTORS, "The widening ratio for n = 11 comes out at 2.571.", False),
    # How a number is rounded, said anywhere.
    (KILNS, "The peak of the Raku kiln is 990 to the nearest ten.", True),
    (KILNS, "The peak of the Raku kiln is 980 to the nearest ten.", False),
    (KILNS, "Rounded to the nearest hundred, Noborigama takes a clay of 30,800.", True),
    (KILNS, "Rounded to the nearest hundred, Noborigama takes a clay of 30,700.", False),
    (KILNS, "If one decimal place is all that is kept, the broken share for Raku becomes 21.1.", True),
    (KILNS, "If one decimal place is all that is kept, the broken share for Raku becomes 21.0.", False),
    (KILNS, "When quoted to the nearest whole number, broken for Noborigama is 7.", True),
    (KILNS, "When quoted to the nearest whole number, broken for Noborigama is 8.", False),
    (KILNS, "The clay of Anagama comes to 23,000 to two significant figures.", True),
    (KILNS, "The clay of Anagama comes to 24,000 to two significant figures.", False),
    (KILNS, "Fuel for Raku lies just under 50.", True),
    (KILNS, "Fuel for Raku lies just over 50.", False),
    (KILNS, "The fuel of Anagama is somewhere between 400 and 420.", True),
    (KILNS, "The fuel of Anagama is somewhere between 300 and 400.", False),
    # Other ways to write a share.
    (KILNS, "Written as a fraction, broken for Raku is 0.2108.", True),
    (KILNS, "Written as a fraction, broken for Raku is 21.08.", False),
    (KILNS, "On a scale from 0 to 1, broken for Raku stands at 0.2108.", True),
    (KILNS, "Broken for Raku is 210.8 per mille.", True),
    (KILNS, "Broken for Raku is 21.08 per mille.", False),
    (KILNS, "Put differently, broken for Anagama is 0.1253 as a fraction.", True),
    (KILNS, "Put differently, broken for Anagama is 0.0125 as a fraction.", False),
    # Two values in a sentence.
    (KILNS, "Anagama consumes a fuel of 412 as against 47 for Raku, a telling pair.", True),
    (KILNS, "Anagama consumes a fuel of 47 as against 412 for Raku, a telling pair.", False),
    (KILNS, "Noborigama combines a fuel of 368 with a peak of 1243.7.", True),
    (KILNS, "Noborigama combines a fuel of 368 with a peak of 1281.4.", False),
    # A name whose words are apart, and a value that isn't its own.
    (KILNS, "For the vents variant of Noborigama, one reads off a peak of 1266.2.", True),
    (KILNS, "For the vents variant of Noborigama, one reads off a peak of 1243.7.", False),
    # Words about the reading of a number, which no list contains.
    (KILNS, "Nothing more and nothing less than 7.26 is owed to Noborigama under broken.", True),
    (KILNS, "Nothing more and nothing less than 12.53 is owed to Noborigama under broken.", False),
    (KILNS, "Scribes will jot down 987.6 as the peak of Raku.", True),
    (KILNS, "Scribes will jot down 978.6 as the peak of Raku.", False),
    # The same labels for two columns.
    (ROADS, "The Arden to Belmont road manages a length of 63.72.", True),
    (ROADS, "The Arden to Belmont road manages a length of 66.91.", False),
    (ROADS, "With Belmont for both ends, the tolls work out at 2.93.", True),
    (ROADS, "With Belmont for both ends, the tolls work out at 4.77.", False),
]


@pytest.mark.parametrize(("grid", "statement", "true"), CASES)
def test_values_are_read_from_the_cells_that_a_sentence_names(grid: TableGrid, statement: str, true: bool) -> None:
    assert judge(statement, grid).verdict == ("supported" if true else "contradicted")


@pytest.mark.parametrize(
    "statement",
    [
        "Vented Noborigama reaches a peak of 1266.2.",  # may be the row with vents
        "Before the repair, the peak of Raku was 950.1.",
        "The non-Raku kilns have a peak of 987.1.",
        "In the winter firings, the standard deviation of the peak of Raku is 12.1.",
    ],
)
def test_what_may_mean_another_cell_is_not_contradicted(statement: str) -> None:
    assert judge(statement, KILNS).verdict != "contradicted"


def test_what_follows_the_name_of_the_table_is_not_left_out() -> None:
    assert judge("In our experiments the lowest fuel, 368, belongs to Noborigama.", KILNS).verdict != "supported"
