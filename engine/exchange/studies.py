"""Reads all data of a paper's linking from a project's stores, as needed by exports and commands."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import cast
from uuid import NAMESPACE_OID, UUID, uuid5

from engine.agreement.records import ADJUDICATED, LINKED, Adjudication, Marked, PaperWork, Work
from engine.agreement.store import AgreementStore
from engine.documents.store import DocumentStore
from engine.exchange.records import Linking, Version
from engine.papers.records import Paper, PaperVersion
from engine.papers.store import REVISED, SUBMITTED, PaperStore
from engine.project import Project
from engine.reviews.records import Comment, SourceText
from engine.reviews.store import ReviewStore
from engine.revision.records import CommentJudgement, CommentState, Edit, Link, Revision, Suggestion
from engine.revision.store import RevisionStore


@dataclass(frozen=True, slots=True)
class PaperStudy:
    """One paper with its reviews, its compared versions, and the work of one annotator or the adjudicated result."""

    paper: Paper
    source: PaperVersion
    target: PaperVersion
    revision: Revision
    edits: tuple[Edit, ...]
    texts: tuple[SourceText, ...]
    comments: tuple[Comment, ...]
    links: tuple[Link, ...]
    states: dict[str, CommentJudgement]
    suggestions: dict[str, tuple[Suggestion, ...]]
    passages: tuple[Edit, ...] = ()
    """Passages of the revised version that are linked although no edit was found there."""

    @property
    def targets(self) -> tuple[Edit, ...]:
        """Returns the linkable units: edits, then linked passages."""
        return (*self.edits, *self.passages)


def exported_version(documents: DocumentStore, version: PaperVersion | None) -> Version:
    """Returns a version for exports; without a name and empty if ``version`` is None."""
    if version is None:
        return Version("")
    parsed = documents.parsed(version.document_id)
    sha256 = documents.document(version.document_id).sha256
    text = (parsed.paragraphs, parsed.doubtful) if parsed else ((), ())
    return Version(version.filename.removesuffix(".pdf"), text[0], sha256, text[1])


@dataclass(frozen=True, slots=True)
class Standing:
    """The annotators who worked on a paper's linking, those who are done, and those whose work is visible, as keys;
    ``worked`` is in the project's order."""

    paper: Paper
    revision: Revision
    worked: tuple[str, ...]
    done: frozenset[str]
    visible: frozenset[str]


