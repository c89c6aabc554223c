"""A drawn page as pixels: where ink shows and which colours are where. Touches no MuPDF."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from engine.documents.colours import commonest, contrast

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Pixels = NDArray[np.uint8]

Rectangle = tuple[float, float, float, float]
_EDGE = 6
"""Levels (of 255) of the mixed channels by which neighbours differ where something is drawn; gradients differ less."""
LEAST_CONTRAST = 1.25
"""Below this contrast (WCAG 2, 1 to 21) nobody sees a text; readable text has 4.5, a faint watermark 1.5."""


@dataclass(frozen=True, slots=True)
class Ink:
    """The pixels of a page (rows, columns, RGB) at ``scale`` pixels per point, with sums that answer quickly."""

    pixels: Pixels
    scale: float
    _edges: Any
    _light: Any

    def flat(self, boxes: Any) -> Any:
        """For each box (n, 4; points) whether nothing is drawn in its middle: the neighbours' descenders and rules are
        left out. False outside the page."""
        import numpy as np

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
        """For each box (n, 4; points) the mean level, 0 to 255, of its pixels, also of parts; 0 outside the page."""
        import numpy as np

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
        """The pixels (rows, columns, 3) of a box in points, grown on all sides."""
        height, width = self.pixels.shape[:2]
        s = self.scale
        left, top = max(0, int((box[0] - grow) * s)), max(0, int((box[1] - grow) * s))
        right, bottom = min(width, int((box[2] + grow) * s) + 1), min(height, int((box[3] + grow) * s) + 1)
        return self.pixels[top : max(top, bottom), left : max(left, right)]

    def blends(self, colour: Sequence[float], opacity: float, box: Rectangle) -> str:
        """Why ink of a colour cannot be seen in a box: "transparent", "background colour", or "" where it can."""
        area = self.area(box)
        if area.size == 0:
            return ""
        inside = commonest([area.reshape(-1, 3)])
        seen = tuple(opacity * c + (1 - opacity) * g for c, g in zip(colour, inside, strict=True))
        if opacity < 0.9 and contrast(seen, inside) < LEAST_CONTRAST <= contrast(colour, inside):
            return "transparent"
        # Heavy letters fill their own box, and not what is around it.
        wide = self.area(box, 2.0)
        border = commonest([wide[0], wide[-1], wide[:, 0], wide[:, -1]])
        if contrast(colour, inside) < LEAST_CONTRAST and contrast(colour, border) < LEAST_CONTRAST:
            return "background colour"
        return "transparent" if opacity < 0.02 else ""

    def _places(self, x0: Any, y0: Any, x1: Any, y1: Any) -> tuple[Any, Any, Any, Any]:
        import numpy as np

        height, width = self.pixels.shape[:2]
        s = self.scale
        left, top = np.clip((x0 * s).astype(int), 0, width), np.clip((y0 * s).astype(int), 0, height)
        right, bottom = np.clip((x1 * s).astype(int) + 1, 0, width), np.clip((y1 * s).astype(int) + 1, 0, height)
        return left, top, right, bottom

    @staticmethod
    def _sum(sums: Any, left: Any, top: Any, right: Any, bottom: Any) -> Any:
        return sums[bottom, right] - sums[top, right] - sums[bottom, left] + sums[top, left]


def ink_of(pixels: Pixels, scale: float) -> Ink:
    """What ``Ink`` needs to know of the pixels (rows, columns, RGB) of a page."""
    import numpy as np

    # One channel of three, with weights that no two colours of a page are likely to share.
    wide = pixels.astype(np.int16)
    mixed = (5 * wide[..., 0] + 3 * wide[..., 1] + 2 * wide[..., 2]) // 10
    edges = np.zeros(mixed.shape, bool)
    edges[:, :-1] = np.abs(mixed[:, 1:] - mixed[:, :-1]) >= _EDGE
    edges[:-1] |= np.abs(mixed[1:] - mixed[:-1]) >= _EDGE
    return Ink(pixels, scale, _summed(edges), _summed(mixed))


def _summed(values: Any) -> Any:
    import numpy as np

    sums = np.zeros((values.shape[0] + 1, values.shape[1] + 1), np.int32)
    np.cumsum(values, axis=0, out=sums[1:, 1:])
    np.cumsum(sums[1:, 1:], axis=1, out=sums[1:, 1:])
    return sums


def resemblance(shape: Any, drawn: Any) -> float:
    """How much of the shape of letters (2D, ink high) shows in a drawn place (2D levels), 0 to 1: their correlation
    along the rows and along the columns, the smaller. Lines of other text that share the place have bands in common
    with the shape, in one direction only."""
    return min(_correlation(shape, drawn, axis) for axis in (0, 1))


def _correlation(shape: Any, drawn: Any, axis: int) -> float:
    import numpy as np

    a, b = shape.astype(np.float32), drawn.astype(np.float32)
    a, b = (a - a.mean(axis=axis, keepdims=True)).ravel(), (b - b.mean(axis=axis, keepdims=True)).ravel()
    size = float(np.sqrt((a @ a) * (b @ b)))
    return abs(float(a @ b)) / size if size > 0 else 0.0
