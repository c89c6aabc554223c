"""The decisions that a ranking with a cut-off makes: how safe each is, and where another review would settle most."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from engine.calibration.ranking import RankDoubt
from engine.calibration.records import Calibration, Floats, Reviews

Standing = Literal["safe accept", "borderline", "safe reject"]
SAFE = 0.05
"""A decision is safe whose chance to be another one, were the true scores known, is at most this."""
SHOWN = 0.01
"""People are not shown smaller gains."""
_NODES = 40


@dataclass(frozen=True, slots=True, eq=False)
class Decisions:
    """By item, (I,): the chance that the true scores decide otherwise, what is said of it, and by how much another
    review is expected to lower that chance. NaN and None where the chance is not known."""

    change: Floats
    standing: tuple[Standing | None, ...]
    gain: Floats


def decide(reviews: Reviews, fit: Calibration, doubt: RankDoubt, cutoff: int) -> Decisions:
    """The first ``cutoff`` items are accepted, of equal ones those that the table names first. The chance to change
    comes from the draws behind ``doubt.above``, whose error is up to 0.5/sqrt(draws); the gain takes the next review to
    be as precise as the median of those there are."""
    accepted = np.zeros(len(fit.score), dtype=np.bool_)
    accepted[np.argsort(-fit.score, kind="stable")[:cutoff]] = True
    above = doubt.above
    change = np.where(accepted, 1.0 - above, above)
    standing: list[Standing | None] = []
    for yes, chance in zip(accepted, change, strict=True):
        safe: Standing = "safe accept" if yes else "safe reject"
        standing.append(None if np.isnan(chance) else safe if chance <= SAFE else "borderline")
    return Decisions(change, tuple(standing), _gain(reviews, fit, above))


def _gain(reviews: Reviews, fit: Calibration, above: Floats) -> Floats:
    """How much the chance of a wrong decision is expected to fall with one more review: with normal beliefs the mean
    moves by a known spread, and the rest of the variance stays (pre-posterior analysis, Raiffa and Schlaifer 1961)."""
    from scipy.special import ndtr, ndtri

    next_review = float(np.median(1.0 / fit.weight + np.nan_to_num(fit.bias_sd[reviews.referee]) ** 2))
    variance = fit.score_sd**2
    moved = np.sqrt(variance / (variance + next_review))
    distance = ndtri(np.clip(above, 1e-4, 1.0 - 1e-4))
    nodes, weights = np.polynomial.hermite_e.hermegauss(_NODES)
    after = distance[:, None] + moved[:, None] * nodes
    wrong = ndtr(-np.abs(after) / np.sqrt(1.0 - moved[:, None] ** 2)) @ (weights / weights.sum())
    gain: Floats = np.clip(ndtr(-np.abs(distance)) - wrong, 0.0, np.minimum(above, 1.0 - above))
    return gain
