"""Fine-tuning of a local encoder folder, end to end, on labelled review sentences; and, before it, on reviews as such.

The encoder reads a sentence with its neighbours behind it as a second segment, so that they inform and are not judged;
the mean of the sentence's own tokens, its place in the review and its wording go into one linear layer a target. AdamW
with warm-up and linear decay; the best look at the development sentences is kept, and training stops when looks no
longer gain.
Domain specialisation is masked language modelling on review texts (Gururangan et al. 2020; Purkayastha et al. 2023,
section 4): 15 % of the tokens are hidden and told from the rest. A graphics processor is used where there is one; on a
processor with bfloat16 products the layers run in those, which is about 2.5 times as fast.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from engine.errors import BadInput, EnvironmentProblem
from engine.jobs import Report
from engine.models.devices import choose_device, has_bfloat16, limit_threads
from engine.models.embedders import readable
from engine.reviews.labels.features import ReviewSentences, Vectors
from engine.reviews.labels.heads import Target
from engine.reviews.labels.measures import best_thresholds, macro_f1, micro_f1
from engine.reviews.labels.training import Examples, Indices, labels_learnt
from engine.reviews.labels.wording import SURROUNDINGS, surroundings

Context = Literal["none", "before", "both"]
WEIGHTS = "labels.safetensors"
CARD = "labels.json"


@dataclass(frozen=True, slots=True)
class FineTuneSettings:
    """``length``, ``context_length``: tokens of all, and of each neighbour. ``weights``: how much each target's loss
    counts, 1 where none is given. ``patience``: looks (one an epoch) without a gain. ``frozen_embeddings``: the table
    of word vectors stays, which saves a fifth of the time.
    """

    epochs: int = 3
    batch: int = 32
    learning_rate: float = 1.2e-4
    head_rate: float = 1e-3
    length: int = 72
    context: Context = "both"
    context_length: int = 16
    dropout: float = 0.1
    weights: tuple[tuple[str, float], ...] = ()
    patience: int = 2
    frozen_embeddings: bool = True
    seed: int = 1


@dataclass(frozen=True, slots=True)
class MaskedSettings:
    """Domain specialisation: rounds over the texts, and the share of tokens that is hidden."""

    epochs: int = 1
    batch: int = 32
    learning_rate: float = 1e-4
    length: int = 96
    share: float = 0.15
    seed: int = 1


@dataclass(frozen=True, slots=True)
class FineTuned:
    """What came of it. ``score``: the mean over targets of micro-F1 (several labels) or macro-F1 on the development
    sentences at ``best_epoch``; ``losses``: the mean training loss of each epoch.
    """

    folder: Path
    score: float
    best_epoch: int
    losses: tuple[float, ...]
    device: str
    seconds: float
    stopped_early: bool


@dataclass(frozen=True, slots=True)
class Specialised:
    """What masked language modelling came to: the mean loss of each tenth of the steps."""

    folder: Path
    losses: tuple[float, ...]
    device: str
    seconds: float


class SentenceClassifier:
    """An encoder with one linear layer a target. ``load`` reads what ``fine_tune`` kept. ``learnt``: by target the
    labels that it has seen; of the others its chances mean nothing.
    """

    def __init__(self, folder: Path, targets: Sequence[Target], settings: FineTuneSettings, device: str | None) -> None:
        import torch

        self.targets = tuple(targets)
        self.learnt: dict[str, list[str]] = {target.name: list(target.labels) for target in targets}
        self.settings = settings
        self.place = choose_device(device)
        self.tokenizer, self.encoder = _pretrained(folder)
        self._length = min(settings.length, _longest(self.encoder))
        width = int(self.encoder.config.hidden_size) + SURROUNDINGS
        self.layers = torch.nn.ModuleList([torch.nn.Linear(width, len(target.labels)) for target in self.targets])
        self.module = torch.nn.ModuleList([self.encoder, self.layers]).to(self.place.name)
        self._dropout = torch.nn.Dropout(settings.dropout)
        if self.place.name == "cpu":
            limit_threads(0)
        self._half = self.place.name == "cpu" and has_bfloat16("cpu")

    @classmethod
    def load(cls, folder: Path, device: str | None = None) -> SentenceClassifier:
        """Raises EnvironmentProblem where the folder holds no such model."""
        from safetensors import SafetensorError
        from safetensors.torch import load_file

        try:
            card = json.loads((folder / CARD).read_text(encoding="utf-8"))
            targets = [Target(name, tuple(labels), bool(several)) for name, labels, several in card["targets"]]
            given = {**card["settings"], "weights": tuple(map(tuple, card["settings"]["weights"]))}
            made = cls(folder, targets, FineTuneSettings(**given), device)
            made.layers.load_state_dict(load_file(folder / WEIGHTS))
            made.learnt |= card.get("learnt", {})
        except (OSError, ValueError, KeyError, TypeError, RuntimeError, SafetensorError) as error:
            raise EnvironmentProblem(
                f"There is no fine-tuned label model in {folder} ({type(error).__name__}).", "No label was read."
            ) from error
        return made

    def save(self, folder: Path, **card: Any) -> None:
        """Encoder, tokenizer, layers and card, all in one folder."""
        from safetensors.torch import save_file

        folder.mkdir(parents=True, exist_ok=True)
        self.encoder.save_pretrained(folder)
        self.tokenizer.save_pretrained(folder)
        save_file(self.layers.state_dict(), folder / WEIGHTS)
        content = {
            "targets": [[t.name, list(t.labels), t.several] for t in self.targets],
            "learnt": self.learnt,
            "settings": asdict(self.settings),
            **card,
        }
        (folder / CARD).write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")

    def inputs(self, reviews: Sequence[ReviewSentences]) -> Inputs:
        """Sentences as token numbers, with segments (0: the sentence, 1: around it) and places."""
        settings, tokenizer = self.settings, self.tokenizer
        tokens: list[list[int]] = []
        own: list[int] = []
        for review in reviews:
            texts = [readable(text)[: self._length * 12] for text in review.texts]
            pieces = tokenizer(texts, add_special_tokens=False)["input_ids"] if texts else []
            for at, piece in enumerate(pieces):
                row = [tokenizer.cls_token_id, *piece[: self._length - 2], tokenizer.sep_token_id]
                own.append(len(row))
                before = pieces[at - 1] if at and settings.context != "none" else []
                after = pieces[at + 1] if at + 1 < len(pieces) and settings.context == "both" else []
                for beside in (before[-settings.context_length :], after[: settings.context_length]):
                    room = self._length - len(row) - 1
                    if beside and room > 2:
                        row += [*beside[:room], tokenizer.sep_token_id]
                tokens.append(row)
        return Inputs(tokens, own, surroundings(reviews))

    def odds(self, inputs: Inputs, rows: Sequence[int], *, drop: bool = False) -> list[Any]:
        """For each target the scores of some sentences, as a tensor."""
        import torch

        place = self.place.name
        longest = max(len(inputs.tokens[row]) for row in rows)
        numbers = torch.full((len(rows), longest), self.tokenizer.pad_token_id or 0)
        mask, own = torch.zeros(len(rows), longest), torch.zeros(len(rows), longest)
        for at, row in enumerate(rows):
            size = len(inputs.tokens[row])
            numbers[at, :size] = torch.tensor(inputs.tokens[row])
            mask[at, :size] = 1
            own[at, : inputs.own[row]] = 1
        numbers, mask, own = (tensor.to(place) for tensor in (numbers, mask, own))
        segments = (mask.bool() & ~own.bool()).long()
        kinds = int(getattr(self.encoder.config, "type_vocab_size", 1) or 1)
        further = {"token_type_ids": segments} if kinds > 1 else {}
        with self.precision():
            states = self.encoder(input_ids=numbers, attention_mask=mask, **further).last_hidden_state.float()
        mean = (states * own[..., None]).sum(1) / own.sum(1, keepdim=True)
        pooled = torch.cat([mean, torch.from_numpy(inputs.places[list(rows)]).to(place)], dim=1)
        if drop:
            pooled = self._dropout(pooled)
        return [layer(pooled) for layer in self.layers]

    def precision(self) -> AbstractContextManager[Any]:
        """bfloat16 where the processor has it."""
        import torch

        return torch.autocast(self.place.name, dtype=torch.bfloat16, enabled=self._half)

    def chances(self, reviews: Sequence[ReviewSentences], report: Report) -> dict[str, Vectors]:
        """For each target the chances (sentences, labels)."""
        return self.chances_of(self.inputs(reviews), None, report)

    def chances_of(self, inputs: Inputs, rows: Indices | None, report: Report) -> dict[str, Vectors]:
        """The same of some rows."""
        import torch

        wanted = list(range(len(inputs.tokens))) if rows is None else [int(row) for row in rows]
        order = sorted(range(len(wanted)), key=lambda at: len(inputs.tokens[wanted[at]]))
        found = [np.zeros((len(wanted), len(target.labels)), np.float32) for target in self.targets]
        self.module.eval()
        with torch.inference_mode():
            for start in range(0, len(order), 32):
                report.progress(start / len(order), "Reading labels")
                some = order[start : start + 32]
                for target, odds, values in zip(
                    self.targets, self.odds(inputs, [wanted[at] for at in some]), found, strict=True
                ):
                    chances = odds.sigmoid() if target.several else odds.softmax(-1)
                    values[some] = chances.float().cpu().numpy()
        return {target.name: values for target, values in zip(self.targets, found, strict=True)}


@dataclass(frozen=True, slots=True)
class Inputs:
    """Token numbers of each sentence with what stands around it, how many are its own, and places."""

    tokens: list[list[int]]
    own: list[int]
    places: Vectors


def fine_tune(
    base: Path,
    out: Path,
    data: Examples,
    *,
    chosen: Indices,
    development: Indices,
    settings: FineTuneSettings,
    report: Report,
    device: str | None = None,
) -> FineTuned:
    """Fine-tunes the encoder in ``base`` on the ``chosen`` sentences and keeps the best epoch in ``out``.

    Raises:
        BadInput: nothing to learn from.
        Cancelled: the person cancelled; the best epoch so far stays in ``out``.
        EnvironmentProblem: the base cannot be loaded, or ``out`` not written.
    """
    import torch

    started = time.perf_counter()
    if not len(chosen) or not len(development):
        raise BadInput("There are no sentences to learn from.", "Nothing was trained.", "Give labelled reviews.")
    torch.manual_seed(settings.seed)
    report.progress(0.0, "Loading the model")
    model = SentenceClassifier(base, data.targets, settings, device)
    model.learnt = labels_learnt(data, chosen)
    inputs = model.inputs(data.reviews)
    if settings.frozen_embeddings:
        for parameter in model.encoder.get_input_embeddings().parameters():
            parameter.requires_grad = False
    encoder = [p for p in model.encoder.parameters() if p.requires_grad]
    optimiser = torch.optim.AdamW(
        [
            {"params": encoder, "lr": settings.learning_rate},
            {"params": list(model.layers.parameters()), "lr": settings.head_rate},
        ],
        weight_decay=0.01,
    )
    steps = settings.epochs * math.ceil(len(chosen) / settings.batch)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimiser, lambda step: _rate(step, steps))
    rng = np.random.default_rng(settings.seed)
    best, best_epoch, losses = -1.0, 0, list[float]()
    step = 0
    for epoch in range(1, settings.epochs + 1):
        model.module.train()
        told: list[float] = []
        for rows in _batches(inputs, chosen, settings.batch, rng):
            report.progress(step / steps, f"Epoch {epoch} of at most {settings.epochs}, step {step + 1}")
            loss = _loss(model, data, inputs, rows)
            optimiser.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.module.parameters(), 1.0)
            optimiser.step()
            schedule.step()
            told.append(float(loss.detach()))
            step += 1
        losses.append(float(np.mean(told)))
        score = _score(
            model.chances_of(inputs, development, report.part(step / steps, step / steps)), data, development
        )
        if score > best:
            best, best_epoch = score, epoch
            _keep(model, out, score=score, epoch=epoch, sentences=len(chosen))
        elif epoch - best_epoch >= settings.patience:
            break
    report.progress(1.0)
    return FineTuned(
        folder=out,
        score=best,
        best_epoch=best_epoch,
        losses=tuple(losses),
        device=model.place.title,
        seconds=time.perf_counter() - started,
        stopped_early=len(losses) < settings.epochs,
    )


def _rate(step: int, steps: int) -> float:
    warm = max(1, steps // 10)
    return min((step + 1) / warm, max(0.0, (steps - step) / steps))


def _batches(inputs: Inputs, rows: Indices, size: int, rng: np.random.Generator) -> Iterator[list[int]]:
    """Batches of similar length in random order: little padding, and every sentence once."""
    order = rng.permutation(rows)
    for start in range(0, len(order), size * 50):
        near = sorted((int(row) for row in order[start : start + size * 50]), key=lambda row: len(inputs.tokens[row]))
        parts = [near[at : at + size] for at in range(0, len(near), size)]
        for number in rng.permutation(len(parts)):
            yield parts[number]


def _loss(model: SentenceClassifier, data: Examples, inputs: Inputs, rows: list[int]) -> Any:
    """The weighted sum over targets: binary cross-entropy (scaled to count like a single choice), or cross-entropy."""
    import torch

    given = dict(model.settings.weights)
    total: Any = torch.zeros((), device=model.place.name)
    for target, odds in zip(model.targets, model.odds(inputs, rows, drop=True), strict=True):
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
    return total


def _score(chances: dict[str, Vectors], data: Examples, rows: Indices) -> float:
    scores = []
    for target in data.targets:
        truth = data.truth[target.name][rows]
        known = truth[:, 0] >= 0
        truth, mine = truth[known], chances[target.name][known]
        if not len(truth):
            continue
        if target.several:
            scores.append(micro_f1(truth, mine >= best_thresholds(truth, mine)))
        else:
            held: NDArray[np.bool_] = np.arange(mine.shape[1]) == mine.argmax(axis=1)[:, None]
            scores.append(macro_f1(truth, held))
    return float(np.mean(scores)) if scores else 0.0


def _keep(model: SentenceClassifier, out: Path, **card: Any) -> None:
    try:
        model.save(out, **card)
    except OSError as error:
        raise EnvironmentProblem(
            f"{out} could not be written: {error.strerror or error}.", "The training stopped.", "Choose another folder."
        ) from error


def specialise(
    base: Path,
    out: Path,
    texts: Sequence[str],
    settings: MaskedSettings,
    *,
    report: Report,
    device: str | None = None,
) -> Specialised:
    """Goes on with the pre-training of the encoder in ``base`` on ``texts`` and keeps the encoder in ``out``.

    Only hidden tokens are predicted, since the product with the vocabulary is most of the work. An encoder without a
    prediction layer of its own gets a new one, tied to its word vectors, which is thrown away afterwards.

    Raises:
        BadInput: there is no text.
        Cancelled: the person cancelled; nothing is kept.
        EnvironmentProblem: the base cannot be loaded, or ``out`` not written.
    """
    import torch

    started = time.perf_counter()
    if not any(text.strip() for text in texts):
        raise BadInput("There is no text to learn from.", "Nothing was trained.", "Give some reviews.")
    torch.manual_seed(settings.seed)
    place = choose_device(device)
    if place.name == "cpu":
        limit_threads(0)
    report.progress(0.0, "Loading the model")
    tokenizer, encoder = _pretrained(base)
    width = int(encoder.config.hidden_size)
    reading = torch.nn.Sequential(torch.nn.Linear(width, width), torch.nn.GELU(), torch.nn.LayerNorm(width)).to(
        place.name
    )
    encoder.to(place.name).train()
    table = encoder.get_input_embeddings().weight
    offset = torch.nn.Parameter(torch.zeros(table.shape[0], device=place.name))
    optimiser = torch.optim.AdamW(
        [*encoder.parameters(), *reading.parameters(), offset], lr=settings.learning_rate, weight_decay=0.01
    )
    length = min(settings.length, _longest(encoder))
    rows = [
        [tokenizer.cls_token_id, *piece[: length - 2], tokenizer.sep_token_id]
        for piece in tokenizer([readable(text)[: length * 12] for text in texts], add_special_tokens=False)["input_ids"]
        if piece
    ]
    inputs = Inputs(rows, [len(row) for row in rows], np.zeros((len(rows), SURROUNDINGS), np.float32))
    steps = settings.epochs * math.ceil(len(rows) / settings.batch)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimiser, lambda step: _rate(step, steps))
    rng = np.random.default_rng(settings.seed)
    half = place.name == "cpu" and has_bfloat16("cpu")
    losses: list[float] = []
    for _ in range(settings.epochs):
        for some in _batches(inputs, np.arange(len(rows)), settings.batch, rng):
            report.progress(len(losses) / steps, f"Reading reviews, step {len(losses) + 1} of {steps}")
            numbers, mask, hidden, answers = _masked([rows[row] for row in some], tokenizer, settings.share, rng)
            with torch.autocast(place.name, dtype=torch.bfloat16, enabled=half):
                states = encoder(input_ids=numbers.to(place.name), attention_mask=mask.to(place.name)).last_hidden_state
                scores = reading(states[hidden.to(place.name)]) @ table.T + offset
            loss = torch.nn.functional.cross_entropy(scores.float(), answers.to(place.name))
            optimiser.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            torch.nn.utils.clip_grad_norm_(encoder.parameters(), 1.0)
            optimiser.step()
            schedule.step()
            losses.append(float(loss.detach()))
    try:
        out.mkdir(parents=True, exist_ok=True)
        encoder.save_pretrained(out)
        tokenizer.save_pretrained(out)
    except OSError as error:
        raise EnvironmentProblem(
            f"{out} could not be written: {error.strerror or error}.", "The encoder was not kept."
        ) from error
    report.progress(1.0)
    tenths = [float(part.mean()) for part in np.array_split(np.array(losses), min(10, len(losses)))]
    return Specialised(out, tuple(tenths), place.title, time.perf_counter() - started)


def _masked(rows: list[list[int]], tokenizer: Any, share: float, rng: np.random.Generator) -> tuple[Any, Any, Any, Any]:
    """Token numbers with some hidden (of these 80 % masked, 10 % another token, 10 % as they are), the attention mask,
    which were hidden, and what stood there (Devlin et al. 2019).
    """
    import torch

    longest = max(map(len, rows))
    numbers = np.full((len(rows), longest), tokenizer.pad_token_id or 0)
    mask = np.zeros((len(rows), longest))
    free = np.zeros((len(rows), longest), dtype=bool)
    for at, row in enumerate(rows):
        numbers[at, : len(row)] = row
        mask[at, : len(row)] = 1
        free[at, 1 : len(row) - 1] = True
    hidden = free & (rng.random(free.shape) < share)
    if not hidden.any():
        hidden[0, 1] = True
    answers = numbers[hidden]
    fate = rng.random(len(answers))
    shown = np.where(fate < 0.8, tokenizer.mask_token_id, answers)
    numbers[hidden] = np.where(fate >= 0.9, rng.integers(0, len(tokenizer), len(answers)), shown)
    return tuple(torch.from_numpy(part) for part in (numbers, mask, hidden, answers))  # type: ignore[return-value]


def _longest(encoder: Any) -> int:
    """How many tokens an encoder takes. Two places are left, since some families count from two on."""
    return int(getattr(encoder.config, "max_position_embeddings", None) or 514) - 2


def _pretrained(folder: Path) -> tuple[Any, Any]:
    """Tokenizer and encoder of a local folder. Raises EnvironmentProblem."""
    import transformers
    from safetensors import SafetensorError
    from transformers.utils import logging

    logging.disable_progress_bar()
    try:
        tokenizer = transformers.AutoTokenizer.from_pretrained(str(folder), local_files_only=True)
        encoder = transformers.AutoModel.from_pretrained(
            str(folder), local_files_only=True, use_safetensors=True, dtype="float32"
        )
    except (OSError, ValueError, KeyError, RuntimeError, SafetensorError) as error:
        raise EnvironmentProblem(
            f"The model in {folder} cannot be loaded ({type(error).__name__}: {str(error).splitlines()[0]}).",
            "Nothing was trained.",
            "Choose a folder that holds config.json, the tokenizer, and safetensors weights.",
        ) from error
    return tokenizer, encoder
