"""The Rebuttal pane: all comments with labels and edits, a response to each, and a matrix of what is missing."""

from __future__ import annotations

from functools import cached_property, partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QWidget

from desktop_app.panes.base import ACT, AppContext, Pane
from desktop_app.panes.rebuttal.background import Background, ResponseOpinions
from desktop_app.panes.rebuttal.choices import GROUPINGS, PREVIEW, WRITE, Grouping
from desktop_app.panes.rebuttal.comment_list import CommentList, CommentReader, HeadBar, Shown
from desktop_app.panes.rebuttal.libraries_dialog import LibraryActions, TemplatesView
from desktop_app.panes.rebuttal.limits_dialog import LimitsDialog, Threads
from desktop_app.panes.rebuttal.lists import key_of, line_key, notes_of, spent_words
from desktop_app.panes.rebuttal.matrix_view import MatrixPart
from desktop_app.panes.rebuttal.response_part import ResponsePart
from desktop_app.panes.rebuttal.sending import Sending
from desktop_app.panes.rebuttal.state import CommentSentences, RebuttalState, budget_line, progress_words
from desktop_app.panes.rebuttal.templates import Templates
from desktop_app.panes.rebuttal.transfer import LETTER, LetterImport, Sender
from desktop_app.panes.rebuttal.writing import Writing
from desktop_app.timers import delayed
from desktop_app.widgets.banner import Notice
from desktop_app.widgets.command_menu import offer_commands
from desktop_app.widgets.fetcher import Fetcher
from desktop_app.widgets.keys import Items, KeyBar
from desktop_app.widgets.label_chips import open_label_menu
from desktop_app.widgets.labels import hairline, scrolled
from desktop_app.widgets.layouts import at_least, column, splitter, stacked
from desktop_app.widgets.model_jobs import LabelJobs
from engine.operations.search_store import Found
from engine.project import Changes
from engine.rebuttal.budget import spent
from engine.reviews.labels.records import Layer
from engine.reviews.wording import check_wording

if TYPE_CHECKING:
    from desktop_app.panes.rebuttal.send_view import PreviewView, SendView

_GROUPING = "rebuttal.grouping"
_NOTES_MS = 150
"""Pause in typing, in milliseconds, after which tone and markup are checked."""
POINTS = frozenset({"rebuttal_point", "rebuttal_use", "rebuttal_draft", "rebuttal_plan"})
KEYS: Items = (
    (("next", "previous"), "comment"), (("next_open",), "next unanswered"), (("next_todo",), "next issue"),
    (("edit",), "write"), (("must_answer",), "response needed"), (("suggest_labels",), "suggest labels"),
    (("previous_sentence", "next_sentence"), "sentence"),
    (("accept_labels", "refuse_labels"), "accept, reject label"), (("label_aspect",), "aspect"),
    (("label_theme",), "theme"), (("label_polarity",), "polarity"), (("go",), "link edits"),
    (("spread_left",), "divide what's left"), (("keep_template",), "save as template"), (("libraries",), "libraries"),
)  # fmt: skip


COMMENT_MENU = ("edit", "share", "part", "follow_up", "must_answer", "outcome", "", "link_suggested", "go")


