"""Bradley-Terry with ties and sides: against an independent library, against simulated truth, and its warnings."""

from __future__ import annotations

from typing import get_args

import choix
import numpy as np
import pytest
from scipy.optimize import minimize

from engine.errors import BadInput
from engine.rebuttal.preferences.bradley_terry import fit, probabilities, rank_doubt
from engine.rebuttal.preferences.ranking import Method, rank
from engine.rebuttal.preferences.records import Comparison

METHODS: tuple[Method, ...] = get_args(Method)


def drawn(
    strength: np.ndarray, m: int, rng: np.random.Generator, *, tie: float = -1.0, side: float = 0.0
) -> list[Comparison]:
    n = len(strength)
    left = rng.integers(0, n, m)
    right = (left + rng.integers(1, n, m)) % n
    chances = probabilities(strength, left, right, tie, side)
    u = rng.random(m)
    answer = (u > chances[:, 0]).astype(int) + (u > chances[:, 0] + chances[:, 1])
    return [
        Comparison(int(i), int(j), None if a == 2 else int(a))  # type: ignore[arg-type]
        for i, j, a in zip(left, right, answer, strict=True)
    ]


def test_without_ties_and_sides_it_is_what_choix_finds() -> None:
    rng = np.random.default_rng(1)
    comparisons = drawn(rng.normal(size=8), 300, rng, tie=-np.inf)
    found = fit(8, comparisons, with_side=False)
    pairs = [(c.left, c.right) if c.winner == 0 else (c.right, c.left) for c in comparisons]
    # choix subtracts alpha times the squared norm; a normal prior of deviation s is alpha = 1 / (2 s^2).
    reference = choix.opt_pairwise(8, pairs, alpha=1 / (2 * 2.0**2), tol=1e-10)
    assert found.strength == pytest.approx(reference - reference.mean(), abs=1e-4)
    assert np.isnan(found.tie)


def test_with_ties_and_sides_it_is_the_mode_of_the_written_posterior() -> None:
    rng = np.random.default_rng(2)
    comparisons = drawn(rng.normal(size=5) * 1.5, 120, rng, side=0.4)
    found = fit(5, comparisons)

    def loss(x: np.ndarray) -> float:
        left = np.array([c.left for c in comparisons])
        right = np.array([c.right for c in comparisons])
        p = probabilities(x[:5], left, right, x[5], x[6])
        answer = np.array([2 if c.winner is None else c.winner for c in comparisons])
        return float(-np.log(p[np.arange(len(answer)), answer]).sum() + (x @ x) / (2 * 2.0**2))

    best = minimize(loss, np.zeros(7), method="BFGS", options={"gtol": 1e-7}).x
    assert found.strength == pytest.approx(best[:5] - best[:5].mean(), abs=1e-4)
    assert (found.tie, found.side) == pytest.approx((best[5], best[6]), abs=1e-4)


def test_intervals_cover_the_truth_as_often_as_they_say() -> None:
    rng = np.random.default_rng(3)
    covered, sides, ranked, total = 0, 0, 0, 0
    for _ in range(60):
        truth = rng.normal(size=8) * 1.5
        truth -= truth.mean()
        found = fit(8, drawn(truth, 160, rng, side=0.5))
        low, high = found.interval()
        covered += int(((low <= truth) & (truth <= high)).sum())
        sides += abs(found.side - 0.5) <= 1.96 * found.side_sd
        doubt = rank_doubt(found, rng, draws=400)
        places = 1 + np.argsort(np.argsort(-truth))
        ranked += int(((doubt.low <= places) & (places <= doubt.high)).sum())
        total += 8
    assert 0.91 <= covered / total <= 0.985
    assert sides >= 53 and ranked / total >= 0.93


def test_an_item_that_won_everything_has_a_finite_strength_and_a_warning() -> None:
    comparisons = [Comparison(0, 1, 0), Comparison(0, 2, 0), Comparison(1, 2, 0), Comparison(2, 1, 0)] * 3
    found = rank(["a", "b", "c"], comparisons, "bradley-terry")
    assert np.isfinite(found.rows[0].high) and found.rows[0].item == 0
    assert any("“a” won every comparison" in warning for warning in found.warnings)


def test_groups_that_never_met_are_told() -> None:
    for method in METHODS:
        found = rank(list("abcde"), [Comparison(0, 1, 0), Comparison(2, 3, None)], method)
        assert found.groups == ((0, 1), (2, 3), (4,))
        assert any("3 groups" in w and "1 of them a single item" in w for w in found.warnings)
        assert any("2 of 10 pairs" in w for w in found.warnings)
        assert [(row.item, row.rank) for row in found.rows] == [(0, 1), (1, 2), (2, None), (3, None), (4, None)]
        assert all(np.isnan([row.score, row.canonicity, row.best]).all() for row in found.rows[2:])
        assert [row.ties for row in found.rows] == [0, 0, 1, 1, 0]


@pytest.mark.parametrize("method", METHODS)
def test_a_few_comparisons_give_no_interval(method: Method) -> None:
    """Resampling a single comparison always gives the same rank, which is no certainty."""
    for many in (1, 9, 10):
        found = rank(["a", "b"], [Comparison(0, 1, 0)] * many, method)
        assert [row.rank for row in found.rows] == [1, 2]
        assert [row.rank_low is None for row in found.rows] == [many < 10] * 2
        assert [np.isnan([row.low, row.high, row.best]).all() for row in found.rows] == [many < 10] * 2
        assert any("intervals and chances can't be estimated" in w for w in found.warnings) == (many < 10)
        assert np.isnan(found.side.low) == (many < 10 or method == "pagerank")


def test_side_bias_is_told_and_does_not_move_the_ranking() -> None:
    rng = np.random.default_rng(5)
    found = rank(list("abcdef"), drawn(np.linspace(2, -2, 6), 400, rng, side=1.2), "bradley-terry")
    assert any("left side was preferred" in w for w in found.warnings)
    assert found.side.low > 0.5 and found.side.p < 0.01
    assert [row.item for row in found.rows] == list(range(6))
    fair = rank(list("abcdef"), drawn(np.linspace(2, -2, 6), 400, rng), "bradley-terry")
    assert not any("side" in w for w in fair.warnings) and fair.side.low < 0 < fair.side.high
    unknown = rank(list("ab"), [Comparison(0, 1, 0)] * 30, sides=False)
    assert unknown.side.decided == 0 and not any("side" in w for w in unknown.warnings)


def test_nothing_judged_is_an_order_without_any_certainty() -> None:
    for method in METHODS:
        found = rank(list("abc"), [], method)
        assert [(row.rank, row.rank_high) for row in found.rows] == [(None, None)] * 3
        assert found.warnings[0].startswith("There's no ranking, because nothing has been")
    assert rank([], [], "pagerank").rows == ()
    with pytest.raises(BadInput):
        rank(["a"], [], "elo")  # type: ignore[arg-type]
