"""The interface of aligners: named strategies that rank the edits of a revision for each review comment."""

from collections.abc import Mapping, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from engine.jobs import Report
from engine.revision.records import Candidate, Query, Scored

Matrix = NDArray[np.float64]
"Comments x edits."

Rankings = Mapping[str, tuple[Scored, ...]]


class Aligner(Protocol):
    """Ranks candidate edits for comments. Pure: equal input gives equal output."""

    @property
    def parameters(self) -> Mapping[str, str]: ...

    @property
    def origin(self) -> str:
        """The provenance of its suggestions: "model:<strategy>@<version>"."""
        ...

    def score(self, queries: Sequence[Query], candidates: Sequence[Candidate], *, report: Report) -> Rankings:
        """Returns all candidates for each comment, best first; ``linked`` if the score reaches the threshold.

        Raises Cancelled.
        """
        ...


def rank(
    queries: Sequence[Query],
    candidates: Sequence[Candidate],
    scores: Matrix,
    threshold: float,
    reasons: Mapping[tuple[int, int], tuple[str, ...]],
) -> Rankings:
    """Converts scores to rankings; equal scores keep the order of the candidates."""
    rankings: dict[str, tuple[Scored, ...]] = {}
    for row, query in enumerate(queries):
        order = np.argsort(-scores[row], kind="stable")
        rankings[query.comment_id] = tuple(
            Scored(
                edit_id=candidates[column].edit_id,
                score=float(scores[row, column]),
                linked=bool(scores[row, column] >= threshold),
                reasons=reasons.get((row, int(column)), ()),
            )
            for column in order
        )
    return rankings


def best_pairs(scores: Matrix, threshold: float, top: int = 20) -> list[tuple[int, int]]:
    """Returns the pairs to explain: the ``top`` edits of each comment, and those that reach the threshold."""
    pairs: list[tuple[int, int]] = []
    for row in range(scores.shape[0]):
        order = np.argsort(-scores[row], kind="stable")
        pairs.extend(
            (row, int(column)) for at, column in enumerate(order) if at < top or scores[row, column] >= threshold
        )
    return pairs


# --- Reference points of a comparison of aligners: chance and people --------------------------------------------------

BASE_RATE = 0.04
"""Default share of pairs that are links: the mean over the papers of the revision corpus."""


class RandomAligner:
    """Links each pair with probability ``rate``; ARIES (section 5.1) sets it to the share of links among its test
    pairs. The order is random. Equal seeds give equal links."""

    def __init__(self, *, seed: int = 0, rate: float = BASE_RATE) -> None:
        self._seed = seed
        self._rate = rate
        self.origin = "model:random@1"
        self.parameters = {"seed": str(seed), "rate": str(rate)}

    def score(self, queries: Sequence[Query], candidates: Sequence[Candidate], *, report: Report) -> Rankings:
        report.check()
        scores = np.random.default_rng(self._seed).random((len(queries), len(candidates)))
        return rank(queries, candidates, scores, 1.0 - self._rate, {})


class HumanAligner:
    """A person's links as an aligner: what people achieve is the benchmark for models."""

    def __init__(self, links: Mapping[str, frozenset[str]]) -> None:
        """``links``: the ids of linked edits by comment."""
        self._links = links
        self.origin, self.parameters = "person", dict[str, str]()

    def score(self, queries: Sequence[Query], candidates: Sequence[Candidate], *, report: Report) -> Rankings:
        report.check()
        linked = [[c.edit_id in self._links.get(q.comment_id, frozenset()) for c in candidates] for q in queries]
        scores = np.array(linked, dtype=float).reshape(len(queries), len(candidates))
        return rank(queries, candidates, scores, 0.5, {})
