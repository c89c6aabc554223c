"""Processes that read PDFs, kept from test to test, and what they said of a file: starting one, and reading the same
paper again, takes longer than most tests. Tests of the processes themselves (tests/engine/documents) don't use this."""

from __future__ import annotations

import hashlib
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
    """Two processes that are idle whenever no lane has them. One that a test killed is replaced before the next."""

    def __init__(self) -> None:
        self._new = lanes._Process
        self._kept: list[Any] = []
        self._idle: list[Any] = []

    def ready(self) -> None:
        self._kept = [one for one in self._kept if one.alive]
        self._idle = [one for one in self._idle if one.alive]
        while len(self._kept) < 2:
            self._kept.append(self._new(MEMORY))
            self._idle.append(self._kept[-1])

    def take(self, memory: int) -> Any:
        """In place of a new process."""
        alive = [one for one in self._idle if one.alive and memory == MEMORY]
        if not alive:
            return self._new(memory)
        self._idle.remove(alive[0])
        return alive[0]

    def close(self, lane: Lane) -> None:
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

    def end(self) -> None:
        for one in self._kept:
            if one.alive:
                one.kill()


@contextmanager
def shared_readers() -> Iterator[Readers]:
    """Services take and leave their processes here, and remember what was read."""
    readers, asked = Readers(), DocumentService._asked
    said: dict[tuple[str, str], tuple[dict[str, Any], bytes]] = {}

    def remembered(service: DocumentService, request: dict[str, Any], pdf: Any = b"", *more: Any, **how: Any) -> Any:
        if request["op"] not in ("inspect", "parse") or not isinstance(pdf, bytes):
            return asked(service, request, pdf, *more, **how)
        key = request["op"], hashlib.sha256(pdf).hexdigest()
        if key not in said:
            said[key] = asked(service, request, pdf, *more, **how)
        return said[key]

    def close(lane: Lane) -> None:
        readers.close(lane)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lanes, "_Process", readers.take)
        patch.setattr(Lane, "close", close)
        patch.setattr(DocumentService, "_asked", remembered)
        yield readers
    readers.end()
