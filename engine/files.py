"""Files that are written completely or not at all: private temporary names, durable renames, removal of leftovers."""

import errno
import json
import os
import re
import secrets
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from engine.errors import BadInput, EnvironmentProblem

PRIVATE_FILE, PRIVATE_FOLDER = 0o600, 0o700
SIDECARS = ("-wal", "-shm", "-journal")
"""The suffixes of files that SQLite may create next to a database."""
_UMASK = os.umask(0o077)
os.umask(_UMASK)  # the umask can only be read by setting it; done once, before there are threads that create files
EXPORTED_FILE = 0o666 & ~_UMASK
UNFINISHED = re.compile(r"\.rejoinder-[0-9a-f]{32}\.unfinished(-wal|-shm|-journal|\.lock)?")
_LONGEST_NAME = 255 - len("..lock") - len("-journal")


@contextmanager
def whole_file(target: Path, *, replace: bool = False, mode: int = PRIVATE_FILE) -> Iterator[Path]:
    """Yields a private, empty file in the target's folder, which gets the target's name if the body succeeds.

    Its name is hidden and unpredictable; it is created with O_EXCL, so no planted link is followed. The content is
    synchronised to disk before the rename, and the folder after it. If the process is killed, only the hidden file is
    left; ``remove_leftovers`` recognises it by its lock being free.

    Raises:
        FileExistsError: the target exists and ``replace`` is false; nothing was changed.
        OSError: the folder can't be written.
    """
    path = target.with_name(f".rejoinder-{secrets.token_hex(16)}.unfinished")
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0), PRIVATE_FILE)
    try:
        _claim(handle)
        yield path
        if hasattr(os, "fchmod"):
            os.fchmod(handle, mode)
        os.fsync(handle)
        if replace:
            path.replace(target)
        else:
            _rename_to_new(path, target)
        sync_folder(target.parent)
    finally:
        os.close(handle)
        for ending in ("", *SIDECARS, ".lock"):
            with suppress(OSError):
                path.with_name(path.name + ending).unlink()


def write_whole(path: Path, content: bytes, *, make_folders: bool = False) -> None:
    """Writes a file that the user chose, with the permissions given by the umask. An existing file is replaced as a
    whole and keeps its permissions; a device or pipe receives the content. Raises EnvironmentProblem if it can't be
    written; an existing file is then unchanged. Never replaces a project."""
    from engine.project.live import refuse_live, refuse_project

    refuse_live(path)
    refuse_project(path)
    try:
        if make_folders:
            path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists() and not path.is_file():
            path.write_bytes(content)
            return
        path = path.resolve()
        mode = mode_of(path) if path.exists() else EXPORTED_FILE
        with whole_file(path, replace=True, mode=mode) as unfinished:
            unfinished.write_bytes(content)
    except OSError as error:
        full = error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
        raise EnvironmentProblem(
            f"{path.name} couldn't be written: {error.strerror}.",
            "The project and any existing file of that name weren't changed.",
            f"{'Free some space or choose' if full else 'Choose'} another folder, then try again.",
        ) from error


def _claim(handle: int) -> None:
    """Locks the file so that other processes see it is in use. Windows doesn't delete open files anyway."""
    if sys.platform == "win32":
        return
    import fcntl

    with suppress(OSError):
        # flock, not lockf: SQLite's own locks on the same file are of the other kind and don't conflict with it.
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _rename_to_new(path: Path, target: Path) -> None:
    try:
        os.link(path, target)
    except FileExistsError:
        raise
    except OSError:  # file systems without hard links
        if os.path.lexists(target):
            raise FileExistsError(target) from None
        path.rename(target)


def remove_leftovers(folder: Path) -> tuple[str, ...]:
    """Deletes unfinished files of processes that have ended; returns their names. Files in use are kept."""
    removed = []
    with suppress(OSError):
        for entry in sorted(os.scandir(folder), key=lambda entry: entry.name):  # a file comes before its sidecars
            match = UNFINISHED.fullmatch(entry.name)
            if match and not (match[1] and Path(entry.path.removesuffix(match[1])).exists()) and _is_free(entry.path):
                with suppress(OSError):
                    Path(entry.path).unlink()
                    removed.append(entry.name)
    return tuple(removed)


def _is_free(path: str) -> bool:
    try:
        handle = os.open(path, os.O_RDWR | getattr(os, "O_NOFOLLOW", 0))
    except (OSError, EnvironmentProblem):  # the second is raised for a name of an open project (live.py)
        return False
    try:
        if sys.platform != "win32":
            import fcntl

            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    finally:
        os.close(handle)
    return True


def sync_folder(folder: Path) -> None:
    """Makes renames in a folder durable where the platform supports it (Windows can't open folders)."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def make_private_folder(folder: Path) -> None:
    """Creates a folder, and missing parents, that only its owner can enter. Existing folders keep their permissions."""
    for part in (*reversed(folder.parents), folder):
        if not part.exists():
            part.mkdir(mode=PRIVATE_FOLDER, exist_ok=True)


def make_private_file(path: Path) -> None:
    """Creates an empty file that only its owner can read, or restricts the permissions of an existing one (version 0.1
    created it readable by others). SQLite's files next to it get the same permissions."""
    make_private_folder(path.parent)
    if not path.exists():  # opening a file that SQLite has open would drop its locks
        with suppress(FileExistsError):
            os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, PRIVATE_FILE))
    elif mode_of(path) != PRIVATE_FILE:
        path.chmod(PRIVATE_FILE)


def mode_of(path: Path) -> int:
    """Returns a file's permission bits, or those of a private file if it doesn't exist."""
    try:
        return stat.S_IMODE(path.stat().st_mode)
    except OSError:
        return PRIVATE_FILE


def refuse_long_name(path: Path) -> None:
    """Raises BadInput if the name is too long for the files that SQLite and the lock create next to it."""
    if len(os.fsencode(path.name)) > _LONGEST_NAME:
        raise BadInput(
            f"The name “{path.name[:40]}…” is too long for a project.",
            "Nothing was changed.",
            f"Choose a name of at most {_LONGEST_NAME} characters.",
        )


def json_object(path: Path) -> dict[str, Any]:
    """Returns the JSON object in one of the program's own files, or {} if it is missing or can't be read."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
