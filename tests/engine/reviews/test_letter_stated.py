"""What letters state about themselves: whose text has which look, what isn't shown, what is still open, and answers
collected by number."""

from __future__ import annotations

import io

import pytest

from engine.documents.service import DocumentService
from engine.exchange.response_reading import letter_text
from engine.reviews.letter import read_letter, review_comments
from engine.reviews.marks import Mark, MarkedText

POINTS = (
    "The lakes of the survey are too few for the claims of the abstract.",
    "p. 4: “The depth was measured twice”",
    "Why was the survey stopped in July?",
    "Turnover must be defined before it is used.",
)
ANSWERS = (
    "We have softened the claims.",
    "The lines are as we want them.",
    "The ice made it impossible to go on.",
    "It is now defined on page 2.",
)
LONG = (
    "The map of the lakes doesn't show their depths, although the second hypothesis is about them, and the text gives "
    "only those of three of the forty lakes, all of them deep."
)


def said(text: MarkedText) -> list[tuple[str, str]]:
    return [(comment.comment, comment.response) for comment in read_letter(text).comments]


def read(text: str, name: str = "letter.md") -> MarkedText:
    return letter_text(text.encode(), name, DocumentService())


def coloured(opening: str, colours: tuple[str, ...] = ("#0000ff",)) -> MarkedText:
    """Returns points with answers whose paragraphs have the colours in turn, below an opening."""
    text, marks = f"May 2, 2025\n\n{opening}\n\n", []
    for point, answer in zip(POINTS, ANSWERS, strict=True):
        text += f"{point}\n\nI did not see the reason for this. Does it matter?\n\n"
        for colour in colours:
            marks.append(Mark(f"colour {colour}", len(text), len(text) + len(answer)))
            text += f"{answer}\n\n"
    return MarkedText(text, tuple(marks), converted=True)


@pytest.mark.parametrize(
    ("opening", "colours"),
    [
        ("Below, the comments are in black and our responses are given in blue.", ("#0000ff",)),
        ("Responses to the reviewers are in blue. New text is copied here, and these changes are in red.",
         ("#00b0f0", "#ee0000")),
    ],
)  # fmt: skip
def test_a_letter_that_says_which_colour_its_responses_have_is_believed(opening: str, colours: tuple[str, ...]) -> None:
    found = said(coloured(opening, colours))
    assert [comment.partition("\n")[0] for comment, _ in found] == list(POINTS)
    assert [response for _, response in found] == ["\n\n".join([answer] * len(colours)) for answer in ANSWERS]


def test_a_letter_may_begin_with_what_it_says_about_its_colours() -> None:
    text = "Responses are in blue.\n\n" + "\n\n".join(
        f"{one}\n\n{two}" for one, two in zip(POINTS, ANSWERS, strict=True)
    )
    marks = tuple(Mark("colour #0000ff", at := text.index(answer), at + len(answer)) for answer in ANSWERS)
    found = said(MarkedText(text, marks, converted=True))
    assert found == list(zip(POINTS, ANSWERS, strict=True))


def test_points_above_the_place_where_a_letter_says_so_are_kept() -> None:
    answers = [f"*{one}*" for one in ANSWERS]
    answers[1] = "*The lines are as we want them; our answers are in italic.*"
    parts = [f"**Comment {n}.** {one}\n\n{two}" for n, (one, two) in enumerate(zip(POINTS, answers, strict=True), 1)]
    found = said(read("## Reviewer 1\n\n" + "\n\n".join(parts)))
    assert found == list(zip(POINTS, answers, strict=True))


