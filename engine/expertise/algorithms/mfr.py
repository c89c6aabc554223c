"""``specter+mfr``: several facets per paper, and single vectors, with weights 0.2 and 0.8.

Chang et al. (2021) give a paper several vectors, a reviewer one that lies near a facet of each of their papers, and
score how near a facet of the submission comes to it: 1 - |u - f|^2 = 2 cos(u, f) - 1, with the best f. The published
code learns u by gradient from a random start, a hundred rounds; here its limit is computed directly: u is the mean
direction of the nearest facets of the reviewer's papers, found by alternation.

Without the published checkpoint, facets come from any encoder: the passages of a paper (title, sentences of the
abstract, and of the body if it is read) are clustered by spherical k-means with k-means++ seeding.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from engine.expertise.algorithms.base import AlgorithmInfo, Evidence, Scores, Vectors, own_pairs
from engine.expertise.algorithms.encoder import SENTENCES, encode_papers, encoder_in
from engine.expertise.algorithms.paperwise import Explain, VectorScorer, alike_sentences, sentences
from engine.expertise.algorithms.pooling import Pooling
from engine.expertise.algorithms.words import paper_text
from engine.expertise.records import REPRESENTATIONS, PaperText, Representation
from engine.jobs import Report
from engine.models import Embedder, EmbeddingCache

if TYPE_CHECKING:
    from engine.expertise.algorithms.mfr_model import MfrModel

SINGLE_SHARE = 0.8
"""Weight of the single vectors' score; the rest is that of the facets (Stelmakh et al. 2023, section 5.2)."""
FACETS = 3
"""Facets per paper when found by clustering: title and abstract have about eight sentences."""
SEED = 0
MOST_PASSAGES = 60
ROUNDS = 20


class SpecterMfr:
    def __init__(
        self,
        embedder: Embedder,
        separator: str = SENTENCES,
        model: "MfrModel | None" = None,
        *,
        share: float = SINGLE_SHARE,
    ) -> None:
        """``model``: the published checkpoint; without it, facets are clustered from the encoder's passages of each
        paper. ``share``: weight of the single vectors, 0..1."""
        if not 0 <= share <= 1:
            raise ValueError("there must be a share from 0 to 1")
        self._embedder, self._separator, self._model = embedder, separator, model
        self._share = share
        source = f"checkpoint {model.fingerprint}" if model is not None else f"clusters, seed {SEED}"
        parameters = (
            ("encoder", embedder.fingerprint), ("single vectors", "max"), ("share", f"{share:g}"),
            ("facets", str(model.facets if model is not None else FACETS)), ("facets from", source),
        )  # fmt: skip
        self.info = AlgorithmInfo(
            "specter+mfr", "1", parameters, REPRESENTATIONS if model is None else REPRESENTATIONS[:2]
        )

    def read(self, papers: Mapping[str, PaperText], representation: Representation, *, report: Report) -> "MfrScorer":
        single = encode_papers(
            self._embedder,
            [paper_text(paper, representation, self._separator) for paper in papers.values()],
            report.part(0.0, 0.4),
        )
        if self._model is not None:
            facets = self._model.encode(list(papers.values()), representation != "title", report.part(0.4, 1.0))
        else:
            passages = [sentences(paper_text(paper, representation), MOST_PASSAGES) for paper in papers.values()]
            facets = cluster_facets(self._embedder, passages, FACETS, SEED, report.part(0.4, 1.0))
        explain = alike_sentences(papers, representation, self._embedder.encode)
        return MfrScorer(list(papers), single, facets, self._share, explain)


def mfr_in(
    folder: Path,
    *,
    share: float = SINGLE_SHARE,
    fast: bool = False,
    cache: EmbeddingCache | None = None,
    beside_window: bool = False,
) -> SpecterMfr:
    """Returns the algorithm with the encoder of a folder, and the checkpoint in its subfolder
    ``mfr`` if there is one."""
    from engine.expertise.algorithms.mfr_model import MfrModel

    encoder = encoder_in(folder, "specter", fast=fast, cache=cache, beside_window=beside_window)
    model = MfrModel(folder / "mfr") if (folder / "mfr").is_dir() else None
    return SpecterMfr(encoder.embedder, encoder.separator, model, share=share)


