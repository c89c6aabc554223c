"""A bi-encoder fine-tuned to score candidates: description and action on one side, the candidate on the other.

As the paper's fine-tuned ranker: the cosine of both vectors is fitted to how canonical the candidate is (Reimers and
Gurevych, 2019, section 3, regression objective). Nothing is stored: the model lives as long as the scoring.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from engine.jobs import Report
from engine.models import Embedder
from engine.models.devices import limit_threads
from engine.models.embedders import load_sentence_transformer, readable
from engine.rebuttal.act_codes import BY_ID
from engine.rebuttal.canonical.records import ScoredCandidate
from engine.rebuttal.canonical.scoring import Candidates, Floats, Scorer

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
    order = random.Random(seed)
    steps = epochs * -(-len(known) // BATCH)
    optimiser = torch.optim.AdamW(model.parameters(), lr=rate, weight_decay=0.01)
    falling = torch.optim.lr_scheduler.LambdaLR(
        optimiser, lambda step: min((step + 1) / max(steps / 10, 1), max(0.0, 1 - step / steps))
    )
    step = 0
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model.train()
        for _ in range(epochs):
            rows = order.sample(list(known), len(known))
            for start in range(0, len(rows), BATCH):
                report.progress(step / steps, "Fine-tuning the encoder")
                some = rows[start : start + BATCH]
                wanted = torch.tensor([1 - one.score for one in some], device=model.device)
                loss = torch.nn.functional.mse_loss(_likeness(model, some), wanted)
                optimiser.zero_grad()
                loss.backward()  # type: ignore[no-untyped-call]
                torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
                optimiser.step()
                falling.step()
                step += 1
    return model.eval()


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
    return (_vectors(model, asked) * _vectors(model, [one.text for one in candidates])).sum(-1)


def _vectors(model: Any, texts: Sequence[str]) -> Any:
    import torch

    features = model.preprocess([readable(text) for text in texts])
    features = {name: value.to(model.device) for name, value in features.items() if hasattr(value, "to")}
    return torch.nn.functional.normalize(model(features)["sentence_embedding"], dim=-1)
