"""Typesets a version of the paper as a PDF."""

import re

from sample_paper.drawing import drawing_for
from sample_paper.lines import break_lines, syllables
from sample_paper.mathset import set_formula
from sample_paper.pages import COLUMN, LEADING, LEFT, PAGE, SIZE, SMALL, SMALL_LEADING, Float, Pages, Pen
from sample_paper.source import Block, Version

INDENT = 11.0
CAPTION, CAPTION_LEADING = 9.0, 10.6
RUNNING_HEAD = "Marrowby, Quill and Vantresca"
VENUES = {
    "submitted": "Submitted to the Symposium on Gentle Traffic",
    "revised": "Proceedings of the Symposium on Gentle Traffic",
}
INVENTED = (
    "This paper is invented. It was written for the sample project of Rejoinder; the city, its authors and its "
    "references do not exist, and its numbers come from a simulation that ships with it."
)


def set_paper(version: Version) -> bytes:
    """Typesets a version in two columns; the submitted one has line numbers."""
    pages = Pages(RUNNING_HEAD, VENUES[version.name], line_numbers=version.name == "submitted")
    by_id = {block.id: block for block in version.blocks}
    title = by_id["title"].text
    _front_matter(pages, title, by_id["authors"].text)
    after_heading = True
    for block in version.blocks:
        if block.kind in {"title", "authors"}:
            continue
        text = version.printed(block.text)
        if block.kind == "abstract":
            _abstract(pages, text)
        elif block.kind == "heading":
            _heading(pages, block)
        elif block.kind in {"figure", "table"}:
            pages.float_in(_float(block, text, version))
        elif block.kind == "equation":
            pages.formula(set_formula(block.text, SIZE), block.number)
        elif block.kind == "reference":
            if block.number == "1":
                _heading(pages, Block("", "heading", "References", (), {}))
            _reference(pages, block, text)
        else:
            indent = 0.0 if after_heading else INDENT
            parts = syllables(text, SIZE, first_note=pages.note_count + 1)
            pages.set_lines(break_lines(parts, COLUMN, SIZE, indent))
        if block.kind not in {"figure", "table"}:
            after_heading = block.kind in {"heading", "abstract"}
    return pages.finish(title)


def _front_matter(pages: Pages, title: str, authors: str) -> None:
    names, *places = authors.splitlines()
    lines = break_lines(syllables(title, 16, "b"), 420, 16, justify=False)
    width = PAGE.width - 2 * LEFT

    def centred(pen: Pen, y: float, text: str, size: float, style: str = "r") -> None:
        (line,) = break_lines(syllables(text, size, style), 10_000, size)
        length = line.words[-1][0] + sum(piece.width for piece in line.words[-1][1])
        pen.line(LEFT + (width - length) / 2, y, line)

    def draw(pen: Pen, top: float) -> None:
        y = top + 4
        for line in lines:
            length = line.words[-1][0] + sum(piece.width for piece in line.words[-1][1])
            pen.line(LEFT + (width - length) / 2, y, line)
            y += 20
        y += 6
        centred(pen, y, re.sub(r" \((\d)\)", r"$^{\1}$", names), 11.5)
        for place in places:
            y += 14
            centred(pen, y, re.sub(r"^\((\d)\) ", r"$^{\1}$", place), 10, "i")

    pages.across(20 * len(lines) + 14 * len(places) + 34, draw)


def _abstract(pages: Pages, text: str) -> None:
    pages.pen.centred(pages.x + COLUMN / 2, pages.y + 10, "Abstract", "b", 11)
    pages.y += 16
    margin = 12.0
    lines = break_lines(syllables(text + f"^[{INVENTED}]", 9.4), COLUMN - 2 * margin, 9.4)
    pages.set_lines(lines, 11.2, margin, 9.4)
    pages.y += 4


def _heading(pages: Pages, block: Block) -> None:
    second = block.options.get("level") == "2"
    size = 10.5 if second else 12.0
    pages.space(8 if second else 11)
    pages.need(size + 6 + 3 * LEADING)
    shown = f"{block.number}  {block.text}" if block.number else block.text
    pages.pen.text(pages.x, pages.y + size, shown, "b", size)
    pages.y += size + (4 if second else 6)


def _float(block: Block, text: str, version: Version) -> Float:
    drawing = drawing_for(block.options["draw"], block.kind, version.study, revised=version.name == "revised")
    label = "Figure" if block.kind == "figure" else "Table"
    lines = break_lines(syllables(f"{label} {block.number}: {text}", CAPTION), COLUMN, CAPTION)
    gap = 7.0

    def draw(pen: Pen, x: float, y: float) -> None:
        drawing.draw(pen, x, y)
        base = y + drawing.height + gap + CAPTION
        for line in lines:
            pen.line(x, base, line)
            base += CAPTION_LEADING

    return Float(drawing.height + gap + len(lines) * CAPTION_LEADING + 4, draw)


def _reference(pages: Pages, block: Block, text: str) -> None:
    hang = 17.0
    lines = break_lines(syllables(text, SMALL + 0.6), COLUMN - hang, SMALL + 0.6)
    pages.need(min(2, len(lines)) * SMALL_LEADING)
    pages.pen.right(pages.x + hang - 4, pages.y + 10.6 * 0.76, f"[{block.number}]", "r", SMALL + 0.6)
    pages.set_lines(lines, 10.6, hang, SMALL + 0.6)
    pages.y += 2
