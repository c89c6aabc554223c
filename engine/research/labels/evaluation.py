"""Evaluates heads and fine-tuned encoders on annotated reviews, for comparison with published figures.

Everything that is chosen (thresholds, epochs, combination of views) is chosen without the test sentences. Intervals are
95 % bootstrap intervals over papers. A fine-tuned encoder is averaged with the heads: the mean of their probabilities,
decided with the heads' thresholds, which were found on ten times as many sentences as the development part has.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.jobs import Report
from engine.models import Embedder
from engine.research.labels.encoders import fine_tune
from engine.research.labels.heads import Examples, HeadSettings, Indices, Truth, examples, fit, layer_target, split
from engine.reviews.labels.classifier import FineTuneSettings
from engine.reviews.labels.features import Vectors
from engine.reviews.labels.heads import NONE, Head, Heads, Target, decide
from engine.reviews.labels.measures import accuracy, best_thresholds, bootstrap, macro_f1, micro_f1
from engine.reviews.labels.records import LabelledReview

Held = NDArray[np.bool_]
Measure = Callable[[Truth, Held], float]

PUBLISHED_THEME = 65.5
"""Purkayastha et al. 2023: theme prediction, 70/10/20 by sentence, SciBERT specialised on reviews (approximate)."""
PUBLISHED_DISAPERE = {"polarity": 70.9, "aspect": 38.3, "review_action": 60.4}
"""Kennard et al. 2022, macro-F1 of BERT."""
PUBLISHED_PROBING = {"accuracy": 42.2, "macro-F1": 31.8}
"""Aspect of sentences that have one, eight classes, by probing."""


@dataclass(frozen=True, slots=True)
class Row:
    """One figure in per cent, with its interval, and the published figure of ``system``, if any."""

    task: str
    strategy: str
    metric: str
    value: float
    low: float
    high: float
    published: float | None
    seed: int
    split: str
    system: str = ""


def theme_rows(
    reviews: Sequence[LabelledReview],
    embedder: Embedder,
    report: Report,
    *,
    seed: int = 0,
    splits: Sequence[str] = ("sentence", "paper"),
    base: Path | None = None,
) -> tuple[Row, ...]:
    """Evaluates themes of Peer-Review-Analyze, split 70/10/20 by sentence and by paper. ``base`` (an encoder folder) is
    also fine-tuned, which takes a quarter of an hour per split on one processor core.

    By sentence, "heads" read neighbours that weren't in the training data as targets; "heads, neighbours learnt" rely
    on the training sentences around a test sentence, which isn't possible for a new review.
    """
    targets = [layer_target(name) for name in ("theme", "polarity", "aspect")]
    data = examples(reviews, targets, embedder, report.part(0.0, 0.05))
    rows: list[Row] = []
    for at, by in enumerate(splits):
        part = report.part(0.05 + 0.95 * at / len(splits), 0.05 + 0.95 * (at + 1) / len(splits))
        train, development, test = split(data, by=by, seed=seed)
        heads, asked, _ = fit(
            data,
            HeadSettings(seed=seed + 1),
            part.part(0.0, 0.3 if base else 1.0),
            chosen=train,
            development=development,
            by_sentence=by == "sentence",
        )
        chances = asked["theme"]
        truth = data.truth["theme"]
        held = decide(heads.heads[0], chances)

        def row(strategy: str, read: Held, *, rows: Indices = test, by: str = by) -> Row:
            figure = _figure(data, micro_f1, "theme", held=read, rows=rows, seed=seed)
            published, system = (PUBLISHED_THEME, "SciBERT, specialised") if by == "sentence" else (None, "")
            return Row("theme", strategy, "micro-F1", *figure, published, seed, f"70/10/20 by {by}", system)

        rows += [row("majority", _majority(data, "theme", train)), row("heads", held)]
        if by == "sentence":
            by_heart = heads.chances(data.reviews, data.vectors)["theme"]
            rows.append(row("heads, neighbours learnt", decide(heads.heads[0], by_heart)))
        if base is not None:
            learnt = FineTuneSettings(weights=(("polarity", 0.3), ("aspect", 0.3)), seed=seed + 1)
            tuned = _fine_tuned(data, base, learnt, train=train, development=development, report=part.part(0.3, 1.0))[
                "theme"
            ]
            cuts = best_thresholds(truth[development], tuned[development])
            rows.append(row("fine-tuned alone", tuned >= cuts))
            together = np.asarray((tuned + chances) / 2, dtype=np.float32)
            rows.append(row("fine-tuned, with heads", decide(heads.heads[0], together)))
    return tuple(rows)


def disapere_data(
    train: Sequence[LabelledReview], test: Sequence[LabelledReview], embedder: Embedder, report: Report
) -> tuple[Examples, Indices, Indices]:
    """Returns DISAPERE as examples, with the rows to learn from and the rows to evaluate. ``aspect-8`` is the aspect of
    the sentences that have one."""
    targets = [layer_target(name) for name in ("polarity", "aspect", "review_action")]
    data = examples([*train, *test], targets, embedder, report)
    aspect = data.truth["aspect"]
    judged = aspect[:, : targets[1].labels.index(NONE)].copy()
    judged[aspect[:, -1] == 1] = -1
    eight = Target("aspect-8", targets[1].labels[:-1], several=False)
    data = replace(data, targets=(*data.targets, eight), truth={**data.truth, eight.name: judged})
    border = sum(len(review.sentences) for review in train)
    return data, np.arange(border), np.arange(border, len(data.texts))


def disapere_rows(
    train: Sequence[LabelledReview],
    test: Sequence[LabelledReview],
    embedder: Embedder,
    report: Report,
    *,
    seed: int = 1,
    bases: Sequence[Path] = (),
    named: str = "train -> dev",
    prior: Heads | None = None,
) -> tuple[Row, ...]:
    """Evaluates polarity, aspect and review action on DISAPERE, learnt on ``train`` (its train part) and tested on
    ``test`` (its dev part); ``named`` describes these parts, ``prior`` are heads (of other reviews) to build on. For
    each of ``bases``, an encoder is fine-tuned, and all are averaged with the heads. Nothing is stored."""
    data, learn, judge = disapere_data(train, test, embedder, report.part(0.0, 0.05))
    share = 0.3 if bases else 1.0
    heads, _, _ = fit(data, HeadSettings(seed=seed), report.part(0.05, share), chosen=learn, prior=prior)
    chances = heads.chances(data.reviews, data.vectors, prior)
    common = {head.target.name: _majority(data, head.target.name, learn) for head in heads.heads}
    rows = _judged(data, heads, common, rows=judge, strategy="majority", seed=seed, named=named)
    rows += _judged(data, heads, _decided(heads, chances), rows=judge, strategy="heads", seed=seed, named=named)
    if bases:
        tuned = _tuned_on(data, learn, bases, seed=seed, report=report.part(share, 1.0))
        together = {name: np.asarray((chances[name] + tuned[name]) / 2, dtype=np.float32) for name in tuned}
        both = _decided(heads, together)
        rows += _judged(data, heads, both, rows=judge, strategy="fine-tuned, with heads", seed=seed, named=named)
    return tuple(rows)


def _tuned_on(
    data: Examples, learn: Indices, bases: Sequence[Path], *, seed: int, report: Report
) -> dict[str, Vectors]:
    """Returns the mean probabilities of the fine-tuned encoders; a tenth of the papers determines when to stop."""
    groups = data.sentence_groups()
    papers = np.unique(groups[learn])
    held_out = np.random.default_rng(seed).permutation(papers)[: max(1, len(papers) // 10)]
    development = learn[np.isin(groups[learn], held_out)]
    rest = np.setdiff1d(learn, development)
    whole = replace(data, targets=data.targets[:3])
    total: dict[str, Vectors] = {}
    for at, base in enumerate(bases):
        part = report.part(at / len(bases), (at + 1) / len(bases))
        settings = FineTuneSettings(epochs=4, learning_rate=1e-4, context_length=20, seed=seed + at)
        found = _fine_tuned(whole, base, settings, train=rest, development=development, report=part)
        for name, values in found.items():
            total[name] = (total.get(name, 0.0) + values / len(bases)).astype(np.float32)
    eight = total["aspect"][:, :-1]
    total["aspect-8"] = (eight / eight.sum(axis=1, keepdims=True)).astype(np.float32)
    return total


def _fine_tuned(
    data: Examples, base: Path, settings: FineTuneSettings, *, train: Indices, development: Indices, report: Report
) -> Mapping[str, Vectors]:
    model, _ = fine_tune(
        base, data, chosen=train, development=development, settings=settings, report=report.part(0.0, 0.95)
    )
    return model.chances(data.reviews, report.part(0.95, 1.0))


def _majority(data: Examples, target: str, train: Indices) -> Held:
    """Predicts the most common training label for every sentence, as a baseline."""
    truth = data.truth[target]
    held = np.zeros(truth.shape, dtype=np.bool_)
    held[:, np.maximum(truth[train], 0).sum(axis=0).argmax()] = True
    return held


def _decided(heads: Heads, chances: Mapping[str, Vectors]) -> dict[str, Held]:
    return {head.target.name: decide(head, chances[head.target.name]) for head in heads.heads}


def _judged(
    data: Examples, heads: Heads, held: Mapping[str, Held], *, rows: Indices, strategy: str, seed: int, named: str
) -> list[Row]:
    found = []
    for head in heads.heads:
        name = head.target.name
        probed = name == "aspect-8"
        system, known = (
            ("by probing", PUBLISHED_PROBING) if probed else ("BERT", {"macro-F1": PUBLISHED_DISAPERE[name]})
        )
        for metric, published in known.items():
            measure: Measure = accuracy if metric == "accuracy" else macro_f1
            figure = _figure(data, measure, name, held=held[name], rows=rows, seed=seed)
            found.append(Row(_title(head), strategy, metric, *figure, published, seed, named, system))
    return found


def _title(head: Head) -> str:
    count = len(head.target.labels)
    return {
        "polarity": "polarity",
        "aspect": f"aspect, {count} classes with none",
        "aspect-8": f"aspect of sentences that have one, {count} classes",
        "review_action": f"review action, {count} classes with none",
    }[head.target.name]


def _figure(
    data: Examples, measure: Measure, target: str, *, held: Held, rows: Indices, seed: int
) -> tuple[float, float, float]:
    """Returns value, low and high in per cent."""
    papers = data.sentence_groups()
    truth = data.truth[target]
    known = rows[truth[rows, 0] >= 0]
    found = bootstrap(measure, truth[known], held[known], papers[known], rng=np.random.default_rng(seed))
    return round(100 * found.value, 2), round(100 * found.low, 2), round(100 * found.high, 2)
