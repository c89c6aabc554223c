"""How soon an interactive job starts, and how long its work takes, while the other lanes are busy.

The long lane computes in Python in this process (the worst case for the GIL), and then encodes texts in the encoder's
process, which the interactive job needs as well.
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from engine.jobs import DuplicatePolicy, JobEngine, JobState, Lane, Report, Task
from engine.models.encoder_process import ProcessEmbedder
from engine.models.registry import bundled_encoder, fingerprint
from tests.benchmarks.responsiveness import sentence

JOBS, PAUSE, TEXTS, SHORT = 60, 0.05, 6000, 8


@dataclass(frozen=True)
class Nothing:
    """Parameters of a task without parameters."""


def _task(run: Callable[[Report], object], lane: Lane) -> Task[None]:
    def work(report: Report) -> None:
        run(report)

    return Task("bench.lanes", lane.value, work, DuplicatePolicy.AFTER, lane=lane)


def _count(report: Report) -> None:
    while True:
        sum(range(20_000))
        report.check()


def starts(engine: JobEngine) -> list[float]:
    """Returns milliseconds from ``submit`` to the first line of the task, by job."""
    busy = [engine.submit(_task(_count, lane)) for lane in (Lane.LONG, Lane.TRAINING)]
    found: list[float] = []
    for _ in range(JOBS):
        begun = time.perf_counter()
        job = engine.submit(
            _task(lambda _r, begun=begun: found.append((time.perf_counter() - begun) * 1000), Lane.INTERACTIVE)
        )
        if job.wait(30) is not JobState.DONE:
            raise RuntimeError(f"the interactive job did not end: {job.state}")
        threading.Event().wait(PAUSE)
    for job in busy:
        job.cancel()
        job.wait(30)
    return found


def encodings(engine: JobEngine) -> tuple[float, float]:
    """Returns the median milliseconds a job needs for a few texts, alone and beside a job that encodes thousands."""
    model, rng = bundled_encoder(), random.Random(3)
    encoder = ProcessEmbedder(model.folder, fingerprint(model.folder))
    texts = [sentence(rng) for _ in range(TEXTS)]
    try:
        encoder.encode(texts[:1])

        def short() -> float:
            begun = time.perf_counter()
            job = engine.submit(_task(lambda report: encoder.encode(texts[:SHORT], report), Lane.INTERACTIVE))
            if job.wait(60) is not JobState.DONE:
                raise RuntimeError(f"the interactive job did not end: {job.failure}")
            return (time.perf_counter() - begun) * 1000

        alone = float(np.median([short() for _ in range(10)]))
        long = engine.submit(_task(lambda report: encoder.encode(texts, report), Lane.LONG))
        beside = float(np.median([short() for _ in range(10)]))
        if long.state is not JobState.RUNNING:
            raise RuntimeError("the long job ended before the interactive ones")
        long.cancel()
        long.wait(30)
        return alone, beside
    finally:
        encoder.close()


def figures(_data: Path | None) -> dict[str, dict[str, Any]]:
    """Measures the start of an interactive job beside busy lanes, and a short encoding alone and beside a long one."""
    engine = JobEngine()
    try:
        found = starts(engine)
        alone, beside = encodings(engine)
    finally:
        if not engine.shutdown(30):
            raise RuntimeError("a lane did not end")

    def entry(value: float, target: float | None) -> dict[str, Any]:
        return {"value": round(value, 2), "unit": "ms", "better": "lower", "target": target}

    return {
        "start_p50": entry(float(np.quantile(found, 0.5)), None),
        "start_p95": entry(float(np.quantile(found, 0.95)), 200.0),
        "start_longest": entry(max(found), 200.0),
        "encode_alone": entry(alone, None),
        "encode_beside_long": entry(beside, None),
    }


if __name__ == "__main__":
    for name, figure in figures(None).items():
        print(f"{name:>20} {figure['value']:9.1f} {figure['unit']}")
