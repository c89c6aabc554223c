"""The sentences of the current comment and their labels. No Qt."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from desktop_app.panes.rebuttal.state import RebuttalState
from engine.exchange.rebuttals import labels_of
from engine.reviews.labels.records import Layer, SentenceLabels
from engine.reviews.labels.store import LabelStore
from engine.reviews.records import Span
from engine.reviews.sentences import sentences_around


class CommentSentences:
    """Acts on one sentence of the current comment: number ``at``."""

    def __init__(self, state: RebuttalState) -> None:
        self._state = state
        self.at = 0

    @property
    def text(self) -> str:
        """The whole review that the current comment is from."""
        entry = self._state.entry
        return next((t.text for t in self._state.rebuttal.texts if entry and t.id == entry.comment.source_id), "")

    def all(self) -> tuple[SentenceLabels, ...]:
        """The sentences with their labels, in order; also those without a label."""
        entry, desk, text = self._state.entry, self._state.rebuttal, self.text
        if entry is None or not entry.comment.spans or not text:
            return ()
        source, spans = entry.comment.source_id, entry.comment.spans
        known = {one.span: one for one in labels_of(desk, entry.comment)}
        decided = tuple(one.span for one in desk.labels.get(source, ()) if len(one.offered) < len(one.origins))
        return tuple(
            known.get(span) or SentenceLabels(source, span)
            for span in _sentences(text, decided)
            if any(span.start < own.end and own.start < span.end for own in spans)
        )

    @property
    def current(self) -> SentenceLabels:
        """The current sentence; only where there is one."""
        found = self.all()
        return found[min(self.at, len(found) - 1)]

    def step(self, by: int) -> None:
        """The next or previous sentence."""
        self.at = min(max(self.at + by, 0), max(0, len(self.all()) - 1))

    def can_label(self) -> bool:
        return self._state.can_write() and bool(self.all())

    def has_suggestion(self) -> bool:
        return self.can_label() and bool(self.current.offered)

    def can_quote(self) -> bool:
        return self._state.has_response() and bool(self.all())

    def words(self) -> str:
        """The words of the current sentence."""
        span = self.current.span
        return " ".join(self.text[span.start : span.end].split())

    @property
    def _store(self) -> LabelStore:
        assert self._state.reader is not None
        return self._state.reader.labels

    def accept(self) -> None:
        """Accepts the labels suggested for the sentence."""
        self._store.accept(self.current.source_id, self.current.span)

    def reject(self) -> None:
        """Rejects the labels suggested for the sentence."""
        self._store.reject(self.current.source_id, self.current.span)

    def set_label(self, name: Layer, labels: Sequence[str]) -> None:
        """Decides the labels of a layer."""
        self._store.set_label(self.current.source_id, self.current.span, name, labels)


@lru_cache(maxsize=64)
def _sentences(text: str, kept: tuple[Span, ...]) -> tuple[Span, ...]:
    return sentences_around(text, kept)
