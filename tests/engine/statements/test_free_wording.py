"""Statements in free wording: what is measured by adjectives and verbs, and cells compared in any words."""

from __future__ import annotations

import dataclasses

import pytest

from engine.documents.records import Box
from engine.documents.tables import Cell, Row, Table, number_in
from engine.statements.grids import TableGrid
from engine.statements.tables import judge, judge_in_document

LAKES = TableGrid(
    (("Lake",), ("Depth (m)",), ("Clarity",), ("Fish in 2010",), ("Fish in 2020",)),
    (("Orm", "41", "0.62", "310", "250"), ("Tarn", "12", "0.48", "120", "160"), ("Mere", "25", "0.55", "90", "45"),
     ("Old Tarn", "8", "0.31", "70", "68")),
    "Table 1: Lakes of the valley.",
)  # fmt: skip
MILLS = TableGrid(
    (("Method",), ("Accuracy",), ("F1",), ("Leakage",)),
    (
        ("Full", "84.1", "80.2", "3.1"),
        ("without sieve", "78.8", "75.0", "4.2"),
        ("without belt", "81.6", "77.1", "3.9"),
    ),
    "Table 2: Parts of the mill.",
)
CROPS = TableGrid(
    (("Group",), ("Share α",), ("n",)),
    (("A", "0.7", "80"), ("H", "0.4", "100"), ("N", "0.9", "50")),
    "Table 3: Shares of 230 fields.",
)
PATCHES = TableGrid((("Patch",), ("Width",)), (("(3 × 3)", "12.5"), ("(5 × 5)", "14.5")), "Table 8: Patches.")
BUDGETS = TableGrid(
    (("", "Way"), ("∆Y ≤ 1pp", "Loss"), ("∆Y ≤ 3pp", "Loss"), ("∆Y ≤ 5pp", "Loss")),
    (("PCA", "18.3", "[BOLD] 18.6", "18.5"), ("PCA+Cov", "9.6", "8.9", "8.7"), ("LDA", "[BOLD] 4.1", "3.8", "3.0")),
    "Table 4: Budgets.",
)


@pytest.mark.parametrize(
    ("grid", "true", "false"),
    [
        (LAKES, "Orm is deeper than Mere.", "Mere is deeper than Orm."),
        (LAKES, "Old Tarn is the shallowest of the four lakes.", "Orm is the shallowest of the four lakes."),
        (LAKES, "Tarn is 13 m shallower than Mere.", "Tarn is 18 m shallower than Mere."),
        (MILLS, "In accuracy, Full outranks without belt.", "In accuracy, without sieve outranks Full."),
        (LAKES, "The depth tumbles from Orm to Mere.", "The depth tumbles from Mere to Orm."),
        (LAKES, "Going from Mere to Orm buys 16 m of depth more.", "Going from Mere to Orm buys 19 m of depth more."),
        (LAKES, "Between Tarn and Orm, the depth differs by 29 m.", "Between Tarn and Orm, the depth differs by 21 m."),
        (LAKES, "Tarn has less than a third of the depth of Orm.", "Tarn has less than a fifth of the depth of Orm."),
        (LAKES, "A clarity of 0.48 is reported for Tarn.", "A clarity of 0.48 is reported for Mere."),
        (LAKES, "160 fish in 2020 were counted in Tarn.", "310 fish in 2020 were counted in Tarn."),
        (LAKES, "Clarity drops to 0.31 in Old Tarn.", "Clarity drops to 0.41 in Old Tarn."),
        (LAKES, "Orm is in the valley, while its clarity is above that of Tarn.",
         "Orm is in the valley, while its clarity is below that of Tarn."),
        (LAKES, "Tarn is lower than Mere (0.48 vs. 0.55).", "Tarn is higher than Mere (0.48 vs. 0.55)."),
        (MILLS, "Removing the sieve costs 5.3 points of accuracy.", "Removing the sieve costs 3.5 points of accuracy."),
        (MILLS, "Without sieve leaks more than without belt.", "Without belt leaks more than without sieve."),
        (CROPS, "The share alpha of h is below that of n.", "The share alpha of h is above that of n."),
        (PATCHES, "The width of the 3x3 patch is 12.5.", "The width of the 3x3 patch is 13.5."),
        (CROPS, "For A, n is 80 of the 230 fields.", "For A, n is 90 of the 230 fields."),
        (CROPS, "H and N do not have the same share α.", "H and N have the same measured share α."),
        (BUDGETS, "For PCA, Loss is highest under ∆Y ≤ 3pp.", "For PCA, Loss is highest under ∆Y ≤ 1pp."),
        (BUDGETS, "PCA has more Loss for ∆Y ≤ 3pp than for ∆Y ≤ 1pp.",
         "PCA has less Loss for ∆Y ≤ 3pp than for ∆Y ≤ 1pp."),
    ],
)  # fmt: skip
def test_what_is_said_freely_is_decided(grid: TableGrid, true: str, false: str) -> None:
    assert (judge(true, grid).verdict, judge(false, grid).verdict) == ("supported", "contradicted")


