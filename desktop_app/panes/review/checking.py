"""What is known of each field's sentences while one types: checked in the background, moved along with the text.

A check runs a moment after the last key, one field at a time, and never on the window's thread. Until it is back, what
was known of sentences that were not touched stays where these sentences went.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QObject, QTimer, Signal

from desktop_app.widgets.fetcher import Fetcher
from engine.reviews.records import Span

if TYPE_CHECKING:
    from engine.documents.places import Places
    from engine.review_drafting.grounding import Claim, GroundedReview
    from engine.reviews.anonymity import Identifying
    from engine.reviews.tone import ToneRemark

PAUSE_MS = 150
"""A field is checked after so short a pause in typing."""
_CHECK = "check"


@dataclass(frozen=True, slots=True)
class FieldCheck:
    """What is known of a field's ``text``: its sentences, words of doubtful tone, words that show who reviews.

    ``grounded`` is what the check itself said, of the text that it saw; None while that is not this text.
    """

    text: str
    claims: tuple[Claim, ...] = ()
    tone: tuple[ToneRemark, ...] = ()
    identity: tuple[Identifying, ...] = ()
    grounded: GroundedReview | None = None

    @property
    def waiting(self) -> bool:
        """Whether this text is not checked yet."""
        return self.grounded is None and bool(self.text.strip())

    def count(self, colour: str) -> int:
        """How many sentences have a colour."""
        return sum(claim.colour == colour for claim in self.claims)

    def at(self, position: int) -> Claim | None:
        """The sentence in which a caret stands: the last that begins at or before it."""
        found = [claim for claim in self.claims if claim.start <= position]
        return found[-1] if found and position <= found[-1].end + 1 else None

    def moved(self, text: str) -> FieldCheck:
        """The same of another state of the text, without the sentences that the change touched."""
        if text == self.text:
            return self
        head, tail = common_ends(self.text, text)
        by = len(text) - len(self.text)
        first, last = head, len(self.text) - tail

        def kept(start: int, end: int) -> int | None:
            return 0 if end < first or (end == first == last) else by if start > last else None

        claims = [(claim, kept(claim.start, claim.end)) for claim in self.claims]
        tone = [(remark, kept(remark.span.start, remark.span.end)) for remark in self.tone]
        identity = [(one, kept(one.span.start, one.span.end)) for one in self.identity]
        return FieldCheck(
            text,
            tuple(_shifted(claim, move) for claim, move in claims if move is not None),
            tuple(replace(one, span=_span(one.span, move)) for one, move in tone if move is not None),
            tuple(replace(one, span=_span(one.span, move)) for one, move in identity if move is not None),
        )


def common_ends(old: str, new: str) -> tuple[int, int]:
    """How many characters at the beginning and at the end two texts share."""
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
    anchors = tuple(replace(one, start=one.start + by, end=one.end + by) for one in claim.anchors)
    return replace(claim, start=claim.start + by, end=claim.end + by, anchors=anchors)


class Checker(QObject):
    """Knows each field's check; ``checked`` names the field of which more is known."""

    checked = Signal(str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.checks: dict[str, FieldCheck] = {}
        self.names: tuple[str, ...] = ()
        """Words that must not leave: the names of those who work in this project."""
        self._places: Places | None = None
        self._waiting: dict[str, str] = {}
        self._running = ""
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(PAUSE_MS)
        self._timer.timeout.connect(self._next)
        self._fetcher = Fetcher(self)
        self._fetcher.fetched.connect(self._arrived)

    @property
    def busy(self) -> bool:
        """Whether a text is waiting to be checked, or is being checked."""
        return bool(self._waiting or self._running)

    def of(self, field: str) -> FieldCheck:
        """What is known of a field."""
        return self.checks.get(field) or FieldCheck("")

    def set_places(self, places: Places | None) -> None:
        """Another paper, or its text has arrived: everything is checked anew."""
        if places is self._places:
            return
        self._places = places
        self._fetcher.forget()
        self._running = ""
        for field, check in self.checks.items():
            self._waiting.setdefault(field, check.text)
            self.checks[field] = FieldCheck(check.text)
            self.checked.emit(field)
        self._next()

    def forget(self) -> None:
        """Another draft: nothing is known."""
        self._fetcher.forget()
        self._timer.stop()
        self.checks.clear()
        self._waiting.clear()
        self._running = ""

    def look(self, field: str, text: str, *, at_once: bool = False) -> None:
        """A field has this text now; it is checked when no further key follows, or ``at_once``."""
        before = self.checks.get(field)
        if before is not None and before.text == text:
            return
        self.checks[field] = (before or FieldCheck("")).moved(text)
        if not text.strip():  # nothing to check
            self._waiting.pop(field, None)
            return
        self._waiting[field] = text
        if at_once:
            self._next()
        else:
            self._timer.start()

    def _next(self) -> None:
        places, names = self._places, self.names
        if self._running or not self._waiting or places is None:
            return
        field, text = next(iter(self._waiting.items()))
        del self._waiting[field]
        self._running = field
        self._fetcher.fetch(_CHECK, _check(field, text, places, names))

    def _arrived(self, _name: str, found: object) -> None:
        field, check = cast("tuple[str, FieldCheck]", found)
        self._running = ""
        now = self.checks.get(field)
        if now is not None and now.text == check.text:
            self.checks[field] = check
            self.checked.emit(field)
        if not self._timer.isActive():
            self._next()


def _check(field: str, text: str, places: Places, names: tuple[str, ...]) -> Callable[[], object]:
    def errand() -> object:
        from engine.review_drafting.grounding import ground
        from engine.reviews.anonymity import find_identifying
        from engine.reviews.tone import find_tone

        grounded = ground(text, places)
        tone, identity = find_tone(text, "reviewer"), find_identifying(text, names)
        return field, FieldCheck(text, grounded.claims, tone, identity, grounded)

    return errand
