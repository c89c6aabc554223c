"""The Analysis pane: real edits beside proposed ones, links from responses, and corpus statistics."""

import html
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QByteArray, Qt
from PySide6.QtWidgets import QWidget

from desktop_app import present
from desktop_app.commands import CommandRegistry
from desktop_app.panes.analysis.figures_view import FiguresView
from desktop_app.panes.analysis.judging import JudgingView
from desktop_app.panes.analysis.state import DECISIONS, FIGURES, JUDGING, LABELS, AnalysisState, count_task, export_task
from desktop_app.panes.base import AppContext, Pane
from desktop_app.panes.linking.proposal_panel import maker
from desktop_app.panes.linking.study import reviewer_name
from desktop_app.panes.linking.work import Proposing, unusable_notice
from desktop_app.theme import theme
from desktop_app.widgets.banner import Notice
from desktop_app.widgets.edit_words import WORDS
from desktop_app.widgets.entry_list import EntryList
from desktop_app.widgets.fetcher import Fetcher
from desktop_app.widgets.fields import ChoiceBox
from desktop_app.widgets.labels import HtmlPage, hairline, text_label
from desktop_app.widgets.layouts import (
    Flow,
    at_least,
    column,
    command_buttons,
    row,
    splitter,
    stacked,
    surface,
    tabs,
    tall_enough,
)
from desktop_app.widgets.tracked import lit_html, tracked_html
from engine.documents.records import ParsedDocument
from engine.exchange.edit_research import Research
from engine.project import Changes
from engine.reviews.records import Comment
from engine.revision.records import Edit, SilverPair
from engine.shown import counted

if TYPE_CHECKING:
    from engine.revision.generation.tasks import ProposalsMade

_KINDS = {
    "quoted text": "the response quotes words that the edit adds",
    "quoted comment": "the response quotes the comment, and its answer shares words with the edit",
    "reply": "the response shares words with the edit",
}


