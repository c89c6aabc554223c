"""Creating and opening projects: the schema is checked before anything in the file runs; older files are migrated as a
copy."""

import os
import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, nullcontext, suppress
from pathlib import Path
from typing import TypeVar

from engine.errors import BadInput, EnvironmentProblem
from engine.files import mode_of, refuse_long_name, remove_leftovers, whole_file
from engine.project import erasing, migrations
from engine.project.backup import (
    backup_folder,
    copy_database,
    file_problems,
    make_backup,
    make_backups_private,
    undo_set_aside,
)
from engine.project.database import DamagedProject, connect, connect_to_look, schema_of, sentences, writing_to
from engine.project.ids import new_id, not_before, now
from engine.project.lock import WriterLock, read_holder, user
from engine.project.records import ProjectFile
from engine.project.schema import examine, filling
from engine.project.watch import Unshared

P = TypeVar("P", bound=ProjectFile)
"""The class to instantiate, normally ``Project``."""
_SAVE_A_COPY = "Save a copy to a folder of your own to work on it."


def create(make: Callable[..., P], path: Path, title: str, annotator: str) -> P:
    """Creates a project file. The folder must exist, and the name must not be taken."""
    path = path.absolute()
    refuse_long_name(path)
    if not path.parent.is_dir():
        raise BadInput(f"The folder {path.parent} doesn't exist.", "Nothing was created.", "Create the folder first.")
    if os.path.lexists(path):
        raise BadInput(f"{path.name} already exists.", "Nothing was overwritten.", "Choose another name, or open it.")
    with (
        writing_to(path),
        whole_file(path) as unfinished,
        filling(unfinished, migrations.latest_version()) as connection,
    ):
        _describe(connection, title or path.stem)
    return open_project(make, path, annotator=annotator)


def _describe(connection: sqlite3.Connection, title: str) -> None:
    connection.executemany(
        "INSERT INTO project_info(key, value) VALUES (?, ?)",
        [("id", new_id()), ("title", title), ("created_at", now())],
    )
    connection.execute("PRAGMA journal_mode = WAL")


def open_project(make: Callable[..., P], path: Path, *, annotator: str = "", read_only: bool = False) -> P:
    """Opens the project at ``path``. Opening, reading and closing changes nothing in the file.

    The path is resolved first, so that the file itself is locked and migrated, whatever name is used. The schema is
    compared with the released one before anything in the file can run. A file opens read-only, with a reason, if it is
    from a newer Rejoinder, held by another process, has a second name (hard link), or can't be written. An older file
    is backed up, migrated as a copy, validated, and swapped in; if any of that fails, the file is unchanged.

    Raises:
        BadInput: there is no project. DamagedProject: it can't be read.
        ForeignSchema: it has schema objects that Rejoinder didn't create.
    """
    path = path.resolve()
    refuse_long_name(path)
    if path.is_file() and not read_only and os.access(path.parent, os.W_OK):
        undo_set_aside(path)
    try:
        version = schema_of(path)
    except EnvironmentProblem as problem:
        if not _needs_room(problem):
            raise
        return _open_copy(make, path, annotator)
    latest = migrations.latest_version()
    lock: WriterLock | None = None
    if version == 0:
        raise DamagedProject(f"{path.name} has no content.", "It was never finished.", "Restore the last good backup.")
    reason = "It was opened read-only." if read_only else _why_not_writable(path, version)
    if not reason:
        lock = WriterLock(path)
        if not lock.acquire():
            if lock.problem:
                reason = f"The lock file can't be created next to it: {lock.problem}. {_SAVE_A_COPY}"
            else:
                holder = read_holder(path)
                who = f"{holder.sentence()} " if holder else ""
                reason = f"Another Rejoinder has it open. {who}Close it there, or save a copy to work on it."
            lock = None
    try:
        if lock is not None and (reason := _second_name(path)):
            lock.release()
            lock = None
        examine(path, version)
        if lock is not None:
            _prepare(path, lock)
        if version < latest:
            if lock is None:
                return _open_migrated(make, path, reason, annotator)
            _migrate_swapped(path)
        return _opened(make, path, lock, reason, annotator)
    except BaseException:
        if lock is not None:
            lock.release()
        raise


def open_unshared(make: Callable[..., P], path: Path) -> P:
    """Opens a file with an unpredictable name (``whole_file``) for writing, without lock, holder and backups."""
    examine(path, schema_of(path))
    return _act_as(make(path, lock=Unshared()), "")


def _why_not_writable(path: Path, version: int) -> str:
    if version > migrations.latest_version():
        return (
            f"It was written by a newer Rejoinder (schema {version}; this version supports "
            f"{migrations.latest_version()}). Install the newer version to work on it."
        )
    if not os.access(path, os.W_OK) or not os.access(path.parent, os.W_OK):
        return f"You don't have permission to write to the file or its folder. {_SAVE_A_COPY}"
    return ""


def _second_name(path: Path) -> str:
    """Returns why a file with hard links isn't written (SQLite's log belongs to one name, and another program may be
    using the other), or ""."""
    remove_leftovers(path.parent)
    if path.stat().st_nlink < 2:
        return ""
    return (
        "The file has a second name (a hard link), and another program could write to it under that name. "
        f"{_SAVE_A_COPY}"
    )


