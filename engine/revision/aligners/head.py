"""The learned part of the fused aligner: a logistic model over few pieces of evidence, and the decision.

Evidence can only speak for a pair (weights are not negative), and the model is held down by a strong ridge: three
manuscripts are little to learn from. How many links a paper has differs widely (one pair in ten or one in forty), so
the share of links is estimated again for every paper, and pairs are linked where that is expected to serve F1 best.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from engine.revision.aligners.base import Matrix

    Mask = NDArray[np.bool_]

FROM_COMMENTS = (
    "comment_sentences",
    "comment_paragraph",
    "comment_sentence_words",
    "comment_rare_words",
    "comment_deleted_words",
    "comment_quotes_source",
    "comment_bm25_added",
    "comment_bm25_paragraph",
    "comment_widened",
    "comment_like_edits",
    "comment_section_words",
    "context_added",
    "context_title",
    "context_caption",
)
FROM_REPLIES = (
    "comment_sentences",
    "comment_paragraph",
    "comment_words",
    "comment_rare_words",
    "comment_quotes_source",
    "reply_words",
    "reply_covers",
    "reply_deleted_words",
    "reply_removes",
    "reply_title",
    "reply_title_meaning",
    "reply_caption",
    "reply_focus",
    "reply_section",
    "reply_sentence_title",
    "claim_meaning",
    "claim_title_meaning",
    "claim_words",
    "claim_title",
    "claim_deleted_words",
    "quoted",
    "not_quoted_elsewhere",
)
PLACES = {
    "comments": {"comment_place": 1.0, "comment_region": 0.25},
    "replies": {"comment_place": 1.0, "comment_region": 0.25, "reply_place": 1.0, "reply_region": 0.25},
}
"""Added to the logits of an edit at a place that is named, by head. Set by hand: the corpus has too few such places to
learn from (docs/methods-alignment.md)."""
RIDGE = {"comments": 300.0, "replies": 300.0}
"""Of the weights per standard deviation; chosen on a plateau (tests.benchmarks.alignment_quality)."""
SMOOTHING = 0.2
"""Share of a new paragraph's score that comes from the neighbours in its section."""
PRIOR_PAIRS = {"comments": 10000.0, "replies": 500.0}
"""How many pairs the share of links in the training papers weighs when a paper's own share is estimated. Comments alone
say too little about it."""
HIGHEST_RATE = 0.2


@dataclass(frozen=True, slots=True)
class Head:
    """A logistic model. ``weights`` are per unit of the evidence; ``rate`` is the share of links it was fitted at.

    ``threshold`` is added to the cut with the highest expected F1, in logits; ``prior_pairs`` as ``PRIOR_PAIRS``.
    """

    weights: tuple[tuple[str, float], ...]
    intercept: float
    rate: float
    threshold: float = 0.0
    prior_pairs: float = 500.0

    def logits(self, evidence: Mapping[str, Matrix]) -> Matrix:
        """Logarithm of the odds that a pair is a link, for all pairs."""
        total = next(iter(evidence.values())) * 0.0 + self.intercept
        for name, weight in self.weights:
            if weight:
                total = total + weight * evidence[name]
        return total


@dataclass(frozen=True, slots=True)
class Heads:
    """What the fused aligner ships with: a head for comments alone, one for comments that have a reply."""

    comments: Head
    replies: Head

    def to_json(self) -> dict[str, Any]:
        """As the file in ``resources/aligners`` holds it."""
        return {name: {**asdict(head), "weights": dict(head.weights)} for name, head in self._named()}

    def _named(self) -> tuple[tuple[str, Head], ...]:
        return (("comments", self.comments), ("replies", self.replies))


@cache
def shipped() -> Heads:
    """The heads that ship with the program; their card is in the same file."""
    text = (resources.files("resources") / "aligners" / "fused.json").read_text(encoding="utf-8")
    return heads_from_json(json.loads(text)["heads"])


def heads_from_json(record: Mapping[str, Any]) -> Heads:
    """The inverse of ``Heads.to_json``."""

    def head(values: Mapping[str, Any]) -> Head:
        return Head(
            tuple((str(name), float(weight)) for name, weight in values["weights"].items()),
            float(values["intercept"]),
            float(values["rate"]),
            float(values["threshold"]),
            float(values["prior_pairs"]),
        )

    return Heads(head(record["comments"]), head(record["replies"]))


@dataclass(frozen=True, slots=True)
class Example:
    """The evidence of one paper with its links; ``known`` is False for pairs that must not be learned from."""

    evidence: Mapping[str, Matrix]
    gold: Mask
    known: Mask


def fit(examples: Sequence[Example], names: Sequence[str], ridge: float) -> Head:
    """A head by penalised maximum likelihood; the links of every paper weigh the same in sum, whatever their number.

    The ridge sets the direction; slope and intercept are then fitted freely, so that the odds are true ones (Platt
    1999), which ``decide`` needs.

    Raises ValueError where no example has a link.
    """
    import numpy as np

    if not any(example.gold.any() for example in examples):
        raise ValueError("There is no link to learn from.")
    table = np.concatenate([np.stack([e.evidence[name][e.known] for name in names], axis=-1) for e in examples])
    spread = np.mean([[e.evidence[name].std() for name in names] for e in examples], axis=0) + 1e-9
    scaled = table / spread
    right = np.concatenate([e.gold[e.known] for e in examples]).astype(float)
    weight = np.concatenate([np.full(int(e.known.sum()), 100.0 / max(1, e.gold.sum())) for e in examples])

    direction = _minimum(scaled, right, weight, ridge)[:-1]
    slope, intercept = _minimum((scaled @ direction)[:, None], right, weight, 0.0)
    return Head(
        tuple((name, float(slope * value)) for name, value in zip(names, direction / spread, strict=True)),
        float(intercept),
        float((weight * right).sum() / weight.sum()),
    )


