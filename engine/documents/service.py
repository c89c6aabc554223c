"""Opens, renders and parses PDFs for the rest of the program, using MuPDF in worker processes.

There are two workers, so that a long parse never delays a page image. Each request is limited in time and memory; a
worker that exceeds them, hangs, crashes or is cancelled is killed and replaced, and documents open in it are sent to
the new one when needed. All methods are thread-safe; requests to the same worker queue up.
"""

import copy
import hashlib
import json
import threading
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from engine.confinement import Held
from engine.documents.codec import decode
from engine.documents.hidden import Inspection, unpack_inspection
from engine.documents.lanes import IsCancelled, Lane, Progress
from engine.documents.looks import LookLine, lines_of
from engine.documents.records import Laid, Mark, Marking, PackedDocument, PageSize, ParsedDocument
from engine.errors import BadInput, about

MAX_FILE = 500_000_000
"""Larger files (in bytes) are rejected."""

PATIENCE = 7.0
"""Processor time in seconds that the search for hidden text may take without reporting progress."""


@dataclass(frozen=True, slots=True)
class OpenDocument:
    """A PDF that can be rendered: ``sha256`` of its bytes, its page sizes as shown, the title in its metadata."""

    sha256: str
    pages: tuple[PageSize, ...]
    title: str


@dataclass(frozen=True, slots=True)
class RenderedPage:
    """A page image: RGB, 8 bits each, ``height`` rows of ``stride`` bytes; ``scale`` is the actual pixels per point."""

    page: int
    width: int
    height: int
    stride: int
    samples: bytes = field(repr=False)
    scale: float = 1.0


