"""Backups: verified copies in a folder beside the project, thinned with age; restoring keeps the file it replaces."""

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
"""Number, time, last entry of the journal, reason. Backups of version 0.1 have neither number nor entry."""
_COPY_PAGES = 2_048
KEEP_NEWEST = 5


def backup_folder(path: Path) -> Path:
    """Where the backups of a project are: beside it, so that they move with it and stay as confidential as it is."""
    path = path.resolve()
    return path.with_name(f"{path.stem}.backups")


def backups(path: Path) -> tuple[Backup, ...]:
    """All backups of the project at ``path``, newest first; each was verified when it was made.

    The newest is the one with the highest number, whatever time the clock showed.
    """
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
    """The newest backup that still passes a check."""
    return next((backup for backup in backups(path) if not file_problems(backup.path, quick=True)), None)


def file_problems(path: Path, *, quick: bool = False) -> tuple[str, ...]:
    """What is wrong with the file, as sentences; reads only. ``quick`` skips the comparison of indexes with tables."""
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
        return (str(error),)  # what has a sentence came as an ``EnvironmentProblem``


def copy_database(source: sqlite3.Connection, target: Path, progress: Callable[[float], None] | None = None) -> None:
    """A consistent copy of an open database (with its write-ahead log) into the empty file ``target``, in steps that
    keep no writer waiting.

    Raises:
        EnvironmentProblem: the disk is full or the folder can't be written.
    """

    def step(_status: int, remaining: int, total: int) -> None:
        if progress is not None and total:
            progress(1 - remaining / total)

    with sentences(target), closing(sqlite3.connect(target, isolation_level=None)) as copy:
        # The caller synchronises the finished file and throws an unfinished one away.
        copy.execute("PRAGMA synchronous = OFF")
        copy.execute("PRAGMA journal_mode = OFF")
        source.backup(copy, pages=_COPY_PAGES if progress else -1, progress=step, sleep=0.001)
        # A copy is one file, with no log beside it.
        copy.execute("PRAGMA journal_mode = DELETE")


def make_backup(
    source: sqlite3.Connection,
    path: Path,
    reason: str = "regular",
    progress: Callable[[float], None] | None = None,
    *,
    without: str = "",
) -> Backup:
    """Copies, verifies, names and thins. ``reason`` is one or two plain words (regular, before-migration, asked);
    ``without`` names a fact of the project that the backup lacks.

    Raises:
        DamagedProject: the copy does not pass the check, so the project itself is damaged; older backups are kept.
        EnvironmentProblem: no room or no right to write.
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
    """Takes the rights of others off the backups that version 0.1 made; those that aren't ours are left alone."""
    folder = backup_folder(path)
    with suppress(OSError):
        if folder.is_dir():
            folder.chmod(PRIVATE_FOLDER)
            for backup in backups(path):
                backup.path.chmod(PRIVATE_FILE)


def _thin(path: Path) -> None:
    """Keeps the newest, then one an hour for a day, one a day for a month, one a month after; migrations' always."""
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
    """Puts a backup in the project's place; the file that was there is kept beside it and its new path returned.

    Raises:
        BadInput: the backup is not sound, or the project is open elsewhere; nothing was changed.
        ForeignSchema: the backup has parts that no Rejoinder wrote.
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
    """Gives the file a second name, and its log to that name alone; the first name is free to be replaced then.

    The log goes first: a log that stays behind would be played into the file that takes the first name. If the process
    is killed before the replacement, ``undo_set_aside`` gives it back.
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
    """Finishes what a ``restore`` that was killed left: the log goes back to the file, or the second name goes.

    A restore that is still running holds the lock, and nothing is done.
    """
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
        BadInput: the target exists. DamagedProject: what can be read of the project is not sound.
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
