"""The improved model, with priors estimated from the data and with intervals.

    score_ir = s_i + b_r + e_ir,  s_i ~ N(mu, sigma_s^2),  b_r ~ N(0, 1/lambda),  e_ir ~ N(0, u_r + k/c_ir),
    log u_r ~ N(m, t^2) on a grid.

It is Schraudolph's model with three changes: items, biases and trusts have priors whose parameters are estimated from
the same table (empirical Bayes), confidences may be too high or too low all together (k), and trust is integrated over
instead of maximised, so that a referee with a few lucky scores is not trusted without limit.

The posterior is found by expectation propagation along the graph of reviews (Minka 2001): each referee's bias and trust
are integrated exactly against what the other referees say of the items, and what the referee then says of each item is
matched in mean and variance. Time and memory are linear in the reviews. Between sweeps the priors take one step of
expectation maximisation.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np

from engine.calibration.alternate import deviations, log_densities
from engine.calibration.gaussian import EXACT_LIMIT, JointPosterior, Posterior, Prior, exact, held, message_passing
from engine.calibration.records import Calibration, Floats, Ints, Pins, Reviews

GRID = 12
SWEEPS = 400
TOLERANCE = 2e-4
"""The sweeps end when no item's mean changes by more than this share of the items' standard deviation."""
QUICK_TOLERANCE = 2e-3
"""The same for a quick first result: a twentieth of the uncertainty of the best-known item."""
PSEUDO = 2.0
"""The moment estimates have the weight of this many items, referees or reviews: a few reviews that happen to agree
don't show that noise and biases are small."""
UNEVEN, FEW_ITEMS, FEW_REPEATS = 0.02, 0.3, 0.5
"""By how much intervals are widened: by the first share because scales are uneven and scores rounded, and, because
variances are estimated, by the others divided by the square roots of the numbers of items and repeated reviews. Chosen
by simulation; see docs/methods-calibration.md."""


@dataclass(frozen=True, slots=True)
class Hyper:
    """The parameters of the priors; variances are in squared score units. ``noise_mean`` and ``noise_spread`` are mean
    and standard deviation of log u; ``confidence_scale`` is k."""

    mean: float
    score_variance: float
    bias_variance: float
    noise_mean: float
    noise_spread: float
    confidence_scale: float = 1.0


@dataclass(frozen=True, slots=True, eq=False)
class _State:
    """The state after a sweep. Reviews are sorted by referee; ``likely`` (referees, G) are the posterior probabilities
    of the noise levels."""

    to_item: Floats
    weighted: Floats
    score: Floats
    score_variance: Floats
    bias: Floats
    bias_variance: Floats
    noise: Floats
    weight: Floats
    likely: Floats
    hyper: Hyper


@dataclass(frozen=True, slots=True, eq=False)
class _Task:
    """What stays constant over the sweeps: the table, the grid of log u (G,), pins, the moment estimates towards which
    the priors are shrunk, and whether the bias prior and k are estimated."""

    table: "_Table"
    grid: Floats
    pins: Pins
    anchor: Hyper
    free_bias: bool
    free_scale: bool


@dataclass(frozen=True, slots=True, eq=False)
class _Table:
    """The reviews sorted by referee; ``starts`` are the first rows of the referees with reviews (``present``)."""

    order: Ints
    item: Ints
    group: Ints
    starts: Ints
    present: Ints
    score: Floats
    inverse_confidence: Floats
    items: int


def _sorted(reviews: Reviews) -> _Table:
    order = np.argsort(reviews.referee, kind="stable")
    referee = reviews.referee[order]
    starts = np.flatnonzero(np.concatenate(([True], referee[1:] != referee[:-1])))
    sizes = np.diff(np.append(starts, len(referee)))
    return _Table(
        order,
        reviews.item[order],
        np.repeat(np.arange(len(starts)), sizes),
        starts,
        referee[starts],
        reviews.score[order],
        1.0 / reviews.confidence[order],
        len(reviews.items),
    )


def first_guess(reviews: Reviews) -> Hyper:
    """Returns moment estimates: the variance within items is noise and bias, the remaining variance between items
    theirs."""
    counts = np.maximum(reviews.reviews_per_item, 1)
    means = reviews.per_item(reviews.score) / counts
    seen = reviews.reviews_per_item > 0
    total = float(reviews.score.var()) or 1.0
    freedom = max(len(reviews) - int(seen.sum()), 1)
    deviation = reviews.score - means[reviews.item]
    within = (float((deviation**2).sum()) + PSEUDO * 0.5 * total) / (freedom + PSEUDO)
    between = float(means[seen].var()) - within * float((1.0 / counts[seen]).mean())
    return Hyper(
        mean=float(means[seen].mean()),
        score_variance=max(between, 0.1 * total),
        bias_variance=bias_variance(reviews, deviation, within),
        noise_mean=float(np.log(0.4 * within)),
        noise_spread=1.2,
        confidence_scale=0.25 * within / float((1.0 / reviews.confidence).mean()),
    )


