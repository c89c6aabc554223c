"""Learns and evaluates the detection of unsubstantiated criticism in reviews (SubstanReview: Guo et al. 2023).

The published data mark spans: a claim ("Eval_neg_3") and its evidence ("Jus_neg_3") share a number; negative claims
without evidence are to be found. Sentences are classified, and a detected sentence is taken as a span. A span counts as
found if it and a detected one overlap by half of the shorter one, so the figures are about spans, not tokens.
"""

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.errors import not_trained
from engine.research.labels.heads import regression
from engine.reviews.labels.features import Vectors, matrix, vocabulary, word_grams
from engine.reviews.labels.substantiation import Substantiation, dense, judged
from engine.reviews.records import Span

COSTS = (0.1, 0.3, 1.0)
"""C of the regression, chosen by cross-validation."""
_LEAST_WORDS = 2
_FOLDS = 5
_OVERLAP = 15
"""Characters of a claim that a sentence must contain to count as one (the whole claim if shorter)."""
Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Annotated:
    """A review: its sentences, and their texts as classified; the spans of negative claims, and of those without
    evidence."""

    text: str
    sentences: tuple[Span, ...]
    texts: Sequence[str]
    claims: tuple[Span, ...]
    bare: tuple[Span, ...]

    def holds(self, spans: Iterable[Span]) -> list[bool]:
        wanted = tuple(spans)
        return [any(_shared(s, one) >= min(_OVERLAP, one.end - one.start) for one in wanted) for s in self.sentences]


def read_substanreview(path: Path) -> tuple[Annotated, ...]:
    """Returns the reviews in a JSON Lines file of the data set. Raises BadInput."""
    found = []
    try:
        for line in path.read_text(encoding="utf-8").splitlines():
            entry = json.loads(line)
            labels = [(int(start), int(end), str(name)) for start, end, name in entry["label"]]
            reasoned = {name.removeprefix("Jus") for _, _, name in labels if name.startswith("Jus")}
            claims = [(Span(start, end), name) for start, end, name in labels if name.startswith("Eval_neg")]
            text = entry["review"]
            bare = tuple(span for span, name in claims if name.removeprefix("Eval") not in reasoned)
            found.append(Annotated(text, *judged(text), tuple(span for span, _ in claims), bare))
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise not_trained(
            f"{path.name} can't be read as SubstanReview ({type(error).__name__}: {error}).", "Give its train.jsonl."
        ) from error
    flags = [review.holds(review.bare) for review in found]
    if min(sum(any(held) for held in flags), sum(not all(held) for held in flags)) < 2 * _FOLDS:
        raise not_trained(
            f"{path.name} holds too few reviews with negative claims without evidence.",
            f"It takes {2 * _FOLDS} with such sentences and {2 * _FOLDS} with others.",
        )
    return tuple(found)


@dataclass(frozen=True, slots=True)
class SpanFigures:
    """Span F1 with precision and recall over all reviews, and the mean F1 of reviews with such
    spans, true or detected."""

    f1: float
    precision: float
    recall: float
    by_review: float


def span_figures(reviews: Sequence[Annotated], marked: Flags) -> SpanFigures:
    """Computes the figures; ``marked``: (sentences of all reviews,)."""
    hits = said = true = 0
    each, at = [], 0
    for review in reviews:
        spans = [s for s, flag in zip(review.sentences, marked[at : at + len(review.sentences)], strict=True) if flag]
        at += len(review.sentences)
        left = list(review.bare)
        for span in spans:
            same = (one for one in left if 2 * _shared(span, one) >= min(span.end - span.start, one.end - one.start))
            if (hit := next(same, None)) is not None:
                left.remove(hit)
        found = len(review.bare) - len(left)
        hits, said, true = hits + found, said + len(spans), true + len(review.bare)
        if spans or review.bare:
            each.append(2 * found / (len(spans) + len(review.bare)))
    precision, recall = hits / max(said, 1), hits / max(true, 1)
    f1 = 2 * hits / max(said + true, 1)
    return SpanFigures(f1, precision, recall, float(np.mean(each)) if each else 0.0)


def cross_validated(reviews: Sequence[Annotated], *, seed: int = 1) -> Flags:
    """Returns the sentences marked by models that hadn't seen their review: five folds by review; cost and threshold
    are chosen by five inner folds."""
    fold = _dealt(len(reviews), seed)
    marked = []
    for number in range(_FOLDS):
        made = learnt([review for review, own in zip(reviews, fold, strict=True) if own != number], seed=seed)
        held = [review for review, own in zip(reviews, fold, strict=True) if own == number]
        marked.append(made.chances([text for review in held for text in review.texts]) >= made.threshold)
    by_fold = [iter(_split(found, [r for r, own in zip(reviews, fold, strict=True) if own == n]))
               for n, found in enumerate(marked)]  # fmt: skip
    return np.concatenate([next(by_fold[own]) for own in fold])


