"""The five verdicts on a statement that was checked against its paper."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING, Literal

from engine.shown import counted

if TYPE_CHECKING:
    from engine.documents.places import Place, Places

Verdict = Literal["supported", "contradicted", "place found", "not found", "not checked"]
"""The result of a check.

- ``supported``: the paper says this, at the place shown.
- ``contradicted``: the paper says otherwise, at the place shown.
- ``place found``: the place that the statement names exists; whether it says this was not decided.
- ``not found``: what the statement names is not in the paper.
- ``not checked``: nothing in the statement could be checked.
"""
GRAVEST: tuple[Verdict, ...] = ("contradicted", "not found", "not checked", "place found", "supported")
"""The five verdicts, most serious first."""
DECIDED: tuple[Verdict, ...] = ("supported", "contradicted")
UNFOUNDED: tuple[Verdict, ...] = ("contradicted", "not found")
"""Verdicts that require a person's decision before sending."""


def gravest(verdicts: Iterable[Verdict]) -> Verdict | None:
    """Returns the most serious of several verdicts; None if there are none."""
    return min(verdicts, key=GRAVEST.index, default=None)


def counted_states(verdicts: Iterable[Verdict]) -> str:
    """Returns the number of statements per verdict, in words: "2 contradicted · 1 place found"; "" if there are
    none."""
    counts = Counter(verdicts)
    return " · ".join(counted(counts[one], one, _MANY.get(one, one)) for one in GRAVEST if counts[one])


_MANY: dict[Verdict, str] = {"place found": "places found"}


UNRELIABLE = "Some pages of this PDF couldn't be read reliably, so this can't be checked against all of it."


def wholly_read(places: Places) -> bool:
    """Returns whether the paper has text, and no page whose text is doubtful."""
    return bool(places.document.paragraphs) and not places.document.doubtful


def reliable(verdict: Verdict, why: str, place: Place | None, places: Places) -> tuple[Verdict, str]:
    """Adjusts a verdict and its reason for unreliable pages: nothing is missing from a paper that has some, and text
    read from one decides nothing. ``place`` is the deciding place, None for the whole paper."""
    doubts = {doubt.page: doubt.sentence for doubt in places.document.doubtful}
    if wholly_read(places) or verdict in ("place found", "not checked"):
        return verdict, why
    if verdict == "not found" or place is None:
        return "not checked", UNRELIABLE
    if any(p.id == place.paragraph_id and p.kind == "table" for p in places.document.paragraphs):
        doubts = {d.page: d.sentence for d in places.document.doubtful if d.reason != "order"}  # cells aren't sentences
    said = next((doubts[page] for page in sorted({place.page, *(b.page for b in place.boxes)}) if page in doubts), "")
    return ("place found", f"{why} {said}") if said else (verdict, why)
