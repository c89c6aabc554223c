"""What a review sentence's cluster is about, in one phrase: strategies that describe review sentences.

``central`` extracts, as the paper's first step: the most central review sentence of the nearest cluster. The others
answer with a known description; ``consensus`` with the one that shares most words with all likely ones (minimum Bayes
risk, Kumar and Byrne 2004, under ROUGE-1).
"""

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from engine.jobs import Report
from engine.models import Embedder
from engine.rebuttal.canonical.records import DescribedReview
from engine.research.rebuttal.kernels import Distances, Floats, Strategy, encoded
from engine.research.rebuttal.text_metrics import rouge_n, words
from engine.reviews.labels.features import ReviewSentences
from engine.reviews.labels.heads import shipped_chances

Known = Sequence[DescribedReview]


def most_central(vectors: Floats) -> int:
    """The row (n, d) with the highest mean cosine to the others; the paper's extraction. Rows are of length 1."""
    return int((vectors @ vectors.sum(0)).argmax())


def central(known: Known, reviews: Sequence[str], embedder: Embedder, report: Report) -> list[str]:
    """The most central sentence of the cluster whose mean vector is nearest."""
    vectors, asked = encoded([one.review for one in known], reviews, embedder, report)
    names = sorted({one.description for one in known})
    rows = [np.flatnonzero([one.description == name for one in known]) for name in names]
    middle = np.stack([vectors[own].mean(0) for own in rows])
    middle /= np.maximum(np.linalg.norm(middle, axis=1, keepdims=True), 1e-9)
    sentence = [known[int(own[most_central(vectors[own])])].review for own in rows]
    return [sentence[int(at)] for at in (asked @ middle.T).argmax(1)]


def majority(known: Known, reviews: Sequence[str], _embedder: Embedder, _report: Report) -> list[str]:
    return [Counter(one.description for one in known).most_common(1)[0][0]] * len(reviews)


def retrieval(known: Known, reviews: Sequence[str], embedder: Embedder, report: Report) -> list[str]:
    """The description of the nearest known review sentence."""
    vectors, asked = encoded([one.review for one in known], reviews, embedder, report)
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


DESCRIBERS: Mapping[str, Strategy] = {
    one.id: one
    for one in (
        Strategy("majority", "Most common description (baseline)", majority),
        Strategy("central", "Most central sentence of the nearest cluster", central),
        Strategy("retrieval", "Description of the nearest sentence", retrieval),
        Strategy("classifier", "Classifier over known descriptions", classifier),
        Strategy("consensus", "Consensus of likely descriptions", consensus),
    )
}

_LABELS, _ENCODER, _WORDS, _LETTERS = 1.0, 0.25, 0.125, 0.125
"""How much the squared distances of the labels' chances, the encoder's vectors, words and letters weigh."""
RIDGE = 0.3


def _chances(known: Known, reviews: Sequence[str], embedder: Embedder, report: Report) -> tuple[list[str], Floats]:
    """Known descriptions and the chance of each (reviews, descriptions): kernel ridge regression on which description
    it is, negative values cut. The kernel is Gaussian in words, letters, the
    encoder's vector and, by Hellinger's distance, the chances of the review labels (theme, attitude root, polarity):
    a cluster is a root and a theme, so labels tell much of it.
    """
    from sklearn.feature_extraction.text import TfidfVectorizer

    texts = [one.review for one in known]
    vectors, asked = encoded(texts, reviews, embedder, report)
    labels, wanted_labels = (_label_chances(side, own, embedder) for side, own in ((texts, vectors), (reviews, asked)))
    names = sorted({one.description for one in known})
    if len(names) == 1:
        return names, np.ones((len(reviews), 1))
    truth = np.array([[float(one.description == name) for name in names] for one in known])
    apart = Distances(len(texts), len(reviews))
    apart.add(np.sqrt(labels), np.sqrt(wanted_labels), _LABELS)
    apart.add(vectors, asked, _ENCODER)
    report.check()
    apart.add_words(texts, reviews, _WORDS, TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True))
    report.check()
    letters = TfidfVectorizer(analyzer="char_wb", ngram_range=(2, 5), sublinear_tf=True)
    apart.add_words(texts, reviews, _LETTERS, letters)
    report.check()
    found = np.maximum(apart.regress(truth, RIDGE), 0.0)
    return names, np.asarray(found / found.sum(1, keepdims=True))


def _label_chances(texts: Sequence[str], vectors: Floats, embedder: Embedder) -> Floats:
    """What the heads of review labels that ship say of each sentence alone, (n, labels of all layers). They are trained
    on other reviews than those of this task."""
    alone = [ReviewSentences((text,)) for text in texts]
    return shipped_chances(alone, vectors.astype(np.float32), embedder.fingerprint).astype(np.float64)
