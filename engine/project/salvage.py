"""Recovery of an untrusted project file: copies its rows into a new file without running anything it defines."""

import hashlib
import sqlite3
from collections import Counter
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path

from engine.errors import BadInput
from engine.files import refuse_long_name, whole_file
from engine.project import migrations
from engine.project.database import (
    DAMAGED_CODES,
    connect_to_look,
    filled_up,
    in_memory,
    schema_of,
    sentences,
    writing_to,
)
from engine.project.ids import new_id
from engine.project.schema import expected, filling, guarded
from engine.shown import counted

_SECONDS = 600.0
_DAMAGED = -1
"""Instead of a number of rows, which is unknown."""
_OF_THE_PROGRAM = {"journal_context", "journalled_table"}
"""Tables whose rows the program itself writes."""


@dataclass(frozen=True, slots=True)
class Salvaged:
    """The number of rows copied, and sentences about what was left out."""

    rows: int
    left_out: tuple[str, ...]


def salvage(path: Path, target: Path, progress: Callable[[float], None] | None = None) -> Salvaged:
    """Writes a new project with every row of the plain tables of ``path`` that fits the released schema.

    Tables are read by column name; views, virtual tables, triggers and additional columns are ignored. Rows that
    violate a constraint, and rows that refer to these, are counted and left out. Of a damaged table, the rows that can
    still be read are copied.

    Raises:
        BadInput: ``path`` isn't a project of a supported version, or ``target`` exists.
        DamagedProject: the beginning of the file, with the schema, can't be read.
        ForeignSchema: reading a table took too long.
    """
    refuse_long_name(target)
    whole = filled_up(path)
    version = schema_of(path) if whole is None else int.from_bytes(whole[60:64], "big")
    if not 0 < version <= migrations.latest_version():
        raise BadInput(f"{path.name} has an unknown version.", "Nothing was recovered.", "Install the newer version.")
    rows, left_out = 0, []
    with writing_to(target), whole_file(target) as unfinished, filling(unfinished, version) as made:
        made.execute("PRAGMA foreign_keys = OFF")
        made.execute("BEGIN")
        tables = [name for kind, name, _ in expected(version) if kind == "table" and name not in _OF_THE_PROGRAM]
        with sentences(path), closing(connect_to_look(path) if whole is None else in_memory(whole)) as source:
            for number, table in enumerate(tables):
                if progress is not None:
                    progress(number / len(tables))
                copied, lost = _copy_table(source, made, path, table)
                rows += copied
                if lost:
                    what = "the damaged rows" if lost == _DAMAGED else counted(lost, "row")
                    left_out.append(f"{what} of {table}")
        left_out += _drop_dangling(made)
        # A file that only looks like a copy of another must not be merged as one.
        made.execute("INSERT OR REPLACE INTO project_info(key, value) VALUES ('id', ?)", (new_id(),))
        made.execute("COMMIT")
        migrations.migrate(made)
    return Salvaged(rows, tuple(left_out))


def _copy_table(source: sqlite3.Connection, made: sqlite3.Connection, path: Path, table: str) -> tuple[int, int]:
    """Returns the numbers of rows copied and rejected; the latter is ``_DAMAGED`` if the table is damaged."""
    plain = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ? AND sql NOT LIKE 'CREATE VIRTUAL%'"
    found = source.execute(f'PRAGMA table_xinfo("{table}")') if source.execute(plain, (table,)).fetchone() else ()
    columns = [row for row in found if not row["hidden"]]
    there, keys = {row["name"] for row in columns}, [row["name"] for row in columns if row["pk"]]
    names = [row["name"] for row in made.execute(f'PRAGMA table_info("{table}")') if row["name"] in there]
    if not names:
        return 0, 0
    listed, marks = ", ".join(f'"{name}"' for name in names), ", ".join("?" * len(names))
    made.execute(f'DELETE FROM "{table}"')  # rows from migrations
    insert = f'INSERT OR IGNORE INTO "{table}"({listed}) VALUES ({marks})'
    before, seen, damaged = made.total_changes, 0, False

    def take(query: str, of: tuple[object, ...] = ()) -> bool:
        """Copies rows; returns whether all could be read."""
        nonlocal seen
        try:
            for row in source.execute(query, of):
                seen += 1
                if _intact(table, row):
                    with suppress(sqlite3.IntegrityError, sqlite3.DataError):
                        made.execute(insert, tuple(row))
        except sqlite3.DatabaseError as error:
            # Python's own error about damaged text has no code.
            if getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT) & 0xFF not in DAMAGED_CODES:
                raise
            return False
        return True

    with guarded(source, path, _SECONDS):
        damaged = not take(f'SELECT {listed} FROM "{table}"')
        if damaged and keys:
            # One by one; the index with the keys may be whole.
            key, each = ", ".join(f'"{name}"' for name in keys), " AND ".join(f'"{name}" = ?' for name in keys)
            with suppress(sqlite3.DatabaseError):
                for one in source.execute(f'SELECT {key} FROM "{table}" ORDER BY {key} DESC'):
                    take(f'SELECT {listed} FROM "{table}" WHERE {each}', tuple(one))
    copied = made.total_changes - before
    return copied, _DAMAGED if damaged else seen - copied


def _intact(table: str, row: sqlite3.Row) -> bool:
    """Returns whether a row has all its content: SQLite reads the missing end of a long value as zeros."""
    if table == "blob":
        return bool(hashlib.sha256(row["bytes"]).hexdigest() == row["sha256"])
    return not any(isinstance(value, str) and "\0" in value for value in tuple(row))


def _drop_dangling(made: sqlite3.Connection) -> list[str]:
    """Deletes rows with dangling references until none is left; returns sentences with the number per table."""
    gone: Counter[str] = Counter()
    while broken := {tuple(row)[::3] for row in made.execute("PRAGMA foreign_key_check")}:
        for table, number in broken:
            keys = made.execute(f'PRAGMA foreign_key_list("{table}")')
            key = next(row for row in keys if row["id"] == number)
            there = f'SELECT "{key["to"]}" FROM "{key["table"]}"'
            gone[table] += made.execute(f'DELETE FROM "{table}" WHERE "{key["from"]}" NOT IN ({there})').rowcount
    return [
        f"{counted(count, f'row of {table} that refers', f'rows of {table} that refer')} to missing ones"
        for table, count in sorted(gone.items())
    ]
