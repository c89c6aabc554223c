"""Cohen's kappa of pairs of labels."""

from __future__ import annotations

from math import isnan

import pytest

from engine.measures.annotators import nominal_kappa


def test_it_is_cohens_coefficient() -> None:
    pairs = [("y", "y")] * 20 + [("y", "n")] * 5 + [("n", "y")] * 10 + [("n", "n")] * 15
    found = nominal_kappa(pairs)
    assert found.value == pytest.approx(0.4) and found.low < 0.4 < found.high and found.n == 50
    assert not nominal_kappa([]).known


def test_it_takes_six_units() -> None:
    pairs = [("a", "a"), ("b", "b"), ("a", "b"), ("b", "b"), ("a", "a"), ("b", "b")]
    few, enough = nominal_kappa(pairs[:5]), nominal_kappa(pairs)
    assert not few.known and few.n == 5 and few.span() == "" and few.shown() == "fewer than 6 units"
    assert nominal_kappa([("a", "a")] * 6).shown() == "not defined"
    assert enough.known and enough.low < enough.value and enough.span("{:.0f}-{:.0f}")


def test_full_agreement_is_not_certain() -> None:
    """All resamples of units that agree agree, which says nothing of the next unit."""
    found = nominal_kappa([("a", "a"), ("b", "b")] * 4)
    assert found.value == 1.0 and isnan(found.low) and isnan(found.high)
