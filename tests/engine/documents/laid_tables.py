"""Tables laid out for tests: words placed on a page, and tables read from it or from a typeset paper."""

from __future__ import annotations

import random

import pymupdf

from engine.documents.records import Box, PageSize, Paragraph, ParagraphKind, ParsedDocument, Word
from engine.documents.service import DocumentService
from engine.documents.tables import Table, find_tables
from tests.engine.documents.typeset import Paper, prose

Lines = list[tuple[float, list[tuple[float, str]]]]


def paragraph(index: int, kind: ParagraphKind, lines: Lines, width: float = 15, gap: float = 3) -> Paragraph:
    """Words of one width at places of a page: by line its top, and texts with their left edges."""
    words: list[Word] = []
    text = ""
    for y, parts in lines:
        for x, part in parts:
            for n, word in enumerate(part.split()):
                box = Box(1, x + (width + gap) * n, y, x + (width + gap) * n + width, y + 9)
                words.append(Word(len(text), len(text) + len(word), box))
                text += f"{word} "
    box, text = Box(1, 0, lines[0][0], 360, lines[-1][0] + 9), text.rstrip()
    return Paragraph(f"p{index}", index, "", kind, text, text, tuple(range(len(text) + 1)), 1, (box,), tuple(words))


def table(*paragraphs: Paragraph) -> Table:
    return find_tables(ParsedDocument("", (PageSize(1, 600, 800, 0),), paragraphs, "", 0))[0]


def rows(y: float, *texts: list[str], left: float = 100) -> Lines:
    places = [left + 70 * n for n in range(9)]
    return [(y + 12 * n, [(x, t) for x, t in zip(places, row, strict=False) if t]) for n, row in enumerate(texts)]


def cells(found: Table) -> list[list[str]]:
    return [[cell.text for cell in row.cells] for row in found.rows]


Placed = list[tuple[float, float, str]]


def grid(columns: list[float], rows: list[list[str]], *, leading: float = 12, right: bool = False) -> Placed:
    """Cells at the columns' left edges, or with ``right`` all but the first ending there; empty ones are left out."""
    cells = []
    for n, row in enumerate(rows):
        for column, (x, text) in enumerate(zip(columns, row, strict=True)):
            width = pymupdf.get_text_length(text, fontname="tiro", fontsize=9) if right and column else 0
            if text:
                cells.append((x - width, leading * (n + 1), text))
    return cells


def read(service: DocumentService, *parts: tuple[str, Placed, float] | str, columns: int = 1) -> list[list[list[str]]]:
    """The cells by row, each in its column, of the tables of a paper with these captions, drawings and paragraphs."""
    paper = Paper(columns=columns)
    paper.title("A Paper With a Table", ["Ada Example"])
    paper.heading("1 Results")
    rng = random.Random(5)
    paper.paragraph(prose(rng, 5), first=True)
    for part in parts:
        if isinstance(part, str):
            paper.paragraph(part) if part.endswith("cases.") else paper.caption(part)
        else:
            _, cells, height = part
            paper.placed(cells, height)
    paper.paragraph(prose(rng, 6))
    found = []
    for table in find_tables(service.parse(paper.finish())):
        rows = [[""] * table.columns for _ in table.rows]
        for row, line in zip(table.rows, rows, strict=True):
            for cell in row.cells:
                line[cell.column] = f"{line[cell.column]} {cell.text}".strip()
        found.append(rows)
    return found
