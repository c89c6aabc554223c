"""Where a rebuttal begins a new point, learnt from links, and what the sentences of one point say together.

A point (a quotation or heading, the answer, its table row by row) answers the same review sentences throughout. Whether
a sentence begins one shows in lay-out and wording much better than which review sentence it answers, so what speaks for
a pair is gathered over the sentences that are likely of the same point: soft segments, since nothing is sure.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.rebuttal.answers.evidence import Evidence, Floats, Passage, read_along

REACH = 12
"""Steps between the review sentences of neighbouring points are told apart up to so many sentences."""
_ANYWHERE = 0.1
_TREES = {
    "max_iter": 60, "learning_rate": 0.08, "max_leaf_nodes": 8, "min_samples_leaf": 30, "l2_regularization": 5.0,
    "early_stopping": False,
}  # fmt: skip
_LEAST = 0.005
_SHARPNESS, _COSINE, _QUOTED = (0.3, 0.8), 6.0, 8.0
"""What a chance, a cosine and a quotation weigh in the chain, in log odds: sentences of a point repeat each other."""
_TABLE_LIKE = ("breaks_before", "words", "digits", "letters")
"""Rows of tables say little by themselves."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """A review and a rebuttal with what is known of them.

    ``paper``: exchanges of one paper are kept together in folds. ``gold`` (rebuttal, review): what answers what; rows
    without a link teach nothing. ``vectors`` (rebuttal, d). ``answered`` (rebuttal, k): by ``acts.what_is_answered``.
    ``actions``: ids by rebuttal sentence, empty where they are not known.
    """

    paper: str
    rebuttal: tuple[Passage, ...]
    evidence: Evidence
    gold: NDArray[np.bool_]
    vectors: NDArray[np.float32]
    answered: NDArray[np.float32]
    actions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Points:
    """What is learnt of points. ``model`` tells beginnings, None where every sentence was one; ``steps``
    (2 * REACH + 1,): how often the next point is so many review sentences ahead, summing to 1.
    """

    model: Any
    steps: Floats

    @classmethod
    def fit(cls, pairs: Sequence[Exchange], scores: Sequence[Floats], *, seed: int) -> "Points":
        """Learns from pairs and what a ranker says of them (rebuttal, review), which must not know their links."""
        from sklearn.ensemble import HistGradientBoostingClassifier

        rows, labels = [], []
        for pair, score in zip(pairs, scores, strict=True):
            at, begins = _beginnings(pair.gold)
            rows.append(_signs(pair.evidence, score)[at])
            labels.append(begins)
        known = np.concatenate(labels)
        if known.all():
            return cls(None, _steps(pairs))
        model = HistGradientBoostingClassifier(random_state=seed, **_TREES)
        return cls(model.fit(np.concatenate(rows), known), _steps(pairs))

    def begins(self, evidence: Evidence, scores: Floats) -> Floats:
        """The chance of each rebuttal sentence (n,) to begin a point."""
        if self.model is None:
            return np.ones(len(scores))
        return np.asarray(self.model.predict_proba(_signs(evidence, scores))[:, 1], dtype=np.float64)

    def table(self, evidence: Evidence, scores: Floats, begins: Floats) -> NDArray[np.float32]:
        """What the sentences of a point say together of each pair: (rebuttal, review, kinds)."""
        together = same_point(begins)
        share = together / np.maximum(together.sum(1, keepdims=True), 1e-9)
        first = np.tril(together * begins[None, :])
        first /= np.maximum(first.sum(1, keepdims=True), 1e-9)
        sure = np.clip(scores, 1e-3, 1 - 1e-3)
        odds = np.log(sure / (1 - sure))
        said = (evidence.cosine, evidence.words, evidence.quoted)
        log = np.log(np.clip(scores, 1e-4, 1.0))
        whole = np.ones_like(scores)
        found = [
            *(share @ one for one in (*said, scores, odds)),
            *(first @ one for one in (*said, scores)),
            *(_highest(together, one) for one in (*said, scores)),
            *(read_in_order(weight * log, begins, self.steps) for weight in _SHARPNESS),
            read_in_order(_COSINE * said[0] + said[1] + _QUOTED * said[2], begins, self.steps),
            np.argsort(np.argsort(-(share @ odds), axis=1, kind="stable"), axis=1, kind="stable"),
            *(
                row[:, None] * whole
                for row in (
                    begins,
                    np.append(begins[1:], 1.0),
                    together.sum(1),
                    first @ np.arange(len(begins)),
                    *map(evidence.sign, _TABLE_LIKE),
                )
            ),
        ]
        return np.stack(found, axis=-1).astype(np.float32)


def same_point(begins: Floats) -> Floats:
    """The chance of two rebuttal sentences (n, n) to be of one point: none between them begins another."""
    passed = np.cumsum(-np.log(np.clip(1 - begins, 1e-3, 1.0)))
    return np.asarray(np.exp(-np.abs(passed[:, None] - passed[None, :])))


def read_in_order(support: Floats, begins: Floats, steps: Floats) -> Floats:
    """The chance of each review sentence to be the one that is being answered (rebuttal, review), rows sum to 1:
    forward-backward over a chain that moves by ``steps`` where a point begins, and else stays.
    """
    n, m = support.shape
    if not n or not m:
        return np.zeros((n, m))
    begins = np.clip(begins, _LEAST, 1.0)
    places = np.arange(m)
    moves = steps[np.clip(places[None, :] - places[:, None], -REACH, REACH) + REACH]
    moves = (1 - _ANYWHERE) * moves / moves.sum(1, keepdims=True) + _ANYWHERE / m
    return read_along(support, moves, begins)


def _beginnings(gold: NDArray[np.bool_]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """The rows of which it is known whether they begin a point (the first, and those after a row with links), and
    whether: they share no review sentence with the row before."""
    rows = np.flatnonzero(gold.any(1))
    known = np.array([row for at, row in enumerate(rows) if at == 0 or rows[at - 1] == row - 1], dtype=np.int64)
    begins = [at == rows[0] or not (gold[at] & gold[at - 1]).any() for at in known]
    return known, np.array(begins, dtype=bool)


def _steps(pairs: Sequence[Exchange]) -> Floats:
    """How far it is from the review sentences of a point to those of the next; lightly smoothed."""
    found = np.full(2 * REACH + 1, 2.0 / (2 * REACH + 1))
    for pair in pairs:
        last: NDArray[np.int64] | None = None
        for row in np.flatnonzero(pair.gold.any(1)):
            here = np.flatnonzero(pair.gold[row])
            if last is not None and not np.intersect1d(here, last).size:
                apart = np.clip((here[:, None] - last[None, :]).ravel(), -REACH, REACH) + REACH
                np.add.at(found, apart, 1 / len(apart))
            last = here
    found[REACH] = 0.5 * found[REACH - 1]  # a new point about the same sentence: rare, and no step in the links
    return np.asarray(found / found.sum())


def _signs(evidence: Evidence, scores: Floats) -> Floats:
    """What tells that a sentence begins a point: how it is set and worded, and whether the scores say the same of it
    and of the one before."""
    share = scores / np.maximum(scores.sum(1, keepdims=True), 1e-9)
    before = np.vstack([share[:1], share[:-1]])
    length = np.linalg.norm(share, axis=1) * np.linalg.norm(before, axis=1)
    best, was = share.argmax(1), before.argmax(1)
    most = scores.max(1)
    agreeing = np.column_stack(
        [
            (share * before).sum(1) / np.maximum(length, 1e-9),
            best == was,
            best - was,
            np.minimum(share, before).sum(1),
            most,
            np.append(0.0, most[:-1]),
        ]
    )
    agreeing[0] = (0.0, 0.0, 0.0, 0.0, most[0], 0.0)
    return np.hstack([evidence.opening, agreeing])


def _highest(together: Floats, table: Floats) -> Floats:
    return np.asarray(np.stack([(row[:, None] * table).max(0) for row in together]))
