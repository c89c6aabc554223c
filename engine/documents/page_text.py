"""Words and lines as they are placed on a page, the input of the layout analysis.

These are mutable working records of one parse; its results are the frozen records in ``records.py``.
"""

import re
from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeVar

Value = TypeVar("Value", bound=Hashable)
Rule = tuple[float, float, float, float]
"""Left, top, right and bottom of a drawn line."""
CAPTION = re.compile(r"\s*tab(?:le|\.)\s*[\dA-Z]", re.IGNORECASE)
"""The start of a table's caption."""


def commonest(weighted: Iterable[tuple[Value, int]]) -> Value:
    """Returns the value with the greatest total weight, the first of several. Raises ValueError without values."""
    weights: dict[Value, int] = {}
    for value, weight in weighted:
        weights[value] = weights.get(value, 0) + weight
    return max(weights, key=weights.__getitem__)


@dataclass(slots=True)
class Token:
    """A run of glyphs without white space on one line.

    ``pieces`` are (font name, glyph text) in order, since wrongly mapped glyphs are repaired per font. ``base`` is the
    y of the baseline; ``glued`` means that a no-break space follows, ``struck`` that the text is marked as deleted.
    """

    text: str
    x0: float
    y0: float
    x1: float
    y1: float
    base: float
    size: float
    font: str
    bold: bool
    italic: bool
    pieces: tuple[tuple[str, str], ...]
    glued: bool = False
    struck: bool = False


@dataclass(eq=False)
class Line:
    """Words on one baseline, left to right; ``block`` is MuPDF's block number on the page."""

    page: int
    tokens: list[Token]
    block: int = 0
    column: int = 0
    band: int = 0
    left: float = 0.0
    right: float = 0.0
    code: bool = False

    @cached_property
    def x0(self) -> float:
        return min(t.x0 for t in self.tokens)

    @cached_property
    def x1(self) -> float:
        return max(t.x1 for t in self.tokens)

    @cached_property
    def y0(self) -> float:
        return min(t.y0 for t in self.tokens)

    @cached_property
    def y1(self) -> float:
        return max(t.y1 for t in self.tokens)

    @cached_property
    def size(self) -> float:
        """The size of most of its characters; in small capitals, that of the capitals."""
        size = commonest((token.size, len(token.text)) for token in self.tokens)
        first = self.tokens[0].size
        small = 0.7 * first < size < 0.9 * first and {t.size for t in self.tokens} == {size, first}
        return first if small and self.text.isupper() else size

    @cached_property
    def base(self) -> float:
        """The baseline of the characters of the main size, which superscripts don't affect."""
        main = (token for token in self.tokens if token.size == self.size)
        return commonest((round(token.base, 1), len(token.text)) for token in main)

    @cached_property
    def font(self) -> str:
        return commonest((token.font, len(token.text)) for token in self.tokens)

    @cached_property
    def text(self) -> str:
        return " ".join(t.text for t in self.tokens)

    @cached_property
    def letters(self) -> int:
        return sum(len(t.text) for t in self.tokens)

    @cached_property
    def bold(self) -> bool:
        """Whether every word with a letter or digit is bold."""
        worded = [t for t in self.tokens if any(c.isalnum() for c in t.text)]
        return bool(worded) and all(t.bold for t in worded)

    @cached_property
    def boldness(self) -> float:
        return sum(len(t.text) for t in self.tokens if t.bold) / max(1, self.letters)

    @cached_property
    def rise(self) -> float:
        """How far formulas push the line down from the one above (points): their height beyond a superscript's."""
        tops = sorted(t.base - t.y0 for t in self.tokens)
        accent = tops[-1] - tops[len(tops) // 2] - 0.25 * self.size
        return max(0.0, accent, self.base - min(t.base for t in self.tokens) - 0.45 * self.size)

    @cached_property
    def drop(self) -> float:
        """The same below the line: the depth of the lowest piece beyond a subscript's."""
        return max(0.0, max(t.base for t in self.tokens) - self.base - 0.3 * self.size)

    @cached_property
    def italic(self) -> bool:
        worded = [t for t in self.tokens if any(c.isalpha() for c in t.text)]
        return bool(worded) and all(t.italic for t in worded)

    @property
    def width(self) -> float:
        return self.x1 - self.x0

    def forget(self) -> None:
        """Drops cached values after the tokens have changed."""
        for name in [name for name in self.__dict__ if name not in _FIELDS]:
            del self.__dict__[name]


_FIELDS = frozenset(Line.__dataclass_fields__)


@dataclass(eq=False)
class PageText:
    """A page: number from 1, size in points as read, lines, and other measurements.

    ``turn`` is the direction of the lines on the page as shown: to the right, or sideways (``turned``). ``sideways``
    counts the characters of lines in other directions, which are left out. ``picture`` is the share of the page covered
    by pictures, ``within`` that of its letters lying on them. ``drawn``: a page without text has many drawings;
    ``written``: drawings or pictures may show text. On pages with a caption of a table or algorithm, ``rules`` are the
    drawn lines and ``bold`` the boxes of bold numbers.
    """

    number: int
    width: float
    height: float
    rotation: int
    lines: list[Line] = field(default_factory=list)
    sideways: int = 0
    turn: int = 0
    picture: float = 0.0
    within: float = 0.0
    drawn: bool = False
    written: bool = True
    rules: list[Rule] = field(default_factory=list)
    bold: list[Rule] = field(default_factory=list)
