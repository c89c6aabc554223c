"""How positions in two documents correspond, from aligned paragraphs."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from desktop_app.theme import Meaning


@dataclass(frozen=True, slots=True)
class Pair:
    """Aligned paragraphs, by position in their documents. ``key`` is the edit's id, ``meaning`` its colour ("" and None
    if unchanged)."""

    source: tuple[int, ...]
    target: tuple[int, ...]
    key: str = ""
    meaning: Meaning | None = None


class ScrollMap:
    """A strictly rising, piecewise linear map between the heights of two documents.

    Built from points (height left, height right). Pairs that cross others (moved text, the second column of a page)
    are left out by the longest rising subsequence (Schensted 1961): scrolling never runs backwards.
    """

    def __init__(self, points: Iterable[tuple[float, float]], ends: tuple[float, float]) -> None:
        rising = _longest_rising(sorted(set(points)))
        self._left = [0.0]
        self._right = [0.0]
        for left, right in [*rising, ends]:
            if left > self._left[-1] and right > self._right[-1]:
                self._left.append(left)
                self._right.append(right)

    def to_right(self, y: float) -> float:
        """The height on the right that a height on the left corresponds to."""
        return _interpolated(y, self._left, self._right)

    def to_left(self, y: float) -> float:
        """The height on the left that a height on the right corresponds to."""
        return _interpolated(y, self._right, self._left)


def _interpolated(y: float, xs: Sequence[float], ys: Sequence[float]) -> float:
    if len(xs) < 2:
        return y
    at = min(max(bisect_right(xs, y), 1), len(xs) - 1)
    x0, x1, y0, y1 = xs[at - 1], xs[at], ys[at - 1], ys[at]
    return y0 + (y - x0) * (y1 - y0) / (x1 - x0)


def _longest_rising(points: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """The longest subsequence in which both coordinates rise strictly; points come sorted by the first."""
    tails: list[float] = []
    ends: list[int] = []
    before: list[int] = []
    for index, (_, y) in enumerate(points):
        at = bisect_left(tails, y)
        before.append(ends[at - 1] if at else -1)
        if at == len(tails):
            tails.append(y)
            ends.append(index)
        else:
            tails[at], ends[at] = y, index
    chain: list[tuple[float, float]] = []
    index = ends[-1] if ends else -1
    while index >= 0:
        if not chain or points[index][0] < chain[-1][0]:
            chain.append(points[index])
        index = before[index]
    return chain[::-1]
