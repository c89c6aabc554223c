"""The normal posterior of scores and biases for known weights of the reviews.

Two ways to compute it: ``exact`` factorises the smaller side's precision matrix (cubic time in the smaller of items and
referees); ``message_passing`` is linear in the reviews, with exact means, and exact variances if the graph of reviews
has no short loops (Gaussian belief propagation: Weiss & Freeman 2001).
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from engine.calibration.records import Bools, Floats, Reviews

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix
    from threadpoolctl import ThreadpoolController

EXACT_LIMIT = 1000
"""Up to this many items or referees (whichever are fewer), the exact posterior is computed."""
HELD = 1e10
"""The prior precision of a value that the user pinned."""


@dataclass(frozen=True, slots=True, eq=False)
class Prior:
    """Independent normal priors: mean and precision of each item (I,) and referee (R,); precision 0 is flat."""

    item_mean: Floats
    item_precision: Floats
    bias_mean: Floats
    bias_precision: Floats


@dataclass(frozen=True, slots=True, eq=False)
class JointPosterior:
    """Draws item scores with their correlations; ``spread`` (I,) scales the deviations around ``mean`` (I,).

    ``factor`` is the lower Cholesky factor of the kept side's covariance; the other side is ``-link @ x`` plus
    independent noise of standard deviation ``own``.
    """

    mean: Floats
    spread: Floats
    factor: Floats
    link: "csr_matrix"
    own: Floats
    items_eliminated: bool

    def draw(self, count: int, rng: np.random.Generator) -> Floats:
        """Returns draws of all item scores, shape (count, I)."""
        with one_thread():
            kept = self.factor @ rng.standard_normal((len(self.factor), count))
        if not self.items_eliminated:
            deviation = kept
        else:
            deviation = self.own[:, None] * rng.standard_normal((len(self.own), count)) - self.link @ kept
        drawn: Floats = (self.mean[:, None] + self.spread[:, None] * deviation).T
        return drawn


@dataclass(frozen=True, slots=True, eq=False)
class Posterior:
    """Means and variances of scores (I,) and biases (R,); ``joint`` is only available from ``exact``."""

    score: Floats
    score_variance: Floats
    bias: Floats
    bias_variance: Floats
    joint: JointPosterior | None = None


@cache
def _threads() -> "ThreadpoolController":
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


@contextmanager
def one_thread() -> Iterator[None]:
    """Restricts BLAS to one thread; for matrices of this size, more threads mostly wait for each other."""
    with _threads().limit(limits=1, user_api="blas"):
        yield


def exact(reviews: Reviews, weight: Floats, prior: Prior, common_mean: Bools | None = None) -> Posterior:
    """Computes the posterior by eliminating the larger side.

    ``common_mean`` (I,) marks the items whose prior means are one estimated number. The uncertainty of that number is
    added to the variances (it moves all scores together, so ``joint`` omits it). Raises numpy.linalg.LinAlgError if a
    direction is undetermined (flat priors on both sides of a component of the graph).
    """
    from scipy import sparse

    items, referees = len(reviews.items), len(reviews.referees)
    w = sparse.csr_matrix((weight, (reviews.item, reviews.referee)), (items, referees))
    item_total = prior.item_precision + reviews.per_item(weight)
    bias_total = prior.bias_precision + reviews.per_referee(weight)
    item_pull = prior.item_precision * prior.item_mean + reviews.per_item(weight * reviews.score)
    bias_pull = prior.bias_precision * prior.bias_mean + reviews.per_referee(weight * reviews.score)
    items_eliminated = referees <= items
    if items_eliminated:
        gone, kept, gone_pull, kept_pull, between = item_total, bias_total, item_pull, bias_pull, w
    else:
        gone, kept, gone_pull, kept_pull, between = bias_total, item_total, bias_pull, item_pull, w.T.tocsr()
    with np.errstate(divide="ignore"):
        inverse = np.where(gone > 0, 1.0 / gone, 0.0)
    link = (sparse.diags(inverse) @ between).tocsr()
    precision = np.diag(kept) - (between.T @ link).toarray()
    with one_thread():
        pivots = np.diag(np.linalg.cholesky(precision)) ** 2
    # Rounding can make an undetermined direction look almost determined; its small pivot reveals it.
    if (pivots < 1e-10 * kept).any():
        raise np.linalg.LinAlgError("a direction of the biases is free")
    with one_thread():  # unlike scipy's routines, numpy's let other threads run meanwhile
        covariance = np.linalg.inv(precision)
        covariance = 0.5 * (covariance + covariance.T)
        factor: Floats = np.linalg.cholesky(covariance).astype(np.float64, copy=False)
    kept_mean = covariance @ (kept_pull - link.T @ gone_pull)
    gone_mean = inverse * gone_pull - link @ kept_mean
    gone_variance = inverse + np.asarray(link.multiply(link @ covariance).sum(axis=1)).ravel()
    kept_variance = np.diag(covariance).copy()
    if common_mean is not None and (own := np.where(common_mean, prior.item_precision, 0.0)).any():
        # How the means respond when the common mean rises by 1, and how well the reviews determine it.
        gone_push, kept_push = (own, np.zeros(referees)) if items_eliminated else (np.zeros(referees), own)
        kept_answer = covariance @ (kept_push - link.T @ gone_push)
        gone_answer = inverse * gone_push - link @ kept_answer
        information = own.sum() - gone_push @ gone_answer - kept_push @ kept_answer
        gone_variance = gone_variance + gone_answer**2 / information
        kept_variance = kept_variance + kept_answer**2 / information
    score, bias = (gone_mean, kept_mean) if items_eliminated else (kept_mean, gone_mean)
    score_variance, bias_variance = (
        (gone_variance, kept_variance) if items_eliminated else (kept_variance, gone_variance)
    )
    joint = JointPosterior(score, np.ones(items), factor, link, np.sqrt(inverse), items_eliminated)
    return Posterior(score, score_variance, bias, bias_variance, joint)


def message_passing(reviews: Reviews, weight: Floats, prior: Prior, tolerance: float = 1e-9) -> Posterior:
    """Computes the posterior by messages along the reviews, until no mean changes by more than ``tolerance`` times the
    range of scores. If a side's prior is flat and an item has one review, the message back correctly carries no
    information."""
    item, referee = reviews.item, reviews.referee
    to_item = np.zeros(len(reviews))  # precision of the message from referee to item
    item_weighted = np.zeros(len(reviews))  # precision times mean
    scale = float(np.ptp(reviews.score)) or 1.0
    score = np.zeros(len(reviews.items))
    for _ in range(1000):
        total, pull = _totals(reviews.per_item, to_item, item_weighted, prior.item_precision, prior.item_mean)
        to_referee, referee_weighted = _messages(
            weight, reviews.score, total[item] - to_item, pull[item] - item_weighted
        )
        bias_total, bias_pull = _totals(
            reviews.per_referee, to_referee, referee_weighted, prior.bias_precision, prior.bias_mean
        )
        to_item, item_weighted = _messages(
            weight, reviews.score, bias_total[referee] - to_referee, bias_pull[referee] - referee_weighted
        )
        total, pull = _totals(reviews.per_item, to_item, item_weighted, prior.item_precision, prior.item_mean)
        before, score = score, _ratio(pull, total)
        if np.abs(score - before).max(initial=0.0) < tolerance * scale:
            break
    return Posterior(score, _ratio(np.ones_like(total), total), _ratio(bias_pull, bias_total), _ratio(1.0, bias_total))


def posterior(reviews: Reviews, weight: Floats, prior: Prior) -> Posterior:
    if min(len(reviews.items), len(reviews.referees)) <= EXACT_LIMIT:
        return exact(reviews, weight, prior)
    return message_passing(reviews, weight, prior)


def held(values: Floats, mean: Floats | float, precision: Floats | float) -> tuple[Floats, Floats]:
    """Returns prior mean and precision, with some ``values`` pinned (not NaN) and the others following ``mean``."""
    pinned: Bools = ~np.isnan(values)
    return np.where(pinned, values, mean), np.where(pinned, HELD, precision)


def _totals(
    per: Callable[[Floats], Floats], precision: Floats, weighted: Floats, prior_precision: Floats, prior_mean: Floats
) -> tuple[Floats, Floats]:
    return prior_precision + per(precision), prior_precision * prior_mean + per(weighted)


def _messages(weight: Floats, score: Floats, precision: Floats, pull: Floats) -> tuple[Floats, Floats]:
    """Returns the messages that one side's belief (without the review's own share) sends through each review."""
    precision = np.maximum(precision, 0.0)
    out = _ratio(weight * precision, weight + precision)
    return out, out * (score - _ratio(pull, precision))


def _ratio(above: Floats | float, below: Floats) -> Floats:
    return np.divide(above, below, out=np.zeros_like(below), where=below > 0)
