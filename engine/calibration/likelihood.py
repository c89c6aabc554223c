"""The error model: reviews are normal around score plus bias, with the variance of eq. (7).

N. N. Schraudolph, Scoring conference submissions by alternate maximization of likelihood, IDSIA-25-98 (1998).
"""

import numpy as np

from engine.calibration.records import Floats, Reviews

LOG_TWO_PI = float(np.log(2 * np.pi))


def variance(reviews: Reviews, noise: Floats) -> Floats:
    """Eq. (7): exp(-gamma_r) + 1/c_ir for each review, shape (N,); ``noise`` (R,) is exp(-gamma_r), 0 or more."""
    return noise[reviews.referee] + 1.0 / reviews.confidence


def deviations(reviews: Reviews, score: Floats, bias: Floats) -> Floats:
    """What is left of each review when its item's score (I,) and its referee's bias (R,) are taken off: (N,)."""
    return reviews.score - score[reviews.item] - bias[reviews.referee]


def log_densities(deviation: Floats, variances: Floats) -> Floats:
    """The log of the normal density of each deviation, elementwise, in nats."""
    return -0.5 * (LOG_TWO_PI + np.log(variances) + deviation**2 / variances)


def log_likelihood(reviews: Reviews, score: Floats, bias: Floats, noise: Floats, prior_precision: float = 0.0) -> float:
    """The objective of the alternate maximisation, in nats: the log-likelihood of all reviews, plus the log prior of
    the biases, up to its constant, where ``prior_precision`` (lambda) is not 0."""
    value = log_densities(deviations(reviews, score, bias), variance(reviews, noise)).sum()
    return float(value - 0.5 * prior_precision * (bias**2).sum())
