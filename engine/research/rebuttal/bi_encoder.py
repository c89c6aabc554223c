"""A bi-encoder fine-tuned to score candidates: description and action on one side, the candidate on the other.

As the paper's fine-tuned ranker: the cosine of both vectors is fitted to how canonical the candidate is (Reimers and
Gurevych, 2019, section 3, regression objective). Nothing is stored: the model lives as long as the scoring.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from engine.jobs import Report
from engine.models import Embedder
from engine.models.devices import limit_threads
from engine.models.embedders import load_sentence_transformer
from engine.rebuttal.act_codes import BY_ID
from engine.rebuttal.canonical.records import ScoredCandidate
from engine.research.rebuttal.scoring import Candidates, Floats, Scorer
from engine.research.trainer import Course, seeded, sentence_vectors, shuffled, train

EPOCHS, BATCH, RATE = 3, 16, 3e-5
LENGTH = 96
"""The most tokens of each side."""


def fine_tuned(folder: Path, *, epochs: int = EPOCHS, rate: float = RATE, device: str | None = None) -> Scorer:
    """The strategy that fine-tunes the sentence encoder in ``folder`` on what is known. Raises EnvironmentProblem when
    it scores and the folder holds no encoder.
    """

    def score(
        known: Sequence[ScoredCandidate], candidates: Candidates, _embedder: Embedder, seed: int, report: Report
    ) -> Floats:
        model = _fitted(folder, known, epochs, rate, seed, device, report.part(0.0, 0.9))
        return np.asarray(1 - _cosines(model, candidates, report.part(0.9, 1.0)), dtype=np.float64)

    title = f"{folder.name}, fine-tuned bi-encoder"
    return Scorer("bi-encoder-fine-tuned", title, "Reimers and Gurevych 2019", score)


def _fitted(  # noqa: PLR0917 - what fine-tuning needs
    folder: Path, known: Candidates, epochs: int, rate: float, seed: int, device: str | None, report: Report
) -> Any:
    import torch

    model = load_sentence_transformer(folder, device)
    model.max_seq_length = min(model.max_seq_length or LENGTH, LENGTH)
    limit_threads(0)

    def losses(some: Candidates) -> Iterator[Any]:
        wanted = torch.tensor([1 - one.score for one in some], device=model.device)
        yield torch.nn.functional.mse_loss(_likeness(model, some), wanted)

    steps = epochs * -(-len(known) // BATCH)
    with seeded(seed):
        optimiser = torch.optim.AdamW(model.parameters(), lr=rate)
        course = Course(steps, steps // 10, title="Fine-tuning the encoder")
        train(model, optimiser, lambda start: shuffled(known, BATCH, seed, start), losses, course, report)
    return model


def _cosines(model: Any, candidates: Candidates, report: Report) -> Floats:
    import torch

    found = np.zeros(len(candidates))
    with torch.inference_mode():
        for start in range(0, len(candidates), BATCH):
            report.progress(start / max(len(candidates), 1), "Scoring candidates")
            some = candidates[start : start + BATCH]
            found[start : start + BATCH] = _likeness(model, some).cpu().numpy()
    return found


def _likeness(model: Any, candidates: Candidates) -> Any:
    asked = [f"{one.description} [SEP] {BY_ID[one.action].title}" for one in candidates]
    return (sentence_vectors(model, asked) * sentence_vectors(model, [one.text for one in candidates])).sum(-1)
