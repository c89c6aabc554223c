"""The one training loop: a line is learnt; it stops, keeps the best, is cancelled and resumes as promised."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, islice
from pathlib import Path
from typing import Any

import pytest
import torch

from engine.errors import BadInput, Cancelled
from engine.jobs import QuietReport, Report
from engine.research.trainer import Checkpoint, Course, Progress, seeded, shuffled, train

POINTS = [(float(x), 2.0 * x + 1.0) for x in range(-4, 5)]


class StopsAt(QuietReport):
    def __init__(self, step: int) -> None:
        self._words = f"Step {step} of"

    def progress(self, fraction: float, words: str = "") -> None:
        if words.startswith(self._words):
            raise Cancelled


def fitted(course: Course, report: Report | None = None, **more: Any) -> tuple[Any, Progress]:
    with seeded(3):
        model = torch.nn.Sequential(torch.nn.Linear(1, 1), torch.nn.Dropout(0.1))

        def losses(batch: list[tuple[float, float]]) -> Iterator[Any]:
            for x, y in batch:
                yield (model(torch.tensor([[x]])) - y).square().sum() / len(batch)

        optimiser = torch.optim.AdamW(model.parameters(), lr=0.1)
        done = train(
            model,
            optimiser,
            lambda start: shuffled(POINTS, 4, 5, start),
            losses,
            course,
            report or QuietReport(),
            **more,
        )
    return model, done


def weight(model: Any) -> float:
    return float(model[0].weight.item())


def test_it_learns_and_equal_seeds_give_equal_weights() -> None:
    model, done = fitted(Course(120, 10))
    assert weight(model) == pytest.approx(2.0, abs=0.3) and not model.training
    assert done.step == len(done.losses) == 120 and sum(done.losses[-12:]) < 0.1 * sum(done.losses[:12])
    torch.rand(7)  # what others draw does not matter
    assert weight(fitted(Course(120, 10))[0]) == weight(model)


def test_the_rate_rises_and_falls_and_may_stay() -> None:
    course = Course(10, 4)
    assert [round(course.rate(step), 3) for step in (0, 3, 5, 9, 10)] == [0.25, 0.7, 0.5, 0.1, 0.0]
    assert Course(10, decay=False).rate(9) == 1.0


def test_gradients_are_clipped() -> None:
    model, _ = fitted(Course(1, clip=1e-9))
    free, _ = fitted(Course(1, clip=0.0))
    assert model is not None and weight(free) != weight(model)


def test_it_stops_without_a_gain_and_has_the_best_weights() -> None:
    seen: list[float] = []
    scores = iter([0.1, 0.5, 0.4, 0.3, 0.9])
    holder: list[Any] = []

    def look(_report: Report) -> float:
        seen.append(weight(holder[0]))
        return next(scores)

    with seeded(1):
        model = torch.nn.Sequential(torch.nn.Linear(1, 1))
        holder.append(model)
        optimiser = torch.optim.AdamW(model.parameters(), lr=0.1)
        done = train(
            model, optimiser, lambda start: shuffled(POINTS, 4, 5, start),
            lambda batch: [sum((model(torch.tensor([[x]])) - y).square().sum() for x, y in batch)],
            Course(100, look_every=3, patience=2), QuietReport(), look=look,
        )  # fmt: skip
    assert done.scores == [0.1, 0.5, 0.4, 0.3] and (done.step, done.best_step, done.best) == (9, 3, 0.5)
    assert weight(model) == seen[1] != seen[-1]


def test_a_cancelled_training_resumes_to_the_same_weights(tmp_path: Path) -> None:
    kept: list[int] = []
    how: dict[str, Any] = {"look": lambda _report: 1.0, "keep": lambda state: kept.append(state.step)}
    course = Course(12, look_every=4, patience=9)
    whole, _ = fitted(course, **how, checkpoint=Checkpoint(tmp_path / "whole", "a"))
    assert kept == [0] and not (tmp_path / "whole").exists(), "only a better look is kept; the checkpoint is done with"
    file = tmp_path / "stopped"
    with pytest.raises(Cancelled):
        fitted(course, StopsAt(7), **how, checkpoint=Checkpoint(file, "a"))
    with pytest.raises(BadInput, match="other settings"):
        fitted(course, **how, checkpoint=Checkpoint(file, "b"))
    resumed, done = fitted(course, **how, checkpoint=Checkpoint(file, "a"))
    assert weight(resumed) == weight(whole) and done.step == 12 and len(done.losses) == 6
    file.write_bytes(b"nothing")
    with pytest.raises(BadInput, match="can't be read"):
        fitted(course, **how, checkpoint=Checkpoint(file, "a"))


def test_batches_go_on_where_they_were() -> None:
    first = list(islice(shuffled(range(10), 4, 1), 9))
    assert [sorted(chain(*first[at : at + 3])) for at in (0, 3, 6)] == [list(range(10))] * 3
    assert first[:3] != first[3:6] and list(islice(shuffled(range(10), 4, 1, 5), 4)) == first[5:]
