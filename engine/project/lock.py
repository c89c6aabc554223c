"""One writer a file: a system lock in a hidden file beside the project, released by the system on any death."""

from __future__ import annotations

from pathlib import Path

from filelock import FileLock, Timeout


def lock_path(path: Path) -> Path:
    """Where the lock of a project stands."""
    return path.with_name(f".{path.name}.lock")


class WriterLock:
    """Held while a project is open for writing."""

    def __init__(self, path: Path) -> None:
        # thread_local=False: a project may be closed on another thread than the one that opened it.
        self._lock = FileLock(lock_path(path), timeout=0, thread_local=False, is_singleton=False)

    def acquire(self, wait: float = 0.0) -> bool:
        """Whether the lock was free, or came free within ``wait`` seconds; False also in an unwritable folder."""
        try:
            self._lock.acquire(timeout=wait)
        except (Timeout, OSError):
            return False
        return True

    def release(self) -> None:
        """Gives the lock back; the hidden file stays, since removing it would let two writers in."""
        self._lock.release(force=True)
