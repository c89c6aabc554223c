"""Compares papers by their words: tf-idf cosine and BM25; also the trivial algorithm."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from engine.expertise.algorithms.base import AlgorithmInfo, Scorer
from engine.expertise.algorithms.paperwise import PaperwiseScorer, Reasons
from engine.expertise.algorithms.pooling import Floats, Pooling
from engine.expertise.algorithms.words import WordCounts, count_words
from engine.expertise.records import PaperText, Representation
from engine.jobs import Report

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

MOST_WORDS = 12


class TfIdf:
    """Cosine of (1 + log tf) log((N + 1) / (n + 1/2)) over the papers read."""

    def __init__(self, counts: WordCounts) -> None:
        from scipy.sparse import diags

        self.counts = counts
        weights = counts.matrix.copy()
        weights.data = 1 + np.log(weights.data)
        documents = np.bincount(weights.indices, minlength=weights.shape[1])
        weights = (weights @ diags(np.log((weights.shape[0] + 1) / (documents + 0.5)))).tocsr()
        norms = np.sqrt(np.asarray(weights.multiply(weights).sum(axis=1)).ravel())
        self.weights: csr_matrix = (diags(1 / np.where(norms > 0, norms, 1.0)) @ weights).tocsr()

    def against(self, submissions: Sequence[str]) -> Callable[[Sequence[str]], Floats]:
        """Returns a function of papers to cosines, (papers, submissions)."""
        return _product(self.counts, self.weights, self.weights, submissions)

    def words(self, paper: str, submission: str) -> tuple[str, ...]:
        """Returns the words that contribute most to the cosine."""
        return _shared(self.counts, self.weights, self.weights, paper, submission)


def _product(
    counts: WordCounts, left: csr_matrix, right: csr_matrix, submissions: Sequence[str]
) -> Callable[[Sequence[str]], Floats]:
    targets = right[[counts.rows[key] for key in submissions]].T.tocsr()

    def compare(papers: Sequence[str]) -> Floats:
        product: Floats = (left[[counts.rows[key] for key in papers]] @ targets).toarray()
        return product

    return compare


def _shared(counts: WordCounts, left: csr_matrix, right: csr_matrix, paper: str, submission: str) -> tuple[str, ...]:
    both = left[[counts.rows[paper]]].multiply(right[[counts.rows[submission]]]).tocoo()
    ranked = sorted(zip(-both.data, both.col, strict=True))[:MOST_WORDS]
    return tuple(counts.spelling(int(column)) for value, column in ranked if value < 0)


class Bm25:
    """BM25 (Lucene's variant) with each submission as the query, summed over its words; the profile's best three papers
    are averaged. ``k1`` (from 0) is the effect of repeated words, ``b`` (0..1) that of text length."""

    def __init__(self, k1: float = 1.5, b: float = 0.75, pooling: Pooling | None = None) -> None:
        self._k1, self._b = k1, b
        self._pooling = pooling or Pooling("top-3")
        parameters = (("k1", f"{k1:g}"), ("b", f"{b:g}"), ("pooling", self._pooling.how))
        self.info = AlgorithmInfo("bm25", "1", parameters)

    def read(
        self, papers: Mapping[str, PaperText], representation: Representation, *, report: Report
    ) -> PaperwiseScorer:
        counts = count_words(papers, representation, report=report)
        return PaperwiseScorer(_Bm25Comparison(counts, self._k1, self._b), self._pooling)


class _Bm25Comparison:
    """BM25 weights with every paper as a document; a query is the set of a submission's words."""

    def __init__(self, counts: WordCounts, k1: float, b: float) -> None:
        from scipy.sparse import diags

        self._counts = counts
        weights = counts.matrix.copy()
        documents = np.bincount(weights.indices, minlength=weights.shape[1])
        idf = np.log(1 + (weights.shape[0] - documents + 0.5) / (documents + 0.5))
        lengths = np.asarray(counts.matrix.sum(axis=1)).ravel()
        relative = lengths / max(lengths.mean(), 1.0)
        scale = np.repeat(k1 * (1 - b + b * relative), np.diff(weights.indptr))
        weights.data = idf[weights.indices] * weights.data / (weights.data + scale)
        self._weights: csr_matrix = weights
        # Long submissions would score higher with everyone; dividing by the number of words makes them comparable.
        queries = (counts.matrix > 0).astype(np.float64)
        words = np.maximum(np.asarray(queries.sum(axis=1)).ravel(), 1.0)
        self._queries: csr_matrix = (diags(1 / words) @ queries).tocsr()

    def has_text(self, paper: str) -> bool:
        return self._counts.has_words(paper)

    def against(self, submissions: Sequence[str]) -> Callable[[Sequence[str]], Floats]:
        return _product(self._counts, self._weights, self._queries, submissions)

    def reasons(self, paper: str, submission: str) -> Reasons:
        return (), _shared(self._counts, self._weights, self._queries, paper, submission)


class Trivial:
    """Gives everyone the same score, so that the loss is exactly one half (Stelmakh et al. 2023, Table 3)."""

    info = AlgorithmInfo("trivial", "1")

    def read(self, papers: Mapping[str, PaperText], representation: Representation, *, report: Report) -> Scorer:  # noqa: ARG002
        return PaperwiseScorer(_AllAlike(frozenset(papers)), Pooling("mean"))


class _AllAlike:
    """Knows only which papers exist."""

    def __init__(self, papers: frozenset[str]) -> None:
        self._papers = papers

    def has_text(self, paper: str) -> bool:
        if paper not in self._papers:
            raise KeyError(paper)
        return True

    def against(self, submissions: Sequence[str]) -> Callable[[Sequence[str]], Floats]:
        return lambda papers: np.ones((len(papers), len(list(filter(self.has_text, submissions)))))

    def reasons(self, paper: str, submission: str) -> Reasons:  # noqa: ARG002
        return (), ()
