"""The default aligner: words, meaning, named places and quotations, weighed by what they were worth on real revisions.

Evidence is gathered in ``evidence``, weighed and turned into decisions in ``head``; the weights that ship were fitted
on four revised papers (card in ``resources/aligners/fused.json``, measured in tests.benchmarks.alignment_quality).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from engine.jobs import Report
from engine.models import Embedder
from engine.revision.aligners.base import Rankings, best_pairs, rank
from engine.revision.aligners.evidence import Gatherer, neighbours
from engine.revision.aligners.head import FROM_COMMENTS, FROM_REPLIES, Heads, best_cut, judge, shipped, to_unit
from engine.revision.aligners.lexical import explain, weights
from engine.revision.aligners.replies import content
from engine.revision.records import Candidate, Query

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from engine.revision.aligners.base import Matrix

VERSION = "4"

_FAMILIES = {
    "quotes": ("comment_quotes_source", "quoted", "not_quoted_elsewhere"),
    "names section": ("context_title", "reply_title", "reply_sentence_title", "claim_title"),
    "names": (
        "context_caption", "reply_caption", "comment_place", "comment_region", "reply_place", "reply_region",
    ),
    "shared with response": (
        "reply_words", "reply_covers", "reply_deleted_words", "reply_removes", "claim_words", "claim_deleted_words",
    ),
    "shared words": (
        "comment_words", "comment_sentence_words", "comment_rare_words", "comment_deleted_words", "comment_bm25_added",
        "comment_bm25_paragraph", "comment_section_words",
    ),
}  # fmt: skip
"""The evidence behind each kind of reason, by words of its phrase; what is not listed is similarity in meaning."""
_OF = dict.fromkeys((*FROM_COMMENTS, *FROM_REPLIES), "") | {
    name: said for said, own in _FAMILIES.items() for name in own
}


def _family(phrase: str) -> str:
    kind = phrase.partition("“")[0].replace("mentions", "names")
    return next((said for said in _FAMILIES if said in kind), "")


class FusedAligner:
    """A logistic model over the evidence; a reply counts as much as it says of its own. This project's, after the error
    analysis of D'Arcy et al. 2024 (ARIES), sections 5.3 and 5.4."""

    def __init__(self, embedder: Embedder, *, use_responses: bool = False, heads: Heads | None = None) -> None:
        self._embedder = embedder
        self._use_responses = use_responses
        self._heads = heads or shipped()
        self.origin = f"model:fused@{VERSION}+{embedder.fingerprint}"
        self.parameters = {"use_responses": str(use_responses), "encoder": embedder.fingerprint}

    def score(self, queries: Sequence[Query], candidates: Sequence[Candidate], *, report: Report) -> Rankings:
        import numpy as np

        if not queries or not candidates:
            return {query.comment_id: () for query in queries}
        gatherer = Gatherer(queries, candidates, self._embedder, report.part(0.0, 0.9))
        evidence = gatherer.of_comments()
        meaning, share = evidence["comment_sentences"], np.zeros(len(queries))
        named: NDArray[np.bool_] = np.zeros(meaning.shape, dtype=bool)
        if self._use_responses:
            evidence |= gatherer.of_replies()
            share = np.array([content(query.response, query.comment) for query in queries])
            said = (share > 0.0)[:, None]
            meaning = np.where(said, np.maximum(meaning, evidence["claim_meaning"]), meaning)
            named = said & (evidence["reply_sentence_title"] > 0.99)
        odds = judge(self._heads, evidence, share, neighbours(gatherer.texts), gatherer.texts.new)
        report.check()
        scores, cut = to_unit(odds), float(to_unit(np.array(best_cut(odds))))
        moved = self._moved(evidence, share)
        telling = weights([candidate.diff_text for candidate in candidates])
        reasons: dict[tuple[int, int], tuple[str, ...]] = {}
        for row, column in best_pairs(scores, cut):
            report.check()
            use = bool(share[row])
            phrases = [*explain(queries[row], candidates[column], telling, use_response=use)]
            if named[row, column]:
                phrases.append(f"response names section “{gatherer.texts.title[column]}”")
            if meaning[row, column] >= 0.4 or not phrases:
                phrases.append(f"similar in meaning ({meaning[row, column]:.2f})")
            weight = {phrase: float(moved[_family(phrase)][row, column]) for phrase in phrases}
            reasons[row, column] = tuple(sorted(weight, key=weight.__getitem__, reverse=True))
        report.progress(1.0)
        return rank(queries, candidates, scores, cut, reasons)

    def _moved(self, evidence: Mapping[str, Matrix], share: NDArray[np.float64]) -> dict[str, Matrix]:
        """By family of evidence how much it moved the log odds of each pair, more than for the comment's mean edit."""
        import numpy as np

        found: dict[str, Matrix] = defaultdict(lambda: np.zeros(evidence["comment_sentences"].shape))
        for head, part in ((self._heads.comments, 1.0 - share), (self._heads.replies, share)):
            for name, weight in head.weights:
                if weight and name in evidence:
                    own = evidence[name]
                    found[_OF[name]] += part[:, None] * weight * (own - own.mean(axis=1, keepdims=True))
        return found
