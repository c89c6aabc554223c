"""Any local sentence encoder: pooled cosines of the vectors of title and abstract.

SPECTER (Cohan et al. 2020), SPECTER2 (Singh et al. 2023) and SciNCL (Ostendorff et al. 2022) read title and abstract
joined by their separator, and use the first token's vector; other models are read as their folder specifies.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from engine.expertise.algorithms.base import AlgorithmInfo, Vectors
from engine.expertise.algorithms.paperwise import VectorScorer, alike_sentences
from engine.expertise.algorithms.pooling import Pooling
from engine.expertise.algorithms.words import paper_text
from engine.expertise.records import PaperText, Representation
from engine.jobs import Report
from engine.models import Embedder, EmbeddingCache, load_encoder, local_encoder, shared_encoder
from engine.models.embedders import TokenPooling

TEXTS_AT_ONCE = 4096
"""Papers encoded at once, which limits what the embedding cache returns at a time."""
SENTENCES = ". "


@dataclass(frozen=True, slots=True)
class Family:
    """A published model: its title and citation, and how a plain transformers folder of it is read."""

    id: str
    title: str
    citation: str
    pooling: str = "max"
    tokens: TokenPooling | None = "cls"


FAMILIES: dict[str, Family] = {
    family.id: family
    for family in (
        Family("encoder", "Sentence encoder", "Reimers and Gurevych 2019", "top-3", None),
        Family("specter", "SPECTER", "Cohan et al. 2020; Stelmakh et al. 2023, section 5.2"),
        Family("specter2", "SPECTER2", "Singh et al. 2023"),
        Family("scincl", "SciNCL", "Ostendorff et al. 2022"),
    )
}
ELMO = Family("elmo", "ELMo", "Peters et al. 2018; openreview-expertise; Stelmakh et al. 2023, section 5.2")
"""The mean over words of three concatenated layers; not a transformers model."""


class Encoder:
    def __init__(
        self, embedder: Embedder, family: Family, pooling: Pooling | None = None, separator: str = SENTENCES
    ) -> None:
        """``separator`` joins title and abstract (``encoder_in`` determines a folder's)."""
        self.embedder = embedder
        self._pooling = pooling or Pooling(family.pooling)
        self.separator = separator
        parameters = (("encoder", embedder.fingerprint), ("separator", separator), ("pooling", self._pooling.how))
        self.info = AlgorithmInfo(family.id, "1", parameters)

    def read(self, papers: Mapping[str, PaperText], representation: Representation, *, report: Report) -> VectorScorer:
        texts = [paper_text(paper, representation, self.separator) for paper in papers.values()]
        vectors = encode_papers(self.embedder, texts, report)
        explain = alike_sentences(papers, representation, self.embedder.encode)
        return VectorScorer(list(papers), vectors, self._pooling, explain)


def encoder_in(
    folder: Path,
    key: str = "encoder",
    pooling: Pooling | None = None,
    *,
    fast: bool = False,
    device: str | None = None,
    cache: EmbeddingCache | None = None,
    beside_window: bool = False,
) -> Encoder:
    """Returns algorithm ``key`` with the model and adapters in a folder. Token pooling is taken from the folder
    (modules.json), otherwise from the family. ``beside_window``: runs in a separate process. Raises EnvironmentProblem
    if the folder is missing."""
    family = FAMILIES[key]
    model = local_encoder(folder)
    said = _said_pooling(folder)
    tokens = None if said else family.tokens
    if beside_window:
        embedder = shared_encoder(model, tokens)
    else:
        embedder = load_encoder(model, token_pooling=tokens, fast=fast, device=device, cache=cache)
    by_first_token = (said or family.tokens) == "cls"
    return Encoder(embedder, family, pooling, _separator_token(folder) if by_first_token else SENTENCES)


def encode_papers(embedder: Embedder, texts: Sequence[str], report: Report) -> Vectors:
    """Returns vectors of texts, (texts, d), rows of length 1, or 0 for an empty text."""
    there = [at for at, text in enumerate(texts) if text.strip()]
    vectors: Vectors | None = None
    for start in range(0, max(len(there), 1), TEXTS_AT_ONCE):
        some = there[start : start + TEXTS_AT_ONCE]
        part = report.part(start / max(len(there), 1), min(1.0, (start + TEXTS_AT_ONCE) / max(len(there), 1)))
        found = embedder.encode([texts[at] for at in some], part)
        if vectors is None:
            vectors = np.zeros((len(texts), found.shape[1]), dtype=np.float32)
        vectors[some] = found
    assert vectors is not None
    return vectors


def _said_pooling(folder: Path) -> str:
    """Returns "cls" or "other", as specified in a sentence-transformers folder; "" if unspecified."""
    if not (folder / "modules.json").is_file():
        return ""
    for file in folder.glob("*/config.json"):
        said = json.loads(file.read_text(encoding="utf-8"))
        if said.get("pooling_mode_cls_token") or said.get("pooling_mode") == "cls":
            return "cls"
    return "other"


def _separator_token(folder: Path) -> str:
    for name in ("special_tokens_map.json", "tokenizer_config.json"):
        if (folder / name).is_file():
            token = json.loads((folder / name).read_text(encoding="utf-8")).get("sep_token")
            if token:
                return str(token["content"] if isinstance(token, dict) else token)
    return "[SEP]"
