"""Sets of spans in one text: checked, put in order, joined where they touch, cut in two."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from engine.errors import BadInput
from engine.reviews.layout import read_units, readable
from engine.reviews.marks import MarkedText
from engine.reviews.naming import reviewer_name
from engine.reviews.records import Comment, Span

GAP = " [...] "
"""Is between the spans of one comment where they are read as one text."""


def normalised(text: str, spans: Iterable[Span]) -> tuple[Span, ...]:
    """The spans in order of the text, trimmed of white space, without empty ones; overlapping and touching ones joined.

    Raises:
        BadInput: a span reaches beyond the text.
    """
    trimmed = []
    for span in spans:
        if not 0 <= span.start <= span.end <= len(text):
            raise BadInput(
                f"The span {span.start} to {span.end} is not inside its text of {len(text)} characters.",
                "Nothing was changed.",
                "Mark the place again.",
            )
        start, end = span.start, span.end
        while start < end and text[start].isspace():
            start += 1
        while end > start and text[end - 1].isspace():
            end -= 1
        if start < end:
            trimmed.append(Span(start, end))
    joined: list[Span] = []
    for span in sorted(trimmed, key=lambda s: (s.start, s.end)):
        if joined and span.start <= joined[-1].end:
            joined[-1] = Span(joined[-1].start, max(joined[-1].end, span.end))
        else:
            joined.append(span)
    return tuple(joined)


def cut(spans: Sequence[Span], position: int) -> tuple[tuple[Span, ...], tuple[Span, ...]]:
    """What lies before ``position`` and what lies after it."""
    before = tuple(Span(s.start, min(s.end, position)) for s in spans if s.start < position)
    after = tuple(Span(max(s.start, position), s.end) for s in spans if s.end > position)
    return before, after


def spoken(text: str, spans: Sequence[Span]) -> str:
    """The spans as one readable text, with ``[...]`` between them."""
    return readable(text, tuple(spans), GAP)


def unassigned(text: str, comments: Iterable[Comment]) -> tuple[Span, ...]:
    """The pieces of a review or letter that are in no comment, context or response, in order. Headings, rules, names of
    reviewers and labels are no pieces.
    """
    taken = normalised(text, (span for c in comments for span in (*c.spans, *c.context_spans, *c.response_spans)))
    found: list[Span] = []
    for unit in read_units(MarkedText(text)):
        begin = unit.label.end if unit.label else unit.start
        if unit.kind in ("heading", "rule") or reviewer_name(text[unit.start : unit.end].strip()) is not None:
            continue
        for span in taken:
            if span.end > begin and span.start < unit.end:
                found.append(Span(begin, min(span.start, unit.end)))
                begin = max(begin, span.end)
        found.append(Span(begin, unit.end))
    return tuple(
        span for span in normalised(text, (s for s in found if s.start < s.end)) if _says(text[span.start : span.end])
    )


def _says(text: str) -> bool:
    return any(ch.isalnum() for ch in text)
