"""A rendered page as pixels: where ink shows, and which colours. Doesn't use MuPDF."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Pixels = NDArray[np.uint8]

# --- Colours: the commonest of an area, the contrast of two ----------------------------------------------------------


def rgb(colour: Any) -> tuple[int, int, int]:
    """Converts a colour of 1, 3 or 4 parts from 0 to 1 (grey, RGB, CMYK) to levels from 0 to 255; others to black."""
    parts = tuple(colour) if isinstance(colour, (tuple, list)) else ()
    if len(parts) == 1:
        parts = parts * 3
    elif len(parts) == 4:
        parts = tuple((1 - parts[n]) * (1 - parts[3]) for n in range(3))
    elif len(parts) != 3:
        parts = (0.0, 0.0, 0.0)
    red, green, blue = (round(255 * min(1.0, max(0.0, float(p)))) for p in parts)
    return red, green, blue


def commonest(parts: Sequence[Pixels]) -> tuple[int, ...]:
    """Returns the most frequent colour of pixels (n, 3), grouped in steps of 4 levels."""
    colours = np.concatenate(parts).astype(np.int64)
    codes = ((colours[:, 0] >> 2) << 12) | ((colours[:, 1] >> 2) << 6) | (colours[:, 2] >> 2)
    values, counts = np.unique(codes, return_counts=True)
    most = colours[codes == values[counts.argmax()]].mean(axis=0)
    return tuple(int(c) for c in most)


def contrast(a: Sequence[float], b: Sequence[float]) -> float:
    """Returns the contrast of two colours, 1 to 21 (WCAG 2.2, relative luminance); 21 if their hues are far apart."""
    bright, dark = sorted((_luminance(a), _luminance(b)), reverse=True)
    return (bright + 0.05) / (dark + 0.05) if _hue_apart(a, b) < 60 else 21.0


def _hue_apart(a: Sequence[float], b: Sequence[float]) -> float:
    """Returns the spread of the channel differences of two colours, 0 to 255: red on green shows at any luminance."""
    shift = [x - y for x, y in zip(a, b, strict=True)]
    return max(shift) - min(shift)


def _luminance(colour: Sequence[float]) -> float:
    linear = [c / 255 / 12.92 if c <= 10 else ((c / 255 + 0.055) / 1.055) ** 2.4 for c in colour]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


Rectangle = tuple[float, float, float, float]
_EDGE = 6
"""Least difference in levels (of 255) of the mixed channel between neighbours where something is drawn; more than
gradients."""
LEAST_CONTRAST = 1.25
"""Below this contrast (WCAG 2, 1 to 21) text is invisible; readable text has 4.5, a faint watermark 1.5."""


@dataclass(frozen=True, slots=True)
class Ink:
    """The pixels of a page (rows, columns, RGB) at ``scale`` pixels per point, with cumulative sums for queries."""

    pixels: Pixels
    scale: float
    _edges: Any
    _light: Any

    def flat(self, boxes: Any) -> Any:
        """Returns for each box (n, 4; points) whether nothing is drawn in its middle, so without rules and descenders
        of neighbouring lines. False outside the page."""
        boxes = np.asarray(boxes, float).reshape(-1, 4)
        inset = 0.22 * (boxes[:, 3] - boxes[:, 1])
        left, top, right, bottom = self._places(boxes[:, 0], boxes[:, 1] + inset, boxes[:, 2], boxes[:, 3] - inset)
        some = (right > left) & (bottom > top)
        right, bottom = (
            np.minimum(right, np.maximum(right - 1, left + 1)),
            np.minimum(bottom, np.maximum(bottom - 1, top + 1)),
        )
        return some & (self._sum(self._edges, left, top, right, bottom) == 0)

    def light(self, boxes: Any) -> Any:
        """Returns each box's (n, 4; points) mean level (0 to 255), with partly covered pixels; 0 off the page."""
        height, width = self.pixels.shape[:2]
        left, top, right, bottom = np.clip(
            self.scale * np.asarray(boxes, float).reshape(-1, 4), 0, [width, height, width, height]
        ).T

        def up_to(x: Any, y: Any) -> Any:
            column, row = np.minimum(x.astype(int), width - 1), np.minimum(y.astype(int), height - 1)
            x, y = x - column, y - row
            upper = self._light[row, column] * (1 - x) + self._light[row, column + 1] * x
            lower = self._light[row + 1, column] * (1 - x) + self._light[row + 1, column + 1] * x
            return upper * (1 - y) + lower * y

        total = up_to(right, bottom) - up_to(right, top) - up_to(left, bottom) + up_to(left, top)
        return total / np.maximum(0.01, (right - left) * (bottom - top))

    def area(self, box: Rectangle, grow: float = 0.0) -> Pixels:
        """Returns the pixels (rows, columns, 3) of a box in points, enlarged by ``grow`` on all sides."""
        height, width = self.pixels.shape[:2]
        s = self.scale
        left, top = max(0, int((box[0] - grow) * s)), max(0, int((box[1] - grow) * s))
        right, bottom = min(width, int((box[2] + grow) * s) + 1), min(height, int((box[3] + grow) * s) + 1)
        return self.pixels[top : max(top, bottom), left : max(left, right)]

    def blends(self, colour: Sequence[float], opacity: float, box: Rectangle) -> str:
        """Returns why ink of a colour is invisible in a box: "transparent" or "background colour"; "" if visible."""
        area = self.area(box)
        if area.size == 0:
            return ""
        inside = commonest([area.reshape(-1, 3)])
        seen = tuple(opacity * c + (1 - opacity) * g for c, g in zip(colour, inside, strict=True))
        if opacity < 0.9 and contrast(seen, inside) < LEAST_CONTRAST <= contrast(colour, inside):
            return "transparent"
        # Heavy letters fill their own box, but not its surroundings.
        wide = self.area(box, 2.0)
        border = commonest([wide[0], wide[-1], wide[:, 0], wide[:, -1]])
        if contrast(colour, inside) < LEAST_CONTRAST and contrast(colour, border) < LEAST_CONTRAST:
            return "background colour"
        return "transparent" if opacity < 0.02 else ""

    def _places(self, x0: Any, y0: Any, x1: Any, y1: Any) -> tuple[Any, Any, Any, Any]:
        height, width = self.pixels.shape[:2]
        s = self.scale
        left, top = np.clip((x0 * s).astype(int), 0, width), np.clip((y0 * s).astype(int), 0, height)
        right, bottom = np.clip((x1 * s).astype(int) + 1, 0, width), np.clip((y1 * s).astype(int) + 1, 0, height)
        return left, top, right, bottom

    @staticmethod
    def _sum(sums: Any, left: Any, top: Any, right: Any, bottom: Any) -> Any:
        return sums[bottom, right] - sums[top, right] - sums[bottom, left] + sums[top, left]


