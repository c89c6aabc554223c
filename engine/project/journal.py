"""The journal: triggers record each change of human work, before and after, and undo and redo replay it.

Each version of a journalled row is stored as a JSON image. The journal is never rewritten, so it serves as both undo
stack and audit trail. Triggers fire only while an action is open (``journal_context.action_id`` isn't NULL).
"""

import json
import sqlite3
from collections.abc import Iterable, Mapping
from typing import Any

Rows = dict[str, set[str]]


class BrokenJournal(Exception):
    """A journal entry that the triggers can't have written; the message says which."""


def journalled_tables(connection: sqlite3.Connection) -> tuple[str, ...]:
    """Returns the tables of human work, as listed in the schema."""
    return tuple(row[0] for row in connection.execute("SELECT name FROM journalled_table ORDER BY name"))


def _columns(connection: sqlite3.Connection, table: str) -> dict[str, str]:
    return {row["name"]: row["type"].upper() for row in connection.execute(f'PRAGMA table_info("{table}")')}


def _image(side: str, columns: Mapping[str, str]) -> str:
    pairs = [f"'{name}', " + f'{side}."{name}"' for name in columns]
    return f"json_object({', '.join(pairs)})"


def create_triggers(connection: sqlite3.Connection) -> None:
    """Recreates the journal triggers of all tables of human work. Call it at the end of each migration."""
    present = "SELECT name FROM sqlite_schema WHERE type = 'trigger' AND name GLOB 'journal_*'"
    for (name,) in connection.execute(present).fetchall():
        connection.execute(f'DROP TRIGGER "{name}"')
    for table in journalled_tables(connection):
        columns = _columns(connection, table)
        reals = [name for name, kind in columns.items() if kind == "REAL"]
        sides = {"insert": ("after",), "update": ("before", "after"), "delete": ("before",)}
        rows = {"before": "OLD", "after": "NEW"}
        for verb, kept in sides.items():
            images = {side: _image(rows[side], columns) if side in kept else "NULL" for side in rows}
            numbers = "".join(
                f"INSERT INTO journal_real VALUES ((SELECT max(seq) FROM journal), '{side}', '{name}', "
                f'{rows[side]}."{name}"); '
                for side in kept
                for name in reals
            )
            connection.execute(
                f'CREATE TRIGGER "journal_{table}_{verb}" AFTER {verb.upper()} ON "{table}" '
                "WHEN (SELECT action_id FROM journal_context) IS NOT NULL BEGIN "
                "INSERT INTO journal(action_id, table_name, row_id, before, after) "
                f"SELECT action_id, '{table}', {rows[kept[-1]]}.id, {images['before']}, {images['after']} "
                f"FROM journal_context; {numbers}END"
            )


def replay(connection: sqlite3.Connection, action_id: int, *, backwards: bool) -> Rows:
    """Undoes or redoes an action inside the open transaction; returns the rows touched, by table.

    Raises:
        sqlite3.IntegrityError: a row that the rows refer to no longer exists.
        BrokenJournal: an entry can't be read.
    """
    order = "DESC" if backwards else "ASC"
    touched: Rows = {}
    kinds: dict[str, dict[str, str]] = {}
    rows = connection.execute(
        f"SELECT seq, table_name, row_id, before, after FROM journal WHERE action_id = ? ORDER BY seq {order}",
        (action_id,),
    ).fetchall()
    connection.execute("PRAGMA defer_foreign_keys = ON")
    known = set(journalled_tables(connection))
    for row in rows:
        table = row["table_name"]
        if table not in known:
            raise BrokenJournal(f"entry {row['seq']} is of an unknown table")
        columns = kinds.get(table)
        if columns is None:
            columns = kinds[table] = _columns(connection, table)
        sides = ("before", "after") if backwards else ("after", "before")
        wanted, present = (row[side] for side in sides)
        image = None if wanted is None else _values(connection, row["seq"], sides[0], wanted)
        _set_row(connection, table, row["row_id"], columns, replaces=present is not None, image=image)
        touched.setdefault(table, set()).add(row["row_id"])
    return touched


def _values(connection: sqlite3.Connection, seq: int, side: str, image: str) -> dict[str, Any]:
    try:
        values: dict[str, Any] = json.loads(image)
    except ValueError as error:
        raise BrokenJournal(f"entry {seq} can't be read") from error
    if not isinstance(values, dict) or any(isinstance(value, list | dict) for value in values.values()):
        raise BrokenJournal(f"entry {seq} can't be read")
    reals = "SELECT column_name, value FROM journal_real WHERE seq = ? AND side = ?"
    values.update(connection.execute(reals, (seq, side)).fetchall())
    return values


def _set_row(
    connection: sqlite3.Connection,
    table: str,
    row_id: str,
    columns: Mapping[str, str],
    *,
    replaces: bool,
    image: Mapping[str, Any] | None,
) -> None:
    if image is None:
        connection.execute(f'DELETE FROM "{table}" WHERE id = ?', (row_id,))
        return
    names = [name for name in image if name in columns]  # a later schema may have dropped a column
    values = [image[name] for name in names]
    if replaces:
        assignments = ", ".join(f'"{name}" = ?' for name in names)
        connection.execute(f'UPDATE "{table}" SET {assignments} WHERE id = ?', (*values, row_id))
    else:
        listed = ", ".join(f'"{name}"' for name in names)
        marks = ", ".join("?" * len(names))
        connection.execute(f'INSERT INTO "{table}" ({listed}) VALUES ({marks})', values)


def touched_rows(connection: sqlite3.Connection, action_id: int, after_seq: int) -> Rows:
    """Returns the rows that an action touched after the journal entry ``after_seq``, by table."""
    touched: Rows = {}
    for table, row_id in connection.execute(
        "SELECT DISTINCT table_name, row_id FROM journal WHERE action_id = ? AND seq > ?", (action_id, after_seq)
    ):
        touched.setdefault(table, set()).add(row_id)
    return touched


def merge_rows(parts: Iterable[Mapping[str, Iterable[str]]]) -> dict[str, frozenset[str]]:
    """Merges several mappings of rows by table into one."""
    merged: Rows = {}
    for part in parts:
        for table, ids in part.items():
            merged.setdefault(table, set()).update(ids)
    return {table: frozenset(ids) for table, ids in merged.items()}


_NEEDED_FILES = (
    "SELECT sha256 FROM document UNION SELECT text_sha256 FROM library_paper UNION SELECT json_extract(image, key) FROM"
    " (SELECT before AS image, iif(table_name = 'document', '$.sha256', '$.text_sha256') AS key FROM journal WHERE"
    " table_name IN ('document', 'library_paper') UNION ALL SELECT after, iif(table_name = 'document', '$.sha256',"
    " '$.text_sha256') FROM journal WHERE table_name IN ('document', 'library_paper')) WHERE json_extract(image, key)"
    " IS NOT NULL"
)
"""The hashes of all files that a row or a journal entry still refers to."""


def drop_unused_files(connection: sqlite3.Connection, *, parsed: bool = False) -> None:
    """Deletes stored files that neither a row nor the journal refers to; with ``parsed``, also what was parsed from
    them."""
    connection.execute(f"DELETE FROM blob WHERE sha256 NOT IN ({_NEEDED_FILES})")
    if parsed:
        connection.execute(f"DELETE FROM parsed_document WHERE sha256 NOT IN ({_NEEDED_FILES})")
