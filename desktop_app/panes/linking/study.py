"""A paper's revision with comments and decisions as one frozen record, and a reader that reloads only what changed. No
Qt."""

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from engine.agreement.store import AgreementStore
from engine.documents.records import ParsedDocument
from engine.documents.store import DocumentStore
from engine.papers.records import Paper, PaperVersion
from engine.papers.store import REVISED, SUBMITTED, PaperStore
from engine.project import Project
from engine.reviews.records import Asks, Comment, SourceText
from engine.reviews.store import ReviewStore
from engine.revision.coverage import Coverage, Request, second_round
from engine.revision.generation.records import Proposal
from engine.revision.generation.store import GenerationStore
from engine.revision.groups import doubts
from engine.revision.records import CommentJudgement, CommentState, Edit, Link, Revision, Suggestion
from engine.revision.store import RevisionStore
from engine.shown import counted


@dataclass(frozen=True)
class Study:
    """A snapshot of a paper's revision with its comments and decisions."""

    paper: Paper | None = None
    versions: tuple[PaperVersion, ...] = ()
    """All versions of the paper, oldest first; ``source`` and ``target`` are the two that are compared."""
    source: PaperVersion | None = None
    target: PaperVersion | None = None
    revision: Revision | None = None
    edits: tuple[Edit, ...] = ()
    dismissed: tuple[Edit, ...] = ()
    """Edits that the annotator dismissed; not in ``edits``."""
    passages: tuple[Edit, ...] = ()
    """Linked words of the revised version where no edit was found."""
    texts: tuple[SourceText, ...] = ()
    comments: tuple[Comment, ...] = ()
    """The requests."""
    remarks: tuple[Comment, ...] = ()
    """Comments that aren't requests (praise, summaries), and need no edit."""
    links: tuple[Link, ...] = ()
    lost: tuple[tuple[Link, Edit], ...] = ()
    """Links whose edit the newest comparison no longer finds, with the former edit."""
    states: Mapping[str, CommentJudgement] = field(default_factory=dict)
    hides_suggestions: bool = False
    """Whether suggestions and proposals are hidden in the project; they are then empty."""
    suggestions: Mapping[str, tuple[Suggestion, ...]] = field(default_factory=dict)
    proposals: Mapping[str, tuple[Proposal, ...]] = field(default_factory=dict)
    """By comment, newest first."""
    doubts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """By edit, why it might not be a real one; only for edits on pages whose text may be wrong."""
    unreliable: bool = False
    """Whether a version has such pages."""

    doubtful: Mapping[str, Asks] = field(default_factory=dict)
    """The comments that might not be requests, once known."""

    @cached_property
    def edit_by_id(self) -> dict[str, Edit]:
        """Everything that can be linked: edits and passages."""
        return {edit.id: edit for edit in self.targets}

    @property
    def targets(self) -> tuple[Edit, ...]:
        return (*self.edits, *self.passages)

    @cached_property
    def comment_by_id(self) -> dict[str, Comment]:
        return {comment.id: comment for comment in self.comments}

    @cached_property
    def numbers(self) -> dict[str, tuple[int, int]]:
        """Each comment's number among those of its reviewer, from 1, and their count."""
        by_reviewer: dict[str, list[str]] = defaultdict(list)
        for comment in self.comments:
            by_reviewer[comment.reviewer].append(comment.id)
        return {key: (number, len(keys)) for keys in by_reviewer.values() for number, key in enumerate(keys, start=1)}

    @cached_property
    def linked_edits(self) -> dict[str, frozenset[str]]:
        found: dict[str, set[str]] = defaultdict(set)
        for link in self.links:
            found[link.comment_id].add(link.edit_id)
        return {key: frozenset(edits) for key, edits in found.items()}

    @cached_property
    def answered_comments(self) -> dict[str, tuple[str, ...]]:
        found: dict[str, list[str]] = defaultdict(list)
        for link in self.links:
            found[link.edit_id].append(link.comment_id)
        return {key: tuple(comments) for key, comments in found.items()}

    def state(self, comment_id: str) -> CommentState:
        judgement = self.states.get(comment_id)
        return judgement.state if judgement else "undecided"

    def doubt(self, comment_id: str) -> Asks | None:
        """Returns "maybe" or "criticism" if a comment might not be a request and is undecided."""
        decided = self.state(comment_id) != "undecided" or comment_id in self.linked_edits
        return None if decided else self.doubtful.get(comment_id)

    def open_suggestions(self, comment_id: str) -> tuple[Suggestion, ...]:
        """Returns the suggestions for a comment that weren't rejected, best first."""
        return tuple(s for s in self.suggestions.get(comment_id, ()) if s.decision != "rejected")

    def first_difference(self, other: "Study") -> tuple[str, str]:
        """Returns the first comment on which two states of a study differ, and the edit concerned; "" for none."""
        for link in {*self.links}.symmetric_difference(other.links):
            return link.comment_id, link.edit_id
        for edit in {*self.dismissed}.symmetric_difference(other.dismissed):
            return "", edit.id
        for comment in self.comments:
            if comment.id not in other.comment_by_id or self.state(comment.id) != other.state(comment.id):
                return comment.id, ""
            before, after = self.suggestions.get(comment.id, ()), other.suggestions.get(comment.id, ())
            for one, two in zip(before, after, strict=False):
                if one.edit_id == two.edit_id and one.decision != two.decision:
                    return comment.id, one.edit_id
        return "", ""

    @cached_property
    def decided(self) -> int:
        return sum(self.state(comment.id) != "undecided" for comment in self.comments)

    @property
    def named(self) -> tuple[str, str]:
        """Key and title of the paper; empty if there is none."""
        return (self.paper.id, self.paper.title) if self.paper else ("", "")

    def still_open(self) -> tuple[str, ...]:
        """Returns the undecided comments by reviewer and number."""
        left = (comment for comment in self.comments if self.state(comment.id) == "undecided")
        return tuple(f"{reviewer_name(comment)} · {self.numbers.get(comment.id, (0, 0))[0]}" for comment in left)

    def requests(self, found: Coverage) -> tuple[Request, ...]:
        """Returns the outcome of each request of a coverage."""
        return second_round(
            found.rows, self.edits, self.suggestions, doubtful=self.unreliable, doubts=self.doubts,
            compared=self.revision is not None,
        )  # fmt: skip

    def progress(self) -> str:
        if not self.comments and not self.edits:
            return ""
        parts = [f"{self.decided:,} of {counted(len(self.comments), 'comment')} decided"]
        if self.edits:
            unlinked = sum(edit.id not in self.answered_comments for edit in self.edits)
            parts.append(f"{counted(unlinked, 'edit')} without a comment")
        if self.lost:
            parts.append(f"{counted(len(self.lost), 'link')} {'needs' if len(self.lost) == 1 else 'need'} attention")
        return " · ".join(parts)