def test_text_in_html_comments_is_no_part_of_a_letter_and_places_stay() -> None:
    shown = "## Reviewer 1\n\n" + "\n\n".join(f"> {one}\n\n{two}" for one, two in zip(POINTS, ANSWERS, strict=True))
    hidden = "<!-- > An older point.\n\nWe have answered it. -->"
    marked = read(f"{hidden}\n{shown} <!-- ask Ann -->\n")
    bundle = read_letter(marked)
    assert [(c.comment, c.response) for c in bundle.comments] == list(zip(POINTS, ANSWERS, strict=True))
    assert marked.text.index("## Reviewer 1") == len(hidden) + 1
    assert "HTML comments" in marked.warnings[0]
    assert read("<!-- never closed\n" + shown).text.startswith("<!-- never")
    assert "<!--" not in read("<!--" * 3000 + "-->" * 3000).text
    assert "It is dark. -->" in read("<!-- one <!-- two --> It is dark. -->").text


def test_points_that_are_not_struck_are_still_open() -> None:
    done = "\n".join(f"- ~~{one}~~ {two}" for one, two in zip(POINTS, ANSWERS, strict=True))
    found = said(read(f"## Reviewer 1\n\n{done}\n- ~~The map is dark.~~\n- Lake 7 has no name.\n"))
    assert found[:3] == [(f"~~{one}~~", two) for one, two in zip(POINTS[:3], ANSWERS[:3], strict=True)]
    assert found[-2:] == [("~~The map is dark.~~", ""), ("Lake 7 has no name.", "")]


def test_points_with_boxes_to_tick_are_items() -> None:
    for box in ("[x] - ", "[ ] 1. ", "- [x] "):
        review = "Reviewer #2: This is about lakes.\n\n" + "\n".join(f"{box}{one}" for one in POINTS)
        found = review_comments(MarkedText(review), "review")[0]
        assert [one.comment for one in found][1:] == list(POINTS)


def test_divisions_of_markdown_say_what_is_in_them() -> None:
    parts = "\n\n".join(
        f"::: {{.comment}}\n{one}\n:::\n\n{two}\n\n::: {{.callout-note}}\nNew text.\n:::"
        for one, two in zip(POINTS, ANSWERS, strict=True)
    )
    found = said(read(f"## Reviewer 1\n\n{parts}\n"))
    assert [comment for comment, _ in found] == list(POINTS)
    assert all(
        response.startswith(two) and "New text." in response for (_, response), two in zip(found, ANSWERS, strict=True)
    )


def test_a_field_may_end_a_review() -> None:
    text = "“Quoted words.”\n> \n*In italics it is unclear.*\n> The split is unclear.\n> \nA: y\nA: y\n“Quoted words.”"
    assert review_comments(MarkedText(text), "review")[0]


def test_numbered_answers_below_all_points_answer_each() -> None:
    points = "\n".join(f"- {one}" for one in POINTS)
    answers = "\n".join(f"{number}. {one}" for number, one in enumerate(ANSWERS, start=1))
    opening = "Reviewer's comments:\n\nThis is about lakes."
    text = f"{opening}\n\n{points}\n\nMY RESPONSE:\n\nThank you for the report.\n\n{answers}\n\nMore on the ice.\n"
    found = said(MarkedText(text))[1:]
    assert [comment for comment, _ in found] == list(POINTS)
    assert [response for _, response in found[:3]] == [f"Thank you for the report.\n\n{ANSWERS[0]}", *ANSWERS[1:3]]
    assert found[3][1] == f"{ANSWERS[3]}\n\nMore on the ice."


def test_a_field_between_a_comment_and_its_labelled_response_separates_nothing() -> None:
    parts = [f"{one}\n\nRecommendation: Accept\n\nResponse: {two}" for one, two in zip(POINTS, ANSWERS, strict=True)]
    assert said(MarkedText("# Reviewer 1\n\n" + "\n\n".join(parts))) == list(zip(POINTS, ANSWERS, strict=True))
    parts[1] = parts[1].partition("Response: ")[0].strip()
    answers = (ANSWERS[0], "", *ANSWERS[2:])
    found = said(MarkedText("# Reviewer 1\n\n" + "\n\n".join(parts)))
    assert found == list(zip(POINTS, answers, strict=True)), "a comment without a response isn't part of the next one"


