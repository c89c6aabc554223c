"""Papers with concealed text, by kind of concealment, and honest papers that resemble them.

``KINDS`` and ``HONEST`` map a name to a generator: the same seed gives the same file, other seeds give other pages,
places, fonts, colours, words and operators. What is concealed is known, so a detector can be measured kind by kind.
``check`` asserts that the concealed words of a case are yielded by a common way of reading PDFs.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from tests.benchmarks.concealment import beside, covered, honest, lettering, painted, placed
from tests.benchmarks.concealment.checks import check
from tests.benchmarks.concealment.setting import Case

KINDS: dict[str, Callable[[Random], Case]] = {
    **painted.KINDS,
    **covered.KINDS,
    **placed.KINDS,
    **lettering.KINDS,
    **beside.KINDS,
}
HONEST: dict[str, Callable[[Random], bytes]] = honest.HONEST

__all__ = ["HONEST", "KINDS", "Case", "check"]
