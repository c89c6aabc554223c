"""PDF -> ParsedDocument: the order in which the parts of this room do their work."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from engine.documents.assembly import join_blocks, to_paragraphs
from engine.documents.columns import order_pages, rejoin, set_margins
from engine.documents.doubts import find_doubts
from engine.documents.extraction import read_page
from engine.documents.furniture import remove_line_numbers, remove_running_heads
from engine.documents.glyphs import learn
from engine.documents.grouping import group, learn_style, unbolden
from engine.documents.kinds import classify
from engine.documents.page_text import Line, PageText
from engine.documents.records import Box, DoubtfulPage, MarginLine, PageSize, Paragraph, ParsedDocument

PARSER = "geometry 2"
"""Name and version of this parser, kept with what it read."""


def parse_document(document: Any, sha256: str, progress: Callable[[float, str], None]) -> ParsedDocument:
    """Read an open ``pymupdf.Document``. Pages that MuPDF cannot read are skipped, with a warning."""
    import pymupdf

    started = time.perf_counter()
    pages: list[PageText] = []
    unreadable: list[int] = []
    count = int(document.page_count)
    for index in range(count):
        try:
            pages.append(read_page(document.load_page(index)))
        except (RuntimeError, ValueError, pymupdf.mupdf.FzErrorBase):
            unreadable.append(index + 1)
            pages.append(PageText(index + 1, 595.0, 842.0, 0))
        if index % 10 == 9:
            progress(0.7 * (index + 1) / count, f"page {index + 1} of {count}")
    sizes = tuple(PageSize(p.number, round(p.width, 2), round(p.height, 2), p.rotation) for p in pages)
    warnings, sideways = _warnings(document, pages, unreadable), [*_sideways(pages)]
    progress(0.7, "paragraphs")
    paragraphs, title, numbered, doubts = analyse(pages)
    doubtful = tuple({doubt.page: doubt for doubt in sorted((*doubts, *sideways), key=lambda one: one.page)}.values())
    title = str((document.metadata or {}).get("title") or "").strip() or title
    seconds = time.perf_counter() - started
    rules = tuple(Box(p.number, *(round(v, 2) for v in rule)) for p in pages for rule in p.rules)
    seconds = round(seconds, 3)
    return ParsedDocument(sha256, sizes, paragraphs, PARSER, seconds, warnings, title, numbered, doubtful, rules)


def analyse(
    pages: list[PageText],
) -> tuple[tuple[Paragraph, ...], str, tuple[MarginLine, ...], tuple[DoubtfulPage, ...]]:
    """Paragraphs, title, numbered lines and doubtful pages of pages of words and lines.

    Pure, but the pages' lines are consumed.
    """
    numbered = tuple(remove_line_numbers(pages))
    remove_running_heads(pages)
    ordered = order_pages(pages)
    set_margins(ordered)
    lines: list[Line] = [line for page in ordered for line in rejoin(page)]
    if not lines:
        return (), "", numbered, tuple(DoubtfulPage(p.number, "scan", p.picture) for p in pages if p.picture > 0.3)
    unbolden(lines)
    reading = learn(lines)
    style = learn_style(lines)
    blocks = group(lines, style, reading)
    blocks, title = classify(blocks, style, reading, {p.number: p.height for p in pages})
    blocks = join_blocks(blocks, style, reading)
    return to_paragraphs(blocks, reading), title, numbered, find_doubts(pages, blocks, style, reading)


def _warnings(document: Any, pages: list[PageText], unreadable: list[int]) -> tuple[str, ...]:
    found: list[str] = []
    if document.is_repaired:
        found.append("The PDF is damaged; what could be repaired was read.")
    if unreadable:
        found.append(f"{_pages(unreadable)} couldn't be read and {'is' if len(unreadable) == 1 else 'are'} left out.")
    silent = [p.number for p in pages if p.picture > 0.3 and not p.lines and p.number not in unreadable]
    if silent and len(silent) == len(pages):
        found.append("The PDF holds pictures of pages without text, as a scan does; it can be looked at, not searched.")
    elif silent:
        found.append(f"{_pages(silent)} {'is a picture' if len(silent) == 1 else 'are pictures'} without text.")
    elif not any(p.lines for p in pages):
        found.append("The PDF contains no text.")
    return tuple(found)


def _sideways(pages: Sequence[PageText]) -> Iterator[DoubtfulPage]:
    for page in pages:
        upright = sum(line.letters for line in page.lines)
        if page.sideways > max(200, upright):
            yield DoubtfulPage(page.number, "sideways", round(page.sideways / (page.sideways + upright), 2))


def remarks(parsed: ParsedDocument) -> tuple[str, ...]:
    """What somebody who adds a PDF has to know of it, in sentences: the warnings, and which pages are doubtful."""
    pages = [doubt.page for doubt in parsed.doubtful]
    if len(pages) < 2:
        return (*parsed.warnings, *(doubt.sentence for doubt in parsed.doubtful))
    return (*parsed.warnings, f"{_pages(pages)} are marked: their text may not be what they show.")


def _pages(numbers: Sequence[int]) -> str:
    if len(numbers) == 1:
        return f"Page {numbers[0]}"
    shown = ", ".join(str(n) for n in numbers[:8])
    return f"Pages {shown}" + (f" and {len(numbers) - 8} more" if len(numbers) > 8 else "")