def test_a_label_that_recurs_is_one_behind_a_sentence_too() -> None:
    parts = [f"- {one}\n\nREPLY: {two}" for one, two in zip(POINTS, ANSWERS, strict=True)] * 2
    joined = "- The map is dark. REPLY: It is light now."
    found = said(MarkedText("\n\n".join([*parts, joined, *parts]), converted=True))
    assert ("The map is dark.", "It is light now.") in [(c.removeprefix("- "), r) for c, r in found]


def test_questions_of_a_form_over_two_lines_are_no_comments() -> None:
    # The lines of a form are a small part of a review.
    question = "Do you think that the findings represent an advance\nin the field of lakes?: Yes\n"
    review = "".join(f"Reviewer: {n}\n\n{POINTS[n]}\n\n{POINTS[n + 1]}\n\n{LONG} ({n})\n\n{question}\n" for n in (0, 2))
    found = [one.comment for one in review_comments(MarkedText(review), "mail")[0]]
    assert found == [*POINTS[:2], f"{LONG} (0)", *POINTS[2:], f"{LONG} (2)"]


def test_instructions_of_a_mail_before_the_first_reviewer_are_no_comments() -> None:
    mail = "Dear Dr Lake:\n\nPlease send:\n\na) The final file of the paper.\n\nb) A marked copy.\n\n"
    review = f"{mail}Reviewer: 1\n\n{POINTS[0]}\n\nReviewer: 2\n\n{POINTS[2]}\n"
    assert [one.comment for one in review_comments(MarkedText(review), "mail")[0]] == [POINTS[0], POINTS[2]]


def test_fields_of_a_point_are_in_its_response_and_thanks_after_the_last_are_not() -> None:
    points = "\n\n".join(
        f"Comment {n}: {one}\nResponse: {two}\nChange in manuscript: “New text {n}.”\nLocation: page {n}"
        for n, (one, two) in enumerate(zip(POINTS, ANSWERS, strict=True), start=1)
    )
    found = said(MarkedText(f"Reviewer 1\n\n{points}\n\nWe thank the reviewers again for their help with the text.\n"))
    assert [comment for comment, _ in found] == list(POINTS)
    assert [response.splitlines()[-1] for _, response in found] == [f"Location: page {n}" for n in (1, 2, 3, 4)]


def test_responses_in_spanish_are_responses() -> None:
    pairs = (
        ("El artículo es muy completo y está bien escrito.", "Muchas gracias por esta evaluación."),
        ("La figura 1 está incompleta y hace falta una escala.", "Hemos añadido la escala."),
        ("El texto sobre los lagos es difícil de leer.", "Gracias, hemos repasado el texto."),
    )
    text = "# Revisor/a A\n\n" + "\n\n".join(f"{one}\n\n> {two}" for one, two in pairs)
    assert said(MarkedText(text)) == list(pairs)


def test_content_controls_and_struck_text_of_word_are_read() -> None:
    import docx
    from docx.oxml import parse_xml
    from docx.oxml.ns import nsdecls

    document = docx.Document()
    document.add_heading("Reviewer 1", 2)
    for one, two in zip(POINTS, ANSWERS, strict=True):
        document.add_paragraph(style="List Bullet").add_run(one).font.strike = True
        control = f"<w:sdtContent><w:p><w:r><w:t>{two}</w:t></w:r></w:p></w:sdtContent>"
        body = document.element.body
        body.insert(len(body) - 1, parse_xml(f"<w:sdt {nsdecls('w')}><w:sdtPr/>{control}</w:sdt>"))
    held = io.BytesIO()
    document.save(held)
    marked = letter_text(held.getvalue(), "letter.docx", DocumentService())
    assert said(marked) == list(zip(POINTS, ANSWERS, strict=True))
    assert sum(mark.name == "struck" for mark in marked.marks) == len(POINTS)
