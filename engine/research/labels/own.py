"""Heads for the user's own labels, and whether they are better than the current ones."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.jobs import Report
from engine.measures.bootstrap import wider
from engine.models import Embedder
from engine.research.labels.heads import Examples, HeadSettings, examples, fit, layer_target
from engine.reviews.labels.heads import NONE, Heads, Target, decide, shipped_or_none
from engine.reviews.labels.measures import Held, Truth, bootstrap, macro_f1, micro_f1, promises
from engine.reviews.labels.reading import Reading, fits, read_labels
from engine.reviews.labels.records import LEAST_FOR_HEADS, LEAST_UNITS, LabelledReview, Layer, LayerLabel


def fit_own(
    reviews: tuple[LabelledReview, ...],
    layers: tuple[Layer, ...],
    embedder: Embedder,
    report: Report,
    *,
    title: str = "Own labels",
    seed: int = 1,
    before: Sequence[Heads] = (),
) -> Heads:
    """Trains heads for these layers, with a card, building on the bundled heads. Raises BadInput or Cancelled.

    The card's ``comparison`` has the quality of these heads in cross-validation, compared on the same sentences with
    the heads in use ``before`` and the bundled ones.
    """
    by = "paper" if len({review.paper for review in reviews}) >= LEAST_UNITS else "review"
    if by == "review":
        reviews = tuple(replace(review, paper=review.text.id) for review in reviews)
    reviews = tuple(review for review in reviews if review.sentences)
    data = examples(reviews, [layer_target(name) for name in layers], embedder, report.part(0.0, 0.3))
    shipped = shipped_or_none()
    prior = next((one for one in shipped if fits(one, embedder)), None)
    heads, _, held = fit(data, HeadSettings(seed=seed), report.part(0.3, 0.8), prior=prior)
    readings = _read(reviews, (*before, *shipped), embedder, report.part(0.8, 1.0))
    learnt = {name for one in before for name in one.card.get("learnt_reviews", [r.text.id for r in reviews])}
    fresh = np.repeat([review.text.id not in learnt for review in reviews], data.sizes)
    card: dict[str, Any] = {
        "id": "own-labels",
        "version": f"{len(data.texts)}-{seed}",
        "title": title,
        "data": "labels of this project",
        "licence": "that of the project's reviews",
        "encoder_fingerprint": embedder.fingerprint,
        "seed": seed,
        "learnt_reviews": [review.text.id for review in reviews],
        **heads.card,
        "comparison": {"by": by, "layers": _compared(data, layers, held, readings, fresh)},
    }
    return replace(heads, card=card)


def elsewhere(heads: Heads, reviews: Sequence[LabelledReview], embedder: Embedder, report: Report) -> dict[str, Any]:
    """Returns, by layer, the ``promises`` of heads on reviews labelled by other people, for the layers labelled there;
    "sentences" and "papers" are the numbers evaluated."""
    data = examples(reviews, heads.targets, embedder, report)
    chances = heads.chances(data.reviews, data.vectors)
    found = {}
    for head in heads.heads:
        truth = data.truth[head.target.name]
        known = np.flatnonzero(truth[:, 0] >= 0)
        if len(known):
            offered = decide(head, chances[head.target.name][known]) & (np.array(head.target.labels) != NONE)
            units = data.sentence_groups()[known]
            made = promises(truth[known], chances[head.target.name][known], offered, units, head.target.labels)
            found[head.target.name] = {**made, "sentences": len(known), "papers": len(np.unique(units))}
    return found


def _read(
    reviews: Sequence[LabelledReview], heads: Sequence[Heads], embedder: Embedder, report: Report
) -> list[Reading]:
    spans = [[sentence.span for sentence in review.sentences] for review in reviews]
    found = read_labels([review.text.text for review in reviews], heads, embedder, report, spans=spans)
    return [reading for own in found for reading in own]


def _compared(
    data: Examples,
    layers: Sequence[Layer],
    held: Mapping[str, Held],
    readings: Sequence[Reading],
    fresh: NDArray[np.bool_],
) -> dict[Layer, dict[str, Any]]:
    """Returns, by layer, the F1 of the labels in use (``old``) and of the new heads, micro if several labels can apply,
    otherwise macro, and the 95 % interval of the difference. Only sentences of reviews that the heads in use hadn't
    learnt count; layers with too few of these are omitted."""
    found: dict[Layer, dict[str, Any]] = {}
    for layer, target in zip(layers, data.targets, strict=True):
        truth = data.truth[layer]
        rows = np.flatnonzero((truth[:, 0] >= 0) & fresh)
        units = data.sentence_groups()[rows]
        if len(rows) < LEAST_FOR_HEADS or len(np.unique(units)) < LEAST_UNITS:
            continue
        measure = micro_f1 if target.several else macro_f1
        new, old = held[layer][rows], _held(target, [readings[int(row)].labels.get(layer) for row in rows])
        both = np.hstack([new, old])
        gain = bootstrap(partial(_gain, measure), truth[rows], both, units, rng=np.random.default_rng(0))
        factor = wider(len(np.unique(units)))  # otherwise, worse heads from a few reviews would be proposed too often
        values = {
            "old": measure(truth[rows], old),
            "new": measure(truth[rows], new),
            "low": gain.value + factor * (gain.low - gain.value),
            "high": gain.value + factor * (gain.high - gain.value),
        }
        counts = {"sentences": len(rows), "groups": len(np.unique(units))}
        found[layer] = {key: round(value, 4) for key, value in values.items()} | counts
    return found


def _gain(measure: Callable[[Truth, Held], float], truth: Truth, both: Held) -> float:
    """Returns the difference; ``both`` has the labels of the new heads, then those of the old ones."""
    new, old = np.hsplit(both, 2)
    return measure(truth, new) - measure(truth, old)


def _held(target: Target, read: Sequence[LayerLabel | None]) -> Held:
    """Returns the predicted labels, (sentences, labels)."""
    held = np.zeros((len(read), len(target.labels)), dtype=np.bool_)
    for row, said in zip(held, read, strict=True):
        labels = said.labels if said is not None else ()
        for label in labels or ((NONE,) if NONE in target.labels else ()):
            row[target.labels.index(label)] = True
    return held
