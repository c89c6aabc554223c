"""What a PDF says beside its pages: notes and fields of forms, and the file's description. Runs in the worker."""

from __future__ import annotations

import contextlib
import re
from typing import Any

from engine.documents.hidden import WHY, Finding, find_phrases, joined, tag_text, tells, without_invisible
from engine.documents.records import Box


def beside_the_pages(document: Any) -> tuple[list[Finding], list[Finding]]:
    """Notes that are not shown, and phrases in notes and in the file's description."""
    import pymupdf

    hidden: list[Finding] = []
    spoken: list[Finding] = []
    described = [str(v) for k, v in (document.metadata or {}).items() if k not in ("format", "encryption") and v]
    with contextlib.suppress(RuntimeError, ValueError, pymupdf.mupdf.FzErrorBase):
        described.append(re.sub(r"<[^>]*>", " ", document.get_xml_metadata() or ""))
    for value in described:
        text = joined([without_invisible(value)])
        for a, b, why in find_phrases(text):
            if not any(f.page == 0 and f.text == text[a:b] for f in spoken):
                spoken.append(Finding("metadata", 0, text[a:b], f"{why}; {WHY['metadata']}"))
        if spelled := tag_text(value):
            hidden.append(Finding("tag characters", 0, spelled, WHY["tag characters"]))
    for index in range(document.page_count):
        try:
            page = document.load_page(index)
            notes = list(page.annots() or ()) + list(page.widgets() or ())
            for note in notes:
                hidden_note, spoken_note = _note(page, note)
                hidden += hidden_note
                spoken += spoken_note
        except (RuntimeError, ValueError, AttributeError, pymupdf.mupdf.FzErrorBase):
            continue
    return hidden, spoken


def _note(page: Any, note: Any) -> tuple[list[Finding], list[Finding]]:
    info = getattr(note, "info", None) or {}
    content = info.get("content") or str(getattr(note, "field_value", "") or "")
    text = joined([without_invisible(str(content))])
    if not text:
        return [], []
    rect = note.rect
    number = page.number + 1
    boxes = (Box(number, round(rect.x0, 2), round(rect.y0, 2), round(rect.x1, 2), round(rect.y1, 2)),)
    # The fields of a form do not tell their flags themselves.
    kind, value = page.parent.xref_get_key(note.xref, "F")
    flags = int(value) if kind == "int" else 0
    unseen = bool(flags & (2 | 32)) or (rect & page.rect).is_empty or rect.width < 3 or rect.height < 3
    hidden = [Finding("annotation", number, text, WHY["annotation"], boxes)] if unseen and tells(text, "tiny") else []
    spoken = (
        [] if hidden else [Finding("annotation", number, text[a:b], why, boxes) for a, b, why in find_phrases(text)]
    )
    return hidden, spoken
