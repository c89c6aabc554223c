"""Ranks, ranges, counts and passives in their many forms, each with a true and a false statement."""

from __future__ import annotations

import pytest

from engine.statements.grids import TableGrid
from engine.statements.tables import judge

MILLS = TableGrid(
    (("Mill",), ("Sails",), ("Grinding error (%)",), ("Flour (kg)",), ("5th %",)),
    (
        ("Ash Hill", "4", "3.1", "210", "0.21"),
        ("Birch", "6", "2.4", "350", "0.35"),
        ("Cedar", "4", "5.8", "180", "0.18"),
        ("Dove", "8", "4.0", "275", "0.42"),
        ("Total", "22", "", "1015", ""),
    ),
    "Table 3: Mills of the county.",
    "3",
)
ROUTES = TableGrid(
    (("train",), ("test",), ("Minutes",), ("Fare",)),
    (
        ("harbour", "harbour", "12", "2.5"),
        ("harbour", "castle", "31", "4.0"),
        ("harbour with bags", "castle", "36", "5.5"),
        ("castle", "castle", "18", "3.0"),
    ),
    "Table 4: Routes of the tram.",
    "4",
)


@pytest.mark.parametrize(
    ("true", "false"),
    [
        ("Per Table 3, Dove has the second-highest flour.", "Per Table 3, Dove has the third-highest flour."),
        ("Dove ranks second in flour when sorted from highest to lowest, see Table 3.",
         "Dove ranks third in flour when sorted from highest to lowest, see Table 3."),
        ("Dove comes third when the mills are ordered from smallest to largest flour, if I read Table 3 correctly.",
         "Dove comes fourth when the mills are ordered from smallest to largest flour, if I read Table 3 correctly."),
        ("The second place from the bottom in flour goes to Ash Hill.",
         "The second place from the top in flour goes to Ash Hill."),
        ("Going by Table 3, only one of the mills has a higher flour than Dove.",
         "Going by Table 3, only two of the mills have a higher flour than Dove."),
        ("None of the other mills has a lower flour than Cedar.",
         "None of the other mills has a lower flour than Dove."),
        ("Cedar is outperformed by Birch in grinding error.", "Birch is outperformed by Cedar in grinding error."),
        ("The smallest and the largest flour are 180 and 350.", "The smallest and the largest flour are 180 and 310."),
        ("The lowest flour is 180 kg and the highest is 350 kg.",
         "The lowest flour is 210 kg and the highest is 350 kg."),
        ("Values of the flour run from 180 to 350.", "Values of the flour run from 180 to 290."),
        ("Across the mills, the flour ranges from 180 to 350.", "Across the mills, the flour ranges from 190 to 350."),
        ("Out of the four mills, three have a flour of more than 200.",
         "Out of the four mills, two have a flour of more than 200."),
        ("Two of the four mills exceed a flour of 250 (Table 3).", "Three of the four mills exceed a flour of 250."),
        ("Two out of four mills show a flour larger than 250.", "One out of four mills shows a flour larger than 250."),
        ("Compared with Cedar, Dove shows a higher flour.", "Compared with Dove, Cedar shows a higher flour."),
        ("Birch has a lower grinding error than Cedar (2.4 vs. 5.8).",
         "Birch has a lower grinding error than Cedar (5.8 vs. 2.4)."),
        ("Birch has the highest flour and the lowest grinding error.",
         "Birch has the highest flour and the highest grinding error."),
        ("The 5th percentile amounts to 18 per cent for Cedar.", "The 5th percentile amounts to 0.18% for Cedar."),
    ],
)  # fmt: skip
def test_ranks_ranges_counts_and_passives(true: str, false: str) -> None:
    assert [judge(s, MILLS).verdict for s in (true, false)] == ["supported", "contradicted"]


@pytest.mark.parametrize(
    ("true", "false"),
    [
        ("Training on harbour and testing on castle has the second-highest fare.",
         "Training on harbour and testing on castle has the highest fare."),
        ("Training on harbour and testing on harbour has lower minutes than training on castle and testing on castle.",
         "Training on castle and testing on castle has lower minutes than training on harbour and testing on harbour."),
    ],
)  # fmt: skip
def test_two_columns_name_a_row(true: str, false: str) -> None:
    assert [judge(s, ROUTES).verdict for s in (true, false)] == ["supported", "contradicted"]


RATES = TableGrid(
    (("Species",), ("Rate",)),
    (("Human", "12.1"), ("Mouse", "4.2"), ("Rat", "9.3"), ("Dog", "2.0"), ("Total", "27.6")),
    "Table 6: Rates of the species.",
    "6",
)


def test_totals_are_no_values_of_a_range_but_rows_with_other_common_names_are() -> None:
    assert judge("Rate ranges from 2.0 to 12.1.", RATES).verdict == "supported"
    assert judge("Rate ranges from 2.0 to 9.3.", RATES).verdict == "contradicted"


def test_two_numbers_of_a_reversed_comparison_may_stand_in_either_order() -> None:
    assert judge("Compared to Cedar, Birch has a lower grinding error (2.4 vs. 5.8).", MILLS).verdict != "contradicted"


def test_how_close_a_number_is_stays_open() -> None:
    assert judge("The flour of Dove is close to 280.", MILLS).verdict == "supported"
    assert judge("The flour of Dove is close to 290.", MILLS).verdict != "contradicted"


def test_an_unnamed_passive_or_verb_decides_nothing() -> None:
    passive = "The error-prone Cedar is outperformed by the old and small Birch in grinding error."
    assert judge(passive, MILLS).verdict not in ("supported", "contradicted")
    assert judge("In flour, Cedar hurts more than Birch.", MILLS).verdict == "place found"


STACKED = TableGrid(
    (("Depth",), ("North",), ("South",)),
    (
        ("Lake A", "4.1", "5.2"),
        ("Lake B", "6.3", "7.4"),
        ("Width", "North", "South"),
        ("Lake A", "91.0", "82.0"),
        ("Lake B", "73.0", "64.0"),
    ),
    "Table 5: Lakes.",
    "5",
)


def test_the_corner_is_the_section_of_the_first_part_of_a_stacked_table() -> None:
    assert judge("The depth of North ranges from 4.1 to 6.3.", STACKED).verdict == "supported"
    assert judge("The width of Lake A in North is 91.0.", STACKED).verdict == "supported"
    assert judge("The depth of Lake A in North is 6.3.", STACKED).verdict == "contradicted"


SIZES = TableGrid(
    (("Shape",), ("n",), ("Ours (ms)",), ("Saw (ms)",)),
    (
        ("Round", "500", "0.2", "0.9"),
        ("", "1,000", "0.5", "2.4"),
        ("Star", "500", "0.3", "0.8"),
        ("", "1,000", "0.7", "3.1"),
    ),
    "Table 6: Time for polygons.",
    "6",
)


def test_whole_numbers_with_commas_name_rows() -> None:
    assert judge("For star polygons with n = 1,000, Saw takes 3.1 ms.", SIZES).verdict == "supported"
    assert judge("For star polygons with n = 1,000, Saw takes 0.8 ms.", SIZES).verdict == "contradicted"


VOTES = TableGrid(
    (("Characteristic",), ("East",), ("West",)),
    (("N", "799", "800"), ("Female (%)", "52.8", "51.5"), ("Male (%)", "47.2", "48.5")),
    "Table 7: Voters.",
    "7",
)


def test_shares_in_rows_are_percentages() -> None:
    assert judge("In East, the fraction of women is 0.528.", VOTES).verdict == "supported"
    assert judge("In West, the percentage of men is 47.2%.", VOTES).verdict == "contradicted"
