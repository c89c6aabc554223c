"""Calibrators from common practice, in the same records, for comparison.

The registry states each one's assumptions. Residuals are in score units throughout.
"""

import warnings
from collections.abc import Callable
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np

from engine.calibration import bayes
from engine.calibration.alternate import deviations, log_densities, weighted_scores
from engine.calibration.gaussian import Prior, posterior
from engine.calibration.records import Calibration, Floats, Reviews
from engine.errors import BadInput
from engine.shown import counted

PATIENCE = 120.0
"""The mixed model is refused if statsmodels would need more seconds than this."""
_SECONDS_AT_2000 = 30.0
"""Time of a statsmodels fit with 2,000 items and referees together, on one core; it grows with the
cube of that number."""
_LEAST_NOISE = 1e-6
"""Lower limit of the noise relative to the variance of items and referees; without noise, the model can't be solved."""


def plain_mean(reviews: Reviews) -> Calibration:
    """Returns each item's mean score; the standard deviation is the pooled one within items divided by sqrt(n)."""
    ones = np.ones(len(reviews))
    score = weighted_scores(reviews, ones, np.zeros(len(reviews.referees)))
    return _by_averages("mean", reviews, score, reviews.score)


def z_scores(reviews: Reviews) -> Calibration:
    """Standardises each referee's scores to mean 0 and variance 1, averages them by item, and rescales the result. A
    referee with fewer than two different scores can't be standardised; those reviews count as average scores."""
    counts = np.maximum(reviews.reviews_per_referee, 1)
    centre = reviews.per_referee(reviews.score) / counts
    around = reviews.score - centre[reviews.referee]
    spread = np.sqrt(reviews.per_referee(around**2) / counts)
    known = spread > 0
    standard = np.divide(around, spread[reviews.referee], out=np.zeros_like(around), where=known[reviews.referee])
    scale = float(reviews.score.std()) or 1.0
    put_back = float(reviews.score.mean()) + scale * standard
    score = weighted_scores(replace(reviews, score=put_back), np.ones(len(reviews)), np.zeros(len(counts)))
    result = _by_averages("zscore", reviews, score, put_back)
    flat = int((~known & (reviews.reviews_per_referee > 0)).sum())
    said = (f"{counted(flat, 'referee', 'referees')} gave only one score and counted as average.",) if flat else ()
    return replace(result, bias=centre - float(reviews.score.mean()), warnings=said)


def _by_averages(method: str, reviews: Reviews, score: Floats, observed: Floats) -> Calibration:
    residual = observed - score[reviews.item]
    seen = int((reviews.reviews_per_item > 0).sum())
    squares, freedom = float((residual**2).sum()), len(reviews) - seen
    # If all referees agree, noise can't be estimated.
    within = squares / freedom if freedom and squares > 1e-18 * float((observed**2).sum()) else float("nan")
    with np.errstate(divide="ignore"):
        sd = np.sqrt(within / reviews.reviews_per_item)
    referees = len(reviews.referees)
    fitted = float((residual**2).mean()) or float("nan")
    return Calibration(
        method=method,
        score=score,
        score_sd=np.where(np.isinf(sd), np.nan, sd),
        bias=np.zeros(referees),
        bias_sd=np.full(referees, np.nan),
        noise=np.full(referees, np.nan),
        weight=np.full(len(reviews), 1.0 / fitted),
        residual=residual,
        log_likelihood=log_densities(residual, np.full(len(reviews), fitted)),
        parameters=MappingProxyType({"variance_within_items": within}),
    )


def normal_scores(score: Floats) -> Floats:
    """Returns each score as the mean of a standard normal over its share of the ranked scores; same shape.

    Only the order of the scores is used. With cumulative shares F, the mean between two thresholds is (phi(z_low) -
    phi(z_high)) / share (van der Waerden's idea, exact for grouped data).
    """
    from scipy.special import ndtri

    _, place, count = np.unique(score, return_inverse=True, return_counts=True)
    edges = np.concatenate(([0.0], np.cumsum(count) / len(score)))
    with np.errstate(divide="ignore"):
        density = np.exp(-0.5 * ndtri(edges) ** 2) / np.sqrt(2 * np.pi)
    level: Floats = (density[:-1] - density[1:]) / (count / len(score))
    return level[place]


def ordinal(reviews: Reviews, **how: Any) -> Calibration:
    """Fits the improved model (``how`` is passed on) to normal scores; results are in standard deviations of all
    scores, not in points."""
    fitted = bayes.calibrate(replace(reviews, score=normal_scores(reviews.score)), **how)
    return replace(fitted, method="ordinal")


