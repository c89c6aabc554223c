"""The trained part of the fused aligner: a logistic model over a few kinds of evidence, and the decision. Evidence can
only count in favour of a pair (weights aren't negative), and the model is regularised by a strong ridge, since a dozen
papers are little training data. Its odds are calibrated: pairs are linked where that maximises expected F1."""

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.jobs import Report
from engine.models import Embedder
from engine.resource_files import resource_text
from engine.revision.aligners.base import Matrix, Rankings, best_pairs, rank
from engine.revision.aligners.evidence import Gatherer
from engine.revision.aligners.lexical import explain, weights
from engine.revision.aligners.replies import content
from engine.revision.records import Candidate, Query

Mask = NDArray[np.bool_]

FROM_COMMENTS = (
    "comment_sentences", "comment_sentence_words", "comment_deleted_words",
    "comment_quotes_source", "comment_bm25_paragraph", "comment_section_words", "context_added", "context_title",
    "context_caption", "comment_place", "comment_region",
)  # fmt: skip
FROM_REPLIES = (
    "comment_sentences", "comment_words", "comment_quotes_source", "reply_covers",
    "reply_caption", "reply_section", "reply_sentence_title", "claim_meaning", "claim_title_meaning", "claim_words",
    "claim_title", "claim_deleted_words", "quoted", "not_quoted_elsewhere", "comment_place", "comment_region",
    "reply_place", "reply_region",
)  # fmt: skip
NAMES = {"context_caption": True, "comment_place": True, "reply_caption": False, "reply_place": False}
"""Evidence from naming one exact place or caption; True if the comment names it, False for the response."""
REGIONS = {"comment_region": True, "reply_region": False}
"""The same for places with many paragraphs."""
LEAD = 0.1
"""By how much, in logits, the first named edit precedes the others."""
RIDGE = {"comments": 300.0, "replies": 300.0}
"""Penalty on weights per standard deviation; chosen on a plateau (tests.benchmarks.alignment_quality)."""


@dataclass(frozen=True, slots=True)
class Head:
    """A logistic model. ``weights`` are per unit of the evidence; ``margin`` weights how far an edit is ahead of the
    comment's next one, or behind its first."""

    weights: tuple[tuple[str, float], ...]
    intercept: float
    margin: float = 0.0

    def logits(self, evidence: Mapping[str, Matrix]) -> Matrix:
        """Returns the log odds that a pair is a link, for all pairs."""
        total = next(iter(evidence.values())) * 0.0 + self.intercept
        for name, weight in self.weights:
            if weight:
                total = total + weight * evidence[name]
        return total + self.margin * margins(total)


@dataclass(frozen=True, slots=True)
class Heads:
    """The heads of the fused aligner: one for comments alone, one for comments with a reply."""

    comments: Head
    replies: Head


@cache
def shipped() -> Heads:
    """Returns the bundled heads; their card is in the same file."""
    return heads_from_json(json.loads(resource_text("aligners/fused.json"))["heads"])


def heads_from_json(record: Mapping[str, Any]) -> Heads:
    """What scripts/fit_aligner.py writes."""

    def head(values: Mapping[str, Any]) -> Head:
        return Head(
            tuple((str(name), float(weight)) for name, weight in values["weights"].items()),
            float(values["intercept"]),
            float(values["margin"]),
        )

    return Heads(head(record["comments"]), head(record["replies"]))


@dataclass(frozen=True, slots=True)
class Example:
    """The evidence of one paper with its links; ``known`` is False for pairs excluded from training."""

    evidence: Mapping[str, Matrix]
    gold: Mask
    known: Mask


def fit(examples: Sequence[Example], names: Sequence[str], ridge: float) -> Head:
    """Fits a head by penalised maximum likelihood; the links of every paper have the same total weight, whatever their
    number. The ridge sets the direction; slope, margin and intercept are then fitted without it, so that the odds are
    calibrated (Platt 1999), which ``best_cut`` needs. Raises ValueError if no example has a link."""
    if not any(example.gold.any() for example in examples):
        raise ValueError("There is no link to learn from.")
    table = np.concatenate([np.stack([e.evidence[name][e.known] for name in names], axis=-1) for e in examples])
    spread = np.mean([[e.evidence[name].std() for name in names] for e in examples], axis=0) + 1e-9
    scaled = table / spread
    right = np.concatenate([e.gold[e.known] for e in examples]).astype(float)
    weight = np.concatenate([np.full(int(e.known.sum()), 100.0 / max(1, e.gold.sum())) for e in examples])

    direction = _minimum(scaled, right, weight, ridge)[:-1] / spread
    alone = [sum(e.evidence[name] * value for name, value in zip(names, direction, strict=True)) for e in examples]
    pairs = np.concatenate([np.stack([one, margins(one)], -1)[e.known] for one, e in zip(alone, examples, strict=True)])
    slope, margin, intercept = _minimum(pairs, right, np.sqrt(weight), 0.0)
    return Head(
        tuple((name, float(slope * value)) for name, value in zip(names, direction, strict=True)),
        float(intercept),
        float(margin / max(slope, 1e-9)),
    )


