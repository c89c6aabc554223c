"""The trainings that the window starts: own heads from a project's labels, and a fine-tuned encoder. This is the only
module of ``engine.research`` that the window may import."""

from collections.abc import Callable
from pathlib import Path

from engine.errors import not_trained
from engine.exchange.labelled_folders import read_labelled_folder
from engine.jobs import DuplicatePolicy, Lane, Report, task
from engine.models import Embedder
from engine.models.library import ModelLibrary
from engine.research.labels.encoders import LEAST_SENTENCES, TunedEncoder, Tuning, enough
from engine.research.labels.own import fit_own
from engine.research.labels.process import learn_beside, tune_beside
from engine.reviews.labels.classifier import add_tuned
from engine.reviews.labels.heads import to_bytes
from engine.reviews.labels.records import LAYERS, LEAST_FOR_HEADS, OwnHeads
from engine.reviews.labels.store import LabelStore
from engine.reviews.labels.tasks import own_heads_in_use

__all__ = ["LEAST_SENTENCES", "TunedEncoder", "Tuning", "fine_tune_encoder", "train_own_heads"]


@task("reviews.train-heads", "Learn from own labels", DuplicatePolicy.DISCARD, "project", Lane.TRAINING)
def train_own_heads(
    report: Report, labels: LabelStore, *, seed: int = 1, encoder: Callable[[], Embedder] | None = None
) -> OwnHeads:
    """Trains heads on the project's labels, for layers with enough labels, compares them with those in use, and stores
    them, unused, in the project. Without an ``encoder``, it runs in a separate process with the bundled one. Raises
    BadInput if no layer has ``LEAST_FOR_HEADS`` labelled sentences with two different labels."""
    report.progress(0.0, "Collecting labels")
    found = labels.labelled_reviews()
    chosen = tuple(layer for layer in LAYERS if enough(found, layer))
    if not chosen:
        raise not_trained(
            "There are too few labels to train on.",
            f"Label at least {LEAST_FOR_HEADS} sentences in one layer, with two different labels.",
        )
    part, before = report.part(0.02, 0.98), own_heads_in_use(labels)
    if encoder is None:
        heads = learn_beside(found, chosen, part, seed=seed, before=before)
    else:
        heads = fit_own(found, chosen, encoder(), part, seed=seed, before=before)
    report.progress(0.98, "Saving heads")
    return labels.save_heads(str(heads.card["title"]), heads.card, to_bytes(heads))


@task("reviews.fine-tune", "Fine-tune {tuning.base.name}", DuplicatePolicy.DISCARD, "{tuning.out}", Lane.TRAINING)
def fine_tune_encoder(
    report: Report, tuning: Tuning, source: LabelStore | Path, *, library: ModelLibrary | None = None
) -> TunedEncoder:
    """Fine-tunes an encoder folder in a separate process, adds it to the ``library`` (default: the user's) and uses it
    for label suggestions from then on."""
    report.progress(0.0, "Reading the reviews")
    reviews = read_labelled_folder(source).reviews if isinstance(source, Path) else source.labelled_reviews()
    made = tune_beside(reviews, tuning, report.part(0.02, 1.0))
    add_tuned(made.folder, library or ModelLibrary())
    return made
