"""Fine-tuning from labelled reviews to a folder with its card: split, specialisation, training, and how good it is.

``finetuning`` has the training itself. A fifth of the papers is kept back and judged once at the end, so that the card
says how good the encoder is on reviews that it had no part of; a tenth says when to stop.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from engine.errors import BadInput, EnvironmentProblem
from engine.jobs import Report
from engine.models.library import AddedFolder, ModelLibrary
from engine.reviews.labels.features import ReviewSentences
from engine.reviews.labels.finetuning import (
    CARD,
    FineTuned,
    FineTuneSettings,
    MaskedSettings,
    SentenceClassifier,
    fine_tune,
    specialise,
)
from engine.reviews.labels.heads import Target
from engine.reviews.labels.measures import macro_f1, micro_f1
from engine.reviews.labels.records import LAYERS, LEAST_FOR_HEADS, LabelledReview, LabelledSentence, Layer
from engine.reviews.labels.training import Examples, Indices, layer_target, split, truths
from engine.reviews.records import SourceText, Span

USE = "review-labels"
"""The task of the model library that a fine-tuned encoder is chosen for."""
LEAST_SENTENCES = 200
"""Labelled sentences of a layer that fine-tuning needs; heads of one's own learn from fewer."""
_LEAST_GROUPS = 10
"""Papers, or reviews, that are dealt whole into training, development and test."""
_MAIN: tuple[Layer, ...] = ("theme", "aspect")
"""What counts whole in the loss; further layers count 0.3, which steadies the training."""


@dataclass(frozen=True, slots=True)
class Tuning:
    """What to train from, and how.

    ``base``: an encoder folder, ``out``: the new one. ``specialise``: masked language modelling on the training
    reviews first. ``by``: how sentences are dealt into training, development and test. ``epochs``: at most;
    ``patience``: epochs without a gain. ``data``: what the card calls the reviews. ``device``: as torch names it.
    """

    base: Path
    out: Path
    specialise: bool = False
    by: Literal["paper", "sentence"] = "paper"
    epochs: int = 3
    patience: int = 2
    seed: int = 1
    data: str = "labelled reviews"
    licence: str = ""
    device: str | None = None


@dataclass(frozen=True, slots=True)
class TunedEncoder(FineTuned):
    """What came of it. ``figures``: by layer, measure and value in 0..1 on ``test_sentences`` that had no part in the
    training; ``masked_losses``: of the specialisation.
    """

    figures: Mapping[str, Mapping[str, float]]
    test_sentences: int
    masked_losses: tuple[float, ...] = ()


def layers_to_tune(reviews: Sequence[LabelledReview]) -> tuple[Layer, ...]:
    """The layers with labels enough to fine-tune on."""
    found = []
    for layer in LAYERS:
        said = [s.layers[layer] for review in reviews for s in review.sentences if layer in s.layers]
        if len(said) >= LEAST_SENTENCES and len({label for labels in said for label in labels}) > 1:
            found.append(layer)
    return tuple(found)


def tune(reviews: Sequence[LabelledReview], tuning: Tuning, report: Report) -> TunedEncoder:
    """Fine-tunes, keeps the encoder with its card in ``tuning.out``, and says how good it is.

    Where there are fewer than ten papers, reviews are dealt instead, and sentences where there are fewer than ten.

    Raises:
        BadInput: too few labels, or ``out`` holds something else.
        Cancelled: the person cancelled; nothing is kept.
        EnvironmentProblem: the base cannot be loaded, or ``out`` not written.
    """
    layers = layers_to_tune(reviews)
    if not layers:
        raise BadInput(
            f"There are too few labels: fine-tuning needs {LEAST_SENTENCES} sentences of one kind.",
            "Nothing was trained.",
            f"Choose a larger data set, or learn heads from your labels, which takes {LEAST_FOR_HEADS}.",
        )
    if tuning.out.exists() and any(tuning.out.iterdir()) and not (tuning.out / CARD).is_file():
        raise BadInput(f"{tuning.out} holds other files.", "Nothing was trained.", "Choose an empty folder.")
    data, dealt = _data(reviews, layers, tuning.by)
    chosen, development, test = split(data, by="sentence" if dealt == "sentence" else "paper", seed=tuning.seed)
    forget_unfinished(tuning.out)
    work = _unfinished(tuning.out)
    try:
        start, losses = tuning.base, tuple[float, ...]()
        if tuning.specialise:
            texts = data.texts
            before = specialise(
                start,
                work / "specialised",
                [texts[row] for row in chosen],
                MaskedSettings(seed=tuning.seed),
                report=report.part(0.0, 0.25),
                device=tuning.device,
            )
            start, losses = before.folder, before.losses
        settings = FineTuneSettings(
            epochs=tuning.epochs,
            patience=tuning.patience,
            seed=tuning.seed,
            weights=tuple((layer, 0.3) for layer in layers if layer not in _MAIN and set(_MAIN) & set(layers)),
        )
        made = fine_tune(
            start,
            work,
            data,
            chosen=chosen,
            development=development,
            settings=settings,
            report=report.part(0.25 if tuning.specialise else 0.0, 0.95),
            device=tuning.device,
        )
        figures = _figures(work, tuning.device, data, test, report.part(0.95, 1.0))
        done = TunedEncoder(
            tuning.out, made.score, made.best_epoch, made.losses, made.device, made.seconds, made.stopped_early,
            figures, len(test), losses,
        )  # fmt: skip
        _write_card(work, tuning, done, len(chosen), dealt)
        _put_in_place(work, tuning.out)
    finally:
        forget_unfinished(tuning.out)
    return done


