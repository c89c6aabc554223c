"""``acl``: the reviewer matching of the ACL conferences (Neubig et al. 2020; Stelmakh et al. 2023, section 5.2)."""

from collections.abc import Mapping

import numpy as np

from engine.expertise.algorithms.acl_model import AclModel
from engine.expertise.algorithms.base import AlgorithmInfo
from engine.expertise.algorithms.paperwise import Reasons, VectorScorer, sentence_pairs
from engine.expertise.algorithms.pooling import Pooling
from engine.expertise.algorithms.words import paper_text
from engine.expertise.records import PaperText, Representation
from engine.jobs import Report

TEXTS_AT_ONCE = 256


class Acl:
    """Mean of word-piece vectors learned from abstracts; s1 + s2/2 + s3/3 of the three best papers of the profile, as
    in the paper (the published code weighs them in the opposite order)."""

    def __init__(self, model: AclModel, pooling: Pooling | None = None) -> None:
        self._model = model
        self._pooling = pooling or Pooling("acl")
        known = ((name, str(model.card[name])) for name in ("dimension", "learned_pieces") if name in model.card)
        self.info = AlgorithmInfo("acl", "1", (("model", model.fingerprint), *known, ("pooling", self._pooling.how)))

    def read(self, papers: Mapping[str, PaperText], representation: Representation, *, report: Report) -> VectorScorer:
        texts = [paper_text(paper, representation) for paper in papers.values()]
        parts = []
        for start in range(0, len(texts), TEXTS_AT_ONCE):
            report.progress(start / len(texts), f"Reading {len(texts)} papers")
            parts.append(self._model.encode(texts[start : start + TEXTS_AT_ONCE]))
        by_key = dict(zip(papers, texts, strict=True))
        vectors = np.concatenate(parts) if parts else self._model.encode([])

        def explain(submission: str, paper: str) -> Reasons:
            pairs = sentence_pairs(by_key[submission], by_key[paper], self._model.encode)
            return pairs, self._model.words(by_key[paper], by_key[submission])

        report.progress(1.0)
        return VectorScorer(list(papers), vectors, self._pooling, explain)
