"""Numeric fields against those of the human reviews: errors, order, decision (ReviewGrounder's automatic metrics)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np

from engine.review_drafting.benchmark.records import SCORE_FIELDS, NumericRow, ReviewSet
from engine.review_drafting.benchmark.reference import mean_scores
from engine.review_drafting.records import Scores

STEPS: Mapping[str, tuple[float, ...]] = {
    **dict.fromkeys(SCORE_FIELDS, (0, 1, 2, 3, 4, 5)),
    "rating": (0, 2, 4, 6, 8, 10),
}
"""The values that the published strict mode rounds to."""


def strict(value: float, field: str) -> float:
    """The nearest value of the field's steps; a tie goes up, as in the published evaluation."""
    steps = STEPS[field]
    return max(steps, key=lambda step: (-abs(step - value), step))


def compare(source: str, pairs: Sequence[tuple[Scores, Scores]], *, rounded: bool = False) -> NumericRow:
    """A source's scores, paper by paper, against the human ones: (source, human) pairs.

    ``pairwise`` follows the published evaluation: a pair of papers counts as right where "the first is higher" is said
    by both or by neither. ``f1`` is the macro mean over accept and reject.
    """
    n: dict[str, int] = {}
    mse: dict[str, float] = {}
    mae: dict[str, float] = {}
    pairwise: dict[str, float] = {}
    for field in SCORE_FIELDS:
        both = [
            (given, true)
            for one, other in pairs
            if (given := getattr(one, field)) is not None and (true := getattr(other, field)) is not None
        ]
        if not both:
            continue
        if rounded:
            both = [(strict(given, field), strict(true, field)) for given, true in both]
        errors = np.array([given - true for given, true in both], dtype=np.float64)
        n[field], mse[field], mae[field] = len(both), float((errors**2).mean()), float(np.abs(errors).mean())
        orders = [(a[0] > b[0]) == (a[1] > b[1]) for a, b in combinations(both, 2)]
        if orders:
            pairwise[field] = sum(orders) / len(orders)
    decisions = [(one.decision, other.decision) for one, other in pairs if one.decision and other.decision]
    return NumericRow(
        source=source, n=n | ({"decision": len(decisions)} if decisions else {}), mse=mse, mae=mae, pairwise=pairwise,
        accuracy=sum(a == b for a, b in decisions) / len(decisions) if decisions else None,
        f1=_f1(decisions) if decisions else None,
    )  # fmt: skip


def _f1(decisions: Sequence[tuple[str, str]]) -> float:
    values = []
    for label in ("accept", "reject"):
        right = sum(said == true == label for said, true in decisions)
        named = sum(said == label for said, _ in decisions) + sum(true == label for _, true in decisions)
        values.append(2 * right / named if named else 0.0)
    return float(np.mean(values))


def reference_scores(whole: ReviewSet) -> dict[str, Scores]:
    """The scores that sources are measured against, by paper.

    The mean of the human reviews that were kept, else those of the reference; the venue's decision where it is known.
    """
    found = {}
    for paper in whole.papers:
        own = [review for review in whole.reviews if review.paper_id == paper.id]
        human = [r.review.scores for r in own if r.role == "human" and r.kept]
        given = human or [r.review.scores for r in own if r.role == "reference"]
        scores = mean_scores(given)
        if paper.decision in ("accept", "reject"):
            scores = scores.model_copy(update={"decision": paper.decision})
        found[paper.id] = scores
    return found
