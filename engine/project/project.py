"""The project: one SQLite file, actions that are one transaction and one undo step each, and what changed.

    with project.action("Link comment to edit") as act:
        act.insert("edit_link", {"comment_id": comment_id, "edit_id": edit_id})

There is no Save. Results of models go through ``results``: a transaction too, but no undo step.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType, TracebackType
from typing import TYPE_CHECKING, Any, Self

from engine.errors import BadInput, EnvironmentProblem
from engine.files import whole_file
from engine.project import journal
from engine.project.action import Action
from engine.project.backup import copy_database, file_problems, make_backup
from engine.project.database import DamagedProject, connect, sentences, writing_to
from engine.project.ids import new_id, now
from engine.project.live import guard, unguard
from engine.project.lock import WriterLock, read_holder
from engine.project.records import Backup, ChangeKind, Changes, CheckReport, HistoryEntry, Holder
from engine.project.tables import database
from engine.project.watch import FileChanged, FileWatch, Lock, abandon

COALESCE_SECONDS = 60.0
ERASED = "erased"
"""The coalescing key of steps that erased something for good: no undo takes them back."""
if TYPE_CHECKING:
    from sqlite_utils.db import Database

Subscriber = Callable[[Changes], None]
_ENTRIES = (
    "SELECT a.id, a.title, n.name, a.created_at, a.updated_at, a.state,"
    " (SELECT count(*) FROM journal j WHERE j.action_id = a.id) AS changes, a.annotator_id"
    " FROM action a JOIN annotator n ON n.id = a.annotator_id"
)


class Project:
    """An open project file. Made by ``create`` or ``open``; safe to use from several threads, each gets a connection.

    Attributes:
        path: where the file is, symbolic links resolved.
        read_only: whether writing is refused; ``read_only_reason`` says why, ``holder`` which other process has it.
        annotator_id: who acts; "" in a read-only project without annotators.
    """

    def __init__(
        self,
        path: Path,
        *,
        lock: Lock | None,
        read_only_reason: str = "",
        holder: Holder | None = None,
        copy: Path | None = None,
    ) -> None:
        """``copy``: where a copy of the file is read from, since it can't be read in its place; removed in the end."""
        self.path = path
        self.read_only_reason = read_only_reason
        self.holder = holder
        self.annotator_id = ""
        self._new_annotator: tuple[str, str] | None = None
        """Key and name of the last one who was made to act and had no row yet."""
        self._lock = lock
        self._copy = copy
        self._local = threading.local()
        self._connections: list[sqlite3.Connection] = []
        self._connections_guard = threading.Lock()
        self._writing = threading.RLock()
        self._open_action: Action | None = None
        self._depth = 0
        self._subscribers: list[Subscriber] = []
        self._closed = False
        self._last_step: tuple[int, float] | None = None
        self._commits = 0
        self._stopped: FileChanged | None = None
        self._watch: FileWatch | None = None
        if lock is not None:
            guard(path)
            self._watch = FileWatch(path, lock, self._new_connection())

    # opening and closing --------------------------------------------------------------------------------------------
    @classmethod
    def create(cls, path: Path | str, title: str = "", annotator: str = "") -> Project:
        """A new project at ``path``. Raises BadInput where a file already stands: nothing is ever overwritten."""
        from engine.project import opening

        return opening.create(Path(path), title, annotator)

    @classmethod
    def open(
        cls,
        path: Path | str,
        *,
        annotator: str = "",
        read_only: bool = False,
        progress: Callable[[float], None] | None = None,
    ) -> Project:
        """Opens a project; see ``engine.project.opening`` for the gate, migration and what leads to read-only."""
        from engine.project import opening

        return opening.open_project(Path(path), annotator=annotator, read_only=read_only, progress=progress)

    @property
    def read_only(self) -> bool:
        """Whether this process may only read."""
        return self._lock is None

    @property
    def closed(self) -> bool:
        """Whether ``close`` was called."""
        return self._closed

    def close(self) -> None:
        """Closes every thread's connection and releases the file. May be called twice; changes nothing in the file."""
        with self._writing:
            if self._closed:
                return
            if self._commits and self._stopped is None:
                with suppress(sqlite3.Error, EnvironmentProblem):
                    self._connection().execute("PRAGMA optimize")
            self._closed = True
            with self._connections_guard:
                if self._stopped is not None:
                    abandon(self._connections, self.path, other_content=self._stopped.other_content)
                else:
                    for connection in self._connections:
                        connection.close()
                self._connections.clear()
            if self._lock is not None:
                unguard(self.path)
                self._lock.release()
            if self._copy is not None:
                shutil.rmtree(self._copy.parent, ignore_errors=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _connection(self) -> sqlite3.Connection:
        connection: sqlite3.Connection | None = getattr(self._local, "connection", None)
        if self._closed:
            raise EnvironmentProblem("The project is closed.", "Nothing was changed.", "Open it again.")
        if connection is None:
            connection = self._local.connection = self._new_connection()
        return connection

    def connection(self) -> sqlite3.Connection:
        """This thread's own connection, for reading by the other modules of ``engine.project``."""
        return self._connection()

    def _new_connection(self) -> sqlite3.Connection:
        connection = connect(self._copy or self.path, read_only=self.read_only)
        with self._connections_guard:
            self._connections.append(connection)
        return connection

    # reading --------------------------------------------------------------------------------------------------------
    @property
    def db(self) -> Database:
        """The tables through sqlite-utils, on this thread's own connection; for reading (what writes is an action)."""
        return database(self._connection())

    def query(self, sql: str, parameters: Sequence[Any] = ()) -> list[sqlite3.Row]:
        """All rows of a reading statement, on this thread's own connection."""
        with sentences(self.path):
            return self._connection().execute(sql, parameters).fetchall()

    def query_one(self, sql: str, parameters: Sequence[Any] = ()) -> sqlite3.Row | None:
        """The first row of a reading statement, or None."""
        with sentences(self.path):
            row: sqlite3.Row | None = self._connection().execute(sql, parameters).fetchone()
            return row

    def info(self, key: str, default: str = "") -> str:
        """A value of the project's own table of facts (title, id, created_at...)."""
        row = self.query_one("SELECT value FROM project_info WHERE key = ?", (key,))
        return default if row is None else str(row[0])

    @property
    def title(self) -> str:
        """The project's title as people gave it."""
        return self.info("title") or self.path.stem

    @property
    def id(self) -> str:
        """The project's own key; copies and backups share it."""
        return self.info("id")

    def current_holder(self) -> Holder | None:
        """Who has the file open for writing at this moment, this process included; None where nobody has."""
        if self.read_only:
            probe = WriterLock(self.path)
            if probe.acquire():
                probe.release()
                return None
        return read_holder(self.path)

    # writing --------------------------------------------------------------------------------------------------------
    @contextmanager
    def action(self, title: str, *, coalesce: str | None = None, initiator: object | None = None) -> Iterator[Action]:
        """One act of a person: one transaction, one undo step named ``title``.

        An action inside an action on the same thread joins it; if the inner one fails and the outer catches the error,
        only the inner part is taken back. With ``coalesce`` the act is added to the last step when that has the same
        key, is the person's own, is not undone, and was touched less than a minute ago (typing). An act that changed
        nothing leaves no step. If the body fails, nothing of it stays and older history is kept.

        Raises:
            EnvironmentProblem: the file is read-only, was removed, or the disk refused.
        """
        with self._writing, sentences(self.path):
            if self._open_action is not None:
                with self._savepoint():
                    yield self._open_action
                return
            with self._transaction() as connection:
                last_seq = connection.execute("SELECT coalesce(max(seq), 0) FROM journal").fetchone()[0]
                action_id, continued = self._begin_step(connection, title, coalesce)
                action = self._open_action = Action(connection, action_id, self.annotator_id)
                try:
                    yield action
                finally:
                    self._open_action = None
                rows = journal.touched_rows(connection, action_id, last_seq)
                if not rows and not continued:
                    connection.execute("DELETE FROM action WHERE id = ?", (action_id,))
                elif rows:
                    connection.execute(
                        "UPDATE action SET state = 'abandoned' WHERE state = 'undone' AND id <> ?",
                        (action_id,),
                    )
                connection.execute("UPDATE journal_context SET action_id = NULL")
            self._last_step = action_id, time.monotonic()
        self._announce(title, "action", journal.merge_rows([rows, action.declared]), initiator, action_id)

    @contextmanager
    def results(self, title: str, *, initiator: object | None = None) -> Iterator[Action]:
        """What a parser or model computed: one short transaction (aim for 10 ms), announced, but no undo step.

        The body declares the rows that it changed with ``touched``. Inside an action of the same thread it joins that.
        """
        with self._writing, sentences(self.path):
            if self._open_action is not None:
                yield self._open_action
                return
            with self._transaction() as connection:
                write = Action(connection, None, self.annotator_id)
                yield write
        self._announce(title, "results", journal.merge_rows([write.declared]), initiator, None)

    @contextmanager
    def rewriting(self, *, by_person: bool = False) -> Iterator[sqlite3.Connection]:
        """A transaction that leaves no trace in the history; subscribers are told that everything may have changed.

        ``by_person``: it refers to who acts, so they are written down first. Never inside an action.
        """
        with self._writing, sentences(self.path):
            if self._open_action is not None:
                raise RuntimeError("rewriting cannot run inside an action")
            with self._transaction(by_person=by_person) as connection:
                yield connection
            self._last_step = None
        self._announce_all("Changed outside of the history")

    @contextmanager
    def _transaction(self, *, by_person: bool = True) -> Iterator[sqlite3.Connection]:
        self._refuse_if_unwritable()
        connection = self._connection()
        if not self._commits and connection.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
            connection.execute("PRAGMA journal_mode = WAL")  # copies and backups come without a log
        connection.execute("BEGIN IMMEDIATE")
        try:
            if not self._commits:
                # It is never set between two acts, but a file from elsewhere may say otherwise.
                connection.execute("UPDATE journal_context SET action_id = NULL WHERE action_id IS NOT NULL")
            if by_person and (acting := self._unwritten()):
                connection.execute("INSERT INTO annotator VALUES (?, ?, ?, ?)", (*acting, moment := now(), moment))
            yield connection
            connection.execute("COMMIT")
        except BaseException:
            # SQLite may have rolled back by itself (disk full); never mask the first error.
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise
        if by_person and self._unwritten():
            self._new_annotator = None
        self._commits += 1
        self._note()

    @contextmanager
    def _savepoint(self) -> Iterator[None]:
        connection = self._connection()
        self._depth += 1
        name = f"nested_{self._depth}"
        connection.execute(f"SAVEPOINT {name}")
        try:
            yield
            connection.execute(f"RELEASE {name}")
        except BaseException:
            if connection.in_transaction:
                connection.execute(f"ROLLBACK TO {name}")
                connection.execute(f"RELEASE {name}")
            raise
        finally:
            self._depth -= 1

    def _begin_step(self, connection: sqlite3.Connection, title: str, coalesce: str | None) -> tuple[int, bool]:
        """The id of the step to write to, and whether it continues an older one."""
        moment = now()
        if coalesce is not None and self._last_step is not None:
            last = connection.execute("SELECT * FROM action ORDER BY id DESC LIMIT 1").fetchone()
            known, when = self._last_step
            if (
                last is not None
                and last["id"] == known
                and last["coalesce_key"] == coalesce
                and last["state"] == "done"
                and last["annotator_id"] == self.annotator_id
                and time.monotonic() - when < COALESCE_SECONDS
            ):
                connection.execute("UPDATE action SET updated_at = ?, title = ? WHERE id = ?", (moment, title, known))
                connection.execute("UPDATE journal_context SET action_id = ?", (known,))
                return known, True
        cursor = connection.execute(
            "INSERT INTO action(title, annotator_id, state, coalesce_key, created_at, updated_at)"
            " VALUES (?, ?, 'done', ?, ?, ?)",
            (title, self.annotator_id, coalesce, moment, moment),
        )
        action_id = int(cursor.lastrowid or 0)
        connection.execute("UPDATE journal_context SET action_id = ?", (action_id,))
        return action_id, False

    def _refuse_if_unwritable(self) -> None:
        if self.read_only:
            raise EnvironmentProblem(
                f"{self.path.name} is open for reading only.",
                "Nothing was changed. " + self.read_only_reason,
                "Save a copy to work on it.",
            )
        self.look()

    def look(self) -> None:
        """Looks whether another program did something to the file. What it committed is announced to all subscribers
        as changes of every table.

        Raises:
            FileChanged: the file is no longer the one that was opened. From then on nothing is written to it.
        """
        with self._writing, sentences(self.path):
            if self._stopped is not None:
                raise self._stopped
            if self._closed or self._watch is None:
                return
            try:
                committed = self._watch.look()
            except FileChanged as problem:
                self._stopped = problem
                raise
            if committed:
                self._examine_again()
                self._announce_all("Changed by another program")

    def _announce_all(self, title: str) -> None:
        tables = self.query("SELECT name FROM sqlite_schema WHERE type = 'table'")
        self._announce(title, "elsewhere", {row[0]: frozenset() for row in tables}, None, None)

    def _examine_again(self) -> None:
        from engine.project.schema import ForeignSchema, examine

        try:
            examine(self.path, self.query("PRAGMA user_version")[0][0])
        except ForeignSchema as problem:
            self._stopped = FileChanged(f"Another program changed the structure of {self.path.name}.")
            raise self._stopped from problem

    def _note(self) -> None:
        """Own writing is done: what the file looks like now is how it should be."""
        if self._watch is not None:
            self._watch.note()

    @property
    def commits(self) -> int:
        """How many transactions were committed since the project was opened."""
        return self._commits

    def checkpoint(self) -> bool:
        """Moves what is only in the write-ahead log into the file, so that a copy of the file alone has everything.

        False where that has to wait, since another program is reading the file.
        """
        with self._writing, sentences(self.path):
            if self._closed or self._watch is None or self._open_action is not None:
                return False
            self.look()
            return self._watch.checkpoint()

    def _announce(
        self,
        title: str,
        kind: ChangeKind,
        rows: dict[str, frozenset[str]],
        initiator: object | None,
        action_id: int | None,
    ) -> Changes:
        changes = Changes(title, kind, MappingProxyType(rows), initiator, action_id)
        if rows:
            for subscriber in tuple(self._subscribers):
                subscriber(changes)
        return changes

    def subscribe(self, callback: Subscriber) -> Callable[[], None]:
        """Calls ``callback`` after each commit, on the committing thread; returns what ends it."""
        self._subscribers.append(callback)

        def unsubscribe() -> None:
            with suppress(ValueError):
                self._subscribers.remove(callback)

        return unsubscribe

    # undo and history -----------------------------------------------------------------------------------------------
    @property
    def undo_entry(self) -> HistoryEntry | None:
        """The act that ``undo`` would take back, or None."""
        row = self.query_one(f"{_ENTRIES} WHERE a.state = 'done' ORDER BY a.id DESC LIMIT 1")
        return None if row is None else HistoryEntry(*row)

    @property
    def redo_entry(self) -> HistoryEntry | None:
        """The act that ``redo`` would do again, or None."""
        row = self.query_one(f"{_ENTRIES} WHERE a.state = 'undone' ORDER BY a.id LIMIT 1")
        return None if row is None else HistoryEntry(*row)

    @property
    def undo_title(self) -> str | None:
        """The title of the act that ``undo`` would take back, or None."""
        return entry.title if (entry := self.undo_entry) else None

    @property
    def redo_title(self) -> str | None:
        """The title of the act that ``redo`` would do again, or None."""
        return entry.title if (entry := self.redo_entry) else None

    def undo(self, initiator: object | None = None) -> Changes | None:
        """Takes the last act back; None where there is none.

        Raises:
            BadInput: it erased something for good. ``go_to`` reaches the acts before it.
        """
        row = self.query_one("SELECT id, coalesce_key FROM action WHERE state = 'done' ORDER BY id DESC LIMIT 1")
        if row is not None and row["coalesce_key"] == ERASED:
            raise BadInput(
                "Erasing can't be undone.",
                "What you erased is gone. Nothing was changed.",
                "To undo an earlier step, choose it in History.",
            )
        return None if row is None else self._replay([row[0]], "undo", initiator)

    def redo(self, initiator: object | None = None) -> Changes | None:
        """Does the last act that was taken back again; None where there is none."""
        row = self.query_one("SELECT id FROM action WHERE state = 'undone' ORDER BY id LIMIT 1")
        return None if row is None else self._replay([row[0]], "redo", initiator)

    def go_to(self, action_id: int, initiator: object | None = None) -> Changes | None:
        """Undoes or redoes until ``action_id`` is the last act done (0: before the first), in one transaction.

        Raises:
            BadInput: the act was abandoned or never was.
        """
        if action_id:
            row = self.query_one("SELECT state FROM action WHERE id = ?", (action_id,))
            if row is None or row["state"] == "abandoned":
                raise BadInput("That step can no longer be reached.", "It was undone before other work took its place.")
        back = self.query(
            "SELECT id FROM action WHERE state = 'done' AND id > ? AND coalesce_key IS NOT ? ORDER BY id DESC",
            (action_id, ERASED),
        )
        if back:
            return self._replay([row[0] for row in back], "undo", initiator)
        forward = self.query("SELECT id FROM action WHERE state = 'undone' AND id <= ? ORDER BY id", (action_id,))
        return self._replay([row[0] for row in forward], "redo", initiator) if forward else None

    def _replay(self, action_ids: Sequence[int], kind: ChangeKind, initiator: object | None) -> Changes:
        backwards = kind == "undo"
        with self._writing, sentences(self.path):
            if self._open_action is not None:
                raise RuntimeError("undo and redo cannot run inside an action")
            try:
                with self._transaction() as connection:
                    parts = []
                    for action_id in action_ids:
                        parts.append(journal.replay(connection, action_id, backwards=backwards))
                        connection.execute(
                            "UPDATE action SET state = ? WHERE id = ?",
                            ("undone" if backwards else "done", action_id),
                        )
                    title = connection.execute("SELECT title FROM action WHERE id = ?", (action_ids[-1],)).fetchone()[0]
            except sqlite3.IntegrityError as error:
                raise EnvironmentProblem(
                    "This step can't be undone or redone.",
                    "What it refers to is no longer in the project. Nothing was changed.",
                ) from error
            except journal.BrokenJournal as error:
                raise DamagedProject(
                    f"The history of {self.path.name} is damaged: {error}.",
                    "This step can't be undone or redone. Nothing was changed.",
                    "Go on working; to get back what was there before, restore a backup.",
                ) from error
        return self._announce(title, kind, journal.merge_rows(parts), initiator, action_ids[-1])

    def history(self, limit: int = 200, before: int | None = None) -> tuple[HistoryEntry, ...]:
        """The newest ``limit`` acts (those with an id below ``before``), newest first."""
        rows = self.query(
            f"{_ENTRIES} WHERE a.id < ? ORDER BY a.id DESC LIMIT ?", (before if before is not None else 2**62, limit)
        )
        return tuple(HistoryEntry(*row) for row in rows)

    # people and files -----------------------------------------------------------------------------------------------
    def set_annotator(self, name: str) -> str:
        """Makes ``name`` the one who acts from now on; returns the key. A new name is written with their first act."""
        name = name.strip() or "Unnamed"
        row = self.query_one("SELECT id FROM annotator WHERE name = ?", (name,))
        if row is not None:
            self.annotator_id = row[0]
        elif not self.read_only:
            if self._new_annotator is None or self._new_annotator[1] != name:
                self._new_annotator = new_id(), name
            self.annotator_id = self._new_annotator[0]
        return self.annotator_id

    def add_annotator(self, name: str) -> str:
        """The key of a person whose work is brought in, whoever acts; a new name is written at once."""
        with self.results("Add annotator") as write:  # writes who acts, too
            row = write.execute("SELECT id FROM annotator WHERE name = ?", (name,)).fetchone()
            if row is not None:
                return str(row[0])
            key, moment = new_id(), now()
            write.execute("INSERT INTO annotator VALUES (?, ?, ?, ?)", (key, name, moment, moment))
            write.touched("annotator", [key])
        return key

    def _unwritten(self) -> tuple[str, str] | None:
        """Key and name of who acts, where they have no row yet."""
        new = self._new_annotator
        return new if new is not None and new[0] == self.annotator_id else None

    def annotators(self) -> tuple[tuple[str, str], ...]:
        """(key, name) of everybody who acted in the project, oldest first, and of who acts now."""
        rows = self.query("SELECT id, name FROM annotator ORDER BY created_at, id")
        acting = self._unwritten()
        return (*((row[0], row[1]) for row in rows), *((acting,) if acting else ()))

    def set_title(self, title: str) -> None:
        """Gives the project another title."""
        with self.results("Rename project") as write:
            write.execute("INSERT OR REPLACE INTO project_info(key, value) VALUES ('title', ?)", (title,))
            write.touched("project_info", ["title"])

    def put_blob(self, content: bytes, media_type: str) -> str:
        """Keeps a file by its content; returns its SHA-256 in hex. The same content is kept once."""
        key = hashlib.sha256(content).hexdigest()
        if self.query_one("SELECT 1 FROM blob WHERE sha256 = ?", (key,)) is None:
            with self.results("Keep file") as write:
                write.execute(
                    "INSERT OR IGNORE INTO blob(sha256, media_type, size, bytes) VALUES (?, ?, ?, ?)",
                    (key, media_type, len(content), content),
                )
        return key

    def get_blob(self, sha256: str) -> bytes:
        """The content kept under this hash. Raises DamagedProject when it does not match its hash any more."""
        row = self.query_one("SELECT bytes FROM blob WHERE sha256 = ?", (sha256,))
        if row is None:
            raise EnvironmentProblem(
                "A file of this project is missing in it.", "It cannot be shown.", "Import it again."
            )
        content = bytes(row[0])
        if hashlib.sha256(content).hexdigest() != sha256:
            raise DamagedProject(
                "A file inside the project is damaged.",
                "It cannot be shown.",
                "Restore the last good backup, or import it again.",
            )
        return content

    # care -----------------------------------------------------------------------------------------------------------
    def check(self, *, quick: bool = False) -> CheckReport:
        """Looks for damage without changing anything: SQLite's own check, references, and the hashes of kept files."""
        started = datetime.now(UTC)
        problems = list(file_problems(self.path, quick=quick))
        if not quick and not problems:
            for row in self.query("SELECT sha256, bytes FROM blob"):
                if hashlib.sha256(row["bytes"]).hexdigest() != row["sha256"]:
                    problems.append(f"the kept file {row['sha256'][:12]}… no longer matches its hash")
        return CheckReport(tuple(problems), (datetime.now(UTC) - started).total_seconds())

    @property
    def last_entry(self) -> int:
        """The number of the last entry of the journal; 0 where nobody has done anything yet."""
        row = self.query_one("SELECT coalesce(max(seq), 0) FROM journal")
        return 0 if row is None else int(row[0])

    def back_up(
        self, reason: str = "regular", progress: Callable[[float], None] | None = None, *, without: str = ""
    ) -> Backup:
        """Makes a verified backup, ``without`` one fact of the project; may run in a job while people
        work."""
        with sentences(self.path):
            return make_backup(self._connection(), self.path, reason, progress, without=without)

    def save_copy(self, target: Path) -> None:
        """Writes a copy of the project as it is now; also rescues an open project whose file was removed.

        Raises:
            BadInput: the target exists. DamagedProject: what can be read of the project is not sound.
        """
        if os.path.lexists(target):
            raise BadInput(f"{target.name} already exists.", "Nothing was written.", "Choose another name.")
        with writing_to(target), whole_file(target) as unfinished:
            copy_database(self._connection(), unfinished)
            if problems := file_problems(unfinished, quick=True):
                raise DamagedProject(
                    f"The copy would be damaged: {problems[0]}.",
                    "No copy was written, since part of the project can't be read any more.",
                    "Restore the last good backup.",
                )

    def compact(self) -> int:
        """Drops files that nothing refers to any more and rebuilds the file; returns the bytes won.

        Files that an undo could bring back are kept, since the journal still names their hashes.
        """
        with self._writing, sentences(self.path):
            self._refuse_if_unwritable()
            self.checkpoint()
            before = self.path.stat().st_size
            journal.drop_unused_files(self._connection())
            self._note()
            self.rebuild()
        return before - self.path.stat().st_size

    def rebuild(self) -> None:
        """Writes the file again without free pages, and empties the write-ahead log.

        Raises:
            EnvironmentProblem: there is no room, or another program is reading the file; it is as it was.
        """
        with self._writing, sentences(self.path):
            self._refuse_if_unwritable()
            self._connection().execute("VACUUM")
            busy = self._connection().execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
            self._note()
        if busy:
            raise EnvironmentProblem(
                f"Another program is reading {self.path.name}.",
                "The file could not be rebuilt, so old content may still be in it.",
                "Close the other program and try again.",
            )
