"""Tables in the plain words of reviewers: multiples, sizes, abbreviations, the own method, two values, asides."""

from __future__ import annotations

import pytest

from engine.statements.grids import TableGrid
from engine.statements.tables import judge

BAKERS = TableGrid(
    (("Oven",), ("Loaves per day",), ("FR (%)",), ("Warm-up (min)",), ("Accuracy",)),
    (
        ("Brick", "1,240", "8.4", "62", "0.81"),
        ("Steam", "1,905", "5.1", "24", "0.86"),
        ("Deck oven with stone", "2,480", "4.3", "31", "0.90"),
        ("Rotary (ours)", "3,110", "2.1", "20", "0.94"),
    ),
    "Table 4: Ovens of a bakery.",
    "4",
)
WINDOWS = TableGrid(
    (("Window",), ("Error",), ("Memory (MB)",)),
    (("10", "9.1 ± 0.3", "112"), ("20", "7.4 ± 0.2", "140"), ("40", "6.0 ± 0.4", "205"), ("80", "5.2 ± 0.2", "410")),
    "Table 5: Error by window.",
    "5",
)


@pytest.mark.parametrize(
    ("statement", "verdict"),
    [
        # Multiples in words.
        ("Deck oven with stone bakes twice as many loaves per day as Brick (Table 4).", "supported"),
        ("Steam bakes twice as many loaves per day as Brick (Table 4).", "contradicted"),
        ("Rotary has about a quarter of the FR of Brick (Table 4).", "supported"),
        ("Rotary has half the FR of Brick (Table 4).", "contradicted"),
        # What a label abbreviates, a word that only one label has, and the own method.
        ("In Table 4, the failure rate of Steam is 5.1%.", "supported"),
        ("In Table 4, the failure rate of Brick is 5.1%.", "contradicted"),
        ("In Table 4, the stone version has an accuracy of 0.90.", "supported"),
        ("In Table 4, the stone version has an accuracy of 0.86.", "contradicted"),
        ("In Table 4, the authors' method has an accuracy of 0.94.", "supported"),
        ("In Table 4, their method has an accuracy of 0.90.", "contradicted"),
        # Two values behind a comparison.
        ("Steam has a higher accuracy than Brick, 0.86 vs. 0.81 (Table 4).", "supported"),
        ("Brick has a higher accuracy than Steam, 0.86 vs. 0.81 (Table 4).", "contradicted"),
        # How many there are.
        ("Table 4 averages over nine runs.", "not checked"),
        # What a reviewer adds, and a word that restricts.
        ("In Table 4, Steam has an accuracy of 0.86, so I do not see the problem.", "supported"),
        ("In Table 4, Steam has an accuracy of 0.81, so I do not see the problem.", "contradicted"),
        ("In Table 4, Steam without salt has an accuracy of 0.86.", "place found"),
        # A value with the superlative of a column.
        ("In Table 4, accuracy of Rotary is 0.94, the highest of all ovens.", "supported"),
    ],
)
def test_in_plain_words(statement: str, verdict: str) -> None:
    assert judge(statement, BAKERS).verdict == verdict


@pytest.mark.parametrize(
    ("statement", "verdict"),
    [
        ("In Table 5, a window of 40 has a lower error than one of 20.", "supported"),
        ("In Table 5, a window of 40 has a higher error than one of 20.", "contradicted"),
        ("In Table 5, the error falls as the window grows.", "supported"),
        ("In Table 5, the error grows as the window grows.", "contradicted"),
        ("In Table 5, the error grows as the window shrinks.", "supported"),
        ("In Table 5, the error falls from 9.1 to 5.2.", "supported"),
        ("In Table 5, the error rises from 9.1 to 5.2.", "contradicted"),
        ("In Table 5, the error falls from 9.1 to 5.4.", "place found"),
        ("In Table 5, a window of 20 has an error of 7.4 ± 0.5.", "place found"),
        ("In Table 5, a window of 20 needed 140 MB.", "supported"),
        ("In Table 5, a window of 80 takes about three times as much memory as one of 20.", "supported"),
    ],
)
def test_along_rows_of_numbers(statement: str, verdict: str) -> None:
    assert judge(statement, WINDOWS).verdict == verdict


