"""Letters in LaTeX and HTML: which files they may include, what hostile markup costs, what pages say."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from engine.errors import BadInput
from engine.exchange.latex_text import is_latex, latex_text
from engine.exchange.response_reading import html_text, is_html, is_org, org_text, table_text
from engine.reviews.letter import read_letter

START = "\\begin{document}"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """The folder of a letter, beside files that the letter must not read."""
    made = tmp_path / "letter"
    (made / "parts").mkdir(parents=True)
    (tmp_path / "secret.tex").write_text("SECRET")
    (made / "parts" / "one.tex").write_text("Words of one.")
    return made


def read(home: Path, name: str) -> tuple[str, str]:
    found = latex_text(f"{START}A \\input{{{name}}} Z", "x.tex", home)
    return found.text, " ".join(found.warnings)


def test_parts_in_the_folder_are_read(home: Path) -> None:
    assert read(home, "parts/one") == ("A\n\nWords of one. Z", "")
    assert read(home, "parts/../parts/one.tex")[0] == "A\n\nWords of one. Z"
    assert latex_text(f"{START}A \\input parts/one Z", "x.tex", home).text == "A\n\nWords of one. Z"
    (home / "own.sty").write_text("\\newcommand{\\who}{the referee}")
    assert latex_text(f"\\usepackage[a]{{graphicx,own}}{START}By \\who.", "x.tex", home).text == "By the referee."


LEFT_OUT: dict[str, Callable[[Path], object]] = {
    "../secret": lambda home: None,
    "missing": lambda home: None,
    "link": lambda home: (home / "link.tex").symlink_to(home.parent / "secret.tex"),
    "out/secret": lambda home: (home / "out").symlink_to(home.parent),
    "loop": lambda home: (home / "loop.tex").symlink_to("loop.tex"),
    "pipe": lambda home: os.mkfifo(home / "pipe.tex"),
    "zero": lambda home: (home / "zero.tex").symlink_to("/dev/zero"),
    "parts": lambda home: None,
    "p.rejoinder": lambda home: (home / "p.rejoinder").write_text("SECRET"),
    "a" * 300: lambda home: None,
    "a\0b": lambda home: None,
}


@pytest.mark.parametrize("name", LEFT_OUT, ids=ascii)
def test_other_files_are_left_out_and_named(home: Path, name: str) -> None:
    LEFT_OUT[name](home)
    text, warnings = read(home, name)
    assert text == "A\n\nZ" and "Left out because they weren't found" in warnings
    assert name.replace("\0", "�")[:60] in warnings


def test_a_path_from_the_root_is_left_out(home: Path) -> None:
    text, warnings = read(home, str(home.parent / "secret.tex"))
    assert text == "A\n\nZ" and "Left out because they weren't found" in warnings
    assert latex_text(f"{START}A \\input{{parts/one}} Z", "x.tex").text == "A\n\nZ"  # the folder is not known


def test_parts_that_hold_no_text_add_nothing(home: Path) -> None:
    (home / "empty.tex").write_text("")
    (home / "image.tex").write_bytes(b"\x89PNG\0\0" + bytes(100))
    assert read(home, "empty")[0] == read(home, "image")[0] == "A\n\nZ"


def test_parts_that_never_end_are_refused(home: Path) -> None:
    (home / "self.tex").write_text("\\input{self}")
    for n in range(40):  # a billion files where each of them is read as often as it is named
        (home / f"f{n}.tex").write_text(f"\\input{{f{n + 1}}} \\input{{f{n + 1}}}")
    (home / "f40.tex").write_text("x")
    started = time.process_time()
    for name in ("self", "f0"):
        with pytest.raises(BadInput, match="can't be read as LaTeX"):
            read(home, name)
    assert time.process_time() - started < 5


@pytest.mark.parametrize(
    ("defined", "used"),
    [("\\newcommand{\\rc}[2]{C: #1 R: #2}", "\\rc{As \\#2 says}{We did \\#1}"),
     ("\\newenvironment{rc}[2]{C: #1 R: #2}{}", "\\begin{rc}{As \\#2 says}{We did \\#1}\\end{rc}")],
)  # fmt: skip
def test_numbers_within_arguments_are_no_places_of_others(defined: str, used: str) -> None:
    assert latex_text(f"{defined}{START}{used}", "x.tex").text == "C: As #2 says R: We did #1"


def test_an_argument_that_is_repeated_without_an_end_is_refused() -> None:
    with pytest.raises(BadInput, match="can't be read as LaTeX"):  # 40 GB
        latex_text(f"\\newcommand{{\\a}}[1]{{{'#1' * 200_000}}}{START}\\a{{{'x' * 200_000}}}", "x.tex")


def test_large_parts_are_refused(home: Path) -> None:
    (home / "large.tex").write_text("word " * 1_000_000)
    with pytest.raises(BadInput, match="too large"):
        read(home, "large")


@pytest.mark.parametrize(
    "piece",
    ["\\cite[", "\\foo[", "\\item[", "\\\\[", f"\\({'a' * 100}", "\\usepackage[", "\\usepackage{", "\\verb|",
     "\\textbf{a} \\emph{b} ", "\\textcolor{blue}{a} b ", "\\cite[{]}", "\\href{"],
)  # fmt: skip
def test_markup_that_never_ends_costs_no_time(piece: str) -> None:
    started = time.process_time()
    try:
        latex_text(f"{START if 'package' not in piece else ''}{piece * 30_000}{START}", "x.tex")
    except BadInput as error:
        assert "can't be read" in error.what
    assert time.process_time() - started < 15, "each one looks for its end through all of the text"


@pytest.mark.parametrize(
    "piece", ["<!--", "<a ", "<a x=", "<![CDATA[", "</", "<div class=a>x", "<ul><li>", "<td>", "<b>x"]
)
def test_pages_that_never_end_cost_no_time(piece: str) -> None:
    started = time.process_time()
    html_text(piece * 30_000)
    html_text(piece * 1_000 + "</div>" * 30_000)
    table_text(f"| Comment | Response |\n|---|---|\n{' ' * 2000}{'- ' * 2000}|{piece}\n")
    assert time.process_time() - started < 15, "each one looks for its end through all of the text"


PAGE = """<!DOCTYPE html><html><head><title>No</title><style>p {color: red}</style></head><body><nav>Home</nav>
<!-- <p>never said</p> --><h2>Reviewer 1</h2>
<blockquote><p>Please report the <b>depth</b> of both sites.</blockquote>
<p>We thank the reviewer; it is in <a href="https://example.org/a">Section 3</a> now, if 1 < 2.</p>
<blockquote><p>Why was the second site left out?</p>
<ol start="3"><li>It is <i>nearer</i>.<ul><li>By far.</ul><li>It is deeper.</ol></blockquote>
<p style="color:#00f">It was not: see Table&nbsp;2.</p><script>alert("no")</script>
<p style="display: none">hidden</p></body></html>"""


def test_a_letter_of_a_web_page() -> None:
    assert is_html(PAGE) and not is_html("A letter of <b>plain</b> text.")
    page = html_text(PAGE)
    assert not any(word in page.text for word in ("No\n", "never", "alert", "hidden", "Home", "color: red"))
    assert "3. It is *nearer*.\n\n   - By far.\n\n4. It is deeper." in page.text
    assert "## Reviewer 1" in page.text and "[Section 3](https://example.org/a) now, if 1 < 2." in page.text
    assert [mark.name for mark in page.marks if mark.name.startswith("colour")] == ["colour #00f"]
    first, *others = read_letter(page).comments
    assert (first.reviewer, first.comment) == ("Reviewer 1", "Please report the **depth** of both sites.")
    assert first.response.startswith("We thank the reviewer")
    assert any("left out" in comment.comment for comment in others)
    assert others[-1].response == "It was not: see Table\xa02."


MAIL = """<html><body><pre>Reviewer 1

