"""Caches of embeddings and of language models' answers, in the user's cache folder.

Each cache is one SQLite file shared by all models and processes, readable by its owner only and limited in size. If it
is damaged, locked or the disk is full, results are computed again; callers never see the error.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from engine.files import SIDECARS, make_private_file
from engine.jobs import QuietReport, Report
from engine.models.embedders import Embedder
from engine.models.language import Completion, LanguageModelInfo, Prompt
from engine.user_files import cache_folder

if TYPE_CHECKING:
    from engine.models.embedders import Vectors

_PAGES = ("page_count", "freelist_count", "page_size")


class CacheFile:
    """A file in the cache folder that several processes and threads can use at once.

    ``TABLE`` maps a model and the hash of a text or prompt (``KEY``) to the result (``VALUE``); ``FURTHER`` is SQL that
    creates other tables. Once the file exceeds ``SIZE_BOUND`` bytes, the least recently used quarter of the rows is
    deleted.
    """

    NAME: ClassVar[str]
    TABLE: ClassVar[str]
    KEY: ClassVar[str]
    VALUE: ClassVar[str]
    FURTHER: ClassVar[str] = ""
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
        """Deletes the least recently used quarter once the file exceeds its size limit."""
        pages, free, page = (connection.execute(f"PRAGMA {name}").fetchone()[0] for name in _PAGES)
        if (pages - free) * page > self._size_bound:
            with connection:
                of, key = self.TABLE, self.KEY
                connection.execute(
                    f"DELETE FROM {of} WHERE (model, {key}) IN (SELECT model, {key} FROM {of} ORDER BY day"  # noqa: S608
                    f" LIMIT (SELECT max(1, count(*) / 4) FROM {of}))"
                )

    @contextmanager
    def open(self) -> Iterator[sqlite3.Connection | None]:
        """Yields a connection, or None if the file can't be opened; a damaged file is deleted."""
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
                connection.executescript(
                    f"CREATE TABLE IF NOT EXISTS {self.TABLE} (model TEXT NOT NULL, {self.KEY} BLOB NOT NULL,"
                    f" day INTEGER NOT NULL, {self.VALUE} NOT NULL, PRIMARY KEY (model, {self.KEY})"
                    ") STRICT, WITHOUT ROWID;"
                    f"CREATE INDEX IF NOT EXISTS {self.TABLE}_by_day ON {self.TABLE}(day);{self.FURTHER}"
                )
            except sqlite3.OperationalError:
                usable = None
            except sqlite3.DatabaseError:
                usable = None
                self.clear()
            try:
                yield usable
            except sqlite3.OperationalError:
                return  # locked or full: the caller still has its results
            except sqlite3.DatabaseError:
                self.clear()


def today() -> int:
    return int(time.time() // 86400)


_AT_ONCE = 500  # SQL parameters per statement
_STORED_AT_ONCE = 128  # texts between two writes, so that a cancelled job keeps most of its work


class EmbeddingCache(CacheFile):
    """Embeddings by model and text."""

    NAME, SIZE_BOUND = "embeddings.sqlite", 512 * 2**20
    TABLE, KEY, VALUE = "embedding", "text", "vector BLOB"

    def get(self, model: str, texts: Sequence[str]) -> dict[str, Vectors]:
        """Returns the cached vectors by text."""
        import numpy as np

        wanted = {_text_key(text): text for text in texts}
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
        """Stores vectors; ``vectors[i]`` belongs to ``texts[i]``."""
        with self.open() as connection:
            if connection is None:
                return
            with connection:
                connection.executemany(
                    "INSERT OR REPLACE INTO embedding(model, text, day, vector) VALUES (?, ?, ?, ?)",
                    [
                        (model, _text_key(text), today(), vector.astype("float32").tobytes())
                        for text, vector in zip(texts, vectors, strict=True)
                    ],
                )
            self.shrink(connection)


def _text_key(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:16]


class CachedEmbedder:
    """Wraps an embedder with the cache; equal texts are encoded once."""

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


class AnswerCache(CacheFile):
    """Completions by model and prompt, and the speed of each model.

    A cancelled or killed job resumes where it stopped, since answered prompts aren't sent again. The file contains text
    that models wrote about confidential papers: *Erase permanently* deletes it.
    """

    NAME, SIZE_BOUND = "answers.sqlite", 256 * 2**20
    TABLE, KEY, VALUE = "answer", "prompt", "completion TEXT"
    FURTHER = (
        "CREATE TABLE IF NOT EXISTS pace (model TEXT PRIMARY KEY, tokens REAL NOT NULL, seconds REAL NOT NULL) STRICT"
    )

    def get(self, info: LanguageModelInfo, prompts: list[Prompt]) -> dict[int, Completion]:
        """Returns the cached answers by the prompts' positions in the list."""
        found = {}
        with self.open() as connection:
            for place, prompt in enumerate(prompts if connection is not None else ()):
                assert connection is not None
                where = (_model(info), _prompt_key(prompt))
                row = connection.execute("SELECT completion FROM answer WHERE model = ? AND prompt = ?", where)
                with suppress(ValueError, TypeError):  # written by a version with other fields
                    for (text,) in row:
                        found[place] = Completion(**json.loads(text))
            if found and connection is not None:
                with connection:
                    connection.executemany(
                        "UPDATE answer SET day = ? WHERE model = ? AND prompt = ? AND day <> ?",
                        [(today(), _model(info), _prompt_key(prompts[place]), today()) for place in found],
                    )
        return found

    @contextmanager
    def keeping(self, info: LanguageModelInfo) -> Iterator[Callable[[Prompt, Completion], None]]:
        """Yields a function that stores a model's answers one by one, each on disk when it returns."""
        # Errors in the caller's block aren't errors of the cache, so the connection is closed normally.
        with closing(ExitStack()) as stack:
            connection = stack.enter_context(self.open())

            def keep(prompt: Prompt, completion: Completion) -> None:
                row = (_model(info), _prompt_key(prompt), today(), json.dumps(asdict(completion)))
                if connection is not None:
                    with suppress(sqlite3.Error), connection:  # locked or full: the prompt is sent again next time
                        connection.execute("INSERT OR REPLACE INTO answer VALUES (?, ?, ?, ?)", row)

            yield keep
            if connection is not None:
                with suppress(sqlite3.Error):
                    self.shrink(connection)

    def note_pace(self, info: LanguageModelInfo, tokens: float, seconds: float) -> None:
        """Records how long a model took; the weight of earlier jobs is halved with each new one."""
        with self.open() as connection:
            if connection is not None:
                with connection:
                    connection.execute(
                        "INSERT INTO pace VALUES (?1, ?2, ?3) ON CONFLICT (model)"
                        " DO UPDATE SET tokens = tokens / 2 + ?2, seconds = seconds / 2 + ?3",
                        (_model(info), tokens, seconds),
                    )

    def pace(self, info: LanguageModelInfo) -> float | None:
        """Returns seconds per token, prompts and answers together; None for a model that hasn't been used yet."""
        with self.open() as connection:
            if connection is None:
                return None
            found = connection.execute("SELECT seconds / tokens FROM pace WHERE model = ?", (_model(info),)).fetchone()
        return None if found is None else float(found[0])


def _model(info: LanguageModelInfo) -> str:
    return f"{info.address} {info.id} {info.version}"


def _prompt_key(prompt: Prompt) -> bytes:
    return hashlib.sha256(json.dumps(asdict(prompt), sort_keys=True).encode("utf-8")).digest()
