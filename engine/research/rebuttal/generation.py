"""Generates texts for a review sentence: a phrase that describes its cluster, and a canonical rebuttal for it and an
action.

For descriptions, ``central`` extracts the most central review sentence of the nearest cluster, like the paper's first
step; the other strategies choose a known description. For rebuttals, ``constant`` is the baseline to compare every
figure with, since ROUGE rewards generic sentences that share words with many. ``shared_words`` and ``consensus`` choose
the known text with the highest expected ROUGE-1 (minimum Bayes risk, Kumar and Byrne 2004).
"""

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from engine.jobs import Report
from engine.models import Embedder
from engine.rebuttal.canonical.records import AnsweredReview, DescribedReview
from engine.research.rebuttal.kernels import Distances, Floats, Strategy, encoded
from engine.research.rebuttal.text_metrics import rouge_n, words
from engine.reviews.labels.features import ReviewSentences
from engine.reviews.labels.heads import shipped_chances

Described = Sequence[DescribedReview]


def most_central(vectors: Floats) -> int:
    """Returns the row (n, d) with the highest mean cosine to the others, as in the paper's extraction. Rows have length
    1."""
    return int((vectors @ vectors.sum(0)).argmax())


def central(known: Described, reviews: Sequence[str], embedder: Embedder, report: Report) -> list[str]:
    """Chooses the most central sentence of the cluster with the nearest mean vector."""
    vectors, asked = encoded([one.review for one in known], reviews, embedder, report)
    names = sorted({one.description for one in known})
    rows = [np.flatnonzero([one.description == name for one in known]) for name in names]
    middle = np.stack([vectors[own].mean(0) for own in rows])
    middle /= np.maximum(np.linalg.norm(middle, axis=1, keepdims=True), 1e-9)
    sentence = [known[int(own[most_central(vectors[own])])].review for own in rows]
    return [sentence[int(at)] for at in (asked @ middle.T).argmax(1)]


def majority(known: Described, reviews: Sequence[str], _embedder: Embedder, _report: Report) -> list[str]:
    return [Counter(one.description for one in known).most_common(1)[0][0]] * len(reviews)


def nearest(known: Described, reviews: Sequence[str], embedder: Embedder, report: Report) -> list[str]:
    """Chooses the description of the nearest known review sentence."""
    vectors, asked = encoded([one.review for one in known], reviews, embedder, report)
    return [known[int(at)].description for at in (asked @ vectors.T).argmax(1)]


def classifier(known: Described, reviews: Sequence[str], embedder: Embedder, report: Report) -> list[str]:
    """Chooses the likeliest known description."""
    names, chances = _chances(known, reviews, embedder, report)
    return [names[int(at)] for at in chances.argmax(1)]


def shared_words(known: Described, reviews: Sequence[str], embedder: Embedder, report: Report) -> list[str]:
    """Chooses the known description with the highest expected ROUGE-1."""
    names, chances = _chances(known, reviews, embedder, report)
    return [names[int(at)] for at in (chances @ _likeness(names).T).argmax(1)]


DESCRIBERS: Mapping[str, Strategy] = {
    one.id: one
    for one in (
        Strategy("majority", "Most common description (baseline)", majority),
        Strategy("central", "Most central sentence of the nearest cluster", central),
        Strategy("retrieval", "Description of the nearest sentence", nearest),
        Strategy("classifier", "Classifier over known descriptions", classifier),
        Strategy("consensus", "Consensus of likely descriptions", shared_words),
    )
}

_LABELS, _ENCODER, _WORDS, _LETTERS = 1.0, 0.25, 0.125, 0.125
"""The weights of the squared distances of label probabilities, the encoder's vectors, words and letters."""
RIDGE = 0.3


