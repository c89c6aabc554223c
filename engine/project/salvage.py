"""Recovery of an untrusted project file: copies its rows into a new file without running anything it defines."""

import sqlite3
from collections import Counter
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path

from engine.errors import BadInput
from engine.files import refuse_long_name, whole_file
from engine.project import migrations
from engine.project.database import connect_to_look, schema_of, sentences, writing_to
from engine.project.ids import new_id
from engine.project.schema import expected, filling, guarded
from engine.shown import counted

_SECONDS = 600.0
_AT_ONCE = 500
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
    violate a constraint, and rows that refer to these, are counted and left out.

    Raises:
        BadInput: ``path`` isn't a project of a supported version, or ``target`` exists.
        ForeignSchema: reading a table took too long.
    """
    refuse_long_name(target)
    version = schema_of(path)
    if not 0 < version <= migrations.latest_version():
        raise BadInput(f"{path.name} has an unknown version.", "Nothing was recovered.", "Install the newer version.")
    rows, left_out = 0, []
    with writing_to(target), whole_file(target) as unfinished, filling(unfinished, version) as made:
        made.execute("PRAGMA foreign_keys = OFF")
        made.execute("BEGIN")
        tables = [name for kind, name, _ in expected(version) if kind == "table" and name not in _OF_THE_PROGRAM]
        with sentences(path), closing(connect_to_look(path)) as source:
            for number, table in enumerate(tables):
                if progress is not None:
                    progress(number / len(tables))
                copied, lost = _copy_table(source, made, path, table)
                rows += copied
                if lost:
                    left_out.append(f"{counted(lost, 'row')} of {table}")
        left_out += _drop_dangling(made)
        # A file that only looks like a copy of another must not be merged as one.
        made.execute("INSERT OR REPLACE INTO project_info(key, value) VALUES ('id', ?)", (new_id(),))
        made.execute("COMMIT")
        migrations.migrate(made)
    return Salvaged(rows, tuple(left_out))


def _copy_table(source: sqlite3.Connection, made: sqlite3.Connection, path: Path, table: str) -> tuple[int, int]:
    """Returns the numbers of rows copied and rejected."""
    plain = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ? AND sql NOT LIKE 'CREATE VIRTUAL%'"
    columns = source.execute(f'PRAGMA table_xinfo("{table}")') if source.execute(plain, (table,)).fetchone() else ()
    there = {row["name"] for row in columns if not row["hidden"]}
    names = [row["name"] for row in made.execute(f'PRAGMA table_info("{table}")') if row["name"] in there]
    if not names:
        return 0, 0
    listed, marks = ", ".join(f'"{name}"' for name in names), ", ".join("?" * len(names))
    made.execute(f'DELETE FROM "{table}"')  # rows from migrations
    insert = f'INSERT OR IGNORE INTO "{table}"({listed}) VALUES ({marks})'
    before, seen = made.total_changes, 0
    with guarded(source, path, _SECONDS):
        cursor = source.execute(f'SELECT {listed} FROM "{table}"')
        while rows := cursor.fetchmany(_AT_ONCE):
            seen += len(rows)
            for row in rows:
                with suppress(sqlite3.IntegrityError, sqlite3.DataError):
                    made.execute(insert, tuple(row))
    copied = made.total_changes - before
    return copied, seen - copied


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
