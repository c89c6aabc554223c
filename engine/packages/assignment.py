"""Who gets which items: balanced, a share of them for several people, in an order of each person's own. Pure.

The same items, people and seed always give the same assignment, whatever order they are given in.
"""

import random
from collections.abc import Collection, Mapping

from engine.errors import BadInput


def assign(
    items: Collection[str],
    people: Collection[str],
    *,
    overlap: float = 0.0,
    raters: int = 2,
    seed: int = 0,
    weights: Mapping[str, int] | None = None,
) -> dict[str, tuple[str, ...]]:
    """The items of each person, in the order in which they come.

    Args:
        overlap: the share of items (0..1, rounded, but at least one if it is over 0) that ``raters`` people get, so
            that their agreement can be measured.
        weights: how much work an item is (1 without it). Loads differ by at most the largest weight.

    Raises:
        BadInput: there are too few people.
    """
    everyone = sorted(people)
    most = raters if overlap > 0 else 1
    if not everyone or len(everyone) < most:
        raise BadInput(
            f"{max(most, 1)} people are needed, but there are {len(everyone)}.", "Nothing was assigned.",
            "Add more people, or give the same items to fewer of them.",
        )  # fmt: skip
    draw = random.Random(f"assign:{seed}")
    order = sorted(items)
    draw.shuffle(order)
    shared = set(order[: max(round(overlap * len(order)), overlap > 0)])
    weight = {item: (weights or {}).get(item, 1) for item in order}
    order.sort(key=lambda item: -weight[item])  # the heaviest first; equal ones stay shuffled
    ties = list(everyone)
    draw.shuffle(ties)
    tie = {person: at for at, person in enumerate(ties)}
    load = dict.fromkeys(everyone, 0)
    together: dict[tuple[str, str], int] = {}
    given: dict[str, list[str]] = {person: [] for person in everyone}
    for item in order:
        chosen: list[str] = []
        for _ in range(raters if item in shared else 1):
            # Of those with the least work the one who has shared least with the others of this item.
            person = min(
                (one for one in everyone if one not in chosen),
                key=lambda one: (load[one], sum(together.get(_pair(one, other), 0) for other in chosen), tie[one]),
            )
            for other in chosen:
                together[_pair(person, other)] = together.get(_pair(person, other), 0) + 1
            chosen.append(person)
        for person in chosen:
            given[person].append(item)
            load[person] += weight[item]
    return {person: in_order(given[person], person, seed) for person in everyone}


def in_order(items: Collection[str], person: str, seed: int) -> tuple[str, ...]:
    found = sorted(items)
    random.Random(f"order:{seed}:{person}").shuffle(found)
    return tuple(found)


def _pair(one: str, other: str) -> tuple[str, str]:
    return (one, other) if one < other else (other, one)
