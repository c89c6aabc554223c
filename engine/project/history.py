# ruff: noqa: S608 (only conditions of this package are put into statements; values are always bound)
"""The history of a project: its steps, which of them can be undone or redone, and replaying them."""

import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from engine.errors import BadInput, EnvironmentProblem
from engine.project import journal
from engine.project.database import DamagedProject
from engine.project.ids import now
from engine.project.records import ERASED, HistoryEntry

COALESCE_SECONDS = 60.0
Query = Callable[..., Sequence[sqlite3.Row]]


@dataclass(frozen=True, slots=True)
class Step:
    """An open step: its key, whether it continues an earlier one, and the last journal entry before it."""

    id: int
    continued: bool
    after: int


def begin(
    connection: sqlite3.Connection, title: str, annotator_id: str, coalesce: str | None, last: tuple[int, float] | None
) -> Step:
    """Opens a new step or continues the last one; ``last`` is this process's last step and the time when it ended.

    It continues if the coalescing key and the annotator are the same, nothing was undone, and less than a minute has
    passed.
    """
    moment = now()
    after = connection.execute("SELECT coalesce(max(seq), 0) FROM journal").fetchone()[0]
    newest = connection.execute("SELECT * FROM action ORDER BY id DESC LIMIT 1").fetchone()
    continued = (
        None not in (coalesce, last, newest)
        and last is not None
        and (newest["id"], newest["coalesce_key"], newest["state"]) == (last[0], coalesce, "done")
        and newest["annotator_id"] == annotator_id
        and time.monotonic() - last[1] < COALESCE_SECONDS
    )
    if continued:
        action_id = int(newest["id"])
        connection.execute("UPDATE action SET updated_at = ?, title = ? WHERE id = ?", (moment, title, action_id))
    else:
        cursor = connection.execute(
            "INSERT INTO action(title, annotator_id, state, coalesce_key, created_at, updated_at)"
            " VALUES (?, ?, 'done', ?, ?, ?)",
            (title, annotator_id, coalesce, moment, moment),
        )
        action_id = int(cursor.lastrowid or 0)
    connection.execute("UPDATE journal_context SET action_id = ?", (action_id,))
    return Step(action_id, continued, after)


def finish(connection: sqlite3.Connection, step: Step) -> journal.Rows:
    """Closes a step and returns the rows it touched. A step without changes is deleted; otherwise redo is no longer
    possible."""
    rows = journal.touched_rows(connection, step.id, step.after)
    if rows:
        connection.execute("UPDATE action SET state = 'abandoned' WHERE state = 'undone' AND id <> ?", (step.id,))
    elif not step.continued:
        connection.execute("DELETE FROM action WHERE id = ?", (step.id,))
    connection.execute("UPDATE journal_context SET action_id = NULL")
    return rows


def entries(query: Query, condition: str, parameters: Sequence[Any] = ()) -> tuple[HistoryEntry, ...]:
    """Returns the steps (table alias ``a``) that satisfy an SQL condition, which may include an ORDER BY."""
    rows = query(
        "SELECT a.id, a.title, n.name, a.created_at, a.updated_at, a.state,"
        " (SELECT count(*) FROM journal j WHERE j.action_id = a.id) AS changes, a.annotator_id"
        f" FROM action a JOIN annotator n ON n.id = a.annotator_id WHERE {condition}",
        parameters,
    )
    return tuple(HistoryEntry(*row) for row in rows)


def last_done(query: Query) -> list[int]:
    """Returns the step that undo would revert, or an empty list.

    Raises:
        BadInput: the step erased something permanently.
    """
    rows = query("SELECT id, coalesce_key FROM action WHERE state = 'done' ORDER BY id DESC LIMIT 1")
    if rows and rows[0]["coalesce_key"] == ERASED:
        raise BadInput(
            "Erasing can't be undone.",
            "The erased data is gone. Nothing was changed.",
            "To undo an earlier step, choose it in History.",
        )
    return [row["id"] for row in rows]


def way_to(query: Query, action_id: int) -> tuple[list[int], Literal["undo", "redo"]]:
    """Returns the steps to undo or redo, in order, until ``action_id`` is the last one done (0: before the first).

    Raises:
        BadInput: the step was abandoned or doesn't exist.
    """
    if action_id:
        found = query("SELECT state FROM action WHERE id = ?", (action_id,))
        if not found or found[0]["state"] == "abandoned":
            raise BadInput("That step can no longer be reached.", "It was undone before newer changes replaced it.")
    back = query(
        "SELECT id FROM action WHERE state = 'done' AND id > ? AND coalesce_key IS NOT ? ORDER BY id DESC",
        (action_id, ERASED),
    )
    if back:
        return [row["id"] for row in back], "undo"
    forward = query("SELECT id FROM action WHERE state = 'undone' AND id <= ? ORDER BY id", (action_id,))
    return [row["id"] for row in forward], "redo"


def replay(
    connection: sqlite3.Connection, steps: Sequence[int], *, backwards: bool
) -> tuple[str, dict[str, frozenset[str]]]:
    """Undoes or redoes steps; returns the last one's title and the rows touched. Sets each step's ``updated_at`` to
    now, because its rows get their former times back."""
    parts = []
    for action_id in steps:
        parts.append(journal.replay(connection, action_id, backwards=backwards))
        state = "undone" if backwards else "done"
        connection.execute("UPDATE action SET state = ?, updated_at = ? WHERE id = ?", (state, now(), action_id))
    (title,) = connection.execute("SELECT title FROM action WHERE id = ?", (steps[-1],)).fetchone()
    return title, journal.merge_rows(parts)


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Converts errors of ``replay`` into messages."""
    try:
        yield
    except sqlite3.IntegrityError as error:
        raise EnvironmentProblem(
            "This step can't be undone or redone.",
            "What it refers to is no longer in the project. Nothing was changed.",
        ) from error
    except journal.BrokenJournal as error:
        raise DamagedProject(
            f"The history of {path.name} is damaged: {error}.",
            "This step can't be undone or redone. Nothing was changed.",
            "You can go on working. To recover an earlier state, restore a backup.",
        ) from error
