"""Reads the study that the linking pane shows from the stores, only as much anew as a change asks for."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

from desktop_app.panes.linking.study import Study
from engine.agreement.store import AgreementStore
from engine.documents.records import ParsedDocument
from engine.documents.store import DocumentStore
from engine.papers.records import PaperVersion
from engine.papers.store import REVISED, SUBMITTED, PaperStore
from engine.project import Project
from engine.reviews.store import ReviewStore
from engine.revision.generation.store import GenerationStore
from engine.revision.records import Suggestion
from engine.revision.store import RevisionStore

HUMAN = frozenset({"edit_link", "comment_state", "suggestion_decision"})
PASSES = frozenset({"suggestion", "suggestion_run"})
SUGGESTED = PASSES | {"suggestion_decision"}
REVIEWS = frozenset({"source_text", "comment", "comment_span"})
VERSIONS = frozenset({"paper", "paper_version", "document", "parsed_document", "revision", "edit"})
DONE = frozenset({"annotation_done"})
PROPOSED = frozenset({"proposal"})
TABLES = HUMAN | SUGGESTED | REVIEWS | VERSIONS | DONE | PROPOSED
SHOWN = 5
"""So many suggestions of a comment are shown even where their score is below the threshold."""


class Reader:
    """The stores of an open project, and the study made of them."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self.documents = DocumentStore(project)
        self.papers = PaperStore(project)
        self.revisions = RevisionStore(project)
        self.generation = GenerationStore(project)
        self.agreement = AgreementStore(project)
        self.reviews = ReviewStore(project)
        self._paper_id = ""
        self.texts: dict[str, ParsedDocument | None] = {}
        """What was read in each document, as far as it has been fetched (None: it was not read yet)."""

    def choose_paper(self, paper_id: str) -> None:
        """Which paper's revision is shown from now on."""
        self._paper_id = paper_id

    def read(self, before: Study, tables: Collection[str]) -> Study:
        """The study as it is now; of ``before`` what none of the changed ``tables`` concerns is kept."""
        changed = set(tables)
        study = before
        if changed & VERSIONS or before.paper is None:
            study = self._versions(study)
            changed |= HUMAN | {"suggestion_decision"}
        people = self.agreement.visible(study.paper.id) if study.paper else frozenset({self.project.annotator_id})
        # Reviews that were imported before there was a paper belong to the only one.
        paper_id = study.paper.id if study.paper and len(study.papers) > 1 else None
        if changed & (REVIEWS | DONE) or study.paper != before.paper:
            comments = self.reviews.comments(paper_id=paper_id, seen_by=people)
            study = replace(
                study,
                texts=self.reviews.texts(paper_id),
                comments=tuple(comment for comment in comments if comment.actionable),
                remarks=tuple(comment for comment in comments if not comment.actionable),
            )
        if study.revision is None:
            return replace(study, links=(), lost=(), states={}, suggestions={}, proposals={})
        key = study.revision.id
        if changed & HUMAN:
            links, states = self.revisions.links(key), self.revisions.comment_states(key)
            lost = tuple((link, self.revisions.edit(link.edit_id)) for link in links if not link.attached)
            study = replace(study, links=links, states=states, lost=lost)
        if changed & PROPOSED or study.revision != before.revision:
            study = replace(study, proposals=self.generation.proposals(key))
        if changed & PASSES or study.revision != before.revision:
            study = replace(study, suggestions=self.revisions.all_suggestions(key, top=SHOWN))
        elif changed & SUGGESTED:
            study = replace(study, suggestions=self._decided(study.suggestions, key))
        return study

    def parsed(self, version: PaperVersion | None) -> ParsedDocument | None:
        """What the parser read in a version, if that was fetched."""
        return self.texts.get(version.document_id) if version else None

    def _decided(
        self, suggestions: Mapping[str, tuple[Suggestion, ...]], revision_id: str
    ) -> dict[str, tuple[Suggestion, ...]]:
        """The same suggestions with the decisions as they are now; the passes, which are long, did not change."""
        taken = {(comment, edit): decision for comment, edit, decision, _ in self.revisions.decisions(revision_id)}
        return {
            comment: tuple(
                s if s.decision == (now := taken.get((comment, s.edit_id))) else replace(s, decision=now)
                for s in listed
            )
            for comment, listed in suggestions.items()
        }

    def _versions(self, study: Study) -> Study:
        papers = self.papers.papers()
        paper = next((p for p in papers if p.id == self._paper_id), None) or next(iter(papers), None)
        versions = self.papers.versions(paper.id) if paper else ()
        source = next((v for v in versions if v.label == SUBMITTED), None)
        target = next((v for v in versions if v.label == REVISED), None)
        revision = None
        if source is not None and target is not None:
            revision = self.revisions.revision_of(source.document_id, target.document_id)
        edits = self.revisions.edits(revision.id) if revision else ()
        return replace(
            study, papers=papers, paper=paper, versions=versions, source=source, target=target, revision=revision,
            edits=edits,
        )  # fmt: skip
