"""Reviews, the comments marked in them, and the authors' responses. Offsets are code points of the original text."""

from dataclasses import dataclass, field
from typing import Literal

from engine.reviews.marks import Reading

ActionClass = Literal["compare", "apply", "use", "define", "discuss", "report", "explain", "remove", "other"]
"""ARIES, appendix B.1, with ``other`` for what none of the eight names."""


@dataclass(frozen=True, slots=True)
class Span:
    """[start, end) in the text that it belongs to."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class SourceText:
    """A text as it came in (a review, or a letter that holds several): kept whole, never rewritten."""

    id: str
    title: str
    text: str
    media_type: Literal["text/plain", "text/markdown"] = "text/markdown"
    reviewer: str = ""
    kind: Literal["review", "letter", "meta-review", "reply"] = "review"
    fields: tuple[tuple[str, str], ...] = ()
    """Further fields of the source (rating, confidence, decision...), name and value as they stood there."""


FOLLOWS, SAME_RESPONSE = "follows_comment", "same_response"
"""Names in a comment's ``extra``."""


@dataclass(frozen=True, slots=True)
class Comment:
    """A review comment: one request, from one or several spans, with the block it is in as context.

    ``comment``, ``context`` and ``response`` are the readable texts (quote marks and list numbers removed); the spans
    say where they stand in the source text ``source_id``.
    """

    id: str
    source_id: str
    reviewer: str
    comment: str
    context: str = ""
    response: str = ""
    spans: tuple[Span, ...] = ()
    context_spans: tuple[Span, ...] = ()
    response_spans: tuple[Span, ...] = ()
    actionable: bool = True
    action: ActionClass | None = None
    extra: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    external_id: str = ""
    """The id in the file that it was imported from; empty where a person marked it."""

    @property
    def follows(self) -> str:
        """The comment after whose answer the reviewer wrote this one; "" for none."""
        return dict(self.extra).get(FOLLOWS, "")

    @property
    def same_response(self) -> str:
        """What the comments that get one response have in common; "" where it has a response of its own."""
        return dict(self.extra).get(SAME_RESPONSE, "")


@dataclass(frozen=True, slots=True)
class ReviewBundle:
    """What an import found: texts and the comments in them, and sentences for people on what could not be read."""

    texts: tuple[SourceText, ...]
    comments: tuple[Comment, ...] = ()
    warnings: tuple[str, ...] = ()
    readings: tuple[Reading, ...] = ()
    """The ways in which a letter may be read, best first."""
    reading: Reading | None = None
    """The one that was taken."""


@dataclass(frozen=True, slots=True)
class ReviewChange:
    """What a verb changed: texts and comments that are new or altered, as they are now, and those that are gone."""

    texts: tuple[SourceText, ...] = ()
    comments: tuple[Comment, ...] = ()
    removed: tuple[Comment, ...] = ()