class DocumentService:
    """Opens, renders and parses PDFs in worker processes.

    ``parse_seconds`` and ``render_seconds`` limit one request, ``memory`` (bytes) each worker. Use as a context
    manager, or call ``close()``.
    """

    def __init__(
        self, *, parse_seconds: float = 120.0, render_seconds: float = 20.0, memory: int = 3_000_000_000
    ) -> None:
        self._parse_seconds = parse_seconds
        self._render_seconds = render_seconds
        self._parse_lane = Lane(memory)
        self._render_lane = Lane(memory)
        self._sources: dict[str, bytes] = {}
        self._sources_lock = threading.Lock()
        self._until: IsCancelled | None = None

    def __enter__(self) -> "DocumentService":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def until(self, cancelled: IsCancelled) -> "DocumentService":
        """Returns this service for one job: its requests to the parsing worker raise Cancelled once ``cancelled()``
        returns true."""
        one = copy.copy(self)
        one._until = cancelled
        return one

    def warm(self) -> None:
        """Starts both workers in the background, so that the first page is shown quickly. Returns at once."""
        self._render_lane.warm()
        self._parse_lane.warm()

    @property
    def worker_pids(self) -> tuple[int, ...]:
        """The process ids of the running workers."""
        return tuple(pid for lane in (self._render_lane, self._parse_lane) if (pid := lane.pid) is not None)

    @property
    def held(self) -> tuple[Held, ...]:
        """How the workers that have answered a request are confined, as each determined by testing."""
        return tuple(held for lane in (self._render_lane, self._parse_lane) if (held := lane.held) is not None)

    def open(self, pdf: Path | bytes) -> OpenDocument:
        """Opens a PDF for rendering. Raises BadInput or EnvironmentProblem."""
        data = _bytes_of(pdf)
        sha256 = hashlib.sha256(data).hexdigest()
        lane = self._render_lane
        with _named(pdf), lane.turn(None) as process:
            answer, _ = lane.ask(process, {"op": "open", "sha256": sha256}, data, seconds=self._render_seconds)
            process.documents.add(sha256)
        with self._sources_lock:
            self._sources[sha256] = data
        pages = tuple(PageSize(int(n), float(w), float(h), int(r)) for n, w, h, r in answer["pages"])
        return OpenDocument(sha256, pages, str(answer["title"]))

    def render(self, sha256: str, page: int, scale: float) -> RenderedPage:
        """Renders a page (from 1) of an open document at ``scale`` pixels per point.

        The scale is reduced if the image would exceed ``worker.MAX_PIXELS``; the result contains the one used. Raises
        KeyError if the document wasn't opened.
        """
        with self._sources_lock:
            data = self._sources[sha256]
        request = {"op": "render", "sha256": sha256, "page": page, "scale": scale}
        lane, seconds = self._render_lane, self._render_seconds
        with lane.turn(None) as process:
            answer: dict[str, Any] = {"missing": True}
            if sha256 in process.documents:
                answer, samples = lane.ask(process, request, seconds=seconds)
            if "missing" in answer:  # a new worker, or one that closed the document to save memory
                lane.ask(process, {"op": "open", "sha256": sha256}, data, seconds=seconds)
                process.documents.add(sha256)
                answer, samples = lane.ask(process, request, seconds=seconds)
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
        """Reads a PDF into paragraphs.

        ``progress(fraction, words)`` is called on this thread and may raise Cancelled; ``cancelled()`` is polled 20
        times a second. Either way the worker is killed and Cancelled raised. Raises BadInput or EnvironmentProblem if
        the PDF can't be read or exceeds the limits of time or memory.
        """
        return decode(self.read(pdf, progress, cancelled).content)

    def read(
        self, pdf: Path | bytes, progress: Progress | None = None, cancelled: IsCancelled | None = None
    ) -> PackedDocument:
        """Reads like ``parse``, but returns the encoded form for the store: nothing large is built in this process."""
        data = _bytes_of(pdf)
        sha256 = hashlib.sha256(data).hexdigest()
        with _named(pdf):
            facts, content = self._asked({"op": "parse", "sha256": sha256}, data, cancelled, progress=progress)
        warnings = tuple(str(warning) for warning in facts["warnings"])
        return PackedDocument(
            sha256, facts["parser"], facts["pages"], facts["paragraphs"], facts["took"], warnings, content
        )

    def metadata(self, pdf: Path | bytes) -> dict[str, str]:
        """Returns a PDF's metadata ("author", "creator", "producer", "title", ...) without empty values. Raises like
        ``parse``."""
        answer, _ = self._asked({"op": "metadata"}, pdf)
        return {str(name): str(value) for name, value in answer["metadata"].items()}

    def typeset(self, title: str, blocks: Sequence[str]) -> bytes:
        """Typesets HTML blocks one after the other on A4 as a PDF; see ``engine.documents.marking``."""
        return self.lay_out(title, blocks, "a4").content

    def lay_out(self, title: str, blocks: Sequence[str], page: str) -> Laid:
        """Typesets like ``typeset``, in one of the ``PAGES`` formats; says how much of the last page is filled."""
        request = {"op": "typeset", "title": title, "page": page}
        facts, content = self._asked(request, json.dumps(list(blocks)).encode())
        return Laid(content, int(facts["pages"]), float(facts["filled"]))

    def looks(self, pdf: Path | bytes) -> tuple[LookLine, ...]:
        """Returns the lines of a PDF with their fonts and colours, in reading order. Raises like ``parse``."""
        _, content = self._asked({"op": "looks"}, pdf)
        return tuple(lines_of(json.loads(content)))

    def inspect(self, pdf: Path | bytes, cancelled: IsCancelled | None = None) -> Inspection:
        """Looks for hidden text in a PDF; see ``engine.documents.hidden``.

        A PDF that needs a password gives an incomplete inspection without pages. Otherwise raises like ``parse``, and
        EnvironmentProblem after ``PATIENCE`` seconds of processor time without progress.
        """
        _, content = self._asked({"op": "inspect"}, pdf, cancelled, patience=PATIENCE)
        return unpack_inspection(content)

    def mark(
        self, pdf: Path | bytes, marks: Sequence[Mark], title: str, appendix: bytes = b"", *, outline: str = "Marks"
    ) -> Marking:
        """Adds marks to a PDF, and ``appendix`` (a PDF) at its end under the outline entry ``outline``.

        See ``engine.documents.marking``. Raises BadInput if the file can't be opened as a PDF.
        """
        data = _bytes_of(pdf)
        fields = [asdict(mark) for mark in marks]
        request = {"op": "mark", "size": len(data), "marks": fields, "title": title, "outline": outline}
        with _named(pdf):
            facts, content = self._asked(request, data + appendix)
        return Marking(content, int(facts["marks"]), int(facts["left_out"]))

    def _asked(
        self, request: dict[str, Any], pdf: Path | bytes = b"", cancelled: IsCancelled | None = None, **how: Any
    ) -> tuple[dict[str, Any], bytes]:
        """Sends a request to the parsing worker and returns its answer; ``how`` is passed to ``Lane.ask``."""
        lane, payload, cancelled = self._parse_lane, _bytes_of(pdf), cancelled or self._until
        with _named(pdf), lane.turn(cancelled) as process:
            return lane.ask(process, request, payload, seconds=self._parse_seconds, cancelled=cancelled, **how)

    def close(self) -> None:
        """Ends the workers; requests still running raise Cancelled."""
        self._render_lane.close()
        self._parse_lane.close()


def _named(pdf: Path | bytes) -> AbstractContextManager[None]:
    return about(pdf.name) if isinstance(pdf, Path) else nullcontext()


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
            f"{pdf.name or pdf} couldn't be read: {error.strerror}.",
            "Nothing was opened.",
            "Check the file and its folder.",
        ) from error
