"""The most central sentence of a cluster: the one with the highest mean cosine to the others (JitsuPeer)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from engine.rebuttal.preferences.records import Extract, Sentence


def most_central(sentences: Sequence[Sentence], vectors: NDArray[np.float32], origin: str) -> Extract | None:
    """The central one of ``sentences``, whose ``vectors`` (n, d) have length 1; of equal ones the first; None of none.

    A sentence is not compared with itself: with that every mean would rise by the same 1 / n.
    """
    n = len(sentences)
    if not n:
        return None
    similar = vectors.astype(np.float64) @ vectors.astype(np.float64).T
    mean = (similar.sum(1) - np.diag(similar)) / max(n - 1, 1)
    best = int(mean.argmax())
    return Extract(sentences[best].id, sentences[best].text, float(mean[best]), n, origin)
