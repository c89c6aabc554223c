"""What the reader of page layout works on: words and lines as they stand on a page, before they mean anything.

These are mutable working records inside one parse; what leaves the room are the frozen ones in ``records.py``.
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
"""How the caption of a table begins."""


def commonest(weighted: Iterable[tuple[Value, int]]) -> Value:
    """The value with the most weight, the first of several. Raises ValueError without any."""
    weights: dict[Value, int] = {}
    for value, weight in weighted:
        weights[value] = weights.get(value, 0) + weight
    return max(weights, key=weights.__getitem__)


@dataclass(slots=True)
class Token:
    """A run of glyphs without white space on one line.

    ``pieces`` are (font name, glyph text) in order: a repair of wrongly mapped glyphs is made per font. ``base`` is the
    y of the baseline, ``glued`` says that a no-break space joins it to the next word.
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
        """The size most of its characters have."""
        return commonest((token.size, len(token.text)) for token in self.tokens)

    @cached_property
    def base(self) -> float:
        """The baseline of its characters of main size; superscripts do not move it."""
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
        """Every word that has a letter is bold."""
        worded = [t for t in self.tokens if any(c.isalnum() for c in t.text)]
        return bool(worded) and all(t.bold for t in worded)

    @cached_property
    def boldness(self) -> float:
        return sum(len(t.text) for t in self.tokens if t.bold) / max(1, self.letters)

    @cached_property
    def rise(self) -> float:
        """How far pieces of formulas push the line from the one above: their height beyond that of a superscript."""
        tops = sorted(t.base - t.y0 for t in self.tokens)
        accent = tops[-1] - tops[len(tops) // 2] - 0.25 * self.size
        return max(0.0, accent, self.base - min(t.base for t in self.tokens) - 0.45 * self.size)

    @cached_property
    def drop(self) -> float:
        """The same below: the depth of the lowest beyond a subscript."""
        return max(0.0, max(t.base for t in self.tokens) - self.base - 0.3 * self.size)

    @cached_property
    def italic(self) -> bool:
        worded = [t for t in self.tokens if any(c.isalpha() for c in t.text)]
        return bool(worded) and all(t.italic for t in worded)

    @property
    def width(self) -> float:
        return self.x1 - self.x0

    def forget(self) -> None:
        """Drop what was worked out from the tokens, after they changed."""
        for name in [name for name in self.__dict__ if name not in _FIELDS]:
            del self.__dict__[name]


_FIELDS = frozenset(Line.__dataclass_fields__)


@dataclass(eq=False)
class PageText:
    """One page: number from 1, size in points as it is read, its lines, and what else was seen.

    ``turn`` says which way the lines run on the page as shown: to the right, or sideways (``turned``). ``sideways``
    counts the characters of lines that run otherwise and are left out. ``picture`` is the share of the page under
    pictures, ``within`` that of its letters that lie on them. ``drawn`` says of a page without text that much is drawn,
    ``written`` whether what is drawn or pictured may be text.
    Of a page that has the caption of a table, ``rules`` are the lines drawn, ``bold`` the places of bold numbers.
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
