"""Schraudolph's scoring of submissions: weighted averages, bias, trust, and their alternate maximisation.

N. N. Schraudolph, Scoring conference submissions by alternate maximization of likelihood, IDSIA-25-98 (1998). The
equation numbers are those of the report. We did not have the printed report: the model of eq. (7) and the
numbers are certain, the iterations of eqs. (9) and (10) were derived from them (see each function).
"""

from __future__ import annotations

from collections.abc import Callable
from types import MappingProxyType
from typing import Literal

import numpy as np

from engine.calibration.likelihood import deviations, log_densities, log_likelihood, variance
from engine.calibration.records import Calibration, Floats, Pins, Reviews

TrustMethod = Literal["newton", "fixed-point"]
EPSILON = 1e-9
"""The iteration ends when the average log-likelihood of a review gains less than this (nats)."""
MAX_ITERATIONS = 2000
ETA = 2.0
RELAXATION = 1.7
"""Scores and biases step this much further than their conditional maximum (successive over-relaxation). For a quadratic
objective every step below 2 still climbs; it takes a third of the rounds and less."""
LARGEST_NOISE = 1e12
"""exp(-gamma) is kept below this many squared score units; the least trusted referee then counts for nothing."""


def weighted_scores(reviews: Reviews, weight: Floats, bias: Floats) -> Floats:
    """Eq. (2): each item's score as the weighted mean of its reviews, the referees' bias taken off; (I,).

    ``weight`` (N,) is the confidence in eq. (2) itself and 1/variance once trust is known. NaN without a review.
    """
    total = reviews.per_item(weight)
    gain = reviews.per_item(weight * (reviews.score - bias[reviews.referee]))
    return np.divide(gain, total, out=np.full_like(gain, np.nan), where=total > 0)


def likely_bias(reviews: Reviews, weight: Floats, score: Floats, prior_precision: float) -> Floats:
    """Eq. (6): the most likely bias under a normal prior around 0 with precision lambda; (R,).

    A referee without a review has bias 0.
    """
    gain = reviews.per_referee(weight * (reviews.score - score[reviews.item]))
    total = prior_precision + reviews.per_referee(weight)
    return np.divide(gain, total, out=np.zeros_like(gain), where=total > 0)


def trust_gradient(reviews: Reviews, squared: Floats, gamma: Floats) -> tuple[Floats, Floats]:
    """First and second derivative of the log-likelihood by gamma_r, each (R,); ``squared`` (N,) are squared deviations.

    With u = exp(-gamma), v = u + 1/c: dL/dgamma = -u/2 sum (d^2 - v)/v^2.
    """
    noise = np.exp(-gamma)
    v = variance(reviews, noise)
    by_noise = 0.5 * reviews.per_referee((squared - v) / v**2)
    by_noise_twice = reviews.per_referee((0.5 * v - squared) / v**3)
    return -noise * by_noise, noise**2 * by_noise_twice + noise * by_noise


def newton_trust(reviews: Reviews, squared: Floats, noise: Floats, eta: float = ETA) -> Floats:
    """Eq. (9): one modified Newton-Raphson step on gamma for every referee; takes and returns exp(-gamma), (R,).

    The step is gradient over |curvature|, so that it climbs also where the likelihood is convex, and no longer than
    ``eta`` in gamma. That eta = 2 bounds the step is our reading; the report's own wording could not be checked.
    """
    gamma = -np.log(np.maximum(noise, 1e-300))
    gradient, curvature = trust_gradient(reviews, squared, gamma)
    limit = np.maximum(np.abs(curvature), np.abs(gradient) / eta)
    step = np.divide(gradient, limit, out=np.zeros_like(gradient), where=limit > 0)
    stepped: Floats = np.minimum(np.exp(-(gamma + step)), LARGEST_NOISE)
    return stepped


def fixed_point_trust(reviews: Reviews, squared: Floats, noise: Floats) -> Floats:
    """Eq. (10): one step of the fixed point for every referee, on exp(-gamma); (R,).

    Setting the derivative of the log-likelihood to 0 and solving for the free exp(-gamma):
    u = sum (d^2 - 1/c)/v^2 / sum 1/v^2, and exactly 0 (infinite trust) where that is negative.
    """
    precision = variance(reviews, noise) ** -2.0
    total = reviews.per_referee(precision)
    gain = reviews.per_referee(precision * (squared - 1.0 / reviews.confidence))
    return np.clip(np.divide(gain, total, out=np.zeros_like(gain), where=total > 0), 0.0, LARGEST_NOISE)


