"""What letters state about themselves: whose text has which look, what isn't shown, what is still open, and answers
collected by number."""

from __future__ import annotations

import io

from engine.documents.service import DocumentService
from engine.exchange.response_reading import letter_text
from engine.reviews.letter import read_letter
from engine.reviews.marks import MarkedText

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


def said(text: MarkedText) -> list[tuple[str, str]]:
    return [(comment.comment, comment.response) for comment in read_letter(text).comments]


def read(text: str, name: str = "letter.md") -> MarkedText:
    return letter_text(text.encode(), name, DocumentService())


def test_text_in_html_comments_is_no_part_of_a_letter_and_places_stay() -> None:
    shown = "## Reviewer 1\n\n" + "\n\n".join(f"> {one}\n\n{two}" for one, two in zip(POINTS, ANSWERS, strict=True))
    hidden = "<!-- > An older point.\n\nWe have answered it. -->"
    marked = read(f"{hidden}\n{shown} <!-- ask Ann -->\n")
    bundle = read_letter(marked)
    assert [(c.comment, c.response) for c in bundle.comments] == list(zip(POINTS, ANSWERS, strict=True))
    assert marked.text.index("## Reviewer 1") == len(hidden) + 1
    assert "HTML comments" in marked.warnings[0]
    assert read("<!-- never closed\n" + shown).text.startswith("<!-- never")


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
