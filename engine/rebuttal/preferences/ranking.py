"""Ranking: scores and ranks with intervals, and warnings about the limits of the judgements.

Both methods rank the same judgements. A ranking always includes its intervals, unless there are too few comparisons.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from engine.errors import BadInput
from engine.rebuttal.preferences.bradley_terry import Z95, fit, rank_doubt
from engine.rebuttal.preferences.pagerank import pagerank, pagerank_interval
from engine.rebuttal.preferences.records import Comparison, Floats
from engine.shown import counted, estimated, percent, shortened

Method = Literal["pagerank", "bradley-terry"]
METHODS: dict[Method, str] = {"pagerank": "PageRank, as in the paper", "bradley-terry": "Bradley-Terry with ties"}
SEED = 20240501
FEWEST = 10
"""With fewer comparisons, resampling or the prior of Bradley-Terry would dominate the result, so there are no
intervals."""
_NAMED = 4
_LEVEL = 0.05
_NONE = float("nan")


@dataclass(frozen=True, slots=True)
class Ranked:
    """One item. Rank 1 is the canonical one; ``low`` to ``high`` is the 95 % interval of the score, ``rank_low`` to
    ``rank_high`` that of the rank, ``best`` the probability (0..1) of rank 1. Equal scores share the better rank.
    ``canonicity`` (0..1, higher is more canonical) is the share of the other items that it is ahead of, with equal ones
    counting half; a single item has 1, as in JitsuPeer (footnote 8). Scores of clusters of different sizes aren't
    comparable, since PageRank sums to 1 in each.

    An item not connected to the largest group has no rank (None) and no figures (NaN); with fewer than ``FEWEST``
    comparisons there are no intervals and no probabilities.
    """

    item: int
    score: float
    low: float
    high: float
    rank: int | None
    rank_low: int | None
    rank_high: int | None
    best: float
    wins: int
    losses: int
    ties: int
    canonicity: float


@dataclass(frozen=True, slots=True)
class SideBias:
    """How often the left one was preferred among decided pairs, and the exact two-sided binomial test against one half.

    ``effect`` is the side parameter of Bradley-Terry on the log scale (above 0: left) with its 95 % interval, NaN for
    PageRank, which has none.
    """

    left: int
    decided: int
    p: float
    effect: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Ranking:
    """All items in the order of their ranks, and warnings in sentences. ``groups`` are the sets of items connected by
    comparisons, the largest first; ``pairs`` is the number of different pairs judged."""

    method: Method
    rows: tuple[Ranked, ...]
    side: SideBias
    groups: tuple[tuple[int, ...], ...]
    pairs: int
    comparisons: int
    warnings: tuple[str, ...]


def rank(
    names: Sequence[str],
    comparisons: Sequence[Comparison],
    method: Method = "pagerank",
    *,
    seed: int = SEED,
    sides: bool = True,
) -> Ranking:
    """Ranks the items ``names`` (n,) by their comparisons. ``sides`` False: the side of each item is unknown.

    PageRank scores are lower for more canonical items (as in the paper), Bradley-Terry strengths higher. Raises
    BadInput for an unknown method.
    """
    n = len(names)
    groups = connected(n, comparisons)
    if len(groups) > 1 and method in METHODS:
        return _largest(names, comparisons, groups, method=method, seed=seed, sides=sides)
    generator = np.random.default_rng(seed)
    effect = (float("nan"),) * 3
    if method == "pagerank":
        score = pagerank(n, comparisons)
        low, high, doubt = pagerank_interval(n, comparisons, generator)
        badness = score
    elif method == "bradley-terry":
        found = fit(n, comparisons, with_side=sides)
        doubt = rank_doubt(found, generator)
        score, (low, high) = found.strength, found.interval()
        badness = -score
        if sides and len(comparisons) >= FEWEST:
            effect = (found.side, found.side - Z95 * found.side_sd, found.side + Z95 * found.side_sd)
    else:
        raise BadInput(f"There is no method “{method}”.", "Nothing was ranked.", "Choose " + " or ".join(METHODS) + ".")
    wins, losses, ties = _counts(n, comparisons)
    places = [1 + int((badness < badness[i] - 1e-9).sum()) for i in range(n)]
    canonical = canonicity(badness)
    sure = n == 1 or len(comparisons) >= FEWEST
    rows = tuple(
        Ranked(
            i, float(score[i]), float(low[i]) if sure else _NONE, float(high[i]) if sure else _NONE, places[i],
            min(int(doubt.low[i]), places[i]) if sure else None, max(int(doubt.high[i]), places[i]) if sure else None,
            float(doubt.best[i]) if sure else _NONE, wins[i], losses[i], ties[i], canonical[i],
        )
        for i in sorted(range(n), key=lambda i: (places[i], i))
    )  # fmt: skip
    side = _side(comparisons, effect) if sides else SideBias(0, 0, float("nan"), *effect)
    judged = {(min(c.left, c.right), max(c.left, c.right)) for c in comparisons}
    warnings = (
        *_connection(n, groups, len(judged)),
        *(() if sure else (_few(len(comparisons)),)),
        *(_extremes(names, wins, losses, ties, method) if sure else ()),
        *(_doubt(names, rows) if sure else ()),
        *_sides(side),
    )
    return Ranking(method, rows, side, groups, len(judged), len(comparisons), warnings)


def _few(comparisons: int) -> str:
    many = counted(comparisons, "comparison")
    return f"{many} among the ranked items: intervals and chances can't be estimated with fewer than {FEWEST}."


def _largest(
    names: Sequence[str],
    comparisons: Sequence[Comparison],
    groups: tuple[tuple[int, ...], ...],
    *,
    method: Method,
    seed: int,
    sides: bool,
) -> Ranking:
    """Ranks the largest group; items of other groups have no rank."""
    place = {item: at for at, item in enumerate(groups[0])} if comparisons else {}
    members = tuple(place)
    inside = [Comparison(place[c.left], place[c.right], c.winner) for c in comparisons if c.left in place]
    found = rank([names[item] for item in members], inside, method, seed=seed, sides=sides)
    counts = zip(*_counts(len(names), comparisons), strict=True)
    rows = [replace(row, item=members[row.item]) for row in found.rows]
    rows += [
        Ranked(item, _NONE, _NONE, _NONE, None, None, None, _NONE, *won_lost_even, _NONE)
        for item, won_lost_even in enumerate(counts)
        if item not in place
    ]
    judged = {(min(c.left, c.right), max(c.left, c.right)) for c in comparisons}
    missing = _connection(len(names), groups, len(judged))
    own = [words for words in found.warnings if "pairs were compared" not in words] if comparisons else []
    return replace(
        found, rows=tuple(rows), groups=groups, pairs=len(judged), comparisons=len(comparisons),
        warnings=(*missing, *own),
    )  # fmt: skip


def canonicity(scores: Sequence[float] | Floats) -> list[float]:
    """Returns ``Ranked.canonicity`` of every item of a cluster; in ``scores`` (n,), lower is more canonical."""
    found = np.asarray(scores, dtype=np.float64)
    others = len(found) - 1
    if others <= 0:
        return [1.0] * len(found)
    ahead = [int((found > score + 1e-9).sum()) + 0.5 * (int((abs(found - score) <= 1e-9).sum()) - 1) for score in found]
    return [float(each / others) for each in ahead]


def connected(n: int, comparisons: Sequence[Comparison]) -> tuple[tuple[int, ...], ...]:
    """Returns the sets of items connected by comparisons, including ties, the largest first."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    if not n:
        return ()
    places = ([c.left for c in comparisons], [c.right for c in comparisons])
    number, labels = connected_components(coo_array((np.ones(len(comparisons)), places), shape=(n, n)), directed=False)
    groups = [tuple(map(int, np.flatnonzero(labels == at))) for at in range(number)]
    return tuple(sorted(groups, key=lambda group: (-len(group), group)))


