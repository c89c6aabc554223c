"""Columns of tables: where they part, which headings are above them, and labels over several lines."""

from __future__ import annotations

import random
from dataclasses import replace

import pymupdf
import pytest

from engine.documents.extraction import _tokens
from engine.documents.service import DocumentService
from engine.documents.tables import find_tables
from tests.engine.documents.laid_tables import Placed, cells, grid, paragraph, read, rows, table
from tests.engine.documents.typeset import Paper, prose


def test_narrow_gaps_part_numbers_but_not_the_words_of_a_label(service: DocumentService) -> None:
    rows = [
        ["train", "test", "F", "seconds"],
        ["news", "Szeged NER", "94.50", "1.25"],
        ["news with long lists", "Szeged NER", "63.08", "11.75"],
        ["lists", "Szeged NER", "95.48", "2.50"],
    ]
    width = pymupdf.get_text_length("news with long lists", fontname="tiro", fontsize=9)
    # A label ends just before the next column, and two columns of numbers are nearer than a wide blank.
    columns = [0.0, width + 12, width + 90, width + 96 + pymupdf.get_text_length("11.75", fontname="tiro", fontsize=9)]
    assert read(service, "Table 1: Scores.", ("", grid(columns, rows, right=False), 70)) == [rows]


def test_the_longest_of_the_labels_may_come_close_to_the_numbers(service: DocumentService) -> None:
    width = pymupdf.get_text_length("Triplet network", fontname="tiro", fontsize=9)
    rows = [["Model", "Look", "Taste"], *([name, f"0.6{n}", f"0.7{n}"] for n, name in enumerate(["LDA", "BoW", "CNN"]))]
    rows.append(["Triplet network", "0.85", "0.92"])
    assert read(service, "Table 1: Scores.", ("", grid([0, width + 3.5, width + 60], rows), 74)) == [rows]


def test_changes_in_a_column_of_their_own_are_no_errors_of_the_numbers_before_them(service: DocumentService) -> None:
    rows = [["Task", "F1", "Gain"], ["quiz", "0.65", "+0.44"], ["exam", "0.69", "+0.07"], ["oral", "0.64", "-0.41"]]
    assert read(service, "Table 1: Scores.", ("", grid([0, 60, 80], rows), 62)) == [rows]


def test_a_gap_without_a_space_parts_two_numbers() -> None:
    places = [(0.0, "7"), (4.5, "0"), (9.0, "⋆"), (19.0, "7"), (23.5, "1")]
    chars = [{"c": c, "bbox": (x, 0.0, x + 4.5, 9.0), "origin": (x, 8.0)} for x, c in places]
    tokens = _tokens([{"chars": chars, "size": 9.0, "font": "Times", "flags": 0}], None)
    assert [(token.text, token.x0, token.x1) for token in tokens] == [("70⋆", 0.0, 13.5), ("71", 19.0, 28.0)]


def test_a_label_alone_beneath_the_headings_names_the_rows_below(service: DocumentService) -> None:
    rows = [["Model", "LP"], ["English", ""], ["one", "70.7"], ["French", ""], ["two", "73.7"]]
    paper = Paper()
    paper.heading("1 Results")
    paper.paragraph(prose(random.Random(2), 5), first=True)
    paper.caption("Table 1: Scores.")
    paper.placed(grid([0, 80], rows), 80)
    paper.paragraph(prose(random.Random(3), 5))
    (table,) = find_tables(service.parse(paper.finish()))
    assert [row.header for row in table.rows] == [True, False, False, False, False]


def parts_of_a_table(first: str) -> list[tuple[float, float, str]]:
    """Cells of a table in two parts with titles over the middle of the columns, ``first`` ending the first part."""
    rows = [["Model", "LP", "LR"], ["one", "70.7", "71.2"], ["two", "73.7", first], ["one", "60.1", "62.5"]]
    below = [
        (x, y + 12 * (n > 0) + 12 * (n > 2), text) for n, row in enumerate(rows) for x, y, text in grid_row(n, row)
    ]
    return [*below, (132.0, 24.0, "news"), (132.0, 60.0, "mail")]


