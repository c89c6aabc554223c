"""What a corpus of comments and edits looks like (D'Arcy et al. 2024, appendix B)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import mean, median

from engine.reviews.records import ActionClass, Comment
from engine.revision.candidates import candidate
from engine.revision.generation.writing import ACTIONS, guess_action
from engine.revision.records import CommentJudgement, Edit, EditKind
from engine.revision.words import counted_words

KINDS: tuple[EditKind, ...] = ("added", "deleted", "minor", "major", "moved")


PRINTED_ACTIONS: Mapping[ActionClass, tuple[float, float]] = {
    "explain": (0.42, 0.39),
    "compare": (0.14, 0.32),
    "report": (0.10, 0.39),
    "remove": (0.08, 0.50),
    "apply": (0.08, 0.33),
    "use": (0.08, 0.33),
    "define": (0.07, 0.47),
    "discuss": (0.07, 0.67),
}
"""ARIES, Table 7: the share of comments of each action, and the share of those that was addressed."""
PRINTED_OPERATIONS = {"only adds": 0.71, "adds and deletes": 0.34, "only deletes": 0.02}
"""ARIES, appendix B.2: edits made in response to comments (the printed shares exceed 1 together)."""
PRINTED_TOKENS = (89.0, 12.0)
"""ARIES, appendix B.2: mean tokens that such an edit adds and deletes."""
PRINTED_OVERLAP = {"by hand": 0.066, "from responses": 0.083}
"""ARIES, appendix B.3: mean unigram overlap of comment and edit."""


@dataclass(frozen=True, slots=True)
class ActionRow:
    """A row of table 7: comments of an action class, and how many were met by an edit.

    ``guessed``: of ``comments``, those whose class no person chose.
    """

    action: ActionClass
    comments: int
    addressed: int
    guessed: int

    @property
    def share(self) -> float:
        """Addressed comments, 0 to 1; NaN without comments."""
        return self.addressed / self.comments if self.comments else float("nan")


@dataclass(frozen=True, slots=True)
class KindRow:
    """Edits of a kind, and how many of them answer a comment."""

    kind: EditKind
    edits: int
    linked: int


@dataclass(frozen=True, slots=True)
class CorpusStatistics:
    """Tokens are words; ``overlap`` holds for each linked pair the share of the comment's different words that the edit
    adds; ``linked_tokens`` are added and deleted tokens of edits that answer a comment, ``other_tokens`` of the rest.
    """

    actions: tuple[ActionRow, ...]
    kinds: tuple[KindRow, ...]
    overlap: tuple[float, ...]
    linked_tokens: tuple[tuple[int, int], ...]
    other_tokens: tuple[tuple[int, int], ...]

    def token_summary(self) -> Mapping[str, tuple[float, float, float, float]]:
        """Mean and median of added, then of deleted tokens, for linked and other edits; NaN where there are none."""
        return {"linked": _summary(self.linked_tokens), "other": _summary(self.other_tokens)}

    def operations(self) -> Mapping[str, float]:
        """Of the edits that answer a comment, the shares that only add, add and delete, and only delete words; NaN
        without any.
        """
        kinds = [(added > 0, removed > 0) for added, removed in self.linked_tokens]
        wanted = {"only adds": (True, False), "adds and deletes": (True, True), "only deletes": (False, True)}
        return {name: kinds.count(kind) / len(kinds) if kinds else float("nan") for name, kind in wanted.items()}


def corpus_statistics(
    comments: Sequence[Comment],
    edits: Sequence[Edit],
    links: Mapping[str, Sequence[str]],
    judgements: Sequence[CommentJudgement] = (),
) -> CorpusStatistics:
    """Over actionable comments and the edits of their paper; ``links`` is comment to edit ids.

    A comment counts as addressed when an edit is linked, or when a person said that a visual change meets it.
    """
    visual = {judgement.comment_id for judgement in judgements if judgement.state == "visual_only"}
    by_id = {edit.id: edit for edit in edits}
    counted: Counter[tuple[ActionClass, bool]] = Counter()
    guessed: Counter[ActionClass] = Counter()
    overlap = []
    for comment in comments:
        if not comment.actionable:
            continue
        action = comment.action or guess_action(comment.comment)
        guessed[action] += comment.action is None
        own = [by_id[edit] for edit in links.get(comment.id, ()) if edit in by_id]
        counted[action, bool(own) or comment.id in visual] += 1
        asked = set(counted_words(comment.comment.casefold()))
        if asked:
            overlap += [len(asked & set(counted_words(candidate(edit).added.casefold()))) / len(asked) for edit in own]
    answered = {edit for own in links.values() for edit in own}
    kinds = tuple(
        KindRow(kind, sum(e.kind == kind for e in edits), sum(e.kind == kind and e.id in answered for e in edits))
        for kind in KINDS
    )
    rows = tuple(
        ActionRow(action, counted[action, True] + counted[action, False], counted[action, True], guessed[action])
        for action in ACTIONS
    )
    return CorpusStatistics(
        rows,
        kinds,
        tuple(overlap),
        tuple((e.tokens_added, e.tokens_removed) for e in edits if e.id in answered),
        tuple((e.tokens_added, e.tokens_removed) for e in edits if e.id not in answered),
    )


def _summary(tokens: Sequence[tuple[int, int]]) -> tuple[float, float, float, float]:
    if not tokens:
        return (float("nan"),) * 4
    added, removed = [a for a, _ in tokens], [r for _, r in tokens]
    return mean(added), median(added), mean(removed), median(removed)
