"""Statements about the tables of a document: its headings, and which of its tables a sentence is about."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.documents.records import Box
from engine.documents.tables import Cell, Row, Table, number_in
from engine.statements.grids import grid_of
from engine.statements.tables import judge_in_document


def _cell(text: str, x0: float, x1: float, y: float, column: int) -> Cell:
    number = number_in(text)
    return Cell(text, Box(1, x0, y, x1, y + 10), column, "p", 0, len(text), *(number or ()))


def _row(y: float, *texts: str) -> Row:
    return Row(tuple(_cell(t, 50 * n, 50 * n + 30, y, n) for n, t in enumerate(texts)), header=not texts[0])


TABLE = Table(
    "7",
    "Table 7: Parsing.",
    "c",
    ("p",),
    1,
    (
        Row((_cell("English", 70, 110, 0, 1), _cell("German", 170, 210, 0, 3)), header=True),
        Row(tuple(_cell(t, 50 * n, 50 * n + 30, 12, n) for n, t in enumerate(("", "LAS", "UAS", "LAS", "UAS"))), True),
        Row(
            tuple(_cell(t, 50 * n, 50 * n + 30, 24, n) for n, t in enumerate(("Tree", "80.1", "84.0", "71.5", "75.2")))
        ),
        Row(tuple(_cell(t, 50 * n, 50 * n + 30, 36, n) for n, t in enumerate(("Arc", "82.6", "85.3", "70.4", "74.9")))),
    ),
)


@pytest.mark.parametrize(
    ("sentence", "verdict"),
    [
        ("Table 7 gives Arc a German UAS of 74.9.", "supported"),
        ("Table 7 gives Arc a German UAS of 85.3.", "contradicted"),
        ("Arc has a higher English LAS than Tree.", "supported"),
    ],
)
def test_a_heading_over_several_columns_belongs_to_each_of_them(sentence: str, verdict: str) -> None:
    found = judge_in_document(sentence, [TABLE])
    assert found is not None and found.judgement.verdict == verdict
    assert found.cells and all(cell.number is not None for cell in found.cells)


def test_headings_are_centred_over_the_headings_below_them() -> None:
    # Numbers that are set right say little about where their columns are.
    heads = [
        Row((_cell("Left test", 245, 318, 0, 1), _cell("Right test", 336, 418, 0, 3)), header=True),
        Row(
            (_cell("Method", 182, 222, 12, 0), *(_cell(t, x0, x1, 12, n + 1) for n, (t, x0, x1) in enumerate(TESTS))),
            header=True,
        ),
    ]
    body = [
        Row((_cell("GCM", 177, 228, y, 0), *(_cell(t, x1 - 12, x1, y, n) for n, t, x1 in RIGHT)))
        for y in (24, 36)
    ]  # fmt: skip
    grid, _ = grid_of(replace(TABLE, rows=(*heads, *body)))
    left, right = ("Left test", "Plain"), ("Left test", "BH")
    assert grid.columns[1:] == (left, right, ("Right test", "Plain"), ("Right test", "BH"))


TESTS = (("Plain", 240.0, 294.0), ("BH", 306.0, 323.0), ("Plain", 335.0, 390.0), ("BH", 402.0, 419.0))


RIGHT = ((1, "22", 294.0), (2, "12", 323.0), (3, "0", 390.0), (4, "0", 419.0))


def test_a_sentence_about_another_table_is_left_alone() -> None:
    assert judge_in_document("Table 3 gives Arc a German LAS of 70.4.", [TABLE]) is None
    assert judge_in_document("The authors are from Oslo.", [TABLE]) is None


def test_a_table_with_the_whole_names_decides_before_one_with_parts_of_them() -> None:
    parts = replace(TABLE, number="6", rows=tuple(_renamed(row) for row in TABLE.rows))
    false = "The English LAS of Arc is lower than that of Tree."
    found = judge_in_document(false, [parts, TABLE])
    assert found is not None and (found.table.number, found.judgement.verdict) == ("7", "contradicted")


def test_of_two_tables_with_one_number_either_may_be_meant() -> None:
    heads = Row((_cell("German", 70, 110, 0, 1), _cell("English", 170, 210, 0, 3)), header=True)
    appendix = replace(TABLE, rows=(heads, *TABLE.rows[1:]))
    for tables in ([TABLE, appendix], [appendix, TABLE]):
        for value, verdict in (("74.9", "supported"), ("85.3", "supported"), ("99.9", "contradicted")):
            found = judge_in_document(f"Table 7 gives Arc a German UAS of {value}.", tables)
            assert found is not None and found.judgement.verdict == verdict


def test_a_table_that_lacks_a_word_of_the_sentence_leaves_it_to_one_that_has_it() -> None:
    lines = (("", "UAS"), ("Tree", "61.0"), ("Arc", "60.2"))
    rows = (
        Row(tuple(_cell(text, 50 * n, 50 * n + 30, 12 * at, n) for n, text in enumerate(line)), at == 0)
        for at, line in enumerate(lines)
    )
    coarse, fine = replace(TABLE, number="6", rows=tuple(rows)), replace(TABLE, rows=tuple(map(_tagged, TABLE.rows)))
    found = judge_in_document("Arc has a tagging UAS of 74.9.", [coarse, fine])
    assert found is not None and (found.table.number, found.judgement.verdict) == ("7", "supported")


def _tagged(row: Row) -> Row:
    return replace(row, cells=tuple(replace(c, text=c.text.replace("German", "tagging set")) for c in row.cells))


def _renamed(row: Row) -> Row:
    cells = (replace(c, text=f"Parser {c.text}") if c.text in ("Arc", "Tree") else c for c in row.cells)
    return replace(row, cells=tuple(cells))


def test_a_heading_in_two_lines_is_one_and_groups_leave_the_columns_of_labels() -> None:
    heads = [
        Row((_cell("Eval. with", 100, 130, 0, 2), _cell("Eval. without", 150, 180, 0, 3)), header=True),
        Row((_cell("Game", 0, 30, 12, 0), _cell("masks", 100, 130, 12, 2), _cell("masks", 150, 180, 12, 3)), True),
    ]
    body = [_row(24, "Hero", "m1", "3.5", "4.1"), _row(36, "Runway", "m2", "5.8", "6.0")]
    grid, _ = grid_of(replace(TABLE, rows=(*heads, *body)))
    assert grid.columns == (("Game",), (), ("Eval. with masks",), ("Eval. without masks",))
    above = Row((_cell("Tuned", 125, 155, 0, 3),), header=True)
    below = Row((_cell("Game", 0, 30, 12, 0), _cell("10M", 100, 130, 12, 2), _cell("50M", 150, 180, 12, 3)), True)
    grid, _ = grid_of(replace(TABLE, rows=(above, below, *body)))
    assert grid.columns == (("", "Game"), (), ("Tuned", "10M"), ("Tuned", "50M"))
    alone = Row((_cell("Time", 100, 130, -12, 2), _cell("Size", 150, 180, -12, 3)), header=True)
    grid, _ = grid_of(replace(TABLE, rows=(alone, above, below, *body)))
    assert grid.columns[2:] == (("Time", "Tuned", "10M"), ("Size", "Tuned", "50M"))


OTHER = replace(
    TABLE,
    number="8",
    caption="Table 8: Tagging.",
    rows=(
        Row(tuple(_cell(t, 50 * n, 50 * n + 30, 0, n) for n, t in enumerate(("", "Accuracy", "Recall"))), True),
        Row(tuple(_cell(t, 50 * n, 50 * n + 30, 12, n) for n, t in enumerate(("Bush", "61.1", "64.3")))),
        Row(tuple(_cell(t, 50 * n, 50 * n + 30, 24, n) for n, t in enumerate(("Leaf", "52.6", "55.8")))),
    ),
)


@pytest.mark.parametrize(
    ("sentence", "verdict"),
    [
        ("Table 7 lists Bush with 61.1 for accuracy.", "contradicted"),
        ("Table 8 lists Bush with 61.1 for accuracy.", "supported"),
        ("Table 7 lists Bush with 61.7 for accuracy.", None),  # no table has that
        ("Table 7 lists Bush with a UAS of 61.1.", None),
    ],
)
def test_a_row_of_another_table(sentence: str, verdict: str | None) -> None:
    found = judge_in_document(sentence, [TABLE, OTHER])
    assert found is not None
    assert found.judgement.verdict == verdict or (verdict is None and found.judgement.verdict != "contradicted")
    if verdict == "contradicted":
        assert found.judgement.why == "Table 7 doesn't have this. Table 8 has 61.1 for Bush / Accuracy."
        assert found.table.number == "8" and found.cells[0].text == "61.1"
        # A number that the named table has, too, may have lost its labels.
        same = replace(TABLE, rows=(*TABLE.rows, replace(OTHER.rows[1], cells=OTHER.rows[1].cells[1:])))
        again = judge_in_document(sentence, [same, OTHER])
        assert again is not None and again.judgement.verdict != "contradicted"
        # Nor if either may have been read wrongly: here a row is there twice.
        for pair in ([replace(TABLE, rows=(*TABLE.rows, TABLE.rows[-1])), OTHER],
                     [TABLE, replace(OTHER, rows=(*OTHER.rows, OTHER.rows[-1]))]):  # fmt: skip
            doubted = judge_in_document(sentence, pair)
            assert doubted is not None and doubted.judgement.verdict != "contradicted"
