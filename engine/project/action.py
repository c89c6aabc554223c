# ruff: noqa: S608 (only names of tables and columns are put into statements; values are always bound)
"""The operations that are available inside the one transaction of an action."""

import sqlite3
from collections.abc import Iterable, Sequence
from typing import Any

from engine.project import journal
from engine.project.ids import new_id, now
from engine.project.tables import Row, columns_of, database, row_of, stored


class Action:
    """An open action, which runs statements inside its transaction. Only ``Project.action`` creates these."""

    def __init__(self, connection: sqlite3.Connection, annotator_id: str) -> None:
        self._connection = connection
        self._annotator_id = annotator_id
        self.db = database(connection)
        """The project's tables inside the transaction, for what the methods below don't cover."""
        self.declared: journal.Rows = {}

    def insert(self, table: str, values: Row) -> str:
        """Inserts a row and returns its key. Where the table has these columns, the key, the annotator and the times
        are filled in, and ``position`` places the row after all others of the table."""
        return self.insert_all(table, [values])[0]

    def insert_all(self, table: str, rows: Iterable[Row]) -> list[str]:
        """Inserts rows that have the same columns; returns their keys (empty strings if the table has no ``id``)."""
        names = columns_of(table).names
        moment = now()
        filled = {"annotator_id": self._annotator_id, "created_at": moment, "updated_at": moment}
        common = {name: value for name, value in filled.items() if name in names}
        keyed = "id" in names
        made: list[Row] = [({"id": new_id()} if keyed else {}) | common | row for row in rows]
        if made and "position" in names and "position" not in made[0]:
            made = [row | {"position": place} for place, row in enumerate(made, self.next_position(table))]
        if made:
            self.db.table(table).insert_all(made)
        return [row.get("id", "") for row in made]

    def update(self, table: str, key: str, values: Row) -> None:
        """Updates a row unless it already has these values. Raises KeyError if there is no such row."""
        stamp = {"updated_at": now()} if "updated_at" in columns_of(table).names else {}
        written = {name: stored(value) for name, value in (stamp | values).items()}
        sets = ", ".join(f'"{name}" = :{name}' for name in written)
        differs = " OR ".join(f'"{name}" IS NOT :{name}' for name in values) or "0"
        # Plain SQL, because sqlite-utils reads the schema twice per row, which is 30 times slower.
        sql = f'UPDATE "{table}" SET {sets} WHERE "id" = :_key AND ({differs})'
        if not self._connection.execute(sql, written | {"_key": key}).rowcount:
            row_of(self.db, table, key)

    def keep(self, table: str, where: Row, values: Row) -> str:
        """Updates the row that matches ``where`` (None matches NULL), or inserts one; returns its key."""
        row = self._connection.execute(f'SELECT id FROM "{table}" WHERE {_holds(where)}', where).fetchone()
        if row is None:
            return self.insert(table, where | values)
        self.update(table, row["id"], values)
        return str(row["id"])

    def delete(self, table: str, **where: Any) -> None:
        """Deletes the rows that have these values (None matches NULL)."""
        self._connection.execute(f'DELETE FROM "{table}" WHERE {_holds(where)}', where)

    def next_position(self, table: str, **where: Any) -> int:
        """Returns the position, counted from 1, for a row appended after those that have these values."""
        sql = f'SELECT coalesce(max(position), 0) + 1 FROM "{table}" WHERE {_holds(where) or 1}'
        return int(self._connection.execute(sql, where).fetchone()[0])

    def arrange(self, table: str, keys: Iterable[str]) -> None:
        for position, key in enumerate(keys, start=1):
            self.update(table, key, {"position": position})

    def execute(self, sql: str, parameters: Sequence[Any] = ()) -> sqlite3.Cursor:
        return self._connection.execute(sql, parameters)

    def executemany(self, sql: str, rows: Iterable[Sequence[Any]]) -> None:
        self._connection.executemany(sql, rows)

    def open_blob(self, table: str, column: str, row: int) -> sqlite3.Blob:
        """Opens a BLOB column of a row of a result table, to be written in pieces."""
        return self._connection.blobopen(table, column, row)

    def touched(self, table: str, ids: Iterable[str]) -> None:
        """Reports rows of a result table as changed. The journal detects changes of human work itself."""
        self.declared.setdefault(table, set()).update(ids)


def _holds(where: Row) -> str:
    """Returns the SQL condition that columns have these values. It is empty without any, which makes a DELETE invalid
    instead of deleting every row."""
    return " AND ".join(f'"{name}" IS :{name}' for name in where)
