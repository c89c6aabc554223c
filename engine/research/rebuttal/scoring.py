"""Strategies that score how canonical the candidates of a cluster and an action are.

All are applied to candidates of unseen clusters and return one value each; lower is more canonical, like the paper's
PageRank. ``bm25`` and ``bi-encoder`` rank by similarity to the cluster's description, like the paper's ranking
baselines; ``own-text`` learns from the candidate's text alone.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from engine.jobs import Report
from engine.models import Embedder
from engine.models.devices import limit_threads
from engine.models.embedders import load_sentence_transformer
from engine.rebuttal.canonical.records import ScoredCandidate
from engine.rebuttal.records import ACTS, BY_ID
from engine.research.rebuttal.kernels import Distances, Floats, Strategy
from engine.research.rebuttal.text_metrics import Measured, average_precision, mean, pearson, ranked, reciprocal_rank
from engine.research.trainer import Course, seeded, sentence_vectors, shuffled, train
from engine.revision.aligners.lexical import bm25

Candidates = Sequence[ScoredCandidate]


def by_chance(_known: Candidates, candidates: Candidates, _embedder: Embedder, seed: int, _report: Report) -> Floats:
    """Returns a random value between 0 and 1 for each, like the paper's baseline."""
    return np.random.default_rng(seed).random(len(candidates))


def by_bm25(_known: Candidates, candidates: Candidates, _embedder: Embedder, _seed: int, _report: Report) -> Floats:
    """Returns negative BM25 of the description over the candidates of its group."""
    found = np.zeros(len(candidates))
    for rows in groups(candidates).values():
        found[rows] = -bm25([candidates[rows[0]].description], [candidates[row].text for row in rows])[0]
    return found


def by_encoder(_known: Candidates, candidates: Candidates, embedder: Embedder, _seed: int, report: Report) -> Floats:
    """Returns 1 minus the cosine of description and candidate."""
    vectors = Vectors(candidates, embedder, report)
    return np.asarray(1 - (vectors.of([c.description for c in candidates]) * vectors.texts).sum(1))


def evaluate(candidates: Candidates, said: Floats) -> tuple[Measured, ...]:
    """Computes Pearson and Spearman over all candidates, and MAP and MRR over the groups of one description and action
    that contain both ranked and unranked candidates.

    For MAP, every ranked candidate (score below 1) is relevant, for MRR only the canonical one (lowest score).
    Resampled by description. ``candidates`` must be shuffled, since ties keep their order.
    """
    from scipy.stats import rankdata

    gold = np.array([c.score for c in candidates])
    precisions, ranks, parts = [], [], []
    for (description, _), rows in groups(candidates).items():
        scores = gold[rows]
        if not (scores < 1).any() or (scores < 1).all():
            continue
        precisions.append(average_precision(ranked(-said[rows], scores < 1)))
        ranks.append(reciprocal_rank(ranked(-said[rows], scores == scores.min())))
        parts.append(description)
    clusters = [c.description for c in candidates]
    return (
        pearson("pearson", gold, said, clusters),
        pearson("spearman", rankdata(gold), rankdata(said), clusters),
        mean("map", precisions, parts),
        mean("mrr", ranks, parts),
    )


def groups(candidates: Candidates) -> dict[tuple[str, str], list[int]]:
    """Returns the indexes of the candidates of each description and action."""
    found: dict[tuple[str, str], list[int]] = defaultdict(list)
    for at, candidate in enumerate(candidates):
        found[candidate.group].append(at)
    return dict(found)


class Vectors:
    def __init__(self, candidates: Candidates, embedder: Embedder, report: Report) -> None:
        names = sorted({c.text for c in candidates} | {c.description for c in candidates})
        self._place = {name: at for at, name in enumerate(names)}
        self._values = np.asarray(embedder.encode(names, report), dtype=np.float64)
        self.texts = self.of([c.text for c in candidates])

    def of(self, names: Sequence[str]) -> Floats:
        return np.asarray(self._values[[self._place[name] for name in names]])


_SIGNS: tuple[re.Pattern[str], ...] = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"\?", r"\.$", r":$", r"^[\"“>]", r"[\"“”]", r"^\W*(?:[QARCW]?\d+[.):]|\(?[a-z]\))", r"\b(?:we|our)\b",
        r"\bwe (?:have|will|added|updated|agree|thank|revised|clarified)", r"review", r"thank|appreciate",
        r"(?:section|table|figure|fig|appendix|eq)\W*\d*", r"[$\\_^=]", r"et al|\[\d+\]|20\d\d",
        r"paper|revis|version|manuscript|camera",
    )
)  # fmt: skip


def surface(text: str) -> list[float]:
    """Returns stylistic features: lengths, shares of digits and capitals, and signs of quoting, acting, thanking."""
    words = text.split()
    number = max(len(words), 1)
    return [
        float(len(words)),
        float(len(text)),
        float(np.log1p(len(words))),
        sum(letter.isdigit() for letter in text) / max(len(text), 1),
        float(text.count(",")),
        float(text.count("(")),
        sum(word[:1].isupper() for word in words[1:]) / number,
        float(sum(word.isupper() and len(word) > 1 for word in words)),
        sum(map(len, words)) / number,
        *(float(bool(sign.search(text))) for sign in _SIGNS),
    ]


