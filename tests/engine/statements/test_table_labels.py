"""Statements about tables: labels left out, in another order, in the middle of their rows, or in two headings."""

from __future__ import annotations

import pytest

from engine.statements.grids import TableGrid, grid_of, lay_out
from engine.statements.table_doubts import doubt_of
from engine.statements.tables import judge
from tests.engine.documents.laid_tables import paragraph, rows, table

TASKS = TableGrid(
    (("Model",), ("Tags ↑",), ("Trees ↑",), ("Names ↑",), ("Roles ↑",)),
    (
        ("LSTM", "71.2", "60.1", "50.3", "40.1"),
        ("GRU", "73.9", "64.2", "48.0", "45.2"),
        ("Iteration=3", "74.0", "65.0", "52.0", "46.0"),
    ),
    "Table 1: Results of three models on four tasks.",
    "1",
)


@pytest.mark.parametrize(
    ("statement", "verdict"),
    [
        ("GRU is better than LSTM on all tasks but Names.", "supported"),
        ("GRU outperforms LSTM on all tasks except Names.", "supported"),
        ("GRU is better than LSTM on all tasks except Tags.", "contradicted"),
        ("GRU is better than LSTM on all tasks except Names and Roles.", "place found"),
        ("GRU is better than LSTM on all tasks but Names, where Roles has the best value.", "place found"),
        ("The performance on Tags is the best when iteration is set to 3.", "supported"),
        ("The performance on Tags is the best when using GRU.", "contradicted"),
    ],
)
def test_what_is_left_out_and_when_it_is_best(statement: str, verdict: str) -> None:
    assert judge(statement, TASKS).verdict == verdict


def test_a_label_is_not_taken_for_a_longer_one_that_is_named_as_well() -> None:
    grid = TableGrid((("Features",), ("Accuracy",)), (("Words", "90.7"), ("Words+Pairs", "92.6")), "Table 1", "1")
    assert judge("The accuracy is higher for Words than for Words+Pairs.", grid).verdict == "contradicted"


@pytest.mark.parametrize(
    ("statement", "verdict"),
    [("The DC of FOREST is 86.5 %.", "supported"), ("The DC of FOREST is 0.865 percent.", "contradicted")],
)
def test_the_level_of_an_interval_is_no_unit(statement: str, verdict: str) -> None:
    rows = (("TWOGRID", "256", "150", "0.717 [0.6,0.8]"), ("FOREST", "512", "500", "0.865 [0.8,0.9]"))
    heads = (("Name",), ("N1/3 CDM",), ("N1/3 baryon",), ("DC 95% CI",))
    assert judge(statement, TableGrid(heads, rows, "Table 1: Simulations.", "1")).verdict == verdict


def test_a_no_that_ends_a_label_denies_nothing() -> None:
    grid = TableGrid((("Parameter",), ("Default None None",)), (("split", "2"), ("leaf", "1")), "Table 1", "1")
    assert judge("The Default None of split is 2.", grid).verdict == "supported"
    assert judge("The Default None of split is 5.", grid).verdict != "supported"


MIDDLE = (
    ("", "Small", "1.0"), ("Words", "Large", "2.0"), ("", "Huge", "3.0"),
    ("", "Small", "4.0"), ("Letters", "", ""), ("", "Large", "5.0"),
    ("", "Small", "6.0"), ("Lines and", "", ""), ("", "Large", "7.0"), ("pages", "", ""), ("", "Huge", "8.0"),
)  # fmt: skip


