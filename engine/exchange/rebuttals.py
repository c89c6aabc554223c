"""Reads all data of a paper's rebuttal from a project's stores, as needed by the pane, exports and commands."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from engine.agreement.store import AgreementStore
from engine.documents.records import ParsedDocument
from engine.documents.service import DocumentService
from engine.documents.store import DocumentStore
from engine.errors import BadInput
from engine.papers.records import Paper, PaperVersion
from engine.papers.store import REVISED, SUBMITTED, PaperStore
from engine.project import Project
from engine.rebuttal.matrix import Matrix, matrix
from engine.rebuttal.points import Outline, outline, with_labels
from engine.rebuttal.readiness import ClaimChecker, to_check
from engine.rebuttal.records import Plan
from engine.rebuttal.store import RebuttalStore
from engine.reviews.labels.records import SUGGESTED_FROM, Layer, SentenceLabels
from engine.reviews.labels.store import LabelStore
from engine.reviews.limits import Limit, preset, with_own
from engine.reviews.records import Comment, SourceText
from engine.reviews.store import ReviewStore
from engine.revision.records import Edit, Suggestion
from engine.revision.store import RevisionStore

_SUGGESTED = 2
"""The number of suggested edits that are read per comment."""


@dataclass(frozen=True)
class Rebuttal:
    """All data of one paper's rebuttal except the papers' pages."""

    paper: Paper | None = None
    papers: tuple[Paper, ...] = ()
    source: PaperVersion | None = None
    target: PaperVersion | None = None
    texts: tuple[SourceText, ...] = ()
    comments: tuple[Comment, ...] = ()
    labels: Mapping[str, tuple[SentenceLabels, ...]] = field(default_factory=dict)
    """By text, in the order of its sentences."""
    outline: Outline = field(default_factory=Outline)
    edits: Mapping[str, tuple[Edit, ...]] = field(default_factory=dict)
    """Linked edits by comment."""
    revision_id: str = ""
    all_edits: tuple[Edit, ...] = ()
    plan: Plan = field(default_factory=Plan)
    limit: Limit = field(default_factory=lambda: preset("free"))

    @property
    def paper_id(self) -> str | None:
        """Returns the paper's key; None for reviews that belong to no paper."""
        return self.paper.id if self.paper is not None else None


