"""An encoder in a child process, so that loading it never blocks the window.

Jobs use the process like the model itself: one batch at a time, with progress and cancellation. Jobs of several lanes
take turns batch by batch, so a short one doesn't wait for all texts of a long one.
"""

import base64
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from engine.jobs import QuietReport, Report
from engine.models.child import ModelProcess
from engine.models.embedders import BATCH_CHARACTERS, TokenPooling, batches
from engine.shown import counted

if TYPE_CHECKING:
    from engine.models.embedders import Vectors

_WINDOW = 4096  # characters of a text that count for its batch; no bundled model reads more


class ProcessEmbedder:
    """A local model folder, served by a child process that starts with the first text and ends with ``close``.

    Returns the same as ``SentenceTransformerEmbedder``. After a cancelled call the process is ready for the next one.
    """

    def __init__(
        self, folder: Path, fingerprint: str, *, device: str | None = None, token_pooling: TokenPooling | None = None
    ) -> None:
        arguments = (str(folder), device or "", token_pooling or "")
        self._child = ModelProcess("engine.models.encoder_worker", arguments, name="encoder", read=(folder,))
        self.fingerprint = "-".join(filter(None, (fingerprint, token_pooling)))

    @property
    def pid(self) -> int | None:
        return self._child.pid

    def encode(self, texts: Sequence[str], report: Report = QuietReport()) -> "Vectors":
        """As ``Embedder.encode``. Raises EnvironmentProblem if the model can't be loaded or the child was ended."""
        import numpy as np

        total = sum(map(len, texts)) or 1
        done = 0
        vectors: Vectors | None = None
        for batch in batches(texts, _WINDOW, BATCH_CHARACTERS) if texts else [[]]:
            report.progress(done / total, f"Encoding {counted(len(texts), 'text')}" if done else "Loading the model")
            with self._child.turn(report):
                (answer,) = self._child.ask({"texts": [texts[index] for index in batch]}, report)
            rows = np.frombuffer(base64.b64decode(answer["vectors"]), dtype=np.float32).reshape(answer["shape"])
            if vectors is None:
                vectors = np.zeros((len(texts), rows.shape[1]), dtype=np.float32)
            vectors[batch] = rows
            done += sum(len(texts[index]) for index in batch)
        assert vectors is not None
        report.progress(1.0)
        return vectors

    def close(self) -> None:
        self._child.close()