def test_labels_in_the_middle_of_their_rows_are_those_of_all_of_them() -> None:
    layout = lay_out(TableGrid((("Unit",), ("Size",), ("Score",)), MIDDLE, "Table 1", "1"))
    assert [e.labels[0] for e in layout.entries] == [*["Words"] * 3, *["Letters"] * 2, *["Lines and pages"] * 3]
    assert {e.labels[2] for e in layout.entries} == {""}, "they are no subheadings"
    between = (("A", "1"), ("B", "2"), ("Core", ""), ("C", "3"), ("D", "4"))
    assert [e.labels[1] for e in lay_out(TableGrid((("H",), ("N",)), between, "T", "1")).entries] == ["Core"] * 4
    above = (("Core", ""), ("A", "1"), ("B", "2"), ("Rest", ""), ("C", "3"))
    assert [e.labels[1] for e in lay_out(TableGrid((("H",), ("N",)), above, "T", "1")).entries] == [
        "Core", "Core", "Rest",
    ]  # fmt: skip


def test_labels_in_the_middle_of_their_rows_may_be_in_the_second_column() -> None:
    rows = (
        ("Owl", "", "a", "1"), ("", "Whole", "", ""), ("", "", "b", "2"),
        ("", "", "a", "3"), ("", "Half", "", ""), ("", "", "b", "4"),
    )  # fmt: skip
    layout = lay_out(TableGrid((("Bird",), ("Part",), ("Text",), ("Score",)), rows, "Table 2", "2"))
    expected = [("Owl", "Whole", "a"), ("Owl", "Whole", "b"), ("Owl", "Half", "a"), ("Owl", "Half", "b")]
    assert [e.labels[:3] for e in layout.entries] == expected


def test_rows_of_several_numbers_are_neither_headings_nor_labels() -> None:
    rows = (("Owl", "1.0 / 2.0", "3.0 / 4.0"), ("Owl, mean", "1.5", "3.5"), ("Rook, mean", "2.5", "4.5"))
    rows += tuple((name, "1.0 / 2.0", "2.0 / 3.0") for name in ("Rook", "Jay"))
    layout = lay_out(TableGrid((("Bird",), ("Day",), ("Night",)), rows, "Table 2", "2"))
    assert [(e.labels[0], e.labels[-1]) for e in layout.entries] == [
        (name, time) for name in ("Owl, mean", "Rook, mean") for time in ("Day", "Night")
    ]
    fractions = (("Owl", "5/5", "0.4"), ("Rook", "3/5", "0.2"))
    layout = lay_out(TableGrid((("Bird",), ("Found",), ("Rate",)), fractions, "Table 3", "3"))
    assert [e.labels[:2] for e in layout.entries] == [("Owl", "5/5"), ("Rook", "3/5")]


@pytest.mark.parametrize(
    ("statement", "verdict"),
    [
        # An article begins no name.
        ("North has a mean B of 2.5.", "supported"),
        ("North has a mean B of 1.5.", "contradicted"),
        # Signs tell names apart, arrows say what is better.
        ("The chrF of North is 20.1.", "supported"),
        ("The chrF++ of North is 20.1.", "contradicted"),
        ("Between North and South, the A+ increases by 2.", "supported"),
        ("Between North and South, the #A increases by 4.", "supported"),
        ("Between North and South, the #A increases by 2.", "contradicted"),
        # A number of the same row only says which row is meant.
        ("The highest mean B is that of South at 300 m.", "place found"),
    ],
)
def test_short_names_and_names_with_signs(statement: str, verdict: str) -> None:
    columns = (("Side",), ("mean A",), ("mean B",), ("chrF↑",), ("chrF++↑",), ("A+",), ("#A",), ("Height",))
    rows = (
        ("North", "1.5", "2.5", "20.1", "22.3", "7", "40", "200 m"),
        ("South", "1.1", "3.5", "20.6", "22.9", "9", "44", "300 m"),
        ("West", "1.2", "3.1", "20.2", "22.8", "8", "43", "100 m"),
    )
    assert judge(statement, TableGrid(columns, rows, "Table 5: Four kinds of scores.", "5")).verdict == verdict


