"""What the job engine runs for labels: reading them in texts, and learning from a project's own ones."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from engine.errors import BadInput, EnvironmentProblem
from engine.jobs import DuplicatePolicy, Lane, Report, Task
from engine.models import Embedder, shared_encoder
from engine.models.library import AddedFolder, ModelLibrary
from engine.reviews.labels.heads import Heads, from_bytes, shipped, to_bytes
from engine.reviews.labels.reading import Reading, fits, read_labels, suggestions
from engine.reviews.labels.records import LAYERS, LEAST_FOR_HEADS, LabelledReview, Layer, OwnHeads
from engine.reviews.labels.store import LabelStore
from engine.reviews.labels.training import HeadSettings, examples, fit, layer_target
from engine.reviews.labels.tuning import USE, TunedEncoder, Tuning, add_tuned
from engine.reviews.labels.tuning_process import ProcessClassifier, learn_beside, tune_beside
from engine.reviews.store import ReviewStore


@dataclass(frozen=True, slots=True)
class LabelTexts:
    """Suggest labels for the sentences of these texts."""

    source_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LabelsSuggested:
    """What came of it. ``left_out``: titles of heads that were trained on another encoder, or stand on other heads, and
    of a fine-tuned encoder whose folder is gone. ``tuned``: the fine-tuned encoder that was asked, too.
    """

    texts: int
    sentences: int
    suggestions: int
    seconds: float
    left_out: tuple[str, ...] = ()
    tuned: str = ""


@dataclass(frozen=True, slots=True)
class TryHeads:
    """Read one text with some heads alone: own ones by their id, or those that ship (empty)."""

    heads_id: str
    text: str


@dataclass(frozen=True, slots=True)
class TrainOwnHeads:
    """Train heads on what was decided in this project, for the layers with labels enough."""

    title: str
    layers: tuple[Layer, ...] = LAYERS
    seed: int = 1


def heads_in_use(labels: LabelStore) -> tuple[Heads, ...]:
    """The heads that read labels in a project: its own ones first, then those that ship. Heads that are missing or
    broken are left out; rules are always there.
    """
    found = []
    for own in labels.own_heads():
        if own.used:
            found.append(from_bytes(labels.heads_weights(own.id), own.card))
    return (*found, *shipped_or_none())


def shipped_or_none() -> tuple[Heads, ...]:
    """The heads that ship, or none where they are missing."""
    try:
        return (shipped(),)
    except EnvironmentProblem:
        return ()


def label_texts(
    reviews: ReviewStore,
    labels: LabelStore,
    source_ids: tuple[str, ...],
    *,
    encoder: Callable[[], Embedder] = shared_encoder,
    library: ModelLibrary | None = None,
) -> Task[LabelTexts, LabelsSuggested]:
    """The job that reads labels in texts of the project and keeps the sure ones as suggestions. The fine-tuned encoder
    that is chosen in the ``library`` (the person's own otherwise) is asked with the heads.
    """

    def run(params: LabelTexts, report: Report) -> LabelsSuggested:
        started = time.perf_counter()
        report.progress(0.0, "Reading sentences")
        heads = heads_in_use(labels)
        texts = [reviews.text(key).text for key in params.source_ids]
        embedder = encoder()
        left_out = tuple(str(one.card.get("title", one.origin)) for one in heads if not fits(one, embedder, heads))
        spans = [labels.sentence_spans(key) for key in params.source_ids]
        chosen = (library or ModelLibrary()).chosen(USE)
        there = isinstance(chosen, AddedFolder) and chosen.there
        tuned = [ProcessClassifier(chosen.folder)] if isinstance(chosen, AddedFolder) and there else []
        try:
            readings = read_labels(texts, heads, embedder, report.part(0.05, 0.95), tuned=tuned, spans=spans)
        finally:
            for one in tuned:
                one.close()
        kept = sum(
            labels.save_suggestions(key, suggestions(key, own))
            for key, own in zip(params.source_ids, readings, strict=True)
        )
        name = chosen.title if chosen is not None else ""
        return LabelsSuggested(
            len(texts),
            sum(map(len, readings)),
            kept,
            time.perf_counter() - started,
            left_out if there or not name else (*left_out, name),
            name if there else "",
        )

    return Task(
        kind="reviews.label",
        title="Read labels" if len(source_ids) == 1 else f"Read labels in {len(source_ids)} reviews",
        run=run,
        params=LabelTexts(source_ids),
        duplicate=DuplicatePolicy.REPLACE,
        scope="reviews:" + ",".join(source_ids),
        lane=Lane.INTERACTIVE if len(source_ids) == 1 else Lane.LONG,
    )


def try_heads(
    labels: LabelStore | None, heads_id: str, text: str, *, encoder: Callable[[], Embedder] = shared_encoder
) -> Task[TryHeads, tuple[Reading, ...]]:
    """The job that reads a text with some heads alone and keeps nothing. ``labels`` only for heads of a project."""

    def run(params: TryHeads, report: Report) -> tuple[Reading, ...]:
        if params.heads_id and labels is not None:
            card = next(own.card for own in labels.own_heads() if own.id == params.heads_id)
            heads = from_bytes(labels.heads_weights(params.heads_id), card)
        else:
            heads = shipped()
        embedder, prior = encoder(), shipped_or_none() if heads.prior else ()
        if not fits(heads, embedder, prior):
            raise BadInput(
                "These heads were trained on another encoder, or stand on other heads than those that ship now.",
                "Nothing was read.",
                "Train them anew: Learn from my labels, in Rebuttal.",
            )
        (readings,) = read_labels([params.text], [heads, *prior], embedder, report)
        return tuple(readings)

    return Task("reviews.try-heads", "Try heads", run, TryHeads(heads_id, text), DuplicatePolicy.REPLACE)


def try_label_encoder(
    folder: Path, text: str, *, encoder: Callable[[], Embedder] = shared_encoder
) -> Task[TryHeads, tuple[Reading, ...]]:
    """The job that reads a text with a fine-tuned encoder, and rules for what it does not know, and keeps nothing."""

    def run(params: TryHeads, report: Report) -> tuple[Reading, ...]:
        tuned = ProcessClassifier(folder)
        try:
            (readings,) = read_labels([params.text], (), encoder(), report, tuned=[tuned])
        finally:
            tuned.close()
        return tuple(readings)

    return Task("reviews.try-heads", "Try the encoder", run, TryHeads(str(folder), text), DuplicatePolicy.REPLACE)


def train_own_heads(
    labels: LabelStore,
    title: str = "Own labels",
    *,
    layers: tuple[Layer, ...] = LAYERS,
    seed: int = 1,
    encoder: Callable[[], Embedder] | None = None,
) -> Task[TrainOwnHeads, OwnHeads]:
    """The job that learns heads from what was decided in the project, and uses them from then on. Without an
    ``encoder`` it is done beside the window, on the bundled one.

    Raises BadInput (in the job) where no layer has ``LEAST_FOR_HEADS`` labelled sentences with two different labels.
    """

    def run(params: TrainOwnHeads, report: Report) -> OwnHeads:
        report.progress(0.0, "Collecting labels")
        found = labels.labelled_reviews()
        chosen = tuple(layer for layer in params.layers if enough(found, layer))
        if not chosen:
            raise BadInput(
                "There are too few labels to learn from.",
                "Nothing was trained.",
                f"Label at least {LEAST_FOR_HEADS} sentences of one kind, with two different labels.",
            )
        part = report.part(0.02, 0.98)
        if encoder is None:
            heads = learn_beside(found, chosen, params.title, params.seed, part)
        else:
            heads = fit_own(found, chosen, encoder(), part, title=params.title, seed=params.seed)
        report.progress(0.98, "Saving heads")
        return labels.save_heads(params.title, heads.card, to_bytes(heads))

    return Task(
        kind="reviews.train-heads",
        title="Learn from own labels",
        run=run,
        params=TrainOwnHeads(title, layers, seed),
        duplicate=DuplicatePolicy.DISCARD,
        scope="project",
        lane=Lane.TRAINING,
    )


def fine_tune_encoder(
    tuning: Tuning,
    reviews: Callable[[], Sequence[LabelledReview]],
    *,
    library: ModelLibrary | None = None,
) -> Task[Tuning, TunedEncoder]:
    """The job that fine-tunes an encoder folder on labelled reviews, in a process of its own, adds it to the models of
    the ``library`` (the person's own otherwise) and lets it suggest labels from then on.

    ``reviews`` reads them when the job runs; it raises what its source raises.
    """

    def run(params: Tuning, report: Report) -> TunedEncoder:
        report.progress(0.0, "Reading the reviews")
        made = tune_beside(reviews(), params, report.part(0.02, 1.0))
        add_tuned(made.folder, library or ModelLibrary())
        return made

    return Task(
        kind="reviews.fine-tune",
        title=f"Fine-tune {tuning.base.name}",
        run=run,
        params=tuning,
        duplicate=DuplicatePolicy.DISCARD,
        scope=str(tuning.out),
        lane=Lane.TRAINING,
    )


def enough(reviews: tuple[LabelledReview, ...], layer: Layer) -> bool:
    """Whether a layer has labels enough to learn from."""
    said = [s.layers[layer] for review in reviews for s in review.sentences if layer in s.layers]
    return len(said) >= LEAST_FOR_HEADS and len({label for labels in said for label in labels}) > 1


def fit_own(
    reviews: tuple[LabelledReview, ...],
    layers: tuple[Layer, ...],
    embedder: Embedder,
    report: Report,
    *,
    title: str = "Own labels",
    seed: int = 1,
) -> Heads:
    """Heads for these layers, with a card; they stand on those that ship. Raises BadInput or Cancelled."""
    data = examples(reviews, [layer_target(name) for name in layers], embedder, report.part(0.0, 0.3))
    prior = next((one for one in shipped_or_none() if fits(one, embedder)), None)
    heads = fit(data, HeadSettings(seed=seed), report.part(0.3, 1.0), prior=prior)
    card: dict[str, Any] = {
        "id": "own-labels",
        "version": f"{len(data.texts)}-{seed}",
        "title": title,
        "data": "labels of this project",
        "licence": "that of the project's reviews",
        "encoder_fingerprint": embedder.fingerprint,
        "seed": seed,
        **heads.card,
    }
    return replace(heads, card=card)
