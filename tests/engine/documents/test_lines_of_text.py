"""Single decisions about lines: text or formula, one column or two, the same paragraph or the next."""

from __future__ import annotations

from dataclasses import replace

import pymupdf
import pytest

from engine.documents.assembly import _goes_on, join_blocks
from engine.documents.captions import join_labels
from engine.documents.columns import _merge_pieces, _split_at, order_pages, rejoin, set_margins
from engine.documents.extraction import read_page
from engine.documents.glyphs import learn
from engine.documents.grouping import Block, Style, group, is_bullet, learn_style, mark_parts, starts_item
from engine.documents.kinds import _extent, _has_neighbour, _is_heading, _is_paragraph, _mark_rest, is_equation
from engine.documents.page_text import Line, PageText, Token

STYLE = Style(10.0, "Text", {10.0: 12.0}, indents=True)


def line(text: str, *, x0: float = 70.0, x1: float = 300.0, size: float = 10.0, bold: int = 0, column: int = 1) -> Line:
    """A line of evenly wide words; the first ``bold`` ones are bold, words of one letter are set as formulas."""
    words = text.split()
    width = (x1 - x0 + 3) / len(words)
    tokens = [
        Token(word, x0 + at * width, 91.0, x0 + (at + 1) * width - 3, 101.0, 100.0, size,
              "CMMI10" if len(word.strip(",.")) == 1 else "Text", at < bold, False, (("Text", word),))
        for at, word in enumerate(words)
    ]  # fmt: skip
    made = Line(1, tokens)
    made.left, made.right, made.column = 70.0, 300.0, column
    return made


@pytest.mark.parametrize(("x0", "x1", "formula"), [(70, 300, False), (84, 298, False), (110, 260, True)])
def test_a_line_with_words_from_margin_to_margin_is_no_formula(x0: float, x1: float, formula: bool) -> None:
    text = "where m = a + b , n = c + d , neither x nor y such that z = a + b + c ,"
    assert is_equation(Block([line(text, x0=x0, x1=x1)])) is formula


@pytest.mark.parametrize(
    ("text", "font"),
    [
        ("Οι μετρήσεις επαναλήφθηκαν τρεις φορές υπό τις ίδιες συνθήκες", "Text"),
        ("the scales of our growers were read by two people at once", "STIXTwoText-Regular"),
    ],
)
def test_words_of_another_alphabet_or_of_a_text_font_for_mathematics_are_no_formula(text: str, font: str) -> None:
    one = line(text)
    for token in one.tokens:
        token.font = font
    assert not is_equation(Block([one]))


@pytest.mark.parametrize("size", [10.0, 14.4])
def test_columns_part_beside_a_larger_heading(size: float) -> None:
    left = line("2 Implementation of the Inter-", x0=70, x1=295, size=size)
    right = line("improvements.", x0=306, x1=360)
    pieces = _split_at(Line(1, [*left.tokens, *right.tokens]), 300.5, 306)
    assert [piece.text for piece in pieces] == ["2 Implementation of the Inter-", "improvements."]


@pytest.mark.parametrize(("start", "parts"), [(304.0, 2), (320.0, 1)])
def test_a_narrow_gap_parts_columns_where_the_lines_of_the_right_one_begin(start: float, parts: int) -> None:
    left, right = line("2 The rivers of the upper val-", size=14, x1=296), line("2.1 Floods", x0=304, x1=360, size=14)
    assert len(_split_at(Line(1, [*left.tokens, *right.tokens]), 300, start)) == parts


def under(upper: list[Line], lower: list[Line], gap: float) -> tuple[Block, Block]:
    """Two blocks, the second one below the first."""
    for at, one in enumerate(lower):
        for token in one.tokens:
            token.y0, token.y1, token.base = (y + gap + 12 * at for y in (token.y0, token.y1, token.base))
        one.forget()
    return Block(upper), Block(lower)


