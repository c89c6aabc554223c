"""What is learned from a letter itself: gathered responses, places before comments, commands that hold paragraphs."""

from __future__ import annotations

import io

from engine.documents.service import DocumentService
from engine.exchange.latex_text import latex_text
from engine.exchange.response_reading import html_text, letter_text
from engine.reviews.letter import read_letter
from engine.reviews.marks import MarkedText

ASKED = ("Please explain the loss in more detail.", "Could you add a baseline?", "Figure 2 is unclear to me.")
SAID = ("We have added a paragraph on it.", "We added it in Table 3.", "We have redrawn the figure.")


def said(text: str | MarkedText) -> list[tuple[str, str]]:
    return [(c.comment, c.response) for c in read_letter(text).comments]


def test_labelled_responses_behind_all_comments_are_paired_by_number() -> None:
    asked = "\n\n".join(f"Comment {n}: {one}" for n, one in enumerate(ASKED, start=1))
    answered = "\n\n".join(f"Response {n}: {one}" for n, one in enumerate(SAID, start=1))
    assert said(f"# Reviewer 1\n\n{asked}\n\n{answered}\n") == list(zip(ASKED, SAID, strict=True))


def test_listed_responses_behind_all_comments_are_paired_by_place() -> None:
    asked = "\n".join(f"{n}. {one}" for n, one in enumerate(ASKED, start=1))
    answered = "\n".join(f"{n}. {one}" for n, one in enumerate(SAID, start=1))
    found = said(f"# Reviewer 1\n\n{asked}\n\nResponse:\n\n{answered}\n")
    assert [c for c, _ in found] == list(ASKED)
    assert [r.partition(" ")[2] for _, r in found] == list(SAID)


def test_other_numbers_in_a_response_pair_nothing() -> None:
    asked = "\n".join(f"{n}. {one}" for n, one in enumerate(ASKED, start=1))
    found = said(f"# Reviewer 1\n\n{asked}\n\nResponse: We did two things.\n\n1. {SAID[0]}\n2. {SAID[1]}\n")
    assert len({response for _, response in found}) == 1
    assert SAID[1] in found[0][1]


def test_a_response_to_all_of_the_above_loses_its_label() -> None:
    found = said(f"# Reviewer 1\n\n- {ASKED[0]}\n- {ASKED[1]}\n\nResponse to all of the above: {SAID[0]}\n\n"
                 f"- {ASKED[2]}\n\nResponse: {SAID[2]}\n")  # fmt: skip
    assert found == [(ASKED[0], SAID[0]), (ASKED[1], SAID[0]), (ASKED[2], SAID[2])]


def test_a_command_of_several_paragraphs_is_one_comment() -> None:
    more = "\\\\\n\\\\\nThis matters.\n\\begin{itemize}\n\\item a\n\\end{itemize}"
    body = "\n\n".join(f"\\com{{{one}{more}}}\n\n{two}" for one, two in zip(ASKED, SAID, strict=True))
    found = said(latex_text(f"\\begin{{document}}\\section{{Reviewer 1}}\n{body}\\end{{document}}", "a.tex", None))
    assert [r for _, r in found] == list(SAID)
    assert all("This matters." in c for c, _ in found)


def test_a_switch_holds_its_paragraphs_and_a_second_name_of_a_style_is_a_mark() -> None:
    switched = "".join(
        f"\\RC {one}\n\n\\begin{{enumerate}}\n\\item It matters.\n\\end{{enumerate}}\n\n\\AR {two}\n\n"
        for one, two in zip(ASKED, SAID, strict=True)
    )
    named = "\\newcommand{\\asked}{\\textsf}" + "".join(
        f"\\asked{{{one}}}\n\n{two}\n\n" for one, two in zip(ASKED, SAID, strict=True)
    )
    for text, more in ((switched, 1), (named, 0)):
        found = said(latex_text(f"\\begin{{document}}\\section{{Reviewer 1}}\n{text}\\end{{document}}", "a.tex", None))
        assert [(c.count("It matters."), r) for c, r in found] == [(more, one) for one in SAID]


def test_markdown_that_a_page_hides_is_read() -> None:
    text = "\n\n".join(f"> {one}\n\n{two}" for one, two in zip(ASKED, SAID, strict=True)).replace("&", "&amp;")
    page = (
        f'<!DOCTYPE html><html><xmp style="display:none;">\n# Reviewer 1\n\n{text}\n</xmp><script>f()</script></html>'
    )
    assert said(html_text(page)) == list(zip(ASKED, SAID, strict=True))


def test_columns_behind_the_response_are_part_of_it() -> None:
    from docx import Document

    document = Document()
    table = document.add_table(rows=1, cols=3)
    for cell, words in zip(table.rows[0].cells, ("Reviewer comment", "Author response", "Change"), strict=True):
        cell.text = words
    for one, two in zip(ASKED, SAID, strict=True):
        for cell, words in zip(table.add_row().cells, (one, two, "Page 3 was changed."), strict=True):
            cell.text = words
    held = io.BytesIO()
    document.save(held)
    with DocumentService() as service:
        found = said(letter_text(held.getvalue(), "a.docx", service))
    assert found == [(one, f"{two}\n\nPage 3 was changed.") for one, two in zip(ASKED, SAID, strict=True)]


def test_a_question_that_each_part_of_a_form_repeats_is_no_comment() -> None:
    asked = (
        "Novelty: this is arguably the single most important criterion for selecting papers. What does the paper add?"
    )
    page = "".join(f"<h2>Reviewer {n}</h2><p>{asked}</p><p>{one}</p>" for n, one in enumerate(ASKED, start=1))
    assert [c for c, _ in said(html_text(f"<html><body>{page}</body></html>"))] == list(ASKED)


def test_who_thanks_the_reviewers_is_no_reviewer() -> None:
    text = (
        "First, I want to thank the reviewers for their reviews.\n\nI changed the following:\n\n"
        "* I added a plot where the user can try out parameters.\n* I could not see what you found unclear.\n"
        "* The sizes should stay as they are: I think that you can still read them. Is anything missing?\n"
    )
    assert said(text) == []