def margins(logits: Matrix) -> Matrix:
    """Returns how far each edit is ahead of the comment's next best one (above 0) or behind its best one (below 0)."""
    if logits.shape[1] < 2:
        return np.zeros_like(logits)
    second, first = np.partition(logits, -2, axis=1)[:, -2:].T[:, :, None]
    ahead: Matrix = logits - np.where(logits == first, second, first)
    return ahead


def _minimum(table: Matrix, right: Matrix, weight: Matrix, ridge: float) -> Matrix:
    """Returns the weights (not negative) and the intercept of the logistic model with the lowest penalised loss."""
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


LEAST = 0.1
"""Minimum probability of a link. If no edit answers any comment (the letter is in another language, say), expected F1
is highest for linking the likeliest pair, however unlikely. The cuts of annotated papers are higher anyway."""


def best_cut(logits: Matrix) -> float:
    """Returns the score from which linking gives the highest expected F1, assuming calibrated odds."""
    order = np.sort(logits, axis=None)[::-1]
    chances = _sigmoid(order)
    expected = 2.0 * np.cumsum(chances) / (np.arange(1, len(order) + 1) + chances.sum())
    return float(order[int(expected.argmax())])


def judge(heads: Heads, evidence: Mapping[str, Matrix], content: NDArray[np.float64]) -> Matrix:
    """Returns the log odds that each pair is a link: ``weighed``, with named edits first."""
    return _named_first(weighed(heads, evidence, content), evidence, content > 0.0)


def weighed(heads: Heads, evidence: Mapping[str, Matrix], content: NDArray[np.float64]) -> Matrix:
    """Returns the log odds from all evidence.

    ``content`` (comments,): how much each response says of its own (``replies.content``). A response without content
    has no influence; otherwise both heads are mixed in proportion.
    """
    odds, answered = heads.comments.logits(evidence), content > 0.0
    if answered.any():
        share, seen = content[answered, None], {name: evidence[name][answered] for name, _ in heads.replies.weights}
        odds[answered] = share * heads.replies.logits(seen) + (1.0 - share) * odds[answered]
    return odds


def _named_first(odds: Matrix, evidence: Mapping[str, Matrix], answered: Mask) -> Matrix:
    """Returns the odds with edits named by a comment or response raised above the rest, in their own order; if only a
    page or section is named, its first edit alone."""

    def where(names: Mapping[str, bool]) -> Mask:
        said = [(evidence[name] > 0.0) & (answered[:, None] | rows) for name, rows in names.items() if name in evidence]
        found: Mask = np.any([np.zeros(odds.shape, dtype=bool), *said], axis=0)
        return found

    named, region = where(NAMES), np.where(where(REGIONS), odds, -np.inf)
    named |= ~named.any(axis=1, keepdims=True) & (region == odds) & (odds == region.max(axis=1, keepdims=True))
    best = np.where(named, odds, -np.inf).max(axis=1, keepdims=True, initial=-np.inf)
    rest = np.where(named, -np.inf, odds).max(axis=1, keepdims=True, initial=-np.inf)
    lift = np.where(np.isfinite(best) & np.isfinite(rest), np.maximum(0.0, rest - best + LEAD), 0.0)
    raised: Matrix = odds + named * lift
    return raised


def to_unit(logits: Matrix) -> Matrix:
    """Converts log odds to probabilities."""
    return _sigmoid(logits)


def _sigmoid(values: Matrix) -> Matrix:
    # Avoids overflow of the exponential.
    small = np.exp(-np.abs(values))
    result: Matrix = np.where(values >= 0, 1.0 / (1.0 + small), small / (1.0 + small))
    return result


# The default aligner: words, meaning, named places and quotations, with weights fitted on real revisions. Evidence is
# computed in ``evidence``, weighted and turned into decisions in ``head``; the bundled weights were fitted on four
# revised papers (card in ``resources/aligners/fused.json``, measured in tests.benchmarks.alignment_quality).

VERSION = "7"

