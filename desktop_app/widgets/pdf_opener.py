"""Makes documents ready to draw without the window waiting: fetching and opening have a thread of their own."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal

from engine.errors import Cancelled, EnvironmentProblem

if TYPE_CHECKING:
    from engine.documents.service import DocumentService, OpenDocument


class PdfOpener(QObject):
    """Opens one document after another, each under a name; a later request of the same name takes its place."""

    opened = Signal(str, object)
    """The name, and the OpenDocument."""
    failed = Signal(str, object)
    """The name, and the EnvironmentProblem."""
    _arrived = Signal(str, int, object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._numbers: dict[str, int] = {}
        self._threads: list[threading.Thread] = []
        self._arrived.connect(self._take, Qt.ConnectionType.QueuedConnection)

    def open(self, name: str, service: DocumentService, fetch: Callable[[], bytes]) -> None:
        """Has ``fetch()`` opened; ``opened`` or ``failed`` follows unless the name is asked for again first."""
        number = self._numbers[name] = self._numbers.get(name, 0) + 1

        def work() -> None:
            try:
                found: OpenDocument | EnvironmentProblem = service.open(fetch())
            except EnvironmentProblem as problem:
                found = problem
            except Cancelled:
                return
            if self._numbers.get(name) == number:
                self._arrived.emit(name, number, found)

        self._threads = [thread for thread in self._threads if thread.is_alive()]
        thread = threading.Thread(target=work, name=f"open {name}", daemon=True)
        self._threads.append(thread)
        thread.start()

    def forget(self) -> None:
        """Nothing that was asked for so far is delivered any more."""
        self._numbers = {name: number + 1 for name, number in self._numbers.items()}

    def wait(self) -> None:
        """Waits for the threads, at most some seconds; for the end of the widget that owns this."""
        self.forget()
        for thread in self._threads:
            thread.join(timeout=5.0)

    def _take(self, name: str, number: int, found: OpenDocument | EnvironmentProblem) -> None:
        if self._numbers.get(name) != number:
            return
        if isinstance(found, EnvironmentProblem):
            self.failed.emit(name, found)
        else:
            self.opened.emit(name, found)
