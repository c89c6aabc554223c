"""The part of the pane that labels: what is suggested for the sentence at hand, taken, refused or changed by key."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QWidget

from desktop_app.context import AppContext
from desktop_app.panes.rebuttal.keeping import Keeping
from desktop_app.panes.rebuttal.reviews_column import CommentReader
from desktop_app.widgets.label_chips import label_menu
from desktop_app.widgets.label_jobs import LabelJobs
from engine.exchange.rebuttals import labels_of
from engine.reviews.labels.records import Layer, SentenceLabels
from engine.reviews.records import Span
from engine.reviews.sentences import sentences_around


class Labelling(Keeping):
    """Acts on the labels of the sentence at hand."""

    comment: CommentReader
    sentence = 0
    """Which sentence of the comment at hand."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self.label_jobs = LabelJobs(self)
        self.label_jobs.changed.connect(context.commands.state_changed)

    def sentences(self) -> tuple[SentenceLabels, ...]:
        """The sentences of the comment at hand with what is said of them, in order; also those without a label."""
        entry = self.entry
        if entry is None or not entry.comment.spans:
            return ()
        text = next((t for t in self.desk.texts if t.id == entry.comment.source_id), None)
        if text is None:
            return ()
        known = {one.span: one for one in labels_of(self.desk, entry.comment)}
        kept = tuple(one.span for one in self.desk.labels.get(text.id, ()) if len(one.offered) < len(one.origins))
        spans = [
            span
            for span in _sentences(text.text, kept)
            if any(span.start < own.end and own.start < span.end for own in entry.comment.spans)
        ]
        return tuple(known.get(span) or SentenceLabels(text.id, span) for span in spans)

    def can_label(self) -> bool:
        return self.can_write() and bool(self.sentences())

    def has_suggestion(self) -> bool:
        return self.can_label() and bool(self._at_sentence().offered)

    # --- jobs -----------------------------------------------------------------------------------------------------

    def can_suggest(self) -> bool:
        return self.can_write() and not self.label_jobs.busy and bool(self.desk.texts)

    def suggest_labels(self) -> None:
        """Has labels read in all reviews; what is sure enough is offered, nothing is decided."""
        assert self.project is not None
        keys = tuple(text.id for text in self.desk.texts if text.kind in ("review", "meta-review", "letter"))
        self.label_jobs.suggest(self.project, keys)

    def learn_labels(self) -> None:
        """Has heads learn from the labels of this project; they suggest from then on."""
        assert self.project is not None
        self.label_jobs.learn(self.project)

    def stop_labelling(self) -> None:
        """Stops what reads labels; what was offered stays."""
        self.label_jobs.stop()

    # --- the sentence at hand -------------------------------------------------------------------------------------

    def _at_sentence(self) -> SentenceLabels:
        found = self.sentences()
        return found[min(self.sentence, len(found) - 1)]

    def step_sentence(self, by: int) -> None:
        """The next or previous sentence of the comment at hand."""
        self.sentence = min(max(self.sentence + by, 0), max(0, len(self.sentences()) - 1))
        self.show_comment()

    def can_quote_sentence(self) -> bool:
        return self.has_reply() and bool(self.sentences())

    def quote_sentence(self) -> None:
        """Puts the sentence at hand in as a quotation, and goes on to the next one."""
        at = self._at_sentence()
        text = next(t.text for t in self.desk.texts if t.id == at.source_id)
        self.quote_words(" ".join(text[at.span.start : at.span.end].split()))
        self.step_sentence(1)

    def show_comment(self) -> None:
        """Shows the comment at hand with its sentences and edits."""
        entry = self.entry
        edits = self.desk.edits.get(entry.comment.id, ()) if entry else ()
        text = next((t.text for t in self.desk.texts if entry and t.id == entry.comment.source_id), "")
        self.comment.show_comment(
            entry, text, self.sentences(), edits, sentence=self.sentence, revised=self.desk.target is not None
        )

    def accept_labels(self) -> None:
        """Takes what is suggested for the sentence."""
        reader, at = self.reader, self._at_sentence()
        assert reader is not None
        self.act(lambda: reader.labels.accept(at.source_id, at.span, initiator=self))

    def refuse_labels(self) -> None:
        """Refuses what is suggested for the sentence."""
        reader, at = self.reader, self._at_sentence()
        assert reader is not None
        self.act(lambda: reader.labels.reject(at.source_id, at.span, initiator=self))

    def open_labels(self, name: Layer) -> None:
        """The labels of a layer as a menu; letters and arrows choose, what holds is checked."""
        menu = label_menu(self, name, self._at_sentence().of(name), lambda labels: self.set_label(name, labels))
        menu.popup(self.comment.mapToGlobal(QPoint(12, 12)))

    def set_label(self, name: Layer, labels: Sequence[str]) -> None:
        """Says what holds of the sentence."""
        reader, at = self.reader, self._at_sentence()
        assert reader is not None
        self.act(lambda: reader.labels.set_label(at.source_id, at.span, name, labels, initiator=self))


@lru_cache(maxsize=64)
def _sentences(text: str, kept: tuple[Span, ...]) -> tuple[Span, ...]:
    return sentences_around(text, kept)
