"""Schraudolph's scoring of submissions: weighted averages, bias and trust, estimated by alternate maximisation.

N. N. Schraudolph, Scoring conference submissions by alternate maximization of likelihood, IDSIA-25-98 (1998). The
equation numbers are those of the report.
"""

from collections.abc import Callable
from types import MappingProxyType
from typing import Literal

import numpy as np

from engine.calibration.records import Calibration, Floats, Pins, Reviews

LOG_TWO_PI = float(np.log(2 * np.pi))


def variance(reviews: Reviews, noise: Floats) -> Floats:
    """Eq. (7): exp(-gamma_r) + 1/c_ir for each review, shape (N,); ``noise`` (R,) is exp(-gamma_r), at least 0."""
    return noise[reviews.referee] + 1.0 / reviews.confidence


def deviations(reviews: Reviews, score: Floats, bias: Floats) -> Floats:
    """Returns each review's residual after subtracting the item's score (I,) and the referee's bias
    (R,); shape (N,)."""
    return reviews.score - score[reviews.item] - bias[reviews.referee]


def log_densities(deviation: Floats, variances: Floats) -> Floats:
    """Returns the log of the normal density of each deviation, elementwise, in nats."""
    return -0.5 * (LOG_TWO_PI + np.log(variances) + deviation**2 / variances)


def log_likelihood(reviews: Reviews, score: Floats, bias: Floats, noise: Floats, prior_precision: float = 0.0) -> float:
    """Returns the objective of the alternate maximisation, in nats: the log-likelihood of all reviews plus, up to a
    constant, the log prior of the biases with precision ``prior_precision`` (lambda)."""
    value = log_densities(deviations(reviews, score, bias), variance(reviews, noise)).sum()
    return float(value - 0.5 * prior_precision * (bias**2).sum())


TrustMethod = Literal["newton", "fixed-point"]
_Parameters = tuple[Floats, Floats, Floats]  # scores, biases, exp(-gamma)
EPSILON = 1e-9
"""A step improves the log-likelihood if it gains more than this (nats, section 4)."""
MAX_STEPS = 100_000
ETA = 2.0
"""Newton steps in gamma are at most 1/ETA long (section 3)."""
LARGEST_NOISE = 1e12
"""Upper limit of exp(-gamma) in squared score units; a referee at the limit has practically no weight."""


def weighted_scores(reviews: Reviews, weight: Floats, bias: Floats) -> Floats:
    """Eqs. (2) and (4): each item's score as the weighted mean of its reviews minus the referees' biases; (I,).
    ``weight`` (N,) is the confidence in eq. (2), and 1/variance once trust is known. NaN for items without a review."""
    total = reviews.per_item(weight)
    gain = reviews.per_item(weight * (reviews.score - bias[reviews.referee]))
    return np.divide(gain, total, out=np.full_like(gain, np.nan), where=total > 0)


def normalising_bias(reviews: Reviews, weight: Floats) -> Floats:
    """Eq. (5): each referee's weighted mean score, so that without it all referees' scores average 0; (R,). 0 for
    referees without a review."""
    total = reviews.per_referee(weight)
    return np.divide(reviews.per_referee(weight * reviews.score), total, out=np.zeros_like(total), where=total > 0)


def likely_bias(reviews: Reviews, weight: Floats, score: Floats, prior_precision: float) -> Floats:
    """Eq. (6): the most likely bias under a normal prior around 0 with precision lambda; (R,). 0 for referees without a
    review."""
    gain = reviews.per_referee(weight * (reviews.score - score[reviews.item]))
    total = prior_precision + reviews.per_referee(weight)
    return np.divide(gain, total, out=np.zeros_like(gain), where=total > 0)


def trust_gradient(reviews: Reviews, squared: Floats, gamma: Floats) -> tuple[Floats, Floats]:
    """Returns first and second derivative of the log-likelihood by gamma_r, each (R,); ``squared`` (N,) are squared
    residuals. With u = exp(-gamma), v = u + 1/c: dL/dgamma = -u/2 sum (d^2 - v)/v^2."""
    noise = np.exp(-gamma)
    v = variance(reviews, noise)
    by_noise = 0.5 * reviews.per_referee((squared - v) / v**2)
    by_noise_twice = reviews.per_referee((0.5 * v - squared) / v**3)
    return -noise * by_noise, noise**2 * by_noise_twice + noise * by_noise


def newton_trust(reviews: Reviews, squared: Floats, noise: Floats, eta: float = ETA) -> Floats:
    """Eq. (9): one modified Newton-Raphson step on gamma for every referee; takes and returns exp(-gamma), (R,).

    gamma - L' / min(L'', -eta |L'|) also climbs where the likelihood is convex, by at most 1/eta.
    """
    gamma = -np.log(np.maximum(noise, 1e-300))
    gradient, curvature = trust_gradient(reviews, squared, gamma)
    below = np.minimum(curvature, -eta * np.abs(gradient))
    step = np.divide(gradient, below, out=np.zeros_like(gradient), where=below < 0)
    stepped: Floats = np.minimum(np.exp(step - gamma), LARGEST_NOISE)
    return stepped