_FAMILIES = {
    "quotes": ("comment_quotes_source", "quoted", "not_quoted_elsewhere"),
    "names section": ("context_title", "reply_sentence_title", "claim_title"),
    "names": (
        "context_caption", "reply_caption", "comment_place", "comment_region", "reply_place", "reply_region",
    ),
    "shared with response": (
        "reply_covers", "claim_words", "claim_deleted_words",
    ),
    "shared words": (
        "comment_words", "comment_sentence_words", "comment_deleted_words",
        "comment_bm25_paragraph", "comment_section_words",
    ),
}  # fmt: skip
"""The evidence behind each kind of reason, by words of its phrase; everything else is similarity in meaning."""
_OF = dict.fromkeys((*FROM_COMMENTS, *FROM_REPLIES), "") | {
    name: said for said, own in _FAMILIES.items() for name in own
}


def _family(phrase: str) -> str:
    kind = phrase.partition("“")[0].replace("mentions", "names")
    return next((said for said in _FAMILIES if said in kind), "")


class FusedAligner:
    """A logistic model over the evidence; a reply counts as much as it says of its own. Developed here, after the error
    analysis of D'Arcy et al. 2024 (ARIES), sections 5.3 and 5.4."""

    def __init__(self, embedder: Embedder, *, use_responses: bool = False, heads: Heads | None = None) -> None:
        self._embedder = embedder
        self._use_responses = use_responses
        self._heads = heads or shipped()
        self.origin = f"model:fused@{VERSION}+{embedder.fingerprint}"
        self.parameters = {"use_responses": str(use_responses), "encoder": embedder.fingerprint}

    def score(self, queries: Sequence[Query], candidates: Sequence[Candidate], *, report: Report) -> Rankings:
        if not queries or not candidates:
            return {query.comment_id: () for query in queries}
        gatherer = Gatherer(queries, candidates, self._embedder, report.part(0.0, 0.9))
        evidence = gatherer.of_comments()
        meaning, share = evidence["comment_sentences"], np.zeros(len(queries))
        named: NDArray[np.bool_] = np.zeros(meaning.shape, dtype=bool)
        if self._use_responses:
            evidence |= gatherer.of_replies()
            share = np.array([content(query.response, query.comment, len(query.reply_named)) for query in queries])
            said = (share > 0.0)[:, None]
            meaning = np.where(said, np.maximum(meaning, evidence["claim_meaning"]), meaning)
            named = said & (evidence["reply_sentence_title"] > 0.99)
        before = weighed(self._heads, evidence, share)
        odds = _named_first(before, evidence, share > 0.0)
        report.check()
        scores, cut = to_unit(odds), max(LEAST, float(to_unit(np.array(best_cut(odds)))))
        moved = self._moved(evidence, share)
        moved["names"] = moved["names"] + odds - before
        telling = weights([candidate.diff_text for candidate in candidates])
        reasons: dict[tuple[int, int], tuple[str, ...]] = {}
        for row, column in best_pairs(scores, cut):
            report.check()
            use = bool(share[row])
            phrases = [*explain(queries[row], candidates[column], telling, use_response=use)]
            if named[row, column]:
                phrases.append(f"response names section “{gatherer.texts.title[column]}”")
            if evidence["context_title"][row, column] > 0.99:
                phrases.append(f"comment names section “{gatherer.texts.title[column]}”")
            top = max(("", *_FAMILIES), key=lambda family: float(moved[family][row, column]))
            if top == "quotes" and evidence["comment_quotes_source"][row, column] > 0.0:
                phrases.append("comment quotes the paragraph")
            if meaning[row, column] >= 0.4 or not phrases or not top:
                phrases.append(f"similar in meaning ({meaning[row, column]:.2f})")
            weight = {phrase: float(moved[_family(phrase)][row, column]) for phrase in phrases}
            reasons[row, column] = tuple(sorted(weight, key=weight.__getitem__, reverse=True))
        report.progress(1.0)
        return rank(queries, candidates, scores, cut, reasons)

    def _moved(self, evidence: Mapping[str, Matrix], share: NDArray[np.float64]) -> dict[str, Matrix]:
        """Returns by family of evidence how much it changed the log odds of each pair, relative to the comment's mean
        edit."""
        found: dict[str, Matrix] = defaultdict(lambda: np.zeros(evidence["comment_sentences"].shape))
        for head, part in ((self._heads.comments, 1.0 - share), (self._heads.replies, share)):
            for name, weight in head.weights:
                if weight and name in evidence:
                    own = evidence[name]
                    found[_OF[name]] += part[:, None] * weight * (own - own.mean(axis=1, keepdims=True))
        return found
