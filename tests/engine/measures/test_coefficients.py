"""Coefficients against textbook examples, against other libraries, and against what they mean."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.measures import bootstrap
from engine.measures.annotators import ac1, alpha, kappa, percent

TABLES = st.lists(st.integers(0, 30), min_size=9, max_size=9).map(lambda cells: np.array(cells, float).reshape(3, 3))


def labels_of(counts: np.ndarray) -> tuple[list[int], list[int]]:
    pairs = [(i, j) for (i, j), n in np.ndenumerate(counts) for _ in range(int(n))]
    return [i for i, _ in pairs], [j for _, j in pairs]


def test_cohens_kappa_of_a_known_table() -> None:
    """50 proposals, 20 and 15 judged alike: kappa is 0.4 (observed 0.7, expected 0.5)."""
    counts = np.array([[20, 5], [10, 15]], float)
    assert percent(counts) == pytest.approx(0.7)
    assert kappa(counts) == pytest.approx(0.4)


def test_gwets_ac1_stays_where_kappa_collapses() -> None:
    """Gwet's table of 125 subjects with one rare label: agreement 0.944, kappa below 0, AC1 0.941."""
    counts = np.array([[118, 5], [2, 0]], float)
    assert kappa(counts) == pytest.approx(-0.0234, abs=5e-4)
    assert ac1(counts) == pytest.approx(0.9408, abs=5e-4)


@given(TABLES)
@settings(max_examples=60, deadline=None)
def test_kappa_is_that_of_other_libraries(counts: np.ndarray) -> None:
    from statsmodels.stats.inter_rater import cohens_kappa

    value = float(kappa(counts))
    if np.isnan(value):
        return
    assert value == pytest.approx(cohens_kappa(counts, return_results=False), abs=1e-9)


@given(TABLES)
@settings(max_examples=60, deadline=None)
def test_ac1_is_chance_corrected_by_a_uniform_guess(counts: np.ndarray) -> None:
    """Independent derivation: chance agreement is that of a pair in which one label is drawn uniformly over k, given
    that it is a hard case; the probability of that is sum pi (1 - pi) over its greatest value (Gwet, 2008)."""
    if not counts.sum():
        return
    one, two = labels_of(counts)
    shares = np.bincount([*one, *two], minlength=3) / (2 * len(one))
    hard = (shares * (1 - shares)).sum() / (1 - 1 / 3)
    chance = hard / 3
    agreed = np.mean([a == b for a, b in zip(one, two, strict=True)])
    assert float(ac1(counts)) == pytest.approx((agreed - chance) / (1 - chance))


@pytest.mark.parametrize("coefficient", [kappa, ac1, alpha])
def test_perfect_agreement_is_one_and_one_label_alone_says_nothing_to_kappa(coefficient: object) -> None:
    assert callable(coefficient)
    assert coefficient(np.array([[7, 0], [0, 5]], float)) == pytest.approx(1)
    only = np.array([[9, 0], [0, 0]], float)
    assert np.isnan(coefficient(only)) or coefficient is ac1


def test_an_interval_covers_the_truth_about_as_often_as_it_says() -> None:
    """400 samples of 150 units with a known kappa: the share of intervals that cover it is near 95 %."""
    truth = np.array([[0.4, 0.1], [0.1, 0.4]])
    generator = np.random.default_rng(3)
    hits = 0
    for _ in range(400):
        units = np.zeros((150, 2, 2))
        drawn = generator.choice(4, size=150, p=truth.ravel())
        units[np.arange(150), drawn // 2, drawn % 2] = 1
        found = bootstrap.estimate(units, kappa, resamples=400)
        assert found.low <= found.value <= found.high
        hits += found.low <= 0.6 <= found.high
    assert 0.92 <= hits / 400 <= 0.98


def test_clusters_widen_the_interval() -> None:
    """Ten comments with thirty pairs each of one kind tell less than three hundred pairs on their own."""
    together = np.array([[[30.0, 0], [0, 0]]] * 6 + [[[0, 30.0], [0, 0]]] * 2 + [[[0, 0], [0, 30.0]]] * 4)
    apart = np.repeat(together / 30, 30, axis=0)
    wide, narrow = (bootstrap.estimate(units, kappa) for units in (together, apart))
    assert wide.value == pytest.approx(narrow.value)
    assert wide.high - wide.low > 2 * (narrow.high - narrow.low)


def test_the_same_data_give_the_same_interval_and_nothing_gives_nothing() -> None:
    units = np.array([[[3.0, 1], [0, 2]], [[1, 0], [2, 3]], [[0, 1], [1, 9]]] * 2)
    assert bootstrap.estimate(units, kappa).span()
    assert bootstrap.estimate(units, kappa) == bootstrap.estimate(units, kappa)
    nothing = bootstrap.estimate(np.zeros((0, 2, 2)), kappa)
    assert not nothing.known and nothing.n == 0


@pytest.mark.parametrize("units", [[0.0, 1.0, 0.0, 1.0, 1.0], [1.0] * 9], ids=["five units", "all alike"])
def test_a_mean_without_an_interval(units: list[float]) -> None:
    found = bootstrap.mean(np.array(units))
    assert found.value == pytest.approx(np.mean(units)) and found.span() == ""
    assert bootstrap.mean(np.array([0.0, 1.0, 0.0, 1.0, 1.0, 0.0])).span()


def test_an_interval_over_few_units_is_as_wide_as_that_of_a_mean() -> None:
    """Student's t with four degrees of freedom is 2.776; the normal one 1.960."""
    assert bootstrap.wider(5) == pytest.approx(2.776 / 1.960 * (5 / 4) ** 0.5, rel=1e-3)
    assert bootstrap.wider(1) == 1 and 1 < bootstrap.wider(1000) < 1.002
