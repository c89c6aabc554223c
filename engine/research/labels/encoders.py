"""Fine-tunes an encoder folder, from labelled reviews to a new folder with its card.

Optionally, the encoder is first specialised by masked language modelling on the training reviews (Gururangan et al.
2020; Purkayastha et al. 2023, section 4): 15 % of the tokens are hidden and predicted from the rest. Then it learns the
labels. A fifth of the papers is held out and evaluated once at the end, so that the card reports the quality on unseen
reviews; a tenth determines when to stop.
"""

import shutil
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from engine.errors import EnvironmentProblem, not_trained
from engine.jobs import Report
from engine.models.devices import choose_device, has_bfloat16, limit_threads
from engine.models.embedders import readable
from engine.research.labels.heads import Examples, Indices, labels_learnt, layer_target, split, truths
from engine.research.trainer import Course, Progress, seeded, train
from engine.reviews.labels.classifier import CARD, FineTuneSettings, SentenceClassifier, load_encoder_folder, longest
from engine.reviews.labels.features import ReviewSentences, Vectors
from engine.reviews.labels.heads import Target
from engine.reviews.labels.measures import best_thresholds, macro_f1, micro_f1
from engine.reviews.labels.records import LAYERS, LEAST_FOR_HEADS, LabelledReview, Layer

LEAST_SENTENCES = 200
"""Labelled sentences that fine-tuning needs in a layer; the user's own heads need fewer."""
_LEAST_GROUPS = 10
"""The fewest papers, or reviews, that are split as wholes into training, development and test."""
_MAIN: tuple[Layer, ...] = ("theme", "aspect")
"""Layers with full weight in the loss; further ones have weight 0.3, which stabilises the training."""


