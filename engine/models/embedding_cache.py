"""Vectors that were computed before, kept outside the project in the user's cache folder.

One SQLite file for all models and processes. It is a cache: whatever is wrong with it (damaged, locked, disk full)
costs time and never an answer.
"""

from __future__ import annotations

import hashlib
import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from engine.files import make_private_file
from engine.jobs import QuietReport, Report
from engine.models.embedders import Embedder
from engine.user_files import cache_folder

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]

SIZE_BOUND = 512 * 2**20
"""Bytes that the file may grow to; then the vectors that were not asked for longest go first."""

_SCHEMA = """
CREATE TABLE IF NOT EXISTS embedding (
  model TEXT NOT NULL, text BLOB NOT NULL, day INTEGER NOT NULL, vector BLOB NOT NULL, PRIMARY KEY (model, text)
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS embedding_by_day ON embedding(day);
"""
_AT_ONCE = 500  # SQL parameters a statement
_STORED_AT_ONCE = 128  # texts between two writes: what a cancelled job computed is kept


class EmbeddingCache:
    """Vectors by model and text. Safe for several processes and threads."""

    def __init__(self, path: Path | None = None, size_bound: int = SIZE_BOUND) -> None:
        self._given = path
        self._size_bound = size_bound

    @property
    def path(self) -> Path:
        return self._given or cache_folder() / "embeddings.sqlite"

    def get(self, model: str, texts: Sequence[str]) -> dict[str, Vectors]:
        """The vectors that are there, by text."""
        import numpy as np

        wanted = {_key(text): text for text in texts}
        keys = list(wanted)
        found: dict[str, Vectors] = {}
        with self._open() as connection:
            if connection is None:
                return {}
            today, stale = _today(), []
            for start in range(0, len(keys), _AT_ONCE):
                some = keys[start : start + _AT_ONCE]
                rows = connection.execute(
                    "SELECT text, vector, day FROM embedding WHERE model = ? AND text IN"  # noqa: S608 - marks only
                    f" ({', '.join('?' * len(some))})",
                    (model, *some),
                )
                for key, vector, day in rows:
                    found[wanted[key]] = np.frombuffer(vector, dtype=np.float32)
                    if day != today:
                        stale.append((today, model, key))
            if stale:
                with connection:
                    connection.executemany("UPDATE embedding SET day = ? WHERE model = ? AND text = ?", stale)
        return found

    def put(self, model: str, texts: Sequence[str], vectors: Vectors) -> None:
        """Keeps vectors; ``vectors[i]`` is that of ``texts[i]``."""
        with self._open() as connection:
            if connection is None:
                return
            with connection:
                connection.executemany(
                    "INSERT OR REPLACE INTO embedding(model, text, day, vector) VALUES (?, ?, ?, ?)",
                    [
                        (model, _key(text), _today(), vector.astype("float32").tobytes())
                        for text, vector in zip(texts, vectors, strict=True)
                    ],
                )
            self._shrink(connection)

    def size(self) -> int:
        """Bytes on disk."""
        with suppress(OSError):
            return self.path.stat().st_size
        return 0

    def clear(self) -> None:
        """Forgets everything."""
        with suppress(OSError):
            self.path.unlink()
        for suffix in ("-wal", "-shm"):
            with suppress(OSError):
                self.path.with_name(self.path.name + suffix).unlink()

    def _shrink(self, connection: sqlite3.Connection) -> None:
        pages, free, page = (connection.execute(f"PRAGMA {name}").fetchone()[0] for name in _PAGES)
        if (pages - free) * page <= self._size_bound:
            return
        with connection:
            rows = connection.execute("SELECT count(*) FROM embedding").fetchone()[0]
            connection.execute(
                "DELETE FROM embedding WHERE (model, text) IN (SELECT model, text FROM embedding ORDER BY day LIMIT ?)",
                (max(1, rows // 4),),
            )

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection | None]:
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
                connection.executescript(_SCHEMA)
            except sqlite3.OperationalError:
                usable = None
            except sqlite3.DatabaseError:
                usable = None
                self.clear()
            try:
                yield usable
            except sqlite3.OperationalError:
                return  # locked or full: the caller has its vectors anyway
            except sqlite3.DatabaseError:
                self.clear()


_PAGES = ("page_count", "freelist_count", "page_size")


def _key(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:16]


def _today() -> int:
    return int(time.time() // 86400)


class CachedEmbedder:
    """An embedder behind the cache; equal texts are encoded once."""

    def __init__(self, embedder: Embedder, cache: EmbeddingCache | None = None) -> None:
        self._embedder = embedder
        self._cache = cache or EmbeddingCache()

    @property
    def fingerprint(self) -> str:
        return self._embedder.fingerprint

    def encode(self, texts: Sequence[str], report: Report | None = None) -> Vectors:
        import numpy as np

        report = report or QuietReport()
        if not texts:
            return self._embedder.encode(texts, report)
        unique = list(dict.fromkeys(texts))
        known = self._cache.get(self.fingerprint, unique)
        missing = sorted((text for text in unique if text not in known), key=len, reverse=True)
        total = sum(map(len, missing)) or 1
        done = 0
        for start in range(0, len(missing), _STORED_AT_ONCE):
            some = missing[start : start + _STORED_AT_ONCE]
            length = sum(map(len, some))
            vectors = self._embedder.encode(some, report.part(done / total, min(1.0, (done + length) / total)))
            done += length
            self._cache.put(self.fingerprint, some, vectors)
            known.update(zip(some, vectors, strict=True))
        report.progress(1.0)
        return np.stack([known[text] for text in texts])
