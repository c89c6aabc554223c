"""The ranker that needs no training: what is said of each pair, read in order.

A rebuttal goes through a review mostly from its beginning to its end and stays with a point for several sentences. So
the review sentence that is being answered is the hidden state of a Markov chain along the rebuttal: it stays, goes on a
little, seldom back, rarely elsewhere. What speaks for a pair is a weighted sum of evidence; the chain's posterior
(forward-backward, Rabiner 1989, section III) carries a quotation on to the sentences after it. The sentences around a
likely one gain as well, since whole list items are answered.

The constants are round numbers set by judgement, in units of log odds, and not fitted to any data set: annotated
rebuttals may be used to measure, not for what ships.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engine.jobs import QuietReport, Report
from engine.models import Embedder
from engine.rebuttal.answers.evidence import ROLES, Evidence, Floats, Passage, gather

STAY, ONWARD, BACK, ANYWHERE = 0.8, 0.15, 0.03, 0.02
"""Weights of the chain's steps; those onward and back fall by e every two sentences."""
_STEP = 2.0

WEIGHTS = {
    "cosine": 1.0, "words": 1.0, "block_cosine": 1.0, "block_words": 0.5, "item_cosine": 0.5, "block_item_cosine": 0.5,
    "telling": 1.0, "same_label": 1.0, "distance": -0.5,
}  # fmt: skip
QUOTED, ANCHORED, ANCHOR_FADES = 8.0, 1.0, 10.0
"""A full quotation; what the last one quoted, fading by e over so many sentences."""
BEGINNING, BEGINNING_ENDS = 0.5, 8.0
"""Reviews begin with a summary that nobody answers."""
ROLE = {"request": 0.2, "criticism": 0.2, "question": 0.2, "praise": -0.5, "summary": -0.5, "verdict": -0.5,
        "connective": -0.5, "other": 0.0}  # fmt: skip
_OWN, _AROUND = 0.5, 1.0
_REACH, _SAME_ITEM = 4.0, 1.0


def rank_answers(evidence: Evidence) -> Floats:
    """Scores (rebuttal, review); only their order in a row means something, higher is likelier answered."""
    said = support(evidence)
    found = posterior(said)
    m = found.shape[1]
    item = evidence.review.paragraph
    near = np.exp(-np.abs(np.arange(m)[:, None] - np.arange(m)[None, :]) / _REACH)
    near *= 1 + _SAME_ITEM * (item[:, None] == item[None, :])
    around = found @ (near / np.maximum(near.sum(1, keepdims=True), 1e-12))
    return np.asarray(np.log(found + 1e-6) + _OWN * said + _AROUND * np.log(around + 1e-4))


def chances(scores: Floats) -> Floats:
    """Scores (n, m) as shares of each row, 0..1."""
    if not scores.size:
        return scores
    found = np.exp(scores - scores.max(1, keepdims=True))
    return np.asarray(found / found.sum(1, keepdims=True))


def support(evidence: Evidence) -> Floats:
    """What speaks for each pair by itself (rebuttal, review), in log odds."""
    found = QUOTED * evidence.quoted
    for name, weight in WEIGHTS.items():
        found = found + weight * evidence.of(name)
    since = evidence.of("since_anchor")
    found += ANCHORED * evidence.of("anchored") * np.where(since >= 0, np.exp(-since / ANCHOR_FADES), 0.0)
    found -= BEGINNING * np.exp(-BEGINNING_ENDS * evidence.of("review_place"))
    return np.asarray(found + np.array([ROLE[role] for role in ROLES])[evidence.of("review_role").astype(int)])


def posterior(support: Floats) -> Floats:
    """The chance of each review sentence to be the one that is being answered (rebuttal, review); rows sum to 1."""
    n, m = support.shape
    if not n or not m:
        return np.zeros((n, m))
    steps = np.arange(m)[None, :] - np.arange(m)[:, None]
    chain = np.full((m, m), ANYWHERE / m) + STAY * (steps == 0)
    chain += np.where(steps > 0, ONWARD * np.exp(-(np.maximum(steps, 1) - 1) / _STEP), 0.0)
    chain += np.where(steps < 0, BACK * np.exp(-(-np.minimum(steps, -1) - 1) / _STEP), 0.0)
    return read_along(support, chain / chain.sum(1, keepdims=True), np.ones(n))


def read_along(support: Floats, moves: Floats, begins: Floats) -> Floats:
    """The chance of each review sentence to be the one that is being answered (rebuttal, review), rows sum to 1:
    forward-backward over a chain that moves by ``moves`` (review, review) with the chance ``begins`` (rebuttal,) of a
    sentence to begin a point, and else stays.
    """
    n, m = support.shape
    seen = np.exp(support - support.max(1, keepdims=True))
    forward, backward = np.zeros((n, m)), np.ones((n, m))
    before = np.full(m, 1 / m)
    for i in range(n):
        if i:
            before = (1 - begins[i]) * forward[i - 1] + begins[i] * (forward[i - 1] @ moves)
        forward[i] = before * seen[i]
        forward[i] /= forward[i].sum()
    for i in range(n - 2, -1, -1):
        after = seen[i + 1] * backward[i + 1]
        backward[i] = (1 - begins[i + 1]) * after + begins[i + 1] * (moves @ after)
        backward[i] /= backward[i].sum()
    both = forward * backward
    return np.asarray(both / both.sum(1, keepdims=True))


# --- from scores to links: which review sentences are said to be answered ---------------------------------------------
LEAST_SHARE = 0.4
"""A sentence is said to be answered too where its share is at least this much of the likeliest one's."""
_MOST = 8


def link_answers(
    rebuttal: Sequence[Passage], review: Sequence[Passage], encoder: Embedder, report: Report = QuietReport()
) -> list[tuple[int, ...]]:
    """For each rebuttal sentence the places of the review sentences that it answers, likeliest first, by the untrained
    ranker. Every sentence gets one where the review has any: thanks and headings too, so filter by what the sentence
    does. Raises Cancelled.
    """
    if not rebuttal or not review:
        return []
    vectors = np.asarray(encoder.encode([p.text for p in (*rebuttal, *review)], report), dtype=np.float64)
    evidence = gather(rebuttal, review, vectors[: len(rebuttal)], vectors[len(rebuttal) :])
    found = []
    for share in chances(rank_answers(evidence)):
        order = np.argsort(-share, kind="stable")[:_MOST]
        found.append(tuple(int(j) for j in order if share[j] >= LEAST_SHARE * share[order[0]]))
    return found
