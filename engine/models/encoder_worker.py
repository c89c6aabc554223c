"""The other end of ``engine.models.encoder_process``: answers JSON lines on standard input with JSON lines.

``{"id", "texts"}`` is answered by ``{"id", "shape", "vectors"}`` (base64 of float32 rows), or by ``{"id", "problem"}``
with the three sentences of an EnvironmentProblem, or by ``{"id", "bug"}`` with a traceback. Ends with its input.
"""

from __future__ import annotations

import base64
import json
import os
import sys
import traceback
from pathlib import Path
from typing import Any

from engine.errors import EnvironmentProblem
from engine.models.embedders import SentenceTransformerEmbedder


def answer(embedder: SentenceTransformerEmbedder, texts: list[str]) -> dict[str, Any]:
    """The vectors of one batch, or why there are none."""
    try:
        vectors = embedder.encode(texts)
    except EnvironmentProblem as problem:
        return {"problem": [problem.what, problem.means, problem.do]}
    except MemoryError:
        return {"problem": ["The encoder needs more memory than there is.", "", "Close other programs and try again."]}
    except Exception:  # noqa: BLE001 (this process's job runner: the parent raises it as a bug of ours)
        return {"bug": traceback.format_exc()}
    return {"shape": list(vectors.shape), "vectors": base64.b64encode(vectors.tobytes()).decode("ascii")}


def main() -> None:
    """Serves until the input ends. Arguments: folder, device ("" for the best), processors to leave free."""
    folder, device, leave_free = sys.argv[1:4]
    # What libraries print must not get between the answers.
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    if hasattr(os, "nice"):
        os.nice(5)
    embedder = SentenceTransformerEmbedder(Path(folder), "", device=device or None, leave_free=int(leave_free))
    for line in sys.stdin.buffer:
        request = json.loads(line)
        out.write(json.dumps({"id": request["id"], **answer(embedder, request["texts"])}) + "\n")
        out.flush()


if __name__ == "__main__":
    main()
