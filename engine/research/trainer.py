"""The training loop of all torch models here: warm-up and linear decay, gradient clipping, early stopping,
cancellation.

The trainers of transformers and sentence-transformers offer the same, but need two more libraries, write files while
running and can't be cancelled between steps.
"""

import pickle
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from engine.errors import Cancelled, not_trained
from engine.jobs import Report
from engine.models.embedders import readable

Batch = TypeVar("Batch")


@dataclass(frozen=True, slots=True)
class Course:
    """The schedule of a training.

    ``steps``: the most optimiser steps. ``warm_up``: steps in which the rates rise; ``decay``: whether they fall to 0
    over all steps. ``clip``: the largest gradient norm; 0 disables clipping. ``look_every``: steps between evaluations
    on held-out data; ``look_first``: also before the first step. ``patience``: evaluations without improvement before
    training stops. ``title``: start of the progress text.
    """

    steps: int
    warm_up: int = 0
    decay: bool = True
    clip: float = 1.0
    look_every: int = 1
    look_first: bool = True
    patience: int = 1
    title: str = ""

    def rate(self, step: int) -> float:
        """Returns the factor (0..1) applied to the optimiser's rates in a step."""
        rising = (step + 1) / max(1, self.warm_up)
        return min(rising, max(0.0, (self.steps - step) / max(1, self.steps)) if self.decay else 1.0)


