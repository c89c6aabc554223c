"""Rebuttal: every comment with its labels and edits, the reply to each, and a matrix in which no point is missed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QTimer
from PySide6.QtWidgets import QWidget

from desktop_app.context import AppContext
from desktop_app.panes.base import ACT
from desktop_app.panes.rebuttal.entries import GROUPINGS, Entry, Grouping, key_of
from desktop_app.panes.rebuttal.matrix_view import (
    Head,
    Word,
)
from desktop_app.panes.rebuttal.showing import PREVIEW, SEND, WRITE, Showing
from desktop_app.widgets.banner import Notice
from engine.exchange.rebuttals import Rebuttal, Rebuttals
from engine.rebuttal.checking import ClaimChecker, ToCheck
from engine.rebuttal.claims import Checked, find_claims
from engine.rebuttal.fitting import TemplateRanker
from engine.rebuttal.matrix import Matrix
from engine.rebuttal.points import outline

if TYPE_CHECKING:
    from engine.project import Changes
    from engine.reviews.formulas import FormulaPicture

_GROUPING = "rebuttal.grouping"
_HEARING_MS = 150
"""Tone and markup are looked at after so short a pause in typing."""
_LAYING_MS = 500
"""So long a pause, and a rebuttal that is limited in pages is laid out anew."""
POINTS = frozenset({"rebuttal_point", "rebuttal_use", "rebuttal_draft"})


class RebuttalPane(Showing):
    """Three columns: reviews, the reply at hand with its templates, the matrix."""

    pane_id = "rebuttal"
    title = "Rebuttal"
    icon = "chat-centered-text"
    purpose = (
        "Answer every point of the reviews within the venue's limit, with replies that can be found in the revised "
        "paper. Start by adding the reviews."
    )
    tables = POINTS | {
        "rebuttal_plan", "rebuttal_template", "comment", "comment_span", "source_text", "edit_link", "edit", "revision",
        "paper", "paper_version", "parsed_document", "sentence_label", "sentence_label_decision", "sentence_suggestion",
        "annotator",
    }  # fmt: skip
    first_step = "rebuttal.to_linking"
    search_hint = "Find in the comments"

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self.grouping: Grouping = next((by for _, by in GROUPINGS if by == context.state.text(_GROUPING)), "reviewer")
        self.checked: dict[str, tuple[str, tuple[Checked, ...]]] = {}
        self._revised = {}
        self._checker: ClaimChecker | None = None
        self._paper_id, self._filter = "", ""
        self._filling = False
        self._points_only = False
        self._ranker = TemplateRanker(())
        self._hearing = QTimer(self)
        self._hearing.setSingleShot(True)
        self._hearing.setInterval(_HEARING_MS)
        self._hearing.timeout.connect(self._show_notes)
        self._laying = QTimer(self)
        self._laying.setSingleShot(True)
        self._laying.setInterval(_LAYING_MS)
        self._laying.timeout.connect(self._lay_out)
        self._sight = QTimer(self)
        self._sight.setSingleShot(True)
        self._sight.timeout.connect(self._select)
        self._build()
        for view in (self.list, self.matrix_list):
            view.installEventFilter(self)

    # --- the pane's duties ----------------------------------------------------------------------------------------

    def project_set(self) -> None:
        self.fetcher.forget()
        self.stop_drafting()
        self.stop_labelling()
        self.strip.show_draft(None)
        self.reader = Rebuttals(self.project) if self.project is not None else None
        self.desk, self.matrix, self.entries, self.checked = Rebuttal(), Matrix(), (), {}
        self._checker, self._revised, self._metadata, self._laid = None, {}, (), None
        self.at_hand, self._paper_id, self._points_only = "", "", False
        self.editor.show_reply("", ())
        self._show()

    def is_empty(self) -> bool:
        return self.reader is None or not self.reader.reviews.comments()

    def on_changes(self, changes: Changes) -> None:
        # While anything else is waiting to be read, the whole is.
        self._points_only = changes.tables <= POINTS and (self._points_only or not self._dirty)
        super().on_changes(changes)

    def refresh(self) -> None:
        assert self.reader is not None
        if self._points_only and self.desk.comments:
            store = self.reader.store
            made = outline(self.desk.comments, store.replies(), store.words(self.desk.paper_id))
            self.desk = replace(self.desk, outline=made)
        else:
            before = self.desk
            keys = [paper.id for paper in self.reader.papers.papers()]
            self.desk = self.reader.read(self._paper_id if self._paper_id in keys else next(iter(keys), None))
            if (before.source, before.target) != (self.desk.source, self.desk.target) or not self._revised:
                self._read_versions()
            self._read_templates()
        self._points_only = False
        self._show()
        self.offer_responses()
        self._check_claims()

    def _read_versions(self) -> None:
        """The versions are others, or were read meanwhile: what is checked begins anew."""
        assert self.reader is not None
        source, target = self.desk.source, self.desk.target
        self.checked, self._revised = {}, {}
        self._checker = ClaimChecker(
            self.reader.documents, source.document_id if source else "", target.document_id if target else ""
        )
        if target is not None:
            self.fetcher.fetch("revised", self._checker.revised_paragraphs)
        self.look_at_metadata()

    def _read_templates(self) -> None:
        assert self.reader is not None
        templates = self.all_templates()
        if templates != self._ranker.templates:
            self._ranker = TemplateRanker(templates)

    def templates_changed(self) -> None:
        self._read_templates()
        self._show_templates()

    def take_focus(self) -> None:
        self.list.setFocus()

    def search(self, text: str) -> None:
        self._filter = text.casefold()
        self._show_reviews()

    # --- going about ----------------------------------------------------------------------------------------------

    def step(self, by: int) -> None:
        """The next or previous point, in the order of the list that has the keyboard."""
        keys = self._order()
        if keys:
            at = keys.index(self.at_hand) + by if self.at_hand in keys else 0
            self.take(keys[min(max(at, 0), len(keys) - 1)])

    def _order(self) -> list[str]:
        if self.matrix_list.hasFocus() or self.editor.hasFocus():
            return [key_of(point) for _, point in self.all_points()]
        return [row.comment.id for row in self.model.rows if isinstance(row, Entry)]

    def next_open(self) -> None:
        """The next comment without a reply, around the end."""
        self.editor.finish()
        keys = [line.row.comment.id for line in self.matrix.rows]
        open_ = {line.row.comment.id for line in self.matrix.unanswered}
        start = keys.index(self.at_hand) if self.at_hand in keys else -1
        for step in range(1, len(keys) + 1):
            key = keys[(start + step) % len(keys)]
            if key in open_ and key != self.at_hand:
                self.take(key)
                return
        self.banner.show_notice(Notice(ACT, "No other comment is without a reply.", kind="note"))

    def next_todo(self) -> None:
        """The next comment that lacks something, around the end."""
        self.editor.finish()
        keys = [line.row.comment.id for line in self.matrix.rows]
        start = keys.index(self.at_hand) if self.at_hand in keys else -1
        for step in range(1, len(keys) + 1):
            line = self.matrix.rows[(start + step) % len(keys)]
            if not line.done and line.row.comment.id != self.at_hand:
                self.take(line.row.comment.id)
                return
        self.banner.show_notice(Notice(ACT, "Nothing is to be mended in another reply.", kind="note"))

    def toggle_must(self) -> None:
        """Makes a remark a comment that must be answered, or the other way round."""
        reader, entry = self.reader, self.entry
        assert reader is not None
        assert entry is not None
        self.editor.finish()
        self.act(
            lambda: reader.reviews.set_actionable([entry.comment.id], not entry.comment.actionable, initiator=self)
        )

    def must_words(self) -> str:
        """What the command does to the comment at hand."""
        entry = self.entry
        return "Needs no answer" if entry is not None and entry.comment.actionable else "Must be answered"

    def edit(self) -> None:
        """Puts the cursor into the reply."""
        self.show_view(WRITE)
        self.editor.setFocus()

    def take(self, key: str) -> None:
        """Brings a point to hand."""
        if key == self.at_hand:
            return
        self.editor.finish()
        self.at_hand, self.sentence = key, 0
        if self.strip.draft is not None and self.strip.draft.comment_id != key:
            self.strip.show_draft(None)
        self._select()
        self._show_point()
        self._show_view()
        self.context.commands.state_changed.emit()

    def show_view(self, number: int) -> None:
        """Brings writing, the preview or sending to the front; again the same goes back to writing."""
        self.tabs.setCurrentIndex(WRITE if number == self.tabs.currentIndex() else number)

    def _view_changed(self, number: int) -> None:
        self.editor.finish()
        self.views.setCurrentIndex(number)
        self._show_view()
        (self.editor if number == WRITE else self.preview.page if number == PREVIEW else self.sending.list).setFocus()
        self.context.commands.state_changed.emit()

    def _go_to_point(self, key: str) -> None:
        self.take(key)
        self.tabs.setCurrentIndex(WRITE)

    def group_by(self, by: Grouping) -> None:
        """How the comments of the left column are grouped; kept for the next time."""
        self.grouping = by
        self.context.state.set_text(_GROUPING, by)
        self._show_reviews()

    def go_to_linking(self) -> None:
        """Shows the comment at hand in Linking, where edits are linked."""
        from desktop_app.panes.linking.pane import LinkingPane

        self.editor.finish()
        comment = self.at_hand
        edits = self.desk.edits.get(comment, ())
        self.context.show_pane("linking")
        pane = getattr(self.window(), "panes", {}).get("linking")
        if isinstance(pane, LinkingPane) and self.entry is not None:
            pane.go_to(comment, edits[0].id if edits else "")

    def _leave_editor(self) -> None:
        self.list.setFocus()

    def _written(self, text: str, coalesce: str) -> None:
        reader, found = self.reader, self.found
        if reader is not None and found is not None:
            self.act(lambda: reader.store.write(self.desk.paper_id, found[1], text, coalesce=coalesce, initiator=self))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        # A banner that comes makes the lists lower, too: the point at hand stays in sight.
        if event.type() == QEvent.Type.Resize and watched in (self.list, self.matrix_list):
            self._sight.start()
        return super().eventFilter(watched, event)

    # --- claims and formulas: off the window's thread -------------------------------------------------------------

    def _check_claims(self) -> None:
        checker, edits = self._checker, self.desk.all_edits
        if checker is None or self.desk.target is None:
            return
        known = self._fitting()
        wanted = [
            ToCheck(row.comment.id, row.point.text, row.point.confirmed)
            for row in self.desk.outline.rows
            if row.comment.id not in known and find_claims(row.point.text)
        ]
        if wanted:
            keys = {one.comment_id: f"{one.text}\0{one.confirmed}" for one in wanted}
            self.fetcher.fetch("claims", lambda: (keys, checker.check(wanted, edits)))

    def _draw_formulas(self, formulas: Sequence[str], size: float) -> None:
        def drawn() -> Mapping[tuple[str, float], FormulaPicture]:
            from engine.reviews.formulas import draw

            return {(tex, size): draw(tex, size) for tex in formulas}

        self.fetcher.fetch("formulas", drawn)

    def _fetched(self, name: str, found: object) -> None:
        if name == "claims" and isinstance(found, tuple):
            keys, checked = found
            self.checked |= {comment: (keys[comment], own) for comment, own in checked.items()}
            if not self.editor.unsaved:
                self._show_matrix()
                self._select()
            self._show_notes()
        elif name == "revised" and isinstance(found, dict):
            self._revised = found
            self._check_claims()
        elif name == "layout" and isinstance(found, tuple):
            self._laid = found
            self._show_bar()
            if self.tabs.currentIndex() == SEND:
                self.sending.show_findings(self.findings())
        elif name == "formulas" and isinstance(found, dict):
            self.preview.show_drawn(found)
        else:
            super()._fetched(name, found)

    # --- choices with the mouse -----------------------------------------------------------------------------------

    def _comment_chosen(self, *_indices: object) -> None:
        row = self.list.currentIndex().row()
        if not self._filling and 0 <= row < len(self.model.rows):
            entry = self.model.rows[row]
            if isinstance(entry, Entry):
                self.take(entry.comment.id)

    def _line_chosen(self, *_indices: object) -> None:
        row = self.matrix_list.currentIndex().row()
        if not self._filling and 0 <= row < len(self.matrix_model.lines):
            line = self.matrix_model.lines[row]
            if not isinstance(line, Head):
                self.take(key_of(line.point) if isinstance(line, Word) else line.row.comment.id)

    def _paper_chosen(self) -> None:
        self.editor.finish()
        self._paper_id = self.paper.currentData() or ""
        self.at_hand = ""
        self.refresh_now()

    def _limit_chosen(self) -> None:
        self.choose_preset(self.limit_box.currentData())

    def _budget_chosen(self) -> None:
        if self.has_reply():
            self.set_budget(self.budget.value())
