"""What there is to link: a paper's revision with its comments and decisions, as one frozen record. No Qt."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from engine.papers.records import Paper, PaperVersion
from engine.reviews.records import Comment, SourceText
from engine.revision.generation.records import Proposal
from engine.revision.records import CommentJudgement, CommentState, Edit, Link, Revision, Suggestion
from engine.shown import counted


@dataclass(frozen=True)
class Study:
    """A paper's revision with its comments and what was decided, at one moment."""

    paper: Paper | None = None
    versions: tuple[PaperVersion, ...] = ()
    """All versions of the paper, oldest first; ``source`` and ``target`` are the two that are compared."""
    source: PaperVersion | None = None
    target: PaperVersion | None = None
    revision: Revision | None = None
    edits: tuple[Edit, ...] = ()
    dismissed: tuple[Edit, ...] = ()
    """Edits of which the annotator said that they are none; not among ``edits``."""
    passages: tuple[Edit, ...] = ()
    """Words of the revised version that are linked where no edit was found."""
    texts: tuple[SourceText, ...] = ()
    comments: tuple[Comment, ...] = ()
    """The requests."""
    remarks: tuple[Comment, ...] = ()
    """The comments that request nothing (praise, summaries): they need no edit."""
    links: tuple[Link, ...] = ()
    lost: tuple[tuple[Link, Edit], ...] = ()
    """Links whose edit the newest comparison no longer finds, with the edit as it was."""
    states: Mapping[str, CommentJudgement] = field(default_factory=dict)
    hides_suggestions: bool = False
    """Whether the project shows neither suggestions nor proposals; then there are none."""
    suggestions: Mapping[str, tuple[Suggestion, ...]] = field(default_factory=dict)
    proposals: Mapping[str, tuple[Proposal, ...]] = field(default_factory=dict)
    """By comment, the newest first."""
    doubts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """By edit, why it may be none; of the edits on pages whose text may be wrong."""
    unreliable: bool = False
    """Whether a version has such pages."""

    doubtful: frozenset[str] = frozenset()
    """The comments that may request nothing, once it is known."""

    @cached_property
    def edit_by_id(self) -> dict[str, Edit]:
        """What can be linked: edits and passages."""
        return {edit.id: edit for edit in self.targets}

    @property
    def targets(self) -> tuple[Edit, ...]:
        return (*self.edits, *self.passages)

    @cached_property
    def comment_by_id(self) -> dict[str, Comment]:
        return {comment.id: comment for comment in self.comments}

    @cached_property
    def numbers(self) -> dict[str, tuple[int, int]]:
        """Each comment's number among its reviewer's, from 1, and how many those are."""
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

    def is_doubtful(self, comment_id: str) -> bool:
        """Whether a comment may request nothing, and nobody has decided on it."""
        decided = self.state(comment_id) != "undecided" or comment_id in self.linked_edits
        return comment_id in self.doubtful and not decided

    def open_suggestions(self, comment_id: str) -> tuple[Suggestion, ...]:
        """The suggestions for a comment that were not rejected, best first."""
        return tuple(s for s in self.suggestions.get(comment_id, ()) if s.decision != "rejected")

    def first_difference(self, other: Study) -> tuple[str, str]:
        """The first comment on which two states of a study differ, and the edit it is about, each empty if none."""
        for link in {*self.links}.symmetric_difference(other.links):
            return link.comment_id, link.edit_id
        for edit in {*self.dismissed}.symmetric_difference(other.dismissed):
            return "", edit.id
        for comment in self.comments:
            if self.state(comment.id) != other.state(comment.id):
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
        """Key and title of the paper; empty texts where there is none."""
        return (self.paper.id, self.paper.title) if self.paper else ("", "")

    def still_open(self) -> tuple[str, ...]:
        """The undecided comments, by reviewer and number."""
        left = (comment for comment in self.comments if self.state(comment.id) == "undecided")
        return tuple(f"{reviewer_name(comment)} · {self.numbers.get(comment.id, (0, 0))[0]}" for comment in left)

    def progress(self) -> str:
        if not self.comments and not self.edits:
            return ""
        parts = [f"{self.decided} of {counted(len(self.comments), 'comment')} decided"]
        if self.edits:
            unlinked = sum(edit.id not in self.answered_comments for edit in self.edits)
            parts.append(f"{counted(unlinked, 'edit')} without a comment")
        if self.lost:
            parts.append(f"{counted(len(self.lost), 'link')} {'needs' if len(self.lost) == 1 else 'need'} attention")
        return " · ".join(parts)


def reviewer_name(comment: Comment) -> str:
    """How a comment's reviewer is written."""
    return comment.reviewer or "Reviewer"