@pytest.mark.parametrize(
    ("label", "text", "gap", "joined"),
    [
        ("Table 2", "Warmth of the hives in both meadows", 12, True),
        ("Table 2", "Warmth of the hives in both meadows", 40, False),
        ("Table 2", "3.4 5.6 7.8 9.0", 12, False),
        ("Table two", "Warmth of the hives in both meadows", 12, False),
    ],
)
def test_the_label_of_a_caption_on_a_line_of_its_own_goes_with_its_text(
    label: str, text: str, gap: float, joined: bool
) -> None:
    blocks = [*under([line(label, x1=104)], [line(text)], gap)]
    join_labels(blocks, STYLE)
    assert [block.kind for block in blocks] == (["caption"] if joined else ["body", "body"])


@pytest.mark.parametrize(("label", "parts"), [("Table 2:", 1), ("Table two:", 2)])
def test_lines_of_a_caption_hang_under_its_first_word(label: str, parts: int) -> None:
    above = line(f"{label} Warmth of the hives that were kept in both of the")
    below = line("meadows of the", x0=above.tokens[2].x0, x1=180)
    under([above], [below], 12)
    below.left = above.left = above.x0 + 0.1
    assert len(group([above, below], STYLE, learn([above, below]))) == parts


def placed(text: str, page: int, *, x0: float = 70.0, x1: float = 300.0) -> Block:
    made = line(text, x0=x0, x1=x1)
    made.page = page
    return Block([made])


@pytest.mark.parametrize(("lines_before", "words"), [(2, "Warmth Honey"), (1, "Warmth Honey"), (1, "honey")])
def test_what_breaks_off_waits_for_its_rest_behind_words_of_a_float(lines_before: int, words: str) -> None:
    before = ["The hives of the upper meadow were", "warm in spring, and those of the lower"]
    first = Block([line(text) for text in before[-lines_before:]])
    label = placed(words, 2, x0=90, x1=120)
    rest = placed("meadow were cool in autumn, as was said.", 2)
    table = placed("3.4 5.6", 2, x1=120)
    table.kind = "table"
    lines = [x for block in (first, label, rest) for x in block.lines]
    joined = join_blocks([first, label, table, rest], STYLE, learn(lines))
    assert [block.text for block in joined] == [f"{' '.join(before[-lines_before:])} {rest.text}", words, "3.4 5.6"]


@pytest.mark.parametrize(("page", "ended", "parts"), [(2, "", 2), (1, "", 3), (2, ".", 3)])
def test_what_breaks_off_goes_on_below_a_listing_on_the_next_page(page: int, ended: str, parts: int) -> None:
    first = Block([line("The hives of the upper meadow were"), line("warm in spring, and those of the old" + ended)])
    listing = placed("for hive in hives: weigh(hive)", page, x1=180)
    listing.kind = "code"
    rest = placed("Apiary were cool in autumn, as was said.", page)
    blocks = [first, listing, rest]
    joined = join_blocks(blocks, STYLE, learn([x for block in blocks for x in block.lines]))
    assert len(joined) == parts


@pytest.mark.parametrize(("starts", "parts"), [((82, 82, 70), [1, 2]), ((70, 70, 70), [3]), ((82, 82, 82), [3])])
def test_two_indented_lines_begin_two_paragraphs(starts: tuple[int, ...], parts: list[int]) -> None:
    texts = ("The hives of the upper meadow were warm.", "The hives of the lower meadow were cool", "in spring.")
    lines: list[Line] = []
    for text, x0 in zip(texts, starts, strict=True):
        lines.append(line(text, x0=x0))
    for at, one in enumerate(lines):
        under([], [one], 12.0 * at)
    assert [len(block.lines) for block in group(lines, STYLE, learn(lines))] == parts


