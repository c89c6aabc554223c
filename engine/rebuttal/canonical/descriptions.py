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
from engine.reviews.labels.features import ReviewSentences
from engine.reviews.labels.heads import shipped, shipped_file

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

COST, SHARPNESS = 0.3, 0.15
"""C of the support vectors, and the margin by which a chance grows by e."""
NEAREST, HEAT = 15, 0.05
"""How many nearest sentences vote, and the cosine by which a vote falls by e."""
_ENCODER, _LABELS, _LABELS_NEAR = 2.0, 2.0, 0.8
"""How much the encoder's vectors and the labels' chances weigh beside words, and the latter beside the encoder's."""


def _chances(known: Known, reviews: Sequence[str], embedder: Embedder, report: Report) -> tuple[list[str], Floats]:
    """Known descriptions and the chance of each (reviews, descriptions): linear support vectors over words, letters,
    the encoder's vector and the chances of the review labels (theme, attitude root, polarity), and the votes of the
    sentences that are nearest in the last two, in equal parts. A cluster is a root and a theme: labels tell much of it.
    """
    from scipy.sparse import csr_matrix, hstack
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.svm import LinearSVC

    texts = [one.review for one in known]
    vectors, asked = _encoded(known, reviews, embedder, report)
    labels, wanted_labels = (_label_chances(side, own, embedder) for side, own in ((texts, vectors), (reviews, asked)))
    names = sorted({one.description for one in known})
    truth = np.array([names.index(one.description) for one in known])
    if len(names) == 1:
        return names, np.ones((len(reviews), 1))
    word = TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True)
    letter = TfidfVectorizer(analyzer="char_wb", ngram_range=(2, 5), min_df=2, sublinear_tf=True)
    dense = [
        csr_matrix(np.hstack([_ENCODER * own, _LABELS * told]))
        for own, told in ((vectors, labels), (asked, wanted_labels))
    ]
    learnt = csr_matrix(hstack([word.fit_transform(texts), letter.fit_transform(texts), dense[0]]))
    wanted = csr_matrix(hstack([word.transform(reviews), letter.transform(reviews), dense[1]]))
    report.check()
    margins = LinearSVC(C=COST).fit(learnt, truth).decision_function(wanted)
    if margins.ndim == 1:  # of two classes the library gives one margin
        margins = np.column_stack([-margins, margins])
    report.check()
    heat = np.exp((margins - margins.max(1, keepdims=True)) / SHARPNESS)
    near = (
        _unit(np.hstack([asked, _LABELS_NEAR * wanted_labels])) @ _unit(np.hstack([vectors, _LABELS_NEAR * labels])).T
    )
    votes = np.zeros((len(reviews), len(names)))
    for row, nearest in enumerate(np.argsort(-near, axis=1, kind="stable")[:, :NEAREST]):
        np.add.at(votes[row], truth[nearest], np.exp((near[row, nearest] - near[row, nearest[0]]) / HEAT))
    shares = [part / part.sum(1, keepdims=True) for part in (heat, votes)]
    return names, np.asarray(0.5 * shares[0] + 0.5 * shares[1])


def _label_chances(texts: Sequence[str], vectors: Floats, embedder: Embedder) -> Floats:
    """What the heads of review labels that ship say of each sentence alone, (n, labels of all layers); no columns where
    they were made for another encoder. They are trained on other reviews than those of this task."""
    if shipped_file().card.get("encoder_fingerprint") != embedder.fingerprint:
        return np.zeros((len(texts), 0))
    heads = shipped()
    found = heads.chances([ReviewSentences((text,)) for text in texts], vectors.astype(np.float32))
    return np.hstack([found[target.name] for target in heads.targets]).astype(np.float64)


def _unit(rows: Floats) -> Floats:
    return np.asarray(rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9))


def _encoded(known: Known, reviews: Sequence[str], embedder: Embedder, report: Report) -> tuple[Floats, Floats]:
    texts = [one.review for one in known]
    vectors = np.asarray(embedder.encode([*texts, *reviews], report), dtype=np.float64)
    return vectors[: len(texts)], vectors[len(texts) :]