@dataclass(frozen=True, slots=True)
class Tuning:
    """Training parameters.

    ``base``: an encoder folder, ``out``: the new one. ``specialise``: masked language modelling on the training reviews
    first. ``by``: the unit of the split into training, development and test. ``epochs``: the maximum; ``patience``:
    epochs without improvement. ``data``: the card's name for the reviews. ``device``: torch's name.
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
class TunedEncoder:
    """The result of a fine-tuning.

    ``score``: the mean over targets of micro-F1 (several labels) or macro-F1 on the development sentences at
    ``best_epoch``; ``losses``: the mean training loss of each epoch. ``figures``: by layer, measures in 0..1 on
    ``test_sentences`` held-out sentences; ``masked_losses``: for each tenth of the specialisation.
    """

    folder: Path
    score: float
    best_epoch: int
    losses: tuple[float, ...]
    device: str
    seconds: float
    stopped_early: bool
    figures: Mapping[str, Mapping[str, float]]
    test_sentences: int
    masked_losses: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class MaskedSettings:
    """Domain specialisation: epochs over the texts, and the share of hidden tokens."""

    epochs: int = 1
    batch: int = 32
    learning_rate: float = 1e-4
    length: int = 96
    share: float = 0.15
    seed: int = 1


def layers_to_tune(reviews: Sequence[LabelledReview]) -> tuple[Layer, ...]:
    return tuple(layer for layer in LAYERS if enough(reviews, layer, LEAST_SENTENCES))


def enough(reviews: Sequence[LabelledReview], layer: Layer, least: int = LEAST_FOR_HEADS) -> bool:
    """Returns whether a layer has at least ``least`` labelled sentences with two different labels."""
    said = [s.layers[layer] for review in reviews for s in review.sentences if layer in s.layers]
    return len(said) >= least and len({label for labels in said for label in labels}) > 1


def tune(reviews: Sequence[LabelledReview], tuning: Tuning, report: Report) -> TunedEncoder:
    """Fine-tunes the encoder, stores it with its card in ``tuning.out``, and evaluates it.

    With fewer than ten papers, reviews are split instead, and with fewer than ten reviews, sentences. Raises BadInput
    (too few labels, or ``out`` contains something else), Cancelled (nothing is kept) and EnvironmentProblem (the base
    can't be loaded, or ``out`` can't be written).
    """
    started = time.perf_counter()
    layers = layers_to_tune(reviews)
    if not layers:
        raise not_trained(
            f"There are too few labels: fine-tuning needs {LEAST_SENTENCES} sentences in one layer.",
            f"Choose a larger data set, or learn heads from your labels, which takes {LEAST_FOR_HEADS}.",
        )
    out = tuning.out
    if out.exists() and any(out.iterdir()) and not (out / CARD).is_file():
        raise not_trained(f"{out} holds other files.", "Choose an empty folder.")
    data, dealt = _data(reviews, layers, tuning.by)
    chosen, development, test = split(data, by="sentence" if dealt == "sentence" else "paper", seed=tuning.seed)
    forget_unfinished(out)
    work = _unfinished(out)
    base, masked = tuning.base, tuple[float, ...]()
    settings = FineTuneSettings(
        epochs=tuning.epochs,
        patience=tuning.patience,
        seed=tuning.seed,
        weights=tuple((layer, 0.3) for layer in layers if layer not in _MAIN and set(_MAIN) & set(layers)),
    )
    try:
        if tuning.specialise:
            texts, learning = data.texts, MaskedSettings(seed=tuning.seed)
            base = work / "specialised"
            part = report.part(0.0, 0.25)
            masked = specialise(
                tuning.base, base, [texts[row] for row in chosen], learning, report=part, device=tuning.device
            )
        model, done = fine_tune(
            base, data, chosen=chosen, development=development, settings=settings,
            report=report.part(0.25 if tuning.specialise else 0.0, 0.95), device=tuning.device,
        )  # fmt: skip
        an_epoch = -(-len(chosen) // settings.batch)
        made = TunedEncoder(
            folder=out,
            score=done.best,
            best_epoch=done.best_step // an_epoch,
            losses=tuple(float(np.mean(done.losses[at : at + an_epoch])) for at in range(0, done.step, an_epoch)),
            device=model.place.title,
            seconds=time.perf_counter() - started,
            stopped_early=done.step < settings.epochs * an_epoch,
            figures=_figures(model, data, test, report.part(0.95, 1.0)),
            test_sentences=len(test),
            masked_losses=masked,
        )
        card = {
            "score": made.score, "epoch": made.best_epoch, "base": tuning.base.name, "data": tuning.data,
            "licence": tuning.licence, "sentences": len(chosen), "test_sentences": len(test), "seed": tuning.seed,
            "split": f"70/10/20 by {dealt}", "specialised": tuning.specialise, "device": made.device,
            "figures": made.figures,
        }  # fmt: skip
        shutil.rmtree(work, ignore_errors=True)
        model.save(work, **card)
        if out.exists():
            shutil.rmtree(out)
        work.rename(out)
    except OSError as error:
        raise _unwritten(out, error) from error
    finally:
        forget_unfinished(out)
    return made


def forget_unfinished(folder: Path) -> None:
    """Removes the files of an unfinished training into ``folder``."""
    shutil.rmtree(_unfinished(folder), ignore_errors=True)


def _unfinished(folder: Path) -> Path:
    """Returns a folder next to the requested one, which thus contains either the old or the new encoder, never a
    mixture."""
    return folder.with_name(f".{folder.name}.unfinished")


def _unwritten(folder: Path, error: OSError) -> EnvironmentProblem:
    what = f"{folder} couldn't be written: {error.strerror or error}."
    return EnvironmentProblem(what, "The encoder wasn't saved.", "Choose another folder.")


def _data(reviews: Sequence[LabelledReview], layers: tuple[Layer, ...], by: str) -> tuple[Examples, str]:
    """Returns the examples, and what is split: papers, or reviews if there are too few, otherwise sentences."""
    kept = [review for review in reviews if review.sentences]
    targets: tuple[Target, ...] = tuple(layer_target(layer) for layer in layers)
    sentences = tuple(ReviewSentences.of(review) for review in kept)
    count = sum(len(review.texts) for review in sentences)
    groups = tuple(review.paper for review in kept)
    if by == "paper" and len(set(groups)) < _LEAST_GROUPS:
        by, groups = "review", tuple(str(number) for number in range(len(kept)))
    dealt = by if len(set(groups)) >= _LEAST_GROUPS else "sentence"
    return Examples(sentences, groups, targets, truths(kept, targets), np.zeros((count, 0), np.float32)), dealt


def fine_tune(
    base: Path,
    data: Examples,
    *,
    chosen: Indices,
    development: Indices,
    settings: FineTuneSettings,
    report: Report,
    device: str | None = None,
) -> tuple[SentenceClassifier, Progress]:
    """Returns the encoder in ``base`` fine-tuned on the ``chosen`` sentences, from its best epoch. Raises BadInput
    (nothing to learn from), Cancelled and EnvironmentProblem (the base can't be loaded)."""
    import torch

    if not len(chosen) or not len(development):
        raise not_trained("There are no sentences to learn from.", "Give labelled reviews.")
    report.progress(0.0, "Loading the model")
    with seeded(settings.seed):
        model = SentenceClassifier(base, data.targets, settings, device)
        model.learnt = labels_learnt(data, chosen)
        inputs = model.inputs(data.reviews)
        if settings.frozen_embeddings:
            model.encoder.get_input_embeddings().requires_grad_(False)
        optimiser = torch.optim.AdamW(
            [
                {"params": [p for p in model.encoder.parameters() if p.requires_grad], "lr": settings.learning_rate},
                {"params": list(model.layers.parameters()), "lr": settings.head_rate},
            ]
        )
        an_epoch = -(-len(chosen) // settings.batch)
        steps = settings.epochs * an_epoch
        done = train(
            model.module,
            optimiser,
            _batches(inputs.tokens, chosen, settings.batch, settings.seed),
            lambda rows: _losses(model, data, model.odds(inputs, rows, drop=True), rows),
            Course(
                steps, steps // 10, look_every=an_epoch, look_first=False, patience=settings.patience, title="Labels"
            ),
            report,
            look=lambda part: _score(model.chances_of(inputs, development, part), data, development),
        )
    return model, done


def _batches(
    tokens: Sequence[Sequence[int]], rows: Indices, size: int, seed: int
) -> Callable[[int], Iterator[list[int]]]:
    """Yields batches of similar length in random order, epoch after epoch: little padding, each sentence once per
    epoch."""

    def without_end(_start: int) -> Iterator[list[int]]:
        rng = np.random.default_rng(seed)
        while True:
            order = rng.permutation(rows)
            for start in range(0, len(order), size * 50):
                near = sorted(map(int, order[start : start + size * 50]), key=lambda row: len(tokens[row]))
                parts = [near[at : at + size] for at in range(0, len(near), size)]
                for number in rng.permutation(len(parts)):
                    yield parts[number]

    return without_end


def _losses(model: SentenceClassifier, data: Examples, said: list[Any], rows: list[int]) -> Iterator[Any]:
    """Yields the weighted sum over targets: binary cross-entropy (scaled to be comparable to a single choice), or
    cross-entropy."""
    import torch

    given = dict(model.settings.weights)
    total: Any = 0.0 * sum(odds.sum() for odds in said)
    for target, odds in zip(model.targets, said, strict=True):
        truth = torch.from_numpy(data.truth[target.name][rows]).to(odds.device)
        known = truth[:, 0] >= 0
        if not bool(known.any()):
            continue
        if target.several:
            loss = torch.nn.functional.binary_cross_entropy_with_logits(odds[known], truth[known])
            loss = loss * len(target.labels) / 4
        else:
            loss = torch.nn.functional.cross_entropy(odds[known], truth[known].argmax(-1))
        total = total + given.get(target.name, 1.0) * loss
    yield total


def _score(chances: Mapping[str, Vectors], data: Examples, rows: Indices) -> float:
    scores = []
    for target, truth, mine in _known(chances, data, rows):
        if target.several:
            scores.append(micro_f1(truth, mine >= best_thresholds(truth, mine)))
        else:
            scores.append(macro_f1(truth, _likeliest(mine)))
    return float(np.mean(scores)) if scores else 0.0


def _figures(model: SentenceClassifier, data: Examples, test: Indices, report: Report) -> dict[str, dict[str, float]]:
    """For several labels, probabilities from 0.5 on count, otherwise the most likely label: thresholds aren't stored
    with the encoder."""
    found: dict[str, dict[str, float]] = {}
    chances = model.chances_of(model.inputs(data.reviews), test, report)
    for target, truth, said in _known(chances, data, test):
        held = said >= 0.5 if target.several else _likeliest(said)
        found[target.name] = {"micro_f1": float(micro_f1(truth, held)), "macro_f1": float(macro_f1(truth, held))}
    return found


def _known(chances: Mapping[str, Vectors], data: Examples, rows: Indices) -> Iterator[tuple[Target, Vectors, Vectors]]:
    """Yields, for each target, truth and probabilities of the ``rows`` with known labels."""
    for target in data.targets:
        truth = data.truth[target.name][rows]
        known = truth[:, 0] >= 0
        if known.any():
            yield target, truth[known], chances[target.name][known]


def _likeliest(chances: Vectors) -> Any:
    return np.arange(chances.shape[1]) == chances.argmax(axis=1)[:, None]


def specialise(
    base: Path, out: Path, texts: Sequence[str], settings: MaskedSettings, *, report: Report, device: str | None = None
) -> tuple[float, ...]:
    """Continues the pre-training of the encoder in ``base`` on ``texts`` and stores it in ``out``; returns the mean
    loss of each tenth of the steps.

    Only hidden tokens are predicted, since the product with the vocabulary is most of the work. The prediction layer is
    new, tied to the word vectors, and discarded afterwards. Raises BadInput (no text), Cancelled (nothing is kept) and
    EnvironmentProblem (the base can't be loaded, or ``out`` can't be written).
    """
    import torch

    if not any(text.strip() for text in texts):
        raise not_trained("There is no text to learn from.", "Give some reviews.")
    place = choose_device(device)
    if place.name == "cpu":
        limit_threads(0)
    report.progress(0.0, "Loading the model")
    tokenizer, encoder = load_encoder_folder(base)
    width, length = int(encoder.config.hidden_size), min(settings.length, longest(encoder))
    pieces = tokenizer([readable(text)[: length * 12] for text in texts], add_special_tokens=False)["input_ids"]
    rows = [[tokenizer.cls_token_id, *piece[: length - 2], tokenizer.sep_token_id] for piece in pieces if len(piece)]
    half = place.name == "cpu" and has_bfloat16("cpu")
    rng = np.random.default_rng([settings.seed, 1])
    steps = settings.epochs * -(-len(rows) // settings.batch)
    with seeded(settings.seed):
        reading = torch.nn.Sequential(torch.nn.Linear(width, width), torch.nn.GELU(), torch.nn.LayerNorm(width))
        model = torch.nn.ModuleList([encoder, reading]).to(place.name)
        table = encoder.get_input_embeddings().weight
        offset = torch.nn.Parameter(torch.zeros(table.shape[0], device=place.name))

        def losses(some: list[int]) -> Iterator[Any]:
            masked = _masked([rows[row] for row in some], tokenizer, settings.share, rng)
            numbers, mask, hidden, answers = (part.to(place.name) for part in masked)
            with torch.autocast(place.name, dtype=torch.bfloat16, enabled=half):
                states = encoder(input_ids=numbers, attention_mask=mask).last_hidden_state
                scores = reading(states[hidden]) @ table.T + offset
            yield torch.nn.functional.cross_entropy(scores.float(), answers)

        optimiser = torch.optim.AdamW([*model.parameters(), offset], lr=settings.learning_rate)
        batches = _batches(rows, np.arange(len(rows)), settings.batch, settings.seed)
        done = train(model, optimiser, batches, losses, Course(steps, steps // 10, title="Reading reviews"), report)
    try:
        out.mkdir(parents=True, exist_ok=True)
        encoder.save_pretrained(out)
        tokenizer.save_pretrained(out)
    except OSError as error:
        raise _unwritten(out, error) from error
    return tuple(float(part.mean()) for part in np.array_split(np.array(done.losses), min(10, done.step)))


def _masked(rows: list[list[int]], tokenizer: Any, share: float, rng: np.random.Generator) -> tuple[Any, ...]:
    """Returns token numbers with some hidden (80 % masked, 10 % replaced by a random token, 10 % unchanged), the
    attention mask, which were hidden, and their original tokens (Devlin et al. 2019)."""
    import torch

    size = max(map(len, rows))
    numbers = np.full((len(rows), size), tokenizer.pad_token_id or 0)
    mask, free = np.zeros((len(rows), size)), np.zeros((len(rows), size), dtype=bool)
    for at, row in enumerate(rows):
        numbers[at, : len(row)], mask[at, : len(row)], free[at, 1 : len(row) - 1] = row, 1, True
    hidden = free & (rng.random(free.shape) < share)
    if not hidden.any():
        hidden[0, 1] = True
    answers = numbers[hidden]
    fate = rng.random(len(answers))
    shown = np.where(fate < 0.8, tokenizer.mask_token_id, answers)
    numbers[hidden] = np.where(fate >= 0.9, rng.integers(0, len(tokenizer), len(answers)), shown)
    return tuple(torch.from_numpy(part) for part in (numbers, mask, hidden, answers))
