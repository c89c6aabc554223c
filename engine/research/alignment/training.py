"""Fine-tunes the two trained aligners, after D'Arcy et al. 2024 (ARIES), section 5.1 and appendix E.

Bi-encoder: triplets of a comment, its edit, and edits of other papers (20 per comment), margin loss on cosines.
Cross-encoder: the same pairs as a classification. Learning rate 2e-5 with warm-up and linear decay, batches of 16, at
most 8,192 steps; the model that is best on the development papers is kept, and training stops early without further
improvement. Uses a GPU if available. A stopped run continues from its last checkpoint with the same result as an
uninterrupted one.
"""

import json
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from engine.errors import EnvironmentProblem, not_trained
from engine.jobs import Report
from engine.models.devices import choose_device, limit_threads
from engine.models.embedders import load_sentence_transformer
from engine.research.alignment import metrics
from engine.research.alignment.evaluation import AnnotatedPaper
from engine.research.trainer import Checkpoint, Course, Progress, seeded, sentence_vectors, shuffled
from engine.research.trainer import train as fit
from engine.revision.aligners.selection import SHORT, characters
from engine.revision.aligners.trained import CARD, Kind, PairClassifier, card_of, comment_text, edit_text

CHECKPOINT = "checkpoint.pt"


@dataclass(frozen=True, slots=True)
class TrainingSettings:
    """Defaults are from the paper where it states them. ``patience`` is the number of evaluations on the development
    papers without improvement."""

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
    """A comment with an edit made for it and one from another paper, as the model reads them."""

    comment: str
    positive: str
    negative: str


@dataclass(frozen=True, slots=True)
class Trained:
    """The result. ``f1`` is micro-F1 on the development papers at ``threshold``; ``peak_memory`` is in bytes."""

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
    """Returns all triplets of the papers: each link with negatives drawn from the edits of other papers. Raises
    BadInput if there are no links, or no other paper."""
    rng = np.random.default_rng(settings.seed)
    edits = {
        paper.id: [
            edit_text(candidate) for candidate in paper.candidates if characters(candidate) >= settings.least_characters
        ]
        for paper in papers
    }
    found: list[Triplet] = []
    for paper in papers:
        elsewhere = [text for other, texts in edits.items() if other != paper.id for text in texts]
        if not elsewhere:
            raise not_trained(
                "Negatives are drawn from other papers, and there is no other paper.",
                "Give labelled comments of two papers or more.",
            )
        by_id = {candidate.edit_id: candidate for candidate in paper.candidates}
        for query, positives in zip(paper.queries, paper.positives, strict=True):
            asked = comment_text(query, use_response=settings.use_responses)
            drawn = rng.choice(len(elsewhere), size=min(settings.negatives, len(elsewhere)), replace=False)
            for key in sorted(positives):
                candidate = by_id.get(key)
                if candidate is None or characters(candidate) < settings.least_characters:
                    continue
                found.extend(Triplet(asked, edit_text(candidate), elsewhere[at]) for at in drawn)
    if not found:
        raise not_trained("No comment is linked to an edit.", "Link some comments first.")
    return tuple(found)


class _BiEncoder:
    """``module`` is the torch module with all weights."""

    def __init__(self, folder: Path, settings: TrainingSettings, device: str) -> None:
        self.module = load_sentence_transformer(folder, device)
        self._settings = settings

    def loss(self, batch: Sequence[Triplet]) -> Any:
        """Returns the mean loss of a batch, as a tensor."""
        import torch

        asked, positive, negative = (
            sentence_vectors(self.module, [getattr(triplet, side) for triplet in batch])
            for side in ("comment", "positive", "negative")
        )
        closer, farther = (asked * positive).sum(-1), (asked * negative).sum(-1)
        return torch.nn.functional.relu(self._settings.margin - closer + farther).mean()

    def scores(self, paper: AnnotatedPaper, settings: TrainingSettings, report: Report) -> metrics.Matrix:
        """Returns (comments, edits) of one paper."""
        import torch

        texts = [comment_text(query, use_response=settings.use_responses) for query in paper.queries]
        texts += [edit_text(candidate) for candidate in paper.candidates]
        parts = []
        with torch.inference_mode():
            for start in range(0, len(texts), settings.batch):
                report.check()
                parts.append(sentence_vectors(self.module, texts[start : start + settings.batch]).float().cpu().numpy())
        vectors = np.concatenate(parts).astype(np.float64)
        return vectors[: len(paper.queries)] @ vectors[len(paper.queries) :].T

    def save(self, folder: Path) -> None:
        self.module.save(str(folder), create_model_card=False)


