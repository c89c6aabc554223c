"""Files that are either whole or not there: private temporary names, durable renames, leftovers of killed processes."""

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
"""What SQLite may put beside a database, by the ending of its name."""
_UMASK = os.umask(0o077)
os.umask(_UMASK)  # it can only be read by setting it; done once, before there are threads that make files
EXPORTED_FILE = 0o666 & ~_UMASK
_UNFINISHED = re.compile(r"\.rejoinder-[0-9a-f]{32}\.unfinished(-wal|-shm|-journal|\.lock)?")
_LONGEST_NAME = 255 - len("..lock") - len("-journal")


@contextmanager
def whole_file(target: Path, *, replace: bool = False, mode: int = PRIVATE_FILE) -> Iterator[Path]:
    """A private, empty file in the target's folder that takes the target's name when the block ends without an error.

    Its name is hidden and cannot be guessed; it is made with O_EXCL, so that no link planted there is followed. The
    content is synchronised to the disk before the rename and the folder after it. If the process is killed, only the
    hidden file is left, which ``remove_leftovers`` recognises by its lock being free.

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
    """Writes a file to the place that the user chose, with the rights that the user's umask gives. An existing file is
    replaced as a whole; a device or pipe gets the content.

    Raises:
        EnvironmentProblem: it can't be written; an existing file is as it was.
    """
    from engine.project.live import refuse_live

    refuse_live(path)
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
        raise EnvironmentProblem(
            f"{path.name} couldn't be written: {error.strerror}.",
            "The project and any existing file of that name weren't changed.",
            "Free some space or choose another folder, then try again.",
        ) from error


def _claim(handle: int) -> None:
    """Shows other processes that the file is in use. Windows refuses to delete open files without that."""
    if sys.platform == "win32":
        return
    import fcntl

    with suppress(OSError):
        # flock and not lockf: SQLite's own locks on the same file are of the other kind and don't meet this one.
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
    """Deletes the unfinished files of processes that are gone; returns their names. Files in use are kept."""
    removed = []
    with suppress(OSError):
        for entry in sorted(os.scandir(folder), key=lambda entry: entry.name):  # a file before what is beside it
            match = _UNFINISHED.fullmatch(entry.name)
            if match and not (match[1] and Path(entry.path.removesuffix(match[1])).exists()) and _is_free(entry.path):
                with suppress(OSError):
                    Path(entry.path).unlink()
                    removed.append(entry.name)
    return tuple(removed)


def _is_free(path: str) -> bool:
    try:
        handle = os.open(path, os.O_RDWR | getattr(os, "O_NOFOLLOW", 0))
    except (OSError, EnvironmentProblem):  # the second is raised where it is a name of an open project (live.py)
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
    """Makes renames in a folder durable, where the platform can (Windows can't open folders)."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def make_private_folder(folder: Path) -> None:
    """Makes a folder, and the ones above it, that only its owner can enter; existing ones keep their rights."""
    for part in (*reversed(folder.parents), folder):
        if not part.exists():
            part.mkdir(mode=PRIVATE_FOLDER, exist_ok=True)


def make_private_file(path: Path) -> None:
    """Makes an empty file that only its owner can read, where there is none; takes the rights of others off one that
    version 0.1 made. What SQLite puts beside it gets the same rights."""
    make_private_folder(path.parent)
    if not path.exists():  # opening one that SQLite has open would drop its locks
        with suppress(FileExistsError):
            os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, PRIVATE_FILE))
    elif mode_of(path) != PRIVATE_FILE:
        path.chmod(PRIVATE_FILE)


def mode_of(path: Path) -> int:
    """The permission bits of a file; private where there is none."""
    try:
        return stat.S_IMODE(path.stat().st_mode)
    except OSError:
        return PRIVATE_FILE


def refuse_long_name(path: Path) -> None:
    """Raises BadInput where SQLite and the lock could not put their own files beside one of this name."""
    if len(os.fsencode(path.name)) > _LONGEST_NAME:
        raise BadInput(
            f"The name “{path.name[:40]}…” is too long for a project.",
            "Nothing was changed.",
            f"Choose a name of at most {_LONGEST_NAME} characters.",
        )


def json_object(path: Path) -> dict[str, Any]:
    """The JSON object in a file of our own; empty where there is none that can be read."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
