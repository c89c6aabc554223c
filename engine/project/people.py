"""The annotators of a project, an annotator who hasn't changed anything yet, and who may adjudicate."""

import sqlite3
from collections.abc import Callable, Collection, Sequence
from typing import Any

from engine.errors import not_changed
from engine.project.ids import new_id, now

Query = Callable[..., Sequence[sqlite3.Row]]
PARTY = "You decided on this yourself, so somebody else must adjudicate it."
"""Shown to annotators who can't adjudicate."""


def require_no_party(acting: str, parties: Collection[str]) -> None:
    """Raises BadInput if ``acting`` is one of ``parties``, the annotators who made the decisions. This rule applies to
    all adjudications: nobody adjudicates their own decisions."""
    if acting in parties:
        raise not_changed("You decided on this yourself.", "Somebody who didn't decide on it must adjudicate it.")


class People:
    """The annotators of a project. A new one is written with their first action, because opening writes nothing."""

    def __init__(self) -> None:
        self._new: tuple[str, str] | None = None
        """Key and name of the latest annotator without a row."""

    def key_of(self, query: Query, name: str, *, make: bool = False) -> str:
        """Returns an annotator's key. If the name isn't in the file, returns a new key with ``make``, otherwise ""."""
        rows = query("SELECT id FROM annotator WHERE name = ?", (name,))
        if rows or not make:
            return str(rows[0]["id"]) if rows else ""
        if self._new is None or self._new[1] != name:
            self._new = new_id(), name
        return self._new[0]

    def unwritten(self, acting: str) -> tuple[tuple[str, str], ...]:
        """Returns the key and name of the acting annotator if they have no row yet, otherwise nothing."""
        return (self._new,) if self._new is not None and self._new[0] == acting else ()

    def written(self) -> None:
        self._new = None


def write(execute: Callable[[str, Sequence[Any]], object], key: str, name: str) -> None:
    moment = now()
    execute("INSERT INTO annotator VALUES (?, ?, ?, ?)", (key, name, moment, moment))
