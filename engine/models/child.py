"""Runs a model in a child process that exchanges JSON lines with its parent.

Importing torch and its dependencies holds the GIL for half a second at a time, on whatever thread; in another process
that doesn't block the window (tests.benchmarks.responsiveness has the figures).
"""

import json
import os
import queue
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import traceback
import weakref
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from typing import IO, Any

from engine import confinement
from engine.errors import Cancelled, EnvironmentProblem
from engine.jobs import QuietReport, Report
from engine.models.devices import processors

POLL = 0.1
"""Seconds between two checks for Cancel while waiting for an answer."""
OFTEN = 0.2
"""Seconds between two progress lines of the child."""
MOST_HOURS = 48.0
"""CPU time allowed per request, in hours per processor; it ends a child that never finishes after its parent is
gone."""

Answer = dict[str, Any]


class ModelProcess:
    """Starts ``python -m <module> <arguments>``, confined, with the first request and ends it with ``close``.

    Each request gets a number; the child answers in lines with that number, the last of which has ``"end": true``. An
    abandoned request is stopped by ``{"stop": number}``. Use it inside ``turn``.
    """

    def __init__(
        self,
        module: str,
        arguments: Iterable[str],
        *,
        name: str,
        patience: float | None = None,
        read: Iterable[Path] = (),
        write: Iterable[Path] = (),
    ) -> None:
        """``name`` is what error messages call the process ("encoder", "language model"). ``read`` and ``write`` are
        files and folders that the child may open in addition to the program's own. Folders must exist when it starts.
        ``patience`` is how many seconds the child has to react to a stopped request; after that it is killed, and the
        next request starts another. With None it may finish its current work."""
        self._module, self._arguments = module, tuple(arguments)
        self._read, self._write = tuple(read), tuple(write)
        self._name = name
        self._patience = patience
        self._process: subprocess.Popen[bytes] | None = None
        self._answers: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._request = 0
        self.held: Mapping[str, Any] | None = None
        """How the child is confined (``confinement.Held``), once it has reported it."""
        self._finalizer: weakref.finalize[..., Any] | None = None
        self._next, self._lock = threading.Lock(), threading.Lock()

    @property
    def pid(self) -> int | None:
        return self._process.pid if self._process is not None and self._process.poll() is None else None

    @contextmanager
    def turn(self, report: Report) -> Iterator[None]:
        """Gives the calling thread exclusive use for a block. Threads get it in the order of their requests, which a
        single lock doesn't guarantee: the thread that releases it could reacquire it before a waiting one wakes up.

        Raises Cancelled if the job is cancelled while waiting.
        """
        while not self._next.acquire(timeout=POLL):
            report.check()
        try:
            while not self._lock.acquire(timeout=POLL):
                report.check()
        finally:
            self._next.release()
        try:
            yield
        finally:
            self._lock.release()

    def ask(self, request: Answer, report: Report) -> Generator[Answer, None, None]:
        """Yields the answers to a request as they arrive; leaving before the last one stops the request. Progress that
        the child sends (``serve``) goes to ``report``.

        Raises Cancelled (cancelled by the user), EnvironmentProblem (the child couldn't do it or was ended) and
        RuntimeError (a bug in the child).
        """
        self._running()
        self._request += 1
        number = self._request
        self._send({"id": number, **request})
        open_ = True
        try:
            while open_:
                try:
                    answer = self._answer(POLL)
                except queue.Empty:
                    report.check()
                    continue
                if "held" in answer:
                    self.held = answer["held"]
                if answer["id"] != number:
                    continue  # of a stopped request, or how the child is confined
                open_ = not answer.get("end")
                if "problem" in answer:
                    raise EnvironmentProblem(*answer["problem"])
                if "bug" in answer:
                    raise RuntimeError(answer["bug"])
                if "progress" in answer:
                    report.progress(*answer["progress"])
                else:
                    yield answer
                report.check()
        finally:
            if open_ and self._process is not None:
                self._stop(number)

    def _stop(self, number: int) -> None:
        self._send({"stop": number})
        if self._patience is None:
            return
        deadline = time.monotonic() + self._patience
        while self._process is not None:
            try:
                answer = self._answer(max(0.0, deadline - time.monotonic()))
            except queue.Empty:
                self.close()
            except EnvironmentProblem:
                return
            else:
                if answer["id"] == number and answer.get("end"):
                    return

    def _send(self, message: Answer) -> None:
        # If the child has just ended, reading the answers reports it.
        with suppress(OSError):
            assert self._process is not None and self._process.stdin is not None
            self._process.stdin.write(json.dumps(message).encode("ascii") + b"\n")
            self._process.stdin.flush()

    def _answer(self, timeout: float) -> Answer:
        line = self._answers.get(timeout=timeout)
        if line is None:
            self.close()
            raise EnvironmentProblem(
                f"The {self._name}'s process stopped unexpectedly.",
                "Nothing was computed. Saved data isn't affected.",
                "Try again. If memory is short, close other programs.",
            )
        answer: Answer = json.loads(line)
        return answer

    def close(self) -> None:
        """Ends the child; the next request starts another."""
        if self._finalizer is not None:
            self._finalizer()
        self._process = None

    def _running(self) -> None:
        if self._process is not None:
            return
        # torch needs a temporary folder when it is imported; the child may write nowhere else on the machine.
        scratch = tempfile.mkdtemp(prefix="rejoinder-")
        policy = confinement.model_policy(self._read, (*self._write, Path(scratch)))
        process = subprocess.Popen(
            confinement.command(policy, self._module, self._arguments),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=confinement.environment() | {"TMPDIR": scratch, "TORCHINDUCTOR_CACHE_DIR": scratch},
        )
        self._answers = queue.SimpleQueue()
        reader = threading.Thread(
            target=_read,
            args=(process.stdout, self._answers),
            name=f"rejoinder-{self._name}-reader".replace(" ", "-"),
            daemon=True,
        )
        reader.start()
        self._process = process
        self._finalizer = weakref.finalize(self, _end, process, reader, scratch)


