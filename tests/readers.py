"""Processes that read PDFs, kept from test to test, and what they said of a file: starting one, and reading the same
paper again, takes longer than most tests. Tests of the processes themselves (tests/engine/documents) don't use this."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from engine.documents import lanes
from engine.documents.lanes import Lane
from engine.documents.service import DocumentService

MEMORY = 3_000_000_000
"""What a service allows a process by default."""


class Readers:
    """Two processes that are idle whenever no lane has them."""

    def __init__(self) -> None:
        self._new, self._asked = lanes._Process, DocumentService._asked
        self._kept: list[Any] = []
        self._idle: list[Any] = []
        self._said: dict[tuple[str, str], tuple[dict[str, Any], bytes]] = {}
        self._lock = threading.RLock()

    def ready(self) -> None:
        """Starts them, and in place of those that a test killed others."""
        with self._lock:
            self._forget_the_dead()
            while len(self._kept) < 2:
                made = self._new(MEMORY)
                self._kept.append(made)
                self._idle.append(made)

    def _forget_the_dead(self) -> None:
        self._kept, self._idle = ([one for one in list_ if one.alive] for list_ in (self._kept, self._idle))

    def _take(self, memory: int) -> Any:
        """In place of a new process."""
        with self._lock:
            if not self._kept:
                self.ready()
            alive = [one for one in self._idle if one.alive and memory == MEMORY]
            if not alive:
                return self._new(memory)
            self._idle.remove(alive[0])
            return alive[0]

    def _close(self, lane: Lane) -> None:
        """In place of ``Lane.close``: keeps a process that isn't at work."""
        with lane._swap:
            lane._closed = True
            process, lane._process = lane._process, None
        if process is None:
            return
        if process in self._kept and process.alive and lane._turn.acquire(blocking=False):
            lane._turn.release()
            self._idle.append(process)
        else:
            process.kill()

    def _answer(
        self, service: DocumentService, request: dict[str, Any], pdf: Any = b"", *more: Any, **how: Any
    ) -> tuple[dict[str, Any], bytes]:
        """In place of ``DocumentService._asked``."""
        if request["op"] not in ("inspect", "parse") or not isinstance(pdf, bytes):
            return self._asked(service, request, pdf, *more, **how)
        key = request["op"], hashlib.sha256(pdf).hexdigest()
        if key not in self._said:
            self._said[key] = self._asked(service, request, pdf, *more, **how)
        return self._said[key]

    @contextmanager
    def shared(self) -> Iterator[None]:
        """Services take and leave their processes here, and remember what was read."""
        self._forget_the_dead()
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(lanes, "_Process", self._take)
            patch.setattr(Lane, "close", lambda lane: self._close(lane))  # noqa: PLW0108 - binds the lane
            patch.setattr(DocumentService, "_asked", lambda *given, **how: self._answer(*given, **how))  # noqa: PLW0108
            yield

    def end(self) -> None:
        """Ends the processes."""
        for one in self._kept:
            if one.alive:
                one.kill()
