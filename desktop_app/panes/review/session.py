"""Shared by the parts of the review pane: state, change signals, and background reading of the paper."""

from collections.abc import Callable, Collection, Sequence
from functools import partial
from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QObject, Signal

from desktop_app import present
from desktop_app.panes.base import PaneTools
from desktop_app.panes.review.state import DRAFTS, PAPERS, RUNS, TABLES, VERSIONS, FieldCheck, ReviewState, check_field
from desktop_app.timers import delayed
from desktop_app.widgets.fetcher import Fetcher, pdf_content
from desktop_app.widgets.model_jobs import OPINIONS, ModelOpinions
from engine.documents.hidden import Inspection
from engine.documents.places import Places
from engine.documents.records import Box, ParsedDocument
from engine.documents.service import OpenDocument
from engine.documents.tasks import parse_document, read_visible
from engine.errors import Cancelled, about
from engine.project import Project
from engine.review_drafting.grounding import Claim

if TYPE_CHECKING:
    from engine.models.library import Added
    from engine.operations.opinions import Opinion


PAUSE_MS = 150
"""Delay in milliseconds between the last key and checking a field."""


class Checker(QObject):
    """Holds the check of each field; ``checked`` names a field with a new result.

    One field is checked at a time. Until the new result arrives, results of sentences that weren't edited move with the
    text.
    """

    checked = Signal(str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.checks: dict[str, FieldCheck] = {}
        self.names: tuple[str, ...] = ()
        """Words that identify the reviewer: the annotators of this project."""
        self._places: Places | None = None
        self._waiting: dict[str, str] = {}
        self._running = ""
        self._timer = delayed(self, PAUSE_MS, self._next)
        self._fetcher = Fetcher(self)
        self._fetcher.fetched.connect(self._arrived)

    @property
    def busy(self) -> bool:
        return bool(self._waiting or self._running)

    def of(self, field: str) -> FieldCheck:
        return self.checks.get(field) or FieldCheck("")

    def set_places(self, places: Places | None) -> None:
        """Sets the paper's text, or None while it is being read, and checks everything again."""
        if places is self._places:
            return
        self._places = places
        self._fetcher.forget()
        self._running = ""
        for field, check in self.checks.items():
            self._waiting.setdefault(field, check.text)
            self.checks[field] = FieldCheck(check.text)
            self.checked.emit(field)
        self._next()

    def forget(self) -> None:
        self._fetcher.forget()
        self._timer.stop()
        self.checks.clear()
        self._waiting.clear()
        self._running = ""

    def look(self, field: str, text: str, *, at_once: bool = False) -> None:
        """Sets the text of a field, which is checked after a pause in typing, or ``at_once``."""
        before = self.checks.get(field)
        if before is not None and before.text == text:
            return
        self.checks[field] = (before or FieldCheck("")).moved(text)
        if not text.strip():  # nothing to check
            self._waiting.pop(field, None)
            return
        self._waiting[field] = text
        if at_once:
            self._next()
        else:
            self._timer.start()

    def _next(self) -> None:
        if not self._running and self._waiting and self._places is not None:
            self._running, text = next(iter(self._waiting.items()))
            del self._waiting[self._running]
            self._fetcher.fetch(self._running, partial(check_field, text, self._places, self.names))

    def _arrived(self, field: str, found: object) -> None:
        self._running = ""
        check, now = cast("FieldCheck", found), self.checks.get(field)
        if now is not None and now.text == check.text:
            self.checks[field] = check
            self.checked.emit(field)
        if not self._timer.isActive():
            self._next()


PAPER = "paper"


class ReviewSession(QObject):
    """The state of the pane with signals; ``checker`` holds the checks of the fields."""

    paper_changed = Signal()
    """Another paper is shown, or its pages, text or hidden text arrived."""
    draft_changed = Signal()
    """Another review is current, or its title or form changed."""
    field_changed = Signal(str)
    """The text of this field of the review changed in the project."""
    cards_changed = Signal()
    versions_changed = Signal()
    runs_changed = Signal()
    """Runs, decisions on their points, or prompts changed."""
    place_wanted = Signal(object)
    """A place in the paper to show: a tuple of ``Box``."""

    def __init__(self, tools: PaneTools) -> None:
        super().__init__(tools.owner)
        self.tools, self.context, self.act = tools, tools.context, tools.act
        self.state = ReviewState()
        self.checker = Checker(self)
        self._parsing: set[str] = set()
        self.fetcher = Fetcher(self)
        self.fetcher.fetched.connect(self._fetched)
        self.fetcher.failed.connect(lambda _name, problem: tools.show_problem(problem, PAPER))

    def set_project(self, project: Project | None) -> None:
        """Sets another project, or none; call ``read`` next."""
        self.state.open(project)
        self._parsing.clear()
        self.checker.forget()
        self.checker.names = tuple(name for _, name in project.annotators()) if project is not None else ()
        self._read_paper()
        for signal in (self.draft_changed, self.cards_changed, self.versions_changed, self.runs_changed):
            signal.emit()

    def read(self, stale: Collection[str] = TABLES) -> None:
        """Reads what the changed tables affect, and emits signals for what changed."""
        stale, changed = frozenset(stale), self.state.read(stale)
        if changed.draft or changed.form:
            self.checker.forget()
        if changed.paper:
            self._read_paper()
        elif stale & (PAPERS | DRAFTS):
            if "parsed_document" in stale and self.state.parsed is None:
                self._read_text()
            self.paper_changed.emit()
        if stale & (PAPERS | DRAFTS) or changed.form:
            self.draft_changed.emit()
        for field in changed.fields:
            self.field_changed.emit(field)
        for signal, concerned in (
            (self.cards_changed, changed.cards),
            (self.versions_changed, stale & VERSIONS),
            (self.runs_changed, stale & RUNS),
        ):
            if concerned or changed.draft:
                signal.emit()

    def choose_paper(self, document_id: str) -> None:
        self.state.choose_paper(document_id)
        paper_id = next((paper.paper_id for paper in self.state.papers if paper.id == document_id), "")
        self.read(PAPERS | DRAFTS)
        if paper_id:
            self.context.papers.choose(paper_id)

    def choose_draft(self, draft_id: str) -> None:
        self.state.choose_draft(draft_id)
        self.read(PAPERS | DRAFTS)

    def _read_paper(self) -> None:
        self.fetcher.forget()
        self.checker.set_places(None)
        self.paper_changed.emit()
        paper = self.state.paper
        if paper is not None:
            service, name = self.context.bridge.documents, paper.document.filename
            content = partial(pdf_content, self.state.documents, paper.id)

            def opened() -> OpenDocument:
                with about(name):
                    return service.open(content())

            self.fetcher.fetch("pages", opened)
            self._read_text()

    def _read_text(self) -> None:
        """Fetches the parsed text of the paper, parsing it first if necessary."""
        paper, documents, service = self.state.paper, self.state.documents, self.context.bridge.documents
        if paper is None:
            return
        key = paper.id
        if not documents.is_read(key):
            if self.state.can_write and key not in self._parsing:
                self._parsing.add(key)
                task = parse_document(documents, service, key)
                self.tools.submit(task, lambda _read: self._parsing.discard(key), PAPER)
            return

        self.fetcher.fetch("text", lambda: documents.parsed(key))

        def inspected() -> tuple[Inspection, Places]:
            read = read_visible(documents, service, key)
            if read is None:  # its import was undone in the meantime
                raise Cancelled
            return read[1], Places(read[0])

        self.fetcher.fetch("inspection", inspected)

    def _fetched(self, name: str, found: object) -> None:
        if name == "pages":
            self.state.opened = cast("OpenDocument", found)
        elif name == "inspection":
            self.state.inspection, self.state.places = cast("tuple[Inspection, Places]", found)
            self.checker.set_places(self.state.places)
        else:
            self.state.set_text(cast("ParsedDocument", found))
        self.paper_changed.emit()

    def show(self, boxes: Sequence[Box]) -> None:
        if boxes:
            self.place_wanted.emit(tuple(boxes))

    def together(self, title: str, verb: Callable[[], object]) -> bool:
        def acted() -> None:
            with self.state.action(title):
                verb()

        return self.act(acted)


class ReviewOpinions(ModelOpinions):
    def __init__(self, session: ReviewSession) -> None:
        super().__init__(session.tools)
        self._session = session
        session.paper_changed.connect(self._paper_changed)

    def on(self, claim: Claim | None) -> "Opinion | None":
        return self.of(claim.text) if claim is not None else None

    @property
    def can_ask(self) -> bool:
        state = self._session.state
        return not self.busy and None not in (state.draft, state.places)

    def ask(self, model: "Added | None") -> None:
        from engine.operations.entailment import undecided

        state, tools = self._session.state, self._session.tools
        if model is None:
            tools.notify(OPINIONS, "No language model is set for drafting reviews.", "Add one in the Models pane.")
            return
        claims = [claim for check in self._session.checker.checks.values() for claim in check.claims]
        self.judge(model, undecided(claims), present(state.places))

    def _paper_changed(self) -> None:
        paper = self._session.state.paper
        self.show_document(paper.id if paper is not None else "")