_ENCODER, _WORDS, _LETTERS, _STYLE, _ACTION = 1 / 3, 1 / 6, 1 / 6, 1 / 3, 1 / 12
"""The weights of the squared distances of vectors, words, letters, stylistic features (their mean) and actions."""
RIDGE = 0.4
_FAR = 3.0
"""Stylistic features are clipped at this many standard deviations."""


def by_own_text(known: Candidates, candidates: Candidates, embedder: Embedder, _seed: int, report: Report) -> Floats:
    """Kernel ridge regression on the candidate's own text: vector, words, letters, action, and style."""
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.preprocessing import StandardScaler

    learnt, asked = Vectors(known, embedder, report), Vectors(candidates, embedder, report)
    reference = learnt.of(sorted({c.text for c in known}))
    written = [_written(side, vectors, reference) for side, vectors in ((known, learnt), (candidates, asked))]
    scaler = StandardScaler().fit(written[0])
    style = [np.clip(scaler.transform(one), -_FAR, _FAR) for one in written]
    texts, wanted = ([c.text for c in side] for side in (known, candidates))
    apart = Distances(len(known), len(candidates))
    apart.add(learnt.texts, asked.texts, _ENCODER)
    apart.add(style[0], style[1], _STYLE / style[0].shape[1])
    apart.add(_one_hot(known), _one_hot(candidates), _ACTION)
    report.check()
    apart.add_words(texts, wanted, _WORDS, TfidfVectorizer(ngram_range=(1, 2), min_df=2, sublinear_tf=True))
    report.check()
    letters = TfidfVectorizer(analyzer="char_wb", ngram_range=(2, 4), min_df=2, sublinear_tf=True)
    apart.add_words(texts, wanted, _LETTERS, letters)
    report.check()
    return apart.regress(np.array([c.score for c in known]), RIDGE)


def _one_hot(candidates: Candidates) -> Floats:
    return np.array([[float(c.action == act.id) for act in ACTS] for c in candidates])


def _written(candidates: Candidates, vectors: Vectors, reference: Floats) -> Floats:
    """Returns style, similarity to the description, and similarity to all known rebuttal sentences."""
    likeness = vectors.texts @ reference.T
    near = np.sort(likeness, axis=1)[:, -50:].mean(1)
    cosine = (vectors.texts * vectors.of([c.description for c in candidates])).sum(1)
    return np.column_stack([[surface(c.text) for c in candidates], cosine, likeness.mean(1), near])


SCORERS: Mapping[str, Strategy] = {
    one.id: one
    for one in (
        Strategy("random", "Random scores (baseline)", by_chance),
        Strategy("bm25", "BM25 to the description", by_bm25),
        Strategy("bi-encoder", "Encoder, cosine to the description", by_encoder),
        Strategy("own-text", "Trained on the candidate's own text", by_own_text),
    )
}


# --- a fine-tuned bi-encoder ------------------------------------------------------------------------------------------
EPOCHS, BATCH, RATE = 3, 16, 3e-5
LENGTH = 96
"""The most tokens per side."""


def fine_tuned(folder: Path, *, epochs: int = EPOCHS, rate: float = RATE) -> Strategy:
    """Returns the strategy that fine-tunes the sentence encoder in ``folder`` on the known candidates. It raises
    EnvironmentProblem when run if the folder contains no encoder."""

    def score(
        known: Sequence[ScoredCandidate], candidates: Candidates, _embedder: Embedder, seed: int, report: Report
    ) -> Floats:
        model = _fitted(folder, known, epochs, rate, seed, report.part(0.0, 0.9))
        return np.asarray(1 - _cosines(model, candidates, report.part(0.9, 1.0)), dtype=np.float64)

    return Strategy("bi-encoder-fine-tuned", f"{folder.name}, fine-tuned bi-encoder", score)


def _fitted(  # noqa: PLR0917 - what fine-tuning needs
    folder: Path, known: Candidates, epochs: int, rate: float, seed: int, report: Report
) -> Any:
    import torch

    model = load_sentence_transformer(folder)
    model.max_seq_length = min(model.max_seq_length or LENGTH, LENGTH)
    limit_threads(0)

    def losses(some: Candidates) -> Iterator[Any]:
        wanted = torch.tensor([1 - one.score for one in some], device=model.device)
        yield torch.nn.functional.mse_loss(_likeness(model, some), wanted)

    steps = epochs * -(-len(known) // BATCH)
    with seeded(seed):
        optimiser = torch.optim.AdamW(model.parameters(), lr=rate)
        course = Course(steps, steps // 10, title="Fine-tuning the encoder")
        train(model, optimiser, lambda start: shuffled(known, BATCH, seed, start), losses, course, report)
    return model


def _cosines(model: Any, candidates: Candidates, report: Report) -> Floats:
    import torch

    found = np.zeros(len(candidates))
    with torch.inference_mode():
        for start in range(0, len(candidates), BATCH):
            report.progress(start / max(len(candidates), 1), "Scoring candidates")
            some = candidates[start : start + BATCH]
            found[start : start + BATCH] = _likeness(model, some).cpu().numpy()
    return found


def _likeness(model: Any, candidates: Candidates) -> Any:
    asked = [f"{one.description} [SEP] {BY_ID[one.action].title}" for one in candidates]
    return (sentence_vectors(model, asked) * sentence_vectors(model, [one.text for one in candidates])).sum(-1)
