"""Tables with lines drawn in them: where they end, what their headings are above, what their labels are beside."""

from __future__ import annotations

import itertools
import random
from collections.abc import Sequence
from dataclasses import replace

import pymupdf
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.documents.records import Box, PageSize, Paragraph, ParsedDocument
from engine.documents.service import DocumentService
from engine.documents.tables import Table, find_tables, number_in
from engine.statements.grids import grid_of, lay_out
from engine.statements.tables import judge_in_document
from tests.engine.documents.laid_tables import cells, paragraph, rows
from tests.engine.documents.typeset import Paper, prose

CAPTION = paragraph(0, "caption", [(20, [(100, "Table 3: Sizes.")])])
SIZES = [["Kind", "Train", "Test"], ["Normal", "56", "37"], ["Other", "11", "45"], ["Last", "12", "46"]]


def flat(y: float, x0: float = 95, x1: float = 330) -> Box:
    return Box(1, x0, y, x1, y + 0.5)


def upright(x: float, y0: float = 40, y1: float = 100) -> Box:
    return Box(1, x, y0, x + 0.5, y1)


def table(rules: Sequence[Box], *paragraphs: Paragraph) -> Table:
    return find_tables(ParsedDocument("", (PageSize(1, 600, 800, 0),), paragraphs, "", 0, rules=tuple(rules)))[0]


def columns(found: Table) -> list[tuple[str, ...]]:
    return [tuple(filter(None, path)) for path in grid_of(found)[0].columns]


def body(*texts: list[str]) -> Paragraph:
    return paragraph(1, "table", rows(42, *texts))


@pytest.mark.parametrize(("many", "read"), [(200, 200), (600, 0)])
def test_a_page_with_as_many_lines_as_a_plot_has_yields_none(service: DocumentService, many: int, read: int) -> None:
    document = pymupdf.open()
    page = document.new_page(width=400, height=2 * many + 100)
    page.insert_text((20, 20), "Table 1: Sizes.")
    for n in range(many):
        page.draw_line((20, 30 + 2 * n), (300, 30 + 2 * n), width=0.4)
    assert len(service.parse(document.tobytes()).rules) == read


def test_lines_are_read_from_pages_with_the_caption_of_a_table(service: DocumentService) -> None:
    document = pymupdf.open()
    for number, rotation in enumerate((0, 90, 0)):
        page = document.new_page(width=400, height=300)
        caption = ("Table 1: Sizes.", "Supplementary Table 1: Sizes.", "No caption")[number]
        page.insert_text((200, 200), caption, rotate=rotation)
        for x in (60, 120, 185):
            page.draw_line((x, 60), (x + 60, 60), width=0.4)
        page.draw_rect(pymupdf.Rect(60, 69, 61, 76), fill=(0, 0, 0), width=0)
        page.draw_rect(pymupdf.Rect(60, 76, 61, 90), fill=(0, 0, 0), width=0)
        page.draw_rect(pymupdf.Rect(200, 100, 230, 130), fill=(0, 0, 0))
        page.set_rotation(rotation)
    rules = service.parse(document.tobytes()).rules
    first = [tuple(map(round, rule[1:])) for rule in rules if rule.page == 1]
    assert first == [(60, 60, 180, 60), (185, 60, 245, 60), (60, 69, 61, 90)], "what touches is one"
    turned = [tuple(map(round, rule[1:])) for rule in rules if rule.page == 2]
    assert sorted(turned) == [(210, 60, 231, 61), (240, 60, 240, 180), (240, 185, 240, 245)]
    assert {rule.page for rule in rules} == {1, 2}


@pytest.mark.parametrize(("bold", "said"), [(True, "supported"), (False, "")])
def test_the_best_numbers_in_bold_say_what_is_better(service: DocumentService, bold: bool, said: str) -> None:
    document = pymupdf.open()
    page = document.new_page(width=400, height=300)
    page.insert_text((60, 40), "Table 1: Four filters.")
    texts = [("Filter", "Spread"), ("Plain", "9.6M"), ("Wiener", "9.4M"), ("Kalman", "8.9M"), ("Deep", "8.1M")]
    for n, (name, value) in enumerate(texts):
        page.insert_text((60, 60 + 12 * n), name)
        page.insert_text((160, 60 + 12 * n), value, fontname="hebo" if bold and name == "Deep" else "helv")
    parsed = service.parse(document.tobytes())
    assert len(parsed.bold) == bold

    def verdict(sentence: str) -> str:
        found = judge_in_document(sentence, find_tables(parsed))
        return found.judgement.verdict if found else ""

    assert verdict("Wiener is better than Plain in spread.") == said
    assert verdict("The spread of Deep is 0.8M lower than that of Kalman.") == "supported"


