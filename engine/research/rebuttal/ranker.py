"""The ranker learnt from links: boosted trees over features of a pair and its neighbours, in two passes.

The first pass starts from the untrained ranker: the shares around a pair, over its paragraphs, and the posterior of the
chain are features like any other. Its scores are used to learn where points begin; the second pass uses these scores in
the same way, plus the combined evidence of a point's sentences. Whatever is learnt from scores uses scores of papers
that the first pass hadn't seen (cross-fitting by paper), since they would otherwise be trusted too much (Wolpert,
1992).
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.jobs import QuietReport, Report
from engine.rebuttal.answers.evidence import (
    Evidence,
    Floats,
    best_over_paragraphs,
    chances,
    over_paragraphs,
    posterior,
    rank_answers,
    shifted,
)
from engine.research.rebuttal.points import Exchange, Points

FOLDS = 3
_TREES = {
    "learning_rate": 0.08, "max_leaf_nodes": 20, "min_samples_leaf": 60, "l2_regularization": 5.0,
    "max_features": 0.3, "early_stopping": False,
}  # fmt: skip


class TrainedRanker:
    """Trees fitted to linked pairs. They live only as long as the object: the library can only pickle them, and
    unpickling can execute code, so nothing is stored."""

    def __init__(self, *, seed: int = 0, trees: int = 120) -> None:
        """``trees``: the number in each pass."""
        self._seed = seed
        self._trees = trees
        self._learnt: tuple[Any, Points, Any] | None = None

    def fit(self, pairs: Sequence[Exchange], report: Report = QuietReport()) -> "TrainedRanker":
        """Learns from the pairs. Raises ValueError if they are from fewer than ``FOLDS`` papers, and Cancelled."""
        from sklearn.model_selection import GroupKFold

        pairs = [pair for pair in pairs if pair.gold.any()]
        papers = [pair.paper for pair in pairs]
        if len(set(papers)) < FOLDS:
            raise ValueError(f"links of at least {FOLDS} papers are needed")
        folds = list(GroupKFold(FOLDS, shuffle=True, random_state=self._seed).split(papers, groups=papers))
        steps = FOLDS + 2

        def said(number: int) -> None:
            report.check()
            report.progress(number / steps, f"Learning from links, step {number + 1} of {steps}")

        said(0)
        tables = [_table(pair.evidence, chances(rank_answers(pair.evidence))) for pair in pairs]
        first = self._fitted(pairs, tables)
        unseen: dict[int, Floats] = {}
        for number, (learn, leave) in enumerate(folds, start=1):
            said(number)
            model = self._fitted([pairs[at] for at in learn], [tables[at] for at in learn])
            unseen |= {at: _scores(model, tables[at]) for at in leave}
        said(FOLDS + 1)
        scores = [unseen[at] for at in range(len(pairs))]
        for learn, leave in folds:
            points = Points.fit([pairs[at] for at in learn], [scores[at] for at in learn], seed=self._seed)
            for at in leave:
                tables[at] = _later(points, pairs[at].evidence, scores[at])
        self._learnt = first, Points.fit(pairs, scores, seed=self._seed), self._fitted(pairs, tables)
        report.progress(1.0)
        return self

    def rank(self, evidence: Evidence) -> Floats:
        """Returns probabilities (rebuttal, review), 0..1, from the second pass."""
        if self._learnt is None:
            raise ValueError("the ranker hasn't been trained yet")
        if not evidence.cosine.size:
            return np.zeros(evidence.shape)
        first, points, second = self._learnt
        scores = _scores(first, _table(evidence, chances(rank_answers(evidence))))
        return _scores(second, _later(points, evidence, scores))

    def _fitted(self, pairs: Sequence[Exchange], tables: Sequence[NDArray[np.float32]]) -> Any:
        from sklearn.ensemble import HistGradientBoostingClassifier

        rows, labels = [], []
        for pair, table in zip(pairs, tables, strict=True):
            known = pair.gold.any(1)
            rows.append(table[known].reshape(-1, table.shape[-1]))
            labels.append(pair.gold[known].ravel())
        model = HistGradientBoostingClassifier(max_iter=self._trees, random_state=self._seed, **_TREES)
        return model.fit(np.concatenate(rows), np.concatenate(labels))


def _scores(model: Any, table: NDArray[np.float32]) -> Floats:
    flat = table.reshape(-1, table.shape[-1])
    if not len(flat):
        return np.zeros(table.shape[:2])
    return np.asarray(model.predict_proba(flat)[:, 1].reshape(table.shape[:2]), dtype=np.float64)


def _later(points: Points, evidence: Evidence, scores: Floats) -> NDArray[np.float32]:
    """Returns the features of the second pass: (rebuttal, review, kinds)."""
    begins = points.begins(evidence, scores)
    return np.concatenate([_table(evidence, scores), points.table(evidence, scores, begins)], axis=-1)


def _table(evidence: Evidence, share: Floats) -> NDArray[np.float32]:
    """Returns the evidence with features of the surrounding pairs: (rebuttal, review, kinds)."""
    m = share.shape[1]
    own, other = evidence.rebuttal.paragraph, evidence.review.paragraph
    likeliest = share.argmax(1) if m else np.zeros(len(share), dtype=np.int64)
    whole = np.ones_like(share)
    columns = np.arange(m)[None, :]
    untrained = rank_answers(evidence)
    around = [
        shifted(share, down, across)
        for down in range(-3, 4)
        for across in range(-2, 3)
        if (down, across) != (0, 0) and (abs(down) <= 1 or across == 0)
    ]
    further = [
        share,
        untrained - untrained.max(1, keepdims=True, initial=-1e9),
        *around,
        over_paragraphs(share, own),
        over_paragraphs(share.T, other).T,
        best_over_paragraphs(share, own),
        best_over_paragraphs(share.T, other).T,
        share.max(1, keepdims=True, initial=0.0) * whole,
        share.max(0, keepdims=True, initial=0.0) * whole,
        share.sum(0, keepdims=True) * whole,
        share / np.maximum(share.max(1, keepdims=True, initial=0.0), 1e-6),
        np.argsort(np.argsort(-share, axis=1, kind="stable"), axis=1, kind="stable"),
        (columns - likeliest[:, None]) * whole,
        (columns - np.concatenate([[-1], likeliest[:-1]])[:, None]) * whole,
        (columns - np.concatenate([likeliest[1:], [m]])[:, None]) * whole,
        (columns - np.maximum.accumulate(likeliest)[:, None]) * whole,
        (other[likeliest][:, None] == other[None, :]) * whole,
        posterior(2 * np.log(np.clip(share, 1e-4, 1.0))),
    ]
    return np.concatenate([evidence.values, np.stack(further, axis=-1).astype(np.float32)], axis=-1)
