"""Selects the edits that an aligner considers: without very short ones, and only likely ones for slow models."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from engine.jobs import Report
from engine.revision.aligners.base import Aligner, Rankings
from engine.revision.aligners.evidence import neighbours, sides
from engine.revision.aligners.lexical import bm25
from engine.revision.records import Candidate, Query, Scored

SHORT = 100
"""Edits of paragraphs with fewer characters are left out for models in ARIES (appendix E), but not for people."""
KEPT_SHARE = 0.85
"""Share of a paper's edits that the filter keeps for each comment. On the revision corpus that keeps more than 90 % of
the true pairs (``rejoinder reproduce alignment`` prints how many); for two of its three papers half would be enough."""
KEPT_AT_LEAST = 10


def characters(candidate: Candidate) -> int:
    """Returns the characters of the paragraph, before and after the revision together (as the authors' code counts
    them)."""
    return len(candidate.added) + len(candidate.deleted) + 2 * len(candidate.context)


class WithoutShortEdits:
    """An aligner that ignores edits with fewer than ``least`` ``characters``; they come last and are never linked."""

    def __init__(self, aligner: Aligner, least: int = SHORT) -> None:
        self._aligner = aligner
        self._least = least

    @property
    def origin(self) -> str:
        return self._aligner.origin

    @property
    def parameters(self) -> Mapping[str, str]:
        return {**self._aligner.parameters, "least_characters": str(self._least)}

    @property
    def remarks(self) -> tuple[str, ...]:
        """Problems in the last run, if the aligner reports any."""
        found: tuple[str, ...] = getattr(self._aligner, "remarks", ())
        return found

    def score(self, queries: Sequence[Query], candidates: Sequence[Candidate], *, report: Report) -> Rankings:
        long = [candidate for candidate in candidates if characters(candidate) >= self._least]
        short = [candidate for candidate in candidates if characters(candidate) < self._least]
        ranked = self._aligner.score(queries, long, report=report)
        return {key: with_the_rest(ranking, short, "left out: a short edit") for key, ranking in ranked.items()}


def with_the_rest(ranking: Sequence[Scored], rest: Sequence[Candidate], why: str) -> tuple[Scored, ...]:
    """Appends edits that weren't considered to the ranking, all slightly below its last score, never linked."""
    last = min((scored.score for scored in ranking), default=0.0)
    floor = last - 1e-6 * max(1.0, abs(last))
    return (*ranking, *(Scored(candidate.edit_id, floor, linked=False, reasons=(why,)) for candidate in rest))


def likely(queries: Sequence[Query], candidates: Sequence[Candidate], *, use_responses: bool) -> NDArray[np.bool_]:
    """Returns the pairs (comments, edits) that a slow model should consider, by BM25 with high recall (ARIES, appendix
    E.1). The section's title is part of the searched text, and each edit's score is increased by the weighted mean of
    those of nearby edits in its section, since a new section answers as a whole. For each comment the ``KEPT_SHARE`` of
    edits with the highest scores is kept, at least ``KEPT_AT_LEAST``."""
    if not candidates:
        return np.zeros((len(queries), 0), dtype=bool)
    texts = sides(candidates)
    documents = [f"{title} {title} {text}" for title, text in zip(texts.section, texts.after, strict=True)]
    scores = bm25([f"{query.comment} {query.context}" for query in queries], documents)
    if use_responses:
        scores = scores + bm25([query.response for query in queries], documents)
    scores = scores + scores @ neighbours(texts).T
    kept = min(len(candidates), max(KEPT_AT_LEAST, round(KEPT_SHARE * len(candidates))))
    first = np.argsort(-scores, axis=1, kind="stable")[:, :kept]
    mask = np.zeros(scores.shape, dtype=bool)
    np.put_along_axis(mask, first, values=True, axis=1)
    return mask


def by_comment(
    queries: Sequence[Query], candidates: Sequence[Candidate], mask: NDArray[np.bool_]
) -> Mapping[str, tuple[list[Candidate], list[Candidate]]]:
    """Returns by comment the candidates that are kept, and the others."""
    return {
        query.comment_id: (
            [candidate for candidate, keep in zip(candidates, row, strict=True) if keep],
            [candidate for candidate, keep in zip(candidates, row, strict=True) if not keep],
        )
        for query, row in zip(queries, mask, strict=True)
    }
