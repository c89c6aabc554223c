"""Filters human reviews for rubrics and comparisons: with our limits, and those of ReviewBench (section 3.1). Excluded
reviews stay in the project with the reason."""

import random
import re
from collections.abc import Sequence

from pydantic import Field

from engine.review_drafting.benchmark.records import SCORE_FIELDS, BenchmarkPaper, BenchmarkReview
from engine.review_drafting.records import POINT_FIELDS, Record, Review

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_ENGLISH = frozenset(
    ["the", "of", "and", "to", "in", "is", "that", "this", "for", "are", "with", "as", "be", "on", "it", "not", "but"]
)
_HELPING = 0.08
"""The minimum share of the commonest English words in English reviews; in other text it is below 0.03."""


class FilterSettings(Record):
    """The requirements for a review to be kept.

    ``least_words`` over all fields; ``least_confidence`` in ICLR's range from 1; ``same`` is the similarity (0 to 100)
    from which two reviews of a paper count as one, None to keep both; ``least_reviews`` of a paper, below which none of
    its reviews is kept. ``complete``: every text field and every score is present. ``whole_papers``: a paper without
    text, withdrawn, desk-rejected or with too few reviews is excluded with all its reviews, including candidates.
    """

    least_words: int = Field(default=50, ge=0)
    least_confidence: float = Field(default=2, ge=1, le=5)
    same: float | None = Field(default=90, ge=0, le=100)
    criticism: bool = True
    english: bool = True
    least_reviews: int = Field(default=1, ge=1)
    complete: bool = False
    whole_papers: bool = False


EVERYTHING = FilterSettings(least_words=0, least_confidence=1, same=None, criticism=False, english=False)
PUBLISHED = EVERYTHING.model_copy(update={"least_reviews": 3, "complete": True, "whole_papers": True})
"""The filter of ReviewBench as printed (section 3.1)."""
FILTERS = {"ours": FilterSettings(), "published": PUBLISHED, "none": EVERYTHING}
SEED = 42
"""The seed for sampling papers (section 3.1)."""


def drawn(papers: Sequence[BenchmarkPaper], most: int, seed: int = SEED) -> tuple[BenchmarkPaper, ...]:
    """Returns at most that many papers, sampled at random, in their original order."""
    chosen = set(random.Random(seed).sample(range(len(papers)), min(most, len(papers))))
    return tuple(paper for number, paper in enumerate(papers) if number in chosen)


def text_of(review: Review) -> str:
    return "\n".join((review.summary, *review.strengths, *review.weaknesses, *review.questions)).strip()


def filtered(
    reviews: Sequence[BenchmarkReview], settings: FilterSettings, papers: Sequence[BenchmarkPaper] = ()
) -> tuple[BenchmarkReview, ...]:
    """Returns the same reviews in the same order, each kept or excluded with the first reason that applies.

    Candidates and references are only excluded with their whole paper, since systems' output is what is measured.
    ``papers`` are used for ``whole_papers``.
    """
    from rapidfuzz import fuzz

    kept: dict[str, list[str]] = {review.paper_id: [] for review in reviews}
    whys: list[str] = []
    for review in reviews:
        why = "" if review.role != "human" else _why(review.review, settings)
        if review.role == "human" and not why:
            text = text_of(review.review)
            before = kept[review.paper_id]
            if settings.same is not None and any(fuzz.ratio(text, other) >= settings.same for other in before):
                why = "It repeats another review of this paper."
            else:
                before.append(text)
        whys.append(why)
    few = f"The paper has fewer than {settings.least_reviews} usable reviews."
    out = {paper: few for paper, texts in kept.items() if len(texts) < settings.least_reviews}
    if settings.whole_papers:
        out |= {paper.id: why for paper in papers if (why := _unfit(paper))}
    judged = []
    for review, own in zip(reviews, whys, strict=True):
        why = own or (out.get(review.paper_id, "") if review.role == "human" or settings.whole_papers else "")
        judged.append(review.model_copy(update={"kept": not why, "why_left_out": why}))
    return tuple(judged)


def _unfit(paper: BenchmarkPaper) -> str:
    if paper.decision in ("withdrawn", "desk rejected"):
        return f"The paper was {paper.decision}."
    return "" if paper.text.strip() or paper.document_id else "The paper has no text."


def _why(review: Review, settings: FilterSettings) -> str:
    text = text_of(review)
    words = [word.casefold() for word in _WORD.findall(text)]
    if not words:
        return "It has no text."
    if settings.complete:
        absent = [str(name) for name in POINT_FIELDS if not getattr(review, name)]
        absent += [name for name in SCORE_FIELDS if getattr(review.scores, name) is None]
        if absent:
            return f"It has no {', '.join(absent)}."
    if settings.english and len(words) >= 20 and sum(w in _ENGLISH for w in words) / len(words) < _HELPING:
        return "It doesn't seem to be in English."
    if len(words) < settings.least_words:
        return f"It has {len(words)} words; at least {settings.least_words} are needed."
    if settings.criticism and not review.weaknesses and not review.questions:
        return "It contains no weaknesses or questions."
    confidence = review.scores.confidence
    if confidence is not None and confidence < settings.least_confidence:
        return f"Its reviewer's confidence is {confidence:g}; at least {settings.least_confidence:g} is needed."
    return ""
