"""The part of the pane that writes replies: templates, slots, quotes, tone, claims, drafts by a language model."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QMenu

from desktop_app.panes.base import ACT
from desktop_app.panes.rebuttal.desk import WORK, Desk
from desktop_app.panes.rebuttal.notes_view import Note, NotesView
from desktop_app.panes.rebuttal.reviews_column import CommentReader
from desktop_app.panes.rebuttal.templates_view import TemplatesView
from desktop_app.widgets.banner import Notice
from desktop_app.widgets.buttons import CommandButton
from engine.rebuttal.claims import Checked
from engine.rebuttal.drafting import Brief, describe
from engine.rebuttal.filling import slot_values
from engine.rebuttal.points import said, sentences_of
from engine.rebuttal.records import ACTION_TITLES, Action, Draft, Outcome, Template
from engine.rebuttal.slots import fill, find_slots
from engine.reviews.records import Span
from engine.reviews.tone import ToneRemark, replaced

if TYPE_CHECKING:
    from desktop_app.engine_bridge import BridgedJob
    from desktop_app.panes.rebuttal.draft_strip import DraftStrip
    from engine.documents.records import Paragraph
    from engine.jobs import Failure
    from engine.rebuttal.tasks import Drafting

USE = "rebuttal-drafting"
OUTCOMES: tuple[tuple[Outcome, str], ...] = (
    ("satisfied", "satisfied"), ("partly", "partly satisfied"), ("unmoved", "unmoved"), ("", "open"),
)  # fmt: skip


class Replying(Desk):
    """Acts on the reply at hand."""

    templates: TemplatesView
    notes: NotesView
    strip: DraftStrip
    action_button: CommandButton
    outcome_button: CommandButton
    comment: CommentReader
    _drafting: BridgedJob | None = None
    _revised: dict[str, Paragraph]
    checked: dict[str, tuple[str, tuple[Checked, ...]]]
    """By comment: the text that was checked, and what the revised version says to it."""

    # --- what can be done -----------------------------------------------------------------------------------------

    def has_action(self) -> bool:
        return self.has_point() and self.point.action is not None

    def has_generated(self) -> bool:
        return self.has_point() and bool(self.point.generated)

    def has_template(self, number: int) -> bool:
        return self.has_point() and self.templates.template(number) is not None

    def has_tone(self) -> bool:
        return self.has_point() and any(note.kind == "tone" for note in self.notes.notes.rows)

    def has_claim(self) -> bool:
        return self.has_reply() and any(self._doubtful(note) for note in self.notes.notes.rows)

    def has_draft(self) -> bool:
        return self.has_point() and self.strip.draft is not None

    def is_drafting(self) -> bool:
        return self._drafting is not None

    def can_draft(self) -> bool:
        return self.has_point() and self._drafting is None

    def action_words(self) -> str:
        """What the button of the action says."""
        action = self.point.action if self.found is not None else None
        return ACTION_TITLES[action] if action else "Choose an action"

    # --- the action -----------------------------------------------------------------------------------------------

    def choose_action(self, action: Action | None) -> None:
        """Says what the reply does."""
        reader = self.reader
        assert reader is not None
        self.editor.finish()
        self.act(lambda: reader.store.choose_action(self.desk.paper_id, self.point, action, initiator=self))

    def open_actions(self) -> None:
        """The actions as a menu under their button; letters and arrows choose."""
        menu = QMenu(self)
        registry = self.context.commands
        for action, title in ACTION_TITLES.items():
            entry = menu.addAction(title)
            entry.setCheckable(True)
            entry.setChecked(self.point.action == action)
            entry.triggered.connect(lambda _checked=False, name=f"rebuttal.action_{action}": registry.run(name))
        menu.addSeparator()
        menu.addAction("Open").triggered.connect(lambda: registry.run("rebuttal.no_action"))
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(self.action_button.mapToGlobal(QPoint(0, self.action_button.height())))

    def open_outcomes(self) -> None:
        """What the reviewer made of the reply, as a menu."""
        menu = QMenu(self)
        registry = self.context.commands
        for key, words in OUTCOMES:
            entry = menu.addAction(words.capitalize())
            entry.setCheckable(True)
            entry.setChecked(self.point.outcome == key)
            name = f"rebuttal.outcome_{key or 'open'}"
            entry.triggered.connect(lambda _checked=False, name=name: registry.run(name))
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(self.outcome_button.mapToGlobal(QPoint(0, self.outcome_button.height())))

    def set_outcome(self, outcome: Outcome) -> None:
        """Notes what the reviewer made of the reply."""
        reader = self.reader
        assert reader is not None
        self.act(lambda: reader.store.set_outcome(self.desk.paper_id, self.point, outcome, initiator=self))

    def outcome_words(self) -> str:
        """What the button of the outcome says."""
        outcome = self.point.outcome if self.found is not None else ""
        return outcome.capitalize() or "Outcome"

    def accept(self) -> None:
        """The person stands by what was generated."""
        reader = self.reader
        assert reader is not None
        self.editor.finish()
        self.act(lambda: reader.store.accept(self.desk.paper_id, self.point, initiator=self))

    # --- templates ------------------------------------------------------------------------------------------------

    def put_in_number(self, number: int) -> None:
        """Puts a template of the list in."""
        self.templates.put_in(number)

    def put_in(self, template: Template) -> None:
        """Puts a template into the reply where the cursor is; what is known fills its slots, the first open one is
        selected."""
        if self.has_point():
            self.put_in_text(fill(template.text, self.values()), template.source, template.action)

    def put_in_text(self, piece: str, source: str, action: Action | None) -> None:
        """Puts generated words in where the cursor is, in one undo step; the first open slot is selected."""
        reader = self.reader
        assert reader is not None
        self.editor.finish()
        text, here = self.editor.text, self.editor.selected
        before, after = text[: here.start], text[here.end :]
        gap = "" if not before or before[-1].isspace() else " "
        tail = "" if not after or after[:1].isspace() else " "
        written = f"{before}{gap}{piece}{tail}{after}"
        done = self.act(
            lambda: reader.store.put_in(
                self.desk.paper_id, self.point, written, piece=piece, sentences=sentences_of(piece), source=source,
                action=action, initiator=self,
            )
        )  # fmt: skip
        if done:
            self.editor.setFocus()
            start = len(before) + len(gap)
            end = start + len(piece)
            slot = next((s for s in find_slots(written) if start <= s.span.start < end), None)
            self.editor.select(slot.span if slot else Span(end, end))

    def values(self) -> dict[str, str]:
        """What slots can be filled with at the point at hand."""
        found, entry = self.found, self.entry
        assert found is not None
        if entry is None:
            return {"reviewer": found[0].reviewer}
        edits = self.desk.edits.get(entry.comment.id, ())
        return slot_values(entry.comment, found[0].reviewer, edits, self._revised)

    def search_templates(self) -> None:
        """Puts the cursor into the search of templates."""
        self.templates.field.setFocus()
        self.templates.field.selectAll()

    def quote(self) -> None:
        """Puts the reviewer's words in, as a quotation of its own: those that are selected in the comment, else all."""
        row = self.row
        assert row is not None
        self.quote_words(self.comment.selected or row.comment.comment)

    def quote_words(self, words: str) -> None:
        """Puts words in as a quotation of its own."""
        words = "\n".join(f"> {line}".rstrip() for line in words.strip().splitlines())
        here = self.editor.selected
        before = self.editor.text[: here.start]
        gap = "" if not before or before.endswith("\n\n") else "\n" if before.endswith("\n") else "\n\n"
        self.editor.setFocus()
        self.editor.replace(here, f"{gap}{words}\n\n")

    def note(self) -> None:
        """Begins a line that stays here: a note to co-authors."""
        text, here = self.editor.text, self.editor.selected
        gap = "" if not text[: here.start] or text[: here.start].endswith("\n") else "\n"
        self.editor.setFocus()
        self.editor.replace(Span(here.start, here.end), f"{gap}%% {text[here.start : here.end]}")

    # --- notes ----------------------------------------------------------------------------------------------------

    def mend_tone(self) -> None:
        """Puts the first alternative in the place of the next words of doubtful tone; as typed, so that it is undone
        like typing."""
        notes = [n for n in self.notes.notes.rows if n.kind == "tone"]
        here = self.editor.place
        note = next((n for n in notes if n.span is not None and n.span.end >= here), notes[0])
        self._mend(note)

    def _mend(self, note: Note) -> None:
        assert isinstance(note.of, ToneRemark)
        span, words = replaced(self.editor.text, note.of, note.of.alternatives[0])
        self.editor.setFocus()
        self.editor.replace(span, words)

    def use_note(self, note: Note) -> None:
        """Enter on a note: mends the tone, goes to the words, or does what mends it."""
        if note.kind == "tone":
            self._mend(note)
        elif note.span is not None:
            self.editor.setFocus()
            self.editor.select(note.span)
        elif note.command:
            self.context.commands.run(f"rebuttal.{note.command}")

    def has_slot(self) -> bool:
        return self.has_point() and bool(find_slots(self.editor.text))

    def next_slot(self) -> None:
        """Selects the next slot that is open."""
        self.editor.setFocus()
        self.editor.step_slot()

    def confirm_claim(self) -> None:
        """The person looked: the first doubtful claim of the reply holds."""
        reader = self.reader
        assert reader is not None
        note = next(n for n in self.notes.notes.rows if self._doubtful(n))
        assert isinstance(note.of, Checked)
        key = note.of.claim.key
        self.editor.finish()
        self.act(lambda: reader.store.confirm(self.desk.paper_id, self.point, key, True, initiator=self))

    @staticmethod
    def _doubtful(note: Note) -> bool:
        return isinstance(note.of, Checked) and note.of.verdict in ("unsupported", "unknown")

    # --- drafts by a language model -------------------------------------------------------------------------------

    def brief(self) -> Brief:
        """What a draft of the reply at hand is written from."""
        entry, point = self.entry, self.point
        assert entry is not None
        line = self.line
        return Brief(
            entry.comment.id,
            entry.comment.comment,
            entry.comment.context,
            entry.root,
            entry.themes,
            point.action,
            describe(entry.root, entry.themes),
            self.desk.edits.get(entry.comment.id, ()),
            said(self.editor.text),
            line.allotted if line is not None and self.desk.limit.unit != "words" else None,
        )

    def draft(self) -> None:
        """Has the reply drafted: by the language model that was chosen, else by the template that fits best."""
        from engine.models.library import ModelLibrary
        from engine.rebuttal.tasks import DraftReply, draft_reply

        reader = self.reader
        assert reader is not None
        chosen = []
        if not self.act(lambda: chosen.append(ModelLibrary().chosen(USE)), WORK):
            return
        model = chosen[0]
        if model is None or self.entry is None:
            best = self.templates.template(0)
            if best is not None:
                self.put_in(best)
            words = "The best template was put in: no language model is chosen for drafts under Models."
            self.banner.show_notice(Notice(WORK, words, kind="note"))
            return
        self.editor.finish()
        self.strip.begin(model.title)
        self._drafting = self.context.bridge.submit(
            draft_reply(reader.store, DraftReply(self.brief(), model, len(reader.store.drafts(self.at_hand)))),
            self,
            on_done=self._drafted,
            on_error=self._draft_failed,
            on_partial=self._heard,
        )
        self.context.commands.state_changed.emit()

    def stop_drafting(self) -> None:
        """Stops the model; nothing of it is kept."""
        if self._drafting is not None:
            self._drafting.cancel()
            self._drafting = None
            self.strip.show_draft(None)
            self.context.commands.state_changed.emit()

    def take_draft(self) -> None:
        """Puts the draft into the reply; its sentences are marked until they are edited or accepted."""
        draft = self.strip.draft
        assert draft is not None
        self.put_in_text(draft.text, draft.origin, None)
        self.strip.show_draft(None)
        self.context.commands.state_changed.emit()

    def refuse_draft(self) -> None:
        """Puts the draft aside, and keeps that it was not wanted."""
        reader, draft = self.reader, self.strip.draft
        assert reader is not None
        assert draft is not None
        if self.act(lambda: reader.store.refuse(self.point, draft.origin, draft.text, initiator=self)):
            self.strip.show_draft(None)
            self.context.commands.state_changed.emit()

    def _heard(self, piece: Drafting) -> None:
        self.strip.hear(piece.text)

    def _drafted(self, draft: Draft) -> None:
        self._drafting = None
        self.strip.show_draft(draft if draft.comment_id == self.at_hand else None)
        self.context.commands.state_changed.emit()

    def _draft_failed(self, failure: Failure) -> None:
        self._drafting = None
        self.strip.show_draft(None)
        self.show_failure(failure, WORK)
        self.context.commands.state_changed.emit()

    # --- budget ---------------------------------------------------------------------------------------------------

    def set_budget(self, number: int) -> None:
        """How much room the reply at hand may take; 0 gives it its share."""
        reader, point = self.reader, self.point
        assert reader is not None
        budget = number or None
        if budget != point.budget:
            self.act(lambda: reader.store.set_budgets(self.desk.paper_id, [(point, budget)], initiator=self))

    def spread_left(self) -> None:
        """Replies that are written get what they take; what is left over is shared by the others."""
        reader = self.reader
        assert reader is not None
        self.editor.finish()
        wanted = [(line.row.point, line.spent or None) for line in self.matrix.rows]
        self.act(lambda: reader.store.set_budgets(self.desk.paper_id, wanted, initiator=self))

    def spread_evenly(self) -> None:
        """Every reply gets its share by the length of its comment again."""
        reader = self.reader
        assert reader is not None
        self.editor.finish()
        wanted = [(line.row.point, None) for line in self.matrix.rows]
        self.act(lambda: reader.store.set_budgets(self.desk.paper_id, wanted, initiator=self))

    def open_limits(self) -> None:
        """The venue's limits, figure by figure."""
        from desktop_app.panes.rebuttal.limits_dialog import LimitsDialog

        dialog = LimitsDialog(self.desk.plan, self.desk.limit, self)
        dialog.accepted.connect(lambda: self._take_limits(dialog))
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def _take_limits(self, dialog: object) -> None:
        reader = self.reader
        assert reader is not None
        plan = getattr(dialog, "plan")  # noqa: B009 - the dialog is imported only when it is opened
        if self.act(lambda: reader.store.set_plan(self.desk.paper_id, plan(), initiator=self)):
            self.limit_changed()

    def choose_preset(self, key: str) -> None:
        """Takes another preset, without own figures."""
        reader = self.reader
        if reader is not None and (key != self.desk.plan.preset or self.desk.plan.own_limits):
            plan = replace(self.desk.plan, preset=key, own_limits=())
            if self.act(lambda: reader.store.set_plan(self.desk.paper_id, plan, initiator=self), ACT):
                self.limit_changed()

    def limit_changed(self) -> None:
        """Another limit holds: it may want another form."""
        raise NotImplementedError
