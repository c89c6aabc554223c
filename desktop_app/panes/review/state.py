"""State of the review pane: a paper, and the current review of it with fields and cards. No Qt.

Each operation that writes is one undo step and raises EnvironmentProblem; ``read`` then returns what changed.
"""

from collections.abc import Callable, Collection, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from pathlib import Path

from desktop_app import present
from engine.documents.hidden import Inspection
from engine.documents.places import Places
from engine.documents.records import Box, Paragraph, ParsedDocument, StoredDocument
from engine.documents.search import boxes_for
from engine.documents.service import OpenDocument
from engine.documents.store import DocumentStore
from engine.papers.pdf_metadata import pdf_paper
from engine.papers.store import LibraryStore, PaperStore
from engine.project import Project
from engine.review_drafting.forms import FormField, ReviewForm, carried_over, form_of, state, unplaced
from engine.review_drafting.grounding import Claim, GroundedReview, ground
from engine.review_drafting.pipeline import Run
from engine.review_drafting.records import Point, PointField
from engine.review_drafting.store import DraftVersion, EvidenceCard, ReviewDraft, ReviewDraftStore
from engine.reviews.anonymity import Identifying
from engine.reviews.records import Span
from engine.reviews.spans import common_ends
from engine.reviews.store import quoted
from engine.reviews.tone import ToneRemark
from engine.shown import counted
from engine.statements.verdicts import counted_states


@dataclass(frozen=True, slots=True)
class FieldCheck:
    """The check of a field's text; ``grounded`` is the result for exactly this text, None until it arrives."""

    text: str
    claims: tuple[Claim, ...] = ()
    tone: tuple[ToneRemark, ...] = ()
    identity: tuple[Identifying, ...] = ()
    unreasoned: tuple[Span, ...] = ()
    grounded: GroundedReview | None = None

    def no_reason(self, claim: Claim) -> bool:
        """Whether a sentence seems to criticise without giving a reason."""
        return any(one.start < claim.end and claim.start < one.end for one in self.unreasoned)

    @property
    def waiting(self) -> bool:
        return self.grounded is None and bool(self.text.strip())

    def at(self, position: int) -> Claim | None:
        """Returns the sentence at a caret: the last one that starts at or before it."""
        found = [claim for claim in self.claims if claim.start <= position]
        return found[-1] if found and position <= found[-1].end + 1 else None

    def moved(self, text: str) -> "FieldCheck":
        """Returns the check for an edited text, without results for the sentences affected by the edit."""
        if text == self.text:
            return self
        head, tail = common_ends(self.text, text)
        by = len(text) - len(self.text)
        first, last = head, len(self.text) - tail

        def shift(start: int, end: int) -> int | None:
            return 0 if end < first or (end == first == last) else by if start > last else None

        claims = [(claim, shift(claim.start, claim.end)) for claim in self.claims]
        tone = [(remark, shift(remark.span.start, remark.span.end)) for remark in self.tone]
        identity = [(one, shift(one.span.start, one.span.end)) for one in self.identity]
        unreasoned = [(one, shift(one.start, one.end)) for one in self.unreasoned]
        return FieldCheck(
            text,
            tuple(_shifted(claim, move) for claim, move in claims if move is not None),
            tuple(replace(one, span=_span(one.span, move)) for one, move in tone if move is not None),
            tuple(replace(one, span=_span(one.span, move)) for one, move in identity if move is not None),
            tuple(_span(one, move) for one, move in unreasoned if move is not None),
        )


def _span(span: Span, by: int) -> Span:
    return Span(span.start + by, span.end + by)


def _shifted(claim: Claim, by: int) -> Claim:
    if not by:
        return claim
    parts = tuple(replace(one, start=one.start + by, end=one.end + by) for one in claim.parts)
    return replace(claim, start=claim.start + by, end=claim.end + by, parts=parts)


def check_field(text: str, places: Places, names: tuple[str, ...]) -> FieldCheck:
    """Checks a text against its paper; ``names`` identify the reviewer."""
    from engine.reviews.labels.substantiation import shipped
    from engine.reviews.wording import check_wording

    grounded, wording = ground(text, places), check_wording(text, "reviewer", names)
    return FieldCheck(text, grounded.claims, wording.tone, wording.identity, shipped().marks(text), grounded)