def fixed_point_trust(reviews: Reviews, squared: Floats, noise: Floats) -> Floats:
    """Eq. (10): one fixed-point step on exp(-gamma) for every referee; (R,).

    Setting the derivative of the log-likelihood to 0 and solving for the free exp(-gamma) gives u = sum (d^2 - 1/c)/v^2
    / sum 1/v^2, and exactly 0 (infinite trust) where that is negative.
    """
    precision = variance(reviews, noise) ** -2.0
    total = reviews.per_referee(precision)
    gain = reviews.per_referee(precision * (squared - 1.0 / reviews.confidence))
    return np.clip(np.divide(gain, total, out=np.zeros_like(gain), where=total > 0), 0.0, LARGEST_NOISE)


_TRUST_STEPS: dict[TrustMethod, Callable[[Reviews, Floats, Floats], Floats]] = {
    "newton": newton_trust,
    "fixed-point": fixed_point_trust,
}


def maximise(
    reviews: Reviews,
    *,
    prior_precision: float,
    with_bias: bool = True,
    with_trust: bool = True,
    trust_method: TrustMethod = "newton",
    pins: Pins | None = None,
    start: Calibration | None = None,
    epsilon: float = EPSILON,
    method: str = "gam",
    check: Callable[[], None] = lambda: None,
) -> Calibration:
    """Generalised alternate maximisation, steps 1 to 6 of section 4: trusts until they no longer improve, then biases,
    then scores, each given the others; after an improvement of biases or scores, trusts are updated again.

    Beyond the report, a step that would lower the penalised log-likelihood (possible with eq. (10)) is skipped;
    ``pins`` fixes values; ``start`` replaces step 1; ``check`` is called in each step and may raise to stop. ``trace``
    has the penalised log-likelihood after each step.
    """
    pins = pins or Pins.none(reviews)
    bias = noise = np.zeros(len(reviews.referees))
    if with_bias and start is not None:
        bias = start.bias
    if with_trust:
        noise = np.ones_like(noise) if start is None else np.nan_to_num(start.noise)

    def scores(_score: Floats, bias: Floats, noise: Floats) -> _Parameters:
        best = weighted_scores(reviews, 1.0 / variance(reviews, noise), bias)
        return _pinned(best, pins.score), bias, noise

    def biases(score: Floats, _bias: Floats, noise: Floats) -> _Parameters:
        best = likely_bias(reviews, 1.0 / variance(reviews, noise), score, prior_precision)
        return score, _pinned(best, pins.bias), noise

    def trusts(score: Floats, bias: Floats, noise: Floats) -> _Parameters:
        stepped = _TRUST_STEPS[trust_method](reviews, deviations(reviews, score, bias) ** 2, noise)
        return score, bias, _pinned(stepped, pins.noise)

    found = scores(np.empty(0), _pinned(bias, pins.bias), _pinned(noise, pins.noise))
    trace = [log_likelihood(reviews, *found, prior_precision)]
    if with_bias:
        found = biases(*found)
        trace.append(log_likelihood(reviews, *found, prior_precision))
    steps = [step for step, wanted in ((trusts, with_trust), (biases, with_bias), (scores, True)) if wanted]
    converged = False
    while not converged and len(trace) < MAX_STEPS:
        for step in steps:
            check()
            after = step(*found)
            value = log_likelihood(reviews, *after, prior_precision)
            if value - trace[-1] > epsilon:
                found = after
                trace.append(value)
                break
        else:
            converged = True
    score, bias, noise = found
    return fitted(
        reviews,
        method=method,
        score=score,
        bias=bias,
        noise=noise,
        trace=trace,
        prior_precision=prior_precision,
        converged=converged,
    )


def normalised(reviews: Reviews, method: str = "normalised") -> Calibration:
    """Experiment b) of section 5: biases by eq. (5), scores by eq. (4), with all confidences taken at face value."""
    noise = np.zeros(len(reviews.referees))
    weight = 1.0 / variance(reviews, noise)
    bias = normalising_bias(reviews, weight)
    score = weighted_scores(reviews, weight, bias)
    trace = [log_likelihood(reviews, score, bias, noise)]
    return fitted(reviews, method=method, score=score, bias=bias, noise=noise, trace=trace)


def fitted(
    reviews: Reviews,
    *,
    method: str,
    score: Floats,
    bias: Floats,
    noise: Floats,
    trace: list[float],
    prior_precision: float = 0.0,
    converged: bool = True,
) -> Calibration:
    """Returns the record of a fit without standard deviations, with weights and densities by eqs. (7) and (11)."""
    weight = 1.0 / variance(reviews, noise)
    residual = deviations(reviews, score, bias)
    return Calibration(
        method=method,
        score=score,
        score_sd=np.full(len(reviews.items), np.nan),
        bias=bias,
        bias_sd=np.full(len(reviews.referees), np.nan),
        noise=noise,
        weight=weight,
        residual=residual,
        log_likelihood=log_densities(residual, 1.0 / weight),
        trace=tuple(trace),
        converged=converged,
        parameters=MappingProxyType({"prior_precision": prior_precision}),
        likeliest=True,
    )


def _pinned(values: Floats, held: Floats) -> Floats:
    return np.where(np.isnan(held), values, held)