class Rebuttals:
    def __init__(self, project: Project) -> None:
        self.project = project
        self.papers = PaperStore(project)
        self.reviews = ReviewStore(project)
        self.labels = LabelStore(project)
        self.revisions = RevisionStore(project)
        self.agreement = AgreementStore(project)
        self.documents = DocumentStore(project)
        self.store = RebuttalStore(project)

    def read(self, paper_id: str | None) -> Rebuttal:
        """Returns the rebuttal of a paper with the acting annotator's work; None reads a project without papers. Raises
        KeyError if the paper doesn't exist."""
        papers = self.papers.papers()
        paper = None if paper_id is None else {one.id: one for one in papers}[paper_id]
        # Reviews imported before there was a paper belong to the only one.
        of = paper.id if paper is not None and len(papers) > 1 else None
        seen = self.agreement.visible(paper.id) if paper else frozenset({self.project.annotator_id})
        versions = {version.label: version for version in self.papers.versions(paper.id)} if paper else {}
        source, target = versions.get(SUBMITTED), versions.get(REVISED)
        texts = self.reviews.texts(of)
        comments = self.reviews.comments(paper_id=of, seen_by=seen)
        revision_id, edits, linked = self._edits(source, target)
        key = paper.id if paper else None
        plan = self.store.plan(key)
        return Rebuttal(
            paper, papers, source, target, texts, comments,
            {text.id: self.labels.read(text.id) for text in texts},
            with_labels(
                outline(comments, self.store.replies(one.id for one in comments), self.store.words(key)),
                dict(plan.sent),
            ),
            linked, revision_id, edits, plan, limit_of(plan),
        )  # fmt: skip

    def matrix(self, of: Rebuttal, service: DocumentService) -> Matrix:
        """Checks the claims of all responses and returns the response matrix."""
        source, target = (version.document_id if version else "" for version in (of.source, of.target))
        checker = ClaimChecker(self.documents, source, target)
        checked = checker.check(to_check(of.outline), of.all_edits, service) if target else {}
        return matrix(of.outline, of.edits, checked, of.limit, of.plan.quoting, revised=bool(target))

    def parsed(self, version: PaperVersion | None) -> ParsedDocument | None:
        """Returns the parsed document of a version; None if there is none."""
        return self.documents.parsed(version.document_id) if version is not None else None

    def _edits(
        self, source: PaperVersion | None, target: PaperVersion | None
    ) -> tuple[str, tuple[Edit, ...], dict[str, tuple[Edit, ...]]]:
        """Returns the revision's key, its edits, and the linked ones by comment."""
        if source is None or target is None:
            return "", (), {}
        revision = self.revisions.revision_of(source.document_id, target.document_id)
        if revision is None:
            return "", (), {}
        edits = self.revisions.edits(revision.id)
        targets = self.revisions.targets(revision.id)
        order = {edit.id: at for at, edit in enumerate(targets)}
        linked: dict[str, set[int]] = {}
        for link in self.revisions.links(revision.id):
            if link.edit_id in order:
                linked.setdefault(link.comment_id, set()).add(order[link.edit_id])
        return (
            revision.id,
            edits,
            {comment: tuple(targets[at] for at in sorted(own)) for comment, own in linked.items()},
        )

    def suggestions(self, of: Rebuttal, comment_id: str) -> tuple[Suggestion, ...]:
        """Returns the best undecided suggestions for a comment, best first."""
        if not of.revision_id:
            return ()
        found = self.revisions.all_suggestions(of.revision_id, comment_ids=[comment_id], top=_SUGGESTED)
        return tuple(one for one in found.get(comment_id, ()) if one.decision is None)[:_SUGGESTED]


def limit_of(plan: Plan) -> Limit:
    """Returns the limit of a plan; its own values are ignored if they can't be read (from another version)."""
    try:
        return with_own(preset(plan.preset), plan.own_limits)
    except BadInput:
        return preset(plan.preset)


def labels_of(rebuttal: Rebuttal, comment: Comment) -> tuple[SentenceLabels, ...]:
    """Returns the labels of the sentences that overlap a comment's spans."""
    known, found = rebuttal.labels.get(comment.source_id, ()), []
    places = [(span.start, span.end) for span in comment.spans] if known else []
    for labels in known:
        start, end = labels.span.start, labels.span.end
        for first, last in places:
            if start < last and first < end:
                found.append(labels)
                break
    return tuple(found)


def critical_remarks(rebuttal: Rebuttal) -> tuple[Comment, ...]:
    """Returns the comments that aren't in the outline but may criticise: a sentence is labelled negative, or has an
    aspect and no polarity, counting only confident labels."""
    answered = {row.comment.id for row in rebuttal.outline.rows}
    return tuple(
        comment
        for comment in rebuttal.comments
        if comment.id not in answered
        and any(
            _sure(one, "polarity") == "negative" or (_sure(one, "aspect") and not _sure(one, "polarity"))
            for one in labels_of(rebuttal, comment)
        )
    )


def _sure(labels: SentenceLabels, name: Layer) -> str:
    """Returns the label of a sentence in a single-label layer; "" if it has none or its confidence is too low."""
    held = labels.of(name)
    return held[0] if held and labels.confidence.get(name, 1.0) >= SUGGESTED_FROM else ""


def leading(labels: tuple[SentenceLabels, ...]) -> tuple[str, tuple[str, ...]]:
    """Returns a comment's aspect and themes from its sentences' labels: the aspect with the highest total confidence,
    and all themes in order of appearance. "" and () if there are none."""
    weights: dict[str, float] = {}
    themes: dict[str, None] = {}
    for one in labels:
        if one.aspect:
            weights[one.aspect] = weights.get(one.aspect, 0.0) + one.confidence.get("aspect", 1.0)
        themes |= dict.fromkeys(one.themes)
    root = max(weights, key=lambda key: weights[key]) if weights else ""
    return root, tuple(themes)
