"""Guards this process's open project files against being opened by anything but SQLite.

POSIX drops all of a process's locks on a file as soon as the process closes any descriptor of it (fcntl(2), "advisory
record locking"). SQLite would lose its locks, another program could then delete the write-ahead log, and later changes
would be written to an unlinked file. Therefore each ``open`` by Python code in this process is compared with the files
in use, by device and inode instead of name.
"""

import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

from engine.errors import BadInput

_live: dict[tuple[int, int], Path] = {}
_hooked = False


def identity(path: Path | str) -> tuple[int, int] | None:
    """Returns a file's device and inode, or None if it doesn't exist, without opening it."""
    try:
        found = os.stat(path)  # noqa: PTH116 - called for every file that Python opens
    except (OSError, ValueError):
        return None
    return found.st_dev, found.st_ino


def guard(path: Path) -> None:
    """Refuses any other opening of the file and its write-ahead log in this process until ``unguard``."""
    global _hooked  # noqa: PLW0603 - an audit hook can be added, never removed
    if not _hooked:
        sys.addaudithook(_refuse)
        _hooked = True
    if (known := identity(path)) is not None:
        _live[known] = path


def unguard(path: Path) -> None:
    """Ends ``guard``; does nothing if the file wasn't guarded."""
    for known in [known for known, guarded in _live.items() if guarded == path]:
        del _live[known]


def _refuse(event: str, arguments: tuple[Any, ...]) -> None:
    if event == "open" and _live and not isinstance(arguments[0], int):
        refuse_live(arguments[0])


def refuse_live(name: str | bytes | Path) -> None:
    """Raises BadInput if the file, under any name, is a project that is open in this process."""
    path = _live_file(os.fsdecode(name))
    if path is not None:
        raise BadInput(
            f"{path.name} is the open project.",
            "It can't be used for anything else until you close it. Nothing was changed.",
            "Choose another file, or close the project first.",
        )


def refuse_project(path: Path) -> None:
    """Raises BadInput if a file to be overwritten is a project. It must not be open in this process: closing it would
    release the locks that SQLite holds on it."""
    if not path.is_file():
        return
    with suppress(OSError), path.open("rb") as file:
        head = file.read(72)
        # SQLite file format, section 1.3
        if head.startswith(b"SQLite format 3\0") and head[68:] == b"RJND":
            raise BadInput(f"{path.name} is a Rejoinder project.", "It wasn't overwritten.", "Choose another name.")


def _live_file(name: str) -> Path | None:
    if (found := identity(name)) is None:
        return None
    if found in _live:
        return _live[found]
    if name.endswith(("-wal", "-shm")):
        for path in _live.values():
            if any(identity(f"{path}{ending}") == found for ending in ("-wal", "-shm")):
                return path
    return None
