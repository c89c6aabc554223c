"""Detects criticism that a review gives no reason for.

A logistic regression over a sentence's words, its role and form, and cues of reasons (numbers, places, "because"). Each
sentence is judged alone, so the result is the same in a field, in a file and in a benchmark. Trained on SubstanReview
(``engine/research/labels/substantiation.py``); needs only numpy, so it is fast enough while typing. About one in five
marked sentences is what annotators call a claim without evidence, so it is only a hint.
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
from safetensors.numpy import load_file, save

from engine.errors import EnvironmentProblem
from engine.files import write_whole
from engine.reviews.labels.features import ReviewSentences, Vectors, Vocabulary, surroundings, word_grams
from engine.reviews.labels.heads import sigmoid
from engine.reviews.records import Span
from engine.reviews.sentences import split_sentences
from engine.reviews.stretches import LIST_MARK, stretches

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

_HEADING = re.compile(r"#|(?:\*\*|__)[^.!?]*(?:\*\*|__):?$")
_WORD = re.compile(r"[^\W\d_]{2,}")


@dataclass(frozen=True)
class Substantiation:
    """``weights``: of the ``dense`` features, then of the vocabulary's n-grams, then the intercept."""

    words: Vocabulary
    weights: Vectors
    threshold: float
    card: Mapping[str, Any] = field(default_factory=dict)

    def chances(self, texts: Sequence[str]) -> Vectors:
        """Returns for each sentence the probability that it is criticism without a reason."""
        given = dense(texts)
        odds = given @ self.weights[: given.shape[1]] + self.weights[-1]
        grams = self.weights[given.shape[1] : -1]
        for at, (places, values) in enumerate(self.words.rows([word_grams(text) for text in texts])):
            odds[at] += values @ grams[places]
        return sigmoid(odds)

    def marks(self, text: str) -> tuple[Span, ...]:
        """Returns the sentences of a review that seem to criticise without a reason."""
        spans, texts = judged(text)
        bare = self.chances(texts) >= self.threshold
        return tuple(s for s, one in zip(spans, bare, strict=True) if one and not _is_heading(text[s.start : s.end]))


def judged(text: str) -> tuple[tuple[Span, ...], list[str]]:
    """Returns the sentences of a text, and each as it is judged: on one line, with "- " before it if it begins an item
    or a paragraph, whatever its own list mark is."""
    spans, first = split_sentences(text), {stretch.start for stretch in stretches(text)}
    plain = (" ".join(LIST_MARK.sub("", text[span.start : span.end], count=1).split()) for span in spans)
    return spans, ["- " * (span.start in first) + words for span, words in zip(spans, plain, strict=True)]


def _is_heading(sentence: str) -> bool:
    return bool(_HEADING.match(sentence)) or len(_WORD.findall(sentence)) < 3


def dense(texts: Sequence[str]) -> Vectors:
    """Returns (sentences, k): length, role and form of each sentence, and its cues of a reason."""
    cues = np.array([[bool(cue.search(text)) for cue in _CUES] for text in texts], np.float32)
    each = surroundings([ReviewSentences((text,)) for text in texts])
    return np.hstack([each, cues.reshape(-1, len(_CUES))]).astype(np.float32)


# files ----------------------------------------------------------------------------------------------------------------


def write(made: Substantiation, folder: Path) -> tuple[Path, Path]:
    """Writes weights and card. Raises EnvironmentProblem."""
    weights, card = folder / f"{SHIPPED}.safetensors", folder / f"{SHIPPED}.json"
    tensors: dict[str, NDArray[Any]] = {"hashes": made.words.hashes, "idf": made.words.idf.astype(np.float16)}
    tensors["weights"] = made.weights.astype(np.float16)
    whole = {**made.card, "threshold": made.threshold}
    write_whole(weights, save(tensors), make_folders=True)
    write_whole(card, (json.dumps(whole, indent=1, ensure_ascii=False) + "\n").encode())
    return weights, card


@cache
def shipped() -> Substantiation:
    """Returns the bundled model. Raises EnvironmentProblem if it is missing."""
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
