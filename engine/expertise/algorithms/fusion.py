"""``fusion``, the default: combines meaning and words of individual papers, averaged over the profile's best three.

The similarity of two papers is the mean of two or three cosines of the encoder's vectors, plus the tf-idf cosine of
title and abstract:

- of title and abstract;
- of the same, moved to the middle between the paper and its ten nearest neighbours among all papers of the venue
  (a paper in other words than everybody's is drawn to its field);
- with full texts: of the mean of title and abstract and the first passages of the body, its introduction.

Only the bundled sentence encoder is needed, and no weight was fitted: the parts count equally.
docs/methods-similarity.md reports the effect of each part.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass

import numpy as np

from engine.expertise.algorithms.base import AlgorithmInfo, Vectors
from engine.expertise.algorithms.encoder import encode_papers
from engine.expertise.algorithms.lexical import TfIdf
from engine.expertise.algorithms.paperwise import PaperwiseScorer, Reasons, sentence_pairs
from engine.expertise.algorithms.pooling import Floats, Pooling
from engine.expertise.algorithms.words import count_words, paper_text, without_references
from engine.expertise.records import PaperText, Representation
from engine.jobs import Report
from engine.models import Embedder

PASSAGE_CHARACTERS = 900
"""About the size of the encoder's window of 256 word pieces."""
SHORTEST_PASSAGE = 200
SPARSEST = 20
"""A paper has at most a twentieth of the venue as neighbours, since in a very small venue all papers would be
neighbours."""
LARGEST_CORPUS = 20_000
"""The most papers searched for neighbours; of a larger venue, evenly spaced ones are used."""
_ROWS_AT_ONCE = 512
_HYPHEN = re.compile(r"-\n(?=[a-z])")


@dataclass(frozen=True, slots=True)
class FusionParameters:
    """Parameters of ``fusion``; the defaults are from the middle of a plateau (docs/methods-similarity.md)."""

    neighbours: int = 10
    """Number of neighbours; 0 omits the second cosine."""
    passages: int = 3
    """Number of passages of the body; 0 omits the third cosine."""
    words: float = 1.0
    """Weight of the tf-idf cosine; the mean of the encoder's cosines has weight 1."""


class Fusion:
    """Combines meaning and words."""

    def __init__(
        self, embedder: Embedder, parameters: FusionParameters | None = None, pooling: Pooling | None = None
    ) -> None:
        self._embedder = embedder
        self._parameters = parameters or FusionParameters()
        self._pooling = pooling or Pooling("top-3")
        own = ((name, f"{value:g}") for name, value in asdict(self._parameters).items())
        self.info = AlgorithmInfo(
            "fusion", "2", (*own, ("pooling", self._pooling.how), ("encoder", embedder.fingerprint))
        )

    def read(
        self, papers: Mapping[str, PaperText], representation: Representation, *, report: Report
    ) -> PaperwiseScorer:
        chosen = self._parameters
        short: Representation = "title" if representation == "title" else "title+abstract"
        with_bodies = representation == "full text" and chosen.passages > 0
        views = 1 + (chosen.neighbours > 0) + with_bodies
        texts = {key: paper_text(paper, short) for key, paper in papers.items()}
        own = encode_papers(self._embedder, list(texts.values()), report.part(0.0, 0.4 if with_bodies else 0.8))
        # The sum of the views' cosines equals one product of the concatenated views.
        width = own.shape[1]
        vectors: Vectors = np.zeros((len(papers), views * width), dtype=np.float32)
        vectors[:, :width] = own
        if chosen.neighbours > 0:
            fill_with_neighbours(vectors[:, width : 2 * width], own, chosen.neighbours, report)
        if with_bodies:
            bodies = [passages_of(paper.body, chosen.passages) for paper in papers.values()]
            texts = {key: " ".join((text, *body)) for (key, text), body in zip(texts.items(), bodies, strict=True)}
            self._fill_with_bodies(vectors[:, -width:], own, bodies, report.part(0.4, 0.8))
        del own
        words = TfIdf(count_words(papers, short, report=report.part(0.8, 1.0)))
        comparison = FusedComparison(
            {key: row for row, key in enumerate(papers)}, vectors, views, words, chosen.words, texts, self._embedder
        )
        return PaperwiseScorer(comparison, self._pooling)

    def _fill_with_bodies(self, out: Vectors, own: Vectors, bodies: Sequence[Sequence[str]], report: Report) -> None:
        flat = [passage for body in bodies for passage in body]
        found = encode_papers(self._embedder, flat, report) if flat else None
        start = 0
        for row, body in enumerate(bodies):
            out[row] = own[row]
            if body and found is not None:
                out[row] += found[start : start + len(body)].sum(axis=0)
                start += len(body)
        _to_unit_length(out)


