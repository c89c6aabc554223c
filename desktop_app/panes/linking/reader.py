"""Reads the study that the Linking pane shows, only what a change concerns. No Qt."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

from desktop_app.panes.linking.study import Study
from engine.agreement.store import AgreementStore
from engine.documents.records import ParsedDocument
from engine.documents.store import DocumentStore
from engine.papers.records import Paper, PaperVersion
from engine.papers.store import REVISED, SUBMITTED, PaperStore
from engine.project import Project
from engine.reviews.store import ReviewStore
from engine.revision.generation.store import GenerationStore
from engine.revision.groups import doubts
from engine.revision.records import Suggestion
from engine.revision.store import RevisionStore

HUMAN = frozenset({"edit_link", "comment_state", "suggestion_decision"})
PASSES = frozenset({"suggestion", "suggestion_run"})
REVIEWS = frozenset({"source_text", "comment", "comment_span"})
VERSIONS = frozenset({"paper", "paper_version", "document", "parsed_document", "revision", "edit", "dismissed_edit"})
TABLES = HUMAN | PASSES | REVIEWS | VERSIONS | {"annotation_done", "proposal", "project_info"}
KEPT = 6
"""The texts of so many versions of other papers are kept in memory."""
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

    def keep(self, document_id: str, parsed: ParsedDocument | None, study: Study) -> None:
        """Keeps the text of a version, and of others than the study's only those that were read last: a whole text
        takes megabytes."""
        self.texts[document_id] = parsed
        shown = {version.document_id for version in (study.source, study.target) if version}
        for other in [key for key in self.texts if key not in shown][:-KEPT]:
            del self.texts[other]

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
        if source is None or target is None:
            return replace(study, doubts={}, unreliable=False)
        unreliable = bool(source.doubtful or target.doubtful)
        return replace(study, doubts=doubts(study.edits, source, target), unreliable=unreliable)

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
