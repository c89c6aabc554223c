"""A cache in one SQLite file outside the project: readable by its owner only, bounded, and never in the way.

Whatever is wrong with it (damaged, locked, disk full) costs time and never an answer.
"""

import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import ClassVar

from engine.files import SIDECARS, make_private_file
from engine.user_files import cache_folder

_PAGES = ("page_count", "freelist_count", "page_size")


class CacheFile:
    """A file of the cache folder, safe for several processes and threads.

    ``SCHEMA`` is SQL that makes its tables where there are none, ``SHRINK`` SQL that deletes the quarter of the rows
    that were not used for longest, once the file exceeds ``SIZE_BOUND`` bytes.
    """

    NAME: ClassVar[str]
    SCHEMA: ClassVar[str]
    SHRINK: ClassVar[str]
    SIZE_BOUND: ClassVar[int]

    def __init__(self, path: Path | None = None, size_bound: int = 0) -> None:
        self._given, self._size_bound = path, size_bound or self.SIZE_BOUND

    @property
    def path(self) -> Path:
        return self._given or cache_folder() / self.NAME

    def size(self) -> int:
        with suppress(OSError):
            return self.path.stat().st_size
        return 0

    def clear(self) -> None:
        for suffix in ("", *SIDECARS):
            with suppress(OSError):
                self.path.with_name(self.path.name + suffix).unlink()

    def shrink(self, connection: sqlite3.Connection) -> None:
        """Deletes a quarter once the file exceeds its bound."""
        pages, free, page = (connection.execute(f"PRAGMA {name}").fetchone()[0] for name in _PAGES)
        if (pages - free) * page > self._size_bound:
            with connection:
                connection.execute(self.SHRINK)

    @contextmanager
    def open(self) -> Iterator[sqlite3.Connection | None]:
        """A connection, or None where there can be none; a damaged file is thrown away."""
        try:
            make_private_file(self.path)
            connection = sqlite3.connect(self.path, timeout=2.0)
        except (OSError, sqlite3.Error):
            yield None
            return
        usable: sqlite3.Connection | None = connection
        with closing(connection):
            try:
                connection.execute("PRAGMA journal_mode = WAL")
                connection.execute("PRAGMA synchronous = NORMAL")
                connection.executescript(self.SCHEMA)
            except sqlite3.OperationalError:
                usable = None
            except sqlite3.DatabaseError:
                usable = None
                self.clear()
            try:
                yield usable
            except sqlite3.OperationalError:
                return  # locked or full: the caller has what it computed anyway
            except sqlite3.DatabaseError:
                self.clear()


def today() -> int:
    return int(time.time() // 86400)
