"""Background calls that are too slow for the GUI thread but don't need a job, such as opening a file."""

import threading
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import Any, TypeVar

from PySide6.QtCore import QObject, Signal

from desktop_app.posting import posted
from desktop_app.timers import delayed
from engine.documents.store import DocumentStore
from engine.errors import Cancelled, EnvironmentProblem
from engine.reviews.records import Asks, Comment

T = TypeVar("T")


class Fetcher(QObject):
    """Runs requests made together on one thread, in order; a newer request replaces one with the same name.

    Threads start in the next iteration of the event loop, so that the requesting widget is painted first: decoding a
    text holds the GIL for tens of milliseconds. For the same reason one thread is faster than several.
    """

    fetched = Signal(str, object)
    """The name and the result; emitted after the request's ``done`` was called."""
    failed = Signal(str, object)
    """The name, and the EnvironmentProblem."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._numbers: dict[str, int] = {}
        self._threads: list[threading.Thread] = []
        self._waiting: dict[str, Callable[[], None]] = {}
        self._start = delayed(self, 0, self._start_waiting)
        self._done: dict[str, Callable[[Any], object] | None] = {}
        self._post = posted(self, Fetcher.take)

    def fetch(self, name: str, call: Callable[[], T], done: Callable[[T], object] | None = None) -> None:
        """Runs ``call()`` on a thread. Then ``done`` gets the result on this thread, and ``fetched`` or ``failed`` is
        emitted, unless the same name was requested again."""
        number = self._numbers[name] = self._numbers.get(name, 0) + 1
        self._done[name] = done
        numbers, post = self._numbers, self._post  # the thread holds no reference to the window

        def run() -> None:
            if numbers.get(name) != number:
                return
            try:
                found: object = call()
            except EnvironmentProblem as problem:
                found = problem
            except Cancelled:
                return
            if numbers.get(name) == number:
                post(name, number, found)

        self._waiting[name] = run
        self._start.start()

    def _start_waiting(self) -> None:
        runs, self._waiting = self._waiting, {}
        thread = threading.Thread(
            target=_run_all, args=(tuple(runs.values()),), name=f"fetch {', '.join(runs)}", daemon=True
        )
        self._threads = [other for other in self._threads if other.is_alive()] + [thread]
        thread.start()

    @property
    def busy(self) -> bool:
        return bool(self._waiting) or any(thread.is_alive() for thread in self._threads)

    def forget(self) -> None:
        """Drops all requests: those waiting aren't started, and results aren't delivered."""
        self._waiting.clear()
        self._start.stop()
        self._numbers.update({name: number + 1 for name, number in self._numbers.items()})

    def take(self, name: str, number: int, found: object) -> None:
        if self._numbers.get(name) != number:
            return
        if isinstance(found, EnvironmentProblem):
            self.failed.emit(name, found)
            return
        done = self._done.pop(name, None)
        if done is not None:
            done(found)
        self.fetched.emit(name, found)


def _run_all(runs: Sequence[Callable[[], None]]) -> None:
    with ExitStack() as rest:  # runs the rest even if one fails
        for run in reversed(runs):
            rest.callback(run)


def pdf_content(documents: DocumentStore, document_id: str) -> bytes:
    """Returns the bytes of a PDF. Raises Cancelled if its import was undone in the meantime."""
    try:
        return documents.pdf_bytes(document_id)
    except KeyError as gone:
        raise Cancelled from gone


def fetch_doubtful(fetcher: Fetcher, comments: Sequence[Comment], done: Callable[[dict[str, Asks]], object]) -> None:
    """Finds the comments that might not be requests, on a thread because the classifier takes a while to load."""

    def find() -> dict[str, Asks]:
        from engine.reviews.items import doubtful

        return doubtful(comments)

    fetcher.fetch("requests", find, done)