FERRIES = TableGrid(
    (("Route",), ("Year",), ("Boat",), ("Low fare (EUR)",), ("High fare (EUR)",), ("Passengers",)),
    (
        ("Island", "2011", "wooden", "12", "30", "4,200 (21.5%)"),
        ("Island", "2016", "wooden", "14", "33", "5,100 (18.2%)"),
        ("Harbour", "2011", "iron", "41", "56", "2,600 (13.3%)"),
        ("Harbour", "2016", "iron", "44", "60", "3,900 (13.9%)"),
    ),
    "Table 6: Ferries, with shares of all passengers.",
    "6",
)
GLUES = TableGrid(
    (("Glue",), ("Shear (MPa)",), ("Cured joint",)),
    (("Bone", "4.1 ± 0.3", "8.62"), ("Fish", "3.6 ± 0.2", "7.35"), ("Hide", "6.2 ± 0.5", "9.18")),
    "Table 8: Strength of joints in 2019 and 2020.",
    "8",
)


@pytest.mark.parametrize(
    ("grid", "statement", "verdict"),
    [
        # A column of years names rows.
        (FERRIES, "In Table 6, the low fare of the island in 2016 is 14.", "supported"),
        (FERRIES, "In Table 6, the low fare of the island in 2016 is 12.", "contradicted"),
        # Each side of a difference in a column of its own.
        (FERRIES, "In Table 6, the low fare of harbour in 2011 exceeds the high fare of island in 2011 by EUR 11.",
         "supported"),
        (FERRIES, "In Table 6, the low fare of harbour in 2011 exceeds the high fare of island in 2011 by EUR 29.",
         "contradicted"),
        # Shares are the percentages in brackets.
        (FERRIES, "In Table 6, the share of island passengers falls from 2011 to 2016.", "supported"),
        (FERRIES, "In Table 6, island passengers fall from 2011 to 2016.", "contradicted"),
        # A spread belongs to its number.
        (GLUES, "In Table 8, Fish has a shear of 3.6 ± 0.2 MPa.", "supported"),
        (GLUES, "In Table 8, Fish has a shear of 3.6 ± 0.5 MPa.", "place found"),
        (GLUES, "In Table 8, Fish has a shear of 6.3 ± 0.2 MPa.", "contradicted"),
        # One row and all others.
        (GLUES, "In Table 8, shear is 6.2 for Hide but below 4.5 in every other row.", "supported"),
        (GLUES, "In Table 8, shear is 6.2 for Hide but below 4 in every other row.", "contradicted"),
        # What isn't in the table: a year, a percentage of something else, the state before.
        (GLUES, "In Table 8, Bone has the highest shear of 2019.", "place found"),
        (GLUES, "In Table 8, Bone has the highest shear.", "contradicted"),
        (GLUES, "In Table 8, Bone gets 4.1, below the 70 % of Hide.", "not checked"),
        (GLUES, "In Table 8, Hide has a strength of 9.18 before curing.", "place found"),
    ],
)  # fmt: skip
def test_what_a_sentence_restricts_and_both_sides_of_a_difference(
    grid: TableGrid, statement: str, verdict: str
) -> None:
    assert judge(statement, grid).verdict == verdict


DIETS = TableGrid(
    (("Diet",), ("Weight (kg)",), ("Pct. of chicks hatched",), ("Avg. loss",), ("Egg-to-chick",)),
    (
        ("Maize (control)", "2.31", "81.2", "0.317", "1.31"),
        ("Barley", "2.08", "77.4", "0.422", "1.42"),
        ("Millet (ours)", "2.46", "88.9", "0.271", "1.18"),
    ),
    "Table 9: Hens on three diets; losses are better if lower.",
    "9",
)
OVENS = TableGrid(
    (("Oven",), ("Yield",), ("Expected",), ("Burnt part",)),
    (
        ("Brick", "4.1", "3.4", "0.7"),
        ("No steam", "7.3", "7.9", "0.3"),
        ("Steam", "8.4", "8.1", "0.2"),
        ("Deck", "3.3", "3.6", "0.9"),
    ),
    "Table 12: Ovens.",
    "12",
)
TWO = TableGrid(
    (("Hall",), ("Noise before glazing",), ("Noise after glazing",)),
    (("North", "61.2", "48.7"), ("South", "58.4", "59.9")),
    "Table 10: Noise in decibels.",
    "10",
)


