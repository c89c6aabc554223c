"""Answers of language models, kept by model, prompt and parameters in the user's cache folder.

A job that was cancelled or killed goes on where it was, since what was answered is not asked again. The file holds what
models wrote about confidential papers: only its owner can read it, and *Erase permanently* deletes it.
"""

import hashlib
import json
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import asdict

from engine.models.cache_file import CacheFile, today
from engine.models.language import Completion, LanguageModelInfo, Prompt


class AnswerCache(CacheFile):
    """Completions by model and prompt, and how fast each model was."""

    NAME, SIZE_BOUND = "answers.sqlite", 256 * 2**20
    SCHEMA = """
        CREATE TABLE IF NOT EXISTS answer (
          model TEXT NOT NULL, prompt BLOB NOT NULL, day INTEGER NOT NULL, completion TEXT NOT NULL,
          PRIMARY KEY (model, prompt)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX IF NOT EXISTS answer_by_day ON answer(day);
        CREATE TABLE IF NOT EXISTS pace (model TEXT PRIMARY KEY, tokens REAL NOT NULL, seconds REAL NOT NULL) STRICT;
    """
    SHRINK = """
        DELETE FROM answer WHERE (model, prompt) IN
          (SELECT model, prompt FROM answer ORDER BY day LIMIT (SELECT max(1, count(*) / 4) FROM answer))
    """

    def get(self, info: LanguageModelInfo, prompts: list[Prompt]) -> dict[int, Completion]:
        """The answers that are there, by the prompts' places in the list."""
        found = {}
        with self.open() as connection:
            for place, prompt in enumerate(prompts if connection is not None else ()):
                assert connection is not None
                where = (_model(info), _key(prompt))
                row = connection.execute("SELECT completion FROM answer WHERE model = ? AND prompt = ?", where)
                with suppress(ValueError, TypeError):  # another version wrote it, with other fields
                    for (text,) in row:
                        found[place] = Completion(**json.loads(text))
            if found and connection is not None:
                with connection:
                    connection.executemany(
                        "UPDATE answer SET day = ? WHERE model = ? AND prompt = ? AND day <> ?",
                        [(today(), _model(info), _key(prompts[place]), today()) for place in found],
                    )
        return found

    @contextmanager
    def keeping(self, info: LanguageModelInfo) -> Iterator[Callable[[Prompt, Completion], None]]:
        """What keeps the answers of a model one by one, each on the disk when it returns."""
        # What goes wrong outside of the cache is none of its business: it is closed as if nothing had happened.
        with closing(ExitStack()) as stack:
            connection = stack.enter_context(self.open())

            def keep(prompt: Prompt, completion: Completion) -> None:
                row = (_model(info), _key(prompt), today(), json.dumps(asdict(completion)))
                if connection is not None:
                    with suppress(sqlite3.Error), connection:  # locked or full: it is asked again another time
                        connection.execute("INSERT OR REPLACE INTO answer VALUES (?, ?, ?, ?)", row)

            yield keep
            if connection is not None:
                with suppress(sqlite3.Error):
                    self.shrink(connection)

    def note_pace(self, info: LanguageModelInfo, tokens: float, seconds: float) -> None:
        """Remembers how long a model took; earlier jobs count half as much with each new one."""
        with self.open() as connection:
            if connection is not None:
                with connection:
                    connection.execute(
                        "INSERT INTO pace VALUES (?1, ?2, ?3) ON CONFLICT (model)"
                        " DO UPDATE SET tokens = tokens / 2 + ?2, seconds = seconds / 2 + ?3",
                        (_model(info), tokens, seconds),
                    )

    def pace(self, info: LanguageModelInfo) -> float | None:
        """Seconds a token, prompts and answers together; None for a model that was not used before."""
        with self.open() as connection:
            if connection is None:
                return None
            found = connection.execute("SELECT seconds / tokens FROM pace WHERE model = ?", (_model(info),)).fetchone()
        return None if found is None else float(found[0])


def _model(info: LanguageModelInfo) -> str:
    return f"{info.address} {info.id} {info.version}"


def _key(prompt: Prompt) -> bytes:
    return hashlib.sha256(json.dumps(asdict(prompt), sort_keys=True).encode("utf-8")).digest()
