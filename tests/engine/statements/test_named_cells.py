"""Statements that name two cells or the first of several, in any order of words, each with a false counterpart."""

from __future__ import annotations

import pytest

from engine.statements.grids import TableGrid
from engine.statements.tables import judge

KILNS = TableGrid(
    (("Kiln",), ("Accuracy",), ("Waste",), ("Heat (min)",)),
    (
        ("Alder", "71.5", "12", "40"),
        ("Birch", "78.0", "9", "55"),
        ("Cedar", "64.5", "30", "80"),
        ("Dogwood", "69.0", "24", "65"),
    ),
    "Table 3: Kilns of the workshop.",
    "3",
)
GLAZES = TableGrid(
    (("Glaze",), ("Shine",), ("Wear",)),
    (
        ("Ash", "0.81 (±0.04)", "2.1 (±0.3)"),
        ("Salt", "0.64 (±0.11)", "1.7 (±0.5)"),
        ("Tin", "0.92 (±0.02)", "1.2 (±0.9)"),
    ),
    "Table 4: Glazes, mean and standard deviation.",
    "4",
)


@pytest.mark.parametrize(
    ("true", "false"),
    [
        ("Of Alder and Birch, it is the latter that has the lower waste.",
         "Of Alder and Birch, it is the former that has the lower waste."),
        ("Set against Cedar, Birch turns out to have the lower waste.",
         "Set against Birch, Cedar turns out to have the lower waste."),
        ("Alder and Cedar both appear, and Cedar has the higher waste.",
         "Alder and Cedar both appear, and Alder has the higher waste."),
        ("The waste is higher with Cedar and lower with Birch.",
         "The waste is higher with Birch and lower with Cedar."),
        ("The accuracy of Cedar does not reach that of Birch.", "The accuracy of Birch does not reach that of Cedar."),
        ("On accuracy, Cedar is the worse choice when contrasted with Birch.",
         "On accuracy, Birch is the worse choice when contrasted with Cedar."),
        ("Exchanging Alder for Cedar raises the waste.",
         "Exchanging Cedar for Alder raises the waste."),
        ("The accuracy of Cedar is exceeded by that of Alder.", "The accuracy of Alder is exceeded by that of Cedar."),
        ("Birch and Cedar are separated by 13.5 in accuracy.", "Birch and Cedar are separated by 15.5 in accuracy."),
        ("Subtracting the accuracy of Cedar from that of Birch leaves 13.5.",
         "Subtracting the accuracy of Cedar from that of Birch leaves 17.5."),
        ("A difference of 18 separates Alder from Cedar in waste.",
         "A difference of 22 separates Alder from Cedar in waste."),
        ("With a margin of 6.5, Birch lies above Alder in accuracy.",
         "With a margin of 8.5, Birch lies above Alder in accuracy."),
        ("Divided by the waste of Alder, the waste of Cedar gives a factor of 2.5.",
         "Divided by the waste of Alder, the waste of Cedar gives a factor of 3.5."),
        ("Alder and Dogwood differ by a factor of 2 in waste.", "Alder and Dogwood differ by a factor of 4 in waste."),
    ],
)  # fmt: skip
def test_two_cells_in_any_order_of_words(true: str, false: str) -> None:
    assert judge(true, KILNS).verdict == "supported"
    assert judge(false, KILNS).verdict == "contradicted"


@pytest.mark.parametrize(
    ("true", "false"),
    [
        ("Nowhere is the waste lower than for Birch.", "Nowhere is the waste lower than for Alder."),
        ("Every other kiln has a higher waste than Birch.",
         "Every other kiln has a higher waste than Alder."),
        ("No other kiln has a waste as low as that of Birch.",
         "No other kiln has a waste as low as that of Alder."),
        ("Only one kiln, Birch, has a higher accuracy than Alder.",
         "Only one kiln, Dogwood, has a higher accuracy than Alder."),
        ("Ranking the kilns by waste would identify Cedar as the highest of the lot.",
         "Ranking the kilns by waste would identify Dogwood as the highest of the lot."),
        ("If the kilns are ordered by waste from the lowest to the highest, Birch heads the list.",
         "If the kilns are ordered by waste from the lowest to the highest, Cedar heads the list."),
        ("The largest and the smallest waste are those of Cedar and Birch, respectively.",
         "The largest and the smallest waste are those of Birch and Cedar, respectively."),
        ("With 30, Cedar marks the maximum of the waste over the kilns.",
         "With 24, Dogwood marks the maximum of the waste over the kilns."),
        ("The second-highest heat among the kilns is reported for Dogwood.",
         "The second-highest heat among the kilns is reported for Birch."),
        ("None of the remaining kilns matches Birch, which has the highest accuracy.",
         "None of the remaining kilns matches Alder, which has the highest accuracy."),
    ],
)  # fmt: skip
def test_the_first_of_several_in_any_order_of_words(true: str, false: str) -> None:
    assert judge(true, KILNS).verdict == "supported"
    assert judge(false, KILNS).verdict == "contradicted"


@pytest.mark.parametrize(
    ("true", "false"),
    [
        ("Salt has the largest standard deviation of the shine.",
         "Tin has the largest standard deviation of the shine."),
        ("Going from Ash to Tin raises the standard deviation of the wear.",
         "Going from Tin to Ash raises the standard deviation of the wear."),
    ],
)  # fmt: skip
def test_a_standard_deviation_is_the_number_beside_a_mean(true: str, false: str) -> None:
    assert judge(true, GLAZES).verdict == "supported"
    assert judge(false, GLAZES).verdict == "contradicted"


@pytest.mark.parametrize(
    "statement",
    [
        "Alder has a higher accuracy than Cedar and at the same time a higher heat.",
        "Birch has the least bias in accuracy.",
    ],
)
def test_what_is_not_compared_in_one_measure_stays_open(statement: str) -> None:
    assert judge(statement, KILNS).verdict in ("place found", "not checked")
