"""Backups: verified copies in a folder beside the project, thinned with age; restoring keeps the file it replaces."""

from __future__ import annotations

import re
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

from engine.errors import BadInput, Cancelled, EnvironmentProblem
from engine.project.database import DamagedProject, connect, problem_from, read_header, sentences
from engine.project.lock import WriterLock
from engine.project.records import Backup

_STAMP = "%Y-%m-%dT%H-%M-%S-%fZ"
_NAME = re.compile(r"(\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{6}Z)\.([a-z-]+)\.rejoinder")
_COPY_PAGES = 2_048
KEEP_NEWEST = 5


def backup_folder(path: Path) -> Path:
    """Where the backups of a project stand: beside it, so that they move with it and stay as confidential as it is."""
    return path.with_name(f"{path.stem}.backups")


def backups(path: Path) -> tuple[Backup, ...]:
    """All backups of the project at ``path``, newest first; each was verified when it was made."""
    found = []
    folder = backup_folder(path)
    if folder.is_dir():
        for file in folder.iterdir():
            if match := _NAME.fullmatch(file.name):
                created = datetime.strptime(match[1], _STAMP).replace(tzinfo=UTC)
                found.append(Backup(file, created.isoformat(), file.stat().st_size, match[2].replace("-", " ")))
    return tuple(sorted(found, key=lambda backup: backup.created_at, reverse=True))


def last_good_backup(path: Path) -> Backup | None:
    """The newest backup that still passes a check."""
    return next((backup for backup in backups(path) if not file_problems(backup.path, quick=True)), None)


def file_problems(path: Path, *, quick: bool = False) -> tuple[str, ...]:
    """What is wrong with the file, as sentences; reads only. ``quick`` skips the comparison of indexes with tables."""
    try:
        read_header(path)
        with sentences(path), closing(connect(path, read_only=True)) as connection:
            check = "quick_check" if quick else "integrity_check"
            rows = [row[0] for row in connection.execute(f"PRAGMA {check}(20)")]
            problems = [] if rows == ["ok"] else rows
            for row in connection.execute("PRAGMA foreign_key_check"):
                problems.append(f"a row of {row[0]} refers to a row of {row[2]} that is not there")
            return tuple(problems)
    except EnvironmentProblem as problem:
        return (str(problem),)
    except sqlite3.Error as error:
        return (str(problem_from(error, path) or error),)


def copy_database(source: sqlite3.Connection, target: Path, progress: Callable[[float], None] | None = None) -> None:
    """A consistent copy of an open database (with its write-ahead log), in steps that keep no writer waiting.

    Raises:
        EnvironmentProblem: the disk is full or the folder cannot be written; no half copy is left.
    """

    def step(_status: int, remaining: int, total: int) -> None:
        if progress is not None and total:
            progress(1 - remaining / total)

    try:
        with sentences(target), closing(sqlite3.connect(target, isolation_level=None)) as copy:
            source.backup(copy, pages=_COPY_PAGES if progress else -1, progress=step, sleep=0.001)
            # A copy is one file, with no log beside it.
            copy.execute("PRAGMA journal_mode = DELETE")
    except (EnvironmentProblem, Cancelled, OSError):
        target.unlink(missing_ok=True)
        raise


def make_backup(
    source: sqlite3.Connection,
    path: Path,
    reason: str = "regular",
    progress: Callable[[float], None] | None = None,
) -> Backup:
    """Copies, verifies, names and thins. ``reason`` is one or two plain words (regular, before-migration, asked).

    Raises:
        DamagedProject: the copy does not pass the check, so the project itself is damaged; older backups are kept.
        EnvironmentProblem: no room or no right to write.
    """
    folder = backup_folder(path)
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise EnvironmentProblem(
            f"The folder for backups, {folder}, cannot be made ({error.strerror}).",
            "There is no new backup.",
            "Copy the project to a folder of your own.",
        ) from error
    stamp = datetime.now(UTC).strftime(_STAMP)
    unfinished = folder / f"{stamp}.unfinished"
    copy_database(source, unfinished, progress)
    problems = file_problems(unfinished, quick=True)
    if problems:
        unfinished.unlink(missing_ok=True)
        raise DamagedProject(
            f"{path.name} is damaged: {problems[0]}.",
            "The older backups are untouched.",
            "Restore the last good backup.",
        )
    finished = folder / f"{stamp}.{reason.replace(' ', '-')}.rejoinder"
    unfinished.rename(finished)
    _thin(path)
    return next(backup for backup in backups(path) if backup.path == finished)


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
    """Puts a backup in the project's place; the file that stood there is kept beside it and its new path returned.

    Raises:
        BadInput: the backup is not sound, or the project is open elsewhere; nothing was changed.
    """
    problems = file_problems(backup)
    if problems:
        raise BadInput(
            f"The backup {backup.name} is not sound: {problems[0]}.",
            "Nothing was changed.",
            "Choose an older one.",
        )
    lock = WriterLock(path)
    if not lock.acquire():
        raise BadInput(f"{path.name} is open.", "It cannot be replaced while it is.", "Close it and try again.")
    try:
        stamp = datetime.now(UTC).strftime(_STAMP)
        fresh = path.with_name(f".{path.name}.restoring")
        shutil.copyfile(backup, fresh)
        kept: Path | None = None
        if path.exists():
            kept = path.with_name(f"{path.stem}.replaced-{stamp}{path.suffix}")
            path.rename(kept)
            for ending in ("-wal", "-shm"):
                beside = path.with_name(path.name + ending)
                if beside.exists():
                    beside.rename(kept.with_name(kept.name + ending))
        fresh.replace(path)
        return kept
    finally:
        lock.release()
