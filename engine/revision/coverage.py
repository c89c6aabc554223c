"""Have all comments been answered? Each comment with its state, its edits and the best unlinked candidates; and the
edits that answer none.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from engine.reviews.records import Comment
from engine.revision.presentation import in_groups
from engine.revision.records import CommentJudgement, CommentState, Edit, Link, Suggestion

Standing = Literal["answered", "attention", "open"]
"""``open``: nobody decided on the comment, so its cell is empty. ``attention``: it was said that nothing answers it."""
CANDIDATES = 3
_ANSWERED: frozenset[CommentState] = frozenset({"linked", "answered", "visual_only"})


@dataclass(frozen=True, slots=True)
class Covered:
    """A comment and what became of it."""

    comment: Comment
    number: int
    """Its number among its reviewer's, from 1."""
    state: CommentState
    note: str
    edits: tuple[Edit, ...]
    candidates: tuple[Suggestion, ...]
    """The best suggestions that are neither linked nor refused, best first."""

    @property
    def standing(self) -> Standing:
        """Whether it is answered, needs a look, or is open."""
        if self.state == "undecided":
            return "open"
        return "answered" if self.state in _ANSWERED else "attention"


@dataclass(frozen=True, slots=True)
class Coverage:
    """All comments that ask for something, in order, and the edits that answer none of them."""

    rows: tuple[Covered, ...]
    unanswering: tuple[Edit, ...]

    def of(self, reviewer: str) -> tuple[Covered, ...]:
        """The rows of one reviewer; all of them for ""."""
        return tuple(row for row in self.rows if not reviewer or row.comment.reviewer == reviewer)

    @property
    def reviewers(self) -> tuple[str, ...]:
        """In order of first appearance."""
        return tuple(dict.fromkeys(row.comment.reviewer for row in self.rows))

    def count(self, standing: Standing) -> int:
        """How many comments stand so."""
        return sum(row.standing == standing for row in self.rows)


def coverage(
    comments: Iterable[Comment],
    edits: Sequence[Edit],
    links: Iterable[Link],
    states: Mapping[str, CommentJudgement],
    suggestions: Mapping[str, Sequence[Suggestion]],
    *,
    groups: Collection[str] = ("text",),
) -> Coverage:
    """What covers what. Comments that ask for nothing are left out; edits are in order of the revised text, and only
    those of ``groups`` ("all": every one) are listed as answering nothing.
    """
    order = {edit.id: at for at, edit in enumerate(edits)}
    linked: dict[str, set[str]] = {}
    for link in links:
        if link.edit_id in order:
            linked.setdefault(link.comment_id, set()).add(link.edit_id)
    numbers: dict[str, int] = {}
    rows = []
    for comment in comments:
        if not comment.actionable:
            continue
        numbers[comment.reviewer] = numbers.get(comment.reviewer, 0) + 1
        own = linked.get(comment.id, set())
        judgement = states.get(comment.id)
        rows.append(
            Covered(
                comment,
                numbers[comment.reviewer],
                judgement.state if judgement else "undecided",
                judgement.note if judgement else "",
                tuple(edits[order[key]] for key in sorted(own, key=order.__getitem__)),
                tuple(
                    s
                    for s in suggestions.get(comment.id, ())
                    if s.edit_id not in own and s.edit_id in order and s.decision is None
                )[:CANDIDATES],
            )
        )
    answering = {edit.id for row in rows for edit in row.edits}
    return Coverage(tuple(rows), in_groups([edit for edit in edits if edit.id not in answering], groups))
