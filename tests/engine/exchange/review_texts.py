"""A review as a text to be read."""

from engine.review_drafting.benchmark.records import SCORE_FIELDS
from engine.review_drafting.records import Review
from engine.shown import inert_line


def write_review(review: Review, title: str = "") -> str:
    """A review as Markdown that ``read_review`` reads back the same, but for white space inside of points."""
    lines = [f"# {inert_line(title)}", ""] if title else []
    if review.summary:
        lines += ["## Summary", "", review.summary, ""]
    for name in ("strengths", "weaknesses", "questions"):
        points = getattr(review, name)
        if points:
            lines += [f"## {name.capitalize()}", "", *(f"- {' '.join(point.split())}" for point in points), ""]
    for name in SCORE_FIELDS:
        value = getattr(review.scores, name)
        if value is not None:
            lines += [f"## {name.capitalize()}", "", f"{value:g}", ""]
    if review.scores.decision:
        lines += ["## Decision", "", review.scores.decision, ""]
    return "\n".join(lines).rstrip("\n") + "\n"