def test_a_heading_over_some_columns_ends_with_the_line_below_it() -> None:
    top = ["", "", "Large", "", "", "Small"]
    below = ["Kind", "a", "b", "c", "d", "e"]
    numbers = [[f"z{n}", *(f"{n}.{k}" for k in range(5))] for n in range(3)]
    texts = rows(42, top, below, *numbers)
    texts[0] = (42, [(172, "Large"), (382, "Small")])
    rules = [flat(40, 95, 470), flat(52, 165, 330), flat(52, 372, 470), flat(65, 95, 470), flat(102, 95, 470)]
    found = table(rules, CAPTION, paragraph(1, "table", texts))
    expected = [("Kind",), ("Large", "a"), ("Large", "b"), ("Large", "c"), ("Small", "d"), ("Small", "e")]
    assert columns(found) == expected
    assert columns(replace(found, rules=())) != expected
    between = [upright(162, 40, 102), upright(350, 40, 102)]
    assert columns(table(between, CAPTION, paragraph(1, "table", texts))) == expected, "upright lines say the same"


def test_headings_end_at_the_first_line_across() -> None:
    texts = [["Size", "20", "30", "10"], *([f"z{n}", f"{n}.5", "7.0", "8.1"] for n in range(3))]
    assert not table([], CAPTION, body(*texts)).rows[0].header
    rules = [flat(40), flat(53, 95, 350), flat(90)]
    assert [row.header for row in table(rules, CAPTION, body(*texts)).rows] == [True, False, False, False]
    everywhere = [flat(40 + 12 * n, 95, 350) for n in range(5)]
    assert not table(everywhere, CAPTION, body(*texts)).rows[0].header, "between all rows they say nothing"
    words = [["Kind", "Train", "Test"], ["Name", "first", "second"], *SIZES[1:]]
    assert [row.header for row in table(rules, CAPTION, body(*words)).rows].count(True) == 1, "words may be values"
    parted = [["Kind", "5k", "", "10k"], ["", "a", "b", "c"], *([f"z{n}", "1.5", "7.0", "8.1"] for n in range(4))]
    lines = [upright(162, 40, 110), upright(302, 40, 110), upright(232, 53, 110)]
    assert [row.header for row in table(lines, CAPTION, body(*parted)).rows].count(True) == 2


def test_totals_above_a_line_and_missing_values_are_no_headings() -> None:
    totals = [
        ["2020 series", "count", "share"],
        ["Total", "93"],
        *([f"age {n}", f"{n}2", f"0.{n}"] for n in range(1, 5)),
    ]
    found = table([flat(40), flat(65), flat(113)], CAPTION, body(*totals))
    assert [row.header for row in found.rows] == [True, *[False] * 5]
    missing = [
        ["Name", "Prior", "True"],
        ["noise", "U(0, 1)", "-"],
        ["mean", "U(0, 2)", "-"],
        ["period", "U(1, 2)", "1.5"],
    ]
    assert [row.header for row in table([], CAPTION, body(*missing)).rows] == [True, False, False, False]


def test_a_caption_ends_where_the_table_begins() -> None:
    long = [(20, [(100, "Table 3: Sizes of the kinds")]), (42, [(100, "Kind")])]
    rest = paragraph(1, "table", [(42, [(170, "Train"), (240, "Test")]), *rows(54, *SIZES[1:])])
    caption = paragraph(0, "caption", long, width=25)
    found = table([], caption, rest)
    assert cells(found)[0] == ["Kind", "Train", "Test"], "it is level with headings"
    assert found.caption == "Table 3: Sizes of the kinds"
    drawn = table([flat(37), flat(53), flat(100)], paragraph(0, "caption", [long[0], rows(42, *SIZES)[0]], 25), rest)
    assert cells(drawn)[0][0] == "Kind", "a line is drawn above it"


