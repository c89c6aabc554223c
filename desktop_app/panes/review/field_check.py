"""What is known of the text of a field: its sentences and their places, its tone, words that identify the reviewer."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from engine.reviews.records import Span

if TYPE_CHECKING:
    from engine.documents.places import Places
    from engine.review_drafting.grounding import Claim, GroundedReview
    from engine.reviews.anonymity import Identifying
    from engine.reviews.labels.substantiation import Unreasoned
    from engine.reviews.tone import ToneRemark


@dataclass(frozen=True, slots=True)
class FieldCheck:
    """``grounded`` is the result of the check of exactly this text; None until it arrives."""

    text: str
    claims: tuple[Claim, ...] = ()
    tone: tuple[ToneRemark, ...] = ()
    identity: tuple[Identifying, ...] = ()
    unreasoned: tuple[Unreasoned, ...] = ()
    grounded: GroundedReview | None = None

    def no_reason(self, claim: Claim) -> bool:
        """Whether a sentence seems to criticise without a reason."""
        return any(one.start < claim.end and claim.start < one.end for one in self.unreasoned)

    @property
    def waiting(self) -> bool:
        """Whether this text is not checked yet."""
        return self.grounded is None and bool(self.text.strip())

    def at(self, position: int) -> Claim | None:
        """The sentence that contains a caret: the last one that begins at or before it."""
        found = [claim for claim in self.claims if claim.start <= position]
        return found[-1] if found and position <= found[-1].end + 1 else None

    def moved(self, text: str) -> FieldCheck:
        """The same for an edited text, without the sentences that the edit touched."""
        if text == self.text:
            return self
        head, tail = common_ends(self.text, text)
        by = len(text) - len(self.text)
        first, last = head, len(self.text) - tail

        def shift(start: int, end: int) -> int | None:
            return 0 if end < first or (end == first == last) else by if start > last else None

        claims = [(claim, shift(claim.start, claim.end)) for claim in self.claims]
        tone = [(remark, shift(remark.span.start, remark.span.end)) for remark in self.tone]
        identity = [(one, shift(one.span.start, one.span.end)) for one in self.identity]
        unreasoned = [(one, shift(one.start, one.end)) for one in self.unreasoned]
        return FieldCheck(
            text,
            tuple(_shifted(claim, move) for claim, move in claims if move is not None),
            tuple(replace(one, span=_span(one.span, move)) for one, move in tone if move is not None),
            tuple(replace(one, span=_span(one.span, move)) for one, move in identity if move is not None),
            tuple(
                replace(one, start=one.start + move, end=one.end + move) for one, move in unreasoned if move is not None
            ),
        )


def common_ends(old: str, new: str) -> tuple[int, int]:
    """The number of characters that two texts share at the beginning and at the end, without overlap."""
    most = min(len(old), len(new))
    head = next((n for n in range(most) if old[n] != new[n]), most)
    most -= head
    tail = next((n for n in range(most) if old[-1 - n] != new[-1 - n]), most)
    return head, tail


def _span(span: Span, by: int) -> Span:
    return Span(span.start + by, span.end + by)


def _shifted(claim: Claim, by: int) -> Claim:
    if not by:
        return claim
    parts = tuple(replace(one, start=one.start + by, end=one.end + by) for one in claim.parts)
    return replace(claim, start=claim.start + by, end=claim.end + by, parts=parts)


def check_field(text: str, places: Places, names: tuple[str, ...]) -> FieldCheck:
    """Checks a text against its paper; ``names`` identify the reviewer."""
    from engine.review_drafting.grounding import ground
    from engine.reviews.labels.substantiation import shipped
    from engine.reviews.wording import check_wording

    grounded, wording = ground(text, places), check_wording(text, "reviewer", names)
    return FieldCheck(text, grounded.claims, wording.tone, wording.identity, shipped().marks(text), grounded)
