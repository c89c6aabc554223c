"""PDFs for the rest of the program: open, render, parse. MuPDF itself runs in worker processes that this drives.

Two workers, so that a long parse never delays a page image. Each request is bounded in time and memory; a worker that
exceeds them, hangs, crashes or is cancelled is killed and replaced, and documents that were open in it are given to the
new one without the caller noticing. All methods may be called from any thread; requests to the same worker queue up.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

from engine.documents import wire
from engine.documents.codec import decode
from engine.documents.hidden import Inspection, unpack
from engine.documents.marking import Mark, Marking
from engine.documents.records import Box, PackedDocument, PageSize, ParsedDocument
from engine.errors import BadInput, Cancelled, EnvironmentProblem

Progress = Callable[[float, str], None]
IsCancelled = Callable[[], bool]

MAX_FILE = 500_000_000
"""Files above this many bytes are refused with a clear word."""

_POLL = 0.05
_START_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class OpenDocument:
    """A PDF that can be rendered: ``sha256`` of its bytes, its page sizes as shown, the title its metadata gives."""

    sha256: str
    pages: tuple[PageSize, ...]
    title: str


@dataclass(frozen=True, slots=True)
class RenderedPage:
    """A page image: RGB, 8 bits each, ``height`` rows of ``stride`` bytes; ``scale`` is pixels per point as drawn."""

    page: int
    width: int
    height: int
    stride: int
    samples: bytes = field(repr=False)
    scale: float = 1.0


class _Process:
    """One worker process and the thread that reads its answers."""

    def __init__(self, memory: int) -> None:
        root = str(Path(__file__).resolve().parents[2])
        environment = dict(os.environ)
        environment["PYTHONPATH"] = os.pathsep.join(filter(None, [root, environment.get("PYTHONPATH")]))
        self._popen = subprocess.Popen(
            [sys.executable, "-P", "-m", "engine.documents.worker", str(memory)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment,
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )
        assert self._popen.stdin is not None
        assert self._popen.stdout is not None
        self._stdin: BinaryIO = self._popen.stdin  # type: ignore[assignment]
        self._stdout: BinaryIO = self._popen.stdout  # type: ignore[assignment]
        self.answers: queue.SimpleQueue[tuple[dict[str, Any], bytes] | None] = queue.SimpleQueue()
        self.documents: set[str] = set()
        self.ready = False  # its first frame says so
        self._reader = threading.Thread(target=self._read, name="documents-answers", daemon=True)
        self._reader.start()

    @property
    def pid(self) -> int:
        return self._popen.pid

    @property
    def alive(self) -> bool:
        return self._popen.poll() is None

    def send(self, header: dict[str, Any], payload: bytes) -> None:
        wire.send(self._stdin, header, payload)

    def resident(self) -> int:
        import psutil

        try:
            return int(psutil.Process(self.pid).memory_info().rss)
        except psutil.Error:
            return 0

    def kill(self) -> None:
        self._popen.kill()
        self._popen.wait()
        self._reader.join()
        with contextlib.suppress(OSError):  # a half-written frame cannot be flushed to the dead
            self._stdin.close()
        self._stdout.close()

    def _read(self) -> None:
        try:
            while (frame := wire.receive(self._stdout)) is not None:
                self.answers.put(frame)
        except (OSError, ValueError):
            pass  # a torn frame means the same as the end: the worker is gone
        self.answers.put(None)


class _Lane:
    """Requests to one worker, one after the other; replaces the worker when it is lost."""

    def __init__(self, memory: int) -> None:
        self._memory = memory
        self._turn = threading.Lock()
        self._swap = threading.Lock()
        self._process: _Process | None = None
        self._closed = False

    def warm(self) -> None:
        """Start the worker now; returns at once, the process gets ready by itself."""
        self._ready_process()

    @property
    def pid(self) -> int | None:
        process = self._process
        return process.pid if process is not None and process.alive else None

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
        progress: Progress | None = None,
        cancelled: IsCancelled | None = None,
    ) -> tuple[dict[str, Any], bytes]:
        """Send one request and wait for its answer. The caller holds the turn."""
        try:
            if not process.ready:
                self._next(process, _START_SECONDS, time.monotonic() + _START_SECONDS, cancelled)
                process.ready = True
            deadline = time.monotonic() + seconds
            process.send({**header, "seconds": seconds}, payload)
            while True:
                answer = self._next(process, seconds, deadline, cancelled)
                if "progress" in answer[0]:
                    if progress is not None:
                        progress(float(answer[0]["progress"]), str(answer[0]["words"]))
                    continue
                if "problem" in answer[0]:
                    self._raise(process, answer[0])
                return answer
        except OSError as error:
            self._lose(process)
            raise _stopped() from error
        except Cancelled:
            self._lose(process)
            raise

    def _next(
        self, process: _Process, seconds: float, deadline: float, cancelled: IsCancelled | None
    ) -> tuple[dict[str, Any], bytes]:
        while True:
            if cancelled is not None and cancelled():
                raise Cancelled
            if time.monotonic() > deadline:
                self._lose(process)
                raise EnvironmentProblem(
                    f"The PDF was still being read after {seconds:.0f} seconds and was given up.",
                    "It may be damaged or made to keep readers busy; nothing else is affected.",
                    "Save it anew from a PDF reader and try that copy.",
                )
            try:
                answer = process.answers.get(timeout=_POLL)
            except queue.Empty:
                if process.resident() > self._memory:
                    self._lose(process)
                    raise _too_big() from None
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


class DocumentService:
    """Opens, renders and parses PDFs in worker processes.

    ``parse_seconds`` and ``render_seconds`` bound one request, ``memory`` (bytes) bounds each worker. Use as a context
    manager, or call ``close()``.
    """

    def __init__(
        self, *, parse_seconds: float = 120.0, render_seconds: float = 20.0, memory: int = 3_000_000_000
    ) -> None:
        self._parse_seconds = parse_seconds
        self._render_seconds = render_seconds
        self._parse_lane = _Lane(memory)
        self._render_lane = _Lane(memory)
        self._sources: dict[str, bytes] = {}
        self._sources_lock = threading.Lock()

    def __enter__(self) -> DocumentService:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def warm(self) -> None:
        """Start both workers in the background, so that the first page comes quickly. Returns at once."""
        self._render_lane.warm()
        self._parse_lane.warm()

    @property
    def worker_pids(self) -> tuple[int, ...]:
        """The process ids of the workers that run now."""
        return tuple(pid for lane in (self._render_lane, self._parse_lane) if (pid := lane.pid) is not None)

    def open(self, pdf: Path | bytes) -> OpenDocument:
        """Make a PDF ready to render. Raises BadInput or EnvironmentProblem with sentences for people."""
        data = _bytes_of(pdf)
        sha256 = hashlib.sha256(data).hexdigest()
        lane = self._render_lane
        with lane.turn(None) as process:
            answer, _ = lane.ask(process, {"op": "open", "sha256": sha256}, data, seconds=self._render_seconds)
            process.documents.add(sha256)
        with self._sources_lock:
            self._sources[sha256] = data
        pages = tuple(PageSize(int(n), float(w), float(h), int(r)) for n, w, h, r in answer["pages"])
        return OpenDocument(sha256, pages, str(answer["title"]))

    def forget(self, sha256: str) -> None:
        """Let go of an open document; rendering it afterwards raises KeyError."""
        with self._sources_lock:
            self._sources.pop(sha256, None)
        lane = self._render_lane
        with lane.turn(None) as process:
            if sha256 in process.documents:
                lane.ask(process, {"op": "forget", "sha256": sha256}, seconds=self._render_seconds)
                process.documents.discard(sha256)

    def render(
        self,
        sha256: str,
        page: int,
        scale: float,
        clip: Box | None = None,
        cancelled: IsCancelled | None = None,
    ) -> RenderedPage:
        """The image of a page (from 1) of an open document at ``scale`` pixels per point, or of ``clip`` within it.

        ``cancelled`` is asked while the request waits for its turn and while it runs. A scale that would make more
        than ``worker.MAX_PIXELS`` is lowered; the result says which was used. Raises KeyError when the document was
        not opened.
        """
        with self._sources_lock:
            data = self._sources[sha256]
        area = [clip.x0, clip.y0, clip.x1, clip.y1] if clip is not None else None
        request = {"op": "render", "sha256": sha256, "page": page, "scale": scale, "clip": area}
        lane, seconds = self._render_lane, self._render_seconds
        with lane.turn(cancelled) as process:
            answer: dict[str, Any] = {"missing": True}
            if sha256 in process.documents:
                answer, samples = lane.ask(process, request, seconds=seconds, cancelled=cancelled)
            if "missing" in answer:  # a new worker, or one that let it go to make room
                lane.ask(process, {"op": "open", "sha256": sha256}, data, seconds=seconds, cancelled=cancelled)
                process.documents.add(sha256)
                answer, samples = lane.ask(process, request, seconds=seconds, cancelled=cancelled)
        return RenderedPage(
            int(answer["page"]),
            int(answer["width"]),
            int(answer["height"]),
            int(answer["stride"]),
            samples,
            float(answer["scale"]),
        )

    def parse(
        self, pdf: Path | bytes, progress: Progress | None = None, cancelled: IsCancelled | None = None
    ) -> ParsedDocument:
        """Read a PDF into paragraphs.

        ``progress(fraction, words)`` is called on this thread and may raise Cancelled; ``cancelled()`` is asked twenty
        times a second. Either way the worker is killed and Cancelled raised. Raises BadInput or EnvironmentProblem with
        sentences for people when the PDF cannot be read, or takes more time or memory than it may.
        """
        return decode(self.read(pdf, progress, cancelled).content)

    def read(
        self, pdf: Path | bytes, progress: Progress | None = None, cancelled: IsCancelled | None = None
    ) -> PackedDocument:
        """As ``parse``, but packed as the store keeps it: nothing large is built in this process."""
        data = _bytes_of(pdf)
        sha256 = hashlib.sha256(data).hexdigest()
        lane = self._parse_lane
        with lane.turn(cancelled) as process:
            facts, content = lane.ask(
                process,
                {"op": "parse", "sha256": sha256},
                data,
                seconds=self._parse_seconds,
                progress=progress,
                cancelled=cancelled,
            )
        warnings = tuple(str(warning) for warning in facts["warnings"])
        return PackedDocument(
            sha256, facts["parser"], facts["pages"], facts["paragraphs"], facts["took"], warnings, content
        )

    def metadata(self, pdf: Path | bytes) -> dict[str, str]:
        """What a PDF says of itself beside its pages: "author", "creator", "producer", "title"...; empty values are
        left out. Raises as ``parse``.
        """
        lane = self._parse_lane
        with lane.turn(None) as process:
            answer, _ = lane.ask(process, {"op": "metadata"}, _bytes_of(pdf), seconds=self._parse_seconds)
        return {str(name): str(value) for name, value in answer["metadata"].items()}

    def typeset(self, title: str, blocks: Sequence[str]) -> bytes:
        """A PDF of HTML blocks set one after the other; see ``engine.documents.typesetting``."""
        lane = self._parse_lane
        with lane.turn(None) as process:
            payload = json.dumps(list(blocks)).encode()
            _, content = lane.ask(process, {"op": "typeset", "title": title}, payload, seconds=self._parse_seconds)
        return content

    def bold_words(
        self, pdf: Path | bytes, pages: Sequence[int], cancelled: IsCancelled | None = None
    ) -> tuple[Box, ...]:
        """Where words are set bold on some pages (from 1): what tables say by type. Raises as ``parse``."""
        if not pages:
            return ()
        lane = self._parse_lane
        with lane.turn(cancelled) as process:
            request = {"op": "bold", "pages": sorted(set(pages))}
            answer, _ = lane.ask(process, request, _bytes_of(pdf), seconds=self._parse_seconds, cancelled=cancelled)
        return tuple(Box(int(page), *box) for page, *box in answer["boxes"])

    def inspect(
        self, pdf: Path | bytes, progress: Progress | None = None, cancelled: IsCancelled | None = None
    ) -> Inspection:
        """What a PDF holds and does not show; see ``engine.documents.hidden``.

        One that needs a password gives an inspection without pages. Otherwise raises as ``parse``.
        """
        lane = self._parse_lane
        with lane.turn(cancelled) as process:
            facts, content = lane.ask(
                process,
                {"op": "inspect"},
                _bytes_of(pdf),
                seconds=self._parse_seconds,
                progress=progress,
                cancelled=cancelled,
            )
        found = json.loads(content)
        hidden, injection = unpack(found["hidden"]), unpack(found["injection"])
        return Inspection(int(facts["pages"]), bool(facts["encrypted"]), hidden, injection, float(facts["took"]))

    def mark(
        self,
        pdf: Path | bytes,
        marks: Sequence[Mark],
        title: str,
        appendix: bytes = b"",
        *,
        outline: str = "Marks",
        progress: Progress | None = None,
        cancelled: IsCancelled | None = None,
    ) -> Marking:
        """A PDF with marks laid over it and ``appendix`` (a PDF) at its end, named so in the outline.

        See ``engine.documents.marking``.

        Raises BadInput where the file is no PDF that can be opened.
        """
        data = _bytes_of(pdf)
        fields = [mark.fields() for mark in marks]
        request = {"op": "mark", "size": len(data), "marks": fields, "title": title, "outline": outline}
        lane = self._parse_lane
        with lane.turn(cancelled) as process:
            facts, content = lane.ask(
                process, request, data + appendix, seconds=self._parse_seconds, progress=progress, cancelled=cancelled
            )
        return Marking(content, int(facts["marks"]), int(facts["left_out"]))

    def close(self) -> None:
        """End the workers; requests still running raise Cancelled."""
        self._render_lane.close()
        self._parse_lane.close()
        with self._sources_lock:
            self._sources.clear()


def _bytes_of(pdf: Path | bytes) -> bytes:
    if isinstance(pdf, bytes):
        return pdf
    try:
        if pdf.stat().st_size > MAX_FILE:
            raise BadInput(
                f"{pdf.name} is larger than {MAX_FILE // 1_000_000} MB.",
                "It was not opened.",
                "Reduce the size of its images and try again.",
            )
        return pdf.read_bytes()
    except OSError as error:
        raise BadInput(
            f"{pdf.name} could not be read: {error.strerror}.", "Nothing was opened.", "Check the file and its folder."
        ) from error


def _stopped() -> EnvironmentProblem:
    return EnvironmentProblem(
        "The PDF reader stopped while reading this file.",
        "The file is probably damaged; nothing else is affected.",
        "Save it anew from a PDF reader and try that copy.",
    )


def _too_big() -> EnvironmentProblem:
    return EnvironmentProblem(
        "The PDF needs more memory than a document may take, and was given up.",
        "It may be damaged or made to exhaust readers; nothing else is affected.",
        "Save it anew from a PDF reader, with smaller images, and try that copy.",
    )
