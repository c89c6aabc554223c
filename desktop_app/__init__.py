"""The desktop application. ``engine`` is imported first because it disables libraries' network access."""

from collections.abc import Callable
from itertools import chain
from typing import TypeVar

import engine  # noqa: F401
from engine.papers.names import folded

T = TypeVar("T")


def present(value: T | None) -> T:
    """Returns the value, which must not be None where this is called."""
    assert value is not None
    return value


def next_match(text: str, count: int, at: int, by: int, words: Callable[[int], str]) -> int | None:
    """Returns the next (``by`` 1), the previous (-1) or, from ``at`` on, the first of ``count`` entries (0) that has a
    text in it, or else all of its words, wrapping around. An entry that is the text comes first for 0. Case and
    accents don't count."""
    wanted = folded(text).strip()
    steps = range(count) if by == 0 else range(1, count + 1)
    said = [(place, folded(words(place))) for place in ((at + step * (by or 1)) % count for step in steps if wanted)]
    found = chain(
        (place for place, there in said if by == 0 and there == wanted),
        (place for place, there in said if wanted in there),
        (place for place, there in said if all(word in there for word in wanted.split())),
    )
    return next(found, None)


def if_any(value: T | None, use: Callable[[T], object]) -> None:
    """Calls ``use`` with the value unless it is None, as when the user cancelled a dialog."""
    if value is not None:
        use(value)
