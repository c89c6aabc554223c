"""Outlines made on the spot."""

from __future__ import annotations

from collections.abc import Sequence

from engine.rebuttal.points import Outline, outline
from engine.rebuttal.records import Point
from engine.reviews.records import SAME_RESPONSE, Comment

ASKED = (
    "Why was the threshold set to three quarters, and how were the two sites chosen?",
    "The evaluation lacks an ablation of the second stage; please add one.",
    "Figure 2 is too small to read in print.",
    "The related work misses the line of research on tidal calendars.",
    "How long does the fitting take on an ordinary machine?",
)


def make_outline(
    replies: Sequence[str], *, reviewers: int = 2, opening: str = "", closing: str = "", shared: Sequence[int] = ()
) -> Outline:
    """Comments dealt out to reviewers in turn, with these replies; ``shared`` have theirs together."""
    comments, points = [], {}
    for number, reply in enumerate(replies):
        key = f"c{number}"
        said = ASKED[number] if number < len(ASKED) else f"Request {number} on matter {number * 7} of the paper."
        extra = ((SAME_RESPONSE, "one"),) if number in shared else ()
        comments.append(Comment(key, "s", f"Reviewer {number % reviewers + 1}", said, extra=extra))
        if reply:
            points[key] = Point("reply", key, text=reply, id=f"p{number}")
    comments.sort(key=lambda comment: comment.reviewer)
    words = [
        Point("opening", reviewer="Reviewer 1", text=opening),
        Point("closing", reviewer="Reviewer 1", text=closing),
    ]
    return outline(comments, points, [word for word in words if word.text])
