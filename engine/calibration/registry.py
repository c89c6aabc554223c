"""All calibrators by name, for the command line, the pane and the comparison table."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from engine.calibration import alternate, bayes, peers
from engine.calibration.comparability import FEW_REPEATS, Comparability, comparability, doubt, remarks
from engine.calibration.gaussian import Prior, held, posterior
from engine.calibration.records import Calibration, Pins, Reviews
from engine.errors import BadInput

DEFAULT = "bayes"
REPORT = "N. N. Schraudolph, Scoring conference submissions by alternate maximization of likelihood, IDSIA-25-98, 1998"


Fit = Callable[..., Calibration]
"""Takes the reviews, and prior_precision, pins, start (a fit of the same method), check and quick as keywords."""


@dataclass(frozen=True, slots=True)
class Calibrator:
    """One method. ``assumes`` states its assumptions in a sentence; ``uses_bias``: it subtracts referees' biases,
    ``takes_prior``: lambda can be given, ``takes_pins``: values can be fixed, ``has_prior``: its intervals can rest on
    a prior if the table says little."""

    id: str
    title: str
    citation: str
    assumes: str
    fit: Fit
    uses_bias: bool = True
    takes_prior: bool = False
    takes_pins: bool = False
    has_prior: bool = True
    nominal: bool = True
    """Whether its 90 % intervals were found to cover less than 87 % or more than 93 % on some realistic kinds of table,
    even with many items."""


def _maximised(method: str, *, with_bias: bool, with_trust: bool) -> Fit:
    def fit(
        reviews: Reviews, *, prior_precision: float | None, pins: Pins | None, quick: bool, **how: Any
    ) -> Calibration:
        precision = 1.0 / bayes.first_guess(reviews).bias_variance if prior_precision is None else prior_precision
        known: dict[str, Any] = {"prior_precision": precision, "pins": pins, "method": method} | how
        found = alternate.maximise(reviews, with_bias=with_bias, with_trust=with_trust, **known)
        if quick:
            return found
        return _with_spread(reviews, found, pins or Pins.none(reviews), precision if with_bias else None)

    return fit


def _with_spread(reviews: Reviews, found: Calibration, pins: Pins, precision: float | None) -> Calibration:
    """Adds standard deviations, assuming that the fitted trusts are exact and items have a flat prior. They are too
    small, since trust is uncertain too. None are added if a direction is undetermined (lambda 0)."""
    seen = reviews.reviews_per_item > 0
    items = held(np.where(seen, pins.score, 0.0), 0.0, 0.0)
    without = np.zeros(len(reviews.referees))
    biases = held(without, 0.0, 0.0) if precision is None else held(pins.bias, 0.0, precision)
    try:
        known = posterior(reviews, found.weight, Prior(*items, *biases))
    except np.linalg.LinAlgError:
        return found
    joint = known.joint if seen.all() and not np.isnan(found.score).any() else None
    return replace(
        found,
        score_sd=np.where(seen, np.sqrt(np.maximum(known.score_variance, 0.0)), np.nan),
        bias_sd=np.sqrt(np.maximum(known.bias_variance, 0.0)),
        joint=replace(joint, mean=found.score) if joint is not None else None,
    )


_ENTRIES: tuple[Calibrator, ...] = (
    Calibrator(
        "bayes",
        "Improved model",
        f"{REPORT}; with empirical Bayes priors and expectation propagation (Minka 2001)",
        "The scale has equal steps. Quality, bias and noise are normally distributed. Items are assigned to referees "
        "regardless of quality.",
        bayes.calibrate,
        takes_prior=True,
        takes_pins=True,
        nominal=False,
    ),
    Calibrator(
        "gam",
        "Bias and trust (1998)",
        f"{REPORT}, section 4",
        "The scale has equal steps. Confidences are precisions. The most likely trust is the true one.",
        _maximised("gam", with_bias=True, with_trust=True),
        takes_prior=True,
        takes_pins=True,
    ),
    Calibrator(
        "bias",
        "Weighted mean and bias",
        f"{REPORT}, eqs. (4), (6)",
        "The scale has equal steps. Confidences are precisions, and everybody's are right.",
        _maximised("bias", with_bias=True, with_trust=False),
        takes_prior=True,
        takes_pins=True,
    ),
    Calibrator(
        "normalised",
        "Weighted mean, referees centred",
        f"{REPORT}, eqs. (4), (5)",
        "Every referee saw items of the same average quality. Confidences are precisions, and everybody's are right.",
        lambda reviews, **_: alternate.normalised(reviews),
    ),
    Calibrator(
        "weighted",
        "Confidence-weighted mean",
        f"{REPORT}, eq. (2)",
        "All referees use the scale in the same way. Confidences are precisions, and everybody's are right.",
        _maximised("weighted", with_bias=False, with_trust=False),
        uses_bias=False,
    ),
    Calibrator(
        "mean",
        "Plain mean",
        "Common practice",
        "All referees use the scale in the same way and are equally reliable. Confidences are ignored.",
        lambda reviews, **_: peers.plain_mean(reviews),
        uses_bias=False,
        has_prior=False,
    ),
    Calibrator(
        "zscore",
        "Standardised per referee",
        "Common practice",
        "Every referee saw items of the same average quality and spread. Confidences are ignored.",
        lambda reviews, **_: peers.z_scores(reviews),
        has_prior=False,
    ),
    Calibrator(
        "mixed",
        "Linear mixed model",
        "Crossed random effects by REML, statsmodels MixedLM",
        "The scale has equal steps. All referees are equally reliable. Confidences are ignored.",
        lambda reviews, *, check, **_: peers.mixed_effects(reviews, check),
    ),
    Calibrator(
        "ordinal",
        "Improved, order only",
        "Normal scores (van der Waerden 1952), then the improved model",
        "Only the order of the scale's steps counts. All referees have the same thresholds up to a shift. Results "
        "are in standard deviations, not points.",
        peers.ordinal,
        takes_prior=True,
        nominal=False,
    ),
)
CALIBRATORS = {entry.id: entry for entry in _ENTRIES}


def calibrator(method: str) -> Calibrator:
    """Returns the entry with that name. Raises BadInput, which lists the existing names."""
    if method not in CALIBRATORS:
        raise BadInput(
            f"There is no calibration method “{method}”.",
            "Nothing was calculated.",
            "Choose one of " + ", ".join(CALIBRATORS) + ".",
        )
    return CALIBRATORS[method]


def calibrate(
    reviews: Reviews,
    method: str = DEFAULT,
    *,
    prior_precision: float | None = None,
    pins: Pins | None = None,
    start: Calibration | None = None,
    check: Callable[[], None] = lambda: None,
    quick: bool = False,
) -> tuple[Calibration, Comparability]:
    """Fits ``method``, adds ``warnings`` about the limits of the result, and removes values that the data don't
    support.

    Methods that adjust for referees keep only the scores of the largest connected part of the graph, and none if no
    item in it has two reviews; intervals need repeated reviews with every method. ``quick`` leaves out standard
    deviations, or the contribution of correlations to them. Raises BadInput for an unknown method, no reviews, a prior
    precision below 0, or a table that the method refuses.
    """
    entry = calibrator(method)
    if not len(reviews):
        raise BadInput("There are no reviews to calibrate.", "There is nothing to show.", "Import a table of scores.")
    if prior_precision is not None and not 0 <= prior_precision < np.inf:
        raise BadInput("The prior precision isn't a number of 0 or more.", "Nothing was calculated.", "Give another.")
    free = entry.takes_prior and prior_precision == 0 and method in {"gam", "bias"}
    if prior_precision == 0 and not free and entry.takes_prior:
        raise BadInput(
            f"“{entry.title}” needs a bias prior, so lambda can't be 0.",
            "Without one, the level of the scores is undetermined.",
            "Let the method choose lambda, or enter a small number.",
        )
    warm = start if start is not None and start.method == method and np.isfinite(start.bias).all() else None
    found = entry.fit(reviews, prior_precision=prior_precision, pins=pins, start=warm, check=check, quick=quick)
    parts = comparability(reviews)
    said = remarks(reviews, parts, free=free, uses_bias=entry.uses_bias, has_prior=entry.has_prior)
    warnings = [*found.warnings, *said]
    if not found.converged:
        warnings.append(f"The fit hadn't converged after {len(found.trace)} rounds, so the last digits may change.")
    ignored = ["the prior precision"] if prior_precision is not None and not entry.takes_prior else []
    given = pins is not None and not np.isnan([*pins.score, *pins.bias, *pins.noise]).all()
    if given and not entry.takes_pins:
        ignored.append("pinned values")
    if ignored:
        warnings.append(f"“{entry.title}” doesn't use {' or '.join(ignored)}.")
    if free:
        found = _levelled(found, parts, pins)
    found = _supported(reviews, found, parts, entry)
    known, held = ~np.isnan(found.score_sd), "45 to 100" if entry.nominal else "60 to 99"
    exact = f"The intervals of “{entry.title}” treat its estimates as exact"
    why = known.any() and (exact if entry.nominal else doubt(reviews, np.where(known, found.score, np.nan)))
    if why:
        warnings.append(f"{why}: depending on the table, {held} % of the nominal 90 % intervals hold.")
    return replace(found, warnings=tuple(warnings), nominal=bool(why)), parts


def _supported(reviews: Reviews, found: Calibration, parts: Comparability, entry: Calibrator) -> Calibration:
    repeats, nothing = parts.repeats_for(entry.uses_bias), np.nan
    adjusted = entry.uses_bias and not repeats
    enough = repeats >= (1 if entry.has_prior else FEW_REPEATS)
    unknown = (parts.circle != 0) | adjusted if entry.uses_bias else reviews.reviews_per_item == 0
    strangers = entry.uses_bias & ((parts.referee_circle != 0) | adjusted)
    score_sd = np.where(unknown | (not enough), nothing, found.score_sd)
    return replace(
        found,
        score=np.where(unknown, nothing, found.score),
        score_sd=score_sd,
        residual=np.where(unknown[reviews.item], nothing, found.residual),
        bias=np.where(strangers, nothing, found.bias),
        bias_sd=np.where(strangers, nothing, found.bias_sd),
        noise=np.where(strangers, nothing, found.noise),
        rests_on_prior=entry.has_prior and 0 < repeats < FEW_REPEATS,
    )


def _levelled(found: Calibration, parts: Comparability, pins: Pins | None) -> Calibration:
    """For lambda 0: shifts each circle without a pinned value so that its biases average 0."""
    score, bias = found.score.copy(), found.bias.copy()
    for circle in range(parts.circles):
        mine, theirs = parts.circle == circle, parts.referee_circle == circle
        held_here = pins is not None and not (np.isnan(pins.score[mine]).all() and np.isnan(pins.bias[theirs]).all())
        level = 0.0 if held_here else float(bias[theirs].mean())
        bias[theirs] -= level
        score[mine] += level
    return replace(found, score=score, bias=bias, joint=None)
