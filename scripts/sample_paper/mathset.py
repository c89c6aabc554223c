"""Typesets formulas in the part of TeX's notation that the paper uses (scripts, fractions, sums with limits)."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from sample_paper.fonts import width_of

_UPRIGHT = {"exp", "cos", "log"}


@dataclass(frozen=True, slots=True)
class Glyphs:
    """A run of one font at a position relative to the formula's left end on the baseline (y down, points)."""

    text: str
    style: str
    size: float
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class Formula:
    """A typeset formula: width, extent above and below the baseline, glyphs, and fraction bars (x, y, length)."""

    width: float
    above: float
    below: float
    glyphs: tuple[Glyphs, ...]
    bars: tuple[tuple[float, float, float], ...] = ()

    def shifted(self, dx: float, dy: float) -> Formula:
        """Returns the formula with its contents moved and its width unchanged."""
        return replace(
            self,
            above=self.above - dy,
            below=self.below + dy,
            glyphs=tuple(replace(glyph, x=glyph.x + dx, y=glyph.y + dy) for glyph in self.glyphs),
            bars=tuple((x + dx, y + dy, length) for x, y, length in self.bars),
        )


def _beside(parts: list[Formula]) -> Formula:
    x = 0.0
    glyphs: list[Glyphs] = []
    bars: list[tuple[float, float, float]] = []
    for part in parts:
        moved = part.shifted(x, 0)
        glyphs += moved.glyphs
        bars += moved.bars
        x += part.width
    above = max((part.above for part in parts), default=0.0)
    return Formula(x, above, max((part.below for part in parts), default=0.0), tuple(glyphs), tuple(bars))


def _run(text: str, style: str, size: float, pad: float = 0.0) -> Formula:
    advance = width_of(text, style, size)
    return Formula(advance + 2 * pad, 0.7 * size, 0.22 * size, (Glyphs(text, style, size, pad, 0.0),))


def _centred(part: Formula, width: float) -> Formula:
    return replace(part.shifted((width - part.width) / 2, 0), width=width)


def _stacked(parts: list[tuple[Formula, float]], bars: tuple[tuple[float, float, float], ...] = ()) -> Formula:
    width = max(part.width for part, _ in parts)
    moved = [_centred(part, width).shifted(0, dy) for part, dy in parts]
    glyphs = tuple(glyph for part in moved for glyph in part.glyphs)
    inner = tuple(bar for part in moved for bar in part.bars)
    return Formula(width, max(part.above for part in moved), max(part.below for part in moved), glyphs, inner + bars)


class _Reader:
    def __init__(self, source: str, size: float) -> None:
        self.tokens = re.findall(r"\\[a-z]+|exp|cos|log|[A-Za-zα-ωΑ-Ω]|\d+|\S| +", source)
        self.position = 0
        self.size = size

    def peek(self) -> str:
        return self.tokens[self.position] if self.position < len(self.tokens) else ""

    def take(self) -> str:
        token = self.peek()
        self.position += 1
        return token

    def group(self, size: float) -> Formula:
        if self.peek() != "{":
            return self.atom(size)
        self.take()
        inside = self.row(size, "}")
        self.take()
        return inside

    def row(self, size: float, end: str) -> Formula:
        parts: list[Formula] = []
        while self.peek() != end:
            parts.append(self.scripted(size))
        return _beside(parts)

    def scripted(self, size: float) -> Formula:
        if self.peek() == "\\sum":
            self.take()
            limits = {"_": Formula(0, 0, 0, ()), "^": Formula(0, 0, 0, ())}
            while self.peek() in limits:
                place = self.take()
                limits[place] = self.group(size * 0.68)
            sign = _run("∑", "r", size * 1.5).shifted(0, size * 0.2)
            stack = [(sign, 0.0), (limits["^"], -size * 1.12), (limits["_"], size * 1.12)]
            return _beside([_run(" ", "r", size * 0.4), _stacked(stack), _run(" ", "r", size * 0.6)])
        base = Formula(0, 0, 0, ()) if self.peek() in {"_", "^"} else self.atom(size)
        scripts: list[Formula] = []
        while self.peek() in {"_", "^"}:
            down = self.take() == "_"
            scripts.append(self.group(size * 0.68).shifted(0, size * (0.2 if down else -0.38)))
        if not scripts:
            return base
        both = [replace(script, width=0.0) for script in scripts]
        widest = max(script.width for script in scripts)
        return _beside([base, *both, Formula(widest + size * 0.04, 0, 0, ())])

    def atom(self, size: float) -> Formula:
        sign = self.take()
        if sign == "\\frac":
            over, under = self.group(size), self.group(size)
            width = max(over.width, under.width) + size * 0.3
            axis = -size * 0.26
            up, down = axis - size * 0.22 - over.below, axis + size * 0.3 + under.above
            stack = _stacked([(_centred(over, width), up), (_centred(under, width), down)])
            return replace(stack, bars=(*stack.bars, (0.0, axis, width)))
        if sign.isspace():
            return Formula(size * 0.14, 0, 0, ())
        if sign in "=+−":
            return _run(sign, "r", size, pad=size * 0.2 if self.position > 1 and sign != "−" else size * 0.06)
        if sign in _UPRIGHT or not sign.isalpha():
            return _run(sign, "r", size)
        return _run(sign, "i", size)


def set_formula(source: str, size: float) -> Formula:
    """Typesets ``source`` at ``size`` points."""
    return _Reader(source, size).row(size, "")


def plain_text(source: str) -> str:
    """Returns the formula's characters in page order, without notation."""
    return "".join(glyph.text for glyph in set_formula(source, 10).glyphs).strip()