&gt; Please report the depth
&gt; of both sites.
&gt;
&gt; And the units.

We did, see <a href="https://e.org/a">Table 2</a> and
Section 3.

&gt; Why was the second site left out?
Because it is <b>far</b> &gt; near.
</pre><p>We know that 1 > 0.</p></body></html>"""


def test_a_mail_of_a_web_page_keeps_its_lines_and_quotations() -> None:
    page = html_text(MAIL)
    assert [(comment.comment, comment.response) for comment in read_letter(page).comments] == [
        ("Please report the depth of both sites.\n\nAnd the units.",
         "We did, see [Table 2](https://e.org/a) and\\\nSection 3."),
        ("Why was the second site left out?", "Because it is **far** > near.\n\nWe know that 1 > 0."),
    ]  # fmt: skip


def test_line_breaks_are_blanks_where_a_comment_is_read() -> None:
    page = html_text("<html><blockquote>Please report<br>the depth of C:\\<br>and D.</blockquote><p>We did.</p></html>")
    assert [comment.comment for comment in read_letter(page).comments] == ["Please report the depth of C:\\ and D."]


ORG = """#+TITLE: Response
#+OPTIONS: toc:nil
# not said
* Reviewer 1
:PROPERTIES:
:ID: none
:END:
#+BEGIN_QUOTE
Please report the /depth/ of *both* sites.