class MfrScorer:
    """Scores share x best cosine of single vectors + (1 - share) x (2 x best cosine of a facet - 1)."""

    def __init__(
        self, keys: Sequence[str], single: Vectors, facets: Vectors, share: float, explainer: Explain | None = None
    ) -> None:
        """``facets``: (papers, facets, d), of length 1, or 0 if a paper has fewer."""
        self._single = VectorScorer(keys, single, Pooling("max"), explainer)
        self._rows = {key: row for row, key in enumerate(keys)}
        self._facets = facets
        self._share = share

    def score(self, profiles: Mapping[str, Sequence[str]], submissions: Sequence[str], *, report: Report) -> Scores:
        scores = self._share * self._single.score(profiles, submissions, report=report.part(0.0, 0.7))
        targets = self._facets[[self._rows[key] for key in submissions]]
        people = list(profiles.values())
        centres = np.zeros((len(people), targets.shape[2]), dtype=np.float32)
        for reviewer, papers in enumerate(people):
            centres[reviewer] = self._centre(papers)
        report.check()
        scores += (1 - self._share) * _nearness(centres, targets)
        for reviewer, column, rest in own_pairs(people, submissions):
            near = _nearness(self._centre(rest)[None], targets[[column]])[0, 0]
            alone = self._single.score({"": rest}, [submissions[column]], report=report)[0, 0]
            scores[reviewer, column] = self._share * alone + (1 - self._share) * near
        report.progress(1.0)
        return scores

    def explain(self, profile: Sequence[str], submission: str) -> tuple[Evidence, ...]:
        """Returns the single vectors' evidence, with each paper's share mixed with that of its facets."""
        evidence = self._single.explain(profile, submission)
        if not evidence:
            return ()
        target = self._facets[self._rows[submission]]
        near = np.array([(self._facets[self._rows[part.paper]] @ target.T).max() for part in evidence])
        near = np.maximum(near, 0) / (np.maximum(near, 0).sum() or 1.0)
        mixed = self._share * np.array([part.share for part in evidence]) + (1 - self._share) * near
        order = np.argsort(-mixed, kind="stable")
        return tuple(
            Evidence(evidence[at].paper, float(mixed[at] / mixed.sum()), evidence[at].passages, evidence[at].words)
            for at in order
        )

    def _centre(self, papers: Sequence[str]) -> Vectors:
        """Returns the reviewer's unit vector, 0 without papers. Alternates between choosing each paper's facet nearest
        to the vector and the mean direction of these, starting from the facet nearest to a facet of every paper."""
        facets = self._facets[[self._rows[key] for key in dict.fromkeys(papers)]]
        facets = facets[np.any(facets, axis=(1, 2))]
        if not len(facets):
            nobody: Vectors = np.zeros(self._facets.shape[2], dtype=np.float32)
            return nobody
        there = np.any(facets, axis=2)
        flat = facets[there]
        alike = np.where(there[:, :, None], facets @ flat.T, -np.inf)
        centre: Vectors = flat[alike.max(axis=1).sum(axis=0).argmax()]
        chosen: NDArray[np.intp] | None = None
        for _ in range(ROUNDS):
            nearest = np.where(there, facets @ centre, -np.inf).argmax(axis=1)
            if chosen is not None and (nearest == chosen).all():
                break
            chosen = nearest
            centre = _unit(facets[np.arange(len(facets)), nearest].sum(axis=0))
        return centre


def _nearness(centres: Vectors, targets: Vectors) -> NDArray[np.float64]:
    """Returns 2 cos - 1 with the best facet, (reviewers, submissions); the cosine is 0 for
    submissions without facets."""
    best = np.full((len(centres), len(targets)), -np.inf)
    for facet in range(targets.shape[1]):
        there = np.any(targets[:, facet], axis=1)
        np.maximum(best, np.where(there, centres @ targets[:, facet].T, -np.inf), out=best)
    return 2 * np.where(np.isfinite(best), best, 0.0) - 1


def _unit(vectors: Vectors) -> Vectors:
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    unit: Vectors = (vectors / np.where(lengths > 0, lengths, 1)).astype(np.float32)
    return unit


def cluster_facets(
    embedder: Embedder, passages: Sequence[Sequence[str]], facets: int, seed: int, report: Report
) -> Vectors:
    """Returns facets of papers from their passages, (papers, facets, d), largest cluster first; zeros if a paper has
    too few different passages."""
    flat = [passage for own in passages for passage in own]
    vectors = encode_papers(embedder, flat, report)
    made: Vectors = np.zeros((len(passages), facets, vectors.shape[1]), dtype=np.float32)
    start = 0
    for row, own in enumerate(passages):
        # Each paper has its own generator, so that its facets don't depend on the other papers.
        found = spherical_clusters(vectors[start : start + len(own)], facets, np.random.default_rng(seed))
        made[row, : len(found)] = found
        start += len(own)
    return made


def spherical_clusters(vectors: Vectors, count: int, chance: np.random.Generator) -> Vectors:
    """Returns at most ``count`` unit-length centres of unit vectors (n, d), largest cluster first;
    k-means++ seeding."""
    if not len(vectors):
        return vectors
    centres: Vectors = vectors[[int(chance.integers(len(vectors)))]]
    while len(centres) < min(count, len(vectors)):
        far = np.maximum(1 - (vectors @ centres.T).max(axis=1), 0).astype(np.float64)
        if far.sum() <= 1e-6:  # all others equal a centre
            break
        centres = np.concatenate([centres, vectors[[int(chance.choice(len(vectors), p=far / far.sum()))]]])
    owner: NDArray[np.intp] | None = None
    for _ in range(ROUNDS):
        nearest = (vectors @ centres.T).argmax(axis=1)
        if owner is not None and (nearest == owner).all():
            break
        owner = nearest
        for at in range(len(centres)):
            if (owner == at).any():
                centres[at] = _unit(vectors[owner == at].sum(axis=0))
    sizes = np.bincount(owner, minlength=len(centres)) if owner is not None else np.zeros(len(centres))
    found: Vectors = centres[np.argsort(-sizes, kind="stable")]
    return found[np.sort(-sizes) < 0]
