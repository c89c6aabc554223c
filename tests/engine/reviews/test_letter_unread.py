"""Letters in a wording without "we" and "the authors": what they are is known by the turns that their marks take."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.documents.service import DocumentService
from engine.exchange.latex_text import latex_text
from engine.exchange.response_reading import letter_text
from engine.exchange.sniff import sniff
from engine.reviews.layout import unassigned
from engine.reviews.letter import read_letter
from engine.reviews.marks import Mark, MarkedText
from engine.reviews.proposing import text_readings

ASKED = (
    "The pumps were calibrated in March, the survey began in May.", "Fig. 2: units on the right axis.",
    "Seasonal drift of the sensors is not dealt with.", "Table 4 repeats the numbers of Table 1.",
    "Why is the northern basin left out of the second survey?",
)  # fmt: skip
SAID = (
    "A second calibration took place in May and is now in the methods.", "Units added.",
    "Drift was below 0.2 degrees; see the new appendix.", "Table 4 is gone.", "Ice covered the northern basin in May.",
)  # fmt: skip
PAIRS = list(zip(ASKED, SAID, strict=True))


def answers(text: str | MarkedText) -> list[tuple[str, str]]:
    return [(c.comment, c.response) for c in read_letter(text).comments]


def test_words_in_the_margin_answer_what_they_are_about() -> None:
    text, marks = "## Reviewer 1\n\n", []
    for asked, said in PAIRS:
        start = len(text) + len(asked) + 2
        marks.append(Mark("in the margin", start, start + len(said)))
        text += f"{asked}\n\n{said}\n\n"
    assert answers(MarkedText(text, tuple(marks), converted=True)) == PAIRS


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        ("[R1-{n}] {asked}\n\n", "[A1-{n}] {said}\n\n"), ("- Referee :: {asked}\n", "- Us :: {said}\n"),
        ("- **Referee** {asked}\n", "- **Us** {said}\n"), ("({n})\n{asked}\n\n", "Authors\n{said}\n\n"),
        ("{asked}\n", ":   {said}\n\n"), ("::: {{.remark}}\n{asked}\n:::\n\n", "{said}\n\n"),
        ("```\n{asked}\n```\n\n", "{said}\n\n"), ("{asked}\n\n", "AU>> {said}\n\n"),
    ],
)  # fmt: skip
def test_what_paragraphs_begin_with_says_whose_they_are(theirs: str, ours: str) -> None:
    parts = [theirs.format(n=n, asked=a) + ours.format(n=n, said=s) for n, (a, s) in enumerate(PAIRS, start=1)]
    found = answers("Reviewer 1\n\n" + "".join(parts))
    assert [(a, s) for (c, r), (a, s) in zip(found, PAIRS, strict=True) if a in c and s in r] == PAIRS


@pytest.mark.parametrize("head", ["| No. | What is said | What is new |\n|---|---|---|\n", "No.\tSaid\tNew\n"])
def test_tables_are_read_whatever_their_columns_are_called(head: str) -> None:
    rows = [(str(n), asked, said) for n, (asked, said) in enumerate(PAIRS, start=1)]
    lines = [f"| {' | '.join(row)} |" if "|" in head else "\t".join(row) for row in rows]
    with DocumentService() as service:
        read = letter_text((head + "\n".join(lines)).encode(), "answers.md", service)
    assert answers(read) == PAIRS


def test_the_first_row_of_a_table_in_latex_is_no_comment() -> None:
    rows = "".join(f"{asked} & {said} \\\\ \\hline\n" for asked, said in PAIRS)
    body = (
        f"\\section*{{Reviewer 1}}\n\\begin{{longtable}}{{ll}}\n\\textbf{{Comment}} & \\textbf{{Response}} \\\\\n{rows}"
    )
    text = f"\\begin{{document}}\n{body}\\end{{longtable}}\n\\end{{document}}"
    assert answers(latex_text(text, "answers.tex")) == PAIRS
    coloured = latex_text(
        "\\begin{document}\\begin{tabular}{l}\\cellcolor{blue!30}stable\\end{tabular}\\end{document}", "a"
    )
    assert coloured.text.strip() == "stable"


def test_a_reviewers_code_at_the_end_of_a_quotation_is_no_title() -> None:
    text = "".join(f"> {asked}\n> (R1)\n\n{said}\n\n" for asked, said in PAIRS)
    assert [r for _, r in answers(f"Reviewer 1\n==========\n\n{text}".replace("> Fig.", "> \x0bFig."))] == list(SAID)


def test_where_nothing_is_read_every_word_is_not_assigned() -> None:
    text = "Response to Reviewer 1\n\nResponse: Nothing is quoted here."
    assert [text[span.start : span.end] for span in unassigned(text, ())] == text.split("\n\n")


def test_a_letter_that_may_be_a_review_says_so_and_offers_its_readings(tmp_path: Path) -> None:
    text = "# Checklist\n\n" + "\n\n".join(f"- I find this hard: {asked}\n\n  I would add: {asked}" for asked in ASKED)
    readings = text_readings(MarkedText(text))
    assert readings[0].rest == "review" and readings[0].doubtful and len(readings) > 1
    path = tmp_path / "checklist.md"
    path.write_text(text, encoding="utf-8")
    assert (sniff(path).kind, sniff(path).readings) == ("review", readings)
    path.write_text("Dear editor,\n\nWe thank the reviewers. We have added a survey of the lakes.", encoding="utf-8")
    assert (sniff(path).kind, sniff(path).readings) == ("letter", ()), "it quotes no comment"
    path.write_text("The corpus is small. An algorithm of steps, as it stands.", encoding="utf-8")
    assert sniff(path).kind == "review" and not sniff(path).unsure, "words that may be anybody's"


def test_the_window_reads_tables_as_the_command_line_does(tmp_path: Path) -> None:
    path = tmp_path / "answers.md"
    rows = "\n".join(f"| {asked} | {said} |" for asked, said in PAIRS)
    path.write_text(f"| Comment | Response |\n|---|---|\n{rows}\n", encoding="utf-8")
    found = sniff(path)
    assert found.kind == "letter" and found.read is not None and answers(found.read) == PAIRS


def test_a_sign_with_which_responses_begin_is_none_of_their_words() -> None:
    """ "%%" begins notes that are left out when a rebuttal is sent."""
    assert answers("Reviewer 1\n\n" + "".join(f"{asked}\n\n%% {said}\n\n" for asked, said in PAIRS)) == PAIRS


def test_titles_that_say_whose_turn_it_is_outweigh_marks() -> None:
    text = "".join(f"### Comment {n}\n\n{asked}\n\n> {said}\n\n" for n, (asked, said) in enumerate(PAIRS, start=1))
    assert answers(f"## Reviewer 1\n\n{text}") == PAIRS


def test_struck_text_is_a_mark() -> None:
    assert answers("# Reviewer 1\n\n" + "".join(f"~~{a}~~\n\n{s}\n\n" for a, s in PAIRS)) == [
        (f"~~{asked}~~", said) for asked, said in PAIRS
    ]


def test_a_command_of_two_long_arguments_parts_them() -> None:
    pairs = "\n".join(f"\\pt{{{asked}}}{{{said} It is there.}}" for asked, said in PAIRS)
    found = answers(latex_text(f"\\begin{{document}}\\section*{{Referee 1}}\n{pairs}\n\\end{{document}}", "a.tex"))
    assert [asked for asked, _ in found] == list(ASKED)


def test_a_labelled_response_begins_within_the_paragraph_of_its_comment() -> None:
    text = "\n\n".join(f"**Comment:** {asked} **Response:** {said}" for asked, said in PAIRS)
    assert answers(text) == PAIRS


def test_bold_points_that_begin_with_the_reviewer_are_no_answers() -> None:
    points = [
        (f"**R{n // 2 + 1}: {asked[:-1]}**", f"We agree with it. {said}") for n, (asked, said) in enumerate(PAIRS)
    ]
    text = "We thank all reviewers.\n\n" + "\n\n".join(f"{asked}\n{said}" for asked, said in points)
    text += "\n\n**Remarks:**\nThe units are missing."
    assert [response for _, response in answers(text)[: len(PAIRS)]] == [said for _, said in points]


def test_items_in_the_part_of_a_reviewer_are_comments_though_others_are_in_an_environment() -> None:
    first = 3 * "".join(f"\\begin{{review}}{a}\\end{{review}}\\begin{{response}}{b}\\end{{response}}" for a, b in PAIRS)
    second = "".join(f"\\item {a}\\begin{{response}}{b}\\end{{response}}" for a, b in PAIRS[:2])
    marked = latex_text(
        f"\\begin{{document}}\\begin{{response}}We thank both referees.\\end{{response}}\\section*{{Reviewer 1}}{first}"
        f"\\section*{{Reviewer 2}}\\begin{{itemize}}{second}\\end{{itemize}}\\end{{document}}",
        "letter.tex",
    )
    assert answers(marked) == 3 * PAIRS + PAIRS[:2]


@pytest.fixture(scope="module")
def service() -> Iterator[DocumentService]:
    with DocumentService() as service:
        yield service


def test_tables_of_a_pdf_are_read_cell_by_cell(service: DocumentService) -> None:
    import pymupdf

    rows = [("Comment", "Response"), *PAIRS]
    with pymupdf.open() as document:
        page = document.new_page()
        page.insert_text((50, 40), "Reviewer 1", fontsize=16)
        for n, row in enumerate(rows):
            for column, words in enumerate(row):
                cell = pymupdf.Rect(50 + 200 * column, 60 + 60 * n, 250 + 200 * column, 120 + 60 * n)
                page.draw_rect(cell, width=0.5)
                page.insert_textbox(cell, words, fontsize=9)
        assert answers(letter_text(document.tobytes(), "letter.pdf", service)) == PAIRS


def test_the_grid_of_a_plot_is_no_table(service: DocumentService) -> None:
    import pymupdf

    with pymupdf.open() as document:
        page = document.new_page()
        for n in range(11):
            page.draw_line((50 + 40 * n, 50), (50 + 40 * n, 450))
            page.draw_line((50, 50 + 40 * n), (450, 50 + 40 * n))
        for n in range(10):
            page.insert_text((55 + 40 * n, 80), f"a{n}", fontsize=9)
        assert all(line.cell == (0, 0) for line in service.looks(document.tobytes()))


@pytest.mark.parametrize("ends", ["</td>", ""])
def test_tables_of_html_within_markdown_are_read_cell_by_cell(service: DocumentService, ends: str) -> None:
    rows = "\n".join(f"<tr><td><p>{a}</p>{ends}<td><p>{b}</p>{ends}" for a, b in (("Reviewer", "Authors"), *PAIRS))
    text = f"# Reviewer 1\n\nWe thank the reviewer.\n\n<table>\n{rows}\n</table>\n"
    assert answers(letter_text(text.encode(), "letter.md", service)) == PAIRS
    asked, said = PAIRS[0]
    loud = text.replace(said, f"<b>{said}</b>")
    assert answers(letter_text(loud.encode(), "letter.md", service))[0] == (asked, f"**{said}**")


def test_answers_quoted_once_follow_comments_quoted_twice() -> None:
    assert answers("".join(f"> > {asked}\n> {said}\n\n" for asked, said in PAIRS)) == PAIRS


@pytest.mark.parametrize(
    ("who", "asks", "answered"),
    [("Рецензент 1", "Замечание", "Ответ"), ("Hakem 1", "Yorum", "Yanıt"), ("심사자 1", "의견", "답변")],
)
def test_labels_in_further_languages(who: str, asks: str, answered: str) -> None:
    pairs = [(f"ß{n} ü", f"ö{n} ä") for n in range(4)]
    text = f"{who}\n\n" + "".join(f"{asks} {n}: {a}\n\n{answered}: {b}\n\n" for n, (a, b) in enumerate(pairs, 1))
    assert [(c.reviewer, c.comment, c.response) for c in read_letter(text).comments] == [(who, *p) for p in pairs]


def test_a_command_defined_within_another_one_has_its_own_argument() -> None:
    made = "\\newcommand{\\old}[1]{}\\newcommand{\\both}[1]{\\renewcommand{\\old}[1]{was ##1}#1}"
    assert latex_text(f"{made}\\begin{{document}}\\both{{It \\old{{small}}.}}\\end{{document}}", "x.tex").text == (
        "It was small."
    )


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_responses_directly_below_their_comments_with_any_line_ends(end: str) -> None:
    letter = (
        "Reviewer 1\nThe sample is too small for the claims that are made in the abstract of the paper.\n"
        "We thank the reviewer and have added forty more letters to the sample.\n"
        "It is unclear how the letters were chosen by the authors.\n"
        "We have added a paragraph on the choice of the letters.\n"
        "Please add an interval to the main figure.\nWe have added intervals to all figures.\n"
    )
    assert [bool(comment.response) for comment in read_letter(letter.replace("\n", end)).comments] == [True] * 3


def test_points_that_only_other_points_follow_have_no_response_and_that_is_said() -> None:
    points = "".join(
        "".join(f"> {4 * n + m}. Please add the value number {4 * n + m} to the table.\n>\n" for m in range(1, 5))
        + f"\nWe have added it in Section {n}.\n\n"
        for n in range(5)
    )
    found = read_letter("# Reviewer 1\n\n" + points)
    assert sum(bool(comment.response) for comment in found.comments) == 5
    assert "15 comments are only followed by other comments, so they have no response." in found.warnings
