"""The default aligner: words, meaning, named places and quotations, weighed by what they were worth on real revisions.

Evidence is gathered in ``evidence``, weighed and turned into decisions in ``head``; the weights that ship were fitted
on the open revision corpus (card in ``resources/aligners/fused.json``, measured in tests.benchmarks.alignment_quality).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from engine.jobs import Report
from engine.models import Embedder
from engine.revision.aligners.base import AlignerInfo, Rankings, best_pairs, rank
from engine.revision.aligners.evidence import Gatherer, neighbours
from engine.revision.aligners.head import PLACES, Heads, decide, shipped, smoothed, to_unit, with_places
from engine.revision.aligners.lexical import explain, weights
from engine.revision.records import Candidate, Query

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from engine.revision.aligners.base import Matrix

VERSION = "3"


class FusedAligner:
    """A logistic model over the evidence; comments with a reply are judged by a head of their own."""

    def __init__(self, embedder: Embedder, *, use_responses: bool = False, heads: Heads | None = None) -> None:
        self._embedder = embedder
        self._use_responses = use_responses
        self._heads = heads or shipped()
        self.info = AlignerInfo(
            "fused",
            "Words and meaning together",
            "This project; after the error analysis of D'Arcy et al. 2024 (ARIES), sections 5.3 and 5.4",
            VERSION,
            needs_encoder=True,
            parameters=(("use_responses", str(use_responses)), ("encoder", embedder.fingerprint)),
        )

    @property
    def origin(self) -> str:
        return f"model:fused@{self.info.version}+{self._embedder.fingerprint}"

    def score(self, queries: Sequence[Query], candidates: Sequence[Candidate], *, report: Report) -> Rankings:
        if not queries or not candidates:
            return {query.comment_id: () for query in queries}
        gatherer = Gatherer(queries, candidates, self._embedder, report.part(0.0, 0.9))
        logits, meaning, named = self._judge(gatherer)
        report.check()
        scores = to_unit(logits)
        telling = weights([candidate.diff_text for candidate in candidates])
        reasons: dict[tuple[int, int], tuple[str, ...]] = {}
        for row, column in best_pairs(scores, 0.5):
            report.check()
            phrases = explain(queries[row], candidates[column], telling, use_response=self._use_responses)
            if named[row, column]:
                phrases = (f"reply names section “{gatherer.texts.title[column]}”", *phrases)
            if meaning[row, column] >= 0.4 or not phrases:
                phrases = (*phrases, f"similar in meaning ({meaning[row, column]:.2f})")
            reasons[row, column] = phrases
        report.progress(1.0)
        return rank(queries, candidates, scores, 0.5, reasons)

    def _judge(self, gatherer: Gatherer) -> tuple[Matrix, Matrix, NDArray[np.bool_]]:
        """Logits with 0 at the threshold, the highest cosine of a sentence asked or announced, and whether a sentence
        of the reply names the edit's section in full; all (comments, edits).

        The rows with a reply and those without are adapted to the paper apart: their odds come from different heads.
        """
        import numpy as np

        evidence = gatherer.of_comments()
        meaning = evidence["comment_sentences"]
        named: NDArray[np.bool_] = np.zeros(meaning.shape, dtype=bool)
        answered: NDArray[np.bool_] = np.zeros(len(gatherer.replies), dtype=bool)
        if self._use_responses:
            evidence |= gatherer.of_replies()
            meaning = np.maximum(meaning, evidence["claim_meaning"])
            named = evidence["reply_sentence_title"] > 0.99
            answered = np.array([bool(reply.strip()) for reply in gatherer.replies])
        near = neighbours(gatherer.texts)
        logits = np.zeros_like(meaning)
        for rows, head, kind in (
            (answered, self._heads.replies, "replies"),
            (~answered, self._heads.comments, "comments"),
        ):
            if rows.any():
                seen = {name: evidence[name][rows] for name in (*dict(head.weights), *PLACES[kind])}
                own = with_places(head.logits(seen), seen, kind)
                logits[rows] = decide(smoothed(own, near, gatherer.texts.new), head)
        return logits, meaning, named
