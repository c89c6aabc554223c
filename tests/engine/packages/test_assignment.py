"""Assigning items to people: everything is given, evenly, shared as wanted, and the same each time."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import BadInput
from engine.packages.assignment import assign, in_order

NAMES = st.integers(1, 9).map(lambda n: [f"person {k}" for k in range(n)])
ITEMS = st.integers(0, 60).map(lambda n: [f"item {k}" for k in range(n)])


@given(ITEMS, NAMES, st.floats(0, 1), st.integers(1, 4), st.integers())
def test_everything_is_given_evenly_and_shared_as_wanted(
    items: list[str], people: list[str], overlap: float, raters: int, seed: int
) -> None:
    raters = min(raters, len(people))
    found = assign(items, people, overlap=overlap, raters=raters, seed=seed)
    times = Counter(item for own in found.values() for item in own)
    shared = max(round(overlap * len(items)), 1 if overlap and items else 0)
    assert Counter(times.values()) == Counter({raters: shared}) + Counter({1: len(items) - shared})
    assert set(times) == set(items) and set(found) == set(people)
    sizes = [len(own) for own in found.values()]
    assert max(sizes) - min(sizes) <= 1
    assert all(len(set(own)) == len(own) for own in found.values())
    assert assign(items[::-1], people[::-1], overlap=overlap, raters=raters, seed=seed) == found


@given(st.lists(st.integers(1, 20), min_size=1, max_size=40), NAMES, st.integers())
def test_loads_differ_by_no_more_than_the_heaviest_item(weights: list[int], people: list[str], seed: int) -> None:
    weight = {f"item {k}": value for k, value in enumerate(weights)}
    found = assign(weight, people, seed=seed, weights=weight)
    loads = [sum(weight[item] for item in own) for own in found.values()]
    assert max(loads) - min(loads) <= max(weights)


def test_every_two_people_share_about_as_many_items() -> None:
    people = [f"person {k}" for k in range(5)]
    given_out = assign([f"item {k}" for k in range(100)], people, overlap=0.4, seed=3)
    shared = Counter({pair: len({*given_out[pair[0]]} & {*given_out[pair[1]]}) for pair in combinations(people, 2)})
    assert shared.total() == 40 and len(shared) == 10
    assert max(shared.values()) - min(shared.values()) <= 2


def test_seeds_and_people_have_orders_of_their_own() -> None:
    items = [f"item {k}" for k in range(30)]
    orders = {in_order(items, person, seed) for person in ("Ada", "Ben") for seed in (1, 2)}
    assert len(orders) == 4 and all(sorted(order) == sorted(items) for order in orders)
    assert in_order(items, "Ada", 1) == in_order(items[::-1], "Ada", 1)


@pytest.mark.parametrize(("people", "overlap"), [([], 0.0), (["Ada"], 0.5)])
def test_too_few_people_are_refused(people: list[str], overlap: float) -> None:
    with pytest.raises(BadInput, match="needed"):
        assign(["one", "two"], people, overlap=overlap)