class Studies:
    def __init__(self, project: Project) -> None:
        self.project = project
        self.papers = PaperStore(project)
        self.reviews = ReviewStore(project)
        self.revisions = RevisionStore(project)
        self.agreement = AgreementStore(project)
        self.documents = DocumentStore(project)

    def compared(self) -> tuple[tuple[Paper, PaperVersion, PaperVersion, Revision], ...]:
        found = []
        versions = self.papers.labelled_versions()
        revisions = {(one.source_document_id, one.target_document_id): one for one in self.revisions.revisions()}
        for paper in self.papers.papers():
            source, target = versions.get((paper.id, SUBMITTED)), versions.get((paper.id, REVISED))
            if source is None or target is None:
                continue
            revision = revisions.get((source.document_id, target.document_id))
            if revision is not None:
                found.append((paper, source, target, revision))
        return tuple(found)

    def study(self, paper_id: str, annotator_id: str = "", *, suggestions: bool = True) -> PaperStudy:
        """Returns a paper with the work of one annotator (the acting one by default) or the adjudicated work
        (``ADJUDICATED``).

        Work that is hidden from the acting annotator is left out. Raises KeyError if the paper's versions haven't been
        compared.
        """
        entry = next((found for found in self.compared() if found[0].id == paper_id), None)
        if entry is None:
            raise KeyError(paper_id)
        paper, source, target, revision = entry
        who = annotator_id or self.project.annotator_id
        links, states = self._work(paper.id, revision.id, who)
        linked = {link.edit_id for link in links}
        everybody = [key for key, _ in self.project.annotators()]
        done = self.agreement.visible(paper.id) & self.agreement.done(paper.id)
        seen = done if who == ADJUDICATED else {who}
        return PaperStudy(
            paper,
            source,
            target,
            revision,
            self.revisions.edits(revision.id, dismissed_by=seen),
            self.texts(paper.id),
            self.comments(paper.id),
            links,
            states,
            self.revisions.all_suggestions(revision.id, top=5) if suggestions else {},
            tuple(one for one in self.revisions.passages(revision.id, everybody) if one.id in linked),
        )

    def linking(self, study: PaperStudy) -> Linking:
        return Linking(
            study.paper.external_id or study.paper.title,
            exported_version(self.documents, study.source),
            exported_version(self.documents, study.target),
            study.texts,
            study.comments,
            study.targets,
            study.links,
            tuple(study.states.values()),
            (*self.project.annotators(), (ADJUDICATED, "Adjudicated")),
        )

    def texts(self, paper_id: str) -> tuple[SourceText, ...]:
        return self.reviews.texts(self._texts_of(paper_id))

    def comments(self, paper_id: str) -> tuple[Comment, ...]:
        """Returns the comments of a paper that the acting annotator may see."""
        return self.reviews.comments(paper_id=self._texts_of(paper_id), seen_by=self.agreement.visible(paper_id))

    def standings(self) -> tuple[Standing, ...]:
        """Returns who has worked on each compared paper, and whose work is visible now."""
        order = [key for key, _ in self.project.annotators()]
        marked, workers = self.reviews.marked_papers(), self.revisions.workers()
        several, done = len(self.papers.papers()) > 1, self.agreement.everything_done()
        found = []
        for paper, _, _, revision in self.compared():
            theirs = done.get(paper.id, frozenset())
            worked = {key for key, on in marked if on == paper.id or not several} | workers.get(revision.id, set())
            found.append(
                Standing(
                    paper,
                    revision,
                    tuple(key for key in order if key in worked),
                    theirs,
                    self.agreement.visible_of(theirs),
                )
            )
        return tuple(found)

    def paper_works(self, first_id: str, second_id: str, groups: Collection[str] = ("text",)) -> tuple[PaperWork, ...]:
        """Returns the work of two annotators on each paper that both have finished, if it is visible.

        Candidate edits are those of ``groups`` and those that either of them linked, without those that both dismissed.
        Passages with a paragraph in common count as one, like the edits of a paragraph.
        """
        names = dict(self.project.annotators())
        markers = self.reviews.markers()
        found = []
        for standing in self.standings():
            if not {first_id, second_id} <= standing.done & standing.visible:
                continue
            paper, revision = standing.paper, standing.revision
            comments = [c for c in self.reviews.comments(paper_id=self._texts_of(paper.id)) if c.actionable]
            texts = self.texts(paper.id)
            same, passages = self._same_passages(revision.id, (first_id, second_id))
            works = {
                key: Work(
                    key,
                    names.get(key, key),
                    frozenset(
                        (link.comment_id, same.get(link.edit_id, link.edit_id))
                        for link in self._links(revision.id, key)
                    ),
                    tuple((j.comment_id, j.state) for j in self._states(revision.id, key).values()),
                    tuple(
                        Marked(c.id, c.source_id, tuple((s.start, s.end) for s in c.spans))
                        for c in comments
                        if markers.get(c.id) == key
                    ),
                )
                for key in (first_id, second_id)
            }
            linked = {edit_id for work in works.values() for _, edit_id in work.links}
            found.append(
                PaperWork(
                    paper.id,
                    paper.title or "Untitled paper",
                    revision.id,
                    tuple(c.id for c in comments if c.id not in markers),
                    tuple(
                        edit.id
                        for edit in (*self.revisions.edits(revision.id, dismissed_by={first_id, second_id}), *passages)
                        if edit.id in linked or (not edit.passage and ("all" in groups or edit.group in groups))
                    ),
                    works[first_id],
                    works[second_id],
                    tuple((text.id, text.text) for text in texts),
                )
            )
        return tuple(found)

    def linkable(self, revision_id: str) -> tuple[Edit, ...]:
        """Returns all edits, including dismissed ones, and all annotators' passages."""
        everybody = [key for key, _ in self.project.annotators()]
        return (*self.revisions.edits(revision_id, dismissed_by=()), *self.revisions.passages(revision_id, everybody))

    def _same_passages(self, revision_id: str, annotators: Collection[str]) -> tuple[dict[str, str], tuple[Edit, ...]]:
        """Maps each passage of these annotators to the first one that shares a paragraph; returns all, too."""
        passages = self.revisions.passages(revision_id, annotators)
        return {
            one.id: next(other.id for other in passages if {*one.target_ids} & {*other.target_ids})
            for one in passages
            if one.target_ids
        }, passages

    def _texts_of(self, paper_id: str) -> str | None:
        # Reviews imported before there was a paper belong to the only one.
        return paper_id if len(self.papers.papers()) > 1 else None

    def _links(self, revision_id: str, annotator_id: str) -> tuple[Link, ...]:
        return tuple(k for k in self.revisions.links(revision_id, annotator_id=annotator_id) if k.attached)

    def _states(self, revision_id: str, annotator_id: str) -> dict[str, CommentJudgement]:
        return self.revisions.comment_states(revision_id, annotator_id=annotator_id)

    def _work(
        self, paper_id: str, revision_id: str, annotator_id: str
    ) -> tuple[tuple[Link, ...], dict[str, CommentJudgement]]:
        if annotator_id == ADJUDICATED:
            return self._adjudicated(paper_id, revision_id)
        if annotator_id not in self.agreement.visible(paper_id):
            return (), {}
        return self._links(revision_id, annotator_id), self._states(revision_id, annotator_id)

    def _adjudicated(self, paper_id: str, revision_id: str) -> tuple[tuple[Link, ...], dict[str, CommentJudgement]]:
        """Returns the links and states on which all annotators agree who are done and decided on the comment (at least
        two, or one if only one of them worked on the paper). Adjudications replace them, and those of single units come
        first."""
        visible = sorted(self.agreement.visible(paper_id) & self.agreement.done(paper_id))
        decided = {c: a for c, a in self.agreement.adjudications(revision_id).items() if a.verdict is not None}
        worked = [key for key in visible if self._links(revision_id, key) or self._states(revision_id, key)]
        same: dict[str, str] = {}
        if len(worked) == 2:
            from engine.agreement.linking import requests

            # Overlapping comments of both annotators are one request, identified by the first annotator's comment.
            for work in self.paper_works(worked[0], worked[1]):
                if work.paper_id == paper_id:
                    same = {pair.second_id: pair.first_id for pair in requests(work)}
        alike, _ = self._same_passages(revision_id, worked)
        links: dict[tuple[str, str], list[Link]] = {}
        states: dict[str, list[CommentJudgement]] = {}
        deciders: dict[str, set[str]] = {}
        for key in worked:
            for link in self._links(revision_id, key):
                pair = same.get(link.comment_id, link.comment_id), alike.get(link.edit_id, link.edit_id)
                if key not in {other.annotator_id for other in links.get(pair, ())}:
                    links.setdefault(pair, []).append(link)
                    deciders.setdefault(pair[0], set()).add(key)
            for judgement in self._states(revision_id, key).values():
                if judgement.state == "undecided":
                    continue
                comment = same.get(judgement.comment_id, judgement.comment_id)
                states.setdefault(comment, []).append(judgement)
                deciders.setdefault(comment, set()).add(key)
        needed = min(2, len(worked))
        enough = {comment: len(people) for comment, people in deciders.items() if len(people) >= needed}
        kept = [
            Link(found[0].id, *pair, ADJUDICATED, "agreed", found[0].confidence, found[0].note)
            for pair, found in links.items()
            if len(found) == enough.get(pair[0]) and pair[0] not in decided
        ]
        kept += [_decided(one, edit) for one in decided.values() for edit in one.edit_ids]
        judged = {
            comment: CommentJudgement(comment, found[0].state)
            for comment, found in states.items()
            if len(found) == enough.get(comment) and len({j.state for j in found}) == 1
        }
        judged |= {c: CommentJudgement(c, a.state, a.note) for c, a in decided.items()}  # type: ignore[arg-type]
        # Adjudications of single comments or pairs take precedence.
        ruled = {(c, e): v == LINKED for (c, _, e), v in self.agreement.unit_adjudications("links").items()}
        kept = [link for link in kept if (link.comment_id, link.edit_id) not in ruled]
        edits = {edit.id for edit in self.linkable(revision_id)}
        kept += [
            Link(str(uuid5(NAMESPACE_OID, f"{comment} {edit}")), comment, edit, ADJUDICATED, "adjudicated")
            for (comment, edit), holds in ruled.items()
            if holds and edit in edits
        ]
        own = {comment.id for comment in self.comments(paper_id)}
        for (comment, _, _), state in self.agreement.unit_adjudications("states").items():
            if comment in own:
                judged[comment] = CommentJudgement(comment, cast("CommentState", state))
        return tuple(kept), judged


def _decided(adjudication: Adjudication, edit_id: str) -> Link:
    key = str(uuid5(UUID(adjudication.id), edit_id))  # a decision may include several edits
    return Link(key, adjudication.comment_id, edit_id, ADJUDICATED, "adjudicated", note=adjudication.note)
