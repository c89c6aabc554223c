"""What the engine thread runs for labels: reading them in texts. ``engine.research.tasks`` has the trainings."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from engine.errors import BadInput
from engine.jobs import DuplicatePolicy, Lane, Report, Task
from engine.models import Embedder, shared_encoder
from engine.models.library import AddedFolder, ModelLibrary
from engine.reviews.labels.classifier import USE, ProcessClassifier
from engine.reviews.labels.heads import Heads, from_bytes, shipped, shipped_or_none
from engine.reviews.labels.reading import Reading, fits, read_labels, suggestions
from engine.reviews.labels.store import LabelStore
from engine.reviews.store import ReviewStore


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
    """Read one text with some heads alone and keep nothing: own ones by their id, those that ship where it is empty, or
    the fine-tuned encoder in ``folder`` with rules for what it does not know.
    """

    text: str
    heads_id: str = ""
    folder: Path | None = None


def heads_in_use(labels: LabelStore) -> tuple[Heads, ...]:
    """The heads that read labels in a project: its own ones first, then those that ship. Heads that are missing or
    broken are left out; rules are always there.
    """
    return (*own_heads_in_use(labels), *shipped_or_none())


def own_heads_in_use(labels: LabelStore) -> tuple[Heads, ...]:
    """The own heads that read labels in a project, newest first."""
    return tuple(from_bytes(labels.heads_weights(one.id), one.card) for one in labels.own_heads() if one.used)


def label_texts(
    reviews: ReviewStore,
    labels: LabelStore,
    source_ids: tuple[str, ...],
    *,
    encoder: Callable[[], Embedder] = shared_encoder,
    library: ModelLibrary | None = None,
) -> Task[tuple[str, ...], LabelsSuggested]:
    """The job that reads labels in texts of the project and keeps the sure ones as suggestions. The fine-tuned encoder
    that is chosen in the ``library`` (the user's own otherwise) is asked with the heads.
    """
    return Task(
        kind="reviews.label",
        title="Read labels" if len(source_ids) == 1 else f"Read labels in {len(source_ids)} reviews",
        run=partial(_label_texts, reviews, labels, encoder, library or ModelLibrary()),
        params=source_ids,
        duplicate=DuplicatePolicy.REPLACE,
        scope="reviews:" + ",".join(source_ids),
        lane=Lane.INTERACTIVE if len(source_ids) == 1 else Lane.LONG,
    )


def _label_texts(  # noqa: PLR0917 (stores and loaders, then params and report)
    reviews: ReviewStore,
    labels: LabelStore,
    encoder: Callable[[], Embedder],
    library: ModelLibrary,
    source_ids: tuple[str, ...],
    report: Report,
) -> LabelsSuggested:
    started = time.perf_counter()
    report.progress(0.0, "Reading sentences")
    heads = heads_in_use(labels)
    texts = [reviews.text(key).text for key in source_ids]
    embedder = encoder()
    left_out = tuple(str(one.card.get("title", one.origin)) for one in heads if not fits(one, embedder, heads))
    spans = [labels.sentence_spans(key) for key in source_ids]
    chosen = library.chosen(USE)
    name = chosen.title if chosen is not None else ""
    part = report.part(0.05, 0.95)
    if isinstance(chosen, AddedFolder) and chosen.there:
        with closing(ProcessClassifier(chosen.folder)) as tuned:
            readings = read_labels(texts, heads, embedder, part, tuned=[tuned], spans=spans)
        used, missing = name, ""
    else:
        readings = read_labels(texts, heads, embedder, part, spans=spans)
        used, missing = "", name
    kept = sum(
        labels.save_suggestions(key, suggestions(key, own)) for key, own in zip(source_ids, readings, strict=True)
    )
    seconds = time.perf_counter() - started
    left_out = (*left_out, missing) if missing else left_out
    return LabelsSuggested(len(texts), sum(map(len, readings)), kept, seconds, left_out, used)


def try_heads(
    text: str,
    heads_id: str = "",
    *,
    labels: LabelStore | None = None,
    folder: Path | None = None,
    encoder: Callable[[], Embedder] = shared_encoder,
) -> Task[TryHeads, tuple[Reading, ...]]:
    """The job that reads one text. ``labels`` only for heads of a project."""
    title = "Try heads" if folder is None else "Try the encoder"
    run = partial(_try_heads, labels, encoder)
    return Task("reviews.try-heads", title, run, TryHeads(text, heads_id, folder), DuplicatePolicy.REPLACE)


def _try_heads(
    labels: LabelStore | None, encoder: Callable[[], Embedder], params: TryHeads, report: Report
) -> tuple[Reading, ...]:
    if params.folder is not None:
        with closing(ProcessClassifier(params.folder)) as tuned:
            (readings,) = read_labels([params.text], (), encoder(), report, tuned=[tuned])
        return tuple(readings)
    if params.heads_id and labels is not None:
        card = next(own.card for own in labels.own_heads() if own.id == params.heads_id)
        heads = from_bytes(labels.heads_weights(params.heads_id), card)
    else:
        heads = shipped()
    embedder, prior = encoder(), shipped_or_none() if heads.prior else ()
    if not fits(heads, embedder, prior):
        raise BadInput(
            "These heads were trained on a different encoder, or depend on heads that are no longer bundled.",
            "Nothing was read.",
            "Train them again: Learn from my labels, in Rebuttal.",
        )
    (readings,) = read_labels([params.text], [heads, *prior], embedder, report)
    return tuple(readings)
