"""The Linking pane: which edits of the revised paper answer which review comments."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QWidget

from desktop_app import if_any, present
from desktop_app.panes.base import ACT, AppContext, Pane
from desktop_app.panes.linking.comments_panel import CommentsPanel
from desktop_app.panes.linking.coverage_view import CoverageView
from desktop_app.panes.linking.edits_panel import EditsPanel
from desktop_app.panes.linking.files import LinkingFiles
from desktop_app.panes.linking.guidelines import Guidelines
from desktop_app.panes.linking.marking import Field
from desktop_app.panes.linking.pages import Pages
from desktop_app.panes.linking.proposal_panel import ProposalPanel
from desktop_app.panes.linking.reviews_view import ReviewsView
from desktop_app.panes.linking.state import TABLES, LinkingState
from desktop_app.panes.linking.study import Study
from desktop_app.panes.linking.terms import COMMENT_MENU, EDIT_MENU, KEYS, STATES, Mode, keys_of
from desktop_app.panes.linking.tool_row import StrategyBox, ToolRow
from desktop_app.panes.linking.work import LinkingWork, Proposing, unusable_notice, ways
from desktop_app.paper_actions import PaperActions
from desktop_app.timers import delayed
from desktop_app.widgets.annotator_button import AnnotatorButton
from desktop_app.widgets.banner import Notice
from desktop_app.widgets.command_menu import add_commands, offer_commands
from desktop_app.widgets.fetcher import fetch_doubtful
from desktop_app.widgets.keys import FileDrop, KeyBar
from desktop_app.widgets.labels import hairline, scrolled
from desktop_app.widgets.layouts import at_least, column, follow_width, splitter, stacked
from desktop_app.widgets.side_by_side import BESIDE, SideBySideView, Standing
from engine.jobs import Failure
from engine.operations.papers import rename_reviewer
from engine.operations.search_store import Found
from engine.papers.store import REVISED, SUBMITTED
from engine.project import Changes
from engine.reviews.records import Span
from engine.revision.records import CommentState
from engine.shown import counted, shortened

if TYPE_CHECKING:
    from engine.revision.generation.tasks import ProposalsMade
    from engine.revision.means import Choice

_ROOM_FOR_ALL = 1500
"""Width from which comments, pages, edits and guidelines fit beside each other."""

_DONE, _LISTED = "done", 8
"""Key of the message about open comments when the paper is done, and how many comments it lists."""


class LinkingPane(Pane):
    pane_id = "linking"
    purpose = (
        "Compare the submitted and revised versions, and link edits to the review comments they answer. Start with "
        "the PDFs, or with the reviews. You can add the rest later."
    )
    tables = TABLES
    first_step, other_steps = "linking.import", ("linking.paste",)
    search_hint = "Search both versions"

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        registry, bridge, body = context.commands, context.bridge, self.body
        self.state = LinkingState()
        self.comments, self.edits = CommentsPanel(registry, body), EditsPanel(registry, body)
        self.side = SideBySideView(body)
        self.proposal, self.guidelines = ProposalPanel(registry, body), Guidelines(body)
        self.reviews, self.coverage = ReviewsView(registry, body), CoverageView(registry, body)
        self.annotator = AnnotatorButton(context, lambda: self.study.named, body, done="linking.done")
        self.strategy = StrategyBox(body)
        self.tools = ToolRow(registry, self.strategy, self.annotator, lambda: self.state.whose(), body)  # noqa: PLW0108 (the state of now)
        self.key_bar = KeyBar(registry, "linking", KEYS["linking"], body)
        self.pages = Pages(context, self.side, self)
        self.work = LinkingWork(bridge, self)
        self.proposing = Proposing(bridge, self)
        self.files = LinkingFiles(self.make_tools(lambda: None), lambda: self.tools.whose, lambda: self.coverage.listed)
        self.paper_actions = PaperActions(bridge, context.papers, context.files, self)
        self.paper_actions.problem.connect(self.show_problem)
        # Updates buttons after the pages are painted.
        self._buttons = delayed(self, 0, registry.state_changed.emit)
        self._arrange()
        self._connect()

    def _arrange(self) -> None:
        for part, width in ((self.comments, 224), (self.edits, 230), (self.proposal, 230), (self.guidelines, 220)):
            at_least(part, width)
        self.splitter = splitter(
            (self.comments, 270, 0), (self.side, 700, 1), (self.edits, 280, 0), (self.proposal, 340, 0),
            (self.guidelines, 270, 0), parent=self.body,
        )  # fmt: skip
        self.guidelines.setVisible(False)
        self.proposal.setVisible(False)
        self.linking = scrolled(self.splitter, "Comments, versions and edits", self.body, sideways=True)
        self.modes = stacked(self.body, self.linking, self.reviews, self.coverage)
        column(self.tools, hairline(parent=self.body), (self.modes, 1), self.key_bar, of=self.body)
        FileDrop(self, lambda path: path.suffix != ".rejoinder", lambda: self.state.can_import(), self.files.add_files)  # noqa: PLW0108 (the state of now)
        follow_width(self, self._make_room)

    def _connect(self) -> None:
        registry = self.context.commands
        self.comments.list.chosen.connect(lambda row: self.do(lambda: self.state.selection.choose_comment(row.id)))
        self.comments.filtered.connect(lambda chosen: self.do(lambda: self.state.selection.filter_comments(chosen)))
        self.comments.list.activated_row.connect(lambda _row: registry.run("linking.edits_list"))
        self.edits.list.chosen.connect(lambda row: self.do(lambda: self.state.selection.choose_row(row.key)))
        self.edits.filtered.connect(lambda chosen: self.do(lambda: self.state.selection.filter_edits(chosen)))
        self.edits.list.activated_row.connect(lambda _row: registry.run("linking.link"))
        offer_commands(self.edits.list, registry, EDIT_MENU)
        for comments in (self.comments.list, self.coverage.list):
            offer_commands(comments, registry, COMMENT_MENU)
        self.side.edit_chosen.connect(lambda key: self.do(lambda: self.state.selection.choose_edit(key)))
        self.side.target.menu_opening.connect(lambda menu: add_commands(menu, registry, ("linking.link_passage", "")))
        self.side.target.selection_changed.connect(self._buttons.start)
        self.side.left.connect(self.comments.list.setFocus)
        self.pages.text_read.connect(self._text_read)
        self.side.source_header.version_wanted.connect(partial(self.files.compare_version, SUBMITTED))
        self.side.target_header.version_wanted.connect(partial(self.files.compare_version, REVISED))
        self.pages.fetcher.failed.connect(lambda name, problem: self.show_problem(problem, name))
        self.reviews.list.picked.connect(lambda key: self.do(lambda: self.state.marking.choose_text(key)))
        self.reviews.comment_reached.connect(lambda key: self.do(lambda: self.state.marking.choose(key, move=False)))
        self.reviews.editor.mark_wanted.connect(lambda: registry.run("linking.mark"))
        self.reviews.form.edited.connect(partial(_edit_comment, self))
        self.coverage.chosen.connect(lambda key: self.do(lambda: self.state.selection.choose_comment(key)))
        self.coverage.wanted.connect(self.go_to)
        self.proposal.place_wanted.connect(self.side.show_paragraph)
        self.proposal.close_button.clicked.connect(self.hide_proposal)
        self.guidelines.close_button.clicked.connect(self.toggle_guidelines)
        self.proposing.changed.connect(self._show_proposal)
        self.proposing.done.connect(self._proposed)
        self.proposing.failed.connect(self._work_failed)
        self.work.moved.connect(self._show)
        self.work.failed.connect(self._work_failed)
        self.strategy.wanted.connect(self._strategy_chosen)
        self.strategy.outdated.connect(self._read_strategies)

    @property
    def study(self) -> Study:
        return self.state.study

    def project_set(self) -> None:
        mode = self.state.mode
        self.state = self.files.state = LinkingState(self.project)
        self.state.mode = mode
        self.pages.set_reader(self.state.reader)
        self.proposing.stop()
        self.work.set_reader(self.state.reader)
        self.annotator.refresh()
        self._show()

    def is_empty(self) -> bool:
        return self.state.is_empty()

    def on_changes(self, changes: Changes) -> None:
        if not self.state.mark_stale(changes.tables):
            return
        before = self.study
        super().on_changes(changes)
        if changes.kind in ("undo", "redo") and self.isVisible():
            self.state.follow(before)
            self._show()

    def refresh(self) -> None:
        comments = self.study.comments
        stale = self.state.refresh(self.paper_id)
        study = self.study
        self.tools.show_title(study.paper.title if study.paper else "")
        self.pages.show_versions(study, stale)
        if study.comments != comments:  # after the texts, which are visible first
            fetch_doubtful(
                self.pages.fetcher, study.comments, lambda found: self.do(lambda: self.state.show_doubtful(found))
            )
        self.annotator.refresh()
        self.set_status(study.progress())
        self.work.ensure(study, suggest=self.state.mode != "reviews")
        self._show()
        if any(notice.key == _DONE for notice in self.banner.notices):
            self.show_open()
        focus = QApplication.focusWidget()
        on_empty_page = focus is None or (self.isAncestorOf(focus) and not self.body.isAncestorOf(focus))
        if self.isActiveWindow() and on_empty_page:
            self.take_focus()

    def search(self, text: str) -> None:
        find = {"linking": self.side.find_text, "reviews": self.reviews.search, "coverage": self.coverage.search}
        find[self.state.mode](text)

    def search_next(self, forward: bool = True) -> None:
        parts = {
            "linking": self.side.find_next,
            "reviews": self.reviews.search_next,
            "coverage": self.coverage.search_next,
        }
        parts[self.state.mode](1 if forward else -1)

    def take_focus(self) -> None:
        lists = {"linking": self.comments.list, "reviews": self.reviews.editor, "coverage": self.coverage.list}
        lists[self.state.mode].setFocus()

    def do(self, verb: Callable[[], object]) -> None:
        """Runs a method of the state and shows the changes; problems are shown in the banner."""
        self.act(verb)
        self._show()

    def on_span(self, verb: Callable[[Span], object], *, words: bool = False) -> None:
        """Runs a method of the marking with the sentences (or words) selected in the review."""
        editor = self.reviews.editor
        self.do(partial(verb, editor.words_selected() if words else editor.sentences_selected()))

    def step_comment(self, by: int) -> None:
        if self.state.mode == "coverage":
            self.coverage.list.step(by)
        else:
            reviewing = self.state.mode == "reviews"
            self.do(partial(self.state.marking.step if reviewing else self.state.selection.step_comment, by))

    def step_edit(self, by: int) -> None:
        """Goes to the next or previous edit; in the coverage, which shows edits with their comments, to a comment."""
        if self.state.mode == "coverage":
            self.coverage.list.step(by)
        else:
            self.do(partial(self.state.selection.step_edit, by))

    def next_undecided(self) -> None:
        """Goes to the next comment without a decision, or shows a note if there is no other."""
        if not self.state.selection.next_undecided() and self.study.comments:
            last = self.study.state(self.state.comment_id) == "undecided"
            what = "This is the last undecided comment." if last else "Every comment is decided."
            self.banner.show_notice(Notice(ACT, what, kind="note"))
        self._show()

    def set_state(self, state: CommentState) -> None:
        """Sets the current comment's state. If its links contradict the state, asks first which to keep; pressing the
        same key again sets the state."""
        number, words = self.state.contradicted(state), STATES[state]
        links = "link" if number == 1 else "links"
        what = (
            f"This comment has {counted(number, 'link')}, but “{words}” means that no edit answers it."
            if number
            else ""
        )
        choice = f"Remove the {links}", f"Keep the {links}"
        decide = partial(self.do, partial(self.state.set_state, state))
        self._ask_first(what, f"state_{state}", f"remove the {links}", choice, decide)

    def _ask_first(self, what: str, command: str, again: str, choice: tuple[str, str], act: Callable[[], None]) -> None:
        """Calls ``act``, or first asks which of two to keep if ``what`` (the reason) isn't empty. Repeating the command
        also acts."""
        key = self.context.commands.native_shortcut(f"linking.{command}")
        do = f"Press {key} again to {again}." if key else ""
        actions = ((choice[0], act), (choice[1], partial(self.banner.dismiss, ACT)))
        means = "Which do you want to keep? Nothing has changed yet."
        asked = Notice(ACT, what, means, do, kind="attention", actions=actions)
        if what and asked not in self.banner.notices:
            self.banner.show_notice(asked)
        else:
            act()

    def show_open(self) -> None:
        """Shows which comments are still undecided, if the annotator is done with the paper."""
        left = self.study.still_open() if self.annotator.is_done() else ()
        if left:
            what = (
                f"You're done with this paper, but {counted(len(left), 'comment is', 'comments are')} still undecided."
            )
            more = f" and {len(left) - _LISTED} more" if len(left) > _LISTED else ""
            actions = (("Go to the next one", self.next_undecided),)
            self.banner.show_notice(Notice(_DONE, what, ", ".join(left[:_LISTED]) + more, kind="note", actions=actions))
        else:
            self.banner.dismiss(_DONE)

    def link(self) -> None:
        """Links the current edit; the status bar says so if it is already linked."""
        self.link_by("link", partial(self.do_and_say, self.state.link))

    def link_passage(self) -> None:
        """Links the selection in the revised version; the status bar says so if there is already an edit."""
        passage = self.pages.selected_passage()
        if passage is not None:
            self.link_by("link_passage", partial(self.do_and_say, partial(self.state.link_passage, passage)))

    def link_by(self, command: str, verb: Callable[[], None]) -> None:
        """Makes a link; if the comment's state contradicts it, asks first which to keep."""
        words = STATES[self.state.denied] if self.state.denied else ""
        what = f"This comment is marked “{words}”, which means that no edit answers it." if words else ""
        self._ask_first(what, command, "link it", ("Link it, set “Linked”", f"Keep “{words}”"), verb)

    def do_and_say(self, verb: Callable[[], str]) -> None:
        """Runs a method and shows the text it returns in the status bar."""
        said: list[str] = []
        self.do(lambda: said.append(verb()))
        if any(said):
            self.set_status(f"{said[0]} · {self.study.progress()}")

    def toggle_guidelines(self) -> None:
        """Shows the guidelines at the rule for the comment's state, or hides them."""
        shown = not self.guidelines.isVisible()
        self.guidelines.setVisible(shown)
        self._make_room(self.guidelines)
        state = self.study.state(self.state.comment_id)
        if shown and state != "undecided":
            self.guidelines.show_state(state)
            # Again once the page has its final width.
            QTimer.singleShot(0, self.guidelines, lambda: self.guidelines.show_state(state))

    def toggle_proposal(self) -> None:
        """Shows the proposals for the current comment, making one if there is none, or hides them."""
        opened = self.proposal.isVisible()
        if not opened:
            self._open_proposal()
        if not self.proposal.proposals and self.state.can_decide() and not self.proposing.busy:
            self.propose((self.state.comment_id,))
        elif opened:
            self.hide_proposal()
        self.context.commands.state_changed.emit()

    def hide_proposal(self) -> None:
        self.proposal.setVisible(False)
        self._make_room()
        self.context.commands.state_changed.emit()

    def propose(self, comment_ids: Sequence[str]) -> None:
        project, revision = self.project, self.study.revision
        self._open_proposal()
        self.act(lambda: self.proposing.propose(present(project), present(revision).id, comment_ids))

    @property
    def topic(self) -> str:
        return {"linking": "linking", "reviews": "comments", "coverage": "coverage"}[self.state.mode]

    def toggle_mode(self, mode: Mode) -> None:
        """Switches to another mode, or from it back to linking, keeping the current comment."""
        before, state = self.state.mode, self.state
        state.mode = "linking" if mode == before else mode
        if before == "reviews":
            self.work.ensure(self.study)  # for comments that were marked in the meantime
            if state.marking.comment is not None:
                state.selection.choose_comment(state.marking.comment_id)
        if state.mode == "reviews" and state.comment_id:
            state.marking.choose(state.comment_id)
        self._mode_changed()

    def show_found(self, found: Found) -> None:
        if found.kind == "comment":
            self.go_to(found.id, "")
        elif found.kind == "review":
            if self.state.mode != "reviews":
                self.toggle_mode("reviews")
            words = next((found.snippet[start:end] for start, end in found.matches), "")
            self.do(partial(self.state.marking.show_words, found.id, words))
        elif found.page:
            self.go_to("", "")
            target = self.study.target
            after = target is not None and target.document_id == found.document_id
            (self.side.target if after else self.side.source).go_to_page(found.page)

    def go_to(self, comment_id: str, edit_id: str) -> None:
        """Shows the pages at a comment and an edit (either may be empty)."""
        self.state.mode = "linking"
        self._mode_changed()
        if comment_id:
            self.state.selection.choose_comment(comment_id)
        if edit_id:
            self.state.selection.choose_edit(edit_id)
        self._show()

    def _show(self) -> None:
        state, shown, hides = self.state, self.state.selection, self.study.hides_suggestions
        phase = self.work.phase
        self.strategy.setVisible(not hides)
        if hides and self.proposal.isVisibleTo(self.splitter):
            self.proposing.stop()
            self.hide_proposal()
        self.key_bar.show_items(keys_of(state.mode, hides_suggestions=hides))
        self.comments.show_selection(shown, waiting=phase in ("reading", "comparing"))
        self.edits.show_selection(shown, phase)
        if state.mode == "reviews":
            self.reviews.show_marking(state.marking, state.study)
        elif state.mode == "coverage":
            self.coverage.show_study(state.study, shown.comment_id)
        study, comment = state.study, shown.comment_id
        linked = study.linked_edits.get(comment, frozenset())
        offered = frozenset(s.edit_id for s in study.open_suggestions(comment) if s.linked and s.decision is None)
        standing = Standing(linked, offered - linked, frozenset(study.answered_comments) - linked)
        self.pages.choose(shown.edit_id, standing)
        self._show_proposal()
        self._buttons.start()

    def _show_proposal(self) -> None:
        if self.proposal.isVisibleTo(self.splitter):
            work, comment = self.proposing, self.state.comment_id
            found = self.study.proposals.get(comment, ())
            self.proposal.show_proposals(comment, found, self.pages.source_paragraphs())
            self.proposal.show_work(work.doing, work.written(comment))
        self._buttons.start()

    def _open_proposal(self) -> None:
        self.proposal.setVisible(True)
        self._make_room(self.proposal)
        self._show_proposal()

    def _mode_changed(self) -> None:
        mode = self.state.mode
        parts = {"linking": self.linking, "reviews": self.reviews, "coverage": self.coverage}
        self.modes.setCurrentWidget(parts[mode])
        self.tools.show_state(reviews=mode == "reviews", coverage=mode == "coverage")
        self._show()
        self.take_focus()
        self.context.commands.state_changed.emit()

    def _make_room(self, opened: QWidget | None = None) -> None:
        """If four columns leave too little width for the pages, guidelines or proposal replace the edits."""
        shown = [part for part in (self.guidelines, self.proposal) if part.isVisibleTo(self.splitter)]
        if self.width() < _ROOM_FOR_ALL and len(shown) > 1:
            shown[opened is self.guidelines].setVisible(False)
        self.tools.show_state(guidelines=self.guidelines.isVisibleTo(self.splitter))
        self.edits.setVisible(not (shown and self.width() < _ROOM_FOR_ALL))
        parts = (self.comments, self.edits, self.proposal, self.guidelines)
        others = sum(part.minimumWidth() + 1 for part in parts if part.isVisibleTo(self.splitter))
        self.side.setMinimumWidth(BESIDE if others + BESIDE <= self.width() else BESIDE // 2)

    def _text_read(self) -> None:
        self.state.text_read()
        self.work.ensure(self.study, suggest=self.state.mode != "reviews")
        self._show()

    def _read_strategies(self) -> None:
        proposed = any(self.study.proposals.values())
        self.pages.fetcher.fetch("models", partial(ways, proposals=proposed), self.strategy.show_choices)

    def _strategy_chosen(self, choice: "Choice") -> None:
        self.work.strategy, self.work.model = choice.strategy, choice.model
        self.work.suggest_again(self.study)

    def _proposed(self, made: "ProposalsMade") -> None:
        if_any(unusable_notice(made), self.banner.show_notice)

    def _work_failed(self, failure: Failure) -> None:
        if failure.problem is None:
            self.context.bridge.job_failed.emit(failure)
        else:
            self.banner.show_notice(Notice.of(failure.problem, "work", ("Try again", self._try_again)))

    def _try_again(self) -> None:
        self.banner.dismiss("work")
        self.work.retry()
        self.work.ensure(self.study)


def _edit_comment(pane: LinkingPane, field: Field, value: str, comment_id: str) -> None:
    """Changes a field of a comment. After a new reviewer's name, offers it for the reviewer's other comments."""
    study, project = pane.study, pane.project
    comments = {one.id: one for one in (*study.comments, *study.remarks)}
    pane.do(lambda: pane.state.marking.edit(field, value, comment_id))
    old = comments[comment_id].reviewer if field == "reviewer" and comment_id in comments else ""
    number = sum(one.reviewer == old for one in comments.values()) - 1
    if old and value and old != value and number and project is not None and study.paper is not None:
        others = counted(number, "other comment is", "other comments are")
        everywhere = partial(pane.do, partial(rename_reviewer, project, study.paper.id, old, value))
        rename = (f"Rename “{shortened(old, 24)}” everywhere", everywhere)
        what, means = f"This comment is now by “{value}”.", f"{others} still by “{old}”."
        pane.banner.show_notice(Notice(ACT, what, means, kind="note", actions=(rename,)))
