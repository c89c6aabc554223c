"""What a review sentence's cluster is about, in one phrase: strategies that describe review sentences.

``central`` extracts, as the paper's first step: the most central review sentence of the nearest cluster. The others
answer with a known description; ``consensus`` with the one that shares most words with all likely ones (minimum Bayes
risk, Kumar and Byrne 2004, under ROUGE-1).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.jobs import Report
from engine.models import Embedder
from engine.rebuttal.canonical.records import DescribedReview
from engine.rebuttal.text_metrics import rouge_n, words

Floats = NDArray[np.float64]
Known = Sequence[DescribedReview]


@dataclass(frozen=True, slots=True)
class Describer:
    """A strategy. ``describe(known, reviews, embedder, report)`` gives one description a review."""

    id: str
    title: str
    citation: str
    describe: Callable[[Known, Sequence[str], Embedder, Report], list[str]]


def most_central(vectors: Floats) -> int:
    """The row (n, d) with the highest mean cosine to the others; the paper's extraction. Rows are of length 1."""
    return int((vectors @ vectors.sum(0)).argmax())


def central(known: Known, reviews: Sequence[str], embedder: Embedder, report: Report) -> list[str]:
    """The most central sentence of the cluster whose mean vector is nearest."""
    vectors, asked = _encoded(known, reviews, embedder, report)
    names = sorted({one.description for one in known})
    rows = [np.flatnonzero([one.description == name for one in known]) for name in names]
    middle = np.stack([vectors[own].mean(0) for own in rows])
    middle /= np.maximum(np.linalg.norm(middle, axis=1, keepdims=True), 1e-9)
    sentence = [known[int(own[most_central(vectors[own])])].review for own in rows]
    return [sentence[int(at)] for at in (asked @ middle.T).argmax(1)]


def retrieval(known: Known, reviews: Sequence[str], embedder: Embedder, report: Report) -> list[str]:
    """The description of the nearest known review sentence."""
    vectors, asked = _encoded(known, reviews, embedder, report)
    return [known[int(at)].description for at in (asked @ vectors.T).argmax(1)]


def classifier(known: Known, reviews: Sequence[str], embedder: Embedder, report: Report) -> list[str]:
    """The likeliest known description."""
    names, chances = _chances(known, reviews, embedder, report)
    return [names[int(at)] for at in chances.argmax(1)]


def consensus(known: Known, reviews: Sequence[str], embedder: Embedder, report: Report) -> list[str]:
    """The known description of which most ROUGE-1 is expected."""
    names, chances = _chances(known, reviews, embedder, report)
    tokens = [words(name) for name in names]
    likeness = np.array([[rouge_n(one, other, 1) for other in tokens] for one in tokens])
    return [names[int(at)] for at in (chances @ likeness.T).argmax(1)]


DESCRIBERS: Mapping[str, Describer] = {
    one.id: one
    for one in (
        Describer("central", "Most central sentence of the nearest cluster", "Purkayastha et al. 2023", central),
        Describer("retrieval", "Description of the nearest sentence", "", retrieval),
        Describer("classifier", "Classifier over known descriptions", "", classifier),
        Describer("consensus", "Consensus of likely descriptions", "Kumar and Byrne 2004", consensus),
    )
}

COST, NEAREST, HEAT = 30.0, 8, 0.06
"""C of the regression; how many nearest sentences vote, and the cosine by which a vote falls by e."""


def _chances(known: Known, reviews: Sequence[str], embedder: Embedder, report: Report) -> tuple[list[str], Floats]:
    """Known descriptions and the chance of each (reviews, descriptions): a regression over words, letters and the
    encoder's vector, and the votes of the nearest sentences, in equal parts."""
    from scipy.sparse import csr_matrix, hstack
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression

    vectors, asked = _encoded(known, reviews, embedder, report)
    names = sorted({one.description for one in known})
    labels = np.array([names.index(one.description) for one in known])
    if len(names) == 1:
        return names, np.ones((len(reviews), 1))
    word = TfidfVectorizer(ngram_range=(1, 2), min_df=1, sublinear_tf=True)
    letter = TfidfVectorizer(analyzer="char_wb", ngram_range=(2, 5), min_df=2, sublinear_tf=True)
    texts = [one.review for one in known]
    learnt = csr_matrix(hstack([word.fit_transform(texts), letter.fit_transform(texts), csr_matrix(2 * vectors)]))
    wanted = csr_matrix(hstack([word.transform(reviews), letter.transform(reviews), csr_matrix(2 * asked)]))
    report.check()
    model = LogisticRegression(C=COST, max_iter=300, tol=1e-3).fit(learnt, labels)
    report.check()
    likeness = asked @ vectors.T
    votes = np.zeros((len(reviews), len(names)))
    for row, near in enumerate(np.argsort(-likeness, axis=1, kind="stable")[:, :NEAREST]):
        np.add.at(votes[row], labels[near], np.exp((likeness[row, near] - likeness[row, near[0]]) / HEAT))
    return names, np.asarray(0.5 * model.predict_proba(wanted) + 0.5 * votes / votes.sum(1, keepdims=True))


def _encoded(known: Known, reviews: Sequence[str], embedder: Embedder, report: Report) -> tuple[Floats, Floats]:
    texts = [one.review for one in known]
    vectors = np.asarray(embedder.encode([*texts, *reviews], report), dtype=np.float64)
    return vectors[: len(texts)], vectors[len(texts) :]
