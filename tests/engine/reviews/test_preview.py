from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.reviews.formulas import draw
from engine.reviews.preview import preview


def test_markdown_becomes_html_and_formulas_pictures() -> None:
    made = preview("We **agree**: $x_i$ is\n\n> quoted\n\n1. one\n2. two\n\n$$\\sum_i x_i$$")
    assert "<strong>agree</strong>" in made.html and "<blockquote>" in made.html and "<ol>" in made.html
    assert [(f.tex, f.display) for f in made.formulas] == [("x_i", False), ("\\sum_i x_i", True)]
    assert 'src="formula:0"' in made.html and 'src="formula:1"' in made.html
    assert made.troubles == ()


def test_html_in_markdown_is_shown_and_not_obeyed() -> None:
    made = preview("<script>alert(1)</script> <b>x</b>")
    assert "<script>" not in made.html and "&lt;script&gt;" in made.html


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (r"The set $\mathbf{x}_i + y_{j}$ is", "_ is read as emphasis"),
        ("The product $a*b*c$ is", "* is read as emphasis"),
        ("$$a \\\\ b$$", "doubled backslash"),
        (r"The set $\{a\}$", "backslash before a sign"),
        ("It costs $5 and $6 more", "dollar sign"),
        ("It costs $5 more", "dollar sign stands alone"),
        ("$a\n\nb$ is", "alone"),
    ],
)
def test_what_markup_does_to_formulas_is_told(text: str, words: str) -> None:
    found = preview(text).troubles
    assert found and words in found[0].sentence
    for trouble in found:
        assert text[trouble.span.start : trouble.span.end].startswith("$")


@pytest.mark.parametrize(
    "text", ["$x_{i} + y_j$", "It costs \\$5.", "`$a*b*c$` is code", "    $a*b*c$ is code", "$a \\ast b$"]
)
def test_what_comes_through_is_not_complained_of(text: str) -> None:
    assert preview(text).troubles == ()


def test_a_broken_formula_is_shown_broken() -> None:
    made = preview("The product $a*b*c$ is")
    assert made.formulas == () and "<em>b</em>" in made.html


@given(st.text("ab $\\*_{}`<>\n#-1", max_size=60))
def test_any_text_has_a_preview(text: str) -> None:
    made = preview(text)
    assert made.html.count('src="formula:') == len(made.formulas)
    for trouble in made.troubles:
        assert 0 <= trouble.span.start < trouble.span.end <= len(text)


def test_formulas_are_drawn_and_what_cannot_be_is_told() -> None:
    picture = draw(r"\frac{x_i}{\sqrt{2}} \lt 3", 11)
    assert picture.width > 10 and picture.height > 10 and len(picture.ink) == picture.width * picture.height
    assert max(picture.ink) == 255 and not picture.why
    broken = draw(r"\begin{tikzpicture}", 11)
    assert broken.width == 0 and "cannot be drawn" in broken.why
