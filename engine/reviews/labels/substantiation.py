"""Criticism that a review gives no reason for: sentences that claim something against the paper, and leave it at that.

A logistic regression over a sentence's words, its place, role and marks, and cues of reasons (numbers, places,
"because") in it and beside it. Learnt from SubstanReview (``engine/research/labels/substantiation.py``); numpy alone,
so that it answers while one types. About one mark in five is what annotators call a claim without evidence: a hint.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.errors import EnvironmentProblem
from engine.files import write_whole
from engine.reviews.labels.features import ReviewSentences, Vectors, Vocabulary, neighbours, surroundings, word_grams
from engine.reviews.labels.heads import sigmoid
from engine.reviews.sentences import split_sentences

SHIPPED = "substantiation"
_CUES = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"\b(?:because|since|due to|given that|as (?:the|it|they|there|this)|therefore|thus|hence|so that)\b",
        r"\b(?:for (?:example|instance)|e\.g|i\.e|such as|in particular|specifically|namely)\b",
        r"\b(?:section|table|fig(?:ure)?|eq(?:uation)?|line|page|appendix|theorem)s?\b[ .]*\d|\[\d|\(\d|et al",
        r"\d", r"\(", r":\s*$|:", r"\?", r"[“\"‘]", r"\b(?:while|whereas|although|but|however)\b",
    )
)  # fmt: skip

_WORD = re.compile(r"[^\W\d_]{2,}")


@dataclass(frozen=True, slots=True)
class Unreasoned:
    """A sentence that seems to criticise without a reason: [start, end) of the text, and the chance that it does."""

    start: int
    end: int
    chance: float


@dataclass(frozen=True)
class Substantiation:
    """``weights``: of ``dense`` features, then of the vocabulary's n-grams, then the intercept."""

    words: Vocabulary
    weights: Vectors
    threshold: float
    card: Mapping[str, Any] = field(default_factory=dict)

    def chances(self, reviews: Sequence[ReviewSentences]) -> Vectors:
        """For each sentence of all reviews the chance that it is criticism without a reason."""
        given = dense(reviews)
        odds = given @ self.weights[: given.shape[1]] + self.weights[-1]
        grams = self.weights[given.shape[1] : -1]
        texts = [text for review in reviews for text in review.texts]
        for at, (places, values) in enumerate(self.words.rows([word_grams(text) for text in texts])):
            odds[at] += values @ grams[places]
        return sigmoid(odds)

    def marks(self, text: str) -> tuple[Unreasoned, ...]:
        """The sentences of a review that seem to criticise without a reason."""
        spans = list(split_sentences(text))
        if not spans:
            return ()
        found = self.chances([ReviewSentences(tuple(text[span.start : span.end] for span in spans))])
        return tuple(
            Unreasoned(span.start, span.end, round(float(chance), 3))
            for span, chance in zip(spans, found, strict=True)
            if chance >= self.threshold and len(_WORD.findall(text, span.start, span.end)) > 2  # no heading
        )


def dense(reviews: Sequence[ReviewSentences]) -> Vectors:
    """(sentences, k): place, role and marks of each sentence, and its cues of a reason and those of its neighbours."""
    texts = [text for review in reviews for text in review.texts]
    sizes = [len(review.texts) for review in reviews]
    cues = np.array([[bool(cue.search(text)) for cue in _CUES] for text in texts], np.float32)
    cues = cues.reshape(-1, len(_CUES))
    beside = [neighbours(cues, sizes, distance) for distance in (-1, 1)]
    return np.hstack([surroundings(reviews), cues, *beside]).astype(np.float32)


# files ----------------------------------------------------------------------------------------------------------------


def write(made: Substantiation, folder: Path) -> tuple[Path, Path]:
    """Writes weights and card. Raises EnvironmentProblem."""
    from safetensors.numpy import save

    weights, card = folder / f"{SHIPPED}.safetensors", folder / f"{SHIPPED}.json"
    tensors: dict[str, NDArray[Any]] = {"hashes": made.words.hashes, "idf": made.words.idf.astype(np.float16)}
    tensors["weights"] = made.weights.astype(np.float16)
    whole = {**made.card, "threshold": made.threshold}
    write_whole(weights, save(tensors), make_folders=True)
    write_whole(card, (json.dumps(whole, indent=1, ensure_ascii=False) + "\n").encode())
    return weights, card


@cache
def shipped() -> Substantiation:
    """What ships. Raises EnvironmentProblem where it is missing."""
    from safetensors.numpy import load_file

    folder = Path(str(resources.files("resources").joinpath("heads")))
    try:
        card = json.loads((folder / f"{SHIPPED}.json").read_text(encoding="utf-8"))
        tensors = load_file(folder / f"{SHIPPED}.safetensors")
        words = Vocabulary(tensors["hashes"], tensors["idf"].astype(np.float32))
        return Substantiation(words, tensors["weights"].astype(np.float32), float(card["threshold"]), card)
    except (OSError, ValueError, KeyError) as error:
        raise EnvironmentProblem(
            f"The weights {SHIPPED} are missing in {folder}.", "Criticism without a reason isn't marked."
        ) from error