def learnt(reviews: Sequence[Annotated], *, seed: int = 1) -> Substantiation:
    """Fits to these reviews, with cost and threshold by cross-validation over them."""
    given = _Inputs.of(reviews)
    rows = np.repeat(_dealt(len(reviews), seed), [len(review.sentences) for review in reviews])
    best: tuple[float, float, float] = (-1.0, COSTS[0], 0.5)
    for cost in COSTS:
        chances = np.zeros(len(rows), np.float32)
        for number in range(_FOLDS):
            part = given.fitted(np.flatnonzero(rows != number), cost)
            chances[rows == number] = part(np.flatnonzero(rows == number))
        for threshold in np.quantile(chances, np.linspace(0.8, 0.99, 39)):
            marked = chances >= threshold
            f1 = 2 * (marked & given.truth).sum() / max(1, marked.sum() + given.truth.sum())
            best = max(best, (float(f1), cost, float(threshold)))
    _, cost, threshold = best
    words, weights = given.weights(np.arange(len(rows)), cost)
    return Substantiation(words, weights, round(threshold, 4), {"cost": cost, "seed": seed})


def card(made: Substantiation, reviews: Sequence[Annotated], figures: SpanFigures) -> dict[str, Any]:
    return {
        "id": "substantiation",
        "version": "1",
        "title": "Criticism without a reason",
        "kind": "head",
        "data": "SubstanReview (Guo et al. 2023), training part",
        "data_licence": "Apache-2.0",
        "licence": "AGPL-3.0-or-later",
        "encoder": "",
        "reviews": len(reviews),
        "sentences": sum(len(review.sentences) for review in reviews),
        "spans": sum(len(review.bare) for review in reviews),
        "protocol": "span F1, five folds by review, cost and threshold chosen inside",
        "cross_validation": {
            "f1": round(figures.f1, 4),
            "precision": round(figures.precision, 4),
            "recall": round(figures.recall, 4),
            "by_review": round(figures.by_review, 4),
        },
        **made.card,
    }


@dataclass(frozen=True, slots=True)
class _Inputs:
    grams: list[Any]
    dense: Vectors
    truth: Flags

    @classmethod
    def of(cls, reviews: Sequence[Annotated]) -> "_Inputs":
        texts = [text for review in reviews for text in review.texts]
        return cls(
            [word_grams(text) for text in texts],
            dense(texts),
            np.array([flag for review in reviews for flag in review.holds(review.bare)]),
        )

    def weights(self, rows: NDArray[np.intp], cost: float) -> tuple[Any, Vectors]:
        from scipy.sparse import csr_matrix, hstack

        words = vocabulary([self.grams[row] for row in rows], _LEAST_WORDS)
        grams = matrix(words.rows([self.grams[row] for row in rows]), len(words.hashes))
        inputs = csr_matrix(hstack([csr_matrix(self.dense[rows]), _SCALE * grams]))
        model = regression(inputs, self.truth[rows], C=cost, solver="liblinear", max_iter=300)
        found = np.append(model.coef_[0], model.intercept_[0]).astype(np.float32)
        found[self.dense.shape[1] : -1] *= _SCALE
        return words, found.astype(np.float16).astype(np.float32)

    def fitted(self, rows: NDArray[np.intp], cost: float) -> Callable[[NDArray[np.intp]], Vectors]:
        words, weights = self.weights(rows, cost)
        width = self.dense.shape[1]

        def chances(asked: NDArray[np.intp]) -> Vectors:
            grams = matrix(words.rows([self.grams[row] for row in asked]), len(words.hashes))
            odds = self.dense[asked] @ weights[:width] + grams @ weights[width:-1] + weights[-1]
            return np.asarray(1 / (1 + np.exp(-odds)), dtype=np.float32)

        return chances


_SCALE = 3.0
"""Rows of n-grams have length 1, so each entry is small compared with a flag."""


def _split(flags: Flags, reviews: Sequence[Annotated]) -> list[Flags]:
    return np.split(flags, np.cumsum([len(review.sentences) for review in reviews])[:-1])


def _dealt(count: int, seed: int) -> NDArray[np.intp]:
    return np.random.default_rng(seed).permutation(count) % _FOLDS


def _shared(first: Span, second: Span) -> int:
    return max(0, min(first.end, second.end) - max(first.start, second.start))
