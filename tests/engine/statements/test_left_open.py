"""Statements that a table mustn't decide, or not by the first cells that come to mind."""

from __future__ import annotations

import pytest

from engine.statements.grids import TableGrid
from engine.statements.tables import judge

LENGTHS = TableGrid(
    (("Length",), ("Oak",), ("Elm",)),
    (("1", "9.1%", "9.0%"), ("2", "7.4%", "3.0%"), ("3", "5.2%", "5.5%"), ("4", "1.0%", "1.1%")),
    "Table 1: Share of planks by length.",
    "1",
)
QUOTAS = TableGrid(
    (("Mill",), ("Yield",), ("Mean stay (s)",), ("Accuracy",), ("Top-5%",)),
    (
        ("Ash", "31.5", "12.5", "0.81", "0.62"),
        ("Box", "28.0", "14.0", "0.77", "0.71"),
        ("Overall", "29.9", "13.1", "0.79", "0.66"),
    ),
    "Table 2: Mills.",
    "2",
)


@pytest.mark.parametrize(
    ("statement", "verdict"),
    [
        ("The share for Oak decreases steadily as length goes from 1 to 4.", "supported"),
        ("The share for Elm decreases steadily as length goes from 1 to 4.", "contradicted"),
        ("The share for Elm decreases as length goes from 1 to 4.", "supported"),
    ],
)
def test_steadily_needs_the_whole_column(statement: str, verdict: str) -> None:
    assert judge(statement, LENGTHS).verdict == verdict


@pytest.mark.parametrize(
    ("statement", "verdict"),
    [
        # Other columns are named after measures, so which yield is better isn't known.
        ("Ash has the best yield.", "place found"),
        ("Box is worse than Ash in yield.", "place found"),
        ("Ash has the highest yield.", "supported"),
        ("Ash has the best accuracy.", "supported"),
        ("Ash is more efficient than Box in yield.", "place found"),
        # A mean is no median, a second no accuracy.
        ("The median stay of Ash is 11.0 s.", "place found"),
        ("The mean stay of Ash is 11.0 s.", "contradicted"),
        ("The median stay of Ash is lower than that of Box.", "place found"),
        ("Ash takes 0.9 s in accuracy.", "place found"),
        ("Ash has 0.62 percent (Top-5).", "place found"),
        # What stands before a colon names the row.
        ("Overall: yield = 31.5.", "contradicted"),
        ("Ash: yield = 31.5.", "supported"),
    ],
)
def test_what_is_measured_and_of_whom(statement: str, verdict: str) -> None:
    assert judge(statement, QUOTAS).verdict == verdict


def test_rows_of_one_name_arent_compared() -> None:
    rows = (("Ash", "0.82"), ("Ash", "0.35"), ("Box", "0.90"))
    table = TableGrid((("Mill",), ("Score",)), rows, "Table 3: Mills.", "3")
    assert judge("Ash has the lowest score of all 3 rows.", table).verdict == "place found"


def test_both_needs_both_columns() -> None:
    rows = (("Ash", "9.1", "4.0"), ("Box", "8.0", "6.0"))
    table = TableGrid((("Mill",), ("Pine grader",), ("Fir grader",)), rows, "Table 4: Scores of two graders.", "4")
    assert judge("Both graders agree that Ash is the best mill.", table).verdict == "place found"


def test_each_clause_has_its_own_subject() -> None:
    rows = (("1", "70.1", "60.2"), ("2", "68.4", "66.4"), ("3", "72.5", "61.0"))
    table = TableGrid((("Run",), ("Precision",), ("F1",)), rows, "Table 5: Runs.", "5")
    assert judge("Run 3 has the best precision, but the best F1 goes to run 2.", table).verdict == "supported"
    assert judge("Run 3 has the best precision, but the best F1 goes to run 1.", table).verdict == "contradicted"


PARTS = TableGrid(
    (("Variant",), ("Sn",), ("No. Bolts",), ("Drop: cold vs. warm",)),
    (("Crane (ours)", "0.93", "12", "0.41"), ("w/o brake", "0.81", "9", "0.50"), ("w/o winch", "0.88", "7", "0.44")),
    "Table 6: Parts of a crane.",
    "6",
)


@pytest.mark.parametrize(
    ("statement", "verdict"),
    [
        ("Removing the brake lowers Sn by 0.12.", "supported"),
        ("Leaving out the brake costs 0.12 in Sn.", "supported"),
        ("Leaving out the winch costs 0.12 in Sn.", "contradicted"),
        ("Without brake, the sensitivity is 0.81.", "supported"),
        ("Crane has fewer bolts than w/o winch.", "contradicted"),
        ("The Sn (drop) of Crane is higher than that of w/o brake.", "place found"),
        ("Crane is below w/o brake in (Drop: cold vs. warm).", "supported"),
        ("Crane is above w/o brake in (Drop: cold vs. warm).", "contradicted"),
        ("It surprised me that the sensitivity of w/o winch is lower than that of w/o brake.", "contradicted"),
    ],
)
def test_what_a_variant_lacks(statement: str, verdict: str) -> None:
    assert judge(statement, PARTS).verdict == verdict


