"""The other end of ``engine.models.encoder_process``.

``{"texts"}`` is answered by ``{"shape", "vectors"}`` (base64 of float32 rows). Arguments: folder, device ("" for the
best).
"""

from __future__ import annotations

import base64
import sys
from collections.abc import Callable
from pathlib import Path

from engine.jobs import Report
from engine.models.child import Answer, serve
from engine.models.embedders import SentenceTransformerEmbedder


def main() -> None:
    """Serves until the input ends."""
    folder, device = sys.argv[1:3]
    embedder = SentenceTransformerEmbedder(Path(folder), "", device=device or None)

    def respond(request: Answer, _emit: Callable[[Answer], None], report: Report) -> Answer:
        vectors = embedder.encode(request["texts"], report)
        return {"shape": list(vectors.shape), "vectors": base64.b64encode(vectors.tobytes()).decode("ascii")}

    serve(respond)


if __name__ == "__main__":
    main()