def mixed_effects(reviews: Reviews, check: Callable[[], None] = lambda: None) -> Calibration:
    """Fits a linear mixed model with crossed random items and referees, its variances by REML in statsmodels.

    Scores and biases are the best linear unbiased predictions under these variances. Confidences aren't used. Raises
    BadInput if statsmodels would take longer than ``PATIENCE`` or finds no variances.
    """
    seconds = _SECONDS_AT_2000 * ((len(reviews.items) + len(reviews.referees)) / 2000) ** 3
    if seconds > PATIENCE:
        raise BadInput(
            f"The statsmodels mixed model would need about {seconds / 60:,.0f} minutes for"
            f" {len(reviews.items):,} items and {len(reviews.referees):,} referees.",
            f"The time grows with the cube of these numbers. The limit here is {PATIENCE / 60:.0f} minutes.",
            "Choose another method. The improved model has the same effects and handles large tables.",
        )
    mean, item, referee, noise = mixed_variances(reviews, check)
    noise = max(noise, _LEAST_NOISE * (item + referee))
    weight = np.full(len(reviews), 1.0 / noise)
    prior = Prior(
        np.full(len(reviews.items), mean),
        np.full(len(reviews.items), 1.0 / max(item, 1e-9 * noise)),
        np.zeros(len(reviews.referees)),
        np.full(len(reviews.referees), 1.0 / max(referee, 1e-9 * noise)),
    )
    found = posterior(reviews, weight, prior)
    residual = deviations(reviews, found.score, found.bias)
    return Calibration(
        method="mixed",
        score=found.score,
        score_sd=np.sqrt(found.score_variance),
        bias=found.bias,
        bias_sd=np.sqrt(found.bias_variance),
        noise=np.full(len(reviews.referees), noise),
        weight=weight,
        residual=residual,
        log_likelihood=log_densities(residual, 1.0 / weight),
        parameters=MappingProxyType(
            {
                "mean": mean,
                "score_variance": item,
                "prior_precision": 1.0 / max(referee, 1e-300),
                "confidence_scale": 0.0,
            }
        ),
        joint=found.joint,
    )


def mixed_variances(reviews: Reviews, check: Callable[[], None] = lambda: None) -> tuple[float, float, float, float]:
    """Returns mean, item variance, referee variance and residual variance by REML (statsmodels MixedLM, crossed
    effects).

    The search starts from moments; ``check`` is called at each likelihood and may raise to stop. Standard errors of the
    variances are skipped, because they aren't used and would take longer than the fit.
    """
    from scipy import sparse
    from statsmodels.regression.mixed_linear_model import MixedLM, MixedLMParams, VCSpec

    class Model(MixedLM):  # type: ignore[misc]
        def loglike(self, params: object, profile_fe: bool = True) -> float:
            check()
            return float(super().loglike(params, profile_fe))

        def hessian(self, _params: object) -> tuple[Floats, bool]:
            return -np.eye(3), False

    rows = np.arange(len(reviews))
    ones = np.ones(len(reviews))
    by_item = sparse.csc_matrix((ones, (rows, reviews.item)), (len(reviews), len(reviews.items)))
    by_referee = sparse.csc_matrix((ones, (rows, reviews.referee)), (len(reviews), len(reviews.referees)))
    spec = VCSpec(["item", "referee"], [[list(reviews.items)], [list(reviews.referees)]], [[by_item], [by_referee]])
    guess = bayes.first_guess(reviews)
    noise = float(np.exp(guess.noise_mean)) + guess.confidence_scale * float((1.0 / reviews.confidence).mean())
    start = MixedLMParams.from_components(
        fe_params=np.array([guess.mean]),
        vcomp=np.array([guess.score_variance, guess.bias_variance]) / noise,
        cov_re=np.zeros((0, 0)),
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the conditions they warn about are checked below
        model = Model(reviews.score, ones[:, None], groups=np.zeros(len(reviews)), exog_vc=spec, use_sqrt=True)
        try:
            fitted = model.fit(start_params=start, reml=True, method="powell", maxiter=50, ftol=1e-5)
            mean, item, referee, noise = map(float, (fitted.fe_params[0], *fitted.vcomp, fitted.scale))
        except (RuntimeError, np.linalg.LinAlgError):  # singular matrix
            noise = 0.0
    if noise <= 0 or not np.isfinite([mean, item, referee, noise]).all():
        raise BadInput(
            "The statsmodels mixed model found no variances for this table.",
            "There is nothing to show for this method.",
            "Choose another method.",
        )
    return mean, item, referee, noise
