"""Features of a sentence: its words and letters, its position in the review, and its neighbours.

Words and letters are counted as hashed n-grams: one to three words, two to five letters within words. A vocabulary is
the sorted array of the hashes that were frequent enough in training, so a head needs no strings. Everything is numpy
and deterministic.
"""

import re
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any, get_args

import numpy as np
from numpy.typing import NDArray

from engine.reviews.cues import SentenceRole, sentence_role
from engine.reviews.labels.records import LabelledReview

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

Vectors = NDArray[np.float32]
Hashes = NDArray[np.uint32]

_TOKEN = re.compile(r"[^\W\d_]+|\d+|[^\w\s]")
_WORDS, _LETTERS = (1, 2, 3), (2, 3, 4, 5)
POSITIONS = 7
"""The number of features from ``positions``."""


@dataclass(frozen=True, slots=True)
class ReviewSentences:
    """The sentences of one review, in order. ``further``: (sentences, k), additional features for the last step of
    heads; the same k in all reviews of one training."""

    texts: tuple[str, ...]
    further: Vectors | None = field(default=None, compare=False)

    @classmethod
    def of(cls, review: LabelledReview) -> "ReviewSentences":
        return cls(tuple(review.words(sentence) for sentence in review.sentences))


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The n-grams in use, with the weight of each: smoothed idf, log((1 + n) / (1 + df)) + 1. ``hashes`` is sorted."""

    hashes: Hashes
    idf: Vectors

    def rows(self, grams: Sequence[Hashes]) -> list[tuple[NDArray[np.intp], Vectors]]:
        """Returns for each sentence the indices of its known n-grams and their weights, (1 + log tf) idf, of length
        1."""
        found = []
        for own in grams:
            unique, counts = np.unique(own, return_counts=True)
            at = np.searchsorted(self.hashes, unique)
            at[at == len(self.hashes)] = 0
            known = self.hashes[at] == unique if len(self.hashes) else np.zeros(len(unique), dtype=bool)
            places = at[known]
            weights = ((1.0 + np.log(counts[known])) * self.idf[places]).astype(np.float32)
            norm = float(np.sqrt((weights**2).sum()))
            found.append((places, weights / np.float32(norm) if norm else weights))
        return found


def vocabulary(grams: Sequence[Hashes], least: int) -> Vocabulary:
    """Returns the n-grams that occur in at least ``least`` of the sentences."""
    unique = [np.unique(own) for own in grams]
    hashes, counts = np.unique(np.concatenate(unique) if unique else np.zeros(0, np.uint32), return_counts=True)
    kept = counts >= least
    idf = np.log((1 + len(grams)) / (1 + counts[kept])) + 1
    # Rounded as when stored, so that training and prediction use the same weights.
    return Vocabulary(hashes[kept].astype(np.uint32), idf.astype(np.float16).astype(np.float32))


def word_grams(text: str) -> Hashes:
    """Returns hashes of the runs of one to three tokens; all numbers are treated as equal."""
    tokens = ["0" if token[0].isdigit() else token for token in _TOKEN.findall(text.lower())]
    found = [
        zlib.crc32(" ".join(tokens[at : at + size]).encode()) for size in _WORDS for at in range(len(tokens) - size + 1)
    ]
    return np.array(found, dtype=np.uint32)


def letter_grams(text: str) -> Hashes:
    """Returns hashes of the runs of two to five letters within each word, which is padded with a blank on both
    sides."""
    found = [_letters(word) for word in text.lower().split()]
    return np.concatenate(found) if found else np.zeros(0, np.uint32)


@lru_cache(maxsize=50_000)
def _letters(word: str) -> Hashes:
    padded = f" {word[:40]} "
    grams = [padded[at : at + size] for size in _LETTERS for at in range(len(padded) - size + 1)]
    return np.array([zlib.crc32(b"\0" + gram.encode("utf-8", "replace")) for gram in grams], dtype=np.uint32)


def matrix(rows: Sequence[tuple[NDArray[np.intp], Vectors]], width: int) -> "csr_matrix[Any]":
    """Converts rows of one vocabulary to a sparse matrix (sentences, width)."""
    from scipy.sparse import csr_matrix

    indptr = np.cumsum([0, *(len(places) for places, _ in rows)])
    indices = np.concatenate([places for places, _ in rows]) if rows else np.zeros(0, np.intp)
    values = np.concatenate([weights for _, weights in rows]) if rows else np.zeros(0, np.float32)
    return csr_matrix((values, indices, indptr), shape=(len(rows), width))


def positions(reviews: Sequence[ReviewSentences]) -> Vectors:
    """Returns (sentences, POSITIONS): relative position (0..1), whether first, second, last, length of the review,
    length of the sentence, and 1 / sqrt of its number."""
    found = []
    for review in reviews:
        count = len(review.texts)
        for at, text in enumerate(review.texts):
            found.append(
                (
                    at / max(1, count - 1), at == 0, at == 1, at == count - 1,
                    min(count, 60) / 60, min(len(text), 900) / 300, (at + 1) ** -0.5,
                )
            )  # fmt: skip
    return np.array(found, dtype=np.float32).reshape(-1, POSITIONS)


def neighbours(values: Vectors, sizes: Sequence[int], distance: int) -> Vectors:
    """Returns for each row the one ``distance`` further down in the same review (negative: further up), zeros beyond
    its ends. ``sizes``: the number of sentences of each review."""
    moved = np.zeros_like(values)
    start = 0
    for size in sizes:
        step = min(abs(distance), size)
        if distance > 0:
            moved[start : start + size - step] = values[start + step : start + size]
        else:
            moved[start + step : start + size] = values[start : start + size - step]
        start += size
    return moved


# --- wording and layout of a sentence as features for the last step of heads ------------------------------------------
# The sentence's function (``engine.reviews.cues``), the kind of heading it is under ("Strengths:"), its form (question,
# bullet, number, quotation), and its neighbours' functions. These are only cues, which heads learn to weight.

_ROLES: tuple[SentenceRole, ...] = get_args(SentenceRole)
_HEADINGS = (
    re.compile(r"\b(?:strengths?|pros?|positives?|merits?|advantages?)\b", re.IGNORECASE),
    re.compile(r"\b(?:weak\w*|cons?|negatives?|concerns?|limitations?|drawbacks?|issues?|problems?)\b", re.IGNORECASE),
    re.compile(r"\b(?:questions?|suggest\w*|comments?|minor|typos?|details?|remarks?|feedback)\b", re.IGNORECASE),
    re.compile(
        r"\b(?:summary|overview|contributions?|abstract|overall|conclusions?|evaluation|rating|quality|clarity|"
        r"originality|significance|novelty)\b",
        re.IGNORECASE,
    ),
)
_STATES = len(_HEADINGS) + 2
"""No heading yet, one of those above, or another one."""
_LEAD = re.compile(r"\W*([\w /&]{2,40}?)\s*:")
_BULLET, _NUMBER = re.compile(r"\s*[-*+•]"), re.compile(r"\W*\(?\d")
_MARKS = 4
SURROUNDINGS = POSITIONS + 3 * len(_ROLES) + _STATES + _MARKS
"""The number of features from ``surroundings``."""


def surroundings(reviews: Sequence[ReviewSentences]) -> Vectors:
    """Returns (sentences, SURROUNDINGS): position (``positions``), the roles of the sentence and of those before and
    after it, the heading that it is under, and its form; all but the position are 0 or 1."""
    texts = [text for review in reviews for text in review.texts]
    sizes = [len(review.texts) for review in reviews]
    roles = np.array([[role == known for known in _ROLES] for role in map(sentence_role, texts)], dtype=np.float32)
    roles = roles.reshape(-1, len(_ROLES))
    beside = [neighbours(roles, sizes, distance) for distance in (-1, 1)]
    marks = np.array([_marks(text) for text in texts], dtype=np.float32).reshape(-1, _MARKS)
    return np.hstack([positions(reviews), roles, *beside, _headings(reviews), marks]).astype(np.float32)


def _headings(reviews: Sequence[ReviewSentences]) -> Vectors:
    found = np.zeros((sum(len(review.texts) for review in reviews), _STATES), np.float32)
    at = 0
    for review in reviews:
        state = 0
        for text in review.texts:
            state = _state(text, state)
            found[at, state] = 1
            at += 1
    return found


def _state(text: str, before: int) -> int:
    """Returns the kind of heading that applies to a sentence after one of the kind ``before``: its own if it is a
    heading or begins with one ("Pros: ...")."""
    words = text.strip()
    alone = (len(words) < 60 and (words.endswith(":") or words.startswith(("#", "**")))) or (
        len(words) < 30 and words[-1:] not in {".", "?", "!"}
    )
    lead = _LEAD.match(words)
    title = words if alone else lead.group(1) if lead else ""
    for number, pattern in enumerate(_HEADINGS, start=1):
        if title and pattern.search(title):
            return number
    return _STATES - 1 if alone else before


def _marks(text: str) -> tuple[bool, bool, bool, bool]:
    words = text.strip()
    return "?" in words, bool(_BULLET.match(words)), bool(_NUMBER.match(words)), words[:1] in {">", '"', "“"}
