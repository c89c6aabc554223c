"""Text in layers (optional content) that a page does not show. Runs in the worker."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from engine.documents.hidden import WHY, Finding, Unexamined, joined, tells
from engine.documents.objects import of_type, read_objects
from engine.documents.records import Box
from engine.documents.traced import failures


def in_layers(
    document: Any, objects: Mapping[int, str], data: bytes, shown: Sequence[str], tick: Callable[[], None]
) -> tuple[list[Finding], list[Finding], list[Unexamined]]:
    """The text that a page yields once nothing makes parts of it optional, whatever rule switched them off."""
    del data, shown
    import pymupdf

    optional = of_type(objects, "OCG", "OCMD")
    if not optional:
        return [], [], []
    findings: list[Finding] = []
    left: list[Unexamined] = []
    try:
        copy = pymupdf.open(stream=document.tobytes(), filetype="pdf")
    except failures():
        return [], [], [Unexamined(0, "its layers could not be switched on")]
    with copy:
        for number in of_type(read_objects(copy), "OCG", "OCMD"):
            copy.update_object(number, "<</Type/Unconditional>>")
        copy.xref_set_key(copy.pdf_catalog(), "OCProperties", "null")
        for index in range(min(document.page_count, copy.page_count)):
            tick()
            try:
                page = document.load_page(index)
                before = Counter(_place(w) for w in page.get_text("words"))
                more = [w for w in copy.load_page(index).get_text("words") if not before[_place(w)]]
            except failures():
                left.append(Unexamined(index + 1, "its layers could not be switched on"))
                continue
            text = joined(w[4] for w in more)
            if tells(text, "layer off"):
                matrix = page.rotation_matrix
                rects = [pymupdf.Rect(w[:4]) * matrix for w in more]
                boxes = tuple(Box(index + 1, *(round(v, 2) for v in rect)) for rect in rects)
                findings.append(Finding("layer off", index + 1, text, WHY["layer off"], boxes))
    return findings, [], left


def _place(word: Sequence[Any]) -> tuple[object, ...]:
    return (word[4], round(word[0]), round(word[1]))
