"""HTML set as a PDF by MuPDF's Story. Runs in the worker process only."""

from __future__ import annotations

import io
from collections.abc import Sequence

_PAGE = (595.0, 842.0)  # A4 in points
_MARGINS = (56.0, 54.0)
_LEAST_ROOM = 72.0  # a heading, a line of facts, and two lines of text


def typeset(title: str, blocks: Sequence[str]) -> bytes:
    """The blocks (each an HTML page of its own) one after the other on A4, with a page number at each foot.

    Each block is set by itself, so that none begins where only its heading would fit.
    """
    import pymupdf

    width, height = _PAGE
    side, top = _MARGINS
    bottom = height - top
    sheet = pymupdf.Rect(0, 0, width, height)
    written = io.BytesIO()
    writer = pymupdf.DocumentWriter(written)
    device, y = writer.begin_page(sheet), top
    for block in blocks:
        story = pymupdf.Story(html=block)
        more = 1
        if bottom - y < _LEAST_ROOM:
            writer.end_page()
            device, y = writer.begin_page(sheet), top
        while more:
            more, filled = story.place(pymupdf.Rect(side, y, width - side, bottom))
            story.draw(device)
            y = pymupdf.Rect(filled).y1
            if more:
                writer.end_page()
                device, y = writer.begin_page(sheet), top
    writer.end_page()
    writer.close()
    with pymupdf.open(stream=written.getvalue(), filetype="pdf") as document:
        for number, page in enumerate(document, start=1):
            foot = f"{number} / {document.page_count}"
            page.insert_text((side, height - top / 2), foot, fontsize=8, color=(0.33, 0.33, 0.33))
        document.set_metadata({"title": title, "producer": "Rejoinder"})
        return bytes(document.tobytes(garbage=3, deflate=True))
