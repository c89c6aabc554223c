"""What flows between the rooms of the revision domain: edits between two versions, links, suggestions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

EditKind = Literal["added", "deleted", "minor", "major", "moved"]
EditOperation = Literal["add", "delete", "edit", "move", "split", "merge", "split+merge"]
CommentState = Literal["undecided", "linked", "answered", "visual_only", "not_addressed", "no_edit_found"]


@dataclass(frozen=True, slots=True)
class Edit:
    """A paragraph edit (ARIES, appendix A): which source paragraphs became which target paragraphs.

    ``minor`` has fewer than 10 changed tokens (removed plus added), ``moved`` as a kind means moved and nothing else;
    the flag ``moved`` may stand beside minor and major. ``source_ids``/``target_ids`` are in document order.
    """

    id: str
    kind: EditKind
    operation: EditOperation
    moved: bool
    source_ids: tuple[str, ...]
    target_ids: tuple[str, ...]
    source_text: str
    target_text: str
    section: str
    tokens_removed: int
    tokens_added: int


@dataclass(frozen=True, slots=True)
class RevisionDiff:
    """All paragraph edits between two versions, in order of the revised text, and the pairs that did not change."""

    edits: tuple[Edit, ...]
    unchanged: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class WordChange:
    """A run of one operation in a word difference.

    ``source``/``target`` are [start, end) code-point offsets into the edit's source and target text; an insertion has an
    empty source range, a deletion an empty target range.
    """

    operation: Literal["equal", "delete", "insert"]
    text: str
    source: tuple[int, int]
    target: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Candidate:
    """An edit as an aligner sees it: the diff form of its text, with what was added and deleted apart."""

    edit_id: str
    diff_text: str
    added: str
    deleted: str
    context: str
    section: str = ""


@dataclass(frozen=True, slots=True)
class Query:
    """A review comment as an aligner sees it; ``response`` is empty where there is none."""

    comment_id: str
    comment: str
    context: str = ""
    response: str = ""


@dataclass(frozen=True, slots=True)
class Scored:
    """An edit's score for a comment, from an aligner, with the words and facts that explain it."""

    edit_id: str
    score: float
    linked: bool
    reasons: tuple[str, ...] = ()
