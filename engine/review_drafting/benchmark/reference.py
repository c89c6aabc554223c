"""The aggregated reference review of a paper: what its human reviews say together (ReviewBench, section 3.1).

Deterministic: equivalent points of several reviewers become one, in the words of the most central one; what more
reviewers say comes first; numeric fields are means, the decision is the majority's. Nothing is reworded.
"""

from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from engine.review_drafting.anchoring import content_stems
from engine.review_drafting.benchmark.records import SCORE_FIELDS
from engine.review_drafting.records import Review, Scores

Encode = Callable[[Sequence[str]], NDArray[np.float32]]
"""Maps texts to unit vectors (n, d)."""
SAME_BY_MEANING = 0.72
SAME_BY_WORDS = 0.5
"""From this cosine, or this Jaccard index of stems, two points count as equivalent."""


def likeness(first: Sequence[str], second: Sequence[str], encode: Encode | None) -> NDArray[np.float64]:
    """Returns the similarity of texts (n, m), relative to the limit for equivalence: 1 or more means equivalent."""
    stems = [content_stems(text) for text in first], [content_stems(text) for text in second]
    words = np.array([[_jaccard(a, b) for b in stems[1]] for a in stems[0]], dtype=np.float64)
    words = words.reshape(len(first), len(second)) / SAME_BY_WORDS
    if encode is None or not first or not second:
        return words
    vectors = np.asarray(encode([*first, *second]), dtype=np.float64)
    return np.maximum(words, vectors[: len(first)] @ vectors[len(first) :].T / SAME_BY_MEANING)


def aggregated(reviews: Sequence[Review], encode: Encode | None = None) -> Review:
    """Returns the reference review of one paper's human reviews; an empty review if there are none."""
    if not reviews:
        return Review()
    summaries = [review.summary for review in reviews if review.summary.strip()]
    return Review(
        summary=summaries[_central(likeness(summaries, summaries, encode))] if summaries else "",
        strengths=_together([review.strengths for review in reviews], encode),
        weaknesses=_together([review.weaknesses for review in reviews], encode),
        questions=_together([review.questions for review in reviews], encode),
        scores=mean_scores([review.scores for review in reviews]),
    )


def mean_scores(scores: Sequence[Scores]) -> Scores:
    """Returns the mean of the given values, field by field, and the most frequent decision, None if two are tied."""
    values = {
        name: float(np.mean(given))
        for name in SCORE_FIELDS
        if (given := [value for one in scores if (value := getattr(one, name)) is not None])
    }
    decisions = Counter(one.decision for one in scores if one.decision)
    first = decisions.most_common(2)
    clear = len(first) == 1 or (len(first) == 2 and first[0][1] > first[1][1])
    return Scores(**values, decision=first[0][0] if first and clear else None)


def _together(by_reviewer: Sequence[Sequence[str]], encode: Encode | None) -> tuple[str, ...]:
    points = [(number, point) for number, said in enumerate(by_reviewer) for point in said if point.strip()]
    if not points:
        return ()
    texts = [point for _, point in points]
    alike = likeness(texts, texts, encode)
    groups: list[list[int]] = []
    for at in range(len(texts)):
        # Complete linkage: a point only joins a group if it is equivalent to every member.
        home = next((group for group in groups if all(alike[at, other] >= 1 for other in group)), None)
        if home is None:
            groups.append([at])
        else:
            home.append(at)
    groups.sort(key=lambda group: (-len({points[at][0] for at in group}), group[0]))
    return tuple(texts[group[_central(alike[np.ix_(group, group)])]] for group in groups)


def _central(alike: NDArray[np.float64]) -> int:
    return int(np.argmax(alike.sum(1)))


def _jaccard(first: frozenset[str], second: frozenset[str]) -> float:
    return len(first & second) / len(first | second) if first and second else 0.0
