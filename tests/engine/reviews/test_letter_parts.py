"""What is within a response or a reviewer's part and doesn't end it: titles, lists, tables, sentences in headings."""

from __future__ import annotations

import pytest

from engine.exchange.latex_text import latex_text
from engine.reviews.layout import unassigned
from engine.reviews.letter import read_letter
from engine.reviews.marks import MarkedText

ASKED = (
    "Please report how deep the samples were taken in each lake.",
    "It is unclear why the northern lakes were left out.",
    "The axes of the second figure need units.",
    "Please compare the results with the older survey.",
)
SAID = (
    "We added the depth of every sample to the first table.",
    "We now explain this choice in the methods.",
    "We added units to both axes.",
    "We thank the reviewer and added a comparison with the older survey.",
)


def said(letter: MarkedText | str) -> list[tuple[str, str]]:
    return [(comment.comment, comment.response) for comment in read_letter(letter).comments]


def letter(*responses: str, comment: str = "*{}*") -> str:
    """A letter of the comments, each with its response."""
    parts = (f"{comment.format(asked)}\n\n{response}" for asked, response in zip(ASKED, responses, strict=True))
    return "\n\n".join(("## Reviewer 1", *parts))


def test_a_heading_that_is_a_sentence_is_a_comment() -> None:
    pairs = zip(ASKED, SAID, strict=True)
    text = "\n\n".join(f"## {asked}\n\n## Response:\n\n{response}" for asked, response in pairs)
    assert said(f"# Reviewer 1\n\n{text}") == list(zip(ASKED, SAID, strict=True))


def test_a_sentence_in_a_heading_is_not_lost() -> None:
    text = f"# The depth of every lake is now reported in the first of two tables.\n\n{letter(*SAID, comment='> {}')}"
    found = [text[span.start : span.end] for span in unassigned(text, read_letter(text).comments)]
    assert found == ["The depth of every lake is now reported in the first of two tables."]


@pytest.mark.parametrize("comment", ["*{}*", "**{}**"])
def test_what_is_within_a_response_ends_none(comment: str) -> None:
    responses = [f"{response}\n\n(48, 49)\n\nThis is on page {n}." for n, response in enumerate(SAID, start=2)]
    assert said(letter(*responses, comment=comment)) == list(zip(ASKED, responses, strict=True))


@pytest.mark.parametrize("within", ["| lake | depth |\n| --- | --- |\n| A | 12 |", "$$d = a + b$$", "```\nd = a\n```"])
def test_tables_formulas_and_code_are_of_the_response_that_they_are_in(within: str) -> None:
    responses = [f"**{response}**\n\n{within}\n\n**This is on page {n}.**" for n, response in enumerate(SAID)]
    assert [comment for comment, _ in said(letter(*responses, comment="{}"))] == list(ASKED)


def test_a_numbered_list_within_a_response_is_no_comment() -> None:
    changes = "We made these changes:\n\n1. The table has a row for each lake.\n\n2. The depth is in metres."
    text = "\n\n".join(
        f"{n}. {asked}\n\n{response} {changes}" for n, (asked, response) in enumerate(zip(ASKED, SAID, strict=True), 1)
    )
    found = said(f"## Reviewer 1\n\n{text}")
    assert [comment.removeprefix(f"{n}. ") for n, (comment, _) in enumerate(found, 1)] == list(ASKED)
    assert all(response.endswith("The depth is in metres.") for _, response in found)


def test_a_label_for_changes_need_not_begin_a_response() -> None:
    responses = [f"{response}\n\nChanges in the manuscript:\n\nThe lakes are named on page {n}." for n, response in
                 enumerate(SAID)]  # fmt: skip
    assert said(letter(*responses, comment="> {}")) == list(zip(ASKED, responses, strict=True))


def test_anonymous_referees_have_names() -> None:
    text = "\n\n".join(f"Anonymous Referee #{n}\n\n> {ASKED[n]}\n\n{SAID[n]}" for n in (1, 2, 3))
    assert [comment.reviewer for comment in read_letter(text).comments] == ["Referee 1", "Referee 2", "Referee 3"]