@pytest.mark.parametrize(
    ("grid", "statement", "verdict"),
    [
        # Values between two numbers need not reach them.
        (DIETS, "In Table 9, all three diets have a weight between 2.0 and 2.5.", "supported"),
        (DIETS, "In Table 9, all three diets have a weight between 2.2 and 2.5.", "contradicted"),
        (DIETS, "In Table 9, the weights range from 2.0 to 2.5.", "contradicted"),
        # The word behind a superlative belongs to the measure that is named.
        (DIETS, "In Table 9, Barley shows the highest average loss.", "supported"),
        (DIETS, "In Table 9, Maize shows the highest average loss.", "contradicted"),
        # From one row's value to another's.
        (DIETS, "In Table 9, the loss drops from 0.422 with barley to 0.271 with millet.", "supported"),
        (DIETS, "In Table 9, the loss drops from 0.271 with barley to 0.422 with millet.", "place found"),
        (DIETS, "In Table 9, millet lowers the loss from 0.422 (Barley) to 0.271.", "supported"),
        # The word "ratio" as a name.
        (DIETS, "In Table 9, the ratio egg-to-chick was 1.31 for Maize and 1.42 for Barley.", "supported"),
        (DIETS, "In Table 9, the ratio egg-to-chick was 1.42 for Maize and 1.31 for Barley.", "contradicted"),
        # Others than those that another sentence names, and a name that may mean the column beside it.
        (DIETS, "In Table 9, none of the other diets gets below 0.3 in loss.", "place found"),
        (DIETS, "In Table 9, none of the three diets gets below 0.3 in loss.", "contradicted"),
        (TWO, "In Table 10, the noise before in the south hall is 59.9.", "contradicted"),
        # The worst of three, which may be others than all rows; more than a number; from a row that isn't named.
        (OVENS, "In Table 12, Brick has the lowest yield of the two plain ovens.", "place found"),
        (OVENS, "In Table 12, Brick has the lowest yield of the four ovens.", "contradicted"),
        (
            OVENS,
            "In Table 12, there is a gap of more than 3 between Steam (8.4) and Brick (4.1) in yield.",
            "supported",
        ),
        (
            OVENS,
            "In Table 12, there is a gap of more than 5 between Steam (8.4) and Brick (4.1) in yield.",
            "contradicted",
        ),
        (OVENS, "In Table 12, the yield of Steam is at least 4.3 higher than that of Brick.", "supported"),
        (OVENS, "In Table 12, the yield of Steam is more than 4.3 higher than that of Brick.", "contradicted"),
        (OVENS, "In Table 12, the gain of Steam over Brick in yield is less than 5.", "supported"),
        (OVENS, "In Table 12, the gain of Steam over Brick in yield is less than 4.", "contradicted"),
        (OVENS, "In Table 12, among Brick and Deck, Brick has the highest yield.", "place found"),
        (OVENS, "In Table 12, Deck reduces the yield from 3.3 to 8.4 compared to Steam.", "place found"),
        (OVENS, "In Table 12, without steam the yield decreases from 8.4 to 7.3.", "place found"),
        (OVENS, "In Table 12, Brick has 0.5 more loaves than expected, i.e. no burnt part.", "not checked"),
        # A share in percent of what isn't in percent.
        (OVENS, "In Table 12, the burnt part of Brick is 0.7 %.", "place found"),
        (OVENS, "In Table 12, the burnt part of Brick is 0.7.", "supported"),
        # The two numbers of a row.
        (TWO, "In Table 10, for the north hall the noise goes from 61.2 to 48.7.", "supported"),
        (TWO, "In Table 10, for the north hall the noise goes from 58.4 to 48.7.", "place found"),
    ],
)
def test_numbers_with_their_rows_and_measures(grid: TableGrid, statement: str, verdict: str) -> None:
    assert judge(statement, grid).verdict == verdict


BULBS = TableGrid(
    (("Bulb",), ("Lumen",), ("Watt",), ("Accuracy of colour",)),
    (("Old", "806", "60", "71.5"), ("New", "806", "9", "74.0")),
    "Table 11: Bulbs.",
    "11",
)


@pytest.mark.parametrize(
    ("statement", "verdict"),
    [
        ("In Table 11, New reduces the watt by 51.", "supported"),
        ("In Table 11, New reduces the watt by 41.", "contradicted"),
        ("In Table 11, New improves the accuracy of colour.", "supported"),
        ("In Table 11, Old improves the accuracy of colour.", "contradicted"),
    ],
)
def test_one_of_two_rows_is_compared_with_the_other(statement: str, verdict: str) -> None:
    assert judge(statement, BULBS).verdict == verdict
