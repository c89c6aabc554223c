"""“95 % interval” means what it says."""

from __future__ import annotations

import numpy as np
import pytest

from engine.measures.bootstrap import FEWEST, mean, wider, with_interval


def test_an_interval_leaves_out_a_fortieth_of_the_resamples_at_each_end() -> None:
    found = with_interval(50.0, np.linspace(0, 100, 1001), 7)
    assert (found.low, found.high) == pytest.approx((2.5, 97.5)) and found.n == 7
    unusual = with_interval(50.0, np.append(np.linspace(0, 100, 1001), np.nan), 7)
    assert (unusual.low, unusual.high) == (found.low, found.high), "undefined resamples don't count"
    assert np.isnan(with_interval(1.0, np.ones(9), 9).low) and np.isnan(with_interval(np.nan, np.arange(9.0), 9).high)


def test_intervals_hold_as_often_as_they_say() -> None:
    generator = np.random.default_rng(3)
    held = [(found := mean(generator.normal(size=60))).low <= 0 <= found.high for _ in range(300)]
    # 95 % with a little less for few units; two standard errors of 300 trials are 2.5 points.
    assert 0.91 <= np.mean(held) <= 0.985
    assert np.isnan(mean(generator.normal(size=FEWEST - 1)).low), "too few units have no interval"


def test_few_units_widen_an_interval_as_the_t_distribution_does() -> None:
    assert wider(5) == pytest.approx(2.776 / 1.960 * (5 / 4) ** 0.5, rel=1e-3)
    assert wider(10_000) == pytest.approx(1.0, rel=1e-3) and wider(1) == 1.0
