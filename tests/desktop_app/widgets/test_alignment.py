"""The scroll map never runs backwards and hits its points."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from desktop_app.widgets.ribbon import ScrollMap


def test_it_interpolates_between_its_points() -> None:
    scroll = ScrollMap([(100, 200), (200, 600)], (1000, 2000))
    assert scroll.to_right(100) == 200
    assert scroll.to_right(150) == 400
    assert scroll.to_left(400) == 150
    assert scroll.to_right(0) == 0
    assert scroll.to_right(1000) == 2000


def test_a_crossing_pair_is_left_out() -> None:
    scroll = ScrollMap([(100, 100), (200, 900), (300, 300), (400, 400)], (1000, 1000))
    assert scroll.to_right(200) == 200


def test_without_points_it_goes_by_the_ends() -> None:
    assert ScrollMap([], (100, 300)).to_right(50) == 150


points = st.lists(st.tuples(st.floats(0, 1e4), st.floats(0, 1e4)), max_size=40)


@given(points, st.floats(0, 2e4), st.floats(0, 2e4))
def test_it_rises_and_its_inverse_undoes_it(pairs: list[tuple[float, float]], one: float, other: float) -> None:
    scroll = ScrollMap(pairs, (2e4, 3e4))
    low, high = sorted((one, other))
    assert scroll.to_right(low) <= scroll.to_right(high) + 1e-6
    there = scroll.to_right(low)
    assert abs(scroll.to_right(scroll.to_left(there)) - there) < 1e-3 * max(1.0, there)
