"""Short papers, whose list of references may be longer than their text."""

from __future__ import annotations

import pymupdf

from engine.documents.parsing import parse_document

BODY = (
    "Gauges in small harbours are read once a day by hand.",
    "We ask how much is lost by this, and answer with two years of data.",
    "The loss is small in summer and large in winter, as expected.",
)


def short_paper(entries: int) -> pymupdf.Document:
    document = pymupdf.open()
    page, at = document.new_page(), 70.0
    for text in BODY * 8:
        page.insert_text((72, at), text, fontsize=10, fontname="tiro")
        at += 12
    page.insert_text((72, at + 14), "References", fontsize=12, fontname="tibo")
    at += 32
    for n in range(entries):
        if at > 780:
            page, at = document.new_page(), 70.0
        entry = f"[{n + 1}] A. Quill and B. Marsh: On sand and other matters of the coast. Journal of Tides {n}, 2014."
        page.insert_text((72, at), entry, fontsize=8, fontname="tiro")
        at += 10
    return document


def test_text_above_a_longer_list_of_references_is_no_heading() -> None:
    parsed = parse_document(short_paper(60), "x", lambda *_: None)
    headings = [p.text for p in parsed.paragraphs if p.kind == "heading"]
    assert headings == ["References"]
    assert sum(p.kind == "reference" for p in parsed.paragraphs) > 50
