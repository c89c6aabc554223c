"""Which parts of a ranking can be compared at all, and where a table is too thin to adjust."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.calibration.records import Ints, Reviews

FEW_REPEATS = 5
"""Below this many repeated reviews (of items that have one already) variances are the priors' more than the table's."""


@dataclass(frozen=True, slots=True, eq=False)
class Comparability:
    """``circle`` (I,) numbers the connected parts of the referee-item graph, 0 the largest, -1 for items without a
    review; ``referee_circle`` (R,) likewise. ``circles`` is how many there are."""

    circle: Ints
    referee_circle: Ints
    circles: int
    single_review_referees: int
    single_review_items: int
    repeats: int
    """How many reviews in the largest circle are of an item that has one already: what separates the quality of items
    from strictness and noise."""

    @property
    def connected(self) -> bool:
        """Whether every two items can be compared through referees."""
        return self.circles <= 1


def comparability(reviews: Reviews) -> Comparability:
    """Connected parts of the bipartite graph, by size in items (then by first item)."""
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
    return Comparability(
        found[:items],
        found[items:],
        len(order),
        int((reviews.reviews_per_referee == 1).sum()),
        int((reviews.reviews_per_item == 1).sum()),
        int((found[:items][reviews.item] == 0).sum() - (found[:items] == 0).sum()),
    )


def counted(number: int, one: str, many: str) -> str:
    """The number with its word."""
    return f"{number:,} {one if number == 1 else many}"


def remarks(reviews: Reviews, found: Comparability, prior_precision: float | None, uses_bias: bool) -> tuple[str, ...]:
    """Sentences for people on what the numbers cannot say. ``prior_precision`` None: the bias prior is estimated."""
    said = []
    unseen = int((reviews.reviews_per_item == 0).sum())
    if unseen:
        said.append(f"{counted(unseen, 'item has', 'items have')} no review left and no rank.")
    if not found.repeats:
        said.append(
            "No item has two reviews that could be compared: quality, strictness and noise can't be separated, and no"
            + (" score, bias, rank or interval can be estimated." if uses_bias else " interval can be estimated.")
            + " Add second reviews to some items."
        )
        if not uses_bias:
            said.append("The order rests on the assumption that all referees use the scale alike.")
        return tuple(said)
    if found.repeats < FEW_REPEATS:
        said.append(
            f"Only {counted(found.repeats, 'review repeats', 'reviews repeat')} an item that has one already: the"
            " intervals rest on the prior."
        )
    if found.circles > 1:
        inside = int((found.circle == 0).sum())
        outside = int((found.circle > 0).sum())
        start = (
            f"The reviews fall into {found.circles} circles that share no referee and no item: {inside} items in the"
            f" largest, {outside} outside it."
        )
        if not uses_bias:
            said.append(f"{start} Their order rests on the assumption that all referees use the scale alike.")
        else:
            said.append(f"{start} Nothing ties the circles together, so only the largest is ranked.")
    if uses_bias and prior_precision == 0:
        said.append(
            "With lambda 0 the level of all scores is free: it was fixed so that the biases of each circle average 0."
        )
    if uses_bias and found.single_review_referees:
        said.append(
            f"{counted(found.single_review_referees, 'referee', 'referees')} wrote one review: bias and trust can"
            " hardly be recognised by the item that was seen, and come mostly from the prior."
        )
    if found.single_review_items:
        said.append(f"{counted(found.single_review_items, 'item has', 'items have')} one review: nothing checks it.")
    return tuple(said)