PAPERS = frozenset({"document", "parsed_document", "paper", "paper_version"})
DRAFTS = frozenset({"review_draft"})
FIELDS = frozenset({"review_field"})
CARDS = frozenset({"evidence_card"})
VERSIONS = frozenset({"review_version"})
RUNS = frozenset({"review_run", "review_suggestion_decision", "review_prompt"})
TABLES = PAPERS | DRAFTS | FIELDS | CARDS | VERSIONS | RUNS
BEFORE_POINTS = "before accepting points"
"""Reason of versions saved automatically: once per run, before its first point is accepted."""


@dataclass(frozen=True, slots=True)
class ReviewedPaper:
    """A document that can be reviewed; ``paper_id`` is the paper it is a version of, "" for none."""

    document: StoredDocument
    title: str
    paper_id: str = ""

    @property
    def id(self) -> str:
        return self.document.id


@dataclass(slots=True)
class Changed:
    """What changed in ``read``: another ``paper``, ``draft`` or ``form``, the ``cards``, and the keys of ``fields``
    with a new text."""

    paper: bool = False
    draft: bool = False
    form: bool = False
    cards: bool = False
    fields: set[str] = field(default_factory=set)


class ReviewState:
    """Reads a project's papers and reviews.

    Attributes:
        paper: the current document; None if the project has none.
        titles: titles read from documents that had none, by document.
        draft: the current review of it; None until one is started.
        rest: fields with text that the current form doesn't have.
        opened, parsed, places, inspection: the paper's pages, text, places that a review can cite, and hidden text;
            None until read.
    """

    def __init__(self) -> None:
        self.open(None)

    def open(self, project: Project | None) -> None:
        self.project = project
        self.papers: tuple[ReviewedPaper, ...] = ()
        self.titles: dict[str, str] = {}
        self.drafts: tuple[ReviewDraft, ...] = ()
        self.draft: ReviewDraft | None = None
        self.form: ReviewForm | None = None
        self.rest: tuple[FormField, ...] = ()
        self.fields: dict[str, str] = {}
        self.cards: tuple[EvidenceCard, ...] = ()
        self._wanted_draft = self._wanted_document = self._followed = ""
        self._show(None)
        if project is not None:
            self.store, self.documents = ReviewDraftStore(project), DocumentStore(project)
            self.library, self._papers = LibraryStore(project), PaperStore(project)

    def _show(self, paper: ReviewedPaper | None) -> None:
        self.paper = paper
        self.opened: OpenDocument | None = None
        self.inspection: Inspection | None = None
        self.parsed: ParsedDocument | None = None
        self.places: Places | None = None
        self._paragraphs: dict[str, Paragraph] = {}

    def set_text(self, parsed: ParsedDocument) -> None:
        self.parsed = parsed
        self._paragraphs = {paragraph.id: paragraph for paragraph in parsed.paragraphs}
        paper = self.paper
        if paper is not None and paper.title == paper.document.filename and (title := pdf_paper(parsed).title):
            self.titles[paper.id] = title
            self.papers = tuple(replace(one, title=title) if one.id == paper.id else one for one in self.papers)
            self.paper = next(one for one in self.papers if one.id == paper.id)

    @property
    def can_write(self) -> bool:
        return self.project is not None and not self.project.read_only

    @property
    def can_begin(self) -> bool:
        return self.can_write and self.paper is not None

    @property
    def can_edit(self) -> bool:
        return self.can_write and self.draft is not None

    def can_change_to(self, form: str) -> bool:
        return self.can_write and self.draft is not None and self.draft.form != form

    def has_papers(self) -> bool:
        return self.project is not None and bool(self.documents.documents())

    def read(self, stale: Collection[str] = TABLES) -> Changed:
        stale, changed, before_form = frozenset(stale), Changed(), self.form
        if self.project is None:
            return changed
        if stale & (PAPERS | DRAFTS):
            self._read_papers(changed)
            self._read_draft(changed)
        if stale & FIELDS and not changed.draft:
            before, self.fields = self.fields, self.store.fields(self.draft.id) if self.draft is not None else {}
            changed.fields = {
                key for key in before.keys() | self.fields.keys() if before.get(key, "") != self.fields.get(key, "")
            }
        if stale & CARDS and not changed.draft:
            cards, self.cards = self.cards, self.store.cards(self.draft.id) if self.draft is not None else ()
            changed.cards = cards != self.cards
        if changed.draft or before_form != self.form:
            self.rest = ()
        fresh = unplaced(self.form, self.fields) if self.form is not None else ()
        rest, self.rest = self.rest, (*self.rest, *(one for one in fresh if one not in self.rest))
        changed.form = before_form != self.form or rest != self.rest
        return changed

    def _read_papers(self, changed: Changed) -> None:
        named: dict[str, tuple[str, str]] = {}
        for paper in self._papers.papers():
            versions = self._papers.versions(paper.id)
            for version in versions:
                label = f" · {version.label}" if len(versions) > 1 else ""
                named.setdefault(version.document_id, (f"{paper.title or version.filename}{label}", paper.id))
        self.papers = tuple(
            ReviewedPaper(one, *named.get(one.id, (one.title or self.titles.get(one.id) or one.filename, "")))
            for one in self.documents.documents()
        )
        self.drafts = self.store.drafts()
        draft = next((d for d in self.drafts if d.id == self._wanted_draft), None)
        if draft is None and not self._wanted_document and self.drafts:
            draft = self.drafts[-1]
        wanted = draft.document_id if draft is not None else self._wanted_document
        found = next((p for p in self.papers if p.id == wanted), next(iter(self.papers), None))
        now, before = ((one.id, one.document.parser) if one else None for one in (found, self.paper))
        if now != before:
            changed.paper = True
            self._show(found)
        self.paper = found

    def _read_draft(self, changed: Changed) -> None:
        own = self.own_drafts
        draft = next((d for d in own if d.id == self._wanted_draft), own[-1] if own else None)
        before, self.draft = self.draft, draft
        self._wanted_draft, self._wanted_document = draft.id if draft else "", self.paper.id if self.paper else ""
        if draft is None:
            self.form = None
        elif before is None or (before.form, before.form_content) != (draft.form, draft.form_content):
            self.form = form_of(draft.form, draft.form_content)
        if (before.id if before else "") != self._wanted_draft:
            changed.draft = True
            self.fields = self.store.fields(draft.id) if draft is not None else {}
            self.cards = self.store.cards(draft.id) if draft is not None else ()

    @property
    def own_drafts(self) -> tuple[ReviewDraft, ...]:
        return tuple(d for d in self.drafts if self.paper is not None and d.document_id == self.paper.id)

    def choose_paper(self, document_id: str) -> None:
        """Selects the document for the next ``read``, with its last review."""
        self._wanted_draft, self._wanted_document = "", document_id

    def choose_draft(self, draft_id: str) -> None:
        """Selects the review for the next ``read``, with its paper."""
        self.choose_paper(next((d.document_id for d in self.drafts if d.id == draft_id), ""))
        self._wanted_draft = draft_id

    def follow(self, paper_id: str) -> None:
        """Selects a version of the window's current paper: the one reviewed last, else the first.

        A document that belongs to no paper stays selected until the window shows another paper.
        """
        if self.project is None or paper_id in ("", self._followed):
            return
        self._followed = paper_id
        if self.paper is not None and self.paper.paper_id == paper_id:
            return
        versions = [version.document_id for version in self._papers.versions(paper_id)]
        reviewed = [draft.document_id for draft in self.store.drafts() if draft.document_id in versions]
        if versions:
            self.choose_paper((reviewed or versions[:1])[-1])

    def summary(self, checks: Mapping[str, FieldCheck]) -> str:
        """Describes the progress of the review for the status bar. ``checks`` are the checks by field."""
        if self.draft is None or self.form is None:
            return "No review of this paper yet" if self.paper is not None else ""
        own = (check for key, check in checks.items() if self.form.field(key) is not None)
        states = counted_states(claim.verdict for check in own for claim in check.claims)
        missing = sum(bool(state(one, self.fields.get(one.key, "")).problem) for one in self.form.fields)
        complete = f"{counted(missing, 'field')} to complete" if missing else "all fields complete"
        return f"{states} · {complete}" if states else complete

    def add_paper(self, path: Path) -> None:
        """Adds a PDF to the project and selects it. Raises BadInput if the file isn't a readable PDF."""
        from engine.operations.incoming import file_bytes

        self.choose_paper(self.documents.add_document(file_bytes(path), path.name))

    def begin(self, form: ReviewForm) -> None:
        assert self.paper is not None
        number = len(self.own_drafts) + 1
        title = f"Review: {form.title}" if number == 1 else f"Review {number}: {form.title}"
        self._wanted_draft = self.store.begin_draft(self.paper.id, title, form.id, form_content=_content(form)).id

    def rename(self, title: str) -> None:
        if self.draft is not None and title.strip() not in ("", self.draft.title):
            self.store.rename_draft(self.draft.id, title.strip())

    def remove_draft(self) -> None:
        self.store.remove_draft(present(self.draft).id)

    def set_form(self, form: ReviewForm) -> None:
        """Changes the form; texts move to matching fields of the new form, and the rest is kept."""
        assert self.draft is not None
        old, title = present(self.form), self.draft.title
        with self.action("Change review form"):
            self.store.set_form(self.draft.id, form.id, _content(form))
            if title.startswith("Review") and title.endswith(f": {old.title}"):
                self.rename(title.removesuffix(old.title) + form.title)
            for key, value in carried_over(old, form, self.fields).items():
                self.store.set_field(self.draft.id, key, value)

    def action(self, title: str) -> AbstractContextManager[object]:
        return present(self.project).action(title)

    def set_field(self, name: str, text: str, *, coalesce: str = "", draft_id: str = "") -> None:
        """Writes a field of the current draft or another; typing under one ``coalesce`` key is one undo step."""
        current = self.draft.id if self.draft is not None else ""
        if (draft_id or current) != current or self.fields.get(name, "") != text:
            self.store.set_field(draft_id or current, name, text, coalesce=coalesce)

    def keep_version(self, reason: str = "saved by hand") -> None:
        self.store.keep_version(present(self.draft).id, reason)

    def versions(self) -> tuple[DraftVersion, ...]:
        return self.store.versions(self.draft.id) if self.draft is not None else ()

    def add_text(self, part: PointField, text: str) -> str:
        """Appends text to the field for a part of the review; returns the field's key, "" if the form has none."""
        return self._add(part, text, lambda: None, lambda: None)

    def accept(self, run: Run, part: PointField, point: Point) -> str:
        """Adds a point of a run to the review and records that it was accepted; returns the same as ``add_text``."""
        draft = present(self.draft)
        text = f"{point.text} {point.suggestion}".strip() if part == "weaknesses" else point.text
        saved = any(v.reason == BEFORE_POINTS and v.created_at > run.created_at for v in self.versions())
        return self._add(
            part,
            text,
            lambda: None if saved else self.keep_version(BEFORE_POINTS),
            lambda: self.store.decide(draft.id, run.id, point, "accepted"),
        )

    def _add(self, part: PointField, text: str, before: Callable[[], object], after: Callable[[], object]) -> str:
        form, draft = self.form, self.draft
        assert form is not None
        texts = (one for one in form.fields if one.kind == "text")
        target = form.of_part(part) or form.of_part("weaknesses") or next(texts, None)
        if target is None:
            return ""
        there = self.fields.get(target.key, "").rstrip()
        item, joint = (text, "\n\n") if part == "summary" else (f"- {text}", "\n")
        with self.action(f"Add {quoted(text)} to {target.title}"):
            before()
            self.store.set_field(present(draft).id, target.key, f"{there}{joint if there else ''}{item}")
            after()
        return target.key

    def card(self, card_id: str) -> EvidenceCard | None:
        return next((card for card in self.cards if card.id == card_id), None)

    def add_card(self, card: EvidenceCard) -> EvidenceCard:
        return self.store.add_card(present(self.draft).id, card)

    def update_card(self, card: EvidenceCard, changes: Mapping[str, str]) -> None:
        """Changes a card's ``note``, ``stance`` or ``field``."""
        card = self.card(card.id) or card
        changed = replace(card, **changes)  # type: ignore[arg-type]
        if changed != card:
            self.store.update_card(changed)

    def boxes_of(self, paragraph_id: str, start: int, end: int) -> tuple[Box, ...]:
        """Returns the place of words of a paragraph on the pages; empty if unknown."""
        paragraph = self._paragraphs.get(paragraph_id)
        return boxes_for(paragraph, start, end) or paragraph.boxes if paragraph is not None else ()


def _content(form: ReviewForm) -> str:
    """Returns the form's JSON to store with a review; "" unless the form was imported."""
    return form.model_dump_json() if form.id == "imported" else ""
