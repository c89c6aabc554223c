"""A review for tests that need comments and don't mind what they say."""

from __future__ import annotations

from engine.reviews.records import Comment, ReviewBundle, SourceText, Span


def review(count: int) -> ReviewBundle:
    """A review with ``count`` comments of one sentence each."""
    sentence = "Please explain the split."
    comments = tuple(
        Comment(f"c{n}", "r1", "R1", sentence, spans=(Span(26 * n, 26 * n + len(sentence)),)) for n in range(count)
    )
    return ReviewBundle((SourceText("r1", "Review 1", f"{sentence} " * count, reviewer="R1"),), comments)
