"""The process in which MuPDF runs: it opens, parses and renders PDFs for ``service.DocumentService``.

It is started confined (``engine.confinement``): it can open only the program's own files, no sockets, and no other
programs. It exchanges frames (``send``, ``receive``) over standard input and output; the first one reports the
confinement in effect. It handles one request at a time; progress frames may precede the answer. It ends when its input
ends, and so also when the parent dies; a timer and a limit on processor time end it if MuPDF hangs after that.
"""

import ctypes
import gc
import json
import os
import queue
import signal
import struct
import sys
import threading
import traceback
from collections import OrderedDict
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import Any, BinaryIO

from engine.confinement import allow_cpu, in_force
from engine.errors import BadInput, EnvironmentProblem

MAX_PIXELS = 40_000_000
"""Greatest number of pixels of a rendered page (120 MB of RGB); a larger request reduces the scale."""

_KEPT_OPEN = 12


class Documents:
    """The documents that this worker keeps open, least recently used first."""

    def __init__(self) -> None:
        self._open: OrderedDict[str, Any] = OrderedDict()

    def load(self, sha256: str, data: bytes) -> Any:
        document = open_pdf(data)
        self._open[sha256] = document
        while len(self._open) > _KEPT_OPEN:
            self._open.popitem(last=False)[1].close()
        return document

    def get(self, sha256: str) -> Any | None:
        document = self._open.get(sha256)
        if document is not None:
            self._open.move_to_end(sha256)
        return document


def open_pdf(data: bytes, *, locked: bool = False) -> Any:
    """Opens a PDF as a ``pymupdf.Document``. Raises BadInput if it can't be read.

    With ``locked``, also returns documents that need a password, whose pages aren't available, and those with parts
    that decompress to too much, which the inspection reports.
    """
    import pymupdf

    from engine.documents.objects import oversized, read_objects

    if not data:
        raise BadInput("The file is empty.", "There is nothing to read in it.", "Choose another file.")
    if b"%PDF-" not in data[:1024]:
        raise BadInput("The file is not a PDF.", "It can't be opened.", "Choose a PDF file.")
    damaged = BadInput(
        "The PDF is damaged beyond repair.",
        "No page of it can be read.",
        "Fetch the file again, or save it again from a PDF reader, and try that copy.",
    )
    try:
        document = pymupdf.open(stream=data, filetype="pdf")
        if document.needs_pass:
            if locked:
                return document
            raise BadInput(
                "The PDF is protected by a password.",
                "Its pages can't be read.",
                "Save a copy without the password from a PDF reader, and open that copy.",
            )
        pages = document.page_count
        huge = "" if locked else oversized(document, read_objects(document))
    except (RuntimeError, ValueError, pymupdf.mupdf.FzErrorBase) as error:
        raise damaged from error
    if pages < 1:
        raise damaged
    if huge:
        raise BadInput(
            f"The PDF was not read: {huge}.",
            "Reading it would keep this computer busy for minutes.",
            "Save it again from a PDF reader and try that copy.",
        )
    return document


def page_sizes(document: Any) -> list[list[float]]:
    """Returns number, width, height (points, as shown) and rotation of every page; unreadable pages count as A4."""
    import pymupdf

    sizes: list[list[float]] = []
    for index in range(document.page_count):
        try:
            page = document.load_page(index)
            sizes.append([index + 1, round(page.rect.width, 2), round(page.rect.height, 2), page.rotation % 360])
        except (RuntimeError, ValueError, pymupdf.mupdf.FzErrorBase):
            sizes.append([index + 1, 595.0, 842.0, 0])
    return sizes


def render(document: Any, number: int, scale: float) -> tuple[dict[str, Any], bytes]:
    """Renders one page as RGB; ``scale`` is pixels per point. Raises BadInput or EnvironmentProblem."""
    import pymupdf

    if not 1 <= number <= document.page_count:
        raise BadInput(f"There is no page {number}.", f"The document has {document.page_count} pages.")
    try:
        page = document.load_page(number - 1)
        scale = min(scale, (MAX_PIXELS / (page.rect.width * page.rect.height)) ** 0.5)
        pixels = page.get_pixmap(matrix=pymupdf.Matrix(scale, scale), colorspace=pymupdf.csRGB, alpha=False)
    except (RuntimeError, ValueError, ZeroDivisionError, pymupdf.mupdf.FzErrorBase) as error:
        raise EnvironmentProblem(
            f"Page {number} of the PDF is damaged.", "It can't be drawn; the other pages are not affected."
        ) from error
    header = {"page": number, "width": pixels.width, "height": pixels.height, "stride": pixels.stride, "scale": scale}
    return header, pixels.samples


