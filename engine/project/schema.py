"""Checks a project file's schema before anything in the file can run: it must equal a released one, object by object.

A project file may come from a stranger. SQL in it runs by itself if the file defines triggers, views, generated columns
or virtual tables. A file with any object that the released schema lacks or defines differently is therefore refused;
``salvage`` copies its rows into a new file.
"""

import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import cache
from pathlib import Path

from engine.errors import EnvironmentProblem
from engine.project import migrations
from engine.project.database import APPLICATION_ID, connect, connect_to_look, sentences
from engine.project.journal import create_triggers, journalled_tables

SECONDS = 10.0
"""Time limit for checking a file's schema."""
_STEPS = 20_000
_MOST_OBJECTS = 10_000
_READS = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ}
_OF_SQLITE = {"sqlite_sequence", "sqlite_stat1", "sqlite_stat4"}
"""Tables that SQLite creates itself: key counters and the results of ANALYZE."""

Objects = dict[tuple[str, str, str], str | None]


class ForeignSchema(EnvironmentProblem):
    """The file's schema wasn't created by Rejoinder, so nothing in it was run. Its rows can be salvaged."""


def examine(path: Path, version: int) -> None:
    """Compares the file's schema with the released one of ``version``, without running anything that the file defines.

    A file with a newer version is only ever read, so no trigger can fire; only our tables must be plain tables in it.

    Raises:
        ForeignSchema: they differ. DamagedProject: the schema can't be read.
    """
    with sentences(path), closing(connect_to_look(path)) as connection, guarded(connection, path):
        found = _objects(connection)
        known = expected(min(version, migrations.latest_version()))
        differences = list(_differences(found, known, exact=version <= migrations.latest_version()))
        if not differences and version <= migrations.latest_version():
            names = {row[0] for row in connection.execute("SELECT name FROM journalled_table")}
            if names != _journalled(version):
                differences.append("the list of tables with history is another one")
    if differences:
        shown = ", ".join(differences[:3]) + (f" and {len(differences) - 3} more" if len(differences) > 3 else "")
        raise ForeignSchema(
            f"{path.name} contains parts that Rejoinder didn't create: {shown}.",
            "They could change or delete your work, so the file wasn't opened.",
            "Recover its data into a new project. Only the rows are copied.",
        )


@contextmanager
def guarded(connection: sqlite3.Connection, path: Path, seconds: float = SECONDS) -> Iterator[None]:
    """Restricts a connection to reading tables, and to ``seconds``. Raises ForeignSchema if the time is exceeded or if
    the file makes SQLite do anything else."""
    deadline = time.monotonic() + seconds
    connection.set_authorizer(lambda action, *_: sqlite3.SQLITE_OK if action in _READS else sqlite3.SQLITE_DENY)
    connection.set_progress_handler(lambda: time.monotonic() > deadline, _STEPS)
    try:
        yield
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_INTERRUPT:
            raise
        raise ForeignSchema(
            f"Checking {path.name} took more than {seconds:.0f} seconds and was stopped.",
            "Its content would keep the program busy forever, so the file wasn't opened.",
            "Use only files from people you trust.",
        ) from error
    except sqlite3.DatabaseError as error:
        if getattr(error, "sqlite_errorcode", 0) & 0xFF != sqlite3.SQLITE_AUTH:
            raise
        raise ForeignSchema(
            f"{path.name} tried to run its own commands.",
            "They weren't run, and the file wasn't opened.",
            "Use only files from people you trust.",
        ) from error
    finally:
        connection.set_authorizer(None)
        connection.set_progress_handler(None, 0)


def _objects(connection: sqlite3.Connection) -> Objects:
    rows = connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_schema LIMIT ?", (_MOST_OBJECTS,))
    return {(row[0], row[1], row[2]): row[3] for row in rows if row[1] not in _OF_SQLITE}


def _differences(found: Objects, known: Objects, *, exact: bool) -> Iterator[str]:
    for kind, name, table in found if exact else ():
        if (kind, name, table) not in known:
            yield f"{kind} {name}"
        elif found[kind, name, table] != known[kind, name, table]:
            yield f"a changed definition of {kind} {name}"
    for kind, name, table in known:
        sql = found.get((kind, name, table), "")
        if (kind, name, table) not in found and (exact or kind == "table"):
            yield f"no {kind} {name}"
        elif kind == "table" and (sql or "").upper().startswith("CREATE VIRTUAL"):
            yield f"a virtual table {name}"


@cache
def expected(version: int) -> Objects:
    """Returns the objects of a released schema by (type, name, table), with the SQL that defines each."""
    with closing(empty(version)) as connection:
        return _objects(connection)


@cache
def _journalled(version: int) -> frozenset[str]:
    with closing(empty(version)) as connection:
        return frozenset(journalled_tables(connection))


def empty(version: int) -> sqlite3.Connection:
    """Returns an in-memory database with a released schema and no rows."""
    connection = sqlite3.connect(":memory:", isolation_level=None)
    connection.row_factory = sqlite3.Row
    connection.deserialize(_blank(version))
    return connection


@contextmanager
def filling(path: Path, version: int) -> Iterator[sqlite3.Connection]:
    """Yields a connection to an unfinished file with a released schema and no rows, to be filled without a log."""
    path.write_bytes(_blank(version))
    with closing(connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = MEMORY")
        yield connection


@cache
def _blank(version: int) -> bytes:
    """Returns the content of a project file with a released schema and no rows, cached because the migrations take a
    while."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        connection.row_factory = sqlite3.Row
        for step in migrations.chain():
            if step.version <= version:
                for statement in migrations.statements(step.script):
                    connection.execute(statement)
        create_triggers(connection)
        connection.execute(f"PRAGMA user_version = {version}")
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        return connection.serialize()
