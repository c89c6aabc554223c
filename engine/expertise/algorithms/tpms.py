"""TPMS as computed by its open implementation (Charlin and Zemel 2013; Xu et al. 2019; Stelmakh et al. 2023).

A reviewer is one document: all papers of the profile concatenated. Word weights are (1/2 + count / (2 max count)) log(N
/ n), where N is the number of documents (reviewers and submissions) and n the number that contain the word; the score
is the cosine.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from engine.expertise.algorithms.base import AlgorithmInfo, Evidence, Scores, own_pairs, profile_without
from engine.expertise.algorithms.words import WordCounts, count_words
from engine.expertise.records import PaperText, Representation
from engine.jobs import Report

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

MOST_WORDS = 12  # shown as reasons


class Tpms:
    """The similarity of the Toronto paper matching system."""

    info = AlgorithmInfo(
        "tpms", "1", (("tf", "augmented"), ("idf", "over profiles and submissions"), ("stemming", "Porter"))
    )

    def read(self, papers: Mapping[str, PaperText], representation: Representation, *, report: Report) -> TpmsScorer:
        return TpmsScorer(count_words(papers, representation, report=report, references=True))


class TpmsScorer:
    """Word counts of all papers; the idf depends on the current profiles and submissions."""

    def __init__(self, counts: WordCounts) -> None:
        self._counts = counts
        self._idf: NDArray[np.float64] | None = None
        self._of_venue = False

    def for_venue(self, profiles: Mapping[str, Sequence[str]], submissions: Sequence[str]) -> TpmsScorer:
        """Returns a scorer with the idf of all these, whichever of them are scored later."""
        fixed = TpmsScorer(self._counts)
        fixed._idf, fixed._of_venue = self._idf_of(self._reviewers(list(profiles.values())), submissions), True
        return fixed

    def score(self, profiles: Mapping[str, Sequence[str]], submissions: Sequence[str], *, report: Report) -> Scores:
        report.check()
        reviewers = self._reviewers(list(profiles.values()))
        papers = self._counts.of(submissions)
        if self._idf is None or not self._of_venue:
            self._idf = self._idf_of(reviewers, submissions)
        idf = self._idf
        right = weigh(papers, idf)
        scores: Scores = (weigh(reviewers, idf) @ right.T).toarray()
        scores[~_filled(reviewers)] = np.nan
        for row, column, papers_left in own_pairs(profiles.values(), submissions):
            rest = self._reviewers([papers_left])
            scores[row, column] = (weigh(rest, idf) @ right[[column]].T).toarray()[0, 0] if rest.nnz else np.nan
        return scores

    def explain(self, profile: Sequence[str], submission: str) -> tuple[Evidence, ...]:
        """Returns shares of the product of weights. Before ``score`` was called, all words have the same idf."""
        papers = profile_without(profile, submission)
        if not papers:
            return ()
        counts = self._counts.of(papers)
        idf = np.ones(counts.shape[1]) if self._idf is None else self._idf
        target = weigh(self._counts.of([submission]), idf)
        whole = weigh(self._reviewers([papers]), idf).multiply(target).tocsr()
        together = counts.sum(axis=0)
        found = []
        for row, key in enumerate(papers):
            # A word's contribution is divided among the profile's papers in proportion to its counts.
            part = np.asarray(whole.multiply(counts[[row]]).multiply(1 / np.maximum(together, 1)).todense()).ravel()
            order = np.argsort(-part, kind="stable")[:MOST_WORDS]
            words = tuple(self._counts.spelling(int(at)) for at in order if part[at] > 0)
            found.append((float(part.sum()), Evidence(key, 0.0, (), words)))
        total = sum(share for share, _ in found) or 1.0
        ranked = sorted(found, key=lambda item: -item[0])
        return tuple(Evidence(e.paper, share / total, e.passages, e.words) for share, e in ranked)

    def _idf_of(self, reviewers: csr_matrix, submissions: Sequence[str]) -> NDArray[np.float64]:
        from scipy.sparse import vstack

        return inverse_document_frequency(vstack([reviewers[_filled(reviewers)], self._counts.of(submissions)]).tocsr())

    def _reviewers(self, profiles: Sequence[Sequence[str]]) -> csr_matrix:
        from scipy.sparse import csr_matrix

        rows, columns = [], []
        for number, papers in enumerate(profiles):
            for key in dict.fromkeys(papers):
                rows.append(number)
                columns.append(self._counts.rows[key])
        shape = (len(profiles), self._counts.matrix.shape[0])
        return (csr_matrix(([1.0] * len(rows), (rows, columns)), shape=shape) @ self._counts.matrix).tocsr()


def inverse_document_frequency(counts: csr_matrix) -> NDArray[np.float64]:
    """Returns log(N / n) of each word, 0 for words in no document."""
    documents = np.bincount(counts.indices, minlength=counts.shape[1])
    with np.errstate(divide="ignore"):
        idf: NDArray[np.float64] = np.where(documents > 0, np.log(counts.shape[0] / np.maximum(documents, 1)), 0.0)
    return idf


def weigh(counts: csr_matrix, idf: NDArray[np.float64]) -> csr_matrix:
    """Returns augmented term frequency times idf, rows of length 1 (rows without words stay 0)."""
    weights = counts.tocsr().astype(np.float64)
    if weights.nnz == 0:
        return weights
    per_row = np.repeat(weights.max(axis=1).toarray().ravel(), np.diff(weights.indptr))
    weights.data = (0.5 + 0.5 * weights.data / per_row) * idf[weights.indices]
    norms = np.sqrt(np.asarray(weights.multiply(weights).sum(axis=1)).ravel())
    weights.data /= np.repeat(np.where(norms > 0, norms, 1.0), np.diff(weights.indptr))
    return weights


def _filled(counts: csr_matrix) -> NDArray[np.bool_]:
    filled: NDArray[np.bool_] = np.diff(counts.indptr) > 0
    return filled
