"""Backups: verified copies in a folder next to the project, thinned out with age. Restoring keeps the replaced file."""

import os
import re
import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

from engine.errors import BadInput, EnvironmentProblem, not_changed, not_written
from engine.files import PRIVATE_FILE, PRIVATE_FOLDER, SIDECARS, make_private_folder, mode_of, sync_folder, whole_file
from engine.project.database import DamagedProject, connect, connect_to_look, schema_of, sentences, writing_to
from engine.project.lock import WriterLock
from engine.project.records import Backup
from engine.project.schema import examine

_STAMP = "%Y-%m-%dT%H-%M-%S-%fZ"
_NAME = re.compile(r"(?:(\d{6,})\.)?(\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{6}Z)\.(?:s(\d+)\.)?([a-z-]+)\.rejoinder")
"""Number, time, last journal entry, reason. Backups of version 0.1 have neither a number nor an entry."""
_COPY_PAGES = 2_048
KEEP_NEWEST = 5


def backup_folder(path: Path) -> Path:
    """Returns the backup folder of a project: next to it, so that it moves with the project and is equally
    confidential."""
    path = path.resolve()
    return path.with_name(f"{path.stem}.backups")


def backups(path: Path) -> tuple[Backup, ...]:
    """Returns all backups of the project at ``path``, newest first. Each was verified when it was made. The newest is
    the one with the highest number, regardless of the clock."""
    found = []
    folder = backup_folder(path)
    if folder.is_dir():
        for file in folder.iterdir():
            if match := _NAME.fullmatch(file.name):
                created = datetime.strptime(match[2], _STAMP).replace(tzinfo=UTC)
                reason, entry = match[4].replace("-", " "), int(match[3]) if match[3] else None
                number, size = int(match[1] or 0), file.stat().st_size
                found.append(Backup(file, created.isoformat(), size, reason, number, entry))
    return tuple(sorted(found, key=lambda backup: (backup.number, backup.created_at), reverse=True))


def last_good_backup(path: Path) -> Backup | None:
    """Returns the newest backup that still passes a check, if any."""
    return next((backup for backup in backups(path) if not file_problems(backup.path, quick=True)), None)


def file_problems(path: Path, *, quick: bool = False) -> tuple[str, ...]:
    """Returns the file's problems as sentences, without changing it. ``quick`` skips comparing indexes with tables."""
    try:
        schema_of(path)
        with sentences(path), closing(connect_to_look(path)) as connection:
            check = "quick_check" if quick else "integrity_check"
            rows = [row[0] for row in connection.execute(f"PRAGMA {check}(20)")]
            problems = [] if rows == ["ok"] else rows
            for row in connection.execute("PRAGMA foreign_key_check"):
                problems.append(f"a row of {row[0]} refers to a row of {row[2]} that doesn't exist")
            return tuple(problems)
    except EnvironmentProblem as problem:
        return (str(problem),)
    except sqlite3.Error as error:
        return (str(error),)  # errors with a message of their own were raised as EnvironmentProblem


def copy_database(source: sqlite3.Connection, target: Path, progress: Callable[[float], None] | None = None) -> None:
    """Copies an open database, including its write-ahead log, consistently into the empty file ``target``. With
    ``progress``, it copies in steps, so that writers needn't wait.

    Raises:
        EnvironmentProblem: the disk is full or the folder can't be written.
    """

    def step(_status: int, remaining: int, total: int) -> None:
        if progress is not None and total:
            progress(1 - remaining / total)

    with sentences(target), closing(sqlite3.connect(target, isolation_level=None)) as copy:
        # The caller synchronises the finished file and deletes an unfinished one.
        copy.execute("PRAGMA synchronous = OFF")
        copy.execute("PRAGMA journal_mode = OFF")
        source.backup(copy, pages=_COPY_PAGES if progress else -1, progress=step, sleep=0.001)
        # The copy must be a single file without a log.
        copy.execute("PRAGMA journal_mode = DELETE")


def make_backup(
    source: sqlite3.Connection,
    path: Path,
    reason: str = "regular",
    progress: Callable[[float], None] | None = None,
    *,
    without: str = "",
) -> Backup:
    """Makes a backup, verifies and names it, and thins out older ones. ``reason`` is one or two plain words ("regular",
    "before migration"); ``without`` names an entry of ``project_info`` that the backup leaves out.

    Raises:
        DamagedProject: the copy fails the check, so the project itself is damaged; older backups are kept.
        EnvironmentProblem: the disk is full or the folder can't be written.
    """
    folder = backup_folder(path)
    number = max((backup.number for backup in backups(path)), default=0) + 1
    with sentences(path):
        entry = source.execute("SELECT coalesce(max(seq), 0) FROM journal").fetchone()[0]
    stamp = datetime.now(UTC).strftime(_STAMP)
    finished = folder / f"{number:06d}.{stamp}.s{entry}.{reason.replace(' ', '-')}.rejoinder"
    with writing_to(finished):
        make_private_folder(folder)
        with whole_file(finished) as unfinished:
            copy_database(source, unfinished, progress)
            if without:
                with closing(connect(unfinished)) as copy:
                    copy.execute("DELETE FROM project_info WHERE key = ?", (without,))
            if problems := file_problems(unfinished, quick=True):
                raise DamagedProject(
                    f"{path.name} is damaged: {problems[0]}.",
                    "Older backups weren't changed.",
                    "Restore the last good backup.",
                )
    _thin(path)
    return next(backup for backup in backups(path) if backup.path == finished)