def bias_variance(reviews: Reviews, deviation: Floats, within: Floats | float) -> float:
    """Estimates the biases' variance by moments: residuals (N,) from item means share the bias of their common referee.
    Limited to 2 % to 90 % of ``within``, the variance within items, and shrunk towards a quarter of it for few
    referees."""
    keep = 1.0 - 1.0 / reviews.reviews_per_item[reviews.item]
    shared = float((reviews.per_referee(deviation) ** 2 - reviews.per_referee(deviation**2)).sum())
    pairs = float((reviews.per_referee(keep) ** 2 - reviews.per_referee(keep**2)).sum())
    moment = np.clip(shared / pairs, 0.02 * within, 0.9 * within) if pairs > 0 else 0.25 * within
    writers = int((reviews.reviews_per_referee > 1).sum())
    return float((writers * moment + PSEUDO * 0.25 * within) / (writers + PSEUDO))


def calibrate(
    reviews: Reviews,
    *,
    prior_precision: float | None = None,
    estimate_confidence_scale: bool = True,
    pins: Pins | None = None,
    start: Calibration | None = None,
    check: Callable[[], None] = lambda: None,
    quick: bool = False,
) -> Calibration:
    """Fits the improved model.

    Args:
        prior_precision: lambda, the precision of the bias prior; estimated if None.
        estimate_confidence_scale: whether k is estimated; 1 otherwise.
        pins: values held fast.
        start: an earlier fit whose priors and messages are the start (its reviews may differ).
        check: called in each sweep; may raise to stop.
        quick: ends earlier, and leaves out what only the standard deviations and joint draws need.
    """
    pins = pins or Pins.none(reviews)
    table = _sorted(reviews)
    guess = first_guess(reviews)
    hyper = _warm_hyper(start) or guess
    if not estimate_confidence_scale:
        hyper = replace(hyper, confidence_scale=1.0)
    if prior_precision is not None:
        hyper = replace(hyper, bias_variance=1.0 / max(prior_precision, 1e-12))
    precision = 1.0 / (
        np.exp(hyper.noise_mean) + hyper.bias_variance + hyper.confidence_scale * table.inverse_confidence
    )
    to_item, weighted = precision, precision * (table.score - np.nan_to_num(pins.bias)[table.present][table.group])
    if start is not None and start.messages is not None and len(start.messages[0]) == len(reviews):
        to_item, weighted = (message[table.order] for message in start.messages)
    grid = np.linspace(-6.5, 2.5, GRID) + np.log(max(hyper.score_variance, 1e-12))
    task = _Task(table, grid, pins, guess, prior_precision is None, estimate_confidence_scale)
    nothing = np.zeros(0)
    state = _State(
        to_item, weighted, np.full(table.items, np.inf), nothing, nothing, nothing, nothing, nothing, nothing, hyper
    )
    trace: list[float] = []
    converged = False
    for _ in range(SWEEPS):
        check()
        state, evidence, moved = _sweep(task, state)
        trace.append(evidence)
        if moved < (QUICK_TOLERANCE if quick else TOLERANCE) * np.sqrt(state.hyper.score_variance):
            converged = True
            break
    return _finish(reviews, task, state, tuple(trace), converged=converged, quick=quick)


