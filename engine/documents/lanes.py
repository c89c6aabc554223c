"""A worker process that runs MuPDF, and its request queue: limited in time and memory, restarted when it fails."""

import contextlib
import queue
import subprocess
import threading
import time
from collections.abc import Callable
from typing import Any, BinaryIO

from engine import confinement
from engine.documents import worker
from engine.errors import BadInput, Cancelled, EnvironmentProblem

Progress = Callable[[float, str], None]
IsCancelled = Callable[[], bool]

_POLL = 0.05
_START_SECONDS = 60.0


class _Process:
    """One worker process and the thread that reads its answers."""

    def __init__(self, memory: int) -> None:
        self._popen = subprocess.Popen(
            confinement.command(confinement.Policy(memory=memory), "engine.documents.worker"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=confinement.environment(),
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )
        assert self._popen.stdin is not None
        assert self._popen.stdout is not None
        self._stdin: BinaryIO = self._popen.stdin  # type: ignore[assignment]
        self._stdout: BinaryIO = self._popen.stdout  # type: ignore[assignment]
        self.answers: queue.SimpleQueue[tuple[dict[str, Any], bytes] | None] = queue.SimpleQueue()
        self.documents: set[str] = set()
        self.held: confinement.Held | None = None  # how it is confined, from its first frame
        self._reader = threading.Thread(target=self._read, name="documents-answers", daemon=True)
        self._reader.start()

    @property
    def pid(self) -> int:
        return self._popen.pid

    @property
    def alive(self) -> bool:
        return self._popen.poll() is None

    def send(self, header: dict[str, Any], payload: bytes) -> None:
        try:
            worker.send(self._stdin, header, payload)
        except ValueError as error:
            if not self._stdin.closed:
                raise
            raise BrokenPipeError from error  # it was killed in the meantime

    def resident(self) -> int:
        import psutil

        try:
            return int(psutil.Process(self.pid).memory_info().rss)
        except psutil.Error:
            return 0

    def busy(self) -> float:
        """Returns the processor time that it has used, in seconds."""
        import psutil

        try:
            times = psutil.Process(self.pid).cpu_times()
        except psutil.Error:
            return 0.0
        return float(times.user + times.system)

    def kill(self) -> None:
        self._popen.kill()
        self._popen.wait()
        self._reader.join()
        with contextlib.suppress(OSError):  # a half-written frame can't be flushed once the process has ended
            self._stdin.close()
        self._stdout.close()

    def _read(self) -> None:
        try:
            while (frame := worker.receive(self._stdout)) is not None:
                self.answers.put(frame)
        except (OSError, ValueError):
            pass  # an incomplete frame means that the worker has ended
        self.answers.put(None)


class Lane:
    """Sends requests to one worker, one at a time, and replaces the worker when it is lost."""

    def __init__(self, memory: int) -> None:
        self._memory = memory
        self._turn = threading.Lock()
        self._swap = threading.Lock()
        self._process: _Process | None = None
        self._closed = False

    def warm(self) -> None:
        """Starts the worker without waiting until it is ready."""
        self._ready_process()

    @property
    def pid(self) -> int | None:
        process = self._process
        return process.pid if process is not None and process.alive else None

    @property
    def held(self) -> confinement.Held | None:
        """How the worker is confined; None before its first request."""
        process = self._process
        return process.held if process is not None else None

    def close(self) -> None:
        with self._swap:
            self._closed = True
            process, self._process = self._process, None
        if process is not None:
            process.kill()

    @contextlib.contextmanager
    def turn(self, cancelled: IsCancelled | None) -> Any:
        while not self._turn.acquire(timeout=_POLL):
            if cancelled is not None and cancelled():
                raise Cancelled
        try:
            yield self._ready_process()
        finally:
            self._turn.release()

    def ask(
        self,
        process: _Process,
        header: dict[str, Any],
        payload: bytes = b"",
        *,
        seconds: float,
        patience: float | None = None,
        progress: Progress | None = None,
        cancelled: IsCancelled | None = None,
    ) -> tuple[dict[str, Any], bytes]:
        """Sends one request and waits for its answer, at most ``seconds``, and ``patience`` without progress.

        ``patience`` is processor time in seconds, so that a document doesn't look hostile on a busy machine. The caller
        must hold the turn. Raises Cancelled, BadInput, EnvironmentProblem, or RuntimeError for a bug in the worker.
        """
        try:
            if process.held is None:
                first, _ = self._next(process, _START_SECONDS, time.monotonic() + _START_SECONDS, cancelled)
                process.held = confinement.Held(**first["held"])
            deadline = time.monotonic() + seconds
            process.send({**header, "seconds": seconds}, payload)
            while True:
                busy = None if patience is None else process.busy() + patience
                answer = self._next(process, seconds, deadline, cancelled, busy)
                if "progress" in answer[0]:
                    if progress is not None:
                        progress(float(answer[0]["progress"]), str(answer[0]["words"]))
                    continue
                if "problem" in answer[0]:
                    self._raise(process, answer[0])
                return answer
        except OSError as error:
            self._lose(process)
            raise (Cancelled() if self._closed else _stopped()) from error
        except Cancelled:
            self._lose(process)
            raise

    def _next(
        self,
        process: _Process,
        seconds: float,
        deadline: float,
        cancelled: IsCancelled | None,
        busy: float | None = None,
    ) -> tuple[dict[str, Any], bytes]:
        """Returns the next frame. ``busy`` is the worker's processor time by which it must have arrived."""
        while True:
            if cancelled is not None and cancelled():
                raise Cancelled
            if time.monotonic() > deadline:
                self._lose(process)
                raise _too_long(f"after {seconds:.0f} seconds")
            try:
                answer = process.answers.get(timeout=_POLL)
            except queue.Empty:
                if process.resident() > self._memory:
                    self._lose(process)
                    raise _too_big() from None
                if busy is not None and process.busy() > busy:
                    self._lose(process)
                    raise _too_long("without getting further") from None
                continue
            if answer is None:
                self._lose(process)
                raise Cancelled if self._closed else _stopped()
            return answer

    def _raise(self, process: _Process, answer: dict[str, Any]) -> None:
        kind = answer["problem"]
        if kind == "memory":
            self._lose(process)
            raise _too_big()
        if kind == "bug":
            raise RuntimeError(f"The PDF reader met a bug:\n{answer['what']}")
        family = BadInput if kind == "bad_input" else EnvironmentProblem
        raise family(answer["what"], answer["means"], answer["do"])

    def _ready_process(self) -> _Process:
        with self._swap:
            if self._closed:
                raise Cancelled
            if self._process is None or not self._process.alive:
                if self._process is not None:
                    self._process.kill()
                self._process = _Process(self._memory)
            return self._process

    def _lose(self, process: _Process) -> None:
        process.kill()
        with self._swap:
            if self._process is process:
                self._process = None if self._closed else _Process(self._memory)


def _stopped() -> EnvironmentProblem:
    return EnvironmentProblem(
        "The PDF reader stopped while reading this file.",
        "The file is probably damaged; nothing else is affected.",
        "Save it again from a PDF reader and try that copy.",
    )


def _too_long(how: str) -> EnvironmentProblem:
    return EnvironmentProblem(
        f"The PDF was still being read {how} and was given up.",
        "It may be damaged or made to keep readers busy; nothing else is affected.",
        "Save it again from a PDF reader and try that copy.",
    )


def _too_big() -> EnvironmentProblem:
    return EnvironmentProblem(
        "The PDF needs more memory than a document may take, and was given up.",
        "It may be damaged or made to exhaust readers; nothing else is affected.",
        "Save it again from a PDF reader, with smaller images, and try that copy.",
    )
