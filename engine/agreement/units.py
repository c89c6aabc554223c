"""What people decided unit by unit, to be adjudicated: who said what, what is proposed, and what holds. Pure."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from engine.agreement.compared import Decision, How, Outcome, Proposals
from engine.agreement.records import METHODS, NUMBER_METHODS, Method, Where
from engine.shown import percent, shortened

Shown = Literal["open", "disagreeing", "adjudicated", "all"]
SHOWN: dict[Shown, str] = {
    "open": "Open", "disagreeing": "Disagreeing", "adjudicated": "Adjudicated", "all": "All units",
}  # fmt: skip
"""Which units are listed: open is what people disagree on and nobody adjudicated."""
Order = Literal["text", "apart", "unsure"]
ORDERS: dict[Order, str] = {"text": "In order", "apart": "Most disagreement", "unsure": "Least certain"}
_WORDS = 120


def proposed(method: Method, value: str, doubt: float) -> tuple[str, str]:
    """A proposal in words: the method, and its value with how sure it is, of numbers with their spread."""
    if method in NUMBER_METHODS:
        return NUMBER_METHODS[method], f"{value} ± {doubt:.2g}"
    return METHODS[method], f"{value}, {percent(doubt)}" if value else "nothing (a tie)"


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit that two people or more decided on; of marked words all that follow each other and were marked alike.

    ``said`` is (annotator, value) in the order in which they decided. ``proposals`` are (method, value, chance),
    of numbers (method, value, spread).
    ``apart`` is the share of pairs of decisions that differ, of numbers their range.
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
        """What names it on the command line and in lists."""
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
        """How sure the least certain of the methods is, 0 without any; of numbers the largest spread, negative."""
        return min((-doubt if method in NUMBER_METHODS else doubt for method, _, doubt in self.proposals), default=0.0)

    def shown(self, as_: Shown) -> bool:
        """Whether it is listed."""
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
    """All units that two people or more decided on, in order. ``numbers``: values are on a scale. ``joined``: units
    that follow each other and on which everybody said the same become one, as the words of a marked passage do."""
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
    """The units of a part ("" for all) to be listed, in an order; ties as in the text."""
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