def _prepare(path: Path, lock: WriterLock) -> None:
    """Cleans up what a killed process left behind. Raises DamagedProject if the file itself is damaged."""
    remove_leftovers(backup_folder(path))
    _remove_leftovers_of_0_1(path)
    make_backups_private(path)
    log = path.with_name(path.name + "-wal")
    unfinished_log = log.exists() and log.stat().st_size > 0
    lock.sign()
    if (lock.left_open or unfinished_log) and (problems := file_problems(path, quick=True)):
        raise DamagedProject(
            f"{path.name} is damaged: {problems[0]}.",
            "It wasn't closed properly, and part of it can't be read.",
            "Restore the last good backup.",
        )


def _remove_leftovers_of_0_1(path: Path) -> None:
    """Version 0.1 gave unfinished copies fixed names and didn't remove them after being killed."""
    names = [f".{path.name}.{what}" for what in ("new", "migrating", "restoring")]
    old = [*(path.with_name(name) for name in names), *backup_folder(path).glob("*.unfinished")]
    for file in old:
        for ending in ("", "-wal", "-shm", "-journal"):
            with suppress(OSError):
                file.with_name(file.name + ending).unlink()


def _opened(make: Callable[..., P], path: Path, lock: WriterLock | None, reason: str, annotator: str) -> P:
    try:
        with sentences(path):
            project = _act_as(make(path, lock=lock, read_only_reason=reason), annotator)
        _finish_erasing(project)
        return project
    except EnvironmentProblem as problem:
        if lock is None or not _needs_room(problem):
            raise
    lock.release()
    return _open_copy(make, path, annotator)


def _finish_erasing(project: ProjectFile) -> None:
    """Completes an interrupted erasure. If that fails, the mark is kept and the window reports it."""
    if not project.read_only and project.info(erasing.MARK):
        with suppress(EnvironmentProblem):
            erasing.finish(project)


def _open_copy(make: Callable[..., P], path: Path, annotator: str) -> P:
    """Opens a project read-only if even the files that SQLite creates next to it can't be written. Reads the file
    itself, or, because a log can't be read without those files, a private copy of both."""
    log = path.with_name(path.name + "-wal")
    with _private(path) if log.exists() and log.stat().st_size > 0 else nullcontext() as copy:
        if copy is not None:
            with writing_to(copy):
                for file in (path, log):
                    shutil.copyfile(file, copy.with_name(file.name))
        version = schema_of(copy or path)
        examine(copy or path, version)
        if version < migrations.latest_version():
            raise EnvironmentProblem(
                f"{path.name} was written by an older Rejoinder and must be upgraded first.",
                f"There isn't enough space for that: {_room(path)}.",
                "Free some space, or copy the project to another disk and open the copy.",
            )
        no_room = f"There isn't enough space to write to it: {_room(path)}. {_SAVE_A_COPY}"
        reason = _why_not_writable(path, version) or no_room
        return _act_as(make(path, lock=None, read_only_reason=reason, copy=copy), annotator)


def _open_migrated(make: Callable[..., P], path: Path, reason: str, annotator: str) -> P:
    """Opens a file with an older schema that can't be written: migrates a private copy and opens that read-only."""
    with _private(path) as copy:
        copy_up_to_date(path, copy)
        return _act_as(make(path, lock=None, read_only_reason=reason, copy=copy), annotator)


@contextmanager
def _private(path: Path) -> Iterator[Path]:
    """Yields a path for a private copy of a file; its folder is removed if the body fails."""
    folder = Path(tempfile.mkdtemp(prefix="rejoinder-"))
    try:
        yield folder / path.name
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise


def copy_up_to_date(path: Path, copy: Path) -> None:
    """Writes ``copy`` as a copy of an older project, migrated to the current schema."""
    with writing_to(copy), closing(connect_to_look(path)) as source:
        copy_database(source, copy)
    with closing(connect(copy)) as copied:
        migrations.migrate(copied)


def _needs_room(problem: EnvironmentProblem) -> bool:
    """Returns whether SQLite couldn't create its files next to an open database."""
    cause = problem.__cause__
    codes = {sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY}
    return isinstance(cause, sqlite3.Error) and getattr(cause, "sqlite_errorcode", 0) & 0xFF in codes


def _room(path: Path) -> str:
    try:
        return f"{shutil.disk_usage(path.parent).free // 1_000:,} kB are free on the disk"
    except OSError:
        return "the disk can't be read"


def _act_as(project: P, annotator: str) -> P:
    try:
        not_before(project.query("SELECT coalesce(max(updated_at), '') FROM action")[0][0])
        if project.read_only:
            row = project.query_one("SELECT id FROM annotator ORDER BY created_at, id LIMIT 1")
            project.annotator_id = row[0] if row else ""
        else:
            project.set_annotator(annotator or user())
    except BaseException:
        project.close()
        raise
    return project


def _migrate_swapped(path: Path) -> None:
    with (
        writing_to(path),
        whole_file(path, replace=True, mode=mode_of(path)) as copy,
        closing(connect(path)) as connection,
    ):
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        make_backup(connection, path, "before-migration")
        copy_database(connection, copy)
        with closing(connect(copy)) as copied:
            copied.execute("PRAGMA journal_mode = MEMORY")
            migrations.migrate(copied)
        if problems := file_problems(copy):
            raise EnvironmentProblem(
                f"{path.name} couldn't be upgraded: {problems[0]}.",
                "It hasn't been changed, and a backup was made.",
                "Please report this with the version that wrote the file.",
            )
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
