"""How many rows pass a test, in many words, and averages and extremes over rows."""

import pytest

from engine.statements.grids import TableGrid
from engine.statements.tables import judge

BAKERIES = TableGrid(
    (("Bakery",), ("Loaves",), ("Crust (mm)",), ("Salt (%)",), ("Rating",)),
    (
        ("Rye House", "410", "4.2", "1.8", "7.1 ± 0.4"),
        ("Rye House with seeds", "380", "3.9", "1.9", "7.9 ± 0.3"),
        ("Oak Lane", "275", "2.6", "1.4", "6.4 ± 0.9"),
        ("Mill Corner", "520", "3.1", "2.2", "8.3 ± 0.2"),
        ("Harbour Street", "190", "5.0", "1.6", "5.5 ± 1.1"),
        ("Total", "1775", "", "", ""),
    ),
    "Table 3: Bakeries of the town in a blind tasting.",
    "3",
)
DILUTIONS = TableGrid(
    (("Dilution",), ("Cells",), ("Yield",)),
    (
        ("undiluted", "900", "0.91"),
        ("5 ml", "310", "0.84"),
        ("10 ml", "260", "0.80"),
        ("20 ml", "140", "0.66"),
        ("40 ml", "75", "0.41"),
    ),
    "Table 4: Cells after dilution.",
    "4",
)


@pytest.mark.parametrize(
    ("statement", "verdict"),
    [
        ("The dilutions span a yield from 0.41 up to 0.91.", "supported"),
        ("The dilutions span a yield from 0.66 up to 0.91.", "contradicted"),
    ],
)
def test_the_ends_of_a_range_are_the_least_and_the_most(statement: str, verdict: str) -> None:
    assert judge(statement, DILUTIONS).verdict == verdict


@pytest.mark.parametrize(
    ("true", "false"),
    [
        (
            "Fewer than half of the five bakeries have a crust of more than 4 mm (Table 3).",
            "Fewer than half of the five bakeries have a crust of more than 3 mm (Table 3).",
        ),
        (
            "The condition of a crust above 3.5 mm is met by three out of five bakeries.",
            "The condition of a crust above 3.5 mm is met by two bakeries, no more and no fewer.",
        ),
        ("We count three bakeries with a crust above 3.5 mm.", "We count four bakeries with a crust above 3.5 mm."),
        (
            "Two of the five bakeries have a salt between 1.7 and 2.0.",
            "Three of the five bakeries have a salt between 1.7 and 2.0.",
        ),
        (
            "None of the five bakeries has a crust outside the interval from 2.6 to 5 mm, and both ends are attained.",
            "None of the five bakeries has a crust outside the interval from 3 to 5 mm.",
        ),
        (
            "Harbour Street is the sole bakery whose crust exceeds 4.5 mm.",
            "Oak Lane constitutes the sole case among the bakeries in which the crust exceeds 4 mm.",
        ),
        ("Mill Corner alone surpasses the mark of 2.0 on salt.",
         "Mill Corner alone surpasses the mark of 1.8 on salt."),
        (
            "Apart from Mill Corner, none of the bakeries has a salt above 2.",
            "With the exception of Oak Lane, no bakery has a salt above 2.",
        ),
        (
            "There is a single one of the bakeries whose loaves are above 500, namely Mill Corner.",
            "There is a single one of the bakeries whose loaves are above 500, namely Oak Lane.",
        ),
        (
            "Only the Rye House bakery with seeds has a salt between 1.85 and 2.",
            "Only the Rye House bakery with seeds has a salt above 1.85.",
        ),
        (
            "Only two of the bakeries have a salt below 1.7, the other three do not.",
            "Only three of the bakeries have a salt below 1.7, the other two do not.",
        ),
        ("There is not a single one among the bakeries whose crust is below 2.5 mm.",
         "There is not a single one among the bakeries whose crust is below 3 mm."),
        ("The salt never drops below 1.4 for any of the bakeries.",
         "The salt never drops below 1.5 for any of the bakeries."),
        ("At least four of the bakeries have more than two hundred loaves.", ""),
        (
            "The mean crust over the five bakeries is about 3.76 mm.",
            "The mean crust over the five bakeries is about 4.36 mm.",
        ),
        (
            "Across the bakeries, 2.6 is the minimum and 5.0 the maximum of the crust.",
            "2.6 and 4.2 are the extremes of the crust over the five bakeries.",
        ),
        (
            "Exactly two of the five bakeries have a standard deviation of the rating above 0.5.",
            "Exactly four of the five bakeries have a standard deviation of the rating above 0.5.",
        ),
    ],
)  # fmt: skip
def test_what_is_true_is_supported_and_what_is_false_contradicted(true: str, false: str) -> None:
    assert judge(true, BAKERIES).verdict == "supported"
    if false:
        assert judge(false, BAKERIES).verdict == "contradicted"


def test_rows_of_a_series_are_counted_without_the_one_beside_them() -> None:
    assert judge("The mean yield over the four dilutions is about 0.678.", DILUTIONS).verdict == "supported"
    assert judge("The mean yield over the four dilutions is about 0.724.", DILUTIONS).verdict == "contradicted"
    assert judge("The cells stay below four hundred for every dilution.", DILUTIONS).verdict != "contradicted"


@pytest.mark.parametrize(
    "statement",
    [
        "All three bakeries of the old town have a crust above 3 mm.",  # which three is unknown
        "None of the bakeries with at least 300 loaves has a salt below 1.7.",  # two tests
        "Nearly all bakeries have a crust above 3 mm.",
        "Only the Rye House bakeries have a crust above 3.5 mm.",
        "After the strike, all five bakeries have a crust above 3 mm.",
        "Two of the five bakeries have a humidity above 3.",
        "The mean crust was worst in the last of our five bakeries, at 2.2 mm.",  # not an average over them
        "None of the organic bakeries has a crust above 4.5 mm.",
    ],
)
def test_what_a_table_cannot_tell_stays_open(statement: str) -> None:
    assert judge(statement, BAKERIES).verdict in ("place found", "not checked")


RACES = TableGrid(
    (("Boat",), ("Bay ↑",), ("River ↑",), ("Lake ↑",), ("Canal ↑",)),
    (("Kestrel", "61", "58", "70", "44"), ("Plover", "55", "52", "73", "40"), ("Grebe", "40", "39", "41", "38")),
    "Table 5: Points of three boats in four races; higher is better.",
    "5",
)


@pytest.mark.parametrize(
    ("true", "false"),
    [
        (
            "Kestrel is better than Plover on three of the four races, Lake being the exception.",
            "Kestrel is better than Plover on three of the four races, River being the exception.",
        ),
        ("Kestrel is better than Plover in every race bar one, Lake.",
         "Kestrel is better than Plover in every race bar Bay."),
    ],
)  # fmt: skip
def test_a_comparison_holds_for_all_but_the_exceptions(true: str, false: str) -> None:
    assert judge(true, RACES).verdict == "supported"
    assert judge(false, RACES).verdict == "contradicted"
