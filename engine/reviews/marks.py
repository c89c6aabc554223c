"""Text with its marks: the one form into which every format of letter and review is read.

A mark says how a stretch of the text looks or what it is in ("bold", "colour #0000ff", "in reply", "by rc"). Readers
of formats only produce marks; what a mark means in a letter is learned from that letter (``engine.reviews.roles``).
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Mark:
    """A mark on [start, end) of the text, in code points."""

    name: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class MarkedText:
    """A text, as Markdown, and the marks that Markdown has no sign for. ``warnings`` are sentences on what did not come
    over; ``converted``: it is not the file's own text.
    """

    text: str
    marks: tuple[Mark, ...] = ()
    warnings: tuple[str, ...] = ()
    converted: bool = False
