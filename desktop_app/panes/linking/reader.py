"""Reads the study that the Linking pane shows, only what a change concerns; and marks comments in reviews. No Qt."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from typing import Literal, cast

from desktop_app import present
from desktop_app.panes.linking.study import Study
from engine.agreement.store import AgreementStore
from engine.documents.records import ParsedDocument
from engine.documents.store import DocumentStore
from engine.operations.comments import merge_comments
from engine.operations.removing import remove_comments
from engine.papers.records import Paper, PaperVersion
from engine.papers.store import REVISED, SUBMITTED, PaperStore
from engine.project import Project
from engine.reviews.records import ActionClass, Comment, SourceText, Span
from engine.reviews.store import ReviewStore
from engine.revision.generation.store import GenerationStore
from engine.revision.presentation import doubts
from engine.revision.records import Suggestion
from engine.revision.store import RevisionStore

HUMAN = frozenset({"edit_link", "comment_state", "suggestion_decision"})
PASSES = frozenset({"suggestion", "suggestion_run"})
REVIEWS = frozenset({"source_text", "comment", "comment_span"})
VERSIONS = frozenset({"paper", "paper_version", "document", "parsed_document", "revision", "edit", "dismissed_edit"})
TABLES = HUMAN | PASSES | REVIEWS | VERSIONS | {"annotation_done", "proposal", "project_info"}
SHOWN = 5
"""How many suggestions of a comment are shown even where their score is below the threshold."""


class StudyReader:
    """The stores of an open project, and the study made of them."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self.documents = DocumentStore(project)
        self.papers = PaperStore(project)
        self.revisions = RevisionStore(project)
        self.generation = GenerationStore(project)
        self.agreement = AgreementStore(project)
        self.reviews = ReviewStore(project)
        self.texts: dict[str, ParsedDocument | None] = {}
        """The parsed documents that were fetched, by document (None: it was not parsed yet)."""

    def is_empty(self) -> bool:
        """Whether the project has neither documents nor reviews."""
        return not self.documents.documents() and not self.reviews.texts()

    def parsed(self, version: PaperVersion | None) -> ParsedDocument | None:
        """The parsed text of a version, if it was fetched."""
        return self.texts.get(version.document_id) if version else None

    def read(self, before: Study, paper_id: str, tables: Collection[str]) -> Study:
        """The study of a paper as it is now; of ``before`` what none of the changed ``tables`` concerns is kept."""
        changed, study, papers = set(tables), before, self.papers.papers()
        if changed & VERSIONS or before.paper is None:
            study = self._versions(study, next((paper for paper in papers if paper.id == paper_id), None))
            changed |= HUMAN
        if changed & (REVIEWS | {"annotation_done"}) or study.paper != before.paper:
            people = self.agreement.visible(study.paper.id) if study.paper else frozenset({self.project.annotator_id})
            # Reviews that were imported before there was a paper belong to the only one.
            owner = study.paper.id if study.paper and len(papers) > 1 else None
            comments = self.reviews.comments(paper_id=owner, seen_by=people)
            study = replace(
                study,
                texts=self.reviews.texts(owner),
                comments=tuple(comment for comment in comments if comment.actionable),
                remarks=tuple(comment for comment in comments if not comment.actionable),
            )
        if study.revision is None:
            return replace(study, links=(), lost=(), passages=(), states={}, suggestions={}, proposals={})
        key, other = study.revision.id, study.revision != before.revision
        if changed & HUMAN:
            links, states = self.revisions.links(key), self.revisions.comment_states(key)
            lost = tuple((link, self.revisions.edit(link.edit_id)) for link in links if not link.attached)
            passages = self.revisions.passages(key)
            passages = study.passages if passages == study.passages else passages
            study = replace(study, links=links, states=states, lost=lost, passages=passages)
        if hides := self.revisions.hides_suggestions:
            return replace(study, hides_suggestions=hides, proposals={}, suggestions={})
        other = other or study.hides_suggestions
        study = replace(study, hides_suggestions=hides)
        if "proposal" in changed or other:
            study = replace(study, proposals=self.generation.proposals(key))
        if changed & (PASSES | {"dismissed_edit"}) or other:
            study = replace(study, suggestions=self.revisions.all_suggestions(key, top=SHOWN))
        elif "suggestion_decision" in changed:
            study = replace(study, suggestions=self._decided(study.suggestions, key))
        return study

    def _versions(self, study: Study, paper: Paper | None) -> Study:
        versions = self.papers.versions(paper.id) if paper else ()
        source, target = (next((v for v in versions if v.label == label), None) for label in (SUBMITTED, REVISED))
        revision = self.revisions.revision_of(source.document_id, target.document_id) if source and target else None
        edits = self.revisions.edits(revision.id) if revision else ()
        gone = self.revisions.dismissed_edits(revision.id) if revision else ()
        shown = replace(study, paper=paper, versions=versions, source=source, target=target, revision=revision)
        return self.with_doubts(replace(shown, edits=edits, dismissed=gone))

    def with_doubts(self, study: Study) -> Study:
        """The study with what speaks against its edits, as far as the versions' texts were fetched."""
        source, target = self.parsed(study.source), self.parsed(study.target)
        found = {edit.id: doubts(edit, source, target) for edit in study.edits} if source and target else {}
        return replace(study, doubts={key: said for key, said in found.items() if said})

    def _decided(
        self, suggestions: Mapping[str, tuple[Suggestion, ...]], revision_id: str
    ) -> dict[str, tuple[Suggestion, ...]]:
        """The same suggestions with the decisions as they are now; the runs, which are long, did not change."""
        taken = {
            (comment, edit): (decision, wrong)
            for comment, edit, decision, _, wrong in self.revisions.decisions(revision_id)
        }

        def now(suggestion: Suggestion) -> Suggestion:
            decision, wrong = taken.get((suggestion.comment_id, suggestion.edit_id), (None, ()))
            if (suggestion.decision, suggestion.mistakes) == (decision, wrong):
                return suggestion
            return replace(suggestion, decision=decision, mistakes=wrong)

        return {comment: tuple(map(now, listed)) for comment, listed in suggestions.items()}