def grid_row(n: int, row: list[str]) -> Placed:
    return [(x, 12.0 * (n + 1), text) for x, text in zip((0.0, 80.0, 132.0), row, strict=True)]


@pytest.mark.parametrize("last", ["74.1", "-"])
def test_titles_over_the_columns_belong_to_no_heading_and_no_cell(service: DocumentService, last: str) -> None:
    (rows,) = read(service, "Table 1: Scores.", ("", parts_of_a_table(last), 90))
    assert rows == [
        ["Model", "LP", "LR"], ["", "", "news"], ["one", "70.7", "71.2"], ["two", "73.7", last], ["", "", "mail"],
        ["one", "60.1", "62.5"],
    ]  # fmt: skip
    paper = Paper()
    paper.paragraph(prose(random.Random(2), 5), first=True)
    paper.caption("Table 1: Scores.")
    paper.placed(parts_of_a_table(last), 90)
    (table,) = find_tables(service.parse(paper.finish()))
    assert [row.header for row in table.rows] == [True, False, False, False, False, False]


def test_labels_that_go_on_in_a_second_line_are_one(service: DocumentService) -> None:
    rows = [
        ["Data set", "Reads", "Words"],
        ["Reads that were ran-", "2,250", "1,973"],
        ["domly generated", "", ""],
        ["Simulated reads", "3,757", "2,133"],
        ["with errors", "", ""],
        ["Real reads", "4,004", "2,079"],
    ]
    (found,) = read(service, "Table 1: Sizes of data sets.", ("", grid([0, 150, 220], rows), 90))
    assert [row[0] for row in found[1:]] == [
        "Reads that were randomly generated",
        "Simulated reads with errors",
        "Real reads",
    ]


def test_headings_that_are_numbers_are_headings(service: DocumentService) -> None:
    rows = [["Game", "10M", "50M"], ["one", "2.5", "3.5"], ["two", "4.5", "5.5"]]
    paper = Paper()
    paper.heading("1 Results")
    paper.paragraph(prose(random.Random(2), 5), first=True)
    paper.caption("Table 1: Scores after steps.")
    paper.placed(grid([0, 80, 160], rows), 60)
    paper.paragraph(prose(random.Random(3), 5))
    (table,) = find_tables(service.parse(paper.finish()))
    assert [row.header for row in table.rows] == [True, False, False]


def test_headings_over_numbers_close_to_each_other_join_no_columns(service: DocumentService) -> None:
    rows = [["Model", "Highlight", ""], ["", "Prec", "Rec"], ["first", "57.42", "49.95"], ["second", "50.94", "44.41"]]
    cells = [(x + 8 * (text == "Highlight"), y, text) for x, y, text in grid([0, 80, 106], rows)]
    assert read(service, "Table 1: Scores.", ("", cells, 60))[0][1:] == rows[1:]


def test_a_heading_is_cut_where_the_columns_below_are(service: DocumentService) -> None:
    font = {"fontname": "tiro", "fontsize": 9}
    wide = pymupdf.get_text_length("Method of analysis", **font)
    rows = [["Method of analysis", "Energy"], *([f"by {n}", f"{n}.25"] for n in "ABC")]
    cells = [(0.0, 12.0, rows[0][0]), (wide + 5, 12.0, rows[0][1])]  # wider than a word space, but no wide blank
    cells += [(x, 24.0 + 12 * n, row[c]) for n, row in enumerate(rows[1:]) for c, x in ((0, 20.0), (1, wide + 8))]
    assert read(service, "Table 1: Energies.", ("", cells, 60)) == [rows]


