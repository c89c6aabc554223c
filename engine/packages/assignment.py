"""Balanced assignment of items to people: some items go to several people, each person gets their own order. Pure.

The same items, people and seed always give the same assignment, regardless of their order.
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
    """Returns each person's items, in the order in which to work on them.

    Args:
        overlap: the share of items (0..1, rounded, but at least one item if above 0) that ``raters`` people get, so
            that their agreement can be measured.
        weights: the amount of work per item (default 1). Loads differ by at most the largest weight.
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
    order.sort(key=lambda item: -weight[item])  # heaviest first; the sort is stable, so equal ones stay shuffled
    ties = list(everyone)
    draw.shuffle(ties)
    tie = {person: at for at, person in enumerate(ties)}
    load = dict.fromkeys(everyone, 0)
    together: dict[tuple[str, str], int] = {}
    given: dict[str, list[str]] = {person: [] for person in everyone}
    for item in order:
        chosen: list[str] = []
        for _ in range(raters if item in shared else 1):
            # Among people with the least work, choose the one who shares fewest items with the others of this item.
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