def _sweep(task: _Task, state: _State) -> tuple[_State, float, float]:
    """Runs one sweep over all referees and one update of the priors; also returns the log evidence and the largest
    change of a score."""
    table, pins, hyper = task.table, task.pins, state.hyper
    item, group = table.item, table.group
    item_mean, item_precision = held(pins.score, hyper.mean, 1.0 / hyper.score_variance)
    bias_mean, bias_precision = held(pins.bias[table.present], 0.0, 1.0 / hyper.bias_variance)
    noises, log_prior = _noises(task.grid, hyper, pins.noise[table.present])
    total, pull = _beliefs(table, state.to_item, state.weighted, item_mean, item_precision)
    cavity = np.maximum(total[item] - state.to_item, 1e-12)
    cavity_mean = (pull[item] - state.weighted) / cavity

    # Each referee's bias is integrated out at every noise level of the grid: shapes (N, G) and (referees, G).
    level = noises[group]
    own = level + hyper.confidence_scale * table.inverse_confidence[:, None]
    spread = own + (1.0 / cavity)[:, None]
    gap = (table.score - bias_mean[group] - cavity_mean)[:, None]
    share = 1.0 / spread
    drift = gap * share
    precision = bias_precision[:, None] + np.add.reduceat(share, table.starts, axis=0)
    towards = np.add.reduceat(drift, table.starts, axis=0)
    fit = np.add.reduceat(np.log(spread) + gap * drift, table.starts, axis=0)
    evidence = log_prior - 0.5 * (fit - towards**2 / precision + np.log(precision / bias_precision[:, None]))
    top = evidence.max(axis=1, keepdims=True)
    likely = np.exp(evidence - top)
    sums = likely.sum(axis=1, keepdims=True)
    likely /= sums
    bias_at = towards / precision
    bias = (likely * bias_at).sum(axis=1)
    bias_variance = (likely * (1.0 / precision + (bias_at - bias[:, None]) ** 2)).sum(axis=1)

    # Given everything else, each referee's message to an item is a mixture over the levels: match its mean and
    # variance.
    chance = likely[group]
    rest = precision[group] - share
    rest_bias = (towards[group] - drift) / rest
    told_at = 1.0 / (1.0 / rest + own)
    shift = (gap - rest_bias) * told_at / (told_at + cavity[:, None])
    move = (chance * shift).sum(axis=1)
    tilted = (chance * (1.0 / (told_at + cavity[:, None]) + (shift - move[:, None]) ** 2)).sum(axis=1)
    mean = cavity_mean + move
    to_item = np.maximum(1.0 / tilted - cavity, 1e-3 * (chance * told_at).sum(axis=1))
    weighted = mean * (to_item + cavity) - cavity * cavity_mean
    if not np.isnan(pins.score).all():
        keep = ~np.isnan(pins.score)[item]
        plain = (chance * told_at).sum(axis=1)
        to_item, weighted = np.where(keep, plain, to_item), np.where(keep, plain * (gap[:, 0] + cavity_mean), weighted)
    weight = (chance / own).sum(axis=1)

    total, pull = _beliefs(table, to_item, weighted, item_mean, item_precision)
    score, variance = pull / total, 1.0 / total
    noise = (likely * noises).sum(axis=1)
    found = _State(to_item, weighted, score, variance, bias + bias_mean, bias_variance, noise, weight, likely, hyper)
    after = _priors(task, found)
    if task.free_scale:
        # Mean and variance of e_ir at each level; the step never lowers the expected log-likelihood of k, and is shrunk
        # towards the moment estimate.
        around = 1.0 / rest + (1.0 / cavity)[:, None]
        left = (gap - rest_bias) * own / (around + own)
        squared = left**2 + around * own / (around + own)
        c = table.inverse_confidence[:, None]
        above, below = float((chance * c * squared / own**2).sum()), float((chance * c / own).sum())
        scale = hyper.confidence_scale * np.sqrt(above / below)
        held_back = PSEUDO / (len(table.score) + PSEUDO)
        scale = scale ** (1.0 - held_back) * task.anchor.confidence_scale**held_back
        after = replace(after, confidence_scale=float(scale))
    moved = float(np.abs(score - state.score).max(initial=0.0))
    return replace(found, hyper=after), float((top + np.log(sums)).sum()), moved


def _noises(grid: Floats, hyper: Hyper, pinned: Floats) -> tuple[Floats, Floats]:
    """Returns the noise levels of each referee, (referees, G), and their log prior probabilities, (1, G)."""
    log_prior = -0.5 * ((grid - hyper.noise_mean) / hyper.noise_spread) ** 2
    log_prior -= np.logaddexp.reduce(log_prior)
    levels = np.broadcast_to(np.exp(grid), (len(pinned), len(grid)))
    return np.where(np.isnan(pinned)[:, None], levels, pinned[:, None]), log_prior[None, :]


def _beliefs(
    table: _Table, to_item: Floats, weighted: Floats, item_mean: Floats, item_precision: Floats
) -> tuple[Floats, Floats]:
    total = item_precision + np.bincount(table.item, weights=to_item, minlength=table.items)
    return total, item_precision * item_mean + np.bincount(table.item, weights=weighted, minlength=table.items)


