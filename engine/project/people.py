"""The people of a project, who acts but has done nothing yet, and who may adjudicate."""

import sqlite3
from collections.abc import Callable, Collection, Sequence
from typing import Any

from engine.errors import not_changed
from engine.project.ids import new_id, now

Query = Callable[..., Sequence[sqlite3.Row]]
PARTY = "You decided on this yourself, so somebody else must adjudicate it."
"""Why a party can't adjudicate, for windows."""


def require_no_party(acting: str, parties: Collection[str]) -> None:
    """The one rule of who adjudicates, whatever was decided on and wherever: nobody who decided on it.

    Raises BadInput where ``acting`` is one of ``parties``, the keys of those who decided.
    """
    if acting in parties:
        raise not_changed("You decided on this yourself.", "Somebody who didn't decide on it must adjudicate it.")


class People:
    """Whom a project knows; a new person is in the file only after their first act, since opening writes nothing."""

    def __init__(self) -> None:
        self._new: tuple[str, str] | None = None
        """Key and name of the last one who was made to act and had no row yet."""

    def key_of(self, query: Query, name: str, *, make: bool = False) -> str:
        """The key of a person; for one who isn't in the file, with ``make`` a key to be written later, else ""."""
        rows = query("SELECT id FROM annotator WHERE name = ?", (name,))
        if rows or not make:
            return str(rows[0]["id"]) if rows else ""
        if self._new is None or self._new[1] != name:
            self._new = new_id(), name
        return self._new[0]

    def unwritten(self, acting: str) -> tuple[tuple[str, str], ...]:
        """Key and name of who acts, where they have no row yet; else nothing."""
        return (self._new,) if self._new is not None and self._new[0] == acting else ()

    def written(self) -> None:
        self._new = None


def write(execute: Callable[[str, Sequence[Any]], object], key: str, name: str) -> None:
    moment = now()
    execute("INSERT INTO annotator VALUES (?, ?, ?, ?)", (key, name, moment, moment))
