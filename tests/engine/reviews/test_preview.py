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
        (r"The set $\{a\}$", r"the backslash of \{ is taken away"),
        (r"A space $a \, b$", r"the backslash of \, is taken away"),
        (r"The norm $\|x\|$", "write two"),
        ("Rows $\\begin{cases} 1 \\\\ 2 \\end{cases}$", "write four"),
        ("$x_1\n\n= y_2$", "alone"),
        ("$$x_1\n\n= y_2$$", "an empty line ends it"),
        ("Tags $a<b>c$", "read as a tag"),
        ("Code $`x_1`$", "read as code"),
        (r"$\argmin_x f$", r"write \operatorname*{argmin}"),
        ("It costs $5 and $6 more", "dollar sign"),
        ("It costs $5 more", "A single dollar sign has no partner"),
        ("$a\n\nb$ is", "alone"),
    ],
)
def test_what_markup_does_to_formulas_is_told(text: str, words: str) -> None:
    found = preview(text).troubles
    assert found and words in found[0].sentence
    for trouble in found:
        assert text[trouble.span.start : trouble.span.end].startswith("$")


@pytest.mark.parametrize(
    "text",
    [
        r"$\\{a, b\\}$ and $x\_i$ and $a \\, b$", "$x<y$ and $y>z$",
        "$$\\begin{bmatrix} a & b \\\\\\\\ c \\end{bmatrix}$$",
        r"It costs \\$5 and \\$6.", "[$x$](u), *$y_1$* and **$z_1$**", "- $x_1$\n- $y_1$", "> $q_1$", r"\\(x_1\\)",
        "$x_{i} + y_j$", "It costs \\$5.", "`$a*b*c$` is code", "    $a*b*c$ is code", "$a \\ast b$",
    ],
)  # fmt: skip
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
    assert broken.width == 0 and "can't be drawn" in broken.why


def test_brackets_that_markdown_eats_and_prices_that_become_a_formula() -> None:
    found = preview(r"See \(x_1\) and \[y_2\].").troubles
    assert [trouble.sentence for trouble in found] == [
        "“\\(x_1\\)” loses its backslashes. Write $ … $ or $$ … $$.",
        "“\\[y_2\\]” loses its backslashes. Write $ … $ or $$ … $$.",
    ]
    text = r"It costs \$5 and \$6."
    made = preview(text)
    assert [formula.tex for formula in made.formulas] == ["5 and"]
    assert [text[t.span.start : t.span.end] for t in made.troubles] == [r"\$", r"\$"]
    assert preview(r"It costs \\$5.").html == "<p>It costs $5.</p>\n"


@pytest.mark.parametrize(
    "tex",
    [
        r"A = \begin{pmatrix} a & b \\ c & \frac{d}{2} \end{pmatrix}^T x", r"\begin{cases} 1 & x>0 \\ 0 \end{cases}",
        r"\begin{aligned} a &= b \\ &= \begin{bmatrix} 1 \\ 2 \end{bmatrix} \end{aligned}",
        r"\left[\begin{array}{cc} 1 & 2 \\ 3 & 4 \end{array}\right] + 1",
        r"\operatorname*{argmin}_x \lVert x \rVert \implies \textbf{y}",
    ],
)  # fmt: skip
def test_matrices_and_cases_are_put_together(tex: str) -> None:
    made = draw(tex, 11)
    assert not made.why and made.width * made.height == len(made.ink) and 0 <= made.depth < made.height
    lines = tex.count(r"\\")
    assert not lines or made.height > draw("x", 11).height * 2


@given(st.text("ab{}&\\ ^_", max_size=25), st.sampled_from(["pmatrix", "cases", "aligned", "array"]))
def test_any_environment_is_drawn_or_told(inner: str, name: str) -> None:
    made = draw(rf"x \begin{{{name}}}{inner}\end{{{name}}}", 11)
    assert bool(made.why) != bool(made.width)
