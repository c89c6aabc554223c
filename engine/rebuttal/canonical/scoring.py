"""How canonical a candidate is: strategies that score the candidates of a cluster and an action.

All take candidates of clusters that they have not seen and return one value each, lower is more canonical, as the
PageRank of the paper. ``bm25`` and ``bi-encoder`` rank by likeness to the cluster's description, as the paper's ranking
baselines; ``own-text`` learns from the text of the candidate alone; ``group`` also sees the other candidates.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.jobs import Report
from engine.models import Embedder
from engine.rebuttal.act_codes import ACTS
from engine.rebuttal.canonical.records import ScoredCandidate
from engine.rebuttal.text_metrics import (
    Measured,
    average_precision,
    mean,
    pearson,
    ranked,
    reciprocal_rank,
)
from engine.revision.aligners.lexical import bm25

Floats = NDArray[np.float64]
Candidates = Sequence[ScoredCandidate]
FOLDS = 5


@dataclass(frozen=True, slots=True)
class Scorer:
    """A strategy. ``score(known, candidates, embedder, seed, report)`` gives (n,) values, lower is more canonical."""

    id: str
    title: str
    citation: str
    score: Callable[[Candidates, Candidates, Embedder, int, Report], Floats]


def by_bm25(_known: Candidates, candidates: Candidates, _embedder: Embedder, _seed: int, _report: Report) -> Floats:
    """Minus BM25 of the description over the candidates of its group."""
    found = np.zeros(len(candidates))
    for rows in groups(candidates).values():
        found[rows] = -bm25([candidates[rows[0]].description], [candidates[row].text for row in rows])[0]
    return found


def by_encoder(_known: Candidates, candidates: Candidates, embedder: Embedder, _seed: int, report: Report) -> Floats:
    """1 minus the cosine of description and candidate."""
    vectors = Vectors(candidates, embedder, report)
    return np.asarray(1 - (vectors.of([c.description for c in candidates]) * vectors.texts).sum(1))


def by_own_text(known: Candidates, candidates: Candidates, embedder: Embedder, seed: int, report: Report) -> Floats:
    """The mean of three regressions on the candidate's own text: words and letters with the encoder's vector, how it is
    written, and trees over both."""
    found: Floats = _own_text(known, candidates, embedder, seed, report).mean(1)
    return found


def by_group(known: Candidates, candidates: Candidates, embedder: Embedder, seed: int, report: Report) -> Floats:
    """Trees over what the own text says and how the candidate stands among the others of its group."""
    return _with_group(known, candidates, embedder, seed, report, copies=True)


def by_group_without_copies(
    known: Candidates, candidates: Candidates, embedder: Embedder, seed: int, report: Report
) -> Floats:
    """As ``by_group``, blind to a sentence that stands in its group twice."""
    return _with_group(known, candidates, embedder, seed, report, copies=False)


SCORERS: Mapping[str, Scorer] = {
    scorer.id: scorer
    for scorer in (
        Scorer("bm25", "BM25 to the description", "Robertson and Zaragoza 2009", by_bm25),
        Scorer("bi-encoder", "Encoder, cosine to the description", "Reimers and Gurevych 2019", by_encoder),
        Scorer("own-text", "Learnt from the candidate's own text", "", by_own_text),
        Scorer("group-no-copies", "Own text and group, blind to copies", "", by_group_without_copies),
        Scorer("group", "Own text and candidate group", "", by_group),
    )
}


def evaluate(candidates: Candidates, said: Floats) -> tuple[Measured, ...]:
    """Pearson over all candidates; MAP and MRR over the groups of one description and action that hold an unranked
    candidate. For MAP every ranked candidate (score below 1) is relevant, for MRR the canonical one alone (lowest
    score). Parts are descriptions. ``candidates`` must be shuffled: equal values keep their order.
    """
    gold = np.array([c.score for c in candidates])
    precisions, ranks, parts = [], [], []
    for (description, _), rows in groups(candidates).items():
        scores = gold[rows]
        if not (scores < 1).any() or (scores < 1).all():
            continue
        precisions.append(average_precision(ranked(-said[rows], scores < 1)))
        ranks.append(reciprocal_rank(ranked(-said[rows], scores == scores.min())))
        parts.append(description)
    return (
        pearson("pearson", gold, said, [c.description for c in candidates]),
        mean("map", precisions, parts),
        mean("mrr", ranks, parts),
    )


def groups(candidates: Candidates) -> dict[tuple[str, str], list[int]]:
    """The places of the candidates of each description and action."""
    found: dict[tuple[str, str], list[int]] = defaultdict(list)
    for at, candidate in enumerate(candidates):
        found[candidate.group].append(at)
    return dict(found)


class Vectors:
    """The encoder's vectors of candidates and descriptions."""

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
    """How a sentence is written: lengths, shares of digits and capitals, and signs of quoting, doing, thanking."""
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