@pytest.mark.parametrize("names", [("First", "Second"), ("6", "3")])
def test_labels_between_two_lines_name_all_rows_between_them(names: tuple[str, str]) -> None:
    numbers = [(42 + 12 * n, [(170, f"v{n}"), (240, f"{n}.5"), (310, "7.1")]) for n in range(4)]
    labels = [(48 + 24 * n, [(100, name)]) for n, name in enumerate(names)]
    head = (30, [(100, "Model"), (170, "Kind"), (240, "Train"), (310, "Test")])
    texts = paragraph(1, "table", sorted([head, *numbers, *labels]))
    caption = paragraph(0, "caption", [(10, [(100, "Table 3: Sizes.")])])
    found = table([flat(28), flat(41), flat(65), flat(90)], caption, texts)
    rules = [flat(28, 95, 350), flat(41, 95, 350), flat(65, 95, 350), flat(90, 95, 350)]
    found = table(rules, caption, texts)
    assert columns(found) == [("Model",), ("Kind",), ("Train",), ("Test",)]
    assert [row.cells[0].text for row in found.rows[1::2]] == [*names]


def test_lines_of_text_between_two_drawn_lines_are_one_row() -> None:
    texts = paragraph(
        1,
        "table",
        [
            *rows(42, ["Kind", "Train", "Of"]),
            *rows(60, ["Thomas and", "", "hand and"], ["others", "56", "machine"]),
            *rows(90, ["Lagree and", "11", "hand"], ["others", "", "alone"]),
            *rows(120, ["Last", "12", "none"]),
        ],
    )
    across = [flat(y) for y in (38, 57, 87, 117, 135)]
    assert cells(table(across, CAPTION, texts))[1:] == [
        ["Thomas and others", "56", "hand and machine"],
        ["Lagree and others", "11", "hand alone"],
        ["Last", "12", "none"],
    ]
    grouped = body(SIZES[0], *SIZES[1:] * 2)
    parted = [flat(y) for y in (38, 52, 88, 130)]
    assert len(table(parted, CAPTION, grouped).rows) == 7, "lines that part groups join none"


def test_labels_of_two_kinds_in_the_middle_of_their_rows_are_two_columns() -> None:
    lines = [(42, [(100, "Bird"), (170, "Part"), (240, "Text"), (310, "Score")])]
    for y, bird, score in ((56, "Owl", 1), (104, "Rook", 5)):
        texts = ("short", "long", "short", "long")
        lines += [(y + 12 * n, [(240, text), (310, f"{score + n}.5")]) for n, text in enumerate(texts)]
        lines += [(y + 6, [(170, "Whole")]), (y + 18, [(100, bird)]), (y + 30, [(170, "Half")])]
    texts = paragraph(1, "table", sorted(lines))
    found = table([flat(y, 95, 360) for y in (40, 53, 102, 151)], CAPTION, texts)
    names = [e.labels[:3] for e in lay_out(grid_of(found)[0]).entries]
    parts = [("Whole", "short"), ("Whole", "long"), ("Half", "short"), ("Half", "long")]
    assert names == [(bird, *part) for bird in ("Owl", "Rook") for part in parts]


def test_upright_lines_part_columns() -> None:
    texts = [(42 + 12 * n, [(100, f"z{n}"), (170, f"0.{n}"), (187, "x")]) for n in range(3)]
    close = paragraph(1, "table", texts)
    assert table([], CAPTION, close).columns == 2
    assert table([upright(186, 40, 80)], CAPTION, close).columns == 3


def test_the_head_of_a_table_on_many_pages_is_no_running_head(service: DocumentService) -> None:
    rng = random.Random(5)
    paper = Paper()
    for _ in range(30):
        paper.paragraph(prose(rng, 6))
    pages = range(0, len(paper.document), 2)
    for number in pages:
        page = paper.document[number]
        head, first = ["Name", "Accuracy", "Time"], ["none", f"{number}.5", "0.00"]
        for (y, row), column in itertools.product(((18, head), (28, first), (38, [f"z{number}", "1", "2"])), range(3)):
            page.insert_text((paper.margin + 90 * column, y), row[column], fontname="tiro", fontsize=7)
        for y in (11, 20, 40):
            page.draw_line((paper.margin, y), (paper.margin + 300, y), width=0.4)
        page.insert_text((paper.margin, 50), f"Table {number + 1}: Values.", fontname="tiro", fontsize=7)
    words = " ".join(p.text for p in service.parse(paper.finish()).paragraphs).split()
    assert words.count("Accuracy") == words.count("none") == len(pages) > 2


@pytest.mark.parametrize(
    ("text", "value"), [("$0.50", 0.5), ("0.46 (n=2181)", 0.46), ("15.0% [42]", 15.0), ("\u223c160", 160.0)]
)
def test_numbers_with_a_currency_or_a_count(text: str, value: float) -> None:
    assert (number_in(text) or (None,))[0] == value


