"""Bradley-Terry strengths with ties and a side effect, their intervals, and the intervals of the ranks.

Davidson (1970) for ties, Davidson and Beaver (1977) for the order of presentation: with strengths t on the log scale, a
side effect d and a tie parameter e, the three answers to a pair (left, right) have the logits

    left: t_l + d / 2        right: t_r - d / 2        tie: e + (t_l + t_r) / 2

so the model is a multinomial logit with a concave log-likelihood. Strengths have a weak normal prior: without it an
item that won everything would have no finite estimate (Ford, 1957). Intervals use the normal approximation at the mode;
intervals of ranks are drawn from it. Assumes one strength per item, and answers independent given these.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.rebuttal.preferences.records import Comparison, Floats, RankDoubt

Ints = NDArray[np.int64]
PRIOR_SD = 2.0
"""Standard deviation of strengths on the log scale: two items typically differ by e^2 in odds, hardly ever by e^5."""
_OTHER_SD = 2.0
Z95 = 1.959964
DRAWS = 2000
_STEPS, _TOLERANCE = 60, 1e-9


@dataclass(frozen=True, slots=True)
class Fit:
    """Strengths (n,) that sum to 0, their covariance (n, n), and the other parameters with standard deviations.

    ``tie`` is NaN if no tie was given, since the model then has none. ``side`` above 0 favours the left.
    """

    strength: Floats
    covariance: Floats
    tie: float
    side: float
    side_sd: float

    @property
    def sd(self) -> Floats:
        return np.asarray(np.sqrt(np.diag(self.covariance)), dtype=np.float64)

    def interval(self) -> tuple[Floats, Floats]:
        """Returns the 95 % interval of the strengths: lower and upper bounds (n,)."""
        return self.strength - Z95 * self.sd, self.strength + Z95 * self.sd


def probabilities(strength: Floats, left: Ints, right: Ints, tie: float, side: float = 0.0) -> Floats:
    """Returns the probabilities (..., m, 3) of left, right and tie; ``strength`` (..., n). A ``tie`` of -inf excludes
    ties."""
    # Logits without their common part: half the difference for the left, its negative for the right, the tie parameter.
    half = (strength[..., left] - strength[..., right] + side) / 2
    top = np.maximum(np.abs(half), tie)
    first, second, even = np.exp(half - top), np.exp(-half - top), np.exp(tie - top)
    total = first + second + even
    return np.asarray(np.stack([first / total, second / total, even / total], axis=-1), dtype=np.float64)


def fit(n: int, comparisons: Sequence[Comparison], *, with_side: bool = True) -> Fit:
    """Finds the posterior mode by Newton's method; the model has ties if there are any."""
    left = np.array([c.left for c in comparisons], dtype=np.int64)
    right = np.array([c.right for c in comparisons], dtype=np.int64)
    answer = np.array([2 if c.winner is None else c.winner for c in comparisons], dtype=np.int64)
    return fit_coded(n, left, right, answer, with_side=with_side)


def fit_coded(
    n: int, left: Ints, right: Ints, answer: Ints, prior_sd: float = PRIOR_SD, *, with_side: bool = True
) -> Fit:
    """As ``fit``, on arrays (m,) of left items, right items and answers (0 left, 1 right, 2 tie)."""
    has_ties = bool((answer == 2).any())
    # Parameters: n strengths, then tie, then side. Each row of an answer's design has at most four nonzero entries.
    precision = np.concatenate([np.full(n, prior_sd**-2), [_OTHER_SD**-2, _OTHER_SD**-2]])
    free = np.concatenate([np.ones(n, bool), [has_ties, with_side]])
    x = np.zeros(n + 2)
    value = _value(x, n, left, right, answer, precision, has_ties)
    hessian = np.diag(precision)
    for _ in range(_STEPS):
        gradient, hessian = _derivatives(x, n, left, right, answer, precision, has_ties)
        step = np.zeros(n + 2)
        step[free] = np.linalg.solve(hessian[np.ix_(free, free)], gradient[free])
        size = 1.0
        while size > 1e-6:  # concave, so a small enough step always increases it
            tried = x + size * step
            new = _value(tried, n, left, right, answer, precision, has_ties)
            if new >= value - 1e-12:
                break
            size /= 2
        moved = np.abs(size * step).max() if n else 0.0
        x, value = tried, new
        if moved < _TOLERANCE:
            break
    covariance = np.zeros((n + 2, n + 2))
    covariance[np.ix_(free, free)] = np.linalg.inv(hessian[np.ix_(free, free)])
    centre = np.eye(n) - 1 / max(n, 1)
    return Fit(
        np.asarray(x[:n] - (x[:n].mean() if n else 0.0), dtype=np.float64),
        np.asarray(centre @ covariance[:n, :n] @ centre, dtype=np.float64),
        float(x[n]) if has_ties else float("nan"),
        float(x[n + 1]),
        float(np.sqrt(covariance[n + 1, n + 1])),
    )


def rank_doubt(found: Fit, generator: np.random.Generator, *, draws: int = DRAWS) -> RankDoubt:
    """Returns intervals of ranks, from strengths drawn from the normal approximation."""
    n = len(found.strength)
    if not n:
        return RankDoubt(np.zeros(0), np.zeros(0), np.zeros(0))
    return RankDoubt.of(-draw_strengths(found, generator, draws))


def draw_strengths(found: Fit, generator: np.random.Generator, draws: int) -> Floats:
    """Draws strengths (draws, n) from the normal approximation."""
    values, vectors = np.linalg.eigh(found.covariance)
    root = vectors * np.sqrt(np.clip(values, 0.0, None))
    noise = generator.standard_normal((draws, len(values)))
    return np.asarray(found.strength + noise @ root.T, dtype=np.float64)


def _value(  # noqa: PLR0917 - the state of one Newton step
    x: Floats, n: int, left: Ints, right: Ints, answer: Ints, precision: Floats, ties: bool
) -> float:
    p = probabilities(x[:n], left, right, x[n] if ties else -np.inf, x[n + 1])
    said = np.log(p[np.arange(len(answer)), answer]).sum()
    return float(said - 0.5 * (precision @ x**2))


def _derivatives(  # noqa: PLR0917 - the state of one Newton step
    x: Floats, n: int, left: Ints, right: Ints, answer: Ints, precision: Floats, ties: bool
) -> tuple[Floats, Floats]:
    """Returns the gradient of the log posterior and its negative Hessian."""
    p = probabilities(x[:n], left, right, x[n] if ties else -np.inf, x[n + 1])
    m = len(left)
    # Only differences of logits matter, so the right answer's logit is subtracted in each row: left - right, tie -
    # right.
    designs = np.zeros((2, m, 4))  # columns: t_left, t_right, tie, side
    designs[0] = (1.0, -1.0, 0.0, 1.0)
    designs[1] = (0.5, -0.5, 1.0, 0.5)
    chosen = np.zeros((2, m))
    chosen[0, answer == 0] = 1.0
    chosen[1, answer == 2] = 1.0
    chances = np.stack([p[:, 0], p[:, 2]])
    local = np.einsum("km,kmc->mc", chosen - chances, designs)
    index = np.stack([left, right, np.full(m, n), np.full(m, n + 1)], axis=1)
    gradient = -precision * x
    np.add.at(gradient, index.ravel(), local.ravel())
    mean = np.einsum("km,kmc->mc", chances, designs)
    second = np.einsum("km,kmc,kmd->mcd", chances, designs, designs) - mean[:, :, None] * mean[:, None, :]
    hessian = np.diag(precision)
    np.add.at(hessian, (index[:, :, None], index[:, None, :]), second)
    return gradient, hessian
