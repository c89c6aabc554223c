"""Vectors that were computed before, kept outside the project in the user's cache folder.

One SQLite file for all models and processes (``CacheFile``).
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TYPE_CHECKING

from engine.jobs import QuietReport, Report
from engine.models.cache_file import CacheFile, today
from engine.models.embedders import Embedder

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]

_AT_ONCE = 500  # SQL parameters a statement
_STORED_AT_ONCE = 128  # texts between two writes: what a cancelled job computed is kept


class EmbeddingCache(CacheFile):
    """Vectors by model and text."""

    NAME, SIZE_BOUND = "embeddings.sqlite", 512 * 2**20
    SCHEMA = """
        CREATE TABLE IF NOT EXISTS embedding (
          model TEXT NOT NULL, text BLOB NOT NULL, day INTEGER NOT NULL, vector BLOB NOT NULL, PRIMARY KEY (model, text)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX IF NOT EXISTS embedding_by_day ON embedding(day);
    """
    SHRINK = """
        DELETE FROM embedding WHERE (model, text) IN
          (SELECT model, text FROM embedding ORDER BY day LIMIT (SELECT max(1, count(*) / 4) FROM embedding))
    """

    def get(self, model: str, texts: Sequence[str]) -> dict[str, Vectors]:
        """The vectors that are there, by text."""
        import numpy as np

        wanted = {_key(text): text for text in texts}
        keys = list(wanted)
        found: dict[str, Vectors] = {}
        with self.open() as connection:
            if connection is None:
                return {}
            day_now, stale = today(), []
            for start in range(0, len(keys), _AT_ONCE):
                some = keys[start : start + _AT_ONCE]
                rows = connection.execute(
                    "SELECT text, vector, day FROM embedding WHERE model = ? AND text IN"  # noqa: S608 - marks only
                    f" ({', '.join('?' * len(some))})",
                    (model, *some),
                )
                for key, vector, day in rows:
                    found[wanted[key]] = np.frombuffer(vector, dtype=np.float32)
                    if day != day_now:
                        stale.append((day_now, model, key))
            if stale:
                with connection:
                    connection.executemany("UPDATE embedding SET day = ? WHERE model = ? AND text = ?", stale)
        return found

    def put(self, model: str, texts: Sequence[str], vectors: Vectors) -> None:
        """Keeps vectors; ``vectors[i]`` is that of ``texts[i]``."""
        with self.open() as connection:
            if connection is None:
                return
            with connection:
                connection.executemany(
                    "INSERT OR REPLACE INTO embedding(model, text, day, vector) VALUES (?, ?, ?, ?)",
                    [
                        (model, _key(text), today(), vector.astype("float32").tobytes())
                        for text, vector in zip(texts, vectors, strict=True)
                    ],
                )
            self.shrink(connection)


def _key(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:16]


class CachedEmbedder:
    """An embedder behind the cache; equal texts are encoded once."""

    def __init__(self, embedder: Embedder, cache: EmbeddingCache | None = None) -> None:
        self._embedder = embedder
        self._cache = cache or EmbeddingCache()

    @property
    def fingerprint(self) -> str:
        return self._embedder.fingerprint

    def encode(self, texts: Sequence[str], report: Report = QuietReport()) -> Vectors:
        import numpy as np

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
