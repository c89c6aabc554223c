"""Lays lines out on pages: two columns, floats at column tops, footnotes, running heads, line numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pymupdf

from sample_paper.fonts import face, width_of
from sample_paper.lines import Line, Piece, break_lines, syllables
from sample_paper.mathset import Formula

PAGE = pymupdf.Rect(0, 0, 595, 842)
LEFT, TOP, BOTTOM, GUTTER = 62.0, 78.0, 766.0, 20.0
COLUMN: float = (PAGE.width - 2 * LEFT - GUTTER) / 2
SIZE, LEADING = 10.4, 12.9
SMALL, SMALL_LEADING = 8.2, 9.6


@dataclass(frozen=True, slots=True)
class Float:
    """A figure or table: its height in points, and how to draw it at a top left corner."""

    height: float
    draw: Callable[[Pen, float, float], None]


class Pen:
    """Writes on one page; texts of one colour are collected and written together."""

    def __init__(self, page: pymupdf.Page) -> None:
        self.page = page
        self._writers: dict[tuple[float, float, float], pymupdf.TextWriter] = {}

    def text(
        self, x: float, y: float, text: str, style: str, size: float, *, color: tuple[float, float, float] = (0, 0, 0)
    ) -> None:
        """Writes ``text`` with its baseline starting at (x, y)."""
        writer = self._writers.setdefault(color, pymupdf.TextWriter(PAGE))
        writer.append((round(x, 2), round(y, 2)), text, font=face(style), fontsize=size)

    def centred(self, x: float, y: float, text: str, style: str, size: float) -> None:
        """Writes ``text`` centred on x."""
        self.text(x - width_of(text, style, size) / 2, y, text, style, size)

    def right(self, x: float, y: float, text: str, style: str, size: float) -> None:
        """Writes ``text`` so that it ends at x."""
        self.text(x - width_of(text, style, size), y, text, style, size)

    def rule(self, x0: float, y0: float, x1: float, y1: float, width: float = 0.4) -> None:
        """Draws a thin straight line."""
        self.page.draw_line((round(x0, 2), round(y0, 2)), (round(x1, 2), round(y1, 2)), width=width)

    def pieces(self, x: float, y: float, pieces: list[Piece]) -> None:
        """Writes the pieces of a word one after the other."""
        for piece in pieces:
            if piece.formula is not None:
                self.formula(x, y, piece.formula)
            else:
                self.text(x, y - piece.rise, piece.text, piece.style, piece.size)
            x += piece.width

    def formula(self, x: float, y: float, formula: Formula) -> None:
        """Writes a formula with its baseline at y."""
        for glyph in formula.glyphs:
            self.text(x + glyph.x, y + glyph.y, glyph.text, glyph.style, glyph.size)
        for bar_x, bar_y, length in formula.bars:
            self.rule(x + bar_x, y + bar_y, x + bar_x + length, y + bar_y, 0.45)

    def line(self, x: float, y: float, line: Line) -> None:
        """Writes a typeset line."""
        for offset, pieces in line.words:
            self.pieces(x + offset, y, pieces)

    def finish(self) -> None:
        """Writes the collected texts to the page."""
        for color, writer in self._writers.items():
            writer.write_text(self.page, color=color)
        self._writers.clear()


class Pages:
    """Fills columns from the top, adding pages as needed."""

    def __init__(self, head: str, venue: str, *, line_numbers: bool) -> None:
        self.document = pymupdf.Document()
        self.head, self.venue, self.line_numbers = head, venue, line_numbers
        self.waiting: list[Float] = []
        self.notes: list[tuple[str, Line]] = []
        self.note_count = 0
        self.line_count = 0
        self.column = 1
        self.top = TOP
        self._page()
        self._column_start()

    # -- pages and columns

    def _page(self) -> None:
        page = self.document.new_page(width=PAGE.width, height=PAGE.height)
        self.pen = Pen(page)
        self.column, self.top = 0, TOP
        number = self.document.page_count
        if number > 1:
            name = self.head if number % 2 == 0 else self.venue
            self.pen.centred(PAGE.width / 2, 50, name, "i", 9)
            self.pen.rule(LEFT, 57, PAGE.width - LEFT, 57, 0.3)
        self.pen.centred(PAGE.width / 2, 806, str(number), "r", 9)

    def _column_start(self) -> None:
        self.y = self.top
        self.bottom = BOTTOM
        placed = 0
        while self.waiting and (placed == 0 or self.y + self.waiting[0].height < BOTTOM - 220):
            self._place(self.waiting.pop(0))
            placed += 1

    def _place(self, item: Float) -> None:
        item.draw(self.pen, self.x, self.y)
        self.y += item.height + 14

    @property
    def x(self) -> float:
        """Left edge of the current column."""
        return LEFT + self.column * (COLUMN + GUTTER)

    def next_column(self) -> None:
        """Ends this column with its footnotes and starts the next one, on a new page after the second."""
        self._write_notes()
        if self.column == 0:
            self.column = 1
        else:
            self.pen.finish()
            self._page()
        self._column_start()

    def _write_notes(self) -> None:
        if not self.notes:
            return
        y = BOTTOM - len(self.notes) * SMALL_LEADING + 4
        self.pen.rule(self.x, y - 10, self.x + 60, y - 10)
        for mark, line in self.notes:
            if mark:
                self.pen.text(self.x, y - 2.6, mark, "r", 6)
            self.pen.line(self.x + 5, y, line)
            y += SMALL_LEADING
        self.notes = []

    # -- what is put on them

    def across(self, height: float, draw: Callable[[Pen, float], None]) -> None:
        """Draws across both columns at the top of the page; the columns start below."""
        draw(self.pen, TOP)
        self.top = self.y = TOP + height

    def space(self, points: float) -> None:
        """Adds vertical space, except at the top of a column."""
        if self.y > self.top:
            self.y += points

    def need(self, points: float) -> None:
        """Continues in the next column if less than ``points`` are left."""
        if self.y + points > self.bottom:
            self.next_column()

    def float_in(self, item: Float) -> None:
        """Queues a figure or table for the top of the next column with room, as LaTeX places it."""
        self.waiting.append(item)

    def set_lines(self, lines: list[Line], leading: float = LEADING, left: float = 0.0, size: float = SIZE) -> None:
        """Writes lines down the column, avoiding a single first or last line of a paragraph."""
        for position, line in enumerate(lines):
            left_over = len(lines) - position
            least = 2 if (position == 0 and len(lines) > 1) or left_over == 2 else 1
            notes = self._set_notes(line)
            room = least * leading + len(notes) * SMALL_LEADING + (18 if notes and not self.notes else 0)
            self.need(room)
            if notes:
                self.bottom -= len(notes) * SMALL_LEADING + (18 if not self.notes else 0)
                self.notes += notes
            self.y += leading
            base = self.y - leading * 0.24
            self.pen.line(self.x + left, base, line)
            if self.line_numbers:
                self._line_number(base, size)

    def _set_notes(self, line: Line) -> list[tuple[str, Line]]:
        found: list[tuple[str, Line]] = []
        for note in line.notes:
            self.note_count += 1
            for position, note_line in enumerate(break_lines(syllables(note, SMALL), COLUMN - 5, SMALL)):
                found.append((str(self.note_count) if position == 0 else "", note_line))
        return found

    def _line_number(self, base: float, size: float) -> None:
        self.line_count += 1
        shown = f"{self.line_count:03d}"
        grey = (0.45, 0.45, 0.45)
        if self.column == 0:
            self.pen.text(LEFT - 26, base - size * 0.06, shown, "h", 6, color=grey)
        else:
            self.pen.text(PAGE.width - LEFT + 14, base - size * 0.06, shown, "h", 6, color=grey)

    def formula(self, formula: Formula, number: str) -> None:
        """Writes a displayed formula in the middle of the column, with its number at the right."""
        height = formula.above + formula.below + 14
        self.need(height)
        base = self.y + 7 + formula.above
        self.pen.formula(self.x + (COLUMN - formula.width) / 2, base, formula)
        self.pen.right(self.x + COLUMN, base, f"({number})", "r", SIZE)
        self.y += height

    def finish(self, title: str) -> bytes:
        """Places the remaining floats, closes the file, and returns it: the same bytes for the same content."""
        while self.waiting:
            if self.y + self.waiting[0].height > self.bottom:
                self.next_column()
            else:
                self.y += 10
                self._place(self.waiting.pop(0))
        self._write_notes()
        self.pen.finish()
        self.document.subset_fonts()
        self.document.set_metadata({"title": title, "creator": "Rejoinder, scripts/make_sample.py"})
        return bytes(self.document.tobytes(garbage=4, deflate=True, no_new_id=True))
