"""Merging of one person's decisions, which can arrive in any order, repeatedly, partially, or from an older file. Pure.

A decision is identified by its table and natural key (the comment and edit of a link, not the row's key), and has the
time of its last change in its file. The latest known version counts; removing a decision is a change like any other.
Taking the latest is associative, commutative and idempotent, so order and repetition don't matter (a last-writer-wins
map: Shapiro et al. 2011, section 3.2.2). Only times of one person's files are compared, never those of two people.
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
"""The columns that identify a person's decision, by table."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A decision as of ``stamp``. ``row`` lacks the annotator and ``updated_at``; it is None if the decision was
    removed."""

    table: str
    key: str
    stamp: str
    row: Mapping[str, Any] | None

    @property
    def place(self) -> Key:
        """What identifies the decision."""
        return self.table, self.key


_encode = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode


def canonical(value: object) -> str:
    return _encode(value)


def key_of(table: str, row: Mapping[str, Any]) -> str:
    return canonical([row[name] for name in KEYS[table]])


def fold(entries: Iterable[Entry]) -> dict[Key, Entry]:
    """Returns the latest entry of each decision."""
    found: dict[Key, Entry] = {}
    for entry in entries:
        place = entry.place
        known = found.get(place)
        if known is None or known.stamp < entry.stamp:
            found[place] = entry
        elif known.stamp == entry.stamp and known.row != entry.row:
            # For equal times the content decides, so that the result doesn't depend on order.
            found[place] = max(known, entry, key=lambda one: canonical(one.row))
    return found