def reviewer_name(comment: Comment) -> str:
    return comment.reviewer or "Reviewer"


HUMAN = frozenset({"edit_link", "comment_state", "suggestion_decision"})
PASSES = frozenset({"suggestion", "suggestion_run"})
REVIEWS = frozenset({"source_text", "comment", "comment_span"})
VERSIONS = frozenset({"paper", "paper_version", "document", "parsed_document", "revision", "edit", "dismissed_edit"})
TABLES = HUMAN | PASSES | REVIEWS | VERSIONS | {"annotation_done", "proposal", "project_info"}
KEPT = 6
"""Number of texts of other papers' versions kept in memory."""
SHOWN = 5
"""Number of suggestions per comment shown even if their score is below the threshold."""


class StudyReader:
    def __init__(self, project: Project) -> None:
        self.project = project
        self.documents = DocumentStore(project)
        self.papers = PaperStore(project)
        self.revisions = RevisionStore(project)
        self.generation = GenerationStore(project)
        self.agreement = AgreementStore(project)
        self.reviews = ReviewStore(project)
        self.texts: dict[str, ParsedDocument | None] = {}
        """The fetched parsed documents, by document (None: not parsed yet)."""

    def is_empty(self) -> bool:
        return not self.documents.documents() and not self.reviews.texts()

    def keep(self, document_id: str, parsed: ParsedDocument | None, study: Study) -> None:
        """Stores the text of a version and drops older ones that the study doesn't use: a text takes megabytes."""
        self.texts[document_id] = parsed
        shown = {version.document_id for version in (study.source, study.target) if version}
        for other in [key for key in self.texts if key not in shown][:-KEPT]:
            del self.texts[other]

    def parsed(self, version: PaperVersion | None) -> ParsedDocument | None:
        """Returns the parsed text of a version, if it was fetched."""
        return self.texts.get(version.document_id) if version else None

    def read(self, before: Study, paper_id: str, tables: Collection[str]) -> Study:
        """Returns the current study of a paper; parts of ``before`` not affected by the changed ``tables`` are kept."""
        changed, study, papers = set(tables), before, self.papers.papers()
        if changed & VERSIONS or before.paper is None:
            study = self._versions(study, next((paper for paper in papers if paper.id == paper_id), None))
            changed |= HUMAN
        if changed & (REVIEWS | {"annotation_done"}) or study.paper != before.paper:
            people = self.agreement.visible(study.paper.id) if study.paper else frozenset({self.project.annotator_id})
            # Reviews imported before there was a paper belong to the only paper.
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
        """Returns the study with doubts about its edits, if the texts of both versions were fetched."""
        source, target = self.parsed(study.source), self.parsed(study.target)
        if source is None or target is None:
            return replace(study, doubts={}, unreliable=False)
        unreliable = bool(source.doubtful or target.doubtful)
        return replace(study, doubts=doubts(study.edits, source, target), unreliable=unreliable)

    def _decided(
        self, suggestions: Mapping[str, tuple[Suggestion, ...]], revision_id: str
    ) -> dict[str, tuple[Suggestion, ...]]:
        """Returns the suggestions with current decisions; the runs, which are long, didn't change."""
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