def test_a_column_of_citations_is_apart_from_the_numbers_before_it() -> None:
    texts = [(42 + 12 * n, [(100, f"z{n}"), (170, f"1{n}.5"), (194, f"[{n}]")]) for n in range(3)]
    assert table([], CAPTION, paragraph(1, "table", texts)).columns == 3


LINE = st.tuples(st.integers(0, 590), st.integers(0, 200), st.integers(0, 300), st.booleans())


@given(st.lists(LINE, max_size=12))
def test_no_placing_of_lines_breaks_the_reader(lines: list[tuple[int, int, int, bool]]) -> None:
    rules = [Box(1, x, y, x + (1 if up else size), y + (size if up else 1)) for x, y, size, up in lines]
    grid_of(table(rules, CAPTION, body(*SIZES)))


def test_two_tables_as_wide_as_each_other_are_apart_at_the_caption_between_them() -> None:
    title = [(100 + 18 * n, word) for n, word in enumerate(("Table", "4:", "Other", "sizes."))]
    both = paragraph(1, "table", [*rows(42, *SIZES[:3]), (90, title), *rows(110, *SIZES[1:])])
    rules = [flat(y) for y in (40, 53, 80, 108, 121, 150)]
    found = find_tables(ParsedDocument("", (PageSize(1, 600, 800, 0),), (CAPTION, both), "", 0, rules=tuple(rules)))
    assert [cells(one) for one in found] == [SIZES[:3], SIZES[1:]]


def test_short_lines_in_two_tables_join_them_not_across_the_caption_between_them() -> None:
    first, second = paragraph(1, "table", rows(42, *SIZES)), paragraph(3, "table", rows(122, *SIZES))
    title = paragraph(2, "caption", [(104, [(170, "Table 4: Other sizes.")])])
    rules = [flat(y, 95 + 2 * n, 330 + 2 * n) for n, at in enumerate((40, 120)) for y in (at, at + 13, at + 49)]
    rules += [flat(at + 37, 95, 140) for at in (40, 120)]
    page = (PageSize(1, 600, 800, 0),)
    found = find_tables(ParsedDocument("", page, (CAPTION, first, title, second), "", 0, rules=tuple(rules)))
    assert [cells(one) for one in found] == [SIZES, SIZES]


def test_a_heading_between_upright_lines_further_down_is_whole() -> None:
    heads = [(42, [(100, "Name"), (176, "Close"), (194, "words")]), (54, [(150, "time"), (200, "rules")])]
    texts = [(66 + 12 * n, [(100, f"z{n}"), (150, f"{n}.5"), (200, f"{n}1")]) for n in range(3)]
    found = table([upright(193, 52, 105), upright(140), upright(240)], CAPTION, paragraph(1, "table", heads + texts))
    assert [cell.text for cell in found.rows[0].cells] == ["Name", "Close words"]


def test_two_columns_of_text_end_what_is_between_drawn_lines() -> None:
    texts = body(*SIZES, ["Sum", "79", "128"])
    prose_ = [
        paragraph(n, "body", [(120 + 12 * k, [(x, "so be it as we go on to")]) for k in range(8)], width=11, gap=2)
        for n, x in ((2, 95), (3, 220))
    ]
    left_out = [paragraph(4, "equation", [(216, [(95, "a 12 34"), (170, "5"), (240, "6")])])]
    rules = [flat(y) for y in (38, 53, 102, 230)]
    assert cells(table(rules, CAPTION, texts, *prose_, *left_out)) == [*SIZES, ["Sum", "79", "128"]]


def test_a_label_of_two_lines_around_its_numbers_is_one() -> None:
    lines = [(42, [(100, "Score"), (170, "Best"), (240, "Last")]), (56, [(100, "Loss")])]
    lines += [(61, [(170, "0.13"), (240, "0.14")]), (66, [(100, "(lower)")]), (78, [(100, "F1")])]
    lines[-1][1].extend([(170, "0.96"), (240, "0.92")])
    found = table([], CAPTION, paragraph(1, "table", lines))
    assert cells(found)[1:] == [["Loss (lower)", "0.13", "0.14"], ["F1", "0.96", "0.92"]]


