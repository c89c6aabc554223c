"""Records about a project: changes, history entries, the file's holder, backups."""

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, Protocol

from engine.shown import local_time

ChangeKind = Literal["action", "undo", "redo", "results", "elsewhere"]
ActionState = Literal["done", "undone", "abandoned"]
ERASED = "erased"
"""The coalescing key of steps that erased something permanently and can't be undone."""


@dataclass(frozen=True, slots=True)
class Changes:
    """The rows that one committed transaction changed, by table. ``initiator`` is what the writer passed, so that a
    pane can ignore its own changes."""

    title: str
    kind: ChangeKind
    rows: Mapping[str, frozenset[str]] = field(default_factory=lambda: MappingProxyType({}))
    initiator: object | None = None

    @property
    def tables(self) -> frozenset[str]:
        return frozenset(self.rows)

    def touches(self, *tables: str) -> bool:
        return any(table in self.rows for table in tables)


@dataclass(frozen=True, slots=True)
class HistoryEntry:
    """One action. "undone" ones can be redone; "abandoned" ones were undone and then superseded by other work."""

    id: int
    title: str
    annotator: str
    created_at: str
    updated_at: str
    state: ActionState
    changes: int
    annotator_id: str = ""


@dataclass(frozen=True, slots=True)
class Holder:
    user: str
    host: str
    process: int
    since: str

    def sentence(self) -> str:
        where = f"{self.host} (process {self.process})"
        return f"It has been open as {self.user} on {where} since {local_time(self.since)}."


@dataclass(frozen=True, slots=True)
class Backup:
    """A verified copy of a project file; ``created_at`` is ISO 8601 in UTC, ``size`` in bytes. ``number`` counts a
    project's backups; ``entry`` is the last journal entry it contains, if known."""

    path: Path
    created_at: str
    size: int
    reason: str
    number: int = 0
    entry: int | None = None


class ProjectFile(Protocol):
    """The parts of ``Project`` that opening, erasing and file storage use."""

    path: Path
    annotator_id: str

    @property
    def read_only(self) -> bool: ...
    def query(self, sql: str, parameters: Sequence[Any] = ()) -> list[sqlite3.Row]: ...
    def query_one(self, sql: str, parameters: Sequence[Any] = ()) -> sqlite3.Row | None: ...
    def results(self, title: str) -> AbstractContextManager[Any]: ...
    def info(self, key: str) -> str: ...
    def annotators(self) -> tuple[tuple[str, str], ...]: ...
    def set_annotator(self, name: str) -> str: ...
    def connection(self) -> sqlite3.Connection: ...
    def rewriting(self, *, by_person: bool = False) -> AbstractContextManager[sqlite3.Connection]: ...
    def rebuild(self) -> None: ...
    def back_up(
        self, reason: str = "regular", progress: Callable[[float], None] | None = None, *, without: str = ""
    ) -> Backup: ...
    def checkpoint(self) -> bool: ...
    def close(self) -> None: ...
