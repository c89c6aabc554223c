"""People's decisions unit by unit, for adjudication: who decided what, proposals, and results. Pure functions."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from engine.agreement.compared import Decision, How, Outcome, Proposals
from engine.agreement.records import METHODS, NUMBER_METHODS, Method, Where
from engine.shown import estimated, percent, shortened

Shown = Literal["open", "disagreeing", "adjudicated", "all"]
SHOWN: dict[Shown, str] = {
    "open": "Open", "disagreeing": "Disagreeing", "adjudicated": "Adjudicated", "all": "All units",
}  # fmt: skip
"""Filters for listed units. "Open" are those that people disagree on and nobody adjudicated."""
Order = Literal["text", "apart", "unsure"]
ORDERS: dict[Order, str] = {"text": "In order", "apart": "Most disagreement", "unsure": "Least certain"}
_WORDS = 120


def proposed(method: Method, value: str, doubt: float) -> tuple[str, str]:
    """Describes a proposal: the method, and its value with its share of the judgements, its probability or, for
    numbers, its spread."""
    if method in NUMBER_METHODS:
        return NUMBER_METHODS[method], f"{value} ± {doubt:.2g}"
    share = percent if method == "majority" else estimated
    return METHODS[method], f"{value}, {share(doubt)}" if value else "nothing (a tie)"


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit that two or more people decided on; for marked words, all consecutive words that were marked equally.

    ``said`` is (annotator, value) in order of decision. ``proposals`` are (method, value, probability), or (method,
    value, spread) for numbers. ``apart`` is the share of pairs of decisions that differ, or the range of numbers.
    """

    part: str
    words: str
    where: tuple[Where, ...]
    said: tuple[tuple[str, str], ...]
    proposals: tuple[tuple[Method, str, float], ...]
    value: str
    how: How
    apart: float

    @property
    def key(self) -> str:
        """The identifier used on the command line and in lists."""
        return "|".join(self.where[0])

    @property
    def differs(self) -> bool:
        return len({value for _, value in self.said}) > 1

    @property
    def values(self) -> tuple[str, ...]:
        counts = Counter(value for _, value in self.said)
        return tuple(sorted(counts, key=lambda value: -counts[value]))

    @property
    def certainty(self) -> float:
        """The lowest probability of the methods, 0 without any; for numbers, the largest spread, negated."""
        return min((-doubt if method in NUMBER_METHODS else doubt for method, _, doubt in self.proposals), default=0.0)

    def shown(self, as_: Shown) -> bool:
        """Returns whether the filter includes it."""
        return {"open": self.how == "open", "adjudicated": self.how == "adjudicated", "all": True}.get(
            as_, self.differs
        )


def units(
    decisions: Iterable[Decision],
    outcomes: Iterable[Outcome],
    proposals: Iterable[Proposals],
    *,
    numbers: bool = False,
    joined: bool = False,
) -> tuple[Unit, ...]:
    """Returns all units that two or more people decided on, in order. ``numbers``: values are on a scale. ``joined``:
    merges consecutive units with equal decisions, such as the words of a marked passage."""
    said: dict[tuple[str, str], dict[str, Decision]] = defaultdict(dict)
    for one in decisions:
        if not one.repeat:
            said[one.part, one.unit].setdefault(one.annotator, one)
    proposed = {
        (part.part, unit): tuple((method, *values[at]) for method, values in part.by_method.items() if values[at][1])
        for part in proposals
        for at, unit in enumerate(part.units)
    }
    found: list[Unit] = []
    before: Outcome | None = None
    for outcome in outcomes:
        own = said[outcome.part, outcome.unit]
        if len(own) < 2:
            before = None
            continue
        first = next(iter(own.values()))
        values = tuple((who, each.value) for who, each in own.items())
        apart = _range(list(own.values())) if numbers else _differing([value for _, value in values])
        unit = Unit(
            outcome.part, outcome.words, (first.where,), values, proposed.get((outcome.part, outcome.unit), ()),
            outcome.value, outcome.how, apart,
        )  # fmt: skip
        if joined and before is not None and _alike(found[-1], unit):
            words = shortened(f"{found[-1].words} {unit.words}", _WORDS)
            found[-1] = replace(found[-1], words=words, where=(*found[-1].where, first.where))
        else:
            found.append(unit)
        before = outcome
    return tuple(found)


def listed(found: Sequence[Unit], as_: Shown, order: Order = "text", part: str = "") -> tuple[Unit, ...]:
    """Returns the units of a part ("" for all) that the filter includes, sorted; ties keep text order."""
    wanted = [one for one in found if one.shown(as_) and part in {"", one.part}]
    if order == "apart":
        wanted.sort(key=lambda one: -one.apart)
    elif order == "unsure":
        wanted.sort(key=lambda one: one.certainty)
    return tuple(wanted)


def _alike(one: Unit, other: Unit) -> bool:
    same = one.part == other.part and one.where[-1][0] == other.where[0][0]
    return same and (dict(one.said), one.value, one.how) == (dict(other.said), other.value, other.how)


def _differing(values: Sequence[str]) -> float:
    pairs = len(values) * (len(values) - 1)
    return 1 - sum(count * (count - 1) for count in Counter(values).values()) / pairs


def _range(decisions: Sequence[Decision]) -> float:
    numbers = [one.number for one in decisions if one.number is not None]
    return max(numbers) - min(numbers)