def test_a_row_of_words_below_headings_is_a_second_heading_and_one_of_settings_is_none() -> None:
    heads = (("System",), ("2",), ("2",), ("3",), ("3",))
    rows = (("", "WR", "HP", "WR", "HP"), ("GPT", "0.75", "0.30", "0.76", "0.34"))
    layout = lay_out(TableGrid(heads, rows, "Table 8", "8"))
    assert [e.labels[-2:] for e in layout.entries] == [("2", "WR"), ("2", "HP"), ("3", "WR"), ("3", "HP")]
    settings = (("Size", "10", "20"), ("Optimizer", "Adam", "Adam"), ("Rate", "0.1", "0.2"))
    layout = lay_out(TableGrid((("Setting",), ("TransE",), ("RotatE",)), settings, "Table 3", "3"))
    assert [e.labels[-1] for e in layout.entries] == ["TransE", "RotatE"] * 2


@pytest.mark.parametrize(
    ("statement", "verdict"),
    [
        ("In Table 4, the FPR_val is 14 for First.", "supported"),
        ("In Table 4, the FPR_val is 15 for First.", "contradicted"),
        ("In Table 4, the deaths are 31 for First.", "supported"),
        ("In Table 4, the deaths are 32 for First.", "contradicted"),
        ("In Table 4, the absorption 880 °C is 2.5 for Second.", "supported"),
    ],
)
def test_indices_and_the_digits_of_notes(statement: str, verdict: str) -> None:
    columns = (("Name",), ("FPRval",), ("Deaths1",), ("absorption 880 ◦C",))
    grid = TableGrid(columns, (("First", "14", "31", "1.5"), ("Second", "15", "34", "2.5")), "Table 4: Rates.", "4")
    assert judge(statement, grid).verdict == verdict


SETTINGS = TableGrid(
    (("Method",), ("",), ("Ratings",)),
    (
        ("Ours [3] (k=0, small)", "∆", "8.0k∗"),
        ("Ours [3] (k=4, small)", "∆", "3.1k∗"),
        ("Theirs [12] (k=4, small)", "", "2.5k"),
    ),
    "Table 4: Settings.",
    "4",
)


@pytest.mark.parametrize(
    ("statement", "verdict"),
    [
        # A citation within a name, a mark behind a scale, and the sign of a difference for the letter Δ.
        ("The number of ratings of Ours (k=4, small) is 3.1 thousand, see Table 4.", "supported"),
        ("The number of ratings of Ours (k=4, small) is 8.0 thousand, see Table 4.", "contradicted"),
        ("In Table 4, Ours (k=0, small) Δ has ratings of 8.0k.", "supported"),
        ("In Table 4, Ours (k=0, small) Δ has ratings of 3.1k.", "contradicted"),
    ],
)
def test_citations_in_names_marks_behind_scales_and_the_sign_of_a_difference(statement: str, verdict: str) -> None:
    assert judge(statement, SETTINGS).verdict == verdict


def test_a_column_of_values_of_many_kinds_is_one_of_values() -> None:
    values = ("0.99", "Adam", "10,000 steps", "From 1 to 0.1", "16")
    names = ("Discount factor", "Optimizer", "Target update", "Exploration", "Batch size")
    grid = TableGrid(
        (("Hyperparameter",), ("Value",)), tuple(zip(names, values, strict=True)), "Table 1: Settings.", "1"
    )
    assert judge("In Table 1, the value of Batch size is 16.", grid).verdict == "supported"
    assert judge("In Table 1, the value of Batch size is 32.", grid).verdict == "contradicted"
    pairs = tuple((name, value, value) for name, value in zip(names, values, strict=True))
    two = TableGrid((("Hyperparameter",), ("First",), ("Second",)), pairs, "Table 1: Settings.", "1")
    assert judge("In Table 1, the First of Batch size is 32.", two).verdict == "contradicted"
    changes = (("A", "33.2", "29.7"), ("B", "35.2 +6.0%", "31.8 +7.4%"), ("C", "35.1 +5.9%", "32.0 +7.8%"))
    changed = TableGrid((("Name",), ("First",), ("Second",)), changes, "Table 1: Scores.", "1")
    assert judge("In Table 1, the First of A is 33.1.", changed).verdict == "not checked"


