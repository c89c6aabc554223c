"""Maintenance of an open project on a separate thread: checkpoints the log and notices changes by other programs."""

import threading
import time
from collections.abc import Callable

from engine.errors import EnvironmentProblem
from engine.project.project import Project
from engine.project.watch import FileChanged

EVERY = 1.0
"""Seconds between checks of the file."""
IDLE = 3.0
"""Seconds without an action after which the write-ahead log is moved into the file, so that the file alone is complete.
"""


class Keeper:
    """The maintenance thread of a project that is open for writing. Call ``stop`` before the project is closed."""

    def __init__(self, project: Project, on_problem: Callable[[FileChanged], None]) -> None:
        """``on_problem`` is called once, on the keeper's thread, if the file was changed from outside."""
        self._project, self._on_problem = project, on_problem
        self._wake = threading.Event()
        self._stopping = self._asked = False
        self._seen, self._since, self._kept = project.commits, time.monotonic(), project.commits
        self._thread = threading.Thread(target=self._run, name="rejoinder-keeper", daemon=True)
        self._thread.start()

    def checkpoint_soon(self) -> None:
        """Requests a checkpoint now, without waiting for a pause in the work."""
        self._asked = True
        self._wake.set()

    def stop(self) -> None:
        """Stops the thread and waits for it."""
        self._stopping = True
        self._wake.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._stopping:
            self._wake.wait(EVERY)
            self._wake.clear()
            if self._stopping or self._project.closed:
                return
            try:
                self._project.look()
                self._checkpoint_if_idle()
            except FileChanged as problem:
                self._on_problem(problem)
                return
            except EnvironmentProblem:
                continue  # for example a full disk: nothing is lost by moving the log later

    def _checkpoint_if_idle(self) -> None:
        if asked := self._asked:  # before the commits are counted: a request that comes later is kept
            self._asked = False
        commits, moment = self._project.commits, time.monotonic()
        if commits != self._seen:
            self._seen, self._since = commits, moment
        wanted = commits != self._kept and (asked or moment - self._since >= IDLE)
        if wanted and self._project.checkpoint():
            self._kept = commits
