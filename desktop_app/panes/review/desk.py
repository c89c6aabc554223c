"""What the parts of the review pane share: the paper, the draft at hand with its fields and cards, and acting on them.

Everything is read from the project and written by store verbs; the parts listen to the signals and never to each other.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QObject, Signal

from desktop_app.context import AppContext
from desktop_app.panes.review.checking import Checker
from desktop_app.widgets.fetcher import Fetcher
from engine.documents.records import Box, Paragraph, StoredDocument
from engine.documents.search import boxes_for
from engine.documents.store import DocumentStore
from engine.errors import BadInput, Cancelled, EnvironmentProblem
from engine.papers.store import PaperStore
from engine.review_drafting.forms import ReviewForm, carried_over, form_of
from engine.review_drafting.store import EvidenceCard, ReviewDraft, ReviewDraftStore

if TYPE_CHECKING:
    from engine.documents.hidden import Inspection
    from engine.documents.places import Places
    from engine.documents.records import ParsedDocument
    from engine.documents.service import OpenDocument
    from engine.jobs import Failure
    from engine.project import Project

PAPERS = frozenset({"document", "parsed_document", "paper", "paper_version"})
DRAFTS = frozenset({"review_draft"})
FIELDS = frozenset({"review_field"})
CARDS = frozenset({"evidence_card"})
VERSIONS = frozenset({"review_version"})
RUNS = frozenset({"review_run", "review_suggestion_decision", "review_prompt"})
TABLES = PAPERS | DRAFTS | FIELDS | CARDS | VERSIONS | RUNS
ACT, PAPER = "act", "paper"


@dataclass(frozen=True, slots=True)
class Paper:
    """A document that can be reviewed, and what people call it."""

    document: StoredDocument
    title: str

    @property
    def id(self) -> str:
        return self.document.id


class ReviewDesk(QObject):
    """The state of the pane. ``project`` is None while none is open; ``draft`` is None until a review was begun."""

    paper_changed = Signal()
    """Another paper is at hand, or its pages, its text or what it hides have arrived."""
    draft_changed = Signal()
    """Another draft is at hand, or its title or form is another one."""
    field_changed = Signal(str)
    """The project has another text in a field of the draft at hand (its key)."""
    cards_changed = Signal()
    versions_changed = Signal()
    runs_changed = Signal()
    """Runs, decisions on them or prompts are others."""
    place_wanted = Signal(object)
    """Show a place of the paper: a tuple of ``Box``."""
    failed = Signal(object, str)
    """An EnvironmentProblem for the banner, and its key."""
    fault = Signal(object)
    """A Failure that is a fault of the program."""

    def __init__(self, context: AppContext, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.context = context
        self.project: Project | None = None
        self.papers: tuple[Paper, ...] = ()
        self.paper: Paper | None = None
        self.opened: OpenDocument | None = None
        self.parsed: ParsedDocument | None = None
        self.places: Places | None = None
        self.inspection: Inspection | None = None
        self.drafts: tuple[ReviewDraft, ...] = ()
        self.draft: ReviewDraft | None = None
        self.form: ReviewForm | None = None
        self.fields: dict[str, str] = {}
        self.cards: tuple[EvidenceCard, ...] = ()
        self.checker = Checker(self)
        """What is known of each field's sentences."""
        self._documents: DocumentStore | None = None
        self._papers: PaperStore | None = None
        self._store: ReviewDraftStore | None = None
        self._wanted = ("", "")
        self._reading: set[str] = set()
        self._paragraphs: dict[str, Paragraph] = {}
        self.fetcher = Fetcher(self)
        self.fetcher.fetched.connect(self._fetched)
        self.fetcher.failed.connect(lambda _name, problem: self.failed.emit(problem, PAPER))

    # --- stores ---------------------------------------------------------------------------------------------------

    @property
    def store(self) -> ReviewDraftStore:
        """The drafts of the open project. Only while one is open."""
        assert self._store is not None
        return self._store

    @property
    def documents(self) -> DocumentStore:
        """The PDFs of the open project. Only while one is open."""
        assert self._documents is not None
        return self._documents

    def set_project(self, project: Project | None) -> None:
        """Another project, or none; ``read`` follows."""
        self.fetcher.forget()
        self.project = project
        self._documents = DocumentStore(project) if project is not None else None
        self._papers = PaperStore(project) if project is not None else None
        self._store = ReviewDraftStore(project) if project is not None else None
        self.papers, self.drafts, self.draft, self.form, self.fields, self.cards = (), (), None, None, {}, ()
        self._wanted = ("", "")
        self._reading.clear()
        self.checker.forget()
        self.checker.names = tuple(name for _, name in project.annotators()) if project is not None else ()
        self._set_paper(None)
        for signal in (self.draft_changed, self.cards_changed, self.versions_changed, self.runs_changed):
            signal.emit()

    # --- reading --------------------------------------------------------------------------------------------------

    def has_papers(self) -> bool:
        """Whether the project holds any PDF."""
        return self._documents is not None and bool(self._documents.documents())

    def read(self, stale: Collection[str] = TABLES) -> None:
        """Reads anew what the changed tables concern, and tells of what is another than before."""
        if self.project is None:
            return
        changed = frozenset(stale)
        if changed & (PAPERS | DRAFTS):
            self._read_papers(reread="parsed_document" in changed)
            self._read_drafts()
        if changed & FIELDS:
            self._read_fields()
        if changed & CARDS:
            self._read_cards()
        if changed & VERSIONS:
            self.versions_changed.emit()
        if changed & RUNS:
            self.runs_changed.emit()

    def _read_papers(self, *, reread: bool) -> None:
        assert self._papers is not None
        titles: dict[str, str] = {}
        for paper in self._papers.papers():
            versions = self._papers.versions(paper.id)
            for version in versions:
                label = f" · {version.label}" if len(versions) > 1 else ""
                titles.setdefault(version.document_id, f"{paper.title or version.filename}{label}")
        listed = self.documents.documents()
        self.papers = tuple(Paper(one, titles.get(one.id) or one.title or one.filename) for one in listed)
        self.drafts = self.store.drafts()
        draft_id, document_id = self._wanted
        draft = next((d for d in self.drafts if d.id == draft_id), None)
        if draft is None and not document_id and self.drafts:
            draft = self.drafts[-1]
        wanted = draft.document_id if draft is not None else document_id
        found = next((p for p in self.papers if p.id == wanted), None) or next(iter(self.papers), None)
        if (found.id if found else "") != (self.paper.id if self.paper else ""):
            self._set_paper(found)
        elif reread and self.parsed is None and found is not None:
            self.paper = found
            self._read_text(found)
        else:
            self.paper = found
            self.paper_changed.emit()

    def _read_drafts(self) -> None:
        own = [d for d in self.drafts if self.paper is not None and d.document_id == self.paper.id]
        draft = next((d for d in own if d.id == self._wanted[0]), None) or (own[-1] if own else None)
        before, self.draft = self.draft, draft
        self._wanted = (draft.id if draft else "", self.paper.id if self.paper else "")
        if draft is None:
            self.form, self.fields, self.cards = None, {}, ()
        elif before is None or (before.form, before.form_content) != (draft.form, draft.form_content):
            self.form = form_of(draft.form, draft.form_content)
        if (before.id if before else "") != (draft.id if draft else ""):
            self.fields = self.store.fields(draft.id) if draft is not None else {}
            self.cards = self.store.cards(draft.id) if draft is not None else ()
            self.checker.forget()
            self.draft_changed.emit()
            for signal in (self.cards_changed, self.versions_changed, self.runs_changed):
                signal.emit()
        else:
            self.draft_changed.emit()

    def _read_fields(self) -> None:
        before = self.fields
        self.fields = self.store.fields(self.draft.id) if self.draft is not None else {}
        for key in before.keys() | self.fields.keys():
            if before.get(key, "") != self.fields.get(key, ""):
                self.field_changed.emit(key)

    def _read_cards(self) -> None:
        cards = self.store.cards(self.draft.id) if self.draft is not None else ()
        if cards != self.cards:
            self.cards = cards
            self.cards_changed.emit()

    # --- the paper ------------------------------------------------------------------------------------------------

    def choose_paper(self, document_id: str) -> None:
        """Brings another paper to hand, with the last review that was begun of it."""
        self._wanted = ("", document_id)
        self.read(PAPERS | DRAFTS)

    def add_paper(self, path: Path) -> None:
        """Takes a PDF into the project and brings it to hand."""

        def add() -> None:
            try:
                content = path.read_bytes()
            except OSError as error:
                raise BadInput(
                    f"{path.name} could not be read: {error.strerror}.",
                    "It was not added.",
                    "Check the file and its folder.",
                ) from error
            self._wanted = ("", self.documents.add_document(content, path.name))

        if self.act(add):
            self.read(PAPERS | DRAFTS)

    def _set_paper(self, paper: Paper | None) -> None:
        self.paper = paper
        self.opened, self.parsed, self.places, self.inspection = None, None, None, None
        self.checker.set_places(None)
        self.paper_changed.emit()
        if paper is not None:
            documents, service, key = self.documents, self.context.bridge.documents, paper.id

            def opened() -> object:
                try:
                    content = documents.pdf_bytes(key)
                except KeyError as gone:  # the import was undone meanwhile
                    raise Cancelled from gone
                return service.open(content)

            self.fetcher.fetch("pages", opened)
            self._read_text(paper)

    def _read_text(self, paper: Paper) -> None:
        """Fetches what the parser read in a paper; it is read first where that was not done yet."""
        from engine.documents.places import Places

        documents, service, key = self.documents, self.context.bridge.documents, paper.id
        if not documents.read_by_this_parser(key):
            self._parse(paper)
            return

        def text() -> object:
            parsed = documents.parsed(key)
            assert parsed is not None
            return parsed, Places(parsed)

        def looked_at() -> object:
            try:
                content = documents.pdf_bytes(key)
            except KeyError as gone:
                raise Cancelled from gone
            return service.inspect(content)

        self.fetcher.fetch("text", text)
        self.fetcher.fetch("inspection", looked_at)

    def _parse(self, paper: Paper) -> None:
        from engine.documents.tasks import parse_document

        if self.project is None or self.project.read_only or paper.id in self._reading:
            return
        self._reading.add(paper.id)
        task = parse_document(self.documents, self.context.bridge.documents, paper.id)
        self.context.bridge.submit(
            task,
            self,
            on_done=lambda _read: self._reading.discard(paper.id),
            on_error=self.job_failed,
        )

    def _fetched(self, name: str, found: object) -> None:
        if name == "pages":
            self.opened = cast("OpenDocument", found)
        elif name == "text":
            self.parsed, self.places = cast("tuple[ParsedDocument, Places]", found)
            self._paragraphs = {paragraph.id: paragraph for paragraph in self.parsed.paragraphs}
            self.checker.set_places(self.places)
        elif name == "inspection":
            self.inspection = cast("Inspection", found)
        else:
            return
        self.paper_changed.emit()

    def job_failed(self, failure: Failure) -> None:
        """A job of the pane failed: told in the banner, or reported as a fault of the program."""
        if failure.problem is None:
            self.fault.emit(failure)
        else:
            self.failed.emit(failure.problem, PAPER)

    def boxes_of(self, paragraph_id: str, start: int, end: int) -> tuple[Box, ...]:
        """Where words of a paragraph stand on the pages; empty where nobody knows."""
        paragraph = self._paragraphs.get(paragraph_id)
        return boxes_for(paragraph, start, end) or paragraph.boxes if paragraph is not None else ()

    def show(self, boxes: Sequence[Box]) -> None:
        """Shows a place of the paper, lit."""
        if boxes:
            self.place_wanted.emit(tuple(boxes))

    # --- the draft ------------------------------------------------------------------------------------------------

    @property
    def own_drafts(self) -> tuple[ReviewDraft, ...]:
        """The drafts of the paper at hand."""
        return tuple(d for d in self.drafts if self.paper is not None and d.document_id == self.paper.id)

    def choose_draft(self, draft_id: str) -> None:
        """Brings another draft to hand, with its paper."""
        self._wanted = (draft_id, next((d.document_id for d in self.drafts if d.id == draft_id), ""))
        self.read(PAPERS | DRAFTS)

    def begin(self, form: ReviewForm, fields: Mapping[str, str] | None = None, origin: str = "person") -> None:
        """Begins a review of the paper at hand on a form."""
        paper = self.paper
        assert paper is not None
        number = len(self.own_drafts) + 1
        title = f"Review for {form.title}" if number == 1 else f"Review {number} for {form.title}"

        def begin() -> None:
            draft = self.store.begin_draft(
                paper.id, title, form.id, form_content=_content(form), fields=fields, origin=origin
            )
            self._wanted = (draft.id, paper.id)

        if self.act(begin):
            self.read(DRAFTS)

    def rename(self, title: str) -> None:
        """Gives the draft at hand another title."""
        draft = self.draft
        if draft is not None and title.strip() and title != draft.title:
            self.act(lambda: self.store.rename_draft(draft.id, title.strip()))

    def remove(self) -> None:
        """Takes the draft at hand out; undo brings it back."""
        draft = self.draft
        if draft is not None:
            self.act(lambda: self.store.remove_draft(draft.id))

    def set_form(self, form: ReviewForm) -> None:
        """Puts the draft at hand on another form; what the new form has a place for goes there, the rest is kept."""
        draft, before, project = self.draft, self.form, self.project
        if draft is None or before is None or project is None:
            return

        def change() -> None:
            with project.action("Change the review form"):
                self.store.set_form(draft.id, form.id, _content(form))
                for key, value in carried_over(before, form, self.fields).items():
                    self.store.set_field(draft.id, key, value)

        self.act(change)

    def set_field(self, name: str, text: str, *, coalesce: str = "") -> None:
        """Writes a field of the draft at hand; typing under one ``coalesce`` key is one undo step."""
        draft = self.draft
        if draft is not None and self.fields.get(name, "") != text:
            self.act(lambda: self.store.set_field(draft.id, name, text, coalesce=coalesce))

    def restore(self, version_id: str) -> None:
        """Puts a version back into the fields; what stood there is kept as a version first."""
        self.act(lambda: self.store.restore_version(version_id))

    # --- evidence -------------------------------------------------------------------------------------------------

    def add_card(self, card: EvidenceCard) -> EvidenceCard | None:
        """Adds a card at the end; None where there is no draft, or it went wrong."""
        draft = self.draft
        made: list[EvidenceCard] = []
        if draft is not None:
            self.act(lambda: made.append(self.store.add_card(draft.id, card)))
        return made[0] if made else None

    def update_card(self, card_id: str, **changes: object) -> None:
        """Writes some of a card's values: ``note``, ``stance``, ``field``."""
        card = self.card(card_id)
        if card is not None:
            changed = replace(card, **changes)  # type: ignore[arg-type]
            if changed != card:
                self.act(lambda: self.store.update_card(changed))

    def move_card(self, card_id: str, before: str | None) -> None:
        """Puts a card before another one, or at the end."""
        self.act(lambda: self.store.move_card(card_id, before))

    def remove_card(self, card_id: str) -> None:
        """Takes a card out; undo brings it back."""
        self.act(lambda: self.store.remove_card(card_id))

    def place_card(self, card_id: str) -> None:
        """Shows where a card's evidence stands."""
        card = self.card(card_id)
        if card is not None:
            self.show(card.boxes)

    def card(self, card_id: str) -> EvidenceCard | None:
        """A card of the draft at hand."""
        return next((card for card in self.cards if card.id == card_id), None)

    # --- acting ---------------------------------------------------------------------------------------------------

    @property
    def can_write(self) -> bool:
        """Whether the project may be changed."""
        return self.project is not None and not self.project.read_only

    def together(self, title: str, verb: Callable[[], object]) -> bool:
        """Runs several store verbs as one act, one undo step."""
        project = self.project
        assert project is not None

        def acted() -> None:
            with project.action(title):
                verb()

        return self.act(acted)

    def act(self, verb: Callable[[], object], key: str = ACT) -> bool:
        """Runs a store verb; trouble goes to the banner. Whether it went well."""
        try:
            verb()
        except EnvironmentProblem as problem:
            self.failed.emit(problem, key)
            return False
        return True


def _content(form: ReviewForm) -> str:
    """What is kept of a form with a draft: nothing of one that ships."""
    return form.model_dump_json() if form.id == "imported" else ""
