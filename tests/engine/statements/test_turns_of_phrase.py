"""Turns of phrase in which reviewers report what a table says; each statement is judged with its false counterpart."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.statements.grids import TableGrid
from engine.statements.tables import judge

FERRIES = TableGrid(
    (("Ferry",), ("Crossings",), ("Delay (min)",), ("Full, %",), ("Tilt (deg)",)),
    (
        ("Heron", "120", "4.0", "61.0", "3"),
        ("Gannet", "95", "6.0", "82.5", "4"),
        ("Curlew", "64", "3.2", "74.0", "2"),
        ("ET 4", "51", "8.0", "55.5", "7"),
    ),
    "Table 2: Ferries of the bay in the winter survey.",
    "2",
)


@pytest.mark.parametrize(
    ("true", "false"),
    [
        ("Between Heron and Gannet, the former has the more crossings.",
         "Between Heron and Gannet, the latter has the more crossings."),
        ("Of the two, Gannet rather than Heron has the higher delay.",
         "Of the two, Heron rather than Gannet has the higher delay."),
        ("It is Heron and not Gannet that has the lower delay.",
         "It is Gannet and not Heron that has the lower delay."),
        ("The delay never falls below 3 for any of the ferries.",
         "The delay never falls below 4 for any of the ferries."),
        ("The delay never exceeds 8 for any of the ferries.", "The delay never exceeds 7 for any of the ferries."),
        ("Without exception, the ferries show a delay above 3.",
         "Without exception, the ferries show a delay above 5."),
        ("Both Heron and Gannet have a delay above 3.9.", "Both Heron and Gannet have a delay above 5."),
        ("Every one of the 4 ferries has a delay above 3.", "Every one of the 4 ferries has a delay above 5."),
        ("Exactly 3 ferries show a delay below 7.", "Exactly 2 ferries show a delay below 7."),
        ("There are 2 ferries with a delay above 5.", "There are 3 ferries with a delay above 5."),
        ("In the row of Heron, the value of the delay amounts to 4.0.",
         "In the row of Heron, the value of the delay amounts to 6.0."),
        ("The entry for Gannet under delay reads 6.0.", "The entry for Gannet under delay reads 4.0."),
        ("Dividing the delay of ET 4 by that of Heron gives about 2.",
         "Dividing the delay of ET 4 by that of Heron gives about 3."),
        ("The delay for Heron has to be multiplied by 1.5 to arrive at that for Gannet.",
         "The delay for Heron has to be multiplied by 2.5 to arrive at that for Gannet."),
        ("In terms of the delay, Heron ranks second (counting from the lowest).",
         "In terms of the delay, Heron ranks second (counting from the highest)."),
        ("Sorted by delay from highest, Gannet is second.", "Sorted by delay from highest, Heron is second."),
        ("Ranked from highest delay, ET 4 comes first.", "Ranked from highest delay, Gannet comes first."),
        ("Gannet is second-highest in the delay.", "Heron is second-highest in the delay."),
        ("The delay is second-highest for Gannet.", "The delay is second-highest for Heron."),
        (
            "When we sort by delay on the ferries from highest, Gannet is second.",
            "When we sort by delay on the ferries from highest, Heron is second.",
        ),
        ("", "Gannet has a relative Full advantage of roughly 21.5 percent over Heron."),
        ("Gannet has a higher delay than Heron for exactly three of the days.", ""),
        ("The tilt of Curlew is 2 degrees.", "The tilt of Curlew is 4 degrees."),
        ("", "The tilt of Curlew is 2 radians."),
        ("In the winter survey of the ferries, the delay of Heron is 4.0.",
         "In the winter survey of the ferries, the delay of Heron is 6.0."),
    ],
)  # fmt: skip
def test_what_is_true_is_supported_and_what_is_false_is_not(true: str, false: str) -> None:
    if true and false:
        assert judge(true, FERRIES).verdict == "supported"
    if false and true:
        assert judge(false, FERRIES).verdict == "contradicted"
    assert not true or judge(true, FERRIES).verdict != "contradicted"
    assert not false or judge(false, FERRIES).verdict != "supported"


LAKES = TableGrid(
    (("Lake",), ("Depth",), ("# Clusters",), ("C#",)),
    (("Vik", "4.5", "12", "3"), ("Sund", "6.5", "31", "5"), ("Lund", "5.0", "20", "8")),
    "Table 3: Lakes in two programming languages.",
    "3",
)


@pytest.mark.parametrize(
    ("statement", "verdict"),
    [
        ("The C# of Vik is 3.", "supported"),
        ("The C# of Vik is 5.", "contradicted"),
        ("The standard deviation of cluster size of Vik is 3.", "place found"),
        ("Vik has the best coefficient of variation for depth.", "place found"),
        ("Sund has a larger depth than Vik for all three models.", "place found"),
        ("Sund has a larger depth than Vik for exactly three of the days.", "place found"),
        ("The transparency of Vik is 4.5.", "place found"),
    ],
)
def test_what_the_table_does_not_have_stays_open(statement: str, verdict: str) -> None:
    assert judge(statement, LAKES).verdict == verdict


@pytest.mark.parametrize(
    ("about", "verdict"), [("Table 3 has the sounding of the lakes in metres.", "contradicted"), ("", "place found")]
)
def test_words_that_the_text_uses_of_a_table_are_not_unknown_ones(about: str, verdict: str) -> None:
    alone = replace(LAKES, columns=LAKES.columns[:2], rows=tuple(row[:2] for row in LAKES.rows), about=about)
    said = "In the sounding, the metres of Vik are 4.9 in depth."
    assert judge(said, alone).verdict == verdict