def _minimum(table: Matrix, right: Matrix, weight: Matrix, ridge: float) -> Matrix:
    """Weights (not negative) and the intercept of the logistic model of least penalised loss."""
    import numpy as np
    from scipy.optimize import minimize

    def loss(parameters: Matrix) -> tuple[float, Matrix]:
        logits = table @ parameters[:-1] + parameters[-1]
        cost = np.logaddexp(0.0, -logits) * right + np.logaddexp(0.0, logits) * (1.0 - right)
        slope = (_sigmoid(logits) - right) * weight
        gradient = np.append(table.T @ slope + 2.0 * ridge * parameters[:-1], slope.sum())
        return float((weight * cost).sum() + ridge * (parameters[:-1] ** 2).sum()), gradient

    width = table.shape[1]
    bounds = [(0.0, None)] * width + [(None, None)]
    found: Matrix = minimize(loss, np.zeros(width + 1), jac=True, method="L-BFGS-B", bounds=bounds).x
    return found


def choose_threshold(decided: Sequence[tuple[Matrix, Mask, Mask]]) -> float:
    """The threshold (in logits, after ``decide``) with the highest mean F1 over papers, on a plateau.

    ``decided`` are (scores, gold, known) of each paper. The curve is averaged over a window first, so that one lucky
    pair does not set it.
    """
    import numpy as np

    grid = np.linspace(-2.0, 2.0, 161)

    def f1(scores: Matrix, gold: Mask, known: Mask, cut: float) -> float:
        said = (scores >= cut) & known
        both = (said & gold).sum()
        return float(2 * both / max(1, said.sum() + (gold & known).sum()))

    curve = np.array([np.mean([f1(*paper, cut) for paper in decided]) for cut in grid])
    window = 10
    padded = np.pad(curve, window, mode="edge")
    smooth = np.convolve(padded, np.ones(2 * window + 1) / (2 * window + 1), "valid")
    return float(grid[int(smooth.argmax())])


def smoothed(logits: Matrix, near: Matrix, new: Sequence[bool]) -> Matrix:
    """Each score drawn a little towards those of the new paragraphs around it: a new section answers as a whole."""
    import numpy as np

    weights = near * np.array(new, dtype=float)[None, :]
    total = weights.sum(axis=1, keepdims=True)
    shares = np.divide(weights, total, out=np.zeros_like(weights), where=total > 1e-9)
    there = (total[:, 0] > 1e-9)[None, :]
    return logits + SMOOTHING * np.where(there, logits @ shares.T - logits, 0.0)


def adapted(logits: Matrix, rate: float, prior_pairs: float) -> Matrix:
    """Scores as they would be had the model been fitted at this paper's own share of links.

    The share is estimated from the scores themselves by expectation and maximisation (Saerens, Latinne and
    Decaestecker 2002), with the training share as a prior worth ``prior_pairs`` pairs.
    """
    import numpy as np

    before = np.log(rate / (1.0 - rate))
    own = rate
    for _ in range(100):
        expected = _sigmoid(logits + np.log(own / (1.0 - own)) - before).sum()
        own = min(HIGHEST_RATE, (expected + prior_pairs * rate) / (logits.size + prior_pairs))
    moved: Matrix = logits + np.log(own / (1.0 - own)) - before
    return moved


def best_cut(logits: Matrix) -> float:
    """The score from which linking gives the highest expected F1, were the scores true odds."""
    import numpy as np

    order = np.sort(logits, axis=None)[::-1]
    chances = _sigmoid(order)
    expected = 2.0 * np.cumsum(chances) / (np.arange(1, len(order) + 1) + chances.sum())
    return float(order[int(expected.argmax())])


def decide(logits: Matrix, head: Head) -> Matrix:
    """Scores in logits, with 0 where linking starts to pay."""
    moved = adapted(logits, head.rate, head.prior_pairs)
    return moved - best_cut(moved) - head.threshold


def with_places(logits: Matrix, evidence: Mapping[str, Matrix], kind: str) -> Matrix:
    """The logits, raised where an edit is at a place that is named; ``kind`` is the head's."""
    for name, weight in PLACES[kind].items():
        logits = logits + weight * evidence[name]
    return logits


def to_unit(logits: Matrix) -> Matrix:
    """Logits as scores between 0 and 1, with one half at 0."""
    return _sigmoid(logits)


def _sigmoid(values: Matrix) -> Matrix:
    import numpy as np

    # Computed on the side where the exponential cannot overflow.
    small = np.exp(-np.abs(values))
    result: Matrix = np.where(values >= 0, 1.0 / (1.0 + small), small / (1.0 + small))
    return result
