"""The five states of a statement that was held against its paper."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Literal

Verdict = Literal["supported", "contradicted", "place found", "not found", "not checked"]
"""What a check came to.

- ``supported``: the paper says this, at the place shown.
- ``contradicted``: the paper says otherwise, at the place shown.
- ``place found``: the place that the statement names exists; whether it says this was not decided.
- ``not found``: what the statement names is not in the paper.
- ``not checked``: nothing in the statement could be checked.
"""
GRAVEST: tuple[Verdict, ...] = ("contradicted", "not found", "not checked", "place found", "supported")
"""The five states, those first that a person should look at first."""
UNFOUNDED: tuple[Verdict, ...] = ("contradicted", "not found")
"""What must not leave without a person's decision."""


def gravest(verdicts: Iterable[Verdict]) -> Verdict | None:
    """The state of several statements that is to be looked at first; None of none."""
    return min(verdicts, key=GRAVEST.index, default=None)


def counted_states(verdicts: Iterable[Verdict]) -> str:
    """How many statements are in each state, in words: "2 contradicted · 1 place found"; "" of none."""
    counts = Counter(verdicts)
    return " · ".join(f"{counts[one]} {one}" for one in GRAVEST if counts[one])