def test_two_headings_set_close_are_above_a_column_each(service: DocumentService) -> None:
    rows = [["Model", "LP(news)", "LR(news)"], *([n, f"{k}0.7(+0.1)", f"{k}1.2(-0.1)"] for k, n in enumerate("ABC", 1))]
    font = {"fontname": "tiro", "fontsize": 9}
    first = 80 + pymupdf.get_text_length("LP(news)", **font)
    wide = 76 + pymupdf.get_text_length("10.7(+0.1)", **font) + 10
    cells = [(x, 12.0, text) for x, text in zip((0.0, 84.0, first + 8), rows[0], strict=True)]
    cells += [(x, 24.0 + 12 * n, t) for n, row in enumerate(rows[1:]) for x, t in zip((0, 76, wide), row, strict=True)]
    assert read(service, "Table 1: Scores.", ("", cells, 60)) == [rows]


def test_headings_of_several_words_set_close_end_where_their_columns_do(service: DocumentService) -> None:
    rows = [["Plot", "Height (m)", "Drift (%)", "Recall (kg)"], *([f"Plot {n}", "2.5", "11", "40"] for n in "ABC")]
    ends, cells = [0.0, 70.0, 106.0, 152.0], list[tuple[float, float, str]]()
    for n, row in enumerate(rows):
        cells += grid(ends, [row], leading=12 * (n + 1), right=True)
    assert read(service, "Table 1: Plots.", ("", cells, 60)) == [rows]


def test_a_comma_on_a_page_set_sideways_is_no_mark_below_a_digit(service: DocumentService) -> None:
    with pymupdf.open() as document:
        page = document.new_page(width=600, height=800)
        for n in range(12):
            page.insert_text((100 + 20 * n, 700), f"Row {n} of the table has 6,114 and then 7,{n}00 plots.", rotate=90)
        page.set_rotation(90)
        (text,) = [" ".join(p.text for p in service.parse(document.tobytes()).paragraphs)]
    assert text.count("6,114") == 12 and "̦" not in text


def test_wide_spaces_in_one_justified_label_part_no_columns(service: DocumentService) -> None:
    names = ["Meals and pressure", "Unmet spacing of visits", "Births at home", "Letters and phones"]
    rows = [["Pathway", "IPW", "Mean"], *([name, f"2.{n}", f"+1.{n}"] for n, name in enumerate(names))]
    cells = [cell for cell in grid([0, 120, 160], rows) if cell[2] != names[0]]
    cells += [(35.0 * n, 24.0, word) for n, word in enumerate(names[0].split())]
    assert read(service, "Table 1: Effects.", ("", cells, 80)) == [rows]


def test_a_number_within_some_labels_is_no_column(service: DocumentService) -> None:
    long = [["Evolved Noise   05", "0.41"], ["Evolved Noise   16", "0.42"]]
    rows = [["Player", "Mean"], *long, ["Win", "0.44"], ["Go", "0.43"], ["All", "0.47"]]
    found = read(service, "Table 1: Players.", ("", grid([0, 120], rows), 84))
    assert [row[-1] for row in found[0]] == [row[1] for row in rows]
    assert [len(row) for row in found[0]] == [2] * len(rows)


def test_a_heading_is_not_cut_at_its_relation() -> None:
    heads = (80, [(125, "d"), (143, "≤1pp"), (265, "d"), (283, "≤3pp")])
    below = rows(92, *(["PCA", "7.5", "8.5", "9.5", "6.5"] for _ in range(3)), left=30)
    (first, *_) = cells(
        table(paragraph(0, "caption", [(60, [(30, "Table 1: Scores.")])]), paragraph(1, "table", [heads, *below]))
    )
    assert first == ["d ≤1pp", "d ≤3pp"]


def test_brackets_beneath_a_label_belong_to_it() -> None:
    texts = rows(80, ["kind", "a", "b"], ["6 patched", "7.5", "8.5"], ["6 patched", "6.5", "5.5"], ["(not trusted)"])
    found = table(paragraph(0, "caption", [(60, [(30, "Table 1: Scores.")])]), paragraph(1, "table", texts))
    assert [row[0] for row in cells(found)] == ["kind", "6 patched", "6 patched (not trusted)"]