def passages_of(body: str, most: int) -> tuple[str, ...]:
    """Returns the first passages of a full text without references; a short last one is omitted."""
    text = " ".join(_HYPHEN.sub("", without_references(body)[: 4 * most * PASSAGE_CHARACTERS]).split())
    cut = (text[at : at + PASSAGE_CHARACTERS] for at in range(0, most * PASSAGE_CHARACTERS, PASSAGE_CHARACTERS))
    return tuple(passage for passage in cut if len(passage) > SHORTEST_PASSAGE)


def fill_with_neighbours(out: Vectors, vectors: Vectors, most: int, report: Report) -> None:
    """Writes each vector plus the mean of its ``most`` nearest neighbours (by cosine, excluding itself; fewer in a
    small venue, see ``SPARSEST``), normalised. ``out`` and ``vectors`` are (papers, d), with rows of length 1, or 0
    without text."""
    there = np.flatnonzero(np.any(vectors, axis=1))
    corpus = there[:: -(-len(there) // LARGEST_CORPUS)] if len(there) else there
    most = min(most, len(corpus) // SPARSEST)
    out[:] = vectors
    if most == 0:
        return
    targets = vectors[corpus].T.copy()
    for start in range(0, len(there), _ROWS_AT_ONCE):
        report.check()
        rows = there[start : start + _ROWS_AT_ONCE]
        alike = vectors[rows] @ targets
        alike[rows[:, None] == corpus[None, :]] = -np.inf
        nearest = np.argpartition(-alike, most - 1, axis=1)[:, :most]
        for place in range(most):
            out[rows] += vectors[corpus[nearest[:, place]]] / most
    _to_unit_length(out)


def _to_unit_length(vectors: Vectors) -> None:
    for start in range(0, len(vectors), _ROWS_AT_ONCE):
        rows = vectors[start : start + _ROWS_AT_ONCE]
        norms = np.linalg.norm(rows, axis=1, keepdims=True)
        rows /= np.where(norms > 0, norms, 1.0)


@dataclass(frozen=True)
class FusedComparison:
    """Papers with encoder vectors and word counts. ``vectors``: (papers, views * d), each view of length 1 or 0;
    ``embedder`` finds passages and isn't copied to other processes."""

    rows: Mapping[str, int]
    vectors: Vectors
    views: int
    words: TfIdf
    words_count: float
    texts: Mapping[str, str]
    embedder: Embedder | None

    def __getstate__(self) -> dict[str, object]:
        return {**self.__dict__, "embedder": None, "texts": {}}

    def has_text(self, paper: str) -> bool:
        return bool(self.vectors[self.rows[paper]].any())

    def against(self, submissions: Sequence[str]) -> Callable[[Sequence[str]], Floats]:
        targets = self.vectors[[self.rows[key] for key in submissions]].T / self.views
        by_words = self.words.against(submissions)

        def compare(papers: Sequence[str]) -> Floats:
            meaning = self.vectors[[self.rows[key] for key in papers]] @ targets
            fused: Floats = meaning + self.words_count * by_words(papers)
            return fused

        return compare

    def reasons(self, paper: str, submission: str) -> Reasons:
        """Returns the most similar sentences (not in a copy in another process), and the words that contribute most."""
        words = self.words.words(paper, submission)
        if self.embedder is None:
            return (), words
        return sentence_pairs(self.texts[submission], self.texts[paper], self.embedder.encode), words
