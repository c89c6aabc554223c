"""Short work that is too slow for the GUI thread but needs no job: opening a file, decoding a text."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from functools import cache
from typing import Any, TypeVar

import shiboken6
from PySide6.QtCore import QObject, Qt, Signal

from desktop_app.timers import delayed
from engine.documents.store import DocumentStore
from engine.errors import Cancelled, EnvironmentProblem
from engine.reviews.records import Comment

T = TypeVar("T")


class _Post(QObject):
    """Brings what threads found to the fetchers on the window's thread. It is never deleted: a thread that ended while
    the window of its fetcher was closing would emit a signal of an object that is going."""

    arrived = Signal(object, str, int, object)

    def __init__(self) -> None:
        super().__init__()
        self.arrived.connect(self._deliver, Qt.ConnectionType.QueuedConnection)

    def _deliver(self, own: weakref.ref[Fetcher], name: str, number: int, found: object) -> None:
        fetcher = own()
        if fetcher is not None and shiboken6.isValid(fetcher):
            fetcher.take(name, number, found)


@cache
def _post() -> _Post:
    return _Post()


class Fetcher(QObject):
    """Runs what is asked for at the same time on one thread, in order; a newer request replaces one of the same name.

    Threads start when the event loop comes round: what asked for the work is painted first, since decoding a text
    holds Python's lock for tens of milliseconds. For the same reason one thread is faster than several.
    """

    fetched = Signal(str, object)
    """The name and the result; emitted after the request's own ``done``."""
    failed = Signal(str, object)
    """The name, and the EnvironmentProblem."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._numbers: dict[str, int] = {}
        self._threads: list[threading.Thread] = []
        self._waiting: dict[str, Callable[[], None]] = {}
        self._start = delayed(self, 0, self._start_waiting)
        self._done: dict[str, Callable[[Any], object] | None] = {}
        self._own, self._post = weakref.ref(self), _post()

    def fetch(self, name: str, call: Callable[[], T], done: Callable[[T], object] | None = None) -> None:
        """Runs ``call()``; ``done`` gets its result on this thread, and ``fetched`` or ``failed`` is emitted, unless
        the same name is requested again first."""
        number = self._numbers[name] = self._numbers.get(name, 0) + 1
        self._done[name] = done
        numbers, own, post = self._numbers, self._own, self._post  # a thread holds nothing of a window

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
                post.arrived.emit(own, name, number, found)

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
        """Drops what was asked for so far: what hasn't begun doesn't begin, and results are not delivered."""
        self._waiting.clear()
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
    with ExitStack() as rest:  # which also runs where one of them fails
        for run in reversed(runs):
            rest.callback(run)


def pdf_content(documents: DocumentStore, document_id: str) -> bytes:
    """The bytes of a PDF; raises Cancelled where its import was undone meanwhile."""
    try:
        return documents.pdf_bytes(document_id)
    except KeyError as gone:
        raise Cancelled from gone


def fetch_doubtful(fetcher: Fetcher, comments: Sequence[Comment], done: Callable[[frozenset[str]], object]) -> None:
    """Finds the comments that may request nothing; what reads them takes a while to load."""

    def find() -> frozenset[str]:
        from engine.reviews.items import doubtful

        return doubtful(comments)

    fetcher.fetch("requests", find, done)