STARS = (
    ("Level break", "−0.838***", "−0.429"),
    ("", "(0.091)", "(0.064)"),
    ("level", "[<0.001]", "[0.003]"),
    ("test", "1.2e-33", "8.1e-17"),
    ("Slope", "0.023", "0.108"),
    ("", "(0.005)", "(0.006)"),
)


@pytest.mark.parametrize(
    ("statement", "verdict"),
    [
        ("The premium for Slope is 0.108.", "supported"),
        ("The volume for Slope is 0.108.", "contradicted"),
        ("The volume of Slope is higher than that of Level break.", "supported"),
    ],
)
def test_errors_and_levels_below_numbers_are_no_headings(statement: str, verdict: str) -> None:
    grid = TableGrid((("",), ("Volume",), ("Premium",)), STARS, "Table 1: Breaks of two series.", "1")
    assert judge(statement, grid).verdict == verdict


def test_numbers_behind_a_column_of_numbers_are_values_among_words_too() -> None:
    rows = (("Layers", "12", "none"), ("Width", "96", "192"), ("Order", "3", "mixed"), ("Gate", "1", "soft"))
    grid = TableGrid((("Property",), ("Plain",), ("Hybrid",)), rows, "Table 1: Two models.", "1")
    assert judge("The Hybrid of Width is 192.", grid).verdict == "supported"
    assert judge("The Hybrid of Width is 96.", grid).verdict == "contradicted"


def test_letters_of_formulas_are_those_of_sentences() -> None:
    rows = (("first", "0.51", "4.2"), ("second", "0.65", "3.1"))
    grid = TableGrid((("Fit",), ("𝑅2",), ("Error",)), rows, "Table 1: Two fits.", "1")
    assert judge("The R2 of the second fit is 0.65.", grid).verdict == "supported"


def test_the_unit_of_a_row_is_not_that_of_its_percentages() -> None:
    rows = (("Size (M)", "149.6", "20.0%"), ("Memory (GB)", "8.2", "35.0%"))
    grid = TableGrid((("Kind",), ("Full",), ("Saved",)), rows, "Table 1: Savings.", "1")
    assert judge("What is saved is higher for Memory than for Size.", grid).verdict == "supported"


def test_rows_of_words_that_follow_each_other_are_settings() -> None:
    rows = (("Kind", "whole", "mixed"), ("Pattern", "plain", "in turns"), ("Width", "96", "192"), ("Heads", "32", "30"))
    grid = TableGrid((("Property",), ("Old",), ("New",)), rows, "Table 1: Two models.", "1")
    assert judge("The Old Heads are 32.", grid).verdict == "supported"


def test_intervals_and_the_letters_of_notes_name_no_rows() -> None:
    rows = (("young", "0.81", "0.74–0.92"), ("", "b", ""), ("old", "0.62", "0.55 to 0.71"))
    layout = lay_out(TableGrid((("Age",), ("Risk",), ("95% CI",)), rows, "Table 2: Risks.", "2"))
    assert [(e.labels[0], *filter(None, e.labels[1:])) for e in layout.entries] == [("young", "Risk"), ("old", "Risk")]


def test_headings_that_come_again_begin_a_part_with_the_same_labels() -> None:
    rows = [
        ("young", "84", "5"),
        ("old", "236", "14"),
        ("2021 series", "n", "%"),
        ("young", "240", "10"),
        ("old", "290", "12"),
    ]
    layout = lay_out(TableGrid((("2020 series",), ("n",), ("%",)), tuple(rows), "Table 2: Ages.", "2"))
    assert [tuple(filter(None, e.labels)) for e in layout.entries[3:6:2]] == [
        ("old", "2020 series", "%"),
        ("young", "2021 series", "%"),
    ]
    titled = (*rows[:2], ("2021 series", "", ""), *rows[3:])
    layout = lay_out(TableGrid((("Age",), ("n",), ("%",)), titled, "Table 2: Ages.", "2"))
    assert len(layout.entries) == 8, "no whole number is a label"


