"""Linking: which edits of the revised paper answer which comments of the reviewers."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, cast

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QApplication, QComboBox, QSplitter, QStackedWidget, QVBoxLayout, QWidget

from desktop_app.context import AppContext
from desktop_app.panes.linking.commands import COMMENT_MENU, EDIT_MENU
from desktop_app.panes.linking.comments_panel import CommentsPanel
from desktop_app.panes.linking.coverage_view import CoverageView
from desktop_app.panes.linking.decisions import DECIDED
from desktop_app.panes.linking.edits_panel import EditsPanel
from desktop_app.panes.linking.files import Files
from desktop_app.panes.linking.guidelines import Guidelines
from desktop_app.panes.linking.key_bar import KeyBar
from desktop_app.panes.linking.proposal_panel import ProposalPanel
from desktop_app.panes.linking.proposing import Proposing
from desktop_app.panes.linking.reader import TABLES, VERSIONS, Reader
from desktop_app.panes.linking.reviews_view import ReviewsView
from desktop_app.panes.linking.strategy_box import StrategyBox
from desktop_app.panes.linking.study import Study
from desktop_app.panes.linking.tool_row import ToolRow
from desktop_app.panes.linking.work import LinkingWork, ways
from desktop_app.theme import theme
from desktop_app.widgets.annotator_button import AnnotatorButton
from desktop_app.widgets.banner import Notice
from desktop_app.widgets.command_menu import offer_commands
from desktop_app.widgets.fetcher import Fetcher
from desktop_app.widgets.labels import hairline
from desktop_app.widgets.pdf_pages import Look
from desktop_app.widgets.side_by_side import SideBySideView, Standing, changes_of
from engine.errors import Cancelled, EnvironmentProblem
from engine.papers.store import REVISED, SUBMITTED
from engine.revision.edits import aligned_pairs
from engine.revision.records import RevisionDiff

if TYPE_CHECKING:
    from engine.documents.records import Paragraph, ParsedDocument
    from engine.documents.service import OpenDocument
    from engine.jobs import Failure
    from engine.papers.records import PaperVersion
    from engine.project import Changes
    from engine.revision.generation.tasks import ProposalsMade
    from engine.revision.means import Choice

_LOOKS: tuple[Look, ...] = ("paper", "sepia", "inverted")
_SKELETON_ROWS = 8
_ROOM_FOR_ALL = 1500
"""From this width on comments, pages, edits and guidelines stand side by side."""


class LinkingPane(Files):
    """Comments, both versions, edits. Every decision is one key, one store verb, one undo step."""

    pane_id = "linking"
    title = "Linking"
    icon = "link"
    purpose = (
        "Put the submitted and the revised version side by side, and say which edits answer which comments of the "
        "reviewers. Start with the two PDFs; reviews and the response letter can follow."
    )
    tables = TABLES
    first_step = "linking.import"
    search_hint = "Search both versions"

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self.study = Study()
        self.reader: Reader | None = None
        self._shown_files: dict[str, str] = {}
        self._shown_diff: tuple[object, ...] = ()
        self._shown_stamp = ""
        self._stale: set[str] = set(TABLES)
        self._look: Look | None = None
        self._paragraphs: tuple[ParsedDocument | None, dict[str, Paragraph]] = (None, {})
        registry = context.commands
        self.side = SideBySideView(self.body)
        self.comments = CommentsPanel(registry, self.body)
        self.edits = EditsPanel(registry, self.body)
        self.guidelines = Guidelines(self.body)
        self.proposal = ProposalPanel(registry, self.body)
        self.proposal.place_wanted.connect(self.side.show_paragraph)
        self.proposing = Proposing(context.bridge, self)
        self.proposing.moved.connect(self._show_proposing)
        self.proposing.done.connect(self._proposed)
        self.proposing.failed.connect(self._work_failed)
        self.reviews = ReviewsView(registry, self._act, self.body)
        self.reviews.chosen.connect(lambda _comment: registry.state_changed.emit())
        self.coverage = CoverageView(registry, self.body)
        self.coverage.chosen.connect(self.comments.choose)
        self.coverage.wanted.connect(self.go_to)
        self.fetcher = Fetcher(self)
        self.work = LinkingWork(context.bridge, self)
        self._build()
        self.comments.chosen.connect(self._comment_chosen)
        self.edits.chosen.connect(self._edit_chosen)
        self.side.edit_chosen.connect(self.edits.choose)
        self.edits.list.activated_row.connect(lambda _row: registry.run("linking.link"))
        self.comments.list.activated_row.connect(lambda _row: self.edits.list.setFocus())
        offer_commands(self.edits.list, registry, EDIT_MENU)
        offer_commands(self.comments.list, registry, COMMENT_MENU)
        self.side.left.connect(self.comments.list.setFocus)
        for label, header in ((SUBMITTED, self.side.source_header), (REVISED, self.side.target_header)):
            header.version_wanted.connect(partial(self.compare_version, label))
        self.fetcher.fetched.connect(self._fetched)
        self.fetcher.failed.connect(lambda name, problem: self.show_problem(problem, name))
        self.work.moved.connect(self._show_phase)
        self.work.failed.connect(self._work_failed)
        # Buttons learn after the pages are painted what can be done now.
        self._states = QTimer(self)
        self._states.setSingleShot(True)
        self._states.setInterval(0)
        self._states.timeout.connect(registry.state_changed)
        theme().changed.connect(self._apply_look)
        self.setAcceptDrops(True)
        self._apply_look()

    def _build(self) -> None:
        self.paper = QComboBox(self.body)
        self.paper.setAccessibleName("Paper")
        self.paper.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.paper.setVisible(False)
        self.paper.activated.connect(self._paper_chosen)
        self.splitter = QSplitter(Qt.Orientation.Horizontal, self.body)
        self.splitter.setChildrenCollapsible(False)
        for widget, stretch in (
            (self.comments, 0),
            (self.side, 1),
            (self.edits, 0),
            (self.proposal, 0),
            (self.guidelines, 0),
        ):
            self.splitter.addWidget(widget)
            self.splitter.setStretchFactor(self.splitter.indexOf(widget), stretch)
        self.guidelines.setVisible(False)
        self.proposal.setVisible(False)
        self.proposal.setMinimumWidth(260)
        self.proposal.close_button.clicked.connect(self.toggle_proposal)
        self.guidelines.setMinimumWidth(220)
        self.guidelines.close_button.clicked.connect(self.toggle_guidelines)
        self.comments.setMinimumWidth(220)
        self.edits.setMinimumWidth(220)
        self.splitter.setSizes([270, 700, 280, 340, 270])
        saved = self.context.state.bytes("linking.splitter")
        if not saved.isEmpty():
            self.splitter.restoreState(saved)
        self.splitter.splitterMoved.connect(
            lambda: self.context.state.set_bytes("linking.splitter", self.splitter.saveState())
        )
        self.modes = QStackedWidget(self.body)
        self.modes.addWidget(self.splitter)
        self.modes.addWidget(self.reviews)
        self.modes.addWidget(self.coverage)
        self.annotator = AnnotatorButton(self.context, self._paper_at_hand, self.body)
        self.strategy = StrategyBox(self._ways, self.body)
        self.strategy.wanted.connect(self._strategy_chosen)
        self.key_bar = KeyBar(self.context.commands, self.body)
        self.tools = ToolRow(self.context.commands, self.paper, self.strategy, self.annotator, self.body)
        self.tools.whose = self.exportable
        layout = QVBoxLayout(self.body)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.tools)
        layout.addWidget(hairline(parent=self.body))
        layout.addWidget(self.modes, 1)
        layout.addWidget(self.key_bar)

    # --- the pane's duties --------------------------------------------------------------------------------------

    def project_set(self) -> None:
        self.fetcher.forget()
        self.side.clear()
        self._shown_files, self._shown_diff = {}, ()
        self.study = Study()
        self.comments.show_study(self.study)
        self.edits.show_study(self.study)
        self.reviews.show_study(self.study, None)
        self.coverage.show_study(self.study, "")
        self.annotator.refresh()
        self.reader = Reader(self.project) if self.project is not None else None
        self.proposing.stop()
        self.work.set_reader(self.reader)
        self._stale = set(TABLES)
        if self.reader is not None:
            self.context.bridge.documents.warm()

    def is_empty(self) -> bool:
        assert self.reader is not None
        return not self.reader.documents.documents() and not self.reader.reviews.texts()

    def on_changes(self, changes: Changes) -> None:
        touched = changes.tables & TABLES
        if not touched:
            return
        self._stale |= touched
        before = self.study
        super().on_changes(changes)
        if changes.kind in ("undo", "redo") and self.isVisible():
            comment, edit = self.study.first_difference(before)
            if comment and self.reviewing:
                self.reviews.choose(comment)
            elif comment:
                self.comments.choose(comment)
            if edit:
                self.edits.choose(edit)

    def refresh(self) -> None:
        assert self.reader is not None
        stale, self._stale = self._stale, set()
        self.study = study = self.reader.read(self.study, stale)
        if stale & VERSIONS:
            self._show_papers()
            self._show_files()
            for version in (study.source, study.target):
                if version and ("parsed_document" in stale or version.document_id not in self.reader.texts):
                    self._fetch_text(version)
            self._show_diff()
        self.edits.show_study(study)
        self.comments.show_study(study)  # may bring another comment to hand, whose edits are asked for then
        if not self.edits.at_hand and study.open_suggestions(self.comments.at_hand):
            self.edits.choose_first()  # suggestions came while the comment was read: the best one is ready for its key
        if self.reviewing:
            self.reviews.show_study(study, self.reader)
        if self.covering:
            self.coverage.show_study(study, self.comments.at_hand)
        self.annotator.refresh()
        self._show_proposal()
        self._show_standing()
        self.set_status(study.progress())
        self.work.ensure(study, suggest=not self.reviewing)
        self._show_phase()
        self._states.start()
        focus = QApplication.focusWidget()
        if self.isActiveWindow() and (focus is None or self._is_on_empty_page(focus)):
            self.take_focus()

    def _is_on_empty_page(self, widget: QWidget) -> bool:
        return self.isAncestorOf(widget) and not self.body.isAncestorOf(widget) and not self.banner.isAncestorOf(widget)

    def search(self, text: str) -> None:
        if self.reviewing:
            self.reviews.search(text)
        elif self.covering:
            self.coverage.search(text)
        else:
            self.side.find_text(text)

    def search_next(self, forward: bool = True) -> None:
        if self.reviewing:
            self.reviews.search_next(forward)
        elif self.covering:
            self.coverage.search_next(forward)
        else:
            self.side.find_next(1 if forward else -1)

    def take_focus(self) -> None:
        mode = self.reviews.editor if self.reviewing else self.coverage.list if self.covering else self.comments.list
        mode.setFocus()

    # --- what commands do ---------------------------------------------------------------------------------------

    def step_comment(self, by: int) -> None:
        """The next or previous comment, in the list or in the review."""
        if self.reviewing:
            self.reviews.step(by)
        elif self.covering:
            self.coverage.step(by)
        else:
            self.comments.step(by)

    def step_edit(self, by: int) -> None:
        """The next or previous edit; in the coverage, where edits stand beside their comments, the next comment."""
        if self.covering:
            self.coverage.step(by)
        else:
            self.edits.step(by)

    def start_search(self) -> None:
        """Puts the cursor into the header's search field."""
        self.context.commands.run("edit.search")

    def start_caret(self) -> None:
        self.side.target.start_caret()

    def toggle_guidelines(self) -> None:
        """Shows the guidelines at the rule for the comment's state, or hides them."""
        shown = not self.guidelines.isVisible()
        self.guidelines.setVisible(shown)
        self._make_room()
        self.tools.show_state(guidelines=shown)
        if shown and self.comments.at_hand:
            state = self.study.state(self.comments.at_hand)
            if state != "undecided":
                self.guidelines.show_state(state)

    def toggle_proposal(self) -> None:
        """Shows what is proposed for the comment at hand (has it proposed where nothing is), or hides it."""
        shown = not self.proposal.isVisible()
        self.proposal.setVisible(shown)
        self._make_room()
        if shown:
            self._show_proposal()
            if not self.proposal.proposals and self.can_propose() and not self.is_proposing():
                self.propose()
        self.context.commands.state_changed.emit()

    def propose(self) -> None:
        """Has an edit proposed for the comment at hand."""
        self._propose((self.comments.at_hand,))

    def propose_all(self) -> None:
        """Has edits proposed for all comments that are open."""
        self._propose(self.open_comments())

    def _propose(self, comment_ids: Sequence[str]) -> None:
        reader, revision = self.reader, self.study.revision
        assert reader is not None
        assert revision is not None
        self.proposal.setVisible(True)
        self._make_room()
        self._show_proposal()
        self._act(lambda: self.proposing.propose(reader.project, revision.id, comment_ids))

    def _proposed(self, made: ProposalsMade) -> None:
        if made.unusable:
            count = len(made.unusable)
            self.banner.show_notice(
                Notice(
                    "work",
                    f"For {count} comment{'' if count == 1 else 's'} the model gave no edit that can be used.",
                    "The proposals of the sentence frames stay.",
                    kind="attention",
                )
            )

    def toggle_reviews(self) -> None:
        """Changes between linking and the reviews in full; the comment at hand goes along."""
        if self.reviewing:
            self._leave_reviews()
        else:
            self.modes.setCurrentWidget(self.reviews)
            self.reviews.show_study(self.study, self.reader)
            if self.comments.at_hand:
                self.reviews.choose(self.comments.at_hand)
        self._mode_changed()

    def toggle_coverage(self) -> None:
        """Changes between linking and the coverage of all comments; the comment at hand goes along."""
        if self.reviewing:
            self._leave_reviews()
        if self.covering:
            self.modes.setCurrentWidget(self.splitter)
        else:
            self.modes.setCurrentWidget(self.coverage)
            self.coverage.show_study(self.study, self.comments.at_hand)
        self._mode_changed()

    def go_to(self, comment_id: str, edit_id: str) -> None:
        """Back to the pages, at a comment and an edit (either may be empty)."""
        self.modes.setCurrentWidget(self.splitter)
        self._mode_changed()
        if comment_id:
            self.comments.choose(comment_id)
        if edit_id:
            self.edits.choose(edit_id)

    def _leave_reviews(self) -> None:
        self.modes.setCurrentWidget(self.splitter)
        self.work.ensure(self.study)  # for the comments that were marked meanwhile
        if self.reviews.has_comment():
            self.comments.choose(self.reviews.at_hand)

    def _mode_changed(self) -> None:
        self.tools.show_state(reviews=self.reviewing, coverage=self.covering)
        self.key_bar.show_mode("reviews" if self.reviewing else "coverage" if self.covering else "linking")
        self.take_focus()
        self.context.commands.state_changed.emit()

    def toggle_done(self) -> None:
        """Done with the paper, or not yet after all."""
        self._act(self.annotator.toggle_done)

    def _paper_at_hand(self) -> tuple[str, str]:
        paper = self.study.paper
        return (paper.id, paper.title) if paper else ("", "")

    def _ways(self) -> tuple[Choice, ...]:
        try:
            return ways(proposals=any(self.study.proposals.values()))
        except EnvironmentProblem as problem:
            self.show_problem(problem, "models")
            return ()

    def _strategy_chosen(self, choice: Choice) -> None:
        self.work.strategy, self.work.model = choice.strategy, choice.model
        self.suggest_again()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._make_room()

    def _make_room(self) -> None:
        """Where four columns leave too little for the pages, guidelines and proposal take the place of the edits."""
        beside = (self.guidelines, self.proposal)
        shown = any(widget.isVisibleTo(self.splitter) for widget in beside)
        self.edits.setVisible(not (shown and self.width() < _ROOM_FOR_ALL))

    def toggle_coupling(self) -> None:
        self.side.set_coupled(not self.side.coupled)
        self.tools.show_state(couple=self.side.coupled)

    def next_look(self) -> None:
        """Paper, sepia, light on dark, and round again; for this window."""
        now = self._look or self._wanted_look()
        self._look = _LOOKS[(_LOOKS.index(now) + 1) % len(_LOOKS)]
        self._apply_look()

    def suggest_again(self) -> None:
        self.work.suggest_again(self.study)

    def compare_again(self) -> None:
        self.work.compare_again(self.study)

    # --- showing ------------------------------------------------------------------------------------------------

    def _comment_chosen(self, comment_id: str) -> None:
        self.banner.dismiss(DECIDED)
        if self.covering:
            self.coverage.choose(comment_id)
        self.edits.show_comment(comment_id)
        self._show_proposal()
        self._show_standing()
        self._states.start()

    def _edit_chosen(self, edit_id: str) -> None:
        self.side.choose(edit_id)
        self._states.start()

    def _show_standing(self) -> None:
        study, comment = self.study, self.comments.at_hand
        linked = study.linked_edits.get(comment, frozenset())
        offered = frozenset(s.edit_id for s in study.open_suggestions(comment) if s.linked and s.decision is None)
        self.side.set_standing(Standing(linked, offered - linked, frozenset(study.answered_comments) - linked))

    def _show_proposal(self) -> None:
        if self.proposal.isVisibleTo(self.splitter):
            found = self.study.proposals.get(self.comments.at_hand, ())
            self.proposal.show_proposals(self.comments.at_hand, found, self._source_paragraphs())
            self._show_proposing()

    def _source_paragraphs(self) -> dict[str, Paragraph]:
        parsed = self.reader.parsed(self.study.source) if self.reader is not None else None
        if parsed is not self._paragraphs[0]:
            self._paragraphs = (parsed, {p.id: p for p in parsed.paragraphs} if parsed is not None else {})
        return self._paragraphs[1]

    def _show_proposing(self) -> None:
        work, comment = self.proposing, self.comments.at_hand
        self.proposal.show_work(work.busy, work.written if work.at == comment else "")
        self._states.start()

    def _show_papers(self) -> None:
        self.paper.clear()
        for paper in self.study.papers:
            self.paper.addItem(paper.title or "Untitled paper", paper.id)
        self.paper.setCurrentIndex(self.paper.findData(self.study.paper.id) if self.study.paper else -1)
        self.paper.setVisible(len(self.study.papers) > 1)
        self.tools.show_title(self.study.paper.title if len(self.study.papers) == 1 and self.study.paper else "")

    def _paper_chosen(self, _index: int) -> None:
        if self.reader is not None:
            self.reader.choose_paper(self.paper.currentData())
            self._stale |= TABLES
            self.refresh_now()

    def _show_files(self) -> None:
        for side, version in (("source", self.study.source), ("target", self.study.target)):
            key = version.document_id if version else ""
            if self._shown_files.get(side, "") != key:
                self._shown_files[side] = key
                self._shown_diff = ()
                self._open(side, version)
        names = [(v.id, f"{v.filename or 'Untitled'} ({v.label})") for v in self.study.versions]
        for header, version in (
            (self.side.source_header, self.study.source),
            (self.side.target_header, self.study.target),
        ):
            header.set_versions(names, version.id if version else "")

    def _open(self, side: str, version: PaperVersion | None) -> None:
        view = self.side.source if side == "source" else self.side.target
        view.clear()
        if version is None or self.reader is None:
            return
        documents, service, key = self.reader.documents, self.context.bridge.documents, version.document_id

        def opened() -> OpenDocument:
            try:
                content = documents.pdf_bytes(key)
            except KeyError as gone:  # the import was undone meanwhile
                raise Cancelled from gone
            return service.open(content)

        self.fetcher.fetch(f"open {side}", opened)

    def _fetch_text(self, version: PaperVersion) -> None:
        """Decodes what was read in a version; long papers take some tenths of a second."""
        assert self.reader is not None
        documents, key = self.reader.documents, version.document_id
        self.fetcher.fetch(f"text {key}", lambda: documents.parsed(key))

    def _fetched(self, name: str, found: object) -> None:
        what, _, which = name.partition(" ")
        if what == "open":
            self._opened(which, cast("OpenDocument", found))
        elif what == "words":
            return  # they are kept where they are asked for
        elif self.reader is not None:
            self.reader.texts[which] = cast("ParsedDocument | None", found)
            self._show_diff()
            self._show_proposal()
            self._show_standing()
            self.work.ensure(self.study, suggest=not self.reviewing)
            self._show_phase()

    def _opened(self, side: str, document: OpenDocument) -> None:
        version = self.study.source if side == "source" else self.study.target
        view = self.side.source if side == "source" else self.side.target
        name = version.filename if version else ""
        self.side.show_side(view, self.context.bridge.documents, document.sha256, document.pages, name)
        self._shown_diff = ()
        self._show_diff()
        self._show_standing()

    def _show_diff(self) -> None:
        """Lays text and edits over the pages, if they are others than those that lie there."""
        if self.reader is None:
            return
        source, target = self.reader.parsed(self.study.source), self.reader.parsed(self.study.target)
        revision = self.study.revision
        # Versions without a difference have no edits either; that they were compared is news all the same.
        stamp = revision.updated_at if revision is not None else ""
        wanted = (source, target, self.study.edits)
        same = self._shown_diff and all(a is b for a, b in zip(wanted, self._shown_diff, strict=True))
        if same and stamp == self._shown_stamp:
            return
        self._shown_stamp = stamp
        self._shown_diff = wanted
        old, new = (parsed.paragraphs if parsed else () for parsed in (source, target))
        self.side.set_texts(old, new)
        if source is not None and target is not None and revision is not None:
            diff = RevisionDiff(self.study.edits, revision.unchanged)
            self.side.set_edits(self.study.edits, aligned_pairs(diff, old, new))
            self.side.choose(self.edits.at_hand)
            edits = self.study.edits
            self.fetcher.fetch("words", lambda: [changes_of(e.source_text, e.target_text) for e in edits])

    def _show_phase(self) -> None:
        phase = self.work.phase
        waiting = phase in ("reading", "comparing")
        self.edits.list.set_skeleton(_SKELETON_ROWS if waiting else 0)
        self.edits.set_phase(phase)
        self.comments.list.set_message(
            "" if self.study.comments or waiting else "No comments yet. Add reviews or a response letter."
        )

    def _work_failed(self, failure: Failure) -> None:
        if failure.problem is None:
            self.context.bridge.job_failed.emit(failure)
            return
        problem = failure.problem
        self.banner.show_notice(Notice.of(problem, "work", ("Try again", self._try_again)))

    def _try_again(self) -> None:
        self.banner.dismiss("work")
        self.work.retry()
        self.work.ensure(self.study)

    def _wanted_look(self) -> Look:
        if theme().tokens.scheme == "light":
            return "paper"
        chosen = self.context.settings.text("documents.dark_page")
        return next((look for look in _LOOKS if look == chosen), "paper")

    def _apply_look(self) -> None:
        self.side.set_look(self._look or self._wanted_look())