def test_the_one_isnt_a_row() -> None:
    rows = (("1", "7.1"), ("2", "9.4"), ("3", "8.5"))
    table = TableGrid((("Run",), ("Load",)), rows, "Table 7: Runs.", "7")
    assert (
        judge("Run 2 has a higher load than run 3, which in turn has a higher one than run 1.", table).verdict
        == "supported"
    )


def test_words_of_everyday_use_may_be_labels() -> None:
    rows = (("Capital", "12", "34"), ("Border", "19", "28"))
    table = TableGrid((("Region",), ("Switching",), ("Turns",)), rows, "Table 8: Talks.", "8")
    assert judge("Switching is higher for Border than for Capital.", table).verdict == "supported"
    assert judge("Capital needs fewer turns than Border.", table).verdict == "contradicted"


@pytest.mark.parametrize(
    ("statement", "verdict"),
    [
        ("Exactly two out of three runs have a load below 9.", "supported"),
        ("Exactly two out of three runs have a load below 8.", "contradicted"),
        ("Averaged over the 3 runs, the load is about 8.3.", "supported"),
        ("Averaged over the 3 runs, the load is about 9.3.", "contradicted"),
        # A share is meant where there is one.
        ("The idle of run 1 comes to 12%.", "supported"),
        ("The idle of run 1 comes to 14%.", "contradicted"),
        ("Two of the three runs have an idle above 11%.", "supported"),
        ("Two of the three runs have an idle above 13%.", "contradicted"),
        ("Run 2 takes more than 21 s.", "place found"),
    ],
)
def test_counts_of_numbered_rows(statement: str, verdict: str) -> None:
    columns = (("Run",), ("Load",), ("Idle", "total"), ("Idle", "%"))
    rows = (("1", "7.1", "60", "12.0%"), ("2", "9.4", "75", "15.0%"), ("3", "8.5", "50", "10.0%"))
    assert judge(statement, TableGrid(columns, rows, "Table 9: Runs.", "9")).verdict == verdict


READERS = TableGrid(
    (("Reader",), ("LetterBank",), ("MailQA",)),
    (("Plain", "78.2", "64.9"), ("Gated", "81.4", "66.0")),
    "Table 1: Accuracy of the readers in percent.",
    "1",
)


@pytest.mark.parametrize(
    ("statement", "verdict"),
    [
        ("Gated has an accuracy of 81.4 on LetterBank.", "supported"),
        ("Gated reaches 81.4 on LetterBank.", "supported"),
        ("Gated reaches 81 on LetterBank after rounding.", "supported"),
        # Another measure, or a condition that the table doesn't have.
        ("Gated has a recall of 81.4 on LetterBank.", "place found"),
        ("Gated has a recall of 78.2 on LetterBank.", "place found"),
        ("Gated reaches 81.4 seconds on LetterBank.", "place found"),
        ("Gated reaches 81.4 on LetterBank after tuning on the test set.", "place found"),
        ("Pretrained on a private corpus, Gated reaches 81.4 on LetterBank.", "place found"),
        ("Gated reaches 81.4 on LetterBank in the zero-shot setting.", "place found"),
    ],
)
def test_measures_and_conditions_of_other_cells(statement: str, verdict: str) -> None:
    assert judge(statement, READERS).verdict == verdict


SECTIONS = TableGrid(
    (("System",), ("Recall",)),
    (("", "Whole document"), ("Gull", "4.2"), ("Tern", "4.9"), ("Rook", "4.4"),
     ("", "Highlights"), ("Gull", "15.4"), ("Tern", "16.4"), ("Rook", "130")),
    "Table 1: Recall.",
    "1",
)  # fmt: skip


@pytest.mark.parametrize(
    ("statement", "verdict"),
    [
        # Within its part, or among all rows?
        ("Gull on the whole document has the third-highest recall.", "place found"),
        ("Gull on the whole document has a recall of 4.2.", "supported"),
        # How round is open.
        ("In round numbers, the recall of Rook on highlights is 100.", "place found"),
        ("The recall of Rook on highlights is 100.", "contradicted"),
    ],
)
def test_ranks_within_parts_and_round_numbers(statement: str, verdict: str) -> None:
    assert judge(statement, SECTIONS).verdict == verdict
