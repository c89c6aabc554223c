"""Rejoins drop capitals, large first letters beside several lines, with the words that they start."""

import re

from engine.documents.page_text import Line, PageText, Token, commonest

_CAPITAL = re.compile(r"[\"“‘'(]?[^\W\d_]")
_WORD = re.compile(r"[^\W\d_]{2}")
_LEAST = 1.5
"""Least size of a drop capital, as a multiple of the text's size."""
_Text = tuple[Line, Token, float]


def restore_drop_capitals(pages: list[PageText]) -> None:
    """Puts each drop capital before the first of the lines beside it, and sets the left edge of them all to its own."""
    tokens = [token for page in pages for line in page.lines for token in line.tokens]
    words = {token.text.strip(".,;:()").lower() for token in tokens}
    for page in pages:
        texts: list[_Text] = [(line, *found) for line in page.lines if (found := _text(line.tokens))]
        for line in list(page.lines):
            initial = line.tokens[0]
            if not (_CAPITAL.fullmatch(initial.text) and initial.text.upper() == initial.text):
                continue
            own = _text(line.tokens[1:])
            rows = _rows_beside(initial, [*([(line, *own)] if own else []), *(x for x in texts if x[0] is not line)])
            if len(rows) < 2:
                continue
            if len(line.tokens) > 1:  # it was in the lowest row
                del line.tokens[0]
                line.forget()
            else:
                page.lines.remove(line)
            _begin_with(initial, rows[0], words)
            for row in rows:
                row.tokens[0].x0 = initial.x0
                row.forget()


def _text(tokens: list[Token]) -> tuple[Token, float] | None:
    """Returns the first word and the commonest size; None for limits of a sum or integral (fewer than two words)."""
    if sum(bool(_WORD.match(token.text)) for token in tokens) < 2:
        return None
    return tokens[0], commonest((token.size, len(token.text)) for token in tokens)


def _rows_beside(initial: Token, texts: list[_Text]) -> list[Line]:
    """Returns the lines to the right of a letter, between its top and its baseline, from the top down."""
    found = []
    for line, first, size in texts:
        near = -0.2 * size < first.x0 - initial.x1 < 1.2 * size
        level = -0.85 * initial.size < first.base - initial.base < 0.4 * size
        if near and level and initial.size >= _LEAST * size:
            found.append((first.base, line))
    return [line for _, line in sorted(found, key=lambda row: row[0])]


def _begin_with(initial: Token, line: Line, words: set[str]) -> None:
    """Prepends the letter to a line's first word, or as a separate word if only the rest is a known word."""
    first = line.tokens[0]
    rest = first.text.strip(".,;:()").lower()
    if initial.text in "AIO" and rest in words and initial.text.lower() + rest not in words:
        place = (initial.x0, first.y0, initial.x1, first.y1, first.base, first.size)
        look = (first.font, first.bold, first.italic, initial.pieces)
        line.tokens.insert(0, Token(initial.text, *place, *look))
    else:
        first.text = initial.text + first.text
        first.pieces = (*initial.pieces, *first.pieces)