def _read(stream: IO[bytes], answers: queue.SimpleQueue[bytes | None]) -> None:
    for line in stream:
        answers.put(line)
    answers.put(None)


def _end(process: subprocess.Popen[bytes], reader: threading.Thread, scratch: str) -> None:
    process.kill()  # it has no state that could be lost
    process.wait()
    reader.join(2.0)
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            with suppress(OSError):
                stream.close()
    shutil.rmtree(scratch, ignore_errors=True)


class _ChildReport(QuietReport):
    """The report of a request in the child: cancelled by the parent; sends progress to the parent if ``send`` is
    given."""

    def __init__(self, number: int, stopped: set[int], send: Callable[[Answer], None] | None) -> None:
        self._number, self._stopped, self._send = number, stopped, send
        self._last = 0.0

    def check(self) -> None:
        if self._number in self._stopped:
            raise Cancelled

    def progress(self, fraction: float, words: str = "") -> None:
        self.check()
        if self._send is not None and time.monotonic() - self._last >= OFTEN:
            self._last = time.monotonic()
            self._send({"progress": [fraction, words]})


def serve(
    respond: Callable[[Answer, Callable[[Answer], None], Report], Answer], *, with_progress: bool = False
) -> None:
    """Runs the child's side: answers requests until the input ends. Its first line, number 0, says how it is confined.

    ``respond(request, emit, report)`` may emit intermediate answers; its return value is the last one. Errors are sent
    to the parent as the three sentences of an EnvironmentProblem, or as a traceback. ``with_progress`` forwards the
    report's progress to the parent's report.
    """
    # Output that libraries print must not mix with the answers.
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    if hasattr(os, "nice"):
        os.nice(5)
    stopped: set[int] = set()
    requests: queue.SimpleQueue[Answer | None] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(requests, stopped), name="rejoinder-model-requests", daemon=True).start()
    out.write(json.dumps({"id": 0, "held": asdict(confinement.in_force())}) + "\n")
    out.flush()
    while (request := requests.get()) is not None:

        def emit(answer: Answer, number: int = request["id"]) -> None:
            out.write(json.dumps({"id": number, **answer}) + "\n")
            out.flush()

        confinement.allow_cpu(MOST_HOURS * 3600 * processors())
        try:
            last = respond(request, emit, _ChildReport(request["id"], stopped, emit if with_progress else None))
        except Cancelled:
            last = {}
        except EnvironmentProblem as problem:
            last = {"problem": [problem.what, problem.means, problem.do]}
        except MemoryError:
            last = {"problem": ["There isn't enough memory for this model.", "", "Close other programs and try again."]}
        except Exception:  # noqa: BLE001 (this process's job runner: the parent raises it as a bug of ours)
            last = {"bug": traceback.format_exc()}
        emit({**last, "end": True})
        stopped.discard(request["id"])


def _listen(requests: queue.SimpleQueue[Answer | None], stopped: set[int]) -> None:
    for line in sys.stdin.buffer:
        message = json.loads(line)
        if "stop" in message:
            stopped.add(message["stop"])
        else:
            requests.put(message)
    requests.put(None)
