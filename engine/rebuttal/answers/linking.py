"""From scores to links: which review sentences are said to be answered, for the panes and the response matrix."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engine.jobs import Report
from engine.models import Embedder
from engine.rebuttal.answers.evidence import Evidence, Floats, Passage, gather
from engine.rebuttal.answers.untrained import ORIGIN, chances, rank_answers

LEAST_SHARE = 0.4
"""A sentence is said to be answered too where its share is at least this much of the likeliest one's."""
_MOST = 8


@dataclass(frozen=True, slots=True)
class Answer:
    """A rebuttal sentence and the review sentences that it answers, by their places in the texts, likeliest first.

    ``share`` (0..1): how much of all that the ranker sees falls on them; a rule of thumb, not a calibrated chance.
    ``quoted``: one of them is quoted, in the sentence or before it.
    """

    rebuttal: int
    review: tuple[int, ...]
    share: float
    quoted: bool
    origin: str = ORIGIN


def link_answers(
    rebuttal: Sequence[Passage], review: Sequence[Passage], encoder: Embedder, report: Report | None = None
) -> tuple[Answer, ...]:
    """What each rebuttal sentence answers, by the untrained ranker. Every sentence gets a link where the review has
    any: thanks and headings too, so filter by what the sentence does. Raises Cancelled.
    """
    if not rebuttal or not review:
        return ()
    vectors = np.asarray(encoder.encode([p.text for p in (*rebuttal, *review)], report), dtype=np.float64)
    evidence = gather(rebuttal, review, vectors[: len(rebuttal)], vectors[len(rebuttal) :])
    return choose_answers(evidence, rank_answers(evidence))


def choose_answers(evidence: Evidence, scores: Floats, origin: str = ORIGIN) -> tuple[Answer, ...]:
    """The links that scores (rebuttal, review) stand for."""
    found = []
    for i, share in enumerate(chances(scores)):
        order = np.argsort(-share, kind="stable")[:_MOST]
        chosen = [int(j) for j in order if share[j] >= LEAST_SHARE * share[order[0]]]
        quoted = bool(evidence.quoted[max(0, i - 3) : i + 1, chosen].max(initial=0.0) >= 0.5)
        found.append(Answer(i, tuple(chosen), float(share[chosen].sum()), quoted, origin))
    return tuple(found)
