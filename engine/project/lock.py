"""One writer per file: a system lock on a hidden file next to the project, released when the process ends."""

import getpass
import json
import os
import platform
import stat
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from filelock import FileLock, Timeout

from engine.files import mode_of
from engine.project.ids import now
from engine.project.live import identity
from engine.project.records import Holder


def lock_path(path: Path) -> Path:
    return path.with_name(f".{path.name}.lock")


def _holder_path(path: Path) -> Path:
    return path.with_name(f".{path.name}.holder")


class WriterLock:
    """Held while a project is open for writing. Meanwhile, a file next to it says who holds it."""

    def __init__(self, path: Path) -> None:
        # thread_local=False: a project may be closed on a different thread than it was opened on.
        mode = mode_of(path) | stat.S_IRUSR | stat.S_IWUSR  # root can write to a read-only file
        self._lock = FileLock(lock_path(path), timeout=0, mode=mode, thread_local=False, is_singleton=False)
        self._path = path
        self._identity: tuple[int, int] | None = None
        self.problem = ""
        """Why the lock couldn't be created; empty if another process holds it."""
        self._signed = self.left_open = False
        """Whether the previous holder didn't release it, because the program was killed or the power failed."""

    def acquire(self, wait: float = 0.0) -> bool:
        """Returns whether the lock was acquired within ``wait`` seconds; False in a folder that can't be written."""
        try:
            self._lock.acquire(timeout=wait)
        except Timeout:
            return False
        except OSError as error:
            self.problem = error.strerror or str(error)
            return False
        self._identity = identity(lock_path(self._path))
        return True

    def sign(self) -> None:
        """Writes the holder's file, which others read with ``read_holder``."""
        path = _holder_path(self._path)
        self.left_open = path.exists()
        holder = {"user": user(), "host": platform.node(), "process": os.getpid(), "since": now()}
        with suppress(OSError):  # a full disk must not prevent opening the file
            path.unlink(missing_ok=True)
            handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode_of(self._path))
            self._signed = True
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                json.dump(holder, file)

    @property
    def lost(self) -> bool:
        """Whether the lock file was removed or replaced, so that another process could acquire the lock too."""
        return self._identity is None or identity(lock_path(self._path)) != self._identity

    def release(self) -> None:
        """Releases the lock. The hidden file is kept, because removing it could let two writers in."""
        if self._signed:
            self._signed = False
            with suppress(OSError):
                _holder_path(self._path).unlink(missing_ok=True)
        self._lock.release(force=True)


def read_holder(path: Path) -> Holder | None:
    """Returns who last signed for the file. That process may have ended since; only the lock shows that."""
    try:
        found = json.loads(_holder_path(path).read_text(encoding="utf-8"))
        since = datetime.fromisoformat(found["since"]).isoformat()
        return Holder(str(found["user"]), str(found["host"]), int(found["process"]), since)
    except (OSError, ValueError, KeyError, TypeError):
        return None


def user() -> str:
    """Returns the account's name, used for the holder and as the default name of an annotator."""
    try:
        return getpass.getuser()
    except (KeyError, OSError, ImportError):
        return "Unnamed"


def holder_now(path: Path) -> Holder | None:
    """Returns who has the file open for writing, for a process that only reads it."""
    probe = WriterLock(path)
    if probe.acquire():
        probe.release()
        return None
    return read_holder(path)
