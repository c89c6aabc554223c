"""The project: one SQLite file, actions that are one transaction and one undo step each, and change notifications.

    with project.action("Link comment to edit") as act:
        act.insert("edit_link", {"comment_id": comment_id, "edit_id": edit_id})

There is no Save. Results of models go through ``results``: a transaction too, but no undo step.
"""

import shutil
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from pathlib import Path
from types import MappingProxyType
from typing import Any, cast

from sqlite_utils.db import Database

from engine.errors import EnvironmentProblem
from engine.project import blobs, history, journal, opening, people
from engine.project.action import Action
from engine.project.backup import file_problems, make_backup, save_copy
from engine.project.database import Connection, Connections, savepoint, sentences, transaction
from engine.project.ids import new_id
from engine.project.live import guard, unguard
from engine.project.lock import holder_now, read_holder
from engine.project.people import People
from engine.project.records import Backup, ChangeKind, Changes, HistoryEntry, Holder
from engine.project.schema import ForeignSchema, examine
from engine.project.tables import columns_of, database
from engine.project.watch import FileChanged, FileWatch, Lock, abandon

Subscriber = Callable[[Changes], None]


class Project(AbstractContextManager["Project"]):
    """An open project file. Created by ``create`` or ``open``. Safe to use from several threads, each of which gets a
    connection.

    Attributes:
        path: the file's path, with symbolic links resolved.
        read_only: whether writing is refused; ``read_only_reason`` explains it.
        annotator_id: the acting annotator; "" in a read-only project without annotators.
    """

    def __init__(self, path: Path, *, lock: Lock | None, read_only_reason: str = "", copy: Path | None = None) -> None:
        """``copy``: a private copy to read from if the file can't be read in place; removed on close."""
        self.path = path
        self.read_only_reason = read_only_reason
        self.annotator_id = ""
        self._people = People()
        self._lock = lock
        self._copy = copy
        self._connections = Connections(copy or path, read_only=lock is None)
        self._writing = threading.RLock()
        self._open_action: Action | None = None
        self._subscribers: list[Subscriber] = []
        self._closed = False
        self._last_step: tuple[int, float] | None = None
        self._commits = 0
        self._stopped: FileChanged | None = None
        self._watch: FileWatch | None = None
        if lock is not None:
            guard(path)
            self._watch = FileWatch(path, lock, self._connections.new())

    @classmethod
    def create(cls, path: Path | str, title: str = "", annotator: str = "") -> "Project":
        """Creates a project at ``path``. Raises BadInput if a file exists there: nothing is ever overwritten."""
        return opening.create(cls, Path(path), title, annotator)

    @classmethod
    def open(cls, path: Path | str, *, annotator: str = "", read_only: bool = False) -> "Project":
        """Opens a project; see ``engine.project.opening`` for checks, migration and reasons for read-only."""
        return opening.open_project(cls, Path(path), annotator=annotator, read_only=read_only)

    @property
    def read_only(self) -> bool:
        return self._lock is None

    @property
    def closed(self) -> bool:
        return self._closed

    def close(self) -> None:
        """Closes all threads' connections and releases the file. Can be called twice; changes no content."""
        with self._writing:
            if self._closed:
                return
            if self._commits and self._stopped is None:
                with suppress(sqlite3.Error, EnvironmentProblem):
                    self.connection().execute("PRAGMA optimize")
            self._closed = True
            with ExitStack() as readers:
                for connection in (connections := self._connections.take()):
                    readers.enter_context(connection.busy)
                if self._stopped is not None:
                    abandon(connections, self.path, other_content=self._stopped.other_content)
                for connection in connections if self._stopped is None else ():
                    connection.close()
            if self._lock is not None:
                unguard(self.path)
                self._lock.release()
            if self._copy is not None:
                shutil.rmtree(self._copy.parent, ignore_errors=True)

    def __exit__(self, *_error: object) -> None:
        self.close()

    def connection(self) -> Connection:
        """Returns this thread's connection, for the other modules of ``engine.project``."""
        if self._closed:
            raise EnvironmentProblem("The project is closed.", "Nothing was changed.", "Open it again.")
        return self._connections.own()

    @property
    def db(self) -> Database:
        """The tables through sqlite-utils, on this thread's connection, for reading; writing requires an action."""
        return database(self.connection())

    @contextmanager
    def _reading(self) -> Iterator[Connection]:
        """Yields this thread's connection and keeps other threads from closing it meanwhile."""
        with sentences(self.path), self.connection().busy:
            yield self.connection()  # raises if the project was closed while waiting

    def query(self, sql: str, parameters: Sequence[Any] = ()) -> list[sqlite3.Row]:
        """Returns all rows of a SELECT, on this thread's connection."""
        with self._reading() as connection:
            return connection.execute(sql, parameters).fetchall()

    def query_one(self, sql: str, parameters: Sequence[Any] = ()) -> sqlite3.Row | None:
        """Returns the first row of a SELECT, or None."""
        with self._reading() as connection:
            return cast("sqlite3.Row | None", connection.execute(sql, parameters).fetchone())

    def row(self, table: str, key: str) -> sqlite3.Row:
        """Returns the row of a table with this key, without BLOBs. Raises KeyError if there is none."""
        row = self.query_one(f"{columns_of(table).select} WHERE id = ?", (key,))
        if row is None:
            raise KeyError(key)
        return row

    def info(self, key: str) -> str:
        """Returns a value from ``project_info`` (title, id, created_at, ...), or ""."""
        row = self.query_one("SELECT value FROM project_info WHERE key = ?", (key,))
        return "" if row is None else str(row[0])

    @property
    def title(self) -> str:
        return self.info("title") or self.path.stem

    @property
    def id(self) -> str:
        """The project's key, which copies and backups share."""
        return self.info("id")

    def current_holder(self) -> Holder | None:
        """Returns who has the file open for writing now, including this process, or None."""
        return holder_now(self.path) if self.read_only else read_holder(self.path)

    @contextmanager
    def action(self, title: str, *, coalesce: str | None = None, initiator: object | None = None) -> Iterator[Action]:
        """Runs one action of a person: one transaction, one undo step named ``title``.

        An action inside an action on the same thread joins it; if the inner one fails and the outer catches the error,
        only the inner part is rolled back. With ``coalesce``, the action extends the last step if that has the same key
        and annotator, wasn't undone, and was changed less than a minute ago (typing). An action without changes leaves
        no step. If the body fails, everything is rolled back.

        Raises:
            EnvironmentProblem: the file is read-only or was removed, or writing failed.
        """
        with self._writing, sentences(self.path):
            if self._open_action is not None:
                with savepoint(self.connection()):
                    yield self._open_action
                return
            with self._transaction() as connection:
                step = history.begin(connection, title, self.annotator_id, coalesce, self._last_step)
                action = self._open_action = Action(connection, self.annotator_id)
                try:
                    yield action
                finally:
                    self._open_action = None
                rows = history.finish(connection, step)
            self._last_step = step.id, time.monotonic()
        self._announce(title, "action", journal.merge_rows([rows, action.declared]), initiator)

    @contextmanager
    def results(self, title: str) -> Iterator[Action]:
        """Writes results of a parser or model: one short transaction (aim for 10 ms), announced, but no undo step. The
        body reports changed rows with ``touched``. Inside an action on the same thread, it joins that action."""
        with self._writing, sentences(self.path):
            if self._open_action is not None:
                yield self._open_action
                return
            with self._transaction() as connection:
                write = Action(connection, self.annotator_id)
                yield write
        self._announce(title, "results", journal.merge_rows([write.declared]))

    @contextmanager
    def rewriting(self, *, by_person: bool = False) -> Iterator[sqlite3.Connection]:
        """Runs a transaction that isn't recorded in the history; subscribers are notified that everything may have
        changed.

        ``by_person``: it refers to the acting annotator, whose row is written first. Raises RuntimeError inside an
        action.
        """
        with self._writing, sentences(self.path):
            if self._open_action is not None:
                raise RuntimeError("rewriting cannot run inside an action")
            with self._transaction(by_person=by_person) as connection:
                yield connection
            self._last_step = None
        self._announce_all("Changed outside the history")

    @contextmanager
    def _transaction(self, *, by_person: bool = True) -> Iterator[sqlite3.Connection]:
        self._refuse_if_unwritable()
        connection = self.connection()
        if not self._commits:
            connection.execute("PRAGMA journal_mode = WAL")  # copies and backups have no log and aren't in WAL mode
        with transaction(connection, "IMMEDIATE"):
            if not self._commits:
                # Never set between actions, but a file from elsewhere may contain a value.
                connection.execute("UPDATE journal_context SET action_id = NULL WHERE action_id IS NOT NULL")
            acting = self._people.unwritten(self.annotator_id) if by_person else ()
            for key, name in acting:
                people.write(connection.execute, key, name)
            yield connection
        if acting:
            self._people.written()
        self._commits += 1
        self._note()

    def _refuse_if_unwritable(self) -> None:
        if self.read_only:
            why, _, act = self.read_only_reason.rpartition(". ")
            means = f"Nothing was changed. {why or act.rstrip('.')}."
            raise EnvironmentProblem(f"{self.path.name} is open read-only.", means, act if why else "Save a copy.")
        self.look()

    def look(self) -> None:
        """Checks whether another program changed the file. Its commits are announced as changes of all tables. Raises
        FileChanged if the file is no longer the one that was opened; after that, nothing is written to it."""
        with self._writing, sentences(self.path):
            if self._stopped is not None:
                raise self._stopped
            if self._closed or self._watch is None:
                return
            try:
                if not self._watch.look():
                    return
                examine(self.path, self.query("PRAGMA user_version")[0][0])
            except FileChanged as problem:
                self._stopped = problem
                raise
            except ForeignSchema as problem:
                self._stopped = FileChanged(f"Another program changed the structure of {self.path.name}.")
                raise self._stopped from problem
            self._announce_all("Changed by another program")

    def _announce_all(self, title: str) -> None:
        tables = self.query("SELECT name FROM sqlite_schema WHERE type = 'table'")
        self._announce(title, "elsewhere", {row[0]: frozenset() for row in tables})

    def _note(self) -> None:
        """Records the file's state after our own writing, for later checks."""
        if self._watch is not None:
            self._watch.note()

    @property
    def commits(self) -> int:
        """The number of transactions committed since the project was opened."""
        return self._commits

    def checkpoint(self) -> bool:
        """Moves the write-ahead log into the file, so that a copy of the file alone is complete. Returns False if that
        must wait, for example because another program is reading the file."""
        with self._writing, sentences(self.path):
            if self._closed or self._watch is None or self._open_action is not None:
                return False
            self.look()
            return self._watch.checkpoint()

    def _announce(
        self, title: str, kind: ChangeKind, rows: dict[str, frozenset[str]], initiator: object | None = None
    ) -> Changes:
        changes = Changes(title, kind, MappingProxyType(rows), initiator)
        if rows:
            for subscriber in tuple(self._subscribers):
                subscriber(changes)
        return changes

    def subscribe(self, callback: Subscriber) -> Callable[[], None]:
        """Calls ``callback`` after each commit, on the committing thread; returns a function that ends the
        subscription."""
        self._subscribers.append(callback)

        def unsubscribe() -> None:
            with suppress(ValueError):
                self._subscribers.remove(callback)

        return unsubscribe

    @property
    def undo_entry(self) -> HistoryEntry | None:
        """The action that ``undo`` would revert, or None."""
        return next(iter(history.entries(self.query, "a.state = 'done' ORDER BY a.id DESC LIMIT 1")), None)

    @property
    def redo_entry(self) -> HistoryEntry | None:
        """The action that ``redo`` would repeat, or None."""
        return next(iter(history.entries(self.query, "a.state = 'undone' ORDER BY a.id LIMIT 1")), None)

    @property
    def undo_title(self) -> str | None:
        """The title of the action that ``undo`` would revert, or None."""
        return entry.title if (entry := self.undo_entry) else None

    def undo(self) -> Changes | None:
        """Undoes the last action; returns None if there is none. Raises BadInput if it erased something permanently;
        ``go_to`` reaches earlier actions."""
        return self._replay(history.last_done(self.query), "undo")

    def redo(self) -> Changes | None:
        """Redoes the action that was undone last; returns None if there is none."""
        rows = self.query("SELECT id FROM action WHERE state = 'undone' ORDER BY id LIMIT 1")
        return self._replay([row["id"] for row in rows], "redo")

    def go_to(self, action_id: int) -> Changes | None:
        """Undoes or redoes until ``action_id`` is the last action done (0: before the first), in one transaction.
        Raises BadInput if the action was abandoned or doesn't exist."""
        return self._replay(*history.way_to(self.query, action_id))

    def _replay(self, steps: Sequence[int], kind: ChangeKind) -> Changes | None:
        if not steps:
            return None
        with self._writing, sentences(self.path):
            if self._open_action is not None:
                raise RuntimeError("undo and redo cannot run inside an action")
            with history.explained(self.path), self._transaction() as connection:
                title, rows = history.replay(connection, steps, backwards=kind == "undo")
        return self._announce(title, kind, rows)

    def history(self, limit: int = 200, before: int | None = None) -> tuple[HistoryEntry, ...]:
        """Returns the newest ``limit`` actions (with an id below ``before``), newest first."""
        first = before if before is not None else 2**62
        return history.entries(self.query, "a.id < ? ORDER BY a.id DESC LIMIT ?", (first, limit))

    def set_annotator(self, name: str) -> str:
        """Makes ``name`` the acting annotator and returns their key. A new name is written with their first action."""
        key = self._people.key_of(self.query, name.strip() or "Unnamed", make=not self.read_only)
        self.annotator_id = key or self.annotator_id
        return self.annotator_id

    def add_annotator(self, name: str) -> str:
        """Returns the key of an annotator whose work is imported; a new name is written immediately."""
        with self.results("Add annotator") as write:  # also writes the acting annotator
            key = self._people.key_of(self.query, name)
            if not key:
                key = new_id()
                people.write(write.execute, key, name)
                write.touched("annotator", [key])
        return key

    def annotators(self) -> tuple[tuple[str, str], ...]:
        """Returns (key, name) of all annotators in the project, oldest first, and of the acting one."""
        rows = self.query("SELECT id, name FROM annotator ORDER BY created_at, id")
        return (*((row[0], row[1]) for row in rows), *self._people.unwritten(self.annotator_id))

    def set_title(self, title: str) -> None:
        self.set_info("title", title)

    def set_info(self, key: str, value: str) -> None:
        """Writes a value for ``info``, without an undo step."""
        with self.results("Change the project's settings") as write:
            write.db.table("project_info").upsert({"key": key, "value": value}, pk="key")
            write.touched("project_info", [key])

    def put_blob(self, content: bytes, media_type: str) -> str:
        """Stores a file under its content's SHA-256, which is returned in hex. Equal content is stored once."""
        return blobs.put(self, content, media_type)

    def get_blob(self, sha256: str) -> bytes:
        """Returns the content stored under this hash. Raises DamagedProject if it no longer matches."""
        return blobs.get(self, sha256)

    def check(self) -> tuple[str, ...]:
        """Returns damage as sentences: SQLite's checks, references, and hashes of stored files. Reads only."""
        return file_problems(self.path) or tuple(blobs.problems(self))

    @property
    def last_entry(self) -> int:
        """The number of the last journal entry; 0 if there is none."""
        return int(self.query("SELECT coalesce(max(seq), 0) FROM journal")[0][0])

    def back_up(
        self, reason: str = "regular", progress: Callable[[float], None] | None = None, *, without: str = ""
    ) -> Backup:
        """Makes a verified backup, leaving out the ``project_info`` entry ``without``. Can run in a background job."""
        with sentences(self.path):
            return make_backup(self.connection(), self.path, reason, progress, without=without)

    def save_copy(self, target: Path) -> None:
        """Writes a copy of the project as it is now, even if its file was removed. Raises BadInput if the target
        exists, DamagedProject if the readable part of the project fails the check."""
        save_copy(self.connection(), target)

    def compact(self) -> int:
        """Drops files that nothing refers to and rebuilds the file; returns the number of bytes saved. Files that an
        undo could restore are kept."""
        with self._writing, sentences(self.path):
            self._refuse_if_unwritable()
            self.checkpoint()
            before = self.path.stat().st_size
            journal.drop_unused_files(self.connection())
            self._note()
            self.rebuild()
        return before - self.path.stat().st_size

    def rebuild(self) -> None:
        """Rewrites the file without free pages and empties the write-ahead log. Raises EnvironmentProblem if there is
        no room, or if another program is reading the file, whose log then still contains old data."""
        with self._writing, sentences(self.path):
            self._refuse_if_unwritable()
            self.connection().execute("VACUUM")
            busy = self.connection().execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
            self._note()
        if busy:
            raise EnvironmentProblem(
                f"Another program is reading {self.path.name}.",
                "The file couldn't be rebuilt, so it may still contain old data.",
                "Close the other program and try again.",
            )


class Store:
    """Base class of the domains' stores; holds the project whose tables they read and write."""

    def __init__(self, project: Project) -> None:
        self._project = project
