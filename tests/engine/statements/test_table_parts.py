"""Statements that say several things, that speak of the own method, and rows named by all their labels."""

from __future__ import annotations

import pytest

from engine.documents.tables import number_in
from engine.statements.grids import TableGrid, lay_out
from engine.statements.table_words import read
from engine.statements.tables import judge

FILTERS = TableGrid(
    (("Filter",), ("Distortion ↓",), ("WER ↓",), ("Accuracy ↑",)),
    (
        ("Plain", "0.96", "11.2", "70.1"),
        ("Wiener", "0.77", "14.9", "73.0"),
        ("Kalman", "0.71", "10.4", "74.5"),
        ("Deep", "[BOLD] 0.52", "[BOLD] 8.1", "[BOLD] 80.2"),
    ),
    "Table 1: Enhancement of noisy speech.",
    "1",
)


@pytest.mark.parametrize(
    ("statement", "verdict"),
    [
        ("Wiener has a lower distortion, but a higher WER than Plain.", "supported"),
        ("Wiener has a lower distortion, but a lower WER than Plain.", "contradicted"),
        ("Wiener has a lower distortion than Plain and is better than Kalman in accuracy.", "contradicted"),
        ("Kalman has a lower distortion than Wiener and improves over Plain in accuracy.", "supported"),
        ("Kalman achieves an accuracy of 74.5, which is 4.4 points higher than Plain.", "supported"),
        ("Kalman achieves an accuracy of 74.5, which is 6.4 points higher than Plain.", "contradicted"),
        # Whether the measure is meant for both is open, which makes no difference to the first of these.
        ("Wiener is worse than Kalman but better than Plain in accuracy.", "supported"),
        ("Wiener is better than Plain but worse than Kalman in WER.", "place found"),
        ("Deep is better than all other filters, and Kalman is better than Wiener.", "supported"),
        ("Deep is better than all other filters, as Kalman is worse than Wiener.", "contradicted"),
        (
            "Plain is not better than the other filters, as Kalman and Deep both outperform Plain in accuracy.",
            "supported",
        ),
        # Another part that the table says nothing of leaves a wrong one wrong.
        ("Listeners were asked whether they were tired: Kalman has a lower accuracy than Wiener.", "contradicted"),
        ("Listeners were asked whether they were tired: Kalman has a higher accuracy than Wiener.", "place found"),
    ],
)
def test_each_part_is_decided_and_all_must_hold(statement: str, verdict: str) -> None:
    assert judge(statement, FILTERS).verdict == verdict


@pytest.mark.parametrize(
    ("statement", "verdict"),
    [
        ("Our approach outperforms all other methods in accuracy.", "supported"),
        ("The proposed method does not have the lowest WER.", "contradicted"),
        ("Our approach has the highest WER.", "place found"),
    ],
)
def test_the_own_method_is_the_last_row_where_it_has_most_of_the_bold_cells(statement: str, verdict: str) -> None:
    assert judge(statement, FILTERS).verdict == verdict
    plain = TableGrid(FILTERS.columns, tuple(tuple(c.removeprefix("[BOLD] ") for c in r) for r in FILTERS.rows))
    assert judge(statement, plain).verdict not in ("supported", "contradicted")


@pytest.mark.parametrize(
    ("statement", "verdict"),
    [
        ("Deep shows better accuracy.", "supported"),
        ("Deep does not show better accuracy.", "contradicted"),
        ("Plain shows better accuracy.", "contradicted"),
        ("Kalman shows better accuracy.", "place found"),
    ],
)
def test_what_is_better_than_nothing_named_is_compared_with_all(statement: str, verdict: str) -> None:
    assert judge(statement, FILTERS).verdict == verdict


