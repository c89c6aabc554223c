"""Detects what other programs do to an open project file, by examining it from outside and querying SQLite."""

import ctypes
import sqlite3
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Protocol

from engine.errors import EnvironmentProblem
from engine.project.database import Connection
from engine.project.live import identity

_SETTLING = 5.0
"""Seconds after another program's commit in which it may still move pages from the log to the file."""
_RESCUE = "Save a copy now. It contains everything that was saved. Then open the file again."


class Lock(Protocol):
    """Prevents a second writer."""

    @property
    def lost(self) -> bool:
        """Returns whether a second writer could have got access."""
        ...

    def release(self) -> None: ...


class Unshared:
    """The lock of a file with a private, unpredictable name."""

    lost = False

    def release(self) -> None:
        """Does nothing."""


class FileChanged(EnvironmentProblem):
    """The open file was moved, removed, replaced or written by something other than SQLite. Nothing is written to it
    any more."""

    def __init__(self, what: str, *, other_content: bool = False) -> None:
        """``other_content``: the file's name now refers to different content."""
        super().__init__(what, "Changes are no longer saved. Everything saved before is still in this window.", _RESCUE)
        self.other_content = other_content


class FileWatch:
    """Compares the file, its write-ahead log and its lock with their recorded state. Use it under the project's write
    lock.

    Only checkpoints write to the file itself, and only ours are expected. Otherwise its size and modification time may
    change only if another SQLite program has committed, which ``PRAGMA data_version`` shows.
    """

    def __init__(self, path: Path, lock: Lock, connection: sqlite3.Connection) -> None:
        """``connection`` is used by this watch alone and never waits for other programs."""
        self._path, self._lock, self._connection = path, lock, connection
        connection.execute("PRAGMA busy_timeout = 0")
        self._wal_path = path.with_name(path.name + "-wal")
        self._main = identity(path)
        self._wal: tuple[int, int] | None = None
        self._settled = 0.0
        self.note()

    def note(self) -> None:
        """Records the file's current state as expected. Call it after each write and checkpoint of our own."""
        self._version = self._data_version()
        self._state = self._file_state()
        self._wal = self._wal or identity(self._wal_path)
        self._wal_size = _size(self._wal_path)

    def checkpoint(self) -> bool:
        """Moves the write-ahead log into the file; returns False if a reader prevents it."""
        busy = self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
        self.note()
        return not busy

    def look(self) -> bool:
        """Returns whether another program has committed to the file since the last call. Raises FileChanged if the file
        isn't the one that was opened, or was written by something other than SQLite."""
        name = self._path.name
        if identity(self._path) != self._main:
            raise FileChanged(f"{name} was moved, removed or replaced while it was open.", other_content=True)
        if self._wal is not None and identity(self._wal_path) != self._wal:
            raise FileChanged(f"Another program removed {self._wal_path.name}, which holds the latest changes.")
        if _size(self._wal_path) < self._wal_size:
            raise FileChanged(f"Another program emptied {self._wal_path.name}, which holds the latest changes.")
        if self._lock.lost:
            raise FileChanged(f"Another program removed the lock of {name}, so another program could write to it.")
        state = self._file_state()
        committed = self._data_version() != self._version
        if committed:
            self._settled = time.monotonic() + _SETTLING
        elif state != self._state and time.monotonic() > self._settled:
            raise FileChanged(f"Another program overwrote {name} while it was open.", other_content=True)
        if committed or state != self._state:
            self.note()
        return committed

    def _file_state(self) -> tuple[int, int] | None:
        try:
            found = self._path.stat()
        except OSError:
            return None
        return found.st_size, found.st_mtime_ns

    def _data_version(self) -> int:
        return int(self._connection.execute("PRAGMA data_version").fetchone()[0])


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def abandon(connections: Sequence[Connection], path: Path, *, other_content: bool) -> None:
    """Closes the connections to a file that is no longer ours, without changing it.

    SQLite would otherwise copy the write-ahead log into whatever the file is now. If the name now has other content,
    the log is renamed, so that it isn't taken for that file's log.
    """
    for connection in connections:
        if _keep_from_checkpoint(connection):
            connection.close()
        else:  # leaked on purpose: it stays open until the process ends
            connection.abandoned = True
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(connection))
    if other_content and path.exists():
        with suppress(OSError):
            wal = path.with_name(path.name + "-wal")
            wal.rename(path.with_name(f"{path.name}.old-log-{time.time_ns()}"))
            path.with_name(path.name + "-shm").unlink(missing_ok=True)


def _keep_from_checkpoint(connection: sqlite3.Connection) -> bool:
    """Tells SQLite not to checkpoint when the connection is closed; returns whether that worked."""
    if sys.version_info >= (3, 12):
        connection.setconfig(sqlite3.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, True)
        return True
    # Older Pythons have no function for it; the SQLite handle is the first field of the connection object.
    try:
        import _sqlite3

        configure = ctypes.CDLL(_sqlite3.__file__).sqlite3_db_config
    except (ImportError, OSError, AttributeError):
        return False
    handle = ctypes.c_void_p.from_address(id(connection) + object.__basicsize__)
    answer = ctypes.c_int(0)
    configure.argtypes = [ctypes.c_void_p, ctypes.c_int]
    configure(handle, 1006, ctypes.c_int(1), ctypes.byref(answer))
    return answer.value == 1
