"""Labels: the sentences of a review, one by one, with what is suggested in six layers and what the person decided."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QVBoxLayout, QWidget

from desktop_app.context import AppContext
from desktop_app.panes.base import ACT, Pane
from desktop_app.panes.labels.board import Board
from desktop_app.panes.labels.sentence_list import Sentence, SentenceDelegate, SentenceModel, sentence_of
from desktop_app.widgets.banner import Notice
from desktop_app.widgets.buttons import CommandButton
from desktop_app.widgets.key_bar import Items, KeyBar
from desktop_app.widgets.keys import KeepsKeys
from desktop_app.widgets.label_chips import label_menu
from desktop_app.widgets.label_jobs import LabelJobs
from desktop_app.widgets.labels import hairline, text_label
from desktop_app.widgets.row_list import RowList
from engine.reviews.labels.records import LAYERS, LEAST_FOR_HEADS, Layer, SentenceLabels
from engine.reviews.labels.store import LabelStore
from engine.reviews.labels.taxonomy import layer
from engine.reviews.records import SourceText
from engine.reviews.store import ReviewStore

if TYPE_CHECKING:
    from engine.exchange.labelled_folders import FolderImported

KINDS = frozenset({"review", "meta-review", "letter"})
KEYS: Items = (
    (("next", "previous"), "sentence"),
    (("next_open",), "next suggestion"),
    (("accept", "refuse"), "accept, refuse"),
    (("accept_all",), "accept all"),
    (("label_aspect",), "root"),
    (("label_theme",), "theme"),
    (("label_polarity",), "polarity"),
    (("label_review_action",), "review action"),
    (("label_actionable",), "asks"),
    (("label_action",), "action class"),
    (("clear",), "clear"),
    (("previous_review", "next_review"), "review"),
)


class LabelsPane(Pane):
    """The review at the left, its sentences as rows; the sentence at hand at the right."""

    pane_id = "labels"
    title = "Labels"
    icon = "tag"
    purpose = (
        "Say of each sentence of a review what it judges, about what, and what it asks for: suggested on this machine, "
        "decided by you. Start by adding reviews, or import annotated ones (Ctrl+I)."
    )
    tables = frozenset(
        {
            "source_text", "sentence_label", "sentence_label_decision", "sentence_suggestion", "trained_heads",
            "annotator",
        }
    )  # fmt: skip
    first_step = "labels.to_linking"
    search_hint = "Find in the sentences"

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self.texts: tuple[SourceText, ...] = ()
        self.at_hand = ""
        self._filter = ""
        self._filling = False
        self.jobs = LabelJobs(self)
        self.jobs.changed.connect(context.commands.state_changed)
        registry = context.commands
        self.review = QComboBox(self.body)
        self.review.setAccessibleName("Review")
        self.review.setToolTip("Review")
        self.review.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.review.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.review.setMinimumContentsLength(24)
        self.review.activated.connect(lambda _at: self.show_review(self.review.currentData()))
        KeepsKeys(self.review)
        self.progress = text_label("", "muted", parent=self.body)
        head = QHBoxLayout()
        head.setContentsMargins(12, 4, 8, 4)
        head.setSpacing(8)
        head.addWidget(self.review)
        head.addWidget(self.progress)
        head.addStretch(1)
        for verb, words in (("accept_all", "Accept all"), ("suggest_labels", "Suggest labels")):
            button = CommandButton(registry, f"labels.{verb}", text=words, parent=self.body)
            KeepsKeys(button)
            head.addWidget(button)
        self.model = SentenceModel(self)
        self.list = RowList("Sentences of the review", self.body)
        self.list.setModel(self.model)
        self.list.setItemDelegate(SentenceDelegate(self.list))
        self.list.selectionModel().currentChanged.connect(self._chosen)
        self.board = Board(registry, self.body)
        middle = QHBoxLayout()
        middle.setContentsMargins(0, 0, 0, 0)
        middle.setSpacing(0)
        middle.addWidget(self.list, 1)
        middle.addWidget(hairline(vertical=True, parent=self.body))
        middle.addWidget(self.board)
        layout = QVBoxLayout(self.body)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(head)
        layout.addWidget(hairline(parent=self.body))
        layout.addLayout(middle, 1)
        layout.addWidget(KeyBar(registry, self.pane_id, KEYS, self.body))

    # --- the pane's duties ----------------------------------------------------------------------------------------

    def project_set(self) -> None:
        self.jobs.stop()
        self.texts, self.at_hand = (), ""
        self.model.show_rows(())

    def is_empty(self) -> bool:
        return self.project is None or not _labelled(ReviewStore(self.project).texts())

    def refresh(self) -> None:
        assert self.project is not None
        self.texts = _labelled(ReviewStore(self.project).texts())
        keys = [text.id for text in self.texts]
        if self.at_hand not in keys:
            self.at_hand = next(iter(keys), "")
        titles = [title_of(text) for text in self.texts]
        if [self.review.itemText(at) for at in range(self.review.count())] != titles:
            self.review.clear()
            for words, key in zip(titles, keys, strict=True):
                self.review.addItem(words, key)
        self.review.setCurrentIndex(self.review.findData(self.at_hand))
        self._read()

    def take_focus(self) -> None:
        self.list.setFocus()

    def search(self, text: str) -> None:
        self._filter = text.casefold()
        if self.texts:
            self._read()

    # --- showing --------------------------------------------------------------------------------------------------

    @property
    def labels(self) -> LabelStore:
        """The labels of the open project."""
        assert self.project is not None
        return LabelStore(self.project)

    @property
    def text(self) -> SourceText | None:
        """The review that is shown."""
        return next((text for text in self.texts if text.id == self.at_hand), None)

    @property
    def row(self) -> Sentence | None:
        """The sentence at hand."""
        at = self.list.currentIndex().row()
        return self.model.rows[at] if 0 <= at < len(self.model.rows) else None

    def _read(self) -> None:
        text = self.text
        if text is None:
            self.model.show_rows(())
            self._show_sentence()
            return
        known = {one.span: one for one in self.labels.read(text.id)}
        spans = self.labels.sentence_spans(text.id)
        rows = [sentence_of(known.get(span) or SentenceLabels(text.id, span), text.text) for span in spans]
        found = [row for row in rows if self._filter in row.text.casefold()]
        before = self.row.labels.span if self.row is not None else None
        self._filling = True
        self.model.show_rows(found)
        self._filling = False
        at = next((at for at, row in enumerate(found) if row.labels.span == before), 0)
        self.list.select_row(at if found else -1)
        self.list.set_message("" if found else "No sentence holds these words." if rows else "This text is empty.")
        decided, open_ = sum(bool(row.decided) for row in rows), sum(bool(row.offered) for row in rows)
        words = f"{decided} of {len(rows)} sentences decided"
        self.progress.setText(f"{words} · {open_} with suggestions" if open_ else words)
        self.set_status(words)
        counts = self.labels.counts()
        told = ", ".join(f"{layer(name).title} {counts[name]:,}" for name in LAYERS if counts.get(name))
        self.board.show_counts(
            f"Labelled sentences: {told or 'none yet'}. Heads of your own can learn a layer from {LEAST_FOR_HEADS} on."
        )
        self._show_sentence()

    def _show_sentence(self) -> None:
        row = self.row
        at = self.list.currentIndex().row()
        title = f"Sentence {at + 1} of {len(self.model.rows)}" if row is not None else "No sentence"
        self.board.show_sentence(row.labels if row is not None else None, title)
        self.context.commands.state_changed.emit()

    def _chosen(self, *_indices: object) -> None:
        if not self._filling:
            self._show_sentence()

    # --- what can be done -----------------------------------------------------------------------------------------

    def has_sentences(self) -> bool:
        return bool(self.texts) and self.body.isVisibleTo(self)

    def can_write(self) -> bool:
        return self.has_sentences() and self.project is not None and not self.project.read_only

    def can_label(self) -> bool:
        return self.can_write() and self.row is not None

    def can_clear(self) -> bool:
        return self.can_label() and bool(self.row and self.row.decided)

    def has_suggestion(self) -> bool:
        return self.can_label() and bool(self.row and self.row.offered)

    def has_suggestions(self) -> bool:
        return self.can_write() and any(row.offered for row in self.model.rows)

    def can_suggest(self) -> bool:
        return self.can_write() and not self.jobs.busy

    # --- going about ----------------------------------------------------------------------------------------------

    def step(self, by: int) -> None:
        """The next or previous sentence."""
        at = self.list.currentIndex().row() + by
        self.list.select_row(min(max(at, 0), len(self.model.rows) - 1))

    def next_open(self) -> None:
        """The next sentence with a suggestion: in this review, around its end, else in one of the next."""
        rows, at = self.model.rows, self.list.currentIndex().row()
        order = [*range(at + 1, len(rows)), *range(at)]
        found = next((one for one in order if rows[one].offered), None)
        if found is not None:
            self.list.select_row(found)
            return
        if at >= 0 and rows[at].offered:
            return
        keys = [text.id for text in self.texts]
        start = keys.index(self.at_hand)
        for key in [*keys[start + 1 :], *keys[:start]]:
            if self.labels.suggestions(key):
                self.show_review(key)
                first = next((one for one, row in enumerate(self.model.rows) if row.offered), 0)
                self.list.select_row(first)
                return
        self._say("No sentence has an open suggestion.")

    def show_review(self, key: str) -> None:
        """Brings a review to the front, at its first sentence."""
        if key == self.at_hand:
            return
        self.at_hand = key
        self.list.select_row(-1)
        self.refresh_now()
        self.take_focus()

    def step_review(self, by: int) -> None:
        """The next or previous review."""
        keys = [text.id for text in self.texts]
        self.show_review(keys[min(max(keys.index(self.at_hand) + by, 0), len(keys) - 1)])

    # --- acts -----------------------------------------------------------------------------------------------------

    def accept(self) -> None:
        """Takes what is suggested for the sentence and goes on."""
        self._decide(lambda labels: self.labels.accept(labels.source_id, labels.span, initiator=self))

    def refuse(self) -> None:
        """Refuses what is suggested for the sentence and goes on."""
        self._decide(lambda labels: self.labels.reject(labels.source_id, labels.span, initiator=self))

    def _decide(self, verb: Callable[[SentenceLabels], object]) -> None:
        row = self.row
        if row is not None and self.act(lambda: verb(row.labels)) and self.has_suggestions():
            self.next_open()

    def accept_all(self) -> None:
        """Takes all that is suggested in this review, as one step."""
        if self.act(lambda: self.labels.accept_all(self.at_hand, initiator=self)):
            self._say("Everything that was suggested in this review is taken over; Ctrl+Z takes it back.")

    def open_labels(self, name: Layer) -> None:
        """The labels of a layer as a menu, beside the layer's button."""
        row = self.row
        if row is not None:
            menu = label_menu(self, name, row.labels.of(name), lambda labels: self.set_label(name, labels))
            button = self.board.buttons[name]
            menu.popup(button.mapToGlobal(QPoint(0, button.height())))

    def set_label(self, name: Layer, labels: Sequence[str]) -> None:
        """Says what holds of the sentence at hand."""
        row = self.row
        if row is not None:
            at = row.labels
            self.act(lambda: self.labels.set_label(at.source_id, at.span, name, labels, initiator=self))

    def clear(self) -> None:
        """Takes the person's decisions on the sentence back."""
        row = self.row
        if row is not None:
            at = row.labels
            decided = tuple(name for name in LAYERS if name in at.origins and name not in at.offered)
            self.act(lambda: self.labels.clear_labels(at.source_id, at.span, decided, initiator=self))

    # --- jobs -----------------------------------------------------------------------------------------------------

    def can_import(self) -> bool:
        return self.project is not None and not self.project.read_only and not self.jobs.busy

    def ask_for_folder(self) -> None:
        """Asks for a folder with annotated reviews."""
        folder = self.context.files.choose_folder(self, "Import a folder of annotated reviews")
        if folder is not None:
            self.import_folder(folder)

    def import_folder(self, folder: Path) -> None:
        """Takes the reviews and labels of a data set over."""
        from engine.exchange.labelled_folders import import_folder_task

        assert self.project is not None
        self.jobs.submit(import_folder_task(self.project, folder), self._imported)

    def _imported(self, made: FolderImported) -> None:
        known = made.reviews - made.new
        words = f"{made.new:,} reviews of {made.data_set.title} were added, with {made.sentences:,} labelled sentences."
        before = f" {known:,} were here before; their labels were brought up to date." if known else ""
        only = (
            "Its licence allows no commercial use; what learns from it is for your own research."
            * made.data_set.research_only
        )
        self.banner.show_notice(Notice(ACT, words + before, only, kind="note"))

    def suggest_labels(self) -> None:
        """Has labels read in all reviews; nothing is decided."""
        assert self.project is not None
        self.jobs.suggest(self.project, tuple(text.id for text in self.texts))

    def learn_labels(self) -> None:
        """Has heads learn from the labels of the project; they suggest from then on."""
        assert self.project is not None
        self.jobs.learn(self.project)

    def fine_tune(self) -> None:
        """Opens the dialog for fine-tuning in Models."""
        self.context.show_pane("models")
        self.context.commands.run("models.fine_tune")

    def _say(self, words: str) -> None:
        self.banner.show_notice(Notice(ACT, words, kind="note"))


def _labelled(texts: Sequence[SourceText]) -> tuple[SourceText, ...]:
    return tuple(text for text in texts if text.kind in KINDS and text.text.strip())


def title_of(text: SourceText) -> str:
    """A review as it is listed: its reviewer, and its title where that says more."""
    parts = dict.fromkeys(part for part in (text.reviewer, text.title) if part)
    return " · ".join(parts) or "Untitled review"