def _own_text(known: Candidates, candidates: Candidates, embedder: Embedder, seed: int, report: Report) -> Floats:
    """What the three regressions say, (n, 3)."""
    from scipy.sparse import csr_matrix, hstack
    from sklearn.ensemble import ExtraTreesRegressor
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import Ridge
    from sklearn.preprocessing import StandardScaler

    gold = np.array([c.score for c in known])
    learnt, asked = Vectors(known, embedder, report), Vectors(candidates, embedder, report)
    reference = learnt.of(sorted({c.text for c in known}))
    sides = [(known, learnt), (candidates, asked)]
    acts = [_one_hot(side) for side, _ in sides]
    written = [_written(side, vectors, reference) for side, vectors in sides]

    letters = TfidfVectorizer(analyzer="char_wb", ngram_range=(2, 4), min_df=2, sublinear_tf=True)
    words = TfidfVectorizer(ngram_range=(1, 2), min_df=2, sublinear_tf=True)
    tables = []
    for fitting, (side, vectors), act in zip((True, False), sides, acts, strict=True):
        texts = [c.text for c in side]
        counted = [(v.fit_transform if fitting else v.transform)(texts) for v in (words, letters)]
        tables.append(
            csr_matrix(hstack([counted[0], 0.5 * counted[1], csr_matrix(vectors.texts), csr_matrix(0.5 * act)]))
        )
    report.check()
    lexical = Ridge(alpha=4.0).fit(tables[0], gold).predict(tables[1])
    scaler = StandardScaler().fit(written[0])
    plain = [np.hstack([scaler.transform(one), act]) for one, act in zip(written, acts, strict=True)]
    style = Ridge(alpha=30.0).fit(plain[0], gold).predict(plain[1])
    report.check()
    whole = [np.hstack([one, act, vectors.texts]) for one, act, (_, vectors) in zip(written, acts, sides, strict=True)]
    trees: Any = ExtraTreesRegressor(200, min_samples_leaf=3, max_features=0.3, random_state=seed).fit(whole[0], gold)
    return np.column_stack([lexical, style, trees.predict(whole[1])])


def _with_group(
    known: Candidates, candidates: Candidates, embedder: Embedder, seed: int, report: Report, *, copies: bool
) -> Floats:
    from sklearn.ensemble import ExtraTreesRegressor
    from sklearn.model_selection import GroupKFold

    clusters = [c.description for c in known]
    own = np.zeros((len(known), 3))
    folds = GroupKFold(min(FOLDS, len(set(clusters))), shuffle=True, random_state=seed)
    for learn, leave in folds.split(clusters, groups=clusters):
        own[leave] = _own_text(
            [known[at] for at in learn], [known[at] for at in leave], embedder, seed, report.part(0.0, 0.8)
        )
    other = _own_text(known, candidates, embedder, seed, report.part(0.8, 1.0))
    tables = [
        np.hstack([said, _standing(side, said.mean(1), Vectors(side, embedder, report), copies=copies)])
        for side, said in ((known, own), (candidates, other))
    ]
    trees = ExtraTreesRegressor(300, min_samples_leaf=5, max_features=0.4, random_state=seed)
    found = trees.fit(tables[0], [c.score for c in known]).predict(tables[1])
    return np.asarray(found, dtype=np.float64)


def _standing(candidates: Candidates, said: Floats, vectors: Vectors, *, copies: bool) -> Floats:
    """How each candidate stands in its group: the size of the group, how central it is, its rank by ``said``, and how
    often the very sentence occurs."""
    everywhere = Counter(c.text for c in candidates)
    clusters = Counter(c.description for c in candidates)
    found: list[list[float]] = [[] for _ in candidates]
    for rows in groups(candidates).values():
        n = len(rows)
        times = Counter(candidates[row].text for row in rows)
        twice = sum(count > 1 for count in times.values())
        likeness = vectors.texts[rows] @ vectors.texts[rows].T
        same = np.array([[candidates[a].text == candidates[b].text for b in rows] for a in rows])
        likeness[same] = 0.0
        central = likeness.sum(1) / np.maximum((~same).sum(1), 1)
        values = said[rows]
        length = np.array([len(candidates[row].text) for row in rows])
        repeated = np.array([times[candidates[row].text] > 1 for row in rows])
        for at, row in enumerate(rows):
            number = times[candidates[row].text]
            found[row] = [
                float(n),
                float(np.log(n)),
                central[at],
                likeness[at].max(initial=0.0),
                float((values < values[at]).mean()),
                values[at] - values.mean(),
                values[at] - values.min(),
                float((central < central[at]).mean()),
                float((length < length[at]).mean()),
                float(clusters[candidates[row].description]),
            ]
            if copies:
                found[row] += [
                    float(number),
                    float(twice),
                    twice / n,
                    float(number > 1 and twice == 1),
                    float((values[repeated] < values[at]).mean()) if number > 1 else -1.0,
                    float(everywhere[candidates[row].text] - number),
                ]
    return np.array(found)


def _one_hot(candidates: Candidates) -> Floats:
    return np.array([[float(c.action == act.id) for act in ACTS] for c in candidates])


def _written(candidates: Candidates, vectors: Vectors, reference: Floats) -> Floats:
    """How it is written, how near to the description, and how much like all that people write in rebuttals."""
    likeness = vectors.texts @ reference.T
    near = np.sort(likeness, axis=1)[:, -50:].mean(1)
    cosine = (vectors.texts * vectors.of([c.description for c in candidates])).sum(1)
    return np.column_stack([[surface(c.text) for c in candidates], cosine, likeness.mean(1), near])
