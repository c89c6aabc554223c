"""Statements about tables with headings of several levels, names of several labels, and notes and cuts in labels."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.documents.records import Box
from engine.documents.tables import Cell, Row, Table, number_in
from engine.statements.grids import TableGrid, grid_of
from engine.statements.tables import judge, judge_in_document


def row(y: float, *cells: tuple[float, int, str], header: bool = False) -> Row:
    """Cells of 4 points a letter at a left edge, each in a column."""
    made = (
        Cell(t, Box(1, x, y, x + 4 * len(t), y + 8), column, "p", 0, len(t), *(number_in(t) or ()))
        for x, column, t in cells
    )
    return Row(tuple(made), header)


NUMBERS = [row(24, (0, 0, "Tree"), *((50 * n, n, f"{n}.5") for n in range(1, 5)))]
BELOW = row(12, *((50 * n, n, t) for n, t in enumerate(("width", "score", "width", "score"), 1)), header=True)


def columns(*above: tuple[float, int, str]) -> tuple[tuple[str, ...], ...]:
    rows = (
        row(0, *above, header=True),
        BELOW,
        *NUMBERS,
        row(36, (0, 0, "Arc"), *((50 * n, n, "2.5") for n in range(1, 5))),
    )
    return grid_of(Table("2", "Table 2: Lines.", "c", ("p",), 1, rows))[0].columns


def test_headings_that_come_again_are_below_each_heading_above_them() -> None:
    expected = ((), ("First", "width"), ("First", "score"), ("Second", "width"), ("Second", "score"))
    assert columns((50, 1, "First"), (150, 3, "Second")) == expected, "set flush left"
    parts = columns((82, 1, "At"), (94, 2, "1pp"), (182, 3, "At"), (194, 4, "3pp"))
    assert parts == ((), ("At 1pp", "width"), ("At 1pp", "score"), ("At 3pp", "width"), ("At 3pp", "score")), (
        "cut in two"
    )


def test_a_heading_between_two_lines_of_headings_is_above_its_column_alone() -> None:
    rows = (
        row(0, (100, 2, "Task"), header=True),
        row(6, (200, 4, "Avg."), header=True),
        row(12, (50, 1, "1"), (100, 2, "2"), (150, 3, "3"), header=True),
        *(row(24 + 12 * n, (0, 0, f"z{n}"), *((50 * k, k, f"{k}.{n}") for k in range(1, 5))) for n in range(2)),
    )
    table = Table("2", "Table 2: Errors.", "c", ("p",), 1, rows)
    assert [" ".join(path).split()[-1] for path in grid_of(table)[0].columns[1:]] == ["1", "2", "3", "Avg."]


def test_a_vertical_line_puts_no_heading_over_columns_beside_its_own() -> None:
    rows = (
        row(0, (100, 2, "Hits"), header=True),
        row(6, (45, 1, "Total"), header=True),
        row(12, (100, 2, "rate"), header=True),
        *(row(24 + 12 * n, (0, 0, f"z{n}"), (50, 1, f"1.{n}"), (100, 2, f"2.{n}")) for n in range(2)),
    )
    rules = tuple(Box(1, x, 0, x + 0.4, 44) for x in (30, 130))
    found = grid_of(Table("2", "Table 2: Errors.", "c", ("p",), 1, rows, rules))[0].columns
    assert [" ".join(filter(None, path)) for path in found[1:]] == ["Total", "Hits rate"]


def paths(*rows: Row) -> list[tuple[str, ...]]:
    found = grid_of(Table("2", "Table 2: Lines.", "c", ("p",), 1, rows))[0].columns
    return [tuple(filter(None, path)) for path in found[1:]]


def test_headings_over_columns_of_several_numbers_and_over_headings_of_two_lines() -> None:
    scores = [
        row(36 + 12 * n, (0, 0, f"z{n}"), (50, 1, f"2.{n}"), (92, 2, "3.5 / 4.5"), (150, 3, "5.1")) for n in (1, 2)
    ]
    heads = row(0, (46, 1, "Text"), (106, 2, "Parsing"), header=True)
    first = row(12, (46, 1, "Spam"), (96, 2, "Merged"), (146, 3, "Merged"), header=True)
    second = row(24, (92, 2, "UAS / LAS"), (150, 3, "POS"), header=True)
    expected = [("Text Spam",), ("Parsing", "Merged UAS / LAS"), ("Parsing", "Merged POS")]
    assert paths(heads, first, second, *scores) == expected


def test_a_heading_that_ends_with_its_column_is_of_no_other_and_a_long_one_is_of_all() -> None:
    def own(*above: tuple[float, int, str]) -> list[str]:
        return [path[0] for path in paths(row(0, *above, header=True), BELOW, *NUMBERS, *NUMBERS)]

    assert own((200, 4, "Nodes")) == ["width", "score", "width", "Nodes score"]
    assert own((150, 3, "Size")) == ["width", "score", "Size width", "score"], "or begins with it"
    assert own((80, 2, "Methods by the name of theirs")) == ["Methods by the name of theirs"] * 4


def test_a_plural_of_capitals_is_the_same_word() -> None:
    grid = TableGrid((("Machine",), ("CPUs",)), (("z1", "31"), ("z2", "12")), "Table 1: Machines.", "1")
    assert judge("In Table 1, z1 has a CPU count of 31.", grid).verdict == "supported"
    assert judge("In Table 1, z1 has a CPU count of 12.", grid).verdict == "contradicted"


def test_headings_of_which_one_would_have_the_same_below_it_twice_are_left_out() -> None:
    below = ("N", "Acc", "Loss", "Acc", "Loss", "Acc")
    rows = (
        row(0, (146, 3, "Base"), (296, 6, "Own"), header=True),
        row(12, *((50 * n, n, text) for n, text in enumerate(below, 1)), header=True),
        *(row(24 + 12 * n, (0, 0, f"z{n}"), *((50 * k, k, f"{k}.{n}") for k in range(1, 7))) for n in range(2)),
    )
    table = Table("6", "Table 6: Results.", "c", ("p",), 1, rows)
    assert [path[-1] for path in grid_of(table)[0].columns[1:]] == list(below)
    over_all = row(-12, (161, 3, "Time (s)"), header=True)
    two = row(0, (88, 1, "Base"), (238, 4, "Own"), header=True)
    three = row(12, *((50 * n, n, text) for n, text in enumerate(("A", "B", "C") * 2, 1)), header=True)
    levels = grid_of(Table("6", "Table 6: Results.", "c", ("p",), 1, (over_all, two, three, *rows[2:])))[0].columns
    assert levels[1] == ("Time (s)", "Base", "A") and levels[6] == ("Time (s)", "Own", "C")
    below_all = grid_of(replace(table, rows=(over_all, *rows)))[0].columns
    assert not {"Base", "Own"}.intersection(*below_all) and below_all[1] == ("Time (s)", "N"), "below another one, too"
    found = judge_in_document("In Table 6, the Own Acc of z1 is 4.1.", [table])
    assert found is not None and found.judgement.verdict != "contradicted"


def test_headings_off_the_middle_of_their_columns_are_theirs() -> None:
    wide = (
        row(0, (84, 1, "First"), (106, 2, "Second"), header=True),
        row(12, (88, 1, "LAS"), (114, 2, "EM"), header=True),
    )
    numbers = [row(y, (0, 0, "Tree"), (88, 1, "2.5"), (120, 2, "12")) for y in (24, 36)]
    assert paths(*wide, *numbers) == [("First LAS",), ("Second EM",)], "nearly as far apart as the columns"
    over_two = row(0, (88, 1, "First"), (135, 2, "Second"), header=True)
    below = row(12, (96, 1, "N"), (126, 2, "Width"), (162, 3, "EM"), header=True)
    numbers = [row(y, (0, 0, "Tree"), (100, 1, "2.5"), (138, 2, "12"), (164, 3, "12")) for y in (24, 36)]
    assert paths(over_two, below, *numbers) == [("First N",), ("Second", "Width"), ("Second", "EM")]


def test_labels_that_are_numbers_have_no_heading_over_several_columns() -> None:
    head = row(0, (50, 1, "First"), (100, 2, "Second"), header=True)
    over_all = row(-12, (60, 1, "Time of all"), header=True)
    below = row(12, (0, 0, "k"), (50, 1, "width"), (100, 2, "score"), header=True)
    numbers = [row(y, (0, 0, k), (50, 1, "2.5"), (100, 2, "1.5")) for y, k in ((24, "2"), (36, "3"))]
    found = grid_of(Table("2", "Table 2: Lines.", "c", ("p",), 1, (over_all, head, below, *numbers)))[0].columns
    assert found == (("", "k"), ("Time of all", "First width"), ("Time of all", "Second score"))


TWO = TableGrid(
    (("System",), ("2", "WR"), ("2", "HP"), ("3", "WR"), ("3", "HP")),
    (("GPT", "0.75", "0.30", "0.76", "0.34"), ("BR", "0.60", "0.22", "0.64", "0.21")),
    "Table 8: Systems.",
    "8",
)


@pytest.mark.parametrize(
    ("statement", "verdict"),
    [
        ("The 2 WR of BR is 0.60.", "supported"),
        ("The 3 HP of BR is 0.22.", "contradicted"),
        ("The 2 HP is higher for BR than for GPT.", "contradicted"),
    ],
)
def test_a_column_is_named_by_its_headings_from_the_top(statement: str, verdict: str) -> None:
    assert judge(statement, TWO).verdict == verdict


CORPORA = TableGrid(
    (("Corpus",), ("Top 1",), ("Posts",), ("Language",)),
    (
        ("PTB", "0.26", "5", "English"),
        ("JDK*", "0.47", "9", "Java"),
        ("Guava", "0.51", "7", "Java"),
        ("Total", "0.80", "21", ""),
    ),
    "Table 2: Corpora.",
    "2",
)


@pytest.mark.parametrize(
    ("statement", "verdict"),
    [
        ("The Top 1 of JDK* is the lowest of all rows.", "contradicted"),
        ("JDK has the lowest Top 1.", "contradicted"),
        ("PTB has the lowest Top 1.", "supported"),
        ("JDK has the highest Posts.", "supported"),
        ("No other row has as high a number of Posts as JDK.", "contradicted"),
        ("The number of Posts of JDK exceeds that of Guava by 3.", "contradicted"),
        ("The number of Posts of JDK exceeds that of Guava by 2.", "supported"),
    ],
)
def test_all_rows_are_all_of_them_and_a_label_behind_a_name_parts_no_groups(statement: str, verdict: str) -> None:
    assert judge(statement, CORPORA).verdict == verdict


GROUPS = TableGrid(
    (("Hypothesis",), ("Score",)),
    (
        ("Core", ""), ("Drift", "1.0"), ("Selection", "3.0"), ("Chance", "5.0"),
        ("Rest", ""), ("Drift", "4.0"), ("Selection", "2.0"), ("Chance", "6.0"),
    ),
    "Table 3: Models.",
    "3",
)  # fmt: skip


@pytest.mark.parametrize(
    ("statement", "verdict"),
    [
        ("The highest score belongs to Core Selection.", "contradicted"),
        ("The highest score belongs to Rest Chance.", "supported"),
        ("The highest score belongs to Core Chance.", "contradicted"),
    ],
)
def test_two_labels_side_by_side_name_one_row(statement: str, verdict: str) -> None:
    assert judge(statement, GROUPS).verdict == verdict


@pytest.mark.parametrize(
    ("statement", "verdict"),
    [
        ("The score of Global Efficiency is 65.", "supported"),
        ("The score of MonoDIS (multi) is 9.", "supported"),
        ("The gap in score between Antipsych. and Mono is 4.", "supported"),
        ("The fit in log 10 N of Mono is 0.5.", "supported"),
        ("The score of the best F1_score is 8.", "supported"),
        ("No other row has as low a score as ADAPTIVE.", "supported"),
        ("The score of Baden 2005-03-10 is 7.", "supported"),
    ],
)
def test_names_as_they_are_said_and_as_a_page_has_them(statement: str, verdict: str) -> None:
    rows = (
        ("Global E ciency", "65", "0.1"), ("MonoDIS (multi) [50]", "9", "0.2"), ("Antipsych.", "10", "0.3"),
        ("Mono", "6", "0.5"), ("best F1 score", "8", "0.6"), ("As Mono but sharper", "20", "0.7"),
        ("ADAPTIVE", "5", "0.8"), ("Baden 2005-03-10", "7", "0.9"),
    )  # fmt: skip
    grid = TableGrid((("Name",), ("Score",), ("Fit in log10 N",)), rows, "Table 4: Names.", "4")
    assert judge(statement, grid).verdict == verdict


def test_a_statement_that_names_no_table_is_denied_if_all_with_its_names_deny_it() -> None:
    def table(number: str, value: str) -> Table:
        head = row(0, (0, 0, "Method"), (50, 1, "Mortality"), header=True)
        body = (
            row(12 * n, (0, 0, name), (50, 1, v)) for n, (name, v) in enumerate((("TSF", value), ("DTW", "0.9")), 1)
        )
        return Table(number, f"Table {number}: Results.", "c", ("p",), 1, (head, *body))

    both = [table("1", "0.744"), table("2", "0.7509")]
    found = judge_in_document("The mortality of TSF equals 0.7059.", both)
    assert found is not None and found.judgement.verdict == "contradicted"
    found = judge_in_document("The mortality of TSF equals 0.7509.", both)
    assert found is not None and (found.judgement.verdict, found.table.number) == ("supported", "2")


def test_named_rows_of_headings_that_come_again_are_levels() -> None:
    heads = (("Animal", "dog", "dog", "cat", "cat"), ("Reader", "Ibis", "Rook", "Ibis", "Rook"))
    values = (("Hours", "4", "7", "31", "12"), ("Errors", "1.5", "2.5", "3.5", "4.5"))
    rows = [
        *(row(12 * n, *((70 * k, k, t) for k, t in enumerate(head)), header=True) for n, head in enumerate(heads)),
        *(row(24 + 12 * n, *((70 * k, k, t) for k, t in enumerate(cells))) for n, cells in enumerate(values)),
    ]
    table = Table("2", "Table 2: Readers of animals.", "c", ("p",), 1, tuple(rows))
    assert grid_of(table)[0].columns[1:3] == (("dog", "Ibis"), ("dog", "Rook"))
    for hours, verdict in (("12", "supported"), ("7", "contradicted")):
        found = judge_in_document(f"In Table 2, Rook has {hours} hours for the cat.", (table,))
        assert found is not None and found.judgement.verdict == verdict
    lines = (("Animal", "dog", "dog", "cat", "cat"), ("", "(ms)", "(s)", "(kg)", "(g)"))
    other = [
        row(12 * n, *((70 * k, k, t) for k, t in enumerate(head) if t), header=True) for n, head in enumerate(lines)
    ]
    assert grid_of(Table("2", "Table 2", "c", ("p",), 1, (*other, *rows[2:])))[0].columns[1] == ("dog (ms)",)


def test_a_title_over_the_columns_is_as_wide_as_none_of_them() -> None:
    rows = (
        row(0, *((50 * n, n, text) for n, text in enumerate(("one", "two or more", "three"), 1)), header=True),
        row(12, (70, 3, "Precision after documents found")),
        *(row(24 + 12 * n, (0, 0, f"z{n}"), *((50 * k, k, f"{k}.{n}") for k in range(1, 4))) for n in range(2)),
    )
    found = grid_of(Table("2", "Table 2: Errors.", "c", ("p",), 1, rows))[0]
    assert found.columns == ((), ("one",), ("two or more",), ("three",))


def test_headings_that_come_again_are_more_certain_than_some_drawn_lines() -> None:
    rows = (
        row(0, (50, 1, "First"), (150, 3, "Second"), header=True),
        BELOW,
        *NUMBERS,
        row(36, (0, 0, "Arc"), *((50 * n, n, "NaN" if n == 4 else "2.5") for n in range(1, 5))),
        row(48, (0, 0, "Oak"), *((50 * n, n, "NaN" if n == 4 else "2.5") for n in range(1, 5))),
    )
    drawn = Table("2", "Table 2: Lines.", "c", ("p",), 1, rows, (Box(1, 50, 10, 120, 10),))
    expected = ((), ("First", "width"), ("First", "score"), ("Second", "width"), ("Second", "score"))
    assert grid_of(drawn)[0].columns == expected


def test_headings_come_again_beside_other_columns_and_above_intervals() -> None:
    texts = ("Value", "Range", "Value", "Range")
    rows = (
        row(0, (150, 3, "Calls"), (250, 5, "Deaths"), header=True),
        row(12, (50, 1, "Days"), *((50 * n, n, text) for n, text in enumerate(texts, 2)), header=True),
        *(
            row(24 + y, (0, 0, f"z{y}"), *((50 * n, n, "(0.1, 3)" if n in (3, 5) else "2.5") for n in range(1, 6)))
            for y in (0, 12)
        ),
    )
    found = grid_of(Table("2", "Table 2: Lines.", "c", ("p",), 1, rows))[0].columns
    assert [path[0] for path in found[2:]] == ["Calls", "Calls", "Deaths", "Deaths"]
    assert found[1][0] == ""
