"""The title of a paper: what its first page shows, which the file may not state."""

from __future__ import annotations

import pymupdf
import pytest

from engine.documents.parsing import parse_document

TEXT = (
    "Gauges in small harbours are read once a day by hand, and nobody asks what is lost by this.",
    "We answer with two years of data from seven harbours that were read every hour for this.",
)
LONG = "The Loss of Readings in Small Harbours"


def paper(*front: tuple[str, float, str], stated: str = "") -> str:
    """Returns the title of a page of text below lines of (text, size, font), whose file states a title."""
    document = pymupdf.open()
    page, at = document.new_page(), 60.0
    for text, size, font in front:
        at += 1.5 * size
        page.insert_text((72, at), text, fontsize=size, fontname=font)
    at += 30
    for text in TEXT * 15:
        page.insert_text((72, at), text, fontsize=10, fontname="tiro")
        at += 12
    document.set_metadata({"title": stated})
    return parse_document(document, "x", lambda *_: None).title


@pytest.mark.parametrize(
    ("stated", "title"),
    [
        (LONG, LONG),
        ("The&#x00A0;Loss of Readings in Small Harbours", LONG),
        ("Microsoft Word - harbours_v7.docx", LONG),
        ("Paper Title (use style: paper title)", LONG),
        ("doi:10.1000/tides.7", LONG),
        ("", LONG),
    ],
)
def test_a_title_that_the_first_pages_do_not_show_is_none(stated: str, title: str) -> None:
    assert (
        paper(("doi:10.1000/tides.7", 8, "tiro"), (LONG, 17, "tibo"), ("A. Quill", 12, "tiro"), stated=stated) == title
    )


@pytest.mark.parametrize(
    ("front", "title"),
    [
        ([("TIDES", 30, "tibo"), (LONG, 17, "tibo"), ("A. Quill, B. Marsh and C. Reed", 12, "tiro")], LONG),
        ([("Lost readings", 17, "tibo"), ("A. Quill, B. Marsh and C. Reed", 12, "tiro")], "Lost readings"),
        ([(LONG, 10, "tibo"), ("A. Quill, B. Marsh", 10, "tiro"), ("Abstract", 10, "tibo")], LONG),
        ([("Abstract", 10, "tibo")], ""),
    ],
)
def test_a_title_is_no_logo_and_may_be_as_small_as_the_text(front: list[tuple[str, float, str]], title: str) -> None:
    assert paper(*front) == title


def test_the_heading_of_a_table_of_contents_is_no_title() -> None:
    """So what the file states counts even where no page shows it, or there is none."""
    front = ("A note of May", 10, "tiro"), ("Table of contents", 20, "tibo")
    assert paper(*front, stated=LONG) == LONG
    assert paper(*front) == ""
