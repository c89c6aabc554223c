"""Tasks that label texts. Training is in ``engine.research.tasks``."""

from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from engine.errors import not_read
from engine.jobs import DuplicatePolicy, Lane, Report, task
from engine.models import Embedder, shared_encoder
from engine.models.library import AddedFolder, ModelLibrary
from engine.reviews.labels.classifier import USE, ProcessClassifier
from engine.reviews.labels.heads import Heads, from_bytes, shipped, shipped_or_none
from engine.reviews.labels.reading import Reading, fits, read_labels, suggestions
from engine.reviews.labels.store import LabelStore
from engine.reviews.store import ReviewStore


@dataclass(frozen=True, slots=True)
class LabelsSuggested:
    """The result of labelling. ``left_out``: titles of heads that were trained with another encoder or build on missing
    heads, and of a fine-tuned encoder whose folder is missing. ``tuned``: the fine-tuned encoder that was used."""

    sentences: int
    suggestions: int
    left_out: tuple[str, ...] = ()
    tuned: str = ""


def heads_in_use(labels: LabelStore) -> tuple[Heads, ...]:
    """Returns the heads used in a project: its own ones first, then the bundled ones, if they aren't missing. Rules are
    always available."""
    return (*own_heads_in_use(labels), *shipped_or_none())


def own_heads_in_use(labels: LabelStore) -> tuple[Heads, ...]:
    """Returns a project's own heads in use, newest first."""
    return tuple(from_bytes(labels.heads_weights(one.id), one.card) for one in labels.own_heads() if one.used)


@task(
    "reviews.label",
    lambda source_ids, **_: "Read labels" if len(source_ids) == 1 else f"Read labels in {len(source_ids)} reviews",
    DuplicatePolicy.REPLACE,
    lambda source_ids, **_: "reviews:" + ",".join(source_ids),
    lambda source_ids, **_: Lane.INTERACTIVE if len(source_ids) == 1 else Lane.LONG,
)
def label_texts(
    report: Report,
    reviews: ReviewStore,
    labels: LabelStore,
    source_ids: tuple[str, ...],
    *,
    encoder: Callable[[], Embedder] = shared_encoder,
    library: ModelLibrary | None = None,
) -> LabelsSuggested:
    """Labels texts of the project and stores likely labels as suggestions. The fine-tuned encoder chosen in the
    ``library`` (by default the user's own) is used together with the heads."""
    report.progress(0.0, "Reading sentences")
    heads = heads_in_use(labels)
    texts = [reviews.text(key).text for key in source_ids]
    embedder = encoder()
    left_out = tuple(str(one.card.get("title", one.origin)) for one in heads if not fits(one, embedder, heads))
    spans = [labels.sentence_spans(key) for key in source_ids]
    chosen = (library or ModelLibrary()).chosen(USE)
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
    left_out = (*left_out, missing) if missing else left_out
    return LabelsSuggested(sum(map(len, readings)), kept, left_out, used)


@task(
    "reviews.try-heads",
    lambda folder, **_: "Try heads" if folder is None else "Try the encoder",
    DuplicatePolicy.REPLACE,
)
def try_heads(
    report: Report,
    text: str,
    heads_id: str = "",
    *,
    labels: LabelStore | None = None,
    folder: Path | None = None,
    encoder: Callable[[], Embedder] = shared_encoder,
) -> tuple[Reading, ...]:
    """Labels one text with some heads only, without storing anything: own ones by their id (with the project's
    ``labels``), the bundled ones if it is empty, or the fine-tuned encoder in ``folder`` with rules for other
    layers."""
    if folder is not None:
        with closing(ProcessClassifier(folder)) as tuned:
            (readings,) = read_labels([text], (), encoder(), report, tuned=[tuned])
        return tuple(readings)
    if heads_id and labels is not None:
        card = next(own.card for own in labels.own_heads() if own.id == heads_id)
        heads = from_bytes(labels.heads_weights(heads_id), card)
    else:
        heads = shipped()
    embedder, prior = encoder(), shipped_or_none() if heads.prior else ()
    if not fits(heads, embedder, prior):
        raise not_read(
            "These heads were trained on a different encoder, or depend on heads that are no longer bundled.",
            "Train them again: Learn from my labels, in Rebuttal.",
        )
    (readings,) = read_labels([text], [heads, *prior], embedder, report)
    return tuple(readings)
