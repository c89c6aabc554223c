"""Single decisions about lines: text or formula, one column or two, the same paragraph or the next."""

from __future__ import annotations

import pytest

from engine.documents.assembly import _goes_on
from engine.documents.columns import _split_at
from engine.documents.glyphs import learn
from engine.documents.grouping import Block, Style
from engine.documents.kinds import _is_heading, is_equation
from engine.documents.page_text import Line, Token

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


@pytest.mark.parametrize("size", [10.0, 14.4])
def test_columns_part_beside_a_larger_heading(size: float) -> None:
    left = line("2 Implementation of the Inter-", x0=70, x1=295, size=size)
    right = line("improvements.", x0=306, x1=360)
    pieces = _split_at(Line(1, [*left.tokens, *right.tokens]), 300.5)
    assert [piece.text for piece in pieces] == ["2 Implementation of the Inter-", "improvements."]


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
