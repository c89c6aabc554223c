"""How a project is made and opened: version gate before any write, then back up, migrate a copy, validate, swap."""

from __future__ import annotations

import getpass
import os
import platform
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from engine.errors import BadInput, EnvironmentProblem
from engine.project import migrations
from engine.project.backup import copy_database, file_problems, make_backup
from engine.project.database import APPLICATION_ID, DamagedProject, connect, read_header, sentences
from engine.project.ids import new_id, now
from engine.project.lock import WriterLock
from engine.project.project import Project
from engine.project.records import Holder

SUFFIX = ".rejoinder"
_REQUIRED_TABLES = {"project_info", "action", "journal", "journal_context", "journalled_table", "annotator"}


def create(path: Path, title: str, annotator: str) -> Project:
    """A new project file; the folder must exist and no file may stand there."""
    path = path.absolute()
    if path.exists():
        raise BadInput(f"{path.name} already exists.", "Nothing was overwritten.", "Choose another name, or open it.")
    if not path.parent.is_dir():
        raise BadInput(f"The folder {path.parent} does not exist.", "Nothing was made.", "Make the folder first.")
    unfinished = path.with_name(f".{path.name}.new")
    try:
        with sentences(path), closing(connect(unfinished, create=True)) as connection:
            migrations.migrate(connection, APPLICATION_ID)
            moment = now()
            connection.executemany(
                "INSERT INTO project_info(key, value) VALUES (?, ?)",
                [("id", new_id()), ("title", title or path.stem), ("created_at", moment)],
            )
            # Migration ran with a rollback journal, so the header of the finished file is right without its log.
            connection.execute("PRAGMA journal_mode = WAL")
        unfinished.rename(path)
    except (EnvironmentProblem, OSError) as error:
        unfinished.unlink(missing_ok=True)
        if isinstance(error, EnvironmentProblem):
            raise
        raise BadInput(
            f"No project can be made in {path.parent} ({error.strerror}).", do="Choose a folder of your own."
        ) from error
    return open_project(path, annotator=annotator)


def open_project(
    path: Path,
    *,
    annotator: str = "",
    read_only: bool = False,
    progress: Callable[[float], None] | None = None,
) -> Project:
    """Opens the project at ``path``.

    The header is read first, without a database. A file from a newer Rejoinder opens read-only and says so, as does one
    that another process holds, or one in a place that cannot be written. An older file is backed up, migrated as a
    copy, validated, and swapped in; if any of that fails the file is as it was.

    Raises:
        BadInput: no project there. DamagedProject: it cannot be read.
    """
    path = path.absolute()
    header = read_header(path)
    latest = migrations.latest_version()
    lock: WriterLock | None = None
    reason = ""
    holder: Holder | None = None
    if header.schema_version == 0:
        raise DamagedProject(f"{path.name} has no content.", "It was never finished.", "Restore the last good backup.")
    if read_only:
        reason = "It was opened for reading only."
    elif header.schema_version > latest:
        reason = (
            f"It was written by a newer Rejoinder (schema {header.schema_version}; this one knows {latest}). "
            "Install the newer version to work on it."
        )
    elif not os.access(path, os.W_OK) or not os.access(path.parent, os.W_OK):
        reason = "The file or its folder cannot be written by you."
    else:
        lock = WriterLock(path)
        if not lock.acquire():
            lock = None
            holder = read_holder(path)
            reason = "Another Rejoinder has it open. " + (holder.sentence() if holder else "")
    try:
        with sentences(path):
            if lock is not None and header.schema_version < latest:
                _migrate_swapped(path, progress)
            elif lock is None and header.schema_version < latest:
                raise EnvironmentProblem(
                    f"{path.name} was written by an older Rejoinder and must be brought up to date first.",
                    reason,
                    "Copy it to a folder of your own and open the copy.",
                )
            project = Project(path, lock=lock, read_only_reason=reason.strip(), holder=holder)
            try:
                _take_hold(project, annotator)
            except BaseException:
                project.close()
                raise
            return project
    except BaseException:
        if lock is not None:
            lock.release()
        raise


def _take_hold(project: Project, annotator: str) -> None:
    tables = {row[0] for row in project.query("SELECT name FROM sqlite_schema WHERE type = 'table'")}
    if not tables >= _REQUIRED_TABLES:
        raise DamagedProject(
            f"{project.path.name} lacks parts that every project has.",
            "It cannot be opened.",
            "Restore the last good backup.",
        )
    if project.read_only:
        row = project.query_one("SELECT id FROM annotator ORDER BY created_at LIMIT 1")
        project.annotator_id = row[0] if row else ""
        return
    unclean = project.query_one("SELECT 1 FROM project_info WHERE key = 'holder.process'") is not None
    if unclean:
        problems = file_problems(project.path, quick=True)
        if problems:
            raise DamagedProject(
                f"{project.path.name} is damaged: {problems[0]}.",
                "It was not closed properly, and part of it cannot be read.",
                "Restore the last good backup.",
            )
    moment = now()
    with project.results("Open project") as write:
        # An action that was cut off never committed; its context cannot have stayed. Reset all the same.
        write.execute("UPDATE journal_context SET action_id = NULL WHERE action_id IS NOT NULL")
        for key, value in (
            ("holder.user", _user()),
            ("holder.host", platform.node()),
            ("holder.process", str(os.getpid())),
            ("holder.since", moment),
        ):
            write.execute("INSERT OR REPLACE INTO project_info(key, value) VALUES (?, ?)", (key, value))
    project.set_annotator(annotator or _user())


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError, ImportError):
        return "Unnamed"


def read_holder(path: Path) -> Holder | None:
    """Who wrote down that it holds the file; it may have died since (the lock tells)."""
    try:
        with closing(connect(path, read_only=True)) as connection:
            found = dict(connection.execute("SELECT key, value FROM project_info WHERE key LIKE 'holder.%'").fetchall())
        return Holder(found["holder.user"], found["holder.host"], int(found["holder.process"]), found["holder.since"])
    except (sqlite3.Error, KeyError, ValueError):
        return None


def _migrate_swapped(path: Path, progress: Callable[[float], None] | None) -> None:
    copy = path.with_name(f".{path.name}.migrating")
    copy.unlink(missing_ok=True)
    try:
        with closing(connect(path)) as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            make_backup(connection, path, "before-migration", progress)
            copy_database(connection, copy, progress)
        with closing(connect(copy)) as connection:
            migrations.migrate(connection, APPLICATION_ID)
            connection.execute("PRAGMA journal_mode = WAL")
        problems = file_problems(copy)
        if problems:
            raise EnvironmentProblem(
                f"{path.name} could not be brought up to date: {problems[0]}.",
                "It is as it was, and a backup was made.",
                "Report this, with the version that wrote the file.",
            )
        copy.replace(path)
    finally:
        copy.unlink(missing_ok=True)