@dataclass(slots=True)
class Progress:
    """Progress and results of a training. ``losses``: one per step, since the start or the last resumption. ``scores``:
    one per evaluation; ``best`` is the highest of them, at ``best_step``."""

    step: int = 0
    best_step: int = 0
    best: float = -np.inf
    without_gain: int = 0
    looked_at: int = -1
    losses: list[float] = field(default_factory=list)
    scores: list[float] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A file from which a training can be resumed with the same result. ``identity`` identifies settings and data."""

    file: Path
    identity: str


def train(  # noqa: PLR0917 (what every training needs)
    model: Any,
    optimiser: Any,
    batches: Callable[[int], Iterable[Batch]],
    losses: Callable[[Batch], Iterable[Any]],
    course: Course,
    report: Report,
    *,
    look: Callable[[Report], float] | None = None,
    keep: Callable[[Progress], None] | None = None,
    checkpoint: Checkpoint | None = None,
) -> Progress:
    """Trains ``model`` (a torch module) until the steps or batches end or evaluations no longer improve.

    Args:
        batches: returns the batches from a step on, one per step.
        losses: the loss of a batch, in parts whose gradients are accumulated.
        look: evaluates the model on held-out data; higher is better. At the end, the model has the best weights unless
            ``keep`` is given.
        keep: called after each improvement, instead of keeping the best weights in memory.
        checkpoint: written at each evaluation and on cancellation, resumed from if it exists, deleted at the end. Needs
            ``keep``.

    Raises BadInput (the checkpoint is from another training or can't be read) and Cancelled.
    """
    import torch

    schedule = torch.optim.lr_scheduler.LambdaLR(optimiser, course.rate)
    trained = [parameter for group in optimiser.param_groups for parameter in group["params"]]
    parts = {"model": model, "optimiser": optimiser, "schedule": schedule}
    state = _resumed(checkpoint, parts) if checkpoint is not None and checkpoint.file.is_file() else Progress()
    best: dict[str, Any] | None = None
    coming = iter(batches(state.step))
    try:
        while True:
            fraction = state.step / max(1, course.steps)
            if look is not None and _is_due(course, state):
                model.eval()
                state.scores.append(look(report.part(fraction, fraction)))
                state.looked_at, state.without_gain = state.step, state.without_gain + 1
                if state.scores[-1] > state.best:
                    state.best, state.best_step, state.without_gain = state.scores[-1], state.step, 0
                    if keep is not None:
                        keep(state)
                    else:
                        best = {name: values.detach().clone() for name, values in model.state_dict().items()}
                if checkpoint is not None:
                    _save(checkpoint, parts, state)
            if state.step >= course.steps or (look is not None and state.without_gain >= course.patience):
                break
            report.progress(fraction, _words(course, state))
            model.train()
            batch = next(coming, None)
            if batch is None:
                break
            total = 0.0
            for loss in losses(batch):
                loss.backward()
                total += float(loss.detach())
            if course.clip:
                torch.nn.utils.clip_grad_norm_(trained, course.clip)
            optimiser.step()
            schedule.step()
            optimiser.zero_grad(set_to_none=True)
            state.losses.append(total)
            state.step += 1
    except Cancelled:
        if checkpoint is not None:
            _save(checkpoint, parts, state)
        raise
    finally:
        model.eval()
    if best is not None:
        model.load_state_dict(best)
    if checkpoint is not None:
        checkpoint.file.unlink(missing_ok=True)
    report.progress(1.0)
    return state


def _is_due(course: Course, state: Progress) -> bool:
    if state.looked_at == state.step or (state.step == 0 and not course.look_first):
        return False
    return state.step % course.look_every == 0 or state.step == course.steps


def _words(course: Course, state: Progress) -> str:
    mean = f", loss {np.mean(state.losses[-50:]):.3f}" if state.losses else ""
    step = f"tep {state.step + 1} of at most {course.steps}{mean}"
    return f"{course.title}, s{step}" if course.title else f"S{step}"


def shuffled(items: Sequence[Batch], size: int, seed: int, start: int = 0) -> Iterator[list[Batch]]:
    """Yields batches of ``items`` endlessly, from step ``start`` on; the order depends only on seed and epoch."""
    an_epoch = -(-len(items) // size)
    while True:
        epoch, at = divmod(start, an_epoch)
        order = np.random.default_rng([seed, epoch]).permutation(len(items))
        for number in range(at, an_epoch):
            yield [items[index] for index in order[number * size : (number + 1) * size]]
        start = (epoch + 1) * an_epoch


def sentence_vectors(model: Any, texts: Sequence[str]) -> Any:
    """Returns a sentence-transformers model's vectors of texts, each of length 1, as a tensor (texts, d) with
    gradients."""
    import torch

    features = model.preprocess([readable(text) for text in texts])
    features = {name: value.to(model.device) for name, value in features.items() if hasattr(value, "to")}
    return torch.nn.functional.normalize(model(features)["sentence_embedding"], dim=-1)


@contextmanager
def seeded(seed: int, *, threads: int = 0) -> Iterator[None]:
    """Seeds torch within the block; its random state is restored afterwards. ``threads``: the number of threads torch
    may use meanwhile, 0 for the current number; sums on several threads can differ."""
    import torch

    before = torch.get_num_threads()
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        torch.set_num_threads(threads or before)
        try:
            yield
        finally:
            torch.set_num_threads(before)


_NUMBERS = ("step", "best_step", "best", "without_gain", "looked_at")


def _save(checkpoint: Checkpoint, parts: dict[str, Any], state: Progress) -> None:
    """Writes to a temporary file and renames it, so that a crash leaves the previous checkpoint."""
    import torch

    beside = checkpoint.file.with_name(f"{checkpoint.file.name}.part")
    kept = {name: part.state_dict() for name, part in parts.items()}
    numbers = torch.tensor([float(getattr(state, name)) for name in _NUMBERS], dtype=torch.float64)
    torch.save({"identity": checkpoint.identity, "random": torch.get_rng_state(), "numbers": numbers, **kept}, beside)
    beside.replace(checkpoint.file)


def _resumed(checkpoint: Checkpoint, parts: dict[str, Any]) -> Progress:
    import torch

    try:
        # weights_only: nothing in the file is executed
        kept = torch.load(checkpoint.file, map_location="cpu", weights_only=True)
        if kept["identity"] != checkpoint.identity:
            raise not_trained(
                f"{checkpoint.file.parent} holds a training run with other settings or other data.",
                "Choose another folder, or use the settings of that run.",
            )
        for name, part in parts.items():
            part.load_state_dict(kept[name])
        torch.set_rng_state(kept["random"])
        step, best_step, best, without_gain, looked_at = kept["numbers"].tolist()
    except (OSError, KeyError, ValueError, RuntimeError, EOFError, pickle.UnpicklingError) as error:
        raise not_trained(
            f"The checkpoint {checkpoint.file} can't be read ({type(error).__name__}).", "Delete it to start again."
        ) from error
    return Progress(int(step), int(best_step), best, int(without_gain), int(looked_at))
