"""What is learned from a letter itself: places before comments, commands that hold paragraphs."""

from __future__ import annotations

import io
from pathlib import Path

from engine.documents.service import DocumentService
from engine.exchange.latex_text import latex_text
from engine.exchange.response_reading import html_text, letter_text
from engine.reviews.letter import read_letter
from engine.reviews.marks import MarkedText

ASKED = ("Please explain the loss in more detail.", "Could you add a baseline?", "Figure 2 is unclear to me.")
SAID = ("We have added a paragraph on it.", "We added it in Table 3.", "We have redrawn the figure.")


def said(text: str | MarkedText) -> list[tuple[str, str]]:
    return [(c.comment, c.response) for c in read_letter(text).comments]


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


def test_export_snippets_of_org_files_keep_their_text() -> None:
    points = "".join(
        f"  - @@latex:\\emph{{{asked}}}@@\n    - {answer}\n" for asked, answer in zip(ASKED, SAID, strict=True)
    )
    text = f"#+OPTIONS: toc:nil\n#+LATEX_HEADER: \\usepackage{{bm}}\n\n\\noindent Dear editor,\n* Reviewer 1:\n{points}"
    with DocumentService() as service:
        found = said(letter_text(text.encode(), "reply.org", service))
    assert found == [(asked, f"- {answer}") for asked, answer in zip(ASKED, SAID, strict=True)]


def test_titles_of_points_may_name_more_than_the_reviewer() -> None:
    text = "".join(
        f"**Editor/AE – Comment {n}**\n\n{asked}\n\n**Response**\n\n{answer}\n\n"
        for n, (asked, answer) in enumerate(zip(ASKED, SAID, strict=True), start=1)
    )
    assert said(f"## Meta-review\n\n{text}") == list(zip(ASKED, SAID, strict=True))


def test_a_letter_in_chinese_with_english_words_is_told_apart_by_its_marks() -> None:
    topics = ("与现有方法的差异", "消融实验", "计算成本", "数据来源")
    answers = (
        "与 Orchestrator 和 Transformer 不同，见 Appendix 表。", "见 Supplementary 中 “as we show” 一段。",
        "在 Workstation 上约八小时。", "均来自 Hotpot 与 Benchmark 数据。",
    )  # fmt: skip
    text = "\n\n".join(f"**{topic}**\n\n{answer}" for topic, answer in zip(topics, answers, strict=True))
    assert said(text) == list(zip(topics, answers, strict=True))


def test_labelled_headings_with_the_authors_text_below_are_comments() -> None:
    text = "".join(
        f"### Q{n}: {asked}\n\n> {answer}\n\n"
        for n, (asked, answer) in enumerate(zip(ASKED, SAID, strict=True), start=1)
    )
    found = said(f"# To Reviewer xdij\n\nWe thank you for your comments.\n\n{text}")
    assert found == list(zip(ASKED, SAID, strict=True))


def test_a_page_may_begin_with_its_style(tmp_path: Path) -> None:
    style = "<title>Response</title><style>" + "p { color: red; }\n" * 300 + "</style>"
    pairs = "".join(f"<blockquote>{a}</blockquote>\n<p>{b}</p>\n" for a, b in zip(ASKED, SAID, strict=True))
    (tmp_path / "letter.html").write_text(f"{style}<h1>Response</h1><p>Reviewer 1</p>{pairs}")
    with DocumentService() as service:
        marked = letter_text((tmp_path / "letter.html").read_bytes(), "letter.html", service)
    assert "color" not in marked.text and said(marked) == list(zip(ASKED, SAID, strict=True))


def test_quoted_comments_may_begin_like_a_response() -> None:
    asked = ("Please report the depth.", "Response: what is the response of the lakes?", "Add units to the axes.")
    for form in ("> {}\n\n{}\n\n", "> {}\n\nResponse: {}\n\n", "**Comment**\n\n> {}\n\n**Response**\n\n{}\n\n"):
        text = "".join(form.format(*pair) for pair in zip(asked, SAID, strict=True))
        assert said(f"## Reviewer 1\n\n{text}") == list(zip(asked, SAID, strict=True)), form


def test_a_letter_to_each_reviewer_is_read_though_its_marks_say_little() -> None:
    """Long answers, of which most paragraphs are the changes."""
    asked = ("The equations seem to be the same; this is unclear.", "The references have other formats.", "Is it new?")
    change = "We have replaced this:\n\nWe perturb the template, and our tracker follows it.\n\n" * 8
    points = "".join(f"*{one}*\n\nWe thank the reviewer.\n\n{change}" for one in asked)
    heads = "".join(f"## Response Letter to Reviewer #{n}\n\n{points}" for n in (1, 2))
    assert [comment for comment, _ in said(f"Dear Editors:\n\nWe thank you.\n\n{heads}")] == [*asked, *asked]
