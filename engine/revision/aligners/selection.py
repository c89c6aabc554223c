"""Which edits an aligner looks at: without very short ones, and the likely ones only for what is slow."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from engine.jobs import Report
from engine.revision.aligners.base import Aligner, Rankings
from engine.revision.aligners.evidence import neighbours, sides
from engine.revision.aligners.lexical import bm25
from engine.revision.records import Candidate, Query, Scored

SHORT = 100
"""Edits of paragraphs with fewer characters are left out for models in ARIES (appendix E); people see them all."""
KEPT_SHARE = 0.85
"""Share of a paper's edits that the filter keeps for each comment. On the revision corpus that keeps more than 90 % of
the true pairs (``rejoinder reproduce alignment`` prints how many); two of its three papers would do with half."""
KEPT_AT_LEAST = 10


def characters(candidate: Candidate) -> int:
    """Characters of the paragraph, before and after the revision together (as the authors' code counts them)."""
    return len(candidate.added) + len(candidate.deleted) + 2 * len(candidate.context)


class WithoutShortEdits:
    """An aligner that does not see edits with fewer than ``least`` ``characters``; they come last, never linked."""

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
        """What fell short in the last run, of aligners that say so."""
        found: tuple[str, ...] = getattr(self._aligner, "remarks", ())
        return found

    def score(self, queries: Sequence[Query], candidates: Sequence[Candidate], *, report: Report) -> Rankings:
        long = [candidate for candidate in candidates if characters(candidate) >= self._least]
        short = [candidate for candidate in candidates if characters(candidate) < self._least]
        ranked = self._aligner.score(queries, long, report=report)
        return {key: with_the_rest(ranking, short, "left out: a short edit") for key, ranking in ranked.items()}


def with_the_rest(ranking: Sequence[Scored], rest: Sequence[Candidate], why: str) -> tuple[Scored, ...]:
    """The ranking with edits that were not looked at behind it, all a little below its last score, never linked."""
    last = min((scored.score for scored in ranking), default=0.0)
    floor = last - 1e-6 * max(1.0, abs(last))
    return (*ranking, *(Scored(candidate.edit_id, floor, linked=False, reasons=(why,)) for candidate in rest))


def likely(queries: Sequence[Query], candidates: Sequence[Candidate], *, use_responses: bool) -> NDArray[np.bool_]:
    """(comments, edits): the pairs that a slow model should look at, by BM25 with high recall (ARIES, appendix E.1).

    The section's title is searched with the paragraph, and edits of the same section nearby lend each other half their
    score: a new section answers as a whole. For each comment ``KEPT_SHARE`` of the edits is kept, those with the
    highest scores, at least ``KEPT_AT_LEAST``.
    """
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
    """The candidates that a comment keeps, and those that it does not."""
    return {
        query.comment_id: (
            [candidate for candidate, keep in zip(candidates, row, strict=True) if keep],
            [candidate for candidate, keep in zip(candidates, row, strict=True) if not keep],
        )
        for query, row in zip(queries, mask, strict=True)
    }