_TRUST_STEPS: dict[TrustMethod, Callable[[Reviews, Floats, Floats], Floats]] = {
    "newton": newton_trust,
    "fixed-point": fixed_point_trust,
}


def climb_trust(
    reviews: Reviews, squared: Floats, noise: Floats, method: TrustMethod = "fixed-point", halvings: int = 3
) -> Floats:
    """A trust step that never lowers a referee's likelihood: halved where it would, and not taken where that fails."""
    proposed = _TRUST_STEPS[method](reviews, squared, noise)
    own = reviews.per_referee(log_densities(np.sqrt(squared), variance(reviews, noise)))
    for _ in range(halvings):
        fell = reviews.per_referee(log_densities(np.sqrt(squared), variance(reviews, proposed))) < own
        if not fell.any():
            return proposed
        proposed = np.where(fell, 0.5 * (noise + proposed), proposed)
    fell = reviews.per_referee(log_densities(np.sqrt(squared), variance(reviews, proposed))) < own
    return np.where(fell, noise, proposed)


def maximise(
    reviews: Reviews,
    *,
    prior_precision: float,
    with_bias: bool = True,
    with_trust: bool = True,
    trust_method: TrustMethod = "fixed-point",
    pins: Pins | None = None,
    start: Calibration | None = None,
    epsilon: float = EPSILON,
    method: str = "gam",
    check: Callable[[], None] = lambda: None,
) -> Calibration:
    """Generalised alternate maximisation (section 4): item scores, biases and trusts in turn, each given the others.

    Every step climbs, so the penalised log-likelihood never falls: scores and biases step over their conditional
    maximum by ``RELAXATION`` (1 would be the report's plain step), trusts as ``climb_trust``. Stops when the gain per
    review is below ``epsilon``. ``start`` warms the start; ``pins`` holds values fast; ``check`` is called
    in each iteration and may raise to stop it.
    """
    pins = pins or Pins.none(reviews)
    bias = np.zeros(len(reviews.referees)) if start is None or not with_bias else start.bias.copy()
    noise = np.zeros(len(reviews.referees))
    if with_trust:
        noise = _first_noise(reviews) if start is None else np.nan_to_num(start.noise)
    bias, noise = _pinned(bias, pins.bias), _pinned(noise, pins.noise)
    score: Floats | None = None
    trace: list[float] = []
    converged = False
    further = RELAXATION if with_bias else 1.0
    for _ in range(MAX_ITERATIONS):
        check()
        weight = 1.0 / variance(reviews, noise)
        best = weighted_scores(reviews, weight, bias)
        score = _pinned(best if score is None else score + further * (best - score), pins.score)
        if with_bias:
            likely = likely_bias(reviews, weight, score, prior_precision)
            bias = _pinned(bias + further * (likely - bias), pins.bias)
        if with_trust:
            squared = deviations(reviews, score, bias) ** 2
            noise = _pinned(climb_trust(reviews, squared, noise, trust_method), pins.noise)
        trace.append(log_likelihood(reviews, score, bias, noise, prior_precision))
        if len(trace) > 1 and trace[-1] - trace[-2] < epsilon * len(reviews):
            converged = True
            break
    weight = 1.0 / variance(reviews, noise)
    score = _pinned(weighted_scores(reviews, weight, bias), pins.score)
    residual = deviations(reviews, score, bias)
    unknown = np.full(len(reviews.referees), np.nan)
    return Calibration(
        method=method,
        score=score,
        score_sd=np.full(len(reviews.items), np.nan),
        bias=bias,
        bias_sd=unknown,
        noise=noise,
        weight=weight,
        residual=residual,
        log_likelihood=log_densities(residual, 1.0 / weight),
        trace=tuple(trace),
        converged=converged,
        parameters=MappingProxyType({"prior_precision": prior_precision}),
    )


def _first_noise(reviews: Reviews) -> Floats:
    """Everybody begins with the same noise: the spread of the scores around their items' weighted means."""
    score = weighted_scores(reviews, reviews.confidence, np.zeros(len(reviews.referees)))
    spread = deviations(reviews, score, np.zeros(len(reviews.referees)))
    return np.full(len(reviews.referees), float((spread**2).mean()) if len(reviews) else 0.0)


def _pinned(values: Floats, held: Floats) -> Floats:
    return np.where(np.isnan(held), values, held)
