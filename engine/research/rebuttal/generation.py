"""A canonical rebuttal for a review sentence and an action that no known canonical rebuttal was written for.

``constant`` is the baseline that must stand beside every figure: ROUGE rewards a generic sentence that shares words
with many. ``retrieval`` takes what answered the likest review; ``consensus`` the known sentence of which most ROUGE-1
is expected (minimum Bayes risk, Kumar and Byrne 2004), given action and review.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from engine.jobs import Report
from engine.models import Embedder
from engine.rebuttal.canonical.records import AnsweredReview
from engine.research.rebuttal.kernels import Floats, Strategy, encoded
from engine.research.rebuttal.text_metrics import rouge_n, words

Known = Sequence[AnsweredReview]
Question = tuple[str, str]
"""A review sentence and the action to answer it with."""

SAME_ACTION, LIKE_REVIEW, ANY = 1.0, 0.5, 0.5
"""What a known sentence counts in the expectation: of the same action, of likely reviews, of all."""
HEAT, NEAREST = 0.1, 30


def constant(known: Known, questions: Sequence[Question], _embedder: Embedder, _report: Report) -> list[str]:
    """For each action the sentence of the same action of which most ROUGE-1 is expected over that action's others."""
    sentences, likeness = _sentences(known)
    acts = _by_action(known, sentences)
    best = {action: sentences[max(own, key=lambda at: likeness[at, own].sum() - 1)] for action, own in acts.items()}
    anywhere = sentences[int(likeness.sum(1).argmax())]
    return [best.get(action, anywhere) for _, action in questions]


def retrieval(known: Known, questions: Sequence[Question], embedder: Embedder, report: Report) -> list[str]:
    """Answer to the most similar review with the same action; with any, where the action was never seen."""
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
    """The known sentence, of any action, of which most ROUGE-1 is expected."""
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
    """The canonical sentences, and ROUGE-1 of each with each."""
    sentences = sorted({one.rebuttal for one in known})
    tokens = [words(text) for text in sentences]
    return sentences, np.array([[rouge_n(one, other, 1) for other in tokens] for one in tokens])


def _by_action(known: Known, sentences: Sequence[str]) -> dict[str, list[int]]:
    place = {text: at for at, text in enumerate(sentences)}
    acts: dict[str, list[int]] = {}
    for action, text in sorted({(one.action, one.rebuttal) for one in known}):
        acts.setdefault(action, []).append(place[text])
    return acts