Field = Literal["comment", "response", "reviewer", "request", "action"]


class Marking:
    """Works on the reviews of a study; each act is one undo step. Requests and other comments are shown alike."""

    def __init__(self, reader: StudyReader | None = None) -> None:
        self._reader = reader
        self._study = Study()
        self.text_id = ""
        self.comment_id = ""
        self._caret: int | None = None
        self._left: tuple[SourceText | None, tuple[Comment, ...], tuple[Span, ...]] = (None, (), ())

    def show(self, study: Study) -> None:
        """Another state of the study: text and comment stay, as far as they are still there."""
        self._study = study
        if self.comment is None:
            self.comment_id = ""
        if self.text is None:
            self.text_id = study.texts[0].id if study.texts else ""

    @property
    def text(self) -> SourceText | None:
        return next((text for text in self._study.texts if text.id == self.text_id), None)

    @property
    def comments(self) -> list[Comment]:
        """The comments of the text that is shown, in order of their places."""
        every = (*self._study.comments, *self._study.remarks)
        found = (comment for comment in every if comment.source_id == self.text_id)
        return sorted(found, key=lambda comment: comment.spans[0].start if comment.spans else -1)

    @property
    def unassigned(self) -> tuple[Span, ...]:
        """The pieces of the text that are in no comment, context or response."""
        from engine.reviews.layout import unassigned

        text, comments = self.text, tuple(self.comments)
        if self._left[:2] != (text, comments):
            self._left = (text, comments, unassigned(text.text, comments) if text else ())
        return self._left[2]

    @property
    def comment(self) -> Comment | None:
        every = (*self._study.comments, *self._study.remarks)
        return next((comment for comment in every if comment.id == self.comment_id), None)

    def take_caret(self) -> int | None:
        """Where the caret shall go, once after a step to another comment."""
        caret, self._caret = self._caret, None
        return caret

    def choose_text(self, text_id: str) -> None:
        """Shows another review; its first comment becomes current."""
        self.text_id = text_id
        self.comment_id = self.comments[0].id if self.comments else ""

    def choose(self, comment_id: str, *, move: bool = True) -> None:
        """Makes a comment current and shows its review; ``move`` puts the caret to its beginning."""
        self.comment_id = comment_id
        comment = self.comment
        if comment is not None:
            self.text_id = comment.source_id
            if move and comment.spans:
                self._caret = comment.spans[0].start

    def step(self, by: int) -> None:
        comments, at = self.comments, self._at
        if comments:
            at = at if at >= 0 else -1 if by > 0 else len(comments)
            self.choose(comments[min(max(at + by, 0), len(comments) - 1)].id)

    @property
    def _at(self) -> int:
        return next((n for n, comment in enumerate(self.comments) if comment.id == self.comment_id), -1)

    def mark(self, span: Span) -> None:
        change = present(self._reader).reviews.add_comment(self.text_id, [span])
        self.choose(change.comments[0].id, move=False)

    def add_span(self, span: Span) -> None:
        self._change(lambda store, comment: store.add_span(comment.id, span))

    def set_context(self, span: Span) -> None:
        self._change(lambda store, comment: store.set_context(comment.id, [span]))

    def set_response(self, span: Span) -> None:
        self._change(lambda store, comment: store.set_response_spans(comment.id, [span]))

    def toggle_request(self) -> None:
        self._change(lambda store, comment: store.set_actionable([comment.id], not comment.actionable))

    def toggle_action(self, action: ActionClass) -> None:
        """Sets the action that the current comment requests; the same again clears it."""
        self._change(
            lambda store, comment: store.set_action([comment.id], None if comment.action == action else action)
        )

    def edit(self, field: Field, value: str) -> None:
        verbs: dict[Field, Callable[[ReviewStore, Comment], object]] = {
            "comment": lambda store, comment: store.set_comment_text(comment.id, value),
            "response": lambda store, comment: store.set_response(comment.id, value),
            "reviewer": lambda store, comment: store.set_reviewer([comment.id], value),
            "action": lambda store, comment: store.set_action([comment.id], cast("ActionClass | None", value or None)),
        }
        if field == "request":
            self.toggle_request()
        else:
            self._change(verbs[field])

    def split(self, place: int) -> None:
        """Cuts the current comment in two at an offset of the text."""
        self._change(lambda store, comment: store.split_comment(comment.id, place))

    def merge(self) -> None:
        at = self._at
        if at > 0:
            before = self.comments[at - 1].id
            merge_comments(self._project, [before, self.comments[at].id])
            self.choose(before)

    def delete(self) -> None:
        comments, at = self.comments, self._at
        following = comments[at + 1] if 0 <= at < len(comments) - 1 else comments[at - 1] if at > 0 else None
        if at >= 0:
            remove_comments(self._project, [self.comment_id])
        if following is not None:
            self.choose(following.id, move=False)

    @property
    def _project(self) -> Project:
        return present(self._reader).project

    def _change(self, verb: Callable[[ReviewStore, Comment], object]) -> None:
        comment = self.comment
        if comment is not None and self._reader is not None:
            verb(self._reader.reviews, comment)