class LabelsView(QWidget):
    """The links from responses on the left; comment, response and edit of the selected one on the right."""

    def __init__(self, registry: CommandRegistry, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Links from responses")
        self.list = EntryList("Links from responses", self, Qt.TextElideMode.ElideRight)
        self.list.set_message("No links yet. Choose “Find links” to look for them in the authors' responses.")
        self._title = text_label("", "section", parent=self)
        self.page = HtmlPage("Comment, response and edit", self, reading=13)
        right = surface(QWidget(self), "Selected label")
        names = ("confirm", "refuse", "reopen", "find_labels")
        buttons = command_buttons(registry, "analysis", dict.fromkeys(names, ""), right)
        column(
            self._title, (self.page, 1), hairline(parent=right), row(*buttons.values(), None),
            margins=(16, 12, 16, 12), spacing=8, of=right,
        )  # fmt: skip
        at_least(self.list, 130)
        column(splitter((self.list, 320, 0), (right, 800, 1), parent=self), of=self)
        self._shown: tuple[SilverPair | None, Comment | None, Edit | None] = (None, None, None)
        theme().follow(self._write, now=False)

    def show_pair(self, pair: SilverPair | None, comment: Comment | None, edit: Edit | None) -> None:
        self._shown = (pair, comment, edit)
        self._write()

    def _write(self) -> None:
        pair, comment, edit = self._shown
        if pair is None or comment is None or edit is None:
            self._title.setText("No link selected")
            self.page.clear()
            return
        self._title.setText(f"{reviewer_name(comment)} and {edit.label}: {DECISIONS[pair.decision]}")
        evidence = [label.evidence for label in pair.labels]
        parts = [("Comment", lit_html(comment.comment, evidence))]
        if comment.response:
            parts.append(("The authors' response", lit_html(comment.response, evidence)))
        head = f"{edit.label} · {WORDS[edit.sort]} · {edit.section or 'no section'}"
        parts.append((head, tracked_html(edit.source_text, edit.target_text, evidence=evidence)))
        parts.append((f"Why: {'; '.join(f'{_KINDS[one.kind]} ({one.strength:.2f})' for one in pair.labels)}", ""))
        muted = theme().tokens.muted
        self.page.setHtml("".join(f"<p style='color:{muted}'>{html.escape(h)}</p><p>{text}</p>" for h, text in parts))


_WORK = "work"
_BLIND = "analysis.blind"
_VIEWS = ("Real and generated edits", "Links from responses", "Tables and figures")
_BUTTONS = {
    "propose": ("Propose", JUDGING),
    "stop": ("Stop", JUDGING),
    "blind": ("Blind", JUDGING),
    "export_tables": ("Tables", FIGURES),
    "export_figures": ("Figures", FIGURES),
}
"""The buttons above the views: title, and the view they belong to."""


class AnalysisPane(Pane):
    """Three views: comparing edits and reviewing links of one paper, and tables and figures of all papers."""

    pane_id = "analysis"
    purpose = (
        "Compare a comment's real edits with a proposed one, review the links that responses suggest, and see "
        "statistics on comments and edits. Start by linking edits to comments."
    )
    tables = frozenset(
        {
            "proposal", "edit_analysis", "silver_label", "silver_decision", "edit_link", "comment_state", "comment",
            "comment_span", "edit", "revision", "paper", "paper_version", "annotation_done", "annotator",
        }
    )  # fmt: skip
    first_step = "analysis.to_linking"

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self.state = AnalysisState(blind=not context.state.bytes(_BLIND).isEmpty())
        self._document = ""
        self._stale = True
        self.fetcher = Fetcher(self)
        self.proposing = Proposing(context.bridge, self)
        self._build()
        self._connect()

    def _build(self) -> None:
        registry = self.context.commands
        self.tabs = tabs("Views of the analysis", _VIEWS, self.body)
        self.origin = ChoiceBox("Proposals to compare", letters=14, parent=self.body)
        titles = {name: title for name, (title, _) in _BUTTONS.items()}
        self._buttons = command_buttons(registry, "analysis", titles, self.body)
        self._buttons["blind"].setCheckable(True)
        head = row((Flow(self.tabs, None, self.origin, *self._buttons.values()), 1), margins=(12, 4, 8, 4))
        self.list = EntryList("Comments with real and generated edits", self.body, Qt.TextElideMode.ElideRight)
        self.judging = JudgingView(self.body)
        self.labels = LabelsView(registry, self.body)
        self.figures = FiguresView(self.body)
        at_least(self.list, 130)
        tall_enough(self.judging)
        judging = splitter((self.list, 260, 0), (self.judging, 900, 1), parent=self.body)
        self.views = stacked(self.body, judging, self.labels, self.figures)
        column(head, hairline(parent=self.body), (self.views, 1), of=self.body)
        self._show_head()

    def _connect(self) -> None:
        self.fetcher.fetched.connect(self._fetched)
        self.fetcher.failed.connect(lambda name, problem: self.show_problem(problem, name))
        self.proposing.changed.connect(self._show_head)
        self.proposing.done.connect(self._proposed)
        self.proposing.failed.connect(lambda failure: self.show_failure(failure, _WORK))
        self.tabs.currentChanged.connect(self._view_changed)
        self.origin.picked.connect(self._origin_chosen)
        self.list.picked.connect(self._comment_chosen)
        self.labels.list.picked.connect(self._label_chosen)
        self.judging.answered.connect(self.answer)
        note = self.judging.note
        note.committed.connect(lambda text, _key, of: of and self.act(lambda: self.state.set_note(text, of.record)))
        note.left.connect(self.take_focus)

    def project_set(self) -> None:
        self.fetcher.forget()
        self.proposing.stop()
        self.state.open(self.project)
        self._document, self._stale = "", True
        self.figures.show_research(None)
        self._show()

    def is_empty(self) -> bool:
        return self.state.is_empty

    def on_changes(self, changes: Changes) -> None:
        self._stale |= bool(changes.tables & self.tables)
        super().on_changes(changes)

    def refresh(self) -> None:
        state = self.state
        state.read(self.paper_id)
        study = state.paper.study
        key = study.source.document_id if study is not None else ""
        if key != self._document:
            self._document, state.paragraphs = key, {}
            if key:
                self.fetcher.fetch("text", lambda: state.studies.documents.parsed(key))
        self._show()
        self._count_if_visible()

    def take_focus(self) -> None:
        (self.list, self.labels.list, self.figures)[self.state.view].setFocus()

    def answer(self, question: int, answer: int | None) -> None:
        """Answers a question (numbers from 0) about the selected comment; None removes the answer."""
        if self.state.can_judge:
            self.act(lambda: self.state.answer(question, answer))
        self.judging.show_item(self.state.comparison())

    def answer_by_key(self, answer: int) -> None:
        if answer < len(self.judging.rows[self.state.question].buttons):
            self.answer(self.state.question, answer)

    def step_question(self, by: int) -> None:
        self.state.step_question(by)
        self.judging.show_item(self.state.comparison())

    def toggle_blind(self) -> None:
        """Switches between naming the sides and calling them A and B in a hidden order; the choice is saved."""
        self.state.blind = not self.state.blind
        self.context.state.set_bytes(_BLIND, QByteArray(b"1") if self.state.blind else QByteArray())
        self._show()

    def step(self, by: int) -> None:
        (self.labels.list if self.state.view == LABELS else self.list).step(by)

    def next_open(self) -> None:
        key, labels = self.state.next_open(), self.state.view == LABELS
        if key:
            (self.labels.list if labels else self.list).pick(key)
        else:
            self.note("No other open links." if labels else "No other undecided comments.")

    def go(self) -> None:
        comment, edit = self.state.place
        self.context.show_pane("linking").go_to(comment, edit)

    def _view_changed(self, number: int) -> None:
        self.state.view = number
        self.views.setCurrentIndex(number)
        self._show_head()
        self._count_if_visible()
        self.take_focus()

    def _origin_chosen(self, key: str) -> None:
        self.state.origin = key
        self.refresh_now()

    def _comment_chosen(self, key: str) -> None:
        self.state.select(key)
        self.judging.show_item(self.state.comparison())
        self.context.commands.state_changed.emit()

    def _label_chosen(self, key: str) -> None:
        self.state.label = key
        self._show_label()
        self.context.commands.state_changed.emit()

    def decide(self, *, confirm: bool) -> None:
        if self.act(lambda: self.state.decide(confirm=confirm)) and self.state.next_open():
            self.next_open()

    def find_labels(self) -> None:
        from engine.revision.tasks import find_silver_labels

        studies, study = self.state.studies, self.state.paper.study
        task = find_silver_labels(studies.reviews, studies.revisions, self.state.silver, present(study).revision.id)
        self.submit(task, self._labels_found)

    def _labels_found(self, pairs: int) -> None:
        words = f"Found {counted(pairs, 'link')} in responses." if pairs else "No links found in responses."
        self.note(words, key=_WORK)

    def propose(self) -> None:
        project, study = self.project, self.state.paper.study
        self.act(lambda: self.proposing.propose(present(project), present(study).revision.id, self.state.linked()))

    def _proposed(self, made: "ProposalsMade") -> None:
        comments = counted(len({one.comment_id for one in made.proposals}), "linked comment")
        said = Notice(_WORK, f"Edits were proposed for {comments}.", kind="note")
        self.banner.show_notice(unusable_notice(made) or said)

    def export_to(self, format_: str, path: Path) -> None:
        """Starts a job that writes the files of a format, named after ``path``; recalculates outdated figures first."""

        def write(found: Research) -> None:
            self._counted(found)
            self.write_files(export_task(found, format_, path))

        if self._stale or self.state.found is None:
            self.submit(count_task(present(self.project)), write, "export")
        else:
            write(self.state.found)

    def _count_if_visible(self) -> None:
        if self.state.view != FIGURES or not self._stale or self.project is None or not self.isVisible():
            return
        outdated = partial(self.figures.show_research, None)
        self.calculate(count_task(self.project), self._counted, outdated, "count")

    def _counted(self, found: Research) -> None:
        self.state.found, self._stale = found, False
        self.figures.show_research(found)
        self.context.commands.state_changed.emit()

    def _fetched(self, _name: str, found: object) -> None:
        parsed = cast("ParsedDocument | None", found)
        self.state.paragraphs = {paragraph.id: paragraph for paragraph in parsed.paragraphs} if parsed else {}
        self.judging.show_item(self.state.comparison())

    def _show(self) -> None:
        state = self.state
        makers = [(maker(origin), origin) for origin in state.paper.origins]
        self.origin.show_entries([("All, newest first", ""), *makers], state.origin)
        self.list.show_entries(state.entries(), state.key)
        self.judging.show_item(state.comparison())
        self.labels.list.show_entries(state.label_entries(), state.label)
        self._show_label()
        self._show_head()

    def _show_label(self) -> None:
        pair, paper = self.state.pair, self.state.paper
        comment, edit = (paper.comments.get(pair.comment_id), paper.edits.get(pair.edit_id)) if pair else (None, None)
        self.labels.show_pair(pair, comment, edit)

    def _show_head(self) -> None:
        state = self.state
        state.proposing = self.proposing.doing
        self.list.set_message(state.empty)
        if state.item is None:
            self.judging.show_item(state.comparison())
        self.origin.setVisible(state.view == JUDGING)
        for name, button in self._buttons.items():
            button.setVisible(state.view == _BUTTONS[name][1] and (name != "stop" or bool(state.proposing)))
        self._buttons["blind"].setChecked(state.blind)
        self.set_status(state.status())
        self.context.commands.state_changed.emit()