def test_a_title_over_the_columns_and_one_over_the_labels_each_begin_a_part() -> None:
    values = [(name, f"7.{n}", f"4.{n}") for n, name in enumerate(("Net", "Tree", "All"))]
    rows = (("", "Whole document", ""), *values, ("Highlights", "", ""), *values)
    layout = lay_out(TableGrid((("Model",), ("P",), ("R",)), rows, "Table 1: Overlap.", "1"))
    assert [e.labels[1] for e in layout.entries if e.column == 1] == ["Whole document"] * 3 + ["Highlights"] * 3


def test_settings_of_several_kinds_tell_rows_apart() -> None:
    settings = (("block", "1"), ("block", "3"), ("haircut", "5%"), ("haircut", "15%"), ("delay", "1 month"))
    rows = tuple((*own, f"48.{n}", f"3.{n}") for n, own in enumerate(settings))
    heads = (("Variation",), ("Value",), ("Liquidated (%)",), ("Debt (%)",))
    layout = lay_out(TableGrid(heads, rows, "Table 1: Robustness.", "1"))
    assert [e.labels[:2] for e in layout.entries if e.column == 2] == [*settings]


def test_few_whole_numbers_before_the_names_of_rows_are_of_groups() -> None:
    names = ("Topics", "Words", "Letters")
    rows = tuple(
        (name, k if name == "Words" else "", name, f"0.{n}") for k in ("1", "11") for n, name in enumerate(names)
    )
    rows = tuple(("reuters" if n == 0 else "", *row[1:]) for n, row in enumerate(rows))
    layout = lay_out(TableGrid((("Data",), ("k",), ("Metric",), ("Recall",)), rows, "Table 1: Neighbours.", "1"))
    assert [e.labels[:3] for e in layout.entries] == [("reuters", k, name) for k in ("1", "11") for name in names]


def test_a_table_broken_into_two_parts_side_by_side_is_one() -> None:
    heads = [["Country", "Rank", "Country", "Rank"], ["Mexico", "32", "Peru", "71"], ["Chile", "39", "Belize", "171"]]
    caption, body = paragraph(0, "caption", [(10, [(100, "Table 1: Ranks.")])]), paragraph(1, "table", rows(30, *heads))
    found = table(caption, body)
    grid, cells = grid_of(found)
    assert (grid.columns, grid.rows[1:3]) == ((("Country",), ("Rank",)), (("Chile", "39"), ("Peru", "71")))
    assert (cells[2, 1].text, doubt_of(found)) == ("71", "")


def test_the_raised_letters_of_notes_below_a_row_are_no_headings() -> None:
    rows = (("1", "62.1", "73.1"), ("", "b", "d"), ("2", "27.6", "68.3"))
    found = lay_out(TableGrid((("Study",), ("Age",), ("Weight",)), rows, "Table 1: Studies.", "1"))
    assert {e.labels[-1] for e in found.entries} == {"Age", "Weight"}


def test_a_row_of_missing_values_is_no_heading() -> None:
    rows = (("Net", "62.1", "73.1"), ("Tree", "∞", "NaN sec"), ("All", "27.6", "68.3"))
    found = lay_out(TableGrid((("Model",), ("Value",), ("Time",)), rows, "Table 1: Times.", "1"))
    assert {e.labels[-1] for e in found.entries} == {"Value", "Time"}


def test_labels_that_come_again_below_each_of_several_others_belong_to_these() -> None:
    rows = tuple((name, f"9{n}.5") for n, name in enumerate(("Gull", "4 eggs", "8 eggs", "Tern", "4 eggs", "8 eggs")))
    found = lay_out(TableGrid((("Bird",), ("Rate",)), rows, "Table 1: Rates.", "1"))
    birds = [("4 eggs", "Gull"), ("8 eggs", "Gull"), ("4 eggs", "Tern"), ("8 eggs", "Tern")]
    assert [(e.labels[0], e.labels[2]) for e in found.entries if "eggs" in e.labels[0]] == birds