@pytest.mark.parametrize(
    ("grid", "statement"),
    [
        (LAKES, "All seven lakes have a clarity above 0.3."),
        (LAKES, "More fish vanished in Orm than in Mere."),
        (LAKES, "Clarity rises to 0.31 in Old Tarn."),
        (MILLS, "Without sieve hurts more than without belt."),
        (LAKES, "It is deeper than before."),
    ],
)
def test_what_is_not_known_stays_open(grid: TableGrid, statement: str) -> None:
    assert judge(statement, grid).verdict in ("place found", "not checked")


def test_a_value_of_another_column_is_not_that_of_the_stated_cause() -> None:
    grid = TableGrid(
        (("",), ("plain",), ("joined",), ("split",)), (("Mean error", "17.02", "13.18", "9.78"),), "Table 5."
    )
    assert judge("The mean error drops from 17.02 to 9.78 with split.", grid).verdict == "supported"
    assert judge("The mean error drops from 17.02 to 9.78 with joined.", grid).verdict == "contradicted"


def placed(number: str, caption: str, *lines: tuple[str, ...]) -> Table:
    rows = []
    for n, line in enumerate(lines):
        boxes = [Box(1, 100.0 * c, 12.0 * n, 100.0 * c + 40, 12.0 * n + 8) for c in range(len(line))]
        cells = (
            Cell(t, b, c, "p", 0, len(t), *(number_in(t) or ()))
            for c, (t, b) in enumerate(zip(line, boxes, strict=True))
        )
        rows.append(Row(tuple(cells), header=not n))
    return Table(number, caption, f"c{number}", ("p",), 1, tuple(rows))


def test_a_table_with_fewer_other_words_decides_although_another_has_more_of_the_names() -> None:
    lines = (("Expert", "Krill α"), ("PE", "0.68"), ("DA", "0.80"), ("QA", "0.75"))
    shares = placed("1", "Table 1: Scores.", *lines)
    long = placed(
        "2", "Table 2: Tides.", ("Bay", "Partial Ebb (PE)", "Deep Arm (DA)"), ("x", "1.5", "2.5"), ("y", "2.1", "3.5")
    )
    found = judge_in_document("PE has a higher Krill alpha than DA.", [long, shares])
    assert found is not None and found.judgement.verdict == "contradicted" and found.table.number == "1"
    ordered = judge_in_document("Ordered from high to low by Krill α, we get DA, QA and PE.", [shares])
    assert ordered is not None and ordered.judgement.verdict == "supported"


def test_rows_that_differ_by_a_mark_are_two_rows() -> None:
    grid = TableGrid((("Agent",), ("Success",)), (("Human", "67.6"), ("Human†", "65.8"), ("Bot", "55.1")), "Table 7.")
    assert judge("Human has a success of 67.6.", grid).verdict == "supported"
    assert judge("Human has a success of 65.8.", grid).verdict != "supported"


def test_a_mean_that_one_cell_has_is_a_value() -> None:
    grid = dataclasses.replace(LAKES, caption="Table 1: Lakes.")
    assert judge("The depth of Tarn is 12 m on average.", grid).verdict == "supported"
