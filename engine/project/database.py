"""SQLite as the project uses it: connections, the file's header, and its errors as sentences."""

from __future__ import annotations

import sqlite3
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from engine.errors import BadInput, EnvironmentProblem

APPLICATION_ID = 0x524A4E44  # "RJND"
BUSY_TIMEOUT_MS = 5_000
_HEADER_BYTES = 100

DAMAGED_CODES = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}


class DamagedProject(EnvironmentProblem):
    """The file is not readable as the database that it should be; the last good backup should be offered."""


@dataclass(frozen=True, slots=True)
class FileHeader:
    """What the first 100 bytes of the file say (SQLite file format, section 1.3); read without opening a database."""

    application_id: int
    schema_version: int
    page_size: int
    page_count: int


def read_header(path: Path) -> FileHeader:
    """The header of the file at ``path``.

    Raises:
        BadInput: the file is missing, is a folder, or is no SQLite database.
        DamagedProject: the file is empty or shorter than its own header says.
    """
    try:
        with path.open("rb") as file:
            head = file.read(_HEADER_BYTES)
        size = path.stat().st_size
    except FileNotFoundError:
        raise BadInput(f"There is no project at {path}.", do="Check the name, or create a new project there.") from None
    except IsADirectoryError:
        raise BadInput(f"{path} is a folder, not a project.", do="Choose a file that ends in .rejoinder.") from None
    except PermissionError:
        raise BadInput(f"{path} may not be read by you.", do="Ask its owner for the right to read it.") from None
    if not head or head.strip(b"\0") == b"":
        raise DamagedProject(
            f"{path.name} holds no data.", "The file is empty or was wiped.", "Restore the last good backup."
        )
    if not head.startswith(b"SQLite format 3\0"):
        if path.suffix == ".rejoinder":
            raise DamagedProject(
                f"The beginning of {path.name} is damaged.",
                "It cannot be opened.",
                "Restore the last good backup.",
            )
        raise BadInput(f"{path.name} is not a Rejoinder project.", do="Choose a file that ends in .rejoinder.")
    if len(head) < _HEADER_BYTES:
        raise DamagedProject(f"{path.name} is cut short.", "It cannot be opened.", "Restore the last good backup.")
    page_size = struct.unpack(">H", head[16:18])[0]
    page_size = 65536 if page_size == 1 else page_size
    page_count = struct.unpack(">I", head[28:32])[0]
    header = FileHeader(
        application_id=struct.unpack(">I", head[68:72])[0],
        schema_version=struct.unpack(">I", head[60:64])[0],
        page_size=page_size,
        page_count=page_count,
    )
    if header.application_id != APPLICATION_ID:
        raise BadInput(
            f"{path.name} is a database, but not a Rejoinder project.",
            do="Choose a file that ends in .rejoinder.",
        )
    # The file may lag behind its write-ahead log, but never be shorter than its own header says.
    if not _wal(path).exists() and size < page_size * page_count:
        raise DamagedProject(
            f"{path.name} is cut short: {size:,} of {page_size * page_count:,} bytes are there.",
            "Part of the work in it is missing.",
            "Restore the last good backup.",
        )
    return header


def _wal(path: Path) -> Path:
    return path.with_name(path.name + "-wal")


def connect(path: Path, *, read_only: bool = False, create: bool = False) -> sqlite3.Connection:
    """A connection in autocommit mode (transactions are explicit), with the house's pragmas.

    A file in a folder where nothing can be written is opened as immutable, since SQLite's shared-memory file cannot be
    made there; that is safe because nobody else can write either.
    """
    mode = "ro" if read_only else ("rwc" if create else "rw")
    # "?" and "#" in a path would end the path part of the URI.
    address = f"file:{quote(str(path))}?mode={mode}"
    try:
        return _open(address, read_only=read_only)
    except sqlite3.OperationalError as error:
        if not read_only or error.sqlite_errorcode & 0xFF not in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY):
            raise
    return _open(address + "&immutable=1", read_only=True)


def _open(address: str, *, read_only: bool) -> sqlite3.Connection:
    connection = sqlite3.connect(
        address, uri=True, isolation_level=None, check_same_thread=False, timeout=BUSY_TIMEOUT_MS / 1000
    )
    connection.row_factory = sqlite3.Row
    try:
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA cell_size_check = ON")
        connection.execute("PRAGMA cache_size = -32768")
        if read_only:
            connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
        else:
            # FULL: a committed act survives a power cut, not only a crash of the program.
            connection.execute("PRAGMA synchronous = FULL")
    except (sqlite3.Error, UnicodeDecodeError):
        connection.close()
        raise
    return connection


@contextmanager
def sentences(path: Path) -> Iterator[None]:
    """Turns SQLite's environment errors into sentences; what is our own mistake (wrong SQL) passes through."""
    try:
        yield
    except UnicodeDecodeError as error:
        # Damage in the schema reaches us as an error message that is no text.
        raise _damaged(path) from error
    except sqlite3.Error as error:
        problem = problem_from(error, path)
        if problem is None:
            raise
        raise problem from error


def _damaged(path: Path) -> DamagedProject:
    return DamagedProject(
        f"{path.name} is damaged.",
        "Part of it cannot be read.",
        "Restore the last good backup; the damaged file is kept.",
    )


def problem_from(error: sqlite3.Error, path: Path) -> EnvironmentProblem | None:
    """The sentence for an SQLite error, or None where it is a bug of ours."""
    code = getattr(error, "sqlite_errorcode", None)
    if code is None:
        return None
    primary = code & 0xFF
    if primary in DAMAGED_CODES:
        return _damaged(path)
    match primary:
        case sqlite3.SQLITE_FULL:
            return EnvironmentProblem(
                "The disk is full.",
                "Your last act was not saved; everything before it was.",
                "Free some space, then do it again.",
            )
        case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_PERM | sqlite3.SQLITE_AUTH:
            return EnvironmentProblem(
                f"{path.name} cannot be written.",
                "Your last act was not saved.",
                "Copy the project to a folder of your own.",
            )
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            return EnvironmentProblem(
                f"Another program is writing to {path.name}.",
                "Your last act was not saved.",
                "Close that program and try again.",
            )
        case sqlite3.SQLITE_IOERR:
            return EnvironmentProblem(
                f"The disk did not let {path.name} be read or written.",
                "Your last act was not saved; everything before it was.",
                "Check the disk or the network folder, then do it again.",
            )
        case sqlite3.SQLITE_CANTOPEN:
            return EnvironmentProblem(
                f"{path.name} cannot be opened.", do="Check that the file and its folder are still there."
            )
        case sqlite3.SQLITE_TOOBIG | sqlite3.SQLITE_NOMEM:
            return EnvironmentProblem(
                "There is too little memory for this.", "Nothing was changed.", "Close other programs."
            )
    return None
