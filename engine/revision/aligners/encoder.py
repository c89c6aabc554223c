"""Matching by meaning: a sentence encoder over comments and edits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from engine.jobs import Report
from engine.models import Embedder
from engine.revision.aligners.base import Rankings, best_pairs, rank
from engine.revision.aligners.lexical import explain, post_revision, weights
from engine.revision.records import Candidate, Query

if TYPE_CHECKING:
    from engine.revision.aligners.base import Matrix


def cosines(
    embedder: Embedder, queries: Sequence[Sequence[str]], documents: Sequence[Sequence[str]], report: Report
) -> list[list[Matrix]]:
    """Cosine of every query with every document; result[i][j] belongs to queries[i] and documents[j].

    An empty text is like nothing: its row or column is 0. All texts go through the encoder in one pass.
    """
    import numpy as np

    texts = [text for group in (*queries, *documents) for text in group]
    vectors = embedder.encode([text for text in texts if text.strip()], report)
    full = np.zeros((len(texts), vectors.shape[1]))
    full[[at for at, text in enumerate(texts) if text.strip()]] = vectors
    sides = np.split(full, np.cumsum([len(group) for group in (*queries, *documents)])[:-1])
    return [[query @ document.T for document in sides[len(queries) :]] for query in sides[: len(queries)]]


class EncoderAligner:
    """Cosine of the comment (averaged with the response's, where one is used) and what was added.

    Where nothing was added, the paragraph after the revision stands for the edit.
    """

    def __init__(self, embedder: Embedder, *, use_responses: bool = False) -> None:
        self._embedder = embedder
        self._use_responses = use_responses
        self._threshold = THRESHOLDS[use_responses]
        self.origin = f"model:encoder@1+{embedder.fingerprint}"
        self.parameters = {"threshold": str(self._threshold), "use_responses": str(use_responses)}
        self.parameters["encoder"] = embedder.fingerprint

    def score(self, queries: Sequence[Query], candidates: Sequence[Candidate], *, report: Report) -> Rankings:
        documents = [candidate.added or post_revision(candidate) for candidate in candidates]
        comments = [query.comment for query in queries]
        responses = [query.response if self._use_responses else "" for query in queries]
        (by_comment,), (by_response,) = cosines(
            self._embedder, [comments, responses], [documents], report.part(0.0, 0.95)
        )
        scores = by_comment
        for row, response in enumerate(responses):
            if response.strip():
                scores[row] = (by_comment[row] + by_response[row]) / 2
        telling = weights(documents)
        reasons = {
            (row, column): (
                f"similar in meaning ({scores[row, column]:.2f})",
                *explain(queries[row], candidates[column], telling, use_response=self._use_responses),
            )
            for row, column in best_pairs(scores, self._threshold)
        }
        report.progress(1.0)
        return rank(queries, candidates, scores, self._threshold, reasons)


THRESHOLDS = {False: 0.487, True: 0.482}
"""Cosines from which a pair counts as linked, without and with responses (tests.benchmarks.alignment_quality)."""
