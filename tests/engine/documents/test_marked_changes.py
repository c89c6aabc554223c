"""PDFs with marked changes, as latexdiff and word processors make them: deletions are left out, additions stay."""

from __future__ import annotations

import pymupdf
import pytest

from engine.documents.records import ParsedDocument
from engine.documents.service import DocumentService
from tests.engine.documents.typeset import Look, Paper, _width

BODY = Look("tiro", 10, 12)
RED, BLUE, BLACK = (0.9, 0, 0), (0, 0, 1), (0, 0, 0)
SENTENCE = (
    "The second annotator -marks- +reads+ every comment of the letter -before the authors answer it, and once more "
    "after the last of them has been answered- +twice+ a day. Nobody compares the paragraphs of both by hand, since "
    "-nobody would do so gladly, whatever the payment- +the edits are listed+ and each of them shows its words."
)


def _marked(wavy: bool) -> bytes:
    """A page on which words between - are red with a line through them, and those between + blue, underlined wavily."""
    paper = Paper(indent=0)
    page, x, y, mark = paper._page, paper.left, 120.0, ""
    for part in SENTENCE.split():
        mark = part[0] if part[0] in "-+" else mark
        word = part.strip("-+.,") + ("," if part[-1] == "," else "")
        end = part.rstrip(".")[-1:] == mark
        full = "." if part[-1] == "." else ""
        length = _width(word, BODY)
        if x + length > paper.left + paper.column_width:
            x, y = paper.left, y + 12
        colour = {"-": RED, "+": BLUE, "": BLACK}[mark]
        page.insert_text((x, y), word, fontname="tiro", fontsize=10, color=colour)
        if mark == "-":
            page.draw_line((x - 0.2, y - 2.5), (x + length + 0.2, y - 2.5), color=RED, width=0.4)
        elif mark == "+" and wavy:
            page.insert_text((x, y + 1), ":" * round(length / 1.7), fontname="cour", fontsize=3, color=BLUE)
        x += length
        page.insert_text((x, y), full, fontname="tiro", fontsize=10)
        x += _width(full, BODY) + 2.5
        mark = "" if end else mark
    document = paper.document
    for xref, _, _, name, *_ in page.get_fonts():
        if name == "Courier":
            document.xref_set_key(xref, "BaseFont", "/LASY6")
    return bytes(pymupdf.open("pdf", document.tobytes()).tobytes())


@pytest.mark.parametrize("wavy", [True, False])
def test_what_is_marked_as_deleted_is_no_text(service: DocumentService, wavy: bool) -> None:
    parsed: ParsedDocument = service.parse(_marked(wavy))
    assert [p.text for p in parsed.paragraphs if p.kind == "body"] == [
        "The second annotator reads every comment of the letter twice a day. Nobody compares the paragraphs of both "
        "by hand, since the edits are listed and each of them shows its words."
    ]
    assert parsed.warnings == ("Page 1 shows deletions in red, struck through; they were left out.",)


def test_red_text_and_lines_elsewhere_mark_nothing(service: DocumentService) -> None:
    paper = Paper(indent=0)
    words = "A red remark that somebody left for the editor of this page is long enough to be looked at more closely."
    paper._page.insert_text((paper.left, 120), words[:60], fontname="tiro", fontsize=10, color=RED)
    paper._page.insert_text((paper.left, 132), words[60:], fontname="tiro", fontsize=10, color=RED)
    paper._page.draw_line((paper.left, 122), (paper.left + 300, 122), color=RED, width=0.4)
    paper._page.draw_line((paper.left, 129.5), (paper.left + 60, 129.5), color=RED, width=0.4)  # of a plot
    parsed = service.parse(paper.finish())
    assert [p.text for p in parsed.paragraphs if p.kind == "body"] == [words]
    assert parsed.warnings == ()
