"""An encoder in a process of its own, so that loading it never holds the window up.

Importing torch and its friends keeps Python's lock for half a second at a time, whatever thread does it; in another
process that costs the window nothing (tests.benchmarks.responsiveness has the figures). The engine thread drives the
process as it would drive the model: one batch at a time, with progress and cancel.
"""

from __future__ import annotations

import base64
import json
import os
import queue
import subprocess
import sys
import threading
import weakref
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from engine.errors import EnvironmentProblem
from engine.jobs import QuietReport, Report
from engine.models.devices import OFFLINE
from engine.models.embedders import BATCH_CHARACTERS, batches

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]

_POLL = 0.1  # seconds between two looks at Cancel while a batch is out
_WINDOW = 4096  # characters of a text that decide its batch; no bundled model reads more


class ProcessEmbedder:
    """A local model folder, served by a child process that starts with the first text and ends with ``close``.

    Gives what ``SentenceTransformerEmbedder`` gives. A cancelled call leaves the process ready for the next one.
    """

    def __init__(self, folder: Path, fingerprint: str, *, device: str | None = None, leave_free: int = 1) -> None:
        self._arguments = (str(folder), device or "", str(leave_free))
        self._fingerprint = fingerprint
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._answers: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._request = 0
        self._finalizer: weakref.finalize[..., Any] | None = None

    @property
    def fingerprint(self) -> str:
        return self._fingerprint

    @property
    def pid(self) -> int | None:
        """The child's process id while it runs."""
        return self._process.pid if self._process is not None and self._process.poll() is None else None

    def encode(self, texts: Sequence[str], report: Report | None = None) -> Vectors:
        """As ``Embedder.encode``. Raises EnvironmentProblem where the model cannot be loaded or the child was ended."""
        import numpy as np

        report = report or QuietReport()
        total = sum(map(len, texts)) or 1
        done = 0
        vectors: Vectors | None = None
        with self._lock:
            for batch in batches(texts, _WINDOW, BATCH_CHARACTERS) if texts else [[]]:
                report.progress(done / total, f"Encoding {len(texts)} texts" if done else "Loading the model")
                rows = self._ask([texts[index] for index in batch], report)
                if vectors is None:
                    vectors = np.zeros((len(texts), rows.shape[1]), dtype=np.float32)
                vectors[batch] = rows
                done += sum(len(texts[index]) for index in batch)
        assert vectors is not None
        report.progress(1.0)
        return vectors

    def close(self) -> None:
        """Ends the child."""
        if self._finalizer is not None:
            self._finalizer()
        self._process = None

    def _ask(self, texts: list[str], report: Report) -> Vectors:
        import numpy as np

        process = self._running()
        self._request += 1
        # A child that has just ended shows in the answers below.
        with suppress(OSError):
            assert process.stdin is not None
            process.stdin.write(json.dumps({"id": self._request, "texts": texts}).encode("ascii") + b"\n")
            process.stdin.flush()
        while True:
            try:
                line = self._answers.get(timeout=_POLL)
            except queue.Empty:
                report.check()
                continue
            if line is None:
                self.close()
                raise EnvironmentProblem(
                    "The encoder's process ended unexpectedly.",
                    "Nothing was computed; what is saved is not touched.",
                    "Try again; close other programs if memory is short.",
                )
            answer = json.loads(line)
            if answer["id"] != self._request:
                continue  # of a batch that was cancelled
            if "problem" in answer:
                raise EnvironmentProblem(*answer["problem"])
            if "bug" in answer:
                raise RuntimeError(answer["bug"])
            rows = np.frombuffer(base64.b64decode(answer["vectors"]), dtype=np.float32)
            return rows.reshape(answer["shape"])

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is not None:
            return self._process
        process = subprocess.Popen(
            [sys.executable, "-m", "engine.models.encoder_worker", *self._arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=os.environ | OFFLINE,
        )
        self._answers = queue.SimpleQueue()
        reader = threading.Thread(
            target=_read, args=(process.stdout, self._answers), name="rejoinder-encoder-reader", daemon=True
        )
        reader.start()
        self._process = process
        self._finalizer = weakref.finalize(self, _end, process, reader)
        return process


def _read(stream: IO[bytes], answers: queue.SimpleQueue[bytes | None]) -> None:
    for line in stream:
        answers.put(line)
    answers.put(None)


def _end(process: subprocess.Popen[bytes], reader: threading.Thread) -> None:
    process.kill()  # it keeps nothing that could be lost
    process.wait()
    reader.join(2.0)
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            with suppress(OSError):
                stream.close()
