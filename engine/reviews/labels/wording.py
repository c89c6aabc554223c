"""What wording and layout say of a sentence, as numbers that the last step of heads reads.

What a sentence is there for (``engine.reviews.cues``), under which kind of heading it is ("Strengths:"), how it is
marked (question, bullet, number, quotation), and what its neighbours are there for. Only cues: heads learn what they
are worth.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import get_args

import numpy as np

from engine.reviews.cues import SentenceRole, sentence_role
from engine.reviews.labels.features import POSITIONS, ReviewSentences, Vectors, neighbours, positions

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
"""No heading yet, one of those above, another one."""
_LEAD = re.compile(r"\W*([\w /&]{2,40}?)\s*:")
_BULLET, _NUMBER = re.compile(r"\s*[-*+•]"), re.compile(r"\W*\(?\d")
_MARKS = 4
SURROUNDINGS = POSITIONS + 3 * len(_ROLES) + _STATES + _MARKS
"""How many numbers ``surroundings`` gives a sentence."""


def surroundings(reviews: Sequence[ReviewSentences]) -> Vectors:
    """(sentences, SURROUNDINGS): its place (``features.positions``), its role and those of the sentences before and
    after it, the heading that it is under, and its marks; all but the place are 0 or 1.
    """
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
    """Under which kind of heading a sentence is that follows one of the kind ``before``: its own where it is one,
    or begins with one ("Pros: ...").
    """
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
