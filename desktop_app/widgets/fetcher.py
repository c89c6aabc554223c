"""Short work that is too slow for the GUI thread but needs no job: opening a file, decoding a text."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress

from PySide6.QtCore import QObject, Qt, Signal

from engine.errors import Cancelled, EnvironmentProblem


class Fetcher(QObject):
    """Runs functions on threads of their own, each under a name; a newer one replaces the result of an older one with
    the same name."""

    fetched = Signal(str, object)
    """The name, and the function's result."""
    failed = Signal(str, object)
    """The name, and the EnvironmentProblem."""
    _arrived = Signal(str, int, object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._numbers: dict[str, int] = {}
        self._threads: list[threading.Thread] = []
        self._arrived.connect(self._take, Qt.ConnectionType.QueuedConnection)

    def fetch(self, name: str, work: Callable[[], object]) -> None:
        """Runs ``work()``; emits ``fetched`` or ``failed`` unless the name is fetched again before."""
        number = self._numbers[name] = self._numbers.get(name, 0) + 1

        def run() -> None:
            try:
                found: object = work()
            except EnvironmentProblem as problem:
                found = problem
            except Cancelled:
                return
            if self._numbers.get(name) == number:
                with suppress(RuntimeError):  # the window was closed meanwhile
                    self._arrived.emit(name, number, found)

        thread = threading.Thread(target=run, name=f"fetch {name}", daemon=True)
        self._threads = [other for other in self._threads if other.is_alive()] + [thread]
        thread.start()

    @property
    def busy(self) -> bool:
        """Whether a function is running."""
        return any(thread.is_alive() for thread in self._threads)

    def forget(self) -> None:
        """Drops the results of everything fetched so far."""
        self._numbers = {name: number + 1 for name, number in self._numbers.items()}

    def _take(self, name: str, number: int, found: object) -> None:
        if self._numbers.get(name) != number:
            return
        if isinstance(found, EnvironmentProblem):
            self.failed.emit(name, found)
        else:
            self.fetched.emit(name, found)
