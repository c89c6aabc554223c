"""Cohen's kappa of pairs of labels."""

from __future__ import annotations

import pytest

from engine.measures.nominal import nominal_kappa


def test_it_is_cohens_coefficient() -> None:
    pairs = [("y", "y")] * 20 + [("y", "n")] * 5 + [("n", "y")] * 10 + [("n", "n")] * 15
    found = nominal_kappa(pairs)
    assert found.value == pytest.approx(0.4) and found.low < 0.4 < found.high and found.n == 50
    assert not nominal_kappa([]).known


def test_a_handful_of_units_has_no_interval() -> None:
    few, enough = (nominal_kappa([("a", "a"), ("b", "b"), ("a", "a"), ("b", "b"), ("a", "a")][:n]) for n in (4, 5))
    assert few.value == enough.value == 1.0
    assert few.low != few.low and few.high != few.high and enough.low == enough.low
