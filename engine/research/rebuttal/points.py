"""Detects where a rebuttal begins a new point, learnt from links, and combines the evidence of a point's sentences.

A point (a quotation or heading, the answer, its table row by row) answers the same review sentences throughout. Layout
and wording show where a point begins much better than which review sentence a sentence answers. Therefore the evidence
for a pair is combined over the sentences that are likely to be in the same point: soft segments, since the boundaries
are uncertain.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.rebuttal.answers.evidence import Evidence, Floats, Passage, read_along

REACH = 12
"""Steps between the review sentences of neighbouring points are distinguished up to this distance."""
_ANYWHERE = 0.1
_TREES = {
    "max_iter": 60, "learning_rate": 0.08, "max_leaf_nodes": 8, "min_samples_leaf": 30, "l2_regularization": 5.0,
    "early_stopping": False,
}  # fmt: skip
_LEAST = 0.005
_SHARPNESS, _COSINE, _QUOTED = (0.3, 0.8), 6.0, 8.0
"""The weights of a probability, a cosine and a quotation in the chain, in log odds: a point's sentences aren't
independent."""
_TABLE_LIKE = ("breaks_before", "words", "digits", "letters")
"""Features that identify rows of tables, which are uninformative by themselves."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """A review and a rebuttal with their annotations.

    ``paper``: exchanges of one paper stay in the same fold. ``gold`` (rebuttal, review): what answers what; rows
    without a link aren't used for learning. ``vectors`` (rebuttal, d). ``answered`` (rebuttal, k): from
    ``acts.what_is_answered``. ``actions``: ids by rebuttal sentence, empty if unknown.
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
    """A model of points. ``model`` predicts beginnings, None if every sentence was one; ``steps`` (2 * REACH + 1,): the
    distribution of the distance to the next point, in review sentences."""

    model: Any
    steps: Floats

    @classmethod
    def fit(cls, pairs: Sequence[Exchange], scores: Sequence[Floats], *, seed: int) -> "Points":
        """Learns from pairs and a ranker's scores for them (rebuttal, review), from a ranker that wasn't trained on
        their links."""
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
        """Returns the probability of each rebuttal sentence (n,) beginning a point."""
        if self.model is None:
            return np.ones(len(scores))
        return np.asarray(self.model.predict_proba(_signs(evidence, scores))[:, 1], dtype=np.float64)

    def table(self, evidence: Evidence, scores: Floats, begins: Floats) -> NDArray[np.float32]:
        """Returns the combined evidence of a point's sentences for each pair: (rebuttal, review, kinds)."""
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
            *(np.stack([(row[:, None] * one).max(0) for row in together]) for one in (*said, scores)),
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
    """Returns the probability of two rebuttal sentences (n, n) being in the same point: no sentence between them begins
    one."""
    passed = np.cumsum(-np.log(np.clip(1 - begins, 1e-3, 1.0)))
    return np.asarray(np.exp(-np.abs(passed[:, None] - passed[None, :])))


def read_in_order(support: Floats, begins: Floats, steps: Floats) -> Floats:
    """Returns the probability of each review sentence being the one answered, (rebuttal, review), rows sum to 1:
    forward-backward over a chain that moves by ``steps`` where a point begins, and otherwise stays."""
    n, m = support.shape
    if not n or not m:
        return np.zeros((n, m))
    begins = np.clip(begins, _LEAST, 1.0)
    places = np.arange(m)
    moves = steps[np.clip(places[None, :] - places[:, None], -REACH, REACH) + REACH]
    moves = (1 - _ANYWHERE) * moves / moves.sum(1, keepdims=True) + _ANYWHERE / m
    return read_along(support, moves, begins)


def _beginnings(gold: NDArray[np.bool_]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Returns the rows for which it is known whether they begin a point (the first, and those after a row with links),
    and whether they do: they share no review sentence with the row before."""
    rows = np.flatnonzero(gold.any(1))
    known = np.array([row for at, row in enumerate(rows) if at == 0 or rows[at - 1] == row - 1], dtype=np.int64)
    begins = [at == rows[0] or not (gold[at] & gold[at - 1]).any() for at in known]
    return known, np.array(begins, dtype=bool)


def _steps(pairs: Sequence[Exchange]) -> Floats:
    """Returns the distribution of distances from a point's review sentences to the next point's, lightly smoothed."""
    found = np.full(2 * REACH + 1, 2.0 / (2 * REACH + 1))
    for pair in pairs:
        last: NDArray[np.int64] | None = None
        for row in np.flatnonzero(pair.gold.any(1)):
            here = np.flatnonzero(pair.gold[row])
            if last is not None and not np.intersect1d(here, last).size:
                apart = np.clip((here[:, None] - last[None, :]).ravel(), -REACH, REACH) + REACH
                np.add.at(found, apart, 1 / len(apart))
            last = here
    # a new point about the same sentence: rare, and not visible as a step in the links
    found[REACH] = 0.5 * found[REACH - 1]
    return np.asarray(found / found.sum())


def _signs(evidence: Evidence, scores: Floats) -> Floats:
    """Returns features that indicate the beginning of a point: layout and wording, and whether the scores of a sentence
    agree with those of the one before."""
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
