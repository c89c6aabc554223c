"""Which human reviews are fit to be learnt from and compared with (ReviewBench, section 3.1).

The paper says what is sorted out; the limits here are ours, and a person can change them. What is left out stays in
the project with its reason.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from pydantic import Field

from engine.review_drafting.benchmark.records import BenchmarkReview
from engine.review_drafting.records import Record, Review

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_ENGLISH = frozenset(
    ["the", "of", "and", "to", "in", "is", "that", "this", "for", "are", "with", "as", "be", "on", "it", "not", "but"]
)
_HELPING = 0.08
"""The least share of the commonest English words in English prose of reviews; elsewhere it is below 0.03."""


class FilterSettings(Record):
    """What a review must have to stay.

    ``least_words`` over all fields; ``least_confidence`` in ICLR's range from 1; ``same`` is the likeness (0 to 100)
    from which on two reviews of a paper are one; ``least_reviews`` of a paper, below which none of its reviews stays.
    """

    least_words: int = Field(default=50, ge=0)
    least_confidence: float = Field(default=2, ge=1, le=5)
    same: float = Field(default=90, ge=0, le=100)
    criticism: bool = True
    english: bool = True
    least_reviews: int = Field(default=1, ge=1)


def text_of(review: Review) -> str:
    """All fields as one text."""
    return "\n".join((review.summary, *review.strengths, *review.weaknesses, *review.questions)).strip()


def filtered(reviews: Sequence[BenchmarkReview], settings: FilterSettings) -> tuple[BenchmarkReview, ...]:
    """The same reviews in the same order, each kept or left out with the first reason that holds.

    Candidates and references are never filtered: what a system wrote is what is measured.
    """
    from rapidfuzz import fuzz

    kept: dict[str, list[str]] = {}
    judged: list[BenchmarkReview] = []
    for review in reviews:
        why = "" if review.role != "human" else _why(review.review, settings)
        if review.role == "human" and not why:
            text = text_of(review.review)
            before = kept.setdefault(review.paper_id, [])
            if any(fuzz.ratio(text, other) >= settings.same for other in before):
                why = "It repeats another review of this paper."
            else:
                before.append(text)
        judged.append(review.model_copy(update={"kept": not why, "why_left_out": why}))
    few = {paper for paper, texts in kept.items() if len(texts) < settings.least_reviews}
    return tuple(
        review.model_copy(
            update={"kept": False, "why_left_out": f"The paper has fewer than {settings.least_reviews} fit reviews."}
        )
        if review.role == "human" and review.kept and review.paper_id in few
        else review
        for review in judged
    )


def _why(review: Review, settings: FilterSettings) -> str:
    text = text_of(review)
    words = [word.casefold() for word in _WORD.findall(text)]
    if not words:
        return "It has no text."
    if settings.english and len(words) >= 20 and sum(w in _ENGLISH for w in words) / len(words) < _HELPING:
        return "It does not seem to be in English."
    if len(words) < settings.least_words:
        return f"It has {len(words)} words; {settings.least_words} are asked for."
    if settings.criticism and not review.weaknesses and not review.questions:
        return "It names no weakness and asks nothing."
    confidence = review.scores.confidence
    if confidence is not None and confidence < settings.least_confidence:
        return f"Its reviewer's confidence is {confidence:g}; {settings.least_confidence:g} is asked for."
    return ""
