"""Records as the fields that the command line promises."""

from __future__ import annotations

from engine.documents.records import Paragraph


def paragraph_fields(paragraph: Paragraph) -> dict[str, object]:
    """A paragraph; boxes are [page, left, top, right, bottom] in points, pages count from 1."""
    return {
        "id": paragraph.id,
        "section": paragraph.section,
        "kind": paragraph.kind,
        "text": paragraph.text,
        "page": paragraph.page,
        "boxes": [
            [box.page, *(round(side, 2) for side in (box.x0, box.y0, box.x1, box.y1))] for box in paragraph.boxes
        ],
    }
