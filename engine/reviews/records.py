"""Records of reviews, their comments, and the authors' responses. Offsets are code points of the original text."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from engine.reviews.marks import Reading

ActionClass = Literal["compare", "apply", "use", "define", "discuss", "report", "explain", "remove", "other"]
"""ARIES, appendix B.1, with ``other`` for anything else."""
Asks = Literal["yes", "maybe", "criticism", "no"]
"""Whether a comment asks for something, by its wording; "criticism" without saying what should be done."""
DOUBTS: Mapping[str, str] = {"maybe": "may not be a request", "criticism": "criticism without a request"}


@dataclass(frozen=True, slots=True)
class Span:
    """[start, end) in the text that it belongs to."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class SourceText:
    """An imported text (a review, or a letter with several): kept whole, never rewritten."""

    id: str
    title: str
    text: str
    media_type: Literal["text/plain", "text/markdown"] = "text/markdown"
    reviewer: str = ""
    kind: Literal["review", "letter", "meta-review", "reply"] = "review"
    fields: tuple[tuple[str, str], ...] = ()
    """Further fields of the source (rating, confidence, decision...), name and value as given there."""


FOLLOWS, SAME_RESPONSE = "follows_comment", "same_response"
"""Keys in a comment's ``extra``."""


@dataclass(frozen=True, slots=True)
class Comment:
    """A review comment: one request, from one or several spans, with its block as context.

    ``comment``, ``context`` and ``response`` are the readable texts (without quote marks and list numbers); the spans
    are their positions in the source text ``source_id``.
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
    """The id in the imported file; empty if a person marked it."""

    @property
    def follows(self) -> str:
        """The comment whose answer the reviewer reacts to in this one; "" if none."""
        return dict(self.extra).get(FOLLOWS, "")

    @property
    def same_response(self) -> str:
        """A key shared by the comments with the same response; "" if it has its own response."""
        return dict(self.extra).get(SAME_RESPONSE, "")


@dataclass(frozen=True, slots=True)
class ReviewBundle:
    """The result of an import: texts, their comments, and warnings in sentences."""

    texts: tuple[SourceText, ...]
    comments: tuple[Comment, ...] = ()
    warnings: tuple[str, ...] = ()
    readings: tuple[Reading, ...] = ()
    """The possible readings of a letter, best first."""
    reading: Reading | None = None
    """The reading that was used."""


@dataclass(frozen=True, slots=True)
class ReviewChange:
    """The result of a change: new or changed texts and comments in their current state, and removed comments."""

    texts: tuple[SourceText, ...] = ()
    comments: tuple[Comment, ...] = ()
    removed: tuple[Comment, ...] = ()
