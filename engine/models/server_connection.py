"""Requests to one language-model server: concurrent, over persistent connections, retried where that helps.

They run on an event loop in its own thread, so Cancel doesn't have to wait for the server.
"""

from __future__ import annotations

import asyncio
import html
import json
import queue
import re
import threading
import time
import weakref
from collections.abc import AsyncIterator, Callable, Generator, Sequence
from concurrent.futures import CancelledError, Future
from contextlib import suppress
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, Literal, Protocol

from engine.errors import EnvironmentProblem
from engine.jobs import Report
from engine.models.language import AnswerFailed, ContextTooLong, OnPiece
from engine.models.questions import duration
from engine.models.server_address import Server, check_server, no_address
from engine.shown import visible_line

if TYPE_CHECKING:
    import httpx2

_POLL = 0.1  # seconds between two checks for Cancel
_TELL_EVERY = 0.05  # seconds between two pieces of text: the window may be slower than the server
_PAUSE = 0.5  # seconds before the second attempt, doubled before each further one
_MOST_PAUSE = 10.0
_LONGEST_PAUSE = 300.0  # seconds; a server that asks for a longer wait is considered out of service
_BUSY = (408, 409, 425, 429, 502, 503)
_ATTEMPTS = {"busy": 6, "away": 6, "unknown": 3, "inner": 3, "broken": 4, "silent": 2, "endless": 1}
"""Attempts per request, by kind of failure; "unknown" is a server that hasn't said anything yet."""
_RESTART_SECONDS = 120.0
"""How long a server that has answered may be unreachable or busy (loading a model) before requests are given up."""
_LEAST_PATIENCE = 20.0
_LONGEST_LINE, _LONGEST_ERROR = 16 * 2**20, 2**16  # bytes; how many lines are read is up to ``Hearing.full``
_TOO_LONG = re.compile(
    r"context.?(length|size|window)|maximum context|(prompt|input|messages?|text) is too (long|large)"
)
_PAGE = re.compile(r"<(?:!doctype html|html)\b(?:.*?<title[^>]*>(.*?)</title>)?", re.IGNORECASE | re.DOTALL)
_UNUSED = "Its answer wasn't used. Saved data isn't affected."
_REMEDIES = dict.fromkeys((401, 403), "Add the server with its API key (--key on the command line).") | {
    404: "Check the address, and that the server still has this model.",
    409: "Wait a while, and try again.",
    429: "Wait a while, or lower the number of requests at once for this server.",
    503: "Wait until the server has loaded the model, and try again.",
}
_NO_ANSWER = "Your request wasn't answered. Saved data isn't affected."


class Refused(EnvironmentProblem):
    """The server answered with an error; ``status`` is the HTTP status."""

    def __init__(self, server: Server, status: int, said: str) -> None:
        self.status = status
        super().__init__(*_refusal(server, status, said))


class Hearing(Protocol):
    """Parses the lines of one answer; each attempt uses a new one."""

    size: int
    """How much of the answer has been taken; a server that adds nothing for too long is silent."""
    full: bool
    """Whether more than was asked for has been taken; the rest isn't read."""

    def line(self, line: str) -> None:
        """Takes the next line. Raises EnvironmentProblem if it isn't part of a valid answer."""
        ...

    def result(self) -> Any:
        """Returns the result. Raises AnswerFailed if the answer is incomplete."""
        ...


@dataclass(frozen=True, slots=True)
class Call:
    """A request. ``make`` returns its path and body (None for a GET); ``hear`` creates the parser, given a callback for
    pieces. ``weaken(status)`` makes ``make`` request less if the server doesn't support something, and returns whether
    it did. ``again``: a request that fails in the middle of its answer may be retried."""

    make: Callable[[], tuple[str, dict[str, Any] | None]]
    hear: Callable[[Callable[[str], None]], Hearing]
    weaken: Callable[[int], bool] = lambda _status: False
    again: bool = True


