"""The ranker that learns from links: boosted trees over the evidence of a pair and of its neighbours.

It starts from what the untrained ranker says: the shares around a pair, over its paragraphs, and the posterior of the
chain are evidence like any other. A second pass sees the first one's scores in the same way; the first pass scores what
it has not learnt from (cross-fitting by paper), or the second would trust it too much (Wolpert, 1992).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.jobs import QuietReport, Report
from engine.rebuttal.answers.evidence import Evidence, Floats, best_over_paragraphs, over_paragraphs, shifted
from engine.rebuttal.answers.untrained import chances, posterior, rank_answers

FOLDS = 3
_TREES = {
    "learning_rate": 0.08, "max_leaf_nodes": 20, "min_samples_leaf": 60, "l2_regularization": 5.0,
    "max_features": 0.3, "early_stopping": False,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class LinkedPair:
    """A review and rebuttal whose links are known. ``gold`` (rebuttal, review); rows without a link teach nothing.

    ``paper``: pairs of one paper are kept together in folds.
    """

    paper: str
    evidence: Evidence
    gold: NDArray[np.bool_]


class TrainedRanker:
    """Trees fitted to linked pairs. They live as long as the object: the library can only pickle them, and a pickle is
    a program, so nothing is stored."""

    def __init__(self, *, seed: int = 0, passes: int = 2, trees: int = 120) -> None:
        """``trees`` of each pass."""
        self._seed = seed
        self._passes = passes
        self._trees = trees
        self._models: list[Any] = []

    def fit(self, pairs: Sequence[LinkedPair], report: Report | None = None) -> TrainedRanker:
        """Learns from the pairs. Raises ValueError where they hold fewer than ``FOLDS`` papers, Cancelled."""
        from sklearn.model_selection import GroupKFold

        report = report or QuietReport()
        papers = [pair.paper for pair in pairs]
        if len(set(papers)) < FOLDS:
            raise ValueError(f"links of at least {FOLDS} papers are needed")
        shares = [chances(rank_answers(pair.evidence)) for pair in pairs]
        self._models = []
        for number in range(self._passes):
            tables = [_table(pair.evidence, share) for pair, share in zip(pairs, shares, strict=True)]
            report.progress((number + 0.1) / self._passes, "Learning from links")
            self._models.append(self._fitted(pairs, tables))
            if number + 1 == self._passes:
                break
            unseen: list[Floats] = list(shares)
            folds = GroupKFold(FOLDS, shuffle=True, random_state=self._seed)
            for learn, leave in folds.split(papers, groups=papers):
                report.check()
                model = self._fitted([pairs[at] for at in learn], [tables[at] for at in learn])
                for at in leave:
                    unseen[at] = _scores(model, tables[at])
            shares = unseen
        report.progress(1.0)
        return self

    def rank(self, evidence: Evidence) -> Floats:
        """Chances (rebuttal, review), 0..1; the mean of the passes."""
        if not self._models:
            raise ValueError("the ranker has learnt nothing yet")
        share = chances(rank_answers(evidence))
        found = np.zeros(evidence.shape)
        for model in self._models:
            share = _scores(model, _table(evidence, share))
            found += share / len(self._models)
        return found

    def _fitted(self, pairs: Sequence[LinkedPair], tables: Sequence[NDArray[np.float32]]) -> Any:
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


def _table(evidence: Evidence, share: Floats) -> NDArray[np.float32]:
    """The evidence with what is said of the pairs around each: (rebuttal, review, kinds)."""
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