def test_indents_are_not_measured_in_the_list_of_references() -> None:
    lines = []
    for at in range(12):
        whole = line("The hives of the upper meadow were warm.", x1=200, x0=70)
        goes_on = line("The hives of the lower meadow were cool and so on", x0=82 if at < 4 else 70)
        for one in (whole, goes_on):
            under([], [one], 12.0 * len(lines))
            lines.append(one)
    assert learn_style(lines, lines[:8]).indents
    assert not learn_style(lines, lines).indents


def test_a_sentence_that_has_its_rest_waits_for_nothing_more() -> None:
    first = Block([line("The hives of the upper meadow were"), line("warm in spring, and those of the lower")])
    rest = placed("meadow were cool in autumn, as was said.", 2, x1=250)
    other = placed("Honey was weighed twice in both.", 3, x1=180)
    loose = placed("and the wax of it was not.", 4)
    blocks = [first, rest, other, loose]
    joined = join_blocks(blocks, STYLE, learn([x for block in blocks for x in block.lines]))
    assert [block.last.page for block in joined] == [2, 3, 4]


def test_a_page_keeps_its_own_columns_where_those_of_others_would_cut_its_lines() -> None:
    def page(number: int, left: float) -> PageText:
        rows = [(left, left + 220), (left + 230, left + 450)]
        made = PageText(number, 595, 842, 0)
        for n in range(30):
            for x0, x1 in rows[: 1 if n == 10 else 2]:
                one = line("and so it was seen by all of us who were in town", x0=x0, x1=x1)
                under([], [one], 12.0 * n)
                one.page = number
                made.lines.append(one)
        return made

    ordered = order_pages([page(1, 60), page(2, 90), page(3, 60)])
    assert [[one.column for one in lines] for lines in ordered] == [[1] * 30 + [2] * 29] * 3


@pytest.mark.parametrize(
    ("first", "goes_on"),
    [
        (line("And the rest of what was said before about it", column=2), True),
        (line("Remediation efficacy The rest of what was said", bold=2, column=2), False),
        (line("Concretely we take the following ones:", x0=85, x1=250, column=2), False),
    ],
)
def test_a_full_last_line_goes_on_but_not_into_a_heading_or_an_indented_line(first: Line, goes_on: bool) -> None:
    last = line("and so it was seen by all of us in the town.")
    reading = learn([last, first])
    assert _goes_on(Block([last]), Block([first]), STYLE, reading, equation_between=False) is goes_on


@pytest.mark.parametrize(("label", "parts"), [("Table 2:", 2), ("Table 2 has", 1), ("Table two:", 1)])
def test_a_caption_as_close_as_the_lines_of_the_text_begins_a_block(label: str, parts: int) -> None:
    above = line("and all of it is to be found in what is said below there.")
    below = line(f"{label} the settings that were looked for over all of it")
    for token in below.tokens:
        token.y0, token.y1, token.base = token.y0 + 12, token.y1 + 12, token.base + 12
    below.forget()
    assert len(group([above, below], STYLE, learn([above, below]))) == parts


@pytest.mark.parametrize(
    ("x0", "below", "kinds"), [(140, 0, ["caption"]), (70, 14, ["caption"]), (70, 60, ["body"] * 2)]
)
def test_a_caption_has_the_text_beside_or_below_its_label(x0: float, below: float, kinds: list[str]) -> None:
    label, text = line("Figure S4.", x1=130, bold=99), line("The mills of the town on each day of the year", x0=x0)
    text.tokens = [replace(token, base=token.base + below) for token in text.tokens]
    blocks = [Block([label]), Block([text])]
    join_labels(blocks, STYLE)
    assert [block.kind for block in blocks] == kinds


@pytest.mark.parametrize(
    ("text", "opens", "heading"),
    [
        ("3 THE STREETS AS A GROUND FOR COUNTING OF CARTS", True, True),
        ("5. LIMITS AND EXTENSIONS OF wobble AND OTHERS", True, True),
        ("3 THE STREETS AS A GROUND FOR COUNTING OF CARTS", False, False),
        ("3 The streets as a ground for counting of carts", True, False),
    ],
)
def test_a_numbered_line_of_capitals_is_a_heading_however_wide(text: str, opens: bool, heading: bool) -> None:
    assert _is_heading(Block([line(text)]), text, STYLE, opens) is heading


