"""HTML set as a PDF by MuPDF's Story. Runs in the worker process only."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Page:
    """A page in points: width and height, margins at the sides and at top and bottom; the room that a block needs to
    begin on it; whether pages are numbered.
    """

    width: float
    height: float
    side: float
    top: float
    least_room: float
    numbered: bool


PAGES: Mapping[str, Page] = {
    # The least room on A4: a heading, a line of facts, and two lines of text.
    "a4": Page(595.0, 842.0, 56.0, 54.0, 72.0, numbered=True),
    # The text block of the NeurIPS style, 5.5 by 9 inches on US letter; its author response has one page.
    "neurips": Page(612.0, 792.0, 108.0, 72.0, 0.0, numbered=False),
}


@dataclass(frozen=True, slots=True)
class Laid:
    """A PDF, how many pages it has, and how much of the last one is filled (0 to 1)."""

    content: bytes
    pages: int
    filled: float


def typeset(title: str, blocks: Sequence[str], page: str = "a4") -> Laid:
    """The blocks (each an HTML page of its own) one after the other on pages of one of the ``PAGES``.

    Each block is set by itself, so that none begins where only its heading would fit.
    """
    import pymupdf

    form = PAGES[page]
    width, height = form.width, form.height
    side, top = form.side, form.top
    bottom = height - top
    paper = pymupdf.Rect(0, 0, width, height)
    written = io.BytesIO()
    writer = pymupdf.DocumentWriter(written)
    device, y = writer.begin_page(paper), top
    for block in blocks:
        story = pymupdf.Story(html=block)
        more = 1
        if bottom - y < form.least_room:
            writer.end_page()
            device, y = writer.begin_page(paper), top
        while more:
            more, filled = story.place(pymupdf.Rect(side, y, width - side, bottom))
            story.draw(device)
            y = pymupdf.Rect(filled).y1
            if more:
                writer.end_page()
                device, y = writer.begin_page(paper), top
    writer.end_page()
    writer.close()
    with pymupdf.open(stream=written.getvalue(), filetype="pdf") as document:
        for number, sheet in enumerate(document, start=1) if form.numbered else ():
            foot = f"{number} / {document.page_count}"
            sheet.insert_text((side, height - top / 2), foot, fontsize=8, color=(0.33, 0.33, 0.33))
        document.set_metadata({"title": title, "producer": "Rejoinder"})
        filled = min(1.0, max(0.0, (y - top) / (bottom - top)))
        return Laid(bytes(document.tobytes(garbage=3, deflate=True)), document.page_count, filled)
