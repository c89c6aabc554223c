"""The default aligner: words and meaning, over what was added, what was deleted and the whole paragraph apart.

The two errors that ARIES finds in models (section 6.1) are to be too topical, and to ignore which words of an edit are
new. So added words are compared on their own, a reply that repeats new text is a witness, and an edit that resembles
every comment alike is held back.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from engine.jobs import Report
from engine.models import Embedder
from engine.revision.aligners.base import AlignerInfo, Rankings, best_pairs, rank
from engine.revision.aligners.encoder import cosines
from engine.revision.aligners.lexical import (
    bm25,
    explain,
    post_revision,
    quoted_in,
    references,
    shared_runs,
    weights,
)
from engine.revision.records import Candidate, Query

if TYPE_CHECKING:
    from engine.revision.aligners.base import Matrix


@dataclass(frozen=True, slots=True)
class Weights:
    """How much each piece of evidence counts.

    Evidence is standardised over all pairs of a revision before it is weighed, so that a weight means the same in every
    paper; all weights are per standard deviation, but for ``quote`` and ``reference``, which are added where there is
    one. ``competition`` is the share of an edit's mean over the comments that is taken off. ``threshold`` (of the
    standardised sum) is where a pair counts as linked, without and with responses. The values lie on a plateau of the
    measurements in tests.benchmarks.alignment_quality.
    """

    added: float = 1.0
    whole: float = 1.0
    deleted: float = 0.25
    runs: float = 1.0
    quote: float = 1.0
    reference: float = 0.5
    competition: float = 0.5
    threshold: float = 1.81
    threshold_with_responses: float = 1.88


STEEPNESS = 1.5
"""Of the curve that shows a score between 0 and 1, with one half at the threshold."""


class FusedAligner:
    """A weighted sum of BM25, encoder similarity, shared runs, quotations and named places."""

    def __init__(self, embedder: Embedder, *, use_responses: bool = False, weights: Weights | None = None) -> None:
        self._embedder = embedder
        self._use_responses = use_responses
        self._weights = weights or Weights()
        self.info = AlignerInfo(
            "fused",
            "Words and meaning together",
            "This project; after the error analysis of D'Arcy et al. 2024 (ARIES), section 6.1",
            "1",
            needs_encoder=True,
            parameters=(
                *((name, str(value)) for name, value in asdict(self._weights).items()),
                ("use_responses", str(use_responses)),
                ("encoder", embedder.fingerprint),
            ),
        )

    @property
    def origin(self) -> str:
        return f"model:fused@{self.info.version}+{self._embedder.fingerprint}"

    def score(self, queries: Sequence[Query], candidates: Sequence[Candidate], *, report: Report) -> Rankings:
        import numpy as np

        total, meaning = self.evidence(queries, candidates, report=report.part(0.0, 0.95))
        w = self._weights
        threshold = w.threshold_with_responses if self._use_responses else w.threshold
        scores = 1.0 / (1.0 + np.exp(-STEEPNESS * (total - threshold)))
        telling = weights([candidate.diff_text for candidate in candidates])
        reasons: dict[tuple[int, int], tuple[str, ...]] = {}
        for row, column in best_pairs(scores, 0.5):
            report.check()
            phrases = explain(queries[row], candidates[column], telling, use_response=self._use_responses)
            if meaning[row, column] >= 0.4 or not phrases:
                phrases = (*phrases, f"similar in meaning ({meaning[row, column]:.2f})")
            reasons[row, column] = phrases
        report.progress(1.0)
        return rank(queries, candidates, scores, 0.5, reasons)

    def evidence(
        self, queries: Sequence[Query], candidates: Sequence[Candidate], *, report: Report
    ) -> tuple[Matrix, Matrix]:
        """The weighted sum, standardised, after competition; and the highest cosine with what was added.

        Both are arrays (comments, edits).
        """
        import numpy as np

        w = self._weights
        comments = [query.comment for query in queries]
        responses = [query.response if self._use_responses else "" for query in queries]
        added = [candidate.added for candidate in candidates]
        deleted = [candidate.deleted for candidate in candidates]
        whole = [post_revision(candidate) for candidate in candidates]
        sides = ((added, w.added), (whole, w.whole), (deleted, w.deleted))
        by_meaning = cosines(
            self._embedder, [comments, responses], [texts for texts, _ in sides], report.part(0.0, 0.9)
        )
        total = np.zeros((len(queries), len(candidates)))
        for asked, of_query in zip((comments, responses), by_meaning, strict=True):
            for (texts, weight), cosine in zip(sides, of_query, strict=True):
                report.check()
                # The root keeps one very long match from outweighing all else.
                total += weight * (_standardised(np.sqrt(bm25(asked, texts))) + _standardised(cosine))
        if self._use_responses:
            total += w.runs * _standardised(np.log1p(shared_runs(responses, added)))
        total = _standardised(total) + self._named(queries, candidates)
        if len(queries) > 1:
            total = total - w.competition * total.mean(axis=0, keepdims=True)
        return total, np.maximum(by_meaning[0][0], by_meaning[1][0])

    def _named(self, queries: Sequence[Query], candidates: Sequence[Candidate]) -> Matrix:
        """What is said outright: new text that the reply quotes, words that the comment quotes, numbered places."""
        import numpy as np

        bonus = np.zeros((len(queries), len(candidates)))
        changed = [f"{candidate.added} {candidate.deleted}" for candidate in candidates]
        places = [references(f"{candidate.section} {candidate.diff_text}") for candidate in candidates]
        for row, query in enumerate(queries):
            response = query.response if self._use_responses else ""
            asked = references(query.comment) | references(response)
            for column, candidate in enumerate(candidates):
                if quoted_in(response, candidate.added) or quoted_in(query.comment, changed[column]):
                    bonus[row, column] += self._weights.quote
                if asked & places[column]:
                    bonus[row, column] += self._weights.reference
        return bonus


def _standardised(values: Matrix) -> Matrix:
    spread = values.std() if values.size else 0.0
    return (values - values.mean()) / spread if spread > 0 else values * 0.0