@pytest.mark.parametrize(
    "statement",
    [
        "In Table 1, Deep has the highest accuracy, showing that learning helps.",
        "In Table 1, Deep has the highest accuracy, which means that listeners prefer it.",
    ],
)
def test_what_the_table_cannot_show_leaves_a_statement_open(statement: str) -> None:
    assert judge(statement, FILTERS).verdict == "place found"
    assert judge(statement.replace("highest", "lowest"), FILTERS).verdict == "contradicted"
    assert judge(statement.partition(", ")[2].partition(", ")[0] + ".", FILTERS).verdict == "supported"


def test_a_part_without_a_comparison_must_be_of_the_tables_words() -> None:
    assert judge("Deep is on the list, while Kalman has a lower WER than Wiener.", FILTERS).verdict == "supported"
    assert judge("Deep is robust, while Kalman has a lower WER than Wiener.", FILTERS).verdict == "place found"


MODELS = TableGrid(
    (("Model",), ("Size",), ("Training",), ("Accuracy (%)",)),
    (
        ("Reader", "7B", "SFT", "61.0"),
        ("Reader", "13B", "SFT", "64.2"),
        ("Writer (chat)", "7B", "RL", "66.5"),
        ("Writer (chat)", "13B", "RL", "71.3"),
    ),
    "Table 4: Accuracy on questions.",
    "4",
)


@pytest.mark.parametrize(
    ("statement", "verdict"),
    [
        ("The accuracy of Writer (chat) 13B RL is 71.3%.", "supported"),
        ("The accuracy of Writer (chat) 13B RL is 66.5%.", "contradicted"),
        ("Reader 13B has an accuracy of 64.2 %.", "supported"),
        ("Reader 13B SFT outperforms Writer (chat) 7B RL.", "contradicted"),
        ("The accuracy of Writer (chat) 13B exceeds that of Reader 13B by 7.1 points.", "supported"),
    ],
)
def test_a_row_is_named_by_all_its_labels_with_a_size_among_them(statement: str, verdict: str) -> None:
    assert judge(statement, MODELS).verdict == verdict


WORKS = TableGrid(
    (("System",), ("BLEU",)), (("Miller et al. (2019)", "24.5"), ("Ours", "27.9")), "Table 5: Generation.", "5"
)


@pytest.mark.parametrize("work", ["Miller et al. (2019)", "Miller"])
def test_a_work_is_found_by_its_first_author(work: str) -> None:
    assert judge(f"{work} has a BLEU of 24.5.", WORKS).verdict == "supported"
    assert judge(f"Ours has a lower BLEU than {work}.", WORKS).verdict == "contradicted"


@pytest.mark.parametrize(
    ("cell", "value"),
    [
        ("35.2 (+6.0)", 35.2),
        ("35.2 ↑", 35.2),
        ("35.2 ↓1.2", 35.2),
        ("83.9 [81.2, 85.1]", 83.9),
        ("0.17 (3 · 10−4)", 0.17),
    ],
)
def test_a_number_has_its_change_or_interval_beside_it(cell: str, value: float) -> None:
    assert (number_in(cell) or (None,))[0] == value


def test_a_count_that_is_denied_is_contradicted() -> None:
    assert judge("Wiener does not have the lowest WER on any of the rows.", FILTERS).verdict != "contradicted"
    assert judge("Three of the four filters have an accuracy above 72.", FILTERS).verdict == "supported"
    assert (
        judge("It is not so that exactly three of the four rows have an accuracy above 72.", FILTERS).verdict
        != "supported"
    )


KILNS = TableGrid(
    (("Kiln",), ("Firing time pre/post",), ("Fuel pre/post",), ("Heat",)),
    (
        ("Tunnel", "1040s / 63s (16.5x)", "11.2gb / 0.5 gb (22.4x)", "8.2 ± 0.4"),
        ("Beehive", "5352s / 35s (153x)", "54.4gb / 0.4gb (136x)", "6.1 ± 0.9"),
    ),
    "Table 5: Kilns with a new lining.",
    "5",
)


