"""Criticism without a reason: span F1 by review on SubstanReview, beside simple ways to mark it.

Five folds by review, cost and threshold chosen inside; ``engine/research/labels/substantiation.py`` has the measure.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from engine.research.labels.substantiation import Annotated, cross_validated, read_substanreview, span_figures
from engine.reviews.cues import sentence_role
from engine.reviews.labels.substantiation import dense

_REASONS = slice(-9, None)
"""The columns of ``dense`` with a sentence's own cues of a reason."""
Rule = Callable[[str, bool], bool]
SIMPLE: dict[str, Rule] = {
    "every_sentence": lambda text, reasoned: True,
    "all_criticism": lambda text, reasoned: sentence_role(text) == "criticism",
    "criticism_without_cue_words": lambda text, reasoned: sentence_role(text) == "criticism" and not reasoned,
}


def figures(data_folder: Path | None) -> dict[str, dict[str, Any]]:
    """Returns the span F1 of the marks and of the baselines; {} without the data."""
    if data_folder is None:
        return {}
    reviews = read_substanreview(data_folder / "substanreview" / "train.jsonl")
    made: dict[str, dict[str, Any]] = {}
    marked = {"marks": cross_validated(reviews)} | {name: _simple(reviews, rule) for name, rule in SIMPLE.items()}
    marked["all_true_claims"] = np.array([flag for review in reviews for flag in review.holds(review.claims)])
    for name, flags in marked.items():
        found = span_figures(reviews, flags)
        for key, value in (("f1", found.f1), ("precision", found.precision), ("recall", found.recall),
                           ("f1_by_review", found.by_review)):  # fmt: skip
            made[f"{name}_{key}"] = {"value": value, "unit": "", "better": "higher", "target": None}
    draws = np.random.default_rng(1)
    differences = []
    sizes = np.cumsum([0, *(len(review.sentences) for review in reviews)])
    for _ in range(200):
        some = draws.integers(0, len(reviews), len(reviews))
        drawn = [reviews[n] for n in some]
        ours, best = (
            span_figures(drawn, np.concatenate([marked[name][sizes[n] : sizes[n + 1]] for n in some])).f1
            for name in ("marks", "all_criticism")
        )
        differences.append(ours - best)
    low, high = np.percentile(differences, [2.5, 97.5])
    made["marks_minus_all_criticism_low"] = {"value": float(low), "unit": "", "better": "higher", "target": 0.0}
    made["marks_minus_all_criticism_high"] = {"value": float(high), "unit": "", "better": "higher", "target": None}
    return made


def _simple(reviews: tuple[Annotated, ...], rule: Rule) -> np.ndarray[Any, np.dtype[np.bool_]]:
    texts = [text for review in reviews for text in review.texts]
    reasoned = dense(texts)[:, _REASONS].any(axis=1)
    return np.array([rule(text, bool(reason)) for text, reason in zip(texts, reasoned, strict=True)])
