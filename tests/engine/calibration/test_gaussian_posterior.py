"""The two roads to the normal posterior against a dense inverse."""

from __future__ import annotations

import numpy as np
import pytest

from engine.calibration.gaussian import Prior, exact, message_passing
from engine.calibration.records import Reviews
from engine.calibration.synthetic import Design, draw


def _dense(reviews: Reviews, weight: np.ndarray, prior: Prior) -> tuple[np.ndarray, np.ndarray]:
    items, referees = len(reviews.items), len(reviews.referees)
    rows = np.arange(len(reviews))
    design = np.zeros((len(reviews), items + referees))
    design[rows, reviews.item] = design[rows, items + reviews.referee] = 1
    own = np.concatenate((prior.item_precision, prior.bias_precision))
    mean = np.concatenate((prior.item_mean, prior.bias_mean))
    precision = design.T @ (weight[:, None] * design) + np.diag(own)
    covariance = np.linalg.inv(precision)
    return covariance @ (design.T @ (weight * reviews.score) + own * mean), covariance


def _case(items: int, referees: int) -> tuple[Reviews, np.ndarray, Prior]:
    rng = np.random.default_rng(items)
    reviews = draw(Design(items=items, referees=referees), rng).reviews
    prior = Prior(
        rng.normal(size=items), rng.uniform(0.5, 2, items), rng.normal(size=referees), rng.uniform(2, 9, referees)
    )
    return reviews, rng.uniform(0.5, 5, len(reviews)), prior


@pytest.mark.parametrize(("items", "referees"), [(30, 8), (8, 24)])
def test_exact_is_the_dense_inverse_whichever_side_is_larger(items: int, referees: int) -> None:
    reviews, weight, prior = _case(items, referees)
    mean, covariance = _dense(reviews, weight, prior)
    found = exact(reviews, weight, prior)
    assert np.concatenate((found.score, found.bias)) == pytest.approx(mean)
    assert np.concatenate((found.score_variance, found.bias_variance)) == pytest.approx(np.diag(covariance))


def test_message_passing_has_the_exact_means_and_near_variances() -> None:
    reviews, weight, prior = _case(300, 100)
    mean, covariance = _dense(reviews, weight, prior)
    found = message_passing(reviews, weight, prior, tolerance=1e-12)
    assert np.concatenate((found.score, found.bias)) == pytest.approx(mean, abs=1e-6)
    ratio = np.concatenate((found.score_variance, found.bias_variance)) / np.diag(covariance)
    assert ratio.min() > 0.9 and ratio.max() < 1.02


def test_message_passing_is_exact_on_a_tree() -> None:
    reviews = Reviews.of([("p", "r", 1, 1), ("p", "s", 2, 1), ("q", "s", 4, 1), ("t", "s", 3, 1), ("t", "u", 5, 1)])
    prior = Prior(np.zeros(3), np.full(3, 0.5), np.zeros(3), np.full(3, 2.0))
    weight = np.array([1.0, 2.0, 0.5, 3.0, 1.5])
    mean, covariance = _dense(reviews, weight, prior)
    found = message_passing(reviews, weight, prior)
    assert found.score_variance == pytest.approx(np.diag(covariance)[:3])
    assert found.score == pytest.approx(mean[:3])


@pytest.mark.parametrize(("items", "referees"), [(12, 5), (5, 12)])
def test_draws_have_the_posterior_covariance(items: int, referees: int) -> None:
    reviews, weight, prior = _case(items, referees)
    _, covariance = _dense(reviews, weight, prior)
    joint = exact(reviews, weight, prior).joint
    assert joint is not None
    drawn = joint.draw(60_000, np.random.default_rng(0))
    sampled = np.cov(drawn.T)
    scale = np.sqrt(np.outer(np.diag(covariance)[:items], np.diag(covariance)[:items]))
    assert (sampled - covariance[:items, :items]) / scale == pytest.approx(0, abs=0.03)


def test_the_doubt_about_a_common_mean_is_that_of_a_wide_hyperprior() -> None:
    reviews, weight, prior = _case(20, 6)
    flat = Prior(np.zeros(20), prior.item_precision, prior.bias_mean, prior.bias_precision)
    found = exact(reviews, weight, flat, common_mean=np.ones(20, dtype=bool))
    # The same with the mean as one more unknown: eliminate it from the dense precision matrix.
    _, covariance = _dense(reviews, weight, flat)
    precision = np.linalg.inv(covariance)
    push = np.concatenate((flat.item_precision, np.zeros(6)))
    whole = np.block([[precision, -push[:, None]], [-push[None, :], np.array([[push.sum()]])]])
    wide = np.diag(np.linalg.inv(whole))
    assert np.concatenate((found.score_variance, found.bias_variance)) == pytest.approx(wide[:26])


def test_a_free_direction_is_refused() -> None:
    reviews, weight, _ = _case(12, 6)
    with pytest.raises(np.linalg.LinAlgError):
        exact(reviews, weight, Prior(np.zeros(12), np.zeros(12), np.zeros(6), np.zeros(6)))