def test_the_pieces_of_a_line_join_where_the_lines_around_them_end() -> None:
    """An abstract is narrower than its column; a wide space after a sentence parts no line of it."""
    above, below = line("the roofs and walls of all streets here", x0=90, x1=280), line("of a town", x0=90, x1=280)
    row = [line("mills too.", x0=90, x1=140), line("We saw them go on", x0=148, x1=280)]
    for one, base in ((above, -12.0), (below, 12.0)):
        one.tokens = [replace(token, base=token.base + base) for token in one.tokens]
    assert [piece.text for piece in rejoin([above, *row, below])][1] == "mills too. We saw them go on"
    apart = rejoin(row)
    assert len(apart) == 2, "nothing shows that the row is no row of a table"


@pytest.mark.parametrize(
    ("mark", "font", "gap", "bullet"),
    [
        ("\u2022", "Text", 3.0, True),
        ("\ue088", "Signs", 5.0, True),
        ("\ue088", "Text", 5.0, False),
        ("\ue088", "Signs", 1.0, False),
    ],
    ids=["known", "unknown, of a font of its own", "unknown, of the text's font", "unknown, close to the word"],
)
def test_a_glyph_of_unknown_meaning_before_words_is_the_mark_of_an_item(
    mark: str, font: str, gap: float, bullet: bool
) -> None:
    words = line("the streets and mills of the town", x0=80)
    sign = replace(words.tokens[0], text=mark, x0=75.0, x1=80 - gap, font=font, pieces=((font, mark),))
    item = Line(1, [sign, *words.tokens])
    assert is_bullet(item) is bullet
    assert starts_item(item) is bullet


@pytest.mark.parametrize(("font", "heading"), [("CMR10", False), ("CMCSC10", True)])
def test_notes_below_a_table_in_the_text_s_own_font_are_no_heading(font: str, heading: bool) -> None:
    style = Style(12.0, "CMR12", {12.0: 14.5}, indents=True)
    note = line("Sources of the numbers of mills and of streets", x1=250, size=11.5)
    note.tokens = [replace(token, font=font) for token in note.tokens]
    assert _is_heading(Block([note]), note.text, style, opens=True) is heading


@pytest.mark.parametrize(("x0", "parts"), [(70, 2), (120, 1)], ids=["at the margin", "indented"])
def test_two_headings_below_each_other_stay_two(x0: float, parts: int) -> None:
    above, below = line("Thanks to all", x0=x0, x1=170, bold=3), line("Mills", x0=x0, x1=160, bold=1)
    below.tokens = [replace(token, base=token.base + 12) for token in below.tokens]
    assert len(group([above, below], STYLE, learn([above, below]))) == parts


@pytest.mark.parametrize(("bold", "cells"), [(3, False), (0, True)])
def test_a_bold_beginning_apart_from_the_rest_of_its_line_is_no_cell(bold: int, cells: bool) -> None:
    first, rest = line("The old mills.", x0=70, x1=140, bold=bold), line("of the town and its roofs", x0=150, x1=300)
    under = line("that were counted by the king", x0=70, x1=300)
    under.tokens = [replace(token, base=token.base + 12, y1=token.y1 + 12) for token in under.tokens]
    blocks = [Block([first]), Block([rest, under])]
    assert _has_neighbour(0, [0, 1], blocks, {at: _extent(block) for at, block in enumerate(blocks)}) is cells


@pytest.mark.parametrize(("label", "lines"), [("Table 1.", 1), ("Figure 4.7:", 1), ("Table top", 2)])
def test_the_label_of_a_caption_is_in_the_line_of_its_text_however_wide_the_space(label: str, lines: int) -> None:
    pieces = [line(label, x0=155, x1=195), line("Changes after one orbit of the sun", x0=205, x1=455)]
    (page,) = order_pages([PageText(1, 612.0, 792.0, 0, pieces)])
    assert len(page) == lines


