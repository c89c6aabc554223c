"""Searching a set of papers by words and by meaning together: BM25, an encoder's vectors, their ranks fused.

Pure: texts in, scores out; what encodes is passed in.
"""

import logging
import os
import re
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

Scores = NDArray[np.float64]
Vectors = NDArray[np.float32]

Encode = Callable[[Sequence[str]], "Vectors"]
RANK_OFFSET = 60
"""Cormack et al. 2009: 1 / (60 + rank) lets no single list decide."""
_WORD = re.compile(r"[^\W_]+")


@cache
def _bm25s() -> Any:
    os.environ.setdefault("DISABLE_TQDM", "1")  # its progress bars start a thread of their own
    import bm25s

    logging.getLogger("bm25s").setLevel(logging.WARNING)
    return bm25s


def lexical_scores(queries: Sequence[str], documents: Sequence[str]) -> Scores:
    """``bm25`` over the stems of texts."""
    from Stemmer import Stemmer

    stemmer = Stemmer("english")
    return bm25(*([stemmer.stemWords(_WORD.findall(text.casefold())) for text in own] for own in (queries, documents)))


def bm25(queries: Sequence[Sequence[str]], documents: Sequence[Sequence[str]]) -> Scores:
    """BM25 (Lucene's variant, k1 1.5, b 0.75) over words: array (queries, documents), 0 where no word is shared."""
    scores = np.zeros((len(queries), len(documents)))
    if not any(documents):
        return scores
    index = _bm25s().BM25()
    # The library knows no empty document; a word that no query holds stands in for one.
    index.index([words or ["\0"] for words in documents], show_progress=False)
    for row, words in enumerate(queries):
        if words:
            scores[row] = index.get_scores(words)
    return scores


def fuse(rankings: Sequence[Scores]) -> Scores:
    """Reciprocal rank fusion of score lists over the same documents; a score of 0 or less is no find.

    Returns:
        (documents,), higher is better, 0 for what no list found.
    """
    fused = np.zeros(len(rankings[0]) if rankings else 0)
    for scores in rankings:
        order = np.argsort(-scores, kind="stable")
        for rank, place in enumerate(order):
            if scores[place] <= 0:
                break
            fused[place] += 1.0 / (RANK_OFFSET + rank + 1)
    return fused


def hybrid(queries: Sequence[str], documents: Sequence[str], encode: Encode | None) -> Scores:
    """How well each document answers the queries together: BM25 and, with an encoder, cosines; ranks fused."""
    rankings = list(lexical_scores(queries, documents))
    if encode is not None and len(documents):
        vectors = encode([*queries, *documents])
        asked, held = vectors[: len(queries)], vectors[len(queries) :]
        rankings += [row.astype("float64") for row in asked @ held.T]
    return fuse(rankings)
