"""Searches papers by words and meaning: BM25 and an encoder's vectors, combined by rank fusion. Pure; the encoder is
passed in."""

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
"""Cormack et al. 2009: 1 / (60 + rank) keeps a single list from dominating."""
_WORD = re.compile(r"[^\W_]+")


@cache
def _bm25s() -> Any:
    os.environ.setdefault("DISABLE_TQDM", "1")  # its progress bars would start a thread
    import bm25s

    logging.getLogger("bm25s").setLevel(logging.WARNING)
    return bm25s


def lexical_scores(queries: Sequence[str], documents: Sequence[str]) -> Scores:
    """Returns ``bm25`` over the stems of texts."""
    from Stemmer import Stemmer

    stemmer = Stemmer("english")
    return bm25(*([stemmer.stemWords(_WORD.findall(text.casefold())) for text in own] for own in (queries, documents)))


def bm25(queries: Sequence[Sequence[str]], documents: Sequence[Sequence[str]]) -> Scores:
    """Returns BM25 scores (Lucene's variant, k1 1.5, b 0.75) over words: (queries, documents), 0 if
    no word is shared."""
    scores = np.zeros((len(queries), len(documents)))
    if not any(documents):
        return scores
    index = _bm25s().BM25()
    # The library doesn't support empty documents, so they get a word that no query contains.
    index.index([words or ["\0"] for words in documents], show_progress=False)
    for row, words in enumerate(queries):
        if words:
            scores[row] = index.get_scores(words)
    return scores


def fuse(rankings: Sequence[Scores]) -> Scores:
    """Combines score lists over the same documents by reciprocal rank fusion. Scores of 0 or less don't count. Returns
    (documents,), higher is better, 0 for documents in no list."""
    fused = np.zeros(len(rankings[0]) if rankings else 0)
    for scores in rankings:
        order = np.argsort(-scores, kind="stable")
        for rank, place in enumerate(order):
            if scores[place] <= 0:
                break
            fused[place] += 1.0 / (RANK_OFFSET + rank + 1)
    return fused


def hybrid(queries: Sequence[str], documents: Sequence[str], encode: Encode | None) -> Scores:
    """Returns how well each document matches all queries together, (documents,): BM25 and, with an encoder, cosines,
    fused by rank."""
    rankings = list(lexical_scores(queries, documents))
    if encode is not None and len(documents):
        vectors = encode([*queries, *documents])
        asked, held = vectors[: len(queries)], vectors[len(queries) :]
        rankings += [row.astype("float64") for row in asked @ held.T]
    return fuse(rankings)