@pytest.mark.parametrize(
    ("statement", "verdict"),
    [
        ("The firing time of Tunnel before is 1040 s.", "supported"),
        ("The firing time of Tunnel before is 63 s.", "contradicted"),
        ("The fuel of Beehive after is 0.4 GB.", "supported"),
        ("The firing time of Tunnel after is 63 minutes.", "contradicted"),
        ("The standard deviation of the heat of Beehive is 0.9.", "supported"),
        ("The standard deviation of the heat of Tunnel is 0.9.", "contradicted"),
        ("Beehive has the larger standard deviation of the heat than Tunnel.", "supported"),
        ("The heat of Tunnel is 8.2 with a standard deviation of 0.4.", "place found"),
        ("The standard deviation of the fuel of Tunnel before is 11.2.", "place found"),
    ],
)
def test_two_numbers_of_a_cell_are_told_apart(statement: str, verdict: str) -> None:
    assert judge(statement, KILNS).verdict == verdict


@pytest.mark.parametrize(
    ("statement", "verdict"),
    [
        ("Reviewer 2 wonders about the firing time of Beehive before, which amounts to 5352 s.", "supported"),
        ("A careful reader finds a heat of 6.1 for Tunnel.", "contradicted"),
        ("From Tunnel to Beehive, the heat changes from 8.2 to 6.1.", "supported"),
        ("From Tunnel to Beehive, the heat changes from 6.1 to 8.2.", "contradicted"),
        ("Lowest heat among the kilns: Beehive.", "supported"),
        ("It should be noted that Tunnel has the lowest heat.", "contradicted"),
    ],
)
def test_words_about_reporting_are_left_out(statement: str, verdict: str) -> None:
    assert judge(statement, KILNS).verdict == verdict


def test_a_sign_names_a_column_by_what_it_stands_for() -> None:
    grid = TableGrid(
        (("Age",), ("n",), ("%",), ("reference (%)",)),
        (("0-9", "120", "24", "31"), ("10-19", "380", "76", "69")),
        "",
        "6",
    )
    assert judge("The share of participants of 0-9 is 24%.", grid).verdict == "supported"
    assert judge("The reference share of participants of 0-9 is 24%.", grid).verdict == "contradicted"
    assert judge("The number of participants of 10-19 is 380.", grid).verdict == "supported"
    assert judge("The number of participants of 10-19 is 120.", grid).verdict == "contradicted"


def test_parts_of_one_name_are_one_mention() -> None:
    grid = TableGrid(
        (("Data",), ("Hours",)), (("Mouse (Oases)", "7.1"), ("Mouse (Trinity)", "6.2"), ("Yeast (Trinity)", "3"))
    )
    assert read("The mouse assembly with Trinity took 6.2.", lay_out(grid)).text == "M0 took N0 ."
    assert judge(
        "240 MB has the largest Hours.", TableGrid(grid.columns, (("240 MB", "3"), ("90 MB", "2")))
    ).verdict == ("supported")


@pytest.mark.parametrize(
    "statement",
    [
        "Whether or not the text says so, the heat of Tunnel is 8.3.",
        "Table 5 contradicts any claim that Beehive has a lower heat than Tunnel.",
        "The table does not support a preference for Beehive: its heat is lower.",
        "The fuel of Tunnel after is 0.5 per thousand.",
        "Beehive has the lowest heat and also the most visitors.",
        "What one learns about Hoffmann kilns from the comparison of the new linings is a heat of 8.2.",
        "For none of the kilns in the lining comparison does the fuel before exceed the fuel after.",
    ],
)
def test_what_denies_doubts_or_says_more_is_never_supported(statement: str) -> None:
    assert judge(statement, KILNS).verdict != "supported"


def test_units_of_storage_say_nothing_about_lengths() -> None:
    grid = TableGrid(
        (("Run",), ("total length (bases)",), ("RAM",)), (("A", "4549253", "2.1"), ("B", "4549100", "3.4")), "", "7"
    )
    assert judge("The total length of A is about 4.55 Mb.", grid).verdict not in ("supported", "contradicted")
    assert judge("The RAM of A is 2.1 GB.", grid).verdict == "supported"