1. Please explain =x_i=.
#+END_QUOTE
We thank the reviewer; see [[https://e.org/a][Section 3]] (a/b/c, 5 * 3).

#+BEGIN_QUOTE
Why was the second site left out?
#+END_QUOTE
We added it:
#+begin_src r
* site <- 2
#+end_src
"""


def test_an_org_letter() -> None:
    assert is_org(ORG, "letter.txt") and is_org("* One", "a.org") and not is_org("* One\n# Two", "a.md")
    read = org_text(ORG)
    assert "not said" not in read.text and "none" not in read.text and "```\n* site <- 2\n```" in read.text
    assert {mark.name for mark in read.marks} == {"italic", "bold", "quoted"}
    comments = read_letter(read).comments
    assert {comment.reviewer for comment in comments} == {"Reviewer 1"}
    assert [comment.comment for comment in comments] == [
        "Please report the *depth* of **both** sites.", "Please explain `x_i`.", "Why was the second site left out?",
    ]  # fmt: skip
    assert comments[1].response == "We thank the reviewer; see [Section 3](https://e.org/a) (a/b/c, 5 * 3)."
    assert comments[2].response.startswith("We added it:")


def test_text_that_is_indented_under_an_org_heading_is_no_code() -> None:
    text = """*** Reviewer 1
    #+begin_quote
    Please report the depth.
    #+end_quote
    We did:

    - in Table 2
      and Table 3
      - for both sites
    - in the text

  Thank you.
  #+begin_src r
    x
  #+end_src
"""
    said = "We did:\n\n- in Table 2 and Table 3\n   - for both sites\n- in the text\n\nThank you."
    assert org_text(text).text == f"### Reviewer 1\n\n> Please report the depth.\n\n{said}\n\n```\n    x\n```"


def test_markdown_that_holds_tables_of_latex_is_markdown() -> None:
    table = (
        "\\begin{tabular}{ll}\n\\textbf{a} & \\emph{b} \\\\ \\hline \\textit{c} & \\textbf{d} \\\\\n\\end{tabular}\n"
    )
    assert is_latex(f"{table}\\section{{One}}\n\\emph{{a}}\n")
    assert not is_latex(f"# Reviewer 1\n\nWhy?\n\n{table}\n## Reviewer 2\n\nWhy not?\n")


def test_arguments_of_an_unknown_command_stay_words_of_their_own() -> None:
    assert latex_text(f"{START}\\asked{{One.}}{{Two.}}", "x.tex", None).text.split() == ["One.", "Two."]


@pytest.mark.parametrize("length", ["\\vskip 10pt plus 2pt", "\\hskip 1em", "\\parindent 0pt", "\\kern-2pt"])
def test_lengths_behind_primitives_are_no_words(length: str) -> None:
    assert latex_text(f"{START}One.\n\n{length} Two.", "x.tex", None).text.split() == ["One.", "Two."]


def test_an_argument_that_is_only_asked_for_is_said_once() -> None:
    made = (
        "\\NewDocumentEnvironment{answer}{+m}{\\IfValueT{#1}{\\begin{asked}#1\\end{asked}}\\par}{\\par}"
        f"{START}\\begin{{answer}}{{The unit is missing.}} We added it. \\end{{answer}}"
    )
    assert latex_text(made, "x.tex").text.split("\n\n") == ["The unit is missing.", "We added it."]


LONG = "The number of lakes in the second table is larger than that in the text."


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("\\begin{center}{\\large \\textsc{To Reviewer 1}}\\end{center}", ["To Reviewer 1"]),
        ("\\begin{flushleft}{\\bf One.} Two.\\end{flushleft}", ["**One.** Two."]),
        ("\\begin{minipage}[t]{5cm}One.\\end{minipage}", ["One."]),
        ("\\begin{adjustwidth}{1cm}{2cm}One.\\end{adjustwidth}", ["One."]),
        (f"\\begin{{asked}}{{{LONG}}}\\end{{asked}}", [LONG]),
        ("\\begin{asked}{Lakes}Which?\\end{asked}", ["**Lakes** Which?"]),
    ],
)
def test_a_group_at_the_beginning_of_an_environment_is_text(body: str, text: list[str]) -> None:
    assert latex_text(f"{START}{body}", "x.tex").text.split("\n\n") == text


def test_a_sign_that_is_set_as_a_formula_is_a_sign() -> None:
    assert latex_text(f"{START}\\section*{{Reviewer $\\#$2}} $x$", "x.tex").text == "## Reviewer #2\n\n$x$"


BOXES = {
    "own box": r"\newtcolorbox[auto counter]{asks}[1][]{colback=gray!10, title={#1}}|\begin{asks}[%s]|\end{asks}",
    "own frame": r"\newenvironment{asks}[1][]{\begin{itshape}}{\end{itshape}}|\begin{asks}[%s]|\end{asks}",
    "frame title": r"|\begin{mdframed}[frametitle={%s}, backgroundcolor=gray!10]|\end{mdframed}",
    "box title": r"|\begin{tcolorbox}[title=%s]|\end{tcolorbox}",
}


@pytest.mark.parametrize("box", BOXES)
def test_the_title_of_a_box_names_the_reviewer(box: str) -> None:
    defined, begin, end = BOXES[box].split("|")
    parts = [
        f"{begin % name}\n{asked}\n{end}\n\n{said}\n"
        for name, asked, said in (
            ("Reviewer 1", "Please report the depth of both lakes.", "We report it in Table 1."),
            ("Reviewer 2", "The axes of Figure 2 need units.", "We added units to both axes."),
        )
    ]
    text = f"\\documentclass{{article}}\n{defined}\n\\begin{{document}}\n{''.join(parts)}\\end{{document}}\n"
    found = read_letter(latex_text(text, "letter.tex")).comments
    assert [(c.reviewer, c.comment, c.response) for c in found] == [
        ("Reviewer 1", "Please report the depth of both lakes.", "We report it in Table 1."),
        ("Reviewer 2", "The axes of Figure 2 need units.", "We added units to both axes."),
    ]


@pytest.mark.parametrize(
    ("defined", "begin", "end"),
    [
        (r"\newtcolorbox{asks}{colback=gray!10, title={}}", r"\begin{asks}", r"\end{asks}"),
        (r"\newmdenv[frametitle={}]{asks}", r"\begin{asks}", r"\end{asks}"),
        ("", r"\begin{tcolorbox}[title={}]", r"\end{tcolorbox}"),
    ],
)
def test_the_title_of_a_box_may_be_empty(defined: str, begin: str, end: str) -> None:
    text = f"\\documentclass{{article}}\n{defined}\n\\begin{{document}}\n{begin}Why?{end}\n\\end{{document}}\n"
    assert latex_text(text, "letter.tex").text == "Why?"