class _CrossEncoder:
    """Like ``_BiEncoder``, for pairs."""

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
    """Fine-tunes the model in ``base`` and stores the best one in ``out``, with its card (threshold, settings).

    A checkpoint in ``out`` of a run with the same settings and data is continued. When cancelled, it writes a
    checkpoint first, so the run can be resumed. Raises BadInput (too little data, or ``out`` contains a run with other
    settings), Cancelled, and EnvironmentProblem (the base model can't be loaded, or ``out`` can't be written).
    """
    import torch

    started = time.perf_counter()
    examples = triplets(papers, settings)
    if not any((paper.gold & paper.known).any() for paper in development):
        raise not_trained("No development comment has a link.", "Give papers with links.")
    place = choose_device(device)
    report.progress(0.0, "Loading the model")
    if place.name == "cpu":
        limit_threads(0)
    else:
        torch.cuda.reset_peak_memory_stats()
    threshold = 0.5
    identity = json.dumps([asdict(settings), len(examples)], sort_keys=True)
    course = Course(
        settings.steps,
        min(settings.warm_up, max(1, settings.steps // 4)),
        look_every=settings.look_every,
        patience=settings.patience,
    )
    with seeded(settings.seed):
        model = (_BiEncoder if settings.kind == "bi-encoder" else _CrossEncoder)(base, settings, place.name)

        def look(part: Report) -> float:
            nonlocal threshold
            threshold, f1 = _judged(model, development, settings, part)
            return f1

        def keep(state: Progress) -> None:
            model.save(out)
            card = {
                "kind": settings.kind,
                "threshold": threshold,
                "development_f1": state.best,
                "best_step": state.best_step,
                "examples": len(examples),
                "settings": asdict(settings),
            }
            (out / CARD).write_text(json.dumps(card, indent=1) + "\n", encoding="utf-8")

        try:
            out.mkdir(parents=True, exist_ok=True)
            done = fit(
                model.module,
                torch.optim.AdamW(model.module.parameters(), lr=settings.learning_rate),
                lambda start: shuffled(examples, settings.batch, settings.seed, start),
                lambda batch: [model.loss(batch)],
                course,
                report,
                look=look,
                keep=keep,
                checkpoint=Checkpoint(out / CHECKPOINT, identity),
            )
        except OSError as error:
            raise EnvironmentProblem(
                f"{out} couldn't be written: {error.strerror or error}.",
                "The training stopped.",
                "Choose another folder.",
            ) from error
    return Trained(
        folder=out,
        steps=done.step,
        best_step=done.best_step,
        f1=done.best,
        threshold=float(card_of(out)["threshold"]),
        device=place.title,
        seconds=time.perf_counter() - started,
        peak_memory=_peak_memory(place.name),
        stopped_early=done.step < settings.steps,
    )


def _judged(
    model: _BiEncoder | _CrossEncoder, development: Sequence[AnnotatedPaper], settings: TrainingSettings, report: Report
) -> tuple[float, float]:
    """Returns the best threshold on the development papers, and the micro-F1 over all their pairs."""
    judged = []
    for paper in development:
        long = np.array([characters(one) >= settings.least_characters for one in paper.candidates])
        judged.append((model.scores(paper, settings, report), paper.gold, paper.known & long))
    cut = metrics.best_threshold(judged)
    tallies = [metrics.tally(scores >= cut, gold, known) for scores, gold, known in judged]
    return cut, metrics.micro(np.concatenate(tallies)).f1


def _peak_memory(device: str) -> int:
    """Returns peak memory in bytes: of the GPU, otherwise of this process."""
    if device.startswith("cuda"):
        import torch

        return int(torch.cuda.max_memory_allocated())

    if sys.platform == "win32":
        import psutil

        return int(psutil.Process().memory_info().peak_wset)
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
