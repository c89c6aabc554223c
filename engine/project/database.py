"""SQLite access for projects: connections, the file's header, and error messages."""

import os
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote
from weakref import WeakSet

from engine.errors import BadInput, EnvironmentProblem, not_changed
from engine.files import UNFINISHED

APPLICATION_ID = 0x524A4E44  # "RJND"
BUSY_TIMEOUT_MS = 5_000
DAMAGED_CODES = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}
_MAGIC = b"SQLite format 3\0"
_MOST_IN_MEMORY = 1 << 30
_HEADER = ("application_id", "user_version")
_NO_ROOM_FOR_SHARED_MEMORY = {
    sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR,
}  # fmt: skip


class DamagedProject(EnvironmentProblem):
    """The file isn't a readable database. The caller should offer to restore the last good backup."""


class NotWritten(EnvironmentProblem):
    """The file can't be written now (full disk, no permission). The caller should offer to save a copy elsewhere."""


def schema_of(path: Path) -> int:
    """Returns the schema version of the project at ``path``. Reads only the file's header (SQLite file format, section
    1.3).

    Raises:
        BadInput: the file is missing, is a folder, can't be read, or isn't a Rejoinder project.
        DamagedProject: the file is empty or truncated, or its beginning is damaged.
    """
    try:
        size = path.stat().st_size
    except (FileNotFoundError, NotADirectoryError):
        raise BadInput(
            f"There is no project at {path}.", "Nothing was opened.", "Check the name, or create a new project there."
        ) from None
    except (OSError, ValueError) as error:
        raise not_changed(f"{path} can't be opened ({error}).", "Choose another file.") from None
    if path.is_dir():
        raise BadInput(f"{path} is a folder, not a project.", "Nothing was opened.", "Choose a .rejoinder file.")
    if not os.access(path, os.R_OK):
        raise BadInput(
            f"You don't have permission to read {path}.",
            "It was not opened.",
            "Ask its owner for permission to read it.",
        )
    if size == 0:
        raise DamagedProject(f"{path.name} is empty.", "There is nothing to open.", "Restore the last good backup.")
    try:
        with sentences(path), closing(_connect(path, read_only=True, immutable=_without_log(path))) as connection:
            # Both values are in the header, so SQLite doesn't read the schema for them.
            application, version = (connection.execute(f"PRAGMA {name}").fetchone()[0] for name in _HEADER)
    except DamagedProject:
        if path.suffix != ".rejoinder":
            raise BadInput(
                f"{path.name} isn't a Rejoinder project.", "It was not opened.", "Choose a .rejoinder file."
            ) from None
        raise
    if application != APPLICATION_ID:
        raise BadInput(
            f"{path.name} is a database, but not a Rejoinder project.",
            "It was not opened.",
            "Choose a .rejoinder file.",
        )
    return int(version)


def connect_to_look(path: Path) -> sqlite3.Connection:
    """Opens a read-only connection that leaves no files next to a database that isn't open elsewhere."""
    return connect(path, read_only=True, immutable=_without_log(path))