COLOURED = (
    ("Indique la profundidad de las muestras.", "La profundidad figura ahora en la primera tabla."),
    ("No queda claro por qué faltan lagos.", "El motivo se explica ahora en los métodos."),
    ("Faltan unidades en la segunda figura.", "Las unidades figuran ahora en ambos ejes."),
)


def test_colours_tell_the_voices_apart_in_a_language_whose_words_are_not_known() -> None:
    text = "\n\n".join(f"\\textcolor{{blue}}{{{asked}}}\n\n{response}" for asked, response in COLOURED)
    assert said(
        latex_text(f"\\documentclass{{article}}\\begin{{document}}\n{text}\n\\end{{document}}", "a.tex", None)
    ) == [*COLOURED]


def test_a_colour_is_not_of_both_voices() -> None:
    listed = "Changes:\n\nWhy not use metres?\n\nIt is unclear, please see page 4.\n\nThe table should be clear now."
    pairs = zip(ASKED, SAID, strict=True)
    text = "\n\n".join(f"{asked}\n\n{{\\color{{blue}}{response}\n\n{listed}}}" for asked, response in pairs)
    found = said(latex_text(f"\\documentclass{{article}}\\begin{{document}}\n{text}\n\\end{{document}}", "a.tex", None))
    assert [comment for comment, _ in found] == list(ASKED)


def test_lengths_in_definitions_are_no_text() -> None:
    text = latex_text(
        "\\documentclass{article}\\renewenvironment{quote}{\\advance\\leftmargini -2.4em\\advance\\hsize-2\\width}{}"
        "\\begin{document}\nIt reads:\n\\begin{quote}\nThe lakes are deep.\n\\end{quote}\n\\end{document}",
        "a.tex", None,
    ).text  # fmt: skip
    assert "2" not in text and "The lakes are deep." in text


def test_titles_that_number_comments_do_not_say_how_comments_look() -> None:
    parts = "\n\n".join(
        f"\\subsection*{{R1-{n}. On depth}}\n\n\\textcolor{{gray}}{{{asked}}}\n\nPlease see page {n}, it was unclear."
        for n, asked in enumerate(ASKED, start=1)
    )
    found = said(
        latex_text(f"\\documentclass{{article}}\\begin{{document}}\n{parts}\n\\end{{document}}", "a.tex", None)
    )
    assert [comment for comment, _ in found] == list(ASKED)


@pytest.mark.parametrize(
    "end",
    [
        "Cordially,\nIda Moe, Per Lund, and Li Wen",
        "Many thanks,\n\nIda",
        "We look forward to hearing from you.\n\nWith kind regards\n\nIda Moe\nLakeside",
        "We hope that the paper can now be accepted.\n\nOn behalf of all authors,\n\nIda Moe",
        "--\nIda Moe\nInstitute of Lakes",
    ],
)
def test_thanks_hopes_and_signatures_are_of_no_response(end: str) -> None:
    text = f"# Reviewer 1\n\n{letter(*SAID)}\n\n{end}\n"
    assert said(text) == said(f"# Reviewer 1\n\n{letter(*SAID)}")
    left = "\n".join(text[span.start : span.end] for span in unassigned(text, read_letter(text).comments))
    assert all(word.strip("-,.") in left for word in end.split())


def test_thanks_in_the_middle_end_no_response() -> None:
    thanks = "Thank you again for this careful remark."
    first, *_ = said(letter(f"{SAID[0]}\n\n{thanks}\n\nThe table is on the second page.", *SAID[1:]))
    assert thanks in first[1] and "second page" in first[1]
    alone = said(f"# Reviewer 1\n\n{letter(*SAID[:3], thanks)}")
    assert alone[-1][1] == thanks