def make_backups_private(path: Path) -> None:
    """Removes other users' permissions from backups made by version 0.1. Files of other owners are left alone."""
    folder = backup_folder(path)
    with suppress(OSError):
        if folder.is_dir():
            folder.chmod(PRIVATE_FOLDER)
            for backup in backups(path):
                backup.path.chmod(PRIVATE_FILE)


def _thin(path: Path) -> None:
    """Keeps the newest backups, then one per hour for a day, one per day for a month and one per month after that.
    Backups made before a migration are always kept."""
    kept_slots: set[str] = set()
    present = datetime.now(UTC)
    for number, backup in enumerate(backups(path)):
        created = datetime.fromisoformat(backup.created_at)
        age = present - created
        slot = created.strftime(
            "%Y%m%d%H" if age < timedelta(days=1) else "%Y%m%d" if age < timedelta(days=31) else "%Y%m"
        )
        if number >= KEEP_NEWEST and slot in kept_slots and backup.reason != "before migration":
            with suppress(OSError):
                backup.path.unlink()
        kept_slots.add(slot)


def restore(path: Path, backup: Path) -> Path | None:
    """Replaces the project with a backup. The replaced file is kept next to it; returns its new path, or None if there
    was no file.

    Raises:
        BadInput: the backup is damaged, or the project is open elsewhere; nothing was changed.
        ForeignSchema: the backup has schema objects that Rejoinder didn't create.
    """
    path = path.resolve()
    examine(backup, schema_of(backup))
    if problems := file_problems(backup):
        raise not_changed(f"The backup {backup.name} is damaged: {problems[0]}.", "Choose an older one.")
    lock = WriterLock(path)
    if not lock.acquire():
        raise BadInput(f"{path.name} is open.", "It can't be replaced while it's open.", "Close it and try again.")
    try:
        kept = None
        with (
            writing_to(path),
            whole_file(path, replace=True, mode=mode_of(path)) as unfinished,
            closing(connect_to_look(backup)) as source,
        ):
            copy_database(source, unfinished)
            if path.exists():
                kept = _set_aside(path)
        return kept
    finally:
        lock.release()


def _set_aside(path: Path) -> Path:
    """Gives the file a second name and moves its log to that name, so that the first name can be replaced.

    The log is moved first, because a log left behind would be applied to the new file of that name. If the process is
    killed before the replacement, ``undo_set_aside`` reverts this.
    """
    with suppress(sqlite3.Error), closing(connect(path)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    kept = path.with_name(f"{path.stem}.replaced-{datetime.now(UTC).strftime(_STAMP)}{path.suffix}")
    for ending in SIDECARS:
        beside = path.with_name(path.name + ending)
        if beside.exists():
            beside.rename(kept.with_name(kept.name + ending))
    sync_folder(path.parent)
    try:
        os.link(path, kept)
    except OSError:  # file systems without hard links
        path.rename(kept)
    sync_folder(path.parent)
    return kept


def undo_set_aside(path: Path) -> None:
    """Cleans up after a ``restore`` that was killed: moves the log back to the file, or deletes the second name. A
    restore that is still running holds the lock; then this does nothing."""
    prefix = f"{path.stem}.replaced-"
    if not any(file.name.startswith(prefix) for file in path.parent.iterdir()):
        return
    lock = WriterLock(path)
    if not lock.acquire():
        return
    try:
        kept = [file for file in path.parent.iterdir() if file.name.startswith(prefix)]
        for file in kept:
            with suppress(OSError):
                if file.samefile(path):
                    file.unlink()
        for wal in (file for file in kept if file.name.endswith("-wal")):
            name = wal.name.removesuffix("-wal")
            if not wal.with_name(name).exists():
                for ending in SIDECARS:
                    with suppress(OSError):
                        wal.with_name(name + ending).rename(path.with_name(path.name + ending))
    finally:
        lock.release()


def save_copy(connection: sqlite3.Connection, target: Path) -> None:
    """Writes a copy of an open project.

    Raises:
        BadInput: the target exists.
        DamagedProject: the readable part of the project fails the check.
    """
    if os.path.lexists(target):
        raise not_written(f"{target.name} already exists.", "Choose another name.")
    with writing_to(target), whole_file(target) as unfinished:
        copy_database(connection, unfinished)
        if problems := file_problems(unfinished, quick=True):
            raise DamagedProject(
                f"The copy would be damaged: {problems[0]}.",
                "No copy was saved, because part of the project can no longer be read.",
                "Restore the last good backup.",
            )
