"""Decisions of one person that come back in any order, several times, in part, or from an older file. Pure.

A decision is known by its table and its natural key (the comment and the edit of a link, not the row's own key), and
has the time at which its file saw it change last. Of all that is known of it the latest counts; that it was taken back
counts like any other change. Taking the latest is associative, commutative and idempotent, so order and repetition
change nothing (a last-writer-wins map: Shapiro et al. 2011, section 3.2.2). Times of one person's files are compared,
never those of two people.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

Key = tuple[str, str]
"""Table, and natural key as JSON."""

KEYS: Mapping[str, tuple[str, ...]] = {
    "comment": ("id",),
    "edit_link": ("comment_id", "edit_id"),
    "dismissed_edit": ("edit_id",),
    "comment_state": ("revision_id", "comment_id"),
    "suggestion_decision": ("comment_id", "edit_id"),
    "silver_decision": ("comment_id", "edit_id"),
    "annotation_done": ("task", "subject_id"),
    "sentence_label": ("source_id", "start_offset", "end_offset", "layer"),
    "sentence_label_decision": ("source_id", "start_offset", "end_offset", "layer"),
    "preference_judgement": ("id",),
    "participant": ("id",),
    "rating": ("id",),
    "adjudication": ("revision_id", "comment_id"),
    "preference_adjudication": ("first_id", "second_id"),
    "unit_adjudication": ("kind", "subject_id", "part", "unit"),
}
"""What makes two rows of one person the same decision, by table."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A decision as it was left at ``stamp``; ``row`` has no annotator and no ``updated_at``, and is None where the
    decision was taken back."""

    table: str
    key: str
    stamp: str
    row: Mapping[str, Any] | None

    @property
    def place(self) -> Key:
        """What makes it the same decision as another entry."""
        return self.table, self.key


_encode = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode


def canonical(value: object) -> str:
    return _encode(value)


def key_of(table: str, row: Mapping[str, Any]) -> str:
    return canonical([row[name] for name in KEYS[table]])


def fold(entries: Iterable[Entry]) -> dict[Key, Entry]:
    """The latest of all that is known of each decision."""
    found: dict[Key, Entry] = {}
    for entry in entries:
        place = entry.place
        known = found.get(place)
        if known is None or known.stamp < entry.stamp:
            found[place] = entry
        elif known.stamp == entry.stamp and known.row != entry.row:
            # Content decides between equal times, so that order never does.
            found[place] = max(known, entry, key=lambda one: canonical(one.row))
    return found
