"""Colours as a page shows them: the commonest of a place, the contrast of two. Touches no MuPDF."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Pixels = NDArray[np.uint8]


def rgb(colour: Any) -> tuple[int, int, int]:
    """A colour of one, three or four parts from 0 to 1 (grey, RGB, CMYK) as levels from 0 to 255; black for others."""
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
    """The most frequent colour of pixels (n, 3), those within 4 levels taken as one."""
    import numpy as np

    colours = np.concatenate(parts).astype(np.int64)
    codes = ((colours[:, 0] >> 2) << 12) | ((colours[:, 1] >> 2) << 6) | (colours[:, 2] >> 2)
    values, counts = np.unique(codes, return_counts=True)
    most = colours[codes == values[counts.argmax()]].mean(axis=0)
    return tuple(int(c) for c in most)


def contrast(a: Sequence[float], b: Sequence[float]) -> float:
    """Contrast of two colours, 1 to 21 (WCAG 2.2, relative luminance)."""
    bright, dark = sorted((_luminance(a), _luminance(b)), reverse=True)
    return (bright + 0.05) / (dark + 0.05) if _hue_apart(a, b) < 60 else 21.0


def _hue_apart(a: Sequence[float], b: Sequence[float]) -> float:
    """How far two colours of like brightness are apart, 0 to 255: red on green shows, whatever the luminances."""
    shift = [x - y for x, y in zip(a, b, strict=True)]
    return max(shift) - min(shift)


def _luminance(colour: Sequence[float]) -> float:
    linear = [c / 255 / 12.92 if c <= 10 else ((c / 255 + 0.055) / 1.055) ** 2.4 for c in colour]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
