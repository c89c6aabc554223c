"""Each equation against an independent derivation: numerical gradients and brute force on tiny tables."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import minimize, minimize_scalar

from engine.calibration import alternate
from engine.calibration.alternate import deviations, log_densities, log_likelihood, variance
from engine.calibration.records import Floats, Reviews
from engine.calibration.synthetic import Design, draw

SMALL = Design(items=12, referees=6, per_item=3)


@pytest.fixture
def reviews() -> Reviews:
    return draw(SMALL, np.random.default_rng(3)).reviews


def _gradient(function, at: Floats, step: float = 1e-5) -> Floats:  # type: ignore[no-untyped-def]
    return np.array(
        [(function(at + step * unit) - function(at - step * unit)) / (2 * step) for unit in np.eye(len(at))]
    )


def test_variance_is_noise_plus_inverse_confidence() -> None:
    table = Reviews.of([("p", "r", 5, 2.0), ("p", "s", 6, 4.0)])
    assert variance(table, np.array([0.5, 0.0])) == pytest.approx([1.0, 0.25])


def test_density_is_that_of_scipy() -> None:
    from scipy.stats import norm

    d, v = np.array([0.0, 1.5, -3.0]), np.array([1.0, 0.2, 7.0])
    assert log_densities(d, v) == pytest.approx(norm.logpdf(d, scale=np.sqrt(v)))


def test_weighted_mean_by_hand() -> None:
    table = Reviews.of([("p", "r", 4, 1.0), ("p", "s", 8, 3.0), ("q", "r", 5, 2.0)])
    assert alternate.weighted_scores(table, table.confidence, np.zeros(2)) == pytest.approx([7.0, 5.0])


def test_an_item_without_a_review_has_no_score() -> None:
    table = Reviews(np.array([0]), np.array([0]), np.array([3.0]), np.array([1.0]), ("p", "q"), ("r",))
    found = alternate.weighted_scores(table, table.confidence, np.zeros(1))
    assert found[0] == 3.0 and np.isnan(found[1])


def test_scores_are_where_the_gradient_of_the_likelihood_is_zero(reviews: Reviews) -> None:
    rng = np.random.default_rng(0)
    bias, noise = rng.normal(size=6), rng.uniform(0.01, 1, 6)
    score = alternate.weighted_scores(reviews, 1 / variance(reviews, noise), bias)
    assert _gradient(lambda s: log_likelihood(reviews, s, bias, noise), score) == pytest.approx(0, abs=1e-5)


@pytest.mark.parametrize("prior", [0.0, 3.5])
def test_bias_is_where_the_gradient_of_the_posterior_is_zero(reviews: Reviews, prior: float) -> None:
    rng = np.random.default_rng(1)
    score, noise = rng.normal(size=12), rng.uniform(0.01, 1, 6)
    bias = alternate.likely_bias(reviews, 1 / variance(reviews, noise), score, prior)
    assert _gradient(lambda b: log_likelihood(reviews, score, b, noise, prior), bias) == pytest.approx(0, abs=1e-5)


def test_trust_gradient_and_curvature_are_those_of_the_likelihood(reviews: Reviews) -> None:
    rng = np.random.default_rng(2)
    score, bias, gamma = rng.normal(size=12), rng.normal(size=6), rng.normal(size=6)
    squared = deviations(reviews, score, bias) ** 2
    gradient, curvature = alternate.trust_gradient(reviews, squared, gamma)

    def value(g: Floats) -> float:
        return log_likelihood(reviews, score, bias, np.exp(-g))

    assert gradient == pytest.approx(_gradient(value, gamma), rel=1e-5, abs=1e-6)
    twice = [
        (alternate.trust_gradient(reviews, squared, gamma + s)[0][r])
        for r in range(6)
        for s in (1e-5 * np.eye(6)[r], -1e-5 * np.eye(6)[r])
    ]
    numeric = (np.array(twice[::2]) - np.array(twice[1::2])) / 2e-5
    assert curvature == pytest.approx(numeric, rel=1e-4, abs=1e-6)


@pytest.mark.parametrize("method", ["newton", "fixed-point"])
def test_both_trust_iterations_find_the_best_noise(reviews: Reviews, method: alternate.TrustMethod) -> None:
    rng = np.random.default_rng(4)
    score, bias = 0.3 * rng.normal(size=12), 0.3 * rng.normal(size=6)
    squared = deviations(reviews, score, bias) ** 2
    noise = np.full(6, 0.5)
    for _ in range(400):
        noise = alternate._TRUST_STEPS[method](reviews, squared, noise)
    for r in range(6):
        mine = reviews.referee == r

        def cost(u: float, mine=mine) -> float:  # type: ignore[no-untyped-def]
            return -log_densities(np.sqrt(squared[mine]), u + 1 / reviews.confidence[mine]).sum()

        grid = np.concatenate(([0.0], np.geomspace(1e-6, 100, 4000)))
        best = grid[np.argmin([cost(u) for u in grid])]
        if best > 0:
            best = minimize_scalar(cost, bounds=(best / 2, best * 2), method="bounded").x
        assert cost(noise[r]) <= cost(best) + 1e-6
        assert noise[r] == pytest.approx(best, rel=1e-2, abs=1e-4)


def test_infinite_trust_is_exactly_zero_noise() -> None:
    table = Reviews.of([(f"p{n}", "r", 0.0, 1.0) for n in range(3)])
    noise = np.array([2.0])
    for _ in range(50):
        noise = alternate.fixed_point_trust(table, np.zeros(3), noise)
    assert noise[0] == 0.0


@pytest.mark.parametrize("eta", [0.5, 2.0])
def test_a_newton_step_is_that_of_the_report_and_at_most_one_over_eta_long(reviews: Reviews, eta: float) -> None:
    rng = np.random.default_rng(6)
    squared, gamma = rng.chisquare(1, len(reviews)), np.linspace(-3, 3, 6)
    squared[reviews.referee == 5] = 1e-8  # far from the optimum: the bound is what counts
    stepped = -np.log(alternate.newton_trust(reviews, squared, np.exp(-gamma), eta))
    for r in range(6):
        mine = reviews.referee == r
        x, c, u = squared[mine], reviews.confidence[mine], np.exp(-gamma[r])
        w = 1 / (u + 1 / c)
        first = 0.5 * u * (w * (1 - w * x)).sum()  # as printed below eq. (9)
        second = 0.5 * u * (w * (1 - w * x) * (w * u - 1) - w**3 * x * u).sum()
        assert stepped[r] == pytest.approx(gamma[r] - first / min(second, -eta * abs(first)))
        assert abs(stepped[r] - gamma[r]) <= 1 / eta + 1e-9
    assert np.abs(stepped - gamma).max() == pytest.approx(1 / eta)


def test_normalised_biases_are_weighted_mean_scores(reviews: Reviews) -> None:
    bias = alternate.normalising_bias(reviews, reviews.confidence)
    for r in range(6):
        mine = reviews.referee == r
        assert bias[r] == pytest.approx(np.average(reviews.score[mine], weights=reviews.confidence[mine]))
    centred = reviews.confidence * (reviews.score - bias[reviews.referee])
    assert reviews.per_referee(centred) == pytest.approx(0, abs=1e-9)
    found = alternate.normalised(reviews)
    assert found.score == pytest.approx(alternate.weighted_scores(reviews, reviews.confidence, bias))


def test_the_fixed_point_is_that_of_the_report(reviews: Reviews) -> None:
    rng = np.random.default_rng(7)
    squared, noise = rng.chisquare(1, len(reviews)), rng.uniform(0.1, 2, 6)
    found = alternate.fixed_point_trust(reviews, squared, noise)
    for r in range(6):
        mine = reviews.referee == r
        w = 1 / (noise[r] + 1 / reviews.confidence[mine])
        assert found[r] == pytest.approx(
            max(0, (w**2 * (squared[mine] - 1 / reviews.confidence[mine])).sum() / (w**2).sum())
        )


def test_the_alternate_maximisation_is_that_of_section_4() -> None:
    table = draw(Design(items=60, referees=20), np.random.default_rng(2)).reviews
    item, referee, s, c = table.item, table.referee, table.score, table.confidence
    beta, u = np.zeros(20), np.ones(20)

    def weights() -> Floats:
        return 1 / (u[referee] + 1 / c)

    def scores() -> Floats:
        w = weights()
        return np.bincount(item, w * (s - beta[referee])) / np.bincount(item, w)

    def biases() -> Floats:
        w = weights()
        return np.bincount(referee, w * (s - score[item])) / np.bincount(referee, w)

    def value() -> float:
        w = weights()
        return float(0.5 * (np.log(w / (2 * np.pi)) - w * (s - beta[referee] - score[item]) ** 2).sum())

    score = scores()
    beta = biases()
    step, last = 4, value()
    while step < 7:
        if step == 4:
            u = alternate.newton_trust(table, (s - beta[referee] - score[item]) ** 2, u)
        elif step == 5:
            beta = biases()
        else:
            score = scores()
        now = value()
        step, last = (4, now) if now - last > 1e-9 else (step + 1, now)
    found = alternate.maximise(table, prior_precision=0.0)
    assert found.trace[-1] == pytest.approx(last, abs=1e-6)
    assert found.score == pytest.approx(score, abs=1e-4) and found.noise == pytest.approx(u, rel=1e-3, abs=1e-6)


@pytest.mark.parametrize("method", ["newton", "fixed-point"])
def test_the_likelihood_never_falls(method: alternate.TrustMethod) -> None:
    for seed in range(8):
        table = draw(Design(items=40, referees=15), np.random.default_rng(seed)).reviews
        found = alternate.maximise(table, prior_precision=2.0, trust_method=method)
        assert found.converged and (np.diff(found.trace) >= -1e-9).all()


def test_the_maximum_is_that_of_a_general_optimiser() -> None:
    table = draw(
        Design(items=5, referees=4, per_item=3, trust_mean=0.5, score_spread=1.0), np.random.default_rng(8)
    ).reviews
    found = alternate.maximise(table, prior_precision=2.0, epsilon=1e-13)

    def cost(x: Floats) -> float:
        return -log_likelihood(table, x[:5], x[5:9], x[9:] ** 2, 2.0)

    near = minimize(cost, np.concatenate((found.score, found.bias, np.sqrt(found.noise) + 0.1)), method="BFGS")
    assert -found.trace[-1] <= near.fun + 1e-5
    # The likelihood has several maxima. The best of many searches is one where the alternate maximisation stays.
    searches = [minimize(cost, np.random.default_rng(s).normal(size=13), method="BFGS") for s in range(12)]
    best = min(searches, key=lambda search: search.fun)
    there = replace(found, bias=best.x[5:9], noise=best.x[9:] ** 2)
    again = alternate.maximise(table, prior_precision=2.0, start=there, epsilon=1e-13)
    assert -again.trace[-1] == pytest.approx(best.fun, abs=1e-5)


def test_bias_without_trust_is_the_linear_optimum(reviews: Reviews) -> None:
    found = alternate.maximise(reviews, prior_precision=1.5, with_trust=False, epsilon=1e-15)
    rows = np.arange(len(reviews))
    design = np.zeros((len(reviews), 18))
    design[rows, reviews.item] = design[rows, 12 + reviews.referee] = 1
    normal = design.T @ (reviews.confidence[:, None] * design) + np.diag([0.0] * 12 + [1.5] * 6)
    solution = np.linalg.solve(normal, design.T @ (reviews.confidence * reviews.score))
    assert np.concatenate((found.score, found.bias)) == pytest.approx(solution, abs=1e-4)


def test_a_pinned_value_stays_and_the_others_follow(reviews: Reviews) -> None:
    from engine.calibration.records import Pins

    pins = Pins.none(reviews)
    pins.bias[2], pins.score[1], pins.noise[0] = 1.25, -0.5, 0.75
    found = alternate.maximise(reviews, prior_precision=1.0, pins=pins)
    assert (found.bias[2], found.score[1], found.noise[0]) == (1.25, -0.5, 0.75)
    assert not np.allclose(found.score, alternate.maximise(reviews, prior_precision=1.0).score)
