"""Adds marks to a PDF: annotations that any reader shows, in the margin and under words. Worker process only.

The pages are unchanged and nothing is typeset again. A mark that can't be added to a damaged page is left out and
counted.
"""

import io
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import pymupdf

from engine.documents.records import Laid, Marking

COLOURS: Mapping[str, tuple[float, float, float]] = {
    "added": (0.0, 0.45, 0.70),
    "deleted": (0.84, 0.53, 0.0),
    "moved": (0.61, 0.31, 0.53),
    "evidence": (0.0, 0.47, 0.36),
    "contradicted": (0.72, 0.29, 0.0),
}
"""Okabe and Ito's blue, orange, purple, green and vermilion, all but the first darkened for paper."""
_WASHES: Mapping[str, tuple[float, float, float]] = {"evidence": (0.72, 0.92, 0.83), "contradicted": (1.0, 0.85, 0.76)}
"""Colours of the kinds whose lines are highlighted rather than underlined."""
_LABEL_SIZE = 6.0
_BAR = 1.6
_GAP = 5.0


def mark_pdf(
    document: Any,
    marks: Sequence[Mapping[str, Any]],
    appendix: bytes,
    title: str,
    *,
    outline: str,
    progress: Callable[[float, str], None] | None = None,
) -> Marking:
    """Adds ``marks`` to an open PDF, appends the pages of ``appendix`` (a PDF), and returns the file.

    ``outline`` is the appendix's title in the outline; marks are the fields of ``Mark``, from JSON. Annotations have no
    author, and the file's metadata is replaced.
    """
    by_page: dict[int, list[Mapping[str, Any]]] = {}
    for mark in marks:
        by_page.setdefault(int(mark["page"]), []).append(mark)
    made = left_out = 0
    for at, (number, found) in enumerate(sorted(by_page.items())):
        if progress is not None:
            progress(at / len(by_page), f"Marking page {number}")
        try:
            page = document.load_page(number - 1)
        except (RuntimeError, ValueError, IndexError, pymupdf.mupdf.FzErrorBase):
            left_out += len(found)
            continue
        taken: tuple[list[float], list[float]] = ([], [])
        for mark in found:
            try:
                _draw(page, mark, taken)
                made += 1
            except (RuntimeError, ValueError, pymupdf.mupdf.FzErrorBase):
                left_out += 1
    pages = document.page_count
    if appendix:
        with pymupdf.open(stream=appendix, filetype="pdf") as further:
            document.insert_pdf(further)
        # If the outline is damaged, the pages are appended without an entry.
        with suppress(RuntimeError, ValueError, pymupdf.mupdf.FzErrorBase):
            document.set_toc([*document.get_toc(), [1, outline, pages + 1]])
    document.set_metadata({})  # removes authors, times and paths; unnamed fields go only this way
    document.set_metadata({"title": title, "producer": "Rejoinder"})
    document.del_xml_metadata()
    return Marking(bytes(document.tobytes(garbage=1, deflate=True)), made, left_out)


def _draw(page: Any, mark: Mapping[str, Any], taken: tuple[list[float], list[float]]) -> None:
    colour = COLOURS[mark["kind"]]
    note = f"{mark['label']}: {mark['note']}" if mark["label"] else str(mark["note"])
    turn = page.derotation_matrix

    def finish(annotation: Any, ink: tuple[float, float, float] = colour, *, fill: bool = False) -> None:
        # Readers show the title field as the author.
        annotation.set_info(title="", content=note, subject=mark["kind"])
        annotation.set_colors(stroke=ink, fill=ink if fill else None)
        annotation.update()

    lines, bar, caret = [line[1:] for line in mark["lines"]], (mark["bar"] or ())[1:], mark["caret"]
    if lines:
        quads = [(pymupdf.Rect(line) * turn).quad for line in lines]
        wash = _WASHES.get(mark["kind"])
        if wash is None:
            finish(page.add_underline_annot(quads=quads))
        else:
            finish(page.add_highlight_annot(quads=quads), wash)
    top = None
    if bar:
        x0, top, _, y1 = bar
        x = max(2.0, x0 - _GAP)
        drawn = page.add_rect_annot(pymupdf.Rect(x - _BAR, top, x, y1) * turn)
        drawn.set_border(width=0)
        finish(drawn, fill=True)
    if caret:
        x, y = caret
        top = y - 6 if top is None else top
        finish(page.add_caret_annot(pymupdf.Point(x - 4, y - 3) * turn))
    if top is None and lines:
        top = lines[0][1]
    if mark["label"] and top is not None:
        on_left = min(box[0] for box in (*lines, bar, caret) if box) < page.rect.width / 2
        _label(page, str(mark["label"]), _free(top, taken[on_left]), colour, on_left)


def _free(y: float, taken: list[float]) -> float:
    """Returns the first height from ``y`` down without a label, and reserves it."""
    while any(abs(y - other) < _LABEL_SIZE + 1.5 for other in taken):
        y += 1.5
    taken.append(y)
    return y


def _label(page: Any, words: str, y: float, colour: tuple[float, float, float], on_left: bool) -> None:
    """Adds the mark's label at the nearer edge of the page."""
    width = 4 * len(words) * _LABEL_SIZE / 6 + 6
    x = 3 if on_left else page.rect.width - 3 - width
    annotation = page.add_freetext_annot(
        pymupdf.Rect(x, y, x + width, y + _LABEL_SIZE + 3) * page.derotation_matrix,
        words,
        fontsize=_LABEL_SIZE,
        fontname="helv",
        text_color=colour,
        rotate=page.rotation,
        align=pymupdf.TEXT_ALIGN_LEFT if on_left else pymupdf.TEXT_ALIGN_RIGHT,
    )
    annotation.set_info(title="", subject="number")
    annotation.update()


# --- HTML typeset as a PDF by MuPDF's Story. Runs in the worker process only -----------------------------------------


@dataclass(frozen=True, slots=True)
class Page:
    """Dimensions of a page in points: width, height, side margins, top and bottom margin, and the space that a block
    needs to start on it; ``numbered``: whether page numbers are added."""

    width: float
    height: float
    side: float
    top: float
    least_room: float
    numbered: bool


PAGES: Mapping[str, Page] = {
    # Least room on A4: a heading, a line of metadata, and two lines of text.
    "a4": Page(595.0, 842.0, 56.0, 54.0, 72.0, numbered=True),
    # The text block of the NeurIPS style, 5.5 by 9 inches on US letter; its author response has one page.
    "neurips": Page(612.0, 792.0, 108.0, 72.0, 0.0, numbered=False),
}


def typeset(title: str, blocks: Sequence[str], page: str = "a4") -> Laid:
    """Typesets the blocks (each a separate HTML document) one after the other in one of the ``PAGES`` formats.

    A block starts on a new page if less than the format's ``least_room`` is left.
    """
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
        document.subset_fonts()
        filled = min(1.0, max(0.0, (y - top) / (bottom - top)))
        return Laid(bytes(document.tobytes(garbage=3, deflate=True)), document.page_count, filled)