def filled_up(path: Path) -> bytes | None:
    """Returns the bytes of a truncated database, with zeros instead of the missing pages, so that SQLite reads the
    others; None for any other file (SQLite file format, section 1.3)."""
    head, found = b"", 0
    with suppress(OSError):
        if path.is_file() and _without_log(path):
            with path.open("rb") as file:
                head, found = file.read(100), path.stat().st_size
    size = int.from_bytes(head[16:18], "big")
    size = 65536 if size == 1 else size
    pages = int.from_bytes(head[28:32], "big")
    ours = head.startswith(_MAGIC) and head[68:72] == APPLICATION_ID.to_bytes(4, "big")
    if not ours or pages * size <= found or found > _MOST_IN_MEMORY:
        return None
    data = bytearray(path.read_bytes())
    if pages * size > _MOST_IN_MEMORY:  # the number itself is damaged
        pages = -(-found // size)
        data[28:32] = pages.to_bytes(4, "big")
    data[18:20] = b"\1\1"  # no log: a database in memory can't have one
    return bytes(data).ljust(pages * size, b"\0")


def in_memory(data: bytes) -> sqlite3.Connection:
    """Opens a read-only connection to the bytes of a database."""
    connection = _open("file::memory:", read_only=True)
    connection.deserialize(data)
    return connection


def _without_log(path: Path) -> bool:
    return not path.with_name(path.name + "-wal").exists()


def connect(path: Path, *, read_only: bool = False, immutable: bool = False) -> "Connection":
    """Opens a connection in autocommit mode (transactions are explicit) with the project's standard pragmas."""
    connection = _connect(path, read_only=read_only, immutable=immutable)
    connection.execute("PRAGMA cache_size = -32768")  # reads the schema, which takes milliseconds
    return connection


def _connect(path: Path, *, read_only: bool, immutable: bool) -> "Connection":
    """Opens a connection that hasn't read the schema.

    A file in a folder that can't be written is opened as immutable, because SQLite can't create its shared-memory file
    there. That is safe, since no other process can write there either, but it isn't possible if there is a log.
    """
    # "?" or "#" in a path would otherwise end the path part of the URI.
    address = f"file:{quote(os.fsencode(path))}?mode={'ro' if read_only else 'rw'}"
    if immutable:
        return _open(address + "&immutable=1", read_only=True)
    try:
        return _open(address, read_only=read_only)
    except sqlite3.OperationalError as error:
        log = path.with_name(path.name + "-wal")
        whole = not log.exists() or log.stat().st_size == 0
        if not (read_only and whole) or error.sqlite_errorcode & 0xFF not in _NO_ROOM_FOR_SHARED_MEMORY:
            raise
    return _open(address + "&immutable=1", read_only=True)


def _open(address: str, *, read_only: bool) -> "Connection":
    connection = sqlite3.connect(
        address,
        uri=True,
        isolation_level=None,
        check_same_thread=False,
        timeout=BUSY_TIMEOUT_MS / 1000,
        factory=Connection,
    )
    connection.row_factory = sqlite3.Row
    try:
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA cell_size_check = ON")
        if read_only:
            # The file may come from a stranger. Before a write, its schema has been compared with ours (schema.py), and
            # our own triggers need json_object, which SQLite considers unsafe.
            connection.execute("PRAGMA trusted_schema = OFF")
            connection.execute("PRAGMA query_only = ON")
            connection.execute("PRAGMA application_id").fetchone()
        else:
            # FULL: a committed action survives a power cut, not only a crash of the program.
            connection.execute("PRAGMA synchronous = FULL")
    except (sqlite3.Error, UnicodeDecodeError):
        connection.close()
        raise
    return connection


class Connection(sqlite3.Connection):
    """A connection that its thread closes when it ends, unless it was abandoned."""

    abandoned = False

    def __init__(self, *address: Any, **how: Any) -> None:
        super().__init__(*address, **how)
        self.busy = threading.RLock()
        """Held while rows are read, because Python crashes if another thread closes the connection meanwhile."""


class _Own:
    """A thread's connection, which is closed when the thread ends: a connection refers to itself, so that it would stay
    until the garbage collector finds it."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection

    def __del__(self) -> None:
        if not self.connection.abandoned:
            self.connection.close()


class Connections:
    """This process's connections to one file: one per thread, plus additional ones."""

    def __init__(self, path: Path, *, read_only: bool) -> None:
        self._path, self._read_only = path, read_only
        self._local = threading.local()
        self._made: WeakSet[Connection] = WeakSet()
        self._guard = threading.Lock()

    def own(self) -> Connection:
        """Returns this thread's connection, opened at its first use."""
        own: _Own | None = getattr(self._local, "own", None)
        if own is None:
            own = self._local.own = _Own(self.new())
        return own.connection

    def new(self) -> Connection:
        connection = connect(self._path, read_only=self._read_only)
        with self._guard:
            self._made.add(connection)
        return connection

    def take(self) -> list[Connection]:
        """Returns all connections and forgets them, so that the caller can close them."""
        with self._guard:
            made, self._made = self._made, WeakSet()
        return list(made)


@contextmanager
def transaction(connection: sqlite3.Connection, kind: str) -> Iterator[None]:
    """Runs a transaction ("IMMEDIATE" or "EXCLUSIVE"): commits at the end, rolls back if anything fails."""
    connection.execute(f"BEGIN {kind}")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        # SQLite may already have rolled back (disk full); never mask the first error.
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


@contextmanager
def savepoint(connection: sqlite3.Connection) -> Iterator[None]:
    """Runs part of a transaction, which is rolled back if it fails. Can be nested, since the name refers to the
    innermost one."""
    connection.execute("SAVEPOINT nested")
    try:
        yield
        connection.execute("RELEASE nested")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK TO nested")
            connection.execute("RELEASE nested")
        raise


@contextmanager
def writing_to(path: Path) -> Iterator[None]:
    """Converts errors while a new file is written into messages. The target doesn't exist then."""
    try:
        with sentences(path):
            yield
    except FileExistsError as error:
        raise BadInput(f"{path.name} already exists.", "Nothing was overwritten.", "Choose another name.") from error
    except OSError as error:
        raise EnvironmentProblem(
            f"Couldn't write {path.name} to {path.parent}: {error.strerror}.",
            "Nothing was changed.",
            "Free some space there, or choose a folder you can write to.",
        ) from error


@contextmanager
def sentences(path: Path) -> Iterator[None]:
    """Converts SQLite's environment errors into messages. Programming errors, such as wrong SQL, are passed on."""
    try:
        yield
    except UnicodeDecodeError as error:
        # If the schema is damaged, SQLite's error message may not be valid text.
        raise _damaged(path) from error
    except sqlite3.Error as error:
        if str(error).startswith("Could not decode to UTF-8"):  # Python's own error, which has no code
            raise _damaged(path) from error
        problem = problem_from(error, path)
        if problem is None:
            raise
        raise problem from error


def _damaged(path: Path) -> DamagedProject:
    return DamagedProject(
        f"{path.name} is damaged.",
        "Part of it can't be read.",
        "Restore the last good backup. The damaged file is kept.",
    )


def problem_from(error: sqlite3.Error, path: Path) -> EnvironmentProblem | None:
    """Returns the problem to report for an SQLite error, or None if the error is a bug."""
    code = getattr(error, "sqlite_errorcode", None)
    if code is None:
        return None
    primary = code & 0xFF
    if primary in DAMAGED_CODES:
        return _damaged(path)
    lost, name = "Your last change wasn't saved. Everything before it was.", path.name
    if UNFINISHED.fullmatch(name):  # a backup or another new file, not the project that is being worked on
        lost, name = "The new file wasn't written. The project wasn't changed.", "the new file"
    match primary:
        case sqlite3.SQLITE_FULL:
            return NotWritten(
                "The disk is full.", lost, "Free some space and try again, or save a copy to another disk."
            )
        case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_PERM | sqlite3.SQLITE_AUTH:
            return NotWritten(f"{path.name} can't be written.", lost, "Save a copy to a folder of your own.")
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            return EnvironmentProblem(
                f"Another program is writing to {path.name}.",
                "Your last change wasn't saved.",
                "Close that program and try again.",
            )
        case sqlite3.SQLITE_IOERR:
            return NotWritten(
                f"The disk reported an error reading or writing {name}.",
                lost,
                "Check the disk or the network folder, then try again.",
            )
        case sqlite3.SQLITE_CANTOPEN:
            return EnvironmentProblem(
                f"{path.name} can't be opened.", do="Check that the file and its folder still exist."
            )
        case sqlite3.SQLITE_TOOBIG | sqlite3.SQLITE_NOMEM:
            return EnvironmentProblem(
                "There isn't enough memory for this.", "Nothing was changed.", "Close other programs."
            )
    return None
