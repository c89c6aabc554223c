"""Text of earlier versions of a file, and of pages that it holds and does not show. Runs in the worker."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from engine.documents.glyph_shapes import scratch_page
from engine.documents.hidden import WHY, Finding, Unexamined, joined, tells, without_shown
from engine.documents.objects import of_type
from engine.documents.traced import failures

_MOST_VERSIONS = 4
_MOST_PAGES = 60


def leftovers(
    document: Any, objects: Mapping[int, str], data: bytes, shown: Sequence[str], tick: Callable[[], None]
) -> tuple[list[Finding], list[Finding], list[Unexamined]]:
    """Sentences of earlier versions (a PDF that is changed may keep them) and of unused pages that no page shows."""
    texts: list[str] = []
    left: list[Unexamined] = []
    try:
        texts += _unused_pages(document, objects, tick)
        texts += _earlier_versions(data, tick)
    except failures():
        left.append(Unexamined(0, "its earlier versions or unused pages couldn't be read"))
    text = joined(without_shown(joined(texts), shown))
    if not tells(text, "earlier version"):
        return [], [], left
    return [Finding("earlier version", 0, text, WHY["earlier version"])], [], left


def _unused_pages(document: Any, objects: Mapping[int, str], tick: Callable[[], None]) -> list[str]:
    used = {document.page_xref(n) for n in range(document.page_count)}
    unused = [n for n in of_type(objects, "Page") if n not in used][:_MOST_PAGES]
    texts = []
    for number in unused:
        tick()
        with scratch_page(document, (2_000, 2_000), {}, "") as page:
            for key in ("Contents", "Resources"):
                document.xref_set_key(page.xref, key, document.xref_get_key(number, key)[1])
            texts.append(" ".join(w[4] for w in document.reload_page(page).get_text("words")))
    return texts


def _earlier_versions(data: bytes, tick: Callable[[], None]) -> list[str]:
    import pymupdf

    ends: list[int] = []
    at = data.find(b"%%EOF")
    while at >= 0:
        ends.append(at + 5)
        at = data.find(b"%%EOF", at + 5)
    texts = []
    # The first end of a file that was written to be shown while it loads (linearised) is not that of a version.
    first = 1 if b"/Linearized" in data[:2048] else 0
    for end in ends[first:-1][-_MOST_VERSIONS:]:
        with pymupdf.open(stream=data[:end], filetype="pdf") as earlier:
            if earlier.needs_pass:
                continue
            for page in range(min(earlier.page_count, _MOST_PAGES)):
                tick()
                texts.append(" ".join(w[4] for w in earlier.load_page(page).get_text("words")))
    return texts