def _priors(task: _Task, found: _State) -> Hyper:
    """Runs one step of expectation maximisation for the priors, in which pinned values don't count."""
    hyper, anchor, pins, grid, present = found.hyper, task.anchor, task.pins, task.grid, task.table.present
    free = np.isnan(pins.score)
    mean = float(found.score[free].mean()) if free.any() else hyper.mean
    squares = float(((found.score[free] - mean) ** 2 + found.score_variance[free]).sum())
    score_variance = (squares + PSEUDO * anchor.score_variance) / (free.sum() + PSEUDO)
    unpinned = np.isnan(pins.bias[present])
    bias_squares = float((found.bias[unpinned] ** 2 + found.bias_variance[unpinned]).sum())
    new_bias = (bias_squares + PSEUDO * anchor.bias_variance) / (unpinned.sum() + PSEUDO)
    chances = found.likely[np.isnan(pins.noise[present])]
    centre = float((chances @ grid).sum())
    noise_mean = (centre + PSEUDO * anchor.noise_mean) / (len(chances) + PSEUDO)
    spread = float((chances @ (grid - noise_mean) ** 2).sum())
    noise_spread = np.sqrt((spread + PSEUDO * anchor.noise_spread**2) / (len(chances) + PSEUDO))
    return replace(
        hyper,
        mean=mean,
        score_variance=float(score_variance),
        bias_variance=float(new_bias) if task.free_bias else hyper.bias_variance,
        noise_mean=float(noise_mean),
        noise_spread=float(max(noise_spread, 0.2)),
    )


def _finish(
    reviews: Reviews, task: _Task, state: _State, trace: tuple[float, ...], *, converged: bool, quick: bool
) -> Calibration:
    """Restores the order of the table; where feasible, adds correlations and the contribution of short loops to the
    variances."""
    table, pins, hyper = task.table, task.pins, state.hyper
    referees = len(reviews.referees)
    back = np.empty(len(reviews), dtype=np.int64)
    back[table.order] = np.arange(len(reviews))
    bias, bias_variance = np.zeros(referees), np.full(referees, hyper.bias_variance)
    noise = np.full(referees, float(np.exp(hyper.noise_mean + 0.5 * hyper.noise_spread**2)))
    bias[table.present], bias_variance[table.present] = state.bias, state.bias_variance
    noise[table.present] = state.noise
    bias = np.where(np.isnan(pins.bias), bias, pins.bias)
    weight = state.weight[back]
    score_variance, joint = state.score_variance, None
    whole: Posterior | None = None
    if not quick and min(len(reviews.items), referees) <= EXACT_LIMIT:
        prior = Prior(
            *held(pins.score, hyper.mean, 1.0 / hyper.score_variance), *held(pins.bias, 0.0, 1.0 / hyper.bias_variance)
        )
        whole = exact(reviews, weight, prior, common_mean=np.isnan(pins.score))
        tree = message_passing(reviews, weight, prior, tolerance=1e-4)
        # Propagation includes the uncertainty of trust, but not that biases within a circle are correlated; add that.
        score_variance = _add_loops(score_variance, whole.score_variance, tree.score_variance)
        bias_variance = _add_loops(bias_variance, whole.bias_variance, tree.bias_variance)
    wider = widening(reviews) ** 2
    score_variance, bias_variance = score_variance * wider, bias_variance * wider
    if whole is not None:
        joint = _rescaled(whole, state.score, score_variance)
    residual = deviations(reviews, state.score, bias)
    expected = noise[reviews.referee] + hyper.confidence_scale / reviews.confidence
    return Calibration(
        method="bayes",
        score=state.score,
        score_sd=np.sqrt(score_variance),
        bias=bias,
        bias_sd=np.sqrt(bias_variance),
        noise=noise,
        weight=weight,
        residual=residual,
        log_likelihood=log_densities(residual, expected),
        trace=trace,
        converged=converged,
        parameters=MappingProxyType(
            {
                "mean": hyper.mean,
                "score_variance": hyper.score_variance,
                "prior_precision": 1.0 / hyper.bias_variance,
                "noise_log_mean": hyper.noise_mean,
                "noise_log_spread": hyper.noise_spread,
                "confidence_scale": hyper.confidence_scale,
            }
        ),
        joint=joint,
        messages=(state.to_item[back], state.weighted[back]),
    )


def widening(reviews: Reviews) -> float:
    """Returns the factor, above 1, that widens standard deviations for what the model ignores."""
    items = int((reviews.reviews_per_item > 0).sum())
    return float(1.0 + UNEVEN + FEW_ITEMS / np.sqrt(items) + FEW_REPEATS / np.sqrt(max(len(reviews) - items, 1)))


def _add_loops(propagated: Floats, whole: Floats, tree: Floats) -> Floats:
    return np.asarray(propagated + np.maximum(whole - tree, 0.0))


def _rescaled(whole: Posterior, score: Floats, variance: Floats) -> JointPosterior | None:
    joint = whole.joint
    if joint is None:
        return None
    return replace(joint, mean=score, spread=np.sqrt(variance / np.maximum(whole.score_variance, 1e-300)))


def _warm_hyper(start: Calibration | None) -> Hyper | None:
    if start is None or start.messages is None:
        return None
    p = start.parameters
    return Hyper(
        p["mean"],
        p["score_variance"],
        1.0 / p["prior_precision"],
        p["noise_log_mean"],
        p["noise_log_spread"],
        p["confidence_scale"],
    )