@pytest.mark.parametrize(("points", "lines"), [(1001, 1), (1000, 1001)])
def test_the_points_of_a_plot_are_no_text(points: int, lines: int) -> None:
    """Plots are drawn with signs of a font by some programs: a hundred thousand of them took hours to read."""
    with pymupdf.open() as document:
        page = document.new_page(width=1200, height=1200)
        page.insert_text((50, 50), "What the plot shows")
        shape = page.new_shape()
        for point in range(points):
            shape.insert_text((50 + 30 * (point % 35), 100 + 30 * (point // 35)), "l", fontname="zadb", fontsize=4)
        shape.commit()
        assert len(read_page(page).lines) == lines


@pytest.mark.parametrize(("heights", "lines"), [(151, 2), (150, 152)])
def test_points_that_overlap_are_those_of_a_plot_where_they_have_more_heights_than_a_page_has_rows(
    heights: int, lines: int
) -> None:
    with pymupdf.open() as document:
        page = document.new_page(width=1200, height=1200)
        page.insert_text((50, 50), "What the plot shows")
        page.insert_text((50, 70), "ll and more", fontname="zadb", fontsize=4)
        shape = page.new_shape()
        for point in range(heights):
            shape.insert_text((50 + 97 * point % 1100, 100 + 7 * point), "lll", fontname="zadb", fontsize=4)
        shape.commit()
        assert len(read_page(page).lines) == lines


def test_formulas_that_reach_into_the_next_column_do_not_widen_theirs() -> None:
    lines = [line("as wide as the column is or nearly as wide as it is") for _ in range(20)]
    set_margins([[*lines, *(line("a = b + c + d + e", x0=146, x1=470) for _ in range(2))]])
    assert {(one.left, one.right) for one in lines} == {(70, 300)}


@pytest.mark.parametrize(("base", "merged"), [(103.4, True), (100.0, False)])
def test_the_lower_half_of_a_fraction_parts_no_line(base: float, merged: bool) -> None:
    before, after = line("the dimension is d = log(n2)", x1=200), line("log(r2) and so on", x0=183, x1=290)
    after.tokens[0] = replace(after.tokens[0], x1=200.0, base=base, size=7.0 if merged else 10.0)
    after.tokens[1] = replace(after.tokens[1], x0=203.0)
    parted = ["the dimension is d = log(n2)", "log(r2) and so on"]
    assert [one.text for one in _merge_pieces([before, after])] == ([" ".join(parted)] if merged else parted)


def test_a_subscript_below_a_superscript_parts_no_line() -> None:
    before, after = line("a particle x(i)", x1=130), line("n−1, is resampled", x0=100)
    before.tokens[-1] = replace(before.tokens[-1], x0=97.0, y0=88.0)
    after.tokens[0] = replace(after.tokens[0], x1=125.0, y1=104.0)
    after.tokens[1:] = [replace(token, x0=token.x0 + 40) for token in after.tokens[1:]]
    assert [one.text for one in _merge_pieces([before, after])] == ["a particle x(i) n−1, is resampled"]
    after.tokens[0] = replace(after.tokens[0], y1=101.0)
    after.forget()
    assert len(_merge_pieces([before, after])) == 2, "set over each other"


@pytest.mark.parametrize(
    ("text", "size", "bold", "above", "parts"),
    [
        ("in the years that are", 10, 9, 0, 1), ("in the years that are", 11, 0, 0, 1),
        ("in the years that are", 13, 0, 0, 2), ("In the years that are", 10, 9, 0, 2),
        ("in the years that are", 11, 0, 99, 2),
    ],
)  # fmt: skip
def test_a_sentence_goes_on_below_a_full_line_in_another_weight_or_size(
    text: str, size: float, bold: int, above: int, parts: int
) -> None:
    first = line("and all of it is to be found in what is said of it there", bold=above)
    upper, lower = under([first], [line(text, size=size, bold=bold)], 12)
    lines = [*upper.lines, *lower.lines]
    assert len(group(lines, STYLE, learn(lines))) == parts


@pytest.mark.parametrize(("text", "parts"), [("a + b = c (45)", 2), ("a + b is what they say in (45)", 1)])
def test_a_sentence_goes_on_below_a_numbered_formula_that_is_not_part_of_it(text: str, parts: int) -> None:
    upper, lower = under([line(text)], [line("where the dot stands for all of the rest")], 12)
    lines = [*upper.lines, *lower.lines]
    assert len(group(lines, STYLE, learn(lines))) == parts


@pytest.mark.parametrize(("text", "kind"), [("0.30 0.40", "other"), ("and on", "body")])
def test_numbers_alone_are_no_text(text: str, kind: str) -> None:
    block = Block([line(text, x1=130)])
    _mark_rest([block], STYLE)
    assert block.kind == kind


def below(block: Block, down: float) -> Block:
    """The block, moved down by points."""
    for one in block.lines:
        one.tokens = [replace(token, base=token.base + down) for token in one.tokens]
        one.forget()
    return block


@pytest.mark.parametrize(
    ("first", "other", "caption", "marked"),
    [
        ("(a) The hives of", "b", "Figure 3. Hives", True),
        ("(c) The hives of", "b", "Figure 3. Hives", False),
        ("The hives of", "a", "Figure 3. Hives", False),
        ("(a) The hives of", "b", "as was said", False),
        ("(a) The hives of", "b", "Table 3. Hives", False),
    ],
)
def test_parts_of_a_figure_have_captions_of_their_own(first: str, other: str, caption: str, marked: bool) -> None:
    parts = [Block([line(first, x1=160)]), Block([line(f"({other}) The mills of", x0=190, x1=280)])]
    rest = below(Block([line("the town", x0=190, x1=240)]), 12)
    blocks = [*parts, rest, below(Block([line(caption)]), 30)]
    mark_parts(blocks, _is_paragraph)
    assert [part.kind for part in parts] == ["caption" if marked else "body"] * 2
    assert (rest in blocks, parts[1].text.endswith("of the town")) == (not marked, marked)


def test_items_of_a_list_above_the_caption_of_a_figure_stay_text() -> None:
    text = (
        "We count the hives of the town and of all its mills",
        "and then compare them with those of the other town.",
    )
    items = [Block([line(f"({at}) {text[0]}"), line(text[1])]) for at in "ab"]
    mark_parts([*items, Block([line("Figure 3. Hives")])], _is_paragraph)
    assert [item.kind for item in items] == ["body", "body"]


def test_captions_of_parts_side_by_side_are_no_justified_line() -> None:
    row = [line("(a) The hives of the town in", x0=70, x1=180), line("(b) the mills of it", x0=185, x1=300)]
    assert len(rejoin(row)) == len(_merge_pieces(row)) == 2
    inside = [line("The hives (a) of the town in", x0=70, x1=180), line("(b) the mills of it", x0=185, x1=300)]
    assert len(rejoin(inside)) == len(_merge_pieces(inside)) == 1


@pytest.mark.parametrize(("size", "pieces"), [(10.0, 1), (3.0, 2)])
def test_a_tick_of_a_plot_beside_a_column_is_no_label_of_its_line(size: float, pieces: int) -> None:
    row = [line("0.4", x0=60, x1=66, size=size), line("the mills of it", x0=74, x1=300)]
    assert len(_merge_pieces(row)) == pieces


@pytest.mark.parametrize(("x0", "parts"), [(70, 1), (150, 2)])
def test_a_line_far_to_the_right_is_of_no_paragraph_above(x0: float, parts: int) -> None:
    lines = [line("of the mills of the town and of all the hives at"), line("the river we know,", x1=240)]
    lines.append(line("4 0 0 0 0", x0=x0, x1=200))
    for at, one in enumerate(lines):
        below(Block([one]), 12.0 * at)
    assert len(group(lines, STYLE, learn(lines))) == parts


def test_the_short_last_line_below_an_indented_first_line_is_of_its_paragraph() -> None:
    first, last = line("The hives of the town are such that x =", x0=80), line("0.", x1=78)
    under([first], [last], 12)
    assert len(group([first, last], STYLE, learn([first, last]))) == 1
    last.left = 60.0
    assert len(group([first, last], STYLE, learn([first, last]))) == 2


@pytest.mark.parametrize(
    ("x1", "caption", "parts"), [(280, "Figure 3: The", 1), (285, "Figure 3: The", 2), (280, "The", 2)]
)
def test_lines_of_a_caption_are_centred(x1: float, caption: str, parts: int) -> None:
    first = line(f"{caption} hives and mills of the town and all of it,", x0=80, x1=290)
    last = line("Kept warm in all of the months of the year there.", x0=90, x1=x1)
    under([first], [last], 12)
    assert len(group([first, last], STYLE, learn([first, last]))) == parts


@pytest.mark.parametrize(("room", "parts"), [(6, 2), (1, 1)])
def test_without_indents_a_line_that_ends_early_ends_its_paragraph(room: float, parts: int) -> None:
    lines = [line("and so it was seen by all of us in the town of") for _ in range(240)]
    for one in lines[9::10]:
        one.tokens[-1] = replace(one.tokens[-1], text="it.", x1=300.0 - room)
    for at, one in enumerate(lines):
        below(Block([one]), 12.0 * at)
    style = learn_style(lines, lines)
    assert style.justified
    assert len(group(lines[:20], style, learn(lines))) == parts
    for one in lines[::5]:
        one.tokens[-1] = replace(one.tokens[-1], x1=294.0)
        one.forget()
    assert not learn_style(lines, lines).justified


@pytest.mark.parametrize(("first", "kind"), [("Table 2: Sizes of the sets.", "table"), ("Sizes", "other")])
def test_beside_a_figure_only_a_table_with_a_caption_of_its_own_is_one(first: str, kind: str) -> None:
    cells = Block([line(first), line("Train 56 37")], kind="table")
    _mark_rest([cells, Block([line("Figure 1: The sets.")], kind="caption")], STYLE)
    assert cells.kind == kind


@pytest.mark.parametrize(
    ("between", "caption", "kind"),
    [(["time", "(a)", "0.2"], "Figure 1: The sets.", "other"), (["time"], "Table 1: The sets.", "table")],
)
def test_labels_between_the_ticks_of_a_plot_and_its_caption_part_them(
    between: list[str], caption: str, kind: str
) -> None:
    ticks = Block([line("0.1 0.2 0.3"), line("0 0.5 1")], kind="table")
    captions = (Block([line(text)], kind="caption") for text in (caption, "Figure 2: The other sets."))
    _mark_rest([ticks, *(Block([line(x, x1=130)]) for x in between), *captions], STYLE)
    assert ticks.kind == kind


@pytest.mark.parametrize(("bold", "joined"), [(0, True), (9, False)])
def test_authors_go_on_into_the_next_band_but_not_into_an_abstract_in_bold(bold: int, joined: bool) -> None:
    authors = Block(
        [line("Anna Quill, Bob Marsh, Cora Reed, Dan Sedge"), line("and Eve Rush, Fred Fern and Gina Moss")]
    )
    abstract = Block([line("Gauges in small harbours are read by hand", bold=bold, column=2),
                      line("and nobody asks what is lost by this.", bold=bold, column=2)])  # fmt: skip
    assert _goes_on(authors, abstract, STYLE, learn(authors.lines), False) is joined
