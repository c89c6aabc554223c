"""Papers with concealed text, by kind of concealment, and honest papers that resemble them.

``KINDS`` and ``HONEST`` map a name to a generator: the same seed gives the same file, other seeds give other pages,
places, fonts, colours, words and operators. The concealed text is known, so a detector can be measured by kind.
``check`` asserts that a common way of reading PDFs yields the concealed words.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import TypeVar

from tests.benchmarks.concealment import beside, covered, honest, later, lettering, painted, placed
from tests.benchmarks.concealment.checks import check
from tests.benchmarks.concealment.setting import Case

_Made = TypeVar("_Made")


def _own_host(name: str, generator: Callable[[Random], _Made]) -> Callable[[Random], _Made]:
    """Wraps the generator so that it gets other hosts and words than others with the same seed."""
    return lambda rng: generator(Random(f"{name} {rng.random()}"))


KINDS: dict[str, Callable[[Random], Case]] = {
    name: _own_host(name, generator)
    for family in (painted, covered, placed, lettering, beside, later)
    for name, generator in family.KINDS.items()
}
HONEST: dict[str, Callable[[Random], bytes]] = {
    name: _own_host(name, generator) for name, generator in honest.HONEST.items()
}

__all__ = ["HONEST", "KINDS", "Case", "check"]
