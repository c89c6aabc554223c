"""The child's side of ``engine.models.encoder_process``.

``{"texts"}`` is answered by ``{"shape", "vectors"}`` (base64 of float32 rows). Arguments: folder, device ("" for the
best), token pooling ("" for the folder's setting).
"""

import base64
import sys
from collections.abc import Callable
from pathlib import Path
from typing import cast

from engine.jobs import Report
from engine.models.child import Answer, serve
from engine.models.embedders import SentenceTransformerEmbedder, TokenPooling


def main() -> None:
    """Runs the child: answers requests until the input ends."""
    folder, device, pooling = sys.argv[1:4]
    token_pooling = cast(TokenPooling | None, pooling or None)
    embedder = SentenceTransformerEmbedder(Path(folder), "", device=device or None, token_pooling=token_pooling)

    def respond(request: Answer, _emit: Callable[[Answer], None], report: Report) -> Answer:
        vectors = embedder.encode(request["texts"], report)
        return {"shape": list(vectors.shape), "vectors": base64.b64encode(vectors.tobytes()).decode("ascii")}

    serve(respond)


if __name__ == "__main__":
    main()