def test_labels_that_end_with_a_sign_go_on_below_whatever_is_beside_them() -> None:
    lines = [["Kind", "Full", "Half"], ["Step, 7 sizes ×", "14", "9"], ["2 ways", "", ""], ["Dimen-", "128", "256 (as"]]
    lines += [["sion", "", "before)"], ["Size", "4096", "3840"], ["(model)", "", ""]]
    found = table([], CAPTION, paragraph(1, "table", rows(42, *lines), width=12))
    assert [row.label for row in found.rows[1:]] == ["Step, 7 sizes × 2 ways", "Dimension", "Size (model)"]


def test_headings_named_like_tables_are_no_captions() -> None:
    title = paragraph(0, "caption", [(8, [(100, "Tables")])])
    found = find_tables(ParsedDocument("", (PageSize(1, 600, 800, 0),), (title, CAPTION, body(*SIZES)), "", 0))
    assert [(t.number, len(t.rows)) for t in found] == [("3", 4)]


def test_labels_a_little_above_their_rows_are_one_for_each() -> None:
    lines = [(42, [(100, "Kind"), (170, "Size"), (240, "Rate")])]
    for n, (y, name) in enumerate(((56, "Corn"), (74, "Beans"), (92, "Both"))):
        lines += [(y, [(100, name)]), (y + 4, [(170, f"{n}1"), (240, f"{n}.5")])]
    found = table([flat(y) for y in (40, 53, 110)], CAPTION, paragraph(1, "table", lines))
    assert [row.label for row in found.rows[1:]] == ["Corn", "Beans", "Both"]


def test_a_label_of_two_lines_beside_rows_in_the_middle_names_all_between_the_lines() -> None:
    lines = [(42, [(100, "Type"), (170, "Kind"), (240, "Rate")])]
    for y, first, second in ((56, "Type I", "Square"), (104, "Type II", "Column")):
        parts = ("", first, second, "")
        for n, (part, kind) in enumerate(zip(parts, ("Rel", "Rec", "Sum", "Top"), strict=True)):
            lines.append((y + 12 * n, [(100, part)] * bool(part) + [(170, kind), (240, f"{n}.{y}")]))
    found = table([flat(y) for y in (40, 53, 102, 151)], CAPTION, paragraph(1, "table", lines))
    names = [e.labels[:2] for e in lay_out(grid_of(found)[0]).entries]
    assert names == [(a, b) for a in ("Type I Square", "Type II Column") for b in ("Rel", "Rec", "Sum", "Top")]


def test_tables_of_a_supplement_have_numbers_of_their_own() -> None:
    own = paragraph(0, "caption", [(20, [(100, "Supplementary Table 3: Sizes.")])])
    found = table([], own, body(*SIZES))
    assert (found.number, cells(found)) == ("S3", SIZES)
    judged = judge_in_document("Supplementary Table 3 gives Normal a Test of 37.", [found])
    assert judged is not None and judged.judgement.verdict == "supported"
    assert judge_in_document("Table 3 gives Normal a Test of 73.", [found]) is None


def test_words_of_the_other_column_of_text_are_no_cells() -> None:
    beside = paragraph(2, "other", [(42, [(10, "M")]), (54, [(10, "= 1 if")]), (66, [(10, "0 otherwise")])])
    rules = [flat(40, 95), flat(53, 95), flat(92, 95)]
    assert cells(table(rules, CAPTION, body(*SIZES), beside)) == SIZES


def test_asymmetric_errors_belong_to_their_number() -> None:
    texts = [["Fit", "Dust", "Clear"], ["slope", "1.36+0.22", "1.56+0.03"], ["", "−0.48", "−0.75"]]
    found = table([], CAPTION, body(*texts, ["shift", "17.98+0.23 −0.07", "0.05"], ["bend", "3", "4"], ["", "−5", "6"]))
    assert cells(found)[1:3] == [["slope", "1.36+0.22 −0.48", "1.56+0.03 −0.75"], ["shift", "17.98+0.23 −0.07", "0.05"]]
    assert [cell.number for row in found.rows[1:3] for cell in row.cells[1:]] == [1.36, 1.56, 17.98, 0.05]
    assert cells(found)[-1] == ["−5", "6"], "they are below numbers without an upper error"


def test_a_caption_in_the_block_of_its_table_ends_at_the_line_below_it() -> None:
    caption = (26, [(104, "Table 3: Sizes of the sets.")])
    found = table([flat(38)], paragraph(0, "table", [caption, *rows(42, *SIZES)]))
    assert cells(found) == SIZES and found.caption == "Table 3: Sizes of the sets."
