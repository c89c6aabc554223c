"""What clusters are called and described by: labels of the taxonomy and rebuttal actions by their titles, other words
as they are; and the most central sentence, the one with the highest mean cosine to the others (JitsuPeer)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from engine.rebuttal.preferences.records import Cluster, Extract, NewCluster, Sentence
from engine.rebuttal.records import ACTION_TITLES
from engine.reviews.labels.taxonomy import layer

Part = Literal["root", "theme", "action"]


def options(part: Part) -> tuple[tuple[str, str], ...]:
    """(id, title) of everything that a cluster's root, theme or action can be by the taxonomy."""
    if part == "action":
        return tuple((name, title) for name, title in ACTION_TITLES.items())
    labels = layer("aspect" if part == "root" else "theme").labels
    return tuple((label.id, label.title) for label in labels)


def title(part: Part, value: str) -> str:
    """The title of an id, or the words themselves where the taxonomy does not have them."""
    return dict(options(part)).get(value, value)


def identified(part: Part, words: str) -> str:
    """The id that words mean: an id or a title, whatever their case, spaces or hyphens; else the words as they are."""
    plain = _plain(words)
    for key, name in options(part):
        if plain in (_plain(key), _plain(name)):
            return key
    return words.strip()


def cluster_title(cluster: Cluster | NewCluster) -> str:
    """Root, theme and action on one line."""
    parts = (title("root", cluster.root), title("theme", cluster.theme), title("action", cluster.action).lower())
    return " · ".join(part for part in parts if part)


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


def _plain(words: str) -> str:
    return "".join(letter for letter in words.lower() if letter.isalnum())
