"""Which parts of a ranking are comparable at all, and whether a table has enough data to adjust."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from engine.calibration.records import Floats, Ints, Reviews
from engine.shown import counted, percent

FEW_REPEATS = 5
"""With fewer repeated reviews (of items that already have one), variances come from the priors more than the table."""
FEW_ITEMS = 50
"""With fewer items, every method's 90 % intervals were found to cover less than 87 % or more than 93 % on some kinds of
table."""
FLAT, AT_AN_END, SPREAD_OUT = 0.08, 0.15, -0.9
"""The same holds from these shares of reviews by referees who don't discriminate and of scores at one end of the scale,
and below this excess kurtosis of the items' scores; see docs/methods-calibration.md."""

FEW_SCORES = 3
"""With fewer different scores two referees often agree on all items."""
MANY_REFEREES = 200
NAMED = 3
"""At most this many pairs of referees with the same scores are named, and referees who alone connect items."""


@dataclass(frozen=True, slots=True, eq=False)
class Comparability:
    """``circle`` (I,) numbers the connected parts of the referee-item graph, 0 is the largest, -1 for items without a
    review; ``referee_circle`` (R,) likewise. ``circles`` is their number."""

    circle: Ints
    referee_circle: Ints
    circles: int
    single_review_referees: int
    single_review_items: int
    repeats: int
    """Number of reviews in the largest circle of items that already have one, which separate quality from strictness
    and noise. 0 for a circle with one item, which can't be compared with any."""
    all_repeats: int
    """The same over all circles, for methods that compare across them."""
    differ: bool
    """Whether any two scores differ."""
    tells: bool
    """Whether any referee of the largest circle gave two different scores. Otherwise nothing orders its items."""
    same: tuple[tuple[int, int, int], ...]
    """Pairs of referees whose scores are equal on all shared items, with the number of these items, most items
    first."""
    bridges: tuple[tuple[int, int], ...]
    """Referees of the largest circle without whom it falls apart, and the number of items that this separates, most
    items first."""
    largest: int
    """The number of circles with as many items as the largest."""

    def repeats_for(self, uses_bias: bool) -> int:
        """Returns the number of repeated reviews available to a method that does or doesn't adjust for referees."""
        return (self.repeats * self.tells if uses_bias else self.all_repeats) if self.differ else 0


def comparability(reviews: Reviews) -> Comparability:
    """Finds the connected parts of the bipartite graph, sorted by number of items."""
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    items, referees = len(reviews.items), len(reviews.referees)
    graph = coo_matrix((np.ones(len(reviews)), (reviews.item, items + reviews.referee)), (items + referees,) * 2)
    _, label = connected_components(graph, directed=False)
    seen = np.concatenate((reviews.reviews_per_item > 0, reviews.reviews_per_referee > 0))
    sizes = np.bincount(label[:items], weights=seen[:items].astype(np.float64), minlength=int(label.max(initial=0)) + 1)
    present = np.unique(label[seen])
    order = present[np.argsort(-sizes[present], kind="stable")]
    number = np.full(len(sizes), -1)
    number[order] = np.arange(len(order))
    found = np.where(seen, number[label], -1)
    inside = found[:items][found[:items] >= 0]
    size = np.bincount(inside, minlength=1)
    repeated = np.bincount(found[items:][reviews.referee], minlength=1) - size
    lowest = np.full(referees, np.inf)
    np.minimum.at(lowest, reviews.referee, reviews.score)
    return Comparability(
        found[:items],
        found[items:],
        len(order),
        int((reviews.reviews_per_referee == 1).sum()),
        int((reviews.reviews_per_item == 1).sum()),
        int(repeated[0]) if size[0] > 1 else 0,
        int(repeated.sum()) if len(inside) > 1 else 0,
        len(np.unique(reviews.score)) > 1,
        bool(((reviews.score > lowest[reviews.referee]) & (found[reviews.item] == 0)).any()),
        _same(reviews),
        _bridges(graph.tocsr(), items, np.flatnonzero(found == 0)) if size[0] > 1 else (),
        int((size == size[0]).sum()),
    )


def doubt(reviews: Reviews, score: Floats) -> str:
    """Why 90 % intervals of the items with a ``score`` (I,) may not hold, whatever the method; "" if nothing shows."""
    known, names = score[~np.isnan(score)], reviews.referees
    if len(known) < FEW_ITEMS:
        return f"With fewer than {FEW_ITEMS} items, variances are estimated from little data"
    values, counts = np.unique(reviews.score, return_counts=True)
    shares, own = counts / len(reviews), reviews.reviews_per_referee
    lowest, highest = np.full(len(names), np.inf), np.full(len(names), -np.inf)
    np.minimum.at(lowest, reviews.referee, reviews.score)
    np.maximum.at(highest, reviews.referee, reviews.score)
    by_chance = np.array([(shares**many).sum() for many in range(own.max(initial=0) + 1)])[own]
    flat = np.flatnonzero((lowest == highest) & (own > 1) & (by_chance < 0.01))
    if own[flat].sum() >= FLAT * len(reviews):
        some = ", ".join(names[one] for one in flat[:3]) + ", …" * (len(flat) > 3)
        return f"Some referees gave all their items the same score ({some}); without them, intervals are better"
    end = -int(shares[-1] > shares[0])
    if shares[end] >= AT_AN_END:
        given = f"{percent(shares[end])} of the scores are {values[end]:g}, the {'highest' if end else 'lowest'} given"
        return f"{given}, which hides differences if the scale ends there"
    if (((known - known.mean()) / max(known.std(), 1e-12)) ** 4).mean() - 3 < SPREAD_OUT:
        return "The items form two groups or are spread evenly, but the model assumes that most are near the middle"
    return ""