def forget_unfinished(folder: Path) -> None:
    """Takes away what a training into ``folder`` has written that was ended before its end."""
    shutil.rmtree(_unfinished(folder), ignore_errors=True)


def _unfinished(folder: Path) -> Path:
    """Beside the folder that is asked for, which holds the old encoder or the new one, never half of each."""
    return folder.with_name(f".{folder.name}.unfinished")


def _put_in_place(work: Path, out: Path) -> None:
    try:
        shutil.rmtree(work / "specialised", ignore_errors=True)
        if out.exists():
            shutil.rmtree(out)
        work.rename(out)
    except OSError as error:
        raise EnvironmentProblem(
            f"{out} could not be written: {error.strerror or error}.",
            "The encoder was not kept.",
            "Choose another folder.",
        ) from error


def add_tuned(folder: Path, library: ModelLibrary) -> AddedFolder:
    """Adds a fine-tuned encoder to the person's models, and lets it suggest labels from then on. Where its folder was
    added before, it is trained anew, and chosen again.
    """
    place = folder.expanduser().resolve()
    known = [one for one in library.added() if isinstance(one, AddedFolder) and one.folder == place]
    entry = known[0] if known else library.add_folder(place)
    library.choose(USE, entry.id)
    return entry


def _data(reviews: Sequence[LabelledReview], layers: tuple[Layer, ...], by: str) -> tuple[Examples, str]:
    """The examples, and what is dealt into parts: papers, else reviews where there are too few, else sentences."""
    kept = [review for review in reviews if review.sentences]
    targets: tuple[Target, ...] = tuple(layer_target(layer) for layer in layers)
    sentences = tuple(ReviewSentences.of(review) for review in kept)
    count = sum(len(review.texts) for review in sentences)
    groups = tuple(review.paper for review in kept)
    if by == "paper" and len(set(groups)) < _LEAST_GROUPS:
        by, groups = "review", tuple(str(number) for number in range(len(kept)))
    dealt = by if len(set(groups)) >= _LEAST_GROUPS else "sentence"
    return Examples(sentences, groups, targets, truths(kept, targets), np.zeros((count, 0), np.float32)), dealt


def _figures(
    folder: Path, device: str | None, data: Examples, test: Indices, report: Report
) -> dict[str, dict[str, float]]:
    """Of several labels those from a half on are read, else the likeliest: thresholds are nothing that is kept."""
    chances = SentenceClassifier.load(folder, device).chances(data.reviews, report)
    found: dict[str, dict[str, float]] = {}
    for target in data.targets:
        truth = data.truth[target.name][test]
        known = truth[:, 0] >= 0
        truth, said = truth[known], chances[target.name][test][known]
        if len(truth):
            held = said >= 0.5 if target.several else np.eye(said.shape[1], dtype=bool)[said.argmax(axis=1)]
            found[target.name] = {"micro_f1": float(micro_f1(truth, held)), "macro_f1": float(macro_f1(truth, held))}
    return found


def _write_card(folder: Path, tuning: Tuning, done: TunedEncoder, sentences: int, dealt: str) -> None:
    file = folder / CARD
    card: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    card |= {
        "base": tuning.base.name,
        "data": tuning.data,
        "licence": tuning.licence,
        "sentences": sentences,
        "test_sentences": done.test_sentences,
        "seed": tuning.seed,
        "split": f"70/10/20 by {dealt}",
        "specialised": tuning.specialise,
        "device": done.device,
        "figures": done.figures,
    }
    file.write_text(json.dumps(card, indent=1) + "\n", encoding="utf-8")


def read_card(folder: Path) -> dict[str, Any]:
    """The card of a fine-tuned encoder; empty where there is none that can be read."""
    try:
        card = json.loads((folder / CARD).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return card if isinstance(card, dict) else {}


def card_targets(folder: Path) -> tuple[Target, ...]:
    """What a fine-tuned encoder answers, by its card. Raises EnvironmentProblem where there is none that says it."""
    try:
        told = read_card(folder)["targets"]
        return tuple(Target(name, tuple(labels), bool(several)) for name, labels, several in told)
    except (KeyError, TypeError, ValueError) as error:
        raise EnvironmentProblem(
            f"The card of the fine-tuned encoder in {folder} is missing or broken.",
            "No label was read.",
            "Choose another one in Models, or remove it there.",
        ) from error


def card_learnt(folder: Path) -> dict[str, list[str]]:
    """By target the labels that it has seen; all of them where an older card does not say."""
    everything = {target.name: list(target.labels) for target in card_targets(folder)}
    return {**everything, **read_card(folder).get("learnt", {})}


def as_rows(reviews: Sequence[LabelledReview]) -> list[Any]:
    """Labelled reviews as JSON takes them, for a child process."""
    return [
        [
            review.paper,
            review.text.text,
            [[one.span.start, one.span.end, {layer: list(said) for layer, said in one.layers.items()}]
             for one in review.sentences],
        ]
        for review in reviews
    ]  # fmt: skip


def from_rows(rows: Sequence[Any]) -> tuple[LabelledReview, ...]:
    """The reverse of ``as_rows``."""
    return tuple(
        LabelledReview(
            paper,
            SourceText(str(number), "", text),
            tuple(
                LabelledSentence(Span(start, end), {layer: tuple(said) for layer, said in layers.items()})
                for start, end, layers in sentences
            ),
        )
        for number, (paper, text, sentences) in enumerate(rows)
    )


def settings_of(request: Mapping[str, Any]) -> Tuning:
    """A tuning from the request of a child process."""
    return Tuning(**{**request, "base": Path(request["base"]), "out": Path(request["out"])})
