"""PDFs for the rest of the program: open, render, parse. MuPDF itself runs in worker processes that this drives.

Two workers, so that a long parse never delays a page image. Each request is bounded in time and memory; a worker that
exceeds them, hangs, crashes or is cancelled is killed and replaced, and documents that were open in it are given to the
new one without the caller noticing. All methods may be called from any thread; requests to the same worker queue up.
"""

from __future__ import annotations

import copy
import hashlib
import json
import threading
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from engine.confinement import Held
from engine.documents.codec import decode
from engine.documents.hidden import Inspection, unpack_inspection
from engine.documents.lanes import IsCancelled, Lane, Progress
from engine.documents.looks import LookLine, lines_of
from engine.documents.marking import Laid, Mark, Marking
from engine.documents.records import PackedDocument, PageSize, ParsedDocument
from engine.errors import BadInput, about

MAX_FILE = 500_000_000
"""Files above this many bytes are refused."""

PATIENCE = 7.0
"""Seconds of processor time that the search for hidden text may take without getting to another page."""


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
        self._parse_lane = Lane(memory)
        self._render_lane = Lane(memory)
        self._sources: dict[str, bytes] = {}
        self._sources_lock = threading.Lock()
        self._until: IsCancelled | None = None

    def __enter__(self) -> DocumentService:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def until(self, cancelled: IsCancelled) -> DocumentService:
        """The same service for one job: what it asks of the parsing worker is given up once ``cancelled()`` holds, and
        Cancelled raised."""
        one = copy.copy(self)
        one._until = cancelled
        return one

    def warm(self) -> None:
        """Start both workers in the background, so that the first page comes quickly. Returns at once."""
        self._render_lane.warm()
        self._parse_lane.warm()

    @property
    def worker_pids(self) -> tuple[int, ...]:
        """The process ids of the workers that run now."""
        return tuple(pid for lane in (self._render_lane, self._parse_lane) if (pid := lane.pid) is not None)

    @property
    def held(self) -> tuple[Held, ...]:
        """How the workers that have answered a request are confined, as each found by trying."""
        return tuple(held for lane in (self._render_lane, self._parse_lane) if (held := lane.held) is not None)

    def open(self, pdf: Path | bytes) -> OpenDocument:
        """Make a PDF ready to render. Raises BadInput or EnvironmentProblem with sentences for people."""
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
        """The image of a page (from 1) of an open document at ``scale`` pixels per point.

        A scale that would make more than ``worker.MAX_PIXELS`` is lowered; the result says which was used. Raises
        KeyError when the document was not opened.
        """
        with self._sources_lock:
            data = self._sources[sha256]
        request = {"op": "render", "sha256": sha256, "page": page, "scale": scale}
        lane, seconds = self._render_lane, self._render_seconds
        with lane.turn(None) as process:
            answer: dict[str, Any] = {"missing": True}
            if sha256 in process.documents:
                answer, samples = lane.ask(process, request, seconds=seconds)
            if "missing" in answer:  # a new worker, or one that let it go to make room
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
        with _named(pdf):
            facts, content = self._asked({"op": "parse", "sha256": sha256}, data, cancelled, progress=progress)
        warnings = tuple(str(warning) for warning in facts["warnings"])
        return PackedDocument(
            sha256, facts["parser"], facts["pages"], facts["paragraphs"], facts["took"], warnings, content
        )

    def metadata(self, pdf: Path | bytes) -> dict[str, str]:
        """What a PDF says of itself beside its pages: "author", "creator", "producer", "title"...; empty values are
        left out. Raises as ``parse``.
        """
        answer, _ = self._asked({"op": "metadata"}, pdf)
        return {str(name): str(value) for name, value in answer["metadata"].items()}

    def typeset(self, title: str, blocks: Sequence[str]) -> bytes:
        """A PDF of HTML blocks set one after the other on A4; see ``engine.documents.marking``."""
        return self.lay_out(title, blocks, "a4").content

    def lay_out(self, title: str, blocks: Sequence[str], page: str) -> Laid:
        """As ``typeset``, on one of the ``PAGES``, with how much of them is filled."""
        request = {"op": "typeset", "title": title, "page": page}
        facts, content = self._asked(request, json.dumps(list(blocks)).encode())
        return Laid(content, int(facts["pages"]), float(facts["filled"]))

    def looks(self, pdf: Path | bytes) -> tuple[LookLine, ...]:
        """The lines of a PDF with their fonts and colours, from top to bottom. Raises as ``parse``."""
        _, content = self._asked({"op": "looks"}, pdf)
        return tuple(lines_of(json.loads(content)))

    def inspect(self, pdf: Path | bytes, cancelled: IsCancelled | None = None) -> Inspection:
        """What a PDF holds and does not show; see ``engine.documents.hidden``.

        One that needs a password gives an inspection without pages that is not complete. Otherwise raises as
        ``parse``, and EnvironmentProblem where one page keeps the reader busy for more than ``PATIENCE`` seconds.
        """
        _, content = self._asked({"op": "inspect"}, pdf, cancelled, patience=PATIENCE)
        return unpack_inspection(content)

    def mark(
        self, pdf: Path | bytes, marks: Sequence[Mark], title: str, appendix: bytes = b"", *, outline: str = "Marks"
    ) -> Marking:
        """A PDF with marks laid over it and ``appendix`` (a PDF) at its end, named so in the outline.

        See ``engine.documents.marking``.

        Raises BadInput where the file is no PDF that can be opened.
        """
        data = _bytes_of(pdf)
        fields = [mark.fields() for mark in marks]
        request = {"op": "mark", "size": len(data), "marks": fields, "title": title, "outline": outline}
        with _named(pdf):
            facts, content = self._asked(request, data + appendix)
        return Marking(content, int(facts["marks"]), int(facts["left_out"]))

    def _asked(
        self, request: dict[str, Any], pdf: Path | bytes = b"", cancelled: IsCancelled | None = None, **how: Any
    ) -> tuple[dict[str, Any], bytes]:
        """One answer of the parsing worker; ``how`` as ``Lane.ask``."""
        lane, payload, cancelled = self._parse_lane, _bytes_of(pdf), cancelled or self._until
        with _named(pdf), lane.turn(cancelled) as process:
            return lane.ask(process, request, payload, seconds=self._parse_seconds, cancelled=cancelled, **how)

    def close(self) -> None:
        """End the workers; requests still running raise Cancelled."""
        self._render_lane.close()
        self._parse_lane.close()
        with self._sources_lock:
            self._sources.clear()


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