def _counts(n: int, comparisons: Sequence[Comparison]) -> tuple[list[int], list[int], list[int]]:
    sides = [(c.left, {0: 0, 1: 1, None: 2}[c.winner]) for c in comparisons]
    sides += [(c.right, {0: 1, 1: 0, None: 2}[c.winner]) for c in comparisons]
    tally = Counter(sides)
    wins, losses, ties = ([tally[item, kind] for item in range(n)] for kind in range(3))
    return wins, losses, ties


def _side(comparisons: Sequence[Comparison], effect: tuple[float, ...]) -> SideBias:
    from scipy.stats import binomtest

    left = sum(c.winner == 0 for c in comparisons)
    decided = sum(c.winner is not None for c in comparisons)
    p = float(binomtest(left, decided).pvalue) if decided else float("nan")
    return SideBias(left, decided, p, *effect)


def _connection(n: int, groups: Sequence[Sequence[int]], judged: int) -> list[str]:
    every = n * (n - 1) // 2
    found = []
    if n and not judged:
        return ["There's no ranking, because nothing has been judged yet."]
    if len(groups) > 1:
        alone = sum(len(group) == 1 for group in groups)
        words = f", {alone} of them a single item" if alone else ""
        same = sum(len(group) == len(groups[0]) for group in groups)
        which = "the largest group" if same == 1 else f"one of the {same} largest groups"
        found.append(
            f"The items fall into {len(groups)} groups that were never compared with each other{words}. Only {which} "
            "is ranked."
        )
    if 0 < judged < every:
        found.append(f"{judged} of {every} pairs were compared ({percent(judged / every)}).")
    return found


def _extremes(
    names: Sequence[str], wins: Sequence[int], losses: Sequence[int], ties: Sequence[int], method: Method
) -> list[str]:
    found = []
    rests = "depends on the prior" if method == "bradley-terry" else "is too narrow"
    for words, some, others in (("won", wins, losses), ("lost", losses, wins)):
        group = [name for name, a, b, t in zip(names, some, others, ties, strict=True) if a and not b and not t]
        if group:
            found.append(
                f"{_listed(group)} {words} every comparison, so the distance to the others is unknown and the "
                f"interval {rests}."
            )
    return found


def _doubt(names: Sequence[str], rows: Sequence[Ranked]) -> list[str]:
    if len(rows) < 2:
        return []
    likely = sorted(rows, key=lambda row: -row.best)
    first, second = likely[0], likely[1]
    if first.best >= 0.95:
        return []
    return [
        f"First place is uncertain: “{shortened(names[first.item], 60)}” has a {estimated(first.best)} chance, "
        f"“{shortened(names[second.item], 60)}” {estimated(second.best)}."
    ]


def _sides(side: SideBias) -> list[str]:
    if side.decided and side.p < _LEVEL:
        favoured = "left" if 2 * side.left > side.decided else "right"
        return [
            f"The {favoured} side was preferred more often than chance: left in {side.left} of {side.decided} decided"
            f" pairs (p = {side.p:.2g})."
        ]
    return []


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(f"“{shortened(name, 60)}”" for name in names[:_NAMED])
    return f"{shown} and {len(names) - _NAMED} more" if len(names) > _NAMED else shown
