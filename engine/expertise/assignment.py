"""Assigns reviewers to papers, with the highest total score or fairly.

``total`` maximises the sum of the scores of all assigned pairs (Charlin & Zemel 2013). ``fair`` is the first step of
PeerReview4All (Stelmakh, Shah & Singh, *JMLR* 22(163), 2021, Algorithm 1): for each number k, it finds the highest
score that k reviewers of every paper can reach, and fills up by total score. Of these assignments and that of
``total``, it keeps the one whose worst paper is best.

Both are network flows, so the optimum of the linear programme is integral. The programme starts with the best pairs;
pairs that would improve it according to its dual prices are added until there are none, which gives the optimum over
all pairs.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.optimize import linprog
from scipy.sparse.csgraph import maximum_flow

from engine.errors import BadInput, EnvironmentProblem

Method = Literal["total", "fair"]
METHODS: tuple[Method, ...] = ("total", "fair")
_FIRST = 20
"""Pairs per paper and per reviewer with which the programme starts."""
_ADDED = 20_000
"""The most pairs added at once."""

Booleans = npt.NDArray[np.bool_]
Integers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Assignment:
    """``chosen``: papers × reviewers. ``short``: how many reviewers each paper lacks."""

    chosen: Booleans
    short: Integers


def assign(scores: Floats, needed: Integers, loads: Integers, method: Method = "total") -> Assignment:
    """Assigns reviewers to papers.

    scores: papers × reviewers, any scale, higher is better; NaN for pairs that must not be assigned.
    needed: how many reviewers each paper should have. loads: the most papers per reviewer.

    If not every paper can have as many as it needs, the assignment is the best of those with the most pairs. Raises
    BadInput for infinite scores.
    """
    if np.isinf(scores).any():
        raise BadInput("A score is infinite.", "Nothing was assigned.", "Scores must be numbers.")
    allowed = ~np.isnan(scores)
    most = _flow(allowed, needed, loads)
    pairs = int(most.sum())
    if not pairs:
        return Assignment(most, needed.astype(np.int64))
    low, high = float(scores[allowed].min()), float(scores[allowed].max())
    scaled = np.where(allowed, (scores - low) / ((high - low) or 1.0), np.nan)
    best = _fullest(scaled, needed, loads, most)
    if method == "fair":
        best = _fairest(scaled, best, loads)
    return Assignment(best, needed - best.sum(1))


def _fairest(scores: Floats, total: Booleans, loads: Integers) -> Booleans:
    """Returns the fairest assignment that gives every paper as many reviewers as ``total`` does."""
    needed = total.sum(1)
    best, key = total, _worth(scores, total)
    values = np.unique(scores[~np.isnan(scores)])
    for least in range(1, int(needed.max()) + 1):
        low, high, found = 0, len(values), None
        while low < high:  # the highest limit for which an assignment exists
            middle = (low + high) // 2
            flow = _flow(~np.isnan(scores), needed, loads, strong=scores >= values[middle], least=least)
            if flow.sum() == needed.sum():
                low, found = middle + 1, flow
            else:
                high = middle
        if found is None:
            continue
        filled = _fullest(scores, needed, loads, found, strong=scores >= values[low - 1], least=least)
        if (worth := _worth(scores, filled)) > key:
            best, key = filled, worth
    return best


def _worth(scores: Floats, chosen: Booleans) -> tuple[float, float]:
    """Returns the lowest mean score of a paper's reviewers (ignoring papers without any), and the
    sum over all papers."""
    sums, reviewers = np.where(chosen, scores, 0.0).sum(1), chosen.sum(1)
    return round(float((sums[reviewers > 0] / reviewers[reviewers > 0]).min()), 9), float(sums.sum())


def _flow(
    allowed: Booleans, needed: Integers, loads: Integers, *, strong: Booleans | None = None, least: int = 0
) -> Booleans:
    """Assigns as many pairs as possible. With ``least``, in an assignment that gives all papers what they need, that
    many pairs of each paper (or all, if it needs fewer) are among the ``strong`` ones."""
    papers, reviewers = np.nonzero(allowed)
    count, width, pairs = len(needed), len(loads), len(papers)
    if not pairs:
        return np.zeros_like(allowed)
    # Nodes: source, papers for strong pairs, papers for any, pairs, reviewers, sink.
    source, any_paper, pair, reviewer = 0, 1 + count, 1 + 2 * count, 1 + 2 * count + pairs
    sink = reviewer + width
    bound = np.minimum(needed, least)
    good = np.zeros(0, int) if strong is None else np.nonzero(strong[papers, reviewers])[0]
    edges = [
        (np.full(count, source), 1 + np.arange(count), bound),
        (np.full(count, source), any_paper + np.arange(count), needed - bound),
        (1 + papers[good], pair + good, np.ones(len(good), int)),
        (any_paper + papers, pair + np.arange(pairs), np.ones(pairs, int)),
        (pair + np.arange(pairs), reviewer + reviewers, np.ones(pairs, int)),
        (reviewer + np.arange(width), np.full(width, sink), loads),
    ]
    start, end, capacity = (np.concatenate(parts).astype(np.int32) for parts in zip(*edges, strict=True))
    graph = sparse.csr_array((capacity, (start, end)), shape=(sink + 1, sink + 1))
    flow = maximum_flow(sparse.csr_matrix(graph), source, sink).flow
    chosen = np.zeros_like(allowed)
    used = np.asarray(flow[pair:reviewer].maximum(0).sum(1)).ravel() > 0
    chosen[papers[used], reviewers[used]] = True
    return chosen


def _fullest(
    scores: Floats,
    needed: Integers,
    loads: Integers,
    start: Booleans,
    *,
    strong: Booleans | None = None,
    least: int = 0,
) -> Booleans:
    """Returns the assignment with the highest total score and as many pairs as ``start``, which is a feasible one."""
    count, width = scores.shape
    filled = np.where(np.isnan(scores), -np.inf, scores)
    columns = start.copy()
    for axis in (0, 1):
        first = min(_FIRST, scores.shape[axis])
        np.put_along_axis(columns, np.argpartition(-filled, first - 1, axis).take(range(first), axis), True, axis)
    columns &= ~np.isnan(scores)
    while True:
        papers, reviewers = np.nonzero(columns)
        place = np.arange(len(papers))
        good = place[:0] if strong is None else place[strong[papers, reviewers]]
        rows = np.concatenate([papers, count + reviewers, count + width + papers[good]])
        signs = np.repeat([1.0, -1.0], [2 * len(place), len(good)])
        limits = sparse.csr_array(
            (signs, (rows, np.concatenate([place, place, good]))), shape=(2 * count + width, len(place))
        )
        bounds = np.concatenate([needed, loads, -np.minimum(needed, least)])
        found = linprog(
            -scores[papers, reviewers], A_ub=limits, b_ub=bounds, A_eq=np.ones((1, len(place))), b_eq=[start.sum()],
            bounds=(0, 1), method="highs-ds",
        )  # fmt: skip
        if found.status != 0:
            raise EnvironmentProblem(
                f"The solver gave up: {found.message}", "Nothing was assigned.", "Try it with fewer papers."
            )
        price = found.ineqlin.marginals
        gain = filled + price[:count, None] + price[None, count : count + width] + found.eqlin.marginals[0]
        if strong is not None:
            gain -= np.where(strong, price[count + width :, None], 0.0)
        better = ~columns & (gain > 1e-7)  # smaller gains are within the solver's tolerance
        if not better.any():
            chosen = np.zeros_like(columns)
            used = found.x > 0.5
            chosen[papers[used], reviewers[used]] = True
            return chosen
        limit = np.partition(gain[better], -min(_ADDED, int(better.sum())))[-min(_ADDED, int(better.sum()))]
        columns |= better & (gain >= limit)
