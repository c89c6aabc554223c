"""The five states of a statement that was held against its paper."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from engine.documents.places import Place, Places

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


UNRELIABLE = "Some pages of this PDF couldn't be read reliably, so this can't be checked against all of it."


def reliable(verdict: Verdict, why: str, place: Place | None, places: Places) -> tuple[Verdict, str]:
    """A verdict and its reason, as far as the pages can be relied on: a paper with doubtful pages lacks nothing, and
    what was read from one decides nothing. ``place`` is what decided, None where it was the whole paper."""
    doubts = {doubt.page: doubt.sentence for doubt in places.document.doubtful}
    if not doubts or verdict in ("place found", "not checked"):
        return verdict, why
    if verdict == "not found" or place is None:
        return "not checked", UNRELIABLE
    said = next((doubts[page] for page in sorted({place.page, *(b.page for b in place.boxes)}) if page in doubts), "")
    return ("place found", f"{why} {said}") if said else (verdict, why)
