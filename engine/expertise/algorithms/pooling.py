"""Combines similarities of individual papers into one score per reviewer."""

import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.errors import not_computed

Floats = NDArray[np.floating]

POOLINGS = ("max", "mean", "top-3", "acl", "log-sum-exp")
SHARPNESS = 10.0
"""Sharpness of log-sum-exp: 0 would be the mean, infinity the maximum."""


@dataclass(frozen=True, slots=True)
class Pooling:
    """How a profile's papers are combined: "max", "mean", "top-<k>" (mean of the k best), "acl" (s1 + s2/2 + s3/3 of
    the best three, Neubig et al. 2020), or "log-sum-exp" (a soft maximum, log(mean(exp(10 s))) / 10)."""

    how: str

    def __post_init__(self) -> None:
        if self.how not in POOLINGS and not re.fullmatch(r"top-[1-9]\d*", self.how):
            raise not_computed(f"There's no pooling method “{self.how}”.", f"Choose one of {', '.join(POOLINGS)}.")

    def __str__(self) -> str:
        return self.how

    def pool(self, similarities: Floats) -> Floats:
        """Returns scores (submissions) from similarities (profile papers, submissions); NaN without papers."""
        pooled = Pooled(self, 1, similarities.shape[1])
        for row in similarities:
            pooled.add(row[None, :])
        scores: Floats = pooled.result()[0]
        return scores

    def one(self, similarities: Floats) -> float:
        """Returns the score of one submission from similarities (profile papers)."""
        return float(self.pool(similarities[:, None])[0])

    def shares(self, similarities: Floats) -> Floats:
        """Returns each paper's contribution to ``one``: not negative, sums to 1."""
        if self.how == "mean":
            parts = np.maximum(similarities, 0)
        elif self.how == "log-sum-exp":
            parts = np.exp(SHARPNESS * (similarities - similarities.max(initial=0)))
        else:
            weights = self.weights[: len(similarities)]
            order = np.argsort(-similarities, kind="stable")[: len(weights)]
            parts = np.zeros_like(similarities)
            parts[order] = weights * np.maximum(similarities[order], 0)
        total = parts.sum()
        shared: Floats = parts / total if total > 0 else np.full(len(parts), 1 / max(len(parts), 1))
        return shared

    @property
    def weights(self) -> Floats:
        """The weights of the best, second best, ... paper, for poolings that use only the best."""
        if self.how == "acl":
            return np.array([1, 1 / 2, 1 / 3], dtype=np.float32)
        best = 1 if self.how == "max" else int(self.how.removeprefix("top-"))
        return np.full(best, 1 / best, dtype=np.float32)


class Pooled:
    """Pools profiles paper by paper, so that only one similarity per reviewer and submission, or the k best, are in
    memory."""

    def __init__(self, pooling: Pooling, people: int, submissions: int) -> None:
        self._how = pooling.how
        self._counts = np.zeros(people)
        self._weights = pooling.weights if pooling.how not in ("mean", "log-sum-exp") else None
        depth = 1 if self._weights is None else len(self._weights)
        empty = 0.0 if self._weights is None else -np.inf
        self._best = np.full((depth, people, submissions), empty, dtype=np.float32)

    def add(self, similarities: Floats) -> None:
        """Adds one more paper of each of the first reviewers, (reviewers, submissions)."""
        people = len(similarities)
        self._counts[:people] += 1
        if self._weights is None:
            self._best[0, :people] += np.exp(SHARPNESS * similarities) if self._how == "log-sum-exp" else similarities
            return
        falling = np.asarray(similarities, dtype=np.float32)
        *upper, last = self._best[:, :people]
        for level in upper:
            pushed = np.minimum(level, falling)
            np.maximum(level, falling, out=level)
            falling = pushed
        np.maximum(last, falling, out=last)

    def result(self) -> Floats:
        """Returns (reviewers, submissions), NaN for a reviewer without papers."""
        empty = self._counts == 0
        counts = np.where(empty, 1, self._counts)[:, None]
        if self._weights is None:
            mean = self._best[0] / counts
            with np.errstate(divide="ignore"):
                scores = np.log(mean) / SHARPNESS if self._how == "log-sum-exp" else mean
        else:
            # A profile of n papers has filled the first n levels.
            scores = np.zeros(self._best.shape[1:], dtype=np.float32)
            for at, (level, weight) in enumerate(zip(self._best, self._weights, strict=True)):
                filled = self._counts > at
                scores[filled] += weight * level[filled]
            if self._how != "acl":  # others are means of the available papers; "acl" is a sum
                known = np.minimum(self._counts, len(self._weights))
                scores /= np.where(empty, 1, known * self._weights[0])[:, None]
        scores[empty] = np.nan
        pooled: Floats = scores
        return pooled