@dataclass(frozen=True, slots=True)
class _Event:
    """An event of the call at ``place``: a piece of its answer ("" before a retry), its result, or its failure."""

    place: int
    kind: Literal["piece", "done", "failed"]
    value: Any


class _Again(Exception):
    """A failed attempt that may be retried; ``kind`` is a key of ``_ATTEMPTS``, ``wait`` the delay the server asked
    for."""

    def __init__(self, kind: str, problem: EnvironmentProblem, wait: float | None = None) -> None:
        super().__init__(problem.what)
        self.kind, self.problem, self.wait = kind, problem, wait


class _Gate:
    """Limits concurrent requests to what the server can handle: half as many after each refusal, one more after a
    series of answers. Used only on the event loop."""

    def __init__(self, most: int) -> None:
        self._most = self.limit = max(1, most)
        self._running = self._in_a_row = 0
        self._changed = asyncio.Condition()
        self._closed_until = 0.0

    async def __aenter__(self) -> None:
        async with self._changed:
            await self._changed.wait_for(lambda: self._running < self.limit)
            self._running += 1
        try:
            while (wait := self._closed_until - time.monotonic()) > 0:
                await asyncio.sleep(wait)
        except asyncio.CancelledError:
            await self.__aexit__()
            raise

    async def __aexit__(self, *_: object) -> None:
        self._running -= 1
        async with self._changed:
            self._changed.notify_all()

    def answered(self) -> None:
        self._in_a_row += 1
        if self._in_a_row >= self.limit < self._most:
            self.limit, self._in_a_row = self.limit + 1, 0

    def overloaded(self, wait: float | None) -> None:
        self.limit, self._in_a_row = max(1, self.limit // 2), 0
        if wait is not None:
            self._closed_until = max(self._closed_until, time.monotonic() + wait)


class Connection:
    def __init__(self, server: Server) -> None:
        """Raises BadInput as ``check_server`` does."""
        check_server(server)
        self.server = server
        self._loop: asyncio.AbstractEventLoop | None = None
        self._lock = threading.Lock()
        self._finalizer: weakref.finalize[..., Any] | None = None
        self._clients: list[httpx2.AsyncClient] = []
        self._gate: _Gate | None = None
        self._met = False
        self._failing_since: float | None = None
        self._slowest, self._answers = 0.0, 0

    @property
    def limit(self) -> int:
        """The current limit on concurrent requests."""
        return self.server.concurrency if self._gate is None else self._gate.limit

    def run(
        self, calls: Sequence[Call], report: Report, on_piece: OnPiece | None = None
    ) -> Generator[tuple[int, Any], None, None]:
        """Yields the results of calls with their positions as they arrive; a failure is an EnvironmentProblem in place
        of a result. ``on_piece`` is called with pieces of answers on the calling thread. Leaving cancels what is still
        running. Raises Cancelled."""
        events: queue.SimpleQueue[_Event] = queue.SimpleQueue()
        started = asyncio.run_coroutine_threadsafe(self._all(calls, events, on_piece is not None), self._running())
        started.add_done_callback(lambda ended: _pass_on_bug(ended, events))
        left, waiting, shown_at = len(calls), False, 0.0
        held: dict[int, str] = {}

        def tell() -> None:
            nonlocal shown_at
            shown_at = time.monotonic()
            while held and on_piece is not None:
                on_piece(*held.popitem())

        try:
            while left:
                try:
                    event = events.get(timeout=_POLL)
                except queue.Empty:
                    tell()
                    if waiting != (self._failing_since is not None):
                        waiting = not waiting
                        report.say("Server isn't ready; retrying" if waiting else "Waiting for an answer")
                    report.check()
                    continue
                if event.kind == "piece":
                    held[event.place] = held.get(event.place, "") + event.value if event.value else ""
                if event.kind != "piece" or not event.value or time.monotonic() - shown_at > _TELL_EVERY:
                    tell()
                if isinstance(event.value, BaseException) and not isinstance(event.value, EnvironmentProblem):
                    raise event.value
                if event.kind != "piece":
                    left -= 1
                    yield event.place, event.value
                report.check()
        finally:
            started.cancel()
            with suppress(CancelledError, TimeoutError):
                started.result(timeout=2.0)

    def close(self) -> None:
        """Ends all requests and connections; the next call opens new ones."""
        with self._lock:
            if self._finalizer is not None:
                self._finalizer()
            self._loop = self._gate = self._finalizer = None
            self._clients = []

    # --- on the event loop ----------------------------------------------------------------------------------------
    def _running(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                thread = threading.Thread(
                    target=_serve, args=(self._loop, self._clients), name="rejoinder-model-server", daemon=True
                )
                thread.start()
                self._finalizer = weakref.finalize(self, _end, self._loop, thread)
            return self._loop

    async def _all(self, calls: Sequence[Call], events: queue.SimpleQueue[_Event], pieces: bool) -> None:
        if not self._clients:
            import httpx2

            # No proxy and no settings from the environment: prompts go to the given server and nowhere else.
            key = self.server.api_key
            headers = {"Accept-Encoding": "identity", **({"Authorization": f"Bearer {key}"} if key else {})}
            self._clients.append(httpx2.AsyncClient(headers=headers, trust_env=False, follow_redirects=False))
            self._gate = _Gate(self.server.concurrency)
        async with asyncio.TaskGroup() as group:
            for place, call in enumerate(calls):
                group.create_task(self._call(place, call, events, pieces))

    async def _call(self, place: int, call: Call, events: queue.SimpleQueue[_Event], pieces: bool) -> None:
        assert self._gate is not None
        failures: dict[str, int] = {}
        began = False

        def on_piece(piece: str) -> None:
            nonlocal began
            began = self._met = True
            if pieces:
                events.put(_Event(place, "piece", piece))

        try:
            while True:
                hearing = call.hear(on_piece)
                try:
                    async with self._gate:
                        started = time.monotonic()
                        await self._attempt(call, hearing)
                        result = hearing.result()
                except Refused as refused:
                    if not call.weaken(refused.status):
                        raise
                    continue
                except (_Again, AnswerFailed) as error:
                    again = error if isinstance(error, _Again) else _Again("broken", error)
                    if again.kind in ("busy", "silent"):
                        self._gate.overloaded(again.wait)
                    failures[again.kind] = failures.get(again.kind, 0) + 1
                    enough = failures[again.kind] >= _ATTEMPTS[again.kind]
                    if again.kind in ("busy", "away"):
                        self._failing_since = self._failing_since or time.monotonic()
                        patience = min(_RESTART_SECONDS, self.server.silence_seconds)
                        enough = enough and time.monotonic() - self._failing_since > patience
                    if enough or (began and not call.again) or (again.wait or 0) > _LONGEST_PAUSE:
                        raise again.problem from error
                    await asyncio.sleep(again.wait or min(_MOST_PAUSE, _PAUSE * 2 ** (sum(failures.values()) - 1)))
                    if began and pieces:
                        events.put(_Event(place, "piece", ""))
                    continue
                self._gate.answered()
                self._met, self._failing_since = True, None
                self._answers += 1
                self._slowest = max(self._slowest, time.monotonic() - started)
                events.put(_Event(place, "done", result))
                return
        except EnvironmentProblem as error:  # anything else is a bug and ends the whole run (``_pass_on_bug``)
            events.put(_Event(place, "failed", error))

    async def _attempt(self, call: Call, hearing: Hearing) -> None:
        import httpx2

        server, (url, body) = self.server, call.make()
        # ASCII JSON escapes what UTF-8 can't express: papers may contain lone surrogates.
        method, content = ("GET", None) if body is None else ("POST", json.dumps(body).encode("ascii"))
        headers = {"Content-Type": "application/json"} if content else {}
        timeout = httpx2.Timeout(self._patience(), connect=server.connect_seconds, pool=None)
        try:
            async with self._clients[0].stream(
                method, url, content=content, headers=headers, timeout=timeout
            ) as response:
                if response.status_code >= 300:
                    raise self._refused(response, await _beginning(response))
                heard, size = time.monotonic(), 0
                async for line in self._lines(response):
                    hearing.line(line)
                    if hearing.full:
                        break
                    if hearing.size > size:
                        heard, size = time.monotonic(), hearing.size
                    elif time.monotonic() - heard > self._patience():
                        raise httpx2.ReadTimeout("only signs of life")
        except httpx2.InvalidURL as error:
            raise no_address(server) from error
        except (httpx2.ConnectError, httpx2.ConnectTimeout) as error:
            problem = EnvironmentProblem(
                f"No server is responding at {server.url}.",
                _NO_ANSWER,
                "Start the language-model server, or correct its address in the Models pane.",
            )
            raise _Again("away" if self._met else "unknown", problem) from error
        except httpx2.TimeoutException as error:
            problem = AnswerFailed(
                f"The language-model server at {server.url} didn't respond for {timeout.read or 0:.0f} seconds.",
                _UNUSED,
                "Check whether it's overloaded, allow it more time, or choose a smaller model.",
            )
            raise _Again("silent", problem) from error
        except (httpx2.TransportError, httpx2.StreamError, OSError) as error:
            problem = AnswerFailed(
                f"The connection to the language-model server at {server.url} was lost.",
                _UNUSED,
                "Check that the server is still running, and try again.",
            )
            raise _Again("broken", problem) from error

    async def _lines(self, response: httpx2.Response) -> AsyncIterator[str]:
        """Yields the lines of an answer. Only line feeds and carriage returns end one, since JSON strings may contain
        other line separators."""
        if response.headers.get("Content-Encoding", "identity") != "identity":
            raise AnswerFailed(
                f"The language-model server at {self.server.url} sent compressed data, which can't be read.",
                _UNUSED,
                "Turn compression off on the server, or on the proxy in front of it.",
            )
        begun: list[bytes] = []
        length = 0
        async for data in response.aiter_raw():
            *ends, rest = data.replace(b"\r", b"\n").split(b"\n")
            for end in ends:
                yield b"".join([*begun, end]).decode("utf-8-sig", "replace")
                begun, length = [], 0
            begun.append(rest)
            length += len(rest)
            if length > _LONGEST_LINE:
                problem = AnswerFailed(
                    f"The language-model server at {self.server.url} doesn't stop writing.",
                    _UNUSED,
                    "Check that it's a language-model server and that its model works.",
                )
                raise _Again("endless", problem)
        yield b"".join(begun).decode("utf-8-sig", "replace")

    def _patience(self) -> float:
        """Returns how many seconds of silence to allow: as configured, less once many answers have shown how fast the
        server is."""
        most = self.server.silence_seconds
        return min(most, max(_LEAST_PATIENCE, 20 * self._slowest)) if self._answers >= self.server.concurrency else most

    def _refused(self, response: httpx2.Response, body: str) -> Exception:
        status, said = response.status_code, error_words(body)
        if status < 400:
            said = response.headers.get("Location", "another address")
        wait = _seconds(response.headers.get("Retry-After")) if status in _BUSY else None
        if (wait or 0) > _LONGEST_PAUSE:
            said = f"{said.rstrip('.')}; it asks to wait {duration(wait or 0)}"
        problem = failure(self.server, status, said)
        if status in _BUSY:
            return _Again("busy", problem, wait)
        return _Again("inner", problem) if status >= 500 and isinstance(problem, AnswerFailed) else problem


def failure(server: Server, status: int, said: str) -> EnvironmentProblem:
    """Returns the error for a server's message; ``status`` is the HTTP status, 200 in the middle of an answer."""
    if status == 413 or (status in (200, 400, 422, 500) and _TOO_LONG.search(said.lower())):
        return ContextTooLong(None, None, _quoted(server, said, 300).rstrip("."))
    if status == 200 or (status >= 500 and status not in (501, 502, 503)):
        return AnswerFailed(*_refusal(server, status, said))
    return Refused(server, status, said)


def _pass_on_bug(ended: Future[None], events: queue.SimpleQueue[_Event]) -> None:
    error = None if ended.cancelled() else ended.exception()
    if error is not None:
        events.put(_Event(-1, "failed", error))


async def _beginning(response: httpx2.Response) -> str:
    said = b""
    async for data in response.aiter_raw():
        said += data
        if len(said) > _LONGEST_ERROR:
            break
    return said.decode("utf-8", "replace")


def parsed(text: str) -> Any:
    """Parses external JSON. Raises ValueError if it is invalid or nested too deeply."""
    try:
        return json.loads(text)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


def error_words(body: str) -> str:
    if page := _PAGE.search(body):
        title = html.unescape(" ".join((page[1] or "").split()))
        return f"a web page{f', titled “{title}”' if title else ''}"
    said = body.strip()
    with suppress(ValueError, TypeError, KeyError, AttributeError):
        found = parsed(body)
        found = found.get("error", found)
        said = str(found.get("message", found) if isinstance(found, dict) else found)
    return said


def _quoted(server: Server, said: str, most: int) -> str:
    """Returns the beginning of a server's message for display: on one line, and without the key."""
    if server.api_key:
        said = said.replace(server.api_key, "…")
    return visible_line(" ".join(said.split()))[:most]


def _refusal(server: Server, status: int, said: str) -> tuple[str, str, str]:
    words = _quoted(server, said, 300).rstrip(".")
    numbered = f" ({status})" if status != 200 else ""
    if 300 <= status < 400:
        return (
            f"The server at {server.url} redirects to {words}.",
            f"Nothing was sent there. {_NO_ANSWER}",
            "If you trust that address, add it as a server of its own.",
        )
    return (
        f"The language-model server at {server.url} refused the request{numbered}{f': {words}' if words else ''}.",
        _NO_ANSWER,
        "Load the model on the server, and try again."
        if "no model" in said.lower() and "loaded" in said.lower()
        else _REMEDIES.get(status, "Check the server's log, or choose another model in the Models pane."),
    )


def strange(server: Server, said: str) -> AnswerFailed:
    """Returns the error for an answer that isn't from a language-model server."""
    words = _quoted(server, error_words(said), 120) if _PAGE.search(said) else f"“{_quoted(server, said, 80)}”"
    sent = "" if said.lstrip()[:1] in ("{", "[", "") else f" It sent {words}."
    return AnswerFailed(
        f"The server at {server.url} doesn't answer like a language-model server.{sent}",
        _UNUSED,
        "Check the address: it usually ends in /v1.",
    )


def _seconds(retry_after: str | None) -> float | None:
    """Parses a Retry-After header, which is seconds or a date, into seconds; None if it is missing or invalid."""
    with suppress(ValueError):
        return max(0.0, float(retry_after or ""))
    with suppress(ValueError, TypeError):
        return max(0.0, parsedate_to_datetime(retry_after or "").timestamp() - time.time())
    return None


def _serve(loop: asyncio.AbstractEventLoop, clients: list[httpx2.AsyncClient]) -> None:
    asyncio.set_event_loop(loop)
    try:
        loop.run_forever()
        loop.run_until_complete(_finish(clients))
        loop.run_until_complete(loop.shutdown_asyncgens())
    finally:
        loop.close()


async def _finish(clients: list[httpx2.AsyncClient]) -> None:
    waiting = asyncio.all_tasks() - {asyncio.current_task()}
    for task in waiting:
        task.cancel()
    await asyncio.gather(*waiting, return_exceptions=True)
    for client in clients:
        await client.aclose()


def _end(loop: asyncio.AbstractEventLoop, thread: threading.Thread) -> None:
    with suppress(RuntimeError):  # it has already ended
        loop.call_soon_threadsafe(loop.stop)
    if thread is not threading.current_thread():
        thread.join(timeout=2.0)