class Worker:
    """Answers requests until the input ends."""

    def __init__(self, inbox: BinaryIO, outbox: BinaryIO) -> None:
        self._inbox = inbox
        self._outbox = outbox
        self._documents = Documents()
        self._requests: queue.SimpleQueue[tuple[dict[str, Any], bytes]] = queue.SimpleQueue()

    def run(self) -> None:
        threading.Thread(target=self._read, daemon=True).start()
        import pymupdf

        pymupdf.TOOLS.mupdf_display_errors(False)
        pymupdf.TOOLS.mupdf_display_warnings(False)
        send(self._outbox, {"ready": os.getpid(), "held": asdict(in_force())})
        while True:
            header, payload = self._requests.get()
            self._answer(header, payload)

    def _read(self) -> None:
        while (frame := receive(self._inbox)) is not None:
            self._requests.put(frame)
        os._exit(0)

    def _answer(self, header: dict[str, Any], payload: bytes) -> None:
        allow_cpu(float(header["seconds"]) + 5)
        if sys.platform != "win32":
            signal.setitimer(signal.ITIMER_REAL, float(header["seconds"]) + 5)
        answer: dict[str, Any]
        content = b""
        try:
            answer, content = self._do(header, payload)
        except EnvironmentProblem as problem:
            kind = "bad_input" if isinstance(problem, BadInput) else "environment"
            answer = {"problem": kind, "what": problem.what, "means": problem.means, "do": problem.do}
        except MemoryError:
            answer = {"problem": "memory"}
        except Exception:  # noqa: BLE001 - the top of this process; the parent reports it as a bug
            answer = {"problem": "bug", "what": traceback.format_exc()}
        send(self._outbox, answer, content)
        if header["op"] in ("parse", "inspect"):
            gc.collect()
        if sys.platform != "win32":
            signal.setitimer(signal.ITIMER_REAL, 0)

    def _do(self, header: dict[str, Any], payload: bytes) -> tuple[dict[str, Any], bytes]:
        match header["op"]:
            case "open":
                document = self._documents.load(header["sha256"], payload)
                title = str((document.metadata or {}).get("title") or "").strip()
                return {"pages": page_sizes(document), "title": title}, b""
            case "render":
                document = self._documents.get(header["sha256"])
                if document is None:
                    return {"missing": True}, b""
                return render(document, header["page"], header["scale"])
            case "metadata":
                with closing(open_pdf(payload)) as document:
                    known = {name: str(value).strip() for name, value in (document.metadata or {}).items() if value}
                return {"metadata": {name: value for name, value in known.items() if value}}, b""
            case "typeset":
                from engine.documents.marking import typeset

                laid = typeset(header["title"], json.loads(payload), header["page"])
                return {"pages": laid.pages, "filled": laid.filled}, laid.content
            case "looks":
                from engine.documents.looks import line_fields

                with closing(open_pdf(payload)) as document:
                    return {}, json.dumps(line_fields(document, self._progress)).encode()
            case "inspect":
                from engine.documents.drawn import inspect_document

                with closing(open_pdf(payload, locked=True)) as document:
                    seen = inspect_document(document, self._progress, payload)
                return {}, json.dumps(asdict(seen)).encode("ascii")
            case "mark":
                from engine.documents.marking import mark_pdf

                pdf, appendix = payload[: header["size"]], payload[header["size"] :]
                marks, title, outline = header["marks"], header["title"], header["outline"]
                with closing(open_pdf(pdf)) as document:
                    made = mark_pdf(document, marks, appendix, title, outline=outline, progress=self._progress)
                return {"marks": made.marks, "left_out": made.left_out}, made.content
            case "parse":
                from engine.documents.codec import encode
                from engine.documents.parsing import parse_document

                with closing(open_pdf(payload)) as document:
                    parsed = parse_document(document, header["sha256"], progress=self._progress)
                facts = {"parser": parsed.parser, "pages": len(parsed.pages), "paragraphs": len(parsed.paragraphs)}
                return {**facts, "took": parsed.seconds, "warnings": parsed.warnings}, encode(parsed)
            case other:
                raise ValueError(f"unknown request {other!r}")

    def _progress(self, fraction: float, words: str) -> None:
        send(self._outbox, {"progress": fraction, "words": words})


def _keep_none() -> None:
    """Protects None: PyMuPDF 2.0 releases a reference to it that it doesn't own in many calls, so before Python 3.12,
    where None became immortal, the process would die when the count reaches zero. A large reserve avoids that."""
    if sys.version_info < (3, 12) and sys.implementation.name == "cpython":
        ctypes.c_ssize_t.from_address(id(None)).value += 1 << 40


def main() -> None:
    _keep_none()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C in a terminal is handled by the parent
    inbox = os.fdopen(os.dup(0), "rb")
    outbox = os.fdopen(os.dup(1), "wb")
    # Output of MuPDF or a library must not end up between the frames.
    with Path(os.devnull).open("r+b", buffering=0) as nothing:
        os.dup2(nothing.fileno(), 0)
        os.dup2(nothing.fileno(), 1)
    gc.disable()  # a parse makes a million small objects and hardly any cycles; see ``_answer``
    Worker(inbox, outbox).run()


# --- The frames that the document service and its worker processes exchange over pipes --------------------------------
# A frame is a JSON object and a block of bytes. No pickle: a PDF that took over the worker must not be able to run
# code in the window's process.

_LENGTHS = struct.Struct("<IQ")


def send(stream: BinaryIO, header: dict[str, Any], payload: bytes = b"") -> None:
    """Writes one frame and flushes it."""
    text = json.dumps(header).encode("ascii")
    stream.write(_LENGTHS.pack(len(text), len(payload)))
    stream.write(text)
    stream.write(payload)
    stream.flush()


def receive(stream: BinaryIO) -> tuple[dict[str, Any], bytes] | None:
    """Reads one frame; None if the other side has gone."""
    lengths = _exactly(stream, _LENGTHS.size)
    if lengths is None:
        return None
    header_size, payload_size = _LENGTHS.unpack(lengths)
    header = _exactly(stream, header_size)
    payload = _exactly(stream, payload_size)
    if header is None or payload is None:
        return None
    return json.loads(header), payload


def _exactly(stream: BinaryIO, size: int) -> bytes | None:
    parts: list[bytes] = []
    while size:
        part = stream.read(size)
        if not part:
            return None
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


if __name__ == "__main__":
    main()
