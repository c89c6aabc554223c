"""``elmo``: the biLM's vectors of papers, averaged over words; the best paper of the profile counts."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from engine.expertise.algorithms.elmo_model import ElmoEmbedder
from engine.expertise.algorithms.encoder import Encoder, Family
from engine.expertise.algorithms.pooling import Pooling
from engine.models import CachedEmbedder, EmbeddingCache

FAMILY = Family("elmo", "ELMo", "Peters et al. 2018; openreview-expertise; Stelmakh et al. 2023, section 5.2")


class Elmo(Encoder):
    """Cosine of the mean over words of all three layers side by side, the best of the profile."""

    def __init__(
        self, embedder: ElmoEmbedder, pooling: Pooling | None = None, cache: EmbeddingCache | None = None
    ) -> None:
        super().__init__(CachedEmbedder(embedder, cache), FAMILY, pooling)
        self.info = replace(self.info, parameters=(*self.info.parameters, ("dimension", str(embedder.dimension))))


def elmo_in(folder: Path, pooling: Pooling | None = None, *, cache: EmbeddingCache | None = None) -> Elmo:
    """The algorithm with the model of a folder. Raises BadInput where it holds none."""
    return Elmo(ElmoEmbedder(folder), pooling, cache)
