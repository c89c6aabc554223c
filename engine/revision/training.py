"""Fine-tuning of the two trained aligners, after D'Arcy et al. 2024 (ARIES), section 5.1 and appendix C.

Bi-encoder: triplets of a comment, its edit, and edits of other papers (20 a comment), margin loss on cosines.
Cross-encoder: pairs of the same kind as a classification. Learning rate 2e-5 with warm-up and linear decay, batches of
16, at most 8,192 steps; the model that is best on the development papers is kept, and training stops early when it no
longer gets better. Runs on a graphics processor where there is one. A run that was stopped goes on from its last
checkpoint with the same result as one that was not.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from engine.errors import BadInput, EnvironmentProblem
from engine.jobs import Report
from engine.models.devices import choose_device, limit_threads
from engine.models.embedders import load_sentence_transformer, readable
from engine.revision import metrics
from engine.revision.aligners.selection import SHORT, changed_characters
from engine.revision.aligners.trained import CARD, Kind, PairClassifier, comment_text, edit_text
from engine.revision.evaluation import AnnotatedPaper

CHECKPOINT = "checkpoint.pt"


@dataclass(frozen=True, slots=True)
class TrainingSettings:
    """As in the paper, unless said otherwise. ``patience`` counts looks at the development papers without a gain."""

    kind: Kind
    steps: int = 8192
    batch: int = 16
    learning_rate: float = 2e-5
    warm_up: int = 256
    negatives: int = 20
    margin: float = 0.5
    look_every: int = 256
    patience: int = 8
    least_characters: int = SHORT
    use_responses: bool = False
    seed: int = 1

    def __post_init__(self) -> None:
        if min(self.steps, self.batch, self.negatives, self.look_every, self.patience) < 1:
            raise ValueError("steps, batch, negatives, look_every and patience are at least 1")


@dataclass(frozen=True, slots=True)
class Triplet:
    """A comment with an edit made for it and one of another paper, as the model reads them."""

    comment: str
    positive: str
    negative: str


@dataclass(frozen=True, slots=True)
class Trained:
    """What came of it. ``f1`` is micro-F1 on the development papers at ``threshold``; ``peak_memory`` in bytes."""

    folder: Path
    steps: int
    best_step: int
    f1: float
    threshold: float
    device: str
    seconds: float
    peak_memory: int
    stopped_early: bool


def triplets(papers: Sequence[AnnotatedPaper], settings: TrainingSettings) -> tuple[Triplet, ...]:
    """All triplets of the papers: every link with negatives drawn from the edits of other papers.

    Raises BadInput where there are no links, or no other paper to draw from.
    """
    rng = np.random.default_rng(settings.seed)
    edits = {
        paper.id: [
            edit_text(candidate)
            for candidate in paper.candidates
            if changed_characters(candidate) >= settings.least_characters
        ]
        for paper in papers
    }
    found: list[Triplet] = []
    for paper in papers:
        elsewhere = [text for other, texts in edits.items() if other != paper.id for text in texts]
        if not elsewhere:
            raise BadInput(
                "Negatives are drawn from other papers, and there is no other paper.",
                "Nothing was trained.",
                "Give labelled comments of two papers or more.",
            )
        by_id = {candidate.edit_id: candidate for candidate in paper.candidates}
        for query, positives in zip(paper.queries, paper.positives, strict=True):
            asked = comment_text(query, use_response=settings.use_responses)
            drawn = rng.choice(len(elsewhere), size=min(settings.negatives, len(elsewhere)), replace=False)
            for key in sorted(positives):
                candidate = by_id.get(key)
                if candidate is None or changed_characters(candidate) < settings.least_characters:
                    continue
                found.extend(Triplet(asked, edit_text(candidate), elsewhere[at]) for at in drawn)
    if not found:
        raise BadInput("No comment is linked to an edit.", "Nothing was trained.", "Link some comments first.")
    return tuple(found)


class Trainable(Protocol):
    """A model that can be trained on triplets, scored, and kept."""

    @property
    def module(self) -> Any:
        """The torch module with all weights."""
        ...

    def loss(self, batch: Sequence[Triplet]) -> Any:
        """The mean loss of a batch, as a tensor."""
        ...

    def scores(self, paper: AnnotatedPaper, settings: TrainingSettings, report: Report) -> metrics.Matrix:
        """(comments, edits) of one paper."""
        ...

    def save(self, folder: Path) -> None: ...


class _BiEncoder:
    def __init__(self, folder: Path, settings: TrainingSettings, device: str) -> None:
        self.module = load_sentence_transformer(folder, device)
        self._settings = settings

    def loss(self, batch: Sequence[Triplet]) -> Any:
        import torch

        asked, positive, negative = (
            self._vectors([getattr(triplet, side) for triplet in batch]) for side in ("comment", "positive", "negative")
        )
        closer, farther = (asked * positive).sum(-1), (asked * negative).sum(-1)
        return torch.nn.functional.relu(self._settings.margin - closer + farther).mean()

    def _vectors(self, texts: Sequence[str]) -> Any:
        import torch

        features = self.module.preprocess([readable(text) for text in texts])
        features = {
            key: value.to(self.module.device) if isinstance(value, torch.Tensor) else value
            for key, value in features.items()
        }
        return torch.nn.functional.normalize(self.module(features)["sentence_embedding"], dim=-1)

    def scores(self, paper: AnnotatedPaper, settings: TrainingSettings, report: Report) -> metrics.Matrix:
        import torch

        texts = [comment_text(query, use_response=settings.use_responses) for query in paper.queries]
        texts += [edit_text(candidate) for candidate in paper.candidates]
        parts = []
        with torch.inference_mode():
            for start in range(0, len(texts), settings.batch):
                report.check()
                parts.append(self._vectors(texts[start : start + settings.batch]).float().cpu().numpy())
        vectors = np.concatenate(parts).astype(np.float64)
        return vectors[: len(paper.queries)] @ vectors[len(paper.queries) :].T

    def save(self, folder: Path) -> None:
        self.module.save(str(folder), create_model_card=False)


class _CrossEncoder:
    def __init__(self, folder: Path, settings: TrainingSettings, device: str) -> None:  # noqa: ARG002 (one shape)
        self._classifier = PairClassifier.load(folder, device)
        self.module = self._classifier.model

    def loss(self, batch: Sequence[Triplet]) -> Any:
        import torch

        pairs = [(triplet.comment, triplet.positive) for triplet in batch]
        pairs += [(triplet.comment, triplet.negative) for triplet in batch]
        logits = self.module(**self._classifier.inputs(pairs)).logits
        right = torch.tensor([1] * len(batch) + [0] * len(batch), device=logits.device)
        if logits.shape[-1] == 1:
            return torch.nn.functional.binary_cross_entropy_with_logits(logits[:, 0], right.float())
        return torch.nn.functional.cross_entropy(logits, right)

    def scores(self, paper: AnnotatedPaper, settings: TrainingSettings, report: Report) -> metrics.Matrix:
        asked = [comment_text(query, use_response=settings.use_responses) for query in paper.queries]
        edits = [edit_text(candidate) for candidate in paper.candidates]
        pairs = [(comment, edit) for comment in asked for edit in edits]
        chances: list[float] = []
        for start in range(0, len(pairs), settings.batch):
            report.check()
            chances.extend(self._classifier(pairs[start : start + settings.batch]))
        return np.array(chances).reshape(len(asked), len(edits))

    def save(self, folder: Path) -> None:
        self.module.save_pretrained(str(folder))
        self._classifier.tokenizer.save_pretrained(str(folder))


def train(
    base: Path,
    out: Path,
    papers: Sequence[AnnotatedPaper],
    development: Sequence[AnnotatedPaper],
    settings: TrainingSettings,
    *,
    report: Report,
    device: str | None = None,
) -> Trained:
    """Fine-tunes the model in ``base`` and keeps the best one in ``out``, with its card (threshold, settings).

    A checkpoint in ``out`` of a run with the same settings and data is gone on from. On Cancel a checkpoint is written
    first.

    Raises:
        BadInput: too little data, or ``out`` holds a run with other settings.
        Cancelled: the person cancelled; the run can be resumed.
        EnvironmentProblem: the base model cannot be loaded, or ``out`` cannot be written.
    """
    import torch

    started = time.perf_counter()
    examples = triplets(papers, settings)
    if not any((paper.gold & paper.known).any() for paper in development):
        raise BadInput("No development comment has a link.", "Nothing was trained.", "Give papers with links.")
    place = choose_device(device)
    report.progress(0.0, "Loading the model")
    if place.name == "cpu":
        limit_threads(0)
    else:
        torch.cuda.reset_peak_memory_stats()
    torch.manual_seed(settings.seed)
    model: Trainable = (_BiEncoder if settings.kind == "bi-encoder" else _CrossEncoder)(base, settings, place.name)
    run = _Run(model, settings, examples, out)
    run.resume()
    try:
        out.mkdir(parents=True, exist_ok=True)
        _train(run, development, report)
    except OSError as error:
        raise EnvironmentProblem(
            f"{out} could not be written: {error.strerror or error}.", "The training stopped.", "Choose another folder."
        ) from error
    (out / CHECKPOINT).unlink(missing_ok=True)
    return Trained(
        folder=out,
        steps=run.step,
        best_step=run.best_step,
        f1=run.best_f1,
        threshold=run.threshold,
        device=place.title,
        seconds=time.perf_counter() - started,
        peak_memory=_peak_memory(place.name),
        stopped_early=run.step < settings.steps,
    )


class _Run:
    """Where a training run stands: weights, optimiser, order of the examples, best model so far."""

    def __init__(self, model: Trainable, settings: TrainingSettings, examples: Sequence[Triplet], out: Path) -> None:
        import torch

        self.model = model
        self.settings = settings
        self.examples = examples
        self.out = out
        self.step = self.best_step = self.looks_without_gain = 0
        self.looked_at = -1
        self.best_f1 = -1.0
        self.threshold = 0.5
        self.optimiser = torch.optim.AdamW(model.module.parameters(), lr=settings.learning_rate)
        self.schedule = torch.optim.lr_scheduler.LambdaLR(self.optimiser, self._rate)

    def _rate(self, step: int) -> float:
        warm = min(self.settings.warm_up, max(1, self.settings.steps // 4))
        if step < warm:
            return (step + 1) / warm
        return max(0.0, (self.settings.steps - step) / max(1, self.settings.steps - warm))

    def batches(self) -> Iterator[list[Triplet]]:
        """The batches from the current step on; epoch after epoch in an order that only seed and epoch decide."""
        per_epoch = math.ceil(len(self.examples) / self.settings.batch)
        while True:
            epoch, at = divmod(self.step, per_epoch)
            order = np.random.default_rng([self.settings.seed, epoch]).permutation(len(self.examples))
            for start in range(at, per_epoch):
                chosen = order[start * self.settings.batch : (start + 1) * self.settings.batch]
                yield [self.examples[index] for index in chosen]

    def card(self) -> dict[str, Any]:
        return {
            "kind": self.settings.kind,
            "threshold": self.threshold,
            "development_f1": self.best_f1,
            "best_step": self.best_step,
            "examples": len(self.examples),
            "settings": asdict(self.settings),
        }

    def keep_best(self) -> None:
        self.model.save(self.out)
        (self.out / CARD).write_text(json.dumps(self.card(), indent=1) + "\n", encoding="utf-8")

    def checkpoint(self) -> None:
        """Written beside and put in place in one step, so that a crash leaves the former one."""
        import torch

        beside = self.out / f"{CHECKPOINT}.part"
        torch.save(
            {
                "settings": json.dumps(asdict(self.settings), sort_keys=True),
                "examples": len(self.examples),
                "model": self.model.module.state_dict(),
                "optimiser": self.optimiser.state_dict(),
                "schedule": self.schedule.state_dict(),
                "random": torch.get_rng_state(),
                "numbers": torch.tensor(
                    [
                        self.step,
                        self.best_step,
                        self.looks_without_gain,
                        self.looked_at,
                        self.best_f1,
                        self.threshold,
                    ],
                    dtype=torch.float64,
                ),
            },
            beside,
        )
        beside.replace(self.out / CHECKPOINT)

    def resume(self) -> None:
        """Goes on from the checkpoint, where there is one. Raises BadInput where it is of another run."""
        import pickle

        import torch

        path = self.out / CHECKPOINT
        if not path.is_file():
            return
        try:
            # weights_only: nothing in the file is run.
            kept = torch.load(path, map_location="cpu", weights_only=True)
            same = kept["settings"] == json.dumps(asdict(self.settings), sort_keys=True)
            if not same or kept["examples"] != len(self.examples):
                raise BadInput(
                    f"{self.out} holds a training run with other settings or other data.",
                    "Nothing was trained.",
                    "Choose another folder, or give the settings of that run.",
                )
            self.model.module.load_state_dict(kept["model"])
            self.optimiser.load_state_dict(kept["optimiser"])
            self.schedule.load_state_dict(kept["schedule"])
            torch.set_rng_state(kept["random"])
            numbers = kept["numbers"].tolist()
        except (OSError, KeyError, RuntimeError, EOFError, pickle.UnpicklingError) as error:
            raise BadInput(
                f"The checkpoint {path} cannot be read ({type(error).__name__}).",
                "Nothing was trained.",
                "Delete it to start anew.",
            ) from error
        self.step, self.best_step, self.looks_without_gain, self.looked_at = (int(number) for number in numbers[:4])
        self.best_f1, self.threshold = numbers[4], numbers[5]


def _train(run: _Run, development: Sequence[AnnotatedPaper], report: Report) -> None:
    import torch

    from engine.errors import Cancelled

    settings = run.settings
    losses: list[float] = []
    batches = run.batches()
    try:
        while True:
            if run.looked_at != run.step and (run.step % settings.look_every == 0 or run.step == settings.steps):
                _look(run, development, report)
                run.checkpoint()
            if run.step >= settings.steps or run.looks_without_gain >= settings.patience:
                break
            mean = f", loss {np.mean(losses[-50:]):.3f}" if losses else ""
            report.progress(run.step / settings.steps, f"Step {run.step + 1} of at most {settings.steps}{mean}")
            run.model.module.train()
            loss = run.model.loss(next(batches))
            loss.backward()
            torch.nn.utils.clip_grad_norm_(run.model.module.parameters(), 1.0)
            run.optimiser.step()
            run.schedule.step()
            run.optimiser.zero_grad(set_to_none=True)
            losses.append(float(loss.detach()))
            run.step += 1
    except Cancelled:
        run.checkpoint()
        raise
    report.progress(1.0)


def _look(run: _Run, development: Sequence[AnnotatedPaper], report: Report) -> None:
    """Judges the model on the development papers and keeps it where it is the best so far."""
    run.model.module.eval()
    judged = []
    for paper in development:
        known = paper.known & ~np.array(
            [changed_characters(candidate) < run.settings.least_characters for candidate in paper.candidates]
        )
        judged.append((run.model.scores(paper, run.settings, report), paper.gold, known))
    cut = metrics.best_threshold(judged)
    f1 = float(np.mean([metrics.micro(metrics.tally(scores >= cut, gold, known)).f1 for scores, gold, known in judged]))
    if f1 > run.best_f1:
        run.best_f1, run.best_step, run.threshold, run.looks_without_gain = f1, run.step, cut, 0
        run.keep_best()
    else:
        run.looks_without_gain += 1
    run.looked_at = run.step


def _peak_memory(device: str) -> int:
    """Bytes: of the graphics processor, or the most that this process ever held."""
    if device.startswith("cuda"):
        import torch

        return int(torch.cuda.max_memory_allocated())
    import psutil

    memory = psutil.Process().memory_info()
    if hasattr(memory, "peak_wset"):  # Windows counts it per process
        return int(memory.peak_wset)
    import resource
    import sys

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
