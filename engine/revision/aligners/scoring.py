"""Aligners that score every pair of comment and edit: by words, by meaning, with a generated edit.

``ScoringAligner`` contains what they share (ranking, links from a threshold on, reasons); each strategy is a function
that returns the scores.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from engine.jobs import Report
from engine.models import Embedder
from engine.revision.aligners.base import Matrix, Rankings, best_pairs, rank
from engine.revision.aligners.evidence import Vectors
from engine.revision.aligners.lexical import bm25, explain, post_revision, shared_words, weights
from engine.revision.records import Candidate, Query

Scores = Callable[[Sequence[Query], Sequence[Candidate], Report], "Matrix"]
BM25_FROM = {False: 6.2, True: 15.1}
"""Thresholds on sums of BM25 for linking, without and with responses (tests.benchmarks.alignment_quality)."""
COSINE_FROM = {False: 0.487, True: 0.482}
"""Thresholds on cosines for linking, without and with responses (tests.benchmarks.alignment_quality)."""


@dataclass(frozen=True, slots=True)
class ScoringAligner:
    """Links the pairs whose score (comments, edits) reaches the threshold. ``scored`` is a template for the score in
    the reasons, which also name what comment (or response) and edit have in common."""

    origin: str
    parameters: Mapping[str, str]
    threshold: float
    scores: Scores
    use_responses: bool = False
    scored: str = ""

    def score(self, queries: Sequence[Query], candidates: Sequence[Candidate], *, report: Report) -> Rankings:
        scores = self.scores(queries, candidates, report.part(0.0, 0.95))
        telling = weights([candidate.diff_text for candidate in candidates])
        reasons = {
            (row, column): (
                *((self.scored.format(scores[row, column]),) if self.scored else ()),
                *explain(queries[row], candidates[column], telling, use_response=self.use_responses),
            )
            for row, column in best_pairs(scores, self.threshold)
        }
        report.progress(1.0)
        return rank(queries, candidates, scores, self.threshold, reasons)


def bm25_aligner(use_responses: bool) -> ScoringAligner:
    """Uses the comment (and the response, if used) as a query over the paragraphs after the revision."""

    def scores(queries: Sequence[Query], candidates: Sequence[Candidate], report: Report) -> Matrix:
        report.progress(0.0, "Matching words")
        documents = [post_revision(candidate) for candidate in candidates]
        found = bm25([query.comment for query in queries], documents)
        return found + bm25([query.response for query in queries], documents) if use_responses else found

    threshold = BM25_FROM[use_responses]
    known = {"threshold": str(threshold), "use_responses": str(use_responses)}
    return ScoringAligner("model:bm25@1", known, threshold, scores, use_responses)


def encoder_aligner(embedder: Embedder, use_responses: bool) -> ScoringAligner:
    """Uses the cosine of the comment (averaged with the response's, if used) and the added text.

    If nothing was added, the paragraph after the revision is used.
    """

    def scores(queries: Sequence[Query], candidates: Sequence[Candidate], report: Report) -> Matrix:
        documents = [candidate.added or post_revision(candidate) for candidate in candidates]
        comments = [query.comment for query in queries]
        responses = [query.response if use_responses else "" for query in queries]
        vectors = Vectors(embedder, [*comments, *responses, *documents], report)
        replied = np.array([bool(response.strip()) for response in responses], dtype=float)
        found: Matrix = (vectors(comments) + vectors(responses)) @ vectors(documents).T / (1.0 + replied)[:, None]
        return found

    threshold = COSINE_FROM[use_responses]
    known = {"threshold": str(threshold), "use_responses": str(use_responses), "encoder": embedder.fingerprint}
    origin = f"model:encoder@1+{embedder.fingerprint}"
    return ScoringAligner(origin, known, threshold, scores, use_responses, "similar in meaning ({:.2f})")


class GeneratedBm25Aligner:
    """BM25 with an edit that a model generated for the comment as the query (ARIES, section 5.1: "BM25-generated").

    For a comment without a generated edit, its own text is the query.
    """

    def __init__(self, generated: Mapping[str, str]) -> None:
        """``generated``: the text of the generated edit by comment."""
        self._generated = generated
        self.origin = "model:bm25-generated@1"
        self.parameters = {"threshold": str(BM25_FROM[False]), "generated": str(len(generated))}

    def score(self, queries: Sequence[Query], candidates: Sequence[Candidate], *, report: Report) -> Rankings:
        report.progress(0.0, "Matching words")
        asked = [self._generated.get(query.comment_id) or query.comment for query in queries]
        documents = [post_revision(candidate) for candidate in candidates]
        scores = bm25(asked, documents)
        telling = weights(documents)
        reasons = {
            (row, column): (f"generated edit shares: {', '.join(words)}",)
            for row, column in best_pairs(scores, BM25_FROM[False])
            if (words := shared_words(asked[row], documents[column], telling))
        }
        report.progress(1.0)
        return rank(queries, candidates, scores, BM25_FROM[False], reasons)