def _same(reviews: Reviews) -> tuple[tuple[int, int, int], ...]:
    """Of ``FEW_REPEATS`` shared items or more, with ``FEW_SCORES`` different scores: copies rather than chance."""
    from scipy.sparse import coo_array, find, triu

    _, said = np.unique(np.column_stack([reviews.item, reviews.score]), axis=0, return_inverse=True)
    given = coo_array((np.ones(len(reviews)), (reviews.referee, said.reshape(-1)))).tocsr()
    found = []
    for one, other, alike in zip(*find(triu(given @ given.T, 1)), strict=True):
        if alike >= FEW_REPEATS:
            both = (reviews.referee == one) & np.isin(reviews.item, reviews.item[reviews.referee == other])
            if both.sum() == alike and len(np.unique(reviews.score[both])) >= FEW_SCORES:
                found.append((int(one), int(other), int(alike)))
    return tuple(sorted(found, key=lambda pair: -pair[2]))


def _bridges(graph: Any, items: int, circle: Ints) -> tuple[tuple[int, int], ...]:
    """By referee of the circle without whom it falls into parts of two items and a referee or more: the items that are
    not in the largest. Of many referees none is looked for."""
    from scipy.sparse.csgraph import connected_components

    found = []
    for one in circle[circle >= items] if len(circle[circle >= items]) <= MANY_REFEREES else ():
        rest = circle[circle != one]
        _, label = connected_components(graph[rest][:, rest], directed=False)
        size, people = (np.bincount(label[side], minlength=len(rest)) for side in (rest < items, rest >= items))
        if len(parts := np.sort(size[(size > 1) & (people > 0)])) > 1:
            found.append((int(one - items), int(parts[:-1].sum())))
    return tuple(sorted(found, key=lambda bridge: -bridge[1]))


def remarks(reviews: Reviews, found: Comparability, *, free: bool, uses_bias: bool, has_prior: bool) -> tuple[str, ...]:
    """Returns sentences about the limits of the results. ``free``: the biases have no prior (lambda 0);
    ``has_prior``: the method gives intervals even if few reviews are repeated."""
    said = []
    unseen = int((reviews.reviews_per_item == 0).sum())
    if unseen:
        said.append(f"{counted(unseen, 'item has', 'items have')} no remaining review and no rank.")
    repeats = found.repeats_for(uses_bias)
    if not repeats:
        why, advice = "No item has two reviews that could be compared", " Add second reviews to some items."
        if not found.differ:
            why, advice = "All scores are the same", ""
        elif found.repeats and not found.tells:
            why, advice = "Every referee gave all their items the same score", ""
        elif int((found.circle == 0).sum()) == 1:
            why, advice = "No two items share a referee", " Add referees who review several items."
        nothing = "score, bias, rank or interval" if uses_bias else "interval"
        said.append(
            f"{why}, so quality, strictness and noise can't be separated, and no {nothing} can be estimated.{advice}"
        )
        if not uses_bias:
            said.append("The order assumes that all referees use the scale in the same way.")
        return tuple(said)
    if repeats < FEW_REPEATS:
        said.append(
            f"Only {counted(repeats, 'review repeats', 'reviews repeat')} an already reviewed item: "
            + ("the intervals depend on the prior." if has_prior else "intervals can't be estimated.")
        )
    if found.circles > 1:
        inside = int((found.circle == 0).sum())
        outside = int((found.circle > 0).sum())
        start = (
            f"The reviews form {found.circles} groups that share no referee and no item: "
            f"{counted(inside, 'item')} in the largest, {outside} in the others."
        )
        if not uses_bias:
            said.append(f"{start} Their order assumes that all referees use the scale in the same way.")
        else:
            which = (
                "the largest" if found.largest == 1 else f"one of the {found.largest} largest, the first in the table,"
            )
            said.append(f"{start} Nothing connects the groups, so only {which} is ranked.")
    names = reviews.referees
    for one, other, many in found.same[:NAMED]:
        said.append(
            f"{names[one]} and {names[other]} gave the same scores to all {many} items that both reviewed. If they are "
            "the same person, exclude one of them: they count as two independent referees."
        )
    if (more := len(found.same) - NAMED) > 0:
        said.append(
            f"{counted(more, 'other pair')} of referees also gave the same scores to all items that both reviewed."
        )
    for one, many in found.bridges[:NAMED]:
        said.append(
            f"Only {names[one]} connects {counted(many, 'item')} with the others, so how these compare depends on one "
            "referee."
        )
    if (more := len(found.bridges) - NAMED) > 0:
        said.append(f"{counted(more, 'other referee is', 'other referees are')} also all that connects some items.")
    if free:
        said.append(
            "With lambda 0, the overall level of the scores is undetermined. It was set so that the biases in each "
            "group average 0."
        )
    if uses_bias and found.single_review_referees:
        said.append(
            f"{counted(found.single_review_referees, 'referee wrote', 'referees each wrote')} only one review. It "
            "hardly separates their bias from the item's quality, so bias and trust come mostly from the prior."
        )
    if found.single_review_items:
        said.append(
            f"{counted(found.single_review_items, 'item has', 'items have')} only one review, which can't be "
            "compared with another."
        )
    return tuple(said)
