"""What a table of aligners needs at its ends: chance, and people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from engine.jobs import Report
from engine.revision.aligners.base import Rankings, rank
from engine.revision.records import Candidate, Query

BASE_RATE = 0.04
"""Share of pairs that are links where nothing was measured: the mean over the papers of the revision corpus."""


class RandomAligner:
    """Links each pair with the probability ``rate``; ARIES (section 5.1) sets it to the share of links among its test
    pairs; the order is chance. Equal seeds give equal links.
    """

    def __init__(self, *, seed: int = 0, rate: float = BASE_RATE) -> None:
        self._seed = seed
        self._rate = rate
        self.origin = "model:random@1"
        self.parameters = {"seed": str(seed), "rate": str(rate)}

    def score(self, queries: Sequence[Query], candidates: Sequence[Candidate], *, report: Report) -> Rankings:
        import numpy as np

        report.check()
        scores = np.random.default_rng(self._seed).random((len(queries), len(candidates)))
        return rank(queries, candidates, scores, 1.0 - self._rate, {})


class HumanAligner:
    """The links that a person made, as an aligner: what people reach is the mark for models."""

    def __init__(self, links: Mapping[str, frozenset[str]]) -> None:
        """``links``: by comment the ids of its edits."""
        self._links = links
        self.origin, self.parameters = "person", dict[str, str]()

    def score(self, queries: Sequence[Query], candidates: Sequence[Candidate], *, report: Report) -> Rankings:
        import numpy as np

        report.check()
        linked = [[c.edit_id in self._links.get(q.comment_id, frozenset()) for c in candidates] for q in queries]
        scores = np.array(linked, dtype=float).reshape(len(queries), len(candidates))
        return rank(queries, candidates, scores, 0.5, {})