def test_a_low_letter_in_the_middle_of_its_line_is_a_heading_and_a_raised_mark_is_none() -> None:
    made = paragraph(1, "table", rows(80, ["kind", "mean", "σ"], ["one", "7.5", "8.5"], ["two", "6.5", "5.5"]))
    for rise, heads in ((0.0, ["kind", "mean", "σ"]), (1.0, ["kind", "mean"])):
        low = [
            w._replace(box=w.box._replace(y0=w.box.y0 + 2.5 - rise, y1=w.box.y1 - 2.5 - rise))
            if made.text[w.start : w.end] == "σ"
            else w
            for w in made.words
        ]
        caption = paragraph(0, "caption", [(60, [(100, "Table 1: Sizes.")])])
        assert cells(table(caption, replace(made, words=tuple(low))))[0] == heads


def test_a_cross_for_what_is_missing_has_a_column_of_its_own() -> None:
    texts = rows(80, ["kind", "end", "fall"], ["one", "1.86", "×"], ["two", "0.97", "×"], ["ten", "1.6", "0.91"])
    found = table(paragraph(0, "caption", [(60, [(100, "Table 1: Times.")])]), paragraph(1, "table", texts))
    assert cells(found) == [[text for _, text in row] for _, row in texts]


def test_a_title_of_evenly_spaced_words_over_several_columns_is_one_cell() -> None:
    values = [[(100, name), (154, "0.5"), (190, f"0.{n}")] for n, name in enumerate(("one", "two"), 6)]
    lines = [(80, [(100, "kind"), (154, "TAP"), (190, "MHL")])]
    for at, many in ((92, 10), (128, 20)):
        lines.append((at, [(136, f"Precision after all {many} documents")]))
        lines += [(at + 12.0 * n, row) for n, row in enumerate(values, 1)]
    found = table(paragraph(0, "caption", [(60, [(100, "Table 1: Precision.")])]), paragraph(1, "table", lines))
    assert cells(found)[1::3] == [["Precision after all 10 documents"], ["Precision after all 20 documents"]]


def test_labels_of_groups_have_a_column_beside_numbers_in_brackets() -> None:
    names = [
        ["XJTU", "Random", "0.422 [0.400; 0.436]"],
        ["", "Random", "0.439 [0.410; 0.458]"],
        ["", "Block", "−4.957"],
    ]
    texts = rows(80, ["Data", "Split", "R"], *names, ["PHM", *names[0][1:]], *names[1:])
    found = table(paragraph(0, "caption", [(60, [(100, "Table 1: Splits.")])]), paragraph(1, "table", texts))
    assert cells(found)[1][:2] == ["XJTU", "Random"]


def test_a_label_above_and_below_its_numbers_is_one_in_any_column() -> None:
    lines = [(80 + 12.0 * n, [(100, "kind"), (170, "form"), (240, f"{n}.5"), (310, "7.5")]) for n in range(2)]
    lines += [(106, [(170, "bag with")]), (112, [(100, "late"), (240, "8.5"), (310, "9.5")]), (118, [(170, "cosine")])]
    found = table(paragraph(0, "caption", [(60, [(100, "Table 1: Forms.")])]), paragraph(1, "table", lines))
    assert cells(found)[2:] == [["late", "bag with cosine", "8.5", "9.5"]]


def test_a_heading_that_ends_with_its_column_is_above_it_even_if_it_begins_above_the_labels() -> None:
    lines = [(80, [(106, "non syntactic words now"), (236, "others")])]
    lines += [(92 + 12.0 * n, [(100, "all truncated"), (160, f"0.{n}"), (236, "9.5")]) for n in range(3)]
    found = table(paragraph(0, "caption", [(60, [(100, "Table 1: Words.")])]), paragraph(1, "table", lines))
    assert [cell.column for cell in found.rows[0].cells] == [1, 2]
