"""Parsed documents made from plain texts: words laid out on lines of a page, for tests that need no PDF."""

from __future__ import annotations

from engine.documents.records import Box, PageSize, Paragraph, ParsedDocument, Word


def paragraph(text: str, index: int = 0, *, per_line: int = 8) -> Paragraph:
    """A paragraph whose words stand ``per_line`` to a line, characters 5 points wide, lines 12 apart."""
    words: list[Word] = []
    start, x, line = 0, 50.0, 0
    for number, word in enumerate(text.split(" ")):
        if number and number % per_line == 0:
            x, line = 50.0, line + 1
        end = start + len(word)
        y = 40.0 + 12 * line + 100 * index
        if word:
            words.append(Word(start, end, Box(1, x, y, x + 5 * len(word), y + 10)))
        x += 5 * (len(word) + 1)
        start = end + 1
    return Paragraph(
        id=f"p{index:04d}",
        index=index,
        section="",
        kind="body",
        text=text,
        raw=text,
        offsets=tuple(range(len(text) + 1)),
        page=1,
        boxes=(Box(1, 50, 40, 500, 60),),
        words=tuple(words),
    )


def document(*texts: str) -> ParsedDocument:
    """A document of these paragraphs."""
    made = tuple(paragraph(text, index) for index, text in enumerate(texts))
    return ParsedDocument("0" * 64, (PageSize(1, 612, 792, 0),), made, "test", 0.0)