def _chances(known: Described, reviews: Sequence[str], embedder: Embedder, report: Report) -> tuple[list[str], Floats]:
    """Returns known descriptions and the probability of each, (reviews, descriptions), by kernel ridge regression with
    negative values set to 0.

    The kernel is Gaussian in words, letters, the encoder's vector and, by Hellinger distance, the probabilities of the
    review labels (theme, aspect, polarity): a cluster is an aspect and a theme, so labels are very informative.
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
    """Returns the bundled heads' probabilities for each sentence alone, (n, labels of all layers). They were trained on
    other reviews than those of this task."""
    alone = [ReviewSentences((text,)) for text in texts]
    return shipped_chances(alone, vectors.astype(np.float32), embedder.fingerprint).astype(np.float64)


Known = Sequence[AnsweredReview]
Question = tuple[str, str]
"""A review sentence and the action to answer it with."""

SAME_ACTION, LIKE_REVIEW, ANY = 1.0, 0.5, 0.5
"""The weights of known sentences in the expectation: of the same action, of similar reviews, of all."""
HEAT, NEAREST = 0.1, 30


def constant(known: Known, questions: Sequence[Question], _embedder: Embedder, _report: Report) -> list[str]:
    """Chooses, for each action, the sentence with the highest expected ROUGE-1 over that action's other sentences."""
    sentences, likeness = _sentences(known)
    acts = _by_action(known, sentences)
    best = {action: sentences[max(own, key=lambda at: likeness[at, own].sum() - 1)] for action, own in acts.items()}
    anywhere = sentences[int(likeness.sum(1).argmax())]
    return [best.get(action, anywhere) for _, action in questions]


def retrieval(known: Known, questions: Sequence[Question], embedder: Embedder, report: Report) -> list[str]:
    """Chooses the answer to the most similar review with the same action, or with any action if that one is unknown."""
    texts = sorted({one.review for one in known})
    place = {text: at for at, text in enumerate(texts)}
    vectors, asked = encoded(texts, [review for review, _ in questions], embedder, report)
    rows: dict[str, list[AnsweredReview]] = {}
    for one in known:
        rows.setdefault(one.action, []).append(one)
    found = []
    for (_, action), vector in zip(questions, asked, strict=True):
        own = rows.get(action) or list(known)
        found.append(own[int((vectors[[place[one.review] for one in own]] @ vector).argmax())].rebuttal)
    return found


def consensus(known: Known, questions: Sequence[Question], embedder: Embedder, report: Report) -> list[str]:
    """Chooses the known sentence, of any action, with the highest expected ROUGE-1."""
    sentences, likeness = _sentences(known)
    place = {text: at for at, text in enumerate(sentences)}
    acts = _by_action(known, sentences)
    everything = np.full(len(sentences), 1 / len(sentences))
    texts = sorted({one.review for one in known})
    row = {text: at for at, text in enumerate(texts)}
    answered = np.zeros((len(texts), len(sentences)))
    for one in known:
        answered[row[one.review], place[one.rebuttal]] = 1.0
    answered /= answered.sum(1, keepdims=True)
    vectors, asked = encoded(texts, [review for review, _ in questions], embedder, report)
    cosine = asked @ vectors.T
    found = []
    for number, (_, action) in enumerate(questions):
        near = np.argsort(-cosine[number], kind="stable")[:NEAREST]
        pull = np.exp((cosine[number, near] - cosine[number, near[0]]) / HEAT)
        wanted = ANY * everything + LIKE_REVIEW * (pull / pull.sum()) @ answered[near]
        if own := acts.get(action):
            wanted[own] += SAME_ACTION / len(own)
        found.append(sentences[int((likeness @ wanted).argmax())])
    return found


GENERATORS: Mapping[str, Strategy] = {
    one.id: one
    for one in (
        Strategy("constant", "One constant sentence per action (baseline)", constant),
        Strategy("retrieval", "Answer to the most similar review", retrieval),
        Strategy("consensus", "Consensus of likely answers", consensus),
    )
}


def _sentences(known: Known) -> tuple[list[str], Floats]:
    """Returns the canonical sentences, and ROUGE-1 of each pair of them."""
    sentences = sorted({one.rebuttal for one in known})
    return sentences, _likeness(sentences)


def _likeness(texts: Sequence[str]) -> Floats:
    """Returns ROUGE-1 of each pair of texts."""
    tokens = [words(text) for text in texts]
    return np.array([[rouge_n(one, other, 1) for other in tokens] for one in tokens])


def _by_action(known: Known, sentences: Sequence[str]) -> dict[str, list[int]]:
    place = {text: at for at, text in enumerate(sentences)}
    acts: dict[str, list[int]] = {}
    for action, text in sorted({(one.action, one.rebuttal) for one in known}):
        acts.setdefault(action, []).append(place[text])
    return acts