@pytest.mark.parametrize("row", ["{n}. {asked}\n\n{said}", "{n}) {asked}\n{said}", "> {asked}\n\n{said}"])
def test_responses_of_one_line_in_capitals(row: str) -> None:
    answers = ("ADDED", "NOW EXPLAINED IN THE METHODS.", "DONE, SEE THE SECOND FIGURE.", "COMPARED THROUGHOUT")
    pairs = list(zip(ASKED, answers, strict=True))
    text = "\n\n".join(row.format(n=n, asked=asked, said=answer) for n, (asked, answer) in enumerate(pairs, 1))
    assert said(f"Reviewer 1\n\n{text}\n") == pairs


def test_words_in_bold_with_their_explanation_are_no_comment() -> None:
    explained = "**New table of depths in the second section**: it lists every sample."
    pairs = said(letter(f"{SAID[0]}\n\n{explained}", *SAID[1:], comment="**{}**"))
    assert [comment for comment, _ in pairs] == list(ASKED) and explained in pairs[0][1]


def test_an_environment_within_another_says_who_speaks() -> None:
    boxes = "".join(
        f"\\begin{{askbox}}\n{asked}\n\\begin{{saybox}}\n{answer}\n\\end{{saybox}}\n\\end{{askbox}}\n"
        "We show it in our new table.\n\n"
        for asked, answer in zip(ASKED, SAID, strict=True)
    )
    own = "\\newtcolorbox{askbox}{}\\newtcolorbox{saybox}{}"
    text = f"\\documentclass{{article}}{own}\\begin{{document}}\n{boxes}\\end{{document}}"
    pairs = said(latex_text(text, "letter.tex", None))
    assert [(comment, answer.split("\n")[0]) for comment, answer in pairs] == list(zip(ASKED, SAID, strict=True))


def test_a_number_alone_ends_no_response() -> None:
    first, *_ = said(letter(f"{SAID[0]}\n\n#4.1\n\nThe new table has six rows.", *SAID[1:]))
    assert "six rows" in first[1]


def test_short_responses_in_a_command_within_the_comment_are_found() -> None:
    answers = (SAID[0], "Done.", "Yes.", "Fixed")
    items = "\n".join(f"\\item {asked} \\Mine{{{said}}}" for asked, said in zip(ASKED, answers, strict=True))
    begin = "\\newcommand{\\Mine}[1]{{\\color{blue}#1}}\\begin{document}\\section*{Reviewer 1}"
    text = f"{begin}\\begin{{itemize}}{items}\\end{{itemize}}\\end{{document}}"
    assert said(latex_text(text, "x.tex")) == list(zip(ASKED, answers, strict=True))


def test_a_sign_alone_is_no_comment() -> None:
    quoted = "\n\n".join(f"> -\n>\n> {asked}\n\n{answer}" for asked, answer in zip(ASKED, SAID, strict=True))
    assert [comment for comment, _ in said(f"## Reviewer 1\n\n{quoted}")] == list(ASKED)


def test_a_list_of_references_ends_the_last_response() -> None:
    works = "1. Ames A. Lakes of the north. Waters, 2011.\n\n2. Bell B. Deep samples. Journal of Depth, 2016."
    for title in ("# References", "**Bibliography**"):
        assert said(f"{letter(*SAID)}\n\n{title}\n\n{works}") == list(zip(ASKED, SAID, strict=True)), title
    labelled = letter(*(f"Response: {answer}" for answer in SAID), comment="{}")
    found = said(f"{labelled}\n\n**References**\n\nPlease name the older survey.\n\nResponse: We now name it.\n")
    assert found[-1] == ("Please name the older survey.", "We now name it.")


def test_headings_deeper_than_those_of_the_comments_are_within_a_response() -> None:
    parts = "".join(
        f"## Topic {at}\n\n**Reviewer concern:** {asked}\n\n**Our response:** {answer}\n\n"
        "### Why it matters\n\nThe depth changes in summer.\n\n"
        for at, (asked, answer) in enumerate(zip(ASKED, SAID, strict=True), 1)
    )
    found = said(f"# Reviewer 1\n\n{parts}## Other changes\n\nThe title is shorter.\n")
    assert [comment for comment, _ in found] == list(ASKED)
    assert all(r.endswith("### Why it matters\n\nThe depth changes in summer.") for _, r in found), found
