"""State of the Labels pane: the current review, its sentences with labels, and operations on them. No Qt."""

from collections.abc import Sequence
from dataclasses import dataclass

from desktop_app import present
from desktop_app.widgets.chips import LABELLED, Chip, chips_of
from engine.packages.store import WorkStore
from engine.papers.store import PaperStore
from engine.project import Project
from engine.reviews.labels.records import LAYERS, LEAST_FOR_HEADS, Layer, SentenceLabels
from engine.reviews.labels.store import LabelStore
from engine.reviews.labels.taxonomy import layer
from engine.reviews.records import SourceText, Span
from engine.reviews.spans import sentence
from engine.reviews.store import ReviewStore
from engine.shown import counted
from engine.text_search import holds

KINDS = frozenset({"review", "meta-review", "letter"})


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence, its ``number`` from 1, and in how many layers there are only suggestions (``offered``).

    ``open`` are the titles of layers without a decision; the sentence is decided if there are none.
    """

    number: int
    labels: SentenceLabels
    text: str
    chips: tuple[Chip, ...]
    offered: int
    open: tuple[str, ...]

    @property
    def decided(self) -> int:
        return len(LAYERS) - len(self.open)

    @property
    def progress(self) -> str:
        """Says which layers are open; "" before the first decision."""
        return f"Open: {', '.join(self.open)}." if self.open and self.decided else ""


class LabelsState:
    """Reads reviews and labels.

    Attributes:
        texts: the reviews of the paper.
        current: the id of the current review.
        sentences: all sentences of that review.
        filter: the text that shown sentences contain.
    """

    def __init__(self) -> None:
        self.filter = ""
        self.open(None)

    def open(self, project: Project | None) -> None:
        self.project = project
        self.texts: tuple[SourceText, ...] = ()
        self.sentences: tuple[Sentence, ...] = ()
        self.current = ""

    @property
    def store(self) -> LabelStore:
        return LabelStore(present(self.project))

    def reviews_of(self, paper_id: str) -> tuple[SourceText, ...]:
        if self.project is None:
            return ()
        of = paper_id if len(PaperStore(self.project).papers()) > 1 else None
        found = [t for t in ReviewStore(self.project).texts(of) if t.kind in KINDS and t.text.strip()]
        return tuple(sorted(found, key=lambda text: text.kind == "letter"))

    def read(self, paper_id: str) -> None:
        self.texts = self.reviews_of(paper_id)
        keys = [text.id for text in self.texts]
        if self.current not in keys:
            self.current = next(iter(keys), "")
        text = next((text for text in self.texts if text.id == self.current), None)
        if text is None:
            self.sentences = ()
            return
        known = {one.span: one for one in self.store.read(text.id)}
        self.sentences = tuple(
            _sentence(number, known.get(span) or SentenceLabels(text.id, span), text.text)
            for number, span in enumerate(self._spans(text.id), start=1)
        )

    def _spans(self, source_id: str) -> Sequence[Span]:
        """Returns the sentences of a review; in a work package, the assigned ones in their order."""
        items = WorkStore(present(self.project)).own_items("sentences")
        if items is None:
            return self.store.sentence_spans(source_id)
        places = [item.split(":") for item in items]
        return [Span(int(start), int(end)) for source, start, end in places if source == source_id]

    def shown(self) -> tuple[Sentence, ...]:
        return tuple(one for one in self.sentences if holds(one.text, self.filter))

    def progress(self) -> tuple[str, int]:
        """Returns how many sentences are decided in all layers and in some, as text, and how many have suggestions."""
        decided = sum(not one.open for one in self.sentences)
        part = sum(bool(one.open and one.decided) for one in self.sentences)
        words = f"{decided} of {counted(len(self.sentences), 'sentence')} decided" + (
            f", {part} partly" if part else ""
        )
        return words, sum(bool(one.offered) for one in self.sentences)

    def counts(self) -> str:
        counts = self.store.counts()
        words = ", ".join(f"{layer(name).title} {counts[name]:,}" for name in LAYERS if counts.get(name))
        return (
            f"Labelled sentences: {words or 'none yet'}. With {LEAST_FOR_HEADS} or more labelled sentences in a "
            "layer, you can train your own heads for it."
        )

    def can_write(self) -> bool:
        return bool(self.texts) and self.project is not None and not self.project.read_only

    def has_suggestions(self) -> bool:
        return self.can_write() and any(one.offered for one in self.sentences)

    def neighbour(self, by: int) -> str:
        """Returns the id of the next or previous review; at either end, that of the current one."""
        keys = [text.id for text in self.texts]
        return keys[min(max(keys.index(self.current) + by, 0), len(keys) - 1)] if keys else ""

    def next_with_suggestions(self) -> str:
        """Returns the id of the next review with suggestions, wrapping around; "" for none."""
        keys = [text.id for text in self.texts]
        start = keys.index(self.current) if keys else 0
        order = (*keys[start + 1 :], *keys[:start])
        return next((key for key in order if self.store.suggestions(key)), "")

    def accept(self, labels: SentenceLabels) -> None:
        self.store.accept(labels.source_id, labels.span)

    def reject(self, labels: SentenceLabels) -> None:
        self.store.reject(labels.source_id, labels.span)

    def set_label(self, at: SentenceLabels, name: Layer, labels: Sequence[str]) -> None:
        self.store.set_label(at.source_id, at.span, name, labels, on_screen=name in at.offered)

    def clear(self, at: SentenceLabels) -> None:
        decided = tuple(name for name in LAYERS if name in at.origins and name not in at.offered)
        self.store.clear_labels(at.source_id, at.span, decided)


def _sentence(number: int, labels: SentenceLabels, text: str) -> Sentence:
    words = sentence(text, labels.span)
    chips = chips_of(labels)
    suggested = len({chip.layer for chip in chips if chip.suggested})
    left = (said for name, said, _key in LABELLED if name not in labels.origins or name in labels.offered)
    return Sentence(number, labels, words, chips, suggested, tuple(left))


def title_of(text: SourceText) -> str:
    """Returns a review's name in lists: its reviewer and, if different, its title."""
    parts = dict.fromkeys(part for part in (text.reviewer, text.title) if part)
    return " · ".join(parts) or "Untitled review"