class RebuttalPane(Pane):
    """Three columns: comments, the current response with templates, the response matrix."""

    pane_id = "rebuttal"
    purpose = (
        "Answer every review comment within the venue's limit, with responses that can be checked against the "
        "revised paper. Start by adding the reviews."
    )
    tables = POINTS | {
        "rebuttal_template", "comment", "comment_span", "source_text", "edit_link", "edit", "revision",
        "paper", "paper_version", "document", "parsed_document", "sentence_label", "sentence_label_decision",
        "sentence_suggestion", "suggestion", "suggestion_decision", "annotator", "project_info",
    }  # fmt: skip
    first_step = "rebuttal.to_linking"
    search_hint = "Find in the comments"

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self.state = RebuttalState(next((by for _, by in GROUPINGS if by == context.state.text(_GROUPING)), "reviewer"))
        self.fetcher = Fetcher(self)
        self.fetcher.failed.connect(lambda name, problem: self.show_problem(problem, name))
        self._points_only = False
        self._notes_pause = delayed(self, _NOTES_MS, self._check_notes)
        self._build()
        tools = self.make_tools(self.response.editor.finish)
        self.do = tools.do
        self.on_point = partial(tools.do, self.state.on_point)
        self.sentences = CommentSentences(self.state)
        self.libraries = LibraryActions(self.state, Templates(self.state), tools)
        self.threads = Threads(self.state, self.response, tools, self.take)
        self.writing = Writing(
            self.state, self.libraries.templates, (self.response, self.templates, self.comment), tools
        )
        sending = Sending(self.state, context.state.text, context.state.set_text)
        self.outgoing = Sender(self.state, sending, self._make_send_view, tools, self.fetcher)
        self.letters = LetterImport(self.state, tools, self.fetcher)
        self.label_jobs = LabelJobs(tools, self.pane_id)
        self.background = Background(self.state, context.bridge, self.fetcher, self)
        self.opinions = ResponseOpinions(self.state, self.fetcher, tools)
        self._connect()

    def _build(self) -> None:
        registry, body = self.context.commands, self.body
        self.head = HeadBar(registry, body)
        self.main = self.list = CommentList(body)
        self.comment = CommentReader(body)
        self.response, self.templates = ResponsePart(registry, body), TemplatesView(registry, body)
        self.matrix = MatrixPart(body)
        self._write_view = splitter((self.response, 400, 0), (self.templates, 320, 0), vertical=True, parent=body)
        self.views = stacked(body, self._write_view)
        left = splitter((self.comment, 400, 1), (self.list, 250, 1), vertical=True, parent=body)
        writing = splitter((left, 282, 1), (self.views, 528, 2), parent=body)
        columns = splitter((writing, 810, 3), (self.matrix, 320, 1), folding=True, parent=body)
        at_least(left, 192)
        at_least(self.matrix, 272)
        area = scrolled(columns, "Comments, response and matrix", body, sideways=True)
        keys = KeyBar(registry, self.pane_id, KEYS, body)
        column(self.head, hairline(parent=body), (area, 1), keys, of=body)

    def _connect(self) -> None:
        state, editor, changed = self.state, self.response.editor, self.context.commands.state_changed
        self.head.grouping.picked.connect(self.group_by)
        self.head.limit.picked.connect(self.choose_preset)
        self.head.tabs.currentChanged.connect(self._view_changed)
        self.list.chosen.connect(lambda entry: self.take(entry.comment.id))
        self.matrix.list.chosen.connect(lambda line: self.take(line_key(line)))
        self.matrix.list.activated_row.connect(lambda _index: self.edit())
        menu = [name and f"{self.pane_id}.{name}" for name in COMMENT_MENU]
        offer_commands(self.list, self.context.commands, menu)
        offer_commands(self.matrix.list, self.context.commands, menu)
        editor.committed.connect(
            lambda text, key, whose: whose and self.act(lambda: state.write(whose.record, text, key))
        )
        editor.typed.connect(self._typed)
        editor.left.connect(self.list.setFocus)
        budget = self.response.budget
        budget.editingFinished.connect(
            lambda: state.has_response() and self.act(lambda: state.set_budget(budget.value()))
        )
        self.comment.anchorClicked.connect(lambda _address: self.context.commands.run("rebuttal.link_suggested"))
        self.response.strip.changed.connect(self.writing.point_changed)
        self.response.strip.changed.connect(changed)
        self.libraries.changed.connect(self.writing.show_templates)
        self.background.checked.connect(self._claims_checked)
        self.opinions.changed.connect(self._check_notes)
        self.background.laid_out.connect(self._laid_out)
        self.background.doubted.connect(self._show_comments)

    @cached_property
    def preview(self) -> PreviewView:
        from desktop_app.panes.rebuttal.send_view import PreviewView

        view = PreviewView(self.body)
        view.wanted.connect(self.background.draw)
        self.background.drawn.connect(view.show_drawn)
        self.views.addWidget(view)
        return view

    @property
    def send_view(self) -> SendView:
        return self.outgoing.view

    def _make_send_view(self) -> SendView:
        from desktop_app.panes.rebuttal.send_view import SendView

        view = SendView(self.context.commands, self.body)
        view.place_wanted.connect(self._go_to_point)
        self.views.addWidget(view)
        return view

    def project_set(self) -> None:
        self.fetcher.forget()
        if self.project is not None:
            self.background.load_readers()
        self.response.strip.stop()
        self.response.strip.clear()
        self.label_jobs.stop()
        self.opinions.show_document("")
        self.state.open(self.project)
        self.outgoing.sending.metadata = ()
        self.letters.swap = None
        self.sentences.at, self._points_only = 0, False
        self.response.editor.show_reply(None)
        self._show()

    def is_empty(self) -> bool:
        return self.state.is_empty(self.paper_id)

    def on_changes(self, changes: Changes) -> None:
        # If other changes are still pending, everything is read.
        self._points_only = changes.tables <= POINTS and (self._points_only or not self._dirty)
        super().on_changes(changes)

    def paper_changed(self) -> None:
        self.response.editor.finish()
        self.banner.dismiss(LETTER)
        self._points_only = False
        super().paper_changed()

    def refresh(self) -> None:
        if self._points_only and self.state.has_comments():
            self.state.read_points()
        else:
            if self.state.read(self.paper_id):
                self.background.read_revised()
                self.outgoing.read_metadata()
            target = self.state.rebuttal.target
            self.opinions.show_document(target.document_id if target is not None else "")
            self.libraries.read()
            self.background.find_doubtful()
        self._points_only = False
        self._show()
        self.letters.offer()
        self.background.check_claims()

    def show_found(self, found: Found) -> None:
        self.templates.field.setText(found.title)

    def search(self, text: str) -> None:
        self.state.filter = text
        self._show_comments()

    def _show(self) -> None:
        plan, limit = self.state.rebuttal.plan, self.state.rebuttal.limit
        own = f"Based on “{limit.title}”, with values you've changed. " if plan.own_limits else ""
        self.head.show_choices(self.state.grouping, plan, f"{own}{limit.note}")
        self._show_matrix()
        self._show_comments()
        self._show_point()
        self._show_view()
        self.context.commands.state_changed.emit()

    def _show_matrix(self) -> None:
        progress = progress_words(self.state)
        self.matrix.show_lines(self.state.lines, *progress)
        self.matrix.show_head(budget_line(self.state))
        self.set_status(" · ".join(filter(None, progress)))
        self.background.outline_changed()

    def _show_comments(self) -> None:
        self.list.show_groups(self.state.groups(), self.state.current)
        self.matrix.list.select(self.state.current)

    def _select(self) -> None:
        self.list.select(self.state.current)
        self.matrix.list.select(self.state.current)

    def _show_point(self) -> None:
        state, found, row = self.state, self.state.found, self.state.row
        self.matrix.show_head(budget_line(state))
        self.show_comment()
        title = "" if found is None else row.label if row else f"{found[1].kind.capitalize()} to {found[0].reviewer}"
        if same := ", ".join(one.label for one in state.sharing()):
            title += f" = {same}"
        self.response.show_point(
            found[1] if found else None, state.rebuttal.paper_id, title, writable=state.can_write(),
            answered=row is not None, limited=state.rebuttal.limit.tightest is not None,
        )  # fmt: skip
        self._show_length()
        self._show_notes()
        self.writing.show_templates()

    def show_comment(self) -> None:
        state, entry = self.state, self.state.entry
        shown = None
        if entry is not None:
            shown = Shown(
                entry.comment, self.sentences.text, self.sentences.all(), self.sentences.at, state.edits,
                state.suggested, state.rebuttal.target is not None,
                self.context.commands.native_shortcut("rebuttal.link_suggested"),
            )  # fmt: skip
        self.comment.show_comment(shown)

    def _show_length(self) -> None:
        line = self.state.line
        self.response.show_length(line.allotted if line is not None else None, self.state.rebuttal.limit.unit)

    def _show_notes(self) -> None:
        if self.state.found is None:
            self.response.show_notes(())
            return
        text, line = self.response.editor.text, self.state.line
        checked, flags = (line.claims, line.flags) if line is not None else ((), ())
        wording = check_wording(text, "author", self.state.rebuttal.plan.names)
        self.response.show_notes(notes_of(text, wording, checked, flags, self.opinions.of))

    def _check_notes(self) -> None:
        self._show_notes()
        self.context.commands.state_changed.emit()

    def _show_view(self) -> None:
        found, rebuttal = self.state.found, self.state.rebuttal
        if self.head.view == PREVIEW and found is not None:
            words = spent_words(spent(found[0], rebuttal.limit, rebuttal.plan.quoting), rebuttal.limit.unit)
            summary = f"To {found[0].reviewer}, as shown on OpenReview · {words}"
            self.preview.show_posts(self.outgoing.sending.posts_to(found[0]), summary)
        self.outgoing.show()

    def _typed(self) -> None:
        """Updates length and matrix at each key, and notes after a pause; the field saves its text itself."""
        if self.state.type_text(self.response.editor.text):
            self._show_matrix()
        self._show_length()
        self._notes_pause.start()

    def _claims_checked(self) -> None:
        if not self.response.editor.unsaved:
            self.state.update_matrix()
            self._show_matrix()
            self._select()
            self.outgoing.show_findings()
        self._check_notes()

    def _laid_out(self) -> None:
        self.matrix.show_head(budget_line(self.state))
        self.outgoing.show_findings()

    def take(self, key: str) -> None:
        if key == self.state.current:
            return
        self.response.editor.finish()
        self.state.current, self.sentences.at = key, 0
        self.writing.point_changed()
        self._select()
        self._show_point()
        self._show_view()
        self.context.commands.state_changed.emit()

    def step(self, by: int) -> None:
        """Goes to the next or previous point, in the order of the list that has the focus."""
        keys = self.list.keys()
        if self.matrix.list.hasFocus() or self.response.editor.hasFocus():
            keys = [key_of(point) for _, point in self.state.points()]
        if keys:
            at = keys.index(self.state.current) + by if self.state.current in keys else 0
            self.take(keys[min(max(at, 0), len(keys) - 1)])

    def next_comment(self, *, unanswered: bool) -> None:
        """Goes to the next comment without a response, or the next one with issues."""
        self.response.editor.finish()
        key = self.state.next_comment(unanswered=unanswered)
        if key:
            self.take(key)
        else:
            words = "All other comments have a response." if unanswered else "No other response has issues to fix."
            self.banner.show_notice(Notice(ACT, words, kind="note"))

    def edit(self) -> None:
        self.head.tabs.setCurrentIndex(WRITE)
        self.response.editor.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def show_view(self, number: int) -> None:
        self.head.tabs.setCurrentIndex(WRITE if number == self.head.view else number)

    def _view_changed(self, number: int) -> None:
        self.response.editor.finish()
        shown: tuple[QWidget, QWidget] = (self._write_view, self.response.editor)
        if number != WRITE:
            shown = (self.preview, self.preview.page) if number == PREVIEW else (self.send_view, self.send_view.list)
        self.views.setCurrentWidget(shown[0])
        self._show_view()
        shown[1].setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.context.commands.state_changed.emit()

    def _go_to_point(self, key: str) -> None:
        self.take(key)
        self.head.tabs.setCurrentIndex(WRITE)

    def group_by(self, by: Grouping) -> None:
        self.state.grouping = by
        self.context.state.set_text(_GROUPING, by)
        self.head.grouping.show_value(by)
        self._show_comments()
        self.banner.dismiss(_GROUPING)
        if by == "root" and self.state.entries and not any(entry.aspect for entry in self.state.entries):
            key = self.context.commands.native_shortcut("rebuttal.label_aspect")
            means = "The bundled heads don't suggest aspects, because too few of the suggestions would be right."
            do = f"Set them yourself with {key}, or train heads on your own labels in Labels."
            self.banner.show_notice(Notice(_GROUPING, "No comment has an aspect yet.", means, do, kind="note"))

    def go_to_linking(self) -> None:
        self.response.editor.finish()
        comment, edits = self.state.current, self.state.edits
        pane = self.context.show_pane("linking")
        if self.state.entry is not None:
            pane.go_to(comment, edits[0].id if edits else "")

    def suggest_labels(self) -> None:
        assert self.project is not None
        kinds = ("review", "meta-review", "letter")
        self.label_jobs.suggest(self.project, tuple(t.id for t in self.state.rebuttal.texts if t.kind in kinds))

    def step_sentence(self, by: int) -> None:
        self.sentences.step(by)
        self.show_comment()

    def quote_sentence(self) -> None:
        self.response.quote(self.sentences.words())
        self.step_sentence(1)

    def open_labels(self, name: Layer) -> None:
        held, place = self.sentences.current.decided(name), QPoint(12, 12)
        open_label_menu(self.comment, place, name, held, lambda own: self.do(self.sentences.set_label, name, own))

    def choose_preset(self, key: str) -> None:
        plan = self.state.rebuttal.plan
        changed = self.state.reader is not None and key and (key != plan.preset or plan.own_limits)
        if changed and self.act(lambda: self.state.change_plan(preset=key, own_limits=())):
            self.outgoing.limit_changed()

    def open_limits(self) -> None:
        dialog = LimitsDialog(self.state.rebuttal.plan, self.state.rebuttal.limit, self)

        def save() -> None:
            self.state.store.set_plan(self.state.rebuttal.paper_id, dialog.plan())
            self.outgoing.limit_changed()

        dialog.save = save
        dialog.open()