def ink_of(pixels: Pixels, scale: float) -> Ink:
    """Builds ``Ink`` from the pixels (rows, columns, RGB) of a page."""
    # One channel instead of three, weighted so that two colours of a page hardly ever coincide.
    wide = pixels.astype(np.int16)
    mixed = (5 * wide[..., 0] + 3 * wide[..., 1] + 2 * wide[..., 2]) // 10
    edges = np.zeros(mixed.shape, bool)
    edges[:, :-1] = np.abs(mixed[:, 1:] - mixed[:, :-1]) >= _EDGE
    edges[:-1] |= np.abs(mixed[1:] - mixed[:-1]) >= _EDGE
    return Ink(pixels, scale, _summed(edges), _summed(mixed))


def _summed(values: Any) -> Any:
    sums = np.zeros((values.shape[0] + 1, values.shape[1] + 1), np.int32)
    sums[1:, 1:] = values
    for row in range(1, len(sums)):  # several times as fast as cumsum along the columns
        sums[row] += sums[row - 1]
    return np.cumsum(sums, axis=1, out=sums)


def resemblance(shape: Any, drawn: Any) -> float:
    """Returns how far the shape of letters (2D, high where ink is) shows in a drawn area (2D levels), 0 to 1: the
    smaller of the correlations along rows and columns, since other text in the same place matches in one direction
    only."""
    return min(_correlation(shape, drawn, axis) for axis in (0, 1))


def _correlation(shape: Any, drawn: Any, axis: int) -> float:
    a, b = shape.astype(np.float32), drawn.astype(np.float32)
    a, b = (a - a.mean(axis=axis, keepdims=True)).ravel(), (b - b.mean(axis=axis, keepdims=True)).ravel()
    size = float(np.sqrt((a @ a) * (b @ b)))
    return abs(float(a @ b)) / size if size > 0 else 0.0


_DARK, _LOW, _HIGH, _FILLED, _FEW = 60, 3, 16, 0.6, 8
"""Level difference between ink and page; least and greatest height in pixels of a row of letters at 72 dpi; share of
ink from which such a row is a bar; and number of rows that make a strip text."""


def shows_text(grey: Any) -> bool:
    """Returns whether a page (rows, columns of levels, 72 dpi) shows lines of text, as a scan does and a plot doesn't:
    in at least two of eight vertical strips enough rows have the height of letters, or most ink is in such rows."""
    ink = np.abs(grey.astype(np.int16) - int(np.median(grey))) > _DARK
    rows = written = 0
    for strip in np.array_split(ink, 8, axis=1):
        filled = strip.mean(axis=1)
        edges = np.flatnonzero(np.diff(np.concatenate([[False], filled > 0, [False]]).astype(np.int8)))
        runs = [filled[top:end] for top, end in zip(edges[::2], edges[1::2], strict=True)]
        letters = [run for run in runs if _LOW <= len(run) <= _HIGH and run.mean() < _FILLED]
        rows += len(letters) >= _FEW
        written += sum(run.sum() for run in letters) * strip.shape[1]
    return bool(rows > 1 or written > 0.5 * max(1, ink.sum()))
